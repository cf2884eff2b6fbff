//! Recordings of unmodified TT-Metalium programs, and the captures made from them: `hallmark capture -- COMMAND`.
//!
//! # The recorder
//!
//! The recorder is a C++ library (`recorder/`) that is preloaded into the command's process. It observes the host API
//! and appends an [`Event`] to a journal for each call and each object, in the state that TT-Metalium has at that
//! moment (`journal.rs` reads the journal). The description of a release (`hallmark_metalium::ReleaseDescription`) has the
//! table of the hooked functions; the build of the recorder, which happens once in the user's cache folder, generates
//! trampolines from it. `recorder/library.hpp` and `functions.def` declare the parts of the vendor's objects that are
//! read, at the places that the description gives. The build of the library is checked before the run and again in the
//! process.
//!
//! The recorder prints nothing. Its only decision is the place of the cuts that `--only`, `--skip`, `--from` and
//! `--until` ask for (`recorder/cuts.cpp`). A failure in the recorder ends the recording and never the command.
//!
//! # Captures
//!
//! `conversion.rs` makes a capture of the events afterwards, in another process: names, relocations and calls are
//! decided there.
//!
//! TT-Metalium generates headers for the names that a program binds to a kernel. The recorder takes their text when the
//! kernel is built, and `conversion/bindings.rs` reads it by the forms of the release's description: the names with their
//! values become data of the call that creates the kernel. A header with a line of no form precedes the source as text.
//!
//! # Tests
//!
//! `scripts/metalium-programs/run` captures and replays operations of ttnn and C++ programs of our own, and prints a
//! table. The nightly run does so where a wheel, a Python that imports it and a simulator are named.
//! `suites/recordings` holds recordings as the recorder wrote them whose kernels are ours. `hallmark kernels build`
//! takes their kernels, and `harness/tests/recordings.rs` replays them without a wheel.

mod conversion;
mod event;
mod executable;
mod journal;
mod recorder;
mod selection;

pub use conversion::{
    BufferProblem, Conversion, ConversionError, ConversionOptions, DataPolicy, Difference,
    Inconvertible, Missing, ReadSource, RelocationStatistics, TransferProblem, WordLocation,
    convert, read_source,
};
pub use event::{
    BufferAllocated, CircularBufferState, ComputeOptions, ConfiguredIndex, CoreWords,
    DataMovementOptions, DataflowBuffer, DeviceOpened, Entry, Event, KernelArguments,
    KernelDescription, KernelOptions, KernelText, LibraryLoaded, ObservedBuffer, ObservedEvent,
    ObservedProgram, ObservedTile, ObservedTrace, ProgramDescription, ProgramEnqueued, Scratchpad,
    SemaphoreDescription, Sharding, ThreadNumber, Transfer,
};
pub use executable::{Executable, ExecutableError};
pub use journal::{ContentError, JournalError, JournalProblem, Part, Recording, RecordingEnd};
pub use recorder::{Recorder, RecorderError};
pub use selection::{Operation, OperationError, Selection, SelectionError, SelectionOption};
