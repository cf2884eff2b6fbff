//! Resolves a conformance profile to its lock: each demanded test, with everything that determines it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hallmark_chip::{Architecture, ChipDescription, HarvestingMask};
use hallmark_execution::applicability::skip_reason_requiring;
use hallmark_execution::whole_file;
use hallmark_execution::worker::job_file::CAPTURE_LIMIT;
use hallmark_pipeline::captured_test::CapturedTest;
use hallmark_pipeline::golden::{self, StoredGolden};
use hallmark_runtime::DeviceSpec;
use hallmark_runtime::device_code::refuse_links;
use hallmark_runtime::devices::{LibraryChip, SimulatedChip};
use hallmark_schema::model::{Capture, Command, ContentHash, Generator, Tolerance};
use hallmark_schema::{CaptureError, commands, program_hash};
use hallmark_suite::bind::DEFAULT_TIMEOUT_SECONDS;
use hallmark_suite::bound::{BoundCase, BoundTest};
use hallmark_suite::discover::{Root, SelectedTest};
use hallmark_suite::language::DeviceKind;
use hallmark_suite::mistake::SuiteMistakes;
use hallmark_suite::name::TestName;
use hallmark_suite::read::is_name;
use serde::Serialize;

use super::lock::{LockedKernels, LockedProfile, LockedSkip, LockedSource, LockedTest};

/// A shift of seeds for testing whether expectations follow the data.
const ANY_SHIFT: u64 = u64::MAX;

/// The group in the names of captured workloads.
const WORKLOADS: &str = "captures";

/// A demanded test, with the source of its calls.
#[derive(Clone, Debug)]
pub struct DemandedTest {
    /// Its line in the lock.
    pub locked: LockedTest,
    /// The source of its calls.
    pub origin: TestOrigin,
}

/// The source of a test's calls.
#[derive(Clone, Debug)]
pub enum TestOrigin {
    /// A test of a suite.
    Suite(Box<SelectedTest>),
    /// A captured workload.
    Capture(Arc<CapturedTest>),
}

/// A profile that cannot be resolved.
#[derive(Debug, thiserror::Error)]
pub enum ResolutionError {
    /// A suite is invalid.
    #[error(transparent)]
    Mistakes(#[from] SuiteMistakes),
    /// A test has no golden.
    #[error(
        "{test} has no golden, so nothing says what it must produce; accept one with hallmark bless {test}"
    )]
    NoGolden {
        /// The test.
        test: Box<TestName>,
    },
    /// A golden that cannot be used.
    #[error(
        "the golden of {test} cannot be used: {problem}; restore it from version control, or bless the test again"
    )]
    Golden {
        /// The test.
        test: Box<TestName>,
        /// The problem.
        problem: String,
    },
    /// A file cannot be read.
    #[error("{} cannot be read: {error}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The system's message.
        error: std::io::Error,
    },
    /// A workload that is not a capture.
    #[error("{} is no capture that can be used: {error}", path.display())]
    Capture {
        /// The file.
        path: PathBuf,
        /// The problem.
        error: Box<CaptureError>,
    },
    /// The name of a workload's file is invalid in a test's name.
    #[error("{} has a name that no test can have; use letters, digits and _ . + -", path.display())]
    WorkloadName {
        /// The file.
        path: PathBuf,
    },
    /// The profile has no device for a workload's architecture.
    #[error("{} is a capture of {architecture}, for which the profile names no device; add an entry to `devices`", path.display())]
    WorkloadArchitecture {
        /// The file.
        path: PathBuf,
        /// The architecture of the capture.
        architecture: Architecture,
    },
    /// A workload is a binary.
    #[error("{} is a binary, whose inputs are free; name a capture of its submission", path.display())]
    WorkloadBinary {
        /// The file.
        path: PathBuf,
    },
    /// Two files with the same workload.
    #[error("{} holds the same capture as another file of the same name; name it once", path)]
    WorkloadTwice {
        /// One of the files.
        path: String,
    },
    /// A value has no JSON form.
    #[error("{0}")]
    Json(#[from] serde_json::Error),
}

/// The data that the hash of a bound case covers.
#[derive(Serialize)]
struct HashedCase<'a> {
    case: &'a BoundCase,
    outputs: Vec<HashedOutput<'a>>,
}

#[derive(Serialize)]
struct HashedOutput<'a> {
    output: &'a str,
    command: u32,
    hash: Option<ContentHash>,
    tolerance: Option<&'a Tolerance>,
}

/// The hash of a test's calls and expectations.
///
/// # Errors
/// A bound test never causes one.
pub fn case_hash(bound: &BoundTest) -> Result<ContentHash, serde_json::Error> {
    let outputs = bound.outputs.iter().map(|expected| HashedOutput {
        output: &expected.output,
        command: expected.command,
        hash: expected.hash,
        tolerance: expected.tolerance.as_ref(),
    });
    let hashed = HashedCase { case: &bound.case, outputs: outputs.collect() };
    Ok(ContentHash::of(&serde_json::to_vec(&hashed)?))
}

/// Whether a test writes generated data with seeds.
fn writes_seeded_data(bound: &BoundTest) -> bool {
    bound.case.steps.iter().any(|step| match &step.command {
        Command::EnqueueWriteBuffer(commands::EnqueueWriteBuffer { data, .. }) => {
            matches!(
                data.generator,
                Some(
                    Generator::Uniform { .. }
                        | Generator::UniformBetween { .. }
                        | Generator::Normal { .. }
                )
            )
        }
        _ => false,
    })
}

/// Whether a challenge changes the data that a test writes, and the model follows. A test whose suite states
/// the expected words needs its own data.
fn is_seeded(test: &SelectedTest, bound: &BoundTest) -> Result<bool, SuiteMistakes> {
    let hashes = |bound: &BoundTest| -> Vec<ContentHash> {
        bound.outputs.iter().filter_map(|expected| expected.hash).collect()
    };
    let expected = hashes(bound);
    if !writes_seeded_data(bound) || expected.is_empty() {
        return Ok(writes_seeded_data(bound));
    }
    let chip = ChipDescription::of(test.name.architecture);
    Ok(hashes(&test.bind_shifted(chip, ANY_SHIFT)?) != expected)
}

/// A device of a kind, for deciding which tests apply to it. No device is opened.
fn stand_in(kind: DeviceKind, architecture: Architecture, harvesting: u32) -> DeviceSpec {
    match kind {
        DeviceKind::Sim => DeviceSpec::Simulator(SimulatedChip {
            architecture,
            harvesting: HarvestingMask(harvesting),
        }),
        DeviceKind::Ttsim => DeviceSpec::Ttsim(LibraryChip::from(PathBuf::new())),
        DeviceKind::Pci => DeviceSpec::Pci(0),
    }
}

/// The devices on which a suite's test is skipped.
fn skips(profile: &LockedProfile, test: &SelectedTest) -> Vec<LockedSkip> {
    let architecture = test.name.architecture;
    let mut skips = Vec::new();
    for device in profile.devices.iter().filter(|it| it.architecture == architecture) {
        for &kind in &device.kinds {
            for &harvesting in device.masks(kind) {
                let spec = stand_in(kind, architecture, harvesting);
                let reason = skip_reason_requiring(&spec, architecture, test, &profile.requires);
                skips.extend(reason.map(|reason| LockedSkip { device: kind, harvesting, reason }));
            }
        }
    }
    skips.sort();
    skips
}

/// Whether a test is skipped on every device of a profile.
fn runs_nowhere(profile: &LockedProfile, architecture: Architecture, skips: &[LockedSkip]) -> bool {
    let devices = profile.devices.iter().filter(|device| device.architecture == architecture);
    let mut places = devices.flat_map(|device| {
        let kinds = device.kinds.iter();
        kinds.flat_map(|&kind| device.masks(kind).iter().map(move |&mask| (kind, mask)))
    });
    places.all(|(kind, mask)| skips.iter().any(|it| it.device == kind && it.harvesting == mask))
}

/// A test of a suite, as the profile demands it.
///
/// # Errors
/// Its suite is invalid, or it has no golden.
pub fn of_suite(
    root: &Root,
    profile: &LockedProfile,
    test: &SelectedTest,
) -> Result<DemandedTest, ResolutionError> {
    let name = &test.name;
    let golden_error =
        |problem: String| ResolutionError::Golden { test: name.clone().into(), problem };
    let skips = skips(profile, test);
    let runs_nowhere = runs_nowhere(profile, name.architecture, &skips);
    let bound = if runs_nowhere { None } else { Some(test.bind()?) };
    let seeded = bound.as_ref().map(|bound| is_seeded(test, bound)).transpose()?;
    let program = match golden::read(root, name) {
        StoredGolden::Present(golden) => {
            let hash = golden.program_hash();
            Some(hash.map_err(|error| golden_error(error.to_string()))?)
        }
        StoredGolden::Absent if runs_nowhere => None,
        StoredGolden::Absent => {
            return Err(ResolutionError::NoGolden { test: name.clone().into() });
        }
        StoredGolden::Unreadable(problem) => return Err(golden_error(problem)),
    };
    let locked = LockedTest {
        test: name.clone(),
        source: LockedSource::Suite { hash: test.suite().contents_hash() },
        case: bound.as_ref().map(case_hash).transpose()?,
        program,
        seeded: seeded.unwrap_or(false),
        skips,
    };
    Ok(DemandedTest { locked, origin: TestOrigin::Suite(test.clone().into()) })
}

/// A captured workload, as the profile demands it; `path` is relative to the profile's `folder`.
///
/// # Errors
/// The file is not a capture, or the profile cannot demand it.
pub fn of_capture(
    profile: &LockedProfile,
    folder: &Path,
    path: &Path,
) -> Result<DemandedTest, ResolutionError> {
    let owned = || path.to_owned();
    let file = folder.join(path);
    let bytes = refuse_links(folder, &path.to_string_lossy())
        .and_then(|()| whole_file::read(&file, CAPTURE_LIMIT))
        .map_err(|error| ResolutionError::File { path: owned(), error })?;
    let hash = ContentHash::of(&bytes);
    let unusable =
        |error: CaptureError| ResolutionError::Capture { path: owned(), error: error.into() };
    let capture = Capture::open(&bytes.into()).map_err(unusable)?;
    let architecture = capture.program.architecture;
    if !profile.devices.iter().any(|device| device.architecture == architecture) {
        return Err(ResolutionError::WorkloadArchitecture { path: owned(), architecture });
    }
    if capture.program.is_binary() {
        return Err(ResolutionError::WorkloadBinary { path: owned() });
    }
    let stem = path.file_stem().and_then(|stem| stem.to_str()).filter(|stem| is_name(stem));
    let Some(stem) = stem else { return Err(ResolutionError::WorkloadName { path: owned() }) };
    let program = program_hash(&capture.program).map_err(unusable)?;
    let name = TestName {
        architecture,
        group: WORKLOADS.to_owned(),
        suite: stem.to_owned(),
        case: hash.short(),
        parameters: Vec::new(),
    };
    let timeout = Duration::from_secs(DEFAULT_TIMEOUT_SECONDS);
    let captured = CapturedTest::new(path, capture, timeout);
    let locked = LockedTest {
        test: name,
        source: LockedSource::Capture { path: path.display().to_string(), hash },
        case: Some(case_hash(&captured.bound)?),
        program: Some(program),
        // A workload's expectations were captured and not computed, so they do not apply to other data.
        seeded: false,
        skips: Vec::new(),
    };
    Ok(DemandedTest { locked, origin: TestOrigin::Capture(Arc::new(captured)) })
}

/// The prebuilt kernels of the profile's architectures, as far as they exist.
///
/// # Errors
/// A lock file of kernels cannot be read.
pub fn kernels(
    root: &Root,
    profile: &LockedProfile,
) -> Result<Vec<LockedKernels>, ResolutionError> {
    let mut kernels = Vec::new();
    for device in &profile.devices {
        let architecture = device.architecture;
        let path = root.suites().join(format!("kernels/prebuilt/{architecture}.lock"));
        match std::fs::read(&path) {
            Ok(bytes) => {
                kernels.push(LockedKernels { architecture, lock: ContentHash::of(&bytes) });
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => return Err(ResolutionError::File { path, error }),
        }
    }
    Ok(kernels)
}
