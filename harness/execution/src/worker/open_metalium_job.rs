//! The worker that opens and closes a device of TT-Metalium.

use hallmark_runtime::MetaliumPhase;
use hallmark_runtime::metalium::build_device_kernels;

use super::WorkerResult;
use super::job::OpenMetaliumJob;
use super::job_file::JobFile;
use super::phase_file::PhaseFile;
use super::problem::WorkerProblem;
use super::replay_job::description;
use super::report::WorkerReport;

pub(super) fn run(job: &OpenMetaliumJob, file: &JobFile) -> WorkerResult {
    let Some(metalium) = &job.device.metalium else {
        return Err(WorkerProblem::internal("the job names no TT-Metalium"));
    };
    PhaseFile::of(file.folder()).note(&MetaliumPhase::Opening);
    let release = description(metalium)?;
    build_device_kernels(&metalium.interface, release, job.num_command_queues)
        .map_err(|error| job.device.problem(&error))?;
    Ok(WorkerReport::default())
}
