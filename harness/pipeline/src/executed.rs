//! The remains of an ended worker, and the inputs of a replay.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hallmark_runtime::device_code::temporary::TemporaryFolder;
use hallmark_runtime::{FoundKernels, LastWrite, MetaliumPhase, Stop, StopCause};
use hallmark_schema::journal;
use hallmark_schema::model::{Capture, DeviceRequirements, Failure, Outcome, Printed, SharedBytes};

use hallmark_execution::executor::Executor;
use hallmark_execution::whole_file;
use hallmark_execution::worker::job::UNIT_WAITS;
use hallmark_execution::worker::job_file::{CAPTURE, CAPTURE_LIMIT, JOURNAL, JOURNAL_LIMIT};
use hallmark_execution::worker::memory::{self, BufferSnapshot};
use hallmark_execution::worker::phase_file::last_phase;
use hallmark_execution::worker::portability::PortabilityVerdict;
use hallmark_execution::worker::printed_file;
use hallmark_execution::worker::problem::WorkerProblem;
use hallmark_execution::worker::process::{Ended, Ending};
use hallmark_execution::worker::profile::{self, ProfileNotes};
use hallmark_execution::worker::report::WorkerReport;
use hallmark_execution::worker::state::{self, StateNote};
use hallmark_execution::worker::writers;
use hallmark_suite::bound::BoundCase;

/// The largest accepted report of waits, bytes.
const UNIT_WAITS_LIMIT: u64 = 1 << 26;

/// A capture's file and the executor of its replay.
#[derive(Clone, Debug)]
pub struct ReplayOf {
    /// The file, absolute.
    pub capture: PathBuf,
    /// The number of command queues of the captured program.
    pub num_command_queues: u8,
    /// The executor.
    pub executor: Executor,
    /// The kernels that the executor needs and for which the capture has no ELFs.
    pub kernels: FoundKernels,
}

/// The limits of a run.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Wall-clock time.
    pub timeout: Duration,
    /// The requirements on the device.
    pub asked: DeviceRequirements,
}

/// An ended worker, and its capture.
#[derive(Debug)]
pub struct Executed {
    /// How it ended.
    pub ended: Ended,
    /// Its report; for a worker whose process the device ended, a report of the reason.
    pub report: WorkerReport,
    /// A complete capture: written by the worker, or made from its journal after a fault ended it.
    pub capture: Option<Arc<Capture>>,
    /// That capture's bytes.
    pub bytes: SharedBytes,
    /// The content of the journal, if its writer died for an unknown reason, or its device stopped before any program.
    pub recovered: Option<Box<Capture>>,
    /// Why there is no capture.
    pub problem: Option<String>,
    /// TT-Metalium's phase when its worker ended without a report, if it executed the capture.
    pub phase: Option<MetaliumPhase>,
    /// The worker's folder, removed when this value is dropped.
    folder: TemporaryFolder,
}

impl Executed {
    /// Collects the remains of a worker from its folder.
    pub(super) fn of(ended: Ended, report: WorkerReport, folder: TemporaryFolder) -> Self {
        let mut executed = Self {
            ended,
            report,
            capture: None,
            bytes: Vec::new().into(),
            recovered: None,
            problem: None,
            phase: None,
            folder,
        };
        executed.collect();
        executed
    }

    /// The worker's folder.
    pub(super) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The contents of buffers, if they were requested.
    pub fn memory(&self) -> Vec<BufferSnapshot> {
        memory::read(self.folder.path())
    }

    /// The content of memory between the calls, if it was requested and readable.
    pub fn state(&self) -> Vec<StateNote> {
        state::read(self.folder.path())
    }

    /// The writes to the watched byte, if they were requested and the device reports them.
    pub fn writes(&self) -> Option<Vec<LastWrite>> {
        writers::read(self.folder.path())
    }

    /// The measurements of calls and launches, if they were requested and the worker is of this release.
    pub fn profile(&self) -> Option<ProfileNotes> {
        profile::read(self.folder.path())
    }

    /// The report of waits of a profiled replay on Hallmark's simulator as a library.
    pub fn unit_waits(&self) -> Option<String> {
        let bytes =
            whole_file::read(&self.folder.path().join(UNIT_WAITS), UNIT_WAITS_LIMIT).ok()?;
        String::from_utf8(bytes).ok()
    }

    /// Whether a replay was on another chip than its capture.
    pub(super) fn is_adapted(&self) -> bool {
        let portability = self.report.portability.as_ref();
        portability.is_some_and(|report| report.verdict == PortabilityVerdict::Adapted)
    }

    /// The capture's file.
    pub(super) fn capture_path(&self) -> PathBuf {
        self.folder.path().join(CAPTURE)
    }
}

impl Executed {
    /// Reads the capture, or makes one from the journal.
    fn collect(&mut self) {
        if matches!(self.ended.ending, Ending::Reported(_)) {
            match self.report.problem {
                Some(WorkerProblem::Stopped { .. }) => {
                    self.report.printed = printed_file::read(self.folder.path());
                    let recovered = self.journal().and_then(|bytes| journal::recover(&bytes).ok());
                    self.recovered = recovered.map(|mut recovered| {
                        self.note_printed(&mut recovered.capture);
                        Box::new(recovered.capture)
                    });
                    return;
                }
                Some(_) => return,
                None => {}
            }
            match whole_file::read(&self.capture_path(), CAPTURE_LIMIT) {
                Ok(bytes) => {
                    let bytes = bytes.into();
                    match Capture::open(&bytes) {
                        Ok(capture) => self.keep(capture, bytes),
                        Err(error) => {
                            self.problem = Some(format!("the capture is refused: {error}"));
                        }
                    }
                }
                Err(error) => self.problem = Some(format!("there is no capture: {error}")),
            }
            return;
        }
        self.phase = last_phase(self.folder.path());
        self.report.printed = printed_file::read(self.folder.path());
        let Some(bytes) = self.journal() else { return };
        let mut recovered = match journal::recover(&bytes) {
            Ok(recovered) => recovered,
            Err(error) => {
                self.problem = Some(format!("the journal cannot be used: {error}"));
                return;
            }
        };
        self.note_printed(&mut recovered.capture);
        // A device that ends its process on a fault: the fault is assigned to the pending call, as on a device
        // that reports it.
        if let Some(fault) = self.ended.closing_fault()
            && let Some(enqueue) = recovered.executing
        {
            let failure = Failure::DeviceFault { category: fault.category, enqueue };
            let draining = recovered.is_draining().then_some(enqueue);
            let under_way = recovered.unfinished().or(draining);
            match recovered.complete_with(Outcome::Failed(failure)) {
                Ok(()) => match recovered.capture.to_bytes() {
                    Ok(bytes) => {
                        self.report.stop = under_way.map(|command| {
                            let cause = StopCause::Fault(fault);
                            let enqueue = Some(enqueue);
                            Box::new(Stop {
                                command,
                                enqueue,
                                replaying: None,
                                cause,
                                leftovers: Vec::new(),
                            })
                        });
                        self.keep(recovered.capture, bytes.into());
                        return;
                    }
                    Err(error) => self.problem = Some(error.to_string()),
                },
                Err(error) => self.problem = Some(error.to_string()),
            }
        }
        self.recovered = Some(Box::new(recovered.capture));
    }

    /// What the kernels of the run printed, in the order of each first piece.
    pub fn printed(&self) -> &[Printed] {
        let capture = self.capture.as_deref().or(self.recovered.as_deref());
        match capture.and_then(|capture| capture.record.as_ref()) {
            Some(record) if !record.printed.is_empty() => &record.printed,
            Some(_) | None => &self.report.printed,
        }
    }

    /// Gives a capture that was made from a journal the printed lines, which a journal lacks.
    fn note_printed(&self, capture: &mut Capture) {
        let commands = capture.program.commands.len() as u64;
        let is_of_a_call = |it: &&Printed| it.launch.is_none_or(|it| u64::from(it.0) < commands);
        if let Some(record) = &mut capture.record {
            record.printed = self.report.printed.iter().filter(is_of_a_call).cloned().collect();
        }
    }

    /// The bytes of the journal.
    fn journal(&self) -> Option<Vec<u8>> {
        whole_file::read(&self.folder.path().join(JOURNAL), JOURNAL_LIMIT).ok()
    }

    /// Completes a capture made from a journal as a worker does at its normal end.
    pub(super) fn note_expected_faults(&mut self, case: &BoundCase) {
        if matches!(self.ended.ending, Ending::Reported(_)) {
            return;
        }
        let Some(mut capture) = self.capture.as_deref().cloned() else { return };
        case.note_expected_faults(&mut capture, self.report.stop.as_deref());
        match capture.to_bytes() {
            Ok(bytes) => self.keep(capture, bytes.into()),
            Err(error) => self.problem = Some(error.to_string()),
        }
    }

    fn keep(&mut self, capture: Capture, bytes: SharedBytes) {
        self.capture = Some(Arc::new(capture));
        self.bytes = bytes;
    }
}
