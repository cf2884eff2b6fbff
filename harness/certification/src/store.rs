//! Captures and the bytes that they refer to, each kept once under its hash, as a package holds them.

use std::collections::BTreeSet;
use std::io::Error;
use std::path::{Path, PathBuf};

use hallmark_schema::CaptureError;
use hallmark_schema::model::{Blobs, Capture, ContentHash};

use hallmark_execution::whole_file;

/// The folder of captures.
const CAPTURES: &str = "captures";
/// The folder of what captures refer to: data, sources, ELFs.
const BLOBS: &str = "blobs";

/// A folder with captures and their blobs.
#[derive(Clone, Debug)]
pub struct CaptureStore {
    folder: PathBuf,
}

/// A capture that cannot be kept.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A file cannot be written.
    #[error("{} cannot be written: {error}; once there is room, the same command goes on", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The system's text.
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
    /// A store below a folder; nothing is made until there is something to keep.
    pub const fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// Keeps a capture without its blobs, and its blobs beside it; gives the hash under which the capture is kept.
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

    /// What a capture without its blobs needs and what its reads returned, as far as that is kept: everything that its
    /// expectations and its programs are made of.
    pub fn kept_blobs(&self, capture: &Capture) -> BTreeSet<ContentHash> {
        let mut blobs: BTreeSet<ContentHash> = capture.missing_blobs().into_iter().collect();
        let records = || capture.record.iter();
        let read = records().flat_map(|record| &record.reads).map(|read| read.hash);
        let collected = records().flat_map(|record| &record.collected).map(|trace| trace.hash);
        // What a generator makes is not kept.
        let is_kept = |hash: &ContentHash| self.folder.join(blob_path(*hash)).is_file();
        blobs.extend(read.chain(collected).filter(is_kept));
        blobs
    }

    fn write(&self, path: &str, bytes: &[u8]) -> Result<(), StoreError> {
        let path = self.folder.join(path);
        // Its name says what a file holds, but for one that the machine lost at a power cut.
        let length = u64::try_from(bytes.len()).ok();
        if std::fs::metadata(&path).is_ok_and(|about| Some(about.len()) == length) {
            return Ok(());
        }
        // The file beside it, of which the error may tell, has a name that says nothing to anybody.
        let write = whole_file::write(&path, bytes);
        write.map_err(|error| StoreError::Write { path, error: error.kind().into() })
    }

    /// The folder of the store.
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}
