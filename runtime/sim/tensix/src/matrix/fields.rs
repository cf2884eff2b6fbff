//! The fields of an instruction.

use super::table::Field;
use crate::Refusal;

/// An instruction's word, and the bits of it that fields cover.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fields {
    word: u32,
    covered: u32,
}

impl Fields {
    /// The opcode is covered.
    pub(super) fn of(word: u32) -> Self {
        Self { word, covered: 0xFF00_0000 }
    }

    /// The instruction's word.
    pub(super) fn word(&self) -> u32 {
        self.word
    }

    /// `bits` bits from bit `low` on.
    pub(super) fn take(&mut self, low: u32, bits: u32) -> u32 {
        let mask = (1 << bits) - 1;
        self.covered |= mask << low;
        self.word >> low & mask
    }

    /// A bit.
    pub(super) fn flag(&mut self, bit: u32) -> bool {
        self.take(bit, 1) == 1
    }

    /// A field whose place depends on the chip.
    pub(super) fn field(&mut self, field: Field) -> u32 {
        self.take(field.low, field.bits)
    }

    /// Refuses bits that no field covers.
    pub(super) fn end(&self) -> Result<(), Refusal> {
        match self.word & !self.covered {
            0 => Ok(()),
            bits => Err(Refusal::undefined(
                self.word,
                format!("it has no field at bits {bits:#x}, which must be 0"),
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use hallmark_chip::FaultCategory;

    use super::*;

    #[test]
    fn bits_without_a_field_are_refused() {
        let mut fields = Fields::of(0x2600_8005);
        assert_eq!(fields.take(0, 10), 5);
        let refusal = fields.end().unwrap_err();
        assert_eq!(refusal.category, FaultCategory::UndefinedBehavior);
        assert!(refusal.reason.contains("0x8000"), "{refusal}");
        assert_eq!(fields.field(Field { low: 15, bits: 2 }), 1);
        assert_eq!(fields.end(), Ok(()));
    }
}
