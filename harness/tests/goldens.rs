//! The repository's kept files stay small.
#![expect(clippy::unwrap_used, reason = "a failing helper fails its test")]

#[path = "common/repository.rs"]
mod repository;

use hallmark_pipeline::golden::{self, TOTAL_LIMIT};
use hallmark_schema::limits;
use hallmark_suite::discover::Root;
use repository::repository;

fn root() -> Root {
    Root::above(&repository()).unwrap()
}

#[test]
fn goldens_prebuilt_kernels_and_kept_captures_stay_within_their_budgets() {
    let root = root();
    let goldens = golden::files(&root).unwrap();
    for file in &goldens {
        assert!(
            file.size <= limits::GOLDEN_BYTES,
            "{} has {} B, more than {}: its case needs `golden: {{ digest: reason }}`",
            file.path,
            file.size,
            limits::GOLDEN_BYTES
        );
    }
    let size = |folder: std::path::PathBuf| -> u64 {
        let entries = walkdir::WalkDir::new(folder).into_iter().map(Result::unwrap);
        let files = entries.filter(|entry| entry.file_type().is_file());
        files.map(|entry| entry.metadata().unwrap().len()).sum()
    };
    let prebuilt = size(root.suites().join("kernels/prebuilt"));
    let released = size(root.folder().join("schema/released"));
    let total = goldens.iter().map(|file| file.size).sum::<u64>() + prebuilt + released;
    assert!(
        total <= TOTAL_LIMIT,
        "goldens, prebuilt kernels and kept captures have {total} B together"
    );
}

#[test]
fn every_golden_belongs_to_a_test() {
    let root = root();
    let architectures = hallmark_suite::discover::known_architectures();
    let suites = root.load_all().unwrap();
    let names: Vec<_> =
        suites.iter().flat_map(|suite| suite.tests(&architectures)).map(|test| test.name).collect();
    let files = golden::files(&root).unwrap();
    let unused = golden::unused(&files, names.iter());
    assert!(unused.is_empty(), "goldens of no test: {unused:?}");
}

#[test]
fn every_suite_is_without_mistakes() {
    let suites = root().load_all().unwrap_or_else(|mistakes| panic!("{mistakes}"));
    for suite in suites {
        let architectures = hallmark_suite::discover::known_architectures();
        suite.check(&architectures).unwrap_or_else(|mistakes| panic!("{mistakes}"));
    }
}
