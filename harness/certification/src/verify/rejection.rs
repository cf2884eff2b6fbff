//! Why a package is rejected: at which step, in which file, on which line.

use std::fmt;

use hallmark_chip::error_checks;
use hallmark_package::json::JsonError;
use hallmark_package::{Blake3, PackageError, SignatureError, StatementError};
use hallmark_pipeline::shard::Shard;
use hallmark_schema::CaptureError;
use hallmark_suite::mistake::SuiteMistakes;
use hallmark_suite::name::TestName;

use crate::challenge::ChallengeError;
use crate::lock::{LockError, RunsError};
use crate::log::LogLineError;
use crate::resolution::ResolutionError;
use crate::results::RunKey;

/// What a verifier does, in its order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum VerifierStep {
    /// The archive is canonical, and its files are those of its manifest.
    Container,
    /// The statement is signed by somebody who may sign.
    Signatures,
    /// Each document has the one form of its kind.
    Documents,
    /// What was tested is what the package holds.
    Subject,
    /// The conformance profile is known, and each of its runs has one result.
    Completeness,
    /// Each capture is one, of the calls that its test makes.
    Captures,
    /// Calls ended and reads returned as the models say.
    Outcomes,
    /// Each capture ran where its result says.
    Records,
    /// The replay repeats the capturing run.
    Replays,
    /// Each waiver counts and is needed.
    Waivers,
    /// What is claimed is what was computed.
    Verdicts,
}

impl VerifierStep {
    /// The number of the step, from 1.
    pub const fn number(self) -> u8 {
        self as u8 + 1
    }

    /// What the step looks at.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Container => "container",
            Self::Signatures => "signatures",
            Self::Documents => "documents",
            Self::Subject => "subject",
            Self::Completeness => "completeness",
            Self::Captures => "captures",
            Self::Outcomes => "outcomes and reads",
            Self::Records => "records",
            Self::Replays => "replays",
            Self::Waivers => "waivers",
            Self::Verdicts => "verdicts",
        }
    }
}

/// What is wrong with a package.
#[derive(Debug, thiserror::Error)]
pub enum RejectionReason {
    /// It is no package.
    #[error(transparent)]
    Package(PackageError),
    /// Nobody signed it.
    #[error("nobody signed the package; sign it with `hallmark package sign`")]
    Unsigned,
    /// A signature is wrong.
    #[error(transparent)]
    Signature(SignatureError),
    /// The statement is wrong.
    #[error(transparent)]
    Statement(StatementError),
    /// A document is not in its one form.
    #[error(transparent)]
    Json(JsonError),
    /// The lock is none.
    #[error(transparent)]
    Lock(LockError),
    /// The log is none, or its chain is broken.
    #[error(transparent)]
    Log(LogLineError),
    /// A file is no text.
    #[error("the file is no text")]
    NoText,
    /// The profile is wrong, or demands what the verifier's suites lack.
    #[error("{}", .0.to_string().trim_end())]
    Profile(SuiteMistakes),
    /// The verifier's suites make no lock of the profile.
    #[error("the verifier's suites make no lock of this profile: {0}")]
    Resolution(ResolutionError),
    /// The profile is none that the verifier knows.
    #[error(
        "the conformance profile `{name}` is not the one of the verifier's suites; name your own copy of its file with --profile, or a lock that you \
         trust with --lock"
    )]
    UnknownProfile {
        /// The profile's name.
        name: String,
    },
    /// The lock is not the one that the verifier was given.
    #[error("the lock has the hash {found}, and the verifier was given {given}")]
    OtherLock {
        /// The hash of the package's lock.
        found: Blake3,
        /// The hash of the one that was given.
        given: Blake3,
    },
    /// The verifier's suites make another lock of the profile.
    #[error(
        "the verifier's suites make another lock of this profile, first in {what}; use the suites and the release that the profile's publisher names"
    )]
    OtherSuites {
        /// Where the two differ first.
        what: String,
    },
    /// A claim about the profile is not what the files say.
    #[error(
        "the statement claims {claimed} as the {what} of the profile, and its file says {found}"
    )]
    ProfileClaim {
        /// Which claim.
        what: &'static str,
        /// What is claimed.
        claimed: String,
        /// What the file says.
        found: String,
    },
    /// The lock or the statement is of another release.
    #[error("it is of Hallmark {lock}, and the verifier is of {here}; verify with that release")]
    OtherRelease {
        /// The release that the file names.
        lock: String,
        /// The verifier's.
        here: String,
    },
    /// The lock does not admit such a subject.
    #[error("the profile admits no subject of the kind {kind}")]
    SubjectKind {
        /// The kind.
        kind: String,
    },
    /// A device that is none of the subject.
    #[error("{run} ran on a device on which no {kind} is tested")]
    SubjectDevice {
        /// The kind of the subject.
        kind: String,
        /// The run.
        run: Box<RunKey>,
    },
    /// The environment names no device of a result's kind.
    #[error("it does not say on what {run} ran, or names a device of another kind")]
    OtherEnvironment {
        /// The run.
        run: Box<RunKey>,
    },
    /// A claim about the subject is not what the files say.
    #[error(
        "the statement claims {claimed} as the {what} of the subject, and the package's files say {found}"
    )]
    SubjectClaim {
        /// Which claim.
        what: &'static str,
        /// What is claimed.
        claimed: String,
        /// What the files say.
        found: String,
    },
    /// A device that is made for tests of Hallmark itself.
    #[error("{device} stands in for another device in tests, and nothing is certified on it")]
    StandIn {
        /// The device.
        device: String,
    },
    /// Firmware that cannot be loaded, or of another architecture.
    #[error("the firmware cannot be loaded: {message}")]
    Firmware {
        /// What the loader says.
        message: String,
    },
    /// Firmware is there that no result is about, or lacks where it is needed.
    #[error("{what}")]
    FirmwareFiles {
        /// Which.
        what: String,
    },
    /// The log is of another run.
    #[error("the log is of another {what} than the package")]
    LogOfAnother {
        /// What differs.
        what: &'static str,
    },
    /// Time runs backwards in the log.
    #[error("the log's time runs backwards")]
    TimeBackwards,
    /// A result is not in the log, or otherwise.
    #[error("the log has another result of {run}")]
    LogDiffers {
        /// The run.
        run: Box<RunKey>,
    },
    /// Results are not in their order, or one stands twice.
    #[error("the result of {run} does not come after the result before it")]
    ResultOrder {
        /// The run.
        run: Box<RunKey>,
    },
    /// A demanded run has no result.
    #[error("there is no result of {run}, which the profile demands")]
    ResultAbsent {
        /// The run.
        run: Box<RunKey>,
    },
    /// It is of some runs alone, and says so.
    #[error(
        "the package is of shard {shard} alone; `hallmark package merge` makes one package of those of all shards"
    )]
    OneShard {
        /// The shard.
        shard: Shard,
    },
    /// It is of some shards, of one twice, or of a shard and something else.
    #[error("its logs are neither of one run nor of each shard once, in their order")]
    Shards,
    /// A result is of a run that the profile does not demand.
    #[error("the profile does not demand {run}")]
    ResultUnknown {
        /// The run.
        run: Box<RunKey>,
    },
    /// The lock's runs cannot be told.
    #[error(transparent)]
    Runs(RunsError),
    /// Results of one architecture are of several kinds of device.
    #[error("results of one architecture are of several kinds of device, first that of {run}")]
    DeviceKinds {
        /// The run.
        run: Box<RunKey>,
    },
    /// The challenge is none.
    #[error(transparent)]
    Challenge(ChallengeError),
    /// The challenge is absent, or another than the statement says.
    #[error("{what}")]
    ChallengeClaim {
        /// What is wrong.
        what: &'static str,
    },
    /// A demanded run is skipped, or a skipped one ran.
    #[error("the profile {} {run}, and the result {}", if *demanded { "demands" } else { "skips" }, if *demanded { "says that it is skipped" } else { "is not that skip" })]
    Skip {
        /// The run.
        run: Box<RunKey>,
        /// Whether the profile demands it.
        demanded: bool,
    },
    /// A capture is named and not there.
    #[error("the capture {hash} of {run} is not in the package")]
    CaptureAbsent {
        /// The run.
        run: Box<RunKey>,
        /// The capture's hash.
        hash: Blake3,
    },
    /// A result whose verdict only captures show names none.
    #[error("the result of {run} names no {what}")]
    NoCapture {
        /// The run.
        run: Box<RunKey>,
        /// Which of the two captures.
        what: &'static str,
    },
    /// A skipped result names what ran.
    #[error("{run} is said to be skipped, and its result has captures or an account of a failure")]
    SkippedWithRun {
        /// The run.
        run: Box<RunKey>,
    },
    /// A file of a capture or a blob belongs to no result.
    #[error("no result refers to this file")]
    UnusedFile,
    /// A capture is none.
    #[error("the capture of {run} is none: {error}")]
    Capture {
        /// The run.
        run: Box<RunKey>,
        /// What is wrong with it.
        error: CaptureError,
    },
    /// A capture has other bytes when it is written again.
    #[error("the capture of {run}, read and written again, has other bytes")]
    Rewritten {
        /// The run.
        run: Box<RunKey>,
    },
    /// Data, a source or an ELF of a capture is not there.
    #[error("the capture of {run} refers to {hash}, which is not in the package")]
    BlobAbsent {
        /// The run.
        run: Box<RunKey>,
        /// The blob's hash.
        hash: Blake3,
    },
    /// A capture has no record.
    #[error("the capture of {run} does not say where it ran")]
    NoRecord {
        /// The run.
        run: Box<RunKey>,
    },
    /// A capture makes other calls than its test.
    #[error("the capture of {run} is not of its test: {what}")]
    OtherProgram {
        /// The run.
        run: Box<RunKey>,
        /// What differs first.
        what: String,
    },
    /// A test of the verifier's suites cannot be bound or built.
    #[error("{test} cannot be computed here: {message}")]
    Uncomputable {
        /// The test.
        test: TestName,
        /// Why.
        message: String,
    },
    /// A record says something else than the result or the models.
    #[error("the capture of {run} ran otherwise than its result says: {what}")]
    OtherRecord {
        /// The run.
        run: Box<RunKey>,
        /// What differs.
        what: String,
    },
    /// Objects lie where the paper chip does not put them.
    #[error("the capture of {run} has objects where no chip puts them: {what}")]
    OtherAddresses {
        /// The run.
        run: Box<RunKey>,
        /// What differs first.
        what: String,
    },
    /// A kernel ran as another ELF than the test's.
    #[error("the capture of {run} ran other kernels than the test's: {what}")]
    OtherKernels {
        /// The run.
        run: Box<RunKey>,
        /// Which differs first.
        what: String,
    },
    /// The replay did not repeat the capturing run, and the result says that it did.
    #[error("the replay of {run} does not repeat its capturing run: {what}")]
    ReplayDiffers {
        /// The run.
        run: Box<RunKey>,
        /// What differs.
        what: String,
    },
    /// A waiver is wrong, unused or expired.
    #[error("{}", .0.to_string().trim_end())]
    Waivers(SuiteMistakes),
    /// A waiver is not signed.
    #[error("the waiver `{id}` is not signed by its approver")]
    WaiverUnsigned {
        /// The waiver.
        id: String,
    },
    /// A waiver is larger than any that a folder may hold.
    #[error("the waiver has {bytes} bytes, and at most {limit} are read")]
    WaiverTooLarge {
        /// How many it has.
        bytes: usize,
        /// How many are read.
        limit: u64,
    },
    /// There are more waivers than the profile admits.
    #[error("there are {found} waivers, and the profile admits {admitted}")]
    TooManyWaivers {
        /// How many there are.
        found: usize,
        /// How many the profile admits.
        admitted: u32,
    },
    /// The package is countersigned by whoever submits it.
    #[error("the package is countersigned by whoever signed it; a reviewer is somebody else")]
    ReviewBySubmitter,
    /// A waiver is signed by somebody else than it says.
    #[error("the waiver `{id}` says that {approver} approved it, and the signature is of {signer}")]
    WaiverApprover {
        /// The waiver.
        id: String,
        /// Who approved it, by its text.
        approver: String,
        /// Who signed it.
        signer: String,
    },
    /// The submitter waives the submitter's own failures.
    #[error("the waiver `{id}` is signed by whoever signed the package")]
    WaiverBySubmitter {
        /// The waiver.
        id: String,
    },
    /// A result claims another verdict than was computed.
    #[error("{run} is claimed to be {claimed}, and the captures say {computed}")]
    Verdict {
        /// The run.
        run: Box<RunKey>,
        /// What the result says.
        claimed: String,
        /// What the captures say.
        computed: String,
    },
    /// A result claims something else than was computed.
    #[error("the result of {run} claims another {what} than the captures give")]
    Claim {
        /// The run.
        run: Box<RunKey>,
        /// What it claims.
        what: &'static str,
    },
    /// The totals are not those of the results.
    #[error("the statement claims other totals than the results have: {what}")]
    Totals {
        /// What differs first.
        what: String,
    },
    /// A demanded run did not pass and is not waived.
    #[error(
        "the subject does not conform: {run} did not pass ({verdict}), and no waiver excuses the failure"
    )]
    NotPassed {
        /// The run.
        run: Box<RunKey>,
        /// What came of it.
        verdict: String,
    },
    /// A draft, where only a certification is accepted.
    #[error("the package is a draft; accept drafts with --draft")]
    Draft,
}

error_checks!(pub(super) RejectionReason: Unsigned, UnknownProfile, OtherLock, OtherSuites, ProfileClaim, OtherRelease, SubjectKind, SubjectDevice, OtherEnvironment, SubjectClaim, StandIn, FirmwareFiles, LogOfAnother, TimeBackwards, LogDiffers, ResultOrder, ResultAbsent, OneShard, Shards, ResultUnknown, DeviceKinds, ChallengeClaim, Skip, NoCapture, SkippedWithRun, UnusedFile, WaiverTooLarge, TooManyWaivers, ReviewBySubmitter, Rewritten, BlobAbsent, OtherProgram, OtherRecord, OtherAddresses, OtherKernels, ReplayDiffers, WaiverUnsigned, WaiverApprover, WaiverBySubmitter, Verdict, Claim, Totals, NotPassed, Draft; besides: Package, Signature, Statement, Json, Lock, Log, NoText, Profile, Resolution, Firmware, Runs, Challenge, CaptureAbsent, Capture, NoRecord, Uncomputable, Waivers);

/// Why a package is rejected, and where the reason stands.
#[derive(Debug)]
pub struct Rejection {
    /// What the verifier was doing.
    pub step: VerifierStep,
    /// The file of the package, if the reason is in one.
    pub file: Option<String>,
    /// The line of that file, from 1.
    pub line: Option<usize>,
    /// What is wrong.
    pub problem: Box<RejectionReason>,
}

impl Rejection {
    /// The rejection of bytes that are no package.
    pub fn of_container(error: PackageError) -> Self {
        Self::new(VerifierStep::Container, RejectionReason::Package(error))
    }

    /// The rejection of a document, on its line.
    pub(super) fn of_json(step: VerifierStep, error: JsonError) -> Self {
        let JsonError { line, problem } = error;
        let problem = RejectionReason::Json(JsonError { line: None, problem });
        Self { line, ..Self::new(step, problem) }
    }

    /// A rejection whose reason is the package as a whole.
    pub(super) fn new(step: VerifierStep, problem: RejectionReason) -> Self {
        Self { step, file: None, line: None, problem: Box::new(problem) }
    }

    /// The same with the file in which the reason stands.
    pub(super) fn in_file(mut self, file: &str) -> Self {
        self.file = Some(file.to_owned());
        self
    }

    /// The same with the line on which the reason stands.
    pub(super) fn at_line(mut self, line: usize) -> Self {
        self.line = Some(line);
        self
    }

    /// Whether all that the package says is right, and the subject fails: the last thing that a verifier looks at.
    pub fn is_of_failure(&self) -> bool {
        matches!(*self.problem, RejectionReason::NotPassed { .. })
    }

    /// Rejects, unless the check is switched off.
    ///
    /// # Errors
    /// This rejection.
    pub(super) fn refuse(self) -> Result<(), Self> {
        let Self { step, file, line, problem } = self;
        problem.refuse().map_err(|problem| Self { step, file, line, problem: Box::new(problem) })
    }
}

impl fmt::Display for Rejection {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { step, file, line, problem } = self;
        write!(formatter, "step {} of 11, {}: ", step.number(), step.name())?;
        match (file, line) {
            (Some(file), Some(line)) => write!(formatter, "{file}, line {line}: ")?,
            (Some(file), None) => write!(formatter, "{file}: ")?,
            (None, _) => {}
        }
        write!(formatter, "{problem}")
    }
}

impl std::error::Error for Rejection {}
