//! A job as files in a separate folder: the request, and the bytes that it needs.

use std::collections::BTreeMap;
use std::io::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hallmark_schema::model::{Capture, ContentHash};
use hallmark_schema::{CaptureError, limits};
use serde::{Deserialize, Serialize};

use super::contract::{self, ContractError, ContractFile, FormatVersion, TEXT_LIMIT};
use super::job::Job;
use super::problem::WorkerProblem;
use crate::whole_file;

/// The largest data of a job, bytes.
const BLOB_LIMIT: u64 = 2 << 30;

/// The largest file with a capture that is read, bytes: no larger one is accepted.
pub const CAPTURE_LIMIT: u64 = limits::CAPTURE_BYTES;

/// The largest file with a journal that is read, bytes.
pub const JOURNAL_LIMIT: u64 = limits::JOURNAL_BYTES;

/// The name of the journal in a job's folder.
pub const JOURNAL: &str = "journal";
/// The name of the capture in a job's folder.
pub const CAPTURE: &str = "capture.lmb";
const JOB: &str = "job.json";
const BLOBS: &str = "blobs";

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredJob {
    contract: u32,
    /// The newest capture format that the reader of the results supports.
    newest_format: FormatVersion,
    job: Job,
    /// The position of each blob in the file of blobs.
    blobs: BTreeMap<ContentHash, BlobRange>,
}

/// The position of a blob in the file of blobs: a pair in the job's file.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(from = "(u64, u64)", into = "(u64, u64)")]
struct BlobRange {
    /// The offset of its first byte.
    offset: u64,
    /// Its length in bytes.
    length: u64,
}

impl From<(u64, u64)> for BlobRange {
    fn from((offset, length): (u64, u64)) -> Self {
        Self { offset, length }
    }
}

impl From<BlobRange> for (u64, u64) {
    fn from(BlobRange { offset, length }: BlobRange) -> Self {
        (offset, length)
    }
}

/// A job as the worker sees it.
#[derive(Debug)]
pub struct JobFile {
    /// The request.
    pub job: Job,
    /// The newest capture format that the reader of the results supports.
    pub newest_format: FormatVersion,
    folder: PathBuf,
    blobs: BTreeMap<ContentHash, Arc<[u8]>>,
}

impl JobFile {
    /// Writes a job into its folder; returns the path of the file that the worker is started with. `contract`
    /// is the version for its reader; all supported versions have the same form so far.
    pub fn create(
        folder: &Path,
        job: Job,
        contents: &BTreeMap<ContentHash, Arc<[u8]>>,
        contract: u32,
    ) -> Result<PathBuf, Error> {
        let mut blobs = BTreeMap::new();
        let mut bytes = Vec::new();
        for (hash, content) in contents {
            let offset = u64::try_from(bytes.len()).map_err(Error::other)?;
            let length = u64::try_from(content.len()).map_err(Error::other)?;
            blobs.insert(*hash, BlobRange { offset, length });
            bytes.extend_from_slice(content);
        }
        std::fs::write(folder.join(BLOBS), bytes)?;
        let path = folder.join(JOB);
        let newest_format = FormatVersion::HERE;
        let stored = StoredJob { contract, newest_format, job, blobs };
        std::fs::write(&path, serde_json::to_vec(&stored)?)?;
        Ok(path)
    }

    /// Reads a job.
    ///
    /// # Errors
    /// The file has an unsupported contract, or does not follow its contract.
    pub fn open(path: &Path) -> Result<Self, ContractError> {
        let file = ContractFile::Job;
        let unreadable =
            |error: Error| ContractError::Unreadable { file, reason: error.to_string() };
        let folder = path.parent().unwrap_or(Path::new(".")).to_owned();
        let text = whole_file::read(path, TEXT_LIMIT).map_err(unreadable)?;
        let StoredJob { contract, newest_format, job, blobs: places } =
            contract::parse(file, &text)?;
        let bytes = whole_file::read(&folder.join(BLOBS), BLOB_LIMIT).map_err(unreadable)?;
        let mut blobs = BTreeMap::new();
        for (hash, BlobRange { offset, length }) in places {
            let range = usize::try_from(offset)
                .ok()
                .zip(usize::try_from(offset.saturating_add(length)).ok())
                .and_then(|(start, end)| bytes.get(start..end))
                .ok_or_else(|| ContractError::Malformed {
                    file,
                    version: contract,
                    reason: format!("blob {hash} lies outside of its file"),
                })?;
            blobs.insert(hash, range.into());
        }
        Ok(Self { job, newest_format, folder, blobs })
    }

    /// A capture as a file for the reader of the results.
    pub(super) fn capture_bytes(&self, capture: &Capture) -> Result<Vec<u8>, CaptureError> {
        capture.to_bytes_for(self.newest_format.minor)
    }

    /// The job's folder.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// A file in the job's folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// The bytes with this hash.
    pub fn blob(&self, hash: ContentHash) -> Result<Arc<[u8]>, WorkerProblem> {
        self.blobs
            .get(&hash)
            .cloned()
            .ok_or_else(|| WorkerProblem::internal(format!("the job lacks blob {hash}")))
    }
}
