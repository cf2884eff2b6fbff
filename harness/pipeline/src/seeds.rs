//! A test under several schedule seeds.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::time::Duration;

use hallmark_execution::executor::{ExecutorChoice, Executors, Release};
use hallmark_execution::interrupt;
use hallmark_runtime::DeviceSpec;
use hallmark_suite::discover::SelectedTest;
use hallmark_suite::mistake::SuiteMistakes;

use super::run::run_test;
use super::settings::Settings;
use super::test_result::TestRun;
use crate::verdict::{Mode, Verdict};

/// The largest accepted number of seeds in one run.
const MOST: u64 = 100_000;

/// A range of schedule seeds, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seeds {
    first: u64,
    last: u64,
}

/// The text is not a range of seeds.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not a range of seeds; write FIRST..LAST: `1..50` is the fifty seeds from 1 to 50"
)]
pub struct SeedsError(String);

impl Seeds {
    /// A range of a single seed.
    pub const fn one(seed: u64) -> Self {
        Self { first: seed, last: seed }
    }

    /// The first `count` seeds from 0 on; at least one.
    pub const fn first(count: u64) -> Self {
        Self { first: 0, last: count.saturating_sub(1) }
    }

    /// The seeds, ascending.
    pub const fn iter(self) -> RangeInclusive<u64> {
        self.first..=self.last
    }

    /// The number of seeds, at least 1.
    pub const fn count(self) -> u64 {
        self.last - self.first + 1
    }
}

impl FromStr for Seeds {
    type Err = SeedsError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = || SeedsError(text.to_owned());
        let (first, last) = text.split_once("..").ok_or_else(wrong)?;
        let first: u64 = first.parse().map_err(|_| wrong())?;
        let last: u64 = last.parse().map_err(|_| wrong())?;
        match last.checked_sub(first) {
            Some(more) if more < MOST => Ok(Self { first, last }),
            _ => Err(wrong()),
        }
    }
}

impl fmt::Display for Seeds {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}..{}", self.first, self.last)
    }
}

/// Runs a test under one seed after the other, up to the first failure. `judge` has the last word on the result of each
/// seed. A golden that is missing and a known failure are no failures of a seed. A test that does not apply is skipped
/// once. A test that passed under some seeds before the run was stopped is interrupted.
///
/// On the simulator, two seeds share a run: the test is captured and judged under the first one, and replayed under the
/// second one, which must repeat every outcome and every read. Where that does not pass, each of the two has a run of
/// its own, so that the report is that of one seed.
///
/// # Errors
/// The suite is invalid.
pub fn run_test_under(
    settings: &Settings,
    test: &SelectedTest,
    seeds: Seeds,
    judge: impl Fn(&mut TestRun),
) -> Result<TestRun, SuiteMistakes> {
    let mut settings = settings.clone();
    let chosen = settings.workers.replay_executors.clone();
    let sharing = sharing_choice(&settings, test);
    let run = |of: Run| {
        settings.workers.programs.schedule_seed = of.captured;
        settings.workers.replay_executors = match &sharing {
            Some(choice) if of.replayed != of.captured => {
                let choice = ExecutorChoice { schedule_seed: Some(of.replayed), ..choice.clone() };
                Executors::only(choice, test.name.architecture)
            }
            Some(_) | None => chosen.clone(),
        };
        let mut run = run_test(&settings, test)?;
        judge(&mut run);
        Ok(run)
    };
    under_each(seeds, sharing.is_some(), run, interrupt::requested)
}

/// The executor of a test whose capture and replay may have different seeds. None where the user chose the executor of
/// replays or an executor's seed, where seeds have no meaning, and where a replay is compared in less than a capture:
/// the place of an expected fault.
fn sharing_choice(settings: &Settings, test: &SelectedTest) -> Option<ExecutorChoice> {
    let (workers, architecture) = (&settings.workers, test.name.architecture);
    let has_seed = |choice: &ExecutorChoice| choice.schedule_seed.is_some();
    if workers.replay_executors.chosen(architecture).is_some()
        || workers.executors.chosen(architecture).is_some_and(has_seed)
        || test.expects_fault()
    {
        return None;
    }
    let executor = workers.executor(architecture);
    let is_simulator = match (&executor.release, &executor.device) {
        (Release::This, DeviceSpec::Simulator(_)) => true,
        (Release::This | Release::Other(_) | Release::Metalium(_), _) => false,
    };
    is_simulator.then(|| ExecutorChoice::from(&executor))
}

/// The seeds of one run of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    captured: u64,
    replayed: u64,
}

fn under_each(
    seeds: Seeds,
    is_shared: bool,
    mut run: impl FnMut(Run) -> Result<TestRun, SuiteMistakes>,
    is_stopped: impl Fn() -> bool,
) -> Result<TestRun, SuiteMistakes> {
    let mut elapsed = Duration::ZERO;
    let mut seed = seeds.first;
    // The last seed of two that did not pass together.
    let mut alone = None;
    loop {
        let together = is_shared && alone.is_none_or(|alone| alone < seed) && seed < seeds.last;
        let replayed = seed.saturating_add(u64::from(together));
        let mut run = run(Run { captured: seed, replayed })?;
        let result = &mut run.result;
        elapsed = elapsed.saturating_add(result.elapsed);
        result.elapsed = elapsed;
        let passed =
            result.verdict.is_success(Mode::Ordinary) || result.verdict == Verdict::Missing;
        let is_known = matches!(result.verdict, Verdict::KnownFailure { .. });
        if together && (!passed || is_known) && !is_stopped() {
            alone = Some(replayed);
            continue;
        }
        let before = seed.saturating_sub(seeds.first);
        if !passed && seeds.count() > 1 {
            result.lines.push(format!(
                "schedule seed {seed}, after {before} of {} that passed",
                seeds.count()
            ));
        }
        let skipped = matches!(result.verdict, Verdict::Skipped { .. });
        if !passed || skipped || replayed == seeds.last {
            return Ok(run);
        }
        if is_stopped() {
            result.verdict = Verdict::Interrupted;
            result.exit_code = Verdict::Interrupted.exit_code();
            let done = replayed.saturating_sub(seeds.first).saturating_add(1);
            let all = seeds.count();
            result.lines.push(format!("it passed under {done} of {all} schedule seeds"));
            return Ok(run);
        }
        seed = replayed.saturating_add(1);
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use hallmark_suite::name::TestName;

    use super::*;
    use crate::TestResult;

    fn passes(name: &TestName) -> TestRun {
        let passed = Verdict::Pass.exit_code();
        let mut result = TestResult::new(name.clone(), Verdict::Pass, passed, Vec::new());
        result.elapsed = Duration::from_secs(1);
        TestRun { result, failure: None }
    }

    #[test]
    fn a_range_has_one_seed_to_a_hundred_thousand() {
        let count = |text: &str| text.parse::<Seeds>().map(Seeds::count).ok();
        assert_eq!(count("7..7"), Some(1));
        assert_eq!(count("1..100000"), Some(100_000));
        for wrong in ["0..100000", "7..6", "7", "..7", "-1..7"] {
            assert_eq!(count(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_test_that_passed_under_some_of_the_seeds_is_interrupted() {
        let name: TestName = "wormhole_b0::group::suite::case".parse().unwrap();
        for (stopped_after, verdict) in
            [(2, Verdict::Interrupted), (4, Verdict::Interrupted), (5, Verdict::Pass)]
        {
            let ran = Cell::new(0);
            let run = |_| {
                ran.set(ran.get() + 1);
                Ok(passes(&name))
            };
            let seeds = Seeds { first: 3, last: 7 };
            let result =
                under_each(seeds, false, run, || ran.get() >= stopped_after).unwrap().result;
            assert_eq!((ran.get(), &result.verdict), (stopped_after, &verdict));
            assert_eq!(result.exit_code, verdict.exit_code());
            // The duration is the run's own, without preparation.
            assert_eq!(result.elapsed, Duration::from_secs(ran.get()));
        }
    }

    #[test]
    fn the_first_seed_that_fails_is_the_last_one() {
        let name: TestName = "wormhole_b0::group::suite::case".parse().unwrap();
        let run = |of: Run| {
            let mut run = passes(&name);
            if of.captured == 5 {
                run.result.verdict = Verdict::Mismatch;
            }
            Ok(run)
        };
        let result = under_each(Seeds { first: 3, last: 7 }, false, run, || false).unwrap().result;
        assert_eq!(result.verdict, Verdict::Mismatch);
        assert_eq!(result.lines, ["schedule seed 5, after 2 of 5 that passed"]);
    }

    #[test]
    fn a_test_without_a_golden_runs_under_each_seed() {
        let name: TestName = "wormhole_b0::group::suite::case".parse().unwrap();
        for (fails, verdict, runs) in [
            (None, Verdict::Missing, 5),
            (Some(7), Verdict::Fault, 5),
            (Some(4), Verdict::Fault, 2),
        ] {
            let ran = Cell::new(0_u64);
            let run = |of: Run| {
                ran.set(ran.get() + 1);
                let mut run = passes(&name);
                let fails = Some(of.captured) == fails;
                run.result.verdict = if fails { Verdict::Fault } else { Verdict::Missing };
                run.result.exit_code = run.result.verdict.exit_code();
                Ok(run)
            };
            let result =
                under_each(Seeds { first: 3, last: 7 }, false, run, || false).unwrap().result;
            assert_eq!((&result.verdict, ran.get()), (&verdict, runs));
            assert_eq!(result.exit_code, verdict.exit_code());
            let told = runs.saturating_sub(1);
            let expected =
                fails.map(|it| format!("schedule seed {it}, after {told} of 5 that passed"));
            assert_eq!(result.lines, Vec::from_iter(expected));
        }
    }

    /// Both of two seeds have a run of their own, and a failure behind a known one is found.
    #[test]
    fn a_known_failure_of_a_seed_keeps_no_other_from_running() {
        let name: TestName = "wormhole_b0::group::suite::case".parse().unwrap();
        for is_shared in [false, true] {
            let mut runs = Vec::new();
            let run = |of: Run| {
                runs.push([of.captured, of.replayed]);
                let mut run = passes(&name);
                run.result.verdict = match of.captured {
                    3..=5 => Verdict::KnownFailure { reason: String::new() },
                    _ => Verdict::Fault,
                };
                Ok(run)
            };
            let seeds = Seeds { first: 3, last: 7 };
            let result = under_each(seeds, is_shared, run, || false).unwrap().result;
            assert_eq!(result.verdict, Verdict::Fault);
            assert_eq!(result.lines, ["schedule seed 6, after 3 of 5 that passed"]);
            let alone: Vec<_> = runs.iter().filter(|run| run[0] == run[1]).collect();
            assert_eq!(alone, [&[3, 3], &[4, 4], &[5, 5], &[6, 6]]);
        }
    }

    /// The runs of a test that fails under some seeds, with its verdict and lines.
    fn shared(first: u64, last: u64, fails: &[u64]) -> (Vec<[u64; 2]>, Verdict, Vec<String>) {
        let name: TestName = "wormhole_b0::group::suite::case".parse().unwrap();
        let mut runs = Vec::new();
        let run = |of: Run| {
            runs.push([of.captured, of.replayed]);
            let mut run = passes(&name);
            if fails.contains(&of.captured) {
                run.result.verdict = Verdict::Fault;
            } else if fails.contains(&of.replayed) {
                run.result.verdict = Verdict::Unstable;
            }
            Ok(run)
        };
        let result = under_each(Seeds { first, last }, true, run, || false).unwrap().result;
        assert_eq!(result.elapsed, Duration::from_secs(runs.len() as u64));
        (runs, result.verdict, result.lines)
    }

    #[test]
    fn two_seeds_share_a_run_that_passes() {
        let none = Vec::<String>::new();
        assert_eq!(shared(3, 6, &[]), (vec![[3, 4], [5, 6]], Verdict::Pass, none.clone()));
        assert_eq!(shared(3, 7, &[]), (vec![[3, 4], [5, 6], [7, 7]], Verdict::Pass, none.clone()));
        assert_eq!(shared(3, 3, &[]), (vec![[3, 3]], Verdict::Pass, none));
    }

    #[test]
    fn of_two_seeds_that_do_not_pass_together_the_report_is_that_of_one() {
        let failed = |seed: u64, before: u64| {
            vec![format!("schedule seed {seed}, after {before} of 5 that passed")]
        };
        let (runs, verdict, lines) = shared(3, 7, &[5]);
        assert_eq!(runs, [[3, 4], [5, 6], [5, 5]]);
        assert_eq!((verdict, lines), (Verdict::Fault, failed(5, 2)));
        let (runs, verdict, lines) = shared(3, 7, &[6]);
        assert_eq!(runs, [[3, 4], [5, 6], [5, 5], [6, 6]]);
        assert_eq!((verdict, lines), (Verdict::Fault, failed(6, 3)));
    }

    /// A replay may differ from a capture where each is right, as a query of an event does.
    #[test]
    fn two_seeds_that_differ_and_pass_alone_pass() {
        let name: TestName = "wormhole_b0::group::suite::case".parse().unwrap();
        let mut runs = Vec::new();
        let run = |of: Run| {
            runs.push([of.captured, of.replayed]);
            let mut run = passes(&name);
            if of.captured == 3 && of.replayed == 4 {
                run.result.verdict = Verdict::Unstable;
            }
            Ok(run)
        };
        let result = under_each(Seeds { first: 3, last: 7 }, true, run, || false).unwrap().result;
        assert_eq!((result.verdict, result.lines), (Verdict::Pass, Vec::new()));
        assert_eq!(runs, [[3, 4], [3, 3], [4, 4], [5, 6], [7, 7]]);
    }

    #[test]
    fn a_stopped_test_has_passed_under_both_seeds_of_its_last_run() {
        let name: TestName = "wormhole_b0::group::suite::case".parse().unwrap();
        let ran = Cell::new(0);
        let run = |_| {
            ran.set(ran.get() + 1);
            Ok(passes(&name))
        };
        let result =
            under_each(Seeds { first: 3, last: 7 }, true, run, || ran.get() >= 2).unwrap().result;
        assert_eq!(result.verdict, Verdict::Interrupted);
        assert_eq!(result.lines, ["it passed under 4 of 5 schedule seeds"]);
    }

    #[test]
    fn ranges_of_seeds() {
        let seeds: Seeds = "1..50".parse().unwrap();
        assert_eq!(
            (seeds.count(), seeds.iter().last(), seeds.to_string()),
            (50, Some(50), "1..50".to_owned())
        );
        assert_eq!("7..7".parse::<Seeds>().unwrap(), Seeds::one(7));
        let end = u64::MAX;
        assert_eq!(format!("{end}..{end}").parse::<Seeds>().unwrap().iter().count(), 1);
        for wrong in ["", "5", "5..1", "a..b", "0..18446744073709551615", "1...3", "-1..2"] {
            assert!(wrong.parse::<Seeds>().is_err(), "{wrong}");
        }
    }
}
