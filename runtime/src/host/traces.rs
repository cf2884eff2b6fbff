//! Traces: how they are recorded, ended, replayed and released.

use std::sync::Arc;

use hallmark_engine::work::Work;
use hallmark_schema::commands::{
    BeginTraceCapture, Command, EndTraceCapture, ReleaseTrace, ReplayTrace,
};
use hallmark_schema::model::{CommandIndex, CommandKind, Failure, TraceId};

use super::call::Perform;
use super::device::{Device, Host};
use super::opened::Opened;
use super::queues::Queues;
use super::trace_states::{ReadyTrace, TraceProgress};
use super::trace_table::Traces;
use super::types::{CommandQueue, Trace};
use crate::InternalError;
use crate::defects::{Defect, planted};
use crate::error::{CallError, HostError};
use crate::payload::Input;

impl Device {
    /// `BeginTraceCapture`: programs enqueued on the queue become part of a trace instead of running.
    ///
    /// # Errors
    /// [`Failure::UnknownQueue`], [`Failure::QueueAlreadyTracing`], [`Failure::DeviceLost`].
    pub fn begin_trace_capture(
        &mut self,
        queue: CommandQueue,
        name: &str,
    ) -> Result<Trace, CallError> {
        let trace = self.next_trace();
        let command = Command::BeginTraceCapture(BeginTraceCapture {
            queue: queue.id(),
            trace: trace.id(),
            name: name.to_owned(),
        });
        self.call(command, Input::Nothing)?;
        Ok(trace)
    }

    /// `EndTraceCapture`: the trace is complete. If the trace region does not hold it beside all live
    /// ones, there is no trace.
    ///
    /// # Errors
    /// [`Failure::UnknownQueue`], [`Failure::UnknownObject`], [`Failure::ReleasedObject`],
    /// [`Failure::QueueNotTracing`], [`Failure::TraceRegionTooSmall`], [`Failure::DeviceLost`].
    pub fn end_trace_capture(
        &mut self,
        queue: CommandQueue,
        trace: Trace,
    ) -> Result<(), CallError> {
        let (queue, trace) = (queue.id(), trace.id());
        self.call(Command::EndTraceCapture(EndTraceCapture { queue, trace }), Input::Nothing)
    }

    /// `ReplayTrace`: runs every program of a trace as it was when it was enqueued.
    ///
    /// # Errors
    /// [`Failure::UnknownQueue`], [`Failure::UnknownObject`], [`Failure::ReleasedObject`],
    /// [`Failure::TraceNotCaptured`], [`Failure::ReplayDuringTrace`], [`Failure::CoreInUseByQueue`],
    /// [`Failure::DeviceLost`]; a blocking call also what [`Device::finish`] meets.
    pub fn replay_trace(
        &mut self,
        queue: CommandQueue,
        trace: Trace,
        blocking: bool,
    ) -> Result<(), CallError> {
        let (queue, trace) = (queue.id(), trace.id());
        self.call(Command::ReplayTrace(ReplayTrace { queue, trace, blocking }), Input::Nothing)
    }

    /// `ReleaseTrace`: gives a trace's room back. Replays enqueued before still run.
    ///
    /// # Errors
    /// [`Failure::UnknownObject`], [`Failure::ReleasedObject`], [`Failure::TraceNotCaptured`].
    pub fn release_trace(&mut self, trace: Trace) -> Result<(), CallError> {
        self.call(Command::ReleaseTrace(ReleaseTrace { trace: trace.id() }), Input::Nothing)
    }
}

impl Perform for BeginTraceCapture {
    fn perform(self, device: &mut Device, _: CommandIndex, _: Input) -> Result<(), CallError> {
        let Host { queues, traces, .. } = &mut device.host;
        begin_trace_capture(self, queues, traces)
    }
}

impl Perform for EndTraceCapture {
    fn perform(self, device: &mut Device, _: CommandIndex, _: Input) -> Result<(), CallError> {
        let Host { opened, queues, traces, .. } = &mut device.host;
        end_trace_capture(&self, opened, queues, traces)
    }
}

impl Perform for ReplayTrace {
    fn perform(self, device: &mut Device, index: CommandIndex, _: Input) -> Result<(), CallError> {
        let Host { queues, traces, .. } = &mut device.host;
        replay_trace(&self, index, queues, traces)?;
        device.wait_if(self.blocking, self.queue, index, CommandKind::ReplayTrace)
    }
}

impl Perform for ReleaseTrace {
    /// Replays that were enqueued before still run; the room is free for other traces from now on.
    fn perform(self, device: &mut Device, _: CommandIndex, _: Input) -> Result<(), CallError> {
        release_trace(self.trace, &mut device.host.traces)
    }
}

fn begin_trace_capture(
    call: BeginTraceCapture,
    queues: &mut Queues,
    traces: &mut Traces,
) -> Result<(), CallError> {
    let BeginTraceCapture { queue, trace, name } = call;
    traces.reserve();
    let fail = |failure| HostError::new(CommandKind::BeginTraceCapture, failure).named(&name);
    queues.check_queue(queue).map_err(fail)?;
    if let Some(trace) = queues.tracing(queue) {
        return Err(fail(Failure::QueueAlreadyTracing { queue, trace }).into());
    }
    queues.check_present(CommandKind::BeginTraceCapture)?;
    let progress = TraceProgress::Recording { launches: Vec::new(), weight: 0 };
    traces.fill(trace, name, progress);
    queues.set_tracing(queue, Some(trace));
    Ok(())
}

fn end_trace_capture(
    call: &EndTraceCapture,
    opened: &Opened,
    queues: &mut Queues,
    traces: &mut Traces,
) -> Result<(), CallError> {
    let EndTraceCapture { queue, trace } = *call;
    let fail = |failure| HostError::new(CommandKind::EndTraceCapture, failure);
    queues.check_queue(queue).map_err(fail)?;
    let state = traces.get(trace).map_err(fail)?;
    let name = state.name.clone();
    let fail = |failure| fail(failure).named(&name);
    if queues.tracing(queue) != Some(trace) {
        return Err(fail(Failure::QueueNotTracing { queue, trace }).into());
    }
    queues.check_present(CommandKind::EndTraceCapture)?;
    // Whatever comes of it, the capture is over.
    queues.set_tracing(queue, None);
    let recorded = traces.release(trace).map_err(fail)?;
    let TraceProgress::Recording { launches, .. } = recorded.progress else {
        return Err(InternalError::new("a queue records a trace that is complete").into());
    };
    let made = ReadyTrace::new(name.clone(), launches, opened.region_pages());
    traces.check_region(&made).map_err(fail)?;
    traces.fill(trace, name, TraceProgress::Ready(made));
    Ok(())
}

fn replay_trace(
    call: &ReplayTrace,
    index: CommandIndex,
    queues: &mut Queues,
    traces: &Traces,
) -> Result<(), CallError> {
    let ReplayTrace { queue, trace, .. } = *call;
    let kind = CommandKind::ReplayTrace;
    let fail = |failure| HostError::new(kind, failure);
    queues.check_queue(queue).map_err(fail)?;
    let state = traces.get(trace).map_err(fail)?;
    let fail = |failure| fail(failure).named(&state.name);
    queues.check_no_capture(queue, Failure::ReplayDuringTrace { queue }).map_err(fail)?;
    let TraceProgress::Ready(ready) = &state.progress else {
        return Err(fail(Failure::TraceNotCaptured { trace }).into());
    };
    let ready = Arc::clone(&ready.trace);
    queues.check_cores(queue, ready.cores.iter().copied()).map_err(fail)?;
    queues.check_present(kind)?;
    queues.occupy_cores(queue, index, ready.cores.iter().copied());
    queues.enqueue(queue, index, Work::Replay(ready));
    Ok(())
}

fn release_trace(trace: TraceId, traces: &mut Traces) -> Result<(), CallError> {
    let fail = |failure| HostError::new(CommandKind::ReleaseTrace, failure);
    let state = traces.get(trace).map_err(fail)?;
    if matches!(state.progress, TraceProgress::Recording { .. }) {
        let failure = Failure::TraceNotCaptured { trace };
        return Err(fail(failure).named(&state.name).into());
    }
    if !planted(Defect::TraceRoomKept) {
        traces.release(trace).map_err(fail)?;
    }
    Ok(())
}
