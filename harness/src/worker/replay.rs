//! The replay worker: a capture's calls again, in a process that shares nothing with the first but the
//! file.

use super::WorkerResult;
use super::job::{JobFile, ReplayJob, WorkerProblem};

pub(super) fn run(_job: &ReplayJob, _file: &JobFile) -> WorkerResult {
    Err(WorkerProblem::Internal("replay has not landed".to_owned()))
}
