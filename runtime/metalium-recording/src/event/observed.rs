//! The objects of TT-Metalium in events, in their state at that moment.

use hallmark_schema::model::CoreRange;

use crate::selection::Selection;

/// A buffer, by TT-Metalium's unique id of the device's buffer behind a mesh buffer. Ids are not reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObservedBuffer(pub u64);

/// A program, by TT-Metalium's program id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObservedProgram(pub u64);

/// An event. TT-Metalium numbers the events of each queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObservedEvent {
    /// The queue on which it was recorded.
    pub queue: u8,
    /// Its number on that queue.
    pub number: u32,
}

/// A trace, by TT-Metalium's id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObservedTrace(pub u32);

/// A thread of the command, in the order in which the threads made their first call: 0 is the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ThreadNumber(pub u32);

/// The library through which the command uses its device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LibraryLoaded {
    /// The command's process.
    pub process: u32,
    /// The path of the library.
    pub path: String,
    /// TT-Metalium's root folder, relative to which kernel paths are searched.
    pub root: String,
    /// The command's current folder, in which they are searched first.
    pub folder: String,
    /// TT-Metalium's cache folder for builds.
    pub cache: String,
    /// Whether the host dispatches programs ("slow dispatch").
    pub is_slow_dispatch: bool,
    /// Whether the device is a simulator's.
    pub is_simulated: bool,
    /// The launches that the recording was requested for.
    pub selection: Selection,
}

/// A device is open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceOpened {
    /// The index of the device among those that the process opened, from 0.
    pub device: u32,
    /// `tt::ARCH`, as TT-Metalium numbers architectures.
    pub architecture: u32,
    /// Columns and rows of worker cores that programs may use.
    pub grid: (u32, u32),
    /// Bytes of each core's L1 for buffers of the kind L1_SMALL.
    pub l1_small_size: u64,
    /// Bytes of each DRAM bank for traces.
    pub trace_region_size: u64,
    /// Command queues.
    pub num_command_queues: u8,
    /// Bytes of L1 for buffers and circular buffers; 0 leaves it to TT-Metalium.
    pub worker_l1_size: u64,
    /// TT-Metalium's number of the chip.
    pub chip: u32,
    /// The Tensix tiles that are fused off, as columns and rows of NoC 0.
    pub harvested: Vec<(u32, u32)>,
}

/// The sharding of a buffer, as in `ShardSpecBuffer`: heights precede widths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sharding {
    /// The cores that have shards, in their order.
    pub cores: Vec<CoreRange>,
    /// Elements of a shard.
    pub shape: (u32, u32),
    /// `ShardOrientation`: 0 row-major, 1 column-major.
    pub orientation: u32,
    /// Elements of a page.
    pub page_shape: (u32, u32),
    /// Pages of the whole tensor.
    pub tensor_shape_in_pages: (u32, u32),
}

/// A buffer has been made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BufferAllocated {
    /// Its id.
    pub buffer: ObservedBuffer,
    /// The device that it was made on.
    pub device: u32,
    /// Its first address in each bank.
    pub address: u64,
    /// Whether the program chose the address: such a buffer lies inside another one, or in memory that was not
    /// allocated.
    pub is_at_given_address: bool,
    /// Its size in bytes.
    pub size: u64,
    /// Bytes of a page.
    pub page_size: u64,
    /// Its bytes in each bank.
    pub size_per_bank: u64,
    /// `BufferType`: 0 DRAM, 1 L1, 2 system memory, 3 L1_SMALL, 4 trace.
    pub buffer_type: u32,
    /// `TensorMemoryLayout`: 0 interleaved, 2 height-, 3 width-, 4 block-sharded.
    pub layout: u32,
    /// Whether it was allocated from the bottom, if the program specified it.
    pub bottom_up: Option<bool>,
    /// The sharding, if it is sharded.
    pub sharding: Option<Sharding>,
}

/// The origin of a kernel's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KernelText {
    /// A file: the path that the program passed, the path that TT-Metalium resolved, and the text at the
    /// enqueue; `None` if the file could not be read.
    File {
        /// The path that the program passed.
        path: String,
        /// The path of the file that the recorder found.
        resolved: String,
        /// The content of the file.
        text: Option<Vec<u8>>,
    },
    /// The text that the program passed.
    Text(Vec<u8>),
}

/// The configuration of a data movement kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataMovementOptions {
    /// `DataMovementProcessor`: 0 and 1.
    pub processor: u32,
    /// `NOC`: 0 and 1.
    pub noc: u8,
    /// `NOC_MODE`: 0 dedicated, 1 dynamic.
    pub noc_mode: u8,
}

/// The configuration of a compute kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComputeOptions {
    /// `MathFidelity`: 0, 2, 3, 4.
    pub math_fidelity: u8,
    /// Accumulates in 32 bits.
    pub fp32_dest_acc_en: bool,
    /// Uses the destination registers as one.
    pub dst_full_sync_en: bool,
    /// `UnpackToDestMode` of each circular buffer, or empty.
    pub unpack_to_dest_mode: Vec<u8>,
    /// Packs bfp8 precisely.
    pub bfp8_pack_precise: bool,
    /// Approximates.
    pub math_approx_mode: bool,
}

/// The processors and the configuration of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KernelOptions {
    /// On BRISC or NCRISC.
    DataMovement(DataMovementOptions),
    /// On the three TRISCs.
    Compute(ComputeOptions),
    /// A kind that captures do not support, by the name of its class.
    Other(String),
}

/// A kernel of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelDescription {
    /// Its source.
    pub text: KernelText,
    /// The cores that it runs on.
    pub cores: Vec<CoreRange>,
    /// Its configuration.
    pub options: KernelOptions,
    /// `KernelBuildOptLevel`: O1, O2, O3, O0, Os, Ofast, Oz from 0.
    pub opt_level: u8,
    /// Compile-time arguments by position.
    pub compile_args: Vec<u32>,
    /// Compile-time arguments by name, ascending by the name.
    pub named_compile_args: Vec<(String, u32)>,
    /// Preprocessor definitions, ascending by the name.
    pub defines: Vec<(String, String)>,
    /// Whether its source uses bindings (`args::`, `dfb::`, `sem::`) that TT-Metalium generates.
    pub has_generated_bindings: bool,
    /// Memory of its own.
    pub scratchpads: Vec<Scratchpad>,
}

/// A scratchpad of a kernel ("Metal 2.0").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scratchpad {
    /// The index of the common argument that holds its address.
    pub argument: u32,
    /// Its bytes on each core.
    pub size: u32,
}

/// A dataflow buffer of a program ("Metal 2.0"), which becomes a circular buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataflowBuffer {
    /// Its id in the program.
    pub id: u32,
    /// The index of the circular buffer that it becomes.
    pub index: u32,
    /// The cores that have it.
    pub cores: Vec<CoreRange>,
    /// Bytes of an entry.
    pub entry_size: u32,
    /// The number of its entries.
    pub entries: u32,
    /// `tt::DataFormat`.
    pub data_format: u8,
}

/// A semaphore of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SemaphoreDescription {
    /// Its id in the program.
    pub id: u32,
    /// The cores that have it.
    pub cores: Vec<CoreRange>,
    /// Its value at each launch.
    pub initial_value: u32,
    /// `CoreType`; not that of workers for a semaphore on other cores.
    pub core_type: u32,
}

/// The properties of a program that do not change between its enqueues. The description precedes the first
/// enqueue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramDescription {
    /// The program.
    pub program: ObservedProgram,
    /// The operation that it implements, named after the folder of its kernels.
    pub operation: String,
    /// The kernels in the order of their handles.
    pub kernels: Vec<KernelDescription>,
    /// The dataflow buffers in the order of their ids.
    pub dataflow_buffers: Vec<DataflowBuffer>,
    /// The semaphores in the order of their ids.
    pub semaphores: Vec<SemaphoreDescription>,
}

/// The tile of a circular buffer's index. Heights precede widths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ObservedTile {
    /// Elements of the tile.
    pub shape: (u32, u32),
    /// Elements of a face.
    pub face_shape: (u32, u32),
    /// Whether the elements within a face are transposed.
    pub transposes_within_face: bool,
    /// Whether the faces of a tile are transposed.
    pub transposes_faces: bool,
}

/// An index of a circular buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfiguredIndex {
    /// The index: 0 to 31, or to 63 on newer chips.
    pub index: u8,
    /// Bytes of a page.
    pub page_size: u32,
    /// `tt::DataFormat`.
    pub data_format: u8,
    /// Its tile, if the program specified one.
    pub tile: Option<ObservedTile>,
}

/// A circular buffer in its state at an enqueue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CircularBufferState {
    /// The cores that have it.
    pub cores: Vec<CoreRange>,
    /// Bytes on each core.
    pub total_size: u32,
    /// Its indices, ascending.
    pub indices: Vec<ConfiguredIndex>,
    /// The address of its memory, if that belongs to a buffer.
    pub given_address: Option<u32>,
}

/// Runtime arguments of a core.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoreWords {
    /// The logical core.
    pub core: (u32, u32),
    /// Its words.
    pub words: Vec<u32>,
}

/// A kernel's runtime arguments at an enqueue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelArguments {
    /// The common arguments.
    pub common: Vec<u32>,
    /// The cores with unique arguments, ascending by x, then y.
    pub cores: Vec<CoreWords>,
}

/// A program is about to be enqueued.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramEnqueued {
    /// The program.
    pub program: ObservedProgram,
    /// The queue.
    pub queue: u8,
    /// Whether the call waits.
    pub blocking: bool,
    /// The circular buffers in the order of creation.
    pub circular_buffers: Vec<CircularBufferState>,
    /// The arguments of each kernel, in the order of the handles.
    pub arguments: Vec<KernelArguments>,
}

/// The region of a buffer that a write or read transfers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// The buffer.
    pub buffer: ObservedBuffer,
    /// The queue.
    pub queue: u8,
    /// The first byte of the region.
    pub offset: u64,
    /// The number of bytes.
    pub size: u64,
    /// Whether the call waits.
    pub blocking: bool,
}
