//! What is known of a failure beside its report in words.

use hallmark_report::Picture;

/// What is known of a failure beside its report in words; empty for a test that passed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FailureDetails {
    /// The line of the suite, such as `suites/queues/patterns.yaml:88`.
    pub written_at: Option<String>,
    /// Pictures of it.
    pub pictures: Vec<Picture>,
    /// What to do about it.
    pub remedies: Vec<Remedy>,
}

/// Something that somebody can do about a failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remedy {
    /// What it is.
    pub kind: RemedyKind,
    /// A command, devices or a folder.
    pub text: String,
}

/// What somebody can do about a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RemedyKind {
    /// Run the command that repeats the test.
    Again,
    /// Look at either of the two devices that it ran on.
    Devices,
    /// Look at the files that are left.
    Kept,
}

impl RemedyKind {
    /// Each kind, in the order in which a report has them.
    pub const ALL: [Self; 3] = [Self::Again, Self::Devices, Self::Kept];

    /// The word that its line begins with.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Again => "again",
            Self::Devices => "devices",
            Self::Kept => "kept",
        }
    }

    /// The kind with a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

impl Remedy {
    /// The line of a failure's report.
    pub fn line(&self) -> String {
        format!("{:<8}  {}", self.kind.name(), self.text)
    }
}
