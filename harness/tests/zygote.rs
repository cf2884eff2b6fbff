//! Workers that are forked: they end, stop and find around them what executed ones do, and nothing of one is left to another.
//!
//! The tests run one after the other in the only thread of a process, from which its zygote was forked.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a failing helper fails its test"
)]

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use hallmark_execution::worker::contract::CONTRACT;
use hallmark_execution::worker::job::Job;
use hallmark_execution::worker::job_file::JobFile;
use hallmark_execution::worker::mock::MockJob;
use hallmark_execution::worker::process::{Ended, Ending, WorkerProgram, WorkerStart};
use hallmark_execution::worker::{run_if_worker, zygote};
use libtest_mimic::{Arguments, Trial};
use rustix::process::{Pid, Signal, kill_process};

const LONG: Duration = Duration::from_secs(20);
const VARIABLES: [(&str, &str); 2] = [("ONE", "1"), ("TWO", "a = b")];

fn main() -> ExitCode {
    // An executed worker is this executable, too.
    if let Some(code) = run_if_worker() {
        return code;
    }
    let mut arguments = Arguments::from_args();
    if !arguments.list {
        zygote_before_threads();
        if let Some(code) = zygote::start() {
            return code;
        }
    }
    arguments.test_threads = Some(1);
    let tests: [(&str, fn()); 7] = [
        ("forked_workers_end_as_executed_ones_do", forked_workers_end_as_executed_ones_do),
        ("a_forked_worker_finds_what_an_executed_one_finds", surroundings),
        ("nothing_of_a_worker_is_left_to_the_next", nothing_is_left),
        ("a_hang_is_stopped_with_everything_that_it_started", hangs_are_stopped),
        ("workers_of_another_executable_are_executed", another_executable),
        ("a_signal_to_the_zygote_is_the_callers_to_act_upon", signals_are_the_callers),
        ("without_its_zygote_a_process_executes_workers", without_a_zygote),
    ];
    let trials = tests.map(|(name, test)| {
        Trial::test(name, move || {
            test();
            Ok(())
        })
    });
    let code = libtest_mimic::run(&arguments, trials.into()).exit_code();
    zygote::end();
    code
}

/// A process with two threads has no zygote. Once it has one thread again, it may have one.
fn zygote_before_threads() {
    let (stop, stopped) = std::sync::mpsc::channel::<()>();
    let other = std::thread::spawn(move || stopped.recv());
    assert!(zygote::start().is_none());
    let (_, parent) = whose(WorkerStart::Forked);
    assert_eq!(parent, std::process::id(), "a process with two threads was forked");
    drop(stop);
    let _ = other.join().unwrap();
}

fn run(job: MockJob, timeout: Duration, how: WorkerStart) -> (Ended, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let job = JobFile::create(folder.path(), Job::Mock(job), &BTreeMap::new(), CONTRACT).unwrap();
    let variables = VARIABLES.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
    let worker = WorkerProgram::current().unwrap();
    (worker.run(folder.path(), &job, &variables, timeout, None, how).unwrap(), folder)
}

/// What a job reports.
fn reported(job: MockJob, how: WorkerStart) -> Vec<String> {
    let (ended, _folder) = run(job, LONG, how);
    let Ending::Reported(report) = &ended.ending else { panic!("{ended:?}") };
    report.differences.clone()
}

/// The number of a worker and of its parent.
fn whose(how: WorkerStart) -> (u32, u32) {
    let said = reported(MockJob::Leave(String::new()), how);
    (said[2].parse().unwrap(), said[3].parse().unwrap())
}

fn forked_workers_end_as_executed_ones_do() {
    let line = "[77] ERROR: UndefinedBehavior: l1_read: 0x5 is not aligned";
    let jobs = [
        MockJob::Succeed,
        MockJob::Crash,
        MockJob::Exit(3),
        MockJob::Exit(0),
        MockJob::Garbage,
        MockJob::PrintAndExit(line.to_owned()),
    ];
    for job in jobs {
        let [one, two] = [WorkerStart::Executed, WorkerStart::Forked].map(|how| {
            let (ended, _folder) = run(job.clone(), LONG, how);
            let Ended { process: _, ending, stdout, stderr, elapsed: _ } = ended;
            (format!("{ending:?}"), stdout, stderr)
        });
        assert_eq!(one, two, "{job:?}");
    }
    let (_, parent) = whose(WorkerStart::Forked);
    assert_ne!(parent, std::process::id(), "it was not forked");
    let (process, _) = whose(WorkerStart::Forked);
    let (ended, _folder) = run(MockJob::Succeed, LONG, WorkerStart::Forked);
    assert!(ended.process > 0 && ended.process != process, "each worker is a process of its own");
}

fn surroundings() {
    let [executed, forked] = [WorkerStart::Executed, WorkerStart::Forked].map(|how| {
        let (ended, folder) = run(MockJob::Surroundings, LONG, how);
        let Ending::Reported(report) = &ended.ending else { panic!("{ended:?}") };
        let mut said = report.differences.clone();
        let folder = folder.path().canonicalize().unwrap().display().to_string();
        // The folder of the descriptors names the process.
        said[2] = said[2].replace(&folder, "…").replace(&ended.process.to_string(), "…");
        said
    });
    assert_eq!(forked[..2], ["0 entries", "ONE,TWO"]);
    assert_eq!(executed[..2], forked[..2]);
    assert_eq!(forked[2], "0 /dev/null\n1 …/stdout\n2 …/stderr\n3 /proc/…/fd");
    // An executed worker may have inherited what the runner of tests left open.
    let executed: Vec<&str> = executed[2].lines().collect();
    for line in forked[2].lines().take(3) {
        assert!(executed.contains(&line), "{line}: {executed:?}");
    }
}

fn nothing_is_left() {
    let said = ["one", "two", "three"]
        .map(|text| reported(MockJob::Leave(text.to_owned()), WorkerStart::Forked));
    let before = said.each_ref().map(|said| said[0].as_str());
    assert_eq!(before, [""; 3]);
    // Maps that are walked in the order of their keys differ from one process to the next, and would show it.
    assert!(said[0][1] != said[1][1] && said[1][1] != said[2][1], "{said:?}");
}

fn hangs_are_stopped() {
    for job in [MockJob::Hang, MockJob::HangWithChild] {
        let start = Instant::now();
        let (ended, _folder) = run(job, Duration::from_millis(200), WorkerStart::Forked);
        assert!(matches!(ended.ending, Ending::TimedOut));
        assert!(start.elapsed() < LONG);
        let child = ended.stdout.trim().parse().ok();
        let processes = child.into_iter().chain([ended.process]);
        for process in processes {
            // Nobody waits for the child: its new parent may collect it late.
            while is_running(process) {
                assert!(start.elapsed() < LONG, "{process} is left");
                std::thread::sleep(Duration::from_millis(1));
            }
        }
    }
}

/// Whether a process is neither gone nor a zombie.
fn is_running(process: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let state = stat.rsplit_once(')').map_or("", |(_, rest)| rest.trim());
    !state.is_empty() && !state.starts_with(['Z', 'X'])
}

fn another_executable() {
    let folder = tempfile::tempdir().unwrap();
    let executable = folder.path().join("worker");
    std::os::unix::fs::symlink(std::env::current_exe().unwrap(), &executable).unwrap();
    let job = Job::Mock(MockJob::Leave(String::new()));
    let job = JobFile::create(folder.path(), job, &BTreeMap::new(), CONTRACT).unwrap();
    let ended = WorkerProgram { executable }
        .run(folder.path(), &job, &BTreeMap::new(), LONG, None, WorkerStart::Forked)
        .unwrap();
    let Ending::Reported(report) = &ended.ending else { panic!("{ended:?}") };
    assert_eq!(report.differences[3], std::process::id().to_string());
}

/// A signal to all processes of a run is the caller's to act upon: the zygote goes on.
fn signals_are_the_callers() {
    let (_, before) = whose(WorkerStart::Forked);
    let zygote = Pid::from_raw(before.try_into().unwrap()).unwrap();
    for signal in [Signal::INT, Signal::TERM, Signal::HUP, Signal::QUIT] {
        kill_process(zygote, signal).unwrap();
        let (process, parent) = whose(WorkerStart::Forked);
        assert_eq!(parent, before, "{signal:?} ended the zygote");
        assert_ne!(process, before);
    }
}

/// A run goes on after its zygote was killed: later workers are executed.
fn without_a_zygote() {
    let (_, parent) = whose(WorkerStart::Forked);
    assert_ne!(parent, std::process::id());
    let parent = Pid::from_raw(parent.try_into().unwrap()).unwrap();
    kill_process(parent, Signal::KILL).unwrap();
    for _ in 0..2 {
        assert_eq!(whose(WorkerStart::Forked).1, std::process::id());
    }
    let (ended, _folder) = run(MockJob::Exit(3), LONG, WorkerStart::Forked);
    assert!(matches!(ended.ending, Ending::Exited(3)), "{ended:?}");
}
