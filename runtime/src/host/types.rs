//! The handles of objects, and what the calls of the host API take and give.

use std::collections::BTreeMap;

use hallmark_chip::LogicalCore;
use hallmark_schema::model::{
    ArgumentRelocation, BufferId, BufferLayout, BufferType, CircularBufferId, CircularBufferIndex,
    CommandIndex, CoreArguments, CoreRange, EventId, Generator, KernelConfig, KernelId, ProgramId,
    QueueId, RelocationKind, SemaphoreId, ShardSpec, TraceId,
};

macro_rules! handles {
    ($($(#[$doc:meta])* $name:ident($id:ident);)*) => {$(
        $(#[$doc])*
        ///
        /// A name without ownership: every call checks whether what it names is there.
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

/// What [`crate::Device::create_buffer`] makes.
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
    /// How pages are spread.
    pub layout: BufferLayout,
    /// How a sharded buffer is cut into shards.
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

/// What [`crate::Device::create_kernel`] makes.
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
}

/// What [`crate::Device::create_circular_buffer`] makes.
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

/// What [`crate::Device::create_semaphore`] makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SemaphoreConfig<'a> {
    /// For messages and captures.
    pub name: &'a str,
    /// On which cores.
    pub cores: &'a [CoreRange],
    /// What it holds at each launch.
    pub initial_value: u32,
}

/// A runtime argument: a word, or something that becomes one when the program is enqueued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Argument {
    /// A plain number.
    Value(u32),
    /// The bank-relative address of a buffer.
    BufferAddress {
        /// The buffer whose address it is.
        buffer: Buffer,
        /// Bytes added to it, modulo 2^32.
        offset: u32,
    },
    /// The L1 address of a semaphore, the same on all its cores.
    SemaphoreAddress {
        /// The semaphore whose address it is.
        semaphore: Semaphore,
        /// Bytes added to it, modulo 2^32.
        offset: u32,
    },
    /// The banks of two shards of a sharded buffer, for `TensorAccessor`.
    ShardBankPair {
        /// The sharded buffer.
        buffer: Buffer,
        /// The pair: shards twice this number and one more.
        pair: u32,
    },
    /// The x by which NoC requests name a core.
    CoreNocX(LogicalCore),
    /// The y by which NoC requests name a core.
    CoreNocY(LogicalCore),
}

impl From<u32> for Argument {
    fn from(value: u32) -> Self {
        Self::Value(value)
    }
}

impl Argument {
    /// The recorded form of an argument vector for some cores. At most 65535 in either coordinate of
    /// a [`Argument::CoreNocX`] core; larger ones are recorded as 65535, which lies in no grid.
    pub fn record(arguments: &[Self], cores: &[CoreRange]) -> CoreArguments {
        let mut values = Vec::with_capacity(arguments.len());
        let mut relocations = Vec::new();
        for (index, argument) in (0u32..).zip(arguments) {
            let (kind, object, offset) = match *argument {
                Self::Value(value) => {
                    values.push(value);
                    continue;
                }
                Self::BufferAddress { buffer, offset } => {
                    (RelocationKind::BufferAddress, buffer.id().0, offset)
                }
                Self::SemaphoreAddress { semaphore, offset } => {
                    (RelocationKind::SemaphoreAddress, semaphore.id().0, offset)
                }
                Self::ShardBankPair { buffer, pair } => {
                    (RelocationKind::ShardBankPair, buffer.id().0, pair)
                }
                Self::CoreNocX(core) => (RelocationKind::CoreNocX, pack_core(core), 0),
                Self::CoreNocY(core) => (RelocationKind::CoreNocY, pack_core(core), 0),
            };
            values.push(0);
            relocations.push(ArgumentRelocation { index, kind, object, offset });
        }
        CoreArguments { cores: cores.to_vec(), values, relocations }
    }

    /// The arguments of a recorded vector: [`Argument::record`] backwards.
    pub fn of_record(values: &[u32], relocations: &[ArgumentRelocation]) -> Vec<Self> {
        let mut arguments: Vec<Self> = values.iter().copied().map(Self::Value).collect();
        for &ArgumentRelocation { index, kind, object, offset } in relocations {
            let Some(place) = arguments.get_mut(index as usize) else { continue };
            *place = match kind {
                RelocationKind::BufferAddress => {
                    Self::BufferAddress { buffer: BufferId(object).into(), offset }
                }
                RelocationKind::SemaphoreAddress => {
                    Self::SemaphoreAddress { semaphore: SemaphoreId(object).into(), offset }
                }
                RelocationKind::ShardBankPair => {
                    Self::ShardBankPair { buffer: BufferId(object).into(), pair: offset }
                }
                RelocationKind::CoreNocX => Self::CoreNocX(unpack_core(object)),
                RelocationKind::CoreNocY => Self::CoreNocY(unpack_core(object)),
            };
        }
        arguments
    }

    /// The recorded form of the call that takes a vector of cores and a vector of argument vectors.
    ///
    /// One entry per pair. What has no partner makes the call fail, and is recorded too: a surplus
    /// vector as an entry without cores, surplus cores as one last entry without a vector.
    pub fn record_per_core(cores: &[LogicalCore], vectors: &[Vec<Self>]) -> Vec<CoreArguments> {
        let mut entries: Vec<CoreArguments> = cores
            .iter()
            .zip(vectors)
            .map(|(&core, vector)| Self::record(vector, &[CoreRange::single(core)]))
            .collect();
        entries.extend(vectors.iter().skip(cores.len()).map(|vector| Self::record(vector, &[])));
        let surplus = cores.get(vectors.len()..).unwrap_or_default();
        if !surplus.is_empty() {
            entries.push(CoreArguments::of_cores_alone(surplus));
        }
        entries
    }
}

fn pack_core(core: LogicalCore) -> u32 {
    core.x.min(0xFFFF) | core.y.min(0xFFFF) << 16
}

/// The core that a recorded coordinate argument means.
pub(crate) const fn unpack_core(object: u32) -> LogicalCore {
    LogicalCore { x: object & 0xFFFF, y: object >> 16 }
}

/// Data for a write. It is copied at the call.
#[derive(Clone, Copy, Debug)]
pub enum WriteData<'a> {
    /// These bytes.
    Bytes(&'a [u8]),
    /// What a recipe makes: a capture keeps the recipe instead of the bytes.
    Generated {
        /// The recipe.
        generator: Generator,
        /// Bytes that the recipe makes.
        length: u64,
    },
}

impl<'a> From<&'a [u8]> for WriteData<'a> {
    fn from(bytes: &'a [u8]) -> Self {
        Self::Bytes(bytes)
    }
}

/// A read under way or done, named by its place among the calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Read {
    pub(crate) command: CommandIndex,
}

impl Read {
    /// The call that asked for it.
    pub const fn command(self) -> CommandIndex {
        self.command
    }
}
