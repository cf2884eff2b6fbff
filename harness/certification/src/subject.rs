//! The subject of a certification, derived from the executors of a command.

use std::collections::{BTreeMap, BTreeSet};

use hallmark_chip::Architecture;
use hallmark_execution::devices;
use hallmark_execution::executor::{Executor, ExecutorChoice, Release};
use hallmark_package::json;
use hallmark_pipeline::WorkerSettings;
use hallmark_runtime::DeviceSpec;
use hallmark_runtime::device_code::{BundleError, FirmwareBundle};
use hallmark_schema::model::ContentHash;
use hallmark_suite::language::DeviceKind;
use hallmark_suite::read::Choice as _;

use super::environment::{DeviceEnvironment, EnvironmentError};
use super::lock::{Lock, SubjectKind};
use super::waivers::{FirmwareHashes, known_firmware};

/// The subject of a certification, and its devices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    /// The kind of subject.
    pub kind: SubjectKind,
    /// Its name for people, with its version if known.
    pub name: String,
    /// The hash of its file or bundle, if it has exactly one.
    pub hash: Option<ContentHash>,
    /// The kind of each architecture's device.
    pub devices: BTreeMap<Architecture, DeviceKind>,
    /// The hash of each architecture's part of it: its device and its firmware.
    pub parts: BTreeMap<Architecture, ContentHash>,
    /// The hash of each architecture's firmware, as in records, if it is Hallmark's own or was named by the
    /// user.
    pub firmware: FirmwareHashes,
}

/// Executors that are not a valid subject of a profile.
#[derive(Debug, thiserror::Error)]
pub enum SubjectError {
    /// The subjects of two architectures are of different kinds.
    #[error(
        "{one} runs on a subject of kind {}, and {other} on one of kind {}; a package is of one subject, so name a device for each with --device",
        one_kind.name(), other_kind.name()
    )]
    Mixed {
        /// An architecture.
        one: Architecture,
        /// The kind of its subject.
        one_kind: SubjectKind,
        /// Another architecture.
        other: Architecture,
        /// The kind of the other subject.
        other_kind: SubjectKind,
    },
    /// The profile does not permit this kind of subject.
    #[error("the conformance profile `{profile}` is for {}, and the subject is of kind {}", words(admitted), kind.name())]
    NotAdmitted {
        /// The profile's name.
        profile: String,
        /// The permitted kinds.
        admitted: Vec<SubjectKind>,
        /// The kind of the subject.
        kind: SubjectKind,
    },
    /// The firmware cannot be used.
    #[error(
        "{architecture} cannot be tested: {error}; where a profile demands several architectures, each has its bundle: \
         --device '{architecture}=sim firmware=FOLDER'"
    )]
    Firmware {
        /// The architecture.
        architecture: Architecture,
        /// The problem of the firmware.
        error: BundleError,
    },
    /// The named firmware is the built-in one.
    #[error(
        "the firmware for {architecture} is the built-in one, and only a vendor's firmware can be certified; leave --firmware out to certify the device"
    )]
    BuiltIn {
        /// The architecture.
        architecture: Architecture,
    },
    /// The environment of the tests cannot be determined.
    #[error(transparent)]
    Environment(#[from] EnvironmentError),
    /// The profile demands no architecture.
    #[error("the conformance profile demands no architecture")]
    NoArchitecture,
    /// An executor makes a choice that belongs to the profile.
    #[error("--device {executor} chooses {what}, which the conformance profile says; leave it out")]
    Chooses {
        /// The executor.
        executor: String,
        /// The choice.
        what: &'static str,
    },
}

fn words(kinds: &[SubjectKind]) -> String {
    kinds.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", ")
}

impl Subject {
    /// The subject formed by the executors of a lock's architectures.
    ///
    /// # Errors
    /// [`SubjectError`].
    pub fn of(workers: &WorkerSettings, lock: &Lock) -> Result<Self, SubjectError> {
        let mut found: Option<(Architecture, SubjectKind)> = None;
        let mut tested = Vec::new();
        let mut kinds = BTreeMap::new();
        let mut firmware = FirmwareHashes::new();
        let mut parts = BTreeMap::new();
        for architecture in lock.architectures() {
            if let Some(choice) = workers.executors.chosen(architecture)
                && let Some(what) = choice_of_profile(choice)
            {
                return Err(SubjectError::Chooses { executor: choice.to_string(), what });
            }
            let executor = workers.executor(architecture);
            let kind = kind_of(&executor);
            match found {
                Some((one, one_kind)) if one_kind != kind => {
                    let (other, other_kind) = (architecture, kind);
                    return Err(SubjectError::Mixed { one, one_kind, other, other_kind });
                }
                Some(_) => {}
                None => found = Some((architecture, kind)),
            }
            let firmware_error = |error| SubjectError::Firmware { architecture, error };
            let bundle = firmware_of(&executor).map_err(firmware_error)?;
            let hash = bundle.as_ref().map(FirmwareBundle::hash);
            if kind == SubjectKind::Firmware {
                let builtin = FirmwareBundle::builtin(architecture).map_err(firmware_error)?;
                if bundle.as_ref().is_some_and(|bundle| bundle.has_images_of(&builtin)) {
                    return Err(SubjectError::BuiltIn { architecture });
                }
            }
            kinds.insert(architecture, devices::kind(&executor.device));
            firmware.extend(hash.map(|hash| (architecture, hash)));
            let device = DeviceEnvironment::of(&executor)?;
            parts.insert(architecture, part_hash(kind, &device, bundle.as_ref()));
            tested.push((device, bundle));
        }
        let (_, kind) = found.ok_or(SubjectError::NoArchitecture)?;
        let admitted = &lock.profile.subjects;
        if !admitted.contains(&kind) {
            let (profile, admitted) = (lock.profile.name.clone(), admitted.clone());
            return Err(SubjectError::NotAdmitted { profile, admitted, kind });
        }
        let tested = tested.iter().map(|(device, bundle)| (device, bundle.as_ref()));
        let Identity { name, hash } = Identity::of(kind, tested);
        let firmware = known_firmware(kind, firmware);
        Ok(Self { kind, name, hash, devices: kinds, parts, firmware })
    }
}

/// The hash of an architecture's part of a subject: of its device, and of its firmware if that is the subject.
pub fn part_hash(
    kind: SubjectKind,
    device: &DeviceEnvironment,
    firmware: Option<&FirmwareBundle>,
) -> ContentHash {
    // No value of a device is without a JSON form.
    let device = json::write(device).unwrap_or_default();
    let firmware = firmware.filter(|_| kind == SubjectKind::Firmware).map(FirmwareBundle::hash);
    let mut hasher = blake3::Hasher::new();
    hasher.update(ContentHash::of(&device).0.as_slice());
    if let Some(firmware) = firmware {
        hasher.update(&firmware.0);
    }
    ContentHash(*hasher.finalize().as_bytes())
}

/// The name and hash of a subject.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// Its name for people, with its version if known.
    pub name: String,
    /// The hash of its file or bundle, if it has exactly one.
    pub hash: Option<ContentHash>,
}

impl Identity {
    /// The identity of a subject of a kind, from the devices of each architecture.
    pub fn of<'a>(
        kind: SubjectKind,
        tested: impl IntoIterator<Item = (&'a DeviceEnvironment, Option<&'a FirmwareBundle>)>,
    ) -> Self {
        let mut names: Vec<String> = Vec::new();
        let mut hashes = BTreeSet::new();
        for (device, firmware) in tested {
            let name = name_of(kind, device, firmware);
            if !names.contains(&name) {
                names.push(name);
            }
            hashes.insert(match kind {
                SubjectKind::Firmware => firmware.map(FirmwareBundle::hash),
                SubjectKind::Simulator | SubjectKind::Metalium | SubjectKind::Board => {
                    device.library_hash
                }
            });
        }
        // Several files have no common hash; the environment names each.
        let hash = if hashes.len() == 1 { hashes.pop_first().flatten() } else { None };
        Self { name: names.join(" and "), hash }
    }
}

/// The property that an executor chooses, of those which the profile varies.
pub(super) fn choice_of_profile(choice: &ExecutorChoice) -> Option<&'static str> {
    let is_harvested = choice.device.as_ref().is_some_and(|device| !device.harvesting().is_none());
    let chosen = [
        (choice.dispatch.is_some(), "who launches programs"),
        (choice.schedule_seed.is_some(), "the schedule seed"),
        (is_harvested, "what is fused off"),
        (choice.kernels.is_some(), "kernels"),
        (choice.data_cache.is_some(), "the data cache"),
        (choice.strict_isa.is_some(), "which orders are promised"),
        (
            choice.strict_tensix.is_some(),
            "when units of the coprocessor sample their configuration",
        ),
    ];
    chosen.into_iter().find(|(is_chosen, _)| *is_chosen).map(|(_, what)| what)
}

fn kind_of(executor: &Executor) -> SubjectKind {
    match (&executor.release, &executor.device) {
        (Release::Metalium(_), _) => SubjectKind::Metalium,
        _ if executor.programs.firmware.is_some() => SubjectKind::Firmware,
        (Release::This | Release::Other(_), DeviceSpec::Pci(_)) => SubjectKind::Board,
        (
            Release::This | Release::Other(_),
            DeviceSpec::Simulator(_)
            | DeviceSpec::Ttsim(_)
            | DeviceSpec::SimulatedCard(_)
            | DeviceSpec::Misbehaving(_),
        ) => SubjectKind::Simulator,
    }
}

/// The firmware of an executor; `None` if another runtime provides its own.
fn firmware_of(executor: &Executor) -> Result<Option<FirmwareBundle>, BundleError> {
    match executor.release {
        Release::Metalium(_) | Release::Other(_) => Ok(None),
        Release::This => {
            let bundle = match &executor.programs.firmware {
                Some(folder) => FirmwareBundle::load(folder, executor.architecture),
                None => FirmwareBundle::builtin(executor.architecture),
            };
            bundle.map(Some)
        }
    }
}

fn name_of(
    kind: SubjectKind,
    device: &DeviceEnvironment,
    firmware: Option<&FirmwareBundle>,
) -> String {
    match (kind, &device.library) {
        (SubjectKind::Metalium, _) => {
            format!("TT-Metalium {}", device.metalium.as_deref().unwrap_or_default())
        }
        (SubjectKind::Firmware, _) => {
            let name = firmware.map_or("", |bundle| bundle.manifest().name.as_str());
            format!("firmware {name}")
        }
        (SubjectKind::Simulator | SubjectKind::Board, Some(library)) => library.clone(),
        (SubjectKind::Simulator | SubjectKind::Board, None)
            if device.device == DeviceKind::Sim.name() =>
        {
            format!("the simulator of Hallmark {}", env!("CARGO_PKG_VERSION"))
        }
        (SubjectKind::Simulator | SubjectKind::Board, None) => device.device.clone(),
    }
}
