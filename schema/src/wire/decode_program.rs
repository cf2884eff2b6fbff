//! The program part from verified bytes.

use hallmark_chip::Architecture;

use super::Wire;
use super::command::command_of_recorded;
use super::free_tensor::decode_free_tensor;
use super::outcome::outcome;
use super::read::{check_fields, hash, list, required, root, text};
use crate::error::{CaptureError, Part, Path};
use crate::generated::capture as fb;
use crate::limits;
use crate::model::{Grid, ProgramPart, RecordedCommand, SourceFile};

/// Verifies and reads a program part, without checking its rules.
pub(crate) fn program(bytes: &[u8]) -> Result<ProgramPart, CaptureError> {
    let path = Path::root(Part::Program);
    path.at_most("bytes of the program part", bytes.len() as u64, limits::PROGRAM_BYTES)?;
    let form = root::<fb::Program<'_>>(Part::Program, bytes)?;
    check_fields(&form, &path)?;
    let grid = required(form.grid(), &path.field("grid"))?;
    Ok(ProgramPart {
        architecture: Architecture::from_wire(form.architecture(), &path.field("architecture"))?,
        grid: Grid::from_wire(*grid, &path)?,
        placement_bound: form.placement_bound(),
        sources: list(form.sources(), &path.field("sources"), |source, path| {
            check_fields(&source, path)?;
            Ok(SourceFile {
                path: text(source.path()),
                hash: hash(source.hash(), &path.field("hash"))?,
            })
        })?,
        commands: list(form.commands(), &path.field("commands"), |recorded, path| {
            check_fields(&recorded, path)?;
            Ok(RecordedCommand {
                command: command_of_recorded(&recorded, path)?,
                outcome: outcome(recorded.outcome(), recorded.failure(), path)?,
            })
        })?,
        num_command_queues: form.num_command_queues(),
        trace_region_size: form.trace_region_size(),
        l1_small_size: form.l1_small_size(),
        worker_l1_size: form.worker_l1_size(),
        free_tensors: list(form.free_tensors(), &path.field("free_tensors"), decode_free_tensor)?,
    })
}
