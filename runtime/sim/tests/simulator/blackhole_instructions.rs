//! Blackhole's instructions beyond RV32IM: Zba, Zbb, Zaamo and Zicsr, against models in the words of
//! their manuals, and what of them nobody wrote.

use hallmark_chip::FaultCategory::*;
use proptest::prelude::*;

use crate::assembler::*;
use crate::blackhole::*;
use crate::support::*;

/// Name, encoding with a1 and a0 as sources and a2 as destination, and what the manual says.
type Operation = (&'static str, u32, fn(u32, u32) -> u32);

fn two(funct7: u32, funct3: u32) -> u32 {
    r(funct7, A1, A0, funct3, A2)
}

fn one(immediate: i32, funct3: u32) -> u32 {
    i(0x13, immediate, A0, funct3, A2)
}

fn count(value: u32, wanted: impl Fn(u32) -> bool) -> u32 {
    (0..32).filter(|bit| wanted(value >> bit & 1)).count() as u32
}

fn by_bytes(value: u32, change: impl Fn(u8) -> u8) -> u32 {
    u32::from_le_bytes(value.to_le_bytes().map(change))
}

fn operations() -> Vec<Operation> {
    vec![
        ("sh1add", two(0x10, 2), |a, b| a.wrapping_mul(2).wrapping_add(b)),
        ("sh2add", two(0x10, 4), |a, b| a.wrapping_mul(4).wrapping_add(b)),
        ("sh3add", two(0x10, 6), |a, b| a.wrapping_mul(8).wrapping_add(b)),
        ("andn", two(0x20, 7), |a, b| a & (u32::MAX - b)),
        ("orn", two(0x20, 6), |a, b| a | (u32::MAX - b)),
        ("xnor", two(0x20, 4), |a, b| (a & b) | (!a & !b)),
        ("min", two(5, 4), |a, b| if (a as i32) < b as i32 { a } else { b }),
        ("minu", two(5, 5), |a, b| if a < b { a } else { b }),
        ("max", two(5, 6), |a, b| if (a as i32) < b as i32 { b } else { a }),
        ("maxu", two(5, 7), |a, b| if a < b { b } else { a }),
        ("rol", two(0x30, 1), |a, b| {
            ((u64::from(a) << 32 | u64::from(a)) << (b % 32) >> 32) as u32
        }),
        ("ror", two(0x30, 5), |a, b| ((u64::from(a) << 32 | u64::from(a)) >> (b % 32)) as u32),
        ("pack", two(4, 4), |a, b| (a % 0x1_0000) | (b % 0x1_0000) << 16),
        ("zext.h", r(4, ZERO, A0, 4, A2), |a, _| a % 0x1_0000),
        ("clz", one(0x600, 1), |a, _| {
            (0..32).rev().take_while(|bit| a >> bit & 1 == 0).count() as u32
        }),
        ("ctz", one(0x601, 1), |a, _| (0..32).take_while(|bit| a >> bit & 1 == 0).count() as u32),
        ("cpop", one(0x602, 1), |a, _| count(a, |bit| bit == 1)),
        ("sext.b", one(0x604, 1), |a, _| if a & 0x80 == 0 { a & 0xFF } else { a | 0xFFFF_FF00 }),
        (
            "sext.h",
            one(0x605, 1),
            |a, _| {
                if a & 0x8000 == 0 { a & 0xFFFF } else { a | 0xFFFF_0000 }
            },
        ),
        ("orc.b", one(0x287, 5), |a, _| by_bytes(a, |byte| if byte == 0 { 0 } else { 0xFF })),
        ("rev8", one(0x698, 5), |a, _| u32::from_be_bytes(a.to_le_bytes())),
        ("brev8", one(0x687, 5), |a, _| by_bytes(a, u8::reverse_bits)),
    ]
}

/// Name, the five bits of its function, and what it leaves in memory.
type Atomic = (&'static str, u32, fn(u32, u32) -> u32);

const ATOMICS: [Atomic; 9] = [
    ("amoadd", 0x00, |old, value| old.wrapping_add(value)),
    ("amoswap", 0x01, |_, value| value),
    ("amoxor", 0x04, |old, value| old ^ value),
    ("amoor", 0x08, |old, value| old | value),
    ("amoand", 0x0C, |old, value| old & value),
    ("amomin", 0x10, |old, value| (old as i32).min(value as i32) as u32),
    ("amomax", 0x14, |old, value| (old as i32).max(value as i32) as u32),
    ("amominu", 0x18, |old, value| old.min(value)),
    ("amomaxu", 0x1C, |old, value| old.max(value)),
];

/// With `aq` and `rl`, which mean nothing.
pub(crate) fn amo(function: u32, rd: u32, rs2: u32, rs1: u32) -> u32 {
    function << 27 | 3 << 25 | rs2 << 20 | rs1 << 15 | 2 << 12 | rd << 7 | 0x2F
}

pub(crate) fn csr(funct3: u32, number: u32, source: u32, rd: u32) -> u32 {
    number << 20 | source << 15 | funct3 << 12 | rd << 7 | 0x73
}

fn operand() -> impl Strategy<Value = u32> {
    prop_oneof![
        prop::sample::select(vec![0, 1, 0x80, 0x8000, 0x7FFF_FFFF, 0x8000_0000, u32::MAX]),
        any::<u32>(),
        (0u32..32, any::<u32>()).prop_map(|(shift, value)| value >> shift),
    ]
}

/// Runs a program that leaves results at 0x4000 and reads that many words.
fn results(program: &Assembler, count: usize) -> Vec<u32> {
    let mut bench = bench(0);
    run(&mut bench, program).unwrap();
    let bytes = bench.read(OWN, 0x4000, count * 4);
    bytes.chunks(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn bit_manipulation_follows_the_manual(a in operand(), b in operand()) {
        let mut program = Assembler::new();
        program.li(A0, a).li(A1, b).li(S0, 0x4000);
        let mut expected = Vec::new();
        for (name, word, model) in operations() {
            program.emit(word).emit(sw(A2, S0, expected.len() as i32 * 4));
            expected.push((name, model(a, b)));
        }
        program.emit(one(0x600 | (b % 32) as i32, 5));
        program.emit(sw(A2, S0, expected.len() as i32 * 4)).halt();
        expected.push(("rori", a.rotate_right(b % 32)));
        let actual = results(&program, expected.len());
        for ((name, expected), actual) in expected.into_iter().zip(actual) {
            prop_assert_eq!(expected, actual, "{} {:#x} {:#x}", name, a, b);
        }
    }

    #[test]
    fn atomics_follow_the_manual(old in operand(), value in operand()) {
        let mut program = Assembler::new();
        program.li(A0, old).li(A1, value).li(S0, 0x4000).li(S1, 0x5000);
        let mut expected = Vec::new();
        for (name, function, model) in ATOMICS {
            program.emit(sw(A0, S1, 0)).emit(amo(function, A2, A1, S1)).emit(lw(A3, S1, 0));
            let offset = expected.len() as i32 * 4;
            program.emit(sw(A2, S0, offset)).emit(sw(A3, S0, offset + 4));
            expected.extend([(name, old), (name, model(old, value))]);
        }
        // Without a destination, and onto its own operand.
        program.emit(amo(0, ZERO, A1, S1)).emit(lw(A3, S1, 0));
        program.emit(sw(A3, S0, expected.len() as i32 * 4));
        expected.push(("amoadd to x0", old.max(value).wrapping_add(value)));
        program.halt();
        let actual = results(&program, expected.len());
        for ((name, expected), actual) in expected.into_iter().zip(actual) {
            prop_assert_eq!(expected, actual, "{} {:#x} {:#x}", name, old, value);
        }
    }
}

#[test]
fn atomics_of_several_cores_add_up() {
    for seed in 0..4 {
        let mut bench = bench(seed);
        bench.write_word(OWN, 0x5000, 0);
        let mut program = Assembler::new();
        program.li(S1, 0x5000).li(A0, 1).li(A1, 100);
        let again = program.place();
        program.emit(amo(0, ZERO, A0, S1)).emit(addi(A1, A1, -1));
        program.bne(A1, ZERO, again).halt();
        for start in [0, 0x6000, 0xA000, 0xE000, 0x1_2000] {
            bench.load(OWN, start, &program.words);
        }
        bench.release(OWN, ALL_CORES);
        bench.settle().unwrap();
        assert_eq!(bench.word(OWN, 0x5000), 500);
    }
}

#[test]
fn an_atomic_wakes_who_waits_for_its_word() {
    let mut bench = bench(0);
    let mut waiter = Assembler::new();
    waiter.li(T0, 0x5000).li(T1, 3);
    let again = waiter.place();
    waiter.emit(FENCE).emit(lw(T2, T0, 0)).bne(T2, T1, again).poke(0x3000, 1).halt();
    let mut writer = Assembler::new();
    writer.wait_for(0x5010, 1).li(S1, 0x5000).li(A0, 3).emit(amo(1, A1, A0, S1)).halt();
    bench.write(OWN, 0x5000, &[0; 32]);
    bench.load(OWN, 0x6000, &waiter.words);
    bench.load(OWN, 0, &writer.words);
    bench.release(OWN, BRISC | TRISC0);
    bench.settle().unwrap();
    assert_eq!(bench.word(OWN, 0x3000), 0);
    bench.write_word(OWN, 0x5010, 1);
    bench.settle().unwrap();
    assert_eq!(bench.word(OWN, 0x3000), 1);
}

#[test]
fn control_registers_are_read_set_and_cleared() {
    let mut program = Assembler::new();
    program.li(S0, 0x4000).li(A0, 0x0F0F_0F0F).li(A1, 0xFF);
    let words = [
        csr(1, 0x7C3, A0, A2), // csrrw: 0
        csr(2, 0x7C3, A1, A2), // csrrs: 0x0F0F0F0F
        csr(3, 0x7C3, A0, A2), // csrrc: 0x0F0F0FFF
        csr(2, 0x7C3, 0, A2),  // csrr: 0xF0
        csr(5, 0x7C4, 21, A2), // csrrwi: 0
        csr(6, 0x7C4, 10, A2), // csrrsi: 21
        csr(7, 0x7C4, 16, A2), // csrrci: 31
        csr(2, 0x7C4, 0, A2),  // csrr: 15
        csr(2, 0x7C0, 0, A2),  // cfg0 after reset
        csr(2, 0x301, 0, A2),  // misa
        csr(6, 0xF14, 0, A2),  // mhartid
        csr(2, 0xC80, 0, A2),  // cycleh
    ];
    for (index, word) in words.into_iter().enumerate() {
        program.emit(word).emit(sw(A2, S0, index as i32 * 4));
    }
    program.halt();
    let expected = [0, 0x0F0F_0F0F, 0x0F0F_0FFF, 0xF0, 0, 21, 31, 15, 0x2_0000, 0x4020_1123, 0, 0];
    assert_eq!(results(&program, expected.len()), expected);
}

#[test]
fn counters_count_ticks_and_instructions() {
    let mut program = Assembler::new();
    program.emit(csr(2, 0xB02, 0, S0)).emit(csr(2, 0xC00, 0, S1));
    program.words.extend(std::iter::repeat_n(addi(ZERO, ZERO, 0), 100));
    program.emit(csr(2, 0xC02, 0, A0)).emit(csr(2, 0xB00, 0, A1));
    program.emit(r(0x20, S0, A0, 0, A0)).emit(r(0x20, S1, A1, 0, A1));
    program.li(S0, 0x4000).emit(sw(A0, S0, 0)).emit(sw(A1, S0, 4)).halt();
    assert_eq!(results(&program, 2), [102, 102]);
}

/// Other words than those of the set are faults, here and, for the extensions, on Wormhole.
#[test]
fn words_of_no_instruction_are_faults() {
    let cases = [
        ("lr.w", 0x02 << 27 | A0 << 15 | 0x202F, UndefinedBehavior),
        ("sc.w", 0x03 << 27 | A0 << 15 | 0x202F, UndefinedBehavior),
        ("amoadd.d", A0 << 15 | 0x302F, UndefinedBehavior),
        ("fadd.s", 0x53, UnsupportedFunctionality),
        ("vadd.vv", 0x57, UnsupportedFunctionality),
        ("flw", 0x2007, UnsupportedFunctionality),
        ("fence.i", 0x100F, UnsupportedFunctionality),
        ("grevi", one(0x681, 5), UnsupportedFunctionality),
        ("bset", r(0x14, A1, A0, 1, A2), UndefinedBehavior),
        ("clmul", two(5, 1), UndefinedBehavior),
        ("mcountinhibit", csr(2, 0x320, 0, A0), UnsupportedFunctionality),
        ("no register", csr(2, 0x7FF, 0, A0), UndefinedBehavior),
        ("mhartid", csr(1, 0xF14, A0, ZERO), UndefinedBehavior),
        ("mret", 0x3020_0073, UnsupportedFunctionality),
    ];
    for (name, word, category) in cases {
        let mut program = Assembler::new();
        program.li(A0, 0x5000).emit(word).halt();
        let fault = fault_of(&mut bench(0), &program);
        assert_eq!(fault.category, category, "{name}: {fault}");
    }
    let extensions = operations().into_iter().map(|(name, word, _)| (name, word));
    let others = [("amoadd", amo(0, A0, A1, S0)), ("csrr", csr(2, 0x7C3, 0, A0))];
    for (name, word) in extensions.chain(others) {
        let mut bench = Bench::new();
        bench.load(tile(18, 18), 0, &[word]);
        bench.release(tile(18, 18), BRISC);
        let fault = bench.fault();
        assert_eq!(fault.category, UndefinedBehavior, "{name}: {fault}");
    }
}

#[test]
fn atomics_stay_in_l1_and_aligned() {
    for address in [0x5002, 0x18_0000, 0xFFB0_0000, 0xFFB2_0200] {
        let mut program = Assembler::new();
        program.li(A0, address).emit(amo(0, A1, A1, A0)).halt();
        let fault = fault_of(&mut bench(0), &program);
        assert_eq!(fault.category, UndefinedBehavior, "{fault}");
    }
}

/// a1 holds what nobody wrote; the last instruction decides by it.
fn decides(words: &[u32]) -> String {
    let mut program = Assembler::new();
    program.li(A0, 0x1_8000).emit(lw(A1, A0, 0)).li(S0, 0x5000);
    program.words.extend(words);
    program.halt();
    let fault = fault_of(&mut bench(0), &program);
    assert_eq!(fault.category, UnpredictableValueUsed, "{fault}");
    assert_eq!(fault.place.unwrap().pc, Some(4 * (program.words.len() as u32 - 2)));
    fault.reason
}

#[test]
fn what_nobody_wrote_decides_no_atomic_address_and_no_control_register() {
    assert!(decides(&[amo(0, A2, A2, A1)]).contains("the address a1 of an atomic"));
    assert!(decides(&[csr(1, 0x7C3, A1, A2)]).contains("a1, written to a control register"));
    assert!(decides(&[csr(3, 0x7C0, A1, ZERO)]).contains("L1 0x18000"));
    // What an atomic found and what it left are as unknown as what they came from.
    let zero = sw(ZERO, S0, 0);
    let branch = |register| b(8, ZERO, register, 0);
    assert!(decides(&[amo(1, A2, ZERO, A0), branch(A2)]).contains("L1 0x18000"));
    assert!(decides(&[zero, amo(0, A2, A1, S0), lw(A3, S0, 0), branch(A3)]).contains("0x18000"));
    assert!(decides(&[two(0x20, 7), r(0, A2, A2, 0, A2), branch(A1)]).contains("0x18000"));
    assert!(decides(&[one(0x601, 1), i(0x13, 0x602, A1, 1, A3), branch(A3)]).contains("0x18000"));
}

#[test]
fn what_atomics_and_bit_manipulation_make_known_is_known() {
    let branch = |register| b(8, ZERO, register, 0);
    let programs: [&[u32]; 6] = [
        // An atomic and with 0, a swap of something known, an or with all ones.
        &[amo(0x0C, ZERO, ZERO, A0), lw(A2, A0, 0), branch(A2)],
        &[amo(1, ZERO, S0, A0), lw(A2, A0, 0), branch(A2)],
        &[addi(A3, ZERO, -1), amo(0x08, ZERO, A3, A0), lw(A2, A0, 0), branch(A2)],
        // What a swap found in memory that was written.
        &[sw(ZERO, S0, 0), amo(1, A2, A1, S0), branch(A2)],
        // One half of a word whose other one is unknown.
        &[
            addi(A3, ZERO, 1),
            sw(A3, S0, 0),
            s(2, A1, S0, 1),
            lw(A2, S0, 0),
            i(0x13, 0x601, A2, 1, A3),
            branch(A3),
        ],
        &[
            sw(ZERO, S0, 0),
            s(0, A1, S0, 1),
            lw(A2, S0, 0),
            i(0x13, 0x698, A2, 5, A2),
            r(4, ZERO, A2, 4, A2),
            branch(A2),
        ],
    ];
    for words in programs {
        let mut program = Assembler::new();
        program.li(A0, 0x1_8000).emit(lw(A1, A0, 0)).li(S0, 0x5000);
        program.words.extend(words);
        program.halt().halt();
        run(&mut bench(0), &program).unwrap_or_else(|error| panic!("{words:x?}: {error}"));
    }
}
