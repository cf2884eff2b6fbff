//! A capture as JSON lines: for reading, for scripts, for version control.
//!
//! The first line is `{"capture": …}` with everything about the program except its commands. Then come
//! `{"free_tensor": …}` for each input and output of a binary, `{"call": …}` for each command, `{"output": …}`,
//! and `{"record": …}`. The record's lists are lines of `address`, `elf`, `fault`, `wait`, `read`, `collected`,
//! `expected_fault` and `printed`; those of its origin are lines of `missing`, `placement_bound_word`,
//! `generated_bindings` and `dataflow_buffer`. `{"blob": …}` holds plain text as `text`, and other content as
//! `hex`. Reading the lines gives the same program bytes.

use hallmark_chip::{Architecture, FaultCategory, L1BankOrder};
use serde::{Deserialize, Serialize};

use crate::error::{CaptureError, ErrorLocation, Problem};
use crate::model::{
    AssignedAddress, Blobs, Capture, ChipRecord, CircularBufferId, CollectedBytes, Command,
    ContentHash, DeviceRequirements, DispatchMode, ExecutorRecord, ExpectedFault, FaultRecord,
    FirmwareRecord, FreeTensor, GeneratedBindings, Grid, KernelElf, Origin, Outcome, OutputHash,
    PlacementBoundWord, Printed, ProgramPart, QueuesEnd, ReadResult, Record, RecordedCommand,
    RelocationCheck, SharedBytes, SourceFile, WaitRecord,
};
use crate::{VERSION, Version, hexadecimal, limits};

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Line {
    Capture(Header),
    FreeTensor(FreeTensor),
    Call { command: Command, outcome: Outcome },
    Output(OutputHash),
    Record(RecordHeader),
    Address(AssignedAddress),
    Elf(KernelElf),
    Fault(FaultRecord),
    Wait(WaitRecord),
    Read(ReadResult),
    Collected(CollectedBytes),
    ExpectedFault(ExpectedFault),
    Printed(Printed),
    Missing(String),
    PlacementBoundWord(PlacementBoundWord),
    GeneratedBindings(GeneratedBindings),
    DataflowBuffer(CircularBufferId),
    Blob(Blob),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    format: String,
    architecture: Architecture,
    grid: Grid,
    placement_bound: bool,
    sources: Vec<SourceFile>,
    #[serde(default = "one_queue", skip_serializing_if = "is_one_queue")]
    num_command_queues: u8,
    #[serde(default, skip_serializing_if = "is_zero")]
    trace_region_size: u64,
    #[serde(default, skip_serializing_if = "is_zero")]
    l1_small_size: u64,
    #[serde(default, skip_serializing_if = "is_zero")]
    worker_l1_size: u64,
}

const fn one_queue() -> u8 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands out references")]
const fn is_one_queue(queues: &u8) -> bool {
    *queues == one_queue()
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands out references")]
const fn is_zero(size: &u64) -> bool {
    *size == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands out references")]
fn is_row_by_row(order: &L1BankOrder) -> bool {
    *order == L1BankOrder::RowByRow
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RecordHeader {
    writer: String,
    schema_hash: ContentHash,
    chip: ChipRecord,
    firmware: FirmwareRecord,
    dispatch_mode: DispatchMode,
    #[serde(default, skip_serializing_if = "is_row_by_row")]
    l1_bank_order: L1BankOrder,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    origin: Option<OriginHeader>,
    #[serde(default, skip_serializing_if = "DeviceRequirements::is_none")]
    asked: DeviceRequirements,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    at_end: Option<QueuesEnd>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    checks: Vec<FaultCategory>,
}

/// The origin of a capture, without its lists.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct OriginHeader {
    executor: ExecutorRecord,
    relocations: RelocationCheck,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Blob {
    hash: ContentHash,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    hex: Option<String>,
}

/// Writes a capture as JSON lines, each ending in a line feed.
pub fn to_jsonl(capture: &Capture) -> String {
    let mut text = String::new();
    let mut push = |line: &Line| {
        // JSON can represent every value here: all map keys are texts, and no value is a float.
        if let Ok(line) = serde_json::to_string(line) {
            text.push_str(&line);
            text.push('\n');
        }
    };
    let ProgramPart {
        architecture,
        grid,
        placement_bound,
        ref sources,
        ref commands,
        num_command_queues,
        trace_region_size,
        l1_small_size,
        worker_l1_size,
        ref free_tensors,
    } = capture.program;
    push(&Line::Capture(Header {
        format: capture.version().to_string(),
        architecture,
        grid,
        placement_bound,
        sources: sources.clone(),
        num_command_queues,
        trace_region_size,
        l1_small_size,
        worker_l1_size,
    }));
    free_tensors.iter().for_each(|tensor| push(&Line::FreeTensor(tensor.clone())));
    for RecordedCommand { command, outcome } in commands {
        push(&Line::Call { command: command.clone(), outcome: outcome.clone() });
    }
    for output in &capture.outputs {
        push(&Line::Output(output.clone()));
    }
    if let Some(record) = &capture.record {
        push(&Line::Record(RecordHeader {
            writer: record.writer.clone(),
            schema_hash: record.schema_hash,
            chip: record.chip.clone(),
            firmware: record.firmware.clone(),
            dispatch_mode: record.dispatch_mode,
            l1_bank_order: record.l1_bank_order,
            origin: record.origin.as_ref().map(|origin| OriginHeader {
                executor: origin.executor.clone(),
                relocations: origin.relocations,
            }),
            asked: record.asked,
            at_end: record.at_end.clone(),
            checks: record.checks.clone(),
        }));
        record.addresses.iter().for_each(|address| push(&Line::Address(*address)));
        record.elfs.iter().for_each(|elf| push(&Line::Elf(elf.clone())));
        record.faults.iter().for_each(|fault| push(&Line::Fault(fault.clone())));
        record.waits.iter().for_each(|wait| push(&Line::Wait(wait.clone())));
        record.reads.iter().for_each(|read| push(&Line::Read(*read)));
        record.collected.iter().for_each(|bytes| push(&Line::Collected(*bytes)));
        record.expected_faults.iter().for_each(|fault| push(&Line::ExpectedFault(*fault)));
        record.printed.iter().for_each(|printed| push(&Line::Printed(printed.clone())));
        if let Some(origin) = &record.origin {
            origin.missing.iter().for_each(|what| push(&Line::Missing(what.clone())));
            let words = origin.placement_bound_words.iter();
            words.for_each(|word| push(&Line::PlacementBoundWord(*word)));
            let kernels = origin.generated_bindings.iter();
            kernels.for_each(|kernel| push(&Line::GeneratedBindings(kernel.clone())));
            let buffers = origin.dataflow_buffers.iter();
            buffers.for_each(|buffer| push(&Line::DataflowBuffer(*buffer)));
        }
    }
    for (hash, content) in &capture.blobs {
        push(&Line::Blob(blob(*hash, content)));
    }
    text
}

fn blob(hash: ContentHash, content: &[u8]) -> Blob {
    let plain = |letter: char| !letter.is_control() || matches!(letter, '\n' | '\t');
    let text = std::str::from_utf8(content).ok().filter(|text| text.chars().all(plain));
    let hex = text.is_none().then(|| hexadecimal::encode(content));
    Blob { hash, text: text.map(str::to_owned), hex }
}

fn at(line: usize, column: usize, text: impl Into<String>) -> CaptureError {
    CaptureError {
        place: ErrorLocation::Line { line, column },
        problem: Problem::Text(text.into()),
    }
}

/// Reads JSON lines. The first line must come first, and a record before its lists; otherwise their order is
/// free. Empty lines are skipped.
///
/// # Errors
/// The problem and its line, or the broken rule of the format.
pub fn from_jsonl(text: &str) -> Result<Capture, CaptureError> {
    if text.len() as u64 > limits::JOURNAL_BYTES {
        let problem = Problem::Limit {
            what: "bytes of text",
            value: text.len() as u64,
            limit: limits::JOURNAL_BYTES,
        };
        return Err(CaptureError { place: ErrorLocation::Line { line: 1, column: 0 }, problem });
    }
    let mut lines = text
        .lines()
        .enumerate()
        .map(|(index, line)| (index + 1, line))
        .filter(|(_, line)| !line.trim().is_empty());
    let Some((number, first)) = lines.next() else {
        return Err(at(1, 0, "the file is empty; its first line must be {\"capture\": …}"));
    };
    let (stamp, mut capture) = match parse(number, first)? {
        Line::Capture(header) => begin(number, header)?,
        _ => return Err(at(number, 0, "the first line must be {\"capture\": …}")),
    };
    for (number, line) in lines {
        add(&mut capture, number, parse(number, line)?)?;
    }
    capture.validate()?;
    let needed = capture.version();
    if needed > stamp {
        return Err(at(number, 0, format!("the lines say format {stamp} and need {needed}")));
    }
    Ok(capture)
}

fn parse(number: usize, line: &str) -> Result<Line, CaptureError> {
    serde_json::from_str(line).map_err(|error| {
        // The library's message ends with a place that counts this line as the first.
        let words = error.to_string();
        let end = words.rfind(" at line ").unwrap_or(words.len());
        at(number, error.column(), words.get(..end).unwrap_or_default())
    })
}

fn begin(number: usize, header: Header) -> Result<(Version, Capture), CaptureError> {
    let Header {
        format,
        architecture,
        grid,
        placement_bound,
        sources,
        num_command_queues,
        trace_region_size,
        l1_small_size,
        worker_l1_size,
    } = header;
    let version = format.split_once('.').and_then(|(major, minor)| {
        Some(Version { major: major.parse().ok()?, minor: minor.parse().ok()? })
    });
    let Some(found) = version else {
        return Err(at(number, 0, format!("`{format}` is not a version such as `{VERSION}`")));
    };
    found.check_readable(ErrorLocation::Line { line: number, column: 0 })?;
    let program = ProgramPart {
        architecture,
        grid,
        placement_bound,
        sources,
        commands: Vec::new(),
        num_command_queues,
        trace_region_size,
        l1_small_size,
        worker_l1_size,
        free_tensors: Vec::new(),
    };
    Ok((found, Capture { program, record: None, outputs: Vec::new(), blobs: Blobs::new() }))
}

fn begin_origin(header: OriginHeader) -> Origin {
    let OriginHeader { executor, relocations } = header;
    Origin {
        executor,
        missing: Vec::new(),
        relocations,
        placement_bound_words: Vec::new(),
        generated_bindings: Vec::new(),
        dataflow_buffers: Vec::new(),
    }
}

fn add(capture: &mut Capture, number: usize, line: Line) -> Result<(), CaptureError> {
    let no_record =
        || at(number, 0, "this line belongs to a record, but no {\"record\": …} comes before it");
    match line {
        Line::Capture(_) => return Err(at(number, 0, "a second capture begins here")),
        Line::FreeTensor(tensor) => capture.program.free_tensors.push(tensor),
        Line::Call { command, outcome } => {
            capture.program.commands.push(RecordedCommand { command, outcome });
        }
        Line::Output(output) => capture.outputs.push(output),
        Line::Record(header) => {
            if capture.record.is_some() {
                return Err(at(number, 0, "a second record begins here"));
            }
            let RecordHeader {
                writer,
                schema_hash,
                chip,
                firmware,
                dispatch_mode,
                l1_bank_order,
                origin,
                asked,
                at_end,
                checks,
            } = header;
            capture.record = Some(Record {
                writer,
                schema_hash,
                chip,
                firmware,
                dispatch_mode,
                addresses: Vec::new(),
                elfs: Vec::new(),
                faults: Vec::new(),
                waits: Vec::new(),
                reads: Vec::new(),
                collected: Vec::new(),
                expected_faults: Vec::new(),
                l1_bank_order,
                origin: origin.map(begin_origin),
                asked,
                at_end,
                checks,
                printed: Vec::new(),
            });
        }
        Line::Blob(Blob { hash, text, hex }) => {
            let content: SharedBytes = match (text, hex) {
                (Some(text), None) => text.into_bytes().into(),
                (None, Some(hex)) => hexadecimal::decode(&hex)
                    .ok_or_else(|| at(number, 0, "`hex` is not pairs of 0–9 a–f"))?
                    .into(),
                _ => return Err(at(number, 0, "a blob has either `text` or `hex`")),
            };
            if capture.blobs.insert(hash, content).is_some() {
                return Err(at(number, 0, format!("blob {hash} stands here a second time")));
            }
        }
        of_record => {
            let record = capture.record.as_mut().ok_or_else(no_record)?;
            let no_origin =
                || at(number, 0, "this line belongs to an origin, but the record has none");
            let origin = record.origin.as_mut().ok_or_else(no_origin);
            match of_record {
                Line::Address(address) => record.addresses.push(address),
                Line::Elf(elf) => record.elfs.push(elf),
                Line::Fault(fault) => record.faults.push(fault),
                Line::Wait(wait) => record.waits.push(wait),
                Line::Read(read) => record.reads.push(read),
                Line::Collected(bytes) => record.collected.push(bytes),
                Line::ExpectedFault(fault) => record.expected_faults.push(fault),
                Line::Printed(printed) => record.printed.push(printed),
                Line::Missing(what) => origin?.missing.push(what),
                Line::PlacementBoundWord(word) => origin?.placement_bound_words.push(word),
                Line::GeneratedBindings(kernel) => origin?.generated_bindings.push(kernel),
                Line::DataflowBuffer(buffer) => origin?.dataflow_buffers.push(buffer),
                Line::Capture(_)
                | Line::FreeTensor(_)
                | Line::Call { .. }
                | Line::Output(_)
                | Line::Record(_)
                | Line::Blob(_) => {}
            }
        }
    }
    Ok(())
}
