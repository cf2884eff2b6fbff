//! Our matrix unit, which cases are played to, and the hash of what it does.

use hallmark_tensix::counters::{AddressModifier, Counter, ReadWriteCounters};
use hallmark_tensix::formats::Format;
use hallmark_tensix::matrix::{self, Executed, Settings, Table};
use hallmark_tensix::registers::{Bank, Destination, Registers, Row, Source};

use crate::cases::Command;
use crate::random::{Hash, category};

/// The matrix unit and its hash.
pub(crate) struct Player {
    registers: Registers,
    counters: ReadWriteCounters,
    settings: Settings,
    /// Over all outcomes.
    pub(crate) hash: Hash,
    /// Instructions that were done, that wait, that were refused.
    pub(crate) outcomes: [u64; 3],
}

impl Player {
    pub(crate) fn new(chip: &'static Table) -> Self {
        let mut player = Self {
            registers: Registers::default(),
            counters: ReadWriteCounters::default(),
            settings: Settings::zero(chip),
            hash: Hash::new(),
            outcomes: [0; 3],
        };
        player.reset();
        player
    }

    fn reset(&mut self) {
        for source in [&mut self.registers.source_a, &mut self.registers.source_b] {
            source.fill(Bank::First, 0);
            source.fill(Bank::Second, 0);
        }
        for row in 0..Destination::ROWS {
            self.registers.destination.write_16(row, Row::default());
        }
    }

    /// Plays a command.
    pub(crate) fn play(&mut self, command: &Command) {
        match command {
            Command::Settings(numbers) => self.settings(numbers),
            Command::Counters([a, a_start, b, b_start, dst, dst_start, phase, bias]) => {
                self.counters = ReadWriteCounters {
                    source_a: Counter { value: *a, start: *a_start },
                    source_b: Counter { value: *b, start: *b_start },
                    destination: Counter { value: *dst, start: *dst_start },
                    fidelity_phase: *phase,
                    bias: *bias == 1,
                };
            }
            Command::SourceRow { source, bank, row, data } => {
                let source = self.source(*source);
                source.write_row(bank_of(*bank), *row, Row::known(*data));
            }
            Command::DestinationRow { row, data } => {
                let data = data.map(|datum| datum as u16);
                self.registers.destination.write_16(*row, Row::known(data));
            }
            Command::Undefine(row) => self.registers.destination.undefine(*row, 1),
            Command::Banks(banks) => {
                for (number, [valid, matrix, first, second]) in (0..).zip(banks) {
                    set_banks(self.source(number), *valid, *matrix, [*first, *second]);
                }
            }
            Command::Execute(word) => self.execute(*word),
            Command::Hash => self.hash_registers(),
        }
    }

    fn source(&mut self, number: u32) -> &mut Source {
        if number == 0 { &mut self.registers.source_a } else { &mut self.registers.source_b }
    }

    fn settings(&mut self, numbers: &[u32]) {
        let format = known_format;
        let modifiers = std::array::from_fn(|index| {
            let words = &numbers[15 + 3 * index..];
            AddressModifier::from_words(words[0], words[1], words[2])
        });
        self.settings = Settings {
            chip: self.settings.chip,
            source_a_override: (numbers[1] == 1).then(|| format(numbers[0])),
            source_a: format(numbers[2]),
            source_b: format(numbers[3]),
            implied_a: numbers[4] == 1,
            implied_b: numbers[5] == 1,
            wide: numbers[6] == 1,
            integers: numbers[7] == 1,
            keeps_denormals: numbers[8] == 1,
            destination_offset: numbers[9],
            fidelity_base: numbers[10],
            keeps_source_a: numbers[11] == 1,
            keeps_source_b: numbers[12] == 1,
            second_modifiers: numbers[13] == 1,
            absolute_tiles: numbers[14] == 1,
            modifiers,
        };
    }

    fn execute(&mut self, word: u32) {
        let executed =
            matrix::execute(word, &mut self.registers, &mut self.counters, &self.settings).unwrap();
        match executed {
            Ok(Executed::Done) => {
                self.outcomes[0] += 1;
                self.hash.add(0);
                let counters = self.counters;
                for counter in [counters.source_a, counters.source_b, counters.destination] {
                    self.hash.add(counter.value);
                    self.hash.add(counter.start);
                }
                self.hash.add(counters.fidelity_phase);
                self.hash.add(counters.bias.into());
                for source in [&self.registers.source_a, &self.registers.source_b] {
                    for bank in [Bank::First, Bank::Second] {
                        self.hash.add(source.is_valid(bank).into());
                    }
                    self.hash.add(source.matrix_bank().number());
                }
            }
            Ok(Executed::Waits { .. }) => {
                self.outcomes[1] += 1;
                self.hash.add(1);
            }
            Err(refusal) => {
                self.outcomes[2] += 1;
                self.hash.add(2 + category(refusal.category));
                self.reset();
            }
        }
    }

    fn hash_registers(&mut self) {
        for source in [&self.registers.source_a, &self.registers.source_b] {
            for bank in [Bank::First, Bank::Second] {
                for row in source.rows(bank, 0) {
                    assert_eq!(row.unknown, 0);
                    row.data.iter().for_each(|datum| self.hash.add(*datum));
                }
            }
        }
        for row in 0..Destination::ROWS {
            let stored = self.registers.destination.storage(row);
            assert_eq!(stored.unknown, 0);
            stored.data.iter().for_each(|datum| self.hash.add((*datum).into()));
            self.hash.add(self.registers.destination.is_undefined(row).into());
        }
    }
}

fn bank_of(number: u32) -> Bank {
    if number == 0 { Bank::First } else { Bank::Second }
}

/// Ttsim has no block floats of 5 bits of exponent, and refuses them as it refuses the reserved formats.
fn known_format(code: u32) -> Format {
    match Format::from_code(code) {
        Format::BFP8A | Format::BFP4A | Format::BFP2A => Format::from_code(12),
        format => format,
    }
}

/// Makes banks valid by the moves that instructions make.
fn set_banks(source: &mut Source, valid: u32, matrix: u32, formats: [u32; 2]) {
    for _ in 0..2 {
        let keeps = !source.is_valid(source.matrix_bank());
        assert!(source.give_to_unpacker(keeps));
    }
    for _ in 0..2 {
        let format = formats[source.unpacker_bank().number() as usize];
        assert!(source.give_to_matrix_unit(known_format(format)));
    }
    for _ in 0..2 {
        let keeps = valid >> source.matrix_bank().number() & 1 == 1;
        assert!(source.give_to_unpacker(keeps));
    }
    if source.matrix_bank() != bank_of(matrix) {
        assert!(source.give_to_unpacker(true));
    }
}
