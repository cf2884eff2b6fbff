//! `to_layout`: a tensor is converted into another one, by the host or by the device.

use std::rc::Rc;

use hallmark_schema::commands::Command;
use hallmark_schema::model::{ContentHash, Expectation};
use hallmark_stitching::{Converter, Order, Tensor};
use hallmark_tensor::TensorPages;

use super::stated::{stated, stated_length};
use super::{CaseTensors, Made, ReadTensor, known, order};
use crate::bind::Depth;
use crate::bind::data::{BoundData, limited};
use crate::bind::evaluator::Evaluator;
use crate::bind::known_data::KnownData;
use crate::bind::reads::{ReadSoFar, Reads};
use crate::bind::scope::Scope;
use crate::bound::ExpectedOutput;
use crate::known_bytes::KnownBytes;
use crate::language::ToLayout;
use crate::mistake::Span;

pub(super) fn convert_tensor(
    evaluator: &mut Evaluator<'_>,
    scope: &mut Scope,
    depth: Depth,
    known_data: &mut KnownData,
    reads: &mut Reads,
    tensors: &mut CaseTensors,
    call: &ToLayout,
) -> Made {
    let destination = tensors.get(evaluator, scope, &call.dst);
    let source = tensors.get(evaluator, scope, &call.src);
    let order = order(evaluator, scope, call.queue.as_ref(), call.dependencies.as_deref());
    let converter = evaluator.setting_or(call.by.as_ref(), Converter::Host);
    let (destination, source, (queue, dependencies)) = (destination?, source?, order?);
    let converter = known(converter)?;
    let name = tensors.name(destination).unwrap_or_default().to_owned();
    for tensor in [source, destination] {
        check_size(evaluator, tensors, tensor, call.dst.span)?;
    }
    let stitching = tensors.stitching();
    let from = stitching.buffer(source)?.map(|(buffer, pages)| (buffer, pages.clone()));
    let is_read = from.is_some() && stitching.buffer(destination)?.is_none();
    if is_read && reads.has_output(&name) {
        return known(evaluator.mistakes().add(
            format!("an earlier step brings content of the device into `{name}`"),
            call.dst.span,
            "bring it into another tensor of the host",
        ));
    }
    let first = scope.commands();
    // A program needs a name of its own each time.
    let program = format!("to_{name}_{first}");
    let called = match converter {
        Converter::Host => &name,
        Converter::Device => &program,
    };
    let order = Order::on(queue).after(&dependencies).named(called).by(converter);
    let brought = match (depth, stitching.known_content(source)?) {
        (Depth::Full, Some(content)) => {
            Some(content.to_spec(stitching.spec(destination)?, 0.0)?.into_owned())
        }
        (Depth::Check | Depth::Full, _) => None,
    };
    tensors.stitching_mut().to_layout(destination, source, order)?;
    note_launch(scope, tensors, &name);
    let spec = tensors.stitching().spec(destination)?.clone();
    let length = stated_length(&spec, spec.data_type());
    if let (Some(read), Some((buffer, pages))) = (planned_read(tensors, first), from) {
        let source = tensors.name(source).unwrap_or_default().to_owned();
        let held = tensors.held(buffer).map(KnownBytes::from);
        if is_read {
            scope.note_enqueued_by(name.clone(), read.command);
            let data_type = spec.data_type();
            reads.add(ReadSoFar {
                output: name.clone(),
                span: call.dst.span,
                command: read.command,
                length: Some(length),
                blocking: read.blocking,
                tensor: Some(Rc::new(ReadTensor { source, pages, held, data_type })),
            });
        } else if let Expectation::Exact { hash } = read.expectation {
            tensors.add_output(passed_through(&source, read.command, hash, held, pages));
        }
    }
    tensors.name_event(scope, call.event.as_ref());
    let known = match (depth, brought) {
        (Depth::Full, Some(content)) => BoundData::of(stated(&content)?),
        (Depth::Full, None) => {
            known_data.forget(&name, first);
            return Ok(());
        }
        (Depth::Check, _) => BoundData::unmade(length),
    };
    known_data.insert(name, first, Some(known));
    Ok(())
}

/// The output of a read between two tensors of the device, which only the host's conversion needs.
fn passed_through(
    source: &str,
    command: u32,
    hash: ContentHash,
    bytes: Option<KnownBytes>,
    pages: TensorPages,
) -> ExpectedOutput {
    ExpectedOutput {
        output: format!("{source}_{command}"),
        against: format!("what `{source}` must hold"),
        bytes,
        hash: Some(hash),
        tolerance: None,
        command,
        tensor: Some(Box::new(pages)),
    }
}

/// The read of a conversion: of a tensor that it brings to the host, or of one that the host converts on its way
/// between two tensors of the device.
struct PlannedRead {
    command: u32,
    blocking: bool,
    expectation: Expectation,
}

/// The read among the calls that a conversion has planned; `first` is the index of the first call.
fn planned_read(tensors: &mut CaseTensors, first: u32) -> Option<PlannedRead> {
    tensors.planned_calls().iter().zip(first..).find_map(|(made, command)| {
        let Command::EnqueueReadBuffer(call) = made else { return None };
        let (blocking, expectation) = (call.blocking, call.expectation.clone());
        Some(PlannedRead { command, blocking, expectation })
    })
}

/// Notes the program that a conversion enqueues by the tensor that it writes, for expected failures.
fn note_launch(scope: &mut Scope, tensors: &mut CaseTensors, destination: &str) {
    let launch = tensors.planned_calls().iter().zip(scope.commands()..);
    let launch = launch.filter(|(made, _)| matches!(made, Command::EnqueueProgram(_))).last();
    if let Some((_, command)) = launch {
        scope.note_enqueued_by(destination.to_owned(), command);
    }
}

/// Refuses tensors that would fill the memory: what the host converts is made while a suite is bound.
fn check_size(
    evaluator: &mut Evaluator<'_>,
    tensors: &CaseTensors,
    tensor: Tensor,
    span: Span,
) -> Made {
    let spec = tensors.stitching().spec(tensor)?;
    let pages = tensors.stitching().buffer(tensor)?.map_or(0, |(_, pages)| pages.bytes());
    let bytes = u64::try_from(spec.bytes()).unwrap_or(u64::MAX).max(pages);
    known(limited(evaluator, bytes, span)).map(|_| ())
}
