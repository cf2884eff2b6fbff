//! Building blocks of generated encoders and decoders: tables, vectors of tables, texts.
//!
//! An empty string or vector is not written, so that a field added by a later version does not change the bytes
//! of older programs.

use std::collections::BTreeMap;

use flatbuffers::{FlatBufferBuilder, Follow, ForwardsUOffset, Push, Vector, WIPOffset};

use super::Wire;
use super::read::{check_fields, list, text};
use crate::error::{CaptureError, Path, Rule};
use crate::generated::capture as fb;
use crate::model::UnpackToDestMode;

pub(crate) type Builder<'b> = FlatBufferBuilder<'b>;
type VectorOf<'b, T> = Option<WIPOffset<Vector<'b, T>>>;
type TablesOf<'b, T> = VectorOf<'b, ForwardsUOffset<T>>;

/// A model value that is a table of the format.
pub(crate) trait TableWire: Sized {
    /// The generated type that reads the table.
    type Form<'b>: Follow<'b, Inner = Self::Form<'b>> + 'b;

    /// Writes the field values out of line, then the table, in the order of the fields' ids.
    fn encode<'b>(&self, builder: &mut Builder<'b>) -> WIPOffset<Self::Form<'b>>;

    /// Reads it from a verified buffer.
    fn decode(form: Self::Form<'_>, path: &Path<'_>) -> Result<Self, CaptureError>;
}

/// A model value that is a vector of tables of the format.
pub(crate) trait TableList: Sized {
    /// The generated table of an element.
    type Form<'b>: Follow<'b, Inner = Self::Form<'b>> + 'b;

    /// Writes the elements and then the vector.
    fn encode<'b>(&self, builder: &mut Builder<'b>) -> TablesOf<'b, Self::Form<'b>>;

    /// Reads it from a verified buffer.
    fn decode<'b>(
        vector: Option<Vector<'b, ForwardsUOffset<Self::Form<'b>>>>,
        path: &Path<'_>,
    ) -> Result<Self, CaptureError>;
}

impl<T: TableWire> TableList for Vec<T> {
    type Form<'b> = T::Form<'b>;

    fn encode<'b>(&self, builder: &mut Builder<'b>) -> TablesOf<'b, Self::Form<'b>> {
        tables(builder, self, |builder, item| item.encode(builder))
    }

    fn decode<'b>(
        vector: Option<Vector<'b, ForwardsUOffset<Self::Form<'b>>>>,
        path: &Path<'_>,
    ) -> Result<Self, CaptureError> {
        list(vector, path, |item, path| T::decode(item, path))
    }
}

/// Preprocessor definitions, ascending by name.
impl TableList for BTreeMap<String, String> {
    type Form<'b> = fb::Define<'b>;

    fn encode<'b>(&self, builder: &mut Builder<'b>) -> TablesOf<'b, Self::Form<'b>> {
        tables(builder, self, |builder, (name, value)| {
            let args =
                fb::DefineArgs { name: string(builder, name), value: string(builder, value) };
            fb::Define::create(builder, &args)
        })
    }

    fn decode<'b>(
        vector: Option<Vector<'b, ForwardsUOffset<Self::Form<'b>>>>,
        path: &Path<'_>,
    ) -> Result<Self, CaptureError> {
        let pairs = list(vector, path, |define, path| {
            check_fields(&define, path)?;
            Ok((text(define.name()), text(define.value())))
        })?;
        map(pairs, path)
    }
}

/// Named compile-time arguments, ascending by name.
impl TableList for BTreeMap<String, u32> {
    type Form<'b> = fb::NamedCompileArg<'b>;

    fn encode<'b>(&self, builder: &mut Builder<'b>) -> TablesOf<'b, Self::Form<'b>> {
        tables(builder, self, |builder, (name, value)| {
            let args = fb::NamedCompileArgArgs { name: string(builder, name), value: *value };
            fb::NamedCompileArg::create(builder, &args)
        })
    }

    fn decode<'b>(
        vector: Option<Vector<'b, ForwardsUOffset<Self::Form<'b>>>>,
        path: &Path<'_>,
    ) -> Result<Self, CaptureError> {
        let pairs = list(vector, path, |argument, path| {
            check_fields(&argument, path)?;
            Ok((text(argument.name()), argument.value()))
        })?;
        map(pairs, path)
    }
}

/// How circular buffers are unpacked, ascending by index.
impl TableList for BTreeMap<u32, UnpackToDestMode> {
    type Form<'b> = fb::UnpackToDest<'b>;

    fn encode<'b>(&self, builder: &mut Builder<'b>) -> TablesOf<'b, Self::Form<'b>> {
        tables(builder, self, |builder, (index, mode)| {
            let args = fb::UnpackToDestArgs { index: *index, mode: mode.to_wire() };
            fb::UnpackToDest::create(builder, &args)
        })
    }

    fn decode<'b>(
        vector: Option<Vector<'b, ForwardsUOffset<Self::Form<'b>>>>,
        path: &Path<'_>,
    ) -> Result<Self, CaptureError> {
        let pairs = list(vector, path, |entry, path| {
            check_fields(&entry, path)?;
            Ok((entry.index(), UnpackToDestMode::from_wire(entry.mode(), &path.field("mode"))?))
        })?;
        map(pairs, path)
    }
}

/// A map from pairs in ascending order of their keys.
fn map<K: Ord, V>(pairs: Vec<(K, V)>, path: &Path<'_>) -> Result<BTreeMap<K, V>, CaptureError> {
    for (index, pair) in pairs.windows(2).enumerate() {
        if let [(before, _), (after, _)] = pair
            && before >= after
        {
            return Err(path.index(index + 1).error(Rule::NotAscending));
        }
    }
    Ok(pairs.into_iter().collect())
}

pub(crate) fn string<'b>(builder: &mut Builder<'b>, text: &str) -> Option<WIPOffset<&'b str>> {
    (!text.is_empty()).then(|| builder.create_string(text))
}

pub(crate) fn vector<'b, T: Push>(
    builder: &mut Builder<'b>,
    items: &[T],
) -> VectorOf<'b, T::Output> {
    (!items.is_empty()).then(|| WIPOffset::new(builder.create_vector(items).value()))
}

/// A vector of values of fixed size.
pub(crate) fn structs<'b, T: Wire>(
    builder: &mut Builder<'b>,
    items: &[T],
) -> VectorOf<'b, <T::Form as Push>::Output>
where
    T::Form: Push,
{
    let forms: Vec<T::Form> = items.iter().map(Wire::to_wire).collect();
    vector(builder, &forms)
}

/// A vector of tables, each made by `make` in order.
pub(crate) fn tables<'b, I, T>(
    builder: &mut Builder<'b>,
    items: impl IntoIterator<Item = I>,
    mut make: impl FnMut(&mut Builder<'b>, I) -> WIPOffset<T>,
) -> TablesOf<'b, T> {
    let offsets: Vec<WIPOffset<T>> = items.into_iter().map(|item| make(builder, item)).collect();
    (!offsets.is_empty()).then(|| WIPOffset::new(builder.create_vector(&offsets).value()))
}
