//! The commands of a dispatcher as bytes: `device_code/dispatch_abi.rs` says what they mean.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use hallmark_chip::{LogicalCore, NocCoordinate};

use super::layout::TileLayout;
use super::program_store::Place;
use super::text_store::TextStore;
use super::tile::Text;
use crate::InternalError;
use crate::device_code::dispatch_abi::{COMMAND_HEADER, Operation};

/// Commands, tiles and data start at multiples of this.
const ALIGNMENT: usize = 16;

/// A tile as commands name it.
pub(super) fn tile_word(tile: NocCoordinate) -> u32 {
    u32::from(tile.x) | u32::from(tile.y) << 6
}

fn command(operation: u32, count: usize, operands: [u32; 2], rest: &[u8]) -> Vec<u8> {
    let size = (COMMAND_HEADER as usize + rest.len()).next_multiple_of(ALIGNMENT);
    let [first, second] = operands;
    let words = [operation | (count as u32) << 8, size as u32, first, second];
    let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    bytes.extend_from_slice(rest);
    bytes.resize(size, 0);
    bytes
}

/// Nothing, `size` bytes long. Only the start of it is there to be written.
pub(super) fn skip(size: u32) -> Vec<u8> {
    let mut bytes = command(Operation::SKIP, 0, [0, 0], &[]);
    if let Some(word) = bytes.get_mut(4..8) {
        word.copy_from_slice(&size.to_le_bytes());
    }
    bytes
}

/// Shows a number once everything before is done.
pub(super) fn finish(number: u32) -> Vec<u8> {
    command(Operation::FINISH, 0, [number, 0], &[])
}

/// Records an event.
pub(super) fn record(number: u32) -> Vec<u8> {
    command(Operation::RECORD, 0, [number, 0], &[])
}

/// Waits for an event of the other queue.
pub(super) fn wait(number: u32) -> Vec<u8> {
    command(Operation::WAIT, 0, [number, 0], &[])
}

/// Stops the dispatcher.
pub(super) fn end() -> Vec<u8> {
    command(Operation::END, 0, [0, 0], &[])
}

/// Sends a tile's memory to the host.
pub(super) fn read(tile: NocCoordinate, address: u32, length: u32) -> Vec<u8> {
    command(Operation::READ, 0, [address, length], &tile_word(tile).to_le_bytes())
}

/// Writes the same bytes to an address of each tile, in commands of at most `limit` bytes.
pub(super) fn write(
    tiles: &[NocCoordinate],
    address: u32,
    data: &[u8],
    limit: usize,
    commands: &mut Vec<Vec<u8>>,
) {
    let list: Vec<u8> = tiles.iter().flat_map(|&tile| tile_word(tile).to_le_bytes()).collect();
    let list_size = list.len().next_multiple_of(ALIGNMENT);
    let mut address = address;
    let mut data = data;
    while !data.is_empty() {
        let skew = address as usize % ALIGNMENT;
        // At least one line, and whole ones, so that the next part starts at a line again.
        let room = limit.saturating_sub(COMMAND_HEADER as usize + list_size) / ALIGNMENT;
        let room = room.max(2) * ALIGNMENT - skew;
        let (part, rest) = data.split_at(room.min(data.len()));
        let mut bytes = list.clone();
        bytes.resize(list_size + skew, 0);
        bytes.extend_from_slice(part);
        let operands = [address, part.len() as u32];
        commands.push(command(Operation::WRITE, tiles.len(), operands, &bytes));
        address = address.wrapping_add(part.len() as u32);
        data = rest;
    }
}

/// Copies from a dispatcher's own memory to an address of each tile.
fn copy(tiles: &[NocCoordinate], address: u32, length: u32, source: u32) -> Vec<u8> {
    let mut rest = source.to_le_bytes().to_vec();
    rest.resize(ALIGNMENT, 0);
    rest.extend(tiles.iter().flat_map(|&tile| tile_word(tile).to_le_bytes()));
    command(Operation::COPY, tiles.len(), [address, length], &rest)
}

/// Carries out a trace that lies in the DRAM banks.
pub(super) fn replay(address: u32, pages: u32) -> Vec<u8> {
    command(Operation::REPLAY, 0, [address, pages], &[])
}

/// Carries out commands that lie in a dispatcher's own memory.
pub(super) fn call(place: Place) -> Vec<u8> {
    command(Operation::CALL, 0, [place.address, place.length], &[])
}

/// A text, one of the cores that it is for, and their tiles.
type TextTiles<'a> = (&'a Text, LogicalCore, Vec<NocCoordinate>);

/// The texts that tiles do not have yet, each once.
fn new_texts(layouts: &[TileLayout]) -> Vec<TextTiles<'_>> {
    let mut texts: HashMap<(usize, u32), usize> = HashMap::new();
    let mut text_tiles: Vec<TextTiles<'_>> = Vec::new();
    for layout in layouts {
        for text in &layout.texts {
            let key = (Arc::as_ptr(&text.image) as usize, text.base);
            let index = *texts.entry(key).or_insert_with(|| {
                text_tiles.push((text, layout.core, Vec::new()));
                text_tiles.len() - 1
            });
            if let Some((_, _, tiles)) = text_tiles.get_mut(index) {
                tiles.push(layout.noc);
            }
        }
    }
    text_tiles
}

/// Gives tiles the texts that they do not have yet. What several are given alike travels once.
pub(super) fn texts(layouts: &[TileLayout], limit: usize) -> Result<Vec<Vec<u8>>, InternalError> {
    let mut commands = Vec::new();
    for (text, core, tiles) in new_texts(layouts) {
        write(&tiles, text.base, &text.bytes(core)?, limit, &mut commands);
    }
    Ok(commands)
}

/// The same from the store; `None` if it is full.
pub(super) fn stored_texts(
    layouts: &[TileLayout],
    store: &mut TextStore,
) -> Result<Option<Vec<Vec<u8>>>, InternalError> {
    let mut commands = Vec::new();
    for (text, core, tiles) in new_texts(layouts) {
        let Some(source) = store.place(text, core)? else { return Ok(None) };
        commands.push(copy(&tiles, text.base, text.image.size(), source));
    }
    Ok(Some(commands))
}

/// Gives all tiles what they need besides texts, and starts them.
pub(super) fn launch(layouts: &[TileLayout], limit: usize) -> Vec<Vec<u8>> {
    let mut commands = Vec::new();
    let mut semaphores: BTreeMap<(u32, u32), Vec<NocCoordinate>> = BTreeMap::new();
    for layout in layouts {
        for &semaphore in &layout.semaphores {
            semaphores.entry(semaphore).or_default().push(layout.noc);
        }
    }
    for ((address, value), tiles) in semaphores {
        write(&tiles, address, &value.to_le_bytes(), limit, &mut commands);
    }
    for layout in layouts {
        write(&[layout.noc], layout.block, &layout.words, limit, &mut commands);
    }
    // The block lies at the same place on every tile.
    let block = layouts.first().map_or(0, |layout| layout.block);
    let list: Vec<u8> =
        layouts.iter().flat_map(|layout| tile_word(layout.noc).to_le_bytes()).collect();
    commands.push(command(Operation::LAUNCH, layouts.len(), [block, 0], &list));
    commands
}
