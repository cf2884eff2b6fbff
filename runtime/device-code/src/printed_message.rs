//! Messages of kernels that print, as `hallmark/print.h` writes them: read as untrusted input.
//!
//! A message is a word with the number of its format (low half) and the number of its words, then for each argument a word
//! with its kind, and the words of its value.

use super::printed_format::{Value, formatted};
use super::printed_texts::PrintedTexts;
use super::printed_tile::PrintedTile;

/// The block of a kernel's image through which it prints: byte offsets of its words.
#[derive(Clone, Copy, Debug)]
pub struct PrintBlock;

impl PrintBlock {
    /// The name of the block in an ELF.
    pub(crate) const NAME: &str = "hallmark_print_block";
    /// Not 0 if a host takes what is printed.
    pub const HOST: u32 = 0;
    /// The number of words that were ever printed, modulo 2^32.
    pub const WRITTEN: u32 = 4;
    /// The number of words that the host has taken, modulo 2^32.
    pub const TAKEN: u32 = 8;
    /// The number of the processor that prints.
    pub(crate) const PROCESSOR: u32 = 12;
    /// The ring of words.
    pub const RING: u32 = 16;
    /// Words of the ring.
    pub const RING_WORDS: u32 = 256;
    /// Bytes of the block.
    pub const SIZE: u32 = Self::RING + 4 * Self::RING_WORDS;
}

/// Shown in the place of words that are no message.
const UNREADABLE: &str = "(a message that cannot be read)\n";

/// The text of messages that follow one another. Words that are no message end it.
pub(crate) fn text_of(mut words: &[u32], texts: &PrintedTexts) -> String {
    let mut text = String::new();
    while let Some(&first) = words.first() {
        let length = (first >> 16) as usize;
        let Some((message, rest)) = words.split_at_checked(length).filter(|_| length > 0) else {
            text.push_str(UNREADABLE);
            break;
        };
        words = rest;
        match texts.get(first & 0xFFFF) {
            Some(format) => {
                let arguments = arguments(message.get(1..).unwrap_or_default(), texts);
                text.push_str(&formatted(format, &arguments));
            }
            None => text.push_str(UNREADABLE),
        }
    }
    text
}

fn arguments(mut words: &[u32], texts: &PrintedTexts) -> Vec<Value> {
    let mut arguments = Vec::new();
    while let Some((&kind, rest)) = words.split_first() {
        let (kind, size, data_format) = (kind & 0xFF, kind >> 8 & 0xFF, kind >> 16);
        let length = if matches!(kind, 11 | 12) { size } else { size.div_ceil(4) } as usize;
        let Some((value, rest)) = rest.split_at_checked(length.max(1)) else {
            arguments.push(Value::Unknown);
            break;
        };
        words = rest;
        arguments.push(argument(kind, size, data_format, value, texts));
    }
    arguments
}

fn argument(kind: u32, size: u32, data_format: u32, words: &[u32], texts: &PrintedTexts) -> Value {
    let low = words.first().copied().unwrap_or_default();
    let high = words.get(1).copied().unwrap_or_default();
    let both = u64::from(high) << 32 | u64::from(low);
    match (kind, size) {
        (1, 1) => Value::Integer(i128::from(low as u8 as i8)),
        (1, 2) => Value::Integer(i128::from(low as u16 as i16)),
        (1, 4) => Value::Integer(i128::from(low.cast_signed())),
        (1, 8) => Value::Integer(i128::from(both.cast_signed())),
        (2, 1..=4) => Value::Integer(i128::from(low)),
        (2, 8) => Value::Integer(i128::from(both)),
        (3, _) => Value::Bool(low != 0),
        (4, _) => Value::Char(char::from(low as u8)),
        (5, 4) => Value::Float(f32::from_bits(low)),
        (5, 8) => Value::Double(f64::from_bits(both)),
        (6, _) => Value::Pointer(low),
        (7, _) => texts.get(low).map_or(Value::Unknown, |text| Value::Text(text.to_owned())),
        (8, _) => Value::Float(f32::from_bits(low << 16)),
        (9, _) => Value::Float(block_float(low, 7)),
        (10, _) => Value::Float(block_float(low, 3)),
        (11, _) => Value::Array(elements(data_format, words)),
        (12, _) => PrintedTile::read(words).map_or(Value::Unknown, Value::Tile),
        _ => Value::Unknown,
    }
}

/// An element of a block with a shared exponent: the exponent in the low byte; in the high one, a sign and `bits` bits of
/// the mantissa without a leading one.
pub(crate) fn block_float(value: u32, bits: u32) -> f32 {
    let (exponent, mantissa) = (value & 0xFF, value >> 8 & 0xFF);
    let size = mantissa & ((1 << bits) - 1);
    let power = exponent.cast_signed() - 127 - (bits.cast_signed() - 1);
    let size = f64::from(size) * f64::from(power).exp2();
    let is_negative = mantissa >> bits & 1 != 0;
    (if is_negative { -size } else { size }) as f32
}

/// The elements of words, by TT-Metalium's number of their data format; words of other formats are shown as they are.
fn elements(data_format: u32, words: &[u32]) -> Vec<Value> {
    let halves = || words.iter().flat_map(|word| [word & 0xFFFF, word >> 16]);
    let bytes = || words.iter().flat_map(|word| word.to_le_bytes());
    match data_format {
        0 | 4 => words.iter().map(|word| Value::Float(f32::from_bits(*word))).collect(),
        1 => halves().map(|half| Value::Float(half_float(half as u16))).collect(),
        5 => halves().map(|half| Value::Float(f32::from_bits(half << 16))).collect(),
        8 => words.iter().map(|word| Value::Integer(word.cast_signed().into())).collect(),
        9 => halves().map(|half| Value::Integer(half.into())).collect(),
        14 => bytes().map(|byte| Value::Integer(byte.cast_signed().into())).collect(),
        30 => bytes().map(|byte| Value::Integer(byte.into())).collect(),
        24 => words.iter().map(|word| Value::Integer((*word).into())).collect(),
        _ => words.iter().map(|word| Value::Pointer(*word)).collect(),
    }
}

/// A number of IEEE 754's binary16.
fn half_float(bits: u16) -> f32 {
    let (exponent, fraction) = (i32::from(bits >> 10 & 0x1F), f32::from(bits & 0x3FF));
    let size = match exponent {
        0 => fraction * 2f32.powi(-24),
        31 if fraction == 0.0 => f32::INFINITY,
        31 => f32::NAN,
        _ => (1.0 + fraction / 1024.0) * 2f32.powi(exponent - 15),
    };
    if bits >> 15 == 0 { size } else { -size }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts() -> PrintedTexts {
        let mut table = Vec::new();
        for (number, text) in [(1u32, "x = {}, {:#x}\n"), (2, "{}|"), (3, "a text\x1b[2J")] {
            table.extend(number.to_le_bytes());
            table.extend([7, 0, 0, 0]);
            table.extend(b"k.cpp\0");
            table.extend(text.as_bytes());
            table.push(0);
        }
        PrintedTexts::of_table(&table)
    }

    /// A message with these words behind its first one.
    fn message(number: u32, words: &[u32]) -> Vec<u32> {
        let length = words.len() as u32 + 1;
        [&[number | length << 16][..], words].concat()
    }

    #[test]
    fn messages_are_read_one_after_the_other() {
        let words = [
            message(1, &[0x401, (-5i32).cast_unsigned(), 0x402, 0xBEEF]),
            message(2, &[0x801, 1, 0x8000_0000]),
            message(2, &[0x101, 0x80]),
            message(2, &[0x202, 65535]),
            message(2, &[0x103, 1]),
            message(2, &[0x104, u32::from(b'c')]),
            message(2, &[0x405, 1.5f32.to_bits()]),
            message(2, &[0x406, 0xFFB0_0000]),
            message(2, &[0x407, 3]),
            message(2, &[0x208, 0x3F80]),
            message(2, &[0x209, 0xC07F]),
            message(2, &[0x20A, 0x0C7F]),
            message(2, &[0x0005_020B, 0x4000_3F80, 0x0000_BF80]),
            message(
                2,
                &[
                    0x060C,
                    0x1C400,
                    0x0001_0100,
                    0x0803_0102,
                    0x0002_0102,
                    (-7i32).cast_unsigned(),
                    9,
                ],
            ),
        ];
        let expected = "x = -5, 0xbeef\n-9223372036854775807|-128|65535|true|99|1.5|0xffb00000|\
                        a text\x1b[2J|1|-1|-1|1 2 -1 0 |-7 9\n|";
        assert_eq!(text_of(&words.concat(), &texts()), expected);
    }

    #[test]
    fn elements_have_their_data_format() {
        let shown = |data_format: u32, word: u32| {
            text_of(&message(2, &[data_format << 16 | 0x010B, word]), &texts())
        };
        for (data_format, word, text) in [
            (0, 0.25f32.to_bits(), "0.25 |"),
            (1, 0xC000_3C00, "1 -2 |"),
            (8, u32::MAX, "-1 |"),
            (9, 0x0001_FFFF, "65535 1 |"),
            (14, 0xFF7F_0001, "1 0 127 -1 |"),
            (24, u32::MAX, "4294967295 |"),
            (30, 0xFF00_0001, "1 0 0 255 |"),
            (6, 0x10, "0x10 |"),
        ] {
            assert_eq!(shown(data_format, word), text, "{data_format}");
        }
    }

    #[test]
    fn forged_messages_are_named_and_end_the_text() {
        let texts = texts();
        let read = |words: &[u32]| text_of(words, &texts);
        // No words, more words than there are, and a number without a text.
        assert_eq!(read(&[0, 1, 2]), UNREADABLE);
        assert_eq!(read(&[0x0003_0002, 0x401]), UNREADABLE);
        assert_eq!(
            read(&[&message(9, &[])[..], &message(2, &[0x103, 0])].concat()),
            format!("{UNREADABLE}false|")
        );
        // An argument beyond the message, a kind that is not known, a text that is not there, too few arguments.
        for words in [&[0x801, 1][..], &[0x4FF, 1], &[0x407, 77], &[]] {
            assert_eq!(read(&message(2, words)), "{?}|", "{words:x?}");
        }
    }

    #[test]
    fn any_words_are_read() {
        let texts = texts();
        let mut state = 12345u32;
        for length in 0..64 {
            for _ in 0..200 {
                let words: Vec<u32> = (0..length)
                    .map(|_| {
                        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                        state >> 8 & 0x000F_0F0F
                    })
                    .collect();
                assert!(text_of(&words, &texts).len() < 100_000);
            }
        }
    }
}
