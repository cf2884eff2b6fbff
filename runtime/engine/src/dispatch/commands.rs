//! The commands of a dispatcher as bytes. `dispatch_abi.rs` of the crate `hallmark-device-code` says what each means.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use hallmark_chip::{LogicalCore, NocCoordinate};
use hallmark_device_code::dispatch_abi::{COMMAND_HEADER, Operation, RECTANGLE_TILES};

use super::binary_store::BinaryStore;
use super::program_store::StoredCommands;
use crate::InternalError;
use crate::chip::tile_word;
use crate::defects::{Defect, planted};
use crate::tiles::{KernelBinary, SemaphoreWord, TileLayout};

/// Commands, tiles and data start at multiples of this.
const ALIGNMENT: usize = 16;

/// The same bytes go to so many tiles by one multicast; fewer are written one by one, without waiting.
const LEAST_RECTANGLE: u32 = 4;
/// An entry has a byte for the number.
const LARGEST_RECTANGLE: u32 = 255;

/// A list of tiles, as rectangles as far as possible. No rectangle holds another tile.
fn tile_list(tiles: &[NocCoordinate]) -> Vec<u32> {
    let places: BTreeSet<(u8, u8)> = tiles.iter().map(|tile| (tile.y, tile.x)).collect();
    // Stretches of a row, each with the rows in which it comes one after the other.
    let mut open: Vec<Rectangle> = Vec::new();
    let mut rectangles: Vec<Rectangle> = Vec::new();
    let mut places = places.into_iter().peekable();
    while let Some((y, first)) = places.next() {
        let mut last = first;
        while places.next_if(|&next| Some(next.1) == last.checked_add(1) && next.0 == y).is_some() {
            last = last.saturating_add(1);
        }
        let above = open.iter().position(|above| {
            let follows = above.bottom.checked_add(1) == Some(y);
            follows
                && (above.left, above.right) == (first, last)
                && above.grown() <= LARGEST_RECTANGLE
        });
        match above.and_then(|above| open.get_mut(above)) {
            Some(above) => above.bottom = y,
            None => {
                let done = open.extract_if(.., |open| open.bottom.saturating_add(1) < y);
                rectangles.extend(done);
                open.push(Rectangle { left: first, right: last, top: y, bottom: y });
            }
        }
    }
    rectangles.extend(open);
    rectangles.iter().flat_map(Rectangle::entries).collect()
}

/// Tiles of some rows, corners included.
struct Rectangle {
    left: u8,
    right: u8,
    top: u8,
    bottom: u8,
}

impl Rectangle {
    fn columns(&self) -> u32 {
        u32::from(self.right.saturating_sub(self.left)) + 1
    }

    fn tiles(&self) -> u32 {
        (u32::from(self.bottom.saturating_sub(self.top)) + 1) * self.columns()
    }

    /// Tiles with another row.
    fn grown(&self) -> u32 {
        self.tiles() + self.columns()
    }

    fn entries(&self) -> Vec<u32> {
        let lost = planted(Defect::RectanglesLoseTheirLastRow) && self.bottom > self.top;
        let this = Self { bottom: self.bottom.saturating_sub(u8::from(lost)), ..*self };
        let number = this.tiles();
        let at = |x, y| tile_word(NocCoordinate { x, y });
        if (LEAST_RECTANGLE..=LARGEST_RECTANGLE).contains(&number) {
            let (first, last) = (at(this.left, this.top), at(this.right, this.bottom));
            return vec![last | first << 12 | number << RECTANGLE_TILES];
        }
        let columns = || this.left..=this.right;
        (this.top..=this.bottom).flat_map(|y| columns().map(move |x| at(x, y))).collect()
    }
}

fn bytes_of(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
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

/// Does nothing for `size` bytes, of which only the header is given here.
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
    let entries = tile_list(tiles);
    let list = bytes_of(&entries);
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
        commands.push(command(Operation::WRITE, entries.len(), operands, &bytes));
        address = address.wrapping_add(part.len() as u32);
        data = rest;
    }
}

/// Copies from a dispatcher's own memory to an address of each tile.
fn copy(tiles: &[NocCoordinate], address: u32, length: u32, source: u32) -> Vec<u8> {
    let mut rest = source.to_le_bytes().to_vec();
    rest.resize(ALIGNMENT, 0);
    let entries = tile_list(tiles);
    rest.extend(bytes_of(&entries));
    command(Operation::COPY, entries.len(), [address, length], &rest)
}

/// Carries out a trace that lies in the DRAM banks.
pub(super) fn replay(address: u32, pages: u32) -> Vec<u8> {
    command(Operation::REPLAY, 0, [address, pages], &[])
}

/// Carries out commands that lie in a dispatcher's own memory.
pub(super) fn call(place: StoredCommands) -> Vec<u8> {
    command(Operation::CALL, 0, [place.address, place.length], &[])
}

/// A binary, one of the cores that run it, and the tiles of all of them.
type BinaryTiles<'a> = (&'a KernelBinary, LogicalCore, Vec<NocCoordinate>);

/// The binaries that tiles do not have yet, each once.
fn new_binaries(layouts: &[TileLayout]) -> Vec<BinaryTiles<'_>> {
    let mut binaries: HashMap<(usize, u32), usize> = HashMap::new();
    let mut binary_tiles: Vec<BinaryTiles<'_>> = Vec::new();
    for layout in layouts {
        for binary in &layout.binaries {
            let key = (Arc::as_ptr(binary.image()) as usize, binary.base());
            let index = *binaries.entry(key).or_insert_with(|| {
                binary_tiles.push((binary, layout.core, Vec::new()));
                binary_tiles.len() - 1
            });
            if let Some((_, _, tiles)) = binary_tiles.get_mut(index) {
                tiles.push(layout.noc);
            }
        }
    }
    binary_tiles
}

/// Gives tiles the binaries that they do not have yet. A binary of several tiles travels once.
pub(super) fn binaries(
    layouts: &[TileLayout],
    limit: usize,
) -> Result<Vec<Vec<u8>>, InternalError> {
    let mut commands = Vec::new();
    for (binary, core, tiles) in new_binaries(layouts) {
        write(&tiles, binary.base(), &binary.bytes(core)?, limit, &mut commands);
    }
    Ok(commands)
}

/// The same from the store; `None` if it is full.
pub(super) fn stored_binaries(
    layouts: &[TileLayout],
    store: &mut BinaryStore,
) -> Result<Option<Vec<Vec<u8>>>, InternalError> {
    let mut commands = Vec::new();
    for (binary, core, tiles) in new_binaries(layouts) {
        let Some(source) = store.place(binary, core)? else { return Ok(None) };
        commands.push(copy(&tiles, binary.base(), binary.image().size(), source));
    }
    Ok(Some(commands))
}

/// Gives all tiles their semaphores and words, and starts them.
pub(super) fn launch(layouts: &[TileLayout], limit: usize) -> Vec<Vec<u8>> {
    let mut commands = Vec::new();
    let mut semaphores: BTreeMap<SemaphoreWord, Vec<NocCoordinate>> = BTreeMap::new();
    for layout in layouts {
        for &semaphore in &layout.semaphores {
            semaphores.entry(semaphore).or_default().push(layout.noc);
        }
    }
    for (SemaphoreWord { address, value }, tiles) in semaphores {
        write(&tiles, address, &value.to_le_bytes(), limit, &mut commands);
    }
    for layout in layouts {
        write(&[layout.noc], layout.block, &layout.words, limit, &mut commands);
    }
    // The block lies at the same place on every tile.
    let block = layouts.first().map_or(0, |layout| layout.block);
    let tiles: Vec<NocCoordinate> = layouts.iter().map(|layout| layout.noc).collect();
    let entries = tile_list(&tiles);
    commands.push(command(Operation::LAUNCH, entries.len(), [block, 0], &bytes_of(&entries)));
    commands
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tiles that a list stands for.
    fn tiles_of(entries: &[u32]) -> Vec<(u32, u32)> {
        let mut tiles = Vec::new();
        for entry in entries {
            let corner = |shift: u32| (entry >> shift & 0x3F, entry >> (shift + 6) & 0x3F);
            let (last, number) = (corner(0), entry >> RECTANGLE_TILES);
            let first = if number == 0 { last } else { corner(12) };
            let before = tiles.len();
            for y in first.1..=last.1 {
                tiles.extend((first.0..=last.0).map(|x| (x, y)));
            }
            assert_eq!(tiles.len() - before, number.max(1) as usize);
        }
        tiles.sort_unstable();
        tiles
    }

    #[test]
    fn a_list_stands_for_its_tiles_and_no_others() {
        let mut random = hallmark_chip::Random::new(1);
        let all = || (18..34u8).flat_map(|x| (18..32u8).map(move |y| NocCoordinate { x, y }));
        for density in [1, 2, 5, 9, 10] {
            for _ in 0..20 {
                let tiles: Vec<_> = all().filter(|_| random.next() % 10 < density).collect();
                let mut expected: Vec<_> =
                    tiles.iter().map(|tile| (u32::from(tile.x), u32::from(tile.y))).collect();
                expected.sort_unstable();
                assert_eq!(tiles_of(&tile_list(&tiles)), expected);
            }
        }
        let rows = |last: u8| all().filter(move |tile| tile.x < 26 && tile.y <= last);
        assert_eq!(tile_list(&rows(27).collect::<Vec<_>>()).len(), 1);
        // An L: two rectangles.
        let other = all().filter(|tile| tile.x < 24 && tile.y == 28);
        assert_eq!(tile_list(&rows(27).chain(other).collect::<Vec<_>>()).len(), 2);
        assert_eq!(tile_list(&all().take(3).collect::<Vec<_>>()).len(), 3);
    }
}
