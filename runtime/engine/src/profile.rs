//! Profiles: the time that launches, processors and dispatchers took. No calls of the host API, never recorded.

mod markers;
mod queues;

use hallmark_chip::{
    NocRequest, PhysicalCoordinate, Processor, SourceFrame, Tick, Transfers, UnitWait,
};
use hallmark_schema::model::{CommandIndex, ProgramId};
use serde::{Deserialize, Serialize};

pub use self::markers::{EventProfile, MarkedPlace, ProcessorMarkers, ZoneProfile, ZoneTotal};
pub use self::queues::{
    Dispatching, DispatchingSpan, MovePlan, MovedPiece, QueueDispatcher, QueuesProfile,
    ReplayProfile, ReplayedProcessor,
};

/// The time of a program from its launch to its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LaunchProfile {
    /// The enqueue of the program.
    pub command: CommandIndex,
    /// The replay of a trace that launched it, if one did.
    pub replay: Option<CommandIndex>,
    /// The program.
    pub program: ProgramId,
    /// When the host began with the launch.
    pub from: Tick,
    /// When the host saw its end, or gave it up.
    pub until: Tick,
    /// Whether it came to its end, and not to a fault, a deadlock or the end of its budget.
    pub completed: bool,
    /// The processors that ran in that time, in the order of tiles.
    pub processors: Vec<ProcessorProfile>,
    /// Spans that were not kept, because there were too many. Where launches overlap, one of them has those of all.
    pub dropped: u64,
    /// The dispatcher's work for the launch; nothing if the host launched the program, or the device does not tell.
    pub dispatcher: Option<DispatcherProfile>,
    /// Processors whose markers did not arrive; nothing if none were awaited.
    pub lost_markers: Option<u32>,
}

/// A dispatcher's work for a launch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DispatcherProfile {
    /// Its tile on the die.
    pub tile: PhysicalCoordinate,
    /// The times in which it executed instructions, in order. The last one may go on with the next command of its queue.
    /// Nothing where launches overlap: all of its work stands in [`QueueDispatcher`], and the part for this launch is not
    /// known.
    pub ran: Vec<Interval>,
}

/// A processor's work during a launch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProcessorProfile {
    /// The tile on the die.
    pub tile: PhysicalCoordinate,
    /// The processor of that tile.
    pub processor: Processor,
    /// From the first instruction to the last one, the firmware's included, but without its wait for the next launch.
    pub firmware: Interval,
    /// From the first instruction of a kernel to the last one; nothing where no kernel ran.
    pub kernel: Option<Interval>,
    /// Instructions of kernels that were executed. Of a loop that only waits, only the first turns count.
    pub instructions: u64,
    /// Times in which a kernel could do nothing until a word changed, by the place where it waited.
    pub waits: Vec<WaitProfile>,
    /// Instructions of kernels by the source line that they come from, most first.
    pub lines: Vec<LineProfile>,
    /// The bytes that its NoC requests moved from and to memory of other tiles.
    pub transfers: Vec<Transfers>,
    /// Its NoC requests that ended in that time, in the order of their ends.
    pub requests: Vec<NocRequest>,
    /// Its waits for units of the Tensix coprocessor.
    pub unit_waits: Vec<UnitWait>,
    /// Its markers, if its firmware or its kernel writes markers.
    pub markers: Option<ProcessorMarkers>,
}

impl ProcessorProfile {
    /// The profile of a processor of which only markers tell; nothing if its firmware has not marked its start.
    pub(crate) fn of_markers(
        tile: PhysicalCoordinate,
        processor: Processor,
        markers: ProcessorMarkers,
    ) -> Option<Self> {
        // A zone without an end lasts until the last moment that is known.
        let last = markers.last();
        let until_last = |zone: &ZoneProfile| {
            let until = zone.until.or(last).unwrap_or(zone.from).max(zone.from);
            Interval { from: zone.from, until }
        };
        Some(Self {
            tile,
            processor,
            firmware: until_last(markers.firmware.as_ref()?),
            kernel: markers.kernel.as_ref().map(until_last),
            instructions: 0,
            waits: Vec::new(),
            lines: Vec::new(),
            transfers: Vec::new(),
            requests: Vec::new(),
            unit_waits: Vec::new(),
            markers: Some(markers),
        })
    }
}

/// A time from a moment to another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Interval {
    /// The first tick.
    pub from: Tick,
    /// The first tick that no longer belongs to it.
    pub until: Tick,
}

impl Interval {
    /// How many ticks it lasts.
    pub const fn ticks(self) -> u64 {
        self.until.since(self.from)
    }
}

/// The waits at one place of a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WaitProfile {
    /// The source lines of the loop that waits, the outermost function first; nothing without a line table.
    pub frames: Vec<SourceFrame>,
    /// The word that it waits for.
    pub address: u64,
    /// Its length in all.
    pub ticks: u64,
    /// Each time, in its order.
    pub spans: Vec<Interval>,
}

/// The instructions executed of one source line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LineProfile {
    /// The line, and the lines with the calls that led there, the outermost function first.
    pub frames: Vec<SourceFrame>,
    /// Instructions.
    pub instructions: u64,
}
