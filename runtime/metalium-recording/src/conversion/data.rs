//! The data of writes: by content, or by a generator of equal or similar data.

use hallmark_schema::model::{Blobs, Data, DataType, Generator, Real};

/// The part of the data of writes that a capture keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataPolicy {
    /// All data.
    Whole,
    /// The length of data, the range of small integers, and a repeated word. Later reads are not checked; only
    /// the hashes of their results are kept.
    Shape,
}

/// The largest word that counts as an integer; larger words are taken for other element types.
const LARGEST_INTEGER: u32 = 1 << 24;

/// The data of a write, and whether they equal the written data. `number` counts the writes.
pub(super) fn data(
    written: &[u8],
    policy: DataPolicy,
    number: usize,
    blobs: &mut Blobs,
) -> (Data, bool) {
    let length = written.len() as u64;
    if let Some(bits) = constant(written) {
        let generator = Generator::Constant { data_type: DataType::Uint32, bits };
        return (Data::generated(generator, length), true);
    }
    match policy {
        DataPolicy::Whole => {
            let content = Data::blob(written);
            blobs.entry(content.hash).or_insert_with(|| written.into());
            (content, true)
        }
        DataPolicy::Shape => (Data::generated(alike(written, number as u64), length), false),
    }
}

fn words(bytes: &[u8]) -> impl Iterator<Item = u32> {
    let (words, _) = bytes.as_chunks::<4>();
    words.iter().map(|word| u32::from_le_bytes(*word))
}

/// The word that the bytes repeat, if there is one.
fn constant(bytes: &[u8]) -> Option<u32> {
    let first = words(bytes).next()?;
    let generated = first.to_le_bytes();
    let mut chunks = bytes.chunks(4);
    chunks.all(|chunk| generated.starts_with(chunk)).then_some(first)
}

/// Other data that kernels accept in the same way: integers in the same range, so that indices stay valid, or
/// else floating-point numbers from 0 to 1.
fn alike(bytes: &[u8], seed: u64) -> Generator {
    let range = words(bytes).min().zip(words(bytes).max());
    let real = |word: u32| Real::new(word.into());
    let integers = range
        .filter(|(_, largest)| *largest < LARGEST_INTEGER)
        .and_then(|(smallest, largest)| Some((real(smallest)?, real(largest)?)));
    match integers {
        Some((minimum, maximum)) => {
            Generator::UniformBetween { data_type: DataType::Uint32, seed, minimum, maximum }
        }
        None => Generator::Uniform { data_type: DataType::Bfloat16, seed },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(bytes: &[u8], policy: DataPolicy) -> (Data, bool, usize) {
        let mut blobs = Blobs::new();
        let (data, is_same) = data(bytes, policy, 3, &mut blobs);
        assert_eq!(data.length, bytes.len() as u64);
        (data, is_same, blobs.len())
    }

    #[test]
    fn a_repeated_word_is_a_generator_that_makes_the_same_bytes() {
        // The last word is incomplete.
        let bytes = [1, 2, 3, 4, 1, 2, 3, 4, 1, 2];
        for option in [DataPolicy::Whole, DataPolicy::Shape] {
            let (data, is_same, blobs) = kept(&bytes, option);
            assert_eq!(&*data.bytes(&Blobs::new()).unwrap(), bytes);
            assert!(is_same && blobs == 0);
        }
        let (_, _, blobs) = kept(&[1, 2, 3, 4, 1, 2, 3, 4, 2, 2], DataPolicy::Whole);
        assert_eq!(blobs, 1);
    }

    #[test]
    fn without_data_indices_stay_in_their_range() {
        let bytes: Vec<u8> = (5..9_u32).flat_map(u32::to_le_bytes).collect();
        let (data, is_same, count) = kept(&bytes, DataPolicy::Shape);
        assert!(!is_same && count == 0);
        let blobs = Blobs::new();
        let made = data.bytes(&blobs).unwrap();
        assert!(words(&made).all(|word| (5..9).contains(&word)), "{made:?}");
        let (data, is_same, _) = kept(&[0, 0x3f, 0x80, 0x3f, 1, 0, 0x80, 0x40], DataPolicy::Shape);
        assert!(!is_same);
        let uniform = Generator::Uniform { data_type: DataType::Bfloat16, seed: 3 };
        assert_eq!(data.generator, Some(uniform));
    }
}
