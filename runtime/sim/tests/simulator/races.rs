//! Data races: what orders two accesses and what does not, under several schedules.

use hallmark_chip::*;
use hallmark_sim::SimulatorOptions;

use crate::assembler::*;
use crate::support::*;

const SEEDS: [u64; 5] = [0, 1, 2, 77, u64::MAX];
/// Where NCRISC starts.
const SECOND: u64 = 0x1_2000;
const DATA: u32 = 0x4000;
/// A plain word.
const FLAG: u32 = 0x4100;
/// Words that the owner of the memory calls semaphores.
const SEMAPHORES: std::ops::Range<u32> = 0x4180..0x4190;
/// A page count of the circular buffer with index 0 (REMOTE_DEST_BUF_START of its stream).
const RECEIVED: u32 = 0xFFB4_000C;

/// Runs a program on BRISC and one on NCRISC of a tile; the fault, if there is one.
fn pair(seed: u64, first: &Assembler, second: &Assembler) -> Option<Fault> {
    let at = tile(19, 20);
    let mut bench = Bench::seeded(seed);
    bench.clear(at);
    bench.load(at, 0, &first.words);
    bench.load(at, SECOND, &second.words);
    let length = u64::from(SEMAPHORES.end - SEMAPHORES.start);
    let start = TileAddress(SEMAPHORES.start.into());
    bench.device.annotate(physical(at), start, length, Meaning::Semaphore).unwrap();
    bench.release(at, BRISC | NCRISC);
    run(&mut bench)
}

fn run(bench: &mut Bench) -> Option<Fault> {
    match bench.settle() {
        Ok(_) => None,
        Err(DeviceError::Fault(fault)) => Some(*fault),
        Err(other) => panic!("{other}"),
    }
}

fn assert_race(fault: Option<Fault>, words: &[&str]) {
    let fault = fault.unwrap();
    assert_eq!(fault.category, FaultCategory::DataRace, "{}", fault.reason);
    for word in words {
        assert!(fault.reason.contains(word), "`{word}` is not in: {}", fault.reason);
    }
}

fn program(build: impl Fn(&mut Assembler)) -> Assembler {
    let mut assembler = Assembler::new();
    build(&mut assembler);
    assembler.halt();
    assembler
}

/// Stores of 1 or 2 bytes somewhere in a word.
fn stores_part(offset: i32, size: u32) -> Assembler {
    program(|p| {
        p.li(A0, DATA).li(A1, 7).emit(s(offset, A1, A0, size.ilog2()));
    })
}

#[test]
fn bytes_of_a_word_race_each_for_itself() {
    for byte in 0..4 {
        let race = pair(0, &stores_part(byte, 1), &stores_part(byte, 1));
        assert_race(race, &["nothing orders the two"]);
        let race = pair(0, &stores_part(byte & 2, 2), &stores_part(byte, 1));
        assert_race(race, &["nothing orders the two"]);
        for other in (0..4).filter(|other| *other != byte) {
            assert_eq!(pair(0, &stores_part(byte, 1), &stores_part(other, 1)), None);
        }
        assert_eq!(pair(0, &stores_part(byte & 2 ^ 2, 2), &stores_part(byte, 1)), None);
    }
}

#[test]
fn a_core_that_leaves_reset_comes_after_one_that_entered_it() {
    let store = program(|p| {
        p.poke(DATA, 5);
    });
    let load = program(|p| {
        p.save(DATA, 0x4200);
    });
    // The chip is never idle, because this core counts all the time.
    let mut counts = Assembler::new();
    counts.emit(addi(A0, A0, 1)).emit(j(-4, ZERO));
    let at = tile(19, 20);
    let mut bench = Bench::new();
    bench.clear(at);
    bench.load(at, 0, &store.words);
    bench.load(at, SECOND, &load.words);
    bench.load(at, 0x6000, &counts.words);
    for cores in [BRISC | TRISC0, NCRISC | TRISC0, TRISC0] {
        bench.release(at, cores);
        assert_eq!(bench.device.advance(1000).unwrap(), Advance::Ran);
    }
    assert_eq!(bench.word(at, 0x4200), 5);
}

#[test]
fn a_transfer_races_for_the_bytes_that_it_writes_alone() {
    let (own, peer) = (tile(18, 20), tile(21, 22));
    for (first, length) in [(0, 1), (1, 1), (2, 1), (3, 1), (1, 2), (2, 2), (0, 3)] {
        let place = u64::from(DATA) + first as u64;
        for byte in 0..4 {
            let mut bench = Bench::new();
            bench.clear(own);
            bench.clear(peer);
            let send = program(|p| {
                p.request((0, 0), WRITE, end(18, 20, place), end(21, 22, place), length, 0);
            });
            bench.load(own, 0, &send.words);
            bench.load(peer, 0, &stores_part(byte, 1).words);
            bench.release(own, BRISC);
            bench.release(peer, BRISC);
            let race = run(&mut bench);
            if (first..first + length as i32).contains(&byte) {
                assert_race(race, &["nothing orders the two"]);
            } else {
                assert_eq!(race, None, "{length} bytes from {first}, and byte {byte}");
            }
        }
    }
}

#[test]
fn two_cores_need_an_order_and_the_report_names_both() {
    let store = program(|p| {
        p.poke(DATA, 5);
    });
    let load = program(|p| {
        p.save(DATA, 0x4200);
    });
    for seed in SEEDS {
        let fault = pair(seed, &store, &load);
        let against = fault.as_ref().and_then(|fault| fault.against.as_ref());
        assert!(against.is_some_and(|place| place.pc.is_some()));
        assert_race(fault, &["BRISC", "NCRISC", "0x4000", "nothing orders the two"]);
        let other = program(|p| {
            p.poke(DATA, 6);
        });
        assert_race(pair(seed, &store, &other), &["stored", "stores to", "let one of them write"]);
        assert_eq!(pair(seed, &store, &store), None, "the same value");
        assert!(
            pair(
                seed,
                &load,
                &program(|p| {
                    p.save(DATA, 0x4204);
                })
            )
            .is_none()
        );
    }
}

#[test]
fn a_word_that_is_polled_hands_over_what_was_stored_before_it() {
    for flag in [FLAG, SEMAPHORES.start] {
        let store = program(|p| {
            p.poke(DATA, 5).poke(flag, 1).poke(0x4300, 6);
        });
        let load = program(|p| {
            p.wait_for(flag, 1).save(DATA, 0x4200);
        });
        let load_at_once = program(|p| {
            p.save(DATA, 0x4200).wait_for(flag, 1);
        });
        for seed in SEEDS {
            assert!(pair(seed, &store, &load).is_none());
            assert_race(pair(seed, &store, &load_at_once), &["0x4000"]);
        }
    }
}

/// Waits for the flag by a function that loads it and goes back by one instruction; the other core stores before.
fn waits_by_function(back: u32) -> Assembler {
    program(|p| {
        p.li(A0, FLAG).li(A1, 1);
        for _ in 0..200 {
            p.emit(addi(A2, A2, 0));
        }
        // The place behind the call, once more.
        let behind = p.place() + 8 + 4;
        p.li(T0, SECOND as u32 + behind as u32);
        let call = p.place();
        p.emit(j(8, RA)).emit(j(12, ZERO)).emit(lw(T2, A0, 0)).emit(back);
        // Where the call returns to, it goes on here.
        p.bne(T2, A1, call);
    })
}

/// A return is followed if it is one: from another register, or with a link, nobody knows where it goes.
#[test]
fn a_word_that_a_function_loads_is_polled() {
    let store = program(|p| {
        p.poke(FLAG, 1);
    });
    const RETURN: u32 = 0x67;
    let returns = waits_by_function(i(RETURN, 0, RA, 0, ZERO));
    assert_eq!(pair(0, &store, &returns), None);
    for back in [i(RETURN, 0, T0, 0, ZERO), i(RETURN, 0, RA, 0, T1)] {
        assert_race(pair(0, &store, &waits_by_function(back)), &["0x4100"]);
    }
}

/// A flag is raised before its receiver first looks. It is none for a receiver that does not wait.
fn is_a_flag_for_who_waits(receives: impl Fn(bool) -> Assembler) {
    let store = program(|p| {
        p.poke(DATA, 5).poke(FLAG, 1);
    });
    for seed in SEEDS {
        assert_eq!(pair(seed, &store, &receives(true)), None);
        assert_race(pair(seed, &store, &receives(false)), &["nothing orders the two"]);
    }
}

/// A loop is found however many branches follow it: a flag may be raised before its receiver first looks.
#[test]
fn a_word_that_is_polled_before_many_branches_is_a_flag() {
    is_a_flag_for_who_waits(|waits| {
        program(move |p| {
            for _ in 0..200 {
                p.emit(addi(A2, A2, 0));
            }
            if waits {
                p.wait_for(FLAG, 1);
            } else {
                p.peek(T2, FLAG);
            }
            p.save(DATA, 0x4200);
            for _ in 0..40 {
                p.li(A3, 2);
                let again = p.place();
                p.emit(addi(A3, A3, -1)).bne(A3, ZERO, again);
            }
        })
    });
}

/// Ways that part and meet again are one: the way back to the load is found behind more branches than could be followed by
/// themselves.
#[test]
fn a_word_that_is_polled_by_a_loop_with_many_branches_is_a_flag() {
    is_a_flag_for_who_waits(|waits| {
        program(move |p| {
            p.li(A0, FLAG).li(A1, 1).li(A3, 0x4400);
            let turn = p.place();
            p.emit(lw(T2, A0, 0));
            for word in 0..20 {
                p.emit(lw(T1, A3, word * 4));
                let behind = p.place() + 8;
                p.bne(T1, ZERO, behind).emit(addi(ZERO, ZERO, 0));
            }
            if waits {
                p.bne(T2, A1, turn);
            }
            p.save(DATA, 0x4200);
        })
    });
}

/// A core that loads its result back until it is there compares what it has stored: data by which the result was made are no
/// flag, although the loop around comes back to them. Where the comparison is with another value, nothing can tell.
#[test]
fn data_are_no_flag_by_a_result_that_is_loaded_back() {
    let store = program(|p| {
        p.poke(DATA, 5);
    });
    let sum = |waits_for_the_flag: bool| {
        program(move |p| {
            if waits_for_the_flag {
                p.wait_for(DATA, 5);
            }
            p.li(A2, 3);
            let turn = p.place();
            p.peek(T2, DATA).emit(addi(T2, T2, 9)).li(T0, 0x4200).emit(sw(T2, T0, 0));
            let again = p.place();
            p.emit(lw(T1, T0, 0)).bne(T1, T2, again);
            p.emit(addi(A2, A2, -1)).bne(A2, ZERO, turn);
        })
    };
    for seed in SEEDS {
        assert_race(pair(seed, &store, &sum(false)), &["nothing orders the two"]);
        assert_eq!(pair(seed, &store, &sum(true)), None);
    }
}

#[test]
fn a_semaphore_hands_over_nothing_that_is_stored_after_it() {
    let flag = SEMAPHORES.start;
    let store = program(|p| {
        p.poke(DATA, 5).poke(flag, 1).poke(DATA, 6);
    });
    let load = program(|p| {
        p.wait_for(flag, 1).save(DATA, 0x4200);
    });
    for seed in SEEDS {
        assert_race(pair(seed, &store, &load), &["0x4000"]);
    }
}

/// Two cores of a tile each store a word and then a byte of a semaphore; a third one waits for both bytes and loads a word.
fn bytes_of_two(seed: u64, loads: u32) -> Option<Fault> {
    let at = tile(19, 20);
    let flag = SEMAPHORES.start;
    let mut bench = Bench::seeded(seed);
    bench.clear(at);
    let store = |data: u32, byte: u32, value: u32| {
        program(move |p| {
            p.poke(data, value).li(T0, flag + byte).li(T1, value).emit(s(0, T1, T0, 0));
            p.poke(data + 8, value);
        })
    };
    bench.load(at, 0, &store(DATA, 1, 5).words);
    bench.load(at, SECOND, &store(DATA + 4, 2, 6).words);
    let wait = program(|p| {
        p.wait_for(flag, 0x0006_0500).save(loads, 0x4200);
    });
    bench.load(at, 0x6000, &wait.words);
    let start = TileAddress(flag.into());
    bench.device.annotate(physical(at), start, 16, Meaning::Semaphore).unwrap();
    bench.release(at, BRISC | NCRISC | TRISC0);
    run(&mut bench)
}

#[test]
fn each_byte_of_a_flag_hands_over_what_its_writer_did() {
    for seed in SEEDS {
        assert_eq!(bytes_of_two(seed, DATA), None);
        assert_eq!(bytes_of_two(seed, DATA + 4), None);
        assert_race(bytes_of_two(seed, DATA + 8), &["0x4008"]);
    }
}

/// BRISC asks for a read into a line or a write out of it and raises a flag at once; NCRISC waits for the flag and then
/// loads or stores the line's first word.
fn signals_at_once(
    seed: u64,
    kind: u32,
    meaning: Meaning,
    after: impl Fn(&mut Assembler),
) -> Option<Fault> {
    let at = tile(19, 20);
    let mut bench = Bench::seeded(seed);
    bench.clear(at);
    bench.clear(tile(22, 21));
    let request = program(|p| {
        let (own, other) = (end(19, 20, DATA.into()), end(22, 21, 0x3040));
        let (from, to) = if kind == READ { (other, own) } else { (own, other) };
        p.request((0, 0), kind, from, to, 16, 0).poke(SEMAPHORES.start, 1);
    });
    bench.load(at, 0, &request.words);
    let access = program(|p| {
        p.wait_for(SEMAPHORES.start, 1);
        after(p);
    });
    bench.load(at, SECOND, &access.words);
    for (start, length, meaning) in
        [(SEMAPHORES.start, 16, Meaning::Semaphore), (DATA, 16, meaning)]
    {
        bench.device.annotate(physical(at), TileAddress(start.into()), length, meaning).unwrap();
    }
    bench.release(at, BRISC | NCRISC);
    run(&mut bench)
}

#[test]
fn the_remedy_of_a_signal_before_the_end_of_a_request_is_its_barrier() {
    let loads = |p: &mut Assembler| {
        p.save(DATA, 0x4200);
    };
    let stores = |p: &mut Assembler| {
        p.poke(DATA, 5);
    };
    for seed in SEEDS {
        for (kind, meaning, remedy) in [
            (
                READ,
                Meaning::Buffer,
                "its issuer waits with noc_async_read_barrier until the NoC read of 16 bytes is done, before it signals",
            ),
            (
                READ,
                Meaning::CircularBuffer,
                "the producer waits with noc_async_read_barrier until the NoC read of 16 bytes is done, before cb_push_back",
            ),
            (
                WRITE,
                Meaning::Buffer,
                "its issuer waits with noc_async_writes_flushed or noc_async_write_barrier until the NoC write of 16 \
                 bytes has left, before it signals",
            ),
            (
                WRITE,
                Meaning::CircularBuffer,
                "the consumer waits with noc_async_writes_flushed or noc_async_write_barrier until the NoC write of 16 \
                 bytes has left, before cb_pop_front",
            ),
        ] {
            let fault = if kind == READ {
                signals_at_once(seed, kind, meaning, loads)
            } else {
                signals_at_once(seed, kind, meaning, stores)
            };
            assert_race(fault, &[remedy]);
        }
    }
}

#[test]
fn page_counts_hand_over_in_both_directions() {
    let produce = |waits: bool| {
        program(move |p| {
            p.poke(DATA, 5).poke(RECEIVED, 1);
            if waits {
                p.wait_for(RECEIVED, 2);
            } else {
                // Long enough for the other core to be done, which is no order.
                p.li(T0, 3000);
                let again = p.place();
                p.emit(addi(T0, T0, -1)).bne(T0, ZERO, again);
            }
            p.poke(DATA, 6);
        })
    };
    let consume = program(|p| {
        p.wait_for(RECEIVED, 1).save(DATA, 0x4200).poke(RECEIVED, 2);
    });
    for seed in SEEDS {
        assert!(pair(seed, &produce(true), &consume).is_none());
        assert_race(pair(seed, &produce(false), &consume), &["0x4000"]);
    }
}

/// Two tiles each write a line of a third and add 1 to a word there, whose owner waits for a number and
/// then loads both lines.
fn collect(seed: u64, waits_for: u32, noc_of_flag: u32, acknowledged: bool) -> Option<Fault> {
    let mut bench = Bench::seeded(seed);
    let owner = tile(20, 20);
    bench.clear(owner);
    for (x, place) in [(22, DATA), (24, DATA + 16)] {
        let at = tile(x, 21);
        bench.clear(at);
        let send = program(|p| {
            p.request((0, 0), WRITE, end(x, 21, DATA.into()), end(20, 20, place.into()), 16, 0);
            if acknowledged {
                p.barrier(0, WRITE_ACKNOWLEDGEMENTS, 1);
            }
            let (target, own) = (end(20, 20, FLAG.into()), end(x, 21, 0x3000));
            p.request((noc_of_flag, 3), ATOMIC, target, own, INCREMENT, 1);
        });
        bench.load(at, 0, &send.words);
        bench.release(at, BRISC);
    }
    let load = program(|p| {
        p.wait_for(FLAG, waits_for).save(DATA, 0x4200).save(DATA + 16, 0x4204);
    });
    bench.load(owner, 0, &load.words);
    bench.release(owner, BRISC);
    run(&mut bench)
}

#[test]
fn atomics_hand_over_what_all_of_them_did() {
    for seed in SEEDS {
        assert!(collect(seed, 2, 0, true).is_none());
        assert!(collect(seed, 2, 1, true).is_none());
        // The data was not acknowledged, and the flag takes another way.
        assert_race(collect(seed, 2, 1, false), &["noc_async_write_barrier"]);
    }
}

/// A tile writes a line of another one and then adds 1 to a word there, on one channel, after it has waited for a counter
/// of writes. The owner waits for the word and loads the line. Whether an order rested on the channel comes with it.
fn credit(strict_isa: bool, seed: u64, waits_for: Option<u32>) -> (Option<Fault>, bool) {
    let options = SimulatorOptions { strict_isa, ..SimulatorOptions::with_schedule_seed(seed) };
    let mut bench = Bench::with(options);
    let (own, owner) = (tile(22, 21), tile(20, 20));
    bench.clear(own);
    bench.clear(owner);
    let send = program(|p| {
        let line = end(20, 20, DATA.into());
        p.request((0, 0), WRITE | STATIC_CHANNEL, end(22, 21, DATA.into()), line, 16, 0);
        if let Some(counter) = waits_for {
            p.barrier(0, counter, 1);
        }
        let (flag, old) = (end(20, 20, FLAG.into()), end(22, 21, 0x3000));
        p.request((0, 3), ATOMIC | STATIC_CHANNEL, flag, old, INCREMENT, 1);
    });
    bench.load(own, 0, &send.words);
    let load = program(|p| {
        p.wait_for(FLAG, 1).save(DATA, 0x4200);
    });
    bench.load(owner, 0, &load.words);
    bench.release(own, BRISC);
    bench.release(owner, BRISC);
    let fault = run(&mut bench);
    (fault, bench.device.relies_on_atomics_behind_writes())
}

#[test]
fn an_atomic_behind_a_write_says_that_it_arrived_unless_only_promises_count() {
    for seed in SEEDS {
        assert_eq!(credit(false, seed, None), (None, true));
        let (fault, relies) = credit(true, seed, None);
        assert_race(fault, &["a NoC write of 16 bytes", "do not promise"]);
        assert!(!relies);
        for counter in [WRITE_ACKNOWLEDGEMENTS, WRITES_SENT] {
            for strict_isa in [false, true] {
                assert_eq!(credit(strict_isa, seed, Some(counter)), (None, false));
            }
        }
    }
}

#[test]
fn a_read_is_done_when_its_counter_says_so() {
    for seed in SEEDS {
        for waits in [false, true] {
            let mut bench = Bench::seeded(seed);
            let own = tile(18, 18);
            bench.clear(own);
            bench.write(tile(5, 5), 0, &[7; 32]);
            let read = program(|p| {
                p.request((0, 0), READ, end(5, 5, 0), end(18, 18, DATA.into()), 32, 0);
                if waits {
                    p.barrier(0, READ_RESPONSES, 1);
                }
                p.save(DATA, 0x4200);
            });
            bench.load(own, 0, &read.words);
            bench.release(own, BRISC);
            match run(&mut bench) {
                None => assert!(waits),
                fault => {
                    assert!(!waits);
                    assert_race(fault, &["a NoC read of 32 bytes", "noc_async_read_barrier"]);
                }
            }
        }
    }
}

/// Two requests read the same words of their issuer, and the issuer waits for as many answers of each NoC before it stores
/// there.
fn two_readers(kind: u32, nocs: [u32; 2], answers: [u32; 2]) -> Option<Fault> {
    let counter = if kind == READ { READ_RESPONSES } else { WRITE_ACKNOWLEDGEMENTS };
    let own = tile(18, 18);
    let mut bench = Bench::seeded(0);
    bench.clear(own);
    let stores = program(|p| {
        for (noc, to) in nocs.into_iter().zip([0x5000, 0x5100]) {
            p.request((noc, 0), kind, end(18, 18, DATA.into()), end(18, 18, to), 32, 0);
        }
        for (noc, answers) in (0..).zip(answers).filter(|(_, answers)| *answers > 0) {
            p.barrier(noc, counter, answers);
        }
        p.poke(DATA, 1);
    });
    bench.load(own, 0, &stores.words);
    bench.release(own, BRISC);
    run(&mut bench)
}

/// That one request is done says nothing of another one whose answer another counter counts.
#[test]
fn each_reader_of_a_word_must_be_done() {
    for (kind, what) in [(READ, "a NoC read of 32 bytes"), (WRITE, "a NoC write of 32 bytes")] {
        assert_eq!(two_readers(kind, [0, 0], [2, 0]), None);
        assert_eq!(two_readers(kind, [0, 1], [1, 1]), None);
        assert_eq!(two_readers(kind, [1, 0], [1, 1]), None);
        for (nocs, answers) in [
            ([0, 1], [0, 1]),
            ([0, 1], [1, 0]),
            ([1, 0], [0, 1]),
            ([1, 0], [1, 0]),
            ([0, 0], [1, 0]),
            ([0, 0], [0, 0]),
        ] {
            assert_race(two_readers(kind, nocs, answers), &[what]);
        }
    }
}

#[test]
fn a_read_on_the_same_way_says_that_posted_writes_have_arrived() {
    // Control bits of the write and of the read after it.
    let static_write = POSTED_WRITE | STATIC_CHANNEL;
    for (write, read, ordered) in [
        (static_write, Some(READ | STATIC_CHANNEL), true),
        (static_write, Some(READ | STATIC_CHANNEL | 1 << 13), false),
        (static_write, None, false),
        (POSTED_WRITE, Some(READ), false),
    ] {
        for seed in SEEDS {
            let mut bench = Bench::seeded(seed);
            let (own, peer) = (tile(18, 20), tile(21, 22));
            bench.clear(own);
            bench.clear(peer);
            let send = program(|p| {
                p.request((0, 0), write, end(18, 20, DATA.into()), end(21, 22, DATA.into()), 16, 0);
                if let Some(read) = read {
                    p.request((0, 1), read, end(21, 22, DATA.into()), end(18, 20, 0x4200), 16, 0)
                        .barrier(0, READ_RESPONSES, 1);
                }
                // Another way: only what is known to have arrived comes before it.
                p.request((1, 2), WRITE, end(18, 20, 0x4400), end(21, 22, DATA.into()), 16, 0);
            });
            bench.load(own, 0, &send.words);
            bench.release(own, BRISC);
            match run(&mut bench) {
                None => assert!(ordered),
                fault => {
                    assert!(!ordered, "{fault:?}");
                    assert_race(fault, &["posted"]);
                }
            }
        }
    }
}

/// Stores to words of a line, loads one back and sends the line.
fn store_and_send(stores: &[u32], back: Option<u32>, sent: u32) -> Option<Fault> {
    let mut bench = Bench::new();
    let own = tile(18, 18);
    bench.clear(own);
    let send = program(|p| {
        for &at in stores {
            p.poke(at, 9);
        }
        if let Some(back) = back {
            p.peek(A0, back);
        }
        p.request((0, 0), WRITE, end(18, 18, sent.into()), end(19, 19, sent.into()), 16, 0);
    });
    bench.load(own, 0, &send.words);
    bench.release(own, BRISC);
    run(&mut bench)
}

#[test]
fn a_store_must_be_loaded_back_before_a_request_takes_it() {
    let line = [DATA, DATA + 4, DATA + 8];
    let words = ["takes its data from", "the same core stored at pc", "load the word back"];
    assert_race(store_and_send(&line, None, DATA), &words);
    assert_race(store_and_send(&line, Some(DATA + 4), DATA), &["0x4008"]);
    assert_race(store_and_send(&line, Some(FLAG), DATA), &words);
    // L1 takes a core's stores in order, so the last one tells of all.
    assert!(store_and_send(&line, Some(DATA + 8), DATA).is_none());
    assert!(store_and_send(&[DATA, FLAG], Some(FLAG), DATA).is_none());
    assert!(store_and_send(&line, None, DATA + 0x40).is_none());
}

#[test]
fn that_a_transaction_has_left_does_not_say_that_it_has_arrived() {
    const TRANSACTION: u32 = 5;
    // Counts of outstanding requests, and of those whose data has yet to leave.
    for (counts, arrived) in [(0x240, true), (0x280, false)] {
        for seed in SEEDS {
            let mut bench = Bench::seeded(seed);
            let (own, owner) = (tile(22, 21), tile(20, 20));
            bench.clear(own);
            bench.clear(owner);
            let send = program(|p| {
                p.poke(0xFFB2_0018, TRANSACTION << 10);
                let (from, to) = (end(22, 21, DATA.into()), end(20, 20, DATA.into()));
                p.request((0, 0), WRITE, from, to, 16, 0).barrier(0, counts + 4 * TRANSACTION, 0);
                let (flag, back) = (end(20, 20, FLAG.into()), end(22, 21, 0x3000));
                p.request((1, 3), ATOMIC, flag, back, INCREMENT, 1);
            });
            let load = program(|p| {
                p.wait_for(FLAG, 1).save(DATA, 0x4200);
            });
            bench.load(own, 0, &send.words);
            bench.load(owner, 0, &load.words);
            bench.release(own, BRISC);
            bench.release(owner, BRISC);
            match run(&mut bench) {
                None => assert!(arrived, "seed {seed}"),
                fault => {
                    assert!(!arrived, "{fault:?}");
                    assert_race(fault, &["noc_async_write_barrier"]);
                }
            }
        }
    }
}

/// The remedy names the identifier of the request, not the barrier of all requests.
#[test]
fn a_request_with_an_identifier_is_waited_for_by_it() {
    let own = tile(18, 18);
    for (kind, identifier, wait) in [
        (READ, 0, "wait with noc_async_read_barrier between"),
        (READ, 3, "noc_async_read_barrier_with_trid(3)"),
        (WRITE, 6, "noc_async_write_flushed_with_trid(6)"),
    ] {
        let mut bench = Bench::seeded(0);
        bench.clear(own);
        let stores = program(|p| {
            p.poke(0xFFB2_0018, identifier << 10);
            let ends = (end(18, 18, 0x5000), end(18, 18, DATA.into()));
            let (from, to) = if kind == READ { ends } else { (ends.1, ends.0) };
            p.request((0, 0), kind, from, to, 32, 0).poke(DATA, 1);
        });
        bench.load(own, 0, &stores.words);
        bench.release(own, BRISC);
        assert_race(run(&mut bench), &[wait]);
    }
}

/// A reader that waits a second time for a word that nobody has set back reads while the writer writes.
#[test]
fn a_wait_that_waits_for_nothing_is_named() {
    let (full, empty) = (SEMAPHORES.start, SEMAPHORES.start + 4);
    for seed in SEEDS {
        for sets_back in [false, true] {
            let write = program(|p| {
                for round in 1..=2 {
                    p.wait_for(empty, round).poke(DATA, round).poke(full, 1);
                }
            });
            let read = program(|p| {
                for round in 1..=2 {
                    if sets_back {
                        p.poke(full, 0);
                    }
                    p.poke(empty, round).wait_for(full, 1).save(DATA, 0x4200);
                }
            });
            match pair(seed, &write, &read) {
                None => assert!(sets_back, "seed {seed}"),
                fault => {
                    assert!(!sets_back, "{fault:?}");
                    assert_race(fault, &["had seen it last, so that it waited for nothing new"]);
                }
            }
        }
    }
}
