//! Cuts, and captures without data.

use hallmark_schema::model::{Command, CommandKind, Expectation};

use super::*;

/// A program and its three buffers.
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

fn missing(conversion: &Conversion) -> Vec<String> {
    conversion.missing.iter().map(ToString::to_string).collect()
}

/// The buffers of the writes or reads of a capture.
fn buffers(conversion: &Conversion, kind: CommandKind) -> Vec<u32> {
    let commands = conversion.capture.program.commands.iter();
    let moved = commands.filter(|recorded| recorded.command.kind() == kind);
    moved
        .filter_map(|recorded| match &recorded.command {
            Command::EnqueueWriteBuffer(call) => Some(call.buffer.0),
            Command::EnqueueReadBuffer(call) => Some(call.buffer.0),
            _ => None,
        })
        .collect()
}

fn contents(recording: &mut RecordingBuilder, cut: Event, all: &[(ObservedBuffer, u8)]) {
    recording.event(cut);
    for (buffer, byte) in all {
        recording.event(Event::ContentsReadBack { buffer: *buffer, data: vec![*byte; 64] });
    }
}

/// A launch between two cuts; it reads the second buffer and writes the third.
fn one_launch() -> RecordingBuilder {
    let (mut recording, [first, second, third]) = chain();
    recording.event(Event::CutBegun);
    recording.write(first, &[1; 64]);
    recording.launch(1, &[0x1000, 0x2000]);
    recording.event(Event::Finish { queue: QUEUE });
    contents(&mut recording, Event::CutEnded, &[(first, 1), (second, 2), (third, 0)]);
    recording.launch(1, &[0x2000, 0x3000]);
    contents(&mut recording, Event::CutBegun, &[(first, 1), (second, 2), (third, 3)]);
    recording.launch(1, &[0x3000, 0x1000]);
    recording.read(first, &[4; 64]);
    recording
}

#[test]
fn a_cut_leaves_work_out_and_what_was_read_back_stands_for_it() {
    let conversion = one_launch().convert();
    // No call reads the first buffer. Whether the launch reads the third or writes the second is unknown.
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
            "finish",
            "finish",
            "enqueue_read_buffer",
            "enqueue_read_buffer",
        ]
    );
    assert_eq!(buffers(&conversion, CommandKind::EnqueueWriteBuffer), [1, 2]);
    assert_eq!(buffers(&conversion, CommandKind::EnqueueReadBuffer), [1, 2]);
    assert_eq!(checked(&conversion), [true, true]);
    let expected = "2 launches that were left out as asked; at the cuts the recorder waited for the device and read buffers back, of which 2 are written behind the cuts and 2 are read in front of them";
    assert_eq!(missing(&conversion), [expected]);
}

#[test]
fn what_a_second_run_reads_back_otherwise_is_not_checked() {
    let (first, mut second) = (one_launch(), one_launch());
    let last = second.entries.iter_mut().rev().find_map(|entry| match &mut entry.event {
        Event::ContentsReadBack { data, .. } => Some(data),
        _ => None,
    });
    last.expect("contents were read back").fill(9);
    let conversion = first.checked_by(&second);
    assert_eq!(checked(&conversion), [true, false]);
    assert!(matches!(conversion.differences[..], [Difference::Returned { .. }]));
}

#[test]
fn a_buffer_that_is_written_anew_or_never_used_again_is_not_written_behind_a_cut() {
    let (mut recording, [first, second, third]) = chain();
    contents(&mut recording, Event::CutBegun, &[]);
    contents(&mut recording, Event::CutEnded, &[(first, 1), (second, 2), (third, 3)]);
    recording.write(first, &[2; 64]);
    recording.read(first, &[2; 64]);
    // A view refers to the same memory.
    let view = recording.dram(0x2000, 64);
    recording.last_buffer().is_at_given_address = true;
    recording.read(view, &[2; 64]);
    recording.event(Event::BufferFreed { buffer: third });
    let conversion = recording.convert();
    assert_eq!(buffers(&conversion, CommandKind::EnqueueWriteBuffer), [1, 0]);
    // The recorder's actions are reported even if no launch was left out.
    let expected = "0 launches that were left out as asked; at the cuts the recorder waited for the device and read buffers back, of which 1 is written behind the cuts and 0 are read in front of them";
    assert_eq!(missing(&conversion), [expected]);
}

#[test]
fn what_waits_for_a_cut_waits_for_nothing() {
    let (mut recording, _) = chain();
    let event = |number| ObservedEvent { queue: QUEUE, number };
    recording.event(Event::CutBegun);
    recording.event(Event::EventRecorded { event: event(1), host_visible: true });
    recording.event(Event::CutEnded);
    recording.event(Event::EventWaitedFor { queue: 1, event: event(1) });
    recording.event(Event::EventSynchronized { event: event(1) });
    recording.event(Event::EventRecorded { event: event(2), host_visible: true });
    recording.event(Event::EventSynchronized { event: event(2) });
    let conversion = recording.convert();
    assert_eq!(kinds(&conversion)[3..], ["enqueue_record_event", "event_synchronize"]);
    assert_eq!(missing(&conversion), [""; 0]);
}

/// A trace within a cut, replayed in it, and also after it if `is_replayed`.
fn cut_trace(is_replayed: bool) -> Conversion {
    let (mut recording, [first, second, _]) = chain();
    let trace = ObservedTrace(7);
    recording.event(Event::CutBegun);
    for _ in 0..2 {
        recording.launch(1, &[0x1000, 0x2000]);
    }
    recording.event(Event::TraceBegun { queue: QUEUE, trace });
    recording.launch(1, &[0x1000, 0x2000]);
    recording.event(Event::TraceEnded { queue: QUEUE, trace });
    recording.event(Event::TraceReplayed { queue: QUEUE, trace, blocking: false });
    contents(&mut recording, Event::CutEnded, &[(first, 1), (second, 2)]);
    if is_replayed {
        recording.event(Event::TraceReplayed { queue: QUEUE, trace, blocking: false });
    }
    contents(&mut recording, Event::CutBegun, &[(first, 1), (second, 3)]);
    recording.launch(1, &[0x1000, 0x2000]);
    recording.event(Event::TraceReleased { trace });
    recording.convert()
}

#[test]
fn a_trace_is_whole_if_it_is_replayed_and_else_not_there() {
    let conversion = cut_trace(true);
    assert_eq!(
        kinds(&conversion)[3..],
        [
            // A trace needs an earlier launch of its program.
            "create_program",
            "create_kernel",
            "set_runtime_args",
            "enqueue_program",
            "begin_trace_capture",
            "enqueue_program",
            "end_trace_capture",
            "enqueue_write_buffer",
            "enqueue_write_buffer",
            "replay_trace",
            "finish",
            "finish",
            "enqueue_read_buffer",
            "enqueue_read_buffer",
            "release_trace",
        ]
    );
    assert_eq!(buffers(&conversion, CommandKind::EnqueueReadBuffer), [0, 1]);
    let expected = "2 launches that were left out as asked, beside 1 launch that stays because a trace holds its program; ";
    assert!(missing(&conversion)[0].starts_with(expected), "{:?}", conversion.missing);
    let conversion = cut_trace(false);
    assert_eq!(kinds(&conversion)[3..], [""; 0]);
    assert_eq!(conversion.missing.len(), 1, "{:?}", conversion.missing);
}

/// Sets the launches that a recording was requested for.
fn ask(recording: &mut RecordingBuilder, selection: Selection) {
    let loaded = recording.entries.iter_mut().find_map(|entry| match &mut entry.event {
        Event::LibraryLoaded(loaded) => Some(loaded),
        _ => None,
    });
    loaded.expect("a library was loaded").selection = selection;
}

#[test]
fn what_never_came_is_named_beside_what_did() {
    let (mut recording, _) = chain();
    recording.describe(2, vec![kernel("b/device/k.cpp")]);
    for program in [2, 1, 2] {
        recording.launch(program, &[0x1000]);
    }
    let never = |only: &[&str], skip: &[&str], from: Option<&str>, until: Option<&str>| {
        let mut recording = recording.clone();
        let operation = |text: &str| text.parse().expect("the test names operations");
        ask(
            &mut recording,
            Selection {
                only: only.iter().map(|text| operation(text)).collect(),
                skip: skip.iter().map(|text| operation(text)).collect(),
                from: from.map(operation),
                until: until.map(operation),
            },
        );
        missing(&recording.convert())
    };
    let none: [&str; 0] = [];
    assert_eq!(never(&["a", "2"], &["b"], Some("1"), Some("b")), none);
    assert_eq!(
        never(&["c", "a"], &["3"], Some("b"), Some("2")),
        [
            "the operation `c` of --only, which never came; the command launched 3 programs: `b`, `a`",
            "launch 3 of --skip, which never came; the command launched 3 programs: `b`, `a`",
        ]
    );
    assert_eq!(
        never(&[], &[], Some("2"), Some("a")),
        [
            "the operation `a` of --until, which never came in the range; the command launched 3 programs: `b`, `a`"
        ]
    );
    recording.entries.retain(|entry| !matches!(entry.event, Event::ProgramEnqueued(_)));
    let missing = {
        let mut recording = recording.clone();
        let from = Some(crate::selection::Operation::Number(0));
        ask(&mut recording, Selection { from, ..Selection::default() });
        missing(&recording.convert())
    };
    assert_eq!(missing, ["launch 0 of --from, which never came; the command launched 0 programs"]);
}

/// For each read, whether a replay must return the same bytes.
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
    // In order: a read before the launch; of its possible output; of a result derived from it; of an unrelated
    // buffer; of a rewritten one.
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
    // Only sources remain.
    assert_eq!(capture.blobs.len(), capture.program.sources.len());
    assert_eq!(checked(&conversion), [true, false]);
}
