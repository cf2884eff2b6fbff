//! A root with three tests of buffers on each chip.

use std::path::Path;

use crate::common::{command, text};

pub(crate) const SUITE: &str = "about: Buffers.
cases:
  round_trip:
    about: What is written comes back.
    matrix:
      pages: [1, 2, 3]
    steps:
      - create_buffer: { id: a, type: dram, size: pages * 64, page_size: 64 }
      - enqueue_write_buffer: { buffer: a, data: { uniform: uint32, seed: 1 } }
      - enqueue_read_buffer: { buffer: a, as: out }
      - finish: {}
    expect:
      - equal: [out, a]
";

pub(crate) fn hallmark(root: &Path, arguments: &[&str]) -> (i32, String) {
    let output = command(root).env_remove("GITHUB_ACTIONS").args(arguments).output().unwrap();
    (output.status.code().unwrap(), text(&output))
}

/// A root with these tests and their goldens on Wormhole.
pub(crate) fn root() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join("suites/group")).unwrap();
    std::fs::write(folder.path().join("suites/group/suite.yaml"), SUITE).unwrap();
    let (code, said) = hallmark(folder.path(), &["bless", "--yes", "--arch", "wormhole_b0"]);
    assert_eq!(code, 0, "{said}");
    folder
}
