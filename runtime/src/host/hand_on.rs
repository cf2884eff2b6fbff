//! Hands on to the engine what calls have become, waits for it, and says what came of it.

use std::collections::BTreeMap;

use hallmark_chip::SharedRange;
use hallmark_engine::queue::{Progress, QUEUES, QueueRace, Until};
use hallmark_engine::{CompletedRead, Engine, NotObserved, Observer, Stop, StopCause, Stopped};
use hallmark_schema::commands::{Command, Finish, Synchronize};
use hallmark_schema::model::{CommandIndex, CommandKind, ContentHash, EventId, Failure, QueueId};

use super::call::Perform;
use super::device::Backend;
use super::types::CommandQueue;
use super::{Device, Host};
use crate::InternalError;
use crate::defects::{Defect, planted};
use crate::error::{CallError, HostError};
use crate::payload::Input;
use crate::recorder::{CaptureError, Recorder};

/// Records what happens while the engine works.
pub(super) struct Recording<'a> {
    recorder: &'a mut Recorder,
    reads: &'a mut BTreeMap<CommandIndex, CompletedRead>,
    /// Why something could not be recorded: the first of several.
    failed: Option<CaptureError>,
}

impl<'a> Recording<'a> {
    pub(super) const fn new(
        recorder: &'a mut Recorder,
        reads: &'a mut BTreeMap<CommandIndex, CompletedRead>,
    ) -> Self {
        Self { recorder, reads, failed: None }
    }

    fn noted(&mut self, result: Result<(), CaptureError>) -> Result<(), NotObserved> {
        result.map_err(|error| {
            self.failed.get_or_insert(error);
            NotObserved
        })
    }
}

impl Observer for Recording<'_> {
    fn executing(&mut self, enqueue: CommandIndex) -> Result<(), NotObserved> {
        let recorded = self.recorder.executing(enqueue);
        self.noted(recorded)
    }

    fn read_completed(
        &mut self,
        read: CompletedRead,
        exact: Option<ContentHash>,
    ) -> Result<(), NotObserved> {
        let recorded = self.recorder.read_completed(read.command, read.buffer, exact, &read.bytes);
        self.noted(recorded)?;
        self.reads.insert(read.command, read);
        Ok(())
    }
}

impl Device {
    /// Hands on what calls have become so far.
    pub(super) fn hand_on(&mut self) {
        for item in self.host.work.drain(..) {
            match &mut self.backend {
                Backend::Engine(engine) => engine.take(item),
                Backend::Model(queues) => queues.take(item),
            }
        }
    }

    /// Bytes that launches hold which were handed on and have not run, roughly.
    pub(super) fn queued_launches_weight(&self) -> u64 {
        match &self.backend {
            Backend::Engine(engine) => engine.queued_launches_weight(),
            Backend::Model(queues) => queues.queued_launches_weight(),
        }
    }

    pub(super) fn has_work(&self) -> bool {
        match &self.backend {
            Backend::Engine(engine) => engine.has_work(),
            Backend::Model(queues) => queues.has_work(),
        }
    }

    /// Whether an event has happened; on a modelled chip, whether it would have.
    pub(super) fn has_happened(&self, event: EventId) -> bool {
        match &self.backend {
            Backend::Engine(engine) => engine.has_happened(event),
            Backend::Model(queues) => queues.has_happened(event),
        }
    }

    pub(super) fn wait_if(
        &mut self,
        blocking: bool,
        queue: QueueId,
        index: CommandIndex,
        call: CommandKind,
    ) -> Result<(), CallError> {
        if blocking { self.wait_for_queue(queue, index, call) } else { Ok(()) }
    }

    /// Has everything done that was enqueued on a queue.
    pub(super) fn wait_for_queue(
        &mut self,
        queue: QueueId,
        index: CommandIndex,
        call: CommandKind,
    ) -> Result<(), CallError> {
        self.host.check_present(call)?;
        if !planted(Defect::WaitingTakesNoNumber) {
            self.host.take_event_number(queue);
        }
        self.run_until(Until::Empty(queue), index, call)?;
        self.host.order.host_saw(self.host.order.before_next(queue));
        self.report_races(call)
    }

    /// Has work done up to a point. A stop of the device is the outcome of this call, and the device is
    /// lost from then on.
    pub(super) fn run_until(
        &mut self,
        until: Until,
        command: CommandIndex,
        call: CommandKind,
    ) -> Result<(), CallError> {
        self.hand_on();
        match &mut self.backend {
            Backend::Engine(_) => self.drive(call, |engine, later, observer| {
                engine.run_until(until, command, later, observer)
            }),
            Backend::Model(queues) => Ok(queues.pass_until(until)?),
        }
    }

    /// Has one step done towards a point, if it is not reached.
    pub(super) fn run_one(
        &mut self,
        until: Until,
        command: CommandIndex,
        call: CommandKind,
    ) -> Result<(), CallError> {
        self.hand_on();
        match &mut self.backend {
            Backend::Engine(_) => self.drive(call, |engine, later, observer| {
                engine.run_one(until, command, later, observer)
            }),
            Backend::Model(queues) => {
                queues.pass_one(until)?;
                Ok(())
            }
        }
    }

    fn drive(
        &mut self,
        call: CommandKind,
        run: impl FnOnce(&mut Engine, [Progress; QUEUES], &mut dyn Observer) -> Result<(), Box<Stopped>>,
    ) -> Result<(), CallError> {
        let Self { host, backend: Backend::Engine(engine) } = self else { return Ok(()) };
        let later = [QueueId(0), QueueId(1)].map(|queue| host.order.before_next(queue));
        let mut recording = Recording::new(&mut host.recorder, &mut host.reads);
        let Err(stopped) = run(engine, later, &mut recording) else { return Ok(()) };
        let Stopped { stop, error } = *stopped;
        let unrecorded = recording.failed;
        let ours = error.map(|error| unrecorded.map_or(error.into(), CallError::from));
        Err(host.note_stop(call, stop, ours))
    }

    /// Reports a race between commands that the host knows to be done, if there is one.
    pub(super) fn report_races(&mut self, call: CommandKind) -> Result<(), CallError> {
        let host = self.host.order.host();
        let Backend::Engine(engine) = &mut self.backend else { return Ok(()) };
        match engine.known_race(host) {
            Some(race) => Err(race_error(&race, call).into()),
            None => Ok(()),
        }
    }
}

impl Device {
    /// `Finish`: executes everything enqueued on a queue and waits for it.
    ///
    /// # Errors
    /// [`Failure::UnknownQueue`], [`Failure::EventDuringTrace`]; [`Failure::DeviceFault`],
    /// [`Failure::Deadlock`] and [`Failure::Hang`], which name the enqueue; [`Failure::DeviceLost`] after any of these.
    pub fn finish(&mut self, queue: CommandQueue) -> Result<(), CallError> {
        self.call(Command::Finish(Finish { queue: queue.id() }), Input::Nothing)
    }
}

impl Perform for Finish {
    fn perform(self, device: &mut Device, index: CommandIndex, _: Input) -> Result<(), CallError> {
        let Self { queue } = self;
        let fail = |failure| HostError::new(CommandKind::Finish, failure);
        device.host.check_queue(queue).map_err(fail)?;
        let during = Failure::EventDuringTrace { queue };
        device.host.check_no_capture(queue, during).map_err(fail)?;
        device.wait_for_queue(queue, index, CommandKind::Finish)
    }
}

impl Device {
    /// `Synchronize`: executes everything enqueued on every queue and waits for it, as
    /// [`Device::finish`] does for one queue after the other.
    ///
    /// # Errors
    /// [`Failure::EventDuringTrace`] for a queue that records a trace, before any queue is waited for;
    /// then as [`Device::finish`].
    pub fn synchronize(&mut self) -> Result<(), CallError> {
        self.call(Synchronize {}.into(), Input::Nothing)
    }
}

impl Perform for Synchronize {
    fn perform(self, device: &mut Device, index: CommandIndex, _: Input) -> Result<(), CallError> {
        let call = CommandKind::Synchronize;
        let queues = || (0..device.host.num_command_queues).map(QueueId);
        for queue in queues() {
            let during = Failure::EventDuringTrace { queue };
            let checked = device.host.check_no_capture(queue, during);
            checked.map_err(|failure| HostError::new(call, failure))?;
        }
        for queue in queues().collect::<Vec<_>>() {
            device.wait_for_queue(queue, index, call)?;
        }
        Ok(())
    }
}

impl Host {
    /// Notes that the device has stopped in a call, and gives the error of the call.
    fn note_stop(
        &mut self,
        call: CommandKind,
        mut stop: Stop,
        ours: Option<CallError>,
    ) -> CallError {
        if let (Some(error), StopCause::Internal { reason }) = (&ours, &mut stop.cause) {
            *reason = error.to_string();
        }
        let stop = self.stop.insert(stop);
        match (ours, stop.failure()) {
            (Some(error), _) => error,
            (None, Some(failure)) => match self.recorder.stopped(stop) {
                Ok(()) => HostError::new(call, failure).detail(stop.describe()).into(),
                Err(error) => error.into(),
            },
            (None, None) => {
                let what = format!("before any program ran: {}", stop.describe());
                InternalError::new(what).into()
            }
        }
    }
}

fn race_error(race: &QueueRace, call: CommandKind) -> HostError {
    let ((first, from), (second, to)) = (race.first(), race.second());
    let SharedRange { tile, start, end } = race.shared;
    let detail = format!(
        "both touch {start:#x}–{:#x} of tile {tile}; an event recorded on queue {} after command \
         {first}, and waited for on queue {} before command {second}, would order them",
        end.saturating_sub(1),
        from.queue,
        to.queue
    );
    HostError::new(call, Failure::QueueRace { first, second }).detail(detail)
}
