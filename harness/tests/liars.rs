//! Judges with liars: each check of replays and verdicts has a test whose capture, suite or golden lies in that
//! respect, and which fails while the check is switched off.
//!
//! `cargo nextest run -p hallmark --features sabotage --test liars` switches them off, one by one.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a failing helper fails its test"
)]

mod common;
#[path = "liars/replays.rs"]
mod replays;
#[path = "liars/verdicts.rs"]
mod verdicts;

use std::collections::BTreeSet;
use std::process::Command;

use hallmark::checks::VERDICT_CHECKS;
use hallmark_chip::sabotage::PlantedDefect;
use hallmark_runtime::REPLAY_CHECKS;

/// A check, and the test that fails while the check is switched off.
const LIARS: &[(&str, &str)] = &[
    ("ReplayedOutcome", "replays::a_call_ends_otherwise"),
    ("ReplayedRead", "replays::a_read_returns_other_bytes"),
    ("ReplayedReadMissing", "replays::a_read_never_completes"),
    ("ReplayedReadAdded", "replays::a_read_completes_that_did_not"),
    ("ReplayedReadNear", "replays::a_read_is_near_its_reference_or_not"),
    ("ReplayedProgram", "replays::the_program_part_is_another"),
    ("ReplayedAddress", "replays::an_object_lies_elsewhere"),
    ("ReplayedElf", "replays::a_kernel_runs_as_another_elf"),
    ("ReplayedTrace", "replays::a_collected_trace_has_other_bytes"),
    ("ReplayedFaultPlace", "replays::a_fault_happens_elsewhere"),
    ("ReplayedWaits", "replays::other_cores_wait"),
    ("LaunchAbi", "replays::kernels_of_another_launch_abi_are_refused"),
    ("BlobsPresent", "replays::what_is_not_embedded_is_missed"),
    ("MemoryBudget", "replays::memory_has_a_budget"),
    ("CallSucceeded", "verdicts::a_call_succeeds_that_should_fail"),
    ("CallFailed", "verdicts::a_call_fails_that_should_succeed"),
    ("FaultCore", "verdicts::a_fault_is_on_another_core"),
    ("FaultProcessor", "verdicts::a_fault_is_on_another_processor"),
    ("FaultFunction", "verdicts::a_fault_is_in_another_function"),
    ("OutputBytes", "verdicts::a_read_returns_other_bytes"),
    ("OutputHash", "verdicts::a_read_returns_bytes_of_another_hash"),
    ("OutputNear", "verdicts::a_read_is_not_near"),
    ("GoldenPresent", "verdicts::a_golden_is_absent"),
    ("GoldenReadable", "verdicts::a_golden_is_damaged"),
    ("GoldenProgram", "verdicts::a_golden_has_another_program"),
    ("GoldenDigest", "verdicts::a_golden_has_another_digest"),
    ("OutputChanged", "verdicts::a_golden_has_another_output"),
    ("OutputGone", "verdicts::a_golden_has_an_output_more"),
    ("OutputNew", "verdicts::a_golden_has_an_output_less"),
    ("StrictDerived", "verdicts::an_address_is_another_and_that_counts"),
    ("GoldenUsed", "verdicts::a_golden_belongs_to_no_test"),
    ("UnexpectedPass", "verdicts::a_test_passes_that_should_fail"),
    ("RepeatedFault", "verdicts::a_replay_repeats_a_fault"),
    ("RepeatedBytes", "verdicts::a_replay_repeats_other_bytes"),
    ("RepeatedNear", "verdicts::a_replay_repeats_what_is_not_near"),
    ("RepeatedUnread", "verdicts::a_replay_repeats_a_read_without_an_end"),
];

fn checks() -> Vec<PlantedDefect> {
    [REPLAY_CHECKS, VERDICT_CHECKS].concat()
}

/// Runs one test of this file in a process of its own, perhaps with a check switched off.
fn this_file(arguments: &[&str], check: Option<&str>) -> std::process::Output {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(arguments).env_remove(hallmark_chip::sabotage::VARIABLE);
    if let Some(check) = check {
        command.env(hallmark_chip::sabotage::VARIABLE, check);
    }
    command.output().unwrap()
}

#[test]
fn every_check_has_a_liar_and_every_liar_is_a_test() {
    let checks: Vec<&str> = checks().iter().map(|check| check.name).collect();
    let listed: Vec<&str> = LIARS.iter().map(|(check, _)| *check).collect();
    let defects = hallmark_runtime::DEFECTS.concat();
    for name in &checks {
        assert!(defects.iter().all(|defect| defect.name != *name), "{name} is a defect too");
    }
    let distinct = |names: &[&'static str]| -> BTreeSet<&'static str> {
        let set: BTreeSet<&str> = names.iter().copied().collect();
        assert_eq!(set.len(), names.len(), "a name stands twice in {names:?}");
        set
    };
    assert_eq!(distinct(&checks), distinct(&listed));
    let list = this_file(&["--list"], None);
    let list = String::from_utf8(list.stdout).unwrap();
    for (_, liar) in LIARS {
        assert!(list.lines().any(|line| line == format!("{liar}: test")), "there is no {liar}");
    }
}

#[test]
#[cfg(feature = "sabotage")]
fn a_test_fails_while_its_check_is_switched_off() {
    let mut idle = Vec::new();
    for (check, liar) in LIARS {
        let run = this_file(&["--exact", liar], Some(check));
        let text = String::from_utf8_lossy(&run.stdout).into_owned();
        assert!(text.contains("running 1 test"), "{liar}: {text}");
        let ending = if run.status.success() { "PASSES" } else { "fails" };
        println!("{check:<22} {ending}  {liar}");
        if run.status.success() {
            idle.push(*check);
        }
    }
    assert_eq!(idle, Vec::<&str>::new(), "their tests pass without them");
}
