//! A program that stops the device may only suffer from a command that cannot be separated from it, such as a
//! program that it synchronizes with. On the good side, that command writes the word that the stopped program
//! waits for or finds unwritten.

use hallmark_chip::{FaultMemory, LastWriter, PhysicalCoordinate, TileAddress, Waiting};
use hallmark_execution::worker::state::StateJob;
use hallmark_execution::worker::writers::{WatchedByte, WatchedMemory};
use hallmark_pipeline::enqueues_on;
use hallmark_runtime::{LastWrite, Stop, StopCause};
use hallmark_schema::commands;
use hallmark_schema::model::{Capture, Command, CommandIndex, Outcome};
use hallmark_schema_editing::Edited;

use super::Bisecting;
use super::sign::Found;
use super::written::{History, Written};

/// The largest number of awaited words that are examined: each takes a run of both sides.
const MOST_WORDS: usize = 2;

/// A command whose write does not happen on the bad side.
pub(super) struct MissingWrite {
    /// The command.
    pub(super) command: CommandIndex,
    /// The last writer of the word on each side.
    pub(super) written: Vec<Written>,
}

impl Bisecting<'_> {
    /// The first command that writes the memory which stopped the bad side, but does not write it on the bad
    /// side. `None` if that is the command that the device blames.
    pub(super) fn missing_write(&self, candidate: &Edited, found: &Found) -> Option<MissingWrite> {
        // A run from the log does not contain the place of its stop.
        let run = self.side(candidate, self.bad, StateJob::default()).ok()?;
        let stop = run.executed.as_ref()?.report.stop.as_deref()?;
        memory_of(stop).into_iter().take(MOST_WORDS).find_map(|(tile, address)| {
            let memory = WatchedMemory::Tile { tile, address };
            let histories = self.histories(candidate, WatchedByte { memory, until: found.at.0 });
            let command = first_missing(&candidate.capture, &histories)?;
            let is_another = Some(command) != found.blamed && command < found.at;
            is_another.then(|| MissingWrite {
                command,
                written: histories.into_iter().map(|history| history.last(candidate)).collect(),
            })
        })
    }
}

/// The memory of a stop: the first byte of a fault, or the words that cores wait for.
fn memory_of(stop: &Stop) -> Vec<(PhysicalCoordinate, TileAddress)> {
    let mut memory: Vec<_> = match &stop.cause {
        StopCause::Fault(fault) => {
            let memory = fault.memory.as_deref().into_iter();
            memory.map(|FaultMemory { tile, address, .. }| (*tile, *address)).collect()
        }
        StopCause::Deadlock { waiting } => {
            waiting.iter().map(|Waiting { tile, address, .. }| (*tile, *address)).collect()
        }
        StopCause::Hang { .. }
        | StopCause::Lost { .. }
        | StopCause::Internal { .. }
        | StopCause::Captured { .. } => Vec::new(),
    };
    memory.dedup();
    memory
}

/// The first command that writes on the good side but not on the bad one.
fn first_missing(capture: &Capture, histories: &[History]) -> Option<CommandIndex> {
    let of = |is_good| histories.iter().find(|history| history.is_good == is_good);
    let good = commands_of(capture, &of(true)?.writes);
    let bad = commands_of(capture, &of(false)?.writes);
    let shared = good.iter().zip(&bad).take_while(|(one, other)| one == other).count();
    good.get(shared).copied().flatten()
}

/// The commands that made the writes, as far as known; consecutive writes of one command count once.
fn commands_of(capture: &Capture, writes: &[LastWrite]) -> Vec<Option<CommandIndex>> {
    let mut commands: Vec<_> = writes.iter().map(|write| command_of(capture, write)).collect();
    commands.dedup();
    commands
}

/// The command that made a write. If dispatchers execute commands, it is the command of the only program with a
/// kernel on the writer's core.
fn command_of(capture: &Capture, write: &LastWrite) -> Option<CommandIndex> {
    if write.command.is_some() {
        return write.command;
    }
    let LastWriter::Core(position) = &write.writer else { return None };
    match enqueues_on(capture, position).as_slice() {
        [enqueue] => replay_of(capture, *enqueue),
        _ => None,
    }
}

/// The call that executes an enqueue: itself, or the only replay of the trace that contains it.
fn replay_of(capture: &Capture, enqueue: CommandIndex) -> Option<CommandIndex> {
    let commands = &capture.program.commands;
    let place = usize::try_from(enqueue.0).ok()?;
    let queue = commands.get(place)?.command.queue()?;
    let begun = |made: &Command| match made {
        Command::BeginTraceCapture(commands::BeginTraceCapture { queue: of, trace, .. })
            if *of == queue =>
        {
            Some(Some(*trace))
        }
        Command::EndTraceCapture(commands::EndTraceCapture { queue: of, .. }) if *of == queue => {
            Some(None)
        }
        _ => None,
    };
    let mut before = commands.iter().take(place).rev();
    let in_trace = before.find_map(|made| match made.outcome {
        Outcome::Done => begun(&made.command),
        Outcome::Failed(_) | Outcome::Unfinished => None,
    });
    let Some(Some(trace)) = in_trace else { return Some(enqueue) };
    let calls = (0..).map(CommandIndex).zip(commands);
    let mut replays = calls.filter(|(_, made)| match &made.command {
        Command::ReplayTrace(call) => call.trace == trace && made.outcome == Outcome::Done,
        _ => false,
    });
    let (replay, _) = replays.next()?;
    replays.next().is_none().then_some(replay)
}
