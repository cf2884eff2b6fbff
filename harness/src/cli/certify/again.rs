//! Failures of a certification that are run anew.

use std::collections::BTreeMap;
use std::path::Path;

use hallmark_certification::log::{self, RunIdentity, RunLog};
use hallmark_certification::results::{ResultLine, RunKey};
use hallmark_certification::store::CaptureStore;
use hallmark_execution::whole_file;
use hallmark_package::RUN;
use hallmark_pipeline::verdict::ExitCode;
use hallmark_schema::plural::counted;

use super::failures::unwritten;
use crate::cli::package_file::{opened, read};
use crate::cli::{Failed, output};

/// Restores the folder of a certification that has ended, from its package.
pub(super) fn restore(
    package_file: &Path,
    identity: &RunIdentity,
    store: &CaptureStore,
    log_file: &Path,
) -> Result<(), Failed> {
    let refused = |what: &str| {
        let text = format!("{} {what}; leave --again-failed out", package_file.display());
        Failed::new(ExitCode::USAGE, text)
    };
    if !package_file.is_file() {
        return Err(refused("is not there, and no stopped run of it"));
    }
    let bytes = read(package_file)?;
    let package = opened(package_file, &bytes)?;
    let written = package.file(RUN).unwrap_or_default();
    let known = log::read(written).map_err(|(line, error)| {
        refused(&format!("has a log that cannot go on: line {line}: {error}"))
    })?;
    if known.identity.as_ref() != Some(identity) {
        return Err(refused("is of another profile, challenge, shard or subject"));
    }
    if !known.results.iter().any(ResultLine::needs_waiver) {
        return Err(refused("has no failure"));
    }
    store.add_all_of(&package).map_err(|error| Failed::new(ExitCode::INTERNAL, error))?;
    // Written last: without it, a killed process leaves nothing to go on with.
    whole_file::write(log_file, written).map_err(|error| unwritten(log_file, &error))
}

/// Removes failures from the results of earlier processes, and notes in the log that they are run anew.
pub(super) fn forget_failures(
    results: &mut BTreeMap<RunKey, ResultLine>,
    log: &RunLog,
) -> Result<(), Failed> {
    let failed = results.values().filter(|result| result.needs_waiver());
    let failed: Vec<RunKey> = failed.map(|result| result.run.clone()).collect();
    if failed.is_empty() {
        return Ok(());
    }
    for run in &failed {
        results.remove(run);
    }
    let failures = counted(failed.len(), "failure is", "failures are");
    output::say(&format!("{failures} run anew, and the log says so"));
    log.again(failed)?;
    Ok(())
}
