//! Reads that are inserted, and the call that stands for the end of the queues.

use hallmark_schema::commands::{self, Command};
use hallmark_schema::limits::DATA_BYTES;
use hallmark_schema::model::{
    BufferId, BufferRegion, Capture, CommandIndex, CommandKind, Outcome, QueueId, QueuesEnd,
    TraceId,
};
use hallmark_schema_editing::{Edit, InsertedExpectation, apply, with_end_as_call};

use super::captures::{FINISH, buffer, of, released};
use super::removal::{read, write};

/// Two buffers, and a read of the second one, of 4 pages of 64 B, behind them.
fn inserted(capture: &Capture, region: Option<BufferRegion>) -> bool {
    let edit = Edit::InsertRead {
        after: CommandIndex(1),
        queue: QueueId(0),
        buffer: BufferId(1),
        region,
        output: "seen".to_owned(),
        expectation: InsertedExpectation::Unchecked,
    };
    let edited = apply(&[edit], capture);
    let reads = edited.capture.program.commands.iter();
    let reads = reads.filter(|recorded| recorded.command.kind() == CommandKind::EnqueueReadBuffer);
    let has_read = reads.count() == 1;
    assert_eq!(edited.skipped.is_empty(), has_read);
    has_read
}

#[test]
fn a_read_of_whole_pages_within_the_buffer_is_inserted_and_no_other() {
    let capture = of(vec![buffer(0), buffer(1), FINISH]);
    let region = |offset, size| inserted(&capture, Some(BufferRegion { offset, size }));
    assert!(inserted(&capture, None));
    assert!(region(64, 192) && region(192, 64));
    assert!(!region(128, 192), "a page behind the end");
    assert!(!region(256, 64), "all of it behind the end");
    assert!(!region(64, 0), "nothing");
    assert!(!region(64, 96), "half a page at the end");
    assert!(!region(32, 64), "halves of two pages");
    assert!(!region(u64::MAX - 63, 64), "the end is no address");
}

#[test]
fn a_read_brings_at_most_what_one_call_can() {
    let of_size = |size| {
        let mut large = buffer(1);
        let Command::CreateBuffer(call) = &mut large else { panic!("no buffer") };
        call.size = size;
        of(vec![buffer(0), large, FINISH])
    };
    assert!(inserted(&of_size(DATA_BYTES), None));
    let larger = of_size(DATA_BYTES + 64);
    assert!(!inserted(&larger, None));
    let last = BufferRegion { offset: 64, size: DATA_BYTES };
    assert!(inserted(&larger, Some(last)));
}

/// A capture of these calls, with work that nobody waited for and that ended so, of some queues.
fn ended(commands: Vec<Command>, queues: u8, outcome: Outcome) -> Capture {
    let mut capture = of(commands);
    capture.program.num_command_queues = queues;
    let record = released().into_iter().find_map(|(_, capture)| capture.record);
    let mut record = record.unwrap();
    record.faults = Vec::new();
    record.expected_faults = Vec::new();
    record.at_end = Some(QueuesEnd { outcome, expected: false });
    capture.record = Some(record);
    capture
}

/// The call that stands for the end, if there is one, and its outcome.
fn end(capture: &Capture) -> Option<(Command, Outcome)> {
    let with_end = with_end_as_call(capture);
    let made = with_end.program.commands.get(capture.program.commands.len())?;
    assert_eq!(with_end.program.commands.len(), capture.program.commands.len() + 1);
    assert!(with_end.at_end().is_none());
    Some((made.command.clone(), made.outcome.clone()))
}

fn on(queue: u8, mut command: Command) -> Command {
    match &mut command {
        Command::EnqueueWriteBuffer(call) => call.queue = QueueId(queue),
        Command::EnqueueReadBuffer(call) => call.queue = QueueId(queue),
        Command::Finish(call) => call.queue = QueueId(queue),
        other => panic!("{other:?}"),
    }
    command
}

fn finish(queue: u8) -> Command {
    on(queue, FINISH)
}

fn begin(queue: u8, trace: u32) -> Command {
    let (queue, trace) = (QueueId(queue), TraceId(trace));
    Command::BeginTraceCapture(commands::BeginTraceCapture { queue, trace, name: String::new() })
}

#[test]
fn the_end_is_a_call_that_waits_for_every_queue_that_captures_no_trace() {
    let one = ended(vec![buffer(0), write(0)], 1, Outcome::Done);
    assert_eq!(end(&one), Some((finish(0), Outcome::Done)));
    let two = ended(vec![buffer(0), on(1, write(0))], 2, Outcome::Done);
    assert_eq!(end(&two), Some((commands::Synchronize {}.into(), Outcome::Done)));
    let traced = ended(vec![buffer(0), write(0), begin(1, 0)], 2, Outcome::Done);
    assert_eq!(end(&traced), Some((finish(0), Outcome::Done)));
    let traced = ended(vec![buffer(0), on(1, write(0)), begin(0, 0)], 2, Outcome::Done);
    assert_eq!(end(&traced), Some((finish(1), Outcome::Done)));
    // Each queue captures a trace, so that no call can wait.
    let commands = vec![buffer(0), write(0), begin(0, 0), begin(1, 1)];
    assert_eq!(end(&ended(commands, 2, Outcome::Done)), None);
}

#[test]
fn work_that_a_call_has_waited_for_needs_no_call_at_the_end() {
    let waited = ended(vec![buffer(0), write(0), FINISH], 1, Outcome::Done);
    assert_eq!(end(&waited), None);
    // The wait is for the other queue.
    let other = ended(vec![buffer(0), on(1, write(0)), FINISH], 2, Outcome::Done);
    assert_eq!(end(&other), Some((commands::Synchronize {}.into(), Outcome::Done)));
    // The bytes of a read that nobody waited for are unknown, those of one before a wait are not.
    let open = ended(vec![buffer(0), read(0, "seen")], 1, Outcome::Done);
    assert_eq!(end(&open), Some((finish(0), Outcome::Unfinished)));
    let closed = ended(vec![buffer(0), read(0, "seen"), FINISH, write(0)], 1, Outcome::Done);
    assert_eq!(end(&closed), Some((finish(0), Outcome::Done)));
}
