//! What of a core's registers comes from memory that nobody wrote, bit by bit.
//!
//! Exact where compilers rely on it, so that correct code never trips: masks, shifts, comparisons that
//! come out the same whatever the unknown bits are, additions whose carries stay away from them.
//! Products and quotients are unknown as a whole above their lowest unknown bit, or altogether.

use super::decode;
use crate::memory::Source;

/// Registers of which something is unknown.
#[derive(Debug, Default)]
pub(crate) struct Unknown {
    /// By bit. The execution loop keeps it; what follows means nothing for other registers.
    pub(crate) registers: u64,
    bits: Vec<(u32, Option<Source>)>,
}

impl Unknown {
    /// The unknown bits of a register.
    pub(crate) fn bits(&self, register: usize) -> u32 {
        if self.registers >> register & 1 == 0 {
            return 0;
        }
        self.bits.get(register).map_or(0, |&(bits, _)| bits)
    }

    /// Where they come from.
    pub(crate) fn source(&self, register: usize) -> Option<Source> {
        if self.bits(register) == 0 {
            return None;
        }
        self.bits.get(register).and_then(|&(_, source)| source)
    }

    pub(crate) fn set(&mut self, register: usize, bits: u32, source: Option<Source>) {
        if bits == 0 || register == decode::SINK as usize {
            self.registers &= !(1 << register);
            return;
        }
        self.registers |= 1 << register;
        if self.bits.is_empty() {
            self.bits = vec![(0, None); 64];
        }
        if let Some(slot) = self.bits.get_mut(register) {
            *slot = (bits, source);
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

    const fn is_zero(self) -> bool {
        self.value | self.unknown == 0
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

/// The unknown bits of what an instruction computes of two operands, the second being its immediate if
/// it has one; `same` if both are the same register.
pub(crate) fn result(operation: u8, a: Operand, b: Operand, same: bool) -> u32 {
    let unknown = a.unknown | b.unknown;
    if unknown == 0 {
        return 0;
    }
    match operation {
        decode::ADD | decode::ADDI => {
            let least = a.least().wrapping_add(b.least());
            unknown | least ^ a.most().wrapping_add(b.most())
        }
        decode::SUB | decode::XOR | decode::SLT | decode::SLTU if same => 0,
        decode::SUB => {
            let least = a.least().wrapping_sub(b.most());
            unknown | least ^ a.most().wrapping_sub(b.least())
        }
        decode::XOR | decode::XORI => unknown,
        decode::AND | decode::ANDI => unknown & a.most() & b.most(),
        decode::OR | decode::ORI => unknown & !((a.value & !a.unknown) | (b.value & !b.unknown)),
        decode::SLT | decode::SLTI => u32::from(a.signed().less(b.signed()).is_none()),
        decode::SLTU | decode::SLTIU => u32::from(a.less(b).is_none()),
        decode::SLL | decode::SLLI | decode::SRL | decode::SRLI | decode::SRA | decode::SRAI => {
            if b.unknown & 31 != 0 {
                return if a.is_zero() { 0 } else { u32::MAX };
            }
            match operation {
                decode::SLL | decode::SLLI => a.unknown.wrapping_shl(b.value),
                decode::SRL | decode::SRLI => a.unknown.wrapping_shr(b.value),
                _ => (a.unknown as i32).wrapping_shr(b.value) as u32,
            }
        }
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

    fn compute(operation: u8, a: u32, b: u32) -> u32 {
        match operation {
            decode::ADD => a.wrapping_add(b),
            decode::SUB => a.wrapping_sub(b),
            decode::XOR => a ^ b,
            decode::AND => a & b,
            decode::OR => a | b,
            decode::SLT => u32::from((a as i32) < b as i32),
            decode::SLTU => u32::from(a < b),
            decode::SLL => a.wrapping_shl(b),
            decode::SRL => a.wrapping_shr(b),
            decode::SRA => (a as i32).wrapping_shr(b) as u32,
            decode::MUL => a.wrapping_mul(b),
            decode::MULHU => ((u64::from(a) * u64::from(b)) >> 32) as u32,
            decode::DIVU => a.checked_div(b).unwrap_or(u32::MAX),
            decode::REMU => a.checked_rem(b).unwrap_or(a),
            _ => unreachable!("operations of this test"),
        }
    }

    /// Every bit that some choice of the unknown bits changes must be unknown; and for what compilers
    /// rely on, no other may be.
    #[test]
    fn unknown_bits_are_those_that_can_differ() {
        use decode::*;
        const OPERATIONS: [u8; 14] =
            [ADD, SUB, XOR, AND, OR, SLT, SLTU, SLL, SRL, SRA, MUL, MULHU, DIVU, REMU];
        const EXACT: [u8; 7] = [XOR, AND, OR, SLL, SRL, SRA, SLTU];
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
            for operation in OPERATIONS {
                let mut differ = 0;
                let first = compute(operation, a.least(), b.least());
                for a in values(a) {
                    for b in values(b) {
                        differ |= compute(operation, a, b) ^ first;
                    }
                }
                let unknown = result(operation, a, b, false);
                assert_eq!(differ & !unknown, 0, "{round}: {operation} of {a:x?} and {b:x?}");
                let shift = matches!(operation, SLL | SRL | SRA);
                if EXACT.contains(&operation) && !(shift && b.unknown & 31 != 0) {
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
        for operation in [decode::XOR, decode::SUB, decode::SLT, decode::SLTU] {
            assert_eq!(result(operation, all, all, true), 0);
        }
        assert!(!decides(decode::BEQ, all, all, true));
    }
}
