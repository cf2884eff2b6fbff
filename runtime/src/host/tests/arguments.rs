//! Calls that no capture can hold, and those that one just can.

use std::collections::BTreeMap;
use std::sync::Arc;

use hallmark_schema::commands::{
    CollectTrace, CreateProgram, DeallocateBuffer, EnqueueProgram, LoadTrace,
};
use hallmark_schema::limits;
use hallmark_schema::model::{
    Blobs, BufferId, BufferType, Command, Expectation, ProgramId, QueueId, TraceBuffer, TraceId,
};

use super::opened;
use crate::error::{ArgumentProblem, CallError};
use crate::host::recordable::{COLLECTED, QUEUED_LAUNCHES, check_recordable, check_room_for};
use crate::host::trace_files::CollectedTrace;
use crate::host::trace_states::Collection;
use crate::{Buffer, BufferConfig, CommandQueue, Device, LoadTraceError};

fn problem<T: std::fmt::Debug>(result: Result<T, CallError>) -> ArgumentProblem {
    match result {
        Err(CallError::Argument(error)) => error.problem,
        other => panic!("{other:?}"),
    }
}

/// The problem of a call that is not made.
fn check(device: &Device, command: impl Into<Command>) -> Result<(), ArgumentProblem> {
    check_recordable(&device.host, &command.into(), 0).map_err(|error| error.problem)
}

fn device() -> Device {
    opened(|_| ()).unwrap()
}

fn dram(device: &mut Device, size: u64) -> Buffer {
    let config = BufferConfig::interleaved("b", BufferType::Dram, size, 4096);
    device.create_buffer(&config).unwrap()
}

#[test]
fn a_name_has_no_spaces() {
    let problem = problem(device().create_program("a b"));
    assert!(matches!(problem, ArgumentProblem::Shape { .. }), "{problem}");
}

#[test]
fn ids_come_in_order() {
    let mut device = device();
    let mut create = |program| {
        let (program, name) = (ProgramId(program), String::new());
        device.make_call(CreateProgram { program, name }.into(), &Blobs::new())
    };
    let later = problem(create(1));
    assert_eq!(later, ArgumentProblem::NotTheNextId { id: 1, next: 0 });
    create(0).unwrap();
    assert_eq!(problem(create(0)), ArgumentProblem::NotTheNextId { id: 0, next: 1 });
    create(1).unwrap();
}

#[test]
fn objects_were_created() {
    let mut device = device();
    let made = dram(&mut device, 4096);
    let next = DeallocateBuffer { buffer: BufferId(1) };
    let problem = check(&device, next).unwrap_err();
    assert!(matches!(problem, ArgumentProblem::NeverCreated { id: 1, .. }), "{problem}");
    device.deallocate_buffer(made).unwrap();
}

fn read(device: &mut Device, buffer: Buffer, output: &str) -> Result<(), CallError> {
    let expectation = Expectation::AsCaptured;
    device.enqueue_read_buffer(CommandQueue::FIRST, buffer, output, expectation, false).map(|_| ())
}

#[test]
fn each_read_has_its_name() {
    let mut device = device();
    let made = dram(&mut device, 4096);
    read(&mut device, made, "o").unwrap();
    let problem = problem(read(&mut device, made, "o"));
    assert_eq!(problem, ArgumentProblem::OutputNameTaken { output: "o".to_owned() });
    read(&mut device, made, "p").unwrap();
}

#[test]
fn a_read_is_at_most_so_large() {
    let mut device = device();
    let most = dram(&mut device, limits::DATA_BYTES);
    read(&mut device, most, "most").unwrap();
    let more = dram(&mut device, limits::DATA_BYTES + 4096);
    let problem = problem(read(&mut device, more, "more"));
    assert!(matches!(problem, ArgumentProblem::ReadTooLarge { .. }), "{problem}");
}

#[test]
fn so_many_launches_may_be_queued() {
    let mut device = device();
    let program = device.create_program("p").unwrap();
    let (queue, program) = (QueueId(0), program.id());
    let launch = Command::from(EnqueueProgram { queue, program, blocking: false });
    // The program has no kernel, so that its launch weighs nothing.
    check_recordable(&device.host, &launch, QUEUED_LAUNCHES).unwrap();
    let error = check_recordable(&device.host, &launch, QUEUED_LAUNCHES + 1).unwrap_err();
    assert_eq!(error.problem, ArgumentProblem::TooManyLaunches);
    check_room_for(&device.host.traces, 1, QUEUED_LAUNCHES - 1).unwrap();
    check_room_for(&device.host.traces, 1, QUEUED_LAUNCHES).unwrap_err();
}

/// Something that was collected under a name: buffer 0, which was called `b`.
fn collected(device: &mut Device, name: &str, bytes: u64) -> CollectedTrace {
    let bytes: Arc<[u8]> = vec![0; bytes as usize].into();
    let collection = Collection {
        bytes: Arc::clone(&bytes),
        buffers: BTreeMap::from([("b".to_owned(), BufferId(0))]),
        enqueues: Vec::new(),
        weight: 0,
    };
    device.host.traces.keep(name.to_owned(), Arc::new(collection));
    device.host.traces.take_name(name);
    CollectedTrace { bytes, name: Some(name.to_owned()) }
}

fn collect(device: &mut Device, name: &str) -> Result<(), ArgumentProblem> {
    // Any trace that there is.
    device.host.traces.reserve();
    check(device, CollectTrace { trace: TraceId(0), collected: name.to_owned() })
}

#[test]
fn each_collected_trace_has_its_name() {
    let mut device = device();
    collected(&mut device, "one", 8);
    collect(&mut device, "two").unwrap();
    let problem = collect(&mut device, "one").unwrap_err();
    assert_eq!(problem, ArgumentProblem::CollectedNameTaken { collected: "one".to_owned() });
}

#[test]
fn so_many_bytes_may_be_collected() {
    let mut device = device();
    // One piece of memory under many names, which counts as often.
    const PIECE: u64 = 1 << 20;
    assert_eq!(COLLECTED % PIECE, 0);
    collected(&mut device, "0", PIECE);
    let piece = Arc::clone(device.host.traces.collected("0").unwrap());
    for number in 1..COLLECTED / PIECE {
        device.host.traces.keep(number.to_string(), Arc::clone(&piece));
    }
    collect(&mut device, "more").unwrap();
    collected(&mut device, "small", 1);
    assert_eq!(collect(&mut device, "more"), Err(ArgumentProblem::TooManyCollected));
}

fn load(device: &Device, from: &str, recorded: u32) -> Result<(), ArgumentProblem> {
    let pair = TraceBuffer { recorded: BufferId(recorded), buffer: BufferId(0) };
    let (name, from) = ("t".to_owned(), from.to_owned());
    check(device, LoadTrace { trace: TraceId(0), name, from, buffers: vec![pair] })
}

#[test]
fn a_trace_was_collected() {
    let mut device = device();
    dram(&mut device, 4096);
    collected(&mut device, "one", 8);
    load(&device, "one", 0).unwrap();
    let problem = load(&device, "two", 0).unwrap_err();
    assert_eq!(problem, ArgumentProblem::NotCollected { from: "two".to_owned() });
}

#[test]
fn buffers_of_a_trace_are_given_others() {
    let mut device = device();
    dram(&mut device, 4096);
    dram(&mut device, 4096);
    collected(&mut device, "one", 8);
    load(&device, "one", 0).unwrap();
    let (from, buffer) = ("one".to_owned(), BufferId(1));
    let problem = load(&device, "one", 1).unwrap_err();
    assert_eq!(problem, ArgumentProblem::BufferNotInTrace { from, buffer });
}

#[test]
fn buffers_of_a_trace_are_given_by_name() {
    let mut device = device();
    let made = dram(&mut device, 4096);
    let one = collected(&mut device, "one", 8);
    let error = device.load_trace("t", &one, &[("c", made)]).unwrap_err();
    let LoadTraceError::Call(error) = error else { panic!("{error}") };
    let name = "c".to_owned();
    assert_eq!(problem::<()>(Err(error)), ArgumentProblem::BufferNameNotInTrace { name });
}
