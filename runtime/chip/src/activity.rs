//! The activity of cores over time, for profiles.

use serde::{Deserialize, Serialize};

use crate::{Noc, PhysicalCoordinate, Processor, SourceFrame, TileAddress};

/// A moment of a simulator's time since power-on. A core executes about one instruction per tick; a tick is no
/// unit of physical time.
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

/// The activity of a chip's cores between two moments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Activity {
    /// The first moment.
    pub from: Tick,
    /// The last moment.
    pub until: Tick,
    /// Cores that were out of reset for a part of that time, in the order of tiles and processors.
    pub cores: Vec<CoreActivity>,
    /// The number of spans that were dropped because there were too many.
    pub dropped: u64,
}

/// The activity of one core.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoreActivity {
    /// The tile on the die.
    pub tile: PhysicalCoordinate,
    /// The core of that tile.
    pub processor: Processor,
    /// The spans in which it ran or waited, in order.
    pub spans: Vec<ActivitySpan>,
    /// The instructions that it executed, by address.
    pub instructions: Vec<ExecutedInstruction>,
    /// The bytes that its NoC requests moved, by the tile of the memory.
    pub transfers: Vec<Transfers>,
    /// Its NoC requests that ended in that time, in the order of their ends.
    pub requests: Vec<NocRequest>,
    /// The waits for units of the Tensix coprocessor that it pushed or made, in the order of their places.
    pub unit_waits: Vec<UnitWait>,
}

/// A wait for units of the Tensix coprocessor, and the order that rested on it: a `STALLWAIT`, or a core's wait for its
/// thread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UnitWait {
    /// The wait itself, named as TT-Metalium's low-level kernels write it.
    pub step: CodeStep,
    /// How often it ended.
    pub times: u64,
    /// Whether it waits for a unit or for a core's stores. Banks of the sources and the scalar unit are not judged.
    pub is_judged: bool,
    /// How often it was the first to tell its thread or core that a unit had finished, each unit by itself, or that stores had
    /// arrived.
    pub telling: u64,
    /// The pairs of steps that it ordered, each with the same other waits.
    pub pairs: Vec<OrderedPair>,
}

/// Two steps that need an order. A wait tells the later step that the earlier one is over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OrderedPair {
    /// The earlier step.
    pub earlier: CodeStep,
    /// The later step.
    pub later: CodeStep,
    /// How often the two came.
    pub times: u64,
    /// Other waits that tell the same. Without any, the two have no order without the wait.
    pub others: Vec<CodeStep>,
}

/// An action of a core at an address of its code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CodeStep {
    /// The tile on the die.
    pub tile: PhysicalCoordinate,
    /// The core of that tile.
    pub processor: Processor,
    /// The address of its instruction.
    pub pc: u32,
    /// The source lines, the outermost function first; nothing from a device, or without a line table.
    pub frames: Vec<SourceFrame>,
    /// The name of the instruction that it pushed to the coprocessor, or of its own action.
    pub name: String,
}

impl UnitWait {
    /// All steps that it names.
    pub fn steps_mut(&mut self) -> impl Iterator<Item = &mut CodeStep> {
        let of_pairs = self.pairs.iter_mut().flat_map(|pair| {
            let OrderedPair { earlier, later, others, .. } = pair;
            [earlier, later].into_iter().chain(others)
        });
        std::iter::once(&mut self.step).chain(of_pairs)
    }
}

/// A request on its way over a NoC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NocRequest {
    /// The NoC that carried it.
    pub noc: Noc,
    /// The kind of the request.
    pub kind: NocRequestKind,
    /// The target tile; of a multicast the first one.
    pub tile: PhysicalCoordinate,
    /// The number of target tiles.
    pub tiles: u32,
    /// The address in the target tile.
    pub address: u64,
    /// The bytes that it read or wrote in each target tile.
    pub bytes: u32,
    /// When the NoC interface accepted it.
    pub from: Tick,
    /// When its response arrived; for a posted write, when the write happened.
    pub until: Tick,
}

/// The kind of a NoC request (NoC/MemoryMap.md of the ISA documentation, `NOC_CTRL`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NocRequestKind {
    /// Reads bytes from other memory.
    Read,
    /// Writes bytes from the issuing tile's L1.
    Write,
    /// Writes a word from a register.
    InlineWrite,
    /// An atomic operation.
    Atomic,
}

impl NocRequestKind {
    /// The name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::InlineWrite => "inline write",
            Self::Atomic => "atomic",
        }
    }
}

/// The bytes that a core's NoC requests moved from or to the memory of one tile.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Transfers {
    /// The tile of the memory.
    pub tile: PhysicalCoordinate,
    /// Whether the requests wrote the memory; otherwise they read it.
    pub writes: bool,
    /// The number of packets.
    pub packets: u64,
    /// The total number of bytes.
    pub bytes: u64,
    /// The addresses as half-open ranges, ascending; at most [`Transfers::RANGES`] are kept.
    pub ranges: Vec<(u64, u64)>,
}

impl Transfers {
    /// The largest number of ranges that are kept.
    pub const RANGES: usize = 256;
}

/// A span of time in which a core did one thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ActivitySpan {
    /// The first moment.
    pub from: Tick,
    /// The end of the span.
    pub until: Tick,
    /// The activity of the core.
    pub doing: Doing,
}

/// The activity of a core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doing {
    /// It executes instructions.
    Runs,
    /// It cannot proceed until a word changes.
    Waits {
        /// The pc of its waiting loop.
        pc: u32,
        /// The awaited word.
        address: TileAddress,
    },
}

/// The number of times that a core executed an instruction, with the first and the last time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExecutedInstruction {
    /// The instruction's address.
    pub pc: u32,
    /// The number of executions.
    pub count: u64,
    /// The first time.
    pub first: Tick,
    /// The last time.
    pub last: Tick,
}
