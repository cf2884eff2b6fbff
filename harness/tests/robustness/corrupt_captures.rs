//! A capture that was changed on purpose, under a trailer that fits: any bit of it flipped is refused
//! with a place, or replayed to its end.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use hallmark_chip::{Architecture, Capabilities, ChipDescription, LogicalCore};
use hallmark_runtime::device_code::FirmwareBundle;
use hallmark_runtime::{
    DeviceSettings, DeviceSpec, Portability, ReplayError, ReplayOptions, ReplayReport,
    ReplayTarget, assess, open_device, replay,
};
use hallmark_schema::commands;
use hallmark_schema::model::{
    Capture, Command, CommandKind, CoreRange, Grid, LineTableBytes, Outcome,
};
use hallmark_schema::{CaptureError, ErrorLocation};

use crate::common::{capture_of, capture_of_text, in_parallel, with_trailer};

/// How a test's capture is used.
#[derive(Clone, Copy)]
enum Ending {
    AsCaptured,
    /// As a journal leaves it whose writer was killed in the last call.
    Unfinished,
}

pub(crate) struct Sample {
    pub(crate) test: &'static str,
    /// Its suite, if it is none of this repository's.
    suite: Option<&'static str>,
    ending: Ending,
}

const fn whole(test: &'static str) -> Sample {
    Sample { test, suite: None, ending: Ending::AsCaptured }
}

const REFUSED: Sample = whole("wormhole_b0::buffers::lifetime::use_after_deallocation");
const BEYOND_L1: Sample = whole("wormhole_b0::circular_buffers::rules::beyond_l1");
const DEADLOCK: Sample = whole("wormhole_b0::faults::deadlock::semaphore_never_set");
const FAULT: Sample = whole("wormhole_b0::faults::faults::misaligned_load::processor=riscv_1");
pub(crate) const LOOPBACK: Sample = whole(
    "wormhole_b0::dataflow::loopback::one_core::pages=1::page_size=32::processor=riscv_0::noc=noc_1",
);
const UNFINISHED: Sample = Sample {
    test: "wormhole_b0::buffers::round_trip::queue_order::blocking=false",
    suite: None,
    ending: Ending::Unfinished,
};
const COMMON_ARGUMENTS: Sample = whole("wormhole_b0::arguments::common::once");
/// Its shards lie in banks of DRAM, whatever the grid.
const SHARDED: Sample = whole("wormhole_b0::buffers::views::sharded_parts::type=dram");
const UPDATES: Sample = whole("wormhole_b0::circular_buffers::dynamic::every_update");
/// Every call of queues, events and traces, without a kernel, so that there are few bits.
const QUEUES: Sample = Sample {
    test: "wormhole_b0::small::suite::queues",
    suite: Some(
        "about: Two queues.
cases:
  queues:
    about: One queue writes, the other reads; a trace of nothing.
    device: { num_command_queues: 2, trace_region_size: 4096 }
    steps:
      - create_buffer: { id: b, type: dram, size: 64, page_size: 64 }
      - enqueue_write_buffer: { buffer: b, data: { constant: uint32, value: 7 } }
      - enqueue_record_event: { id: written, host_visible: true }
      - enqueue_wait_for_event: { event: written, queue: 1 }
      - enqueue_read_buffer: { buffer: b, as: out, queue: 1 }
      - event_synchronize: { event: written }
      - event_query: { event: written, expected: true }
      - begin_trace_capture: { id: t }
      - end_trace_capture: { trace: t }
      - replay_trace: { trace: t }
      - collect_trace: { trace: t, as: bytes }
      - load_trace: { id: again, from: bytes }
      - release_trace: { trace: t }
      - finish: {}
      - synchronize: {}
      - finish: { queue: 1 }
    expect:
      - equal: [out, b]
",
    ),
    ending: Ending::AsCaptured,
};
const SAMPLES: [Sample; 10] = [
    REFUSED,
    BEYOND_L1,
    DEADLOCK,
    FAULT,
    LOOPBACK,
    UNFINISHED,
    COMMON_ARGUMENTS,
    SHARDED,
    UPDATES,
    QUEUES,
];

impl Sample {
    /// The test's capture, moved to a grid of one core: replays are many, and each resets every core
    /// of the grid.
    pub(crate) fn capture(&self) -> Capture {
        let file = match self.suite {
            Some(suite) => capture_of_text(suite, self.test),
            None => capture_of(self.test),
        };
        let mut capture = Capture::from_bytes(&file).unwrap();
        capture.program.grid = Grid { columns: 1, rows: 1 };
        let one = || vec![CoreRange::single(LogicalCore { x: 0, y: 0 })];
        for recorded in &mut capture.program.commands {
            match &mut recorded.command {
                Command::CreateKernel(commands::CreateKernel { cores, .. })
                | Command::CreateCircularBuffer(commands::CreateCircularBuffer { cores, .. })
                | Command::CreateSemaphore(commands::CreateSemaphore { cores, .. }) => {
                    *cores = one()
                }
                Command::SetRuntimeArgs(commands::SetRuntimeArgs { args, .. }) => {
                    args.iter_mut().for_each(|set| set.cores = one());
                }
                _ => {}
            }
        }
        let report = replay_within_budgets(&capture, &firmware()).unwrap();
        let outcomes = |capture: &Capture| -> Vec<Outcome> {
            capture.program.commands.iter().map(|recorded| recorded.outcome.clone()).collect()
        };
        assert_eq!(outcomes(&report.capture), outcomes(&capture), "{}", self.test);
        let mut capture = report.capture;
        if let Ending::Unfinished = self.ending {
            capture.program.commands.last_mut().unwrap().outcome = Outcome::Unfinished;
            let record = capture.record.as_mut().unwrap();
            record.reads.clear();
            record.at_end = None;
            capture.outputs.clear();
        }
        capture
    }
}

#[test]
fn the_samples_hold_every_command_and_every_outcome() {
    let mut kinds = BTreeSet::new();
    let mut outcomes = BTreeSet::new();
    for sample in &SAMPLES {
        for recorded in sample.capture().program.commands {
            kinds.insert(recorded.command.kind());
            outcomes.insert(match recorded.outcome {
                Outcome::Done => "done",
                Outcome::Failed(_) => "failed",
                Outcome::Unfinished => "unfinished",
            });
        }
    }
    assert_eq!(kinds, CommandKind::ALL.iter().copied().collect());
    assert_eq!(outcomes, BTreeSet::from(["done", "failed", "unfinished"]));
}

/// Replays on a new simulated chip with little time and memory.
pub(crate) fn replay_within_budgets(
    capture: &Capture,
    firmware: &Arc<FirmwareBundle>,
) -> Result<ReplayReport, ReplayError> {
    let spec = DeviceSpec::simulator(Architecture::WormholeB0);
    let device = open_device(&spec, DeviceSettings::default()).unwrap();
    let mut options = ReplayOptions::new(Arc::clone(firmware));
    options.tick_budget = 100_000;
    options.memory_budget = 16 << 20;
    replay(capture, device, &options)
}

pub(crate) fn firmware() -> Arc<FirmwareBundle> {
    Arc::new(FirmwareBundle::builtin(Architecture::WormholeB0).unwrap())
}

/// A place in the file, named in the error's text.
fn has_place(error: &CaptureError) -> bool {
    let is_of_a_file = !matches!(error.place, ErrorLocation::Line { .. });
    is_of_a_file && error.to_string().starts_with(&format!("{}: ", error.place))
}

#[derive(Default)]
struct Counts {
    rejected: usize,
    agreed: usize,
    differed: usize,
    refused_by_replay: usize,
    slowest: Duration,
}

impl Counts {
    fn add(&mut self, other: &Self) {
        self.rejected += other.rejected;
        self.agreed += other.agreed;
        self.differed += other.differed;
        self.refused_by_replay += other.refused_by_replay;
        self.slowest = self.slowest.max(other.slowest);
    }

    const fn replayed(&self) -> usize {
        self.agreed + self.differed + self.refused_by_replay
    }
}

/// Asks whether a capture could be replayed on a chip of another architecture. It says something, whatever
/// the capture holds.
fn assess_elsewhere(capture: &Capture) {
    let target = ReplayTarget {
        device: "sim:blackhole".to_owned(),
        description: ChipDescription::of(Architecture::Blackhole),
        capabilities: Capabilities::default(),
    };
    static FIRMWARE: OnceLock<Arc<FirmwareBundle>> = OnceLock::new();
    let firmware = FIRMWARE
        .get_or_init(|| Arc::new(FirmwareBundle::builtin(Architecture::Blackhole).unwrap()));
    match assess(capture, &target, &ReplayOptions::new(Arc::clone(firmware))) {
        Ok(Portability::Refused { reasons }) => assert!(!reasons.is_empty()),
        Ok(Portability::Adapted { moved }) => assert!(!moved.is_empty()),
        // A bit that was flipped may have made it a capture of that chip.
        Ok(Portability::Exact) => {
            assert_eq!(capture.program.architecture, Architecture::Blackhole);
        }
        Err(ReplayError::Internal { command, error }) => {
            panic!("an internal error at command {command}: {error}")
        }
        Err(ReplayError::Stopped(error)) => panic!("{error}"),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

fn try_one(bytes: &[u8], firmware: &Arc<FirmwareBundle>, counts: &mut Counts) {
    let start = Instant::now();
    match Capture::from_bytes(bytes) {
        Err(error) => {
            assert!(has_place(&error), "{error}");
            counts.rejected += 1;
        }
        Ok(capture) => {
            assess_elsewhere(&capture);
            try_replay(&capture, firmware, counts);
        }
    }
    counts.slowest = counts.slowest.max(start.elapsed());
}

fn try_replay(capture: &Capture, firmware: &Arc<FirmwareBundle>, counts: &mut Counts) {
    match replay_within_budgets(capture, firmware) {
        Ok(report) => {
            // What was replayed is a capture again.
            let again = report.capture.to_bytes().unwrap();
            assert_eq!(Capture::from_bytes(&again).unwrap(), report.capture);
            if report.agrees() {
                counts.agreed += 1;
            } else {
                counts.differed += 1;
            }
        }
        Err(ReplayError::Internal { command, error }) => {
            panic!("an internal error at command {command}: {error}")
        }
        Err(ReplayError::Stopped(error)) => panic!("{error}"),
        Err(error) => {
            assert!(!error.to_string().is_empty());
            counts.refused_by_replay += 1;
        }
    }
}

/// The bits that are flipped, each by itself.
#[derive(Clone, Copy)]
enum Bits {
    /// One bit of each byte, by the byte's place.
    OneOfEachByte,
    All,
}

impl Bits {
    fn of_byte(self, at: usize) -> std::ops::Range<usize> {
        match self {
            Self::OneOfEachByte => at % 8..at % 8 + 1,
            Self::All => 0..8,
        }
    }
}

/// Flips bits of a sample without its line tables: a change in them changes texts alone, so that nearly every flip
/// is replayed. The table's own tests flip all bits of one, and the fault's sample keeps them.
fn flip_bits(sample: &Sample, bits: Bits) {
    let mut capture = sample.capture();
    for elf in &mut capture.record.as_mut().unwrap().elfs {
        elf.lines = LineTableBytes::default();
    }
    flip_bits_of(sample.test, &capture, bits);
}

fn flip_bits_of(test: &str, capture: &Capture, bits: Bits) {
    let firmware = firmware();
    let file = capture.to_bytes().unwrap();
    let unchanged = replay_within_budgets(capture, &firmware).unwrap();
    assert!(unchanged.agrees(), "the budgets are enough: {:?}", unchanged.mismatches);
    // Everything but the trailer's hash, which is computed anew.
    let length = file.len() - 32;
    let (counts, panics): (Vec<_>, Vec<_>) = in_parallel(length.div_ceil(64), |piece| {
        let mut counts = Counts::default();
        let mut panics = Vec::new();
        for at in piece * 64..(piece * 64 + 64).min(length) {
            for bit in bits.of_byte(at) {
                let mut changed = file.clone();
                changed[at] ^= 1 << bit;
                let changed = with_trailer(changed);
                let tried = catch_unwind(AssertUnwindSafe(|| {
                    try_one(&changed, &firmware, &mut counts);
                }));
                if tried.is_err() {
                    panics.push((at, bit));
                }
            }
        }
        (counts, panics)
    })
    .into_iter()
    .unzip();
    let panics: Vec<_> = panics.concat();
    assert!(panics.is_empty(), "{}: bits (byte, bit) {panics:?}", test);
    let mut total = Counts::default();
    counts.iter().for_each(|counts| total.add(counts));
    println!(
        "{}: {} rejected with a place; {} replayed, of which {} agreed, {} differed, {} were refused; slowest {:?}",
        test,
        total.rejected,
        total.replayed(),
        total.agreed,
        total.differed,
        total.refused_by_replay,
        total.slowest
    );
    assert_eq!(
        total.rejected + total.replayed(),
        (0..length).map(|at| bits.of_byte(at).len()).sum::<usize>()
    );
    assert!(total.rejected > 0, "nothing was rejected");
    assert!(total.agreed + total.differed > 0, "nothing was replayed");
    assert!(total.slowest < Duration::from_secs(20), "a replay took {:?}", total.slowest);
}

#[test]
fn a_bit_of_each_byte_of_refused_calls() {
    flip_bits(&REFUSED, Bits::OneOfEachByte);
}

#[test]
fn a_bit_of_each_byte_of_circular_buffers_beyond_l1() {
    flip_bits(&BEYOND_L1, Bits::OneOfEachByte);
}

#[test]
fn a_bit_of_each_byte_of_a_deadlock() {
    flip_bits(&DEADLOCK, Bits::OneOfEachByte);
}

#[test]
fn a_bit_of_each_byte_of_a_fault() {
    flip_bits_of(FAULT.test, &FAULT.capture(), Bits::OneOfEachByte);
}

#[test]
fn a_bit_of_each_byte_of_a_loopback() {
    flip_bits(&LOOPBACK, Bits::OneOfEachByte);
}

#[test]
fn a_bit_of_each_byte_of_common_arguments() {
    flip_bits(&COMMON_ARGUMENTS, Bits::OneOfEachByte);
}

#[test]
fn a_bit_of_each_byte_of_updated_circular_buffers() {
    flip_bits(&UPDATES, Bits::OneOfEachByte);
}

#[test]
fn a_bit_of_each_byte_of_an_unfinished_capture() {
    flip_bits(&UNFINISHED, Bits::OneOfEachByte);
}

#[test]
fn a_bit_of_each_byte_of_shards_views_and_regions() {
    flip_bits(&SHARDED, Bits::OneOfEachByte);
}

#[test]
fn a_bit_of_each_byte_of_queues_events_and_traces() {
    flip_bits(&QUEUES, Bits::OneOfEachByte);
}

#[test]
#[ignore = "a minute; scripts/nightly runs it"]
fn every_bit_of_every_sample() {
    flip_bits(&REFUSED, Bits::All);
    flip_bits(&BEYOND_L1, Bits::All);
    flip_bits(&DEADLOCK, Bits::All);
    flip_bits_of(FAULT.test, &FAULT.capture(), Bits::All);
    flip_bits(&LOOPBACK, Bits::All);
    flip_bits(&COMMON_ARGUMENTS, Bits::All);
    flip_bits(&UPDATES, Bits::All);
    flip_bits(&UNFINISHED, Bits::All);
    flip_bits(&SHARDED, Bits::All);
    flip_bits(&QUEUES, Bits::All);
}

#[test]
fn a_capture_cut_off_anywhere_is_refused() {
    let file = capture_of(LOOPBACK.test);
    let whole = Capture::from_bytes(&file).unwrap();
    let (mut refused, mut harmless) = (0, 0);
    for length in 0..file.len() {
        let error = Capture::from_bytes(&file[..length]).unwrap_err();
        assert!(has_place(&error), "{length} B: {error}");
        // With a trailer of its own, all that can be missing is what nothing refers to.
        let mut rest = file[..length].to_vec();
        rest.extend_from_slice(b"HLMKBLK3");
        rest.extend_from_slice(&[0; 32]);
        match Capture::from_bytes(&with_trailer(rest)) {
            Err(error) => {
                assert!(has_place(&error), "{length} B: {error}");
                refused += 1;
            }
            Ok(found) => {
                assert_eq!(found, whole, "{length} B");
                harmless += 1;
            }
        }
    }
    println!("{} lengths; with a new trailer {refused} refused, {harmless} harmless", file.len());
    assert!(refused > file.len() / 2);
}

#[test]
fn huge_lengths_anywhere_are_refused_or_harmless_at_once() {
    let firmware = firmware();
    let mut total = Counts::default();
    for sample in [&REFUSED, &DEADLOCK] {
        let file = sample.capture().to_bytes().unwrap();
        // Lengths and offsets of FlatBuffers lie at multiples of 4.
        let words = (file.len() - 40) / 4;
        let counts = in_parallel(words, |word| {
            let mut counts = Counts::default();
            for length in [u32::MAX, 0x7fff_ffff, 0x4000_0000] {
                let mut changed = file.clone();
                changed[word * 4..word * 4 + 4].copy_from_slice(&length.to_le_bytes());
                try_one(&with_trailer(changed), &firmware, &mut counts);
            }
            counts
        });
        counts.iter().for_each(|counts| total.add(counts));
    }
    println!(
        "huge lengths: {} rejected, {} replayed; slowest {:?}",
        total.rejected,
        total.replayed(),
        total.slowest
    );
    assert!(total.rejected > 0);
    assert!(total.slowest < Duration::from_secs(20), "{:?}", total.slowest);
}
