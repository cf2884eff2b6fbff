//! The expectations of a case: one for each read.

use std::collections::BTreeMap;

use hallmark_schema::commands::{self, Wait};
use hallmark_schema::model::{Command, ContentHash, Expectation, Tolerance};

use super::case_values::CaseValues;
use super::data::{BoundData, DataMaker};
use super::evaluator::Evaluator;
use super::known_data::KnownData;
use super::reads::ReadSoFar;
use super::scope::Scope;
use super::tensors::{CaseTensors, tensor_pages};
use super::tolerance::Limits;
use super::values::ValueBinder;
use crate::bound::{BoundStep, ExpectedOutput};
use crate::known_bytes::KnownBytes;
use crate::language::{Expect, NearEntry, ValueForm};
use crate::mistake::{Mistakes, suggest};
use crate::read::{Choice, Name};

/// A read that nothing waits for has no bytes to compare.
pub(super) fn check_completion(
    mistakes: &mut Mistakes,
    steps: &[BoundStep],
    reads: &BTreeMap<String, ReadSoFar>,
) {
    let last_wait = (0_u32..)
        .zip(steps)
        .filter(|(_, step)| {
            step.command.waits_for() != Wait::Nothing
                || matches!(step.command, Command::EventQuery(_))
        })
        .map(|(command, _)| command)
        .last();
    let open = reads
        .values()
        .find(|read| !read.blocking && last_wait.is_none_or(|last_wait| last_wait < read.command));
    if let Some(read) = open {
        mistakes.add::<()>(
            format!("the read of `{}` never completes", read.output),
            read.span,
            "add `- finish: {}` behind it",
        );
    }
}

/// The expectation of a read, and how its output is compared.
#[expect(clippy::too_many_arguments, reason = "each is a fact of its own")]
pub(super) fn output<'a>(
    evaluator: &mut Evaluator<'a>,
    scope: &Scope,
    maker: &mut DataMaker<'_>,
    known_data: &KnownData,
    tensors: Option<&CaseTensors>,
    case_values: &mut CaseValues<'a>,
    expect: &Expect,
    reads: &BTreeMap<String, ReadSoFar>,
) -> Option<(Expectation, ExpectedOutput)> {
    let name = expect.output();
    let read = read_of(evaluator.mistakes(), name, reads)?;
    let (value, near) = match expect {
        Expect::Equal(pair) => (&pair.value, None),
        Expect::Near(entry) => (&entry.near.value, Some(entry)),
        Expect::Unchecked(unchecked) => {
            let reason = unchecked.reason.clone();
            return Some((Expectation::Unchecked { reason }, unchecked_output(read)));
        }
    };
    let values = ValueBinder::new(evaluator, maker, known_data, scope);
    let mut values = values.before(read.command).with_values(case_values);
    let known = match &read.tensor {
        Some(tensor) => tensors.and_then(|it| tensor_pages(&mut values, it, tensor, value)),
        None => values.value(value, read.length),
    };
    let known = known?;
    let length = match &read.tensor {
        Some(tensor) => tensor.pages().bytes(),
        None => read.length?,
    };
    if known.length != length {
        return evaluator.mistakes().add(
            format!(
                "`{}` has {length} B, but the value that it must equal has {} B",
                name.text, known.length
            ),
            value.span,
            "",
        );
    }
    let hash = known.hash.or_else(|| known.bytes.as_ref().map(KnownBytes::hash));
    let against = match &value.value {
        ValueForm::Name(name) => format!("`{}`", name.text),
        ValueForm::Words(_) => "the words in the suite".to_owned(),
        ValueForm::Computed(_) => "what the suite computes".to_owned(),
    };
    let tolerance = match near {
        Some(entry) => {
            let tolerance = tolerance(evaluator, entry, &known)?;
            check_tensor_type(evaluator.mistakes(), entry, read, &tolerance)?;
            Some(tolerance)
        }
        None => None,
    };
    let expectation = match &tolerance {
        Some(tolerance) => Expectation::Reference {
            data: maker.command_data(&known),
            tolerance: tolerance.clone(),
        },
        // Not known only while a suite is checked.
        None => Expectation::Exact { hash: hash.unwrap_or(ContentHash([0; 32])) },
    };
    let output = ExpectedOutput {
        output: name.text.clone(),
        against,
        bytes: known.bytes,
        hash,
        tolerance,
        command: read.command,
        tensor: read.tensor.as_ref().map(|tensor| Box::new(tensor.pages().clone())),
    };
    Some((expectation, output))
}

/// The read of an output, or a mistake that lists the outputs.
fn read_of<'r>(
    mistakes: &mut Mistakes,
    name: &Name,
    reads: &'r BTreeMap<String, ReadSoFar>,
) -> Option<&'r ReadSoFar> {
    if let Some(read) = reads.get(&name.text) {
        return Some(read);
    }
    let mut reads: Vec<&ReadSoFar> = reads.values().collect();
    reads.sort_by_key(|read| read.command);
    let outputs: Vec<&str> = reads.iter().map(|read| read.output.as_str()).collect();
    let help = if outputs.is_empty() {
        "no step reads a buffer".to_owned()
    } else {
        suggest(&name.text, outputs)
    };
    mistakes.add(format!("unknown output `{}`", name.text), name.span, help)
}

/// The output of a read that is compared with nothing.
fn unchecked_output(read: &ReadSoFar) -> ExpectedOutput {
    ExpectedOutput {
        output: read.output.clone(),
        against: String::new(),
        bytes: None,
        hash: None,
        tolerance: None,
        command: read.command,
        tensor: None,
    }
}

/// The elements of a tensor are compared as the device has them.
fn check_tensor_type(
    mistakes: &mut Mistakes,
    entry: &NearEntry,
    read: &ReadSoFar,
    tolerance: &Tolerance,
) -> Option<()> {
    let Some(tensor) = &read.tensor else { return Some(()) };
    let spec = tensor.pages().spec();
    let is_filled_up = spec.padded_elements() > spec.shape().elements();
    if !tolerance.pcc.is_zero() && is_filled_up {
        return mistakes.add(
            format!("what fills up the tiles of `{}` would correlate", entry.near.output.text),
            entry.near.output.span,
            "bring the tensor into rows, or take a shape of whole tiles",
        );
    }
    let data_type = spec.data_type();
    if data_type.name() == tolerance.data_type.name() {
        return Some(());
    }
    mistakes.add(
        format!("the device has `{}` as {data_type}", entry.near.output.text),
        entry.near.output.span,
        match data_type.item_size() {
            Some(_) => format!("write `type: {data_type}`"),
            None => "elements of a block format can only be equal".to_owned(),
        },
    )
}

/// The tolerance of an output with elements that are known.
fn tolerance(
    evaluator: &mut Evaluator<'_>,
    entry: &NearEntry,
    known: &BoundData,
) -> Option<Tolerance> {
    let span = entry.near.value.span;
    let tolerance = Limits::from(entry).tolerance(
        evaluator,
        &entry.reason,
        entry.near.output.span,
        "use `equal`",
    );
    if known.hash.is_some() {
        return evaluator.mistakes().add(
            "`near` cannot compare with a hash",
            span,
            "give the value itself, or use `equal`",
        );
    }
    let tolerance = tolerance?;
    let size = u64::try_from(tolerance.data_type.size()).unwrap_or(1);
    if !known.length.is_multiple_of(size) {
        return evaluator.mistakes().add(
            format!(
                "{} B are not a whole number of {} elements",
                known.length,
                tolerance.data_type.name()
            ),
            span,
            "",
        );
    }
    Some(tolerance)
}

/// Gives a read its expectation.
pub(super) fn set_expectation(steps: &mut [BoundStep], command: u32, wanted: Expectation) {
    let step = usize::try_from(command).ok().and_then(|command| steps.get_mut(command));
    if let Some(BoundStep {
        command: Command::EnqueueReadBuffer(commands::EnqueueReadBuffer { expectation, .. }),
        ..
    }) = step
    {
        *expectation = wanted;
    }
}
