//! Lets the device run until words of tiles have a value.

use hallmark_chip::{Advance, LogicalCore, NocCoordinate, TileAddress, Waiting};

use super::{Advanced, Tiles, positions};
use crate::stop::{RawStop, Unfinished};

/// Ticks between two looks at unfinished tiles: short at first, for small programs, then doubling.
pub(crate) const FIRST_SLICE: u64 = 256;
pub(crate) const LONGEST_SLICE: u64 = 65_536;

/// Waits until a word of every tile has a value.
///
/// # Errors
/// A deadlock, a hang once the budget of ticks is spent, or the device's.
pub(crate) fn wait_for_word(
    tiles: &mut Tiles,
    mut waiting: Vec<NocCoordinate>,
    word: TileAddress,
    value: u32,
    budget: u64,
) -> Result<(), RawStop> {
    let mut slice = FIRST_SLICE;
    let mut spent = 0u64;
    loop {
        let ticks = slice.min(budget.saturating_sub(spent));
        if ticks == 0 {
            let cores = unfinished(tiles, &waiting, word, value)?;
            return Err(RawStop::Hang(Unfinished { ticks: spent, cores }));
        }
        let Advanced { advance, ticks, .. } = tiles.advance(ticks, |_| Ok(false))?;
        spent = spent.saturating_add(ticks);
        slice = (slice * 2).min(LONGEST_SLICE);
        // Stops at the first unfinished tile: the ones before it are not asked again.
        while let Some(&tile) = waiting.last() {
            if tiles.chip.access().read_word(tile, word)? != value {
                break;
            }
            waiting.pop();
        }
        if waiting.is_empty() {
            return Ok(());
        }
        if let Advance::Quiescent(cores) = advance {
            return Err(RawStop::Deadlock(without_idle(tiles, cores)));
        }
    }
}

/// The cores among some tiles where a word does not have a value yet.
///
/// # Errors
/// The device's.
pub(crate) fn unfinished(
    tiles: &mut Tiles,
    among: &[NocCoordinate],
    word: TileAddress,
    value: u32,
) -> Result<Vec<LogicalCore>, RawStop> {
    let mut cores = Vec::new();
    for &noc in among {
        if tiles.chip.access().read_word(noc, word)? != value {
            let known = tiles.booted.iter().find(|(_, tile)| tile.noc == noc);
            cores.extend(known.map(|(core, _)| *core));
        }
    }
    cores.sort_unstable();
    Ok(cores)
}

/// The cores that wait inside a kernel. A core whose firmware waits for work, or for another core of
/// its tile, says nothing about the program; if there are only such cores, all of them are given.
pub(crate) fn without_idle(tiles: &Tiles, waiting: Vec<Waiting>) -> Vec<Waiting> {
    let in_kernel: Vec<Waiting> = waiting
        .iter()
        .filter(|waiting| positions::kernel_at(tiles, waiting.tile, waiting.pc).is_some())
        .cloned()
        .collect();
    if in_kernel.is_empty() { waiting } else { in_kernel }
}
