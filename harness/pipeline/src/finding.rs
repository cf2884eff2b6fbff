//! Findings: the reasons why a test does not pass, in words.

use hallmark_chip::FaultCategory;
use hallmark_execution::worker::kernels::BrokenKernel;
use hallmark_report::Picture;
use hallmark_suite::language::TestFailure;
use hallmark_suite::read::Choice as _;

use crate::signature::Signature;
use crate::verdict::{ExitCode, Verdict};

/// A reason why a test does not pass.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The resulting verdict.
    pub verdict: Verdict,
    /// The summary in one line.
    pub headline: String,
    /// Details and remedies.
    pub lines: Vec<String>,
    /// Pictures of the failure.
    pub pictures: Box<[Picture]>,
    category: Option<FaultCategory>,
    exit: Option<ExitCode>,
    broken_kernel: Option<Box<BrokenKernel>>,
    is_of_device: bool,
    signature: Option<Box<Signature>>,
}

impl Finding {
    /// A finding with a headline.
    pub fn new(verdict: Verdict, headline: impl Into<String>) -> Self {
        Self {
            verdict,
            headline: headline.into(),
            lines: Vec::new(),
            pictures: Box::default(),
            category: None,
            exit: None,
            broken_kernel: None,
            is_of_device: false,
            signature: None,
        }
    }

    /// Adds a line.
    pub fn line(mut self, line: impl Into<String>) -> Self {
        self.lines.push(line.into());
        self
    }

    /// Adds lines.
    pub fn lines(mut self, lines: impl IntoIterator<Item = String>) -> Self {
        self.lines.extend(lines);
        self
    }

    /// Adds pictures.
    pub(super) fn pictures(mut self, pictures: impl IntoIterator<Item = Picture>) -> Self {
        self.pictures = self.pictures.into_iter().chain(pictures).collect();
        self
    }

    /// Sets an exit code other than the verdict's.
    pub const fn exit(mut self, code: ExitCode) -> Self {
        self.exit = Some(code);
        self
    }

    pub(super) const fn of_category(mut self, category: FaultCategory) -> Self {
        self.category = Some(category);
        self
    }

    pub(super) fn of_broken_kernel(mut self, kernel: BrokenKernel) -> Self {
        self.broken_kernel = Some(kernel.into());
        self
    }

    /// The kernel that does not compile, if that is the reason. Other tests may have the same finding.
    pub fn broken_kernel(&self) -> Option<&BrokenKernel> {
        self.broken_kernel.as_deref()
    }

    /// Adds the signature of the failure, if it concerns the device and its programs.
    pub fn signed(mut self, signature: Option<Signature>) -> Self {
        self.signature = signature.map(Box::new);
        self
    }

    /// The signature of the failure, which distinguishes it from others; `None` for a failure of the device's
    /// environment.
    pub fn signature(&self) -> Option<&Signature> {
        self.signature.as_deref()
    }

    /// Marks the finding as caused by the device. A refusal by the host API or a compiler, or an omission in a
    /// host program, is not caused by the device, however often it occurs.
    pub(super) const fn of_device(mut self) -> Self {
        self.is_of_device = true;
        self
    }

    /// Whether the device caused it.
    pub const fn is_of_device(&self) -> bool {
        self.is_of_device
    }

    /// The resulting exit code.
    pub fn exit_code(&self) -> ExitCode {
        self.exit.unwrap_or_else(|| self.verdict.exit_code())
    }

    /// Whether it is the failure that a suite expects.
    pub fn is_a(&self, failure: TestFailure) -> bool {
        let name = failure.name();
        self.verdict.name() == name || self.category.is_some_and(|it| it.name() == name)
    }

    /// All its lines.
    pub fn report(&self) -> Vec<String> {
        let mut lines = vec![self.headline.clone()];
        lines.extend(self.lines.iter().map(|line| format!("  {line}")));
        lines
    }
}
