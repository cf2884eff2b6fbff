//! Execution of commands by the host itself, and how it ends early.

use std::collections::BTreeSet;
use std::sync::Arc;

use hallmark_chip::{DeviceError, Footprint, PhysicalCoordinate, SharedRange};
use hallmark_schema::model::{CommandIndex, CommandKind, Failure, QueueId};

use super::defects::{Defect, planted};
use super::{Executed, Next, QueuedWork, Step, Until, Work};
use crate::dispatch::{LaunchEnd, PendingRead, ProgramLaunch, Unfinished};
use crate::error::{CallError, HostError};
use crate::host::CompletedRead;
use crate::trace::TracedLaunch;
use crate::{Device, InternalError, Stop};

/// How executing one item ended early.
pub(crate) enum Halt {
    Device(DeviceError),
    Deadlock(Vec<hallmark_chip::Waiting>),
    Hang(Unfinished),
    Internal(InternalError),
    Capture(crate::recorder::CaptureError),
}

impl From<DeviceError> for Halt {
    fn from(error: DeviceError) -> Self {
        Self::Device(error)
    }
}

impl From<InternalError> for Halt {
    fn from(error: InternalError) -> Self {
        Self::Internal(error)
    }
}

impl From<crate::recorder::CaptureError> for Halt {
    fn from(error: crate::recorder::CaptureError) -> Self {
        Self::Capture(error)
    }
}

impl Device {
    /// Executes what a queue holds up to a point, and of the other one what must come before. What halts
    /// the device is the outcome of this call, and the device is lost from then on.
    pub(crate) fn run_until(
        &mut self,
        until: Until,
        command: CommandIndex,
        call: CommandKind,
    ) -> Result<(), CallError> {
        while self.step_towards(until, command, call)? {}
        self.settled(command, call)
    }

    /// Takes one step towards a point; false if it is reached.
    pub(crate) fn run_one(
        &mut self,
        until: Until,
        command: CommandIndex,
        call: CommandKind,
    ) -> Result<bool, CallError> {
        let stepped = self.step_towards(until, command, call)?;
        self.settled(command, call)?;
        Ok(stepped)
    }

    fn step_towards(
        &mut self,
        until: Until,
        command: CommandIndex,
        call: CommandKind,
    ) -> Result<bool, CallError> {
        let result = match self.queue.step(until, &mut self.schedule) {
            Ok(None) => return Ok(false),
            Ok(Some(Step::Annotate(..))) if self.on_paper => Ok(()),
            Ok(Some(Step::Run(next))) if self.on_paper => {
                if let Work::RecordEvent(event) = next.work {
                    self.queue.happens(event);
                }
                Ok(())
            }
            Ok(Some(Step::Annotate(extent, meaning))) => self.announce_extent(&extent, meaning),
            Ok(Some(Step::Run(next))) => self.run_next(next),
            Err(stuck) => Err(stuck.into()),
        };
        match result {
            Ok(()) => Ok(true),
            Err(halt) => Err(self.halt(command, call, halt)),
        }
    }

    /// What a dispatcher was given is done.
    fn settled(&mut self, command: CommandIndex, call: CommandKind) -> Result<(), CallError> {
        self.settle().map_err(|halt| self.halt(command, call, halt))
    }

    /// Executes a command and notes what it touches.
    fn run_next(&mut self, next: Next) -> Result<(), Halt> {
        let Next { command, place, before, work } = next;
        self.serve(place.queue);
        if self.num_command_queues == 1 {
            return self.run_work(command, work);
        }
        let mut touched = match &work {
            Work::Write { extent, .. } => self.extent_footprint(extent, true),
            Work::Read { extent, .. } => self.extent_footprint(extent, false),
            Work::Launch(_) | Work::Replay(_) | Work::RecordEvent(_) | Work::WaitForEvent(_) => {
                Footprint::default()
            }
        };
        let tiles = self.tiles_of(&work);
        let mut work = Some(work);
        // What was touched before is nobody's.
        if !tiles.is_empty() && self.chip.footprint().is_some() {
            if let Some(work) = work.take() {
                self.run_work(command, work)?;
                self.settle()?;
            }
            for (issuer, by_device) in self.chip.footprint().unwrap_or_default() {
                if tiles.contains(&issuer) {
                    touched.join(&by_device);
                }
            }
            // The tiles of dispatchers are no memory of programs.
            let description = self.chip.description();
            let (columns, rows) = description.compute_grid();
            touched.retain(|tile| {
                let core = description.logical(tile);
                core.is_none_or(|core| core.x < columns && core.y < rows)
            });
        }
        let now = Executed { command, place, before, touched };
        if let Some(work) = work {
            // Two dispatchers that raced for the same bytes would only be stopped by the device: what
            // is reported is the race of the commands, with both of them done.
            if self.races.would_race(&now) {
                self.settle()?;
            }
            self.run_work(command, work)?;
        }
        let floor = [QueueId(0), QueueId(1)]
            .map(|queue| self.queue.floor(queue, self.order.before_next(queue)));
        self.races.executed(now, floor);
        Ok(())
    }

    /// The tiles on which a command runs programs.
    fn tiles_of(&self, work: &Work) -> BTreeSet<PhysicalCoordinate> {
        let description = self.chip.description();
        let physical = |core| description.physical(core);
        match work {
            Work::Launch(launch) => {
                launch.tiles.iter().filter_map(|tile| physical(tile.core)).collect()
            }
            Work::Replay(trace) => trace.cores.iter().filter_map(|core| physical(*core)).collect(),
            Work::Write { .. }
            | Work::Read { .. }
            | Work::RecordEvent(_)
            | Work::WaitForEvent(_) => BTreeSet::new(),
        }
    }

    /// Reports a race between commands that the host knows to be done, if there is one.
    pub(crate) fn report_races(&mut self, call: CommandKind) -> Result<(), CallError> {
        let Some(race) = self.races.known(self.order.host()) else { return Ok(()) };
        let ((first, from), (second, to)) = (race.first(), race.second());
        let SharedRange { tile, start, end } = race.shared;
        let detail = format!(
            "both touch {start:#x}–{:#x} of tile {tile}; an event recorded on queue {} after command \
             {first}, and waited for on queue {} before command {second}, would order them",
            end.saturating_sub(1),
            from.queue,
            to.queue
        );
        Err(HostError::new(call, Failure::QueueRace { first, second }).detail(detail).into())
    }

    fn run_work(&mut self, enqueue: CommandIndex, work: Work) -> Result<(), Halt> {
        match work {
            Work::Write { extent, payload } if self.dispatches_on_device() => {
                self.submit_write(&extent, &payload.materialize())
            }
            Work::Write { extent, payload } => {
                Ok(self.write_extent(&extent, &payload.materialize())?)
            }
            Work::Read { extent, buffer, output, exact } if self.dispatches_on_device() => {
                let read = PendingRead::new(enqueue, buffer, output, exact, &extent)?;
                self.submit_read(&extent, read)
            }
            Work::Read { extent, buffer, output, exact } => {
                let length = usize::try_from(extent.size())
                    .map_err(|_| InternalError::new("a buffer beyond the address space"))?;
                let mut bytes = vec![0; length];
                self.read_extent(&extent, &mut bytes)?;
                let bytes: Arc<[u8]> = bytes.into();
                self.recorder.read_completed(enqueue, buffer, exact, &bytes)?;
                let read = CompletedRead { command: enqueue, buffer, output, bytes };
                self.reads.insert(enqueue, read);
                Ok(())
            }
            Work::Launch(launch) => self.run_launch(enqueue, &launch),
            Work::RecordEvent(event) => {
                if self.dispatches_on_device() {
                    self.submit_record(event)?;
                }
                self.queue.happens(event);
                Ok(())
            }
            // It is taken only once the event has happened, or a dispatcher is about to record it.
            Work::WaitForEvent(event) if self.dispatches_on_device() => self.submit_wait(event),
            Work::WaitForEvent(_) => Ok(()),
            Work::Replay(trace) => {
                self.replaying = Some((enqueue, Arc::clone(&trace)));
                if self.dispatches_on_device() && self.replay_by_dispatcher(enqueue, &trace)? {
                    if self.launches_one_by_one() {
                        self.settle()?;
                        self.replaying = None;
                    }
                    return Ok(());
                }
                let forgotten = usize::from(planted(Defect::TraceForgetsItsLastProgram));
                let kept = trace.launches.len().saturating_sub(forgotten);
                for TracedLaunch { command, launch, .. } in trace.launches.iter().take(kept) {
                    self.run_launch(*command, launch)?;
                }
                self.replaying = None;
                Ok(())
            }
        }
    }

    fn run_launch(
        &mut self,
        enqueue: CommandIndex,
        launch: &Arc<ProgramLaunch>,
    ) -> Result<(), Halt> {
        if self.dispatches_on_device() {
            return self.submit_launch(enqueue, launch);
        }
        self.recorder.executing(enqueue)?;
        self.last_launch = Some(enqueue);
        match self.launch(launch)? {
            LaunchEnd::Done => Ok(()),
            LaunchEnd::Deadlock(waiting) => Err(Halt::Deadlock(waiting)),
            LaunchEnd::Hang(unfinished) => Err(Halt::Hang(unfinished)),
        }
    }

    fn halt(&mut self, command: CommandIndex, call: CommandKind, halt: Halt) -> CallError {
        self.queue = QueuedWork::default();
        // The device may not answer any more: what a dispatcher said last is what is known.
        let _ = self.look();
        // Device programs are what breaks rules: what shows later is the last launched one's doing.
        let mut stop = Stop {
            command,
            enqueue: self.last_launch,
            reason: String::new(),
            fault: None,
            waits: Vec::new(),
            waiting: Vec::new(),
            running: Vec::new(),
            unfinished: Vec::new(),
        };
        let last_launch = self.last_launch;
        let blamed = |category| last_launch.ok_or(category);
        let failure = match halt {
            Halt::Device(DeviceError::Fault(fault)) => {
                stop.reason = fault.to_string();
                stop.fault = Some(self.fault_record(command, &fault));
                blamed("a fault")
                    .map(|enqueue| Failure::DeviceFault { category: fault.category, enqueue })
            }
            Halt::Device(error @ DeviceError::Lost { .. }) => {
                stop.reason = error.to_string();
                Ok(Failure::DeviceLost {})
            }
            Halt::Deadlock(waiting) => {
                stop.waits = waiting.iter().map(|waiting| self.wait_record(waiting)).collect();
                stop.reason = format!("{} cores wait for each other", stop.waits.len());
                stop.waiting = waiting;
                blamed("a deadlock").map(|enqueue| Failure::Deadlock { enqueue })
            }
            Halt::Hang(Unfinished { ticks, cores }) => {
                stop.reason = format!("not finished after {ticks} ticks");
                stop.unfinished = cores;
                stop.running = self.running_cores();
                blamed("a hang").map(|enqueue| Failure::Hang { enqueue })
            }
            Halt::Device(error) => return self.stop_by(stop, InternalError::from(error).into()),
            Halt::Internal(error) => return self.stop_by(stop, error.into()),
            Halt::Capture(error) => return self.stop_by(stop, error.into()),
        };
        if let Some((enqueue, trace)) = self.replaying.take() {
            let name = &trace.name;
            stop.reason =
                format!("{}, while command {enqueue} replays trace `{name}`", stop.reason);
        }
        let failure = match failure {
            Ok(failure) => failure,
            Err(what) => {
                let what = format!("{what} before any program ran: {}", stop.describe());
                return self.stop_by(stop, InternalError::new(what).into());
            }
        };
        let error = HostError::new(call, failure).detail(stop.describe());
        let recorded = self.recorder.stopped(stop.fault.as_ref(), &stop.waits);
        self.stop = Some(stop);
        match recorded {
            Ok(()) => error.into(),
            Err(error) => error.into(),
        }
    }

    /// The device is lost through no doing of the host program's.
    fn stop_by(&mut self, mut stop: Stop, error: CallError) -> CallError {
        if stop.reason.is_empty() {
            stop.reason = error.to_string();
        }
        self.stop = Some(stop);
        error
    }
}
