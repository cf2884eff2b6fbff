//! Random conversions between memory and registers, from a seed. Most are legal, and some are not.

use hallmark_tensix::formats::{
    Format, bfloat16_to_destination, float16_to_destination, word_to_destination,
};

use crate::random::{Chip, Random};

/// Data of a conversion.
pub(crate) const DATA: usize = 16;

/// A conversion. As words: the tag, then the numbers in order.
#[derive(Clone, Debug)]
pub(crate) enum Command {
    /// Tag 1: 16 data of memory, in the low bits of words, to row 0 of `SrcA` or `Dst`.
    Unpack {
        /// The format in memory, the format in the register, 1 for `Dst`, 1 for integers without a sign, 1 for 4 bits of
        /// exponent, the exponent that the data share.
        settings: [u32; 6],
        data: [u32; DATA],
    },
    /// Tag 2: row 0 of `Dst`, in its order of bits, to memory.
    Pack {
        /// 1 for 32 bits, 1 for integers without a sign, 1 for raw data, 1 for rounding to 10 bits, the intermediate format, the
        /// format in memory, 1 for 4 bits of exponent, the mode of ReLU, its threshold, 1 for accumulation.
        settings: [u32; 10],
        data: [u32; DATA],
        /// The memory before: exponents, then data.
        memory: [u32; 20],
    },
}

impl Command {
    /// The command as words.
    pub(crate) fn words(&self) -> Vec<u32> {
        match self {
            Self::Unpack { settings, data } => [&[1], &settings[..], &data[..]].concat(),
            Self::Pack { settings, data, memory } => {
                [&[2], &settings[..], &data[..], &memory[..]].concat()
            }
        }
    }
}

/// Conversions without end.
pub(crate) struct Cases {
    random: Random,
    chip: Chip,
}

/// Wide, intermediate format, format in memory: those that ttsim has on either chip.
pub(crate) const PACKED: [(u32, u32, u32); 28] = [
    (0, 1, 0),
    (0, 1, 1),
    (0, 1, 5),
    (0, 1, 10),
    (0, 2, 6),
    (0, 5, 0),
    (0, 5, 5),
    (0, 5, 6),
    (0, 5, 7),
    (0, 5, 15),
    (0, 6, 0),
    (0, 6, 5),
    (0, 6, 6),
    (0, 6, 7),
    (0, 9, 9),
    (1, 0, 0),
    (1, 0, 1),
    (1, 0, 6),
    (1, 0, 7),
    (1, 0, 15),
    (1, 1, 1),
    (1, 1, 10),
    (1, 5, 5),
    (1, 6, 6),
    (1, 6, 7),
    (1, 8, 8),
    (1, 9, 9),
    (1, 14, 14),
];

impl Cases {
    pub(crate) fn new(chip: Chip, seed: u64) -> Self {
        Self { random: Random::new(seed), chip }
    }

    pub(crate) fn next_case(&mut self) -> Command {
        if self.random.once_in(3) { self.unpack() } else { self.pack() }
    }

    fn unpack(&mut self) -> Command {
        let random = &mut self.random;
        let from = random.one_of(&[0, 0, 0, 1, 5, 6, 7, 8, 9, 10, 14, 15]);
        let to = match from {
            0 => random.one_of(&[0, 1, 4, 5]),
            _ => from,
        };
        let to = if random.once_in(32) { random.below(16) } else { to };
        let to_destination = match (from, to) {
            (8, _) | (0, 0) => !random.once_in(16),
            (0, 4) => random.once_in(2),
            _ => random.once_in(32),
        };
        let four_bits = self.chip == Chip::Blackhole && random.once_in(2);
        let settings = [
            from,
            to,
            to_destination.into(),
            u32::from(random.once_in(2)),
            four_bits.into(),
            random.one_of(&[0, 3, 127, 200, 255]),
        ];
        let bits = Format::from_code(from).bits().unwrap_or(32);
        let mask = if bits == 32 { u32::MAX } else { (1 << bits) - 1 };
        let near_float16 = from == 0 && random.once_in(2);
        let data = std::array::from_fn(|_| {
            let word = random.next();
            let exponent = if near_float16 { 108 + random.below(40) } else { random.below(256) };
            let number = word & 0x807F_FFFF | exponent << 23;
            match random.below(8) {
                0 => special(random, bits),
                _ if from == 0 => number,
                _ => word & mask,
            }
        });
        Command::Unpack { settings, data }
    }

    fn pack(&mut self) -> Command {
        let random = &mut self.random;
        let (wide, intermediate, to) = random.one_of(&PACKED);
        let (intermediate, to) = match random.below(64) {
            0 => (random.below(16), to),
            1 => (intermediate, random.one_of(&[0, 1, 5, 6, 7, 8, 9, 10, 14, 15])),
            _ => (intermediate, to),
        };
        // The packer cannot tell how many bits these codes have.
        let intermediate = if matches!(intermediate, 3 | 11) { 5 } else { intermediate };
        let of_float16 = matches!((wide, intermediate, to), (1, 1, _) | (_, _, 10));
        let rounds = match (of_float16, wide) {
            (true, 1) => !random.once_in(16),
            (true, _) => random.once_in(2),
            _ => random.once_in(64),
        };
        let accumulates = matches!(to, 0 | 1 | 5) && random.once_in(3);
        let mode = if random.once_in(2) { 0 } else { random.below(4) };
        let mode = if random.once_in(64) { 4 + random.below(12) } else { mode };
        let thresholds = [0, 0x3C00, 0x3F80, 0x4000, random.below(0x8000), random.below(0x10000)];
        let settings = [
            wide,
            u32::from(random.once_in(2)),
            u32::from(random.once_in(32)),
            rounds.into(),
            intermediate,
            to,
            (self.chip == Chip::Blackhole && !random.once_in(16)).into(),
            mode,
            random.one_of(&thresholds[..]),
            accumulates.into(),
        ];
        let spread = random.one_of(&[3, 12, 40, 127]);
        let data = std::array::from_fn(|_| {
            let word = random.next();
            let exponent = 127 - spread + random.below(2 * spread + 1);
            let number = match random.below(8) {
                0 => special(random, 32),
                _ => word & 0x807F_FFFF | exponent << 23,
            };
            match (wide, intermediate) {
                (1, 8 | 14) => word_to_destination(random.next() & 0x8000_03FF),
                (1, _) => word_to_destination(number),
                (_, 1 | 2) if !rounds => float16_to_destination(word as u16).into(),
                _ => bfloat16_to_destination((number >> 16) as u16).into(),
            }
        });
        let memory = std::array::from_fn(|_| {
            let word = random.next();
            match (to, random.below(4)) {
                (_, 0) => word,
                (1, _) => word & 0xBFFF_BFFF,
                (5, _) => word & 0x807F_807F | 0x3F80_3F80 ^ word & 0x0180_0180,
                _ => word & 0x807F_FFFF | (127 - spread + random.below(2 * spread + 1)) << 23,
            }
        });
        Command::Pack { settings, data, memory }
    }
}

fn special(random: &mut Random, bits: u32) -> u32 {
    let float32 = [0, 1, 0x7F_FFFF, 0x80_0000, 0x7F7F_FFFF, 0x7F80_0000, 0x7FC0_0000, 0x7F80_0001];
    let magnitude = match bits {
        32 => random.one_of(&float32),
        16 => random.one_of(&[0, 1, 0x7F, 0x80, 0x3FF, 0x400, 0x7BFF, 0x7C00, 0x7F80, 0x7FFF]),
        _ => random.one_of(&[0, (1 << (bits - 1)) - 1]),
    };
    magnitude | (random.below(2) << (bits - 1))
}
