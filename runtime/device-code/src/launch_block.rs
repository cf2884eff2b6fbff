//! The words in L1 that host and device code share: launch ABI 1.
//!
//! This file is the single source of every offset: `runtime/firmware/include/hallmark/launch_abi.h`
//! is generated from it, and a test fails when the two differ.
//!
//! All words are little-endian and 32 bits wide. For a launch, the host places kernels, arguments, circular
//! buffer table and launch block, and waits until the writes are visible ([`hallmark_chip::PciDevice::order`]).
//! Then it writes the block's address to [`Mailbox::LAUNCH_BLOCK`], and a number that differs from the last one
//! to [`Mailbox::GO`]. BRISC answers with the same number in [`Mailbox::DONE`].

use std::fmt;

use hallmark_chip::{ChipDescription, LogicalCore, NocCoordinate, Processor};

use super::c_header_of;

/// The launch ABI that this file describes.
pub const LAUNCH_ABI: u32 = 1;

/// Bytes from one semaphore to the next in L1: each has its own 16-byte line, as upstream.
pub const SEMAPHORE_STRIDE: u32 = 16;

/// Words at [`crate::TileMemoryMap::mailbox`], as byte offsets from its start.
///
/// Host-written and device-written words lie in different 16-byte lines.
#[derive(Clone, Copy, Debug)]
pub struct Mailbox;

impl Mailbox {
    /// Address of the next launch block; the host writes it before [`Mailbox::GO`].
    pub const LAUNCH_BLOCK: u32 = 0x00;
    /// The launch number; the host writes it last, and never 0.
    pub const GO: u32 = 0x04;
    /// [`BootStatus`] as a number; the host zeroes it before releasing BRISC.
    pub const BOOT_STATUS: u32 = 0x10;
    /// The last finished launch number; zeroed by firmware while booting.
    pub const DONE: u32 = 0x14;
    /// Launch ABI of the firmware, written before [`Mailbox::BOOT_STATUS`].
    pub const ABI: u32 = 0x18;
    /// BRISC starts NCRISC, TRISC0, TRISC1 and TRISC2 by writing the launch number here; one word
    /// per [`Processor::index`], the first unused.
    pub const START: u32 = 0x20;
    /// The four cores answer here with the same number.
    pub const FINISHED: u32 = 0x40;
    /// Atomic requests of each core return the old value to its word here, because the NoC requires a return
    /// address. The word is never read.
    pub const ATOMIC_RETURN: u32 = 0x60;
    /// Bytes of a mailbox.
    pub const SIZE: u32 = 0x80;
    /// On chips whose inline writes must not go to L1 (Blackhole), a line of 16 bytes per data-movement core
    /// and NoC follows, in which the word is staged. This is the offset of the first line from
    /// [`Mailbox::ATOMIC_RETURN`], bytes.
    pub const INLINE_STAGING: u32 = Self::SIZE - Self::ATOMIC_RETURN;

    /// Bytes of a mailbox on a chip, including the staging lines.
    pub const fn size_on(chip: &ChipDescription) -> u32 {
        if chip.noc.inline_writes_to_l1 { Self::SIZE } else { Self::SIZE + 4 * 16 }
    }
}

/// The meaning of [`Mailbox::BOOT_STATUS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BootStatus {
    /// Firmware has not finished booting.
    Booting,
    /// All five cores wait for work.
    Ready,
    /// Any other word: the firmware is not Hallmark's, or memory was overwritten.
    Unknown(u32),
}

impl BootStatus {
    /// The word of [`Self::Ready`]: "HMRK".
    pub const READY_WORD: u32 = 0x4B52_4D48;

    /// The status of a word.
    pub const fn from_word(word: u32) -> Self {
        match word {
            0 => Self::Booting,
            Self::READY_WORD => Self::Ready,
            other => Self::Unknown(other),
        }
    }
}

impl fmt::Display for BootStatus {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Booting => formatter.pad("still booting"),
            Self::Ready => formatter.pad("ready"),
            Self::Unknown(word) => write!(formatter, "unknown boot status {word:#x}"),
        }
    }
}

/// One processor's part of a [`LaunchBlock`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessorLaunch {
    /// The entry point of its kernel in L1.
    pub entry: u32,
    /// The address of its unique runtime arguments.
    pub unique_args: u32,
    /// The address of the kernel's common arguments.
    pub common_args: u32,
}

/// The launch of one tile. Its address is any multiple of 16 in the kernel configuration region.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchBlock {
    /// Kernels by [`Processor::index`]; `None` leaves the core idle.
    pub processors: [Option<ProcessorLaunch>; 5],
    /// Address of the encoded [`BankTables`].
    pub bank_tables: u32,
    /// Address of semaphore 0; the others follow at [`SEMAPHORE_STRIDE`].
    pub semaphores: u32,
    /// Address of the table from [`CircularBufferSlot::encode_table`].
    pub circular_buffers: u32,
    /// Slots in that table.
    pub circular_buffer_count: u32,
    /// The NoC coordinates of the tile on NoC 0 and NoC 1.
    pub noc: [NocCoordinate; 2],
    /// The logical core of the tile.
    pub logical: LogicalCore,
    /// Address of [`Mailbox::ATOMIC_RETURN`].
    pub atomic_return: u32,
}

impl LaunchBlock {
    /// Bytes of an encoded block.
    pub const SIZE: u32 = 0x60;
    /// The offset of [`LAUNCH_ABI`].
    pub const VERSION: u32 = 0x00;
    /// A bit set of the processors with a kernel, by [`Processor::index`].
    pub const PROCESSORS: u32 = 0x04;
    /// Address of the bank tables.
    pub const BANK_TABLES: u32 = 0x08;
    /// Address of semaphore 0.
    pub const SEMAPHORES: u32 = 0x0C;
    /// Address of the circular buffer table.
    pub const CIRCULAR_BUFFERS: u32 = 0x10;
    /// Slots of the circular buffer table.
    pub const CIRCULAR_BUFFER_COUNT: u32 = 0x14;
    /// `x0 | x1 << 8 | y0 << 16 | y1 << 24` of the tile in requests on NoC 0 and NoC 1.
    pub const NOC_XY: u32 = 0x18;
    /// `x | y << 16` of the tile in the compute grid.
    pub const LOGICAL_XY: u32 = 0x1C;
    /// Per processor: entry, unique arguments, common arguments.
    pub const PROCESSOR: u32 = 0x20;
    /// Bytes from one processor's words to the next.
    pub const PROCESSOR_STRIDE: u32 = 12;
    /// Address of five words, one per core, to which atomic requests return.
    pub const ATOMIC_RETURN: u32 = 0x5C;

    /// The block's bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mask = Processor::ALL
            .into_iter()
            .zip(&self.processors)
            .filter(|(_, launch)| launch.is_some())
            .fold(0u32, |mask, (processor, _)| mask | 1 << processor.index());
        let [first, second] = self.noc;
        let mut words = vec![
            LAUNCH_ABI,
            mask,
            self.bank_tables,
            self.semaphores,
            self.circular_buffers,
            self.circular_buffer_count,
            u32::from_le_bytes([first.x, second.x, first.y, second.y]),
            self.logical.x & 0xFFFF | self.logical.y << 16,
        ];
        for launch in self.processors {
            let launch =
                launch.unwrap_or(ProcessorLaunch { entry: 0, unique_args: 0, common_args: 0 });
            words.extend([launch.entry, launch.unique_args, launch.common_args]);
        }
        words.push(self.atomic_return);
        bytes_of(&words)
    }
}

/// One index of the circular buffer table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CircularBufferSlot {
    /// Its first byte in L1.
    pub address: u32,
    /// Its size, `num_pages * page_size`, bytes; 0 marks an unused index.
    pub size: u32,
    /// The number of its pages.
    pub num_pages: u32,
    /// Bytes of a page.
    pub page_size: u32,
}

impl CircularBufferSlot {
    /// Bytes of an encoded slot.
    pub const SIZE: u32 = 16;

    /// The bytes of a table, one slot per index from 0.
    pub fn encode_table(slots: &[Self]) -> Vec<u8> {
        let words: Vec<u32> = slots
            .iter()
            .flat_map(|slot| [slot.address, slot.size, slot.num_pages, slot.page_size])
            .collect();
        bytes_of(&words)
    }
}

/// A bank of interleaved memory, for device code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NocBank {
    /// The coordinates of its tile on NoC 0 and NoC 1. They differ if they are raw, as for DRAM on Wormhole and
    /// everything on Grayskull: NoC 1 counts from the opposite corner.
    pub tile: [NocCoordinate; 2],
    /// The offset that is added to a bank-relative address.
    pub offset: u32,
}

/// The banks of interleaved buffers: the same for every tile, written once after boot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BankTables {
    /// Banks of DRAM buffers, in the order of the pages.
    pub dram: Vec<NocBank>,
    /// Banks of L1 buffers, in the order of the pages.
    pub l1: Vec<NocBank>,
}

/// The banks exceed the capacity of the tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the chip has {dram} DRAM banks and {l1} L1 banks, but the bank tables hold at most {} and {}",
    BankTables::MAX_DRAM,
    BankTables::MAX_L1
)]
pub struct BankTablesError {
    /// The chip's DRAM banks.
    pub dram: usize,
    /// The chip's L1 banks.
    pub l1: usize,
}

impl BankTables {
    /// The capacity for DRAM banks.
    pub const MAX_DRAM: u32 = 32;
    /// The capacity for L1 banks.
    pub const MAX_L1: u32 = 160;
    /// The number of DRAM banks.
    pub const DRAM_COUNT: u32 = 0x00;
    /// The number of L1 banks.
    pub const L1_COUNT: u32 = 0x04;
    /// The first DRAM bank.
    pub const DRAM: u32 = 0x10;
    /// The first L1 bank.
    pub const L1: u32 = Self::DRAM + Self::MAX_DRAM * Self::BANK_STRIDE;
    /// Bytes of a bank: NoC 0 tile and NoC 1 tile as `x | y << 6`, offset.
    pub const BANK_STRIDE: u32 = 12;
    /// Bytes reserved for the tables.
    pub const SIZE: u32 = Self::L1 + Self::MAX_L1 * Self::BANK_STRIDE;

    /// The tables' bytes, always [`BankTables::SIZE`].
    pub fn encode(&self) -> Result<Vec<u8>, BankTablesError> {
        let error = BankTablesError { dram: self.dram.len(), l1: self.l1.len() };
        let dram = u32::try_from(self.dram.len()).map_err(|_| error)?;
        let l1 = u32::try_from(self.l1.len()).map_err(|_| error)?;
        if dram > Self::MAX_DRAM || l1 > Self::MAX_L1 {
            return Err(error);
        }
        let mut words = vec![dram, l1];
        let mut section = |start: u32, banks: &[NocBank]| {
            words.resize(start as usize / 4, 0);
            for bank in banks {
                words.extend(bank.tile.map(|tile| u32::from(tile.x) | u32::from(tile.y) << 6));
                words.push(bank.offset);
            }
        };
        section(Self::DRAM, &self.dram);
        section(Self::L1, &self.l1);
        words.resize(Self::SIZE as usize / 4, 0);
        Ok(bytes_of(&words))
    }
}

fn bytes_of(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// The C++ header with every offset of this file.
pub(crate) fn c_header() -> String {
    c_header_of(
        // The path of this file when kernels were last built. The header's text is part of every kernel's key,
        // so this path changes only together with another part of the header.
        "runtime/src/device_code/launch_block.rs",
        &[
            ("kLaunchAbi", LAUNCH_ABI),
            ("kSemaphoreStride", SEMAPHORE_STRIDE),
            ("kBootReady", BootStatus::READY_WORD),
            ("kMailboxLaunchBlock", Mailbox::LAUNCH_BLOCK),
            ("kMailboxGo", Mailbox::GO),
            ("kMailboxBootStatus", Mailbox::BOOT_STATUS),
            ("kMailboxDone", Mailbox::DONE),
            ("kMailboxAbi", Mailbox::ABI),
            ("kMailboxStart", Mailbox::START),
            ("kMailboxFinished", Mailbox::FINISHED),
            ("kInlineStaging", Mailbox::INLINE_STAGING),
            ("kLaunchVersion", LaunchBlock::VERSION),
            ("kLaunchProcessors", LaunchBlock::PROCESSORS),
            ("kLaunchBankTables", LaunchBlock::BANK_TABLES),
            ("kLaunchSemaphores", LaunchBlock::SEMAPHORES),
            ("kLaunchCircularBuffers", LaunchBlock::CIRCULAR_BUFFERS),
            ("kLaunchCircularBufferCount", LaunchBlock::CIRCULAR_BUFFER_COUNT),
            ("kLaunchNocXy", LaunchBlock::NOC_XY),
            ("kLaunchLogicalXy", LaunchBlock::LOGICAL_XY),
            ("kLaunchProcessor", LaunchBlock::PROCESSOR),
            ("kLaunchProcessorStride", LaunchBlock::PROCESSOR_STRIDE),
            ("kLaunchAtomicReturn", LaunchBlock::ATOMIC_RETURN),
            ("kCircularBufferSlotSize", CircularBufferSlot::SIZE),
            ("kBankDramCount", BankTables::DRAM_COUNT),
            ("kBankL1Count", BankTables::L1_COUNT),
            ("kBankDram", BankTables::DRAM),
            ("kBankL1", BankTables::L1),
            ("kBankStride", BankTables::BANK_STRIDE),
        ],
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(bytes: &[u8], offset: u32) -> u32 {
        let offset = offset as usize;
        u32::from_le_bytes(bytes[offset..offset + 4].try_into().unwrap())
    }

    #[test]
    fn every_field_of_a_block_lies_at_its_offset() {
        let block = LaunchBlock {
            processors: [
                Some(ProcessorLaunch { entry: 0x100, unique_args: 0x200, common_args: 0x300 }),
                None,
                None,
                None,
                Some(ProcessorLaunch { entry: 0x101, unique_args: 0x201, common_args: 0x301 }),
            ],
            bank_tables: 11,
            semaphores: 12,
            circular_buffers: 13,
            circular_buffer_count: 14,
            noc: [NocCoordinate { x: 1, y: 2 }, NocCoordinate { x: 11, y: 9 }],
            logical: LogicalCore { x: 3, y: 4 },
            atomic_return: 15,
        };
        let bytes = block.encode();
        assert_eq!(bytes.len(), LaunchBlock::SIZE as usize);
        assert_eq!(word(&bytes, LaunchBlock::VERSION), LAUNCH_ABI);
        assert_eq!(word(&bytes, LaunchBlock::PROCESSORS), 0b10001);
        assert_eq!(word(&bytes, LaunchBlock::BANK_TABLES), 11);
        assert_eq!(word(&bytes, LaunchBlock::SEMAPHORES), 12);
        assert_eq!(word(&bytes, LaunchBlock::CIRCULAR_BUFFERS), 13);
        assert_eq!(word(&bytes, LaunchBlock::CIRCULAR_BUFFER_COUNT), 14);
        assert_eq!(word(&bytes, LaunchBlock::NOC_XY), 0x0902_0B01);
        assert_eq!(word(&bytes, LaunchBlock::LOGICAL_XY), 3 | 4 << 16);
        assert_eq!(word(&bytes, LaunchBlock::ATOMIC_RETURN), 15);
        let last = LaunchBlock::PROCESSOR + 4 * LaunchBlock::PROCESSOR_STRIDE;
        assert_eq!(word(&bytes, LaunchBlock::PROCESSOR), 0x100);
        assert_eq!(word(&bytes, last + 4), 0x201);
        assert_eq!(word(&bytes, last + 8), 0x301);
    }

    #[test]
    fn bank_tables_have_fixed_places_and_a_limit() {
        let bank = |x, offset| NocBank {
            tile: [NocCoordinate { x, y: 1 }, NocCoordinate { x, y: 2 }],
            offset,
        };
        let tables = BankTables { dram: vec![bank(1, 5), bank(2, 6)], l1: vec![bank(3, 7)] };
        let bytes = tables.encode().unwrap();
        assert_eq!(bytes.len(), BankTables::SIZE as usize);
        assert_eq!(word(&bytes, BankTables::DRAM_COUNT), 2);
        assert_eq!(word(&bytes, BankTables::L1_COUNT), 1);
        assert_eq!(word(&bytes, BankTables::DRAM + BankTables::BANK_STRIDE), 2 | 1 << 6);
        assert_eq!(word(&bytes, BankTables::L1 + 4), 3 | 2 << 6);
        assert_eq!(word(&bytes, BankTables::L1 + 8), 7);
        let many = BankTables { dram: vec![bank(0, 0); 33], l1: Vec::new() };
        assert!(many.encode().is_err());
    }

    #[test]
    fn the_c_header_is_the_generated_one() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../firmware/include/hallmark/launch_abi.h");
        let committed = std::fs::read_to_string(path).unwrap();
        assert_eq!(committed, c_header(), "run scripts/device-code");
    }
}
