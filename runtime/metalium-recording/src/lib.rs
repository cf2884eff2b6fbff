//! Recording of unmodified TT-Metalium programs.
//!
//! A library that is preloaded into the user's process observes the host API. For each call and each object, it
//! appends an [`Event`] with TT-Metalium's state at that moment to a recording. The library makes no decisions:
//! another process later derives names, relocations and the calls of a capture from the events.

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
    ObservedProgram, ObservedTile, ObservedTrace, ProgramDescription, ProgramEnqueued,
    SemaphoreDescription, Sharding, ThreadNumber, Transfer,
};
pub use executable::{Executable, ExecutableError};
pub use journal::{ContentError, JournalError, JournalProblem, Part, Recording, RecordingEnd};
pub use recorder::{Recorder, RecorderError};
pub use selection::{Operation, OperationError, Selection, SelectionError, SelectionOption};
