//! What a launch was given, for devices that check it: [`LaunchDescription`].

use std::ops::Range;
use std::sync::Arc;

use crate::{Noc, PhysicalCoordinate, Processor, TileAddress};

/// The launch of a program on one tile, as the runtime has written it.
///
/// A device that checks programs is told of each launch before it can begin
/// ([`PciDevice::describe_launches`](crate::PciDevice::describe_launches)). All addresses are addresses of the tile.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LaunchDescription {
    /// The form of the description: [`LaunchDescription::VERSION`]. A device checks nothing by a form that it does not
    /// know.
    pub version: u32,
    /// The number by which the runtime knows the program.
    pub program: u32,
    /// Bytes from the launch block's first one on that the runtime wrote: block, table of circular buffers, arguments.
    pub size: u32,
    /// The kernels that run on the tile, each on processors of its own.
    pub kernels: Vec<DescribedKernel>,
    /// The circular buffers of the tile. Several may have one index of memory in common.
    pub circular_buffers: Vec<DescribedCircularBuffer>,
    /// The program's semaphores on the tile.
    pub semaphores: Vec<DescribedSemaphore>,
    /// The buffers that the launch was given, on whatever tile they lie, ascending by number.
    pub buffers: Vec<Arc<DescribedBuffer>>,
    /// A kernel ends where it returns to firmware: no start-up code waits for its requests after `kernel_main`.
    pub ends_by_return: bool,
    /// From each kernel's own arguments up to this address, memory holds arguments alone. If it is set, the description says
    /// nothing about other memory.
    pub arguments_until: Option<u32>,
    /// Memory of the tile that holds firmware and launches, and no program's data, ascending. Without it, no access to
    /// memory is judged by the description.
    pub reserved: Arc<[ReservedMemory]>,
}

/// Memory of a tile that belongs to the runtime.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReservedMemory {
    /// Where it lies.
    pub range: Range<u32>,
    /// Its use.
    pub purpose: ReservedUse,
}

/// The use of memory that belongs to the runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReservedUse {
    /// Firmware's instructions and data.
    Firmware,
    /// Words through which host and firmware, or the cores of the tile, speak.
    Mailbox,
    /// Words that the kernel API itself uses: responses of atomics, and words that wait to be written.
    KernelApi,
    /// Tables in which kernels find banks.
    BankTables,
    /// Room of those tables for banks that the chip does not have.
    NoBanks,
    /// Semaphores, launch blocks, arguments and kernels of whatever launch.
    Launches,
    /// Markers of a profile.
    Markers,
}

/// A kernel of a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DescribedKernel {
    /// The name that the host program gave it; a number where it has none.
    pub name: Arc<str>,
    /// The NoC that a kernel of data movement was built for, if the runtime knows it.
    pub noc: Option<Noc>,
    /// The core's own arguments.
    pub unique_arguments: DescribedArguments,
    /// The arguments that all cores of the kernel share.
    pub common_arguments: DescribedArguments,
    /// The numbers that it was built with: compile-time arguments, and defines that are numbers.
    pub numbers: Arc<[u32]>,
    /// Memory of its own on the tile.
    pub scratchpads: Vec<DescribedScratchpad>,
    /// Its code, one for each processor that it runs on.
    pub images: Vec<DescribedImage>,
}

/// The code of a kernel for one processor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DescribedImage {
    /// The processor that it runs on.
    pub processor: Processor,
    /// The first instruction. Firmware calls it with the launch block's address as its argument.
    pub entry: u32,
    /// The tile's memory that holds it, data that is copied to private memory included.
    pub code: Range<u32>,
    /// Instructions of the start-up code that wait after `kernel_main`, as ranges of pcs; empty if they are not known.
    pub waits_after: Vec<Range<u32>>,
    /// The processor's own table of circular buffers, if it is known.
    pub table: Option<CircularBufferTable>,
}

/// A processor's table of circular buffers in its private memory, with an entry for each index. Start-up code fills the
/// entries of the indices that the launch configures, and nothing fills the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CircularBufferTable {
    /// The entry of index 0.
    pub address: u32,
    /// The number of entries.
    pub entries: u32,
    /// Bytes from one entry to the next.
    pub stride: u32,
    /// The offset of the read pointer in an entry.
    pub read_pointer: u32,
    /// The offset of the write pointer in an entry.
    pub write_pointer: u32,
    /// Bytes that the pointers count.
    pub unit: u32,
}

impl CircularBufferTable {
    /// The index of the entry that holds a byte.
    pub fn index_at(&self, address: u64) -> Option<u32> {
        let offset = address.checked_sub(self.address.into())?;
        let index = u32::try_from(offset.checked_div(self.stride.into())?).ok()?;
        (index < self.entries).then_some(index)
    }
}

/// Arguments of a kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DescribedArguments {
    /// The first word.
    pub address: u32,
    /// The number of words.
    pub count: u32,
    /// The words whose meaning the runtime knows, ascending by index.
    pub meanings: Vec<(u32, ArgumentMeaning)>,
}

impl DescribedArguments {
    /// The address of a word, which need not be one of these.
    pub const fn word(&self, index: u32) -> u32 {
        self.address.saturating_add(index.saturating_mul(4))
    }

    /// The memory of its words.
    pub const fn words(&self) -> Range<u32> {
        self.address..self.word(self.count)
    }
}

/// The meaning of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgumentMeaning {
    /// The address of a buffer, by its number, plus an offset; or of the buffer's banks.
    Buffer(u32),
    /// The address of a semaphore of the program.
    Semaphore,
    /// A coordinate of a core.
    Coordinate,
    /// The address of a scratchpad of the kernel.
    Scratchpad,
}

/// Memory of a tile that belongs to one kernel of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DescribedScratchpad {
    /// The index of the kernel's common argument that holds the address.
    pub argument: u32,
    /// Its first byte.
    pub address: u32,
    /// Its bytes.
    pub size: u32,
}

/// A circular buffer on a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DescribedCircularBuffer {
    /// The index by which kernels name it.
    pub index: u32,
    /// Its first byte.
    pub address: u32,
    /// Bytes of all its pages.
    pub size: u32,
    /// Bytes of a page.
    pub page_size: u32,
    /// The number of its pages.
    pub pages: u32,
    /// The buffer that it lies in, by its number, if it takes its memory from one.
    pub buffer: Option<u32>,
}

/// A semaphore on a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DescribedSemaphore {
    /// The number by which kernels name it.
    pub number: u32,
    /// Its word.
    pub address: u32,
}

/// A buffer, by which checks name memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DescribedBuffer {
    /// The number by which the runtime knows it. A view has the number of the buffer that it is a part of.
    pub number: u32,
    /// The name that the host program gave it.
    pub name: Arc<str>,
    /// The number of its pages.
    pub pages: u64,
    /// Bytes of a page, without the padding behind it.
    pub page_size: u64,
    /// Whether its pages lie in shards, which may have room for more pages than there are.
    pub sharded: bool,
    /// Its address within each bank, which kernels are given. On a tile with several banks it is not that of the tile.
    pub address: u64,
    /// Its memory in each bank that holds any.
    pub extents: Vec<DescribedExtent>,
}

/// The memory of a buffer in one bank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DescribedExtent {
    /// The tile that holds the bank.
    pub tile: PhysicalCoordinate,
    /// The first byte.
    pub start: TileAddress,
    /// Bytes, padding included.
    pub length: u64,
    /// Its pages, ascending by address.
    pub runs: Vec<DescribedPages>,
}

/// Pages of a buffer that follow one another in a bank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DescribedPages {
    /// The first byte.
    pub start: TileAddress,
    /// Bytes from one page to the next: the page size, aligned.
    pub distance: u64,
    /// The number of the first page.
    pub first: u64,
    /// The difference between the numbers of two neighbours.
    pub step: u64,
    /// The number of pages; 0 in a bank that would hold the first page, and holds none.
    pub count: u64,
}

impl LaunchDescription {
    /// The form that this release writes.
    pub const VERSION: u32 = 1;

    /// The kernel that runs on a processor, and its code there.
    pub fn on(&self, processor: Processor) -> Option<(&DescribedKernel, &DescribedImage)> {
        self.kernels.iter().find_map(|kernel| {
            let image = kernel.images.iter().find(|image| image.processor == processor)?;
            Some((kernel, image))
        })
    }

    /// A buffer that the launch was given, by its number.
    pub fn buffer(&self, number: u32) -> Option<&Arc<DescribedBuffer>> {
        self.buffers.iter().find(|buffer| buffer.number == number)
    }

    /// A circular buffer by its index.
    pub fn circular_buffer(&self, index: u32) -> Option<&DescribedCircularBuffer> {
        self.circular_buffers.iter().find(|buffer| buffer.index == index)
    }
}

impl DescribedKernel {
    /// The core's own arguments, and those that all cores share.
    pub const fn arguments(&self) -> [&DescribedArguments; 2] {
        [&self.unique_arguments, &self.common_arguments]
    }
}

impl DescribedExtent {
    /// Its tile addresses.
    pub const fn range(&self) -> Range<u64> {
        self.start.0..self.start.0.saturating_add(self.length)
    }
}

impl DescribedBuffer {
    /// The number of the page that holds a byte of a tile, if one does; the padding behind a page counts as the page.
    pub fn page_at(
        &self,
        tile: PhysicalCoordinate,
        TileAddress(address): TileAddress,
    ) -> Option<u64> {
        self.extents.iter().filter(|extent| extent.tile == tile).find_map(|extent| {
            extent.runs.iter().find_map(|run| {
                let index = address.checked_sub(run.start.0)?.checked_div(run.distance)?;
                (index < run.count)
                    .then(|| run.first.saturating_add(index.saturating_mul(run.step)))
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TILE: PhysicalCoordinate = PhysicalCoordinate { x: 3, y: 5 };

    #[test]
    fn a_byte_lies_in_a_page_or_the_padding_behind_it() {
        let first = DescribedPages {
            start: TileAddress(0x100),
            distance: 0x40,
            first: 1,
            step: 4,
            count: 3,
        };
        let second = DescribedPages {
            start: TileAddress(0x400),
            distance: 0x40,
            first: 13,
            step: 1,
            count: 2,
        };
        let extent = DescribedExtent {
            tile: TILE,
            start: TileAddress(0x100),
            length: 0x380,
            runs: vec![first, second],
        };
        let buffer = DescribedBuffer {
            number: 7,
            name: "b".into(),
            pages: 15,
            page_size: 0x30,
            sharded: true,
            address: 0x4000,
            extents: vec![extent],
        };
        let page = |address| buffer.page_at(TILE, TileAddress(address));
        assert_eq!(
            [0xFF, 0x100, 0x13F, 0x140, 0x1BF, 0x1C0].map(page),
            [None, Some(1), Some(1), Some(5), Some(9), None]
        );
        assert_eq!([0x3FF, 0x400, 0x47F, 0x480].map(page), [None, Some(13), Some(14), None]);
        let elsewhere = PhysicalCoordinate { x: 5, y: 3 };
        assert_eq!(buffer.page_at(elsewhere, TileAddress(0x100)), None);
    }

    #[test]
    fn a_processor_runs_the_kernel_that_has_code_for_it() {
        let kernel = |name: &str, processors: &[Processor]| DescribedKernel {
            name: name.into(),
            noc: None,
            numbers: [].into(),
            unique_arguments: DescribedArguments { address: 0x80, count: 3, meanings: Vec::new() },
            common_arguments: DescribedArguments::default(),
            scratchpads: Vec::new(),
            images: processors
                .iter()
                .map(|&processor| {
                    let entry = 0x1000 + 0x100 * processor.index() as u32;
                    DescribedImage {
                        processor,
                        entry,
                        code: entry..entry + 0x40,
                        waits_after: Vec::new(),
                        table: None,
                    }
                })
                .collect(),
        };
        let launch = LaunchDescription {
            version: LaunchDescription::VERSION,
            kernels: vec![
                kernel("compute", &[Processor::Trisc0, Processor::Trisc2]),
                kernel("writer", &[Processor::Ncrisc]),
            ],
            ..LaunchDescription::default()
        };
        let (found, image) = launch.on(Processor::Trisc2).unwrap();
        assert_eq!((&*found.name, image.processor), ("compute", Processor::Trisc2));
        assert_eq!(found.unique_arguments.words(), 0x80..0x8C);
        assert_eq!(&*launch.on(Processor::Ncrisc).unwrap().0.name, "writer");
        assert!(launch.on(Processor::Brisc).is_none());
    }

    #[test]
    fn a_table_ends_with_its_last_entry() {
        let table = CircularBufferTable {
            address: 0x100,
            entries: 3,
            stride: 24,
            read_pointer: 16,
            write_pointer: 20,
            unit: 1,
        };
        let index = |address| table.index_at(address);
        assert_eq!([0xFF, 0x100, 0x117, 0x118].map(index), [None, Some(0), Some(0), Some(1)]);
        assert_eq!([0x147, 0x148, u64::MAX].map(index), [Some(2), None, None]);
    }
}
