//! How work ends early, and what is said of it then.

use hallmark_chip::DeviceError;
use hallmark_schema::model::CommandIndex;

use crate::InternalError;
use crate::dispatch::{ReplayedTrace, Unfinished};
use crate::engine::Engine;
use crate::observer::{NotObserved, Observer};
use crate::queue::QueuedWork;
use crate::stop::{Stop, StopCause, TraceReplay};

/// How executing one item ended early.
pub(crate) enum Halt {
    Device(DeviceError),
    Deadlock(Vec<hallmark_chip::Waiting>),
    Hang(Unfinished),
    Internal(InternalError),
    NotObserved,
}

/// Work did not end: the device is lost.
#[derive(Debug)]
pub struct Lost {
    /// What happened, for the call that met it and for reports.
    pub stop: Stop,
    /// Our own error, if it was our doing.
    pub error: Option<InternalError>,
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
    /// What is to be said of a halt that a synchronizing call has met, and our own error if it is our doing.
    /// Nothing more is done: the device is lost from then on.
    pub(crate) fn lose(
        &mut self,
        command: CommandIndex,
        halt: Halt,
        observer: &mut dyn Observer,
    ) -> Box<Lost> {
        self.queue = QueuedWork::default();
        // The device may not answer any more: what a dispatcher said last is what is known.
        let _ = self.look(observer);
        self.blame(&halt);
        let replaying = self.replaying.take();
        let replaying = replaying.map(|ReplayedTrace { command, trace }| TraceReplay {
            command,
            trace: trace.name.clone(),
        });
        let ours =
            |error: InternalError| (StopCause::Internal { reason: error.to_string() }, Some(error));
        let (cause, error) = match halt {
            Halt::Device(DeviceError::Fault(fault)) => {
                (StopCause::Fault(self.with_symbols(*fault)), None)
            }
            Halt::Deadlock(waiting) => {
                (StopCause::Deadlock { waiting: self.waiting_in(waiting) }, None)
            }
            Halt::Hang(Unfinished { ticks, cores: unfinished }) => {
                (StopCause::Hang { ticks, running: self.running_cores(), unfinished }, None)
            }
            Halt::Device(error @ DeviceError::Lost { .. }) => {
                (StopCause::Lost { reason: error.to_string() }, None)
            }
            Halt::Device(error) => ours(error.into()),
            Halt::Internal(error) => ours(error),
            Halt::NotObserved => ours(InternalError::new("the recorder failed")),
        };
        // Device programs are what breaks rules: what shows later is the last launched one's doing.
        let stop = Stop { command, enqueue: self.last_launch, replaying, cause };
        Box::new(Lost { stop, error })
    }
}
