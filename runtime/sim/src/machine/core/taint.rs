//! What of a core's registers comes from memory that nobody wrote, bit by bit.
//!
//! Exact where compilers rely on it, so that correct code never trips: masks, shifts, comparisons that
//! come out the same whatever the unknown bits are, additions whose carries stay away from them.
//! Products and quotients are unknown as a whole above their lowest unknown bit, or altogether.

use super::decode;
use super::pointers::Base;
use crate::machine::defects::{Defect, planted};
use crate::machine::memory::Source;

/// Registers of which something is unknown, or that hold what was computed from pointers that are followed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Unknown {
    /// By bit. The execution loop keeps it; what follows means nothing for other registers.
    pub(crate) registers: u64,
    bits: Vec<(u32, Option<Source>, Option<Base>)>,
}

impl Unknown {
    /// The unknown bits of a register.
    pub(crate) fn bits(&self, register: usize) -> u32 {
        if self.registers >> register & 1 == 0 {
            return 0;
        }
        self.bits.get(register).map_or(0, |&(bits, ..)| bits)
    }

    /// Where they come from.
    pub(crate) fn source(&self, register: usize) -> Option<Source> {
        if self.bits(register) == 0 {
            return None;
        }
        self.bits.get(register).and_then(|&(_, source, _)| source)
    }

    pub(crate) fn set(&mut self, register: usize, bits: u32, source: Option<Source>) {
        if bits == 0 || register == decode::SINK as usize {
            self.registers &= !(1 << register);
            return;
        }
        self.registers |= 1 << register;
        if let Some(slot) = self.slot(register) {
            *slot = (bits, source, None);
        }
    }

    fn slot(&mut self, register: usize) -> Option<&mut (u32, Option<Source>, Option<Base>)> {
        if self.bits.is_empty() {
            self.bits = vec![(0, None, None); 64];
        }
        self.bits.get_mut(register)
    }

    /// The pointers that a register's value was computed from.
    pub(crate) fn base(&self, register: usize) -> Option<Base> {
        if self.registers >> register & 1 == 0 {
            return None;
        }
        self.bits.get(register).and_then(|&(.., base)| base)
    }

    /// Says what a register's value was computed from, after [`Self::set`].
    pub(crate) fn set_base(&mut self, register: usize, base: Option<Base>) {
        let is_listed = self.registers >> register & 1 == 1;
        if register == decode::SINK as usize || !is_listed && base.is_none() {
            return;
        }
        self.registers |= 1 << register;
        if let Some(slot) = self.slot(register) {
            let (bits, source, _) = if is_listed { *slot } else { (0, None, None) };
            *slot = (bits, source, base);
        }
    }

    /// Pointers are followed no more.
    pub(crate) fn forget_bases(&mut self) {
        for (register, (bits, _, base)) in self.bits.iter_mut().enumerate() {
            *base = None;
            if *bits == 0 {
                self.registers &= !(1 << register);
            }
        }
    }
}

/// An operand, whose unknown bits have any value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operand {
    pub(crate) value: u32,
    pub(crate) unknown: u32,
}

impl Operand {
    pub(crate) const fn known(value: u32) -> Self {
        Self { value, unknown: 0 }
    }

    const fn least(self) -> u32 {
        self.value & !self.unknown
    }

    const fn most(self) -> u32 {
        self.value | self.unknown
    }

    /// The same value the other way round.
    const fn inverted(self) -> Self {
        Self { value: !self.value, unknown: self.unknown }
    }

    const fn shifted_left(self, bits: u32) -> Self {
        Self { value: self.value << bits, unknown: self.unknown << bits }
    }

    const fn is_zero(self) -> bool {
        self.value | self.unknown == 0
    }

    /// Of each byte all bits, if it is unknown whether it is zero.
    fn unknown_bytes(self) -> u32 {
        let (known, unknown) = (self.least().to_le_bytes(), self.unknown.to_le_bytes());
        let mut bytes = [0; 4];
        for ((byte, known), unknown) in bytes.iter_mut().zip(known).zip(unknown) {
            *byte = if known == 0 && unknown != 0 { 0xFF } else { 0 };
        }
        u32::from_le_bytes(bytes)
    }

    /// The same order unsigned as the operand has signed.
    const fn signed(self) -> Self {
        Self { value: self.value ^ 1 << 31, unknown: self.unknown }
    }

    /// Whether this is less than the other, if that is certain.
    const fn less(self, other: Self) -> Option<bool> {
        if self.most() < other.least() {
            Some(true)
        } else if self.least() >= other.most() {
            Some(false)
        } else {
            None
        }
    }
}

/// Whether the outcome of a branch depends on unknown bits; `same` if it compares a register with
/// itself.
pub(crate) fn decides(operation: u8, a: Operand, b: Operand, same: bool) -> bool {
    if same {
        return false;
    }
    let unknown = a.unknown | b.unknown;
    match operation {
        decode::BEQ | decode::BNE => unknown != 0 && (a.value ^ b.value) & !unknown == 0,
        decode::BLT | decode::BGE => a.signed().less(b.signed()).is_none(),
        _ => a.less(b).is_none(),
    }
}

const fn sum(a: Operand, b: Operand) -> u32 {
    let least = a.least().wrapping_add(b.least());
    a.unknown | b.unknown | least ^ a.most().wrapping_add(b.most())
}

const fn conjunction(a: Operand, b: Operand) -> u32 {
    (a.unknown | b.unknown) & a.most() & b.most()
}

/// `less`: whether the first is chosen, if that is certain.
fn smaller(a: Operand, b: Operand, less: Option<bool>) -> u32 {
    match less {
        Some(true) => a.unknown,
        Some(false) => b.unknown,
        None => a.unknown | b.unknown | a.value ^ b.value,
    }
}

/// The bits in which some of these differ.
fn differing(mut values: impl Iterator<Item = u32>) -> u32 {
    let Some(first) = values.next() else { return 0 };
    values.fold(0, |bits, value| bits | value ^ first)
}

fn leading_zeros(operand: Operand) -> u32 {
    let possible = (0..=32u32).filter(|&zeros| {
        let above = u32::MAX.checked_shl(32 - zeros).unwrap_or(0);
        let bit = 0x8000_0000u32.checked_shr(zeros);
        operand.least() & above == 0 && bit.is_none_or(|bit| operand.most() & bit != 0)
    });
    differing(possible)
}

/// What an atomic leaves in memory, and the unknown bits of that.
pub(crate) fn atomic(operation: u8, old: Operand, operand: Operand) -> (u32, u32) {
    let (a, b) = (old.value, operand.value);
    let of = |operation| result(operation, old, operand, false);
    match operation {
        decode::AMOADD => (a.wrapping_add(b), of(decode::ADD)),
        decode::AMOXOR => (a ^ b, of(decode::XOR)),
        decode::AMOAND => (a & b, of(decode::AND)),
        decode::AMOOR => (a | b, of(decode::OR)),
        decode::AMOMIN => ((a as i32).min(b as i32) as u32, of(decode::MIN)),
        decode::AMOMAX => ((a as i32).max(b as i32) as u32, of(decode::MAX)),
        decode::AMOMINU => (a.min(b), of(decode::MINU)),
        decode::AMOMAXU => (a.max(b), of(decode::MAXU)),
        _ => (b, operand.unknown),
    }
}

/// The unknown bits of what an instruction computes of two operands, the second being its immediate if
/// it has one; `same` if both are the same register.
pub(crate) fn result(operation: u8, a: Operand, b: Operand, same: bool) -> u32 {
    let unknown = a.unknown | b.unknown;
    if unknown == 0 {
        return 0;
    }
    match operation {
        decode::ADD | decode::ADDI => sum(a, b),
        decode::SH1ADD => sum(a.shifted_left(1), b),
        decode::SH2ADD => sum(a.shifted_left(2), b),
        decode::SH3ADD => sum(a.shifted_left(3), b),
        decode::SUB | decode::XOR | decode::SLT | decode::SLTU if same => 0,
        decode::ANDN | decode::ORN | decode::XNOR if same => 0,
        decode::MIN | decode::MINU | decode::MAX | decode::MAXU if same => a.unknown,
        decode::SUB => {
            let least = a.least().wrapping_sub(b.most());
            unknown | least ^ a.most().wrapping_sub(b.least())
        }
        decode::XOR | decode::XORI | decode::XNOR => unknown,
        decode::AND | decode::ANDI => conjunction(a, b),
        decode::ANDN => conjunction(a, b.inverted()),
        decode::OR | decode::ORI => conjunction(a.inverted(), b.inverted()),
        decode::ORN => conjunction(a.inverted(), b),
        decode::MIN => smaller(a, b, a.signed().less(b.signed())),
        decode::MAX => smaller(a, b, a.signed().less(b.signed()).map(|less| !less)),
        decode::MINU => smaller(a, b, a.less(b)),
        decode::MAXU => smaller(a, b, a.less(b).map(|less| !less)),
        decode::SLT | decode::SLTI => u32::from(a.signed().less(b.signed()).is_none()),
        decode::SLTU | decode::SLTIU => u32::from(a.less(b).is_none()),
        decode::SLL | decode::SLLI | decode::SRL | decode::SRLI | decode::SRA | decode::SRAI => {
            if b.unknown & 31 != 0 {
                return if a.is_zero() { 0 } else { u32::MAX };
            }
            match operation {
                decode::SLL | decode::SLLI => a.unknown.wrapping_shl(b.value),
                decode::SRL | decode::SRLI => a.unknown.wrapping_shr(b.value),
                _ if planted(Defect::SraForgetsPoison) => a.unknown.wrapping_shr(b.value),
                _ => (a.unknown as i32).wrapping_shr(b.value) as u32,
            }
        }
        decode::ROL | decode::ROR | decode::RORI if b.unknown & 31 != 0 => {
            let all_alike = a.unknown == 0 && (a.value == 0 || a.value == u32::MAX);
            if all_alike { 0 } else { u32::MAX }
        }
        decode::ROL => a.unknown.rotate_left(b.value & 31),
        decode::ROR | decode::RORI => a.unknown.rotate_right(b.value & 31),
        decode::PACK => a.unknown & 0xFFFF | b.unknown << 16,
        decode::CLZ => leading_zeros(a),
        decode::CTZ => leading_zeros(Operand {
            value: a.value.reverse_bits(),
            unknown: a.unknown.reverse_bits(),
        }),
        decode::CPOP => differing(a.least().count_ones()..=a.most().count_ones()),
        decode::SEXT_B => a.unknown as i8 as i32 as u32,
        decode::SEXT_H => a.unknown as i16 as i32 as u32,
        decode::ORC_B => a.unknown_bytes(),
        decode::REV8 => a.unknown.swap_bytes(),
        decode::BREV8 => a.unknown.reverse_bits().swap_bytes(),
        decode::MUL | decode::MULH | decode::MULHSU | decode::MULHU
            if a.is_zero() || b.is_zero() =>
        {
            0
        }
        decode::MUL => u32::MAX.wrapping_shl(unknown.trailing_zeros()),
        decode::MULH
        | decode::MULHSU
        | decode::MULHU
        | decode::DIV
        | decode::DIVU
        | decode::REM
        | decode::REMU => u32::MAX,
        // What is left computes nothing of registers.
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Over all values of up to eight unknown bits, spread over the word.
    fn values(operand: Operand) -> Vec<u32> {
        let bits: Vec<u32> = (0..32).filter(|bit| operand.unknown >> bit & 1 == 1).collect();
        (0..1u32 << bits.len())
            .map(|choice| {
                bits.iter().enumerate().fold(operand.least(), |value, (index, bit)| {
                    value | (choice >> index & 1) << bit
                })
            })
            .collect()
    }

    /// What the manual says of every operation that works on registers.
    fn compute(operation: u8, a: u32, b: u32) -> u32 {
        let signed = |value: u32| i64::from(value as i32);
        match operation {
            decode::ADD | decode::ADDI => a.wrapping_add(b),
            decode::SUB => a.wrapping_sub(b),
            decode::XOR | decode::XORI => a ^ b,
            decode::AND | decode::ANDI => a & b,
            decode::OR | decode::ORI => a | b,
            decode::SLT | decode::SLTI => u32::from(signed(a) < signed(b)),
            decode::SLTU | decode::SLTIU => u32::from(a < b),
            decode::SLL | decode::SLLI => a.wrapping_shl(b),
            decode::SRL | decode::SRLI => a.wrapping_shr(b),
            decode::SRA | decode::SRAI => (a as i32).wrapping_shr(b) as u32,
            decode::MUL => a.wrapping_mul(b),
            decode::MULH => ((signed(a) * signed(b)) >> 32) as u32,
            decode::MULHSU => ((signed(a) * i64::from(b)) >> 32) as u32,
            decode::MULHU => ((u64::from(a) * u64::from(b)) >> 32) as u32,
            decode::DIV if b == 0 => u32::MAX,
            decode::DIV => (signed(a) / signed(b)) as u32,
            decode::DIVU => a.checked_div(b).unwrap_or(u32::MAX),
            decode::REM if b == 0 => a,
            decode::REM => (signed(a) % signed(b)) as u32,
            decode::REMU => a.checked_rem(b).unwrap_or(a),
            decode::SH1ADD => a.wrapping_mul(2).wrapping_add(b),
            decode::SH2ADD => a.wrapping_mul(4).wrapping_add(b),
            decode::SH3ADD => a.wrapping_mul(8).wrapping_add(b),
            decode::ANDN => a & !b,
            decode::ORN => a | !b,
            decode::XNOR => !(a ^ b),
            decode::MIN => (a as i32).min(b as i32) as u32,
            decode::MINU => a.min(b),
            decode::MAX => (a as i32).max(b as i32) as u32,
            decode::MAXU => a.max(b),
            decode::ROL => a.rotate_left(b % 32),
            decode::ROR | decode::RORI => a.rotate_right(b % 32),
            decode::PACK => a % 0x1_0000 + b.wrapping_mul(0x1_0000),
            decode::CLZ => (0..32).rev().take_while(|bit| a >> bit & 1 == 0).count() as u32,
            decode::CTZ => (0..32).take_while(|bit| a >> bit & 1 == 0).count() as u32,
            decode::CPOP => (0..32).filter(|bit| a >> bit & 1 == 1).count() as u32,
            decode::SEXT_B => a as i8 as i32 as u32,
            decode::SEXT_H => a as i16 as i32 as u32,
            decode::ORC_B => (0..4).fold(0, |word, byte| {
                word | if a >> (8 * byte) & 0xFF == 0 { 0 } else { 0xFF << (8 * byte) }
            }),
            decode::REV8 => u32::from_be_bytes(a.to_le_bytes()),
            decode::BREV8 => u32::from_le_bytes(a.to_le_bytes().map(u8::reverse_bits)),
            other => panic!("operation {other} works on registers and is not modelled here"),
        }
    }

    /// Every bit that some choice of the unknown bits changes must be unknown; and for what compilers
    /// rely on, no other may be.
    #[test]
    fn unknown_bits_are_those_that_can_differ() {
        use decode::*;
        const INEXACT: [u8; 20] = [
            ADD, ADDI, SUB, SLT, SLTI, MUL, MULH, MULHSU, MULHU, DIV, DIVU, REM, REMU, SH1ADD,
            SH2ADD, SH3ADD, MIN, MINU, MAX, MAXU,
        ];
        // Their immediates are known.
        let one = FIRST_OF_ONE..=LAST_OF_ONE;
        let operations: Vec<u8> = one.clone().chain(FIRST_OF_TWO..=LAST_OF_TWO).collect();
        let mut state = 0x9E37_79B9_u32;
        let mut random = || {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            state
        };
        for round in 0..600 {
            let mut operand = || {
                let bits = random() % 4;
                let spread = (0..bits).fold(0, |mask, _| mask | 1u32 << (random() % 32));
                let value = if random() % 3 == 0 { random() % 40 } else { random() };
                Operand { value, unknown: spread }
            };
            let (a, b) = (operand(), operand());
            for &operation in &operations {
                let b = if one.contains(&operation) { Operand::known(b.value) } else { b };
                let mut differ = 0;
                let first = compute(operation, a.least(), b.least());
                for a in values(a) {
                    for b in values(b) {
                        differ |= compute(operation, a, b) ^ first;
                    }
                }
                let unknown = result(operation, a, b, false);
                assert_eq!(differ & !unknown, 0, "{round}: {operation} of {a:x?} and {b:x?}");
                let shift = matches!(operation, SLL | SRL | SRA | ROL | ROR);
                let inexact = INEXACT.contains(&operation) || shift && b.unknown & 31 != 0;
                if !inexact {
                    assert_eq!(differ, unknown, "{round}: {operation} of {a:x?} and {b:x?}");
                }
            }
            let equal = values(a).iter().any(|a| values(b).contains(a));
            let unequal = values(a).iter().any(|a| values(b).iter().any(|b| a != b));
            assert_eq!(decides(BEQ, a, b, false), equal && unequal, "{a:x?} {b:x?}");
        }
    }

    #[test]
    fn a_register_against_itself_is_known() {
        let all = Operand { value: 5, unknown: u32::MAX };
        for operation in [
            decode::XOR,
            decode::SUB,
            decode::SLT,
            decode::SLTU,
            decode::ANDN,
            decode::ORN,
            decode::XNOR,
        ] {
            assert_eq!(result(operation, all, all, true), 0);
        }
        let some = Operand { value: 5, unknown: 6 };
        assert_eq!(result(decode::MINU, some, some, true), 6);
        assert!(!decides(decode::BEQ, all, all, true));
    }
}
