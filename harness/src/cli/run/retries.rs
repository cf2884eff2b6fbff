//! Runs a test on a card again, because a card may fail for reasons unrelated to the test.
//!
//! A simulator always repeats its behaviour, so a second run of it could only hide a defect of Hallmark.

use std::time::Duration;

use hallmark_execution::devices::kind;
use hallmark_execution::interrupt;
use hallmark_pipeline::seeds::{Seeds, run_test_under};
use hallmark_pipeline::verdict::{ExitCode, Verdict};
use hallmark_pipeline::{Settings, TestResult, TestRun};
use hallmark_suite::discover::SelectedTest;
use hallmark_suite::language::DeviceKind;
use hallmark_triage::first_bad;

use super::baseline::RunBaseline;
use crate::cli::Failed;

/// Refuses retries on executors other than cards.
pub(super) fn check(settings: &Settings, tests: &[SelectedTest]) -> Result<(), Failed> {
    let executor = |test: &SelectedTest| settings.workers.executor(test.name.architecture);
    let is_card = |test: &&SelectedTest| kind(&executor(test).device) == DeviceKind::Pci;
    match tests.iter().find(|test| !is_card(test)) {
        None => Ok(()),
        Some(test) => Err(Failed::new(
            ExitCode::USAGE,
            format!(
                "--retries is for cards (pci:NUMBER), and tests of {} run on {}, which repeats what it did; \
                 leave --retries out, or choose tests that run on cards",
                test.name.architecture,
                executor(test)
            ),
        )),
    }
}

/// Runs a test, and runs it again up to the number of retries while its verdict may be due to its card. Gives
/// the last result and the results before it. A failure that the baseline knows is neither repeated nor searched. With a
/// budget, looks for the first bad command of each other run that fails.
pub(super) fn run(
    settings: &Settings,
    test: &SelectedTest,
    seeds: Seeds,
    retries: u8,
    triage: Option<Duration>,
    baseline: &RunBaseline,
) -> Result<(TestResult, Vec<TestResult>), Failed> {
    let judge = |run: &mut TestRun| {
        baseline.judge(&mut run.result);
        if matches!(run.result.verdict, Verdict::KnownFailure { .. }) {
            run.failure = None;
        }
    };
    let run = || {
        let run = run_test_under(settings, test, seeds, judge)?;
        Ok(first_bad::looked_for(settings, run, triage))
    };
    repeat(run, retries, interrupt::requested)
}

fn repeat(
    mut run: impl FnMut() -> Result<TestResult, Failed>,
    retries: u8,
    is_stopped: impl Fn() -> bool,
) -> Result<(TestResult, Vec<TestResult>), Failed> {
    let mut earlier = Vec::new();
    let mut result = run()?;
    for _ in 0..retries {
        if !may_be_the_card(&result.verdict) || is_stopped() {
            break;
        }
        earlier.push(result);
        result = run()?;
    }
    Ok((result, earlier))
}

/// Whether another run of the same test may have another verdict.
const fn may_be_the_card(verdict: &Verdict) -> bool {
    match verdict {
        Verdict::Mismatch
        | Verdict::Refused
        | Verdict::Unstable
        | Verdict::Fault
        | Verdict::Deadlock
        | Verdict::Hang
        | Verdict::Crash => true,
        Verdict::Pass
        | Verdict::NotBuilt
        | Verdict::Changed
        | Verdict::Missing
        | Verdict::Unsupported
        | Verdict::Skipped { .. }
        | Verdict::ExpectedFailure { .. }
        | Verdict::KnownDeviation { .. }
        | Verdict::KnownFailure { .. }
        | Verdict::UnexpectedPass
        | Verdict::Interrupted
        | Verdict::InternalError => false,
    }
}

#[cfg(test)]
mod tests {
    use hallmark_chip::KernelRuns;
    use hallmark_pipeline::{FailureDetails, Sightings};

    use super::*;

    /// Ends with each verdict in turn, and then always with the last.
    fn ends(verdicts: &[Verdict], retries: u8, is_stopped: bool) -> Vec<Verdict> {
        let mut runs = verdicts.iter().cycle();
        let run = || {
            let verdict = runs.next().unwrap().clone();
            Ok(TestResult {
                name: "blackhole::group::suite::case".parse().unwrap(),
                exit_code: verdict.exit_code(),
                verdict,
                lines: Vec::new(),
                elapsed: Duration::ZERO,
                broken_kernel: None,
                sightings: Sightings::default(),
                warnings: Vec::new(),
                printed: Vec::new(),
                signature: None,
                excused: None,
                relies_on_atomics_behind_writes: false,
                kernel_runs: KernelRuns::default(),
                first_bad: None,
                details: FailureDetails::default(),
            })
        };
        let (last, earlier) = repeat(run, retries, || is_stopped).unwrap();
        earlier.into_iter().chain([last]).map(|result| result.verdict).collect()
    }

    #[test]
    fn a_test_runs_again_until_it_passes_or_no_retry_is_left() {
        use Verdict::{Crash, Hang, Mismatch, Missing, Pass};
        let all = [Mismatch, Crash, Pass];
        assert_eq!(ends(&all, 0, false), [Mismatch]);
        assert_eq!(ends(&all, 1, false), [Mismatch, Crash]);
        assert_eq!(ends(&all, 2, false), all);
        assert_eq!(ends(&all, 9, false), all);
        assert_eq!(ends(&all, 9, true), [Mismatch]);
        assert_eq!(ends(&[Hang, Missing], 9, false), [Hang, Missing]);
        assert_eq!(ends(&[Missing, Pass], 9, false), [Missing]);
    }
}
