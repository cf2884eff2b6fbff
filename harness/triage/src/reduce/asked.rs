//! The number of runs that decide whether a candidate fails.
//!
//! One run does not decide about a flaky failure. If the schedule seed determines the failure, several seeds
//! are tried, starting with the one that showed the failure last. Otherwise a sequential test decides: a
//! candidate that fails much more rarely than the original failure is rejected, because the reduction would
//! otherwise drift to ever rarer failures.

use hallmark_execution::executor::Executor;
use hallmark_execution::interrupt;
use hallmark_schema::model::Capture;
use hallmark_search::Answer;
use hallmark_search::statistics::{Confidence, SequentialTest};

use super::{Reducing, Tried};
use crate::probe::{CannotTell, ProbeError, ProbeResult, Probed};

/// The number of consecutive runs without an answer after which a candidate gives none.
const MOST_UNTOLD_RUNS: u32 = 2;

/// The number of runs of a candidate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Runs {
    /// Once: the failure is steady.
    Once,
    /// At most this many schedule seeds, at least 1, until it fails.
    Seeds(u64),
    /// Until the test decides whether it fails about as often as the original. The test is new.
    Test(SequentialTest),
}

/// The result of a candidate.
pub(super) struct Asked {
    /// All of its runs.
    pub(super) probed: Vec<Probed>,
    /// The decisive run: one with the sought failure, if there is one.
    pub(super) decisive: Probed,
    /// The schedule seed of that run.
    pub(super) seed: u64,
}

impl Reducing<'_> {
    /// Runs a candidate until its result is known; `seed` is that of the first run.
    pub(super) fn asked(
        &self,
        capture: &Capture,
        bad: &Executor,
        seed: u64,
    ) -> Result<Asked, ProbeError> {
        match self.runs {
            Runs::Once => {
                let probed = self.prober.probe(capture, bad, seed)?;
                Ok(Asked { probed: vec![probed.clone()], decisive: probed, seed })
            }
            Runs::Seeds(seeds) => {
                let first = self.prober.probe(capture, bad, seed)?;
                let mut asked = Asked { probed: vec![first.clone()], decisive: first, seed };
                let others = (0..seeds).filter(|other| *other != seed);
                for other in others.take(usize::try_from(seeds).unwrap_or(usize::MAX)) {
                    if asked.decisive.result == ProbeResult::Same || interrupt::requested() {
                        break;
                    }
                    let probed = self.prober.probe(capture, bad, other)?;
                    asked.probed.push(probed.clone());
                    if probed.result == ProbeResult::Same {
                        (asked.decisive, asked.seed) = (probed, other);
                    }
                }
                Ok(asked)
            }
            Runs::Test(test) => self.tested(capture, bad, seed, test),
        }
    }

    fn tested(
        &self,
        capture: &Capture,
        bad: &Executor,
        seed: u64,
        mut test: SequentialTest,
    ) -> Result<Asked, ProbeError> {
        let mut probed = Vec::new();
        let (mut failing, mut other): (Option<Probed>, Option<Probed>) = (None, None);
        let mut untold = 0;
        let decision = loop {
            let run = u32::try_from(probed.len()).unwrap_or(u32::MAX);
            let one = self.prober.probe_run(capture, bad, seed, run)?;
            let answer = answer(&one.result);
            probed.push(one.clone());
            match answer {
                // A run made now has a recording.
                Answer::Fails if failing.as_ref().is_none_or(|it| it.elapsed.is_none()) => {
                    failing = Some(one);
                }
                Answer::Fails => {}
                Answer::Passes | Answer::CannotTell => other = Some(one),
            }
            untold = if answer == Answer::CannotTell { untold + 1 } else { 0 };
            test.add(answer);
            if untold >= MOST_UNTOLD_RUNS || interrupt::requested() {
                break Answer::CannotTell;
            }
            if let Some(decision) = test.decision() {
                break decision;
            }
        };
        let decisive = match (decision, failing, other) {
            (Answer::Fails, Some(failing), _) => failing,
            (_, _, Some(other)) => other,
            // Failures alone decide only for failing.
            (_, Some(failing), None) => failing,
            (_, None, None) => self.prober.probe_run(capture, bad, seed, 0)?,
        };
        Ok(Asked { probed, decisive, seed })
    }

    /// Repeats a failing candidate until it fails again, in fresh processes.
    pub(super) fn shown_again(
        &self,
        capture: &Capture,
        bad: &Executor,
        seed: u64,
    ) -> Result<Probed, ProbeError> {
        let run = || self.prober.probe_again(capture, bad, seed);
        until(self.runs.patience(), run, |probed| probed.result == ProbeResult::Same)
    }
}

impl Runs {
    /// How many runs may pass before a candidate that was seen to fail counts as one that does not: as many as show a
    /// failure that the test of candidates would just have taken, at the confidence of answers.
    pub fn patience(self) -> u64 {
        match self {
            Self::Once | Self::Seeds(_) => 1,
            Self::Test(test) => test.price_of_showing(Confidence::OF_ANSWERS),
        }
    }

    /// How often the whole capture is run before its failure counts as not there.
    pub(super) fn tried(self) -> Tried {
        match self {
            Self::Once => Tried::Once,
            Self::Seeds(seeds) => Tried::Seeds(seeds),
            Self::Test(_) => Tried::Runs(self.patience()),
        }
    }

    /// How often a candidate that failed is run again.
    pub(super) fn tried_again(self) -> Tried {
        match self {
            Self::Once => Tried::Once,
            Self::Seeds(_) => Tried::Seeds(1),
            Self::Test(_) => Tried::Runs(self.patience()),
        }
    }
}

/// Runs something until it shows a failure, or so often that it shows none, or until a signal asks to stop.
pub fn until<E>(
    patience: u64,
    mut run: impl FnMut() -> Result<Probed, E>,
    shows: impl Fn(&Probed) -> bool,
) -> Result<Probed, E> {
    let mut probed = run()?;
    for _ in 1..patience {
        let is_stopped = probed.result == ProbeResult::CannotTell(CannotTell::Interrupted);
        if is_stopped || shows(&probed) {
            break;
        }
        probed = run()?;
    }
    Ok(probed)
}

/// What a run shows of the failure sought.
pub(super) const fn answer(result: &ProbeResult) -> Answer {
    match result {
        ProbeResult::Same => Answer::Fails,
        ProbeResult::Passed => Answer::Passes,
        ProbeResult::Other(_) | ProbeResult::CannotTell(_) => Answer::CannotTell,
    }
}
