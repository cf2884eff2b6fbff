//! Who wrote bytes last that somebody asks about.
//!
//! Only those bytes cost anything: words of L1 that have one carry the mark of words that cores wait on, and in DRAM a
//! write is compared with them if there are any.

use hallmark_chip::{LastWriter, PhysicalCoordinate, Position, TileAddress};

use crate::chip::Chip;
use crate::coordinates::TileKind;
use crate::fault::Origin;

/// The bytes of one memory that are asked about.
#[derive(Debug, Default)]
pub(crate) struct WatchedBytes {
    bytes: Vec<(u64, LastWriter)>,
}

impl WatchedBytes {
    /// Who has written a byte last since this was asked before; the first time begins to look.
    pub(crate) fn last_writer(&mut self, address: u64) -> LastWriter {
        match self.bytes.iter_mut().find(|(known, _)| *known == address) {
            Some((_, writer)) => std::mem::replace(writer, LastWriter::Nobody),
            None => {
                self.bytes.push((address, LastWriter::Nobody));
                LastWriter::Nobody
            }
        }
    }

    /// A range has been written.
    pub(crate) fn note(&mut self, start: u64, length: usize, origin: impl FnOnce() -> Origin) {
        let range = start..start.saturating_add(length as u64);
        if !self.bytes.iter().any(|(address, _)| range.contains(address)) {
            return;
        }
        let writer = match origin() {
            Origin::Host => LastWriter::Host,
            Origin::Core(core) => LastWriter::Core(Position {
                tile: core.tile,
                processor: core.processor,
                pc: core.pc,
                symbol: None,
                frames: Vec::new(),
            }),
        };
        for (_, last) in self.bytes.iter_mut().filter(|(address, _)| range.contains(address)) {
            *last = writer.clone();
        }
    }
}

impl Chip {
    /// Who has written a byte of L1 or DRAM last since this was asked before; the first time begins to look. `None` in
    /// all other memory.
    pub(crate) fn last_writer(
        &mut self,
        at: PhysicalCoordinate,
        TileAddress(address): TileAddress,
    ) -> Option<LastWriter> {
        match self.coordinates.kind(at) {
            TileKind::Tensix(index) if address < self.description.l1_size => {
                let address = u32::try_from(address).ok()?;
                Some(self.tile(index)?.memory.last_writer_of_byte(address))
            }
            TileKind::Dram(channel) => {
                Some(self.watched_dram.entry(channel).or_default().last_writer(address))
            }
            TileKind::Tensix(_)
            | TileKind::Ethernet(_)
            | TileKind::Pcie
            | TileKind::Arc
            | TileKind::Harvested
            | TileKind::Empty => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_counts_for_the_bytes_in_it_until_somebody_asks() {
        let mut watched = WatchedBytes::default();
        let host = || Origin::Host;
        watched.note(16, 4, host);
        assert_eq!(watched.last_writer(16), LastWriter::Nobody, "nobody asked until then");
        for (start, length, is_written) in
            [(15, 1, false), (15, 2, true), (16, 1, true), (17, 4, false), (16, 0, false)]
        {
            watched.note(start, length, host);
            let expected = if is_written { LastWriter::Host } else { LastWriter::Nobody };
            assert_eq!(watched.last_writer(16), expected, "{start} {length}");
            assert_eq!(watched.last_writer(16), LastWriter::Nobody, "asked twice");
        }
    }
}
