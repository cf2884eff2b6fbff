//! Defects of the searches themselves. Each defect makes an answer wrong, and a test here knows the right one.

use std::time::Duration;

use hallmark_schema::model::{
    Capture, Command, CommandIndex, CommandKind, ContentHash, Expectation, RecordedCommand,
};
use hallmark_schema_editing::{Edit, Unit, apply, prefix};
use hallmark_triage::log::{self, Inputs, Log};
use hallmark_triage::probe::{ProbeKey, ProbeResult};
use hallmark_triage::reduce::reads_what_was_written;

use crate::common::repository;
use crate::firmware_builds::{Build, builds};
use crate::replays::kept;
use crate::verdicts::{TEST, TRUE, hallmark, root, round_trip};

const FLIPS: &str = "misbehaving:flips_bit:wormhole_b0";

/// A root with the capture `c.lmb` of a round trip, and the signature `s.json` of another device's failure on
/// it.
fn failing() -> tempfile::TempDir {
    let folder = root(&round_trip("", TRUE));
    let (code, text) = hallmark(folder.path(), &["capture", TEST, "-o", "c.lmb"]);
    assert_eq!(code, 0, "{text}");
    let replay = ["replay", "c.lmb", "--signature", "s.json", "--device", FLIPS];
    assert_eq!(hallmark(folder.path(), &replay).0, 1);
    folder
}

#[test]
fn another_failure_is_not_the_one_sought() {
    let folder = failing();
    let reproduce = |bad: &str| {
        hallmark(folder.path(), &["reproduce", "c.lmb", "--signature", "s.json", "--bad", bad])
    };
    let (code, text) = reproduce(FLIPS);
    assert!(code == 0 && text.starts_with("SAME"), "{text}");
    let (code, text) = reproduce("misbehaving:drops_writes:wormhole_b0");
    assert!(code == 12 && text.starts_with("OTHER"), "{text}");
}

/// The recording is wrong, and the good side shows it.
#[test]
fn what_is_recorded_counts_for_nothing_beside_a_good_side() {
    let folder = failing();
    let file = folder.path().join("c.lmb");
    let mut capture = Capture::from_bytes(&std::fs::read(&file).unwrap()).unwrap();
    for RecordedCommand { command, .. } in &mut capture.program.commands {
        if let Command::EnqueueReadBuffer(call) = command {
            call.expectation = Expectation::AsCaptured;
        }
    }
    let wrong = ContentHash::of(b"something else");
    capture.record.as_mut().unwrap().reads[0].hash = wrong;
    capture.outputs[0].hash = wrong;
    std::fs::write(&file, capture.to_bytes().unwrap()).unwrap();
    let bad = "sim:wormhole_b0 schedule_seed=1";
    let sides = ["--good", "sim:wormhole_b0", "--bad", bad];
    let reproduce = ["reproduce", "c.lmb", "--signature", "s.json"];
    let (code, text) = hallmark(folder.path(), &[&reproduce[..], &sides].concat());
    assert!(code == 1 && text.starts_with("PASSED"), "{text}");
}

#[test]
fn a_log_has_a_line_for_each_probe() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.jsonl");
    let inputs = Inputs::default().with("capture", "c.lmb");
    let mut log = Log::<u32>::create(&path, &inputs).unwrap();
    for number in 0..3 {
        let hash = ContentHash::of(&[number]);
        let key = ProbeKey { candidate: hash, executor: hash, seed: 0, run: 0 };
        log.append(number.into(), key, ProbeResult::Passed, Duration::ZERO).unwrap();
    }
    let lines = log::read::<u32, ProbeResult>(&path).unwrap().lines;
    assert_eq!(lines.iter().map(|line| line.about).collect::<Vec<_>>(), [0, 1, 2]);
}

/// Without the buffer, its address is no argument, and a kernel without arguments has no defined behaviour.
#[test]
fn a_launch_goes_with_its_arguments() {
    let capture = kept("data_movement");
    let first = |capture: &Capture, kind| {
        capture.program.commands.iter().position(|made| made.command.kind() == kind)
    };
    assert!(first(&capture, CommandKind::EnqueueProgram).is_some());
    let buffer = first(&capture, CommandKind::CreateBuffer).unwrap();
    let buffer = Unit::Command(CommandIndex(buffer as u32));
    let left = apply(&[Edit::Remove(buffer)], &capture).capture;
    assert_eq!(first(&left, CommandKind::EnqueueProgram), None);
}

#[test]
fn a_prefix_has_all_of_its_commands() {
    let capture = kept("data_movement");
    let count = capture.program.commands.len() as u32;
    let edits = prefix(&capture.program, count - 1).unwrap();
    let cut = apply(&edits, &capture);
    assert!(cut.place_of(CommandIndex(count - 2)).is_some());
    assert!(cut.place_of(CommandIndex(count - 1)).is_none());
}

#[test]
fn a_read_of_what_nobody_wrote_says_nothing() {
    let capture = kept("data_movement");
    assert!(reads_what_was_written(&capture.program));
    let is_write = |made: &RecordedCommand| {
        matches!(made.command, Command::EnqueueWriteBuffer(_) | Command::EnqueueProgram(_))
    };
    let mut unwritten = capture.program;
    unwritten.commands.retain(|made| !is_write(made));
    assert!(!reads_what_was_written(&unwritten));
}

/// The answer of a search for the first bad command.
fn bisected(case: &str, bad: &str) -> (i32, String) {
    let folder = root(case);
    hallmark(folder.path(), &["bisect", TEST, "--bad", bad])
}

/// The second buffer's memory holds the data of the first one; it has had no write since.
#[test]
fn memory_that_nobody_wrote_is_not_compared() {
    let case = "    steps:
      - create_buffer: { id: a, type: dram, size: 64, page_size: 64 }
      - enqueue_write_buffer: { buffer: a, data: { constant: uint32, value: 7 }, blocking: true }
      - deallocate_buffer: { buffer: a }
      - create_buffer: { id: b, type: dram, size: 128, page_size: 128 }
      - enqueue_write_buffer: { buffer: b, region: { offset: 64, size: 64 }, data: { constant: uint32, value: 8 } }
      - enqueue_read_buffer: { buffer: b, region: { offset: 64, size: 64 }, as: out }
      - finish: {}
    expect:
      - equal: [out, { constant: uint32, value: 8 }]
";
    let (code, text) = bisected(case, "misbehaving:reorders_writes:wormhole_b0");
    assert_eq!(code, 12, "{text}");
    assert!(text.contains("hold the same memory"), "{text}");
}

const FORGETS: &str = "misbehaving:forgets_event:wormhole_b0";

/// The read completes when the host waits for its queue, and the other queue writes before that.
#[test]
fn a_read_suffers_from_what_comes_behind_it() {
    let case = "    device: { num_command_queues: 2 }
    steps:
      - create_buffer: { id: a, type: dram, size: 64, page_size: 64 }
      - enqueue_write_buffer: { buffer: a, data: { constant: uint32, value: 1 }, blocking: true }
      - enqueue_read_buffer: { buffer: a, as: out }
      - enqueue_record_event: { id: read }
      - enqueue_wait_for_event: { event: read, queue: 1 }
      - enqueue_write_buffer: { buffer: a, data: { constant: uint32, value: 2 }, queue: 1 }
      - finish: { queue: 1 }
      - finish: {}
    expect:
      - equal: [out, { constant: uint32, value: 1 }]
";
    let (code, text) = bisected(case, FORGETS);
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("is right when command 5 waits for command 2"), "{text}");
}

/// A finish behind the second command orders both queues too, but does not add the missing order.
#[test]
fn a_finish_behind_both_commands_is_no_cure() {
    let case = "    device: { num_command_queues: 2 }
    steps:
      - create_buffer: { id: a, type: dram, size: 64, page_size: 64 }
      - create_buffer: { id: b, type: dram, size: 64, page_size: 64 }
      - enqueue_write_buffer: { buffer: a, data: { constant: uint32, value: 1 } }
      - enqueue_record_event: { id: written }
      - enqueue_wait_for_event: { event: written, queue: 1 }
      - enqueue_write_buffer: { buffer: a, data: { constant: uint32, value: 2 }, queue: 1 }
      - enqueue_write_buffer: { buffer: b, data: { constant: uint32, value: 3 } }
      - enqueue_write_buffer: { buffer: b, data: { constant: uint32, value: 4 } }
      - finish: { queue: 1 }
      - finish: {}
      - enqueue_read_buffer: { buffer: a, as: out, blocking: true }
    expect:
      - equal: [out, { constant: uint32, value: 2 }]
";
    let (code, text) = bisected(case, FORGETS);
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("is right when command 5 waits for command 2"), "{text}");
}

/// The second queue's kernel branches on data that the first queue has not written yet, which is a fault.
#[test]
fn a_fault_that_a_finish_cures_is_a_missing_order() {
    let case = "    device: { num_command_queues: 2 }
    steps:
      - create_buffer: { id: src, type: dram, size: 32, page_size: 32 }
      - create_buffer: { id: dst, type: dram, size: 32, page_size: 32 }
      - create_buffer: { id: scratch, type: l1, size: 32, page_size: 32 }
      - create_program: { id: copy }
      - create_kernel: { id: k, program: copy, kernel: add, cores: [0, 0], processor: riscv_0, noc: noc_0, compile_args: [{ accessor: src }, { accessor: dst }] }
      - set_runtime_args: { kernel: k, args: [{ buffer: src }, { buffer: dst }, { buffer: scratch }, 32, 1, 2] }
      - enqueue_write_buffer: { buffer: src, data: { constant: uint32, value: 1 } }
      - enqueue_record_event: { id: written }
      - enqueue_wait_for_event: { event: written, queue: 1 }
      - enqueue_program: { program: copy, queue: 1 }
      - enqueue_read_buffer: { buffer: dst, as: out, queue: 1 }
      - finish: { queue: 1 }
      - finish: {}
    expect:
      - equal: [out, { constant: uint32, value: 3 }]
";
    let (code, text) = bisected(case, FORGETS);
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("  failure   UnpredictableValueUsed "), "{text}");
    assert!(text.contains("is right when command 9 waits for command 6"), "{text}");
}

/// A kernel copies a page on each core.
const GRID: &str = "wormhole_b0::dataflow::core_ranges::whole_grid::processor=riscv_0";

#[test]
fn a_core_is_guilty_with_itself_alone() {
    let bad = "misbehaving:forgets_core:wormhole_b0:core=3-2";
    let bisect = ["bisect", GRID, "--over", "cores", "--bad", bad];
    let (code, text) = hallmark(&repository(), &bisect);
    assert_eq!(code, 0, "{text}");
    assert!(text.starts_with(&format!("GUILTY {GRID} fails with core (3,2) alone\n")), "{text}");
}

#[test]
fn some_schedule_seeds_fail_and_others_pass() {
    let folder = root(&round_trip("", TRUE));
    let bad = "misbehaving:flips_bit:wormhole_b0:chance=0.5:seed=4";
    let bisect = ["bisect", TEST, "--over", "seeds", "--schedule-seeds", "0..7", "--bad", bad];
    let (code, text) = hallmark(folder.path(), &bisect);
    assert_eq!(code, 0, "{text}");
    assert!(text.starts_with("SEEDS "), "{text}");
}

/// The card is sound, and the firmware is not: the card shows that at the start and after each failed run.
#[test]
fn a_card_that_failed_shows_that_it_is_sound() {
    let folder = builds(&[Build::Sound, Build::Broken("brisc.elf")]);
    let file = folder.path().join("c.lmb").display().to_string();
    let copies = "wormhole_b0::dataflow::loopback::one_core::pages=1::page_size=32::processor=riscv_0::noc=noc_0";
    assert_eq!(hallmark(&repository(), &["capture", copies, "-o", &file]).0, 0);
    let bisect = |firmware: &str| {
        let bad = format!("pci:sim:wormhole_b0 firmware={firmware}");
        let bisect = ["bisect", "c.lmb", "--good", "pci:sim:wormhole_b0", "--bad", &bad];
        hallmark(folder.path(), &bisect)
    };
    let (code, text) = bisect("1.1");
    assert_eq!(code, 12, "{text}");
    assert!(text.contains("  card      pci:sim:wormhole_b0: 1 canary, 0 resets"), "{text}");
    let (code, text) = bisect("1.2");
    assert_eq!(code, 0, "{text}");
    assert!(text.starts_with("FIRST BAD"), "{text}");
    assert!(text.contains("  card      pci:sim:wormhole_b0: 3 canaries, 0 resets"), "{text}");
}
