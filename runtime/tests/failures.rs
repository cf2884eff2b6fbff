//! The host API's refusals, with code and fields.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

mod common;

use std::collections::BTreeMap;
use std::sync::Arc;

use common::{RISCV_0, RISCV_1, at, buffer, core, kernel, options, simulator};
use hallmark_chip::{Architecture, Processor};
use hallmark_runtime::device_code::BuiltKernel;
use hallmark_runtime::{
    Argument, Buffer, CallError, CircularBufferConfig, CommandQueue, Device, GridAsked,
    KernelBinaries, KernelLibrary, KernelProblem, KernelRequest, OpenError, Program, Semaphore,
    SemaphoreConfig,
};
use hallmark_schema::commands::{self, Command};
use hallmark_schema::model::{
    Blobs, BufferId, BufferType, CircularBufferIndex, CoreArguments, CoreRange, DataFormat,
    Expectation, Failure, Grid, KernelConfig, KernelId, MathFidelity, NocId, ObjectKind, ProgramId,
    QueueId, SemaphoreId,
};

const QUEUE: CommandQueue = CommandQueue::FIRST;

/// Gives every kernel the firmware's own BRISC image as its ELF: it parses and never runs.
struct AnyKernel;

impl KernelLibrary for AnyKernel {
    fn kernel(&mut self, request: &KernelRequest<'_>) -> Result<KernelBinaries, KernelProblem> {
        match request.source {
            "missing.cpp" => return Err(KernelProblem::SourceNotFound("missing.cpp".to_owned())),
            "broken.cpp" => return Err(KernelProblem::BuildFailed("line 1".to_owned())),
            _ => {}
        }
        let elf: Arc<[u8]> = match request.source {
            "hostile.cpp" => Arc::from(&b"\x7fELF and then nothing"[..]),
            _ => tiny_elf().into(),
        };
        let kernel = BuiltKernel { elf, lines: None };
        let builds = Processor::ALL.into_iter().map(|processor| (processor, kernel.clone()));
        Ok(KernelBinaries {
            sources: vec![(request.source.to_owned(), Arc::from(&b"source"[..]))],
            builds: builds.collect(),
        })
    }
}

/// A 32-bit RISC-V executable with one loadable segment of one instruction.
fn tiny_elf() -> Vec<u8> {
    let mut elf = vec![0x7F, b'E', b'L', b'F', 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    let half = |elf: &mut Vec<u8>, value: u16| elf.extend(value.to_le_bytes());
    let word = |elf: &mut Vec<u8>, value: u32| elf.extend(value.to_le_bytes());
    half(&mut elf, 2);
    half(&mut elf, 243);
    [1, 0, 52, 0, 0].into_iter().for_each(|value| word(&mut elf, value));
    [52, 32, 1, 40, 0, 0].into_iter().for_each(|value| half(&mut elf, value));
    [1, 84, 0, 0, 4, 4, 5, 16].into_iter().for_each(|value| word(&mut elf, value));
    word(&mut elf, 0x0000_8067);
    elf
}

fn open() -> Device {
    let mut options = options();
    options.kernels = Box::new(AnyKernel);
    options.grid = GridAsked::Cores(Grid { columns: 4, rows: 3 });
    Device::open(simulator(), options).unwrap()
}

fn refused<T: std::fmt::Debug>(result: Result<T, CallError>) -> Failure {
    let error = result.unwrap_err();
    let CallError::Host(host) = &error else { panic!("{error:?}") };
    assert!(error.to_string().ends_with(host.remedy()), "{error}");
    host.failure.clone()
}

fn refused_argument<T: std::fmt::Debug>(result: Result<T, CallError>) -> String {
    match result.unwrap_err() {
        CallError::Argument(error) => error.problem.to_string(),
        other => panic!("{other:?}"),
    }
}

/// A recorded call brings its own id. The id must equal the next one: an older or later id is refused.
#[test]
fn a_recorded_creation_names_the_id_that_comes_next() {
    let mut device = open();
    let create = |program| {
        let name = String::new();
        Command::CreateProgram(commands::CreateProgram { program: ProgramId(program), name })
    };
    let nothing = Blobs::new();
    let later = refused_argument(device.make_call(create(1), &nothing));
    assert_eq!(later, "the call names id 1, but the next id is 0");
    device.make_call(create(0), &nothing).unwrap();
    let older = refused_argument(device.make_call(create(0), &nothing));
    assert_eq!(older, "the call names id 0, but the next id is 1");
    device.make_call(create(1), &nothing).unwrap();
}

#[test]
fn buffers() {
    let mut device = open();
    let mut make = |buffer_type, size, page_size| {
        refused(device.create_buffer(&buffer("b", buffer_type, size, page_size)))
    };
    use BufferType::{Dram, L1};
    assert_eq!(make(Dram, 100, 64), Failure::SizeNotPageMultiple { size: 100, page_size: 64 });
    assert_eq!(make(Dram, 100, 0), Failure::PageSizeInvalid { page_size: 0, alignment: 4 });
    assert_eq!(make(L1, 6, 6), Failure::PageSizeInvalid { page_size: 6, alignment: 4 });
    let size = 12 << 30;
    assert_eq!(make(Dram, size, 4096), Failure::OutOfMemory { buffer_type: Dram, size, banks: 12 });
    let size = u64::MAX - 3;
    assert_eq!(make(L1, size, size), Failure::OutOfMemory { buffer_type: L1, size, banks: 12 });
    // Failed creations took ids 0 to 4.
    let made = device.create_buffer(&buffer("b", Dram, 64, 64)).unwrap();
    assert_eq!(made.id(), BufferId(5));
    let unknown = |id| Failure::UnknownObject { object: ObjectKind::Buffer, id };
    assert_eq!(refused(device.deallocate_buffer(Buffer::with_id(BufferId(0)))), unknown(0));
    // No capture can hold an id that was never assigned.
    let never = refused_argument(device.deallocate_buffer(Buffer::with_id(BufferId(9))));
    assert!(never.contains("buffer 9 was never created"), "{never}");
    let short = refused(device.enqueue_write_buffer(QUEUE, made, &[0; 60][..], false));
    let mismatch = Failure::DataLengthMismatch { buffer: made.id(), expected: 64, actual: 60 };
    assert_eq!(short, mismatch);
    let other = CommandQueue::with_id(QueueId(1));
    let no_queue = Failure::UnknownQueue { index: 1, limit: 1 };
    assert_eq!(refused(device.enqueue_write_buffer(other, made, &[0; 64][..], false)), no_queue);
    assert_eq!(refused(device.finish(other)), no_queue);
    device.deallocate_buffer(made).unwrap();
    let released = Failure::ReleasedObject { object: ObjectKind::Buffer, id: 5 };
    assert_eq!(refused(device.deallocate_buffer(made)), released);
    let read = device.enqueue_read_buffer(QUEUE, made, "o", Expectation::AsCaptured, true);
    assert_eq!(refused(read), released);
}

#[test]
fn kernels() {
    let mut device = open();
    let program = device.create_program("p").unwrap();
    let two = [CoreRange { start: core(0, 0), end: core(1, 0) }];
    let made = device.create_kernel(program, kernel("k.cpp", &two, RISCV_0, vec![])).unwrap();
    let mut make = |source: &str, cores: &[CoreRange], config| {
        refused(device.create_kernel(program, kernel(source, cores, config, vec![])))
    };
    let first = made.id();
    let overlap = |processor| Failure::CoreOverlap { kernel: first, core: core(1, 0), processor };
    assert_eq!(make("k.cpp", &at(1, 0), RISCV_0), overlap(Processor::Brisc));
    let KernelConfig::DataMovement { processor, .. } = RISCV_1 else { unreachable!() };
    let same_noc = KernelConfig::data_movement(processor, NocId::Noc0);
    let in_use = Failure::NocInUse { kernel: first, core: core(0, 0), noc: 0 };
    assert_eq!(make("k.cpp", &two, same_noc), in_use);
    let outside = Failure::CoreOutsideGrid { core: core(4, 0), columns: 4, rows: 3 };
    assert_eq!(make("k.cpp", &at(4, 0), RISCV_1), outside);
    assert_eq!(make("k.cpp", &[], RISCV_1), Failure::EmptyCoreRange {});
    let inverted = [CoreRange { start: core(1, 1), end: core(0, 1) }];
    assert_eq!(make("k.cpp", &inverted, RISCV_1), Failure::EmptyCoreRange {});
    assert_eq!(make("missing.cpp", &two, RISCV_1), Failure::KernelSourceNotFound {});
    assert_eq!(make("broken.cpp", &two, RISCV_1), Failure::KernelBuildFailed {});
    assert_eq!(make("hostile.cpp", &two, RISCV_1), Failure::KernelBuildFailed {});
    let compute = KernelConfig::compute(MathFidelity::LoFi);
    device.create_kernel(program, kernel("k.cpp", &two, compute.clone(), vec![])).unwrap();
    let again = refused(device.create_kernel(program, kernel("k.cpp", &at(0, 0), compute, vec![])));
    assert!(
        matches!(again, Failure::CoreOverlap { processor: Processor::Trisc0, .. }),
        "{again:?}"
    );
    for (name, value) in [("1A", "1"), ("A-B", "1"), ("A", "1\n"), ("", "")] {
        let mut description = kernel("k.cpp", &two, RISCV_1, vec![]);
        description.defines = BTreeMap::from([(name.to_owned(), value.to_owned())]);
        assert_eq!(refused(device.create_kernel(program, description)), Failure::DefineInvalid {});
    }
    let nobody = Program::with_id(ProgramId(7));
    let call = device.create_kernel(nobody, kernel("k.cpp", &two, RISCV_1, vec![]));
    assert!(refused_argument(call).contains("program 7 was never created"));
    let call = device.enqueue_program(QUEUE, nobody, true);
    assert!(refused_argument(call).contains("program 7 was never created"));
}

#[test]
fn runtime_arguments() {
    let mut device = open();
    let program = device.create_program("p").unwrap();
    let other = device.create_program("q").unwrap();
    let cores = [CoreRange { start: core(0, 0), end: core(1, 0) }];
    let made = device.create_kernel(program, kernel("k.cpp", &cores, RISCV_0, vec![])).unwrap();
    let many = vec![Argument::Value(1); 342];
    let too_many = Failure::TooManyRuntimeArgs { count: 342, limit: 341, core: core(0, 0) };
    assert_eq!(refused(device.set_runtime_args(made, &cores, &many)), too_many);
    let elsewhere = Failure::KernelNotOnCore { kernel: made.id(), core: core(2, 0) };
    assert_eq!(refused(device.set_runtime_args(made, &at(2, 0), &[])), elsewhere);
    let empty = refused(device.set_runtime_args(made, &[], &[]));
    assert_eq!(empty, Failure::EmptyCoreRange {});
    device.set_runtime_args(made, &at(1, 0), &[1.into(), 2.into()]).unwrap();
    let changed = Failure::RuntimeArgsCountChanged { core: core(1, 0), before: 2, after: 1 };
    assert_eq!(refused(device.set_runtime_args(made, &cores, &[1.into()])), changed);
    let twice = [core(0, 0), core(0, 0)];
    let vectors = [vec![1.into()], vec![1.into(), 2.into()]];
    let changed = Failure::RuntimeArgsCountChanged { core: core(0, 0), before: 1, after: 2 };
    assert_eq!(refused(device.set_runtime_args_per_core(made, &twice, &vectors)), changed);
    for (cores, vectors) in [(2, 1), (1, 2), (3, 0), (0, 2), (2, 5)] {
        let all: Vec<_> = (0..cores).map(|x| core(x, 0)).collect();
        let none = vec![Vec::new(); vectors as usize];
        let mismatch = Failure::ArgsVectorMismatch { cores, vectors };
        assert_eq!(refused(device.set_runtime_args_per_core(made, &all, &none)), mismatch);
    }
    // Cores without a vector come last. Elsewhere they count as an empty set of cores, because no call records
    // them.
    let alone = CoreArguments::of_cores_alone(&[core(1, 0)]);
    let paired = Argument::record(&[1.into()], &at(0, 0));
    let mismatch = Failure::ArgsVectorMismatch { cores: 2, vectors: 1 };
    let last = device.set_recorded_args(made, vec![paired.clone(), alone.clone()]);
    assert_eq!(refused(last), mismatch);
    let first = device.set_recorded_args(made, vec![alone, paired]);
    assert_eq!(refused(first), Failure::EmptyCoreRange {});
    let buffer = device.create_buffer(&buffer("b", BufferType::Dram, 64, 64)).unwrap();
    let config = SemaphoreConfig { name: "s", cores: &cores, initial_value: 0 };
    let foreign = device.create_semaphore(other, &config).unwrap();
    let mut set = |argument| refused(device.set_runtime_args(made, &at(0, 0), &[argument]));
    let semaphore = |semaphore| Argument::SemaphoreAddress { semaphore, offset: 0 };
    let wrong = Failure::WrongProgram {
        object: ObjectKind::Semaphore,
        id: foreign.id().0,
        program: program.id(),
    };
    assert_eq!(set(semaphore(foreign)), wrong);
    let outside = Failure::CoreOutsideGrid { core: core(0, 3), columns: 4, rows: 3 };
    assert_eq!(set(Argument::CoreNocX(core(0, 3))), outside);
    let nobody = semaphore(Semaphore::with_id(SemaphoreId(9)));
    let never = refused_argument(device.set_runtime_args(made, &at(0, 0), &[nobody]));
    assert!(never.contains("semaphore 9 was never created"), "{never}");
    // The buffer is released between setting and launching.
    let argument = Argument::BufferAddress { buffer, offset: 4 };
    device.set_runtime_args(made, &at(0, 0), &[argument]).unwrap();
    device.deallocate_buffer(buffer).unwrap();
    let released = Failure::ReleasedObject { object: ObjectKind::Buffer, id: buffer.id().0 };
    assert_eq!(refused(device.enqueue_program(QUEUE, program, false)), released);
}

fn index(index: u32, page_size: u32) -> CircularBufferIndex {
    CircularBufferIndex { index, page_size, data_format: DataFormat::UInt32, tile: None }
}

fn circular<'a>(
    cores: &'a [CoreRange],
    total_size: u64,
    indices: &'a [CircularBufferIndex],
) -> CircularBufferConfig<'a> {
    CircularBufferConfig {
        name: "cb",
        cores,
        total_size,
        indices,
        globally_allocated_address: None,
    }
}

#[test]
fn circular_buffers() {
    let mut device = open();
    let program = device.create_program("p").unwrap();
    let cores = at(1, 1);
    let mut make = |total, indices: &[CircularBufferIndex]| {
        refused(device.create_circular_buffer(program, &circular(&cores, total, indices)))
    };
    let too_large = Failure::CircularBufferIndexTooLarge { index: 32, limit: 32 };
    assert_eq!(make(64, &[index(32, 64)]), too_large);
    for (size, page_size) in [(100, 64), (64, 0), (0, 64), (72, 24)] {
        let odd = Failure::CircularBufferSizeNotPageMultiple {
            index: 1,
            size,
            page_size: page_size.into(),
        };
        assert_eq!(make(size, &[index(1, page_size)]), odd);
    }
    let in_use = Failure::CircularBufferIndexInUse { index: 3, core: core(1, 1) };
    assert_eq!(make(64, &[index(3, 64), index(3, 32)]), in_use);
    let all = [CoreRange { start: core(0, 0), end: core(3, 2) }];
    device.create_circular_buffer(program, &circular(&all, 64, &[index(3, 64)])).unwrap();
    let again = device.create_circular_buffer(program, &circular(&cores, 64, &[index(3, 64)]));
    assert_eq!(refused(again), in_use);
}

#[test]
fn what_does_not_fit_into_l1() {
    let mut device = open();
    let cores = at(1, 1);
    let beyond = device.create_program("beyond").unwrap();
    let clash = device.create_program("clash").unwrap();
    for program in [beyond, clash] {
        device.create_kernel(program, kernel("k.cpp", &cores, RISCV_0, vec![])).unwrap();
    }
    device.create_circular_buffer(beyond, &circular(&cores, 2 << 20, &[index(0, 64)])).unwrap();
    let failure = refused(device.enqueue_program(QUEUE, beyond, false));
    let core = core(1, 1);
    assert_eq!(failure, Failure::CircularBuffersBeyondL1 { program: beyond.id(), core });
    let size = 700 << 10;
    device.create_circular_buffer(clash, &circular(&cores, size, &[index(0, 64)])).unwrap();
    // Interleaved over 12 banks: 800 KiB at the top of each bank.
    let page = 800 << 10;
    let top = device.create_buffer(&buffer("top", BufferType::L1, page * 12, page)).unwrap();
    let error = device.enqueue_program(QUEUE, clash, false).unwrap_err();
    let expected = Failure::CircularBuffersClash { program: clash.id(), core };
    assert_eq!(error.failure(), Some(&expected));
    let lowest = device.locate(top, 0).unwrap().unwrap().address;
    let message = error.to_string();
    assert!(message.contains(&format!("{lowest:#x}")) && message.contains("`top` of"), "{message}");
    // The attempt compiled the program.
    let late = device.create_kernel(clash, kernel("k.cpp", &cores, RISCV_1, vec![]));
    let object = ObjectKind::Kernel;
    let compiled = |object| Failure::ProgramAlreadyCompiled { object, program: clash.id() };
    assert_eq!(refused(late), compiled(object));
    let late = device.create_circular_buffer(clash, &circular(&cores, 64, &[index(1, 64)]));
    assert_eq!(refused(late), compiled(ObjectKind::CircularBuffer));
    let config = SemaphoreConfig { name: "s", cores: &cores, initial_value: 0 };
    let late = device.create_semaphore(clash, &config);
    assert_eq!(refused(late), compiled(ObjectKind::Semaphore));
    device.deallocate_buffer(top).unwrap();
    device.enqueue_program(QUEUE, clash, false).unwrap();
}

#[test]
fn programs_and_semaphores() {
    let mut device = open();
    let program = device.create_program("p").unwrap();
    let empty = Failure::EmptyProgram { program: program.id() };
    assert_eq!(refused(device.enqueue_program(QUEUE, program, true)), empty);
    let all = [CoreRange { start: core(0, 0), end: core(3, 2) }];
    let limit = 16;
    let half = [CoreRange { start: core(0, 0), end: core(1, 2) }];
    let config = |cores| SemaphoreConfig { name: "s", cores, initial_value: 0 };
    for number in 0..limit {
        let made = device.create_semaphore(program, &config(&half)).unwrap();
        assert_eq!(device.semaphore_number(made), Ok(number));
    }
    let full = Failure::TooManySemaphores { limit };
    assert_eq!(refused(device.create_semaphore(program, &config(&all))), full);
    let there = at(2, 0);
    let made = device.create_semaphore(program, &config(&there)).unwrap();
    assert_eq!(device.semaphore_number(made), Ok(0));
}

#[test]
fn what_no_capture_can_hold_is_refused_before_the_call() {
    let mut device = open();
    let name = refused_argument(device.create_program("a b"));
    assert!(name.contains("name: \"a b\" is not a name"), "{name}");
    let made = device.create_buffer(&buffer("b", BufferType::Dram, 64, 64)).unwrap();
    device.enqueue_read_buffer(QUEUE, made, "o", Expectation::AsCaptured, false).unwrap();
    let before = device.next_command();
    let twice = device.enqueue_read_buffer(QUEUE, made, "o", Expectation::AsCaptured, false);
    assert!(refused_argument(twice).contains("another read"));
    let unchecked = Expectation::Unchecked { reason: " ".to_owned() };
    let silent = device.enqueue_read_buffer(QUEUE, made, "p", unchecked, false);
    assert!(refused_argument(silent).contains("say why"));
    let huge = [CoreRange { start: core(0, 0), end: core(u32::MAX, u32::MAX) }];
    let program = device.create_program("p").unwrap();
    let huge = device.create_kernel(program, kernel("k.cpp", &huge, RISCV_0, vec![]));
    assert!(refused_argument(huge).contains("cores are too many"));
    assert_eq!(device.next_kernel().id(), KernelId(0));
    assert_eq!(device.next_command().0, before.0 + 1);
}

#[test]
fn a_device_that_cannot_be_opened() {
    let mut options = options();
    let asked = Grid { columns: 9, rows: 1 };
    options.grid = GridAsked::Cores(asked);
    let available = Grid { columns: 8, rows: 9 };
    match Device::open(simulator(), options).unwrap_err() {
        OpenError::GridTooLarge { asked: found, available: there, .. } => {
            assert_eq!((found, there), (asked, available));
        }
        other => panic!("{other}"),
    }
    assert_eq!(Architecture::from_pci_id(0xB140_1E52), Some(Architecture::Blackhole));
}
