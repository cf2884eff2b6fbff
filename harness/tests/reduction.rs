//! `hallmark reduce` and `hallmark reproduce`: the failure of one capture among many others, and exit codes.
#![expect(clippy::unwrap_used, reason = "a failing helper fails its test")]

mod common;
#[path = "reduction/needles.rs"]
mod needles;
#[path = "reduction/table.rs"]
mod table;

use std::path::Path;

use hallmark_schema::model::{Capture, Command, CommandIndex, CommandKind};
use hallmark_schema_editing::{Edit, Unit, apply, concatenate};
use needles::{capture, hallmark, haystack, path, write};

/// Nothing of these lies in DRAM.
const FOREIGN: [&str; 3] = [
    "wormhole_b0::dataflow::loopback::types::from=l1::to=l1",
    "wormhole_b0::buffers::sharded::height_sharded_write_read",
    "wormhole_b0::buffers::sharded::width_sharded_write_read",
];

/// A device whose reads of DRAM are wrong, and that is right otherwise.
const FLIPS: &str = "misbehaving:flips_bit:wormhole_b0";
/// A program with two kernels and a circular buffer, from DRAM to DRAM.
const PIPELINE: &str = "wormhole_b0::circular_buffers::pipeline::two_stages::pages=8::depth=2";
/// A kernel that waits for a page that never comes.
const DEADLOCK: &str = "wormhole_b0::faults::deadlock::consumer_wants_one_more";
/// A kernel that stores to an address that is none of its own.
const FAULT: &str = "wormhole_b0::faults::faults::misaligned_noc_read";

fn reduced(folder: &str) -> Capture {
    Capture::from_bytes(&std::fs::read(Path::new(folder).join("reduced.lmb")).unwrap()).unwrap()
}

fn kinds(capture: &Capture) -> Vec<CommandKind> {
    capture.program.commands.iter().map(|recorded| recorded.command.kind()).collect()
}

/// Reduces a haystack, and checks that the result is that of the needle alone and fails in the same way.
fn found(folder: &Path, needle: &Capture, commands: usize, sides: &[&str], around: bool) -> String {
    let alone = write(folder, "needle.lmb", needle);
    let (one, other) = (path(folder, "alone"), path(folder, "found"));
    let reduce = |file: &str, output: &str| {
        let mut arguments = vec!["reduce", file, "-o", output, "--until", "600"];
        arguments.extend(sides);
        let (code, said) = hallmark(&arguments);
        assert_eq!(code, 0, "{said}");
        said
    };
    reduce(&alone, &one);
    let pool: Vec<Capture> = FOREIGN.iter().map(|test| capture(folder, test)).collect();
    let haystack = haystack(folder, needle, &pool, commands, around);
    let said = reduce(&haystack, &other);
    assert_eq!(kinds(&reduced(&other)), kinds(&reduced(&one)), "{said}");

    let file = path(Path::new(&other), "reduced.lmb");
    let signature = path(Path::new(&other), "signature.json");
    let mut arguments = vec!["reproduce", &file, "--signature", &signature];
    arguments.extend(sides);
    let (code, said) = hallmark(&arguments);
    assert_eq!(code, 0, "{said}");
    other
}

#[test]
fn a_difference_in_foreign_commands_reduces_to_what_it_is_alone() {
    let folder = tempfile::tempdir().unwrap();
    let needle = capture(folder.path(), PIPELINE);
    let output = found(folder.path(), &needle, 100, &["--bad", FLIPS], true);
    let reduced = reduced(&output);
    // One page of one pipeline is left.
    assert_eq!(reduced.program.commands.len(), 11);
    let sizes = reduced.program.commands.iter().filter_map(|recorded| match &recorded.command {
        Command::CreateBuffer(call) => Some(call.size / call.page_size),
        _ => None,
    });
    assert_eq!(sizes.collect::<Vec<_>>(), [1, 1]);

    // What is kept was recorded on the good side: it says what is right.
    let file = path(Path::new(&output), "reduced.lmb");
    assert_eq!(hallmark(&["replay", &file]).0, 0);
    assert_eq!(hallmark(&["replay", &file, "--device", FLIPS]).0, 1);

    // The suite stands alone, and captures to the same program.
    let suite = path(Path::new(&output), "suite");
    let again = path(folder.path(), "again.lmb");
    let test = "wormhole_b0::dump::capture::captured";
    let (code, said) = hallmark(&["capture", "--root", &suite, test, "-o", &again]);
    assert_eq!(code, 0, "{said}");
    let again = Capture::from_bytes(&std::fs::read(&again).unwrap()).unwrap();
    let again = apply(&[Edit::ExpectAsCaptured], &again).capture;
    assert_eq!(again.program, reduced.program, "a suite expects the bytes that were read");
    for file in ["README.md", "signature.json", "log.jsonl", "edits.json"] {
        assert!(Path::new(&output).join(file).is_file(), "{file}");
    }
}

#[test]
fn a_fault_and_a_deadlock_reduce_without_another_side() {
    for test in [FAULT, DEADLOCK] {
        let folder = tempfile::tempdir().unwrap();
        let mut needle = capture(folder.path(), test);
        // The suite expects it; here nobody does.
        needle.record.as_mut().unwrap().expected_faults.clear();
        let sides = ["--bad", "sim:wormhole_b0", "--good", "recorded"];
        let output = found(folder.path(), &needle, 30, &sides, false);
        let kinds = kinds(&reduced(&output));
        assert_eq!(kinds.iter().filter(|kind| **kind == CommandKind::EnqueueProgram).count(), 1);
    }
}

#[test]
fn exit_codes_are_those_of_the_loop_that_asks() {
    let folder = tempfile::tempdir().unwrap();
    let file = write(folder.path(), "capture.lmb", &capture(folder.path(), PIPELINE));
    let signature = path(folder.path(), "signature.json");
    let (code, said) = hallmark(&["replay", &file, "--device", FLIPS, "--signature", &signature]);
    assert_eq!(code, 1, "{said}");
    let drops = "misbehaving:drops_writes:wormhole_b0";
    for (bad, plain, git, reducer, word) in [
        (FLIPS, 0, 1, 0, "SAME"),
        ("misbehaving:reorders_writes:wormhole_b0", 1, 0, 1, "PASSED"),
        (drops, 12, 125, 1, "OTHER"),
        ("misbehaving:absent:wormhole_b0", 12, 125, 1, "INCONCLUSIVE"),
    ] {
        let ask = |last: &[&str]| {
            let mut arguments = vec!["reproduce", &file, "--signature", &signature, "--bad", bad];
            arguments.extend(last);
            let (code, said) = hallmark(&arguments);
            assert!(said.starts_with(word), "{bad}: {said}");
            code
        };
        assert_eq!(ask(&[]), plain, "{bad}");
        assert_eq!(ask(&["--as", "git"]), git, "{bad}");
        assert_eq!(ask(&["--as", "reducer"]), reducer, "{bad}");
    }
    // What no commit can mend stops a bisection.
    for (arguments, git) in [(["--signature", "absent.json"], 128), (["--signature", &file], 128)] {
        let mut all = vec!["reproduce", &file, "--bad", FLIPS, "--as", "git"];
        all.extend(arguments);
        assert_eq!(hallmark(&all).0, git);
    }
}

#[test]
fn what_cannot_be_reduced_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let file = write(folder.path(), "capture.lmb", &capture(folder.path(), PIPELINE));
    let output = path(folder.path(), "out");
    let reduce = |arguments: &[&str]| {
        let mut all = vec!["reduce", &file, "-o", &output];
        all.extend(arguments);
        hallmark(&all)
    };
    let (code, said) = reduce(&["--bad", "misbehaving:reorders_writes:wormhole_b0"]);
    assert_eq!(code, 12, "{said}");
    assert!(said.contains("the bad side does what the good side does"), "{said}");
    let (code, said) = reduce(&["--bad", FLIPS, "--good", "recorded"]);
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("name one with --good"), "{said}");
    let (code, said) = reduce(&["--bad", FLIPS, "--good", FLIPS]);
    assert_eq!(code, 2, "{said}");
    assert!(!Path::new(&output).exists(), "nothing is left of what was not begun");
}

#[test]
fn the_signature_of_a_replay_is_that_of_a_reduction() {
    let folder = tempfile::tempdir().unwrap();
    let file = write(folder.path(), "capture.lmb", &capture(folder.path(), PIPELINE));
    let (signature, output) = (path(folder.path(), "one.json"), path(folder.path(), "out"));
    let (code, said) = hallmark(&["replay", &file, "--device", FLIPS, "--signature", &signature]);
    assert_eq!(code, 1, "{said}");
    let reduce = ["reduce", &file, "--bad", FLIPS, "--signature", &signature, "-o", &output];
    let (code, said) = hallmark(&reduce);
    assert_eq!(code, 0, "{said}");
}

#[test]
fn a_capture_to_share_says_nothing_and_fails_in_the_same_way() {
    let folder = tempfile::tempdir().unwrap();
    let file = write(folder.path(), "capture.lmb", &capture(folder.path(), PIPELINE));
    let output = path(folder.path(), "out");
    let (code, said) = hallmark(&["reduce", &file, "--bad", FLIPS, "-o", &output, "--share"]);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("`buffer_1` differs: flipped bits"), "{said}");
    let bytes = std::fs::read(Path::new(&output).join("reduced.lmb")).unwrap();
    let holds = |text: &str| bytes.windows(text.len()).any(|window| window == text.as_bytes());
    let before = std::fs::read(&file).unwrap();
    assert!(said.contains("no symbols of ELFs, and no data of yours"), "{said}");
    let readme = std::fs::read_to_string(Path::new(&output).join("README.md")).unwrap();
    assert!(!readme.contains("capture.lmb") && !Path::new(&output).join("also").exists());
    for text in ["kernels/reader.cpp", "cb_wait_front(", "stage", "kernel_main"] {
        let was_there = before.windows(text.len()).any(|window| window == text.as_bytes());
        assert!(was_there && !holds(text), "{text}");
    }
    let signature = path(Path::new(&output), "signature.json");
    let shared = path(Path::new(&output), "reduced.lmb");
    let (code, said) = hallmark(&["reproduce", &shared, "--signature", &signature, "--bad", FLIPS]);
    assert_eq!(code, 0, "{said}");
}

#[test]
fn a_reduction_that_was_stopped_goes_on_to_the_same_end() {
    let folder = tempfile::tempdir().unwrap();
    let file = write(folder.path(), "capture.lmb", &capture(folder.path(), PIPELINE));
    let output = path(folder.path(), "out");
    let reduce = |arguments: &[&str]| {
        let mut all = vec!["reduce", &file, "--bad", FLIPS, "--jobs", "1"];
        all.extend(arguments);
        hallmark(&all)
    };
    let (code, said) = reduce(&["-o", &output]);
    assert_eq!(code, 0, "{said}");
    let log = Path::new(&output).join("log.jsonl");
    let whole = std::fs::read_to_string(&log).unwrap();
    let read = |name: &str| std::fs::read(Path::new(&output).join(name)).unwrap();
    let (edits, reduced) = (read("edits.json"), read("reduced.lmb"));
    // Half of its lines, and a torn one.
    let lines: Vec<&str> = whole.lines().collect();
    let half = lines.split_at(lines.len() / 2).0.join("\n") + "\n{\"n\":";
    std::fs::write(&log, half).unwrap();
    std::fs::remove_file(Path::new(&output).join("reduced.lmb")).unwrap();
    let (code, said) = reduce(&["--resume", &output]);
    assert_eq!(code, 0, "{said}");
    assert!(read("edits.json") == edits && read("reduced.lmb") == reduced);
    assert_eq!(std::fs::read_to_string(&log).unwrap().lines().count(), lines.len());

    // A probe that Ctrl-C broke off, in a log of an earlier release, tells nothing.
    let mut kept = lines[..lines.len() / 2].to_vec();
    let last = kept.pop().unwrap();
    let mut broken_off: serde_json::Value = serde_json::from_str(last).unwrap();
    broken_off["result"] = serde_json::json!({ "cannot_tell": "interrupted" });
    std::fs::write(&log, format!("{}\n{broken_off}\n", kept.join("\n"))).unwrap();
    std::fs::remove_file(Path::new(&output).join("reduced.lmb")).unwrap();
    let (code, said) = reduce(&["--resume", &output]);
    assert_eq!(code, 0, "{said}");
    assert!(read("edits.json") == edits && read("reduced.lmb") == reduced);

    let (code, said) = reduce(&["--resume", &output, "--no-values"]);
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("change of values"), "{said}");
    let (code, said) = reduce(&["-o", &output]);
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("is already there"), "{said}");
    let (code, said) = reduce(&["--resume", folder.path().to_str().unwrap()]);
    assert_eq!(code, 2, "{said}");
}

/// The lines of a text that begin so, without the beginning.
fn lines<'t>(text: &'t str, beginning: &str) -> Vec<&'t str> {
    text.lines().filter_map(|line| line.strip_prefix(beginning)).collect()
}

#[test]
fn a_test_reduces_first_in_the_terms_of_its_suite() {
    let folder = tempfile::tempdir().unwrap();
    let output = path(folder.path(), "out");
    let test = "wormhole_b0::circular_buffers::pipeline::two_stages::pages=40::depth=5";
    let (code, said) = hallmark(&["reduce", test, "--bad", FLIPS, "-o", &output]);
    assert_eq!(code, 0, "{said}");
    let smallest = "wormhole_b0::circular_buffers::pipeline::two_stages::pages=1::depth=1";
    let first = lines(&said, "SMALLEST ");
    assert!(first.len() == 1 && first[0].starts_with(&format!("{smallest} (9 points,")), "{said}");
    assert_eq!(lines(&said, "  numbers   "), ["page_size 64 → 16"], "{said}");
    assert!(lines(&said, "REDUCED ")[0].contains("12 → 11 commands"), "{said}");
    let readme = std::fs::read_to_string(Path::new(&output).join("README.md")).unwrap();
    assert!(readme.contains("SMALLEST ") && readme.contains("REDUCED "), "{readme}");

    // The test stands alone in its own words, and fails in the same way.
    let root = path(Path::new(&output), "test");
    let run = ["run", "--root", &root, "--exact", smallest];
    let (code, said) = hallmark(&run);
    assert!(code == 7 && said.contains("NO GOLDEN"), "{code}: {said}");
    let (code, said) = hallmark(&[&run[..], &["--device", FLIPS]].concat());
    assert!(code == 1 && said.contains("differs from `src`"), "{code}: {said}");
    let suite = Path::new(&root).join("suites/circular_buffers/pipeline.yaml");
    let text = std::fs::read_to_string(suite).unwrap();
    assert!(text.contains("- equal: [out, src]"), "{text}");
}

/// A suite that expects of a buffer what nobody wrote there.
const WRONG: &str = "\
about: What is read is what was written.
cases:
  echo:
    about: It is not, by mistake.
    matrix:
      kind: [l1, dram]
      words: [8, 16, 64]
    variables: { first: 5 }
    steps:
      - create_buffer: { id: buffer, type: =kind, size: words * 4, page_size: words * 4 }
      - enqueue_write_buffer: { buffer: buffer, data: { sequence: uint32, start: first } }
      - enqueue_read_buffer: { buffer: buffer, as: out, blocking: true }
    expect:
      - equal: [out, { sequence: uint32, start: 7 }]
";

#[test]
fn the_model_of_a_suite_needs_no_other_device() {
    let folder = tempfile::tempdir().unwrap();
    let (root, output) = (folder.path().join("root"), path(folder.path(), "out"));
    std::fs::create_dir_all(root.join("suites/group")).unwrap();
    std::fs::write(root.join("suites/group/wrong.yaml"), WRONG).unwrap();
    let root = root.to_str().unwrap();
    let test = "wormhole_b0::group::wrong::echo::kind=dram::words=64";
    let reduce = ["reduce", test, "--root", root, "--bad", "sim:wormhole_b0", "--good", "recorded"];
    let into = ["--into", "suites/regressions/echo.yaml"];
    let (code, said) = hallmark(&[&reduce[..], &["-o", &output], &into].concat());
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("SMALLEST wormhole_b0::group::wrong::echo::kind="), "{said}");
    let numbers = lines(&said, "  numbers   ");
    assert!(numbers.len() == 1 && numbers[0].contains("words 8 → "), "{said}");
    assert!(!Path::new(&output).join("reduced.lmb").exists(), "no capture says what is right");
    let added = Path::new(root).join("suites/regressions/echo.yaml");
    let text = std::fs::read_to_string(added).unwrap();
    assert!(text.starts_with("# Reduced from wormhole_b0::group::wrong::echo"), "{text}");
    assert!(said.contains("suites/regressions/echo.yaml: fails in the same way"), "{said}");
    let (code, said) = hallmark(&["run", "--root", root, "suites/regressions"]);
    assert_eq!(code, 1, "{said}");
}

#[test]
fn a_reduced_failure_becomes_a_case_of_the_suites() {
    let folder = tempfile::tempdir().unwrap();
    let file = write(folder.path(), "capture.lmb", &capture(folder.path(), PIPELINE));
    let (output, root) = (path(folder.path(), "out"), path(folder.path(), "root"));
    std::fs::create_dir_all(Path::new(&root).join("suites")).unwrap();
    let into = ["--into", "suites/regressions/flips", "--root", &root];
    let reduce = |output: &str| {
        hallmark(&[&["reduce", &file, "--bad", FLIPS, "-o", output][..], &into].concat())
    };
    let (code, said) = reduce(&output);
    assert_eq!(code, 0, "{said}");
    let line = format!(
        "  into      suites/regressions/flips.yaml: passes on sim:wormhole_b0, and fails in the same way on {FLIPS}"
    );
    assert!(said.contains(&line), "{said}");
    let suite = std::fs::read_to_string(Path::new(&root).join("suites/regressions/flips.yaml"));
    let suite = suite.unwrap();
    assert!(suite.contains("# Expected are the bytes that came back from sim:wormhole_b0."));

    // Blessing writes the golden that was proposed, and nothing but blessing does.
    let golden = Path::new(&root).join("goldens/wormhole_b0/regressions/flips/captured.lmb");
    assert!(!golden.exists());
    let arch = ["--arch", "wormhole_b0", "--root", &root];
    assert_eq!(hallmark(&[&["bless", "--yes"][..], &arch].concat()).0, 0);
    let proposed = std::fs::read(Path::new(&output).join("golden.lmb")).unwrap();
    assert_eq!(std::fs::read(&golden).unwrap(), proposed);
    let (code, said) = hallmark(&[&["run"][..], &arch].concat());
    assert_eq!(code, 0, "{said}");
    let (code, said) = hallmark(&[&["run", "--device", FLIPS][..], &arch].concat());
    assert_eq!(code, 1, "{said}");

    // What is there stays.
    let (code, said) = reduce(&path(folder.path(), "again"));
    assert!(code == 2 && said.contains("flips.yaml already exists"), "{said}");
    let other = folder.path().join("root/suites/kernels/writer.cpp");
    std::fs::write(&other, "// another one").unwrap();
    std::fs::remove_file(Path::new(&root).join("suites/regressions/flips.yaml")).unwrap();
    let (code, said) = reduce(&path(folder.path(), "third"));
    assert!(code == 2 && said.contains("another file of that name"), "{said}");
    assert!(!Path::new(&root).join("suites/regressions/flips.yaml").exists());
    assert_eq!(std::fs::read_to_string(&other).unwrap(), "// another one");
}

#[test]
fn what_is_named_stays() {
    let folder = tempfile::tempdir().unwrap();
    let pair = [PIPELINE, FOREIGN[0]].map(|test| capture(folder.path(), test));
    let joined = concatenate(&[&pair[0], &pair[1]]).unwrap().capture;
    let file = write(folder.path(), "capture.lmb", &joined);
    let foreign = joined.program.commands.iter().filter_map(|it| it.command.created());
    let foreign = foreign.map(|(_, _, name)| name).find(|name| name.starts_with("c1.")).unwrap();
    let reduce = |output: &str, more: &[&str]| {
        let output = path(folder.path(), output);
        let reduce = ["reduce", &file, "--bad", FLIPS, "-o", &output];
        let (code, said) = hallmark(&[&reduce[..], more].concat());
        (code, said, output)
    };
    let has = |capture: &Capture| {
        let mut made = capture.program.commands.iter().filter_map(|it| it.command.created());
        made.any(|(_, _, name)| name == foreign)
    };
    let (code, said, output) = reduce("without", &[]);
    assert!(code == 0 && !has(&reduced(&output)), "{said}");
    let (code, said, output) = reduce("with", &["--keep", foreign]);
    assert!(code == 0 && has(&reduced(&output)), "{said}");
    let (code, said, _) = reduce("none", &["--keep", "absent"]);
    assert!(code == 2 && said.contains("is called `absent`"), "{said}");
}

#[test]
fn the_text_of_a_kernel_is_left_to_reducers_of_text() {
    let folder = tempfile::tempdir().unwrap();
    let file = write(folder.path(), "capture.lmb", &capture(folder.path(), PIPELINE));
    let output = path(folder.path(), "out");
    let (code, said) = hallmark(&["reduce", &file, "--bad", FLIPS, "-o", &output, "--kernels"]);
    assert_eq!(code, 0, "{said}");
    let kernels = lines(&said, "  kernel    cd ");
    assert_eq!(kernels.len(), 2, "{said}");
    let kernel = Path::new(&output).join("kernels/1-writer.cpp");
    let text = std::fs::read_to_string(kernel.join("writer.cpp")).unwrap();
    let is_interesting = |text: &str| {
        std::fs::write(kernel.join("writer.cpp"), text).unwrap();
        let script = std::process::Command::new(kernel.join("interesting.sh"))
            .current_dir(&kernel)
            .env("HALLMARK", env!("CARGO_BIN_EXE_hallmark"))
            .output()
            .unwrap();
        script.status.success()
    };
    assert!(is_interesting(&text));
    // Whether there is a compiler or not, such a text does not fail in the same way.
    assert!(!is_interesting("this is no kernel"));
}

#[test]
fn a_failure_by_seed_and_one_by_chance_are_reduced() {
    let folder = tempfile::tempdir().unwrap();
    let needle = capture(folder.path(), PIPELINE);
    let file = write(folder.path(), "capture.lmb", &needle);
    let counted = |chance: &str| {
        let counter = path(folder.path(), &format!("runs-{chance}"));
        format!("misbehaving:forgets_launch:wormhole_b0:nth=1:{chance}:counter={counter}")
    };
    let by_seed = "misbehaving:forgets_launch:wormhole_b0:nth=1:chance=0.2:seed=4".to_owned();
    for (name, bad, runs) in [
        ("seed", by_seed, "under schedule seed "),
        ("chance", counted("chance=0.6:seed=2"), "11 of 20 runs of the whole fail"),
        // So few runs do not say that the failure shows every time.
        ("nearly-always", counted("chance=0.9:seed=10"), "20 of 20 runs of the whole fail"),
        ("seldom", counted("chance=0.15:seed=3"), "5 of 47 runs of the whole fail"),
    ] {
        let output = path(folder.path(), name);
        let reduce = ["reduce", &file, "--bad", &bad, "-o", &output, "--flaky", "--until", "600"];
        let (code, said) = hallmark(&[&reduce[..], &["--no-values", "-j1"]].concat());
        assert_eq!(code, 0, "{name}: {said}");
        let flaky = lines(&said, "  flaky     ");
        assert!(matches!(*flaky, [line] if line.starts_with(runs)), "{name}: {said}");
        assert!(reduced(&output).program.commands.len() < needle.program.commands.len(), "{said}");
        // The line for the bad side shows it again, now and then at least.
        let bad = lines(&said, "  bad       ")[0].split_once("--device '").unwrap().1;
        let bad = bad.trim_end_matches('\'');
        let (signature, file) = ("signature.json", "reduced.lmb");
        let [signature, file] = [signature, file].map(|name| path(Path::new(&output), name));
        let mut again = std::iter::repeat_with(|| {
            hallmark(&["reproduce", &file, "--signature", &signature, "--bad", bad]).0
        });
        assert!(again.by_ref().take(60).any(|code| code == 0), "{name}: {said}");
    }
}

#[test]
fn programs_are_dispatched_from_the_host_where_it_makes_no_difference() {
    let folder = tempfile::tempdir().unwrap();
    let mut needle = capture(folder.path(), FAULT);
    needle.record.as_mut().unwrap().expected_faults.clear();
    let file = write(folder.path(), "capture.lmb", &needle);
    let output = path(folder.path(), "out");
    let sides = ["--bad", "sim:wormhole_b0 dispatch=device", "--good", "recorded"];
    let (code, said) = hallmark(&[&["reduce", &file, "-o", &output][..], &sides].concat());
    assert_eq!(code, 0, "{said}");
    assert!(lines(&said, "  bad       ")[0].ends_with("--device 'sim:wormhole_b0'"), "{said}");
}

#[test]
fn memory_shows_a_failure_that_no_read_looks_at() {
    let folder = tempfile::tempdir().unwrap();
    let needle = capture(folder.path(), PIPELINE);
    let is_read = |command: &Command| matches!(command, Command::EnqueueReadBuffer(_));
    let commands = (0..).zip(&needle.program.commands);
    let reads = commands.filter(|(_, recorded)| is_read(&recorded.command));
    let without = reads.map(|(at, _)| Edit::Remove(Unit::Command(CommandIndex(at))));
    let blind = apply(&without.collect::<Vec<_>>(), &needle).capture;
    let file = write(folder.path(), "capture.lmb", &blind);
    let output = path(folder.path(), "out");
    let bad = "misbehaving:forgets_launch:wormhole_b0:nth=1";
    let (code, said) = hallmark(&["reduce", &file, "--bad", bad, "-o", &output]);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("  cut       no read shows the failure"), "{said}");
    assert_eq!(kinds(&reduced(&output)).last(), Some(&CommandKind::EnqueueReadBuffer), "{said}");
}
