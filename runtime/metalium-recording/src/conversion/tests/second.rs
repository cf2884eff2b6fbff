//! Two recordings of the same command, the second with other buffer addresses.

use hallmark_schema::model::{Command, RelocatedArgument};

use super::*;

const SHIFT: u64 = 0x4_0000;

/// Launches a program with pairs of words: those of the first and of the second recording.
fn two(words: &[(u32, u32)]) -> Conversion {
    let record = |shift, pick: fn(&(u32, u32)) -> u32| {
        let mut recording = RecordingBuilder::new();
        recording.shift = shift;
        recording.dram(0x1000, 0x100);
        recording.describe(1, vec![kernel("k.cpp")]);
        recording.launch(1, &words.iter().map(pick).collect::<Vec<_>>());
        recording.event(Event::ProcessEnded);
        recording
    };
    record(0, |word| word.0).checked_by(&record(SHIFT, |word| word.1))
}

fn relocations(conversion: &Conversion) -> Vec<(u32, u32)> {
    let set =
        conversion.capture.program.commands.iter().find_map(|recorded| match &recorded.command {
            Command::SetRuntimeArgs(call) => call.args.first(),
            _ => None,
        });
    let relocations = set.map(|set| set.relocations.as_slice()).unwrap_or_default();
    relocations
        .iter()
        .map(|relocation| match relocation.argument {
            RelocatedArgument::BufferAddress { offset, .. } => (relocation.index, offset),
            other => panic!("{other:?}"),
        })
        .collect()
}

const MOVED: u32 = SHIFT as u32;

#[test]
fn a_word_that_moved_with_its_buffer_is_the_address() {
    let conversion = two(&[(7, 7), (0x1000, 0x1000 + MOVED)]);
    assert_eq!(relocations(&conversion), [(1, 0)]);
    let statistics = &conversion.relocations;
    assert_eq!((statistics.words, statistics.moved, statistics.matched), (2, 1, 1));
}

#[test]
fn a_word_behind_the_address_that_moved_with_the_buffer_has_an_offset() {
    let conversion = two(&[(0x10ff, 0x10ff + MOVED), (0x1100, 0x1100 + MOVED)]);
    // The last byte of the buffer, and not the byte after it.
    assert_eq!(relocations(&conversion), [(0, 0xff)]);
    assert_eq!(conversion.relocations.with_offset, 1);
    assert_eq!(conversion.relocations.unexplained, 1);
    assert!(conversion.capture.program.placement_bound);
    let [word] = conversion.placement_bound.as_slice() else {
        panic!("{:?}", conversion.placement_bound);
    };
    assert_eq!((word.index, word.core), (1, Some(LogicalCore { x: 0, y: 0 })));
    let origin = origin(&conversion);
    assert_eq!(origin.placement_bound_words, [word.word()]);
    assert_eq!(origin.relocations, RelocationCheck::Checked);
}

#[test]
fn a_word_that_equals_an_address_and_stays_is_a_number() {
    let conversion = two(&[(0x1000, 0x1000)]);
    assert_eq!(relocations(&conversion), []);
    assert_eq!(conversion.relocations.refuted, 1);
    assert!(!conversion.capture.program.placement_bound);
}

#[test]
fn a_word_that_differs_otherwise_is_no_address() {
    let conversion = two(&[(5, 6)]);
    assert_eq!(relocations(&conversion), []);
    assert!(!conversion.capture.program.placement_bound);
    let [difference] = conversion.differences.as_slice() else {
        panic!("{:?}", conversion.differences);
    };
    assert!(matches!(difference, Difference::Arguments { .. }), "{difference}");
}

#[test]
fn a_buffer_that_stays_leaves_its_words_undecided() {
    let mut recording = RecordingBuilder::new();
    recording.dram(0x1000, 0x100);
    recording.describe(1, vec![kernel("k.cpp")]);
    recording.launch(1, &[0x1000]);
    let conversion = recording.checked_by(&recording.clone());
    assert_eq!(relocations(&conversion), [(0, 0)]);
    assert_eq!(conversion.relocations.undecided, 1);
}

#[test]
fn of_two_buffers_at_an_address_the_one_that_moved_so_is_meant() {
    let record = |shift: u32| {
        let mut recording = RecordingBuilder::new();
        recording.dram(0x1000 + u64::from(shift), 64);
        recording.l1(0x1000 + 2 * u64::from(shift), 64);
        recording.describe(1, vec![kernel("k.cpp")]);
        recording.launch(1, &[0x1000 + shift]);
        recording
    };
    let conversion = record(0).checked_by(&record(0x100));
    assert_eq!(conversion.relocations.ambiguous, 0);
    let Some(Command::SetRuntimeArgs(call)) = conversion
        .capture
        .program
        .commands
        .iter()
        .map(|it| &it.command)
        .find(|it| matches!(it, Command::SetRuntimeArgs(_)))
    else {
        panic!();
    };
    let first = RelocatedArgument::BufferAddress { buffer: BufferId(0), offset: 0 };
    assert_eq!(call.args[0].relocations[0].argument, first);
}

/// A command that writes, launches and reads, with its buffer moved by `shift`.
fn course(shift: u64, data: &[u8], compile_arg: u32, returned: &[u8]) -> RecordingBuilder {
    let mut recording = RecordingBuilder::new();
    recording.shift = shift;
    let buffer = recording.dram(0x1000, 64);
    recording.write(buffer, data);
    let mut kernel = kernel("k.cpp");
    kernel.compile_args = vec![1, compile_arg];
    recording.describe(1, vec![kernel]);
    recording.launch(1, &[0x1000 + shift as u32]);
    recording.read(buffer, returned);
    recording
}

#[test]
fn what_differs_beside_addresses_is_said_and_no_relocation() {
    let first = course(0, &[1; 64], 7, &[9; 64]);
    let same = first.checked_by(&course(SHIFT, &[1; 64], 7, &[9; 64]));
    assert_eq!(same.differences, []);
    let other = first.checked_by(&course(SHIFT, &[2; 64], 8, &[8; 64]));
    let said: Vec<String> = other.differences.iter().map(ToString::to_string).collect();
    assert_eq!(
        said,
        [
            "command 1 writes data of which 16 words differ",
            "command 3 makes kernel 0 with other compile-time arguments, definitions or text",
            "command 6 read other bytes; the capture does not check the read",
        ]
    );
    assert!(!other.capture.program.placement_bound);
    let unchecked = other.capture.program.commands.iter().any(|recorded| {
        let Command::EnqueueReadBuffer(call) = &recorded.command else { return false };
        matches!(call.expectation, hallmark_schema::model::Expectation::Unchecked { .. })
    });
    assert!(unchecked);
}

#[test]
fn addresses_outside_of_arguments_bind_the_capture_to_its_placement() {
    let data = |address: u32| {
        let mut data = vec![1; 64];
        data[4..8].copy_from_slice(&address.to_le_bytes());
        data
    };
    let first = course(0, &data(0x1000), 0x1000, &[9; 64]);
    let second = course(SHIFT, &data(0x1000 + MOVED), 0x1000 + MOVED, &[9; 64]);
    let conversion = first.checked_by(&second);
    assert!(conversion.capture.program.placement_bound);
    let [Difference::AddressesInData { words: 1, .. }] = conversion.differences.as_slice() else {
        panic!("{:?}", conversion.differences);
    };
    let [word] = conversion.placement_bound.as_slice() else {
        panic!("{:?}", conversion.placement_bound);
    };
    assert_eq!((word.command.0, word.core, word.index), (3, None, 1));
}

#[test]
fn nothing_is_checked_behind_the_call_in_which_two_runs_part() {
    let first = course(0, &[1; 64], 7, &[9; 64]);
    let mut second = course(SHIFT, &[1; 64], 7, &[9; 64]);
    second
        .entries
        .insert(4, Entry { thread: ThreadNumber(0), event: Event::Finish { queue: QUEUE } });
    let conversion = first.checked_by(&second);
    assert_eq!(conversion.differences, [Difference::Course { number: 3 }]);
    // The launch comes after the difference, so its word is interpreted by its value alone.
    assert_eq!((conversion.relocations.matched, conversion.relocations.moved), (1, 0));
}
