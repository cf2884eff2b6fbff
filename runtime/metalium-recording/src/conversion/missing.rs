//! What of a recording its capture lacks.

use hallmark_schema::model::CommandKind;
use hallmark_schema::plural::counted;

use crate::event::ObservedTile;
use crate::selection::SelectionOption;

/// What of a recording its capture lacks, as the subject of a sentence.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub enum Missing {
    /// The recorder could not follow it.
    #[error("{what}")]
    Unfollowed {
        /// What, as the recorder says it.
        what: String,
    },
    /// Every launch of a program that captures cannot hold.
    #[error("the program `{program}`, because {reason}")]
    Program {
        /// The program's name.
        program: String,
        /// Why not.
        reason: Inconvertible,
    },
    /// A program from one of its launches on, and what could not be changed between two launches.
    #[error("launches of the program `{program}` from number {launch} on, because {reason}")]
    Launches {
        /// The program's name.
        program: String,
        /// The first launch that is missing, counted from 0.
        launch: u32,
        /// Why it is.
        reason: Inconvertible,
    },
    /// A buffer.
    #[error("buffer {number} of the recording ({bytes} B), because {reason}")]
    Buffer {
        /// How many buffers were made before it.
        number: usize,
        /// Its bytes.
        bytes: u64,
        /// Why it is missing.
        reason: BufferProblem,
    },
    /// A write or read of some bytes of a buffer.
    #[error("a {kind} of {size} B at byte {offset} of buffer {number} of the recording, because {reason}", kind = transfer(*.command))]
    Transfer {
        /// A write or a read.
        command: CommandKind,
        /// How many buffers were made before the buffer.
        number: usize,
        /// The first byte.
        offset: u64,
        /// How many bytes.
        size: u64,
        /// Why it is missing.
        reason: TransferProblem,
    },
    /// A call that upstream answered with an exception whose meaning is not known.
    #[error("a call of {} that ended with an exception (\"{text}\")", .command.name())]
    Exception {
        /// The call.
        command: CommandKind,
        /// What the exception says.
        text: String,
    },
    /// A call on a queue that the device does not have.
    #[error("calls on queue {queue}, of which the device has {queues}")]
    Queue {
        /// The queue.
        queue: u8,
        /// How many queues there are.
        queues: u8,
    },
    /// A call that names a trace or an event that the recording does not know.
    #[error("a call of {} that names a trace or event from before the recording", .command.name())]
    Unknown {
        /// The call.
        command: CommandKind,
    },
    /// Whatever a command does once it has opened another device than its first.
    #[error("everything from the opening of device {device} on, because a capture has one device")]
    OtherDevice {
        /// Counts the devices that the command opened.
        device: u32,
    },
    /// What the user asked to leave out.
    #[error(
        "{} left out as asked{}; at the cuts the recorder waited for the device and read buffers back, of which {} written behind the cuts and {} in front of them",
        counted(*.launches as usize, "launch that was", "launches that were"),
        for_traces(*.prepared as usize),
        counted(*.written as usize, "is", "are"),
        counted(*.read as usize, "is read", "are read"),
    )]
    Cut {
        /// Launches of programs.
        launches: u32,
        /// Launches that stay in spite of that, for a trace that holds their programs.
        prepared: u32,
        /// Buffers whose contents became writes, each as often as it did.
        written: u32,
        /// Buffers whose contents became reads, each as often as it did.
        read: u32,
    },
    /// What the user asked to begin, end, keep or leave out with, and the command does not launch.
    #[error(
        "{} of {option}, which never came{}; the command launched {}",
        operation_named(.operation),
        if *.option == SelectionOption::Until { " in the range" } else { "" },
        launched(*.launches, .came)
    )]
    NeverLaunched {
        /// The option that names it.
        option: SelectionOption,
        /// Its name or number.
        operation: String,
        /// How many launches there were.
        launches: usize,
        /// The operations that there were, in their order.
        came: Vec<String>,
    },
    /// Whatever comes after the limit of a capture.
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

/// How many operations a text names.
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

/// Why a program is not in a capture.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub enum Inconvertible {
    /// The recorder could not describe it.
    #[error("the recorder could not describe it")]
    NotDescribed,
    /// A kernel of a kind that captures do not have.
    #[error("its kernel {kernel} is of the kind {class}, which captures do not have")]
    KernelKind {
        /// The kernel's handle.
        kernel: usize,
        /// Upstream's class.
        class: String,
    },
    /// A kernel whose source is not there.
    #[error("the kernel source {path} could not be read")]
    SourceUnreadable {
        /// The path as the program gave it.
        path: String,
    },
    /// A kernel with generated bindings that were not found.
    #[error(
        "one of its kernels uses generated bindings, which were not found in TT-Metalium's cache"
    )]
    NoBindings,
    /// A setting that captures do not have.
    #[error("its kernel {kernel} uses {what}, which captures do not have")]
    Setting {
        /// The kernel's handle.
        kernel: usize,
        /// The setting.
        what: &'static str,
    },
    /// A definition that a compiler does not take from its command line.
    #[error("its kernel {kernel} defines `{name}` with a value that captures do not hold")]
    Define {
        /// The kernel's handle.
        kernel: usize,
        /// The definition's name.
        name: String,
    },
    /// A semaphore that is not a worker core's.
    #[error("its semaphore {id} is on cores of another kind than workers")]
    SemaphoreCores {
        /// The semaphore.
        id: u32,
    },
    /// A semaphore with an id that `CreateSemaphore` would not give.
    #[error("its semaphore has the id {id}, where `CreateSemaphore` gives {given}")]
    SemaphoreId {
        /// The id that it has.
        id: u32,
        /// The id that it would get.
        given: u32,
    },
    /// A data format that captures do not have.
    #[error(
        "its circular buffer index {index} has the data format {format}, which captures do not have"
    )]
    DataFormat {
        /// The index.
        index: u32,
        /// Upstream's number.
        format: u8,
    },
    /// A tile shape that captures do not have.
    #[error(
        "its circular buffer index {index} has {}, which captures do not have", tile_named(.tile)
    )]
    Tile {
        /// The index.
        index: u32,
        /// The tile.
        tile: ObservedTile,
    },
    /// A circular buffer at an address where the capture has no buffer.
    #[error("a circular buffer is at address {address}, where the capture has no L1 buffer")]
    CircularBufferAddress {
        /// The address.
        address: u32,
    },
    /// Circular buffers that changed in a way that no call makes.
    #[error("circular buffer {number} changed in a way that no call of the host API makes")]
    CircularBufferChange {
        /// Its number in the program.
        number: usize,
    },
    /// A kernel's common arguments became more or fewer.
    #[error("the number of common arguments of kernel {kernel} changed")]
    CommonArguments {
        /// The kernel's handle.
        kernel: usize,
    },
}

/// Why a buffer is not in a capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub enum BufferProblem {
    /// A memory that captures do not have.
    #[error("it is of upstream's buffer type {buffer_type}, which captures do not have")]
    Type {
        /// Upstream's number.
        buffer_type: u32,
    },
    /// A layout that captures do not have.
    #[error("it has upstream's memory layout {layout}, which captures do not have")]
    Layout {
        /// Upstream's number.
        layout: u32,
    },
    /// A page size that captures do not have.
    #[error("its pages of {page_size} B are no multiple of 4 B, or do not divide it")]
    PageSize {
        /// Bytes of a page.
        page_size: u64,
    },
    /// The program chose an address where no buffer is.
    #[error("the program chose its address {address}, where it has no other buffer")]
    Address {
        /// The address.
        address: u64,
    },
    /// Sharded by a specification that captures do not have.
    #[error("it is sharded in a way that captures do not have")]
    Sharding,
}

/// Why a write or read is not in a capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub enum TransferProblem {
    /// The buffer is missing.
    #[error("the capture lacks the buffer")]
    NoBuffer,
    /// It goes through a buffer that shows another's memory with pages of its own.
    #[error("the buffer shows the memory of another one with other pages")]
    OtherPages,
    /// It moves parts of pages.
    #[error("the bytes are no whole pages")]
    PartOfPage,
    /// What a read returned was not recorded.
    #[error("its bytes were not recorded")]
    NoBytes,
}
