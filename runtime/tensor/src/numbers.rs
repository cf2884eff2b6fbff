//! Conversions of single elements between types.
//!
//! A conversion to an integer drops the fraction; one to a shorter integer keeps the low bits. An integer
//! becomes the nearest single, and a single the nearest bfloat16, ties to even. All NaNs become the same
//! bfloat16.

use hallmark_schema::model::DataType;

use crate::defects::{Defect, planted};

/// An element out of range of the target type. TT-Metalium's result depends on the element's position, because
/// its vector code saturates and its scalar code for the rest does not.
pub(crate) struct OutOfRange {
    /// The index of the element.
    pub(crate) element: usize,
    /// The element's value.
    pub(crate) value: f32,
}

/// Converts consecutive elements.
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
        // All integers except those of 32 bits are unsigned, so none needs sign extension.
        match from.size() {
            1 => cut::<1>(bytes, to),
            2 => cut::<2>(bytes, to),
            _ => cut::<4>(bytes, to),
        }
    }
}

/// Integers, truncated or extended with zeros.
fn cut<const FROM: usize>(bytes: &[u8], to: DataType) -> Result<Vec<u8>, OutOfRange> {
    match to.size() {
        1 => each::<FROM, 1>(bytes, Ok),
        2 => each::<FROM, 2>(bytes, Ok),
        _ => each::<FROM, 4>(bytes, Ok),
    }
}

/// Converts elements that are singles, or become singles on the way.
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

/// The bits of the nearest bfloat16; a carry out of the fraction increments the exponent.
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

/// Converts elements of `FROM` bytes to elements of `TO` bytes, both little-endian.
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
