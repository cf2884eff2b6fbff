//! Changes of calls: the numbers that change together, and the refused changes.

use hallmark_chip::LogicalCore;
use hallmark_schema::commands::{self, Command};
use hallmark_schema::model::{
    BufferId, Capture, CommandIndex, CommandKind, CoreRange, Data, DataFormat, Expectation,
    FreeTensor, ObjectKind, ProgramId, QueueId, TensorRole, TraceId,
};
use hallmark_schema_editing::{Edit, Edited, Fill, Unit, apply};

use super::captures::{FINISH, buffer, of, released};
use super::removal::{arguments, kernel, launch, program, read, with_sources, write};

fn kinds(edited: &Edited) -> Vec<CommandKind> {
    edited.capture.program.commands.iter().map(|recorded| recorded.command.kind()).collect()
}

fn made(capture: &Capture, edit: Edit) -> Edited {
    let edited = apply(&[edit], capture);
    assert_eq!(edited.skipped, [] as [usize; 0]);
    edited.capture.validate().unwrap();
    edited
}

fn refused(capture: &Capture, edit: Edit) {
    let edited = apply(&[edit], capture);
    assert_eq!(edited.skipped, [0]);
    assert_eq!(edited.capture.program, capture.program);
}

fn words(edited: &Edited, at: usize) -> Vec<u32> {
    match &edited.capture.program.commands[at].command {
        Command::SetRuntimeArgs(call) => call.args[0].values.clone(),
        other => panic!("{other:?}"),
    }
}

/// Two buffers of 4 pages of 64 B; the kernel gets the number of pages and both sizes as arguments.
fn copy() -> Capture {
    let mut capture = with_sources(of(vec![
        buffer(0),
        buffer(1),
        write(0),
        program(0),
        kernel(0, 0),
        arguments(0, 0),
        launch(0),
        read(0, "out"),
        FINISH,
    ]));
    let Command::SetRuntimeArgs(call) = &mut capture.program.commands[5].command else {
        panic!("no arguments")
    };
    call.args[0].values = vec![0, 4, 64, 256, 7];
    capture
}

#[test]
fn a_buffer_shrinks_with_every_number_that_says_its_size() {
    let capture = copy();
    let resize =
        |pages, page_size| Edit::ResizeBuffers { buffers: vec![BufferId(0)], pages, page_size };
    let edited = made(&capture, resize(1, 32));
    assert_eq!(words(&edited, 5), [0, 1, 32, 32, 7]);
    let commands = &edited.capture.program.commands;
    let Command::CreateBuffer(call) = &commands[0].command else { panic!("no buffer") };
    assert_eq!((call.size, call.page_size), (32, 32));
    let Command::CreateBuffer(call) = &commands[1].command else { panic!("no buffer") };
    assert_eq!((call.size, call.page_size), (256, 64));
    let Command::EnqueueWriteBuffer(call) = &commands[2].command else { panic!("no write") };
    assert_eq!(call.data.length, 32);
    refused(&capture, resize(5, 64));
    refused(&capture, resize(4, 64));
    refused(&capture, resize(0, 64));

    // A compile-time argument cannot change: the kernel is already built.
    let mut built = capture.clone();
    let Command::CreateKernel(call) = &mut built.program.commands[4].command else {
        panic!("no kernel")
    };
    call.compile_args = vec![64];
    refused(&built, resize(1, 32));
    made(&built, resize(1, 64));
}

#[test]
fn data_that_is_written_to_a_smaller_buffer_is_cut_off() {
    let mut capture = of(vec![buffer(0), write(0), FINISH]);
    let bytes: Vec<u8> = (0..=255).collect();
    let data = Data::blob(&bytes);
    let hash = data.hash;
    let Command::EnqueueWriteBuffer(call) = &mut capture.program.commands[1].command else {
        panic!("no write")
    };
    call.data = data;
    let edit = Edit::ResizeBuffers { buffers: vec![BufferId(0)], pages: 2, page_size: 64 };
    refused(&capture, edit.clone());
    capture.blobs.insert(hash, bytes.clone().into());
    let edited = made(&capture, edit);
    assert_eq!(edited.capture.missing_blobs(), []);
    let blobs: Vec<&[u8]> = edited.capture.blobs.values().map(|blob| &**blob).collect();
    assert_eq!(blobs, [&bytes[..128]]);
}

#[test]
fn a_program_stays_on_some_of_its_cores() {
    let mut capture = copy();
    let all = CoreRange { start: LogicalCore { x: 0, y: 0 }, end: LogicalCore { x: 3, y: 1 } };
    let Command::CreateKernel(call) = &mut capture.program.commands[4].command else {
        panic!("no kernel")
    };
    call.cores = vec![all];
    let Command::SetRuntimeArgs(call) = &mut capture.program.commands[5].command else {
        panic!("no arguments")
    };
    let mut second = call.args[0].clone();
    second.cores = vec![CoreRange::single(LogicalCore { x: 2, y: 1 })];
    call.args.push(second);
    let keep = |cores| Edit::KeepCores { program: ProgramId(0), cores };
    let right = CoreRange { start: LogicalCore { x: 2, y: 0 }, end: LogicalCore { x: 9, y: 9 } };
    let edited = made(&capture, keep(right));
    let Command::CreateKernel(call) = &edited.capture.program.commands[4].command else {
        panic!("no kernel")
    };
    let stays = CoreRange { start: LogicalCore { x: 2, y: 0 }, end: LogicalCore { x: 3, y: 1 } };
    assert_eq!(call.cores, [stays]);
    let Command::SetRuntimeArgs(call) = &edited.capture.program.commands[5].command else {
        panic!("no arguments")
    };
    assert_eq!(call.args.len(), 1, "the first set was for a core that is gone");
    refused(&capture, keep(all));
    refused(&capture, keep(CoreRange::single(LogicalCore { x: 5, y: 5 })));

    let remove = |cores| Edit::RemoveCores { program: ProgramId(0), cores };
    let rectangle = |(left, top), (right, bottom)| CoreRange {
        start: LogicalCore { x: left, y: top },
        end: LogicalCore { x: right, y: bottom },
    };
    for (gone, stay) in [
        (((1, 0), (1, 0)), vec![((0, 0), (0, 0)), ((2, 0), (3, 0)), ((0, 1), (3, 1))]),
        (((0, 0), (0, 1)), vec![((1, 0), (3, 1))]),
        (((3, 1), (9, 9)), vec![((0, 0), (3, 0)), ((0, 1), (2, 1))]),
        (((0, 0), (9, 0)), vec![((0, 1), (3, 1))]),
    ] {
        let edited = made(&capture, remove(rectangle(gone.0, gone.1)));
        let Command::CreateKernel(call) = &edited.capture.program.commands[4].command else {
            panic!("no kernel")
        };
        let stay: Vec<CoreRange> =
            stay.into_iter().map(|(start, end)| rectangle(start, end)).collect();
        assert_eq!(call.cores, stay, "without {gone:?}");
    }
    refused(&capture, remove(all));
    refused(&capture, remove(rectangle((4, 0), (9, 9))));
    // Applied one after the other they would leave no core, so the last one is refused.
    let halves = [remove(rectangle((0, 0), (1, 1))), remove(rectangle((2, 0), (3, 1)))];
    assert_eq!(apply(&halves, &capture).skipped, [1]);
}

#[test]
fn a_trace_becomes_the_launches_that_it_is_made_of() {
    let begin = Command::BeginTraceCapture(commands::BeginTraceCapture {
        queue: QueueId(0),
        trace: TraceId(0),
        name: String::new(),
    });
    let (queue, trace) = (QueueId(0), TraceId(0));
    let end = Command::EndTraceCapture(commands::EndTraceCapture { queue, trace });
    let again = |blocking| Command::ReplayTrace(commands::ReplayTrace { queue, trace, blocking });
    let release = Command::ReleaseTrace(commands::ReleaseTrace { trace });
    let commands = vec![
        buffer(0),
        program(0),
        kernel(0, 0),
        arguments(0, 0),
        launch(0),
        begin,
        launch(0),
        launch(0),
        end,
        again(false),
        again(true),
        release,
    ];
    let capture = with_sources(of(commands.clone()));
    let unroll = Edit::UnrollTrace { trace };
    let edited = made(&capture, unroll.clone());
    let blocking: Vec<bool> = edited
        .capture
        .program
        .commands
        .iter()
        .filter_map(|recorded| match &recorded.command {
            Command::EnqueueProgram(call) => Some(call.blocking),
            _ => None,
        })
        .collect();
    assert_eq!(blocking, [false, false, false, false, true]);
    assert_eq!(edited.object(ObjectKind::Trace, 0), None);
    // A removed launch is missing from each replay.
    let both = [unroll.clone(), Edit::Remove(Unit::Command(CommandIndex(6)))];
    assert_eq!(kinds(&apply(&both, &capture)).len(), 4 + 1 + 2);
    // Arguments that change after the capture: a replay uses the old ones.
    let mut changed = commands;
    changed.insert(9, arguments(0, 0));
    refused(&with_sources(of(changed)), unroll);
}

#[test]
fn two_queues_become_one_unless_one_of_them_captures_a_trace_meanwhile() {
    let on = |queue, mut command: Command| {
        *command.queue_mut().unwrap() = QueueId(queue);
        command
    };
    let begin = Command::BeginTraceCapture(commands::BeginTraceCapture {
        queue: QueueId(0),
        trace: TraceId(0),
        name: String::new(),
    });
    let end = Command::EndTraceCapture(commands::EndTraceCapture {
        queue: QueueId(0),
        trace: TraceId(0),
    });
    let mut capture =
        of(vec![buffer(0), on(1, write(0)), begin.clone(), end.clone(), on(1, FINISH)]);
    capture.program.num_command_queues = 2;
    let edited = made(&capture, Edit::MergeQueues);
    assert_eq!(edited.capture.program.num_command_queues, 1);
    let mut capture = of(vec![buffer(0), begin, on(1, write(0)), end]);
    capture.program.num_command_queues = 2;
    refused(&capture, Edit::MergeQueues);
    refused(&of(vec![FINISH]), Edit::MergeQueues);
}

#[test]
fn single_numbers_and_data_change_where_they_are_plain() {
    let capture = copy();
    let command = CommandIndex(5);
    let set = |set, index, value| Edit::SetArgument { command, set, index, value };
    assert_eq!(words(&made(&capture, set(0, 4, 1)), 5), [0, 4, 64, 256, 1]);
    refused(&capture, set(0, 0, 1));
    refused(&capture, set(0, 5, 1));
    refused(&capture, set(1, 4, 1));
    refused(&capture, set(0, 4, 7));
    refused(&capture, Edit::SetArgument { command: CommandIndex(0), set: 0, index: 0, value: 1 });
    let fill = |command| Edit::FillData { command: CommandIndex(command), fill: Fill::Ones };
    let edited = made(&capture, fill(2));
    let Command::EnqueueWriteBuffer(call) = &edited.capture.program.commands[2].command else {
        panic!("no write")
    };
    assert_eq!(call.data.generator.unwrap().bytes(8), [1, 0, 0, 0, 1, 0, 0, 0]);
    refused(&edited.capture, fill(2));
    refused(&capture, fill(0));
    let blocking = made(&capture, Edit::MakeBlocking { command: CommandIndex(6) });
    refused(&blocking.capture, Edit::MakeBlocking { command: CommandIndex(6) });
}

#[test]
fn a_shared_capture_says_neither_names_nor_sources() {
    let (_, capture) = released()
        .into_iter()
        .find(|(path, _)| path.file_stem().is_some_and(|stem| stem == "circular_buffers"))
        .unwrap();
    let edited = apply(&[Edit::ReplaceNames, Edit::ReplaceSources], &capture);
    let bytes = edited.capture.to_bytes().unwrap();
    assert_eq!(edited.capture.missing_blobs(), []);
    let said = |text: &str| bytes.windows(text.len()).any(|window| window == text.as_bytes());
    let all = capture.to_bytes().unwrap();
    let was_said = |text: &str| all.windows(text.len()).any(|window| window == text.as_bytes());
    for source in &capture.program.sources {
        assert!(was_said(&source.path) && !said(&source.path), "{}", source.path);
        let text = &capture.blobs[&source.hash];
        let line = String::from_utf8_lossy(text).lines().last().unwrap().to_owned();
        assert!(was_said(&line), "{line}");
    }
    for name in capture.program.output_names() {
        assert!(was_said(name) && !edited.capture.program.output_names().any(|now| now == name));
    }
    let texts: Vec<_> = edited
        .capture
        .program
        .sources
        .iter()
        .map(|file| edited.capture.blobs[&file.hash].len())
        .collect();
    assert!(texts.iter().all(|length| *length < 80), "{texts:?}");
    assert_eq!(edited.capture.program.commands.len(), capture.program.commands.len());
}

/// Two buffers, one for an input and one for an output.
pub(crate) fn binary() -> Capture {
    let mut capture =
        with_sources(of(vec![buffer(0), buffer(1), program(0), kernel(0, 0), launch(0)]));
    let tensor = |role, name: &str, buffer| FreeTensor {
        role,
        name: name.to_owned(),
        buffer: BufferId(buffer),
        shape: vec![4, 16],
        data_format: DataFormat::UInt32,
        tile: None,
    };
    capture.program.free_tensors =
        vec![tensor(TensorRole::Input, "a", 0), tensor(TensorRole::Output, "b", 1)];
    capture.validate().unwrap();
    capture
}

#[test]
fn inputs_and_outputs_stay_with_their_buffers() {
    let capture = binary();
    let edited = made(&capture, Edit::Remove(Unit::Object { kind: ObjectKind::Buffer, id: 0 }));
    let left = &edited.capture.program.free_tensors;
    let moved = FreeTensor { buffer: BufferId(0), ..capture.program.free_tensors[1].clone() };
    assert_eq!(left.as_slice(), [moved]);
    // A buffer with content can no longer stand for a free tensor.
    let (after, queue) = (CommandIndex(1), QueueId(0));
    let written = made(&capture, Edit::InsertWrite { after, queue, buffer: BufferId(0) });
    let left = &written.capture.program.free_tensors;
    assert_eq!(left.as_slice(), [capture.program.free_tensors[1].clone()]);
    // A buffer smaller than its tensor can no longer stand for it.
    let small = Edit::ResizeBuffers { buffers: vec![BufferId(0)], pages: 1, page_size: 64 };
    assert_eq!(made(&capture, small).capture.program.free_tensors.len(), 1);
    let named = made(&capture, Edit::ReplaceNames);
    let names = named.capture.program.free_tensors.iter().map(|tensor| tensor.name.as_str());
    assert!(names.eq(["input_0", "output_0"]));
    let renamed = made(&capture, Edit::ReplaceSources);
    assert_eq!(renamed.capture.program.free_tensors, capture.program.free_tensors);
}

#[test]
fn reads_expect_what_they_return() {
    let mut capture = copy();
    let Command::EnqueueReadBuffer(call) = &mut capture.program.commands[7].command else {
        panic!("no read")
    };
    call.expectation = Expectation::Exact { hash: hallmark_schema::model::ContentHash::of(b"") };
    let edited = made(&capture, Edit::ExpectAsCaptured);
    let Command::EnqueueReadBuffer(call) = &edited.capture.program.commands[7].command else {
        panic!("no read")
    };
    assert_eq!(call.expectation, Expectation::AsCaptured);
}
