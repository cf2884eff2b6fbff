//! The columns of a profile: their names, their sources, and the reasons for empty ones.
//!
//! Names and order are those of the report of TT-Metalium's and tt-torch's tools. The spans of durations follow
//! `tools/tracy/device_post_proc_config.py` and `process_ops_logs.py` of TT-Metalium.

use std::fmt::Write as _;

use hallmark_chip::Processor;
use hallmark_schema::model::KernelConfig;

use super::operation::{Ended, Operation, ProfiledKernel};

/// A column of the table.
#[derive(Clone, Copy)]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// Its content.
    pub content: Content,
}

/// The content of a column.
#[derive(Clone, Copy)]
pub enum Content {
    /// A text or a number that is independent of the device's time.
    Text {
        /// The source of the value.
        source: &'static str,
        /// The text, from the operation and its index.
        text: fn(&Operation<'_>, usize) -> String,
    },
    /// A moment of the device's time, in cycles: empty unless the user states the ticks per second. A separate
    /// column at the end holds the ticks.
    Moment {
        /// The source of the value.
        source: &'static str,
        /// The tick.
        tick: fn(&Operation<'_>) -> Option<u64>,
    },
    /// A duration in nanoseconds: empty unless the user states the ticks per second. A separate column at the
    /// end holds the ticks.
    Duration {
        /// The source of the value.
        source: &'static str,
        /// The duration in ticks.
        ticks: fn(&Operation<'_>) -> Option<u64>,
    },
    /// Always empty.
    Empty {
        /// The reason.
        reason: &'static str,
    },
}

const fn text(
    name: &'static str,
    source: &'static str,
    text: fn(&Operation<'_>, usize) -> String,
) -> Column {
    Column { name, content: Content::Text { source, text } }
}

const fn moment(
    name: &'static str,
    source: &'static str,
    tick: fn(&Operation<'_>) -> Option<u64>,
) -> Column {
    Column { name, content: Content::Moment { source, tick } }
}

const fn duration(
    name: &'static str,
    source: &'static str,
    ticks: fn(&Operation<'_>) -> Option<u64>,
) -> Column {
    Column { name, content: Content::Duration { source, ticks } }
}

const fn empty(name: &'static str, reason: &'static str) -> Column {
    Column { name, content: Content::Empty { reason } }
}

const NO_OUTER: &str =
    "a buffer has rows and columns at most, into which all other dimensions are folded";
const NO_ELEMENTS: &str = "a buffer has pages of bytes, and no type or layout of elements";
const ROWS: &str =
    "rows of elements, if that buffer is sharded; a buffer of pages alone has no shape";
const WIDTH: &str = "columns of elements, if that buffer is sharded";
const NO_GO_WAIT: &str =
    "a dispatcher sends a launch that is profiled when the launch before it has ended";
const KERNEL_SIZE: &str =
    "bytes in memory of the largest of the capture's ELFs there; 0 where no kernel runs";
const NO_ETHERNET: &str = "no kernel runs on Ethernet cores";
const NO_MODEL: &str =
    "a model of an operation's performance, which programs do not bring with them";
const NO_COMPILER: &str = "of the compiler that made the operation, which programs do not name";

/// All columns, in their order.
pub const COLUMNS: [Column; 77] = [
    text("OP CODE", "the program's name", |it, _| it.name.to_owned()),
    text("OP TYPE", "`program`: what is enqueued", |_, _| "program".to_owned()),
    text("GLOBAL CALL COUNT", "the operation's place, counted from 1", |_, at| {
        (at + 1).to_string()
    }),
    text("DEVICE ID", "0: there is one device", |_, _| "0".to_owned()),
    text("ATTRIBUTES", "compile arguments and defines of each kernel", |it, _| attributes(it)),
    text("MATH FIDELITY", "that of the last compute kernel", |it, _| fidelity(it)),
    text("CORE COUNT", "cores that ran a kernel", |it, _| {
        it.cores().map(|cores| cores.to_string()).unwrap_or_default()
    }),
    empty("PARALLELIZATION STRATEGY", NO_COMPILER),
    text("HOST START TS", "nanoseconds from the first call to the call that enqueued", |it, _| {
        it.host.map(|(from, _)| from.to_string()).unwrap_or_default()
    }),
    text("HOST END TS", "nanoseconds from the first call to the return of that call", |it, _| {
        it.host.map(|(_, until)| until.to_string()).unwrap_or_default()
    }),
    text("HOST DURATION [ns]", "the time of that call", |it, _| {
        it.host.map(|(from, until)| until.saturating_sub(from).to_string()).unwrap_or_default()
    }),
    moment(
        "DEVICE FW START CYCLE",
        "the first instruction that the launch wakes, or firmware's first marker",
        |it| it.firmware_start().map(|it| it.0),
    ),
    moment(
        "DEVICE FW END CYCLE",
        "the last instruction of the launch, or firmware's last marker",
        |it| it.firmware().map(|it| it.until.0),
    ),
    duration(
        "OP TO OP LATENCY [ns]",
        "from the last end of a kernel before to the first start of a kernel; 0 for the first, empty beside another operation",
        |it| latency(it, |_| true),
    ),
    duration(
        "OP TO OP LATENCY BR/NRISC START [ns]",
        "from the last end of a kernel before to the first start of a data movement kernel; 0 for the first, empty beside another operation",
        |it| latency(it, Processor::is_data_movement),
    ),
    duration("DEVICE FW DURATION [ns]", "from the first instruction to the last one", |it| {
        it.firmware().map(|it| it.ticks())
    }),
    duration(
        "DEVICE KERNEL DURATION [ns]",
        "from the first start of a kernel to the last end",
        |it| it.kernels_of(|_| true).map(|it| it.ticks()),
    ),
    duration(
        "DEVICE KERNEL DURATION DM START [ns]",
        "from the first start of a data movement kernel to the last end of any kernel",
        |it| {
            let start = it.kernels_of(Processor::is_data_movement)?.from;
            Some(it.kernels_of(|_| true)?.until.since(start))
        },
    ),
    duration("DEVICE KERNEL DURATION PER CORE MIN [ns]", "the shortest of all cores", |it| {
        it.by_tile().values().map(|it| it.ticks()).min()
    }),
    duration("DEVICE KERNEL DURATION PER CORE MAX [ns]", "the longest of all cores", |it| {
        it.by_tile().values().map(|it| it.ticks()).max()
    }),
    duration(
        "DEVICE KERNEL DURATION PER CORE AVG [ns]",
        "the mean of all cores, rounded to the nearest",
        |it| {
            let tiles = it.by_tile();
            let (sum, count) =
                (tiles.values().map(|it| it.ticks()).sum::<u64>(), tiles.len() as u64);
            sum.saturating_add(count / 2).checked_div(count)
        },
    ),
    duration(
        "DEVICE KERNEL FIRST TO LAST START [ns]",
        "from the first start to the last one; empty where one processor runs a kernel",
        |it| {
            let starts = || it.kernels_run().map(|(_, kernel)| kernel.from);
            starts().nth(1)?;
            Some(starts().max()?.since(starts().min()?))
        },
    ),
    duration(
        "DEVICE BRISC KERNEL DURATION [ns]",
        "from the first start to the last end there",
        |it| it.kernels_of(|it| it == Processor::Brisc).map(|it| it.ticks()),
    ),
    duration(
        "DEVICE NCRISC KERNEL DURATION [ns]",
        "from the first start to the last end there",
        |it| it.kernels_of(|it| it == Processor::Ncrisc).map(|it| it.ticks()),
    ),
    duration(
        "DEVICE TRISC0 KERNEL DURATION [ns]",
        "from the first start to the last end there",
        |it| it.kernels_of(|it| it == Processor::Trisc0).map(|it| it.ticks()),
    ),
    duration(
        "DEVICE TRISC1 KERNEL DURATION [ns]",
        "from the first start to the last end there",
        |it| it.kernels_of(|it| it == Processor::Trisc1).map(|it| it.ticks()),
    ),
    duration(
        "DEVICE TRISC2 KERNEL DURATION [ns]",
        "from the first start to the last end there",
        |it| it.kernels_of(|it| it == Processor::Trisc2).map(|it| it.ticks()),
    ),
    empty("DEVICE ERISC KERNEL DURATION [ns]", NO_ETHERNET),
    duration(
        "DEVICE COMPUTE CB WAIT FRONT [ns]",
        "waits of the unpacking thread (TRISC0) in cb_wait_front, of all cores together",
        |it| it.waited_in(Processor::Trisc0, "cb_wait_front"),
    ),
    duration(
        "DEVICE COMPUTE CB RESERVE BACK [ns]",
        "waits of the packing thread (TRISC2) in cb_reserve_back, of all cores together",
        |it| it.waited_in(Processor::Trisc2, "cb_reserve_back"),
    ),
    duration(
        "DISPATCH TOTAL CQ CMD OP TIME [ns]",
        "from the dispatcher's first instruction for the launch until it waits for the cores; empty where launches overlap",
        |it| it.dispatched().map(|it| it.ticks()),
    ),
    empty("DISPATCH GO SEND WAIT TIME [ns]", NO_GO_WAIT),
    empty("INPUT_0_W", NO_OUTER),
    empty("INPUT_0_Z", NO_OUTER),
    text("INPUT_0_Y", ROWS, |it, _| shape(it, false, 0, |(rows, _)| rows)),
    text("INPUT_0_X", WIDTH, |it, _| shape(it, false, 0, |(_, columns)| columns)),
    empty("INPUT_0_LAYOUT", NO_ELEMENTS),
    empty("INPUT_0_DATATYPE", NO_ELEMENTS),
    text("INPUT_0_MEMORY", "the first buffer that a NoC request of a kernel read", |it, _| {
        memory(it, false, 0)
    }),
    empty("INPUT_1_W", NO_OUTER),
    empty("INPUT_1_Z", NO_OUTER),
    text("INPUT_1_Y", ROWS, |it, _| shape(it, false, 1, |(rows, _)| rows)),
    text("INPUT_1_X", WIDTH, |it, _| shape(it, false, 1, |(_, columns)| columns)),
    empty("INPUT_1_LAYOUT", NO_ELEMENTS),
    empty("INPUT_1_DATATYPE", NO_ELEMENTS),
    text("INPUT_1_MEMORY", "the second buffer that a NoC request of a kernel read", |it, _| {
        memory(it, false, 1)
    }),
    empty("OUTPUT_0_W", NO_OUTER),
    empty("OUTPUT_0_Z", NO_OUTER),
    text("OUTPUT_0_Y", ROWS, |it, _| shape(it, true, 0, |(rows, _)| rows)),
    text("OUTPUT_0_X", WIDTH, |it, _| shape(it, true, 0, |(_, columns)| columns)),
    empty("OUTPUT_0_LAYOUT", NO_ELEMENTS),
    empty("OUTPUT_0_DATATYPE", NO_ELEMENTS),
    text("OUTPUT_0_MEMORY", "the first buffer that a NoC request of a kernel wrote", |it, _| {
        memory(it, true, 0)
    }),
    text("METAL TRACE ID", "the trace that launched the program, if one did", |it, _| {
        it.replay.map(|(trace, _)| trace.0.to_string()).unwrap_or_default()
    }),
    text("METAL TRACE REPLAY SESSION ID", "which replay of that trace, counted from 1", |it, _| {
        it.replay.map(|(_, session)| session.to_string()).unwrap_or_default()
    }),
    text("COMPUTE KERNEL SOURCE", "paths", |it, _| sources(it, true)),
    text(
        "COMPUTE KERNEL HASH",
        "of the capture's ELF for the kernel's first processor",
        |it, _| hashes(it, true),
    ),
    text("DATA MOVEMENT KERNEL SOURCE", "paths", |it, _| sources(it, false)),
    text("DATA MOVEMENT KERNEL HASH", "of the capture's ELF", |it, _| hashes(it, false)),
    text("BRISC MAX KERNEL SIZE [B]", KERNEL_SIZE, |it, _| size(it, Processor::Brisc)),
    text("NCRISC MAX KERNEL SIZE [B]", KERNEL_SIZE, |it, _| size(it, Processor::Ncrisc)),
    text("TRISC 0 MAX KERNEL SIZE [B]", KERNEL_SIZE, |it, _| size(it, Processor::Trisc0)),
    text("TRISC 1 MAX KERNEL SIZE [B]", KERNEL_SIZE, |it, _| size(it, Processor::Trisc1)),
    text("TRISC 2 MAX KERNEL SIZE [B]", KERNEL_SIZE, |it, _| size(it, Processor::Trisc2)),
    empty("ERISC MAX KERNEL SIZE [B]", NO_ETHERNET),
    empty("PM IDEAL [ns]", NO_MODEL),
    empty("PM COMPUTE [ns]", NO_MODEL),
    empty("PM BANDWIDTH [ns]", NO_MODEL),
    empty("PM REQ I BW", NO_MODEL),
    empty("PM REQ O BW", NO_MODEL),
    empty("PM FPU UTIL (%)", NO_MODEL),
    empty("NOC UTIL (%)", NO_MODEL),
    empty("DRAM BW UTIL (%)", NO_MODEL),
    empty("NPE CONG IMPACT (%)", NO_MODEL),
    empty("LOC", NO_COMPILER),
    empty("CONST_EVAL_OP", NO_COMPILER),
    empty("PROGRAM_METADATA", NO_COMPILER),
];

impl Content {
    /// The ticks of an operation; the outer `None` means that the column does not concern the device's time.
    pub fn ticks(&self, operation: &Operation<'_>) -> Option<Option<u64>> {
        match self {
            Self::Moment { tick: ticks, .. } | Self::Duration { ticks, .. } => {
                Some(ticks(operation))
            }
            Self::Text { .. } | Self::Empty { .. } => None,
        }
    }
}

/// The name of the last column, which TT-Metalium's report lacks: the operation's test or capture.
pub const SUBJECT: &str = "SUBJECT";

/// The name of the column before it, which TT-Metalium's report lacks too: whether the launch completed. An
/// incomplete launch has no durations.
pub const ENDED: &str = "COMPLETED";

/// The names of all columns of the table, in their order.
pub fn names() -> impl Iterator<Item = String> {
    let vendors = COLUMNS.iter().map(|column| column.name.to_owned());
    vendors.chain(COLUMNS.iter().filter_map(ticks_name)).chain([ENDED, SUBJECT].map(str::to_owned))
}

/// The explanation of each column, in order: its source, or why it is empty.
pub fn explained() -> impl Iterator<Item = String> {
    let vendors = COLUMNS.iter().map(|column| match column.content {
        Content::Text { source, .. } => format!("filled: {source}"),
        Content::Moment { source, .. } | Content::Duration { source, .. } => {
            format!("derived from ticks (with --clock): {source}")
        }
        Content::Empty { reason } => format!("empty: {reason}"),
    });
    let ticks = COLUMNS.iter().filter(|column| ticks_name(column).is_some());
    let ticks = ticks.map(|column| format!("filled: the ticks of `{}`", column.name));
    let last = [
        "filled: `yes` or `no`: whether the launch came to its end; empty where the device does not tell",
        "filled: the test or capture that the operation is of",
    ];
    vendors.chain(ticks).chain(last.map(str::to_owned))
}

/// The name of the column with another column's ticks, if that concerns the device's time.
pub fn ticks_name(column: &Column) -> Option<String> {
    match column.content {
        Content::Moment { .. } => {
            Some(format!("{} [ticks]", column.name.trim_end_matches(" CYCLE")))
        }
        Content::Duration { .. } => {
            Some(format!("{} [ticks]", column.name.trim_end_matches(" [ns]")))
        }
        Content::Text { .. } | Content::Empty { .. } => None,
    }
}

/// Keys and values in the form of TT-Metalium's tools: separated by semicolons, because commas separate
/// columns.
fn attributes(operation: &Operation<'_>) -> String {
    let mut pairs = Vec::new();
    for kernel in &operation.kernels {
        let call = kernel.call;
        let values: Vec<String> = call.compile_args.iter().map(u32::to_string).collect();
        pairs.push(format!("'{}.compile_args': '[{}]'", call.name, values.join(";")));
        for (name, value) in &call.named_compile_args {
            pairs.push(format!("'{}.{name}': '{value}'", call.name));
        }
        for (name, value) in &call.defines {
            pairs.push(format!("'{}.defines.{name}': '{value}'", call.name));
        }
    }
    format!("{{{}}}", pairs.join("; "))
}

/// The memory of one of the read or written buffers.
fn memory(operation: &Operation<'_>, writes: bool, place: usize) -> String {
    operation.buffers(writes).get(place).map(|buffer| buffer.memory()).unwrap_or_default()
}

/// The rows or the columns of one of those buffers.
fn shape(
    operation: &Operation<'_>,
    writes: bool,
    place: usize,
    part: fn((u64, u64)) -> u64,
) -> String {
    let buffers = operation.buffers(writes);
    let shape = buffers.get(place).and_then(|buffer| buffer.shape());
    shape.map(|shape| part(shape).to_string()).unwrap_or_default()
}

fn fidelity(operation: &Operation<'_>) -> String {
    let mut fidelities = operation.kernels.iter().filter_map(|kernel| match kernel.call.config {
        KernelConfig::Compute { math_fidelity, .. } => Some(math_fidelity),
        KernelConfig::DataMovement { .. } => None,
    });
    fidelities.next_back().map(|fidelity| format!("{fidelity:?}")).unwrap_or_default()
}

/// The time from the last kernel end of the previous operation to the first kernel start on some processors;
/// `None` if the previous operation was still running.
fn latency(operation: &Operation<'_>, chosen: impl Fn(Processor) -> bool) -> Option<u64> {
    let start = operation.kernels_of(chosen)?.from;
    match operation.before {
        None => Some(0),
        Some(_) => start.0.checked_sub(operation.kernels_before()?.until.0),
    }
}

/// Whether the launch of an operation completed, in the table's words.
pub fn ended(operation: &Operation<'_>) -> &'static str {
    match operation.ended() {
        Ended::Yes => "yes",
        Ended::No => "no",
        Ended::Unknown => "",
    }
}

fn of_kind<'a>(
    operation: &'a Operation<'_>,
    compute: bool,
) -> impl Iterator<Item = &'a ProfiledKernel<'a>> {
    operation.kernels.iter().filter(move |kernel| kernel.is_compute() == compute)
}

/// A list in the form of TT-Metalium's tools.
fn list(items: impl Iterator<Item = String>) -> String {
    let items: Vec<String> = items.map(|item| format!("'{item}'")).collect();
    if items.is_empty() { String::new() } else { format!("[{}]", items.join("; ")) }
}

fn sources(operation: &Operation<'_>, compute: bool) -> String {
    list(of_kind(operation, compute).map(|kernel| kernel.call.source.clone()))
}

fn hashes(operation: &Operation<'_>, compute: bool) -> String {
    let of_kernel = |kernel: &ProfiledKernel<'_>| {
        let (_, elf) = kernel.elfs.first_key_value()?;
        let path = std::path::Path::new(&kernel.call.source);
        let mut text = path.file_stem()?.to_string_lossy().into_owned();
        write!(text, "/{}/", elf.hash.short()).ok()?;
        Some(text)
    };
    list(of_kind(operation, compute).filter_map(of_kernel))
}

fn size(operation: &Operation<'_>, processor: Processor) -> String {
    let index = u8::try_from(processor.index()).unwrap_or(u8::MAX);
    let mut largest = 0;
    for kernel in operation.kernels.iter().filter(|kernel| kernel.runs_on(processor)) {
        match kernel.elfs.get(&index).and_then(|elf| elf.size) {
            Some(size) => largest = largest.max(size),
            // A capture without a record has no ELFs.
            None => return String::new(),
        }
    }
    largest.to_string()
}
