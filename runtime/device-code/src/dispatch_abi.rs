//! The words that the host, the dispatch firmware and the firmware of worker tiles share when programs are
//! dispatched on the device: dispatch ABI 3.
//!
//! This file is the single source of every number: `runtime/firmware/dispatch_abi.h` is generated from
//! it, and a test fails when the two differ. Kernels do not see it.
//!
//! A dispatcher takes commands from a ring in its tile's L1. The host writes commands there and then updates
//! [`Control::WRITTEN`]. Positions count bytes modulo 2^32; the ring holds the last few. A command never
//! crosses the ring's end. The dispatcher writes its results to pinned host memory: the data of reads to the
//! completion space, a second ring, and a [`Status`] line after the data.

use super::{BankTables, MemoryRange, c_header_of};

/// The dispatch ABI that this file describes.
pub const DISPATCH_ABI: u32 = 3;

/// Words of a worker's mailbox that only dispatch uses, as offsets from its start. They share a line with the
/// launch block's address and the go, so that one write sets all four.
pub struct WorkerMailbox;

impl WorkerMailbox {
    /// The tile that is notified when a launch is done, as `x | y << 6` on NoC 0; 0 if the host polls instead.
    pub const COMPLETION_TILE: u32 = 0x08;
    /// The address of the notified word, which is incremented.
    pub const COMPLETION_ADDRESS: u32 = 0x0C;
}

/// The division of a dispatch tile's L1.
pub struct DispatchTile;

impl DispatchTile {
    /// The dispatcher itself: code and data of its BRISC.
    pub const IMAGE: MemoryRange = MemoryRange { start: 0, end: 0x2000 };
    /// The words of [`Control`].
    pub const CONTROL: MemoryRange = MemoryRange { start: 0x2000, end: 0x2100 };
    /// The [`Status`] line before it is sent.
    pub const STATUS_LINE: u32 = 0x2100;
    /// The line that is sent to workers.
    pub const GO_LINE: u32 = 0x2140;
    /// The event number that is sent to the other dispatcher.
    pub const EVENT_LINE: u32 = 0x2150;
    /// [`BankTables`].
    pub const BANK_TABLES: u32 = 0x2400;
    /// Data of reads before they are sent to the host.
    pub const STAGING: MemoryRange = MemoryRange { start: 0x4000, end: 0xC000 };
    /// The trace pages in transit. No command crosses the end of a range of this size.
    pub const TRACE: MemoryRange = MemoryRange { start: 0x1_0000, end: 0x2_0000 };
    /// The ring; the host chooses its size. The kernels that traces copy, and the commands of programs, follow
    /// the ring.
    pub const RING: u32 = 0x2_0000;
}

/// Words of a dispatch tile, as offsets from [`DispatchTile::CONTROL`]. Each line of 16 bytes has one
/// writer.
pub struct Control;

impl Control {
    /// Position up to which the host has written commands: the doorbell.
    pub const WRITTEN: u32 = 0x00;
    /// Position up to which the host has consumed the completion space.
    pub const DRAINED: u32 = 0x04;
    /// [`super::BootStatus`] as a number, as in a worker's mailbox.
    pub const BOOT_STATUS: u32 = 0x10;
    /// [`DISPATCH_ABI`], written before [`Control::BOOT_STATUS`].
    pub const ABI: u32 = 0x14;
    /// The count of finished launches of workers: each adds 1. Never reset, compared modulo 2^32.
    pub const WORKERS_DONE: u32 = 0x20;
    /// The last event of each queue, 16 bytes apart; the other queue's dispatcher writes its own event.
    pub const EVENTS: u32 = 0x40;
    /// The configuration that the host writes before the dispatcher starts.
    pub const CONFIG: u32 = 0x80;
}

/// Words from [`Control::CONFIG`] on.
pub struct Config;

impl Config {
    /// `x0 | x1 << 8 | y0 << 16 | y1 << 24` of the tile in requests on NoC 0 and NoC 1.
    pub const NOC_XY: u32 = 0x00;
    /// The number of the queue, 0 or 1.
    pub const QUEUE: u32 = 0x04;
    /// Bytes of the ring, a power of two.
    pub const RING_SIZE: u32 = 0x08;
    /// The position of the first command.
    pub const FIRST_POSITION: u32 = 0x0C;
    /// The PCIe tile, through which pinned host memory is reached.
    pub const HOST_TILE: u32 = 0x10;
    /// The lower half of the [`Status`] line's address in the PCIe tile; the completion space follows at
    /// [`COMPLETION_SPACE`].
    pub const HOST_LOW: u32 = 0x14;
    /// The upper half of that address.
    pub const HOST_HIGH: u32 = 0x18;
    /// Bytes of the completion space, a power of two.
    pub const COMPLETION_SIZE: u32 = 0x1C;
    /// The other queue's dispatcher, or 0.
    pub const PEER_TILE: u32 = 0x20;
    /// The address of the mailbox in worker tiles.
    pub const MAILBOX: u32 = 0x24;
    /// The initial value of [`Control::WORKERS_DONE`].
    pub const FIRST_DONE: u32 = 0x28;
    /// The go number before the first one. Go numbers are even on queue 0 and odd on queue 1, so that two
    /// queues never send a tile the same one.
    pub const FIRST_GO: u32 = 0x2C;
    /// The position of the first byte of completion data.
    pub const FIRST_COMPLETION: u32 = 0x30;
    /// The event that counts as recorded from the start.
    pub const FIRST_EVENT: u32 = 0x34;
    /// Bytes of the configuration.
    pub const SIZE: u32 = 0x40;
}

/// Words that the dispatcher writes to the start of its pinned host memory in a single write.
pub struct Status;

impl Status {
    /// Position up to which commands have been executed; their bytes may be overwritten.
    pub const CONSUMED: u32 = 0x00;
    /// Position up to which the completion space holds data.
    pub const PRODUCED: u32 = 0x04;
    /// The number of the last [`Operation::FINISH`].
    pub const FINISHED: u32 = 0x08;
    /// The number of launches begun since the start.
    pub const BEGUN: u32 = 0x0C;
    /// The last event recorded.
    pub const EVENT: u32 = 0x10;
    /// Bytes of the line.
    pub const SIZE: u32 = 0x20;
}

/// Offset of the completion space in pinned host memory.
pub const COMPLETION_SPACE: u32 = 0x40;
/// The data of a read begin in the completion space at an address congruent to the source address modulo this:
/// the largest modulus in which source and destination of a read must agree.
pub const COMPLETION_ALIGNMENT: u32 = 64;

/// The operation of a command. The first word of a command holds the operation and, from bit 8 on, a count; the
/// second holds its length in bytes, a multiple of 16; two operands follow. A list of tiles has as many words
/// as the count says. Each word is a tile as `x | y << 6`, or a rectangle of tiles: its last tile, its first
/// tile from bit 12 on, and the number of its tiles from bit [`RECTANGLE_TILES`] on.
pub struct Operation;

impl Operation {
    /// No operation: fills the rest of the ring, of the trace buffer, or of the last page of a trace.
    pub const SKIP: u32 = 1;
    /// Address, length; tiles; then the data, placed after the next multiple of 16 by the address modulo 16.
    pub const WRITE: u32 = 2;
    /// Address, length, tile: reads into the completion space.
    pub const READ: u32 = 3;
    /// The address of the launch block; tiles.
    pub const LAUNCH: u32 = 4;
    /// The number of an event that is recorded.
    pub const RECORD: u32 = 5;
    /// The number of an event of the other queue to wait for.
    pub const WAIT: u32 = 6;
    /// The address of a trace in every DRAM bank, its number of pages.
    pub const REPLAY: u32 = 7;
    /// A number that [`Status::FINISHED`] takes once everything before is done.
    pub const FINISH: u32 = 8;
    /// Stops the dispatcher.
    pub const END: u32 = 9;
    /// Address, length; a word with the source address in the dispatcher's own L1, three unused ones, tiles: as
    /// [`Operation::WRITE`], with the data from the source address.
    pub const COPY: u32 = 10;
    /// An address in the dispatcher's own L1 and a length: executes the commands there.
    pub const CALL: u32 = 11;
}

/// Bytes of a command before its tiles and data.
pub const COMMAND_HEADER: u32 = 16;
/// In an entry of a list of tiles, the number of tiles of a rectangle starts at this bit; 0 means one tile.
pub const RECTANGLE_TILES: u32 = 24;
/// Bytes of a page of a trace. Pages are distributed over the DRAM banks round robin.
pub const TRACE_PAGE: u32 = 1024;

/// The C++ header with every number of this file.
pub fn c_header() -> String {
    c_header_of(
        "runtime/device-code/src/dispatch_abi.rs",
        &[
            ("kDispatchAbi", DISPATCH_ABI),
            ("kMailboxCompletionTile", WorkerMailbox::COMPLETION_TILE),
            ("kMailboxCompletionAddress", WorkerMailbox::COMPLETION_ADDRESS),
            ("kDispatchControl", DispatchTile::CONTROL.start),
            ("kDispatchStatusLine", DispatchTile::STATUS_LINE),
            ("kDispatchGoLine", DispatchTile::GO_LINE),
            ("kDispatchEventLine", DispatchTile::EVENT_LINE),
            ("kDispatchBankTables", DispatchTile::BANK_TABLES),
            ("kDispatchStaging", DispatchTile::STAGING.start),
            ("kDispatchStagingSize", DispatchTile::STAGING.size()),
            ("kDispatchTrace", DispatchTile::TRACE.start),
            ("kDispatchTraceSize", DispatchTile::TRACE.size()),
            ("kDispatchRing", DispatchTile::RING),
            ("kControlWritten", Control::WRITTEN),
            ("kControlDrained", Control::DRAINED),
            ("kControlBootStatus", Control::BOOT_STATUS),
            ("kControlAbi", Control::ABI),
            ("kControlWorkersDone", Control::WORKERS_DONE),
            ("kControlEvents", Control::EVENTS),
            ("kControlConfig", Control::CONFIG),
            ("kConfigNocXy", Config::NOC_XY),
            ("kConfigQueue", Config::QUEUE),
            ("kConfigRingSize", Config::RING_SIZE),
            ("kConfigFirstPosition", Config::FIRST_POSITION),
            ("kConfigHostTile", Config::HOST_TILE),
            ("kConfigHostLow", Config::HOST_LOW),
            ("kConfigHostHigh", Config::HOST_HIGH),
            ("kConfigCompletionSize", Config::COMPLETION_SIZE),
            ("kConfigPeerTile", Config::PEER_TILE),
            ("kConfigMailbox", Config::MAILBOX),
            ("kConfigFirstDone", Config::FIRST_DONE),
            ("kConfigFirstGo", Config::FIRST_GO),
            ("kConfigFirstCompletion", Config::FIRST_COMPLETION),
            ("kConfigFirstEvent", Config::FIRST_EVENT),
            ("kStatusConsumed", Status::CONSUMED),
            ("kStatusProduced", Status::PRODUCED),
            ("kStatusFinished", Status::FINISHED),
            ("kStatusBegun", Status::BEGUN),
            ("kStatusEvent", Status::EVENT),
            ("kStatusSize", Status::SIZE),
            ("kCompletionSpace", COMPLETION_SPACE),
            ("kCompletionAlignment", COMPLETION_ALIGNMENT),
            ("kOperationSkip", Operation::SKIP),
            ("kOperationWrite", Operation::WRITE),
            ("kOperationRead", Operation::READ),
            ("kOperationLaunch", Operation::LAUNCH),
            ("kOperationRecord", Operation::RECORD),
            ("kOperationWait", Operation::WAIT),
            ("kOperationReplay", Operation::REPLAY),
            ("kOperationFinish", Operation::FINISH),
            ("kOperationEnd", Operation::END),
            ("kOperationCopy", Operation::COPY),
            ("kOperationCall", Operation::CALL),
            ("kCommandHeader", COMMAND_HEADER),
            ("kRectangleTiles", RECTANGLE_TILES),
            ("kTracePage", TRACE_PAGE),
        ],
    )
}

const _: () = {
    assert!(DispatchTile::BANK_TABLES + BankTables::SIZE <= DispatchTile::STAGING.start);
    assert!(DispatchTile::TRACE.end <= DispatchTile::RING);
    assert!(DispatchTile::TRACE.size().is_multiple_of(2 * TRACE_PAGE));
    assert!(Control::CONFIG + Config::SIZE <= DispatchTile::CONTROL.size());
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_c_header_is_the_generated_one() {
        let path =
            std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../firmware/dispatch_abi.h");
        let committed = std::fs::read_to_string(path).unwrap();
        assert_eq!(committed, c_header(), "run scripts/device-code");
    }
}
