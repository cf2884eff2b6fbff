//! The handles of objects, and the arguments and results of the calls of the host API.

use std::collections::BTreeMap;

use hallmark_chip::PhysicalCoordinate;
use hallmark_schema::model::{
    BufferId, BufferLayout, BufferType, CircularBufferId, CircularBufferIndex, CommandIndex,
    CoreRange, EventId, Generator, KernelBindings, KernelConfig, KernelId, OptLevel, ProgramId,
    QueueId, SemaphoreId, ShardSpec, TraceId,
};

macro_rules! handles {
    ($($(#[$doc:meta])* $name:ident($id:ident);)*) => {$(
        $(#[$doc])*
        ///
        /// A name without ownership: every call checks whether the object exists.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name {
            id: $id,
        }

        impl $name {
            /// The handle of the object with this id, which need not exist.
            pub const fn with_id(id: $id) -> Self {
                Self { id }
            }

            /// The id that captures and calls know the object by.
            pub const fn id(self) -> $id {
                self.id
            }
        }

        impl From<$id> for $name {
            fn from(id: $id) -> Self {
                Self { id }
            }
        }
    )*};
}

handles! {
    /// Device memory in pages that are spread over banks.
    Buffer(BufferId);
    /// Kernels, circular buffers and semaphores that are launched together.
    Program(ProgramId);
    /// A user's device program on some cores.
    Kernel(KernelId);
    /// Pages in L1 through which the kernels of a core hand data on.
    CircularBuffer(CircularBufferId);
    /// A word in L1 that every launch sets to its initial value.
    Semaphore(SemaphoreId);
    /// A point that a queue comes to once everything enqueued before is done.
    Event(EventId);
    /// Programs that were recorded together, to be replayed from device memory.
    Trace(TraceId);
    /// An ordered stream of enqueued commands.
    CommandQueue(QueueId);
}

impl CommandQueue {
    /// The queue that every device has.
    pub const FIRST: Self = Self::with_id(QueueId(0));
    /// The second queue, of a device that was opened with two.
    pub const SECOND: Self = Self::with_id(QueueId(1));
}

/// The buffer that [`crate::Device::create_buffer`] makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferConfig<'a> {
    /// For messages and captures.
    pub name: &'a str,
    /// Bytes, a multiple of `page_size`; 0 is allowed.
    pub size: u64,
    /// Bytes of a page, a positive multiple of 4.
    pub page_size: u64,
    /// DRAM or L1.
    pub buffer_type: BufferType,
    /// The layout of pages over banks.
    pub layout: BufferLayout,
    /// The shards of a sharded buffer.
    pub shard_spec: Option<&'a ShardSpec>,
    /// Whether it takes the lowest free address or the highest. By default the lowest of DRAM and the
    /// highest of L1, whose lower end belongs to circular buffers.
    pub bottom_up: Option<bool>,
}

impl<'a> BufferConfig<'a> {
    /// Pages that go round the banks.
    pub const fn interleaved(
        name: &'a str,
        buffer_type: BufferType,
        size: u64,
        page_size: u64,
    ) -> Self {
        let layout = BufferLayout::Interleaved;
        Self { name, size, page_size, buffer_type, layout, shard_spec: None, bottom_up: None }
    }
}

/// The kernel that [`crate::Device::create_kernel`] makes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelDescription<'a> {
    /// For messages and captures.
    pub name: &'a str,
    /// The path of its source, relative to the suites, with `/`.
    pub source: &'a str,
    /// The cores that it runs on.
    pub cores: &'a [CoreRange],
    /// The processors that run it, and their NoC.
    pub config: KernelConfig,
    /// Compile-time arguments.
    pub compile_args: Vec<u32>,
    /// Preprocessor definitions.
    pub defines: BTreeMap<String, String>,
    /// Compile-time arguments that the kernel knows by their names.
    pub named_compile_args: BTreeMap<String, u32>,
    /// The optimization level of the build; `None` stands for the default of the kernel's kind.
    pub opt_level: Option<OptLevel>,
    /// The names of the source whose definitions are generated: what `ProgramSpec` binds.
    pub bindings: Option<KernelBindings>,
}

/// The circular buffer that [`crate::Device::create_circular_buffer`] makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CircularBufferConfig<'a> {
    /// For messages and captures.
    pub name: &'a str,
    /// On which cores.
    pub cores: &'a [CoreRange],
    /// Bytes on each core: a positive multiple of every index's page size.
    pub total_size: u64,
    /// The indices that share the memory.
    pub indices: &'a [CircularBufferIndex],
    /// The L1 buffer that it takes its memory from, and how far from that one's address on; without
    /// it the program places it. Once it is set, the buffer may be released.
    pub globally_allocated_address: Option<(Buffer, u32)>,
}

/// The semaphore that [`crate::Device::create_semaphore`] makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SemaphoreConfig<'a> {
    /// For messages and captures.
    pub name: &'a str,
    /// On which cores.
    pub cores: &'a [CoreRange],
    /// Its value at each launch.
    pub initial_value: u32,
}

/// The global semaphore that [`crate::Device::create_global_semaphore`] makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GlobalSemaphoreConfig<'a> {
    /// For messages and captures.
    pub name: &'a str,
    /// The cores that have a word, each named once.
    pub cores: &'a [CoreRange],
    /// The value that is written at creation.
    pub initial_value: u32,
    /// The part of L1 in which the words lie.
    pub memory: SemaphoreMemory,
}

/// The part of L1 in which a global semaphore lies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SemaphoreMemory {
    /// The memory of most buffers.
    #[default]
    L1,
    /// The region at the top that the device sets aside.
    L1Small,
}

/// A word in L1 at the same address of several cores, which no launch sets back.
///
/// A name without ownership, as the handles of objects are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GlobalSemaphore {
    pub(super) buffer: Buffer,
    /// Bytes of all words.
    pub(super) size: u64,
}

/// Data for a write. It is copied at the call.
#[derive(Clone, Copy, Debug)]
pub enum WriteData<'a> {
    /// These bytes.
    Bytes(&'a [u8]),
    /// Bytes of a generator: a capture keeps the generator instead of the bytes.
    Generated {
        /// The generator.
        generator: Generator,
        /// The number of bytes that the generator makes.
        length: u64,
    },
}

impl<'a> From<&'a [u8]> for WriteData<'a> {
    fn from(bytes: &'a [u8]) -> Self {
        Self::Bytes(bytes)
    }
}

/// The place of a byte of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ByteLocation {
    /// The page that holds it.
    pub page: u64,
    /// The bank that holds the page.
    pub bank: u64,
    /// The bank's tile on the die.
    pub tile: PhysicalCoordinate,
    /// The byte's address in that tile.
    pub address: u64,
}

/// A read under way or done, named by its place among the calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Read {
    pub(crate) command: CommandIndex,
}

impl Read {
    /// The read that this call asked for.
    pub const fn by(command: CommandIndex) -> Self {
        Self { command }
    }

    /// The call that asked for it.
    pub const fn command(self) -> CommandIndex {
        self.command
    }
}
