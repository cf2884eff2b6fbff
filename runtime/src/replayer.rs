//! Makes the calls of a capture again, on any device, and reports the differences.
//!
//! A replay needs the capture, a device and its firmware: no suites, no compiler. It goes through
//! the same host API as the program that was captured, under a recorder of its own, and ends in a
//! report whatever the capture holds.

mod assess;
mod budget;
mod checks;
mod compare;
mod defects;
mod library;
mod metalium;
mod portability;

use std::sync::Arc;

use hallmark_chip::{FaultCategory, PciDevice};
use hallmark_device_code::{FirmwareBundle, LAUNCH_ABI};
use hallmark_engine::CompletedRead;
use hallmark_metalium::LeftOut;
use hallmark_schema::DataError;
use hallmark_schema::model::{
    Capture, Command, CommandIndex, CommandKind, ContentHash, DispatchMode, Expectation, Failure,
    ObjectKind, Outcome, QueuesEnd, Record, SharedBytes,
};

pub use self::assess::assess;
use self::budget::Budget;
use self::checks::Check;
pub use self::checks::REPLAY_CHECKS;
use self::library::ReplayKernels;
pub use self::library::{
    FoundKernels, captured_kernels, find_kernels, lacks_kernels, profiled_kernels,
};
pub use self::metalium::{MetaliumPhase, MetaliumReplay, MetaliumReplayError, replay_on_metalium};
pub use self::portability::{Moved, Portability, Reason, ReplayTarget, TileCoordinates};
use crate::defects::{Defect, planted};
use crate::error::{CallError, CallWarning, HostError};
use crate::host::CallData;
use crate::recorder::{CaptureError, CaptureOptions};
use crate::{Device, DeviceOptions, DispatchSettings, GridAsked, LoadTraceError, OpenError, Stop};

/// The options of a replay.
#[derive(Clone, Debug)]
pub struct ReplayOptions {
    /// The firmware of the five cores of each tile.
    pub firmware: Arc<FirmwareBundle>,
    /// The options of the replay's own capture.
    pub capture: CaptureOptions,
    /// Ticks that one enqueued program may take.
    pub tick_budget: u64,
    /// Whether [`ReplayReport::reads`] holds the bytes. Their hashes are compared in any case.
    pub keep_reads: bool,
    /// The dispatch mode: the host or dispatchers launch programs.
    pub dispatch: DispatchMode,
    /// Sizes and counts of dispatch on the device.
    pub dispatch_settings: DispatchSettings,
    /// Bytes of device memory that the capture's writes and reads may cover, and bytes of host
    /// memory that queued reads may take. What needs more is not replayed.
    pub memory_budget: u64,
    /// Chooses orders between queues that are open; 0 takes the queue that the host waits for.
    pub schedule_seed: u64,
    /// Kernels for which the capture holds no ELF of the device's architecture: see [`find_kernels`].
    pub kernels: FoundKernels,
}

impl ReplayOptions {
    /// 200 million ticks for a program, no bytes kept, 4 GiB, no kernels but the capture's.
    pub fn new(firmware: Arc<FirmwareBundle>) -> Self {
        Self {
            firmware,
            capture: CaptureOptions::default(),
            tick_budget: crate::TICK_BUDGET,
            keep_reads: false,
            dispatch: DispatchMode::Host,
            dispatch_settings: DispatchSettings::default(),
            memory_budget: 4 << 30,
            schedule_seed: 0,
            kernels: FoundKernels::new(),
        }
    }
}

/// A capture cannot be replayed here, or the replay itself failed.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// A golden says what must come out, not how kernels ran.
    #[error(
        "the capture has no record part, so the ELFs of its kernels are unknown; replay a capture, not a golden"
    )]
    NoRecord,
    /// Its inputs are free.
    #[error(
        "the capture is a binary, whose inputs are free; submit it with tensors instead of replaying it"
    )]
    Binary,
    /// Its kernels speak another launch ABI.
    #[error(
        "the kernels of the capture were built for launch ABI {captured}, but this build of Hallmark launches through ABI {here}; replay the capture with the release that wrote it, or capture again"
    )]
    LaunchAbi {
        /// The capture's.
        captured: u32,
        /// The launch ABI that this build launches through.
        here: u32,
    },
    /// The chip is another, and the capture cannot be replayed there.
    #[error("{}", refusal(.device, .reasons))]
    Refused {
        /// The device.
        device: String,
        /// Every reason, in the order of the calls.
        reasons: Vec<Reason>,
    },
    /// Something that it refers to is not embedded.
    #[error(
        "the capture is not self-contained: it does not embed {hash} ({what}); use a self-contained capture"
    )]
    BlobMissing {
        /// The hash of the bytes that are missing.
        hash: ContentHash,
        /// The name of the bytes, for people.
        what: String,
    },
    /// A write states something wrong about its data.
    #[error("command {command}: {error}; use an undamaged copy of the capture, or capture again")]
    Data {
        /// The write whose data they are.
        command: CommandIndex,
        /// The wrong statement.
        error: DataError,
    },
    /// A trace that it holds as bytes is none.
    #[error("command {command}: {error}; use an undamaged copy of the capture, or capture again")]
    CollectedTrace {
        /// The call that collected it.
        command: CommandIndex,
        /// The fault of the bytes.
        error: LoadTraceError,
    },
    /// It asks for more memory than the replay may take.
    #[error(
        "command {command} raises the memory in use to {needed} B, which is more than the budget of {budget} B; raise the budget if you trust the capture"
    )]
    Memory {
        /// The call that passes the budget.
        command: CommandIndex,
        /// Bytes in use with the call.
        needed: u64,
        /// Bytes that the replay may take.
        budget: u64,
    },
    /// It breaks a rule that validation checks: it was not validated.
    #[error("command {command} breaks a rule: {what}; validate the capture before you replay it")]
    Invalid {
        /// The call that breaks the rule.
        command: CommandIndex,
        /// The fault.
        what: String,
    },
    /// The device could not be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The replay's own capture failed.
    #[error(transparent)]
    Capture(#[from] CaptureError),
    /// The firmware stopped the device.
    #[error(transparent)]
    Stopped(#[from] crate::StoppedBeforeAnyProgram),
    /// The device or the runtime failed outside the host program's doing.
    #[error("command {command}: {error}")]
    Internal {
        /// The call that was made.
        command: CommandIndex,
        /// The runtime's own contradiction.
        error: crate::InternalError,
    },
}

// The other refusals of captures have their names in the list of checks, and a capture without a record leaves nothing to go on with.
hallmark_chip::error_checks! {
    ReplayError: Data, CollectedTrace, Invalid, Binary;
    besides: NoRecord, LaunchAbi, Refused, BlobMissing, Memory, Open, Capture, Stopped, Internal
}

/// A difference between the results of a replay and those of its capture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplayMismatch {
    /// A call ended otherwise.
    Outcome {
        /// The place of the call among the calls.
        command: CommandIndex,
        /// The kind of call.
        kind: CommandKind,
        /// The outcome in the capture.
        captured: Outcome,
        /// The outcome of the replay.
        replayed: Outcome,
        /// The error's own words, if it was one.
        message: Option<String>,
    },
    /// Another runtime threw an exception where the capture's call ended otherwise.
    Exception {
        /// The place of the call among the calls.
        command: CommandIndex,
        /// The kind of call.
        kind: CommandKind,
        /// The outcome in the capture.
        captured: Outcome,
        /// The exception's own words.
        text: String,
    },
    /// A read returned other bytes.
    Read {
        /// The place of the read among the calls.
        command: CommandIndex,
        /// The name of the output.
        output: String,
        /// The hash of the bytes in the capture.
        captured: ContentHash,
        /// The hash of the bytes of the replay.
        replayed: ContentHash,
    },
    /// A read completed only once.
    ReadMissing {
        /// The place of the read among the calls.
        command: CommandIndex,
        /// The name of the missing output.
        output: String,
        /// In the capture; if not, in the replay.
        captured: bool,
    },
    /// The queues ended otherwise once every call had been made.
    End {
        /// The outcome in the capture.
        captured: Outcome,
        /// The outcome of the replay.
        replayed: Outcome,
    },
    /// Another runtime threw an exception while the queues ended.
    EndException {
        /// The outcome in the capture.
        captured: Outcome,
        /// The exception's own words.
        text: String,
    },
    /// The replay's own capture has another program part.
    ProgramBytes {
        /// The capture's.
        captured: ContentHash,
        /// The replay's.
        replayed: ContentHash,
    },
}

impl ReplayMismatch {
    /// The call that the difference concerns, if it concerns a single call.
    pub const fn command(&self) -> Option<CommandIndex> {
        match self {
            Self::Outcome { command, .. }
            | Self::Exception { command, .. }
            | Self::Read { command, .. }
            | Self::ReadMissing { command, .. } => Some(*command),
            Self::End { .. } | Self::EndException { .. } | Self::ProgramBytes { .. } => None,
        }
    }
}

/// A derived field that came out otherwise: no failure by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DerivedDifference {
    /// An object lies elsewhere.
    Address {
        /// The kind of the object.
        object: ObjectKind,
        /// The id that commands name the object by.
        id: u32,
        /// Its address in the capture.
        captured: Option<u64>,
        /// Its address in the replay.
        replayed: Option<u64>,
    },
    /// A kernel ran as another ELF.
    Elf {
        /// The kernel's id.
        kernel: hallmark_schema::model::KernelId,
        /// The processor's index.
        processor: u8,
        /// The hash of its ELF in the capture.
        captured: Option<ContentHash>,
        /// The hash of its ELF in the replay.
        replayed: Option<ContentHash>,
    },
    /// A fault happened elsewhere.
    FaultPlace {
        /// The call that met the fault.
        command: CommandIndex,
    },
    /// Other cores waited, or elsewhere.
    Waits,
    /// A collected trace has other bytes.
    CollectedTrace {
        /// The call that collected it.
        command: CommandIndex,
    },
    /// A read returned other bytes, within the tolerance of its expectation.
    NearRead {
        /// The place of the read among the calls.
        command: CommandIndex,
        /// The name of the output.
        output: String,
    },
}

impl DerivedDifference {
    /// Whether it says where a buffer lies.
    pub(crate) fn is_of_a_buffer(&self) -> bool {
        matches!(self, Self::Address { object: ObjectKind::Buffer, .. })
    }
}

/// A fault that a check found in a replay which the release that wrote the capture did not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewerFinding {
    /// The call that met it; `None` for the end of the queues.
    pub command: Option<CommandIndex>,
    /// The kind of fault.
    pub category: FaultCategory,
    /// The enqueue of the program to blame.
    pub enqueue: CommandIndex,
    /// The kind under which the capture holds the same fault, less exactly. Without one the capture met no fault there, and
    /// the replay ended with this one: nothing later is compared.
    pub captured_as: Option<FaultCategory>,
}

impl NewerFinding {
    /// Whether the replay ended with it.
    pub const fn ends_the_replay(&self) -> bool {
        self.captured_as.is_none()
    }
}

/// The result of a replay.
#[derive(Debug)]
pub struct ReplayReport {
    /// The replay's own capture.
    pub capture: Capture,
    /// Whether the chip is the capture's, and what lies elsewhere if not.
    pub portability: Portability,
    /// The differences that a replay must not have; empty if the replay agrees.
    pub mismatches: Vec<ReplayMismatch>,
    /// The differences that a replay may have.
    pub derived: Vec<DerivedDifference>,
    /// The outcome of a last command that the capture leaves unfinished.
    pub unfinished: Option<(CommandIndex, Outcome)>,
    /// The outcome of the end of the queues, if the capture leaves that unfinished.
    pub unfinished_end: Option<Outcome>,
    /// The finding of a check that is newer than the capture, if there was one: no difference.
    pub newer: Option<NewerFinding>,
    /// The bytes of reads, if the options ask for them.
    pub reads: Vec<CompletedRead>,
    /// The stop by which the device was lost, if it was.
    pub stop: Option<Stop>,
    /// Calls that fail in the capture and that another runtime was not given, with the reasons.
    pub left_out: Vec<(CommandIndex, LeftOut)>,
    /// Calls that may be mistakes.
    pub warnings: Vec<CallWarning>,
}

impl ReplayReport {
    /// Whether everything that must be equal is.
    pub fn agrees(&self) -> bool {
        self.mismatches.is_empty()
    }
}

/// The reasons for which a capture is refused, in one text.
fn refusal(device: &str, reasons: &[Reason]) -> String {
    let mut text = format!("the capture cannot be replayed on {device}");
    for (reason, between) in reasons.iter().zip([": "].into_iter().chain(std::iter::repeat("; "))) {
        text.push_str(between);
        text.push_str(&reason.to_string());
    }
    text
}

/// Checks the demands of every replay of a capture, on any chip; gives the capture's record.
fn check<'c>(
    capture: &'c Capture,
    target: &ReplayTarget,
    options: &ReplayOptions,
) -> Result<&'c Record, ReplayError> {
    if capture.program.is_binary() {
        ReplayError::Binary.refuse()?;
    }
    let record = capture.record.as_ref().ok_or(ReplayError::NoRecord)?;
    let here = options.firmware.manifest().launch_abi;
    // For another architecture its kernels are built anew.
    let its_own = target.description.architecture == capture.program.architecture;
    let captured = if its_own { record.firmware.launch_abi } else { LAUNCH_ABI };
    if Check::LaunchAbi.finds(captured != here || captured != LAUNCH_ABI) {
        return Err(ReplayError::LaunchAbi { captured, here });
    }
    match missing(capture) {
        Some((hash, what)) => Err(ReplayError::BlobMissing { hash, what }),
        None => Ok(record),
    }
}

/// Looks at the device between the calls of a replay. Nothing that it does is recorded.
pub trait ReplayObserver {
    /// A call is about to be made.
    fn before(&mut self, device: &mut Device, command: CommandIndex);
    /// A call has been made, whether it succeeded or not.
    fn after(&mut self, device: &mut Device, command: CommandIndex);
    /// The device is about to be closed.
    fn at_end(&mut self);
}

/// Looks at nothing.
struct NoObserver;

impl ReplayObserver for NoObserver {
    fn before(&mut self, _: &mut Device, _: CommandIndex) {}
    fn after(&mut self, _: &mut Device, _: CommandIndex) {}
    fn at_end(&mut self) {}
}

/// Makes the calls of a validated capture again on a device, where [`assess`] says that it can be done.
///
/// # Errors
/// See [`ReplayError`]: the capture cannot be replayed here. What comes out otherwise is no error but
/// stands in the report.
pub fn replay(
    capture: &Capture,
    device: Box<dyn PciDevice>,
    options: &ReplayOptions,
) -> Result<ReplayReport, ReplayError> {
    replay_observed(capture, device, options, &mut NoObserver)
}

/// As [`replay`], with an observer that looks at the device between the calls.
///
/// # Errors
/// Those of [`replay`].
pub fn replay_observed(
    capture: &Capture,
    mut device: Box<dyn PciDevice>,
    options: &ReplayOptions,
    observer: &mut dyn ReplayObserver,
) -> Result<ReplayReport, ReplayError> {
    let target = ReplayTarget::of(&mut *device)?;
    check(capture, &target, options)?;
    let on_its_chip = assess::is_on_its_chip(capture, &target);
    let portability = if assess::is_at_home(capture, &target, options) {
        Portability::Exact
    } else {
        assess(capture, &target, options)?
    };
    if let Portability::Refused { reasons } = portability {
        return Err(ReplayError::Refused { device: target.device, reasons });
    }
    let mut device = Device::open(device, device_options(capture, &target, options))?;
    device.begin_capture(&options.capture)?;
    if capture.program.placement_bound {
        device.mark_capture_placement_bound()?;
    }
    let mut replayed = Replay {
        capture,
        device: &mut device,
        keep: options.keep_reads,
        budget: Budget::new(options.memory_budget),
        mismatches: Vec::new(),
        unfinished: None,
        newer: None,
        reads: Vec::new(),
        returned: Vec::new(),
    };
    for (index, recorded) in (0u32..).zip(&capture.program.commands) {
        if defects::forgets(recorded) {
            continue;
        }
        let mut command = defects::replayed(recorded.command.clone());
        if matches!(portability, Portability::Adapted { .. }) {
            command = defects::adapted(command, capture);
        }
        observer.before(replayed.device, CommandIndex(index));
        replayed.command(CommandIndex(index), command, &recorded.outcome)?;
        observer.after(replayed.device, CommandIndex(index));
        if replayed.newer.as_ref().is_some_and(NewerFinding::ends_the_replay) {
            break;
        }
    }
    let Replay { mut mismatches, unfinished, mut newer, reads, returned, .. } = replayed;
    let mut near = compare::reads(capture, &returned, &mut mismatches);
    let unfinished_end = drained(capture, &mut device, &mut mismatches, &mut newer)?;
    let again = device.end_capture()?;
    let mut derived = compare::derived(capture, &again);
    match &newer {
        Some(finding) if finding.ends_the_replay() => {
            // Nothing is known of what would have come behind it.
            let is_missing = |it: &ReplayMismatch| matches!(it, ReplayMismatch::ReadMissing { .. });
            mismatches.retain(|mismatch| !is_missing(mismatch));
            (derived, near) = (Vec::new(), Vec::new());
        }
        Some(_) | None => {
            compare::programs(capture, &again, &portability, newer.as_ref(), &mut mismatches);
        }
    }
    if let Portability::Adapted { moved } = &portability
        && !on_its_chip
    {
        derived.retain(|difference| !compare::was_foreseen(difference, moved));
    }
    derived.extend(near);
    let stop = device.stop().cloned();
    let warnings = device.take_warnings();
    observer.at_end();
    // A device that does not let itself be closed has nothing more to say about the capture.
    let _ = device.close();
    let left_out = Vec::new();
    Ok(ReplayReport {
        capture: again,
        portability,
        mismatches,
        derived,
        unfinished,
        unfinished_end,
        newer,
        reads,
        stop,
        left_out,
        warnings,
    })
}

/// Drains the queues if the capture says that they were drained: a capture that was cut, or whose recorder was killed, says
/// nothing of its end, and what no call of it waits for is not run. Gives the outcome of an end that the capture leaves
/// unfinished.
fn drained(
    capture: &Capture,
    device: &mut Device,
    mismatches: &mut Vec<ReplayMismatch>,
    newer: &mut Option<NewerFinding>,
) -> Result<Option<Outcome>, ReplayError> {
    let Some(QueuesEnd { outcome: captured, .. }) = capture.at_end() else { return Ok(None) };
    let last = CommandIndex(device.next_command().0.saturating_sub(1));
    let replayed = match device.drain() {
        Ok(Some(drained)) => drained.outcome,
        // A call stopped the device, which is a difference of that call.
        Ok(None) => return Ok(None),
        Err(error) => call_result(last, Err(error))?.outcome,
    };
    if *captured == Outcome::Unfinished {
        return Ok(Some(replayed));
    }
    if let Some(finding) = newer_finding(capture, None, captured, &replayed) {
        newer.get_or_insert(finding);
    } else if Check::ReplayedEnd.finds(*captured != replayed) {
        mismatches.push(ReplayMismatch::End { captured: captured.clone(), replayed });
    }
    Ok(None)
}

/// The finding of a check that the release which wrote the capture did not have, if an outcome is one.
fn newer_finding(
    capture: &Capture,
    command: Option<CommandIndex>,
    captured: &Outcome,
    replayed: &Outcome,
) -> Option<NewerFinding> {
    let &Outcome::Failed(Failure::DeviceFault { category, enqueue }) = replayed else {
        return None;
    };
    if captured == replayed || capture.record.as_ref()?.knows(category) {
        return None;
    }
    let captured_as = match captured {
        Outcome::Failed(Failure::DeviceFault { category: older, enqueue: of })
            if category.is_more_exact_than(*older) && *of == enqueue =>
        {
            Some(*older)
        }
        Outcome::Failed(_) | Outcome::Done | Outcome::Unfinished => None,
    };
    let finding = NewerFinding { command, category, enqueue, captured_as };
    Check::NewerFinding.finds(true).then_some(finding)
}

/// The options of the device on which a capture is replayed.
fn device_options(
    capture: &Capture,
    target: &ReplayTarget,
    options: &ReplayOptions,
) -> DeviceOptions {
    let kernels = ReplayKernels::new(capture, &options.kernels);
    let mut open = DeviceOptions::new(Arc::clone(&options.firmware), Box::new(kernels));
    open.grid = GridAsked::Cores(assess::grid_on(capture.program.grid, target.description));
    open.tick_budget = options.tick_budget;
    open.schedule_seed = options.schedule_seed;
    open.num_command_queues = capture.program.num_command_queues;
    open.trace_region_size = if planted(Defect::ReplayerForgetsTraceRegions) {
        0
    } else {
        capture.program.trace_region_size
    };
    open.l1_small_size = capture.program.l1_small_size;
    open.worker_l1_size = capture.program.worker_l1_size;
    open.l1_bank_order = capture.record.as_ref().map(|record| record.l1_bank_order);
    open.dispatch = options.dispatch;
    open.dispatch_settings = options.dispatch_settings;
    open
}

/// The result of a call.
struct CallResult {
    outcome: Outcome,
    /// The error, if it failed.
    error: Option<HostError>,
}

/// The result of a recorded call, from the result of the host API.
fn call_result(
    index: CommandIndex,
    result: Result<(), CallError>,
) -> Result<CallResult, ReplayError> {
    let done = || CallResult { outcome: Outcome::Done, error: None };
    match result {
        Ok(()) => Ok(done()),
        Err(CallError::Host(error)) => {
            let outcome = Outcome::Failed(error.failure.clone());
            Ok(CallResult { outcome, error: Some(*error) })
        }
        Err(CallError::Argument(error)) => {
            let what = error.problem.to_string();
            ReplayError::Invalid { command: index, what }.refuse().map(|()| done())
        }
        Err(CallError::Data(DataError::NotHere { hash, .. })) => {
            let what = format!("the data of command {index}");
            Err(ReplayError::BlobMissing { hash, what })
        }
        Err(CallError::Data(error)) => {
            ReplayError::Data { command: index, error }.refuse().map(|()| done())
        }
        Err(CallError::KernelUnavailable { path, reason }) => {
            let what = format!("kernel {path}: {reason}");
            ReplayError::Invalid { command: index, what }.refuse().map(|()| done())
        }
        Err(CallError::Capture(error)) => Err(error.into()),
        Err(CallError::Stopped(error)) => Err(error.into()),
        Err(CallError::Internal(error)) => Err(ReplayError::Internal { command: index, error }),
    }
}

/// The data of a capture's calls: its blobs.
struct CaptureData<'c>(&'c Capture);

impl CallData for CaptureData<'_> {
    fn bytes(&self, hash: ContentHash) -> Option<SharedBytes> {
        let bytes = self.0.blobs.get(&hash)?;
        if planted(Defect::ReplayerWritesZeros) {
            return Some(vec![0; bytes.len()].into());
        }
        Some(bytes.clone())
    }
}

struct Replay<'a> {
    capture: &'a Capture,
    device: &'a mut Device,
    keep: bool,
    budget: Budget,
    mismatches: Vec<ReplayMismatch>,
    unfinished: Option<(CommandIndex, Outcome)>,
    newer: Option<NewerFinding>,
    reads: Vec<CompletedRead>,
    returned: Vec<ReadComparison>,
}

/// The bytes of a read.
struct ReadComparison {
    command: CommandIndex,
    hash: ContentHash,
    /// Whether it is within the tolerance of its expectation, which is known to have one.
    near: bool,
}

impl Replay<'_> {
    fn command(
        &mut self,
        index: CommandIndex,
        command: Command,
        captured: &Outcome,
    ) -> Result<(), ReplayError> {
        self.budget.charge(index, &command)?;
        let kind = command.kind();
        let collected = match &command {
            Command::CollectTrace(call) => Some(call.collected.clone()),
            _ => None,
        };
        let made = self.device.make_call(command, &CaptureData(self.capture));
        let CallResult { outcome, error } = call_result(index, made)?;
        self.collect_reads();
        if let (Some(collected), Outcome::Done) = (collected, &outcome) {
            self.take_collected(index, &collected)?;
        }
        if *captured == Outcome::Unfinished {
            self.unfinished = Some((index, outcome));
        } else if let Some(finding) = newer_finding(self.capture, Some(index), captured, &outcome) {
            self.newer = Some(finding);
        } else if Check::ReplayedOutcome.finds(*captured != outcome) {
            self.mismatches.push(ReplayMismatch::Outcome {
                command: index,
                kind,
                captured: captured.clone(),
                replayed: outcome,
                message: error.map(|error| error.to_string()),
            });
        }
        Ok(())
    }

    /// A trace that was collected is loaded from the capture's bytes where chip and firmware are theirs,
    /// and else from what its commands have made here.
    fn take_collected(&mut self, command: CommandIndex, name: &str) -> Result<(), ReplayError> {
        let collected = self.capture.record.iter().flat_map(|record| &record.collected);
        let mut collected = collected.filter(|bytes| bytes.command == command);
        let bytes = collected.next().and_then(|bytes| self.capture.blobs.get(&bytes.hash));
        let Some(bytes) = bytes else { return Ok(()) };
        self.device
            .replace_collected(name, &Arc::from(&**bytes))
            .or_else(|error| ReplayError::CollectedTrace { command, error }.refuse())
    }

    fn collect_reads(&mut self) {
        for read in self.device.take_reads() {
            self.budget.returned(read.bytes.len() as u64);
            self.returned.push(ReadComparison {
                command: read.command,
                hash: ContentHash::of(&read.bytes),
                near: compare::is_near(self.capture, read.command, &read.bytes),
            });
            if self.keep {
                self.reads.push(read);
            }
        }
    }
}

/// A source or ELF that the capture refers to without embedding it. Data is looked for when it is
/// written, references are not needed.
fn missing(capture: &Capture) -> Option<(ContentHash, String)> {
    let sources = capture.program.sources.iter();
    let sources = sources.map(|source| (source.hash, format!("source {}", source.path)));
    let elfs = capture.record.iter().flat_map(|record| &record.elfs);
    let elfs = elfs.map(|elf| (elf.hash, format!("the ELF of kernel {}", elf.kernel)));
    let mut needed = sources.chain(elfs);
    needed.find(|(hash, _)| Check::BlobsPresent.finds(!capture.blobs.contains_key(hash)))
}

/// Whether a read is compared between capture and replay.
const fn is_checked(expectation: &Expectation) -> bool {
    !matches!(expectation, Expectation::Unchecked { .. })
}

#[cfg(test)]
mod tests {
    use hallmark_chip::{Architecture, ChipDescription};

    use super::*;
    use crate::NoKernels;

    /// A capture without calls, by a writer that has these checks.
    fn written_with(checks: Vec<FaultCategory>) -> Capture {
        let firmware = FirmwareBundle::builtin(Architecture::Blackhole).unwrap();
        let options = DeviceOptions::new(Arc::new(firmware), Box::new(NoKernels));
        let chip = ChipDescription::of(Architecture::Blackhole);
        let mut device = Device::modelled(chip, options).unwrap();
        device.begin_capture(&CaptureOptions::default()).unwrap();
        let mut capture = device.end_capture().unwrap();
        capture.record.as_mut().unwrap().checks = checks;
        capture
    }

    #[test]
    fn a_category_that_became_more_exact_counts_as_the_same() {
        let fault = |category, enqueue| {
            let enqueue = CommandIndex(enqueue);
            Outcome::Failed(Failure::DeviceFault { category, enqueue })
        };
        let older = FaultCategory::UndefinedBehavior;
        let exact = fault(FaultCategory::MemoryNotGranted, 3);
        let capture = written_with(vec![older]);
        let found = |captured: &Outcome| newer_finding(&capture, None, captured, &exact);
        let same = found(&fault(older, 3)).unwrap();
        assert_eq!(same.captured_as, Some(older));
        assert!(!same.ends_the_replay());
        // Another program, another rule, or no fault: the finding is new.
        for captured in [fault(older, 2), fault(FaultCategory::SystemError, 3), Outcome::Done] {
            assert!(found(&captured).unwrap().ends_the_replay(), "{captured:?}");
        }
        assert_eq!(found(&exact), None);
        // A writer that had the check would have told the category itself.
        let capture = written_with(vec![older, FaultCategory::MemoryNotGranted]);
        assert_eq!(newer_finding(&capture, None, &fault(older, 3), &exact), None);
    }
}
