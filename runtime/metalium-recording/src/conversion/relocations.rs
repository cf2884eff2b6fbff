//! Which argument words stand for the address of a buffer.
//!
//! A word that equals the address of an allocated buffer is taken for that address. A second recording of the same
//! command, with other addresses, says more: a word that stands for an address moved as the buffer did, and one that
//! did not move is a number.

use hallmark_chip::LogicalCore;
use hallmark_schema::model::{
    BufferId, CommandIndex, KernelId, PlacementBoundWord, RelocatedArgument,
};

use super::buffers::Buffers;
use super::live_buffers::LiveBuffer;
use super::second::SecondAddresses;

/// A word as the capture has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Argument {
    /// A number.
    Number(u32),
    /// A number that holds a place, and nothing says of what.
    Bound(u32),
    /// What the runtime fills in.
    Relocated(RelocatedArgument),
}

/// Where an argument word of a capture stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct WordLocation {
    /// The call that sets it.
    pub command: CommandIndex,
    /// The core whose word it is; none for words that all cores share, and for compile-time arguments.
    pub core: Option<LogicalCore>,
    /// Its position among the arguments.
    pub index: u32,
    /// The kernel that gets it.
    pub kernel: KernelId,
}

impl WordLocation {
    /// As a record has it: the command says which kernel it is.
    pub(super) const fn word(&self) -> PlacementBoundWord {
        PlacementBoundWord { command: self.command, core: self.core, index: self.index }
    }
}

/// What became of the argument words of all launches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RelocationStatistics {
    /// Words compared with the addresses of buffers, each at each launch.
    pub words: u64,
    /// Words that equal the address of a buffer.
    pub matched: u64,
    /// Those of them that equal the addresses of several buffers. The newest of these buffers is taken.
    pub ambiguous: u64,
    /// Words that a second recording has otherwise.
    pub moved: u64,
    /// Words that moved as a buffer did and lie behind the buffer's address.
    pub with_offset: u64,
    /// Words that equal the address of a buffer that moved, and did not move themselves: they are numbers.
    pub refuted: u64,
    /// Words that equal the address of a buffer that did not move, so that nothing is known of them.
    pub undecided: u64,
    /// Words that moved as buffers did, and lie in none that is allocated.
    pub unexplained: u64,
}

impl RelocationStatistics {
    /// Words that moved with a buffer, of which each is an address.
    pub const fn explained(&self) -> u64 {
        self.matched.saturating_sub(self.undecided).saturating_add(self.with_offset)
    }
}

/// Decides what a word is.
pub(super) fn argument(
    value: u32,
    buffers: &Buffers,
    second: Option<(u32, &SecondAddresses)>,
    statistics: &mut RelocationStatistics,
    differs: &mut bool,
) -> Argument {
    count(&mut statistics.words);
    let equal = || buffers.live().at(value.into());
    let Some((moved, second)) = second else {
        return match newest(equal(), statistics) {
            Some((_, argument)) => {
                count(&mut statistics.matched);
                Argument::Relocated(argument)
            }
            None => Argument::Number(value),
        };
    };
    let shift = moved.wrapping_sub(value);
    let followed = |live: &&LiveBuffer| second.shift(live.number) == Some(shift);
    if shift == 0 {
        return match newest(equal().filter(followed), statistics) {
            Some((_, argument)) => {
                count(&mut statistics.matched);
                count(&mut statistics.undecided);
                Argument::Relocated(argument)
            }
            None => {
                if equal().next().is_some() {
                    count(&mut statistics.refuted);
                }
                Argument::Number(value)
            }
        };
    }
    count(&mut statistics.moved);
    if let Some((_, argument)) = newest(equal().filter(followed), statistics) {
        count(&mut statistics.matched);
        return Argument::Relocated(argument);
    }
    let around = buffers.live().around(value.into()).filter(|live| live.is_whole);
    if let Some((live, argument)) = newest(around.filter(followed), statistics) {
        count(&mut statistics.with_offset);
        let between = u64::from(value).saturating_sub(live.made.address);
        return Argument::Relocated(behind(argument, between));
    }
    if second.is_a_shift(shift) {
        count(&mut statistics.unexplained);
        Argument::Bound(value)
    } else {
        *differs = true;
        Argument::Number(value)
    }
}

/// The newest of some buffers that the capture has a place for. A buffer whose memory is its own goes before those that
/// show it.
fn newest<'b>(
    candidates: impl Iterator<Item = &'b LiveBuffer>,
    statistics: &mut RelocationStatistics,
) -> Option<(&'b LiveBuffer, RelocatedArgument)> {
    let placed = candidates.filter_map(|live| Some((live, address(live.place?))));
    let mut best: Option<(&LiveBuffer, RelocatedArgument)> = None;
    let mut is_ambiguous = false;
    for (live, argument) in placed {
        let Some((known, same)) = best else {
            best = Some((live, argument));
            continue;
        };
        is_ambiguous |= same != argument;
        if (live.is_whole, live.number) > (known.is_whole, known.number) {
            best = Some((live, argument));
        }
    }
    if is_ambiguous {
        count(&mut statistics.ambiguous);
    }
    best
}

fn address((buffer, offset): (BufferId, u32)) -> RelocatedArgument {
    RelocatedArgument::BufferAddress { buffer, offset }
}

fn behind(argument: RelocatedArgument, between: u64) -> RelocatedArgument {
    match argument {
        RelocatedArgument::BufferAddress { buffer, offset } => {
            // What lies behind is inside 32 bits, as the word is.
            let between = u32::try_from(between).unwrap_or(u32::MAX);
            RelocatedArgument::BufferAddress { buffer, offset: offset.wrapping_add(between) }
        }
        other @ (RelocatedArgument::SemaphoreAddress { .. }
        | RelocatedArgument::CoreNocX { .. }
        | RelocatedArgument::CoreNocY { .. }
        | RelocatedArgument::ShardBankPair { .. }) => other,
    }
}

fn count(number: &mut u64) {
    *number = number.saturating_add(1);
}
