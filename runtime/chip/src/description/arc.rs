//! The ARC tile: the management processor, as far as drivers ask it.

use crate::TileAddress;

/// What firmware of the management processor shows once it has started. Addresses are those of the tile's own
/// crossbar, 32 bits wide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArcTile {
    /// The tile address at which NoC requests find the crossbar's address 0.
    pub crossbar: TileAddress,
    /// What of the crossbar the host reaches in BAR0 without a window.
    pub host_views: &'static [ArcHostView],
    /// Where the processor's memory starts.
    pub memory: u32,
    /// Bytes of that memory.
    pub memory_size: u32,
    /// Words of that memory that firmware has written, by their offset, beside those of the telemetry.
    pub words: &'static [(u32, u32)],
    /// Registers that drivers use.
    pub registers: &'static [ArcRegister],
    /// What firmware measures and knows of the board.
    pub telemetry: ArcTelemetry,
    /// How messages reach firmware.
    pub channel: ArcChannel,
    /// What tells firmware that there is a message.
    pub doorbells: &'static [ArcDoorbell],
    /// The messages that firmware knows.
    pub messages: &'static [(u8, ArcMessage)],
    /// Frequency of the chip's clock in MHz before a message changes it.
    pub clock: u32,
}

/// A part of the crossbar in BAR0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArcHostView {
    /// Offset in BAR0.
    pub start: u64,
    /// Bytes.
    pub size: u64,
    /// The address of its first byte.
    pub address: u32,
}

/// A register of the ARC tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArcRegister {
    /// Where it is.
    pub address: u32,
    /// What it holds once firmware has started.
    pub value: u32,
    /// Whether drivers write it too.
    pub writable: bool,
}

impl ArcRegister {
    /// A register of the reset unit that drivers write too, by its offset (tt-umd `ARC_RESET_UNIT_OFFSET`).
    pub(super) const fn of_reset_unit(offset: u32, value: u32) -> Self {
        Self { address: 0x8003_0000 + offset, value, writable: true }
    }
}

/// A table of tags, each with a place among values (tt-umd, `arc_telemetry_reader.hpp`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArcTelemetry {
    /// Offset of the table in the tile's memory: version, number of entries, entries.
    pub table: u32,
    /// Offset of the values in the tile's memory.
    pub values: u32,
    /// Tags with what they tell; tags are tt-umd's `TelemetryTag`.
    pub entries: &'static [(u16, ArcValue)],
}

/// What an entry of the telemetry tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArcValue {
    /// Always the same.
    Word(u32),
    /// Frequency of the chip's clock in MHz.
    Clock,
    /// A bit for each row or column of Tensix tiles that is not fused off, in the order on the die.
    EnabledTensix,
}

/// Where a message lies and where its answer goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArcChannel {
    /// In registers, one message at a time (tt-umd, `WormholeArcMessenger`).
    Registers {
        /// The argument, and then the answer.
        argument: u32,
        /// The message, and then how it ended.
        status: u32,
    },
    /// In queues in the tile's memory (tt-umd, `BlackholeArcMessageQueue`).
    Queues {
        /// Offset of the first queue in the tile's memory.
        start: u32,
        /// Queues.
        count: u32,
        /// Requests, and as many responses, in each.
        entries: u32,
    },
}

/// A register that tells firmware of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArcDoorbell {
    /// Where it is.
    pub address: u32,
    /// The bit that rings, which firmware clears; without one any write rings.
    pub bit: Option<u32>,
}

/// What firmware does on a message, as far as it shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArcMessage {
    /// Nothing that is simulated.
    Nothing,
    /// It answers with a word.
    Word(u32),
    /// It answers with the argument and one more.
    Increment,
    /// It answers with a bit for each row or column of Tensix tiles that is fused off, in the order on the die.
    HarvestedTensix,
    /// It answers with the frequency of the chip's clock in MHz.
    Clock,
    /// It sets that frequency.
    SetClock(u32),
}

/// How the management processor tells which rows or columns are fused off, counted in their order on the
/// die; addresses in its tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArcReport {
    /// It answers a message.
    Message {
        /// Where its argument is written, and its answer read.
        argument: TileAddress,
        /// Where the message is written, and how it ended read.
        status: TileAddress,
        /// The register that tells it of a message.
        trigger: TileAddress,
        /// The bit of that register.
        trigger_bit: u32,
        /// The number of the message that asks for the mask.
        code: u32,
    },
    /// It keeps telemetry.
    Telemetry {
        /// Where the address of the table of entries stands.
        table: TileAddress,
        /// Where the address of their values stands.
        values: TileAddress,
        /// The entry that has a bit for each that is not fused off.
        enabled: u16,
    },
}
