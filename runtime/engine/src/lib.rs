//! The engine: takes work and has a chip do it. Queues, dispatch, traces in device memory, chip access,
//! boot, and what is to be said when work does not end well.
//!
//! It knows nothing of the host that gives it work: what the host needs to hear while work is done it
//! hears as an [`Observer`].

pub mod addresses;
pub mod chip_access;
mod defects;
mod dispatch;
mod engine;
mod halt;
mod inspect;
mod internal_error;
pub mod launch;
mod observer;
pub mod queue;
mod stop;
pub mod trace;
pub mod work;

pub use self::defects::DEFECTS;
pub use self::dispatch::{
    DispatchSettings, PlannedBinary, PlannedCircularBuffer, PlannedLaunch, PlannedSemaphore,
    PlannedTile,
};
pub use self::engine::{Engine, EngineSettings};
pub use self::halt::Lost;
pub use self::inspect::BufferBytes;
pub use self::internal_error::InternalError;
pub use self::observer::{CompletedRead, NotObserved, Observer};
pub use self::stop::{Stop, StopCause, TraceReplay};
