//! The versions of the files between a parent and its workers.
//!
//! A parent and its worker need not be of one release. A job and a report say the version of their contract in
//! the field `contract`, which is read before anything else; captures and journals say their format. Contract
//! version 1 is a job file `job.json` with its `blobs`, the `report.json`, and what lies beside them:
//! the capture, the journal, and the memory that a capture job may ask for. Of the jobs it holds `Capture`,
//! `Replay` and `Assess`; `Plan`, `OpenMetalium` and `Mock` are for workers of the same build and may change.
//!
//! A version never changes: what is added later takes the next one, unless it is left out where it says
//! nothing. The samples in `harness/tests/contract` hold every version to that.
//!
//! An executable that is started with [`VERSIONS_ARGUMENT`] alone prints a line of JSON that says what it
//! speaks, opens no device and ends with code 0.

use std::fmt;

use hallmark_schema::{VERSION, Version};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::state::STATE_VERSION;
use super::writers::WRITES_VERSION;

/// The version that is written where the other side knows it.
pub const CONTRACT: u32 = 1;

/// No job or report is larger, in bytes.
pub(super) const TEXT_LIMIT: u64 = 256 << 20;
/// The minor version of the capture format with which source lines and awaited values came. Neither a worker nor a
/// parent that knows only older ones is told of them.
pub(super) const FIRST_MINOR_WITH_LINES: u16 = 1;
/// All that are spoken here.
const CONTRACTS: [u32; 1] = [CONTRACT];

/// The first argument that makes the executable say what it speaks.
pub const VERSIONS_ARGUMENT: &str = "__hallmark_versions";

/// A version of the capture format, as jobs and answers write it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FormatVersion {
    /// Readers of one major version read no other.
    pub major: u16,
    /// Readers of a minor version read all older ones.
    pub minor: u16,
}

impl FormatVersion {
    /// The newest that is read and written here.
    pub const HERE: Self = Self { major: VERSION.major, minor: VERSION.minor };
}

impl fmt::Display for FormatVersion {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { major, minor } = *self;
        Version { major, minor }.fmt(formatter)
    }
}

/// What an executable speaks: its answer to [`VERSIONS_ARGUMENT`]. A later release may say more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpokenVersions {
    /// The version of the release.
    pub hallmark: String,
    /// The contracts of jobs and reports that it knows, ascending.
    pub contracts: Vec<u32>,
    /// The newest format of captures that it reads.
    pub format: FormatVersion,
    /// The version of the notes of state that its replays write; 0 if they write none.
    #[serde(default)]
    pub state: u32,
    /// The version of the notes of who writes a byte; 0 if its replays write none.
    #[serde(default)]
    pub writes: u32,
}

impl SpokenVersions {
    /// What is spoken here.
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
    /// What a worker is to do.
    Job,
    /// What came of it.
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
    /// It is of a contract that its reader does not speak.
    #[error(
        "the {file} has contract version {found} and its reader, hallmark {hallmark}, speaks {}; let a release that speaks both read it",
        listed(spoken)
    )]
    Version {
        /// Which of the two.
        file: ContractFile,
        /// The contract version that the file says.
        found: u32,
        /// What its reader speaks.
        spoken: Vec<u32>,
        /// The reader's release.
        hallmark: String,
    },
    /// It does not say its contract.
    #[error(
        "the {file} does not say its contract version and its reader, hallmark {hallmark}, speaks {}; whoever wrote it is older than contract version 1",
        listed(spoken)
    )]
    NoVersion {
        /// Which of the two.
        file: ContractFile,
        /// What its reader speaks.
        spoken: Vec<u32>,
        /// The reader's release.
        hallmark: String,
    },
    /// It is not what its contract says.
    #[error("the {file} is not of contract version {version}, as it says: {reason}")]
    Malformed {
        /// Which of the two.
        file: ContractFile,
        /// The contract version that the file says.
        version: u32,
        /// What is wrong and where.
        reason: String,
    },
    /// It cannot be read at all.
    #[error("the {file} cannot be read: {reason}")]
    Unreadable {
        /// Which of the two.
        file: ContractFile,
        /// What the system or the JSON reader says.
        reason: String,
    },
}

/// What every version starts with. Nothing else of a file is believed before.
#[derive(Deserialize)]
struct Stamp {
    contract: Option<u32>,
}

/// Reads a file of a contract that is spoken here.
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
