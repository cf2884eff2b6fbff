//! Problems of a capture: the place, the problem, and how to fix it.

use std::fmt;

use crate::model::{CommandIndex, ContentHash, ObjectKind, TensorRole};

/// A version of the format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    /// The major version. A reader of one major version reads all its older minor versions.
    pub major: u16,
    /// The minor version, which grows with every addition.
    pub minor: u16,
}

impl Version {
    /// Checks that this release reads the version: the same major version, and a minor version that is not
    /// newer.
    pub(crate) fn check_readable(self, place: ErrorLocation) -> Result<(), CaptureError> {
        let (found, known) = (self, crate::VERSION);
        let problem = if found > known {
            Problem::NewerVersion { found, known }
        } else if found.major < known.major {
            Problem::OlderVersion { found, known }
        } else {
            return Ok(());
        };
        CaptureError { place, problem }.refuse()
    }
}

impl fmt::Display for Version {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}.{}", self.major, self.minor)
    }
}

/// A part of a capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// The root table, outputs and blobs.
    Container,
    /// The program part: the request and the expected results.
    Program,
    /// The record part: where and how the program ran.
    Record,
    /// An entry of a journal.
    Journal,
}

impl fmt::Display for Part {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Self::Container => "container",
            Self::Program => "program",
            Self::Record => "record",
            Self::Journal => "journal entry",
        })
    }
}

/// The place of a problem in a capture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ErrorLocation {
    /// A byte of the file, counted from 0.
    Byte(u64),
    /// A byte of a part, counted from the part's first.
    ByteOfPart {
        /// The part whose bytes are counted.
        part: Part,
        /// The byte, counted from the part's first, which is 0.
        byte: u64,
    },
    /// A field of a part.
    Field {
        /// The part that it lies in.
        part: Part,
        /// Names and indices from the part's root, `commands[3].create_buffer.size`; empty for the
        /// part itself.
        path: String,
    },
    /// A place in a text form, both counted from 1; column 0 is the whole line.
    Line {
        /// The line, counted from 1.
        line: usize,
        /// The character in the line, counted from 1; 0 for the whole line.
        column: usize,
    },
}

impl fmt::Display for ErrorLocation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Byte(at) => write!(formatter, "byte {at}"),
            Self::ByteOfPart { part, byte } => write!(formatter, "{part}, byte {byte}"),
            Self::Field { part, path } if path.is_empty() => write!(formatter, "{part}"),
            Self::Field { part, path } => write!(formatter, "{part}, {path}"),
            Self::Line { line, column: 0 } => write!(formatter, "line {line}"),
            Self::Line { line, column } => write!(formatter, "line {line}, column {column}"),
        }
    }
}

/// A capture that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {problem}")]
pub struct CaptureError {
    /// Where it is wrong.
    pub place: ErrorLocation,
    /// The problem, and how to fix it.
    #[source]
    pub problem: Problem,
}

/// A problem of a capture.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// Fewer bytes than the smallest capture has.
    #[error(
        "the file has only {length} B, which is less than any capture has; copy the whole file again"
    )]
    TooShort {
        /// How many bytes the file has.
        length: u64,
    },
    /// The count of an item exceeds its limit.
    #[error("{value} {what} are too many; at most {limit} are accepted")]
    Limit {
        /// The counted item, in the plural.
        what: &'static str,
        /// The actual count.
        value: u64,
        /// The largest accepted count.
        limit: u64,
    },
    /// The last 40 bytes are no trailer.
    #[error(
        "the file has no trailer: it was cut off, or it is not a capture; copy the whole file again"
    )]
    NoTrailer,
    /// The hash in the trailer does not match the content.
    #[error(
        "the content has the hash {computed}, but the trailer says {stored}: the file was changed after it was written; use an unchanged copy of it"
    )]
    Corrupt {
        /// The hash in the trailer.
        stored: ContentHash,
        /// The hash of everything before the trailer.
        computed: ContentHash,
    },
    /// The file identifier is not that of a capture.
    #[error("the file is not a capture: its identifier is {found:?}, not \"HLMK\"")]
    NotACapture {
        /// The four characters at the identifier's place.
        found: String,
    },
    /// A version that this reader does not know yet.
    #[error(
        "the capture has format {found}, but this Hallmark reads formats up to {known}; use a Hallmark of format {found} or later"
    )]
    NewerVersion {
        /// The version that the file states.
        found: Version,
        /// The newest version that this reader reads.
        known: Version,
    },
    /// A major version that is not read any more.
    #[error("the capture has format {found}, which this Hallmark of format {known} does not read; use a Hallmark of format {}.x", found.major)]
    OlderVersion {
        /// The version that the file states.
        found: Version,
        /// The newest version that this reader reads.
        known: Version,
    },
    /// The file states an older minor version than its content needs.
    #[error(
        "`{what}` exists since format {since}, but the file says format {stamp}; the program that wrote the file is at fault"
    )]
    StampTooLow {
        /// The version that the file states.
        stamp: Version,
        /// The later item: a table, a table's field or an enum's value.
        what: String,
        /// The version that introduced the item.
        since: Version,
    },
    /// An older minor version cannot hold the content.
    #[error(
        "`{what}` exists since format {since}, and a copy in format {wanted} cannot leave it out; use a reader of format {since} or later"
    )]
    NotInOlderFormat {
        /// The item that cannot be left out: a table, a table's field or an enum's value.
        what: String,
        /// The version that introduced the item.
        since: Version,
        /// The version asked for.
        wanted: Version,
    },
    /// The FlatBuffer is malformed.
    #[error(
        "the content is malformed: {reason}; the program that wrote the file is at fault, or somebody changed the file and its trailer"
    )]
    Malformed {
        /// The FlatBuffers verifier's message.
        reason: String,
    },
    /// A field that this reader does not know.
    #[error("format {known} has no field number {number}; use a newer Hallmark")]
    UnknownField {
        /// The field's `id`, counted from 0.
        number: u16,
        /// The newest format that this reader reads.
        known: Version,
    },
    /// A number that the enum or union does not define.
    #[error("format {known} has no {enumeration} with the number {number}; use a newer Hallmark")]
    UnknownValue {
        /// The enum or union.
        enumeration: &'static str,
        /// The undefined number.
        number: u64,
        /// The newest format that this reader reads.
        known: Version,
    },
    /// A required item is absent.
    #[error("the value is missing; the program that wrote the file is at fault")]
    Missing,
    /// An item is present where it is not allowed.
    #[error("the value must not be here: {reason}")]
    Unexpected {
        /// Why the item is not allowed.
        reason: &'static str,
    },
    /// The program part encodes differently when it is written again.
    #[error(
        "the program part is not in canonical form: Hallmark writes it differently from here on; write the capture with Hallmark"
    )]
    NotCanonical,
    /// A rule of the format is broken.
    #[error(transparent)]
    Rule(#[from] Rule),
    /// A line of a text form cannot be read.
    #[error("{0}")]
    Text(String),
}

/// A rule that a well-formed capture breaks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Rule {
    /// No chip of the architecture has this harvesting mask.
    #[error(transparent)]
    Harvesting(#[from] hallmark_chip::HarvestingError),
    /// Ids count creations, failed ones included.
    #[error(
        "the id is {found}, but the next id is {expected}: ids count creations from 0, failed creations included"
    )]
    IdOutOfOrder {
        /// The next id.
        expected: u32,
        /// The id that the command gives.
        found: u32,
    },
    /// No earlier command created an object with this id.
    #[error("no earlier command creates {object} {id}")]
    Undefined {
        /// The kind of object that the command names.
        object: ObjectKind,
        /// The undefined id.
        id: u32,
    },
    /// A command recorded as done uses an object that did not exist at that time.
    #[error("the command is recorded as done, but {object} {id} {state}")]
    NotUsable {
        /// The kind of the used object.
        object: ObjectKind,
        /// The object's id.
        id: u32,
        /// Why the object did not exist.
        state: ObjectState,
    },
    /// A list is not ascending, or has a duplicate.
    #[error(
        "entries must be in ascending order without duplicates; this entry does not come after the entry before it"
    )]
    NotAscending,
    /// A size that is no multiple of the page size, or an invalid page size.
    #[error(
        "size {size} must be a multiple of the page size {page_size}, and the page size a positive multiple of 4"
    )]
    PageSize {
        /// The bytes of the buffer.
        size: u64,
        /// The bytes of one of its pages.
        page_size: u64,
    },
    /// A shard specification that does not match its buffer.
    #[error("the shard specification does not fit: {reason}")]
    ShardSpec {
        /// The mismatch, as a clause.
        reason: &'static str,
    },
    /// An argument that names the bank of a shard that the buffer does not have.
    #[error("there is no shard {shard}: the buffer has {shards} shards")]
    NoShard {
        /// The shard's index, counted from 0.
        shard: u64,
        /// The number of shards.
        shards: u64,
    },
    /// A region that does not consist of whole pages of its buffer.
    #[error(
        "a region of {length} B at offset {offset} does not consist of whole pages of {page_size} B in a buffer of {size} B"
    )]
    Region {
        /// The first byte of the region, counted from the buffer's first.
        offset: u64,
        /// The bytes of the region.
        length: u64,
        /// The bytes of the buffer.
        size: u64,
        /// The bytes of one of its pages.
        page_size: u64,
    },
    /// A circular buffer that does not consist of whole pages.
    #[error("size {size} is not a positive multiple of the page size {page_size}")]
    CircularBufferSize {
        /// The bytes of the circular buffer.
        size: u64,
        /// The bytes of one of its pages.
        page_size: u64,
    },
    /// A circular buffer without an index, so that no kernel could name it.
    #[error("at least one index is needed")]
    NoIndex,
    /// An index that the architecture does not have.
    #[error("index {index} is too large: a core has {limit} circular buffers, counted from 0")]
    CircularBufferIndex {
        /// The index, counted from 0.
        index: u32,
        /// The number of indices of a core.
        limit: u32,
    },
    /// An empty list of cores.
    #[error("at least one core range is needed")]
    NoCores,
    /// A range ends before it starts.
    #[error("the range ends before it starts")]
    EmptyRange,
    /// A core lies outside the grid.
    #[error("core ({x},{y}) lies outside the grid of {columns}×{rows}")]
    OutsideGrid {
        /// The core's column, counted from 0.
        x: u32,
        /// The core's row, counted from 0.
        y: u32,
        /// The columns of the grid.
        columns: u32,
        /// The rows of the grid.
        rows: u32,
    },
    /// The grid has no core.
    #[error("the grid of {columns}×{rows} has no core")]
    EmptyGrid {
        /// The columns of the grid.
        columns: u32,
        /// The rows of the grid.
        rows: u32,
    },
    /// A text that is no valid name: test names and filters could not hold it.
    #[error(
        "{name:?} is not a name: a name has 1 to {limit} of the characters A–Z a–z 0–9 _ . + -"
    )]
    Name {
        /// The invalid name.
        name: String,
        /// The largest length of a name, in bytes.
        limit: usize,
    },
    /// A path that could leave its base folder.
    #[error("{path:?} is not a relative path of plain names with `/` between them")]
    Path {
        /// The path as the capture holds it.
        path: String,
    },
    /// A required text for people is empty.
    #[error("the reason is empty; say why")]
    NoReason,
    /// A preprocessor definition that a compiler would refuse.
    #[error("{name:?} is not an identifier, or its value holds a NUL or a line break")]
    Define {
        /// The defined name.
        name: String,
    },
    /// The name of a compile-time argument that no kernel could spell.
    #[error(
        "{name:?} cannot be the name of a compile-time argument: a name is not empty and holds no quotation mark, backslash or control character"
    )]
    NamedCompileArg {
        /// The name.
        name: String,
    },
    /// An explicit optimization level that is the default of the kernel's kind.
    #[error("the optimization level is the default of such kernels; leave the level out")]
    DefaultOptLevel,
    /// A tile shape that TT-Metalium refuses.
    #[error("the tile cannot be used: {reason}")]
    TileShape {
        /// The requirement that the tile breaks, as a clause.
        reason: &'static str,
    },
    /// A name with a meaning that no generated header of TT-Metalium can give it.
    #[error("the kernel's binding cannot be used: {reason}")]
    KernelBinding {
        /// The requirement that the binding breaks, as a clause.
        reason: &'static str,
    },
    /// A buffer in the L1_SMALL region of a device that was opened without this region.
    #[error("the buffer lies in L1_SMALL, but `l1_small_size` is 0")]
    NoL1SmallRegion,
    /// A placement-bound word that its command does not hold, or that is relocated.
    #[error("command {command} has no argument word {index} there that is a plain number")]
    NotThatWord {
        /// The command that the origin names.
        command: CommandIndex,
        /// The word's index, counted from 0.
        index: u32,
    },
    /// A kernel's source is not listed.
    #[error("the program part does not list the source {path:?}")]
    SourceNotListed {
        /// The path of the kernel's source.
        path: String,
    },
    /// A relocation of a word that does not exist.
    #[error("there is no argument word {index}: there are {values} words, counted from 0")]
    RelocationOutOfRange {
        /// The index of the argument word, counted from 0.
        index: u32,
        /// The number of words.
        values: u64,
    },
    /// A relocated word holds a number in place of 0.
    #[error("the runtime fills in word {index}, so that a capture must hold 0 there, not {value}")]
    RelocatedWordNotZero {
        /// The index of the argument word, counted from 0.
        index: u32,
        /// The number that the word holds.
        value: u32,
    },
    /// An offset for a word that takes none.
    #[error("a coordinate or a scratchpad has no offset, but {offset} is given")]
    CoordinateOffset {
        /// The offset.
        offset: u32,
    },
    /// A page size for an index that the circular buffer does not have.
    #[error("the circular buffer was not created with index {index}")]
    IndexNotConfigured {
        /// The index, which the circular buffer was not created with.
        index: u32,
    },
    /// A second command that sets a kernel's common arguments.
    #[error("the kernel has common arguments already, and they can be set only once")]
    CommonArgumentsTwice,
    /// An update reaches past the last common argument.
    #[error("the update reaches word {end}, but the kernel has {values} common argument words")]
    CommonArgumentOutOfRange {
        /// One past the index of the last updated word.
        end: u64,
        /// The number of words.
        values: u64,
    },
    /// The data do not fill the buffer.
    #[error("the data has {data} B, but the buffer has {buffer} B")]
    DataLength {
        /// The bytes of the data.
        data: u64,
        /// The bytes of the buffer.
        buffer: u64,
    },
    /// A generator that cannot make elements of its type.
    #[error("the generator's elements do not fit their type: {reason}")]
    Generator {
        /// The mismatch, as a clause.
        reason: &'static str,
    },
    /// A number that is infinite or NaN.
    #[error("the number is not finite")]
    NotFinite,
    /// A tolerance without an effect, or with a negative limit.
    #[error("the tolerance cannot be used: {reason}")]
    Tolerance {
        /// The defect of the tolerance, as a clause.
        reason: &'static str,
    },
    /// Two reads with the same output name.
    #[error("two reads have the output name {name:?}; give each read its own output name")]
    OutputTwice {
        /// The shared output name.
        name: String,
    },
    /// Two collected traces with the same name.
    #[error("two traces are collected as {name:?}; give each collected trace its own name")]
    CollectedTwice {
        /// The shared name.
        name: String,
    },
    /// `load_trace` of bytes that no earlier command has collected.
    #[error("no earlier command collects a trace as {name:?}; collect the trace first")]
    NotCollected {
        /// The name, which no earlier command has collected.
        name: String,
    },
    /// A collected trace in the record that no command collected.
    #[error("command {command} collects no trace")]
    NotThatCollect {
        /// The command that the record names.
        command: CommandIndex,
    },
    /// An expected fault of the record whose command did not end in a fault.
    #[error(
        "command {command} did not end in a fault, a deadlock, a hang or the loss of the device"
    )]
    NotThatFault {
        /// The command that the record names.
        command: CommandIndex,
    },
    /// An output without a read of that name, or in another order than the reads.
    #[error(
        "no read has the output name {name:?}, or the outputs are not in the order of the reads"
    )]
    OutputUnknown {
        /// The output's name in the capture.
        name: String,
    },
    /// An unfinished command that is not the last.
    #[error(
        "the command is unfinished, but {after} more follow it; only the last command can be unfinished"
    )]
    UnfinishedNotLast {
        /// The number of commands after it.
        after: u64,
    },
    /// A failure blames a command that has not enqueued a program.
    #[error("command {enqueue} is not an earlier enqueue_program")]
    NoSuchEnqueue {
        /// The blamed command.
        enqueue: CommandIndex,
    },
    /// A command that was done names a queue that the device does not have.
    #[error("there is no command queue {queue}: the device has {queues}")]
    NoSuchQueue {
        /// The queue's index, counted from 0.
        queue: u8,
        /// The number of queues.
        queues: u8,
    },
    /// A device cannot have this number of command queues.
    #[error("the capture asks for {queues} command queues; a device has 1 or 2")]
    CommandQueues {
        /// The requested number.
        queues: u8,
    },
    /// A command recorded as done conflicts with the traces that are being recorded at that point.
    #[error("the command cannot be done while {state}")]
    Tracing {
        /// The traces that are being recorded at that point.
        state: &'static str,
    },
    /// A failure names a command that comes later.
    #[error("command {command} does not come earlier")]
    NotEarlier {
        /// The later command.
        command: CommandIndex,
    },
    /// A record names a command that does not exist.
    #[error("there is no command {command}")]
    NoSuchCommand {
        /// The missing command.
        command: CommandIndex,
    },
    /// A record names a command that is no read, or that reads another buffer.
    #[error("command {command} does not read buffer {buffer}")]
    NotThatRead {
        /// The command that the record names.
        command: CommandIndex,
        /// The buffer that the record names.
        buffer: u32,
    },
    /// A read that had to complete has no result.
    #[error(
        "the read of command {command} has no result, but command {by} is done and waited for the read"
    )]
    ReadWithoutResult {
        /// The read that has no result.
        command: CommandIndex,
        /// The call that waited.
        by: CommandIndex,
    },
    /// A record or output contradicts another statement about the same bytes.
    #[error("the value contradicts {other}")]
    Contradiction {
        /// The contradicting statement, as a noun.
        other: &'static str,
    },
    /// A blob's content has another hash than its key.
    #[error("the content has the hash {computed}, not {stored}")]
    BlobHash {
        /// The hash in the capture.
        stored: ContentHash,
        /// The hash of the blob's bytes.
        computed: ContentHash,
    },
    /// A processor index that no tile has.
    #[error("there is no processor {index}; processors count from 0 to 4")]
    Processor {
        /// The index that stands for no processor.
        index: u8,
    },
    /// An output of a binary precedes one of its inputs.
    #[error("an output stands before this input; inputs come first, then outputs")]
    InputAfterOutput,
    /// Two inputs or two outputs of a binary with the same name.
    #[error("two {} have the name {name:?}; give each a name of its own", role.plural())]
    TensorTwice {
        /// The role of both.
        role: TensorRole,
        /// The shared name.
        name: String,
    },
    /// A tensor of a binary whose buffer the program does not create.
    #[error("no create_buffer that is done makes buffer {buffer}, which stands for the tensor")]
    NoTensorBuffer {
        /// The buffer that the tensor names.
        buffer: u32,
    },
    /// Two tensors of a binary with the same buffer.
    #[error("buffer {buffer} stands for two tensors; give each a buffer of its own")]
    SharedTensorBuffer {
        /// The shared buffer.
        buffer: u32,
    },
    /// A command uses the content of a free tensor's buffer, makes a view of the buffer, or deallocates it.
    #[error(
        "buffer {buffer} stands for a tensor that is given later, but command {command} writes, reads, views or deallocates it"
    )]
    FreeBufferUsed {
        /// The free tensor's buffer.
        buffer: u32,
        /// The command that uses the buffer.
        command: CommandIndex,
    },
    /// A tensor of a binary that exceeds its buffer.
    #[error("the tensor takes at least {needed} B, but its buffer has {size} B")]
    TensorBeyondBuffer {
        /// The fewest bytes that the tensor takes.
        needed: u64,
        /// The bytes of the buffer.
        size: u64,
    },
    /// An object of a kind that has no address.
    #[error("a {object} has no address")]
    NoAddress {
        /// The kind of the object to which the record assigns an address.
        object: ObjectKind,
    },
}

/// Why an object cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectState {
    /// The call that creates it failed or never finished.
    NeverMade,
    /// It has been released.
    Released,
}

impl fmt::Display for ObjectState {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Self::NeverMade => "could not be created",
            Self::Released => "was released before",
        })
    }
}

/// A path of names and indices, kept on the stack: it becomes text only in an error.
#[derive(Clone, Copy)]
pub(crate) struct Path<'a> {
    part: Part,
    parent: Option<&'a Path<'a>>,
    step: PathSegment,
}

#[derive(Clone, Copy)]
enum PathSegment {
    Root,
    Field(&'static str),
    Index(usize),
}

impl<'a> Path<'a> {
    pub(crate) const fn root(part: Part) -> Self {
        Self { part, parent: None, step: PathSegment::Root }
    }

    pub(crate) const fn field(&'a self, name: &'static str) -> Path<'a> {
        Path { part: self.part, parent: Some(self), step: PathSegment::Field(name) }
    }

    pub(crate) const fn index(&'a self, index: usize) -> Path<'a> {
        Path { part: self.part, parent: Some(self), step: PathSegment::Index(index) }
    }

    pub(crate) fn error(&self, problem: impl Into<Problem>) -> CaptureError {
        CaptureError { place: self.place(), problem: problem.into() }
    }

    /// This place as an owned value.
    pub(crate) fn place(&self) -> ErrorLocation {
        ErrorLocation::Field { part: self.part, path: self.to_string() }
    }

    /// Returns an error if `value` is larger than `limit`.
    pub(crate) fn at_most(
        &self,
        what: &'static str,
        value: u64,
        limit: u64,
    ) -> Result<(), CaptureError> {
        if value > limit { Err(self.error(Problem::Limit { what, value, limit })) } else { Ok(()) }
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(parent) = self.parent {
            parent.fmt(formatter)?;
        }
        let first = self.parent.is_none_or(|parent| matches!(parent.step, PathSegment::Root));
        match self.step {
            PathSegment::Root => Ok(()),
            PathSegment::Field(name) if first => formatter.write_str(name),
            PathSegment::Field(name) => write!(formatter, ".{name}"),
            PathSegment::Index(index) => write!(formatter, "[{index}]"),
        }
    }
}
