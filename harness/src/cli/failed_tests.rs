//! Which tests did not pass when they were last run: kept below `target/hallmark`, for `run --failed`.

use std::collections::BTreeSet;
use std::path::PathBuf;

use hallmark_schema::plural::counted;

use hallmark_execution::whole_file;
use hallmark_pipeline::TestResult;
use hallmark_pipeline::verdict::{Mode, Verdict};
use hallmark_suite::discover::{Root, SelectedTest};

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

/// No test is left that `--failed` could select.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum NothingFailed {
    /// None at all.
    #[error("nothing to do: no test failed when it last ran here")]
    Anywhere,
    /// Others are not selected.
    #[error("nothing to do: none of the selected tests failed when it last ran here; {} that did", other_tests(*others))]
    Here {
        /// Tests that failed.
        others: usize,
    },
}

fn other_tests(count: usize) -> String {
    counted(count, "other test is known", "other tests are known")
}

/// Those of some tests that did not pass when they were last run.
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
