//! The capture worker: performs a test's calls under the recorder.

use std::cell::Cell;

use hallmark_runtime::{
    CallData, CallError, CaptureOptions, Device, DeviceOptions, Drained, HostError, KernelLibrary,
};
use hallmark_schema::model::{Capture, ContentHash, Outcome, SharedBytes};
use hallmark_suite::bound::{AtEnd, BoundCase};

use super::WorkerResult;
use super::job::{CaptureJob, DeviceJob};
use super::job_file::{CAPTURE, JOURNAL, JobFile};
use super::kernels::JobKernels;
use super::memory::MemoryLog;
use super::open::Opened;
use super::own_memory;
use super::printed_file::{self, PRINTED};
use super::problem::{WorkerFile, WorkerProblem};
use super::report::{FailedCall, Warning, WorkerReport};
use crate::whole_file;

/// Opens the device of a job.
pub(super) fn open(
    job: &DeviceJob,
    case: &BoundCase,
    kernels: Box<dyn KernelLibrary>,
) -> Result<Device, WorkerProblem> {
    let Opened { device, firmware } = job.open()?;
    let mut options = DeviceOptions::new(firmware, kernels);
    options.dispatch = job.dispatch;
    options.tick_budget = job.asked.budget.unwrap_or(options.tick_budget);
    options.dispatch_settings = job.asked.dispatch;
    options.schedule_seed = job.schedule_seed;
    options.num_command_queues = case.num_command_queues;
    options.trace_region_size = case.trace_region_size;
    options.l1_small_size = case.l1_small_size;
    options.worker_l1_size = case.worker_l1_size;
    Device::open(device, options).map_err(|error| job.problem(&error))
}

pub(super) fn run(job: &CaptureJob, file: &JobFile) -> WorkerResult {
    let kernels = JobKernels::new(file, &job.kernels);
    let mut device = open(&job.device, &job.case, Box::new(kernels))?;
    device.listen_to_prints(printed_file::writer(file.path(PRINTED)));
    let options = CaptureOptions { journal: Some(file.path(JOURNAL)) };
    device.begin_capture(&options).map_err(|error| WorkerFile::JournalAtBegin.problem(&error))?;
    let mut memory =
        job.memory.then(|| MemoryLog::create(file, job.device.launched_by())).transpose()?;
    let mut last = 0;
    let mut report = WorkerReport::default();
    let mut accepted = None;
    let mut is_whole = true;
    let data = JobData::new(file);
    for (index, step) in (0_u32..).zip(&job.case.steps) {
        let result = device.make_call(step.command.clone(), &data);
        data.check()?;
        last = index;
        let failure = match result {
            Ok(()) => {
                if let Some(memory) = &mut memory {
                    memory.after(&mut device, index, &step.command);
                }
                None
            }
            Err(CallError::Host(error)) => {
                report.failed_call = Some(failed_call(index, &error));
                Some(error.failure)
            }
            Err(error) => {
                return Err(WorkerProblem::of_call(error, index, step, &job.device));
            }
        };
        if let (None, Some(expected)) = (&failure, &step.failure) {
            accepted = Some(WorkerProblem::Accepted {
                command: index,
                call: step.command.kind().name().to_owned(),
                written_at: step.written_at(),
                expected: expected.clone(),
            });
        }
        // After an unexpected outcome, further calls say nothing about the host API.
        if failure != step.failure || device.stop().is_some() {
            is_whole = false;
            break;
        }
    }
    // What no call has waited for runs as well, unless the calls were broken off.
    if is_whole && job.case.at_end != AtEnd::Open {
        let drained = device.drain().map_err(|error| match error {
            CallError::Stopped(error) => job.device.stopped(&error),
            other => WorkerProblem::internal(other),
        })?;
        if let Some(Drained { outcome: Outcome::Failed(failure), error: Some(error) }) = drained {
            let at = failure.blamed().map_or(last, |blamed| blamed.0);
            report.failed_call = Some(failed_call(at, &error));
        }
    }
    report.stop = device.stop().cloned().map(Box::new);
    report.relies_on_atomics_behind_writes = device.relies_on_atomics_behind_writes();
    report.kernel_runs = device.kernel_runs();
    report.warnings = device.take_warnings().into_iter().map(Warning::from).collect();
    if let Some(memory) = &mut memory {
        memory.at_end(&mut device, last);
    }
    finish(device, &job.case, file, report).map_err(|problem| match (problem, accepted) {
        // A capture cannot contain a call that breaks a rule, so a call that the runtime should have refused
        // cannot be recorded. The suite's expectation of the call gives the better error.
        (WorkerProblem::Internal { .. }, Some(accepted)) => accepted,
        (problem, _) => problem,
    })
}

/// What captures do not contain of a call's error.
fn failed_call(command: u32, error: &HostError) -> FailedCall {
    FailedCall {
        command,
        text: error.to_string(),
        remedy: error.remedy().to_owned(),
        detail: error.detail.clone(),
    }
}

/// Ends the capture of a case and writes it.
pub(super) fn finish(
    mut device: Device,
    case: &BoundCase,
    file: &JobFile,
    report: WorkerReport,
) -> WorkerResult {
    let mut capture =
        device.end_capture().map_err(|error| WorkerFile::JournalAtEnd.problem(&error))?;
    case.note_expected_faults(&mut capture, report.stop.as_deref());
    write(&capture, file)?;
    own_memory::wait_if_over();
    // A device that no longer accepts its reset has already been judged by its calls.
    let _ = device.close();
    Ok(report)
}

fn write(capture: &Capture, file: &JobFile) -> Result<(), WorkerProblem> {
    let bytes = file.capture_bytes(capture).map_err(|error| {
        WorkerProblem::internal(format!("the capture cannot be written: {error}"))
    })?;
    whole_file::write_in_own_folder(&file.path(CAPTURE), &bytes)
        .map_err(|error| WorkerFile::Capture.problem(&error))
}

/// The data of a job's calls. It remembers missing data; a valid job has none.
pub(super) struct JobData<'f> {
    file: &'f JobFile,
    missing: Cell<Option<WorkerProblem>>,
}

impl<'f> JobData<'f> {
    pub(super) const fn new(file: &'f JobFile) -> Self {
        Self { file, missing: Cell::new(None) }
    }

    /// The reason to abort the job: data of a call were missing.
    pub(super) fn check(&self) -> Result<(), WorkerProblem> {
        self.missing.take().map_or(Ok(()), Err)
    }
}

impl CallData for JobData<'_> {
    fn bytes(&self, hash: ContentHash) -> Option<SharedBytes> {
        match self.file.blob(hash) {
            Ok(bytes) => Some(bytes.into()),
            Err(problem) => {
                self.missing.set(Some(problem));
                None
            }
        }
    }
}
