//! Chips with rows or columns of Tensix tiles fused off: the registers as their firmware sets them up,
//! and what comes of requests to such tiles.

use hallmark_chip::FaultCategory::*;
use hallmark_chip::*;

use crate::assembler::*;
use crate::support::*;

/// ISA `WormholeB0/NoC/Coordinates.md` supposes that y 7 and y 10 are harvested.
const WORMHOLE: u32 = 1 << 5 | 1 << 8;
/// x 1 and x 10.
const BLACKHOLE: u32 = 1 << 0 | 1 << 7;

fn wormhole() -> Bench {
    Bench::harvested(Architecture::WormholeB0, WORMHOLE)
}

/// Two columns of the documentation's table, four bits an entry.
#[test]
fn wormhole_tables_are_those_of_the_documentation() {
    let mut bench = wormhole();
    let rows: [(u64, [u32; 12]); 2] = [
        (0xFFB2_0128, [0, 6, 1, 2, 3, 4, 5, 8, 9, 11, 7, 10]),
        (0xFFB3_0128, [11, 5, 10, 9, 8, 7, 6, 3, 2, 0, 4, 1]),
    ];
    for (base, expected) in rows {
        let words: Vec<u32> =
            (0..4).map(|word| bench.word(tile(18, 18), base + 4 * word)).collect();
        let entry = |number: usize| words[number / 8] >> (number % 8 * 4) & 15;
        for (number, expected) in (16..28).zip(expected) {
            assert_eq!(entry(number), expected, "{base:#x} {number}");
        }
        // Raw numbers stand for themselves.
        assert!((0..16).all(|number| entry(number) == number as u32));
    }
    // NOC_NODE_ID and NOC_ID_LOGICAL of the last tile: x 9, y 11.
    let last = tile(25, 25);
    assert_eq!(bench.word(last, 0xFFB2_002C) & 0xFFF, 9 | 11 << 6);
    assert_eq!(bench.word(last, 0xFFB2_0138), 25 | 25 << 6);
    // The same tile by its raw number.
    bench.write(last, 0x4000, &[5; 16]);
    assert_eq!(bench.read(tile(9, 11), 0x4000, 16), [5; 16]);
}

/// NoC/MemoryMap.md, `ROUTER_CFG_1` and `_3`: only Tensix tiles that are there take part in multicasts;
/// a tile counts by its number on the network itself.
#[test]
fn routers_leave_harvested_tiles_out() {
    let mut bench = wormhole();
    let at = tile(18, 18);
    assert_eq!(bench.word(at, 0xFFB2_0108), 1 << 0 | 1 << 5);
    assert_eq!(bench.word(at, 0xFFB2_0110), 1 << 0 | 1 << 6 | 1 << 7 | 1 << 10);
    assert_eq!(bench.word(at, 0xFFB3_0108), 1 << 9 | 1 << 4);
    assert_eq!(bench.word(at, 0xFFB3_0110), 1 << 11 | 1 << 5 | 1 << 4 | 1 << 1);
    // noc_init.c, ProgramBroadcastExclusion.
    let mut bench = Bench::harvested(Architecture::Blackhole, BLACKHOLE);
    let at = tile(1, 2);
    let columns = 1 << 0 | 1 << 8 | 1 << 9 | 1 << 1 | 1 << 10;
    assert_eq!(bench.word(at, 0xFFB2_0108), columns);
    assert_eq!(bench.word(at, 0xFFB3_0108), 1 << 16 | 1 << 8 | 1 << 7 | 1 << 15 | 1 << 6);
    assert_eq!(bench.word(at, 0xFFB3_0110), 1 << 11 | 1 << 10);
}

#[test]
fn blackhole_columns_are_translated_in_tensix_rows_alone() {
    let mut bench = Bench::harvested(Architecture::Blackhole, BLACKHOLE);
    // What is left comes first: 2 to 7, then 11 to 16; then 10 and, as the very last, 1.
    let x = [2, 3, 4, 5, 6, 7, 11, 12, 13, 14, 15, 16, 10, 1];
    let names = (1..8).chain(10..17);
    for (name, x) in names.zip(x) {
        let (register, place) = (name / 6, name % 6);
        let word = bench.word(tile(1, 2), 0xFFB2_0118 + 4 * register);
        assert_eq!(word >> (5 * place) & 31, x, "{name}");
    }
    assert_eq!(bench.word(tile(1, 2), 0xFFB2_0044) & 0xFFF, 2 | 2 << 6);
    assert_eq!(bench.word(tile(1, 2), 0xFFB2_0148), 1 | 2 << 6);
    // The row of Ethernet tiles is not: (1,1) is the first channel's own place, which (20,25) names too.
    bench.write(tile(1, 1), 0x4000, &[7; 16]);
    assert_eq!(bench.read(tile(20, 25), 0x4000, 16), [7; 16]);
}

/// Raw numbers reach a tile that is off, and so do the last translated ones; nothing answers there.
#[test]
fn the_host_reaches_no_harvested_tile() {
    for (architecture, mask, named) in [
        (Architecture::WormholeB0, WORMHOLE, (1, 7)),
        (Architecture::WormholeB0, WORMHOLE, (18, 26)),
        (Architecture::WormholeB0, WORMHOLE, (25, 27)),
        (Architecture::Blackhole, BLACKHOLE, (16, 2)),
        (Architecture::Blackhole, BLACKHOLE, (20, 5)),
        (Architecture::Grayskull, 1, (3, 1)),
    ] {
        for write in [false, true] {
            let mut bench = Bench::harvested(architecture, mask);
            let at = tile(named.0, named.1);
            let result = if write {
                bench.try_write(at, 0x4000, &[0; 4])
            } else {
                bench.try_read(at, 0x4000, 4).map(|_| ())
            };
            let Err(DeviceError::Fault(fault)) = result else { panic!("{named:?} answered") };
            assert_eq!(fault.category, UndefinedBehavior);
            assert!(fault.reason.contains("is harvested"), "{fault}");
        }
    }
}

#[test]
fn a_core_that_asks_a_harvested_tile_is_stopped() {
    let mut bench = wormhole();
    let mut program = Assembler::new();
    program.request((0, 0), READ, end(1, 7, 0x4000), end(18, 18, 0x5000), 16, 0).halt();
    bench.load(tile(18, 18), 0, &program.words);
    bench.release(tile(18, 18), BRISC);
    let fault = bench.fault();
    assert_eq!(fault.category, UndefinedBehavior);
    assert!(fault.reason.contains("tile (1,7) is harvested"), "{fault}");
    assert_eq!(fault.place.unwrap().processor, Some(Processor::Brisc));
}

/// The rectangle of translated rows 22 to 24 spans y 5 to 9, with Ethernet tiles on y 6 and harvested ones
/// on y 7: three rows receive it and acknowledge it.
#[test]
fn multicasts_pass_over_harvested_rows() {
    for noc in 0..2 {
        let mut bench = wormhole();
        let (low, high) = ((18, 22), (21, 24));
        let to = if noc == 0 { rectangle(low, high, 0x4000) } else { rectangle(high, low, 0x4000) };
        let own = tile(18, 18);
        bench.write(own, 0x8000, &[9; 64]);
        let mut program = Assembler::new();
        program
            .request((noc, 0), MULTICAST, end(18, 18, 0x8000), to, 64, 0)
            .barrier(noc, WRITE_ACKNOWLEDGEMENTS, 4 * 3)
            .poke(0x3000, 1)
            .halt();
        bench.load(own, 0, &program.words);
        bench.release(own, BRISC);
        bench.settle().unwrap();
        assert_eq!(bench.word(own, 0x3000), 1, "noc {noc}");
        for x in 18..26 {
            for y in 18..26 {
                let inside = (18..=21).contains(&x) && (22..=24).contains(&y);
                let expected = if inside { [9; 64] } else { [0; 64] };
                assert_eq!(bench.read(tile(x, y), 0x4000, 64), expected, "({x},{y})");
            }
        }
    }
}

#[test]
fn a_device_says_what_is_fused_off() {
    let mut bench = wormhole();
    assert_eq!(bench.device.harvesting().unwrap(), HarvestingMask(WORMHOLE));
    assert_eq!(bench.device.name(), "sim:wormhole_b0:harvested=0x120");
    assert_eq!(Bench::new().device.harvesting().unwrap(), HarvestingMask::NONE);
}
