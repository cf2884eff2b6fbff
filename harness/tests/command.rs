//! The `hallmark` command from a user's view: exit codes, mistakes, goldens, and misbehaving workers.
#![expect(clippy::unwrap_used, reason = "a failing helper fails its test")]

mod common;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use hallmark_chip::Architecture;
use hallmark_execution::worker::contract::CONTRACT;
use hallmark_execution::worker::job::Job;
use hallmark_execution::worker::job_file::JobFile;
use hallmark_execution::worker::mock::MockJob;
use hallmark_execution::worker::process::{Ended, Ending, WorkerProgram, WorkerStart};
use hallmark_schema::model::{self, Capture, Expectation};
use hallmark_stitching::Binary;
use hallmark_suite::discover::default_architectures;

use common::{command, executable, repository, text};

fn hallmark(root: &Path, arguments: &[&str]) -> Output {
    command(root).args(arguments).output().unwrap()
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

const SUITE: &str = "about: Buffers.
cases:
  round_trip:
    about: What is written comes back.
    matrix:
      pages: [1, 3]
    steps:
      - create_buffer: { id: a, type: dram, size: pages * 64, page_size: 64 }
      - enqueue_write_buffer: { buffer: a, data: { uniform: uint32, seed: 1 } }
      - enqueue_read_buffer: { buffer: a, as: out }
      - finish: {}
    expect:
      - equal: [out, a]
  refused:
    about: A size that is no multiple of the page size.
    steps:
      - create_buffer: { id: odd, type: dram, size: 100, page_size: 64 }
        expect_error: { code: SizeNotPageMultiple, size: 100, page_size: 64 }
";

fn root_with(suite: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join("suites/group")).unwrap();
    std::fs::write(folder.path().join("suites/group/suite.yaml"), suite).unwrap();
    folder
}

fn golden(root: &Path) -> PathBuf {
    root.join("goldens/wormhole_b0/group/suite/round_trip/pages=3.lmb")
}

const TRACE: &str = "about: Traces.
cases:
  collected:
    about: A trace without programs is collected.
    device: { trace_region_size: 1024 }
    steps:
      - create_buffer: { id: b, type: dram, size: 64, page_size: 64 }
      - enqueue_write_buffer: { buffer: b, data: { uniform: uint32, seed: 1 } }
      - begin_trace_capture: { id: t }
      - end_trace_capture: { trace: t }
      - collect_trace: { trace: t, as: bytes }
      - enqueue_read_buffer: { buffer: b, as: out, blocking: true }
    expect:
      - equal: [out, b]
";

#[test]
fn a_collected_trace_is_extracted_whole_or_not_at_all() {
    let folder = root_with(TRACE);
    let root = folder.path();
    let [capture, lines, trace] =
        ["c.lmb", "c.jsonl", "bytes.trace"].map(|name| root.join(name).display().to_string());
    let test = "wormhole_b0::group::suite::collected";
    let made = hallmark(root, &["capture", test, "-o", &capture]);
    assert_eq!(code(&made), 0, "{}", text(&made));
    let wrong = hallmark(root, &["extract", &capture, "byte", "-o", &trace]);
    assert_eq!(code(&wrong), 2, "{}", text(&wrong));
    assert!(text(&wrong).contains("no trace is called `byte`; the capture collects `bytes`"));
    let extracted = hallmark(root, &["extract", &capture, "bytes", "-o", &trace]);
    assert_eq!(code(&extracted), 0, "{}", text(&extracted));
    assert!(text(&extracted).contains("trace `t` of 0 launches"), "{}", text(&extracted));
    let bytes = std::fs::read(&trace).unwrap();
    let told = hallmark_runtime::CollectedTrace::from_bytes(bytes).description().unwrap();
    assert_eq!((told.name.as_str(), told.architecture.as_str()), ("t", "wormhole_b0"));
    // With missing or different bytes, nothing is written.
    let dumped = hallmark(root, &["dump", &capture, "--format", "jsonl", "-o", &lines]);
    assert_eq!(code(&dumped), 0, "{}", text(&dumped));
    let whole = std::fs::read_to_string(&lines).unwrap();
    let calls = whole.lines().filter(|line| !line.starts_with("{\"collected\""));
    std::fs::write(&lines, calls.collect::<Vec<_>>().join("\n")).unwrap();
    std::fs::remove_file(&trace).unwrap();
    let without = hallmark(root, &["extract", &lines, "bytes", "-o", &trace]);
    assert_eq!(code(&without), 4, "{}", text(&without));
    assert!(text(&without).contains("only the calls that make them"), "{}", text(&without));
    assert!(!Path::new(&trace).exists());
}

#[test]
fn from_no_golden_to_blessed_to_corrupt() {
    let folder = root_with(SUITE);
    let root = folder.path();
    let run = hallmark(root, &["run"]);
    assert_eq!(code(&run), 7, "{}", text(&run));
    assert!(!root.join("goldens").exists(), "a run never writes a golden");

    let look = hallmark(root, &["bless", "--dry-run"]);
    assert_eq!(code(&look), 0, "{}", text(&look));
    assert!(text(&look).contains("nothing was written"), "{}", text(&look));
    assert!(!root.join("goldens").exists());
    let unasked = hallmark(root, &["bless"]);
    assert_eq!(code(&unasked), 2, "nobody to ask: {}", text(&unasked));

    let bless = hallmark(root, &["bless", "--yes"]);
    assert_eq!(code(&bless), 0, "{}", text(&bless));
    let run = hallmark(root, &["run", "--report", "report.json"]);
    assert_eq!(code(&run), 0, "{}", text(&run));
    let passes = text(&run).matches("3 pass").count();
    assert_eq!(passes, default_architectures().len(), "{}", text(&run));
    let report: serde_json::Value =
        serde_json::from_slice(&std::fs::read(root.join("report.json")).unwrap()).unwrap();
    assert_eq!(report["tests"].as_array().unwrap().len(), 3 * default_architectures().len());
    let junit = hallmark(root, &["run", "--report", "report.xml"]);
    assert_eq!(code(&junit), 0);
    assert!(std::fs::read_to_string(root.join("report.xml")).unwrap().contains("round_trip"));

    let again = hallmark(root, &["bless", "--yes"]);
    assert!(text(&again).contains("nothing was written"), "{}", text(&again));

    let mut bytes = std::fs::read(golden(root)).unwrap();
    bytes[20] ^= 1;
    std::fs::write(golden(root), &bytes).unwrap();
    let run = hallmark(root, &["run"]);
    assert_eq!(code(&run), 4, "{}", text(&run));

    // A stray golden is a failure of the whole run, and counts more than the golden that is absent.
    std::fs::rename(golden(root), root.join("goldens/wormhole_b0/group/suite/stray.lmb")).unwrap();
    assert_eq!(code(&hallmark(root, &["run"])), 1);
    hallmark(root, &["bless", "--yes"]);
    assert_eq!(code(&hallmark(root, &["run"])), 0);
}

#[test]
fn a_change_of_the_suite_moves_the_capture() {
    let folder = root_with(SUITE);
    let root = folder.path();
    hallmark(root, &["bless", "--yes"]);
    let changed = SUITE.replace("seed: 1", "seed: 2");
    std::fs::write(root.join("suites/group/suite.yaml"), changed).unwrap();
    let run = hallmark(root, &["run", "wormhole_b0::group::suite::round_trip"]);
    assert_eq!(code(&run), 1, "{}", text(&run));
    let words = [
        "\n  the program part differs from its golden; capture and replay agree\n",
        "If this is intended: hallmark bless wormhole_b0::group::suite::round_trip::pages=",
        "  (capture, differences, report, signature)\n",
        "\nCHANGED 1 more test fails like wormhole_b0::group::suite::round_trip::pages=",
    ];
    for words in words {
        assert!(text(&run).contains(words), "{words}: {}", text(&run));
    }
    // The first is shown in full, the other by name; --verbose shows both.
    for pages in [1, 3] {
        let name = format!("wormhole_b0::group::suite::round_trip::pages={pages}\n");
        assert!(text(&run).contains(&name), "{}", text(&run));
    }
    assert_eq!(text(&run).matches("Everything else is equal.").count(), 1, "{}", text(&run));
    let run = hallmark(root, &["run", "--verbose", "wormhole_b0::group::suite::round_trip"]);
    assert!(!text(&run).contains("UNSTABLE"), "{}", text(&run));
    assert_eq!(text(&run).matches("Everything else is equal.").count(), 2, "{}", text(&run));
    let kept = root.join("target/hallmark/wormhole_b0/group/suite/round_trip/pages=3");
    let differences = std::fs::read_to_string(kept.join("differences.txt")).unwrap();
    assert!(differences.contains("enqueue_write_buffer"), "{differences}");
    let report = std::fs::read_to_string(kept.join("report.txt")).unwrap();
    assert!(
        report
            .contains("device sim:wormhole_b0, firmware built in, host dispatch, schedule seed 0")
    );
}

#[test]
fn a_wrong_expectation_cannot_be_blessed() {
    let folder = root_with(
        &SUITE.replace("equal: [out, a]", "equal: [out, { constant: uint32, value: 5 }]"),
    );
    let root = folder.path();
    let bless = hallmark(root, &["bless", "--yes"]);
    assert_eq!(code(&bless), 1, "{}", text(&bless));
    assert!(text(&bless).contains("REFUSED"), "{}", text(&bless));
    assert!(!golden(root).exists());
    let run = hallmark(root, &["run", "wormhole_b0::group::suite::round_trip::pages=3"]);
    assert_eq!(code(&run), 1);
    assert!(
        text(&run).contains("differs from what the suite computes in 48 of 48 words"),
        "{}",
        text(&run)
    );
    assert!(
        root.join("target/hallmark/wormhole_b0/group/suite/round_trip/pages=3/capture.lmb")
            .is_file()
    );
}

#[test]
fn a_disk_that_is_full_while_blessing_loses_nothing() {
    let folder = root_with(SUITE);
    let root = folder.path();
    hallmark(root, &["bless", "--yes"]);
    let before = std::fs::read(golden(root)).unwrap();
    std::fs::write(root.join("suites/group/suite.yaml"), SUITE.replace("seed: 1", "seed: 2"))
        .unwrap();
    for blocks in [0, 1, 2, 4, 8] {
        let bless = Command::new("/bin/sh")
            .args(["-c", &format!("ulimit -f {blocks}; exec \"$0\" bless --yes")])
            .arg(executable())
            .current_dir(root)
            .output()
            .unwrap();
        assert!(bless.status.code().is_some(), "no signal ends it: {}", text(&bless));
        let after = std::fs::read(golden(root)).unwrap();
        if code(&bless) != 0 {
            assert!(!text(&bless).is_empty());
            assert!(after == before, "{}", text(&bless));
        }
        let stray = walkdir::WalkDir::new(root.join("goldens"))
            .into_iter()
            .flatten()
            .filter(|entry| entry.file_type().is_file())
            .count();
        assert_eq!(stray, 3 * default_architectures().len());
    }
    assert_eq!(code(&hallmark(root, &["bless", "--yes"])), 0);
    assert!(std::fs::read(golden(root)).unwrap() != before);
}

#[test]
fn exit_codes_of_the_command_line() {
    let folder = root_with(SUITE);
    let root = folder.path();
    assert_eq!(code(&hallmark(root, &["--help"])), 0);
    assert_eq!(code(&hallmark(root, &["run", "--nonsense"])), 2);
    let unknown = hallmark(root, &["run", "--arch", "wormhol"]);
    assert_eq!(code(&unknown), 2);
    assert!(text(&unknown).contains("unknown architecture `wormhol`"), "{}", text(&unknown));
    let name = hallmark(root, &["run", "--exact", "wormhole_b0"]);
    assert_eq!(code(&name), 2);
    assert!(text(&name).contains("`wormhole_b0` is not a test name"), "{}", text(&name));
    assert_eq!(code(&hallmark(root, &["run", "--device", "qemu:1"])), 2);
    assert_eq!(code(&hallmark(root, &["run", "--filter", "nothing_like_it"])), 8);
    let near = hallmark(root, &["run", "wormhole_b0::group::siute"]);
    assert_eq!(code(&near), 8);
    assert!(text(&near).contains("did you mean `wormhole_b0::group::suite`?"), "{}", text(&near));
    assert_eq!(code(&hallmark(root, &["run", "--exact", "wormhole_b0::group::suite::none"])), 8);
    for absent in ["pci:0", "ttsim:/nonexistent/libttsim.so"] {
        let device = format!("wormhole_b0={absent}");
        let run = hallmark(root, &["run", "--device", &device, "--filter", "refused"]);
        assert_eq!(code(&run), 5, "{}", text(&run));
        let unclear = hallmark(root, &["run", "--device", absent, "--filter", "refused"]);
        assert_eq!(code(&unclear), 2, "{}", text(&unclear));
    }
    assert_eq!(code(&hallmark(root, &["replay", "suites/group/suite.yaml"])), 4);
    assert_eq!(code(&hallmark(root, &["dump", "absent.lmb"])), 4);
    std::fs::write(
        root.join("suites/group/suite.yaml"),
        SUITE.replace("create_buffer", "create_bufer"),
    )
    .unwrap();
    let wrong = hallmark(root, &["run"]);
    assert_eq!(code(&wrong), 3);
    assert!(
        text(&wrong).contains("2 mistakes in 1 file; nothing runs until both are fixed"),
        "{}",
        text(&wrong)
    );
    let nowhere = tempfile::tempdir().unwrap();
    assert_eq!(code(&hallmark(nowhere.path(), &["run"])), 2);
}

#[test]
fn a_capture_stands_alone() {
    let folder = root_with(SUITE);
    let root = folder.path();
    let test = "wormhole_b0::group::suite::round_trip::pages=3";
    let capture = hallmark(root, &["capture", test, "-o", "a.lmb"]);
    assert_eq!(code(&capture), 0, "{}", text(&capture));
    hallmark(root, &["capture", test, "-o", "b.lmb"]);
    assert_eq!(
        std::fs::read(root.join("a.lmb")).unwrap(),
        std::fs::read(root.join("b.lmb")).unwrap()
    );
    assert_eq!(code(&hallmark(root, &["diff", "a.lmb", "b.lmb"])), 0);
    let other = "wormhole_b0::group::suite::round_trip::pages=1";
    hallmark(root, &["capture", other, "-o", "c.lmb"]);
    assert_eq!(code(&hallmark(root, &["diff", "a.lmb", "c.lmb"])), 1);
    // The replay has neither suites nor a root.
    let elsewhere = tempfile::tempdir().unwrap();
    std::fs::rename(root.join("a.lmb"), elsewhere.path().join("a.lmb")).unwrap();
    let replay = hallmark(elsewhere.path(), &["replay", "a.lmb"]);
    assert_eq!(code(&replay), 0, "{}", text(&replay));
    let lines =
        hallmark(elsewhere.path(), &["dump", "a.lmb", "--format", "jsonl", "-o", "a.jsonl"]);
    assert_eq!(code(&lines), 0, "{}", text(&lines));
    let again = hallmark(elsewhere.path(), &["diff", "a.lmb", "a.jsonl"]);
    assert_eq!(code(&again), 0, "{}", text(&again));
}

const SUBMITS: &str = "wormhole_b0::tensors::stitching::layouts_match";

#[test]
fn a_binary_of_a_suite_is_written_and_told_and_cannot_be_replayed() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("five.lmb");
    let (root, file) = (repository(), file.to_str().unwrap());
    let written = hallmark(&root, &["capture", SUBMITS, "--binary", "add_five", "-o", file]);
    assert_eq!(code(&written), 0, "{}", text(&written));
    assert!(text(&written).contains("a binary of 1 input and 1 output"), "{}", text(&written));
    let bytes = std::fs::read(file).unwrap();
    let capture = Capture::from_bytes(&bytes).unwrap();
    assert_eq!(capture.missing_blobs(), []);
    let binary = Binary::from_capture("five", &capture).unwrap();
    assert_eq!((binary.inputs().len(), binary.outputs().len()), (1, 1));

    let told = text(&hallmark(&root, &["dump", file]));
    let input = "input 0 `x`: 64×96, uint32 in tiles of 32×32; buffer x stands for it";
    assert!(told.contains(input), "{told}");
    let lines = folder.path().join("five.jsonl");
    let lines = lines.to_str().unwrap();
    assert_eq!(code(&hallmark(&root, &["dump", file, "--format", "jsonl", "-o", lines])), 0);
    let same = hallmark(&root, &["diff", file, lines]);
    assert_eq!(code(&same), 0, "{}", text(&same));

    let suite = folder.path().join("suite");
    let suite = suite.to_str().unwrap();
    let told = hallmark(&root, &["dump", file, "--format", "yaml", "-o", suite]);
    assert_eq!(code(&told), 4);
    assert!(text(&told).contains("it is a binary, whose inputs are free"), "{}", text(&told));
    let bad = ["--bad", "sim:wormhole_b0"];
    let devices = ["--devices", "sim:wormhole_b0,sim:wormhole_b0"];
    for (command, more) in [
        ("replay", &[][..]),
        ("portability", &[]),
        ("profile", &[]),
        ("bisect", &bad),
        ("reduce", &[bad[0], bad[1], "-o", suite]),
        ("compare", &devices),
    ] {
        // The text forms hold the same binary.
        for file in [file, lines] {
            let refused = hallmark(&root, &[&[command, file], more].concat());
            assert_eq!(code(&refused), 4, "{command}: {}", text(&refused));
            let said = text(&refused);
            assert!(
                said.contains("a binary, whose inputs are free; submit it"),
                "{command}: {said}"
            );
        }
    }
    assert!(!Path::new(suite).exists());

    for (test, binary, said) in [
        (SUBMITS, "add_fvie", "did you mean `add_five`?"),
        (SUBMITS, "add_both", "uses no binary `add_both`"),
        ("wormhole_b0::buffers::lifetime::size_checks", "add_five", "uses no binary; name a test"),
    ] {
        let unknown = hallmark(&root, &["capture", test, "--binary", binary, "-o", file]);
        assert_eq!(code(&unknown), 2, "{}", text(&unknown));
        assert!(text(&unknown).contains(said), "{}", text(&unknown));
    }
    assert_eq!(std::fs::read(file).unwrap(), bytes);
}

#[test]
fn a_capture_told_as_a_suite_gives_the_same_program() {
    let folder = root_with(SUITE);
    let root = folder.path();
    let here = repository();
    let tests = [
        (root, "group::suite::round_trip::pages=3"),
        (root, "group::suite::refused"),
        (&here, "arguments::common::updated_in_place"),
        (&here, "circular_buffers::dynamic::another_buffer_and_size"),
        (&here, "circular_buffers::places::updated"),
    ];
    for (place, (suites, test)) in tests.into_iter().enumerate() {
        let test = format!("wormhole_b0::{test}");
        let (first, told, second) =
            (format!("{place}.lmb"), format!("told{place}"), format!("{place}again.lmb"));
        let suites = suites.to_str().unwrap();
        let capture = hallmark(root, &["capture", &test, "--root", suites, "-o", &first]);
        assert_eq!(code(&capture), 0, "{}", text(&capture));
        let dump = hallmark(root, &["dump", &first, "--format", "yaml", "-o", &told]);
        assert_eq!(code(&dump), 0, "{}", text(&dump));
        let again = "wormhole_b0::dump::capture::captured";
        let capture = hallmark(root, &["capture", again, "--root", &told, "-o", &second]);
        assert_eq!(code(&capture), 0, "{}", text(&capture));
        let diff = hallmark(root, &["diff", &first, &second]);
        assert_eq!(code(&diff), 0, "{}", text(&diff));
        // Existing files are never overwritten.
        let twice = hallmark(root, &["dump", &first, "--format", "yaml", "-o", &told]);
        assert_eq!(code(&twice), 2);
    }
}

#[test]
fn a_suite_expects_what_the_capture_returned() {
    let folder = root_with(SUITE);
    let root = folder.path();
    let test = "wormhole_b0::group::suite::round_trip::pages=3";
    assert_eq!(code(&hallmark(root, &["capture", test, "-o", "first.lmb"])), 0);
    let path = root.join("first.lmb");
    let mut capture = Capture::from_bytes(&std::fs::read(&path).unwrap()).unwrap();
    let returned = capture.outputs[0].hash;
    for recorded in &mut capture.program.commands {
        if let model::Command::EnqueueReadBuffer(read) = &mut recorded.command {
            read.expectation = Expectation::AsCaptured;
        }
    }
    std::fs::write(&path, capture.to_bytes().unwrap()).unwrap();
    let dump = hallmark(root, &["dump", "first.lmb", "--format", "yaml", "-o", "told"]);
    assert_eq!(code(&dump), 0, "{}", text(&dump));
    let again = "wormhole_b0::dump::capture::captured";
    let second = hallmark(root, &["capture", again, "--root", "told", "-o", "second.lmb"]);
    assert_eq!(code(&second), 0, "{}", text(&second));
    let second = Capture::from_bytes(&std::fs::read(root.join("second.lmb")).unwrap()).unwrap();
    let expected = second.program.commands.iter().find_map(|recorded| match &recorded.command {
        model::Command::EnqueueReadBuffer(read) => Some(&read.expectation),
        _ => None,
    });
    assert_eq!(expected, Some(&Expectation::Exact { hash: returned }));
}

#[test]
fn a_new_suite_runs_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    std::fs::create_dir(root.join("suites")).unwrap();
    let new = hallmark(root, &["new", "suite", "first/steps"]);
    assert_eq!(code(&new), 0, "{}", text(&new));
    assert!(text(&new).contains("hallmark run suites/first/steps.yaml"), "{}", text(&new));
    assert_eq!(code(&hallmark(root, &["run"])), 7, "there is no golden yet");
    assert_eq!(code(&hallmark(root, &["bless", "--yes"])), 0);
    let run = hallmark(root, &["run"]);
    assert_eq!(code(&run), 0, "{}", text(&run));
    assert!(text(&run).contains("5 pass"), "{}", text(&run));
    let again = hallmark(root, &["new", "suite", "first/steps"]);
    assert_eq!(code(&again), 2);
    assert!(text(&again).contains("already exists"), "{}", text(&again));
    for wrong in ["steps", "a/b/c", "../x", "a b/c", "fragments/x", "/etc"] {
        assert_eq!(code(&hallmark(root, &["new", "suite", wrong])), 2, "{wrong}");
    }
}

#[test]
fn tests_that_failed_and_parts_of_all_tests() {
    let folder = root_with(SUITE);
    let root = folder.path();
    assert_eq!(code(&hallmark(root, &["bless", "--yes"])), 0);
    let none = hallmark(root, &["run", "--failed"]);
    assert_eq!(code(&none), 0, "{}", text(&none));
    assert_eq!(text(&none), "nothing to do: no test failed when it last ran here\n");

    let wrong = SUITE.replace(
        "size: 100, page_size: 64 }\n        expect",
        "size: 200, page_size: 64 }\n        expect",
    );
    std::fs::write(root.join("suites/group/suite.yaml"), wrong).unwrap();
    let wormhole = ["--arch", "wormhole_b0"];
    let run = |arguments: &[&str]| hallmark(root, &[&["run"], arguments, &wormhole].concat());
    assert_eq!(code(&run(&[])), 1);
    let failed = run(&["--failed"]);
    assert!(text(&failed).contains("   1 test, 1 did not pass"), "{}", text(&failed));
    // A run of other tests keeps the list of failed tests.
    assert_eq!(code(&run(&["wormhole_b0::group::suite::round_trip"])), 0);
    assert_eq!(code(&run(&["--failed"])), 1);
    let others = run(&["--failed", "wormhole_b0::group::suite::round_trip"]);
    assert_eq!(code(&others), 0, "{}", text(&others));
    let words =
        "none of the selected tests failed when it last ran here; 1 other test is known that did";
    assert!(text(&others).contains(words), "{}", text(&others));
    // `list` accepts the same selection.
    let list = |arguments: &[&str]| hallmark(root, &[&["list"], arguments, &wormhole].concat());
    assert_eq!(text(&list(&["--failed"])), "wormhole_b0::group::suite::refused\n");
    let empty = list(&["--failed", "wormhole_b0::group::suite::round_trip"]);
    assert!(code(&empty) == 0 && empty.stdout.is_empty(), "{}", text(&empty));
    assert!(text(&empty).contains(words), "{}", text(&empty));
    std::fs::write(root.join("suites/group/suite.yaml"), SUITE).unwrap();
    let mended = run(&["--failed"]);
    assert!(code(&mended) == 0 && text(&mended).contains("1 pass"), "{}", text(&mended));
    let left = run(&["--failed"]);
    assert_eq!(code(&left), 0, "{}", text(&left));
    assert_eq!(text(&left), "nothing to do: no test failed when it last ran here\n");

    let first = run(&["--shard", "1/2", "--report", "first.json"]);
    assert!(text(&first).contains("2 pass"), "{}", text(&first));
    assert!(text(&run(&["--shard", "2/2"])).contains("1 pass"));
    let empty = run(&["--shard", "4/4"]);
    assert_eq!(code(&empty), 8);
    assert!(text(&empty).contains("shard 4/4 of 3 tests is empty"), "{}", text(&empty));
    let wrong = run(&["--shard", "3/2"]);
    assert_eq!(code(&wrong), 2);
    assert!(text(&wrong).contains("shard must be 1–2 of 2, not 3"), "{}", text(&wrong));
    let listed: Vec<String> =
        ["1/2", "2/2"].map(|shard| text(&list(&["--shard", shard]))).into_iter().collect();
    assert_eq!(listed.iter().map(|it| it.lines().count()).collect::<Vec<_>>(), [2, 1]);

    let seeds = run(&["--schedule-seeds", "1..3", "--report", "seeds.json"]);
    assert_eq!(code(&seeds), 0, "{}", text(&seeds));
    assert!(
        text(&seeds).contains("3 tests, each under 3 schedule seeds (1..3)"),
        "{}",
        text(&seeds)
    );
    let report: serde_json::Value =
        serde_json::from_slice(&std::fs::read(root.join("seeds.json")).unwrap()).unwrap();
    assert_eq!(report["schedule_seeds"], "1..3");
    assert_eq!(code(&run(&["--schedule-seeds", "3..1"])), 2);
    assert_eq!(code(&run(&["--schedule-seeds", "1..3", "--schedule-seed", "1"])), 2);
}

const NEAR: &str = "about: Near.
cases:
  near:
    about: Within a tolerance.
    steps:
      - create_buffer: { id: a, type: dram, size: 64, page_size: 16 }
      - enqueue_write_buffer: { buffer: a, data: { normal: float32, seed: 1 } }
      - enqueue_read_buffer: { buffer: a, as: out }
      - enqueue_read_buffer: { buffer: a, as: same }
      - finish: {}
    expect:
      - near: [out, { map: float32, of: [a], value: a * 1.001 }]
        type: float32
        relative: 0.0011
        reason: a test
      - near: [same, a]
        type: float32
        ulp: 3
        absolute: 1e-30
        reason: another test
";

#[test]
fn a_tolerance_goes_all_the_way() {
    let folder = root_with(NEAR);
    let root = folder.path();
    let bless = hallmark(root, &["bless", "--yes", "--arch", "wormhole_b0"]);
    assert_eq!(code(&bless), 0, "{}", text(&bless));
    let run = hallmark(root, &["run", "--arch", "wormhole_b0", "--strict-derived"]);
    assert_eq!(code(&run), 0, "{}", text(&run));

    // The computed reference travels with the capture: the capture stands alone and has a suite form.
    let test = "wormhole_b0::group::suite::near";
    assert_eq!(code(&hallmark(root, &["capture", test, "-o", "first.lmb"])), 0);
    let elsewhere = tempfile::tempdir().unwrap();
    let file = root.join("first.lmb");
    std::fs::copy(&file, elsewhere.path().join("first.lmb")).unwrap();
    let replay = hallmark(elsewhere.path(), &["replay", "first.lmb"]);
    assert_eq!(code(&replay), 0, "{}", text(&replay));
    let dump = hallmark(root, &["dump", "first.lmb"]);
    let words =
        "within 3 units in the last place or 0.000000000000000000000000000001 of normal float32";
    assert!(
        text(&dump).contains(words) && text(&dump).contains("self-contained"),
        "{}",
        text(&dump)
    );
    let told = elsewhere.path().join("told").to_string_lossy().into_owned();
    let dump = hallmark(root, &["dump", "first.lmb", "--format", "yaml", "-o", &told]);
    assert_eq!(code(&dump), 0, "{}", text(&dump));
    let again = ["capture", "wormhole_b0::dump::capture::captured", "-o", "again.lmb"];
    let again = hallmark(root, &[again.as_slice(), &["--root", &told]].concat());
    assert_eq!(code(&again), 0, "{}", text(&again));
    let diff = hallmark(root, &["diff", "first.lmb", "again.lmb"]);
    assert_eq!(code(&diff), 0, "{}", text(&diff));

    // Outside the tolerance, the error names the worst element, and nothing is blessed.
    let wrong = NEAR.replace("0.0011", "0.0009");
    std::fs::write(root.join("suites/group/suite.yaml"), wrong).unwrap();
    let run = hallmark(root, &["run", "--arch", "wormhole_b0"]);
    assert_eq!(code(&run), 1, "{}", text(&run));
    let words = "`out` is not near what the suite computes in 16 of 16 elements";
    assert!(text(&run).contains(words), "{}", text(&run));
    assert!(text(&run).contains("allowed   0.0009×|reference|: a test"), "{}", text(&run));
    assert!(text(&run).contains("units in the last place"), "{}", text(&run));
    assert!(text(&run).contains("page 0 of a is DRAM bank 0"), "{}", text(&run));
}

fn mock(job: MockJob, timeout: Duration) -> (Ended, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let worker = WorkerProgram { executable: executable() };
    let job = JobFile::create(folder.path(), Job::Mock(job), &BTreeMap::new(), CONTRACT).unwrap();
    (
        worker
            .run(folder.path(), &job, &BTreeMap::new(), timeout, None, WorkerStart::Executed)
            .unwrap(),
        folder,
    )
}

const LONG: Duration = Duration::from_secs(20);
const SHORT: Duration = Duration::from_millis(200);

#[test]
fn executed_workers_give_what_forked_ones_give() {
    let folder = root_with(SUITE);
    let run = |arguments: &[&str]| {
        let run = hallmark(folder.path(), arguments);
        assert_eq!(code(&run), 0, "{arguments:?}: {}", text(&run));
        text(&run)
    };
    run(&["bless", "--yes", "--fresh"]);
    assert!(run(&["bless", "--yes"]).contains("0 goldens to change"), "the captures differ");
    run(&["run"]);
    run(&["run", "--fresh"]);
}

#[test]
fn workers_that_misbehave() {
    let ending = |job| mock(job, LONG).0.ending;
    assert!(
        matches!(ending(MockJob::Succeed), Ending::Reported(report) if report.problem.is_none())
    );
    assert!(matches!(ending(MockJob::Crash), Ending::Signal(6)));
    assert!(matches!(ending(MockJob::Exit(3)), Ending::Exited(3)));
    // A report followed by an exit code other than 0 does not count.
    assert!(matches!(ending(MockJob::Exit(0)), Ending::Exited(0)));
    let (garbage, _folder) = mock(MockJob::Garbage, LONG);
    assert!(matches!(garbage.ending, Ending::Reported(_)));
    assert!(garbage.stdout.len() <= 3 * (64 << 10), "only the tail is kept");
    let line = "[77] ERROR: UndefinedBehavior: l1_read: 0x5 is not aligned";
    let (fault, _folder) = mock(MockJob::PrintAndExit(line.to_owned()), LONG);
    assert_eq!(fault.closing_fault().unwrap().reason, "l1_read: 0x5 is not aligned");
    let once = tempfile::tempdir().unwrap();
    let flake = MockJob::Flake(once.path().join("ran"));
    assert!(matches!(ending(flake.clone()), Ending::Reported(report) if report.problem.is_some()));
    assert!(matches!(ending(flake), Ending::Reported(report) if report.problem.is_none()));
}

#[test]
fn a_hang_is_stopped_with_everything_that_it_started() {
    for job in [MockJob::Hang, MockJob::HangWithChild] {
        let start = Instant::now();
        let (ended, _folder) = mock(job, SHORT);
        assert!(matches!(ended.ending, Ending::TimedOut));
        assert!(start.elapsed() < Duration::from_secs(10));
        // The child is gone, or a zombie that its new parent has not collected yet.
        if let Ok(child) = ended.stdout.trim().parse::<u32>() {
            loop {
                let stat =
                    std::fs::read_to_string(format!("/proc/{child}/stat")).unwrap_or_default();
                let state = stat.rsplit_once(')').map_or("", |(_, rest)| rest.trim());
                if state.is_empty() || state.starts_with(['Z', 'X']) {
                    break;
                }
                // A signal ends a process at the system's convenience, and no process waits for this one.
                assert!(start.elapsed() < Duration::from_secs(10), "{child}: {stat}");
                std::thread::sleep(Duration::from_millis(1));
            }
        }
    }
}

#[test]
fn a_worker_finds_nothing_around_it() {
    let (ended, folder) = mock(MockJob::Surroundings, LONG);
    let Ending::Reported(report) = ended.ending else { panic!("{:?}", ended.ending) };
    assert_eq!(report.differences[..2], ["0 entries", ""]);
    // Of its open descriptors, only its own output is a file.
    let below = |folder: &Path, line: &str| {
        let target = line.split_once(' ').map_or(line, |(_, target)| target);
        Path::new(target).starts_with(folder)
    };
    let open: Vec<&str> = report.differences[2].lines().collect();
    let output = |number: u32, name: &str| {
        format!("{number} {}", folder.path().canonicalize().unwrap().join(name).display())
    };
    assert!(open.contains(&"0 /dev/null"), "{open:?}");
    assert!(open.contains(&output(1, "stdout").as_str()), "{open:?}");
    assert!(open.contains(&output(2, "stderr").as_str()), "{open:?}");
    let others = open.iter().filter(|line| !line.starts_with(['0', '1', '2'])).collect::<Vec<_>>();
    for line in others {
        assert!(!below(folder.path(), line), "{line}");
        assert!(!below(&repository(), line), "{line}");
    }
}

#[test]
fn an_interrupt_leaves_nothing_behind() {
    // A long run would need a kernel. This test has none and uses many short tests.
    let pages: Vec<String> = (1..400).map(|pages| pages.to_string()).collect();
    let folder = root_with(&SUITE.replace("[1, 3]", &format!("[{}]", pages.join(", "))));
    let mut child = command(folder.path())
        .args(["run", "-j", "1"])
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(400));
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let status = child.wait().unwrap();
    assert_eq!(status.code(), Some(130));
}

#[test]
fn a_device_that_is_not_there_is_said_once() {
    let folder = root_with(SUITE);
    for device in ["ttsim:/there/is/no/such/library.so", "pci:0"] {
        let run = hallmark(folder.path(), &["run", "--arch", "wormhole_b0", "--device", device]);
        assert_eq!(code(&run), 5, "{}", text(&run));
        let said = text(&run);
        assert_eq!(said.lines().count(), 1, "{said}");
        assert!(said.contains("cannot be tested on"), "{said}");
    }
}

#[test]
fn every_architecture_has_its_tests() {
    let folder = root_with(SUITE);
    for architecture in Architecture::ALL {
        let list = hallmark(folder.path(), &["list", "--arch", architecture.name()]);
        let test = format!("{architecture}::group::suite::refused");
        assert!(text(&list).contains(&test), "{}", text(&list));
    }
}

#[test]
fn paths_select_where_the_folder_of_suites_is_a_link() {
    let folder = root_with(SUITE);
    let linked = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(folder.path().join("suites"), linked.path().join("suites")).unwrap();
    let list = |root: &Path, what: &str| {
        let output = hallmark(root, &["list", "--arch", "wormhole_b0", what]);
        (code(&output), text(&output))
    };
    for what in ["suites/group/suite.yaml", "suites/group", "group"] {
        let (exit, names) = list(linked.path(), what);
        assert_eq!((exit, &names), (0, &list(folder.path(), what).1), "{what}");
        assert!(names.contains("wormhole_b0::group::suite::refused"), "{names}");
    }
}

#[test]
fn a_test_is_explained_without_running_it() {
    let folder = root_with(SUITE);
    let root = folder.path();
    let explained = hallmark(root, &["explain", "wormhole_b0::group::suite::round_trip::pages=3"]);
    assert_eq!(code(&explained), 0, "{}", text(&explained));
    insta::assert_snapshot!(text(&explained));
    let refused = hallmark(root, &["explain", "wormhole_b0::group::suite::refused"]);
    let words = "call 0, create_buffer, fails with SizeNotPageMultiple";
    assert!(text(&refused).contains(words), "{}", text(&refused));
    let absent = hallmark(root, &["explain", "wormhole_b0::group::suite::refusd"]);
    assert_eq!(code(&absent), 8);
    assert!(text(&absent).contains("did you mean `refused`?"), "{}", text(&absent));
    // No golden and no kept file appeared: nothing ran.
    assert!(!root.join("target").exists() && !root.join("goldens").exists());
}

const VIEWS: &str = "about: Views.
cases:
  parts:
    about: Pages of a buffer as buffers of their own.
    steps:
      - create_buffer: { id: a, type: l1, size: 8 * 64, page_size: 64 }
      - create_buffer_view: { id: middle, of: a, offset: 2 * 64, size: 4 * 64 }
      - create_buffer_view: { id: last, of: middle, offset: 3 * 64, size: 64 }
      - create_buffer_view: { id: odd, of: middle, offset: 32, size: 64 }
        expect_error: { code: RegionNotPageMultiple, offset: 32, size: 64, page_size: 64 }
      - enqueue_write_buffer: { buffer: last, data: { constant: uint32, value: 7 } }
      - enqueue_read_buffer: { buffer: last, as: out }
      - finish: {}
    expect:
      - equal: [out, last]
";

#[test]
fn views_are_explained_with_their_own_pages() {
    let folder = root_with(VIEWS);
    let explained = hallmark(folder.path(), &["explain", "wormhole_b0::group::suite::parts"]);
    assert_eq!(code(&explained), 0, "{}", text(&explained));
    insta::assert_snapshot!(text(&explained));
}

const STALE: &str = "about: Arguments, memory and words that are left over.
kernels:
  f: { source: kernels/sync_write_flag.cpp }
  k: { source: kernels/atomic_increment.cpp }
  p: { source: kernels/grant_other_tile.cpp }
  w: { source: kernels/word_await.cpp }
cases:
  deallocated:
    about: The program is enqueued again after its buffer is gone.
    steps:
      - create_global_semaphore: { id: count, cores: [[1, 1], [2, 1]], initial_value: 4 }
      - create_program: { id: program }
      - create_kernel: { id: adds, program: program, kernel: k, cores: [1, 1], processor: riscv_0 }
      - set_runtime_args: { kernel: adds, args: [{ noc_x: [2, 1] }, { noc_y: [2, 1] }, { global_semaphore: count }, 3, 1] }
      - enqueue_program: { program: program }
      - enqueue_read_buffer: { buffer: count, as: out, blocking: true }
      - deallocate_buffer: { buffer: count }
      - enqueue_program: { program: program, blocking: true }
    expect:
      - equal: [out, [4, 7]]
  elsewhere:
    about: The core that is named has no word.
    steps:
      - create_global_semaphore: { id: count, cores: [[1, 1], [2, 1]] }
      - create_program: { id: program }
      - create_kernel: { id: adds, program: program, kernel: k, cores: [1, 1], processor: riscv_0 }
      - set_runtime_args: { kernel: adds, args: [{ noc_x: [3, 1] }, { noc_y: [3, 1] }, { global_semaphore: count }, 3, 1] }
      - enqueue_program: { program: program }
      - enqueue_read_buffer: { buffer: count, as: out, blocking: true }
    expect:
      - equal: [out, [0, 0]]
  taken:
    about: A buffer takes the memory of one that a trace uses; the trace is not replayed.
    device: { trace_region_size: 4096 }
    steps:
      - create_global_semaphore: { id: count, cores: [[1, 1], [2, 1]] }
      - create_program: { id: program }
      - create_kernel: { id: adds, program: program, kernel: k, cores: [1, 1], processor: riscv_0 }
      - set_runtime_args: { kernel: adds, args: [{ noc_x: [2, 1] }, { noc_y: [2, 1] }, { global_semaphore: count }, 3, 1] }
      - enqueue_program: { program: program, blocking: true }
      - begin_trace_capture: { id: adding }
      - enqueue_program: { program: program }
      - end_trace_capture: { trace: adding }
      - create_global_semaphore: { id: beside, cores: [[1, 1], [2, 1]] }
      - deallocate_buffer: { buffer: count }
      - create_global_semaphore: { id: weights, cores: [[2, 1], [3, 1]], initial_value: 8 }
      - enqueue_read_buffer: { buffer: weights, as: out, blocking: true }
    expect:
      - equal: [out, [8, 8]]
  room_released:
    about: The buffer of a circular buffer is released between two launches.
    matrix: { moves: [0, 1] }
    steps:
      - create_buffer: { id: room, type: l1, size: l1_banks * 64, page_size: 64 }
      - create_buffer: { id: other, type: l1, size: l1_banks * 64, page_size: 64 }
      - create_global_semaphore: { id: count, cores: [[1, 1], [2, 1]] }
      - create_program: { id: program }
      - create_circular_buffer: { id: page, program: program, cores: [1, 1], total_size: 64, indices: [{ index: 0, page_size: 32 }], globally_allocated_address: { buffer: room } }
      - create_kernel: { id: adds, program: program, kernel: k, cores: [1, 1], processor: riscv_0 }
      - set_runtime_args: { kernel: adds, args: [{ noc_x: [2, 1] }, { noc_y: [2, 1] }, { global_semaphore: count }, 3, 1] }
      - enqueue_program: { program: program, blocking: true }
      - deallocate_buffer: { buffer: room }
      - repeat: { times: moves, steps: [{ update_dynamic_circular_buffer_address: { circular_buffer: page, buffer: other } }] }
      - enqueue_program: { program: program, blocking: true }
      - enqueue_program: { program: program, blocking: true }
      - enqueue_read_buffer: { buffer: count, as: out, blocking: true }
    expect:
      - equal: [out, [0, 9]]
  no_kernel:
    about: The program has a circular buffer on a tile on which it runs no kernel.
    steps:
      - create_program: { id: program }
      - create_circular_buffer: { id: page, program: program, cores: [[1, 1], [2, 1]], total_size: 64, indices: [{ index: 0, page_size: 32 }] }
      - create_kernel: { id: sends, program: program, kernel: p, cores: [1, 1], processor: riscv_0 }
      - set_runtime_args: { kernel: sends, args: [{ noc_x: [2, 1] }, { noc_y: [2, 1] }, 1] }
      - create_buffer: { id: out, type: dram, size: 64, page_size: 64 }
      - enqueue_write_buffer: { buffer: out, data: { constant: uint32, value: 1 }, as: kept }
      - enqueue_program: { program: program }
      - enqueue_read_buffer: { buffer: out, as: read, blocking: true }
    expect:
      - equal: [read, kept]
  no_kernel_for_a_semaphore:
    about: The same with a semaphore.
    steps:
      - create_program: { id: program }
      - create_semaphore: { id: flag, program: program, cores: [[1, 1], [2, 1]] }
      - create_kernel: { id: raises, program: program, kernel: f, cores: [1, 1], processor: riscv_0 }
      - set_runtime_args: { kernel: raises, args: [{ semaphore: flag }, { noc_x: [2, 1] }, { noc_y: [2, 1] }, 1, { semaphore: flag }, 1, 5, 1, 0] }
      - create_buffer: { id: out, type: dram, size: 64, page_size: 64 }
      - enqueue_write_buffer: { buffer: out, data: { constant: uint32, value: 1 }, as: kept }
      - enqueue_program: { program: program }
      - enqueue_read_buffer: { buffer: out, as: read, blocking: true }
    expect:
      - equal: [read, kept]
  waits:
    about: The core sets the word back that it waits for again.
    steps:
      - create_global_semaphore: { id: flag, cores: [[1, 1], [2, 1]], initial_value: 6 }
      - create_buffer: { id: out, type: dram, size: 64, page_size: 64 }
      - create_program: { id: program }
      - create_kernel: { id: awaits, program: program, kernel: w, cores: [1, 1], processor: riscv_1, compile_args: [{ accessor: out }] }
      - set_runtime_args: { kernel: awaits, args: [{ global_semaphore: flag }, 4, { global_semaphore: flag }, 6, 1, { buffer: out }] }
      - enqueue_program: { program: program, blocking: true }
      - enqueue_program: { program: program, blocking: true }
      - enqueue_read_buffer: { buffer: flag, as: read, blocking: true }
    expect:
      - equal: [read, [0, 6]]
";

#[test]
fn reports_name_what_is_left_over() {
    let folder = root_with(STALE);
    let kernels = folder.path().join("suites/kernels");
    std::fs::create_dir_all(&kernels).unwrap();
    let sources =
        ["atomic_increment.cpp", "grant_other_tile.cpp", "sync_write_flag.cpp", "word_await.cpp"];
    for source in sources {
        let here = repository().join("suites/kernels").join(source);
        std::fs::copy(here, kernels.join(source)).unwrap();
    }
    let built = repository().join("suites/kernels/prebuilt");
    let device = format!("sim:wormhole_b0 kernels={}", built.display());
    // Faults of one category are grouped otherwise.
    let on = ["run", "--verbose", "--arch", "wormhole_b0", "--device", device.as_str()];
    let run = hallmark(folder.path(), &on);
    for words in [
        "runtime argument 2 of kernel `adds` is the address of buffer `count`, which was deallocated",
        "buffer `count` (argument 2) lies there on other tiles, such as (",
        "circular buffer 0 of the program lies there on other tiles, on which kernels of the program run: ",
        "create the semaphore on every core that uses it (each needs a kernel of this program), or correct",
        "WARNING wormhole_b0::group::suite::taken\n  command 12: buffer `weights` takes memory of buffer `count`, which \
         was deallocated and which trace `adding` uses",
        "WARNING wormhole_b0::group::suite::room_released::moves=0\n  command 10: circular buffer `page` lies where buffer `room` lay, \
         which was deallocated after an earlier launch of the program: call update_dynamic_circular_buffer_address for `page`",
        "lowered from 6 to 0 by (1,1) NCRISC in kernel_main of `awaits`, word_await.cpp:23: `noc_semaphore_set(word, 0);`",
    ] {
        assert!(text(&run).contains(words), "{}", text(&run));
    }
    // It is said once, and not where the circular buffer has moved.
    assert_eq!(
        text(&run).matches("circular buffer `page` lies where").count(),
        1,
        "{}",
        text(&run)
    );
}

#[test]
fn whatever_selects_nothing_is_named() {
    let folder = root_with(SUITE);
    let root = folder.path();
    std::fs::create_dir(root.join("suites/empty")).unwrap();
    let there = "wormhole_b0::group::suite::refused";
    let absent = [
        (
            "wormhole_b0::group::suite::refusd",
            "; did you mean `wormhole_b0::group::suite::refused`?",
        ),
        ("wormhole_b0::gruop", "; did you mean `wormhole_b0::group`?"),
        ("group::suite::refusd", "; did you mean `group::suite::refused`?"),
        ("wormhole_b0::group::other", ""),
        ("suites/empty", ""),
    ];
    for (wrong, near) in absent {
        for what in [[there, wrong], [wrong, there], ["suites/group", wrong]] {
            for command in ["run", "list", "bless"] {
                let output = hallmark(root, &[[command].as_slice(), &what].concat());
                assert_eq!(code(&output), 8, "{}", text(&output));
                let words = format!("no test is selected by `{wrong}`{near}");
                assert!(text(&output).contains(&words), "{}", text(&output));
            }
        }
    }
    let filters = |filters: [&str; 2]| {
        let [first, second] = filters;
        hallmark(root, &["list", "--arch", "wormhole_b0", "--filter", first, "--filter", second])
    };
    assert_eq!(text(&filters(["refused", "pages=3"])).lines().count(), 2);
    let output = filters(["refused", "pages=4"]);
    assert_eq!(code(&output), 8, "{}", text(&output));
    assert!(text(&output).contains("no test is selected by `pages=4`"), "{}", text(&output));
    // Without an architecture a name stands for those of each.
    let listed = |what: &str| text(&hallmark(root, &["list", what]));
    let (of_one, of_each) = (listed(there), listed("group::suite::refused"));
    assert_eq!(of_each.lines().next(), of_one.lines().next(), "{of_each}");
    assert!(of_each.contains("blackhole::group::suite::refused\n"), "{of_each}");
    assert_eq!(listed("group::suite"), listed("*::group::suite"));
    assert_eq!(listed("group::sui?e"), listed("group::suite"));
    assert_eq!(code(&hallmark(root, &["list", "suite::refused"])), 8);
    // A suite that cannot be read is named by its mistakes, whichever way it is selected.
    std::fs::write(root.join("suites/group/broken.yaml"), "about: A suite.\ncasez: {}\n").unwrap();
    for what in ["group::broken", "group::broken::one", "blackhole::group::broken"] {
        let output = hallmark(root, &["run", what]);
        let said = text(&output);
        assert!(code(&output) == 3 && said.contains("unknown key `casez`"), "{said}");
    }
    std::fs::remove_file(root.join("suites/group/broken.yaml")).unwrap();
    // Several selections may name the same test.
    assert_eq!(text(&hallmark(root, &["list", there, there])).lines().count(), 1);
}

#[test]
fn every_subcommand_has_its_help() {
    let folder = tempfile::tempdir().unwrap();
    let help = |arguments: &[&str]| {
        // The width of lines must not depend on the caller's environment.
        let mut command = command(folder.path());
        let output = command.args(arguments).arg("--help").env_remove("COLUMNS").output().unwrap();
        assert_eq!(code(&output), 0, "{}", text(&output));
        text(&output)
    };
    let all = help(&[]);
    insta::assert_snapshot!("help", all);
    // Groups of commands, each below its heading.
    let groups = all.split_once("\nOptions:\n").unwrap().0;
    let names = groups.lines().filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    let names: Vec<&str> = names.filter(|name| !name.is_empty()).collect();
    assert!(names.len() > 25, "{names:?}");
    for name in names {
        if name == "help" {
            continue;
        }
        let said = help(&[name]);
        insta::assert_snapshot!(format!("help_{name}"), said);
        // The subcommands of a command.
        let below = said.split_once("\nCommands:\n").map_or("", |(_, rest)| rest);
        for line in below.lines().take_while(|line| !line.is_empty()) {
            let below = line.split_whitespace().next().unwrap();
            if below != "help" {
                insta::assert_snapshot!(format!("help_{name}_{below}"), help(&[name, below]));
            }
        }
    }
}

#[test]
fn each_schedule_seed_keeps_what_failed_in_a_folder_of_its_own() {
    let wrong = SUITE.replace("equal: [out, a]", "equal: [out, { constant: uint32, value: 5 }]");
    let folder = root_with(&wrong);
    let root = folder.path();
    let test = "wormhole_b0::group::suite::round_trip::pages=3";
    for (seed, below) in [("0", ""), ("3", "schedule_seed=3/"), ("7", "schedule_seed=7/")] {
        let run = hallmark(root, &["run", "--exact", test, "--schedule-seed", seed]);
        assert_eq!(code(&run), 1, "{}", text(&run));
        let kept = format!("target/hallmark/{below}wormhole_b0/group/suite/round_trip/pages=3");
        assert!(text(&run).contains(&format!("kept      {kept}")), "{}", text(&run));
    }
    std::fs::write(root.join("suites/group/suite.yaml"), SUITE).unwrap();
    assert_eq!(code(&hallmark(root, &["bless", "--yes", "--exact", test])), 0);
    assert_eq!(code(&hallmark(root, &["run", "--exact", test, "--schedule-seed", "3"])), 0);
    let kept = |below: &str| {
        let folder = "wormhole_b0/group/suite/round_trip/pages=3/report.txt";
        root.join("target/hallmark").join(below).join(folder).is_file()
    };
    assert!(!kept("schedule_seed=3") && kept("schedule_seed=7"));
}

#[test]
fn listing_looks_at_names_and_one_test_at_its_own_file() {
    let folder = root_with(SUITE);
    let root = folder.path();
    // A mistake in the calls of another suite does not prevent listing or running this one.
    let wrong = SUITE.replace("pages * 64", "pags * 64");
    std::fs::write(root.join("suites/group/wrong.yaml"), wrong).unwrap();
    let list = hallmark(root, &["list", "--arch", "wormhole_b0"]);
    assert_eq!(text(&list).lines().count(), 6, "{}", text(&list));
    let exact = "wormhole_b0::group::suite::round_trip::pages=3";
    assert_eq!(code(&hallmark(root, &["bless", "--yes", "--exact", exact])), 0);
    assert_eq!(code(&hallmark(root, &["run", "--exact", exact])), 0);
    assert_eq!(code(&hallmark(root, &["run"])), 3);
    std::fs::write(root.join("suites/group/wrong.yaml"), "about: [").unwrap();
    assert_eq!(code(&hallmark(root, &["list"])), 3);
    assert_eq!(code(&hallmark(root, &["run", "--exact", exact])), 0);
}

const KERNEL: &str = "about: A kernel.
kernels:
  copy: { source: kernels/copy.cpp }
cases:
  one:
    about: A kernel that does not compile.
    matrix:
      pages: [1, 2, 3]
      processor: [riscv_0, riscv_1]
    steps:
      - create_program: { id: p }
      - create_kernel: { id: k, program: p, kernel: copy, cores: [0, 0], processor: =processor }
      - create_buffer: { id: a, type: dram, size: pages * 64, page_size: 64 }
      - enqueue_write_buffer: { buffer: a, data: { uniform: uint32, seed: 1 } }
      - enqueue_read_buffer: { buffer: a, as: out }
      - finish: {}
    expect:
      - equal: [out, a]
";

#[test]
fn what_a_compiler_says_is_told_once() {
    // Without a compiler, this test has nothing to compare.
    if hallmark_runtime::device_code::Compiler::find().is_none() {
        return;
    }
    let folder = root_with(KERNEL);
    let root = folder.path();
    let kernel = root.join("suites/kernels/copy.cpp");
    let missing = hallmark(root, &["run"]);
    assert_eq!(code(&missing), 3, "{}", text(&missing));
    for words in [
        "error: kernel source file `kernels/copy.cpp` does not exist",
        "suites/group/suite.yaml:3:19",
        "1 mistake in 1 file; nothing runs until it is fixed",
    ] {
        assert!(text(&missing).contains(words), "no `{words}` in {}", text(&missing));
    }
    std::fs::create_dir(kernel.parent().unwrap()).unwrap();
    std::fs::write(&kernel, "void kernel_main() {\n    no_such_call();\n}\n").unwrap();
    let run = hallmark(root, &["run", "--arch", "wormhole_b0", "--arch", "blackhole"]);
    let said = text(&run);
    assert_eq!(code(&run), 1, "{said}");
    assert_eq!(said.matches("'no_such_call' was not declared").count(), 1, "{said}");
    for words in [
        "  kernels/copy.cpp does not compile (line 12 of the suite)\n",
        "kernels/copy.cpp:2:5: error: 'no_such_call' was not declared in this scope",
        "NOT BUILT 11 more tests fail for the same reason: kernels/copy.cpp does not compile",
    ] {
        assert!(said.contains(words), "no `{words}` in {said}");
    }
}

#[test]
fn a_broken_file_that_is_not_selected_is_a_warning() {
    let folder = root_with(SUITE);
    let root = folder.path();
    assert_eq!(code(&hallmark(root, &["bless", "--yes", "--arch", "wormhole_b0"])), 0);
    let run = |arguments: &[&str]| {
        hallmark(root, &[&["run", "--arch", "wormhole_b0"], arguments].concat())
    };
    let other = root.join("suites/group/other.yaml");
    // The calls of tests that are not selected are not made, and so are not checked.
    let wrong = SUITE.replace("round_trip", "elsewhere").replace("pages * 64", "pags * 64");
    let unreadable =
        "warning: suites/group/other.yaml has 1 mistake; none of its tests is selected";
    for (broken, warning) in [(wrong.as_str(), None), ("about: [", Some(unreadable))] {
        std::fs::write(&other, broken).unwrap();
        let everything = run(&[]);
        assert_eq!(code(&everything), 3, "{}", text(&everything));
        assert!(text(&everything).contains("1 mistake in 1 file"), "{}", text(&everything));
        let filtered = run(&["--filter", "round_trip"]);
        assert_eq!(code(&filtered), 0, "{}", text(&filtered));
        let said = text(&filtered);
        let warnings: Vec<&str> =
            said.lines().filter(|line| line.starts_with("warning: ")).collect();
        assert_eq!(warnings.len(), usize::from(warning.is_some()), "{said}");
        assert!(warning.is_none_or(|warning| said.contains(warning)), "{said}");
        assert_eq!(code(&run(&["suites/group/suite.yaml"])), 0);
        assert_eq!(code(&run(&["wormhole_b0::group::suite"])), 0);
        assert_eq!(code(&run(&["suites/group/other.yaml"])), 3);
        assert_eq!(code(&run(&["--filter", "group::other"])), 3);
    }
    std::fs::remove_file(&other).unwrap();
    std::fs::write(root.join("suites/stray.yaml"), SUITE).unwrap();
    assert_eq!(code(&run(&[])), 3);
    let one = run(&["suites/group/suite.yaml"]);
    assert_eq!(code(&one), 0, "{}", text(&one));
    assert!(
        text(&one).contains("warning: `suites/stray.yaml` is in the wrong place"),
        "{}",
        text(&one)
    );
}
