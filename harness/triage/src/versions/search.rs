//! Determines the relevant axes, and the place of the change on each.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use hallmark_chip::Architecture;
use hallmark_execution::executor::{Executor, ExecutorChoice, ProgramSettings};
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

/// The number of schedule seeds tried for one under which the ends differ.
const SEEDS: u64 = 64;
/// The number of seeds under which the ends must differ in the same direction before the remaining seeds are
/// skipped: by chance this happens in fewer than 1 % of all searches.
const ENOUGH_SEEDS: usize = 8;
/// The largest number of sets of axes that are searched for; more causes of one failure are rarely useful.
const MOST_SETS: usize = 4;

/// The confidence and the budget of an answer.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The confidence.
    pub confidence: Confidence,
    /// The budget of runs along an axis.
    pub budget: Option<u64>,
    /// Whether the failure is known to be flaky, so that the search continues even if neither end fails at
    /// first.
    pub flaky: bool,
}

/// The progress of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The number of runs so far.
    pub runs: u64,
    /// The axis being searched, once the relevant one is known.
    pub axis: Option<AxisKind>,
    /// The versions between which the answer changes, as far as known.
    pub bracket: Option<(String, String)>,
}

/// A relevant axis, with the result along it.
#[derive(Clone, Debug, PartialEq)]
pub struct Culprit {
    /// The index of the axis.
    pub axis: usize,
    /// The place on it, with the runs. Positions are the axis's versions.
    pub found: NoisyBisection,
}

/// The conclusion of a search.
#[derive(Clone, Debug, PartialEq)]
pub enum Conclusion {
    /// Some axes are decisive.
    Found {
        /// Whether the last versions cause the failure or cure it.
        effect: Effect,
        /// Sets of axes that have the effect alone; the effect needs all axes of a set.
        culprits: Vec<Vec<Culprit>>,
        /// Whether these are all sets.
        all: bool,
    },
    /// There is no answer.
    Inconclusive(Inconclusive),
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Inconclusive {
    /// The first and the last versions have the same answer.
    NoDifference {
        /// The common answer.
        answer: Answer,
    },
    /// The first versions, or the last ones, give no answer.
    CannotTell {
        /// Whether it is the first ones.
        first: bool,
    },
    /// Under some schedule seeds only the first versions fail, and under others only the last ones, about
    /// equally often.
    EitherWay {
        /// The seeds under which the first versions fail, of all.
        first: Counts,
        /// The seeds under which the last versions fail, of all.
        last: Counts,
    },
    /// A set of axes whose effect did not occur again.
    NotAgain {
        /// The indices of the axes.
        axes: Vec<usize>,
    },
    /// The search along an axis was inconclusive.
    Along(Box<Culprit>),
}

/// See [`VersionSearch::prepare`].
pub type PrepareVersion<'a> = dyn Fn(usize) -> Result<Option<String>, Stopped> + 'a;

/// A search along axes of versions.
pub struct VersionSearch<'a> {
    /// Executes captures.
    pub prober: &'a Prober<'a>,
    /// The axes.
    pub axes: &'a [Axis],
    /// The executor whose parts the versions replace.
    pub executor: &'a ExecutorChoice,
    /// The failing capture, unless captures are an axis.
    pub capture: &'a Arc<Capture>,
    /// Its architecture.
    pub architecture: Architecture,
    /// The default settings of programs on an executor.
    pub programs: &'a ProgramSettings,
    /// The confidence and the budget.
    pub options: Options,
    /// The sought failure.
    pub sought: SoughtFailure,
    /// The time at which the search along an axis gives up; `None` for no limit.
    pub deadline: Option<Instant>,
    /// The log of probes.
    pub log: Option<RefCell<Log<String>>>,
    /// Makes a version of the first axis, by its index, before it is run; gives the reason why it cannot be run, if it cannot.
    pub prepare: &'a PrepareVersion<'a>,
    /// Receives the progress.
    pub progress: &'a dyn Fn(&Progress),
    runs: Cell<u64>,
    /// The schedule seed of every run, if it replaces the executor's.
    seed: Cell<Option<u64>>,
    reasons: RefCell<BTreeMap<Vec<usize>, String>>,
    refused: Cell<bool>,
}

impl<'a> VersionSearch<'a> {
    /// A search without a log that does not report its progress.
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
            prepare: &|_| Ok(None),
            progress: &|_| (),
            runs: Cell::new(0),
            seed: Cell::new(None),
            reasons: RefCell::default(),
            refused: Cell::new(false),
        }
    }

    /// The number of runs, without those from a log.
    pub const fn runs(&self) -> u64 {
        self.runs.get()
    }

    /// The schedule seed under which every run has the failure, if one was searched for and found.
    pub const fn seed(&self) -> Option<u64> {
        self.seed.get()
    }

    /// Whether an executor could not replay a capture at all.
    pub const fn has_refused(&self) -> bool {
        self.refused.get()
    }

    /// Why combinations of versions gave no answer, by the indices of their versions.
    pub fn reasons(&self) -> BTreeMap<Vec<usize>, String> {
        self.reasons.borrow().clone()
    }

    /// Runs the search.
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
        // Each axis has another kind, so names are unique.
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

    /// Chooses a schedule seed, if the seed determines whether a flaky failure occurs: every run under some
    /// seeds then has it. A single seed under which the ends differ does not show which end is worse: two
    /// equally flaky ends differ under many seeds. So the chosen seed must agree with the failure rates of both
    /// ends. Returns the reason if the ends differ in both directions.
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

    /// The indices of the axes with these names.
    fn numbers(&self, names: &[&str]) -> Vec<usize> {
        let named = self.axes.iter().enumerate().filter(|(_, it)| names.contains(&it.kind.name()));
        named.map(|(number, _)| number).collect()
    }

    /// The last usable version of some axes, and the first one of all others.
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

    /// Searches one axis, with fixed versions of the others.
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

    /// Whether all runs along an axis are deterministic.
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

    /// The result of a combination of versions in one of its runs.
    fn probe(&self, versions: &[usize], run: u32) -> Result<Answer, Stopped> {
        if let Some(version) = versions.first()
            && let Some(reason) = (self.prepare)(*version)?
        {
            self.reasons.borrow_mut().insert(versions.to_vec(), reason);
            return Ok(Answer::CannotTell);
        }
        let Combination { executor, capture } = self.base().with(self.axes, versions);
        let seed = self.seed.get().unwrap_or(executor.programs.schedule_seed);
        let probed = self.prober.probe_run(&capture, &executor, seed, run)?;
        if let Some(elapsed) = probed.elapsed {
            self.runs.set(self.runs.get().saturating_add(1));
            if let Some(log) = &self.log {
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

    /// The good and the bad executor next to each other, if whole executors are the only axis of the search.
    pub fn neighbours(&self, conclusion: &Conclusion) -> Option<[Executor; 2]> {
        let Conclusion::Found { effect, culprits, .. } = conclusion else { return None };
        let ([axis], [together]) = (self.axes, culprits.as_slice()) else { return None };
        let ([culprit], AxisKind::Executor) = (together.as_slice(), axis.kind) else { return None };
        let Bisected::Found { bisection, .. } = &culprit.found.conclusion else { return None };
        let hallmark_search::Bisection::Boundary { before, after, cannot_tell, .. } = bisection
        else {
            return None;
        };
        if !cannot_tell.is_empty() {
            return None;
        }
        let executor = |position: &Position| self.base().with(self.axes, &[position.0]).executor;
        let [before, after] = [executor(before), executor(after)];
        Some(match effect {
            Effect::Causes => [before, after],
            Effect::Cures => [after, before],
        })
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
