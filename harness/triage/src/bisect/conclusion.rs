//! What a search for the first bad command comes to.

use std::collections::BTreeSet;

use hallmark_execution::worker::state::StateNote;
use hallmark_pipeline::signature::Signature;
use hallmark_schema::model::{BufferId, CommandIndex};
use hallmark_search::statistics::{Confidence, Counts, FailsAsOften, Price, Rates};
use serde::{Deserialize, Serialize};

use super::written::Written;
use crate::probe::CannotTell;

/// What a search comes to.
#[derive(Clone, Debug)]
pub enum Conclusion {
    /// One command is the first bad one.
    FirstBad(Box<FirstBad>),
    /// Commands lack an order: every one is right by itself.
    Order(Box<MissingOrder>),
    /// There is no answer.
    Inconclusive(Inconclusive),
}

impl Conclusion {
    /// What the failure is, where that is known.
    pub fn signature(&self) -> Option<&Signature> {
        match self {
            Self::FirstBad(found) => found.signature.as_ref(),
            Self::Order(found) => found.signature.as_ref(),
            Self::Inconclusive(_) => None,
        }
    }

    /// Whether a signal ended the search.
    pub const fn is_interrupted(&self) -> bool {
        match self {
            Self::Inconclusive(reason) => reason.is_interrupted(),
            Self::FirstBad(_) | Self::Order(_) => false,
        }
    }
}

/// The first bad command.
#[derive(Clone, Debug)]
pub struct FirstBad {
    /// The command.
    pub command: CommandIndex,
    /// What the failure is, where that is known.
    pub signature: Option<Signature>,
    /// The last command after which all memory was equal, if it was looked at before.
    pub equal_after: Option<CommandIndex>,
    /// How much memory was equal then.
    pub equal: EqualMemory,
    /// The memory that differs after the command, where it was looked at.
    pub difference: Option<MemoryDifference>,
    /// Who wrote the first wrong byte, on each side that can tell.
    pub written: Vec<Written>,
    /// What it took.
    pub effort: Effort,
}

/// Memory that was equal on both sides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EqualMemory {
    /// Buffers of which something was written.
    pub buffers: usize,
    /// Their bytes that were written.
    pub bytes: u64,
}

impl EqualMemory {
    /// The memory of a note, without buffers that need not agree.
    pub(super) fn of(note: &StateNote, open: &BTreeSet<u32>) -> Self {
        let compared = note.buffers.iter().filter(|(id, _)| !open.contains(id));
        let written = compared.map(|(_, state)| {
            let unwritten = state.unwritten.iter().flatten();
            let unwritten = unwritten.map(|range| range.end.saturating_sub(range.start));
            state.size.saturating_sub(unwritten.fold(0, u64::saturating_add))
        });
        written.filter(|bytes| *bytes > 0).fold(Self::default(), |sum, bytes| Self {
            buffers: sum.buffers.saturating_add(1),
            bytes: sum.bytes.saturating_add(bytes),
        })
    }
}

/// A buffer that differs after the first bad command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryDifference {
    /// Its id.
    pub id: BufferId,
    /// What the host program calls it.
    pub buffer: String,
    /// How it differs, in words: how many words and where, those of both sides, the pages, the first page's place.
    pub lines: Vec<String>,
    /// Names of other buffers that differ.
    pub others: Vec<String>,
}

/// What a search took.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effort {
    /// Runs of both sides until the answer was known.
    pub to_find: usize,
    /// Runs of both sides with those that confirm it.
    pub in_all: usize,
    /// How flaky the failure is, if it was known to be.
    pub flakiness: Option<Flakiness>,
}

/// How often a failure shows, and what the answer rests on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flakiness {
    /// Runs of the good side that differed from its first one.
    pub good: Counts,
    /// Runs of the bad side that failed.
    pub bad: Counts,
    /// What passes so often does not fail.
    pub patience: u64,
    /// The share of such searches that end with the right answer.
    pub confidence: Confidence,
}

/// Two commands that lack an order.
#[derive(Clone, Debug)]
pub struct MissingOrder {
    /// The command that must be done first.
    pub first: CommandIndex,
    /// The command that must wait for it.
    pub second: CommandIndex,
    /// Which finishes cure the failure, each by itself: those after these commands.
    pub cures: Vec<Vec<CommandIndex>>,
    /// Where the failure shows without them.
    pub shows_at: CommandIndex,
    /// What the failure is, where that is known.
    pub signature: Option<Signature>,
    /// What would order the two.
    pub missing: Missing,
    /// What it took.
    pub effort: Effort,
}

/// What would order two commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// They are on two queues: an event that the second waits for.
    Event,
    /// They are on one queue, which should have ordered them.
    Finish,
}

/// Why there is no answer.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Inconclusive {
    /// Both sides do the same.
    #[error("both sides end every call alike{}", alike(*.memory))]
    NoDifference {
        /// Whether memory was looked at on both sides.
        memory: bool,
    },
    /// Whatever differs is not the failure that was looked for.
    #[error("nothing that differs is the failure that is looked for: {signature}")]
    NotThere {
        /// The failure.
        signature: Signature,
    },
    /// The good side is not good.
    #[error("the good side fails by itself: {signature}")]
    GoodFails {
        /// How.
        signature: Signature,
    },
    /// A run says nothing.
    #[error("{0}")]
    CannotTell(CannotTell),
    /// It is one of several commands.
    #[error("commands {first} to {last}: {}", range_reason(.cannot_tell))]
    Range {
        /// The first that it can be.
        first: CommandIndex,
        /// The last that it can be.
        last: CommandIndex,
        /// Those whose prefixes cannot be told, with the reasons.
        cannot_tell: Vec<(CommandIndex, String)>,
    },
    /// The time was up.
    #[error("the time was up after {runs} runs")]
    Budget {
        /// Runs until then.
        runs: usize,
    },
    /// Both sides fail, about equally often.
    #[error("{0}")]
    AsOften(FailsAsOften),
    /// The answer costs more runs than there may be.
    #[error(
        "the bad side fails in at least {:.1} % of its runs, so that what passes takes {} runs and the answer up to {}, more than {budget}",
        .rates.bad * 100.0, .price.passing, .price.total
    )]
    TooDear {
        /// How often either side fails.
        rates: Rates,
        /// What the answer costs.
        price: Price,
        /// How many runs there may be.
        budget: u64,
    },
    /// All runs that there may be were used.
    #[error("{budget} runs were used up; it is one of the commands {} to {until}", .after.map_or(0, |it| it.0.saturating_add(1)))]
    OutOfBudget {
        /// How many.
        budget: u64,
        /// The last command that is known to be good.
        after: Option<CommandIndex>,
        /// The first one that is known to be bad, or the last one.
        until: CommandIndex,
    },
    /// Two runs of one side did not do the same.
    #[error("a second run of both sides did not show the same: the failure comes and goes")]
    Unsteady,
}

impl Inconclusive {
    /// Whether an executor cannot replay the capture at all.
    pub const fn is_refused(&self) -> bool {
        matches!(self, Self::CannotTell(CannotTell::Refused { .. }))
    }

    /// Whether a signal asked to stop.
    pub const fn is_interrupted(&self) -> bool {
        matches!(self, Self::CannotTell(CannotTell::Interrupted))
    }
}

/// What else is alike.
const fn alike(memory: bool) -> &'static str {
    if memory {
        ", return the same from every read and hold the same memory"
    } else {
        " and return the same from every read; memory was not looked at"
    }
}

/// Why only a range is known.
fn range_reason(cannot_tell: &[(CommandIndex, String)]) -> String {
    match cannot_tell {
        [] => "nothing between them was looked at; name another executor with --good".to_owned(),
        some => {
            let reason =
                |(at, reason): &(CommandIndex, String)| format!("{at} cannot be told, {reason}");
            some.iter().map(reason).collect::<Vec<_>>().join("; ")
        }
    }
}
