//! Runs the captures of a package again on the subject of the package, and on nothing else.
//!
//! Firmware, kernels, workloads and the settings of the device come out of the package, and Hallmark's simulator of this
//! release runs them. What Hallmark does not bring (a simulator's library, a release of TT-Metalium, a card) the user
//! names, and it must be what the package names. No library is ever loaded out of a package.

mod agreement;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use hallmark_chip::{Architecture, HarvestingMask};
use hallmark_execution::executor::{
    Dispatch, Executor, ExecutorChoice, Executors, ProgramSettings,
};
use hallmark_execution::whole_file;
use hallmark_execution::worker::problem::{CaptureProblem, WorkerProblem};
use hallmark_package::{Package, SubjectKind, Timestamp};
use hallmark_pipeline::{Limits, ReplayOf, WorkerSettings, judge, replay_capture};
use hallmark_report::untrusted::quoted;
use hallmark_runtime::DeviceSpec;
use hallmark_runtime::device_code::temporary::TemporaryFolder;
use hallmark_runtime::device_code::{FirmwareBundle, KernelStore};
use hallmark_schema::model::{Capture, DispatchMode};
use hallmark_suite::language::DeviceKind;
use hallmark_suite::read::Choice as _;

use self::agreement::{agreement, is_of_process};
use super::environment::{DeviceEnvironment, EnvironmentError, FILES_NOT_COMPARED};
use super::replay::{Repeatable, Repeated, capture};
use super::subject::choice_of_profile;
use super::verify::{PackedSubject, Rejection};

/// Results that cannot be repeated.
#[derive(Debug, thiserror::Error)]
pub enum RepetitionError {
    /// The package does not hold the subject that it names.
    #[error(transparent)]
    Rejected(#[from] Rejection),
    /// The environment has no device for an architecture.
    #[error("environment.json names no device for {architecture}")]
    NoDevice {
        /// The architecture.
        architecture: Architecture,
    },
    /// Hallmark does not bring the subject, and nobody named it.
    #[error(
        "the package's results of {architecture} are of {device}, which Hallmark does not bring; name it with --device {architecture}={example}"
    )]
    NotNamed {
        /// The architecture.
        architecture: Architecture,
        /// The package's device.
        device: String,
        /// The form of such a device.
        example: &'static str,
    },
    /// The package does not name the build of its TT-Metalium, as those of earlier releases do not.
    #[error(
        "the package's results of {architecture} are of TT-Metalium, and it does not name the build; no installation can be shown to be its subject"
    )]
    UnknownBuild {
        /// The architecture.
        architecture: Architecture,
    },
    /// The named device or firmware is not the package's.
    #[error(
        "the package's results of {architecture} are of {packed}, and --device names {named}; only the package's subject can repeat them"
    )]
    OtherSubject {
        /// The architecture.
        architecture: Architecture,
        /// The subject of the package.
        packed: String,
        /// The subject that was named.
        named: String,
    },
    /// The package's simulator is that of another release.
    #[error(
        "the package's results of {architecture} are of the simulator of Hallmark {}, and this is Hallmark {}; repeat them with that release",
        quoted(packed), env!("CARGO_PKG_VERSION")
    )]
    OtherRelease {
        /// The architecture.
        architecture: Architecture,
        /// The package's release.
        packed: String,
    },
    /// The named executor makes a choice that belongs to the package.
    #[error("--device {executor} chooses {what}, which the package says; leave it out")]
    Chooses {
        /// The executor.
        executor: String,
        /// The choice.
        what: &'static str,
    },
    /// The named device cannot be read.
    #[error(transparent)]
    Environment(#[from] EnvironmentError),
    /// A folder or file of this machine.
    #[error("a temporary file cannot be written: {0}")]
    Machine(#[from] std::io::Error),
}

/// The inputs of a repetition besides the package.
#[derive(Debug)]
pub struct RepetitionSettings {
    /// The executors that the user names.
    pub named: Executors,
    /// The worker processes.
    pub workers: WorkerSettings,
    /// The time after which a replay is stopped.
    pub timeout: Duration,
    /// The time of the repetition.
    pub at: Timestamp,
}

/// Repeats results of a package.
#[derive(Debug)]
pub struct Repetition<'a> {
    package: &'a Package<'a>,
    executors: BTreeMap<Architecture, Executor>,
    /// Why the results of other architectures cannot be repeated here.
    without: BTreeMap<Architecture, RepetitionError>,
    subject: PackedSubject,
    workers: WorkerSettings,
    timeout: Duration,
    /// A store without a kernel: the package holds all that ran.
    kernels: Arc<KernelStore>,
    folder: TemporaryFolder,
}

impl<'a> Repetition<'a> {
    /// Prepares the package's subject for the results of some architectures. Results of a device that is not named cannot
    /// be repeated, and those of the other architectures can.
    ///
    /// # Errors
    /// [`RepetitionError`]; [`RepetitionError::NotNamed`] only if no architecture has a device.
    pub fn new(
        package: &'a Package<'a>,
        architectures: &BTreeSet<Architecture>,
        settings: RepetitionSettings,
    ) -> Result<Self, RepetitionError> {
        let RepetitionSettings { named, workers, timeout, at } = settings;
        let subject = PackedSubject::of(package, at)?;
        let folder = TemporaryFolder::new()?;
        let (mut executors, mut without) = (BTreeMap::new(), BTreeMap::new());
        for &architecture in architectures {
            let found = executor(&subject, named.chosen(architecture), architecture);
            let mut executor = match found {
                Ok(executor) => executor,
                Err(
                    error @ (RepetitionError::NotNamed { .. }
                    | RepetitionError::UnknownBuild { .. }),
                ) => {
                    without.insert(architecture, error);
                    continue;
                }
                Err(error) => return Err(error),
            };
            if subject.statement.predicate.subject.kind == SubjectKind::Firmware {
                let packed = folder.path().join(architecture.name());
                unpack(package, &subject, architecture, &packed)?;
                executor.programs.firmware = Some(packed);
            }
            executors.insert(architecture, executor);
        }
        let is_not_named =
            |error: &RepetitionError| matches!(error, RepetitionError::NotNamed { .. });
        if executors.is_empty()
            && let Some(first) = without.first_entry()
            && is_not_named(first.get())
        {
            return Err(first.remove());
        }
        let kernels = Arc::new(KernelStore::builder().only_prebuilt().build());
        Ok(Self { package, executors, without, subject, workers, timeout, kernels, folder })
    }

    /// What of the subject was not compared, in sentences: a package of an earlier release does not name it.
    pub fn not_compared(&self) -> Vec<String> {
        let devices =
            self.executors.keys().map(|it| (it, self.subject.environment.devices.get(it)));
        let unknown = devices.filter(|(_, it)| it.is_some_and(DeviceEnvironment::lacks_files));
        let sentence = |(architecture, _): (&Architecture, _)| {
            format!("the TT-Metalium of {architecture}: {FILES_NOT_COMPARED}")
        };
        unknown.map(sentence).collect()
    }

    /// Repeats a result.
    ///
    /// # Errors
    /// [`RepetitionError::Machine`].
    pub fn repeat(&self, it: &Repeatable<'_>) -> Result<Repeated, RepetitionError> {
        let differs = |what: String| Ok(Repeated::Differs(what));
        let capture = match capture(self.package, it) {
            Ok(capture) => capture,
            Err(error) => return differs(error.to_string()),
        };
        let architecture = it.result.run.test.architecture;
        if capture.program.architecture != architecture {
            return differs(format!("its capture is of {}", capture.program.architecture));
        }
        if let Some(what) = self.other_firmware(&capture, architecture) {
            return differs(what);
        }
        let Some(executor) = self.executor_of(it) else {
            let reason = self.without.get(&architecture).map(ToString::to_string);
            let reason = reason.unwrap_or_else(|| "no device was prepared for it".to_owned());
            return Ok(Repeated::Unknown(reason));
        };
        // Several runs may have one capture.
        let file = tempfile::Builder::new().suffix(".lmb").tempfile_in(self.folder.path())?;
        let bytes = match capture.to_bytes() {
            Ok(bytes) => bytes,
            Err(error) => return differs(error.to_string()),
        };
        whole_file::write_in_own_folder(file.path(), &bytes)?;
        let replay = ReplayOf {
            capture: file.path().to_owned(),
            num_command_queues: capture.program.num_command_queues,
            kernels: executor.find_kernels(&capture, &self.kernels),
            executor,
        };
        let limits = Limits { timeout: self.timeout, asked: capture.asked() };
        let executed = match replay_capture(&self.workers, replay, limits) {
            Ok(executed) => executed,
            Err(finding) => return Ok(Repeated::Unknown(finding.headline)),
        };
        match &executed.report.problem {
            Some(WorkerProblem::Refused(report)) => {
                let reasons = report.reasons.iter().map(|reason| reason.text.as_str());
                return Ok(Repeated::Unknown(reasons.collect::<Vec<_>>().join("; ")));
            }
            Some(
                problem @ (WorkerProblem::Device { .. }
                | WorkerProblem::Firmware { .. }
                | WorkerProblem::Capture { problem: CaptureProblem::Unreadable, .. }),
            ) => {
                return Ok(Repeated::Unknown(problem.to_string()));
            }
            Some(_) | None => {}
        }
        // An ordinary replay excuses both: it may be of a later release than the capture.
        if let Some(newer) = &executed.report.newer {
            return differs(newer.sentence());
        }
        if executed.report.finished_now.is_some() && !is_of_process(it.result, &capture) {
            return differs("its capture was broken off, and the replay was not".to_owned());
        }
        let finding = judge::replayed_file(&capture, &executed, self.timeout, false);
        Ok(agreement(it.result, &capture, &executed.ended.ending, finding, self.timeout))
    }

    /// The difference between the firmware of a capture and that of the package. TT-Metalium brings its own.
    fn other_firmware(&self, capture: &Capture, architecture: Architecture) -> Option<String> {
        if self.subject.statement.predicate.subject.kind == SubjectKind::Metalium {
            return None;
        }
        let packed = self.subject.firmware.get(&architecture)?.hash();
        let made_with = capture.record.as_ref().map(|record| record.firmware.hash);
        (made_with != Some(packed)).then(|| {
            let made_with = made_with.map_or_else(|| "no firmware".to_owned(), |it| it.to_string());
            format!("its capture names the firmware {made_with}, and the subject's is {packed}")
        })
    }

    /// The executor with the settings of a result's run.
    fn executor_of(&self, it: &Repeatable<'_>) -> Option<Executor> {
        let run = &it.result.run;
        let mut executor = self.executors.get(&run.test.architecture)?.clone();
        executor.programs.dispatch = match run.dispatch {
            DispatchMode::Host => Dispatch::Host,
            DispatchMode::Device => Dispatch::Device,
        };
        executor.programs.schedule_seed = run.schedule_seed;
        if let DeviceSpec::Simulator(chip) = &mut executor.device {
            chip.harvesting = HarvestingMask(run.harvesting);
        }
        Some(executor)
    }
}

/// The executor of the package's subject for an architecture, with the built-in firmware.
fn executor(
    subject: &PackedSubject,
    named: Option<&ExecutorChoice>,
    architecture: Architecture,
) -> Result<Executor, RepetitionError> {
    let packed = subject.environment.devices.get(&architecture);
    let packed = packed.ok_or(RepetitionError::NoDevice { architecture })?;
    let other = |packed: String, named: String| {
        Err(RepetitionError::OtherSubject { architecture, packed, named })
    };
    let is_simulator = packed.device == DeviceKind::Sim.name();
    let predicate = &subject.statement.predicate;
    if is_simulator && predicate.hallmark != env!("CARGO_PKG_VERSION") {
        let packed = predicate.hallmark.clone();
        return Err(RepetitionError::OtherRelease { architecture, packed });
    }
    let Some(choice) = named else {
        if is_simulator && packed.metalium.is_none() {
            return Ok(
                ExecutorChoice::simulator().executor(architecture, &ProgramSettings::default())
            );
        }
        return Err(RepetitionError::NotNamed {
            architecture,
            device: packed.to_string(),
            example: example(packed),
        });
    };
    if let Some(what) = choice_of_profile(choice) {
        return Err(RepetitionError::Chooses { executor: choice.to_string(), what });
    }
    let mut executor = choice.executor(architecture, &ProgramSettings::default());
    let found = DeviceEnvironment::of(&executor)?;
    if packed.metalium.is_some()
        && packed.metalium == found.metalium
        && packed.metalium_build.is_none()
    {
        return Err(RepetitionError::UnknownBuild { architecture });
    }
    let is_same = packed.device == found.device
        && packed.metalium == found.metalium
        && packed.metalium_build == found.metalium_build
        && (packed.metalium_files.is_none() || packed.metalium_files == found.metalium_files)
        && packed.library_hash == found.library_hash;
    if !is_same {
        return other(packed.to_string(), found.to_string());
    }
    if let (Some(folder), Some(own)) =
        (executor.programs.firmware.take(), subject.firmware.get(&architecture))
    {
        let words =
            |it: &FirmwareBundle| format!("firmware {} {}", quoted(&it.manifest().name), it.hash());
        match FirmwareBundle::load(&folder, architecture) {
            Ok(bundle) if bundle.hash() == own.hash() => {}
            Ok(bundle) => return other(words(own), words(&bundle)),
            Err(error) => return other(words(own), error.to_string()),
        }
    }
    Ok(executor)
}

/// The form in which a device of a package is named.
fn example(device: &DeviceEnvironment) -> &'static str {
    match (&device.metalium, &device.library) {
        (Some(_), _) => "metalium:SITE@ttsim:PATH",
        (None, Some(_)) => "ttsim:PATH",
        (None, None) if device.device == DeviceKind::Pci.name() => "pci:NUMBER",
        (None, None) => "DEVICE",
    }
}

/// Writes the firmware of a package into a folder.
fn unpack(
    package: &Package<'_>,
    subject: &PackedSubject,
    architecture: Architecture,
    folder: &Path,
) -> Result<(), RepetitionError> {
    std::fs::create_dir_all(folder)?;
    let Some(bundle) = subject.firmware.get(&architecture) else {
        return Err(RepetitionError::NoDevice { architecture });
    };
    for file in bundle.files() {
        let bytes = package.file(&format!("firmware/{architecture}/{file}")).unwrap_or_default();
        std::fs::write(folder.join(file), bytes)?;
    }
    Ok(())
}
