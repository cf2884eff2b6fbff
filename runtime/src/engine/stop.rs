//! Why no more work is done: what a lost device leaves to be said.

use hallmark_chip::{LogicalCore, PhysicalCoordinate, Processor};
use hallmark_schema::model::{CommandIndex, FaultRecord, WaitRecord};

/// Why the device is lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stop {
    /// The synchronizing call that met it.
    pub command: CommandIndex,
    /// The program launched last, by its enqueue, if any was.
    pub enqueue: Option<CommandIndex>,
    /// What happened, for people.
    pub reason: String,
    /// The fault, if it was one.
    pub fault: Option<FaultRecord>,
    /// The waiting cores of a deadlock.
    pub waits: Vec<WaitRecord>,
    /// The same as the device said it, with last writers.
    pub waiting: Vec<hallmark_chip::Waiting>,
    /// Cores that were still running when a program's budget was spent, where the device can tell.
    pub running: Vec<RunningCore>,
    /// The logical cores that had not finished then.
    pub unfinished: Vec<LogicalCore>,
}

/// A core that was still running.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunningCore {
    /// The tile on the die.
    pub tile: PhysicalCoordinate,
    /// The processor.
    pub processor: Processor,
    /// Where it stood.
    pub pc: u32,
    /// The function that the pc lies in, if its ELF has a symbol.
    pub symbol: Option<String>,
}
