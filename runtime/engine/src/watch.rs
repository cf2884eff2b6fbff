//! Who writes a byte of memory, and by which command, for whoever looks for the origin of wrong data: no calls of the host
//! API, never recorded.

use hallmark_chip::{LastWriter, PhysicalCoordinate, TileAddress};
use hallmark_schema::model::CommandIndex;
use serde::{Deserialize, Serialize};

use crate::engine::Engine;

/// A write to the byte that is watched: of the writes of one command the last.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LastWrite {
    /// The command that was carried out. `None` where dispatchers carry commands out, so that nobody looks after each.
    pub command: Option<CommandIndex>,
    /// The enqueue of the program that was launched, of a replay of a trace in that trace.
    pub launch: Option<CommandIndex>,
    /// Who wrote, with the function and the source lines of a core.
    pub writer: LastWriter,
}

/// The byte that is watched, and the writes to it that nobody has taken yet.
#[derive(Debug)]
pub(crate) struct WatchedByte {
    tile: PhysicalCoordinate,
    address: TileAddress,
    writes: Vec<LastWrite>,
}

impl Engine {
    /// Watches a byte of a tile's memory from now on, and no other one. False if the device cannot tell who writes.
    pub fn watch(&mut self, tile: PhysicalCoordinate, address: TileAddress) -> bool {
        let knows = self.chip.last_writer(tile, address).is_some();
        self.watched = knows.then(|| WatchedByte { tile, address, writes: Vec::new() });
        knows
    }

    /// The writes to the watched byte that were not taken before, in their order.
    pub fn take_writes(&mut self) -> Vec<LastWrite> {
        self.note_writer(None, None);
        self.watched.as_mut().map(|byte| std::mem::take(&mut byte.writes)).unwrap_or_default()
    }

    /// Notes who has written the watched byte since somebody looked last, while the kernels that may have are in place.
    pub(crate) fn note_writer(
        &mut self,
        command: Option<CommandIndex>,
        launch: Option<CommandIndex>,
    ) {
        let Some(WatchedByte { tile, address, .. }) = self.watched else { return };
        let writer = match self.chip.last_writer(tile, address) {
            Some(LastWriter::Core(position)) => LastWriter::Core(self.with_lines(position)),
            Some(LastWriter::Host) => LastWriter::Host,
            Some(LastWriter::Nobody) | None => return,
        };
        if let Some(byte) = &mut self.watched {
            byte.writes.push(LastWrite { command, launch, writer });
        }
    }
}
