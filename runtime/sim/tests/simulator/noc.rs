//! NoC requests between tiles, DRAM and host memory, on both networks and under several schedules.

use hallmark_chip::*;

use crate::assembler::*;
use crate::support::*;

const SEEDS: [u64; 6] = [0, 1, 2, 3, 1234, u64::MAX];

fn pattern(length: usize, salt: u8) -> Vec<u8> {
    (0..length).map(|byte| (byte as u8).wrapping_mul(7) ^ salt).collect()
}

#[test]
fn data_goes_from_dram_through_l1_to_a_peer_and_dram() {
    for seed in SEEDS {
        for noc in 0..2 {
            let mut bench = Bench::seeded(seed);
            let (own, peer, dram) = (tile(21, 19), tile(25, 27), tile(0, 5));
            // Raw coordinates are mirrored on NoC 1.
            let (x, y) = if noc == 0 { (0, 5) } else { (9, 6) };
            let data = pattern(4096, noc as u8);
            bench.write(dram, 0x4000_0020, &data);
            let mut program = Assembler::new();
            program
                .request((noc, 1), READ, end(x, y, 0x4000_0020), end(21, 19, 0x8020), 4096, 0)
                .barrier(noc, READ_RESPONSES, 1)
                .request((noc, 0), WRITE, end(21, 19, 0x8020), end(25, 27, 0x1_0000), 4096, 0)
                .request((noc, 2), WRITE, end(21, 19, 0x8020), end(x, y, 0x6000), 96, 0)
                .barrier(noc, WRITE_ACKNOWLEDGEMENTS, 2)
                .poke(0x3000, 1)
                .halt();
            bench.load(own, 0, &program.words);
            bench.release(own, BRISC);
            bench.settle().unwrap();
            assert_eq!(bench.word(own, 0x3000), 1);
            assert_eq!(bench.read(peer, 0x1_0000, 4096), data);
            assert_eq!(bench.read(dram, 0x6000, 96), data[..96]);
        }
    }
}

#[test]
fn a_missing_barrier_shows() {
    let mut bench = Bench::racing(0);
    let own = tile(18, 18);
    bench.write(tile(5, 5), 0, &[7; 32]);
    let mut program = Assembler::new();
    program
        .request((0, 0), READ, end(5, 5, 0), end(18, 18, 0x8000), 32, 0)
        .save(0x8000, 0x3000)
        .halt();
    bench.load(own, 0, &program.words);
    bench.release(own, BRISC);
    bench.settle().unwrap();
    assert_eq!(bench.word(own, 0x3000), 0);
    assert_eq!(bench.word(own, 0x8000), 0x0707_0707);
}

#[test]
fn atomics_return_the_old_value_and_add_up() {
    for seed in SEEDS {
        let mut bench = Bench::seeded(seed);
        let target = tile(22, 23);
        bench.write_word(target, 0x100, 40);
        let senders: Vec<_> = (18..26).map(|x| tile(x, 18)).collect();
        for sender in &senders {
            let mut program = Assembler::new();
            for round in 0..4 {
                let own = end(sender.x, sender.y, 0x3000 + round * 4);
                program.request(
                    (round as u32 & 1, 3),
                    ATOMIC,
                    end(22, 23, 0x100),
                    own,
                    INCREMENT,
                    3,
                );
            }
            program.barrier(0, ATOMIC_RESPONSES, 2).barrier(1, ATOMIC_RESPONSES, 2).halt();
            bench.load(*sender, 0, &program.words);
            bench.release(*sender, BRISC);
        }
        bench.settle().unwrap();
        assert_eq!(bench.word(target, 0x100), 40 + 3 * 32);
        let mut seen: Vec<u32> = senders
            .iter()
            .flat_map(|&sender| (0..4).map(move |round| (sender, round)))
            .map(|(sender, round)| bench.word(sender, 0x3000 + round * 4))
            .collect();
        seen.sort_unstable();
        assert_eq!(seen, (0..32).map(|count| 40 + 3 * count).collect::<Vec<_>>());
    }
}

#[test]
fn the_last_words_of_l1_of_both_kinds_of_tiles_can_be_reached() {
    let own = tile(18, 18);
    for (x, y, size) in [(19, 25, 1464 * 1024), (9, 0, 256 * 1024)] {
        let mut program = Assembler::new();
        program
            .request((0, 0), INLINE_WRITE, end(x, y, size - 4), end(18, 18, 0), 0xF << 12, 70)
            .barrier(0, WRITE_ACKNOWLEDGEMENTS, 1)
            .request((0, 3), ATOMIC, end(x, y, size - 4), end(18, 18, 0x3000), INCREMENT | 3, 7)
            .barrier(0, ATOMIC_RESPONSES, 1)
            .halt();
        let mut bench = Bench::new();
        bench.load(own, 0, &program.words);
        bench.release(own, BRISC);
        bench.settle().unwrap();
        assert_eq!((bench.word(tile(x, y), size - 4), bench.word(own, 0x3000)), (77, 70));
    }
}

#[test]
fn inline_writes_reach_l1_and_registers() {
    let mut bench = Bench::new();
    let (own, peer) = (tile(18, 18), tile(19, 25));
    let mut program = Assembler::new();
    program
        .request((0, 0), INLINE_WRITE, end(19, 25, 0x2008), end(18, 18, 0), 0xF << 8, 0xABCD)
        .request((1, 0), INLINE_WRITE, end(19, 25, 0xFFB4_500C), end(18, 18, 0), 0xF, 77)
        .barrier(0, WRITE_ACKNOWLEDGEMENTS, 1)
        .barrier(1, WRITE_ACKNOWLEDGEMENTS, 1)
        .request((0, 1), READ, end(19, 25, 0xFFB4_500C), end(18, 18, 0x3000), 4, 0)
        .barrier(0, READ_RESPONSES, 1)
        .halt();
    bench.load(own, 0, &program.words);
    bench.release(own, BRISC);
    bench.settle().unwrap();
    assert_eq!(bench.word(peer, 0x2008), 0xABCD);
    assert_eq!(bench.word(peer, 0xFFB4_500C), 77);
    assert_eq!(bench.word(own, 0x3000), 77);
}

#[test]
fn multicasts_reach_the_rectangle_and_count_receivers() {
    for noc in 0..2 {
        for include in [false, true] {
            let mut bench = Bench::new();
            // The rectangle spans the column of DRAM tiles and the row of Ethernet tiles.
            let (low, high) = ((20, 21), (23, 24));
            let to =
                if noc == 0 { rectangle(low, high, 0x4000) } else { rectangle(high, low, 0x4000) };
            let own = tile(21, 22);
            let data = pattern(64, 9);
            bench.write(own, 0x8000, &data);
            let control = MULTICAST | if include { INCLUDE_SOURCE } else { 0 };
            let receivers = if include { 16 } else { 15 };
            let mut program = Assembler::new();
            program
                .request((noc, 0), control, end(21, 22, 0x8000), to, 64, 0)
                .barrier(noc, WRITE_ACKNOWLEDGEMENTS, receivers)
                .poke(0x3000, 1)
                .halt();
            bench.load(own, 0, &program.words);
            bench.release(own, BRISC);
            bench.settle().unwrap();
            assert_eq!(bench.word(own, 0x3000), 1, "noc {noc}");
            for x in 18..26 {
                for y in 18..28 {
                    let inside = (20..=23).contains(&x) && (21..=24).contains(&y);
                    let reached = inside && (include || (x, y) != (21, 22));
                    let expected = if reached { data.clone() } else { vec![0; 64] };
                    assert_eq!(bench.read(tile(x, y), 0x4000, 64), expected, "({x},{y})");
                }
            }
        }
    }
}

/// Each tile adds to its own word and answers, so that several answers come for one request (NoC/Atomics.md, NoC/Counters.md).
#[test]
fn multicast_atomics_reach_the_rectangle_and_each_receiver_answers() {
    for seed in SEEDS {
        for noc in 0..2 {
            for include in [false, true] {
                let mut bench = Bench::seeded(seed);
                let (low, high) = ((20, 21), (23, 24));
                let (first, last) = if noc == 0 { (low, high) } else { (high, low) };
                let to = rectangle(first, last, 0x4008);
                for x in 18..26 {
                    for y in 18..28 {
                        bench.write_word(tile(x, y), 0x4008, 100);
                    }
                }
                let own = tile(21, 22);
                let control = MULTICAST_ATOMIC | if include { INCLUDE_SOURCE } else { 0 };
                let receivers = if include { 16 } else { 15 };
                let outstanding = 0xFFB2_0240 + 0x1_0000 * noc;
                let mut program = Assembler::new();
                program
                    .request((noc, 3), control, to, end(21, 22, 0x3010), INCREMENT | 2, 7)
                    .request((noc, 3), control, to, end(21, 22, 0x3010), INCREMENT | 2, 7)
                    .barrier(noc, ATOMIC_RESPONSES, 2 * receivers)
                    .save(outstanding, 0x3000)
                    .halt();
                bench.load(own, 0, &program.words);
                bench.release(own, BRISC);
                bench.settle().unwrap();
                // One request each adds 1 to the count of its identifier, and each answer takes 1 away: 8 bits.
                assert_eq!(bench.word(own, 0x3000), 2_u32.wrapping_sub(2 * receivers) & 0xFF);
                // One of the answers to one of them came last.
                assert!([100, 107].contains(&bench.word(own, 0x3010)));
                for x in 18..26 {
                    for y in 18..28 {
                        let inside = (20..=23).contains(&x) && (21..=24).contains(&y);
                        let reached = inside && (include || (x, y) != (21, 22));
                        let expected = if reached { 114 } else { 100 };
                        assert_eq!(bench.word(tile(x, y), 0x4008), expected, "({x},{y})");
                    }
                }
            }
        }
    }
}

#[test]
fn counters_follow_each_kind_of_request() {
    let mut bench = Bench::new();
    let own = tile(18, 18);
    let peer = |address| end(19, 18, address);
    let here = |address| end(18, 18, address);
    let mut program = Assembler::new();
    program
        .request((0, 0), READ, peer(0x4000), here(0x8000), 64, 0)
        .request((0, 0), READ, peer(0x4000), here(0x8100), 1, 0)
        .request((0, 1), WRITE, here(0x8200), peer(0x4100), 33, 0)
        .request((0, 1), POSTED_WRITE, here(0x8200), peer(0x4200), 32, 0)
        .request((0, 2), INLINE_WRITE, peer(0x4300), here(0), 0xF, 1)
        .request((0, 3), ATOMIC, peer(0x4410), here(0x9000), INCREMENT, 1)
        .request((0, 3), ATOMIC & !0x10, peer(0x4410), here(0x9000), INCREMENT, 1)
        .poke(0xFFB2_0018, 5 << 10)
        .request((0, 0), READ, peer(0x4000), here(0x8300), 64, 0)
        .save(0xFFB2_0240 + 4 * 5, 0x3000)
        .barrier(0, READ_RESPONSES, 3)
        .barrier(0, WRITE_ACKNOWLEDGEMENTS, 2)
        .barrier(0, ATOMIC_RESPONSES, 1)
        .halt();
    bench.clear(tile(19, 18));
    bench.load(own, 0, &program.words);
    bench.release(own, BRISC);
    bench.settle().unwrap();
    assert_eq!(bench.word(own, 0x3000), 1, "outstanding in transaction 5");
    let counters: Vec<u32> =
        (0..16).map(|index| bench.word(own, 0xFFB2_0200 + 4 * index)).collect();
    assert_eq!(counters, [1, 2, 3, 5, 8, 3, 1, 1, 2, 1, 2, 1, 2, 1, 3, 1]);
    for id in 0..32 {
        assert_eq!(bench.word(own, 0xFFB2_0240 + 4 * id), 0);
    }
    assert_eq!(bench.word(tile(19, 18), 0x4410), 2);
}

/// A loop that loads a counter at one place and issues a request in each turn.
#[test]
fn a_counter_that_changes_between_two_loads_is_loaded_anew() {
    const READS_STARTED: u32 = 0xFFB2_0238;
    const ISSUE: u32 = 0xFFB2_0028;
    // All requests bring their data to the same place.
    let mut bench = Bench::racing(0);
    let own = tile(18, 18);
    let mut program = Assembler::new();
    program.request((0, 0), READ, end(19, 18, 0x4000), end(18, 18, 0x8000), 64, 0);
    program.li(A1, 0x3000).li(A2, 0x3010);
    let again = program.place();
    program.peek(A0, READS_STARTED).emit(sw(A0, A1, 0)).poke(ISSUE, 1);
    program.emit(addi(A1, A1, 4)).bne(A1, A2, again);
    program.barrier(0, READ_RESPONSES, 5).halt();
    bench.clear(tile(19, 18));
    bench.load(own, 0, &program.words);
    bench.release(own, BRISC);
    bench.settle().unwrap();
    let counted: Vec<u32> = (0..4).map(|turn| bench.word(own, 0x3000 + 4 * turn)).collect();
    assert_eq!(counted, [1, 2, 3, 4]);
}

#[test]
fn writes_and_increments_between_two_tiles_keep_their_order() {
    for seed in 0..40 {
        // The receiver looks at data that the next round overwrites.
        let mut bench = Bench::racing(seed);
        let (own, peer) = (tile(18, 18), tile(24, 26));
        let mut sender = Assembler::new();
        for round in 1..=8u32 {
            // Its data is read at some time after the request, so each round has its own.
            let source = 0x8000 + round * 0x40;
            sender
                .poke(source, round)
                .request((0, 0), WRITE, end(18, 18, source.into()), end(24, 26, 0x4000), 64, 0)
                .request((0, 1), ATOMIC, end(24, 26, 0x5000), end(18, 18, 0x9000), INCREMENT, 1);
        }
        sender.halt();
        // Data that is older than the count says would be left at 0x3000.
        let mut receiver = Assembler::new();
        receiver.li(S0, 0x4000).li(S1, 0x5000).li(A5, 8);
        let again = receiver.place();
        receiver.emit(lw(A0, S1, 0)).emit(lw(A1, S0, 0));
        receiver.emit(b(16, A0, A1, 5));
        receiver.li(A2, 0x3000).emit(sw(A0, A2, 0));
        receiver.bne(A0, A5, again).halt();
        bench.load(own, 0, &sender.words);
        bench.clear(peer);
        bench.load(peer, 0, &receiver.words);
        bench.release(peer, BRISC);
        bench.release(own, BRISC);
        bench.settle().unwrap();
        assert_eq!(bench.word(peer, 0x3000), 0, "seed {seed}");
        assert_eq!((bench.word(peer, 0x4000), bench.word(peer, 0x5000)), (8, 8));
    }
}

#[test]
fn schedules_are_repeatable_and_differ() {
    let run = |seed| {
        let mut bench = Bench::seeded(seed);
        bench.write_word(tile(18, 27), 0, 0);
        let senders: Vec<_> = (18..26).map(|x| tile(x, 20)).collect();
        for sender in &senders {
            let mut program = Assembler::new();
            let old = end(sender.x, sender.y, 0x3000);
            program
                .request((0, 0), ATOMIC, end(18, 27, 0), old, INCREMENT, 1)
                .barrier(0, ATOMIC_RESPONSES, 1)
                .halt();
            bench.load(*sender, 0, &program.words);
            bench.release(*sender, BRISC);
        }
        bench.settle().unwrap();
        senders.iter().map(|&sender| bench.word(sender, 0x3000)).collect::<Vec<_>>()
    };
    let orders: Vec<_> = (0..8).map(run).collect();
    assert_eq!(orders, (0..8).map(run).collect::<Vec<_>>());
    assert!(orders.iter().any(|order| *order != orders[0]));
}

#[test]
fn host_memory_is_read_and_written_by_the_device() {
    let mut bench = Bench::new();
    let own = tile(18, 18);
    let first = bench.device.pin_host_memory(4096).unwrap();
    let memory = bench.device.pin_host_memory(8192).unwrap();
    assert_ne!(first.noc_address, memory.noc_address);
    bench.device.pinned_write(memory.id, 64, &pattern(128, 3)).unwrap();
    let host = |offset| end(0, 3, memory.noc_address.0 + offset);
    let mut program = Assembler::new();
    program
        .request((0, 0), READ, host(64), end(18, 18, 0x8000), 128, 0)
        .barrier(0, READ_RESPONSES, 1)
        .request((0, 0), WRITE, end(18, 18, 0x8000), host(4096), 128, 0)
        .barrier(0, WRITE_ACKNOWLEDGEMENTS, 1)
        .halt();
    bench.load(own, 0, &program.words);
    bench.release(own, BRISC);
    bench.settle().unwrap();
    let mut back = vec![0; 128];
    bench.device.pinned_read(memory.id, 4096, &mut back).unwrap();
    assert_eq!(back, pattern(128, 3));
    assert!(matches!(
        bench.device.pinned_read(memory.id, 8100, &mut back),
        Err(DeviceError::BadAccess { .. })
    ));
    let unknown = PinnedMemoryId(9);
    assert_eq!(
        bench.device.pinned_write(unknown, 0, &[1]),
        Err(DeviceError::UnknownPinnedMemory(unknown))
    );
}

#[test]
fn identification_registers_name_the_tile() {
    let mut bench = Bench::new();
    let at = tile(25, 19);
    assert_eq!(bench.word(at, 0xFFB2_002C), 9 | 2 << 6 | 10 << 12 | 12 << 19 | 1 << 28);
    assert_eq!(bench.word(at, 0xFFB3_002C), 9 << 6 | 10 << 12 | 12 << 19);
    for noc in [0xFFB2_0000, 0xFFB3_0000] {
        assert_eq!(bench.word(at, noc + 0x138), 25 | 19 << 6);
        assert_eq!(bench.word(at, noc + 0x100) >> 14 & 1, 1);
    }
    let table: Vec<u32> = (0..8).map(|word| bench.word(at, 0xFFB2_0118 + 4 * word)).collect();
    assert_eq!(
        table,
        [
            0x7654_3210,
            0xFEDC_BA98,
            0x7643_2150,
            0x98,
            0x7654_3210,
            0xFEDC_BA98,
            0x7543_2160,
            0xBA98
        ]
    );
    let table: Vec<u32> = (0..8).map(|word| bench.word(at, 0xFFB3_0118 + 4 * word)).collect();
    assert_eq!(
        table,
        [0x7654_3210, 0xFEDC_BA98, 0x2356_7849, 0x1, 0x7654_3210, 0xFEDC_BA98, 0x4678_9A5B, 0x123]
    );
}

/// A receiver that polls the last word of a write may see it before the rest; one that waits for what
/// follows on the same channel never does.
#[test]
fn pieces_of_a_write_arrive_in_any_order() {
    let mut torn = 0;
    for seed in 0..60 {
        // The receiver does not wait for the first look.
        let mut bench = Bench::racing(seed);
        let (own, peer) = (tile(18, 18), tile(20, 20));
        bench.write(own, 0x8004, &[1; 508]);
        let mut program = Assembler::new();
        program
            .request((0, 0), WRITE, end(18, 18, 0x8004), end(20, 20, 0x4004), 508, 0)
            .request((0, 1), ATOMIC, end(20, 20, 0x5000), end(18, 18, 0x9000), INCREMENT, 1)
            .halt();
        bench.load(own, 0, &program.words);
        let mut receiver = Assembler::new();
        receiver.wait_for(0x41FC, 0x0101_0101).save(0x4004, 0x3000).save(0x4100, 0x3004);
        receiver.wait_for(0x5000, 1).save(0x4004, 0x3008).save(0x4100, 0x300C).halt();
        bench.clear(peer);
        bench.load(peer, 0, &receiver.words);
        bench.release(peer, BRISC);
        bench.release(own, BRISC);
        bench.settle().unwrap();
        let seen: Vec<u32> = (0..4).map(|index| bench.word(peer, 0x3000 + 4 * index)).collect();
        torn += u32::from(seen[..2] != [0x0101_0101; 2]);
        assert_eq!(seen[2..], [0x0101_0101; 2], "seed {seed}");
        assert_eq!(bench.read(peer, 0x4004, 508), [1; 508]);
        assert!(seed != 0 || torn == 0, "the default schedule tears nothing");
    }
    assert!(torn > 0);
}

/// The next request of a command buffer after one that keeps its path.
#[test]
fn a_linked_request_keeps_its_path_for_the_next_one() {
    const LINKED: u32 = 1 << 6;
    /// Two virtual channels of multicasts (NOC_CMD_STATIC_VC).
    const CHANNELS: [u32; 2] = [1 << 7 | 4 << 13, 1 << 7 | 5 << 13];
    let (own, to) = (tile(18, 18), |address| rectangle((20, 21), (23, 24), address));
    let here = || end(18, 18, 0x8000);
    let closes = |p: &mut Assembler, buffer, channel: usize| {
        p.request((0, buffer), MULTICAST | CHANNELS[channel], here(), to(0x4100), 32, 0);
    };
    type Next<'a> = (&'a str, Option<&'a str>, Box<dyn Fn(&mut Assembler) + 'a>);
    let requests: [Next<'_>; 11] = [
        ("a multicast", None, Box::new(|p| closes(p, 0, 0))),
        ("a multicast from another command buffer", None, Box::new(|p| closes(p, 2, 0))),
        ("nothing", None, Box::new(|_| ())),
        (
            "a read from another command buffer",
            None,
            Box::new(|p| {
                p.request((0, 1), READ, end(19, 18, 0x4000), end(18, 18, 0x9000), 16, 0);
                closes(p, 0, 0);
            }),
        ),
        (
            "a multicast on the other NoC",
            None,
            Box::new(|p| {
                let back = rectangle((23, 24), (20, 21), 0x4200);
                p.request((1, 0), MULTICAST | CHANNELS[0], here(), back, 32, 0);
            }),
        ),
        (
            "a write",
            Some("a write of 16 bytes to 0x4000 of tile"),
            Box::new(|p| {
                p.request((0, 0), WRITE, here(), end(19, 18, 0x4000), 16, 0);
            }),
        ),
        (
            "a read",
            Some("a read of 16 bytes from 0x4000 of tile"),
            Box::new(|p| {
                p.request((0, 0), READ, end(19, 18, 0x4000), end(18, 18, 0x9000), 16, 0);
            }),
        ),
        (
            "a multicast to another rectangle from another command buffer",
            Some("a multicast of 32 bytes to 0x4100 of the tiles"),
            Box::new(|p| {
                let smaller = rectangle((20, 21), (23, 23), 0x4100);
                p.request((0, 2), MULTICAST | CHANNELS[0], here(), smaller, 32, 0);
            }),
        ),
        (
            "a multicast atomic on the rectangle, which closes the path",
            None,
            Box::new(|p| {
                let control = MULTICAST_ATOMIC | CHANNELS[0];
                p.request((0, 3), control, to(0x4200), end(18, 18, 0x9000), INCREMENT, 1);
            }),
        ),
        (
            "a multicast atomic on another rectangle",
            Some("an atomic on 0x4200 of tile"),
            Box::new(|p| {
                let smaller = rectangle((20, 21), (23, 23), 0x4200);
                let control = MULTICAST_ATOMIC | CHANNELS[0];
                p.request((0, 3), control, smaller, end(18, 18, 0x9000), INCREMENT, 1);
            }),
        ),
        (
            "a multicast on another channel",
            Some("on another virtual channel"),
            Box::new(|p| closes(p, 0, 1)),
        ),
    ];
    for (name, fault, next) in requests {
        let mut bench = Bench::new();
        bench.clear(tile(19, 18));
        for x in 20..=23 {
            for y in 21..=24 {
                bench.clear(tile(x, y));
            }
        }
        bench.write(own, 0x8000, &pattern(64, 3));
        let mut program = Assembler::new();
        program.request((0, 0), MULTICAST | LINKED | CHANNELS[0], here(), to(0x4000), 48, 0);
        next(&mut program);
        program.halt();
        bench.load(own, 0, &program.words);
        bench.release(own, BRISC);
        match (bench.settle(), fault) {
            (Ok(_), None) => {}
            (Err(DeviceError::Fault(found)), Some(words)) => {
                assert_eq!(found.category, FaultCategory::LinkedMulticast, "{name}");
                for words in [words, "follows the multicast of 48 bytes", "NoC 0", "linked = false"]
                {
                    assert!(found.reason.contains(words), "`{words}`: {}", found.reason);
                }
                assert!(found.against.is_some_and(|place| place.pc.is_some()), "{name}");
            }
            (found, _) => panic!("{name}: {found:?}"),
        }
    }
}
