//! The differences between architectures, as data.

mod arc;
mod blackhole;
mod ethernet;
mod grayskull;
mod wormhole_b0;

pub use arc::{
    ArcChannel, ArcDoorbell, ArcHostView, ArcMessage, ArcRegister, ArcReport, ArcTelemetry,
    ArcTile, ArcValue,
};
pub use ethernet::EthernetFirmware;

use crate::{
    Architecture, HarvestingMask, L1BankOrder, LogicalCore, Noc, NocCoordinate, PhysicalCoordinate,
    Processor, TileAddress, WindowLayout,
};

/// Everything in which architectures differ, as data.
///
/// The tables cite their sources. A test compares each table with a second transcription.
#[derive(Debug, PartialEq, Eq)]
pub struct ChipDescription {
    /// The architecture.
    pub architecture: Architecture,
    /// Configuration word 0: device id in the upper half, vendor id in the lower.
    pub pci_id: u32,
    /// Columns and rows of the NoC.
    pub noc_grid: (u8, u8),
    /// NoC 0 columns that hold Tensix tiles, in the order of logical x.
    pub tensix_columns: &'static [u8],
    /// NoC 0 rows that hold Tensix tiles, in the order of logical y.
    pub tensix_rows: &'static [u8],
    /// The NoC coordinates of those columns: physical ones without translation (Grayskull), otherwise
    /// translated ones. On an unharvested Blackhole the two are equal.
    pub column_names: &'static [u8],
    /// The NoC coordinates of the rows.
    pub row_names: &'static [u8],
    /// NoC coordinates below this are raw, and NoC 1 counts them from the opposite corner. Those from it on are
    /// translated, and equal on both NoCs.
    pub raw_coordinates_below: u8,
    /// Whether logical rows (Grayskull, Wormhole) or columns (Blackhole) are harvested; the last
    /// one is reserved for dispatch.
    pub harvests_rows: bool,
    /// NoC 0 rows or columns that may be harvested, in the order on the die. Fuses and telemetry count in this
    /// order.
    pub harvestable_on_die: &'static [u8],
    /// Whether harvested rows or columns take the last translated coordinates from the very last one downwards,
    /// in the order on the die; otherwise they take them upwards to the last, in the order of NoC 0.
    pub harvested_from_the_last: bool,
    /// The harvested rows or columns.
    pub harvesting: HarvestingMask,
    /// The NoC 0 positions of the harvested rows or columns, in the order of their translated coordinates.
    pub harvested: &'static [u8],
    /// DRAM banks in the order in which interleaved pages visit them.
    pub dram_banks: &'static [DramBank],
    /// Usable bytes of one DRAM bank.
    pub dram_bank_size: u64,
    /// Tiles of DRAM controllers, in the order of their channels.
    pub dram_tiles: &'static [DramTile],
    /// Ethernet tiles, in the order of their channels.
    pub ethernet_tiles: &'static [PhysicalCoordinate],
    /// Bytes of L1 per Ethernet tile.
    pub ethernet_l1_size: u64,
    /// The state of Ethernet tiles that a driver reads, if known.
    pub ethernet_firmware: Option<EthernetFirmware>,
    /// The tile of the management processor (ARC), for NoC requests.
    pub arc_tile: PhysicalCoordinate,
    /// How that processor reports harvesting, if known.
    pub arc_report: Option<ArcReport>,
    /// The state of that processor that a driver reads, if known.
    pub arc: Option<ArcTile>,
    /// Translated columns with their physical columns; other columns are untranslated.
    pub translated_columns: &'static [(u8, u8)],
    /// Translated rows with their physical rows; other rows are untranslated.
    pub translated_rows: &'static [(u8, u8)],
    /// Rows in which requests name grid columns by their physical numbers, whatever the table says.
    pub rows_of_untranslated_columns: &'static [u8],
    /// The NoC coordinate of the tile through which the device reaches host memory.
    pub pcie_tile: NocCoordinate,
    /// The physical coordinate of that tile.
    pub pcie_place: PhysicalCoordinate,
    /// The tile address in the PCIe tile that maps to host address 0.
    pub pcie_host_base: TileAddress,
    /// Bytes of host memory that are mapped there.
    pub pcie_host_size: u64,
    /// Tile addresses in the PCIe tile of more windows of that size, which bypass its address translation
    /// units.
    pub pcie_direct_windows: &'static [TileAddress],
    /// Bytes of L1 per Tensix tile.
    pub l1_size: u64,
    /// Alignment of a page in L1, bytes.
    pub l1_alignment: u32,
    /// The core of each bank of interleaved L1.
    pub l1_bank_order: L1BankOrder,
    /// Alignment of a page in DRAM, bytes. The source and destination of a NoC read must be congruent modulo
    /// this number.
    pub dram_alignment: u32,
    /// Largest NoC transfer in bytes.
    pub noc_max_burst: u32,
    /// The instructions beyond RV32IM.
    pub instruction_set: InstructionSet,
    /// Private memories of the five cores.
    pub private_memory: PrivateMemory,
    /// The cache between each core and L1, if there is one.
    pub data_cache: Option<DataCache>,
    /// Addresses of Tensix configuration words that the simulator stores and that have no simulated effect.
    pub kept_configuration: &'static [u32],
    /// Circular buffers per core.
    pub circular_buffers: u32,
    /// Bytes of BAR0, BAR2 and BAR4.
    pub bar_sizes: [u64; 3],
    /// Whether BAR4 mirrors the top of BAR0; otherwise it holds windows.
    pub bar4_shows_bar0: bool,
    /// The NoC interfaces that are mapped in BAR0, as far as known.
    pub host_noc_interfaces: &'static [HostNocInterface],
    /// The NoC interfaces of tiles without Tensix that NoC requests reach, as far as known.
    pub tile_noc_interfaces: &'static [TileNocInterface],
    /// The configuration registers of the PCIe tile's address translation units, if known.
    pub address_translation: Option<AddressTranslationLayout>,
    /// TLB windows.
    pub windows: WindowLayout,
    /// Width of the NoC field in a window's configuration.
    pub window_noc_bits: u32,
    /// Reset registers.
    pub reset: ResetRegisters,
    /// NoC register layout.
    pub noc: NocRegisters,
    /// Registers of the NoC overlay streams.
    pub overlay: OverlayRegisters,
    /// Registers that show the state of cores.
    pub debug: DebugRegisters,
}

/// A tile's NoC interface that the host reaches without a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostNocInterface {
    /// Offset of its registers in BAR0.
    pub start: u64,
    /// The tile of the interface.
    pub tile: PhysicalCoordinate,
    /// The network of the interface.
    pub noc: Noc,
}

/// A tile's NoC interface that NoC requests to the tile reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TileNocInterface {
    /// The tile of the interface.
    pub tile: PhysicalCoordinate,
    /// The tile address of its registers.
    pub start: TileAddress,
    /// The network of the interface.
    pub noc: Noc,
}

/// The registers of the PCIe tile's address translation units, in BAR2. Each of 16 regions has registers for
/// requests from the chip, then registers for requests from the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AddressTranslationLayout {
    /// Offset of the first region's registers.
    pub start: u64,
    /// Bytes between the registers of the two directions.
    pub stride: u64,
    /// Whether the upper half of a region's limit has a register of its own; otherwise it is that of the base.
    pub upper_limit: bool,
}

/// A DRAM bank: a tile and the offset of the bank in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DramBank {
    /// The NoC coordinate of the tile.
    pub tile: NocCoordinate,
    /// The physical coordinate of the tile; a port of a [`DramTile`].
    pub place: PhysicalCoordinate,
    /// The tile address of the bank's first byte.
    pub offset: u64,
}

/// A DRAM controller: the tiles through which its memory is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DramTile {
    /// Its ports; [`ChipDescription::dram_banks`] names the first one.
    pub ports: &'static [PhysicalCoordinate],
    /// Bytes of its memory, at tile addresses from 0.
    pub size: u64,
}

/// Private memories of a Tensix tile's cores; sizes in bytes, indexed by [`crate::Processor::index`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PrivateMemory {
    /// The address at which every core sees its own private RAM.
    pub base: u32,
    /// Private RAM per core.
    pub size: [u32; 5],
    /// The address and size of NCRISC's instruction RAM, as NCRISC sees it.
    pub ncrisc_instruction_ram: Option<(u32, u32)>,
    /// The addresses at which other cores and the NoC see each core's private RAM.
    pub shared_view: Option<SharedView>,
}

/// The addresses at which the private RAM of each core is visible to the whole tile and the NoC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SharedView {
    /// The first address of each core's RAM, indexed by [`crate::Processor::index`].
    pub base: [u32; 5],
    /// Bytes from there that map to the RAM. If they exceed its size, the RAM repeats.
    pub span: u32,
}

impl SharedView {
    /// The core whose private RAM is mapped at a tile address, by [`crate::Processor::index`], and the offset
    /// of the address in that mapping.
    pub fn find(&self, address: u64) -> Option<(usize, u32)> {
        self.base.into_iter().enumerate().find_map(|(core, base)| {
            let offset = u32::try_from(address.checked_sub(base.into())?).ok()?;
            (offset < self.span).then_some((core, offset))
        })
    }
}

/// Extensions of a chip's cores to RV32IM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InstructionSet {
    /// Zicsr, with the registers of counters and of the core's own configuration.
    pub control_registers: bool,
    /// Zaamo: atomics on L1.
    pub atomics: bool,
    /// Zba and Zbb, with `pack` and `brev8`; Zbb's `zext.h` is a form of `pack`.
    pub bit_manipulation: bool,
    /// Parts of F, Zfh and V.
    pub floating_point: bool,
}

impl InstructionSet {
    /// RV32IM alone.
    pub const NO_EXTENSIONS: Self = Self {
        control_registers: false,
        atomics: false,
        bit_manipulation: false,
        floating_point: false,
    };
}

/// A cache of a core's loads, which is not coherent with L1. Stores bypass it and drop the line that they
/// touch; `fence` and atomics empty it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DataCache {
    /// Lines per core.
    pub lines: u32,
    /// Bytes of a line, which are fetched together.
    pub line_size: u32,
    /// The control and status register that configures it.
    pub control_register: u16,
    /// The bit of that register that turns it off.
    pub disable_bit: u32,
    /// The cache is emptied at one of this many hits.
    pub hits_per_flush: u32,
    /// The bit of that register that disables this emptying.
    pub keep_bit: u32,
}

/// Soft reset and the start addresses of cores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResetRegisters {
    /// `SOFT_RESET_0`.
    pub soft_reset: TileAddress,
    /// The bit that holds each core in reset, indexed by [`crate::Processor::index`].
    pub bits: [u32; 5],
    /// The start address of each core without an override.
    pub default_pc: [u32; 5],
    /// How to change the start address of each core; `None` for BRISC, whose start address is fixed.
    pub overrides: [Option<StartOverride>; 5],
    /// Whether the host and the NoC reach the registers of [`ResetRegisters::overrides`]; otherwise
    /// BRISC writes them.
    pub overrides_reachable: bool,
    /// The register by which cores keep their private RAM over a reset; without it all keep it.
    pub keep_private_memory: Option<KeepPrivateMemory>,
    /// The register through which a core empties the instruction caches of cores, one bit each.
    pub invalidate_instruction_caches: u32,
}

impl ResetRegisters {
    /// The value that holds every core in reset.
    pub fn all(&self) -> u32 {
        self.bits.iter().fold(0, |all, bit| all | bit)
    }

    /// The value that holds every core but one in reset.
    pub fn all_but(&self, processor: Processor) -> u32 {
        let others = Processor::ALL.into_iter().zip(self.bits).filter(|(it, _)| *it != processor);
        others.fold(0, |held, (_, bit)| held | bit)
    }
}

/// Registers that override the start address of a core, as addresses in the tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StartOverride {
    /// The register of the start address.
    pub pc: u32,
    /// The register that enables the override.
    pub enable: u32,
    /// The bit of that register.
    pub enable_bit: u32,
}

/// The register that tells cores not to zero their private RAM when they leave reset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeepPrivateMemory {
    /// Its address in the tile.
    pub register: u32,
    /// Each core's bit, indexed by [`crate::Processor::index`].
    pub bits: [u32; 5],
}

/// Registers that show the state of a tile's cores, besides reset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DebugRegisters {
    /// The first register of the block.
    pub base: u32,
    /// The offset of the last register.
    pub last: u32,
    /// The registers that show each core's pc, indexed by [`crate::Processor::index`].
    pub pc_snapshots: Option<[u32; 5]>,
    /// The offset of the register that gates the clock of `Dst`, if there is one.
    pub dst_clock_gating: Option<u32>,
}

/// The registers of a tile's NoC interfaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NocRegisters {
    /// Registers of NoC 0 and NoC 1.
    pub base: [u32; 2],
    /// Bytes from one command buffer to the next.
    pub command_buffer_stride: u32,
    /// Command buffers per NoC.
    pub command_buffers: u32,
    /// Offsets of the other registers.
    pub offsets: NocOffsets,
    /// Bits of an address inside a tile; the remaining bits of a request's address name the tile.
    pub address_bits: u32,
    /// Bits below the coordinates in the registers that name tiles.
    pub coordinate_shift: u32,
    /// Whether an inline write may go to L1; otherwise such a write triggers a hardware bug.
    pub inline_writes_to_l1: bool,
    /// Whether an atomic may overtake a write before it on the same virtual channel that has not left. No document
    /// promises their order; where this is `false`, programs of TT-Metalium rely on it.
    pub atomics_overtake_writes: bool,
    /// Bytes of a flit, the unit in which counters count data.
    pub flit_bytes: u32,
    /// The registers of the coordinate translation tables, if the chip translates.
    pub translation: Option<TranslationRegisters>,
}

/// Registers that hold the coordinate translation: 32 entries for columns and 32 for rows. A register holds as
/// many whole entries as fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TranslationRegisters {
    /// The offset of the first register of the columns.
    pub columns: u32,
    /// The offset of the first register of the rows.
    pub rows: u32,
    /// Bits of an entry.
    pub entry_bits: u32,
}

impl TranslationRegisters {
    /// Entries in each table.
    pub const ENTRIES: u32 = 32;

    /// Entries in a register.
    pub const fn entries_per_register(&self) -> u32 {
        match 32_u32.checked_div(self.entry_bits) {
            Some(entries) => entries,
            None => 0,
        }
    }
}

/// Offsets of a NoC interface's registers, from the start of a command buffer or of the interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NocOffsets {
    /// The lowest 32 bits of the target address; the next higher ones, if any, follow.
    pub target: u32,
    /// The tile of the target.
    pub target_tile: u32,
    /// The lowest 32 bits of the return address.
    pub return_address: u32,
    /// The tile of the return address.
    pub return_tile: u32,
    /// Packet tag.
    pub packet_tag: u32,
    /// Kind and options of a request.
    pub control: u32,
    /// Length, or an atomic's instruction, or byte enables.
    pub length: u32,
    /// The operand of an atomic or inline write.
    pub data: u32,
    /// The tiles that a multicast excludes from its rectangle, if it can.
    pub multicast_exclude: Option<u32>,
    /// Sends the request.
    pub command: u32,
    /// The tile's own raw coordinate.
    pub node_id: u32,
    /// The tile's translated coordinate, if the chip translates.
    pub logical_id: Option<u32>,
    /// Clears counters of outstanding requests per transaction identifier, if the chip counts them.
    pub clear_outstanding: Option<u32>,
    /// `NIU_CFG_0`; the router's configuration follows.
    pub configuration: u32,
    /// The first counter.
    pub counters: u32,
    /// Outstanding requests per transaction identifier, if the chip counts them.
    pub outstanding_by_transaction: Option<u32>,
}

/// The registers of a tile's overlay streams that programs use to count pages of circular buffers and
/// completions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OverlayRegisters {
    /// Stream 0.
    pub base: u32,
    /// Bytes from one stream to the next.
    pub stride: u32,
    /// The number of streams.
    pub streams: u32,
    /// Offset of `STREAM_REMOTE_SRC`.
    pub remote_source: u32,
    /// Offset of `STREAM_REMOTE_DEST_BUF_START`.
    pub buffer_start: u32,
    /// Offset of `STREAM_REMOTE_DEST_BUF_SIZE`.
    pub buffer_size: u32,
    /// Offset of `STREAM_REMOTE_DEST_BUF_SPACE_AVAILABLE_UPDATE`.
    pub space_available_update: u32,
    /// Offset of `STREAM_REMOTE_DEST_BUF_SPACE_AVAILABLE`.
    pub space_available: u32,
}

impl ChipDescription {
    /// The table of an architecture's unharvested chip; [`ChipDescription::harvested`] returns the others.
    ///
    /// A table describes the chip. The simulator and the firmware bundles determine whether Hallmark can run
    /// programs on it.
    pub const fn of(architecture: Architecture) -> &'static Self {
        match architecture {
            Architecture::Grayskull => &grayskull::DESCRIPTION,
            Architecture::WormholeB0 => &wormhole_b0::DESCRIPTION,
            Architecture::Blackhole => &blackhole::DESCRIPTION,
        }
    }

    /// Columns and rows of Tensix tiles that are not harvested, dispatch row or column included.
    pub fn tensix_grid(&self) -> (u32, u32) {
        (self.tensix_columns.len() as u32, self.tensix_rows.len() as u32)
    }

    /// Columns and rows that a host program may use: the grid without the dispatch row or column.
    pub fn compute_grid(&self) -> (u32, u32) {
        let (columns, rows) = self.tensix_grid();
        if self.harvests_rows {
            (columns, rows.saturating_sub(1))
        } else {
            (columns.saturating_sub(1), rows)
        }
    }

    /// The core reserved for a command queue's dispatcher: a core of the last row or column, outside the
    /// compute grid, counted in their order.
    pub fn dispatch_core(&self, queue: u32) -> Option<LogicalCore> {
        let (columns, rows) = self.compute_grid();
        let core = if self.harvests_rows {
            LogicalCore { x: queue, y: rows }
        } else {
            LogicalCore { x: columns, y: queue }
        };
        self.physical(core).map(|_| core)
    }

    /// The physical coordinate of a logical core.
    pub fn physical(&self, core: LogicalCore) -> Option<PhysicalCoordinate> {
        Some(PhysicalCoordinate {
            x: *self.tensix_columns.get(core.x as usize)?,
            y: *self.tensix_rows.get(core.y as usize)?,
        })
    }

    /// The NoC coordinate of a logical core.
    pub fn noc_coordinate(&self, core: LogicalCore) -> Option<NocCoordinate> {
        Some(NocCoordinate {
            x: *self.column_names.get(core.x as usize)?,
            y: *self.row_names.get(core.y as usize)?,
        })
    }

    /// The coordinate on `noc` of the tile that is named `named` on NoC 0.
    pub fn on_noc(&self, noc: Noc, named: NocCoordinate) -> NocCoordinate {
        let axis = |number: u8, size: u8| match noc {
            Noc::Noc1 if number < self.raw_coordinates_below => {
                size.saturating_sub(1).saturating_sub(number)
            }
            _ => number,
        };
        let (columns, rows) = self.noc_grid;
        NocCoordinate { x: axis(named.x, columns), y: axis(named.y, rows) }
    }

    /// The logical core at a physical coordinate, if it is that of a Tensix tile.
    pub fn logical(&self, tile: PhysicalCoordinate) -> Option<LogicalCore> {
        let x = self.tensix_columns.iter().position(|&x| x == tile.x)?;
        let y = self.tensix_rows.iter().position(|&y| y == tile.y)?;
        Some(LogicalCore { x: x as u32, y: y as u32 })
    }
}
