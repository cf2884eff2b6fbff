//! Random instructions of the vector unit with the state that they work on, from a seed. They are instructions that
//! Tenstorrent's simulator executes, and some that the documentation leaves open, which it refuses. What that simulator
//! refuses though the documentation has it is left out (`tests/vector_pages.rs`).

use crate::random::{Chip, Random};

/// A change of the state, or an instruction. As words: the tag, then the numbers in order.
#[derive(Clone, Debug)]
pub(crate) enum Command {
    /// Tag 1: [`SETTINGS`] numbers, in the order of [`Cases::settings`].
    Settings(Vec<u32>),
    /// Tag 2: value and start of the counters of `SrcA`, `SrcB` and `Dst`, the fidelity phase, the bias.
    Counters([u32; 8]),
    /// Tag 3: the number of a register, and its lanes.
    Register { number: u32, lanes: [u32; 32] },
    /// Tag 4: a row of 16 bits of `Dst`, which is defined, and its data.
    DestinationRow { row: u32, data: [u32; 16] },
    /// Tag 5: a row of 16 bits of `Dst`, which is undefined.
    Undefine(u32),
    /// Tag 6: the lanes whose flags are set, and whether flags are used; then for each of the flags that are pushed.
    Flags(Vec<[u32; 2]>),
    /// Tag 7: an instruction. Its outcome goes to the hash, and after a refusal the state is as at the start.
    Execute(u32),
    /// Tag 8: the state goes to the hash.
    Hash,
    /// Tag 9: what random numbers start from.
    Seed(u32),
}

/// Numbers of [`Command::Settings`].
pub(crate) const SETTINGS: usize = 4 + 24;

impl Command {
    /// The command as words. The length of flags stands before them.
    pub(crate) fn words(&self) -> Vec<u32> {
        match self {
            Self::Settings(numbers) => [&[1], &numbers[..]].concat(),
            Self::Counters(numbers) => [&[2], &numbers[..]].concat(),
            Self::Register { number, lanes } => [&[3, *number], &lanes[..]].concat(),
            Self::DestinationRow { row, data } => [&[4, *row], &data[..]].concat(),
            Self::Undefine(row) => vec![5, *row],
            Self::Flags(flags) => [&[6, flags.len() as u32], flags.as_flattened()].concat(),
            Self::Execute(word) => vec![7, *word],
            Self::Hash => vec![8],
            Self::Seed(seed) => vec![9, *seed],
        }
    }
}

/// Opcodes of the vector unit that both chips have, but `SFPLOADMACRO`, which Tenstorrent's simulator refuses.
pub(crate) const OPCODES: [u32; 37] = [
    0x70, 0x71, 0x72, 0x73, 0x74, 0x75, 0x76, 0x77, 0x78, 0x79, 0x7A, 0x7B, 0x7C, 0x7D, 0x7E, 0x7F,
    0x80, 0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8A, 0x8B, 0x8C, 0x8D, 0x8E, 0x8F,
    0x90, 0x91, 0x92, 0x94, 0x95,
];

/// Those that Blackhole has beyond them.
pub(crate) const OF_BLACKHOLE: [u32; 4] = [0x96, 0x97, 0x98, 0x99];

/// Commands without end.
pub(crate) struct Cases {
    random: Random,
    chip: Chip,
    opcodes: Vec<u32>,
    made: u64,
}

impl Cases {
    /// Instructions of some opcodes.
    pub(crate) fn new(chip: Chip, seed: u64, opcodes: &[u32]) -> Self {
        Self { random: Random::new(seed), chip, opcodes: opcodes.to_vec(), made: 0 }
    }

    /// The commands of the next instruction.
    pub(crate) fn next_case(&mut self) -> Vec<Command> {
        let opcode = self.random.one_of(&self.opcodes.clone());
        let mut commands = Vec::new();
        if self.made == 0 {
            commands.push(Command::Seed(self.random.next()));
        }
        let word = self.instruction(opcode, &mut commands);
        commands.push(Command::Execute(word));
        self.made += 1;
        if self.made.is_multiple_of(16) {
            commands.push(Command::Hash);
        }
        commands
    }

    /// 32 bits; the format of `SrcB`; the offset in `Dst`; the second modifiers; the modifiers.
    fn settings(&mut self, stores: bool, offset: u32) -> Command {
        let random = &mut self.random;
        // Stores of 32 bits without a mode differ on Wormhole: the documentation keeps denormals.
        let wide = random.once_in(3) && !(stores && self.chip == Chip::WormholeB0);
        let mut numbers = vec![
            wide.into(),
            random.one_of(&[0, 1, 5, 6, 7, 9]),
            offset,
            (self.chip == Chip::WormholeB0 && random.once_in(8)).into(),
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

    /// The state around a row of `Dst`. Gives the operand.
    fn place(&mut self, stores: bool, commands: &mut Vec<Command>) -> u32 {
        let row = self.random.below(512) * 2;
        let operand = self.random.below(512) * 2;
        let offset = self.random.one_of(&[0, 0, 256, 512]);
        commands.push(self.settings(stores, offset));
        let random = &mut self.random;
        let bias = random.once_in(if self.chip == Chip::WormholeB0 { 4 } else { 128 });
        commands.push(Command::Counters([
            random.below(64),
            random.below(64),
            random.below(64),
            random.below(64),
            row.wrapping_sub(operand).wrapping_sub(offset) & 1023,
            random.below(1024),
            random.below(4),
            bias.into(),
        ]));
        let first = row & !3;
        let high = (first & 0x1F8) << 1 | first & 0x207;
        for row in [first, high, high + 8].into_iter().flat_map(|first| first..first + 4) {
            let undefined = self.random.once_in(8);
            if self.random.once_in(2) {
                let data = std::array::from_fn(|_| self.half());
                commands.push(Command::DestinationRow { row, data });
            }
            if undefined {
                commands.push(Command::Undefine(row));
            }
        }
        operand
    }

    /// A row of 16 bits: anything, or a float near 1 in the order of `Dst`.
    fn half(&mut self) -> u32 {
        let bits = self.random.next() & 0xFFFF;
        match self.random.below(8) {
            0 => bits & 0x8000,
            1 | 2 => bits,
            3 => bits & 0xFFE0 | 15,
            _ => bits & 0xFF00 | (120 + (bits & 15)),
        }
    }

    /// A datum: a float, an integer, or bits.
    fn datum(&mut self, spread: u32) -> u32 {
        let random = &mut self.random;
        let bits = random.next();
        let (sign, mantissa) = (bits & 0x8000_0000, bits & 0x7F_FFFF);
        match random.below(32) {
            0 => sign,
            1 => sign | mantissa,
            2 => sign | 255 << 23 | random.one_of(&[0, 0, mantissa]),
            3 => bits,
            4 => random.below(64).wrapping_sub(32),
            5 => sign | random.below(1 << 18),
            6 => sign | random.below(256) << 23 | mantissa,
            7 => {
                sign | random.one_of(&[0, 1, 0x7F_FFFF, 0x40_0000, 0x3F_FFFF, 0x8000, 0xFFFF])
                    | (127 - spread + random.below(2 * spread + 1)) << 23
            }
            8 => sign | (127 - spread + random.below(2 * spread + 1)) << 23 | mantissa & 0x7F_0000,
            _ => sign | (127 - spread + random.below(2 * spread + 1)) << 23 | mantissa,
        }
    }

    /// Gives some of these registers new data.
    fn fill(&mut self, registers: &[u32], commands: &mut Vec<Command>) {
        let spread = self.random.one_of(&[1, 3, 14, 30, 100]);
        for number in registers {
            let writable = *number < 8 || (11..15).contains(number);
            if writable && !self.random.once_in(4) {
                let lanes = std::array::from_fn(|_| self.datum(spread));
                commands.push(Command::Register { number: *number, lanes });
            }
        }
    }

    /// Flags, whose stack holds at least `least`.
    fn flags(&mut self, used: Option<bool>, least: u32, commands: &mut Vec<Command>) {
        let depth = (least + self.random.below(9)).min(8);
        let flags = (0..=depth).map(|_| {
            let used = used.unwrap_or(!self.random.once_in(4));
            let set = match self.random.below(4) {
                0 => u32::MAX,
                1 => 0,
                _ => self.random.next(),
            };
            [set, used.into()]
        });
        let flags = flags.collect();
        commands.push(Command::Flags(flags));
    }

    /// An instruction with the state that it works on.
    fn instruction(&mut self, opcode: u32, commands: &mut Vec<Command>) -> u32 {
        let blackhole = self.chip == Chip::Blackhole;
        if self.random.once_in(4) {
            self.flags(None, 0, commands);
        }
        let [d, mut c, b, a] = [8, 16, 16, 16].map(|end| self.random.below(end));
        // Templates, and registers beyond them in the instructions that may write none.
        let d = if self.random.once_in(32) { 12 + d % 4 } else { d };
        let wrong = self.random.once_in(32);
        let random = &mut self.random;
        let immediate = random.next() & 0xFFF;
        let mut mode = 0;
        let fields = match opcode {
            0x70 | 0x72 => {
                let stores = opcode == 0x72;
                let operand = self.place(stores, commands);
                let random = &mut self.random;
                let modes: &[u32] = match (stores, blackhole) {
                    (false, _) => &[0, 2, 3, 4, 6, 12, 14, 15],
                    (true, false) => &[0, 2, 4, 6, 7, 9, 12, 14, 15],
                    (true, true) => &[0, 2, 3, 4, 6, 7, 9, 12, 14, 15],
                };
                let mode = random.one_of(modes);
                let d = if wrong { 12 + d % 4 } else { random.below(12) };
                let modifier = random.below(8);
                let modifier = if blackhole { modifier << 13 } else { (modifier & 3) << 14 };
                if stores {
                    self.fill(&[d], commands);
                }
                return opcode << 24 | d << 20 | mode << 16 | modifier | operand;
            }
            0x71 => {
                let mode =
                    if wrong { random.below(16) } else { random.one_of(&[0, 1, 2, 4, 8, 10]) };
                return opcode << 24 | (d % 8) << 20 | mode << 16 | random.next() & 0xFFFF;
            }
            0x73 => {
                let mode = if wrong { random.one_of(&[1, 2, 3, 5]) } else { 4 };
                self.fill(&[0, 1, 2, 3], commands);
                return opcode << 24 | d << 20 | mode << 16;
            }
            0x74 | 0x75 => {
                mode = if wrong { random.one_of(&[1, 4, 5]) } else { 0 };
                let immediate = self.datum(20) >> 16;
                self.fill(&[d], commands);
                return opcode << 24 | immediate << 8 | d << 4 | mode;
            }
            0x76 => {
                mode = random.below(if wrong { 16 } else { 2 });
                let small = random.below(256).wrapping_sub(128) & 0xFFF;
                (if wrong { immediate } else { small }) << 12
            }
            0x77 => {
                mode = if wrong { 4 + random.below(4) } else { random.one_of(&[0, 1, 2, 10]) };
                0
            }
            0x78 | 0x7D | 0x89 => {
                mode = random.below(if wrong { 16 } else { 2 });
                if opcode == 0x89 && mode & 1 == 1 { (immediate & 1) << 12 } else { 0 }
            }
            0x79 => {
                mode = random.one_of(&[0, 1, 2, 4, 5, 6, 8, 9, 10]);
                immediate << 12
            }
            0x7A => {
                mode = match (wrong, blackhole) {
                    (true, _) => random.one_of(&[4, 6, 8, 9, 15]),
                    (false, true) => random.one_of(&[0, 1, 2, 3, 5, 7]),
                    (false, false) => random.below(2),
                };
                if mode & 1 == 1 { immediate << 12 } else { 0 }
            }
            0x7B => {
                mode = 2 * random.below(4);
                self.flags(Some(true), 0, commands);
                self.fill(&[c], commands);
                return opcode << 24 | c << 8 | mode;
            }
            0x7C => {
                mode = if wrong { 4 + random.below(4) } else { random.one_of(&[0, 1, 2, 8]) };
                c = if mode == 8 { 9 } else { c };
                0
            }
            0x7E | 0x7F => match (blackhole, random.below(2)) {
                (true, 1) => {
                    mode = if wrong { 3 } else { 1 };
                    b << 12
                }
                _ => {
                    mode = if wrong { 2 + random.below(14) } else { 0 };
                    0
                }
            },
            0x80 | 0x8D => 0,
            0x81 => {
                mode = if wrong { 1 + 2 * random.below(2) } else { random.one_of(&[0, 2, 4]) };
                0
            }
            0x82 => {
                mode = if wrong { 4 + random.below(12) } else { random.below(3) };
                if mode == 1 { (immediate & 0xFF) << 12 } else { 0 }
            }
            0x83 => {
                mode = random.below(if wrong { 16 } else { 2 });
                0
            }
            0x84..=0x86 | 0x98 => {
                mode = match (opcode, blackhole) {
                    (0x98, _) if wrong => 2 + random.below(2),
                    (0x84 | 0x85, true) => random.below(4),
                    (0x86 | 0x98, true) => random.below(2),
                    _ if wrong => 1 + random.below(3),
                    _ => 0,
                };
                let [mut a, mut b] = [a, b];
                match opcode {
                    0x85 if random.once_in(2) => a = 10,
                    0x85 if !random.once_in(16) => b = 10,
                    0x86 | 0x98 if !random.once_in(16) => c = 9,
                    _ => {}
                }
                self.fill(&[a, b, c], commands);
                return opcode << 24 | a << 16 | b << 12 | c << 8 | d << 4 | mode;
            }
            0x87 => {
                self.flags(None, if wrong { 8 } else { 0 }, commands);
                return opcode << 24;
            }
            0x88 => {
                self.flags(None, u32::from(!wrong), commands);
                return opcode << 24;
            }
            0x8A => {
                let modes: &[u32] = if wrong { &[4, 5, 12, 14] } else { &[0, 10, 10, 10] };
                mode = random.one_of(modes);
                return opcode << 24 | if mode == 10 { random.below(4) << 12 } else { 0 } | mode;
            }
            0x8B => {
                self.flags(Some(true), 0, commands);
                return opcode << 24;
            }
            0x8C => {
                self.fill(&[0, 1, 2, 3, 4, 5, 6, 7], commands);
                return opcode << 24;
            }
            0x8E => {
                let modes: &[u32] = if wrong { &[8, 9, 10, 11, 14, 15] } else { &[1, 2, 3, 6, 7] };
                mode = random.one_of(modes);
                // With a distance of 0, the fourth bit of the mode is taken here.
                b << 12 | u32::from(wrong) << 16
            }
            0x90 => {
                mode = match (wrong, blackhole) {
                    (true, false) => 2 + random.below(14),
                    (true, true) => 4 + random.below(12),
                    (false, true) => random.one_of(&[0, 3]),
                    (false, false) => 0,
                };
                0
            }
            0x91 => return self.configuration(commands),
            0x92 => {
                mode = if wrong { 10 + random.below(6) } else { random.one_of(&[0, 1, 2, 3, 9]) };
                let d = if random.once_in(16) { random.below(12) } else { d % 4 };
                // With indices, both stand in the first four.
                let c = if random.once_in(8) && self.made & 256 == 0 { c } else { c % 4 };
                let d = if self.made & 256 == 0 { d } else { d % 4 };
                if self.made & 256 == 0 {
                    // Without indices.
                    self.enable_all(commands);
                    commands.push(Command::Execute(0x9100_00F1 | (self.random.below(2) << 8) << 8));
                    self.flags(None, 0, commands);
                }
                self.fill(&[c, d], commands);
                return opcode << 24 | c << 8 | d << 4 | mode;
            }
            0x94 => {
                mode = match (wrong, blackhole) {
                    (true, _) => 7 + random.below(9),
                    (false, true) => 3 + random.below(3),
                    (false, false) => random.one_of(&[3, 5]),
                };
                if mode == 5 { b << 12 } else { 0 }
            }
            0x95 => {
                mode = 2;
                self.fill(&[0, 1, 2, 3, 4, 5, 6], commands);
                return opcode << 24 | d << 4 | mode;
            }
            0x96 | 0x97 => {
                mode = random.one_of(&[1, 8]);
                0
            }
            0x99 => 0,
            _ => return opcode << 24,
        };
        let b = fields >> 12 & 15;
        self.fill(&[d, c, b], commands);
        opcode << 24 | fields | c << 8 | d << 4 | mode
    }

    fn enable_all(&mut self, commands: &mut Vec<Command>) {
        commands.push(Command::Flags(vec![[u32::MAX, self.random.below(2)]]));
    }

    /// `SFPCONFIG`, with the same datum in all lanes of `LReg[0]`.
    fn configuration(&mut self, commands: &mut Vec<Command>) -> u32 {
        self.enable_all(commands);
        let destination = self.random.below(16);
        let by_immediate = match destination {
            0..4 => false,
            8..12 => true,
            12..15 => false,
            _ => self.random.once_in(2),
        };
        let lanes = self.random.one_of(&[0, 0, 4, 0x100, 0x104, 0x200, 0x800]);
        let datum = if destination == 15 { lanes } else { self.datum(14) };
        commands.push(Command::Register { number: 0, lanes: [datum; 32] });
        let immediate = match destination {
            15 => lanes,
            8 => self.random.below(0x1000),
            9..12 => 0,
            _ => self.random.below(0x1_0000),
        };
        0x91 << 24 | destination << 4 | if by_immediate { immediate << 8 | 1 } else { 0 }
    }
}
