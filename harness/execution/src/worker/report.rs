//! What a worker gives back, beside captures and journals: one file in the job's folder.

use std::io::{Error, ErrorKind};
use std::path::Path;

use hallmark_runtime::Stop;
use hallmark_schema::model::CommandIndex;
use serde::{Deserialize, Serialize};

use super::contract::{self, CONTRACT, ContractError, ContractFile, TEXT_LIMIT};
use super::plan::Plan;
use super::portability::{PortabilityLine, PortabilityReport};
use super::problem::WorkerProblem;
use crate::whole_file;

const REPORT: &str = "report.json";

/// What a worker gives back.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WorkerReport {
    /// Why it could not do its job.
    pub problem: Option<WorkerProblem>,
    /// What the call said that failed last, and what to do about it.
    pub failed_call: Option<FailedCall>,
    /// Why the device can no longer be used, if it cannot.
    pub stop: Option<Box<Stop>>,
    /// What a replay found to be different, a line each.
    pub differences: Vec<String>,
    /// Differences of the class *derived*: addresses, ELFs.
    pub derived_differences: Vec<String>,
    /// What came of a last command that the capture leaves unfinished.
    pub finished_now: Option<String>,
    /// Where everything would lie.
    #[serde(default)]
    pub plan: Option<Box<Plan>>,
    /// Whether a capture can be replayed on the device, of a replay or an assessment.
    #[serde(default)]
    pub portability: Option<Box<PortabilityReport>>,
    /// Calls that another runtime ended otherwise than the capture, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub other_ends: Vec<OtherEnd>,
    /// Calls that fail in the capture and that another runtime was not given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<PortabilityLine>,
}

impl WorkerReport {
    /// What another runtime made of a call, if it ended the call otherwise than the capture.
    pub fn other_end(&self, command: CommandIndex) -> Option<&OtherEnd> {
        self.other_ends.iter().find(|end| end.command == command.0)
    }
}

/// A call that another runtime ended otherwise than the capture.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OtherEnd {
    /// Its place among the calls.
    pub command: u32,
    /// What the other runtime said; nothing if the call succeeded there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exception: Option<String>,
}

/// A call that failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FailedCall {
    /// Its place among the calls.
    pub command: u32,
    /// The text of the error.
    pub text: String,
    /// What to do about it.
    pub remedy: String,
    /// Facts that no capture holds, such as addresses.
    #[serde(default)]
    pub detail: Option<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredReport {
    contract: u32,
    report: WorkerReport,
}

/// Writes the report into a job's folder.
///
/// # Errors
/// The file cannot be written.
pub fn write_report(folder: &Path, report: &WorkerReport) -> Result<(), Error> {
    let stored = StoredReport { contract: CONTRACT, report: report.clone() };
    whole_file::write_in_own_folder(&folder.join(REPORT), &serde_json::to_vec(&stored)?)
}

/// The report in a job's folder, if the worker came to write one.
///
/// # Errors
/// It is of a contract that is not spoken here, or not what its contract says.
pub fn read_report(folder: &Path) -> Result<Option<WorkerReport>, ContractError> {
    let file = ContractFile::Report;
    match whole_file::read(&folder.join(REPORT), TEXT_LIMIT) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(ContractError::Unreadable { file, reason: error.to_string() }),
        Ok(bytes) => {
            let StoredReport { report, .. } = contract::parse(file, &bytes)?;
            Ok(Some(report))
        }
    }
}
