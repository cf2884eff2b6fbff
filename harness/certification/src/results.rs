//! What came of a certification's runs: `results.jsonl`, a line for each run, sorted by [`RunKey`].

use std::fmt;

use hallmark_schema::model::{ContentHash, DispatchMode};
use serde::{Deserialize, Serialize};

use hallmark_pipeline::signature::Signature;
use hallmark_pipeline::verdict::Verdict;
use hallmark_suite::language::DeviceKind;
use hallmark_suite::name::TestName;
use hallmark_suite::read::Choice as _;

/// Which of the two passes over the tests a run belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pass {
    /// With the data that suites state; program bytes equal goldens.
    Canonical,
    /// With seeds that a reviewer's challenge shifts; only tests with seeded data have it.
    Challenge,
}

impl Pass {
    /// The word for it in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Canonical => "canonical",
            Self::Challenge => "challenge",
        }
    }
}

/// One run: a test, and everything that a conformance profile varies. A package has one result for each.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunKey {
    /// The test, whose name begins with the architecture. Of a captured workload it is
    /// `<architecture>::captures::<file>::<hash>`.
    pub test: TestName,
    /// The kind of device that it ran on.
    pub device: DeviceKind,
    /// Rows or columns fused off, one bit each; 0 unless `device` is `sim`.
    pub harvesting: u32,
    /// Who launched programs.
    pub dispatch: DispatchMode,
    /// The seed for orders that the hardware leaves open; 0 unless `device` is `sim`.
    pub schedule_seed: u64,
    /// Which of several runs that are alike in everything else, counted from 1.
    pub repeat: u32,
    /// The pass that it belongs to.
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

/// What a result rests on. A result never takes over the basis of another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// Somebody said so, and without the device nobody can check it.
    Asserted,
    /// It follows from the captures, the profile and the models.
    Recomputed,
    /// Whoever doubts can run it again: the device is part of Hallmark.
    Replayed,
}

impl Basis {
    /// What the result of a run rests on that ended on a kind of device, with or without a replay.
    pub const fn of_run(device: DeviceKind, is_replayed: bool) -> Self {
        match device {
            DeviceKind::Sim if is_replayed => Self::Replayed,
            // A vendor's library is no part of the package, and is often what the package is about.
            DeviceKind::Sim | DeviceKind::Ttsim | DeviceKind::Pci => Self::Asserted,
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

    /// Whether it is a failure, which no certification has but under a waiver. What is skipped the profile says, so that
    /// no suite and no subject excuses itself.
    pub const fn needs_waiver(&self) -> bool {
        !matches!(self.verdict.0, Verdict::Pass | Verdict::Skipped { .. })
    }
}

/// How much of its tolerance an output used.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Headroom {
    /// The output's name.
    pub output: String,
    /// What the worst element used of its tolerance, in millionths: 0 is equal, 1 000 000 at the limit.
    pub used: u32,
}

/// A verdict as results spell it: its name, and the reason of one that has a reason.
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

/// A verdict that is none, or has a reason where it has none, or none where it needs one.
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

/// What came of one run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResultLine {
    /// Which run it was.
    pub run: RunKey,
    /// What came of it, with nothing excused: a waiver does not change it.
    pub verdict: RunVerdict,
    /// What the failure is, if it is one that says something about the device and its programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<Signature>,
    /// What happened, a line each, in the words of `hallmark run`; empty for a pass.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<String>,
    /// What the verdict rests on.
    pub basis: Basis,
    /// The hash of the program part of the capture.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<ContentHash>,
    /// The capturing run: the hash of its capture without embedded blobs, which is the file's name in `captures/`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capture: Option<ContentHash>,
    /// The replay in a fresh process, likewise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replay: Option<ContentHash>,
    /// Wall-clock time of both.
    pub milliseconds: u64,
    /// Outputs that were compared with a tolerance, in the order of their reads.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headroom: Vec<Headroom>,
    /// The waiver that covers the failure, if one does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiver: Option<String>,
}
