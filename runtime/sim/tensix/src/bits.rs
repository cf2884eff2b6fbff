//! Fields of words.

/// `width` bits of a word from bit `low` on.
pub(crate) const fn bits(word: u32, low: u32, width: u32) -> u32 {
    let mask = if width >= 32 { u32::MAX } else { (1 << width) - 1 };
    match word.checked_shr(low) {
        Some(shifted) => shifted & mask,
        None => 0,
    }
}

/// A bit of a word.
pub(crate) const fn bit(word: u32, number: u32) -> bool {
    bits(word, number, 1) == 1
}

/// A field of a configuration word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Field {
    pub(crate) word: u16,
    low: u8,
    width: u8,
}

impl Field {
    /// `width` bits from bit `low` on of word `word`.
    pub(crate) const fn new(word: u16, low: u8, width: u8) -> Self {
        Self { word, low, width }
    }

    /// Its value in the word that holds it.
    pub(crate) const fn of(self, word: u32) -> u32 {
        bits(word, self.low as u32, self.width as u32)
    }

    /// Its bits in the word that holds it.
    pub(crate) const fn mask(self) -> u32 {
        bits(u32::MAX, 0, self.width as u32) << self.low
    }

    /// A word with another value of the field.
    #[cfg(test)]
    pub(crate) const fn set(self, word: u32, value: u32) -> u32 {
        let mask = self.mask();
        word & !mask | value << self.low & mask
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_ends_with_its_word() {
        assert_eq!(bits(0x8765_4321, 4, 8), 0x32);
        assert_eq!(bits(0x8765_4321, 28, 8), 8);
        assert_eq!(bits(0x8765_4321, 0, 32), 0x8765_4321);
        assert_eq!(bits(0x8765_4321, 32, 8), 0);
        assert!(bit(0x8000_0000, 31));
    }
}
