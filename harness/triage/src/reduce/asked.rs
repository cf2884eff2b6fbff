//! How often a candidate is run until it is known whether it fails.
//!
//! A failure that comes and goes is not told by one run. Where the schedule seed decides, a few seeds are tried, the one that
//! showed the failure last first. Where nothing decides, a sequential test does: a candidate that fails much more seldom than
//! the failure did at first is not taken, or a reduction would drift to failures that are rarer and rarer.

use hallmark_execution::executor::Executor;
use hallmark_execution::interrupt;
use hallmark_schema::model::Capture;
use hallmark_search::Answer;
use hallmark_search::statistics::{Confidence, SequentialTest};

use super::{Reducing, Tried};
use crate::probe::{CannotTell, ProbeError, ProbeResult, Probed};

/// Runs in a row that may show neither before a candidate cannot be told.
const MOST_UNTOLD_RUNS: u32 = 2;

/// How often a candidate is run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Runs {
    /// Once: the failure shows every time.
    Once,
    /// Under so many schedule seeds at most, at least 1, until it fails.
    Seeds(u64),
    /// Until a test says whether it fails about as often as the failure did at first. It has seen no run yet.
    Test(SequentialTest),
}

/// What came of a candidate.
pub(super) struct Asked {
    /// All of its runs.
    pub(super) probed: Vec<Probed>,
    /// The run that says it: one that fails in the way sought, if the candidate does.
    pub(super) decisive: Probed,
    /// The schedule seed of that run.
    pub(super) seed: u64,
}

impl Reducing<'_> {
    /// Runs a candidate as often as it takes; `seed` is that of the first run.
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
                // One that was run now holds what was recorded.
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
            // Nothing but failures decides nothing else than that it fails.
            (_, Some(failing), None) => failing,
            (_, None, None) => self.prober.probe_run(capture, bad, seed, 0)?,
        };
        Ok(Asked { probed, decisive, seed })
    }

    /// Runs a candidate that fails until it does so again, in fresh processes whatever is known.
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
