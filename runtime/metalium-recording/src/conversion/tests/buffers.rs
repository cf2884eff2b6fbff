//! Buffers, views, and transfers of their content.

use hallmark_schema::commands;
use hallmark_schema::model::{BufferRegion, Command, CommandKind, CoreRange};

use super::*;

/// A buffer at an address chosen by the program.
fn shown(
    recording: &mut RecordingBuilder,
    address: u64,
    size: u64,
    page_size: u64,
) -> ObservedBuffer {
    let buffer = recording.dram(address, size);
    let made = recording.last_buffer();
    made.is_at_given_address = true;
    made.page_size = page_size;
    buffer
}

#[test]
fn a_buffer_inside_another_with_the_same_pages_is_a_view() {
    let mut recording = RecordingBuilder::new();
    // 24 pages over 12 banks: two in each, at 0 and 64.
    recording.dram(0x1000, 24 * 32);
    recording.last_buffer().size_per_bank = 128;
    let start = shown(&mut recording, 0x1000, 64, 32);
    let second_row = shown(&mut recording, 0x1040, 64, 32);
    recording.write(start, &[1; 64]);
    recording.write(second_row, &[2; 64]);
    recording.describe(1, vec![kernel("k.cpp")]);
    recording.launch(1, &[0x1000, 0x1040]);
    recording.event(Event::BufferFreed { buffer: second_row });
    let conversion = recording.convert();
    assert_eq!(conversion.missing, []);
    let views: Vec<BufferRegion> = conversion
        .capture
        .program
        .commands
        .iter()
        .filter_map(|recorded| match &recorded.command {
            Command::CreateBufferView(commands::CreateBufferView { region, .. }) => Some(*region),
            _ => None,
        })
        .collect();
    let region = |offset| BufferRegion { offset, size: 64 };
    assert_eq!(views, [region(0), region(12 * 32)]);
    let arguments = lines(&conversion).into_iter().find(|line| line.contains("set_runtime_args"));
    let arguments = arguments.unwrap();
    assert!(arguments.contains("buffer0") && arguments.contains("+ 64"), "{arguments}");
}

#[test]
fn a_buffer_inside_another_with_other_pages_is_known_by_its_address_alone() {
    let mut recording = RecordingBuilder::new();
    recording.dram(0x1000, 128);
    let reshaped = shown(&mut recording, 0x1000, 128, 64);
    recording.describe(1, vec![kernel("k.cpp")]);
    recording.launch(1, &[0x1000]);
    recording.read(reshaped, &[0; 128]);
    recording.event(Event::BufferFreed { buffer: reshaped });
    let conversion = recording.convert();
    let made = conversion.capture.program.commands.iter();
    assert_eq!(made.filter(|it| it.command.kind() == CommandKind::CreateBuffer).count(), 1);
    assert_eq!(conversion.relocations.matched, 1);
    let [missing] = conversion.missing.as_slice() else { panic!("{:?}", conversion.missing) };
    assert_eq!(
        missing.to_string(),
        "a read of 128 B at byte 0 of buffer 1 of the recording, because the buffer shows the memory of another one with other pages"
    );
}

#[test]
fn a_buffer_where_nothing_is_has_no_place() {
    let mut recording = RecordingBuilder::new();
    let nowhere = shown(&mut recording, 0x9000, 64, 32);
    recording.write(nowhere, &[1; 64]);
    let conversion = recording.convert();
    let missing: Vec<String> = conversion.missing.iter().map(ToString::to_string).collect();
    assert_eq!(
        missing,
        [
            "buffer 0 of the recording (64 B), because the program chose its address 36864, where it has no other buffer",
            "a write of 64 B at byte 0 of buffer 0 of the recording, because the capture lacks the buffer",
        ]
    );
}

/// A change that makes a buffer different.
type Change = fn(&mut BufferAllocated);

#[test]
fn what_captures_do_not_have_is_named() {
    let changes: [(Change, BufferProblem); 4] = [
        (|made| made.buffer_type = 2, BufferProblem::Type { buffer_type: 2 }),
        (|made| made.layout = 1, BufferProblem::Layout { layout: 1 }),
        (|made| made.page_size = 48, BufferProblem::PageSize { page_size: 48 }),
        (|made| made.layout = 2, BufferProblem::Sharding),
    ];
    for (change, reason) in changes {
        let mut recording = RecordingBuilder::new();
        recording.dram(0x1000, 64);
        change(recording.last_buffer());
        // The next buffer becomes the capture's first.
        let kept = recording.dram(0x2000, 64);
        recording.write(kept, &[0; 64]);
        let conversion = recording.convert();
        assert_eq!(conversion.missing, [Missing::Buffer { number: 0, bytes: 64, reason }]);
        assert_eq!(conversion.capture.program.commands.len(), 2);
    }
}

#[test]
fn a_sharded_buffer_keeps_its_shards() {
    let mut recording = RecordingBuilder::new();
    recording.l1(0x1000, 128);
    let made = recording.last_buffer();
    made.layout = 2;
    made.sharding = Some(Sharding {
        cores: cores(0, 0, 1, 0),
        shape: (2, 8),
        orientation: 0,
        page_shape: (1, 8),
        tensor_shape_in_pages: (4, 1),
    });
    let conversion = recording.convert();
    assert_eq!(conversion.missing, []);
    let Command::CreateBuffer(call) = &conversion.capture.program.commands[0].command else {
        panic!("{:?}", conversion.capture.program.commands);
    };
    let spec = call.shard_spec.as_ref().unwrap();
    assert_eq!(spec.cores.iter().copied().flat_map(CoreRange::cores).count(), 2);
    assert_eq!((spec.shape.height, spec.shape.width), (2, 8));
}

#[test]
fn parts_of_pages_and_lost_bytes_are_named() {
    let mut recording = RecordingBuilder::new();
    let buffer = recording.dram(0x1000, 64);
    recording.event(Event::Written { transfer: transfer(buffer, 32, 32), data: vec![1; 32] });
    recording.event(Event::Written { transfer: transfer(buffer, 16, 32), data: vec![1; 32] });
    recording.event(Event::Written { transfer: transfer(buffer, 0, 64), data: vec![1; 63] });
    recording.event(Event::ReadBegun { read: 5, transfer: transfer(buffer, 0, 64) });
    recording.event(Event::ProcessEnded);
    let conversion = recording.convert();
    assert_eq!(conversion.capture.program.commands.len(), 2);
    let reasons: Vec<TransferProblem> = conversion
        .missing
        .iter()
        .map(|missing| match missing {
            Missing::Transfer { reason, .. } => *reason,
            other => panic!("{other}"),
        })
        .collect();
    use TransferProblem::{NoBytes, PartOfPage};
    assert_eq!(reasons, [PartOfPage, NoBytes, NoBytes]);
}

#[test]
fn a_buffer_that_was_freed_unobserved_is_gone_once_its_memory_is_given_again() {
    let mut recording = RecordingBuilder::new();
    recording.dram(0x1000, 64);
    recording.dram(0x2000, 64);
    recording.l1(0x1020, 64);
    recording.dram(0x1020, 64);
    let conversion = recording.convert();
    let lines = lines(&conversion);
    // Neither the adjacent buffer nor the one in the other memory is freed.
    let freed: Vec<&String> = lines.iter().filter(|line| line.contains("deallocate")).collect();
    assert_eq!(freed, ["3 deallocate_buffer buffer0"]);
}
