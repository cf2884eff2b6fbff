//! Combinations of one version of each axis.

use std::sync::Arc;

use hallmark_chip::Architecture;
use hallmark_execution::executor::{Executor, ExecutorChoice, ProgramSettings, Release};
use hallmark_runtime::DeviceSpec;
use hallmark_schema::model::Capture;

use super::axis::{Axis, Part};

/// An executor and a capture.
pub(super) struct Combination {
    pub(super) executor: Executor,
    pub(super) capture: Arc<Capture>,
}

/// The defaults of a combination.
#[derive(Clone, Copy)]
pub(super) struct Base<'a> {
    pub(super) executor: &'a ExecutorChoice,
    pub(super) capture: &'a Arc<Capture>,
    pub(super) architecture: Architecture,
    pub(super) programs: &'a ProgramSettings,
}

impl Base<'_> {
    /// The combination of these versions, one index per axis.
    pub(super) fn with(&self, axes: &[Axis], versions: &[usize]) -> Combination {
        let mut choice = self.executor.clone();
        let mut capture = Arc::clone(self.capture);
        let mut programs = self.programs.clone();
        let mut kernels_are_found = false;
        for (axis, version) in axes.iter().zip(versions) {
            match axis.versions.get(*version).map(|version| &version.part) {
                None => {}
                Some(Part::Executor(executor)) => choice = (**executor).clone(),
                Some(Part::Hallmark(executable)) => {
                    choice.release = executable.clone().map_or(Release::This, Release::Other);
                }
                Some(Part::Ttsim(library)) => {
                    choice.device = Some(DeviceSpec::Ttsim(library.clone().into()));
                }
                Some(Part::Firmware(firmware)) => {
                    choice.firmware.clone_from(firmware);
                    programs.firmware = None;
                }
                Some(Part::Kernels(folder)) => {
                    choice.kernels.clone_from(folder);
                    kernels_are_found = true;
                }
                Some(Part::Capture(other)) => capture = Arc::clone(other),
            }
        }
        if kernels_are_found {
            capture = Arc::new(without_elfs(&capture));
        }
        Combination { executor: choice.executor(self.architecture, &programs), capture }
    }
}

/// The capture without ELFs, so that kernels are looked up by their sources: a replay would otherwise use the
/// capture's ELFs.
fn without_elfs(capture: &Capture) -> Capture {
    let mut capture = capture.clone();
    if let Some(record) = &mut capture.record {
        record.elfs.clear();
    }
    capture
}
