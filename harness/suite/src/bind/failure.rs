//! Expected errors and faults.

use hallmark_chip::{FaultCategory, Processor};
use hallmark_schema::model::{
    BufferType, CommandIndex, Failure, FailureCode, FieldName, FieldValue, ObjectKind,
};

use super::evaluator::Evaluator;
use super::scope::Scope;
use crate::bound::BoundPlace;
use crate::language::{CoreNumbers, ExpectError, ExpectErrorField, ExpectFault};
use crate::mistake::Span;
use crate::node::{Node, Value};
use crate::read::{Choice, Name, Number, Read, choice_help, choices};

choices! {
    ObjectKind, "kind of object":
        "buffer" => Self::Buffer, "program" => Self::Program, "kernel" => Self::Kernel,
        "circular_buffer" => Self::CircularBuffer, "semaphore" => Self::Semaphore,
        "event" => Self::Event, "trace" => Self::Trace;
}

pub(super) fn expected_error(
    evaluator: &mut Evaluator<'_>,
    scope: &Scope,
    expected: &ExpectError,
) -> Option<Failure> {
    let numbers: Vec<Option<u64>> = expected
        .fields
        .iter()
        .map(|(name, field)| error_field(evaluator, scope, *name, field))
        .collect();
    let numbers: Vec<u64> = numbers.into_iter().collect::<Option<_>>()?;
    match Failure::from_numbers(expected.code, &numbers) {
        Some(failure) => Some(failure),
        None => evaluator.mistakes().add(
            format!("a field of {} is out of range", expected.code.name()),
            expected.span,
            "most fields hold 0 to 2^32 - 1",
        ),
    }
}

fn error_field(
    evaluator: &mut Evaluator<'_>,
    scope: &Scope,
    name: FieldName,
    field: &ExpectErrorField,
) -> Option<u64> {
    let node = &field.node;
    match (name, &node.value) {
        (FieldName::Core, _) => {
            let core = CoreNumbers::read(node, evaluator.mistakes())?;
            evaluator.core(&core).map(|core| core.to_number())
        }
        (FieldName::Object, _) => choice_field::<ObjectKind>(evaluator, node),
        (FieldName::BufferType, _) => choice_field::<BufferType>(evaluator, node),
        (FieldName::Category, _) => choice_field::<FaultCategory>(evaluator, node),
        (FieldName::Processor, _) => choice_field::<Processor>(evaluator, node),
        (FieldName::Buffer, Value::Text(text)) => {
            let name = Name { text: text.clone(), span: node.span };
            scope.buffers.get(&name, evaluator.mistakes()).map(|(id, _)| u64::from(id))
        }
        (FieldName::Program, Value::Text(text)) => {
            let name = Name { text: text.clone(), span: node.span };
            scope.programs.get(&name, evaluator.mistakes()).map(|(id, _)| u64::from(id))
        }
        (FieldName::Kernel, Value::Text(text)) => {
            let name = Name { text: text.clone(), span: node.span };
            scope.kernels.get(&name, evaluator.mistakes()).map(|(id, _)| u64::from(id))
        }
        (FieldName::Event, Value::Text(text)) => {
            let name = Name { text: text.clone(), span: node.span };
            scope.events.get(&name, evaluator.mistakes()).map(|(id, ())| u64::from(id))
        }
        (FieldName::Trace, Value::Text(text)) => {
            let name = Name { text: text.clone(), span: node.span };
            scope.traces.get(&name, evaluator.mistakes()).map(|(id, ())| u64::from(id))
        }
        (FieldName::Enqueue | FieldName::First | FieldName::Second, Value::Text(text))
            if scope.last_enqueued(text).is_some() =>
        {
            scope.last_enqueued(text).map(u64::from)
        }
        (FieldName::Enqueue, Value::Text(text)) => {
            let name = Name { text: text.clone(), span: node.span };
            enqueue_of(evaluator, scope, &name).map(u64::from)
        }
        (FieldName::Id, Value::Text(text)) if object(scope, text).is_some() => {
            object(scope, text).map(u64::from)
        }
        _ => {
            let number = Number::read(node, evaluator.mistakes())?;
            evaluator.u64(&number, &format!("`{}`", name.name()))
        }
    }
}

fn choice_field<T: Choice + FieldValue>(evaluator: &mut Evaluator<'_>, node: &Node) -> Option<u64> {
    let Value::Text(text) = &node.value else {
        return evaluator.mistakes().add(
            format!("expected the name of a {}, found {}", T::WHAT, node.kind()),
            node.span,
            choice_help::<T>(""),
        );
    };
    match T::from_name(text) {
        Some(value) => Some(value.to_number()),
        None => evaluator.mistakes().add(
            format!("unknown {} `{text}`", T::WHAT),
            node.span,
            choice_help::<T>(text),
        ),
    }
}

/// The id of the only object with this name.
fn object(scope: &Scope, name: &str) -> Option<u32> {
    let scope = &scope;
    let found = [
        scope.buffers.find(name).map(|(id, _)| id),
        scope.programs.find(name).map(|(id, _)| id),
        scope.kernels.find(name).map(|(id, _)| id),
        scope.circular_buffers.find(name).map(|(id, _)| id),
        scope.semaphores.find(name).map(|(id, _)| id),
        scope.events.find(name).map(|(id, ())| id),
        scope.traces.find(name).map(|(id, ())| id),
    ];
    let mut found = found.into_iter().flatten();
    found.next().filter(|_| found.next().is_none())
}

fn enqueue_of(evaluator: &mut Evaluator<'_>, scope: &Scope, program: &Name) -> Option<u32> {
    let (_, facts) = scope.programs.get(program, evaluator.mistakes())?;
    match facts.last_enqueue {
        Some(command) => Some(command),
        None => evaluator.mistakes().add(
            format!("no earlier step enqueues program `{}`", program.text),
            program.span,
            "add `enqueue_program` before it",
        ),
    }
}

pub(super) fn expected_fault(
    evaluator: &mut Evaluator<'_>,
    scope: &Scope,
    expected: &ExpectFault,
    span: Span,
) -> Option<(Failure, BoundPlace)> {
    let enqueue = match &expected.program {
        Some(program) => enqueue_of(evaluator, scope, program)?,
        None => match scope.last_program() {
            Some(command) => command,
            None => {
                return evaluator.mistakes().add(
                    "no earlier step enqueues a program that could fault",
                    span,
                    "add `enqueue_program` before it",
                );
            }
        },
    };
    let core = match &expected.core {
        Some(core) => Some(evaluator.core(core)?),
        None => None,
    };
    let failure =
        Failure::DeviceFault { category: expected.category.0, enqueue: CommandIndex(enqueue) };
    let place = BoundPlace {
        core,
        processor: expected.processor.map(|it| it.0),
        symbol: expected.symbol.clone(),
    };
    Some((failure, place))
}

/// Whether a failure ends the device, so that nothing can follow it.
pub(super) const fn ends_the_device(code: FailureCode) -> bool {
    matches!(
        code,
        FailureCode::DeviceFault
            | FailureCode::Deadlock
            | FailureCode::Hang
            | FailureCode::DeviceLost
    )
}
