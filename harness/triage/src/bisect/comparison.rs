//! Comparisons of both sides of a candidate, and their log, so that a resumed search does not repeat them.

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

/// The result of a comparison.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Sides {
    /// They differ.
    Differ(Found),
    /// They do not.
    Agree,
    /// The good side fails.
    GoodFails {
        /// Its failure.
        signature: Signature,
    },
    /// A run gives no answer.
    CannotTell(CannotTell),
}

/// A comparison of both sides of a candidate, as in the log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Comparison {
    sides: Sides,
    /// The calls after which the good side's memory was read.
    looked: BTreeSet<u32>,
    /// Whether memory was read on both sides.
    memory: bool,
    /// Whether the good side deviated from its first run.
    good_differs: bool,
    /// The number of runs.
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

    /// Whether the good side's memory was read after a call.
    pub(super) fn looked_after(&self, call: u32) -> bool {
        self.looked.contains(&call)
    }

    /// Whether memory was read on both sides.
    pub(super) const fn has_memory(&self) -> bool {
        self.memory
    }

    /// Whether the good side deviated from its first run.
    pub(super) const fn good_differs(&self) -> bool {
        self.good_differs
    }

    /// The comparison, if it gives an answer.
    fn told(self) -> Result<Self, Stopped> {
        match self.sides {
            Sides::Differ(_) | Sides::Agree => Ok(self),
            Sides::GoodFails { signature } => Err(Inconclusive::GoodFails { signature }.into()),
            Sides::CannotTell(reason) => Err(Inconclusive::CannotTell(reason).into()),
        }
    }
}

/// The result in words.
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

/// The log of a search over commands: its comparisons, each with a description.
#[derive(Debug)]
pub struct ComparisonLog {
    log: Mutex<Log<String, Comparison>>,
    known: BTreeMap<ProbeKey, Comparison>,
    /// The number of comparisons of each candidate in this search: a flaky failure takes several runs.
    compared: Mutex<BTreeMap<ProbeKey, u32>>,
    problem: Mutex<Option<LogError>>,
}

impl ComparisonLog {
    /// A log that is continued, with its previous lines.
    pub fn new((log, lines): ResumedLog<String, Comparison>) -> Self {
        let known = lines.into_iter().map(|Line { key, result, .. }| (key, result)).collect();
        let (compared, problem) = (Mutex::default(), Mutex::default());
        Self { log: Mutex::new(log), known, compared, problem }
    }

    /// The error on writing the log, if one occurred. It interrupted the search.
    pub fn problem(&self) -> Option<String> {
        let problem = self.problem.lock().unwrap_or_else(PoisonError::into_inner);
        problem.as_ref().map(ToString::to_string)
    }

    /// The key of the next comparison of a candidate.
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
    /// A comparison of both sides of a candidate, with memory read after some of its calls: made now, or taken
    /// from the log. `first` is the good side's first run, if there is one. New runs are returned together with
    /// the comparison.
    ///
    /// # Errors
    /// A side gives no answer, or the good side fails.
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
                // Such an error gives no answer about the candidate.
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

    /// The description of a comparison, for people.
    fn about(&self, candidate: &Edited, state: &StateJob) -> String {
        let (after, until) = self.bracket.get();
        let from = after.map_or(0, |after| after.0.saturating_add(1));
        let calls = counted(candidate.capture.program.commands.len(), "call", "calls");
        let looks = counted(state.after.len(), "look", "looks");
        format!("commands {from} to {until} in question: {calls} with {looks}")
    }

    /// The identity of a comparison without its run number: the sides, the candidate, and the places where
    /// memory is read.
    fn key(&self, candidate: &Edited, state: &StateJob) -> Result<ProbeKey, Stopped> {
        let unwritable = |reason: String| {
            Stopped::from(Inconclusive::CannotTell(CannotTell::Unwritable { reason }))
        };
        let mut bytes =
            candidate.capture.to_bytes().map_err(|error| unwritable(error.to_string()))?;
        bytes.extend(serde_json::to_vec(state).map_err(|error| unwritable(error.to_string()))?);
        let seed = self.bad.programs.schedule_seed;
        // The log's first line contains both sides, so that different searches have different logs.
        let executor = ContentHash::of(self.bad.to_string().as_bytes());
        Ok(ProbeKey { candidate: ContentHash::of(&bytes), executor, seed, run: 0 })
    }
}
