//! What cores did and when, for whoever asks where time went.

use serde::{Deserialize, Serialize};

use crate::{Noc, PhysicalCoordinate, Processor, TileAddress};

/// A moment of a simulator's time since power-on. A core executes about one instruction in a tick; a tick is no unit of
/// physical time.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Tick(pub u64);

impl Tick {
    /// Ticks from an earlier moment to this one; 0 from a later one.
    pub const fn since(self, earlier: Self) -> u64 {
        self.0.saturating_sub(earlier.0)
    }
}

/// What the cores of a chip did between two moments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Activity {
    /// From this moment on.
    pub from: Tick,
    /// Up to this one.
    pub until: Tick,
    /// Cores that were out of reset for a part of that time, in the order of tiles and processors.
    pub cores: Vec<CoreActivity>,
    /// Spans that were not kept, because there were too many.
    pub dropped: u64,
}

/// What a core did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoreActivity {
    /// The tile on the die.
    pub tile: PhysicalCoordinate,
    /// The core of that tile.
    pub processor: Processor,
    /// When it ran and when it waited, in order.
    pub spans: Vec<ActivitySpan>,
    /// The instructions that it executed, by address.
    pub instructions: Vec<ExecutedInstruction>,
    /// What its NoC requests moved, by the tile of the memory.
    pub transfers: Vec<Transfers>,
    /// Its NoC requests that ended in that time, in the order of their ends.
    pub requests: Vec<NocRequest>,
}

/// A request on its way over a NoC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NocRequest {
    /// The NoC that carried it.
    pub noc: Noc,
    /// What it asked for.
    pub kind: NocRequestKind,
    /// The tile it went to; of a multicast the first of them.
    pub tile: PhysicalCoordinate,
    /// How many tiles it went to.
    pub tiles: u32,
    /// The address there.
    pub address: u64,
    /// Bytes that it read or wrote at each.
    pub bytes: u32,
    /// When the NoC interface accepted it.
    pub from: Tick,
    /// When its response came; of a posted write, when it was carried out.
    pub until: Tick,
}

/// What a request asks for (NoC/MemoryMap.md of the ISA documentation, `NOC_CTRL`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NocRequestKind {
    /// Bytes of other memory.
    Read,
    /// Bytes from the issuing tile's L1 to be written.
    Write,
    /// A word of a register to be written.
    InlineWrite,
    /// An atomic operation.
    Atomic,
}

impl NocRequestKind {
    /// As people say it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::InlineWrite => "inline write",
            Self::Atomic => "atomic",
        }
    }
}

/// What NoC requests of a core moved from or to the memory of a tile.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Transfers {
    /// The tile whose memory it is.
    pub tile: PhysicalCoordinate,
    /// Whether they wrote it; otherwise they read it.
    pub writes: bool,
    /// How many packets.
    pub packets: u64,
    /// Bytes of all.
    pub bytes: u64,
    /// The addresses, each first byte with the first byte behind, ascending; of more than [`Transfers::RANGES`] only those.
    pub ranges: Vec<(u64, u64)>,
}

impl Transfers {
    /// Ranges that are kept.
    pub const RANGES: usize = 256;
}

/// A time in which a core did one thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ActivitySpan {
    /// From this moment on.
    pub from: Tick,
    /// Up to this one.
    pub until: Tick,
    /// What it did.
    pub doing: Doing,
}

/// What a core does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doing {
    /// It executes instructions.
    Runs,
    /// It can do nothing until a word changes.
    Waits {
        /// Where its loop stands.
        pc: u32,
        /// The word.
        address: TileAddress,
    },
}

/// How often a core executed an instruction, and when for the first and the last time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExecutedInstruction {
    /// The instruction's address.
    pub pc: u32,
    /// How often.
    pub count: u64,
    /// The first time.
    pub first: Tick,
    /// The last time.
    pub last: Tick,
}
