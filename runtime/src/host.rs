//! The host API: objects, the checks of each call, and what a call enqueues.

mod api;
mod arguments;
mod buffers;
mod call;
mod circular_buffers;
mod common_arguments;
mod create;
mod enqueue;
mod objects;
pub(crate) mod promises;
mod recordable;
mod states;
mod tensor_accessor;
mod types;

pub use self::api::ByteLocation;
pub(crate) use self::call::{Input, Payload};
pub(crate) use self::objects::ObjectTable;
pub use self::states::semaphore_number;
pub(crate) use self::states::{
    BufferExtent, BufferState, CircularBufferState, ImageCache, KernelState, ProgramState,
    SemaphoreState,
};
pub use self::tensor_accessor::TensorAccessorArgs;
pub use self::types::{
    Argument, Buffer, BufferConfig, CircularBuffer, CircularBufferConfig, CommandQueue,
    CompletedRead, Kernel, KernelDescription, Program, Read, Semaphore, SemaphoreConfig, WriteData,
};
