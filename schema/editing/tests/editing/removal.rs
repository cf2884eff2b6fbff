//! Removals and their dependents.

use hallmark_schema::commands::{self, Command};
use hallmark_schema::model::{
    ArgumentRelocation, BufferId, BufferRegion, Capture, CommandIndex, CoreArguments, CoreRange,
    Data, DataMovementProcessor, DataType, EventId, Expectation, Failure, Generator, KernelConfig,
    KernelId, NocId, ObjectKind, Outcome, ProgramId, QueueId, RelocatedArgument, SourceFile,
    TraceId,
};
use hallmark_schema::model::{CommandKind, ContentHash};
use hallmark_schema_editing::{Edit, Unit, apply};

use super::captures::{FINISH, buffer, of};

const QUEUE: QueueId = QueueId(0);

fn view(id: u32, parent: u32) -> Command {
    Command::CreateBufferView(commands::CreateBufferView {
        buffer: BufferId(id),
        name: String::new(),
        parent: BufferId(parent),
        region: BufferRegion { offset: 64, size: 128 },
    })
}

pub(crate) fn read(buffer: u32, output: &str) -> Command {
    Command::EnqueueReadBuffer(commands::EnqueueReadBuffer {
        queue: QUEUE,
        buffer: BufferId(buffer),
        output: output.to_owned(),
        blocking: false,
        expectation: Expectation::AsCaptured,
        region: None,
    })
}

pub(crate) fn write(buffer: u32) -> Command {
    let data = Data::generated(Generator::Constant { data_type: DataType::Uint32, bits: 7 }, 256);
    Command::EnqueueWriteBuffer(commands::EnqueueWriteBuffer {
        queue: QUEUE,
        buffer: BufferId(buffer),
        data,
        blocking: false,
        region: None,
    })
}

fn free(buffer: u32) -> Command {
    Command::DeallocateBuffer(commands::DeallocateBuffer { buffer: BufferId(buffer) })
}

pub(crate) fn program(id: u32) -> Command {
    let name = format!("program_{id}");
    Command::CreateProgram(commands::CreateProgram { program: ProgramId(id), name })
}

pub(crate) fn kernel(id: u32, program: u32) -> Command {
    Command::CreateKernel(commands::CreateKernel {
        kernel: KernelId(id),
        name: format!("kernel_{id}"),
        program: ProgramId(program),
        source: "kernels/k.cpp".to_owned(),
        cores: vec![CoreRange::single(hallmark_chip::LogicalCore { x: 0, y: 0 })],
        config: KernelConfig::data_movement(DataMovementProcessor::Riscv0, NocId::Noc0),
        compile_args: Vec::new(),
        defines: Default::default(),
        named_compile_args: Default::default(),
        opt_level: None,
        bindings: None,
    })
}

pub(crate) fn arguments(kernel: u32, buffer: u32) -> Command {
    let argument = RelocatedArgument::BufferAddress { buffer: BufferId(buffer), offset: 0 };
    Command::SetRuntimeArgs(commands::SetRuntimeArgs {
        kernel: KernelId(kernel),
        args: vec![CoreArguments {
            cores: vec![CoreRange::single(hallmark_chip::LogicalCore { x: 0, y: 0 })],
            values: vec![0, 4],
            relocations: vec![ArgumentRelocation { index: 0, argument }],
        }],
    })
}

pub(crate) fn launch(program: u32) -> Command {
    let (queue, blocking) = (QUEUE, false);
    Command::EnqueueProgram(commands::EnqueueProgram {
        queue,
        program: ProgramId(program),
        blocking,
    })
}

pub(crate) fn with_sources(mut capture: Capture) -> Capture {
    let hash = ContentHash::of(b"");
    capture.program.sources = vec![SourceFile { path: "kernels/k.cpp".to_owned(), hash }];
    capture.program.num_command_queues = 2;
    capture.validate().unwrap();
    capture
}

fn object(kind: ObjectKind, id: u32) -> Edit {
    Edit::Remove(Unit::Object { kind, id })
}

/// The remaining commands, by their original indices.
fn left(capture: &Capture, edits: &[Edit]) -> Vec<u32> {
    let edited = apply(edits, capture);
    edited.capture.validate().unwrap();
    let count = u32::try_from(capture.program.commands.len()).unwrap();
    (0..count).filter(|index| edited.place_of(CommandIndex(*index)).is_some()).collect()
}

#[test]
fn a_buffer_goes_with_its_views_and_all_that_uses_them() {
    let capture = of(vec![
        buffer(0),
        buffer(1),
        view(2, 0),
        view(3, 2),
        write(1),
        read(3, "of_the_view"),
        read(1, "other"),
        free(0),
        free(1),
    ]);
    assert_eq!(left(&capture, &[object(ObjectKind::Buffer, 0)]), [1, 4, 6, 8]);
    assert_eq!(left(&capture, &[object(ObjectKind::Buffer, 2)]), [0, 1, 4, 6, 7, 8]);
    assert_eq!(left(&capture, &[Edit::Remove(Unit::Command(CommandIndex(0)))]), [1, 4, 6, 8]);
    let edited = apply(&[object(ObjectKind::Buffer, 0)], &capture);
    assert_eq!(edited.object(ObjectKind::Buffer, 0), None);
    assert_eq!(edited.object(ObjectKind::Buffer, 1), Some(0));
    assert_eq!(edited.original_object(ObjectKind::Buffer, 0), Some(1));
    assert_eq!(edited.capture.program.commands[0].command.created().unwrap().1, 0);
}

#[test]
fn a_program_goes_with_what_was_added_to_it() {
    let capture = with_sources(of(vec![
        buffer(0),
        program(0),
        kernel(0, 0),
        arguments(0, 0),
        program(1),
        kernel(1, 1),
        arguments(1, 0),
        launch(0),
        launch(1),
        FINISH,
    ]));
    assert_eq!(left(&capture, &[object(ObjectKind::Program, 0)]), [0, 4, 5, 6, 8, 9]);
    assert_eq!(left(&capture, &[object(ObjectKind::Kernel, 0)]), [0, 1, 4, 5, 6, 7, 8, 9]);
    // Without kernels there are no sources.
    let both = [object(ObjectKind::Program, 0), object(ObjectKind::Program, 1)];
    assert_eq!(apply(&both, &capture).capture.program.sources, []);
}

#[test]
fn a_program_is_not_launched_while_it_lacks_the_arguments_that_name_a_buffer() {
    let capture = with_sources(of(vec![
        buffer(0),
        buffer(1),
        program(0),
        kernel(0, 0),
        arguments(0, 0),
        launch(0),
        arguments(0, 1),
        launch(0),
        FINISH,
    ]));
    assert_eq!(left(&capture, &[object(ObjectKind::Buffer, 0)]), [1, 2, 3, 6, 7, 8]);
    assert_eq!(left(&capture, &[object(ObjectKind::Buffer, 1)]), [0, 2, 3, 4, 5, 8]);
    // The removal of a single call removes no other.
    let arguments = Edit::Remove(Unit::Command(CommandIndex(6)));
    assert_eq!(left(&capture, &[arguments]), [0, 1, 2, 3, 4, 5, 7, 8]);
}

#[test]
fn a_trace_goes_with_what_was_enqueued_into_it() {
    let begin = Command::BeginTraceCapture(commands::BeginTraceCapture {
        queue: QUEUE,
        trace: TraceId(0),
        name: "trace".to_owned(),
    });
    let end =
        Command::EndTraceCapture(commands::EndTraceCapture { queue: QUEUE, trace: TraceId(0) });
    let again = Command::ReplayTrace(commands::ReplayTrace {
        queue: QUEUE,
        trace: TraceId(0),
        blocking: true,
    });
    let release = Command::ReleaseTrace(commands::ReleaseTrace { trace: TraceId(0) });
    let collect = Command::CollectTrace(commands::CollectTrace {
        trace: TraceId(0),
        collected: "bytes".to_owned(),
    });
    let load = Command::LoadTrace(commands::LoadTrace {
        trace: TraceId(1),
        name: "loaded".to_owned(),
        from: "bytes".to_owned(),
        buffers: Vec::new(),
    });
    let capture = with_sources(of(vec![
        program(0),
        kernel(0, 0),
        launch(0),
        begin,
        launch(0),
        end,
        again,
        collect,
        release,
        load,
    ]));
    for edit in [
        object(ObjectKind::Trace, 0),
        Edit::Remove(Unit::Command(CommandIndex(3))),
        Edit::Remove(Unit::Command(CommandIndex(5))),
    ] {
        assert_eq!(left(&capture, &[edit]), [0, 1, 2]);
    }
    assert_eq!(
        left(&capture, &[Edit::Remove(Unit::Command(CommandIndex(4)))]),
        [0, 1, 2, 3, 5, 6, 7, 8, 9]
    );
    assert_eq!(
        left(&capture, &[Edit::Remove(Unit::Command(CommandIndex(7)))]),
        [0, 1, 2, 3, 4, 5, 6, 8]
    );
}

fn record_event(queue: u8, event: u32, number: u32) -> Command {
    Command::EnqueueRecordEvent(commands::EnqueueRecordEvent {
        queue: QueueId(queue),
        event: EventId(event),
        name: "event".to_owned(),
        host_visible: true,
        number: Some(number),
    })
}

#[test]
fn an_event_goes_with_its_waits_and_later_numbers_are_not_expected() {
    let wait = |queue, event| {
        let (queue, event) = (QueueId(queue), EventId(event));
        Command::EnqueueWaitForEvent(commands::EnqueueWaitForEvent { queue, event })
    };
    let capture = with_sources(of(vec![
        record_event(0, 0, 1),
        wait(1, 0),
        record_event(1, 1, 1),
        record_event(0, 2, 2),
        Command::EventSynchronize(commands::EventSynchronize { event: EventId(0) }),
    ]));
    assert_eq!(left(&capture, &[object(ObjectKind::Event, 0)]), [2, 3]);
    let edited = apply(&[object(ObjectKind::Event, 0)], &capture);
    let numbers: Vec<Option<u32>> = edited
        .capture
        .program
        .commands
        .iter()
        .filter_map(|recorded| match &recorded.command {
            Command::EnqueueRecordEvent(call) => Some(call.number),
            _ => None,
        })
        .collect();
    assert_eq!(numbers, [Some(1), None], "only the second queue's count is as before");
}

#[test]
fn a_failure_stays_while_what_it_blames_is_there() {
    let mut capture = with_sources(of(vec![
        buffer(0),
        program(0),
        kernel(0, 0),
        launch(0),
        FINISH,
        kernel(1, 0),
        kernel(2, 0),
    ]));
    let fault = Failure::Deadlock { enqueue: CommandIndex(3) };
    capture.program.commands[4].outcome = Outcome::Failed(fault);
    let core = hallmark_chip::LogicalCore { x: 0, y: 0 };
    let overlap = |kernel| Failure::NocInUse { kernel: KernelId(kernel), core, noc: 0 };
    capture.program.commands[5].outcome = Outcome::Failed(overlap(0));
    capture.program.commands[6].outcome =
        Outcome::Failed(Failure::UnknownObject { object: ObjectKind::Buffer, id: 77 });
    capture.validate().unwrap();

    let outcomes = |edits: &[Edit]| -> Vec<Outcome> {
        let edited = apply(edits, &capture);
        edited.capture.validate().unwrap();
        edited.capture.program.commands.into_iter().map(|recorded| recorded.outcome).collect()
    };
    let after = outcomes(&[object(ObjectKind::Buffer, 0)]);
    assert_eq!(after[3], Outcome::Failed(Failure::Deadlock { enqueue: CommandIndex(2) }));
    assert_eq!(after[4], Outcome::Failed(overlap(0)));
    assert!(matches!(after[5], Outcome::Failed(Failure::UnknownObject { id: 77, .. })));
    // The launch was removed: no failure is known.
    let after = outcomes(&[Edit::Remove(Unit::Command(CommandIndex(3)))]);
    assert_eq!(after[3], Outcome::Done);
    // The kernel that refused the other one was removed, and so is the refused one.
    let after = outcomes(&[object(ObjectKind::Kernel, 0)]);
    assert_eq!(after.len(), 5, "{after:?}");
}

#[test]
fn numbers_that_hold_places_keep_the_memory_of_buffers() {
    let mut capture = of(vec![buffer(0), write(0), read(0, "out"), free(0), buffer(1), FINISH]);
    capture.program.placement_bound = true;
    assert_eq!(left(&capture, &[object(ObjectKind::Buffer, 0)]), [0, 3, 4, 5]);
    let free = Edit::Remove(Unit::Command(CommandIndex(3)));
    assert_eq!(apply(&[free], &capture).skipped, [0]);
    capture.program.placement_bound = false;
    assert_eq!(left(&capture, &[object(ObjectKind::Buffer, 0)]), [4, 5]);
}

#[test]
fn what_is_not_there_cannot_be_edited() {
    let capture = of(vec![buffer(0), FINISH]);
    let far = CommandIndex(2);
    let edits = [
        Edit::Remove(Unit::Command(far)),
        object(ObjectKind::Buffer, 1),
        object(ObjectKind::Trace, 0),
        Edit::Cut { commands: 3 },
        Edit::InsertFinish { after: far, queue: QUEUE },
        Edit::InsertFinish { after: CommandIndex(1), queue: QueueId(1) },
    ];
    let edited = apply(&edits, &capture);
    assert_eq!(edited.skipped, [0, 1, 2, 3, 4, 5]);
    assert_eq!(edited.capture, capture);
}

/// Without renumbering and closure the format refuses the remaining commands, so the properties of `subsets`
/// can fail.
#[test]
fn commands_that_are_merely_left_out_are_no_capture() {
    let capture = of(vec![buffer(0), buffer(1), read(1, "out"), FINISH]);
    let mut holed = capture.clone();
    holed.program.commands.remove(0);
    assert!(holed.validate().is_err());
    let edited = apply(&[object(ObjectKind::Buffer, 0)], &capture);
    let kinds: Vec<CommandKind> =
        edited.capture.program.commands.iter().map(|made| made.command.kind()).collect();
    let expected = [CommandKind::CreateBuffer, CommandKind::EnqueueReadBuffer, CommandKind::Finish];
    assert_eq!(kinds, expected);
}

#[test]
fn edits_are_written_as_they_are_read() {
    let edits = [
        Edit::Cut { commands: 3 },
        object(ObjectKind::CircularBuffer, 2),
        Edit::InsertFinish { after: CommandIndex(1), queue: QueueId(1) },
    ];
    let text = serde_json::to_string(&edits).unwrap();
    assert_eq!(
        text,
        r#"[{"cut":{"commands":3}},{"remove":{"object":{"kind":"circular_buffer","id":2}}},{"insert_finish":{"after":1,"queue":1}}]"#
    );
    assert_eq!(serde_json::from_str::<[Edit; 3]>(&text).unwrap(), edits);
}
