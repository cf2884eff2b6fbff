//! Data that steps write.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use hallmark_runtime::device_code::refuse_links;
use hallmark_schema::model::{ContentHash, Data, DataType, Generator, Real};

use super::Depth;
use super::evaluator::Evaluator;
use crate::known_bytes::KnownBytes;
use crate::language::DataSource;
use crate::mistake::Span;
use crate::read::Number;

/// More data than this in one value is refused.
const LENGTH_LIMIT: u64 = 256 << 20;

/// Bytes that are known before the run; not made while a suite is only checked.
#[derive(Clone, Debug)]
pub(super) struct BoundData {
    pub(super) length: u64,
    pub(super) bytes: Option<KnownBytes>,
    pub(super) generator: Option<Generator>,
    /// The hash, if only the hash is known.
    pub(super) hash: Option<ContentHash>,
}

impl BoundData {
    pub(super) fn of(bytes: Vec<u8>) -> Self {
        Self {
            length: u64::try_from(bytes.len()).unwrap_or(u64::MAX),
            bytes: Some(bytes.into()),
            generator: None,
            hash: None,
        }
    }

    pub(super) fn known(bytes: KnownBytes) -> Self {
        Self { length: bytes.length(), bytes: Some(bytes), generator: None, hash: None }
    }

    pub(super) const fn unmade(length: u64) -> Self {
        Self { length, bytes: None, generator: None, hash: None }
    }
}

/// A generator with another seed, if it has one.
const fn shifted(generator: Generator, shift: u64) -> Generator {
    match generator {
        Generator::Uniform { data_type, seed } => {
            Generator::Uniform { data_type, seed: seed ^ shift }
        }
        Generator::UniformBetween { data_type, seed, minimum, maximum } => {
            Generator::UniformBetween { data_type, seed: seed ^ shift, minimum, maximum }
        }
        Generator::Normal { data_type, seed, mean, deviation } => {
            Generator::Normal { data_type, seed: seed ^ shift, mean, deviation }
        }
        Generator::Constant { .. } | Generator::Sequence { .. } => generator,
    }
}

/// Where the data of a test comes from, and the bytes that no generator makes.
#[derive(Debug)]
pub(super) struct DataMaker<'a> {
    /// The folder `suites`.
    suites: &'a Path,
    /// The number that the seeds of generators are combined with by exclusive or.
    seed_shift: u64,
    depth: Depth,
    blobs: BTreeMap<ContentHash, Arc<[u8]>>,
}

impl<'a> DataMaker<'a> {
    pub(super) const fn new(suites: &'a Path, seed_shift: u64, depth: Depth) -> Self {
        Self { suites, seed_shift, depth, blobs: BTreeMap::new() }
    }

    pub(super) const fn depth(&self) -> Depth {
        self.depth
    }

    /// The bytes that commands refer to by their hashes.
    pub(super) const fn blobs(&self) -> &BTreeMap<ContentHash, Arc<[u8]>> {
        &self.blobs
    }

    pub(super) fn add_blob(&mut self, hash: ContentHash, bytes: Arc<[u8]>) {
        self.blobs.insert(hash, bytes);
    }

    pub(super) fn into_blobs(self) -> BTreeMap<ContentHash, Arc<[u8]>> {
        self.blobs
    }

    /// The data of a source; `default_length` is the length of the buffer that the data is written to, if it is known.
    pub(super) fn source(
        &self,
        evaluator: &mut Evaluator<'_>,
        source: &DataSource,
        span: Span,
        default_length: Option<u64>,
    ) -> Option<BoundData> {
        let (length, generator) = match source {
            DataSource::Uniform(data) => {
                let data_type = evaluator.setting(&data.uniform);
                let seed = evaluator.u64(&data.seed, "the seed");
                let length = length(evaluator, data.length.as_ref(), default_length, span);
                let bounds = bounds(evaluator, data.min.as_ref(), data.max.as_ref())?;
                let (data_type, seed) = (data_type?, seed?);
                (
                    length,
                    match bounds {
                        None => Generator::Uniform { data_type, seed },
                        Some((minimum, maximum)) => {
                            Generator::UniformBetween { data_type, seed, minimum, maximum }
                        }
                    },
                )
            }
            DataSource::Normal(data) => {
                let data_type = evaluator.setting(&data.normal);
                let seed = evaluator.u64(&data.seed, "the seed");
                let mean = data.mean.as_ref().map_or(Some(Real::ZERO), |mean| evaluator.real(mean));
                let one = Some(Real::from(1));
                let deviation =
                    data.deviation.as_ref().map_or(one, |number| evaluator.real(number));
                let length = length(evaluator, data.length.as_ref(), default_length, span);
                (
                    length,
                    Generator::Normal {
                        data_type: data_type?,
                        seed: seed?,
                        mean: mean?,
                        deviation: deviation?,
                    },
                )
            }
            DataSource::Sequence(data) => {
                let data_type = evaluator.setting(&data.sequence);
                let is_float = data_type.is_some_and(DataType::is_float);
                let start = whole(evaluator, data.start.as_ref(), 0, is_float);
                let step = whole(evaluator, data.step.as_ref(), 1, is_float);
                let length = length(evaluator, data.length.as_ref(), default_length, span);
                (length, Generator::Sequence { data_type: data_type?, start: start?, step: step? })
            }
            DataSource::Constant(data) => {
                let data_type = evaluator.setting(&data.constant);
                let length = length(evaluator, data.length.as_ref(), default_length, span);
                let data_type = data_type?;
                let (value, bits) = (data.value.as_ref(), data.bits.as_ref());
                let bits = constant_bits(evaluator, data_type, value, bits, span)?;
                (length, Generator::Constant { data_type, bits })
            }
            DataSource::File(data) => {
                return self.file(evaluator, &data.file.value, data.file.span);
            }
            DataSource::Words(data) => return word_bytes(evaluator, &data.words),
        };
        self.generated(evaluator, generator, length?, span)
    }

    fn generated(
        &self,
        evaluator: &mut Evaluator<'_>,
        generator: Generator,
        length: u64,
        span: Span,
    ) -> Option<BoundData> {
        let generator = shifted(generator, self.seed_shift);
        if let Err(problem) = generator.check(length) {
            return evaluator.mistakes().add(
                format!("this generator cannot make the data: {problem}"),
                span,
                "",
            );
        }
        Some(self.known(generator, length))
    }

    /// The bytes of a generator as it is, without another seed.
    pub(super) fn known(&self, generator: Generator, length: u64) -> BoundData {
        let bytes = (self.depth == Depth::Full).then(|| KnownBytes::generated(generator, length));
        BoundData { length, bytes, generator: Some(generator), hash: None }
    }

    fn file(&self, evaluator: &mut Evaluator<'_>, path: &str, span: Span) -> Option<BoundData> {
        if path.split('/').any(|part| part == ".." || part.is_empty()) || path.starts_with('/') {
            return evaluator.mistakes().add(
                format!("`{path}` lies outside the folder `suites`"),
                span,
                "write the path relative to the folder `suites`",
            );
        }
        let read = || {
            refuse_links(self.suites, path)?;
            std::fs::read(self.suites.join(path))
        };
        match read() {
            Ok(bytes) => {
                let known = BoundData::of(bytes);
                limited(evaluator, known.length, span)?;
                Some(known)
            }
            Err(error) => evaluator.mistakes().add(
                format!("`{path}` cannot be read: {error}"),
                span,
                "the path is relative to the folder `suites`",
            ),
        }
    }

    /// Data as a command holds it; data without a generator joins the blobs.
    pub(super) fn command_data(&mut self, known: &BoundData) -> Data {
        let Some(bytes) = &known.bytes else {
            return Data {
                length: known.length,
                hash: ContentHash([0; 32]),
                generator: known.generator,
            };
        };
        let hash = bytes.hash();
        if known.generator.is_none() {
            self.blobs.insert(hash, Arc::from(&**bytes));
        }
        Data { length: known.length, hash, generator: known.generator }
    }
}

/// The bounds of uniform data: none, or both.
#[expect(clippy::option_option, reason = "a mistake, no bounds, bounds")]
fn bounds(
    evaluator: &mut Evaluator<'_>,
    minimum: Option<&Number>,
    maximum: Option<&Number>,
) -> Option<Option<(Real, Real)>> {
    match (minimum, maximum) {
        (None, None) => Some(None),
        (Some(minimum), Some(maximum)) => {
            let (minimum, maximum) = (evaluator.real(minimum), evaluator.real(maximum));
            Some(Some((minimum?, maximum?)))
        }
        (Some(one), None) | (None, Some(one)) => evaluator.mistakes().add(
            "`min` and `max` need each other",
            one.0.span(),
            "give both, or neither",
        ),
    }
}

/// The bits of each element of constant data.
fn constant_bits(
    evaluator: &mut Evaluator<'_>,
    data_type: DataType,
    value: Option<&Number>,
    bits: Option<&Number>,
    span: Span,
) -> Option<u32> {
    match (value, bits) {
        (Some(number), None) if data_type.is_float() => {
            let value = evaluator.real(number)?.get();
            let (least, most) = data_type.range();
            if !(least..=most).contains(&value) {
                return evaluator.mistakes().add(
                    "this value does not fit into an element",
                    number.0.span(),
                    format!("{least:e} to {most:e}"),
                );
            }
            Some(data_type.nearest(value))
        }
        (Some(number), None) => {
            let value = evaluator.number(number)?;
            match element_bits(data_type, value) {
                Some(bits) => Some(bits),
                None => evaluator.mistakes().add(
                    "this value does not fit into an element",
                    number.0.span(),
                    "",
                ),
            }
        }
        (None, Some(bits)) => evaluator.u32(bits, "the bits"),
        (Some(_), Some(_)) | (None, None) => evaluator.mistakes().add(
            "constant data needs either `value` or `bits`",
            span,
            "give one of the two",
        ),
    }
}

/// The start or the step of a sequence. For a floating-point type, a fraction is a mistake: `1 / 2` would be 0 without a word.
fn whole(
    evaluator: &mut Evaluator<'_>,
    number: Option<&Number>,
    default: i64,
    is_float: bool,
) -> Option<i64> {
    let Some(number) = number else { return Some(default) };
    if is_float {
        let value = evaluator.real(number)?.get();
        if value.fract() != 0.0 {
            return evaluator.mistakes().add(
                format!("{value} is not a whole number, and a sequence has no fractions"),
                number.0.span(),
                "`uniform` with `min` and `max`, `normal` and `constant` take fractions",
            );
        }
        // A double holds every whole number up to there, and `2.0` is one.
        if value.abs() < (1_u64 << f64::MANTISSA_DIGITS) as f64 {
            return Some(value as i64);
        }
    }
    evaluator.ranged(number, "this", "-2^63 to 2^63 - 1")
}

fn length(
    evaluator: &mut Evaluator<'_>,
    length: Option<&Number>,
    default: Option<u64>,
    span: Span,
) -> Option<u64> {
    let (length, span) = match length {
        Some(number) => (evaluator.u64(number, "the length")?, number.0.span()),
        None => (default?, span),
    };
    limited(evaluator, length, span)
}

/// Refuses more data than one value may have.
pub(super) fn limited(evaluator: &mut Evaluator<'_>, length: u64, span: Span) -> Option<u64> {
    if length <= LENGTH_LIMIT {
        return Some(length);
    }
    evaluator.mistakes().add(
        format!("{length} B are too much for one value"),
        span,
        format!("at most {} MiB", LENGTH_LIMIT >> 20),
    )
}

/// The bytes of 32-bit words.
pub(super) fn word_bytes(evaluator: &mut Evaluator<'_>, words: &[Number]) -> Option<BoundData> {
    let words: Vec<Option<u32>> = words.iter().map(|word| evaluator.word(word)).collect();
    let words: Option<Vec<u32>> = words.into_iter().collect();
    Some(BoundData::of(words?.into_iter().flat_map(u32::to_le_bytes).collect()))
}

/// The bits of an integer element.
fn element_bits(data_type: DataType, value: i128) -> Option<u32> {
    match data_type {
        DataType::Uint8 => u8::try_from(value).ok().map(u32::from),
        DataType::Uint16 => u16::try_from(value).ok().map(u32::from),
        DataType::Uint32 => u32::try_from(value).ok(),
        DataType::Int8 => i8::try_from(value).ok().map(|value| u32::from(value.cast_unsigned())),
        DataType::Int16 => i16::try_from(value).ok().map(|value| u32::from(value.cast_unsigned())),
        DataType::Int32 => i32::try_from(value).ok().map(i32::cast_unsigned),
        DataType::Float32 | DataType::Bfloat16 | DataType::Float16 => None,
    }
}
