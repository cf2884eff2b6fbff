//! `environment.json`: the environment of a certification. All of it is asserted.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;

use hallmark_chip::Architecture;
use hallmark_report::untrusted::quoted;
use hallmark_runtime::DeviceSpec;
use hallmark_schema::model::ContentHash;
use serde::{Deserialize, Serialize};

use hallmark_execution::devices;
use hallmark_execution::executor::{
    Executor, MetaliumUnusable, Release, metalium_build, metalium_files,
};
use hallmark_pipeline::WorkerSettings;
use hallmark_pipeline::commit::Commit;

/// The environment of a certification.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Environment {
    /// The version of Hallmark.
    pub hallmark: String,
    /// The commit of the suites, if they are in a checkout.
    pub commit: Option<Commit>,
    /// The machines that drove the devices, ascending: several if packages of shards were merged.
    pub hosts: BTreeSet<Host>,
    /// The devices of each architecture's tests.
    pub devices: BTreeMap<Architecture, DeviceEnvironment>,
}

/// A machine that drove the devices.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Host {
    /// The operating system.
    pub system: String,
    /// The instruction set.
    pub machine: String,
    /// The kernel's release, if known.
    pub kernel: Option<String>,
}

/// The device of some tests.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeviceEnvironment {
    /// The device, without paths.
    pub device: String,
    /// The release of TT-Metalium that drove the device, if one did.
    pub metalium: Option<String>,
    /// The build of TT-Metalium. Packages of earlier releases lack it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metalium_build: Option<String>,
    /// The hash of the files of TT-Metalium that decide about a run: its libraries, and the headers and sources that kernels
    /// are built from. Packages of earlier releases lack it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metalium_files: Option<ContentHash>,
    /// The file name of the simulator's library, if the device is one.
    pub library: Option<String>,
    /// The hash of the library.
    pub library_hash: Option<ContentHash>,
}

/// A part of the environment that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum EnvironmentError {
    /// A file.
    #[error("{path} cannot be read: {error}")]
    File {
        /// The file.
        path: String,
        /// The system's message.
        error: std::io::Error,
    },
    /// A package names a library by its file, and takes no other name.
    #[error(
        "the simulator's library is called `{name}`, and a package names libraries by plain file names with `.so`: \
         rename it, to libttsim.so for example"
    )]
    LibraryName {
        /// The file name.
        name: String,
    },
    /// TT-Metalium.
    #[error(transparent)]
    Metalium(#[from] MetaliumUnusable),
}

impl Environment {
    /// The environment of this process and its executors for some architectures.
    ///
    /// # Errors
    /// A library cannot be read, or has a name that no package takes.
    pub fn of(
        workers: &WorkerSettings,
        root: &Path,
        architectures: impl IntoIterator<Item = Architecture>,
    ) -> Result<Self, EnvironmentError> {
        let mut devices = BTreeMap::new();
        for architecture in architectures {
            devices.insert(architecture, DeviceEnvironment::of(&workers.executor(architecture))?);
        }
        let kernel = std::fs::read_to_string("/proc/sys/kernel/osrelease").ok();
        Ok(Self {
            hallmark: env!("CARGO_PKG_VERSION").to_owned(),
            commit: Commit::of(root),
            hosts: BTreeSet::from([Host {
                system: std::env::consts::OS.to_owned(),
                machine: std::env::consts::ARCH.to_owned(),
                kernel: kernel.map(|release| release.trim().to_owned()),
            }]),
            devices,
        })
    }
}

impl fmt::Display for DeviceEnvironment {
    /// `ttsim, library libttsim.so 5c7b…` with whole hashes, since people compare them with what a publisher names.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(release) = &self.metalium {
            write!(formatter, "TT-Metalium {}, ", quoted(release))?;
            if let Some(build) = &self.metalium_build {
                write!(formatter, "build {}, ", quoted(build))?;
            }
            if let Some(files) = self.metalium_files {
                write!(formatter, "files {files}, ")?;
            }
        }
        formatter.write_str(&quoted(&self.device))?;
        if let Some(library) = &self.library {
            write!(formatter, ", library {}", quoted(library))?;
        }
        match self.library_hash {
            Some(hash) => write!(formatter, " {hash}"),
            None => Ok(()),
        }
    }
}

/// Whether a file name is that of a shared library, such as `libttsim.so.1`. The name stands for the subject in words, so
/// that it must not read as another subject.
pub(super) fn is_library_name(name: &str) -> bool {
    let is_plain =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-' | b'+');
    name.contains(".so") && name.bytes().all(is_plain)
}

/// What a package of an earlier release leaves open about TT-Metalium.
pub(super) const FILES_NOT_COMPARED: &str = "the package names its build alone, so the headers and sources that kernels are built from, and the other libraries, were not compared";

impl DeviceEnvironment {
    /// Whether TT-Metalium drove the device, and the files that its kernels were built from are not known.
    pub(super) const fn lacks_files(&self) -> bool {
        self.metalium.is_some() && self.metalium_files.is_none()
    }

    /// The environment of an executor.
    pub(super) fn of(executor: &Executor) -> Result<Self, EnvironmentError> {
        let library = match &executor.device {
            DeviceSpec::Ttsim(chip) => Some(&chip.path),
            DeviceSpec::Simulator(_)
            | DeviceSpec::Pci(_)
            | DeviceSpec::SimulatedCard(_)
            | DeviceSpec::Misbehaving(_) => None,
        };
        let hash = |path: &Path| {
            let bytes = std::fs::read(path);
            bytes
                .map(|bytes| ContentHash::of(&bytes))
                .map_err(|error| EnvironmentError::File { path: path.display().to_string(), error })
        };
        let (metalium, metalium_build, metalium_files) = match &executor.release {
            Release::Metalium(site) => {
                let (release, build) = metalium_build(site)?;
                (Some(release), Some(build), Some(metalium_files(site)?))
            }
            Release::This | Release::Other(_) => (None, None, None),
        };
        let name = library.and_then(|path| Some(path.file_name()?.to_string_lossy().into_owned()));
        if let Some(name) = name.as_deref().filter(|name| !is_library_name(name)) {
            return Err(EnvironmentError::LibraryName { name: name.to_owned() });
        }
        Ok(Self {
            device: devices::short_name(&executor.device),
            metalium,
            metalium_build,
            metalium_files,
            library: name,
            library_hash: library.map(|path| hash(path)).transpose()?,
        })
    }
}
