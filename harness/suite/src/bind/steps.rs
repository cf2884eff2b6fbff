//! Steps to commands.

use hallmark_schema::commands;
use hallmark_schema::model::{Command, FailureCode, ProgramId, SemaphoreId};

use super::arguments::{set_common_runtime_args, set_runtime_args, update_common_runtime_args};
use super::buffers::{
    create_buffer, create_buffer_view, enqueue_read_buffer, enqueue_write_buffer,
};
use super::circular_buffers::create_circular_buffer;
use super::data::DataMaker;
use super::evaluator::Evaluator;
use super::failure::ends_the_device;
use super::global_semaphores::{create_global_semaphore, reset_global_semaphore};
use super::kernels::{KernelSources, create_kernel};
use super::known_data::KnownData;
use super::plain::plain_step;
use super::reads::Reads;
use super::scope::{Scope, SemaphoreFacts};
use super::traces::{collect_trace, load_trace, replay_trace};
use crate::language::{CreateSemaphore, EnqueueProgram, Step, StepKind};

/// The calls of a step.
#[derive(Debug)]
pub(super) struct StepCalls {
    pub(super) commands: Vec<Command>,
    /// The place of the call that meets the error or the fault that the step expects.
    pub(super) failing: usize,
}

impl From<Command> for StepCalls {
    fn from(command: Command) -> Self {
        Self { commands: vec![command], failing: 0 }
    }
}

/// The calls of a step, unless a mistake keeps them from being known.
pub(super) fn calls(
    evaluator: &mut Evaluator<'_>,
    scope: &mut Scope,
    kernels: &KernelSources<'_>,
    maker: &mut DataMaker<'_>,
    known_data: &mut KnownData,
    reads: &mut Reads,
    step: &Step,
) -> Option<StepCalls> {
    let fails = step.expect_error.is_some() || step.expect_fault.is_some();
    let command = match &step.kind {
        StepKind::CreateGlobalSemaphore(call) => {
            return create_global_semaphore(evaluator, scope, maker, known_data, step, call);
        }
        StepKind::ResetGlobalSemaphore(call) => {
            return reset_global_semaphore(evaluator, scope, maker, known_data, step, call);
        }
        StepKind::CreateBuffer(call) => create_buffer(evaluator, scope, call),
        StepKind::CreateBufferView(call) => create_buffer_view(evaluator, scope, call),
        StepKind::Plain(step) => plain_step(evaluator, scope, step),
        StepKind::CreateKernel(call) => {
            let expected = step.expect_error.as_ref().map(|error| error.code);
            let source = match expected {
                Some(FailureCode::KernelSourceNotFound) => {
                    kernels.find(scope, &call.kernel, evaluator.mistakes())
                }
                Some(_) | None => kernels.find_file(scope, &call.kernel, evaluator.mistakes()),
            };
            create_kernel(evaluator, scope, call, source, expected.is_some(), step.span)
        }
        StepKind::SetRuntimeArgs(call) => set_runtime_args(evaluator, scope, call, step.span),
        StepKind::CreateCircularBuffer(call) => {
            create_circular_buffer(evaluator, scope, call, fails)
        }
        StepKind::CreateSemaphore(call) => create_semaphore(evaluator, scope, call, fails),
        StepKind::EnqueueWriteBuffer(call) => {
            enqueue_write_buffer(evaluator, scope, maker, known_data, call, step.span, fails)
        }
        StepKind::EnqueueReadBuffer(call) => {
            enqueue_read_buffer(evaluator, scope, reads, call, fails)
        }
        StepKind::EnqueueProgram(call) => {
            // A call that is refused enqueues nothing; one that meets the device's end did.
            let refused = step.expect_error.as_ref().is_some_and(|it| !ends_the_device(it.code));
            enqueue_program(evaluator, scope, call, refused)
        }
        StepKind::ReplayTrace(call) => replay_trace(evaluator, scope, call, fails),
        StepKind::CollectTrace(call) => collect_trace(evaluator, scope, call, fails),
        StepKind::LoadTrace(call) => load_trace(evaluator, scope, call),
        StepKind::SetCommonRuntimeArgs(call) => set_common_runtime_args(evaluator, scope, call),
        StepKind::UpdateCommonRuntimeArgs(call) => {
            update_common_runtime_args(evaluator, scope, call)
        }
    };
    command.map(StepCalls::from)
}

fn enqueue_program(
    evaluator: &mut Evaluator<'_>,
    scope: &mut Scope,
    call: &EnqueueProgram,
    refused: bool,
) -> Option<Command> {
    let queue = evaluator.queue(call.queue.as_ref());
    let blocking = evaluator.setting_or(call.blocking.as_ref(), false);
    let (id, _) = scope.programs.get(&call.program, evaluator.mistakes())?;
    if !refused {
        scope.note_program(id);
        scope.enqueues(&call.program);
    }
    Some(Command::EnqueueProgram(commands::EnqueueProgram {
        queue: queue?,
        program: ProgramId(id),
        blocking: blocking?,
    }))
}

fn create_semaphore(
    evaluator: &mut Evaluator<'_>,
    scope: &mut Scope,
    call: &CreateSemaphore,
    fails: bool,
) -> Option<Command> {
    let program = scope.programs.get(&call.program, evaluator.mistakes()).map(|(id, _)| id);
    let cores = evaluator.cores(&call.cores);
    let initial = match &call.initial_value {
        Some(value) => evaluator.u32(value, "the initial value"),
        None => Some(0),
    };
    let facts = SemaphoreFacts {
        program: program.unwrap_or_default(),
        number: scope
            .semaphore_number(program.unwrap_or_default(), cores.as_deref().unwrap_or_default()),
        cores: cores.clone().unwrap_or_default(),
        made: !fails,
    };
    let id = scope.semaphores.add(&call.id, facts, evaluator.mistakes());
    Some(Command::CreateSemaphore(commands::CreateSemaphore {
        semaphore: SemaphoreId(id),
        name: scope.given(&call.id),
        program: ProgramId(program?),
        cores: cores?,
        initial_value: initial?,
    }))
}
