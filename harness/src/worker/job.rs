//! What a worker is given and what it gives back: files in a folder of its own.

use std::collections::BTreeMap;
use std::io::{Error, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hallmark_runtime::devices::DeviceSpec;
use hallmark_runtime::{DispatchSettings, Stop};
use hallmark_schema::CaptureError;
use hallmark_schema::model::{Capture, ContentHash, DispatchMode};
use serde::{Deserialize, Serialize};

use super::contract::{self, CONTRACT, ContractError, ContractFile, FormatVersion};
use super::mock::MockJob;
use super::plan::Plan;
use super::problem::WorkerProblem;
use crate::suite::bound::BoundCase;
use crate::whole_file;

/// No job or report is larger.
const TEXT_LIMIT: u64 = 256 << 20;
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
const REPORT: &str = "report.json";

/// What a worker does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Job {
    /// Performs a test's calls under the recorder.
    Capture(CaptureJob),
    /// Performs a capture's calls again.
    Replay(ReplayJob),
    /// Says whether it could, and runs nothing.
    Assess(ReplayJob),
    /// Makes a test's calls on a simulator without running anything, to see where everything would lie.
    Plan(CaptureJob),
    /// Misbehaves, so that the parent can be tested.
    Mock(MockJob),
}

impl Job {
    /// On which device, if on one.
    pub const fn device(&self) -> Option<&DeviceJob> {
        match self {
            Self::Capture(CaptureJob { device, .. })
            | Self::Replay(ReplayJob { device, .. })
            | Self::Assess(ReplayJob { device, .. })
            | Self::Plan(CaptureJob { device, .. }) => Some(device),
            Self::Mock(_) => None,
        }
    }
}

/// Which device, and what runs on it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeviceJob {
    /// The device, as users write it; a path is absolute.
    pub device: String,
    /// The architecture's name.
    pub architecture: String,
    /// A firmware bundle's folder, absolute; the built-in one otherwise.
    pub firmware: Option<PathBuf>,
    /// Chooses orders that the hardware leaves open.
    pub schedule_seed: u64,
    /// Who launches programs.
    pub dispatch: DispatchMode,
    /// What a test asks of it.
    pub asked: DeviceRequirements,
    /// Through what the vendor's runtime drives it, if it does. For workers of the same build alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metalium: Option<MetaliumJob>,
}

/// TT-Metalium, made ready for a worker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MetaliumJob {
    /// The C++ library with the C interface, absolute.
    pub interface: PathBuf,
    /// Its release.
    pub release: String,
    /// The GNU build id of the vendor's library.
    pub build_id: String,
    /// What the worker's environment must hold.
    pub environment: BTreeMap<String, String>,
}

/// What a test asks of a device beyond what captures hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeviceRequirements {
    /// Ticks that one enqueued program may take, if not the runtime's default.
    pub budget: Option<u64>,
    /// Sizes and counts of dispatch on the device.
    pub dispatch: DispatchSettings,
}

impl DeviceJob {
    /// Who launches programs in the end: a test may ask for dispatchers.
    pub const fn launched_by(&self) -> DispatchMode {
        if self.asked.dispatch.overlap { DispatchMode::Device } else { self.dispatch }
    }

    /// What the worker's environment must hold for the device: a simulator's library that has several
    /// chips in it is told there which one to be.
    pub fn environment(&self) -> BTreeMap<String, String> {
        let mut environment =
            self.metalium.as_ref().map(|it| it.environment.clone()).unwrap_or_default();
        match self.device.parse() {
            Ok(DeviceSpec::Ttsim(_)) => {
                environment.insert("HALLMARK_SIM_ARCH".to_owned(), self.architecture.clone());
            }
            Ok(
                DeviceSpec::Simulator(_)
                | DeviceSpec::Pci(_)
                | DeviceSpec::SimulatedCard(_)
                | DeviceSpec::Misbehaving(_),
            )
            | Err(_) => {}
        }
        environment
    }
}

/// A test to capture.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CaptureJob {
    /// The device that the calls are made on.
    pub device: DeviceJob,
    /// The test's calls, with what must come of each.
    pub case: BoundCase,
    /// What its kernels are, by kernel id.
    pub kernels: BTreeMap<u32, JobKernel>,
    /// Whether to write down what buffers hold, beside the capture.
    pub memory: bool,
}

/// A capture to replay.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReplayJob {
    /// The device that the calls are made on.
    pub device: DeviceJob,
    /// The capture's file, absolute.
    pub capture: PathBuf,
    /// Its kernels for the device's architecture, by kernel id, where that is not the capture's.
    pub kernels: BTreeMap<u32, JobKernel>,
}

/// A kernel, or why there is none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum JobKernel {
    /// Sources by path and ELFs by the processor's index; the bytes are blobs.
    Ready {
        /// Its source and what that includes.
        sources: Vec<JobSource>,
        /// One ELF for each processor that it runs on.
        elfs: Vec<JobElf>,
        /// Their line tables, for workers that know the format up to 1.1.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        lines: Vec<JobLineTable>,
    },
    /// Its source is not there: the text says which file.
    SourceNotFound(String),
    /// It cannot be built: the text is the compiler's.
    BuildFailed(String),
    /// It is not available here, for want of a compiler for example.
    Unusable(String),
}

/// A source of a kernel: a pair in the job's file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "(String, ContentHash)", into = "(String, ContentHash)")]
pub struct JobSource {
    /// Its path relative to the suites, with `/`.
    pub path: String,
    /// The hash of its bytes, which are a blob of the job.
    pub hash: ContentHash,
}

impl From<(String, ContentHash)> for JobSource {
    fn from((path, hash): (String, ContentHash)) -> Self {
        Self { path, hash }
    }
}

impl From<JobSource> for (String, ContentHash) {
    fn from(JobSource { path, hash }: JobSource) -> Self {
        (path, hash)
    }
}

/// The line table of a kernel for one processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JobLineTable {
    /// The processor's index in [`hallmark_chip::Processor::ALL`].
    pub processor: u8,
    /// The hash of the encoded table, which is a blob of the job.
    pub hash: ContentHash,
}

/// The ELF of a kernel for one processor: a pair in the job's file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "(u8, ContentHash)", into = "(u8, ContentHash)")]
pub struct JobElf {
    /// The processor's index in [`hallmark_chip::Processor::ALL`].
    pub processor: u8,
    /// The hash of the ELF, which is a blob of the job.
    pub hash: ContentHash,
}

impl From<(u8, ContentHash)> for JobElf {
    fn from((processor, hash): (u8, ContentHash)) -> Self {
        Self { processor, hash }
    }
}

impl From<JobElf> for (u8, ContentHash) {
    fn from(JobElf { processor, hash }: JobElf) -> Self {
        (processor, hash)
    }
}

/// What a worker gives back.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WorkerReport {
    /// Why it could not do its job.
    pub problem: Option<WorkerProblem>,
    /// What the call said that failed last, and what to do about it.
    pub failed_call: Option<FailedCall>,
    /// Why the device can no longer be used, if it cannot.
    pub stop: Option<Box<Stop>>,
    /// What a replay found to be different, a line each.
    pub differences: Vec<String>,
    /// Differences of the class *derived*: addresses, ELFs.
    pub derived_differences: Vec<String>,
    /// What came of a last command that the capture leaves unfinished.
    pub finished_now: Option<String>,
    /// Where everything would lie.
    #[serde(default)]
    pub plan: Option<Box<Plan>>,
    /// Whether a capture can be replayed on the device, of a replay or an assessment.
    #[serde(default)]
    pub portability: Option<Box<PortabilityReport>>,
}

/// Whether a capture can be replayed on a device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PortabilityReport {
    /// The device, as it names itself.
    pub device: String,
    /// Whether everything lies where it lay, some things lie elsewhere, or it cannot be done.
    pub verdict: PortabilityVerdict,
    /// What would lie elsewhere.
    pub moved: Vec<PortabilityLine>,
    /// Why it cannot be done.
    pub reasons: Vec<PortabilityLine>,
}

/// Whether a capture can be replayed on a device, in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PortabilityVerdict {
    /// Everything lies where it lay.
    Exact,
    /// Some things lie elsewhere.
    Adapted,
    /// The capture cannot be replayed on the device.
    Refused,
}

/// Something that lies elsewhere, or a reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PortabilityLine {
    /// What kind of thing or reason.
    pub kind: String,
    /// The call that a reason is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<u32>,
    /// The same as a sentence.
    pub text: String,
}

/// A call that failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FailedCall {
    /// Its place among the calls.
    pub command: u32,
    /// The text of the error.
    pub text: String,
    /// What to do about it.
    pub remedy: String,
    /// Facts that no capture holds, such as addresses.
    #[serde(default)]
    pub detail: Option<String>,
}

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

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredReport {
    contract: u32,
    report: WorkerReport,
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

/// Writes the report into a job's folder.
///
/// # Errors
/// The file cannot be written.
pub fn write_report(folder: &Path, report: &WorkerReport) -> Result<(), Error> {
    let stored = StoredReport { contract: CONTRACT, report: report.clone() };
    whole_file::write_in_own_folder(&folder.join(REPORT), &serde_json::to_vec(&stored)?)
}

/// The report in a job's folder, if the worker came to write one.
///
/// # Errors
/// It is of a contract that is not spoken here, or not what its contract says.
pub fn read_report(folder: &Path) -> Result<Option<WorkerReport>, ContractError> {
    let file = ContractFile::Report;
    match whole_file::read(&folder.join(REPORT), TEXT_LIMIT) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(ContractError::Unreadable { file, reason: error.to_string() }),
        Ok(bytes) => {
            let StoredReport { report, .. } = contract::parse(file, &bytes)?;
            Ok(Some(report))
        }
    }
}
