//! `hallmark replay --read-tolerance`: a recording whose read returned something near what the replay returns.
#![expect(clippy::unwrap_used, reason = "a failing helper fails its test")]

mod common;

use std::path::Path;

use common::{command, repository, text};
use hallmark_schema::model::{Capture, ContentHash};

/// Units in the last place by which an element of a read is off.
const UNITS: u32 = 2;

/// A recording that says its first read returned an element otherwise, in a folder of its own.
fn recording() -> tempfile::TempDir {
    let file = repository().join("suites/recordings/dram_copy.lmb");
    let mut capture = Capture::open(&std::fs::read(file).unwrap().into()).unwrap();
    let hash = capture.record.as_ref().unwrap().reads.first().unwrap().hash;
    let bytes = capture.returned_bytes(hash).unwrap();
    let mut words: Vec<u32> =
        bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect();
    // A number that is finite with either type, and further than that from the next power of two.
    let word =
        words.iter_mut().find(|word| f32::from_bits(**word).is_finite() && **word & 0xFF < 0x40);
    *word.unwrap() += UNITS;
    let bytes: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
    let returned = ContentHash::of(&bytes);
    capture.record.as_mut().unwrap().reads.first_mut().unwrap().hash = returned;
    for output in capture.outputs.iter_mut().filter(|output| output.hash == hash) {
        output.hash = returned;
    }
    capture.blobs.insert(returned, bytes.into());
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("c.lmb"), capture.to_bytes().unwrap()).unwrap();
    folder
}

/// The exit code and all output of a replay.
fn replay(folder: &Path, more: &[&str]) -> (i32, String) {
    let output = command(folder).args(["replay", "c.lmb"]).args(more).output().unwrap();
    (output.status.code().unwrap(), text(&output))
}

fn replay_within(folder: &Path, tolerance: &str) -> (i32, String) {
    replay(folder, &["--read-tolerance", tolerance])
}

const IDENTITY: &str = "every read is as captured";

#[test]
fn a_read_within_the_tolerance_is_told_as_such_and_never_as_the_captured_one() {
    let folder = recording();
    for tolerance in [
        "{ type: float32, ulp: 2 }",
        "{ type: uint32, absolute: 2 }",
        "{ type: bfloat16, ulp: 2, pcc: 0.5 }",
    ] {
        let (code, text) = replay_within(folder.path(), tolerance);
        assert_eq!(code, 0, "{text}");
        assert!(!text.contains(IDENTITY), "{text}");
        assert!(text.contains("1 of 2 reads differs within its tolerance"), "{text}");
        assert!(text.contains("read of `read_0`: other bytes, within tolerance: 1 of "), "{text}");
    }
}

/// The liars: the same read with no tolerance, or with one that it just misses.
#[test]
fn a_read_just_outside_the_tolerance_is_no_repetition() {
    let folder = recording();
    let fails = |tolerance: &[&str], wanted: &[&str]| {
        let (code, text) = replay(folder.path(), tolerance);
        assert_eq!(code, 1, "{text}");
        assert!(!text.contains(IDENTITY) && !text.contains("within"), "{text}");
        for wanted in ["UNSTABLE c.lmb", "read of `read_0`"].iter().chain(wanted) {
            assert!(text.contains(wanted), "{wanted} in {text}");
        }
    };
    let near = "The reference is what the captured run returned for `read_0`; the replay is outside the tolerance.";
    fails(&[], &["The program expects of `read_0` only what was captured."]);
    fails(
        &["--read-tolerance", "{ type: float32, ulp: 1 }"],
        &[
            "2 units in the last place",
            "allowed   1 unit in the last place: --read-tolerance",
            near,
        ],
    );
    fails(
        &["--read-tolerance", "{ type: uint32, absolute: 1.5 }"],
        &["off by 2", "allowed   1.5: --read-tolerance", near],
    );
    fails(
        &["--read-tolerance", "{ type: uint32, pcc: 1 }"],
        &["allowed   a correlation of 1", near],
    );
}

#[test]
fn a_replay_that_must_be_equal_in_every_respect_refuses_a_read_within_the_tolerance() {
    let folder = recording();
    let options = ["--strict-derived", "--read-tolerance", "{ type: float32, ulp: 2 }"];
    let (code, text) = replay(folder.path(), &options);
    assert_eq!(code, 1, "{text}");
    assert!(text.contains("which --strict-derived forbids"), "{text}");
    assert!(text.contains("read of `read_0`: other bytes, within tolerance"), "{text}");
}

#[test]
fn equal_reads_are_told_as_captured_whatever_the_tolerance() {
    let folder = tempfile::tempdir().unwrap();
    let file = repository().join("suites/recordings/dram_copy.lmb");
    std::fs::copy(file, folder.path().join("c.lmb")).unwrap();
    let (code, text) = replay_within(folder.path(), "{ type: float32, ulp: 2 }");
    assert_eq!(code, 0, "{text}");
    assert!(text.contains(IDENTITY) && !text.contains("within tolerance"), "{text}");
}

#[test]
fn a_tolerance_that_means_nothing_is_refused() {
    let folder = recording();
    let refused = |tolerance: &str, wanted: &str| {
        let (code, text) = replay_within(folder.path(), tolerance);
        assert_eq!(code, 2, "{text}");
        assert!(text.contains(wanted), "{text}");
    };
    refused("{ type: bfloat16 }", "this tolerance allows nothing");
    refused("{ type: bfloat17, ulp: 1 }", "did you mean `bfloat16`?");
    refused("ulp 2", "a tolerance must be a map");
    refused("{ read: read_9, type: bfloat16, ulp: 2 }", "no read `read_9` takes a tolerance; did");
}

/// What repeats results for others has no such option.
#[test]
fn no_other_command_takes_a_tolerance() {
    for other in [&["run"][..], &["certify"], &["package", "verify"], &["compare"]] {
        let mut command = command(&repository());
        let output = command.args(other).args(["--read-tolerance", "{ type: float32, ulp: 2 }"]);
        let output = output.output().unwrap();
        let text = text(&output);
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(text.contains("unexpected argument '--read-tolerance'"), "{text}");
    }
}
