//! Identifies the argument words that are addresses of buffers.
//!
//! A word that equals the address of an allocated buffer is taken for that address. A second recording of the
//! same command, with other addresses, decides more: an address changed by the same distance as its buffer, and
//! a word that did not change is a number.

use hallmark_chip::LogicalCore;
use hallmark_schema::model::{
    BufferId, CommandIndex, KernelId, PlacementBoundWord, RelocatedArgument,
};

use super::buffers::Buffers;
use super::live_buffers::LiveBuffer;
use super::second::SecondAddresses;

/// The meaning of a word in the capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Argument {
    /// A number.
    Number(u32),
    /// A number that holds a placement of unknown meaning.
    Bound(u32),
    /// A value that the runtime fills in.
    Relocated(RelocatedArgument),
}

/// The place of an argument word in a capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct WordLocation {
    /// The call that sets the word.
    pub command: CommandIndex,
    /// The core of the word; `None` for common arguments and compile-time arguments.
    pub core: Option<LogicalCore>,
    /// Its index among the arguments.
    pub index: u32,
    /// The kernel of the word.
    pub kernel: KernelId,
}

impl WordLocation {
    /// The word in the form of a record: the command determines the kernel.
    pub(super) const fn word(&self) -> PlacementBoundWord {
        PlacementBoundWord { command: self.command, core: self.core, index: self.index }
    }
}

/// Statistics of the argument words of all launches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RelocationStatistics {
    /// Words compared with the addresses of buffers, counted at each launch.
    pub words: u64,
    /// Words that equal the address of a buffer.
    pub matched: u64,
    /// Matched words that equal the addresses of several buffers. The newest of these buffers is taken.
    pub ambiguous: u64,
    /// Words that differ in a second recording.
    pub moved: u64,
    /// Words that changed with a buffer and lie past the buffer's address.
    pub with_offset: u64,
    /// Words that equal the address of a moved buffer but did not change: they are numbers.
    pub refuted: u64,
    /// Words that equal the address of a buffer that did not move, so that their meaning is unknown.
    pub undecided: u64,
    /// Words that changed like some buffer but lie in no allocated buffer.
    pub unexplained: u64,
}

impl RelocationStatistics {
    /// Words that changed with a buffer and are therefore addresses.
    pub const fn explained(&self) -> u64 {
        self.matched.saturating_sub(self.undecided).saturating_add(self.with_offset)
    }
}

/// Determines the meaning of a word.
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

/// The newest of the buffers that have a place in the capture. Buffers that own their memory take precedence
/// over those that show it.
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
            // The offset is below 2^32, as the word itself is.
            let between = u32::try_from(between).unwrap_or(u32::MAX);
            RelocatedArgument::BufferAddress { buffer, offset: offset.wrapping_add(between) }
        }
        other @ (RelocatedArgument::SemaphoreAddress { .. }
        | RelocatedArgument::CoreNocX { .. }
        | RelocatedArgument::CoreNocY { .. }
        | RelocatedArgument::ShardBankPair { .. }
        | RelocatedArgument::ScratchpadAddress { .. }) => other,
    }
}

fn count(number: &mut u64) {
    *number = number.saturating_add(1);
}
