//! How a device stops. The code that meets a stop gives a [`RawStop`]. The engine adds functions, source lines and the
//! command to blame, and gives the host a [`Stopped`] with the [`Stop`] that reports show. A device that has stopped is
//! not used again.

use std::fmt::{self, Write as _};

use hallmark_chip::{
    DeviceError, Fault, FaultPlace, LogicalCore, Position, Processor, SourceFrame, Waiting,
};
use hallmark_schema::model::{CommandIndex, Failure};
use serde::{Deserialize, Serialize};

use crate::InternalError;
use crate::observer::NotObserved;
use crate::trace::ReplayedTrace;

/// Cores named in one sentence.
const SHOWN_CORES: usize = 4;

/// A stop as the code that meets it knows it.
#[derive(Debug)]
pub(crate) enum RawStop {
    /// The device's error.
    Device(DeviceError),
    /// Every running core waits for another.
    Deadlock(Vec<Waiting>),
    /// A program's budget was spent.
    Hang(Unfinished),
    /// The runtime contradicted itself.
    Internal(InternalError),
    /// The observer could not note the work.
    NotObserved,
}

/// A program that did not end.
#[derive(Debug)]
pub(crate) struct Unfinished {
    /// The ticks that it took.
    pub(crate) ticks: u64,
    /// Cores that have not finished.
    pub(crate) cores: Vec<LogicalCore>,
}

impl From<DeviceError> for RawStop {
    fn from(error: DeviceError) -> Self {
        Self::Device(error)
    }
}

impl From<Fault> for RawStop {
    fn from(fault: Fault) -> Self {
        Self::Device(fault.into())
    }
}

impl From<InternalError> for RawStop {
    fn from(error: InternalError) -> Self {
        Self::Internal(error)
    }
}

impl From<NotObserved> for RawStop {
    fn from(_: NotObserved) -> Self {
        Self::NotObserved
    }
}

/// The program to blame for a stop: device programs break rules, so that it is the one launched last.
#[derive(Clone, Debug, Default)]
pub(crate) struct LastLaunch {
    /// The enqueue of the program that was launched last; nothing if none was.
    pub(crate) enqueue: Option<CommandIndex>,
    /// The replay that the chip works on, if it works on one.
    pub(crate) replaying: Option<ReplayedTrace>,
}

/// The device has stopped, so that work did not end.
#[derive(Debug)]
pub struct Stopped {
    /// For the call that met the stop, and for reports.
    pub stop: Stop,
    /// Our own error, if the stop was our doing.
    pub error: Option<InternalError>,
}

/// A device has stopped: the cause, and the calls concerned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stop {
    /// The synchronizing call that met the stop.
    pub command: CommandIndex,
    /// The program launched last, by its enqueue, if any was.
    pub enqueue: Option<CommandIndex>,
    /// The replay of a trace that the device worked on, if it worked on one.
    pub replaying: Option<TraceReplay>,
    /// Why the device stopped.
    pub cause: StopCause,
    /// What the kernels of the cores concerned have left for the report.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub leftovers: Vec<Leftover>,
}

/// What a kernel has left.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Leftover {
    /// The core.
    pub core: LogicalCore,
    /// The processor of the core.
    pub processor: Processor,
    /// The last waypoint that it came to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waypoint: Option<String>,
    /// The last values that it pushed, the last one first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<u32>,
}

/// A replay of a trace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TraceReplay {
    /// The call that replays it.
    pub command: CommandIndex,
    /// The trace's name.
    pub trace: String,
}

/// The cause of a stop.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum StopCause {
    /// A device program broke a rule.
    Fault(Fault),
    /// Every running core waits for another.
    Deadlock {
        /// The waiting cores.
        waiting: Vec<Waiting>,
    },
    /// A program's budget was spent.
    Hang {
        /// The ticks that the program might take.
        ticks: u64,
        /// Cores that were still running, where the device can tell.
        running: Vec<Position>,
        /// The logical cores that had not finished.
        unfinished: Vec<LogicalCore>,
    },
    /// The device died, or does not answer.
    Lost {
        /// The symptom.
        reason: String,
    },
    /// The runtime or the recorder failed; neither the host program nor the device is to blame.
    Internal {
        /// The contradiction.
        reason: String,
    },
    /// Nothing ran: the capture whose calls are made on a modelled chip stopped here.
    Captured {
        /// The captured failure: `a fault`, `a hang`.
        what: String,
    },
}

impl fmt::Display for StopCause {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fault(fault) => fault.fmt(formatter),
            Self::Deadlock { waiting } => {
                write!(formatter, "{} cores wait for each other", waiting.len())
            }
            Self::Hang { ticks, .. } => write!(formatter, "not finished after {ticks} ticks"),
            Self::Lost { reason } | Self::Internal { reason } => formatter.write_str(reason),
            Self::Captured { what } => write!(formatter, "the capture says that it met {what}"),
        }
    }
}

/// The cause, without places.
impl fmt::Display for Stop {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.cause.fmt(formatter)?;
        match &self.replaying {
            Some(TraceReplay { command, trace }) => {
                write!(formatter, ", while command {command} replays trace `{trace}`")
            }
            None => Ok(()),
        }
    }
}

impl Stop {
    /// The fault, if a fault stopped the device.
    pub const fn fault(&self) -> Option<&Fault> {
        match &self.cause {
            StopCause::Fault(fault) => Some(fault),
            StopCause::Deadlock { .. }
            | StopCause::Hang { .. }
            | StopCause::Lost { .. }
            | StopCause::Internal { .. }
            | StopCause::Captured { .. } => None,
        }
    }

    /// The failure of the call that met the stop. `None` if no program of the host's is to blame.
    pub fn failure(&self) -> Option<Failure> {
        let blamed = self.enqueue;
        match &self.cause {
            StopCause::Fault(fault) => {
                blamed.map(|enqueue| Failure::DeviceFault { category: fault.category, enqueue })
            }
            StopCause::Deadlock { .. } => blamed.map(|enqueue| Failure::Deadlock { enqueue }),
            StopCause::Hang { .. } => blamed.map(|enqueue| Failure::Hang { enqueue }),
            StopCause::Lost { .. } => Some(Failure::DeviceLost {}),
            StopCause::Internal { .. } | StopCause::Captured { .. } => None,
        }
    }

    /// Drops what kernels have left, source lines, awaited values, writes that lowered a word and the memory that a fault names: readers of the capture format 1.0 do not
    /// know them.
    pub fn forget_additions(&mut self) {
        self.leftovers.clear();
        match &mut self.cause {
            StopCause::Fault(Fault { category: _, reason: _, place, against, memory }) => {
                *memory = None;
                for place in place.iter_mut().chain(against) {
                    place.frames.clear();
                }
            }
            StopCause::Deadlock { waiting } => {
                for wait in waiting {
                    wait.frames.clear();
                    wait.awaited = None;
                    wait.lowered = None;
                }
            }
            StopCause::Hang { ticks: _, running, unfinished: _ } => {
                running.iter_mut().for_each(|at| at.frames.clear());
            }
            StopCause::Lost { .. } | StopCause::Internal { .. } | StopCause::Captured { .. } => {}
        }
    }

    /// The cause and its places, in one sentence.
    pub fn describe(&self) -> String {
        let mut text = self.to_string();
        match &self.cause {
            StopCause::Fault(Fault { place, against, .. }) => {
                if let Some(place) = place {
                    text.push_str(&format!(", at {}", described(place)));
                }
                if let Some(against) = against {
                    text.push_str(&format!(", against {}", described(against)));
                }
            }
            StopCause::Deadlock { waiting } => {
                for Waiting {
                    tile,
                    processor,
                    pc,
                    address,
                    value,
                    symbol,
                    frames,
                    awaited,
                    last_writer: _,
                    lowered: _,
                } in waiting.iter().take(SHOWN_CORES)
                {
                    let function = function(symbol.as_deref(), frames);
                    // Formatting into a string cannot fail.
                    let _ = write!(
                        text,
                        "; {tile} {processor} pc {pc:#x}{function} reads {value} at {address}"
                    );
                    if let Some(awaited) = awaited {
                        let _ = write!(text, ", awaits {awaited}");
                    }
                }
            }
            StopCause::Hang { running, unfinished, .. } => {
                for Position { tile, processor, pc, symbol, frames } in
                    running.iter().take(SHOWN_CORES)
                {
                    let function = function(symbol.as_deref(), frames);
                    let _ = write!(text, "; {tile} {processor} pc {pc:#x}{function}");
                }
                if running.is_empty() {
                    for core in unfinished.iter().take(SHOWN_CORES) {
                        let _ = write!(text, "; core {core} has not finished");
                    }
                }
            }
            StopCause::Lost { .. } | StopCause::Internal { .. } | StopCause::Captured { .. } => {}
        }
        text
    }
}

/// ` in kernel_main, copy.cpp:14`: the line is the outermost function's, which is the kernel's own.
fn function(symbol: Option<&str>, frames: &[SourceFrame]) -> String {
    let mut text = symbol.map_or_else(String::new, |symbol| format!(" in {symbol}"));
    if let Some(frame) = frames.first() {
        let _ = write!(text, ", {}:{}", frame.file_name(), frame.line);
    }
    text
}

/// `tile (2,3) BRISC pc 0x4a1c in kernel_main, copy.cpp:14`, without the parts that are not known.
fn described(place: &FaultPlace) -> String {
    let mut text = format!("tile {}", place.tile);
    if let Some(processor) = place.processor {
        let _ = write!(text, " {processor}");
    }
    if let Some(pc) = place.pc {
        let _ = write!(text, " pc {pc:#x}");
    }
    text.push_str(&function(place.symbol.as_deref(), &place.frames));
    text
}

#[cfg(test)]
mod tests {
    use hallmark_chip::{Awaited, PhysicalCoordinate, TileAddress};

    use super::*;

    fn deadlock() -> Stop {
        let wait = Waiting {
            tile: PhysicalCoordinate { x: 1, y: 2 },
            processor: Processor::Ncrisc,
            pc: 0x1_7d00,
            address: TileAddress(0x3200),
            value: 3,
            awaited: Some(Awaited::Range { bits: 32, first: 2, last: 2 }),
            last_writer: None,
            lowered: None,
            symbol: Some("kernel_main".to_owned()),
            frames: vec![SourceFrame {
                function: "kernel_main".to_owned(),
                file: "kernels/wait.cpp".to_owned(),
                line: 7,
            }],
        };
        Stop {
            command: CommandIndex(5),
            enqueue: Some(CommandIndex(4)),
            replaying: None,
            cause: StopCause::Deadlock { waiting: vec![wait] },
            leftovers: Vec::new(),
        }
    }

    #[test]
    fn a_sentence_says_what_is_awaited() {
        let text = deadlock().describe();
        let wait = "pc 0x17d00 in kernel_main, wait.cpp:7 reads 3 at 0x3200, awaits exactly 2";
        assert!(text.ends_with(wait), "{text}");
    }
}
