//! The memory that a worker may take: a few bytes ask for much, and are told so.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a failing helper fails its test")]

mod common;

use common::{command, repository, text};

/// A case that writes far more than a budget of 64 MiB, and one that does not.
const SUITE: &str = "about: Large data.
cases:
  written:
    about: Data of a generator is written and read.
    matrix: { mib: [1, 160] }
    steps:
      - create_buffer: { id: a, type: dram, size: mib * 1048576, page_size: 1048576 }
      - enqueue_write_buffer: { buffer: a, data: { constant: uint32, value: 1 } }
      - finish: {}
      - enqueue_read_buffer: { buffer: a, region: { offset: 0, size: 1048576 }, as: out }
      - finish: {}
    expect:
      - equal: [out, { constant: uint32, value: 1 }]
";

/// It runs all of that suite on one simulator.
const PROFILE: &str = "profile: large
edition: \"1\"
about: Large data.
subjects: [simulator, firmware]
devices:
  - { architecture: wormhole_b0, kinds: [sim] }
tests:
  suites: [\"**\"]
";

#[test]
fn a_worker_that_takes_more_than_its_budget_is_stopped_and_its_largest_buffer_named() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    std::fs::create_dir_all(root.join("suites/group")).unwrap();
    std::fs::write(root.join("suites/group/suite.yaml"), SUITE).unwrap();
    let hallmark = |arguments: &[&str]| {
        let output = command(root).args(arguments).output().unwrap();
        (output.status.code().unwrap(), text(&output))
    };
    let [small, large] =
        ["1", "160"].map(|mib| format!("wormhole_b0::group::suite::written::mib={mib}"));
    let budget = ["--memory", "64MiB"];
    let words = "took more memory than its budget of 64 MiB and was stopped; raise the budget with --memory";
    for (test, file) in [(&small, "small.lmb"), (&large, "large.lmb")] {
        let (code, said) = hallmark(&["capture", test, "-o", file]);
        assert_eq!(code, 0, "{said}");
        assert!(std::fs::metadata(root.join(file)).unwrap().len() < 4096);
    }
    for arguments in [["capture", &large, "-o", "c.lmb"].as_slice(), &["replay", "large.lmb"]] {
        let (code, said) = hallmark(&[arguments, &budget].concat());
        assert_eq!(code, 9, "{arguments:?}: {said}");
        assert!(said.contains(words), "{arguments:?}: {said}");
        // A short run may have made its calls before it is weighed.
        let places = ["enqueue_write_buffer", "finish", "Every call had returned."];
        assert!(places.iter().any(|place| said.contains(place)), "{said}");
        let largest = "Its largest buffer is `a` of 167 772 160 B, made by command 0.";
        assert!(said.contains(largest), "{arguments:?}: {said}");
    }
    assert_eq!(hallmark(&["replay", "large.lmb", "--memory", "1GiB"]).0, 0);
    let (code, said) = hallmark(&["replay", "small.lmb", "--memory", "64MiB"]);
    assert_eq!(code, 0, "{said}");
    let (code, said) = hallmark(&["replay", "small.lmb", "--memory", "much"]);
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("`much` is not a size of memory"), "{said}");
    // The repository's own tests take little.
    let test = "wormhole_b0::dataflow::loopback::one_core::pages=1::page_size=32::processor=riscv_0::noc=noc_0";
    let capture = ["capture", test, "-o", "own.lmb", "--memory", "256MiB"];
    let own = command(root).args(capture).env("HALLMARK_ROOT", repository()).output().unwrap();
    assert!(own.status.success(), "{}", text(&own));
    let (code, said) = hallmark(&["replay", "own.lmb", "--memory", "256MiB"]);
    assert_eq!(code, 0, "{said}");
}

/// The results of a certification and their repetition are runs of workers, too.
#[test]
fn a_certification_and_its_repetition_have_a_budget() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    std::fs::create_dir_all(root.join("suites/group")).unwrap();
    std::fs::create_dir_all(root.join("suites/conformance-profiles")).unwrap();
    let suite = SUITE.replace("[1, 160]", "[160]");
    std::fs::write(root.join("suites/group/suite.yaml"), suite).unwrap();
    std::fs::write(root.join("suites/conformance-profiles/large.yaml"), PROFILE).unwrap();
    let hallmark = |arguments: &[&str]| {
        let output = command(root).args(arguments).output().unwrap();
        (output.status.code().unwrap(), text(&output))
    };
    let (code, said) = hallmark(&["bless", "--arch", "wormhole_b0", "--yes"]);
    assert_eq!(code, 0, "{said}");
    let words = "took more memory than its budget of 64 MiB and was stopped";
    let (code, said) = hallmark(&["certify", "large", "-o", "a.hallmark", "--memory", "64MiB"]);
    assert!(code != 0 && said.contains(words), "{code}: {said}");
    let (code, said) = hallmark(&["certify", "large", "-o", "b.hallmark", "--memory", "1GiB"]);
    assert!(code == 0 || code == 14, "{code}: {said}");
    let (code, said) = hallmark(&["package", "replay", "b.hallmark", "--memory", "64MiB"]);
    assert!(code != 0 && said.contains(words), "{code}: {said}");
    let (code, said) = hallmark(&["package", "replay", "b.hallmark", "--memory", "1GiB"]);
    assert_eq!(code, 0, "{said}");
}
