//! Comparisons of both sides of a candidate, and their log: a search that was stopped does not make them again.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use hallmark_execution::worker::state::StateJob;
use hallmark_pipeline::signature::Signature;
use hallmark_schema::model::ContentHash;
use hallmark_schema::plural::counted;
use hallmark_schema_editing::Edited;
use serde::{Deserialize, Serialize};

use super::conclusion::Inconclusive;
use super::sign::{Found, Sign, first_sign};
use super::{Bisecting, Observation, Pair, Stopped};
use crate::log::{Line, Log, LogError, ResumedLog};
use crate::probe::{CannotTell, ProbeKey};

/// What both sides of a candidate are beside each other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Sides {
    /// They differ.
    Differ(Found),
    /// They do not.
    Agree,
    /// The good side is not good.
    GoodFails {
        /// How.
        signature: Signature,
    },
    /// A run says nothing.
    CannotTell(CannotTell),
}

/// A candidate on both sides, as the log keeps it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Comparison {
    sides: Sides,
    /// The calls after which the good side's memory was looked at.
    looked: BTreeSet<u32>,
    /// Whether memory was looked at on both sides.
    memory: bool,
    /// Whether the good side did something else than in its first run.
    good_differs: bool,
    /// How many runs it took.
    runs: usize,
}

impl Comparison {
    /// The first sign of a difference.
    pub(super) const fn found(&self) -> Option<&Found> {
        match &self.sides {
            Sides::Differ(found) => Some(found),
            Sides::Agree | Sides::GoodFails { .. } | Sides::CannotTell(_) => None,
        }
    }

    /// Whether the good side's memory was looked at after a call.
    pub(super) fn looked_after(&self, call: u32) -> bool {
        self.looked.contains(&call)
    }

    /// Whether memory was looked at on both sides.
    pub(super) const fn has_memory(&self) -> bool {
        self.memory
    }

    /// Whether the good side did something else than in its first run.
    pub(super) const fn good_differs(&self) -> bool {
        self.good_differs
    }

    /// It says what the sides are.
    fn told(self) -> Result<Self, Stopped> {
        match self.sides {
            Sides::Differ(_) | Sides::Agree => Ok(self),
            Sides::GoodFails { signature } => Err(Inconclusive::GoodFails { signature }.into()),
            Sides::CannotTell(reason) => Err(Inconclusive::CannotTell(reason).into()),
        }
    }
}

/// What it is, in words.
impl std::fmt::Display for Comparison {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.sides {
            Sides::Differ(found) => match &found.sign {
                Sign::Call(signature) | Sign::Read(signature) => {
                    write!(formatter, "the sides differ at call {}: {signature}", found.at)
                }
                Sign::Memory(buffers) => {
                    let names: Vec<&str> = buffers.iter().map(|it| it.name.as_str()).collect();
                    let names = names.join(", ");
                    write!(formatter, "the sides differ after call {} in {names}", found.at)
                }
            },
            Sides::Agree => formatter.write_str("the sides agree"),
            Sides::GoodFails { signature } => {
                write!(formatter, "the good side fails by itself: {signature}")
            }
            Sides::CannotTell(reason) => write!(formatter, "cannot be told: {reason}"),
        }
    }
}

/// The log of a search over commands: its comparisons, each with what was compared.
#[derive(Debug)]
pub struct ComparisonLog {
    log: Mutex<Log<String, Comparison>>,
    known: BTreeMap<ProbeKey, Comparison>,
    /// How often each candidate has been compared in this search: a flaky failure takes several runs.
    compared: Mutex<BTreeMap<ProbeKey, u32>>,
    problem: Mutex<Option<LogError>>,
}

impl ComparisonLog {
    /// A log that is written on, with what it holds already.
    pub fn new((log, lines): ResumedLog<String, Comparison>) -> Self {
        let known = lines.into_iter().map(|Line { key, result, .. }| (key, result)).collect();
        let (compared, problem) = (Mutex::default(), Mutex::default());
        Self { log: Mutex::new(log), known, compared, problem }
    }

    /// Why the log could not be written, if it could not. The search was interrupted then.
    pub fn problem(&self) -> Option<String> {
        let problem = self.problem.lock().unwrap_or_else(PoisonError::into_inner);
        problem.as_ref().map(ToString::to_string)
    }

    /// Names the next comparison of a candidate.
    fn next(&self, key: ProbeKey) -> ProbeKey {
        let mut compared = self.compared.lock().unwrap_or_else(PoisonError::into_inner);
        let run = compared.entry(key).or_default();
        let key = ProbeKey { run: *run, ..key };
        *run = run.saturating_add(1);
        key
    }

    fn append(&self, about: String, key: ProbeKey, comparison: &Comparison, elapsed: Duration) {
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = log.append(about, key, comparison.clone(), elapsed) {
            let mut problem = self.problem.lock().unwrap_or_else(PoisonError::into_inner);
            problem.get_or_insert(error);
        }
    }

    fn is_unwritable(&self) -> bool {
        self.problem.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }
}

impl Bisecting<'_> {
    /// Both sides of a candidate, with looks after some of its calls: carried out now, or as the log has it. `first` is the
    /// good side's first run, if there is one; what is carried out now is given back beside the comparison.
    ///
    /// # Errors
    /// A side says nothing, or the good side fails.
    pub(super) fn compared(
        &self,
        candidate: &Edited,
        state: &StateJob,
        open: &BTreeSet<u32>,
        first: Option<&Observation>,
    ) -> Result<(Comparison, Option<Pair>), Stopped> {
        let Some(log) = self.log else {
            let mut runs = 0;
            let pair = self.observe_counted(candidate, state.clone(), &mut runs)?;
            return Ok((self.comparison(candidate, &pair, open, first, runs), Some(pair)));
        };
        if log.is_unwritable() {
            return Err(Inconclusive::CannotTell(CannotTell::Interrupted).into());
        }
        let key = log.next(self.key(candidate, state)?);
        if let Some(known) = log.known.get(&key) {
            self.runs.update(|runs| runs.saturating_add(known.runs));
            self.tell();
            return known.clone().told().map(|known| (known, None));
        }
        let begin = Instant::now();
        let mut runs = 0;
        let observed = self.observe_counted(candidate, state.clone(), &mut runs);
        let without = |sides| Comparison {
            sides,
            looked: BTreeSet::new(),
            memory: false,
            good_differs: false,
            runs,
        };
        let (comparison, pair) = match observed {
            Ok(pair) => (self.comparison(candidate, &pair, open, first, runs), Some(pair)),
            Err(stopped) => match stopped.of_one_candidate()? {
                Inconclusive::GoodFails { signature } => {
                    (without(Sides::GoodFails { signature }), None)
                }
                Inconclusive::CannotTell(reason) => (without(Sides::CannotTell(reason)), None),
                // It says nothing of the candidate.
                other => return Err(other.into()),
            },
        };
        log.append(self.about(candidate, state), key, &comparison, begin.elapsed());
        comparison.told().map(|comparison| (comparison, pair))
    }

    fn comparison(
        &self,
        candidate: &Edited,
        pair: &Pair,
        open: &BTreeSet<u32>,
        first: Option<&Observation>,
        runs: usize,
    ) -> Comparison {
        let good_differs = first
            .is_some_and(|first| first_sign(candidate, first, &pair.good, open, None).is_some());
        let sides = match first_sign(candidate, &pair.good, &pair.bad, open, self.sought.as_ref()) {
            Some(found) => {
                self.prober.distrust(self.bad);
                Sides::Differ(found)
            }
            None => Sides::Agree,
        };
        let looked = pair.good.notes.keys().copied().collect();
        Comparison { sides, looked, memory: pair.has_memory(), good_differs, runs }
    }

    /// What a comparison is about, for people.
    fn about(&self, candidate: &Edited, state: &StateJob) -> String {
        let (after, until) = self.bracket.get();
        let from = after.map_or(0, |after| after.0.saturating_add(1));
        let calls = counted(candidate.capture.program.commands.len(), "call", "calls");
        let looks = counted(state.after.len(), "look", "looks");
        format!("commands {from} to {until} in question: {calls} with {looks}")
    }

    /// The identity of a comparison, whichever run of it: who compares what, and where memory is looked at.
    fn key(&self, candidate: &Edited, state: &StateJob) -> Result<ProbeKey, Stopped> {
        let unwritable = |reason: String| {
            Stopped::from(Inconclusive::CannotTell(CannotTell::Unwritable { reason }))
        };
        let mut bytes =
            candidate.capture.to_bytes().map_err(|error| unwritable(error.to_string()))?;
        bytes.extend(serde_json::to_vec(state).map_err(|error| unwritable(error.to_string()))?);
        let seed = self.bad.programs.schedule_seed;
        // The log's first line holds both sides, so that no other one has the same log.
        let executor = ContentHash::of(self.bad.to_string().as_bytes());
        Ok(ProbeKey { candidate: ContentHash::of(&bytes), executor, seed, run: 0 })
    }
}
