//! Expected errors and faults.

use hallmark_chip::{FaultCategory, Processor};
use hallmark_schema::model::{
    BufferType, CommandIndex, Failure, FailureCode, FieldName, FieldValue, ObjectKind,
};

use super::Binder;
use crate::suite::bound::BoundPlace;
use crate::suite::language::{CoreNumbers, ExpectError, ExpectErrorField, ExpectFault};
use crate::suite::node::Value;
use crate::suite::read::{Choice, Name, Number, Read, choice_help, choices};

choices! {
    ObjectKind, "kind of object":
        "buffer" => Self::Buffer, "program" => Self::Program, "kernel" => Self::Kernel,
        "circular_buffer" => Self::CircularBuffer, "semaphore" => Self::Semaphore,
        "event" => Self::Event, "trace" => Self::Trace;
}

impl Binder<'_> {
    pub(super) fn expected_error(&mut self, expected: &ExpectError) -> Option<Failure> {
        let numbers: Vec<Option<u64>> =
            expected.fields.iter().map(|(name, field)| self.error_field(*name, field)).collect();
        let numbers: Vec<u64> = numbers.into_iter().collect::<Option<_>>()?;
        match Failure::from_numbers(expected.code, &numbers) {
            Some(failure) => Some(failure),
            None => self.mistakes.add(
                format!("a field of {} is out of range", expected.code.name()),
                expected.span,
                "most fields hold 0 to 2^32 - 1",
            ),
        }
    }

    fn error_field(&mut self, name: FieldName, field: &ExpectErrorField) -> Option<u64> {
        let node = &field.node;
        match (name, &node.value) {
            (FieldName::Core, _) => {
                let core = CoreNumbers::read(node, self.mistakes)?;
                self.core(&core).map(|core| core.to_number())
            }
            (FieldName::Object, _) => self.choice_field::<ObjectKind>(node),
            (FieldName::BufferType, _) => self.choice_field::<BufferType>(node),
            (FieldName::Category, _) => self.choice_field::<FaultCategory>(node),
            (FieldName::Processor, _) => self.choice_field::<Processor>(node),
            (FieldName::Buffer, Value::Text(text)) => {
                let name = Name { text: text.clone(), span: node.span };
                self.scope.buffers.get(&name, self.mistakes).map(|(id, _)| u64::from(id))
            }
            (FieldName::Program, Value::Text(text)) => {
                let name = Name { text: text.clone(), span: node.span };
                self.scope.programs.get(&name, self.mistakes).map(|(id, _)| u64::from(id))
            }
            (FieldName::Kernel, Value::Text(text)) => {
                let name = Name { text: text.clone(), span: node.span };
                self.scope.kernels.get(&name, self.mistakes).map(|(id, _)| u64::from(id))
            }
            (FieldName::Event, Value::Text(text)) => {
                let name = Name { text: text.clone(), span: node.span };
                self.scope.events.get(&name, self.mistakes).map(|(id, ())| u64::from(id))
            }
            (FieldName::Trace, Value::Text(text)) => {
                let name = Name { text: text.clone(), span: node.span };
                self.scope.traces.get(&name, self.mistakes).map(|(id, ())| u64::from(id))
            }
            (FieldName::Enqueue | FieldName::First | FieldName::Second, Value::Text(text))
                if self.scope.last_enqueued(text).is_some() =>
            {
                self.scope.last_enqueued(text).map(u64::from)
            }
            (FieldName::Enqueue, Value::Text(text)) => {
                let name = Name { text: text.clone(), span: node.span };
                self.enqueue_of(&name).map(u64::from)
            }
            (FieldName::Id, Value::Text(text)) if self.object(text).is_some() => {
                self.object(text).map(u64::from)
            }
            _ => {
                let number = Number::read(node, self.mistakes)?;
                self.u64(&number, &format!("`{}`", name.name()))
            }
        }
    }

    fn choice_field<T: Choice + FieldValue>(
        &mut self,
        node: &crate::suite::node::Node,
    ) -> Option<u64> {
        let Value::Text(text) = &node.value else {
            return self.mistakes.add(
                format!("expected the name of a {}, found {}", T::WHAT, node.kind()),
                node.span,
                choice_help::<T>(""),
            );
        };
        match T::from_name(text) {
            Some(value) => Some(value.to_number()),
            None => self.mistakes.add(
                format!("unknown {} `{text}`", T::WHAT),
                node.span,
                choice_help::<T>(text),
            ),
        }
    }

    /// The id of the only object with this name.
    fn object(&self, name: &str) -> Option<u32> {
        let scope = &self.scope;
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

    fn enqueue_of(&mut self, program: &Name) -> Option<u32> {
        let (_, facts) = self.scope.programs.get(program, self.mistakes)?;
        match facts.last_enqueue {
            Some(command) => Some(command),
            None => self.mistakes.add(
                format!("no earlier step enqueues program `{}`", program.text),
                program.span,
                "add `enqueue_program` before it",
            ),
        }
    }

    pub(super) fn expected_fault(
        &mut self,
        expected: &ExpectFault,
        span: crate::suite::mistake::Span,
    ) -> Option<(Failure, BoundPlace)> {
        let enqueue = match &expected.program {
            Some(program) => self.enqueue_of(program)?,
            None => match self.scope.last_program {
                Some(command) => command,
                None => {
                    return self.mistakes.add(
                        "no earlier step enqueues a program that could fault",
                        span,
                        "add `enqueue_program` before it",
                    );
                }
            },
        };
        let core = match &expected.core {
            Some(core) => Some(self.core(core)?),
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
