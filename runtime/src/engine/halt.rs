//! How work ends early, and what is said of it then.

use hallmark_chip::DeviceError;
use hallmark_schema::model::{CommandIndex, Failure};

use super::dispatch::Unfinished;
use super::queue::QueuedWork;
use super::{Engine, NotObserved, Observer, Stop};
use crate::InternalError;

/// How executing one item ended early.
pub(crate) enum Halt {
    Device(DeviceError),
    Deadlock(Vec<hallmark_chip::Waiting>),
    Hang(Unfinished),
    Internal(InternalError),
    NotObserved,
}

/// Whose doing it is that the device is lost.
pub(crate) enum Cause {
    /// A device program's, or the device's own.
    Failure(Failure),
    /// Ours.
    Internal(InternalError),
    /// The observer's, who knows why.
    NotObserved,
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

impl From<NotObserved> for Halt {
    fn from(_: NotObserved) -> Self {
        Self::NotObserved
    }
}

impl Engine {
    /// What is to be said of a halt that a synchronizing call has met. Nothing more is done: the device is
    /// lost from then on.
    pub(crate) fn stop(
        &mut self,
        command: CommandIndex,
        halt: Halt,
        observer: &mut dyn Observer,
    ) -> (Stop, Cause) {
        self.queue = QueuedWork::default();
        // The device may not answer any more: what a dispatcher said last is what is known.
        let _ = self.look(observer);
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
            Halt::Device(error) => return ours(stop, error.into()),
            Halt::Internal(error) => return ours(stop, error),
            Halt::NotObserved => return (stop, Cause::NotObserved),
        };
        if let Some((enqueue, trace)) = self.replaying.take() {
            let name = &trace.name;
            stop.reason =
                format!("{}, while command {enqueue} replays trace `{name}`", stop.reason);
        }
        match failure {
            Ok(failure) => (stop, Cause::Failure(failure)),
            Err(what) => {
                let what = format!("{what} before any program ran: {}", stop.describe());
                (stop, Cause::Internal(InternalError::new(what)))
            }
        }
    }
}

/// The device is lost through no doing of the host program's.
fn ours(mut stop: Stop, error: InternalError) -> (Stop, Cause) {
    stop.reason = error.to_string();
    (stop, Cause::Internal(error))
}
