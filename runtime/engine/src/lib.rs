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
//!
//! # Host and engine
//!
//! A call becomes work in the *host* (objects, rules, addresses), which needs no device. The *engine* takes work and
//! has a chip do it. A `Device` has one of each. A modelled chip has a host alone, and nothing carries out its work. A
//! device may end its process, so the engine reports everything that must be recorded to an [`Observer`], the recorder,
//! while the work is being done.
//!
//! # How dispatch works
//!
//! Dispatchers (`--dispatch device`, `HALLMARK_DISPATCH=device`) are firmware on BRISC of a reserved tile for each
//! command queue, outside the compute grid. Both modes share the host API, the queues (`queue.rs`), the layout of a
//! tile (`dispatch/layout.rs`) and the report of a run's end. Only the record of a capture names the mode.
//!
//! - `runtime/device-code/src/dispatch_abi.rs` is the one place for the words of a dispatcher, its commands and the
//!   workers' answer.
//! - `dispatch/commands.rs` encodes commands, `dispatch/on_device.rs` submits them and waits,
//!   `dispatch/loaded_traces.rs` assembles traces in the trace region. `runtime/firmware/dispatch.cpp` carries the
//!   commands out.
//! - The host writes commands to a ring in the dispatcher's L1, and then the position of their end. Everything else
//!   goes the other way, by NoC writes to pinned host memory: the data of reads first, then one status line. Positions
//!   and counts wrap at 2^32. `DispatchSettings` sets where they start and how large the rings are; a case sets them
//!   with `device: { dispatch: … }`, outside its program.
//! - A trace as bytes (`host/trace_files/collected.rs`, `collect.rs` and `load.rs` of the host) holds the enqueued
//!   commands and not the way of their dispatch, so either mode loads it. `take_collected` in `replayer.rs` decides
//!   what a replay puts in the place of a collected trace.
//! - A launch is assembled with its program (`host/enqueue.rs`), laid out (`dispatch/layout.rs`), and kept as commands
//!   in the dispatcher's L1 (`dispatch/program_store.rs`). Each form is kept until something that it depends on
//!   changes. Launching a program again is one command, `CALL`. The dispatcher sends workers everything but kernels at
//!   each launch, because kernels may change their arguments and other programs use the same memory.
//! - Data that several tiles share goes to rectangles of tiles by multicast (`tile_list` in `dispatch/commands.rs`):
//!   kernels, semaphores, the go signal. The dispatcher waits for all writes before each multicast.
//! - A worker's BRISC adds 1 to a word of the dispatcher when a launch is done, if its mailbox names such a word.
//!   Dispatchers number their go signals: even on the first queue, odd on the second.
//! - A dispatcher tells the other dispatcher of each event that it records, and waits for the other's events by itself.
//!   Commands of two queues run side by side, except commands that race, which are reported instead.
//! - A device that is told the meaning of memory (Hallmark's simulator) is told while nothing runs, and so gets
//!   launches one by one; traces run there without a pause. A device that ends its process on a fault gets launches one
//!   by one as well, so that the journal names the culprit; there the host makes a trace's first replay.
//! - With `--dispatch overlap`, or `device: { dispatch: { overlap: true } }` of a case, programs of two queues run at
//!   the same time on every device (`queue/overlap.rs`): a launch waits only for launches on its own tiles, dispatchers
//!   get everything that is enqueued, and a call waits for no more than it asks for. For two programs that ran at the
//!   same time, the simulator's race detector decides in L1 which of them came first; in DRAM only events order them.

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
