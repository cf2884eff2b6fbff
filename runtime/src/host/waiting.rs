//! Has work done up to a point, and turns a stop of the device into the outcome of a call.

use hallmark_chip::SharedRange;
use hallmark_engine::queue::{QueueRace, Until};
use hallmark_engine::{Stop, StopCause, Stopped};
use hallmark_schema::model::{CommandIndex, CommandKind, Failure, QueueId};

use super::backend::{Backend, Goal, ReadsOfWork, Recording};
use super::call_log::CallLog;
use super::queues::Queues;
use super::reads::Reads;
use crate::InternalError;
use crate::defects::{Defect, planted};
use crate::error::{CallError, HostError, StoppedBeforeAnyProgram};

/// Has all work done that was enqueued on a queue.
pub(super) fn wait_for_queue(
    backend: &mut Backend,
    queues: &mut Queues,
    reads: &mut Reads,
    calls: &mut CallLog,
    queue: QueueId,
    index: CommandIndex,
    call: CommandKind,
) -> Result<(), CallError> {
    queues.check_present(call)?;
    if !planted(Defect::WaitingTakesNoNumber) {
        queues.take_event_number(queue);
    }
    let goal = Goal::Reach(Until::Empty(queue));
    work(backend, queues, reads, calls, goal, index, call)?;
    queues.host_saw(queues.before_next(queue));
    report_races(backend, queues, call)
}

/// Has work done as far as a call asks. A stop of the device is the outcome of this call, and the device is
/// lost from then on.
pub(super) fn work(
    backend: &mut Backend,
    queues: &mut Queues,
    reads: &mut Reads,
    calls: &mut CallLog,
    goal: Goal,
    command: CommandIndex,
    call: CommandKind,
) -> Result<(), CallError> {
    backend.take_work(queues);
    let engine = match backend {
        Backend::Engine(engine) => engine,
        Backend::Model(modelled) => {
            match goal {
                Goal::Reach(until) | Goal::Drain(until) => modelled.pass_until(until)?,
                Goal::Approach(until) => {
                    modelled.pass_one(until)?;
                }
            }
            return Ok(());
        }
    };
    let later = [QueueId(0), QueueId(1)].map(|queue| queues.before_next(queue));
    let returned = match goal {
        Goal::Reach(_) | Goal::Approach(_) => ReadsOfWork::Returned,
        Goal::Drain(_) => ReadsOfWork::Dropped,
    };
    let mut recording = Recording::new(calls.recorder(), reads, returned);
    let ran = match goal {
        Goal::Reach(until) | Goal::Drain(until) => {
            engine.run_until(until, command, later, &mut recording)
        }
        Goal::Approach(until) => engine.run_one(until, command, later, &mut recording),
    };
    let Err(stopped) = ran else { return Ok(()) };
    let Stopped { mut stop, error } = *stopped;
    match goal {
        Goal::Reach(_) | Goal::Approach(_) => {}
        // No call has met the stop.
        Goal::Drain(_) => stop.command = stop.enqueue.unwrap_or(stop.command),
    }
    let unrecorded = recording.into_error();
    let ours = error.map(|error| unrecorded.map_or(error.into(), CallError::from));
    Err(note_stop(queues, calls, call, stop, ours))
}

/// Reports a race between commands that the host knows to be done, if there is one.
pub(super) fn report_races(
    backend: &mut Backend,
    queues: &Queues,
    call: CommandKind,
) -> Result<(), CallError> {
    let Backend::Engine(engine) = backend else { return Ok(()) };
    match engine.known_race(queues.known_to_host()) {
        Some(race) => Err(race_error(&race, call).into()),
        None => Ok(()),
    }
}

/// Notes that the device has stopped in a call, and gives the error of the call.
fn note_stop(
    queues: &mut Queues,
    calls: &mut CallLog,
    call: CommandKind,
    mut stop: Stop,
    ours: Option<CallError>,
) -> CallError {
    if let (Some(error), StopCause::Internal { reason }) = (&ours, &mut stop.cause) {
        *reason = error.to_string();
    }
    let stop = queues.lose(stop);
    match (ours, stop.failure()) {
        (Some(error), _) => error,
        (None, Some(failure)) => match calls.recorder().stopped(stop) {
            Ok(()) => HostError::new(call, failure).detail(stop.describe()).into(),
            Err(error) => error.into(),
        },
        (None, None) => {
            let how = stop.describe();
            match stop.cause {
                StopCause::Fault(_) | StopCause::Deadlock { .. } | StopCause::Hang { .. } => {
                    StoppedBeforeAnyProgram { how }.into()
                }
                StopCause::Lost { .. }
                | StopCause::Internal { .. }
                | StopCause::Captured { .. } => InternalError::new(how).into(),
            }
        }
    }
}

fn race_error(race: &QueueRace, call: CommandKind) -> HostError {
    let ((first, from), (second, to)) = (race.first(), race.second());
    let SharedRange { tile, start, end } = race.shared;
    let last = race.last_of_queue;
    let last = if last == first {
        format!("command {first}")
    } else {
        format!("command {last}, the last of its commands that touch what command {second} does")
    };
    let detail = format!(
        "both touch {start:#x}–{:#x} of tile {tile}; an event recorded on queue {} after {last}, and waited for on queue \
         {} before command {second}, would order them",
        end.saturating_sub(1),
        from.queue,
        to.queue
    );
    HostError::new(call, Failure::QueueRace { first, second }).detail(detail)
}
