//! Execution of commands by the host itself, and how it ends early.

use std::sync::Arc;

use hallmark_chip::DeviceError;
use hallmark_schema::model::{CommandIndex, CommandKind, Failure};

use super::{QueuedWork, Step, Until, Work};
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
        let result = match self.queue.step(until) {
            Ok(None) => return Ok(false),
            Ok(Some(Step::Annotate(extent, meaning))) => self.announce_extent(&extent, meaning),
            Ok(Some(Step::Run(enqueue, work))) => self.run_work(enqueue, work),
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
                self.settle()?;
                self.queue.happens(event);
                Ok(())
            }
            // It is taken only once the event has happened.
            Work::WaitForEvent(_) => Ok(()),
            Work::Replay(trace) => {
                self.replaying =
                    Some(format!("while command {enqueue} replays trace `{}`", trace.name));
                for TracedLaunch { command, launch } in &trace.launches {
                    self.run_launch(*command, launch)?;
                }
                self.replaying = None;
                Ok(())
            }
        }
    }

    fn run_launch(&mut self, enqueue: CommandIndex, launch: &ProgramLaunch) -> Result<(), Halt> {
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
        if let Some(replaying) = self.replaying.take() {
            stop.reason = format!("{}, {replaying}", stop.reason);
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
