//! A tile's NoC interface: request initiators, counters and configuration
//! (NoC/MemoryMap.md, NoC/Counters.md).

mod agenda;
mod command;
mod heard;
mod network;
mod ports;

use hallmark_chip::{
    ChipDescription, Noc, NocCoordinate, NocOffsets, PhysicalCoordinate, TranslationRegisters,
};

use crate::machine::coordinates::Coordinates;
use crate::machine::fault::Violation;
use crate::machine::observer::CoreAt;
use crate::machine::tile::{Surroundings, Tile};

pub(crate) use heard::Heard;
pub(crate) use network::{
    Channel, DepartureQueue, Network, Operation, Targets, Transfer, TransferStage,
};
pub(crate) use ports::Ports;

/// Index into an interface's counters, which their registers follow.
pub(crate) mod counter {
    pub(crate) const ATOMIC_RESPONSES: usize = 0;
    pub(crate) const WRITE_ACKNOWLEDGEMENTS: usize = 1;
    pub(crate) const READ_RESPONSES: usize = 2;
    pub(crate) const READ_WORDS: usize = 3;
    pub(crate) const ACCEPTED: usize = 4;
    pub(crate) const READS_SENT: usize = 5;
    pub(crate) const MARKED_ATOMICS_SENT: usize = 6;
    pub(crate) const POSTED_ATOMICS_SENT: usize = 7;
    pub(crate) const MARKED_WRITE_WORDS_SENT: usize = 8;
    pub(crate) const POSTED_WRITE_WORDS_SENT: usize = 9;
    pub(crate) const MARKED_WRITES_SENT: usize = 10;
    pub(crate) const POSTED_WRITES_SENT: usize = 11;
    pub(crate) const MARKED_WRITES_STARTED: usize = 12;
    pub(crate) const POSTED_WRITES_STARTED: usize = 13;
    pub(crate) const READS_STARTED: usize = 14;
    pub(crate) const MARKED_ATOMICS_STARTED: usize = 15;
    /// First of sixteen, one per transaction id.
    pub(crate) const OUTSTANDING: usize = 16;
    /// First of sixteen, one per transaction id.
    pub(crate) const OUTGOING: usize = 32;
    pub(crate) const COUNT: usize = 48;
    /// The greatest number that a counter per transaction id holds.
    pub(crate) const GREATEST_BY_TRANSACTION: u32 = 0xFF;
}

/// `NIU_CFG_0`, `ROUTER_CFG_0` to `ROUTER_CFG_4`.
const CONFIGURATION_WORDS: usize = 6;

/// `NIU_CFG_0` bit 14: firmware has enabled coordinate translation.
const TRANSLATION_ENABLED: u32 = 1 << 14;

/// Words of a command buffer's registers.
const INITIATOR_WORDS: usize = 16;

/// What the registers of a command buffer hold, by word.
#[derive(Clone, Copy, Debug, Default)]
struct Initiator([u32; INITIATOR_WORDS]);

impl Initiator {
    fn get(&self, offset: u32) -> u32 {
        self.0.get((offset / 4) as usize).copied().unwrap_or(0)
    }

    /// Whether the register at an offset keeps what is written.
    fn keeps(offset: u32, offsets: &NocOffsets) -> bool {
        [
            offsets.target,
            offsets.target + 4,
            offsets.target_tile,
            offsets.return_address,
            offsets.return_address + 4,
            offsets.return_tile,
            offsets.packet_tag,
            offsets.control,
            offsets.length,
            offsets.data,
        ]
        .contains(&offset)
    }

    fn set(&mut self, offset: u32, value: u32) {
        if let Some(word) = self.0.get_mut((offset / 4) as usize) {
            *word = value;
        }
    }
}

#[derive(Debug)]
pub(crate) struct Niu {
    noc: Noc,
    /// The tile in this network's own raw coordinates.
    raw: PhysicalCoordinate,
    /// The tile as requests name it.
    named: Option<NocCoordinate>,
    initiators: Vec<Initiator>,
    counters: [u32; counter::COUNT],
    configuration: [u32; CONFIGURATION_WORDS],
    default_masks: (u32, u32),
    /// Words of a command buffer, by bit, that keep whatever is written.
    holds_anything: u32,
}

impl Niu {
    pub(crate) fn new(
        noc: Noc,
        description: &ChipDescription,
        coordinates: &Coordinates,
        at: PhysicalCoordinate,
    ) -> Self {
        let raw = match noc {
            Noc::Noc0 => at,
            Noc::Noc1 => coordinates.mirrored(at),
        };
        // A router takes part by the bit of its number on its own network.
        let (columns, rows) = description.noc_grid;
        let masks = (
            on_network(noc, coordinates.other_columns, columns),
            on_network(noc, coordinates.other_rows, rows),
        );
        let registers = &description.noc;
        let offsets = &registers.offsets;
        let holds_anything = (0..INITIATOR_WORDS as u32)
            .filter(|word| Initiator::keeps(4 * word, offsets) && 4 * word != offsets.packet_tag)
            .fold(0, |words, word| words | 1 << word);
        let translation = registers.translation.map_or(0, |_| TRANSLATION_ENABLED);
        Self {
            noc,
            raw,
            named: description.logical(at).and_then(|core| description.noc_coordinate(core)),
            initiators: vec![Initiator::default(); registers.command_buffers as usize],
            counters: [0; counter::COUNT],
            configuration: [translation, 0, masks.0, 0, masks.1, 0],
            default_masks: masks,
            holds_anything,
        }
    }

    /// Adds to a counter; those per transaction id are 8 bits wide.
    pub(crate) fn count(&mut self, index: usize, amount: i32) {
        if let Some(value) = self.counters.get_mut(index) {
            *value = value.wrapping_add_signed(amount);
            if index >= counter::OUTSTANDING {
                *value &= counter::GREATEST_BY_TRANSACTION;
            }
        }
    }

    /// Columns and rows, as NoC 0 numbers them, that multicasts leave out.
    fn multicast_masks(&self, grid: (u8, u8)) -> (u32, u32) {
        let [_, _, columns, _, rows, _] = self.configuration;
        (on_network(self.noc, columns, grid.0), on_network(self.noc, rows, grid.1))
    }

    pub(crate) fn read(
        &self,
        offset: u32,
        surroundings: &Surroundings<'_>,
    ) -> Result<u32, Violation> {
        let description = surroundings.description;
        let registers = &description.noc;
        let offsets = &registers.offsets;
        let field = offset % registers.command_buffer_stride;
        if let Some(initiator) =
            self.initiators.get((offset / registers.command_buffer_stride) as usize)
        {
            if Initiator::keeps(field, offsets) {
                return Ok(initiator.get(field));
            }
            // A request is accepted at once.
            if field == offsets.command {
                return Ok(0);
            }
            if field == offsets.node_id {
                return Ok(self.node_id(description.noc_grid));
            }
        }
        if let Some(&word) = word_at(offset, offsets.configuration, &self.configuration) {
            return Ok(word);
        }
        if offsets.logical_id == Some(offset)
            && let Some(named) = self.named
        {
            return Ok(u32::from(named.x) | u32::from(named.y) << 6);
        }
        if let Some(word) = self.translation(offset, description) {
            return Ok(word);
        }
        let (always, by_transaction) = self.counters.split_at(counter::OUTSTANDING);
        word_at(offset, offsets.counters, always)
            .or_else(|| word_at(offset, offsets.outstanding_by_transaction?, by_transaction))
            .copied()
            .ok_or_else(|| {
                Violation::unimplemented(format!("NoC register {offset:#x} cannot be read"))
            })
    }

    /// Who the tile is and how its interface is set up: what the host sees of the PCIe tile's own.
    pub(crate) fn identity(&self, offset: u32, description: &ChipDescription) -> Option<u32> {
        let offsets = &description.noc.offsets;
        if offset == offsets.node_id {
            return Some(self.node_id(description.noc_grid));
        }
        word_at(offset, offsets.configuration, &self.configuration).copied()
    }

    fn node_id(&self, grid: (u8, u8)) -> u32 {
        u32::from(self.raw.x)
            | u32::from(self.raw.y) << 6
            | u32::from(grid.0) << 12
            | u32::from(grid.1) << 19
            | u32::from(self.noc == Noc::Noc0) << 28
    }

    /// A register of a translation table, if one is there.
    fn translation(&self, offset: u32, description: &ChipDescription) -> Option<u32> {
        let registers = description.noc.translation?;
        let entries = registers.entries_per_register();
        let count = TranslationRegisters::ENTRIES.div_ceil(entries);
        let (columns, rows) = description.noc_grid;
        [
            (registers.columns, description.translated_columns, columns),
            (registers.rows, description.translated_rows, rows),
        ]
        .into_iter()
        .find_map(|(start, pairs, size)| {
            let index = offset.checked_sub(start)? / 4;
            (index < count).then(|| {
                let numbers = index * entries..TranslationRegisters::ENTRIES;
                numbers.take(entries as usize).zip(0u32..).fold(0, |word, (number, place)| {
                    let entry = self.table_entry(number as u8, pairs, size, description);
                    word | u32::from(entry) << (registers.entry_bits * place)
                })
            })
        })
    }

    /// What a number stands for, in this network's own raw coordinates. Of numbers that mean nothing,
    /// those of the raw space stand for themselves, others for the first column or row.
    fn table_entry(
        &self,
        number: u8,
        pairs: &[(u8, u8)],
        size: u8,
        description: &ChipDescription,
    ) -> u8 {
        if number < description.raw_coordinates_below {
            return number;
        }
        let known = pairs.iter().find(|pair| pair.0 == number).map(|pair| pair.1);
        match (known.or((number < size).then_some(number)), self.noc) {
            (Some(physical), Noc::Noc1) => size.saturating_sub(1).saturating_sub(physical),
            (physical, _) => physical.unwrap_or(0),
        }
    }

    /// `offset` counts from `NIU_CFG_0`.
    fn write_configuration(&mut self, offset: u32, value: u32) -> Result<(), Violation> {
        let index = (offset / 4) as usize;
        let required = match index {
            2 => self.default_masks.0,
            4 => self.default_masks.1,
            _ => 0,
        };
        if value & required != required {
            return Err(Violation::undefined(format!(
                "{value:#x} lets multicasts reach columns or rows without Tensix tiles"
            )));
        }
        if let Some(register) = self.configuration.get_mut(index) {
            *register = value;
        }
        Ok(())
    }
}

/// A mask of columns or rows with the numbers of the other network on NoC 1.
fn on_network(noc: Noc, mask: u32, size: u8) -> u32 {
    match noc {
        Noc::Noc0 => mask,
        // Bits above the grid are nobody's.
        Noc::Noc1 => mask.reverse_bits().checked_shr(32 - u32::from(size)).unwrap_or(0),
    }
}

/// Writes a register of one of a tile's two interfaces; a write of 1 to `NOC_CMD_CTRL` issues the
/// request that the initiator holds.
pub(crate) fn write_register(
    tile: &mut Tile,
    index: usize,
    offset: u32,
    value: u32,
    surroundings: &mut Surroundings<'_>,
) -> Result<(), Violation> {
    let registers = &surroundings.description.noc;
    let offsets = &registers.offsets;
    let stride = registers.command_buffer_stride;
    let base = registers.base.get(index).copied().unwrap_or(0);
    let number = (offset / stride) as usize;
    let field = offset % stride;
    let Some(niu) = tile.nius.get_mut(index) else { return Ok(()) };
    if let Some(initiator) = niu.initiators.get_mut(number) {
        // Transaction ids stand in bits 10 to 13, where requests are counted by them.
        let known = offsets.outstanding_by_transaction.map_or(0, |_| 0xF << 10);
        if field == offsets.packet_tag && value & !known != 0 {
            // Only the identifier stands from bit 10 on.
            if known != 0 && value.trailing_zeros() >= 10 {
                let violation = Violation::unsupported(format!(
                    "NOC_PACKET_TAG = {value:#x} is transaction identifier {}, and there are 16",
                    value >> 10
                ));
                return Err(violation.malformed_request("use an identifier of 0 to 15"));
            }
            return Err(Violation::unimplemented(format!(
                "NOC_PACKET_TAG = {value:#x} asks for more than {}",
                if known == 0 { "there is" } else { "a transaction id" }
            )));
        }
        if Initiator::keeps(field, offsets) {
            initiator.set(field, value);
            tile.wake_niu(base);
            return Ok(());
        }
        if field == offsets.command {
            if value != 1 {
                return Err(Violation::unimplemented(format!(
                    "NOC_CMD_CTRL takes 1, not {value:#x}"
                )));
            }
            return command::issue(tile, index, number, surroundings);
        }
        if offsets.multicast_exclude == Some(field) {
            return match value {
                0 => Ok(()),
                _ => Err(Violation::unimplemented(format!(
                    "NOC_BRCST_EXCLUDE = {value:#x} leaves out parts of a multicast's rectangle"
                ))),
            };
        }
    }
    if offsets.clear_outstanding == Some(offset) {
        if value == 0 {
            return Err(Violation::unsupported("clearing no transaction id does nothing"));
        }
        for id in (0..16).filter(|id| value >> id & 1 == 1) {
            if let Some(outstanding) = niu.counters.get_mut(counter::OUTSTANDING + id) {
                *outstanding = 0;
            }
        }
        if let Some(core) = surroundings.core {
            let core = CoreAt { tile: tile.number, at: tile.at, processor: core };
            surroundings.observers.transaction_counts_cleared(core, index as u8, value);
        }
        tile.wake_niu(base);
        return Ok(());
    }
    match offset.checked_sub(offsets.configuration) {
        Some(offset) if offset < 4 * CONFIGURATION_WORDS as u32 => {
            niu.write_configuration(offset, value)?;
            tile.wake_niu(base);
            Ok(())
        }
        _ => Err(Violation::unimplemented(format!("NoC register {offset:#x} cannot be written"))),
    }
}

/// The counter, by its index, that a register of an interface is.
pub(crate) fn counter_at(offset: u32, offsets: &NocOffsets) -> Option<usize> {
    let index = |start: u32, count: usize| {
        let index = (offset.checked_sub(start)? / 4) as usize;
        (index < count).then_some(index)
    };
    index(offsets.counters, counter::OUTSTANDING).or_else(|| {
        let first = offsets.outstanding_by_transaction?;
        Some(counter::OUTSTANDING + index(first, counter::COUNT - counter::OUTSTANDING)?)
    })
}

/// The word at an offset, if it is one of those that start at another offset.
fn word_at(offset: u32, start: u32, words: &[u32]) -> Option<&u32> {
    words.get((offset.checked_sub(start)? / 4) as usize)
}
