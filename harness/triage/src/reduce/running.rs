//! The order of a reduction, and its questions.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use hallmark_execution::executor::{Dispatch, Executor};
use hallmark_execution::interrupt;
use hallmark_pipeline::signature::Signature;
use hallmark_schema::commands::{Command, Role};
use hallmark_schema::model::{Capture, CommandIndex, ObjectKind, ProgramPart};
use hallmark_schema_editing::{CommandSource, Edit, Edited, Unit, apply, legal_cuts};
use hallmark_search::{Answer, Candidate, Reduction, ReductionOutcome, Search};

use super::asked::{Asked, answer};
use super::failing::Failing;
use super::simplify::{Simplification, cleared_numbers, with};
use super::slice::{SeenAt, slice};
use super::validity::reads_what_was_written;
use super::{Best, Cost, Observer, ReduceError, Reducing, command, original};
use crate::probe::{CannotTell, ProbeError, ProbeResult};

/// The largest number of rounds over everything while progress is made.
const ROUNDS: usize = 6;
/// The largest number of passes of one kind of change while progress is made.
const PASSES: usize = 4;

/// A running reduction.
pub(super) struct Running<'r, 'a> {
    pub(super) reducing: &'r Reducing<'a>,
    /// The failing executor.
    pub(super) bad: Executor,
    pub(super) observer: &'r mut dyn Observer,
    pub(super) best: Best,
    pub(super) probes: u64,
    pub(super) is_stopped: bool,
    pub(super) met: BTreeSet<Signature>,
    /// Whether the capture itself reads unwritten bytes.
    pub(super) may_read_anything: bool,
}

impl Running<'_, '_> {
    /// Performs all steps in order, repeatedly while progress is made. Returns the proof that no command can be
    /// removed.
    pub(super) fn reduce(&mut self) -> Result<Option<BTreeMap<CommandIndex, Answer>>, ReduceError> {
        self.dispatch_from_host()?;
        let seen = self.cut_off()?;
        let mut slice = seen.map(|seen| slice(&self.reducing.capture.program, seen));
        for round in 0..ROUNDS {
            let proof = self.remove_commands(slice.take(), round > 0)?;
            let before = self.best.cost;
            for simplification in Simplification::ALL {
                let values = self.reducing.values && self.reducing.is_differential();
                if values || !simplification.changes_values() {
                    self.simplify(simplification)?;
                }
            }
            if self.is_over() {
                return Ok(None);
            }
            if self.best.cost == before {
                return Ok(proof);
            }
        }
        Ok(None)
    }

    /// Switches dispatch from the device to the host, if the failure stays.
    fn dispatch_from_host(&mut self) -> Result<(), ReduceError> {
        if self.bad.programs.dispatch == Dispatch::Host {
            return Ok(());
        }
        let mut bad = self.bad.clone();
        bad.programs.dispatch = Dispatch::Host;
        let asked = self.reducing.asked(&self.best.edited.capture, &bad, self.best.seed)?;
        for probed in &asked.probed {
            self.probes = self.probes.saturating_add(1);
            if self.observer.probed(&self.best.edits, probed).is_break() {
                self.is_stopped = true;
            }
        }
        if asked.decisive.result == ProbeResult::Same {
            self.bad = bad;
            self.best.seed = asked.seed;
        }
        Ok(())
    }

    /// Cuts off everything after the failure, and removes all other reads. Returns the object of the failure.
    fn cut_off(&mut self) -> Result<Option<SeenAt>, ReduceError> {
        let reference = self.best.good.clone();
        let edited = self.best.edited.clone();
        let reference = reference.as_deref().unwrap_or(&edited.capture);
        let failing = self.best.bad.as_deref().and_then(|bad| Failing::of(reference, bad));
        let Some(failing) = failing else { return Ok(None) };
        let Some(at) = original(&edited, failing.at) else { return Ok(None) };
        let program = &self.reducing.capture.program;
        let cuts = legal_cuts(program);
        let Some(&commands) = cuts.iter().find(|cut| **cut > at.0) else { return Ok(None) };
        let cut = Edit::Cut { commands };
        let mut cut_off = false;
        if failing.is_a_read {
            // No later call waits for the read any more.
            let queue = command(program, at).and_then(Command::queue);
            let blocking = vec![cut.clone(), Edit::MakeBlocking { command: at }];
            cut_off = self.attempt(&blocking)?;
            if let (false, Some(queue)) = (cut_off, queue) {
                cut_off = self.attempt(&[cut.clone(), Edit::InsertFinish { after: at, queue }])?;
            }
        }
        if !cut_off {
            self.attempt(&[cut])?;
        }
        let is_other_read = |index: &CommandIndex| {
            let is_a_read = matches!(command(program, *index), Some(Command::EnqueueReadBuffer(_)));
            is_a_read && *index != at
        };
        let reads = self.originals().into_iter().filter(is_other_read);
        let reads: Vec<Edit> = reads.map(|read| Edit::Remove(Unit::Command(read))).collect();
        if !reads.is_empty() {
            self.attempt(&reads)?;
        }
        Ok(failing.seen.map(|seen| seen.in_capture(&edited)))
    }

    /// Removes commands until none can be removed. `again` states that this was done before, so that few can.
    fn remove_commands(
        &mut self,
        slice: Option<BTreeSet<CommandIndex>>,
        again: bool,
    ) -> Result<Option<BTreeMap<CommandIndex, Answer>>, ReduceError> {
        let units = self.units();
        let mut search = Reduction::new(units.len());
        if again {
            search = search.essential(units.len());
        }
        let requirements = requirements(&self.reducing.capture.program, &units);
        // Units depend only on earlier ones.
        if let Ok(ordered) = search.clone().requires(requirements) {
            search = ordered;
        }
        if let Some(slice) = slice {
            let in_slice = (0..).zip(&units).filter(|(_, index)| slice.contains(index));
            if let Ok(sliced) = search.clone().slice(in_slice.map(|(unit, _)| unit)) {
                search = sliced;
            }
        }
        let edits = self.best.edits.clone();
        let without = |candidate: &Candidate| -> Vec<Edit> {
            let deleted = candidate.deleted().filter_map(|unit| units.get(unit));
            let removals = deleted.map(|index| Edit::Remove(Unit::Command(*index)));
            edits.iter().cloned().chain(removals).collect()
        };
        let Some(outcome) = self.conclude(search, &without)? else { return Ok(None) };
        let ReductionOutcome::Reduced { least, rejections } = outcome else { return Ok(None) };
        let edited = apply(&without(&least), self.reducing.capture);
        let of_units = rejections.into_iter().filter_map(|rejection| {
            // The dependents of a command use its result, so they come after it.
            let deleted = rejection.deleted.iter().filter_map(|unit| units.get(*unit));
            Some((edited.place_of(*deleted.min()?)?, rejection.answer))
        });
        Ok(Some(of_units.collect()))
    }

    /// Answers a search's questions until it ends or the time is used up.
    fn conclude(
        &mut self,
        mut search: Reduction,
        edits_of: &dyn Fn(&Candidate) -> Vec<Edit>,
    ) -> Result<Option<ReductionOutcome>, ReduceError> {
        loop {
            if let Some(outcome) = search.outcome() {
                return Ok(Some(outcome));
            }
            if self.is_over() {
                return Ok(None);
            }
            let questions = search.questions(self.reducing.jobs.max(1));
            let answers = self.ask(questions.iter().map(edits_of).collect())?;
            for (question, answer) in questions.iter().zip(answers) {
                search.answer(question, answer);
            }
        }
    }

    /// Sets all numbers to 0 that the failure does not need. A kernel may have hundreds of arguments and need
    /// few: they are cleared group by group, like commands.
    fn clear_numbers(&mut self) -> Result<(), ReduceError> {
        let cleared = cleared_numbers(&self.best.edited);
        if cleared.is_empty() {
            return Ok(());
        }
        let edits = self.best.edits.clone();
        let without = |candidate: &Candidate| -> Vec<Edit> {
            let deleted = candidate.deleted().filter_map(|number| cleared.get(number));
            with(&edits, &deleted.cloned().collect::<Vec<_>>())
        };
        let search = Reduction::new(cleared.len());
        // The empty slice: probably no number is needed.
        let search = search.clone().slice([]).unwrap_or(search);
        self.conclude(search, &without).map(|_| ())
    }

    /// Makes one kind of change wherever the failure stays.
    fn simplify(&mut self, simplification: Simplification) -> Result<(), ReduceError> {
        if simplification == Simplification::Numbers {
            self.clear_numbers()?;
        }
        for _ in 0..PASSES {
            let mut is_smaller = false;
            for proposal in simplification.proposals(&self.best.edited) {
                if self.is_over() {
                    return Ok(());
                }
                is_smaller |= self.attempt(&proposal)?;
            }
            if !is_smaller {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Tries the smallest candidate with additional edits; returns whether it is accepted.
    fn attempt(&mut self, added: &[Edit]) -> Result<bool, ReduceError> {
        let edits = with(&self.best.edits, added);
        let cost = self.best.cost;
        self.ask(vec![edits])?;
        Ok(self.best.cost < cost)
    }

    /// Probes candidates in parallel, and accepts the smallest one that fails.
    fn ask(&mut self, candidates: Vec<Vec<Edit>>) -> Result<Vec<Answer>, ReduceError> {
        let Reducing { capture, .. } = *self.reducing;
        let (reducing, bad, seed) = (self.reducing, &self.bad, self.best.seed);
        let (cost, may_read_anything) = (self.best.cost, self.may_read_anything);
        let edited: Vec<Edited> = candidates.iter().map(|edits| apply(edits, capture)).collect();
        // Different edits may give the same capture.
        let mut distinct: Vec<&Capture> = Vec::new();
        for capture in edited.iter().map(|edited| &edited.capture) {
            let is_valid = (may_read_anything || reads_what_was_written(&capture.program))
                && has_all(&capture.program, reducing.keep);
            if is_valid && Cost::of(capture) < cost && !distinct.contains(&capture) {
                distinct.push(capture);
            }
        }
        let ask = |capture: &Capture| reducing.asked(capture, bad, seed);
        let results: Vec<Result<Asked, ProbeError>> = match &*distinct {
            [one] => vec![ask(one)],
            several => std::thread::scope(|scope| {
                let threads: Vec<_> =
                    several.iter().map(|capture| scope.spawn(|| ask(capture))).collect();
                // A panicking thread has already reported its panic.
                threads.into_iter().filter_map(|thread| thread.join().ok()).collect()
            }),
        };
        let mut known = Vec::with_capacity(results.len());
        for (capture, result) in distinct.into_iter().zip(results) {
            known.push((capture.clone(), result?));
        }
        let mut answers = Vec::with_capacity(candidates.len());
        for (edits, edited) in candidates.into_iter().zip(edited) {
            let mut of_capture = known.iter().filter(|(capture, _)| *capture == edited.capture);
            let Some((_, asked)) = of_capture.next() else {
                // The smallest candidate's result is known, and candidates that are invalid or not smaller are
                // not accepted.
                let is_best = edited.capture.program == self.best.edited.capture.program;
                answers.push(if is_best { Answer::Fails } else { Answer::CannotTell });
                continue;
            };
            for probed in &asked.probed {
                self.probes = self.probes.saturating_add(1);
                if self.observer.probed(&edits, probed).is_break() {
                    self.is_stopped = true;
                }
            }
            let (probed, seed) = (asked.decisive.clone(), asked.seed);
            answers.push(answer(&probed.result));
            match probed.result {
                ProbeResult::Same => {
                    let cost = Cost::of(&edited.capture);
                    if cost < self.best.cost {
                        let (good, bad) = (probed.good, probed.bad);
                        let recorded = good.as_deref().or(bad.as_deref());
                        self.observer.accepted(&cost, recorded);
                        self.best = Best { edits, edited, cost, seed, good, bad };
                    }
                }
                ProbeResult::Other(signature) => {
                    if self.met.insert(signature.clone()) {
                        self.observer.met(&signature, &edited.capture);
                    }
                }
                ProbeResult::CannotTell(CannotTell::Interrupted) => self.is_stopped = true,
                ProbeResult::Passed | ProbeResult::CannotTell(_) => {}
            }
        }
        Ok(answers)
    }

    /// Whether the time is used up.
    fn is_over(&self) -> bool {
        let deadline = self.reducing.deadline;
        self.is_stopped
            || interrupt::requested()
            || deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// The remaining commands of the capture.
    fn originals(&self) -> Vec<CommandIndex> {
        let sources = self.best.edited.sources.iter();
        let originals = sources.filter_map(|source| match source {
            CommandSource::Command(index) => Some(*index),
            CommandSource::Unrolled { .. } | CommandSource::Inserted { .. } => None,
        });
        originals.collect()
    }

    /// The removable units in the order of the tries: programs, traces and events from the last to the first,
    /// then buffers, then the rest.
    fn units(&self) -> Vec<CommandIndex> {
        let program = &self.reducing.capture.program;
        let mut units = self.originals();
        units.sort_by_key(|index| {
            let made = command(program, *index).and_then(Command::created);
            let rank = match made.map(|(kind, ..)| kind) {
                Some(ObjectKind::Program | ObjectKind::Trace | ObjectKind::Event) => 0,
                Some(ObjectKind::Buffer) => 1,
                Some(ObjectKind::Kernel | ObjectKind::CircularBuffer | ObjectKind::Semaphore)
                | None => 2,
            };
            (rank, std::cmp::Reverse(*index))
        });
        units
    }
}

/// Whether a program has an object or an output with each of these names.
fn has_all(program: &ProgramPart, names: &BTreeSet<String>) -> bool {
    let has = |name: &String| {
        program.commands.iter().any(|recorded| names_of(&recorded.command).any(|it| it == name))
    };
    names.iter().all(has)
}

/// The names in a command: of an object and of an output.
pub fn names_of(command: &Command) -> impl Iterator<Item = &str> {
    let made = command.created().map(|(_, _, name)| name);
    let output = match command {
        Command::EnqueueReadBuffer(call) => Some(call.output.as_str()),
        _ => None,
    };
    made.into_iter().chain(output)
}

/// For each unit, the units that make the objects that it uses.
fn requirements(program: &ProgramPart, units: &[CommandIndex]) -> Vec<Vec<usize>> {
    let mut makers = BTreeMap::new();
    for (unit, index) in (0..).zip(units) {
        if let Some((kind, id, _)) = command(program, *index).and_then(Command::created) {
            makers.insert((kind, id), unit);
        }
    }
    let needs = |(unit, index): (usize, &CommandIndex)| {
        let mut needs = Vec::new();
        if let Some(command) = command(program, *index) {
            command.for_each_reference(|role, kind, id| match role {
                Role::Creates => {}
                Role::Uses | Role::Releases | Role::Names => {
                    needs.extend(makers.get(&(kind, id)).filter(|maker| **maker != unit));
                }
            });
        }
        needs
    };
    (0..).zip(units).map(needs).collect()
}
