//! Candidates on executors: the four answers, and what is known is not asked again.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use hallmark_chip::Architecture;
use hallmark_execution::executor::{Executor, ExecutorChoice, Executors, ProgramSettings};
use hallmark_execution::worker::memory::UnwrittenRange;
use hallmark_execution::worker::process::WorkerProgram;
use hallmark_execution::worker::state::{BytesAt, StateJob, StateMask};
use hallmark_pipeline::signature::{MatchLevel, Shape, Signature};
use hallmark_pipeline::{Limits, Notices, WorkerSettings};
use hallmark_runtime::device_code::KernelStore;
use hallmark_schema::model::DeviceRequirements;
use hallmark_schema::model::{Capture, Command, Expectation};
use hallmark_triage::probe::{CannotTell, ProbeResult, Prober, Reference, Sought};
use hallmark_triage::tick_budget;

use super::common::{executable, repository};
use super::roots::{hallmark, root_with};

const SUITE: &str = "about: A suite.
cases:
  one:
    about: What is written comes back.
    steps:
      - create_buffer: { id: a, type: dram, size: 64, page_size: 64 }
      - enqueue_write_buffer: { buffer: a, data: { uniform: uint32, seed: 1 }, blocking: true }
      - enqueue_read_buffer: { buffer: a, as: out }
      - finish: {}
    expect:
      - equal: [out, a]
";

fn captured(root: &Path) -> Capture {
    let test = "wormhole_b0::group::suite::one";
    assert_eq!(hallmark(root, &["capture", test, "-o", "c.lmb"]).0, 0);
    Capture::from_bytes(&std::fs::read(root.join("c.lmb")).unwrap()).unwrap()
}

fn workers() -> WorkerSettings {
    WorkerSettings {
        executors: Executors::default(),
        replay_executors: Executors::default(),
        programs: ProgramSettings::default(),
        worker: WorkerProgram { executable: executable() },
        least_timeout: std::time::Duration::ZERO,
        notices: Notices::to(|_| {}),
    }
}

fn executor(text: &str) -> Executor {
    let choice: ExecutorChoice = text.parse().unwrap();
    choice.executor(Architecture::WormholeB0, &ProgramSettings::default())
}

#[test]
fn programs_hang_as_soon_as_the_good_side_can_tell() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("c.lmb").display().to_string();
    let test = "wormhole_b0::dataflow::loopback::one_core::pages=7::page_size=32::processor=riscv_0::noc=noc_0";
    assert_eq!(hallmark(&repository(), &["capture", test, "-o", &file]).0, 0);
    let capture = Capture::from_bytes(&std::fs::read(&file).unwrap()).unwrap();
    let (workers, kernels) = (workers(), Arc::new(KernelStore::builder().build()));
    let bound = |budget: Option<u64>, reference: &Reference| {
        let asked = DeviceRequirements { budget, ..DeviceRequirements::default() };
        let limits = Limits { timeout: Duration::from_secs(20), asked };
        tick_budget::bound(limits, &capture, reference, &workers, &kernels).asked.budget
    };
    let simulator = Reference::Executor(executor("sim"));
    let budget = bound(None, &simulator).unwrap();
    assert!((1_000_000..hallmark_runtime::TICK_BUDGET).contains(&budget), "{budget}");
    // A case may ask for less, and for more than it needs.
    assert_eq!(bound(Some(5_000), &simulator), Some(5_000));
    assert_eq!(bound(Some(budget - 1), &simulator), Some(budget - 1));
    assert_eq!(bound(Some(u64::MAX), &simulator), Some(budget));
    assert_eq!(bound(None, &Reference::Recorded), None);
    assert_eq!(bound(None, &Reference::Executor(executor("pci:sim:wormhole_b0"))), None);
}

fn prober(workers: &WorkerSettings, sought: Sought) -> Prober<'_> {
    let limits = Limits { timeout: Duration::from_secs(20), asked: DeviceRequirements::default() };
    Prober::new(workers, Arc::new(KernelStore::builder().build()), limits, sought).unwrap()
}

/// The lowest bit of what is read is another.
fn flipped() -> Signature {
    Signature::Differs { object: "a".to_owned(), shape: Shape::Bits { mask: 1 }, bytes: None }
}

fn sought(signature: Option<Signature>, reference: Reference) -> Sought {
    Sought { signature, level: MatchLevel::Same, reference }
}

#[test]
fn a_candidate_is_the_same_another_passed_or_nobody_can_tell() {
    let folder = root_with(SUITE);
    let capture = captured(folder.path());
    let workers = workers();
    let good = executor("sim:wormhole_b0");
    let bad = executor("misbehaving:flips_bit:wormhole_b0");
    let dies = executor("misbehaving:dies:wormhole_b0");
    for reference in [Reference::Recorded, Reference::Executor(good.clone())] {
        let same = prober(&workers, sought(Some(flipped()), reference.clone()));
        let probed = same.probe(&capture, &bad, 0).unwrap();
        assert_eq!(probed.result, ProbeResult::Same, "{reference:?}");
        assert!(probed.elapsed.is_some());
        let is_differential = matches!(reference, Reference::Executor(_));
        assert_eq!(probed.good.is_some(), is_differential);
        // What is known is not asked again.
        let again = same.probe(&capture, &bad, 0).unwrap();
        assert_eq!((again.result, again.key, again.elapsed), (ProbeResult::Same, probed.key, None));
        assert!(same.probe(&capture, &bad, 1).unwrap().elapsed.is_some());
        assert_eq!(same.probe(&capture, &good, 0).unwrap().result, ProbeResult::Passed);
        let lost = same.probe(&capture, &dies, 0).unwrap().result;
        assert!(matches!(lost, ProbeResult::CannotTell(CannotTell::Lost { .. })), "{lost:?}");
        let hang = Signature::Hang { program: None };
        let other = prober(&workers, sought(Some(hang), reference.clone()));
        let result = other.probe(&capture, &bad, 0).unwrap().result;
        let ProbeResult::Other(signature) = result else { panic!("{result:?}") };
        assert!(signature.matches(&flipped(), MatchLevel::Same), "{signature}");
        // Whatever is sought where nothing is said is any failure.
        let any = prober(&workers, sought(None, reference));
        assert_eq!(any.probe(&capture, &bad, 0).unwrap().result, ProbeResult::Same);
    }
}

/// A log's answers are answers, whatever an executor would say now.
#[test]
fn a_remembered_answer_is_given_without_a_run() {
    let folder = root_with(SUITE);
    let capture = captured(folder.path());
    let workers = workers();
    let good = executor("sim:wormhole_b0");
    let prober = prober(&workers, sought(None, Reference::Recorded));
    let key = prober.probe(&capture, &good, 0).unwrap().key;
    prober.remember(key, ProbeResult::Same);
    let probed = prober.probe(&capture, &good, 0).unwrap();
    assert_eq!((probed.result, probed.elapsed), (ProbeResult::Same, None));
}

/// A candidate whose recorded bytes are wrong on purpose: without a second executor it fails, with one it passes.
#[test]
fn what_is_recorded_is_believed_only_without_a_second_executor() {
    let folder = root_with(SUITE);
    let mut capture = captured(folder.path());
    let read = capture.program.commands.iter_mut().find_map(|it| match &mut it.command {
        Command::EnqueueReadBuffer(call) => Some(call),
        _ => None,
    });
    read.unwrap().expectation = Expectation::AsCaptured;
    let wrong = hallmark_schema::model::ContentHash::of(b"something else");
    capture.record.as_mut().unwrap().reads[0].hash = wrong;
    capture.outputs[0].hash = wrong;
    let workers = workers();
    let good = executor("sim:wormhole_b0");
    let recorded = prober(&workers, sought(None, Reference::Recorded));
    assert_eq!(recorded.probe(&capture, &good, 0).unwrap().result, ProbeResult::Same);
    let differential = prober(&workers, sought(None, Reference::Executor(good.clone())));
    assert_eq!(differential.probe(&capture, &good, 0).unwrap().result, ProbeResult::Passed);
}

/// What memory holds is looked at after the calls asked for, on both sides by the same mask.
#[test]
fn two_runs_note_the_same_state_until_one_of_them_reads_another_bit() {
    let folder = root_with(SUITE);
    let capture = captured(folder.path());
    let bytes = capture.to_bytes().unwrap();
    let workers = workers();
    let prober = prober(&workers, sought(None, Reference::Recorded));
    let notes = |executor: &str, masks: Vec<StateMask>| {
        let kept = vec![BytesAt { command: 1, buffer: 0 }];
        let state = StateJob { after: vec![0, 1, 3, 99], masks, bytes: kept, watched: None };
        let run = prober.carry_out(&capture, &bytes, &self::executor(executor), 0, Some(state));
        let executed = run.unwrap().executed.unwrap();
        (executed.state(), executed.memory())
    };
    let (good, bytes_of_good) = notes("sim:wormhole_b0", Vec::new());
    let commands: Vec<u32> = good.iter().map(|note| note.command).collect();
    assert_eq!(commands, [0, 1, 3]);
    assert_eq!(notes("sim:wormhole_b0", Vec::new()).0, good);
    // Nothing was written at first, and the chip knows.
    let first = good[0].buffers[&0].clone();
    assert_eq!(first.unwritten, Some(vec![UnwrittenRange { start: 0, end: 64 }]));
    assert_eq!(good[1].buffers[&0].unwritten, Some(Vec::new()));
    let mask = StateMask { command: 0, buffer: 0, unwritten: first.unwritten.clone().unwrap() };
    let (bad, bytes_of_bad) = notes("misbehaving:flips_bit:wormhole_b0", vec![mask]);
    assert_eq!(bad[0].buffers[&0].pages, first.pages);
    assert_eq!(bad[0].buffers[&0].unwritten, None);
    let page = bad[1].buffers[&0].pages.differing(&good[1].buffers[&0].pages);
    assert_eq!((page.len(), page.first()), (1, Some(&(0..1))));
    let [good, bad] = [&bytes_of_good, &bytes_of_bad].map(|it| it[0].bytes.as_deref().unwrap());
    assert_eq!(good.len(), 64);
    assert_eq!((good[0] ^ bad[0], &good[1..]), (1, &bad[1..]));
    // With dispatchers the chip never rests: there is the end alone.
    let (on_device, _) = notes("sim:wormhole_b0 dispatch=device", Vec::new());
    assert_eq!(on_device.iter().map(|note| note.command).collect::<Vec<_>>(), [3]);
}
