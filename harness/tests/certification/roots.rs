//! A root with a few tests without kernels, their goldens, and conformance profiles.

use std::path::Path;
use std::process::Output;

use crate::common::{command, repository, text};
use crate::linked_files::link_files;

/// Tests with seeded data, one without, and one for another device.
const SUITE: &str = "about: Buffers.
cases:
  seeded:
    about: What is written comes back.
    matrix: { pages: [1, 2, 3, 4, 5] }
    steps:
      - create_buffer: { id: a, type: dram, size: pages * 64, page_size: 64 }
      - enqueue_write_buffer: { buffer: a, data: { uniform: uint32, seed: 1 } }
      - enqueue_read_buffer: { buffer: a, as: out }
      - finish: {}
    expect:
      - equal: [out, { uniform: uint32, seed: 1 }]
  counted:
    about: What is written comes back.
    steps:
      - create_buffer: { id: a, type: dram, size: 64, page_size: 64 }
      - enqueue_write_buffer: { buffer: a, data: { sequence: uint32 } }
      - enqueue_read_buffer: { buffer: a, as: out }
      - finish: {}
    expect:
      - equal: [out, a]
  vendors_library:
    about: Only a simulator's library runs this.
    when: { devices: [ttsim], reason: it says so }
    steps:
      - create_buffer: { id: a, type: dram, size: 64, page_size: 64 }
      - enqueue_write_buffer: { buffer: a, data: { sequence: uint32 } }
      - enqueue_read_buffer: { buffer: a, as: out }
      - finish: {}
    expect:
      - equal: [out, a]
  elsewhere:
    about: Its numbers are those of another chip, and wrong on this one.
    when: { architectures: [blackhole], reason: it says so }
    variables: { size: { grayskull: 32, wormhole_b0: 32, blackhole: 64 } }
    steps:
      - create_buffer: { id: a, type: dram, size: 64, page_size: 64 }
      - enqueue_write_buffer: { buffer: a, data: { words: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15] } }
      - enqueue_read_buffer: { buffer: a, as: out }
      - finish: {}
    expect:
      - equal: [out, { sequence: uint32, length: size }]
";

/// All tests of Wormhole, with both ways of dispatch.
pub(crate) const PROFILE: &str = "profile: all
edition: \"1\"
about: All tests.
subjects: [simulator, firmware]
devices:
  - { architecture: wormhole_b0, kinds: [sim], dispatch: [host, device] }
tests: { suites: ['**'] }
";

/// Runs of [`PROFILE`]: eight tests, each with both ways of dispatch.
pub(crate) const RUNS: usize = 16;

/// Creates a root with goldens in its own folder.
pub(crate) fn root() -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    let suites = root.path().join("suites");
    std::fs::create_dir_all(suites.join("group")).unwrap();
    std::fs::create_dir_all(suites.join("conformance-profiles")).unwrap();
    std::fs::write(suites.join("group/suite.yaml"), SUITE).unwrap();
    profile(root.path(), "all", PROFILE);
    let blessed = hallmark(
        root.path(),
        &["bless", "--yes", "--arch", "wormhole_b0", "--exclude", "vendors_library"],
    );
    assert!(blessed.status.success(), "{}", text(&blessed));
    root
}

/// A root with some suites of this repository and nothing else, since a verifier loads all suites of its root.
/// Its kernels and goldens are the repository's.
pub(crate) fn part_of_the_repository(suites: &[&str]) -> tempfile::TempDir {
    let (root, from) = (tempfile::tempdir().unwrap(), repository());
    for suite in suites {
        let file = format!("suites/{suite}.yaml");
        std::fs::create_dir_all(root.path().join(&file).parent().unwrap()).unwrap();
        std::fs::copy(from.join(&file), root.path().join(&file)).unwrap();
    }
    std::os::unix::fs::symlink(from.join("goldens"), root.path().join("goldens")).unwrap();
    for folder in ["kernels", "fragments"] {
        let suites = root.path().join("suites");
        link_files(&from.join("suites").join(folder), &suites.join(folder));
    }
    std::fs::create_dir(root.path().join("suites/conformance-profiles")).unwrap();
    root
}

/// Writes a profile beside the suites.
pub(crate) fn profile(root: &Path, name: &str, text: &str) {
    std::fs::write(root.join(format!("suites/conformance-profiles/{name}.yaml")), text).unwrap();
}

/// Runs the command in a root.
pub(crate) fn hallmark(root: &Path, arguments: &[&str]) -> Output {
    command(root).args(arguments).output().unwrap()
}
