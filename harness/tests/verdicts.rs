//! Verdicts and what goes with them, end to end: small suites in roots of their own.
#![expect(clippy::unwrap_used, reason = "a failing helper fails its test")]

mod common;
#[path = "common/linked_files.rs"]
mod linked_files;

use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use common::{command, repository, text};
use linked_files::link_files;

/// Exit code and everything that was said.
fn hallmark(root: &Path, arguments: &[&str]) -> (i32, String) {
    let output = command(root).args(arguments).output().unwrap();
    (output.status.code().unwrap(), text(&output))
}

/// A root whose kernels are the repository's.
fn root_with(cases: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let suites = folder.path().join("suites");
    std::fs::create_dir_all(suites.join("group")).unwrap();
    link_files(&repository().join("suites/kernels"), &suites.join("kernels"));
    write(folder.path(), cases);
    folder
}

fn write(root: &Path, cases: &str) {
    std::fs::write(root.join("suites/group/suite.yaml"), format!("about: A suite.\n{cases}"))
        .unwrap();
}

const ROUND_TRIP: &str = "cases:
  one:
    about: What is written comes back.
    steps:
      - create_buffer: { id: a, type: dram, size: 64, page_size: 64 }
      - enqueue_write_buffer: { buffer: a, data: { uniform: uint32, seed: 1 } }
      - enqueue_read_buffer: { buffer: a, as: out }
      - finish: {}
    expect:
      - equal: [out, a]
";

/// A case whose program breaks a rule, or waits or runs for ever.
fn program(kernel: &str, arguments: &str, more: &str) -> String {
    format!(
        "kernels:
  k: {{ source: kernels/{kernel}.cpp }}
cases:
  one:
    about: A program that does not end well.
{more}    steps:
      - create_buffer: {{ id: a, type: l1, size: 64, page_size: 64 }}
      - enqueue_write_buffer: {{ buffer: a, data: {{ uniform: uint32, seed: 1 }} }}
      - enqueue_read_buffer: {{ buffer: a, as: out, blocking: true }}
      - create_program: {{ id: program }}
      - create_semaphore: {{ id: signal, program: program, cores: [2, 3] }}
      - create_kernel: {{ id: bad, program: program, kernel: k, cores: [2, 3], processor: riscv_0 }}
{arguments}      - enqueue_program: {{ program: program }}
      - finish: {{}}
    expect:
      - equal: [out, a]
"
    )
}

fn fault(more: &str) -> String {
    let arguments = "      - set_runtime_args: { kernel: bad, args: [{ buffer: a }] }\n";
    program("fault_misaligned_load", arguments, more)
}

#[test]
fn a_fault_names_program_kernel_and_place() {
    let folder = root_with(&fault(""));
    let (code, text) = hallmark(folder.path(), &["run", "--arch", "wormhole_b0"]);
    assert_eq!(code, 1, "{text}");
    assert!(text.contains("FAULT wormhole_b0::group::suite::one"), "{text}");
    assert!(text.contains("NonContractualBehavior: an access of 4 bytes"), "{text}");
    assert!(text.contains("logical (2,3), BRISC, pc 0x"), "{text}");
    assert!(
        text.contains("in kernel_main of `bad`, fault_misaligned_load.cpp:11: `asm volatile("),
        "{text}"
    );
    assert!(text.contains("\n      lw a5, 0(a5) (0x0007a783)\n"), "{text}");
    assert!(text.contains(" is byte 2 of the share that buffer `a` has of this bank\n"), "{text}");
    assert!(text.contains("in program `program` (enqueued by command 7)"), "{text}");
    assert!(text.contains("hallmark run --exact wormhole_b0::group::suite::one"), "{text}");
}

/// Memory that nothing wrote has the name of the buffer that it belongs to; what was written is not asked about.
#[test]
fn a_fault_about_memory_names_the_buffer_on_every_chip() {
    let arguments = "      - create_buffer: { id: unwritten, type: l1, size: 64, page_size: 64 }\n      - \
                     set_runtime_args: { kernel: bad, args: [{ buffer: unwritten }] }\n";
    let folder = root_with(&program("fault_uninitialised_branch", arguments, ""));
    for architecture in ["grayskull", "wormhole_b0", "blackhole"] {
        let (code, text) = hallmark(folder.path(), &["run", "--arch", architecture]);
        assert_eq!(code, 1, "{text}");
        let share = " is byte 0 of the share that buffer `unwritten` has of this bank\n";
        assert!(text.contains(share), "{text}");
    }
}

#[test]
fn a_deadlock_names_what_is_waited_for_and_who_wrote_it() {
    let arguments = "      - set_runtime_args: { kernel: bad, args: [{ semaphore: signal }, 1] }\n";
    let folder = root_with(&program("semaphore_never", arguments, ""));
    let (code, text) = hallmark(folder.path(), &["run"]);
    assert_eq!(code, 6, "{text}");
    assert!(text.contains("cannot finish: every running core waits for another"), "{text}");
    let line = "semaphore_never.cpp:9: `noc_semaphore_wait(reinterpret_cast";
    assert!(text.contains(&format!("(2,3) BRISC  in kernel_main of `bad`, {line}")), "{text}");
    assert!(text.contains("\n      in noc_semaphore_wait, dataflow_api.h:"), "{text}");
    let wait = "to be exactly 1: it holds 0, last written by the host\n";
    assert!(text.contains("waits for semaphore `signal` (0x") && text.contains(wait), "{text}");
    let nobody = "no other core still runs a kernel that could change the semaphore\n";
    assert!(text.contains(nobody), "{text}");
    for architecture in ["grayskull", "blackhole"] {
        let (_, text) = hallmark(folder.path(), &["run", "--arch", architecture]);
        assert!(text.contains(wait) && text.contains(nobody), "{text}");
    }
}

/// A semaphore that somebody counts from 1 to 4, by steps of 3, never is 2; a wait for at least 2 would have ended.
#[test]
fn a_semaphore_that_overshot_is_named_on_every_chip() {
    let folder = root_with(
        "kernels:
  wait: { source: kernels/semaphore_never.cpp }
  add: { source: kernels/semaphore_add.cpp }
cases:
  one:
    about: A semaphore goes past the value that is awaited.
    steps:
      - create_buffer: { id: a, type: l1, size: 64, page_size: 64 }
      - enqueue_write_buffer: { buffer: a, data: { uniform: uint32, seed: 1 } }
      - enqueue_read_buffer: { buffer: a, as: out, blocking: true }
      - create_program: { id: program }
      - create_semaphore: { id: signal, program: program, cores: [[2, 3], [3, 3]], initial_value: 1 }
      - create_kernel: { id: waits, program: program, kernel: wait, cores: [2, 3], processor: riscv_0 }
      - create_kernel: { id: adds, program: program, kernel: add, cores: [3, 3], processor: riscv_0 }
      - set_runtime_args: { kernel: waits, args: [{ semaphore: signal }, 2] }
      - set_runtime_args: { kernel: adds, args: [{ semaphore: signal }, { noc_x: [2, 3] }, { noc_y: [2, 3] }, 3, 1] }
      - enqueue_program: { program: program }
      - finish: {}
    expect:
      - equal: [out, a]
",
    );
    for architecture in ["grayskull", "wormhole_b0", "blackhole"] {
        let (code, text) = hallmark(folder.path(), &["run", "--arch", architecture]);
        assert_eq!(code, 6, "{text}");
        let overshot = "to be exactly 2, but it has overshot: it holds 4, last written by (3,3) BRISC at instruction ";
        assert!(text.contains(overshot), "{text}");
        assert!(text.contains(", whose kernel has finished\n"), "{text}");
    }
}

/// A barrier that counts on more tiles than the multicast reached is told as that, with the register's name.
#[test]
fn a_wrong_number_of_destinations_is_named() {
    let arguments = "      - set_runtime_args:\n          kernel: bad\n          args: [{ buffer: a }, \
                     { buffer: a }, { noc_x: [3, 4] }, { noc_y: [3, 4] }, { noc_x: [4, 4] }, \
                     { noc_y: [4, 4] }, 3, 64]\n";
    let folder = root_with(&program("multicast_plain", arguments, ""));
    let (code, text) = hallmark(folder.path(), &["run", "--arch", "wormhole_b0"]);
    assert_eq!(code, 6, "{text}");
    assert!(text.contains("multicast_plain.cpp:22: `noc_async_write_barrier();`"), "{text}");
    let wait = "waits for NIU_MST_WR_ACK_RECEIVED of NoC 0 to be exactly 3: it counts 2 \
                acknowledgements of writes, and nothing is on its way; a multicast with a wrong number of \
                destinations does that";
    assert!(text.contains(wait), "{text}");
}

#[test]
fn a_hang_is_found_by_its_budget_and_says_where_it_stood() {
    let folder = root_with(&program("endless_loop", "", "    budget: 100000\n"));
    let (code, text) = hallmark(folder.path(), &["run", "--arch", "wormhole_b0"]);
    assert_eq!(code, 6, "{text}");
    assert!(text.contains("HANG wormhole_b0"), "{text}");
    assert!(text.contains("not finished after 100000 ticks"), "{text}");
    let line = "endless_loop.cpp:8: `for (uint32_t count = 0;; ++count) {`";
    assert!(text.contains(&format!("(2,3) BRISC  in kernel_main of `bad`, {line}")), "{text}");
    assert!(text.contains("1 core has not finished: (2,3)"), "{text}");
    assert!(text.contains("`budget`"), "{text}");
}

#[test]
fn a_hang_lists_twelve_cores_and_says_that_there_are_more() {
    let hang = |cores: &str| {
        let case = program("endless_loop", "", "    budget: 100000\n");
        let on_one = "kernel: k, cores: [2, 3]";
        assert!(case.contains(on_one));
        let case = case.replace(on_one, &format!("kernel: k, cores: {cores}"));
        let folder = root_with(&case);
        let (code, text) = hallmark(folder.path(), &["run", "--arch", "wormhole_b0"]);
        assert_eq!(code, 6, "{text}");
        let listed = |line: &&str| line.contains("not finished: ");
        text.lines().find(listed).unwrap_or_else(|| panic!("{text}")).trim().to_owned()
    };
    let twelve = hang("[[0, 0], [3, 2]]");
    assert!(twelve.starts_with("12 cores have not finished: (0,0) (0,1) (0,2) (1,0) "), "{twelve}");
    assert!(twelve.ends_with(" (3,2)"), "{twelve}");
    let thirteen = hang("[[[0, 0], [3, 2]], [[0, 3], [0, 3]]]");
    assert!(
        thirteen.starts_with("13 cores have not finished: (0,0) (0,1) (0,2) (0,3) "),
        "{thirteen}"
    );
    assert!(thirteen.ends_with(" (3,1) …"), "{thirteen}");
}

#[test]
fn a_test_that_exceeds_its_timeout_hangs() {
    let folder =
        root_with(&program("endless_loop", "", "    budget: 1000000000000\n    timeout: 1\n"));
    let start = Instant::now();
    let (code, text) = hallmark(folder.path(), &["run"]);
    assert_eq!(code, 6, "{text}");
    assert!(text.contains("the capturing run did not end in 1 s and was stopped"), "{text}");
    assert!(text.contains("The run had reached command 7, finish."), "{text}");
    assert!(start.elapsed() < Duration::from_secs(20), "{text}");
}

#[test]
fn expected_failures_must_match() {
    let expected = |category: &str| {
        format!(
            "    expected_failure: [{{ device: sim, category: {category}, reason: it is known }}]\n"
        )
    };
    let folder = root_with(&fault(&expected("NonContractualBehavior")));
    let root = folder.path();
    let (code, text) = hallmark(root, &["run"]);
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("1 expected failure"), "{text}");

    for (category, code) in [("Fault", 0), ("DataRace", 1), ("Hang", 1)] {
        write(root, &fault(&expected(category)));
        let (actual, text) = hallmark(root, &["run"]);
        assert_eq!(actual, code, "{category}: {text}");
    }

    write(root, &fault(&expected("Passed")));
    let (code, text) = hallmark(root, &["run"]);
    assert_eq!(code, 3, "{text}");
    assert!(text.contains("unknown verdict or fault category `Passed`"), "{text}");

    let passes = ROUND_TRIP.replace("    steps:", &format!("{}    steps:", expected("Fault")));
    write(root, ROUND_TRIP);
    assert_eq!(hallmark(root, &["bless", "--yes"]).0, 0);
    write(root, &passes);
    let (code, text) = hallmark(root, &["run"]);
    assert_eq!(code, 1, "{text}");
    assert!(text.contains("UNEXPECTED PASS") && text.contains("it is known"), "{text}");
    assert!(text.contains("Remove it from `expected_failure`"), "{text}");
}

const BOTH_TIMES: &str = "so the device did it both times";

#[test]
fn only_what_the_device_did_is_laid_at_its_door() {
    let wrong = ROUND_TRIP.replace("[out, a]", "[out, { constant: uint32, value: 5 }]");
    let folder = root_with(&wrong);
    let root = folder.path();
    let (code, text) = hallmark(root, &["run", "--arch", "wormhole_b0"]);
    assert_eq!(code, 1, "{text}");
    assert!(text.contains(BOTH_TIMES), "{text}");
    assert!(text.contains("one  (capture, outputs, report, signature)\n"), "{text}");
    write(root, &fault(""));
    let (code, text) = hallmark(root, &["run", "--arch", "wormhole_b0"]);
    assert_eq!(code, 1, "{text}");
    assert!(text.contains(BOTH_TIMES), "{text}");
    assert!(text.contains("one  (capture, report, signature)\n"), "{text}");

    write(root, &ROUND_TRIP.replace("size: 64, page_size: 64", "size: 64, page_size: 48"));
    let (code, text) = hallmark(root, &["run", "--arch", "wormhole_b0"]);
    assert_eq!(code, 1, "{text}");
    assert!(text.contains("is not a multiple of the page size"), "{text}");
    assert!(!text.contains(BOTH_TIMES), "{text}");
    assert!(text.contains("one  (capture, report, signature)\n"), "{text}");
}

#[test]
fn outputs_that_the_golden_has_otherwise_are_a_change() {
    // A golden with a whole program names no output that the program lacks.
    let digest = ROUND_TRIP.replace("    steps:", "    golden: { digest: to see one }\n    steps:");
    let folder = root_with(&digest);
    let root = folder.path();
    assert_eq!(hallmark(root, &["bless", "--yes", "--arch", "wormhole_b0"]).0, 0);
    let path = root.join("goldens/wormhole_b0/group/suite/one.lmb");
    let bytes: hallmark_schema::model::SharedBytes = std::fs::read(&path).unwrap().into();
    let stored = hallmark_schema::Golden::from_bytes(&bytes).unwrap();
    let mut lies = [stored.clone(), stored.clone(), stored];
    lies[0].outputs[0].hash = hallmark_schema::model::ContentHash::of(b"other bytes");
    lies[1].outputs.clear();
    let more = hallmark_schema::model::OutputHash {
        name: "more".to_owned(),
        ..lies[2].outputs[0].clone()
    };
    lies[2].outputs.push(more);
    let words = ["output `out`: ", "output `out` is new", "output `more` is gone"];
    for (lie, words) in lies.iter().zip(words) {
        std::fs::write(&path, lie.to_bytes().unwrap()).unwrap();
        let (code, text) = hallmark(root, &["run", "--arch", "wormhole_b0"]);
        assert_eq!(code, 1, "{text}");
        assert!(text.contains("CHANGED wormhole_b0::group::suite::one"), "{text}");
        assert!(text.contains(words), "{text}");
        assert!(text.contains("capture and replay agree"), "{text}");
    }
}

#[test]
fn a_digest_stands_for_a_large_program() {
    let digest = ROUND_TRIP.replace("    steps:", "    golden: { digest: to see one }\n    steps:");
    let folder = root_with(&digest);
    let root = folder.path();
    assert_eq!(hallmark(root, &["run"]).0, 7);
    assert_eq!(hallmark(root, &["bless", "--yes"]).0, 0);
    let (code, text) = hallmark(root, &["run"]);
    assert_eq!(code, 0, "{text}");
    write(root, &digest.replace("seed: 1", "seed: 2"));
    let (code, text) = hallmark(root, &["run"]);
    assert_eq!(code, 1, "{text}");
    assert!(text.contains("CHANGED") && text.contains("the program part has the hash"), "{text}");
    // The same case with a whole golden is another form of golden.
    write(root, ROUND_TRIP);
    let (code, text) = hallmark(root, &["bless", "--dry-run"]);
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("the same content in another form"), "{text}");
}

#[test]
fn what_is_not_checked_says_why() {
    let unchecked =
        ROUND_TRIP.replace("- equal: [out, a]", "- { unchecked: out, reason: nobody knows }");
    let folder = root_with(&unchecked);
    let root = folder.path();
    assert_eq!(hallmark(root, &["bless", "--yes"]).0, 0);
    let (code, text) = hallmark(root, &["run", "--strict-derived"]);
    assert_eq!(code, 0, "{text}");
    write(root, &unchecked.replace(", reason: nobody knows", ""));
    let (code, text) = hallmark(root, &["run"]);
    assert_eq!(code, 3, "{text}");
    assert!(text.contains("`unchecked` needs `reason`"), "{text}");
}

#[test]
fn a_test_for_other_devices_is_skipped_with_its_reason() {
    let folder =
        root_with(&ROUND_TRIP.replace(
            "    steps:",
            "    when: { devices: [ttsim], reason: only there }\n    steps:",
        ));
    let (code, text) = hallmark(folder.path(), &["run"]);
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("1 skipped") && text.contains("only there"), "{text}");
    let (code, text) = hallmark(folder.path(), &["list", "--skipped"]);
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("only there"), "{text}");
}

#[test]
fn what_goes_wrong_around_a_test_is_an_internal_error() {
    let folder = root_with(ROUND_TRIP);
    let output = command(folder.path())
        .arg("run")
        .env("TMPDIR", folder.path().join("nowhere"))
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(9), "{text}");
    assert!(
        text.contains("INTERNAL ERROR") && text.contains("a temporary folder cannot be created"),
        "{text}"
    );
}

/// Children of a process that are still there and no zombies.
fn children(parent: u32) -> Vec<u32> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else {
            continue;
        };
        if stat(pid).is_some_and(|(state, of)| of == parent && state != "Z") {
            found.push(pid);
        }
    }
    found
}

/// State and parent of a process.
fn stat(pid: u32) -> Option<(String, u32)> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let mut fields = text.rsplit_once(')')?.1.split_whitespace();
    Some((fields.next()?.to_owned(), fields.next()?.parse().ok()?))
}

#[test]
#[cfg(target_os = "linux")]
fn an_interrupt_ends_the_worker_and_leaves_no_folder() {
    let folder = root_with(&program("endless_loop", "", "    budget: 1000000000000\n"));
    let scratch = tempfile::tempdir().unwrap();
    for signal in [rustix::process::Signal::INT, rustix::process::Signal::TERM] {
        let mut run = command(folder.path())
            .arg("run")
            .env("TMPDIR", scratch.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let begin = Instant::now();
        let workers = loop {
            let workers = children(run.id());
            if !workers.is_empty() && scratch.path().read_dir().unwrap().next().is_some() {
                break workers;
            }
            assert!(begin.elapsed() < Duration::from_secs(30), "no worker was started");
            std::thread::sleep(Duration::from_millis(5));
        };
        rustix::process::kill_process(rustix::process::Pid::from_child(&run), signal).unwrap();
        assert_eq!(run.wait().unwrap().code(), Some(130));
        for worker in workers {
            assert!(stat(worker).is_none_or(|(state, _)| state == "Z"), "{worker} survived");
        }
        let left: Vec<_> = scratch.path().read_dir().unwrap().flatten().collect();
        assert!(left.is_empty(), "{left:?}");
    }
}
