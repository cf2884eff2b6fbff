//! Why a package is rejected: the step, the file and the line.

use std::fmt;

use hallmark_chip::{Architecture, error_checks};
use hallmark_package::json::JsonError;
use hallmark_package::{Blake3, PackageError, SignatureError, StatementError, Timestamp};
use hallmark_pipeline::shard::Shard;
use hallmark_report::untrusted::quoted;
use hallmark_schema::CaptureError;
use hallmark_schema::plural::counted;
use hallmark_suite::mistake::SuiteMistakes;
use hallmark_suite::name::TestName;

use crate::challenge::ChallengeError;
use crate::lock::{LockError, RunsError};
use crate::log::LogLineError;
use crate::resolution::ResolutionError;
use crate::results::RunKey;

/// The steps of a verifier, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum VerifierStep {
    /// The archive is canonical, and its files match the manifest.
    Container,
    /// An allowed signer has signed the statement.
    Signatures,
    /// Each document is in its canonical form.
    Documents,
    /// The package contains the tested subject.
    Subject,
    /// The conformance profile is known, and each of its runs has one result.
    Completeness,
    /// Each capture is valid and has the calls of its test.
    Captures,
    /// Calls and reads have the outcomes that the models require.
    Outcomes,
    /// Each capture was made where its result states.
    Records,
    /// The replay repeats the capturing run.
    Replays,
    /// Each waiver is valid and needed.
    Waivers,
    /// The claims equal the computed results.
    Verdicts,
}

impl VerifierStep {
    /// The number of the step, counted from 1.
    pub const fn number(self) -> u8 {
        self as u8 + 1
    }

    /// The subject of the step.
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

/// The problem of a package.
#[derive(Debug, thiserror::Error)]
pub enum RejectionReason {
    /// The bytes are not a package.
    #[error(transparent)]
    Package(PackageError),
    /// The package is not signed.
    #[error("nobody signed the package; sign it with `hallmark package sign`")]
    Unsigned,
    /// A signature is invalid.
    #[error(transparent)]
    Signature(SignatureError),
    /// The statement is invalid.
    #[error(transparent)]
    Statement(StatementError),
    /// A document is not in canonical form.
    #[error(transparent)]
    Json(JsonError),
    /// The lock is invalid.
    #[error(transparent)]
    Lock(LockError),
    /// The log is invalid, or its chain is broken.
    #[error(transparent)]
    Log(LogLineError),
    /// A file is not valid text.
    #[error("the file is no text")]
    NoText,
    /// The profile is invalid, or demands tests that the verifier's suites lack.
    #[error("{}", .0.to_string().trim_end())]
    Profile(SuiteMistakes),
    /// The verifier's suites cannot resolve the profile.
    #[error("the verifier's suites make no lock of this profile: {0}")]
    Resolution(ResolutionError),
    /// The verifier does not know the profile.
    #[error(
        "the conformance profile `{name}` is not the one of the verifier's suites; name your own copy of its file with --profile, or a lock that you \
         trust with --lock"
    )]
    UnknownProfile {
        /// The profile's name.
        name: String,
    },
    /// The lock is not the trusted one.
    #[error("the lock has the hash {found}, and the verifier was given {given}")]
    OtherLock {
        /// The hash of the package's lock.
        found: Blake3,
        /// The hash of the trusted lock.
        given: Blake3,
    },
    /// The verifier's suites give another lock of the profile.
    #[error(
        "the verifier's suites make another lock of this profile, first in {what}; use the suites and the release that the profile's publisher names"
    )]
    OtherSuites {
        /// The first difference.
        what: String,
    },
    /// A claim about the profile contradicts its file.
    #[error(
        "the statement claims {} as the {what} of the profile, and its file says {}",
        quoted(claimed),
        quoted(found)
    )]
    ProfileClaim {
        /// The claimed property.
        what: &'static str,
        /// The claimed value.
        claimed: String,
        /// The file's value.
        found: String,
    },
    /// The lock or the statement is from another release.
    #[error(
        "it is of Hallmark {}, and the verifier is of {here}; verify with that release",
        quoted(lock)
    )]
    OtherRelease {
        /// The release in the file.
        lock: String,
        /// The verifier's release.
        here: String,
    },
    /// The lock does not permit this kind of subject.
    #[error("the profile admits no subject of the kind {kind}")]
    SubjectKind {
        /// The kind.
        kind: String,
    },
    /// A result's device does not belong to the subject.
    #[error("{run} ran on a device on which no {kind} is tested")]
    SubjectDevice {
        /// The kind of the subject.
        kind: String,
        /// The run.
        run: Box<RunKey>,
    },
    /// The environment has no device of a result's kind.
    #[error("it does not say on what {run} ran, or names a device of another kind")]
    OtherEnvironment {
        /// The run.
        run: Box<RunKey>,
    },
    /// The environment of an architecture contradicts itself, the subject or the results.
    #[error("the environment of {architecture} contradicts the package: {what}")]
    Environment {
        /// The architecture.
        architecture: Architecture,
        /// The contradiction.
        what: &'static str,
    },
    /// The environment is of another release than the package.
    #[error(
        "it is of Hallmark {}, and the statement of {}",
        quoted(environment),
        quoted(statement)
    )]
    EnvironmentRelease {
        /// The release in the environment.
        environment: String,
        /// The release in the statement.
        statement: String,
    },
    /// A claim about the subject contradicts the package's files.
    #[error(
        "the statement claims {} as the {what} of the subject, and the package's files say {}",
        quoted(claimed),
        quoted(found)
    )]
    SubjectClaim {
        /// The claimed property.
        what: &'static str,
        /// The claimed value.
        claimed: String,
        /// The files' value.
        found: String,
    },
    /// A device for tests of Hallmark itself.
    #[error(
        "{} stands in for another device in tests, and nothing is certified on it",
        quoted(device)
    )]
    StandIn {
        /// The device.
        device: String,
    },
    /// Firmware that cannot be loaded, or of another architecture.
    #[error("the firmware cannot be loaded: {message}")]
    Firmware {
        /// The loader's message.
        message: String,
    },
    /// Firmware without a result, or missing firmware.
    #[error("{what}")]
    FirmwareFiles {
        /// The firmware.
        what: String,
    },
    /// The log belongs to another run.
    #[error("the log is of another {what} than the package")]
    LogOfAnother {
        /// The differing property.
        what: &'static str,
    },
    /// Times in the log decrease.
    #[error("the log's time runs backwards")]
    TimeBackwards,
    /// A run of the log takes longer than any certification.
    #[error("the log's run takes {milliseconds} ms, which is longer than a year")]
    RunTooLong {
        /// The duration of the run.
        milliseconds: u64,
    },
    /// A test that takes longer than the run to which it belongs.
    #[error("a test is said to take longer than the whole run until its end")]
    TestTooLong,
    /// A result is missing in the log, or differs there.
    #[error("the log has another result of {run}")]
    LogDiffers {
        /// The run.
        run: Box<RunKey>,
    },
    /// Results out of order, or a duplicate.
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
    /// The package contains only one shard, and states that.
    #[error(
        "the package is of shard {shard} alone; `hallmark package merge` makes one package of those of all shards"
    )]
    OneShard {
        /// The shard.
        shard: Shard,
    },
    /// The package contains several but not all shards, a duplicate shard, or a shard and another run.
    #[error("its logs are neither of one run nor of each shard once, in their order")]
    Shards,
    /// A result of a run that the profile does not demand.
    #[error("the profile does not demand {run}")]
    ResultUnknown {
        /// The run.
        run: Box<RunKey>,
    },
    /// The runs of the lock cannot be determined.
    #[error(transparent)]
    Runs(RunsError),
    /// The results of one architecture are from several kinds of device.
    #[error("results of one architecture are of several kinds of device, first that of {run}")]
    DeviceKinds {
        /// The run.
        run: Box<RunKey>,
    },
    /// The challenge is invalid.
    #[error(transparent)]
    Challenge(ChallengeError),
    /// The challenge is dated after the beginning of a run under it.
    #[error(
        "the challenge is dated {issued}, and a run under it began at {began} at the latest, as the log and the statement say"
    )]
    ChallengeDate {
        /// The date of the challenge.
        issued: Timestamp,
        /// The latest beginning of the run.
        began: Timestamp,
    },
    /// The challenge is missing, or differs from the statement's.
    #[error("{what}")]
    ChallengeClaim {
        /// The problem.
        what: &'static str,
    },
    /// A demanded run is skipped, or a skipped run was executed.
    #[error("the profile {} {run}, and the result {}", if *demanded { "demands" } else { "skips" }, if *demanded { "says that it is skipped" } else { "is not that skip" })]
    Skip {
        /// The run.
        run: Box<RunKey>,
        /// Whether the profile demands it.
        demanded: bool,
    },
    /// A named capture is missing.
    #[error("the capture {hash} of {run} is not in the package")]
    CaptureAbsent {
        /// The run.
        run: Box<RunKey>,
        /// The capture's hash.
        hash: Blake3,
    },
    /// A result without a capture, whose verdict needs one.
    #[error("the result of {run} names no {what}")]
    NoCapture {
        /// The run.
        run: Box<RunKey>,
        /// Which of the two captures is missing.
        what: &'static str,
    },
    /// A skipped result that names captures or times.
    #[error("{run} is said to be skipped, and its result has captures or an account of a failure")]
    SkippedWithRun {
        /// The run.
        run: Box<RunKey>,
    },
    /// A capture or blob without a result.
    #[error("no result refers to this file")]
    UnusedFile,
    /// A signature without the file that it signs.
    #[error("the package holds no `{file}`, which this would sign")]
    SignatureOfNothing {
        /// The absent file.
        file: String,
    },
    /// An invalid capture.
    #[error("the capture of {run} is none: {error}")]
    Capture {
        /// The run.
        run: Box<RunKey>,
        /// The problem.
        error: CaptureError,
    },
    /// A capture that is not canonical.
    #[error("the capture of {run}, read and written again, has other bytes")]
    Rewritten {
        /// The run.
        run: Box<RunKey>,
    },
    /// Missing data, source or ELF of a capture.
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
    /// The calls of a capture differ from its test's.
    #[error("the capture of {run} is not of its test: {what}")]
    OtherProgram {
        /// The run.
        run: Box<RunKey>,
        /// The first difference.
        what: String,
    },
    /// A test of the verifier's suites that cannot be bound or built.
    #[error("{test} cannot be computed here: {message}")]
    Uncomputable {
        /// The test.
        test: TestName,
        /// The reason.
        message: String,
    },
    /// A record contradicts the result or the models.
    #[error("the capture of {run} contradicts its result: {what}")]
    OtherRecord {
        /// The run.
        run: Box<RunKey>,
        /// The difference.
        what: String,
    },
    /// Objects have other addresses than on the modelled chip.
    #[error("the capture of {run} has objects where no chip puts them: {what}")]
    OtherAddresses {
        /// The run.
        run: Box<RunKey>,
        /// The first difference.
        what: String,
    },
    /// A kernel's ELF differs from the test's.
    #[error("the capture of {run} ran other kernels than the test's: {what}")]
    OtherKernels {
        /// The run.
        run: Box<RunKey>,
        /// The first difference.
        what: String,
    },
    /// The replay differs from the capturing run, although the result claims that it agrees.
    #[error("the replay of {run} does not repeat its capturing run: {what}")]
    ReplayDiffers {
        /// The run.
        run: Box<RunKey>,
        /// The difference.
        what: String,
    },
    /// The verifier repeated a run on the subject, and it ended otherwise.
    #[error("{run} was repeated on the package's subject and came out otherwise: {what}")]
    NotRepeated {
        /// The run.
        run: Box<RunKey>,
        /// The difference.
        what: String,
    },
    /// An invalid, unused or expired waiver.
    #[error("{}", .0.to_string().trim_end())]
    Waivers(SuiteMistakes),
    /// A waiver is not signed.
    #[error("the waiver `{id}` is not signed by its approver")]
    WaiverUnsigned {
        /// The waiver.
        id: String,
    },
    /// A waiver that exceeds the size limit.
    #[error("the waiver has {bytes} bytes, and at most {limit} are read")]
    WaiverTooLarge {
        /// Its size in bytes.
        bytes: usize,
        /// The limit in bytes.
        limit: u64,
    },
    /// More waivers than the profile permits.
    #[error("{} given; the profile admits at most {admitted}", counted(*found, "waiver", "waivers"))]
    TooManyWaivers {
        /// The number of waivers.
        found: usize,
        /// The permitted number.
        admitted: u32,
    },
    /// The submitter countersigned the package.
    #[error("the package is countersigned by whoever signed it; a reviewer is somebody else")]
    ReviewBySubmitter,
    /// The signer of a waiver is not its stated approver.
    #[error(
        "the waiver `{id}` says that {} approved it, and the signature is of {}",
        quoted(approver),
        quoted(signer)
    )]
    WaiverApprover {
        /// The waiver.
        id: String,
        /// The stated approver.
        approver: String,
        /// The signer.
        signer: String,
    },
    /// The submitter approved a waiver of the submitter's own failures.
    #[error("the waiver `{id}` is signed by whoever signed the package")]
    WaiverBySubmitter {
        /// The waiver.
        id: String,
    },
    /// A result's claimed verdict differs from the computed one.
    #[error("{run} is claimed to be {claimed}, and the captures say {computed}")]
    Verdict {
        /// The run.
        run: Box<RunKey>,
        /// The claimed verdict.
        claimed: String,
        /// The computed verdict.
        computed: String,
    },
    /// Another claim of a result differs from the computed value.
    #[error("the result of {run} claims another {what} than the captures give")]
    Claim {
        /// The run.
        run: Box<RunKey>,
        /// The claimed property.
        what: &'static str,
    },
    /// The totals differ from those of the results.
    #[error("the statement claims other totals than the results have: {what}")]
    Totals {
        /// The first difference.
        what: String,
    },
    /// A demanded run did not pass and is not waived.
    #[error(
        "the subject does not conform: {run} did not pass ({verdict}), and no waiver excuses the failure"
    )]
    NotPassed {
        /// The run.
        run: Box<RunKey>,
        /// Its verdict.
        verdict: String,
    },
    /// A draft, where only a certification is accepted.
    #[error("the package is a draft; accept drafts with --draft")]
    Draft,
}

error_checks!(pub(super) RejectionReason: Unsigned, UnknownProfile, OtherLock, OtherSuites, ProfileClaim, OtherRelease, SubjectKind, SubjectDevice, OtherEnvironment, Environment, EnvironmentRelease, SubjectClaim, StandIn, FirmwareFiles, LogOfAnother, TimeBackwards, RunTooLong, TestTooLong, LogDiffers, ResultOrder, ResultAbsent, OneShard, Shards, ResultUnknown, DeviceKinds, ChallengeDate, ChallengeClaim, Skip, NoCapture, SkippedWithRun, UnusedFile, SignatureOfNothing, WaiverTooLarge, TooManyWaivers, ReviewBySubmitter, Rewritten, BlobAbsent, OtherProgram, OtherRecord, OtherAddresses, OtherKernels, ReplayDiffers, NotRepeated, WaiverUnsigned, WaiverApprover, WaiverBySubmitter, Verdict, Claim, Totals, NotPassed, Draft; besides: Package, Signature, Statement, Json, Lock, Log, NoText, Profile, Resolution, Firmware, Runs, Challenge, CaptureAbsent, Capture, NoRecord, Uncomputable, Waivers);

/// Why a package is rejected, and the place of the problem.
#[derive(Debug)]
pub struct Rejection {
    /// The step of the verifier.
    pub step: VerifierStep,
    /// The file of the package with the problem, if it is in one.
    pub file: Option<String>,
    /// The line in that file, counted from 1.
    pub line: Option<usize>,
    /// The problem.
    pub problem: Box<RejectionReason>,
}

impl Rejection {
    /// The rejection of bytes that are not a package.
    pub fn of_container(error: PackageError) -> Self {
        Self::new(VerifierStep::Container, RejectionReason::Package(error))
    }

    /// The rejection of a document, with its line.
    pub(super) fn of_json(step: VerifierStep, error: JsonError) -> Self {
        let JsonError { line, problem } = error;
        let problem = RejectionReason::Json(JsonError { line: None, problem });
        Self { line, ..Self::new(step, problem) }
    }

    /// A rejection that concerns the package as a whole.
    pub(super) fn new(step: VerifierStep, problem: RejectionReason) -> Self {
        Self { step, file: None, line: None, problem: Box::new(problem) }
    }

    /// The same rejection with its file.
    pub(super) fn in_file(mut self, file: &str) -> Self {
        self.file = Some(file.to_owned());
        self
    }

    /// The same rejection with its line.
    pub(super) fn at_line(mut self, line: usize) -> Self {
        self.line = Some(line);
        self
    }

    /// Whether the package is otherwise correct and only the subject fails; the verifier checks this last.
    pub fn is_of_failure(&self) -> bool {
        matches!(*self.problem, RejectionReason::NotPassed { .. })
    }

    /// Returns the rejection, unless its check is switched off.
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
