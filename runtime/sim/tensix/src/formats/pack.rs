//! From `Dst` to memory (`Packers/FormatConversion.md`, `Packers/ReLU.md`).
//!
//! A datum of `Dst` first becomes the intermediate format, with rounding; then ReLU applies; then it becomes the format in
//! memory, without rounding. The documentation does not specify all cases: those are as in Tenstorrent's simulator.

use super::{Format, order};
use crate::Refusal;

/// What selects a conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackSettings {
    /// Data of `Dst` have 32 bits (`PCK_DEST_RD_CTRL_Read_32b_data`).
    pub wide: bool,
    /// `Int8` of 32 bits is clamped to 0 to 255 (`PCK_DEST_RD_CTRL_Read_unsigned`).
    pub unsigned: bool,
    /// `Dst` is read without rounding (`PCK_DEST_RD_CTRL_Read_int8`).
    pub raw: bool,
    /// The mantissa is rounded to 10 bits (`PCK_DEST_RD_CTRL_Round_10b_mant`).
    pub round_to_ten_bits: bool,
    /// The intermediate format (`ALU_FORMAT_SPEC_REG2_Dstacc`, `In_data_format`).
    pub intermediate: Format,
    /// The format in memory (`Out_data_format`).
    pub to: Format,
    /// `Lf8` has 4 bits of exponent (Blackhole: `Pac_LF8_4b_exp`).
    pub four_bit_exponent: bool,
    /// ReLU.
    pub relu: Relu,
    /// Data with a smaller exponent are 0 (`Exp_threshold_en`, `Exp_threshold`).
    pub exponent_threshold: Option<u8>,
    /// The chip has the conversions from 32 bits to `Float16`, and those to `Lf8` (Blackhole).
    pub has_float16_of_32_bits: bool,
}

/// ReLU (`STACC_RELU_ApplyRelu`, `STACC_RELU_ReluThreshold`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Relu {
    /// 0: none; 1: negative data are 0; 2: so are those up to the threshold; 3: those beyond the threshold are the threshold.
    pub mode: u32,
    /// In the intermediate format, of 16 bits.
    pub threshold: u16,
}

/// A conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pack {
    early: Early,
    relu: Relu,
    /// Of the value to which ReLU applies.
    relu_form: ReluForm,
    threshold: Option<Threshold>,
    late: Late,
}

/// Data with smaller exponents are 0 (`Packers/ExponentThresholding.md`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Threshold {
    /// Where the exponent stands, and the mask of its bits.
    exponent: (u32, u32),
    least: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Early {
    /// 32 bits unchanged.
    Word,
    /// 16 bits unchanged.
    Half,
    /// The high half of 32 bits.
    HighHalf,
    Float32ToBfloat16,
    Float32ToBlock,
    /// To 8 bits of exponent and 10 of mantissa.
    Float32ToTf32,
    Int32ToInt8 {
        unsigned: bool,
    },
    BfloatToFloat16,
    Float16,
    Float16ToBlockA,
    Bfloat16,
    BfloatToBlock,
}

/// How a datum is compared with ReLU's threshold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ReluForm {
    Half,
    Tf32,
    Word,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Late {
    Keep,
    Float16ToFloat32,
    Float16ToBfloat16,
    Float16ToFloat8,
    Float32ToFloat16,
    Float32ToBfloat16,
    Float32ToShort,
    BfloatToFloat32,
    BfloatToFloat16,
    BfloatToShort,
    Float16ToShort,
}

impl Late {
    /// From a float in the intermediate format. Blocks are made of `Float16_b` or, with exponents of 5 bits, of a `Float16` of
    /// which 7 bits of mantissa are kept.
    fn choose(intermediate: Format, to: Format) -> Self {
        let (to_long_block, to_short_block) = match to {
            Format::BFP8 | Format::BFP4 | Format::BFP2 => (true, false),
            Format::BFP8A | Format::BFP4A | Format::BFP2A => (false, true),
            _ => (false, false),
        };
        match intermediate {
            Format::FLOAT16 | Format::BFP8A => match to {
                Format::FLOAT32 => Self::Float16ToFloat32,
                Format::FLOAT8 => Self::Float16ToFloat8,
                _ if to_long_block || to == Format::FLOAT16B => Self::Float16ToBfloat16,
                _ if to_short_block => Self::Float16ToShort,
                _ => Self::Keep,
            },
            Format::FLOAT16B | Format::BFP8 => match to {
                Format::FLOAT32 => Self::BfloatToFloat32,
                Format::FLOAT16 => Self::BfloatToFloat16,
                _ if to_short_block => Self::BfloatToShort,
                _ => Self::Keep,
            },
            Format::FLOAT32 => match to {
                Format::FLOAT16 => Self::Float32ToFloat16,
                _ if to_long_block || to == Format::FLOAT16B => Self::Float32ToBfloat16,
                _ if to_short_block => Self::Float32ToShort,
                _ => Self::Keep,
            },
            _ => Self::Keep,
        }
    }
}

/// Wide, intermediate format, format in memory.
type Conversion = (bool, Format, Format);

/// Floats of `Dst` in the intermediate format. Each becomes each of [`FLOATS`].
const INTERMEDIATE_FLOATS: &[(bool, Format)] = &[
    (false, Format::FLOAT16),
    (false, Format::BFP8A),
    (false, Format::FLOAT16B),
    (false, Format::BFP8),
    (true, Format::FLOAT32),
    (true, Format::FLOAT16B),
    (true, Format::BFP8),
];

/// Floats in memory.
const FLOATS: &[Format] = &[
    Format::FLOAT32,
    Format::FLOAT16,
    Format::FLOAT16B,
    Format::BFP8,
    Format::BFP4,
    Format::BFP2,
    Format::BFP8A,
    Format::BFP4A,
    Format::BFP2A,
];

/// The conversions of integers.
const CONVERSIONS_OF_INTEGERS: &[Conversion] = &[
    (false, Format::INT16, Format::INT16),
    (true, Format::INT32, Format::INT32),
    (true, Format::INT16, Format::INT16),
    (true, Format::INT8, Format::INT8),
];

/// Those that only Blackhole has. The last two want rounding to 10 bits, the first allows it.
const CONVERSIONS_OF_FLOAT16: &[Conversion] = &[
    (false, Format::FLOAT16, Format::FLOAT8),
    (true, Format::FLOAT16, Format::FLOAT16),
    (true, Format::FLOAT16, Format::FLOAT8),
];

impl Pack {
    /// The conversion, or why the instruction `word` cannot have it.
    ///
    /// # Errors
    ///
    /// The documentation has no such conversion, or the simulator does not have it yet.
    pub fn choose(word: u32, settings: &PackSettings) -> Result<Self, Refusal> {
        let PackSettings { wide, intermediate, to, .. } = *settings;
        let conversion = (wide, intermediate, to);
        let of_float16 =
            settings.has_float16_of_32_bits && CONVERSIONS_OF_FLOAT16.contains(&conversion);
        let of_floats = INTERMEDIATE_FLOATS.contains(&(wide, intermediate)) && FLOATS.contains(&to);
        if !of_float16 && !of_floats && !CONVERSIONS_OF_INTEGERS.contains(&conversion) {
            return Err(Refusal::unimplemented(
                word,
                format!(
                    "{} bits of Dst over {intermediate} to {to} in memory is not implemented \
                     (Packers/FormatConversion.md)",
                    if wide { 32 } else { 16 }
                ),
            ));
        }
        check_rounding(word, settings, of_float16)?;
        let early = match (wide, intermediate) {
            (true, Format::INT16) => Early::HighHalf,
            (true, Format::FLOAT16B) => Early::Float32ToBfloat16,
            (true, Format::BFP8) => Early::Float32ToBlock,
            (true, Format::INT8) => Early::Int32ToInt8 { unsigned: settings.unsigned },
            (true, Format::FLOAT16) => Early::Float32ToTf32,
            (true, _) => Early::Word,
            (false, Format::FLOAT16) if settings.round_to_ten_bits => Early::BfloatToFloat16,
            (false, Format::FLOAT16) => Early::Float16,
            (false, Format::BFP8A) => Early::Float16ToBlockA,
            (false, Format::FLOAT16B) => Early::Bfloat16,
            (false, Format::BFP8) => Early::BfloatToBlock,
            (false, _) => Early::Half,
        };
        let rounds = !matches!(
            early,
            Early::Word
                | Early::Half
                | Early::HighHalf
                | Early::Float32ToTf32
                | Early::BfloatToFloat16
        );
        if rounds && settings.raw {
            return Err(Refusal::unimplemented(
                word,
                format!(
                    "Read_int8 with {intermediate} is not implemented (Packers/FormatConversion.md)"
                ),
            ));
        }
        check_relu(word, settings)?;
        if to == Format::FLOAT8 && !settings.four_bit_exponent {
            return Err(Refusal::unimplemented(
                word,
                "Lf8 with 5 bits of exponent is not implemented (Packers/FormatConversion.md)",
            ));
        }
        let late = Late::choose(intermediate, to);
        let relu_form = match early {
            Early::Float32ToTf32 => ReluForm::Tf32,
            Early::Word => ReluForm::Word,
            _ => ReluForm::Half,
        };
        let threshold = match (early, settings.exponent_threshold) {
            (_, None) => None,
            (Early::Word | Early::Half | Early::HighHalf | Early::Int32ToInt8 { .. }, _)
                if intermediate != Format::FLOAT32 =>
            {
                None
            }
            (_, Some(least)) => Some(Threshold { exponent: exponent_of(early), least }),
        };
        Ok(Self { early, relu: settings.relu, relu_form, threshold, late })
    }

    /// The datum in memory; for a block float the `Float16_b`, or the `Float16` if the exponents have 5 bits, from which
    /// [`super::Block`] makes it. `stored` has the order of bits of `Dst`.
    #[must_use]
    #[inline]
    pub fn datum(&self, stored: u32) -> u32 {
        let value = self.early(stored);
        let value = if self.relu.mode == 0 { value } else { self.rectify(value) };
        let value = match self.threshold {
            Some(Threshold { exponent: (place, mask), least })
                if value >> place & mask < u32::from(least) =>
            {
                0
            }
            _ => value,
        };
        let value = if self.early == Early::Float32ToTf32 { tf32_to_float16(value) } else { value };
        self.late(value)
    }

    /// [`Self::datum`] of a row. The most frequent conversions have a loop of their own, which compilers turn into vector
    /// instructions.
    #[must_use]
    pub fn row<const DATA: usize>(&self, stored: [u32; DATA]) -> [u32; DATA] {
        match (self.early, self.relu.mode, self.late) {
            _ if self.threshold.is_some() => stored.map(|stored| self.datum(stored)),
            (Early::Bfloat16, 0, Late::Keep) => stored.map(bfloat16),
            (Early::Word, 0, Late::Keep) => stored.map(order::word_from_destination),
            _ => stored.map(|stored| self.datum(stored)),
        }
    }

    #[inline]
    fn early(&self, stored: u32) -> u32 {
        let word = || order::word_from_destination(stored);
        match self.early {
            Early::Word => word(),
            Early::Half => stored,
            Early::HighHalf => stored >> 16,
            Early::Float32ToBfloat16 => {
                without_half_denormals(infinite_if_nan(word()).wrapping_add(0x8000) >> 16, 0x80)
            }
            Early::Float32ToBlock => {
                without_half_denormals(((infinite_if_nan(word()) >> 16) + 1) & !1, 0x80)
            }
            Early::Float32ToTf32 => {
                let rounded = infinite_if_nan(word()).wrapping_add(0x1000) >> 13;
                if rounded & 0x3_FFFF < 0x400 { 0 } else { rounded }
            }
            Early::Int32ToInt8 { unsigned: true } => {
                let word = word();
                if word & 0x8000_0000 != 0 { 0 } else { word.min(255) }
            }
            Early::Int32ToInt8 { unsigned: false } => {
                let word = word();
                (word & 0x8000_0000) >> 24 | (word & 0x7FFF_FFFF).min(127)
            }
            Early::BfloatToFloat16 => {
                let value = u32::from(order::bfloat16_from_destination(stored as u16));
                let sign = value & 0x8000;
                match (value >> 7 & 0xFF) as i32 - 112 {
                    ..0 => sign,
                    32.. => sign | 0x7FFF,
                    exponent => sign | (exponent as u32) << 10 | (value & 0x7F) << 3,
                }
            }
            Early::Float16 => {
                without_half_denormals(order::float16_from_destination(stored as u16).into(), 0x400)
            }
            Early::Float16ToBlockA => {
                let value = u32::from(order::float16_from_destination(stored as u16));
                let largest = if value & 0x7FFF > 0x7FF7 { value & 0x8000 | 0x7FF0 } else { value };
                without_half_denormals((largest + 8) & !15, 0x400)
            }
            Early::Bfloat16 => bfloat16(stored),
            Early::BfloatToBlock => (bfloat16(stored) + 1) & !1,
        }
    }

    /// Data are compared as unsigned patterns after the sign is gone.
    fn rectify(&self, value: u32) -> u32 {
        let Relu { mode, threshold } = self.relu;
        let threshold = u32::from(threshold);
        let (sign, threshold, ignored) = match self.relu_form {
            ReluForm::Half => (0x8000, threshold, 0),
            ReluForm::Tf32 => (0x4_0000, threshold << 3, 0),
            ReluForm::Word => (0x8000_0000, threshold << 16, 13),
        };
        let value = if value & sign != 0 { 0 } else { value };
        match mode {
            2 if value <= threshold => 0,
            3 if value >> ignored > threshold >> ignored => threshold,
            _ => value,
        }
    }

    #[inline]
    fn late(&self, value: u32) -> u32 {
        match self.late {
            Late::Keep => value,
            Late::Float16ToFloat32 => {
                let sign = (value & 0x8000) << 16;
                let bias = if value & 0x7C00 == 0 { 0 } else { 112 << 10 };
                sign | ((value & 0x7FFF) + bias) << 13
            }
            Late::Float16ToBfloat16 => match value >> 10 & 0x1F {
                0 => 0,
                exponent => value & 0x8000 | (exponent + 112) << 7 | value >> 3 & 0x7F,
            },
            Late::Float16ToFloat8 => {
                let sign = value >> 8 & 0x80;
                match value >> 10 & 0x1F {
                    ..=8 => sign,
                    24.. => sign | 0x7F,
                    exponent => sign | (exponent - 8) << 3 | value >> 7 & 7,
                }
            }
            Late::Float32ToFloat16 => tf32_to_float16(value >> 13),
            Late::Float32ToBfloat16 => without_half_denormals(value >> 16, 0x80),
            Late::Float32ToShort => short(tf32_to_float16(value >> 13)),
            Late::BfloatToFloat32 => value << 16,
            Late::BfloatToFloat16 => tf32_to_float16(value << 3),
            Late::BfloatToShort => short(tf32_to_float16(value << 3)),
            Late::Float16ToShort => short(without_half_denormals(value, 0x400)),
        }
    }
}

fn check_rounding(word: u32, settings: &PackSettings, of_float16: bool) -> Result<(), Refusal> {
    let wants = of_float16 && settings.wide;
    let allows = of_float16;
    if wants && !settings.round_to_ten_bits {
        return Err(Refusal::unsupported(
            word,
            format!("32 bits to {} are always rounded to 10 bits of mantissa", settings.to),
        ));
    }
    if !allows && settings.round_to_ten_bits {
        return Err(Refusal::unimplemented(
            word,
            format!(
                "Round_10b_mant with {} in memory is not implemented (Packers/FormatConversion.md)",
                settings.to
            ),
        ));
    }
    Ok(())
}

fn check_relu(word: u32, settings: &PackSettings) -> Result<(), Refusal> {
    let Relu { mode, threshold } = settings.relu;
    let refusal = |reason: String| format!("ReLU {reason} (Packers/ReLU.md)");
    match mode {
        0 => return Ok(()),
        1..=3 => {}
        _ => return Err(Refusal::unsupported(word, refusal(format!("has no mode {mode}")))),
    }
    if threshold & 0x8000 != 0 {
        return Err(Refusal::undefined(
            word,
            refusal(format!("has the negative threshold {threshold:#06x}")),
        ));
    }
    match settings.intermediate {
        Format::FLOAT32 | Format::FLOAT16 | Format::BFP8A | Format::FLOAT16B | Format::BFP8 => {
            Ok(())
        }
        Format::INT32 if mode == 1 => Ok(()),
        format => Err(Refusal::unimplemented(
            word,
            refusal(format!("of mode {mode} with {format} is not implemented")),
        )),
    }
}

/// An infinity for a NaN.
fn infinite_if_nan(value: u32) -> u32 {
    if value & 0x7FFF_FFFF > 0x7F80_0000 { value & 0x8000_0000 | 0x7F80_0000 } else { value }
}

/// +0 for a datum of 16 bits below the smallest normal.
fn without_half_denormals(value: u32, smallest: u32) -> u32 {
    if value & 0x7FFF < smallest { 0 } else { value }
}

fn bfloat16(stored: u32) -> u32 {
    let value = u32::from(order::bfloat16_from_destination(stored as u16));
    if value & 0x7FFF > 0x7F80 {
        value & 0x8000 | 0x7F80
    } else {
        without_half_denormals(value, 0x80)
    }
}

/// Where the exponent of a value stands that ReLU has passed, and the mask of its bits.
const fn exponent_of(early: Early) -> (u32, u32) {
    match early {
        Early::Word => (23, 0xFF),
        Early::Float32ToTf32 => (10, 0xFF),
        Early::Float16 | Early::BfloatToFloat16 | Early::Float16ToBlockA => (10, 0x1F),
        _ => (7, 0xFF),
    }
}

/// A `Float16` with 7 bits of mantissa: the others are cut off.
const fn short(value: u32) -> u32 {
    value & 0xFFF8
}

/// 19 bits to 16. The exponent 0 keeps its mantissa: the documentation says that numbers from 2⁻¹⁵ to 2⁻¹⁴ are mishandled.
fn tf32_to_float16(value: u32) -> u32 {
    let sign = (value & 0x4_0000) >> 3;
    match (value >> 10 & 0xFF) as i32 - 112 {
        ..0 => sign,
        32.. => sign | 0x7FFF,
        exponent => sign | (exponent as u32) << 10 | value & 0x3FF,
    }
}

#[cfg(test)]
mod tests {
    use hallmark_chip::FaultCategory;

    use super::*;

    fn settings(wide: bool, intermediate: Format, to: Format) -> PackSettings {
        PackSettings {
            wide,
            unsigned: false,
            raw: false,
            round_to_ten_bits: false,
            intermediate,
            to,
            four_bit_exponent: false,
            relu: Relu::default(),
            exponent_threshold: None,
            has_float16_of_32_bits: false,
        }
    }

    fn pack(wide: bool, intermediate: Format, to: Format) -> Pack {
        Pack::choose(0, &settings(wide, intermediate, to)).unwrap()
    }

    fn stored(value: f32) -> u32 {
        order::word_to_destination(value.to_bits())
    }

    #[test]
    fn bfloat16_is_rounded_away_from_zero() {
        let pack = pack(true, Format::FLOAT16B, Format::FLOAT16B);
        for (value, expected) in [
            (0x3F80_7FFF, 0x3F80),
            (0x3F80_8000, 0x3F81),
            (0x3F81_8000, 0x3F82),
            (0xBF80_8000, 0xBF81),
            (0x7F7F_FFFF, 0x7F80),
            (0x7FC0_0000, 0x7F80),
            (0xFF80_0001, 0xFF80),
            (0x807F_7FFF, 0x0000),
            (0x807F_8000, 0x8080),
        ] {
            let datum = pack.datum(order::word_to_destination(value));
            assert_eq!(datum, expected, "{value:#x}");
        }
    }

    #[test]
    fn float32_is_kept() {
        let pack = pack(true, Format::FLOAT32, Format::FLOAT32);
        for value in [0x0000_0001, 0x7FC0_0001, 0xBF81_2345] {
            assert_eq!(pack.datum(order::word_to_destination(value)), value);
        }
    }

    #[test]
    fn bfloat16_of_16_bits_loses_denormals_and_nan() {
        let pack = pack(false, Format::FLOAT16B, Format::FLOAT16B);
        for (value, expected) in [(0xC049, 0xC049), (0x807F, 0), (0xFFC0, 0xFF80), (0x7F80, 0x7F80)]
        {
            assert_eq!(pack.datum(order::bfloat16_to_destination(value).into()), expected);
        }
        let wide = self::pack(false, Format::FLOAT16B, Format::FLOAT32);
        assert_eq!(wide.datum(order::bfloat16_to_destination(0xC049).into()), 0xC049_0000);
    }

    #[test]
    fn float32_to_float16_is_cut_and_clamped() {
        let pack = pack(true, Format::FLOAT32, Format::FLOAT16);
        assert_eq!(pack.datum(stored(-1.999_999)), 0xBFFF);
        assert_eq!(pack.datum(stored(1e6)), 0x7FFF);
        assert_eq!(pack.datum(stored(-1e-9)), 0x8000);
    }

    #[test]
    fn float16_widens() {
        let half = |value| u32::from(order::float16_to_destination(value));
        let pack = pack(false, Format::FLOAT16, Format::FLOAT32);
        assert_eq!(f32::from_bits(pack.datum(half(0xC440))), -4.25);
        assert_eq!(pack.datum(half(0x83FF)), 0);
        let pack = self::pack(false, Format::FLOAT16, Format::FLOAT16B);
        assert_eq!(pack.datum(half(0xC440)), 0xC088);
    }

    #[test]
    fn int8_is_clamped() {
        let signed = pack(true, Format::INT8, Format::INT8);
        let magnitude = |value: u32| order::word_to_destination(value);
        assert_eq!(signed.datum(magnitude(0x8000_0100)), 0xFF);
        assert_eq!(signed.datum(magnitude(0x8000_0005)), 0x85);
        let settings =
            PackSettings { unsigned: true, ..settings(true, Format::INT8, Format::INT8) };
        let unsigned = Pack::choose(0, &settings).unwrap();
        assert_eq!(unsigned.datum(magnitude(0x8000_0005)), 0);
        assert_eq!(unsigned.datum(magnitude(0x0000_0105)), 255);
        assert_eq!(unsigned.datum(magnitude(200)), 200);
    }

    #[test]
    fn block_floats_lose_a_bit_before() {
        let pack = pack(false, Format::BFP8, Format::BFP8);
        assert_eq!(pack.datum(order::bfloat16_to_destination(0x3F83).into()), 0x3F84);
        assert_eq!(pack.datum(order::bfloat16_to_destination(0x3F82).into()), 0x3F82);
        let direct = self::pack(false, Format::FLOAT16B, Format::BFP8);
        assert_eq!(direct.datum(order::bfloat16_to_destination(0x3F83).into()), 0x3F83);
        let wide = self::pack(true, Format::FLOAT32, Format::BFP4);
        assert_eq!(wide.datum(order::word_to_destination(0x3F83_FFFF)), 0x3F83);
    }

    /// Of `Float16` or `Float16_b` in `Dst`.
    fn half(value: u16, short: bool) -> u32 {
        if short {
            order::float16_to_destination(value).into()
        } else {
            order::bfloat16_to_destination(value).into()
        }
    }

    #[test]
    fn short_blocks_from_16_bits() {
        // Rounded to 6 bits of mantissa first, or cut to 7.
        let rounded = pack(false, Format::BFP8A, Format::BFP8A);
        let cut = pack(false, Format::FLOAT16, Format::BFP8A);
        for (value, after_rounding, after_cut) in [
            (0x3C07, 0x3C00, 0x3C00),
            (0x3C08, 0x3C10, 0x3C08),
            (0xBC0F, 0xBC10, 0xBC08),
            (0x7FFF, 0x7FF0, 0x7FF8),
            (0x83FF, 0x8400, 0),
            (0x8400, 0x8400, 0x8400),
        ] {
            assert_eq!(rounded.datum(half(value, true)), after_rounding, "{value:#x}");
            assert_eq!(cut.datum(half(value, true)), after_cut, "{value:#x}");
        }
        // Exponents of 8 bits become exponents of 5. A larger number becomes the largest one.
        let narrowed = pack(false, Format::BFP8, Format::BFP4A);
        for (value, expected) in [
            (0x3F81, 0x3C10),
            (0xBF80, 0xBC00),
            (0x4780, 0x7C00),
            (0x4800, 0x7FF8),
            (0xC800, 0xFFF8),
        ] {
            assert_eq!(narrowed.datum(half(value, false)), expected, "{value:#x}");
        }
    }

    #[test]
    fn short_blocks_from_32_bits() {
        let rounded = pack(true, Format::BFP8, Format::BFP2A);
        let cut = pack(true, Format::FLOAT32, Format::BFP2A);
        for (value, after_rounding, after_cut) in [
            (0x3F80_FFFF, 0x3C00, 0x3C00),
            (0x3F81_0000, 0x3C10, 0x3C08),
            (0xBF83_FFFF, 0xBC20, 0xBC18),
            (0x477F_FFFF, 0x7C00, 0x7BF8),
            (0x7F80_0001, 0x7FF8, 0x7FF8),
            (0x3880_0000, 0x0400, 0x0400),
            (0xB700_0000, 0x8000, 0x8000),
        ] {
            let stored = order::word_to_destination(value);
            assert_eq!(rounded.datum(stored), after_rounding, "{value:#x}");
            assert_eq!(cut.datum(stored), after_cut, "{value:#x}");
        }
    }

    #[test]
    fn long_blocks_from_16_bits_of_short_exponents() {
        let direct = pack(false, Format::FLOAT16, Format::BFP2);
        assert_eq!(direct.datum(half(0xC44F, true)), 0xC089);
        let rounded = pack(false, Format::BFP8A, Format::BFP4);
        assert_eq!(rounded.datum(half(0xC44F, true)), 0xC08A);
    }

    #[test]
    fn small_exponents_are_zero_below_the_threshold() {
        let with = |least, settings| {
            let settings = PackSettings { exponent_threshold: Some(least), ..settings };
            Pack::choose(0, &settings).unwrap()
        };
        // 113 is the exponent of 2⁻¹⁴, the least of Float16.
        let wide = with(113, settings(true, Format::BFP8, Format::BFP8A));
        let precise = with(113, settings(true, Format::FLOAT32, Format::BFP8A));
        for (value, after_rounding, after_cut) in [
            (0x3880_0000, 0x0400, 0x0400),
            // Rounding comes first.
            (0xB87F_FFFF, 0x8400, 0),
            (0x3870_0000, 0, 0),
        ] {
            let stored = order::word_to_destination(value);
            assert_eq!(wide.datum(stored), after_rounding, "{value:#x}");
            assert_eq!(precise.datum(stored), after_cut, "{value:#x}");
            assert_eq!(wide.row([stored; 2]), [after_rounding; 2]);
        }
        let narrow = with(15, settings(false, Format::FLOAT16, Format::FLOAT16));
        assert_eq!([0x3BFF, 0xBC00].map(|value| narrow.datum(half(value, true))), [0, 0xBC00]);
        let bfloat16 = with(127, settings(false, Format::FLOAT16B, Format::FLOAT16B));
        assert_eq!(bfloat16.row([half(0x3F7F, false), half(0x3F80, false)]), [0, 0x3F80]);
        // Integers have no exponent.
        let words = with(255, settings(true, Format::INT32, Format::INT32));
        assert_eq!(words.row([order::word_to_destination(5)]), [5]);
        let bytes = with(255, settings(true, Format::INT8, Format::INT8));
        assert_eq!(bytes.datum(order::word_to_destination(5)), 5);
    }

    #[test]
    fn relu_has_three_modes() {
        let with = |mode, threshold| {
            let relu = Relu { mode, threshold };
            let settings =
                PackSettings { relu, ..settings(true, Format::FLOAT32, Format::FLOAT32) };
            let pack = Pack::choose(0, &settings).unwrap();
            move |value: f32| f32::from_bits(pack.datum(stored(value)))
        };
        let two = (2.0_f32.to_bits() >> 16) as u16;
        assert_eq!([-1.0, 0.5, 3.0].map(with(1, two)), [0.0, 0.5, 3.0]);
        assert_eq!([-1.0, 2.0, 3.0].map(with(2, two)), [0.0, 0.0, 3.0]);
        assert_eq!([-1.0, 0.5, 3.0].map(with(3, two)), [0.0, 0.5, 2.0]);
        // Mode 3 does not see the low bits of the mantissa.
        let beyond = f32::from_bits(2.0_f32.to_bits() + 1);
        assert_eq!(with(3, two)(beyond), beyond);
        assert_eq!(with(2, two)(beyond), beyond);
    }

    #[test]
    fn relu_of_halves() {
        let relu = Relu { mode: 2, threshold: 0x4000 };
        let settings = PackSettings { relu, ..settings(false, Format::FLOAT16B, Format::FLOAT16B) };
        let pack = Pack::choose(0, &settings).unwrap();
        for (value, expected) in [(0xC049, 0), (0x4000, 0), (0x4001, 0x4001)] {
            assert_eq!(pack.datum(order::bfloat16_to_destination(value).into()), expected);
        }
    }

    #[test]
    fn what_is_refused() {
        let refused = |settings: PackSettings| {
            let refusal = Pack::choose(0x4100_0001, &settings).unwrap_err();
            assert!(refusal.reason.starts_with("PACR 0x41000001: "), "{refusal}");
            refusal.category
        };
        let float32 = settings(true, Format::FLOAT32, Format::FLOAT32);
        let relu = |mode, threshold| PackSettings { relu: Relu { mode, threshold }, ..float32 };
        assert_eq!(refused(relu(4, 0)), FaultCategory::UnsupportedFunctionality);
        assert_eq!(refused(relu(1, 0x8000)), FaultCategory::UndefinedBehavior);
        assert_eq!(
            refused(PackSettings {
                relu: Relu { mode: 2, threshold: 0 },
                ..settings(true, Format::INT32, Format::INT32)
            }),
            FaultCategory::UnimplementedFunctionality
        );
        assert_eq!(
            refused(PackSettings { raw: true, ..settings(false, Format::BFP8, Format::BFP8) }),
            FaultCategory::UnimplementedFunctionality
        );
        assert_eq!(
            refused(PackSettings { round_to_ten_bits: true, ..float32 }),
            FaultCategory::UnimplementedFunctionality
        );
        assert_eq!(
            refused(settings(true, Format::FLOAT16, Format::FLOAT16)),
            FaultCategory::UnimplementedFunctionality
        );
        assert_eq!(
            refused(PackSettings {
                has_float16_of_32_bits: true,
                ..settings(true, Format::FLOAT16, Format::FLOAT16)
            }),
            FaultCategory::UnsupportedFunctionality
        );
    }

    #[test]
    fn float16_of_32_bits_is_rounded_to_ten_bits() {
        let settings = PackSettings {
            has_float16_of_32_bits: true,
            round_to_ten_bits: true,
            ..settings(true, Format::FLOAT16, Format::FLOAT16)
        };
        let pack = Pack::choose(0, &settings).unwrap();
        assert_eq!(pack.datum(order::word_to_destination(0xBF80_1000)), 0xBC01);
        assert_eq!(pack.datum(order::word_to_destination(0x3F80_0FFF)), 0x3C00);
        assert_eq!(pack.datum(stored(f32::NAN)), 0x7FFF);
        let settings = PackSettings { to: Format::FLOAT8, four_bit_exponent: true, ..settings };
        let pack = Pack::choose(0, &settings).unwrap();
        // 1.625 with exponent 7 and mantissa 5 of 3 bits.
        assert_eq!(pack.datum(stored(-1.625)), 0xBD);
        assert_eq!(pack.datum(stored(1e-9)), 0);
        assert_eq!(pack.datum(stored(1e9)), 0x7F);
    }
}
