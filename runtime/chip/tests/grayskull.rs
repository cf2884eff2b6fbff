//! Compares the Grayskull table with a second transcription, made from the sources cited at each fact and
//! written in another form than the table.
//!
//! UMD: `tenstorrent/tt-umd`, `grayskull_implementation.h`. Metal: `tenstorrent/tt-metal` v0.55. ISA:
//! `tenstorrent/tt-isa-documentation`, folder `WormholeB0`, where the chips are alike.

use hallmark_chip::*;

fn table() -> &'static ChipDescription {
    ChipDescription::of(Architecture::Grayskull)
}

/// Metal `grayskull_120_arch.yaml`, drawn row by row: T Tensix, D DRAM, P PCIe, A ARC, dots routers
/// without a tile.
const GRID: [&str; 12] = [
    ".D..D..D..D..",
    ".TTTTTTTTTTTT",
    "ATTTTTTTTTTTT",
    ".TTTTTTTTTTTT",
    "PTTTTTTTTTTTT",
    ".TTTTTTTTTTTT",
    ".D..D..D..D..",
    ".TTTTTTTTTTTT",
    ".TTTTTTTTTTTT",
    ".TTTTTTTTTTTT",
    ".TTTTTTTTTTTT",
    ".TTTTTTTTTTTT",
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

#[test]
fn tiles_stand_where_they_are_drawn() {
    let chip = table();
    assert_eq!(chip.noc_grid, (13, 12));
    let tensix: Vec<_> = chip
        .tensix_rows
        .iter()
        .flat_map(|&y| chip.tensix_columns.iter().map(move |&x| PhysicalCoordinate { x, y }))
        .collect();
    // UMD: NUM_TENSIXES in noc_parameters.h.
    assert_eq!(tensix.len(), 120);
    assert_eq!(tensix, drawn('T'));
    assert_eq!(vec![chip.arc_tile], drawn('A'));
    assert_eq!(chip.arc_report, None);
    assert_eq!(vec![chip.pcie_place], drawn('P'));
    assert_eq!((chip.pcie_tile.x, chip.pcie_tile.y), (0, 4));
    assert!(chip.ethernet_tiles.is_empty() && chip.ethernet_l1_size == 0);
    let mut dram: Vec<_> = chip.dram_tiles.iter().flat_map(|tile| tile.ports).copied().collect();
    dram.sort_by_key(|place| (place.y, place.x));
    assert_eq!(dram, drawn('D'));
}

/// UMD: DRAM_CORES, columns 1, 4, 7 and 10, in each the upper one first.
#[test]
fn dram_banks_are_controllers() {
    let chip = table();
    assert_eq!((chip.dram_banks.len(), chip.dram_tiles.len()), (8, 8));
    for ((index, bank), tile) in (0u8..).zip(chip.dram_banks).zip(chip.dram_tiles) {
        let place = PhysicalCoordinate { x: 1 + index / 2 * 3, y: index % 2 * 6 };
        assert_eq!((bank.place, tile.ports), (place, [place].as_slice()));
        assert_eq!((bank.tile.x, bank.tile.y, bank.offset), (place.x, place.y, 0));
        // Metal `grayskull_120_arch.yaml`: dram_bank_size.
        assert_eq!((tile.size, chip.dram_bank_size), (1_073_741_824, 1_073_741_824));
    }
}

/// Metal `NOC_0_X`: raw coordinates, which NoC 1 counts from the opposite corner.
#[test]
fn nothing_is_translated() {
    let chip = table();
    assert!(chip.translated_columns.is_empty() && chip.translated_rows.is_empty());
    let core = LogicalCore { x: 11, y: 5 };
    let named = chip.noc_coordinate(core).unwrap();
    assert_eq!((named.x, named.y), (12, 7));
    let mirrored = chip.on_noc(Noc::Noc1, named);
    assert_eq!((mirrored.x, mirrored.y), (0, 4));
    assert_eq!(chip.on_noc(Noc::Noc0, named), named);
    assert_eq!(chip.logical(chip.physical(core).unwrap()), Some(core));
    assert_eq!(chip.tensix_grid(), (12, 10));
    // Metal core_descriptors/grayskull_120_arch.yaml: the last row is reserved for dispatch.
    assert_eq!(chip.compute_grid(), (12, 9));
}

#[test]
fn sizes_and_registers() {
    let chip = table();
    assert_eq!(chip.pci_id, 0xFACA << 16 | 0x1E52);
    assert_eq!(chip.pcie_host_base, TileAddress(0));
    assert_eq!(chip.pcie_host_size, u64::from(u32::MAX) + 1);
    // ISA PCIExpressTile/README.md: as on Wormhole.
    assert_eq!(chip.bar_sizes, [0x2000_0000, 0x10_0000, 0x200_0000]);
    assert!(chip.bar4_shows_bar0);
    // No source documents them.
    assert!(chip.host_noc_interfaces.is_empty() && chip.address_translation.is_none());
    // Metal dev_mem_map.h and noc_parameters.h.
    assert_eq!(chip.l1_size, 1_048_576);
    assert_eq!((chip.l1_alignment, chip.dram_alignment, chip.noc_max_burst), (16, 32, 256 * 32));
    // Metal `l1_banking_allocator.cpp`.
    assert_eq!(chip.l1_bank_order, L1BankOrder::RowByRow);
    assert_eq!((chip.circular_buffers, chip.data_cache), (32, None));
    assert_eq!(chip.private_memory.base, 0xFFB0_0000);
    assert_eq!(chip.private_memory.size, [0x1000, 0x1000, 0x800, 0x800, 0x800]);
    assert_eq!(chip.private_memory.ncrisc_instruction_ram, Some((0xFFC0_0000, 0x4000)));
    assert_eq!(chip.private_memory.shared_view, None);
    // ISA TensixTile/BabyRISCV/README.md, "Instruction set": RV32IM, as on Wormhole.
    assert_eq!(chip.instruction_set, InstructionSet::NO_EXTENSIONS);
    assert_eq!((chip.reset.keep_private_memory, chip.debug.pc_snapshots), (None, None));
    assert_eq!((chip.debug.dst_clock_gating, chip.kept_configuration), (None, &[][..]));
    assert_eq!((chip.debug.base, chip.debug.last / 4), (0xFFB1_2000, 135));
    // UMD: TENSIX_SOFT_RESET_ADDR. Metal tensix.h: RISCV_SOFT_RESET_0_*.
    assert_eq!(chip.reset.soft_reset, TileAddress(0xFFB1_21B0));
    let triscs = chip.reset.bits.iter().skip(2).fold(0, |all, bit| all | bit);
    assert_eq!((chip.reset.bits.first(), triscs), (Some(&0x800), 0x7000));
    assert_eq!(chip.reset.bits.get(1), Some(&0x4_0000));
    // Metal cfg_defines.h: *_ADDR32, in words of the configuration.
    let word = |address: u32| (address - 0xFFEF_0000) / 4;
    let overrides = chip
        .reset
        .overrides
        .map(|one| one.map(|one| (word(one.pc), word(one.enable), one.enable_bit)));
    let expected =
        [None, Some((182, 183, 1)), Some((178, 181, 1)), Some((179, 181, 2)), Some((180, 181, 4))];
    assert_eq!(overrides, expected);
    assert!(!chip.reset.overrides_reachable);
    assert_eq!(word(chip.reset.invalidate_instruction_caches), 177);
}

/// UMD noc_parameters.h, in words from NOC_REGS_START_ADDR; 32 address bits, then x and y.
#[test]
fn noc_registers() {
    let noc = &table().noc;
    assert_eq!(noc.base, [0xFFB2_0000, 0xFFB2_0000 + (1 << 16)]);
    assert_eq!((noc.command_buffer_stride, noc.command_buffers), (1 << 10, 4));
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
        at.counters,
    ]
    .map(|offset| offset / 4);
    assert_eq!(words, [0, 1, 3, 4, 6, 7, 8, 9, 10, 11, 0x80]);
    assert_eq!((at.logical_id, at.outstanding_by_transaction), (None, None));
    assert_eq!((at.multicast_exclude, at.clear_outstanding, at.configuration), (None, None, 256));
    // UMD: NOC_WORD_BYTES.
    assert_eq!((noc.flit_bytes, noc.translation), (32, None));
    assert!(!noc.atomics_overtake_writes);
    assert_eq!((noc.address_bits, noc.coordinate_shift), (32, 0));
}

/// UMD `TLB_COUNT_*`, `TLB_BASE_*`, and `TLB_1M_OFFSET`, `TLB_2M_OFFSET`, `TLB_16M_OFFSET`: the first
/// bit of each field.
#[test]
fn windows_have_shorter_addresses_than_wormholes() {
    let windows = table().windows;
    let mebibyte = 1u64 << 20;
    let groups: Vec<_> = windows
        .groups
        .iter()
        .map(|group| (group.count, 1u64 << group.size_bits, group.base.offset, group.reserved))
        .collect();
    assert_eq!(
        groups,
        [
            (156, mebibyte, 0, 0),
            (10, 2 * mebibyte, 156 * mebibyte, 0),
            (20, 16 * mebibyte, 156 * mebibyte + 20 * mebibyte, 1),
        ]
    );
    assert_eq!(windows.registers, BarOffset { bar: Bar::Bar0, offset: 0x1FC0_0000 });
    assert_eq!((windows.register_stride, table().window_noc_bits), (8, 1));
    let target = WindowTarget {
        end: NocCoordinate { x: 12, y: 7 },
        multicast_start: Some(NocCoordinate { x: 3, y: 5 }),
        noc: Noc::Noc1,
        address: TileAddress(0xFF00_0000),
        order: WindowOrder::Strict,
    };
    for (window, size_bits, n) in [(0, 20, 12), (156, 21, 11), (185, 24, 8)] {
        let words = windows.encode(WindowId(window), &target, 1).unwrap();
        let fields = [(0, 0xFF00_0000 >> size_bits), (n, 12), (n + 6, 7), (n + 12, 3)];
        let flags = [(n + 18, 5), (n + 24, 1), (n + 25, 1), (n + 26, 1)];
        let word = fields.iter().chain(&flags).fold(0u64, |word, &(at, value)| word | value << at);
        assert_eq!(words, [word as u32, (word >> 32) as u32], "window {window}");
        assert_eq!(windows.decode(WindowId(window), &words, 1), Some(target));
    }
    let far = WindowTarget { address: TileAddress(1 << 32), ..target };
    assert_eq!(
        windows.encode(WindowId(0), &far, 1),
        Err(WindowTargetError::AddressTooLarge { address: far.address })
    );
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
    assert_eq!(words, [0, 3, 4, 33, 64]);
}
