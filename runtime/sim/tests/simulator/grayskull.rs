//! What is Grayskull's own: raw coordinates, addresses of 32 bits, windows with narrower fields, and its
//! words of the Tensix configuration. The numbers are those of tt-metal v0.55 and tt-umd, not the table's.

use hallmark_chip::FaultCategory::*;
use hallmark_chip::*;
use hallmark_sim::{Chip, SimulatorOptions};

use crate::assembler::*;
use crate::support::*;

fn bench() -> Bench {
    Bench::of(Architecture::Grayskull, 0)
}

/// Issues a request: an address fills its register, and the coordinates the next one.
fn request(
    program: &mut Assembler,
    (noc, buffer): (u32, u32),
    control: u32,
    target: End,
    result: End,
    length: u32,
    data: u32,
) {
    let base = 0xFFB2_0000 + noc * 0x1_0000 + buffer * 0x400;
    for (offset, value) in [
        (0x00, target.address as u32),
        (0x04, target.coordinates),
        (0x0C, result.address as u32),
        (0x10, result.coordinates),
        (0x1C, control),
        (0x20, length),
        (0x24, data),
        (0x28, 1),
    ] {
        program.poke(base + offset, value);
    }
}

fn pattern(length: usize, salt: u8) -> Vec<u8> {
    (0..length).map(|byte| (byte as u8).wrapping_mul(11) ^ salt).collect()
}

#[test]
fn the_chip_is_recognised_and_has_its_sizes() {
    let mut bench = bench();
    assert_eq!(bench.device.config_read(ConfigOffset(0)).unwrap(), 0xFACA_1E52);
    // L1 ends at 1 MiB and a DRAM controller at 1 GiB.
    bench.write(tile(12, 11), 0xF_FFFC, &[1; 4]);
    assert_eq!(bench.read(tile(12, 11), 0xF_FFFC, 4), [1; 4]);
    let past = bench.try_read(tile(12, 11), 0x10_0000, 4).unwrap_err();
    assert!(matches!(past, DeviceError::Fault(_)), "{past}");
    let mut bench = self::bench();
    bench.write(tile(10, 6), 0x3FFF_FFFC, &[2; 4]);
    let past = bench.try_read(tile(10, 6), 0x4000_0000, 4).unwrap_err();
    assert!(matches!(past, DeviceError::Fault(_)), "{past}");
}

#[test]
fn every_controller_has_memory_of_its_own() {
    let mut bench = bench();
    let controllers = [(1, 0), (1, 6), (4, 0), (4, 6), (7, 0), (7, 6), (10, 0), (10, 6)];
    for (number, &(x, y)) in controllers.iter().enumerate() {
        bench.write_word(tile(x, y), 0x1000, number as u32);
    }
    for (number, &(x, y)) in controllers.iter().enumerate() {
        assert_eq!(bench.word(tile(x, y), 0x1000), number as u32);
    }
    for empty in [tile(0, 0), tile(2, 0), tile(12, 6), tile(13, 1), tile(1, 12), tile(18, 18)] {
        let fault = self::bench().try_read(empty, 0, 4).unwrap_err();
        assert!(matches!(fault, DeviceError::Fault(_)), "{empty}: {fault}");
    }
}

/// Neither translation nor transaction identifiers: those registers are not there.
#[test]
fn interfaces_name_their_tile_in_their_own_counting() {
    let at = tile(12, 1);
    let mut bench = bench();
    assert_eq!(bench.word(at, 0xFFB2_002C) & 0xFFF, 12 | 1 << 6);
    assert_eq!(bench.word(at, 0xFFB3_002C) & 0xFFF, 10 << 6);
    assert_eq!(bench.word(at, 0xFFB2_0100) >> 14 & 1, 0);
    for register in [0x50, 0x118, 0x128, 0x138, 0x240, 0x280] {
        let error = self::bench().try_read(at, 0xFFB2_0000 + register, 4).unwrap_err();
        let DeviceError::Fault(fault) = error else { panic!("{error}") };
        assert_eq!(fault.category, UnimplementedFunctionality, "{register:#x}");
    }
    let mut program = Assembler::new();
    program.poke(0xFFB2_0018, 5 << 10).halt();
    bench.load(at, 0, &program.words);
    bench.release(at, BRISC);
    assert_eq!(bench.fault().category, UnimplementedFunctionality);
}

#[test]
fn every_coordinate_is_mirrored_on_noc_1() {
    for seed in [0, 1, 7] {
        for noc in 0..2 {
            let mut bench = Bench::of(Architecture::Grayskull, seed);
            // On NoC 1 a column is 12 less it and a row 11 less it.
            let turn = |x: u8, y: u8| if noc == 0 { (x, y) } else { (12 - x, 11 - y) };
            let named = |(x, y): (u8, u8), address| {
                let (x, y) = turn(x, y);
                end(x, y, address)
            };
            let (own, peer, dram) = ((3, 2), (12, 11), (7, 6));
            let data = pattern(4096, noc as u8);
            bench.write(tile(dram.0, dram.1), 0x3FFF_0020, &data);
            let mut program = Assembler::new();
            let unit = |buffer| (noc, buffer);
            let from = named(dram, 0x3FFF_0020);
            request(&mut program, unit(1), READ, from, named(own, 0x8020), 4096, 0);
            program.barrier(noc, READ_RESPONSES, 1);
            let (here, there) = (named(own, 0x8020), named(peer, 0xF_0000));
            request(&mut program, unit(0), WRITE, here, there, 4096, 0);
            request(&mut program, unit(2), WRITE, here, named(dram, 0x6000), 96, 0);
            program.barrier(noc, WRITE_ACKNOWLEDGEMENTS, 2);
            let old = named(own, 0x3010);
            request(&mut program, unit(3), ATOMIC, named(peer, 0x100), old, INCREMENT, 3);
            program.barrier(noc, ATOMIC_RESPONSES, 1).poke(0x3000, 1).halt();
            bench.write_word(tile(peer.0, peer.1), 0x100, 40);
            bench.load(tile(own.0, own.1), 0, &program.words);
            bench.release(tile(own.0, own.1), BRISC);
            bench.settle().unwrap();
            assert_eq!(bench.word(tile(3, 2), 0x3000), 1);
            assert_eq!(bench.word(tile(3, 2), 0x3010), 40);
            assert_eq!(bench.word(tile(12, 11), 0x100), 43);
            assert_eq!(bench.read(tile(12, 11), 0xF_0000, 4096), data);
            assert_eq!(bench.read(tile(7, 6), 0x6000, 96), data[..96]);
        }
    }
}

/// A request whose own end is not mirrored names another tile.
#[test]
fn coordinates_of_the_other_network_are_noticed() {
    let mut program = Assembler::new();
    request(&mut program, (1, 0), WRITE, end(3, 2, 0x8000), end(0, 0, 0x8000), 32, 0);
    program.halt();
    let mut bench = bench();
    bench.load(tile(3, 2), 0, &program.words);
    bench.release(tile(3, 2), BRISC);
    let fault = bench.fault();
    assert_eq!(fault.category, UnimplementedFunctionality);
    assert!(fault.reason.contains("(9,9)"), "{fault}");
}

#[test]
fn multicasts_start_at_the_corner_that_a_network_reaches_first() {
    for noc in 0..2 {
        let mut bench = bench();
        // Across the row of DRAM tiles, from (2,4) to (5,8); on NoC 1 that is (7,3) to (10,7).
        let to = match noc {
            0 => rectangle((2, 4), (5, 8), 0x4000),
            _ => rectangle((7, 3), (10, 7), 0x4000),
        };
        let (x, y) = if noc == 0 { (4, 5) } else { (8, 6) };
        let data = pattern(64, 9);
        bench.write(tile(4, 5), 0x8000, &data);
        let mut program = Assembler::new();
        request(&mut program, (noc, 0), MULTICAST, end(x, y, 0x8000), to, 64, 0);
        program.barrier(noc, WRITE_ACKNOWLEDGEMENTS, 15).poke(0x3000, 1).halt();
        bench.load(tile(4, 5), 0, &program.words);
        bench.release(tile(4, 5), BRISC);
        bench.settle().unwrap();
        assert_eq!(bench.word(tile(4, 5), 0x3000), 1, "noc {noc}");
        for x in 1..13 {
            for y in (1..12).filter(|&y| y != 6) {
                let reached = (2..=5).contains(&x) && (4..=8).contains(&y) && (x, y) != (4, 5);
                let expected = if reached { data.clone() } else { vec![0; 64] };
                assert_eq!(bench.read(tile(x, y), 0x4000, 64), expected, "noc {noc} ({x},{y})");
            }
        }
    }
}

/// The other corner first would go around the edge of the network.
#[test]
fn a_multicast_from_the_wrong_corner_is_refused() {
    for (noc, own, start, stop) in [(0, (4, 5), (5, 8), (2, 4)), (1, (8, 6), (10, 7), (7, 3))] {
        let mut program = Assembler::new();
        let from = end(own.0, own.1, 0x8000);
        request(&mut program, (noc, 0), MULTICAST, from, rectangle(start, stop, 0x4000), 64, 0);
        program.halt();
        let mut bench = bench();
        bench.load(tile(4, 5), 0, &program.words);
        bench.release(tile(4, 5), BRISC);
        let fault = bench.fault();
        assert_eq!(fault.category, UnimplementedFunctionality);
        assert!(fault.reason.contains("wraps around"), "{fault}");
    }
}

#[test]
fn cores_start_where_its_own_configuration_words_say() {
    let mut bench = bench();
    let at = tile(9, 10);
    let mut resident = Assembler::new();
    resident.poke(0x3000, 42).halt();
    bench.load(at, 0x2_0000, &resident.words);
    let mut moved = Assembler::new();
    moved.poke(0x3004, 43).halt();
    bench.load(at, 0x2_1000, &moved.words);
    let mut boot = Assembler::new();
    boot.poke(0xFFB1_1000, 0x2_0000 >> 4)
        .poke(0xFFB1_1004, 0x4000)
        .poke(0xFFB1_1008, 64 >> 4)
        .poke(0xFFB1_100C, 1)
        .poke(0xFFB1_1010, 0x40)
        .poke(0xFFEF_0000 + 179 * 4, 0x2_1000)
        .poke(0xFFEF_0000 + 181 * 4, 0b010)
        .poke(0xFFEF_0000 + 182 * 4, 0xFFC0_0000)
        .poke(0xFFEF_0000 + 183 * 4, 1)
        .poke(0xFFEF_0000 + 177 * 4, 31)
        .poke(0xFFB1_21B0, ALL_CORES & !BRISC & !NCRISC & !TRISC1)
        .halt();
    bench.load(at, 0, &boot.words);
    bench.release(at, BRISC);
    bench.settle().unwrap();
    assert_eq!((bench.word(at, 0x3000), bench.word(at, 0x3004)), (42, 43));
    // Wormhole's words are somebody else's here.
    for word in [157, 158, 161, 163] {
        let mut bench = self::bench();
        let mut program = Assembler::new();
        program.poke(0xFFEF_0000 + word * 4, 1).halt();
        bench.load(at, 0, &program.words);
        bench.release(at, BRISC);
        assert_eq!(bench.fault().category, UnimplementedFunctionality, "{word}");
    }
}

#[test]
fn host_memory_lies_at_the_pcie_tile_from_address_0() {
    for noc in 0..2 {
        let mut bench = bench();
        let own = tile(1, 1);
        let (x, y, pcie) = if noc == 0 { (1, 1, (0, 4)) } else { (11, 10, (12, 7)) };
        let memory = bench.device.pin_host_memory(4096).unwrap();
        assert!(memory.noc_address.0 + memory.size <= 1 << 32);
        bench.device.pinned_write(memory.id, 64, &pattern(128, 3)).unwrap();
        let host = |offset| end(pcie.0, pcie.1, memory.noc_address.0 + offset);
        let mut program = Assembler::new();
        request(&mut program, (noc, 0), READ, host(64), end(x, y, 0x8000), 128, 0);
        program.barrier(noc, READ_RESPONSES, 1);
        request(&mut program, (noc, 0), WRITE, end(x, y, 0x8000), host(1024), 128, 0);
        program.barrier(noc, WRITE_ACKNOWLEDGEMENTS, 1).halt();
        bench.load(own, 0, &program.words);
        bench.release(own, BRISC);
        bench.settle().unwrap();
        let mut back = vec![0; 128];
        bench.device.pinned_read(memory.id, 1024, &mut back).unwrap();
        assert_eq!(back, pattern(128, 3));
    }
}

/// Windows of 1, 2 and 16 MiB: their coordinates start at bits 12, 11 and 8 (tt-umd
/// `grayskull_implementation.h`), where Wormhole has 16, 15 and 12.
#[test]
fn window_fields_start_where_an_address_of_32_bits_ends() {
    let mut chip = Chip::new(Architecture::Grayskull, &SimulatorOptions::default()).unwrap();
    let bar0 = |offset| BarOffset { bar: Bar::Bar0, offset };
    let configure = |chip: &mut Chip, window: u64, value: u64| {
        chip.bar_write(bar0(0x1FC0_0000 + 8 * window), &value.to_le_bytes()).unwrap();
    };
    let at = |x: u64, y: u64, n: u32| x << n | y << (n + 6);
    let windows =
        [(0, 20, 12, 0), (156, 21, 11, 156 << 20), (166, 24, 8, (156 << 20) + (20 << 20))];
    for (window, size_bits, n, base) in windows {
        // DRAM (4,6) at 0x3A00_0000, through NoC 0 and, mirrored, through NoC 1.
        configure(&mut chip, window, 0x3A00_0000 >> size_bits | at(4, 6, n));
        chip.bar_write(bar0(base + 0x40), &[window as u8; 8]).unwrap();
        configure(&mut chip, window, 0x3A00_0000 >> size_bits | at(8, 5, n) | 1 << (n + 24));
        let mut bytes = [0; 8];
        chip.bar_read(bar0(base + 0x40), &mut bytes).unwrap();
        assert_eq!(bytes, [window as u8; 8]);
        // The highest addresses are registers: NODE_ID of (12,7).
        let page = 0xFFB2_002C_u64 >> size_bits;
        configure(&mut chip, window, page | at(12, 7, n) | 1 << (n + 26));
        let inside = 0xFFB2_002C & ((1 << size_bits) - 1);
        let mut word = [0; 4];
        chip.bar_read(bar0(base + inside), &mut word).unwrap();
        assert_eq!(u32::from_le_bytes(word) & 0xFFF, 12 | 7 << 6);
        // A rectangle of four tiles, start above end.
        configure(&mut chip, window, at(2, 2, n) | at(1, 1, n + 12) | 1 << (n + 25));
        chip.bar_write(bar0(base + 0x100), &[5; 4]).unwrap();
        for (x, y, expected) in [(1, 1, 5), (2, 1, 5), (1, 2, 5), (2, 2, 5), (3, 2, 0)] {
            configure(&mut chip, window, at(x, y, n));
            chip.bar_read(bar0(base + 0x100), &mut word).unwrap();
            assert_eq!(word, [expected; 4], "({x},{y})");
            chip.bar_write(bar0(base + 0x100), &[0; 4]).unwrap();
        }
    }
}
