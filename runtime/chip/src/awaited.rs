//! The values of a word that end a core's waiting loop.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The values of a word that end a waiting loop, as long as everything else that the loop reads stays the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Awaited {
    /// The lowest bits of the word, as a number, lie in a range. Counting up, the greatest number is followed
    /// by 0.
    Range {
        /// The number of relevant bits, 1 to 32.
        bits: u32,
        /// The first number of the range.
        first: u32,
        /// The last number of the range, inclusive.
        last: u32,
    },
    /// No value ends the loop.
    Nothing,
}

/// The greatest number of this many bits.
fn greatest(bits: u32) -> u32 {
    1u32.checked_shl(bits).map_or(u32::MAX, |above| above.wrapping_sub(1))
}

impl Awaited {
    /// Whether a value of the word ends the loop.
    pub fn includes(self, value: u32) -> bool {
        match self {
            Self::Range { .. } => self.increments_from(value) == Some(0),
            Self::Nothing => false,
        }
    }

    /// How often a value must be incremented until it ends the loop. `None` if no value does.
    pub fn increments_from(self, value: u32) -> Option<u32> {
        let Self::Range { bits, first, last } = self else { return None };
        let greatest = greatest(bits);
        let offset = value.wrapping_sub(first) & greatest;
        if offset <= last.wrapping_sub(first) & greatest {
            return Some(0);
        }
        Some(first.wrapping_sub(value) & greatest)
    }

    /// The only value that ends the loop, if there is exactly one and all 32 bits are relevant.
    pub const fn only_value(self) -> Option<u32> {
        match self {
            Self::Range { bits: 32, first, last } if first == last => Some(first),
            Self::Range { .. } | Self::Nothing => None,
        }
    }

    fn write(
        self,
        formatter: &mut fmt::Formatter<'_>,
        number: impl Fn(u32) -> String,
    ) -> fmt::Result {
        let (bits, first, last) = match self {
            Self::Range { bits, first, last } => (bits, first, last),
            Self::Nothing => return formatter.write_str("nothing"),
        };
        let greatest = greatest(bits);
        if first == last {
            write!(formatter, "exactly {}", number(first))?;
        } else if first.wrapping_sub(last) & greatest == 2 {
            let one = last.wrapping_add(1) & greatest;
            write!(formatter, "anything but {}", number(one))?;
        } else if first <= last && (last == greatest || last == greatest >> 1) {
            // The second limit is the greatest signed number.
            write!(formatter, "at least {}", number(first))?;
        } else if first == 0 {
            write!(formatter, "at most {}", number(last))?;
        } else {
            write!(formatter, "from {} to {}", number(first), number(last))?;
        }
        if bits == 32 { Ok(()) } else { write!(formatter, " in its lowest {bits} bits") }
    }
}

/// `exactly 7`, `at least 7`, `anything but 0`: decimal.
impl fmt::Display for Awaited {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(formatter, |number| number.to_string())
    }
}

/// The same text with hexadecimal numbers: `exactly 0x7`.
impl fmt::LowerHex for Awaited {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(formatter, |number| format!("{number:#x}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn range(bits: u32, first: u32, last: u32) -> Awaited {
        Awaited::Range { bits, first, last }
    }

    #[test]
    fn a_range_goes_on_after_the_greatest_number() {
        let around = range(16, 0xFFFE, 1);
        for inside in [0xFFFE, 0xFFFF, 0, 1, 0x1_0000] {
            assert!(around.includes(inside), "{inside:#x}");
        }
        for outside in [2, 0xFFFD, 0x1_FFFD] {
            assert!(!around.includes(outside), "{outside:#x}");
        }
        assert_eq!(around.increments_from(2), Some(0xFFFC));
        assert_eq!(range(32, 7, u32::MAX).increments_from(5), Some(2));
        assert_eq!(range(32, 7, 7).increments_from(8), Some(u32::MAX));
        assert_eq!(Awaited::Nothing.increments_from(5), None);
        assert!(!Awaited::Nothing.includes(5));
    }

    #[test]
    fn only_a_whole_word_has_an_only_value() {
        assert_eq!(range(32, 7, 7).only_value(), Some(7));
        for other in [range(16, 7, 7), range(32, 7, 8), Awaited::Nothing] {
            assert_eq!(other.only_value(), None);
        }
    }

    #[test]
    fn words_say_the_range() {
        for (awaited, text) in [
            (range(32, 7, 7), "exactly 7"),
            (range(32, 1, u32::MAX), "anything but 0"),
            (range(32, 0, u32::MAX - 1), "anything but 4294967295"),
            (range(32, 6, 4), "anything but 5"),
            (range(32, 7, u32::MAX), "at least 7"),
            (range(32, 7, i32::MAX as u32), "at least 7"),
            (range(32, 0, 7), "at most 7"),
            (range(32, 3, 7), "from 3 to 7"),
            (range(16, 3, 0xFFFF), "at least 3 in its lowest 16 bits"),
            (range(16, 9, 4), "from 9 to 4 in its lowest 16 bits"),
            (Awaited::Nothing, "nothing"),
        ] {
            assert_eq!(awaited.to_string(), text);
        }
        assert_eq!(format!("{:x}", range(32, 16, 16)), "exactly 0x10");
    }

    /// A report may come from any program.
    #[test]
    fn strange_numbers_of_bits_are_survived() {
        for bits in [0, 1, 31, 33, u32::MAX] {
            let strange = range(bits, 3, u32::MAX);
            assert!(!strange.to_string().is_empty());
            assert!(strange.increments_from(1).is_some());
        }
    }
}
