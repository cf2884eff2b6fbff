//! Edits that replace traces by their launches.

use std::collections::{BTreeMap, BTreeSet};

use hallmark_schema::commands::{EnqueueProgram, Role};
use hallmark_schema::model::{
    Command, CommandIndex, ObjectKind, Outcome, ProgramPart, RecordedCommand, TraceId,
};

use crate::draft::{CommandSource, DraftCommand};
use crate::lifetimes::members_of_traces;

/// Replaces the replays of a trace by its launches, or changes nothing and returns `false`.
pub(crate) fn unroll(trace: TraceId, commands: &mut Vec<DraftCommand>, base: &ProgramPart) -> bool {
    if !can_be_unrolled(trace, base) {
        return false;
    }
    let members: BTreeSet<CommandIndex> = members_of_traces(base)
        .into_iter()
        .filter(|(_, of)| *of == trace)
        .map(|(index, _)| index)
        .collect();
    let mut launches = BTreeMap::new();
    let mut unrolled = Vec::with_capacity(commands.len());
    for command in commands.drain(..) {
        let position = command.source.position();
        match &command.recorded.command {
            Command::EnqueueProgram(call) if members.contains(&position) => {
                launches.insert(position, call.program);
            }
            Command::ReplayTrace(call) if call.trace == trace => {
                let last = launches.keys().next_back().copied();
                unrolled.extend(launches.iter().map(|(&enqueue, &program)| {
                    let blocking = call.blocking && last == Some(enqueue);
                    let launch = EnqueueProgram { queue: call.queue, program, blocking };
                    DraftCommand {
                        source: CommandSource::Unrolled { enqueue, replay: position },
                        recorded: RecordedCommand {
                            command: Command::EnqueueProgram(launch),
                            outcome: Outcome::Done,
                        },
                    }
                }));
            }
            other if refers_to(other, trace) => {}
            _ => unrolled.push(command),
        }
    }
    *commands = unrolled;
    true
}

fn refers_to(command: &Command, trace: TraceId) -> bool {
    let mut refers = false;
    command.for_each_reference(|_, kind, id| {
        refers |= (kind, id) == (ObjectKind::Trace, trace.0);
    });
    refers
}

/// Whether the launches of a trace have the same effect in place of its replays.
fn can_be_unrolled(trace: TraceId, base: &ProgramPart) -> bool {
    let members = members_of_traces(base);
    let of_trace = |index| members.get(&index) == Some(&trace);
    let mut was_captured = false;
    let mut programs = BTreeSet::new();
    let mut kernels = BTreeMap::new();
    let mut circular_buffers = BTreeMap::new();
    for (index, recorded) in (0..).map(CommandIndex).zip(&base.commands) {
        let is_done = recorded.outcome == Outcome::Done;
        match &recorded.command {
            Command::CreateKernel(call) => {
                kernels.insert(call.kernel, call.program);
            }
            Command::CreateCircularBuffer(call) => {
                circular_buffers.insert(call.circular_buffer, call.program);
            }
            Command::BeginTraceCapture(call) if call.trace == trace => was_captured = is_done,
            Command::EnqueueProgram(call) if of_trace(index) => {
                programs.insert(call.program);
            }
            Command::CollectTrace(call) if call.trace == trace => return false,
            other if refers_to(other, trace) && !is_done => return false,
            other => {
                let mut changed = Vec::new();
                other.for_each_reference(|role, kind, id| {
                    if role == Role::Uses {
                        changed.push((kind, id));
                    }
                });
                let program = changed.first().and_then(|&(kind, id)| match kind {
                    ObjectKind::Kernel => {
                        kernels.iter().find(|(kernel, _)| kernel.0 == id).map(|(_, of)| *of)
                    }
                    ObjectKind::CircularBuffer => {
                        let mut all = circular_buffers.iter();
                        all.find(|(circular_buffer, _)| circular_buffer.0 == id).map(|(_, of)| *of)
                    }
                    ObjectKind::Buffer
                    | ObjectKind::Program
                    | ObjectKind::Semaphore
                    | ObjectKind::Event
                    | ObjectKind::Trace => None,
                });
                if program.is_some_and(|program| programs.contains(&program)) {
                    return false;
                }
            }
        }
    }
    was_captured
}
