//! Captures and their blobs, each stored once under its hash, as in a package.

use std::collections::BTreeSet;
use std::io::Error;
use std::path::{Path, PathBuf};

use hallmark_package::Package;
use hallmark_schema::CaptureError;
use hallmark_schema::model::{Blobs, Capture, ContentHash};

use hallmark_execution::whole_file;

/// The folder of captures.
const CAPTURES: &str = "captures";
/// The folder of blobs: data, sources, ELFs.
const BLOBS: &str = "blobs";

/// A folder with captures and their blobs.
#[derive(Clone, Debug)]
pub struct CaptureStore {
    folder: PathBuf,
}

/// A capture that cannot be stored.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A file cannot be written.
    #[error("{} cannot be written: {error}; once there is room, the same command goes on", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The system's message.
        error: Error,
    },
    /// The capture breaks a rule of the format.
    #[error("the capture cannot be written: {0}")]
    Capture(#[from] CaptureError),
}

/// The path of a capture within a package.
pub fn capture_path(hash: ContentHash) -> String {
    let text = hash.to_string();
    format!("{CAPTURES}/{}/{text}.lmb", text.get(..2).unwrap_or_default())
}

/// The path of a blob within a package.
pub fn blob_path(hash: ContentHash) -> String {
    let text = hash.to_string();
    format!("{BLOBS}/{}/{text}", text.get(..2).unwrap_or_default())
}

impl CaptureStore {
    /// A store below a folder; the folder is created on first use.
    pub const fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// Stores a capture without its blobs, and its blobs beside it; returns the hash of the stored capture.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn add(&self, capture: &Capture) -> Result<ContentHash, StoreError> {
        for (hash, bytes) in &capture.blobs {
            self.write(&blob_path(*hash), bytes)?;
        }
        let alone = Capture { blobs: Blobs::new(), ..capture.clone() };
        let bytes = alone.to_bytes()?;
        let hash = ContentHash::of(&bytes);
        self.write(&capture_path(hash), &bytes)?;
        Ok(hash)
    }

    /// The stored blobs that a capture refers to, or that its reads returned: everything that its expectations
    /// and programs consist of.
    pub fn kept_blobs(&self, capture: &Capture) -> BTreeSet<ContentHash> {
        let mut blobs: BTreeSet<ContentHash> = capture.missing_blobs().into_iter().collect();
        let records = || capture.record.iter();
        let read = records().flat_map(|record| &record.reads).map(|read| read.hash);
        let collected = records().flat_map(|record| &record.collected).map(|trace| trace.hash);
        // Generated data are not stored.
        let is_kept = |hash: &ContentHash| self.folder.join(blob_path(*hash)).is_file();
        blobs.extend(read.chain(collected).filter(is_kept));
        blobs
    }

    fn write(&self, path: &str, bytes: &[u8]) -> Result<(), StoreError> {
        let path = self.folder.join(path);
        // The name determines the content, except for a file that was lost at a power cut.
        let length = u64::try_from(bytes.len()).ok();
        if std::fs::metadata(&path).is_ok_and(|about| Some(about.len()) == length) {
            return Ok(());
        }
        // The error should not name the temporary file.
        let write = whole_file::write(&path, bytes);
        write.map_err(|error| StoreError::Write { path, error: error.kind().into() })
    }

    /// Adds the captures and blobs of a package.
    ///
    /// # Errors
    /// [`StoreError::Write`].
    pub fn add_all_of(&self, package: &Package<'_>) -> Result<(), StoreError> {
        let is_stored = |name: &str| {
            [CAPTURES, BLOBS]
                .iter()
                .any(|folder| name.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/')))
        };
        for (name, bytes) in package.files().filter(|(name, _)| is_stored(name.as_str())) {
            self.write(name.as_str(), bytes)?;
        }
        Ok(())
    }

    /// The folder of the store.
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}
