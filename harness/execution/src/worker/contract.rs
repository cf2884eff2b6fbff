//! The versions of the files between a parent and its workers.
//!
//! A parent and its worker may be of different releases. A job and a report state the version of their contract
//! in the field `contract`, which is read first; captures and journals state their format. Contract version 1
//! consists of a job file `job.json` with its `blobs`, the `report.json`, and the files beside them: the
//! capture, the journal, and the memory that a capture job may request. It covers the jobs `Capture`, `Replay`
//! and `Assess`; `Plan`, `OpenMetalium` and `Mock` are for workers of the same build and may change.
//!
//! A version never changes: a later addition takes the next version, unless its default is left out. The
//! samples in `harness/tests/contract` enforce this for every version.
//!
//! An executable that is started with [`VERSIONS_ARGUMENT`] alone prints a line of JSON with its versions,
//! opens no device and ends with code 0.

use std::fmt;

use hallmark_schema::{VERSION, Version};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::state::STATE_VERSION;
use super::writers::WRITES_VERSION;

/// The version that is written if the other side supports it.
pub const CONTRACT: u32 = 1;

/// The largest job or report, bytes.
pub(super) const TEXT_LIMIT: u64 = 256 << 20;
/// The minor version of the capture format that introduced source lines and awaited values. Workers and parents
/// of older versions do not receive them.
pub(super) const FIRST_MINOR_WITH_LINES: u16 = 1;
/// The supported contract versions.
const CONTRACTS: [u32; 1] = [CONTRACT];

/// The first argument that makes the executable print its versions.
pub const VERSIONS_ARGUMENT: &str = "__hallmark_versions";

/// A version of the capture format, in jobs and answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FormatVersion {
    /// The major version; a reader supports only one.
    pub major: u16,
    /// The minor version; a reader supports all older ones.
    pub minor: u16,
}

impl FormatVersion {
    /// The newest version that this release reads and writes.
    pub const HERE: Self = Self { major: VERSION.major, minor: VERSION.minor };
}

impl fmt::Display for FormatVersion {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { major, minor } = *self;
        Version { major, minor }.fmt(formatter)
    }
}

/// The versions of an executable: its answer to [`VERSIONS_ARGUMENT`]. A later release may add fields.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpokenVersions {
    /// The version of the release.
    pub hallmark: String,
    /// The supported contracts of jobs and reports, ascending.
    pub contracts: Vec<u32>,
    /// The newest supported capture format.
    pub format: FormatVersion,
    /// The version of the notes of state that its replays write; 0 without such notes.
    #[serde(default)]
    pub state: u32,
    /// The version of the notes of a byte's writers; 0 without such notes.
    #[serde(default)]
    pub writes: u32,
}

impl SpokenVersions {
    /// The versions of this release.
    pub fn here() -> Self {
        Self {
            hallmark: env!("CARGO_PKG_VERSION").to_owned(),
            contracts: CONTRACTS.to_vec(),
            format: FormatVersion::HERE,
            state: STATE_VERSION,
            writes: WRITES_VERSION,
        }
    }
}

/// A file with a contract version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ContractFile {
    /// The request of a job.
    Job,
    /// The result of a job.
    Report,
}

impl fmt::Display for ContractFile {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Self::Job => "job",
            Self::Report => "report",
        })
    }
}

/// Versions as people list them: `1`, `1 and 2`.
pub fn listed(versions: &[u32]) -> String {
    let texts: Vec<String> = versions.iter().map(u32::to_string).collect();
    texts.join(" and ")
}

/// A job or report that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(deny_unknown_fields)]
pub enum ContractError {
    /// The file has a contract that its reader does not support.
    #[error(
        "the {file} has contract version {found} and its reader, hallmark {hallmark}, speaks {}; let a release that speaks both read it",
        listed(spoken)
    )]
    Version {
        /// The kind of file.
        file: ContractFile,
        /// The file's contract version.
        found: u32,
        /// The contracts that the reader supports.
        spoken: Vec<u32>,
        /// The reader's release.
        hallmark: String,
    },
    /// The file does not state its contract.
    #[error(
        "the {file} does not say its contract version and its reader, hallmark {hallmark}, speaks {}; whoever wrote it is older than contract version 1",
        listed(spoken)
    )]
    NoVersion {
        /// The kind of file.
        file: ContractFile,
        /// The contracts that the reader supports.
        spoken: Vec<u32>,
        /// The reader's release.
        hallmark: String,
    },
    /// The file does not follow its contract.
    #[error("the {file} is not of contract version {version}, as it says: {reason}")]
    Malformed {
        /// The kind of file.
        file: ContractFile,
        /// The file's contract version.
        version: u32,
        /// The problem and its place.
        reason: String,
    },
    /// The file cannot be read.
    #[error("the {file} cannot be read: {reason}")]
    Unreadable {
        /// The kind of file.
        file: ContractFile,
        /// The message of the system or of the JSON reader.
        reason: String,
    },
}

/// The first field of every version. No other field is trusted before it.
#[derive(Deserialize)]
struct Stamp {
    contract: Option<u32>,
}

/// Reads a file of a supported contract.
pub(super) fn parse<T: DeserializeOwned>(
    file: ContractFile,
    bytes: &[u8],
) -> Result<T, ContractError> {
    let unreadable = |error: serde_json::Error| {
        let reason = error.to_string();
        ContractError::Unreadable { file, reason }
    };
    let Stamp { contract } = serde_json::from_slice(bytes).map_err(unreadable)?;
    let SpokenVersions { hallmark, contracts: spoken, .. } = SpokenVersions::here();
    let Some(version) = contract else {
        return Err(ContractError::NoVersion { file, spoken, hallmark });
    };
    if !spoken.contains(&version) {
        return Err(ContractError::Version { file, found: version, spoken, hallmark });
    }
    serde_json::from_slice(bytes).map_err(|error| {
        let reason = error.to_string();
        ContractError::Malformed { file, version, reason }
    })
}
