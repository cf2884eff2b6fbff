//! Conversions of recordings that the tests write.

mod arguments;
mod buffers;
mod cuts;
mod ends;
mod programs;
mod recording;
mod second;
mod sources;

use hallmark_chip::LogicalCore;
use hallmark_metalium::ReleaseDescription;
use hallmark_schema::model::{BufferId, Origin, RelocationCheck};
use hallmark_schema::{dump, program_bytes};

use super::*;
use crate::event::*;
use recording::*;

/// The calls of a capture as in `hallmark dump`, without alignment.
fn lines(conversion: &Conversion) -> Vec<String> {
    dump(&conversion.capture)
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect()
}

/// The origin of a capture.
fn origin(conversion: &Conversion) -> &Origin {
    let record = conversion.capture.record.as_ref();
    record.and_then(|record| record.origin.as_ref()).expect("the recorder says how")
}

/// A program that copies one buffer into another.
fn copy() -> RecordingBuilder {
    let mut recording = RecordingBuilder::new();
    copy_into(&mut recording);
    recording
}

fn copy_into(recording: &mut RecordingBuilder) {
    let shift = recording.shift as u32;
    let from = recording.dram(0x1000, 64);
    let to = recording.dram(0x2000, 64);
    recording.write(from, &[7; 64]);
    recording.describe(1, vec![kernel("ttnn/cpp/ttnn/operations/copy/device/kernels/move.cpp")]);
    recording.launch(1, &[0x1000 + shift, 0x2000 + shift, 64]);
    recording.event(Event::Finish { queue: QUEUE });
    recording.read(to, &[7; 64]);
    recording.event(Event::ProcessEnded);
}

#[test]
fn a_recording_becomes_its_calls() {
    let conversion = copy().convert();
    assert_eq!(conversion.missing, []);
    insta::assert_snapshot!(lines(&conversion).join("\n"));
    let record = conversion.capture.record.as_ref().unwrap();
    assert_eq!(record.addresses.iter().map(|it| it.address).collect::<Vec<_>>(), [0x1000, 0x2000]);
    assert_eq!(record.reads.len(), 1);
    assert_eq!(conversion.relocations.words, 3);
    assert_eq!(conversion.relocations.matched, 2);
}

#[test]
fn the_program_says_nothing_of_the_machine() {
    let first = copy().convert();
    // Another process with another path on the machine, and with other buffer addresses on the chip.
    let mut other = RecordingBuilder::empty();
    for mut entry in RecordingBuilder::new().entries {
        if let Event::LibraryLoaded(loaded) = &mut entry.event {
            loaded.process = 1;
            loaded.folder = "/tmp".to_owned();
            loaded.path = "/elsewhere/libtt_metal.so".to_owned();
        }
        other.entries.push(entry);
    }
    other.shift = 0x4_0000;
    copy_into(&mut other);
    let second = other.convert();
    let bytes = |conversion: &Conversion| program_bytes(&conversion.capture.program).unwrap();
    assert_eq!(bytes(&first), bytes(&second));
    assert_ne!(first.capture.record, second.capture.record);
}

/// The release of the recordings.
fn description() -> &'static ReleaseDescription {
    ReleaseDescription::of_version("0.81.1").expect("it is described")
}

#[test]
fn a_command_without_a_device_gives_no_capture() {
    let read = |_: &std::path::Path| None;
    let options = ConversionOptions {
        read: &read,
        release: "0.81.1",
        description: description(),
        build_id: "b1",
        kernel_compiler: "gcc",
        data: DataPolicy::Whole,
        second: None,
    };
    let mut recording = copy();
    recording.entries.retain(|entry| !matches!(entry.event, Event::DeviceOpened(_)));
    assert_eq!(convert(&recording.entries, &options), Err(ConversionError::NoDevice));
    let mut recording = copy();
    for entry in &mut recording.entries {
        if let Event::DeviceOpened(opened) = &mut entry.event {
            opened.architecture = 4;
        }
    }
    let error = convert(&recording.entries, &options).unwrap_err();
    assert_eq!(error, ConversionError::Architecture { architecture: 4 });
}

#[test]
fn events_and_traces_have_ids_of_their_own() {
    let mut recording = copy();
    recording.entries.pop();
    let event = ObservedEvent { queue: 1, number: 17 };
    recording.event(Event::EventRecorded { event, host_visible: true });
    recording.event(Event::EventWaitedFor { queue: 0, event });
    // A host that polls in a loop polls an arbitrary number of times.
    for has_happened in [false, false, true] {
        recording.event(Event::EventQueried { event, has_happened });
    }
    let trace = ObservedTrace(40);
    recording.event(Event::TraceBegun { queue: 0, trace });
    recording.launch(1, &[0x2000, 0x1000, 64]);
    recording.event(Event::TraceEnded { queue: 0, trace });
    recording.event(Event::TraceReplayed { queue: 0, trace, blocking: true });
    recording.event(Event::TraceReleased { trace });
    recording.event(Event::TraceReplayed { queue: 0, trace, blocking: true });
    recording.event(Event::Finish { queue: 7 });
    let conversion = recording.convert();
    insta::assert_snapshot!(lines(&conversion).split_off(10).join("\n"));
    let missing: Vec<String> = conversion.missing.iter().map(ToString::to_string).collect();
    assert_eq!(
        missing,
        [
            "a call of replay_trace that names a trace or event from before the recording",
            "calls on queue 7, of which the device has 2",
        ]
    );
}

#[test]
fn another_device_is_named_and_the_same_one_again_is_not() {
    let mut recording = copy();
    recording.entries.pop();
    recording.event(Event::DeviceClosed { device: 0 });
    let Event::DeviceOpened(opened) = recording.entries[1].event.clone() else { unreachable!() };
    recording.event(Event::DeviceOpened(DeviceOpened { device: 1, ..opened.clone() }));
    assert_eq!(recording.convert().missing, []);
    let before = recording.convert().capture.program.commands;
    // A second device beside it, with a buffer and a write of its own.
    recording.event(Event::DeviceOpened(DeviceOpened { device: 2, ..opened.clone() }));
    let buffer = recording.dram(0x1000, 64);
    recording.write(buffer, &[1; 64]);
    let conversion = recording.convert();
    assert_eq!(conversion.missing, [Missing::OtherDevice { device: 2 }]);
    assert_eq!(conversion.capture.program.commands, before);
    let mut recording = copy();
    recording.entries.pop();
    recording.event(Event::DeviceClosed { device: 0 });
    recording.event(Event::DeviceOpened(DeviceOpened { device: 3, l1_small_size: 64, ..opened }));
    assert_eq!(recording.convert().missing, [Missing::OtherDevice { device: 3 }]);
}
