//! Reasons why a command that ran, or its recording, gives no capture.

use std::path::PathBuf;

use hallmark_metalium_recording::{ConversionError, JournalError};
use hallmark_schema::CaptureError;

use hallmark_pipeline::verdict::ExitCode;

/// A command ran and gave no capture.
#[derive(Debug, thiserror::Error)]
pub(super) enum NoCapture {
    /// No process loaded the library.
    #[error(
        "nothing was recorded: the command loaded no libtt_metal.so, or its recording could not be written; name a command that uses TT-Metalium and is not statically linked with it"
    )]
    NeverLoaded,
    /// A process loaded another library than the site's.
    #[error(
        "the command loaded a libtt_metal.so of the build {build_id}, and the recorder is for that of {}; name the folder of the command's own ttnn wheel by --device metalium:SITE",
        site.display()
    )]
    OtherLibrary {
        /// The build id of the loaded library.
        build_id: String,
        /// The site whose library the recorder supports.
        site: PathBuf,
    },
    /// A process loaded an unknown library, and no site was named.
    #[error(
        "nothing was recorded: the command loaded a libtt_metal.so of the build {build_id}, which the recorder does not know"
    )]
    UnknownLibrary {
        /// The build id of the loaded library.
        build_id: String,
    },
    /// The folder holds no recording.
    #[error(
        "{} holds no recording; name a folder .hallmark-recording-… that `hallmark capture` left beside its capture",
        folder.display()
    )]
    NoRecording {
        /// The folder.
        folder: PathBuf,
    },
    /// Several processes have a device.
    #[error(
        "{processes} processes of the command opened a device each, and a capture is of one process; capture the command of one of them"
    )]
    SeveralProcesses {
        /// The number of processes with a device.
        processes: usize,
    },
    /// A recording cannot be read.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A recording cannot be converted to a capture.
    #[error(transparent)]
    Conversion(#[from] ConversionError),
    /// The capture cannot be encoded.
    #[error(transparent)]
    Capture(#[from] CaptureError),
    /// A file cannot be written or read.
    #[error("{} cannot be {what}: {error}", path.display())]
    File {
        /// The attempted action.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// The system's error.
        error: std::io::Error,
    },
}

impl NoCapture {
    /// Whether the command was recorded although there is no capture.
    pub(super) const fn leaves_a_recording(&self) -> bool {
        match self {
            Self::Journal(_) | Self::Conversion(ConversionError::Invalid(_)) | Self::Capture(_) => {
                true
            }
            Self::File { .. } => true,
            Self::Conversion(ConversionError::NoDevice | ConversionError::Architecture { .. })
            | Self::NeverLoaded
            | Self::OtherLibrary { .. }
            | Self::UnknownLibrary { .. }
            | Self::NoRecording { .. }
            | Self::SeveralProcesses { .. } => false,
        }
    }

    pub(super) const fn exit_code(&self) -> ExitCode {
        match self {
            Self::NeverLoaded
            | Self::OtherLibrary { .. }
            | Self::UnknownLibrary { .. }
            | Self::NoRecording { .. }
            | Self::SeveralProcesses { .. }
            | Self::Journal(_)
            | Self::Conversion(_)
            | Self::Capture(_) => ExitCode::CAPTURE,
            Self::File { .. } => ExitCode::INTERNAL,
        }
    }
}
