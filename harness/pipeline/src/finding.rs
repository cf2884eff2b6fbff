//! What keeps a test from passing, in words.

use hallmark_chip::FaultCategory;
use hallmark_execution::worker::kernels::BrokenKernel;
use hallmark_report::Picture;
use hallmark_suite::language::TestFailure;
use hallmark_suite::read::Choice as _;

use crate::signature::Signature;
use crate::verdict::{ExitCode, Verdict};

/// Something that keeps a test from passing.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The verdict that it leads to.
    pub verdict: Verdict,
    /// What happened, in one line.
    pub headline: String,
    /// More about it, and what to do.
    pub lines: Vec<String>,
    /// Pictures of it.
    pub pictures: Box<[Picture]>,
    category: Option<FaultCategory>,
    exit: Option<ExitCode>,
    broken_kernel: Option<Box<BrokenKernel>>,
    is_of_device: bool,
    signature: Option<Box<Signature>>,
}

impl Finding {
    /// A finding in one line.
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

    /// With another line.
    pub fn line(mut self, line: impl Into<String>) -> Self {
        self.lines.push(line.into());
        self
    }

    /// With more lines.
    pub fn lines(mut self, lines: impl IntoIterator<Item = String>) -> Self {
        self.lines.extend(lines);
        self
    }

    /// With more pictures.
    pub(super) fn pictures(mut self, pictures: impl IntoIterator<Item = Picture>) -> Self {
        self.pictures = self.pictures.into_iter().chain(pictures).collect();
        self
    }

    /// With another exit code than the verdict's.
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

    /// The kernel that does not compile, if that is it. Other tests may find the same.
    pub fn broken_kernel(&self) -> Option<&BrokenKernel> {
        self.broken_kernel.as_deref()
    }

    /// With the signature of the failure, if it says something about the device and its programs.
    pub(super) fn signed(mut self, signature: Option<Signature>) -> Self {
        self.signature = signature.map(Box::new);
        self
    }

    /// What the failure is, so that it can be told from another one; nothing of a failure of what surrounds the device.
    pub fn signature(&self) -> Option<&Signature> {
        self.signature.as_deref()
    }

    /// Something that the device did. What the host API or a compiler refuses, and what a host program forgets, is
    /// not of the device, however often it happens.
    pub(super) const fn of_device(mut self) -> Self {
        self.is_of_device = true;
        self
    }

    /// Whether the device did it.
    pub(super) const fn is_of_device(&self) -> bool {
        self.is_of_device
    }

    /// The exit code that it asks for.
    pub fn exit_code(&self) -> ExitCode {
        self.exit.unwrap_or_else(|| self.verdict.exit_code())
    }

    /// Whether it is what a suite expects.
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
