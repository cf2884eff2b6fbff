//! Profiles of all replays of a command: `hallmark profile -- COMMAND` passes a folder in the environment, and
//! each replay of the command stores its profile there.

use std::io::Error;
use std::path::{Path, PathBuf};

use hallmark_execution::whole_file;
use hallmark_execution::worker::job_file::CAPTURE_LIMIT;
use hallmark_execution::worker::profile::{self, ProfileNotes};
use hallmark_runtime::device_code::KernelStore;
use hallmark_schema::CaptureError;
use hallmark_schema::model::Capture;
use serde::{Deserialize, Serialize};

use super::executed::{Executed, Limits, ReplayOf};
use super::finding::Finding;
use super::markers::with_markers;
use super::replay::{replay_capture, replay_profiling};
use super::settings::WorkerSettings;

/// The environment variable with the folder.
pub const FOLDER: &str = "HALLMARK_PROFILE_FOLDER";

/// The environment variable that requests markers in firmware and kernels.
pub const MARKERS: &str = "HALLMARK_PROFILE_MARKERS";

const CAPTURE: &str = "capture.lmb";
/// The file that is written last: a replay without it was killed.
const ABOUT: &str = "about.json";
/// The largest such file, bytes.
const ABOUT_LIMIT: u64 = 1 << 16;

/// The description of a replay.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct About {
    subject: String,
    device: String,
    without_markers: Vec<String>,
}

/// A replay with its profile.
#[derive(Clone, Debug)]
pub struct ProfiledRun {
    /// The test or capture.
    pub subject: String,
    /// The executor of the replay.
    pub device: String,
    /// The replayed capture.
    pub capture: Capture,
    /// The measurements of calls and launches.
    pub notes: ProfileNotes,
    /// Why markers are missing in the replay or in some kernels, if markers were requested: one reason per
    /// line.
    pub without_markers: Vec<String>,
}

/// The stored profiles of a command's replays.
#[derive(Clone, Debug, Default)]
pub struct ProfiledRuns {
    /// The replays with their profiles, sorted by subject.
    pub runs: Vec<ProfiledRun>,
    /// The number of replays without a complete profile: the process was killed, ran out of room, or was of
    /// another release.
    pub missing: usize,
}

/// A profile that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ProfiledRunError {
    /// The profile's folder or a file in it cannot be read.
    #[error("{}: {error}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The system's message.
        error: Error,
    },
    /// The capture of the profile is invalid.
    #[error("the capture of {subject}: {error}")]
    Capture {
        /// The test.
        subject: String,
        /// The problem.
        error: Box<CaptureError>,
    },
}

/// Replays a capture's file in a fresh process. Under `hallmark profile -- COMMAND` its profile is stored; a
/// failure to store it is ignored, because the command is about the replay itself.
///
/// # Errors
/// As of [`replay_capture`].
pub fn replay_of(
    settings: &WorkerSettings,
    kernels: &KernelStore,
    replay: ReplayOf,
    limits: Limits,
    subject: &str,
) -> Result<Executed, Finding> {
    let Some(folder) = std::env::var_os(FOLDER) else {
        return replay_capture(settings, replay, limits);
    };
    let (subject, device) = (subject.to_owned(), replay.executor.to_string());
    let file = replay.capture.clone();
    let capture = || {
        let bytes = whole_file::read(&file, CAPTURE_LIMIT).ok()?;
        Capture::open(&bytes.into()).ok()
    };
    let (replay, without_markers) = match std::env::var_os(MARKERS).and_then(|_| capture()) {
        Some(capture) => with_markers(replay, &capture, kernels),
        None => (replay, Vec::new()),
    };
    let about = About { subject, device, without_markers };
    let executed = replay_profiling(settings, replay, limits)?;
    drop(keep(Path::new(&folder), &about, &file, executed.folder()));
    Ok(executed)
}

fn keep(folder: &Path, about: &About, capture: &Path, worker: &Path) -> Result<(), Error> {
    // The folder stays even if its files cannot be written, so that a missing profile is noticed.
    let own = tempfile::Builder::new().prefix("run-").tempdir_in(folder)?.keep();
    std::fs::copy(worker.join(profile::PROFILE), own.join(profile::PROFILE))?;
    if worker.join(profile::CUT_OFF).exists() {
        std::fs::write(own.join(profile::CUT_OFF), [])?;
    }
    std::fs::copy(capture, own.join(CAPTURE))?;
    whole_file::write_in_own_folder(&own.join(ABOUT), &serde_json::to_vec(about)?)
}

/// The profiles of a command's replays in a folder.
///
/// # Errors
/// [`ProfiledRunError`].
pub fn read(folder: &Path) -> Result<ProfiledRuns, ProfiledRunError> {
    let file_error = |path: &Path, error| ProfiledRunError::File { path: path.to_owned(), error };
    let (mut runs, mut missing): (Vec<ProfiledRun>, usize) = (Vec::new(), 0);
    for entry in std::fs::read_dir(folder).map_err(|error| file_error(folder, error))? {
        let own = entry.map_err(|error| file_error(folder, error))?.path();
        let read = |name: &str, limit| {
            let path = own.join(name);
            whole_file::read(&path, limit).map_err(|error| file_error(&path, error))
        };
        let about = read(ABOUT, ABOUT_LIMIT).ok();
        let about = about.and_then(|about| serde_json::from_slice(&about).ok());
        let Some((About { subject, device, without_markers }, notes)) =
            about.zip(profile::read(&own))
        else {
            missing = missing.saturating_add(1);
            continue;
        };
        let bytes = read(CAPTURE, CAPTURE_LIMIT)?;
        let capture = match Capture::open(&bytes.into()) {
            Ok(capture) => capture,
            Err(error) => return Err(ProfiledRunError::Capture { subject, error: error.into() }),
        };
        runs.push(ProfiledRun { subject, device, capture, notes, without_markers });
    }
    runs.sort_by(|one, other| (&one.subject, &one.device).cmp(&(&other.subject, &other.device)));
    Ok(ProfiledRuns { runs, missing })
}
