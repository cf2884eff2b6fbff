//! The address counters of unpackers and packers (`ADCs.md`), of one thread.

use crate::bits::bits;
use crate::opcodes::opcode;
use crate::refusal::Refusal;

/// The unit that a set of counters belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Of {
    Unpacker0,
    Unpacker1,
    Packers,
}

/// A dimension of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dimension {
    X,
    Y,
    Z,
    W,
}

impl Dimension {
    const ALL: [Self; 4] = [Self::X, Self::Y, Self::Z, Self::W];

    const fn mask(self) -> u32 {
        match self {
            Self::X => 0x3_FFFF,
            Self::Y => 0x1FFF,
            Self::Z | Self::W => 0xFF,
        }
    }
}

/// A counter, and the value to which it goes back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counter {
    value: u32,
    carriage_return: u32,
}

/// The counters of a channel.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Channel([Counter; 4]);

impl Channel {
    fn counter(&mut self, dimension: Dimension) -> &mut Counter {
        let [x, y, z, w] = &mut self.0;
        match dimension {
            Dimension::X => x,
            Dimension::Y => y,
            Dimension::Z => z,
            Dimension::W => w,
        }
    }

    /// Its value.
    pub(crate) const fn get(&self, dimension: Dimension) -> u32 {
        let [x, y, z, w] = &self.0;
        match dimension {
            Dimension::X => x.value,
            Dimension::Y => y.value,
            Dimension::Z => z.value,
            Dimension::W => w.value,
        }
    }

    /// Sets the counter and the value to which it goes back.
    pub(crate) fn set(&mut self, dimension: Dimension, value: u32) {
        let value = value & dimension.mask();
        *self.counter(dimension) = Counter { value, carriage_return: value };
    }

    /// Adds to the counter.
    pub(crate) fn add(&mut self, dimension: Dimension, more: u32) {
        let counter = self.counter(dimension);
        counter.value = counter.value.wrapping_add(more) & dimension.mask();
    }

    /// Adds to the value to which the counter goes back, and lets it go back.
    pub(crate) fn carriage_return(&mut self, dimension: Dimension, more: u32) {
        let counter = self.counter(dimension);
        let value = counter.carriage_return.wrapping_add(more) & dimension.mask();
        *counter = Counter { value, carriage_return: value };
    }
}

/// Both channels of a unit: where it reads, and where it writes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counters {
    pub(crate) channels: [Channel; 2],
}

impl Counters {
    /// The channel by which the unit reads.
    pub(crate) const fn input(&self) -> &Channel {
        let [input, _] = &self.channels;
        input
    }

    /// The channel by which the unit writes.
    pub(crate) const fn output(&self) -> &Channel {
        let [_, output] = &self.channels;
        output
    }
}

/// The counters of a thread.
#[derive(Clone, Debug, Default)]
pub(crate) struct AddressCounters {
    units: [Counters; 3],
}

/// What an instruction does to the counters that it names.
#[derive(Clone, Copy, Debug)]
enum Change {
    Set,
    Add,
    CarriageReturn,
}

impl AddressCounters {
    pub(crate) const fn of(&self, unit: Of) -> &Counters {
        let [first, second, packers] = &self.units;
        match unit {
            Of::Unpacker0 => first,
            Of::Unpacker1 => second,
            Of::Packers => packers,
        }
    }

    pub(crate) const fn of_mut(&mut self, unit: Of) -> &mut Counters {
        let [first, second, packers] = &mut self.units;
        match unit {
            Of::Unpacker0 => first,
            Of::Unpacker1 => second,
            Of::Packers => packers,
        }
    }

    /// Executes one of the instructions that change the counters alone.
    pub(crate) fn execute(&mut self, word: u32) -> Result<(), Refusal> {
        let units = bits(word, 21, 3);
        if units == 0 {
            return Err(Refusal::unsupported(word, "it names the counters of no unit"));
        }
        let named = self.units.iter_mut().enumerate().filter(|(index, _)| units >> index & 1 == 1);
        let counters = named.map(|(_, counters)| counters);
        let (dimensions, change) = match word >> 24 {
            opcode::SETADC => {
                let value = bits(word, 0, 18);
                if value > 0xFFFF {
                    return Err(Refusal::unsupported(
                        word,
                        "the counters of another thread (bits 16 and 17)",
                    ));
                }
                let dimension = bits(word, 18, 2) as usize;
                let channel = bits(word, 20, 1) as usize;
                for counters in counters {
                    if let Some(channel) = counters.channels.get_mut(channel)
                        && let Some(dimension) = Dimension::ALL.get(dimension)
                    {
                        channel.set(*dimension, value);
                    }
                }
                return Ok(());
            }
            opcode::SETADCXX => {
                for Counters { channels: [input, output] } in counters {
                    input.set(Dimension::X, bits(word, 0, 10));
                    output.set(Dimension::X, bits(word, 10, 10));
                }
                return Ok(());
            }
            opcode::SETADCXY => ([Dimension::X, Dimension::Y], Change::Set),
            opcode::INCADCXY => ([Dimension::X, Dimension::Y], Change::Add),
            opcode::ADDRCRXY => ([Dimension::X, Dimension::Y], Change::CarriageReturn),
            opcode::SETADCZW => ([Dimension::Z, Dimension::W], Change::Set),
            opcode::INCADCZW => ([Dimension::Z, Dimension::W], Change::Add),
            opcode::ADDRCRZW => ([Dimension::Z, Dimension::W], Change::CarriageReturn),
            _ => return Err(Refusal::unimplemented(word, "it is no instruction of counters")),
        };
        let mask = bits(word, 0, 4);
        if mask == 0 && !matches!(change, Change::Add) {
            return Err(Refusal::unsupported(word, "it names no counter"));
        }
        let [first, second] = dimensions;
        for Counters { channels: [input, output] } in counters {
            let named =
                [(&mut *input, first, bits(word, 6, 3)), (output, first, bits(word, 12, 3))];
            for (index, (channel, dimension, value)) in named.into_iter().enumerate() {
                change.apply(channel, dimension, value, mask >> (2 * index) & 1 == 1);
                let value = bits(word, 9 + 6 * index as u32, 3);
                change.apply(channel, second, value, mask >> (2 * index + 1) & 1 == 1);
            }
        }
        Ok(())
    }
}

impl Change {
    fn apply(self, channel: &mut Channel, dimension: Dimension, value: u32, named: bool) {
        match self {
            Self::Add => channel.add(dimension, value),
            Self::Set if named => channel.set(dimension, value),
            Self::CarriageReturn if named => channel.carriage_return(dimension, value),
            Self::Set | Self::CarriageReturn => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(counters: &Counters) -> [[u32; 4]; 2] {
        counters.channels.map(|channel| Dimension::ALL.map(|dimension| channel.get(dimension)))
    }

    /// SETADCXY and its like: opcode, mask of counters, values of X and Y of both channels, mask of units.
    fn word(opcode: u32, mask: u32, [x0, y0, x1, y1]: [u32; 4], units: u32) -> u32 {
        opcode << 24 | units << 21 | y1 << 15 | x1 << 12 | y0 << 9 | x0 << 6 | mask
    }

    #[test]
    fn counters_are_set_for_the_units_that_are_named() {
        let mut counters = AddressCounters::default();
        counters.execute(word(0x51, 0b1011, [1, 2, 3, 4], 0b101)).expect("legal");
        counters.execute(word(0x54, 0b0110, [5, 6, 7, 1], 0b100)).expect("legal");
        assert_eq!(values(counters.of(Of::Unpacker0)), [[1, 2, 0, 0], [0, 4, 0, 0]]);
        assert_eq!(values(counters.of(Of::Unpacker1)), [[0; 4]; 2]);
        assert_eq!(values(counters.of(Of::Packers)), [[1, 2, 0, 6], [0, 4, 7, 0]]);
    }

    #[test]
    fn counters_wrap_in_their_width_and_go_back() {
        let mut counters = AddressCounters::default();
        // SETADC: Z of channel 1 of unpacker 1 becomes 255.
        counters.execute(0x5000_0000 | 2 << 21 | 1 << 20 | 2 << 18 | 0xFF).expect("legal");
        counters.execute(word(0x55, 0, [0, 0, 3, 1], 0b010)).expect("legal");
        assert_eq!(values(counters.of(Of::Unpacker1)), [[0; 4], [0, 0, 2, 1]]);
        // ADDRCRZW: back to 255, and 2 on.
        counters.execute(word(0x56, 0b0100, [0, 0, 2, 7], 0b010)).expect("legal");
        assert_eq!(values(counters.of(Of::Unpacker1)), [[0; 4], [0, 0, 1, 1]]);
    }

    #[test]
    fn both_ends_of_a_row_are_set_together() {
        let mut counters = AddressCounters::default();
        counters.execute(0x5E00_0000 | 1 << 21 | 1023 << 10 | 16).expect("legal");
        assert_eq!(values(counters.of(Of::Unpacker0)), [[16, 0, 0, 0], [1023, 0, 0, 0]]);
    }

    #[test]
    fn an_instruction_names_counters_of_this_thread() {
        let mut counters = AddressCounters::default();
        assert!(counters.execute(word(0x51, 0, [1; 4], 1)).is_err());
        assert!(counters.execute(word(0x51, 1, [1; 4], 0)).is_err());
        assert!(counters.execute(0x5000_0000 | 1 << 21 | 1 << 16).is_err());
        assert_eq!(values(counters.of(Of::Unpacker0)), [[0; 4]; 2]);
    }
}
