//! The schedule seeds under which a failure occurs: a seed chooses among the orders that the hardware permits.
//!
//! Each seed is run once. The smallest failing one and the smallest passing one are run again in fresh
//! processes, because a result that does not repeat is not determined by the seed.

mod words;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use hallmark_execution::executor::Executor;
use hallmark_pipeline::seeds::Seeds;
use hallmark_schema::model::Capture;
use hallmark_search::Answer;

pub use self::words::{Document, RECORDED, Report, document, report};
use super::at_once::at_once;
use super::defects::{Defect, planted};
use super::log::Log;
use super::probe::{CannotTell, ProbeResult, Prober};
use super::sought_failure::SoughtFailure;
use super::stopped::Stopped;

/// A search among schedule seeds.
pub struct SeedSearch<'a> {
    /// Executes the capture. It names every failure: see [`SoughtFailure::prober_names_all`].
    pub prober: &'a Prober<'a>,
    /// The failing capture.
    pub capture: &'a Capture,
    /// The failing executor.
    pub bad: &'a Executor,
    /// The seeds to run.
    pub seeds: Seeds,
    /// The sought failure.
    pub sought: SoughtFailure,
    /// The largest number of parallel runs.
    pub jobs: usize,
    /// The log of probes.
    pub log: Option<Mutex<Log<String>>>,
    /// Receives each seed that is run.
    pub progress: &'a (dyn Fn(u64) + Sync),
    runs: AtomicU64,
}

/// The conclusion of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Conclusion {
    /// Some seeds fail, and others pass.
    Some(Told),
    /// There is no answer.
    Inconclusive(Inconclusive),
}

/// The results of the seeds, each list ascending.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Told {
    /// The failing seeds.
    pub failing: Vec<u64>,
    /// The passing seeds.
    pub passing: Vec<u64>,
    /// The seeds without an answer, with the reasons.
    pub unknown: Vec<(u64, String)>,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Inconclusive {
    /// All seeds with an answer have the same result.
    Alike {
        /// The common answer.
        answer: Answer,
        /// The result of each seed.
        told: Told,
    },
    /// No seed gives an answer.
    CannotTell {
        /// The reason for the first one.
        reason: String,
    },
    /// A seed whose second run had another result.
    NotAgain {
        /// The seed.
        seed: u64,
    },
}

impl<'a> SeedSearch<'a> {
    /// A search without a log that does not report its progress.
    pub const fn new(
        prober: &'a Prober<'a>,
        capture: &'a Capture,
        bad: &'a Executor,
        seeds: Seeds,
        sought: SoughtFailure,
    ) -> Self {
        let (log, progress, runs) = (None, &|_| (), AtomicU64::new(0));
        Self { prober, capture, bad, seeds, sought, jobs: 1, log, progress, runs }
    }

    /// The number of runs for the answer, including those from a log.
    pub fn runs(&self) -> u64 {
        self.runs.load(Ordering::Relaxed)
    }

    /// Runs the search.
    ///
    /// # Errors
    /// [`Stopped`].
    pub fn run(&self) -> Result<Conclusion, Stopped> {
        let seeds: Vec<u64> = self.seeds.iter().collect();
        let mut told = Told::default();
        for some in seeds.chunks(self.jobs.max(1)) {
            for (&seed, result) in some.iter().zip(at_once(some, |seed| self.ask(*seed, 0))) {
                match self.sought.answer(&result?) {
                    (Answer::Fails, _) => told.failing.push(seed),
                    (Answer::Passes, _) => told.passing.push(seed),
                    (Answer::CannotTell, reason) => {
                        told.unknown.push((seed, reason.unwrap_or_default()));
                    }
                }
            }
        }
        let ends = (told.failing.first().copied(), told.passing.first().copied());
        let alike = |answer| Inconclusive::Alike { answer, told: told.clone() };
        Ok(match ends {
            (None, None) => {
                let reason = told.unknown.into_iter().next().map(|(_, reason)| reason);
                let reason = reason.unwrap_or_default();
                Conclusion::Inconclusive(Inconclusive::CannotTell { reason })
            }
            (Some(_), None) => Conclusion::Inconclusive(alike(Answer::Fails)),
            (None, Some(_)) => Conclusion::Inconclusive(alike(Answer::Passes)),
            (Some(failing), Some(passing)) => {
                let again = [(failing, Answer::Fails), (passing, Answer::Passes)];
                for (seed, expected) in again {
                    let result = self.ask(seed, 1)?;
                    if self.sought.answer(&result).0 != expected {
                        return Ok(Conclusion::Inconclusive(Inconclusive::NotAgain { seed }));
                    }
                }
                Conclusion::Some(told)
            }
        })
    }

    /// The result of the capture under a seed, in one of two runs.
    fn ask(&self, seed: u64, run: u32) -> Result<ProbeResult, Stopped> {
        self.runs.fetch_add(1, Ordering::Relaxed);
        (self.progress)(seed);
        let seed = if planted(Defect::SeedNotChanged) { 0 } else { seed };
        let probed = self.prober.probe_run(self.capture, self.bad, seed, run)?;
        if probed.result == ProbeResult::CannotTell(CannotTell::Interrupted) {
            return Err(Stopped::Interrupted);
        }
        if let (Some(log), Some(elapsed)) = (&self.log, probed.elapsed) {
            let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
            let about = format!("schedule seed {seed}");
            log.append(about, probed.key, probed.result.clone(), elapsed)?;
        }
        Ok(probed.result)
    }
}
