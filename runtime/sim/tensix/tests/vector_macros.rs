//! Instructions that `SFPLOADMACRO` schedules, in the sequences of the vendor's low-level kernels.

#![expect(clippy::unwrap_used, reason = "what is refused fails the test")]

use hallmark_chip::FaultCategory;
use hallmark_tensix::Refusal;
use hallmark_tensix::counters::{AddressModifier, ReadWriteCounters};
use hallmark_tensix::registers::{Destination, Flags, Row, Vector, Vectors};
use hallmark_tensix::vector::{self, BLACKHOLE, Settings, Table, WORMHOLE_B0};

struct Bench {
    vectors: Vectors,
    destination: Destination,
    counters: ReadWriteCounters,
    settings: Settings,
    /// The lowest bit of `AddrMod`.
    modifier: u32,
}

impl Bench {
    /// Modifier 2 goes on by two rows of `Dst`, and modifier 3 by none. All lanes are enabled.
    fn new(chip: &'static Table, modifier: u32) -> Self {
        let mut settings = Settings::zero(chip);
        settings.modifiers[2] = AddressModifier::from_words(0, 2, 0);
        let mut vectors = Vectors::default();
        vectors.flags = Flags { set: u32::MAX, unknown: 0, used: u32::MAX };
        Self {
            vectors,
            destination: Destination::default(),
            counters: ReadWriteCounters::default(),
            settings,
            modifier,
        }
    }

    fn execute(&mut self, word: u32) -> Result<(), Refusal> {
        let Self { vectors, destination, counters, settings, .. } = self;
        vector::execute(word, vectors, destination, counters, settings)
    }

    fn done(&mut self, words: &[u32]) {
        for word in words {
            self.execute(*word).unwrap();
        }
    }

    fn elapse(&mut self) {
        let Self { vectors, destination, counters, settings, .. } = self;
        vector::elapse(vectors, destination, counters, settings).unwrap();
    }

    /// SFPLOAD, SFPSTORE or SFPLOADMACRO.
    fn transfer(&self, opcode: u32, register: u32, mode: u32, modifier: u32, row: u32) -> u32 {
        opcode << 24 | register << 20 | mode << 16 | modifier << self.modifier | row
    }

    /// A macro that loads a register.
    fn load_macro(&self, number: u32, d: u32, mode: u32, modifier: u32, row: u32) -> u32 {
        self.transfer(0x93, number << 2 | d & 3, mode, modifier, row | d >> 2)
    }

    /// The sequence of a macro, from its bytes for the four sub-units.
    fn sequence(&mut self, number: u32, [simple, mad, round, store]: [u32; 4]) {
        let load = |mode: u32, value: u32| 0x7100_0000 | mode << 16 | value;
        self.done(&[
            load(10, mad << 8 | simple),
            load(8, store << 8 | round),
            config(4 + number, 0, 0),
        ]);
    }

    /// Fills rows of 16 bits.
    fn fill(&mut self, first: u32, datum: impl Fn(u32) -> u16) {
        for row in 0..16 {
            let data = std::array::from_fn(|column| datum(row * 16 + column as u32));
            self.destination.write_16(first + row, Row::known(data));
        }
    }

    fn results(&self, first: u32) -> Vec<u16> {
        let rows = (first..first + 16).map(|row| self.destination.read_16(row));
        rows.flat_map(|row| {
            assert_eq!(row.unknown, 0);
            row.data
        })
        .collect()
    }
}

fn benches() -> [Bench; 2] {
    [Bench::new(&WORMHOLE_B0, 14), Bench::new(&BLACKHOLE, 13)]
}

fn config(destination: u32, immediate: u32, mode: u32) -> u32 {
    0x91 << 24 | immediate << 8 | destination << 4 | mode
}

/// An instruction of two registers, or with an immediate of 12 bits.
fn two(opcode: u32, immediate: u32, [c, d]: [u32; 2], mode: u32) -> u32 {
    opcode << 24 | (immediate & 0xFFF) << 12 | c << 8 | d << 4 | mode
}

fn mad([a, b, c, d]: [u32; 4]) -> u32 {
    0x84 << 24 | a << 16 | b << 12 | c << 8 | d << 4
}

const NOP: u32 = 0x8F << 24;

fn condition(index: u32) -> u16 {
    (index % 3) as u16
}

fn first(index: u32) -> u16 {
    index.wrapping_mul(40503) as u16
}

fn second(index: u32) -> u16 {
    index.wrapping_mul(30011).wrapping_add(77) as u16
}

/// `ckernel_sfpu_where.h`: three cycles for 32 data where the result replaces the condition, or four.
#[test]
fn data_are_selected_by_a_condition() {
    for in_place in [true, false] {
        for mut bench in benches() {
            bench.fill(0, condition);
            bench.fill(64, first);
            bench.fill(128, second);
            // SFPSETCC: equal to 0; SFPENCC: all lanes.
            bench.done(&[two(0x7B, 0, [0, 12], 6), two(0x8A, 0, [0, 13], 0)]);
            bench.sequence(0, [4, 0, 0, 2 << 3 | 3]);
            bench.done(&[config(5, 4, 1), config(6, 5, 1), config(8, 0x770, 1)]);
            let output = if in_place { 0 } else { 192 };
            let mut words = vec![
                bench.load_macro(u32::from(!in_place), 0, 6, 3, 0),
                bench.load_macro(2, 0, 6, 3, 64),
                bench.transfer(0x70, 0, 6, if in_place { 2 } else { 3 }, 128),
            ];
            if !in_place {
                words.push(bench.transfer(0x72, 0, 6, 2, output));
            }
            for _ in 0..8 {
                bench.done(&words);
            }
            bench.elapse();
            assert!(!bench.vectors.has_scheduled());
            let expected: Vec<u16> = (0..256)
                .map(|index| if condition(index) == 0 { second(index) } else { first(index) })
                .collect();
            assert_eq!(bench.results(output), expected, "{in_place}");
        }
    }
}

/// `ckernel_sfpu_mul_int.h`: twelve cycles for 32 products of 16 bits, with all sub-units but the load's at work.
#[test]
fn integers_are_multiplied() {
    let [a0, b0, a1, b1, sum, out] = [0, 1, 2, 3, 5, 4];
    for mut bench in benches() {
        bench.fill(0, first);
        bench.fill(64, second);
        // LReg[12] = 255, LReg[13] = 2²³.
        bench.done(&[0x7102_00FF, config(12, 0, 0), 0x7100_4B00, config(13, 0, 0)]);
        bench.done(&[
            two(0x94, 0u32.wrapping_sub(8), [0, 12], 6),
            two(0x90, 0, [0, 13], 0),
            two(0x94, 8, [0, 14], 6),
            two(0x79, 0, [sum, 15], 4),
        ]);
        bench.sequence(0, [1 << 3 | 5, 0, 0x80 | 4, 0]);
        bench.done(&[config(5, 3 << 3 | 5, 1)]);
        bench.sequence(2, [2 << 3 | 5, 0, 0x80 | 1 << 3 | 4, 0]);
        bench.sequence(3, [0xC0 | 6 << 3 | 7, 0, 0x80 | 5 << 3 | 6, 0x40 | 7 << 3 | 3]);
        bench.done(&[config(8, 0xFF0, 1)]);
        let words = [
            bench.load_macro(0, b1, 6, 3, 64),
            bench.load_macro(1, a0, 6, 3, 0),
            bench.load_macro(1, b0, 6, 3, 64),
            two(0x7E, 0, [12, a0], 0),
            two(0x7E, 0, [12, b0], 0),
            bench.load_macro(2, a1, 6, 3, 0),
            bench.load_macro(3, out, 6, 2, 128),
            mad([a0, b1, 13, b1]),
            mad([a0, b0, 13, a0]),
            mad([a1, b0, b1, b1]),
            two(0x78, 0, [a0, sum], 1),
            two(0x78, 0, [b1, out], 1),
        ];
        bench.fill(128, |_| 0);
        for _ in 0..8 {
            bench.done(&words);
        }
        bench.done(&[NOP; 3]);
        bench.elapse();
        let expected: Vec<u16> =
            (0..256).map(|index| first(index).wrapping_mul(second(index))).collect();
        assert_eq!(bench.results(128), expected);
    }
}

#[test]
fn a_cycle_reads_what_the_registers_held_before_it() {
    let [mut bench, _] = benches();
    bench.fill(0, first);
    bench.fill(64, second);
    // SFPMOV of the loaded register to LReg[16] two cycles later, which SFPSTORE writes another cycle later.
    bench.done(&[two(0x7C, 0, [0, 12], 0)]);
    bench.sequence(0, [0x40 | 1 << 3 | 4, 0, 0, 0x40 | 2 << 3 | 3]);
    bench.done(&[config(8, 0xFF0, 1)]);
    let [load, other] = [bench.load_macro(0, 2, 6, 3, 0), bench.transfer(0x70, 2, 6, 3, 64)];
    bench.done(&[load, NOP, other, NOP]);
    assert!(!bench.vectors.has_scheduled());
    assert_eq!(bench.results(0), (0..256).map(first).collect::<Vec<_>>());
    assert_eq!(bench.vectors.register(16).lanes[9], first(18).into());
    assert_eq!(bench.vectors.register(2).lanes[9], second(18).into());
}

#[test]
fn cycles_elapse_with_the_threads_other_instructions_and_instructions_do_not() {
    for (kinds, waits) in [(0, false), (0xF00, true)] {
        let [mut bench, _] = benches();
        bench.fill(0, first);
        bench.done(&[two(0x79, 5, [0, 12], 5)]);
        bench.sequence(0, [2 << 3 | 4, 0, 0, 0]);
        bench.done(&[config(8, kinds, 1)]);
        let load = bench.load_macro(0, 3, 6, 3, 0);
        bench.done(&[load]);
        bench.elapse();
        assert_eq!(bench.vectors.has_scheduled(), waits);
        bench.done(&[NOP; 3]);
        assert_eq!(bench.vectors.register(3).lanes[2], u32::from(first(4)) + 5);
    }
}

#[test]
fn a_later_instruction_of_the_same_cycle_replaces_an_earlier_one() {
    let [mut bench, _] = benches();
    bench.fill(0, first);
    bench.done(&[two(0x79, 5, [0, 12], 5)]);
    bench.sequence(0, [2 << 3 | 4, 0, 0, 0]);
    bench.done(&[config(5, 1 << 3 | 4, 1), config(8, 0xF00, 1)]);
    let words = [bench.load_macro(0, 1, 6, 3, 0), bench.load_macro(1, 2, 6, 3, 0)];
    bench.done(&words);
    bench.done(&[NOP; 4]);
    let lane = |number: u32| bench.vectors.register(number).lanes[2];
    assert_eq!([lane(1), lane(2)], [first(4).into(), u32::from(first(4)) + 5]);
}

#[test]
fn what_a_macro_leaves_open_is_refused() {
    let refused = |sequence: [u32; 4], then: u32| {
        let [mut bench, _] = benches();
        bench.fill(0, first);
        bench.done(&[two(0x79, 5, [0, 12], 5)]);
        bench.sequence(1, sequence);
        let load = bench.load_macro(1, 2, 6, 3, 0);
        bench.execute(load).and_then(|()| bench.execute(then)).map_err(|refusal| refusal.category)
    };
    let undefined = Err(FaultCategory::UndefinedBehavior);
    assert_eq!(refused([1, 0, 0, 0], NOP), undefined);
    // The store sub-unit stores, and other sub-units do nothing with what is not theirs.
    assert_eq!(refused([0, 0, 0, 4], NOP), undefined);
    assert_eq!(refused([0, 0, 4, 0], NOP), Ok(()));
    // An instruction of the sub-unit that a scheduled one takes.
    let add = two(0x79, 5, [0, 1], 5);
    assert_eq!(refused([4, 0, 0, 0], add), Err(FaultCategory::NonContractualBehavior));
    assert_eq!(refused([1 << 3 | 4, 0, 0, 0], add), Ok(()));
}

#[test]
fn unknown_data_go_on_in_what_is_scheduled() {
    let [mut bench, _] = benches();
    bench.fill(0, first);
    bench.vectors.set(12, Vector { lanes: [1; 32], unknown: 1 << 6 });
    // Adds LReg[12], which the template names as its own result.
    bench.done(&[two(0x79, 0, [0, 12], 4)]);
    bench.sequence(0, [4, 0, 0, 0]);
    let load = bench.load_macro(0, 3, 6, 3, 0);
    bench.done(&[load, NOP]);
    assert_eq!(bench.vectors.register(3).unknown, 1 << 6);
    assert_eq!(bench.vectors.register(3).lanes[2], u32::from(first(4)) + 1);
}
