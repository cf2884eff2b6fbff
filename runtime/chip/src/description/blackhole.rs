//! Sources: tt-isa-documentation, BlackholeA0 (NoC, TensixTile); tt-metal
//! `soc_descriptors/blackhole_140_arch.yaml`, `hw/inc/…/blackhole/noc_parameters.h` and `dev_mem_map.h`; tt-umd
//! `blackhole_implementation.hpp`; tt-zephyr-platforms `noc_init.c`, the chip's own firmware, for the
//! translation tables of an unharvested chip.

use super::{
    AddressTranslationLayout, ArcChannel, ArcDoorbell, ArcMessage, ArcRegister, ArcReport,
    ArcTelemetry, ArcTile, ArcValue, ChipDescription, DataCache, DebugRegisters, DramBank,
    DramTile, EthernetFirmware, HostNocInterface, InstructionSet, KeepPrivateMemory, NocOffsets,
    NocRegisters, OverlayRegisters, PrivateMemory, ResetRegisters, SharedView, StartOverride,
    TileNocInterface, TranslationRegisters,
};
use crate::{
    Architecture, Bar, BarOffset, HarvestingMask, L1BankOrder, Noc, NocCoordinate,
    PhysicalCoordinate, TileAddress, WindowGroup, WindowLayout,
};

/// The part of a controller's 4 GiB that TT-Metalium uses, `dram_bank_size`.
const USABLE: u64 = 4_278_190_080;
/// tt-umd `AICLK_IDLE_VAL`, in MHz.
const IDLE_CLOCK: u32 = 800;

const fn register(offset: u32, value: u32) -> ArcRegister {
    ArcRegister::of_reset_unit(offset, value)
}

const fn at(x: u8, y: u8) -> PhysicalCoordinate {
    PhysicalCoordinate { x, y }
}

/// A bank is a controller, reached through its translated coordinate.
const fn bank(x: u8, y: u8, place: PhysicalCoordinate) -> DramBank {
    DramBank { tile: NocCoordinate { x, y }, place, offset: 0 }
}

const fn dram(ports: &'static [PhysicalCoordinate]) -> DramTile {
    DramTile { ports, size: 1 << 32 }
}

const fn start(pc: u32, enable: u32, enable_bit: u32) -> Option<StartOverride> {
    Some(StartOverride { pc, enable, enable_bit })
}

pub(super) static DESCRIPTION: ChipDescription = ChipDescription {
    architecture: Architecture::Blackhole,
    pci_id: Architecture::Blackhole.pci_id(),
    noc_grid: (17, 12),
    tensix_columns: &[1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14, 15, 16],
    tensix_rows: &[2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
    column_names: &[1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14, 15, 16],
    row_names: &[2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
    // noc_init.c: NoC 1's tables are the mirror images of NoC 0's, for small numbers too.
    raw_coordinates_below: 0,
    harvests_rows: false,
    // tt-umd `HARVESTING_NOC_LOCATIONS`; noc_init.c for the order of the last columns.
    harvestable_on_die: &[1, 16, 2, 15, 3, 14, 4, 13, 5, 12, 6, 11, 7, 10],
    harvested_from_the_last: true,
    harvesting: HarvestingMask::NONE,
    harvested: &[],
    dram_banks: &[
        bank(17, 12, at(0, 0)),
        bank(17, 15, at(0, 2)),
        bank(17, 18, at(0, 9)),
        bank(17, 21, at(0, 5)),
        bank(18, 12, at(9, 0)),
        bank(18, 15, at(9, 2)),
        bank(18, 18, at(9, 9)),
        bank(18, 21, at(9, 5)),
    ],
    dram_bank_size: USABLE,
    dram_tiles: &[
        dram(&[at(0, 0), at(0, 1), at(0, 11)]),
        dram(&[at(0, 2), at(0, 10), at(0, 3)]),
        dram(&[at(0, 9), at(0, 4), at(0, 8)]),
        dram(&[at(0, 5), at(0, 7), at(0, 6)]),
        dram(&[at(9, 0), at(9, 1), at(9, 11)]),
        dram(&[at(9, 2), at(9, 10), at(9, 3)]),
        dram(&[at(9, 9), at(9, 4), at(9, 8)]),
        dram(&[at(9, 5), at(9, 7), at(9, 6)]),
    ],
    ethernet_tiles: &[
        at(1, 1),
        at(16, 1),
        at(2, 1),
        at(15, 1),
        at(3, 1),
        at(14, 1),
        at(4, 1),
        at(13, 1),
        at(5, 1),
        at(12, 1),
        at(6, 1),
        at(11, 1),
        at(7, 1),
        at(10, 1),
    ],
    ethernet_l1_size: 512 * 1024,
    // ttsim 1.10, `bh_eth_link_init`: start-up has passed, links are down, firmware 1.6.0; reset, start
    // addresses and interrupts of the two cores. tt-metal `dev_msgs.h`, `RUN_MSG_INIT`, and `dev_mem_map.h`,
    // `MEM_IERISC_MAILBOX_BASE`.
    ethernet_firmware: Some(EthernetFirmware {
        words: &[(0x7_CC00, 0xC0DE_A000), (0x7_CC04, 2), (0x7_CFBC, 0x0001_0600)],
        registers: &[
            (0xFFB1_21B0, 0x1800),
            (0xFFB1_4000, 0),
            (0xFFB1_4008, 0),
            (0xFFB1_4020, 0),
            (0xFFB1_4024, 0),
            (0xFFB1_4028, 0),
            (0xFFB1_402C, 0),
            (0xFFB1_4030, 0),
        ],
        go_message: 0x590,
        start_signal: 0x40,
    }),
    arc_tile: at(8, 0),
    // tt-umd, `BlackholeArcTelemetryReader` and `ENABLED_TENSIX_COL`.
    arc_report: Some(ArcReport::Telemetry {
        table: TileAddress(0x8003_0434),
        values: TileAddress(0x8003_0430),
        enabled: 34,
    }),
    arc: Some(ArcTile {
        crossbar: TileAddress(0),
        // Reached only through windows.
        host_views: &[],
        memory: 0x1000_0000,
        memory_size: 0x8_0000,
        // The control block of the queues: their address, the entries of each, their number.
        words: &[(0x300, 0x1000_0400), (0x304, 8 | 4 << 8)],
        registers: &[
            register(0x60, 0),
            register(0x64, 0),
            register(0x68, 0),
            register(0x6C, 0),
            register(0x70, 0),
            register(0x74, 0),
            register(0x78, 0),
            register(0x7C, 0),
            register(0x100, 0),
            register(0x400, 0),
            register(0x404, 0),
            // tt-umd, `wait_arc_core_start`: firmware has started and takes messages.
            register(0x408, 0x5),
            register(0x40C, 0),
            register(0x410, 0),
            register(0x414, 0),
            register(0x418, 0),
            register(0x41C, 0),
            register(0x420, 0),
            register(0x424, 0),
            register(0x428, 0),
            // tt-umd `SCRATCH_RAM_11` to `SCRATCH_RAM_13`: the queues' control block, telemetry's values and table.
            register(0x42C, 0x1000_0300),
            register(0x430, 0x1000_0200),
            register(0x434, 0x1000_0100),
            register(0x438, 0),
            register(0x43C, 0),
            // tt-kmd `ARC_MSI_FIFO`.
            ArcRegister { address: 0x800B_0000, value: 0, writable: true },
        ],
        // ttsim 1.10, `a_tile_init`, for everything that tt-umd reads. Entry 34 is missing in ttsim, which has
        // no harvesting.
        telemetry: ArcTelemetry {
            table: 0x100,
            values: 0x200,
            entries: &[
                // A P150.
                (1, ArcValue::Word(0x400)),
                (2, ArcValue::Word(1)),
                (3, ArcValue::Word(1)),
                (4, ArcValue::Word(0)),
                // Temperatures in 1/65536 degrees.
                (11, ArcValue::Word(40 << 16)),
                (13, ArcValue::Word(35 << 16)),
                (14, ArcValue::Clock),
                (15, ArcValue::Word(900)),
                (16, ArcValue::Word(540)),
                // The last two Ethernet tiles are left out, and all memory is trained.
                (21, ArcValue::Word(0xFFF)),
                (22, ArcValue::Word(0x5555)),
                (28, ArcValue::Word(0x1205_0000)),
                (32, ArcValue::Word(1)),
                (34, ArcValue::EnabledTensix),
                (35, ArcValue::Word(0xFFF)),
                // The host uses the first PCIe tile.
                (38, ArcValue::Word(1)),
                (52, ArcValue::Word(0)),
                (61, ArcValue::Word(0)),
                (62, ArcValue::Word(1)),
            ],
        },
        channel: ArcChannel::Queues { start: 0x400, count: 4, entries: 8 },
        doorbells: &[
            ArcDoorbell { address: 0x8003_0100, bit: Some(1 << 16) },
            ArcDoorbell { address: 0x800B_0000, bit: None },
        ],
        // tt-umd `blackhole::ArcMessageType`, and ttsim 1.10, `arc_service_message`.
        messages: &[
            (0x11, ArcMessage::Nothing),
            (0x21, ArcMessage::Nothing),
            (0x52, ArcMessage::SetClock(1350)),
            (0x54, ArcMessage::SetClock(IDLE_CLOCK)),
            (0x56, ArcMessage::Nothing),
            // tt-umd `test_arc_messages_bh.cpp`.
            (0x90, ArcMessage::Increment),
            (0xA0, ArcMessage::Nothing),
            (0xA3, ArcMessage::Nothing),
            (0xB6, ArcMessage::Nothing),
            (0xB7, ArcMessage::Nothing),
            (0xBA, ArcMessage::Nothing),
            (0xBC, ArcMessage::Nothing),
            (0xC1, ArcMessage::Nothing),
            (0xC7, ArcMessage::Nothing),
        ],
        clock: IDLE_CLOCK,
        // tt-metal dev_mem_map.h, `MEM_L1_ARC_FW_SCRATCH`: kernels read there whether to compute more slowly.
        l1_scratch: Some((0x10, 0x10)),
    }),
    // Each board leaves out two Ethernet tiles; here the last two, as in Tenstorrent's simulator.
    translated_columns: &[
        (17, 0),
        (18, 9),
        (19, 2),
        (20, 1),
        (21, 16),
        (22, 2),
        (23, 15),
        (24, 3),
        (25, 14),
        (26, 4),
        (27, 13),
        (28, 5),
        (29, 12),
        (30, 6),
        (31, 11),
    ],
    translated_rows: &[
        (12, 0),
        (13, 1),
        (14, 11),
        (15, 2),
        (16, 10),
        (17, 3),
        (18, 9),
        (19, 4),
        (20, 8),
        (21, 5),
        (22, 7),
        (23, 6),
        (24, 0),
        (25, 1),
    ],
    // noc_init.c, translate_row_mask: the rows of PCIe and of Ethernet.
    rows_of_untranslated_columns: &[0, 1],
    pcie_tile: NocCoordinate { x: 19, y: 24 },
    // (11, 0) on boards that use the other PCIe interface.
    pcie_place: at(2, 0),
    // tt-umd `get_pcie_base_for_arch`: the fourth of 64 windows of 2^58 bytes.
    pcie_host_base: TileAddress(4 << 58),
    pcie_host_size: 1 << 58,
    // ttsim 1.10, `translate_pci_dma_addr`: the first four windows map directly to the host.
    pcie_direct_windows: &[
        TileAddress(0),
        TileAddress(1 << 58),
        TileAddress(2 << 58),
        TileAddress(3 << 58),
    ],
    l1_size: 1536 * 1024,
    l1_alignment: 16,
    // tt-metal `l1_banking_allocator.cpp`, the same for both chips.
    l1_bank_order: L1BankOrder::Shuffled,
    dram_alignment: 64,
    noc_max_burst: 16384,
    // BabyRISCV/README.md, "Instruction set".
    instruction_set: InstructionSet {
        control_registers: true,
        atomics: true,
        bit_manipulation: true,
        floating_point: true,
    },
    private_memory: PrivateMemory {
        base: 0xFFB0_0000,
        size: [8192, 8192, 4096, 4096, 4096],
        ncrisc_instruction_ram: None,
        // BabyRISCV/README.md: the compute cores' 4 KiB are mapped twice.
        shared_view: Some(SharedView {
            base: [0xFFB1_4000, 0xFFB1_6000, 0xFFB1_8000, 0xFFB1_A000, 0xFFB1_C000],
            span: 0x2000,
        }),
    },
    data_cache: Some(DataCache {
        lines: 4,
        line_size: 16,
        control_register: 0x7C0,
        disable_bit: 1 << 3,
        // "approximately a 0.8% chance" (BabyRISCV/CSRs.md).
        hits_per_flush: 128,
        keep_bit: 1 << 24,
    }),
    // tt-metal cfg_defines.h: the scrubber of the register files' error correction.
    kept_configuration: &[0xFFEF_000C],
    circular_buffers: 64,
    bar_sizes: [512 << 20, 1 << 20, 32 << 30],
    bar4_shows_bar0: false,
    // ttsim 1.10, `PCIE_NIU0_BASE` and `IATU_BASE`.
    host_noc_interfaces: &[
        HostNocInterface { start: 0x1FD0_4000, tile: at(2, 0), noc: Noc::Noc0 },
        HostNocInterface { start: 0x1FD1_4000, tile: at(2, 0), noc: Noc::Noc1 },
    ],
    // tt-umd, `get_noc_reg_base` of the PCIe tile, and `NIU_CFG_NOC0_ARC_ADDR`.
    tile_noc_interfaces: &[
        TileNocInterface {
            start: TileAddress(0xFFFF_FFFF_FF00_0000),
            tile: at(2, 0),
            noc: Noc::Noc0,
        },
        TileNocInterface { start: TileAddress(0x8005_0000), tile: at(8, 0), noc: Noc::Noc0 },
        TileNocInterface { start: TileAddress(0x8005_8000), tile: at(8, 0), noc: Noc::Noc1 },
    ],
    address_translation: Some(AddressTranslationLayout {
        start: 0x1000,
        stride: 0x100,
        upper_limit: true,
    }),
    windows: WindowLayout {
        groups: &[
            WindowGroup {
                count: 202,
                size_bits: 21,
                base: BarOffset { bar: Bar::Bar0, offset: 0 },
                address_bits: 43,
                reserved: 1,
            },
            WindowGroup {
                count: 8,
                size_bits: 32,
                base: BarOffset { bar: Bar::Bar4, offset: 0 },
                address_bits: 32,
                reserved: 0,
            },
        ],
        registers: BarOffset { bar: Bar::Bar0, offset: 0x1FC0_0000 },
        register_stride: 12,
    },
    window_noc_bits: 2,
    reset: ResetRegisters {
        soft_reset: TileAddress(0xFFB1_21B0),
        bits: [0x800, 0x4_0000, 0x1000, 0x2000, 0x4000],
        default_pc: [0, 0x1_2000, 0x6000, 0xA000, 0xE000],
        overrides: [
            None,
            start(0xFFB1_2238, 0xFFB1_223C, 1),
            start(0xFFB1_2228, 0xFFB1_2234, 1),
            start(0xFFB1_222C, 0xFFB1_2234, 2),
            start(0xFFB1_2230, 0xFFB1_2234, 4),
        ],
        overrides_reachable: true,
        // RISCV_DEBUG_REG_DISABLE_RESET (TensixTile/SoftReset.md).
        keep_private_memory: Some(KeepPrivateMemory {
            register: 0xFFB1_2224,
            bits: [1 << 6, 1 << 8, 1 << 0, 1 << 2, 1 << 4],
        }),
        // Word 185 of the Tensix backend's configuration.
        invalidate_instruction_caches: 0xFFEF_02E4,
    },
    noc: NocRegisters {
        base: [0xFFB2_0000, 0xFFB3_0000],
        command_buffer_stride: 0x800,
        command_buffers: 4,
        offsets: NocOffsets {
            target: 0x00,
            target_tile: 0x08,
            return_address: 0x0C,
            return_tile: 0x14,
            packet_tag: 0x18,
            control: 0x1C,
            length: 0x20,
            data: 0x28,
            multicast_exclude: Some(0x2C),
            command: 0x40,
            node_id: 0x44,
            logical_id: Some(0x148),
            clear_outstanding: Some(0x60),
            configuration: 0x100,
            counters: 0x200,
            outstanding_by_transaction: Some(0x240),
        },
        address_bits: 64,
        coordinate_shift: 0,
        inline_writes_to_l1: false,
        // TT-Metalium's documentation, "Ordering (NOC, CMD_BUF, VC)": writes on the same NoC and virtual channel "will be
        // ordered based on program order, regardless whether you use the same CMD_BUF or different ones". Its kernels
        // flush between data and flag since tt-metal#12627, when command buffers were queues of their own on Blackhole;
        // #13079 switched those queues off ("known HW bugs"), and the flush stays for another reason: the source "could
        // be changed before write is issued" (#12678). Of a write and an atomic no document speaks (tt-metal#55555), the
        // two never swapped on a card, and upstream puts waits between them where they are missing (tt-metal#43699).
        atomics_overtake_writes: true,
        flit_bytes: 64,
        translation: Some(TranslationRegisters { columns: 0x118, rows: 0x130, entry_bits: 5 }),
    },
    overlay: OverlayRegisters {
        base: 0xFFB4_0000,
        stride: 0x1000,
        streams: 64,
        remote_source: 0x10,
        buffer_start: 0x20,
        buffer_size: 0x28,
        space_available_update: 0x438,
        space_available: 0x4A4,
    },
    debug: DebugRegisters {
        base: 0xFFB1_2000,
        last: 0x248,
        // BabyRISCV/README.md, "RISCV pc snapshot".
        pc_snapshots: Some([0xFFB1_3138, 0xFFB1_313C, 0xFFB1_3140, 0xFFB1_3144, 0xFFB1_3148]),
        // tt-metal tensix.h, RISCV_DEBUG_REG_DEST_CG_CTRL.
        dst_clock_gating: Some(0x240),
    },
};
