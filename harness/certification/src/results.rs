//! The results of a certification's runs: `results.jsonl`, one line per run, sorted by [`RunKey`].

use std::fmt;

use hallmark_schema::model::{ContentHash, DispatchMode};
use serde::{Deserialize, Serialize};

use hallmark_pipeline::signature::Signature;
use hallmark_pipeline::verdict::Verdict;
use hallmark_suite::language::DeviceKind;
use hallmark_suite::name::TestName;
use hallmark_suite::read::Choice as _;

/// The pass to which a run belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pass {
    /// With the data of the suites; program bytes equal goldens.
    Canonical,
    /// With seeds shifted by a reviewer's challenge; only for tests with seeded data.
    Challenge,
}

impl Pass {
    /// The word in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Canonical => "canonical",
            Self::Challenge => "challenge",
        }
    }
}

/// One run: a test with one choice of each property that a conformance profile varies. A package has one result
/// per run.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunKey {
    /// The test, whose name begins with the architecture. The name of a captured workload is
    /// `<architecture>::captures::<file>::<hash>`.
    pub test: TestName,
    /// The kind of device.
    pub device: DeviceKind,
    /// Rows or columns fused off, one bit each; 0 unless `device` is `sim`.
    pub harvesting: u32,
    /// The dispatch mode.
    pub dispatch: DispatchMode,
    /// The seed of permitted orders; 0 unless `device` is `sim`.
    pub schedule_seed: u64,
    /// The number of the run among otherwise equal ones, counted from 1.
    pub repeat: u32,
    /// The pass.
    pub pass: Pass,
}

impl fmt::Display for RunKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { test, device, harvesting, dispatch, schedule_seed, repeat, pass } = self;
        let dispatch = match dispatch {
            DispatchMode::Host => "host",
            DispatchMode::Device => "device",
        };
        write!(formatter, "{test} on {} with {dispatch} dispatch", device.name())?;
        if *harvesting != 0 {
            write!(formatter, ", {harvesting:#x} harvested")?;
        }
        if *schedule_seed != 0 {
            write!(formatter, ", schedule seed {schedule_seed}")?;
        }
        if *repeat > 1 {
            write!(formatter, ", run {repeat}")?;
        }
        match pass {
            Pass::Canonical => Ok(()),
            Pass::Challenge => formatter.write_str(", under the challenge"),
        }
    }
}

/// The basis of a result. A result never adopts the basis of another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// The submitter's word, which cannot be checked without the device.
    Asserted,
    /// Captures of a device that is part of Hallmark, so that anybody can run them again; nobody has yet.
    Submitted,
    /// The captures, the profile and the models determine it.
    Recomputed,
    /// The verifier ran it again, with the same result. Packages of earlier releases claim this of what is only
    /// submitted.
    Replayed,
}

impl Basis {
    /// The basis of a completed run on a kind of device, with or without the submitter's replay.
    pub const fn of_run(device: DeviceKind, is_replayed: bool) -> Self {
        match device {
            DeviceKind::Sim if is_replayed => Self::Submitted,
            // The vendor's library is not part of the package, and is often its subject.
            DeviceKind::Sim | DeviceKind::Ttsim | DeviceKind::Pci => Self::Asserted,
        }
    }

    /// What the basis is worth as a claim of a package. Only a verifier can say that it ran a result again.
    pub(super) const fn as_claimed(self) -> Self {
        match self {
            Self::Replayed => Self::Submitted,
            Self::Asserted | Self::Submitted | Self::Recomputed => self,
        }
    }
}

impl ResultLine {
    /// The result of a run that the profile skips.
    pub fn skipped(key: &RunKey, reason: &str) -> Self {
        Self {
            run: key.clone(),
            verdict: RunVerdict(Verdict::Skipped { reason: reason.to_owned() }),
            signature: None,
            lines: Vec::new(),
            basis: Basis::Recomputed,
            program: None,
            capture: None,
            replay: None,
            milliseconds: 0,
            headroom: Vec::new(),
            waiver: None,
        }
    }

    /// Whether a run gave the result and left no capture of it.
    pub const fn is_without_capture(&self) -> bool {
        self.capture.is_none() && !matches!(self.verdict.0, Verdict::Skipped { .. })
    }

    /// Whether the end of a process can cause the verdict.
    pub(super) const fn can_come_of_a_process(verdict: &Verdict) -> bool {
        matches!(
            verdict,
            Verdict::Hang | Verdict::Crash | Verdict::InternalError | Verdict::Unsupported
        )
    }

    /// Whether it is a failure, which no certification has but under a waiver. What is skipped the profile says, so that
    /// no suite and no subject excuses itself.
    pub const fn needs_waiver(&self) -> bool {
        !matches!(self.verdict.0, Verdict::Pass | Verdict::Skipped { .. })
    }
}

/// The used part of an output's tolerance.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Headroom {
    /// The output's name.
    pub output: String,
    /// The worst element's use of its tolerance, in millionths: 0 means equal, 1 000 000 the limit.
    pub used: u32,
}

/// A verdict in the form of results: its name, and its reason if it has one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "StoredVerdict", try_from = "StoredVerdict")]
pub struct RunVerdict(pub Verdict);

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredVerdict {
    name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

impl From<RunVerdict> for StoredVerdict {
    fn from(RunVerdict(verdict): RunVerdict) -> Self {
        Self { name: verdict.name().to_owned(), reason: verdict.reason().map(str::to_owned) }
    }
}

/// An unknown verdict, a reason for a verdict without one, or a missing reason.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{name}` {}", if *has_reason { "is no verdict with a reason" } else { "is no verdict without a reason" })]
pub struct VerdictError {
    name: String,
    has_reason: bool,
}

impl TryFrom<StoredVerdict> for RunVerdict {
    type Error = VerdictError;

    fn try_from(stored: StoredVerdict) -> Result<Self, VerdictError> {
        let StoredVerdict { name, reason } = stored;
        let verdict = Verdict::named(&name, reason.as_deref());
        let known = verdict.filter(|verdict| verdict.reason() == reason.as_deref());
        known.map(Self).ok_or(VerdictError { name, has_reason: reason.is_some() })
    }
}

/// The result of one run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResultLine {
    /// The run.
    pub run: RunKey,
    /// The verdict without any excuse: a waiver does not change it.
    pub verdict: RunVerdict,
    /// The signature of the failure, if the failure concerns the device and its programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<Signature>,
    /// The report, one entry per line, in the words of `hallmark run`; empty for a pass.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<String>,
    /// The basis of the verdict.
    pub basis: Basis,
    /// The hash of the capture's program part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<ContentHash>,
    /// The hash of the capturing run's capture without embedded blobs, which is the file's name in `captures/`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capture: Option<ContentHash>,
    /// The hash of the replay's capture, likewise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replay: Option<ContentHash>,
    /// Wall-clock time of both runs.
    pub milliseconds: u64,
    /// Outputs with a tolerance, in the order of their reads.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headroom: Vec<Headroom>,
    /// The waiver of the failure, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiver: Option<String>,
}
