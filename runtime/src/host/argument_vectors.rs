//! Runtime arguments as callers give them, and as a capture holds them.

use hallmark_chip::LogicalCore;
use hallmark_schema::model::{ArgumentRelocation, CoreArguments, CoreRange, RelocatedArgument};

use super::types::{Buffer, Semaphore};

/// A runtime argument: a word, or something that becomes one when the program is enqueued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Argument {
    /// A plain number.
    Value(u32),
    /// The bank-relative address of a buffer.
    BufferAddress {
        /// The buffer whose address it is.
        buffer: Buffer,
        /// Bytes added to it, modulo 2^32.
        offset: u32,
    },
    /// The L1 address of a semaphore, the same on all its cores.
    SemaphoreAddress {
        /// The semaphore whose address it is.
        semaphore: Semaphore,
        /// Bytes added to it, modulo 2^32.
        offset: u32,
    },
    /// The banks of two shards of a sharded buffer, for `TensorAccessor`.
    ShardBankPair {
        /// The sharded buffer.
        buffer: Buffer,
        /// The pair: shards twice this number and one more.
        pair: u32,
    },
    /// The L1 address of a scratchpad: memory of the kernel's own on each of its cores, not shared and not initialized.
    /// Only a common argument makes one.
    ScratchpadAddress {
        /// Its bytes on each core.
        size: u32,
    },
    /// The x by which NoC requests name a core.
    CoreNocX(LogicalCore),
    /// The y by which NoC requests name a core.
    CoreNocY(LogicalCore),
}

impl From<u32> for Argument {
    fn from(value: u32) -> Self {
        Self::Value(value)
    }
}

impl Argument {
    /// The recorded form of an argument vector for some cores. At most 65535 in either coordinate of
    /// a [`Argument::CoreNocX`] core; larger ones are recorded as 65535, which lies in no grid.
    pub fn record(arguments: &[Self], cores: &[CoreRange]) -> CoreArguments {
        let mut values = Vec::with_capacity(arguments.len());
        let mut relocations = Vec::new();
        let coordinate = |coordinate| u16::try_from(coordinate).unwrap_or(u16::MAX);
        for (index, argument) in (0u32..).zip(arguments) {
            let argument = match *argument {
                Self::Value(value) => {
                    values.push(value);
                    continue;
                }
                Self::BufferAddress { buffer, offset } => {
                    RelocatedArgument::BufferAddress { buffer: buffer.id(), offset }
                }
                Self::SemaphoreAddress { semaphore, offset } => {
                    RelocatedArgument::SemaphoreAddress { semaphore: semaphore.id(), offset }
                }
                Self::ShardBankPair { buffer, pair } => {
                    RelocatedArgument::ShardBankPair { buffer: buffer.id(), pair }
                }
                Self::ScratchpadAddress { size } => RelocatedArgument::ScratchpadAddress { size },
                Self::CoreNocX(LogicalCore { x, y }) => {
                    RelocatedArgument::CoreNocX { x: coordinate(x), y: coordinate(y) }
                }
                Self::CoreNocY(LogicalCore { x, y }) => {
                    RelocatedArgument::CoreNocY { x: coordinate(x), y: coordinate(y) }
                }
            };
            values.push(0);
            relocations.push(ArgumentRelocation { index, argument });
        }
        CoreArguments { cores: cores.to_vec(), values, relocations }
    }

    /// The recorded form of the call that takes a vector of cores and a vector of argument vectors.
    ///
    /// One entry per pair. A vector or core without a partner makes the call fail, and is recorded too: a surplus
    /// vector as an entry without cores, surplus cores as one last entry without a vector.
    pub fn record_per_core(cores: &[LogicalCore], vectors: &[Vec<Self>]) -> Vec<CoreArguments> {
        let mut entries: Vec<CoreArguments> = cores
            .iter()
            .zip(vectors)
            .map(|(&core, vector)| Self::record(vector, &[CoreRange::single(core)]))
            .collect();
        entries.extend(vectors.iter().skip(cores.len()).map(|vector| Self::record(vector, &[])));
        let surplus = cores.get(vectors.len()..).unwrap_or_default();
        if !surplus.is_empty() {
            entries.push(CoreArguments::of_cores_alone(surplus));
        }
        entries
    }
}

#[cfg(test)]
mod tests {
    use hallmark_schema::model::{BufferId, SemaphoreId};

    use super::*;

    #[test]
    fn words_that_the_runtime_fills_in_are_recorded_by_what_they_stand_for() {
        let (buffer, semaphore) = (BufferId(2), SemaphoreId(3));
        let far = LogicalCore { x: 0x1_0000, y: 0xFFFF };
        let CoreArguments { values, relocations, .. } = Argument::record(
            &[
                Argument::Value(7),
                Argument::BufferAddress { buffer: buffer.into(), offset: 4 },
                Argument::SemaphoreAddress { semaphore: semaphore.into(), offset: 8 },
                Argument::ShardBankPair { buffer: buffer.into(), pair: 1 },
                Argument::ScratchpadAddress { size: 96 },
                Argument::CoreNocX(LogicalCore { x: 1, y: 0 }),
                Argument::CoreNocY(far),
            ],
            &[],
        );
        assert_eq!(values, [7, 0, 0, 0, 0, 0, 0]);
        let relocated = [
            RelocatedArgument::BufferAddress { buffer, offset: 4 },
            RelocatedArgument::SemaphoreAddress { semaphore, offset: 8 },
            RelocatedArgument::ShardBankPair { buffer, pair: 1 },
            RelocatedArgument::ScratchpadAddress { size: 96 },
            RelocatedArgument::CoreNocX { x: 1, y: 0 },
            // No core of any grid either.
            RelocatedArgument::CoreNocY { x: 0xFFFF, y: 0xFFFF },
        ];
        let indexed = (1..).zip(relocated);
        let indexed = indexed.map(|(index, argument)| ArgumentRelocation { index, argument });
        assert_eq!(relocations, indexed.collect::<Vec<_>>());
    }
}
