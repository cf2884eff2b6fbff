//! What tells one architecture from another, as data.

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

/// Everything that tells one architecture from another, as data.
///
/// Sources stand beside the tables. A test holds each table against a second transcription.
#[derive(Debug, PartialEq, Eq)]
pub struct ChipDescription {
    /// Which architecture.
    pub architecture: Architecture,
    /// Configuration word 0: device id in the upper half, vendor id in the lower.
    pub pci_id: u32,
    /// Columns and rows of the NoC.
    pub noc_grid: (u8, u8),
    /// NoC 0 columns that hold Tensix tiles, in the order of logical x.
    pub tensix_columns: &'static [u8],
    /// NoC 0 rows that hold Tensix tiles, in the order of logical y.
    pub tensix_rows: &'static [u8],
    /// The numbers by which NoC requests name those columns: physical ones for want of translation
    /// (Grayskull), else translated ones, which without harvesting are the same on Blackhole.
    pub column_names: &'static [u8],
    /// The same for rows.
    pub row_names: &'static [u8],
    /// Numbers below this in a NoC request are raw and count from the opposite corner on NoC 1; from
    /// it on they are translated and the same on both.
    pub raw_coordinates_below: u8,
    /// Whether logical rows (Grayskull, Wormhole) or columns (Blackhole) are harvested; the last
    /// one is reserved for dispatch.
    pub harvests_rows: bool,
    /// NoC 0 rows or columns that may be harvested, in the order on the die, in which fuses and telemetry
    /// count.
    pub harvestable_on_die: &'static [u8],
    /// Whether what is harvested takes the last translated numbers from the very last one downwards, in
    /// the order on the die; otherwise upwards to the last, in the order of NoC 0.
    pub harvested_from_the_last: bool,
    /// Which of them are harvested.
    pub harvesting: HarvestingMask,
    /// Their places, in the order of the translated numbers that name them.
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
    /// What Ethernet tiles show to a driver, where that is known.
    pub ethernet_firmware: Option<EthernetFirmware>,
    /// The tile of the management processor, where a NoC request can name it.
    pub arc_tile: PhysicalCoordinate,
    /// How that processor tells what is fused off, where it is known.
    pub arc_report: Option<ArcReport>,
    /// What that processor shows to a driver, where that is known.
    pub arc: Option<ArcTile>,
    /// Translated columns and the physical column each stands for; other numbers stand for themselves.
    pub translated_columns: &'static [(u8, u8)],
    /// The same for rows.
    pub translated_rows: &'static [(u8, u8)],
    /// Rows in whose requests columns of the grid stand for themselves, whatever the table says.
    pub rows_of_untranslated_columns: &'static [u8],
    /// The tile through which the device reaches host memory, as a NoC request names it.
    pub pcie_tile: NocCoordinate,
    /// Where that tile stands.
    pub pcie_place: PhysicalCoordinate,
    /// The tile address at the PCIe tile that is host address 0.
    pub pcie_host_base: TileAddress,
    /// Bytes of host memory that lie behind it.
    pub pcie_host_size: u64,
    /// Tile addresses at the PCIe tile of more windows of that size, which pass by its address translation units.
    pub pcie_direct_windows: &'static [TileAddress],
    /// Bytes of L1 per Tensix tile.
    pub l1_size: u64,
    /// Alignment of a page in L1, bytes.
    pub l1_alignment: u32,
    /// Which core has which bank of interleaved L1.
    pub l1_bank_order: L1BankOrder,
    /// Alignment of a page in DRAM, bytes; also the modulus in which a NoC read's source and
    /// destination must agree.
    pub dram_alignment: u32,
    /// Largest NoC transfer in bytes.
    pub noc_max_burst: u32,
    /// What cores execute beyond RV32IM.
    pub instruction_set: InstructionSet,
    /// Private memories of the five cores.
    pub private_memory: PrivateMemory,
    /// The cache between each core and L1, where there is one.
    pub data_cache: Option<DataCache>,
    /// Addresses of words of the Tensix configuration that are kept and change nothing that is simulated.
    pub kept_configuration: &'static [u32],
    /// Circular buffers per core.
    pub circular_buffers: u32,
    /// Bytes of BAR0, BAR2 and BAR4.
    pub bar_sizes: [u64; 3],
    /// Whether BAR4 shows the top of BAR0; otherwise it holds windows.
    pub bar4_shows_bar0: bool,
    /// The NoC interfaces that show in BAR0, as far as they are known.
    pub host_noc_interfaces: &'static [HostNocInterface],
    /// The NoC interfaces that show to requests at a tile without Tensix, as far as they are known.
    pub tile_noc_interfaces: &'static [TileNocInterface],
    /// Where the PCIe tile's address translation units are set up, where that is known.
    pub address_translation: Option<AddressTranslationLayout>,
    /// TLB windows.
    pub windows: WindowLayout,
    /// Width of the NoC field in a window's configuration.
    pub window_noc_bits: u32,
    /// Reset registers.
    pub reset: ResetRegisters,
    /// NoC register layout.
    pub noc: NocRegisters,
    /// Registers of the NoC overlay's streams.
    pub overlay: OverlayRegisters,
    /// Registers by which cores are watched.
    pub debug: DebugRegisters,
}

/// A tile's NoC interface that the host reaches without a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostNocInterface {
    /// Offset of its registers in BAR0.
    pub start: u64,
    /// The tile that the interface belongs to.
    pub tile: PhysicalCoordinate,
    /// The network that it joins the tile to.
    pub noc: Noc,
}

/// A tile's NoC interface that requests to the tile reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TileNocInterface {
    /// The tile that the interface belongs to.
    pub tile: PhysicalCoordinate,
    /// The tile address of its registers.
    pub start: TileAddress,
    /// The network that it joins the tile to.
    pub noc: Noc,
}

/// The registers of the PCIe tile's address translation units, in BAR2: for each of 16 regions those of
/// requests from the chip, then those of requests from the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AddressTranslationLayout {
    /// Offset of the first region's registers.
    pub start: u64,
    /// Bytes from one direction's registers to the other's.
    pub stride: u64,
    /// Whether the upper half of a region's limit has a register of its own; it is the base's otherwise.
    pub upper_limit: bool,
}

/// A DRAM bank: a tile and where the bank starts inside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DramBank {
    /// The tile as a NoC request names it.
    pub tile: NocCoordinate,
    /// Where that tile stands; a port of a [`DramTile`].
    pub place: PhysicalCoordinate,
    /// The tile address of the bank's first byte.
    pub offset: u64,
}

/// A DRAM controller: the tiles that lead to it, all to the same memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DramTile {
    /// Its ports; the first is the one that [`ChipDescription::dram_banks`] names.
    pub ports: &'static [PhysicalCoordinate],
    /// Bytes behind it, at tile addresses from 0.
    pub size: u64,
}

/// Private memories of a Tensix tile's cores; sizes in bytes, indexed by [`crate::Processor::index`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PrivateMemory {
    /// Where every core sees its own private RAM.
    pub base: u32,
    /// Private RAM per core.
    pub size: [u32; 5],
    /// NCRISC's instruction RAM: where it sees it, and its size.
    pub ncrisc_instruction_ram: Option<(u32, u32)>,
    /// Where everybody else, the NoC included, sees each core's private RAM.
    pub shared_view: Option<SharedView>,
}

/// Where everybody sees the private RAM of each core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SharedView {
    /// Each core's, indexed by [`crate::Processor::index`].
    pub base: [u32; 5],
    /// Bytes from there that show it, again and again where they are more than it has.
    pub span: u32,
}

impl SharedView {
    /// The core whose private RAM shows at a tile address, by [`crate::Processor::index`], and how far
    /// the address lies from the first that shows it.
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
    /// Zicsr and registers for it: counters and the core's own configuration.
    pub control_registers: bool,
    /// Zaamo: atomics on L1.
    pub atomics: bool,
    /// Zba and Zbb, with `pack` and `brev8`, of which one half is Zbb's `zext.h`.
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

/// A cache of what a core loads, which is not coherent with L1. Stores go past it and drop the line that
/// they touch; `fence` and atomics empty it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DataCache {
    /// Lines per core.
    pub lines: u32,
    /// Bytes that one line holds, and that are fetched together.
    pub line_size: u32,
    /// The control and status register that configures it.
    pub control_register: u16,
    /// The bit of that register that turns it off.
    pub disable_bit: u32,
    /// One hit of so many empties it.
    pub hits_per_flush: u32,
    /// The bit of that register that keeps hits from doing so.
    pub keep_bit: u32,
}

/// Soft reset and the addresses at which cores start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResetRegisters {
    /// `SOFT_RESET_0`.
    pub soft_reset: TileAddress,
    /// The bit that holds each core in reset, indexed by [`crate::Processor::index`].
    pub bits: [u32; 5],
    /// Where each core starts without an override.
    pub default_pc: [u32; 5],
    /// How to let a core start elsewhere; `None` for BRISC, which has no choice.
    pub overrides: [Option<StartOverride>; 5],
    /// Whether the host and the NoC reach the registers of [`ResetRegisters::overrides`]; otherwise
    /// BRISC writes them.
    pub overrides_reachable: bool,
    /// Which cores keep their private RAM over a reset; without such a register all do.
    pub keep_private_memory: Option<KeepPrivateMemory>,
    /// The register in which a core names cores whose instruction caches are emptied, one bit each.
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

/// Registers that let a core start elsewhere, as addresses in the tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StartOverride {
    /// Where the address is written.
    pub pc: u32,
    /// Where the override is enabled.
    pub enable: u32,
    /// The bit of that register.
    pub enable_bit: u32,
}

/// The register in which cores are told not to zero their private RAM as they leave reset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeepPrivateMemory {
    /// Its address in the tile.
    pub register: u32,
    /// Each core's bit, indexed by [`crate::Processor::index`].
    pub bits: [u32; 5],
}

/// What a tile shows of its cores beside their reset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DebugRegisters {
    /// The first register of the block.
    pub base: u32,
    /// The offset of its last one.
    pub last: u32,
    /// Where each core's pc is shown, indexed by [`crate::Processor::index`].
    pub pc_snapshots: Option<[u32; 5]>,
    /// The offset of the register that gates the clock of `Dst`, if there is one.
    pub dst_clock_gating: Option<u32>,
}

/// Where a tile's NoC interfaces keep their registers.
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
    /// Bits of an address inside a tile; the rest of a request's address names the tile.
    pub address_bits: u32,
    /// Bits below the coordinates in the registers that name tiles.
    pub coordinate_shift: u32,
    /// Whether an inline write may go to L1; it is a hardware bug where it may not.
    pub inline_writes_to_l1: bool,
    /// Whether each command buffer has a queue of its own, so that requests of two may leave in either
    /// order.
    pub queue_per_command_buffer: bool,
    /// Bytes of a flit, in which counters count data.
    pub flit_bytes: u32,
    /// How the tables of coordinates are laid out in registers, where there is translation.
    pub translation: Option<TranslationRegisters>,
}

/// Registers that show which coordinates stand for which: 32 entries for columns and 32 for rows, as
/// many to a register as it holds whole.
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
    /// The register that names the target's tile.
    pub target_tile: u32,
    /// The lowest 32 bits of the return address.
    pub return_address: u32,
    /// The register that names the return address's tile.
    pub return_tile: u32,
    /// Packet tag.
    pub packet_tag: u32,
    /// Kind and options of a request.
    pub control: u32,
    /// Length, or an atomic's instruction, or byte enables.
    pub length: u32,
    /// The operand of an atomic or inline write.
    pub data: u32,
    /// What a multicast leaves out of its rectangle, where it can.
    pub multicast_exclude: Option<u32>,
    /// Sends the request.
    pub command: u32,
    /// The tile's own raw coordinate.
    pub node_id: u32,
    /// The tile's translated coordinate, where there is translation.
    pub logical_id: Option<u32>,
    /// Clears counters of requests outstanding per transaction identifier, where they are counted.
    pub clear_outstanding: Option<u32>,
    /// `NIU_CFG_0`; the router's configuration follows.
    pub configuration: u32,
    /// The first counter.
    pub counters: u32,
    /// Requests outstanding per transaction identifier, where they are counted.
    pub outstanding_by_transaction: Option<u32>,
}

/// Where a tile keeps the registers of its overlay streams, as far as programs use them to count pages
/// of circular buffers and completions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OverlayRegisters {
    /// Stream 0.
    pub base: u32,
    /// Bytes from one stream to the next.
    pub stride: u32,
    /// Streams.
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
    /// The table for an architecture's whole chip; [`ChipDescription::harvested`] gives the others.
    ///
    /// A table says what the chip is like. Whether Hallmark can run programs on it is another
    /// question, which the simulator and the firmware bundles answer.
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

    /// The core reserved for a command queue's dispatcher: those of the last row or column, outside the
    /// compute grid, in their order.
    pub fn dispatch_core(&self, queue: u32) -> Option<LogicalCore> {
        let (columns, rows) = self.compute_grid();
        let core = if self.harvests_rows {
            LogicalCore { x: queue, y: rows }
        } else {
            LogicalCore { x: columns, y: queue }
        };
        self.physical(core).map(|_| core)
    }

    /// Where a logical core stands on the die.
    pub fn physical(&self, core: LogicalCore) -> Option<PhysicalCoordinate> {
        Some(PhysicalCoordinate {
            x: *self.tensix_columns.get(core.x as usize)?,
            y: *self.tensix_rows.get(core.y as usize)?,
        })
    }

    /// The coordinate by which NoC requests name a logical core.
    pub fn noc_coordinate(&self, core: LogicalCore) -> Option<NocCoordinate> {
        Some(NocCoordinate {
            x: *self.column_names.get(core.x as usize)?,
            y: *self.row_names.get(core.y as usize)?,
        })
    }

    /// How requests on a network name a tile that requests on NoC 0 name so.
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

    /// The logical core that stands at a place on the die, if a Tensix tile does.
    pub fn logical(&self, tile: PhysicalCoordinate) -> Option<LogicalCore> {
        let x = self.tensix_columns.iter().position(|&x| x == tile.x)?;
        let y = self.tensix_rows.iter().position(|&y| y == tile.y)?;
        Some(LogicalCore { x: x as u32, y: y as u32 })
    }
}
