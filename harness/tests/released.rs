//! Captures that earlier releases wrote: they are read, written again and replayed with the firmware that is kept
//! beside them.
#![expect(clippy::unwrap_used, reason = "a failing helper fails its test")]

mod common;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Output;

use common::{command, repository, text};
use hallmark_chip::Architecture;
use hallmark_schema::model::{Capture, Command, CommandKind, ContentHash, DispatchMode, Outcome};

/// The schema's files in the order in which they are hashed.
const SCHEMA_FILES: [&str; 5] = ["common", "program", "record", "journal", "capture"];

fn released() -> PathBuf {
    repository().join("schema/released/1.0")
}

/// The name and path of every kept capture.
fn files() -> Vec<(String, PathBuf)> {
    let mut files: Vec<(String, PathBuf)> = std::fs::read_dir(released().join("captures"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.file_stem().unwrap().to_str().unwrap().to_owned(), path))
        .collect();
    files.sort();
    files
}

fn captures() -> Vec<(String, Vec<u8>, Capture)> {
    files()
        .into_iter()
        .map(|(name, path)| {
            let bytes = std::fs::read(path).unwrap();
            let capture =
                Capture::from_bytes(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
            (name, bytes, capture)
        })
        .collect()
}

/// Replays in an empty folder, with the firmware that is kept for that architecture.
fn replay(file: &Path, architecture: Architecture, more: &[&str]) -> Output {
    let elsewhere = tempfile::tempdir().unwrap();
    let firmware = released().join("firmware/hallmark-1").join(architecture.name());
    let file = std::path::absolute(file).unwrap();
    let firmware = std::path::absolute(firmware).unwrap();
    command(elsewhere.path())
        .args(["replay".as_ref(), file.as_os_str(), "--firmware".as_ref(), firmware.as_os_str()])
        .args(more)
        .output()
        .unwrap()
}

#[test]
fn kept_captures_come_out_the_same_when_they_are_written_again() {
    for (name, bytes, capture) in captures() {
        // Opening has compared the program part already; this is the whole file, record and blobs too.
        assert_eq!(capture.to_bytes().unwrap(), bytes, "{name}");
        assert_eq!(capture.missing_blobs(), [], "{name} is self-contained");
    }
}

#[test]
fn kept_captures_hold_every_command_of_their_format_on_every_chip() {
    let all = captures();
    let commands: BTreeSet<&str> = all
        .iter()
        .flat_map(|(_, _, capture)| &capture.program.commands)
        .map(|recorded| recorded.command.kind().name())
        .collect();
    // Those that came later stand behind.
    let of_this_format = CommandKind::ALL.iter().take(28).map(|kind| kind.name());
    assert_eq!(commands, of_this_format.collect::<BTreeSet<&str>>());
    let chips: BTreeSet<Architecture> =
        all.iter().map(|(_, _, capture)| capture.program.architecture).collect();
    assert_eq!(chips, Architecture::ALL.into_iter().collect());
    let failed = |capture: &Capture| {
        capture.program.commands.iter().any(|it| matches!(it.outcome, Outcome::Failed(_)))
    };
    let failed: Vec<&str> = all
        .iter()
        .filter(|(_, _, capture)| failed(capture))
        .map(|(name, _, _)| name.as_str())
        .collect();
    assert_eq!(failed, ["circular_buffer_updates", "deadlock", "expected_error", "fault"]);
}

#[test]
fn kept_captures_were_written_with_the_kept_schema() {
    let mut hasher = blake3::Hasher::new();
    for name in SCHEMA_FILES {
        let text = std::fs::read_to_string(released().join(format!("{name}.fbs"))).unwrap();
        hasher.update(format!("{name} {}\n{text}", text.len()).as_bytes());
    }
    let schema = ContentHash(*hasher.finalize().as_bytes());
    for (name, _, capture) in captures() {
        assert_eq!(capture.record.unwrap().schema_hash, schema, "{name}");
    }
}

#[test]
fn kept_captures_replay_with_the_kept_firmware() {
    for (name, path) in files() {
        let capture = Capture::from_bytes(&std::fs::read(&path).unwrap()).unwrap();
        let record = capture.record.as_ref().unwrap();
        let dispatch = match record.dispatch_mode {
            DispatchMode::Host => "host",
            DispatchMode::Device => "device",
        };
        let replayed =
            replay(&path, capture.program.architecture, &["--dispatch", dispatch, "--as-captured"]);
        let said = text(&replayed);
        assert!(replayed.status.success(), "{name}: {said}");
        let counts = [(capture.program.commands.len(), "command"), (record.reads.len(), "read")];
        let counts = counts.map(|(count, what)| match count {
            1 => format!("1 {what}"),
            _ => format!("{count} {what}s"),
        });
        let repeated = format!("{} and {} repeated", counts[0], counts[1]);
        assert!(said.contains(&repeated), "{name}: {said}");
    }
}

/// What the replay of a kept capture shows, it would not show of another one.
#[test]
fn a_kept_capture_that_claims_another_output_does_not_replay() {
    let folder = tempfile::tempdir().unwrap();
    let (_, path) = files().into_iter().find(|(name, _)| name == "runtime_arguments").unwrap();
    let mut capture = Capture::from_bytes(&std::fs::read(path).unwrap()).unwrap();
    let mut words = capture.program.commands.iter_mut().filter_map(|it| match &mut it.command {
        Command::UpdateCommonRuntimeArgs(call) => Some(&mut call.values),
        _ => None,
    });
    words.next().unwrap()[0] ^= 1;
    let changed = folder.path().join("changed.lmb");
    std::fs::write(&changed, capture.to_bytes().unwrap()).unwrap();
    let replayed = replay(&changed, capture.program.architecture, &[]);
    assert_eq!(replayed.status.code(), Some(1), "{}", text(&replayed));
}
