//! The result of a test, for reports.

use std::sync::Arc;
use std::time::Duration;

use hallmark_chip::{FaultCategory, KernelRuns};
use hallmark_execution::worker::kernels::BrokenKernel;
use hallmark_schema::model::{Capture, SharedBytes};
use hallmark_suite::bound::BoundTest;
use hallmark_suite::name::TestName;

use super::failure_details::{FailureDetails, Remedy, RemedyKind};
use super::first_bad_line::FirstBadLine;
use super::printed::PrintedLines;
use super::sightings::Sightings;
use super::test_executors::TestExecutors;
use crate::signature::Signature;
use crate::verdict::{ExitCode, Verdict};

/// The result of a test.
#[derive(Clone, Debug)]
pub struct TestResult {
    /// The name that selects it.
    pub name: TestName,
    /// The verdict, after known failures were excused.
    pub verdict: Verdict,
    /// The resulting exit code.
    pub exit_code: ExitCode,
    /// The report, one entry per line; empty for a pass.
    pub lines: Vec<String>,
    /// Wall-clock time.
    pub elapsed: Duration,
    /// The kernel that does not compile, if that is the only finding: it is reported once for all tests.
    pub broken_kernel: Option<BrokenKernel>,
    /// The entries of the list of deviations that apply to the test.
    pub sightings: Sightings,
    /// The check whose finding the suite excuses, if that is the test's failure.
    pub excused: Option<FaultCategory>,
    /// Whether it was right only by an order that the chip's documents do not promise: `--strict-isa` may give another
    /// result.
    pub relies_on_atomics_behind_writes: bool,
    /// The kernels that have run, by what the device judged them by.
    pub kernel_runs: KernelRuns,
    /// The signature of the failure, if the test failed and the failure concerns the device and its programs.
    pub signature: Option<Signature>,
    /// Its first bad command, if it failed and the command was searched for.
    pub first_bad: Option<FirstBadLine>,
    /// Further details, if it failed.
    pub details: FailureDetails,
    /// Calls that took place and may be mistakes, whatever the verdict.
    pub warnings: Vec<String>,
    /// What its kernels have printed, whatever the verdict.
    pub printed: Vec<PrintedLines>,
}

impl TestResult {
    /// A result without further details and with a duration of 0.
    pub fn new(name: TestName, verdict: Verdict, exit_code: ExitCode, lines: Vec<String>) -> Self {
        Self {
            name,
            verdict,
            exit_code,
            lines,
            elapsed: Duration::ZERO,
            broken_kernel: None,
            sightings: Sightings::default(),
            excused: None,
            relies_on_atomics_behind_writes: false,
            kernel_runs: KernelRuns::default(),
            signature: None,
            first_bad: None,
            details: FailureDetails::default(),
            warnings: Vec::new(),
            printed: Vec::new(),
        }
    }

    /// The last lines that its kernels have printed.
    pub fn last_printed(&self) -> Vec<String> {
        PrintedLines::shortened(&self.printed, "see printed.txt")
    }

    /// The remedies, one per line.
    pub fn remedies(&self) -> Vec<String> {
        let first_bad = self.first_bad.iter().flat_map(FirstBadLine::lines);
        first_bad.chain(self.open_remedies().map(Remedy::line)).collect()
    }

    /// The remedies that are left: the first bad command is searched for once.
    pub fn open_remedies(&self) -> impl Iterator<Item = &Remedy> {
        let searched = self.first_bad.is_some();
        let all = self.details.remedies.iter();
        all.filter(move |remedy| !(searched && remedy.kind == RemedyKind::Triage))
    }

    /// The report and the remedies, one entry per line; empty for a pass.
    pub fn report(&self) -> Vec<String> {
        self.lines.iter().cloned().chain(self.last_printed()).chain(self.remedies()).collect()
    }
}

/// A test that was run: its result, and the inputs of a search for its first bad command.
#[derive(Clone, Debug)]
pub struct TestRun {
    /// The result, without its first bad command.
    pub result: TestResult,
    /// The remains of the test, if it failed.
    pub failure: Option<FailedRun>,
}

/// The remains of a failed test.
#[derive(Clone, Debug)]
pub struct FailedRun {
    /// The executors of the test.
    pub executors: TestExecutors,
    /// Its calls, with the expected outcome of each.
    pub bound: BoundTest,
    /// The capture, if it is complete.
    pub capture: Option<Arc<Capture>>,
    /// The bytes of the capture, or of the journal's content; may be empty.
    pub bytes: SharedBytes,
}

impl FailedRun {
    /// The capture, complete or from the journal.
    pub fn recovered(&self) -> Option<Arc<Capture>> {
        let recovered = || Capture::open(&self.bytes).ok().map(Arc::new);
        self.capture.clone().or_else(recovered)
    }
}
