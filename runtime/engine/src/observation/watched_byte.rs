//! The writers of a byte of memory, for a search for the origin of wrong data: no calls of the host API, never recorded.

use hallmark_chip::{LastWriter, PhysicalCoordinate, TileAddress};
use hallmark_schema::model::CommandIndex;
use serde::{Deserialize, Serialize};

use crate::chip::Chip;
use crate::tiles::{Tiles, with_lines};

/// A write to the byte that is watched: of the writes of one command the last.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LastWrite {
    /// The command that was carried out. `None` where dispatchers carry commands out, because the host does not look after
    /// each command there.
    pub command: Option<CommandIndex>,
    /// The enqueue of the program that was launched. For a replay of a trace, the enqueue stands in the trace.
    pub launch: Option<CommandIndex>,
    /// The writer; a core with its function and source lines.
    pub writer: LastWriter,
}

/// The byte that is watched, and the writes to it that were not taken yet.
#[derive(Debug)]
pub(super) struct WatchedByte {
    tile: PhysicalCoordinate,
    address: TileAddress,
    writes: Vec<LastWrite>,
}

impl WatchedByte {
    /// Watches a byte of a tile's memory from now on; nothing if the device cannot tell who writes.
    pub(super) fn new(
        chip: &mut Chip,
        tile: PhysicalCoordinate,
        address: TileAddress,
    ) -> Option<Self> {
        chip.access().last_writer(tile, address)?;
        Some(Self { tile, address, writes: Vec::new() })
    }

    /// Notes the writer of the byte since the last look, while the kernels concerned are in place.
    pub(super) fn note(
        &mut self,
        tiles: &mut Tiles,
        command: Option<CommandIndex>,
        launch: Option<CommandIndex>,
    ) {
        let writer = match tiles.chip_mut().access().last_writer(self.tile, self.address) {
            Some(LastWriter::Core(position)) => LastWriter::Core(with_lines(tiles, position)),
            Some(LastWriter::Host) => LastWriter::Host,
            Some(LastWriter::Nobody) | None => return,
        };
        self.writes.push(LastWrite { command, launch, writer });
    }

    /// The writes that were not taken before, in their order.
    pub(super) fn take(&mut self) -> Vec<LastWrite> {
        std::mem::take(&mut self.writes)
    }
}
