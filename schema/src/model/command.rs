use std::collections::BTreeMap;

use hallmark_chip::{LogicalCore, Processor};
use serde::{Deserialize, Serialize};

use super::{
    BufferId, BufferRegion, CircularBufferId, ContentHash, Data, DataType, EventId, Failure,
    KernelId, ProgramId, QueueId, Real, SemaphoreId, ShardSpec, TraceId,
};

/// Where a buffer's pages live.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BufferType {
    /// Device DRAM.
    Dram,
    /// L1 of the compute grid's tiles.
    L1,
}

/// How pages are spread over banks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BufferLayout {
    /// Page `i` lies in bank `i mod banks`.
    Interleaved,
    /// Shards are rows of pages, one after the other.
    HeightSharded,
    /// Shards are columns of pages.
    WidthSharded,
    /// Shards are rectangles of pages, row by row.
    BlockSharded,
}

impl BufferLayout {
    /// Whether each core of a shard specification holds one shard.
    pub const fn is_sharded(self) -> bool {
        match self {
            Self::Interleaved => false,
            Self::HeightSharded | Self::WidthSharded | Self::BlockSharded => true,
        }
    }
}

/// `RISCV_0` runs on BRISC, `RISCV_1` on NCRISC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DataMovementProcessor {
    /// BRISC.
    #[serde(rename = "riscv_0")]
    Riscv0,
    /// NCRISC.
    #[serde(rename = "riscv_1")]
    Riscv1,
}

/// The network that a data-movement kernel uses by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum NocId {
    /// NoC 0.
    #[serde(rename = "noc_0")]
    Noc0,
    /// NoC 1.
    #[serde(rename = "noc_1")]
    Noc1,
}

/// Passes of the matrix unit; recorded for compute kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MathFidelity {
    /// One pass.
    LoFi,
    /// Two passes.
    #[serde(rename = "hifi2")]
    HiFi2,
    /// Three passes.
    #[serde(rename = "hifi3")]
    HiFi3,
    /// Four passes.
    #[serde(rename = "hifi4")]
    HiFi4,
}

/// The data format declared for a circular buffer's index, with upstream's meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DataFormat {
    /// IEEE single.
    Float32,
    /// bfloat16.
    #[serde(rename = "float16_b")]
    Float16B,
    /// 32-bit signed.
    Int32,
    /// 32-bit unsigned.
    #[serde(rename = "uint32")]
    UInt32,
    /// 16-bit unsigned.
    #[serde(rename = "uint16")]
    UInt16,
    /// 8-bit unsigned.
    #[serde(rename = "uint8")]
    UInt8,
}

/// How programs are launched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DispatchMode {
    /// The host writes, launches and polls.
    Host,
    /// Firmware on a reserved tile does, by commands that the host puts into its ring.
    Device,
}

/// A rectangle of logical cores, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CoreRange {
    /// The corner with the smaller coordinates.
    #[serde(with = "core")]
    pub start: LogicalCore,
    /// The opposite corner.
    #[serde(with = "core")]
    pub end: LogicalCore,
}

impl CoreRange {
    /// The range of one core.
    pub const fn single(core: LogicalCore) -> Self {
        Self { start: core, end: core }
    }

    /// Its cores, row by row. Empty where start lies beyond end.
    pub fn cores(self) -> impl Iterator<Item = LogicalCore> {
        (self.start.y..=self.end.y)
            .flat_map(move |y| (self.start.x..=self.end.x).map(move |x| LogicalCore { x, y }))
    }

    /// Whether a core lies inside.
    pub const fn contains(self, core: LogicalCore) -> bool {
        self.start.x <= core.x
            && core.x <= self.end.x
            && self.start.y <= core.y
            && core.y <= self.end.y
    }

    /// Whether a core lies in both.
    pub const fn overlaps(self, other: Self) -> bool {
        self.start.x <= other.end.x
            && other.start.x <= self.end.x
            && self.start.y <= other.end.y
            && other.start.y <= self.end.y
    }
}

/// A map in which a key stands once: of two definitions of a name, none is the right one.
fn defines<'de, D: serde::Deserializer<'de>>(
    from: D,
) -> Result<BTreeMap<String, String>, D::Error> {
    struct Visitor;
    impl<'de> serde::de::Visitor<'de> for Visitor {
        type Value = BTreeMap<String, String>;

        fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            formatter.write_str("definitions by their names")
        }

        fn visit_map<A: serde::de::MapAccess<'de>>(
            self,
            mut map: A,
        ) -> Result<Self::Value, A::Error> {
            let mut defines = BTreeMap::new();
            while let Some((name, value)) = map.next_entry::<String, String>()? {
                if defines.contains_key(&name) {
                    let twice = format!("`{name}` is defined twice; keep one definition");
                    return Err(serde::de::Error::custom(twice));
                }
                defines.insert(name, value);
            }
            Ok(defines)
        }
    }
    from.deserialize_map(Visitor)
}

mod core {
    use hallmark_chip::LogicalCore;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<S: Serializer>(core: &LogicalCore, to: S) -> Result<S::Ok, S::Error> {
        [core.x, core.y].serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<LogicalCore, D::Error> {
        let [x, y] = <[u32; 2]>::deserialize(from)?;
        Ok(LogicalCore { x, y })
    }
}

/// What a kernel runs on and how.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum KernelConfig {
    /// On one of the two data-movement processors.
    DataMovement {
        /// Which one.
        processor: DataMovementProcessor,
        /// Its default network.
        noc: NocId,
    },
    /// On the three compute threads: one source built three times.
    Compute {
        /// Passes of the matrix unit.
        math_fidelity: MathFidelity,
        /// 32-bit accumulation in the destination registers.
        fp32_dest_acc_en: bool,
        /// Approximate transcendental functions.
        math_approx_mode: bool,
    },
}

impl KernelConfig {
    /// The processors that such a kernel occupies, each with a build of its own.
    pub const fn processors(&self) -> &'static [Processor] {
        match self {
            Self::DataMovement { processor: DataMovementProcessor::Riscv0, .. } => {
                &[Processor::Brisc]
            }
            Self::DataMovement { processor: DataMovementProcessor::Riscv1, .. } => {
                &[Processor::Ncrisc]
            }
            Self::Compute { .. } => &[Processor::Trisc0, Processor::Trisc1, Processor::Trisc2],
        }
    }
}

/// What an argument word stands for instead of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RelocationKind {
    /// The bank-relative address of a buffer, plus `offset`. `object` is its [`BufferId`].
    BufferAddress,
    /// The L1 address of a semaphore, plus `offset`. `object` is its [`SemaphoreId`].
    SemaphoreAddress,
    /// The x by which NoC requests name a core. `object` is `x | y << 16` of the logical core.
    CoreNocX,
    /// The y by which NoC requests name a core. `object` is `x | y << 16` of the logical core.
    CoreNocY,
    /// The banks of two shards of a sharded buffer as `TensorAccessor` reads them, 16 bits each, of the
    /// shards twice `offset` and one more: `x << 8 | y` by which NoC requests name the core, or the
    /// number of DRAM's bank `<< 8`; 0 for a shard that there is not. `object` is the [`BufferId`].
    ShardBankPair,
}

/// An argument word that the runtime fills in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArgumentRelocation {
    /// Which word; each at most once, ascending. The word itself is 0 in `values`.
    pub index: u32,
    /// What it stands for.
    pub kind: RelocationKind,
    /// The object, as `kind` says.
    pub object: u32,
    /// Added to an address; 0 for coordinates; which pair of a buffer's shards.
    pub offset: u32,
}

/// The arguments of a kernel on some of its cores.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CoreArguments {
    /// The cores that get them.
    pub cores: Vec<CoreRange>,
    /// The words.
    pub values: Vec<u32>,
    /// The words that are not plain numbers, ascending by index.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub relocations: Vec<ArgumentRelocation>,
}

/// One index of a circular buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CircularBufferIndex {
    /// The number by which kernels name it.
    pub index: u32,
    /// Bytes per page.
    pub page_size: u32,
    /// Declared format.
    pub data_format: DataFormat,
}

/// Where a circular buffer lies that takes its memory from a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GloballyAllocatedAddress {
    /// The buffer, in L1.
    pub buffer: BufferId,
    /// Bytes from its address on.
    pub address_offset: u32,
}

/// What must come back from a read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Expectation {
    /// Nothing is known beforehand: a replay must return what the capture returned.
    AsCaptured,
    /// Exactly the bytes with this hash.
    Exact {
        /// Their hash.
        hash: ContentHash,
    },
    /// Something close to reference data.
    Reference {
        /// The reference.
        data: Data,
        /// How close.
        tolerance: Tolerance,
    },
    /// Nothing is compared, not even between capture and replay.
    Unchecked {
        /// Why.
        reason: String,
    },
}

/// How far a value may lie from its reference: within any one of the limits that are not 0.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tolerance {
    /// Element encoding of both sides.
    pub data_type: DataType,
    /// Units in the last place.
    pub ulp: u32,
    /// Why the result is not exact.
    pub reason: String,
    /// The largest difference.
    #[serde(default, skip_serializing_if = "Real::is_zero")]
    pub absolute: Real,
    /// The largest difference as a part of the reference's magnitude.
    #[serde(default, skip_serializing_if = "Real::is_zero")]
    pub relative: Real,
}

/// A call of the host API.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Command {
    /// `CreateBuffer`.
    CreateBuffer {
        /// Its id.
        buffer: BufferId,
        /// Its name in the suite.
        name: String,
        /// Bytes.
        size: u64,
        /// Bytes per page.
        page_size: u64,
        /// DRAM or L1.
        buffer_type: BufferType,
        /// Spread over banks.
        layout: BufferLayout,
        /// How it is cut into shards, if it is.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        shard_spec: Option<ShardSpec>,
        /// From which end of the memory it is taken, if that was asked for.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        bottom_up: Option<bool>,
    },
    /// `DeallocateBuffer`.
    DeallocateBuffer {
        /// Which.
        buffer: BufferId,
    },
    /// `CreateProgram`.
    CreateProgram {
        /// Its id.
        program: ProgramId,
        /// Its name in the suite.
        name: String,
    },
    /// `CreateKernel`.
    CreateKernel {
        /// Its id.
        kernel: KernelId,
        /// Its name in the suite.
        name: String,
        /// The program that it joins.
        program: ProgramId,
        /// The path of its source, relative to the suites, with `/`; one of the program part's sources.
        source: String,
        /// Where it runs.
        cores: Vec<CoreRange>,
        /// On what.
        config: KernelConfig,
        /// Compile-time arguments.
        compile_args: Vec<u32>,
        /// Preprocessor definitions.
        #[serde(deserialize_with = "defines")]
        defines: BTreeMap<String, String>,
    },
    /// `SetRuntimeArgs`, in its form for one core range set (one entry) or for a vector of cores.
    SetRuntimeArgs {
        /// Which kernel.
        kernel: KernelId,
        /// Arguments per set of cores.
        args: Vec<CoreArguments>,
    },
    /// `CreateCircularBuffer`.
    CreateCircularBuffer {
        /// Its id.
        circular_buffer: CircularBufferId,
        /// Its name in the suite.
        name: String,
        /// The program that it joins.
        program: ProgramId,
        /// On which cores.
        cores: Vec<CoreRange>,
        /// Bytes on each core.
        total_size: u64,
        /// The indices that share the memory, ascending.
        indices: Vec<CircularBufferIndex>,
        /// Where it lies, if the program does not place it: upstream's dynamic circular buffer.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        globally_allocated_address: Option<GloballyAllocatedAddress>,
    },
    /// `CreateSemaphore`.
    CreateSemaphore {
        /// Its id.
        semaphore: SemaphoreId,
        /// Its name in the suite.
        name: String,
        /// The program that it joins.
        program: ProgramId,
        /// On which cores.
        cores: Vec<CoreRange>,
        /// What it holds at each launch.
        initial_value: u32,
    },
    /// `EnqueueWriteBuffer`.
    EnqueueWriteBuffer {
        /// On which queue.
        queue: QueueId,
        /// Into which buffer.
        buffer: BufferId,
        /// What.
        data: Data,
        /// Whether the call waits.
        blocking: bool,
        /// Which bytes; the whole buffer if `None`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        region: Option<BufferRegion>,
    },
    /// `EnqueueReadBuffer`.
    EnqueueReadBuffer {
        /// On which queue.
        queue: QueueId,
        /// From which buffer.
        buffer: BufferId,
        /// The name of what comes back; each at most once in a capture.
        output: String,
        /// Whether the call waits.
        blocking: bool,
        /// What must come back.
        expectation: Expectation,
        /// Which bytes; the whole buffer if `None`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        region: Option<BufferRegion>,
    },
    /// `EnqueueProgram`.
    EnqueueProgram {
        /// On which queue.
        queue: QueueId,
        /// Which program.
        program: ProgramId,
        /// Whether the call waits.
        blocking: bool,
    },
    /// `Finish`: waits until everything enqueued on the queue is done.
    Finish {
        /// Which queue.
        queue: QueueId,
    },
    /// `SetCommonRuntimeArgs`: words that all cores of a kernel share. Once for a kernel.
    SetCommonRuntimeArgs {
        /// Which kernel.
        kernel: KernelId,
        /// The words.
        values: Vec<u32>,
        /// The words that are not plain numbers, ascending by index.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        relocations: Vec<ArgumentRelocation>,
    },
    /// `GetCommonRuntimeArgs` and writing to what it gives: other words from the next launch on.
    UpdateCommonRuntimeArgs {
        /// Which kernel.
        kernel: KernelId,
        /// The first word that changes.
        first: u32,
        /// The new words.
        values: Vec<u32>,
        /// Those of them that are not plain numbers, ascending by index, counted from `first`.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        relocations: Vec<ArgumentRelocation>,
    },
    /// `Buffer::view`: a part of a buffer under an id of its own.
    CreateBufferView {
        /// Its id, one of the buffers' ids.
        buffer: BufferId,
        /// Its name in the suite.
        name: String,
        /// The buffer, or view, that it is a part of.
        parent: BufferId,
        /// Which part.
        region: BufferRegion,
    },
    /// `UpdateCircularBufferTotalSize`: another size from the next launch on.
    UpdateCircularBufferTotalSize {
        /// Which.
        circular_buffer: CircularBufferId,
        /// Bytes on each core.
        total_size: u64,
    },
    /// `UpdateCircularBufferPageSize`: another page size of an index from the next launch on.
    UpdateCircularBufferPageSize {
        /// Which.
        circular_buffer: CircularBufferId,
        /// Which of its indices.
        index: u32,
        /// Bytes per page.
        page_size: u32,
    },
    /// `UpdateDynamicCircularBufferAddress`: the memory of another buffer from the next launch on.
    UpdateDynamicCircularBufferAddress {
        /// Which.
        circular_buffer: CircularBufferId,
        /// The buffer, in L1.
        buffer: BufferId,
        /// Bytes from its address on.
        address_offset: u32,
    },
    /// `UpdateDynamicCircularBufferAddressAndTotalSize`: another buffer and size; the offset stays.
    UpdateDynamicCircularBufferAddressAndTotalSize {
        /// Which.
        circular_buffer: CircularBufferId,
        /// The buffer, in L1.
        buffer: BufferId,
        /// Bytes on each core.
        total_size: u64,
    },
    /// `EnqueueRecordEvent`, or `EnqueueRecordEventToHost`: an event that happens once everything
    /// enqueued before it on its queue is done. Every call makes another event.
    EnqueueRecordEvent {
        /// On which queue.
        queue: QueueId,
        /// Its id.
        event: EventId,
        /// Its name in the suite.
        name: String,
        /// Whether the host may wait for it and ask about it.
        host_visible: bool,
        /// The number that the queue must give it, if the host program expects one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        number: Option<u32>,
    },
    /// `EnqueueWaitForEvent`: nothing enqueued later on the queue begins before the event happened.
    EnqueueWaitForEvent {
        /// Which queue waits.
        queue: QueueId,
        /// For what.
        event: EventId,
    },
    /// `EventSynchronize`: the host waits for an event.
    EventSynchronize {
        /// For what.
        event: EventId,
    },
    /// `EventQuery`: whether an event has happened.
    EventQuery {
        /// Which.
        event: EventId,
        /// What the answer must be, if the host program expects one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        expected: Option<bool>,
    },
    /// `BeginTraceCapture`: programs enqueued on the queue are recorded from now on, not run.
    BeginTraceCapture {
        /// Which queue.
        queue: QueueId,
        /// The trace's id.
        trace: TraceId,
        /// Its name in the suite.
        name: String,
    },
    /// `EndTraceCapture`: the trace is complete and takes its place in device memory.
    EndTraceCapture {
        /// Which queue.
        queue: QueueId,
        /// The trace that was begun on it.
        trace: TraceId,
    },
    /// `ReplayTrace`: everything that the trace holds, once more.
    ReplayTrace {
        /// On which queue.
        queue: QueueId,
        /// Which trace.
        trace: TraceId,
        /// Whether the call waits.
        blocking: bool,
    },
    /// `ReleaseTrace`: gives the trace's place in device memory back.
    ReleaseTrace {
        /// Which trace.
        trace: TraceId,
    },
    /// `CollectTrace`: a trace as bytes, which any process can load. The bytes themselves stand in the
    /// record: they depend on the firmware, and the calls that made the trace say the same.
    CollectTrace {
        /// Which trace.
        trace: TraceId,
        /// What later commands call the bytes; each name at most once in a capture.
        collected: String,
    },
    /// `LoadTrace`: a trace out of bytes, with the addresses that buffers have now.
    LoadTrace {
        /// Its id, one of the traces' ids.
        trace: TraceId,
        /// Its name in the suite.
        name: String,
        /// What a `CollectTrace` called the bytes.
        from: String,
        /// Buffers that take the place of those that the trace was made with, ascending by those. The
        /// others are the live ones with their names.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        buffers: Vec<TraceBuffer>,
    },
}

/// Which buffer takes the place of one that stood in a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TraceBuffer {
    /// The buffer whose address stood in the trace when it was made.
    pub recorded: BufferId,
    /// The one whose address stands there now.
    pub buffer: BufferId,
}

impl Command {
    /// The command queue that it is given to, if it is.
    pub const fn queue(&self) -> Option<QueueId> {
        match self {
            Self::EnqueueWriteBuffer { queue, .. }
            | Self::EnqueueReadBuffer { queue, .. }
            | Self::EnqueueProgram { queue, .. }
            | Self::Finish { queue }
            | Self::EnqueueRecordEvent { queue, .. }
            | Self::EnqueueWaitForEvent { queue, .. }
            | Self::BeginTraceCapture { queue, .. }
            | Self::EndTraceCapture { queue, .. }
            | Self::ReplayTrace { queue, .. } => Some(*queue),
            Self::CreateBuffer { .. }
            | Self::DeallocateBuffer { .. }
            | Self::CreateProgram { .. }
            | Self::CreateKernel { .. }
            | Self::SetRuntimeArgs { .. }
            | Self::CreateCircularBuffer { .. }
            | Self::CreateSemaphore { .. }
            | Self::SetCommonRuntimeArgs { .. }
            | Self::UpdateCommonRuntimeArgs { .. }
            | Self::CreateBufferView { .. }
            | Self::UpdateCircularBufferTotalSize { .. }
            | Self::UpdateCircularBufferPageSize { .. }
            | Self::UpdateDynamicCircularBufferAddress { .. }
            | Self::UpdateDynamicCircularBufferAddressAndTotalSize { .. }
            | Self::EventSynchronize { .. }
            | Self::EventQuery { .. }
            | Self::ReleaseTrace { .. }
            | Self::CollectTrace { .. }
            | Self::LoadTrace { .. } => None,
        }
    }
}

macro_rules! command_kinds {
    ($($kind:ident $name:literal),* $(,)?) => {
        /// A command without its arguments: its name wherever one is written.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum CommandKind {
            $(#[doc = concat!("`", $name, "`.")] $kind,)*
        }

        impl CommandKind {
            /// Every kind, in the order of its number in the capture format.
            pub const ALL: &'static [Self] = &[$(Self::$kind),*];

            /// Its name in snake_case.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$kind => $name),* }
            }
        }

        impl Command {
            /// Which call it is.
            pub const fn kind(&self) -> CommandKind {
                match self { $(Self::$kind { .. } => CommandKind::$kind),* }
            }
        }
    };
}

command_kinds! {
    CreateBuffer "create_buffer",
    DeallocateBuffer "deallocate_buffer",
    CreateProgram "create_program",
    CreateKernel "create_kernel",
    SetRuntimeArgs "set_runtime_args",
    CreateCircularBuffer "create_circular_buffer",
    CreateSemaphore "create_semaphore",
    EnqueueWriteBuffer "enqueue_write_buffer",
    EnqueueReadBuffer "enqueue_read_buffer",
    EnqueueProgram "enqueue_program",
    Finish "finish",
    SetCommonRuntimeArgs "set_common_runtime_args",
    UpdateCommonRuntimeArgs "update_common_runtime_args",
    CreateBufferView "create_buffer_view",
    UpdateCircularBufferTotalSize "update_circular_buffer_total_size",
    UpdateCircularBufferPageSize "update_circular_buffer_page_size",
    UpdateDynamicCircularBufferAddress "update_dynamic_circular_buffer_address",
    UpdateDynamicCircularBufferAddressAndTotalSize
        "update_dynamic_circular_buffer_address_and_total_size",
    EnqueueRecordEvent "enqueue_record_event",
    EnqueueWaitForEvent "enqueue_wait_for_event",
    EventSynchronize "event_synchronize",
    EventQuery "event_query",
    BeginTraceCapture "begin_trace_capture",
    EndTraceCapture "end_trace_capture",
    ReplayTrace "replay_trace",
    ReleaseTrace "release_trace",
    CollectTrace "collect_trace",
    LoadTrace "load_trace",
}

/// What came of a command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The call returned.
    Done,
    /// The call returned this error.
    Failed(Failure),
    /// The process ended before the call returned.
    Unfinished,
}

/// A command and what came of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedCommand {
    /// The call.
    pub command: Command,
    /// Its outcome.
    pub outcome: Outcome,
}

impl std::fmt::Display for BufferType {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.pad(match self {
            Self::Dram => "DRAM",
            Self::L1 => "L1",
        })
    }
}
