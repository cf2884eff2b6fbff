//! From a complete run to its package.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::Permissions;
use std::io::{BufWriter, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use hallmark_chip::Architecture;
use hallmark_execution::whole_file;
use hallmark_execution::worker::job_file::CAPTURE_LIMIT;
use hallmark_package::{
    Blake3, CHALLENGE, CHALLENGE_SIGNATURE, Contents, DraftError, ENVIRONMENT, EntryName,
    EntryNameError, LOCK, PROFILE, PackageDraft, Predicate, RESULTS, RUN, WriteError, json,
};
use hallmark_runtime::device_code::{BundleError, FirmwareBundle};
use hallmark_schema::CaptureError;
use hallmark_schema::model::{Capture, ContentHash};

use super::environment::Environment;
use super::lock::Lock;
use super::results::{ResultLine, RunKey};
use super::store::{CaptureStore, blob_path, capture_path};

/// The parts of a package.
#[derive(Debug)]
pub struct Assembly<'a> {
    /// The text of the profile.
    pub profile: &'a str,
    /// Its lock.
    pub lock: &'a Lock,
    /// The result of each run, with its waiver.
    pub results: &'a BTreeMap<RunKey, ResultLine>,
    /// The file of the run's log.
    pub log: &'a Path,
    /// The captures of the runs.
    pub store: &'a CaptureStore,
    /// The environment of the run.
    pub environment: &'a Environment,
    /// The folder of each architecture's firmware, if the user named one.
    pub firmware: BTreeMap<Architecture, PathBuf>,
    /// Waivers by id, with the signatures of signed ones.
    pub waivers: BTreeMap<String, SignedFile>,
    /// The challenge, if there was one.
    pub challenge: Option<SignedFile>,
}

/// A file, with the signature beside it if there is one.
#[derive(Clone, Debug)]
pub struct SignedFile {
    /// The content of the file.
    pub bytes: Vec<u8>,
    /// The content of its signature.
    pub signature: Option<Vec<u8>>,
}

/// A package that cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum AssemblyError {
    /// A file cannot be read.
    #[error("{} cannot be read: {error}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's message.
        error: std::io::Error,
    },
    /// The package cannot be written.
    #[error("{} cannot be written: {error}; once there is room, the same command goes on", path.display())]
    Write {
        /// The package.
        path: PathBuf,
        /// The system's message.
        error: std::io::Error,
    },
    /// A capture of the run is invalid.
    #[error("{} is no capture: {error}; remove the folder to begin again", path.display())]
    Capture {
        /// The file.
        path: PathBuf,
        /// The problem.
        error: Box<CaptureError>,
    },
    /// A capture refers to a blob that is not stored beside it.
    #[error("{} refers to {blob}, which is not there; remove the folder to begin again", path.display())]
    Blob {
        /// The capture.
        path: PathBuf,
        /// The missing blob.
        blob: ContentHash,
    },
    /// A file name that is invalid in a package.
    #[error("`{name}` cannot be in a package: {error}")]
    Name {
        /// The name.
        name: String,
        /// The problem.
        error: EntryNameError,
    },
    /// The firmware can no longer be used.
    #[error(transparent)]
    Firmware(#[from] BundleError),
    /// A rule of packages is broken.
    #[error(transparent)]
    Draft(#[from] DraftError),
    /// A value has no JSON form.
    #[error("{0}")]
    Json(#[from] serde_json::Error),
}

/// The name of a file of a package.
pub(super) fn entry(name: &str) -> Result<EntryName, AssemblyError> {
    EntryName::new(name).map_err(|error| AssemblyError::Name { name: name.to_owned(), error })
}

/// Writes a package to a temporary file and renames it, so that readers never see a part of it.
///
/// # Errors
/// [`AssemblyError`].
pub fn write(
    draft: PackageDraft<'_>,
    predicate: Predicate,
    path: &Path,
) -> Result<(), AssemblyError> {
    let write_error = |error| AssemblyError::Write { path: path.to_owned(), error };
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        Some(_) | None => Path::new("."),
    };
    // The same permissions as for any new file; the process's mask applies.
    let permissions = Permissions::from_mode(0o666);
    let file = tempfile::Builder::new().permissions(permissions).tempfile_in(folder);
    let file = file.map_err(write_error)?;
    let mut writer = BufWriter::new(file);
    draft.write(predicate, &mut writer).map_err(|error| match error {
        // The error should not name the temporary file.
        DraftError::Write(WriteError::Write(error)) => write_error(error.kind().into()),
        other => AssemblyError::Draft(other),
    })?;
    writer.flush().map_err(write_error)?;
    let file = writer.into_inner().map_err(|error| write_error(error.into_error()))?;
    file.as_file().sync_all().map_err(write_error)?;
    file.persist(path).map_err(|error| write_error(error.error))?;
    Ok(())
}

impl Assembly<'_> {
    /// Writes the package as [`write()`] does.
    ///
    /// # Errors
    /// [`AssemblyError`].
    pub fn write(&self, predicate: Predicate, path: &Path) -> Result<(), AssemblyError> {
        write(self.draft()?, predicate, path)
    }

    fn draft(&self) -> Result<PackageDraft<'static>, AssemblyError> {
        let mut draft = PackageDraft::new();
        let mut add = |name: EntryName, contents| draft.add(name, contents);
        add(entry(PROFILE)?, Contents::Bytes(self.profile.into()))?;
        add(entry(LOCK)?, Contents::Bytes(self.lock.to_bytes()?))?;
        add(entry(RESULTS)?, Contents::Bytes(json::write_lines(self.results.values())?))?;
        add(entry(RUN)?, Contents::File(self.log.to_owned()))?;
        add(entry(ENVIRONMENT)?, Contents::Bytes(json::write(self.environment)?))?;
        for (architecture, folder) in &self.firmware {
            // Other files in the folder do not belong to the bundle.
            let bundle = FirmwareBundle::load(folder, *architecture)?;
            for file in bundle.files() {
                let name = format!("firmware/{architecture}/{file}");
                add(entry(&name)?, Contents::File(folder.join(file)))?;
            }
        }
        for (id, SignedFile { bytes, signature }) in &self.waivers {
            let name = format!("waivers/{id}.yaml");
            add(entry(&name)?, Contents::Bytes(bytes.clone()))?;
            if let Some(signature) = signature {
                add(entry(&format!("{name}.sig"))?, Contents::Bytes(signature.clone()))?;
            }
        }
        if let Some(SignedFile { bytes, signature }) = &self.challenge {
            add(entry(CHALLENGE)?, Contents::Bytes(bytes.clone()))?;
            if let Some(signature) = signature {
                add(entry(CHALLENGE_SIGNATURE)?, Contents::Bytes(signature.clone()))?;
            }
        }
        let folder = self.store.folder();
        let mut blobs = BTreeSet::new();
        for hash in self.captures() {
            let path = folder.join(capture_path(hash));
            let bytes = whole_file::read(&path, CAPTURE_LIMIT)
                .map_err(|error| AssemblyError::Read { path: path.clone(), error })?;
            let capture = Capture::from_bytes(&bytes).map_err(|error| AssemblyError::Capture {
                path: path.clone(),
                error: error.into(),
            })?;
            for blob in self.store.kept_blobs(&capture) {
                if !folder.join(blob_path(blob)).is_file() {
                    return Err(AssemblyError::Blob { path, blob });
                }
                blobs.insert(blob);
            }
            let name = EntryName::capture(&Blake3::from_bytes(hash.0));
            add(name, Contents::File(path))?;
        }
        for hash in blobs {
            let name = EntryName::blob(&Blake3::from_bytes(hash.0));
            add(name, Contents::File(folder.join(blob_path(hash))))?;
        }
        Ok(draft)
    }

    /// The captures named by results.
    fn captures(&self) -> BTreeSet<ContentHash> {
        let results = self.results.values();
        results.flat_map(|result| [result.capture, result.replay]).flatten().collect()
    }
}
