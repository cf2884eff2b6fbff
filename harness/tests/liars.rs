//! Judges with liars: each check of replays and verdicts has a test whose capture, suite or golden violates it,
//! and each refusal of the host API has a test that provokes it. The test fails while the check is switched
//! off.
//!
//! `cargo nextest run -p hallmark --features sabotage --test liars` switches off the checks one by one;
//! `--no-capture` shows their number.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a failing helper fails its test"
)]

mod common;
#[path = "liars/devices.rs"]
mod devices;
#[path = "liars/executors.rs"]
mod executors;
#[path = "common/firmware_builds.rs"]
#[expect(dead_code, reason = "other tests take more kinds of builds")]
mod firmware_builds;
#[path = "common/linked_files.rs"]
mod linked_files;
#[path = "liars/portability.rs"]
mod portability;
#[path = "liars/refusals.rs"]
mod refusals;
#[path = "liars/replays.rs"]
mod replays;
#[path = "liars/searches.rs"]
mod searches;
#[path = "liars/table_of_refusals.rs"]
mod table_of_refusals;
#[path = "liars/verdicts.rs"]
mod verdicts;

use hallmark_chip::HarvestingError;
use hallmark_chip::sabotage::liars::{Liar, liar, unmatched};
use hallmark_pipeline::verdict::FAILURES;
use hallmark_runtime::{REPLAY_CHECKS, Reason, ReplayError, refusals_of};
use hallmark_schema::model::{CommandKind, FailureCode};
use hallmark_suite::checks::VERDICT_CHECKS;
use table_of_refusals::{BY_SUITE, BY_TEST};

/// Checks of replays and verdicts, and defects of searches, each with the test that fails while the check is
/// off.
const LIARS: &[Liar] = &[
    liar("ReplayedOutcome", "replays::a_call_ends_otherwise"),
    liar("NewerFinding", "replays::a_newer_check_finds_something"),
    liar("ReplayedEnd", "replays::the_queues_end_otherwise"),
    liar("ReplayedRead", "replays::a_read_returns_other_bytes"),
    liar("ReplayedReadMissing", "replays::a_read_never_completes"),
    liar("ReplayedReadAdded", "replays::a_read_completes_that_did_not"),
    liar("ReplayedReadNear", "replays::a_read_is_near_its_reference_or_not"),
    liar("ReplayedProgram", "replays::the_program_part_is_another"),
    liar("ReplayedAddress", "replays::an_object_lies_elsewhere"),
    liar("ReplayedElf", "replays::a_kernel_runs_as_another_elf"),
    liar("ReplayedTrace", "replays::a_collected_trace_has_other_bytes"),
    liar("ReplayedFaultPlace", "replays::a_fault_happens_elsewhere"),
    liar("ReplayedWaits", "replays::other_cores_wait"),
    liar("LaunchAbi", "replays::kernels_of_another_launch_abi_are_refused"),
    liar("BlobsPresent", "replays::what_is_not_embedded_is_missed"),
    liar("MemoryBudget", "replays::memory_has_a_budget"),
    liar("ReplayError::Data", "replays::data_are_others_than_the_capture_says"),
    liar("ReplayError::CollectedTrace", "replays::a_collected_trace_is_damaged"),
    liar("ReplayError::Invalid", "replays::a_call_breaks_a_rule"),
    liar("ReplayError::Binary", "replays::the_inputs_of_a_binary_are_free"),
    liar("DataError::Hash", "replays::data_are_others_than_the_capture_says"),
    liar("DataError::Length", "replays::data_are_others_than_the_capture_says"),
    liar("HarvestingError::OutOfRange", "devices::a_mask_has_a_bit_for_each_row_or_column"),
    liar("HarvestingError::TooFewLeft", "devices::a_mask_leaves_two_rows_or_columns"),
    liar("CallSucceeded", "verdicts::a_call_succeeds_that_should_fail"),
    liar("CallFailed", "verdicts::a_call_fails_that_should_succeed"),
    liar("FailureFields", "verdicts::a_call_fails_with_other_fields"),
    liar("FaultCategory", "verdicts::a_fault_is_of_another_category"),
    liar("FaultProgram", "verdicts::a_fault_is_in_another_program"),
    liar("FaultCore", "verdicts::a_fault_is_on_another_core"),
    liar("FaultProcessor", "verdicts::a_fault_is_on_another_processor"),
    liar("FaultFunction", "verdicts::a_fault_is_in_another_function"),
    liar("EndSucceeded", "verdicts::the_queues_end_well_that_should_fail"),
    liar("EndFailed", "verdicts::the_queues_fail_at_the_end"),
    liar("OutputBytes", "verdicts::a_read_returns_other_bytes"),
    liar("OutputHash", "verdicts::a_read_returns_bytes_of_another_hash"),
    liar("OutputNear", "verdicts::a_read_is_not_near"),
    liar("Rewritten", "executors::a_capture_is_written_otherwise"),
    liar("AgainProgram", "executors::a_replay_leaves_another_program"),
    liar("AgainOutputs", "executors::a_replay_leaves_other_outputs"),
    liar("GoldenPresent", "verdicts::a_golden_is_absent"),
    liar("GoldenReadable", "verdicts::a_golden_is_damaged"),
    liar("GoldenProgram", "verdicts::a_golden_has_another_program"),
    liar("GoldenDigest", "verdicts::a_golden_has_another_digest"),
    liar("OutputChanged", "verdicts::a_golden_has_another_output"),
    liar("OutputGone", "verdicts::a_golden_has_an_output_more"),
    liar("OutputNew", "verdicts::a_golden_has_an_output_less"),
    liar("StrictDerived", "verdicts::an_address_is_another_and_that_counts"),
    liar("GoldenUsed", "verdicts::a_golden_belongs_to_no_test"),
    liar("UnexpectedPass", "verdicts::a_test_passes_that_should_fail"),
    liar("ExcusedCategory", "verdicts::a_test_fails_otherwise_than_it_should"),
    liar("ExcusedCheck", "verdicts::an_excuse_is_of_one_check"),
    liar("BaselineSignature", "verdicts::a_test_fails_otherwise_than_its_baseline_knows"),
    liar("BaselinePass", "verdicts::a_test_passes_whose_failure_a_baseline_knows"),
    liar("ExcuseUsed", "verdicts::an_excuse_excuses_nothing"),
    liar("RepeatedFault", "verdicts::a_replay_repeats_a_fault"),
    liar("RepeatedEnd", "verdicts::a_replay_repeats_a_failure_at_the_end"),
    liar("RepeatedBytes", "verdicts::a_replay_repeats_other_bytes"),
    liar("RepeatedNear", "verdicts::a_replay_repeats_what_is_not_near"),
    liar("RepeatedUnread", "verdicts::a_replay_repeats_a_read_without_an_end"),
    liar("verdict::Mismatch", "verdicts::a_read_returns_other_bytes"),
    liar("verdict::Refused", "verdicts::a_call_fails_that_should_succeed"),
    liar("verdict::NotBuilt", "verdicts::a_kernel_does_not_compile"),
    liar("verdict::Unstable", "executors::a_test_is_not_repeated"),
    liar("verdict::Changed", "verdicts::a_golden_has_another_program"),
    liar("verdict::Fault", "verdicts::a_fault_that_nobody_expects"),
    liar("verdict::Deadlock", "verdicts::a_deadlock_that_nobody_expects"),
    liar("verdict::Hang", "verdicts::a_hang_that_nobody_expects"),
    liar("verdict::Crash", "executors::a_worker_dies"),
    liar("verdict::Missing", "verdicts::a_golden_is_absent"),
    liar("verdict::Unsupported", "verdicts::a_device_that_lacks_what_the_test_needs"),
    liar("verdict::InternalError", "executors::a_worker_reports_in_a_contract_that_nobody_speaks"),
    liar("reason::call", "portability::a_call_ends_otherwise"),
    liar("reason::kernel_missing", "portability::there_are_no_kernels"),
    liar("reason::placement_bound", "portability::addresses_are_stated"),
    liar("reason::stated_page_stride", "portability::a_distance_of_pages_is_stated"),
    liar("reason::not_detected", "portability::a_deadlock_would_go_unnoticed"),
    liar("reason::rule_of_architecture", "portability::a_rule_is_of_one_architecture"),
    liar("reason::trace_region", "portability::a_trace_region_does_not_fit"),
    liar("reason::l1_region", "portability::a_region_of_l1_does_not_fit"),
    liar("SignatureIgnored", "searches::another_failure_is_not_the_one_sought"),
    liar("GoodSideNotAsked", "searches::what_is_recorded_counts_for_nothing_beside_a_good_side"),
    liar("LogLosesAProbe", "searches::a_log_has_a_line_for_each_probe"),
    liar("UnwrittenMemoryCompared", "searches::memory_that_nobody_wrote_is_not_compared"),
    liar("ReadsCompleteAtOnce", "searches::a_read_suffers_from_what_comes_behind_it"),
    liar("FirstQueueFinishedFirst", "searches::a_finish_behind_both_commands_is_no_cure"),
    liar("FaultsSufferFromNobody", "searches::a_fault_that_a_finish_cures_is_a_missing_order"),
    liar("CoresTakeOtherParts", "searches::a_core_is_guilty_with_itself_alone"),
    liar("BuffersOfCoresNotCleared", "searches::a_core_is_guilty_with_itself_alone"),
    liar("SeedNotChanged", "searches::some_schedule_seeds_fail_and_others_pass"),
    liar("CardsAlwaysTrusted", "searches::a_card_that_failed_shows_that_it_is_sound"),
    liar("UnwrittenBytesRead", "searches::a_read_of_what_nobody_wrote_says_nothing"),
    liar("ClosureForgetsArguments", "searches::a_launch_goes_with_its_arguments"),
    liar("PrefixOneShort", "searches::a_prefix_has_all_of_its_commands"),
];

/// Every check: of replays, of verdicts, of searches, the verdicts themselves, the reasons against a replay
/// elsewhere, the refusals of each call, and the endings of a device.
fn checks() -> Vec<String> {
    let searches = [hallmark_triage::DEFECTS, hallmark_schema_editing::DEFECTS].concat();
    let judges = [REPLAY_CHECKS, VERDICT_CHECKS, &searches].concat().into_iter();
    let judges = judges.map(|check| check.name.to_owned());
    let verdicts = FAILURES.iter().map(|verdict| format!("verdict::{verdict}"));
    let reasons = Reason::KINDS.map(|kind| format!("reason::{kind}"));
    let refusals = CommandKind::ALL.iter().flat_map(|call| {
        let codes = refusals_of(*call).iter();
        codes.map(|code| format!("{}::{}", call.name(), code.name()))
    });
    let ends = FailureCode::ALL.iter().filter(|code| code.ends_the_run());
    // `DataError::TooLong` concerns references, which have their own table in `schema/src/tests/liars.rs`.
    let errors = [ReplayError::CHECKS, HarvestingError::CHECKS].concat().into_iter();
    let errors = errors.chain(["DataError::Hash", "DataError::Length"]).map(str::to_owned);
    judges
        .chain(errors)
        .chain(verdicts)
        .chain(reasons)
        .chain(refusals)
        .chain(ends.map(|code| format!("device::{}", code.name())))
        .collect()
}

#[test]
fn every_check_has_a_liar() {
    let (checks, liars) = (checks(), [LIARS, BY_SUITE, BY_TEST].concat());
    println!("{} checks, {} liars", checks.len(), liars.len());
    assert_eq!(unmatched(&checks, &liars), Vec::<String>::new());
}

/// A switched-off check and a defect share one namespace, so their names must differ.
#[test]
fn no_check_is_called_like_a_defect() {
    let defects = hallmark_runtime::DEFECTS.concat();
    let checks = checks();
    let both = defects.iter().find(|defect| checks.iter().any(|check| check == defect.name));
    assert_eq!(both, None);
}

/// A code that no call lists could not be switched off.
#[test]
fn every_failure_is_a_refusal_or_an_end() {
    let listed = |code: &FailureCode| {
        code.ends_the_run() || CommandKind::ALL.iter().any(|call| refusals_of(*call).contains(code))
    };
    let forgotten: Vec<_> = FailureCode::ALL.iter().filter(|code| !listed(code)).collect();
    assert_eq!(forgotten, Vec::<&FailureCode>::new());
}

#[cfg(feature = "sabotage")]
mod switched_off {
    use std::collections::BTreeSet;

    use hallmark_chip::sabotage::VARIABLE;
    use hallmark_chip::sabotage::liars::{Liar, fails_without, idle};

    use super::{BY_SUITE, BY_TEST, LIARS, common};

    #[test]
    fn a_test_fails_without_its_check() {
        let liars = [LIARS, BY_TEST].concat();
        assert_eq!(idle(&liars, fails_without).unwrap(), Vec::new(), "their tests pass without");
    }

    #[test]
    fn a_suite_fails_without_its_refusal() {
        let root = tempfile::tempdir().unwrap();
        for folder in ["suites", "goldens"] {
            let ours = common::repository().join(folder);
            std::os::unix::fs::symlink(ours, root.path().join(folder)).unwrap();
        }
        let run = |arguments: &[&str], check: &str| {
            let mut command = common::command(root.path());
            command.arg("run").args(arguments).env(VARIABLE, check).output()
        };
        let tests: BTreeSet<&str> = BY_SUITE.iter().map(|liar| liar.test).collect();
        let sound = run(&Vec::from_iter(tests), "").unwrap();
        assert!(sound.status.success(), "{}", common::text(&sound));
        // The code 1 means that a test ran and failed.
        let notices = |Liar { check, test }: &Liar| {
            Ok(run(&["--exact", test], check)?.status.code() == Some(1))
        };
        assert_eq!(idle(BY_SUITE, notices).unwrap(), Vec::new(), "their tests pass without");
    }
}
