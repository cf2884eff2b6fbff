//! The contents of buffers, for tools that look at them from outside: no calls of the host API, never recorded.

use std::ops::Range;
use std::sync::Arc;

use hallmark_chip::{DeviceError, NocCoordinate, TileAddress};

use super::Chip;
use crate::addresses::{BufferExtent, HostPages, Run, runs};

/// A piece of memory of which one byte was never written counts as never written.
const PIECE: usize = 16;
/// Bytes that a device is asked about at once: few where written and unwritten ones take turns, because each question
/// looks at all of its bytes.
const LEAST_ASKED: usize = 256;
const MOST_ASKED: usize = 64 << 10;

/// The bytes of a buffer, in the order in which the host reads them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BufferBytes {
    /// All bytes of the buffer, page after page.
    pub bytes: Vec<u8>,
    /// Which of them nothing has written; nothing if the device does not know.
    pub unwritten: Option<Vec<Range<u64>>>,
}

/// Reads all of a buffer; `None` if it is larger than the host's memory.
///
/// # Errors
/// The device's.
pub(crate) fn inspect(
    chip: &mut Chip,
    extent: &BufferExtent,
) -> Result<Option<BufferBytes>, DeviceError> {
    let Ok(size) = usize::try_from(extent.size()) else { return Ok(None) };
    let mut bytes = vec![0; size];
    let mut unknown = vec![0; size];
    let knows = chip.capabilities().detects_uninitialised;
    let banks = Arc::clone(chip.banks());
    for (bank, Run { start, pages }) in runs(&banks, extent) {
        let page_size = usize::try_from(extent.page_size).unwrap_or(usize::MAX);
        let length = pages.len().saturating_mul(page_size);
        let mut of_run = vec![0; length];
        chip.access().read(bank.tile, start, &mut of_run)?;
        HostPages::of(extent).scatter(&pages, &of_run, &mut bytes);
        if knows {
            of_run.fill(0);
            mark_unwritten(chip, bank.tile, start, &mut of_run)?;
            HostPages::of(extent).scatter(&pages, &of_run, &mut unknown);
        }
    }
    Ok(Some(BufferBytes { bytes, unwritten: knows.then(|| ranges(&unknown)) }))
}

/// Marks the pieces of which something was never written.
fn mark_unwritten(
    chip: &mut Chip,
    tile: NocCoordinate,
    start: TileAddress,
    marks: &mut [u8],
) -> Result<(), DeviceError> {
    let (mut done, mut most) = (0, MOST_ASKED);
    while done < marks.len() {
        let asked = most.min(marks.len() - done);
        let address = TileAddress(start.0.saturating_add(done as u64));
        match chip.access().unwritten(tile, address, asked as u64)? {
            None => {
                done += asked;
                most = (most * 2).min(MOST_ASKED);
            }
            Some(found) => {
                let [offset, length] = [found.offset, found.length]
                    .map(|number| usize::try_from(number).unwrap_or(usize::MAX));
                let first = done.saturating_add(offset);
                let piece = first / PIECE * PIECE;
                let last = first.saturating_add(length.max(1));
                let reaches_the_end = last >= done.saturating_add(asked);
                most = if reaches_the_end { (most * 2).min(MOST_ASKED) } else { LEAST_ASKED };
                let end = last.div_ceil(PIECE).saturating_mul(PIECE).min(marks.len());
                marks.get_mut(piece..end).unwrap_or_default().fill(1);
                done = end.max(done + 1);
            }
        }
    }
    Ok(())
}

/// The ranges of bytes that are marked.
fn ranges(marks: &[u8]) -> Vec<Range<u64>> {
    let mut found = Vec::new();
    let mut start = 0;
    for alike in marks.chunk_by(|one, next| one == next) {
        let end = start + alike.len() as u64;
        if alike.first() != Some(&0) {
            found.push(start..end);
        }
        start = end;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marked_bytes_become_ranges() {
        assert_eq!(ranges(&[]), []);
        assert_eq!(ranges(&[0, 1, 1, 0, 0, 1]), [1..3, 5..6]);
        assert_eq!(ranges(&[1, 1, 0, 1]), [0..2, 3..4]);
    }
}
