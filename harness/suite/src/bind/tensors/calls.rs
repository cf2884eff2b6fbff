//! The calls that a step of tensors makes, and how the step ends.

use hallmark_schema::commands::Command;
use hallmark_schema::model::{ObjectKind, Sharding};
use hallmark_stitching::RefusalKind;

use super::{Made, Stopped};
use crate::bind::scope::{BufferFacts, KernelFacts, ProgramFacts, Scope, SemaphoreFacts};
use crate::language::{ExpectError, ExpectTensorError, TensorStep};
use crate::mistake::{Mistakes, Span};

/// How a step of tensors ends.
#[derive(Clone, Copy, Debug)]
pub(in crate::bind) enum StepEnd<'a> {
    /// It makes its calls; the last one fails with this error, if there is one.
    Calls(Option<&'a ExpectError>),
    /// It is refused as the suite expects.
    RefusedAsExpected,
    /// A mistake keeps its objects from being known.
    Stopped,
    /// Its calls differ from what the suite expects.
    Mistaken,
}

/// How a step of tensors ends that has planned `calls` calls; differences from what the suite expects are noted as
/// mistakes. `was_complete` says that no earlier mistake keeps tensors from being known.
pub(in crate::bind) fn step_end<'a>(
    mistakes: &mut Mistakes,
    step: &'a TensorStep,
    made: Made,
    calls: usize,
    was_complete: bool,
) -> StepEnd<'a> {
    let (message, span, help) = match (made, &step.expect_error) {
        (Err(Stopped::Mistaken), _) => return StepEnd::Stopped,
        (Err(Stopped::Refused(error)), expected) => {
            let is_expected = match expected {
                Some(ExpectTensorError::Refusal(_, kind)) => error.refusal() == Some(*kind),
                Some(ExpectTensorError::Call(_)) | None => false,
            };
            if !is_expected {
                // A mistake that follows from an earlier one helps no reader.
                if was_complete {
                    let help = help_for(error.refusal());
                    mistakes.add::<()>(error.to_string(), step.span, help);
                }
                return StepEnd::Stopped;
            }
            if calls == 0 {
                return StepEnd::RefusedAsExpected;
            }
            let message = "this step makes calls before its tensors are refused".to_owned();
            (message, step.span, "report this: a refused step makes no call")
        }
        (Ok(()), Some(ExpectTensorError::Refusal(span, kind))) => (
            format!("these tensors are not refused, and {} is expected", kind.name()),
            *span,
            "remove `expect_error`, or change the tensors",
        ),
        (Ok(()), Some(ExpectTensorError::Call(error))) if calls != 1 => (
            format!(
                "this step makes {calls} calls, and the error does not say of which one it comes"
            ),
            error.span,
            "expect it of the step that waits: `finish` or `event_synchronize`",
        ),
        (Ok(()), Some(ExpectTensorError::Call(error))) => return StepEnd::Calls(Some(error)),
        (Ok(()), None) => return StepEnd::Calls(None),
    };
    mistakes.add::<()>(message, span, help);
    StepEnd::Mistaken
}

/// How a suite can mend a refusal.
fn help_for(refusal: Option<RefusalKind>) -> String {
    match refusal {
        Some(RefusalKind::UnknownUntilRun) => {
            "say it by `gives` where a binary writes it, or convert `by: device`".to_owned()
        }
        Some(kind) => {
            let kind = kind.name();
            format!("if this is what the case shows: `expect_error: {{ code: {kind} }}`")
        }
        None => String::new(),
    }
}

/// Notes the object that a call makes, so that later steps can name it.
pub(in crate::bind) fn adopt(
    mistakes: &mut Mistakes,
    scope: &mut Scope,
    command: &Command,
    span: Span,
    fails: bool,
) {
    let Some((kind, _, name)) = command.created() else { return };
    let is_free = match (kind, command) {
        (ObjectKind::Buffer, Command::CreateBuffer(call)) => {
            let pages = call.size.checked_div(call.page_size).unwrap_or_default();
            let sharding = call.shard_spec.as_ref();
            let facts = BufferFacts {
                size: Some(call.size),
                page_size: Some(call.page_size),
                buffer_type: Some(call.buffer_type),
                root: None,
                is_global_semaphore: false,
                sharding: sharding.and_then(|spec| Sharding::new(call.layout, spec, pages).ok()),
            };
            scope.buffers.adopt(name, facts)
        }
        (ObjectKind::Kernel, Command::CreateKernel(call)) => {
            scope.kernels.adopt(name, KernelFacts { cores: call.cores.clone() })
        }
        (ObjectKind::Semaphore, Command::CreateSemaphore(call)) => {
            let number = scope.semaphore_number(call.program.0, &call.cores);
            let cores = call.cores.clone();
            let facts = SemaphoreFacts { program: call.program.0, cores, number, made: !fails };
            scope.semaphores.adopt(name, facts)
        }
        (ObjectKind::Program, _) => scope.programs.adopt(name, ProgramFacts::default()),
        (ObjectKind::CircularBuffer, _) => scope.circular_buffers.adopt(name, ()),
        // A name means the event that was recorded last.
        (ObjectKind::Event, _) => {
            scope.events.adopt(name, ());
            true
        }
        (ObjectKind::Buffer | ObjectKind::Kernel | ObjectKind::Semaphore, _)
        | (ObjectKind::Trace, _) => true,
    };
    if !is_free {
        mistakes.add::<()>(
            format!("this step makes {kind} `{name}`, which is already defined in this case"),
            span,
            "choose another name",
        );
    }
}

/// Notes what a call enqueues, so that expected failures can name it: a program, or the tensor that is written.
pub(in crate::bind) fn note_enqueue(scope: &mut Scope, command: &Command) {
    let name = match command {
        Command::EnqueueProgram(call) => {
            scope.note_program(call.program.0);
            scope.programs.name(call.program.0)
        }
        Command::EnqueueWriteBuffer(call) => scope.buffers.name(call.buffer.0),
        _ => None,
    };
    if let Some(name) = name.map(str::to_owned) {
        scope.note_enqueued(name);
    }
}
