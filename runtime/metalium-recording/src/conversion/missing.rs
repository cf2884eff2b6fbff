//! The parts of a recording that its capture lacks.

use hallmark_schema::model::CommandKind;
use hallmark_schema::plural::counted;

use crate::event::ObservedTile;
use crate::selection::SelectionOption;

/// A part of a recording that its capture lacks, as the subject of a sentence.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub enum Missing {
    /// An action that the recorder could not follow.
    #[error("{what}")]
    Unfollowed {
        /// The recorder's description of the action.
        what: String,
    },
    /// Every launch of a program that captures cannot hold.
    #[error("the program `{program}`, because {reason}")]
    Program {
        /// The program's name.
        program: String,
        /// The reason.
        reason: Inconvertible,
    },
    /// The launches of a program from one of them on, because a change between two launches cannot be
    /// expressed.
    #[error("launches of the program `{program}` from number {launch} on, because {reason}")]
    Launches {
        /// The program's name.
        program: String,
        /// The first missing launch, counted from 0.
        launch: u32,
        /// The reason.
        reason: Inconvertible,
    },
    /// A buffer.
    #[error("buffer {number} of the recording ({bytes} B), because {reason}")]
    Buffer {
        /// The number of buffers made before it.
        number: usize,
        /// Its size in bytes.
        bytes: u64,
        /// The reason.
        reason: BufferProblem,
    },
    /// A write or read of some bytes of a buffer.
    #[error("a {kind} of {size} B at byte {offset} of buffer {number} of the recording, because {reason}", kind = transfer(*.command))]
    Transfer {
        /// The kind of call: a write or a read.
        command: CommandKind,
        /// The number of buffers made before the buffer.
        number: usize,
        /// The first byte.
        offset: u64,
        /// The number of bytes.
        size: u64,
        /// The reason.
        reason: TransferProblem,
    },
    /// A call that ended with an exception of unknown meaning.
    #[error("a call of {} that ended with an exception (\"{text}\")", .command.name())]
    Exception {
        /// The call.
        command: CommandKind,
        /// The exception's text.
        text: String,
    },
    /// A call on a queue beyond those of the device.
    #[error("calls on queue {queue}, of which the device has {queues}")]
    Queue {
        /// The queue.
        queue: u8,
        /// The number of queues.
        queues: u8,
    },
    /// A call that names a trace or an event that is not in the recording.
    #[error("a call of {} that names a trace or event from before the recording", .command.name())]
    Unknown {
        /// The call.
        command: CommandKind,
    },
    /// The actions of a command after it has opened a device other than its first.
    #[error("everything from the opening of device {device} on, because a capture has one device")]
    OtherDevice {
        /// The index of the device in the order of opening.
        device: u32,
    },
    /// The part that the user excluded.
    #[error(
        "{} left out as asked{}; at the cuts the recorder waited for the device and read buffers back, of which {} written behind the cuts and {} in front of them",
        counted(*.launches as usize, "launch that was", "launches that were"),
        for_traces(*.prepared as usize),
        counted(*.written as usize, "is", "are"),
        counted(*.read as usize, "is read", "are read"),
    )]
    Cut {
        /// The number of launches left out.
        launches: u32,
        /// The number of launches kept despite the exclusion, for a trace that contains their programs.
        prepared: u32,
        /// The number of buffer contents that became writes.
        written: u32,
        /// The number of buffer contents that became reads.
        read: u32,
    },
    /// An operation that a selection option names, and that the command never launched.
    #[error(
        "{} of {option}, which never came{}; the command launched {}",
        operation_named(.operation),
        if *.option == SelectionOption::Until { " in the range" } else { "" },
        launched(*.launches, .came)
    )]
    NeverLaunched {
        /// The option.
        option: SelectionOption,
        /// The operation's name or number.
        operation: String,
        /// The number of launches.
        launches: usize,
        /// The launched operations, in their order.
        came: Vec<String>,
    },
    /// The calls beyond the limit of a capture.
    #[error("everything after {commands} calls, which is as many as a capture holds")]
    TooManyCommands {
        /// The limit.
        commands: u64,
    },
}

fn for_traces(launches: usize) -> String {
    match launches {
        0 => String::new(),
        1 => ", beside 1 launch that stays because a trace holds its program".to_owned(),
        more => format!(", beside {more} launches that stay because traces hold their programs"),
    }
}

/// The largest number of operations named in a text.
const NAMED: usize = 12;

fn operation_named(operation: &str) -> String {
    let is_number = operation.bytes().all(|byte| byte.is_ascii_digit());
    if is_number { format!("launch {operation}") } else { format!("the operation `{operation}`") }
}

/// "10 programs: `add`, `matmul`".
fn launched(launches: usize, came: &[String]) -> String {
    let mut names: Vec<String> = came.iter().take(NAMED).map(|name| format!("`{name}`")).collect();
    if came.len() > NAMED {
        names.push("…".to_owned());
    }
    let programs = counted(launches, "program", "programs");
    if names.is_empty() { programs } else { format!("{programs}: {}", names.join(", ")) }
}

/// "tiles of 16 × 32 in faces of 16 × 16, transposed in part".
fn tile_named(tile: &ObservedTile) -> String {
    let ((height, width), (face_height, face_width)) = (tile.shape, tile.face_shape);
    let transposed = match (tile.transposes_within_face, tile.transposes_faces) {
        (false, false) => "",
        (true, true) => ", transposed",
        (true, false) => ", transposed only within faces",
        (false, true) => ", transposed only as faces",
    };
    format!("tiles of {height} × {width} in faces of {face_height} × {face_width}{transposed}")
}

/// A write or read in words.
fn transfer(command: CommandKind) -> &'static str {
    if command == CommandKind::EnqueueWriteBuffer { "write" } else { "read" }
}

/// Why a capture lacks a program.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub enum Inconvertible {
    /// The recorder could not describe it.
    #[error("the recorder could not describe it")]
    NotDescribed,
    /// A kernel of a kind that captures do not support.
    #[error("its kernel {kernel} is of the kind {class}, which captures do not have")]
    KernelKind {
        /// The kernel's handle.
        kernel: usize,
        /// Upstream's class.
        class: String,
    },
    /// A kernel whose source cannot be read.
    #[error("the kernel source {path} could not be read")]
    SourceUnreadable {
        /// The path, as the program passed it.
        path: String,
    },
    /// A kernel whose generated bindings were not found.
    #[error(
        "one of its kernels uses generated bindings, which were not found in TT-Metalium's cache"
    )]
    NoBindings,
    /// A setting that captures do not support.
    #[error("its kernel {kernel} uses {what}, which captures do not have")]
    Setting {
        /// The kernel's handle.
        kernel: usize,
        /// The setting.
        what: &'static str,
    },
    /// A preprocessor definition that no compiler command line can hold.
    #[error("its kernel {kernel} defines `{name}` with a value that captures do not hold")]
    Define {
        /// The kernel's handle.
        kernel: usize,
        /// The definition's name.
        name: String,
    },
    /// A semaphore on cores other than worker cores.
    #[error("its semaphore {id} is on cores of another kind than workers")]
    SemaphoreCores {
        /// The semaphore.
        id: u32,
    },
    /// A semaphore with another id than `CreateSemaphore` would return.
    #[error("its semaphore has the id {id}, where `CreateSemaphore` gives {given}")]
    SemaphoreId {
        /// The actual id.
        id: u32,
        /// The id that `CreateSemaphore` would return.
        given: u32,
    },
    /// A data format that captures do not support.
    #[error(
        "its circular buffer index {index} has the data format {format}, which captures do not have"
    )]
    DataFormat {
        /// The index.
        index: u32,
        /// Upstream's number.
        format: u8,
    },
    /// A tile shape that captures do not support.
    #[error(
        "its circular buffer index {index} has {}, which captures do not have", tile_named(.tile)
    )]
    Tile {
        /// The index.
        index: u32,
        /// The tile.
        tile: ObservedTile,
    },
    /// A circular buffer at an address outside the capture's buffers.
    #[error("a circular buffer is at address {address}, where the capture has no L1 buffer")]
    CircularBufferAddress {
        /// The address.
        address: u32,
    },
    /// A change of circular buffers that no call can make.
    #[error("circular buffer {number} changed in a way that no call of the host API makes")]
    CircularBufferChange {
        /// The index of the circular buffer in the program.
        number: usize,
    },
    /// The number of a kernel's common arguments changed.
    #[error("the number of common arguments of kernel {kernel} changed")]
    CommonArguments {
        /// The kernel's handle.
        kernel: usize,
    },
}

/// Why a capture lacks a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub enum BufferProblem {
    /// A memory that captures do not support.
    #[error("it is of upstream's buffer type {buffer_type}, which captures do not have")]
    Type {
        /// Upstream's number.
        buffer_type: u32,
    },
    /// A layout that captures do not support.
    #[error("it has upstream's memory layout {layout}, which captures do not have")]
    Layout {
        /// Upstream's number.
        layout: u32,
    },
    /// A page size that captures do not support.
    #[error("its pages of {page_size} B are no multiple of 4 B, or do not divide it")]
    PageSize {
        /// Bytes of a page.
        page_size: u64,
    },
    /// An address, chosen by the program, outside every buffer.
    #[error("the program chose its address {address}, where it has no other buffer")]
    Address {
        /// The address.
        address: u64,
    },
    /// A shard specification that captures do not support.
    #[error("it is sharded in a way that captures do not have")]
    Sharding,
}

/// Why a capture lacks a write or read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub enum TransferProblem {
    /// The buffer itself is missing.
    #[error("the capture lacks the buffer")]
    NoBuffer,
    /// The buffer shows another's memory with different pages.
    #[error("the buffer shows the memory of another one with other pages")]
    OtherPages,
    /// The range does not consist of whole pages.
    #[error("the bytes are no whole pages")]
    PartOfPage,
    /// The result of the read was not recorded.
    #[error("its bytes were not recorded")]
    NoBytes,
}
