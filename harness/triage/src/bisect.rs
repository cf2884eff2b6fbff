//! The first bad command of a capture: the point where a bad executor deviates from a good one.
//!
//! The search observes instead of guessing, wherever it can. Both executors make all calls once and note the
//! content of memory whenever they are idle; the first differing call, read or page ends a bracket, and the
//! last equal note begins it. Inserted `finish` calls separate commands within the bracket. If the failure
//! disappears then, the commands lack an order (`order`). If memory cannot be read between calls, prefixes of
//! the capture are tried (`prefixes`).

mod bytes;
mod comparison;
mod conclusion;
mod cut;
mod flaky;
mod looks;
mod missing_write;
mod observation;
mod open_end;
mod order;
mod prefixes;
mod shared;
mod sign;
mod sought;
mod words;
mod written;

use std::collections::BTreeSet;
use std::fmt;
use std::time::Instant;

use hallmark_chip::FaultCategory;
use hallmark_execution::executor::Executor;
use hallmark_execution::worker::state::{StateJob, StateNote};
use hallmark_pipeline::signature::Signature;
use hallmark_schema::model::{Capture, CommandIndex};
use hallmark_schema_editing::{CommandSource, Edited, apply, insert_finish_after};

use self::bytes::Confirmed;
pub use self::comparison::{Comparison, ComparisonLog};
pub use self::conclusion::{
    Conclusion, Effort, FirstBad, Flakiness, Inconclusive, MemoryDifference, Missing, MissingOrder,
};
pub use self::cut::cut;
pub use self::flaky::FlakyOptions;
pub(super) use self::looks::device_commands;
use self::looks::open_buffers;
pub(super) use self::observation::Observation;
pub use self::open_end::with_open_end;
use self::shared::Shared;
use self::sign::{Found, first_sign};
pub use self::sought::SoughtSign;
pub use self::words::{Report, document, report};
pub use self::written::Written;
pub(super) use self::written::who_wrote;
use super::defects::{Defect, planted};
use super::probe::{CannotTell, ProbeError, Prober};

/// The largest number of rounds; each reads memory at more places of the remaining bracket.
const ROUNDS: usize = 8;
/// The usual number of runs of both sides if memory can be read: one to see the difference, one to narrow it,
/// one to confirm.
const USUAL_RUNS: usize = 6;

/// The standard of correctness.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Good {
    /// The results of another executor.
    Executor(Executor),
    /// The results in the capture.
    Recorded,
}

impl fmt::Display for Good {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Executor(executor) => executor.fmt(formatter),
            Self::Recorded => formatter.write_str("recorded"),
        }
    }
}

/// The progress of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The number of runs so far.
    pub runs: usize,
    /// The bracket of the first bad command: after the first command, up to the second.
    pub bracket: (Option<CommandIndex>, CommandIndex),
    /// The largest number of further runs, as far as it is known now.
    pub left: usize,
}

/// A search for the first bad command.
pub struct Bisecting<'a> {
    /// Executes candidates.
    pub prober: &'a Prober<'a>,
    /// The failing capture.
    pub capture: &'a Capture,
    /// The standard of correctness.
    pub good: &'a Good,
    /// The failing executor.
    pub bad: &'a Executor,
    /// Receives the progress.
    pub progress: &'a (dyn Fn(Progress) + Sync),
    /// The time at which the search gives up; `None` for no limit.
    pub deadline: Option<Instant>,
    /// The options of a flaky failure; `None` for a steady one.
    pub flaky: Option<FlakyOptions>,
    /// The largest number of candidates that run in parallel.
    pub jobs: usize,
    /// The sought failure; `None` for the first one that occurs.
    pub sought: Option<SoughtSign>,
    /// The log of comparisons, which also provides the known ones.
    pub log: Option<&'a ComparisonLog>,
    flakiness: Shared<Option<Flakiness>>,
    runs: Shared<usize>,
    /// The expected total number of runs.
    expected: Shared<usize>,
    bracket: Shared<(Option<CommandIndex>, CommandIndex)>,
}

/// Why a search ends without an answer.
#[derive(Debug)]
enum Stopped {
    /// No probe can be made.
    Probe(ProbeError),
    /// The search has no answer.
    Inconclusive(Box<Inconclusive>),
}

impl From<ProbeError> for Stopped {
    fn from(error: ProbeError) -> Self {
        Self::Probe(error)
    }
}

impl From<Inconclusive> for Stopped {
    fn from(inconclusive: Inconclusive) -> Self {
        Self::Inconclusive(Box::new(inconclusive))
    }
}

impl Stopped {
    /// Why a single candidate gives no answer, if the search can continue with others.
    ///
    /// # Errors
    /// The search cannot continue: no probe can be made, or the user ends it.
    fn of_one_candidate(self) -> Result<Inconclusive, Self> {
        match self {
            Self::Inconclusive(reason) if !reason.is_interrupted() => Ok(*reason),
            Self::Inconclusive(_) | Self::Probe(_) => Err(self),
        }
    }
}

/// The differences before a command that the device blames, with a `finish` after each command.
enum BeforeBlamed {
    /// The sides of this candidate differ earlier.
    Differs(Box<(Edited, Found)>),
    /// The failure disappears: the commands lack an order.
    Cured,
    /// No further information.
    Nothing,
}

/// Both sides of a candidate.
struct Pair {
    good: Observation,
    bad: Observation,
}

impl Pair {
    /// Whether both sides' memory was read after some call.
    fn has_memory(&self) -> bool {
        let both = |at: &u32| Some((self.good.notes.get(at)?, self.bad.notes.get(at)?));
        let shared = |(good, bad): (&StateNote, &StateNote)| {
            good.buffers.keys().any(|buffer| bad.buffers.contains_key(buffer))
        };
        self.good.notes.keys().filter_map(both).any(shared)
    }
}

impl<'a> Bisecting<'a> {
    /// A search that does not report its progress.
    pub fn new(
        prober: &'a Prober<'a>,
        capture: &'a Capture,
        good: &'a Good,
        bad: &'a Executor,
    ) -> Self {
        let last = capture.program.commands.len().saturating_sub(1);
        let last = CommandIndex(u32::try_from(last).unwrap_or(u32::MAX));
        Self {
            prober,
            capture,
            good,
            bad,
            progress: &|_| {},
            deadline: None,
            flaky: None,
            jobs: 1,
            sought: None,
            log: None,
            flakiness: Shared::new(None),
            runs: Shared::new(0),
            expected: Shared::new(USUAL_RUNS),
            bracket: Shared::new((None, last)),
        }
    }

    /// Runs the search.
    ///
    /// # Errors
    /// No probe can be made: [`ProbeError`].
    pub fn run(&self) -> Result<Conclusion, ProbeError> {
        match self.search() {
            Ok(conclusion) => Ok(self.of_sought(conclusion)),
            Err(Stopped::Inconclusive(reason)) => Ok(Conclusion::Inconclusive(*reason)),
            Err(Stopped::Probe(error)) => Err(error),
        }
    }

    /// The conclusion, unless it concerns another failure than the sought one.
    fn of_sought(&self, conclusion: Conclusion) -> Conclusion {
        match (&self.sought, conclusion.signature()) {
            (Some(sought), Some(signature)) if !sought.is(signature) => {
                let signature = sought.signature.clone();
                Conclusion::Inconclusive(Inconclusive::NotThere { signature })
            }
            (Some(_) | None, Some(_) | None) => conclusion,
        }
    }

    /// Whether one run of both sides shows a difference or fails in another way.
    ///
    /// # Errors
    /// As [`Bisecting::run`].
    pub fn differs(&self) -> Result<bool, ProbeError> {
        let whole = apply(&[], self.capture);
        match self.first_round(&whole, &open_buffers(&self.capture.program)) {
            Ok(_) => Ok(true),
            Err(Stopped::Inconclusive(reason)) => {
                let alike = |it: &Inconclusive| {
                    matches!(it, Inconclusive::NoDifference { .. } | Inconclusive::NotThere { .. })
                };
                Ok(!alike(&reason))
            }
            Err(Stopped::Probe(error)) => Err(error),
        }
    }

    fn search(&self) -> Result<Conclusion, Stopped> {
        let whole = apply(&[], self.capture);
        let open = open_buffers(&self.capture.program);
        let (looked, mut found) = match self.flaky {
            None => self.first_round(&whole, &open)?,
            Some(options) => self.calibrated(&whole, &open, options)?,
        };
        self.narrow(&whole, &found);
        if *self.good == Good::Recorded {
            return self.conclude_recorded(&found);
        }
        if found.blamed.is_some() {
            // The command that a device blames may only suffer from an earlier one.
            return match self.before_blamed(&whole, &found, &open)? {
                BeforeBlamed::Differs(earlier) => {
                    let (separated, earlier) = *earlier;
                    self.conclude(separated, earlier, &open)
                }
                BeforeBlamed::Cured if suffers(&found) => {
                    match self.by_order(&whole, &found, &open) {
                        Ok(order) => Ok(order),
                        // No single order cures the failure, so the device's statement is the only evidence.
                        Err(stopped) => {
                            stopped.of_one_candidate()?;
                            self.conclude_blamed(whole, found, &open)
                        }
                    }
                }
                BeforeBlamed::Cured | BeforeBlamed::Nothing => {
                    self.conclude_blamed(whole, found, &open)
                }
            };
        }
        // Further rounds read memory at places that exceeded the budget of the first round.
        for _ in 0..ROUNDS {
            let after = looks::after(&whole.capture.program, found.bracket());
            if after.iter().all(|at| looked.looked_after(*at)) {
                break;
            }
            let closer = self.compare(&whole, &after, &open)?;
            let Some(closer) = closer else { break };
            if closer.bracket() == found.bracket() {
                break;
            }
            found = closer;
            self.narrow(&whole, &found);
        }
        if self.is_one(&whole, &found) {
            return self.conclude(whole, found, &open);
        }
        let separated = self.separated(&whole, &found);
        let mut after = inserted(&separated);
        let bounds = found.equal.into_iter().chain([found.at]);
        after.extend(bounds.filter_map(|at| separated.place_of(at)).map(|at| at.0));
        let closer = match self.compare(&separated, &after, &open) {
            Ok(closer) => closer,
            // Commands that need each other cannot be separated.
            Err(stopped) => {
                stopped.of_one_candidate()?;
                return self.by_prefixes(&found);
            }
        };
        match closer {
            Some(closer) if self.is_one(&separated, &closer) => {
                self.narrow(&separated, &closer);
                self.conclude(separated, closer, &open)
            }
            // Memory cannot be read between the calls.
            Some(_) => self.by_prefixes(&found),
            None => self.by_order(&whole, &found, &open),
        }
    }

    /// Finds differences before the command that the device blames, with a `finish` after each command.
    fn before_blamed(
        &self,
        whole: &Edited,
        found: &Found,
        open: &BTreeSet<u32>,
    ) -> Result<BeforeBlamed, Stopped> {
        if self.device_commands(whole, found).len() <= 1 {
            return Ok(BeforeBlamed::Nothing);
        }
        let separated = self.separated(whole, found);
        let mut after = inserted(&separated);
        after.extend(found.equal.and_then(|at| separated.place_of(at)).map(|at| at.0));
        match self.compare(&separated, &after, open) {
            Ok(Some(earlier)) if earlier.blamed.is_none() && self.is_one(&separated, &earlier) => {
                let at = original(&separated, earlier.at);
                let is_before = at.zip(found.blamed).is_some_and(|(at, blamed)| at < blamed);
                Ok(if is_before {
                    BeforeBlamed::Differs(Box::new((separated, earlier)))
                } else {
                    BeforeBlamed::Nothing
                })
            }
            Ok(Some(_)) => Ok(BeforeBlamed::Nothing),
            Ok(None) => Ok(BeforeBlamed::Cured),
            // Commands that need each other cannot be separated.
            Err(stopped) => stopped.of_one_candidate().map(|_| BeforeBlamed::Nothing),
        }
    }

    /// Concludes with the command that the device blames, or with the one that it suffers from.
    fn conclude_blamed(
        &self,
        whole: Edited,
        mut found: Found,
        open: &BTreeSet<u32>,
    ) -> Result<Conclusion, Stopped> {
        let missing = self.missing_write(&whole, &found);
        if let Some(missing) = &missing {
            found.blamed = Some(missing.command);
        }
        let conclusion = self.conclude(whole, found, open)?;
        Ok(match (conclusion, missing) {
            (Conclusion::FirstBad(mut found), Some(missing)) => {
                found.written = missing.written;
                Conclusion::FirstBad(found)
            }
            (conclusion, _) => conclusion,
        })
    }

    /// Runs both sides once, and reads memory wherever they are idle.
    fn first_round(
        &self,
        whole: &Edited,
        open: &BTreeSet<u32>,
    ) -> Result<(Comparison, Found), Stopped> {
        let after = looks::first(&whole.capture.program);
        let state = StateJob { after, ..StateJob::default() };
        let (comparison, _) = self.compared(whole, &state, open, None)?;
        match comparison.found().cloned() {
            Some(found) => Ok((comparison, found)),
            None => Err(self.no_difference(comparison.has_memory()).into()),
        }
    }

    /// Why there is no difference to search for; `memory` states whether memory was read.
    fn no_difference(&self, memory: bool) -> Inconclusive {
        match &self.sought {
            Some(sought) => Inconclusive::NotThere { signature: sought.signature.clone() },
            None => Inconclusive::NoDifference { memory },
        }
    }

    /// The first sign of a difference on a candidate; memory is read after some of its calls.
    fn compare(
        &self,
        candidate: &Edited,
        after: &[u32],
        open: &BTreeSet<u32>,
    ) -> Result<Option<Found>, Stopped> {
        let state = StateJob { after: after.to_vec(), ..StateJob::default() };
        for _ in 0..self.patience() {
            self.check_budget()?;
            let (comparison, _) = self.compared(candidate, &state, open, None)?;
            if let Some(found) = comparison.found() {
                return Ok(Some(found.clone()));
            }
        }
        Ok(None)
    }

    /// Runs a candidate on both sides.
    fn observe_with(&self, candidate: &Edited, state: StateJob) -> Result<Pair, Stopped> {
        self.observe_counted(candidate, state, &mut 0)
    }

    /// Runs a candidate on both sides; adds the runs to `runs`.
    fn observe_counted(
        &self,
        candidate: &Edited,
        state: StateJob,
        runs: &mut usize,
    ) -> Result<Pair, Stopped> {
        let mut side = |executor: &Executor, state: StateJob| {
            *runs = runs.saturating_add(1);
            self.side(candidate, executor, state)
        };
        let mut early = None;
        let good = match self.good {
            Good::Recorded => Observation::recorded(self.capture),
            Good::Executor(executor) => {
                if self.prober.bad_goes_first(executor, self.bad) {
                    early = Some(side(self.bad, state.clone())?);
                }
                side(executor, state.clone())?
            }
        };
        if let Some(signature) = good.fails(&candidate.capture) {
            let masked = StateJob { masks: good.masks(), ..state };
            return match side(self.bad, masked) {
                Ok(bad) => {
                    let sought = self.sought.as_ref();
                    before_good_fails(candidate, Pair { good, bad }, sought, signature)
                }
                Err(stopped) => {
                    stopped.of_one_candidate()?;
                    Err(Inconclusive::GoodFails { signature }.into())
                }
            };
        }
        let masks =
            if planted(Defect::UnwrittenMemoryCompared) { Vec::new() } else { good.masks() };
        let masked = StateJob { masks, ..state.clone() };
        let bad = match early {
            Some(bad) => bad,
            None => side(self.bad, masked)?,
        };
        // If the good side does not track unwritten bytes, the bad side's are used.
        let good = match self.good {
            Good::Executor(executor) if !good.knows_unwritten() && bad.knows_unwritten() => {
                side(executor, StateJob { masks: bad.masks(), ..state })?
            }
            Good::Executor(_) | Good::Recorded => good,
        };
        Ok(Pair { good, bad })
    }

    /// Runs a candidate on one side.
    fn side(
        &self,
        candidate: &Edited,
        executor: &Executor,
        state: StateJob,
    ) -> Result<Observation, Stopped> {
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Err(Inconclusive::Budget { runs: self.runs.get() }.into());
        }
        let capture = &candidate.capture;
        let bytes = capture.to_bytes().map_err(|error| {
            let reason = error.to_string();
            Inconclusive::CannotTell(CannotTell::Unwritable { reason })
        })?;
        self.runs.update(|runs| runs.saturating_add(1));
        self.tell();
        let seed = executor.programs.schedule_seed;
        let run = self.prober.carry_out(capture, &bytes, executor, seed, Some(state))?;
        Observation::of(run, executor).map_err(|it| Inconclusive::CannotTell(it).into())
    }

    fn tell(&self) {
        let runs = self.runs.get();
        let left = self.expected.get().saturating_sub(runs);
        (self.progress)(Progress { runs, bracket: self.bracket.get(), left });
    }

    fn narrow(&self, candidate: &Edited, found: &Found) {
        let (after, until) = found.bracket();
        let until = original(candidate, until).unwrap_or(until);
        self.bracket.set((after.and_then(|at| original(candidate, at)), until));
        self.tell();
    }

    /// The commands of the bracket that a device executes, by their indices in the candidate.
    fn device_commands(&self, candidate: &Edited, found: &Found) -> Vec<CommandIndex> {
        looks::device_commands(&candidate.capture.program, found.bracket(), found.sign.is_of_read())
    }

    /// Whether the bracket contains only one command.
    fn is_one(&self, candidate: &Edited, found: &Found) -> bool {
        found.blamed.is_some() || self.device_commands(candidate, found).len() <= 1
    }

    /// The capture with a `finish` after each command of the bracket.
    fn separated(&self, whole: &Edited, found: &Found) -> Edited {
        let between = self.followed(whole, found);
        apply(&insert_finish_after(&self.capture.program, &between), self.capture)
    }

    /// The commands of the bracket with a successor: the last call of a capture may have no end.
    fn followed(&self, whole: &Edited, found: &Found) -> Vec<CommandIndex> {
        let mut between = self.device_commands(whole, found);
        let length = self.capture.program.commands.len();
        between.retain(|at| usize::try_from(at.0).is_ok_and(|at| at.saturating_add(1) < length));
        between
    }

    /// Concludes with the single remaining command.
    fn conclude(
        &self,
        candidate: Edited,
        found: Found,
        open: &BTreeSet<u32>,
    ) -> Result<Conclusion, Stopped> {
        let commands = self.device_commands(&candidate, &found);
        if let (None, [first, .., last]) = (found.blamed, commands.as_slice()) {
            let place = |at: &CommandIndex| original(&candidate, *at).unwrap_or(*at);
            let (first, last) = (place(first), place(last));
            return Err(Inconclusive::Range { first, last, cannot_tell: Vec::new() }.into());
        }
        let suspect = found.blamed.or_else(|| commands.last().copied()).unwrap_or(found.at);
        let command = original(&candidate, suspect).unwrap_or(suspect);
        let runs = self.runs.get();
        // Confirms the difference in fresh processes, which also return the differing bytes.
        let Confirmed { difference, signature, wrong } =
            self.confirmed(&candidate, &found, open)?;
        let effort = self.effort(runs);
        let written = wrong.map(|wrong| self.written(&candidate, wrong)).unwrap_or_default();
        Ok(Conclusion::FirstBad(Box::new(FirstBad {
            command,
            signature,
            equal_after: found.equal.and_then(|at| original(&candidate, at)),
            equal: found.equal_memory,
            difference,
            written,
            effort,
        })))
    }

    /// The effort, if `to_find` runs sufficed to find the answer.
    fn effort(&self, to_find: usize) -> Effort {
        Effort { to_find, in_all: self.runs.get(), flakiness: self.flakiness.get() }
    }

    /// Concludes with the range that a recorded run leaves open.
    fn conclude_recorded(&self, found: &Found) -> Result<Conclusion, Stopped> {
        let whole = apply(&[], self.capture);
        let commands = self.device_commands(&whole, found);
        let runs = self.runs.get();
        if let (None, [first, .., last]) = (found.blamed, commands.as_slice()) {
            let (first, last) = (*first, *last);
            return Err(Inconclusive::Range { first, last, cannot_tell: Vec::new() }.into());
        }
        let command = found.blamed.or_else(|| commands.last().copied()).unwrap_or(found.at);
        let open = open_buffers(&self.capture.program);
        let Confirmed { signature, .. } = self.confirmed(&whole, found, &open)?;
        Ok(Conclusion::FirstBad(Box::new(FirstBad {
            command,
            signature,
            equal_after: None,
            equal: conclusion::EqualMemory::default(),
            difference: None,
            written: Vec::new(),
            effort: self.effort(runs),
        })))
    }
}

/// Whether a command that a device blames may suffer from another command: it depends on the state that others
/// left. A race names the unordered commands, and a refused call is refused by the host.
fn suffers(found: &Found) -> bool {
    if planted(Defect::FaultsSufferFromNobody) {
        return false;
    }
    match found.sign.signature() {
        Some(Signature::Fault { category, .. }) => !matches!(category, FaultCategory::DataRace),
        Some(Signature::Deadlock { .. } | Signature::Hang { .. }) => true,
        Some(
            Signature::Crash { .. }
            | Signature::Outcome { .. }
            | Signature::Differs { .. }
            | Signature::Unstable { .. },
        )
        | None => false,
    }
}

/// Both sides of a candidate on which the good one fails too: an earlier difference is still valid.
fn before_good_fails(
    candidate: &Edited,
    pair: Pair,
    sought: Option<&SoughtSign>,
    signature: Signature,
) -> Result<Pair, Stopped> {
    let open = open_buffers(&candidate.capture.program);
    let sign = first_sign(candidate, &pair.good, &pair.bad, &open, sought);
    let fails_at = pair.good.fails_at(&candidate.capture);
    match sign.zip(fails_at) {
        Some((found, fails_at)) if found.at < fails_at => Ok(pair),
        Some(_) | None => Err(Inconclusive::GoodFails { signature }.into()),
    }
}

/// The inserted commands of a candidate.
fn inserted(candidate: &Edited) -> Vec<u32> {
    let sources = (0_u32..).zip(&candidate.sources);
    let inserted = sources.filter(|(_, source)| matches!(source, CommandSource::Inserted { .. }));
    inserted.map(|(at, _)| at).collect()
}

/// The index in the capture of a candidate's command; for an inserted one that of the command before it.
pub(super) fn original(candidate: &Edited, at: CommandIndex) -> Option<CommandIndex> {
    let source = candidate.sources.get(usize::try_from(at.0).ok()?)?;
    Some(match source {
        CommandSource::Command(command) => *command,
        CommandSource::Unrolled { replay, .. } => *replay,
        CommandSource::Inserted { after } => *after,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe::CannotTell;

    #[test]
    fn a_search_that_is_interrupted_goes_on_with_no_candidate() {
        let stopped = Stopped::from(Inconclusive::CannotTell(CannotTell::Interrupted));
        assert!(matches!(
            stopped.of_one_candidate(),
            Err(Stopped::Inconclusive(reason)) if reason.is_interrupted()
        ));
        let stopped = Stopped::from(Inconclusive::Unsteady);
        assert!(matches!(stopped.of_one_candidate(), Ok(Inconclusive::Unsteady)));
    }
}
