//! The ARC tile: the parts of the management processor that drivers use.

use crate::TileAddress;

/// The state that the management processor's firmware presents after its start. Addresses are those of the
/// tile's own crossbar, 32 bits wide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArcTile {
    /// The tile address at which NoC requests reach the crossbar's address 0.
    pub crossbar: TileAddress,
    /// The parts of the crossbar that the host reaches in BAR0 without a window.
    pub host_views: &'static [ArcHostView],
    /// The first address of the processor's memory.
    pub memory: u32,
    /// Bytes of that memory.
    pub memory_size: u32,
    /// Words of that memory that firmware has written, by their offset, without those of the telemetry.
    pub words: &'static [(u32, u32)],
    /// Registers that drivers use.
    pub registers: &'static [ArcRegister],
    /// The firmware's measurements and facts about the board.
    pub telemetry: ArcTelemetry,
    /// The path of messages to firmware.
    pub channel: ArcChannel,
    /// The registers that signal a message to firmware.
    pub doorbells: &'static [ArcDoorbell],
    /// The messages that firmware handles.
    pub messages: &'static [(u8, ArcMessage)],
    /// Frequency of the chip's clock in MHz before a message changes it.
    pub clock: u32,
    /// The first byte and the length of what firmware keeps in L1 of each Tensix tile. Its value is 0.
    pub l1_scratch: Option<(u32, u32)>,
}

/// A part of the crossbar that is mapped in BAR0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArcHostView {
    /// Offset in BAR0.
    pub start: u64,
    /// Size in bytes.
    pub size: u64,
    /// The crossbar address of its first byte.
    pub address: u32,
}

/// A register of the ARC tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArcRegister {
    /// Its address.
    pub address: u32,
    /// Its value after firmware has started.
    pub value: u32,
    /// Whether drivers write it too.
    pub writable: bool,
}

impl ArcRegister {
    /// A register of the reset unit that drivers also write, by its offset (tt-umd `ARC_RESET_UNIT_OFFSET`).
    pub(super) const fn of_reset_unit(offset: u32, value: u32) -> Self {
        Self { address: 0x8003_0000 + offset, value, writable: true }
    }
}

/// A table that maps tags to indices of values (tt-umd, `arc_telemetry_reader.hpp`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArcTelemetry {
    /// Offset of the table in the tile's memory: version, number of entries, entries.
    pub table: u32,
    /// Offset of the values in the tile's memory.
    pub values: u32,
    /// Tags with their values; tags are tt-umd's `TelemetryTag`.
    pub entries: &'static [(u16, ArcValue)],
}

/// The value of a telemetry entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArcValue {
    /// A constant.
    Word(u32),
    /// Frequency of the chip's clock in MHz.
    Clock,
    /// A bit for each row or column of Tensix tiles that is not fused off, in the order on the die.
    EnabledTensix,
}

/// The place of a message and of its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArcChannel {
    /// In registers, one message at a time (tt-umd, `WormholeArcMessenger`).
    Registers {
        /// The register of the argument, and then of the answer.
        argument: u32,
        /// The register of the message, and then of its status.
        status: u32,
    },
    /// In queues in the tile's memory (tt-umd, `BlackholeArcMessageQueue`).
    Queues {
        /// Offset of the first queue in the tile's memory.
        start: u32,
        /// The number of queues.
        count: u32,
        /// The number of requests in each queue, equal to that of responses.
        entries: u32,
    },
}

/// A register that signals a message to firmware.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArcDoorbell {
    /// Its address.
    pub address: u32,
    /// The bit that signals and that firmware clears; without one, any write signals.
    pub bit: Option<u32>,
}

/// The visible effect of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArcMessage {
    /// No simulated effect.
    Nothing,
    /// Firmware answers with a word.
    Word(u32),
    /// Firmware answers with the argument plus 1.
    Increment,
    /// Firmware answers with a bit for each row or column of Tensix tiles that is fused off, in the order on
    /// the die.
    HarvestedTensix,
    /// Firmware answers with the frequency of the chip's clock in MHz.
    Clock,
    /// Firmware sets that frequency.
    SetClock(u32),
}

/// How the management processor reports which rows or columns are fused off, counted in their order on the die;
/// addresses are in its tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArcReport {
    /// It answers a message.
    Message {
        /// The register of the argument and of the answer.
        argument: TileAddress,
        /// The register of the message and of its status.
        status: TileAddress,
        /// The register that signals a message.
        trigger: TileAddress,
        /// The signalling bit of that register.
        trigger_bit: u32,
        /// The number of the message that requests the mask.
        code: u32,
    },
    /// In its telemetry.
    Telemetry {
        /// The place of the address of the table of entries.
        table: TileAddress,
        /// The place of the address of their values.
        values: TileAddress,
        /// The tag of the entry with a bit for each row or column that is not fused off.
        enabled: u16,
    },
}
