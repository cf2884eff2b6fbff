//! Profiles of all replays of a command: `hallmark profile -- COMMAND` names a folder in the environment, and each replay of
//! the command leaves its own there.

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

/// The environment's variable that names the folder.
pub const FOLDER: &str = "HALLMARK_PROFILE_FOLDER";

/// The variable that is there where firmware and kernels are to have markers.
pub const MARKERS: &str = "HALLMARK_PROFILE_MARKERS";

const CAPTURE: &str = "capture.lmb";
/// Written last: a replay without it was killed.
const ABOUT: &str = "about.json";
/// Larger ones are refused.
const ABOUT_LIMIT: u64 = 1 << 16;

/// What a replay was of.
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
    /// Who replayed it.
    pub device: String,
    /// What was replayed.
    pub capture: Capture,
    /// What calls and launches took.
    pub notes: ProfileNotes,
    /// Why it has no markers, or some kernels have none, if markers were asked for: a line for each.
    pub without_markers: Vec<String>,
}

/// What the replays of a command left.
#[derive(Clone, Debug, Default)]
pub struct ProfiledRuns {
    /// The replays with their profiles, by the names of what they are of.
    pub runs: Vec<ProfiledRun>,
    /// Replays of which there is no whole profile: whoever kept it was killed or found no room, or was of another release.
    pub missing: usize,
}

/// A profile that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ProfiledRunError {
    /// Its folder or a file of it.
    #[error("{}: {error}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The system's text.
        error: Error,
    },
    /// Its capture.
    #[error("the capture of {subject}: {error}")]
    Capture {
        /// The test.
        subject: String,
        /// What is wrong with it.
        error: Box<CaptureError>,
    },
}

/// Replays a capture's file in a fresh process. Below `hallmark profile -- COMMAND` its profile is kept; what cannot be kept
/// there is left out, for the replay itself is what the command is about.
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
    // It stays whatever becomes of its files, so that a profile that finds no room is missed.
    let own = tempfile::Builder::new().prefix("run-").tempdir_in(folder)?.keep();
    std::fs::copy(worker.join(profile::PROFILE), own.join(profile::PROFILE))?;
    if worker.join(profile::CUT_OFF).exists() {
        std::fs::write(own.join(profile::CUT_OFF), [])?;
    }
    std::fs::copy(capture, own.join(CAPTURE))?;
    whole_file::write_in_own_folder(&own.join(ABOUT), &serde_json::to_vec(about)?)
}

/// The profiles that a command's replays left in a folder.
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
