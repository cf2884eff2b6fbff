//! What the pages of the vector unit's instructions have and Tenstorrent's simulator refuses, and what is unknown.

#![expect(clippy::indexing_slicing, clippy::unwrap_used, reason = "a wrong index fails the test")]

use hallmark_chip::{FaultCategory, Random};
use hallmark_tensix::Refusal;
use hallmark_tensix::counters::ReadWriteCounters;
use hallmark_tensix::formats::Format;
use hallmark_tensix::registers::{Destination, Flags, Lanes, Row, Vector, Vectors};
use hallmark_tensix::vector::{self, BLACKHOLE, Settings, Table, WORMHOLE_B0};

const ALL: u32 = u32::MAX;
const SIGN: u32 = 0x8000_0000;

struct Bench {
    vectors: Vectors,
    destination: Destination,
    counters: ReadWriteCounters,
    settings: Settings,
}

impl Bench {
    /// `Dst` is 0.
    fn new(chip: &'static Table) -> Self {
        let mut destination = Destination::default();
        for row in 0..Destination::ROWS {
            destination.write_16(row, Row::default());
        }
        Self {
            vectors: Vectors::default(),
            destination,
            counters: ReadWriteCounters::default(),
            settings: Settings::zero(chip),
        }
    }

    /// A cycle after the last instruction.
    fn execute(&mut self, word: u32) -> Result<(), Refusal> {
        let Self { vectors, destination, counters, settings } = self;
        vector::elapse(vectors, destination, counters, settings)?;
        vector::execute(
            word,
            &mut self.vectors,
            &mut self.destination,
            &mut self.counters,
            &self.settings,
        )
    }

    fn done(&mut self, words: &[u32]) -> &mut Self {
        for word in words {
            self.execute(*word).unwrap();
        }
        self
    }

    fn refused(&mut self, word: u32) -> FaultCategory {
        let refusal = self.execute(word).unwrap_err();
        assert!(refusal.reason.contains("SFP"), "{refusal}");
        refusal.category
    }

    fn with(mut self, number: u32, datum: impl Fn(u32) -> u32) -> Self {
        let lanes = std::array::from_fn(|lane| datum(lane as u32));
        self.vectors.set(number, Vector::known(lanes));
        self
    }

    fn lanes(&self, number: u32) -> Lanes {
        assert_eq!(self.vectors.register(number).unknown, 0, "LReg[{number}]");
        self.vectors.register(number).lanes
    }

    fn unknown(&self, number: u32) -> u32 {
        self.vectors.register(number).unknown
    }

    /// Configures all lanes.
    fn configured(mut self, bits: u32) -> Self {
        self.done(&[config(15, bits, 1)]);
        self
    }

    fn flagged(mut self, set: u32) -> Self {
        self.vectors.flags = Flags { set, unknown: 0, used: ALL };
        self
    }
}

fn wormhole() -> Bench {
    Bench::new(&WORMHOLE_B0)
}

fn blackhole() -> Bench {
    Bench::new(&BLACKHOLE)
}

/// An instruction of three registers.
fn three(opcode: u32, [b, c, d]: [u32; 3], mode: u32) -> u32 {
    opcode << 24 | b << 12 | c << 8 | d << 4 | mode
}

/// An instruction of two registers, or with an immediate of 12 bits.
fn two(opcode: u32, immediate: u32, [c, d]: [u32; 2], mode: u32) -> u32 {
    opcode << 24 | (immediate & 0xFFF) << 12 | c << 8 | d << 4 | mode
}

fn config(destination: u32, immediate: u32, mode: u32) -> u32 {
    0x91 << 24 | immediate << 8 | destination << 4 | mode
}

fn transfer(opcode: u32, register: u32, mode: u32, row: u32) -> u32 {
    opcode << 24 | register << 20 | mode << 16 | row
}

const LOAD: u32 = 0x70;
const STORE: u32 = 0x72;
const MAD: u32 = 0x84;

fn each(datum: impl Fn(u32) -> u32) -> Lanes {
    std::array::from_fn(|lane| datum(lane as u32))
}

fn float(number: f32) -> u32 {
    number.to_bits()
}

#[test]
fn registers_are_named_by_register_7() {
    // LReg[7] names LReg[1] in even lanes and LReg[2] in odd ones, with bits above that count for nothing.
    let mut bench = wormhole()
        .with(7, |lane| 0x50 | (1 + lane % 2))
        .with(1, |_| float(3.0))
        .with(2, |lane| float(lane as f32))
        .with(4, |_| float(2.0));
    bench.done(&[MAD << 24 | 4 << 12 | 10 << 8 | 5 << 4 | 4]);
    let factor = |lane: u32| if lane.is_multiple_of(2) { 3.0 } else { lane as f32 };
    assert_eq!(bench.lanes(5), each(|lane| float(factor(lane) * 2.0 + 1.0)));
    // The result goes to the registers that it names, and to no constant.
    for (word, result) in [
        (MAD << 24 | 4 << 16 | 4 << 12 | 10 << 8 | 5 << 4 | 8, 5.0),
        (0x75 << 24 | (float(5.0) >> 16) << 8 | 4 << 4 | 8, 7.0),
        (0x74 << 24 | (float(5.0) >> 16) << 8 | 4 << 4 | 8, 10.0),
    ] {
        bench.done(&[word]);
        let odd = |lane: u32| !lane.is_multiple_of(2);
        let of = |number: u32, lane| if odd(lane) == (number == 2) { float(result) } else { 0 };
        for number in [1, 2] {
            let lanes = bench.lanes(number);
            for lane in (0..32).filter(|lane| odd(*lane) == (number == 2)) {
                assert_eq!(lanes[lane as usize], of(number, lane), "{word:#x}");
            }
        }
        assert_eq!(bench.lanes(4)[0], float(2.0));
    }
    bench.vectors.set(7, Vector { lanes: [1; 32], unknown: 1 << 9 });
    let word = MAD << 24 | 4 << 12 | 10 << 8 | 5 << 4 | 4;
    assert_eq!(bench.refused(word), FaultCategory::UnpredictableValueUsed);
    // Lanes that are not enabled name nothing.
    bench.flagged(!(1 << 9)).done(&[word]);
}

#[test]
fn blackhole_negates_operands() {
    let bench = || blackhole().with(1, |_| float(3.0)).with(2, |_| float(2.0)).with(3, |_| 0);
    for (mode, result) in [(0, 7.0), (1, -5.0), (2, 5.0), (3, -7.0)] {
        let mut bench = bench();
        bench.done(&[MAD << 24 | 1 << 16 | 2 << 12 | 10 << 8 | 4 << 4 | mode]);
        assert_eq!(bench.lanes(4), [float(result); 32], "{mode}");
    }
    // A product of -0 keeps its sign if -0 is added.
    let product = |mode: u32| 0x86 << 24 | 3 << 16 | 11 << 12 | 9 << 8 | 4 << 4 | mode;
    for (mode, result) in [(0, 0), (2, SIGN)] {
        let mut bench = bench();
        bench.done(&[config(11, 0, 1), product(mode)]);
        assert_eq!(bench.lanes(4), [result; 32], "{mode}");
    }
    let mut bench = bench();
    bench.done(&[0x75 << 24 | (float(5.0) >> 16) << 8 | 1 << 4 | 2]);
    assert_eq!(bench.lanes(1), [float(2.0); 32]);
    bench.done(&[0x74 << 24 | (float(5.0) >> 16) << 8 | 2 << 4 | 2]);
    assert_eq!(bench.lanes(2), [float(-10.0); 32]);
    assert_eq!(wormhole().refused(MAD << 24 | 1), FaultCategory::NonContractualBehavior);
}

#[test]
fn stores_of_floats_keep_denormals_on_wormhole_alone() {
    for (mut bench, stored) in [(wormhole(), 0x8000_0123), (blackhole(), SIGN)] {
        bench = bench.with(3, |_| 0x8000_0123);
        bench.done(&[transfer(STORE, 3, 3, 4), transfer(LOAD, 2, 4, 4)]);
        assert_eq!(bench.lanes(2), [stored; 32]);
        bench.settings.wide = true;
        bench.done(&[transfer(STORE, 3, 0, 8), transfer(LOAD, 2, 4, 8)]);
        assert_eq!(bench.lanes(2), [stored; 32]);
    }
}

#[test]
fn a_transfer_without_a_format_has_that_of_srcb() {
    for (code, has_8_bits) in [
        (0, true),
        (4, true),
        (8, true),
        (15, true),
        (1, false),
        (2, false),
        (10, false),
        (14, false),
    ] {
        let mut bench = wormhole().with(3, |_| float(-2.5));
        bench.settings.source_b = Format::from_code(code);
        bench.done(&[
            transfer(STORE, 3, 0, 4),
            transfer(LOAD, 2, if has_8_bits { 2 } else { 1 }, 4),
        ]);
        assert_eq!(bench.lanes(2), [float(-2.5); 32], "{code}");
    }
}

#[test]
fn integers_of_8_and_16_bits_are_transferred() {
    let in_dst = |mode: u32, datum: u32| {
        let mut bench = wormhole().with(3, |_| datum);
        bench.done(&[transfer(STORE, 3, mode, 6)]);
        bench.destination.read_16(5).data
    };
    // Odd columns: the address is 2 above a multiple of 4.
    let odd = |stored: u16| std::array::from_fn(|column| if column % 2 == 1 { stored } else { 0 });
    assert_eq!(in_dst(5, SIGN | 77), odd(0x8000 | 77 << 5 | 16));
    assert_eq!(in_dst(13, (-77i32) as u32), odd(0x8000 | 77 << 5 | 16));
    assert_eq!(in_dst(8, SIGN | 0x1_2345), odd(0x8000 | 0x2345));
    assert_eq!(in_dst(11, 77), odd(0));
    let loaded = |mut bench: Bench, mode: u32, stored: u16| {
        for row in 4..8 {
            bench.destination.write_16(row, Row::known(odd(stored)));
        }
        bench.vectors.set(2, Vector::of(0x1111_2222));
        bench.done(&[transfer(LOAD, 2, mode, 6)]);
        bench.lanes(2)[17]
    };
    let stored = 0x8000 | 0x1CD << 5 | 16;
    for (mode, on_wormhole, on_blackhole) in [
        (5, SIGN | 0x4D, SIGN | 0xCD),
        (13, (-0x1CD_i32) as u32, SIGN | 0x1CD),
        (8, SIGN | u32::from(stored & 0x7FFF), SIGN | u32::from(stored & 0x7FFF)),
        (7, u32::from(stored) << 16, u32::from(stored) << 16),
        (9, stored.into(), stored.into()),
        (11, 0, 0),
    ] {
        assert_eq!(loaded(wormhole(), mode, stored), on_wormhole, "{mode}");
        assert_eq!(loaded(blackhole(), mode, stored), on_blackhole, "{mode}");
    }
}

#[test]
fn all_lanes_are_transferred_by_the_mode_for_them() {
    let mut bench = wormhole().with(3, |lane| 100 + lane).with(2, |_| 0).flagged(0);
    bench.counters.destination.value = 46;
    bench.done(&[transfer(STORE, 3, 10, 8), transfer(LOAD, 2, 10, 8)]);
    assert_eq!(bench.lanes(2), each(|lane| 100 + lane));
    // 8 + 46 % 4 is row 8, odd columns.
    assert_eq!(bench.destination.read_32(9).data[3] & 0xFFFF, 109);
    let refused = blackhole().refused(transfer(LOAD, 2, 10, 8));
    assert_eq!(refused, FaultCategory::UnimplementedFunctionality);
}

#[test]
fn lanes_are_configured() {
    // Blocked stores and loads.
    let mut bench = wormhole().with(3, |_| 7).with(2, |_| 5).configured(1 << 4);
    bench.done(&[transfer(STORE, 3, 4, 4), transfer(LOAD, 2, 4, 4)]);
    assert_eq!(bench.lanes(2), [0; 32]);
    let mut bench = wormhole().with(2, |_| 5).configured(1 << 5);
    bench.done(&[transfer(LOAD, 2, 4, 4)]);
    assert_eq!(bench.lanes(2), [5; 32]);
    // Odd columns where even ones are named.
    let mut bench = wormhole().with(3, |lane| lane).configured(1 << 7);
    bench.done(&[transfer(STORE, 3, 6, 4)]);
    assert_eq!(bench.destination.read_16(6).data[..4], [0, 16, 0, 17]);
    bench = bench.configured(1 << 6);
    bench.done(&[transfer(LOAD, 2, 6, 4)]);
    assert_eq!(bench.lanes(2), each(|lane| lane));
    // Where data stand.
    let mut bench = wormhole().configured(0b1100);
    bench.done(&[transfer(LOAD, 1, 6, 42)]);
    assert_eq!(bench.lanes(5), each(|lane| ((40 + lane / 8) << 4) + lane % 8 * 2 + 1));
    // The largest number of 16 bits is an infinity.
    let mut bench = wormhole().with(3, |_| float(1e30)).configured(1);
    bench.done(&[transfer(STORE, 3, 1, 4), transfer(LOAD, 2, 1, 4)]);
    assert_eq!(bench.lanes(2), [float(f32::INFINITY); 32]);
    // Rows that are switched off.
    let mut bench = wormhole().with(3, |_| 5).configured(0b0110 << 12);
    bench.done(&[two(0x79, 2, [9, 3], 5)]);
    assert_eq!(bench.lanes(3), each(|lane| if (8..24).contains(&lane) { 5 } else { 2 }));
    assert_eq!(bench.refused(config(15, 1 << 9, 1)), FaultCategory::UnsupportedFunctionality);
}

#[test]
fn columns_are_configured_apart() {
    let mut bench = wormhole().with(0, |lane| if lane == 3 { 0x100 } else { 0 });
    bench.done(&[config(15, 0, 0), two(0x7C, 0, [15, 2], 8)]);
    assert_eq!(bench.lanes(2), each(|lane| if lane % 8 == 3 { 0x100 } else { 0 }));
    // OR, AND and XOR in the columns 0 and 3 (bits 0 and 6), whose bits are the value, too.
    bench.done(&[config(15, 1 | 1 << 6, 8 | 2 | 1), two(0x7C, 0, [15, 2], 8)]);
    let first = |lane: u32| match lane % 8 {
        0 => 0x41,
        3 => 0x141,
        _ => 0,
    };
    assert_eq!(bench.lanes(2), each(first));
    bench.done(&[config(15, 0x140, 4 | 1), two(0x7C, 0, [15, 2], 8)]);
    assert_eq!(bench.lanes(2), each(|lane| first(lane) & 0x140));
    bench.done(&[config(15, 0x103, 6 | 1), two(0x7C, 0, [15, 2], 8)]);
    assert_eq!(bench.lanes(2), each(|lane| first(lane) & 0x140 ^ 0x103));
}

#[test]
fn constants_are_set() {
    let mut bench = wormhole().with(0, |lane| 50 + lane).flagged(!2);
    bench.done(&[config(12, 0, 1), config(12, 0, 0)]);
    assert_eq!(bench.unknown(12), 0x0202_0202);
    assert_eq!(bench.vectors.register(12).lanes[16 + 2], 52);
    let mut bench = wormhole();
    bench.done(&[config(12, 0, 1), config(13, 0, 1), config(14, 0, 1)]);
    for (number, value) in [(12, 1.0 / 65536.0), (13, -0.674_877_6), (14, -0.344_848_43)] {
        assert_eq!(bench.lanes(number), [float(value); 32]);
    }
    let mut bench = wormhole();
    bench.vectors.set(0, Vector { lanes: [9; 32], unknown: 1 << 4 });
    bench.done(&[config(14, 0, 0)]);
    assert_eq!(bench.unknown(14), 0x1010_1010);
    assert_eq!(bench.refused(config(15, 0, 0)), FaultCategory::UnpredictableValueUsed);
    assert_eq!(bench.refused(config(4, 0, 0)), FaultCategory::UnpredictableValueUsed);
}

#[test]
fn instructions_are_kept_as_templates() {
    let template = two(0x79, 5, [3, 14], 5);
    let mut bench = wormhole();
    bench.done(&[template, config(6, 0x1234, 1), config(8, 0x321, 1)]);
    for (special, value) in [(2, template), (1, 0), (6, 0x1234), (8, 0x321), (10, 0)] {
        bench.done(&[two(0x7C, 0, [special, 4], 8)]);
        assert_eq!(bench.lanes(4), [value; 32], "{special}");
    }
    // They are executed where lanes are configured so, and constants are stored then.
    let mut bench = wormhole().configured(2);
    bench.done(&[template, transfer(STORE, 15, 4, 8), transfer(LOAD, 2, 4, 8)]);
    assert_eq!(bench.lanes(2), each(|lane| 2 * lane));
    bench.done(&[two(0x7C, 0, [2, 4], 8)]);
    assert_eq!(bench.lanes(4), [0; 32]);
}

#[test]
fn rows_of_lanes_are_ordered() {
    for (mode, smaller) in [(4, 0b1001), (5, 0b0001), (6, 0b0010), (7, 0b0100), (8, 0b1000)] {
        let mut bench = wormhole().with(1, |_| SIGN | 5).with(2, |lane| lane);
        bench.done(&[two(0x92, 0, [1, 2], mode)]);
        let is_smaller = |lane: u32| smaller >> (lane / 8) & 1 == 1;
        assert_eq!(bench.lanes(2), each(|lane| if is_smaller(lane) { SIGN | 5 } else { lane }));
        assert_eq!(bench.lanes(1), each(|lane| if is_smaller(lane) { lane } else { SIGN | 5 }));
    }
    // Indices move with the data. A register from 4 on is none of the data.
    let mut bench = wormhole().with(1, |lane| lane).with(6, |_| 9).with(5, |_| 55).configured(4);
    bench.done(&[two(0x92, 0, [1, 6], 1)]);
    assert_eq!(bench.lanes(1), each(|lane| if lane < 9 { 9 } else { lane }));
    assert_eq!(bench.lanes(6), each(|lane| if lane < 9 { 55 } else { 9 }));
    assert_eq!(bench.lanes(5), each(|lane| if lane < 9 { 9 } else { 55 }));
}

#[test]
fn registers_move_down() {
    let bench =
        |chip| (0..5).fold(Bench::new(chip), |bench, n| bench.with(n, |lane| 100 * n + lane));
    let of = |number: u32| each(|lane| 100 * number + lane);
    let rotated = each(|lane| 400 + if lane % 8 == 0 { lane + 7 } else { lane - 1 });
    let shifted = each(|lane| if lane < 24 { lane + 8 } else { 0 });
    for (mode, last) in [(0, [0; 32]), (1, shifted), (2, rotated)] {
        let mut bench = bench(&WORMHOLE_B0);
        bench.done(&[two(0x94, 0, [4, 9], mode)]);
        assert_eq!([0, 1, 2, 3].map(|n| bench.lanes(n)), [of(1), of(2), of(3), last], "{mode}");
    }
    // The first lane of a row gets what another rotation left, or 0.
    for (chip, first) in [(&WORMHOLE_B0, 207), (&BLACKHOLE, 0)] {
        let mut bench = bench(chip);
        bench.done(&[two(0x94, 0, [2, 9], 3), two(0x94, 0, [4, 5], 4)]);
        let lanes = bench.lanes(5);
        assert_eq!((lanes[0], lanes[1], lanes[15]), (first, 400, 414));
    }
    assert_ne!(
        {
            let mut bench = bench(&WORMHOLE_B0);
            bench.done(&[two(0x94, 0, [4, 5], 4)]).unknown(5)
        },
        0
    );
    // The immediate is a distance, and its lowest bits are a register.
    let mut bench = bench(&WORMHOLE_B0);
    bench.done(&[two(0x94, 3, [0, 5], 6), two(0x94, 0u32.wrapping_sub(14), [0, 6], 6)]);
    assert_eq!(bench.lanes(5), each(|lane| (300 + lane) << 3));
    assert_eq!(bench.lanes(6), each(|lane| (200 + lane) >> 14));
}

#[test]
fn conversions_round_by_random_numbers() {
    let seeded = |chip: &'static Table| {
        let mut bench = Bench::new(chip);
        bench.vectors.seed(77);
        bench.done(&[two(0x7C, 0, [9, 6], 8)]);
        let next = bench.lanes(6).map(|random| {
            let taps = (random & 0x8020_0003).count_ones();
            !taps << 31 | random >> 1
        });
        (bench, next)
    };
    let (bench, random) = seeded(&WORMHOLE_B0);
    // 2^24 + 1 has one bit too many, at the top of those that are discarded.
    let mut bench = bench.with(3, |_| SIGN | 0x0100_0001);
    bench.done(&[two(0x90, 0, [3, 4], 1)]);
    let up = |random: u32| u32::from(0x80 > random >> 9 & 0xFE);
    assert_eq!(bench.lanes(4), random.map(|random| 0xCB80_0000 + up(random)));
    let (bench, random) = seeded(&BLACKHOLE);
    let mut bench = bench.with(3, |_| float(1.5) | 0x4321);
    bench.done(&[two(0x8E, 0, [3, 4], 1) | 1 << 21]);
    let up = |random: u32| if 0x4321 >= (random & 0x7F_FFFF) >> 7 { 0x1_0000 } else { 0 };
    assert_eq!(bench.lanes(4), random.map(|random| float(1.5) + up(random)));
    // Before a seed, they are unknown.
    let mut bench = blackhole().with(3, |_| float(1.5));
    bench.done(&[two(0x8E, 0, [3, 4], 1) | 1 << 21, two(0x8E, 0, [3, 5], 1)]);
    assert_eq!((bench.unknown(4), bench.unknown(5)), (ALL, 0));
}

#[test]
fn conversions_have_more_modes() {
    let converted = |bench: Bench, word: u32, datum: u32| {
        let mut bench = bench.with(3, |_| datum).with(2, |_| 32 + 4);
        bench.done(&[word]);
        bench.lanes(4)[31]
    };
    let rounds = |mode: u32| two(0x8E, 2, [3, 4], mode);
    for (mode, datum, result) in [
        (0, 0x3F80_1000, 0x3F80_2000),
        (0, 0x3F80_0FFF, 0x3F80_0000),
        (0, 0xFFC0_0001, 0xFF80_0000),
        (0, SIGN, 0),
        (4, SIGN | 0x108, 0x11),
        (4, SIGN | 0x107, 0x10),
        (4, 0x7FFF_FFFF, 255),
        (5, SIGN | 0x108, SIGN | 0x11),
        (5, SIGN | 7, 0),
        (5, SIGN | 0xFFFF, SIGN | 127),
    ] {
        assert_eq!(converted(wormhole(), rounds(mode), datum), result, "{mode} {datum:#x}");
    }
    // By an immediate, and not by a register.
    let word = two(0x8E, 2, [3, 4], 12) | 3 << 16;
    assert_eq!(converted(wormhole(), word, 0x2C), 6);
    // Toward zero.
    let word = rounds(3) | 2 << 21;
    assert_eq!(converted(blackhole(), word, float(-2.75)), SIGN | 2);
    // The fourth bit of the mode of a float means nothing, and neither does a distance.
    for mode in [6, 14] {
        assert_eq!(converted(wormhole(), rounds(mode), float(2.75)), 3, "{mode}");
    }
    assert_eq!(wormhole().refused(rounds(14) | 3 << 16), FaultCategory::UndefinedBehavior);
    assert_eq!(blackhole().refused(rounds(3) | 3 << 21), FaultCategory::UnsupportedFunctionality);
    let cast = two(0x90, 0, [3, 4], 2);
    assert_eq!(converted(blackhole(), cast, -9i32 as u32), 9);
    assert_eq!(wormhole().refused(cast), FaultCategory::NonContractualBehavior);
}

/// The flags after an instruction.
fn flags_after(mut bench: Bench, word: u32) -> u32 {
    bench.done(&[word]);
    assert_eq!(bench.vectors.flags.unknown, 0);
    bench.vectors.flags.set
}

#[test]
fn flags_are_set_in_more_ways() {
    let bench = || wormhole().with(3, |lane| float(0.5 + lane as f32)).flagged(0xFFF0);
    for (word, set) in [
        // SFPSETCC: to an immediate, and to nothing.
        (two(0x7B, 1, [3, 0], 1), 0xFFF0),
        (two(0x7B, 0, [3, 0], 1), 0),
        (two(0x7B, 1, [3, 0], 8), 0),
        // SFPIADD: the other flags.
        (two(0x79, 1, [3, 3], 13), 0),
        // SFPEXEXP: a biased exponent is never negative; the other flags.
        (two(0x77, 0, [3, 4], 3), 0),
        (two(0x77, 0, [3, 4], 11), 0xFFF0),
        (two(0x77, 0, [3, 4], 8), 0),
        // SFPLZ.
        (two(0x81, 0, [3, 4], 10), 0),
        (two(0x81, 0, [9, 4], 10), 0xFFF0),
        // Constants as results set no flags.
        (two(0x79, 1, [3, 9], 8), 0xFFF0),
    ] {
        assert_eq!(flags_after(bench(), word), set, "{word:#x}");
    }
    // Flags that enable nothing become false.
    let mut bench = bench();
    bench.vectors.flags.used = 0xFF;
    assert_eq!(flags_after(bench, two(0x7B, 1, [3, 0], 1)), 0xF0);
    // SFPENCC.
    for (mode, immediate, set, used) in
        [(1, 0, ALL, 0), (2, 0, ALL, 0), (3, 1, ALL, ALL), (8, 0, 0, ALL), (10, 2, ALL, 0)]
    {
        let mut bench = wormhole().flagged(5);
        bench.done(&[two(0x8A, immediate, [0, 0], mode)]);
        assert_eq!(bench.vectors.flags, Flags { set, unknown: 0, used }, "{mode}");
    }
}

/// The function of a mode of two flags: 0, 1, 2, 3 are the bits of both being false, the first alone, the second alone, both.
const FUNCTIONS: [u32; 12] = [
    0b1100, 0b0011, 0b1000, 0b1110, 0b0010, 0b1011, 0b0100, 0b1101, 0b0001, 0b0111, 0b0110, 0b1001,
];

fn combined(mode: usize, first: u32, second: u32) -> u32 {
    (0..32).fold(0, |mask, lane| {
        let index = (first >> lane & 1) | (second >> lane & 1) << 1;
        mask | (FUNCTIONS[mode - 1] >> index & 1) << lane
    })
}

#[test]
fn the_stack_is_read_and_changed() {
    let (pushed, now) = (0x0F0F_00FF, 0x3333_5555);
    let bench = |chip| {
        let mut bench = Bench::new(chip).flagged(pushed);
        bench.done(&[0x8700_0000]);
        bench.flagged(now)
    };
    for mode in 1..16 {
        let mut read = bench(&WORMHOLE_B0);
        read.done(&[0x8800_0000 | mode]);
        let expected = match mode {
            13 => !now,
            14 => ALL,
            15 => 0,
            mode => combined(mode as usize, now, pushed),
        };
        assert_eq!(read.vectors.flags.set, expected, "{mode}");
        assert_eq!(read.vectors.depth(), 1);
        let mut changed = bench(&BLACKHOLE);
        changed.done(&[0x8700_0000 | mode, 0x8800_0000]);
        let expected = match mode {
            13 => !now,
            14 => ALL,
            15 => 0,
            mode => combined(mode as usize, pushed, now),
        };
        assert_eq!(changed.vectors.flags.set, expected, "{mode}");
    }
    assert_eq!(bench(&WORMHOLE_B0).refused(0x8700_0001), FaultCategory::UnsupportedFunctionality);
    assert_eq!(blackhole().refused(0x8700_0001), FaultCategory::UndefinedBehavior);
    // A full stack.
    for (chip, refused) in [(&WORMHOLE_B0, true), (&BLACKHOLE, false)] {
        let mut full = bench(chip);
        full.done(&[0x8700_0000; 7]);
        assert_eq!(full.execute(0x8800_0001).is_err(), refused);
        assert_eq!(full.refused(0x8700_0000), FaultCategory::UndefinedBehavior);
    }
    // Without flags that are used, no other lanes are enabled.
    let mut unused = wormhole().flagged(now);
    unused.vectors.flags.used = 0xFFFF;
    assert_eq!(flags_after(unused, 0x8B00_0000), !now & 0xFFFF);
}

#[test]
fn comparisons_change_registers_flags_and_the_stack() {
    let bench = || {
        let mut bench = blackhole().with(1, |lane| lane).with(2, |_| 5).flagged(0x00FF_FFFF);
        bench.done(&[0x8700_0000]);
        bench.flagged(0xFFFF)
    };
    let (greater, less_or_equal) = (!0x3F, 0x3F);
    for (opcode, holds) in [(0x97, greater), (0x96, less_or_equal)] {
        let mut compared = bench();
        compared.done(&[two(opcode, 0, [2, 1], 1 | 2 | 8)]);
        let in_lane = |lane: u32| if holds >> lane & 1 == 1 { ALL } else { 0 };
        assert_eq!(compared.lanes(1), each(|lane| if lane < 16 { in_lane(lane) } else { lane }));
        assert_eq!(compared.vectors.flags.set, holds & 0xFFFF);
        compared.done(&[0x8800_0000]);
        assert_eq!(compared.vectors.flags.set, holds & 0x00FF_FFFF);
        let mut compared = bench();
        compared.done(&[two(opcode, 0, [2, 1], 2 | 4), 0x8800_0000]);
        assert_eq!(compared.vectors.flags.set, holds | 0x00FF_FFFF);
    }
}

#[test]
fn tables_have_more_forms() {
    let half =
        |number: f32| (number.to_bits() >> 13 & 0x3FF) | (((number.to_bits() >> 23) - 112) << 10);
    let halves = |high: f32, low: f32| half(high) << 16 | half(low);
    let bench = || {
        let mut bench = wormhole().with(3, |_| float(-3.5)).with(7, |_| 5);
        for number in [0, 1, 2] {
            bench =
                bench.with(number, |_| halves(2.0, 4.0)).with(4 + number, |_| halves(8.0, 16.0));
        }
        bench
    };
    let result = |mode: u32, register: u32| {
        let mut bench = bench();
        bench.done(&[0x9500_0060 | mode]);
        f32::from_bits(bench.lanes(register)[9])
    };
    // The cut is at 3, or at 4.
    assert_eq!((result(2, 6), result(3, 6)), (3.5 * 2.0 + 8.0, 3.5 * 4.0 + 16.0));
    assert_eq!(result(6, 6), -(3.5 * 2.0 + 8.0));
    // Three entries of two halves, whose result goes where LReg[7] says.
    assert_eq!(result(10, 5), 3.5 * 2.0 + 4.0);
    let mut bench = bench().with(2, |_| float(3.0)).with(6, |_| float(0.25));
    bench.done(&[0x9500_0040 | 4]);
    assert_eq!(bench.lanes(4), [float(-10.75); 32]);
    assert_eq!(bench.refused(0x9500_0041), FaultCategory::UnsupportedFunctionality);
    // SFPLUT without the sign: -1 · 3.5 + 0.5, and to the register that LReg[7] names.
    let mut bench = bench.with(3, |_| float(-3.5)).with(2, |_| 0x8010);
    bench.done(&[transfer(0x73, 4, 0, 0)]);
    assert_eq!(bench.lanes(4), [float(-3.0); 32]);
    bench.done(&[transfer(0x73, 4, 12, 0)]);
    assert_eq!(bench.lanes(5), [float(-3.0); 32]);
    // A reciprocal where another register is negative, without a sign.
    let mut bench = blackhole().with(3, |_| float(-2.0)).with(2, |lane| lane.wrapping_sub(9));
    bench.done(&[three(0x99, [2, 3, 4], 1)]);
    let reciprocal = 0x3EFF_0000;
    assert_eq!(bench.lanes(4), each(|lane| if lane < 9 { reciprocal } else { float(-2.0) }));
    assert_eq!(bench.refused(three(0x99, [2, 3, 4], 2)), FaultCategory::UnsupportedFunctionality);
}

#[test]
fn parts_of_floats_come_from_immediates() {
    let mut bench = wormhole().with(3, |_| SIGN | float(5.5)).with(4, |_| 0);
    bench.done(&[two(0x83, 0xABC, [3, 4], 1)]);
    assert_eq!(bench.lanes(4), [0xC0D5_E000; 32]);
    bench.done(&[two(0x82, 0x81, [3, 4], 3)]);
    assert_eq!(bench.lanes(4), [SIGN | float(5.5); 32]);
    // -infinity is no NaN.
    let mut bench = wormhole().with(3, |lane| 0xFF80_0000 + lane);
    bench.done(&[two(0x7D, 0, [3, 4], 1)]);
    assert_eq!(
        bench.lanes(4),
        each(|lane| if lane == 0 { 0x7F80_0000 } else { 0xFF80_0000 + lane })
    );
}

#[test]
fn what_depends_on_unknown_data_is_unknown() {
    let unknown = |lanes: u32| Vector { lanes: [0; 32], unknown: lanes };
    let mut bench = wormhole().with(2, |_| 0);
    bench.vectors.set(1, unknown(0b0110));
    for word in [
        MAD << 24 | 1 << 16 | 2 << 12 | 9 << 8 | 4 << 4,
        two(0x79, 3, [1, 4], 5),
        two(0x7C, 0, [1, 4], 2),
        two(0x81, 0, [1, 4], 0),
        three(0x94, [2, 1, 4], 5),
    ] {
        bench.done(&[0x7100_0000 | 4 << 20, word]);
        assert_eq!(bench.unknown(4), 0b0110, "{word:#x}");
    }
    // One unknown factor is enough; LReg[9] is 0.
    bench.vectors.set(3, Vector::of(float(2.0)));
    for word in [
        0x8600_0000 | 1 << 16 | 3 << 12 | 9 << 8 | 4 << 4,
        0x8600_0000 | 3 << 16 | 1 << 12 | 9 << 8 | 4 << 4,
    ] {
        bench.done(&[0x7100_0000 | 4 << 20, word]);
        assert_eq!(bench.unknown(4), 0b0110, "{word:#x}");
    }
    // A comparison as data, whether it holds or not.
    for (opcode, mut bench) in [(0x96, blackhole()), (0x97, blackhole())] {
        bench.vectors.set(1, Vector { lanes: [7; 32], unknown: 0b0110 });
        bench.vectors.set(2, Vector::of(7));
        bench.done(&[two(opcode, 0, [2, 1], 8)]);
        assert_eq!(bench.unknown(1), 0b0110, "{opcode:#x}");
    }
    // A known zero decides, and a register differs from itself nowhere.
    bench.vectors.set(4, unknown(0b0010));
    bench.done(&[two(0x7E, 0, [2, 4], 0)]);
    assert_eq!(bench.unknown(4), 0);
    bench.done(&[two(0x8D, 0, [1, 1], 0)]);
    assert_eq!(bench.lanes(1), [0; 32]);
    // Both of what is ordered.
    bench.vectors.set(1, unknown(0b1000));
    bench.done(&[two(0x92, 0, [1, 2], 1)]);
    assert_eq!((bench.unknown(1), bench.unknown(2)), (0b1000, 0b1000));
    // Half of a datum, and the other half.
    for [first, second] in [[8, 10], [10, 8]] {
        bench.vectors.set(4, unknown(ALL));
        bench.done(&[0x7100_1234 | 4 << 20 | first << 16]);
        assert_eq!(bench.unknown(4), ALL);
        bench.done(&[0x7100_1234 | 4 << 20 | second << 16]);
        assert_eq!(bench.lanes(4), [0x1234_1234; 32]);
    }
    // The halves of rows of 16 bits.
    bench.vectors.set(4, unknown(ALL));
    bench.done(&[transfer(LOAD, 4, 14, 0)]);
    assert_eq!(bench.unknown(4), ALL);
    bench.done(&[transfer(LOAD, 4, 15, 4)]);
    assert_eq!(bench.unknown(4), 0);
}

#[test]
fn a_transposed_datum_takes_along_that_it_is_unknown() {
    for mut bench in [wormhole(), blackhole()] {
        for number in 0..8 {
            bench.vectors.set(number, Vector::of(number));
        }
        // Column 5 in row 2 of the second register, and in row 3 of the fifth.
        bench.vectors.set(1, Vector { lanes: [1; 32], unknown: 1 << 21 });
        bench.vectors.set(4, Vector { lanes: [4; 32], unknown: 1 << 29 });
        bench.done(&[0x8C00_0000]);
        let unknown: Vec<u32> = (0..8).map(|number| bench.unknown(number)).collect();
        assert_eq!(unknown, [0, 0, 1 << 13, 0, 0, 0, 0, 1 << 5]);
    }
}

#[test]
fn flags_that_the_top_of_the_stack_does_not_use() {
    for mut bench in [wormhole(), blackhole()] {
        bench.vectors.flags = Flags { set: 0xF0, unknown: 0, used: 0 };
        bench.done(&[0x8700_0000]);
        let now = Flags { set: 0x3C, unknown: 0, used: ALL };
        // SFPCOMPC enables no lane. SFPPOPC does not use the flags any more, whatever becomes of them.
        for (word, set, used) in
            [(0x8B00_0000, 0, ALL), (0x8800_0001, 0xF0, 0), (0x8800_0003, 0x30, 0)]
        {
            bench.vectors.flags = now;
            bench.done(&[word]);
            assert_eq!(bench.vectors.flags, Flags { set, unknown: 0, used }, "{word:#x}");
        }
    }
}

#[test]
fn unknown_flags_decide_the_data_of_their_lanes_alone() {
    let mut bench = wormhole().with(2, |_| 7).with(3, |_| 0).flagged(ALL);
    bench.vectors.set(1, Vector { lanes: [ALL; 32], unknown: 0b0110 });
    // If LReg[1] < 0, LReg[2] = 1, else LReg[3] = 1.
    bench.done(&[
        0x8700_0000,
        two(0x7B, 0, [1, 0], 0),
        0x7102_0001 | 2 << 20,
        0x8B00_0000,
        0x7102_0001 | 3 << 20,
    ]);
    assert_eq!((bench.unknown(2), bench.unknown(3)), (0b0110, 0b0110));
    assert_eq!(bench.vectors.register(2).lanes[0], 1);
    assert_eq!(bench.vectors.register(3).lanes[0], 0);
    // They reach Dst where they decide a store.
    bench.done(&[transfer(STORE, 9, 4, 8)]);
    assert_eq!(bench.destination.read_32(8).unknown, 0b01_0100);
    // What enables lanes again does not depend on them.
    bench.done(&[0x8800_0000, 0x7102_0005 | 4 << 20]);
    assert_eq!(bench.unknown(4), 0);
}

#[test]
fn loads_and_stores_carry_what_is_unknown() {
    let mut bench = wormhole();
    bench.destination.write_32(9, Row { data: [3; 16], unknown: 0b1000 });
    bench.done(&[transfer(LOAD, 1, 4, 10)]);
    assert_eq!(bench.unknown(1), 1 << (8 + 1));
    bench.done(&[transfer(LOAD, 1, 4, 8)]);
    assert_eq!(bench.unknown(1), 0);
    bench.vectors.set(1, Vector { lanes: [0; 32], unknown: 1 << 31 });
    bench.done(&[transfer(STORE, 1, 4, 8)]);
    assert_eq!(bench.destination.read_32(11).unknown, 1 << 14);
    // Rows that ZEROACC made undefined, and the rest of a row that a store defines.
    bench.destination.undefine(8, 4);
    bench.done(&[transfer(LOAD, 1, 6, 8)]);
    assert_eq!(bench.unknown(1), ALL);
    bench.done(&[transfer(STORE, 9, 6, 8), transfer(LOAD, 1, 6, 8), transfer(LOAD, 2, 6, 10)]);
    assert_eq!((bench.unknown(1), bench.unknown(2)), (0, ALL));
    bench.destination.undefine(Destination::high_half(13), 1);
    bench.done(&[transfer(LOAD, 1, 4, 12)]);
    assert_eq!(bench.unknown(1), 0xFF00);
}

#[test]
fn instructions_of_all_words_are_executed_or_refused() {
    let mut random = Random::new(91);
    let mut outcomes = [0; 2];
    for chip in [&WORMHOLE_B0, &BLACKHOLE] {
        let mut bench = Bench::new(chip);
        for case in 0..60_000 {
            let opcode = 0x70 + random.between(0, 0x29) as u32;
            let mut bits = random.next() as u32 & 0xFF_FFFF;
            if case % 2 == 0 {
                bits &= random.next() as u32;
            }
            if case % 512 == 0 {
                bench.vectors = Vectors::default();
                bench.counters.destination.value = random.between(0, 1023) as u32;
                for number in 0..8 {
                    let lanes = std::array::from_fn(|_| random.next() as u32);
                    let unknown = if case % 1024 == 0 { 0 } else { random.next() as u32 };
                    bench.vectors.set(number, Vector { lanes, unknown });
                }
            }
            match bench.execute(opcode << 24 | bits) {
                Ok(()) => outcomes[0] += 1,
                Err(refusal) => {
                    assert!(refusal.reason.starts_with("SFP"), "{refusal}");
                    outcomes[1] += 1;
                }
            }
        }
    }
    assert!(outcomes.iter().all(|count| *count > 20_000), "{outcomes:?}");
}
