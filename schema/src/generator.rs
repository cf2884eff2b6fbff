//! The bytes that a [`Generator`] makes, and data by hash.
//!
//! Every mapping here is written down in full, because goldens hold hashes of what it makes: none
//! of it may ever change. Nothing is left to a library but the ChaCha8 block function.
//!
//! *Uniform*: the key stream of ChaCha with 8 rounds, a 64-bit block counter from 0 and a nonce of
//! 0. The key is eight little-endian words, each the output of one step of the PCG32 generator that
//! starts at the seed: `state = state * 6364136223846793005 + 11634580027462260723` (mod 2^64), then
//! the word is `((state >> 18) ^ state) >> 27`, its lower 32 bits rotated right by `state >> 59`.
//! Integers are the key stream as it is. A `float32` is made of a little-endian word `w` of it as
//! `(w >> 8) / 2^24`, a `bfloat16` of a little-endian half-word `h` as `(h >> 8) / 2^8`; both are
//! exact, and so is a `float16`, `(h >> 5) / 2^11`.
//!
//! *Uniform between bounds* takes a little-endian word `w` of the key stream for each element, of
//! whatever type. An integer is `minimum + ((w * (maximum - minimum + 1)) >> 32)`. A floating-point
//! value is `minimum + (maximum - minimum) * (w / 2^32)`, each operation in IEEE double, then rounded
//! to the type.
//!
//! *Normal* takes twelve words for each element. Their sum less `6 * (2^32 - 1)`, divided by 2^32, is
//! exact in a double, symmetric around 0, and has a variance of 1 - 2^-64 (the distribution of Irwin
//! and Hall); the element is `mean + deviation * sum`, each operation in IEEE double, then rounded to
//! the type. No logarithm and no root occurs, which machines compute differently.
//!
//! Rounding to a type is to nearest, ties to even; see `element.rs`.

use std::borrow::Cow;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use crate::model::{Blobs, ContentHash, Data, DataType, Generator};

/// What a generator makes between two looks at its consumer; a multiple of every element's size and
/// of the blocks that ChaCha works in.
const CHUNK: usize = 64 << 10;

impl Generator {
    /// The encoding of its elements.
    pub const fn data_type(&self) -> DataType {
        match *self {
            Self::Constant { data_type, .. }
            | Self::Sequence { data_type, .. }
            | Self::Uniform { data_type, .. }
            | Self::UniformBetween { data_type, .. }
            | Self::Normal { data_type, .. } => data_type,
        }
    }

    /// Whether its elements fit their type over `length` bytes.
    ///
    /// # Errors
    /// What does not fit.
    pub fn check(&self, length: u64) -> Result<(), &'static str> {
        match *self {
            Self::Constant { data_type, bits } => match data_type.size() {
                1 if bits > 0xff => Err("the constant has more than 8 bits"),
                2 if bits > 0xffff => Err("the constant has more than 16 bits"),
                _ => Ok(()),
            },
            Self::Sequence { data_type, start, step } => {
                if !data_type.is_float() {
                    return Ok(());
                }
                let exact = data_type.exact_integers();
                let last = i128::from(length.div_ceil(data_type.size() as u64)) - 1;
                let end = i128::from(start) + i128::from(step) * last.max(0);
                if start.unsigned_abs() > exact || end.unsigned_abs() > u128::from(exact) {
                    return Err("the sequence leaves the integers that the type holds exactly");
                }
                Ok(())
            }
            Self::Uniform { .. } => Ok(()),
            Self::UniformBetween { data_type, minimum, maximum, .. } => {
                let (minimum, maximum) = (minimum.get(), maximum.get());
                let (least, most) = data_type.range();
                if minimum > maximum {
                    return Err("the smallest value is larger than the largest");
                }
                if minimum < least || maximum > most {
                    return Err("a bound lies outside of the type");
                }
                if !data_type.is_float() && (minimum.fract() != 0.0 || maximum.fract() != 0.0) {
                    return Err("an integer's bounds are whole numbers");
                }
                Ok(())
            }
            Self::Normal { data_type, mean, deviation, .. } => {
                let (mean, deviation) = (mean.get(), deviation.get());
                let (least, most) = data_type.range();
                if deviation < 0.0 {
                    return Err("the standard deviation is negative");
                }
                if mean < least || mean > most || deviation > most {
                    return Err("the mean or the standard deviation lies outside of the type");
                }
                if data_type.is_float() && mean.abs() + 6.0 * deviation > most {
                    return Err("six standard deviations from the mean is beyond the type");
                }
                Ok(())
            }
        }
    }

    /// Its bytes from the first on, for a reader that takes `length` of them in all.
    pub fn reader(&self, length: u64) -> GeneratedBytes {
        // Whole elements are made, so that a last one that is cut off has the right first bytes.
        let size = usize::try_from(length).unwrap_or(CHUNK).clamp(1, CHUNK).next_multiple_of(4);
        GeneratedBytes { source: Source::new(self), chunk: vec![0; size], used: size }
    }

    /// The first `length` bytes. The caller bounds the length;
    /// [`DATA_BYTES`](crate::limits::DATA_BYTES) is the most that a valid capture asks for.
    pub fn bytes(&self, length: u64) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or_default());
        self.reader(length).pass_on(length, |part| bytes.extend_from_slice(part));
        bytes
    }

    /// The hash of the first `length` bytes, of which no more than 64 KiB are held at a time.
    pub fn hash(&self, length: u64) -> ContentHash {
        let mut hasher = blake3::Hasher::new();
        self.reader(length).pass_on(length, |part| {
            hasher.update(part);
        });
        ContentHash(*hasher.finalize().as_bytes())
    }
}

/// What a generator makes, from the first byte on, as far as it is asked for.
pub struct GeneratedBytes {
    source: Source,
    /// What was made last.
    chunk: Vec<u8>,
    /// How many bytes of it were passed on.
    used: usize,
}

impl GeneratedBytes {
    /// Puts the next `length` bytes in the place of what `bytes` holds.
    pub fn next_in(&mut self, length: u64, bytes: &mut Vec<u8>) {
        bytes.clear();
        bytes.reserve_exact(usize::try_from(length).unwrap_or_default());
        self.pass_on(length, |part| bytes.extend_from_slice(part));
    }

    /// Passes the next `length` bytes on to `consume`, in parts of up to 64 KiB.
    fn pass_on(&mut self, length: u64, mut consume: impl FnMut(&[u8])) {
        let mut left = length;
        while left > 0 {
            if self.used == self.chunk.len() {
                self.source.fill(&mut self.chunk);
                self.used = 0;
            }
            let most = usize::try_from(left).unwrap_or(usize::MAX);
            let size = most.min(self.chunk.len() - self.used);
            consume(self.chunk.get(self.used..self.used + size).unwrap_or_default());
            self.used += size;
            left -= size as u64;
        }
    }
}

enum Source {
    Repeat { bytes: [u8; 4], size: usize },
    Count { data_type: DataType, next: i64, step: i64 },
    Random { data_type: DataType, stream: Box<ChaCha8Rng> },
    Between { data_type: DataType, minimum: f64, maximum: f64, words: Box<Words> },
    Bell { data_type: DataType, mean: f64, deviation: f64, words: Box<Words> },
}

/// The key stream word by word.
struct Words {
    stream: ChaCha8Rng,
    /// Four blocks: requests for whole blocks never leave part of one behind.
    block: [u8; 256],
    next: usize,
}

impl Words {
    fn new(seed: u64) -> Box<Self> {
        let stream = ChaCha8Rng::from_seed(key(seed));
        Box::new(Self { stream, block: [0; 256], next: 64 })
    }

    fn next(&mut self) -> u32 {
        if self.next >= self.block.len() / 4 {
            self.stream.fill_bytes(&mut self.block);
            self.next = 0;
        }
        let word = self.block.as_chunks().0.get(self.next).copied().unwrap_or_default();
        self.next += 1;
        u32::from_le_bytes(word)
    }
}

const TWO_TO_32: f64 = 4_294_967_296.0;

fn between(data_type: DataType, minimum: f64, maximum: f64, word: u32) -> u32 {
    if data_type.is_float() {
        return data_type.nearest(minimum + (maximum - minimum) * (f64::from(word) / TWO_TO_32));
    }
    // Bounds of integers are whole and of at most 33 bits, so that all of this is exact.
    let span = (maximum - minimum) as u64 + 1;
    let offset = (u64::from(word) * span) >> 32;
    data_type.nearest(minimum + offset as f64)
}

fn bell(data_type: DataType, mean: f64, deviation: f64, words: &mut Words) -> u32 {
    let sum: i64 = (0..12).map(|_| i64::from(words.next())).sum();
    let centred = (sum - 6 * i64::from(u32::MAX)) as f64 / TWO_TO_32;
    data_type.nearest(mean + deviation * centred)
}

impl Source {
    fn new(generator: &Generator) -> Self {
        match *generator {
            Generator::Constant { data_type, bits } => {
                Self::Repeat { bytes: bits.to_le_bytes(), size: data_type.size() }
            }
            Generator::Sequence { data_type, start, step } => {
                Self::Count { data_type, next: start, step }
            }
            Generator::Uniform { data_type, seed } => {
                let stream = Box::new(ChaCha8Rng::from_seed(key(seed)));
                Self::Random { data_type, stream }
            }
            Generator::UniformBetween { data_type, seed, minimum, maximum } => Self::Between {
                data_type,
                minimum: minimum.get(),
                maximum: maximum.get(),
                words: Words::new(seed),
            },
            Generator::Normal { data_type, seed, mean, deviation } => Self::Bell {
                data_type,
                mean: mean.get(),
                deviation: deviation.get(),
                words: Words::new(seed),
            },
        }
    }

    /// Fills `buffer`, which holds whole elements, with those that come next.
    fn fill(&mut self, buffer: &mut [u8]) {
        match self {
            Self::Repeat { bytes, size } => set_elements(buffer, *size, || *bytes),
            Self::Count { data_type, next, step } => {
                set_elements(buffer, data_type.size(), || {
                    let element = integer(*data_type, *next);
                    *next = next.wrapping_add(*step);
                    element
                });
            }
            Self::Random { data_type, stream } => {
                // Requests for whole chunks never leave part of a block behind.
                stream.fill_bytes(buffer);
                match data_type {
                    DataType::Uint8
                    | DataType::Uint16
                    | DataType::Uint32
                    | DataType::Int8
                    | DataType::Int16
                    | DataType::Int32 => {}
                    DataType::Float32 => {
                        for element in buffer.as_chunks_mut::<4>().0 {
                            let unit = (u32::from_le_bytes(*element) >> 8) as f32 / 16_777_216.0;
                            *element = unit.to_le_bytes();
                        }
                    }
                    DataType::Bfloat16 => {
                        for element in buffer.as_chunks_mut::<2>().0 {
                            let unit = f32::from(u16::from_le_bytes(*element) >> 8) / 256.0;
                            *element = upper_half(unit);
                        }
                    }
                    DataType::Float16 => {
                        for element in buffer.as_chunks_mut::<2>().0 {
                            let unit = f64::from(u16::from_le_bytes(*element) >> 5) / 2048.0;
                            let [low, high, ..] = DataType::Float16.nearest(unit).to_le_bytes();
                            *element = [low, high];
                        }
                    }
                }
            }
            Self::Between { data_type, minimum, maximum, words } => {
                set_elements(buffer, data_type.size(), || {
                    between(*data_type, *minimum, *maximum, words.next()).to_le_bytes()
                });
            }
            Self::Bell { data_type, mean, deviation, words } => {
                set_elements(buffer, data_type.size(), || {
                    bell(*data_type, *mean, *deviation, words).to_le_bytes()
                });
            }
        }
    }
}

/// Sets every element of a buffer to the first of the bytes that `next` gives. Stores have the element's size: data of
/// tens of megabytes are made several times in a test.
fn set_elements(buffer: &mut [u8], size: usize, mut next: impl FnMut() -> [u8; 4]) {
    match size {
        1 => buffer.iter_mut().for_each(|element| [*element, ..] = next()),
        2 => {
            for element in buffer.as_chunks_mut::<2>().0 {
                let [low, high, ..] = next();
                *element = [low, high];
            }
        }
        _ => buffer.as_chunks_mut::<4>().0.iter_mut().for_each(|element| *element = next()),
    }
}

/// The bytes of an integer in an encoding; those beyond the encoding's size are not used.
fn integer(data_type: DataType, value: i64) -> [u8; 4] {
    match data_type {
        DataType::Uint8
        | DataType::Uint16
        | DataType::Uint32
        | DataType::Int8
        | DataType::Int16
        | DataType::Int32 => (value as u32).to_le_bytes(),
        // `check` lets only whole numbers through that the type holds.
        DataType::Float32 | DataType::Bfloat16 | DataType::Float16 => {
            data_type.nearest(value as f64).to_le_bytes()
        }
    }
}

fn upper_half(value: f32) -> [u8; 2] {
    let [_, _, low, high] = value.to_le_bytes();
    [low, high]
}

/// The documented expansion of a seed.
fn key(seed: u64) -> [u8; 32] {
    let mut state = seed;
    let mut key = [0; 32];
    for word in key.as_chunks_mut::<4>().0 {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(11_634_580_027_462_260_723);
        let mixed = (((state >> 18) ^ state) >> 27) as u32;
        *word = mixed.rotate_right((state >> 59) as u32).to_le_bytes();
    }
    key
}

/// Data that cannot be had.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DataError {
    /// More than is ever made.
    #[error("{length} B of data are too many; at most {limit} B are accepted")]
    TooLong {
        /// How many bytes are asked for.
        length: u64,
        /// The most that is made.
        limit: u64,
    },
    /// No generator, and no such blob.
    #[error(
        "the data of {length} B with the hash {hash} is missing; use a self-contained capture, or add the data"
    )]
    NotHere {
        /// The hash by which the bytes are known.
        hash: ContentHash,
        /// How many bytes they are.
        length: u64,
    },
    /// The bytes are others than the hash says.
    #[error("the data has the hash {computed}, but the capture says {stored}")]
    Hash {
        /// The hash that the capture says.
        stored: ContentHash,
        /// That of the bytes.
        computed: ContentHash,
    },
    /// The bytes are more or fewer than recorded.
    #[error("the data has {actual} B, but the capture says {stored} B")]
    Length {
        /// The number of bytes that the capture says.
        stored: u64,
        /// How many there are.
        actual: u64,
    },
}

hallmark_chip::error_checks! { pub DataError: TooLong, Hash, Length; besides: NotHere }

impl Data {
    /// Data made by a generator, with the hash of what it makes.
    pub fn generated(generator: Generator, length: u64) -> Self {
        Self { length, hash: generator.hash(length), generator: Some(generator) }
    }

    /// Data kept as a blob.
    pub fn blob(bytes: &[u8]) -> Self {
        Self { length: bytes.len() as u64, hash: ContentHash::of(bytes), generator: None }
    }

    /// The bytes, made or found, with length and hash checked.
    ///
    /// # Errors
    /// They are not there, or not those that are recorded.
    pub fn bytes<'b>(&self, blobs: &'b Blobs) -> Result<Cow<'b, [u8]>, DataError> {
        if self.length > crate::limits::DATA_BYTES {
            let limit = crate::limits::DATA_BYTES;
            DataError::TooLong { length: self.length, limit }.refuse()?;
        }
        let bytes = match &self.generator {
            Some(generator) => Cow::Owned(generator.bytes(self.length)),
            None => {
                let missing = DataError::NotHere { hash: self.hash, length: self.length };
                Cow::Borrowed(&**blobs.get(&self.hash).ok_or(missing)?)
            }
        };
        if bytes.len() as u64 != self.length {
            DataError::Length { stored: self.length, actual: bytes.len() as u64 }.refuse()?;
        }
        let computed = ContentHash::of(&bytes);
        if computed != self.hash {
            DataError::Hash { stored: self.hash, computed }.refuse()?;
        }
        Ok(bytes)
    }
}
