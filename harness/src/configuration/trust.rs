//! What the file of a root may not name while the user does not trust the root.

use std::path::{Path, PathBuf};

use hallmark_execution::executor::{ExecutorChoice, Release};
use hallmark_execution::worker::memory_budget::MemorySize;
use hallmark_runtime::DeviceSpec;
use hallmark_suite::bind::TIMEOUT_LIMIT_SECONDS;
use hallmark_suite::mistake::Mistake;

use super::text::FileSettings;

/// Whether a root is one of some folders.
pub(super) fn is_among(root: &Path, folders: &[PathBuf]) -> bool {
    let Ok(root) = root.canonicalize() else { return false };
    folders.iter().any(|folder| folder.canonicalize().is_ok_and(|folder| folder == root))
}

/// A mistake for each setting that the root's file may not have.
pub(super) fn refused(
    settings: &FileSettings,
    root: &Path,
    user_file: Option<&Path>,
) -> Vec<Mistake> {
    let choices = settings.devices.iter().chain(&settings.replay_devices);
    let named = choices.filter_map(|choice| Some((reach(&choice.value, root)?, choice.span)));
    let firmware = settings.firmware.as_ref().filter(|it| is_outside(&it.value, root));
    let firmware = firmware.map(|folder| (OUTSIDE, folder.span));
    let help = how_to_allow(root, user_file);
    let memory = settings.memory.as_ref().filter(|it| it.value > MemorySize::default());
    let memory = memory.map(|it| {
        (format!("lets a worker take more memory than {}", MemorySize::default()), it.span)
    });
    let timeout =
        settings.timeout.as_ref().filter(|it| u64::from(it.value) > TIMEOUT_LIMIT_SECONDS);
    let timeout = timeout.map(|it| {
        (format!("lets a test run longer than {TIMEOUT_LIMIT_SECONDS} s, the most that a suite may give"), it.span)
    });
    named
        .chain(firmware)
        .map(|(what, span)| (format!("names {what}"), span))
        .chain(memory)
        .chain(timeout)
        .map(|(does, span)| {
            let message = format!("this root {does}, and you have not said that you trust it");
            Mistake::new(message, span, help.clone())
        })
        .collect()
}

const OUTSIDE: &str = "a path outside itself";

/// The thing that a choice reaches beyond the root and Hallmark itself.
fn reach(choice: &ExecutorChoice, root: &Path) -> Option<&'static str> {
    match &choice.release {
        Release::This => {}
        Release::Other(_) => return Some("an executable"),
        Release::Metalium(_) => return Some("a folder of libraries"),
    }
    match &choice.device {
        None | Some(DeviceSpec::Simulator(_) | DeviceSpec::SimulatedCard(_)) => {}
        Some(DeviceSpec::Ttsim(_)) => return Some("a library"),
        // Kernels on a card reach memory of the machine.
        Some(DeviceSpec::Pci(_)) => return Some("a card"),
        Some(DeviceSpec::Misbehaving(spec)) => {
            // It writes these files.
            if spec.counter.is_some() || spec.marker.is_some() {
                return Some("a file to write");
            }
        }
    }
    let mut folders = choice.firmware.iter().chain(&choice.kernels);
    folders.any(|folder| is_outside(folder, root)).then_some(OUTSIDE)
}

/// Whether a path leads out of a root. That of an absent file is found wrong elsewhere.
fn is_outside(path: &Path, root: &Path) -> bool {
    match (path.canonicalize(), root.canonicalize()) {
        (Ok(path), Ok(root)) => !path.starts_with(root),
        (Err(_), Ok(_)) => false,
        (_, Err(_)) => true,
    }
}

fn how_to_allow(root: &Path, user_file: Option<&Path>) -> String {
    let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    let once = "--trust allows it for one command";
    match user_file {
        None => once.to_owned(),
        Some(file) => {
            // TOML writes texts as JSON does.
            let folder = serde_json::Value::String(root.display().to_string());
            format!("{once}; `trusted_roots = [{folder}]` in {} for all", file.display())
        }
    }
}
