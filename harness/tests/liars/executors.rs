//! Lying workers: an executable does this one's work and then changes the result.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use hallmark_pipeline::rewritten;
use hallmark_pipeline::verdict::Verdict;
use hallmark_schema::model::{Capture, Command, ContentHash};

use crate::common::{executable, repository};
use crate::verdicts::{TEST, TRUE, hallmark, root, round_trip};

/// An executable that gives this one's versions and runs `work` for a job. In `work`, `$work` is the folder of
/// the job and `worker` does this executable's work.
fn lying(folder: &Path, work: &str) -> String {
    let this = executable();
    let this = this.display();
    let body = format!(
        "#!/bin/sh
[ \"$1\" = __hallmark_versions ] && exec \"{this}\" \"$@\"
work=$(dirname \"$2\")
worker() {{ \"{this}\" \"$@\"; }}
{work}
"
    );
    let path = folder.join("liar");
    std::fs::write(&path, body).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    format!("hallmark:{}", path.display())
}

/// A root with the capture `c.lmb` of a round trip, and an executable that replaces its replay with a changed
/// capture.
fn replaced(lie: impl FnOnce(&mut Capture)) -> (tempfile::TempDir, String) {
    let folder = root(&round_trip("", TRUE));
    let (code, text) = hallmark(folder.path(), &["capture", TEST, "-o", "c.lmb"]);
    assert_eq!(code, 0, "{text}");
    let mut capture =
        Capture::from_bytes(&std::fs::read(folder.path().join("c.lmb")).unwrap()).unwrap();
    lie(&mut capture);
    let path = folder.path().join("lie.lmb");
    std::fs::write(&path, capture.to_bytes().unwrap()).unwrap();
    let work = "worker \"$@\"; code=$?; cp \"LIE\" \"$work/capture.lmb\"; exit $code";
    let executor = lying(folder.path(), &work.replace("LIE", &path.display().to_string()));
    (folder, executor)
}

fn replay_says(lie: impl FnOnce(&mut Capture), words: &str) {
    let (folder, executor) = replaced(lie);
    let device = format!("{executor}@sim:wormhole_b0");
    let (code, text) = hallmark(folder.path(), &["replay", "c.lmb", "--device", &device]);
    assert_eq!(code, 1, "{text}");
    assert!(text.contains("did not repeat what was captured") && text.contains(words), "{text}");
}

#[test]
fn a_replay_leaves_another_program() {
    let renamed = |capture: &mut Capture| {
        let Command::CreateBuffer(call) = &mut capture.program.commands[0].command else {
            panic!()
        };
        call.name = "other".to_owned();
    };
    replay_says(renamed, "other");
}

/// Changes the recorded hash of the single read.
fn other_output(capture: &mut Capture) {
    let hash = ContentHash::of(&2_f32.to_le_bytes().repeat(16));
    capture.outputs[0].hash = hash;
    capture.record.as_mut().unwrap().reads[0].hash = hash;
}

#[test]
fn a_replay_leaves_other_outputs() {
    replay_says(other_output, "`out`");
}

fn run_on(folder: &Path, executor: &str) -> (i32, String) {
    let device = format!("wormhole_b0={executor}@sim:wormhole_b0");
    hallmark(folder, &["run", "--arch", "wormhole_b0", "--replay-device", &device])
}

#[test]
fn a_test_is_not_repeated() {
    let (folder, executor) = replaced(other_output);
    let (code, text) = run_on(folder.path(), &executor);
    assert_eq!(code, 1, "{text}");
    assert!(text.contains(&format!("UNSTABLE {TEST}")), "{text}");
}

/// Only the worker that replays does this.
fn run_with_replay(work: &str, code: i32, words: &str) {
    let folder = root(&round_trip("", TRUE));
    let work = format!("if grep -q '\"Replay\"' \"$2\"; then {work}; else worker \"$@\"; fi");
    let executor = lying(folder.path(), &work);
    let (actual, text) = run_on(folder.path(), &executor);
    assert_eq!(actual, code, "{text}");
    assert!(text.contains(words), "{text}");
}

#[test]
fn a_worker_reports_in_a_contract_that_nobody_speaks() {
    let work = "worker \"$@\"; echo '{\"contract\":99}' > \"$work/report.json\"";
    run_with_replay(work, 9, "contract version 99");
}

#[test]
fn a_worker_dies() {
    run_with_replay("kill -KILL $$", 5, "by signal 9");
}

/// A file with the same meaning and another encoding: a byte between its values differs.
#[test]
fn a_capture_is_written_otherwise() {
    let path = repository().join("schema/released/1.0/captures/fault.lmb");
    let mut capture = Capture::from_bytes(&std::fs::read(path).unwrap()).unwrap();
    capture.blobs.clear();
    let bytes = capture.to_bytes().unwrap();
    let changed = |at: usize| {
        let mut bytes = bytes.clone();
        bytes[at] ^= 1;
        // The trailer ends with the hash of all earlier bytes.
        let end = bytes.len() - 32;
        let hash = ContentHash::of(&bytes[..end]);
        bytes[end..].copy_from_slice(&hash.0);
        bytes
    };
    let means_the_same = |other: &Vec<u8>| Capture::from_bytes(other).is_ok_and(|it| it == capture);
    let otherwise = (0..bytes.len() - 40).map(changed).find(means_the_same).unwrap();
    assert!(rewritten(&capture, &bytes).is_none());
    assert_eq!(rewritten(&capture, &otherwise).unwrap().verdict, Verdict::InternalError);
}
