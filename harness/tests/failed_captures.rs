//! Captures of failed runs: a replay that repeats the failure succeeds only on request.
#![expect(clippy::unwrap_used, reason = "a failing helper fails its test")]

mod common;
#[path = "common/linked_files.rs"]
mod linked_files;

use std::path::Path;

use common::{command, repository, text};
use hallmark_chip::L1BankOrder;
use hallmark_schema::model::{Capture, CommandIndex, ExpectedFault, Failure, Outcome};
use linked_files::link_files;

const TEST: &str = "wormhole_b0::group::suite::one";

/// The exit code and all output.
fn hallmark(root: &Path, arguments: &[&str]) -> (i32, String) {
    let output = command(root).args(arguments).output().unwrap();
    (output.status.code().unwrap(), text(&output))
}

/// A root with one case, and the exit code of its capture.
fn captured(case: &str) -> (tempfile::TempDir, i32) {
    let folder = tempfile::tempdir().unwrap();
    let suites = folder.path().join("suites");
    std::fs::create_dir_all(suites.join("group")).unwrap();
    link_files(&repository().join("suites/kernels"), &suites.join("kernels"));
    let kernels = [("fault", "fault_misaligned_load"), ("never", "semaphore_never")];
    let used = kernels.iter().filter(|(name, _)| case.contains(&format!("kernel: {name}")));
    let kernels: String = used
        .map(|(name, file)| format!("kernels:\n  {name}: {{ source: kernels/{file}.cpp }}\n"))
        .collect();
    let suite = format!("about: A suite.\n{kernels}cases:\n  one:\n    about: A case.\n{case}");
    std::fs::write(suites.join("group/suite.yaml"), suite).unwrap();
    let (code, _) = hallmark(folder.path(), &["capture", TEST, "-o", "c.lmb"]);
    (folder, code)
}

fn read(root: &Path) -> Capture {
    Capture::from_bytes(&std::fs::read(root.join("c.lmb")).unwrap()).unwrap()
}

/// The replay ends with the code of a verdict and names the verdict in its last line; with `--as-captured` it
/// succeeds.
fn fails(root: &Path, wanted: i32, label: &str, words: &str) {
    let (code, text) = hallmark(root, &["replay", "c.lmb"]);
    assert_eq!(code, wanted, "{text}");
    assert!(text.contains("every outcome and every read is as captured"), "{text}");
    let last = text.lines().last().unwrap();
    assert!(last.starts_with(&format!("{label} c.lmb: command ")), "{text}");
    assert!(last.contains(words), "{text}");
    assert!(last.ends_with("use --as-captured to accept the captured failure"), "{text}");
    let (code, text) = hallmark(root, &["replay", "c.lmb", "--as-captured"]);
    assert_eq!(code, 0, "{text}");
    let last = text.lines().last().unwrap();
    assert!(last.starts_with(label) && last.ends_with("accepted by --as-captured"), "{text}");
}

fn succeeds(root: &Path) {
    let (code, text) = hallmark(root, &["replay", "c.lmb"]);
    assert_eq!(code, 0, "{text}");
    assert!(!text.contains("as-captured"), "{text}");
}

/// A round trip with an expectation.
fn round_trip(expect: &str) -> String {
    format!(
        "    steps:
      - create_buffer: {{ id: a, type: dram, size: 64, page_size: 64 }}
      - enqueue_write_buffer: {{ buffer: a, data: {{ constant: float32, value: 1 }} }}
      - enqueue_read_buffer: {{ buffer: a, as: out }}
      - finish: {{}}
    expect:
      - {expect}
"
    )
}

/// A program that breaks a rule or waits forever.
fn program(kernel: &str, arguments: &str, finish: &str) -> String {
    format!(
        "    steps:
      - create_buffer: {{ id: a, type: l1, size: 64, page_size: 64 }}
      - enqueue_write_buffer: {{ buffer: a, data: {{ uniform: uint32, seed: 1 }} }}
      - enqueue_read_buffer: {{ buffer: a, as: out, blocking: true }}
      - create_program: {{ id: p }}
      - create_semaphore: {{ id: signal, program: p, cores: [2, 3] }}
      - create_kernel: {{ id: k, program: p, kernel: {kernel}, cores: [2, 3], processor: riscv_0 }}
      - set_runtime_args: {{ kernel: k, args: [{arguments}] }}
      - enqueue_program: {{ program: p }}
      - finish: {{}}
{finish}    expect:
      - equal: [out, a]
"
    )
}

fn fault(finish: &str) -> String {
    program("fault", "{ buffer: a }", finish)
}

const NOT_CONTRACTUAL: &str = "        expect_fault: { category: NonContractualBehavior";

#[test]
fn other_bytes_than_expected_are_a_mismatch() {
    let (folder, code) = captured(&round_trip("equal: [out, { constant: float32, value: 2 }]"));
    assert_eq!(code, 1);
    fails(folder.path(), 1, "FAIL", "command 2, read of `out`: the data have the hash ");
    let (folder, code) = captured(&round_trip("equal: [out, a]"));
    assert_eq!(code, 0);
    succeeds(folder.path());
}

#[test]
fn a_read_is_near_its_reference_or_it_is_a_mismatch() {
    let near = |value: &str, limit: &str| {
        format!(
            "near: [out, {{ constant: float32, value: {value} }}]
        type: float32
        {limit}
        reason: a test"
        )
    };
    // From 1 to 1.25 lie 0x200000 units in the last place, and as many from 1.25 to 1.5.
    for limit in ["absolute: 0.25", "relative: 0.2", "ulp: 0x200000"] {
        let (folder, code) = captured(&round_trip(&near("1.25", limit)));
        assert_eq!(code, 0, "{limit}");
        succeeds(folder.path());
        let (folder, code) = captured(&round_trip(&near("1.5", limit)));
        assert_eq!(code, 1, "{limit}");
        let words = "command 2, read of `out`: 16 elements are not near their reference";
        fails(folder.path(), 1, "FAIL", words);
    }
}

/// The capture of a program that ends before the call that waits for its read.
fn without_its_last_call(root: &Path) {
    let mut capture = read(root);
    assert_eq!(capture.program.commands.pop().unwrap().command.kind().name(), "finish");
    capture.record.as_mut().unwrap().reads.clear();
    capture.outputs.clear();
    std::fs::write(root.join("c.lmb"), capture.to_bytes().unwrap()).unwrap();
}

#[test]
fn a_read_that_nobody_waited_for_is_a_mismatch_and_an_unchecked_one_is_none() {
    let (folder, code) = captured(&round_trip("equal: [out, a]"));
    assert_eq!(code, 0);
    without_its_last_call(folder.path());
    fails(folder.path(), 1, "FAIL", "read of `out`: no call waited for it");
    let (folder, code) = captured(&round_trip("{ unchecked: out, reason: nobody knows }"));
    assert_eq!(code, 0);
    succeeds(folder.path());
    without_its_last_call(folder.path());
    succeeds(folder.path());
}

#[test]
fn a_fault_that_nobody_expected_is_repeated_as_a_failure() {
    let (folder, code) = captured(&fault(""));
    assert_eq!(code, 1);
    let root = folder.path();
    assert_eq!(read(root).record.unwrap().expected_faults, []);
    fails(root, 1, "FAULT", "command 8, finish: NonContractualBehavior in the program");
}

#[test]
fn an_expected_fault_stands_in_the_record_and_its_replay_succeeds() {
    let (folder, code) = captured(&fault(&format!("{NOT_CONTRACTUAL}, core: [2, 3] }}\n")));
    assert_eq!(code, 0);
    let root = folder.path();
    let mut capture = read(root);
    let expected = [ExpectedFault { command: CommandIndex(8) }];
    assert_eq!(capture.record.as_ref().unwrap().expected_faults, expected);
    assert_eq!(capture.version().to_string(), "1.1");
    succeeds(root);
    // Format 1.0 has no field for expected faults: its reader sees an ordinary fault. Nor does it record the
    // order of L1's banks, which is row by row in that format.
    capture.record.as_mut().unwrap().l1_bank_order = L1BankOrder::RowByRow;
    std::fs::write(root.join("c.lmb"), capture.to_bytes_for(0).unwrap()).unwrap();
    fails(root, 1, "FAULT", "NonContractualBehavior");
}

#[test]
fn a_fault_in_another_place_than_expected_is_not_the_expected_one() {
    for place in ["core: [3, 3]", "processor: NCRISC", "symbol: main"] {
        let (folder, code) = captured(&fault(&format!("{NOT_CONTRACTUAL}, {place} }}\n")));
        assert_eq!(code, 1, "{place}");
        assert_eq!(read(folder.path()).record.unwrap().expected_faults, [], "{place}");
        fails(folder.path(), 1, "FAULT", "NonContractualBehavior");
    }
}

#[test]
fn a_deadlock_ends_the_replay_with_its_own_code() {
    let deadlock = |finish| program("never", "{ semaphore: signal }, 1", finish);
    let (folder, code) = captured(&deadlock(""));
    assert_eq!(code, 6);
    fails(folder.path(), 6, "DEADLOCK", "command 8, finish: the program enqueued by command 7");
    let (folder, code) =
        captured(&deadlock("        expect_error: { code: Deadlock, enqueue: p }\n"));
    assert_eq!(code, 0);
    succeeds(folder.path());
}

#[test]
fn a_failure_at_the_end_is_repeated_and_reduced_as_a_call() {
    let deadlock = |expected: &str| {
        let case = program("never", "{ semaphore: signal }, 1", "");
        let case = case.replace("      - finish: {}\n", "");
        case.replace("    expect:\n", &format!("{expected}    expect:\n"))
    };
    let expected = "    expect_at_end:\n      expect_error: { code: Deadlock, enqueue: p }\n";
    let (folder, code) = captured(&deadlock(expected));
    assert_eq!(code, 0);
    assert!(read(folder.path()).at_end().unwrap().expected);
    succeeds(folder.path());
    let (folder, code) = captured(&deadlock(""));
    assert_eq!(code, 6);
    let root = folder.path();
    assert!(!read(root).at_end().unwrap().expected);
    let (code, text) = hallmark(root, &["replay", "c.lmb"]);
    assert_eq!(code, 6, "{text}");
    let last = text.lines().last().unwrap();
    assert!(last.starts_with("DEADLOCK c.lmb: the work at the end, for which no call"), "{text}");
    let bad = ["--bad", "sim:wormhole_b0"];
    let (code, text) = hallmark(root, &[&["reduce", "c.lmb", "-o", "least"], &bad[..]].concat());
    assert_eq!(code, 0, "{text}");
    let least = std::fs::read(root.join("least/reduced.lmb")).unwrap();
    let least = Capture::from_bytes(&least).unwrap();
    let last = least.program.commands.last().unwrap();
    // The record tells the waits, and a call that waits for its own program meets the same deadlock.
    assert_eq!(last.command.kind().name(), "enqueue_program", "{text}");
    assert!(text.contains("deadlock: BRISC waits for semaphore `signal`"), "{text}");
    assert!(matches!(last.outcome, Outcome::Failed(Failure::Deadlock { .. })), "{last:?}");
    // A cut says nothing of its end.
    assert!(least.at_end().is_none_or(|end| end.failure().is_none()));
}

#[test]
fn of_two_failures_the_one_that_decides_the_exit_code_is_named() {
    let deadlock = program("never", "{ semaphore: signal }, 1", "");
    let (folder, code) =
        captured(&deadlock.replace("[out, a]", "[out, { constant: uint32, value: 0 }]"));
    assert_eq!(code, 6);
    fails(folder.path(), 6, "DEADLOCK", "(and 1 more failure)");
}

#[test]
fn a_device_that_is_lost_ends_the_replay_with_its_own_code() {
    let (folder, _) = captured(&round_trip("equal: [out, a]"));
    let device = ["--device", "wormhole_b0=misbehaving:dies:wormhole_b0"];
    let capture = ["capture", TEST, "-o", "c.lmb"];
    let (code, text) = hallmark(folder.path(), &[capture.as_slice(), &device].concat());
    assert_eq!(code, 5, "{text}");
    let replay = ["replay", "c.lmb"];
    let (code, text) = hallmark(folder.path(), &[replay.as_slice(), &device].concat());
    assert_eq!(code, 5, "{text}");
    let last = text.lines().last().unwrap();
    assert!(last.starts_with("CRASH c.lmb: command ") && last.contains("is lost"), "{text}");
    let accepted = [replay.as_slice(), &device, &["--as-captured"]].concat();
    assert_eq!(hallmark(folder.path(), &accepted).0, 0);
}

#[test]
fn a_replay_that_differs_fails_even_as_captured() {
    let (folder, code) = captured(&round_trip("equal: [out, a]"));
    assert_eq!(code, 0);
    let mut capture = read(folder.path());
    capture.record.as_mut().unwrap().reads[0].hash.0[0] ^= 1;
    capture.outputs[0].hash.0[0] ^= 1;
    std::fs::write(folder.path().join("c.lmb"), capture.to_bytes().unwrap()).unwrap();
    let (code, text) = hallmark(folder.path(), &["replay", "c.lmb", "--as-captured"]);
    assert_eq!(code, 1, "{text}");
    assert!(text.contains("UNSTABLE c.lmb"), "{text}");
}
