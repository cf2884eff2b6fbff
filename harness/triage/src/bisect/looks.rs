//! The places where memory is read, and the commands that could have changed it.

use std::collections::{BTreeMap, BTreeSet};

use hallmark_schema::commands::{self, Wait};
use hallmark_schema::model::{
    Command, CommandIndex, Expectation, Outcome, ProgramPart, QueueId, RecordedCommand,
};

use hallmark_execution::worker::state::LOOK_BUDGET;

/// The number of bytes that a run reads; for a larger capture, later runs read the rest.
const BUDGET: u64 = LOOK_BUDGET;

/// Whether a device executes a call, which may change memory or the result of a read. The end of a trace's
/// capture stands for the calls in the trace: none of them may change anything.
pub(super) const fn is_on_device(command: &Command) -> bool {
    matches!(
        command,
        Command::EnqueueWriteBuffer(_)
            | Command::EnqueueProgram(_)
            | Command::EndTraceCapture(_)
            | Command::ReplayTrace(_)
            | Command::EnqueueReadBuffer(_)
    )
}

/// Each call, with whether a device executes it: the calls in a trace are executed only when it is replayed.
fn calls(program: &ProgramPart) -> impl Iterator<Item = (CommandIndex, &RecordedCommand, bool)> {
    let mut traced: BTreeSet<QueueId> = BTreeSet::new();
    (0..).map(CommandIndex).zip(&program.commands).map(move |(at, recorded)| {
        match &recorded.command {
            Command::BeginTraceCapture(commands::BeginTraceCapture { queue, .. }) => {
                traced.insert(*queue);
            }
            Command::EndTraceCapture(commands::EndTraceCapture { queue, .. }) => {
                traced.remove(queue);
            }
            _ => {}
        }
        let is_traced = recorded.command.queue().is_some_and(|queue| traced.contains(&queue));
        (at, recorded, is_on_device(&recorded.command) && !is_traced)
    })
}

/// The calls of a bracket, behind its first place up to its last, that a device carries out; reads only if asked for.
pub(crate) fn device_commands(
    program: &ProgramPart,
    (after, until): (Option<CommandIndex>, CommandIndex),
    with_reads: bool,
) -> Vec<CommandIndex> {
    let is_read =
        |recorded: &RecordedCommand| matches!(recorded.command, Command::EnqueueReadBuffer(_));
    calls(program)
        .filter(|(at, ..)| after.is_none_or(|after| *at > after) && *at <= until)
        .filter(|(_, recorded, is_on_device)| *is_on_device && (with_reads || !is_read(recorded)))
        .map(|(at, ..)| at)
        .collect()
}

/// Whether a call belongs to a trace, so that it is executed when the trace is replayed.
pub(super) fn is_traced(program: &ProgramPart, at: CommandIndex) -> bool {
    let place = usize::try_from(at.0).unwrap_or(usize::MAX);
    let call = calls(program).nth(place);
    call.is_some_and(|(_, made, on_device)| !on_device && is_on_device(&made.command))
}

/// The last call that can affect the result of a read: the last call of another queue that a device executes
/// before the read has completed, or the read itself.
pub(super) fn completion(program: &ProgramPart, read: CommandIndex) -> CommandIndex {
    let behind = |at: CommandIndex| usize::try_from(at.0).unwrap_or(usize::MAX);
    let queue = program.commands.get(behind(read)).and_then(|made| made.command.queue());
    let waits = |made: &RecordedCommand| match made.command.waits_for() {
        Wait::Nothing | Wait::Event(_) => false,
        Wait::Queue(waited) => Some(waited) == queue,
        Wait::AllQueues => true,
    };
    calls(program)
        .skip(behind(read))
        .take_while(|(_, made, _)| !waits(made))
        .filter(|(_, made, is_on_device)| *is_on_device && made.command.queue() != queue)
        .last()
        .map_or(read, |(at, ..)| at)
}

/// The calls after which a device is idle and has worked since the previous such call, with the size of the
/// buffers allocated then, up to the budget of a snapshot.
fn resting(program: &ProgramPart) -> Vec<(u32, u64)> {
    let mut live: BTreeMap<u32, u64> = BTreeMap::new();
    let mut places = Vec::new();
    let mut changed = false;
    for (at, recorded, is_on_device) in calls(program) {
        match &recorded.command {
            Command::CreateBuffer(call) if recorded.outcome == Outcome::Done => {
                live.insert(call.buffer.0, call.size);
            }
            Command::DeallocateBuffer(call) => {
                live.remove(&call.buffer.0);
            }
            _ => {}
        }
        changed |= is_on_device;
        let is_last = usize::try_from(at.0).is_ok_and(|at| at + 1 == program.commands.len());
        if changed && (recorded.command.waits_for() != Wait::Nothing || is_last) {
            let bytes = live.values().fold(0, |sum: u64, size| sum.saturating_add(*size));
            places.push((at.0, bytes.min(LOOK_BUDGET)));
            changed = false;
        }
    }
    places
}

/// As many evenly spaced places as the budget permits, including the last one.
fn affordable(places: &[(u32, u64)]) -> Vec<u32> {
    let total = places.iter().fold(0_u64, |sum, (_, bytes)| sum.saturating_add(*bytes));
    let stride = usize::try_from(total.div_ceil(BUDGET)).unwrap_or(usize::MAX).max(1);
    places.iter().rev().step_by(stride).rev().map(|(at, _)| *at).collect()
}

/// The places of a first run's snapshots.
pub(super) fn first(program: &ProgramPart) -> Vec<u32> {
    affordable(&resting(program))
}

/// The places of the snapshots of a run about a bracket.
pub(super) fn after(
    program: &ProgramPart,
    (after, until): (Option<CommandIndex>, CommandIndex),
) -> Vec<u32> {
    let inside = |at: &u32| after.is_none_or(|after| *at > after.0) && *at <= until.0;
    let places: Vec<(u32, u64)> =
        resting(program).into_iter().filter(|(at, _)| inside(at)).collect();
    affordable(&places)
}

/// The buffers that may differ between two executors: a read of them is unchecked, or has a tolerance.
pub(super) fn open_buffers(program: &ProgramPart) -> BTreeSet<u32> {
    let calls = program.commands.iter().map(|recorded| &recorded.command);
    hallmark_pipeline::open_buffers(calls, |_, expectation| {
        matches!(expectation, Expectation::Unchecked { .. } | Expectation::Reference { .. })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_much_is_looked_at_as_the_budget_has_room_for_and_the_end_always() {
        let places = |count: u32, bytes| (0..count).map(|at| (at, bytes)).collect::<Vec<_>>();
        assert_eq!(affordable(&places(4, BUDGET / 4)), [0, 1, 2, 3]);
        assert_eq!(affordable(&places(4, BUDGET / 4 + 1)), [1, 3]);
        assert_eq!(affordable(&places(3, u64::MAX)), [2]);
        assert_eq!(affordable(&[]), [0_u32; 0]);
    }
}
