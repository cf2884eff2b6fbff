//! Traces: how they are recorded, ended, replayed and released.

use std::sync::Arc;

use hallmark_engine::launch::ProgramLaunch;
use hallmark_engine::trace::TracedLaunch;
use hallmark_engine::work::Work;
use hallmark_schema::commands::{
    BeginTraceCapture, Command, EndTraceCapture, ReleaseTrace, ReplayTrace,
};
use hallmark_schema::model::{CommandIndex, CommandKind, Failure, QueueId, TraceId};

use super::allocator::bank_alignment;
use super::call::Perform;
use super::trace_states::{ReadyTrace, RecordedLaunch, RegionPages, TraceProgress, TraceState};
use super::types::{CommandQueue, Trace};
use super::{Device, Host};
use crate::InternalError;
use crate::defects::{Defect, planted};
use crate::error::{CallError, HostError};
use crate::payload::Input;

impl Host {
    /// The trace that a queue records, if it does.
    pub(super) fn tracing(&self, queue: QueueId) -> Option<TraceId> {
        self.tracing.get(usize::from(queue.0)).copied().flatten()
    }

    fn set_tracing(&mut self, queue: QueueId, trace: Option<TraceId>) {
        if let Some(place) = self.tracing.get_mut(usize::from(queue.0)) {
            *place = trace;
        }
    }

    /// Refuses what no trace can hold on a queue that records one.
    pub(super) fn check_no_capture(&self, queue: QueueId, failure: Failure) -> Result<(), Failure> {
        self.tracing(queue).map_or(Ok(()), |_| Err(failure))
    }

    /// Adds a launch to the trace that a queue records.
    pub(super) fn trace_launch(
        &mut self,
        trace: TraceId,
        command: CommandIndex,
        launch: Arc<ProgramLaunch>,
    ) -> Result<(), CallError> {
        let what = || InternalError::new(format!("trace {trace} is not recorded"));
        let buffers = self.buffers_of(&launch);
        let state = self.objects.traces.get_mut(trace.0).map_err(|_| what())?;
        let TraceProgress::Recording { launches, weight } = &mut state.progress else {
            return Err(what().into());
        };
        *weight = weight.saturating_add(launch.weight());
        launches.push(RecordedLaunch { traced: TracedLaunch { command, launch }, buffers });
        Ok(())
    }

    /// Whether a trace fits into the trace region beside those that live.
    pub(super) fn check_trace_region(&self, made: &ReadyTrace) -> Result<(), Failure> {
        let live: u64 = self.live_traces().map(|trace| trace.size).sum();
        let live = if planted(Defect::TraceRoomForOne) { 0 } else { live };
        let (size, limit) = (made.size.saturating_add(live), self.trace_region_size);
        if size > limit { Err(Failure::TraceRegionTooSmall { size, limit }) } else { Ok(()) }
    }

    fn live_traces(&self) -> impl Iterator<Item = &ReadyTrace> {
        self.objects.traces.live().filter_map(|(_, state)| match &state.progress {
            TraceProgress::Ready(trace) => Some(trace),
            TraceProgress::Recording { .. } => None,
        })
    }

    /// Bytes that traces hold in the host's memory, roughly.
    pub(super) fn traced_weight(&self) -> u64 {
        self.objects.traces.live().fold(0, |sum, (_, state)| {
            sum.saturating_add(match &state.progress {
                TraceProgress::Ready(trace) => trace.weight,
                TraceProgress::Recording { weight, .. } => *weight,
            })
        })
    }

    pub(super) fn region_pages(&self) -> RegionPages {
        let dram = hallmark_schema::model::BufferType::Dram;
        RegionPages {
            banks: self.banks.dram.len() as u64,
            alignment: bank_alignment(self.description, dram),
        }
    }
}

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
        let Self { queue, trace, name } = self;
        let host = &mut device.host;
        host.objects.traces.reserve();
        let fail = |failure| HostError::new(CommandKind::BeginTraceCapture, failure).named(&name);
        host.check_queue(queue).map_err(fail)?;
        if let Some(trace) = host.tracing(queue) {
            return Err(fail(Failure::QueueAlreadyTracing { queue, trace }).into());
        }
        host.check_present(CommandKind::BeginTraceCapture)?;
        let progress = TraceProgress::Recording { launches: Vec::new(), weight: 0 };
        host.objects.traces.fill(trace.0, TraceState { name, progress });
        host.set_tracing(queue, Some(trace));
        Ok(())
    }
}

impl Perform for EndTraceCapture {
    fn perform(self, device: &mut Device, _: CommandIndex, _: Input) -> Result<(), CallError> {
        let Self { queue, trace } = self;
        let host = &mut device.host;
        let fail = |failure| HostError::new(CommandKind::EndTraceCapture, failure);
        host.check_queue(queue).map_err(fail)?;
        let state = host.objects.traces.get(trace.0).map_err(fail)?;
        let name = state.name.clone();
        let fail = |failure| fail(failure).named(&name);
        if host.tracing(queue) != Some(trace) {
            return Err(fail(Failure::QueueNotTracing { queue, trace }).into());
        }
        host.check_present(CommandKind::EndTraceCapture)?;
        // Whatever comes of it, the capture is over.
        host.set_tracing(queue, None);
        let recorded = host.objects.traces.release(trace.0).map_err(fail)?;
        let TraceProgress::Recording { launches, .. } = recorded.progress else {
            return Err(InternalError::new("a queue records a trace that is complete").into());
        };
        let made = ReadyTrace::new(name.clone(), launches, host.region_pages());
        host.check_trace_region(&made).map_err(fail)?;
        let progress = TraceProgress::Ready(made);
        host.objects.traces.fill(trace.0, TraceState { name, progress });
        Ok(())
    }
}

impl Perform for ReplayTrace {
    fn perform(self, device: &mut Device, index: CommandIndex, _: Input) -> Result<(), CallError> {
        let Self { queue, trace, blocking } = self;
        let host = &mut device.host;
        let call = CommandKind::ReplayTrace;
        let fail = |failure| HostError::new(call, failure);
        host.check_queue(queue).map_err(fail)?;
        let state = host.objects.traces.get(trace.0).map_err(fail)?;
        let fail = |failure| fail(failure).named(&state.name);
        host.check_no_capture(queue, Failure::ReplayDuringTrace { queue }).map_err(fail)?;
        let TraceProgress::Ready(ready) = &state.progress else {
            return Err(fail(Failure::TraceNotCaptured { trace }).into());
        };
        let ready = Arc::clone(&ready.trace);
        host.check_cores(queue, ready.cores.iter().copied()).map_err(fail)?;
        host.check_present(call)?;
        host.occupy_cores(queue, index, ready.cores.iter().copied());
        host.enqueue(queue, index, Work::Replay(ready));
        device.wait_if(blocking, queue, index, CommandKind::ReplayTrace)
    }
}

impl Perform for ReleaseTrace {
    /// What was enqueued before still runs; the room is free for other traces from now on.
    fn perform(self, device: &mut Device, _: CommandIndex, _: Input) -> Result<(), CallError> {
        let Self { trace } = self;
        let host = &mut device.host;
        let fail = |failure| HostError::new(CommandKind::ReleaseTrace, failure);
        let state = host.objects.traces.get(trace.0).map_err(fail)?;
        if matches!(state.progress, TraceProgress::Recording { .. }) {
            let failure = Failure::TraceNotCaptured { trace };
            return Err(fail(failure).named(&state.name).into());
        }
        if !planted(Defect::TraceRoomKept) {
            host.objects.traces.release(trace.0).map_err(fail)?;
        }
        Ok(())
    }
}
