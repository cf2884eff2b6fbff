//! Launches that firmware of another runtime begins, as its host states them to the simulator's library.
//!
//! Such firmware finds a launch in a message that lies in the L1 of the tile, and calls a kernel without an argument. The
//! message tells where code, arguments, semaphores and circular buffers lie; it does not tell names and counts, which only
//! the host knows. A [`StatedProgram`] adds those, for all launches of the program from then on.

use serde::{Deserialize, Serialize};

use crate::{Noc, NocCoordinate, Processor};

/// A program whose launches are stated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StatedProgram {
    /// The form of the statement: [`StatedProgram::VERSION`].
    pub version: u32,
    /// Where firmware finds the messages of launches.
    pub messages: LaunchMessages,
    /// The number that the messages of this program hold.
    pub program: u32,
    /// Tiles on which the program runs the same kernels.
    pub groups: Vec<StatedGroup>,
}

/// Tiles with the same kernels.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StatedGroup {
    /// The tiles, by the names that requests on NoC 0 give them.
    pub tiles: Vec<NocCoordinate>,
    /// The kernels, each on processors of its own.
    pub kernels: Vec<StatedKernel>,
    /// The numbers of the program's semaphores there.
    pub semaphores: Vec<u32>,
}

/// A kernel of a stated program.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StatedKernel {
    /// The name that the host program gave it.
    pub name: String,
    /// The processors that it runs on.
    pub processors: Vec<Processor>,
    /// The NoC that all its requests take, if there is one.
    pub noc: Option<Noc>,
    /// The number of its own arguments.
    pub arguments: u32,
    /// The number of the arguments that all its tiles share.
    pub common_arguments: u32,
}

/// Where the firmware of a tile finds the messages of launches: addresses in L1, and offsets in a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LaunchMessages {
    /// The address of the first message. The others follow.
    pub first: u32,
    /// Bytes of a message.
    pub size: u32,
    /// The number of messages, which firmware takes in turn.
    pub count: u32,
    /// The address of the word that holds the number of the message that firmware takes next, or has taken.
    pub next: u32,
    /// The offset of the word that addresses are counted from.
    pub base: u32,
    /// The offset of the 16 bits with the place of semaphores, counted from the base.
    pub semaphores: u32,
    /// Bytes from one semaphore to the next.
    pub semaphore_distance: u32,
    /// The same for the table of circular buffers.
    pub circular_buffers: u32,
    /// The offset of the 64 bits that tell which circular buffers there are.
    pub circular_buffer_mask: u32,
    /// The offset of two times 16 bits for each processor: the places of its own arguments and of common ones.
    pub arguments: u32,
    /// The place that says that there are no arguments.
    pub no_arguments: u16,
    /// The offset of a word for each processor: the place of its kernel.
    pub code: u32,
    /// The same for the kernel's bytes.
    pub code_size: u32,
    /// The offset of the word with the program's number.
    pub program: u32,
    /// The offset of the word with a bit for each processor that runs a kernel.
    pub processors: u32,
    /// Where kernels are copied to instruction memory: the address of the word in which firmware leaves its stack pointer,
    /// at which lies the address to return to.
    pub stack_of_ncrisc: Option<u32>,
}

impl StatedProgram {
    /// The form that this release writes.
    pub const VERSION: u32 = 2;
}

impl LaunchMessages {
    /// The first byte of a message and the byte behind it, if there is a message with this number.
    pub const fn message(&self, number: u32) -> Option<(u32, u32)> {
        if number >= self.count {
            return None;
        }
        let Some(offset) = self.size.checked_mul(number) else { return None };
        let Some(start) = self.first.checked_add(offset) else { return None };
        match start.checked_add(self.size) {
            Some(end) => Some((start, end)),
            None => None,
        }
    }

    /// Whether bytes lie in a message.
    pub const fn holds(&self, start: u64, length: u64) -> bool {
        let end = self.first as u64 + self.size as u64 * self.count as u64;
        start < end && start.saturating_add(length) > self.first as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MESSAGES: LaunchMessages = LaunchMessages {
        first: 32,
        size: 144,
        count: 8,
        next: 28,
        base: 0,
        semaphores: 16,
        semaphore_distance: 16,
        circular_buffers: 24,
        circular_buffer_mask: 96,
        arguments: 28,
        no_arguments: 0xFFFF,
        code: 52,
        code_size: 72,
        program: 108,
        processors: 112,
        stack_of_ncrisc: None,
    };

    #[test]
    fn messages_follow_one_another() {
        assert_eq!(MESSAGES.message(0), Some((32, 176)));
        assert_eq!(MESSAGES.message(7), Some((32 + 7 * 144, 32 + 8 * 144)));
        assert_eq!(MESSAGES.message(8), None);
        assert_eq!(LaunchMessages { first: u32::MAX - 100, ..MESSAGES }.message(0), None);
        assert_eq!(LaunchMessages { count: 9, size: u32::MAX, ..MESSAGES }.message(2), None);
    }

    #[test]
    fn bytes_lie_in_a_message_if_one_of_them_does() {
        for (start, length, lies) in
            [(28, 4, false), (28, 5, true), (32, 1, true), (1183, 1, true), (1184, 16, false)]
        {
            assert_eq!(MESSAGES.holds(start, length), lies, "{start} {length}");
        }
    }
}
