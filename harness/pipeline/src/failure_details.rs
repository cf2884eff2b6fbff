//! Details of a failure besides its report in words.

use hallmark_report::Picture;

/// Details of a failure besides its report in words; empty for a passed test.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FailureDetails {
    /// The position in the suite, such as `suites/queues/patterns.yaml:88`.
    pub written_at: Option<String>,
    /// Pictures of the failure.
    pub pictures: Vec<Picture>,
    /// Remedies.
    pub remedies: Vec<Remedy>,
}

/// A remedy of a failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remedy {
    /// The kind of remedy.
    pub kind: RemedyKind,
    /// A command, devices or a folder.
    pub text: String,
}

/// A kind of remedy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RemedyKind {
    /// The command that repeats the test.
    Again,
    /// The flag that names the first bad command.
    Triage,
    /// The two devices of the test, one of which may be at fault.
    Devices,
    /// The kept files.
    Kept,
}

impl RemedyKind {
    /// Every kind, in the order of a report.
    pub const ALL: [Self; 4] = [Self::Again, Self::Triage, Self::Devices, Self::Kept];

    /// The first word of its line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Again => "again",
            Self::Triage => "triage",
            Self::Devices => "devices",
            Self::Kept => "kept",
        }
    }

    /// The kind with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

impl Remedy {
    /// The line in a failure's report.
    pub fn line(&self) -> String {
        format!("{:<8}  {}", self.kind.name(), self.text)
    }
}
