//! What cores do and when: told to whoever asks, and nothing is different for being asked.

use hallmark_chip::*;

use crate::assembler::*;
use crate::support::*;

const AT: NocCoordinate = NocCoordinate { x: 19, y: 18 };

/// Two cores of a tile: one counts for a while and wakes the other, which waits.
fn load(bench: &mut Bench) {
    let mut waiter = Assembler::new();
    waiter.wait_for(0x2000, 7).poke(0x3000, 1).halt();
    let mut writer = Assembler::new();
    writer.wait_for(0x2010, 1);
    for count in 0..300 {
        writer.poke(0x2020, count);
    }
    writer.poke(0x2000, 7).halt();
    bench.clear(AT);
    bench.load(AT, 0, &waiter.words);
    bench.load(AT, 0x6000, &writer.words);
    bench.release(AT, BRISC | TRISC0);
    bench.settle().unwrap();
}

fn of(activity: &Activity, processor: Processor) -> &CoreActivity {
    activity.cores.iter().find(|core| core.processor == processor).unwrap()
}

#[test]
fn spans_follow_one_another_and_name_the_word_that_is_waited_for() {
    let mut bench = Bench::new();
    bench.device.activity().unwrap();
    load(&mut bench);
    let before = bench.device.activity().unwrap();
    assert_eq!(before.dropped, 0);
    bench.write_word(AT, 0x2010, 1);
    bench.settle().unwrap();
    let activity = bench.device.activity().unwrap();
    assert_eq!(activity.from, before.until, "what was told is not told again");
    for core in &activity.cores {
        assert_eq!(core.tile, physical(AT));
        for pair in core.spans.windows(2) {
            assert_eq!(pair[0].until, pair[1].from);
        }
        for span in &core.spans {
            assert!(
                activity.from <= span.from
                    && span.from < span.until
                    && span.until <= activity.until
            );
        }
    }
    let waiter = of(&activity, Processor::Brisc);
    let first = waiter.spans.first().unwrap();
    let Doing::Waits { address, .. } = first.doing else { panic!("{first:?}") };
    assert_eq!(address, TileAddress(0x2000));
    // The writer counts first: hundreds of instructions, of which each is told with its number.
    let writer = of(&activity, Processor::Trisc0);
    let executed: u64 = writer.instructions.iter().map(|it| it.count).sum();
    let ran: u64 = writer
        .spans
        .iter()
        .filter(|span| span.doing == Doing::Runs)
        .map(|it| it.until.since(it.from))
        .sum();
    assert!(executed > 600, "{executed}");
    assert!(ran >= executed / 2, "{ran} ticks for {executed} instructions");
    assert!(first.until.since(first.from) > 300, "the waiter waits while the writer counts");
    for it in &writer.instructions {
        assert!(it.pc >= 0x6000 && it.first <= it.last && it.count >= 1);
    }
}

/// When a core is parked depends on how busy it was before. A core that was busy for long polls for some time.
#[test]
fn a_wait_is_told_however_short_it_is() {
    const ASKED: u32 = 0x4_0000;
    const ANSWERED: u32 = 0x4_0004;
    for pokes in [0, 1000] {
        let mut bench = Bench::new();
        bench.device.activity().unwrap();
        let mut waiter = Assembler::new();
        for count in 0..pokes {
            waiter.poke(0x4_0008, count);
        }
        waiter.poke(ASKED, 1).wait_for(ANSWERED, 7).poke(0x4_0008, 1).halt();
        let mut writer = Assembler::new();
        writer.wait_for(ASKED, 1);
        for count in 0..20 {
            writer.poke(0x4_000C, count);
        }
        writer.poke(ANSWERED, 7).halt();
        bench.clear(AT);
        bench.load(AT, 0, &waiter.words);
        bench.load(AT, 0x6000, &writer.words);
        bench.write_word(AT, ASKED.into(), 0);
        bench.write_word(AT, ANSWERED.into(), 0);
        bench.release(AT, BRISC | TRISC0);
        bench.settle().unwrap();
        let activity = bench.device.activity().unwrap();
        let waiter = of(&activity, Processor::Brisc);
        let waits: Vec<u64> = waiter
            .spans
            .iter()
            .filter(|span| match span.doing {
                Doing::Waits { address, .. } => address == TileAddress(ANSWERED.into()),
                Doing::Runs => false,
            })
            .map(|span| span.until.since(span.from))
            .collect();
        let [waited] = waits[..] else { panic!("{waits:?} of {:?}", waiter.spans) };
        // Twenty stores of the writer, of two to five instructions each.
        assert!((40..150).contains(&waited), "{waited}");
        // What a core executes while it waits is no work: each instruction is executed once, but for a few turns.
        let most = waiter.instructions.iter().map(|it| it.count).max().unwrap();
        assert!(most <= 4, "{most}");
    }
}

#[test]
fn whoever_asks_changes_nothing() {
    for seed in 0..8 {
        let run = |asks: bool| {
            let mut bench = Bench::seeded(seed);
            if asks {
                bench.device.activity().unwrap();
            }
            load(&mut bench);
            bench.write_word(AT, 0x2010, 1);
            let mut clocks = Vec::new();
            for _ in 0..40 {
                bench.device.advance(50).unwrap();
                clocks.push((bench.word(AT, 0x2020), bench.word(AT, 0x3000)));
            }
            clocks
        };
        assert_eq!(run(false), run(true), "seed {seed}");
    }
}

#[test]
fn what_was_told_is_not_told_again() {
    let mut bench = Bench::new();
    bench.device.activity().unwrap();
    load(&mut bench);
    bench.device.activity().unwrap();
    let told: Vec<Processor> =
        bench.device.activity().unwrap().cores.iter().map(|core| core.processor).collect();
    assert_eq!(told, [], "no time has passed since");
}

#[test]
fn requests_are_told_from_their_acceptance_to_their_response() {
    for seed in [0, 5] {
        let mut bench = Bench::seeded(seed);
        let (own, peer) = (tile(21, 19), tile(25, 27));
        let dram = PhysicalCoordinate { x: 0, y: 5 };
        bench.device.activity().unwrap();
        let mut program = Assembler::new();
        program
            .request((0, 1), READ, end(0, 5, 0x20), end(21, 19, 0x8020), 4096, 0)
            .barrier(0, READ_RESPONSES, 1)
            .request((0, 0), WRITE, end(21, 19, 0x8020), end(25, 27, 0x1_0000), 64, 0)
            .barrier(0, WRITE_ACKNOWLEDGEMENTS, 1)
            .halt();
        bench.clear(own);
        bench.load(own, 0, &program.words);
        bench.release(own, BRISC);
        bench.settle().unwrap();
        let activity = bench.device.activity().unwrap();
        let requests = &of(&activity, Processor::Brisc).requests;
        let told = requests.iter().map(|it| (it.noc, it.kind, it.tile, it.tiles, it.bytes));
        assert_eq!(
            told.collect::<Vec<_>>(),
            [
                (Noc::Noc0, NocRequestKind::Read, dram, 1, 4096),
                (Noc::Noc0, NocRequestKind::Write, physical(peer), 1, 64),
            ]
        );
        let [read, write] = &requests[..] else { panic!("{requests:?}") };
        assert!(read.from < read.until && read.until <= write.from && write.from < write.until);
        // 32 bytes a tick are on the way.
        assert!(read.until.since(read.from) > 4096 / 32, "{read:?}");
    }
}
