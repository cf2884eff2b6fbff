//! Random instructions of the matrix unit with the state that they work on, from a seed. Most are legal, and some are not.

use hallmark_tensix::formats::{
    bfloat16_to_destination, float16_to_destination, word_to_destination,
};
use hallmark_tensix::registers::Destination;

use crate::random::{Chip, Random};

/// A change of the state, or an instruction. As words: the tag, then the numbers in order.
#[derive(Clone, Debug)]
pub(crate) enum Command {
    /// Tag 1: [`SETTINGS`] numbers, in the order of [`Case::settings`].
    Settings(Vec<u32>),
    /// Tag 2: value and start of the counters of `SrcA`, `SrcB` and `Dst`, the fidelity phase, the bias.
    Counters([u32; 8]),
    /// Tag 3: 0 for `SrcA` and 1 for `SrcB`, a bank, a row, its data.
    SourceRow { source: u32, bank: u32, row: u32, data: [u32; 16] },
    /// Tag 4: a row of 16 bits of `Dst`, which is defined, and its data.
    DestinationRow { row: u32, data: [u32; 16] },
    /// Tag 5: a row of 16 bits of `Dst`, which is undefined.
    Undefine(u32),
    /// Tag 6: for `SrcA`, then for `SrcB`: the valid banks as bits, the bank of the matrix unit, the formats of the banks.
    Banks([[u32; 4]; 2]),
    /// Tag 7: an instruction. Its outcome goes to the hash, and after a refusal all registers are 0 and defined.
    Execute(u32),
    /// Tag 8: all registers go to the hash.
    Hash,
}

/// Numbers of [`Command::Settings`].
pub(crate) const SETTINGS: usize = 15 + 24;

impl Command {
    /// The command as words.
    pub(crate) fn words(&self) -> Vec<u32> {
        match self {
            Self::Settings(numbers) => [&[1], &numbers[..]].concat(),
            Self::Counters(numbers) => [&[2], &numbers[..]].concat(),
            Self::SourceRow { source, bank, row, data } => {
                [&[3, *source, *bank, *row], &data[..]].concat()
            }
            Self::DestinationRow { row, data } => [&[4, *row], &data[..]].concat(),
            Self::Undefine(row) => vec![5, *row],
            Self::Banks([a, b]) => [&[6], &a[..], &b[..]].concat(),
            Self::Execute(word) => vec![7, *word],
            Self::Hash => vec![8],
        }
    }
}

/// Opcodes of the matrix unit.
pub(crate) const OPCODES: [u32; 18] = [
    0x26, 0x34, 0x27, 0x28, 0x30, 0x33, 0x12, 0x13, 0x08, 0x0A, 0x0B, 0x16, 0x10, 0x11, 0x36, 0x35,
    0x37, 0x38,
];

/// The numbers of an instruction's operands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Numbers {
    EightBits,
    FiveBits,
    Integers,
}

/// Commands without end.
pub(crate) struct Cases {
    random: Random,
    chip: Chip,
    opcodes: Vec<u32>,
    made: u64,
}

/// An instruction is made in this state.
struct Case {
    opcode: u32,
    numbers: Numbers,
    wide: bool,
    format_a: u32,
    format_b: u32,
    /// Rows of `SrcA`, `SrcB` and `Dst` that it works on, and the operands that are its own share of them.
    row_a: u32,
    row_b: u32,
    row: u32,
    operand_a: u32,
    operand_b: u32,
    operand: u32,
    offset: u32,
    banks: [u32; 2],
}

impl Cases {
    /// Instructions of some opcodes.
    pub(crate) fn new(chip: Chip, seed: u64, opcodes: &[u32]) -> Self {
        Self { random: Random::new(seed), chip, opcodes: opcodes.to_vec(), made: 0 }
    }

    /// The commands of the next instruction.
    pub(crate) fn next_case(&mut self) -> Vec<Command> {
        let opcode = self.random.one_of(&self.opcodes.clone());
        let case = self.case(opcode);
        let mut commands = vec![self.settings(&case), self.counters(&case), self.banks(&case)];
        self.sources(&case, &mut commands);
        self.destination(&case, &mut commands);
        let word = self.instruction(&case);
        commands.push(Command::Execute(word));
        self.made += 1;
        if self.made.is_multiple_of(16) {
            commands.push(Command::Hash);
        }
        commands
    }

    fn case(&mut self, opcode: u32) -> Case {
        let random = &mut self.random;
        let numbers = match random.below(8) {
            0 if matches!(opcode, 0x26..=0x34) && opcode != 0x33 => Numbers::Integers,
            1..=2 if opcode != 0x33 => Numbers::FiveBits,
            _ => Numbers::EightBits,
        };
        let moves = matches!(opcode, 0x08..=0x13);
        let formats: (&[u32], &[u32]) = match numbers {
            Numbers::Integers => (&[14], &[14]),
            Numbers::FiveBits => (&[1, 10], &[1, 10]),
            Numbers::EightBits if moves => (&[0, 4, 5, 6, 7, 8, 9], &[0, 4, 5, 6, 7, 9]),
            Numbers::EightBits => (&[0, 4, 5, 6, 7], &[0, 4, 4, 5, 6, 7]),
        };
        let format_a = random.one_of(formats.0);
        let mut format_b = random.one_of(formats.1);
        if numbers == Numbers::FiveBits && !random.once_in(16) {
            format_b = format_a;
        }
        let (format_a, format_b) = match random.below(24) {
            0 => (random.below(16), format_b),
            1 => (format_a, random.below(16)),
            _ => (format_a, format_b),
        };
        let (align_a, align_b, align) = match opcode {
            0x26 => (16, 8, 8),
            0x34 => (16, 8, 4),
            0x33 => (16, 8, 4),
            0x27 | 0x28 | 0x30 => (8, 8, 8),
            0x12 => (8, 8, 8),
            0x13 => (4, 8, 8),
            _ => (4, 4, 4),
        };
        let share = |random: &mut Random, row: u32, alignment: u32| {
            if random.once_in(32) {
                random.below(64)
            } else {
                random.below(row / alignment + 1) * alignment
            }
        };
        let row_a = random.below(64 / align_a) * align_a;
        let row_b = random.below(64 / align_b) * align_b;
        let row = random.below(1024 / align) * align;
        let offset = random.one_of(&[0, 0, 256, 512]).min(row & !255);
        let wraps = random.once_in(8);
        Case {
            opcode,
            numbers,
            wide: random.once_in(2),
            format_a,
            format_b,
            row_a,
            row_b,
            row,
            operand_a: share(random, row_a, align_a),
            operand_b: share(random, row_b, align_b),
            operand: share(random, row - offset, align),
            offset: if wraps { offset + 1024 } else { offset },
            banks: [random.below(2), random.below(2)],
        }
    }

    /// `SrcA`, whether it is overridden, and with what; `SrcB`; whether the formats are implied; 32 bits; integers; denormals;
    /// the offset in `Dst`; the base of the fidelity phase; which banks flips keep; the second modifiers; absolute tiles;
    /// the modifiers.
    fn settings(&mut self, case: &Case) -> Command {
        let random = &mut self.random;
        let moves = matches!(case.opcode, 0x0A | 0x12 | 0x13);
        let overrides = random.once_in(if moves { 4 } else { 64 });
        let implied = if self.chip == Chip::Blackhole { random.below(4) } else { 0 };
        let keeps_denormals = match case.opcode {
            0x26 | 0x34 => random.once_in(64),
            _ => random.once_in(4),
        };
        let mut numbers = vec![
            if overrides { random.below(16) } else { case.format_a },
            overrides.into(),
            case.format_a,
            case.format_b,
            implied & 1,
            implied >> 1,
            case.wide.into(),
            (case.numbers == Numbers::Integers).into(),
            keeps_denormals.into(),
            case.offset & 0xFFF,
            if matches!(case.opcode, 0x28 | 0x30) { 0 } else { random.below(4) },
            random.once_in(16).into(),
            random.once_in(16).into(),
            (self.chip == Chip::WormholeB0 && random.once_in(8)).into(),
            (self.chip == Chip::Blackhole && random.once_in(2)).into(),
        ];
        for _ in 0..8 {
            let mut destination = random.next() & 0xFFFF;
            if !random.once_in(64) {
                let both = destination & 1 << 12 != 0 && destination & 3 << 10 != 0;
                destination &= if both { !(1 << 12) } else { !0 };
            }
            let bias = match random.below(64) {
                0 => random.below(32),
                1..16 => 1,
                _ => 0,
            };
            numbers.extend([random.next() & 0xFFFF, destination, bias]);
        }
        assert_eq!(numbers.len(), SETTINGS);
        Command::Settings(numbers)
    }

    fn counters(&mut self, case: &Case) -> Command {
        let random = &mut self.random;
        let has_operands = matches!(case.opcode, 0x08..=0x0B | 0x12 | 0x13);
        let rest =
            |row: u32, operand: u32| row.wrapping_sub(if has_operands { operand } else { 0 });
        let phase = if matches!(case.opcode, 0x28 | 0x30) && !random.once_in(64) {
            0
        } else {
            random.below(4)
        };
        let bias = random.once_in(if self.chip == Chip::WormholeB0 { 4 } else { 128 });
        Command::Counters([
            rest(case.row_a, case.operand_a) & 63,
            random.below(64),
            rest(case.row_b, case.operand_b) & 63,
            random.below(64),
            case.row.wrapping_sub(case.operand).wrapping_sub(case.offset) & 1023,
            random.below(1024),
            phase,
            bias.into(),
        ])
    }

    fn banks(&mut self, case: &Case) -> Command {
        let random = &mut self.random;
        let mut of = |bank: u32, format: u32| {
            let valid =
                if random.once_in(24) { random.below(4) } else { 1 << bank | random.below(4) };
            let mut formats = [random.below(16), random.below(16)];
            formats[bank as usize] = format;
            [valid, bank, formats[0], formats[1]]
        };
        Command::Banks([of(case.banks[0], case.format_a), of(case.banks[1], case.format_b)])
    }

    fn sources(&mut self, case: &Case, commands: &mut Vec<Command>) {
        let spread = self.random.one_of(&[3, 12, 40, 127]);
        for (source, row) in [(0, case.row_a & !15), (1, case.row_b & !15)] {
            let ones = case.opcode == 0x33 && source == 1 && !self.random.once_in(32);
            for row in row..row + 16 {
                let data = std::array::from_fn(|_| match ones {
                    true => 0x3F80_0000,
                    false => self.number(case.numbers, spread) & 0xFFFF_E000,
                });
                let bank = case.banks[source as usize];
                commands.push(Command::SourceRow { source, bank, row, data });
            }
        }
    }

    fn destination(&mut self, case: &Case, commands: &mut Vec<Command>) {
        let spread = self.random.one_of(&[3, 12, 40, 127]);
        let wide = case.wide || case.numbers == Numbers::Integers;
        for row in (case.row..case.row + 8).map(|row| row % 1024) {
            if wide {
                let data: [u32; 16] = std::array::from_fn(|_| match case.numbers {
                    Numbers::Integers => {
                        let shift = self.random.below(31);
                        word_to_destination(
                            self.random.next() & 0x8000_0000 | self.random.next() >> 1 >> shift,
                        )
                    }
                    // `Dst` of 32 bits has 8 bits of exponent.
                    _ => word_to_destination(self.number(Numbers::EightBits, spread)),
                });
                let high = Destination::high_half(row);
                let halves = [
                    (high, data.map(|datum| datum >> 16)),
                    (high + 8, data.map(|datum| datum & 0xFFFF)),
                ];
                for (row, data) in halves {
                    commands.push(Command::DestinationRow { row, data });
                }
            } else {
                let data = std::array::from_fn(|_| {
                    let number = self.number(case.numbers, spread);
                    u32::from(if case.numbers == Numbers::FiveBits {
                        float16_to_destination(
                            ((number & 0x8000_0000) >> 16 | number >> 13 & 0x7FFF) as u16,
                        )
                    } else {
                        bfloat16_to_destination((number >> 16) as u16)
                    })
                });
                commands.push(Command::DestinationRow { row, data });
            }
            if self.random.once_in(12) {
                commands.push(Command::Undefine(if wide {
                    Destination::high_half(row)
                } else {
                    row
                }));
            }
        }
    }

    /// A number in the order of an `f32`.
    fn number(&mut self, numbers: Numbers, spread: u32) -> u32 {
        let random = &mut self.random;
        let bits = random.next();
        let (sign, mantissa) = (bits & 0x8000_0000, bits & 0x7F_FFFF);
        match (numbers, random.below(32)) {
            (Numbers::Integers, 0) => sign,
            (Numbers::Integers, _) => sign | 16 << 23 | mantissa & 0x7F_E000,
            (_, 0) => sign,
            (_, 1) => sign | mantissa,
            (Numbers::FiveBits, 2..4) => sign | random.below(32) << 23 | mantissa,
            (Numbers::FiveBits, _) => {
                let spread = spread.min(12);
                sign | (15 - spread + random.below(2 * spread + 1)) << 23 | mantissa
            }
            (Numbers::EightBits, 2) => sign | 255 << 23 | random.one_of(&[0, mantissa]),
            (Numbers::EightBits, 3) => sign | random.below(256) << 23 | mantissa,
            (Numbers::EightBits, 4) => sign | (127 - spread + random.below(2 * spread + 1)) << 23,
            (Numbers::EightBits, _) => {
                sign | (127 - spread + random.below(2 * spread + 1)) << 23 | mantissa
            }
        }
    }

    fn instruction(&mut self, case: &Case) -> u32 {
        let chip = self.chip;
        let random = &mut self.random;
        let modifier = random.below(8);
        let modifier = match (chip, case.opcode) {
            (Chip::WormholeB0, _) => (modifier & 3) << 15,
            (Chip::Blackhole, 0x33 | 0x34) => modifier << 15,
            (Chip::Blackhole, _) => modifier << 14,
        };
        let flips = random.one_of(&[0, 0, 1, 2, 3]) << 22;
        let dst = case.operand & 0x3FF;
        let wrong = random.once_in(24);
        let bits = match case.opcode {
            0x26 => dst | modifier | flips | u32::from(wrong) << 19,
            0x34 | 0x33 => dst | modifier | flips | u32::from(!wrong) << 19,
            0x27 => dst | modifier | flips | random.below(4) << 19 | u32::from(wrong) << 21,
            0x28 | 0x30 => dst | modifier | flips | random.below(8) << 19,
            0x12 | 0x08 | 0x0A | 0x13 => {
                let low = u32::from(random.once_in(6)) << 23;
                let source = if matches!(case.opcode, 0x12 | 0x08) {
                    case.operand_a
                } else {
                    case.operand_b
                };
                let mode = match (case.opcode, wrong) {
                    (0x12 | 0x08, false) => 2,
                    (0x0A, false) => random.one_of(&[0, 2]),
                    (0x13, false) => 2 + random.below(4),
                    (0x13, true) => random.below(8),
                    (_, true) => random.below(4),
                    _ => 2,
                };
                let place = if case.opcode == 0x13 && chip == Chip::Blackhole { 11 } else { 12 };
                dst | mode << place | modifier | (source & 63) << 17 | low
            }
            0x0B => {
                let mode = if wrong { random.below(4) } else { 2 };
                case.operand_b & 63 | mode << 12 | modifier | (case.operand_a & 63) << 17
            }
            0x10 => {
                let mode = random.below(4);
                let operand = match mode {
                    _ if wrong => random.below(1024),
                    0 => dst,
                    1 => random.below(64),
                    2 => random.below(2),
                    _ => 0,
                };
                let (wide, revert) =
                    (random.once_in(4), chip == Chip::Blackhole && random.once_in(4));
                let wide = u32::from(wide) << if chip == Chip::Blackhole { 18 } else { 21 };
                operand | modifier | mode << 19 | wide | u32::from(revert) << 17
            }
            0x11 => {
                random.one_of(&[0b01_111, 0b01_001, 0b01_010, 0b01_011, 0b00_111])
                    | if wrong { random.below(32) } else { 0b0_1000 }
                        & if random.once_in(4) { !8 } else { !0 }
            }
            0x36 => flips | if wrong { random.below(4) } else { 0 },
            0x35 => random.below(4),
            0x37 => {
                let mask = random.below(16);
                let relative = if wrong { random.below(16) } else { random.below(8) & (mask | 4) };
                random.next() & 0x03_FFC0 | mask | relative << 18 | flips
            }
            0x38 => {
                random.next() & 0x03_FFC0
                    | (if wrong { random.below(8) } else { 4 * random.below(2) }) << 18
            }
            _ => 0,
        };
        let stray = if random.once_in(64) { 1 << random.below(24) } else { 0 };
        case.opcode << 24 | bits | stray
    }
}
