//! A replay shares nothing with the capturing process but the file.

use std::path::Path;

use hallmark_execution::worker::process::Ending;
use hallmark_pipeline::execute;
use hallmark_schema::model::{Capture, Failure, Outcome, RecordedCommand};
use hallmark_suite::discover::Root;
use hallmark_suite::name::TestName;

use crate::common::{capture_of, code, executable, hallmark_alone, repository, text};
use crate::corrupt_captures::LOOPBACK;
use crate::killed_workers::settings;

#[test]
fn a_capture_and_the_command_are_all_that_a_replay_needs() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::create_dir(at("empty")).unwrap();
    std::fs::copy(executable(), at("hallmark")).unwrap();
    std::fs::write(at("capture.lmb"), capture_of(LOOPBACK.test)).unwrap();
    assert!(Root::above(&at("empty")).is_err(), "no suites are above the folder");
    let replay = || hallmark_alone(folder.path(), &["replay", "../capture.lmb"]);
    let output = replay();
    assert_eq!(code(&output), Some(0), "{}", text(&output));
    assert!(text(&output).contains("every outcome and every read is as captured"));
    assert_eq!(std::fs::read_dir(at("empty")).unwrap().count(), 0, "nothing is left behind");

    // It is the file that is replayed: a capture that says otherwise does not agree.
    let mut other = Capture::from_bytes(&capture_of(LOOPBACK.test)).unwrap();
    let record = other.record.as_mut().unwrap();
    record.reads[0].hash.0[0] ^= 1;
    other.outputs = other.outputs_of_reads();
    match other.to_bytes() {
        Ok(bytes) => {
            std::fs::write(at("capture.lmb"), bytes).unwrap();
            assert_eq!(code(&replay()), Some(1), "{}", text(&replay()));
        }
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn a_capture_without_its_blobs_says_what_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::create_dir(at("empty")).unwrap();
    std::fs::copy(executable(), at("hallmark")).unwrap();
    let whole = Capture::from_bytes(&capture_of(LOOPBACK.test)).unwrap();
    let sources: Vec<_> = whole.program.sources.iter().map(|source| source.hash).collect();
    let elfs: Vec<_> = whole.record.iter().flat_map(|record| &record.elfs).collect();
    let elfs: Vec<_> = elfs.iter().map(|elf| elf.hash).collect();
    for (hashes, what) in [(sources, "source "), (elfs, "the ELF of kernel 0")] {
        let mut bare = whole.clone();
        for hash in hashes {
            bare.blobs.remove(&hash).unwrap();
        }
        std::fs::write(at("capture.lmb"), bare.to_bytes().unwrap()).unwrap();
        let output = hallmark_alone(folder.path(), &["replay", "../capture.lmb"]);
        let all = text(&output);
        assert_eq!(code(&output), Some(4), "{all}");
        assert!(all.contains(what) && all.contains("does not embed"), "{all}");
    }
}

fn copy(from: &Path, to: &Path) {
    for entry in walkdir::WalkDir::new(from) {
        let entry = entry.unwrap();
        let target = to.join(entry.path().strip_prefix(from).unwrap());
        if entry.file_type().is_dir() {
            std::fs::create_dir_all(target).unwrap();
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

#[test]
fn suites_may_be_gone_when_another_process_replays() {
    let folder = tempfile::tempdir().unwrap();
    let suites = folder.path().join("suites");
    copy(&repository().suites(), &suites);
    let settings = settings(Root::at(folder.path()).unwrap());
    let name: TestName = LOOPBACK.test.parse().unwrap();
    let bound = settings.root.test(&name).unwrap().bind().unwrap();
    let on = settings.workers.test_executors(name.architecture);
    let captured = execute::capture(&settings, &on, &bound).unwrap();
    assert!(matches!(captured.ended.ending, Ending::Reported(_)), "{:?}", captured.ended);
    std::fs::remove_dir_all(folder.path().join("suites")).unwrap();
    let without = execute::capture(&settings, &on, &bound).unwrap();
    let failed = |recorded: &RecordedCommand| {
        recorded.outcome == Outcome::Failed(Failure::KernelSourceNotFound {})
    };
    assert!(without.capture.unwrap().program.commands.iter().any(failed), "kernels are gone");

    let replayed = execute::replay(&settings, &on, &name, &bound, &captured).unwrap();
    let Ending::Reported(report) = &replayed.ended.ending else {
        panic!("{:?}", replayed.ended);
    };
    assert!(report.problem.is_none() && report.differences.is_empty(), "{report:?}");
    let (before, after) = (captured.capture.unwrap(), replayed.capture.unwrap());
    assert_eq!(before.program, after.program);
    assert_eq!(before.outputs, after.outputs);
    assert!(!before.outputs.is_empty());
    let processes = [std::process::id(), captured.ended.process, replayed.ended.process];
    assert!(
        processes[0] != processes[1]
            && processes[1] != processes[2]
            && processes[0] != processes[2],
        "{processes:?}"
    );
}
