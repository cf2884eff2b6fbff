//! Compares the Wormhole B0 table with a second transcription, made from the sources cited at each fact and
//! written in another form than the table.
//!
//! ISA: `tenstorrent/tt-isa-documentation`, folder `WormholeB0`. UMD: `tenstorrent/tt-umd`. Metal:
//! `tenstorrent/tt-metal`. Simulator: `tenstorrent/ttsim` 1.10.

use hallmark_chip::*;

fn table() -> &'static ChipDescription {
    ChipDescription::of(Architecture::WormholeB0)
}

/// ISA `NoC/Coordinates.md` and `README.md`, the grid of NoC 0 drawn row by row: T Tensix, E Ethernet,
/// 0–5 the DRAM controllers, P PCIe, A ARC, dots routers without a tile.
const GRID: [&str; 12] = [
    "0EEEE2EEEE",
    "0TTTT2TTTT",
    ".TTTT3TTTT",
    "PTTTT4TTTT",
    ".TTTT4TTTT",
    "1TTTT5TTTT",
    "1EEEE5EEEE",
    "1TTTT5TTTT",
    ".TTTT4TTTT",
    ".TTTT3TTTT",
    "ATTTT3TTTT",
    "0TTTT2TTTT",
];

fn drawn(letter: char) -> Vec<PhysicalCoordinate> {
    let mut places = Vec::new();
    for (y, row) in GRID.iter().enumerate() {
        for (x, tile) in row.chars().enumerate() {
            if tile == letter {
                places.push(PhysicalCoordinate { x: x as u8, y: y as u8 });
            }
        }
    }
    places
}

fn sorted(places: &[PhysicalCoordinate]) -> Vec<PhysicalCoordinate> {
    let mut places = places.to_vec();
    places.sort_by_key(|place| (place.y, place.x));
    places
}

#[test]
fn tiles_stand_where_they_are_drawn() {
    let chip = table();
    assert_eq!(chip.noc_grid, (10, 12));
    let tensix: Vec<_> = chip
        .tensix_rows
        .iter()
        .flat_map(|&y| chip.tensix_columns.iter().map(move |&x| PhysicalCoordinate { x, y }))
        .collect();
    assert_eq!(tensix.len(), 80);
    assert_eq!(sorted(&tensix), drawn('T'));
    assert_eq!(sorted(chip.ethernet_tiles), drawn('E'));
    assert_eq!(vec![chip.arc_tile], drawn('A'));
    // luwen, wormhole.rs: scratch registers 3 and 5 and ARC_MISC_CNTL of the reset unit at 0x8_8003_0000.
    let reset_unit = 0x8_0000_0000 + 0x8000_0000 + 0x3_0000;
    let Some(ArcReport::Message { argument, status, trigger, trigger_bit, code }) = chip.arc_report
    else {
        panic!("Wormhole answers messages");
    };
    let scratch = |number: u64| TileAddress(reset_unit + 0x60 + 4 * number);
    assert_eq!(
        [argument, status, trigger],
        [scratch(3), scratch(5), TileAddress(reset_unit + 0x100)]
    );
    assert_eq!((trigger_bit, code), (0x1_0000, 0xAA00 | 0x57));
    let pcie = PhysicalCoordinate { x: chip.pcie_tile.x, y: chip.pcie_tile.y };
    assert_eq!(vec![pcie], drawn('P'));
    assert_eq!(chip.pcie_place, pcie);
    assert_eq!(chip.dram_tiles.len(), 6);
    for (tile, letter) in chip.dram_tiles.iter().zip("012345".chars()) {
        assert_eq!(sorted(tile.ports), drawn(letter));
        // ISA DRAMTile/README.md: 2 GiB each, of two GDDR6 channels.
        assert_eq!(tile.size, 2 << 30);
    }
}

/// UMD `wormhole_implementation.h`, `ETH_CORES_NOC0`: channels 0 to 7, then the same in row 6.
#[test]
fn ethernet_channels_alternate_from_the_edges() {
    for (channel, tile) in table().ethernet_tiles.iter().enumerate() {
        let x = [9, 1, 8, 2, 7, 3, 6, 4].get(channel % 8).copied().unwrap();
        assert_eq!((tile.x, tile.y), (x, if channel < 8 { 0 } else { 6 }), "channel {channel}");
    }
    // Simulator `config.h`, ETH_SRAM_SIZE.
    assert_eq!(table().ethernet_l1_size, 0x4_0000);
}

/// ISA `NoC/Coordinates.md`, the tables without harvested rows; Simulator, the words of
/// `NOC_X_ID_TRANSLATE_TABLE` and `NOC_Y_ID_TRANSLATE_TABLE` entries 16 to 31.
#[test]
fn coordinates_translate_as_the_registers_say() {
    let nibbles = |pairs: &[(u8, u8)]| {
        pairs.iter().fold(0u64, |word, &(from, to)| word | u64::from(to) << (4 * (from - 16)))
    };
    assert_eq!(nibbles(table().translated_columns), 0x98_7643_2150);
    assert_eq!(nibbles(table().translated_rows), 0xBA98_7543_2160);
    for x in 0..8 {
        for y in 0..10 {
            let core = LogicalCore { x, y };
            let named = table().noc_coordinate(core).unwrap();
            assert_eq!((u32::from(named.x), u32::from(named.y)), (18 + x, 18 + y));
            let at = table().physical(core).unwrap();
            assert_eq!(table().logical(at), Some(core));
            assert!(table().translated_columns.contains(&(named.x, at.x)));
            assert!(table().translated_rows.contains(&(named.y, at.y)));
        }
    }
    assert_eq!(table().tensix_grid(), (8, 10));
    // Metal `wormhole_b0_80_arch_eth_dispatch.yaml`: the last row is reserved for dispatch.
    assert_eq!(table().compute_grid(), (8, 9));
    assert!(table().harvests_rows);
}

/// Metal `wormhole_b0_80_arch.yaml`, `dram_views`: two views per channel, the second 1 GiB on.
#[test]
fn dram_banks_are_halves_of_controllers() {
    let chip = table();
    assert_eq!(chip.dram_banks.len(), 12);
    assert_eq!(chip.dram_bank_size, 1 << 30);
    for (index, bank) in chip.dram_banks.iter().enumerate() {
        let port = chip.dram_tiles.get(index / 2).and_then(|tile| tile.ports.first()).unwrap();
        assert_eq!((bank.tile.x, bank.tile.y), (port.x, port.y));
        assert_eq!(bank.place, *port);
        assert_eq!(bank.offset, if index % 2 == 0 { 0 } else { 0x4000_0000 });
    }
}

#[test]
fn sizes_and_registers() {
    let chip = table();
    // ISA PCIExpressTile/README.md.
    assert_eq!(chip.pci_id, 0x401E << 16 | 0x1E52);
    assert_eq!(chip.pcie_host_base, TileAddress(1 << 35));
    assert_eq!(chip.pcie_host_size, (1 << 32) - (128 << 10));
    // ISA PCIExpressTile/README.md: BAR4 is an alias of BAR0's last 32 MiB.
    assert_eq!(chip.bar_sizes, [0x2000_0000, 0x10_0000, 0x200_0000]);
    assert!(chip.bar4_shows_bar0);
    // ISA PCIExpressTile/README.md, "Host to device, bar 0"; ARCTile/README.md, "APB peripherals", which are
    // mapped at the end of BAR0.
    let shown: Vec<_> =
        chip.host_noc_interfaces.iter().map(|shown| (shown.start, shown.noc, shown.tile)).collect();
    let (pcie, arc) = (PhysicalCoordinate { x: 0, y: 3 }, PhysicalCoordinate { x: 0, y: 10 });
    let peripherals = 0x1FF0_0000;
    assert_eq!(
        shown,
        [
            (0x1FD2_0000, Noc::Noc0, pcie),
            (0x1FDA_0000, Noc::Noc1, pcie),
            (peripherals + 0x5_0000, Noc::Noc0, arc),
            (peripherals + 0x5_8000, Noc::Noc1, arc),
        ]
    );
    // ttsim 1.10 `libttsim.cpp`: IATU_BASE, iatu_reg_field.
    let units = chip.address_translation.unwrap();
    assert_eq!((units.start, units.stride, units.upper_limit), (0x1200, 256, false));
    // ISA TensixTile/L1.md; Metal dev_mem_map.h MEM_L1_SIZE.
    assert_eq!(chip.l1_size, 1_499_136);
    // Metal noc_parameters.h: NOC_L1_READ_ALIGNMENT_BYTES, NOC_DRAM_READ_ALIGNMENT_BYTES,
    // NOC_MAX_BURST_SIZE = NOC_MAX_BURST_WORDS * NOC_WORD_BYTES.
    assert_eq!((chip.l1_alignment, chip.dram_alignment, chip.noc_max_burst), (16, 32, 256 * 32));
    // Metal `l1_banking_allocator.cpp`.
    assert_eq!(chip.l1_bank_order, L1BankOrder::Shuffled);
    // Metal circular_buffer_constants.h: NUM_CIRCULAR_BUFFERS.
    assert_eq!(chip.circular_buffers, 32);
    // ISA TensixTile/BabyRISCV/README.md: local data RAM and instruction RAM.
    assert_eq!(chip.private_memory.base, 0xFFB0_0000);
    assert_eq!(chip.private_memory.size, [0x1000, 0x1000, 0x800, 0x800, 0x800]);
    assert_eq!(chip.private_memory.ncrisc_instruction_ram, Some((0xFFC0_0000, 0x4000)));
    // ISA TensixTile/SoftReset.md: bits 11, 12, 13, 14 and 18 for B, T0, T1, T2 and NC.
    let bit = |processor: Processor| chip.reset.bits.get(processor.index()).copied().unwrap();
    let bits: Vec<u32> = [
        Processor::Brisc,
        Processor::Trisc0,
        Processor::Trisc1,
        Processor::Trisc2,
        Processor::Ncrisc,
    ]
    .map(bit)
    .iter()
    .map(|bit| bit.trailing_zeros())
    .collect();
    assert_eq!(bits, [11, 12, 13, 14, 18]);
    assert_eq!(chip.reset.soft_reset, TileAddress(0xFFB1_2000 + 0x1B0));
    assert_eq!(chip.reset.default_pc, [0, 0x1_2000, 0x6000, 0xA000, 0xE000]);
    // ISA TensixTile/BabyRISCV/README.md, in words of the backend configuration.
    let word = |address: u32| (address - 0xFFEF_0000) / 4;
    let overrides = chip
        .reset
        .overrides
        .map(|one| one.map(|one| (word(one.pc), word(one.enable), one.enable_bit)));
    let expected =
        [None, Some((162, 163, 1)), Some((158, 161, 1)), Some((159, 161, 2)), Some((160, 161, 4))];
    assert_eq!(overrides, expected);
    assert!(!chip.reset.overrides_reachable);
    assert_eq!(word(chip.reset.invalidate_instruction_caches), 157);
    assert_eq!((chip.data_cache, chip.private_memory.shared_view), (None, None));
    // ISA BabyRISCV/README.md: "the RV32IM instruction set".
    assert_eq!(chip.instruction_set, InstructionSet::NO_EXTENSIONS);
    assert_eq!((chip.reset.keep_private_memory, chip.debug.pc_snapshots), (None, None));
    // Metal cfg_defines.h, ECC_SCRUBBER, as a word.
    assert_eq!(chip.debug.dst_clock_gating, None);
    let kept: Vec<u32> = chip.kept_configuration.iter().map(|at| (at - 0xFFEF_0000) / 4).collect();
    assert_eq!(kept, [3]);
    // ISA TensixTile/TileControlDebugStatus.md: DBG_L1_READBACK_OFFSET is the last.
    assert_eq!((chip.debug.base, chip.debug.last / 4), (0xFFB1_2000, 135));
    // ISA NoC/MemoryMap.md.
    assert_eq!(chip.noc.base, [0xFFB2_0000, 0xFFB3_0000]);
    assert_eq!((chip.noc.command_buffer_stride, chip.noc.command_buffers), (0x400, 4));
}

/// ISA NoC/MemoryMap.md, in words; 36 address bits, so coordinates start at bit 4 of the upper word.
#[test]
fn noc_registers() {
    let noc = &table().noc;
    let at = noc.offsets;
    let words = [
        at.target,
        at.target_tile,
        at.return_address,
        at.return_tile,
        at.packet_tag,
        at.control,
        at.length,
        at.data,
        at.command,
        at.node_id,
        at.logical_id.unwrap(),
        at.counters,
        at.outstanding_by_transaction.unwrap(),
        at.clear_outstanding.unwrap(),
        at.configuration,
    ]
    .map(|offset| offset / 4);
    assert_eq!(words, [0, 1, 3, 4, 6, 7, 8, 9, 10, 11, 78, 128, 144, 20, 64]);
    assert_eq!(at.multicast_exclude, None);
    // ISA NoC/README.md: 256-bit flits, "at most 8 KiB" a packet. NoC/MemoryMap.md: 128-bit tables.
    assert_eq!(noc.flit_bytes * 8, 256);
    let tables = noc.translation.unwrap();
    assert_eq!((tables.columns / 4, tables.rows / 4, 32 * tables.entry_bits), (70, 74, 128));
    assert_eq!(tables.entries_per_register(), 8);
    assert!(!noc.atomics_overtake_writes);
    assert_eq!((noc.address_bits, noc.coordinate_shift), (36, 36 - 32));
    assert!(noc.inline_writes_to_l1);
    // ISA NoC/Coordinates.md: only coordinates from 16 on are translated.
    let raw = NocCoordinate { x: 0, y: 5 };
    assert_eq!(table().on_noc(Noc::Noc1, raw), NocCoordinate { x: 9, y: 6 });
    let translated = NocCoordinate { x: 18, y: 19 };
    assert_eq!(table().on_noc(Noc::Noc1, translated), translated);
}

/// UMD `wormhole_implementation.h`: `TLB_COUNT_*`, `TLB_BASE_*`, `*_TLB_OFFSETS`.
#[test]
fn windows_fill_the_bar_in_order() {
    let chip = table();
    let groups: Vec<_> = chip
        .windows
        .groups
        .iter()
        .map(|group| (group.count, 1u64 << group.size_bits, group.base.offset, group.address_bits))
        .collect();
    let mebibyte = 1 << 20;
    assert_eq!(
        groups,
        [
            (156, mebibyte, 0, 16),
            (10, 2 * mebibyte, 156 * mebibyte, 15),
            (20, 16 * mebibyte, 156 * mebibyte + 20 * mebibyte, 12),
        ]
    );
    assert_eq!(chip.windows.registers, BarOffset { bar: Bar::Bar0, offset: 0x1FC0_0000 });
    assert_eq!((chip.windows.register_stride, chip.window_noc_bits), (8, 1));
}

/// Metal noc_overlay_parameters.h: `STREAM_*_REG_INDEX`, in words.
#[test]
fn overlay_registers() {
    let overlay = &table().overlay;
    assert_eq!((overlay.base, overlay.stride, overlay.streams), (0xFFB4_0000, 1 << 12, 64));
    let words = [
        overlay.remote_source,
        overlay.buffer_start,
        overlay.buffer_size,
        overlay.space_available_update,
        overlay.space_available,
    ]
    .map(|offset| offset / 4);
    assert_eq!(words, [0, 3, 4, 34, 64]);
}

/// Simulator `a_tile_init`, `arc_reset_unit_rd32` and `pci_mem_rd_cur`; UMD `wormhole_implementation.hpp`.
#[test]
fn the_arc_tile_shows_what_drivers_look_for() {
    let arc = table().arc.unwrap();
    assert_eq!(arc.crossbar.0, 0x8_0000_0000);
    let views = arc.host_views.iter().map(|view| (view.start, view.start + view.size - 1));
    // ARC_BAR0_CSM_BASE to _LIMIT; ARC_APB_NOC_XBAR_OFFSET_START to _END, shown from ARC_BAR0_APB_BASE.
    let apb = (0x1FF0_0000, 0x1FF0_0000 + 0x800F_FFFF - 0x8000_0000);
    assert_eq!(views.collect::<Vec<_>>(), [(0x1FE8_0000, 0x1FEF_FFFF), apb]);
    let addresses: Vec<u32> = arc.host_views.iter().map(|view| view.address).collect();
    assert_eq!(addresses, [0x1000_0000, 0x8000_0000]);
    assert_eq!((arc.memory, arc.memory_size), (0x1000_0000, 0x1007_FFFF - 0x1000_0000 + 1));
    // LEGACY_TELEM_FW_BUNDLE_VERSION.
    assert_eq!(arc.words, [(0xC4, 0x1204_0000)]);
    let held = |address: u32| {
        let register = arc.registers.iter().find(|it| it.address == address).unwrap();
        (register.value, register.writable)
    };
    let apb = 0x8000_0000 + 0x3_0000;
    assert_eq!(held(apb + 0x60), (0xC0DE_0001, true));
    for scratch in 2..8 {
        assert_eq!(held(apb + 0x60 + 4 * scratch), (0, true));
    }
    assert_eq!(held(apb + 0x1D0), (0x1000_0100, false));
    assert_eq!(held(apb + 0x1D4), (0x1000_0200, false));
    assert_eq!(held(apb + 0x1D8), (0, false));
    assert_eq!(arc.registers.len(), 11);
    assert_eq!((arc.telemetry.table, arc.telemetry.values), (0x100, 0x200));
    let tags: Vec<u16> = arc.telemetry.entries.iter().map(|(tag, _)| *tag).collect();
    assert_eq!(tags, [1, 2, 3, 4, 11, 13, 14, 15, 16, 21, 22, 28, 32, 52]);
    let (argument, status) = (apb + 0x60 + 12, apb + 0x60 + 20);
    assert_eq!(arc.channel, ArcChannel::Registers { argument, status });
    let doorbell = ArcDoorbell { address: apb + 0x100, bit: Some(0x1_0000) };
    assert_eq!(arc.doorbells, [doorbell]);
    // UMD: AICLK_IDLE_VAL.
    assert_eq!(arc.clock, 500);
    let codes: Vec<u8> = arc.messages.iter().map(|(code, _)| *code).collect();
    assert_eq!(
        codes,
        [
            0x11, 0x21, 0x2C, 0x34, 0x51, 0x52, 0x53, 0x54, 0x56, 0x57, 0x58, 0x90, 0xA0, 0xA3,
            0xB6, 0xB7, 0xBA, 0xBC, 0xC1
        ]
    );
}

/// Simulator `e_tile_init` and `e_tile_mmio_wr32`.
#[test]
fn ethernet_tiles_show_links_that_are_down() {
    let firmware = table().ethernet_firmware.unwrap();
    // 6.14.0, and NOT_CONNECTED.
    assert_eq!(firmware.words, [(0x210, 0x0006_E000), (0x1104, 3)]);
    assert_eq!(firmware.registers, [(0xFFB1_21B0, 1 << 11)]);
    assert_eq!((firmware.go_message, firmware.start_signal), (0x2490, 0x40));
}

/// UMD `get_noc_reg_base` of the ARC tile, NIU_CFG_NOC0_BAR_ARC_ADDR and NIU_CFG_NOC1_BAR_ARC_ADDR.
#[test]
fn the_arc_tile_shows_its_noc_interfaces_twice() {
    let chip = table();
    let shown: Vec<(u64, Noc)> =
        chip.tile_noc_interfaces.iter().map(|it| (it.start.0, it.noc)).collect();
    let apb = 0x8_0000_0000 + 0x8000_0000;
    let (first, second) = (0xF_FFB2_0000, 0xF_FFB3_0000);
    let expected = [
        (first, Noc::Noc0),
        (second, Noc::Noc1),
        (apb + 0x5_0000, Noc::Noc0),
        (apb + 0x5_8000, Noc::Noc1),
    ];
    assert_eq!(shown, expected);
    assert!(chip.tile_noc_interfaces.iter().all(|it| it.tile == chip.arc_tile));
    assert_eq!(chip.pcie_direct_windows, []);
}
