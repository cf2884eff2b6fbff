//! Faults and waits as a record holds them.

use hallmark_chip::{
    Fault, FaultCategory, FaultPlace, PhysicalCoordinate, Processor, TileAddress, Waiting,
};
use serde::{Deserialize, Serialize};

use super::CommandIndex;

/// A fault and the call that met it.
///
/// The other party, and how many instructions one had retired, are no part of a capture.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "FaultLine", try_from = "FaultLine")]
pub struct FaultRecord {
    command: CommandIndex,
    fault: Fault,
}

impl FaultRecord {
    /// What a record holds of a fault that a synchronizing call met.
    pub fn new(command: CommandIndex, mut fault: Fault) -> Self {
        fault.against = None;
        if let Some(place) = &mut fault.place {
            place.retired = None;
        }
        Self { command, fault }
    }

    /// The synchronizing call.
    pub const fn command(&self) -> CommandIndex {
        self.command
    }

    /// What happened, and where.
    pub const fn fault(&self) -> &Fault {
        &self.fault
    }
}

/// A core that waited when a deadlock was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WaitRecord {
    /// The tile on the die.
    pub tile: PhysicalCoordinate,
    /// The core.
    pub processor: Processor,
    /// Where it stood.
    pub pc: u32,
    /// What it read again and again.
    pub address: TileAddress,
    /// What stood there.
    pub value: u32,
    /// The function that the pc lies in, if its ELF has a symbol.
    pub symbol: Option<String>,
}

impl From<&Waiting> for WaitRecord {
    /// Leaves out who wrote the word last, which is no part of a capture.
    fn from(waiting: &Waiting) -> Self {
        let Waiting { tile, processor, pc, address, value, last_writer: _, symbol } = waiting;
        Self {
            tile: *tile,
            processor: *processor,
            pc: *pc,
            address: *address,
            value: *value,
            symbol: symbol.clone(),
        }
    }
}

/// A fault's fields beside each other, as the schema has them.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FaultLine {
    command: CommandIndex,
    category: FaultCategory,
    reason: String,
    tile: Option<PhysicalCoordinate>,
    processor: Option<Processor>,
    pc: Option<u32>,
    instruction: Option<u32>,
    symbol: Option<String>,
}

/// A fault names a core, a pc, an instruction or a function, and no tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a fault's place needs its `tile`")]
pub struct PlaceWithoutTile;

/// A place of which any part may be missing, but the tile only with all others.
pub(crate) fn place(
    tile: Option<PhysicalCoordinate>,
    processor: Option<Processor>,
    pc: Option<u32>,
    instruction: Option<u32>,
    symbol: Option<String>,
) -> Result<Option<FaultPlace>, PlaceWithoutTile> {
    let Some(tile) = tile else {
        let nothing =
            processor.is_none() && pc.is_none() && instruction.is_none() && symbol.is_none();
        return if nothing { Ok(None) } else { Err(PlaceWithoutTile) };
    };
    Ok(Some(FaultPlace { processor, pc, instruction, symbol, ..FaultPlace::of_tile(tile) }))
}

impl From<FaultRecord> for FaultLine {
    fn from(FaultRecord { command, fault }: FaultRecord) -> Self {
        let Fault { category, reason, place, against: _ } = fault;
        let mut line = Self {
            command,
            category,
            reason,
            tile: None,
            processor: None,
            pc: None,
            instruction: None,
            symbol: None,
        };
        if let Some(FaultPlace { tile, processor, pc, instruction, retired: _, symbol }) = place {
            line = Self { tile: Some(tile), processor, pc, instruction, symbol, ..line };
        }
        line
    }
}

impl TryFrom<FaultLine> for FaultRecord {
    type Error = PlaceWithoutTile;

    fn try_from(line: FaultLine) -> Result<Self, Self::Error> {
        let FaultLine { command, category, reason, tile, processor, pc, instruction, symbol } =
            line;
        let place = place(tile, processor, pc, instruction, symbol)?;
        Ok(Self { command, fault: Fault { category, reason, place, against: None } })
    }
}
