//! The conclusion of a search for the first bad command.

use std::collections::BTreeSet;

use hallmark_execution::worker::state::StateNote;
use hallmark_pipeline::signature::Signature;
use hallmark_schema::model::{BufferId, CommandIndex};
use hallmark_search::statistics::{Confidence, Counts, FailsAsOften, Price, Rates};
use serde::{Deserialize, Serialize};

use super::written::Written;
use crate::probe::CannotTell;

/// The conclusion of a search.
#[derive(Clone, Debug)]
pub enum Conclusion {
    /// One command is the first bad one.
    FirstBad(Box<FirstBad>),
    /// Commands lack an order; each is correct alone.
    Order(Box<MissingOrder>),
    /// There is no answer.
    Inconclusive(Inconclusive),
}

impl Conclusion {
    /// The signature of the failure, if known.
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
    /// The signature of the failure, if known.
    pub signature: Option<Signature>,
    /// The last command after which all memory was equal, if memory was read before.
    pub equal_after: Option<CommandIndex>,
    /// The amount of equal memory at that point.
    pub equal: EqualMemory,
    /// The differing memory after the command, if memory was read.
    pub difference: Option<MemoryDifference>,
    /// The writer of the first wrong byte, for each side that reports it.
    pub written: Vec<Written>,
    /// The effort.
    pub effort: Effort,
}

/// Memory that was equal on both sides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EqualMemory {
    /// The number of buffers with written bytes.
    pub buffers: usize,
    /// The number of their written bytes.
    pub bytes: u64,
}

impl EqualMemory {
    /// The memory of a note, without the buffers in `open`, which need not agree.
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
    /// The buffer's id.
    pub id: BufferId,
    /// The buffer's name in the host program.
    pub buffer: String,
    /// The difference in words: the number and places of words, both sides' words, the pages, the place of the
    /// first page.
    pub lines: Vec<String>,
    /// Names of other buffers that differ.
    pub others: Vec<String>,
}

/// The effort of a search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effort {
    /// Runs of both sides until the answer was found.
    pub to_find: usize,
    /// Runs of both sides including the confirmation.
    pub in_all: usize,
    /// The flakiness of the failure, if it was known to be flaky.
    pub flakiness: Option<Flakiness>,
}

/// The failure rates, and the basis of the answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flakiness {
    /// Runs of the good side that deviated from its first run, of all.
    pub good: Counts,
    /// Runs of the bad side that failed, of all.
    pub bad: Counts,
    /// The number of passing runs after which a candidate counts as passing.
    pub patience: u64,
    /// The share of such searches with a right answer.
    pub confidence: Confidence,
}

/// Two unordered commands.
#[derive(Clone, Debug)]
pub struct MissingOrder {
    /// The command that must complete first.
    pub first: CommandIndex,
    /// The command that must wait for it.
    pub second: CommandIndex,
    /// Sets of commands; a finish after each command of a set cures the failure.
    pub cures: Vec<Vec<CommandIndex>>,
    /// The command at which the failure occurs without them.
    pub shows_at: CommandIndex,
    /// The signature of the failure, if known.
    pub signature: Option<Signature>,
    /// The missing order.
    pub missing: Missing,
    /// The effort.
    pub effort: Effort,
}

/// The order that two commands lack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// An event for the second to wait for: the commands are on two queues.
    Event,
    /// A finish: the commands are on one queue, which should have ordered them.
    Finish,
}

/// Why there is no answer.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Inconclusive {
    /// Both sides have the same results.
    #[error("both sides end every call alike{}", alike(*.memory))]
    NoDifference {
        /// Whether memory was read on both sides.
        memory: bool,
    },
    /// No difference belongs to the sought failure.
    #[error("nothing that differs is the failure that is looked for: {signature}")]
    NotThere {
        /// The sought failure.
        signature: Signature,
    },
    /// The good side fails.
    #[error("the good side fails by itself: {signature}")]
    GoodFails {
        /// Its failure.
        signature: Signature,
    },
    /// A run gives no answer.
    #[error("{0}")]
    CannotTell(CannotTell),
    /// The first bad command is one of several.
    #[error("commands {first} to {last}: {}", range_reason(.cannot_tell))]
    Range {
        /// The first candidate.
        first: CommandIndex,
        /// The last candidate.
        last: CommandIndex,
        /// The candidates whose prefixes give no answer, with the reasons.
        cannot_tell: Vec<(CommandIndex, String)>,
    },
    /// The time is used up.
    #[error("the time was up after {runs} runs")]
    Budget {
        /// The number of runs so far.
        runs: usize,
    },
    /// Both sides fail about equally often.
    #[error("{0}")]
    AsOften(FailsAsOften),
    /// The answer costs more runs than the budget.
    #[error(
        "the bad side fails in at least {:.1} % of its runs, so that what passes takes {} runs and the answer up to {}, more than {budget}",
        .rates.bad * 100.0, .price.passing, .price.total
    )]
    TooDear {
        /// The failure rates of both sides.
        rates: Rates,
        /// The price of the answer.
        price: Price,
        /// The budget in runs.
        budget: u64,
    },
    /// The budget is used up.
    #[error("{budget} runs were used up; it is one of the commands {} to {until}", .after.map_or(0, |it| it.0.saturating_add(1)))]
    OutOfBudget {
        /// The budget in runs.
        budget: u64,
        /// The last command known to be good.
        after: Option<CommandIndex>,
        /// The first command known to be bad, or else the last one.
        until: CommandIndex,
    },
    /// Two runs of one side differed.
    #[error("a second run of both sides did not show the same: the failure comes and goes")]
    Unsteady,
}

impl Inconclusive {
    /// Whether an executor cannot replay the capture at all.
    pub const fn is_refused(&self) -> bool {
        matches!(self, Self::CannotTell(CannotTell::Refused { .. }))
    }

    /// Whether a signal requested the end.
    pub const fn is_interrupted(&self) -> bool {
        matches!(self, Self::CannotTell(CannotTell::Interrupted))
    }
}

/// The equal results, in words.
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
