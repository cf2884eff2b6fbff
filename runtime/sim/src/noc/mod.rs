//! A tile's NoC interface: request initiators, counters and configuration
//! (WormholeB0/NoC/MemoryMap.md, Counters.md).

mod command;
mod network;

use hallmark_chip::{Noc, PhysicalCoordinate};

use crate::coordinates::Coordinates;
use crate::fault::Violation;
use crate::tile::{Surroundings, Tile};

pub(crate) use network::{Network, Operation, Stage, Transfer};

/// Index into an interface's counters; `0x200 + 4 * index` is its register.
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
}

const NODE_ID: u32 = 0x2C;
const CLEAR_OUTSTANDING: u32 = 0x50;
const CONFIGURATION: u32 = 0x100;
const COLUMN_TABLE: u32 = 0x118;
const ROW_TABLE: u32 = 0x128;
const LOGICAL_ID: u32 = 0x138;
const COUNTERS: u32 = 0x200;

/// `NIU_CFG_0` bit 14: firmware has enabled coordinate translation.
const TRANSLATION_ENABLED: u32 = 1 << 14;

#[derive(Clone, Copy, Debug, Default)]
struct Initiator {
    target_low: u32,
    target_middle: u32,
    return_low: u32,
    return_middle: u32,
    tag: u32,
    control: u32,
    length: u32,
    data: u32,
}

#[derive(Debug)]
pub(crate) struct Niu {
    noc: Noc,
    /// The tile in this network's own raw coordinates.
    raw: PhysicalCoordinate,
    translated: (u8, u8),
    initiators: [Initiator; 4],
    counters: [u32; counter::COUNT],
    /// `NIU_CFG_0`, then `ROUTER_CFG_0` to `ROUTER_CFG_4`.
    configuration: [u32; 6],
    default_masks: (u32, u32),
}

impl Niu {
    pub(crate) fn new(noc: Noc, coordinates: &Coordinates, at: PhysicalCoordinate) -> Self {
        let raw = match noc {
            Noc::Noc0 => at,
            Noc::Noc1 => coordinates.mirrored(at),
        };
        let translated = coordinates.translated(at);
        let masks = (coordinates.other_columns, coordinates.other_rows);
        Self {
            noc,
            raw,
            translated: (translated.x, translated.y),
            initiators: Default::default(),
            counters: [0; counter::COUNT],
            configuration: [TRANSLATION_ENABLED, 0, masks.0, 0, masks.1, 0],
            default_masks: masks,
        }
    }

    /// Adds to a counter; those per transaction id are 8 bits wide.
    pub(crate) fn count(&mut self, index: usize, amount: i32) {
        if let Some(value) = self.counters.get_mut(index) {
            *value = value.wrapping_add_signed(amount);
            if index >= counter::OUTSTANDING {
                *value &= 0xFF;
            }
        }
    }

    /// Columns and rows that multicasts leave out.
    fn multicast_masks(&self) -> (u32, u32) {
        let [_, _, columns, _, rows, _] = self.configuration;
        (columns, rows)
    }

    pub(crate) fn read(
        &self,
        offset: u32,
        surroundings: &Surroundings<'_>,
    ) -> Result<u32, Violation> {
        let registers = &surroundings.description.noc;
        let stride = registers.command_buffer_stride;
        let number = offset / stride;
        if number < registers.command_buffers {
            let initiator = self.initiators.get(number as usize).copied().unwrap_or_default();
            match offset % stride {
                0x00 => return Ok(initiator.target_low),
                0x04 => return Ok(initiator.target_middle),
                0x0C => return Ok(initiator.return_low),
                0x10 => return Ok(initiator.return_middle),
                0x18 => return Ok(initiator.tag),
                0x1C => return Ok(initiator.control),
                0x20 => return Ok(initiator.length),
                0x24 => return Ok(initiator.data),
                // A request is accepted at once.
                0x28 => return Ok(0),
                NODE_ID => return Ok(self.node_id(surroundings.description.noc_grid)),
                _ => {}
            }
        }
        match offset {
            CONFIGURATION..COLUMN_TABLE => {
                let index = ((offset - CONFIGURATION) / 4) as usize;
                Ok(self.configuration.get(index).copied().unwrap_or(0))
            }
            COLUMN_TABLE..ROW_TABLE => {
                Ok(self.translation(offset - COLUMN_TABLE, surroundings, true))
            }
            ROW_TABLE..LOGICAL_ID => Ok(self.translation(offset - ROW_TABLE, surroundings, false)),
            LOGICAL_ID => Ok(u32::from(self.translated.0) | u32::from(self.translated.1) << 6),
            _ => offset
                .checked_sub(COUNTERS)
                .and_then(|offset| self.counters.get((offset / 4) as usize))
                .copied()
                .ok_or_else(|| {
                    Violation::unimplemented(format!("NoC register {offset:#x} cannot be read"))
                }),
        }
    }

    fn node_id(&self, grid: (u8, u8)) -> u32 {
        u32::from(self.raw.x)
            | u32::from(self.raw.y) << 6
            | u32::from(grid.0) << 12
            | u32::from(grid.1) << 19
            | u32::from(self.noc == Noc::Noc0) << 28
    }

    /// Eight 4-bit entries of a translation table.
    fn translation(&self, offset: u32, surroundings: &Surroundings<'_>, columns: bool) -> u32 {
        let description = surroundings.description;
        let (pairs, size) = if columns {
            (description.translated_columns, description.noc_grid.0)
        } else {
            (description.translated_rows, description.noc_grid.1)
        };
        let first = offset / 4 * 8;
        (first..first + 8).zip(0u32..).fold(0, |word, (number, place)| {
            let entry = if number < 16 {
                number
            } else {
                pairs.iter().find(|pair| u32::from(pair.0) == number).map_or(0, |&(_, physical)| {
                    match self.noc {
                        Noc::Noc0 => physical.into(),
                        Noc::Noc1 => u32::from(size) - 1 - u32::from(physical),
                    }
                })
            };
            word | entry << (4 * place)
        })
    }

    fn write_configuration(&mut self, offset: u32, value: u32) -> Result<(), Violation> {
        let index = ((offset - CONFIGURATION) / 4) as usize;
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
    let stride = registers.command_buffer_stride;
    let base = registers.base.get(index).copied().unwrap_or(0);
    let number = (offset / stride) as usize;
    let Some(niu) = tile.nius.get_mut(index) else { return Ok(()) };
    let fields = offset % stride;
    if let Some(initiator) = niu.initiators.get_mut(number) {
        let field = match fields {
            0x00 => Some(&mut initiator.target_low),
            0x04 => Some(&mut initiator.target_middle),
            0x0C => Some(&mut initiator.return_low),
            0x10 => Some(&mut initiator.return_middle),
            0x18 => {
                if value & !(0xF << 10) != 0 {
                    return Err(Violation::unimplemented(format!(
                        "NOC_PACKET_TAG = {value:#x} asks for more than a transaction id"
                    )));
                }
                Some(&mut initiator.tag)
            }
            0x1C => Some(&mut initiator.control),
            0x20 => Some(&mut initiator.length),
            0x24 => Some(&mut initiator.data),
            0x28 => {
                if value != 1 {
                    return Err(Violation::unimplemented(format!(
                        "NOC_CMD_CTRL takes 1, not {value:#x}"
                    )));
                }
                return command::issue(tile, index, number, surroundings);
            }
            _ => None,
        };
        if let Some(field) = field {
            *field = value;
            tile.wake_niu(base);
            return Ok(());
        }
    }
    match offset {
        CLEAR_OUTSTANDING => {
            if value == 0 {
                return Err(Violation::unsupported("clearing no transaction id does nothing"));
            }
            for id in (0..16).filter(|id| value >> id & 1 == 1) {
                if let Some(outstanding) = niu.counters.get_mut(counter::OUTSTANDING + id) {
                    *outstanding = 0;
                }
            }
            tile.wake_niu(base);
            Ok(())
        }
        CONFIGURATION..COLUMN_TABLE => {
            niu.write_configuration(offset, value)?;
            tile.wake_niu(base);
            Ok(())
        }
        _ => Err(Violation::unimplemented(format!("NoC register {offset:#x} cannot be written"))),
    }
}
