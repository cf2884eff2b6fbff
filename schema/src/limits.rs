//! The limits of a capture, which bound the memory and time of a reader or a replay. They lie far above the
//! needs of a host program.

hallmark_chip::limits! {
    /// Bytes of a capture or journal. FlatBuffers end at 2 GiB.
    pub const CAPTURE_BYTES: u64 = 1 << 30;
    /// Bytes of a program part.
    pub const PROGRAM_BYTES: u64 = 64 << 20;
    /// Bytes of a record part.
    pub const RECORD_BYTES: u64 = 64 << 20;
    /// Bytes of a golden; for a case with a larger program part, the golden holds the part's hash instead.
    pub const GOLDEN_BYTES: u64 = 64 << 10;
    /// Commands of a capture.
    pub const COMMANDS: u64 = 1 << 20;
    /// Sources of a capture.
    pub const SOURCES: u64 = 1 << 12;
    /// Blobs of a capture.
    pub const BLOBS: u64 = 1 << 16;
    /// Entries of any one list of a record.
    pub const RECORD_ENTRIES: u64 = 1 << 20;
    /// Bytes of a kernel's line table.
    pub const LINE_TABLE_BYTES: u64 = 2 << 10;
    /// Printed texts of a capture: one for each launch, core and processor.
    pub const PRINTED_TEXTS: u64 = 1 << 16;
    /// Bytes of the text that a processor printed in a launch.
    pub const PRINTED_BYTES: u64 = 1 << 20;
    /// Bytes of all printed text of a capture.
    pub const TOTAL_PRINTED_BYTES: u64 = 16 << 20;
    /// Functions of one place in a source: a function and those that it is inlined in.
    pub const SOURCE_FRAMES: u64 = 64;
    /// Bytes of a name.
    pub const NAME_BYTES: usize = 128;
    /// Bytes of a path.
    pub const PATH_BYTES: usize = 1024;
    /// Bytes of a reason, a device's name or another text for people.
    pub const TEXT_BYTES: usize = 4096;
    /// Columns or rows of the grid asked for.
    pub const GRID_SIDE: u32 = 64;
    /// Command queues of a device.
    pub const COMMAND_QUEUES: u8 = 2;
    /// Bytes of every DRAM bank that are set aside for traces.
    pub const TRACE_REGION_BYTES: u64 = 1 << 32;
    /// The largest size of an L1 region that is requested when a device is opened, bytes per core.
    pub const L1_REGION_BYTES: u64 = 1 << 24;
    /// Buffers that one `load_trace` names.
    pub const TRACE_BUFFERS: u64 = 1 << 12;
    /// Ranges of one list of cores.
    pub const RANGES: u64 = 1 << 12;
    /// Cores of one list, counted once per range that holds them.
    pub const CORES: u64 = 1 << 22;
    /// Cores of all lists of a capture.
    pub const TOTAL_CORES: u64 = 1 << 27;
    /// Sets of arguments of one `set_runtime_args`.
    pub const ARGUMENT_SETS: u64 = 1 << 12;
    /// Argument words of one core of a command that was done.
    pub const RUNTIME_ARGUMENTS: u32 = 341;
    /// Argument words of one set in any command, including one that failed because it had too many.
    pub const ARGUMENT_WORDS: u64 = 1 << 16;
    /// Compile-time arguments of a kernel.
    pub const COMPILE_ARGUMENTS: u64 = 1 << 14;
    /// Compile-time arguments of a kernel that have names.
    pub const NAMED_COMPILE_ARGUMENTS: u64 = 1 << 14;
    /// Generated names of a kernel, and values of one.
    pub const KERNEL_BINDINGS: u64 = 1 << 12;
    /// Definitions of a kernel.
    pub const DEFINES: u64 = 1 << 12;
    /// Bytes of a definition's value.
    pub const DEFINE_BYTES: usize = 1 << 16;
    /// Indices of a circular buffer.
    pub const CIRCULAR_BUFFER_INDICES: u64 = 1 << 10;
    /// Inputs and outputs of a binary.
    pub const FREE_TENSORS: u64 = 1 << 10;
    /// Dimensions of a tensor.
    pub const TENSOR_DIMENSIONS: u64 = 8;
    /// Elements of a tensor, padding not counted.
    pub const TENSOR_ELEMENTS: u64 = 1 << 40;
    /// Bytes of one write, read or reference.
    pub const DATA_BYTES: u64 = 1 << 30;
    /// Bytes of all writes, reads and references of a capture together.
    pub const TOTAL_DATA_BYTES: u64 = 1 << 34;
    /// Bytes of a journal, which may hold the same data several times.
    pub const JOURNAL_BYTES: u64 = 1 << 31;
}
