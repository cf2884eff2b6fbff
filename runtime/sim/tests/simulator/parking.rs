//! Cores that can only wait are noticed, and woken by whoever changes what they wait for.

use hallmark_chip::*;

use crate::assembler::*;
use crate::support::*;

#[test]
fn a_deadlock_is_found_at_once() {
    let mut bench = Bench::new();
    let at = tile(18, 18);
    let mut program = Assembler::new();
    program.wait_for(0x2000, 7).poke(0x3000, 99).halt();
    bench.load(at, 0, &program.words);
    bench.write_word(at, 0x2000, 5);
    bench.release(at, BRISC);
    let Advance::Quiescent(waiting) = bench.device.advance(1000).unwrap() else {
        panic!("not quiescent");
    };
    let [wait] = &waiting[..] else { panic!("{waiting:?}") };
    assert_eq!(wait.tile, PhysicalCoordinate { x: 1, y: 1 });
    assert_eq!(wait.processor, Processor::Brisc);
    assert_eq!((wait.address, wait.value), (TileAddress(0x2000), 5));
    assert_eq!(wait.pc, 16);
    assert_eq!(wait.last_writer, Some(Writer::Host));
    assert_eq!(bench.word(at, 0x3000), 0);

    bench.write_word(at, 0x2000, 7);
    bench.settle().unwrap();
    assert_eq!(bench.word(at, 0x3000), 99);
}

#[test]
fn what_lowered_an_awaited_word_is_known() {
    let mut bench = Bench::new();
    let at = tile(18, 18);
    let mut program = Assembler::new();
    // Before anybody waits for the word.
    program.poke(0x2000, 2).wait_for(0x2000, 7).halt();
    bench.load(at, 0, &program.words);
    bench.write_word(at, 0x2000, 5);
    bench.release(at, BRISC);
    let waiting = bench.settle().unwrap();
    let [wait] = &waiting[..] else { panic!("{waiting:?}") };
    let lowered = wait.lowered.as_deref().unwrap();
    assert_eq!((wait.value, lowered.before, lowered.value), (2, 5, 2));
    assert_eq!((lowered.by.tile, lowered.by.processor), (wait.tile, Processor::Brisc));
    assert!(lowered.by.pc < wait.pc);
    let Some(Writer::Core { processor: Processor::Brisc, .. }) = wait.last_writer else {
        panic!("{wait:?}");
    };
    // The host begins anew.
    bench.write_word(at, 0x2000, 1);
    assert_eq!(bench.settle().unwrap()[0].lowered, None);
}

#[test]
fn a_store_to_a_register_of_a_command_buffer_wakes() {
    // NOC_TARG_ADDR_LO of the last command buffer of NoC 1.
    const REGISTER: u32 = 0xFFB3_0C00;
    for seed in [0, 7] {
        let mut bench = Bench::seeded(seed);
        let at = tile(19, 18);
        let mut waiter = Assembler::new();
        waiter.wait_for(REGISTER, 7).poke(0x3000, 1).halt();
        let mut writer = Assembler::new();
        writer.wait_for(0x2010, 1).poke(REGISTER, 5).poke(REGISTER, 7).halt();
        bench.clear(at);
        bench.load(at, 0, &waiter.words);
        bench.load(at, 0x6000, &writer.words);
        bench.release(at, BRISC | TRISC0);
        assert_eq!(bench.settle().unwrap().len(), 2);
        bench.write_word(at, 0x2010, 1);
        bench.settle().unwrap();
        assert_eq!(bench.word(at, 0x3000), 1);
    }
}

#[test]
fn counts_of_identifiers_that_another_core_clears_wake() {
    // NOC_PACKET_TAG of a command buffer of NoC 1, NOC_CLEAR_OUTSTANDING_REQ_CNT, and the count of identifier 5.
    const TAG: u32 = 0xFFB3_0418;
    const CLEAR: u32 = 0xFFB3_0050;
    const COUNT: u32 = 0xFFB3_0254;
    for seed in [0, 7] {
        let mut bench = Bench::seeded(seed);
        let at = tile(19, 18);
        // A count that is cleared before the response wraps by it.
        let mut waiter = Assembler::new();
        waiter
            .poke(TAG, 5 << 10)
            .request((1, 1), READ, end(22, 21, 0x4000), end(19, 18, 0x4000), 16, 0)
            .poke(CLEAR, 1 << 5)
            .barrier(1, READ_RESPONSES, 1)
            .wait_for(COUNT, 0)
            .poke(0x3000, 1)
            .halt();
        let mut writer = Assembler::new();
        writer.wait_for(0x2010, 1).poke(CLEAR, 1 << 5).halt();
        bench.clear(at);
        bench.load(at, 0, &waiter.words);
        bench.load(at, 0x6000, &writer.words);
        bench.release(at, BRISC | TRISC0);
        assert_eq!(bench.settle().unwrap().len(), 2);
        assert_eq!(bench.word(at, 0x3000), 0);
        bench.write_word(at, 0x2010, 1);
        bench.settle().unwrap();
        assert_eq!(bench.word(at, 0x3000), 1);
    }
}

#[test]
fn a_store_of_another_core_wakes() {
    let mut bench = Bench::new();
    let at = tile(19, 18);
    let mut waiter = Assembler::new();
    waiter.wait_for(0x2000, 7).poke(0x3000, 1).halt();
    let mut writer = Assembler::new();
    writer.wait_for(0x2010, 1).poke(0x2000, 7).halt();
    bench.clear(at);
    bench.load(at, 0, &waiter.words);
    bench.load(at, 0x6000, &writer.words);
    bench.release(at, BRISC | TRISC0);
    assert_eq!(bench.settle().unwrap().len(), 2);
    assert_eq!(bench.word(at, 0x3000), 0);
    bench.write_word(at, 0x2010, 1);
    bench.settle().unwrap();
    assert_eq!(bench.word(at, 0x3000), 1);
}

#[test]
fn a_request_of_another_tile_wakes() {
    for seed in 0..8 {
        let mut bench = Bench::seeded(seed);
        let (waiter, sender) = (tile(19, 18), tile(25, 27));
        let mut program = Assembler::new();
        program.wait_for(0x2000, 3).poke(0x3000, 1).halt();
        bench.clear(waiter);
        bench.load(waiter, 0, &program.words);
        bench.release(waiter, BRISC);
        bench.settle().unwrap();
        let mut program = Assembler::new();
        for _ in 0..2 {
            program.request((1, 0), ATOMIC, end(19, 18, 0x2000), end(25, 27, 0), INCREMENT, 1);
        }
        program.halt();
        bench.load(sender, 0x6000, &program.words);
        bench.release(sender, TRISC0);
        // Two of three increments: still waiting, and it is known who made the last one.
        let waiting = bench.settle().unwrap();
        let wait = waiting.iter().find(|wait| wait.tile == physical(waiter)).unwrap();
        assert_eq!((wait.address, wait.value), (TileAddress(0x2000), 2));
        let Some(Writer::Core { tile, processor, retired }) = wait.last_writer else {
            panic!("{wait:?}");
        };
        assert_eq!((tile, processor), (physical(sender), Processor::Trisc0));
        assert!(retired > 30);
        bench.write_word(waiter, 0x2000, 3);
        bench.settle().unwrap();
        assert_eq!(bench.word(waiter, 0x3000), 1);
    }
}

#[test]
fn a_barrier_that_nothing_can_satisfy_is_a_deadlock() {
    let mut bench = Bench::new();
    let at = tile(18, 18);
    let mut program = Assembler::new();
    program
        .request((0, 0), POSTED_WRITE, end(18, 18, 0x4000), end(19, 18, 0x4000), 16, 0)
        .barrier(0, WRITE_ACKNOWLEDGEMENTS, 1)
        .halt();
    bench.load(at, 0, &program.words);
    bench.release(at, BRISC);
    let waiting = bench.settle().unwrap();
    assert_eq!(waiting[0].address, TileAddress(0xFFB2_0204));
    assert_eq!(waiting[0].value, 0);
}

#[test]
fn a_loop_of_several_words_and_calls_is_parked() {
    let mut bench = Bench::new();
    let at = tile(18, 18);
    let mut program = Assembler::new();
    // A call per turn, which spills its return address and reads two words.
    program.li(2, 0xFFB0_0F00).li(S0, 0x2000).li(S1, 0xFFB4_0010);
    let again = program.place();
    program.emit(j(8, RA)).emit(j(0, 0));
    program.words.pop();
    program.words.pop();
    program.emit(j(12, RA)).bne(A0, ZERO, again + 4 * 20).emit(j(-8, ZERO));
    program.emit(addi(2, 2, -16)).emit(sw(RA, 2, 12)).emit(FENCE);
    program.emit(lw(A0, S0, 0)).emit(lw(A1, S1, 0)).emit(r(0, A1, A0, 7, A0));
    program.emit(lw(RA, 2, 12)).emit(addi(2, 2, 16)).emit(i(0x67, 0, RA, 0, 0));
    while program.place() < again + 4 * 20 {
        program.emit(addi(ZERO, ZERO, 0));
    }
    program.poke(0x3000, 1).halt();
    bench.load(at, 0, &program.words);
    bench.release(at, BRISC);
    let waiting = bench.settle().unwrap();
    assert_eq!(waiting[0].address, TileAddress(0x2000));
    bench.write_word(at, 0x2000, 1);
    bench.settle().unwrap();
    assert_eq!(bench.word(at, 0x3000), 0);
    bench.write_word(at, 0xFFB4_0010, 1);
    bench.settle().unwrap();
    assert_eq!(bench.word(at, 0x3000), 1);
}

/// A loop over this body, which must not be parked.
fn never_parks(body: &[u32]) {
    let mut bench = Bench::new();
    let at = tile(18, 18);
    let mut program = Assembler::new();
    program.li(S0, 0x2000).li(S1, 0xFFB1_21F0);
    program.words.extend(body);
    program.emit(j(-4 * body.len() as i32, ZERO));
    bench.load(at, 0, &program.words);
    bench.release(at, BRISC);
    assert_eq!(bench.device.advance(200_000).unwrap(), Advance::Ran);
}

#[test]
fn loops_that_count_store_or_read_the_clock_are_not_parked() {
    never_parks(&[lw(A0, S0, 0), addi(A1, A1, 1)]);
    never_parks(&[lw(A0, S0, 0), sw(A0, S0, 0)]);
    never_parks(&[lw(A0, S1, 0)]);
    never_parks(&[lw(A0, S0, 0), i(0x13, 1, A1, 4, A1)]);
}

#[test]
fn cores_in_reset_and_parked_cores_cost_nothing() {
    let mut bench = Bench::new();
    for x in 18..26 {
        for y in 18..28 {
            let mut program = Assembler::new();
            program.wait_for(0x2000, 1).halt();
            bench.clear(tile(x, y));
            bench.load(tile(x, y), 0, &program.words);
            bench.release(tile(x, y), BRISC);
        }
    }
    assert_eq!(bench.settle().unwrap().len(), 80);
    let start = std::time::Instant::now();
    for _ in 0..1000 {
        assert!(matches!(bench.device.advance(1_000_000).unwrap(), Advance::Quiescent(_)));
    }
    assert!(start.elapsed().as_secs() < 2);
}

#[test]
fn a_halted_core_wakes_when_its_loop_is_replaced_and_may_still_hold_it() {
    let mut bench = Bench::new();
    let at = tile(18, 18);
    let mut program = Assembler::new();
    program.halt().poke(0x3000, 1).halt();
    bench.load(at, 0, &program.words);
    bench.release(at, BRISC);
    let waiting = bench.settle().unwrap();
    assert_eq!((waiting[0].pc, waiting[0].address), (0, TileAddress(0)));
    assert_eq!(waiting[0].value, j(0, 0));
    bench.load(at, 0, &[addi(ZERO, ZERO, 0)]);
    let fault = bench.fault();
    assert_eq!(fault.category, FaultCategory::UnpredictableValueUsed);
    assert!(fault.reason.contains("instruction cache"), "{}", fault.reason);
}
