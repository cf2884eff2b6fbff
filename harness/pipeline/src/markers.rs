//! Builds with markers for a profiled replay: they replace the capture's own firmware and kernels.

use std::path::PathBuf;

use hallmark_execution::executor::Release;
use hallmark_runtime::device_code::{
    FirmwareBuildError, FirmwareBundle, KernelStore, profiled_firmware,
};
use hallmark_runtime::profiled_kernels;
use hallmark_schema::model::Capture;

use super::executed::ReplayOf;

/// Why a replay has no markers.
#[derive(Debug, thiserror::Error)]
enum NoMarkers {
    /// TT-Metalium builds and loads its own firmware.
    #[error(
        "TT-Metalium builds its own firmware, and its wheels are built without the part that reads markers"
    )]
    Metalium,
    /// Another release's workers do not support markers.
    #[error("workers of another release do not read markers; profile with this release alone")]
    OtherRelease,
    /// The user's own firmware is used.
    #[error("firmware={} has no markers of Hallmark's; leave it out to have them", .0.display())]
    OwnFirmware(PathBuf),
    /// There is no cache folder for the builds.
    #[error("there is no folder for builds; run this in a root, which holds a folder `suites`")]
    NoFolder,
    /// The folder for builds cannot be named from elsewhere.
    #[error("the folder for builds cannot be found: {0}")]
    NoPlace(#[from] std::io::Error),
    /// Firmware cannot be built.
    #[error(transparent)]
    Firmware(#[from] FirmwareBuildError),
    /// The built firmware cannot be loaded, which is a bug of Hallmark.
    #[error("firmware with markers cannot be loaded: {0}")]
    Bundle(String),
}

/// Replaces a replay's firmware and kernels by builds with markers. Returns a line for each reason why the
/// replay or some kernels have none. Missing builds are made and kept in the store's cache.
pub fn with_markers(
    replay: ReplayOf,
    capture: &Capture,
    kernels: &KernelStore,
) -> (ReplayOf, Vec<String>) {
    let unmarked = replay.clone();
    match marked(replay, capture, kernels) {
        Ok(marked) => marked,
        Err(error) => (unmarked, vec![format!("nothing has markers: {error}")]),
    }
}

fn marked(
    mut replay: ReplayOf,
    capture: &Capture,
    kernels: &KernelStore,
) -> Result<(ReplayOf, Vec<String>), NoMarkers> {
    match replay.executor.release {
        Release::This => {}
        Release::Other(_) => return Err(NoMarkers::OtherRelease),
        Release::Metalium(_) => return Err(NoMarkers::Metalium),
    }
    if let Some(folder) = &replay.executor.programs.firmware {
        return Err(NoMarkers::OwnFirmware(folder.clone()));
    }
    let architecture = replay.executor.architecture;
    let cache = kernels.cache().ok_or(NoMarkers::NoFolder)?;
    // The worker that loads it has a current folder of its own.
    let cache = std::path::absolute(cache)?;
    let folder = profiled_firmware(kernels.compiler(), architecture, &cache)?;
    let bundle = FirmwareBundle::load(&folder, architecture)
        .map_err(|error| NoMarkers::Bundle(error.to_string()))?;
    let place = bundle.memory().profiler;
    let place = place.ok_or_else(|| NoMarkers::Bundle("it has no place for markers".to_owned()))?;
    let (found, without) = profiled_kernels(capture, architecture, kernels, place);
    replay.kernels.extend(found);
    replay.executor.programs.firmware = Some(folder);
    let without = without
        .into_iter()
        .map(|(kernel, problem)| format!("kernel `{kernel}` has no markers: {problem}"))
        .collect();
    Ok((replay, without))
}
