//! The tests that did not pass in their last run: kept below `target/hallmark`, for `run --failed`.

use std::collections::BTreeSet;
use std::path::PathBuf;

use hallmark_schema::plural::counted;

use hallmark_execution::whole_file;
use hallmark_pipeline::TestResult;
use hallmark_pipeline::verdict::{Mode, Verdict};
use hallmark_suite::discover::{Root, SelectedTest};

/// The largest file, in bytes.
const LIMIT: u64 = 64 << 20;

fn path(root: &Root) -> PathBuf {
    root.folder().join("target/hallmark/failed.txt")
}

/// The names in the file, one on each line; empty if no run has failed yet.
fn read(root: &Root) -> BTreeSet<String> {
    let bytes = whole_file::read(&path(root), LIMIT).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

/// Records the results of a run. Tests that did not run keep their state.
pub(super) fn note(root: &Root, results: &[TestResult]) {
    let mut failed = read(root);
    for result in results {
        let name = result.name.to_string();
        match &result.verdict {
            // The test has no result.
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
    // The file is a convenience: a read-only checkout must not turn a run into an error.
    let _ = whole_file::write(&path(root), text.as_bytes());
}

/// There is no test for `--failed` to select.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum NothingFailed {
    /// No test failed.
    #[error("nothing to do: no test failed when it last ran here")]
    Anywhere,
    /// No selected test failed, but others did.
    #[error("nothing to do: none of the selected tests failed when it last ran here; {} that did", other_tests(*others))]
    Here {
        /// The number of failed tests that are not selected.
        others: usize,
    },
}

fn other_tests(count: usize) -> String {
    counted(count, "other test is known", "other tests are known")
}

/// The given tests that did not pass in their last run.
pub(super) fn only(
    root: &Root,
    tests: Vec<SelectedTest>,
) -> Result<Vec<SelectedTest>, NothingFailed> {
    let failed = read(root);
    let tests: Vec<SelectedTest> =
        tests.into_iter().filter(|test| failed.contains(&test.name.to_string())).collect();
    match (tests.is_empty(), failed.len()) {
        (false, _) => Ok(tests),
        (true, 0) => Err(NothingFailed::Anywhere),
        (true, others) => Err(NothingFailed::Here { others }),
    }
}
