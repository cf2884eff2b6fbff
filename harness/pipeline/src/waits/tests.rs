//! The statements about waits, and the absence of unfounded ones.

use hallmark_chip::{LogicalCore, PhysicalCoordinate, Processor, SourceFrame};
use hallmark_schema::commands;
use hallmark_schema::model::{
    AssignedAddress, Capture, Command, CommandIndex, CoreRange, KernelConfig, MathFidelity,
    ObjectKind, Outcome, ProgramId, RecordedCommand, SemaphoreId, SharedBytes,
};

use super::*;

/// The address of the tests' semaphore.
const SEMAPHORE: u64 = 0x3200;

/// The capture of a deadlock: program `pipe` (enqueued by command 6) with circular buffer 0 `stage` of four
/// pages on (1,1), and with a semaphore `turn` on every core, which starts at 1.
fn capture() -> Capture {
    let path =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../schema/released/1.0/captures/deadlock.lmb");
    let bytes: SharedBytes = std::fs::read(path).unwrap().into();
    let mut capture = Capture::from_bytes(&bytes).unwrap();
    let all = CoreRange { start: LogicalCore { x: 0, y: 0 }, end: LogicalCore { x: 7, y: 9 } };
    capture.program.commands.push(RecordedCommand {
        command: Command::CreateSemaphore(commands::CreateSemaphore {
            semaphore: SemaphoreId(0),
            name: "turn".to_owned(),
            program: ProgramId(0),
            cores: vec![all],
            initial_value: 1,
        }),
        outcome: Outcome::Done,
    });
    capture.record.as_mut().unwrap().addresses.push(AssignedAddress {
        object: ObjectKind::Semaphore,
        id: 0,
        address: SEMAPHORE,
    });
    capture
}

fn tile(x: u32, y: u32) -> PhysicalCoordinate {
    capture().chip().physical(LogicalCore { x, y }).unwrap()
}

/// A core whose kernel waits for a word.
fn wait(at: (u32, u32), processor: Processor, address: u64, value: u32) -> Waiting {
    let frame = SourceFrame {
        function: "kernel_main".to_owned(),
        file: "kernels/k.cpp".to_owned(),
        line: 9,
    };
    Waiting {
        tile: tile(at.0, at.1),
        processor,
        pc: 0x1_7cec,
        address: TileAddress(address),
        value,
        awaited: None,
        last_writer: None,
        lowered: None,
        symbol: Some("kernel_main".to_owned()),
        frames: vec![frame],
    }
}

fn awaiting(awaited: Awaited, wait: Waiting) -> Waiting {
    Waiting { awaited: Some(awaited), ..wait }
}

const fn exactly(value: u32) -> Awaited {
    Awaited::Range { bits: 32, first: value, last: value }
}

const fn at_least(value: u32) -> Awaited {
    Awaited::Range { bits: 32, first: value, last: u32::MAX }
}

fn report(waits: &[Waiting]) -> String {
    let capture = capture();
    lines(&StoppedProgram::new(&capture, CommandIndex(6)), waits).join("\n")
}

/// The registers that count the pushed and the popped pages of circular buffer 0.
fn page_counts() -> (u64, u64) {
    let capture = capture();
    let overlay = &capture.chip().overlay;
    let base = u64::from(overlay.base);
    (base + u64::from(overlay.buffer_size), base + u64::from(overlay.buffer_start))
}

fn signal(value: u32) -> Waiting {
    wait((2, 2), Processor::Brisc, SEMAPHORE, value)
}

#[test]
fn the_awaited_value_is_given_where_it_is_known() {
    let said = report(&[awaiting(exactly(2), signal(1))]);
    assert!(said.contains("semaphore `turn` (0x3200) to be exactly 2: it holds 1"), "{said}");
    let said = report(&[awaiting(at_least(2), signal(1))]);
    assert!(said.contains("semaphore `turn` (0x3200) to be at least 2: it holds 1"), "{said}");
    let said = report(&[awaiting(exactly(16), wait((2, 2), Processor::Brisc, 0x5000, 4))]);
    assert!(said.contains("the word at 0x5000 to be exactly 0x10: it holds 0x4"), "{said}");
    let said = report(&[awaiting(Awaited::Nothing, signal(1))]);
    assert!(said.contains("which holds 1, and no value ends the wait"), "{said}");
    // The awaited value is unknown.
    for (one, expected) in [
        (signal(1), "waits for semaphore `turn` (0x3200), which holds 1"),
        (
            wait((2, 2), Processor::Brisc, 0x5000, 4),
            "waits for the word at 0x5000, which holds 0x4",
        ),
    ] {
        let said = report(&[one]);
        assert!(said.contains(expected), "{said}");
        assert!(!said.contains("to be") && !said.contains("awaited"), "{said}");
    }
}

#[test]
fn pages_are_awaited_from_those_that_came() {
    let (received, acknowledged) = page_counts();
    let pages = |first, last| Awaited::Range { bits: 16, first, last };
    let at = |address, value| wait((1, 1), Processor::Ncrisc, address, value);
    let said = report(&[awaiting(pages(7, 5), at(received, 6))]);
    assert!(
        said.contains("circular buffer 0 `stage` to be filled: 6 pages received so far, 7 awaited"),
        "{said}"
    );
    assert!(!said.contains("room"), "{said}");
    // Counters wrap after 65535.
    let said = report(&[awaiting(pages(2, 0xFFFE), at(received, 0xFFFF))]);
    assert!(said.contains("65 535 pages received so far, 65 538 awaited"), "{said}");
    let said = report(&[awaiting(pages(11, 5), at(received, 6))]);
    assert!(said.contains("11 awaited\n  the circular buffer has room for 4 pages"), "{said}");
    let said = report(&[awaiting(Awaited::Nothing, at(acknowledged, 1))]);
    assert!(
        said.contains("1 page acknowledged so far, but no number of pages ends the wait\n"),
        "{said}"
    );
    assert!(said.contains("the circular buffer has room for 4 pages"), "{said}");
    let said = report(&[at(acknowledged, 1)]);
    assert!(said.contains("to be emptied: 1 page acknowledged so far\n"), "{said}");
}

#[test]
fn instructions_of_the_coprocessor_wait_by_name() {
    let at =
        |processor, word: CoprocessorWord, value| wait((1, 1), processor, word.address(), value);
    let waits = [
        at(Processor::Brisc, CoprocessorWord::Queue(2), 0),
        at(Processor::Trisc0, CoprocessorWord::InstructionsDone, 0),
        at(Processor::Trisc0, CoprocessorWord::SourceBEmptied, 0),
        at(Processor::Trisc1, CoprocessorWord::Mutex(3), 2),
        awaiting(exactly(5), at(Processor::Trisc2, CoprocessorWord::Semaphore(6), 4)),
        wait((2, 2), Processor::Trisc1, 0x5000, 0),
    ];
    let said = report(&waits);
    for expected in [
        "waits for room in a queue of the coprocessor, whose instructions do not go on\n",
        "waits until the coprocessor has executed the instructions of its thread\n",
        "an instruction waits for an empty bank of SrcB, which the matrix unit does not give back\n  (1,1) TRISC1 and (1,1) \
         TRISC2 could still give it back (SETRWC or CLEARDVALID), but wait, too",
        "an instruction waits for mutex 3 of the coprocessor, which thread 2 holds\n  (1,1) TRISC0 and (1,1) TRISC2 could \
         still give it back (ATRELM), but wait, too",
        "waits for semaphore 6 of the coprocessor to be exactly 5: it holds 4\n  (1,1) TRISC0 and (1,1) TRISC1 could still \
         change the semaphore, but wait, too",
    ] {
        assert!(said.contains(expected), "{said}");
    }
    let section = |processor, others: &[Processor]| {
        let wait = awaiting(exactly(1), at(processor, CoprocessorWord::Semaphore(1), 2));
        let others = others.iter().map(|other| at(*other, CoprocessorWord::InstructionsDone, 0));
        report(&std::iter::once(wait).chain(others).collect::<Vec<_>>())
    };
    let [math, pack] = [Processor::Trisc1, Processor::Trisc2];
    for (said, expected) in [
        (
            section(math, &[Processor::Trisc0, pack]),
            "(1,1) TRISC2 could still release a section of Dst (tile_regs_release), but waits, too",
        ),
        (
            section(pack, &[Processor::Trisc0, math]),
            "(1,1) TRISC1 could still commit a section of Dst (tile_regs_commit), but waits, too",
        ),
        (
            section(pack, &[Processor::Trisc0]),
            "no other core of (1,1) still runs a kernel that could commit a section of Dst (tile_regs_commit)",
        ),
        (
            section(Processor::Trisc0, &[math]),
            "(1,1) TRISC1 could still change the semaphore, but waits, too",
        ),
    ] {
        assert!(said.contains(expected), "{said}");
    }
    let filled = report(&[at(Processor::Trisc1, CoprocessorWord::SourceAFilled, 0)]);
    assert!(filled.contains("for a filled bank of SrcA, which no unpacker gives\n"), "{filled}");
    assert!(
        filled.contains("no other core still runs a kernel that could unpack to it"),
        "{filled}"
    );
}

#[test]
fn a_semaphore_that_was_counted_beyond_its_value_has_overshot() {
    let said = report(&[awaiting(exactly(2), signal(3))]);
    assert!(said.contains("to be exactly 2, but it has overshot: it holds 3"), "{said}");
    for (what, one) in [
        ("it is on its way", awaiting(exactly(2), signal(1))),
        ("somebody sets it to 0", awaiting(exactly(0), signal(1))),
        ("any greater value would do", awaiting(at_least(4), signal(3))),
        ("nobody knows what is awaited", signal(3)),
        (
            "a word that is no semaphore may be anything",
            awaiting(exactly(2), wait((2, 2), Processor::Brisc, 0x5000, 3)),
        ),
    ] {
        let said = report(&[one]);
        assert!(!said.contains("overshot"), "{what}: {said}");
    }
    // The semaphore starts at 1, so 0 is a wait for a core that counts down.
    let mut capture = capture();
    for recorded in &mut capture.program.commands {
        if let Command::CreateSemaphore(created) = &mut recorded.command {
            created.initial_value = 9;
        }
    }
    let program = StoppedProgram::new(&capture, CommandIndex(6));
    let said = lines(&program, &[awaiting(exactly(2), signal(3))]).join("\n");
    assert!(!said.contains("overshot"), "{said}");
}

#[test]
fn who_could_still_change_a_word_follows_from_who_still_runs() {
    let alone = report(&[signal(1)]);
    let nobody = "no other core still runs a kernel that could change the semaphore";
    assert!(alone.contains(nobody), "{alone}");

    let other = wait((4, 4), Processor::Ncrisc, 0x5000, 1);
    let two = report(&[signal(1), other.clone()]);
    assert!(!two.contains("no other core"), "{two}");
    assert!(two.contains("(4,4) NCRISC could still change the semaphore, but waits, too"), "{two}");
    assert!(two.contains("(2,2) BRISC could still change the word, but waits, too"), "{two}");

    // Pages are counted on the tile, so a core elsewhere does not matter.
    let (received, _) = page_counts();
    let page = wait((1, 1), Processor::Ncrisc, received, 6);
    let apart = report(&[page.clone(), other]);
    let nobody = "no other core of (1,1) still runs a kernel that could push a page";
    assert!(apart.contains(nobody), "{apart}");
    let here = wait((1, 1), Processor::Brisc, 0x5000, 1);
    let together = report(&[page, here]);
    assert!(together.contains("(1,1) BRISC could still push a page, but waits, too"), "{together}");

    // Cores without a kernel are reported only if no core is in one, so they allow no conclusion.
    let idle = Waiting { frames: Vec::new(), ..signal(1) };
    let said = report(&[idle]);
    assert!(!said.contains("core still") && !said.contains("could"), "{said}");
}

#[test]
fn many_others_are_counted() {
    let others = (0..5).map(|x| wait((x, 5), Processor::Brisc, 0x5000 + u64::from(x), 1));
    let waits: Vec<Waiting> = std::iter::once(signal(1)).chain(others).collect();
    let said = report(&waits);
    assert!(
        said.contains("5 other cores could still change the semaphore, but wait, too"),
        "{said}"
    );
}

#[test]
fn whether_the_last_writers_kernel_has_finished_follows_from_who_waits() {
    let (received, _) = page_counts();
    let writer = Writer::Core { tile: tile(1, 1), processor: Processor::Brisc, retired: 1210 };
    let page =
        Waiting { last_writer: Some(writer), ..wait((1, 1), Processor::Ncrisc, received, 6) };
    let finished = "last written by (1,1) BRISC at instruction 1210, whose kernel has finished";
    let said = report(std::slice::from_ref(&page));
    assert!(said.contains(finished), "{said}");
    let said = report(&[page.clone(), wait((1, 1), Processor::Brisc, 0x5000, 1)]);
    assert!(said.contains("(1,1) BRISC at instruction 1210\n"), "{said}");
    assert!(!said.contains("finished"), "{said}");
    // The program has no kernel there, so the writer is another.
    let elsewhere = Writer::Core { tile: tile(5, 5), processor: Processor::Brisc, retired: 3 };
    let said = report(&[Waiting { last_writer: Some(elsewhere), ..page }]);
    assert!(said.contains("(5,5) BRISC at instruction 3\n"), "{said}");
    assert!(!said.contains("finished"), "{said}");
}

#[test]
fn what_lowered_the_word_is_named() {
    let lowered = |at: (u32, u32)| Lowered {
        before: 6,
        value: 2,
        by: Position {
            tile: tile(at.0, at.1),
            processor: Processor::Brisc,
            pc: 0x1_7d00,
            symbol: Some("kernel_main".to_owned()),
            frames: vec![SourceFrame {
                function: "kernel_main".to_owned(),
                file: "kernels/k.cpp".to_owned(),
                line: 14,
            }],
        },
    };
    let held = |awaited, at| {
        let wait = awaiting(exactly(awaited), signal(4));
        report(&[Waiting { lowered: Some(Box::new(lowered(at))), ..wait }])
    };
    let said = held(5, (1, 1));
    let expected = "lowered from 6 to 2 by (1,1) BRISC in kernel_main of";
    assert!(said.contains(expected) && said.contains("k.cpp:14"), "{said}");
    // The core waits for less than the word holds.
    assert!(!held(3, (1, 1)).contains("lowered"));
    // The program has no kernel there.
    assert!(!held(5, (5, 5)).contains("lowered"));
}

#[test]
fn a_wrong_number_of_transfers_names_the_register_and_both_numbers() {
    let acknowledgements = 0xFFB2_0204;
    let at = |value| wait((1, 1), Processor::Brisc, acknowledgements, value);
    let said = report(&[awaiting(exactly(3), at(2))]);
    let expected = "waits for NIU_MST_WR_ACK_RECEIVED of NoC 0 to be exactly 3: it counts 2 \
                    acknowledgements of writes, and nothing is on its way; a multicast with a wrong \
                    number of destinations does that";
    assert!(said.contains(expected), "{said}");
    let said = report(&[at(2)]);
    let expected = "waits for another number of acknowledgements of writes than the 2 that came \
                    (NIU_MST_WR_ACK_RECEIVED of NoC 0), and nothing is on its way";
    assert!(said.contains(expected), "{said}");
    let reads = wait((1, 1), Processor::Brisc, acknowledgements + 4, 2);
    assert!(!report(std::slice::from_ref(&reads)).contains("multicast"));
    let uncounted = "noc_async_read_inc_num_issued";
    for (awaited, more_came) in [(1, true), (u32::MAX, true), (2, false), (3, false)] {
        let said = report(&[awaiting(exactly(awaited), reads.clone())]);
        assert_eq!(said.contains(uncounted), more_came, "{awaited}: {said}");
    }
    let sent = wait((1, 1), Processor::Brisc, 0xFFB2_0228, 2);
    let said = report(&[awaiting(exactly(1), sent)]);
    assert!(said.contains("requests that it did not count"), "{said}");
}

#[test]
fn requests_of_the_other_kernel_on_the_same_noc_are_mentioned_if_more_came() {
    let acknowledgements = 0xFFB2_0204;
    let shared = "on NCRISC also made requests on NoC 0: both processors share that NoC's counters";
    for (at, awaited, more_came) in
        [((1, 1), 1, true), ((1, 1), u32::MAX, true), ((1, 1), 3, false), ((5, 5), 1, false)]
    {
        let wait = wait(at, Processor::Brisc, acknowledgements, 2);
        let said = report(&[awaiting(exactly(awaited), wait)]);
        // The program has no kernel on (5,5).
        assert_eq!(said.contains(shared), more_came, "{at:?} {awaited}: {said}");
    }
}

#[test]
fn a_word_that_is_no_semaphore_has_the_name_of_its_owner() {
    let capture = capture();
    let address = capture.record.as_ref().unwrap().addresses.iter();
    let address = address.filter(|it| it.object == ObjectKind::CircularBuffer);
    let address = address.map(|it| it.address).max().unwrap();
    let said = report(&[awaiting(exactly(3), wait((1, 1), Processor::Brisc, address + 4, 1))]);
    let expected = format!("the word at {:#x} (byte 4 of page 0 of circular buffer", address + 4);
    assert!(said.contains(&expected) && said.contains("to be exactly 0x3: it holds 0x1"), "{said}");
}

/// Such a core has nothing to watch, so the device reports its pc as the word.
#[test]
fn a_loop_over_a_cores_own_memory_shows_no_word() {
    let mut own = wait((1, 1), Processor::Brisc, 0x1_7cec, 0x0000_A783);
    own.last_writer = Some(Writer::Host);
    let said = report(&[own.clone()]);
    let expected = "pc 0x17cec: waits for nothing that could change: its loop reads only the core's own memory and registers";
    assert!(said.ends_with(expected), "{said}");
    // A word elsewhere is a word that the core waits for.
    own.address = TileAddress(0x1_7cf0);
    let said = report(&[own]);
    assert!(said.contains("waits for the word at 0x17cf0, which holds 0xa783"), "{said}");
}

#[test]
fn cores_that_stand_in_the_same_line_and_wait_alike_are_one_entry() {
    let turn = |x, y| awaiting(exactly(2), wait((x, y), Processor::Brisc, SEMAPHORE, 0));
    let all: Vec<Waiting> = (0..8).flat_map(|x| (2..10).map(move |y| turn(x, y))).collect();
    let said = report(&all);
    assert!(said.starts_with("64 cores (0,2)–(7,9) BRISC  in kernel_main"), "{said}");
    assert_eq!(said.lines().count(), 3, "{said}");
    assert!(
        said.contains("63 other cores could still change the semaphore, but wait, too"),
        "{said}"
    );

    let scattered: Vec<Waiting> = (2..8).map(|x| turn(x, x)).collect();
    let said = report(&scattered);
    assert!(said.starts_with("6 cores (2,2) (3,3) (4,4) (5,5) … BRISC"), "{said}");

    // Another value, line or processor is reported separately.
    let other_value = Waiting { value: 1, ..turn(1, 0) };
    let mut other_line = turn(2, 0);
    other_line.frames[0].line = 10;
    let other_processor = Waiting { processor: Processor::Ncrisc, ..turn(3, 0) };
    for other in [other_value, other_line, other_processor] {
        let said = report(&[turn(0, 0), other]);
        assert!(!said.contains("2 cores"), "{said}");
    }
}

#[test]
fn a_report_of_many_groups_is_cut_off() {
    let waits: Vec<Waiting> =
        (0..20).map(|x| wait((x % 8, x / 8), Processor::Brisc, 0x5000 + u64::from(x), 1)).collect();
    let said = report(&waits);
    assert!(said.ends_with("and 8 cores more"), "{said}");
}

/// A refused kernel stands on no core, even if the call that made it comes first.
#[test]
fn a_refused_kernel_runs_nowhere() {
    let mut capture = capture();
    let makes = |made: &RecordedCommand| matches!(made.command, Command::CreateKernel(_));
    let place = capture.program.commands.iter().position(makes).unwrap();
    let mut refused = capture.program.commands.get(place).unwrap().clone();
    let Command::CreateKernel(kernel) = &mut refused.command else { panic!("a kernel") };
    let (name, processor) = (kernel.name.clone(), *kernel.config.processors().first().unwrap());
    let core = kernel.cores.first().unwrap().start;
    kernel.name = "refused".to_owned();
    refused.outcome = Outcome::Unfinished;
    capture.program.commands.insert(place, refused);
    let tile = capture.chip().physical(core).unwrap();
    let program = StoppedProgram::new(&capture, CommandIndex(7));
    let kernel = program.kernel_on(tile, processor).map(|(kernel, _)| kernel);
    assert_eq!(kernel, Some(name.as_str()));
}

/// The same program with a compute kernel `compute` on (1,1).
fn with_a_compute_kernel() -> Capture {
    let mut capture = capture();
    let created = capture.program.commands.iter().find_map(|made| match &made.command {
        Command::CreateKernel(call) if call.name == "consume" => Some(call.clone()),
        _ => None,
    });
    let mut call = created.unwrap();
    call.name = "compute".to_owned();
    call.config = KernelConfig::compute(MathFidelity::HiFi4);
    let command = Command::CreateKernel(call);
    capture.program.commands.push(RecordedCommand { command, outcome: Outcome::Done });
    capture
}

#[test]
fn kernels_that_wait_for_one_end_of_a_circular_buffer_are_told() {
    let capture = with_a_compute_kernel();
    let program = StoppedProgram::new(&capture, CommandIndex(6));
    let said = |waits: &[Waiting]| shared_ends::lines(&program, waits);
    let (received, acknowledged) = page_counts();
    let pages = |processor| wait((1, 1), processor, received, 0);
    let room = |processor| wait((1, 1), processor, acknowledged, 0);
    assert_eq!(
        said(&[pages(Processor::Trisc0), pages(Processor::Ncrisc), room(Processor::Brisc)]),
        [
            "`consume` and `compute` both wait for pages of circular buffer 0 `stage`, and a circular buffer has one consumer: do \
             the arguments of `compute` name the right circular buffers, in the right order?"
        ]
    );
    assert_eq!(
        said(&[room(Processor::Brisc), room(Processor::Ncrisc)]),
        [
            "`produce` and `consume` both wait for room in circular buffer 0 `stage`, and a circular buffer has one producer: do \
             the arguments of `produce` and `consume` name the right circular buffers, in the right order?"
        ]
    );
    // Each end has one kernel: threads of one kernel, or the two ends.
    let none: [&str; 0] = [];
    assert_eq!(said(&[pages(Processor::Trisc0), pages(Processor::Trisc2)]), none);
    assert_eq!(said(&[pages(Processor::Trisc0), room(Processor::Brisc)]), none);
    assert_eq!(said(&[signal(1), wait((2, 2), Processor::Ncrisc, SEMAPHORE, 0)]), none);
}
