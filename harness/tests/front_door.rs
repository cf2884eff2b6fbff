//! The command line's features and output: selection, progress, colours, reports, annotations, the manual.
#![expect(clippy::unwrap_used, reason = "a failing helper fails its test")]

mod common;
#[path = "front_door/progress.rs"]
mod progress;

use std::path::Path;
use std::process::{Command, Output};

use common::{command, repository, text};

/// Twelve tests: four on each of three architectures.
const SUITE: &str = "about: Buffers.
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
    let all = "architectures = ['gs', 'wh', 'bh']\n";
    std::fs::write(folder.path().join("hallmark.toml"), all).unwrap();
    folder
}

/// A root in which the three tests of `round_trip` fail, and no test lacks a golden.
fn root_with_failures() -> tempfile::TempDir {
    let folder = root_with(SUITE);
    assert_eq!(code(&hallmark(folder.path(), &["bless", "--yes"])), 0);
    let wrong = SUITE.replace("equal: [out, a]", "equal: [out, { constant: uint32, value: 5 }]");
    std::fs::write(folder.path().join("suites/group/suite.yaml"), wrong).unwrap();
    folder
}

/// The command without variables that describe the reader.
fn plain(root: &Path, arguments: &[&str]) -> Command {
    let mut command = command(root);
    for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "GITHUB_ACTIONS", "GITHUB_SHA"] {
        command.env_remove(name);
    }
    command.args(arguments);
    command
}

fn hallmark(root: &Path, arguments: &[&str]) -> Output {
    plain(root, arguments).output().unwrap()
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

fn lines(output: &Output) -> Vec<String> {
    String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect()
}

#[test]
fn twelve_tests_without_goldens_take_one_line() {
    let folder = root_with(SUITE);
    let run = hallmark(folder.path(), &["run"]);
    assert_eq!(code(&run), 7, "{}", text(&run));
    let said = lines(&run);
    let path = "suites/group/suite.yaml";
    let names = "; their names: --verbose";
    let first = format!("NO GOLDEN 12 tests of {path}; to accept: hallmark bless {path}{names}");
    assert_eq!(said[0], first);
    // A line for each architecture, and the closing line.
    assert_eq!(said.len(), 5, "{said:?}");
    let some = hallmark(folder.path(), &["run", "--arch", "blackhole"]);
    let bless = format!("hallmark bless {path} --arch blackhole");
    let first = format!("NO GOLDEN 4 tests of {path}; to accept: {bless}{names}");
    assert_eq!(lines(&some)[0], first);
    let test = "blackhole::group::suite::refused";
    let one = hallmark(folder.path(), &["run", "--exact", test]);
    let first = format!("NO GOLDEN {test}; to accept: hallmark bless {test}");
    assert_eq!(lines(&one)[0], first);
    // Programs read the names that earlier releases wrote.
    hallmark(folder.path(), &["run", "--report", "a.json", "--report", "a.xml"]);
    for report in ["a.json", "a.xml"] {
        let report = std::fs::read_to_string(folder.path().join(report)).unwrap();
        assert_eq!(report.matches("Missing").count(), 12, "{report}");
    }
}

#[test]
fn two_failures_take_forty_lines() {
    let folder = root_with_failures();
    let run = hallmark(folder.path(), &["run", "*::round_trip::pages=[12]", "--arch", "blackhole"]);
    assert_eq!(code(&run), 1, "{}", text(&run));
    let said = lines(&run);
    assert!(said.len() <= 40, "{}", text(&run));
    assert_eq!(said.iter().filter(|line| line.starts_with("FAIL ")).count(), 2);
    // The first failure shows the command that repeats it, the flag that names the first bad command, and the place of
    // its files. The other is alike, and is named.
    for key in [
        "  again     hallmark run --exact ",
        "  triage    the same command with --triage ",
        "  kept      target/hallmark/",
    ] {
        assert_eq!(said.iter().filter(|line| line.starts_with(key)).count(), 1, "{said:?}");
    }
    assert!(
        text(&run)
            .contains("FAIL 1 more test fails like blackhole::group::suite::round_trip::pages=")
    );
    let triaged = ["run", "*::round_trip::pages=2", "--arch", "blackhole", "--triage"];
    let run = hallmark(folder.path(), &triaged);
    assert!(
        text(&run).contains("  first bad ") && !text(&run).contains("  triage "),
        "{}",
        text(&run)
    );
}

#[test]
fn a_run_stops_at_the_first_failure_and_says_what_did_not_run() {
    let folder = root_with_failures();
    let arguments = ["run", "--arch", "blackhole", "-j", "1", "--fail-fast", "--report", "a.json"];
    let run = hallmark(folder.path(), &arguments);
    assert_eq!(code(&run), 1, "{}", text(&run));
    let words = "--fail-fast stopped after 1 of 4 tests: 1 did not pass, 3 did not run";
    assert!(text(&run).contains(words), "{}", text(&run));
    let report: serde_json::Value =
        serde_json::from_slice(&std::fs::read(folder.path().join("a.json")).unwrap()).unwrap();
    assert_eq!(report["stopped_by"], "fail_fast");
    assert_eq!(report["did_not_run"].as_array().unwrap().len(), 3);
    // A failure of the last test stops nothing.
    let last = ["run", "*pages=3", "--arch", "blackhole", "--fail-fast"];
    let run = hallmark(folder.path(), &last);
    assert!(text(&run).contains("   1 test, 1 did not pass"), "{}", text(&run));
}

#[test]
fn globs_select_and_exclude() {
    let folder = root_with(SUITE);
    let list = |arguments: &[&str]| {
        let list =
            hallmark(folder.path(), &[&["list", "--arch", "wormhole_b0"], arguments].concat());
        (code(&list), text(&list))
    };
    let count = |arguments: &[&str]| list(arguments).1.lines().count();
    assert_eq!(count(&[]), 4);
    assert_eq!(count(&["*::round_trip"]), 3);
    assert_eq!(count(&["wormhole_b0::*::suite::round_trip::pages=?"]), 3);
    assert_eq!(count(&["suites/*/suite.yaml"]), 4);
    assert_eq!(count(&["gr*"]), 4);
    assert_eq!(count(&["*pages=3"]), 1);
    assert_eq!(count(&["suites/x*", "--filter", "x"]), 1, "one line says that nothing is selected");
    assert_eq!(count(&["--filter", "*pages=[13]"]), 2);
    assert_eq!(count(&["--exclude", "round_trip"]), 1);
    assert_eq!(count(&["--exclude", "*=1", "--exclude", "refused"]), 2);
    assert_eq!(count(&["*::round_trip", "--filter", "pages", "--exclude", "*=2"]), 2);
    for (wrong, exit, words) in [
        (["--filter", "*pages=[4]"], 8, "no test is selected by `*pages=[4]`"),
        (["suites/x*", "wh"], 2, "`wh` is an architecture; choose it with --arch wormhole_b0"),
        (["suites/x*", "refused"], 8, "`refused` is not a suite, a folder of suites or the name"),
        (["--exclude", "wormhole*"], 8, "no test is selected: --exclude takes away all 4 tests"),
        (["--exclude", "pages=[1"], 2, "`pages=[1` is not a pattern"),
    ] {
        let (exits, said) = list(&wrong);
        assert!(exits == exit && said.contains(words), "{said}");
    }
    let (exit, said) = list(&["--exclude", "refusd"]);
    assert!(exit == 0 && said.contains("warning: --exclude `refusd` takes away no test"), "{said}");
}

#[test]
fn colours_follow_the_option_and_the_environment() {
    let folder = root_with(SUITE);
    let root = folder.path();
    for (color, environment, coloured) in [
        (None, &[][..], false),
        (None, &[("CLICOLOR_FORCE", "1")], true),
        (None, &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")], false),
        (Some("--color=always"), &[], true),
        (Some("--color=always"), &[("NO_COLOR", "1")], true),
        (Some("--color=never"), &[("CLICOLOR_FORCE", "1")], false),
        (Some("--color=auto"), &[("CLICOLOR", "1")], false),
    ] {
        let mut command = plain(root, &["run", "--exact", "blackhole::group::suite::refused"]);
        let output = command.args(color).envs(environment.iter().copied()).output().unwrap();
        let said = text(&output);
        assert_eq!(said.contains("\u{1b}["), coloured, "{color:?} {environment:?}: {said}");
    }
    // Files hold no colours, and neither does output for programs.
    let run = hallmark(root, &["--color", "always", "run", "--report", "a.json"]);
    assert!(text(&run).contains("\u{1b}["), "{}", text(&run));
    assert!(!std::fs::read_to_string(root.join("a.json")).unwrap().contains('\u{1b}'));
    let list = hallmark(root, &["--color", "always", "list", "--format", "json"]);
    assert!(!text(&list).contains('\u{1b}'), "{}", text(&list));
}

#[test]
fn quiet_shows_failures_and_verbose_shows_every_test() {
    let folder = root_with(SUITE);
    let root = folder.path();
    hallmark(root, &["bless", "--yes"]);
    let run = |flag: &str| hallmark(root, &["run", "--arch", "blackhole", flag]);
    assert_eq!((code(&run("-q")), text(&run("-q"))), (0, String::new()));
    let verbose = text(&run("-v"));
    for test in ["refused", "round_trip::pages=1", "round_trip::pages=2", "round_trip::pages=3"] {
        let words = format!("PASS blackhole::group::suite::{test}  0.");
        assert!(verbose.contains(&words), "{verbose}");
    }
    assert_eq!(code(&hallmark(root, &["run", "-q", "-v"])), 2);
    let slowest = hallmark(root, &["run", "--arch", "blackhole", "--slowest", "2"]);
    let slow = lines(&slowest);
    let times: Vec<&String> = slow.iter().filter(|line| line.contains(" s blackhole::")).collect();
    assert_eq!(times.len(), 2, "{slow:?}");
    assert!(slow.iter().any(|line| line == "   slowest:"), "{slow:?}");
}

#[test]
fn annotations_name_the_line_of_the_case() {
    let folder = root_with_failures();
    let root = folder.path();
    let arguments = ["run", "blackhole::group::suite::round_trip::pages=1"];
    let run = plain(root, &arguments).env("GITHUB_ACTIONS", "true").output().unwrap();
    let said = lines(&run);
    let annotations: Vec<&String> = said.iter().filter(|line| line.starts_with("::")).collect();
    let [annotation] = annotations.as_slice() else { panic!("{said:?}") };
    let beginning = "::error file=suites/group/suite.yaml,line=3,\
        title=FAIL blackhole%3A%3Agroup%3A%3Asuite%3A%3Around_trip%3A%3Apages=1::Mismatch: `out` differs";
    assert!(annotation.starts_with(beginning), "{annotation}");
    assert!(annotation.contains("%0A"), "{annotation}");
    let elsewhere = hallmark(root, &arguments);
    assert!(!text(&elsewhere).contains("::error"), "{}", text(&elsewhere));
    // A mistake without any test is annotated too.
    std::fs::write(root.join("suites/group/suite.yaml"), SUITE.replace("[out, a]", "[ou, a]"))
        .unwrap();
    let wrong = plain(root, &["run"]).env("GITHUB_ACTIONS", "true").output().unwrap();
    assert_eq!(code(&wrong), 3);
    let place = "::error file=suites/group/suite.yaml,line=13,title=mistake in a suite::";
    assert!(text(&wrong).contains(place), "{}", text(&wrong));
    let usage = plain(root, &["run", "none"]).env("GITHUB_ACTIONS", "true").output().unwrap();
    assert!(
        text(&usage).contains("::error title=hallmark::`none` is not a suite"),
        "{}",
        text(&usage)
    );
}

#[test]
fn retries_are_for_cards_and_the_report_says_so() {
    let folder = root_with_failures();
    let root = folder.path();
    let refused = hallmark(root, &["run", "--arch", "blackhole", "--retries", "2"]);
    assert_eq!(code(&refused), 2, "{}", text(&refused));
    let words = "--retries is for cards (pci:NUMBER), and tests of blackhole run on sim:blackhole";
    assert!(text(&refused).contains(words), "{}", text(&refused));
    let card =
        ["run", "blackhole::group::suite::round_trip::pages=1", "--device", "pci:sim:blackhole"];
    let run = hallmark(
        root,
        &[&card[..], &["--retries", "2", "--report", "a.json", "--report", "a.xml"]].concat(),
    );
    assert_eq!(code(&run), 1, "{}", text(&run));
    let words = "run again: blackhole::group::suite::round_trip::pages=1: Mismatch, then Mismatch, then Mismatch";
    assert!(text(&run).contains(words), "{}", text(&run));
    let report: serde_json::Value =
        serde_json::from_slice(&std::fs::read(root.join("a.json")).unwrap()).unwrap();
    let earlier = report["tests"][0]["earlier_runs"].as_array().unwrap();
    assert_eq!(earlier.len(), 2, "{report}");
    assert_eq!(earlier[0]["verdict"], "Mismatch");
    assert!(earlier[0]["report"][0].as_str().unwrap().contains("differs"), "{report}");
    let junit = std::fs::read_to_string(root.join("a.xml")).unwrap();
    assert_eq!(junit.matches("<rerunFailure").count(), 2, "{junit}");
    // Without the option, nothing runs again.
    let run = hallmark(root, &card);
    assert!(!text(&run).contains("run again"), "{}", text(&run));
}

#[test]
fn two_reports_are_written_at_once_and_need_two_files() {
    let folder = root_with(SUITE);
    let root = folder.path();
    let test = "blackhole::group::suite::refused";
    let run =
        hallmark(root, &["run", "--exact", test, "--report", "junit=one", "--report", "two.json"]);
    assert_eq!(code(&run), 7, "{}", text(&run));
    assert!(std::fs::read_to_string(root.join("one")).unwrap().contains("<testsuites"));
    assert!(std::fs::read_to_string(root.join("two.json")).unwrap().contains("\"tests\""));
    for (reports, words) in [
        (["a.json", "a.txt"], "`a.txt` does not say its form"),
        (["a.json", "junit=a.json"], "a.json is named for two reports"),
        (["a.json", "json="], "`json=` names no file"),
    ] {
        let run = hallmark(root, &["run", "--report", reports[0], "--report", reports[1]]);
        assert_eq!(code(&run), 2, "{}", text(&run));
        assert!(text(&run).contains(words), "{}", text(&run));
        assert!(!root.join("a.json").exists(), "nothing ran");
    }
}

#[test]
fn the_doctor_counts_goldens_that_tests_need() {
    let folder = root_with(&format!(
        "{SUITE}  elsewhere:
    about: Only where no simulator runs.
    when: {{ devices: [pci], reason: a test }}
    steps:
      - create_buffer: {{ id: a, type: dram, size: 64, page_size: 64 }}
      - enqueue_write_buffer: {{ buffer: a, data: {{ uniform: uint32, seed: 1 }} }}
      - enqueue_read_buffer: {{ buffer: a, as: out, blocking: true }}
    expect:
      - equal: [out, a]
"
    ));
    let root = folder.path();
    let doctor = |arguments: &[&str]| hallmark(root, &[&["doctor"], arguments].concat());
    let before = doctor(&[]);
    assert_eq!(code(&before), 7, "{}", text(&before));
    assert!(
        text(&before).contains("goldens    0 files, 0 KiB; 12 missing, 0 unused"),
        "{}",
        text(&before)
    );
    assert!(text(&before).contains("problem    12 tests have no golden"), "{}", text(&before));
    hallmark(root, &["bless", "--yes"]);
    let after = doctor(&["--json"]);
    assert_eq!(code(&after), 0, "{}", text(&after));
    let environment: serde_json::Value = serde_json::from_slice(&after.stdout).unwrap();
    assert_eq!(environment["suites"]["tests"], 15);
    assert_eq!(environment["goldens"]["missing"], 0);
    assert_eq!(environment["devices"].as_array().unwrap().len(), 3);
    assert_eq!(environment["problems"].as_array().unwrap().len(), 0);
    assert_eq!(environment["exit_code"], 0);
    // One architecture alone, and a golden without a test.
    let golden = root.join("goldens/blackhole/group/suite/refused.lmb");
    std::fs::rename(golden, root.join("goldens/blackhole/group/suite/stray.lmb")).unwrap();
    let one = doctor(&["--json", "--arch", "blackhole"]);
    let environment: serde_json::Value = serde_json::from_slice(&one.stdout).unwrap();
    assert_eq!((code(&one), &environment["exit_code"]), (1, &serde_json::json!(1)));
    assert_eq!(environment["goldens"]["missing"], 1);
    assert_eq!(environment["goldens"]["unused"][0], "goldens/blackhole/group/suite/stray.lmb");
    assert_eq!(code(&doctor(&["--arch", "wormhole_b0"])), 0);
    let nowhere = tempfile::tempdir().unwrap();
    let lost = hallmark(nowhere.path(), &["doctor", "--json"]);
    let environment: serde_json::Value = serde_json::from_slice(&lost.stdout).unwrap();
    assert_eq!((code(&lost), &environment["root"]), (2, &serde_json::Value::Null));
}

#[test]
fn the_doctor_finds_the_compiler_without_a_root() {
    use std::os::unix::fs::PermissionsExt as _;

    let tools = tempfile::tempdir().unwrap();
    let linker = tools.path().join("ld");
    let script = format!(
        "case \"$1\" in --version) echo 'g++ (stub 4.5) 1.2.3';; -print-prog-name=ld) echo {};; \
         *) echo /nowhere;; esac",
        linker.display()
    );
    let compiler = tools.path().join("riscv64-unknown-elf-g++");
    for (program, script) in [(&compiler, script.as_str()), (&linker, "echo 'GNU ld 6.7'")] {
        std::fs::write(program, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(program, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let nowhere = tempfile::tempdir().unwrap();
    let path = format!("{}:/usr/bin:/bin", tools.path().display());
    let lost = command(nowhere.path()).env("PATH", path).args(["doctor", "--json"]).output();
    let environment: serde_json::Value = serde_json::from_slice(&lost.unwrap().stdout).unwrap();
    assert_eq!(environment["compiler"], "gcc (stub 4.5) 1.2.3, GNU ld 6.7");
}

#[test]
fn the_doctor_says_how_metalium_is_named_and_what_is_wrong_with_a_site() {
    let doctor = hallmark(&repository(), &["doctor", "--json", "--arch", "wormhole_b0"]);
    let environment: serde_json::Value = serde_json::from_slice(&doctor.stdout).unwrap();
    let metalium = &environment["metalium"];
    assert_eq!(metalium["release"], "0.81.1");
    // Both compilers are present, or the output names the missing one with its package.
    assert_ne!(metalium["compilers"].is_null(), metalium["lacks"].is_null(), "{metalium}");
    let text_form = text(&hallmark(&repository(), &["doctor", "--arch", "wormhole_b0"]));
    assert!(text_form.contains("--device metalium:SITE@ttsim:PATH"), "{text_form}");
    assert!(text_form.contains("TT_METAL_SIMULATOR"), "{text_form}");
    // An invalid site keeps tests from running.
    let device = "wormhole_b0=metalium:/nowhere@ttsim:/lib.so dispatch=device";
    let doctor = hallmark(&repository(), &["doctor", "--arch", "wormhole_b0", "--device", device]);
    assert_eq!(code(&doctor), 5, "{}", text(&doctor));
    assert!(text(&doctor).contains("problem    /nowhere is not a folder"), "{}", text(&doctor));
    // The device is TT-Metalium with its own firmware, not the chip below it.
    let device = "device     wormhole_b0: metalium:/nowhere@ttsim:/lib.so";
    assert!(text(&doctor).contains(device), "{}", text(&doctor));
    assert!(!text(&doctor).contains("hallmark-1"), "{}", text(&doctor));
}

#[test]
fn a_fresh_clone_is_sound() {
    let doctor = hallmark(&repository(), &["doctor", "--arch", "wormhole_b0"]);
    assert_eq!(code(&doctor), 0, "{}", text(&doctor));
    assert!(text(&doctor).contains("; 0 missing, 0 unused"), "{}", text(&doctor));
}

#[test]
fn shells_accept_their_completions() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = hallmark(root, &["completions", shell]);
        assert_eq!(code(&script), 0, "{}", text(&script));
        for word in ["fail-fast", "portability", "completions"] {
            assert!(text(&script).contains(word), "{shell} does not complete {word}");
        }
    }
    let script = hallmark(root, &["completions", "bash"]);
    std::fs::write(root.join("script"), &script.stdout).unwrap();
    let check = Command::new("bash").arg("-n").arg(root.join("script")).output().unwrap();
    assert!(check.status.success(), "{}", text(&check));
    // Asks the shell for the completions of `hallmark run --fa`.
    let ask = "source ./script; COMP_WORDS=(hallmark run --fa); COMP_CWORD=2; \
        _hallmark hallmark --fa run; echo \"${COMPREPLY[@]}\"";
    let answer = Command::new("bash").args(["-c", ask]).current_dir(root).output().unwrap();
    assert_eq!(text(&answer).split_whitespace().collect::<Vec<_>>(), ["--failed", "--fail-fast"]);
    assert_eq!(code(&hallmark(root, &["completions", "tcsh"])), 2);
}

#[test]
fn the_manual_has_a_page_for_each_command() {
    let folder = tempfile::tempdir().unwrap();
    let page = |arguments: &[&str]| {
        let page = hallmark(folder.path(), &[&["man"], arguments].concat());
        assert_eq!(code(&page), 0, "{}", text(&page));
        text(&page)
    };
    let all = page(&[]);
    // `.TH` begins a page of man(7), `.SH` a section of it.
    assert!(all.contains(".TH hallmark 1") && all.contains(".SH NAME"), "{all}");
    assert!(all.contains("HALLMARK_DEVICE_<ARCHITECTURE>"), "{all}");
    let run = page(&["run"]);
    assert!(run.contains(".TH hallmark-run 1") && run.contains("fast"), "{run}");
    assert!(page(&["kernels", "build"]).contains(".TH hallmark-kernels-build 1"));
    let wrong = hallmark(folder.path(), &["man", "rum"]);
    assert_eq!(code(&wrong), 2);
    assert!(
        text(&wrong).contains("`hallmark` has no command `rum`; it has run, list"),
        "{}",
        text(&wrong)
    );
}
