//! A worker that misbehaves on demand, to test the harness against failures of devices.

use std::hash::{BuildHasher as _, RandomState};
use std::io::Write as _;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::WorkerResult;
use super::problem::WorkerProblem;
use super::report::WorkerReport;

/// The kind of misbehaviour.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum MockJob {
    /// Do nothing and report success.
    Succeed,
    /// Sleep for ever.
    Hang,
    /// Start a child that sleeps for ever, and sleep.
    HangWithChild,
    /// End by a signal.
    Crash,
    /// End with this code and without a report.
    Exit(u8),
    /// Print this and end with code 1, as a simulator does.
    PrintAndExit(String),
    /// Print megabytes of garbage, then report success.
    Garbage,
    /// Report success or a problem, by whether a file exists; make it.
    Flake(std::path::PathBuf),
    /// Report the environment, what lies in the current folder, and what is open.
    Surroundings,
    /// Leave a text in the process. Report the text that lay there, the keys with which maps of this process hash,
    /// its number and its parent's.
    Leave(String),
}

/// The text of [`MockJob::Leave`].
static LEFT: Mutex<String> = Mutex::new(String::new());

#[expect(clippy::print_stdout, reason = "simulators print to stdout, and so does this one")]
pub(super) fn run(job: &MockJob) -> WorkerResult {
    match job {
        MockJob::Succeed => {}
        MockJob::Hang => loop {
            std::thread::sleep(Duration::from_secs(60));
        },
        MockJob::HangWithChild => {
            if let Ok(child) = std::process::Command::new("/bin/sleep").arg("600").spawn() {
                println!("{}", child.id());
            }
            loop {
                std::thread::sleep(Duration::from_secs(60));
            }
        }
        MockJob::Crash => std::process::abort(),
        MockJob::Exit(code) => exit(*code),
        MockJob::PrintAndExit(text) => {
            println!("{text}");
            exit(1);
        }
        MockJob::Garbage => {
            let noise: Vec<u8> = (0..=255).cycle().take(1 << 20).collect();
            for _ in 0..4 {
                let _ = std::io::stdout().write_all(&noise);
                let _ = std::io::stderr().write_all(&noise);
            }
        }
        MockJob::Flake(path) => {
            if !path.exists() {
                let _ = std::fs::write(path, "");
                let reason = "this time it failed".to_owned();
                return Err(WorkerProblem::Device { device: "mock".to_owned(), reason });
            }
        }
        MockJob::Surroundings => {
            let entries = std::fs::read_dir(".").map_or(0, Iterator::count);
            let variables: Vec<String> =
                std::env::vars_os().map(|(name, _)| name.to_string_lossy().into_owned()).collect();
            let mut open: Vec<String> = std::fs::read_dir("/proc/self/fd")
                .into_iter()
                .flatten()
                .flatten()
                .filter_map(|entry| {
                    let target = std::fs::read_link(entry.path()).ok()?;
                    Some(format!("{} {}", entry.file_name().display(), target.display()))
                })
                .collect();
            open.sort();
            return Ok(WorkerReport {
                differences: vec![
                    format!("{entries} entries"),
                    variables.join(","),
                    open.join("\n"),
                ],
                ..WorkerReport::default()
            });
        }
        MockJob::Leave(text) => {
            let mut left = LEFT.lock().unwrap_or_else(PoisonError::into_inner);
            let before = std::mem::replace(&mut *left, text.clone());
            let keys = RandomState::new().hash_one(0);
            let parent = std::os::unix::process::parent_id();
            let numbers = [keys, u64::from(std::process::id()), u64::from(parent)];
            return Ok(WorkerReport {
                differences: std::iter::once(before)
                    .chain(numbers.map(|number| number.to_string()))
                    .collect(),
                ..WorkerReport::default()
            });
        }
    }
    Ok(WorkerReport::default())
}

#[expect(clippy::exit, reason = "simulators end their process, and so does this one")]
fn exit(code: u8) -> ! {
    std::process::exit(i32::from(code))
}
