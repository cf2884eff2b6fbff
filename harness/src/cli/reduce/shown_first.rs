//! How the failure of the whole capture shows before the reduction: every time, under some schedule seeds, or
//! intermittently.

use hallmark_execution::executor::Executor;
use hallmark_execution::interrupt;
use hallmark_pipeline::signature::MatchLevel;
use hallmark_schema::model::Capture;
use hallmark_search::Answer;
use hallmark_search::statistics::{Confidence, Counts, SequentialTest};
use hallmark_triage::probe::{ProbeResult, Probed, Prober};
use hallmark_triage::reduce::{Runs, Tried};

use crate::cli::Failed;
use crate::cli::triage_options::unable;

/// The number of schedule seeds that are tried until the failure shows, beside the given one.
const SEEDS: u64 = 64;
/// The number of schedule seeds under which a candidate may fail.
const SEEDS_OF_A_CANDIDATE: u64 = 16;
/// The least and the largest number of runs that measure how often the failure shows.
const CALIBRATION: u32 = 20;
const MOST_CALIBRATION: u32 = 160;
/// The number of failures that suffices to estimate their frequency.
const ENOUGH_FAILURES: u32 = 5;
/// The share of candidates that a test may misjudge. A candidate that is wrongly rejected makes the result
/// larger; a candidate that is wrongly taken is run again at the end.
const ERROR: f64 = 0.05;

/// How a failure shows.
pub(super) struct ShownFirst {
    /// A run that showed the failure; any run if none did.
    pub(super) probed: Probed,
    /// The schedule seed of that run.
    pub(super) seed: u64,
    /// The runs that each candidate needs.
    pub(super) runs: Runs,
    /// How often the failure showed, if it is intermittent.
    pub(super) counts: Option<Counts>,
}

/// Runs the whole capture until the failure shows: once, or several times if the failure is intermittent.
pub(super) fn shown_first(
    prober: &Prober<'_>,
    whole: &Capture,
    bad: &Executor,
    is_flaky: bool,
) -> Result<ShownFirst, Failed> {
    let seed = bad.programs.schedule_seed;
    let probed = prober.probe(whole, bad, seed).map_err(unable)?;
    let mut first = ShownFirst { probed, seed, runs: Runs::Once, counts: None };
    if !is_flaky {
        return Ok(first);
    }
    if bad.device.repeats() {
        // Under one seed every run is the same.
        first.runs = Runs::Seeds(SEEDS_OF_A_CANDIDATE);
        for seed in (0..SEEDS).filter(|other| *other != seed) {
            if first.probed.result == ProbeResult::Same || interrupt::requested() {
                break;
            }
            let probed = prober.probe(whole, bad, seed).map_err(unable)?;
            if probed.result == ProbeResult::Same {
                (first.probed, first.seed) = (probed, seed);
            }
        }
        return Ok(first);
    }
    let mut counts = Counts::default();
    let mut run = 0;
    let mut probed = first.probed.clone();
    loop {
        let shows = probed.result == ProbeResult::Same;
        let is_other = shows
            && first.probed.result == ProbeResult::Same
            && !is_same(&first.probed, &probed, prober.sought.level);
        // A failure that differs from the first one does not count.
        counts.add(if is_other { Answer::CannotTell } else { Answer::of(shows) });
        if shows && first.probed.result != ProbeResult::Same {
            first.probed = probed;
        }
        run += 1;
        let enough = counts.failures() >= ENOUGH_FAILURES && run >= CALIBRATION;
        if enough || run >= MOST_CALIBRATION || interrupt::requested() {
            break;
        }
        probed = prober.probe_run(whole, bad, seed, run).map_err(unable)?;
    }
    first.runs = runs_of(counts);
    first.counts = Some(counts);
    Ok(first)
}

/// How often a candidate has to be run where the whole came to this: also where each run failed, because so few runs do not
/// say that all will.
fn runs_of(counts: Counts) -> Runs {
    if counts.failures() == 0 {
        return Runs::Once;
    }
    let rate = counts.lower_bound(Confidence::OF_BOUNDS);
    Runs::Test(SequentialTest::of_candidate(rate, ERROR))
}

/// Whether two runs failed in the same way, as far as both say how.
fn is_same(one: &Probed, other: &Probed, level: MatchLevel) -> bool {
    one.signature
        .as_ref()
        .zip(other.signature.as_ref())
        .is_none_or(|(one, other)| one.matches(other, level))
}

impl ShownFirst {
    /// How often the failure was waited for.
    pub(super) fn tried(&self) -> Tried {
        match (self.runs, self.counts) {
            (_, Some(counts)) => Tried::Runs(u64::from(counts.runs())),
            (Runs::Seeds(_), None) => Tried::Seeds(SEEDS),
            (Runs::Once | Runs::Test(_), None) => Tried::Once,
        }
    }
}

/// What there is to say of it.
pub(super) fn line(first: &ShownFirst) -> Option<String> {
    match first.runs {
        Runs::Once => None,
        Runs::Seeds(seeds) => Some(format!(
            "  flaky     under schedule seed {} it fails every time; what was taken away left it failing under one of \
             {seeds} seeds",
            first.seed
        )),
        Runs::Test(test) => Some(format!(
            "  flaky     {} runs of the whole fail; what fails a quarter as often was not taken (about {} runs each)",
            first.counts.unwrap_or_default(),
            test.price_of_passing()
        )),
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use hallmark_chip::Random;
    use hallmark_schema::model::ContentHash;
    use hallmark_triage::probe::ProbeKey;
    use hallmark_triage::reduce::until;

    use super::*;

    /// A run of a capture that fails at a rate, in percent.
    fn run(random: &mut Random, rate: u64) -> Probed {
        let fails = random.next() % 100 < rate;
        let result = if fails { ProbeResult::Same } else { ProbeResult::Passed };
        let none = ContentHash::of(&[]);
        let key = ProbeKey { candidate: none, executor: none, seed: 0, run: 0 };
        Probed { result, signature: None, key, elapsed: None, good: None, bad: None }
    }

    #[test]
    fn what_fails_seldom_and_what_nearly_always_fails_shows_again() {
        let shows = |probed: &Probed| probed.result == ProbeResult::Same;
        for (rate, calibration) in [(90, 20), (60, 20), (40, 20), (10, 160)] {
            let mut random = Random::new(rate);
            let (mut missed, mut always) = (0, 0);
            for _ in 0..1000 {
                let mut counts = Counts::default();
                for _ in 0..calibration {
                    counts.add(Answer::of(shows(&run(&mut random, rate))));
                }
                always += u32::from(counts.passes() == 0);
                let shown: Result<Probed, Infallible> =
                    until(runs_of(counts).patience(), || Ok(run(&mut random, rate)), shows);
                missed += u32::from(!shown.is_ok_and(|shown| shows(&shown)));
            }
            assert!(missed <= 10, "{missed} of 1000 failures in {rate} % of all runs did not show");
            // 0.9^20 is 12 %.
            assert!(rate != 90 || always > 60, "{always} of 1000 counts without a pass");
        }
    }

    #[test]
    fn a_failure_that_never_showed_takes_one_run() {
        assert_eq!(runs_of(Counts::new(0, 160)), Runs::Once);
        assert!(matches!(runs_of(Counts::new(20, 20)), Runs::Test(_)));
    }
}
