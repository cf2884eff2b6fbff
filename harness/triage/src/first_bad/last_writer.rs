//! The command that wrote a byte last before a read, found in a run with a `finish` after each command.

use hallmark_execution::executor::Executor;
use hallmark_execution::worker::state::{BytesAt, StateJob};
use hallmark_execution::worker::writers::{WatchedByte, WatchedMemory};
use hallmark_schema::commands;
use hallmark_schema::model::{BufferId, Capture, Command, CommandIndex, ObjectKind, Outcome};
use hallmark_schema_editing::{CommandSource, Edited, apply, insert_finish_after};
use hallmark_suite::bound::BoundTest;

use super::unknown::Unknown;
use crate::bisect::{Observation, device_commands, original};
use crate::probe::Prober;
use crate::root_buffer::{ReadOf, read_of};

/// A wrong byte in the result of a read.
pub(super) struct WrongByte {
    /// The read.
    pub(super) read: CommandIndex,
    /// The buffer that owns the memory.
    buffer: BufferId,
    /// The name of the read buffer in the host program.
    pub(super) name: String,
    /// The offset of the byte in the buffer that owns the memory.
    pub(super) byte: u64,
    /// The value by the model.
    expected: u8,
}

/// The last writer of a byte.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum LastWriter {
    /// The command, and the position of its core at the write, if known.
    Command(CommandIndex, Option<String>),
    /// The memory has the right value, so the read itself is wrong.
    ReadItself,
    /// No command has written the byte.
    Nobody,
}

impl WrongByte {
    /// The first wrong byte of the first wrong read.
    ///
    /// # Errors
    /// Why it is unknown.
    pub(super) fn of(capture: &Capture, bound: &BoundTest) -> Result<Self, Unknown> {
        for expected in &bound.outputs {
            let Some(wanted) = expected.hash else { continue };
            let output = capture.outputs.iter().find(|it| it.name == expected.output);
            let Some(output) = output.filter(|output| output.hash != wanted) else { continue };
            let name = &expected.output;
            let Some(bytes) = &expected.bytes else {
                return Err(Unknown::HashAlone { output: name.clone() });
            };
            let actual = capture
                .returned_bytes(output.hash)
                .ok_or_else(|| Unknown::NotHeld { output: name.clone() })?;
            let wanted: &[u8] = bytes;
            let pairs = (0_u64..).zip(wanted.iter().zip(&*actual));
            let is_near = |at: u64| {
                // Bytes of an element within its tolerance are not wrong.
                let Some(tolerance) = &expected.tolerance else { return false };
                let size = tolerance.data_type.size().max(1);
                let start = usize::try_from(at).unwrap_or(usize::MAX) / size * size;
                let range = start..start.saturating_add(size);
                match (wanted.get(range.clone()), actual.get(range)) {
                    (Some(one), Some(other)) => tolerance.outside(one, other).is_none(),
                    _ => false,
                }
            };
            let mut wrong = pairs.filter(|(at, (one, other))| one != other && !is_near(*at));
            let Some((byte, (expected_byte, _))) = wrong.next() else { continue };
            let read = CommandIndex(expected.command);
            let ReadOf { root: buffer, name, offset } =
                read_of(capture, read).ok_or_else(|| Unknown::NoBuffer { output: name.clone() })?;
            let byte = byte.saturating_add(offset);
            return Ok(Self { read, buffer, name, byte, expected: *expected_byte });
        }
        Err(Unknown::AllRight)
    }
}

/// The last writer of a byte before its read.
///
/// # Errors
/// Why it is unknown.
pub(super) fn last_writer(
    prober: &Prober<'_>,
    capture: &Capture,
    executor: &Executor,
    wrong: &WrongByte,
) -> Result<LastWriter, Unknown> {
    let before: Vec<CommandIndex> = device_commands(&capture.program, (None, wrong.read), false);
    let candidate = apply(&insert_finish_after(&capture.program, &before), capture);
    let buffer = candidate
        .object(ObjectKind::Buffer, wrong.buffer.0)
        .ok_or_else(|| Unknown::NoBuffer { output: wrong.name.clone() })?;
    // Memory is read after the last finish that follows each command.
    let looks: Vec<(u32, CommandIndex)> = before
        .iter()
        .filter_map(|command| Some((look_after(&candidate, *command)?, *command)))
        .collect();
    let bytes = looks.iter().map(|(at, _)| BytesAt { command: *at, buffer }).collect();
    let until = candidate.place_of(wrong.read).unwrap_or(wrong.read).0;
    let memory = WatchedMemory::Buffer { buffer, byte: wrong.byte };
    let watched = WatchedByte { memory, until };
    let watched = executor.knows_writers().then_some(watched);
    let state = StateJob { bytes, watched, ..StateJob::default() };
    let file = candidate.capture.to_bytes()?;
    let seed = executor.programs.schedule_seed;
    let run = prober.carry_out(&candidate.capture, &file, executor, seed, Some(state));
    let observed = Observation::of(run?, executor)?;
    let byte = usize::try_from(wrong.byte).unwrap_or(usize::MAX);
    let mut last = LastWriter::Nobody;
    let mut held: Option<u8> = None;
    let mut looked = false;
    for (at, command) in looks {
        let snapshot = observed.bytes(at, buffer);
        let now = snapshot.as_ref().and_then(|it| it.bytes.as_ref()?.get(byte).copied());
        looked |= now.is_some();
        let is_written = snapshot.is_some_and(|it| {
            let unwritten = it.unwritten.into_iter().flatten();
            !unwritten.into_iter().any(|range| (range.start..range.end).contains(&wrong.byte))
        });
        let by_host = writes(capture, command, wrong);
        if now.is_some() && is_written && (held != now || by_host) {
            last = LastWriter::Command(command, None);
            held = now;
        }
    }
    if !looked {
        return Err(Unknown::NotLooked);
    }
    if held == Some(wrong.expected) {
        return Ok(LastWriter::ReadItself);
    }
    // The bytes do not show a write of the same value.
    Ok(noted(&observed, &candidate).unwrap_or(last))
}

/// The last writer of the byte, as the device reported it.
fn noted(observed: &Observation, candidate: &Edited) -> Option<LastWriter> {
    let writes = observed.writes()?;
    let Some(last) = writes.last() else { return Some(LastWriter::Nobody) };
    let command = last.command.and_then(|at| original(candidate, at))?;
    let by_core = matches!(last.writer, hallmark_chip::LastWriter::Core(_));
    Some(LastWriter::Command(command, by_core.then(|| observed.in_words(last))))
}

/// The call after which memory is read for a command: the last finish inserted after it, or the command itself.
fn look_after(candidate: &Edited, command: CommandIndex) -> Option<u32> {
    let inserted = candidate.sources.iter().rposition(
        |source| matches!(source, CommandSource::Inserted { after } if *after == command),
    );
    match inserted {
        Some(at) => u32::try_from(at).ok(),
        None => candidate.place_of(command).map(|at| at.0),
    }
}

/// Whether the host writes the byte by a command.
fn writes(capture: &Capture, command: CommandIndex, wrong: &WrongByte) -> bool {
    let place = usize::try_from(command.0).unwrap_or(usize::MAX);
    let Some(made) = capture.program.commands.get(place) else { return false };
    match &made.command {
        Command::EnqueueWriteBuffer(commands::EnqueueWriteBuffer { buffer, region, .. }) => {
            let covers = region.is_none_or(|region| {
                let end = region.offset.saturating_add(region.size);
                (region.offset..end).contains(&wrong.byte)
            });
            *buffer == wrong.buffer && covers && made.outcome == Outcome::Done
        }
        _ => false,
    }
}
