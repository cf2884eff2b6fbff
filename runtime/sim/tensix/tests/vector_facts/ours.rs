//! Our vector unit, which cases are played to, and the hash of what it does.

use hallmark_tensix::counters::{AddressModifier, Counter, ReadWriteCounters};
use hallmark_tensix::formats::Format;
use hallmark_tensix::registers::{Destination, Flags, Row, Vector, Vectors};
use hallmark_tensix::vector::{self, Settings, Table};

use crate::cases::Command;
use crate::random::{Hash, category};

/// The vector unit and its hash.
pub(crate) struct Player {
    vectors: Vectors,
    destination: Destination,
    counters: ReadWriteCounters,
    settings: Settings,
    /// Over all outcomes.
    pub(crate) hash: Hash,
    /// Instructions that were done, and that were refused.
    pub(crate) outcomes: [u64; 2],
    seed: u32,
}

impl Player {
    pub(crate) fn new(chip: &'static Table) -> Self {
        let mut player = Self {
            vectors: Vectors::default(),
            destination: Destination::default(),
            counters: ReadWriteCounters::default(),
            settings: Settings::zero(chip),
            hash: Hash::new(),
            outcomes: [0; 2],
            seed: 0,
        };
        player.reset();
        player
    }

    /// All registers and counters are 0, but the constants; lanes are enabled and configured as at power-on.
    fn reset(&mut self) {
        self.counters = ReadWriteCounters::default();
        self.vectors = Vectors::default();
        for number in (0..8).chain(11..15) {
            self.vectors.set(number, Vector::of(0));
        }
        self.vectors.seed(self.seed);
        for row in 0..Destination::ROWS {
            self.destination.write_16(row, Row::default());
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
            Command::Register { number, lanes } => {
                self.vectors.set(*number, Vector::known(*lanes));
            }
            Command::DestinationRow { row, data } => {
                let data = data.map(|datum| datum as u16);
                self.destination.write_16(*row, Row::known(data));
            }
            Command::Undefine(row) => self.destination.undefine(*row, 1),
            Command::Flags(flags) => self.flags(flags),
            Command::Execute(word) => self.execute(*word),
            Command::Hash => self.hash_state(),
            Command::Seed(seed) => {
                self.seed = *seed;
                self.vectors.seed(*seed);
            }
        }
    }

    fn settings(&mut self, numbers: &[u32]) {
        let modifiers = std::array::from_fn(|index| {
            let words = &numbers[4 + 3 * index..];
            AddressModifier::from_words(words[0], words[1], words[2])
        });
        self.settings = Settings {
            chip: self.settings.chip,
            wide: numbers[0] == 1,
            source_b: Format::from_code(numbers[1]),
            destination_offset: numbers[2],
            second_modifiers: numbers[3] == 1,
            modifiers,
        };
    }

    /// The last flags are the current ones, and the others are pushed in order.
    fn flags(&mut self, flags: &[[u32; 2]]) {
        while self.vectors.depth() > 0 {
            self.one(0x8800_0000);
        }
        for (index, [set, used]) in flags.iter().enumerate() {
            if index > 0 {
                self.one(0x8700_0000);
            }
            let used = if *used == 1 { u32::MAX } else { 0 };
            self.vectors.flags = Flags { set: *set, unknown: 0, used };
        }
    }

    /// An instruction that is done and does not go to the hash.
    fn one(&mut self, word: u32) {
        assert_eq!(self.outcome(word), Ok(()));
    }

    fn outcome(&mut self, word: u32) -> Result<(), u32> {
        // The other simulator has no results that come late.
        let (vectors, counters) = (&mut self.vectors, &mut self.counters);
        vector::elapse(vectors, &mut self.destination, counters, &self.settings).unwrap();
        let executed = vector::execute(
            word,
            &mut self.vectors,
            &mut self.destination,
            &mut self.counters,
            &self.settings,
        );
        executed.map_err(|refusal| category(refusal.category))
    }

    fn execute(&mut self, word: u32) {
        match self.outcome(word) {
            Ok(()) => {
                self.outcomes[0] += 1;
                self.hash.add(0);
                let counters = self.counters;
                for counter in [counters.source_a, counters.source_b, counters.destination] {
                    self.hash.add(counter.value);
                    self.hash.add(counter.start);
                }
                self.hash.add(counters.fidelity_phase);
                self.hash.add(counters.bias.into());
                self.hash_flags();
                // The rest of rows that were undefined is unknown, and it is as in the other simulator all the same.
                for number in 0..8 {
                    let lanes = self.vectors.register(number).lanes;
                    self.vectors.set(number, Vector::known(lanes));
                }
            }
            Err(category) => {
                self.outcomes[1] += 1;
                self.hash.add(2 + category);
                self.reset();
            }
        }
    }

    fn hash_flags(&mut self) {
        assert_eq!(self.vectors.flags.unknown, 0);
        self.hash.add(self.vectors.flags.set);
        self.hash.add(self.vectors.flags.used & 1);
        self.hash.add(self.vectors.depth() as u32);
    }

    fn hash_state(&mut self) {
        for number in 0..16 {
            self.vectors.register(number).lanes.iter().for_each(|datum| self.hash.add(*datum));
        }
        self.hash_flags();
        for row in 0..Destination::ROWS {
            let stored = self.destination.storage(row);
            stored.data.iter().for_each(|datum| self.hash.add((*datum).into()));
            self.hash.add(self.destination.is_undefined(row).into());
        }
        // What SFPMOV reads of the macros. It changes a register, which the other simulator sets to 0.
        let flags = self.vectors.flags;
        self.vectors.flags = Flags::default();
        for special in 0..9 {
            self.one(0x7C00_0008 | special << 8 | 3 << 4);
            self.hash.add(self.vectors.register(3).lanes[0]);
        }
        self.vectors.set(3, Vector::of(0));
        self.vectors.flags = flags;
    }
}
