//! The failures of calls. Each is one code, with typed fields that a capture keeps and a sentence for people.

use std::fmt;

use hallmark_chip::{FaultCategory, LogicalCore, Processor};
use serde::{Deserialize, Serialize};

use super::{BufferId, BufferType, CommandIndex, EventId, KernelId, ProgramId, QueueId, TraceId};

/// A kind of object that a host program makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[repr(u8)]
pub enum ObjectKind {
    /// A buffer.
    Buffer = 1,
    /// A program.
    Program = 2,
    /// A kernel.
    Kernel = 3,
    /// A circular buffer.
    CircularBuffer = 4,
    /// A semaphore.
    Semaphore = 5,
    /// An event.
    Event = 6,
    /// A trace.
    Trace = 7,
}

impl ObjectKind {
    /// Every kind, in the order of its number in the capture format.
    pub const ALL: [Self; 7] = [
        Self::Buffer,
        Self::Program,
        Self::Kernel,
        Self::CircularBuffer,
        Self::Semaphore,
        Self::Event,
        Self::Trace,
    ];
}

impl fmt::Display for ObjectKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Self::Buffer => "buffer",
            Self::Program => "program",
            Self::Kernel => "kernel",
            Self::CircularBuffer => "circular buffer",
            Self::Semaphore => "semaphore",
            Self::Event => "event",
            Self::Trace => "trace",
        })
    }
}

/// A field's value as a number, the form in which captures and suites hold it.
pub trait FieldValue: Sized {
    /// The number of the value in captures.
    fn to_number(&self) -> u64;
    /// The value of a number, if the number is in range.
    fn from_number(number: u64) -> Option<Self>;
    /// The value as a suite writes it: a number, the name of an enum's value, or `x,y`.
    fn to_text(&self) -> String {
        self.to_number().to_string()
    }
}

macro_rules! number_fields {
    ($($type:ty: $wrap:expr, $unwrap:expr;)*) => {$(
        impl FieldValue for $type {
            fn to_number(&self) -> u64 {
                let unwrap: fn(&$type) -> u64 = $unwrap;
                unwrap(self)
            }
            fn from_number(number: u64) -> Option<Self> {
                let wrap: fn(u64) -> Option<$type> = $wrap;
                wrap(number)
            }
        }
    )*};
}

number_fields! {
    u64: Some, |value| *value;
    u32: |number| number.try_into().ok(), |value| u64::from(*value);
    BufferId: |number| number.try_into().ok().map(BufferId), |id| u64::from(id.0);
    ProgramId: |number| number.try_into().ok().map(ProgramId), |id| u64::from(id.0);
    KernelId: |number| number.try_into().ok().map(KernelId), |id| u64::from(id.0);
    EventId: |number| number.try_into().ok().map(EventId), |id| u64::from(id.0);
    TraceId: |number| number.try_into().ok().map(TraceId), |id| u64::from(id.0);
    QueueId: |number| number.try_into().ok().map(QueueId), |id| u64::from(id.0);
    CommandIndex: |number| number.try_into().ok().map(CommandIndex), |index| u64::from(index.0);
}

impl FieldValue for LogicalCore {
    fn to_number(&self) -> u64 {
        u64::from(self.x) | u64::from(self.y) << 32
    }
    fn from_number(number: u64) -> Option<Self> {
        Some(Self { x: number as u32, y: (number >> 32) as u32 })
    }
    fn to_text(&self) -> String {
        format!("{},{}", self.x, self.y)
    }
}

impl FieldValue for FaultCategory {
    fn to_number(&self) -> u64 {
        Self::ALL.iter().position(|category| category == self).map_or(0, |at| at as u64 + 1)
    }
    fn from_number(number: u64) -> Option<Self> {
        Self::ALL.get(usize::try_from(number).ok()?.checked_sub(1)?).copied()
    }
    fn to_text(&self) -> String {
        self.name().to_owned()
    }
}

impl FieldValue for Processor {
    fn to_number(&self) -> u64 {
        self.index() as u64 + 1
    }
    fn from_number(number: u64) -> Option<Self> {
        Self::ALL.get(usize::try_from(number).ok()?.checked_sub(1)?).copied()
    }
    fn to_text(&self) -> String {
        self.name().to_owned()
    }
}

impl FieldValue for ObjectKind {
    fn to_number(&self) -> u64 {
        *self as u64
    }
    fn from_number(number: u64) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.to_number() == number)
    }
    fn to_text(&self) -> String {
        self.to_string().replace(' ', "_")
    }
}

impl FieldValue for BufferType {
    fn to_number(&self) -> u64 {
        match self {
            Self::Dram => 1,
            Self::L1 => 2,
            Self::L1Small => 3,
        }
    }
    fn from_number(number: u64) -> Option<Self> {
        match number {
            1 => Some(Self::Dram),
            2 => Some(Self::L1),
            3 => Some(Self::L1Small),
            _ => None,
        }
    }
    fn to_text(&self) -> String {
        match self {
            Self::Dram => "dram".to_owned(),
            Self::L1 => "l1".to_owned(),
            Self::L1Small => "l1_small".to_owned(),
        }
    }
}

macro_rules! field_names {
    ($($number:literal $name:ident $variant:ident),* $(,)?) => {
        /// The name of a failure's field.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u16)]
        pub enum FieldName {
            $(#[doc = concat!("`", stringify!($name), "`.")] $variant = $number,)*
        }

        impl FieldName {
            /// Every field of a failure, in the order of its number.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The name in suites.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => stringify!($name)),* }
            }
        }

        macro_rules! field_name {
            $(($name) => { FieldName::$variant };)*
        }
    };
}

field_names! {
    1 size Size, 2 page_size PageSize, 3 alignment Alignment, 4 buffer Buffer, 5 program Program,
    6 kernel Kernel, 7 core Core, 8 object Object, 9 id Id, 10 index Index, 11 limit Limit,
    12 count Count, 13 before Before, 14 after After, 15 processor Processor, 16 noc Noc,
    17 buffer_type BufferType, 18 banks Banks, 19 expected Expected, 20 actual Actual,
    21 category Category, 22 enqueue Enqueue, 23 columns Columns, 24 rows Rows, 25 cores Cores,
    26 vectors Vectors, 27 offset Offset, 28 queue Queue, 29 trace Trace, 30 event Event,
    31 first First, 32 second Second, 33 unplaced Unplaced,
}

macro_rules! failures {
    ($(
        $(#[$doc:meta])*
        $number:literal $variant:ident { $($field:ident: $type:ty),* $(,)? }
        = $message:literal => $remedy:literal;
    )*) => {
        /// Why a call failed: a code, and typed fields. The message is made from them; captures record neither
        /// the message nor the remedy.
        #[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
        pub enum Failure {
            $(
                $(#[$doc])*
                #[error($message)]
                $variant { $(#[doc = concat!("`", stringify!($field), "`.")] $field: $type),* },
            )*
        }

        /// A failure without its fields.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u16)]
        pub enum FailureCode {
            $($(#[$doc])* $variant = $number,)*
        }

        impl FailureCode {
            /// Every code, in the order of its number.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The name in suites.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => stringify!($variant)),* }
            }

            /// Its number in the capture format.
            pub const fn number(self) -> u16 {
                self as u16
            }

            /// The names of its fields, in order.
            pub const fn fields(self) -> &'static [FieldName] {
                match self { $(Self::$variant => &[$(field_name!($field)),*]),* }
            }
        }

        impl Failure {
            /// The code, which identifies the failure in captures and suites.
            pub const fn code(&self) -> FailureCode {
                match self { $(Self::$variant { .. } => FailureCode::$variant),* }
            }

            /// The remedy for the host program's author, as a clause.
            pub const fn remedy(&self) -> &'static str {
                match self { $(Self::$variant { .. } => $remedy),* }
            }

            /// The fields as numbers, in the order of [`FailureCode::fields`].
            pub fn numbers(&self) -> Vec<u64> {
                match self { $(Self::$variant { $($field),* } => vec![$($field.to_number()),*]),* }
            }

            /// The fields as a suite writes them.
            pub fn texts(&self) -> Vec<(FieldName, String)> {
                match self {
                    $(Self::$variant { $($field),* } =>
                        vec![$((field_name!($field), $field.to_text())),*]),*
                }
            }

            /// Makes a failure from a code and numbers; `None` if a number is out of its field's range or their
            /// count is wrong.
            pub fn from_numbers(code: FailureCode, numbers: &[u64]) -> Option<Self> {
                let mut numbers = numbers.iter().copied();
                let failure = match code {
                    $(FailureCode::$variant => Self::$variant {
                        $($field: <$type as FieldValue>::from_number(numbers.next()?)?),*
                    }),*
                };
                numbers.next().is_none().then_some(failure)
            }
        }
    };
}

// Number, code and fields, then the sentence that states the problem and the clause that states the remedy.
failures! {
    /// `CreateBuffer`: the size is no multiple of the page size.
    1 SizeNotPageMultiple { size: u64, page_size: u64 }
        = "buffer size {size} is not a multiple of the page size {page_size}"
        => "make the size a multiple of the page size";
    /// `CreateBuffer`: a page size of 0, or one that is no multiple of 4.
    2 PageSizeInvalid { page_size: u64, alignment: u64 }
        = "page size {page_size} is not a positive multiple of {alignment}"
        => "choose a page size that is a multiple of 4";
    /// The allocator found no room.
    3 OutOfMemory { buffer_type: BufferType, size: u64, banks: u32 }
        = "out of memory: not enough space to allocate a {size} B buffer across {banks} banks"
        => "deallocate buffers, or ask for a smaller buffer";
    /// An id that no call has created.
    4 UnknownObject { object: ObjectKind, id: u32 } = "{object} {id} was never created"
        => "create the object on this device first";
    /// An id whose object was released.
    5 ReleasedObject { object: ObjectKind, id: u32 } = "{object} {id} has been released"
        => "use the object before you release it";
    /// An object of another program.
    6 WrongProgram { object: ObjectKind, id: u32, program: ProgramId }
        = "{object} {id} does not belong to program {program}"
        => "use an object of the same program";
    /// A core outside the compute grid, as dispatch cores are, or a DRAM bank that the chip does not have: the
    /// cores of a buffer sharded over DRAM are a row of its banks.
    7 CoreOutsideGrid { core: LogicalCore, columns: u32, rows: u32 }
        = "core {core} is outside the grid of {columns}×{rows} cores"
        => "use cores of the grid that the device was opened with";
    /// A core range whose start lies beyond its end, or an empty set of ranges.
    8 EmptyCoreRange { } = "the core range set is empty, or a range's start lies beyond its end"
        => "name at least one core, and put each range's start before its end";
    /// `CreateKernel`: another kernel of the program already runs on that processor of that core.
    9 CoreOverlap { kernel: KernelId, core: LogicalCore, processor: Processor }
        = "core overlap: kernel {kernel} already runs on {processor} of core {core}"
        => "use another processor or other cores";
    /// `CreateKernel`: two data-movement kernels of one core use one NoC.
    10 NocInUse { kernel: KernelId, core: LogicalCore, noc: u32 }
        = "illegal NoC usage: kernel {kernel} already uses NoC {noc} on core {core}; two data-movement kernels of a core must use different NoCs"
        => "give the two kernels different NoCs";
    /// An addition to a program that has already been enqueued.
    11 ProgramAlreadyCompiled { object: ObjectKind, program: ProgramId }
        = "cannot add a {object} to program {program}: it is already compiled"
        => "add everything before the first enqueue";
    /// The kernel's source does not exist. The command holds its path.
    12 KernelSourceNotFound { } = "the kernel's source file does not exist"
        => "check the path, which is relative to the suites";
    /// The kernel does not compile, or its ELF is invalid.
    13 KernelBuildFailed { } = "the kernel could not be built"
        => "read the compiler's message";
    /// A definition with a NUL, a line break, or a name that is no identifier.
    14 DefineInvalid { } = "a define's name is not an identifier, with or without parameters, or its value holds a NUL or a line break"
        => "use an identifier, or one with parameters, as the name, and one line as the value";
    /// `CreateCircularBuffer`: an index beyond the last of the device.
    15 CircularBufferIndexTooLarge { index: u32, limit: u32 }
        = "circular buffer index {index} exceeds the {limit} circular buffers of a core"
        => "use a smaller index";
    /// `CreateCircularBuffer`: the index is already used on a core.
    16 CircularBufferIndexInUse { index: u32, core: LogicalCore }
        = "cannot add circular buffer at index {index}: another one already exists on core {core}"
        => "use another index or other cores";
    /// `CreateCircularBuffer`: the total size is no multiple of the page size, or one of them is 0 or
    /// misaligned.
    17 CircularBufferSizeNotPageMultiple { index: u32, size: u64, page_size: u64 }
        = "circular buffer index {index}: total size {size} B must be a positive multiple of its page size {page_size} B"
        => "make pages a multiple of 16 B and the total a multiple of the page";
    /// `EnqueueProgram`: circular buffers grow past L1.
    18 CircularBuffersBeyondL1 { program: ProgramId, core: LogicalCore }
        = "statically allocated circular buffers of program {program} on core {core} grow beyond L1"
        => "make circular buffers smaller";
    /// `EnqueueProgram`: circular buffers run into L1 buffers.
    19 CircularBuffersClash { program: ProgramId, core: LogicalCore }
        = "statically allocated circular buffers of program {program} clash with L1 buffers on core {core}"
        => "make circular buffers smaller, or deallocate L1 buffers";
    /// `SetRuntimeArgs`: more arguments than a core takes.
    20 TooManyRuntimeArgs { count: u32, limit: u32, core: LogicalCore }
        = "{count} runtime arguments are too many for core {core}, which takes at most {limit}"
        => "pass fewer arguments, or put them into a buffer";
    /// `SetRuntimeArgs`: a number of arguments that differs from the first call's.
    21 RuntimeArgsCountChanged { core: LogicalCore, before: u32, after: u32 }
        = "illegal runtime arguments on {core}: their number cannot change from {before} to {after}"
        => "pass as many arguments as the first time";
    /// `SetRuntimeArgs`: the kernel does not run on the core.
    22 KernelNotOnCore { kernel: KernelId, core: LogicalCore }
        = "cannot set runtime arguments for core {core}: kernel {kernel} is not placed on it"
        => "set arguments only for the kernel's own cores";
    /// `SetRuntimeArgs`, vector form: the numbers of vectors and cores differ.
    23 ArgsVectorMismatch { cores: u32, vectors: u32 }
        = "mismatch between the number of cores {cores} and of argument vectors {vectors}"
        => "pass one vector for each core";
    /// `CreateSemaphore`: a core has no semaphore left.
    24 TooManySemaphores { limit: u32 } = "unable to create a semaphore: all {limit} semaphores of a core are in use"
        => "use fewer semaphores on a core";
    /// `EnqueueWriteBuffer`: the length of the data differs from that of the buffer or the region.
    25 DataLengthMismatch { buffer: BufferId, expected: u64, actual: u64 }
        = "data of {actual} B does not fill buffer {buffer} of {expected} B"
        => "pass exactly the size of the buffer or region";
    /// The device has no command queue of this index.
    26 UnknownQueue { index: u32, limit: u32 } = "there is no command queue {index}: the device has {limit}"
        => "use queue 0, or open the device with two command queues";
    /// A device program broke a rule; reported by the synchronizing call.
    27 DeviceFault { category: FaultCategory, enqueue: CommandIndex }
        = "{category} in the program enqueued by command {enqueue}"
        => "see the fault's place";
    /// Every running core waits for another; reported by the synchronizing call.
    28 Deadlock { enqueue: CommandIndex }
        = "the program enqueued by command {enqueue} cannot finish: every running core waits for another"
        => "see the waiting cores";
    /// The program did not finish within its budget; reported by the synchronizing call.
    29 Hang { enqueue: CommandIndex }
        = "the program enqueued by command {enqueue} did not finish within its budget"
        => "raise the tick budget if the program is only slow";
    /// The device no longer answers.
    30 DeviceLost { } = "the device is lost"
        => "open the device again; an earlier call says how it was lost";
    /// The program has no kernel, or launches on no core.
    31 EmptyProgram { program: ProgramId } = "program {program} has no kernel"
        => "create a kernel in the program first";
    /// A kernel's arguments, circular buffers or code do not fit into the tile's configuration space.
    ///
    /// The firmware determines the size of that space, so the size is no field.
    32 KernelConfigTooLarge { program: ProgramId, core: LogicalCore }
        = "program {program} needs more configuration space on core {core} than the firmware leaves"
        => "use smaller kernels, fewer arguments or fewer circular buffers";
    /// `SetCommonRuntimeArgs`: the kernel has common arguments already.
    33 CommonRuntimeArgsAlreadySet { kernel: KernelId }
        = "illegal common runtime arguments: kernel {kernel} has them already, and they can be set only once"
        => "change the arguments in place with update_common_runtime_args (C++: GetCommonRuntimeArgs)";
    /// `UpdateCommonRuntimeArgs`: an index beyond the kernel's common arguments.
    34 CommonRuntimeArgOutOfRange { index: u32, count: u32 }
        = "there is no common runtime argument {index}: the kernel has {count}"
        => "set as many arguments as you need the first time; their number cannot change";
    /// `CreateBuffer`: a sharded layout, or a memory that takes only sharded buffers, without a shard
    /// specification.
    35 ShardSpecMissing { } = "the buffer has no shard specification, which its layout or its memory needs"
        => "give a sharded layout and a shard specification, or make the buffer interleaved in DRAM or L1";
    /// `CreateBuffer`: a shard specification for a layout that is not sharded.
    36 ShardSpecUnexpected { } = "the buffer is not sharded but has a shard specification"
        => "choose a sharded layout, or drop the specification";
    /// `CreateBuffer`: a side of the shard that is no positive multiple of the page's side, in elements.
    37 ShardShapeInvalid { size: u32, page_size: u32 }
        = "a shard's side of {size} elements is not a positive multiple of its page's side of {page_size}"
        => "make shards of whole pages";
    /// `CreateBuffer`: the numbers of pages of tensor and buffer differ.
    38 TensorShapeMismatch { expected: u64, actual: u64 }
        = "the tensor has {actual} pages, but the buffer has {expected}"
        => "choose tensor sides whose product is the buffer's number of pages";
    /// `CreateBuffer`: the shards hold fewer pages than the buffer has.
    39 ShardsTooSmall { expected: u64, actual: u64 }
        = "the shards hold {actual} of the buffer's {expected} pages"
        => "use more cores or larger shards";
    /// `CreateBuffer`: two ranges of the shard specification contain the same core.
    40 CoreRangesOverlap { core: LogicalCore } = "core {core} lies in two core ranges of one set"
        => "name each core once";
    /// A region that starts or ends inside a page.
    41 RegionNotPageMultiple { offset: u64, size: u64, page_size: u64 }
        = "the region's offset {offset} and size {size} must be multiples of the page size {page_size}"
        => "start and end the region between pages";
    /// A region that ends beyond its buffer.
    42 RegionOutsideBuffer { buffer: BufferId, offset: u64, size: u64, limit: u64 }
        = "the region of {size} B at offset {offset} does not lie within buffer {buffer} of {limit} B"
        => "end the region within the buffer";
    /// A circular buffer in the memory of a buffer that does not lie in L1.
    43 CircularBufferNeedsL1Buffer { buffer: BufferId }
        = "only L1 buffers can have an associated circular buffer: buffer {buffer} lies in DRAM"
        => "use a buffer in L1";
    /// A circular buffer that exceeds its buffer's share of a bank, offset included.
    44 CircularBufferLargerThanBuffer { buffer: BufferId, size: u64, limit: u64 }
        = "the circular buffer needs {size} B from the address of buffer {buffer} on, which has {limit} B in each bank"
        => "make the circular buffer smaller or the buffer larger";
    /// A circular buffer that does not start at a multiple of L1's alignment.
    45 CircularBufferOffsetMisaligned { offset: u32, alignment: u64 }
        = "address offset {offset} is not a multiple of {alignment}"
        => "use a multiple of the alignment";
    /// `UpdateCircularBufferPageSize`: an index of which the circular buffer has no configuration.
    46 CircularBufferIndexNotConfigured { index: u32 }
        = "illegal circular buffer index {index}: a page size can be given only to indices that the circular buffer was created with"
        => "name an index that the circular buffer was created with";
    /// An argument that names the bank of a shard beyond the buffer's last; interleaved buffers have no shards.
    47 ShardOutOfRange { buffer: BufferId, index: u32, count: u32 }
        = "buffer {buffer} has no shard {index}: it has {count}"
        => "name shards of a sharded buffer, counted from 0";
    /// `BeginTraceCapture`: the queue already records a trace.
    48 QueueAlreadyTracing { queue: QueueId, trace: TraceId }
        = "queue {queue} is already being used for tracing trace {trace}"
        => "end the capture of that trace first, or use the other queue";
    /// `EndTraceCapture`: the queue records no trace, or another one.
    49 QueueNotTracing { queue: QueueId, trace: TraceId }
        = "queue {queue} is not being used for tracing trace {trace}"
        => "end the trace on the queue that it was begun on";
    /// `EndTraceCapture`: this trace and all live ones, padded, exceed the trace region.
    50 TraceRegionTooSmall { size: u64, limit: u64 }
        = "creating trace buffers of size {size} B, but only {limit} B are allocated for the trace region"
        => "open the device with a trace region of that size, or release traces";
    /// A blocking call on a queue that records a trace.
    51 BlockingDuringTrace { queue: QueueId }
        = "blocking is not supported while queue {queue} records a trace"
        => "make the call without blocking";
    /// `EnqueueProgram` into a trace: the program has never been enqueued before.
    52 ProgramNotWarm { program: ProgramId }
        = "cannot load new binaries during trace capture: program {program} has not been enqueued before"
        => "enqueue the program once before you capture a trace";
    /// `EnqueueWriteBuffer` on a queue that records a trace.
    53 WriteDuringTrace { queue: QueueId }
        = "writes are not supported while queue {queue} captures a trace"
        => "write before the trace is replayed, or use the other queue";
    /// `EnqueueReadBuffer` on a queue that records a trace.
    54 ReadDuringTrace { queue: QueueId }
        = "reads are not supported while queue {queue} captures a trace"
        => "read after the trace is replayed, or use the other queue";
    /// An event that a queue records or waits for while it records a trace, or `Finish` of such a queue.
    55 EventDuringTrace { queue: QueueId }
        = "event synchronization is not supported while queue {queue} captures a trace"
        => "end the trace capture first, or use the other queue";
    /// `ReplayTrace` on a queue that records a trace.
    56 ReplayDuringTrace { queue: QueueId }
        = "a trace cannot be replayed while queue {queue} captures another trace"
        => "end the trace capture first, or use the other queue";
    /// `ReplayTrace`, `ReleaseTrace` or `CollectTrace` of a trace that is still being recorded.
    57 TraceNotCaptured { trace: TraceId } = "trace {trace} is still being captured"
        => "end the capture of the trace first";
    /// `EventSynchronize` or `EventQuery` of an event that is visible only to the device.
    58 EventNotHostVisible { event: EventId } = "event {event} is visible to the device only"
        => "record the event as visible to the host";
    /// `EnqueueRecordEvent`: the queue gives the event a number that differs from the host program's
    /// expectation.
    59 EventNumberMismatch { event: EventId, expected: u32, actual: u32 }
        = "event {event} has the number {actual} on its queue, not {expected}"
        => "count from 1; each event of the queue takes a number, and so does each call that waits for the queue";
    /// `EventQuery`: an answer that differs from the host program's expectation; 1 means that the event has
    /// happened.
    60 EventStateMismatch { event: EventId, expected: u32, actual: u32 }
        = "the state of event {event} is {actual}, not {expected}"
        => "synchronize with the event before you query it";
    /// `EnqueueProgram` or `ReplayTrace`: a program of another queue runs on one of the cores, and no event
    /// orders the two programs.
    61 CoreInUseByQueue { core: LogicalCore, queue: QueueId, enqueue: CommandIndex }
        = "core {core} is currently in use by queue {queue}, for command {enqueue}"
        => "finish that queue, or wait for one of its events";
    /// Two unordered commands touch the same device memory, and one of them writes it; reported by the first
    /// call that waits for both.
    62 QueueRace { first: CommandIndex, second: CommandIndex }
        = "commands {first} and {second} race: they touch the same memory and nothing orders them"
        => "record an event after the first and wait for it before the second";
    /// `LoadTrace`: buffers of the trace are missing, have another shape, or share their name with others. The
    /// failure names the first of them and their number.
    63 TraceBuffersUnplaced { buffer: BufferId, unplaced: u32 }
        = "{unplaced} of the trace's buffers cannot be placed; the first of them is buffer {buffer}"
        => "for each of them, name a buffer of the same size, page size and memory";
    /// `LoadTrace`: circular buffers of the trace run into L1 buffers.
    64 TraceCircularBuffersClash { core: LogicalCore }
        = "circular buffers of the trace clash with L1 buffers on core {core}"
        => "deallocate L1 buffers";
    /// `CreateKernel`: the firmware cannot let two kernels of a core share both NoCs.
    65 NocModeUnsupported { }
        = "the firmware has no dynamic NoC mode: each data-movement kernel of a core needs a NoC of its own"
        => "use the dedicated mode, and give the two kernels of a core different NoCs";
    /// `CreateKernel`: a compile-time argument's name that a C++ string literal cannot hold.
    66 NamedCompileArgInvalid { }
        = "the name of a compile-time argument is empty, or holds a quotation mark, a backslash or a control character"
        => "rename the argument";
    /// `CreateCircularBuffer`: a tile shape that no chip supports.
    67 TileShapeInvalid { index: u32 }
        = "the tile of index {index} has a shape that no chip supports"
        => "use a tile of 1, 2, 4, 8, 16 or 32 rows and 16 or 32 columns, in faces of at most 16×16";
    /// `SetCommonRuntimeArgs`, `SetRuntimeArgs`, `UpdateCommonRuntimeArgs`: a scratchpad that no kernel can have.
    68 ScratchpadInvalid { index: u32, size: u32 }
        = "argument {index} makes or replaces a scratchpad of {size} B, which this call cannot"
        => "give each scratchpad at least one byte, make it by SetCommonRuntimeArgs before the program's first launch, and leave its argument as it is";
}

impl Failure {
    /// The call that enqueued the work to blame: of two commands that race, the later one. `None` if the failure names
    /// none.
    pub const fn blamed(&self) -> Option<CommandIndex> {
        match self {
            Self::DeviceFault { enqueue, .. }
            | Self::Deadlock { enqueue }
            | Self::Hang { enqueue } => Some(*enqueue),
            Self::QueueRace { second, .. } => Some(*second),
            _ => None,
        }
    }

    /// As [`FailureCode::ends_the_run`].
    pub const fn ends_the_run(&self) -> bool {
        self.code().ends_the_run()
    }
}

/// An item of a capture that a field of a failure names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureReference {
    /// An object by its kind and id, which may be undefined.
    Object(ObjectKind, u32),
    /// A command by its index.
    Command(CommandIndex),
}

impl Failure {
    /// The same failure with other numbers for the objects and commands that it names. `None` if `renumber`
    /// returns none for one of them.
    pub fn renumbered(
        &self,
        mut renumber: impl FnMut(FailureReference) -> Option<u32>,
    ) -> Option<Self> {
        let code = self.code();
        let mut numbers = self.numbers();
        let mut named = None;
        for (name, number) in code.fields().iter().zip(&mut numbers) {
            let Ok(id) = u32::try_from(*number) else { continue };
            let reference = match name {
                FieldName::Object => {
                    named = ObjectKind::from_number(*number);
                    None
                }
                FieldName::Id => named.map(|kind| FailureReference::Object(kind, id)),
                FieldName::Buffer => Some(FailureReference::Object(ObjectKind::Buffer, id)),
                FieldName::Program => Some(FailureReference::Object(ObjectKind::Program, id)),
                FieldName::Kernel => Some(FailureReference::Object(ObjectKind::Kernel, id)),
                FieldName::Event => Some(FailureReference::Object(ObjectKind::Event, id)),
                FieldName::Trace => Some(FailureReference::Object(ObjectKind::Trace, id)),
                FieldName::Enqueue | FieldName::First | FieldName::Second => {
                    Some(FailureReference::Command(CommandIndex(id)))
                }
                FieldName::Size
                | FieldName::PageSize
                | FieldName::Alignment
                | FieldName::Core
                | FieldName::Index
                | FieldName::Limit
                | FieldName::Count
                | FieldName::Before
                | FieldName::After
                | FieldName::Processor
                | FieldName::Noc
                | FieldName::BufferType
                | FieldName::Banks
                | FieldName::Expected
                | FieldName::Actual
                | FieldName::Category
                | FieldName::Columns
                | FieldName::Rows
                | FieldName::Cores
                | FieldName::Vectors
                | FieldName::Offset
                | FieldName::Queue
                | FieldName::Unplaced => None,
            };
            if let Some(reference) = reference {
                *number = renumber(reference)?.into();
            }
        }
        Self::from_numbers(code, &numbers)
    }
}

impl FailureCode {
    /// Whether the failure ends the program's work on the device: a fault, a race of its queues, a deadlock, a
    /// hang, or the loss of the device. All other failures are answers of the host API.
    pub const fn ends_the_run(self) -> bool {
        matches!(
            self,
            Self::DeviceFault | Self::QueueRace | Self::Deadlock | Self::Hang | Self::DeviceLost
        )
    }
}

impl Serialize for Failure {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeMap;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("code", self.code().name())?;
        for (name, number) in self.code().fields().iter().zip(self.numbers()) {
            map.serialize_entry(name.name(), &number)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Failure {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        use serde::de::Error;
        struct Visitor;
        impl<'de> serde::de::Visitor<'de> for Visitor {
            type Value = Failure;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a failure's code and its fields")
            }

            fn visit_map<A: serde::de::MapAccess<'de>>(
                self,
                mut map: A,
            ) -> Result<Failure, A::Error> {
                let Some(("code", code)) = map
                    .next_entry::<String, String>()?
                    .as_ref()
                    .map(|(key, value)| (key.as_str(), value.clone()))
                else {
                    return Err(A::Error::custom("the first field of a failure is its `code`"));
                };
                let code = FailureCode::ALL
                    .iter()
                    .copied()
                    .find(|known| known.name() == code)
                    .ok_or_else(|| A::Error::custom(format!("unknown failure code `{code}`")))?;
                let mut numbers = Vec::new();
                for name in code.fields() {
                    match map.next_entry::<String, u64>()? {
                        Some((key, number)) if key == name.name() => numbers.push(number),
                        _ => {
                            return Err(A::Error::custom(format!(
                                "{} needs the field `{}` here",
                                code.name(),
                                name.name()
                            )));
                        }
                    }
                }
                if let Some(key) = map.next_key::<String>()? {
                    return Err(A::Error::custom(format!("{} has no field `{key}`", code.name())));
                }
                Failure::from_numbers(code, &numbers)
                    .ok_or_else(|| A::Error::custom("a field's value is out of its range"))
            }
        }
        deserializer.deserialize_map(Visitor)
    }
}
