//! Why a worker could not do its job.

use std::path::PathBuf;

use hallmark_runtime::CallError;
use hallmark_schema::model::Failure;
use hallmark_suite::bound::BoundStep;
use serde::{Deserialize, Serialize};

use super::contract::ContractError;
use super::portability::PortabilityReport;

/// Why a worker could not do its job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(deny_unknown_fields)]
pub enum WorkerProblem {
    /// The job is not of a contract that the worker speaks.
    #[error(transparent)]
    Contract(ContractError),
    /// The device cannot be opened, or failed.
    #[error("{reason}")]
    Device {
        /// The device, as the job names it.
        device: String,
        /// What happened, in words that name the device.
        reason: String,
    },
    /// The firmware cannot be used.
    #[error("firmware cannot be used: {reason}")]
    Firmware {
        /// The bundle's folder; nothing for the built-in one.
        folder: Option<PathBuf>,
        /// What is wrong with it.
        reason: String,
    },
    /// The capture cannot be used.
    #[error("{}{reason}", problem.words())]
    Capture {
        /// How far it came.
        problem: CaptureProblem,
        /// What is wrong with it.
        reason: String,
    },
    /// The capture cannot be replayed on this device: every reason.
    #[error("the capture cannot be replayed on {}", .0.device)]
    Refused(Box<PortabilityReport>),
    /// A call cannot be made as it stands: no capture can hold it.
    #[error("command {command}, {call} ({written_at}): {reason}")]
    Call {
        /// Its place among the calls.
        command: u32,
        /// The call's name.
        call: String,
        /// Where the suite has it.
        written_at: String,
        /// The error's text.
        reason: String,
    },
    /// A call that should have failed was made, and no capture can hold what came of it.
    #[error(
        "command {command}, {call} ({written_at}), succeeded, but the suite expects it to fail: {expected}"
    )]
    Accepted {
        /// Its place among the calls.
        command: u32,
        /// The call's name.
        call: String,
        /// Where the suite has it.
        written_at: String,
        /// How it should have failed.
        expected: Failure,
    },
    /// A kernel is neither prebuilt nor can it be built here.
    #[error("create_kernel: kernel {path} is not available here: {reason}")]
    Kernel {
        /// The path of the kernel's source, relative to the suites.
        path: String,
        /// Why, and what to do.
        reason: String,
    },
    /// A file cannot be written.
    #[error("{}{reason}", file.words())]
    File {
        /// What it is written for.
        file: WorkerFile,
        /// The system's text.
        reason: String,
    },
    /// A bug of Hallmark.
    #[error("{reason}")]
    Internal {
        /// What contradicts what, for whoever mends it.
        reason: String,
    },
}

/// How far a capture came that cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CaptureProblem {
    /// Its file cannot be read.
    Unreadable,
    /// It is damaged, or breaks a rule of the format.
    Malformed,
    /// It is whole, and lacks what a replay needs.
    NotReplayable,
}

impl CaptureProblem {
    const fn words(self) -> &'static str {
        match self {
            Self::Unreadable => "the capture cannot be read: ",
            Self::Malformed => "the capture is refused: ",
            Self::NotReplayable => "",
        }
    }
}

/// What a worker writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WorkerFile {
    /// The journal, when the capture begins.
    JournalAtBegin,
    /// The journal, during the calls.
    Journal,
    /// The journal, when the capture ends.
    JournalAtEnd,
    /// The file of the capture that a test made.
    Capture,
    /// The capture of a replay.
    Replay,
    /// What buffers hold.
    Memory,
    /// Notes of state.
    State,
}

impl WorkerFile {
    const fn words(self) -> &'static str {
        match self {
            Self::JournalAtBegin => "the capture cannot begin: ",
            Self::Journal => "",
            Self::JournalAtEnd => "the capture cannot end: ",
            Self::Capture => "the capture cannot be written: ",
            Self::Replay => "the replay cannot be written: ",
            Self::Memory => "the content of buffers cannot be written: ",
            Self::State => "the notes of state cannot be written: ",
        }
    }

    /// A file that cannot be written, and why.
    pub(super) fn problem(self, error: &impl std::fmt::Display) -> WorkerProblem {
        WorkerProblem::File { file: self, reason: error.to_string() }
    }
}

impl WorkerProblem {
    /// A bug of Hallmark.
    pub(super) fn internal(reason: impl std::fmt::Display) -> Self {
        Self::Internal { reason: reason.to_string() }
    }

    /// A call of a suite that could not be made or was refused.
    pub(super) fn of_call(error: CallError, command: u32, step: &BoundStep) -> Self {
        let reason = match error {
            CallError::Capture(error) => return WorkerFile::Journal.problem(&error),
            CallError::KernelUnavailable { path, reason } => return Self::Kernel { path, reason },
            CallError::Data(error) => return Self::internal(error),
            CallError::Internal(error) => return Self::internal(error),
            CallError::Argument(error) => error.to_string(),
            CallError::Host(error) => error.to_string(),
        };
        let call = step.command.kind().name().to_owned();
        Self::Call { command, call, written_at: step.written_at(), reason }
    }
}
