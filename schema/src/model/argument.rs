//! Runtime arguments: words, and the values that replace some of them when the runtime fills them in.

use hallmark_chip::LogicalCore;
use serde::{Deserialize, Serialize};

use super::{BufferId, CoreRange, ObjectKind, SemaphoreId};
use crate::error::Rule;

/// The arguments of a kernel on some of its cores.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CoreArguments {
    /// The cores that get these arguments.
    pub cores: Vec<CoreRange>,
    /// A word for each argument; 0 where the runtime fills it in.
    pub values: Vec<u32>,
    /// The words that are not plain numbers, ascending by index.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub relocations: Vec<ArgumentRelocation>,
}

/// An argument word that the runtime fills in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "RelocationForm", try_from = "RelocationForm")]
pub struct ArgumentRelocation {
    /// The index of the word; ascending, each at most once. `values` holds 0 at this index.
    pub index: u32,
    /// The value that the runtime puts in.
    pub argument: RelocatedArgument,
}

/// The value of an argument word that the runtime fills in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RelocatedArgument {
    /// The bank-relative address of a buffer.
    BufferAddress {
        /// The buffer.
        buffer: BufferId,
        /// Bytes added to the address, modulo 2^32.
        offset: u32,
    },
    /// The L1 address of a semaphore, the same on all its cores.
    SemaphoreAddress {
        /// The semaphore.
        semaphore: SemaphoreId,
        /// Bytes added to the address, modulo 2^32.
        offset: u32,
    },
    /// The NoC x coordinate of a logical core.
    CoreNocX {
        /// The core's column in the compute grid.
        x: u16,
        /// The core's row in the compute grid.
        y: u16,
    },
    /// The NoC y coordinate of a logical core.
    CoreNocY {
        /// The core's column in the compute grid.
        x: u16,
        /// The core's row in the compute grid.
        y: u16,
    },
    /// The banks of two shards of a sharded buffer as `TensorAccessor` reads them, 16 bits each: `x << 8 | y`
    /// of the core's NoC coordinates, or the number of the DRAM bank `<< 8`; 0 for a shard past the last.
    ShardBankPair {
        /// The sharded buffer.
        buffer: BufferId,
        /// The index of the pair: it holds the shards `2 * pair` and `2 * pair + 1`.
        pair: u32,
    },
    /// The L1 address of a scratchpad: memory of the kernel's own on each of its cores, at the same address on all of
    /// them. The argument makes the scratchpad; nothing else names it.
    ScratchpadAddress {
        /// Its bytes on each core.
        size: u32,
    },
}

impl ArgumentRelocation {
    /// The scratchpad that the argument makes: the argument's index and the scratchpad's bytes.
    pub fn scratchpad(&self) -> Option<(u32, u32)> {
        Some((self.index, self.argument.scratchpad()?))
    }
}

impl RelocatedArgument {
    /// The object that determines the word's value. A core's coordinates need none.
    pub const fn object(self) -> Option<(ObjectKind, u32)> {
        match self {
            Self::BufferAddress { buffer, .. } | Self::ShardBankPair { buffer, .. } => {
                Some((ObjectKind::Buffer, buffer.0))
            }
            Self::SemaphoreAddress { semaphore, .. } => Some((ObjectKind::Semaphore, semaphore.0)),
            Self::CoreNocX { .. } | Self::CoreNocY { .. } | Self::ScratchpadAddress { .. } => None,
        }
    }

    /// The buffer whose placement determines the word's value.
    pub const fn buffer(self) -> Option<BufferId> {
        match self {
            Self::BufferAddress { buffer, .. } | Self::ShardBankPair { buffer, .. } => Some(buffer),
            Self::SemaphoreAddress { .. }
            | Self::CoreNocX { .. }
            | Self::CoreNocY { .. }
            | Self::ScratchpadAddress { .. } => None,
        }
    }

    /// The core whose coordinate the word is.
    pub const fn core(self) -> Option<LogicalCore> {
        match self {
            Self::CoreNocX { x, y } | Self::CoreNocY { x, y } => {
                Some(LogicalCore { x: x as u32, y: y as u32 })
            }
            Self::BufferAddress { .. }
            | Self::SemaphoreAddress { .. }
            | Self::ShardBankPair { .. }
            | Self::ScratchpadAddress { .. } => None,
        }
    }

    /// The bytes of the scratchpad that the argument makes.
    pub const fn scratchpad(self) -> Option<u32> {
        match self {
            Self::ScratchpadAddress { size } => Some(size),
            Self::BufferAddress { .. }
            | Self::SemaphoreAddress { .. }
            | Self::CoreNocX { .. }
            | Self::CoreNocY { .. }
            | Self::ShardBankPair { .. } => None,
        }
    }
}

/// The variant of [`RelocatedArgument`] in a [`RelocationForm`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RelocationKind {
    BufferAddress,
    SemaphoreAddress,
    CoreNocX,
    CoreNocY,
    ShardBankPair,
    ScratchpadAddress,
}

/// A relocation as flat fields, the form of the wire and of the JSON lines.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RelocationForm {
    /// The index of the word.
    pub(crate) index: u32,
    /// The interpretation of `object` and `offset`.
    pub(crate) kind: RelocationKind,
    /// The id of a buffer or semaphore; for a core, `x | y << 16`; for a scratchpad, its bytes.
    pub(crate) object: u32,
    /// Bytes added to an address; 0 for coordinates and scratchpads; the pair of a buffer's shards.
    pub(crate) offset: u32,
}

impl From<ArgumentRelocation> for RelocationForm {
    fn from(ArgumentRelocation { index, argument }: ArgumentRelocation) -> Self {
        let packed = |x, y| u32::from(x) | u32::from(y) << 16;
        let (kind, object, offset) = match argument {
            RelocatedArgument::BufferAddress { buffer, offset } => {
                (RelocationKind::BufferAddress, buffer.0, offset)
            }
            RelocatedArgument::SemaphoreAddress { semaphore, offset } => {
                (RelocationKind::SemaphoreAddress, semaphore.0, offset)
            }
            RelocatedArgument::CoreNocX { x, y } => (RelocationKind::CoreNocX, packed(x, y), 0),
            RelocatedArgument::CoreNocY { x, y } => (RelocationKind::CoreNocY, packed(x, y), 0),
            RelocatedArgument::ShardBankPair { buffer, pair } => {
                (RelocationKind::ShardBankPair, buffer.0, pair)
            }
            RelocatedArgument::ScratchpadAddress { size } => {
                (RelocationKind::ScratchpadAddress, size, 0)
            }
        };
        Self { index, kind, object, offset }
    }
}

impl TryFrom<RelocationForm> for ArgumentRelocation {
    /// [`Rule::CoordinateOffset`], with the form's `offset`.
    type Error = Rule;

    fn try_from(form: RelocationForm) -> Result<Self, Self::Error> {
        let RelocationForm { index, kind, object, offset } = form;
        let without_offset = || {
            let rule = Rule::CoordinateOffset { offset };
            if offset == 0 || rule.is_switched_off() { Ok(object) } else { Err(rule) }
        };
        let core =
            || without_offset().map(|object| ((object & 0xFFFF) as u16, (object >> 16) as u16));
        let argument = match kind {
            RelocationKind::BufferAddress => {
                RelocatedArgument::BufferAddress { buffer: BufferId(object), offset }
            }
            RelocationKind::SemaphoreAddress => {
                RelocatedArgument::SemaphoreAddress { semaphore: SemaphoreId(object), offset }
            }
            RelocationKind::CoreNocX => {
                let (x, y) = core()?;
                RelocatedArgument::CoreNocX { x, y }
            }
            RelocationKind::CoreNocY => {
                let (x, y) = core()?;
                RelocatedArgument::CoreNocY { x, y }
            }
            RelocationKind::ShardBankPair => {
                RelocatedArgument::ShardBankPair { buffer: BufferId(object), pair: offset }
            }
            RelocationKind::ScratchpadAddress => {
                RelocatedArgument::ScratchpadAddress { size: without_offset()? }
            }
        };
        Ok(Self { index, argument })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_relocation_is_spelled_with_its_fields_beside_each_other() {
        let buffer = BufferId(3);
        for (argument, kind, object, offset) in [
            (RelocatedArgument::BufferAddress { buffer, offset: 32 }, "buffer_address", 3, 32),
            (
                RelocatedArgument::SemaphoreAddress { semaphore: SemaphoreId(4), offset: 1 },
                "semaphore_address",
                4,
                1,
            ),
            (RelocatedArgument::CoreNocX { x: 1, y: 2 }, "core_noc_x", 0x0002_0001, 0),
            (
                RelocatedArgument::CoreNocY { x: u16::MAX, y: 0xFFFE },
                "core_noc_y",
                0xFFFE_FFFF_u32,
                0,
            ),
            (RelocatedArgument::ShardBankPair { buffer, pair: 5 }, "shard_bank_pair", 3, 5),
            (RelocatedArgument::ScratchpadAddress { size: 96 }, "scratchpad_address", 96, 0),
        ] {
            let relocation = ArgumentRelocation { index: 7, argument };
            let text =
                format!(r#"{{"index":7,"kind":"{kind}","object":{object},"offset":{offset}}}"#);
            assert_eq!(serde_json::to_string(&relocation).unwrap(), text);
            assert_eq!(serde_json::from_str::<ArgumentRelocation>(&text).unwrap(), relocation);
        }
    }

    #[test]
    fn a_spelling_that_no_relocation_has_is_refused() {
        let read = |text: &str| serde_json::from_str::<ArgumentRelocation>(text).unwrap_err();
        for kind in ["core_noc_x", "core_noc_y", "scratchpad_address"] {
            let error = read(&format!(r#"{{"index":0,"kind":"{kind}","object":1,"offset":4}}"#));
            let said = error.to_string();
            assert!(
                said.contains("a coordinate or a scratchpad has no offset, but 4 is given"),
                "{said}"
            );
        }
        let extra = read(r#"{"index":0,"kind":"core_noc_x","object":1,"offset":0,"core":1}"#);
        assert!(extra.to_string().contains("unknown field `core`"), "{extra}");
        let kind = read(r#"{"index":0,"kind":"core_noc_z","object":1,"offset":0}"#);
        assert!(kind.to_string().contains("unknown variant `core_noc_z`"), "{kind}");
    }
}
