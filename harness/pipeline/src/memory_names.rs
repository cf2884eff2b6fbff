//! Names the owner of an address in the host program's terms: a page of a buffer or of a circular buffer, or a
//! semaphore.

use hallmark_chip::{FaultMemory, PhysicalCoordinate, TileAddress};
use hallmark_schema::commands;
use hallmark_schema::model::{BufferId, Capture, Command, CommandIndex, Outcome};

use super::place::{BufferByte, ReadPlace};
use super::stopped_program::StoppedProgram;

/// "0x16dfe0 of tile (4,7) is byte 32 of page 0 of buffer `input`": the memory of a program's fault that a call
/// reported. `None` if its owner is unknown.
pub(super) fn sentence(
    program: &StoppedProgram<'_>,
    at: CommandIndex,
    memory: &FaultMemory,
) -> Option<String> {
    let first = FaultMemory { length: 1, ..*memory };
    Some(match owner(program, at, memory.tile, memory.address)? {
        Owner { name, released: None } => format!("{first} is {name}"),
        Owner { name, released: Some(by) } => {
            format!("{first} was {name}, which command {by} released")
        }
    })
}

/// "byte 32 of page 0 of buffer `input`": the owner of a word that a stopped program waits for, if it lives.
pub(super) fn of_word(
    program: &StoppedProgram<'_>,
    tile: PhysicalCoordinate,
    address: TileAddress,
) -> Option<String> {
    let Owner { name, released } = owner(program, program.enqueue, tile, address)?;
    released.is_none().then_some(name)
}

/// The owner of an address.
struct Owner {
    name: String,
    /// The command that released it before the program was enqueued.
    released: Option<CommandIndex>,
}

fn owner(
    program: &StoppedProgram<'_>,
    at: CommandIndex,
    tile: PhysicalCoordinate,
    address: TileAddress,
) -> Option<Owner> {
    let of_program = || {
        in_circular_buffer(program, tile, address).or_else(|| {
            let semaphore = program.semaphore(tile, address.0 & !3)?;
            Some(format!("part of semaphore `{}` of {}", semaphore.name, program.name()?))
        })
    };
    if let Some(name) = of_program() {
        return Some(Owner { name, released: None });
    }
    let mut last: Option<(CommandIndex, String)> = None;
    for buffer in buffers(program.capture, at) {
        let Some(name) = in_buffer(program.capture, buffer.id, tile, address) else { continue };
        match buffer.released.filter(|released| *released < program.enqueue) {
            None => return Some(Owner { name, released: None }),
            Some(by) if last.as_ref().is_none_or(|(before, _)| *before < by) => {
                last = Some((by, name));
            }
            Some(_) => {}
        }
    }
    last.map(|(by, name)| Owner { name, released: Some(by) })
}

/// A buffer that was created before a call.
struct KnownBuffer {
    id: BufferId,
    /// The command that released it before that call, if there is one.
    released: Option<CommandIndex>,
}

/// The buffers created before a call, in order.
fn buffers(capture: &Capture, at: CommandIndex) -> Vec<KnownBuffer> {
    let mut buffers: Vec<KnownBuffer> = Vec::new();
    let made = (0..at.0).map(CommandIndex).zip(&capture.program.commands);
    for (index, recorded) in made.filter(|(_, made)| made.outcome == Outcome::Done) {
        match &recorded.command {
            Command::CreateBuffer(commands::CreateBuffer { buffer, .. }) => {
                buffers.push(KnownBuffer { id: *buffer, released: None });
            }
            Command::DeallocateBuffer(commands::DeallocateBuffer { buffer }) => {
                if let Some(known) = buffers.iter_mut().find(|known| known.id == *buffer) {
                    known.released = Some(index);
                }
            }
            _ => {}
        }
    }
    buffers
}

fn in_buffer(
    capture: &Capture,
    buffer: BufferId,
    tile: PhysicalCoordinate,
    address: TileAddress,
) -> Option<String> {
    let place = ReadPlace::of_buffer(capture, buffer, 0)?;
    let name = &place.buffer;
    Some(match place.at(tile, address)? {
        BufferByte::InPage { page, byte } => {
            format!("byte {byte} of page {page} of buffer `{name}`")
        }
        BufferByte::Share { byte } => {
            format!("byte {byte} of the share that buffer `{name}` has of this bank")
        }
        BufferByte::Padding { page } => format!("padding behind page {page} of buffer `{name}`"),
    })
}

fn in_circular_buffer(
    program: &StoppedProgram<'_>,
    tile: PhysicalCoordinate,
    address: TileAddress,
) -> Option<String> {
    let title = program.name()?;
    program.circular_buffers(tile).into_iter().find_map(|buffer| {
        let offset = address.0.checked_sub(buffer.address?)?;
        let (index, page_size) = *buffer.indices.first()?;
        let page_size = u64::from(page_size);
        let (page, byte) = (offset.checked_div(page_size)?, offset.checked_rem(page_size)?);
        (offset < buffer.total_size).then(|| {
            let name = buffer.name;
            format!("byte {byte} of page {page} of circular buffer {index} `{name}` of {title}")
        })
    })
}

#[cfg(test)]
mod tests;
