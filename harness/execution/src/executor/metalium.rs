//! The preparation of TT-Metalium for a worker, in the user's cache folder.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use hallmark_chip::Architecture;
use hallmark_chip::library_variables::{SIM_ARCH, SIM_HARVESTING};
use hallmark_runtime::DeviceSpec;
use hallmark_runtime::metalium::{
    DeviceCode, Installation, PrepareError, ReleaseDescription, Simulator, SimulatorLibrary,
    SimulatorLibraryError, Site, SiteChoice, SiteError,
};
use hallmark_schema::model::{ContentHash, DispatchMode};

use super::Executor;
use crate::worker::job::MetaliumJob;

/// TT-Metalium cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MetaliumUnusable {
    /// The folder contains no supported TT-Metalium.
    #[error(transparent)]
    Site(#[from] SiteError),
    /// The library that drives it cannot be built.
    #[error(transparent)]
    Prepare(#[from] PrepareError),
    /// The simulator's library cannot be its chip.
    #[error(transparent)]
    Chip(#[from] SimulatorLibraryError),
    /// TT-Metalium does not support the device here.
    #[error("TT-Metalium runs on ttsim:PATH here, not on {device}")]
    Device {
        /// The device that was chosen.
        device: DeviceSpec,
    },
    /// The user's cache folder is unknown.
    #[error("there is no folder for caches: set XDG_CACHE_HOME or HOME")]
    NoCache,
}

/// The folder of everything that is made for TT-Metalium: `hallmark/metalium` in the user's caches.
pub fn cache() -> Result<PathBuf, MetaliumUnusable> {
    let set = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let caches = set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache")));
    let caches = caches.filter(|folder| folder.is_absolute()).ok_or(MetaliumUnusable::NoCache)?;
    Ok(caches.join("hallmark/metalium"))
}

/// A prepared TT-Metalium.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadyMetalium {
    /// What a worker is given of it.
    pub job: MetaliumJob,
    /// The folder of the firmware and the kernels that it has compiled.
    pub kernels: PathBuf,
    /// Whether kernels can print there.
    pub prints: bool,
}

/// Prepares the TT-Metalium in a folder for a worker. Missing files are made, which takes some seconds the
/// first time.
///
/// # Errors
/// [`MetaliumUnusable`].
pub fn prepare(site: &SiteChoice, executor: &Executor) -> Result<ReadyMetalium, MetaliumUnusable> {
    prepare_in(
        &cache()?,
        site,
        &executor.device,
        executor.architecture,
        executor.programs.dispatch.mode(),
    )
}

/// A site and its installation, prepared once in a process, because that reads the vendor's library and starts
/// compilers for their versions.
fn installed(cache: &Path, site: &SiteChoice) -> Result<(Site, Installation), MetaliumUnusable> {
    type Known = BTreeMap<(PathBuf, SiteChoice), Result<(Site, Installation), MetaliumUnusable>>;
    static KNOWN: Mutex<Known> = Mutex::new(BTreeMap::new());
    let look = || {
        let site = Site::open(site)?;
        let installation = Installation::prepare(&site, cache)?;
        Ok((site, installation))
    };
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    known.entry((cache.to_owned(), site.clone())).or_insert_with(look).clone()
}

/// The release of TT-Metalium in a folder, as reports name it, and its build, as its library names it.
///
/// # Errors
/// [`MetaliumUnusable`].
pub fn metalium_build(site: &SiteChoice) -> Result<(String, String), MetaliumUnusable> {
    let (site, _) = installed(&cache()?, site)?;
    Ok((site.name(), site.build_id().to_owned()))
}

/// The description of the TT-Metalium in a folder, looked up once in a process; `None` if it cannot be used.
pub fn metalium_description(site: &SiteChoice) -> Option<&'static ReleaseDescription> {
    type Known = BTreeMap<SiteChoice, Option<&'static ReleaseDescription>>;
    static KNOWN: Mutex<Known> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let look = || Site::open(site).ok().map(|site| site.release());
    *known.entry(site.clone()).or_insert_with(look)
}

/// A TT-Metalium with the files that it has built a chip's device code from so far.
///
/// # Errors
/// [`MetaliumUnusable`].
pub fn metalium_device_code(
    site: &SiteChoice,
    architecture: Architecture,
) -> Result<(Site, DeviceCode), MetaliumUnusable> {
    let (site, installation) = installed(&cache()?, site)?;
    let code = site.device_code(&installation.kernels(), architecture)?;
    Ok((site, code))
}

/// The hash of the libraries of a TT-Metalium and of all that its kernels are built from: a build id names one library, and
/// the headers beside it can be changed.
///
/// # Errors
/// [`MetaliumUnusable`].
pub fn metalium_files(site: &SiteChoice) -> Result<ContentHash, MetaliumUnusable> {
    static KNOWN: Mutex<BTreeMap<SiteChoice, ContentHash>> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(hash) = known.get(site) {
        return Ok(*hash);
    }
    let hash = Site::open(site)?.files_hash()?;
    known.insert(site.clone(), hash);
    Ok(hash)
}

/// The build of TT-Metalium in a folder, its files, and the library that drives it.
///
/// # Errors
/// [`MetaliumUnusable`].
pub(super) fn build_of(site: &SiteChoice) -> Result<String, MetaliumUnusable> {
    let files = metalium_files(site)?;
    let (site, installation) = installed(&cache()?, site)?;
    // The interface's folder is named after the hash of its sources.
    Ok(format!("{} {files} {}", site.build_id(), installation.interface().display()))
}

/// The environment of a user's own program that runs under the TT-Metalium in a folder on an executor's
/// simulator. Missing files are made, as for a worker.
///
/// # Errors
/// [`MetaliumUnusable`].
pub fn program_environment(
    choice: &SiteChoice,
    executor: &Executor,
) -> Result<BTreeMap<&'static str, String>, MetaliumUnusable> {
    let DeviceSpec::Ttsim(chip) = &executor.device else {
        return Err(MetaliumUnusable::Device { device: executor.device.clone() });
    };
    let cache = cache()?;
    let (site, installation) = installed(&cache, choice)?;
    let architecture = executor.architecture;
    let library = SimulatorLibrary::link(&site, &cache, &chip.path, architecture)?;
    let mut environment: BTreeMap<&'static str, String> =
        installation.program_environment(&library).into_iter().collect();
    let simulator = Simulator::of(&chip.path);
    let load_macros = choice.load_macros_on(simulator).environment();
    environment.extend(load_macros.map(|(name, value)| (name, value.to_owned())));
    if simulator == Simulator::Hallmark {
        environment.insert(SIM_ARCH, architecture.name().to_owned());
        if !chip.harvesting.is_none() {
            environment.insert(SIM_HARVESTING, chip.harvesting.to_string());
        }
    }
    Ok(environment)
}

fn prepare_in(
    cache: &Path,
    choice: &SiteChoice,
    device: &DeviceSpec,
    architecture: Architecture,
    dispatch: DispatchMode,
) -> Result<ReadyMetalium, MetaliumUnusable> {
    let DeviceSpec::Ttsim(chip) = device else {
        return Err(MetaliumUnusable::Device { device: device.clone() });
    };
    let (site, installation) = installed(cache, choice)?;
    let library = SimulatorLibrary::link(&site, cache, &chip.path, architecture)?;
    let simulator = Simulator::of(&chip.path);
    let load_macros = choice.load_macros_on(simulator).environment();
    let mut environment: BTreeMap<String, String> = installation
        .environment(&library)
        .into_iter()
        .chain(load_macros.map(|(name, value)| (name, value.to_owned())))
        .map(|(name, value)| (name.to_owned(), value))
        .collect();
    if dispatch == DispatchMode::Host {
        environment.insert("TT_METAL_SLOW_DISPATCH_MODE".to_owned(), "1".to_owned());
    }
    let job = MetaliumJob {
        interface: installation.interface(),
        release: site.name(),
        description: site.release().version().to_owned(),
        build_id: site.build_id().to_owned(),
        chip: simulator,
        environment,
    };
    // The vendor's print server calls the simulator from a thread of its own.
    let prints = simulator == Simulator::Hallmark && installation.prints(&site);
    Ok(ReadyMetalium { job, kernels: installation.kernels(), prints })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(site: &Path, device: &DeviceSpec, architecture: Architecture) -> String {
        let cache = tempfile::tempdir().unwrap();
        let site = SiteChoice::from(site.to_owned());
        let error = prepare_in(cache.path(), &site, device, architecture, DispatchMode::Device);
        error.unwrap_err().to_string()
    }

    /// The first files that [`Site::open`] reads, for a release.
    fn site(release: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let libraries = folder.path().join("ttnn/build/lib");
        std::fs::create_dir_all(&libraries).unwrap();
        std::fs::write(libraries.join("libtt_metal.so"), "no library").unwrap();
        std::fs::create_dir(folder.path().join(format!("ttnn-{release}.dist-info"))).unwrap();
        folder
    }

    #[test]
    fn a_folder_without_a_known_release_is_refused_with_the_reason() {
        let device = "ttsim:/nowhere.so".parse().unwrap();
        let says = |site: &Path, words: &str| {
            let text = refusal(site, &device, Architecture::WormholeB0);
            assert!(text.contains(words), "{text}");
        };
        says(Path::new("/nowhere/at/all"), "is not a folder");
        let empty = tempfile::tempdir().unwrap();
        says(empty.path(), "holds no ttnn/build/lib/libtt_metal.so");
        says(
            site("0.70.0").path(),
            "holds TT-Metalium 0.70.0, and this Hallmark describes 0.78.0, 0.79.0, 0.80.0 and 0.81.1 alone",
        );
        let both = site("0.81.1");
        std::fs::create_dir(both.path().join("ttnn-0.80.0.dist-info")).unwrap();
        says(both.path(), "it holds the metadata of several wheels (0.80.0, 0.81.1)");
        let known = site("0.81.1");
        says(known.path(), "is incomplete: ttnn/tt_metal/hw/inc is missing");
        let parts = [
            "tt_metal/hw/inc",
            "tt_metal/pre-compiled",
            "tt_metal/soc_descriptors",
            "runtime/hw/toolchain",
        ];
        for part in parts {
            std::fs::create_dir_all(known.path().join("ttnn").join(part)).unwrap();
        }
        std::fs::create_dir(known.path().join("ttnn.libs")).unwrap();
        says(known.path(), "libtt_metal.so is no whole library");
    }

    #[test]
    fn only_a_simulator_s_library_is_its_chip() {
        let text = refusal(
            site("0.81.1").path(),
            &DeviceSpec::simulator(Architecture::WormholeB0),
            Architecture::WormholeB0,
        );
        assert_eq!(text, "TT-Metalium runs on ttsim:PATH here, not on sim:wormhole_b0");
    }
}
