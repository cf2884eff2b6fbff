//! A test with all parameters bound: what a worker gets.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use hallmark_chip::{ChipDescription, FaultCategory, FaultPlace, LogicalCore, Processor};
use hallmark_runtime::Stop;
use hallmark_schema::commands;
use hallmark_schema::model::{
    BufferType, Capture, Command, CommandIndex, ContentHash, CoreRange, DeviceRequirements,
    ExpectedFault, Failure, Outcome, Tolerance,
};
use hallmark_stitching::Binary;
use hallmark_tensor::TensorPages;
use serde::{Deserialize, Serialize};

use super::known_bytes::KnownBytes;
use super::language::{DeviceKind, TestFailure};
use crate::checks::Check;

/// The calls of one test, in order, as a worker performs them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BoundCase {
    /// The name that selects the test.
    pub test: String,
    /// The name of the architecture that it is bound for.
    pub architecture: String,
    /// Command queues that the device is opened with.
    pub num_command_queues: u8,
    /// Bytes of every DRAM bank that are set aside for traces.
    pub trace_region_size: u64,
    /// Bytes at the top of each core's L1 that are set aside for buffers of the type L1_SMALL.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub l1_small_size: u64,
    /// Bytes of each core's L1 for buffers and circular buffers; 0 stands for all that there are.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub worker_l1_size: u64,
    /// The calls, in the order in which the host makes them.
    pub steps: Vec<BoundStep>,
    /// How the queues must end after the last call.
    #[serde(default, skip_serializing_if = "AtEnd::is_good")]
    pub at_end: AtEnd,
}

/// How the queues must end after the last call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum AtEnd {
    /// Everything that was enqueued runs, without a failure.
    #[default]
    Good,
    /// Everything that was enqueued runs, and fails in this way.
    Fails(BoundEnd),
    /// What no call has waited for does not run: the calls are those of a capture that says nothing of its end.
    Open,
}

impl AtEnd {
    /// Whether no failure is expected of queues that are drained.
    pub const fn is_good(&self) -> bool {
        matches!(self, Self::Good)
    }

    /// The expected failure, if one is expected.
    pub const fn fails(&self) -> Option<&BoundEnd> {
        match self {
            Self::Fails(end) => Some(end),
            Self::Good | Self::Open => None,
        }
    }
}

/// The failure that the queues must end in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BoundEnd {
    /// The failure, which names the calls that enqueued the work.
    pub failure: Failure,
    /// Where the fault must have happened, as far as the device tells.
    pub place: Option<BoundPlace>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands out references")]
const fn is_zero(size: &u64) -> bool {
    *size == 0
}

/// A call and the outcome that it must have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BoundStep {
    /// The line of its file, counted from 1; 0 of a call that no suite holds.
    pub line: u32,
    /// Its file, if that is not the suite's.
    pub file: Option<String>,
    /// The call that the host makes.
    pub command: Command,
    /// The failure that it must return.
    pub failure: Option<Failure>,
    /// Where the fault must have happened, as far as the device tells.
    pub place: Option<BoundPlace>,
}

/// The cores of the compute grid that a call names.
fn named_cores(command: &Command) -> Vec<CoreRange> {
    match command {
        Command::CreateKernel(commands::CreateKernel { cores, .. })
        | Command::CreateCircularBuffer(commands::CreateCircularBuffer { cores, .. })
        | Command::CreateSemaphore(commands::CreateSemaphore { cores, .. }) => cores.clone(),
        Command::SetRuntimeArgs(commands::SetRuntimeArgs { args, .. }) => {
            args.iter().flat_map(|entry| entry.cores.iter().copied()).collect()
        }
        Command::CreateBuffer(commands::CreateBuffer {
            buffer_type: BufferType::L1 | BufferType::L1Small,
            shard_spec: Some(spec),
            ..
        }) => spec.cores.clone(),
        _ => Vec::new(),
    }
}

impl BoundCase {
    /// Writes into the record of this case's capture which of its faults the suite expected, if there are any, and
    /// whether it expected the failure of the queues at the end.
    /// `stop` is why the device can no longer be used: a fault in another place than expected is not the expected
    /// one.
    pub fn note_expected_faults(&self, capture: &mut Capture, stop: Option<&Stop>) {
        let chip = capture.chip();
        let is_expected = |index: CommandIndex, step: &BoundStep, outcome: &Outcome| {
            let Outcome::Failed(failure) = outcome else { return false };
            let stop = stop.filter(|stop| stop.command == index);
            let elsewhere = stop.and_then(Stop::fault).and_then(|fault| fault.place.as_deref());
            failure.ends_the_run()
                && step.failure.as_ref() == Some(failure)
                && elsewhere.is_none_or(|place| step.place_differences(place, chip).is_empty())
        };
        let calls = (0..).map(CommandIndex).zip(self.steps.iter().zip(&capture.program.commands));
        let expected: Vec<ExpectedFault> = calls
            .filter(|(index, (step, made))| is_expected(*index, step, &made.outcome))
            .map(|(command, _)| ExpectedFault { command })
            .collect();
        if let Some(record) = &mut capture.record {
            record.expected_faults = expected;
            if let Some(end) = &mut record.at_end {
                end.expected = end.failure().is_some_and(|failure| {
                    let expected = self.at_end.fails();
                    expected.is_some_and(|expected| expected.is_met_by(failure, stop, chip))
                });
            }
        }
    }
}

impl BoundEnd {
    /// Whether a failure at the end of the queues is the expected one. `stop` is why the device can no longer be used.
    fn is_met_by(&self, failure: &Failure, stop: Option<&Stop>, chip: &ChipDescription) -> bool {
        let place = stop.and_then(Stop::fault).and_then(|fault| fault.place.as_deref());
        let differs = |place: &FaultPlace| {
            self.place
                .as_ref()
                .is_some_and(|expected| !expected.differences(place, chip).is_empty())
        };
        self.failure == *failure && !place.is_some_and(differs)
    }
}

impl BoundPlace {
    /// How the place of a fault differs from this one, a line each, as far as the device tells it.
    pub fn differences(&self, place: &FaultPlace, chip: &ChipDescription) -> Vec<String> {
        fn differs<T: PartialEq + fmt::Display>(
            check: Check,
            what: &str,
            expected: Option<&T>,
            actual: Option<&T>,
        ) -> Option<String> {
            let (expected, actual) = expected.zip(actual)?;
            check
                .finds(expected != actual)
                .then(|| format!("{what}: expected {expected}, actual {actual}"))
        }
        let Self { core, processor, symbol } = self;
        let FaultPlace { tile, processor: faulting, symbol: function, .. } = place;
        [
            differs(Check::FaultCore, "core", core.as_ref(), chip.logical(*tile).as_ref()),
            differs(Check::FaultProcessor, "processor", processor.as_ref(), faulting.as_ref()),
            differs(Check::FaultFunction, "function", symbol.as_ref(), function.as_ref()),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

impl BoundStep {
    /// How the place of a fault differs from the expected one, a line each, as far as the device tells it.
    pub fn place_differences(&self, place: &FaultPlace, chip: &ChipDescription) -> Vec<String> {
        self.place.as_ref().map(|expected| expected.differences(place, chip)).unwrap_or_default()
    }

    /// `line 12 of the suite`, or the capture that it is of.
    pub fn written_at(&self) -> String {
        if self.line == 0 {
            return "of the capture".to_owned();
        }
        format!("line {} of {}", self.line, self.file.as_deref().unwrap_or("the suite"))
    }
}

/// Where a fault is expected.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BoundPlace {
    /// The logical core that must have faulted.
    pub core: Option<LogicalCore>,
    /// The processor that must have faulted.
    pub processor: Option<Processor>,
    /// The function in which the pc must lie.
    pub symbol: Option<String>,
}

/// What must come back from one read.
#[derive(Clone, Debug)]
pub struct ExpectedOutput {
    /// The name that the read gives its output.
    pub output: String,
    /// What it is compared with, for people: ``src``.
    pub against: String,
    /// The bytes; `None` where the output is unchecked or only its hash is known.
    pub bytes: Option<KnownBytes>,
    /// Their hash; `None` where the output is unchecked.
    pub hash: Option<ContentHash>,
    /// How near the bytes have to be, if not equal.
    pub tolerance: Option<Tolerance>,
    /// The command that reads it.
    pub command: u32,
    /// What the bytes are, of a tensor.
    pub tensor: Option<Box<TensorPages>>,
}

/// A known failure of one test.
#[derive(Clone, Debug)]
pub struct BoundExpectedFailure {
    /// The kind of device.
    pub device: DeviceKind,
    /// What comes of the test.
    pub failure: TestFailure,
    /// The author's reason, for reports.
    pub reason: String,
}

/// A bound test with all that its parent process needs to judge it.
#[derive(Clone, Debug)]
pub struct BoundTest {
    /// What the worker performs.
    pub case: BoundCase,
    /// What the case is about.
    pub about: String,
    /// Data that no generator makes.
    pub blobs: BTreeMap<ContentHash, Arc<[u8]>>,
    /// What must come back.
    pub outputs: Vec<ExpectedOutput>,
    /// Failures that the suite excuses, each on one kind of device.
    pub expected_failures: Vec<BoundExpectedFailure>,
    /// For each of the two runs.
    pub timeout: Duration,
    /// What is asked of the device beyond what calls say.
    pub asked: DeviceRequirements,
    /// Whether the golden holds only the hash of the program bytes.
    pub digest_golden: bool,
    /// Where its kernels come from.
    pub kernels: KernelOrigin,
    /// The binaries that it submits or allocates tensors for, each once.
    pub binaries: Vec<Binary>,
}

/// Where the kernels of a test come from.
#[derive(Clone, Debug)]
pub enum KernelOrigin {
    /// Sources below the root's suites: prebuilt, or built.
    Suites,
    /// The capture whose calls the test repeats.
    Capture(Arc<Capture>),
}

impl BoundTest {
    /// Whether every core that a successful call names lies in a grid of so many columns and rows.
    pub fn fits(&self, (columns, rows): (u32, u32)) -> bool {
        let calls = self.case.steps.iter().filter(|step| step.failure.is_none());
        calls.flat_map(|step| named_cores(&step.command)).all(|range| {
            let core = range.end;
            core.x < columns && core.y < rows
        })
    }

    /// The category of the fault that the test expects, if it does.
    pub fn expected_fault(&self) -> Option<FaultCategory> {
        let steps = self.case.steps.iter().map(|step| step.failure.as_ref());
        let at_end = self.case.at_end.fails().map(|end| &end.failure);
        steps.chain([at_end]).find_map(|failure| match failure {
            Some(Failure::DeviceFault { category, .. }) => Some(*category),
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use hallmark_chip::Architecture;

    use super::*;

    fn differences(expected: BoundPlace, actual: &FaultPlace) -> usize {
        let command =
            Command::Finish(commands::Finish { queue: hallmark_schema::model::QueueId(0) });
        let place = Some(expected);
        let step = BoundStep { line: 0, file: None, command, failure: None, place };
        let chip = ChipDescription::of(Architecture::WormholeB0);
        step.place_differences(actual, chip).len()
    }

    #[test]
    fn a_fault_is_on_the_expected_processor_and_on_no_other() {
        let chip = ChipDescription::of(Architecture::WormholeB0);
        let tile = chip.physical(LogicalCore { x: 2, y: 3 }).unwrap();
        for expected in Processor::ALL {
            for faulting in Processor::ALL {
                let actual = FaultPlace { processor: Some(faulting), ..FaultPlace::of_tile(tile) };
                let expects = BoundPlace { processor: Some(expected), ..BoundPlace::default() };
                let found = differences(expects, &actual);
                assert_eq!(found, usize::from(expected != faulting), "{expected}, {faulting}");
            }
        }
    }

    #[test]
    fn a_fault_is_on_the_expected_core_in_both_coordinates() {
        let chip = ChipDescription::of(Architecture::WormholeB0);
        let actual = FaultPlace::of_tile(chip.physical(LogicalCore { x: 2, y: 3 }).unwrap());
        for (x, y, found) in [(2, 3, 0), (1, 3, 1), (2, 4, 1), (3, 2, 1)] {
            let expects = BoundPlace { core: Some(LogicalCore { x, y }), ..BoundPlace::default() };
            assert_eq!(differences(expects, &actual), found, "({x},{y})");
        }
    }

    #[test]
    fn a_fault_is_in_the_expected_function_by_its_whole_name() {
        let chip = ChipDescription::of(Architecture::WormholeB0);
        let tile = chip.physical(LogicalCore { x: 0, y: 0 }).unwrap();
        let actual =
            FaultPlace { symbol: Some("kernel_main".to_owned()), ..FaultPlace::of_tile(tile) };
        for (symbol, found) in [("kernel_main", 0), ("main", 1), ("kernel_main2", 1), ("", 1)] {
            let expects = BoundPlace { symbol: Some(symbol.to_owned()), ..BoundPlace::default() };
            assert_eq!(differences(expects, &actual), found, "{symbol}");
        }
    }
}
