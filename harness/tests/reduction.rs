//! `hallmark reduce` and `hallmark reproduce`: the failure of one capture among many others, and exit codes.
#![expect(clippy::unwrap_used, reason = "a failing helper fails its test")]

mod common;
#[path = "reduction/needles.rs"]
mod needles;
#[path = "reduction/table.rs"]
mod table;

use std::path::Path;

use hallmark_schema::model::{Capture, Command, CommandKind};
use hallmark_schema_editing::{Edit, apply};
use needles::{capture, hallmark, haystack, path, write};

/// Nothing of these lies in DRAM.
const FOREIGN: [&str; 3] = [
    "wormhole_b0::dataflow::loopback::types::from=l1::to=l1",
    "wormhole_b0::buffers::sharded::height_sharded_write_read",
    "wormhole_b0::buffers::sharded::width_sharded_write_read",
];

/// A device whose reads of DRAM are wrong, and that is right otherwise.
const FLIPS: &str = "misbehaving:flips_bit:wormhole_b0";
/// A program with two kernels and a circular buffer, from DRAM to DRAM.
const PIPELINE: &str = "wormhole_b0::circular_buffers::pipeline::two_stages::pages=8::depth=2";
/// A kernel that waits for a page that never comes.
const DEADLOCK: &str = "wormhole_b0::faults::deadlock::consumer_wants_one_more";
/// A kernel that stores to an address that is none of its own.
const FAULT: &str = "wormhole_b0::faults::faults::misaligned_noc_read";

fn reduced(folder: &str) -> Capture {
    Capture::from_bytes(&std::fs::read(Path::new(folder).join("reduced.lmb")).unwrap()).unwrap()
}

fn kinds(capture: &Capture) -> Vec<CommandKind> {
    capture.program.commands.iter().map(|recorded| recorded.command.kind()).collect()
}

/// Reduces a haystack, and checks that the result is that of the needle alone and fails in the same way.
fn found(folder: &Path, needle: &Capture, commands: usize, sides: &[&str], around: bool) -> String {
    let alone = write(folder, "needle.lmb", needle);
    let (one, other) = (path(folder, "alone"), path(folder, "found"));
    let reduce = |file: &str, output: &str| {
        let mut arguments = vec!["reduce", file, "-o", output, "--until", "600"];
        arguments.extend(sides);
        let (code, said) = hallmark(&arguments);
        assert_eq!(code, 0, "{said}");
        said
    };
    reduce(&alone, &one);
    let pool: Vec<Capture> = FOREIGN.iter().map(|test| capture(folder, test)).collect();
    let haystack = haystack(folder, needle, &pool, commands, around);
    let said = reduce(&haystack, &other);
    assert_eq!(kinds(&reduced(&other)), kinds(&reduced(&one)), "{said}");

    let file = path(Path::new(&other), "reduced.lmb");
    let signature = path(Path::new(&other), "signature.json");
    let mut arguments = vec!["reproduce", &file, "--signature", &signature];
    arguments.extend(sides);
    let (code, said) = hallmark(&arguments);
    assert_eq!(code, 0, "{said}");
    other
}

#[test]
fn a_difference_in_foreign_commands_reduces_to_what_it_is_alone() {
    let folder = tempfile::tempdir().unwrap();
    let needle = capture(folder.path(), PIPELINE);
    let output = found(folder.path(), &needle, 100, &["--bad", FLIPS], true);
    let reduced = reduced(&output);
    // One page of one pipeline is left.
    assert_eq!(reduced.program.commands.len(), 11);
    let sizes = reduced.program.commands.iter().filter_map(|recorded| match &recorded.command {
        Command::CreateBuffer(call) => Some(call.size / call.page_size),
        _ => None,
    });
    assert_eq!(sizes.collect::<Vec<_>>(), [1, 1]);

    // What is kept was recorded on the good side: it says what is right.
    let file = path(Path::new(&output), "reduced.lmb");
    assert_eq!(hallmark(&["replay", &file]).0, 0);
    assert_eq!(hallmark(&["replay", &file, "--device", FLIPS]).0, 1);

    // The suite stands alone, and captures to the same program.
    let suite = path(Path::new(&output), "suite");
    let again = path(folder.path(), "again.lmb");
    let test = "wormhole_b0::dump::capture::captured";
    let (code, said) = hallmark(&["capture", "--root", &suite, test, "-o", &again]);
    assert_eq!(code, 0, "{said}");
    let again = Capture::from_bytes(&std::fs::read(&again).unwrap()).unwrap();
    let again = apply(&[Edit::ExpectAsCaptured], &again).capture;
    assert_eq!(again.program, reduced.program, "a suite expects the bytes that were read");
    for file in ["README.md", "signature.json", "log.jsonl", "edits.json"] {
        assert!(Path::new(&output).join(file).is_file(), "{file}");
    }
}

#[test]
fn a_fault_and_a_deadlock_reduce_without_another_side() {
    for test in [FAULT, DEADLOCK] {
        let folder = tempfile::tempdir().unwrap();
        let mut needle = capture(folder.path(), test);
        // The suite expects it; here nobody does.
        needle.record.as_mut().unwrap().expected_faults.clear();
        let sides = ["--bad", "sim:wormhole_b0", "--good", "recorded"];
        let output = found(folder.path(), &needle, 30, &sides, false);
        let kinds = kinds(&reduced(&output));
        assert_eq!(kinds.iter().filter(|kind| **kind == CommandKind::EnqueueProgram).count(), 1);
    }
}

#[test]
fn exit_codes_are_those_of_the_loop_that_asks() {
    let folder = tempfile::tempdir().unwrap();
    let file = write(folder.path(), "capture.lmb", &capture(folder.path(), PIPELINE));
    let signature = path(folder.path(), "signature.json");
    let (code, said) = hallmark(&["replay", &file, "--device", FLIPS, "--signature", &signature]);
    assert_eq!(code, 1, "{said}");
    let drops = "misbehaving:drops_writes:wormhole_b0";
    for (bad, plain, git, reducer, word) in [
        (FLIPS, 0, 1, 0, "SAME"),
        ("misbehaving:reorders_writes:wormhole_b0", 1, 0, 1, "PASSED"),
        (drops, 12, 125, 1, "OTHER"),
        ("misbehaving:absent:wormhole_b0", 12, 125, 1, "INCONCLUSIVE"),
    ] {
        let ask = |last: &[&str]| {
            let mut arguments = vec!["reproduce", &file, "--signature", &signature, "--bad", bad];
            arguments.extend(last);
            let (code, said) = hallmark(&arguments);
            assert!(said.starts_with(word), "{bad}: {said}");
            code
        };
        assert_eq!(ask(&[]), plain, "{bad}");
        assert_eq!(ask(&["--as", "git"]), git, "{bad}");
        assert_eq!(ask(&["--as", "reducer"]), reducer, "{bad}");
    }
    // What no commit can mend stops a bisection.
    for (arguments, git) in [(["--signature", "absent.json"], 128), (["--signature", &file], 128)] {
        let mut all = vec!["reproduce", &file, "--bad", FLIPS, "--as", "git"];
        all.extend(arguments);
        assert_eq!(hallmark(&all).0, git);
    }
}

#[test]
fn what_cannot_be_reduced_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let file = write(folder.path(), "capture.lmb", &capture(folder.path(), PIPELINE));
    let output = path(folder.path(), "out");
    let reduce = |arguments: &[&str]| {
        let mut all = vec!["reduce", &file, "-o", &output];
        all.extend(arguments);
        hallmark(&all)
    };
    let (code, said) = reduce(&["--bad", "misbehaving:reorders_writes:wormhole_b0"]);
    assert_eq!(code, 12, "{said}");
    assert!(said.contains("the bad side does what the good side does"), "{said}");
    let (code, said) = reduce(&["--bad", FLIPS, "--good", "recorded"]);
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("name one with --good"), "{said}");
    let (code, said) = reduce(&["--bad", FLIPS, "--good", FLIPS]);
    assert_eq!(code, 2, "{said}");
    assert!(!Path::new(&output).exists(), "nothing is left of what was not begun");
}

#[test]
fn the_signature_of_a_replay_is_that_of_a_reduction() {
    let folder = tempfile::tempdir().unwrap();
    let file = write(folder.path(), "capture.lmb", &capture(folder.path(), PIPELINE));
    let (signature, output) = (path(folder.path(), "one.json"), path(folder.path(), "out"));
    let (code, said) = hallmark(&["replay", &file, "--device", FLIPS, "--signature", &signature]);
    assert_eq!(code, 1, "{said}");
    let reduce = ["reduce", &file, "--bad", FLIPS, "--signature", &signature, "-o", &output];
    let (code, said) = hallmark(&reduce);
    assert_eq!(code, 0, "{said}");
}

#[test]
fn a_capture_to_share_says_nothing_and_fails_in_the_same_way() {
    let folder = tempfile::tempdir().unwrap();
    let file = write(folder.path(), "capture.lmb", &capture(folder.path(), PIPELINE));
    let output = path(folder.path(), "out");
    let (code, said) = hallmark(&["reduce", &file, "--bad", FLIPS, "-o", &output, "--share"]);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("`buffer_1` differs: flipped bits"), "{said}");
    let bytes = std::fs::read(Path::new(&output).join("reduced.lmb")).unwrap();
    let holds = |text: &str| bytes.windows(text.len()).any(|window| window == text.as_bytes());
    let before = std::fs::read(&file).unwrap();
    // The symbols of ELFs stay.
    for text in ["kernels/reader.cpp", "cb_wait_front(", "stage"] {
        let was_there = before.windows(text.len()).any(|window| window == text.as_bytes());
        assert!(was_there && !holds(text), "{text}");
    }
    let signature = path(Path::new(&output), "signature.json");
    let shared = path(Path::new(&output), "reduced.lmb");
    let (code, said) = hallmark(&["reproduce", &shared, "--signature", &signature, "--bad", FLIPS]);
    assert_eq!(code, 0, "{said}");
}

#[test]
fn a_reduction_that_was_stopped_goes_on_to_the_same_end() {
    let folder = tempfile::tempdir().unwrap();
    let file = write(folder.path(), "capture.lmb", &capture(folder.path(), PIPELINE));
    let output = path(folder.path(), "out");
    let reduce = |arguments: &[&str]| {
        let mut all = vec!["reduce", &file, "--bad", FLIPS, "--jobs", "1"];
        all.extend(arguments);
        hallmark(&all)
    };
    let (code, said) = reduce(&["-o", &output]);
    assert_eq!(code, 0, "{said}");
    let log = Path::new(&output).join("log.jsonl");
    let whole = std::fs::read_to_string(&log).unwrap();
    let read = |name: &str| std::fs::read(Path::new(&output).join(name)).unwrap();
    let (edits, reduced) = (read("edits.json"), read("reduced.lmb"));
    // Half of its lines, and a torn one.
    let lines: Vec<&str> = whole.lines().collect();
    let half = lines.split_at(lines.len() / 2).0.join("\n") + "\n{\"n\":";
    std::fs::write(&log, half).unwrap();
    std::fs::remove_file(Path::new(&output).join("reduced.lmb")).unwrap();
    let (code, said) = reduce(&["--resume", &output]);
    assert_eq!(code, 0, "{said}");
    assert!(read("edits.json") == edits && read("reduced.lmb") == reduced);
    assert_eq!(std::fs::read_to_string(&log).unwrap().lines().count(), lines.len());

    let (code, said) = reduce(&["--resume", &output, "--no-values"]);
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("change of values"), "{said}");
    let (code, said) = reduce(&["-o", &output]);
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("is already there"), "{said}");
    let (code, said) = reduce(&["--resume", folder.path().to_str().unwrap()]);
    assert_eq!(code, 2, "{said}");
}
