//! Which parts of the bad side cause a failure: its kernels, the images of its firmware, its cores, or waits that it lacks.
//!
//! Each [`Mixture`] runs a capture with some parts as the bad side has them and all others as the good side has them. The
//! search asks for the minimal sets of parts that break what is right, or mend what is wrong: which of the two is found
//! and not said. A part that is equal on both sides is none.

mod cores;
mod finishes;
mod images;
mod kernels;
mod reference;
mod words;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use hallmark_execution::executor::Executor;
use hallmark_schema::model::Capture;
use hallmark_search::{
    Answer, Effect, MinimalSets, MinimalSetsError, MinimalSetsOutcome, Search as _, SetQuestion,
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

/// How many minimal sets are looked for.
const MOST_SETS: usize = 8;

/// What the parts of a mixture are.
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
    /// How `--over` spells it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Kernels => "kernels",
            Self::Images => "images",
            Self::Cores => "cores",
            Self::Syncs => "syncs",
        }
    }
}

/// A capture, and who carries it out.
#[derive(Clone, Debug)]
pub struct Mixed {
    /// What is carried out.
    pub capture: Arc<Capture>,
    /// By whom.
    pub executor: Executor,
}

/// Parts of which each is as one side has it or as the other.
pub trait Mixture: Sync {
    /// What the parts are.
    fn kind(&self) -> PartKind;

    /// The parts in which the sides differ, by names that are all different.
    fn parts(&self) -> Vec<String>;

    /// How many parts both sides have alike.
    fn equal_parts(&self) -> usize;

    /// What runs when these parts, by their numbers, are as the bad side has them.
    ///
    /// # Errors
    /// There is no such mixture.
    fn with(&self, bad: &[usize]) -> Result<Mixed, CannotTell>;
}

/// How far a search is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Runs so far, those of a log among them.
    pub runs: u64,
    /// How many parts are as the bad side has them in what is asked now.
    pub bad_parts: usize,
    /// How many parts there are.
    pub parts: usize,
}

/// Parts that have the effect together, and have it no longer without any one of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GuiltySet {
    /// The parts.
    pub parts: Vec<String>,
    /// Whether a fresh run showed the effect again.
    pub confirmed: bool,
    /// Parts of the set without which nothing could be told.
    pub cannot_tell: Vec<String>,
}

/// What came of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Conclusion {
    /// Some parts decide.
    Found {
        /// Whether the parts of the bad side break what is right or mend what is wrong.
        effect: Effect,
        /// The minimal sets of parts that do it, each by itself.
        sets: Vec<GuiltySet>,
        /// Whether there are no other sets.
        all: bool,
    },
    /// There is no answer.
    Inconclusive(Inconclusive),
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Inconclusive {
    /// The sides have all parts alike.
    Equal,
    /// With all parts of either side the same comes out.
    NoDifference {
        /// What.
        answer: Answer,
    },
    /// With all parts of one side nothing can be told.
    CannotTell {
        /// Whether that side is the good one.
        good: bool,
        /// Why.
        reason: String,
    },
    /// Parts had an effect once and not again.
    NotAgain {
        /// The parts.
        parts: Vec<String>,
    },
    /// Two parts cannot be told apart.
    SameName(MinimalSetsError),
}

/// A search for guilty parts.
pub struct PartSearch<'a> {
    /// Who carries captures out. It names every failure: see [`SoughtFailure::prober_names_all`].
    pub prober: &'a Prober<'a>,
    /// The parts.
    pub mixture: &'a dyn Mixture,
    /// The failure that is looked for.
    pub sought: SoughtFailure,
    /// How many runs there may be at the same time.
    pub jobs: usize,
    /// Where each probe is written.
    pub log: Option<Mutex<Log<Vec<String>>>>,
    /// Hears how far the search is.
    pub progress: &'a (dyn Fn(Progress) + Sync),
    runs: AtomicU64,
    reasons: Mutex<BTreeMap<SetQuestion, String>>,
}

impl<'a> PartSearch<'a> {
    /// A search without a log that tells nobody how far it is.
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

    /// How many runs the answer took, those of a log among them.
    pub fn runs(&self) -> u64 {
        self.runs.load(Ordering::Relaxed)
    }

    /// Searches.
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
        let named = |items: &[hallmark_search::Item]| -> Vec<String> {
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
                let reason = |good: bool| {
                    let on = on(good).map(|name| hallmark_search::Item::named(name)).collect();
                    let reasons = self.reasons.lock().unwrap_or_else(PoisonError::into_inner);
                    reasons.get(&SetQuestion { on, run: 0 }).cloned().unwrap_or_default()
                };
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

    /// Asks several questions at the same time, and judges the results in the questions' order.
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
                    if let (Some(log), Some(elapsed)) = (&self.log, probed.elapsed)
                        && probed.result != ProbeResult::CannotTell(CannotTell::Interrupted)
                    {
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
