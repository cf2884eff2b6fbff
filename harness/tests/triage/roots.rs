//! Roots with a suite of their own, and what `hallmark` says there.

use std::path::Path;

use tempfile::TempDir;

use super::common::{command, repository, text};
use super::linked_files::link_files;

/// Exit code and everything that was said.
pub(crate) fn hallmark(root: &Path, arguments: &[&str]) -> (i32, String) {
    let output = command(root).args(arguments).output().unwrap();
    (output.status.code().unwrap(), text(&output))
}

/// A root with one suite, whose kernels are the repository's.
pub(crate) fn root_with(suite: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let suites = folder.path().join("suites");
    std::fs::create_dir_all(suites.join("group")).unwrap();
    link_files(&repository().join("suites/kernels"), &suites.join("kernels"));
    std::fs::write(suites.join("group/suite.yaml"), suite).unwrap();
    folder
}
