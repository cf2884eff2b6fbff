//! Elements of one type as those of another, each by itself.
//!
//! A fraction is cut off on the way to an integer; a longer integer keeps its low bits; an integer becomes the nearest
//! single, and a single the nearest bfloat16, of two the even one. All NaNs become one bfloat16.

use hallmark_schema::model::DataType;

use crate::defects::{Defect, planted};

/// An element that the other type cannot hold. What TT-Metalium gives for it depends on where the element lies, as its
/// vector code saturates and the code for the rest does not.
pub(crate) struct OutOfRange {
    /// Its number.
    pub(crate) element: usize,
    /// Its value.
    pub(crate) value: f32,
}

/// Converts elements that lie one behind the other.
pub(crate) fn convert(from: DataType, to: DataType, bytes: &[u8]) -> Result<Vec<u8>, OutOfRange> {
    if from.is_float() || to.is_float() {
        match from {
            DataType::Float32 => from_singles::<4>(bytes, to, f32::from_bits),
            DataType::Bfloat16 => from_singles::<2>(bytes, to, |bits| f32::from_bits(bits << 16)),
            DataType::Int32 if !planted(Defect::SignsForgotten) => {
                from_singles::<4>(bytes, to, |bits| bits as i32 as f32)
            }
            _ => match from.size() {
                1 => from_singles::<1>(bytes, to, |bits| bits as f32),
                2 => from_singles::<2>(bytes, to, |bits| bits as f32),
                _ => from_singles::<4>(bytes, to, |bits| bits as f32),
            },
        }
    } else {
        // All integers but those of 32 bits are unsigned, so that none has a sign to extend.
        match from.size() {
            1 => cut::<1>(bytes, to),
            2 => cut::<2>(bytes, to),
            _ => cut::<4>(bytes, to),
        }
    }
}

/// Integers, shortened or filled up with zeros.
fn cut<const FROM: usize>(bytes: &[u8], to: DataType) -> Result<Vec<u8>, OutOfRange> {
    match to.size() {
        1 => each::<FROM, 1>(bytes, Ok),
        2 => each::<FROM, 2>(bytes, Ok),
        _ => each::<FROM, 4>(bytes, Ok),
    }
}

/// Elements that are singles, or become some on their way.
fn from_singles<const FROM: usize>(
    bytes: &[u8],
    to: DataType,
    single: impl Fn(u32) -> f32,
) -> Result<Vec<u8>, OutOfRange> {
    match to {
        DataType::Float32 => each::<FROM, 4>(bytes, |bits| Ok(single(bits).to_bits())),
        DataType::Bfloat16 => each::<FROM, 2>(bytes, |bits| Ok(bfloat16(single(bits)))),
        _ => {
            let (least, most) = to.range();
            let whole = |bits| {
                let value = single(bits);
                let rounds = planted(Defect::FractionsRounded);
                let value64 = f64::from(value);
                let whole = if rounds { value64.round() } else { value64.trunc() };
                if (least..=most).contains(&whole) { Ok(whole as i64 as u32) } else { Err(value) }
            };
            match to.size() {
                1 => each::<FROM, 1>(bytes, whole),
                2 => each::<FROM, 2>(bytes, whole),
                _ => each::<FROM, 4>(bytes, whole),
            }
        }
    }
}

/// The bits of the nearest bfloat16; the carry of a fraction counts the exponent up.
fn bfloat16(value: f32) -> u32 {
    let bits = value.to_bits();
    let nearest = if planted(Defect::SinglesCutOff) {
        bits >> 16
    } else {
        bits.wrapping_add(0x7fff + (bits >> 16 & 1)) >> 16
    };
    if planted(Defect::PayloadsKept) {
        bits >> 16
    } else if value.is_nan() {
        0x7fc0
    } else {
        nearest
    }
}

/// Elements of `FROM` bytes as elements of `TO` bytes, both little-endian.
fn each<const FROM: usize, const TO: usize>(
    bytes: &[u8],
    convert: impl Fn(u32) -> Result<u32, f32>,
) -> Result<Vec<u8>, OutOfRange> {
    let elements = bytes.as_chunks::<FROM>().0;
    let mut converted = vec![0; elements.len() * TO];
    let targets = converted.as_chunks_mut::<TO>().0;
    for (number, (element, target)) in elements.iter().zip(targets).enumerate() {
        let mut word = [0; 4];
        if let Some(word) = word.first_chunk_mut::<FROM>() {
            *word = *element;
        }
        let word = convert(u32::from_le_bytes(word))
            .map_err(|value| OutOfRange { element: number, value })?
            .to_le_bytes();
        if let Some(word) = word.first_chunk::<TO>() {
            *target = *word;
        }
    }
    Ok(converted)
}
