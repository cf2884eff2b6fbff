//! The call of a run that shows the failure, and the object of the failure.

use hallmark_schema::commands::Command;
use hallmark_schema::model::{Capture, CommandIndex, Failure, ObjectKind, Outcome, ReadResult};
use hallmark_schema_editing::Edited;

use super::command;
use super::slice::SeenAt;

/// The first call that shows the failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Failing {
    /// Its index in the candidate.
    pub(super) at: CommandIndex,
    /// Whether it is a read with a wrong result.
    pub(super) is_a_read: bool,
    /// The object of the failure, by its id in the candidate.
    pub(super) seen: Option<SeenAt>,
}

impl Failing {
    /// The first failing call of a run, compared with the correct run or with the candidate itself.
    pub(super) fn of(right: &Capture, run: &Capture) -> Option<Self> {
        let ends_otherwise =
            (0..).map(CommandIndex).zip(&run.program.commands).find(|(at, made)| {
                let place = usize::try_from(at.0).ok();
                let before = place.and_then(|place| right.program.commands.get(place));
                before.is_none_or(|before| before.outcome != made.outcome) || ends(&made.outcome)
            });
        let differs = reads(run).iter().find(|read| {
            let mut known = reads(right).iter().filter(|known| known.command == read.command);
            known.next().is_none_or(|known| known.hash != read.hash)
        });
        let at_call = ends_otherwise.map(|(at, made)| (at, &made.outcome));
        match (at_call, differs) {
            (Some((at, outcome)), differs) if differs.is_none_or(|read| at <= read.command) => {
                let seen = blamed(run, outcome).or_else(|| seen_by(run, at));
                Some(Self { at, is_a_read: false, seen })
            }
            (_, Some(read)) => Some(Self {
                at: read.command,
                is_a_read: true,
                seen: Some(SeenAt::Buffer(read.buffer.0)),
            }),
            (_, None) => {
                // The process died during its last command.
                let last = run.program.commands.len().checked_sub(1)?;
                let at = CommandIndex(u32::try_from(last).ok()?);
                Some(Self { at, is_a_read: false, seen: seen_by(run, at) })
            }
        }
    }
}

fn reads(capture: &Capture) -> &[ReadResult] {
    capture.record.as_ref().map_or(&[], |record| &record.reads)
}

/// Whether the outcome ends the program's work on the device.
fn ends(outcome: &Outcome) -> bool {
    match outcome {
        Outcome::Failed(failure) => failure.ends_the_run(),
        Outcome::Unfinished => true,
        Outcome::Done => false,
    }
}

/// The program that a failure blames.
fn blamed(run: &Capture, outcome: &Outcome) -> Option<SeenAt> {
    let enqueue = match outcome {
        Outcome::Failed(
            Failure::DeviceFault { enqueue, .. }
            | Failure::Deadlock { enqueue }
            | Failure::Hang { enqueue },
        ) => *enqueue,
        Outcome::Failed(_) | Outcome::Done | Outcome::Unfinished => return None,
    };
    match command(&run.program, enqueue)? {
        Command::EnqueueProgram(call) => Some(SeenAt::Program(call.program.0)),
        _ => None,
    }
}

/// The program or buffer that a call is about.
fn seen_by(run: &Capture, at: CommandIndex) -> Option<SeenAt> {
    let (kind, id) = command(&run.program, at)?.subject()?;
    match kind {
        ObjectKind::Program => Some(SeenAt::Program(id)),
        ObjectKind::Buffer => Some(SeenAt::Buffer(id)),
        ObjectKind::Kernel
        | ObjectKind::CircularBuffer
        | ObjectKind::Semaphore
        | ObjectKind::Event
        | ObjectKind::Trace => None,
    }
}

impl SeenAt {
    /// The object by its id in the original capture.
    pub(super) fn in_capture(self, edited: &Edited) -> Self {
        let original = |kind, id| edited.original_object(kind, id).unwrap_or(id);
        match self {
            Self::Buffer(id) => Self::Buffer(original(ObjectKind::Buffer, id)),
            Self::Program(id) => Self::Program(original(ObjectKind::Program, id)),
        }
    }
}
