//! Data: what steps write, and the values that expectations compute from it.

use std::collections::BTreeMap;
use std::sync::Arc;

use hallmark_schema::model::{ContentHash, Data, DataType, Generator, Real};

use super::{Binder, Depth};
use crate::suite::known_bytes::KnownBytes;
use crate::suite::language::{ComputedValue, DataSource, ExpectedValue, ValueForm};
use crate::suite::mistake::{Mistake, Span, suggest};
use crate::suite::read::{Name, Number};

/// More data than this in one value is refused.
const LENGTH_LIMIT: u64 = 256 << 20;

/// Bytes that are known before the run; not made while a suite is only checked.
#[derive(Clone, Debug)]
pub(super) struct BoundData {
    pub(super) length: u64,
    pub(super) bytes: Option<KnownBytes>,
    pub(super) generator: Option<Generator>,
    /// Where nothing but the hash is known.
    pub(super) hash: Option<ContentHash>,
}

/// What a name of data means from a command on.
#[derive(Clone, Debug)]
enum Meaning {
    /// These bytes.
    Data(BoundData),
    /// Bytes that nobody knows before the run.
    Unknown,
    /// Bytes that would be known but for a mistake, which is noted.
    Mistaken,
}

/// What is known of data by name: of what a step called so, or of the buffer that it was written to.
#[derive(Clone, Debug, Default)]
pub(super) struct KnownData {
    /// With the command that wrote it, in their order.
    written: BTreeMap<String, Vec<(u32, Meaning)>>,
    /// What a name meant before this command, if not what it means now.
    before: Option<u32>,
}

impl KnownData {
    /// Notes what a command wrote; nothing where a mistake keeps it from being known.
    pub(super) fn insert(&mut self, name: String, command: u32, known: Option<BoundData>) {
        let meaning = known.map_or(Meaning::Mistaken, Meaning::Data);
        self.written.entry(name).or_default().push((command, meaning));
    }

    /// From this command on, nobody knows what the name means.
    pub(super) fn forget(&mut self, name: &str, command: u32) {
        if let Some(written) = self.written.get_mut(name) {
            written.push((command, Meaning::Unknown));
        }
    }

    /// From here on, names mean what they meant when this command read.
    pub(super) const fn look_back(&mut self, before: Option<u32>) {
        self.before = before;
    }

    /// Whether a step gave data this name, known or not.
    pub(super) fn is_named(&self, name: &str) -> bool {
        !matches!(self.meaning(name), None | Some(Meaning::Unknown))
    }

    fn meaning(&self, name: &str) -> Option<&Meaning> {
        let all = self.written.get(name)?;
        let seen = match self.before {
            Some(command) => all.partition_point(|(written, _)| *written < command),
            None => all.len(),
        };
        all.get(seen.checked_sub(1)?).map(|(_, meaning)| meaning)
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        self.written.keys().map(String::as_str).filter(|name| self.is_named(name))
    }
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

impl Binder<'_> {
    /// The data of a source; `default_length` is that of the buffer it is written to, if it is known.
    pub(super) fn source(
        &mut self,
        source: &DataSource,
        span: Span,
        default_length: Option<u64>,
    ) -> Option<BoundData> {
        match source {
            DataSource::Uniform(data) => {
                let data_type = self.setting(&data.uniform);
                let seed = self.u64(&data.seed, "the seed");
                let length = self.length(data.length.as_ref(), default_length, span);
                let generator = match (&data.min, &data.max) {
                    (None, None) => Generator::Uniform { data_type: data_type?, seed: seed? },
                    (Some(minimum), Some(maximum)) => {
                        let (minimum, maximum) = (self.real(minimum), self.real(maximum));
                        Generator::UniformBetween {
                            data_type: data_type?,
                            seed: seed?,
                            minimum: minimum?,
                            maximum: maximum?,
                        }
                    }
                    (Some(one), None) | (None, Some(one)) => {
                        return self.mistakes.add(
                            "`min` and `max` need each other",
                            one.0.span(),
                            "give both, or neither",
                        );
                    }
                };
                self.generated(generator, length?, span)
            }
            DataSource::Normal(data) => {
                let data_type = self.setting(&data.normal);
                let seed = self.u64(&data.seed, "the seed");
                let mean = data.mean.as_ref().map_or(Some(Real::ZERO), |mean| self.real(mean));
                let one = Some(Real::from(1));
                let deviation = data.deviation.as_ref().map_or(one, |number| self.real(number));
                let length = self.length(data.length.as_ref(), default_length, span);
                let generator = Generator::Normal {
                    data_type: data_type?,
                    seed: seed?,
                    mean: mean?,
                    deviation: deviation?,
                };
                self.generated(generator, length?, span)
            }
            DataSource::Sequence(data) => {
                let data_type = self.setting(&data.sequence);
                let start = self.signed(data.start.as_ref(), 0);
                let step = self.signed(data.step.as_ref(), 1);
                let length = self.length(data.length.as_ref(), default_length, span);
                let generator =
                    Generator::Sequence { data_type: data_type?, start: start?, step: step? };
                self.generated(generator, length?, span)
            }
            DataSource::Constant(data) => {
                let data_type = self.setting(&data.constant);
                let length = self.length(data.length.as_ref(), default_length, span);
                let data_type = data_type?;
                let bits = match (&data.value, &data.bits) {
                    (Some(number), None) if data_type.is_float() => {
                        let value = self.real(number)?.get();
                        let (least, most) = data_type.range();
                        if !(least..=most).contains(&value) {
                            return self.mistakes.add(
                                "this value does not fit into an element",
                                number.0.span(),
                                format!("{least:e} to {most:e}"),
                            );
                        }
                        data_type.nearest(value)
                    }
                    (Some(number), None) => {
                        let value = self.number(number)?;
                        let Some(bits) = element_bits(data_type, value) else {
                            return self.mistakes.add(
                                "this value does not fit into an element",
                                number.0.span(),
                                "",
                            );
                        };
                        bits
                    }
                    (None, Some(bits)) => self.u32(bits, "the bits")?,
                    (Some(_), Some(_)) | (None, None) => {
                        return self.mistakes.add(
                            "constant data needs either `value` or `bits`",
                            span,
                            "give one of the two",
                        );
                    }
                };
                self.generated(Generator::Constant { data_type, bits }, length?, span)
            }
            DataSource::File(data) => self.file(&data.file.value, data.file.span),
            DataSource::Words(data) => self.words(&data.words),
        }
    }

    fn signed(&mut self, number: Option<&Number>, default: i64) -> Option<i64> {
        number.map_or(Some(default), |number| self.ranged(number, "this", "-2^63 to 2^63 - 1"))
    }

    fn length(&mut self, length: Option<&Number>, default: Option<u64>, span: Span) -> Option<u64> {
        let (length, span) = match length {
            Some(number) => (self.u64(number, "the length")?, number.0.span()),
            None => (default?, span),
        };
        self.limited(length, span)
    }

    pub(super) fn limited(&mut self, length: u64, span: Span) -> Option<u64> {
        if length <= LENGTH_LIMIT {
            return Some(length);
        }
        self.mistakes.add(
            format!("{length} B are too much for one value"),
            span,
            format!("at most {} MiB", LENGTH_LIMIT >> 20),
        )
    }

    fn generated(&mut self, generator: Generator, length: u64, span: Span) -> Option<BoundData> {
        let generator = shifted(generator, self.context.seed_shift);
        if let Err(problem) = generator.check(length) {
            return self.mistakes.add(
                format!("this generator cannot make the data: {problem}"),
                span,
                "",
            );
        }
        let bytes = (self.depth == Depth::Full).then(|| KnownBytes::generated(generator, length));
        Some(BoundData { length, bytes, generator: Some(generator), hash: None })
    }

    fn words(&mut self, words: &[Number]) -> Option<BoundData> {
        let words: Vec<Option<u32>> = words.iter().map(|word| self.word(word)).collect();
        let words: Option<Vec<u32>> = words.into_iter().collect();
        Some(BoundData::of(words?.into_iter().flat_map(u32::to_le_bytes).collect()))
    }

    fn file(&mut self, path: &str, span: Span) -> Option<BoundData> {
        if path.split('/').any(|part| part == ".." || part.is_empty()) || path.starts_with('/') {
            return self.mistakes.add(
                format!("`{path}` lies outside the folder `suites`"),
                span,
                "write the path relative to the folder `suites`",
            );
        }
        match std::fs::read(self.context.suites.join(path)) {
            Ok(bytes) => {
                let known = BoundData::of(bytes);
                self.limited(known.length, span)?;
                Some(known)
            }
            Err(error) => self.mistakes.add(
                format!("`{path}` cannot be read: {error}"),
                span,
                "the path is relative to the folder `suites`",
            ),
        }
    }

    /// Data as a command holds it; what no generator makes joins the blobs.
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

    /// The value that an output must have.
    pub(super) fn value(
        &mut self,
        value: &ExpectedValue,
        output_length: Option<u64>,
    ) -> Option<BoundData> {
        match &value.value {
            ValueForm::Name(name) => self.named(name),
            ValueForm::Words(words) => self.words(words),
            ValueForm::Computed(computed) => self.computed(computed, value.span, output_length),
        }
    }

    pub(super) fn named(&mut self, name: &Name) -> Option<BoundData> {
        match self.known.meaning(&name.text) {
            Some(Meaning::Data(known)) => return Some(known.clone()),
            Some(Meaning::Mistaken) => return None,
            Some(Meaning::Unknown) | None => {}
        }
        if self.mistakes.is_wrong_name(&format!("buffer `{}`", name.text), name.span) {
            return None;
        }
        let help = suggest(&name.text, self.known.names());
        if self.scope.buffers.find(&name.text).is_some() {
            return self.mistakes.add(
                format!("no step writes to `{}`, so its content is not known", name.text),
                name.span,
                help,
            );
        }
        let mistake = Mistake::new(format!("unknown data `{}`", name.text), name.span, help);
        self.mistakes.add_unknown_name(&format!("data {}", name.text), mistake)
    }

    fn computed(
        &mut self,
        computed: &ComputedValue,
        span: Span,
        output_length: Option<u64>,
    ) -> Option<BoundData> {
        if let Some(source) = computed.source() {
            return self.source(&source, span, output_length);
        }
        match computed {
            ComputedValue::Map(map) => self.map(map, span, output_length),
            ComputedValue::Slice(slice) => {
                let value = self.value(&slice.slice, output_length);
                let offset = self.u64(&slice.offset, "the offset");
                let length = self.u64(&slice.length, "the length");
                let (value, offset, length) = (value?, offset?, length?);
                let end = offset.checked_add(length).filter(|&end| end <= value.length);
                let Some(end) = end else {
                    return self.mistakes.add(
                        format!(
                            "this slice ends at byte {}, but its value has {} B",
                            u128::from(offset).saturating_add(u128::from(length)),
                            value.length
                        ),
                        span,
                        "",
                    );
                };
                let range = usize::try_from(offset).ok()?..usize::try_from(end).ok()?;
                match value.bytes {
                    Some(bytes) => bytes.get(range).map(|part| BoundData::of(part.to_vec())),
                    None => Some(BoundData::unmade(length)),
                }
            }
            ComputedValue::Concatenate(list) => {
                let values: Vec<Option<BoundData>> =
                    list.concatenate.iter().map(|value| self.value(value, output_length)).collect();
                let values: Vec<BoundData> = values.into_iter().collect::<Option<_>>()?;
                let length =
                    values.iter().fold(0_u64, |sum, value| sum.saturating_add(value.length));
                self.limited(length, span)?;
                let bytes: Option<Vec<&[u8]>> =
                    values.iter().map(|value| value.bytes.as_deref()).collect();
                Some(bytes.map_or(BoundData::unmade(length), |parts| BoundData::of(parts.concat())))
            }
            ComputedValue::Repeat(repeat) => {
                let value = self.value(&repeat.repeat, output_length);
                let times = self.u64(&repeat.times, "`times`");
                let (value, times) = (value?, times?);
                let length = self.limited(value.length.saturating_mul(times), span)?;
                let times = usize::try_from(times).ok()?;
                Some(
                    value.bytes.map_or(BoundData::unmade(length), |bytes| {
                        BoundData::of(bytes.repeat(times))
                    }),
                )
            }
            ComputedValue::Reduce(reduce) => self.reduce(reduce, span, output_length),
            ComputedValue::Permute(permute) => self.permute(permute, span, output_length),
            ComputedValue::Gather(gather) => self.gather(gather, span, output_length),
            ComputedValue::Sort(sort) => self.sort(sort, output_length),
            ComputedValue::Hash(value) => {
                let Ok(hash) = value.hash.value.parse() else {
                    return self.mistakes.add(
                        "this is not a hash",
                        value.hash.span,
                        "a BLAKE3 hash has 64 lower-case hexadecimal digits",
                    );
                };
                let length = match &value.length {
                    Some(length) => self.u64(length, "the length")?,
                    None => output_length?,
                };
                Some(BoundData { length, bytes: None, generator: None, hash: Some(hash) })
            }
            ComputedValue::Uniform(_)
            | ComputedValue::Sequence(_)
            | ComputedValue::Constant(_)
            | ComputedValue::File(_)
            | ComputedValue::Words(_)
            | ComputedValue::Normal(_) => None,
        }
    }
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
