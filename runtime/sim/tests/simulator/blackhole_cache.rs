//! Blackhole's data cache, which is not coherent with L1: 4 lines of 16 bytes per core, emptied by
//! `fence`, by atomics and by about every 128th hit; a store of the core's own drops its line.

use hallmark_chip::*;

use crate::assembler::*;
use crate::blackhole::*;
use crate::blackhole_instructions::{amo, csr};
use crate::support::*;

/// `cfg0`, with the bit that turns the cache off and the one that keeps hits from emptying it.
const CFG0: u32 = 0x7C0;
const DISABLE: u32 = 1 << 3;
const KEEP: u32 = 1 << 24;

/// Sets bits of `cfg0`.
fn configure(program: &mut Assembler, bits: u32) -> &mut Assembler {
    program.li(A5, bits).emit(csr(2, CFG0, A5, ZERO))
}

/// Loads 0x5000, lets the host change it, does something, loads it again and saves what it saw.
fn second_load(bits: u32, between: &[u32]) -> u32 {
    second_load_after(bits, &[], between)
}

/// The same after instructions that have 0x5000 in S0.
fn second_load_after(bits: u32, before: &[u32], between: &[u32]) -> u32 {
    let mut bench = bench(0);
    bench.write(OWN, 0x2000, &[0; 64]);
    bench.write(OWN, 0x5000, &[0; 0x1000]);
    let mut program = Assembler::new();
    configure(&mut program, bits);
    program.li(S0, 0x5000).li(S1, 0x3000);
    program.words.extend(before);
    program.emit(lw(A0, S0, 0));
    // Waits through a register, past the cache.
    program.poke(0xFFB4_0020, 1).wait_for(0xFFB4_0028, 1);
    program.words.extend(between);
    program.emit(lw(A1, S0, 0)).emit(sw(A1, S1, 0)).halt();
    run(&mut bench, &program).unwrap();
    assert_eq!(bench.word(OWN, 0xFFB4_0020), 1);
    bench.write_word(OWN, 0x5000, 7);
    bench.write_word(OWN, 0xFFB4_0028, 1);
    bench.settle().unwrap();
    bench.word(OWN, 0x3000)
}

#[test]
fn a_load_may_see_what_was_there_before() {
    assert_eq!(second_load(0, &[]), 0, "the line is still there");
    assert_eq!(second_load(DISABLE, &[]), 7);
    assert_eq!(second_load(0, &[FENCE]), 7);
    // An atomic elsewhere, a store into the line, one into another line.
    assert_eq!(second_load(0, &[amo(0, ZERO, ZERO, S1)]), 7);
    assert_eq!(second_load(0, &[sw(ZERO, S0, 12)]), 7);
    assert_eq!(second_load(0, &[sw(ZERO, S0, 16)]), 0);
    // Three other lines leave it, four do not.
    let loads = |count: i32| (1..=count).map(|line| lw(A2, S0, 16 * line)).collect::<Vec<_>>();
    assert_eq!(second_load(0, &loads(3)), 0);
    assert_eq!(second_load(0, &loads(4)), 7);
    // Strong order means a fence before every access.
    assert_eq!(second_load(0, &[csr(6, 0x7C1, 1, ZERO)]), 7);
    // Turned off and on again.
    let off_and_on = [csr(6, CFG0, DISABLE, ZERO), csr(7, CFG0, DISABLE, ZERO)];
    assert_eq!(second_load(0, &off_and_on), 7);
}

/// Without a seed the oldest line makes room, in turn.
#[test]
fn lines_make_room_in_the_order_in_which_they_came() {
    let load = |line: i32| lw(A2, S0, 16 * line);
    for earlier in 0..4 {
        // So many lines are older than the one that is looked at.
        let before: Vec<u32> = (10..10 + earlier).map(load).collect();
        let others = |count: i32| (1..=count).map(load).collect::<Vec<_>>();
        assert_eq!(second_load_after(0, &before, &others(3)), 0, "{earlier}");
        assert_eq!(second_load_after(0, &before, &others(4)), 7, "{earlier}");
    }
}

#[test]
fn narrow_loads_go_through_it_too() {
    let mut bench = bench(0);
    bench.write(OWN, 0x5000, &[1; 16]);
    let mut program = Assembler::new();
    program.li(S0, 0x5000).li(S1, 0x3000).emit(i(0x03, 3, S0, 4, A0));
    program.poke(0xFFB4_0020, 1).wait_for(0xFFB4_0028, 1);
    program.emit(i(0x03, 9, S0, 0, A1)).emit(i(0x03, 14, S0, 5, A2));
    program.emit(sw(A1, S1, 0)).emit(sw(A2, S1, 4)).halt();
    run(&mut bench, &program).unwrap();
    bench.write(OWN, 0x5000, &[2; 16]);
    bench.write_word(OWN, 0xFFB4_0028, 1);
    bench.settle().unwrap();
    assert_eq!((bench.word(OWN, 0x3000), bench.word(OWN, 0x3004)), (1, 0x0101));
}

/// A loop that polls L1 without a fence, and counts its turns in a register that it saves at the end.
fn polling(bits: u32, counts: bool) -> Assembler {
    let mut program = Assembler::new();
    configure(&mut program, bits);
    program.li(S0, 0x5000).li(A0, 0);
    let again = program.place();
    program.emit(addi(A0, A0, i32::from(counts))).emit(lw(A1, S0, 0));
    program.emit(b(again - program.place(), ZERO, A1, 0));
    program.li(S1, 0x3000).emit(sw(A0, S1, 0)).halt();
    program
}

fn turns_after_the_write(seed: u64, bits: u32) -> u32 {
    let mut bench = bench(seed);
    bench.write(OWN, 0x5000, &[0; 16]);
    bench.load(OWN, 0, &polling(bits, true).words);
    bench.release(OWN, BRISC);
    bench.device.advance(100).unwrap();
    bench.write_word(OWN, 0x5000, 1);
    bench.settle().unwrap();
    bench.word(OWN, 0x3000)
}

/// A poll without a fence sees the word only once a hit has emptied the cache; when depends on the
/// schedule alone.
#[test]
fn a_poll_without_a_fence_sees_the_word_late() {
    // Off: 100 ticks are some 30 turns of three instructions.
    assert!(turns_after_the_write(0, DISABLE) < 40);
    assert_eq!(turns_after_the_write(0, 0), 130, "one that fills, 128 hits, one that sees it");
    let turns: Vec<u32> = (1..12).map(|seed| turns_after_the_write(seed, 0)).collect();
    assert_eq!(turns, (1..12).map(|seed| turns_after_the_write(seed, 0)).collect::<Vec<_>>());
    assert!(turns.iter().any(|&turn| turn != turns[0]), "{turns:?}");
    assert!(turns.iter().any(|&turn| turn > 128), "{turns:?}");
}

/// The loop is parked while the cache holds what L1 holds, and goes on once it does not.
#[test]
fn a_parked_poll_goes_on_until_the_cache_is_emptied() {
    for seed in 0..20 {
        let mut bench = bench(seed);
        bench.write(OWN, 0x5000, &[0; 16]);
        bench.load(OWN, 0, &polling(0, false).words);
        bench.release(OWN, BRISC);
        let waiting = bench.settle().unwrap();
        assert_eq!((waiting[0].address, waiting[0].value), (TileAddress(0x5000), 0));
        bench.write_word(OWN, 0x5000, 1);
        assert_eq!(bench.device.advance(1).unwrap(), Advance::Ran, "it does not see it yet");
        bench.settle().unwrap();
        assert_eq!(bench.device.positions(), []);
    }
}

/// With hits that empty nothing it never sees the word. That is no deadlock: it would see it with the
/// cache emptied.
#[test]
fn a_poll_through_a_cache_that_nothing_empties_runs_for_ever() {
    let mut bench = bench(0);
    bench.write(OWN, 0x5000, &[0; 16]);
    bench.load(OWN, 0, &polling(KEEP, false).words);
    bench.release(OWN, BRISC);
    bench.settle().unwrap();
    bench.write_word(OWN, 0x5000, 1);
    assert_eq!(bench.device.advance(1_000_000).unwrap(), Advance::Ran);
    // A word beside the polled one wakes it for a look, and it parks again.
    let mut bench = self::bench(0);
    bench.write(OWN, 0x5000, &[0; 16]);
    bench.load(OWN, 0, &polling(KEEP, false).words);
    bench.release(OWN, BRISC);
    bench.settle().unwrap();
    bench.write_word(OWN, 0x5004, 1);
    assert_eq!(bench.settle().unwrap().len(), 1);
}

#[test]
fn a_reset_empties_it_and_turns_it_on() {
    let mut bench = bench(0);
    bench.write(OWN, 0x5000, &[0; 16]);
    let mut program = Assembler::new();
    program.li(S0, 0x5000).li(S1, 0x3000).emit(csr(2, CFG0, 0, A0));
    program.emit(lw(A1, S0, 0)).emit(sw(A0, S1, 0)).emit(sw(A1, S1, 4));
    configure(&mut program, DISABLE).halt();
    for value in [0, 5] {
        bench.write_word(OWN, 0x5000, value);
        run(&mut bench, &program).unwrap();
        assert_eq!((bench.word(OWN, 0x3000), bench.word(OWN, 0x3004)), (0x2_0000, value));
        bench.write_word(OWN, 0xFFB1_21B0, ALL_CORES);
    }
}

/// What nobody had written when the line was filled stays unknown until it is filled again.
#[test]
fn what_nobody_wrote_is_kept_in_a_line() {
    let program = |between: &[u32]| {
        let mut program = Assembler::new();
        program.li(S0, 0x1_8000).emit(lw(A0, S0, 0));
        program.poke(0xFFB4_0020, 1).wait_for(0xFFB4_0028, 1);
        program.words.extend(between);
        program.emit(lw(A1, S0, 4)).emit(b(8, ZERO, A1, 0)).halt().halt();
        program
    };
    let outcome = |between: &[u32]| {
        let mut bench = bench(0);
        run(&mut bench, &program(between)).unwrap();
        bench.write_word(OWN, 0x1_8004, 1);
        bench.write_word(OWN, 0xFFB4_0028, 1);
        bench.settle()
    };
    let Err(DeviceError::Fault(fault)) = outcome(&[]) else { panic!() };
    assert_eq!(fault.category, FaultCategory::UnpredictableValueUsed);
    assert!(fault.reason.contains("L1 0x18004"), "{fault}");
    outcome(&[FENCE]).unwrap();
    // And a known line stays known although L1 was given back.
    let mut bench = bench(0);
    bench.write(OWN, 0x1_8000, &[1; 16]);
    run(&mut bench, &program(&[])).unwrap();
    let at = PhysicalCoordinate { x: OWN.x, y: OWN.y };
    bench.device.annotate(at, TileAddress(0x1_8000), 16, Meaning::Freed).unwrap();
    bench.write_word(OWN, 0xFFB4_0028, 1);
    bench.settle().unwrap();
}
