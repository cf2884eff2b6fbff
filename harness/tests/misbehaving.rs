//! Devices that misbehave: each gives its verdict and exit code within the watchdog's time, names a remedy, and
//! leaves the next test a clean device or a refusal with the reason.
#![expect(clippy::unwrap_used, reason = "a failing helper fails its test")]

mod common;
#[path = "common/linked_files.rs"]
mod linked_files;
#[path = "misbehaving/many_differences.rs"]
mod many_differences;

use std::path::Path;
use std::time::{Duration, Instant};

use common::{command, repository, text};
use linked_files::link_files;

/// `data` launches a program, writes DRAM, at which devices begin to misbehave, and launches the program again;
/// `quiet` comes after it and touches no DRAM.
const SUITE: &str = "about: A suite.
kernels:
  blank: { source: kernels/blank.cpp }
cases:
  data:
    about: A program before and after data is written.
    timeout: 3
    budget: 100000
    steps:
      - create_program: { id: program }
      - create_kernel: { id: k, program: program, kernel: blank, cores: [0, 0], processor: riscv_0 }
      - enqueue_program: { program: program }
      - finish: {}
      - create_buffer: { id: a, type: dram, size: 256, page_size: 64 }
      - enqueue_write_buffer: { buffer: a, data: { uniform: uint32, seed: 1 }, blocking: true }
      - enqueue_program: { program: program }
      - finish: {}
      - enqueue_read_buffer: { buffer: a, as: out }
      - finish: {}
    expect:
      - equal: [out, a]
  quiet:
    about: No data in DRAM.
    steps:
      - create_buffer: { id: a, type: l1, size: 64, page_size: 64 }
      - enqueue_write_buffer: { buffer: a, data: { uniform: uint32, seed: 1 } }
      - enqueue_read_buffer: { buffer: a, as: out }
      - finish: {}
    expect:
      - equal: [out, a]
";

/// `ordered` needs an event between two queues, and `copied` a program.
const SUITE_OF_QUEUES: &str = "about: A suite.
kernels:
  loopback: { source: kernels/loopback.cpp }
cases:
  ordered:
    about: A read on one queue waits for a write on the other.
    device: { num_command_queues: 2 }
    steps:
      - create_buffer: { id: a, type: dram, size: 64, page_size: 64 }
      - enqueue_write_buffer: { buffer: a, data: { uniform: uint32, seed: 1 }, blocking: true }
      - enqueue_write_buffer: { buffer: a, data: { uniform: uint32, seed: 2 }, as: later }
      - enqueue_record_event: { id: written }
      - enqueue_wait_for_event: { event: written, queue: 1 }
      - enqueue_read_buffer: { buffer: a, as: out, queue: 1 }
      - finish: { queue: 1 }
      - finish: {}
    expect:
      - equal: [out, later]
  copied:
    about: A program copies a page.
    steps:
      - create_buffer: { id: src, type: dram, size: 64, page_size: 64 }
      - create_buffer: { id: dst, type: dram, size: 64, page_size: 64 }
      - create_buffer: { id: scratch, type: l1, size: 64, page_size: 64 }
      - create_program: { id: loop }
      - create_kernel:
          id: k
          program: loop
          kernel: loopback
          cores: [0, 0]
          processor: riscv_0
          noc: noc_0
          compile_args: [{ accessor: src }, { accessor: dst }]
      - set_runtime_args: { kernel: k, args: [{ buffer: src }, { buffer: dst }, { buffer: scratch }, 64, 0, 1, 1] }
      - enqueue_write_buffer: { buffer: src, data: { uniform: uint32, seed: 7 } }
      - enqueue_write_buffer: { buffer: dst, data: { uniform: uint32, seed: 8 } }
      - enqueue_program: { program: loop }
      - enqueue_read_buffer: { buffer: dst, as: out }
      - finish: {}
    expect:
      - equal: [out, src]
";

/// The watchdog's time is 3 seconds for each of two runs; the machine may be busy.
const WITHIN: Duration = Duration::from_secs(40);

fn hallmark(root: &Path, arguments: &[&str]) -> (i32, String) {
    let output = command(root).args(arguments).output().unwrap();
    (output.status.code().unwrap(), text(&output))
}

/// A root with the suite and its goldens, made on the sound simulator.
fn root() -> tempfile::TempDir {
    root_of(SUITE)
}

fn root_of(suite: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let suites = folder.path().join("suites");
    std::fs::create_dir_all(suites.join("group")).unwrap();
    link_files(&repository().join("suites/kernels"), &suites.join("kernels"));
    std::fs::write(suites.join("group/suite.yaml"), suite).unwrap();
    let (code, text) = hallmark(folder.path(), &["bless", "--yes", "--arch", "blackhole"]);
    assert_eq!(code, 0, "{text}");
    folder
}

fn run_on(root: &Path, device: &str) -> (i32, String) {
    let start = Instant::now();
    let device = format!("misbehaving:{device}");
    let run = hallmark(root, &["run", "--arch", "blackhole", "--jobs", "1", "--device", &device]);
    assert!(start.elapsed() < WITHIN, "{}", run.1);
    run
}

/// One test fails with a verdict and these words, and the next one passes.
fn fails(how: &str, expected_code: i32, verdict: &str, words: &[&str]) {
    let folder = root();
    let (code, text) = run_on(folder.path(), &format!("{how}:blackhole"));
    assert_eq!(code, expected_code, "{text}");
    assert!(text.contains(&format!("{verdict} blackhole::group::suite::data")), "{text}");
    assert!(text.contains("1 pass"), "the next test starts clean: {text}");
    for words in words {
        assert!(text.contains(words), "no `{words}` in {text}");
    }
}

#[test]
fn one_that_dies_is_lost() {
    fails(
        "dies",
        5,
        "CRASH",
        &[
            "command 5, enqueue_write_buffer",
            "is lost: the driver reports",
            "opens the device again",
        ],
    );
}

#[test]
fn one_that_drops_off_the_bus_is_lost_and_must_be_reset() {
    fails("all_ones", 5, "CRASH", &["everything reads as ones", "reset it", "restart the machine"]);
}

#[test]
fn one_whose_accesses_never_return_is_stopped_by_the_watchdog() {
    let words =
        ["the capturing run did not end in 3 s and was stopped", "The run had reached command 5"];
    fails("stalls", 6, "HANG", &words);
}

#[test]
fn one_whose_cores_stop_hangs_by_its_budget() {
    fails("freezes", 6, "HANG", &["not finished after 100000 ticks", "`budget`"]);
}

#[test]
fn one_that_drops_writes_returns_other_data() {
    fails("drops_writes", 1, "FAIL", &["`out` differs from `a` in 64 of 64 words"]);
}

#[test]
fn one_that_flips_a_bit_returns_other_data() {
    fails("flips_bit", 1, "FAIL", &["`out` differs from `a` in"]);
}

#[test]
fn one_of_another_architecture_is_refused_before_anything_runs() {
    let folder = root();
    let (code, text) = run_on(folder.path(), "other_architecture:blackhole");
    assert_eq!(code, 5, "{text}");
    assert!(
        text.contains("blackhole cannot be tested on misbehaving:other_architecture"),
        "{text}"
    );
    assert!(text.contains("choose the device of blackhole with --device"), "{text}");
    assert!(!text.contains("pass"), "{text}");
}

#[test]
fn one_that_stays_lost_is_refused_with_the_reason() {
    for how in ["dies", "all_ones"] {
        let folder = root();
        let marker = folder.path().join("lost");
        let device = format!("{how}:blackhole:{}", marker.display());
        let (code, text) = run_on(folder.path(), &device);
        assert_eq!(code, 5, "{text}");
        assert!(
            text.contains("CRASH blackhole::group::suite::quiet"),
            "refused in the same run: {text}"
        );
        assert!(text.contains("does not answer: its configuration space reads as ones"), "{text}");
        let (code, text) = run_on(folder.path(), &device);
        assert_eq!(code, 5, "{text}");
        assert!(text.contains("cannot be tested on misbehaving"), "refused before a test: {text}");
        assert!(text.contains("reset the device"), "{text}");
        // A reset restores the device.
        std::fs::remove_file(&marker).unwrap();
        let (code, text) = hallmark(
            folder.path(),
            &[
                "run",
                "--arch",
                "blackhole",
                "--device",
                &format!("misbehaving:{device}"),
                "--filter",
                "quiet",
            ],
        );
        assert_eq!(code, 0, "{text}");
    }
}

#[test]
fn writes_may_arrive_as_late_as_the_contract_allows() {
    let repository = repository();
    let suites =
        ["suites/dataflow/loopback.yaml", "suites/cores", "suites/semaphores", "suites/noc"];
    for architecture in ["grayskull", "wormhole_b0", "blackhole"] {
        let device = format!("misbehaving:reorders_writes:{architecture}");
        // An eighth of the tests; scripts/nightly takes them all.
        let run = ["run", "--arch", architecture, "--device", &device, "--shard", "1/8"];
        let (code, text) = hallmark(&repository, &[&run, suites.as_slice()].concat());
        assert_eq!(code, 0, "{text}");
    }
}

#[test]
fn a_replay_that_returns_other_data_than_was_captured_is_unstable_and_names_both_devices() {
    let folder = root();
    let run = ["run", "--arch", "blackhole", "--device", "sim:blackhole"];
    let replay = ["--replay-device", "misbehaving:flips_bit:blackhole"];
    let (code, text) = hallmark(folder.path(), &[run.as_slice(), &replay].concat());
    assert_eq!(code, 1, "{text}");
    assert!(text.contains("UNSTABLE blackhole::group::suite::data"), "{text}");
    assert!(
        text.contains("captured on sim:blackhole, replayed on misbehaving:flips_bit"),
        "{text}"
    );
    assert!(text.contains("sim \u{2192} misbehaving"), "{text}");
}

#[test]
fn one_misbehaves_from_the_launch_that_its_name_says() {
    let folder = root();
    for (device, expected_code) in [
        // The data is written between two launches and read behind both.
        ("drops_writes:blackhole:from=1", 1),
        ("drops_writes:blackhole:from=2", 0),
        ("flips_bit:blackhole:from=2", 1),
        ("flips_bit:blackhole:from=3", 0),
        ("flips_bit:blackhole:chance=0:seed=1", 0),
        ("flips_bit:blackhole:chance=1:seed=1", 1),
    ] {
        let (code, text) = run_on(folder.path(), device);
        assert_eq!(code, expected_code, "{device}: {text}");
    }
}

#[test]
fn one_that_forgets_a_launch_or_a_wait_returns_what_was_there_before() {
    let folder = root_of(SUITE_OF_QUEUES);
    for (device, expected_code, words) in [
        ("forgets_event:blackhole", 1, "FAIL blackhole::group::suite::ordered"),
        ("forgets_event:blackhole:nth=2", 0, "2 pass"),
        ("forgets_launch:blackhole", 1, "FAIL blackhole::group::suite::copied"),
        ("forgets_launch:blackhole:nth=2", 0, "2 pass"),
    ] {
        for dispatch in ["host", "device"] {
            let device = format!("misbehaving:{device}");
            let run = ["run", "--arch", "blackhole", "--dispatch", dispatch, "--device", &device];
            let (code, text) = hallmark(folder.path(), &run);
            assert_eq!(code, expected_code, "{device} {dispatch}: {text}");
            assert!(text.contains(words), "{device} {dispatch}: {text}");
            assert!(!text.contains("race"), "{text}");
        }
    }
}
