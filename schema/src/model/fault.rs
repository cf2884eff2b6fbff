//! Faults and waits in the form of a record.

use hallmark_chip::{
    Fault, FaultCategory, FaultPlace, PhysicalCoordinate, Processor, SourceFrame, TileAddress,
    Waiting,
};
use serde::{Deserialize, Serialize};

use super::CommandIndex;

/// A fault and the call that reported it.
///
/// A capture holds neither the number of instructions that a party had retired nor the memory that the fault
/// concerns; the reason names that memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "FaultLine", try_from = "FaultLine")]
pub struct FaultRecord {
    command: CommandIndex,
    fault: Fault,
}

impl FaultRecord {
    /// The record of a fault that a synchronizing call reported.
    pub fn new(command: CommandIndex, mut fault: Fault) -> Self {
        for place in fault.place.iter_mut().chain(&mut fault.against) {
            place.retired = None;
        }
        fault.memory = None;
        Self { command, fault }
    }

    /// Whether another record describes the same fault. If this one, from format 1.0, lacks the other party,
    /// any other party matches. Source lines are ignored, because they follow from pc and kernel.
    pub fn is_repeated_by(&self, again: &Self) -> bool {
        let without_frames = |fault: &Fault| {
            let mut fault = fault.clone();
            for place in fault.place.iter_mut().chain(&mut fault.against) {
                place.frames.clear();
            }
            fault
        };
        let (mut before, after) = (without_frames(&self.fault), without_frames(&again.fault));
        if before.against.is_none() {
            before.against.clone_from(&after.against);
        }
        self.command == again.command && before == after
    }

    /// The synchronizing call.
    pub const fn command(&self) -> CommandIndex {
        self.command
    }

    /// The fault and its place.
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
    /// The processor of the tile.
    pub processor: Processor,
    /// The pc at which it stood.
    pub pc: u32,
    /// The address that it read repeatedly.
    pub address: TileAddress,
    /// The value at that address.
    pub value: u32,
    /// The function that contains the pc, if the ELF has a symbol for it.
    pub symbol: Option<String>,
    /// The source lines of the pc, the outermost function first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub frames: Vec<SourceFrame>,
}

impl WaitRecord {
    /// Whether another record describes the same wait. Source lines are ignored, because they follow from pc
    /// and kernel.
    pub fn is_repeated_by(&self, again: &Self) -> bool {
        let Self { tile, processor, pc, address, value, symbol, frames: _ } = again;
        (self.tile, self.processor, self.pc) == (*tile, *processor, *pc)
            && (self.address, self.value, &self.symbol) == (*address, *value, symbol)
    }
}

impl From<&Waiting> for WaitRecord {
    /// Leaves out the writers of the word and the awaited value, which a capture does not hold.
    fn from(waiting: &Waiting) -> Self {
        let Waiting {
            tile,
            processor,
            pc,
            address,
            value,
            awaited: _,
            last_writer: _,
            lowered: _,
            symbol,
            frames,
        } = waiting;
        Self {
            tile: *tile,
            processor: *processor,
            pc: *pc,
            address: *address,
            value: *value,
            symbol: symbol.clone(),
            frames: frames.clone(),
        }
    }
}

impl From<&WaitRecord> for Waiting {
    /// The wait without the writers of the word and the awaited value, which a capture does not hold.
    fn from(record: &WaitRecord) -> Self {
        let WaitRecord { tile, processor, pc, address, value, symbol, frames } = record;
        Self {
            tile: *tile,
            processor: *processor,
            pc: *pc,
            address: *address,
            value: *value,
            awaited: None,
            last_writer: None,
            lowered: None,
            symbol: symbol.clone(),
            frames: frames.clone(),
        }
    }
}

/// A fault as flat fields, in the schema's form.
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
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    frames: Vec<SourceFrame>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    against: Option<PartyLine>,
}

/// The other party as flat fields, in the schema's form.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PartyLine {
    tile: PhysicalCoordinate,
    processor: Option<Processor>,
    pc: Option<u32>,
    instruction: Option<u32>,
    symbol: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    frames: Vec<SourceFrame>,
}

impl From<FaultPlace> for PartyLine {
    fn from(place: FaultPlace) -> Self {
        let FaultPlace { tile, processor, pc, instruction, retired: _, symbol, frames } = place;
        Self { tile, processor, pc, instruction, symbol, frames }
    }
}

impl From<PartyLine> for FaultPlace {
    fn from(line: PartyLine) -> Self {
        let PartyLine { tile, processor, pc, instruction, symbol, frames } = line;
        Self { processor, pc, instruction, symbol, frames, ..Self::of_tile(tile) }
    }
}

/// A place with a core, a pc, an instruction or a function, but without a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a fault's place needs its `tile`")]
pub struct PlaceWithoutTile;

/// A place whose parts may be missing, except that a place without a tile has no other part.
pub(crate) fn place(
    tile: Option<PhysicalCoordinate>,
    processor: Option<Processor>,
    pc: Option<u32>,
    instruction: Option<u32>,
    symbol: Option<String>,
    frames: Vec<SourceFrame>,
) -> Result<Option<FaultPlace>, PlaceWithoutTile> {
    let Some(tile) = tile else {
        let nothing = processor.is_none()
            && pc.is_none()
            && instruction.is_none()
            && symbol.is_none()
            && frames.is_empty();
        return if nothing { Ok(None) } else { Err(PlaceWithoutTile) };
    };
    Ok(Some(FaultPlace { processor, pc, instruction, symbol, frames, ..FaultPlace::of_tile(tile) }))
}

impl From<FaultRecord> for FaultLine {
    fn from(FaultRecord { command, fault }: FaultRecord) -> Self {
        let Fault { category, reason, place, against, memory: _ } = fault;
        let mut line = Self {
            command,
            category,
            reason,
            tile: None,
            processor: None,
            pc: None,
            instruction: None,
            symbol: None,
            frames: Vec::new(),
            against: against.map(|place| PartyLine::from(*place)),
        };
        if let Some(place) = place {
            let FaultPlace { tile, processor, pc, instruction, retired: _, symbol, frames } =
                *place;
            line = Self { tile: Some(tile), processor, pc, instruction, symbol, frames, ..line };
        }
        line
    }
}

impl TryFrom<FaultLine> for FaultRecord {
    type Error = PlaceWithoutTile;

    fn try_from(line: FaultLine) -> Result<Self, Self::Error> {
        let FaultLine {
            command,
            category,
            reason,
            tile,
            processor,
            pc,
            instruction,
            symbol,
            frames,
            against,
        } = line;
        let place = place(tile, processor, pc, instruction, symbol, frames)?;
        let against = against.map(|line| Box::new(line.into()));
        Ok(Self {
            command,
            fault: Fault { category, reason, place: place.map(Box::new), against, memory: None },
        })
    }
}
