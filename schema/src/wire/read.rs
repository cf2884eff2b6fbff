//! Functions of every decoder: verification of a part, refusal of unknown fields, required values.

use flatbuffers::{Follow, InvalidFlatbuffer, Vector, Verifiable, VerifierOptions};

use super::Wire;
use crate::class::KnownTable;
use crate::error::{CaptureError, ErrorLocation, Part, Path, Problem, Rule};
use crate::generated::capture as fb;
use crate::model::{ContentHash, Real};

/// Verifies the FlatBuffer of a part, and returns its root.
pub(crate) fn root<'b, T>(part: Part, bytes: &'b [u8]) -> Result<T::Inner, CaptureError>
where
    T: Follow<'b> + Verifiable + 'b,
{
    let length = bytes.len();
    let options = VerifierOptions {
        // The deepest nesting: root, command, expectation, data, generator.
        max_depth: 12,
        // A table takes at least its offset to a field index and an offset to itself.
        max_tables: length / 8 + 1,
        // Shared strings, tables and field indices count once per use; our own writer shares only field
        // indices. The limit also bounds the size of the decoded model.
        max_apparent_size: length.saturating_mul(8).saturating_add(1024),
        ignore_missing_null_terminator: false,
    };
    flatbuffers::root_with_opts::<T>(&options, bytes).map_err(|error| malformed(part, &error))
}

fn malformed(part: Part, error: &InvalidFlatbuffer) -> CaptureError {
    let byte = match error {
        InvalidFlatbuffer::Unaligned { position, .. }
        | InvalidFlatbuffer::SignedOffsetOutOfBounds { position, .. } => Some(*position),
        InvalidFlatbuffer::RangeOutOfBounds { range, .. }
        | InvalidFlatbuffer::Utf8Error { range, .. }
        | InvalidFlatbuffer::MissingNullTerminator { range, .. } => Some(range.start),
        InvalidFlatbuffer::MissingRequiredField { .. }
        | InvalidFlatbuffer::InconsistentUnion { .. }
        | InvalidFlatbuffer::TooManyTables
        | InvalidFlatbuffer::ApparentSizeTooLarge
        | InvalidFlatbuffer::DepthLimitReached => None,
    };
    let place = match byte {
        Some(byte) => ErrorLocation::ByteOfPart { part, byte: byte as u64 },
        None => ErrorLocation::Field { part, path: String::new() },
    };
    // The verifier's message has several lines; the last ones state the place.
    let text = error.to_string();
    let mut reason = String::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if !reason.is_empty() {
            reason.push_str(", ");
        }
        reason.push_str(line.trim_end_matches(['.', ':']));
    }
    CaptureError { place, problem: Problem::Malformed { reason } }
}

/// Refuses a table with fields that this reader does not know.
pub(crate) fn check_fields<T: KnownTable>(table: &T, path: &Path<'_>) -> Result<(), CaptureError> {
    // The verifier accepts a field index that is too short for its own header. The library would compute the
    // number of fields by an unchecked subtraction.
    let slots = (table.table().vtable().num_bytes() / 2).saturating_sub(2);
    if slots > T::SLOTS {
        let number = u16::try_from(slots - 1).unwrap_or(u16::MAX);
        path.error(Problem::UnknownField { number, known: crate::VERSION }).refuse()?;
    }
    Ok(())
}

/// A required value, or the error that it is missing.
pub(crate) fn required<T>(value: Option<T>, path: &Path<'_>) -> Result<T, CaptureError> {
    value.ok_or_else(|| path.error(Problem::Missing))
}

/// A required hash.
pub(crate) fn hash(
    value: Option<&fb::ContentHash>,
    path: &Path<'_>,
) -> Result<ContentHash, CaptureError> {
    ContentHash::from_wire(*required(value, path)?, path)
}

/// A number, which must be finite.
pub(crate) fn real(value: f64, path: &Path<'_>) -> Result<Real, CaptureError> {
    match Real::new(value) {
        Some(number) => Ok(number),
        None => path.error(Rule::NotFinite).refuse().map(|()| Real::ZERO),
    }
}

/// A text; an absent one is empty.
pub(crate) fn text(value: Option<&str>) -> String {
    value.unwrap_or_default().to_owned()
}

/// A vector of words; an absent one is empty.
pub(crate) fn words(vector: Option<Vector<'_, u32>>) -> Vec<u32> {
    vector.map(|vector| vector.iter().collect()).unwrap_or_default()
}

/// Each element of a vector with its path; an absent vector is empty.
pub(crate) fn list<'b, T, M>(
    vector: Option<Vector<'b, T>>,
    path: &Path<'_>,
    mut make: impl FnMut(T::Inner, &Path<'_>) -> Result<M, CaptureError>,
) -> Result<Vec<M>, CaptureError>
where
    T: Follow<'b> + 'b,
{
    let Some(vector) = vector else { return Ok(Vec::new()) };
    // The capacity grows with the decoded elements, not with the declared length.
    let mut made = Vec::new();
    for (index, item) in vector.iter().enumerate() {
        made.push(make(item, &path.index(index))?);
    }
    Ok(made)
}
