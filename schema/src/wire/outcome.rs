//! Encodes and decodes the outcome of a command.

use flatbuffers::WIPOffset;

use super::Wire;
use super::common::unknown_value;
use super::read::{check_fields, list, required};
use super::table::{Builder, tables};
use crate::error::{CaptureError, Path, Problem};
use crate::generated::capture as fb;
use crate::model::{Failure, FailureCode, FieldName, Outcome};

/// The number of an outcome's kind.
pub(crate) const fn outcome_kind(outcome: &Outcome) -> fb::OutcomeKind {
    match outcome {
        Outcome::Done => fb::OutcomeKind::Done,
        Outcome::Failed(_) => fb::OutcomeKind::Failed,
        Outcome::Unfinished => fb::OutcomeKind::Unfinished,
    }
}

/// Writes the failure of a command.
pub(crate) fn encode_failure<'b>(
    builder: &mut Builder<'b>,
    outcome: &Outcome,
) -> Option<WIPOffset<fb::Failure<'b>>> {
    let Outcome::Failed(failure) = outcome else { return None };
    let code = failure.code();
    let fields =
        tables(builder, code.fields().iter().zip(failure.numbers()), |builder, (name, value)| {
            fb::FailureField::create(builder, &fb::FailureFieldArgs { name: name.to_wire(), value })
        });
    Some(fb::Failure::create(builder, &fb::FailureArgs { code: code.to_wire(), fields }))
}

fn failure(failure: fb::Failure<'_>, path: &Path<'_>) -> Result<Failure, CaptureError> {
    check_fields(&failure, path)?;
    let code = FailureCode::from_wire(failure.code(), &path.field("code"))?;
    let place = path.field("fields");
    let fields = list(failure.fields(), &place, |field, path| {
        check_fields(&field, path)?;
        Ok((FieldName::from_wire(field.name(), &path.field("name"))?, field.value()))
    })?;
    if !fields.iter().map(|(name, _)| name).eq(code.fields()) {
        return Err(place.error(Problem::Unexpected {
            reason: "these are not the fields that the code has, in its order",
        }));
    }
    let numbers: Vec<u64> = fields.into_iter().map(|(_, number)| number).collect();
    Failure::from_numbers(code, &numbers).ok_or_else(|| {
        place.error(Problem::Unexpected { reason: "a number is out of its field's range" })
    })
}

/// An outcome from its kind and its failure. A failure is present exactly if the command failed.
pub(crate) fn outcome(
    kind: fb::OutcomeKind,
    failed: Option<fb::Failure<'_>>,
    path: &Path<'_>,
) -> Result<Outcome, CaptureError> {
    let place = path.field("failure");
    match (kind, failed) {
        (fb::OutcomeKind::Failed, failed) => {
            Ok(Outcome::Failed(failure(required(failed, &place)?, &place)?))
        }
        (fb::OutcomeKind::Done, None) => Ok(Outcome::Done),
        (fb::OutcomeKind::Unfinished, None) => Ok(Outcome::Unfinished),
        (fb::OutcomeKind::Done | fb::OutcomeKind::Unfinished, Some(_)) => {
            Err(place.error(Problem::Unexpected { reason: "the command did not fail" }))
        }
        _ => Err(unknown_value(&path.field("outcome"), "outcome", kind.0)),
    }
}
