//! One version of each axis, put together.

use std::sync::Arc;

use hallmark_chip::Architecture;
use hallmark_execution::executor::{Executor, ExecutorChoice, ProgramSettings, Release};
use hallmark_runtime::DeviceSpec;
use hallmark_schema::model::Capture;

use super::axis::{Axis, Part};

/// Who carries which capture out.
pub(super) struct Combination {
    pub(super) executor: Executor,
    pub(super) capture: Arc<Capture>,
}

/// What a combination has where no axis says otherwise.
#[derive(Clone, Copy)]
pub(super) struct Base<'a> {
    pub(super) executor: &'a ExecutorChoice,
    pub(super) capture: &'a Arc<Capture>,
    pub(super) architecture: Architecture,
    pub(super) programs: &'a ProgramSettings,
}

impl Base<'_> {
    /// With these versions, one of each axis by its number.
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

/// A capture whose kernels are looked up by their sources: a replay takes the ELFs that a capture holds.
fn without_elfs(capture: &Capture) -> Capture {
    let mut capture = capture.clone();
    if let Some(record) = &mut capture.record {
        record.elfs.clear();
    }
    capture
}
