//! What nobody wrote may be carried anywhere and may decide nothing.

use hallmark_chip::FaultCategory::UnpredictableValueUsed;
use hallmark_chip::*;

use crate::assembler::*;
use crate::support::*;

const OWN: (u8, u8) = (18, 18);
/// Nobody writes there but a test that says so.
const NOTHING: u32 = 0x8000;

fn own() -> NocCoordinate {
    tile(OWN.0, OWN.1)
}

fn load(rd: u32, rs1: u32, funct3: u32, offset: i32) -> u32 {
    i(0x03, offset, rs1, funct3, rd)
}

fn store(rs2: u32, rs1: u32, funct3: u32, offset: i32) -> u32 {
    s(offset, rs2, rs1, funct3)
}

/// a0: the address of what nobody wrote, a1: the word there, s0: the address of known zeroes.
fn with_poison(words: &[u32]) -> Vec<u32> {
    let mut program = Assembler::new();
    program.li(S0, 0x2000).li(A0, NOTHING).emit(lw(A1, A0, 0));
    program.words.extend(words);
    program.halt();
    program.words
}

fn run(bench: &mut Bench, words: &[u32]) -> Result<Vec<Waiting>, DeviceError> {
    bench.clear(own());
    bench.load(own(), 0, words);
    bench.release(own(), BRISC);
    bench.settle()
}

/// A program that uses a1 and its fault's reason; the fault is at its last instruction but the halt.
fn fault_of(words: &[u32]) -> String {
    let mut bench = Bench::new();
    let program = with_poison(words);
    let Err(DeviceError::Fault(fault)) = run(&mut bench, &program) else {
        panic!("no fault: {words:x?}");
    };
    assert_eq!(fault.category, UnpredictableValueUsed, "{fault}");
    let place = fault.place.clone().unwrap();
    let pc = 4 * (program.len() as u32 - 2);
    assert_eq!((place.tile, place.processor), (physical(own()), Some(Processor::Brisc)));
    assert_eq!((place.pc, place.instruction), (Some(pc), words.last().copied()), "{fault}");
    assert_eq!(place.retired, Some(u64::from(pc / 4)));
    fault.reason
}

/// Programs that must not fault; a1 holds what nobody wrote.
fn carries(words: &[u32]) -> Bench {
    let mut bench = Bench::new();
    if let Err(error) = run(&mut bench, &with_poison(words)) {
        panic!("{words:x?}: {error}");
    }
    bench
}

const NEXT: i32 = 4;

#[test]
fn each_deciding_use_is_a_fault() {
    let branches = [0, 1, 4, 5, 6, 7].map(|funct3| b(NEXT, A1, S0, funct3));
    for branch in branches {
        assert_eq!(
            fault_of(&[branch]),
            "the branch on s0 and a1 depends on L1 0x8000 of tile (1,1), which nothing has written \
             since power-on or since it was freed"
        );
    }
    for funct3 in [0, 1, 2, 4, 5] {
        assert!(fault_of(&[load(A2, A1, funct3, 0)]).starts_with("the address a1 of a load "));
    }
    for funct3 in [0, 1, 2] {
        assert!(fault_of(&[store(A2, A1, funct3, 0)]).starts_with("the address a1 of a store "));
    }
    assert!(fault_of(&[i(0x67, 0, A1, 0, ZERO)]).starts_with("the jump to a1 "));
    for (register, offset) in [
        (0xFFB2_0000_u32, 0), // a NoC request's target
        (0xFFB3_0000, 0x28),  // the word that issues it
        (0xFFB4_0000, 0xC),   // a circular buffer's counter
        (0xFFB1_1000, 8),     // the mover
        (0xFFB1_2000, 0x1B0), // resets
        (0xFFEC_1000, 0),     // a mailbox
    ] {
        let upper = register & 0xFFFF_F000 | A2 << 7 | 0x37;
        let reason = fault_of(&[upper, sw(A1, A2, offset)]);
        let address = register + offset as u32;
        let start = format!("a1, stored to register {address:#x}, depends on L1 0x8000");
        assert!(reason.starts_with(&start), "{reason}");
    }
}

#[test]
fn executing_what_nobody_wrote_is_a_fault() {
    let mut bench = Bench::new();
    let Err(DeviceError::Fault(fault)) = run(&mut bench, &[j(0x6000, 0)]) else { panic!() };
    assert_eq!(fault.category, UnpredictableValueUsed);
    assert!(fault.reason.starts_with("the instruction at 0x6000 depends on L1 0x6000 of"));
    let mut bench = Bench::new();
    bench.load(own(), 0x1_2000, &[0; 4]);
    bench.release(own(), NCRISC);
    assert_eq!(bench.fault().category, FaultCategory::UndefinedBehavior);
}

/// What computes with a1 and then branches on the result.
fn branch_on(words: &[u32]) -> Vec<u32> {
    let mut words = words.to_vec();
    words.push(b(NEXT, ZERO, A2, 1));
    words
}

#[test]
fn arithmetic_carries_it() {
    let alu = |funct7, funct3| r(funct7, S0, A1, funct3, A2);
    let carry = [
        alu(0, 0),
        alu(0x20, 0),
        alu(0, 1),
        alu(0, 2),
        alu(0, 4),
        alu(0, 5),
        alu(0x20, 5),
        r(0, ZERO, A1, 6, A2),
        alu(0, 7),
        alu(1, 0),
        alu(1, 1),
        alu(1, 2),
        alu(1, 3),
        alu(1, 4),
        alu(1, 5),
        alu(1, 6),
        alu(1, 7),
        r(0, A1, S0, 1, A2),
        addi(A2, A1, 1),
        i(0x13, 0xFF, A1, 7, A2),
        i(0x13, 1, A1, 6, A2),
        i(0x13, 1, A1, 4, A2),
        i(0x13, 5, A1, 2, A2),
        i(0x13, 5, A1, 3, A2),
        i(0x13, 31, A1, 1, A2),
        i(0x13, 31, A1, 5, A2),
        i(0x13, 0x41F, A1, 5, A2),
    ];
    for word in carry {
        // `or` with known ones leaves other bits open, and a branch for inequality knows one already.
        let compare = [word, addi(A3, ZERO, 1), b(NEXT, A3, A2, 6)];
        if word == i(0x13, 1, A1, 6, A2) {
            carries(&compare);
            fault_of(&[word, addi(A3, ZERO, 2), b(NEXT, A3, A2, 6)]);
        } else {
            fault_of(&branch_on(&[word]));
        }
    }
}

#[test]
fn arithmetic_that_removes_it_is_known() {
    // Against itself, times zero, shifted or masked out, overwritten.
    let removed = [
        vec![r(0, A1, A1, 4, A2)],
        vec![r(0x20, A1, A1, 0, A2)],
        vec![r(0, A1, A1, 2, A2)],
        vec![r(1, ZERO, A1, 0, A2)],
        vec![i(0x13, 0, A1, 7, A2)],
        vec![i(0x13, -1, A1, 6, A2)],
        vec![i(0x13, 24, A1, 1, A2), i(0x13, 0xFF, A2, 7, A2)],
        vec![addi(A2, A1, 0), addi(A2, ZERO, 7)],
        // Byte 1 is written: the other bytes are carried along and masked out.
        vec![store(S0, A0, 0, 1), lw(A2, A0, 0), i(0x13, 8, A2, 5, A2), i(0x13, 0xFF, A2, 7, A2)],
        // The same with an addition below, whose carry goes upwards only.
        vec![store(S0, A0, 0, 0), lw(A2, A0, 0), addi(A2, A2, 5), i(0x13, 0xFF, A2, 7, A2)],
        // A bit field of three bits beside five that nobody wrote, by way of memory.
        vec![
            load(A2, A0, 4, 0),
            i(0x13, -8, A2, 7, A2),
            i(0x13, 5, A2, 6, A2),
            store(A2, A0, 0, 0),
            load(A2, A0, 4, 0),
            i(0x13, 7, A2, 7, A2),
        ],
    ];
    for words in removed {
        carries(&branch_on(&words));
    }
    // Known bits that differ decide, whatever the others are.
    carries(&[i(0x13, 1, A1, 6, A2), b(NEXT, ZERO, A2, 0), b(NEXT, A1, A1, 0)]);
}

#[test]
fn loads_and_stores_of_every_width_carry_it() {
    // Into L1 and into private RAM, and back.
    for base in [0x2100_u32, 0xFFB0_0100] {
        for (store_size, load_sizes) in [(0, vec![0, 4]), (1, vec![1, 5]), (2, vec![2, 1, 0, 4])] {
            for load_size in load_sizes {
                let mut program = Assembler::new();
                program.li(A5, base).emit(sw(ZERO, A5, 0));
                program.emit(store(A1, A5, store_size, 0)).emit(load(A2, A5, load_size, 0));
                let reason = fault_of(&branch_on(&program.words));
                assert!(reason.contains("depends on L1 0x8000 of tile (1,1)"), "{reason}");
            }
            if store_size < 2 {
                // The byte beside it stays known.
                let mut program = Assembler::new();
                program.li(A5, base).emit(sw(ZERO, A5, 0)).emit(store(A1, A5, store_size, 0));
                program.emit(load(A2, A5, 0, 1 << store_size));
                carries(&branch_on(&program.words));
            }
        }
    }
    let private = [0xFFB0_0000 | A5 << 7 | 0x37, lw(A2, A5, 0x40)];
    let reason = fault_of(&branch_on(&private));
    assert!(reason.contains("depends on private RAM 0xffb00040 of "), "{reason}");
    carries(&branch_on(&[private[0], sw(ZERO, A5, 0x40), private[1]]));
    carries(&branch_on(&[sw(A1, S0, 0), load(A2, S0, 4, 4), store(ZERO, S0, 2, 0), lw(A2, S0, 0)]));
    // Half a word that nobody wrote beside half a known one.
    carries(&branch_on(&[store(A1, S0, 1, 2), load(A2, S0, 5, 0)]));
    fault_of(&branch_on(&[store(A1, S0, 1, 2), lw(A2, S0, 0)]));
}

#[test]
fn a_reset_makes_registers_known_and_leaves_memory_as_it_is() {
    let mut bench = carries(&[addi(A2, A1, 0), sw(A1, S0, 0)]);
    bench.release(own(), 0);
    let mut program = Assembler::new();
    program.emit(b(NEXT, A2, A1, 0)).li(S0, 0x2000).emit(lw(A1, S0, 0)).emit(b(NEXT, A1, S0, 0));
    bench.load(own(), 0, &program.words);
    bench.release(own(), BRISC);
    let fault = bench.fault();
    assert_eq!(fault.place.unwrap().pc, Some(16));
    assert!(fault.reason.contains("depends on L1 0x8000 of"), "{}", fault.reason);
}

/// A core that reads and branches on a word, after another brought it there.
fn decide_at(bench: &mut Bench, at: NocCoordinate, address: u32) -> Option<Fault> {
    let mut program = Assembler::new();
    program.peek(A0, address).emit(b(NEXT, ZERO, A0, 1)).halt();
    bench.release(at, 0);
    bench.load(at, 0x6000, &program.words);
    bench.release(at, TRISC0);
    match bench.settle() {
        Ok(_) => None,
        Err(DeviceError::Fault(fault)) => Some(*fault),
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn the_noc_carries_it_from_tile_to_tile_and_dram() {
    for seed in [0, 1, 2, 3] {
        for unwritten in [false, true] {
            let mut bench = Bench::seeded(seed);
            let (peer, dram) = (tile(22, 23), tile(0, 5));
            // 64 bytes of which 16 to 19 may be nobody's, to a peer, DRAM, and back to the peer.
            bench.write(dram, 0x4000, &[1; 64]);
            if unwritten {
                bench
                    .device
                    .annotate(
                        PhysicalCoordinate { x: 0, y: 5 },
                        TileAddress(0x4010),
                        4,
                        Meaning::Freed,
                    )
                    .unwrap();
            }
            let here = |address| end(18, 18, address);
            let mut program = Assembler::new();
            program
                .request((0, 0), READ, end(0, 5, 0x4000), here(0x2000), 64, 0)
                .barrier(0, READ_RESPONSES, 1)
                .request((0, 0), WRITE, here(0x2000), end(0, 5, 0x8000), 64, 0)
                .barrier(0, WRITE_ACKNOWLEDGEMENTS, 1)
                .request((0, 0), READ, end(0, 5, 0x8000), here(0x3000), 64, 0)
                .barrier(0, READ_RESPONSES, 2)
                .request(
                    (0, 0),
                    MULTICAST,
                    here(0x3000),
                    rectangle((22, 23), (23, 23), 0x4000),
                    64,
                    0,
                )
                .barrier(0, WRITE_ACKNOWLEDGEMENTS, 3)
                .halt();
            bench.load(own(), 0, &program.words);
            bench.release(own(), BRISC);
            bench.settle().unwrap();
            assert_eq!(decide_at(&mut bench, peer, 0x400C), None);
            assert_eq!(decide_at(&mut bench, peer, 0x4014), None);
            let fault = decide_at(&mut bench, peer, 0x4010);
            assert_eq!(fault.is_some(), unwritten, "{fault:?}");
            if let Some(fault) = fault {
                assert_eq!(fault.place.unwrap().tile, physical(peer));
                assert!(fault.reason.contains("depends on DRAM 0x4010 of tile (0,5)"));
            }
        }
    }
}

#[test]
fn host_memory_carries_it() {
    let mut bench = Bench::new();
    let memory = bench.device.pin_host_memory(4096).unwrap();
    let host = |offset| end(0, 3, memory.noc_address.0 + offset);
    let mut program = Assembler::new();
    bench.write(own(), 0x2000, &[0; 64]);
    program
        .request((0, 0), WRITE, end(18, 18, NOTHING.into()), host(0), 32, 0)
        .barrier(0, WRITE_ACKNOWLEDGEMENTS, 1)
        .wait_for(0x2000, 1)
        .request((0, 0), READ, host(0), end(18, 18, 0x4000), 32, 0)
        .barrier(0, READ_RESPONSES, 1)
        .halt();
    bench.load(own(), 0, &program.words);
    bench.release(own(), BRISC);
    bench.settle().unwrap();
    bench.device.pinned_write(memory.id, 16, &[0; 4]).unwrap();
    bench.write_word(own(), 0x2000, 1);
    bench.settle().unwrap();
    bench.release(own(), 0);
    assert_eq!(decide_at(&mut bench, own(), 0x4010), None);
    let fault = decide_at(&mut bench, own(), 0x4014).unwrap();
    assert!(fault.reason.contains("depends on host memory 0x"), "{}", fault.reason);
}

#[test]
fn semaphores_and_registers_reached_over_the_noc_take_nothing_unwritten() {
    let program = |target, kind, length| {
        let mut program = Assembler::new();
        let nothing = end(18, 18, NOTHING.into());
        let (first, second) = if kind == ATOMIC { (target, nothing) } else { (nothing, target) };
        program.request((0, 0), kind, first, second, length, 1).halt();
        program.words
    };
    let mut bench = Bench::new();
    let words = program(end(19, 18, 0x5000), ATOMIC, INCREMENT);
    let Err(DeviceError::Fault(fault)) = run(&mut bench, &words) else { panic!() };
    assert_eq!(fault.category, UnpredictableValueUsed);
    assert!(fault.reason.starts_with("the atomic on 0x5000 of tile (2,1) depends on L1 0x5000"));
    assert_eq!(fault.place.unwrap().processor, Some(Processor::Brisc));
    for seed in [0, 5] {
        let mut bench = Bench::seeded(seed);
        let words = program(end(19, 18, 0xFFB4_5010), WRITE, 4);
        let Err(DeviceError::Fault(fault)) = run(&mut bench, &words) else { panic!() };
        let start = "what the NoC writes to register 0xffb45010 of tile (2,1) depends on L1 0x8000";
        assert!(fault.reason.starts_with(start), "{fault}");
    }
}

#[test]
fn the_mover_carries_it() {
    let mut bench = Bench::new();
    let mut program = Assembler::new();
    // Two of four words are instructions.
    program.poke(0xFFB1_1000, 0x4000 / 16).poke(0xFFB1_1004, 0x4000).poke(0xFFB1_1008, 1);
    program.poke(0xFFB1_100C, 1).poke(0xFFB1_1010, 0x40).poke(0xFFEF_0000 + 4 * 162, 0xFFC0_0000);
    program.poke(0xFFEF_0000 + 4 * 163, 1).poke(0xFFB1_21B0, 0x7000).halt();
    bench.load(own(), 0x4000, &[addi(ZERO, ZERO, 0), addi(ZERO, ZERO, 0)]);
    bench.load(own(), 0, &program.words);
    bench.release(own(), BRISC);
    let fault = bench.fault();
    assert_eq!(fault.category, UnpredictableValueUsed, "{fault}");
    assert!(fault.reason.starts_with("the instruction at 0xffc00008 depends on L1 0x4008 of"));
}

#[test]
fn freed_memory_and_new_buffers_hold_nothing() {
    for meaning in [Meaning::Freed, Meaning::Buffer] {
        let mut bench = Bench::new();
        bench.write(own(), NOTHING.into(), &[1; 16]);
        assert_eq!(decide_at(&mut bench, own(), NOTHING + 4), None);
        let at = TileAddress(u64::from(NOTHING) + 4);
        bench.device.annotate(physical(own()), at, 4, meaning).unwrap();
        assert_eq!(decide_at(&mut bench, own(), NOTHING), None);
        assert_eq!(decide_at(&mut bench, own(), NOTHING + 8), None);
        assert!(decide_at(&mut bench, own(), NOTHING + 4).is_some());
    }
    // In DRAM, beyond what an L1 has.
    let (dram, at) = (tile(0, 5), PhysicalCoordinate { x: 0, y: 5 });
    for address in [0x4000_u64, 0x3000_0000] {
        let mut bench = Bench::new();
        bench.write(dram, address, &[1; 16]);
        bench.device.annotate(at, TileAddress(address + 4), 4, Meaning::Freed).unwrap();
        let mut program = Assembler::new();
        program
            .request((0, 1), READ, end(0, 5, address), end(OWN.0, OWN.1, 0x3000), 16, 0)
            .barrier(0, READ_RESPONSES, 1)
            .peek(A0, 0x3000)
            .emit(b(8, ZERO, A0, 0))
            .peek(A0, 0x3004)
            .emit(b(8, ZERO, A0, 0))
            .halt();
        let fault = run(&mut bench, &program.words).unwrap_err().to_string();
        let place = format!("DRAM {:#x} of tile", address + 4);
        assert!(fault.contains(&place), "{fault}");
    }
    for meaning in [Meaning::CircularBuffer, Meaning::Code, Meaning::Semaphore, Meaning::Mailbox] {
        let mut bench = Bench::new();
        bench.write(own(), NOTHING.into(), &[1; 16]);
        let at = TileAddress(NOTHING.into());
        bench.device.annotate(physical(own()), at, 16, meaning).unwrap();
        assert_eq!(decide_at(&mut bench, own(), NOTHING), None, "{meaning:?}");
    }
    // Instructions that were freed are gone, even those that ran.
    let mut bench = Bench::new();
    bench.clear(own());
    bench.load(own(), 0, &[lw(A0, ZERO, 0x700), b(-4, ZERO, A0, 0), j(-8, 0)]);
    bench.write_word(own(), 0x700, 0);
    bench.release(own(), BRISC);
    bench.settle().unwrap();
    bench.device.annotate(physical(own()), TileAddress(8), 4, Meaning::Freed).unwrap();
    bench.device.annotate(physical(own()), TileAddress(1 << 40), u64::MAX, Meaning::Freed).unwrap();
    bench.write_word(own(), 0x700, 1);
    assert!(bench.fault().reason.starts_with("the instruction at 0x8 "));
}

#[test]
fn the_host_reads_it_and_is_told_when_it_asks() {
    let mut bench = Bench::new();
    let window = bench.device.allocate_window(1 << 24).unwrap();
    assert!(bench.device.capabilities().detects_uninitialised);
    for (at, tile_of) in [
        (own(), physical(own())),
        (tile(21, 21), physical(tile(21, 21))),
        (tile(0, 5), PhysicalCoordinate { x: 0, y: 5 }),
    ] {
        let target = WindowTarget {
            end: at,
            multicast_start: None,
            noc: Noc::Noc0,
            address: TileAddress(0),
            order: WindowOrder::Default,
        };
        bench.device.configure_window(window, &target).unwrap();
        let found = bench.device.unwritten(window, 0x100, 8).unwrap().unwrap();
        assert_eq!((found.tile, found.offset, found.length), (tile_of, 0, 8));
        bench.device.window_write(window, 0x100, &[1; 40]).unwrap();
        assert_eq!(bench.device.unwritten(window, 0x100, 40).unwrap(), None);
        let found = bench.device.unwritten(window, 0x100, 41).unwrap().unwrap();
        assert_eq!((found.offset, found.length), (40, 1));
        let before = bench.device.unwritten(window, 0xFC, 64).unwrap().unwrap();
        assert_eq!((before.offset, before.length), (0, 4));
        assert!(found.source.contains("0x128"), "{}", found.source);
        assert_eq!(bench.device.unwritten(window, 0x100, 0).unwrap(), None);
        assert!(bench.device.unwritten(window, (1 << 24) - 4, 8).is_err());
    }
}

/// Straight programs over memory that is written: loads, stores and arithmetic of all kinds, each
/// result branched on. A model that knows only values says what they compute; nothing may fault.
mod only_what_is_written {
    use proptest::prelude::*;

    use super::*;

    /// Registers of the programs, and the words of memory that they work on.
    const REGISTERS: [u32; 6] = [T0, T1, T2, A1, A2, A3];
    const WORDS: u32 = 4;

    #[derive(Clone, Copy, Debug)]
    enum Step {
        /// funct7, funct3, and numbers of registers.
        Compute(u32, u32, usize, usize, usize),
        /// funct3, register, byte.
        Load(u32, usize, u32),
        Store(u32, usize, u32),
        /// The first store to a word of private RAM that nobody wrote, then a load of part of it.
        Spill(u32, u32, usize, usize),
    }

    fn step() -> impl Strategy<Value = Step> {
        let register = || 0..REGISTERS.len();
        prop_oneof![
            (prop_oneof![Just(0u32), Just(1)], 0..8u32, register(), register(), register())
                .prop_map(|(funct7, funct3, a, b, to)| Step::Compute(funct7, funct3, a, b, to)),
            (prop_oneof![0..3u32, 4..6u32], register(), 0..4 * WORDS)
                .prop_map(|(funct3, to, byte)| Step::Load(funct3, to, byte)),
            (0..3u32, register(), 0..4 * WORDS)
                .prop_map(|(funct3, from, byte)| Step::Store(funct3, from, byte)),
            (0..3u32, 0..64u32, register(), register())
                .prop_map(|(funct3, word, from, to)| Step::Spill(funct3, word, from, to)),
        ]
    }

    fn compute(funct7: u32, funct3: u32, a: u32, b: u32) -> u32 {
        let wide = |a: i128, b: i128| (a * b) as u128;
        let (signed_a, signed_b) = (a as i32, b as i32);
        match (funct7, funct3) {
            (0, 0) => a.wrapping_add(b),
            (0, 1) => a << (b & 31),
            (0, 2) => u32::from(signed_a < signed_b),
            (0, 3) => u32::from(a < b),
            (0, 4) => a ^ b,
            (0, 5) => a >> (b & 31),
            (0, 6) => a | b,
            (0, 7) => a & b,
            (_, 0) => wide(a.into(), b.into()) as u32,
            (_, 1) => (wide(signed_a.into(), signed_b.into()) >> 32) as u32,
            (_, 2) => (wide(signed_a.into(), b.into()) >> 32) as u32,
            (_, 3) => (wide(a.into(), b.into()) >> 32) as u32,
            (_, 4) if b == 0 => u32::MAX,
            (_, 4) => signed_a.wrapping_div(signed_b) as u32,
            (_, 5) => a.checked_div(b).unwrap_or(u32::MAX),
            (_, 6) if b == 0 => a,
            (_, 6) => signed_a.wrapping_rem(signed_b) as u32,
            (_, _) => a.checked_rem(b).unwrap_or(a),
        }
    }

    fn extended(raw: u32, funct3: u32) -> u32 {
        match funct3 {
            0 => raw as i8 as i32 as u32,
            1 => raw as i16 as i32 as u32,
            4 => raw & 0xFF,
            5 => raw & 0xFFFF,
            _ => raw,
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]
        #[test]
        fn decides_anything(
            initial in prop::array::uniform4(any::<u32>()),
            steps in prop::collection::vec(step(), 1..60),
            padding in any::<bool>(),
        ) {
            let mut program = Assembler::new();
            let mut values = [0u32; REGISTERS.len()];
            let mut memory: Vec<u8> = initial.iter().flat_map(|word| word.to_le_bytes()).collect();
            program.li(S0, 0x2000).li(S1, 0xFFB0_0000);
            if padding {
                // The core holds what nobody wrote, in a register of its own, all the while.
                program.li(A0, NOTHING).emit(lw(A0, A0, 0));
            }
            for step in steps {
                let (to, value) = match step {
                    Step::Compute(funct7, funct3, a, b, to) => {
                        let word = r(funct7, REGISTERS[b], REGISTERS[a], funct3, REGISTERS[to]);
                        program.emit(word);
                        (to, compute(funct7, funct3, values[a], values[b]))
                    }
                    Step::Load(funct3, to, byte) => {
                        let size = 1 << (funct3 & 3);
                        let byte = byte / size * size;
                        program.emit(load(REGISTERS[to], S0, funct3, byte as i32));
                        let held = &memory[byte as usize..(byte + size) as usize];
                        let raw = held.iter().rev().fold(0, |raw, &byte| raw << 8 | u32::from(byte));
                        (to, extended(raw, funct3))
                    }
                    Step::Store(funct3, from, byte) => {
                        let size = 1 << funct3;
                        let byte = byte / size * size;
                        program.emit(store(REGISTERS[from], S0, funct3, byte as i32));
                        let bytes = values[from].to_le_bytes();
                        memory[byte as usize..(byte + size) as usize]
                            .copy_from_slice(&bytes[..size as usize]);
                        (from, values[from])
                    }
                    Step::Spill(funct3, word, from, to) => {
                        let offset = 4 * word as i32;
                        program.emit(store(REGISTERS[from], S1, funct3, offset));
                        program.emit(load(REGISTERS[to], S1, funct3, offset));
                        (to, extended(values[from], funct3))
                    }
                };
                values[to] = value;
                program.emit(b(NEXT, REGISTERS[to], ZERO, 6));
            }
            for (&register, index) in REGISTERS.iter().zip(0..) {
                program.emit(sw(register, S0, 0x100 + 4 * index));
            }
            program.halt();
            let mut bench = Bench::new();
            let bytes: Vec<u8> = initial.iter().flat_map(|word| word.to_le_bytes()).collect();
            bench.write(own(), 0x2000, &bytes);
            bench.load(own(), 0, &program.words);
            bench.release(own(), BRISC);
            bench.settle().unwrap();
            prop_assert_eq!(bench.read(own(), 0x2000, memory.len()), memory);
            for (value, index) in values.into_iter().zip(0..) {
                prop_assert_eq!(bench.word(own(), 0x2100 + 4 * index), value);
            }
        }
    }
}

#[test]
fn the_first_request_that_copied_it_is_named() {
    let mut bench = Bench::new();
    let (dram, there) = (tile(0, 5), PhysicalCoordinate { x: 0, y: 5 });
    let mut program = Assembler::new();
    // 20 to 31 are nobody's, whether they come back once more or not.
    program.request((0, 0), WRITE, end(18, 18, NOTHING.into()), end(0, 5, 0x4000), 32, 0);
    let first = 4 * (program.words.len() as u32 - 1);
    program
        .barrier(0, WRITE_ACKNOWLEDGEMENTS, 1)
        .request((0, 1), READ, end(0, 5, 0x4000), end(18, 18, 0x3000), 32, 0)
        .barrier(0, READ_RESPONSES, 1)
        .request((0, 0), WRITE, end(18, 18, 0x3000), end(0, 5, 0x8000), 32, 0)
        .barrier(0, WRITE_ACKNOWLEDGEMENTS, 2)
        .halt();
    bench.write(own(), NOTHING.into(), &[1; 20]);
    bench.load(own(), 0, &program.words);
    bench.release(own(), BRISC);
    bench.settle().unwrap();
    let window = bench.device.allocate_window(1 << 24).unwrap();
    let order = WindowOrder::Default;
    let (noc, address) = (Noc::Noc0, TileAddress(0));
    let target = WindowTarget { end: dram, multicast_start: None, noc, address, order };
    bench.device.configure_window(window, &target).unwrap();
    for copy in [0x4000, 0x8000] {
        let found = bench.device.unwritten(window, copy, 32).unwrap().unwrap();
        assert_eq!((found.tile, found.offset), (there, 20));
        let carrier = found.carrier.unwrap();
        assert_eq!((carrier.tile, carrier.processor), (physical(own()), Some(Processor::Brisc)));
        assert_eq!(carrier.pc, Some(first), "at {copy:#x}");
        assert!(found.source.starts_with("L1 0x8014"), "{}", found.source);
    }
    assert_eq!(bench.device.unwritten(window, 0xC000, 32).unwrap().unwrap().carrier, None);
}
