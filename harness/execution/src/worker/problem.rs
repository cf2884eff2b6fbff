//! Why a worker could not do its job.

use std::path::PathBuf;

use hallmark_runtime::CallError;
use hallmark_schema::model::Failure;
use hallmark_suite::bound::BoundStep;
use serde::{Deserialize, Serialize};

use super::contract::ContractError;
use super::job::DeviceJob;
use super::portability::PortabilityReport;

/// Why a worker could not do its job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(deny_unknown_fields)]
pub enum WorkerProblem {
    /// The job has a contract that the worker does not support.
    #[error(transparent)]
    Contract(ContractError),
    /// The device cannot be opened, or failed.
    #[error("{reason}")]
    Device {
        /// The device, as the job names it.
        device: String,
        /// The problem, in words that name the device.
        reason: String,
    },
    /// The firmware cannot be used.
    #[error("firmware cannot be used: {reason}")]
    Firmware {
        /// The bundle's folder; `None` for the built-in one.
        folder: Option<PathBuf>,
        /// The problem.
        reason: String,
    },
    /// The capture cannot be used.
    #[error("{}{reason}", problem.words())]
    Capture {
        /// How far the capture could be processed.
        problem: CaptureProblem,
        /// The problem.
        reason: String,
    },
    /// The capture cannot be replayed on this device, for these reasons.
    #[error("the capture cannot be replayed on {}", .0.device)]
    Refused(Box<PortabilityReport>),
    /// A call that no capture can contain.
    #[error("command {command}, {call} ({written_at}): {reason}")]
    Call {
        /// The index of the call.
        command: u32,
        /// The call's name.
        call: String,
        /// The position of the call in the suite.
        written_at: String,
        /// The error's text.
        reason: String,
    },
    /// A call succeeded that should have failed, and no capture can contain its result.
    #[error(
        "command {command}, {call} ({written_at}), succeeded, but the suite expects it to fail: {expected}"
    )]
    Accepted {
        /// The index of the call.
        command: u32,
        /// The call's name.
        call: String,
        /// The position of the call in the suite.
        written_at: String,
        /// The expected failure.
        expected: Failure,
    },
    /// A kernel is not prebuilt and cannot be built here.
    #[error("create_kernel: kernel {path} is not available here: {reason}")]
    Kernel {
        /// The path of the kernel's source, relative to the suites.
        path: String,
        /// The reason, and the remedy.
        reason: String,
    },
    /// A file cannot be written.
    #[error("{}{reason}", file.words())]
    File {
        /// The kind of file.
        file: WorkerFile,
        /// The system's message.
        reason: String,
    },
    /// The firmware stopped the device before any program ran.
    #[error("{reason}")]
    Stopped {
        /// How and where it stopped, in one sentence.
        reason: String,
    },
    /// A bug of Hallmark.
    #[error("{reason}")]
    Internal {
        /// The contradiction, for Hallmark's developers.
        reason: String,
    },
}

/// How far an unusable capture could be processed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CaptureProblem {
    /// The file cannot be read.
    Unreadable,
    /// It is damaged, or breaks a rule of the format.
    Malformed,
    /// The capture is valid, but lacks parts that a replay needs.
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

/// A file that a worker writes.
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
    /// The contents of buffers.
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

    /// The problem of a file that cannot be written.
    pub(super) fn problem(self, error: &impl std::fmt::Display) -> WorkerProblem {
        WorkerProblem::File { file: self, reason: error.to_string() }
    }
}

impl WorkerProblem {
    /// A bug of Hallmark.
    pub(super) fn internal(reason: impl std::fmt::Display) -> Self {
        Self::Internal { reason: reason.to_string() }
    }

    /// The problem of a suite's call that could not be made or was refused.
    pub(super) fn of_call(
        error: CallError,
        command: u32,
        step: &BoundStep,
        device: &DeviceJob,
    ) -> Self {
        let reason = match error {
            CallError::Capture(error) => return WorkerFile::Journal.problem(&error),
            CallError::KernelUnavailable { path, reason } => return Self::Kernel { path, reason },
            CallError::Data(error) => return Self::internal(error),
            CallError::Stopped(error) => return device.stopped(&error),
            CallError::Internal(error) => return Self::internal(error),
            CallError::Argument(error) => error.to_string(),
            CallError::Host(error) => error.to_string(),
        };
        let call = step.command.kind().name().to_owned();
        Self::Call { command, call, written_at: step.written_at(), reason }
    }
}
