//! Verdicts: one closed set of outcomes of a test, and the exit codes that they lead to.
//!
//! *Unstable*: two runs differ. *Changed*: capture and replay agree, and differ from the golden. CONTRIBUTING.md says
//! how to add a verdict.

use std::fmt;

use hallmark_chip::FaultCategory;
use hallmark_schema::model::Failure;
use serde::{Deserialize, Serialize, Serializer};

/// What came of a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Captured, replayed in a fresh process, equal to its expectations and its golden.
    Pass,
    /// A call or an output was not what the suite expects.
    Mismatch,
    /// The host API refused a call that the suite expects to succeed.
    Refused,
    /// A kernel does not compile, or its source is absent.
    NotBuilt,
    /// Two runs differed: the capturing one and its replay.
    Unstable,
    /// Capture and replay agree, and the golden is another one, or cannot be read.
    Changed,
    /// A device program broke a rule.
    Fault,
    /// Every running core waited for another.
    Deadlock,
    /// The run did not end in its time.
    Hang,
    /// A worker process died.
    Crash,
    /// The golden is absent.
    Missing,
    /// The device does not implement what the test needs.
    Unsupported,
    /// It does not apply here.
    Skipped {
        /// The condition that does not hold here.
        reason: String,
    },
    /// It failed as its suite says that it will.
    ExpectedFailure {
        /// Why it is excused.
        reason: String,
    },
    /// TT-Metalium did something otherwise, which the list of deviations states.
    KnownDeviation {
        /// The deviations that it shows, with whose they are and why.
        reason: String,
    },
    /// It failed in a way that the run's baseline knows.
    KnownFailure {
        /// The failure, and why it is known.
        reason: String,
    },
    /// It passed although its suite, or the baseline of the run, says that it fails.
    UnexpectedPass,
    /// Somebody stopped the run.
    Interrupted,
    /// Hallmark contradicted itself.
    InternalError,
}

/// Whether a category says that the device does not implement something.
const fn is_unsupported(category: FaultCategory) -> bool {
    matches!(
        category,
        FaultCategory::UnsupportedFunctionality
            | FaultCategory::UnimplementedFunctionality
            | FaultCategory::UntestedFunctionality
            | FaultCategory::MissingSpecification
    )
}

/// The verdicts that keep a test from passing, by their names; without `UnexpectedPass`, which comes of a pass, and
/// `Interrupted`, which comes of whoever stops the run.
pub const FAILURES: [&str; 12] = [
    "Mismatch",
    "Refused",
    "NotBuilt",
    "Unstable",
    "Changed",
    "Fault",
    "Deadlock",
    "Hang",
    "Crash",
    "Missing",
    "Unsupported",
    "InternalError",
];

/// What a run is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Day-to-day work and CI.
    Ordinary,
    /// Certification: nothing is excused without a waiver.
    Certification,
}

impl Verdict {
    /// Its name, as results in JSON and JUnit and the `category` of an expected failure spell it. A report of a
    /// failure begins with another word, [`crate::report::label`].
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Pass => "Pass",
            Self::Mismatch => "Mismatch",
            Self::Refused => "Refused",
            Self::NotBuilt => "NotBuilt",
            Self::Unstable => "Unstable",
            Self::Changed => "Changed",
            Self::Fault => "Fault",
            Self::Deadlock => "Deadlock",
            Self::Hang => "Hang",
            Self::Crash => "Crash",
            Self::Missing => "Missing",
            Self::Unsupported => "Unsupported",
            Self::Skipped { .. } => "Skipped",
            Self::ExpectedFailure { .. } => "ExpectedFailure",
            Self::KnownDeviation { .. } => "KnownDeviation",
            Self::KnownFailure { .. } => "KnownFailure",
            Self::UnexpectedPass => "UnexpectedPass",
            Self::Interrupted => "Interrupted",
            Self::InternalError => "InternalError",
        }
    }

    /// The verdict that a call's failure leads to, where nobody expected it.
    pub const fn of_failure(failure: &Failure) -> Self {
        match failure {
            Failure::DeviceFault { category, .. } if is_unsupported(*category) => Self::Unsupported,
            Failure::DeviceFault { .. } | Failure::QueueRace { .. } => Self::Fault,
            Failure::Deadlock { .. } => Self::Deadlock,
            Failure::Hang { .. } => Self::Hang,
            Failure::DeviceLost {} => Self::Crash,
            Failure::KernelBuildFailed {} | Failure::KernelSourceNotFound {} => Self::NotBuilt,
            // An answer of the host API.
            _ => Self::Refused,
        }
    }

    /// The verdict with a name, which needs no reason unless it is one that has a reason.
    pub fn named(name: &str, reason: Option<&str>) -> Option<Self> {
        let reason = || reason.map(str::to_owned);
        Some(match name {
            "Pass" => Self::Pass,
            "Mismatch" => Self::Mismatch,
            "Refused" => Self::Refused,
            "NotBuilt" => Self::NotBuilt,
            "Unstable" => Self::Unstable,
            "Changed" => Self::Changed,
            "Fault" => Self::Fault,
            "Deadlock" => Self::Deadlock,
            "Hang" => Self::Hang,
            "Crash" => Self::Crash,
            "Missing" => Self::Missing,
            "Unsupported" => Self::Unsupported,
            "Skipped" => Self::Skipped { reason: reason()? },
            "ExpectedFailure" => Self::ExpectedFailure { reason: reason()? },
            "KnownDeviation" => Self::KnownDeviation { reason: reason()? },
            "KnownFailure" => Self::KnownFailure { reason: reason()? },
            "UnexpectedPass" => Self::UnexpectedPass,
            "Interrupted" => Self::Interrupted,
            "InternalError" => Self::InternalError,
            _ => return None,
        })
    }

    /// The reason that it has, if it is one that has a reason.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::Skipped { reason }
            | Self::ExpectedFailure { reason }
            | Self::KnownDeviation { reason }
            | Self::KnownFailure { reason } => Some(reason),
            Self::Pass
            | Self::Mismatch
            | Self::Refused
            | Self::NotBuilt
            | Self::Unstable
            | Self::Changed
            | Self::Fault
            | Self::Deadlock
            | Self::Hang
            | Self::Crash
            | Self::Missing
            | Self::Unsupported
            | Self::UnexpectedPass
            | Self::Interrupted
            | Self::InternalError => None,
        }
    }

    /// Its place among the columns of the closing table, and the words of that column.
    pub const fn column(&self) -> (usize, &'static str, &'static str) {
        match self {
            Self::Pass => (0, "pass", "pass"),
            Self::Mismatch => (1, "mismatch", "mismatches"),
            Self::Refused => (2, "refused", "refused"),
            Self::NotBuilt => (3, "not built", "not built"),
            Self::Unstable => (4, "unstable", "unstable"),
            Self::Changed => (5, "changed", "changed"),
            Self::Fault => (6, "fault", "faults"),
            Self::Deadlock => (7, "deadlock", "deadlocks"),
            Self::Hang => (8, "hang", "hangs"),
            Self::Crash => (9, "crash", "crashes"),
            Self::Missing => (10, "no golden", "no golden"),
            Self::Unsupported => (11, "unsupported", "unsupported"),
            Self::UnexpectedPass => (12, "unexpected pass", "unexpected passes"),
            Self::ExpectedFailure { .. } => (13, "expected failure", "expected failures"),
            Self::KnownDeviation { .. } => (14, "known deviation", "known deviations"),
            Self::KnownFailure { .. } => (15, "known failure", "known failures"),
            Self::Skipped { .. } => (16, "skipped", "skipped"),
            Self::Interrupted => (17, "interrupted", "interrupted"),
            Self::InternalError => (18, "internal error", "internal errors"),
        }
    }

    /// Whether it lets a run succeed.
    pub const fn is_success(&self, mode: Mode) -> bool {
        match (self, mode) {
            (Self::Pass, Mode::Ordinary | Mode::Certification)
            | (
                Self::Skipped { .. }
                | Self::ExpectedFailure { .. }
                | Self::KnownDeviation { .. }
                | Self::KnownFailure { .. },
                Mode::Ordinary,
            ) => true,
            (
                Self::Skipped { .. }
                | Self::ExpectedFailure { .. }
                | Self::KnownDeviation { .. }
                | Self::KnownFailure { .. },
                Mode::Certification,
            )
            | (
                Self::Mismatch
                | Self::Refused
                | Self::NotBuilt
                | Self::Unstable
                | Self::Changed
                | Self::Fault
                | Self::Deadlock
                | Self::Hang
                | Self::Crash
                | Self::Missing
                | Self::Unsupported
                | Self::UnexpectedPass
                | Self::Interrupted
                | Self::InternalError,
                Mode::Ordinary | Mode::Certification,
            ) => false,
        }
    }

    /// The exit code that it asks for.
    pub const fn exit_code(&self) -> ExitCode {
        match self {
            Self::Pass
            | Self::Skipped { .. }
            | Self::ExpectedFailure { .. }
            | Self::KnownDeviation { .. }
            | Self::KnownFailure { .. } => ExitCode::SUCCESS,
            Self::Mismatch
            | Self::Refused
            | Self::NotBuilt
            | Self::Unstable
            | Self::Changed
            | Self::Fault
            | Self::Unsupported
            | Self::UnexpectedPass => ExitCode::NOT_PASSED,
            Self::Crash => ExitCode::DEVICE,
            Self::Hang | Self::Deadlock => ExitCode::STOPPED,
            Self::Missing => ExitCode::GOLDEN_ABSENT,
            Self::Interrupted => ExitCode::INTERRUPTED,
            Self::InternalError => ExitCode::INTERNAL,
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}

impl Serialize for Verdict {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// An exit code of `hallmark`. Of several that apply, [`ExitCode::first`] tells the one that counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExitCode(u8);

impl ExitCode {
    /// All passed, or were skipped or failed as expected.
    pub const SUCCESS: Self = Self(0);
    /// A test did not pass; a kernel's fault is one of the reasons.
    pub const NOT_PASSED: Self = Self(1);
    /// The command line is wrong.
    pub const USAGE: Self = Self(2);
    /// A suite is wrong.
    pub const SUITE: Self = Self(3);
    /// A capture is unreadable, corrupt or of another format.
    pub const CAPTURE: Self = Self(4);
    /// The device itself failed, crashed or is not there.
    pub const DEVICE: Self = Self(5);
    /// A hang or deadlock was stopped.
    pub const STOPPED: Self = Self(6);
    /// A golden is absent.
    pub const GOLDEN_ABSENT: Self = Self(7);
    /// Nothing was selected.
    pub const NOTHING_SELECTED: Self = Self(8);
    /// A bug of Hallmark, or the machine below it failed: a full disk, a file-size limit.
    pub const INTERNAL: Self = Self(9);
    /// A capture can be replayed on a device, with some things elsewhere.
    pub const ADAPTED: Self = Self(10);
    /// A capture cannot be replayed on a device.
    pub const REFUSED: Self = Self(11);
    /// A search ended without a conclusive answer.
    pub const INCONCLUSIVE: Self = Self(12);
    /// A package is rejected.
    pub const REJECTED: Self = Self(13);
    /// A package is accepted with waivers, or with results that are only asserted.
    pub const RESERVED: Self = Self(14);
    /// Somebody stopped the run.
    pub const INTERRUPTED: Self = Self(130);

    /// Every code with its meaning, in the order in which they count.
    pub const PRECEDENCE: [(Self, &'static str); 16] = [
        (Self::INTERRUPTED, "interrupted"),
        (Self::INTERNAL, "a bug of Hallmark, or the machine failed it, such as a full disk"),
        (Self::USAGE, "the command line or a configuration file is wrong"),
        (Self::NOTHING_SELECTED, "nothing was selected"),
        (Self::SUITE, "a suite is wrong; nothing was run"),
        (Self::CAPTURE, "a capture is unreadable, corrupt or of another format"),
        (Self::DEVICE, "the device itself failed, crashed or is not there"),
        (
            Self::REFUSED,
            "replay, portability, kernels from-metalium: a capture cannot be replayed on that device",
        ),
        (Self::STOPPED, "a hang or deadlock was stopped"),
        (Self::NOT_PASSED, "a test did not pass"),
        (Self::GOLDEN_ABSENT, "a golden is absent"),
        (Self::REJECTED, "package verify: the package is rejected"),
        (
            Self::RESERVED,
            "certify, package verify: accepted with a reservation, such as waivers or results that nobody repeated",
        ),
        (Self::INCONCLUSIVE, "a search ended without a conclusive answer"),
        (Self::ADAPTED, "portability: a capture can be replayed there, with some things elsewhere"),
        (Self::SUCCESS, "all passed"),
    ];

    /// The code of a command that was captured, whatever it means.
    pub const fn of_command(number: u8) -> Self {
        Self(number)
    }

    /// The number that the process ends with.
    pub const fn number(self) -> u8 {
        self.0
    }

    /// The code with a number, if there is one.
    pub fn numbered(number: u8) -> Option<Self> {
        Self::PRECEDENCE.into_iter().map(|(code, _)| code).find(|code| code.0 == number)
    }

    /// The one of several that counts.
    pub fn first(codes: impl IntoIterator<Item = Self>) -> Self {
        let rank = |code: &Self| Self::PRECEDENCE.iter().position(|(known, _)| known == code);
        codes.into_iter().min_by_key(rank).unwrap_or(Self::SUCCESS)
    }
}

impl From<ExitCode> for std::process::ExitCode {
    fn from(code: ExitCode) -> Self {
        Self::from(code.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn precedence_of_exit_codes() {
        let order: Vec<u8> = ExitCode::PRECEDENCE.iter().map(|(code, _)| code.number()).collect();
        assert_eq!(order, [130, 9, 2, 8, 3, 4, 5, 11, 6, 1, 7, 13, 14, 12, 10, 0]);
        assert_eq!(ExitCode::first([ExitCode::NOT_PASSED, ExitCode::STOPPED]), ExitCode::STOPPED);
        assert_eq!(
            ExitCode::first([ExitCode::SUCCESS, ExitCode::NOT_PASSED]),
            ExitCode::NOT_PASSED
        );
        assert_eq!(ExitCode::first([]), ExitCode::SUCCESS);
    }

    #[test]
    fn each_failure_leads_to_its_verdict() {
        use hallmark_schema::model::CommandIndex;

        let enqueue = CommandIndex(0);
        for category in FaultCategory::ALL {
            let expected = match category {
                FaultCategory::UnsupportedFunctionality
                | FaultCategory::UnimplementedFunctionality
                | FaultCategory::UntestedFunctionality
                | FaultCategory::MissingSpecification => Verdict::Unsupported,
                FaultCategory::UndefinedBehavior
                | FaultCategory::NonContractualBehavior
                | FaultCategory::UnpredictableValueUsed
                | FaultCategory::SystemError
                | FaultCategory::ConfigurationError
                | FaultCategory::AssertionFailure
                | FaultCategory::DataRace
                | FaultCategory::MemoryNotGranted
                | FaultCategory::CircularBufferMisuse
                | FaultCategory::RequestsUnderWay
                | FaultCategory::UnorderedSynchronization
                | FaultCategory::ArgumentOutOfRange
                | FaultCategory::LinkedMulticast
                | FaultCategory::TransactionOverflow
                | FaultCategory::StaleCacheRead
                | FaultCategory::KernelAssertion => Verdict::Fault,
            };
            let failure = Failure::DeviceFault { category, enqueue };
            assert_eq!(Verdict::of_failure(&failure), expected, "{category}");
        }
        let race = Failure::QueueRace { first: enqueue, second: enqueue };
        assert_eq!(Verdict::of_failure(&race), Verdict::Fault);
        assert_eq!(Verdict::of_failure(&Failure::Deadlock { enqueue }), Verdict::Deadlock);
        assert_eq!(Verdict::of_failure(&Failure::Hang { enqueue }), Verdict::Hang);
        assert_eq!(Verdict::of_failure(&Failure::DeviceLost {}), Verdict::Crash);
        let answer = Failure::PageSizeInvalid { page_size: 0, alignment: 4 };
        assert_eq!(Verdict::of_failure(&answer), Verdict::Refused);
        assert_eq!(Verdict::of_failure(&Failure::KernelBuildFailed {}), Verdict::NotBuilt);
        assert_eq!(Verdict::of_failure(&Failure::KernelSourceNotFound {}), Verdict::NotBuilt);
    }

    /// Leads through all verdicts; a new one does not compile before it has its turn.
    fn after(verdict: Verdict) -> Option<Verdict> {
        let reason = || "reason".to_owned();
        match verdict {
            Verdict::Pass => Some(Verdict::Mismatch),
            Verdict::Mismatch => Some(Verdict::Refused),
            Verdict::Refused => Some(Verdict::NotBuilt),
            Verdict::NotBuilt => Some(Verdict::Unstable),
            Verdict::Unstable => Some(Verdict::Changed),
            Verdict::Changed => Some(Verdict::Fault),
            Verdict::Fault => Some(Verdict::Deadlock),
            Verdict::Deadlock => Some(Verdict::Hang),
            Verdict::Hang => Some(Verdict::Crash),
            Verdict::Crash => Some(Verdict::Missing),
            Verdict::Missing => Some(Verdict::Unsupported),
            Verdict::Unsupported => Some(Verdict::Skipped { reason: reason() }),
            Verdict::Skipped { .. } => Some(Verdict::ExpectedFailure { reason: reason() }),
            Verdict::ExpectedFailure { .. } => Some(Verdict::KnownDeviation { reason: reason() }),
            Verdict::KnownDeviation { .. } => Some(Verdict::KnownFailure { reason: reason() }),
            Verdict::KnownFailure { .. } => Some(Verdict::UnexpectedPass),
            Verdict::UnexpectedPass => Some(Verdict::Interrupted),
            Verdict::Interrupted => Some(Verdict::InternalError),
            Verdict::InternalError => None,
        }
    }

    #[test]
    fn names_and_numbers_lead_back() {
        let mut next = Some(Verdict::Pass);
        while let Some(verdict) = next {
            let again = Verdict::named(verdict.name(), verdict.reason());
            assert_eq!(again.as_ref(), Some(&verdict));
            assert_eq!(ExitCode::numbered(verdict.exit_code().number()), Some(verdict.exit_code()));
            next = after(verdict);
        }
        assert_eq!(Verdict::named("Skipped", None), None);
        assert_eq!(Verdict::named("pass", None), None);
        assert_eq!(ExitCode::numbered(42), None);
    }

    #[test]
    fn certification_excuses_nothing() {
        for verdict in [
            Verdict::Skipped { reason: String::new() },
            Verdict::ExpectedFailure { reason: String::new() },
            Verdict::KnownDeviation { reason: String::new() },
            Verdict::KnownFailure { reason: String::new() },
        ] {
            assert!(verdict.is_success(Mode::Ordinary));
            assert!(!verdict.is_success(Mode::Certification));
        }
        assert!(!Verdict::Unsupported.is_success(Mode::Ordinary));
    }
}
