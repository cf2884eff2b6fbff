//! A capturing worker that is killed leaves a journal, and the journal becomes a capture of every call
//! begun.

use std::fmt::Write as _;
use std::io::ErrorKind;
use std::os::unix::process::ExitStatusExt as _;
use std::process::Child;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hallmark_execution::executor::{Executors, ProgramSettings};
use hallmark_execution::worker::job_file::{CAPTURE, JOURNAL};
use hallmark_execution::worker::process::WorkerProgram;
use hallmark_pipeline::{Notices, Settings, WorkerSettings};
use hallmark_pipeline::{Prepared, prepare_capture};
use hallmark_schema::commands;
use hallmark_schema::journal::{JournalError, Recovered, recover};
use hallmark_schema::model::{Capture, Command, Outcome};
use hallmark_suite::discover::Root;
use hallmark_suite::name::TestName;

use crate::common::{executable, repository};
use crate::corrupt_captures::{firmware, replay_within_budgets};

/// Fixed numbers, so that a failure has a seed; moments differ anyway.
struct Random(u64);

impl Random {
    /// SplitMix64.
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^ (bits >> 31)
    }

    fn below(&mut self, limit: Duration) -> Duration {
        let nanoseconds = u64::try_from(limit.as_nanos()).unwrap().max(1);
        Duration::from_nanos(self.next() % nanoseconds)
    }
}

pub(crate) fn settings(root: Root) -> Settings {
    Settings {
        kernels: Settings::kernel_store(&root),
        root,
        workers: WorkerSettings {
            executors: Executors::default(),
            replay_executors: Executors::default(),
            programs: ProgramSettings::default(),
            worker: WorkerProgram { executable: executable() },
            least_timeout: std::time::Duration::ZERO,
            notices: Notices::default(),
        },
        strict_derived: false,
        deviations: Arc::default(),
    }
}

struct Victim {
    worker: Worker,
    /// What it captures when it is left alone.
    whole: Capture,
    /// How long that takes from its start, and from when its journal is there.
    from_start: Duration,
    from_journal: Duration,
}

#[derive(Debug, Default)]
struct Tally {
    kills: usize,
    /// Before anything was begun.
    nothing_begun: usize,
    unfinished: usize,
    /// Every call had ended.
    finished: usize,
    /// Reads of a recovered capture without data.
    open_reads: usize,
    commands: usize,
    replayed: usize,
    /// The worker was faster than the kill.
    too_late: usize,
}

/// A capture worker that can be started again and again.
struct Worker {
    prepared: Prepared,
}

impl Worker {
    fn new(root: Root, test: &str) -> Self {
        let settings = settings(root);
        let name: TestName = test.parse().unwrap();
        let bound = settings.root.test(&name).unwrap().bind().unwrap();
        let on = settings.workers.test_executors(name.architecture);
        let prepared = prepare_capture(&settings, &on, &bound).unwrap();
        Self { prepared }
    }

    fn start(&self) -> Child {
        for file in [JOURNAL, CAPTURE, "report.json"] {
            let removed = std::fs::remove_file(self.prepared.folder().join(file));
            assert!(removed.is_ok() || removed.is_err_and(|it| it.kind() == ErrorKind::NotFound));
        }
        self.prepared.command().unwrap().spawn().unwrap()
    }

    fn wait_for_journal(&self, child: &mut Child) {
        let journal = self.prepared.folder().join(JOURNAL);
        while !journal.exists() && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_micros(50));
        }
    }

    /// What the journal holds; nothing if its writer never came to begin.
    fn journal(&self) -> Option<Recovered> {
        let bytes = match std::fs::read(self.prepared.folder().join(JOURNAL)) {
            Ok(bytes) if bytes.is_empty() => return None,
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => return None,
            Err(error) => panic!("{error}"),
        };
        match recover(&bytes) {
            Ok(recovered) => Some(recovered),
            Err(JournalError::NeverBegan) => None,
            Err(error) => panic!("a killed worker left a journal of no use: {error}"),
        }
    }
}

impl Victim {
    fn new(root: Root, test: &str) -> Self {
        let worker = Worker::new(root, test);
        let (mut from_start, mut from_journal) = (Duration::MAX, Duration::MAX);
        for _ in 0..3 {
            let start = Instant::now();
            let mut child = worker.start();
            worker.wait_for_journal(&mut child);
            let journal = Instant::now();
            assert!(child.wait().unwrap().success());
            from_start = from_start.min(start.elapsed());
            from_journal = from_journal.min(journal.elapsed());
        }
        let whole = std::fs::read(worker.prepared.folder().join(CAPTURE)).unwrap();
        let whole = Capture::from_bytes(&whole).unwrap();
        // Left alone, the journal says the same as the capture.
        assert_eq!(worker.journal().unwrap().capture, whole);
        Self { worker, whole, from_start, from_journal }
    }

    /// Kills workers until `kills` of them were hit.
    fn kill_many(&mut self, kills: usize, seed: u64) -> Tally {
        let mut random = Random(seed);
        let mut tally = Tally::default();
        for attempt in 0..kills * 20 {
            let enough = tally.kills >= kills
                && tally.kills - tally.nothing_begun >= kills / 2
                && tally.unfinished > 0;
            if enough {
                break;
            }
            let mut begin = Instant::now();
            let mut child = self.worker.start();
            // A busy machine may start processes slowly: every other moment counts from the journal's
            // beginning.
            let duration = if attempt % 2 == 0 {
                &mut self.from_start
            } else {
                self.worker.wait_for_journal(&mut child);
                begin = Instant::now();
                &mut self.from_journal
            };
            let moment = begin + random.below(*duration);
            std::thread::sleep(moment.saturating_duration_since(Instant::now()));
            child.kill().unwrap();
            let killed = begin.elapsed();
            let status = child.wait().unwrap();
            if status.signal() != Some(9) {
                assert!(status.success(), "{status}");
                tally.too_late += 1;
                // The machine has become faster.
                *duration = (*duration * 7 + killed.min(*duration)) / 8;
                continue;
            }
            tally.kills += 1;
            match self.worker.journal() {
                Some(recovered) => self.check(&recovered, &mut tally),
                None => {
                    tally.nothing_begun += 1;
                    // Or slower.
                    self.from_start += self.from_start / 64;
                }
            }
        }
        tally
    }

    fn check(&self, recovered: &Recovered, tally: &mut Tally) {
        let capture = &recovered.capture;
        let bytes = capture.to_bytes().unwrap();
        assert_eq!(Capture::from_bytes(&bytes).unwrap(), *capture);
        let commands = &capture.program.commands;
        tally.commands += commands.len();
        for (index, (found, expected)) in
            commands.iter().zip(&self.whole.program.commands).enumerate()
        {
            assert_eq!(found.command, expected.command, "command {index}");
            let is_last = index + 1 == commands.len();
            if is_last && found.outcome == Outcome::Unfinished {
                tally.unfinished += 1;
            } else {
                assert_eq!(found.outcome, expected.outcome, "command {index}");
            }
        }
        assert!(commands.len() <= self.whole.program.commands.len());
        if recovered.unfinished().is_none() {
            tally.finished += 1;
        }
        let reads = &capture.record.as_ref().unwrap().reads;
        let all_reads = &self.whole.record.as_ref().unwrap().reads;
        for read in reads {
            assert!((read.command.0 as usize) < commands.len());
            assert!(all_reads.contains(read), "{read:?} is none of {all_reads:?}");
        }
        // What a finished call waited for is there; what nobody waited for may not be.
        let waited = commands.iter().rposition(|recorded| {
            let waits = matches!(
                recorded.command,
                Command::Finish(_)
                    | Command::EnqueueReadBuffer(commands::EnqueueReadBuffer {
                        blocking: true,
                        ..
                    })
            );
            waits && recorded.outcome == Outcome::Done
        });
        for (index, recorded) in commands.iter().enumerate() {
            let is_read = matches!(recorded.command, Command::EnqueueReadBuffer(_))
                && recorded.outcome == Outcome::Done;
            if !is_read || reads.iter().any(|read| read.command.0 as usize == index) {
                continue;
            }
            tally.open_reads += 1;
            assert!(
                waited.is_none_or(|waited| waited < index),
                "the read of command {index} was waited for"
            );
        }
        assert_eq!(capture.outputs.len(), reads.len());
        // Some of them are run again: from the last call begun they go on to its end.
        if (tally.unfinished + tally.finished) % 8 == 1 {
            let report = replay_within_budgets(capture, &firmware()).unwrap();
            let hidden = |mismatch: &_| {
                matches!(
                    mismatch,
                    hallmark_runtime::ReplayMismatch::ReadMissing { captured: false, .. }
                )
            };
            let real: Vec<_> = report.mismatches.iter().filter(|it| !hidden(it)).collect();
            assert!(real.is_empty(), "{real:?}");
            tally.replayed += 1;
        }
    }
}

fn expect(test: &str, kills: usize, tally: &Tally) {
    println!("{test}: {tally:?}");
    assert!(tally.kills >= kills, "too few kills: {tally:?}");
    assert!(tally.kills - tally.nothing_begun >= kills / 2, "too few journals: {tally:?}");
    assert!(tally.unfinished > 0, "no capture ends unfinished: {tally:?}");
    assert!(tally.replayed > 0, "{tally:?}");
}

/// About two hundred calls: writes of bytes and by recipe, reads that nobody waits for yet, refusals.
fn many_calls() -> String {
    let mut steps = String::new();
    let mut expectations = String::new();
    for round in 0..16 {
        write!(
            steps,
            "
      - create_buffer: {{ id: a{round}, type: dram, size: 8192, page_size: 512 }}
      - create_buffer: {{ id: b{round}, type: l1, size: 64, page_size: 64 }}
      - create_buffer: {{ id: odd{round}, type: l1, size: 100, page_size: 64 }}
        expect_error: {{ code: SizeNotPageMultiple, size: 100, page_size: 64 }}
      - enqueue_write_buffer: {{ buffer: a{round}, data: {{ uniform: uint32, seed: {round} }} }}
      - enqueue_write_buffer: {{ buffer: b{round}, data: {{ words: [{round}, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15] }} }}
      - enqueue_read_buffer: {{ buffer: a{round}, as: first{round} }}
      - enqueue_read_buffer: {{ buffer: b{round}, as: second{round} }}
      - enqueue_read_buffer: {{ buffer: b{round}, as: third{round}, blocking: {blocking} }}
      - create_program: {{ id: p{round} }}
      - create_semaphore: {{ id: s{round}, program: p{round}, cores: [0, 0] }}
      - finish: {{}}
      - enqueue_write_buffer: {{ buffer: a{round}, data: {{ uniform: uint32, seed: 77 }}, as: later{round} }}
      - deallocate_buffer: {{ buffer: b{round} }}",
            blocking = round % 4 == 3,
        )
        .unwrap();
        for name in ["second", "third"] {
            write!(expectations, "\n      - equal: [{name}{round}, b{round}]").unwrap();
        }
        write!(
            expectations,
            "\n      - equal: [first{round}, {{ uniform: uint32, seed: {round} }}]"
        )
        .unwrap();
    }
    format!(
        "about: Much to do.\ncases:\n  calls:\n    about: Calls.\n    steps:{steps}\n      - finish: {{}}\n    expect:{expectations}\n"
    )
}

#[test]
fn many_calls_killed_at_random() {
    let folder = tempfile::tempdir().unwrap();
    let suites = folder.path().join("suites/group");
    std::fs::create_dir_all(&suites).unwrap();
    std::fs::write(suites.join("many.yaml"), many_calls()).unwrap();
    let test = "wormhole_b0::group::many::calls";
    let mut victim = Victim::new(Root::at(folder.path()).unwrap(), test);
    assert!(victim.whole.program.commands.len() >= 200);
    let tally = victim.kill_many(100, 1);
    expect(test, 100, &tally);
    assert!(tally.open_reads > 0, "no read was left open: {tally:?}");
}

#[test]
fn programs_killed_at_random() {
    let test = "wormhole_b0::programs::programs::chain::blocking=false";
    let tally = Victim::new(repository(), test).kill_many(60, 2);
    expect(test, 60, &tally);
}

#[test]
fn a_long_program_killed_at_random() {
    let test = "wormhole_b0::semaphores::semaphores::ping_pong::rounds=50::processor=riscv_1";
    let tally = Victim::new(repository(), test).kill_many(60, 3);
    expect(test, 60, &tally);
}
