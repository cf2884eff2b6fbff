//! The kernels of a capture's programs under TT-Metalium, which compiles each when its program is enqueued, and keeps it.
//!
//! Compiling counts in the time of the run. A run whose time is up meanwhile is no hang: it begins again with the kernels
//! that are compiled by then.

use std::path::Path;
use std::time::{Duration, SystemTime};

use hallmark_execution::worker::job::MetaliumJob;
use hallmark_execution::worker::process::Ending;
use hallmark_runtime::MetaliumPhase;
use hallmark_schema::commands::CommandKind;
use hallmark_schema::model::CommandIndex;
use walkdir::{DirEntry, WalkDir};

use super::executed::Executed;
use super::finding::Finding;
use super::prepared::{Prepared, run};
use super::settings::WorkerSettings;

/// How often a run begins at most: other processes may compile for the same cache without end.
const RUNS: u32 = 10;

/// Runs a job that TT-Metalium carries out, and again as long as its time is up while a program is enqueued and kernels were
/// compiled in that time.
pub(super) fn run_compiling(
    settings: &WorkerSettings,
    metalium: &MetaliumJob,
    timeout: Duration,
    first: Prepared,
    again: impl Fn() -> Result<Prepared, Finding>,
) -> Result<Executed, Finding> {
    let mut prepared = first;
    let mut runs = 0;
    loop {
        let begun = SystemTime::now();
        let executed = run(prepared, timeout)?;
        runs += 1;
        let Some(program) = unfinished_program(&executed) else { return Ok(executed) };
        if runs == RUNS || !has_compiled(metalium, begun) {
            return Ok(executed);
        }
        settings.notices.say(&format!(
            "the time limit of {} s was up at command {program} while TT-Metalium compiled kernels; the run starts again and uses them",
            timeout.as_secs()
        ));
        prepared = again()?;
    }
}

/// The command that enqueues a program, if it was being carried out when the time was up.
fn unfinished_program(executed: &Executed) -> Option<CommandIndex> {
    match (&executed.ended.ending, &executed.phase) {
        (Ending::TimedOut, Some(MetaliumPhase::Calling { command, call }))
            if call == CommandKind::EnqueueProgram.name() =>
        {
            Some(*command)
        }
        _ => None,
    }
}

/// Whether TT-Metalium's cache has a compiled file that is newer than a moment. Other processes compile there, too, so that a
/// launch which hangs beside them runs more than once.
fn has_compiled(metalium: &MetaliumJob, since: SystemTime) -> bool {
    let Some(cache) = metalium.environment.get("TT_METAL_CACHE") else { return false };
    let files = WalkDir::new(cache).into_iter().filter_map(Result::ok);
    let is_compiled = |file: &Path| {
        file.extension().is_some_and(|extension| extension == "elf" || extension == "o")
    };
    files.map(DirEntry::into_path).any(|file| is_compiled(&file) && is_newer(&file, since))
}

fn is_newer(file: &Path, since: SystemTime) -> bool {
    file.metadata().and_then(|about| about.modified()).is_ok_and(|modified| modified >= since)
}
