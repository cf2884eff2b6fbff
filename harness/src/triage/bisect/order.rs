//! A failure that goes away once commands wait for each other: which two of them lack an order.

use std::collections::BTreeSet;

use hallmark_schema::model::{CommandIndex, RecordedCommand};
use hallmark_schema_editing::{Edited, apply, insert_finish_after};
use hallmark_search::{Answer, Effect, Item, MinimalSets, MinimalSetsOutcome, Search as _};

use super::conclusion::{Conclusion, Inconclusive, Missing, MissingOrder};
use super::sign::Found;
use super::{Bisecting, Stopped};

/// Sets of finishes that are looked for: each place between the two commands is one.
const MOST_SETS: usize = 16;

impl Bisecting<'_> {
    /// Which inserted finishes cure the failure, and so which commands lack an order.
    pub(super) fn by_order(
        &self,
        whole: &Edited,
        found: &Found,
        open: &BTreeSet<u32>,
    ) -> Result<Conclusion, Stopped> {
        let commands = self.followed(whole, found);
        let named: Vec<(Item, CommandIndex)> =
            commands.iter().map(|at| (Item::named(&name(*at)), *at)).collect();
        let place = |item: &Item| named.iter().find(|(known, _)| known == item).map(|(_, at)| *at);
        let Ok(mut search) = MinimalSets::new(commands.iter().map(|at| name(*at)), MOST_SETS)
        else {
            return Err(Inconclusive::Unsteady.into());
        };
        while let Some(question) = search.questions(1).into_iter().next() {
            let finishes: Vec<CommandIndex> = question.on.iter().filter_map(place).collect();
            let answer = self.with_finishes(&finishes, found, open)?;
            search.answer(&question, answer);
        }
        let Some(MinimalSetsOutcome::Sets { effect: Effect::Cures, sets, .. }) = search.outcome()
        else {
            return Err(Inconclusive::Unsteady.into());
        };
        let cures: Vec<Vec<CommandIndex>> = sets
            .iter()
            .filter(|set| set.confirmed && set.cannot_tell.is_empty())
            .map(|set| set.items.iter().filter_map(place).collect())
            .collect();
        // Every place between the two commands cures by itself.
        let alone: Vec<CommandIndex> = cures
            .iter()
            .filter_map(|cure| match cure.as_slice() {
                [one] => Some(*one),
                _ => None,
            })
            .collect();
        let all = || cures.iter().flatten().copied();
        let first = alone.iter().min().copied().or_else(|| all().min());
        let last = alone.iter().max().copied().or_else(|| all().max());
        let (Some(first), Some(last)) = (first, last) else {
            return Err(Inconclusive::Unsteady.into());
        };
        let behind =
            super::looks::device_commands(&self.capture.program, (Some(last), found.at), true);
        let second = behind.first().copied().unwrap_or(found.at);
        let runs = self.runs.get();
        let (_, signature) = self.confirmed(whole, found, open)?;
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

    /// Whether the failure is there with finishes after some commands.
    fn with_finishes(
        &self,
        after: &[CommandIndex],
        found: &Found,
        open: &BTreeSet<u32>,
    ) -> Result<Answer, Stopped> {
        let edits = insert_finish_after(&self.capture.program, after);
        let candidate = apply(&edits, self.capture);
        let looks: Vec<u32> = candidate.place_of(found.at).iter().map(|at| at.0).collect();
        match self.compare(&candidate, &looks, open) {
            Ok(found) => Ok(Answer::of(found.is_some())),
            Err(stopped) => stopped.of_one_candidate().map(|_| Answer::CannotTell),
        }
    }

    /// What would order two commands.
    fn missing(&self, first: CommandIndex, second: CommandIndex) -> Missing {
        let queue = |at: CommandIndex| {
            let place = usize::try_from(at.0).ok()?;
            let recorded: &RecordedCommand = self.capture.program.commands.get(place)?;
            recorded.command.queue()
        };
        if queue(first) == queue(second) { Missing::Finish } else { Missing::Event }
    }
}

/// A command as the search knows it.
fn name(at: CommandIndex) -> String {
    format!("finish after command {at}")
}
