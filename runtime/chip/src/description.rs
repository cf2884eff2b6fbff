mod wormhole_b0;

use crate::{
    Architecture, LogicalCore, NocCoordinate, PhysicalCoordinate, TileAddress, WindowLayout,
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
    /// The translated column of logical x 0 and the translated row of logical y 0, where columns and
    /// rows are translated to a dense block; `None` where the architecture has no translation.
    pub translated_tensix_base: Option<NocCoordinate>,
    /// Whether logical rows (Grayskull, Wormhole) or columns (Blackhole) are harvested; the last
    /// one is reserved for dispatch.
    pub harvests_rows: bool,
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
    /// The tile of the management processor, where a NoC request can name it.
    pub arc_tile: PhysicalCoordinate,
    /// Translated columns and the physical column each stands for without harvesting; smaller
    /// numbers stand for themselves.
    pub translated_columns: &'static [(u8, u8)],
    /// The same for rows.
    pub translated_rows: &'static [(u8, u8)],
    /// The tile through which the device reaches host memory.
    pub pcie_tile: NocCoordinate,
    /// The tile address at the PCIe tile that is host address 0.
    pub pcie_host_base: TileAddress,
    /// Bytes of L1 per Tensix tile.
    pub l1_size: u64,
    /// Alignment of a page in L1, bytes.
    pub l1_alignment: u32,
    /// Alignment of a page in DRAM, bytes; also the modulus in which a NoC read's source and
    /// destination must agree.
    pub dram_alignment: u32,
    /// Largest NoC transfer in bytes.
    pub noc_max_burst: u32,
    /// Private memories of the five cores.
    pub private_memory: PrivateMemory,
    /// Circular buffers per core.
    pub circular_buffers: u32,
    /// TLB windows.
    pub windows: WindowLayout,
    /// Width of the NoC field in a window's configuration.
    pub window_noc_bits: u32,
    /// Reset registers.
    pub reset: ResetRegisters,
    /// NoC register layout.
    pub noc: NocRegisters,
}

/// A DRAM bank: a tile and where the bank starts inside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DramBank {
    /// The tile as a NoC request names it.
    pub tile: NocCoordinate,
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
}

impl ChipDescription {
    /// The table for an architecture, or `None` while Hallmark does not know that chip.
    pub fn of(architecture: Architecture) -> Option<&'static Self> {
        match architecture {
            Architecture::WormholeB0 => Some(&wormhole_b0::DESCRIPTION),
            Architecture::Grayskull | Architecture::Blackhole => None,
        }
    }

    /// Columns and rows of Tensix tiles on an unharvested chip, dispatch row or column included.
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

    /// Where a logical core stands on the die, without harvesting.
    pub fn physical(&self, core: LogicalCore) -> Option<PhysicalCoordinate> {
        Some(PhysicalCoordinate {
            x: *self.tensix_columns.get(core.x as usize)?,
            y: *self.tensix_rows.get(core.y as usize)?,
        })
    }

    /// The coordinate by which NoC requests name a logical core, without harvesting.
    pub fn noc_coordinate(&self, core: LogicalCore) -> Option<NocCoordinate> {
        let physical = self.physical(core)?;
        Some(match self.translated_tensix_base {
            Some(base) => NocCoordinate {
                x: base.x.checked_add(u8::try_from(core.x).ok()?)?,
                y: base.y.checked_add(u8::try_from(core.y).ok()?)?,
            },
            None => NocCoordinate { x: physical.x, y: physical.y },
        })
    }

    /// The logical core that stands at a place on the die, if a Tensix tile does.
    pub fn logical(&self, tile: PhysicalCoordinate) -> Option<LogicalCore> {
        let x = self.tensix_columns.iter().position(|&x| x == tile.x)?;
        let y = self.tensix_rows.iter().position(|&y| y == tile.y)?;
        Some(LogicalCore { x: x as u32, y: y as u32 })
    }
}
