//! Who wrote a byte of L1 or DRAM last: the host, a core's own store, or a request that a core issued.

use hallmark_chip::*;

use crate::assembler::*;
use crate::support::*;

const OWN: NocCoordinate = NocCoordinate { x: 21, y: 19 };
const PEER: NocCoordinate = NocCoordinate { x: 25, y: 27 };
/// A port of the first DRAM controller, which has the same place on the die.
const DRAM: NocCoordinate = NocCoordinate { x: 0, y: 5 };
const DRAM_PLACE: PhysicalCoordinate = PhysicalCoordinate { x: 0, y: 5 };

fn asked(bench: &mut Bench, at: PhysicalCoordinate, address: u64) -> LastWriter {
    bench.device.last_writer(at, TileAddress(address)).unwrap()
}

/// BRISC of the tile whose program runs, at an instruction of it.
fn brisc(place: i32) -> LastWriter {
    LastWriter::Core(Position {
        tile: physical(OWN),
        processor: Processor::Brisc,
        pc: place as u32,
        symbol: None,
        frames: Vec::new(),
    })
}

/// The last instruction that a program has so far.
fn last(program: &Assembler) -> i32 {
    program.place() - 4
}

fn run(bench: &mut Bench, program: &Assembler) {
    bench.load(OWN, 0, &program.words);
    bench.release(OWN, BRISC);
    bench.settle().unwrap();
}

#[test]
fn the_host_has_written_what_it_wrote_and_nothing_beside_it() {
    for (at, place) in [(OWN, physical(OWN)), (DRAM, DRAM_PLACE)] {
        let mut bench = Bench::new();
        bench.write(at, 0x5000, &[1; 64]);
        for address in [0x500F, 0x5010, 0x5011, 0x5012] {
            let writer = asked(&mut bench, place, address);
            assert_eq!(writer, LastWriter::Nobody, "{address:#x}: what was before does not count");
        }
        bench.write(at, 0x5010, &[1; 2]);
        let written = [0x500F, 0x5010, 0x5011, 0x5012].map(|at| asked(&mut bench, place, at));
        let (host, nobody) = (LastWriter::Host, LastWriter::Nobody);
        assert_eq!(written, [nobody.clone(), host.clone(), host, nobody.clone()]);
        assert_eq!(asked(&mut bench, place, 0x5010), nobody, "what was asked about does not count");
    }
}

#[test]
fn a_store_is_the_cores_that_made_it_for_the_bytes_that_it_has() {
    let mut bench = Bench::new();
    bench.clear(OWN);
    let mut program = Assembler::new();
    program.poke(0x4000, 0);
    let word = last(&program);
    // The byte of a word that another store writes again.
    program.li(T0, 0x4002).emit(s(0, ZERO, T0, 0));
    let byte = last(&program);
    program.halt();
    for address in 0x4000..0x4005 {
        asked(&mut bench, physical(OWN), address);
    }
    run(&mut bench, &program);
    let written: Vec<LastWriter> =
        (0x4000..0x4005).map(|address| asked(&mut bench, physical(OWN), address)).collect();
    let expected = [brisc(word), brisc(word), brisc(byte), brisc(word), LastWriter::Nobody];
    assert_eq!(written, expected, "zeroes where zeroes were are writes, too");
}

/// Each kind of request, under schedules that tear writes as well.
#[test]
fn a_request_is_the_cores_that_issued_it() {
    for seed in 0..4 {
        let mut bench = Bench::seeded(seed);
        for at in [OWN, PEER] {
            bench.clear(at);
        }
        bench.write(DRAM, 0x1000, &[9; 64]);
        bench.write(DRAM, 0x6000, &[0; 64]);
        bench.write(OWN, 0x8000, &[7; 128]);
        let own = |address| end(21, 19, address);
        let peer = |address| end(25, 27, address);
        let dram = |address| end(0, 5, address);
        let mut program = Assembler::new();
        let mut places = Vec::new();
        program.request((0, 0), READ, dram(0x1000), own(0x3000), 64, 0);
        places.push((physical(OWN), 0x303F, last(&program)));
        program.request((0, 1), WRITE, own(0x8000), dram(0x6000), 64, 0);
        places.push((DRAM_PLACE, 0x6021, last(&program)));
        program.request((0, 2), WRITE, own(0x8040), peer(0x3000), 64, 0);
        places.push((physical(PEER), 0x3011, last(&program)));
        program.request((1, 0), INLINE_WRITE, peer(0x3108), own(0), 0xF << 8, 5);
        places.push((physical(PEER), 0x3109, last(&program)));
        program.request((1, 3), ATOMIC, peer(0x3200), own(0x3200), INCREMENT, 3);
        let atomic = last(&program);
        places.push((physical(PEER), 0x3203, atomic));
        places.push((physical(OWN), 0x3200, atomic));
        program
            .barrier(0, READ_RESPONSES, 1)
            .barrier(0, WRITE_ACKNOWLEDGEMENTS, 2)
            .barrier(1, WRITE_ACKNOWLEDGEMENTS, 1)
            .barrier(1, ATOMIC_RESPONSES, 1)
            .halt();
        for (tile, address, _) in &places {
            asked(&mut bench, *tile, *address);
        }
        run(&mut bench, &program);
        for (tile, address, place) in places {
            let writer = asked(&mut bench, tile, address);
            assert_eq!(writer, brisc(place), "{address:#x} of {tile}, schedule {seed}");
        }
    }
}

#[test]
fn of_two_writers_the_later_one_counts() {
    let mut bench = Bench::new();
    bench.clear(OWN);
    asked(&mut bench, physical(OWN), 0x4001);
    let mut program = Assembler::new();
    program.poke(0x4000, 5).halt();
    run(&mut bench, &program);
    bench.write_word(OWN, 0x4000, 5);
    assert_eq!(asked(&mut bench, physical(OWN), 0x4001), LastWriter::Host);
}

#[test]
fn what_is_no_memory_has_no_writers() {
    let mut bench = Bench::new();
    let description = ChipDescription::of(Architecture::WormholeB0);
    for (tile, address) in [
        (physical(OWN), 0xFFB1_21B0),
        (description.arc_tile, 0x1000),
        (PhysicalCoordinate { x: 200, y: 200 }, 0),
    ] {
        assert_eq!(bench.device.last_writer(tile, TileAddress(address)), None, "{tile}");
    }
}
