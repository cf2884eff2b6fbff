//! What came of a test, as reports tell it.

use std::sync::Arc;
use std::time::Duration;

use hallmark_execution::worker::kernels::BrokenKernel;
use hallmark_schema::model::{Capture, SharedBytes};
use hallmark_suite::bound::BoundTest;
use hallmark_suite::name::TestName;

use super::failure_details::{FailureDetails, Remedy};
use super::first_bad_line::FirstBadLine;
use super::sightings::Sightings;
use super::test_executors::TestExecutors;
use crate::signature::Signature;
use crate::verdict::{ExitCode, Verdict};

/// What came of a test.
#[derive(Clone, Debug)]
pub struct TestResult {
    /// The name that selects it.
    pub name: TestName,
    /// What came of it, after known failures were excused.
    pub verdict: Verdict,
    /// The exit code that it asks for.
    pub exit_code: ExitCode,
    /// What happened, a line each; empty for a pass.
    pub lines: Vec<String>,
    /// Wall-clock time.
    pub elapsed: Duration,
    /// The kernel that does not compile, if that is all that came of it: it is told once for all tests.
    pub broken_kernel: Option<BrokenKernel>,
    /// Entries of the list of deviations that apply to it.
    pub sightings: Sightings,
    /// What the failure is, if it did not pass and that says something about the device and its programs.
    pub signature: Option<Signature>,
    /// Its first bad command, if it did not pass and that was looked for.
    pub first_bad: Option<FirstBadLine>,
    /// What else is known of it, if it did not pass.
    pub details: FailureDetails,
}

impl TestResult {
    /// A result of which nothing else is known; it took no time.
    pub fn new(name: TestName, verdict: Verdict, exit_code: ExitCode, lines: Vec<String>) -> Self {
        Self {
            name,
            verdict,
            exit_code,
            lines,
            elapsed: Duration::ZERO,
            broken_kernel: None,
            sightings: Sightings::default(),
            signature: None,
            first_bad: None,
            details: FailureDetails::default(),
        }
    }

    /// What to do about it, a line each.
    pub fn remedies(&self) -> Vec<String> {
        let first_bad = self.first_bad.iter().flat_map(FirstBadLine::lines);
        first_bad.chain(self.details.remedies.iter().map(Remedy::line)).collect()
    }

    /// What happened and what to do, a line each; empty for a pass.
    pub fn report(&self) -> Vec<String> {
        self.lines.iter().cloned().chain(self.remedies()).collect()
    }
}

/// A test that was run: its result, and what a search of its first bad command needs.
#[derive(Clone, Debug)]
pub struct TestRun {
    /// The result. Its first bad command is not known yet.
    pub result: TestResult,
    /// What the test left if it failed.
    pub failure: Option<FailedRun>,
}

/// What a failed test leaves.
#[derive(Clone, Debug)]
pub struct FailedRun {
    /// The executors on which it failed.
    pub executors: TestExecutors,
    /// Its calls, and what must come of each.
    pub bound: BoundTest,
    /// The capture, if there is a whole one.
    pub capture: Option<Arc<Capture>>,
    /// The bytes of the capture, or of what a journal held; may be empty.
    pub bytes: SharedBytes,
}

impl FailedRun {
    /// The capture, whole or as far as a journal held it.
    pub fn recovered(&self) -> Option<Arc<Capture>> {
        let recovered = || Capture::open(&self.bytes).ok().map(Arc::new);
        self.capture.clone().or_else(recovered)
    }
}
