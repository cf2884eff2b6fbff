//! The place that TT-Metalium gives a buffer, computed from the live buffers alone, without a list of free
//! memory.
//!
//! The rules are those of its allocator, in the repository `tenstorrent/tt-metal`:
//! - all banks of a memory are divided alike, and a buffer begins at a multiple of the DRAM alignment, in L1
//!   too (`tech_reports/memory/allocator.md`, sections 2 and 2.1; `init_allocators` in
//!   `tt_metal/impl/allocator/bank_manager.cpp` gives both memories the alignment of DRAM);
//! - the allocator takes the first free block of sufficient size, the lowest from below and the highest from
//!   above (`SearchPolicy::FIRST` in the same file; `FreeListOpt::allocate` in
//!   `tt_metal/impl/allocator/algorithms/free_list_opt.cpp`);
//! - DRAM is filled from below and L1 from above, unless the caller says otherwise, and a page takes the
//!   alignment of its own memory (`bottom_up_` and `Buffer::aligned_page_size` in
//!   `tt_metal/impl/buffers/buffer.cpp`);
//! - pages go round the banks, or a shard to each core (`tech_reports/tensor_layouts/tensor_layouts.md`,
//!   section 4);
//! - L1_SMALL is the top of each L1, filled from above like L1 (`init_compute_and_storage_l1_bank_manager` in
//!   `l1_banking_allocator.cpp` beside the bank manager);
//! - the same file assigns the banks of L1 to cores.

use std::ops::Range;

use hallmark_chip::Architecture;
use hallmark_schema::model::BufferType;

/// A memory as tt-metal's architecture tables describe it, without the row or column of cores that dispatch may
/// reserve.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Memory {
    pub(crate) architecture: Architecture,
    pub(crate) buffer_type: BufferType,
    /// Columns and rows of the cores with L1 banks; the DRAM banks form one row.
    pub(crate) grid: (u64, u64),
    pub(crate) page_alignment: u64,
    pub(crate) buffer_alignment: u64,
    /// The first byte of a bank that buffers may take.
    pub(crate) first: u64,
    /// The first byte above them: buffers lie below it.
    pub(crate) end: u64,
}

/// The bank numbers of Wormhole's and Blackhole's cores, row by row: libstdc++'s `std::shuffle` of the numbers
/// from 0 with `std::default_random_engine(0)`, printed by a C++ program.
const WORMHOLE_L1: [u64; 72] = [
    34, 63, 38, 66, 52, 33, 4, 37, 20, 35, 14, 22, 67, 31, 36, 19, 30, 64, 3, 10, 25, 71, 59, 70,
    39, 24, 50, 12, 21, 42, 29, 5, 61, 0, 26, 54, 1, 9, 15, 13, 18, 58, 8, 46, 27, 51, 16, 53, 62,
    45, 68, 43, 41, 17, 55, 69, 49, 48, 57, 32, 47, 23, 11, 28, 40, 6, 65, 2, 44, 60, 56, 7,
];
const BLACKHOLE_L1: [u64; 130] = [
    81, 63, 38, 66, 95, 33, 123, 118, 20, 35, 14, 22, 67, 73, 36, 19, 30, 109, 110, 10, 99, 103,
    59, 70, 119, 24, 115, 12, 78, 106, 29, 5, 61, 0, 26, 129, 85, 9, 15, 108, 126, 58, 101, 98,
    117, 51, 83, 87, 62, 102, 68, 43, 41, 17, 112, 75, 121, 88, 92, 32, 47, 84, 122, 28, 124, 86,
    127, 125, 79, 93, 56, 7, 16, 31, 49, 69, 76, 100, 21, 44, 25, 82, 34, 72, 94, 1, 6, 53, 89, 48,
    4, 74, 57, 60, 23, 52, 50, 27, 46, 80, 39, 8, 105, 114, 77, 45, 116, 97, 13, 120, 3, 113, 111,
    55, 71, 96, 42, 107, 37, 104, 64, 91, 11, 90, 40, 2, 18, 128, 65, 54,
];

const MIB: u64 = 1 << 20;
const KIB: u64 = 1 << 10;

impl Memory {
    /// `l1_base` is the end of the firmware's part of L1. `trace_region` is the reserved size at the top of
    /// each DRAM bank, `l1_small` the reserved size at the top of each L1.
    pub(crate) fn new(
        architecture: Architecture,
        buffer_type: BufferType,
        l1_base: u64,
        trace_region: u64,
        l1_small: u64,
    ) -> Self {
        let (dram_banks, bank_size, dram_alignment) = match architecture {
            Architecture::Grayskull => (8, 1024 * MIB, 32),
            Architecture::WormholeB0 => (12, 1024 * MIB, 32),
            Architecture::Blackhole => (8, 4080 * MIB, 64),
        };
        let (cores, l1_size) = match architecture {
            Architecture::Grayskull => ((12, 9), 1024 * KIB),
            Architecture::WormholeB0 => ((8, 9), 1464 * KIB),
            Architecture::Blackhole => ((13, 10), 1536 * KIB),
        };
        let (grid, page_alignment, first, end) = match buffer_type {
            BufferType::Dram => ((dram_banks, 1), dram_alignment, 64, bank_size - trace_region),
            BufferType::L1 => (cores, 16, l1_base, l1_size - l1_small),
            BufferType::L1Small => (cores, 16, l1_size - l1_small, l1_size),
        };
        Self {
            architecture,
            buffer_type,
            grid,
            page_alignment,
            buffer_alignment: dram_alignment,
            first: first.next_multiple_of(dram_alignment),
            end: end / dram_alignment * dram_alignment,
        }
    }

    pub(crate) const fn banks(&self) -> u64 {
        self.grid.0 * self.grid.1
    }

    /// The core of an L1 bank, counted row by row; for DRAM, the bank itself.
    fn core(&self, bank: u64) -> u64 {
        let banks_of_cores: &[u64] = match (self.buffer_type, self.architecture) {
            (BufferType::Dram, _) | (_, Architecture::Grayskull) => return bank,
            (BufferType::L1 | BufferType::L1Small, Architecture::WormholeB0) => &WORMHOLE_L1,
            (BufferType::L1 | BufferType::L1Small, Architecture::Blackhole) => &BLACKHOLE_L1,
        };
        banks_of_cores.iter().position(|of_core| *of_core == bank).unwrap() as u64
    }

    /// Bytes from one page of a bank to the next.
    pub(crate) const fn stride(&self, page_size: u64) -> u64 {
        page_size.next_multiple_of(self.page_alignment)
    }

    /// The offset of a bank's first byte on its tile: each of Wormhole's DRAM tiles has two banks.
    pub(crate) const fn bank_offset(&self, bank: u64) -> u64 {
        match (self.architecture, self.buffer_type) {
            (Architecture::WormholeB0, BufferType::Dram) => bank % 2 * 1024 * MIB,
            _ => 0,
        }
    }
}

/// The distribution of a buffer's pages.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Spread {
    /// Page by page over all banks.
    Interleaved { pages: u64 },
    /// `on_a_core` consecutive pages to each of the first cores, row by row over a rectangle.
    Height { pages: u64, on_a_core: u64, rectangle: (u64, u64) },
    /// A rectangle of pages, rows and columns, to each core of a rectangle.
    Block { pages: (u64, u64), on_a_core: (u64, u64), rectangle: (u64, u64) },
}

impl Spread {
    pub(crate) const fn pages(&self) -> u64 {
        match *self {
            Self::Interleaved { pages } | Self::Height { pages, .. } => pages,
            Self::Block { pages: (rows, columns), .. } => rows * columns,
        }
    }

    /// Pages of the fullest bank, padding included.
    const fn fullest(&self, memory: &Memory) -> u64 {
        match *self {
            Self::Interleaved { pages } => pages.div_ceil(memory.banks()),
            Self::Height { on_a_core, .. } => on_a_core,
            Self::Block { on_a_core: (rows, columns), .. } => rows * columns,
        }
    }

    /// The core of a page, counted row by row, or its DRAM bank, and the number of earlier pages in that bank.
    pub(crate) fn place(&self, memory: &Memory, page: u64) -> (u64, u64) {
        // Cores count row by row over a rectangle at the grid's corner.
        const fn core_of(core: u64, rectangle: (u64, u64), memory: &Memory) -> u64 {
            core / rectangle.0 * memory.grid.0 + core % rectangle.0
        }
        match *self {
            Self::Interleaved { .. } => (memory.core(page % memory.banks()), page / memory.banks()),
            Self::Height { on_a_core, rectangle, .. } => {
                (core_of(page / on_a_core, rectangle, memory), page % on_a_core)
            }
            Self::Block { pages, on_a_core, rectangle } => {
                let (row, column) = (page / pages.1, page % pages.1);
                let across = pages.1.div_ceil(on_a_core.1);
                let core = row / on_a_core.0 * across + column / on_a_core.1;
                let slot = row % on_a_core.0 * on_a_core.1 + column % on_a_core.1;
                (core_of(core, rectangle, memory), slot)
            }
        }
    }

    /// Bytes of every bank.
    pub(crate) const fn bank_size(&self, memory: &Memory, page_size: u64) -> u64 {
        (self.fullest(memory) * memory.stride(page_size)).next_multiple_of(memory.buffer_alignment)
    }
}

/// The allocated ranges, equal in every bank.
#[derive(Clone, Debug, Default)]
pub(crate) struct Live(Vec<Range<u64>>);

impl Live {
    fn is_free(&self, range: &Range<u64>) -> bool {
        self.0.iter().all(|taken| taken.end <= range.start || range.end <= taken.start)
    }

    /// Allocates `size` bytes of every bank. Returns the address, or `None` without room.
    pub(crate) fn take(&mut self, memory: &Memory, size: u64, bottom_up: bool) -> Option<u64> {
        // The first free block touches an end of the memory or a live buffer.
        let found = if bottom_up {
            let starts = self.0.iter().map(|taken| taken.end).chain([memory.first]);
            let ranges = starts.map(|start| start..start + size);
            ranges.filter(|range| range.end <= memory.end && self.is_free(range)).min_by_key(key)
        } else {
            let ends = self.0.iter().map(|taken| taken.start).chain([memory.end]);
            let ranges = ends.filter_map(|end| Some(end.checked_sub(size)?..end));
            let inside = ranges.filter(|range| range.start >= memory.first && self.is_free(range));
            inside.max_by_key(key)
        }?;
        self.0.push(found.clone());
        Some(found.start)
    }

    pub(crate) fn give_back(&mut self, address: u64) {
        self.0.retain(|taken| taken.start != address);
    }
}

const fn key(range: &Range<u64>) -> u64 {
    range.start
}
