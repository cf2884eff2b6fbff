//! The operations of a profiled replay, each with its program, its kernels and what it took.

use std::collections::{BTreeMap, BTreeSet};

use hallmark_chip::{PhysicalCoordinate, Processor, SourceFrame};
use hallmark_runtime::device_code::KernelImage;
use hallmark_runtime::{Interval, LaunchProfile, ProcessorProfile};
use hallmark_schema::commands::CreateKernel;
use hallmark_schema::model::{
    Capture, Command, CommandIndex, ContentHash, KernelConfig, Outcome, ProgramId, TraceId,
};

use crate::worker::profile::ProfileNotes;

/// One enqueued program.
#[derive(Clone, Debug)]
pub struct Operation<'a> {
    /// The capture that was replayed.
    pub capture: &'a Capture,
    /// The program's name.
    pub name: &'a str,
    /// When the host made the call that enqueued it, in nanoseconds since the first call, and when the call returned.
    pub host: Option<(u64, u64)>,
    /// The trace, and which of its replays this is, counted from 1.
    pub replay: Option<(TraceId, u32)>,
    /// The program's kernels.
    pub kernels: Vec<ProfiledKernel<'a>>,
    /// What the device took.
    pub launch: &'a LaunchProfile,
    /// What the operation before it took.
    pub before: Option<&'a LaunchProfile>,
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
    /// Bytes that it takes in memory, where the capture holds it.
    pub size: Option<u32>,
}

/// The operations of a replay, in the order in which they ended.
pub fn operations<'a>(capture: &'a Capture, notes: &'a ProfileNotes) -> Vec<Operation<'a>> {
    let made = Made::of(capture);
    let mut replays: BTreeMap<TraceId, BTreeSet<CommandIndex>> = BTreeMap::new();
    let mut before = None;
    let mut operations = Vec::new();
    for launch in notes.calls.iter().flat_map(|call| &call.launches) {
        let call = launch.replay.unwrap_or(launch.command);
        let replay = launch.replay.and_then(|command| match made.command(command)? {
            Command::ReplayTrace(replay) => {
                let of_trace = replays.entry(replay.trace).or_default();
                of_trace.insert(command);
                Some((replay.trace, u32::try_from(of_trace.len()).unwrap_or(u32::MAX)))
            }
            _ => None,
        });
        let host = notes.calls.iter().find(|note| note.command == call.0);
        operations.push(Operation {
            capture,
            name: made.names.get(&launch.program).copied().unwrap_or("?"),
            host: host.map(|note| (note.from, note.until)),
            replay,
            kernels: made.kernels.get(&launch.program).cloned().unwrap_or_default(),
            launch,
            before,
        });
        before = Some(launch);
    }
    operations
}

/// What the capture's calls have made.
struct Made<'a> {
    capture: &'a Capture,
    names: BTreeMap<ProgramId, &'a str>,
    kernels: BTreeMap<ProgramId, Vec<ProfiledKernel<'a>>>,
}

impl<'a> Made<'a> {
    fn of(capture: &'a Capture) -> Self {
        let mut names = BTreeMap::new();
        let mut kernels: BTreeMap<ProgramId, Vec<ProfiledKernel<'a>>> = BTreeMap::new();
        let elfs = capture.record.iter().flat_map(|record| &record.elfs);
        for made in &capture.program.commands {
            if made.outcome != Outcome::Done {
                continue;
            }
            match &made.command {
                Command::CreateProgram(call) => {
                    names.insert(call.program, call.name.as_str());
                }
                Command::CreateKernel(call) => {
                    let of_kernel = elfs.clone().filter(|elf| elf.kernel == call.kernel);
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

    fn command(&self, at: CommandIndex) -> Option<&'a Command> {
        let at = usize::try_from(at.0).ok()?;
        self.capture.program.commands.get(at).map(|made| &made.command)
    }
}

impl ProfiledKernel<'_> {
    /// Whether it runs on the compute threads.
    pub fn is_compute(&self) -> bool {
        match self.call.config {
            KernelConfig::Compute { .. } => true,
            KernelConfig::DataMovement { .. } => false,
        }
    }
}

impl<'a> Operation<'a> {
    /// Whether a line is of a kernel's sources, and not of the kernel API.
    pub fn is_of_kernel(&self, frame: &SourceFrame) -> bool {
        self.capture.program.sources.iter().any(|source| source.path == frame.file)
    }

    /// The processors that ran a kernel, with the time of the kernel.
    pub fn kernels_run(&self) -> impl Iterator<Item = (&'a ProcessorProfile, Interval)> + use<'a> {
        self.launch.processors.iter().filter_map(|it| Some((it, it.kernel?)))
    }

    /// From the first start of a kernel on some processors to the last end there.
    pub fn kernels_of(&self, chosen: impl Fn(Processor) -> bool) -> Option<Interval> {
        hull(self.kernels_run().filter(|(it, _)| chosen(it.processor)).map(|(_, kernel)| kernel))
    }

    /// From the first instruction of firmware that the launch wakes to the last one.
    pub fn firmware(&self) -> Option<Interval> {
        firmware(self.launch)
    }

    /// For each tile that ran a kernel, from the first start there to the last end.
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

    /// How long kernels on some processors waited inside a function of the kernel API, all together.
    pub fn waited_in(&self, chosen: impl Fn(Processor) -> bool, function: &str) -> u64 {
        let processors = self.launch.processors.iter().filter(|it| chosen(it.processor));
        let waits = processors.flat_map(|it| &it.waits);
        let inside =
            waits.filter(|wait| wait.frames.iter().any(|frame| frame.function == function));
        inside.map(|wait| wait.ticks).sum()
    }
}

/// From the first instruction of firmware that a launch wakes to the last one.
pub fn firmware(launch: &LaunchProfile) -> Option<Interval> {
    hull(launch.processors.iter().map(|it| it.firmware))
}

/// The shortest interval that holds all.
fn hull(intervals: impl Iterator<Item = Interval>) -> Option<Interval> {
    intervals.reduce(|hull, it| Interval {
        from: hull.from.min(it.from),
        until: hull.until.max(it.until),
    })
}
