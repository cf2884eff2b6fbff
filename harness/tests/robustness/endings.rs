//! Workers that crash or hang, and runs that are interrupted: the right verdict and exit code, and nothing
//! left behind.

use std::io::{ErrorKind, Read as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use hallmark_execution::worker::process::WorkerProgram;
use hallmark_pipeline::verdict::{ExitCode, Verdict};
use hallmark_pipeline::{TestResult, run_test};
use hallmark_suite::discover::Root;

use crate::common::command;
use crate::killed_workers::settings;

const SUITE: &str = "about: Buffers.
cases:
  c:
    about: A refusal.
    timeout: 1
    matrix:
      n: [NUMBERS]
    steps:
      - create_buffer: { id: odd, type: dram, size: 100 + 64 * n, page_size: 64 }
        expect_error: { code: SizeNotPageMultiple, size: 100 + 64 * n, page_size: 64 }
";

fn root(tests: usize) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join("suites/group")).unwrap();
    let numbers: Vec<String> = (0..tests).map(|number| number.to_string()).collect();
    let suite = SUITE.replace("NUMBERS", &numbers.join(", "));
    std::fs::write(folder.path().join("suites/group/suite.yaml"), suite).unwrap();
    folder
}

/// Runs a test with a shell script for a worker.
fn run_with(script: &str) -> TestResult {
    let folder = root(1);
    let executable = folder.path().join("worker");
    std::fs::write(&executable, format!("#!/bin/sh\n[ $# = 0 ] && exit\n{script}\n")).unwrap();
    std::fs::set_permissions(&executable, std::fs::Permissions::from_mode(0o755)).unwrap();
    // Another thread's child may hold the file for writing until it becomes another program.
    while let Err(error) = Command::new(&executable).status() {
        assert_eq!(error.kind(), ErrorKind::ExecutableFileBusy);
        std::thread::sleep(Duration::from_millis(1));
    }
    let mut settings = settings(Root::at(folder.path()).unwrap());
    settings.workers.worker = WorkerProgram { executable };
    let test = settings.root.test(&"wormhole_b0::group::suite::c::n=0".parse().unwrap()).unwrap();
    run_test(&settings, &test).unwrap().result
}

#[test]
fn a_worker_that_dies_is_a_crash() {
    for (script, says) in [
        ("kill -SEGV $$", "killed by signal 11"),
        ("kill -KILL $$", "killed by signal 9"),
        ("echo last words >&2; exit 3", "exited with code 3"),
        ("exit 0", "exited with code 0"),
        ("printf garbage > \"${2%/*}/report.json\"", "exited with code 0"),
        ("printf garbage > \"${2%/*}/journal\"; kill -SEGV $$", "killed by signal 11"),
    ] {
        let result = run_with(script);
        let report = result.report().join("\n");
        assert_eq!(result.verdict, Verdict::Crash, "{script}: {report}");
        assert_eq!(result.exit_code, ExitCode::DEVICE);
        assert!(report.contains(says), "{script}: {report}");
        assert!(report.contains("hallmark run --exact wormhole_b0::group::suite::c::n=0"));
    }
    let result = run_with("echo last words >&2; exit 3");
    assert!(result.lines.join("\n").contains("output    last words"), "{:?}", result.lines);
}

#[test]
fn a_worker_that_does_not_end_is_a_hang() {
    let begin = Instant::now();
    for script in ["sleep 600", "trap '' TERM INT; while :; do :; done", "sleep 600 & wait"] {
        let result = run_with(script);
        let report = result.lines.join("\n");
        assert_eq!(result.verdict, Verdict::Hang, "{script}: {report}");
        assert_eq!(result.exit_code, ExitCode::STOPPED);
        assert!(report.contains("did not end in 1 s"), "{script}: {report}");
    }
    assert!(begin.elapsed() < Duration::from_secs(60), "a hang costs one time limit");
}

/// Processes that were started with a file of a folder, or that are in it: a forked worker has the arguments of its run.
fn processes_of(folder: &Path) -> Vec<String> {
    let name = folder.as_os_str().as_encoded_bytes();
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Ok(arguments) = std::fs::read(entry.path().join("cmdline")) else { continue };
        let is_in = std::fs::read_link(entry.path().join("cwd"))
            .is_ok_and(|current| current.starts_with(folder));
        if is_in || arguments.windows(name.len()).any(|part| part == name) {
            found.push(String::from_utf8_lossy(&arguments).replace('\0', " "));
        }
    }
    found
}

#[test]
fn an_interrupted_run_leaves_no_process_and_no_file_behind() {
    let folder = root(2000);
    for (milliseconds, signal) in [
        (150, rustix::process::Signal::INT),
        (400, rustix::process::Signal::TERM),
        (900, rustix::process::Signal::INT),
    ] {
        let temporary = tempfile::tempdir().unwrap();
        let mut child = command(folder.path())
            .args(["run", "-j", "2"])
            .env("TMPDIR", temporary.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Not before it has begun: until then nobody catches the signal.
        let begin = Instant::now();
        while std::fs::read_dir(temporary.path()).unwrap().next().is_none() {
            assert!(begin.elapsed() < Duration::from_secs(60), "no worker is started");
            assert!(child.try_wait().unwrap().is_none(), "the run ended before it was stopped");
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_millis(milliseconds));
        rustix::process::kill_process(rustix::process::Pid::from_child(&child), signal).unwrap();
        let begin = Instant::now();
        assert_eq!(child.wait().unwrap().code(), Some(130));
        assert!(begin.elapsed() < Duration::from_secs(10), "it ends at once");
        let left: Vec<_> = std::fs::read_dir(temporary.path()).unwrap().collect();
        assert!(left.is_empty(), "{left:?}");
        assert_eq!(processes_of(temporary.path()), Vec::<String>::new());
        // The zygote's current folder is the run's.
        assert_eq!(processes_of(folder.path()), Vec::<String>::new());
        assert!(!folder.path().join("goldens").exists());
    }
}

/// The limit on the size of files falls upon `bless` after its workers are done and before it writes: it
/// prints in between, more than a pipe holds, and goes on only when somebody reads.
#[test]
fn a_disk_that_fills_up_while_goldens_are_written_loses_nothing() {
    const TESTS: usize = 360;
    let folder = root(TESTS);
    let suite = folder.path().join("suites/group/suite.yaml");
    let long = "long_".repeat(15);
    let text = std::fs::read_to_string(&suite).unwrap();
    let text = text.replace("  c:\n", &format!("  c_{long}:\n"));
    std::fs::write(
        &suite,
        text.replace("    matrix:\n", &format!("    matrix:\n      {long}: [1]\n")),
    )
    .unwrap();
    let goldens = folder.path().join(format!("goldens/wormhole_b0/group/suite/c_{long}"));
    let first = goldens.join(format!("{long}=1,n=0.lmb"));
    std::fs::create_dir_all(&goldens).unwrap();
    std::fs::write(&first, "what was there before").unwrap();

    let mut bless = command(folder.path())
        .args(["bless", "--yes", "--arch", "wormhole_b0"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdout = bless.stdout.take().unwrap();
    let mut shown = vec![0];
    if stdout.read_exact(&mut shown).is_err() {
        let error = bless.wait_with_output().unwrap().stderr;
        panic!("nothing was shown: {}", String::from_utf8_lossy(&error));
    }
    let limit = rustix::process::Rlimit { current: Some(64), maximum: Some(64) };
    let process = rustix::process::Pid::from_child(&bless);
    rustix::process::prlimit(Some(process), rustix::process::Resource::Fsize, limit).unwrap();
    stdout.read_to_end(&mut shown).unwrap();
    let ended = bless.wait_with_output().unwrap();
    let error = String::from_utf8_lossy(&ended.stderr);
    assert!(shown.len() > 64 << 10, "{} B fit into a pipe", shown.len());
    assert_eq!(ended.status.code(), Some(9), "{error}");
    assert_eq!(error.matches("error: ").count(), 1, "{error}");
    assert!(error.contains("cannot be written: File too large"), "{error}");
    assert!(error.contains(&format!("0 of {TESTS} goldens were changed, none by half")), "{error}");
    assert_eq!(std::fs::read(&first).unwrap(), b"what was there before");
    assert_eq!(std::fs::read_dir(&goldens).unwrap().count(), 1, "nothing is left behind");
}
