//! Which tests did not pass when they were last run: kept below `target/hallmark`, for `run --failed`.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::Failed;
use crate::pipeline::TestResult;
use crate::suite::discover::{Root, SelectedTest};
use crate::verdict::{ExitCode, Mode, Verdict};
use crate::whole_file;

/// The file is no larger.
const LIMIT: u64 = 64 << 20;

fn path(root: &Root) -> PathBuf {
    root.folder().join("target/hallmark/failed.txt")
}

/// Names, a line each; nothing where no run has failed yet.
fn read(root: &Root) -> BTreeSet<String> {
    let bytes = whole_file::read(&path(root), LIMIT).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

/// Notes what came of a run. Tests that did not run stay as they were.
pub(super) fn note(root: &Root, results: &[TestResult]) {
    let mut failed = read(root);
    for result in results {
        let name = result.name.to_string();
        match &result.verdict {
            // Nothing is known of it.
            Verdict::Interrupted => {}
            verdict if verdict.is_success(Mode::Ordinary) => {
                failed.remove(&name);
            }
            _ => {
                failed.insert(name);
            }
        }
    }
    if failed.is_empty() && !path(root).exists() {
        return;
    }
    let text: String = failed.into_iter().map(|name| name + "\n").collect();
    // A service: a read-only checkout must not turn a run into an error.
    let _ = whole_file::write(&path(root), text.as_bytes());
}

/// Those of some tests that did not pass when they were last run.
pub(super) fn only(root: &Root, tests: Vec<SelectedTest>) -> Result<Vec<SelectedTest>, Failed> {
    let failed = read(root);
    let total = failed.len();
    let tests: Vec<SelectedTest> =
        tests.into_iter().filter(|test| failed.contains(&test.name.to_string())).collect();
    if !tests.is_empty() {
        return Ok(tests);
    }
    let text = if total == 0 {
        "no test is known to fail: none failed when it last ran here; `hallmark run` runs all"
    } else {
        "none of the tests that failed when they last ran is selected; leave the selection out, or \
         run without --failed"
    };
    Err(Failed::new(ExitCode::NOTHING_SELECTED, text))
}
