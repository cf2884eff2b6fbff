//! Two recordings of the same command, the second with its buffers elsewhere.

use hallmark_schema::model::{Command, RelocatedArgument};

use super::*;

const SHIFT: u64 = 0x4_0000;

/// Launches a program with these words; those of the second recording beside them.
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
    // The last byte of the buffer, and not the one behind it.
    assert_eq!(relocations(&conversion), [(0, 0xff)]);
    assert_eq!(conversion.relocations.with_offset, 1);
    assert_eq!(conversion.relocations.unexplained, 1);
    assert!(conversion.capture.program.placement_bound);
    let [word] = conversion.placement_bound.as_slice() else {
        panic!("{:?}", conversion.placement_bound);
    };
    assert_eq!((word.index, word.core), (1, Some(LogicalCore { x: 0, y: 0 })));
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
    assert_eq!(conversion.nondeterministic.len(), 1);
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
