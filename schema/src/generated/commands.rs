// Written by scripts/schema-gen from schema/fbs; do not modify.
// @generated

use flatbuffers::{UnionWIPOffset, WIPOffset};
use serde::{Deserialize, Serialize};
use crate::commands::{
    self, AnyCall, CallField, CallValue, Presence, References, Role, Visit, VisitMut,
};
use crate::error::{CaptureError, Path};
use crate::generated::capture as fb;
use crate::journal::weight::{self, Weight};
use crate::model::{self, ObjectKind, QueueId};
use crate::wire::read::{check_fields, hash, list, real, required, text, words};
use crate::wire::table::{Builder, TableList, TableWire, string, structs, vector};
use crate::wire::{Wire, unknown_value};
/// A call of the host API.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Command {
    /// `CreateBuffer`: pages spread over the banks of DRAM or L1.
    CreateBuffer(commands::CreateBuffer),
    /// `DeallocateBuffer`: frees the buffer's memory. Later uses of the buffer are errors.
    DeallocateBuffer(commands::DeallocateBuffer),
    /// `CreateProgram`: makes a program without kernels.
    CreateProgram(commands::CreateProgram),
    /// `CreateKernel`: adds a kernel to a program, on a data-movement processor (`processor`, `noc`) or on the
    /// compute threads (`compute`).
    CreateKernel(commands::CreateKernel),
    /// `SetRuntimeArgs`: sets a kernel's arguments, either the same on a set of cores (`args`) or per core
    /// (`per_core`).
    SetRuntimeArgs(commands::SetRuntimeArgs),
    /// `CreateCircularBuffer`.
    CreateCircularBuffer(commands::CreateCircularBuffer),
    /// `CreateSemaphore`.
    CreateSemaphore(commands::CreateSemaphore),
    /// `EnqueueWriteBuffer`.
    EnqueueWriteBuffer(commands::EnqueueWriteBuffer),
    /// `EnqueueReadBuffer`.
    EnqueueReadBuffer(commands::EnqueueReadBuffer),
    /// `EnqueueProgram`.
    EnqueueProgram(commands::EnqueueProgram),
    /// `Finish`: waits until everything enqueued on the queue is done. Device faults are reported here.
    Finish(commands::Finish),
    /// `SetCommonRuntimeArgs`: sets the arguments that all cores of a kernel share. They can be set once.
    SetCommonRuntimeArgs(commands::SetCommonRuntimeArgs),
    /// Changes common arguments from the next launch on: a write to what `GetCommonRuntimeArgs` returns.
    UpdateCommonRuntimeArgs(commands::UpdateCommonRuntimeArgs),
    /// `Buffer::view`: makes whole pages of a buffer a buffer of their own for writes and reads. The view has no
    /// memory of its own. Its address is that of the whole buffer, because kernels count pages from there.
    CreateBufferView(commands::CreateBufferView),
    /// `UpdateCircularBufferTotalSize`: changes the size from the next launch on. That launch checks whether
    /// whole pages fit.
    UpdateCircularBufferTotalSize(commands::UpdateCircularBufferTotalSize),
    /// `UpdateCircularBufferPageSize`: changes the page size of an index from the next launch on.
    UpdateCircularBufferPageSize(commands::UpdateCircularBufferPageSize),
    /// `UpdateDynamicCircularBufferAddress`: moves a circular buffer to another L1 buffer from the next launch
    /// on.
    UpdateDynamicCircularBufferAddress(commands::UpdateDynamicCircularBufferAddress),
    /// `UpdateDynamicCircularBufferAddressAndTotalSize`: moves a circular buffer to another L1 buffer and changes
    /// its size, from the next launch on. The offset in the buffer stays.
    UpdateDynamicCircularBufferAddressAndTotalSize(
        commands::UpdateDynamicCircularBufferAddressAndTotalSize,
    ),
    /// `EnqueueRecordEvent`, or `EnqueueRecordEventToHost`: an event that happens once everything enqueued
    /// before it on its queue is done.
    EnqueueRecordEvent(commands::EnqueueRecordEvent),
    /// `EnqueueWaitForEvent`: what is enqueued later on the queue begins only after the event has happened.
    EnqueueWaitForEvent(commands::EnqueueWaitForEvent),
    /// `EventSynchronize`: the host waits for an event.
    EventSynchronize(commands::EventSynchronize),
    /// `EventQuery`: asks whether an event has happened.
    EventQuery(commands::EventQuery),
    /// `BeginTraceCapture`: begins a trace. Programs enqueued on the queue become part of it instead of running.
    BeginTraceCapture(commands::BeginTraceCapture),
    /// `EndTraceCapture`: completes the trace that was begun on the queue.
    EndTraceCapture(commands::EndTraceCapture),
    /// `ReplayTrace`: runs every program of a trace, each as it was when it was enqueued.
    ReplayTrace(commands::ReplayTrace),
    /// `ReleaseTrace`: frees the memory of a trace.
    ReleaseTrace(commands::ReleaseTrace),
    /// `CollectTrace`: makes bytes from a trace. The bytes do not depend on where its buffers lie.
    CollectTrace(commands::CollectTrace),
    /// `LoadTrace`: makes a trace from bytes, with the addresses that the buffers have now.
    LoadTrace(commands::LoadTrace),
    /// `Synchronize`: waits until everything enqueued on every queue is done.
    Synchronize(commands::Synchronize),
}
impl From<commands::CreateBuffer> for Command {
    fn from(call: commands::CreateBuffer) -> Self {
        Self::CreateBuffer(call)
    }
}
impl From<commands::DeallocateBuffer> for Command {
    fn from(call: commands::DeallocateBuffer) -> Self {
        Self::DeallocateBuffer(call)
    }
}
impl From<commands::CreateProgram> for Command {
    fn from(call: commands::CreateProgram) -> Self {
        Self::CreateProgram(call)
    }
}
impl From<commands::CreateKernel> for Command {
    fn from(call: commands::CreateKernel) -> Self {
        Self::CreateKernel(call)
    }
}
impl From<commands::SetRuntimeArgs> for Command {
    fn from(call: commands::SetRuntimeArgs) -> Self {
        Self::SetRuntimeArgs(call)
    }
}
impl From<commands::CreateCircularBuffer> for Command {
    fn from(call: commands::CreateCircularBuffer) -> Self {
        Self::CreateCircularBuffer(call)
    }
}
impl From<commands::CreateSemaphore> for Command {
    fn from(call: commands::CreateSemaphore) -> Self {
        Self::CreateSemaphore(call)
    }
}
impl From<commands::EnqueueWriteBuffer> for Command {
    fn from(call: commands::EnqueueWriteBuffer) -> Self {
        Self::EnqueueWriteBuffer(call)
    }
}
impl From<commands::EnqueueReadBuffer> for Command {
    fn from(call: commands::EnqueueReadBuffer) -> Self {
        Self::EnqueueReadBuffer(call)
    }
}
impl From<commands::EnqueueProgram> for Command {
    fn from(call: commands::EnqueueProgram) -> Self {
        Self::EnqueueProgram(call)
    }
}
impl From<commands::Finish> for Command {
    fn from(call: commands::Finish) -> Self {
        Self::Finish(call)
    }
}
impl From<commands::SetCommonRuntimeArgs> for Command {
    fn from(call: commands::SetCommonRuntimeArgs) -> Self {
        Self::SetCommonRuntimeArgs(call)
    }
}
impl From<commands::UpdateCommonRuntimeArgs> for Command {
    fn from(call: commands::UpdateCommonRuntimeArgs) -> Self {
        Self::UpdateCommonRuntimeArgs(call)
    }
}
impl From<commands::CreateBufferView> for Command {
    fn from(call: commands::CreateBufferView) -> Self {
        Self::CreateBufferView(call)
    }
}
impl From<commands::UpdateCircularBufferTotalSize> for Command {
    fn from(call: commands::UpdateCircularBufferTotalSize) -> Self {
        Self::UpdateCircularBufferTotalSize(call)
    }
}
impl From<commands::UpdateCircularBufferPageSize> for Command {
    fn from(call: commands::UpdateCircularBufferPageSize) -> Self {
        Self::UpdateCircularBufferPageSize(call)
    }
}
impl From<commands::UpdateDynamicCircularBufferAddress> for Command {
    fn from(call: commands::UpdateDynamicCircularBufferAddress) -> Self {
        Self::UpdateDynamicCircularBufferAddress(call)
    }
}
impl From<commands::UpdateDynamicCircularBufferAddressAndTotalSize> for Command {
    fn from(call: commands::UpdateDynamicCircularBufferAddressAndTotalSize) -> Self {
        Self::UpdateDynamicCircularBufferAddressAndTotalSize(call)
    }
}
impl From<commands::EnqueueRecordEvent> for Command {
    fn from(call: commands::EnqueueRecordEvent) -> Self {
        Self::EnqueueRecordEvent(call)
    }
}
impl From<commands::EnqueueWaitForEvent> for Command {
    fn from(call: commands::EnqueueWaitForEvent) -> Self {
        Self::EnqueueWaitForEvent(call)
    }
}
impl From<commands::EventSynchronize> for Command {
    fn from(call: commands::EventSynchronize) -> Self {
        Self::EventSynchronize(call)
    }
}
impl From<commands::EventQuery> for Command {
    fn from(call: commands::EventQuery) -> Self {
        Self::EventQuery(call)
    }
}
impl From<commands::BeginTraceCapture> for Command {
    fn from(call: commands::BeginTraceCapture) -> Self {
        Self::BeginTraceCapture(call)
    }
}
impl From<commands::EndTraceCapture> for Command {
    fn from(call: commands::EndTraceCapture) -> Self {
        Self::EndTraceCapture(call)
    }
}
impl From<commands::ReplayTrace> for Command {
    fn from(call: commands::ReplayTrace) -> Self {
        Self::ReplayTrace(call)
    }
}
impl From<commands::ReleaseTrace> for Command {
    fn from(call: commands::ReleaseTrace) -> Self {
        Self::ReleaseTrace(call)
    }
}
impl From<commands::CollectTrace> for Command {
    fn from(call: commands::CollectTrace) -> Self {
        Self::CollectTrace(call)
    }
}
impl From<commands::LoadTrace> for Command {
    fn from(call: commands::LoadTrace) -> Self {
        Self::LoadTrace(call)
    }
}
impl From<commands::Synchronize> for Command {
    fn from(call: commands::Synchronize) -> Self {
        Self::Synchronize(call)
    }
}
impl Command {
    /// Which call it is.
    pub const fn kind(&self) -> CommandKind {
        match self {
            Self::CreateBuffer(_) => CommandKind::CreateBuffer,
            Self::DeallocateBuffer(_) => CommandKind::DeallocateBuffer,
            Self::CreateProgram(_) => CommandKind::CreateProgram,
            Self::CreateKernel(_) => CommandKind::CreateKernel,
            Self::SetRuntimeArgs(_) => CommandKind::SetRuntimeArgs,
            Self::CreateCircularBuffer(_) => CommandKind::CreateCircularBuffer,
            Self::CreateSemaphore(_) => CommandKind::CreateSemaphore,
            Self::EnqueueWriteBuffer(_) => CommandKind::EnqueueWriteBuffer,
            Self::EnqueueReadBuffer(_) => CommandKind::EnqueueReadBuffer,
            Self::EnqueueProgram(_) => CommandKind::EnqueueProgram,
            Self::Finish(_) => CommandKind::Finish,
            Self::SetCommonRuntimeArgs(_) => CommandKind::SetCommonRuntimeArgs,
            Self::UpdateCommonRuntimeArgs(_) => CommandKind::UpdateCommonRuntimeArgs,
            Self::CreateBufferView(_) => CommandKind::CreateBufferView,
            Self::UpdateCircularBufferTotalSize(_) => {
                CommandKind::UpdateCircularBufferTotalSize
            }
            Self::UpdateCircularBufferPageSize(_) => {
                CommandKind::UpdateCircularBufferPageSize
            }
            Self::UpdateDynamicCircularBufferAddress(_) => {
                CommandKind::UpdateDynamicCircularBufferAddress
            }
            Self::UpdateDynamicCircularBufferAddressAndTotalSize(_) => {
                CommandKind::UpdateDynamicCircularBufferAddressAndTotalSize
            }
            Self::EnqueueRecordEvent(_) => CommandKind::EnqueueRecordEvent,
            Self::EnqueueWaitForEvent(_) => CommandKind::EnqueueWaitForEvent,
            Self::EventSynchronize(_) => CommandKind::EventSynchronize,
            Self::EventQuery(_) => CommandKind::EventQuery,
            Self::BeginTraceCapture(_) => CommandKind::BeginTraceCapture,
            Self::EndTraceCapture(_) => CommandKind::EndTraceCapture,
            Self::ReplayTrace(_) => CommandKind::ReplayTrace,
            Self::ReleaseTrace(_) => CommandKind::ReleaseTrace,
            Self::CollectTrace(_) => CommandKind::CollectTrace,
            Self::LoadTrace(_) => CommandKind::LoadTrace,
            Self::Synchronize(_) => CommandKind::Synchronize,
        }
    }
    /// The command queue that it is given to, if it is.
    pub const fn queue(&self) -> Option<QueueId> {
        match self {
            Self::CreateBuffer(_) => None,
            Self::DeallocateBuffer(_) => None,
            Self::CreateProgram(_) => None,
            Self::CreateKernel(_) => None,
            Self::SetRuntimeArgs(_) => None,
            Self::CreateCircularBuffer(_) => None,
            Self::CreateSemaphore(_) => None,
            Self::EnqueueWriteBuffer(call) => Some(call.queue),
            Self::EnqueueReadBuffer(call) => Some(call.queue),
            Self::EnqueueProgram(call) => Some(call.queue),
            Self::Finish(call) => Some(call.queue),
            Self::SetCommonRuntimeArgs(_) => None,
            Self::UpdateCommonRuntimeArgs(_) => None,
            Self::CreateBufferView(_) => None,
            Self::UpdateCircularBufferTotalSize(_) => None,
            Self::UpdateCircularBufferPageSize(_) => None,
            Self::UpdateDynamicCircularBufferAddress(_) => None,
            Self::UpdateDynamicCircularBufferAddressAndTotalSize(_) => None,
            Self::EnqueueRecordEvent(call) => Some(call.queue),
            Self::EnqueueWaitForEvent(call) => Some(call.queue),
            Self::EventSynchronize(_) => None,
            Self::EventQuery(_) => None,
            Self::BeginTraceCapture(call) => Some(call.queue),
            Self::EndTraceCapture(call) => Some(call.queue),
            Self::ReplayTrace(call) => Some(call.queue),
            Self::ReleaseTrace(_) => None,
            Self::CollectTrace(_) => None,
            Self::LoadTrace(_) => None,
            Self::Synchronize(_) => None,
        }
    }
    /// The name that it gives to the object that it creates.
    pub(crate) fn given_name(&self) -> Option<&str> {
        match self {
            Self::CreateBuffer(call) => Some(&call.name),
            Self::DeallocateBuffer(_) => None,
            Self::CreateProgram(call) => Some(&call.name),
            Self::CreateKernel(call) => Some(&call.name),
            Self::SetRuntimeArgs(_) => None,
            Self::CreateCircularBuffer(call) => Some(&call.name),
            Self::CreateSemaphore(call) => Some(&call.name),
            Self::EnqueueWriteBuffer(_) => None,
            Self::EnqueueReadBuffer(_) => None,
            Self::EnqueueProgram(_) => None,
            Self::Finish(_) => None,
            Self::SetCommonRuntimeArgs(_) => None,
            Self::UpdateCommonRuntimeArgs(_) => None,
            Self::CreateBufferView(call) => Some(&call.name),
            Self::UpdateCircularBufferTotalSize(_) => None,
            Self::UpdateCircularBufferPageSize(_) => None,
            Self::UpdateDynamicCircularBufferAddress(_) => None,
            Self::UpdateDynamicCircularBufferAddressAndTotalSize(_) => None,
            Self::EnqueueRecordEvent(call) => Some(&call.name),
            Self::EnqueueWaitForEvent(_) => None,
            Self::EventSynchronize(_) => None,
            Self::EventQuery(_) => None,
            Self::BeginTraceCapture(call) => Some(&call.name),
            Self::EndTraceCapture(_) => None,
            Self::ReplayTrace(_) => None,
            Self::ReleaseTrace(_) => None,
            Self::CollectTrace(_) => None,
            Self::LoadTrace(call) => Some(&call.name),
            Self::Synchronize(_) => None,
        }
    }
    /// The command queue that it is given to, to be changed.
    pub const fn queue_mut(&mut self) -> Option<&mut QueueId> {
        match self {
            Self::CreateBuffer(_) => None,
            Self::DeallocateBuffer(_) => None,
            Self::CreateProgram(_) => None,
            Self::CreateKernel(_) => None,
            Self::SetRuntimeArgs(_) => None,
            Self::CreateCircularBuffer(_) => None,
            Self::CreateSemaphore(_) => None,
            Self::EnqueueWriteBuffer(call) => Some(&mut call.queue),
            Self::EnqueueReadBuffer(call) => Some(&mut call.queue),
            Self::EnqueueProgram(call) => Some(&mut call.queue),
            Self::Finish(call) => Some(&mut call.queue),
            Self::SetCommonRuntimeArgs(_) => None,
            Self::UpdateCommonRuntimeArgs(_) => None,
            Self::CreateBufferView(_) => None,
            Self::UpdateCircularBufferTotalSize(_) => None,
            Self::UpdateCircularBufferPageSize(_) => None,
            Self::UpdateDynamicCircularBufferAddress(_) => None,
            Self::UpdateDynamicCircularBufferAddressAndTotalSize(_) => None,
            Self::EnqueueRecordEvent(call) => Some(&mut call.queue),
            Self::EnqueueWaitForEvent(call) => Some(&mut call.queue),
            Self::EventSynchronize(_) => None,
            Self::EventQuery(_) => None,
            Self::BeginTraceCapture(call) => Some(&mut call.queue),
            Self::EndTraceCapture(call) => Some(&mut call.queue),
            Self::ReplayTrace(call) => Some(&mut call.queue),
            Self::ReleaseTrace(_) => None,
            Self::CollectTrace(_) => None,
            Self::LoadTrace(_) => None,
            Self::Synchronize(_) => None,
        }
    }
    /// The name that it gives to the object that it creates, to be changed.
    pub const fn given_name_mut(&mut self) -> Option<&mut String> {
        match self {
            Self::CreateBuffer(call) => Some(&mut call.name),
            Self::DeallocateBuffer(_) => None,
            Self::CreateProgram(call) => Some(&mut call.name),
            Self::CreateKernel(call) => Some(&mut call.name),
            Self::SetRuntimeArgs(_) => None,
            Self::CreateCircularBuffer(call) => Some(&mut call.name),
            Self::CreateSemaphore(call) => Some(&mut call.name),
            Self::EnqueueWriteBuffer(_) => None,
            Self::EnqueueReadBuffer(_) => None,
            Self::EnqueueProgram(_) => None,
            Self::Finish(_) => None,
            Self::SetCommonRuntimeArgs(_) => None,
            Self::UpdateCommonRuntimeArgs(_) => None,
            Self::CreateBufferView(call) => Some(&mut call.name),
            Self::UpdateCircularBufferTotalSize(_) => None,
            Self::UpdateCircularBufferPageSize(_) => None,
            Self::UpdateDynamicCircularBufferAddress(_) => None,
            Self::UpdateDynamicCircularBufferAddressAndTotalSize(_) => None,
            Self::EnqueueRecordEvent(call) => Some(&mut call.name),
            Self::EnqueueWaitForEvent(_) => None,
            Self::EventSynchronize(_) => None,
            Self::EventQuery(_) => None,
            Self::BeginTraceCapture(call) => Some(&mut call.name),
            Self::EndTraceCapture(_) => None,
            Self::ReplayTrace(_) => None,
            Self::ReleaseTrace(_) => None,
            Self::CollectTrace(_) => None,
            Self::LoadTrace(call) => Some(&mut call.name),
            Self::Synchronize(_) => None,
        }
    }
    /// What every call can do, whichever it is.
    pub(crate) fn as_call(&self) -> &dyn AnyCall {
        match self {
            Self::CreateBuffer(call) => call,
            Self::DeallocateBuffer(call) => call,
            Self::CreateProgram(call) => call,
            Self::CreateKernel(call) => call,
            Self::SetRuntimeArgs(call) => call,
            Self::CreateCircularBuffer(call) => call,
            Self::CreateSemaphore(call) => call,
            Self::EnqueueWriteBuffer(call) => call,
            Self::EnqueueReadBuffer(call) => call,
            Self::EnqueueProgram(call) => call,
            Self::Finish(call) => call,
            Self::SetCommonRuntimeArgs(call) => call,
            Self::UpdateCommonRuntimeArgs(call) => call,
            Self::CreateBufferView(call) => call,
            Self::UpdateCircularBufferTotalSize(call) => call,
            Self::UpdateCircularBufferPageSize(call) => call,
            Self::UpdateDynamicCircularBufferAddress(call) => call,
            Self::UpdateDynamicCircularBufferAddressAndTotalSize(call) => call,
            Self::EnqueueRecordEvent(call) => call,
            Self::EnqueueWaitForEvent(call) => call,
            Self::EventSynchronize(call) => call,
            Self::EventQuery(call) => call,
            Self::BeginTraceCapture(call) => call,
            Self::EndTraceCapture(call) => call,
            Self::ReplayTrace(call) => call,
            Self::ReleaseTrace(call) => call,
            Self::CollectTrace(call) => call,
            Self::LoadTrace(call) => call,
            Self::Synchronize(call) => call,
        }
    }
    /// The same, to be changed.
    pub(crate) fn as_call_mut(&mut self) -> &mut dyn AnyCall {
        match self {
            Self::CreateBuffer(call) => call,
            Self::DeallocateBuffer(call) => call,
            Self::CreateProgram(call) => call,
            Self::CreateKernel(call) => call,
            Self::SetRuntimeArgs(call) => call,
            Self::CreateCircularBuffer(call) => call,
            Self::CreateSemaphore(call) => call,
            Self::EnqueueWriteBuffer(call) => call,
            Self::EnqueueReadBuffer(call) => call,
            Self::EnqueueProgram(call) => call,
            Self::Finish(call) => call,
            Self::SetCommonRuntimeArgs(call) => call,
            Self::UpdateCommonRuntimeArgs(call) => call,
            Self::CreateBufferView(call) => call,
            Self::UpdateCircularBufferTotalSize(call) => call,
            Self::UpdateCircularBufferPageSize(call) => call,
            Self::UpdateDynamicCircularBufferAddress(call) => call,
            Self::UpdateDynamicCircularBufferAddressAndTotalSize(call) => call,
            Self::EnqueueRecordEvent(call) => call,
            Self::EnqueueWaitForEvent(call) => call,
            Self::EventSynchronize(call) => call,
            Self::EventQuery(call) => call,
            Self::BeginTraceCapture(call) => call,
            Self::EndTraceCapture(call) => call,
            Self::ReplayTrace(call) => call,
            Self::ReleaseTrace(call) => call,
            Self::CollectTrace(call) => call,
            Self::LoadTrace(call) => call,
            Self::Synchronize(call) => call,
        }
    }
}
/// A command without its arguments: its name wherever one is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CommandKind {
    /// `create_buffer`.
    CreateBuffer,
    /// `deallocate_buffer`.
    DeallocateBuffer,
    /// `create_program`.
    CreateProgram,
    /// `create_kernel`.
    CreateKernel,
    /// `set_runtime_args`.
    SetRuntimeArgs,
    /// `create_circular_buffer`.
    CreateCircularBuffer,
    /// `create_semaphore`.
    CreateSemaphore,
    /// `enqueue_write_buffer`.
    EnqueueWriteBuffer,
    /// `enqueue_read_buffer`.
    EnqueueReadBuffer,
    /// `enqueue_program`.
    EnqueueProgram,
    /// `finish`.
    Finish,
    /// `set_common_runtime_args`.
    SetCommonRuntimeArgs,
    /// `update_common_runtime_args`.
    UpdateCommonRuntimeArgs,
    /// `create_buffer_view`.
    CreateBufferView,
    /// `update_circular_buffer_total_size`.
    UpdateCircularBufferTotalSize,
    /// `update_circular_buffer_page_size`.
    UpdateCircularBufferPageSize,
    /// `update_dynamic_circular_buffer_address`.
    UpdateDynamicCircularBufferAddress,
    /// `update_dynamic_circular_buffer_address_and_total_size`.
    UpdateDynamicCircularBufferAddressAndTotalSize,
    /// `enqueue_record_event`.
    EnqueueRecordEvent,
    /// `enqueue_wait_for_event`.
    EnqueueWaitForEvent,
    /// `event_synchronize`.
    EventSynchronize,
    /// `event_query`.
    EventQuery,
    /// `begin_trace_capture`.
    BeginTraceCapture,
    /// `end_trace_capture`.
    EndTraceCapture,
    /// `replay_trace`.
    ReplayTrace,
    /// `release_trace`.
    ReleaseTrace,
    /// `collect_trace`.
    CollectTrace,
    /// `load_trace`.
    LoadTrace,
    /// `synchronize`.
    Synchronize,
}
impl CommandKind {
    /// Every kind, in the order of its number in the capture format.
    pub const ALL: &'static [Self] = &[
        Self::CreateBuffer,
        Self::DeallocateBuffer,
        Self::CreateProgram,
        Self::CreateKernel,
        Self::SetRuntimeArgs,
        Self::CreateCircularBuffer,
        Self::CreateSemaphore,
        Self::EnqueueWriteBuffer,
        Self::EnqueueReadBuffer,
        Self::EnqueueProgram,
        Self::Finish,
        Self::SetCommonRuntimeArgs,
        Self::UpdateCommonRuntimeArgs,
        Self::CreateBufferView,
        Self::UpdateCircularBufferTotalSize,
        Self::UpdateCircularBufferPageSize,
        Self::UpdateDynamicCircularBufferAddress,
        Self::UpdateDynamicCircularBufferAddressAndTotalSize,
        Self::EnqueueRecordEvent,
        Self::EnqueueWaitForEvent,
        Self::EventSynchronize,
        Self::EventQuery,
        Self::BeginTraceCapture,
        Self::EndTraceCapture,
        Self::ReplayTrace,
        Self::ReleaseTrace,
        Self::CollectTrace,
        Self::LoadTrace,
        Self::Synchronize,
    ];
    /// Its name in snake_case.
    pub const fn name(self) -> &'static str {
        match self {
            Self::CreateBuffer => "create_buffer",
            Self::DeallocateBuffer => "deallocate_buffer",
            Self::CreateProgram => "create_program",
            Self::CreateKernel => "create_kernel",
            Self::SetRuntimeArgs => "set_runtime_args",
            Self::CreateCircularBuffer => "create_circular_buffer",
            Self::CreateSemaphore => "create_semaphore",
            Self::EnqueueWriteBuffer => "enqueue_write_buffer",
            Self::EnqueueReadBuffer => "enqueue_read_buffer",
            Self::EnqueueProgram => "enqueue_program",
            Self::Finish => "finish",
            Self::SetCommonRuntimeArgs => "set_common_runtime_args",
            Self::UpdateCommonRuntimeArgs => "update_common_runtime_args",
            Self::CreateBufferView => "create_buffer_view",
            Self::UpdateCircularBufferTotalSize => "update_circular_buffer_total_size",
            Self::UpdateCircularBufferPageSize => "update_circular_buffer_page_size",
            Self::UpdateDynamicCircularBufferAddress => {
                "update_dynamic_circular_buffer_address"
            }
            Self::UpdateDynamicCircularBufferAddressAndTotalSize => {
                "update_dynamic_circular_buffer_address_and_total_size"
            }
            Self::EnqueueRecordEvent => "enqueue_record_event",
            Self::EnqueueWaitForEvent => "enqueue_wait_for_event",
            Self::EventSynchronize => "event_synchronize",
            Self::EventQuery => "event_query",
            Self::BeginTraceCapture => "begin_trace_capture",
            Self::EndTraceCapture => "end_trace_capture",
            Self::ReplayTrace => "replay_trace",
            Self::ReleaseTrace => "release_trace",
            Self::CollectTrace => "collect_trace",
            Self::LoadTrace => "load_trace",
            Self::Synchronize => "synchronize",
        }
    }
    /// The name of its table in the schema.
    pub const fn table_name(self) -> &'static str {
        match self {
            Self::CreateBuffer => "CreateBuffer",
            Self::DeallocateBuffer => "DeallocateBuffer",
            Self::CreateProgram => "CreateProgram",
            Self::CreateKernel => "CreateKernel",
            Self::SetRuntimeArgs => "SetRuntimeArgs",
            Self::CreateCircularBuffer => "CreateCircularBuffer",
            Self::CreateSemaphore => "CreateSemaphore",
            Self::EnqueueWriteBuffer => "EnqueueWriteBuffer",
            Self::EnqueueReadBuffer => "EnqueueReadBuffer",
            Self::EnqueueProgram => "EnqueueProgram",
            Self::Finish => "Finish",
            Self::SetCommonRuntimeArgs => "SetCommonRuntimeArgs",
            Self::UpdateCommonRuntimeArgs => "UpdateCommonRuntimeArgs",
            Self::CreateBufferView => "CreateBufferView",
            Self::UpdateCircularBufferTotalSize => "UpdateCircularBufferTotalSize",
            Self::UpdateCircularBufferPageSize => "UpdateCircularBufferPageSize",
            Self::UpdateDynamicCircularBufferAddress => {
                "UpdateDynamicCircularBufferAddress"
            }
            Self::UpdateDynamicCircularBufferAddressAndTotalSize => {
                "UpdateDynamicCircularBufferAddressAndTotalSize"
            }
            Self::EnqueueRecordEvent => "EnqueueRecordEvent",
            Self::EnqueueWaitForEvent => "EnqueueWaitForEvent",
            Self::EventSynchronize => "EventSynchronize",
            Self::EventQuery => "EventQuery",
            Self::BeginTraceCapture => "BeginTraceCapture",
            Self::EndTraceCapture => "EndTraceCapture",
            Self::ReplayTrace => "ReplayTrace",
            Self::ReleaseTrace => "ReleaseTrace",
            Self::CollectTrace => "CollectTrace",
            Self::LoadTrace => "LoadTrace",
            Self::Synchronize => "Synchronize",
        }
    }
    /// What the call does.
    pub const fn doc(self) -> &'static str {
        match self {
            Self::CreateBuffer => {
                "`CreateBuffer`: pages spread over the banks of DRAM or L1."
            }
            Self::DeallocateBuffer => {
                "`DeallocateBuffer`: frees the buffer's memory. Later uses of the buffer are errors."
            }
            Self::CreateProgram => "`CreateProgram`: makes a program without kernels.",
            Self::CreateKernel => {
                "`CreateKernel`: adds a kernel to a program, on a data-movement processor (`processor`, `noc`) or on the\ncompute threads (`compute`)."
            }
            Self::SetRuntimeArgs => {
                "`SetRuntimeArgs`: sets a kernel's arguments, either the same on a set of cores (`args`) or per core\n(`per_core`)."
            }
            Self::CreateCircularBuffer => "`CreateCircularBuffer`.",
            Self::CreateSemaphore => "`CreateSemaphore`.",
            Self::EnqueueWriteBuffer => "`EnqueueWriteBuffer`.",
            Self::EnqueueReadBuffer => "`EnqueueReadBuffer`.",
            Self::EnqueueProgram => "`EnqueueProgram`.",
            Self::Finish => {
                "`Finish`: waits until everything enqueued on the queue is done. Device faults are reported here."
            }
            Self::SetCommonRuntimeArgs => {
                "`SetCommonRuntimeArgs`: sets the arguments that all cores of a kernel share. They can be set once."
            }
            Self::UpdateCommonRuntimeArgs => {
                "Changes common arguments from the next launch on: a write to what `GetCommonRuntimeArgs` returns."
            }
            Self::CreateBufferView => {
                "`Buffer::view`: makes whole pages of a buffer a buffer of their own for writes and reads. The view has no\nmemory of its own. Its address is that of the whole buffer, because kernels count pages from there."
            }
            Self::UpdateCircularBufferTotalSize => {
                "`UpdateCircularBufferTotalSize`: changes the size from the next launch on. That launch checks whether\nwhole pages fit."
            }
            Self::UpdateCircularBufferPageSize => {
                "`UpdateCircularBufferPageSize`: changes the page size of an index from the next launch on."
            }
            Self::UpdateDynamicCircularBufferAddress => {
                "`UpdateDynamicCircularBufferAddress`: moves a circular buffer to another L1 buffer from the next launch\non."
            }
            Self::UpdateDynamicCircularBufferAddressAndTotalSize => {
                "`UpdateDynamicCircularBufferAddressAndTotalSize`: moves a circular buffer to another L1 buffer and changes\nits size, from the next launch on. The offset in the buffer stays."
            }
            Self::EnqueueRecordEvent => {
                "`EnqueueRecordEvent`, or `EnqueueRecordEventToHost`: an event that happens once everything enqueued\nbefore it on its queue is done."
            }
            Self::EnqueueWaitForEvent => {
                "`EnqueueWaitForEvent`: what is enqueued later on the queue begins only after the event has happened."
            }
            Self::EventSynchronize => "`EventSynchronize`: the host waits for an event.",
            Self::EventQuery => "`EventQuery`: asks whether an event has happened.",
            Self::BeginTraceCapture => {
                "`BeginTraceCapture`: begins a trace. Programs enqueued on the queue become part of it instead of running."
            }
            Self::EndTraceCapture => {
                "`EndTraceCapture`: completes the trace that was begun on the queue."
            }
            Self::ReplayTrace => {
                "`ReplayTrace`: runs every program of a trace, each as it was when it was enqueued."
            }
            Self::ReleaseTrace => "`ReleaseTrace`: frees the memory of a trace.",
            Self::CollectTrace => {
                "`CollectTrace`: makes bytes from a trace. The bytes do not depend on where its buffers lie."
            }
            Self::LoadTrace => {
                "`LoadTrace`: makes a trace from bytes, with the addresses that the buffers have now."
            }
            Self::Synchronize => {
                "`Synchronize`: waits until everything enqueued on every queue is done."
            }
        }
    }
    /// The call's fields, in the order of the schema.
    pub const fn fields(self) -> &'static [CallField] {
        match self {
            Self::CreateBuffer => {
                &[
                    CallField {
                        name: "buffer",
                        doc: "",
                        value: CallValue::Object(Role::Creates, ObjectKind::Buffer),
                        presence: Presence::Required,
                    },
                    CallField {
                        name: "name",
                        doc: "",
                        value: CallValue::GivenName,
                        presence: Presence::Required,
                    },
                    CallField {
                        name: "size",
                        doc: "",
                        value: CallValue::Number64,
                        presence: Presence::Required,
                    },
                    CallField {
                        name: "page_size",
                        doc: "",
                        value: CallValue::Number64,
                        presence: Presence::Required,
                    },
                    CallField {
                        name: "buffer_type",
                        doc: "",
                        value: CallValue::Other,
                        presence: Presence::Required,
                    },
                    CallField {
                        name: "layout",
                        doc: "",
                        value: CallValue::Other,
                        presence: Presence::Required,
                    },
                    CallField {
                        name: "shard_spec",
                        doc: "",
                        value: CallValue::Other,
                        presence: Presence::Zero,
                    },
                    CallField {
                        name: "bottom_up",
                        doc: "",
                        value: CallValue::Flag,
                        presence: Presence::Absent,
                    },
                ]
            }
            Self::DeallocateBuffer => {
                &[
                    CallField {
                        name: "buffer",
                        doc: "The buffer whose memory is freed.",
                        value: CallValue::Object(Role::Releases, ObjectKind::Buffer),
                        presence: Presence::Required,
                    },
                ]
            }
            Self::CreateProgram => {
                &[
                    CallField {
                        name: "program",
                        doc: "",
                        value: CallValue::Object(Role::Creates, ObjectKind::Program),
                        presence: Presence::Required,
                    },
                    CallField {
                        name: "name",
                        doc: "The name by which later steps know the program.",
                        value: CallValue::GivenName,
                        presence: Presence::Required,
                    },
                ]
            }
            Self::CreateKernel => {
                &[
                    CallField {
                        name: "kernel",
                        doc: "",
                        value: CallValue::Object(Role::Creates, ObjectKind::Kernel),
                        presence: Presence::Required,
                    },
                    CallField {
                        name: "name",
                        doc: "",
                        value: CallValue::GivenName,
                        presence: Presence::Required,
                    },
                    CallField {
                        name: "program",
                        doc: "",
                        value: CallValue::Object(Role::Uses, ObjectKind::Program),
                        presence: Presence::Required,
                    },
                    CallField {
                        name: "source",
                        doc: "",
                        value: CallValue::Other,
                        presence: Presence::Required,
                    },
                    CallField {
                        name: "cores",
                        doc: "",
                        value: CallValue::Other,
                        presence: Presence::Required,
                    },
                    CallField {
                        name: "config",
                        doc: "",
                        value: CallValue::Other,
                        presence: Presence::Required,
                    },
                    CallField {
                        name: "compile_args",
                        doc: "",
                        value: CallValue::Other,
                        presence: Presence::Required,
                    },
                    CallField {
                        name: "defines",
                        doc: "",
                        value: CallValue::Other,
                        presence: Presence::Required,
                    },
                    CallField {
                        name: "named_compile_args",
                        doc: "",
                        value: CallValue::Other,
                        presence: Presence::Required,
                    },
                    CallField {
                        name: "opt_level",
                        doc: "",
                        value: CallValue::Other,
                        presence: Presence::Required,
                    },
                    CallField {
                        name: "bindings",
                        doc: "Names of the source that TT-Metalium defines in generated headers.",
                        value: CallValue::Other,
                        presence: Presence::Zero,
                    },
                ]
            }
            Self::SetRuntimeArgs => {
                &[
                    CallField {
                        name: "kernel",
                        doc: "",
                        value: CallValue::Object(Role::Uses, ObjectKind::Kernel),
                        presence: Presence::Required,
                    },
                    CallField {
                        name: "args",
                        doc: "",
                        value: CallValue::Other,
                        presence: Presence::Required,
                    },
                ]
            }
            Self::CreateCircularBuffer => {
                &[
                    CallField {
                        name: "circular_buffer",
                        doc: "",
                        value: CallValue::Object(
                            Role::Creates,
                            ObjectKind::CircularBuffer,
                        ),
                        presence: Presence::Required,
                    },
                    CallField {
                        name: "name",
                        doc: "",
                        value: CallValue::GivenName,
                        presence: Presence::Required,
                    },
                    CallField {
                        name: "program",
                        doc: "",
                        value: CallValue::Object(Role::Uses, ObjectKind::Program),
                        presence: Presence::Required,
                    },
                    CallField {
                        name: "cores",
                        doc: "",
                        value: CallValue::Other,
                        presence: Presence::Required,
                    },
                    CallField {
                        name: "total_size",
                        doc: "",
                        value: CallValue::Number64,
                        presence: Presence::Required,
                    },
                    CallField {
                        name: "indices",
                        doc: "Ascending by index, each once.",
                        value: CallValue::Other,
                        presence: Presence::Required,
                    },
                    CallField {
                        name: "globally_allocated_address",
                        doc: "",
                        value: CallValue::Other,
                        presence: Presence::Zero,
                    },
                ]
            }
            Self::CreateSemaphore => {
                &[
                    CallField {
                        name: "semaphore",
                        doc: "",
                        value: CallValue::Object(Role::Creates, ObjectKind::Semaphore),
                        presence: Presence::Required,
                    },
                    CallField {
                        name: "name",
                        doc: "",
                        value: CallValue::GivenName,
                        presence: Presence::Required,
                    },
                    CallField {
                        name: "program",
                        doc: "",
                        value: CallValue::Object(Role::Uses, ObjectKind::Program),
                        presence: Presence::Required,
                    },
                    CallField {
                        name: "cores",
                        doc: "",
                        value: CallValue::Other,
                        presence: Presence::Required,
                    },
                    CallField {
                        name: "initial_value",
                        doc: "",
                        value: CallValue::Number32,
                        presence: Presence::Required,
                    },
                ]
            }
            Self::EnqueueWriteBuffer => {
                &[
                    CallField {
                        name: "queue",
                        doc: "",
                        value: CallValue::Queue,
                        presence: Presence::Zero,
                    },
                    CallField {
                        name: "buffer",
                        doc: "",
                        value: CallValue::Object(Role::Uses, ObjectKind::Buffer),
                        presence: Presence::Required,
                    },
                    CallField {
                        name: "data",
                        doc: "",
                        value: CallValue::Other,
                        presence: Presence::Required,
                    },
                    CallField {
                        name: "blocking",
                        doc: "",
                        value: CallValue::Flag,
                        presence: Presence::Zero,
                    },
                    CallField {
                        name: "region",
                        doc: "The whole buffer if it is not there.",
                        value: CallValue::Other,
                        presence: Presence::Zero,
                    },
                ]
            }
            Self::EnqueueReadBuffer => {
                &[
                    CallField {
                        name: "queue",
                        doc: "",
                        value: CallValue::Queue,
                        presence: Presence::Zero,
                    },
                    CallField {
                        name: "buffer",
                        doc: "",
                        value: CallValue::Object(Role::Uses, ObjectKind::Buffer),
                        presence: Presence::Required,
                    },
                    CallField {
                        name: "output",
                        doc: "",
                        value: CallValue::Other,
                        presence: Presence::Required,
                    },
                    CallField {
                        name: "blocking",
                        doc: "",
                        value: CallValue::Flag,
                        presence: Presence::Zero,
                    },
                    CallField {
                        name: "expectation",
                        doc: "",
                        value: CallValue::Other,
                        presence: Presence::Required,
                    },
                    CallField {
                        name: "region",
                        doc: "The whole buffer if it is not there.",
                        value: CallValue::Other,
                        presence: Presence::Zero,
                    },
                ]
            }
            Self::EnqueueProgram => {
                &[
                    CallField {
                        name: "queue",
                        doc: "On which queue. Default 0.",
                        value: CallValue::Queue,
                        presence: Presence::Zero,
                    },
                    CallField {
                        name: "program",
                        doc: "The program that is launched.",
                        value: CallValue::Object(Role::Uses, ObjectKind::Program),
                        presence: Presence::Required,
                    },
                    CallField {
                        name: "blocking",
                        doc: "Whether the call waits. Default `false`.",
                        value: CallValue::Flag,
                        presence: Presence::Zero,
                    },
                ]
            }
            Self::Finish => {
                &[
                    CallField {
                        name: "queue",
                        doc: "The queue that is waited for. Default 0.",
                        value: CallValue::Queue,
                        presence: Presence::Zero,
                    },
                ]
            }
            Self::SetCommonRuntimeArgs => {
                &[
                    CallField {
                        name: "kernel",
                        doc: "",
                        value: CallValue::Object(Role::Uses, ObjectKind::Kernel),
                        presence: Presence::Required,
                    },
                    CallField {
                        name: "values",
                        doc: "",
                        value: CallValue::Other,
                        presence: Presence::Required,
                    },
                    CallField {
                        name: "relocations",
                        doc: "Ascending by index, each once.",
                        value: CallValue::Other,
                        presence: Presence::Required,
                    },
                ]
            }
            Self::UpdateCommonRuntimeArgs => {
                &[
                    CallField {
                        name: "kernel",
                        doc: "",
                        value: CallValue::Object(Role::Uses, ObjectKind::Kernel),
                        presence: Presence::Required,
                    },
                    CallField {
                        name: "first",
                        doc: "",
                        value: CallValue::Number32,
                        presence: Presence::Required,
                    },
                    CallField {
                        name: "values",
                        doc: "",
                        value: CallValue::Other,
                        presence: Presence::Required,
                    },
                    CallField {
                        name: "relocations",
                        doc: "Ascending by index counted from `first`, each once.",
                        value: CallValue::Other,
                        presence: Presence::Required,
                    },
                ]
            }
            Self::CreateBufferView => {
                &[
                    CallField {
                        name: "buffer",
                        doc: "",
                        value: CallValue::Object(Role::Creates, ObjectKind::Buffer),
                        presence: Presence::Required,
                    },
                    CallField {
                        name: "name",
                        doc: "",
                        value: CallValue::GivenName,
                        presence: Presence::Required,
                    },
                    CallField {
                        name: "parent",
                        doc: "",
                        value: CallValue::Object(Role::Uses, ObjectKind::Buffer),
                        presence: Presence::Required,
                    },
                    CallField {
                        name: "region",
                        doc: "",
                        value: CallValue::Other,
                        presence: Presence::Required,
                    },
                ]
            }
            Self::UpdateCircularBufferTotalSize => {
                &[
                    CallField {
                        name: "circular_buffer",
                        doc: "The circular buffer whose size changes.",
                        value: CallValue::Object(Role::Uses, ObjectKind::CircularBuffer),
                        presence: Presence::Required,
                    },
                    CallField {
                        name: "total_size",
                        doc: "The new size, in bytes on each core.",
                        value: CallValue::Number64,
                        presence: Presence::Required,
                    },
                ]
            }
            Self::UpdateCircularBufferPageSize => {
                &[
                    CallField {
                        name: "circular_buffer",
                        doc: "The circular buffer that has the index.",
                        value: CallValue::Object(Role::Uses, ObjectKind::CircularBuffer),
                        presence: Presence::Required,
                    },
                    CallField {
                        name: "index",
                        doc: "The index whose page size changes.",
                        value: CallValue::Number32,
                        presence: Presence::Required,
                    },
                    CallField {
                        name: "page_size",
                        doc: "Bytes of a page from the next launch on.",
                        value: CallValue::Number32,
                        presence: Presence::Required,
                    },
                ]
            }
            Self::UpdateDynamicCircularBufferAddress => {
                &[
                    CallField {
                        name: "circular_buffer",
                        doc: "The circular buffer that moves.",
                        value: CallValue::Object(Role::Uses, ObjectKind::CircularBuffer),
                        presence: Presence::Required,
                    },
                    CallField {
                        name: "buffer",
                        doc: "The L1 buffer that the circular buffer moves to.",
                        value: CallValue::Object(Role::Uses, ObjectKind::Buffer),
                        presence: Presence::Required,
                    },
                    CallField {
                        name: "address_offset",
                        doc: "Bytes from the buffer's address to the circular buffer. Default 0.",
                        value: CallValue::Number32,
                        presence: Presence::Zero,
                    },
                ]
            }
            Self::UpdateDynamicCircularBufferAddressAndTotalSize => {
                &[
                    CallField {
                        name: "circular_buffer",
                        doc: "The circular buffer that moves.",
                        value: CallValue::Object(Role::Uses, ObjectKind::CircularBuffer),
                        presence: Presence::Required,
                    },
                    CallField {
                        name: "buffer",
                        doc: "The L1 buffer that the circular buffer moves to.",
                        value: CallValue::Object(Role::Uses, ObjectKind::Buffer),
                        presence: Presence::Required,
                    },
                    CallField {
                        name: "total_size",
                        doc: "The new size, in bytes on each core.",
                        value: CallValue::Number64,
                        presence: Presence::Required,
                    },
                ]
            }
            Self::EnqueueRecordEvent => {
                &[
                    CallField {
                        name: "queue",
                        doc: "The command queue. Default 0.",
                        value: CallValue::Queue,
                        presence: Presence::Zero,
                    },
                    CallField {
                        name: "event",
                        doc: "",
                        value: CallValue::Object(Role::Creates, ObjectKind::Event),
                        presence: Presence::Required,
                    },
                    CallField {
                        name: "name",
                        doc: "The name by which later steps know the event. A later step may record another event under this name.",
                        value: CallValue::GivenName,
                        presence: Presence::Required,
                    },
                    CallField {
                        name: "host_visible",
                        doc: "Whether the host may wait for the event and ask about it. Default `false`.",
                        value: CallValue::Flag,
                        presence: Presence::Zero,
                    },
                    CallField {
                        name: "number",
                        doc: "The number that the queue must give to the event. Events of a queue count from 1; each call that waits\nfor the queue (`finish`, and calls with `blocking`) takes a number too.",
                        value: CallValue::Number32,
                        presence: Presence::Absent,
                    },
                ]
            }
            Self::EnqueueWaitForEvent => {
                &[
                    CallField {
                        name: "queue",
                        doc: "The queue that waits. Default 0.",
                        value: CallValue::Queue,
                        presence: Presence::Zero,
                    },
                    CallField {
                        name: "event",
                        doc: "The event that the queue waits for.",
                        value: CallValue::Object(Role::Uses, ObjectKind::Event),
                        presence: Presence::Required,
                    },
                ]
            }
            Self::EventSynchronize => {
                &[
                    CallField {
                        name: "event",
                        doc: "The event that the host waits for.",
                        value: CallValue::Object(Role::Uses, ObjectKind::Event),
                        presence: Presence::Required,
                    },
                ]
            }
            Self::EventQuery => {
                &[
                    CallField {
                        name: "event",
                        doc: "The event that the host asks about.",
                        value: CallValue::Object(Role::Uses, ObjectKind::Event),
                        presence: Presence::Required,
                    },
                    CallField {
                        name: "expected",
                        doc: "The answer that is required. The answer is certain only if the host has waited for the event.",
                        value: CallValue::Flag,
                        presence: Presence::Absent,
                    },
                ]
            }
            Self::BeginTraceCapture => {
                &[
                    CallField {
                        name: "queue",
                        doc: "The command queue. Default 0.",
                        value: CallValue::Queue,
                        presence: Presence::Zero,
                    },
                    CallField {
                        name: "trace",
                        doc: "",
                        value: CallValue::Object(Role::Creates, ObjectKind::Trace),
                        presence: Presence::Required,
                    },
                    CallField {
                        name: "name",
                        doc: "The name by which later steps know the trace.",
                        value: CallValue::GivenName,
                        presence: Presence::Required,
                    },
                ]
            }
            Self::EndTraceCapture => {
                &[
                    CallField {
                        name: "queue",
                        doc: "The command queue. Default 0.",
                        value: CallValue::Queue,
                        presence: Presence::Zero,
                    },
                    CallField {
                        name: "trace",
                        doc: "The trace that is completed.",
                        value: CallValue::Object(Role::Uses, ObjectKind::Trace),
                        presence: Presence::Required,
                    },
                ]
            }
            Self::ReplayTrace => {
                &[
                    CallField {
                        name: "queue",
                        doc: "On which queue. Default 0.",
                        value: CallValue::Queue,
                        presence: Presence::Zero,
                    },
                    CallField {
                        name: "trace",
                        doc: "The trace whose programs run again.",
                        value: CallValue::Object(Role::Uses, ObjectKind::Trace),
                        presence: Presence::Required,
                    },
                    CallField {
                        name: "blocking",
                        doc: "Whether the call waits. Default `false`.",
                        value: CallValue::Flag,
                        presence: Presence::Zero,
                    },
                ]
            }
            Self::ReleaseTrace => {
                &[
                    CallField {
                        name: "trace",
                        doc: "The trace whose memory is freed.",
                        value: CallValue::Object(Role::Releases, ObjectKind::Trace),
                        presence: Presence::Required,
                    },
                ]
            }
            Self::CollectTrace => {
                &[
                    CallField {
                        name: "trace",
                        doc: "",
                        value: CallValue::Object(Role::Uses, ObjectKind::Trace),
                        presence: Presence::Required,
                    },
                    CallField {
                        name: "collected",
                        doc: "What later commands call the bytes; each name at most once.",
                        value: CallValue::Other,
                        presence: Presence::Required,
                    },
                ]
            }
            Self::LoadTrace => {
                &[
                    CallField {
                        name: "trace",
                        doc: "",
                        value: CallValue::Object(Role::Creates, ObjectKind::Trace),
                        presence: Presence::Required,
                    },
                    CallField {
                        name: "name",
                        doc: "",
                        value: CallValue::GivenName,
                        presence: Presence::Required,
                    },
                    CallField {
                        name: "from",
                        doc: "What a `CollectTrace` called the bytes.",
                        value: CallValue::Other,
                        presence: Presence::Required,
                    },
                    CallField {
                        name: "buffers",
                        doc: "Ascending by `recorded`, each once; others are those of the same name.",
                        value: CallValue::Other,
                        presence: Presence::Required,
                    },
                ]
            }
            Self::Synchronize => &[],
        }
    }
}
/// Does the same with the call of a command, whichever it is:
/// `with_call!(command, call => call.detail())`. Every struct of a call must be able to.
#[macro_export]
macro_rules! with_call {
    ($command:expr, $call:ident => $body:expr) => {
        match $command { $crate::commands::Command::CreateBuffer($call) => $body,
        $crate::commands::Command::DeallocateBuffer($call) => $body,
        $crate::commands::Command::CreateProgram($call) => $body,
        $crate::commands::Command::CreateKernel($call) => $body,
        $crate::commands::Command::SetRuntimeArgs($call) => $body,
        $crate::commands::Command::CreateCircularBuffer($call) => $body,
        $crate::commands::Command::CreateSemaphore($call) => $body,
        $crate::commands::Command::EnqueueWriteBuffer($call) => $body,
        $crate::commands::Command::EnqueueReadBuffer($call) => $body,
        $crate::commands::Command::EnqueueProgram($call) => $body,
        $crate::commands::Command::Finish($call) => $body,
        $crate::commands::Command::SetCommonRuntimeArgs($call) => $body,
        $crate::commands::Command::UpdateCommonRuntimeArgs($call) => $body,
        $crate::commands::Command::CreateBufferView($call) => $body,
        $crate::commands::Command::UpdateCircularBufferTotalSize($call) => $body,
        $crate::commands::Command::UpdateCircularBufferPageSize($call) => $body,
        $crate::commands::Command::UpdateDynamicCircularBufferAddress($call) => $body,
        $crate::commands::Command::UpdateDynamicCircularBufferAddressAndTotalSize($call)
        => $body, $crate::commands::Command::EnqueueRecordEvent($call) => $body,
        $crate::commands::Command::EnqueueWaitForEvent($call) => $body,
        $crate::commands::Command::EventSynchronize($call) => $body,
        $crate::commands::Command::EventQuery($call) => $body,
        $crate::commands::Command::BeginTraceCapture($call) => $body,
        $crate::commands::Command::EndTraceCapture($call) => $body,
        $crate::commands::Command::ReplayTrace($call) => $body,
        $crate::commands::Command::ReleaseTrace($call) => $body,
        $crate::commands::Command::CollectTrace($call) => $body,
        $crate::commands::Command::LoadTrace($call) => $body,
        $crate::commands::Command::Synchronize($call) => $body, }
    };
}
impl TableWire for model::Data {
    type Form<'b> = fb::Data<'b>;
    fn encode<'b>(&self, builder: &mut Builder<'b>) -> WIPOffset<fb::Data<'b>> {
        let Self { length, hash, generator } = self;
        let hash = hash.to_wire();
        let (generator_type, generator) = match generator {
            None => (fb::Generator::NONE, None),
            Some(generator) => {
                let (generator_type, generator) = encode_generator(builder, generator);
                (generator_type, Some(generator))
            }
        };
        fb::Data::create(
            builder,
            &fb::DataArgs {
                length: *length,
                hash: Some(&hash),
                generator_type,
                generator,
            },
        )
    }
    fn decode(form: fb::Data<'_>, path: &Path<'_>) -> Result<Self, CaptureError> {
        check_fields(&form, path)?;
        Ok(Self {
            length: form.length(),
            hash: hash(form.hash(), &path.field("hash"))?,
            generator: data_generator(&form, &path.field("generator"))?,
        })
    }
}
impl References for model::Data {
    fn references(&self, _: &Path<'_>, _: Visit<'_>) -> Result<(), CaptureError> {
        Ok(())
    }
    fn references_mut(&mut self, _: VisitMut<'_>) {}
}
impl Weight for model::Data {
    fn weight(&self) -> u64 {
        [weight::INLINE, weight::INLINE]
            .into_iter()
            .fold(weight::table(3), u64::saturating_add)
    }
}
impl TableWire for model::Tolerance {
    type Form<'b> = fb::Tolerance<'b>;
    fn encode<'b>(&self, builder: &mut Builder<'b>) -> WIPOffset<fb::Tolerance<'b>> {
        let Self { data_type, ulp, reason, absolute, relative, pcc } = self;
        let reason = string(builder, reason);
        fb::Tolerance::create(
            builder,
            &fb::ToleranceArgs {
                data_type: data_type.to_wire(),
                ulp: *ulp,
                reason,
                absolute: absolute.get(),
                relative: relative.get(),
                pcc: pcc.get(),
            },
        )
    }
    fn decode(form: fb::Tolerance<'_>, path: &Path<'_>) -> Result<Self, CaptureError> {
        check_fields(&form, path)?;
        Ok(Self {
            data_type: Wire::from_wire(form.data_type(), &path.field("data_type"))?,
            ulp: form.ulp(),
            reason: text(form.reason()),
            absolute: real(form.absolute(), &path.field("absolute"))?,
            relative: real(form.relative(), &path.field("relative"))?,
            pcc: real(form.pcc(), &path.field("pcc"))?,
        })
    }
}
impl References for model::Tolerance {
    fn references(&self, _: &Path<'_>, _: Visit<'_>) -> Result<(), CaptureError> {
        Ok(())
    }
    fn references_mut(&mut self, _: VisitMut<'_>) {}
}
impl Weight for model::Tolerance {
    fn weight(&self) -> u64 {
        [weight::text(&self.reason)]
            .into_iter()
            .fold(weight::table(6), u64::saturating_add)
    }
}
impl TableWire for model::KernelBinding {
    type Form<'b> = fb::KernelBinding<'b>;
    fn encode<'b>(&self, builder: &mut Builder<'b>) -> WIPOffset<fb::KernelBinding<'b>> {
        let Self { kind, name, values } = self;
        let name = string(builder, name);
        let values = vector(builder, values);
        fb::KernelBinding::create(
            builder,
            &fb::KernelBindingArgs {
                kind: kind.to_wire(),
                name,
                values,
            },
        )
    }
    fn decode(
        form: fb::KernelBinding<'_>,
        path: &Path<'_>,
    ) -> Result<Self, CaptureError> {
        check_fields(&form, path)?;
        Ok(Self {
            kind: Wire::from_wire(form.kind(), &path.field("kind"))?,
            name: text(form.name()),
            values: words(form.values()),
        })
    }
}
impl References for model::KernelBinding {
    fn references(&self, _: &Path<'_>, _: Visit<'_>) -> Result<(), CaptureError> {
        Ok(())
    }
    fn references_mut(&mut self, _: VisitMut<'_>) {}
}
impl Weight for model::KernelBinding {
    fn weight(&self) -> u64 {
        [weight::text(&self.name), weight::vector(&self.values)]
            .into_iter()
            .fold(weight::table(3), u64::saturating_add)
    }
}
impl TableWire for model::KernelBindings {
    type Form<'b> = fb::KernelBindings<'b>;
    fn encode<'b>(
        &self,
        builder: &mut Builder<'b>,
    ) -> WIPOffset<fb::KernelBindings<'b>> {
        let Self { names, first_vararg, first_common_vararg, compile_time_varargs } = self;
        let names = TableList::encode(names, builder);
        fb::KernelBindings::create(
            builder,
            &fb::KernelBindingsArgs {
                names,
                first_vararg: *first_vararg,
                first_common_vararg: *first_common_vararg,
                compile_time_varargs: *compile_time_varargs,
            },
        )
    }
    fn decode(
        form: fb::KernelBindings<'_>,
        path: &Path<'_>,
    ) -> Result<Self, CaptureError> {
        check_fields(&form, path)?;
        Ok(Self {
            names: TableList::decode(form.names(), &path.field("names"))?,
            first_vararg: form.first_vararg(),
            first_common_vararg: form.first_common_vararg(),
            compile_time_varargs: form.compile_time_varargs(),
        })
    }
}
impl References for model::KernelBindings {
    fn references(&self, _: &Path<'_>, _: Visit<'_>) -> Result<(), CaptureError> {
        Ok(())
    }
    fn references_mut(&mut self, _: VisitMut<'_>) {}
}
impl Weight for model::KernelBindings {
    fn weight(&self) -> u64 {
        [self.names.weight()].into_iter().fold(weight::table(4), u64::saturating_add)
    }
}
impl TableWire for model::CoreArguments {
    type Form<'b> = fb::CoreArguments<'b>;
    fn encode<'b>(&self, builder: &mut Builder<'b>) -> WIPOffset<fb::CoreArguments<'b>> {
        let Self { cores, values, relocations } = self;
        let cores = structs(builder, cores);
        let values = vector(builder, values);
        let relocations = structs(builder, relocations);
        fb::CoreArguments::create(
            builder,
            &fb::CoreArgumentsArgs {
                cores,
                values,
                relocations,
            },
        )
    }
    fn decode(
        form: fb::CoreArguments<'_>,
        path: &Path<'_>,
    ) -> Result<Self, CaptureError> {
        check_fields(&form, path)?;
        Ok(Self {
            cores: list(
                form.cores(),
                &path.field("cores"),
                |item, path| Wire::from_wire(*item, path),
            )?,
            values: words(form.values()),
            relocations: list(
                form.relocations(),
                &path.field("relocations"),
                |item, path| Wire::from_wire(*item, path),
            )?,
        })
    }
}
impl References for model::CoreArguments {
    fn references(&self, path: &Path<'_>, visit: Visit<'_>) -> Result<(), CaptureError> {
        let place = path.field("relocations");
        for (index, item) in self.relocations.iter().enumerate() {
            item.references(&place.index(index), visit)?;
        }
        Ok(())
    }
    fn references_mut(&mut self, visit: VisitMut<'_>) {
        for item in self.relocations.iter_mut() {
            item.references_mut(visit);
        }
    }
}
impl Weight for model::CoreArguments {
    fn weight(&self) -> u64 {
        [
            weight::vector(&self.cores),
            weight::vector(&self.values),
            weight::vector(&self.relocations),
        ]
            .into_iter()
            .fold(weight::table(3), u64::saturating_add)
    }
}
impl TableWire for model::TileShape {
    type Form<'b> = fb::TileShape<'b>;
    fn encode<'b>(&self, builder: &mut Builder<'b>) -> WIPOffset<fb::TileShape<'b>> {
        let Self { shape, face_shape, transpose } = self;
        let shape = shape.to_wire();
        let face_shape = face_shape.to_wire();
        fb::TileShape::create(
            builder,
            &fb::TileShapeArgs {
                shape: Some(&shape),
                face_shape: Some(&face_shape),
                transpose: *transpose,
            },
        )
    }
    fn decode(form: fb::TileShape<'_>, path: &Path<'_>) -> Result<Self, CaptureError> {
        check_fields(&form, path)?;
        Ok(Self {
            shape: Wire::from_wire(
                *required(form.shape(), &path.field("shape"))?,
                &path.field("shape"),
            )?,
            face_shape: Wire::from_wire(
                *required(form.face_shape(), &path.field("face_shape"))?,
                &path.field("face_shape"),
            )?,
            transpose: form.transpose(),
        })
    }
}
impl References for model::TileShape {
    fn references(&self, _: &Path<'_>, _: Visit<'_>) -> Result<(), CaptureError> {
        Ok(())
    }
    fn references_mut(&mut self, _: VisitMut<'_>) {}
}
impl Weight for model::TileShape {
    fn weight(&self) -> u64 {
        [weight::INLINE, weight::INLINE]
            .into_iter()
            .fold(weight::table(3), u64::saturating_add)
    }
}
impl TableWire for model::CircularBufferIndex {
    type Form<'b> = fb::CircularBufferIndex<'b>;
    fn encode<'b>(
        &self,
        builder: &mut Builder<'b>,
    ) -> WIPOffset<fb::CircularBufferIndex<'b>> {
        let Self { index, page_size, data_format, tile } = self;
        let tile = tile.as_ref().map(|tile| tile.encode(builder));
        fb::CircularBufferIndex::create(
            builder,
            &fb::CircularBufferIndexArgs {
                index: *index,
                page_size: *page_size,
                data_format: data_format.to_wire(),
                tile,
            },
        )
    }
    fn decode(
        form: fb::CircularBufferIndex<'_>,
        path: &Path<'_>,
    ) -> Result<Self, CaptureError> {
        check_fields(&form, path)?;
        Ok(Self {
            index: form.index(),
            page_size: form.page_size(),
            data_format: Wire::from_wire(
                form.data_format(),
                &path.field("data_format"),
            )?,
            tile: form
                .tile()
                .map(|tile| TableWire::decode(tile, &path.field("tile")))
                .transpose()?,
        })
    }
}
impl References for model::CircularBufferIndex {
    fn references(&self, _: &Path<'_>, _: Visit<'_>) -> Result<(), CaptureError> {
        Ok(())
    }
    fn references_mut(&mut self, _: VisitMut<'_>) {}
}
impl Weight for model::CircularBufferIndex {
    fn weight(&self) -> u64 {
        [self.tile.as_ref().map_or(0, Weight::weight)]
            .into_iter()
            .fold(weight::table(4), u64::saturating_add)
    }
}
impl TableWire for model::ShardSpec {
    type Form<'b> = fb::ShardSpec<'b>;
    fn encode<'b>(&self, builder: &mut Builder<'b>) -> WIPOffset<fb::ShardSpec<'b>> {
        let Self { cores, shape, orientation, page_shape, tensor2d_shape_in_pages } = self;
        let cores = structs(builder, cores);
        let shape = shape.to_wire();
        let page_shape = page_shape.to_wire();
        let tensor2d_shape_in_pages = tensor2d_shape_in_pages.to_wire();
        fb::ShardSpec::create(
            builder,
            &fb::ShardSpecArgs {
                cores,
                shape: Some(&shape),
                orientation: orientation.to_wire(),
                page_shape: Some(&page_shape),
                tensor2d_shape_in_pages: Some(&tensor2d_shape_in_pages),
            },
        )
    }
    fn decode(form: fb::ShardSpec<'_>, path: &Path<'_>) -> Result<Self, CaptureError> {
        check_fields(&form, path)?;
        Ok(Self {
            cores: list(
                form.cores(),
                &path.field("cores"),
                |item, path| Wire::from_wire(*item, path),
            )?,
            shape: Wire::from_wire(
                *required(form.shape(), &path.field("shape"))?,
                &path.field("shape"),
            )?,
            orientation: Wire::from_wire(
                form.orientation(),
                &path.field("orientation"),
            )?,
            page_shape: Wire::from_wire(
                *required(form.page_shape(), &path.field("page_shape"))?,
                &path.field("page_shape"),
            )?,
            tensor2d_shape_in_pages: Wire::from_wire(
                *required(
                    form.tensor2d_shape_in_pages(),
                    &path.field("tensor2d_shape_in_pages"),
                )?,
                &path.field("tensor2d_shape_in_pages"),
            )?,
        })
    }
}
impl References for model::ShardSpec {
    fn references(&self, _: &Path<'_>, _: Visit<'_>) -> Result<(), CaptureError> {
        Ok(())
    }
    fn references_mut(&mut self, _: VisitMut<'_>) {}
}
impl Weight for model::ShardSpec {
    fn weight(&self) -> u64 {
        [weight::vector(&self.cores), weight::INLINE, weight::INLINE, weight::INLINE]
            .into_iter()
            .fold(weight::table(5), u64::saturating_add)
    }
}
impl TableWire for commands::CreateBuffer {
    type Form<'b> = fb::CreateBuffer<'b>;
    fn encode<'b>(&self, builder: &mut Builder<'b>) -> WIPOffset<fb::CreateBuffer<'b>> {
        let Self {
            buffer,
            name,
            size,
            page_size,
            buffer_type,
            layout,
            shard_spec,
            bottom_up,
        } = self;
        let name = string(builder, name);
        let shard_spec = shard_spec
            .as_ref()
            .map(|shard_spec| shard_spec.encode(builder));
        fb::CreateBuffer::create(
            builder,
            &fb::CreateBufferArgs {
                buffer: buffer.0,
                name,
                size: *size,
                page_size: *page_size,
                buffer_type: buffer_type.to_wire(),
                layout: layout.to_wire(),
                shard_spec,
                bottom_up: *bottom_up,
            },
        )
    }
    fn decode(
        form: fb::CreateBuffer<'_>,
        path: &Path<'_>,
    ) -> Result<Self, CaptureError> {
        check_fields(&form, path)?;
        Ok(Self {
            buffer: model::BufferId(form.buffer()),
            name: text(form.name()),
            size: form.size(),
            page_size: form.page_size(),
            buffer_type: Wire::from_wire(
                form.buffer_type(),
                &path.field("buffer_type"),
            )?,
            layout: Wire::from_wire(form.layout(), &path.field("layout"))?,
            shard_spec: form
                .shard_spec()
                .map(|shard_spec| TableWire::decode(
                    shard_spec,
                    &path.field("shard_spec"),
                ))
                .transpose()?,
            bottom_up: form.bottom_up(),
        })
    }
}
impl References for commands::CreateBuffer {
    fn references(&self, path: &Path<'_>, visit: Visit<'_>) -> Result<(), CaptureError> {
        visit(Role::Creates, ObjectKind::Buffer, self.buffer.0, &path.field("buffer"))?;
        Ok(())
    }
    fn references_mut(&mut self, visit: VisitMut<'_>) {
        visit(Role::Creates, ObjectKind::Buffer, &mut self.buffer.0);
    }
}
impl Weight for commands::CreateBuffer {
    fn weight(&self) -> u64 {
        [weight::text(&self.name), self.shard_spec.as_ref().map_or(0, Weight::weight)]
            .into_iter()
            .fold(weight::table(8), u64::saturating_add)
    }
}
impl TableWire for commands::DeallocateBuffer {
    type Form<'b> = fb::DeallocateBuffer<'b>;
    fn encode<'b>(
        &self,
        builder: &mut Builder<'b>,
    ) -> WIPOffset<fb::DeallocateBuffer<'b>> {
        let Self { buffer } = self;
        fb::DeallocateBuffer::create(
            builder,
            &fb::DeallocateBufferArgs {
                buffer: buffer.0,
            },
        )
    }
    fn decode(
        form: fb::DeallocateBuffer<'_>,
        path: &Path<'_>,
    ) -> Result<Self, CaptureError> {
        check_fields(&form, path)?;
        Ok(Self {
            buffer: model::BufferId(form.buffer()),
        })
    }
}
impl References for commands::DeallocateBuffer {
    fn references(&self, path: &Path<'_>, visit: Visit<'_>) -> Result<(), CaptureError> {
        visit(Role::Releases, ObjectKind::Buffer, self.buffer.0, &path.field("buffer"))?;
        Ok(())
    }
    fn references_mut(&mut self, visit: VisitMut<'_>) {
        visit(Role::Releases, ObjectKind::Buffer, &mut self.buffer.0);
    }
}
impl Weight for commands::DeallocateBuffer {
    fn weight(&self) -> u64 {
        weight::table(1)
    }
}
impl TableWire for commands::CreateProgram {
    type Form<'b> = fb::CreateProgram<'b>;
    fn encode<'b>(&self, builder: &mut Builder<'b>) -> WIPOffset<fb::CreateProgram<'b>> {
        let Self { program, name } = self;
        let name = string(builder, name);
        fb::CreateProgram::create(
            builder,
            &fb::CreateProgramArgs {
                program: program.0,
                name,
            },
        )
    }
    fn decode(
        form: fb::CreateProgram<'_>,
        path: &Path<'_>,
    ) -> Result<Self, CaptureError> {
        check_fields(&form, path)?;
        Ok(Self {
            program: model::ProgramId(form.program()),
            name: text(form.name()),
        })
    }
}
impl References for commands::CreateProgram {
    fn references(&self, path: &Path<'_>, visit: Visit<'_>) -> Result<(), CaptureError> {
        visit(
            Role::Creates,
            ObjectKind::Program,
            self.program.0,
            &path.field("program"),
        )?;
        Ok(())
    }
    fn references_mut(&mut self, visit: VisitMut<'_>) {
        visit(Role::Creates, ObjectKind::Program, &mut self.program.0);
    }
}
impl Weight for commands::CreateProgram {
    fn weight(&self) -> u64 {
        [weight::text(&self.name)]
            .into_iter()
            .fold(weight::table(2), u64::saturating_add)
    }
}
impl TableWire for commands::CreateKernel {
    type Form<'b> = fb::CreateKernel<'b>;
    fn encode<'b>(&self, builder: &mut Builder<'b>) -> WIPOffset<fb::CreateKernel<'b>> {
        let Self {
            kernel,
            name,
            program,
            source,
            cores,
            config,
            compile_args,
            defines,
            named_compile_args,
            opt_level,
            bindings,
        } = self;
        let name = string(builder, name);
        let source = string(builder, source);
        let cores = structs(builder, cores);
        let (config_type, config) = encode_kernel_config(builder, config);
        let compile_args = vector(builder, compile_args);
        let defines = TableList::encode(defines, builder);
        let named_compile_args = TableList::encode(named_compile_args, builder);
        let bindings = bindings.as_ref().map(|bindings| bindings.encode(builder));
        fb::CreateKernel::create(
            builder,
            &fb::CreateKernelArgs {
                kernel: kernel.0,
                name,
                program: program.0,
                source,
                cores,
                config_type,
                config: Some(config),
                compile_args,
                defines,
                named_compile_args,
                opt_level: opt_level.to_wire(),
                bindings,
            },
        )
    }
    fn decode(
        form: fb::CreateKernel<'_>,
        path: &Path<'_>,
    ) -> Result<Self, CaptureError> {
        check_fields(&form, path)?;
        Ok(Self {
            kernel: model::KernelId(form.kernel()),
            name: text(form.name()),
            program: model::ProgramId(form.program()),
            source: text(form.source()),
            cores: list(
                form.cores(),
                &path.field("cores"),
                |item, path| Wire::from_wire(*item, path),
            )?,
            config: required(
                create_kernel_config(&form, &path.field("config"))?,
                &path.field("config"),
            )?,
            compile_args: words(form.compile_args()),
            defines: TableList::decode(form.defines(), &path.field("defines"))?,
            named_compile_args: TableList::decode(
                form.named_compile_args(),
                &path.field("named_compile_args"),
            )?,
            opt_level: Wire::from_wire(form.opt_level(), &path.field("opt_level"))?,
            bindings: form
                .bindings()
                .map(|bindings| TableWire::decode(bindings, &path.field("bindings")))
                .transpose()?,
        })
    }
}
impl References for commands::CreateKernel {
    fn references(&self, path: &Path<'_>, visit: Visit<'_>) -> Result<(), CaptureError> {
        visit(Role::Creates, ObjectKind::Kernel, self.kernel.0, &path.field("kernel"))?;
        visit(Role::Uses, ObjectKind::Program, self.program.0, &path.field("program"))?;
        Ok(())
    }
    fn references_mut(&mut self, visit: VisitMut<'_>) {
        visit(Role::Creates, ObjectKind::Kernel, &mut self.kernel.0);
        visit(Role::Uses, ObjectKind::Program, &mut self.program.0);
    }
}
impl Weight for commands::CreateKernel {
    fn weight(&self) -> u64 {
        [
            weight::text(&self.name),
            weight::text(&self.source),
            weight::vector(&self.cores),
            weight::INLINE,
            weight::vector(&self.compile_args),
            self.defines.weight(),
            self.named_compile_args.weight(),
            self.bindings.as_ref().map_or(0, Weight::weight),
        ]
            .into_iter()
            .fold(weight::table(11), u64::saturating_add)
    }
}
impl TableWire for commands::SetRuntimeArgs {
    type Form<'b> = fb::SetRuntimeArgs<'b>;
    fn encode<'b>(
        &self,
        builder: &mut Builder<'b>,
    ) -> WIPOffset<fb::SetRuntimeArgs<'b>> {
        let Self { kernel, args } = self;
        let args = TableList::encode(args, builder);
        fb::SetRuntimeArgs::create(
            builder,
            &fb::SetRuntimeArgsArgs {
                kernel: kernel.0,
                args,
            },
        )
    }
    fn decode(
        form: fb::SetRuntimeArgs<'_>,
        path: &Path<'_>,
    ) -> Result<Self, CaptureError> {
        check_fields(&form, path)?;
        Ok(Self {
            kernel: model::KernelId(form.kernel()),
            args: TableList::decode(form.args(), &path.field("args"))?,
        })
    }
}
impl References for commands::SetRuntimeArgs {
    fn references(&self, path: &Path<'_>, visit: Visit<'_>) -> Result<(), CaptureError> {
        visit(Role::Uses, ObjectKind::Kernel, self.kernel.0, &path.field("kernel"))?;
        let place = path.field("args");
        for (index, item) in self.args.iter().enumerate() {
            item.references(&place.index(index), visit)?;
        }
        Ok(())
    }
    fn references_mut(&mut self, visit: VisitMut<'_>) {
        visit(Role::Uses, ObjectKind::Kernel, &mut self.kernel.0);
        for item in self.args.iter_mut() {
            item.references_mut(visit);
        }
    }
}
impl Weight for commands::SetRuntimeArgs {
    fn weight(&self) -> u64 {
        [self.args.weight()].into_iter().fold(weight::table(2), u64::saturating_add)
    }
}
impl TableWire for model::GloballyAllocatedAddress {
    type Form<'b> = fb::GloballyAllocatedAddress<'b>;
    fn encode<'b>(
        &self,
        builder: &mut Builder<'b>,
    ) -> WIPOffset<fb::GloballyAllocatedAddress<'b>> {
        let Self { buffer, address_offset } = self;
        fb::GloballyAllocatedAddress::create(
            builder,
            &fb::GloballyAllocatedAddressArgs {
                buffer: buffer.0,
                address_offset: *address_offset,
            },
        )
    }
    fn decode(
        form: fb::GloballyAllocatedAddress<'_>,
        path: &Path<'_>,
    ) -> Result<Self, CaptureError> {
        check_fields(&form, path)?;
        Ok(Self {
            buffer: model::BufferId(form.buffer()),
            address_offset: form.address_offset(),
        })
    }
}
impl References for model::GloballyAllocatedAddress {
    fn references(&self, path: &Path<'_>, visit: Visit<'_>) -> Result<(), CaptureError> {
        visit(Role::Uses, ObjectKind::Buffer, self.buffer.0, &path.field("buffer"))?;
        Ok(())
    }
    fn references_mut(&mut self, visit: VisitMut<'_>) {
        visit(Role::Uses, ObjectKind::Buffer, &mut self.buffer.0);
    }
}
impl Weight for model::GloballyAllocatedAddress {
    fn weight(&self) -> u64 {
        weight::table(2)
    }
}
impl TableWire for commands::CreateCircularBuffer {
    type Form<'b> = fb::CreateCircularBuffer<'b>;
    fn encode<'b>(
        &self,
        builder: &mut Builder<'b>,
    ) -> WIPOffset<fb::CreateCircularBuffer<'b>> {
        let Self {
            circular_buffer,
            name,
            program,
            cores,
            total_size,
            indices,
            globally_allocated_address,
        } = self;
        let name = string(builder, name);
        let cores = structs(builder, cores);
        let indices = TableList::encode(indices, builder);
        let globally_allocated_address = globally_allocated_address
            .as_ref()
            .map(|globally_allocated_address| {
                globally_allocated_address.encode(builder)
            });
        fb::CreateCircularBuffer::create(
            builder,
            &fb::CreateCircularBufferArgs {
                circular_buffer: circular_buffer.0,
                name,
                program: program.0,
                cores,
                total_size: *total_size,
                indices,
                globally_allocated_address,
            },
        )
    }
    fn decode(
        form: fb::CreateCircularBuffer<'_>,
        path: &Path<'_>,
    ) -> Result<Self, CaptureError> {
        check_fields(&form, path)?;
        Ok(Self {
            circular_buffer: model::CircularBufferId(form.circular_buffer()),
            name: text(form.name()),
            program: model::ProgramId(form.program()),
            cores: list(
                form.cores(),
                &path.field("cores"),
                |item, path| Wire::from_wire(*item, path),
            )?,
            total_size: form.total_size(),
            indices: TableList::decode(form.indices(), &path.field("indices"))?,
            globally_allocated_address: form
                .globally_allocated_address()
                .map(|globally_allocated_address| TableWire::decode(
                    globally_allocated_address,
                    &path.field("globally_allocated_address"),
                ))
                .transpose()?,
        })
    }
}
impl References for commands::CreateCircularBuffer {
    fn references(&self, path: &Path<'_>, visit: Visit<'_>) -> Result<(), CaptureError> {
        visit(
            Role::Creates,
            ObjectKind::CircularBuffer,
            self.circular_buffer.0,
            &path.field("circular_buffer"),
        )?;
        visit(Role::Uses, ObjectKind::Program, self.program.0, &path.field("program"))?;
        if let Some(item) = &self.globally_allocated_address {
            item.references(&path.field("globally_allocated_address"), visit)?;
        }
        Ok(())
    }
    fn references_mut(&mut self, visit: VisitMut<'_>) {
        visit(Role::Creates, ObjectKind::CircularBuffer, &mut self.circular_buffer.0);
        visit(Role::Uses, ObjectKind::Program, &mut self.program.0);
        for item in self.globally_allocated_address.iter_mut() {
            item.references_mut(visit);
        }
    }
}
impl Weight for commands::CreateCircularBuffer {
    fn weight(&self) -> u64 {
        [
            weight::text(&self.name),
            weight::vector(&self.cores),
            self.indices.weight(),
            self.globally_allocated_address.as_ref().map_or(0, Weight::weight),
        ]
            .into_iter()
            .fold(weight::table(7), u64::saturating_add)
    }
}
impl TableWire for commands::CreateSemaphore {
    type Form<'b> = fb::CreateSemaphore<'b>;
    fn encode<'b>(
        &self,
        builder: &mut Builder<'b>,
    ) -> WIPOffset<fb::CreateSemaphore<'b>> {
        let Self { semaphore, name, program, cores, initial_value } = self;
        let name = string(builder, name);
        let cores = structs(builder, cores);
        fb::CreateSemaphore::create(
            builder,
            &fb::CreateSemaphoreArgs {
                semaphore: semaphore.0,
                name,
                program: program.0,
                cores,
                initial_value: *initial_value,
            },
        )
    }
    fn decode(
        form: fb::CreateSemaphore<'_>,
        path: &Path<'_>,
    ) -> Result<Self, CaptureError> {
        check_fields(&form, path)?;
        Ok(Self {
            semaphore: model::SemaphoreId(form.semaphore()),
            name: text(form.name()),
            program: model::ProgramId(form.program()),
            cores: list(
                form.cores(),
                &path.field("cores"),
                |item, path| Wire::from_wire(*item, path),
            )?,
            initial_value: form.initial_value(),
        })
    }
}
impl References for commands::CreateSemaphore {
    fn references(&self, path: &Path<'_>, visit: Visit<'_>) -> Result<(), CaptureError> {
        visit(
            Role::Creates,
            ObjectKind::Semaphore,
            self.semaphore.0,
            &path.field("semaphore"),
        )?;
        visit(Role::Uses, ObjectKind::Program, self.program.0, &path.field("program"))?;
        Ok(())
    }
    fn references_mut(&mut self, visit: VisitMut<'_>) {
        visit(Role::Creates, ObjectKind::Semaphore, &mut self.semaphore.0);
        visit(Role::Uses, ObjectKind::Program, &mut self.program.0);
    }
}
impl Weight for commands::CreateSemaphore {
    fn weight(&self) -> u64 {
        [weight::text(&self.name), weight::vector(&self.cores)]
            .into_iter()
            .fold(weight::table(5), u64::saturating_add)
    }
}
impl TableWire for commands::EnqueueWriteBuffer {
    type Form<'b> = fb::EnqueueWriteBuffer<'b>;
    fn encode<'b>(
        &self,
        builder: &mut Builder<'b>,
    ) -> WIPOffset<fb::EnqueueWriteBuffer<'b>> {
        let Self { queue, buffer, data, blocking, region } = self;
        let data = Some(data.encode(builder));
        let region = region.as_ref().map(Wire::to_wire);
        fb::EnqueueWriteBuffer::create(
            builder,
            &fb::EnqueueWriteBufferArgs {
                queue: queue.0,
                buffer: buffer.0,
                data,
                blocking: *blocking,
                region: region.as_ref(),
            },
        )
    }
    fn decode(
        form: fb::EnqueueWriteBuffer<'_>,
        path: &Path<'_>,
    ) -> Result<Self, CaptureError> {
        check_fields(&form, path)?;
        Ok(Self {
            queue: QueueId(form.queue()),
            buffer: model::BufferId(form.buffer()),
            data: TableWire::decode(
                required(form.data(), &path.field("data"))?,
                &path.field("data"),
            )?,
            blocking: form.blocking(),
            region: form
                .region()
                .map(|region| Wire::from_wire(*region, &path.field("region")))
                .transpose()?,
        })
    }
}
impl References for commands::EnqueueWriteBuffer {
    fn references(&self, path: &Path<'_>, visit: Visit<'_>) -> Result<(), CaptureError> {
        visit(Role::Uses, ObjectKind::Buffer, self.buffer.0, &path.field("buffer"))?;
        Ok(())
    }
    fn references_mut(&mut self, visit: VisitMut<'_>) {
        visit(Role::Uses, ObjectKind::Buffer, &mut self.buffer.0);
    }
}
impl Weight for commands::EnqueueWriteBuffer {
    fn weight(&self) -> u64 {
        [self.data.weight(), weight::INLINE]
            .into_iter()
            .fold(weight::table(5), u64::saturating_add)
    }
}
impl TableWire for commands::EnqueueReadBuffer {
    type Form<'b> = fb::EnqueueReadBuffer<'b>;
    fn encode<'b>(
        &self,
        builder: &mut Builder<'b>,
    ) -> WIPOffset<fb::EnqueueReadBuffer<'b>> {
        let Self { queue, buffer, output, blocking, expectation, region } = self;
        let output = string(builder, output);
        let (expectation_type, expectation) = encode_expectation(builder, expectation);
        let region = region.as_ref().map(Wire::to_wire);
        fb::EnqueueReadBuffer::create(
            builder,
            &fb::EnqueueReadBufferArgs {
                queue: queue.0,
                buffer: buffer.0,
                output,
                blocking: *blocking,
                expectation_type,
                expectation: Some(expectation),
                region: region.as_ref(),
            },
        )
    }
    fn decode(
        form: fb::EnqueueReadBuffer<'_>,
        path: &Path<'_>,
    ) -> Result<Self, CaptureError> {
        check_fields(&form, path)?;
        Ok(Self {
            queue: QueueId(form.queue()),
            buffer: model::BufferId(form.buffer()),
            output: text(form.output()),
            blocking: form.blocking(),
            expectation: required(
                enqueue_read_buffer_expectation(&form, &path.field("expectation"))?,
                &path.field("expectation"),
            )?,
            region: form
                .region()
                .map(|region| Wire::from_wire(*region, &path.field("region")))
                .transpose()?,
        })
    }
}
impl References for commands::EnqueueReadBuffer {
    fn references(&self, path: &Path<'_>, visit: Visit<'_>) -> Result<(), CaptureError> {
        visit(Role::Uses, ObjectKind::Buffer, self.buffer.0, &path.field("buffer"))?;
        Ok(())
    }
    fn references_mut(&mut self, visit: VisitMut<'_>) {
        visit(Role::Uses, ObjectKind::Buffer, &mut self.buffer.0);
    }
}
impl Weight for commands::EnqueueReadBuffer {
    fn weight(&self) -> u64 {
        [weight::text(&self.output), weight::INLINE, weight::INLINE]
            .into_iter()
            .fold(weight::table(6), u64::saturating_add)
    }
}
impl TableWire for commands::EnqueueProgram {
    type Form<'b> = fb::EnqueueProgram<'b>;
    fn encode<'b>(
        &self,
        builder: &mut Builder<'b>,
    ) -> WIPOffset<fb::EnqueueProgram<'b>> {
        let Self { queue, program, blocking } = self;
        fb::EnqueueProgram::create(
            builder,
            &fb::EnqueueProgramArgs {
                queue: queue.0,
                program: program.0,
                blocking: *blocking,
            },
        )
    }
    fn decode(
        form: fb::EnqueueProgram<'_>,
        path: &Path<'_>,
    ) -> Result<Self, CaptureError> {
        check_fields(&form, path)?;
        Ok(Self {
            queue: QueueId(form.queue()),
            program: model::ProgramId(form.program()),
            blocking: form.blocking(),
        })
    }
}
impl References for commands::EnqueueProgram {
    fn references(&self, path: &Path<'_>, visit: Visit<'_>) -> Result<(), CaptureError> {
        visit(Role::Uses, ObjectKind::Program, self.program.0, &path.field("program"))?;
        Ok(())
    }
    fn references_mut(&mut self, visit: VisitMut<'_>) {
        visit(Role::Uses, ObjectKind::Program, &mut self.program.0);
    }
}
impl Weight for commands::EnqueueProgram {
    fn weight(&self) -> u64 {
        weight::table(3)
    }
}
impl TableWire for commands::Finish {
    type Form<'b> = fb::Finish<'b>;
    fn encode<'b>(&self, builder: &mut Builder<'b>) -> WIPOffset<fb::Finish<'b>> {
        let Self { queue } = self;
        fb::Finish::create(builder, &fb::FinishArgs { queue: queue.0 })
    }
    fn decode(form: fb::Finish<'_>, path: &Path<'_>) -> Result<Self, CaptureError> {
        check_fields(&form, path)?;
        Ok(Self {
            queue: QueueId(form.queue()),
        })
    }
}
impl References for commands::Finish {
    fn references(&self, _: &Path<'_>, _: Visit<'_>) -> Result<(), CaptureError> {
        Ok(())
    }
    fn references_mut(&mut self, _: VisitMut<'_>) {}
}
impl Weight for commands::Finish {
    fn weight(&self) -> u64 {
        weight::table(1)
    }
}
impl TableWire for commands::SetCommonRuntimeArgs {
    type Form<'b> = fb::SetCommonRuntimeArgs<'b>;
    fn encode<'b>(
        &self,
        builder: &mut Builder<'b>,
    ) -> WIPOffset<fb::SetCommonRuntimeArgs<'b>> {
        let Self { kernel, values, relocations } = self;
        let values = vector(builder, values);
        let relocations = structs(builder, relocations);
        fb::SetCommonRuntimeArgs::create(
            builder,
            &fb::SetCommonRuntimeArgsArgs {
                kernel: kernel.0,
                values,
                relocations,
            },
        )
    }
    fn decode(
        form: fb::SetCommonRuntimeArgs<'_>,
        path: &Path<'_>,
    ) -> Result<Self, CaptureError> {
        check_fields(&form, path)?;
        Ok(Self {
            kernel: model::KernelId(form.kernel()),
            values: words(form.values()),
            relocations: list(
                form.relocations(),
                &path.field("relocations"),
                |item, path| Wire::from_wire(*item, path),
            )?,
        })
    }
}
impl References for commands::SetCommonRuntimeArgs {
    fn references(&self, path: &Path<'_>, visit: Visit<'_>) -> Result<(), CaptureError> {
        visit(Role::Uses, ObjectKind::Kernel, self.kernel.0, &path.field("kernel"))?;
        let place = path.field("relocations");
        for (index, item) in self.relocations.iter().enumerate() {
            item.references(&place.index(index), visit)?;
        }
        Ok(())
    }
    fn references_mut(&mut self, visit: VisitMut<'_>) {
        visit(Role::Uses, ObjectKind::Kernel, &mut self.kernel.0);
        for item in self.relocations.iter_mut() {
            item.references_mut(visit);
        }
    }
}
impl Weight for commands::SetCommonRuntimeArgs {
    fn weight(&self) -> u64 {
        [weight::vector(&self.values), weight::vector(&self.relocations)]
            .into_iter()
            .fold(weight::table(3), u64::saturating_add)
    }
}
impl TableWire for commands::UpdateCommonRuntimeArgs {
    type Form<'b> = fb::UpdateCommonRuntimeArgs<'b>;
    fn encode<'b>(
        &self,
        builder: &mut Builder<'b>,
    ) -> WIPOffset<fb::UpdateCommonRuntimeArgs<'b>> {
        let Self { kernel, first, values, relocations } = self;
        let values = vector(builder, values);
        let relocations = structs(builder, relocations);
        fb::UpdateCommonRuntimeArgs::create(
            builder,
            &fb::UpdateCommonRuntimeArgsArgs {
                kernel: kernel.0,
                first: *first,
                values,
                relocations,
            },
        )
    }
    fn decode(
        form: fb::UpdateCommonRuntimeArgs<'_>,
        path: &Path<'_>,
    ) -> Result<Self, CaptureError> {
        check_fields(&form, path)?;
        Ok(Self {
            kernel: model::KernelId(form.kernel()),
            first: form.first(),
            values: words(form.values()),
            relocations: list(
                form.relocations(),
                &path.field("relocations"),
                |item, path| Wire::from_wire(*item, path),
            )?,
        })
    }
}
impl References for commands::UpdateCommonRuntimeArgs {
    fn references(&self, path: &Path<'_>, visit: Visit<'_>) -> Result<(), CaptureError> {
        visit(Role::Uses, ObjectKind::Kernel, self.kernel.0, &path.field("kernel"))?;
        let place = path.field("relocations");
        for (index, item) in self.relocations.iter().enumerate() {
            item.references(&place.index(index), visit)?;
        }
        Ok(())
    }
    fn references_mut(&mut self, visit: VisitMut<'_>) {
        visit(Role::Uses, ObjectKind::Kernel, &mut self.kernel.0);
        for item in self.relocations.iter_mut() {
            item.references_mut(visit);
        }
    }
}
impl Weight for commands::UpdateCommonRuntimeArgs {
    fn weight(&self) -> u64 {
        [weight::vector(&self.values), weight::vector(&self.relocations)]
            .into_iter()
            .fold(weight::table(4), u64::saturating_add)
    }
}
impl TableWire for commands::CreateBufferView {
    type Form<'b> = fb::CreateBufferView<'b>;
    fn encode<'b>(
        &self,
        builder: &mut Builder<'b>,
    ) -> WIPOffset<fb::CreateBufferView<'b>> {
        let Self { buffer, name, parent, region } = self;
        let name = string(builder, name);
        let region = region.to_wire();
        fb::CreateBufferView::create(
            builder,
            &fb::CreateBufferViewArgs {
                buffer: buffer.0,
                name,
                parent: parent.0,
                region: Some(&region),
            },
        )
    }
    fn decode(
        form: fb::CreateBufferView<'_>,
        path: &Path<'_>,
    ) -> Result<Self, CaptureError> {
        check_fields(&form, path)?;
        Ok(Self {
            buffer: model::BufferId(form.buffer()),
            name: text(form.name()),
            parent: model::BufferId(form.parent()),
            region: Wire::from_wire(
                *required(form.region(), &path.field("region"))?,
                &path.field("region"),
            )?,
        })
    }
}
impl References for commands::CreateBufferView {
    fn references(&self, path: &Path<'_>, visit: Visit<'_>) -> Result<(), CaptureError> {
        visit(Role::Creates, ObjectKind::Buffer, self.buffer.0, &path.field("buffer"))?;
        visit(Role::Uses, ObjectKind::Buffer, self.parent.0, &path.field("parent"))?;
        Ok(())
    }
    fn references_mut(&mut self, visit: VisitMut<'_>) {
        visit(Role::Creates, ObjectKind::Buffer, &mut self.buffer.0);
        visit(Role::Uses, ObjectKind::Buffer, &mut self.parent.0);
    }
}
impl Weight for commands::CreateBufferView {
    fn weight(&self) -> u64 {
        [weight::text(&self.name), weight::INLINE]
            .into_iter()
            .fold(weight::table(4), u64::saturating_add)
    }
}
impl TableWire for commands::UpdateCircularBufferTotalSize {
    type Form<'b> = fb::UpdateCircularBufferTotalSize<'b>;
    fn encode<'b>(
        &self,
        builder: &mut Builder<'b>,
    ) -> WIPOffset<fb::UpdateCircularBufferTotalSize<'b>> {
        let Self { circular_buffer, total_size } = self;
        fb::UpdateCircularBufferTotalSize::create(
            builder,
            &fb::UpdateCircularBufferTotalSizeArgs {
                circular_buffer: circular_buffer.0,
                total_size: *total_size,
            },
        )
    }
    fn decode(
        form: fb::UpdateCircularBufferTotalSize<'_>,
        path: &Path<'_>,
    ) -> Result<Self, CaptureError> {
        check_fields(&form, path)?;
        Ok(Self {
            circular_buffer: model::CircularBufferId(form.circular_buffer()),
            total_size: form.total_size(),
        })
    }
}
impl References for commands::UpdateCircularBufferTotalSize {
    fn references(&self, path: &Path<'_>, visit: Visit<'_>) -> Result<(), CaptureError> {
        visit(
            Role::Uses,
            ObjectKind::CircularBuffer,
            self.circular_buffer.0,
            &path.field("circular_buffer"),
        )?;
        Ok(())
    }
    fn references_mut(&mut self, visit: VisitMut<'_>) {
        visit(Role::Uses, ObjectKind::CircularBuffer, &mut self.circular_buffer.0);
    }
}
impl Weight for commands::UpdateCircularBufferTotalSize {
    fn weight(&self) -> u64 {
        weight::table(2)
    }
}
impl TableWire for commands::UpdateCircularBufferPageSize {
    type Form<'b> = fb::UpdateCircularBufferPageSize<'b>;
    fn encode<'b>(
        &self,
        builder: &mut Builder<'b>,
    ) -> WIPOffset<fb::UpdateCircularBufferPageSize<'b>> {
        let Self { circular_buffer, index, page_size } = self;
        fb::UpdateCircularBufferPageSize::create(
            builder,
            &fb::UpdateCircularBufferPageSizeArgs {
                circular_buffer: circular_buffer.0,
                index: *index,
                page_size: *page_size,
            },
        )
    }
    fn decode(
        form: fb::UpdateCircularBufferPageSize<'_>,
        path: &Path<'_>,
    ) -> Result<Self, CaptureError> {
        check_fields(&form, path)?;
        Ok(Self {
            circular_buffer: model::CircularBufferId(form.circular_buffer()),
            index: form.index(),
            page_size: form.page_size(),
        })
    }
}
impl References for commands::UpdateCircularBufferPageSize {
    fn references(&self, path: &Path<'_>, visit: Visit<'_>) -> Result<(), CaptureError> {
        visit(
            Role::Uses,
            ObjectKind::CircularBuffer,
            self.circular_buffer.0,
            &path.field("circular_buffer"),
        )?;
        Ok(())
    }
    fn references_mut(&mut self, visit: VisitMut<'_>) {
        visit(Role::Uses, ObjectKind::CircularBuffer, &mut self.circular_buffer.0);
    }
}
impl Weight for commands::UpdateCircularBufferPageSize {
    fn weight(&self) -> u64 {
        weight::table(3)
    }
}
impl TableWire for commands::UpdateDynamicCircularBufferAddress {
    type Form<'b> = fb::UpdateDynamicCircularBufferAddress<'b>;
    fn encode<'b>(
        &self,
        builder: &mut Builder<'b>,
    ) -> WIPOffset<fb::UpdateDynamicCircularBufferAddress<'b>> {
        let Self { circular_buffer, buffer, address_offset } = self;
        fb::UpdateDynamicCircularBufferAddress::create(
            builder,
            &fb::UpdateDynamicCircularBufferAddressArgs {
                circular_buffer: circular_buffer.0,
                buffer: buffer.0,
                address_offset: *address_offset,
            },
        )
    }
    fn decode(
        form: fb::UpdateDynamicCircularBufferAddress<'_>,
        path: &Path<'_>,
    ) -> Result<Self, CaptureError> {
        check_fields(&form, path)?;
        Ok(Self {
            circular_buffer: model::CircularBufferId(form.circular_buffer()),
            buffer: model::BufferId(form.buffer()),
            address_offset: form.address_offset(),
        })
    }
}
impl References for commands::UpdateDynamicCircularBufferAddress {
    fn references(&self, path: &Path<'_>, visit: Visit<'_>) -> Result<(), CaptureError> {
        visit(
            Role::Uses,
            ObjectKind::CircularBuffer,
            self.circular_buffer.0,
            &path.field("circular_buffer"),
        )?;
        visit(Role::Uses, ObjectKind::Buffer, self.buffer.0, &path.field("buffer"))?;
        Ok(())
    }
    fn references_mut(&mut self, visit: VisitMut<'_>) {
        visit(Role::Uses, ObjectKind::CircularBuffer, &mut self.circular_buffer.0);
        visit(Role::Uses, ObjectKind::Buffer, &mut self.buffer.0);
    }
}
impl Weight for commands::UpdateDynamicCircularBufferAddress {
    fn weight(&self) -> u64 {
        weight::table(3)
    }
}
impl TableWire for commands::UpdateDynamicCircularBufferAddressAndTotalSize {
    type Form<'b> = fb::UpdateDynamicCircularBufferAddressAndTotalSize<'b>;
    fn encode<'b>(
        &self,
        builder: &mut Builder<'b>,
    ) -> WIPOffset<fb::UpdateDynamicCircularBufferAddressAndTotalSize<'b>> {
        let Self { circular_buffer, buffer, total_size } = self;
        fb::UpdateDynamicCircularBufferAddressAndTotalSize::create(
            builder,
            &fb::UpdateDynamicCircularBufferAddressAndTotalSizeArgs {
                circular_buffer: circular_buffer.0,
                buffer: buffer.0,
                total_size: *total_size,
            },
        )
    }
    fn decode(
        form: fb::UpdateDynamicCircularBufferAddressAndTotalSize<'_>,
        path: &Path<'_>,
    ) -> Result<Self, CaptureError> {
        check_fields(&form, path)?;
        Ok(Self {
            circular_buffer: model::CircularBufferId(form.circular_buffer()),
            buffer: model::BufferId(form.buffer()),
            total_size: form.total_size(),
        })
    }
}
impl References for commands::UpdateDynamicCircularBufferAddressAndTotalSize {
    fn references(&self, path: &Path<'_>, visit: Visit<'_>) -> Result<(), CaptureError> {
        visit(
            Role::Uses,
            ObjectKind::CircularBuffer,
            self.circular_buffer.0,
            &path.field("circular_buffer"),
        )?;
        visit(Role::Uses, ObjectKind::Buffer, self.buffer.0, &path.field("buffer"))?;
        Ok(())
    }
    fn references_mut(&mut self, visit: VisitMut<'_>) {
        visit(Role::Uses, ObjectKind::CircularBuffer, &mut self.circular_buffer.0);
        visit(Role::Uses, ObjectKind::Buffer, &mut self.buffer.0);
    }
}
impl Weight for commands::UpdateDynamicCircularBufferAddressAndTotalSize {
    fn weight(&self) -> u64 {
        weight::table(3)
    }
}
impl TableWire for commands::EnqueueRecordEvent {
    type Form<'b> = fb::EnqueueRecordEvent<'b>;
    fn encode<'b>(
        &self,
        builder: &mut Builder<'b>,
    ) -> WIPOffset<fb::EnqueueRecordEvent<'b>> {
        let Self { queue, event, name, host_visible, number } = self;
        let name = string(builder, name);
        fb::EnqueueRecordEvent::create(
            builder,
            &fb::EnqueueRecordEventArgs {
                queue: queue.0,
                event: event.0,
                name,
                host_visible: *host_visible,
                number: *number,
            },
        )
    }
    fn decode(
        form: fb::EnqueueRecordEvent<'_>,
        path: &Path<'_>,
    ) -> Result<Self, CaptureError> {
        check_fields(&form, path)?;
        Ok(Self {
            queue: QueueId(form.queue()),
            event: model::EventId(form.event()),
            name: text(form.name()),
            host_visible: form.host_visible(),
            number: form.number(),
        })
    }
}
impl References for commands::EnqueueRecordEvent {
    fn references(&self, path: &Path<'_>, visit: Visit<'_>) -> Result<(), CaptureError> {
        visit(Role::Creates, ObjectKind::Event, self.event.0, &path.field("event"))?;
        Ok(())
    }
    fn references_mut(&mut self, visit: VisitMut<'_>) {
        visit(Role::Creates, ObjectKind::Event, &mut self.event.0);
    }
}
impl Weight for commands::EnqueueRecordEvent {
    fn weight(&self) -> u64 {
        [weight::text(&self.name)]
            .into_iter()
            .fold(weight::table(5), u64::saturating_add)
    }
}
impl TableWire for commands::EnqueueWaitForEvent {
    type Form<'b> = fb::EnqueueWaitForEvent<'b>;
    fn encode<'b>(
        &self,
        builder: &mut Builder<'b>,
    ) -> WIPOffset<fb::EnqueueWaitForEvent<'b>> {
        let Self { queue, event } = self;
        fb::EnqueueWaitForEvent::create(
            builder,
            &fb::EnqueueWaitForEventArgs {
                queue: queue.0,
                event: event.0,
            },
        )
    }
    fn decode(
        form: fb::EnqueueWaitForEvent<'_>,
        path: &Path<'_>,
    ) -> Result<Self, CaptureError> {
        check_fields(&form, path)?;
        Ok(Self {
            queue: QueueId(form.queue()),
            event: model::EventId(form.event()),
        })
    }
}
impl References for commands::EnqueueWaitForEvent {
    fn references(&self, path: &Path<'_>, visit: Visit<'_>) -> Result<(), CaptureError> {
        visit(Role::Uses, ObjectKind::Event, self.event.0, &path.field("event"))?;
        Ok(())
    }
    fn references_mut(&mut self, visit: VisitMut<'_>) {
        visit(Role::Uses, ObjectKind::Event, &mut self.event.0);
    }
}
impl Weight for commands::EnqueueWaitForEvent {
    fn weight(&self) -> u64 {
        weight::table(2)
    }
}
impl TableWire for commands::EventSynchronize {
    type Form<'b> = fb::EventSynchronize<'b>;
    fn encode<'b>(
        &self,
        builder: &mut Builder<'b>,
    ) -> WIPOffset<fb::EventSynchronize<'b>> {
        let Self { event } = self;
        fb::EventSynchronize::create(
            builder,
            &fb::EventSynchronizeArgs {
                event: event.0,
            },
        )
    }
    fn decode(
        form: fb::EventSynchronize<'_>,
        path: &Path<'_>,
    ) -> Result<Self, CaptureError> {
        check_fields(&form, path)?;
        Ok(Self {
            event: model::EventId(form.event()),
        })
    }
}
impl References for commands::EventSynchronize {
    fn references(&self, path: &Path<'_>, visit: Visit<'_>) -> Result<(), CaptureError> {
        visit(Role::Uses, ObjectKind::Event, self.event.0, &path.field("event"))?;
        Ok(())
    }
    fn references_mut(&mut self, visit: VisitMut<'_>) {
        visit(Role::Uses, ObjectKind::Event, &mut self.event.0);
    }
}
impl Weight for commands::EventSynchronize {
    fn weight(&self) -> u64 {
        weight::table(1)
    }
}
impl TableWire for commands::EventQuery {
    type Form<'b> = fb::EventQuery<'b>;
    fn encode<'b>(&self, builder: &mut Builder<'b>) -> WIPOffset<fb::EventQuery<'b>> {
        let Self { event, expected } = self;
        fb::EventQuery::create(
            builder,
            &fb::EventQueryArgs {
                event: event.0,
                expected: *expected,
            },
        )
    }
    fn decode(form: fb::EventQuery<'_>, path: &Path<'_>) -> Result<Self, CaptureError> {
        check_fields(&form, path)?;
        Ok(Self {
            event: model::EventId(form.event()),
            expected: form.expected(),
        })
    }
}
impl References for commands::EventQuery {
    fn references(&self, path: &Path<'_>, visit: Visit<'_>) -> Result<(), CaptureError> {
        visit(Role::Uses, ObjectKind::Event, self.event.0, &path.field("event"))?;
        Ok(())
    }
    fn references_mut(&mut self, visit: VisitMut<'_>) {
        visit(Role::Uses, ObjectKind::Event, &mut self.event.0);
    }
}
impl Weight for commands::EventQuery {
    fn weight(&self) -> u64 {
        weight::table(2)
    }
}
impl TableWire for commands::BeginTraceCapture {
    type Form<'b> = fb::BeginTraceCapture<'b>;
    fn encode<'b>(
        &self,
        builder: &mut Builder<'b>,
    ) -> WIPOffset<fb::BeginTraceCapture<'b>> {
        let Self { queue, trace, name } = self;
        let name = string(builder, name);
        fb::BeginTraceCapture::create(
            builder,
            &fb::BeginTraceCaptureArgs {
                queue: queue.0,
                trace: trace.0,
                name,
            },
        )
    }
    fn decode(
        form: fb::BeginTraceCapture<'_>,
        path: &Path<'_>,
    ) -> Result<Self, CaptureError> {
        check_fields(&form, path)?;
        Ok(Self {
            queue: QueueId(form.queue()),
            trace: model::TraceId(form.trace()),
            name: text(form.name()),
        })
    }
}
impl References for commands::BeginTraceCapture {
    fn references(&self, path: &Path<'_>, visit: Visit<'_>) -> Result<(), CaptureError> {
        visit(Role::Creates, ObjectKind::Trace, self.trace.0, &path.field("trace"))?;
        Ok(())
    }
    fn references_mut(&mut self, visit: VisitMut<'_>) {
        visit(Role::Creates, ObjectKind::Trace, &mut self.trace.0);
    }
}
impl Weight for commands::BeginTraceCapture {
    fn weight(&self) -> u64 {
        [weight::text(&self.name)]
            .into_iter()
            .fold(weight::table(3), u64::saturating_add)
    }
}
impl TableWire for commands::EndTraceCapture {
    type Form<'b> = fb::EndTraceCapture<'b>;
    fn encode<'b>(
        &self,
        builder: &mut Builder<'b>,
    ) -> WIPOffset<fb::EndTraceCapture<'b>> {
        let Self { queue, trace } = self;
        fb::EndTraceCapture::create(
            builder,
            &fb::EndTraceCaptureArgs {
                queue: queue.0,
                trace: trace.0,
            },
        )
    }
    fn decode(
        form: fb::EndTraceCapture<'_>,
        path: &Path<'_>,
    ) -> Result<Self, CaptureError> {
        check_fields(&form, path)?;
        Ok(Self {
            queue: QueueId(form.queue()),
            trace: model::TraceId(form.trace()),
        })
    }
}
impl References for commands::EndTraceCapture {
    fn references(&self, path: &Path<'_>, visit: Visit<'_>) -> Result<(), CaptureError> {
        visit(Role::Uses, ObjectKind::Trace, self.trace.0, &path.field("trace"))?;
        Ok(())
    }
    fn references_mut(&mut self, visit: VisitMut<'_>) {
        visit(Role::Uses, ObjectKind::Trace, &mut self.trace.0);
    }
}
impl Weight for commands::EndTraceCapture {
    fn weight(&self) -> u64 {
        weight::table(2)
    }
}
impl TableWire for commands::ReplayTrace {
    type Form<'b> = fb::ReplayTrace<'b>;
    fn encode<'b>(&self, builder: &mut Builder<'b>) -> WIPOffset<fb::ReplayTrace<'b>> {
        let Self { queue, trace, blocking } = self;
        fb::ReplayTrace::create(
            builder,
            &fb::ReplayTraceArgs {
                queue: queue.0,
                trace: trace.0,
                blocking: *blocking,
            },
        )
    }
    fn decode(form: fb::ReplayTrace<'_>, path: &Path<'_>) -> Result<Self, CaptureError> {
        check_fields(&form, path)?;
        Ok(Self {
            queue: QueueId(form.queue()),
            trace: model::TraceId(form.trace()),
            blocking: form.blocking(),
        })
    }
}
impl References for commands::ReplayTrace {
    fn references(&self, path: &Path<'_>, visit: Visit<'_>) -> Result<(), CaptureError> {
        visit(Role::Uses, ObjectKind::Trace, self.trace.0, &path.field("trace"))?;
        Ok(())
    }
    fn references_mut(&mut self, visit: VisitMut<'_>) {
        visit(Role::Uses, ObjectKind::Trace, &mut self.trace.0);
    }
}
impl Weight for commands::ReplayTrace {
    fn weight(&self) -> u64 {
        weight::table(3)
    }
}
impl TableWire for commands::ReleaseTrace {
    type Form<'b> = fb::ReleaseTrace<'b>;
    fn encode<'b>(&self, builder: &mut Builder<'b>) -> WIPOffset<fb::ReleaseTrace<'b>> {
        let Self { trace } = self;
        fb::ReleaseTrace::create(
            builder,
            &fb::ReleaseTraceArgs {
                trace: trace.0,
            },
        )
    }
    fn decode(
        form: fb::ReleaseTrace<'_>,
        path: &Path<'_>,
    ) -> Result<Self, CaptureError> {
        check_fields(&form, path)?;
        Ok(Self {
            trace: model::TraceId(form.trace()),
        })
    }
}
impl References for commands::ReleaseTrace {
    fn references(&self, path: &Path<'_>, visit: Visit<'_>) -> Result<(), CaptureError> {
        visit(Role::Releases, ObjectKind::Trace, self.trace.0, &path.field("trace"))?;
        Ok(())
    }
    fn references_mut(&mut self, visit: VisitMut<'_>) {
        visit(Role::Releases, ObjectKind::Trace, &mut self.trace.0);
    }
}
impl Weight for commands::ReleaseTrace {
    fn weight(&self) -> u64 {
        weight::table(1)
    }
}
impl TableWire for commands::CollectTrace {
    type Form<'b> = fb::CollectTrace<'b>;
    fn encode<'b>(&self, builder: &mut Builder<'b>) -> WIPOffset<fb::CollectTrace<'b>> {
        let Self { trace, collected } = self;
        let collected = string(builder, collected);
        fb::CollectTrace::create(
            builder,
            &fb::CollectTraceArgs {
                trace: trace.0,
                collected,
            },
        )
    }
    fn decode(
        form: fb::CollectTrace<'_>,
        path: &Path<'_>,
    ) -> Result<Self, CaptureError> {
        check_fields(&form, path)?;
        Ok(Self {
            trace: model::TraceId(form.trace()),
            collected: text(form.collected()),
        })
    }
}
impl References for commands::CollectTrace {
    fn references(&self, path: &Path<'_>, visit: Visit<'_>) -> Result<(), CaptureError> {
        visit(Role::Uses, ObjectKind::Trace, self.trace.0, &path.field("trace"))?;
        Ok(())
    }
    fn references_mut(&mut self, visit: VisitMut<'_>) {
        visit(Role::Uses, ObjectKind::Trace, &mut self.trace.0);
    }
}
impl Weight for commands::CollectTrace {
    fn weight(&self) -> u64 {
        [weight::text(&self.collected)]
            .into_iter()
            .fold(weight::table(2), u64::saturating_add)
    }
}
impl TableWire for model::TraceBuffer {
    type Form<'b> = fb::TraceBuffer<'b>;
    fn encode<'b>(&self, builder: &mut Builder<'b>) -> WIPOffset<fb::TraceBuffer<'b>> {
        let Self { recorded, buffer } = self;
        fb::TraceBuffer::create(
            builder,
            &fb::TraceBufferArgs {
                recorded: recorded.0,
                buffer: buffer.0,
            },
        )
    }
    fn decode(form: fb::TraceBuffer<'_>, path: &Path<'_>) -> Result<Self, CaptureError> {
        check_fields(&form, path)?;
        Ok(Self {
            recorded: model::BufferId(form.recorded()),
            buffer: model::BufferId(form.buffer()),
        })
    }
}
impl References for model::TraceBuffer {
    fn references(&self, path: &Path<'_>, visit: Visit<'_>) -> Result<(), CaptureError> {
        visit(
            Role::Names,
            ObjectKind::Buffer,
            self.recorded.0,
            &path.field("recorded"),
        )?;
        visit(Role::Uses, ObjectKind::Buffer, self.buffer.0, &path.field("buffer"))?;
        Ok(())
    }
    fn references_mut(&mut self, visit: VisitMut<'_>) {
        visit(Role::Names, ObjectKind::Buffer, &mut self.recorded.0);
        visit(Role::Uses, ObjectKind::Buffer, &mut self.buffer.0);
    }
}
impl Weight for model::TraceBuffer {
    fn weight(&self) -> u64 {
        weight::table(2)
    }
}
impl TableWire for commands::LoadTrace {
    type Form<'b> = fb::LoadTrace<'b>;
    fn encode<'b>(&self, builder: &mut Builder<'b>) -> WIPOffset<fb::LoadTrace<'b>> {
        let Self { trace, name, from, buffers } = self;
        let name = string(builder, name);
        let from = string(builder, from);
        let buffers = TableList::encode(buffers, builder);
        fb::LoadTrace::create(
            builder,
            &fb::LoadTraceArgs {
                trace: trace.0,
                name,
                from,
                buffers,
            },
        )
    }
    fn decode(form: fb::LoadTrace<'_>, path: &Path<'_>) -> Result<Self, CaptureError> {
        check_fields(&form, path)?;
        Ok(Self {
            trace: model::TraceId(form.trace()),
            name: text(form.name()),
            from: text(form.from()),
            buffers: TableList::decode(form.buffers(), &path.field("buffers"))?,
        })
    }
}
impl References for commands::LoadTrace {
    fn references(&self, path: &Path<'_>, visit: Visit<'_>) -> Result<(), CaptureError> {
        visit(Role::Creates, ObjectKind::Trace, self.trace.0, &path.field("trace"))?;
        let place = path.field("buffers");
        for (index, item) in self.buffers.iter().enumerate() {
            item.references(&place.index(index), visit)?;
        }
        Ok(())
    }
    fn references_mut(&mut self, visit: VisitMut<'_>) {
        visit(Role::Creates, ObjectKind::Trace, &mut self.trace.0);
        for item in self.buffers.iter_mut() {
            item.references_mut(visit);
        }
    }
}
impl Weight for commands::LoadTrace {
    fn weight(&self) -> u64 {
        [weight::text(&self.name), weight::text(&self.from), self.buffers.weight()]
            .into_iter()
            .fold(weight::table(4), u64::saturating_add)
    }
}
impl TableWire for commands::Synchronize {
    type Form<'b> = fb::Synchronize<'b>;
    fn encode<'b>(&self, builder: &mut Builder<'b>) -> WIPOffset<fb::Synchronize<'b>> {
        let Self {} = self;
        fb::Synchronize::create(builder, &fb::SynchronizeArgs {})
    }
    fn decode(form: fb::Synchronize<'_>, path: &Path<'_>) -> Result<Self, CaptureError> {
        check_fields(&form, path)?;
        Ok(Self {})
    }
}
impl References for commands::Synchronize {
    fn references(&self, _: &Path<'_>, _: Visit<'_>) -> Result<(), CaptureError> {
        Ok(())
    }
    fn references_mut(&mut self, _: VisitMut<'_>) {}
}
impl Weight for commands::Synchronize {
    fn weight(&self) -> u64 {
        weight::table(0)
    }
}
/// Writes a value of the union and says which member it is.
pub(crate) fn encode_generator<'b>(
    builder: &mut Builder<'b>,
    value: &model::Generator,
) -> (fb::Generator, WIPOffset<UnionWIPOffset>) {
    match value {
        model::Generator::Constant { data_type, bits } => {
            let form = fb::Constant::create(
                builder,
                &fb::ConstantArgs {
                    data_type: data_type.to_wire(),
                    bits: *bits,
                },
            );
            (fb::Generator::Constant, form.as_union_value())
        }
        model::Generator::Sequence { data_type, start, step } => {
            let form = fb::Sequence::create(
                builder,
                &fb::SequenceArgs {
                    data_type: data_type.to_wire(),
                    start: *start,
                    step: *step,
                },
            );
            (fb::Generator::Sequence, form.as_union_value())
        }
        model::Generator::Uniform { data_type, seed } => {
            let form = fb::Uniform::create(
                builder,
                &fb::UniformArgs {
                    data_type: data_type.to_wire(),
                    seed: *seed,
                },
            );
            (fb::Generator::Uniform, form.as_union_value())
        }
        model::Generator::UniformBetween { data_type, seed, minimum, maximum } => {
            let form = fb::UniformBetween::create(
                builder,
                &fb::UniformBetweenArgs {
                    data_type: data_type.to_wire(),
                    seed: *seed,
                    minimum: minimum.get(),
                    maximum: maximum.get(),
                },
            );
            (fb::Generator::UniformBetween, form.as_union_value())
        }
        model::Generator::Normal { data_type, seed, mean, deviation } => {
            let form = fb::Normal::create(
                builder,
                &fb::NormalArgs {
                    data_type: data_type.to_wire(),
                    seed: *seed,
                    mean: mean.get(),
                    deviation: deviation.get(),
                },
            );
            (fb::Generator::Normal, form.as_union_value())
        }
    }
}
/// Writes a value of the union and says which member it is.
pub(crate) fn encode_expectation<'b>(
    builder: &mut Builder<'b>,
    value: &model::Expectation,
) -> (fb::Expectation, WIPOffset<UnionWIPOffset>) {
    match value {
        model::Expectation::AsCaptured => {
            let form = fb::AsCaptured::create(builder, &fb::AsCapturedArgs {});
            (fb::Expectation::AsCaptured, form.as_union_value())
        }
        model::Expectation::Exact { hash } => {
            let hash = hash.to_wire();
            let form = fb::Exact::create(builder, &fb::ExactArgs { hash: Some(&hash) });
            (fb::Expectation::Exact, form.as_union_value())
        }
        model::Expectation::Reference { data, tolerance } => {
            let data = Some(data.encode(builder));
            let tolerance = Some(tolerance.encode(builder));
            let form = fb::Reference::create(
                builder,
                &fb::ReferenceArgs {
                    data,
                    tolerance,
                },
            );
            (fb::Expectation::Reference, form.as_union_value())
        }
        model::Expectation::Unchecked { reason } => {
            let reason = string(builder, reason);
            let form = fb::Unchecked::create(builder, &fb::UncheckedArgs { reason });
            (fb::Expectation::Unchecked, form.as_union_value())
        }
    }
}
/// Writes a value of the union and says which member it is.
pub(crate) fn encode_kernel_config<'b>(
    builder: &mut Builder<'b>,
    value: &model::KernelConfig,
) -> (fb::KernelConfig, WIPOffset<UnionWIPOffset>) {
    match value {
        model::KernelConfig::DataMovement { processor, noc, noc_mode } => {
            let form = fb::DataMovement::create(
                builder,
                &fb::DataMovementArgs {
                    processor: processor.to_wire(),
                    noc: noc.to_wire(),
                    noc_mode: noc_mode.to_wire(),
                },
            );
            (fb::KernelConfig::DataMovement, form.as_union_value())
        }
        model::KernelConfig::Compute {
            math_fidelity,
            fp32_dest_acc_en,
            math_approx_mode,
            dst_full_sync_en,
            unpack_to_dest_mode,
            bfp8_pack_precise,
        } => {
            let unpack_to_dest_mode = TableList::encode(unpack_to_dest_mode, builder);
            let form = fb::Compute::create(
                builder,
                &fb::ComputeArgs {
                    math_fidelity: math_fidelity.to_wire(),
                    fp32_dest_acc_en: *fp32_dest_acc_en,
                    math_approx_mode: *math_approx_mode,
                    dst_full_sync_en: *dst_full_sync_en,
                    unpack_to_dest_mode,
                    bfp8_pack_precise: *bfp8_pack_precise,
                },
            );
            (fb::KernelConfig::Compute, form.as_union_value())
        }
    }
}
/// Writes a value of the union and says which member it is.
pub(crate) fn encode_command<'b>(
    builder: &mut Builder<'b>,
    value: &model::Command,
) -> (fb::Command, WIPOffset<UnionWIPOffset>) {
    match value {
        model::Command::CreateBuffer(call) => {
            (fb::Command::CreateBuffer, call.encode(builder).as_union_value())
        }
        model::Command::DeallocateBuffer(call) => {
            (fb::Command::DeallocateBuffer, call.encode(builder).as_union_value())
        }
        model::Command::CreateProgram(call) => {
            (fb::Command::CreateProgram, call.encode(builder).as_union_value())
        }
        model::Command::CreateKernel(call) => {
            (fb::Command::CreateKernel, call.encode(builder).as_union_value())
        }
        model::Command::SetRuntimeArgs(call) => {
            (fb::Command::SetRuntimeArgs, call.encode(builder).as_union_value())
        }
        model::Command::CreateCircularBuffer(call) => {
            (fb::Command::CreateCircularBuffer, call.encode(builder).as_union_value())
        }
        model::Command::CreateSemaphore(call) => {
            (fb::Command::CreateSemaphore, call.encode(builder).as_union_value())
        }
        model::Command::EnqueueWriteBuffer(call) => {
            (fb::Command::EnqueueWriteBuffer, call.encode(builder).as_union_value())
        }
        model::Command::EnqueueReadBuffer(call) => {
            (fb::Command::EnqueueReadBuffer, call.encode(builder).as_union_value())
        }
        model::Command::EnqueueProgram(call) => {
            (fb::Command::EnqueueProgram, call.encode(builder).as_union_value())
        }
        model::Command::Finish(call) => {
            (fb::Command::Finish, call.encode(builder).as_union_value())
        }
        model::Command::SetCommonRuntimeArgs(call) => {
            (fb::Command::SetCommonRuntimeArgs, call.encode(builder).as_union_value())
        }
        model::Command::UpdateCommonRuntimeArgs(call) => {
            (fb::Command::UpdateCommonRuntimeArgs, call.encode(builder).as_union_value())
        }
        model::Command::CreateBufferView(call) => {
            (fb::Command::CreateBufferView, call.encode(builder).as_union_value())
        }
        model::Command::UpdateCircularBufferTotalSize(call) => {
            (
                fb::Command::UpdateCircularBufferTotalSize,
                call.encode(builder).as_union_value(),
            )
        }
        model::Command::UpdateCircularBufferPageSize(call) => {
            (
                fb::Command::UpdateCircularBufferPageSize,
                call.encode(builder).as_union_value(),
            )
        }
        model::Command::UpdateDynamicCircularBufferAddress(call) => {
            (
                fb::Command::UpdateDynamicCircularBufferAddress,
                call.encode(builder).as_union_value(),
            )
        }
        model::Command::UpdateDynamicCircularBufferAddressAndTotalSize(call) => {
            (
                fb::Command::UpdateDynamicCircularBufferAddressAndTotalSize,
                call.encode(builder).as_union_value(),
            )
        }
        model::Command::EnqueueRecordEvent(call) => {
            (fb::Command::EnqueueRecordEvent, call.encode(builder).as_union_value())
        }
        model::Command::EnqueueWaitForEvent(call) => {
            (fb::Command::EnqueueWaitForEvent, call.encode(builder).as_union_value())
        }
        model::Command::EventSynchronize(call) => {
            (fb::Command::EventSynchronize, call.encode(builder).as_union_value())
        }
        model::Command::EventQuery(call) => {
            (fb::Command::EventQuery, call.encode(builder).as_union_value())
        }
        model::Command::BeginTraceCapture(call) => {
            (fb::Command::BeginTraceCapture, call.encode(builder).as_union_value())
        }
        model::Command::EndTraceCapture(call) => {
            (fb::Command::EndTraceCapture, call.encode(builder).as_union_value())
        }
        model::Command::ReplayTrace(call) => {
            (fb::Command::ReplayTrace, call.encode(builder).as_union_value())
        }
        model::Command::ReleaseTrace(call) => {
            (fb::Command::ReleaseTrace, call.encode(builder).as_union_value())
        }
        model::Command::CollectTrace(call) => {
            (fb::Command::CollectTrace, call.encode(builder).as_union_value())
        }
        model::Command::LoadTrace(call) => {
            (fb::Command::LoadTrace, call.encode(builder).as_union_value())
        }
        model::Command::Synchronize(call) => {
            (fb::Command::Synchronize, call.encode(builder).as_union_value())
        }
    }
}
/// The `generator` of a `Data`, if there is one.
pub(crate) fn data_generator(
    form: &fb::Data<'_>,
    path: &Path<'_>,
) -> Result<Option<model::Generator>, CaptureError> {
    let member = form.generator_type();
    Ok(
        Some(
            match member {
                fb::Generator::NONE => return Ok(None),
                fb::Generator::Constant => {
                    let form = required(form.generator_as_constant(), path)?;
                    check_fields(&form, path)?;
                    model::Generator::Constant {
                        data_type: Wire::from_wire(
                            form.data_type(),
                            &path.field("data_type"),
                        )?,
                        bits: form.bits(),
                    }
                }
                fb::Generator::Sequence => {
                    let form = required(form.generator_as_sequence(), path)?;
                    check_fields(&form, path)?;
                    model::Generator::Sequence {
                        data_type: Wire::from_wire(
                            form.data_type(),
                            &path.field("data_type"),
                        )?,
                        start: form.start(),
                        step: form.step(),
                    }
                }
                fb::Generator::Uniform => {
                    let form = required(form.generator_as_uniform(), path)?;
                    check_fields(&form, path)?;
                    model::Generator::Uniform {
                        data_type: Wire::from_wire(
                            form.data_type(),
                            &path.field("data_type"),
                        )?,
                        seed: form.seed(),
                    }
                }
                fb::Generator::UniformBetween => {
                    let form = required(form.generator_as_uniform_between(), path)?;
                    check_fields(&form, path)?;
                    model::Generator::UniformBetween {
                        data_type: Wire::from_wire(
                            form.data_type(),
                            &path.field("data_type"),
                        )?,
                        seed: form.seed(),
                        minimum: real(form.minimum(), &path.field("minimum"))?,
                        maximum: real(form.maximum(), &path.field("maximum"))?,
                    }
                }
                fb::Generator::Normal => {
                    let form = required(form.generator_as_normal(), path)?;
                    check_fields(&form, path)?;
                    model::Generator::Normal {
                        data_type: Wire::from_wire(
                            form.data_type(),
                            &path.field("data_type"),
                        )?,
                        seed: form.seed(),
                        mean: real(form.mean(), &path.field("mean"))?,
                        deviation: real(form.deviation(), &path.field("deviation"))?,
                    }
                }
                _ => return Err(unknown_value(path, "generator", member.0)),
            },
        ),
    )
}
/// The `config` of a `CreateKernel`, if there is one.
pub(crate) fn create_kernel_config(
    form: &fb::CreateKernel<'_>,
    path: &Path<'_>,
) -> Result<Option<model::KernelConfig>, CaptureError> {
    let member = form.config_type();
    Ok(
        Some(
            match member {
                fb::KernelConfig::NONE => return Ok(None),
                fb::KernelConfig::DataMovement => {
                    let form = required(form.config_as_data_movement(), path)?;
                    check_fields(&form, path)?;
                    model::KernelConfig::DataMovement {
                        processor: Wire::from_wire(
                            form.processor(),
                            &path.field("processor"),
                        )?,
                        noc: Wire::from_wire(form.noc(), &path.field("noc"))?,
                        noc_mode: Wire::from_wire(
                            form.noc_mode(),
                            &path.field("noc_mode"),
                        )?,
                    }
                }
                fb::KernelConfig::Compute => {
                    let form = required(form.config_as_compute(), path)?;
                    check_fields(&form, path)?;
                    model::KernelConfig::Compute {
                        math_fidelity: Wire::from_wire(
                            form.math_fidelity(),
                            &path.field("math_fidelity"),
                        )?,
                        fp32_dest_acc_en: form.fp32_dest_acc_en(),
                        math_approx_mode: form.math_approx_mode(),
                        dst_full_sync_en: form.dst_full_sync_en(),
                        unpack_to_dest_mode: TableList::decode(
                            form.unpack_to_dest_mode(),
                            &path.field("unpack_to_dest_mode"),
                        )?,
                        bfp8_pack_precise: form.bfp8_pack_precise(),
                    }
                }
                _ => return Err(unknown_value(path, "kernel config", member.0)),
            },
        ),
    )
}
/// The `expectation` of a `EnqueueReadBuffer`, if there is one.
pub(crate) fn enqueue_read_buffer_expectation(
    form: &fb::EnqueueReadBuffer<'_>,
    path: &Path<'_>,
) -> Result<Option<model::Expectation>, CaptureError> {
    let member = form.expectation_type();
    Ok(
        Some(
            match member {
                fb::Expectation::NONE => return Ok(None),
                fb::Expectation::AsCaptured => {
                    let form = required(form.expectation_as_as_captured(), path)?;
                    check_fields(&form, path)?;
                    model::Expectation::AsCaptured
                }
                fb::Expectation::Exact => {
                    let form = required(form.expectation_as_exact(), path)?;
                    check_fields(&form, path)?;
                    model::Expectation::Exact {
                        hash: hash(form.hash(), &path.field("hash"))?,
                    }
                }
                fb::Expectation::Reference => {
                    let form = required(form.expectation_as_reference(), path)?;
                    check_fields(&form, path)?;
                    model::Expectation::Reference {
                        data: TableWire::decode(
                            required(form.data(), &path.field("data"))?,
                            &path.field("data"),
                        )?,
                        tolerance: TableWire::decode(
                            required(form.tolerance(), &path.field("tolerance"))?,
                            &path.field("tolerance"),
                        )?,
                    }
                }
                fb::Expectation::Unchecked => {
                    let form = required(form.expectation_as_unchecked(), path)?;
                    check_fields(&form, path)?;
                    model::Expectation::Unchecked {
                        reason: text(form.reason()),
                    }
                }
                _ => return Err(unknown_value(path, "expectation", member.0)),
            },
        ),
    )
}
/// The `command` of a `RecordedCommand`, if there is one.
pub(crate) fn recorded_command_command(
    form: &fb::RecordedCommand<'_>,
    path: &Path<'_>,
) -> Result<Option<model::Command>, CaptureError> {
    let member = form.command_type();
    Ok(
        Some(
            match member {
                fb::Command::NONE => return Ok(None),
                fb::Command::CreateBuffer => {
                    model::Command::CreateBuffer(
                        TableWire::decode(
                            required(form.command_as_create_buffer(), path)?,
                            &path.field("create_buffer"),
                        )?,
                    )
                }
                fb::Command::DeallocateBuffer => {
                    model::Command::DeallocateBuffer(
                        TableWire::decode(
                            required(form.command_as_deallocate_buffer(), path)?,
                            &path.field("deallocate_buffer"),
                        )?,
                    )
                }
                fb::Command::CreateProgram => {
                    model::Command::CreateProgram(
                        TableWire::decode(
                            required(form.command_as_create_program(), path)?,
                            &path.field("create_program"),
                        )?,
                    )
                }
                fb::Command::CreateKernel => {
                    model::Command::CreateKernel(
                        TableWire::decode(
                            required(form.command_as_create_kernel(), path)?,
                            &path.field("create_kernel"),
                        )?,
                    )
                }
                fb::Command::SetRuntimeArgs => {
                    model::Command::SetRuntimeArgs(
                        TableWire::decode(
                            required(form.command_as_set_runtime_args(), path)?,
                            &path.field("set_runtime_args"),
                        )?,
                    )
                }
                fb::Command::CreateCircularBuffer => {
                    model::Command::CreateCircularBuffer(
                        TableWire::decode(
                            required(form.command_as_create_circular_buffer(), path)?,
                            &path.field("create_circular_buffer"),
                        )?,
                    )
                }
                fb::Command::CreateSemaphore => {
                    model::Command::CreateSemaphore(
                        TableWire::decode(
                            required(form.command_as_create_semaphore(), path)?,
                            &path.field("create_semaphore"),
                        )?,
                    )
                }
                fb::Command::EnqueueWriteBuffer => {
                    model::Command::EnqueueWriteBuffer(
                        TableWire::decode(
                            required(form.command_as_enqueue_write_buffer(), path)?,
                            &path.field("enqueue_write_buffer"),
                        )?,
                    )
                }
                fb::Command::EnqueueReadBuffer => {
                    model::Command::EnqueueReadBuffer(
                        TableWire::decode(
                            required(form.command_as_enqueue_read_buffer(), path)?,
                            &path.field("enqueue_read_buffer"),
                        )?,
                    )
                }
                fb::Command::EnqueueProgram => {
                    model::Command::EnqueueProgram(
                        TableWire::decode(
                            required(form.command_as_enqueue_program(), path)?,
                            &path.field("enqueue_program"),
                        )?,
                    )
                }
                fb::Command::Finish => {
                    model::Command::Finish(
                        TableWire::decode(
                            required(form.command_as_finish(), path)?,
                            &path.field("finish"),
                        )?,
                    )
                }
                fb::Command::SetCommonRuntimeArgs => {
                    model::Command::SetCommonRuntimeArgs(
                        TableWire::decode(
                            required(form.command_as_set_common_runtime_args(), path)?,
                            &path.field("set_common_runtime_args"),
                        )?,
                    )
                }
                fb::Command::UpdateCommonRuntimeArgs => {
                    model::Command::UpdateCommonRuntimeArgs(
                        TableWire::decode(
                            required(
                                form.command_as_update_common_runtime_args(),
                                path,
                            )?,
                            &path.field("update_common_runtime_args"),
                        )?,
                    )
                }
                fb::Command::CreateBufferView => {
                    model::Command::CreateBufferView(
                        TableWire::decode(
                            required(form.command_as_create_buffer_view(), path)?,
                            &path.field("create_buffer_view"),
                        )?,
                    )
                }
                fb::Command::UpdateCircularBufferTotalSize => {
                    model::Command::UpdateCircularBufferTotalSize(
                        TableWire::decode(
                            required(
                                form.command_as_update_circular_buffer_total_size(),
                                path,
                            )?,
                            &path.field("update_circular_buffer_total_size"),
                        )?,
                    )
                }
                fb::Command::UpdateCircularBufferPageSize => {
                    model::Command::UpdateCircularBufferPageSize(
                        TableWire::decode(
                            required(
                                form.command_as_update_circular_buffer_page_size(),
                                path,
                            )?,
                            &path.field("update_circular_buffer_page_size"),
                        )?,
                    )
                }
                fb::Command::UpdateDynamicCircularBufferAddress => {
                    model::Command::UpdateDynamicCircularBufferAddress(
                        TableWire::decode(
                            required(
                                form.command_as_update_dynamic_circular_buffer_address(),
                                path,
                            )?,
                            &path.field("update_dynamic_circular_buffer_address"),
                        )?,
                    )
                }
                fb::Command::UpdateDynamicCircularBufferAddressAndTotalSize => {
                    model::Command::UpdateDynamicCircularBufferAddressAndTotalSize(
                        TableWire::decode(
                            required(
                                form
                                    .command_as_update_dynamic_circular_buffer_address_and_total_size(),
                                path,
                            )?,
                            &path
                                .field(
                                    "update_dynamic_circular_buffer_address_and_total_size",
                                ),
                        )?,
                    )
                }
                fb::Command::EnqueueRecordEvent => {
                    model::Command::EnqueueRecordEvent(
                        TableWire::decode(
                            required(form.command_as_enqueue_record_event(), path)?,
                            &path.field("enqueue_record_event"),
                        )?,
                    )
                }
                fb::Command::EnqueueWaitForEvent => {
                    model::Command::EnqueueWaitForEvent(
                        TableWire::decode(
                            required(form.command_as_enqueue_wait_for_event(), path)?,
                            &path.field("enqueue_wait_for_event"),
                        )?,
                    )
                }
                fb::Command::EventSynchronize => {
                    model::Command::EventSynchronize(
                        TableWire::decode(
                            required(form.command_as_event_synchronize(), path)?,
                            &path.field("event_synchronize"),
                        )?,
                    )
                }
                fb::Command::EventQuery => {
                    model::Command::EventQuery(
                        TableWire::decode(
                            required(form.command_as_event_query(), path)?,
                            &path.field("event_query"),
                        )?,
                    )
                }
                fb::Command::BeginTraceCapture => {
                    model::Command::BeginTraceCapture(
                        TableWire::decode(
                            required(form.command_as_begin_trace_capture(), path)?,
                            &path.field("begin_trace_capture"),
                        )?,
                    )
                }
                fb::Command::EndTraceCapture => {
                    model::Command::EndTraceCapture(
                        TableWire::decode(
                            required(form.command_as_end_trace_capture(), path)?,
                            &path.field("end_trace_capture"),
                        )?,
                    )
                }
                fb::Command::ReplayTrace => {
                    model::Command::ReplayTrace(
                        TableWire::decode(
                            required(form.command_as_replay_trace(), path)?,
                            &path.field("replay_trace"),
                        )?,
                    )
                }
                fb::Command::ReleaseTrace => {
                    model::Command::ReleaseTrace(
                        TableWire::decode(
                            required(form.command_as_release_trace(), path)?,
                            &path.field("release_trace"),
                        )?,
                    )
                }
                fb::Command::CollectTrace => {
                    model::Command::CollectTrace(
                        TableWire::decode(
                            required(form.command_as_collect_trace(), path)?,
                            &path.field("collect_trace"),
                        )?,
                    )
                }
                fb::Command::LoadTrace => {
                    model::Command::LoadTrace(
                        TableWire::decode(
                            required(form.command_as_load_trace(), path)?,
                            &path.field("load_trace"),
                        )?,
                    )
                }
                fb::Command::Synchronize => {
                    model::Command::Synchronize(
                        TableWire::decode(
                            required(form.command_as_synchronize(), path)?,
                            &path.field("synchronize"),
                        )?,
                    )
                }
                _ => return Err(unknown_value(path, "command", member.0)),
            },
        ),
    )
}
/// The `command` of a `CommandBegun`, if there is one.
pub(crate) fn command_begun_command(
    form: &fb::CommandBegun<'_>,
    path: &Path<'_>,
) -> Result<Option<model::Command>, CaptureError> {
    let member = form.command_type();
    Ok(
        Some(
            match member {
                fb::Command::NONE => return Ok(None),
                fb::Command::CreateBuffer => {
                    model::Command::CreateBuffer(
                        TableWire::decode(
                            required(form.command_as_create_buffer(), path)?,
                            &path.field("create_buffer"),
                        )?,
                    )
                }
                fb::Command::DeallocateBuffer => {
                    model::Command::DeallocateBuffer(
                        TableWire::decode(
                            required(form.command_as_deallocate_buffer(), path)?,
                            &path.field("deallocate_buffer"),
                        )?,
                    )
                }
                fb::Command::CreateProgram => {
                    model::Command::CreateProgram(
                        TableWire::decode(
                            required(form.command_as_create_program(), path)?,
                            &path.field("create_program"),
                        )?,
                    )
                }
                fb::Command::CreateKernel => {
                    model::Command::CreateKernel(
                        TableWire::decode(
                            required(form.command_as_create_kernel(), path)?,
                            &path.field("create_kernel"),
                        )?,
                    )
                }
                fb::Command::SetRuntimeArgs => {
                    model::Command::SetRuntimeArgs(
                        TableWire::decode(
                            required(form.command_as_set_runtime_args(), path)?,
                            &path.field("set_runtime_args"),
                        )?,
                    )
                }
                fb::Command::CreateCircularBuffer => {
                    model::Command::CreateCircularBuffer(
                        TableWire::decode(
                            required(form.command_as_create_circular_buffer(), path)?,
                            &path.field("create_circular_buffer"),
                        )?,
                    )
                }
                fb::Command::CreateSemaphore => {
                    model::Command::CreateSemaphore(
                        TableWire::decode(
                            required(form.command_as_create_semaphore(), path)?,
                            &path.field("create_semaphore"),
                        )?,
                    )
                }
                fb::Command::EnqueueWriteBuffer => {
                    model::Command::EnqueueWriteBuffer(
                        TableWire::decode(
                            required(form.command_as_enqueue_write_buffer(), path)?,
                            &path.field("enqueue_write_buffer"),
                        )?,
                    )
                }
                fb::Command::EnqueueReadBuffer => {
                    model::Command::EnqueueReadBuffer(
                        TableWire::decode(
                            required(form.command_as_enqueue_read_buffer(), path)?,
                            &path.field("enqueue_read_buffer"),
                        )?,
                    )
                }
                fb::Command::EnqueueProgram => {
                    model::Command::EnqueueProgram(
                        TableWire::decode(
                            required(form.command_as_enqueue_program(), path)?,
                            &path.field("enqueue_program"),
                        )?,
                    )
                }
                fb::Command::Finish => {
                    model::Command::Finish(
                        TableWire::decode(
                            required(form.command_as_finish(), path)?,
                            &path.field("finish"),
                        )?,
                    )
                }
                fb::Command::SetCommonRuntimeArgs => {
                    model::Command::SetCommonRuntimeArgs(
                        TableWire::decode(
                            required(form.command_as_set_common_runtime_args(), path)?,
                            &path.field("set_common_runtime_args"),
                        )?,
                    )
                }
                fb::Command::UpdateCommonRuntimeArgs => {
                    model::Command::UpdateCommonRuntimeArgs(
                        TableWire::decode(
                            required(
                                form.command_as_update_common_runtime_args(),
                                path,
                            )?,
                            &path.field("update_common_runtime_args"),
                        )?,
                    )
                }
                fb::Command::CreateBufferView => {
                    model::Command::CreateBufferView(
                        TableWire::decode(
                            required(form.command_as_create_buffer_view(), path)?,
                            &path.field("create_buffer_view"),
                        )?,
                    )
                }
                fb::Command::UpdateCircularBufferTotalSize => {
                    model::Command::UpdateCircularBufferTotalSize(
                        TableWire::decode(
                            required(
                                form.command_as_update_circular_buffer_total_size(),
                                path,
                            )?,
                            &path.field("update_circular_buffer_total_size"),
                        )?,
                    )
                }
                fb::Command::UpdateCircularBufferPageSize => {
                    model::Command::UpdateCircularBufferPageSize(
                        TableWire::decode(
                            required(
                                form.command_as_update_circular_buffer_page_size(),
                                path,
                            )?,
                            &path.field("update_circular_buffer_page_size"),
                        )?,
                    )
                }
                fb::Command::UpdateDynamicCircularBufferAddress => {
                    model::Command::UpdateDynamicCircularBufferAddress(
                        TableWire::decode(
                            required(
                                form.command_as_update_dynamic_circular_buffer_address(),
                                path,
                            )?,
                            &path.field("update_dynamic_circular_buffer_address"),
                        )?,
                    )
                }
                fb::Command::UpdateDynamicCircularBufferAddressAndTotalSize => {
                    model::Command::UpdateDynamicCircularBufferAddressAndTotalSize(
                        TableWire::decode(
                            required(
                                form
                                    .command_as_update_dynamic_circular_buffer_address_and_total_size(),
                                path,
                            )?,
                            &path
                                .field(
                                    "update_dynamic_circular_buffer_address_and_total_size",
                                ),
                        )?,
                    )
                }
                fb::Command::EnqueueRecordEvent => {
                    model::Command::EnqueueRecordEvent(
                        TableWire::decode(
                            required(form.command_as_enqueue_record_event(), path)?,
                            &path.field("enqueue_record_event"),
                        )?,
                    )
                }
                fb::Command::EnqueueWaitForEvent => {
                    model::Command::EnqueueWaitForEvent(
                        TableWire::decode(
                            required(form.command_as_enqueue_wait_for_event(), path)?,
                            &path.field("enqueue_wait_for_event"),
                        )?,
                    )
                }
                fb::Command::EventSynchronize => {
                    model::Command::EventSynchronize(
                        TableWire::decode(
                            required(form.command_as_event_synchronize(), path)?,
                            &path.field("event_synchronize"),
                        )?,
                    )
                }
                fb::Command::EventQuery => {
                    model::Command::EventQuery(
                        TableWire::decode(
                            required(form.command_as_event_query(), path)?,
                            &path.field("event_query"),
                        )?,
                    )
                }
                fb::Command::BeginTraceCapture => {
                    model::Command::BeginTraceCapture(
                        TableWire::decode(
                            required(form.command_as_begin_trace_capture(), path)?,
                            &path.field("begin_trace_capture"),
                        )?,
                    )
                }
                fb::Command::EndTraceCapture => {
                    model::Command::EndTraceCapture(
                        TableWire::decode(
                            required(form.command_as_end_trace_capture(), path)?,
                            &path.field("end_trace_capture"),
                        )?,
                    )
                }
                fb::Command::ReplayTrace => {
                    model::Command::ReplayTrace(
                        TableWire::decode(
                            required(form.command_as_replay_trace(), path)?,
                            &path.field("replay_trace"),
                        )?,
                    )
                }
                fb::Command::ReleaseTrace => {
                    model::Command::ReleaseTrace(
                        TableWire::decode(
                            required(form.command_as_release_trace(), path)?,
                            &path.field("release_trace"),
                        )?,
                    )
                }
                fb::Command::CollectTrace => {
                    model::Command::CollectTrace(
                        TableWire::decode(
                            required(form.command_as_collect_trace(), path)?,
                            &path.field("collect_trace"),
                        )?,
                    )
                }
                fb::Command::LoadTrace => {
                    model::Command::LoadTrace(
                        TableWire::decode(
                            required(form.command_as_load_trace(), path)?,
                            &path.field("load_trace"),
                        )?,
                    )
                }
                fb::Command::Synchronize => {
                    model::Command::Synchronize(
                        TableWire::decode(
                            required(form.command_as_synchronize(), path)?,
                            &path.field("synchronize"),
                        )?,
                    )
                }
                _ => return Err(unknown_value(path, "command", member.0)),
            },
        ),
    )
}
