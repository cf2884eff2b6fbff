//! Steps that replay, collect and load traces.

use hallmark_schema::commands;
use hallmark_schema::model::{BufferId, Command, TraceBuffer, TraceId};

use super::evaluator::Evaluator;
use super::scope::Scope;
use crate::language::{CollectTrace, LoadTrace, ReplayTrace};
use crate::read::Name;

pub(super) fn replay_trace(
    evaluator: &mut Evaluator<'_>,
    scope: &mut Scope,
    call: &ReplayTrace,
    fails: bool,
) -> Option<Command> {
    let queue = evaluator.queue(call.queue.as_ref());
    let blocking = evaluator.setting_or(call.blocking.as_ref(), false);
    let trace = trace(evaluator, scope, &call.trace)?;
    if !fails {
        scope.enqueues(&call.trace);
    }
    Some(Command::ReplayTrace(commands::ReplayTrace { queue: queue?, trace, blocking: blocking? }))
}

pub(super) fn collect_trace(
    evaluator: &mut Evaluator<'_>,
    scope: &mut Scope,
    call: &CollectTrace,
    fails: bool,
) -> Option<Command> {
    let trace = trace(evaluator, scope, &call.trace);
    let collected = scope.collected.add(&call.r#as, !fails, evaluator.mistakes());
    let collected = scope.collected.name(collected).unwrap_or_default().to_owned();
    Some(Command::CollectTrace(commands::CollectTrace { trace: trace?, collected }))
}

pub(super) fn load_trace(
    evaluator: &mut Evaluator<'_>,
    scope: &mut Scope,
    call: &LoadTrace,
) -> Option<Command> {
    let from = scope.collected.get(&call.from, evaluator.mistakes());
    let from = from.map(|(id, there)| (id, *there));
    let mut buffers = Some(Vec::new());
    for (recorded, buffer) in call.buffers.iter().flat_map(|buffers| &buffers.0) {
        let recorded = Name { text: recorded.value.clone(), span: recorded.span };
        let pair = [&recorded, buffer].map(|name| scope.buffers.get(name, evaluator.mistakes()));
        let pair = pair.map(|found| found.map(|(id, _)| BufferId(id)));
        match (pair, &mut buffers) {
            ([Some(recorded), Some(buffer)], Some(buffers)) => {
                buffers.push(TraceBuffer { recorded, buffer });
            }
            _ => buffers = None,
        }
    }
    let trace = TraceId(scope.traces.add(&call.id, (), evaluator.mistakes()));
    let (from, there) = from?;
    if !there {
        return evaluator.mistakes().add(
            format!("trace `{}` is never collected", call.from.text),
            call.from.span,
            "the step that would collect it is expected to fail",
        );
    }
    let mut buffers = buffers?;
    buffers.sort_by_key(|pair| pair.recorded);
    let from = scope.collected.name(from).unwrap_or_default().to_owned();
    Some(Command::LoadTrace(commands::LoadTrace {
        trace,
        name: scope.given(&call.id),
        from,
        buffers,
    }))
}

fn trace(evaluator: &mut Evaluator<'_>, scope: &Scope, name: &Name) -> Option<TraceId> {
    scope.traces.get(name, evaluator.mistakes()).map(|(id, ())| TraceId(id))
}
