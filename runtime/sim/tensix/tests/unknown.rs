//! Data that nothing wrote: instructions may copy them, and results that depend on them are unknown.

use hallmark_chip::FaultCategory;
use hallmark_tensix::counters::ReadWriteCounters;
use hallmark_tensix::formats::Format;
use hallmark_tensix::matrix::{self, Executed, Settings, WORMHOLE_B0};
use hallmark_tensix::registers::{Bank, Registers, Row};

const MVMUL: u32 = 0x2600_0000;
const ELWMUL: u32 = 0x2700_0000;
const ELWADD: u32 = 0x2800_0000;
const ELWADD_ACCUMULATING: u32 = 0x2820_0000;
const MOVA2D: u32 = 0x1200_2000;
const MOVD2B: u32 = 0x0A00_2000;
const GMPOOL: u32 = 0x3308_0000;
const ZEROACC_ALL: u32 = 0x1018_0000;

const ONE: u32 = 0x3F80_0000;

/// Registers with both banks for the matrix unit, filled with ones, and `Dst` undefined.
fn registers() -> Registers {
    let mut registers = Registers::default();
    for source in [&mut registers.source_a, &mut registers.source_b] {
        source.fill(Bank::First, ONE);
        assert!(source.give_to_matrix_unit(Format::FLOAT16B));
    }
    execute(&mut registers, ZEROACC_ALL);
    registers
}

fn settings() -> Settings {
    Settings {
        source_a: Format::FLOAT16B,
        source_b: Format::FLOAT16B,
        wide: true,
        ..Settings::zero(&WORMHOLE_B0)
    }
}

fn execute(registers: &mut Registers, word: u32) {
    let mut counters = ReadWriteCounters::default();
    let executed = matrix::execute(word, registers, &mut counters, &settings());
    assert_eq!(executed, Some(Ok(Executed::Done)));
}

fn unknown_columns(registers: &Registers, rows: std::ops::Range<u32>) -> Vec<u16> {
    rows.map(|row| registers.destination.read_32(row).unknown).collect()
}

#[test]
fn an_unknown_factor_of_srca_decides_its_column() {
    let mut registers = registers();
    registers.source_a.write_datum(Bank::First, 3, 5, 0, true);
    registers.source_b.write_datum(Bank::First, 6, 3, 0, false);
    execute(&mut registers, MVMUL);
    let column = 1 << 5;
    // Row 6 of `SrcB` multiplies it by a known 0.
    let expected = [column, column, column, column, column, column, 0, column];
    assert_eq!(unknown_columns(&registers, 0..8), expected);
}

#[test]
fn an_unknown_factor_of_srcb_decides_its_row() {
    let mut registers = registers();
    registers.source_b.write_datum(Bank::First, 2, 9, 0, true);
    registers.source_a.write_datum(Bank::First, 9, 4, 0x8000_0000, false);
    execute(&mut registers, MVMUL);
    assert_eq!(unknown_columns(&registers, 0..8), [0, 0, !(1 << 4), 0, 0, 0, 0, 0]);
}

#[test]
fn an_unknown_srcb_makes_all_products_unknown() {
    for word in [MVMUL, ELWMUL, ELWADD] {
        let mut registers = registers();
        for (row, column) in (0..8).flat_map(|row| (0..16).map(move |column| (row, column))) {
            registers.source_b.write_datum(Bank::First, row, column, 0, true);
        }
        execute(&mut registers, word);
        assert_eq!(unknown_columns(&registers, 0..8), [u16::MAX; 8], "{word:#x}");
    }
}

#[test]
fn what_an_unknown_datum_of_dst_is_added_to_is_unknown() {
    for word in [MVMUL, ELWMUL, ELWADD_ACCUMULATING] {
        let mut registers = registers();
        registers.destination.write_32(1, Row { data: [0; 16], unknown: 0x8001 });
        execute(&mut registers, word);
        assert_eq!(unknown_columns(&registers, 0..3), [0, 0x8001, 0], "{word:#x}");
    }
    let mut registers = registers();
    registers.destination.write_32(1, Row { data: [0; 16], unknown: 0x8001 });
    execute(&mut registers, ELWADD);
    assert_eq!(unknown_columns(&registers, 0..3), [0, 0, 0]);
}

#[test]
fn a_known_zero_hides_the_other_factor_and_no_summand() {
    for (word, hidden) in [(ELWMUL, 1 << 7), (ELWADD, 0)] {
        let mut registers = registers();
        for column in [2, 7] {
            registers.source_a.write_datum(Bank::First, 4, column, ONE, true);
        }
        registers.source_b.write_datum(Bank::First, 4, 7, 0, false);
        registers.source_b.write_datum(Bank::First, 5, 1, 0, true);
        registers.source_a.write_datum(Bank::First, 5, 1, 0, true);
        execute(&mut registers, word);
        let both = 1 << 2 | 1 << 7;
        assert_eq!(unknown_columns(&registers, 3..7), [0, both & !hidden, 1 << 1, 0]);
    }
}

#[test]
fn moves_copy_unknown_data() {
    let mut registers = registers();
    registers.source_a.write_datum(Bank::First, 7, 11, ONE, true);
    execute(&mut registers, MOVA2D);
    assert_eq!(registers.destination.read_16(7).unknown, 1 << 11);
    assert_eq!(registers.destination.read_16(6).unknown, 0);
    let mut registers = self::registers();
    registers.destination.write_32(2, Row { data: [0; 16], unknown: 6 });
    execute(&mut registers, MOVD2B);
    assert_eq!(registers.source_b.row(Bank::First, 2).unknown, 6);
}

#[test]
fn the_largest_of_unknown_data_is_unknown() {
    let mut registers = registers();
    registers.source_a.write_datum(Bank::First, 15, 3, 0, true);
    execute(&mut registers, GMPOOL);
    assert_eq!(unknown_columns(&registers, 0..2), [1 << 3, 0]);
    registers.source_b.write_datum(Bank::First, 0, 3, ONE, true);
    let mut counters = ReadWriteCounters::default();
    let refusal =
        matrix::execute(GMPOOL, &mut registers, &mut counters, &settings()).unwrap().unwrap_err();
    assert_eq!(refusal.category, FaultCategory::UnpredictableValueUsed);
}

#[test]
fn instructions_wait_for_the_banks_that_they_read() {
    let mut registers = Registers::default();
    let mut counters = ReadWriteCounters::default();
    let waits = |registers: &mut Registers, counters: &mut ReadWriteCounters, word| {
        matrix::execute(word, registers, counters, &settings()).unwrap()
    };
    let both = Executed::Waits { source_a: true, source_b: true };
    assert_eq!(waits(&mut registers, &mut counters, MVMUL), Ok(both));
    assert!(registers.source_b.give_to_matrix_unit(Format::FLOAT16B));
    let one = Executed::Waits { source_a: true, source_b: false };
    assert_eq!(waits(&mut registers, &mut counters, ELWADD), Ok(one));
    assert_eq!(waits(&mut registers, &mut counters, MOVA2D), Ok(one));
    assert_eq!(counters, ReadWriteCounters::default());
    assert_eq!(waits(&mut registers, &mut counters, MOVD2B), Ok(Executed::Done));
}

#[test]
fn other_opcodes_are_none_of_the_matrix_unit() {
    let mut registers = Registers::default();
    let mut counters = ReadWriteCounters::default();
    assert_eq!(matrix::execute(0x4200_0000, &mut registers, &mut counters, &settings()), None);
}

/// Instructions, and whether each reads SrcA and SrcB.
const READING: [(u32, [bool; 2]); 14] = [
    (MVMUL, [true, true]),
    (ELWMUL, [true, true]),
    (ELWADD, [true, true]),
    (0x3000_0000, [true, true]), // ELWSUB
    (GMPOOL, [true, true]),
    (0x3408_0000, [true, true]), // GAPOOL
    (MOVA2D, [true, false]),
    (0x1300_2000, [false, true]),  // MOVB2D
    (0x0B00_2000, [false, true]),  // MOVB2A
    (0x1600_0000, [false, true]),  // TRNSPSRCB
    (0x0800_2000, [false, false]), // MOVD2A
    (ZEROACC_ALL, [false, false]),
    (0x3700_0000, [false, false]), // SETRWC
    (0x3600_0000, [false, false]), // CLEARDVALID
];

#[test]
fn an_instruction_waits_for_the_sources_that_it_reads_and_no_others() {
    for (word, [source_a, source_b]) in READING {
        assert_eq!(matrix::sources_of(word), [source_a, source_b], "{word:#x}");
        for valid in [[false, false], [true, false], [false, true]] {
            let (mut registers, mut counters) =
                (Registers::default(), ReadWriteCounters::default());
            let Registers { source_a: a, source_b: b, .. } = &mut registers;
            for (source, valid) in [a, b].into_iter().zip(valid) {
                source.fill(Bank::First, ONE);
                assert!(!valid || source.give_to_matrix_unit(Format::FLOAT16B));
            }
            let [has_a, has_b] = valid;
            let waits =
                Executed::Waits { source_a: source_a && !has_a, source_b: source_b && !has_b };
            let executed = matrix::execute(word, &mut registers, &mut counters, &settings());
            let has_to = waits != Executed::Waits { source_a: false, source_b: false };
            assert_eq!(executed == Some(Ok(waits)), has_to, "{word:#x} {valid:?}: {executed:?}");
        }
    }
}
