//! The host API: objects, the rules of each call, the addresses of what it makes, and the work that it becomes.
//!
//! A [`Device`] has a host and a backend. The host is made of parts, each a struct in a module of its own that owns its
//! fields: [`opened`] (settings and facts that never change), [`live_buffers`] (buffers and the memory of banks),
//! [`programs`] (programs and their members), [`kernel_builds`] (ELFs and images), [`queues`] (order, events and work),
//! [`trace_table`] (traces), [`reads`] and [`call_log`] (the calls and their capture). The host needs no device: a
//! modelled chip has a host alone. The [`backend`] takes the work: the engine with its chip, or a model of the queues.
//!
//! A call enters by [`call`]: it is checked, recorded and performed, and its outcome is recorded. Each call is performed
//! by a function over the parts that it touches, beside the function of [`Device`] that makes the call.
//!
//! # Layers
//!
//! A module knows only modules further down in this list, which `runtime/tests/layers.rs` reads:
//!
//! 1. `tests`: calls that are refused
//! 2. `open`, `capture`, `ids`, `plain_numbers`, `tensor_accessor`: devices, captures, ids and plain numbers
//! 3. `global_semaphores`, `trace_files`, `traces`, `events`, `finish`, `drain`, `enqueue`: the calls of queues, by family,
//!    and their end
//! 4. `create`, `circular_buffers`, `common_arguments`, `arguments`, `buffers`: the calls of objects, by family
//! 5. `call`: the one way into the host API
//! 6. `refusals`, `recordable`: the failures of each call, and the calls that no capture can hold
//! 7. `device`: a device and the parts of its host
//! 8. `waiting`: work is done up to a point
//! 9. `backend`: the engine or the model of the queues
//! 10. `assembly`: launches of programs
//! 11. `circular_buffer_layout`, `resolution`: addresses of circular buffers, and words of arguments
//! 12. `live_buffers`: buffers and the memory of banks
//! 13. `programs`, `kernel_builds`, `queues`, `trace_table`, `reads`, `call_log`: the other parts
//! 14. `opened`: the settings of the device, and the facts of its chip and firmware
//! 15. `options`, `states`, `trace_states`, `core_owners`, `allocator`, `argument_vectors`: plain data of the parts
//! 16. `objects`, `argument_words`, `types`: tables by id, words, handles

pub mod allocator;
mod argument_vectors;
mod argument_words;
mod arguments;
mod assembly;
mod backend;
mod buffers;
mod call;
mod call_log;
mod capture;
mod circular_buffer_layout;
mod circular_buffers;
mod common_arguments;
mod core_owners;
mod create;
mod device;
mod drain;
mod enqueue;
mod events;
mod finish;
mod global_semaphores;
mod ids;
mod kernel_builds;
mod live_buffers;
mod objects;
mod open;
mod opened;
mod options;
mod plain_numbers;
mod programs;
mod queues;
mod reads;
mod recordable;
mod refusals;
mod resolution;
mod states;
mod tensor_accessor;
#[cfg(test)]
mod tests;
mod trace_files;
mod trace_states;
mod trace_table;
mod traces;
mod types;
mod waiting;

pub use self::argument_vectors::Argument;
pub use self::call::CallData;
pub use self::capture::CaptureGuard;
pub use self::device::{Device, LiveBuffer};
pub use self::drain::Drained;
pub(crate) use self::open::recognise;
pub use self::options::{DeviceOptions, GridAsked, OpenError, TICK_BUDGET};
pub use self::refusals::refusals_of;
pub use self::states::semaphore_number;
pub use self::tensor_accessor::TensorAccessorArgs;
pub use self::trace_files::{
    CollectedTrace, LoadTraceError, TraceBytesError, TraceDescription, UnplacedSymbol,
};
pub use self::types::{
    Buffer, BufferConfig, ByteLocation, CircularBuffer, CircularBufferConfig, CommandQueue, Event,
    GlobalSemaphore, GlobalSemaphoreConfig, Kernel, KernelDescription, Program, Read, Semaphore,
    SemaphoreConfig, SemaphoreMemory, Trace, WriteData,
};
