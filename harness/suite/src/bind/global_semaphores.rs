//! Steps of global semaphores, each as calls of the buffer that holds the words.

use hallmark_runtime::{GlobalSemaphore, GlobalSemaphoreConfig, SemaphoreMemory, refusals_of};
use hallmark_schema::commands::DeallocateBuffer;
use hallmark_schema::model::{BufferId, Command, CommandKind, Sharding};

use super::data::DataMaker;
use super::evaluator::Evaluator;
use super::known_data::KnownData;
use super::scope::{BufferFacts, Scope};
use super::steps::StepCalls;
use crate::language::{CreateGlobalSemaphore, ResetGlobalSemaphore, Step};
use crate::read::Name;

/// Whether a step expects an error with which one of its calls is refused.
fn expects_refusal(step: &Step, by: CommandKind) -> bool {
    step.expect_error.as_ref().is_some_and(|error| refusals_of(by).contains(&error.code))
}

pub(super) fn create_global_semaphore(
    evaluator: &mut Evaluator<'_>,
    scope: &mut Scope,
    maker: &DataMaker<'_>,
    known_data: &mut KnownData,
    step: &Step,
    call: &CreateGlobalSemaphore,
) -> Option<StepCalls> {
    let cores = evaluator.cores(&call.cores);
    let value = match &call.initial_value {
        Some(value) => evaluator.u32(value, "the initial value"),
        None => Some(0),
    };
    let memory = evaluator.setting_or(call.r#type.as_ref(), SemaphoreMemory::L1);
    let (Some(cores), Some(initial_value), Some(memory)) = (cores, value, memory) else {
        // It is defined all the same, or each use of it would be one more mistake.
        scope.buffers.add(&call.id, BufferFacts::default(), evaluator.mistakes());
        return None;
    };
    let name = scope.given(&call.id);
    let config = GlobalSemaphoreConfig { name: &name, cores: &cores, initial_value, memory };
    // The next id; a name that is taken is a mistake.
    let next = BufferId(scope.buffers.next());
    let (creation, semaphore) = (config.creation(next), config.semaphore(next));
    let pages = creation.size.checked_div(creation.page_size).unwrap_or_default();
    let sharding = creation.shard_spec.as_ref();
    let facts = BufferFacts {
        size: Some(creation.size),
        page_size: Some(creation.page_size),
        buffer_type: Some(creation.buffer_type),
        root: None,
        is_global_semaphore: true,
        sharding: sharding.and_then(|spec| Sharding::new(creation.layout, spec, pages).ok()),
    };
    scope.buffers.add(&call.id, facts, evaluator.mistakes());
    let creation = Command::from(creation);
    if expects_refusal(step, CommandKind::CreateBuffer) {
        return Some(creation.into());
    }
    let write = semaphore.write(initial_value);
    let place = scope.commands().saturating_add(1);
    if expects_refusal(step, CommandKind::EnqueueWriteBuffer) {
        let free = DeallocateBuffer { buffer: next };
        return Some(StepCalls { commands: vec![creation, write.into(), free.into()], failing: 1 });
    }
    known_data.insert(
        name,
        place,
        write.data.generator.map(|it| maker.known(it, write.data.length)),
    );
    Some(StepCalls { commands: vec![creation, write.into()], failing: 1 })
}

pub(super) fn reset_global_semaphore(
    evaluator: &mut Evaluator<'_>,
    scope: &mut Scope,
    maker: &DataMaker<'_>,
    known_data: &mut KnownData,
    step: &Step,
    call: &ResetGlobalSemaphore,
) -> Option<StepCalls> {
    let semaphore = global_semaphore(evaluator, scope, &call.semaphore);
    let value = evaluator.u32(&call.value, "the value");
    let (semaphore, value) = (semaphore?, value?);
    let write = semaphore.write(value);
    if !expects_refusal(step, CommandKind::EnqueueWriteBuffer) {
        scope.enqueues(&call.semaphore);
        let id = semaphore.buffer().id().0;
        for name in scope.sharing_memory(id) {
            known_data.forget(&name, scope.commands());
        }
        if let Some(name) = scope.buffers.name(id) {
            let known = write.data.generator.map(|it| maker.known(it, write.data.length));
            known_data.insert(name.to_owned(), scope.commands(), known);
        }
    }
    Some(Command::from(write).into())
}

/// The global semaphore that a step names.
pub(super) fn global_semaphore(
    evaluator: &mut Evaluator<'_>,
    scope: &Scope,
    name: &Name,
) -> Option<GlobalSemaphore> {
    let (id, facts) = scope.buffers.get(name, evaluator.mistakes())?;
    // A step that is mistaken made the object if its size is not known.
    if !facts.is_global_semaphore && facts.size.is_some() {
        let text = &name.text;
        return evaluator.mistakes().add(
            format!("`{text}` is a buffer and no global semaphore"),
            name.span,
            format!(
                "make it with `create_global_semaphore`, or treat it as a buffer: `{{ buffer: {text} }}` is its address"
            ),
        );
    }
    let size = facts.size.unwrap_or_default();
    Some(GlobalSemaphore::of(BufferId(id).into(), size))
}
