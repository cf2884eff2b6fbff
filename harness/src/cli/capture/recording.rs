//! The folder that the recorder writes to while its command runs.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use hallmark_metalium_recording::{
    ConversionError, Entry, Event, Recording, RecordingEnd, ThreadNumber,
};
use hallmark_pipeline::verdict::ExitCode;
use hallmark_runtime::device_code::refuse_links;
use tempfile::TempDir;

use super::CaptureArguments;
use super::included::IncludedFiles;
use super::no_capture::NoCapture;
use super::write::write_capture;
use crate::cli::{Failed, output};

/// The prefix of the name of a recording folder, which is made beside the capture.
const PREFIX: &str = ".hallmark-recording-";
/// The name of the file that each process with the recorder writes.
const JOURNAL: &str = "journal";
/// The name of the lock file. It is locked while this program waits for the command.
const LOCK: &str = "lock";

/// A folder that the recorder writes to. It is removed on drop.
pub(super) struct RecordingFolder {
    folder: TempDir,
    path: PathBuf,
    _lock: File,
}

impl RecordingFolder {
    /// Makes a new folder beside a capture.
    pub(super) fn new(beside: &Path) -> io::Result<Self> {
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir_in(beside)?;
        let path = folder.path().canonicalize()?;
        let lock = File::create(path.join(LOCK))?;
        // Without file locks, an earlier recording cannot be told from one that is still running.
        let _ = lock.lock();
        Ok(Self { folder, path, _lock: lock })
    }

    /// The absolute path of the folder.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Keeps the folder; gives its path.
    pub(super) fn keep(self) -> PathBuf {
        self.folder.keep()
    }
}

/// Recording folders that no process waits for: a conversion failed, or this program was killed.
pub(super) fn left_behind(beside: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(beside).into_iter().flatten().flatten();
    let mut left: Vec<PathBuf> = entries
        .filter(|entry| entry.file_name().to_string_lossy().starts_with(PREFIX))
        .map(|entry| entry.path())
        .filter(|path| {
            let is_free = File::open(path.join(LOCK)).is_ok_and(|lock| lock.try_lock().is_ok());
            is_free && journals(path).is_ok_and(|journals| !journals.is_empty())
        })
        .collect();
    left.sort();
    left
}

fn journals(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        paths.push(entry?.path());
    }
    paths.retain(|path| path.extension().is_some_and(|extension| extension == JOURNAL));
    paths.sort();
    Ok(paths)
}

/// Converts a recording of an earlier run.
pub(super) fn run(arguments: &CaptureArguments, folder: &Path) -> Result<ExitCode, Failed> {
    let usage = |text: String| Failed::new(ExitCode::USAGE, text);
    if arguments.output.is_dir() {
        let output = arguments.output.display();
        return Err(usage(format!("{output} is a folder; name a file")));
    }
    let failed = |error: NoCapture| Failed::new(error.exit_code(), error);
    let is_there = journals(folder).is_ok_and(|journals| !journals.is_empty());
    if !is_there {
        return Err(failed(NoCapture::NoRecording { folder: folder.to_owned() }));
    }
    let recording = ProcessRecording::read(folder, None).map_err(failed)?;
    let included = IncludedFiles::Recording(folder.to_owned());
    write_capture(arguments, &recording, &included, None).map_err(failed)?;
    output::note(&format!("{} can be removed", folder.display()));
    Ok(ExitCode::SUCCESS)
}

/// The recording of the one process with a device.
pub(super) struct ProcessRecording {
    /// The build id of the library that the process loaded.
    pub(super) build_id: String,
    /// The recorded entries, and those that are known to be missing.
    pub(super) entries: Vec<Entry>,
}

impl ProcessRecording {
    /// Reads the recordings of a command's processes from a folder. `site` is the site that the recorder was
    /// made for.
    pub(super) fn read(folder: &Path, site: Option<&Path>) -> Result<Self, NoCapture> {
        let failed = |error| NoCapture::File { what: "listed", path: folder.to_owned(), error };
        let mut recordings = Vec::new();
        for path in journals(folder).map_err(failed)? {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            refuse_links(folder, &name).map_err(failed)?;
            recordings.push(Recording::open(&path)?);
        }
        let is_refused = |recording: &&Recording| recording.end == RecordingEnd::Refused;
        if let Some(refused) = recordings.iter().find(is_refused) {
            let build_id = refused.build_id.clone();
            return Err(match site {
                Some(site) => NoCapture::OtherLibrary { build_id, site: site.to_owned() },
                None => NoCapture::UnknownLibrary { build_id },
            });
        }
        if recordings.is_empty() {
            return Err(NoCapture::NeverLoaded);
        }
        let has_device = |recording: &Recording| {
            recording.entries.iter().any(|entry| matches!(entry.event, Event::DeviceOpened(_)))
        };
        recordings.retain(has_device);
        let processes = recordings.len();
        match recordings.pop() {
            Some(recording) if processes == 1 => {
                Ok(Self { build_id: recording.build_id.clone(), entries: with_end(recording) })
            }
            Some(_) => Err(NoCapture::SeveralProcesses { processes }),
            None => Err(ConversionError::NoDevice.into()),
        }
    }
}

/// The entries, with an entry for what the recording lost at its end.
fn with_end(recording: Recording) -> Vec<Entry> {
    let mut entries = recording.entries;
    let mut lacks = |what: String| {
        entries.push(Entry { thread: ThreadNumber(0), event: Event::Unfollowed { what } });
    };
    match recording.end {
        RecordingEnd::Stopped { error } => {
            let reason = std::io::Error::from_raw_os_error(error);
            lacks(format!(
                "everything after the recording could not be written further ({reason})"
            ));
        }
        RecordingEnd::Ended | RecordingEnd::Broken | RecordingEnd::Refused => {}
    }
    if recording.has_forked_calls {
        lacks("the calls of a process that the command forked".to_owned());
    }
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recording_is_left_behind_when_nobody_waits_for_it() {
        let beside = tempfile::tempdir().unwrap();
        let folder = RecordingFolder::new(beside.path()).unwrap();
        assert_eq!(left_behind(beside.path()), Vec::<PathBuf>::new());
        std::fs::write(folder.path().join("1.journal"), "").unwrap();
        assert_eq!(left_behind(beside.path()), Vec::<PathBuf>::new(), "somebody waits");
        let kept = folder.keep();
        assert_eq!(left_behind(beside.path()), std::slice::from_ref(&kept));
        std::fs::remove_file(kept.join("1.journal")).unwrap();
        assert_eq!(left_behind(beside.path()), Vec::<PathBuf>::new(), "nothing was recorded");
        // A folder of another name is not a recording folder.
        let other = beside.path().join("recording");
        std::fs::rename(&kept, &other).unwrap();
        std::fs::write(other.join("1.journal"), "").unwrap();
        assert_eq!(left_behind(beside.path()), Vec::<PathBuf>::new());
    }

    #[test]
    fn a_folder_without_a_recording_is_named() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("1.journal"), "no recording").unwrap();
        let read = |site| ProcessRecording::read(folder.path(), site).err().unwrap().to_string();
        assert!(read(None).contains("1.journal: the file is no recording of TT-Metalium"));
        std::fs::remove_file(folder.path().join("1.journal")).unwrap();
        assert!(read(None).contains("the command loaded no libtt_metal.so"), "{}", read(None));
    }
}
