//! The planning worker: makes a test's calls on a simulator that never runs, because no call waits for it.

use std::collections::BTreeMap;

use hallmark_runtime::{
    Buffer, CallError, CaptureOptions, Device, PlannedBinary, PlannedCircularBuffer,
    PlannedSemaphore,
};
use hallmark_schema::commands::{self, Wait};
use hallmark_schema::model::{BufferId, Command};

use super::WorkerResult;
use super::capture_job::{JobData, finish, open};
use super::job::CaptureJob;
use super::job_file::JobFile;
use super::kernels::JobKernels;
use super::plan::{
    BankPlan, BufferPlan, CircularBufferPlan, CorePlan, KernelBinaryPlan, LaunchPlan, Plan,
    SemaphorePlan,
};
use super::problem::{WorkerFile, WorkerProblem};
use super::report::WorkerReport;

/// The largest number of a buffer's pages that are examined.
const PAGES: u64 = 1 << 16;

pub(super) fn run(job: &CaptureJob, file: &JobFile) -> WorkerResult {
    let kernels = JobKernels::new(file, &job.kernels);
    let mut device = open(&job.device, &job.case, Box::new(kernels))?;
    device
        .begin_capture(&CaptureOptions::default())
        .map_err(|error| WorkerFile::JournalAtBegin.problem(&error))?;
    let data = JobData::new(file);
    let mut plan = Plan::default();
    let mut page_sizes: BTreeMap<BufferId, u64> = BTreeMap::new();
    for (index, step) in (0_u32..).zip(&job.case.steps) {
        let Some(command) = without_waiting(&step.command) else { continue };
        let buffer = device.next_buffer();
        let result = device.make_call(command.clone(), &data);
        data.check()?;
        match result {
            // A failed call makes no object; the suite states whether it must fail.
            Ok(()) | Err(CallError::Host(_)) => {}
            Err(error) => {
                return Err(WorkerProblem::of_call(error, index, step, &job.device));
            }
        }
        let (id, size, page_size) = match &command {
            Command::CreateBuffer(commands::CreateBuffer { buffer, size, page_size, .. }) => {
                (*buffer, *size, *page_size)
            }
            Command::CreateBufferView(commands::CreateBufferView {
                buffer,
                parent,
                region,
                ..
            }) => {
                let Some(&page_size) = page_sizes.get(parent) else { continue };
                (*buffer, region.size, page_size)
            }
            _ => continue,
        };
        page_sizes.insert(id, page_size);
        plan.buffers.extend(placed(&device, buffer, index, size, page_size));
    }
    // Waiting calls were left out, so the calls have other indices here.
    let numbers: Vec<u32> = (0_u32..)
        .zip(&job.case.steps)
        .filter(|(_, step)| without_waiting(&step.command).is_some())
        .map(|(index, _)| index)
        .collect();
    for launch in device.planned_launches() {
        let place = usize::try_from(launch.command.0).unwrap_or(usize::MAX);
        let command = numbers.get(place).copied().unwrap_or(launch.command.0);
        let cores = launch.tiles.iter().map(|tile| CorePlan {
            core: tile.core,
            semaphores: tile.semaphores.iter().map(semaphore).collect(),
            words: tile.words,
            circular_buffers: tile.circular_buffers.iter().map(circular_buffer).collect(),
            kernel_binaries: tile.binaries.iter().map(kernel_binary).collect(),
        });
        plan.launches.push(LaunchPlan { command, cores: cores.collect() });
    }
    let report = WorkerReport { plan: Some(plan.into()), ..WorkerReport::default() };
    finish(device, &job.case, file, report)
}

const fn semaphore(planned: &PlannedSemaphore) -> SemaphorePlan {
    let PlannedSemaphore { number, address, initial_value } = *planned;
    SemaphorePlan { number, address, initial_value }
}

const fn circular_buffer(planned: &PlannedCircularBuffer) -> CircularBufferPlan {
    let PlannedCircularBuffer { index, slot } = *planned;
    CircularBufferPlan { index, address: slot.address, size: slot.size, pages: slot.num_pages }
}

const fn kernel_binary(planned: &PlannedBinary) -> KernelBinaryPlan {
    let PlannedBinary { processor, range } = *planned;
    KernelBinaryPlan { processor, range }
}

/// The call without the parts that would make the device run.
fn without_waiting(command: &Command) -> Option<Command> {
    let mut command = command.clone();
    match &mut command {
        // The skipped waiting calls would have taken numbers.
        Command::EnqueueRecordEvent(call) => call.number = None,
        Command::EnqueueWriteBuffer(call) => call.blocking = false,
        Command::EnqueueReadBuffer(call) => call.blocking = false,
        Command::EnqueueProgram(call) => call.blocking = false,
        Command::ReplayTrace(call) => call.blocking = false,
        _ => {}
    }
    let asks = matches!(command, Command::EventQuery(_));
    (!asks && command.waits_for() == Wait::Nothing).then_some(command)
}

/// The placement of a buffer's pages, if it was made.
fn placed(
    device: &Device,
    buffer: Buffer,
    command: u32,
    size: u64,
    page_size: u64,
) -> Option<BufferPlan> {
    let total = size.checked_div(page_size)?;
    let mut banks: Vec<BankPlan> = Vec::new();
    let mut places: BTreeMap<u64, usize> = BTreeMap::new();
    for page in 0..total.min(PAGES) {
        let location = device.locate(buffer, page.saturating_mul(page_size)).ok()??;
        let end = location.address.saturating_add(page_size);
        let place = *places.entry(location.bank).or_insert(banks.len());
        match banks.get_mut(place) {
            Some(bank) => {
                bank.start = bank.start.min(location.address);
                bank.end = bank.end.max(end);
                bank.pages = bank.pages.saturating_add(1);
            }
            None => banks.push(BankPlan {
                bank: location.bank,
                tile: location.tile,
                start: location.address,
                end,
                pages: 1,
            }),
        }
    }
    Some(BufferPlan { command, banks, more_pages: total.saturating_sub(PAGES) })
}
