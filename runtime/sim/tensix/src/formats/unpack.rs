//! From memory to `SrcA`, `SrcB` and `Dst` (`Unpackers/FormatConversion.md`).
//!
//! A datum of `SrcA` or `SrcB` has 19 bits: they stand at the top of a word, ordered as an `f32`, over 13 bits of 0. Formats
//! with 5 bits of exponent have them in the low bits of the exponent.

use super::{Format, block, order};
use crate::Refusal;

/// The register that an unpacker writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnpackTarget {
    /// `SrcA` or `SrcB`.
    Source,
    /// `Dst`, 32 bits a datum.
    Destination,
}

/// What selects a conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnpackSettings {
    /// The format in memory (`TileDescriptor.InDataFormat`).
    pub from: Format,
    /// The format in the register (`Out_data_format`).
    pub to: Format,
    /// The register.
    pub target: UnpackTarget,
    /// `Int8` has no sign (`ALU_FORMAT_SPEC_REG0_SrcAUnsigned`, `ALU_FORMAT_SPEC_REG0_SrcBUnsigned`).
    pub unsigned: bool,
    /// `Lf8` has 4 bits of exponent and 3 of mantissa (Blackhole: `Unp_LF8_4b_exp`).
    pub four_bit_exponent: bool,
    /// The largest magnitude of `Lf8` gets a mantissa of ones (Blackhole).
    pub largest_float8_is_padded: bool,
}

/// A conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unpack {
    from: Format,
    rule: Rule,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    /// 32 bits to `Dst`.
    Word,
    Tf32,
    Float32ToFloat16,
    Float32ToBfloat16,
    Float16,
    Bfloat16,
    /// The magnitude is shifted so that its sign stands in bit 7.
    Block {
        shift: u32,
    },
    /// The same with an exponent of 5 bits.
    ShortBlock {
        shift: u32,
    },
    Int16,
    Float8 {
        four_bit_exponent: bool,
        largest_is_padded: bool,
    },
    Int8 {
        unsigned: bool,
    },
}

/// The exponents of block floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exponents<'memory> {
    /// The format has none.
    None,
    /// All data have this exponent (`FORCED_SHARED_EXP`).
    Forced(u8),
    /// One for each 16 data. The first datum is datum `first` of the block of `bytes[0]`.
    Section {
        /// From the exponent of the first datum on.
        bytes: &'memory [u8],
        /// Below 16.
        first: usize,
    },
}

impl Unpack {
    /// The conversion, or why the instruction `word` cannot have it.
    ///
    /// # Errors
    ///
    /// The documentation has no such conversion, or the simulator does not have it yet.
    pub fn choose(word: u32, settings: &UnpackSettings) -> Result<Self, Refusal> {
        let UnpackSettings { from, to, target, .. } = *settings;
        let to_destination = target == UnpackTarget::Destination;
        if from != Format::FLOAT32 && from != to {
            return Err(undefined(word, settings));
        }
        let rule = match (from, to) {
            (Format::FLOAT32, Format::FLOAT32) | (Format::INT32, Format::INT32) => {
                if !to_destination {
                    return Err(undefined(word, settings));
                }
                Rule::Word
            }
            (Format::FLOAT32, Format::TF32) if to_destination => Rule::Word,
            (Format::FLOAT32, Format::TF32) => Rule::Tf32,
            (Format::FLOAT32, Format::FLOAT16) => Rule::Float32ToFloat16,
            (Format::FLOAT32, Format::FLOAT16B) => Rule::Float32ToBfloat16,
            (Format::FLOAT32, _) => return Err(undefined(word, settings)),
            (Format::FLOAT16, _) => Rule::Float16,
            (Format::FLOAT16B, _) => Rule::Bfloat16,
            (Format::BFP8, _) => Rule::Block { shift: 0 },
            (Format::BFP4, _) => Rule::Block { shift: 4 },
            (Format::BFP2, _) => Rule::Block { shift: 6 },
            (Format::BFP8A, _) => Rule::ShortBlock { shift: 0 },
            (Format::BFP4A, _) => Rule::ShortBlock { shift: 4 },
            (Format::BFP2A, _) => Rule::ShortBlock { shift: 6 },
            (Format::INT16, _) => Rule::Int16,
            (Format::FLOAT8, _) => Rule::Float8 {
                four_bit_exponent: settings.four_bit_exponent,
                largest_is_padded: settings.largest_float8_is_padded,
            },
            (Format::INT8, _) => Rule::Int8 { unsigned: settings.unsigned },
            _ => return Err(unimplemented(word, settings)),
        };
        if to_destination && rule != Rule::Word {
            return Err(unimplemented(word, settings));
        }
        Ok(Self { from, rule })
    }

    /// The format in memory.
    #[must_use]
    pub const fn format(&self) -> Format {
        self.from
    }

    /// Bits of a datum in memory.
    #[must_use]
    pub fn bits(&self) -> u32 {
        self.from.bits().unwrap_or(32)
    }

    /// The datum in the register. Only block floats have an exponent.
    #[must_use]
    #[inline]
    pub fn datum(&self, memory: u32, exponent: u8) -> u32 {
        match self.rule {
            Rule::Word => order::word_to_destination(memory),
            Rule::Tf32 => memory & 0xFFFF_E000,
            Rule::Float32ToFloat16 => float32_to_float16(memory),
            Rule::Float32ToBfloat16 if memory & 0x7F80_0000 == 0 => memory & 0x8000_0000,
            Rule::Float32ToBfloat16 => memory & 0xFFFF_0000,
            Rule::Float16 => order::widened_float16(memory),
            Rule::Bfloat16 => memory << 16,
            Rule::Block { shift } => {
                u32::from(block::block_datum((memory << shift) as u8, exponent)) << 16
            }
            Rule::ShortBlock { shift } => {
                let datum = block::short_block_datum((memory << shift) as u8, exponent);
                order::widened_float16(u32::from(datum.unwrap_or(0)))
            }
            // `Dst` then holds the integer.
            Rule::Int16 => u32::from(order::bfloat16_from_destination(memory as u16)) << 16,
            Rule::Float8 { four_bit_exponent, largest_is_padded } => {
                order::widened_float16(float8(memory, four_bit_exponent, largest_is_padded))
            }
            Rule::Int8 { unsigned } => int8(memory, unsigned),
        }
    }

    /// Converts data that stand one after the other in `memory`, the first of them at bit `first_bit`, until `data` or the
    /// memory or the exponents end. Says how many.
    pub fn run(
        &self,
        memory: &[u8],
        first_bit: u32,
        exponents: Exponents<'_>,
        data: &mut [u32],
    ) -> usize {
        // The rules of most data, each with a loop of its own that compilers turn into vector instructions.
        match self.rule {
            Rule::Word => return words(memory, data, order::word_to_destination),
            Rule::Tf32 => return words(memory, data, |memory| memory & 0xFFFF_E000),
            Rule::Bfloat16 => return halves(memory, data, |memory| memory << 16),
            Rule::Float16 => return halves(memory, data, order::widened_float16),
            _ => {}
        }
        let mut done = 0;
        match self.bits() {
            32 => done = words(memory, data, |memory| self.datum(memory, 0)),
            16 => done = halves(memory, data, |memory| self.datum(memory, 0)),
            _ => {
                for (index, datum) in data.iter_mut().enumerate() {
                    let Some((value, exponent)) = self.narrow(memory, first_bit, exponents, index)
                    else {
                        break;
                    };
                    *datum = self.datum(value, exponent);
                    done += 1;
                }
            }
        }
        done
    }

    /// A datum of at most 8 bits in memory, and its exponent.
    #[inline(always)]
    fn narrow(
        &self,
        memory: &[u8],
        first_bit: u32,
        exponents: Exponents<'_>,
        index: usize,
    ) -> Option<(u32, u8)> {
        let bits = self.bits();
        let bit = first_bit as usize + index * bits as usize;
        let exponent = match exponents {
            Exponents::None => 0,
            Exponents::Forced(exponent) => exponent,
            Exponents::Section { bytes, first } => *bytes.get((first + index) / 16)?,
        };
        let byte = u32::from(*memory.get(bit / 8)?);
        Some((byte >> (bit % 8) & ((1 << bits) - 1), exponent))
    }

    /// The exponent of the first of `count` data that normalizing takes out of its 5 bits, which is undefined
    /// (`FloatBitPatterns.md`, "Conversion routines"). The parameters are those of [`Self::run`].
    #[must_use]
    pub fn undefined_exponent(
        &self,
        memory: &[u8],
        first_bit: u32,
        exponents: Exponents<'_>,
        count: usize,
    ) -> Option<u8> {
        let Rule::ShortBlock { shift } = self.rule else { return None };
        (0..count)
            .map_while(|index| self.narrow(memory, first_bit, exponents, index))
            .find(|(value, exponent)| {
                block::short_block_datum((value << shift) as u8, *exponent).is_none()
            })
            .map(|(_, exponent)| exponent)
    }
}

/// Converts data of 32 bits; says how many.
#[inline(always)]
fn words(memory: &[u8], data: &mut [u32], convert: impl Fn(u32) -> u32) -> usize {
    let memory = memory.as_chunks().0;
    for (datum, bytes) in data.iter_mut().zip(memory) {
        *datum = convert(u32::from_le_bytes(*bytes));
    }
    data.len().min(memory.len())
}

/// [`words`] of 16 bits.
#[inline(always)]
fn halves(memory: &[u8], data: &mut [u32], convert: impl Fn(u32) -> u32) -> usize {
    let memory = memory.as_chunks().0;
    for (datum, bytes) in data.iter_mut().zip(memory) {
        *datum = convert(u16::from_le_bytes(*bytes).into());
    }
    data.len().min(memory.len())
}

fn undefined(word: u32, settings: &UnpackSettings) -> Refusal {
    Refusal::undefined(word, pair(settings, "not a conversion of unpackers"))
}

fn unimplemented(word: u32, settings: &UnpackSettings) -> Refusal {
    Refusal::unimplemented(word, pair(settings, "not implemented"))
}

fn pair(settings: &UnpackSettings, reason: &str) -> String {
    let target = match settings.target {
        UnpackTarget::Source => "SrcA or SrcB",
        UnpackTarget::Destination => "Dst",
    };
    format!(
        "{} in memory to {} in {target} is {reason} (Unpackers/FormatConversion.md)",
        settings.from, settings.to
    )
}

/// Below the smallest exponent is zero, above the largest the largest number. The exponent 0 keeps its mantissa.
fn float32_to_float16(value: u32) -> u32 {
    let sign = value & 0x8000_0000;
    match (value >> 23 & 0xFF) as i32 - 112 {
        ..0 => sign,
        32.. => sign | 0x0FFF_E000,
        exponent => sign | (exponent as u32) << 23 | value & 0x7F_E000,
    }
}

/// A `Float16` from 8 bits.
fn float8(value: u32, four_bit_exponent: bool, largest_is_padded: bool) -> u32 {
    let largest = value & 0x7F == 0x7F;
    if four_bit_exponent {
        let exponent = value >> 3 & 0xF;
        let rebiased = if exponent == 0 { 0 } else { exponent + 8 };
        let padding = if largest { 0x7F } else { 0 };
        (value & 0x80) << 8 | rebiased << 10 | (value & 7) << 7 | padding
    } else if largest && largest_is_padded {
        value << 8 | 0xFF
    } else {
        value << 8
    }
}

/// A sign and a magnitude of 10 bits, under the exponent 16; zero has the exponent 0.
fn int8(value: u32, unsigned: bool) -> u32 {
    let sign = if unsigned { 0 } else { value & 0x80 };
    let magnitude = value & 0xFF & !sign;
    let exponent = if magnitude == 0 { 0 } else { 16 << 10 };
    order::widened_float16(sign << 8 | exponent | magnitude)
}

#[cfg(test)]
mod tests {
    use hallmark_chip::FaultCategory;

    use super::*;

    fn settings(from: Format, to: Format, target: UnpackTarget) -> UnpackSettings {
        UnpackSettings {
            from,
            to,
            target,
            unsigned: false,
            four_bit_exponent: false,
            largest_float8_is_padded: false,
        }
    }

    fn source(from: Format, to: Format) -> Unpack {
        Unpack::choose(0, &settings(from, to, UnpackTarget::Source)).unwrap()
    }

    #[test]
    fn float32_is_cut_and_not_rounded() {
        let datum = 0xBFFF_FFFF;
        assert_eq!(source(Format::FLOAT32, Format::TF32).datum(datum, 0), 0xBFFF_E000);
        assert_eq!(source(Format::FLOAT32, Format::FLOAT16B).datum(datum, 0), 0xBFFF_0000);
        // Exponent 127 - 112 = 15.
        assert_eq!(source(Format::FLOAT32, Format::FLOAT16).datum(datum, 0), 0x87FF_E000);
    }

    #[test]
    fn float32_that_float16_cannot_hold() {
        let convert =
            |value: f32| source(Format::FLOAT32, Format::FLOAT16).datum(value.to_bits(), 0);
        assert_eq!(convert(-1e-6), 0x8000_0000);
        assert_eq!(convert(1e6), 0x0FFF_E000);
        assert_eq!(convert(-f32::INFINITY), 0x8FFF_E000);
        // The exponent 0 keeps the mantissa.
        assert_eq!(convert(f32::from_bits(112 << 23 | 0x7F_FFFF)), 0x007F_E000);
    }

    #[test]
    fn denormals_of_float32_are_kept_by_tf32_alone() {
        assert_eq!(source(Format::FLOAT32, Format::TF32).datum(0x807F_FFFF, 0), 0x807F_E000);
        assert_eq!(source(Format::FLOAT32, Format::FLOAT16B).datum(0x807F_FFFF, 0), 0x8000_0000);
    }

    #[test]
    fn words_go_to_dst_alone() {
        for (from, to) in [
            (Format::FLOAT32, Format::FLOAT32),
            (Format::FLOAT32, Format::TF32),
            (Format::INT32, Format::INT32),
        ] {
            let to_dst = settings(from, to, UnpackTarget::Destination);
            let unpack = Unpack::choose(0, &to_dst).unwrap();
            assert_eq!(unpack.datum(0xBFC0_1234, 0), 0xC07F_1234);
        }
        for format in [Format::FLOAT32, Format::INT32] {
            let refusal =
                Unpack::choose(0x4200_0000, &settings(format, format, UnpackTarget::Source))
                    .unwrap_err();
            assert_eq!(refusal.category, FaultCategory::UndefinedBehavior);
            assert!(refusal.reason.starts_with("UNPACR 0x42000000: "), "{refusal}");
        }
        let refusal = Unpack::choose(
            0,
            &settings(Format::FLOAT16B, Format::FLOAT16B, UnpackTarget::Destination),
        )
        .unwrap_err();
        assert_eq!(refusal.category, FaultCategory::UnimplementedFunctionality);
    }

    #[test]
    fn other_formats_do_not_change() {
        let pair = settings(Format::FLOAT16B, Format::TF32, UnpackTarget::Source);
        let refusal = Unpack::choose(0, &pair).unwrap_err();
        assert_eq!(refusal.category, FaultCategory::UndefinedBehavior);
        let block = settings(Format::BFP8A, Format::FLOAT16, UnpackTarget::Source);
        let refusal = Unpack::choose(0, &block).unwrap_err();
        assert_eq!(refusal.category, FaultCategory::UndefinedBehavior);
        let block = settings(Format::BFP8A, Format::BFP8A, UnpackTarget::Destination);
        let refusal = Unpack::choose(0, &block).unwrap_err();
        assert_eq!(refusal.category, FaultCategory::UnimplementedFunctionality);
    }

    #[test]
    fn blocks_of_short_exponents_become_float16() {
        for (format, datum, float16) in [
            (Format::BFP8A, 0xE0, 0xBE00),
            (Format::BFP4A, 0xE, 0xBE00),
            (Format::BFP2A, 0b11, 0xBC00),
            (Format::BFP2A, 0b10, 0xFC00),
        ] {
            let unpack = source(format, format);
            assert_eq!(unpack.datum(datum, 15), order::widened_float16(float16), "{format}");
        }
    }

    #[test]
    fn an_exponent_below_that_of_float16_is_undefined() {
        let unpack = source(Format::BFP8A, Format::BFP8A);
        let memory = [0x40, 0x01, 0x41];
        let exponents = |bytes| Exponents::Section { bytes, first: 15 };
        assert_eq!(unpack.undefined_exponent(&memory, 0, exponents(&[15, 6]), 3), None);
        assert_eq!(unpack.undefined_exponent(&memory, 0, exponents(&[15, 5]), 3), Some(5));
        assert_eq!(unpack.undefined_exponent(&memory, 0, exponents(&[15, 5]), 1), None);
        let long = source(Format::BFP8, Format::BFP8);
        assert_eq!(long.undefined_exponent(&memory, 0, exponents(&[15, 5]), 3), None);
    }

    #[test]
    fn float16_stands_under_three_bits_of_zero() {
        assert_eq!(source(Format::FLOAT16, Format::FLOAT16).datum(0xFFFF, 0), 0x8FFF_E000);
        assert_eq!(source(Format::FLOAT16B, Format::FLOAT16B).datum(0xFFFF, 0), 0xFFFF_0000);
    }

    #[test]
    fn int16_comes_to_dst_as_it_was() {
        let datum = source(Format::INT16, Format::INT16).datum(0x9A5C, 0);
        assert_eq!(order::bfloat16_to_destination((datum >> 16) as u16), 0x9A5C);
    }

    #[test]
    fn int8_is_a_sign_and_a_magnitude() {
        let signed = source(Format::INT8, Format::INT8);
        assert_eq!(signed.datum(0x85, 0), 0x8000_0000 | 16 << 23 | 5 << 13);
        assert_eq!(signed.datum(0x80, 0), 0x8000_0000);
        let settings = UnpackSettings {
            unsigned: true,
            ..settings(Format::INT8, Format::INT8, UnpackTarget::Source)
        };
        let unsigned = Unpack::choose(0, &settings).unwrap();
        assert_eq!(unsigned.datum(0x85, 0), 16 << 23 | 0x85 << 13);
        assert_eq!(unsigned.datum(0, 0), 0);
    }

    #[test]
    fn float8_has_two_forms() {
        let with = |four_bit_exponent, largest_float8_is_padded| {
            let settings = UnpackSettings {
                four_bit_exponent,
                largest_float8_is_padded,
                ..settings(Format::FLOAT8, Format::FLOAT8, UnpackTarget::Source)
            };
            Unpack::choose(0, &settings).unwrap()
        };
        // Exponent 15, mantissa 2 of 2 bits.
        assert_eq!(with(false, false).datum(0xBE, 0), 0x8000_0000 | 15 << 23 | 2 << 21);
        assert_eq!(with(false, false).datum(0x7F, 0), 31 << 23 | 3 << 21);
        assert_eq!(with(false, true).datum(0x7F, 0), 0x0FFF_E000);
        // Exponent 7, of which the bias is 7, mantissa 5 of 3 bits.
        assert_eq!(with(true, true).datum(0xBD, 0), 0x8000_0000 | 15 << 23 | 5 << 20);
        assert_eq!(with(true, true).datum(0x05, 0), 5 << 20);
        assert_eq!(with(true, true).datum(0x7F, 0), 23 << 23 | 0x3FF << 13);
    }

    #[test]
    fn a_run_ends_with_the_memory() {
        let unpack = source(Format::FLOAT16B, Format::FLOAT16B);
        let mut data = [7; 4];
        let done = unpack.run(&[0x80, 0x3F, 0x00, 0xC0, 0x11], 0, Exponents::None, &mut data);
        assert_eq!((done, data), (2, [0x3F80_0000, 0xC000_0000, 7, 7]));
    }

    #[test]
    fn a_run_of_blocks_changes_its_exponent_with_the_block() {
        let unpack = source(Format::BFP4, Format::BFP4);
        let memory = [0x44_u8; 16];
        let exponents = Exponents::Section { bytes: &[127, 130], first: 14 };
        let mut data = [0; 4];
        assert_eq!(unpack.run(&memory, 4, exponents, &mut data), 4);
        assert_eq!(data.map(f32::from_bits), [1.0, 1.0, 8.0, 8.0]);
        let mut data = [0; 20];
        assert_eq!(unpack.run(&memory, 0, exponents, &mut data), 18);
        assert_eq!(unpack.run(&memory, 0, Exponents::Forced(129), &mut data), 20);
        assert_eq!(data.map(f32::from_bits), [4.0; 20]);
    }

    #[test]
    fn narrow_data_begin_in_the_low_bits() {
        let unpack = source(Format::BFP2, Format::BFP2);
        let mut data = [0; 3];
        assert_eq!(unpack.run(&[0b0111_0100, 0], 2, Exponents::Forced(127), &mut data), 3);
        assert_eq!(data.map(f32::from_bits), [1.0, -1.0, 1.0]);
    }
}
