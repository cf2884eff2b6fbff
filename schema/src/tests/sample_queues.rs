//! A capture of two queues with events and a trace, and the rules of both.

use std::collections::BTreeMap;

use super::samples::{buffer, core, done, failed, program, record};
use crate::commands;
use crate::error::Rule;
use crate::model::*;

const FIRST: QueueId = QueueId(0);
const SECOND: QueueId = QueueId(1);

/// The call that waits for every queue, added by format 1.1.
pub(crate) fn synchronized() -> Capture {
    let mut program = program(vec![
        done(record_event(SECOND, 0, true, None)),
        done(commands::Synchronize {}.into()),
    ]);
    program.num_command_queues = 2;
    Capture { program, record: Some(record()), outputs: Vec::new(), blobs: Blobs::new() }
}

fn record_event(queue: QueueId, event: u32, host_visible: bool, number: Option<u32>) -> Command {
    let name = "written".to_owned();
    Command::EnqueueRecordEvent(commands::EnqueueRecordEvent {
        queue,
        event: EventId(event),
        name,
        host_visible,
        number,
    })
}

const fn enqueue(blocking: bool) -> Command {
    Command::EnqueueProgram(commands::EnqueueProgram {
        queue: FIRST,
        program: ProgramId(0),
        blocking,
    })
}

fn begin(queue: QueueId, trace: u32) -> Command {
    Command::BeginTraceCapture(commands::BeginTraceCapture {
        queue,
        trace: TraceId(trace),
        name: "steps".to_owned(),
    })
}

const fn end(queue: QueueId, trace: u32) -> Command {
    Command::EndTraceCapture(commands::EndTraceCapture { queue, trace: TraceId(trace) })
}

const fn replay(trace: u32, blocking: bool) -> Command {
    Command::ReplayTrace(commands::ReplayTrace { queue: FIRST, trace: TraceId(trace), blocking })
}

fn collect(trace: u32, collected: &str) -> Command {
    Command::CollectTrace(commands::CollectTrace {
        trace: TraceId(trace),
        collected: collected.to_owned(),
    })
}

fn load(trace: u32, from: &str, buffers: Vec<TraceBuffer>) -> Command {
    let (name, from) = ("loaded".to_owned(), from.to_owned());
    Command::LoadTrace(commands::LoadTrace { trace: TraceId(trace), name, from, buffers })
}

fn kernel() -> Vec<RecordedCommand> {
    vec![
        done(buffer(0, "input", 64, 64)),
        done(Command::CreateProgram(commands::CreateProgram {
            program: ProgramId(0),
            name: "p".to_owned(),
        })),
        done(Command::CreateKernel(commands::CreateKernel {
            kernel: KernelId(0),
            name: "k".to_owned(),
            program: ProgramId(0),
            source: "kernels/echo.cpp".to_owned(),
            cores: vec![CoreRange::single(core(0, 0))],
            config: KernelConfig::data_movement(DataMovementProcessor::Riscv0, NocId::Noc0),
            compile_args: vec![],
            defines: BTreeMap::new(),
            named_compile_args: BTreeMap::new(),
            opt_level: None,
            bindings: None,
        })),
        done(enqueue(true)),
    ]
}

fn capture(commands: Vec<RecordedCommand>) -> Capture {
    let mut program = program(commands);
    program.num_command_queues = 2;
    program.trace_region_size = 1024;
    let source = b"echo".as_slice();
    let hash = ContentHash::of(source);
    program.sources = vec![SourceFile { path: "kernels/echo.cpp".to_owned(), hash }];
    let blobs = [(hash, source.into())].into();
    Capture { program, record: Some(record()), outputs: Vec::new(), blobs }
}

/// Two queues, events between them and to the host, a trace that fits and one that does not.
pub(crate) fn queues() -> Capture {
    let mut commands = kernel();
    commands.extend([
        done(record_event(SECOND, 0, false, None)),
        done(Command::EnqueueWaitForEvent(commands::EnqueueWaitForEvent {
            queue: FIRST,
            event: EventId(0),
        })),
        done(begin(FIRST, 0)),
        done(enqueue(false)),
        done(end(FIRST, 0)),
        done(replay(0, false)),
        done(record_event(FIRST, 1, true, Some(2))),
        done(Command::EventSynchronize(commands::EventSynchronize { event: EventId(1) })),
        done(Command::EventQuery(commands::EventQuery { event: EventId(1), expected: Some(true) })),
        done(Command::EventQuery(commands::EventQuery { event: EventId(1), expected: None })),
        done(begin(FIRST, 1)),
        failed(end(FIRST, 1), Failure::TraceRegionTooSmall { size: 2048, limit: 1024 }),
        done(replay(0, true)),
        done(collect(0, "bytes")),
        done(Command::ReleaseTrace(commands::ReleaseTrace { trace: TraceId(0) })),
        failed(replay(0, true), Failure::ReleasedObject { object: ObjectKind::Trace, id: 0 }),
        done(load(2, "bytes", vec![])),
        done(buffer(1, "elsewhere", 64, 64)),
        done(Command::DeallocateBuffer(commands::DeallocateBuffer { buffer: BufferId(0) })),
        failed(
            load(3, "bytes", vec![]),
            Failure::TraceBuffersUnplaced { buffer: BufferId(0), unplaced: 1 },
        ),
        failed(load(4, "bytes", vec![]), Failure::TraceCircularBuffersClash { core: core(0, 0) }),
        done(load(5, "bytes", vec![TraceBuffer { recorded: BufferId(0), buffer: BufferId(1) }])),
        done(replay(5, true)),
        done(Command::Finish(commands::Finish { queue: SECOND })),
    ]);
    let collects = |made: &RecordedCommand| made.command.kind() == CommandKind::CollectTrace;
    let command = commands.iter().position(collects).unwrap() as u32;
    let mut capture = capture(commands);
    let bytes = b"what the firmware makes of it".as_slice();
    let hash = ContentHash::of(bytes);
    capture.blobs.insert(hash, bytes.into());
    let record = capture.record.as_mut().unwrap();
    record.collected = vec![CollectedBytes { command: CommandIndex(command), hash }];
    capture
}

/// Adds completed commands to a capture that keeps every rule, and returns the rule that they break.
fn broken(more: Vec<RecordedCommand>) -> Rule {
    let mut commands = kernel();
    commands.extend(more);
    match capture(commands).program.validate().unwrap_err().problem {
        crate::error::Problem::Rule(rule) => rule,
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_was_done_is_possible_while_a_queue_records_a_trace() {
    let tracing = |command| broken(vec![done(begin(FIRST, 0)), done(command)]);
    let finish = Command::Finish(commands::Finish { queue: FIRST });
    for command in [
        begin(FIRST, 1),
        end(SECOND, 0),
        enqueue(true),
        replay(0, false),
        Command::ReleaseTrace(commands::ReleaseTrace { trace: TraceId(0) }),
        record_event(FIRST, 0, false, None),
        finish,
    ] {
        let rule = tracing(command.clone());
        assert!(matches!(rule, Rule::Tracing { .. }), "{command:?}: {rule:?}");
    }
    // The other queue is free.
    let mut commands = kernel();
    commands.extend([done(begin(FIRST, 0)), done(record_event(SECOND, 0, false, None))]);
    capture(commands).program.validate().unwrap();
}

#[test]
fn a_trace_that_did_not_fit_is_gone_and_so_is_one_that_was_released() {
    let too_small = Failure::TraceRegionTooSmall { size: 2048, limit: 1024 };
    let unfit =
        vec![done(begin(FIRST, 0)), failed(end(FIRST, 0), too_small), done(replay(0, true))];
    assert!(matches!(broken(unfit), Rule::NotUsable { object: ObjectKind::Trace, .. }));
    let release = Command::ReleaseTrace(commands::ReleaseTrace { trace: TraceId(0) });
    let released =
        vec![done(begin(FIRST, 0)), done(end(FIRST, 0)), done(release), done(replay(0, true))];
    assert!(matches!(broken(released), Rule::NotUsable { object: ObjectKind::Trace, .. }));
}

#[test]
fn queues_and_events_exist_before_they_are_used() {
    let third = broken(vec![done(Command::Finish(commands::Finish { queue: QueueId(2) }))]);
    assert!(matches!(third, Rule::NoSuchQueue { queue: 2, queues: 2 }));
    let wait = Command::EnqueueWaitForEvent(commands::EnqueueWaitForEvent {
        queue: FIRST,
        event: EventId(0),
    });
    let early = broken(vec![done(wait), done(record_event(SECOND, 0, false, None))]);
    assert!(matches!(early, Rule::Undefined { object: ObjectKind::Event, id: 0 }));
    for queues in [0, 3] {
        let mut capture = queues_of(queues);
        capture.trace_region_size = 0;
        let error = capture.validate().unwrap_err();
        assert_eq!(error.problem, Rule::CommandQueues { queues }.into());
    }
    let failure = Failure::QueueRace { first: CommandIndex(0), second: CommandIndex(9) };
    let later = broken(vec![failed(Command::Finish(commands::Finish { queue: FIRST }), failure)]);
    assert!(matches!(later, Rule::NotEarlier { command: CommandIndex(9) }));
}

#[test]
fn a_trace_is_loaded_from_what_was_collected_before() {
    let collected = || vec![done(begin(FIRST, 0)), done(end(FIRST, 0)), done(collect(0, "bytes"))];
    let with = |more: RecordedCommand| [collected(), vec![more]].concat();
    let rule = broken(with(done(load(1, "other", vec![]))));
    assert_eq!(rule, Rule::NotCollected { name: "other".to_owned() });
    let rule = broken(vec![done(begin(FIRST, 0)), done(collect(0, "bytes"))]);
    assert!(matches!(rule, Rule::Tracing { .. }));
    // The failed call has collected no bytes, but takes the name.
    let early = Failure::TraceNotCaptured { trace: TraceId(0) };
    let refused = vec![done(begin(FIRST, 0)), failed(collect(0, "bytes"), early)];
    let rule = broken([refused.clone(), vec![done(load(1, "bytes", vec![]))]].concat());
    assert_eq!(rule, Rule::NotCollected { name: "bytes".to_owned() });
    let again = vec![done(end(FIRST, 0)), done(collect(0, "bytes"))];
    let rule = broken([refused, again].concat());
    assert_eq!(rule, Rule::CollectedTwice { name: "bytes".to_owned() });
    let pair =
        |recorded, buffer| TraceBuffer { recorded: BufferId(recorded), buffer: BufferId(buffer) };
    let rule = broken(with(done(load(1, "bytes", vec![pair(1, 0)]))));
    assert_eq!(rule, Rule::Undefined { object: ObjectKind::Buffer, id: 1 });
    let rule = broken(with(done(load(1, "bytes", vec![pair(0, 0), pair(0, 0)]))));
    assert_eq!(rule, Rule::NotAscending);
    let rule = broken(with(done(load(3, "bytes", vec![]))));
    assert_eq!(rule, Rule::IdOutOfOrder { expected: 1, found: 3 });
}

#[test]
fn a_record_names_the_commands_that_collected() {
    let mut capture = queues();
    capture.validate().unwrap();
    let record = capture.record.as_mut().unwrap();
    let there = record.collected[0];
    record.collected = vec![CollectedBytes { command: CommandIndex(0), ..there }];
    let error = capture.validate().unwrap_err();
    assert_eq!(error.problem, Rule::NotThatCollect { command: CommandIndex(0) }.into());
    capture.record.as_mut().unwrap().collected = vec![there, there];
    assert_eq!(capture.validate().unwrap_err().problem, Rule::NotAscending.into());
}

fn queues_of(queues: u8) -> ProgramPart {
    let mut program = program(Vec::new());
    program.num_command_queues = queues;
    program
}
