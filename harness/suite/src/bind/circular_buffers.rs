//! Steps that make circular buffers.

use hallmark_schema::commands;
use hallmark_schema::model::{
    BufferId, CircularBufferId, CircularBufferIndex, Command, DataFormat, GloballyAllocatedAddress,
    ProgramId, TileShape,
};

use super::evaluator::Evaluator;
use super::scope::Scope;
use crate::language::{CreateCircularBuffer, GlobalAddress, TileEntry};
use crate::read::{Name, Number};

pub(super) fn create_circular_buffer(
    evaluator: &mut Evaluator<'_>,
    scope: &mut Scope,
    call: &CreateCircularBuffer,
    fails: bool,
) -> Option<Command> {
    let program = scope.programs.get(&call.program, evaluator.mistakes()).map(|(id, _)| id);
    let cores = evaluator.cores(&call.cores);
    let total_size = evaluator.u64(&call.total_size, "the total size");
    let mut indices = Vec::new();
    let mut complete = true;
    for entry in &call.indices {
        let index = evaluator.u32(&entry.index, "the index");
        let page_size = evaluator.u32(&entry.page_size, "the page size");
        let data_format = evaluator.setting_or(entry.data_format.as_ref(), DataFormat::UInt32);
        let tile = tile(evaluator, entry.tile.as_ref());
        match (index, page_size, data_format, tile) {
            (Some(index), Some(page_size), Some(data_format), Some(tile)) => {
                let twice = indices.iter().any(|known: &CircularBufferIndex| known.index == index);
                if twice && !fails {
                    evaluator.mistakes().add::<()>(
                        format!("duplicate index {index} in this circular buffer"),
                        entry.index.0.span(),
                        "the runtime refuses it: remove one of the two, or expect the error",
                    );
                }
                indices.push(CircularBufferIndex { index, page_size, data_format, tile });
            }
            _ => complete = false,
        }
    }
    indices.sort_by_key(|index| index.index);
    let id = scope.circular_buffers.add(&call.id, (), evaluator.mistakes());
    let place = match &call.globally_allocated_address {
        None => Some(None),
        Some(GlobalAddress { buffer, address_offset }) => {
            global_address(evaluator, scope, buffer, address_offset.as_ref()).map(Some)
        }
    };
    complete.then_some(())?;
    Some(Command::CreateCircularBuffer(commands::CreateCircularBuffer {
        circular_buffer: CircularBufferId(id),
        name: scope.given(&call.id),
        program: ProgramId(program?),
        cores: cores?,
        total_size: total_size?,
        indices,
        globally_allocated_address: place?,
    }))
}

fn global_address(
    evaluator: &mut Evaluator<'_>,
    scope: &Scope,
    buffer: &Name,
    offset: Option<&Number>,
) -> Option<GloballyAllocatedAddress> {
    let buffer = scope.buffers.get(buffer, evaluator.mistakes()).map(|(id, _)| BufferId(id));
    let offset = offset.map_or(Some(0), |offset| evaluator.u32(offset, "the offset"));
    Some(GloballyAllocatedAddress { buffer: buffer?, address_offset: offset? })
}

fn tile(evaluator: &mut Evaluator<'_>, entry: Option<&TileEntry>) -> Option<Option<TileShape>> {
    let Some(entry) = entry else { return Some(None) };
    let shape = evaluator.shape(&entry.shape);
    let face_shape = entry.face_shape.as_ref().map(|face| evaluator.shape(face));
    let transpose = evaluator.setting_or(entry.transpose.as_ref(), false);
    let plain = TileShape::of(shape?);
    let face_shape = face_shape.map_or(Some(plain.face_shape), |face| face)?;
    Some(Some(TileShape { face_shape, transpose: transpose?, ..plain }))
}
