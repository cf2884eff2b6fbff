//! `hallmark compare`: nothing differs between the simulator and its library; a planted difference is
//! reported at the first command that shows it.
#![expect(clippy::unwrap_used, reason = "a failing helper fails its test")]

mod common;
#[path = "common/simulator_library.rs"]
mod simulator_library;

use std::process::Stdio;
use std::time::Duration;

use common::{command, repository, text};
use rustix::process::{Pid, Signal, kill_process};
use simulator_library::simulator_library;

const TEST: &str = "loopback::one_core::pages=7::page_size=2048::processor=riscv_1::noc=noc_0";

fn compare(arguments: &[&str]) -> (i32, String) {
    let root = repository();
    let output = command(&root).arg("compare").args(arguments).output().unwrap();
    (output.status.code().unwrap(), text(&output))
}

#[test]
fn the_simulator_and_its_library_do_not_differ() {
    let suites = [
        "suites/dataflow/loopback.yaml",
        "suites/arguments/common.yaml",
        "suites/faults/registers.yaml",
    ];
    for architecture in ["grayskull", "wormhole_b0", "blackhole"] {
        let devices = format!("sim:{architecture},ttsim:{}", simulator_library().display());
        let (code, text) = compare(&[["--devices", &devices].as_slice(), &suites].concat());
        assert_eq!(code, 0, "{text}");
        assert!(text.contains(" equal, 0 differ, "), "{text}");
        assert!(!text.contains("   0 equal"), "{text}");
    }
}

#[test]
fn a_comparison_goes_on_from_its_results() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("results.jsonl");
    let devices = "sim:wormhole_b0,misbehaving:flips_bit:wormhole_b0";
    let arguments = [
        "--devices",
        devices,
        "--filter",
        TEST,
        "--timeout",
        "90",
        "--results",
        file.to_str().unwrap(),
    ];
    let (code, text) = compare(&arguments);
    assert_eq!(code, 1, "{text}");
    // Prints the stored comparison again, without a run.
    let lines = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, lines.replace("hash ebf55ca7", "hash 0badcafe")).unwrap();
    let (code, text) = compare(&arguments);
    assert_eq!(code, 1, "{text}");
    assert!(text.contains("`out` has the hash 0badcafe, which is not expected"), "{text}");
    assert!(text.contains("  0 equal, 1 differ, 0 not compared"), "{text}");
    assert!(!text.contains("has changed since"), "{text}");
    // Does not print a comparison of another capture.
    let stale = lines
        .replace("hash ebf55ca7", "hash 0badcafe")
        .replace("identity\":\"", "identity\":\"0000");
    let (heading, line) = stale.split_once('\n').unwrap();
    let identity: serde_json::Value = serde_json::from_str(line).unwrap();
    let long = identity["identity"].as_str().unwrap();
    let line = line.replace(long, &long[..64]);
    std::fs::write(&file, format!("{heading}\n{line}")).unwrap();
    let (code, text) = compare(&arguments);
    assert_eq!(code, 1, "{text}");
    let said =
        "1 result is of a test, an executable or a device that has changed since, and made again";
    assert!(text.contains(said), "{text}");
    assert!(text.contains("`out` has the hash ebf55ca7, which is not expected"), "{text}");
    let other = ["--devices", "sim:wormhole_b0,sim:wormhole_b0", "--filter", TEST];
    let (code, text) =
        compare(&[other.as_slice(), &["--results", file.to_str().unwrap()]].concat());
    assert_eq!(code, 2, "{text}");
    assert!(text.contains("holds results of other devices"), "{text}");
}

#[test]
fn a_part_of_the_tests_is_compared() {
    let devices = "sim:wormhole_b0,sim:wormhole_b0";
    let count = |shard: &str| -> usize {
        let suite = "suites/arguments/common.yaml";
        let (code, text) = compare(&["--devices", devices, suite, "--shard", shard]);
        assert_eq!(code, 0, "{text}");
        let before = text.split(" test").next().unwrap();
        before.split_whitespace().next_back().unwrap().parse().unwrap()
    };
    let (half, rest, all) = (count("1/2"), count("2/2"), count("1/1"));
    assert!(half > 0 && rest > 0, "{half} {rest}");
    assert_eq!(half + rest, all);
}

#[test]
fn a_read_that_differs_is_told_with_who_is_right_and_where() {
    let devices = "sim:wormhole_b0,misbehaving:flips_bit:wormhole_b0";
    let (code, text) = compare(&["--devices", devices, "--filter", TEST]);
    assert_eq!(code, 1, "{text}");
    let said = [
        "DIFFERS wormhole_b0::dataflow::loopback::one_core::pages=7",
        "  first at command 8, enqueue_read_buffer of `dst` (line ",
        "    sim:wormhole_b0                    `out` has the hash 7b28e133, as expected\n",
        "    misbehaving:flips_bit:wormhole_b0  `out` has the hash ebf55ca7, which is not expected\n",
        "    `out` differs from the first device's in 7 of 3584 words, first at word 0 (page 0, byte 0)\n",
        "    expected  23d743bb 28655334",
        "    actual    23d743ba 28655334",
        "  again     hallmark compare --arch wormhole_b0 --devices sim:wormhole_b0,misbehaving",
        "   wormhole_b0  sim:wormhole_b0                    1 test\n",
        "                misbehaving:flips_bit:wormhole_b0  0 equal, 1 differ, 0 not compared\n",
    ];
    for words in said {
        assert!(text.contains(words), "no `{words}` in {text}");
    }
}

#[test]
fn an_outcome_that_differs_is_told_with_what_each_did() {
    let devices = "sim:wormhole_b0,misbehaving:all_ones:wormhole_b0";
    let (code, text) = compare(&["--devices", devices, "--filter", TEST]);
    assert_eq!(code, 5, "{text}");
    for words in [
        "  first at command 8, enqueue_read_buffer of `dst`",
        "    misbehaving:all_ones:wormhole_b0  the read did not complete\n",
        "    command 9, finish (line 43 of the suite), the device is lost\n",
        "everything reads as ones",
    ] {
        assert!(text.contains(words), "no `{words}` in {text}");
    }
}

/// A host that writes and never reads back.
const UNREAD: &str = "\
about: Writes that nobody reads back.
cases:
  unread:
    about: Some pages of a buffer are written, and nothing of it is read.
    steps:
      - create_buffer: { id: other, type: l1, size: 256, page_size: 64 }
      - create_buffer: { id: kept, type: dram, size: 16 * 64, page_size: 64 }
      - enqueue_write_buffer: { buffer: other, data: { uniform: uint32, seed: 1 } }
      - finish: {}
      - enqueue_write_buffer: { buffer: kept, data: { constant: uint32, value: 7 }, region: { offset: 3 * 64, size: 5 * 64 } }
      - finish: {}
      - enqueue_write_buffer: { buffer: other, data: { uniform: uint32, seed: 2 } }
      - enqueue_read_buffer: { buffer: other, as: out }
      - finish: {}
    expect:
      - equal: [out, other]
";

#[test]
fn memory_that_nobody_reads_is_compared_where_it_was_written() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join("suites/unread")).unwrap();
    std::fs::write(folder.path().join("suites/unread/unread.yaml"), UNREAD).unwrap();
    let root = folder.path().to_str().unwrap();
    let devices = "sim:wormhole_b0,misbehaving:drops_writes:wormhole_b0";
    let (code, text) = compare(&["--root", root, "--devices", devices]);
    assert_eq!(code, 1, "{text}");
    for words in [
        "  first at command 5, finish (line 11 of the suite): memory\n",
        "    `kept` differs from the first device's in 80 of 256 words, first at word 48 (page 3, byte 0)\n",
        "    expected  00000007 00000007",
        "    page 3 of kept is DRAM bank 3",
        "1 differ, 0 not compared\n",
    ] {
        assert!(text.contains(words), "no `{words}` in {text}");
    }
    // Unwritten memory is not compared. If neither device knows the unwritten parts, the comparison covers only
    // the buffers that the host has written whole.
    let other = format!("sim:wormhole_b0,ttsim:{}", simulator_library().display());
    let ignorant = "misbehaving:reorders_writes:wormhole_b0,misbehaving:drops_writes:wormhole_b0";
    for (devices, memory) in [
        (other.as_str(), "memory compared: 1408 B that were written, in 5 buffers ("),
        (ignorant, "memory compared: 768 B that were written, in 3 buffers ("),
    ] {
        let (code, text) = compare(&["--root", root, "--devices", devices]);
        assert_eq!(code, 0, "{text}");
        assert!(text.contains(memory), "no `{memory}` in {text}");
    }
}

#[test]
fn devices_that_agree_may_both_be_wrong_and_known_failures_are_not_compared() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join("suites/unread")).unwrap();
    let root = folder.path().to_str().unwrap();
    let devices = format!("sim:wormhole_b0,ttsim:{}", simulator_library().display());
    let compare_suite = |suite: String| {
        std::fs::write(folder.path().join("suites/unread/unread.yaml"), suite).unwrap();
        compare(&["--root", root, "--devices", &devices])
    };
    let wrong = UNREAD.replace("[out, other]", "[out, { constant: uint32, value: 5 }]");
    let (code, text) = compare_suite(wrong);
    assert_eq!(code, 1, "{text}");
    assert!(text.contains("1 test is alike on all devices, and not as the suite says"), "{text}");
    assert!(text.contains("1 equal, 0 differ, 0 not compared"), "{text}");

    let known = |kind: &str| {
        let failure = format!("{{ device: {kind}, category: Hang, reason: it is known }}");
        UNREAD.replace("    steps:", &format!("    expected_failure: [{failure}]\n    steps:"))
    };
    let (code, text) = compare_suite(known("ttsim"));
    assert_eq!(code, 8, "{text}");
    assert!(text.contains("expected to fail on ttsim") && text.contains("it is known"), "{text}");
    let (code, text) = compare_suite(known("pci"));
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("1 equal, 0 differ, 0 not compared"), "{text}");
}

#[test]
fn what_applies_to_one_device_only_is_not_compared() {
    let devices = format!("sim:wormhole_b0,ttsim:{}", simulator_library().display());
    let (code, text) =
        compare(&["--devices", &devices, "--filter", "races::flag_on_the_other_noc"]);
    assert_eq!(code, 8, "{text}");
    assert!(text.contains("no selected test applies to two of the devices"), "{text}");
    assert!(text.contains("needs detects_races, which ttsim lacks"), "{text}");
}

#[test]
fn mistakes_in_the_choice_of_devices() {
    for (arguments, code, words) in [
        (["--devices", "sim:wormhole_b0"].as_slice(), 2, "at least two devices"),
        (&["--devices", "sim:wormhole_b0,sim:blackhole"], 2, "of wormhole_b0 and blackhole"),
        (&["--devices", "sim,sim"], 2, "the architecture of the devices is unknown"),
        (&["--devices", "sim:wormhole_b0,qemu:1"], 2, "unknown kind of device `qemu`"),
        (
            &["--devices", "sim:blackhole,ttsim:/nowhere.so"],
            5,
            "cannot be tested on ttsim:/nowhere.so",
        ),
        (&["--devices", "sim:blackhole,pci:0"], 5, "no driver for cards"),
    ] {
        let (actual, text) = compare(&[arguments, &["--filter", TEST]].concat());
        assert_eq!(actual, code, "{text}");
        assert!(text.contains(words), "{text}");
    }
}

#[test]
fn what_an_interrupt_stopped_is_no_difference() {
    let root = repository();
    let devices = "sim:wormhole_b0,misbehaving:stalls:wormhole_b0";
    let mut command = command(&root);
    command.args(["compare", "--devices", devices, "--filter", TEST]);
    let running = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // The second device hangs until it is stopped, so the signal arrives during its run.
    std::thread::sleep(Duration::from_secs(1));
    kill_process(Pid::from_child(&running), Signal::TERM).unwrap();
    let output = running.wait_with_output().unwrap();
    let said = text(&output);
    assert!(!said.contains("DIFFERS"), "{said}");
    // Without a code: the signal came before the handler was installed.
    assert!(matches!(output.status.code(), Some(130) | None), "{:?}: {said}", output.status);
}

#[test]
fn a_replay_that_differs_shows_words_pages_and_who_is_right() {
    let root = repository();
    let folder = tempfile::tempdir().unwrap();
    let hallmark = |arguments: &[&str]| {
        let output = command(&root).args(arguments).output().unwrap();
        (output.status.code().unwrap(), text(&output))
    };
    let test = "wormhole_b0::dataflow::loopback::one_core::pages=7::page_size=2048::processor=riscv_1::noc=noc_0";
    let [right, wrong] = ["right.lmb", "wrong.lmb"].map(|name| folder.path().join(name));
    let (right, wrong) = (right.to_str().unwrap(), wrong.to_str().unwrap());
    let flips = "misbehaving:flips_bit:wormhole_b0";
    let (code, said) = hallmark(&["capture", test, "-o", right]);
    assert_eq!(code, 0, "{said}");
    let (code, said) = hallmark(&["replay", right, "--device", flips]);
    assert_eq!(code, 1, "{said}");
    for words in [
        "    `out` differs from what was captured in 7 of 3584 words, first at word 0 (page 0, byte 0)\n",
        "    captured  23d743bb 28655334",
        "    replayed  23d743ba 28655334",
        "    pages     ■■■■■■■  (■ differs)\n",
        "    page 0 of dst is DRAM bank 0",
        "The captured run returns for `out` what the program expects; the replay does not.",
    ] {
        assert!(said.contains(words), "no `{words}` in {said}");
    }
    let (code, said) =
        hallmark(&["capture", test, "-o", wrong, "--device", &format!("wormhole_b0={flips}")]);
    assert_eq!(code, 1, "{said}");
    let (code, said) = hallmark(&["replay", wrong]);
    assert_eq!(code, 1, "{said}");
    let words = "The replay returns for `out` what the program expects; the captured run did not.";
    assert!(said.contains(words), "{said}");
}

/// One parser for subjects: `compare`, `diff`, `dump` and `explain` take captures like tests.
#[test]
fn captures_are_compared_explained_and_diffed_as_tests_are() {
    let root = repository();
    let folder = tempfile::tempdir().unwrap();
    let hallmark = |arguments: &[&str]| {
        // This root has no suites except those that a variable names.
        let mut command = command(folder.path());
        let output = command.args(arguments).env("HALLMARK_ROOT", &root).output().unwrap();
        (output.status.code().unwrap(), text(&output))
    };
    let alone = |arguments: &[&str]| {
        let output = command(folder.path()).args(arguments).output().unwrap();
        (output.status.code().unwrap(), text(&output))
    };
    let test = "wormhole_b0::dataflow::loopback::one_core::pages=7::page_size=2048::processor=riscv_1::noc=noc_0";
    let (code, said) = hallmark(&["capture", test, "-o", "a.lmb"]);
    assert_eq!(code, 0, "{said}");

    let (code, said) = alone(&[
        "compare",
        "a.lmb",
        "--devices",
        "sim:wormhole_b0,sim:wormhole_b0 dispatch=device",
    ]);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("1 equal, 0 differ"), "{said}");
    let flips = "sim:wormhole_b0,misbehaving:flips_bit:wormhole_b0";
    let (code, said) = alone(&["compare", "a.lmb", "--devices", flips]);
    assert_eq!(code, 1, "{said}");
    for words in [
        "DIFFERS a.lmb\n  first at command 8, enqueue_read_buffer of `dst`\n",
        "`out` has the hash ebf55ca7, which is not expected\n",
        "    pages     ■■■■■■■  (■ differs)\n",
        &format!("  again     hallmark compare --arch wormhole_b0 --devices {flips} a.lmb\n"),
    ] {
        assert!(said.contains(words), "no `{words}` in {said}");
    }
    let (code, said) = alone(&["compare", "a.lmb", "--devices", "sim:blackhole,sim:blackhole"]);
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("a.lmb was captured on wormhole_b0"), "{said}");

    // The explanation of a capture equals that of its test, except for the suite's own statements.
    let (code, of_capture) = alone(&["explain", "a.lmb"]);
    assert_eq!(code, 0, "{of_capture}");
    let (code, of_test) = hallmark(&["explain", test]);
    assert_eq!(code, 0, "{of_test}");
    let calls_and_memory = |said: &str| {
        let (_, rest) = said.split_once("\nCalls\n").unwrap();
        rest.lines().filter(|line| !line.contains("equals")).collect::<Vec<_>>().join("\n")
    };
    assert_eq!(calls_and_memory(&of_capture), calls_and_memory(&of_test));
    assert!(of_capture.contains("`out` equals what the program expects, 14 336 B"), "{of_capture}");

    let (code, said) = hallmark(&["diff", "a.lmb", test]);
    assert_eq!((code, said.as_str()), (0, "no difference\n"));
    let other = test.replace("riscv_1::noc=noc_0", "riscv_0::noc=noc_0");
    let (code, said) = hallmark(&["diff", test, &other]);
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("create_kernel"), "{said}");
    let (_, of_capture) = alone(&["dump", "a.lmb"]);
    assert_eq!(hallmark(&["dump", test]), (0, of_capture));
    for command in ["diff", "dump", "explain"] {
        let arguments = if command == "diff" {
            vec![command, "a.lmb", "wormhole_b0::x"]
        } else {
            vec![command, "wormhole_b0::x"]
        };
        let (code, said) = alone(&arguments);
        assert_eq!(code, 2, "{said}");
        assert!(said.contains("is not a test name: it lacks a suite"), "{said}");
    }
}
