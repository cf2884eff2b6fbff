//! `hallmark run --watch`: a saved file runs the tests that it concerns.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a failing helper fails its test")]

mod common;
#[path = "common/linked_files.rs"]
mod linked_files;

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use common::{command, repository, text};
use linked_files::link_files;
use rustix::process::{Pid, Signal, kill_process};

const SUITE: &str = "about: Buffers.
cases:
  round_trip:
    about: What is written comes back.
    steps:
      - create_buffer: { id: a, type: dram, size: 64, page_size: 64 }
      - enqueue_write_buffer: { buffer: a, data: { uniform: uint32, seed: 1 } }
      - enqueue_read_buffer: { buffer: a, as: out, blocking: true }
    expect:
      - equal: [out, a]
";
const KERNEL: &str = "about: A kernel.
kernels:
  k: { source: kernels/k.cpp }
cases:
  runs:
    about: A program ends.
    steps:
      - create_program: { id: p }
      - create_kernel: { id: k, program: p, kernel: k, cores: [0, 0], processor: riscv_0 }
      - enqueue_program: { program: p }
      - create_buffer: { id: a, type: dram, size: 64, page_size: 64 }
      - enqueue_write_buffer: { buffer: a, data: { uniform: uint32, seed: 1 } }
      - enqueue_read_buffer: { buffer: a, as: out, blocking: true }
    expect:
      - equal: [out, a]
";
/// A program that does not end.
const ENDLESS: &str = "about: A kernel.
kernels:
  k: { source: kernels/endless_loop.cpp }
cases:
  endless:
    about: A program that does not end.
    budget: 1000000000000
    steps:
      - create_program: { id: p }
      - create_kernel: { id: k, program: p, kernel: k, cores: [0, 0], processor: riscv_0 }
      - enqueue_program: { program: p }
      - finish: {}
        expect_error: { code: Deadlock, enqueue: p }
";
/// No line takes so long, on however slow a machine.
const BOUND: Duration = Duration::from_secs(120);

/// A command that watches, and the lines that it prints.
struct Watching {
    command: Child,
    lines: Receiver<String>,
}

impl Watching {
    fn begin(root: &Path, arguments: &[&str]) -> Self {
        // One pipe, so that the lines come in the order in which they were printed.
        let (output, writer) = std::io::pipe().unwrap();
        let command = command(root)
            .env_remove("GITHUB_ACTIONS")
            .args(["run", "--watch", "--arch", "wormhole_b0"])
            .args(arguments)
            .stdout(writer.try_clone().unwrap())
            .stderr(writer)
            .spawn()
            .unwrap();
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                let _ = sender.send(line);
            }
        });
        let mut watching = Self { command, lines };
        watching.says("watching ");
        watching
    }

    /// Waits for a line with these words; gives the lines up to it.
    fn says(&mut self, words: &str) -> Vec<String> {
        let begin = Instant::now();
        let mut said = Vec::new();
        loop {
            let left = BOUND.saturating_sub(begin.elapsed());
            let line = self.lines.recv_timeout(left);
            let line =
                line.unwrap_or_else(|error| panic!("no line has `{words}` ({error}): {said:?}"));
            let is_it = line.contains(words);
            said.push(line);
            if is_it {
                return said;
            }
        }
    }

    fn ends(mut self, signal: Signal) -> Option<i32> {
        kill_process(Pid::from_child(&self.command), signal).unwrap();
        self.command.wait().unwrap().code()
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let _ = self.command.kill();
        let _ = self.command.wait();
    }
}

fn save(root: &Path, path: &str, text: &str) {
    let path = root.join("suites").join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

fn root(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    files.iter().for_each(|(path, text)| save(folder.path(), path, text));
    folder
}

fn bless(root: &Path) {
    let bless = command(root).args(["bless", "--yes", "--arch", "wormhole_b0"]).output().unwrap();
    assert!(bless.status.success(), "{}", text(&bless));
}

#[test]
fn a_saved_suite_runs_and_one_with_a_mistake_waits() {
    let folder = root(&[("group/one.yaml", SUITE), ("group/two.yaml", SUITE)]);
    let root = folder.path();
    bless(root);
    let mut watching = Watching::begin(root, &[]);
    save(root, "group/one.yaml", &format!("# A comment.\n{SUITE}"));
    watching.says("changed suites/group/one.yaml");
    watching.says("running 1 test of suites/group/one.yaml");
    watching.says(" 1 pass ");
    watching.says("waiting for a saved file");
    save(root, "group/one.yaml", &SUITE.replace("create_buffer", "create_bufer"));
    watching.says("changed suites/group/one.yaml");
    watching.says("did you mean `create_buffer`?");
    let said = watching.says("waiting for a saved file");
    assert!(!said.iter().any(|line| line.contains("running")), "{said:?}");
    // Nothing runs while a suite is wrong, and nothing is forgotten.
    save(
        root,
        "group/two.yaml",
        &SUITE.replace("equal: [out, a]", "equal: [out, { constant: uint32, value: 5 }]"),
    );
    watching.says("changed suites/group/one.yaml, suites/group/two.yaml");
    watching.says("waiting for a saved file");
    save(root, "group/one.yaml", SUITE);
    watching.says("running 2 tests of suites/group/one.yaml, suites/group/two.yaml");
    watching.says("FAIL wormhole_b0::group::two::round_trip");
    watching.says("2 tests, 1 did not pass");
    watching.says("waiting for a saved file");
    assert_eq!(watching.ends(Signal::INT), Some(130));
}

#[test]
fn a_saved_header_runs_the_tests_whose_kernels_include_it() {
    let other = KERNEL.replace("kernels/k.cpp", "kernels/other.cpp");
    let folder = root(&[
        ("group/kernel.yaml", KERNEL),
        ("group/other.yaml", &other),
        ("group/buffers.yaml", SUITE),
        ("kernels/k.cpp", "#include \"k.h\"\nvoid kernel_main() {}\n"),
        ("kernels/other.cpp", "void kernel_main() {}\n"),
        ("kernels/k.h", "#include \"deep/inner.h\"\n"),
        ("kernels/deep/inner.h", "\n"),
    ]);
    let root = folder.path();
    let mut watching = Watching::begin(root, &[]);
    // Results depend on a compiler, which a machine may lack; the choice of tests does not.
    for (path, suite) in [
        ("kernels/deep/inner.h", "kernel"),
        ("kernels/other.cpp", "other"),
        ("kernels/k.cpp", "kernel"),
    ] {
        let before = std::fs::read_to_string(root.join("suites").join(path)).unwrap();
        save(root, path, &format!("{before}// A comment.\n"));
        watching.says(&format!("changed suites/{path}"));
        watching.says(&format!("running 1 test of suites/group/{suite}.yaml"));
        watching.says("waiting for a saved file");
    }
    // An editor may write another file and give it the name.
    save(root, "kernels/.k.h.new", "#include \"deep/inner.h\"\n// Another file.\n");
    let at = |path: &str| root.join("suites/kernels").join(path);
    std::fs::rename(at(".k.h.new"), at("k.h")).unwrap();
    watching.says("running 1 test of suites/group/kernel.yaml");
    watching.says("waiting for a saved file");
    save(root, "kernels/new/unused.h", "\n");
    watching.says("changed suites/kernels/new/unused.h");
    watching.says("no selected test uses the changed files");
    watching.says("waiting for a saved file");
    assert_eq!(watching.ends(Signal::TERM), Some(130));
}

#[test]
fn the_selection_holds_for_saved_files_as_well() {
    let folder = root(&[("group/one.yaml", SUITE), ("group/two.yaml", SUITE)]);
    let root = folder.path();
    bless(root);
    let mut watching = Watching::begin(root, &["suites/group/two.yaml"]);
    save(root, "group/one.yaml", &format!("# A comment.\n{SUITE}"));
    watching.says("no selected test uses the changed files");
    save(root, "group/two.yaml", &format!("# A comment.\n{SUITE}"));
    watching.says("running 1 test of suites/group/two.yaml");
    watching.says(" 1 pass ");
    assert_eq!(watching.ends(Signal::HUP), Some(130));
}

#[test]
fn a_signal_ends_a_run_and_the_watch() {
    let folder = root(&[("group/endless.yaml", ENDLESS)]);
    let root = folder.path();
    link_files(&repository().join("suites/kernels"), &root.join("suites/kernels"));
    let mut watching = Watching::begin(root, &[]);
    save(root, "group/endless.yaml", &format!("# A comment.\n{ENDLESS}"));
    watching.says("running 1 test of suites/group/endless.yaml");
    kill_process(Pid::from_child(&watching.command), Signal::INT).unwrap();
    watching.says("^C stopped after ");
    assert_eq!(watching.command.wait().unwrap().code(), Some(130));
    assert!(watching.lines.iter().all(|line| !line.contains("waiting")));
}

/// Without a reader, no one would learn of the next run.
#[test]
fn a_watch_ends_once_its_output_is_closed() {
    let folder = root(&[("group/one.yaml", SUITE)]);
    let mut watching = command(folder.path())
        .args(["run", "--watch", "--arch", "wormhole_b0"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut output = BufReader::new(watching.stdout.take().unwrap());
    let mut line = String::new();
    output.read_line(&mut line).unwrap();
    assert!(line.starts_with("watching "), "{line}");
    // No file is saved.
    drop(output);
    assert_eq!(watching.wait().unwrap().code(), Some(0));
}

#[test]
fn a_wrong_command_line_ends_before_anything_is_watched() {
    let folder = root(&[("group/one.yaml", SUITE)]);
    for (arguments, words) in [
        (["--failed", "--watch"].as_slice(), "cannot be used with"),
        (&["--watch", "--shard", "1/2"], "cannot be used with"),
        (&["--watch", "--device", "nonsense"], "nonsense"),
        (&["--watch", "--baseline", "absent.yaml"], "absent.yaml"),
        (&["--watch", "--root", "absent"], "absent"),
    ] {
        let output = command(folder.path()).arg("run").args(arguments).output().unwrap();
        let said = text(&output);
        assert!(output.status.code() == Some(2) && said.contains(words), "{said}");
        assert!(!said.contains("watching"), "{said}");
    }
}

#[test]
fn the_documentation_names_the_watch() {
    let page = std::fs::read_to_string(repository().join("suites/TUTORIAL.md")).unwrap();
    assert!(page.contains("`hallmark run --watch"));
}
