//! Runtime arguments over several launches.

use hallmark_schema::model::{Command, RelocatedArgument};

use super::*;

/// The calls that set arguments, in order.
fn settings(conversion: &Conversion) -> Vec<&Command> {
    let commands = conversion.capture.program.commands.iter().map(|recorded| &recorded.command);
    commands
        .filter(|command| {
            matches!(
                command,
                Command::SetRuntimeArgs(_)
                    | Command::SetCommonRuntimeArgs(_)
                    | Command::UpdateCommonRuntimeArgs(_)
            )
        })
        .collect()
}

#[test]
fn a_later_launch_sets_what_changed_and_equal_cores_together() {
    let mut recording = RecordingBuilder::new();
    recording.describe(1, vec![kernel("k.cpp")]);
    let all = |last: &[u32]| {
        let cores = vec![
            words((0, 0), &[1, 2]),
            words((0, 1), &[1, 2]),
            words((1, 0), &[1, 2]),
            words((1, 1), last),
        ];
        vec![KernelArguments { common: Vec::new(), cores }]
    };
    recording.enqueue(1, all(&[3, 4]));
    recording.enqueue(1, all(&[3, 4]));
    recording.enqueue(1, all(&[3, 5]));
    let conversion = recording.convert();
    let sets: Vec<Vec<(usize, Vec<u32>)>> = settings(&conversion)
        .iter()
        .map(|command| match command {
            Command::SetRuntimeArgs(call) => {
                let sets = call.args.iter();
                sets.map(|set| (set.cores.len(), set.values.clone())).collect()
            }
            other => panic!("{other:?}"),
        })
        .collect();
    // Three of four cores form two ranges.
    assert_eq!(sets, [vec![(2, vec![1, 2]), (1, vec![3, 4])], vec![(1, vec![3, 5])]]);
}

#[test]
fn common_arguments_are_set_once_and_then_changed_word_by_word() {
    let mut recording = RecordingBuilder::new();
    let buffer = recording.dram(0x1000, 64);
    recording.describe(1, vec![kernel("k.cpp")]);
    let common =
        |words: &[u32]| vec![KernelArguments { common: words.to_vec(), cores: Vec::new() }];
    recording.enqueue(1, common(&[0x1000, 2, 3, 4, 5]));
    recording.enqueue(1, common(&[0x1000, 2, 3, 4, 5]));
    recording.enqueue(1, common(&[9, 8, 3, 4, 0x1000]));
    recording.read(buffer, &[0; 64]);
    let conversion = recording.convert();
    let set = settings(&conversion);
    let [
        Command::SetCommonRuntimeArgs(first),
        Command::UpdateCommonRuntimeArgs(head),
        Command::UpdateCommonRuntimeArgs(tail),
    ] = set.as_slice()
    else {
        panic!("{set:?}");
    };
    assert_eq!((first.values.as_slice(), first.relocations.len()), ([0, 2, 3, 4, 5].as_slice(), 1));
    assert_eq!(
        (head.first, head.values.as_slice(), head.relocations.len()),
        (0, [9, 8].as_slice(), 0)
    );
    assert_eq!((tail.first, tail.values.as_slice()), (4, [0].as_slice()));
    assert_eq!(tail.relocations.first().map(|it| it.index), Some(0));
}

#[test]
fn another_number_of_common_arguments_ends_the_program() {
    let mut recording = RecordingBuilder::new();
    recording.describe(1, vec![kernel("a/device/k.cpp")]);
    let common =
        |words: &[u32]| vec![KernelArguments { common: words.to_vec(), cores: Vec::new() }];
    recording.enqueue(1, common(&[1]));
    recording.enqueue(1, common(&[1, 2]));
    recording.enqueue(1, common(&[1]));
    let conversion = recording.convert();
    let launches = conversion.capture.program.commands.iter();
    assert_eq!(launches.filter(|it| matches!(it.command, Command::EnqueueProgram(_))).count(), 1);
    let reason = Inconvertible::CommonArguments { kernel: 0 };
    assert_eq!(
        conversion.missing,
        [Missing::Launches { program: "a_0".to_owned(), launch: 1, reason }]
    );
}

#[test]
fn a_word_of_a_buffer_that_is_gone_stays_until_its_core_changes() {
    let mut recording = RecordingBuilder::new();
    let buffer = recording.dram(0x1000, 64);
    recording.describe(1, vec![kernel("k.cpp")]);
    recording.launch(1, &[0x1000, 1]);
    recording.event(Event::BufferFreed { buffer });
    recording.launch(1, &[0x1000, 1]);
    recording.launch(1, &[0x1000, 2]);
    let conversion = recording.convert();
    let set = settings(&conversion);
    let [Command::SetRuntimeArgs(first), Command::SetRuntimeArgs(second)] = set.as_slice() else {
        panic!("{set:?}");
    };
    assert_eq!(first.args[0].relocations.len(), 1);
    // The freed buffer can no longer be referred to.
    assert_eq!(second.args[0].values, [0x1000, 2]);
    assert_eq!(second.args[0].relocations, []);
}

#[test]
fn the_same_word_is_another_buffer_once_its_memory_was_given_again() {
    let mut recording = RecordingBuilder::new();
    let buffer = recording.dram(0x1000, 64);
    recording.describe(1, vec![kernel("k.cpp")]);
    recording.launch(1, &[0x1000]);
    recording.event(Event::BufferFreed { buffer });
    recording.dram(0x1000, 96);
    recording.launch(1, &[0x1000]);
    let conversion = recording.convert();
    let buffers: Vec<RelocatedArgument> = settings(&conversion)
        .iter()
        .map(|command| match command {
            Command::SetRuntimeArgs(call) => call.args[0].relocations[0].argument,
            other => panic!("{other:?}"),
        })
        .collect();
    let of = |id| RelocatedArgument::BufferAddress { buffer: BufferId(id), offset: 0 };
    assert_eq!(buffers, [of(0), of(1)]);
}

#[test]
fn of_two_buffers_at_an_address_the_newer_one_is_meant_and_both_are_counted() {
    let mut recording = RecordingBuilder::new();
    recording.dram(0x1000, 64);
    recording.l1(0x1000, 64);
    recording.describe(1, vec![kernel("k.cpp")]);
    recording.launch(1, &[0x1000]);
    let conversion = recording.convert();
    assert_eq!((conversion.relocations.matched, conversion.relocations.ambiguous), (1, 1));
    let set = settings(&conversion);
    let [Command::SetRuntimeArgs(call)] = set.as_slice() else { panic!("{set:?}") };
    let argument = RelocatedArgument::BufferAddress { buffer: BufferId(1), offset: 0 };
    assert_eq!(call.args[0].relocations[0].argument, argument);
}

#[test]
fn the_addresses_of_scratchpads_are_no_numbers_and_never_change() {
    let mut recording = RecordingBuilder::new();
    // A buffer at the address of the scratchpad.
    let buffer = recording.dram(0x1AD00, 64);
    let scratchpads = vec![Scratchpad { argument: 1, size: 96 }];
    recording.describe(1, vec![KernelDescription { scratchpads, ..kernel("k.cpp") }]);
    let common =
        |words: &[u32]| vec![KernelArguments { common: words.to_vec(), cores: Vec::new() }];
    // The first launch is recorded before upstream has placed the scratchpad.
    recording.enqueue(1, common(&[0x1AD00, 0, 7]));
    recording.enqueue(1, common(&[0x1AD00, 0x1AD00, 7]));
    recording.enqueue(1, common(&[0x1AD00, 0x1AD00, 8]));
    recording.read(buffer, &[0; 64]);
    let conversion = recording.convert();
    let set = settings(&conversion);
    let [Command::SetCommonRuntimeArgs(first), Command::UpdateCommonRuntimeArgs(later)] =
        set.as_slice()
    else {
        panic!("{set:?}");
    };
    assert_eq!(first.values, [0, 0, 7]);
    let scratchpads = first.relocations.iter().map(|it| it.argument.scratchpad());
    assert_eq!(scratchpads.collect::<Vec<_>>(), [None, Some(96)]);
    assert_eq!((later.first, later.values.as_slice()), (2, [8].as_slice()));
}
