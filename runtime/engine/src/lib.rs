//! The engine: takes work and has a chip do it. Queues, dispatch, traces in device memory, chip access,
//! boot, and the report of a device that stops.
//!
//! # Host and engine
//!
//! A call of the host API becomes work in the *host* (`hallmark-runtime`: objects, rules, addresses), which needs no
//! device. The engine takes the work ([`work::WorkItem`]) and has a chip do it. It knows nothing of the host that gives
//! it work. A device may end its process, so the engine reports to an [`Observer`] while the work is being done, and not
//! after it.
//!
//! # The parts of an engine
//!
//! An [`Engine`] has four parts. Each is a struct that owns its fields privately in a module of its own; a function takes
//! the parts that it touches as parameters.
//!
//! | part | owns |
//! |---|---|
//! | `tiles::Tiles` | the open chip (`chip::Chip`: access, firmware, banks), the tiles whose firmware runs, and the binaries and layouts on them |
//! | `queue::CommandQueues` | the commands that wait, the choice between queues, the races of commands that were executed |
//! | `launcher::Launcher` | the launch that a stop names; with dispatchers: their rings, loaded traces, recorded events, and the launches in flight |
//! | `observation::Observation` | profiles, markers, the watched byte |
//!
//! The launcher is chosen once, when the engine is opened (`launcher::launcher`). There are three:
//!
//! - `HostDriven`: the host writes, launches and polls. Every command has ended when the next one begins.
//! - `InTurn` (`--dispatch device`): dispatchers launch. A device that is told the meaning of memory (our simulator) is told
//!   while nothing runs, and so gets launches one by one; traces run there without a pause. A device that ends its
//!   process on a fault gets launches one by one as well, so that the journal names the culprit; there the host makes a
//!   trace's first replay.
//! - `Overlapping` (`--dispatch overlap`, or `device: { dispatch: { overlap: true } }` of a case): dispatchers launch, and
//!   programs of two queues run at the same time on every device. A launch waits only for launches on its own tiles,
//!   dispatchers get all that is enqueued, and a call waits for no more than it asks for. If two programs run at the same time, the simulator's race detector decides in L1 which of
//!   them came first; in DRAM only events order them.
//!
//! Nothing else asks for the mode. Results, program bytes and goldens are the same with all three, and every test of the
//! suites passes with all three; only a capture's record names the mode.
//!
//! # Several chips
//!
//! A second chip is a second `Engine`: all of an engine's state is in its four parts, and the crate has no statics but
//! tables. Two engines share only the firmware bundle and the kernels' images, which do not change. Whatever orders
//! commands of two chips stands above the engines, as a [`queue::Order`] stands above the queues of one.
//!
//! # Dispatchers
//!
//! A dispatcher is firmware on BRISC of a reserved tile, outside the compute grid, one for each command queue. The words
//! of a dispatcher, its commands and the workers' answers are declared in one place, `dispatch_abi.rs` of
//! `hallmark-device-code`, from which `scripts/device-code` makes `runtime/firmware/dispatch_abi.h`. Kernels include
//! nothing of that, so that a change rebuilds the bundle and no kernel. `dispatch/commands.rs` encodes commands,
//! `runtime/firmware/dispatch.cpp` carries them out.
//!
//! - The host writes commands to a ring in the dispatcher's L1, and then the position of their end. Everything else goes
//!   the other way, by NoC writes to pinned host memory: the data of reads first, then one status line. Positions and
//!   counts wrap at 2^32. [`DispatchSettings`](hallmark_schema::model::DispatchSettings) sets where they start and how
//!   large the rings are; a case sets them with `device: { dispatch: … }`, outside its program.
//! - A launch is assembled with its program by the host (`host/assembly.rs`), laid out on its tiles (`tiles/layout.rs`) and
//!   kept as commands in the dispatcher's L1 (`dispatch/program_store.rs`). Each form is kept until something on which it depends changes. The host launches a
//!   program again with one command, `CALL`: 36 bytes, and those of its arguments that have changed. It replays a trace
//!   with 36 bytes, whatever the trace holds. Commands that follow one another without a pause take 16 bytes each.
//! - The dispatcher sends workers everything but kernels at each launch, because kernels may change their arguments and
//!   other programs use the same memory.
//! - Bytes that several tiles are given alike (kernels, semaphores, the go signal) go to rectangles of tiles by multicast.
//!   The dispatcher waits for all writes before each multicast.
//! - A worker's BRISC adds 1 to a word of the dispatcher when a launch is done, if its mailbox names such a word.
//!   Dispatchers number their go signals: even on the first queue, odd on the second.
//! - A dispatcher tells the other one of each event that it records, and waits for the other's events by itself. Commands
//!   of two queues run side by side, except commands that race, which are reported instead.
//! - A trace in the trace region (`dispatch/loaded_traces.rs`) is commands that the dispatcher carries out. A trace as bytes
//!   (`host/trace_files/collected.rs` of the host) holds launches and nothing of their dispatch, so that each launcher
//!   replays it. `take_collected` in `replayer.rs` decides what a replay puts in the place of a collected trace.
//!
//! # Queues
//!
//! Two commands of different queues that touch the same memory race, unless an event, a call that waits
//! or the queue itself orders them ([`queue::QueueRace`]). The memory that each command touches decides, and
//! not the schedule. A write or a read touches its buffer's memory; a program touches, as the built-in
//! simulator knows it, the memory that its NoC requests reach. Loads and stores of cores in their own L1
//! do not count.
//!
//! # How a device stops
//!
//! A device *stops* when a program breaks a rule, when all cores wait for each other, when a program's budget of ticks is
//! spent, when the device dies, or when the runtime or the recorder fails. It is not used again. Every name of this begins
//! with *stop*: the code that meets a stop gives a `RawStop`; the engine adds functions, source lines and the command to
//! blame, and the call that waited gets a [`Stopped`]. Reports show its [`Stop`] with the [`StopCause`].
//! [`StopCause::Lost`] is one of the causes: the device died or does not answer.
//!
//! # Layers
//!
//! A module knows only modules further down in this list; `runtime/engine/tests/layers.rs` checks it.
//!
//! 1. `engine`: the four parts together
//! 2. `launcher`: carries commands out; one of three
//! 3. `dispatch`: dispatchers, their rings, completion spaces and stores
//! 4. `observation`: profiles, markers and the watched byte, as work is done
//! 5. `tiles`: the tiles whose firmware runs: boot, layout, waits, places of cores
//! 6. `chip`: an open chip before firmware runs: buffers, the memory of markers
//! 7. `queue`, `profile`: the commands that wait, and their races; profiles as data
//! 8. `stop`, `work`: how a device stops; the items of work
//! 9. `trace`: launches that are replayed
//! 10. `launch`, `settings`, `observer`, `order`, `addresses`, `chip_access`: a program's launch, the engine's settings, the
//!     listener of the host, the order of commands, the places of buffers, windows
//! 11. `internal_error`, `defects`: helpers

pub mod addresses;
mod chip;
pub mod chip_access;
mod defects;
mod dispatch;
mod engine;
mod internal_error;
pub mod launch;
mod launcher;
mod observation;
mod observer;
mod order;
mod profile;
pub mod queue;
mod settings;
mod stop;
mod tiles;
pub mod trace;
pub mod work;

pub use self::chip::{BufferBytes, start_of_markers};
pub use self::defects::DEFECTS;
pub use self::dispatch::usable_dispatch_settings;
pub use self::engine::Engine;
pub use self::internal_error::InternalError;
pub use self::observation::LastWrite;
pub use self::observer::{CompletedRead, NotObserved, Observer};
pub use self::profile::{
    DispatcherProfile, Dispatching, DispatchingSpan, EventProfile, Interval, LaunchProfile,
    LineProfile, MarkedPlace, MovePlan, MovedPiece, ProcessorMarkers, ProcessorProfile,
    QueueDispatcher, QueuesProfile, ReplayProfile, ReplayedProcessor, WaitProfile, ZoneProfile,
    ZoneTotal,
};
pub use self::settings::EngineSettings;
pub use self::stop::{Leftover, Stop, StopCause, Stopped, TraceReplay};
pub use self::tiles::{
    PlannedBinary, PlannedCircularBuffer, PlannedLaunch, PlannedSemaphore, PlannedTile,
};
