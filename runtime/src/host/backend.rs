//! The part of a device that carries work out: the engine with its chip, or a model of the queues.

use hallmark_engine::queue::{ModelledQueues, Until};
use hallmark_engine::{CompletedRead, Engine, NotObserved, Observer};
use hallmark_schema::model::{CommandIndex, ContentHash, EventId};

use super::queues::Queues;
use super::reads::Reads;
use crate::recorder::{CaptureError, Recorder};

/// Carries the work of a host out.
pub(super) enum Backend {
    /// A chip does the work.
    Engine(Box<Engine>),
    /// The chip is only modelled, and its work is not done.
    Model(ModelledQueues),
}

impl Backend {
    /// The engine, unless the chip is only modelled.
    pub(super) fn engine_mut(&mut self) -> Option<&mut Engine> {
        match self {
            Self::Engine(engine) => Some(engine),
            Self::Model(_) => None,
        }
    }

    pub(super) fn engine(&self) -> Option<&Engine> {
        match self {
            Self::Engine(engine) => Some(engine),
            Self::Model(_) => None,
        }
    }

    /// Takes the work of the calls so far.
    pub(super) fn take_work(&mut self, queues: &mut Queues) {
        for item in queues.take_work() {
            match self {
                Self::Engine(engine) => engine.take(item),
                Self::Model(queues) => queues.take(item),
            }
        }
    }

    /// Bytes of the launches that were taken and have not run, roughly.
    pub(super) fn queued_launches_weight(&self) -> u64 {
        match self {
            Self::Engine(engine) => engine.queued_launches_weight(),
            Self::Model(queues) => queues.queued_launches_weight(),
        }
    }

    pub(super) fn has_work(&self) -> bool {
        match self {
            Self::Engine(engine) => engine.has_work(),
            Self::Model(queues) => queues.has_work(),
        }
    }

    /// Whether an event has happened; on a modelled chip, whether it would have.
    pub(super) fn has_happened(&self, event: EventId) -> bool {
        match self {
            Self::Engine(engine) => engine.has_happened(event),
            Self::Model(queues) => queues.has_happened(event),
        }
    }

    /// Forgets the profiles of launches.
    pub(super) fn forget_launches(&mut self) {
        match self {
            Self::Engine(engine) => engine.forget_launches(),
            Self::Model(_) => {}
        }
    }

    /// Forgets the events that have happened.
    pub(super) fn forget_events(&mut self) {
        match self {
            Self::Engine(engine) => engine.forget_events(),
            Self::Model(queues) => queues.forget_events(),
        }
    }
}

/// How far work is done.
#[derive(Clone, Copy, Debug)]
pub(super) enum Goal {
    /// Up to this point, for which a call waits.
    Reach(Until),
    /// Up to this point, for which no call waits: the capture ends.
    Drain(Until),
    /// One step towards this point, if it is not reached.
    Approach(Until),
}

/// What becomes of reads that complete while work is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReadsOfWork {
    /// They return their bytes to the host program.
    Returned,
    /// No call waits for the work, so that the host program never sees their bytes.
    Dropped,
}

/// Records events of the engine while it works.
pub(super) struct Recording<'a> {
    recorder: &'a mut Recorder,
    reads: &'a mut Reads,
    returned: ReadsOfWork,
    /// The first error of the recorder.
    failed: Option<CaptureError>,
}

impl<'a> Recording<'a> {
    pub(super) const fn new(
        recorder: &'a mut Recorder,
        reads: &'a mut Reads,
        returned: ReadsOfWork,
    ) -> Self {
        Self { recorder, reads, returned, failed: None }
    }

    /// The first error of the recorder, if it failed.
    pub(super) fn into_error(self) -> Option<CaptureError> {
        self.failed
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
        match self.returned {
            ReadsOfWork::Returned => {}
            ReadsOfWork::Dropped => return Ok(()),
        }
        let recorded = self.recorder.read_completed(read.command, read.buffer, exact, &read.bytes);
        self.noted(recorded)?;
        self.reads.complete(read);
        Ok(())
    }
}
