//! The host API: objects, the checks of each call, and what a call enqueues.

mod api;
mod arguments;
mod buffers;
mod call;
mod circular_buffers;
mod common_arguments;
mod core_owners;
mod create;
mod enqueue;
mod events;
mod objects;
mod recordable;
mod states;
mod tensor_accessor;
mod trace_files;
mod traces;
mod types;

pub use self::api::ByteLocation;
pub(crate) use self::core_owners::CoreOwners;
pub(crate) use self::events::EventState;
pub(crate) use self::objects::ObjectTable;
pub use self::states::semaphore_number;
pub(crate) use self::states::{
    BufferState, CircularBufferState, ImageCache, KernelState, ProgramState, SemaphoreState,
};
pub use self::tensor_accessor::TensorAccessorArgs;
pub use self::trace_files::{CollectedTrace, LoadTraceError, TraceDescription, UnplacedSymbol};
pub(crate) use self::types::unpack_core;
pub use self::types::{
    Argument, Buffer, BufferConfig, CircularBuffer, CircularBufferConfig, CommandQueue,
    CompletedRead, Event, Kernel, KernelDescription, Program, Read, Semaphore, SemaphoreConfig,
    Trace, WriteData,
};
