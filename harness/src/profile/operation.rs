//! The operations of a profiled replay, each with its program, its kernels and its durations.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use hallmark_chip::{PhysicalCoordinate, Processor, SourceFrame, Tick};
use hallmark_runtime::device_code::KernelImage;
use hallmark_runtime::{Interval, LaunchProfile, ProcessorProfile};
use hallmark_schema::commands::CreateKernel;
use hallmark_schema::model::{
    Capture, Command, CommandIndex, ContentHash, KernelConfig, KernelElf, KernelId, Outcome,
    ProgramId, QueueId, TraceId,
};

use hallmark_pipeline::buffer_places::{BufferPlaces, PlacedBuffer};
use hallmark_pipeline::profiled::ProfiledRun;

/// One enqueued program.
#[derive(Clone, Debug)]
pub struct Operation<'a> {
    /// The test or capture of the operation.
    pub subject: &'a str,
    /// The capture that was replayed.
    pub capture: &'a Capture,
    /// The program's name.
    pub name: &'a str,
    /// The call that caused the launch: the enqueue itself, or the replay of a trace.
    pub call: CommandIndex,
    /// The times at which the host began the enqueuing call and returned from it, in nanoseconds since the
    /// first call.
    pub host: Option<(u64, u64)>,
    /// The trace, and the number of its replay, counted from 1.
    pub replay: Option<(TraceId, u32)>,
    /// The program's kernels.
    pub kernels: Vec<ProfiledKernel<'a>>,
    /// The measurements of the launch; `None` if the device does not report them, or the program was not
    /// launched.
    pub launch: Option<&'a LaunchProfile>,
    /// The measurements of the previous operation. If launches overlap, it is the earlier one whose kernels
    /// ended last.
    pub before: Option<&'a LaunchProfile>,
    /// The places of the capture's buffers.
    pub(crate) buffers: Rc<BufferPlaces<'a>>,
}

/// A kernel of a program.
#[derive(Clone, Debug)]
pub struct ProfiledKernel<'a> {
    /// The call that made it.
    pub call: &'a CreateKernel,
    /// Its ELFs, by the processor's index.
    pub elfs: BTreeMap<u8, ProfiledElf>,
}

/// An ELF of a kernel.
#[derive(Clone, Copy, Debug)]
pub struct ProfiledElf {
    /// The hash of its bytes.
    pub hash: ContentHash,
    /// The size of the image in memory, if the capture contains the ELF.
    pub size: Option<u32>,
}

/// The operations of a replay. Operations with device data come first, in the order of their ends; the others
/// follow in the order of the calls.
pub fn operations(run: &ProfiledRun) -> Vec<Operation<'_>> {
    let ProfiledRun { subject, capture, notes, device: _, without_markers: _ } = run;
    let made = Made::of(capture);
    let calls: BTreeMap<u32, (u64, u64)> =
        notes.calls.iter().map(|note| (note.command, (note.from, note.until))).collect();
    let mut enqueued = made.enqueued(&calls);
    let buffers = Rc::new(BufferPlaces::of(capture));
    let mut before: Option<&LaunchProfile> = None;
    let mut operations = Vec::new();
    let operation = |enqueued: &Enqueued, launch, before| {
        let call = enqueued.replay.map_or(enqueued.command, |(command, ..)| command);
        Operation {
            subject,
            capture,
            name: made.names.get(&enqueued.program).copied().unwrap_or("?"),
            call,
            host: calls.get(&call.0).copied(),
            replay: enqueued.replay.map(|(_, trace, session)| (trace, session)),
            kernels: made.kernels.get(&enqueued.program).cloned().unwrap_or_default(),
            launch,
            before,
            buffers: Rc::clone(&buffers),
        }
    };
    for launch in notes.calls.iter().flat_map(|call| &call.launches) {
        let key = (launch.replay.unwrap_or(launch.command), launch.command);
        // A launch without a call does not belong to the capture.
        if let Some(enqueued) = enqueued.remove(&key) {
            operations.push(operation(&enqueued, Some(launch), before));
            // If launches overlap, another one may have ended last.
            before = Some(before.filter(|it| ends_later(it, launch)).unwrap_or(launch));
        }
    }
    operations.extend(enqueued.values().map(|it| operation(it, None, None)));
    operations
}

/// A program that was enqueued directly or in a trace.
#[derive(Clone, Copy, Debug)]
struct Enqueued {
    command: CommandIndex,
    program: ProgramId,
    /// The call that replayed the trace, the trace, and the number of the replay, counted from 1.
    replay: Option<(CommandIndex, TraceId, u32)>,
}

/// The objects that the capture's calls have made.
struct Made<'a> {
    capture: &'a Capture,
    names: BTreeMap<ProgramId, &'a str>,
    kernels: BTreeMap<ProgramId, Vec<ProfiledKernel<'a>>>,
}

impl<'a> Made<'a> {
    fn of(capture: &'a Capture) -> Self {
        let mut names = BTreeMap::new();
        let mut kernels: BTreeMap<ProgramId, Vec<ProfiledKernel<'a>>> = BTreeMap::new();
        let mut elfs: BTreeMap<KernelId, Vec<&KernelElf>> = BTreeMap::new();
        for elf in capture.record.iter().flat_map(|record| &record.elfs) {
            elfs.entry(elf.kernel).or_default().push(elf);
        }
        for made in &capture.program.commands {
            if made.outcome != Outcome::Done {
                continue;
            }
            match &made.command {
                Command::CreateProgram(call) => {
                    names.insert(call.program, call.name.as_str());
                }
                Command::CreateKernel(call) => {
                    let of_kernel = elfs.get(&call.kernel).into_iter().flatten();
                    let elfs = of_kernel.map(|elf| {
                        let bytes = capture.blobs.get(&elf.hash);
                        let image = bytes.and_then(|bytes| KernelImage::parse(bytes).ok());
                        let size = image.map(|image| image.size());
                        (elf.processor, ProfiledElf { hash: elf.hash, size })
                    });
                    let kernel = ProfiledKernel { call, elfs: elfs.collect() };
                    kernels.entry(call.program).or_default().push(kernel);
                }
                _ => {}
            }
        }
        Self { capture, names, kernels }
    }

    /// The programs enqueued by calls that were made again, keyed by the call that runs a program and the call
    /// that enqueued it.
    fn enqueued(
        &self,
        calls: &BTreeMap<u32, (u64, u64)>,
    ) -> BTreeMap<(CommandIndex, CommandIndex), Enqueued> {
        let mut capturing: BTreeMap<QueueId, TraceId> = BTreeMap::new();
        let mut traced: BTreeMap<TraceId, Vec<(CommandIndex, ProgramId)>> = BTreeMap::new();
        let mut collected: BTreeMap<&str, TraceId> = BTreeMap::new();
        let mut replays: BTreeMap<TraceId, u32> = BTreeMap::new();
        let mut enqueued = BTreeMap::new();
        for (at, made) in (0..).map(CommandIndex).zip(&self.capture.program.commands) {
            if !calls.contains_key(&at.0) {
                continue;
            }
            match &made.command {
                Command::BeginTraceCapture(call) if made.outcome == Outcome::Done => {
                    capturing.insert(call.queue, call.trace);
                }
                Command::EndTraceCapture(call) => {
                    capturing.retain(|_, trace| *trace != call.trace);
                }
                Command::CollectTrace(call) if made.outcome == Outcome::Done => {
                    collected.insert(&call.collected, call.trace);
                }
                Command::LoadTrace(call) if made.outcome == Outcome::Done => {
                    let from = collected.get(call.from.as_str()).and_then(|it| traced.get(it));
                    traced.insert(call.trace, from.cloned().unwrap_or_default());
                }
                Command::EnqueueProgram(call) if was_carried_out(&made.outcome) => {
                    match capturing.get(&call.queue) {
                        Some(trace) => traced.entry(*trace).or_default().push((at, call.program)),
                        None => {
                            let (command, program) = (at, call.program);
                            enqueued.insert((at, at), Enqueued { command, program, replay: None });
                        }
                    }
                }
                Command::ReplayTrace(call) if was_carried_out(&made.outcome) => {
                    let session = replays.entry(call.trace).or_default();
                    *session = session.saturating_add(1);
                    for &(command, program) in traced.get(&call.trace).into_iter().flatten() {
                        let replay = Some((at, call.trace, *session));
                        enqueued.insert((at, command), Enqueued { command, program, replay });
                    }
                }
                _ => {}
            }
        }
        enqueued
    }
}

impl ProfiledKernel<'_> {
    /// Whether it runs on a processor of its cores.
    pub fn runs_on(&self, processor: Processor) -> bool {
        self.call.config.processors().contains(&processor)
    }

    /// Whether it runs on the compute threads.
    pub fn is_compute(&self) -> bool {
        match self.call.config {
            KernelConfig::Compute { .. } => true,
            KernelConfig::DataMovement { .. } => false,
        }
    }
}

impl<'a> Operation<'a> {
    /// The name of the kernel on a processor of a tile; the processor's name if the program has no kernel there.
    pub(super) fn kernel_name(&self, it: &ProcessorProfile) -> String {
        let core = self.capture.chip().logical(it.tile);
        let is_here = |kernel: &&ProfiledKernel<'_>| {
            kernel.runs_on(it.processor)
                && core
                    .is_some_and(|core| kernel.call.cores.iter().any(|range| range.contains(core)))
        };
        let kernel = self.kernels.iter().find(is_here);
        kernel.map_or_else(|| it.processor.name().to_owned(), |kernel| kernel.call.name.clone())
    }

    /// Whether a line is in a kernel's sources; otherwise it is in the kernel API.
    pub fn is_of_kernel(&self, frame: &SourceFrame) -> bool {
        self.capture.program.sources.iter().any(|source| source.path == frame.file)
    }

    /// Whether a dispatcher launched it while other operations may have run, so that the dispatcher's work for
    /// it is unknown.
    pub fn is_beside_others(&self) -> bool {
        let dispatcher = self.launch.and_then(|launch| launch.dispatcher.as_ref());
        dispatcher.is_some_and(|dispatcher| dispatcher.ran.is_empty())
    }

    /// The queue of the operation.
    pub fn queue(&self) -> QueueId {
        queue_of(self.capture, self.call)
    }

    /// The measurements of a completed launch; incomplete launches have no durations.
    fn completed(&self) -> Option<&'a LaunchProfile> {
        self.launch.filter(|launch| launch.completed)
    }

    /// How the launch ended.
    pub fn ended(&self) -> Ended {
        match self.launch {
            None => Ended::Unknown,
            Some(launch) if launch.completed => Ended::Yes,
            Some(_) => Ended::No,
        }
    }

    /// The processors whose kernels completed, with the times of the kernels.
    pub fn kernels_run(&self) -> impl Iterator<Item = (&'a ProcessorProfile, Interval)> + use<'a> {
        kernels_run(self.completed())
    }

    /// The time from the first kernel start on some processors to the last kernel end there.
    pub fn kernels_of(&self, chosen: impl Fn(Processor) -> bool) -> Option<Interval> {
        hull(self.kernels_run().filter(|(it, _)| chosen(it.processor)).map(|(_, kernel)| kernel))
    }

    /// The time from the first kernel start of the previous operation to its last kernel end.
    pub fn kernels_before(&self) -> Option<Interval> {
        hull(kernels_run(self.before.filter(|it| it.completed)).map(|(_, kernel)| kernel))
    }

    /// The first instruction of the firmware that the launch wakes.
    pub fn firmware_start(&self) -> Option<Tick> {
        self.launch?.processors.iter().map(|it| it.firmware.from).min()
    }

    /// The time from the first instruction of the firmware that the launch wakes to the last one.
    pub fn firmware(&self) -> Option<Interval> {
        hull(self.completed()?.processors.iter().map(|it| it.firmware))
    }

    /// The time from the dispatcher's first instruction for the launch to its last one before it waits for the
    /// started cores.
    pub fn dispatched(&self) -> Option<Interval> {
        let start = self.firmware_start()?;
        let ran = self.completed()?.dispatcher.as_ref()?.ran.iter().copied();
        hull(ran.filter(|span| span.from < start))
    }

    /// The number of tiles that began a kernel.
    pub fn cores(&self) -> Option<usize> {
        let ran = self.launch?.processors.iter().filter(|it| it.kernel.is_some());
        Some(ran.map(|it| it.tile).collect::<BTreeSet<_>>().len())
    }

    /// For each tile that ran a kernel, the time from the first start to the last end.
    pub fn by_tile(&self) -> BTreeMap<PhysicalCoordinate, Interval> {
        let mut tiles: BTreeMap<PhysicalCoordinate, Vec<Interval>> = BTreeMap::new();
        for (it, kernel) in self.kernels_run() {
            tiles.entry(it.tile).or_default().push(kernel);
        }
        tiles
            .into_iter()
            .filter_map(|(tile, kernels)| Some((tile, hull(kernels.into_iter())?)))
            .collect()
    }

    /// The buffers that its kernels read or wrote, in the order of creation.
    pub(crate) fn buffers(&self, writes: bool) -> Vec<&PlacedBuffer<'a>> {
        let Some(launch) = self.launch else { return Vec::new() };
        let moved = launch.processors.iter().flat_map(|it| &it.transfers);
        let moved: Vec<_> = moved.filter(|moved| moved.writes == writes).collect();
        self.buffers.touched(launch.replay.unwrap_or(launch.command), &moved)
    }

    /// The total time that kernels on a processor waited inside a kernel API function. `None` if none waited
    /// there.
    pub fn waited_in(&self, processor: Processor, function: &str) -> Option<u64> {
        let processors = self.completed()?.processors.iter();
        let waits = processors.filter(|it| it.processor == processor).flat_map(|it| &it.waits);
        let inside =
            waits.filter(|wait| wait.frames.iter().any(|frame| frame.function == function));
        inside.map(|wait| wait.ticks).reduce(u64::saturating_add)
    }
}

/// Whether a call took effect, at least in part: it was not refused.
fn was_carried_out(outcome: &Outcome) -> bool {
    match outcome {
        Outcome::Done | Outcome::Unfinished => true,
        Outcome::Failed(failure) => failure.ends_the_run(),
    }
}

/// Whether the launch of an operation completed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// It completed.
    Yes,
    /// It ended in a fault, in a deadlock or at the end of its budget.
    No,
    /// The device does not report it, or the program was not launched.
    Unknown,
}

/// Whether the kernels of a launch ended after those of another one; `false` if one of them did not complete.
fn ends_later(launch: &LaunchProfile, other: &LaunchProfile) -> bool {
    let end = |it: &LaunchProfile| {
        hull(kernels_run(Some(it)).map(|(_, kernel)| kernel)).map(|it| it.until)
    };
    launch.completed && other.completed && end(launch) > end(other)
}

/// The queue of a call.
pub(crate) fn queue_of(capture: &Capture, at: CommandIndex) -> QueueId {
    let command = usize::try_from(at.0).ok().and_then(|at| capture.program.commands.get(at));
    command.and_then(|made| made.command.queue()).unwrap_or(QueueId(0))
}

fn kernels_run<'a>(
    launch: Option<&'a LaunchProfile>,
) -> impl Iterator<Item = (&'a ProcessorProfile, Interval)> + use<'a> {
    let processors = launch.into_iter().flat_map(|launch| &launch.processors);
    processors.filter_map(|it| Some((it, it.kernel?)))
}

/// The smallest interval that contains all.
fn hull(intervals: impl Iterator<Item = Interval>) -> Option<Interval> {
    intervals.reduce(|hull, it| Interval {
        from: hull.from.min(it.from),
        until: hull.until.max(it.until),
    })
}
