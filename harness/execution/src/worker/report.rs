//! The report of a worker, beside captures and journals: one file in the job's folder.

use std::io::{Error, ErrorKind};
use std::path::Path;

use hallmark_chip::{FaultCategory, KernelRuns};
use hallmark_runtime::{CallWarning, Printed, Stop};
use hallmark_schema::model::CommandIndex;
use serde::{Deserialize, Serialize};

use super::contract::{self, CONTRACT, ContractError, ContractFile, TEXT_LIMIT};
use super::plan::Plan;
use super::portability::{PortabilityLine, PortabilityReport};
use super::problem::WorkerProblem;
use crate::whole_file;

const REPORT: &str = "report.json";

/// The report of a worker.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WorkerReport {
    /// Why the worker could not do its job.
    pub problem: Option<WorkerProblem>,
    /// The message of the last failed call, and the remedy.
    pub failed_call: Option<FailedCall>,
    /// Why the device can no longer be used, if it cannot.
    pub stop: Option<Box<Stop>>,
    /// The differences found by a replay, one line each.
    pub differences: Vec<String>,
    /// Differences of the class *derived*: addresses, ELFs.
    pub derived_differences: Vec<String>,
    /// The outcome of a last command that is unfinished in the capture.
    pub finished_now: Option<String>,
    /// The planned placement of objects.
    #[serde(default)]
    pub plan: Option<Box<Plan>>,
    /// Whether a capture can be replayed on the device, from a replay or an assessment.
    #[serde(default)]
    pub portability: Option<Box<PortabilityReport>>,
    /// Calls whose outcome under another runtime differs from the capture's, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub other_ends: Vec<OtherEnd>,
    /// Calls that fail in the capture and were not made under another runtime.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<PortabilityLine>,
    /// The finding of a check that is newer than the replayed capture.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub newer: Option<NewerCheck>,
    /// Whether the captured programs were right only by an order that the chip's documents do not promise.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub relies_on_atomics_behind_writes: bool,
    /// The kernels that have run, by what the device judged them by.
    #[serde(default, skip_serializing_if = "KernelRuns::is_empty")]
    pub kernel_runs: KernelRuns,
    /// Calls that took place and may be mistakes, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
    /// What the kernels of a capturing run have printed, if the worker's release does not write it into the capture.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub printed: Vec<Printed>,
}

/// A call that took place and may be a mistake.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Warning {
    /// The index of the call.
    pub command: u32,
    /// What may go wrong, and how to mend it.
    pub text: String,
}

impl From<CallWarning> for Warning {
    fn from(CallWarning { command, text }: CallWarning) -> Self {
        Self { command: command.0, text }
    }
}

impl Warning {
    /// In a sentence.
    pub fn sentence(&self) -> String {
        let Self { command, text } = self;
        format!("command {command}: {text}")
    }
}

/// The finding of a check that is newer than the replayed capture: a note, and no difference.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewerCheck {
    /// The index of the call that met the fault; `None` for the end of the queues.
    pub command: Option<u32>,
    /// The kind of the fault.
    pub category: FaultCategory,
    /// The index of the call that enqueued the program.
    pub enqueue: u32,
    /// The kind of the same fault in the capture. Without one the replay ended with the fault.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub captured_as: Option<FaultCategory>,
}

impl NewerCheck {
    /// Whether the replay ended with the fault, so that nothing later was compared.
    pub const fn ends_the_replay(&self) -> bool {
        self.captured_as.is_none()
    }

    /// In a sentence.
    pub fn sentence(&self) -> String {
        let Self { command, category, enqueue, captured_as } = self;
        let place =
            command.map_or("the end of the queues".to_owned(), |it| format!("command {it}"));
        match captured_as {
            Some(older) => format!(
                "{place}: the {category} of the program enqueued by command {enqueue} is the {older} of the \
                 capture, told more exactly"
            ),
            None => format!(
                "{place}: {category} in the program enqueued by command {enqueue}; the check is newer than the \
                 capture, whose replay ends here: capture again to have its verdict"
            ),
        }
    }
}

impl WorkerReport {
    /// The other runtime's outcome of a call, if it differs from the capture's.
    pub fn other_end(&self, command: CommandIndex) -> Option<&OtherEnd> {
        self.other_ends.iter().find(|end| end.command == command.0)
    }
}

/// A call whose outcome under another runtime differs from the capture's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OtherEnd {
    /// The index of the call.
    pub command: u32,
    /// The other runtime's exception; `None` if the call succeeded there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exception: Option<String>,
    /// The failure that ended the captured run in this call, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_with: Option<String>,
}

/// A call that failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FailedCall {
    /// The index of the call.
    pub command: u32,
    /// The text of the error.
    pub text: String,
    /// The remedy.
    pub remedy: String,
    /// Facts that captures do not contain, such as addresses.
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

/// The report in a job's folder, if the worker has written one.
///
/// # Errors
/// The report has an unsupported contract, or does not follow its contract.
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
