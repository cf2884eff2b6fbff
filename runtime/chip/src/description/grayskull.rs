//! Sources: tt-metal `soc_descriptors/grayskull_120_arch.yaml` and `hw/inc/grayskull/` (`dev_mem_map.h`,
//! `noc/noc_parameters.h`, `cfg_defines.h`) at v0.55, the last release that knew the chip; tt-umd
//! `grayskull_implementation.h`.

use super::wormhole_b0::{configuration, start};
use super::{
    ChipDescription, DebugRegisters, DramBank, DramTile, InstructionSet, NocOffsets, NocRegisters,
    OverlayRegisters, PrivateMemory, ResetRegisters,
};
use crate::{
    Architecture, Bar, BarOffset, HarvestingMask, L1BankOrder, NocCoordinate, PhysicalCoordinate,
    TileAddress, WindowGroup, WindowLayout,
};

const GIBIBYTE: u64 = 1 << 30;

const fn at(x: u8, y: u8) -> PhysicalCoordinate {
    PhysicalCoordinate { x, y }
}

/// A bank is a controller with one port; coordinates are not translated.
const fn bank(x: u8, y: u8) -> DramBank {
    DramBank { tile: NocCoordinate { x, y }, place: at(x, y), offset: 0 }
}

const fn dram(ports: &'static [PhysicalCoordinate]) -> DramTile {
    DramTile { ports, size: GIBIBYTE }
}

const fn group(count: u16, size_bits: u32, offset: u64, reserved: u16) -> WindowGroup {
    let base = BarOffset { bar: Bar::Bar0, offset };
    WindowGroup { count, size_bits, base, address_bits: 32 - size_bits, reserved }
}

pub(super) static DESCRIPTION: ChipDescription = ChipDescription {
    architecture: Architecture::Grayskull,
    pci_id: Architecture::Grayskull.pci_id(),
    noc_grid: (13, 12),
    tensix_columns: &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12],
    tensix_rows: &[1, 2, 3, 4, 5, 7, 8, 9, 10, 11],
    column_names: &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12],
    row_names: &[1, 2, 3, 4, 5, 7, 8, 9, 10, 11],
    // Every number is raw; six bits hold one.
    raw_coordinates_below: 64,
    harvests_rows: true,
    // tt-umd `HARVESTING_NOC_LOCATIONS`.
    harvestable_on_die: &[5, 7, 4, 8, 3, 9, 2, 10, 1, 11],
    harvested_from_the_last: false,
    harvesting: HarvestingMask::NONE,
    harvested: &[],
    dram_banks: &[
        bank(1, 0),
        bank(1, 6),
        bank(4, 0),
        bank(4, 6),
        bank(7, 0),
        bank(7, 6),
        bank(10, 0),
        bank(10, 6),
    ],
    dram_bank_size: GIBIBYTE,
    dram_tiles: &[
        dram(&[at(1, 0)]),
        dram(&[at(1, 6)]),
        dram(&[at(4, 0)]),
        dram(&[at(4, 6)]),
        dram(&[at(7, 0)]),
        dram(&[at(7, 6)]),
        dram(&[at(10, 0)]),
        dram(&[at(10, 6)]),
    ],
    ethernet_tiles: &[],
    ethernet_l1_size: 0,
    ethernet_firmware: None,
    arc_tile: at(0, 2),
    arc_report: None,
    arc: None,
    translated_columns: &[],
    translated_rows: &[],
    rows_of_untranslated_columns: &[],
    pcie_tile: NocCoordinate { x: 0, y: 4 },
    pcie_place: at(0, 4),
    // tt-umd `get_pcie_base_for_arch`: 0 by default.
    pcie_host_base: TileAddress(0),
    // The range of a 32-bit address.
    pcie_host_size: 1 << 32,
    pcie_direct_windows: &[],
    l1_size: 1024 * 1024,
    l1_alignment: 16,
    // tt-metal shuffled here as well, but other banks: its core descriptors (`grayskull_120_arch.yaml`) give
    // each of ten storage cores in the last row two banks. A shuffled order of the compute cores' banks would
    // match no release.
    l1_bank_order: L1BankOrder::RowByRow,
    dram_alignment: 32,
    noc_max_burst: 8192,
    instruction_set: InstructionSet::NO_EXTENSIONS,
    private_memory: PrivateMemory {
        base: 0xFFB0_0000,
        size: [4096, 4096, 2048, 2048, 2048],
        ncrisc_instruction_ram: Some((0xFFC0_0000, 16 * 1024)),
        shared_view: None,
    },
    data_cache: None,
    kept_configuration: &[],
    circular_buffers: 32,
    bar_sizes: [512 << 20, 1 << 20, 32 << 20],
    bar4_shows_bar0: true,
    host_noc_interfaces: &[],
    tile_noc_interfaces: &[],
    address_translation: None,
    windows: WindowLayout {
        groups: &[group(156, 20, 0, 0), group(10, 21, 0x9C0_0000, 0), group(20, 24, 0xB00_0000, 1)],
        registers: BarOffset { bar: Bar::Bar0, offset: 0x1FC0_0000 },
        register_stride: 8,
    },
    window_noc_bits: 1,
    reset: ResetRegisters {
        soft_reset: TileAddress(0xFFB1_21B0),
        bits: [0x800, 0x4_0000, 0x1000, 0x2000, 0x4000],
        default_pc: [0, 0x1_2000, 0x6000, 0xA000, 0xE000],
        overrides: [
            None,
            start(182, 183, 1),
            start(178, 181, 1),
            start(179, 181, 2),
            start(180, 181, 4),
        ],
        overrides_reachable: false,
        keep_private_memory: None,
        invalidate_instruction_caches: configuration(177),
    },
    noc: NocRegisters {
        base: [0xFFB2_0000, 0xFFB3_0000],
        command_buffer_stride: 0x400,
        command_buffers: 4,
        offsets: NocOffsets {
            target: 0x00,
            target_tile: 0x04,
            return_address: 0x0C,
            return_tile: 0x10,
            packet_tag: 0x18,
            control: 0x1C,
            length: 0x20,
            data: 0x24,
            multicast_exclude: None,
            command: 0x28,
            node_id: 0x2C,
            logical_id: None,
            clear_outstanding: None,
            configuration: 0x100,
            counters: 0x200,
            outstanding_by_transaction: None,
        },
        address_bits: 32,
        coordinate_shift: 0,
        inline_writes_to_l1: true,
        atomics_overtake_writes: false,
        flit_bytes: 32,
        translation: None,
    },
    overlay: OverlayRegisters {
        base: 0xFFB4_0000,
        stride: 0x1000,
        streams: 64,
        remote_source: 0x00,
        buffer_start: 0x0c,
        buffer_size: 0x10,
        space_available_update: 0x84,
        space_available: 0x100,
    },
    debug: DebugRegisters {
        base: 0xFFB1_2000,
        last: 0x21C,
        pc_snapshots: None,
        dst_clock_gating: None,
    },
};
