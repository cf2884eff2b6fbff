//! Finds the parts of the bad side that cause a failure: its kernels, the images of its firmware, its cores, or
//! waits that it lacks.
//!
//! Each [`Mixture`] runs a capture with some parts from the bad side and all others from the good side. The
//! search finds the minimal sets of parts that break a correct run or mend a wrong one; it determines which of
//! the two applies. Parts that are equal on both sides are not searched.

mod cores;
mod finishes;
mod images;
mod kernels;
mod reference;
mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use hallmark_execution::executor::Executor;
use hallmark_schema::model::Capture;
use hallmark_search::{
    Answer, Effect, Item, MinimalSet, MinimalSets, MinimalSetsError, MinimalSetsOutcome,
    Search as _, SetQuestion,
};
use serde::Serialize;

pub use self::cores::CoreMixture;
pub use self::finishes::FinishMixture;
pub use self::images::{ImageMixture, ImageMixtureError};
pub use self::kernels::{KernelMixture, KernelMixtureError, KernelsOfSide};
pub use self::reference::{ReferenceError, recorded_on};
pub use self::words::{Document, Report, document, report};
use super::at_once::at_once;
use super::log::Log;
use super::probe::{CannotTell, ProbeError, ProbeResult, Probed, Prober};
use super::sought_failure::SoughtFailure;
use super::stopped::Stopped;

/// The largest number of minimal sets that are searched for.
const MOST_SETS: usize = 8;

/// The kind of a mixture's parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PartKind {
    /// Builds of kernels.
    Kernels,
    /// Programs of a firmware bundle.
    Images,
    /// Cores that programs run on.
    Cores,
    /// Waits for a queue, each right after a command.
    Syncs,
}

impl PartKind {
    /// The spelling in `--over`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Kernels => "kernels",
            Self::Images => "images",
            Self::Cores => "cores",
            Self::Syncs => "syncs",
        }
    }
}

/// A capture, and its executor.
#[derive(Clone, Debug)]
pub struct Mixed {
    /// The capture.
    pub capture: Arc<Capture>,
    /// The executor.
    pub executor: Executor,
}

/// A mixture of parts from both sides.
pub trait Mixture: Sync {
    /// The kind of parts.
    fn kind(&self) -> PartKind;

    /// The parts in which the sides differ, by unique names.
    fn parts(&self) -> Vec<String>;

    /// The number of parts that are equal on both sides.
    fn equal_parts(&self) -> usize;

    /// The run with these parts, by index, from the bad side.
    ///
    /// # Errors
    /// The mixture is impossible.
    fn with(&self, bad: &[usize]) -> Result<Mixed, CannotTell>;
}

/// The progress of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The number of runs so far, including those from a log.
    pub runs: u64,
    /// The number of parts from the bad side in the present question.
    pub bad_parts: usize,
    /// The number of parts.
    pub parts: usize,
}

/// Parts that have the effect together, and lose it without any one of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GuiltySet {
    /// The parts.
    pub parts: Vec<String>,
    /// Whether a fresh run had the effect again.
    pub confirmed: bool,
    /// Parts of the set for which the try without them gave no answer: each may make no difference.
    pub cannot_tell: Vec<String>,
    /// Why each of these tries gave no answer.
    pub reasons: Vec<String>,
}

/// The conclusion of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Conclusion {
    /// Some parts are decisive.
    Found {
        /// Whether the bad side's parts break a correct run or mend a wrong one.
        effect: Effect,
        /// The minimal sets of parts, each of which has the effect alone.
        sets: Vec<GuiltySet>,
        /// Whether these are all sets.
        all: bool,
    },
    /// There is no answer.
    Inconclusive(Inconclusive),
}

impl Conclusion {
    /// Whether the search has an answer: some parts are decisive, and each of them is needed.
    pub fn is_answer(&self) -> bool {
        match self {
            Self::Found { sets, .. } => sets.iter().all(|set| set.cannot_tell.is_empty()),
            Self::Inconclusive(_) => false,
        }
    }
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Inconclusive {
    /// All parts are equal on both sides.
    Equal,
    /// All parts of either side give the same result.
    NoDifference {
        /// The common answer.
        answer: Answer,
    },
    /// All parts of one side give no answer.
    CannotTell {
        /// Whether that side is the good one.
        good: bool,
        /// The reason.
        reason: String,
    },
    /// Parts whose effect did not occur again.
    NotAgain {
        /// The parts.
        parts: Vec<String>,
    },
    /// Two parts with the same name.
    SameName(MinimalSetsError),
}

/// A search for guilty parts.
pub struct PartSearch<'a> {
    /// Executes captures. It names every failure: see [`SoughtFailure::prober_names_all`].
    pub prober: &'a Prober<'a>,
    /// The parts.
    pub mixture: &'a dyn Mixture,
    /// The sought failure.
    pub sought: SoughtFailure,
    /// The largest number of parallel runs.
    pub jobs: usize,
    /// The log of probes.
    pub log: Option<Mutex<Log<Vec<String>>>>,
    /// Receives the progress.
    pub progress: &'a (dyn Fn(Progress) + Sync),
    runs: AtomicU64,
    reasons: Mutex<BTreeMap<SetQuestion, String>>,
}

impl<'a> PartSearch<'a> {
    /// A search without a log that does not report its progress.
    pub const fn new(
        prober: &'a Prober<'a>,
        mixture: &'a dyn Mixture,
        sought: SoughtFailure,
        jobs: usize,
    ) -> Self {
        Self {
            prober,
            mixture,
            sought,
            jobs,
            log: None,
            progress: &|_| (),
            runs: AtomicU64::new(0),
            reasons: Mutex::new(BTreeMap::new()),
        }
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
        let parts = self.mixture.parts();
        if parts.is_empty() {
            return Ok(Conclusion::Inconclusive(Inconclusive::Equal));
        }
        let mut search = match MinimalSets::new(parts.clone(), MOST_SETS) {
            Ok(search) => search,
            Err(error) => return Ok(Conclusion::Inconclusive(Inconclusive::SameName(error))),
        };
        let outcome = loop {
            if let Some(outcome) = search.outcome() {
                break outcome;
            }
            let questions = search.questions(self.jobs.max(1));
            let answers = self.ask(&search, &parts, &questions)?;
            for (question, answer) in questions.iter().zip(answers) {
                search.answer(question, answer);
            }
        };
        let named = |items: &[Item]| -> Vec<String> {
            items.iter().filter_map(|item| search.name(*item)).map(str::to_owned).collect()
        };
        Ok(match outcome {
            MinimalSetsOutcome::Sets { effect, sets, all } => {
                let sets: Vec<GuiltySet> = sets
                    .iter()
                    .map(|set| GuiltySet {
                        parts: named(&set.items),
                        confirmed: set.confirmed,
                        cannot_tell: named(&set.cannot_tell),
                        reasons: set
                            .cannot_tell
                            .iter()
                            .map(|it| self.reason_without(set, *it))
                            .collect(),
                    })
                    .collect();
                match sets.iter().find(|set| !set.confirmed) {
                    Some(set) => {
                        let parts = set.parts.clone();
                        Conclusion::Inconclusive(Inconclusive::NotAgain { parts })
                    }
                    None => Conclusion::Found { effect, sets, all },
                }
            }
            MinimalSetsOutcome::NoDifference { none, all } => {
                let on = |good: bool| parts.iter().filter(move |_| !good);
                let reason =
                    |good: bool| self.reason(on(good).map(|name| Item::named(name)).collect());
                Conclusion::Inconclusive(match (none, all) {
                    (Answer::CannotTell, _) => {
                        Inconclusive::CannotTell { good: true, reason: reason(true) }
                    }
                    (_, Answer::CannotTell) => {
                        Inconclusive::CannotTell { good: false, reason: reason(false) }
                    }
                    (answer, _) => Inconclusive::NoDifference { answer },
                })
            }
        })
    }

    /// Why the first run of a set gave no answer.
    fn reason(&self, on: BTreeSet<Item>) -> String {
        let reasons = self.reasons.lock().unwrap_or_else(PoisonError::into_inner);
        reasons.get(&SetQuestion { on, run: 0 }).cloned().unwrap_or_default()
    }

    /// Why the run of a set without one of its parts gave no answer.
    fn reason_without(&self, set: &MinimalSet, part: Item) -> String {
        self.reason(set.items.iter().copied().filter(|item| *item != part).collect())
    }

    /// Asks several questions in parallel, and evaluates the results in the questions' order.
    fn ask(
        &self,
        search: &MinimalSets,
        parts: &[String],
        questions: &[SetQuestion],
    ) -> Result<Vec<Answer>, Stopped> {
        let numbers = |question: &SetQuestion| -> Vec<usize> {
            let on = search.names(question);
            let named = (0..).zip(parts).filter(|(_, name)| on.contains(&name.as_str()));
            named.map(|(number, _)| number).collect()
        };
        let probe = |question: &SetQuestion| self.probe(&numbers(question), question.run);
        let mut answers = Vec::with_capacity(questions.len());
        for (question, result) in questions.iter().zip(at_once(questions, probe)) {
            let result = match result? {
                Ok(probed) => {
                    if let (Some(log), Some(elapsed)) = (&self.log, probed.elapsed) {
                        let about = search.names(question).into_iter().map(str::to_owned).collect();
                        let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
                        log.append(about, probed.key, probed.result.clone(), elapsed)?;
                    }
                    probed.result
                }
                Err(reason) => ProbeResult::CannotTell(reason),
            };
            if result == ProbeResult::CannotTell(CannotTell::Interrupted) {
                return Err(Stopped::Interrupted);
            }
            let (answer, reason) = self.sought.answer(&result);
            if let Some(reason) = reason {
                let mut reasons = self.reasons.lock().unwrap_or_else(PoisonError::into_inner);
                reasons.insert(question.clone(), reason);
            }
            answers.push(answer);
        }
        Ok(answers)
    }

    fn probe(&self, bad: &[usize], run: u32) -> Result<Result<Probed, CannotTell>, ProbeError> {
        let runs = self.runs.fetch_add(1, Ordering::Relaxed).saturating_add(1);
        let parts = self.mixture.parts().len();
        (self.progress)(Progress { runs, bad_parts: bad.len(), parts });
        let Mixed { capture, executor } = match self.mixture.with(bad) {
            Ok(mixed) => mixed,
            Err(reason) => return Ok(Err(reason)),
        };
        let seed = executor.programs.schedule_seed;
        self.prober.probe_run(&capture, &executor, seed, run).map(Ok)
    }
}
