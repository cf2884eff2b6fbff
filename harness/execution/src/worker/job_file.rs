//! A job as files in a folder of its own: what is to be done, and the bytes that it needs.

use std::collections::BTreeMap;
use std::io::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hallmark_schema::CaptureError;
use hallmark_schema::model::{Capture, ContentHash};
use serde::{Deserialize, Serialize};

use super::contract::{self, ContractError, ContractFile, FormatVersion, TEXT_LIMIT};
use super::job::Job;
use super::problem::WorkerProblem;
use crate::whole_file;

/// No data of a job is larger.
const BLOB_LIMIT: u64 = 2 << 30;

/// Bytes of a file that holds a capture or a journal; what of them is accepted is less.
pub const CAPTURE_LIMIT: u64 = 4 << 30;

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
    /// The newest format of captures that whoever reads the results knows.
    newest_format: FormatVersion,
    job: Job,
    /// Where each blob lies in the file of blobs.
    blobs: BTreeMap<ContentHash, BlobRange>,
}

/// Where a blob lies in the file of blobs: a pair in the job's file.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(from = "(u64, u64)", into = "(u64, u64)")]
struct BlobRange {
    /// Bytes before it.
    offset: u64,
    /// Bytes of it.
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
    /// What the worker is to do.
    pub job: Job,
    /// The newest format of captures that whoever reads the results knows.
    pub newest_format: FormatVersion,
    folder: PathBuf,
    blobs: BTreeMap<ContentHash, Arc<[u8]>>,
}

impl JobFile {
    /// Writes a job into its folder; gives the file that the worker is started with. `contract` is the
    /// version that its reader is to take it by; all that are spoken here have one form so far.
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
    /// It is of a contract that is not spoken here, or not what its contract says.
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

    /// A capture as a file that whoever reads the results can read.
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
