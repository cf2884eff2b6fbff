//! The differences that `diff` finds between captures that were changed in one respect, and nothing else.

use hallmark_chip::Fault;

use super::samples;
use crate::class::FieldClass;
use crate::commands;
use crate::model::*;
use crate::{DifferencePlace, diff};

#[test]
fn equal_captures_have_no_difference() {
    for (name, capture) in samples::all() {
        let differences = diff(&capture, &capture);
        assert!(differences.is_empty(), "{name}: {differences}");
        let mut referenced = capture.clone();
        referenced.blobs.clear();
        assert!(diff(&capture, &referenced).is_empty(), "{name}");
    }
}

#[test]
fn a_capture_that_moved() {
    let before = samples::pipeline();
    let mut after = before.clone();
    for recorded in &mut after.program.commands {
        match &mut recorded.command {
            Command::CreateCircularBuffer(commands::CreateCircularBuffer {
                indices,
                total_size,
                ..
            }) => {
                indices[0].page_size = 1024;
                *total_size = 8192;
            }
            Command::SetRuntimeArgs(commands::SetRuntimeArgs { args, .. }) => {
                args[0].values[1] = 16;
                args[0].relocations[0].argument =
                    RelocatedArgument::BufferAddress { buffer: BufferId(0), offset: 32 };
                args[0].relocations[2].argument = RelocatedArgument::CoreNocX { x: 0, y: 1 };
            }
            Command::CreateKernel(commands::CreateKernel {
                kernel: KernelId(1),
                defines,
                cores,
                config,
                ..
            }) => {
                defines.insert("STAGE".to_owned(), "9".to_owned());
                defines.remove("EMPTY");
                cores.pop();
                *config = KernelConfig::data_movement(DataMovementProcessor::Riscv0, NocId::Noc0);
            }
            Command::EnqueueReadBuffer(commands::EnqueueReadBuffer { expectation, .. }) => {
                *expectation = Expectation::Exact { hash: ContentHash::of(b"x") };
            }
            Command::EnqueueWriteBuffer(commands::EnqueueWriteBuffer { data, .. }) => {
                data.length += 4
            }
            _ => {}
        }
    }
    after.program.sources.pop();
    insta::assert_snapshot!(diff(&before, &after));
}

#[test]
fn an_added_command_moves_no_other() {
    let before = samples::loopback();
    let mut after = before.clone();
    let commands = &mut after.program.commands;
    commands.insert(0, samples::done(samples::buffer(0, "extra", 64, 64)));
    // Every buffer's id and every command's index is now one higher.
    for recorded in commands.iter_mut().skip(1) {
        match &mut recorded.command {
            Command::CreateBuffer(commands::CreateBuffer { buffer, .. })
            | Command::EnqueueWriteBuffer(commands::EnqueueWriteBuffer { buffer, .. })
            | Command::EnqueueReadBuffer(commands::EnqueueReadBuffer { buffer, .. }) => {
                buffer.0 += 1
            }
            Command::SetRuntimeArgs(commands::SetRuntimeArgs { args, .. }) => {
                for relocation in &mut args[0].relocations {
                    if let RelocatedArgument::BufferAddress { buffer, .. } =
                        &mut relocation.argument
                    {
                        buffer.0 += 1;
                    }
                }
            }
            _ => {}
        }
    }
    let record = after.record.as_mut().unwrap();
    record.reads[0].command.0 += 1;
    record.reads[0].buffer.0 += 1;
    record.addresses.iter_mut().for_each(|assigned| assigned.id += 1);
    after.validate().unwrap();
    let differences = diff(&before, &after);
    assert_eq!(differences.as_slice().len(), 1, "{differences}");
    insta::assert_snapshot!(differences);
}

#[test]
fn the_same_id_of_another_object_is_a_difference() {
    let before = samples::loopback();
    let mut after = before.clone();
    for recorded in &mut after.program.commands {
        if let Command::SetRuntimeArgs(commands::SetRuntimeArgs { args, .. }) =
            &mut recorded.command
        {
            args[0].relocations[1].argument =
                RelocatedArgument::BufferAddress { buffer: BufferId(0), offset: 0 };
        }
    }
    let differences = diff(&before, &after);
    let text = differences.to_string();
    assert!(text.contains("core (0,0), argument 1: &dst → &src"), "{text}");
    assert_eq!(differences.count(FieldClass::Relocatable), 1);
}

#[test]
fn an_equal_id_may_be_of_another_object() {
    let before = samples::loopback();
    let mut after = before.clone();
    for recorded in &mut after.program.commands {
        if let Command::CreateBuffer(call) = &mut recorded.command {
            call.name = if call.name == "src" { "dst" } else { "src" }.to_owned();
        }
    }
    // The argument words are equal, but refer to the other buffers.
    let differences = diff(&before, &after).to_string();
    assert!(differences.contains("core (0,0), argument"), "{differences}");
}

#[test]
fn what_only_the_second_has() {
    let after = samples::loopback();
    let mut before = after.clone();
    let output = before.outputs.pop().unwrap();
    let source = before.program.sources.pop().unwrap();
    let differences = diff(&before, &after);
    let fields: Vec<&str> = differences.as_slice().iter().map(|it| it.field.as_str()).collect();
    assert_eq!(fields, [&format!("source {}", source.path), "length", "hash"]);
    let place = &differences.as_slice()[1].place;
    assert_eq!(*place, DifferencePlace::Output { name: output.name });
    assert!(differences.as_slice().iter().all(|it| it.first.is_none() && it.second.is_some()));
}

#[test]
fn common_arguments_are_told_by_their_number() {
    let before = super::sample_updates::updates();
    let mut after = before.clone();
    for recorded in &mut after.program.commands {
        match &mut recorded.command {
            Command::SetCommonRuntimeArgs(commands::SetCommonRuntimeArgs {
                values,
                relocations,
                ..
            }) => {
                values[1] = 8;
                relocations[1].argument = RelocatedArgument::CoreNocY { x: 1, y: 2 };
            }
            Command::UpdateCommonRuntimeArgs(commands::UpdateCommonRuntimeArgs {
                values, ..
            }) => values[1] = 11,
            _ => {}
        }
    }
    let text = diff(&before, &after).to_string();
    for line in [
        "command 3, set_common_runtime_args of `k` (id 0), common argument 1: 7 → 8",
        "common argument 2: x of (1,2) → y of (1,2)",
        "command 5, update_common_runtime_args of `k` (id 0), common argument 3: 10 → 11",
    ] {
        assert!(text.contains(line), "{line}\nin\n{text}");
    }
}

#[test]
fn where_it_ran_is_derived_or_volatile() {
    let before = samples::loopback();
    let mut after = before.clone();
    let record = after.record.as_mut().unwrap();
    record.addresses[1].address = 0x1040;
    record.firmware.launch_abi = 2;
    record.chip.device = "ttsim".to_owned();
    record.elfs[0].hash = ContentHash::of(b"another compiler");
    record.reads.clear();
    let differences = diff(&before, &after);
    assert!(!differences.in_program());
    insta::assert_snapshot!(differences);
}

#[test]
fn the_other_party_of_a_race_is_compared_by_field() {
    let before = samples::race();
    let mut after = before.clone();
    let faults = &mut after.record.as_mut().unwrap().faults;
    let mut first = faults[0].fault().clone();
    first.against.as_mut().unwrap().pc = Some(0x5b04);
    let second = Fault { against: None, ..faults[1].fault().clone() };
    *faults = [first, second].map(|fault| FaultRecord::new(CommandIndex(3), fault)).to_vec();
    insta::assert_snapshot!(diff(&before, &after));
}

#[test]
fn outcomes_are_compared_by_field() {
    let before = samples::fault();
    let mut after = before.clone();
    let enqueue = CommandIndex(2);
    let category = hallmark_chip::FaultCategory::DataRace;
    after.program.commands[3].outcome = Outcome::Failed(Failure::DeviceFault { category, enqueue });
    after.program.commands.pop();
    after.record.as_mut().unwrap().faults.pop();
    insta::assert_snapshot!(diff(&before, &after));
}

#[test]
fn words_that_stand_for_something_else_in_one_respect_are_told_apart() {
    use RelocatedArgument::{
        BufferAddress, CoreNocX, CoreNocY, ScratchpadAddress, SemaphoreAddress, ShardBankPair,
    };
    let with = |argument: RelocatedArgument| {
        let mut capture = samples::pipeline();
        for recorded in &mut capture.program.commands {
            if let Command::SetRuntimeArgs(call) = &mut recorded.command {
                call.args[0].relocations[0].argument = argument;
            }
        }
        capture
    };
    let buffer = |id, offset| BufferAddress { buffer: BufferId(id), offset };
    let semaphore = |id, offset| SemaphoreAddress { semaphore: SemaphoreId(id), offset };
    let shards = |id, pair| ShardBankPair { buffer: BufferId(id), pair };
    for [one, other] in [
        [buffer(0, 16), buffer(1, 16)],
        [buffer(0, 16), buffer(0, 32)],
        [semaphore(0, 0), semaphore(1, 0)],
        [semaphore(0, 0), semaphore(0, 4)],
        [shards(0, 1), shards(1, 1)],
        [shards(0, 1), shards(0, 2)],
        [CoreNocX { x: 1, y: 2 }, CoreNocX { x: 2, y: 2 }],
        [CoreNocX { x: 1, y: 2 }, CoreNocX { x: 1, y: 3 }],
        [CoreNocX { x: 1, y: 2 }, CoreNocY { x: 1, y: 2 }],
        [buffer(0, 0), shards(0, 0)],
        [ScratchpadAddress { size: 64 }, ScratchpadAddress { size: 96 }],
        [ScratchpadAddress { size: 0 }, buffer(0, 0)],
        [buffer(0, 0), semaphore(0, 0)],
    ] {
        let differences = diff(&with(one), &with(other));
        assert_eq!(differences.as_slice().len(), 1, "{one:?}, {other:?}: {differences}");
        assert_eq!(differences.count(FieldClass::Relocatable), 1, "{one:?}, {other:?}");
        assert!(diff(&with(one), &with(one)).is_empty(), "{one:?}");
    }
}

#[test]
fn reads_of_one_buffer_are_told_apart_by_their_outputs() {
    let before = samples::loopback().program;
    let is_read =
        |recorded: &RecordedCommand| recorded.command.kind() == CommandKind::EnqueueReadBuffer;
    let place = before.commands.iter().position(is_read).unwrap();
    let mut another = before.commands[place].clone();
    if let Command::EnqueueReadBuffer(call) = &mut another.command {
        call.output = "another".to_owned();
    }
    for at in [place, place + 1] {
        let mut after = before.clone();
        after.commands.insert(at, another.clone());
        let differences = crate::diff_programs(&before, &after);
        let places: Vec<&DifferencePlace> =
            differences.as_slice().iter().map(|difference| &difference.place).collect();
        let [DifferencePlace::Command { first: None, second, .. }] = places.as_slice() else {
            panic!("{differences}");
        };
        assert_eq!(*second, Some(CommandIndex(u32::try_from(at).unwrap())));
    }
}

#[test]
fn a_collected_trace_is_named_by_what_collected_it() {
    let before = super::sample_queues::queues();
    let mut after = before.clone();
    after.record.as_mut().unwrap().collected[0].hash = ContentHash::of(b"another firmware's");
    let text = diff(&before, &after).to_string();
    assert!(text.contains("`bytes`"), "{text}");
}

#[test]
fn only_hashes_are_shortened() {
    let with = |value: &str| {
        let mut capture = samples::pipeline();
        for recorded in &mut capture.program.commands {
            if let Command::CreateKernel(call) = &mut recorded.command {
                call.defines.insert("STAGE".to_owned(), value.to_owned());
            }
        }
        capture
    };
    let (digits, letters) = ("0123456789abcdef", "z".repeat(64));
    let text = diff(&with(digits), &with(&letters)).to_string();
    assert!(text.contains(digits), "{text}");
    assert!(text.contains(&letters), "{text}");
    let hash = ContentHash::of(b"x").to_string();
    let text = diff(&with(digits), &with(&hash)).to_string();
    assert!(!text.contains(&hash), "{text}");
    assert!(text.contains(&format!("{}…", &hash[..8])), "{text}");
}

#[test]
fn a_longer_list_is_told_whichever_capture_has_it() {
    let shorter = samples::pipeline();
    let mut longer = shorter.clone();
    for recorded in &mut longer.program.commands {
        if let Command::SetRuntimeArgs(call) = &mut recorded.command {
            call.args[0].values.push(7);
        }
    }
    for (first, second) in [(&shorter, &longer), (&longer, &shorter)] {
        let differences = diff(first, second);
        assert_eq!(differences.as_slice().len(), 1, "{differences}");
    }
}

#[test]
fn what_only_one_record_has_is_told_whichever_it_is() {
    let whole = samples::loopback();
    let omissions: [fn(&mut Record); 3] = [
        |record| record.addresses.truncate(1),
        |record| record.elfs.clear(),
        |record| record.reads.clear(),
    ];
    for omit in omissions {
        let mut lesser = whole.clone();
        omit(lesser.record.as_mut().unwrap());
        let (gone, new) = (diff(&whole, &lesser), diff(&lesser, &whole));
        assert_eq!((gone.as_slice().len(), new.as_slice().len()), (1, 1), "{gone}{new}");
        assert!(gone.as_slice()[0].second.is_none() && new.as_slice()[0].first.is_none());
    }
}

/// The first program's source buffer, which the second lacks, has the id of the second's only buffer.
#[test]
fn an_object_of_one_program_alone_is_none_of_the_other() {
    let before = samples::loopback().program;
    let mut after = before.clone();
    after.commands.retain(|recorded| match &recorded.command {
        Command::CreateBuffer(call) => call.name != "src",
        Command::EnqueueWriteBuffer(_) => false,
        _ => true,
    });
    for recorded in &mut after.commands {
        match &mut recorded.command {
            Command::CreateBuffer(call) => call.buffer = BufferId(0),
            Command::EnqueueReadBuffer(call) => call.buffer = BufferId(0),
            Command::SetRuntimeArgs(call) => {
                for relocation in &mut call.args[0].relocations {
                    relocation.argument =
                        RelocatedArgument::BufferAddress { buffer: BufferId(0), offset: 0 };
                }
            }
            _ => {}
        }
    }
    for (first, second, words) in
        [(&before, &after, "argument 0: &src → &dst"), (&after, &before, "argument 0: &dst → &src")]
    {
        let differences = crate::diff_programs(first, second).to_string();
        assert!(differences.contains(words), "{differences}");
        assert!(!differences.contains("argument 1"), "{differences}");
    }
}
