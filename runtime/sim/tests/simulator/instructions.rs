//! RV32IM against a model that says each operation in the words of the manual.

use proptest::prelude::*;

use crate::assembler::*;
use crate::support::*;

/// Name, funct7, funct3, and what the manual says.
type Operation = (&'static str, u32, u32, fn(u32, u32) -> u32);

fn signed(value: u32) -> i128 {
    i128::from(value as i32)
}

const OPERATIONS: [Operation; 18] = [
    ("add", 0, 0, |a, b| (u64::from(a) + u64::from(b)) as u32),
    ("sub", 0x20, 0, |a, b| (i64::from(a) - i64::from(b)) as u32),
    ("sll", 0, 1, |a, b| (u64::from(a) << (b % 32)) as u32),
    ("slt", 0, 2, |a, b| u32::from(signed(a) < signed(b))),
    ("sltu", 0, 3, |a, b| u32::from(a < b)),
    ("xor", 0, 4, |a, b| (a | b) & !(a & b)),
    ("srl", 0, 5, |a, b| a >> (b % 32)),
    ("sra", 0x20, 5, |a, b| (signed(a) >> (b % 32)) as u32),
    ("or", 0, 6, |a, b| a | b),
    ("and", 0, 7, |a, b| a & b),
    ("mul", 1, 0, |a, b| (signed(a) * signed(b)) as u32),
    ("mulh", 1, 1, |a, b| ((signed(a) * signed(b)) >> 32) as u32),
    ("mulhsu", 1, 2, |a, b| ((signed(a) * i128::from(b)) >> 32) as u32),
    ("mulhu", 1, 3, |a, b| ((u128::from(a) * u128::from(b)) >> 32) as u32),
    ("div", 1, 4, |a, b| if b == 0 { u32::MAX } else { (signed(a) / signed(b)) as u32 }),
    ("divu", 1, 5, |a, b| a.checked_div(b).unwrap_or(u32::MAX)),
    ("rem", 1, 6, |a, b| if b == 0 { a } else { (signed(a) % signed(b)) as u32 }),
    ("remu", 1, 7, |a, b| if b == 0 { a } else { a % b }),
];

/// Name, funct3, and what the manual says.
type Immediate = (&'static str, u32, fn(u32, i32) -> u32);

const IMMEDIATES: [Immediate; 6] = [
    ("addi", 0, |a, b| (signed(a) + i128::from(b)) as u32),
    ("slti", 2, |a, b| u32::from(signed(a) < i128::from(b))),
    ("sltiu", 3, |a, b| u32::from(a < b as u32)),
    ("xori", 4, |a, b| a ^ b as u32),
    ("ori", 6, |a, b| a | b as u32),
    ("andi", 7, |a, b| a & b as u32),
];

fn operand() -> impl Strategy<Value = u32> {
    prop_oneof![
        prop::sample::select(vec![
            0,
            1,
            2,
            31,
            32,
            33,
            0x7FFF_FFFF,
            0x8000_0000,
            u32::MAX - 1,
            u32::MAX
        ]),
        any::<u32>(),
    ]
}

/// Runs a program that leaves results at 0x4000 and reads that many words.
fn results(program: &Assembler, count: usize) -> Vec<u32> {
    let mut bench = Bench::new();
    let at = tile(18, 18);
    bench.load(at, 0, &program.words);
    bench.release(at, BRISC);
    bench.settle().unwrap();
    let bytes = bench.read(at, 0x4000, count * 4);
    bytes.chunks(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn register_operations_follow_the_manual(a in operand(), b in operand(), c in -2048i32..2048) {
        let mut program = Assembler::new();
        program.li(A0, a).li(A1, b).li(S0, 0x4000);
        let mut expected = Vec::new();
        for (name, funct7, funct3, model) in OPERATIONS {
            program.emit(r(funct7, A1, A0, funct3, A2));
            program.emit(sw(A2, S0, expected.len() as i32 * 4));
            expected.push((name, model(a, b)));
        }
        for (name, funct3, model) in IMMEDIATES {
            program.emit(i(0x13, c, A0, funct3, A2));
            program.emit(sw(A2, S0, expected.len() as i32 * 4));
            expected.push((name, model(a, c)));
        }
        let shift = (b % 32) as i32;
        for (name, funct3, high, model) in [
            ("slli", 1, 0, OPERATIONS[2].3),
            ("srli", 5, 0, OPERATIONS[6].3),
            ("srai", 5, 0x400, OPERATIONS[7].3),
        ] {
            program.emit(i(0x13, high | shift, A0, funct3, A2));
            program.emit(sw(A2, S0, expected.len() as i32 * 4));
            expected.push((name, model(a, b)));
        }
        program.halt();
        let actual = results(&program, expected.len());
        for ((name, expected), actual) in expected.into_iter().zip(actual) {
            prop_assert_eq!(expected, actual, "{} {:#x} {:#x} {}", name, a, b, c);
        }
    }

    #[test]
    fn branches_follow_the_manual(a in operand(), b in operand()) {
        let conditions: [(u32, bool); 6] = [
            (0, a == b),
            (1, a != b),
            (4, signed(a) < signed(b)),
            (5, signed(a) >= signed(b)),
            (6, a < b),
            (7, a >= b),
        ];
        let mut program = Assembler::new();
        program.li(A0, a).li(A1, b).li(S0, 0x4000);
        for (index, (funct3, _)) in conditions.into_iter().enumerate() {
            program.emit(addi(A2, ZERO, 1));
            program.emit(crate::assembler::b(8, A1, A0, funct3));
            program.emit(addi(A2, ZERO, 0));
            program.emit(sw(A2, S0, index as i32 * 4));
        }
        program.halt();
        let expected: Vec<u32> = conditions.iter().map(|&(_, taken)| taken.into()).collect();
        prop_assert_eq!(results(&program, 6), expected);
    }

    #[test]
    fn loads_extend_and_stores_cut(value in any::<u32>(), stored in any::<u32>()) {
        let mut program = Assembler::new();
        program.li(A0, value).li(A1, stored).li(S0, 0x4000).li(S1, 0x5000);
        let mut expected = Vec::new();
        let mut save = |program: &mut Assembler, value: u32| {
            program.emit(sw(A2, S0, expected.len() as i32 * 4));
            expected.push(value);
        };
        program.emit(sw(A0, S1, 0));
        for offset in 0..4 {
            let byte = value >> (8 * offset) & 0xFF;
            program.emit(i(0x03, offset, S1, 0, A2));
            save(&mut program, byte as u8 as i8 as u32);
            program.emit(i(0x03, offset, S1, 4, A2));
            save(&mut program, byte);
        }
        for offset in [0, 2] {
            let half = value >> (8 * offset) & 0xFFFF;
            program.emit(i(0x03, offset, S1, 1, A2));
            save(&mut program, half as u16 as i16 as u32);
            program.emit(i(0x03, offset, S1, 5, A2));
            save(&mut program, half);
        }
        program.emit(s(1, A1, S1, 0)).emit(s(2, A1, S1, 1)).emit(lw(A2, S1, 0));
        save(&mut program, value & 0xFF | (stored & 0xFF) << 8 | stored << 16);
        program.halt();
        prop_assert_eq!(results(&program, expected.len()), expected);
    }
}

#[test]
fn jumps_link_and_land() {
    let mut program = Assembler::new();
    program.li(S0, 0x4000);
    // jal over one instruction
    program.emit(j(8, RA)).emit(addi(S0, ZERO, 0)).emit(sw(RA, S0, 0));
    // auipc, then jalr with the lowest bit set, which is dropped
    program.emit(A0 << 7 | 0x17).emit(sw(A0, S0, 4));
    program.emit(i(0x67, 17, A0, 0, RA)).emit(addi(S0, ZERO, 0)).emit(sw(RA, S0, 8));
    // lui, and x0 stays 0
    program.emit(0xABCD_E000 | A1 << 7 | 0x37).emit(sw(A1, S0, 12));
    program.emit(addi(ZERO, ZERO, 5)).emit(sw(ZERO, S0, 16));
    program.emit(FENCE).halt();
    assert_eq!(results(&program, 5), [12, 20, 32, 0xABCD_E000, 0]);
}

#[test]
fn code_that_a_core_writes_is_executed_once_its_cache_is_emptied() {
    let mut program = Assembler::new();
    program.li(S0, 0x4000).li(A0, addi(A2, ZERO, 2));
    let patched = program.place() + 4 * 4;
    // Executed once as `li a2, 1`, then replaced and executed again.
    program.li(S1, 0).emit(addi(S1, ZERO, patched));
    assert_eq!(program.place(), patched - 4);
    program.emit(addi(ZERO, ZERO, 0));
    program.emit(addi(A2, ZERO, 1));
    program.emit(sw(A2, S0, 0)).emit(sw(A0, S1, 0)).emit(addi(S0, S0, 4));
    // RISCV_IC_INVALIDATE.
    program.poke(0xFFEF_0000 + 157 * 4, 1);
    program.li(A3, 0x4008).bne(S0, A3, patched).halt();
    assert_eq!(results(&program, 2), [1, 2]);
}

#[test]
fn each_core_has_a_private_memory_of_its_size() {
    let mut bench = Bench::new();
    let at = tile(20, 22);
    let starts = [0, 0x6000, 0xA000, 0xE000, 0x1_2000];
    for (index, start) in starts.into_iter().enumerate() {
        let last = if matches!(index, 0 | 4) { 0xFFB0_0FFC } else { 0xFFB0_07FC };
        let mut program = Assembler::new();
        program.poke(last, 100 + index as u32).save(last, 0x4000 + index as u32 * 4).halt();
        bench.load(at, start, &program.words);
    }
    bench.release(at, ALL_CORES);
    bench.settle().unwrap();
    for index in 0..5 {
        assert_eq!(bench.word(at, 0x4000 + index * 4), 100 + index as u32);
    }
}
