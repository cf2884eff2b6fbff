//! What an earlier process left of a certification: failures that are run anew, and a folder that serves no more.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::ErrorKind;
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
        return Err(refused("does not exist, and no stopped run of it exists"));
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

/// Removes the folder of a certification whose package is written. A killed process leaves such a folder, and its log would
/// stop another build's certification.
pub(super) fn clear_ended(
    package_file: &Path,
    folder: &Path,
    log_file: &Path,
) -> Result<(), Failed> {
    if !log_file.is_file() || !package_file.is_file() {
        return Ok(());
    }
    // A process that holds the log removes the folder itself.
    let Ok(held) = File::open(log_file) else { return Ok(()) };
    if held.try_lock().is_err() {
        return Ok(());
    }
    let (Ok(bytes), Ok(log)) = (read(package_file), std::fs::read(log_file)) else {
        return Ok(());
    };
    // A package of an earlier certification has another log.
    let has_ended = opened(package_file, &bytes).is_ok_and(|it| it.file(RUN) == Some(&*log));
    if !has_ended {
        return Ok(());
    }
    not_removed(folder).map_or(Ok(()), |problem| Err(Failed::new(ExitCode::INTERNAL, problem)))
}

/// Removes the folder of a certification that has ended; says why it is still there.
pub(super) fn not_removed(folder: &Path) -> Option<String> {
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != ErrorKind::NotFound => Some(format!(
            "{} cannot be removed: {error}; the package holds what is in it, so remove it yourself",
            folder.display()
        )),
        Ok(()) | Err(_) => None,
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_stays_is_reported() {
        let folder = tempfile::tempdir().unwrap();
        let left = folder.path().join("x.hallmark.run");
        assert_eq!(not_removed(&left), None, "another process removed it");
        std::fs::create_dir(&left).unwrap();
        assert_eq!(not_removed(&left), None);
        assert!(!left.exists());
        // A folder below a file cannot be removed, even by root.
        std::fs::write(&left, "").unwrap();
        let problem = not_removed(&left.join("below")).unwrap();
        assert!(problem.contains("below cannot be removed: "), "{problem}");
    }
}
