//! Calls of the host API that only provoke refusals. Most refusals have a case of a suite, listed in
//! `table_of_refusals.rs`; this file has the others.

use std::collections::BTreeMap;
use std::sync::Arc;

use hallmark_chip::{Architecture, LogicalCore};
use hallmark_runtime::device_code::{FirmwareBundle, KernelStore};
use hallmark_runtime::{
    Argument, BufferConfig, CallError, CircularBuffer, CircularBufferConfig, CommandQueue, Device,
    DeviceOptions, DeviceSettings, DeviceSpec, Kernel, KernelBinaries, KernelDescription,
    KernelLibrary, KernelProblem, KernelRequest, Program, SemaphoreConfig, SuiteKernels,
    open_device,
};
use hallmark_schema::model::{
    BufferRegion, BufferType, CircularBufferIndex, CommandKind, CoreRange, DataFormat,
    DataMovementProcessor, Expectation, FailureCode, KernelConfig, NocId, QueueId,
};

use crate::common::repository;

const QUEUE: CommandQueue = CommandQueue::FIRST;
/// A queue that a device with a single queue lacks.
const SECOND: CommandQueue = CommandQueue::with_id(QueueId(1));

/// The prebuilt kernels of the suites, and a kernel that does not compile.
struct Kernels(SuiteKernels);

impl KernelLibrary for Kernels {
    fn kernel(&mut self, request: &KernelRequest<'_>) -> Result<KernelBinaries, KernelProblem> {
        match request.source {
            "broken.cpp" => Err(KernelProblem::BuildFailed("line 1".to_owned())),
            _ => self.0.kernel(request),
        }
    }
}

fn open() -> Device {
    let firmware = FirmwareBundle::builtin(Architecture::WormholeB0).unwrap();
    let suites = repository().join("suites");
    let store = KernelStore::builder().prebuilt(suites.join("kernels/prebuilt")).build();
    let kernels = Kernels(SuiteKernels::new(suites, Arc::new(store)));
    let spec = DeviceSpec::simulator(Architecture::WormholeB0);
    let device = open_device(&spec, DeviceSettings::default()).unwrap();
    Device::open(device, DeviceOptions::new(Arc::new(firmware), Box::new(kernels))).unwrap()
}

/// Asserts that a call is refused with this code.
#[track_caller]
fn refused<T: std::fmt::Debug>(result: Result<T, CallError>, call: CommandKind, code: FailureCode) {
    let error = result.unwrap_err();
    let CallError::Host(host) = &error else { panic!("{error:?}") };
    assert_eq!((host.call, host.failure.code()), (call, code), "{error}");
}

const fn core(x: u32, y: u32) -> LogicalCore {
    LogicalCore { x, y }
}

fn at(x: u32, y: u32) -> [CoreRange; 1] {
    [CoreRange::single(core(x, y))]
}

fn kernel<'a>(source: &'a str, cores: &'a [CoreRange]) -> KernelDescription<'a> {
    KernelDescription {
        name: "k",
        source,
        cores,
        config: KernelConfig::data_movement(DataMovementProcessor::Riscv0, NocId::Noc0),
        compile_args: Vec::new(),
        defines: BTreeMap::new(),
        named_compile_args: BTreeMap::new(),
        opt_level: None,
        bindings: None,
    }
}

/// Creates a program with a kernel on core (0,0).
fn program(device: &mut Device) -> (Program, Kernel) {
    let program = device.create_program("p").unwrap();
    let cores = at(0, 0);
    let made = device.create_kernel(program, kernel("kernels/fault_misaligned_load.cpp", &cores));
    (program, made.unwrap())
}

fn circular(
    device: &mut Device,
    program: Program,
    cores: &[CoreRange],
    address: Option<(hallmark_runtime::Buffer, u32)>,
) -> Result<CircularBuffer, CallError> {
    let index = CircularBufferIndex {
        index: 0,
        page_size: 64,
        data_format: DataFormat::UInt32,
        tile: None,
    };
    let config = CircularBufferConfig {
        name: "cb",
        cores,
        total_size: 64,
        indices: &[index],
        globally_allocated_address: address,
    };
    device.create_circular_buffer(program, &config)
}

fn semaphore(
    device: &mut Device,
    program: Program,
    cores: &[CoreRange],
) -> Result<hallmark_runtime::Semaphore, CallError> {
    device.create_semaphore(program, &SemaphoreConfig { name: "s", cores, initial_value: 0 })
}

fn buffer(device: &mut Device, buffer_type: BufferType) -> hallmark_runtime::Buffer {
    device.create_buffer(&BufferConfig::interleaved("b", buffer_type, 64, 64)).unwrap()
}

#[test]
fn cores_that_nothing_can_be_made_on() {
    use FailureCode::{CoreOutsideGrid, EmptyCoreRange};
    let mut device = open();
    let (program, _) = program(&mut device);
    let made = device.create_kernel(program, kernel("kernels/fault_misaligned_load.cpp", &[]));
    refused(made, CommandKind::CreateKernel, EmptyCoreRange);
    refused(semaphore(&mut device, program, &[]), CommandKind::CreateSemaphore, EmptyCoreRange);
    let outside = semaphore(&mut device, program, &at(8, 0));
    refused(outside, CommandKind::CreateSemaphore, CoreOutsideGrid);
    let none = circular(&mut device, program, &[], None);
    refused(none, CommandKind::CreateCircularBuffer, EmptyCoreRange);
}

#[test]
fn kernels_that_there_are_not() {
    let mut device = open();
    let (program, _) = program(&mut device);
    let cores = at(1, 0);
    let call = CommandKind::CreateKernel;
    let absent = device.create_kernel(program, kernel("kernels/absent.cpp", &cores));
    refused(absent, call, FailureCode::KernelSourceNotFound);
    let broken = device.create_kernel(program, kernel("broken.cpp", &cores));
    refused(broken, call, FailureCode::KernelBuildFailed);
}

#[test]
fn a_program_that_is_compiled_takes_no_circular_buffer() {
    let mut device = open();
    let (program, _) = program(&mut device);
    device.enqueue_program(QUEUE, program, false).unwrap();
    let late = circular(&mut device, program, &at(0, 0), None);
    refused(late, CommandKind::CreateCircularBuffer, FailureCode::ProgramAlreadyCompiled);
}

#[test]
fn a_buffer_that_could_not_be_made() {
    let mut device = open();
    let (program, _) = program(&mut device);
    let l1 = buffer(&mut device, BufferType::L1);
    let dynamic = circular(&mut device, program, &at(0, 0), Some((l1, 0))).unwrap();
    let unmade = device.next_buffer();
    let odd = BufferConfig::interleaved("b", BufferType::L1, 65, 64);
    device.create_buffer(&odd).unwrap_err();
    let code = FailureCode::UnknownObject;
    let view = device.create_buffer_view("v", unmade, BufferRegion { offset: 0, size: 64 });
    refused(view, CommandKind::CreateBufferView, code);
    refused(device.deallocate_buffer(unmade), CommandKind::DeallocateBuffer, code);
    let in_it = circular(&mut device, program, &at(1, 0), Some((unmade, 0)));
    refused(in_it, CommandKind::CreateCircularBuffer, code);
    let moved = device.update_dynamic_circular_buffer_address(dynamic, unmade, 0);
    refused(moved, CommandKind::UpdateDynamicCircularBufferAddress, code);
    let moved = device.update_dynamic_circular_buffer_address_and_total_size(dynamic, unmade, 64);
    refused(moved, CommandKind::UpdateDynamicCircularBufferAddressAndTotalSize, code);
    let written = device.enqueue_write_buffer(QUEUE, unmade, &[0; 64][..], false);
    refused(written, CommandKind::EnqueueWriteBuffer, code);
}

#[test]
fn a_circular_buffer_that_could_not_be_made() {
    let mut device = open();
    let (program, _) = program(&mut device);
    let unmade = device.next_circular_buffer();
    circular(&mut device, program, &[], None).unwrap_err();
    let code = FailureCode::UnknownObject;
    let total = device.update_circular_buffer_total_size(unmade, 64);
    refused(total, CommandKind::UpdateCircularBufferTotalSize, code);
    let page = device.update_circular_buffer_page_size(unmade, 0, 64);
    refused(page, CommandKind::UpdateCircularBufferPageSize, code);
}

#[test]
fn a_circular_buffer_in_a_buffer_that_does_not_do() {
    let mut device = open();
    let (program, _) = program(&mut device);
    let [l1, gone] = [(); 2].map(|()| buffer(&mut device, BufferType::L1));
    let dram = buffer(&mut device, BufferType::Dram);
    device.deallocate_buffer(gone).unwrap();
    let dynamic = circular(&mut device, program, &at(0, 0), Some((l1, 0))).unwrap();
    let call = CommandKind::UpdateDynamicCircularBufferAddressAndTotalSize;
    let moved = device.update_dynamic_circular_buffer_address_and_total_size(dynamic, gone, 64);
    refused(moved, call, FailureCode::ReleasedObject);
    let moved = device.update_dynamic_circular_buffer_address_and_total_size(dynamic, dram, 64);
    refused(moved, call, FailureCode::CircularBufferNeedsL1Buffer);
}

#[test]
fn arguments_of_a_kernel_that_could_not_be_made() {
    let mut device = open();
    let program = device.create_program("p").unwrap();
    let unmade = device.next_kernel();
    device.create_kernel(program, kernel("kernels/absent.cpp", &at(0, 0))).unwrap_err();
    let code = FailureCode::UnknownObject;
    let set = device.set_runtime_args(unmade, &at(0, 0), &[]);
    refused(set, CommandKind::SetRuntimeArgs, code);
    let set = device.set_common_runtime_args(unmade, &[1.into()]);
    refused(set, CommandKind::SetCommonRuntimeArgs, code);
    let set = device.update_common_runtime_args(unmade, 0, &[]);
    refused(set, CommandKind::UpdateCommonRuntimeArgs, code);
}

#[test]
fn arguments_for_cores_that_do_not_do() {
    let mut device = open();
    let (_, kernel) = program(&mut device);
    let call = CommandKind::SetRuntimeArgs;
    refused(device.set_runtime_args(kernel, &[], &[]), call, FailureCode::EmptyCoreRange);
    let outside = device.set_runtime_args(kernel, &at(8, 0), &[]);
    refused(outside, call, FailureCode::CoreOutsideGrid);
    let vectors = [vec![1.into()], vec![2.into()]];
    let two = device.set_runtime_args_per_core(kernel, &[core(0, 0)], &vectors);
    refused(two, call, FailureCode::ArgsVectorMismatch);
}

#[test]
fn arguments_that_stand_for_what_there_is_not() {
    let mut device = open();
    let (_, kernel) = program(&mut device);
    let (other, _) = program(&mut device);
    let foreign = semaphore(&mut device, other, &at(0, 0)).unwrap();
    let [kept, gone] = [(); 2].map(|()| buffer(&mut device, BufferType::Dram));
    device.deallocate_buffer(gone).unwrap();
    let released = Argument::BufferAddress { buffer: gone, offset: 0 };
    let foreign = Argument::SemaphoreAddress { semaphore: foreign, offset: 0 };
    let outside = Argument::CoreNocX(core(8, 0));
    let no_shard = Argument::ShardBankPair { buffer: kept, pair: 0 };
    let call = CommandKind::SetRuntimeArgs;
    let set = device.set_runtime_args(kernel, &at(0, 0), &[released]);
    refused(set, call, FailureCode::ReleasedObject);
    let set = device.set_runtime_args(kernel, &at(0, 0), &[foreign]);
    refused(set, call, FailureCode::WrongProgram);
    let call = CommandKind::SetCommonRuntimeArgs;
    let set = device.set_common_runtime_args(kernel, &[outside]);
    refused(set, call, FailureCode::CoreOutsideGrid);
    device.set_common_runtime_args(kernel, &[1.into()]).unwrap();
    let call = CommandKind::UpdateCommonRuntimeArgs;
    for (argument, code) in [
        (outside, FailureCode::CoreOutsideGrid),
        (foreign, FailureCode::WrongProgram),
        (no_shard, FailureCode::ShardOutOfRange),
    ] {
        refused(device.update_common_runtime_args(kernel, 0, &[argument]), call, code);
    }
}

#[test]
fn a_queue_that_the_device_does_not_have() {
    let mut device = open();
    let (program, _) = program(&mut device);
    let made = buffer(&mut device, BufferType::Dram);
    let code = FailureCode::UnknownQueue;
    let read = device.enqueue_read_buffer(SECOND, made, "o", Expectation::AsCaptured, false);
    refused(read, CommandKind::EnqueueReadBuffer, code);
    let launched = device.enqueue_program(SECOND, program, false);
    refused(launched, CommandKind::EnqueueProgram, code);
    let event = device.enqueue_record_event(QUEUE, "e", true, None).unwrap();
    let waits = device.enqueue_wait_for_event(SECOND, event);
    refused(waits, CommandKind::EnqueueWaitForEvent, code);
    let trace = device.begin_trace_capture(QUEUE, "t").unwrap();
    let ended = device.end_trace_capture(SECOND, trace);
    refused(ended, CommandKind::EndTraceCapture, code);
    refused(device.replay_trace(SECOND, trace, false), CommandKind::ReplayTrace, code);
}

#[test]
fn an_event_that_could_not_be_recorded() {
    let mut device = open();
    let unmade = device.next_event();
    device.enqueue_record_event(QUEUE, "e", true, Some(7)).unwrap_err();
    let code = FailureCode::UnknownObject;
    refused(device.event_synchronize(unmade), CommandKind::EventSynchronize, code);
    refused(device.event_query(unmade, None), CommandKind::EventQuery, code);
}

#[test]
fn a_device_that_is_lost() {
    let mut device = open();
    let (program, kernel) = program(&mut device);
    let argument =
        Argument::BufferAddress { buffer: buffer(&mut device, BufferType::L1), offset: 0 };
    device.set_runtime_args(kernel, &at(0, 0), &[argument]).unwrap();
    device.enqueue_program(QUEUE, program, false).unwrap();
    refused(device.finish(QUEUE), CommandKind::Finish, FailureCode::DeviceFault);
    refused(device.finish(QUEUE), CommandKind::Finish, FailureCode::DeviceLost);
}
