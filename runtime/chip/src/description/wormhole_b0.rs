//! Sources: tt-isa-documentation, WormholeB0 (NoC/Coordinates.md, PCIExpressTile, TensixTile);
//! tt-metal `soc_descriptors/wormhole_b0_80_arch.yaml`; tt-umd `wormhole_implementation.h`.

use super::{
    AddressTranslationLayout, ArcChannel, ArcDoorbell, ArcHostView, ArcMessage, ArcRegister,
    ArcReport, ArcTelemetry, ArcTile, ArcValue, ChipDescription, DebugRegisters, DramBank,
    DramTile, EthernetFirmware, HostNocInterface, InstructionSet, NocOffsets, NocRegisters,
    OverlayRegisters, PrivateMemory, ResetRegisters, StartOverride, TileNocInterface,
    TranslationRegisters,
};
use crate::{
    Architecture, Bar, BarOffset, HarvestingMask, L1BankOrder, Noc, NocCoordinate,
    PhysicalCoordinate, TileAddress, WindowGroup, WindowLayout,
};

const HALF: u64 = 0x4000_0000;

/// Version 18.4 of the firmware bundle.
const FIRMWARE_BUNDLE: u32 = 0x1204_0000;
/// tt-umd `AICLK_IDLE_VAL`, in MHz.
const IDLE_CLOCK: u32 = 500;

const fn register(offset: u32, value: u32) -> ArcRegister {
    ArcRegister::of_reset_unit(offset, value)
}

/// A register that only firmware writes.
const fn fixed(offset: u32, value: u32) -> ArcRegister {
    ArcRegister { writable: false, ..register(offset, value) }
}

const fn bank(x: u8, y: u8, offset: u64) -> DramBank {
    DramBank { tile: NocCoordinate { x, y }, place: at(x, y), offset }
}

const fn at(x: u8, y: u8) -> PhysicalCoordinate {
    PhysicalCoordinate { x, y }
}

const fn dram(ports: &'static [PhysicalCoordinate]) -> DramTile {
    DramTile { ports, size: 2 * HALF }
}

/// A word of the Tensix backend's configuration.
pub(super) const fn configuration(word: u32) -> u32 {
    0xFFEF_0000 + 4 * word
}

pub(super) const fn start(
    pc_word: u32,
    enable_word: u32,
    enable_bit: u32,
) -> Option<StartOverride> {
    Some(StartOverride {
        pc: configuration(pc_word),
        enable: configuration(enable_word),
        enable_bit,
    })
}

const fn bar0(offset: u64) -> BarOffset {
    BarOffset { bar: Bar::Bar0, offset }
}

pub(super) static DESCRIPTION: ChipDescription = ChipDescription {
    architecture: Architecture::WormholeB0,
    pci_id: Architecture::WormholeB0.pci_id(),
    noc_grid: (10, 12),
    tensix_columns: &[1, 2, 3, 4, 6, 7, 8, 9],
    tensix_rows: &[1, 2, 3, 4, 5, 7, 8, 9, 10, 11],
    column_names: &[18, 19, 20, 21, 22, 23, 24, 25],
    row_names: &[18, 19, 20, 21, 22, 23, 24, 25, 26, 27],
    raw_coordinates_below: 16,
    harvests_rows: true,
    // tt-umd `HARVESTING_NOC_LOCATIONS`.
    harvestable_on_die: &[11, 1, 10, 2, 9, 3, 8, 4, 7, 5],
    harvested_from_the_last: false,
    harvesting: HarvestingMask::NONE,
    harvested: &[],
    dram_banks: &[
        bank(0, 0, 0),
        bank(0, 0, HALF),
        bank(0, 5, 0),
        bank(0, 5, HALF),
        bank(5, 0, 0),
        bank(5, 0, HALF),
        bank(5, 2, 0),
        bank(5, 2, HALF),
        bank(5, 3, 0),
        bank(5, 3, HALF),
        bank(5, 5, 0),
        bank(5, 5, HALF),
    ],
    dram_bank_size: HALF,
    // WormholeB0/DRAMTile: each of D0 to D5 has three tiles.
    dram_tiles: &[
        dram(&[at(0, 0), at(0, 1), at(0, 11)]),
        dram(&[at(0, 5), at(0, 6), at(0, 7)]),
        dram(&[at(5, 0), at(5, 1), at(5, 11)]),
        dram(&[at(5, 2), at(5, 9), at(5, 10)]),
        dram(&[at(5, 3), at(5, 4), at(5, 8)]),
        dram(&[at(5, 5), at(5, 6), at(5, 7)]),
    ],
    ethernet_tiles: &[
        at(9, 0),
        at(1, 0),
        at(8, 0),
        at(2, 0),
        at(7, 0),
        at(3, 0),
        at(6, 0),
        at(4, 0),
        at(9, 6),
        at(1, 6),
        at(8, 6),
        at(2, 6),
        at(7, 6),
        at(3, 6),
        at(6, 6),
        at(4, 6),
    ],
    ethernet_l1_size: 256 * 1024,
    // ttsim 1.10, `e_tile_init`: firmware 6.14.0, links that are not connected, and where the cores are held in reset.
    // tt-metal `dev_msgs.h`, `RUN_MSG_INIT`, and `dev_mem_map.h`, `MEM_IERISC_MAILBOX_BASE`.
    ethernet_firmware: Some(EthernetFirmware {
        words: &[(0x210, 6 << 16 | 14 << 12), (0x1104, 3)],
        registers: &[(0xFFB1_21B0, 0x800)],
        go_message: 0x2490,
        start_signal: 0x40,
    }),
    arc_tile: at(0, 10),
    // tt-umd, `WormholeArcMessenger` and `ARC_GET_HARVESTING`.
    arc_report: Some(ArcReport::Message {
        argument: TileAddress(0x8_8003_006C),
        status: TileAddress(0x8_8003_0074),
        trigger: TileAddress(0x8_8003_0100),
        trigger_bit: 1 << 16,
        code: 0xAA57,
    }),
    arc: Some(ArcTile {
        // tt-umd `ARC_NOC_ADDRESS_START`.
        crossbar: TileAddress(0x8_0000_0000),
        // tt-umd `ARC_CSM_BAR0_XBAR_OFFSET_START` and `ARC_APB_BAR0_XBAR_OFFSET_START`.
        host_views: &[
            ArcHostView { start: 0x1FE8_0000, size: 0x8_0000, address: 0x1000_0000 },
            ArcHostView { start: 0x1FF0_0000, size: 0x10_0000, address: 0x8000_0000 },
        ],
        memory: 0x1000_0000,
        memory_size: 0x8_0000,
        // tt-umd `LegacyTelemetryTag::FW_BUNDLE_VERSION`: the newer telemetry exists from 18.4 on.
        words: &[(4 * 49, FIRMWARE_BUNDLE)],
        // tt-umd, `wait_arc_core_start`: firmware has started and has received no message yet.
        registers: &[
            register(0x60, 0xC0DE_0001),
            register(0x68, 0),
            register(0x6C, 0),
            register(0x70, 0),
            register(0x74, 0),
            register(0x78, 0),
            register(0x7C, 0),
            register(0x100, 0),
            // tt-umd `NOC_NODEID_X_0` and `NOC_NODEID_Y_0`: the address of the telemetry; then the absence of
            // queues.
            fixed(0x1D0, 0x1000_0100),
            fixed(0x1D4, 0x1000_0200),
            fixed(0x1D8, 0),
        ],
        // ttsim 1.10, `a_tile_init`, for everything that tt-umd reads.
        telemetry: ArcTelemetry {
            table: 0x100,
            values: 0x200,
            entries: &[
                // An N150.
                (1, ArcValue::Word(0x180)),
                (2, ArcValue::Word(1)),
                (3, ArcValue::Word(1)),
                (4, ArcValue::Word(0)),
                // Temperatures in 1/65536 degrees.
                (11, ArcValue::Word(40 << 16)),
                (13, ArcValue::Word(35 << 16)),
                (14, ArcValue::Clock),
                (15, ArcValue::Word(900)),
                (16, ArcValue::Word(540)),
                // All Ethernet tiles are present, and all memory is trained.
                (21, ArcValue::Word(0xFFFF)),
                (22, ArcValue::Word(0x555)),
                (28, ArcValue::Word(FIRMWARE_BUNDLE)),
                (32, ArcValue::Word(1)),
                (52, ArcValue::Word(0)),
            ],
        },
        channel: ArcChannel::Registers { argument: 0x8003_006C, status: 0x8003_0074 },
        doorbells: &[ArcDoorbell { address: 0x8003_0100, bit: Some(1 << 16) }],
        // tt-umd `wormhole::arc_message_type`, and ttsim 1.10, `arc_service_message`.
        messages: &[
            (0x11, ArcMessage::Nothing),
            (0x21, ArcMessage::Nothing),
            // The offset of the older telemetry in the tile's memory.
            (0x2C, ArcMessage::Word(0)),
            (0x34, ArcMessage::Clock),
            (0x51, ArcMessage::Nothing),
            (0x52, ArcMessage::SetClock(1000)),
            (0x53, ArcMessage::SetClock(IDLE_CLOCK)),
            (0x54, ArcMessage::SetClock(IDLE_CLOCK)),
            (0x56, ArcMessage::Nothing),
            (0x57, ArcMessage::HarvestedTensix),
            // The answer that the memory is trained.
            (0x58, ArcMessage::Word(1)),
            (0x90, ArcMessage::Nothing),
            (0xA0, ArcMessage::Nothing),
            (0xA3, ArcMessage::Nothing),
            (0xB6, ArcMessage::Nothing),
            (0xB7, ArcMessage::Nothing),
            (0xBA, ArcMessage::Nothing),
            (0xBC, ArcMessage::Nothing),
            (0xC1, ArcMessage::Nothing),
        ],
        clock: IDLE_CLOCK,
        l1_scratch: None,
    }),
    // WormholeB0/NoC/Coordinates.md: the tables that firmware writes on an unharvested chip.
    translated_columns: &[
        (16, 0),
        (17, 5),
        (18, 1),
        (19, 2),
        (20, 3),
        (21, 4),
        (22, 6),
        (23, 7),
        (24, 8),
        (25, 9),
    ],
    translated_rows: &[
        (16, 0),
        (17, 6),
        (18, 1),
        (19, 2),
        (20, 3),
        (21, 4),
        (22, 5),
        (23, 7),
        (24, 8),
        (25, 9),
        (26, 10),
        (27, 11),
    ],
    rows_of_untranslated_columns: &[],
    pcie_tile: NocCoordinate { x: 0, y: 3 },
    pcie_place: at(0, 3),
    pcie_host_base: TileAddress(0x8_0000_0000),
    // The last 128 KiB of 4 GiB are the PCIe tile's own (PCIExpressTile/README.md).
    pcie_host_size: 0xFFFE_0000,
    pcie_direct_windows: &[],
    l1_size: 1464 * 1024,
    l1_alignment: 16,
    // tt-metal `l1_banking_allocator.cpp`, the same for both chips.
    l1_bank_order: L1BankOrder::Shuffled,
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
    // tt-metal cfg_defines.h: the scrubber of the register files' error correction.
    kept_configuration: &[configuration(3)],
    circular_buffers: 32,
    bar_sizes: [512 << 20, 1 << 20, 32 << 20],
    bar4_shows_bar0: true,
    // PCIExpressTile/README.md, "Host to device, bar 0"; ARCTile/README.md, "To/from PCI Express".
    host_noc_interfaces: &[
        HostNocInterface { start: 0x1FD2_0000, tile: at(0, 3), noc: Noc::Noc0 },
        HostNocInterface { start: 0x1FDA_0000, tile: at(0, 3), noc: Noc::Noc1 },
        HostNocInterface { start: 0x1FF5_0000, tile: at(0, 10), noc: Noc::Noc0 },
        HostNocInterface { start: 0x1FF5_8000, tile: at(0, 10), noc: Noc::Noc1 },
    ],
    // tt-umd, `get_noc_reg_base` of the ARC tile; and the same registers in its crossbar.
    tile_noc_interfaces: &[
        TileNocInterface { start: TileAddress(0xF_FFB2_0000), tile: at(0, 10), noc: Noc::Noc0 },
        TileNocInterface { start: TileAddress(0xF_FFB3_0000), tile: at(0, 10), noc: Noc::Noc1 },
        TileNocInterface { start: TileAddress(0x8_8005_0000), tile: at(0, 10), noc: Noc::Noc0 },
        TileNocInterface { start: TileAddress(0x8_8005_8000), tile: at(0, 10), noc: Noc::Noc1 },
    ],
    // ttsim 1.10, `IATU_BASE`.
    address_translation: Some(AddressTranslationLayout {
        start: 0x1200,
        stride: 0x100,
        upper_limit: false,
    }),
    windows: WindowLayout {
        groups: &[
            WindowGroup { count: 156, size_bits: 20, base: bar0(0), address_bits: 16, reserved: 0 },
            WindowGroup {
                count: 10,
                size_bits: 21,
                base: bar0(0x9C0_0000),
                address_bits: 15,
                reserved: 0,
            },
            WindowGroup {
                count: 20,
                size_bits: 24,
                base: bar0(0xB00_0000),
                address_bits: 12,
                reserved: 1,
            },
        ],
        registers: bar0(0x1FC0_0000),
        register_stride: 8,
    },
    window_noc_bits: 1,
    reset: ResetRegisters {
        soft_reset: TileAddress(0xFFB1_21B0),
        bits: [0x800, 0x4_0000, 0x1000, 0x2000, 0x4000],
        default_pc: [0, 0x1_2000, 0x6000, 0xA000, 0xE000],
        overrides: [
            None,
            start(162, 163, 1),
            start(158, 161, 1),
            start(159, 161, 2),
            start(160, 161, 4),
        ],
        overrides_reachable: false,
        keep_private_memory: None,
        invalidate_instruction_caches: configuration(157),
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
            logical_id: Some(0x138),
            clear_outstanding: Some(0x50),
            configuration: 0x100,
            counters: 0x200,
            outstanding_by_transaction: Some(0x240),
        },
        address_bits: 36,
        coordinate_shift: 4,
        inline_writes_to_l1: true,
        atomics_overtake_writes: false,
        flit_bytes: 32,
        translation: Some(TranslationRegisters { columns: 0x118, rows: 0x128, entry_bits: 4 }),
    },
    overlay: OverlayRegisters {
        base: 0xFFB4_0000,
        stride: 0x1000,
        streams: 64,
        remote_source: 0x00,
        buffer_start: 0x0c,
        buffer_size: 0x10,
        space_available_update: 0x88,
        space_available: 0x100,
    },
    debug: DebugRegisters {
        base: 0xFFB1_2000,
        last: 0x21C,
        pc_snapshots: None,
        dst_clock_gating: None,
    },
};
