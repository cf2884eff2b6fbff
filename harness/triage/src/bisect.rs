//! The first bad command of a capture: where a bad executor leaves the way of a good one.
//!
//! Nothing is searched that can be looked at. Both executors make all calls once and note what memory holds whenever they
//! rest; the first call, read or page that differs ends a bracket, and the last note that is equal begins it. Commands that
//! nothing separates are separated by an inserted `finish`, in the bracket alone. If the failure is gone then, the commands
//! lack an order (`order`). Where memory cannot be looked at, prefixes of the capture are tried (`prefixes`).

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

/// Rounds of looks at most: each looks closer at what the last one left open.
const ROUNDS: usize = 8;
/// Runs of both sides where memory can be looked at: one to see that they differ, one closer, one to confirm.
const USUAL_RUNS: usize = 6;

/// What right is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Good {
    /// What another executor does.
    Executor(Executor),
    /// What the capture says.
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

/// How far a search is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Runs so far.
    pub runs: usize,
    /// The commands among which the first bad one is: behind the first, up to the second.
    pub bracket: (Option<CommandIndex>, CommandIndex),
    /// How many more runs there may be, as far as that can be known now.
    pub left: usize,
}

/// A search for the first bad command.
pub struct Bisecting<'a> {
    /// Who carries candidates out.
    pub prober: &'a Prober<'a>,
    /// What fails.
    pub capture: &'a Capture,
    /// What right is.
    pub good: &'a Good,
    /// Who fails.
    pub bad: &'a Executor,
    /// Hears how far the search is.
    pub progress: &'a (dyn Fn(Progress) + Sync),
    /// When it gives up, if it may not take as long as it needs.
    pub deadline: Option<Instant>,
    /// The failure comes and goes.
    pub flaky: Option<FlakyOptions>,
    /// How many candidates may be asked about at the same time.
    pub jobs: usize,
    /// The failure that is looked for; the first one that shows where none is named.
    pub sought: Option<SoughtSign>,
    /// Where comparisons are written, and those that are known.
    pub log: Option<&'a ComparisonLog>,
    flakiness: Shared<Option<Flakiness>>,
    runs: Shared<usize>,
    /// How many runs there may be in all.
    expected: Shared<usize>,
    bracket: Shared<(Option<CommandIndex>, CommandIndex)>,
}

/// What ends a search without an answer.
#[derive(Debug)]
enum Stopped {
    /// Nobody can be asked.
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
    /// Why one candidate tells nothing, if the search can go on with others.
    ///
    /// # Errors
    /// It cannot: nobody can be asked, or the user ends the search.
    fn of_one_candidate(self) -> Result<Inconclusive, Self> {
        match self {
            Self::Inconclusive(reason) if !reason.is_interrupted() => Ok(*reason),
            Self::Inconclusive(_) | Self::Probe(_) => Err(self),
        }
    }
}

/// What shows before a command that the device names, once a `finish` follows each command.
enum BeforeBlamed {
    /// The sides differ earlier, on this candidate.
    Differs(Box<(Edited, Found)>),
    /// The failure is gone: the commands lack an order.
    Cured,
    /// Nothing that says more.
    Nothing,
}

/// Both sides of a candidate.
struct Pair {
    good: Observation,
    bad: Observation,
}

impl Pair {
    /// Whether memory was looked at on both sides after some call.
    fn has_memory(&self) -> bool {
        let both = |at: &u32| Some((self.good.notes.get(at)?, self.bad.notes.get(at)?));
        let shared = |(good, bad): (&StateNote, &StateNote)| {
            good.buffers.keys().any(|buffer| bad.buffers.contains_key(buffer))
        };
        self.good.notes.keys().filter_map(both).any(shared)
    }
}

impl<'a> Bisecting<'a> {
    /// A search that tells nobody how far it is.
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

    /// Searches.
    ///
    /// # Errors
    /// Nobody can be asked: [`ProbeError`].
    pub fn run(&self) -> Result<Conclusion, ProbeError> {
        match self.search() {
            Ok(conclusion) => Ok(self.of_sought(conclusion)),
            Err(Stopped::Inconclusive(reason)) => Ok(Conclusion::Inconclusive(*reason)),
            Err(Stopped::Probe(error)) => Err(error),
        }
    }

    /// The conclusion, unless the failure turned out to be another one than was looked for.
    fn of_sought(&self, conclusion: Conclusion) -> Conclusion {
        match (&self.sought, conclusion.signature()) {
            (Some(sought), Some(signature)) if !sought.is(signature) => {
                let signature = sought.signature.clone();
                Conclusion::Inconclusive(Inconclusive::NotThere { signature })
            }
            (Some(_) | None, Some(_) | None) => conclusion,
        }
    }

    /// Whether one run of both sides shows a difference, or anything else than none.
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
            // What a device names may only suffer from an earlier command.
            return match self.before_blamed(&whole, &found, &open)? {
                BeforeBlamed::Differs(earlier) => {
                    let (separated, earlier) = *earlier;
                    self.conclude(separated, earlier, &open)
                }
                BeforeBlamed::Cured if suffers(&found) => {
                    match self.by_order(&whole, &found, &open) {
                        Ok(order) => Ok(order),
                        // No single order cures it, so that the device's word is all there is.
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
        // A look at more places than the first round had room for.
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
            // Memory cannot be looked at between the calls.
            Some(_) => self.by_prefixes(&found),
            None => self.by_order(&whole, &found, &open),
        }
    }

    /// What shows before the command that the device names, once a `finish` follows each command.
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

    /// Answers with the command that the device names, or with the one that it suffers from.
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

    /// Both sides once, with a look wherever they rest anyway.
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

    /// Why there is nothing to look for; `memory` says whether it was looked at.
    fn no_difference(&self, memory: bool) -> Inconclusive {
        match &self.sought {
            Some(sought) => Inconclusive::NotThere { signature: sought.signature.clone() },
            None => Inconclusive::NoDifference { memory },
        }
    }

    /// The first sign of a difference on a candidate, with looks after some of its calls.
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

    /// A candidate on both sides.
    fn observe_with(&self, candidate: &Edited, state: StateJob) -> Result<Pair, Stopped> {
        self.observe_counted(candidate, state, &mut 0)
    }

    /// A candidate on both sides; adds its runs to `runs`.
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
        // A good side that does not know what was never written takes the bad side's word for it.
        let good = match self.good {
            Good::Executor(executor) if !good.knows_unwritten() && bad.knows_unwritten() => {
                side(executor, StateJob { masks: bad.masks(), ..state })?
            }
            Good::Executor(_) | Good::Recorded => good,
        };
        Ok(Pair { good, bad })
    }

    /// A candidate on one side.
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

    /// The commands of the bracket that a device carries out, by their places in the candidate.
    fn device_commands(&self, candidate: &Edited, found: &Found) -> Vec<CommandIndex> {
        looks::device_commands(&candidate.capture.program, found.bracket(), found.sign.is_of_read())
    }

    /// Whether only one command is left.
    fn is_one(&self, candidate: &Edited, found: &Found) -> bool {
        found.blamed.is_some() || self.device_commands(candidate, found).len() <= 1
    }

    /// The capture with a `finish` after each command of the bracket.
    fn separated(&self, whole: &Edited, found: &Found) -> Edited {
        let between = self.followed(whole, found);
        apply(&insert_finish_after(&self.capture.program, &between), self.capture)
    }

    /// The commands of the bracket that something follows: the last call of a capture may have no end.
    fn followed(&self, whole: &Edited, found: &Found) -> Vec<CommandIndex> {
        let mut between = self.device_commands(whole, found);
        let length = self.capture.program.commands.len();
        between.retain(|at| usize::try_from(at.0).is_ok_and(|at| at.saturating_add(1) < length));
        between
    }

    /// Answers with the one command that is left.
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
        // Once more in fresh processes, with the bytes that differ.
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

    /// What it took, if so many runs were enough to find the answer.
    fn effort(&self, to_find: usize) -> Effort {
        Effort { to_find, in_all: self.runs.get(), flakiness: self.flakiness.get() }
    }

    /// Answers with what a recorded run leaves open.
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

/// Whether the command that a device names may suffer from an order that others lack: it runs on what they left. A race
/// names the commands that lack an order, and a call that is refused is refused by the host.
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

/// Both sides of a candidate with which the good one fails, too: what differs before that needs no more of it.
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

/// The commands of a candidate that were inserted.
fn inserted(candidate: &Edited) -> Vec<u32> {
    let sources = (0_u32..).zip(&candidate.sources);
    let inserted = sources.filter(|(_, source)| matches!(source, CommandSource::Inserted { .. }));
    inserted.map(|(at, _)| at).collect()
}

/// Where a command of a candidate stands in the capture; an inserted one where the command before it stands.
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
