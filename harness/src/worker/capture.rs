//! The capture worker: a test's calls under the recorder.

use std::sync::Arc;

use hallmark_runtime::{
    Argument, BufferConfig, CallError, CaptureOptions, CircularBufferConfig, CommandQueue, Device,
    DeviceOptions, KernelDescription, KernelLibrary, SemaphoreConfig, WriteData,
    device_code::FirmwareBundle,
    devices::{DeviceSettings, DeviceSpec, open_device},
};
use hallmark_schema::commands;
use hallmark_schema::model::{Capture, Command, Data, Expectation};

use super::WorkerResult;
use super::job::{
    CAPTURE, CaptureJob, DeviceJob, FailedCall, JOURNAL, JobFile, StopReport, WorkerProblem,
    WorkerReport,
};
use super::kernels::JobKernels;
use super::memory::MemoryLog;
use crate::suite::bound::BoundCase;
use crate::whole_file;

/// Opens the device of a job.
pub(super) fn open(
    job: &DeviceJob,
    case: &BoundCase,
    kernels: Box<dyn KernelLibrary>,
) -> Result<Device, WorkerProblem> {
    let architecture =
        job.architecture.parse().map_err(|error| WorkerProblem::Internal(format!("{error}")))?;
    let firmware = match &job.firmware {
        Some(folder) => FirmwareBundle::load(folder, architecture),
        None => FirmwareBundle::builtin(architecture),
    }
    .map_err(|error| WorkerProblem::Firmware(format!("firmware cannot be used: {error}")))?;
    let spec: DeviceSpec =
        job.device.parse().map_err(|error| WorkerProblem::Device(format!("{error}")))?;
    let settings = DeviceSettings { schedule_seed: job.schedule_seed };
    let device =
        open_device(&spec, settings).map_err(|error| WorkerProblem::Device(format!("{error}")))?;
    let mut options = DeviceOptions::new(Arc::new(firmware), kernels);
    options.dispatch = job.dispatch;
    options.tick_budget = job.asked.budget.unwrap_or(options.tick_budget);
    options.dispatch_settings = job.asked.dispatch;
    options.schedule_seed = job.schedule_seed;
    options.num_command_queues = case.num_command_queues;
    options.trace_region_size = case.trace_region_size;
    Device::open(device, options).map_err(|error| WorkerProblem::Device(format!("{error}")))
}

pub(super) fn run(job: &CaptureJob, file: &JobFile) -> WorkerResult {
    let kernels = JobKernels::new(file, &job.kernels);
    let mut device = open(&job.device, &job.case, Box::new(kernels))?;
    let options = CaptureOptions { journal: Some(file.path(JOURNAL)) };
    device
        .begin_capture(&options)
        .map_err(|error| WorkerProblem::File(format!("the capture cannot begin: {error}")))?;
    let mut memory =
        job.memory.then(|| MemoryLog::create(file, job.device.dispatch)).transpose()?;
    let mut last = 0;
    let mut report = WorkerReport::default();
    let mut accepted = None;
    for (index, step) in (0_u32..).zip(&job.case.steps) {
        let result = perform(&mut device, &step.command, file);
        last = index;
        let failure = match result {
            Ok(()) => {
                if let Some(memory) = &mut memory {
                    memory.after(&mut device, index, &step.command);
                }
                None
            }
            Err(Problem::Call(CallError::Host(error))) => {
                report.failed_call = Some(FailedCall {
                    command: index,
                    text: error.to_string(),
                    remedy: error.remedy().to_owned(),
                    detail: error.detail.clone(),
                });
                Some(error.failure)
            }
            Err(Problem::Call(CallError::Capture(error))) => {
                return Err(WorkerProblem::File(error.to_string()));
            }
            Err(Problem::Call(error @ CallError::Argument(_))) => {
                return Err(WorkerProblem::Call(format!(
                    "command {index}, {} ({}): {error}",
                    step.command.kind().name(),
                    step.written_at()
                )));
            }
            Err(Problem::Call(error @ CallError::KernelUnavailable { .. })) => {
                return Err(WorkerProblem::Kernel(error.to_string()));
            }
            Err(Problem::Call(error @ CallError::Internal(_))) => {
                return Err(WorkerProblem::Internal(error.to_string()));
            }
            Err(Problem::Worker(problem)) => return Err(problem),
        };
        if let (None, Some(expected)) = (&failure, &step.failure) {
            accepted = Some(format!(
                "command {index}, {} ({}), succeeded, but the suite expects it to fail: {expected}",
                step.command.kind().name(),
                step.written_at()
            ));
        }
        // What follows a surprise says nothing about the host API any more.
        if failure != step.failure || device.stop().is_some() {
            break;
        }
    }
    report.stop = device.stop().map(|stop| Box::new(StopReport::of(stop)));
    if let Some(memory) = &mut memory {
        memory.at_end(&mut device, last);
    }
    finish(device, file, report).map_err(|problem| match (problem, accepted) {
        // A capture holds no call that breaks a rule, so what the runtime should have refused cannot be
        // written: what the suite said about the call says more.
        (WorkerProblem::Internal(_), Some(accepted)) => WorkerProblem::Call(accepted),
        (problem, _) => problem,
    })
}

/// Ends the capture and writes it.
pub(super) fn finish(mut device: Device, file: &JobFile, report: WorkerReport) -> WorkerResult {
    let capture = device
        .end_capture()
        .map_err(|error| WorkerProblem::File(format!("the capture cannot end: {error}")))?;
    write(&capture, file)?;
    // A device that does not take its reset any more has already been judged by its calls.
    let _ = device.close();
    Ok(report)
}

fn write(capture: &Capture, file: &JobFile) -> Result<(), WorkerProblem> {
    let bytes = capture.to_bytes().map_err(|error| {
        WorkerProblem::Internal(format!("the capture cannot be written: {error}"))
    })?;
    whole_file::write(&file.path(CAPTURE), &bytes)
        .map_err(|error| WorkerProblem::File(format!("the capture cannot be written: {error}")))
}

pub(super) enum Problem {
    Call(CallError),
    Worker(WorkerProblem),
}

impl From<CallError> for Problem {
    fn from(error: CallError) -> Self {
        Self::Call(error)
    }
}

/// Makes one call.
pub(super) fn perform(
    device: &mut Device,
    command: &Command,
    file: &JobFile,
) -> Result<(), Problem> {
    match command {
        Command::CreateBuffer(commands::CreateBuffer {
            name,
            size,
            page_size,
            buffer_type,
            layout,
            shard_spec,
            bottom_up,
            ..
        }) => {
            device.create_buffer(&BufferConfig {
                name,
                size: *size,
                page_size: *page_size,
                buffer_type: *buffer_type,
                layout: *layout,
                shard_spec: shard_spec.as_ref(),
                bottom_up: *bottom_up,
            })?;
        }
        Command::CreateBufferView(commands::CreateBufferView { name, parent, region, .. }) => {
            device.create_buffer_view(name, (*parent).into(), *region)?;
        }
        Command::DeallocateBuffer(commands::DeallocateBuffer { buffer }) => {
            device.deallocate_buffer((*buffer).into())?
        }
        Command::CreateProgram(commands::CreateProgram { name, .. }) => {
            device.create_program(name)?;
        }
        Command::CreateKernel(commands::CreateKernel {
            name,
            program,
            source,
            cores,
            config,
            compile_args,
            defines,
            ..
        }) => {
            let description = KernelDescription {
                name,
                source,
                cores,
                config: config.clone(),
                compile_args: compile_args.clone(),
                defines: defines.clone(),
            };
            device.create_kernel((*program).into(), description)?;
        }
        Command::SetRuntimeArgs(commands::SetRuntimeArgs { kernel, args }) => {
            device.set_recorded_args((*kernel).into(), args.clone())?;
        }
        Command::CreateCircularBuffer(commands::CreateCircularBuffer {
            name,
            program,
            cores,
            total_size,
            indices,
            globally_allocated_address: place,
            ..
        }) => {
            let config = CircularBufferConfig {
                name,
                cores,
                total_size: *total_size,
                indices,
                globally_allocated_address: place
                    .map(|place| (place.buffer.into(), place.address_offset)),
            };
            device.create_circular_buffer((*program).into(), &config)?;
        }
        Command::CreateSemaphore(commands::CreateSemaphore {
            name,
            program,
            cores,
            initial_value,
            ..
        }) => {
            let config = SemaphoreConfig { name, cores, initial_value: *initial_value };
            device.create_semaphore((*program).into(), &config)?;
        }
        Command::EnqueueWriteBuffer(commands::EnqueueWriteBuffer {
            queue,
            buffer,
            data,
            blocking,
            region,
        }) => {
            let Data { length, hash, generator } = data;
            let blob;
            let data = match generator {
                Some(generator) => WriteData::Generated { generator: *generator, length: *length },
                None => {
                    blob = file.blob(*hash).map_err(Problem::Worker)?;
                    WriteData::Bytes(&blob)
                }
            };
            let (queue, buffer) = (CommandQueue::with_id(*queue), (*buffer).into());
            match region {
                None => device.enqueue_write_buffer(queue, buffer, data, *blocking)?,
                Some(region) => {
                    device.enqueue_write_sub_buffer(queue, buffer, data, *region, *blocking)?;
                }
            }
        }
        Command::EnqueueReadBuffer(commands::EnqueueReadBuffer {
            queue,
            buffer,
            output,
            blocking,
            expectation,
            region,
        }) => {
            if let Expectation::Reference { data, .. } = expectation
                && data.generator.is_none()
            {
                let reference = file.blob(data.hash).map_err(Problem::Worker)?;
                device
                    .embed(&reference)
                    .map_err(|error| Problem::Worker(WorkerProblem::File(error.to_string())))?;
            }
            let (queue, buffer) = (CommandQueue::with_id(*queue), (*buffer).into());
            let expectation = expectation.clone();
            match region {
                None => {
                    device.enqueue_read_buffer(queue, buffer, output, expectation, *blocking)?
                }
                Some(region) => device.enqueue_read_sub_buffer(
                    queue,
                    buffer,
                    output,
                    expectation,
                    *region,
                    *blocking,
                )?,
            };
        }
        Command::EnqueueProgram(commands::EnqueueProgram { queue, program, blocking }) => {
            device.enqueue_program(CommandQueue::with_id(*queue), (*program).into(), *blocking)?;
        }
        Command::Finish(commands::Finish { queue }) => {
            device.finish(CommandQueue::with_id(*queue))?
        }
        Command::EnqueueRecordEvent(commands::EnqueueRecordEvent {
            queue,
            name,
            host_visible,
            number,
            ..
        }) => {
            let queue = CommandQueue::with_id(*queue);
            device.enqueue_record_event(queue, name, *host_visible, *number)?;
        }
        Command::EnqueueWaitForEvent(commands::EnqueueWaitForEvent { queue, event }) => {
            device.enqueue_wait_for_event(CommandQueue::with_id(*queue), (*event).into())?;
        }
        Command::EventSynchronize(commands::EventSynchronize { event }) => {
            device.event_synchronize((*event).into())?
        }
        Command::EventQuery(commands::EventQuery { event, expected }) => {
            device.event_query((*event).into(), *expected)?;
        }
        Command::BeginTraceCapture(commands::BeginTraceCapture { queue, name, .. }) => {
            device.begin_trace_capture(CommandQueue::with_id(*queue), name)?;
        }
        Command::EndTraceCapture(commands::EndTraceCapture { queue, trace }) => {
            device.end_trace_capture(CommandQueue::with_id(*queue), (*trace).into())?;
        }
        Command::ReplayTrace(commands::ReplayTrace { queue, trace, blocking }) => {
            device.replay_trace(CommandQueue::with_id(*queue), (*trace).into(), *blocking)?;
        }
        Command::ReleaseTrace(commands::ReleaseTrace { trace }) => {
            device.release_trace((*trace).into())?
        }
        Command::CollectTrace(commands::CollectTrace { trace, collected }) => {
            device.collect_trace((*trace).into(), collected)?;
        }
        Command::LoadTrace(commands::LoadTrace { name, from, buffers, .. }) => {
            device.load_collected_trace(name, from, buffers.clone())?;
        }
        Command::UpdateCircularBufferTotalSize(commands::UpdateCircularBufferTotalSize {
            circular_buffer,
            total_size,
        }) => {
            device.update_circular_buffer_total_size((*circular_buffer).into(), *total_size)?;
        }
        Command::UpdateCircularBufferPageSize(commands::UpdateCircularBufferPageSize {
            circular_buffer,
            index,
            page_size,
        }) => {
            let circular_buffer = (*circular_buffer).into();
            device.update_circular_buffer_page_size(circular_buffer, *index, *page_size)?;
        }
        Command::UpdateDynamicCircularBufferAddress(
            commands::UpdateDynamicCircularBufferAddress {
                circular_buffer,
                buffer,
                address_offset,
            },
        ) => {
            device.update_dynamic_circular_buffer_address(
                (*circular_buffer).into(),
                (*buffer).into(),
                *address_offset,
            )?;
        }
        Command::UpdateDynamicCircularBufferAddressAndTotalSize(
            commands::UpdateDynamicCircularBufferAddressAndTotalSize {
                circular_buffer,
                buffer,
                total_size,
            },
        ) => {
            device.update_dynamic_circular_buffer_address_and_total_size(
                (*circular_buffer).into(),
                (*buffer).into(),
                *total_size,
            )?;
        }
        Command::SetCommonRuntimeArgs(commands::SetCommonRuntimeArgs {
            kernel,
            values,
            relocations,
        }) => {
            let arguments = Argument::of_record(values, relocations);
            device.set_common_runtime_args((*kernel).into(), &arguments)?;
        }
        Command::UpdateCommonRuntimeArgs(commands::UpdateCommonRuntimeArgs {
            kernel,
            first,
            values,
            relocations,
        }) => {
            let arguments = Argument::of_record(values, relocations);
            device.update_common_runtime_args((*kernel).into(), *first, &arguments)?;
        }
    }
    Ok(())
}
