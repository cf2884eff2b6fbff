//! What can be wrong with a capture: where, what, and how to fix it.

use std::fmt;

use crate::model::{CommandIndex, ContentHash, ObjectKind, TensorRole};

/// A version of the format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    /// Readers of one major version read all its older minor versions.
    pub major: u16,
    /// Grows with every addition.
    pub minor: u16,
}

impl Version {
    /// Whether this release reads it: the same major version, and nothing newer than its own.
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
    /// The part of what was asked and what must come of it.
    Program,
    /// The part of where it ran.
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

/// Where in a capture something is wrong.
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
    /// What, and how to fix it.
    #[source]
    pub problem: Problem,
}

/// What is wrong with a capture.
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
    /// More of something than is ever read.
    #[error("{value} {what} are too many; at most {limit} are accepted")]
    Limit {
        /// What there are too many of, in the plural.
        what: &'static str,
        /// How many there are.
        value: u64,
        /// How many there may be.
        limit: u64,
    },
    /// The last 40 bytes are no trailer.
    #[error(
        "the file has no trailer: it was cut off, or it is not a capture; copy the whole file again"
    )]
    NoTrailer,
    /// The hash in the trailer is another.
    #[error(
        "the content has the hash {computed}, but the trailer says {stored}: the file was changed after it was written; use an unchanged copy of it"
    )]
    Corrupt {
        /// The hash in the trailer.
        stored: ContentHash,
        /// The hash of everything before the trailer.
        computed: ContentHash,
    },
    /// The identifier is another.
    #[error("the file is not a capture: its identifier is {found:?}, not \"HLMK\"")]
    NotACapture {
        /// The four characters that stand in its place.
        found: String,
    },
    /// A version that this reader does not know yet.
    #[error(
        "the capture has format {found}, but this Hallmark reads formats up to {known}; use a Hallmark of format {found} or later"
    )]
    NewerVersion {
        /// The version that the file says it has.
        found: Version,
        /// The newest that is read.
        known: Version,
    },
    /// A major version that is not read any more.
    #[error("the capture has format {found}, which this Hallmark of format {known} does not read; use a Hallmark of format {}.x", found.major)]
    OlderVersion {
        /// The version that the file says it has.
        found: Version,
        /// The newest that is read.
        known: Version,
    },
    /// The file says an older minor version than its content needs.
    #[error(
        "`{what}` exists since format {since}, but the file says format {stamp}; the program that wrote the file is at fault"
    )]
    StampTooLow {
        /// What the file says.
        stamp: Version,
        /// What came later: a table, a table's field or an enum's value.
        what: String,
        /// The version with which it came.
        since: Version,
    },
    /// An older minor version cannot hold the content.
    #[error(
        "`{what}` exists since format {since}, and a copy in format {wanted} cannot leave it out; use a reader of format {since} or later"
    )]
    NotInOlderFormat {
        /// What cannot be left out: a table, a table's field or an enum's value.
        what: String,
        /// The version with which it came.
        since: Version,
        /// The version asked for.
        wanted: Version,
    },
    /// The FlatBuffer is malformed.
    #[error(
        "the content is malformed: {reason}; the program that wrote the file is at fault, or somebody changed the file and its trailer"
    )]
    Malformed {
        /// What the FlatBuffers verifier says.
        reason: String,
    },
    /// A field that this reader does not know.
    #[error("format {known} has no field number {number}; use a newer Hallmark")]
    UnknownField {
        /// The field's `id`, counted from 0.
        number: u16,
        /// The newest format that is read.
        known: Version,
    },
    /// A value that no enum has.
    #[error("format {known} has no {enumeration} with the number {number}; use a newer Hallmark")]
    UnknownValue {
        /// The enum or union.
        enumeration: &'static str,
        /// The number that stands for no value.
        number: u64,
        /// The newest format that is read.
        known: Version,
    },
    /// Something that must be there is not.
    #[error("the value is missing; the program that wrote the file is at fault")]
    Missing,
    /// Something that must not be there is.
    #[error("the value must not be here: {reason}")]
    Unexpected {
        /// Why it has no place here.
        reason: &'static str,
    },
    /// The program part does not come out the same when it is written again.
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
    /// No chip is harvested so.
    #[error(transparent)]
    Harvesting(#[from] hallmark_chip::HarvestingError),
    /// Ids count creations, failed ones included.
    #[error(
        "the id is {found}, but the next id is {expected}: ids count creations from 0, failed creations included"
    )]
    IdOutOfOrder {
        /// The id that comes next.
        expected: u32,
        /// The id that the command gives.
        found: u32,
    },
    /// No object has this id so far.
    #[error("no earlier command creates {object} {id}")]
    Undefined {
        /// The kind of object that is named.
        object: ObjectKind,
        /// The id that no creation has.
        id: u32,
    },
    /// A command recorded as done uses an object that was not there.
    #[error("the command is recorded as done, but {object} {id} {state}")]
    NotUsable {
        /// The kind of object that is used.
        object: ObjectKind,
        /// The object's id.
        id: u32,
        /// What became of it.
        state: ObjectState,
    },
    /// A list is not ascending, or names something twice.
    #[error(
        "entries must be in ascending order without duplicates; this entry does not come after the entry before it"
    )]
    NotAscending,
    /// A size that is no multiple of a page, or a page of an impossible size.
    #[error(
        "size {size} must be a multiple of the page size {page_size}, and the page size a positive multiple of 4"
    )]
    PageSize {
        /// The bytes of the buffer.
        size: u64,
        /// The bytes of one of its pages.
        page_size: u64,
    },
    /// A shard specification that does not go with its buffer.
    #[error("the shard specification does not fit: {reason}")]
    ShardSpec {
        /// What does not fit, as a clause.
        reason: &'static str,
    },
    /// An argument that names the bank of a shard that is not there.
    #[error("there is no shard {shard}: the buffer has {shards} shards")]
    NoShard {
        /// The shard that is named, counted from 0.
        shard: u64,
        /// How many there are.
        shards: u64,
    },
    /// A region that is not made of whole pages of its buffer.
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
    /// A circular buffer that no kernel could name.
    #[error("at least one index is needed")]
    NoIndex,
    /// An index that the architecture does not have.
    #[error("index {index} is too large: a core has {limit} circular buffers, counted from 0")]
    CircularBufferIndex {
        /// The index that is named, counted from 0.
        index: u32,
        /// How many a core has.
        limit: u32,
    },
    /// No core is named.
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
    /// A name that cannot stand in a test's name or a filter.
    #[error(
        "{name:?} is not a name: a name has 1 to {limit} of the characters A–Z a–z 0–9 _ . + -"
    )]
    Name {
        /// The text that is no name.
        name: String,
        /// The longest that is accepted.
        limit: usize,
    },
    /// A path that could leave the folder it is meant for.
    #[error("{path:?} is not a relative path of plain names with `/` between them")]
    Path {
        /// The path as the capture has it.
        path: String,
    },
    /// A text that must say something is empty.
    #[error("the reason is empty; say why")]
    NoReason,
    /// A definition that a compiler would not take.
    #[error("{name:?} is not an identifier, or its value holds a NUL or a line break")]
    Define {
        /// The name that is defined.
        name: String,
    },
    /// A name of a compile-time argument that a kernel could not write.
    #[error(
        "{name:?} cannot be the name of a compile-time argument: a name is not empty and holds no quotation mark, backslash or control character"
    )]
    NamedCompileArg {
        /// The name.
        name: String,
    },
    /// An optimization level that goes without saying.
    #[error("the optimization level is the default of such kernels; leave the level out")]
    DefaultOptLevel,
    /// A tile that TT-Metalium refuses.
    #[error("the tile cannot be used: {reason}")]
    TileShape {
        /// What a tile must be, as a clause.
        reason: &'static str,
    },
    /// A buffer in a region that the device was opened without.
    #[error("the buffer lies in L1_SMALL, but `l1_small_size` is 0")]
    NoL1SmallRegion,
    /// A placement-bound word that no command holds, or that is relocated.
    #[error("command {command} has no argument word {index} there that is a plain number")]
    NotThatWord {
        /// The command that the record names.
        command: CommandIndex,
        /// The word, counted from 0.
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
        /// The argument word that is named, counted from 0.
        index: u32,
        /// How many words there are.
        values: u64,
    },
    /// The place of a relocation holds a number.
    #[error("the runtime fills in word {index}, so that a capture must hold 0 there, not {value}")]
    RelocatedWordNotZero {
        /// The argument word, counted from 0.
        index: u32,
        /// The number that stands there.
        value: u32,
    },
    /// An offset where none can be.
    #[error("a coordinate has no offset, but {offset} is given")]
    CoordinateOffset {
        /// The offset that is given.
        offset: u32,
    },
    /// A page size for an index that the circular buffer does not have.
    #[error("the circular buffer was not created with index {index}")]
    IndexNotConfigured {
        /// The index that the circular buffer was not created with.
        index: u32,
    },
    /// Common arguments are set only once.
    #[error("the kernel has common arguments already, and they can be set only once")]
    CommonArgumentsTwice,
    /// An update reaches past the last common argument.
    #[error("the update reaches word {end}, but the kernel has {values} common argument words")]
    CommonArgumentOutOfRange {
        /// The word behind the last that is updated.
        end: u64,
        /// How many words there are.
        values: u64,
    },
    /// The data do not fill the buffer.
    #[error("the data has {data} B, but the buffer has {buffer} B")]
    DataLength {
        /// How many bytes the data have.
        data: u64,
        /// Bytes of the buffer.
        buffer: u64,
    },
    /// A generator that cannot make such elements.
    #[error("the generator's elements do not fit their type: {reason}")]
    Generator {
        /// What does not fit, as a clause.
        reason: &'static str,
    },
    /// A number that is infinite or none.
    #[error("the number is not finite")]
    NotFinite,
    /// A tolerance that allows nothing, or a negative limit.
    #[error("the tolerance cannot be used: {reason}")]
    Tolerance {
        /// What makes it useless, as a clause.
        reason: &'static str,
    },
    /// Two reads with one output name.
    #[error("two reads have the output name {name:?}; give each read its own output name")]
    OutputTwice {
        /// The name that two reads give their output.
        name: String,
    },
    /// Two collected traces with one name.
    #[error("two traces are collected as {name:?}; give each collected trace its own name")]
    CollectedTwice {
        /// The name that two traces are collected as.
        name: String,
    },
    /// `load_trace` from bytes that no earlier command has collected.
    #[error("no earlier command collects a trace as {name:?}; collect the trace first")]
    NotCollected {
        /// The name that no trace was collected as.
        name: String,
    },
    /// A collected trace in the record that no command collected.
    #[error("command {command} collects no trace")]
    NotThatCollect {
        /// The command that the record names.
        command: CommandIndex,
    },
    /// An expected fault of the record that no command met.
    #[error(
        "command {command} did not end in a fault, a deadlock, a hang or the loss of the device"
    )]
    NotThatFault {
        /// The command that the record names.
        command: CommandIndex,
    },
    /// An output that no read names, or in another order than the reads.
    #[error(
        "no read has the output name {name:?}, or the outputs are not in the order of the reads"
    )]
    OutputUnknown {
        /// The name that the output has in the capture.
        name: String,
    },
    /// An unfinished command that is not the last.
    #[error(
        "the command is unfinished, but {after} more follow it; only the last command can be unfinished"
    )]
    UnfinishedNotLast {
        /// How many follow it.
        after: u64,
    },
    /// A failure blames a command that has not enqueued a program.
    #[error("command {enqueue} is not an earlier enqueue_program")]
    NoSuchEnqueue {
        /// The command that the failure blames.
        enqueue: CommandIndex,
    },
    /// A command that was done names a queue that the device does not have.
    #[error("there is no command queue {queue}: the device has {queues}")]
    NoSuchQueue {
        /// The queue that the command names, counted from 0.
        queue: u8,
        /// How many there are.
        queues: u8,
    },
    /// A device cannot have that many command queues.
    #[error("the capture asks for {queues} command queues; a device has 1 or 2")]
    CommandQueues {
        /// How many were asked for.
        queues: u8,
    },
    /// A command that was done does not fit the traces that are recorded at that place.
    #[error("the command cannot be done while {state}")]
    Tracing {
        /// What is recorded there.
        state: &'static str,
    },
    /// A failure names a command that comes later.
    #[error("command {command} does not come earlier")]
    NotEarlier {
        /// The command that the failure names.
        command: CommandIndex,
    },
    /// A record names a command that does not exist.
    #[error("there is no command {command}")]
    NoSuchCommand {
        /// The command that the record names.
        command: CommandIndex,
    },
    /// A record names a command that is no read, or of another buffer.
    #[error("command {command} does not read buffer {buffer}")]
    NotThatRead {
        /// The command that the record names.
        command: CommandIndex,
        /// The buffer that the record says was read.
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
        /// What says otherwise, as a noun.
        other: &'static str,
    },
    /// A blob's content has another hash than its key.
    #[error("the content has the hash {computed}, not {stored}")]
    BlobHash {
        /// The hash by which the capture names the blob.
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
    /// An output of a binary in front of one of its inputs.
    #[error("an output stands before this input; inputs come first, then outputs")]
    InputAfterOutput,
    /// Two inputs or two outputs of a binary with one name.
    #[error("two {} have the name {name:?}; give each a name of its own", role.plural())]
    TensorTwice {
        /// What both are for the program.
        role: TensorRole,
        /// Their name.
        name: String,
    },
    /// A tensor of a binary without a buffer that stands for it.
    #[error("no create_buffer that is done makes buffer {buffer}, which stands for the tensor")]
    NoTensorBuffer {
        /// The buffer that the tensor names.
        buffer: u32,
    },
    /// Two tensors of a binary with one buffer.
    #[error("buffer {buffer} stands for two tensors; give each a buffer of its own")]
    SharedTensorBuffer {
        /// The buffer of both.
        buffer: u32,
    },
    /// A command gives a free buffer content, asks for its content, or takes it away.
    #[error(
        "buffer {buffer} stands for a tensor that is given later, but command {command} writes, reads, views or deallocates it"
    )]
    FreeBufferUsed {
        /// The buffer that stands for the tensor.
        buffer: u32,
        /// The command that uses it.
        command: CommandIndex,
    },
    /// A tensor of a binary that is larger than its buffer.
    #[error("the tensor takes at least {needed} B, but its buffer has {size} B")]
    TensorBeyondBuffer {
        /// The fewest bytes that the tensor takes.
        needed: u64,
        /// The bytes of the buffer.
        size: u64,
    },
    /// An object that has no address.
    #[error("a {object} has no address")]
    NoAddress {
        /// The kind of object that the record gives an address.
        object: ObjectKind,
    },
}

/// Why an object cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectState {
    /// Its creation failed or never finished.
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

/// A path of names and indices, kept on the stack: text is made of it only for an error.
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

    /// This place, for whoever keeps it.
    pub(crate) fn place(&self) -> ErrorLocation {
        ErrorLocation::Field { part: self.part, path: self.to_string() }
    }

    /// Refuses more than `limit` of something.
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
