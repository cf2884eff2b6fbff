//! Compares the Blackhole table with a second transcription, made from the sources cited at each fact and
//! written in another form than the table.
//!
//! ISA: `tenstorrent/tt-isa-documentation`, folder `BlackholeA0`. UMD: `tenstorrent/tt-umd`. Metal:
//! `tenstorrent/tt-metal`. Firmware: `tenstorrent/tt-zephyr-platforms`, `bh_arc/noc_init.c`. Simulator:
//! `tenstorrent/ttsim` 1.10.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use hallmark_chip::*;

fn table() -> &'static ChipDescription {
    ChipDescription::of(Architecture::Blackhole)
}

/// UMD `blackhole_implementation.hpp`, its lists of cores drawn row by row: T Tensix, E Ethernet, 0–7 the DRAM
/// controllers, P PCIe (its other interface is left out), A ARC, dots everything else.
const GRID: [&str; 12] = [
    "0.P.....A4.......",
    "0EEEEEEE.4EEEEEEE",
    "1TTTTTTT.5TTTTTTT",
    "1TTTTTTT.5TTTTTTT",
    "2TTTTTTT.6TTTTTTT",
    "3TTTTTTT.7TTTTTTT",
    "3TTTTTTT.7TTTTTTT",
    "3TTTTTTT.7TTTTTTT",
    "2TTTTTTT.6TTTTTTT",
    "2TTTTTTT.6TTTTTTT",
    "1TTTTTTT.5TTTTTTT",
    "0TTTTTTT.4TTTTTTT",
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
    assert_eq!(chip.noc_grid, (17, 12));
    let tensix: Vec<_> = chip
        .tensix_rows
        .iter()
        .flat_map(|&y| chip.tensix_columns.iter().map(move |&x| PhysicalCoordinate { x, y }))
        .collect();
    // Metal noc_parameters.h: NUM_TENSIXES.
    assert_eq!(tensix.len(), 140);
    assert_eq!(sorted(&tensix), drawn('T'));
    assert_eq!(sorted(chip.ethernet_tiles), drawn('E'));
    assert_eq!(vec![chip.arc_tile], drawn('A'));
    // tt-kmd, blackhole.c: RESET_SCRATCH(13), RESET_SCRATCH(12); tt-zephyr-platforms, TAG_ENABLED_TENSIX_COL.
    let scratch = |number: u64| TileAddress(0x8003_0400 + 4 * number);
    let (table, values) = (scratch(13), scratch(12));
    assert_eq!(chip.arc_report, Some(ArcReport::Telemetry { table, values, enabled: 34 }));
    assert_eq!(vec![chip.pcie_place], drawn('P'));
    assert_eq!(chip.dram_tiles.len(), 8);
    for (tile, letter) in chip.dram_tiles.iter().zip("01234567".chars()) {
        assert_eq!(sorted(tile.ports), drawn(letter));
        // UMD: DRAM_BANK_SIZE.
        assert_eq!(tile.size, 4_294_967_296);
    }
    // Simulator `tile_to_coord`: even channels from the west, odd ones from the east.
    for (channel, tile) in (0u8..).zip(chip.ethernet_tiles) {
        let x = if channel % 2 == 0 { 1 + channel / 2 } else { 16 - channel / 2 };
        assert_eq!((tile.x, tile.y), (x, 1), "channel {channel}");
    }
    // Metal `blackhole_140_arch.yaml`: eth_l1_size.
    assert_eq!(chip.ethernet_l1_size, 524_288);
}

/// Metal noc_parameters.h: VIRTUAL_TENSIX_START; UMD `fill_tensix_noc0_translated_mapping`: the numbers
/// of the first columns, which without harvesting are the tile's own.
#[test]
fn tensix_tiles_keep_their_numbers() {
    let chip = table();
    for x in 0..14 {
        for y in 0..10 {
            let core = LogicalCore { x, y };
            let named = chip.noc_coordinate(core).unwrap();
            assert_eq!(u32::from(named.x), if x < 7 { x + 1 } else { x + 3 });
            assert_eq!(u32::from(named.y), y + 2);
            let at = chip.physical(core).unwrap();
            assert_eq!((at.x, at.y), (named.x, named.y));
            assert_eq!(chip.logical(at), Some(core));
            assert_eq!(chip.on_noc(Noc::Noc1, named), named);
        }
    }
    assert_eq!(chip.tensix_grid(), (14, 10));
    // Metal core_descriptors/blackhole_140_arch.yaml: start [0, 0], end [12, 9].
    assert_eq!(chip.compute_grid(), (13, 10));
    assert!(!chip.harvests_rows);
}

/// Firmware `ComputeNocTranslation` with all tiles good: its tables of 32 entries of 5 bits.
#[test]
fn coordinates_translate_as_the_firmware_programs_them() {
    let chip = table();
    let entries = |pairs: &[(u8, u8)], first: u8, count: u8| -> Vec<u8> {
        (first..first + count)
            .map(|number| pairs.iter().find(|pair| pair.0 == number).unwrap().1)
            .collect()
    };
    let columns = entries(chip.translated_columns, 17, 15);
    assert_eq!(columns, [0, 9, 2, 1, 16, 2, 15, 3, 14, 4, 13, 5, 12, 6, 11]);
    let rows = entries(chip.translated_rows, 12, 14);
    assert_eq!(rows, [0, 1, 11, 2, 10, 3, 9, 4, 8, 5, 7, 6, 0, 1]);
    assert_eq!((chip.translated_columns.len(), chip.translated_rows.len()), (15, 14));
    // UMD: pcie_translated_coordinate_start_x and _y.
    assert_eq!((chip.pcie_tile.x, chip.pcie_tile.y), (19, 24));
}

fn translated(pairs: &[(u8, u8)], number: u8) -> u8 {
    pairs.iter().find(|pair| pair.0 == number).unwrap().1
}

/// UMD `map_dram_banks`: three ports a bank from (17, 12) on, four banks a column.
#[test]
fn dram_banks_are_controllers() {
    let chip = table();
    assert_eq!(chip.dram_banks.len(), 8);
    // Metal dev_mem_map.h: MEM_DRAM_SIZE.
    assert_eq!(chip.dram_bank_size, 4_177_920 * 1024);
    for (index, bank) in (0u8..).zip(chip.dram_banks) {
        assert_eq!((bank.tile.x, bank.tile.y), (17 + index / 4, 12 + index % 4 * 3));
        let tile = chip.dram_tiles.get(usize::from(index)).unwrap();
        assert_eq!(tile.ports.first(), Some(&bank.place));
        for (port, place) in (0u8..).zip(tile.ports) {
            assert_eq!(translated(chip.translated_columns, bank.tile.x), place.x);
            assert_eq!(translated(chip.translated_rows, bank.tile.y + port), place.y);
        }
        assert_eq!(bank.offset, 0);
        assert_eq!(chip.on_noc(Noc::Noc1, bank.tile), bank.tile);
    }
    assert_eq!(translated(chip.translated_columns, chip.pcie_tile.x), chip.pcie_place.x);
    assert_eq!(translated(chip.translated_rows, chip.pcie_tile.y), chip.pcie_place.y);
}

#[test]
fn sizes_and_registers() {
    let chip = table();
    assert_eq!(chip.pci_id, 0xB140 << 16 | 0x1E52);
    // Metal noc_parameters.h, NOC_XY_PCIE_ENCODING: bit 60.
    assert_eq!(chip.pcie_host_base, TileAddress(0x1000_0000_0000_0000));
    // Simulator `translate_pci_dma_addr`: 64 windows.
    assert_eq!(u128::from(chip.pcie_host_size) * 64, 1 << 64);
    // Simulator `libttsim.cpp`: BAR*_SIZE.
    assert_eq!(chip.bar_sizes, [0x2000_0000, 0x10_0000, 0x8_0000_0000]);
    assert!(!chip.bar4_shows_bar0);
    // Simulator `libttsim.cpp`: PCIE_NIU0_BASE, PCIE_NIU1_BASE; IATU_BASE, iatu_reg_field.
    let shown: Vec<_> =
        chip.host_noc_interfaces.iter().map(|shown| (shown.start, shown.noc, shown.tile)).collect();
    let pcie = PhysicalCoordinate { x: 2, y: 0 };
    assert_eq!(shown, [(0x1FD0_4000, Noc::Noc0, pcie), (0x1FD1_4000, Noc::Noc1, pcie)]);
    let units = chip.address_translation.unwrap();
    assert_eq!((units.start, units.stride, units.upper_limit), (0x1000, 256, true));
    // UMD: TENSIX_L1_SIZE.
    assert_eq!(chip.l1_size, 1_572_864);
    // Metal noc_parameters.h: NOC_L1_READ_ALIGNMENT_BYTES, NOC_DRAM_READ_ALIGNMENT_BYTES,
    // NOC_MAX_BURST_SIZE = NOC_MAX_BURST_WORDS * NOC_WORD_BYTES.
    assert_eq!((chip.l1_alignment, chip.dram_alignment, chip.noc_max_burst), (16, 64, 256 * 64));
    // Metal `l1_banking_allocator.cpp`.
    assert_eq!(chip.l1_bank_order, L1BankOrder::Shuffled);
    // Metal circular_buffer_constants.h, NUM_CIRCULAR_BUFFERS; ISA TensixTile/BabyRISCV/README.md.
    assert_eq!(chip.circular_buffers, 64);
    let cache = chip.data_cache.unwrap();
    assert_eq!((cache.lines * cache.line_size, cache.line_size), (64, 16));
    // Metal risc_common.h, set_l1_data_cache.
    assert_eq!((cache.control_register, cache.disable_bit), (0x7C0, 0x8));
    // ISA CSRs.md, `cfg0`: DisLowCachePeriodicFlush, "approximately a 0.8% chance".
    assert_eq!(cache.keep_bit.trailing_zeros(), 24);
    assert_eq!(1000 / cache.hits_per_flush, 7);
    // Simulator, HAS_ZBA_ZBB, HAS_PACK_BREV8 and `atomic`; ISA CSRs.md.
    let set = chip.instruction_set;
    assert!(set.bit_manipulation && set.atomics && set.control_registers && set.floating_point);
    // Metal dev_mem_map.h: MEM_*_LOCAL_SIZE.
    assert_eq!(chip.private_memory.base, 0xFFB0_0000);
    assert_eq!(chip.private_memory.size, [0x2000, 0x2000, 0x1000, 0x1000, 0x1000]);
    assert_eq!(chip.private_memory.ncrisc_instruction_ram, None);
    // Simulator, the map of register blocks.
    let view = chip.private_memory.shared_view.unwrap();
    for (index, base) in (0u32..).zip(view.base) {
        assert_eq!(base, 0xFFB1_4000 + view.span * index);
    }
    assert_eq!(view.span, 8 << 10);
    // ISA SoftReset.md, RISCV_DEBUG_REG_DISABLE_RESET: T0, T1, T2, B, NC take every other bit.
    let keep = chip.reset.keep_private_memory.unwrap();
    assert_eq!(keep.register - chip.debug.base, 0x224);
    let [b, nc, t0, t1, t2] = keep.bits.map(u32::trailing_zeros);
    assert_eq!([t0, t1, t2, b, nc], [0, 2, 4, 6, 8]);
    // Simulator, the list of debug registers: `cg_kick` is the last.
    assert_eq!((chip.debug.base, chip.debug.last), (0xFFB1_2000, 0x248));
    // ISA BabyRISCV/README.md: from 0xFFB1_3138 to 0xFFB1_314B.
    // Metal tensix.h, RISCV_DEBUG_REG_DEST_CG_CTRL; cfg_defines.h, ECC_SCRUBBER, as a word.
    assert_eq!(chip.debug.dst_clock_gating, Some(576));
    let kept: Vec<u32> = chip.kept_configuration.iter().map(|at| (at - 0xFFEF_0000) / 4).collect();
    assert_eq!(kept, [3]);
    let snapshots = chip.debug.pc_snapshots.unwrap();
    assert_eq!(snapshots.map(|one| (one - 0xFFB1_3138) / 4), [0, 1, 2, 3, 4]);
    // UMD: SOFT_RESET_*.
    let shifts = chip.reset.bits.map(u32::trailing_zeros);
    assert_eq!(shifts, [11, 18, 12, 13, 14]);
    assert_eq!(chip.reset.soft_reset, TileAddress(0xFFB1_2000 | 0x1B0));
    // Simulator `riscv_debug_regs_wr32`.
    assert_eq!(chip.reset.default_pc, [0, 0x1_2000, 0x6000, 0xA000, 0xE000]);
    let overrides = chip
        .reset
        .overrides
        .map(|one| one.map(|one| (one.pc & 0xFFF, one.enable & 0xFFF, one.enable_bit)));
    assert_eq!(
        overrides,
        [
            None,
            Some((0x238, 0x23C, 1)),
            Some((0x228, 0x234, 1)),
            Some((0x22C, 0x234, 2)),
            Some((0x230, 0x234, 4)),
        ]
    );
    assert!(chip.reset.overrides_reachable);
    // Metal cfg_defines.h: RISCV_IC_INVALIDATE_InvalidateAll_ADDR32 and TENSIX_CFG_BASE.
    assert_eq!(chip.reset.invalidate_instruction_caches, 0xFFEF_0000 + 185 * 4);
}

/// Metal noc_parameters.h, in words from NOC_REGS_START_ADDR.
#[test]
fn noc_registers() {
    let noc = &table().noc;
    assert_eq!(noc.base, [0xFFB2_0000, 0xFFB2_0000 + (1 << 16)]);
    assert_eq!((noc.command_buffer_stride, noc.command_buffers), (1 << 11, 4));
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
        at.multicast_exclude.unwrap(),
        at.clear_outstanding.unwrap(),
        at.configuration,
    ]
    .map(|offset| offset / 4);
    let expected = [0, 2, 3, 5, 6, 7, 8, 10, 16, 17, 0x40 + 0x12, 0x80, 0x80 + 0x10, 11, 24, 0x40];
    assert_eq!(words, expected);
    // ISA NoC/README.md: 512 bits. NoC/MemoryMap.md: tables of 160 bits.
    assert_eq!(noc.flit_bytes * 8, 512);
    let tables = noc.translation.unwrap();
    assert_eq!((tables.columns, tables.rows), (0x100 + 4 * 6, 0x100 + 4 * 0xC));
    assert_eq!((32 * tables.entry_bits, tables.entries_per_register()), (160, 6));
    // NoC/Ordering.md lists no order of a write and an atomic, and Metal's kernels wait between them. ISA
    // NoC/README.md: 64-bit addresses. Metal noc_parameters.h: coordinates in a separate word.
    assert!(noc.atomics_overtake_writes);
    assert_eq!((noc.address_bits, noc.coordinate_shift), (64, 0));
    // Metal noc_nonblocking_api.h, noc_fast_spoof_write_dw_inline.
    assert!(!noc.inline_writes_to_l1);
}

/// UMD `blackhole_implementation.hpp`: `TLB_COUNT_*`, `TLB_BASE_*`, `TLB_CFG_REG_SIZE_BYTES`; the last
/// small window is the kernel driver's (`tenstorrent/tt-kmd`, `blackhole.c`, KERNEL_TLB_INDEX).
#[test]
fn windows_fill_the_bars_in_order() {
    let windows = table().windows;
    let groups: Vec<_> = windows
        .groups
        .iter()
        .map(|group| (group.count, 1u64 << group.size_bits, group.base.bar, group.reserved))
        .collect();
    assert_eq!(groups, [(202, 2 << 20, Bar::Bar0, 1), (8, 4 << 30, Bar::Bar4, 0)]);
    assert!(windows.groups.iter().all(|group| group.base.offset == 0));
    assert_eq!(windows.registers, BarOffset { bar: Bar::Bar0, offset: 0x1FC0_0000 });
    assert_eq!((windows.register_stride, table().window_noc_bits), (12, 2));
}

fn target(address: u64) -> WindowTarget {
    WindowTarget {
        end: NocCoordinate { x: 0x11, y: 0x16 },
        multicast_start: None,
        noc: Noc::Noc1,
        address: TileAddress(address),
        order: WindowOrder::Posted,
    }
}

fn bits(places: &[(u32, u64)]) -> Vec<u32> {
    let word = places.iter().fold(0u128, |word, &(at, value)| word | u128::from(value) << at);
    vec![word as u32, (word >> 32) as u32, (word >> 64) as u32]
}

/// UMD `TLB_2M_OFFSET` and `TLB_4G_OFFSET`: the first bit of each field in 96.
#[test]
fn windows_are_configured_in_three_words() {
    let windows = table().windows;
    let small = windows.encode(WindowId(0), &target(0x7654_3210_0020_0000), 2).unwrap();
    let address = 0x7654_3210_0020_0000 >> 21;
    assert_eq!(small, bits(&[(0, address), (43, 0x11), (49, 0x16), (67, 1), (70, 2)]));
    let large = windows.encode(WindowId(202), &target(0x1000_0000_0000_0000), 2).unwrap();
    assert_eq!(large, bits(&[(0, 0x1000_0000), (32, 0x11), (38, 0x16), (56, 1), (59, 2)]));
    let mut everyone = target(0);
    everyone.multicast_start = Some(NocCoordinate { x: 0x2A, y: 0x35 });
    let multicast = windows.encode(WindowId(201), &everyone, 2).unwrap();
    let fields = [(43, 0x11), (49, 0x16), (55, 0x2A), (61, 0x35), (67, 1), (69, 1), (70, 2)];
    assert_eq!(multicast, bits(&fields));
    for (window, target) in [(0, target(0xFFA0_0000)), (201, everyone), (209, target(7 << 32))] {
        let words = windows.encode(WindowId(window), &target, 2).unwrap();
        assert_eq!(windows.decode(WindowId(window), &words, 2), Some(target));
    }
    assert_eq!(
        windows.encode(WindowId(210), &target(0), 2),
        Err(WindowTargetError::NoSuchWindow(210))
    );
}

/// The registers of window 3 start after three times three words.
#[test]
fn the_third_word_has_a_register_of_its_own() {
    let mut windows = BarWindows::new(table());
    let taken: Vec<_> = (0..4).map(|_| windows.allocate(4).unwrap()).collect();
    let last = taken.last().copied().unwrap();
    let writes = windows.configure(last, &target(0xFFA0_0000)).unwrap();
    let offsets: Vec<u64> = writes.iter().map(|write| write.offset.offset).collect();
    assert_eq!(offsets, [0x1FC0_0024, 0x1FC0_0028, 0x1FC0_002C]);
    let access = windows.access(last, 0x11_21B0, 4).unwrap();
    assert_eq!(access.offset, BarOffset { bar: Bar::Bar0, offset: 3 * 0x20_0000 + 0x11_21B0 });
    assert!(access.registers);
    let large = windows.allocate(1 << 22).unwrap();
    assert_eq!((large, windows.size(large).unwrap()), (WindowId(202), 1 << 32));
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
    assert_eq!(words, [4, 8, 10, 270, 297]);
}

/// Simulator `a_tile_init`, `arc_reset_unit_rd32` and `arc_process_message_queue`; UMD `blackhole_implementation.hpp`.
#[test]
fn the_arc_tile_shows_what_drivers_look_for() {
    let arc = table().arc.unwrap();
    assert_eq!((arc.crossbar.0, arc.host_views.len()), (0, 0));
    assert_eq!((arc.memory, arc.memory_size), (0x1000_0000, 0x1007_FFFF - 0x1000_0000 + 1));
    // ARC_MSG_QCB_CSM_OFFSET; entries in byte 0, queues in byte 1.
    assert_eq!(arc.words, [(0x300, 0x1000_0400), (0x304, 0x408)]);
    let held = |address: u32| arc.registers.iter().find(|it| it.address == address).unwrap().value;
    let scratch_ram = |number: u32| 0x8003_0400 + 4 * number;
    for number in 0..16 {
        let expected = match number {
            2 => 5,
            11 => 0x1000_0300,
            12 => 0x1000_0200,
            13 => 0x1000_0100,
            _ => 0,
        };
        assert_eq!(held(scratch_ram(number)), expected, "{number}");
    }
    for number in 0..8 {
        assert_eq!(held(0x8003_0060 + 4 * number), 0);
    }
    // The two doorbells are counted besides those.
    assert_eq!(arc.registers.len(), 16 + 8 + 2);
    assert!(arc.registers.iter().all(|register| register.writable));
    assert_eq!((arc.telemetry.table, arc.telemetry.values), (0x100, 0x200));
    let tags: Vec<u16> = arc.telemetry.entries.iter().map(|(tag, _)| *tag).collect();
    let first = [1, 2, 3, 4, 11, 13, 14, 15, 16, 21, 22, 28, 32];
    assert_eq!(tags, [&first[..], &[34, 35, 38, 52, 61, 62]].concat());
    assert_eq!(arc.channel, ArcChannel::Queues { start: 0x400, count: 4, entries: 8 });
    let misc = ArcDoorbell { address: 0x8003_0000 + 0x100, bit: Some(0x1_0000) };
    assert_eq!(arc.doorbells, [misc, ArcDoorbell { address: 0x800B_0000, bit: None }]);
    // UMD: AICLK_IDLE_VAL.
    assert_eq!(arc.clock, 800);
    let codes: Vec<u8> = arc.messages.iter().map(|(code, _)| *code).collect();
    assert_eq!(
        codes,
        [0x11, 0x21, 0x52, 0x54, 0x56, 0x90, 0xA0, 0xA3, 0xB6, 0xB7, 0xBA, 0xBC, 0xC1, 0xC7]
    );
}

/// Simulator `bh_eth_link_init` and `e_tile_mmio_wr32`: POSTCODE_ETH_INIT_PASS, PORT_DOWN, 1.6.0.
#[test]
fn ethernet_tiles_show_links_that_are_down() {
    let firmware = table().ethernet_firmware.unwrap();
    assert_eq!(firmware.words, [(0x7CC00, 0xC0DE_A000), (0x7CC04, 2), (0x7CFBC, 0x1_06_00)]);
    let control = 0xFFB1_4000;
    let others = [0, 8, 0x20, 0x24, 0x28, 0x2C, 0x30].map(|offset| (control + offset, 0));
    assert_eq!(firmware.registers[0], (0xFFB1_21B0, 0x1800));
    assert_eq!(firmware.registers[1..], others);
    assert_eq!((firmware.go_message, firmware.start_signal), (0x590, 0x40));
}

/// Simulator `translate_pci_dma_addr` and PCIE_NIU_BASE; UMD NIU_CFG_NOC0_ARC_ADDR and NIU_CFG_NOC1_ARC_ADDR, less the
/// offset of `NIU_CFG_0`.
#[test]
fn the_pcie_tile_has_four_windows_that_are_not_translated() {
    let chip = table();
    let windows: Vec<u64> = chip.pcie_direct_windows.iter().map(|window| window.0 >> 58).collect();
    assert_eq!(windows, [0, 1, 2, 3]);
    let shown: Vec<_> = chip.tile_noc_interfaces.iter().map(|it| (it.start.0, it.noc)).collect();
    let arc = |noc: u64| 0x8005_0100 + noc * 0x8000 - 0x100;
    let pcie = 0u64.wrapping_sub(0x100_0000);
    assert_eq!(shown, [(pcie, Noc::Noc0), (arc(0), Noc::Noc0), (arc(1), Noc::Noc1)]);
}
