//! Which axes matter, and where on each of them.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use hallmark_chip::Architecture;
use hallmark_execution::executor::{ExecutorChoice, ProgramSettings};
use hallmark_pipeline::signature::MatchLevel;
use hallmark_schema::model::Capture;
use hallmark_search::statistics::{Confidence, Counts, Rates};
use hallmark_search::{
    Answer, Conclusion as Bisected, Effect, MinimalSets, MinimalSetsOutcome, NoisyBisect,
    NoisyBisection, Position, Search, SetQuestion, conclude,
};

use super::axis::{Axis, AxisKind};
use super::combination::{Base, Combination};
use crate::log::Log;
use crate::probe::{CannotTell, ProbeResult, Prober};
use crate::sought_failure::SoughtFailure;
use crate::stopped::Stopped;

/// How many schedule seeds are tried for one under which the ends differ.
const SEEDS: u64 = 64;
/// Under so many seeds the ends must differ, always the same way round, before the other seeds are left out: by luck they
/// do so in fewer than 1 % of all searches.
const ENOUGH_SEEDS: usize = 8;
/// How many sets of axes are looked for: more causes of one failure are seldom of use to anybody.
const MOST_SETS: usize = 4;

/// How sure the answer has to be, and what it may cost.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// How sure.
    pub confidence: Confidence,
    /// How many runs there may be along an axis.
    pub budget: Option<u64>,
    /// The failure is known to be flaky: it is looked for although neither end fails at first.
    pub flaky: bool,
}

/// How far a search is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Runs so far.
    pub runs: u64,
    /// The axis that is searched, once it is known which one matters.
    pub axis: Option<AxisKind>,
    /// The versions between which the answer changes, as far as they are known.
    pub bracket: Option<(String, String)>,
}

/// An axis that matters, with what was found along it.
#[derive(Clone, Debug, PartialEq)]
pub struct Culprit {
    /// Which axis, by its number.
    pub axis: usize,
    /// Where on it, and by which runs that is known. Positions are the axis's versions.
    pub found: NoisyBisection,
}

/// What came of a search.
#[derive(Clone, Debug, PartialEq)]
pub enum Conclusion {
    /// Some axes decide.
    Found {
        /// Whether the last versions cause the failure or cure it.
        effect: Effect,
        /// Sets of axes that have the effect by themselves; all axes of a set are needed for it.
        culprits: Vec<Vec<Culprit>>,
        /// Whether there are no other sets.
        all: bool,
    },
    /// There is no answer.
    Inconclusive(Inconclusive),
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Inconclusive {
    /// The first versions and the last ones answer alike.
    NoDifference {
        /// What they answer.
        answer: Answer,
    },
    /// The first versions, or the last ones, cannot be told.
    CannotTell {
        /// Whether it is the first ones.
        first: bool,
    },
    /// Under some schedule seeds only the first versions fail, and under others only the last ones, about as often.
    EitherWay {
        /// Under how many seeds the first versions fail.
        first: Counts,
        /// Under how many seeds the last versions fail.
        last: Counts,
    },
    /// A set of axes had the effect once and not again.
    NotAgain {
        /// The axes, by their numbers.
        axes: Vec<usize>,
    },
    /// The search along an axis came to nothing.
    Along(Box<Culprit>),
}

/// A search along axes of versions.
pub struct VersionSearch<'a> {
    /// Who carries captures out.
    pub prober: &'a Prober<'a>,
    /// The axes.
    pub axes: &'a [Axis],
    /// The executor whose parts the versions replace.
    pub executor: &'a ExecutorChoice,
    /// What fails, unless captures are an axis.
    pub capture: &'a Arc<Capture>,
    /// Its architecture.
    pub architecture: Architecture,
    /// How programs run on an executor that does not say it.
    pub programs: &'a ProgramSettings,
    /// How sure, at which price.
    pub options: Options,
    /// The failure that is looked for.
    pub sought: SoughtFailure,
    /// When the search along an axis gives up, if it may not take as long as it needs.
    pub deadline: Option<Instant>,
    /// Where each probe is written.
    pub log: Option<RefCell<Log<String>>>,
    /// Hears how far the search is.
    pub progress: &'a dyn Fn(&Progress),
    runs: Cell<u64>,
    /// The schedule seed of every run, if it is not the executor's.
    seed: Cell<Option<u64>>,
    reasons: RefCell<BTreeMap<Vec<usize>, String>>,
    refused: Cell<bool>,
}

impl<'a> VersionSearch<'a> {
    /// A search without a log that tells nobody how far it is.
    pub fn new(
        prober: &'a Prober<'a>,
        axes: &'a [Axis],
        executor: &'a ExecutorChoice,
        capture: &'a Arc<Capture>,
        programs: &'a ProgramSettings,
        options: Options,
    ) -> Self {
        Self {
            prober,
            axes,
            executor,
            capture,
            architecture: capture.program.architecture,
            programs,
            options,
            sought: SoughtFailure::new(None, MatchLevel::default()),
            deadline: None,
            log: None,
            progress: &|_| (),
            runs: Cell::new(0),
            seed: Cell::new(None),
            reasons: RefCell::default(),
            refused: Cell::new(false),
        }
    }

    /// How many runs there were. A run that a log knew is none.
    pub const fn runs(&self) -> u64 {
        self.runs.get()
    }

    /// The schedule seed under which the failure is there in every run, if one was looked for and found.
    pub const fn seed(&self) -> Option<u64> {
        self.seed.get()
    }

    /// Whether an executor could not replay a capture at all.
    pub const fn has_refused(&self) -> bool {
        self.refused.get()
    }

    /// Why combinations of versions could not be told, by the numbers of their versions.
    pub fn reasons(&self) -> BTreeMap<Vec<usize>, String> {
        self.reasons.borrow().clone()
    }

    /// Searches.
    ///
    /// # Errors
    /// [`Stopped`].
    pub fn run(&self) -> Result<Conclusion, Stopped> {
        if let Some(inconclusive) = self.choose_seed()? {
            return Ok(Conclusion::Inconclusive(inconclusive));
        }
        if let [axis] = self.axes {
            let culprit = self.along(0, axis, &self.ends(&[]))?;
            let Bisected::Found { bisection, .. } = &culprit.found.conclusion else {
                return Ok(Conclusion::Inconclusive(Inconclusive::Along(Box::new(culprit))));
            };
            let effect = effect_of(bisection);
            let culprits = vec![vec![culprit]];
            return Ok(Conclusion::Found { effect, culprits, all: true });
        }
        // Axes are told apart by their kinds, so no two have one name.
        let names = self.axes.iter().map(|axis| axis.kind.name());
        let Ok(mut sets) = MinimalSets::new(names, MOST_SETS) else {
            return Ok(Conclusion::Inconclusive(Inconclusive::CannotTell { first: true }));
        };
        let outcome = {
            let names = sets.clone();
            conclude(&mut sets, |question| {
                let last = self.numbers(&names.names(question));
                self.probe(&self.ends(&last), question.run)
            })?
        };
        let (effect, found, all) = match outcome {
            MinimalSetsOutcome::Sets { effect, sets, all } => (effect, sets, all),
            MinimalSetsOutcome::NoDifference { none, all } => {
                let inconclusive = match (none, all) {
                    (Answer::CannotTell, _) => Inconclusive::CannotTell { first: true },
                    (_, Answer::CannotTell) => Inconclusive::CannotTell { first: false },
                    (answer, _) => Inconclusive::NoDifference { answer },
                };
                return Ok(Conclusion::Inconclusive(inconclusive));
            }
        };
        let mut culprits = Vec::new();
        for set in found {
            let question = SetQuestion { on: set.items.iter().copied().collect(), run: 0 };
            let axes = self.numbers(&sets.names(&question));
            if !set.confirmed {
                return Ok(Conclusion::Inconclusive(Inconclusive::NotAgain { axes }));
            }
            let held = self.ends(&axes);
            let mut together = Vec::new();
            for number in axes {
                let Some(axis) = self.axes.get(number) else { continue };
                let culprit = self.along(number, axis, &held)?;
                if !matches!(culprit.found.conclusion, Bisected::Found { .. }) {
                    return Ok(Conclusion::Inconclusive(Inconclusive::Along(Box::new(culprit))));
                }
                together.push(culprit);
            }
            culprits.push(together);
        }
        Ok(Conclusion::Found { effect, culprits, all })
    }

    /// Where a schedule seed decides whether a flaky failure is there, it is there in every run under some of them. A seed
    /// under which the ends differ does not say which of them is worse: two that fail equally often differ under many. So
    /// the seed is one that agrees with how often both fail. Gives why there is none, if the ends differ both ways.
    fn choose_seed(&self) -> Result<Option<Inconclusive>, Stopped> {
        let all: Vec<usize> = (0..self.axes.len()).collect();
        let ends = [self.ends(&[]), self.ends(&all)];
        let repeat =
            ends.iter().all(|end| self.base().with(self.axes, end).executor.device.repeats());
        if !self.options.flaky || !repeat {
            return Ok(None);
        }
        let mut runs = 0_u32;
        let mut failures = [0_u32; 2];
        let mut breaking = Vec::new();
        let mut mending = Vec::new();
        for seed in 0..SEEDS {
            self.seed.set(Some(seed));
            let answers = [self.probe(&ends[0], 0)?, self.probe(&ends[1], 0)?];
            if answers.contains(&Answer::CannotTell) {
                continue;
            }
            runs = runs.saturating_add(1);
            for (failures, answer) in failures.iter_mut().zip(answers) {
                *failures = failures.saturating_add(u32::from(answer == Answer::Fails));
            }
            match answers {
                [Answer::Passes, Answer::Fails] => breaking.push(seed),
                [Answer::Fails, Answer::Passes] => mending.push(seed),
                [_, _] => {}
            }
            let (fewer, more) =
                (breaking.len().min(mending.len()), breaking.len().max(mending.len()));
            if fewer == 0 && more >= ENOUGH_SEEDS {
                break;
            }
        }
        let [first, last] = failures.map(|failures| Counts::new(failures, runs));
        let seed = if mending.is_empty() || Rates::of(first, last).is_ok() {
            breaking.first()
        } else if breaking.is_empty() || Rates::of(last, first).is_ok() {
            mending.first()
        } else {
            self.seed.set(None);
            return Ok(Some(Inconclusive::EitherWay { first, last }));
        };
        self.seed.set(seed.copied());
        Ok(None)
    }

    /// The axes of these names, by their numbers.
    fn numbers(&self, names: &[&str]) -> Vec<usize> {
        let named = self.axes.iter().enumerate().filter(|(_, it)| names.contains(&it.kind.name()));
        named.map(|(number, _)| number).collect()
    }

    /// The last usable version of some axes and the first one of all others.
    fn ends(&self, last: &[usize]) -> Vec<usize> {
        let end = |(number, axis): (usize, &Axis)| {
            let mut usable = axis.versions.iter().map(|version| version.unusable.is_none());
            let end = if last.contains(&number) {
                let count = axis.versions.len();
                axis.versions
                    .iter()
                    .rposition(|version| version.unusable.is_none())
                    .unwrap_or(count)
            } else {
                usable.position(|usable| usable).unwrap_or_default()
            };
            end.min(axis.versions.len().saturating_sub(1))
        };
        self.axes.iter().enumerate().map(end).collect()
    }

    /// Searches one axis, with these versions of the others.
    fn along(&self, number: usize, axis: &Axis, held: &[usize]) -> Result<Culprit, Stopped> {
        let mut search = NoisyBisect::new(axis.versions.len(), self.options.confidence);
        for (index, version) in axis.versions.iter().enumerate() {
            if version.unusable.is_some() {
                search = search.cannot_tell(Position(index));
            }
        }
        if let Some(budget) = self.options.budget {
            search = search.budget(budget);
        }
        if self.repeats(held, number, axis.versions.len()) {
            search = search.repeatable();
        } else if self.options.flaky {
            search = search.known_to_fail();
        }
        let name = |position: Position| {
            axis.versions.get(position.0).map(|version| version.name.clone()).unwrap_or_default()
        };
        loop {
            if let Some(found) = search.outcome() {
                return Ok(Culprit { axis: number, found });
            }
            if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                search.stop();
                continue;
            }
            for run in search.questions(1) {
                (self.progress)(&Progress {
                    runs: self.runs.get(),
                    axis: Some(axis.kind),
                    bracket: search.bracket().map(|(before, after)| (name(before), name(after))),
                });
                let mut versions = held.to_vec();
                if let Some(version) = versions.get_mut(number) {
                    *version = run.position.0;
                }
                let answer = self.probe(&versions, run.run)?;
                search.answer(&run, answer);
            }
        }
    }

    /// Whether runs along an axis are alike.
    fn repeats(&self, held: &[usize], number: usize, count: usize) -> bool {
        (0..count).all(|version| {
            let mut versions = held.to_vec();
            if let Some(held) = versions.get_mut(number) {
                *held = version;
            }
            self.base().with(self.axes, &versions).executor.device.repeats()
        })
    }

    const fn base(&self) -> Base<'_> {
        Base {
            executor: self.executor,
            capture: self.capture,
            architecture: self.architecture,
            programs: self.programs,
        }
    }

    /// What a combination of versions does in one of its runs.
    fn probe(&self, versions: &[usize], run: u32) -> Result<Answer, Stopped> {
        let Combination { executor, capture } = self.base().with(self.axes, versions);
        let seed = self.seed.get().unwrap_or(executor.programs.schedule_seed);
        let probed = self.prober.probe_run(&capture, &executor, seed, run)?;
        if let Some(elapsed) = probed.elapsed {
            self.runs.set(self.runs.get().saturating_add(1));
            if let Some(log) = &self.log
                && probed.result != ProbeResult::CannotTell(CannotTell::Interrupted)
            {
                let about = self.words(versions);
                log.borrow_mut().append(about, probed.key, probed.result.clone(), elapsed)?;
            }
        }
        if probed.result == ProbeResult::CannotTell(CannotTell::Interrupted) {
            return Err(Stopped::Interrupted);
        }
        let refuses = matches!(probed.result, ProbeResult::CannotTell(CannotTell::Refused { .. }));
        self.refused.set(self.refused.get() || refuses);
        let (answer, reason) = self.sought.answer(&probed.result);
        if let Some(reason) = reason {
            self.reasons.borrow_mut().insert(versions.to_vec(), reason);
        }
        Ok(answer)
    }

    /// A combination in words: `firmware=fw/2 hallmark=this`.
    pub fn words(&self, versions: &[usize]) -> String {
        let parts = self.axes.iter().zip(versions).filter_map(|(axis, version)| {
            Some(format!("{}={}", axis.kind, axis.versions.get(*version)?.name))
        });
        parts.collect::<Vec<_>>().join(" ")
    }
}

fn effect_of(bisection: &hallmark_search::Bisection) -> Effect {
    use hallmark_search::{Bisection, Direction};
    match bisection {
        Bisection::Boundary { direction: Direction::Mends, .. } => Effect::Cures,
        Bisection::Boundary { direction: Direction::Breaks, .. }
        | Bisection::NoDifference { .. }
        | Bisection::NothingTold => Effect::Causes,
    }
}
