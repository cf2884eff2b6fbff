//! A failure that disappears when commands wait for each other: finds the two unordered commands.

use std::collections::BTreeSet;

use hallmark_schema::model::{Capture, CommandIndex, QueueId, RecordedCommand};
use hallmark_schema_editing::{Edit, Edited, apply, insert_finish_after};
use hallmark_search::{
    Answer, Bisect, Bisection, Effect, Item, MinimalSets, MinimalSetsOutcome, Position, Search as _,
};

use super::bytes::Confirmed;
use super::conclusion::{Conclusion, Inconclusive, Missing, MissingOrder};
use super::sign::Found;
use super::{Bisecting, Stopped, looks};
use crate::defects::{Defect, planted};

/// The largest number of sets of finishes that are searched for if one finish does not suffice.
const MOST_SETS: usize = 16;

/// The finishes that cure a failure.
struct Cures {
    /// The sets; each cures the failure alone.
    sets: Vec<Vec<CommandIndex>>,
    /// The first command that another must wait for.
    first: CommandIndex,
    /// The last command after which a finish still cures.
    last: CommandIndex,
}

/// The capture with finishes.
struct Candidate {
    edited: Edited,
    /// The call at which the failure occurred.
    shows: Option<CommandIndex>,
}

impl Candidate {
    fn of(edited: Edited, shows: CommandIndex) -> Self {
        Self { shows: edited.place_of(shows), edited }
    }
}

impl Bisecting<'_> {
    /// Finds the inserted finishes that cure the failure, and thereby the unordered commands.
    pub(super) fn by_order(
        &self,
        whole: &Edited,
        found: &Found,
        open: &BTreeSet<u32>,
    ) -> Result<Conclusion, Stopped> {
        let commands = self.followed(whole, found);
        let sets = self.curing_sets(&commands, 1, found, open)?;
        let cures = match sets.first().map(Vec::as_slice) {
            Some([known]) => self.cures_around(*known, &commands, found, open)?,
            _ => cures_of(self.curing_sets(&commands, MOST_SETS, found, open)?),
        };
        let Some(Cures { sets: cures, first, last }) = cures else {
            return Err(Inconclusive::Unsteady.into());
        };
        let behind = (Some(last), found.bracket().1);
        let behind = looks::device_commands(&self.capture.program, behind, true);
        let second = behind.first().copied().unwrap_or(found.at);
        let runs = self.runs.get();
        let Confirmed { signature, .. } = self.confirmed(whole, found, open)?;
        Ok(Conclusion::Order(Box::new(MissingOrder {
            first,
            second,
            cures,
            shows_at: found.at,
            signature,
            missing: self.missing(first, second),
            effort: self.effort(runs),
        })))
    }

    /// At most `most` sets of commands. A finish of its own queue after each command of a set cures the
    /// failure.
    fn curing_sets(
        &self,
        commands: &[CommandIndex],
        most: usize,
        found: &Found,
        open: &BTreeSet<u32>,
    ) -> Result<Vec<Vec<CommandIndex>>, Stopped> {
        let named: Vec<(Item, CommandIndex)> =
            commands.iter().map(|at| (Item::named(&name(*at)), *at)).collect();
        let command =
            |item: &Item| named.iter().find(|(known, _)| known == item).map(|(_, at)| *at);
        let Ok(mut search) = MinimalSets::new(commands.iter().map(|at| name(*at)), most) else {
            return Err(Inconclusive::Unsteady.into());
        };
        while let Some(question) = search.questions(1).into_iter().next() {
            let finishes: Vec<CommandIndex> = question.on.iter().filter_map(command).collect();
            let edits = insert_finish_after(&self.capture.program, &finishes);
            let candidate = Candidate::of(apply(&edits, self.capture), found.at);
            let answer = self.fails(&candidate, open)?;
            search.answer(&question, answer);
        }
        let Some(MinimalSetsOutcome::Sets { effect: Effect::Cures, sets, .. }) = search.outcome()
        else {
            return Err(Inconclusive::Unsteady.into());
        };
        let sure = sets.iter().filter(|set| set.confirmed && set.cannot_tell.is_empty());
        Ok(sure.map(|set| set.items.iter().filter_map(command).collect()).collect())
    }

    /// Both ends of the range of commands after which one finish cures; one command of it is known.
    fn cures_around(
        &self,
        known: CommandIndex,
        commands: &[CommandIndex],
        found: &Found,
        open: &BTreeSet<u32>,
    ) -> Result<Option<Cures>, Stopped> {
        let program = &self.capture.program;
        let queue = self.queue_of(known);
        // From the first command on that another must wait for, a finish of its queue cures; the empty set does
        // not.
        let earlier = commands.iter().copied();
        let earlier = earlier.filter(|at| *at <= known && self.queue_of(*at) == queue);
        let row: Vec<Option<CommandIndex>> = [None].into_iter().chain(earlier.map(Some)).collect();
        let (_, first) = self.boundary(&row, Answer::Fails, found, open, |at| {
            Candidate::of(apply(&insert_finish_after(program, &[at]), self.capture), found.at)
        })?;
        let Some(first) = first else { return Ok(None) };
        // The other queues are finished first, so that a finish after the waiting command is too late.
        let (own, others): (Vec<QueueId>, Vec<QueueId>) =
            (0..program.num_command_queues).map(QueueId).partition(|it| Some(*it) == queue);
        let mut turns = [others, own];
        if planted(Defect::FirstQueueFinishedFirst) {
            turns.reverse();
        }
        let later = commands.iter().copied().filter(|at| *at >= first);
        let row: Vec<Option<CommandIndex>> = later.clone().map(Some).chain([None]).collect();
        let (last, _) = self.boundary(&row, Answer::Passes, found, open, |after| {
            self.finished_by_turns(after, &turns, found.at)
        })?;
        let Some(last) = last else { return Ok(None) };
        let sets = later.filter(|at| *at <= last).map(|at| vec![at]).collect();
        Ok(Some(Cures { sets, first, last }))
    }

    /// The two adjacent commands between which finishes begin or cease to cure. The first entry of the row has
    /// the answer `first`, the last one the opposite; `None` is an end of the row.
    fn boundary(
        &self,
        row: &[Option<CommandIndex>],
        begins: Answer,
        found: &Found,
        open: &BTreeSet<u32>,
        finished_behind: impl Fn(CommandIndex) -> Candidate,
    ) -> Result<(Option<CommandIndex>, Option<CommandIndex>), Stopped> {
        let command = |position: Position| row.get(position.0).copied().flatten();
        let mut search = Bisect::new(row.len());
        search.answer(&Position(0), begins);
        search.answer(&Position(row.len().saturating_sub(1)), Answer::of(begins != Answer::Fails));
        while let Some(position) = search.questions(1).into_iter().next() {
            let answer = match command(position) {
                Some(at) => self.fails(&finished_behind(at), open)?,
                None => Answer::CannotTell,
            };
            search.answer(&position, answer);
        }
        match search.outcome() {
            Some(Bisection::Boundary { before, after, cannot_tell, .. })
                if cannot_tell.is_empty() =>
            {
                Ok((command(before), command(after)))
            }
            Some(Bisection::Boundary { before, after, cannot_tell, .. }) => {
                let reason = "because the good side fails with a finish behind it".to_owned();
                let cannot_tell = cannot_tell.into_iter().filter_map(command);
                let cannot_tell = cannot_tell.map(|at| (at, reason.clone())).collect();
                let (first, last) = (command(before), command(after));
                let first = first.or(last).unwrap_or(found.at);
                let last = last.unwrap_or(found.at);
                Err(Inconclusive::Range { first, last, cannot_tell }.into())
            }
            Some(Bisection::NoDifference { .. } | Bisection::NothingTold) | None => {
                Err(Inconclusive::Unsteady.into())
            }
        }
    }

    /// The capture with finishes after a command; those of `second` queues follow those of `first` ones.
    fn finished_by_turns(
        &self,
        after: CommandIndex,
        [first, second]: &[Vec<QueueId>; 2],
        shows: CommandIndex,
    ) -> Candidate {
        let finishes = |after, queues: &[QueueId]| -> Vec<Edit> {
            queues.iter().map(|queue| Edit::InsertFinish { after, queue: *queue }).collect()
        };
        let length = |capture: &Capture| capture.program.commands.len();
        let once = apply(&finishes(after, first), self.capture);
        let inserted = length(&once.capture).saturating_sub(length(self.capture));
        let inserted = u32::try_from(inserted).unwrap_or(u32::MAX);
        let behind = once.place_of(after).unwrap_or(after).0.saturating_add(inserted);
        let twice = apply(&finishes(CommandIndex(behind), second), &once.capture);
        let shows = once.place_of(shows).and_then(|at| twice.place_of(at));
        Candidate { edited: twice, shows }
    }

    /// Whether the failure occurs.
    fn fails(&self, candidate: &Candidate, open: &BTreeSet<u32>) -> Result<Answer, Stopped> {
        let looks: Vec<u32> = candidate.shows.iter().map(|at| at.0).collect();
        match self.compare(&candidate.edited, &looks, open) {
            Ok(found) => Ok(Answer::of(found.is_some())),
            Err(stopped) => stopped.of_one_candidate().map(|_| Answer::CannotTell),
        }
    }

    fn queue_of(&self, at: CommandIndex) -> Option<QueueId> {
        let place = usize::try_from(at.0).ok()?;
        let recorded: &RecordedCommand = self.capture.program.commands.get(place)?;
        recorded.command.queue()
    }

    /// The order that two commands lack.
    fn missing(&self, first: CommandIndex, second: CommandIndex) -> Missing {
        if self.queue_of(first) == self.queue_of(second) { Missing::Finish } else { Missing::Event }
    }
}

/// The first and the last command that sets of several finishes imply.
fn cures_of(sets: Vec<Vec<CommandIndex>>) -> Option<Cures> {
    let all = || sets.iter().flatten().copied();
    let (first, last) = (all().min()?, all().max()?);
    Some(Cures { sets, first, last })
}

/// The name of a command in the search.
fn name(at: CommandIndex) -> String {
    format!("finish after command {at}")
}
