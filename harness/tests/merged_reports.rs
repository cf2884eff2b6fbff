//! Reports of several machines become one, unless one of them is false: each false report is wrong in one
//! respect.
#![expect(clippy::unwrap_used, reason = "a failing helper fails its test")]
#![expect(clippy::indexing_slicing, reason = "a JSON value makes what an index names")]

mod common;

use std::path::Path;
use std::process::{Command, Output};

use common::{command, executable, repository, text};
use hallmark_chip::Architecture;
use hallmark_chip::sabotage::liars::{Liar, liar, unmatched};
use hallmark_pipeline::report::merge::MERGE_CHECKS;
use serde_json::{Value, json};

/// Four tests on each of three architectures.
const SUITE: &str = "about: Buffers.
cases:
  round_trip:
    about: What is written comes back.
    matrix:
      pages: [1, 2, 3, 4]
    steps:
      - create_buffer: { id: a, type: dram, size: pages * 64, page_size: 64 }
      - enqueue_write_buffer: { buffer: a, data: { uniform: uint32, seed: 1 } }
      - enqueue_read_buffer: { buffer: a, as: out }
      - finish: {}
    expect:
      - equal: [out, a]
";

fn git(root: &Path, arguments: &[&str]) {
    let output = Command::new("git")
        .args(["-c", "user.name=somebody", "-c", "user.email=somebody@example.com"])
        .args(arguments)
        .current_dir(root)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", text(&output));
}

fn hallmark(root: &Path, arguments: &[&str]) -> Output {
    command(root).args(arguments).env_remove("GITHUB_ACTIONS").output().unwrap()
}

const REFUSED: &str = "each_liar_is_refused_and_nothing_is_written";

/// Checks of merges, each with the test that fails while the check is switched off.
const LIARS: &[Liar] = &[
    liar("merge::Changed", REFUSED),
    liar("merge::OtherCommit", REFUSED),
    liar("merge::OtherRun", REFUSED),
    liar("merge::SameShard", REFUSED),
    liar("merge::SameTest", REFUSED),
    liar("merge::Count", REFUSED),
    liar("merge::Foreign", REFUSED),
    liar("merge::MissingShard", "what_is_missing_or_failed_is_said"),
];

#[test]
fn every_check_of_merges_has_a_liar() {
    let checks: Vec<String> = MERGE_CHECKS.iter().map(|check| format!("merge::{check}")).collect();
    println!("{} checks, {} liars", checks.len(), LIARS.len());
    assert_eq!(unmatched(&checks, LIARS), Vec::<String>::new());
}

#[test]
#[cfg(feature = "sabotage")]
fn a_test_fails_without_its_check() {
    use hallmark_chip::sabotage::liars::{fails_without, idle};
    assert_eq!(idle(LIARS, fails_without).unwrap(), Vec::new(), "their tests pass without");
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

/// A checkout with goldens.
fn checkout(architectures: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    std::fs::create_dir_all(root.join("suites/group")).unwrap();
    std::fs::write(root.join("suites/group/suite.yaml"), SUITE).unwrap();
    std::fs::write(root.join(".gitignore"), "target\n*.json\n*.xml\n").unwrap();
    let architectures = architectures.iter().flat_map(|name| ["--arch", name]);
    let bless: Vec<&str> = ["bless", "--yes"].into_iter().chain(architectures).collect();
    assert_eq!(code(&hallmark(root, &bless)), 0);
    git(root, &["init", "--quiet"]);
    git(root, &["add", "."]);
    git(root, &["commit", "--quiet", "-m", "suites"]);
    folder
}

/// A checkout with the reports `w1.json` and `w2.json` of Wormhole, `b1.json` and `b2.json` of Blackhole.
fn reported() -> tempfile::TempDir {
    let folder = checkout(&["wormhole_b0", "blackhole"]);
    let root = folder.path();
    for (letter, architecture) in [("w", "wormhole_b0"), ("b", "blackhole")] {
        for number in [1, 2] {
            let (shard, report) = (format!("{number}/2"), format!("{letter}{number}.json"));
            let run = ["run", "--arch", architecture, "--shard", &shard, "--report", &report];
            let run = hallmark(root, &run);
            assert_eq!(code(&run), 0, "{}", text(&run));
        }
    }
    folder
}

fn read(root: &Path, file: &str) -> Value {
    serde_json::from_slice(&std::fs::read(root.join(file)).unwrap()).unwrap()
}

fn write(root: &Path, file: &str, report: &Value) {
    std::fs::write(root.join(file), serde_json::to_vec(report).unwrap()).unwrap();
}

fn merge(root: &Path, files: &[&str]) -> Output {
    let _ = std::fs::remove_file(root.join("all.json"));
    hallmark(root, &[&["report", "merge", "-o", "all.json"], files].concat())
}

const ALL: [&str; 4] = ["w1.json", "w2.json", "b1.json", "b2.json"];

#[test]
fn shards_become_the_report_of_all_tests() {
    let folder = reported();
    let root = folder.path();
    let merged = merge(root, &ALL);
    assert_eq!(code(&merged), 0, "{}", text(&merged));
    let words =
        "8 tests, every capture replayed in a fresh process; capture bytes equal their goldens";
    assert!(text(&merged).contains(words), "{}", text(&merged));
    let all = read(root, "all.json");
    assert_eq!(all["tests"].as_array().unwrap().len(), 8);
    assert_eq!(all["commit"], read(root, "w1.json")["commit"]);
    assert_eq!(all["commit"].as_str().unwrap().len(), 40);
    assert_eq!(all["selection"]["shard"], Value::Null);
    assert_eq!(all["missing_shards"], json!([]));
    // The merge equals the report of a single machine, except for times and the order of architectures.
    let run = ["run", "--arch", "wormhole_b0", "--arch", "blackhole", "--report", "one.json"];
    assert_eq!(code(&hallmark(root, &run)), 0);
    let tests = |file: &str| {
        let report = read(root, file);
        let tests = report["tests"].as_array().unwrap().iter();
        let mut tests: Vec<String> =
            tests.map(|test| format!("{} {}", test["name"], test["verdict"])).collect();
        tests.sort();
        (tests, report["devices"].clone(), report["selection"].clone())
    };
    assert_eq!(tests("all.json"), tests("one.json"));
    // A merged report can be merged, and JUnit is written as well.
    let again = ["report", "merge", "all.json", "-o", "again.json", "-o", "again.xml"];
    assert_eq!(code(&hallmark(root, &again)), 0);
    assert_eq!(tests("again.json"), tests("all.json"));
    assert_eq!(
        std::fs::read_to_string(root.join("again.xml")).unwrap().matches("<testcase").count(),
        8
    );
}

#[test]
fn what_is_missing_or_failed_is_said() {
    let folder = reported();
    let root = folder.path();
    for (files, missing) in [
        (&["w1.json", "b1.json", "b2.json"][..], "shard 2/2 of wormhole_b0"),
        (&["w1.json", "w2.json", "b2.json"], "shard 1/2 of blackhole"),
    ] {
        let merged = merge(root, files);
        assert_eq!(code(&merged), 1, "{}", text(&merged));
        let words = format!("   missing: {missing}; nobody reported its tests");
        assert!(text(&merged).contains(&words), "{}", text(&merged));
        assert_eq!(read(root, "all.json")["missing_shards"].as_array().unwrap().len(), 1);
    }
    let merged =
        merge(root, &["w1.json", "w2.json", "--arch", "wormhole_b0", "--arch", "blackhole"]);
    assert_eq!(code(&merged), 1, "{}", text(&merged));
    assert!(text(&merged).contains("missing: every shard of blackhole"), "{}", text(&merged));
    assert_eq!(code(&merge(root, &["w1.json", "w2.json", "--arch", "wormhole_b0"])), 0);
    // A merge of no reports is refused.
    assert_eq!(code(&merge(root, &[])), 2);
    // A failure of one shard is a failure of the whole.
    let mut report = read(root, "w2.json");
    report["tests"][0]["verdict"] = json!("Hang");
    report["tests"][0]["exit_code"] = json!(6);
    write(root, "w2.json", &report);
    let merged = merge(root, &ALL);
    assert_eq!(code(&merged), 6, "{}", text(&merged));
    assert!(text(&merged).contains("8 tests, 1 did not pass"), "{}", text(&merged));
}

/// A false change to a report, with the exit code and the words of its refusal.
type Lie = (fn(&mut Value), i32, &'static str);

const LIES: [Lie; 16] = [
    (
        |it| it["commit"] = json!("0123456789012345678901234567890123456789"),
        2,
        "b2.json is of another commit than w1.json: 0123456789012345678901234567890123456789, not ",
    ),
    (|it| it["commit"] = Value::Null, 2, "b2.json names no commit"),
    (
        |it| it["commit"] = json!(format!("{}-dirty", it["commit"].as_str().unwrap())),
        2,
        "b2.json is of a checkout with changed files",
    ),
    (
        |it| it["selection"]["shard"] = json!("1/2"),
        2,
        "b2.json and b1.json are both of shard 1/2 of blackhole",
    ),
    (|it| it["selection"]["shard"] = json!("3/2"), 4, "shard must be 1–2 of 2, not 3"),
    (
        |it| it["selection"]["shard"] = json!("2/3"),
        2,
        "b2.json is of 3 shards of 4 tests, b1.json of 2 shards of 4 tests",
    ),
    (
        |it| it["selection"]["tests"] = json!(5),
        2,
        "b2.json is of 2 shards of 5 tests, b1.json of 2 shards of 4 tests",
    ),
    (
        |it| {
            it["tests"].as_array_mut().unwrap().pop();
        },
        2,
        "b2.json reports 1 test, and its shard has 2; run the shard again",
    ),
    (
        |it| it["tests"][1] = it["tests"][0].clone(),
        2,
        "stands in b2.json and in b2.json; leave one of the reports out",
    ),
    (
        |it| it["tests"][0]["name"] = json!("blackhole::group::suite::round_trip::pages=1"),
        2,
        "blackhole::group::suite::round_trip::pages=1 stands in b1.json and in b2.json",
    ),
    (
        |it| it["tests"][0]["name"] = json!("grayskull::group::suite::round_trip::pages=2"),
        2,
        "b2.json is of blackhole and reports grayskull::group::suite::round_trip::pages=2",
    ),
    (
        |it| it["devices"]["blackhole"] = json!("ttsim"),
        2,
        "b2.json is of blackhole on ttsim, b1.json of blackhole on sim",
    ),
    (
        |it| it["schedule_seeds"] = json!("1..3"),
        2,
        "b2.json is of schedule seeds 1..3, w1.json of schedule seeds 0..0",
    ),
    (|it| it["hallmark"] = json!("9.9.9"), 4, "b2.json: a report of hallmark 9.9.9"),
    // A failure whose exit code claims success.
    (
        |it| it["tests"][0]["verdict"] = json!("Mismatch"),
        4,
        "0 is not an exit code of the verdict Mismatch",
    ),
    (
        |it| it["tests"][0]["verdict"] = json!("Skipped"),
        4,
        "`Skipped` is not a verdict, or the reason",
    ),
];

#[test]
fn each_liar_is_refused_and_nothing_is_written() {
    let folder = reported();
    let root = folder.path();
    let honest = read(root, "b2.json");
    for (lie, exit, words) in LIES {
        let mut report = honest.clone();
        lie(&mut report);
        write(root, "b2.json", &report);
        let merged = merge(root, &ALL);
        assert_eq!(code(&merged), exit, "{words}: {}", text(&merged));
        assert!(text(&merged).contains(words), "{words}: {}", text(&merged));
        assert!(!root.join("all.json").exists(), "{words}");
    }
    write(root, "b2.json", &honest);
    assert_eq!(code(&merge(root, &ALL)), 0);
    // A repeated file, a missing one, and one that is no report.
    for (files, exit, words) in [
        (["w1.json", "w1.json"], 2, "w1.json and w1.json are both of shard 1/2 of wormhole_b0"),
        (["w1.json", "absent.json"], 4, "absent.json cannot be read"),
        (["w1.json", "suites/group/suite.yaml"], 4, "not a report of this version of hallmark"),
    ] {
        let merged = merge(root, &files);
        assert_eq!(code(&merged), exit, "{}", text(&merged));
        assert!(text(&merged).contains(words), "{}", text(&merged));
    }
}

#[test]
fn a_report_knows_whether_files_were_changed_or_added() {
    let folder = checkout(&["blackhole"]);
    let root = folder.path();
    let test = "blackhole::group::suite::round_trip::pages=1";
    let is_refused = || {
        let run = hallmark(root, &["run", "--exact", test, "--report", "report.json"]);
        assert_eq!(code(&run), 0, "{}", text(&run));
        let merged = merge(root, &["report.json"]);
        let words = "report.json is of a checkout with changed files";
        let refused = text(&merged).contains(words);
        let changed = read(root, "report.json")["commit"].as_str().unwrap().ends_with("-dirty");
        assert_eq!((code(&merged) == 2, refused), (changed, changed), "{}", text(&merged));
        changed
    };
    assert!(!is_refused());
    // An unread file changes nothing.
    std::fs::write(root.join("notes.txt"), "notes").unwrap();
    assert!(!is_refused());
    std::fs::write(root.join("suites/group/other.yaml"), SUITE).unwrap();
    assert!(is_refused());
    std::fs::remove_file(root.join("suites/group/other.yaml")).unwrap();
    std::fs::write(root.join("suites/group/suite.yaml"), format!("{SUITE}\n")).unwrap();
    assert!(is_refused());
}

/// A shard of a checkout with changed files says before it runs that its report cannot be merged.
#[test]
fn a_shard_that_no_merge_accepts_says_so_before_it_runs() {
    let folder = checkout(&["blackhole"]);
    let root = folder.path();
    let shard = |report: &str| {
        let run = ["run", "--arch", "blackhole", "--shard", "1/2", "--report", report];
        let run = hallmark(root, &run);
        assert_eq!(code(&run), 0, "{}", text(&run));
        String::from_utf8(run.stderr).unwrap()
    };
    assert_eq!(shard("b1.json"), "");
    std::fs::write(root.join("suites/group/suite.yaml"), format!("{SUITE}\n")).unwrap();
    let said = shard("b1.json");
    let words = "warning: `hallmark report merge` will refuse this shard: b1.json is of a checkout with changed files (";
    assert!(said.starts_with(words), "{said}");
    assert!(said.contains("; commit them and run the tests again"), "{said}");
    // Nobody merges JUnit files.
    assert_eq!(shard("b1.xml"), "");
    std::fs::remove_dir_all(root.join(".git")).unwrap();
    let said = shard("b1.json");
    assert!(said.contains("b1.json names no commit"), "{said}");
}

/// The workflow that users copy: its commands share all tests, and its last job merges their reports.
#[test]
fn the_workflow_to_copy_tests_everything_and_merges_it() {
    let workflow = std::fs::read_to_string(repository().join(".ci/github-actions.yml")).unwrap();
    let workflow: Value = serde_saphyr::from_str(&workflow).unwrap();
    let jobs = &workflow["jobs"];
    let step = |job: &str, name: &str| {
        let steps = jobs[job]["steps"].as_array().unwrap().iter();
        let mut named = steps.filter(|step| step["name"] == name);
        named.next().unwrap()["run"].as_str().unwrap().to_owned()
    };
    let matrix = &jobs["test"]["strategy"]["matrix"];
    let names: Vec<&str> =
        Architecture::ALL.iter().map(|architecture| architecture.name()).collect();
    assert_eq!(matrix["architecture"], json!(names));
    let folder = checkout(&names);
    let root = folder.path();
    std::fs::create_dir_all(root.join("target/debug")).unwrap();
    std::os::unix::fs::symlink(executable(), root.join("target/debug/hallmark")).unwrap();
    // The runners' shell has this one's variables, without those of Hallmark.
    let shell = |line: &str| {
        let mut shell = Command::new("sh");
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("HALLMARK_") {
                shell.env_remove(name);
            }
        }
        shell.args(["-c", line]).current_dir(root).output().unwrap()
    };
    for architecture in names {
        for shard in matrix["shard"].as_array().unwrap() {
            let line = step("test", "suites")
                .replace("${{ matrix.architecture }}", architecture)
                .replace("${{ matrix.shard }}", &shard.to_string());
            let run = shell(&line);
            assert_eq!(code(&run), 0, "{line}: {}", text(&run));
        }
    }
    let merged = shell(&step("report", "merge"));
    assert_eq!(code(&merged), 0, "{}", text(&merged));
    assert!(text(&merged).contains("   12 tests, every capture replayed"), "{}", text(&merged));
    assert!(root.join("report.json").is_file() && root.join("report.xml").is_file());
    std::fs::remove_file(root.join("blackhole-2.json")).unwrap();
    let merged = shell(&step("report", "merge"));
    assert_eq!(code(&merged), 1, "{}", text(&merged));
    assert!(text(&merged).contains("missing: shard 2/3 of blackhole"), "{}", text(&merged));
}

/// Reads the wrong buffer.
const FAILING: &str = "about: Buffers.
cases:
  other_buffer:
    about: What was written to one buffer is expected of the other.
    steps:
      - create_buffer: { id: a, type: dram, size: 4 * 64, page_size: 64 }
      - create_buffer: { id: b, type: dram, size: 4 * 64, page_size: 64 }
      - enqueue_write_buffer: { buffer: a, data: { uniform: uint32, seed: 1 } }
      - enqueue_write_buffer: { buffer: b, data: { uniform: uint32, seed: 2 } }
      - enqueue_read_buffer: { buffer: b, as: out }
      - finish: {}
    expect:
      - equal: [out, a]
";

#[test]
fn a_page_shows_a_failure_with_its_pictures_after_a_merge_as_before() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    std::fs::create_dir_all(root.join("suites/group")).unwrap();
    std::fs::write(root.join("suites/group/suite.yaml"), FAILING).unwrap();
    std::fs::write(root.join(".gitignore"), "target\n*.json\n*.html\n").unwrap();
    git(root, &["init", "--quiet"]);
    git(root, &["add", "."]);
    git(root, &["commit", "--quiet", "-m", "suites"]);
    let reports = ["--report", "run.html", "--report", "run.json"];
    let run = hallmark(root, &[&["run", "--arch", "blackhole"], reports.as_slice()].concat());
    assert_eq!(code(&run), 1, "{}", text(&run));
    let merge = hallmark(root, &["report", "merge", "run.json", "-o", "merged.html"]);
    assert_eq!(code(&merge), 1, "{}", text(&merge));
    let page = |name: &str| std::fs::read_to_string(root.join(name)).unwrap();
    let page = [page("run.html"), page("merged.html")];
    for part in [
        "1 of 1 test did not pass",
        "<b>4 of 4 pages</b> of <code>b</code>",
        "<b>4 of 4 banks</b> of DRAM",
        "suites/group/suite.yaml:3",
        "hallmark run --exact blackhole::group::suite::other_buffer",
    ] {
        for page in &page {
            assert!(page.contains(part), "{part}: {page}");
        }
    }
    assert_eq!(page[0], page[1]);
}

#[test]
fn a_report_that_cannot_be_written_is_refused_before_anything_runs() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    std::fs::create_dir_all(root.join("suites/group")).unwrap();
    std::fs::write(root.join("suites/group/suite.yaml"), FAILING).unwrap();
    let run = hallmark(root, &["run", "--report", "suites/group/suite.yaml/page.html"]);
    assert_eq!(code(&run), 2, "{}", text(&run));
    assert!(text(&run).contains("page.html cannot be written"), "{}", text(&run));
    assert!(!root.join("target").exists());
}
