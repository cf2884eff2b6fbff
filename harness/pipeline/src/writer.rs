//! The writer of a byte, in the words of a capture, and the command of the write.

use hallmark_chip::{LastWriter, Position};
use hallmark_runtime::LastWrite;
use hallmark_schema::model::{Capture, Command, CommandIndex, Grid, Outcome};

use super::source_lines;
use super::stopped_program::StoppedProgram;

/// `the host`, `the dispatcher on tile (1,11)`, or `tile (2,3), logical (1,2), BRISC, pc 0x4a1c in kernel_main of `copy`, copy.cpp:14: `…``.
pub fn writer_in_words(capture: &Capture, write: &LastWrite) -> String {
    let position = match &write.writer {
        LastWriter::Nobody => return "nobody".to_owned(),
        LastWriter::Host => return "the host".to_owned(),
        LastWriter::Core(position) => position,
    };
    let Position { tile, processor, pc, symbol, frames } = position;
    let logical = capture.chip().logical(*tile);
    let Grid { columns, rows } = capture.program.grid;
    if logical.is_none_or(|core| core.x >= columns || core.y >= rows) {
        return format!("the dispatcher on tile {tile}");
    }
    let logical = logical.map_or_else(String::new, |core| format!(", logical {core}"));
    let launch = write.launch.or_else(|| match enqueues_on(capture, position).as_slice() {
        [enqueue] => Some(*enqueue),
        _ => None,
    });
    let function = match launch {
        Some(launch) => {
            let program = StoppedProgram::new(capture, launch);
            program.function(*tile, *processor, symbol.as_deref(), frames)
        }
        None => {
            let symbol = symbol.iter().map(|symbol| format!(" in {symbol}"));
            let line = source_lines::outermost(capture, frames).map(|line| format!(", {line}"));
            symbol.chain(line).collect()
        }
    };
    format!("tile {tile}{logical}, {processor}, pc {pc:#x}{function}")
}

/// The enqueues of programs that have a kernel where a core stands.
pub fn enqueues_on(capture: &Capture, at: &Position) -> Vec<CommandIndex> {
    let calls = (0..).map(CommandIndex).zip(&capture.program.commands);
    let enqueues = calls.filter(|(_, made)| {
        matches!(made.command, Command::EnqueueProgram(_)) && made.outcome == Outcome::Done
    });
    enqueues
        .map(|(enqueue, _)| enqueue)
        .filter(|enqueue| {
            StoppedProgram::new(capture, *enqueue).kernel_on(at.tile, at.processor).is_some()
        })
        .collect()
}
