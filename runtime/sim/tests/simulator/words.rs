//! Stores to words that others increment or that a request reads, under several schedules.

use hallmark_chip::*;

use crate::assembler::*;
use crate::support::*;

const SEEDS: [u64; 5] = [0, 1, 2, 77, u64::MAX];
const COUNT: u32 = 0x4180;
const ASKED: u32 = 0x4190;
/// Increments on an ordered channel.
const INCREASE: u32 = ATOMIC | STATIC_CHANNEL;

/// Waits until a word is at least so much.
fn wait_for_at_least(p: &mut Assembler, address: u32, least: u32) {
    p.li(A2, address).li(A3, least);
    let again = p.place();
    // bltu
    p.emit(lw(T2, A2, 0));
    let here = p.place();
    p.emit(b(again - here, A3, T2, 6));
}

fn pause(p: &mut Assembler, turns: u32) {
    p.li(A3, turns);
    let again = p.place();
    p.emit(addi(A3, A3, -1)).bne(A3, ZERO, again);
}

/// Runs a program on tile (19,20), whose semaphores the other tile's program increments.
fn both(seed: u64, here: &Assembler, there: &Assembler) -> Option<Fault> {
    let (own, peer) = (tile(19, 20), tile(22, 23));
    let mut bench = Bench::seeded(seed);
    for (at, program) in [(own, here), (peer, there)] {
        bench.clear(at);
        bench.load(at, 0, &program.words);
        let start = TileAddress(COUNT.into());
        bench.device.annotate(physical(at), start, 0x20, Meaning::Semaphore).unwrap();
        bench.write(at, COUNT.into(), &[0; 0x20]);
    }
    bench.release(own, BRISC);
    bench.release(peer, BRISC);
    match bench.settle() {
        Ok(_) => None,
        Err(DeviceError::Fault(fault)) => Some(*fault),
        Err(other) => panic!("{other}"),
    }
}

fn increase(p: &mut Assembler, times: u32) {
    let to = end(19, 20, COUNT.into());
    for _ in 0..times {
        p.request((0, 3), INCREASE, to, end(22, 23, 0x5000), INCREMENT, 1);
    }
    p.barrier(0, ATOMIC_RESPONSES, times);
}

fn program(build: impl Fn(&mut Assembler)) -> Assembler {
    let mut assembler = Assembler::new();
    build(&mut assembler);
    assembler.halt();
    assembler
}

fn assert_found(fault: Option<Fault>, words: &[&str]) {
    let fault = fault.unwrap();
    assert_eq!(fault.category, FaultCategory::UnorderedSynchronization, "{}", fault.reason);
    for word in words {
        assert!(fault.reason.contains(word), "`{word}` is not in: {}", fault.reason);
    }
    assert!(fault.against.is_some() && fault.memory.is_some());
}

/// Whoever is first: the increments that are not waited for may as well come after the store.
#[test]
fn a_store_that_may_wipe_an_increment_is_found_in_every_schedule() {
    for seed in SEEDS {
        for (before, between) in [(1, 400), (400, 1), (1, 1)] {
            for (waited, sent) in [(1, 2), (2, 3)] {
                let reset = program(|p| {
                    pause(p, before);
                    wait_for_at_least(p, COUNT, waited);
                    p.poke(COUNT, 0);
                });
                let add = program(|p| {
                    pause(p, between);
                    increase(p, sent);
                });
                assert_found(both(seed, &reset, &add), &["among the semaphores"]);
            }
        }
    }
}

#[test]
fn a_store_after_all_increments_is_right() {
    for seed in SEEDS {
        for before in [1, 400] {
            let reset = program(|p| {
                pause(p, before);
                wait_for_at_least(p, COUNT, 3);
                p.poke(COUNT, 0);
            });
            let add = program(|p| increase(p, 3));
            assert_eq!(both(seed, &reset, &add), None);
        }
    }
}

/// The other side says that its increments are done; then it does not matter for how many one has waited.
#[test]
fn who_is_told_that_increments_are_done_may_store() {
    let to_here = |address: u32| end(19, 20, address.into());
    for seed in SEEDS {
        for before in [1, 400] {
            let reset = program(|p| {
                pause(p, before);
                wait_for_at_least(p, COUNT, 1);
                p.wait_for(ASKED, 1).poke(COUNT, 0);
            });
            let add = program(|p| {
                increase(p, 3);
                let told = to_here(ASKED);
                p.request((0, 3), INCREASE, told, end(22, 23, 0x5000), INCREMENT, 1);
            });
            assert_eq!(both(seed, &reset, &add), None, "seed {seed}, {before}");
        }
    }
}

#[test]
fn a_count_by_hand_among_increments_is_found_in_every_schedule() {
    for seed in SEEDS {
        for (before, between) in [(1, 1), (400, 1), (1, 400)] {
            let by_hand = program(|p| {
                pause(p, before);
                p.li(A0, COUNT).emit(lw(T2, A0, 0)).emit(addi(T2, T2, 1)).emit(sw(T2, A0, 0));
            });
            let add = program(|p| {
                pause(p, between);
                increase(p, 1);
            });
            assert_found(both(seed, &by_hand, &add), &[]);
        }
    }
}

/// A wait for the only increment, and then a count by hand: nothing comes between.
#[test]
fn a_count_by_hand_after_a_wait_is_right() {
    for seed in SEEDS {
        let by_hand = program(|p| {
            wait_for_at_least(p, COUNT, 1);
            p.li(A0, COUNT).emit(lw(T2, A0, 0)).emit(addi(T2, T2, -1)).emit(sw(T2, A0, 0));
        });
        assert_eq!(both(seed, &by_hand, &program(|p| increase(p, 1))), None);
    }
}

/// The request reads the flag of its own tile at any time until it has left.
#[test]
fn a_flag_that_a_request_reads_keeps_its_value() {
    for seed in SEEDS {
        for (value, waits, is_right) in [(0, false, false), (0, true, true), (7, false, true)] {
            let send = program(|p| {
                p.poke(COUNT, 7).peek(T2, COUNT);
                p.request(
                    (0, 0),
                    WRITE,
                    end(19, 20, COUNT.into()),
                    end(22, 23, ASKED.into()),
                    4,
                    0,
                );
                pause(p, 400);
                if waits {
                    p.barrier(0, WRITE_ACKNOWLEDGEMENTS, 1);
                }
                p.poke(COUNT, value);
            });
            let found = both(seed, &send, &program(|_| ()));
            if is_right {
                assert_eq!(found, None, "{value} {waits}");
            } else {
                assert_found(found, &["takes its data from", "noc_async_writes_flushed"]);
            }
        }
    }
}
