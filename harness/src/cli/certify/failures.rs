//! Failures that end a certification.

use std::path::Path;

use hallmark_certification::assembly::AssemblyError;
use hallmark_certification::environment::EnvironmentError;
use hallmark_certification::lock::RunsError;
use hallmark_certification::log::LogError;
use hallmark_certification::run::RunError;
use hallmark_certification::subject::SubjectError;
use hallmark_pipeline::verdict::ExitCode;

use crate::cli::Failed;

impl From<AssemblyError> for Failed {
    fn from(error: AssemblyError) -> Self {
        Self::new(ExitCode::INTERNAL, error)
    }
}

impl From<EnvironmentError> for Failed {
    fn from(error: EnvironmentError) -> Self {
        Self::new(ExitCode::DEVICE, error)
    }
}

impl From<SubjectError> for Failed {
    fn from(error: SubjectError) -> Self {
        let code = match error {
            SubjectError::Firmware { .. } | SubjectError::Environment(_) => ExitCode::DEVICE,
            SubjectError::Mixed { .. }
            | SubjectError::BuiltIn { .. }
            | SubjectError::NotAdmitted { .. }
            | SubjectError::NoArchitecture
            | SubjectError::Chooses { .. } => ExitCode::USAGE,
        };
        Self::new(code, error)
    }
}

impl From<RunsError> for Failed {
    fn from(error: RunsError) -> Self {
        Self::new(ExitCode::USAGE, error)
    }
}

impl From<LogError> for Failed {
    fn from(error: LogError) -> Self {
        let code = match error {
            LogError::Read { .. } | LogError::Write { .. } => ExitCode::INTERNAL,
            LogError::Busy { .. } | LogError::Line { .. } | LogError::OtherRun { .. } => {
                ExitCode::USAGE
            }
        };
        Self::new(code, error)
    }
}

impl From<RunError> for Failed {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Mistakes(mistakes) => mistakes.into(),
            RunError::Store(_)
            | RunError::Internal { .. }
            | RunError::NoChallenge(_)
            | RunError::Capture { .. } => Self::new(ExitCode::INTERNAL, error),
        }
    }
}

/// A file that cannot be written.
pub(super) fn unwritten(path: &Path, error: &std::io::Error) -> Failed {
    Failed::new(ExitCode::INTERNAL, format!("{} cannot be written: {error}", path.display()))
}

/// A value that cannot be serialized; no value causes this.
pub(super) fn internal(error: &serde_json::Error) -> Failed {
    Failed::new(ExitCode::INTERNAL, error)
}
