//! Parts that are left out, and data that is.

use hallmark_schema::model::{Command, Expectation};

use super::*;

/// A program and three buffers for it.
fn chain() -> (RecordingBuilder, [ObservedBuffer; 3]) {
    let mut recording = RecordingBuilder::new();
    let buffers = [0x1000, 0x2000, 0x3000].map(|address| recording.dram(address, 64));
    recording.describe(1, vec![kernel("a/device/k.cpp")]);
    (recording, buffers)
}

fn kinds(conversion: &Conversion) -> Vec<&'static str> {
    let commands = conversion.capture.program.commands.iter();
    commands.map(|recorded| recorded.command.kind().name()).collect()
}

#[test]
fn a_cut_leaves_work_out_and_writes_what_is_read_behind_it() {
    let (mut recording, [first, second, third]) = chain();
    recording.event(Event::CutBegun);
    recording.write(first, &[1; 64]);
    recording.launch(1, &[0x1000, 0x2000]);
    recording.event(Event::Finish { queue: QUEUE });
    recording.event(Event::CutEnded);
    for buffer in [first, second, third] {
        let data = (0..64).collect();
        recording.event(Event::ContentsReadBack { buffer, data });
    }
    recording.launch(1, &[0x2000, 0x3000]);
    recording.write(first, &[2; 64]);
    recording.read(first, &[2; 64]);
    recording.event(Event::CutBegun);
    recording.launch(1, &[0x2000, 0x1000]);
    let conversion = recording.convert();
    // The first buffer is written before it is read; whether the launch reads the third, nobody knows.
    assert_eq!(
        kinds(&conversion),
        [
            "create_buffer",
            "create_buffer",
            "create_buffer",
            "enqueue_write_buffer",
            "enqueue_write_buffer",
            "create_program",
            "create_kernel",
            "set_runtime_args",
            "enqueue_program",
            "enqueue_write_buffer",
            "enqueue_read_buffer",
        ]
    );
    let missing: Vec<String> = conversion.missing.iter().map(ToString::to_string).collect();
    assert_eq!(
        missing,
        [
            "2 launches that were left out as asked; 2 buffers were read back behind them and are written instead"
        ]
    );
    let written = conversion.capture.program.commands.iter().find_map(|recorded| {
        let Command::EnqueueWriteBuffer(call) = &recorded.command else { return None };
        Some(call.buffer.0)
    });
    assert_eq!(written, Some(1));
}

/// For each read whether a replay must return the same.
fn checked(conversion: &Conversion) -> Vec<bool> {
    let commands = conversion.capture.program.commands.iter();
    commands
        .filter_map(|recorded| match &recorded.command {
            Command::EnqueueReadBuffer(call) => {
                Some(matches!(call.expectation, Expectation::AsCaptured))
            }
            _ => None,
        })
        .collect()
}

#[test]
fn what_a_missing_program_may_have_made_is_not_checked() {
    let (mut recording, [first, second, third]) = chain();
    let mut ethernet = kernel("e.cpp");
    ethernet.options = KernelOptions::Other("EthernetKernel".to_owned());
    recording.describe(2, vec![ethernet]);
    recording.read(first, &[1; 64]);
    recording.launch(2, &[0x1000]);
    recording.launch(1, &[0x1010, 0x2000]);
    for buffer in [first, second, third] {
        recording.read(buffer, &[1; 64]);
    }
    recording.write(first, &[1; 64]);
    recording.read(first, &[1; 64]);
    // Before the launch; what it may have written, what was made of that, what neither named; and written anew.
    assert_eq!(checked(&recording.convert()), [true, false, false, true, true]);
}

#[test]
fn without_data_reads_are_not_checked() {
    let (mut recording, [first, ..]) = chain();
    recording.write(first, &[5; 64]);
    recording.read(first, &[5; 64]);
    let words: Vec<u8> = (0..16_u32).flat_map(u32::to_le_bytes).collect();
    recording.write(first, &words);
    recording.read(first, &words);
    let conversion = recording.convert_without_data();
    let capture = &conversion.capture;
    // Only sources are left.
    assert_eq!(capture.blobs.len(), capture.program.sources.len());
    assert_eq!(checked(&conversion), [true, false]);
}
