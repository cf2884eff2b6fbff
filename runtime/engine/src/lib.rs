//! The engine: takes work and has a chip do it. Queues, dispatch, traces in device memory, chip access,
//! boot, and what is to be said when work does not end well.
//!
//! It knows nothing of the host that gives it work: what the host needs to hear while work is done it
//! hears as an [`Observer`].
//!
//! # Dispatch
//!
//! Programs are launched in one of two ways. The host writes, launches and polls; or a dispatcher does
//! so for each queue: firmware on a reserved tile that takes commands from a ring and reports to host
//! memory ([`DispatchSettings`](hallmark_schema::model::DispatchSettings)). Results, program bytes and goldens are the same in both, and every test
//! of the suites passes in both.
//!
//! With a dispatcher, the host launches a program again with 36 bytes and those of its arguments that
//! have changed, and replays a trace with 36 bytes, whatever the trace holds. Commands that follow one
//! another without a pause take 16 bytes each.
//!
//! # Queues
//!
//! Two commands of different queues that touch the same memory race, unless an event, a call that waits
//! or the queue itself orders them ([`queue::QueueRace`]). What decides is what each command touches, and
//! not the schedule. A write or a read touches its buffer's memory; a program touches, as the built-in
//! simulator knows it, the memory that its NoC requests reach. What cores load and store in their own L1
//! does not count.

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
mod profile;
pub mod queue;
mod stop;
pub mod trace;
mod watch;
pub mod work;

pub use self::defects::DEFECTS;
pub use self::dispatch::{
    PlannedBinary, PlannedCircularBuffer, PlannedLaunch, PlannedSemaphore, PlannedTile,
    usable_dispatch_settings,
};
pub use self::engine::{Engine, EngineSettings};
pub use self::halt::Lost;
pub use self::inspect::BufferBytes;
pub use self::internal_error::InternalError;
pub use self::observer::{CompletedRead, NotObserved, Observer};
pub use self::profile::{
    DispatcherProfile, Dispatching, DispatchingSpan, EventProfile, Interval, LaunchProfile,
    LineProfile, MarkedPlace, MovePlan, MovedPiece, ProcessorMarkers, ProcessorProfile,
    QueueDispatcher, QueuesProfile, ReplayProfile, ReplayedProcessor, WaitProfile, ZoneProfile,
    ZoneTotal, start_of_markers,
};
pub use self::stop::{Stop, StopCause, TraceReplay};
pub use self::watch::LastWrite;
