//! The calls of the host API: a struct for each, in a file for each family, and [`Command`] over them.

mod buffers;
mod circular_buffers;
mod events;
mod kernels;
mod programs;
mod queues;
mod semaphores;
mod traces;

pub use buffers::{CreateBuffer, CreateBufferView, DeallocateBuffer};
pub use circular_buffers::{
    CreateCircularBuffer, UpdateCircularBufferPageSize, UpdateCircularBufferTotalSize,
    UpdateDynamicCircularBufferAddress, UpdateDynamicCircularBufferAddressAndTotalSize,
};
pub use events::{EnqueueRecordEvent, EnqueueWaitForEvent, EventQuery, EventSynchronize};
pub use kernels::{CreateKernel, SetCommonRuntimeArgs, SetRuntimeArgs, UpdateCommonRuntimeArgs};
pub use programs::CreateProgram;
pub use queues::{EnqueueProgram, EnqueueReadBuffer, EnqueueWriteBuffer, Finish};
pub use semaphores::CreateSemaphore;
pub use traces::{
    BeginTraceCapture, CollectTrace, EndTraceCapture, LoadTrace, ReleaseTrace, ReplayTrace,
};

use serde::{Deserialize, Serialize};

use crate::model::QueueId;

/// A call of the host API.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Command {
    /// `CreateBuffer`.
    CreateBuffer(CreateBuffer),
    /// `DeallocateBuffer`.
    DeallocateBuffer(DeallocateBuffer),
    /// `CreateProgram`.
    CreateProgram(CreateProgram),
    /// `CreateKernel`.
    CreateKernel(CreateKernel),
    /// `SetRuntimeArgs`, in its form for one core range set (one entry) or for a vector of cores.
    SetRuntimeArgs(SetRuntimeArgs),
    /// `CreateCircularBuffer`.
    CreateCircularBuffer(CreateCircularBuffer),
    /// `CreateSemaphore`.
    CreateSemaphore(CreateSemaphore),
    /// `EnqueueWriteBuffer`.
    EnqueueWriteBuffer(EnqueueWriteBuffer),
    /// `EnqueueReadBuffer`.
    EnqueueReadBuffer(EnqueueReadBuffer),
    /// `EnqueueProgram`.
    EnqueueProgram(EnqueueProgram),
    /// `Finish`: waits until everything enqueued on the queue is done.
    Finish(Finish),
    /// `SetCommonRuntimeArgs`: words that all cores of a kernel share. Once for a kernel.
    SetCommonRuntimeArgs(SetCommonRuntimeArgs),
    /// `GetCommonRuntimeArgs` and writing to what it gives: other words from the next launch on.
    UpdateCommonRuntimeArgs(UpdateCommonRuntimeArgs),
    /// `Buffer::view`: a part of a buffer under an id of its own.
    CreateBufferView(CreateBufferView),
    /// `UpdateCircularBufferTotalSize`: another size from the next launch on.
    UpdateCircularBufferTotalSize(UpdateCircularBufferTotalSize),
    /// `UpdateCircularBufferPageSize`: another page size of an index from the next launch on.
    UpdateCircularBufferPageSize(UpdateCircularBufferPageSize),
    /// `UpdateDynamicCircularBufferAddress`: the memory of another buffer from the next launch on.
    UpdateDynamicCircularBufferAddress(UpdateDynamicCircularBufferAddress),
    /// `UpdateDynamicCircularBufferAddressAndTotalSize`: another buffer and size; the offset stays.
    UpdateDynamicCircularBufferAddressAndTotalSize(UpdateDynamicCircularBufferAddressAndTotalSize),
    /// `EnqueueRecordEvent`, or `EnqueueRecordEventToHost`: an event that happens once everything
    /// enqueued before it on its queue is done. Every call makes another event.
    EnqueueRecordEvent(EnqueueRecordEvent),
    /// `EnqueueWaitForEvent`: nothing enqueued later on the queue begins before the event happened.
    EnqueueWaitForEvent(EnqueueWaitForEvent),
    /// `EventSynchronize`: the host waits for an event.
    EventSynchronize(EventSynchronize),
    /// `EventQuery`: whether an event has happened.
    EventQuery(EventQuery),
    /// `BeginTraceCapture`: programs enqueued on the queue are recorded from now on, not run.
    BeginTraceCapture(BeginTraceCapture),
    /// `EndTraceCapture`: the trace is complete and takes its place in device memory.
    EndTraceCapture(EndTraceCapture),
    /// `ReplayTrace`: everything that the trace holds, once more.
    ReplayTrace(ReplayTrace),
    /// `ReleaseTrace`: gives the trace's place in device memory back.
    ReleaseTrace(ReleaseTrace),
    /// `CollectTrace`: a trace as bytes, which any process can load. The bytes themselves stand in the
    /// record: they depend on the firmware, and the calls that made the trace say the same.
    CollectTrace(CollectTrace),
    /// `LoadTrace`: a trace out of bytes, with the addresses that buffers have now.
    LoadTrace(LoadTrace),
}

impl Command {
    /// The command queue that it is given to, if it is.
    pub const fn queue(&self) -> Option<QueueId> {
        match self {
            Self::EnqueueWriteBuffer(EnqueueWriteBuffer { queue, .. })
            | Self::EnqueueReadBuffer(EnqueueReadBuffer { queue, .. })
            | Self::EnqueueProgram(EnqueueProgram { queue, .. })
            | Self::Finish(Finish { queue })
            | Self::EnqueueRecordEvent(EnqueueRecordEvent { queue, .. })
            | Self::EnqueueWaitForEvent(EnqueueWaitForEvent { queue, .. })
            | Self::BeginTraceCapture(BeginTraceCapture { queue, .. })
            | Self::EndTraceCapture(EndTraceCapture { queue, .. })
            | Self::ReplayTrace(ReplayTrace { queue, .. }) => Some(*queue),
            Self::CreateBuffer(_)
            | Self::DeallocateBuffer(_)
            | Self::CreateProgram(_)
            | Self::CreateKernel(_)
            | Self::SetRuntimeArgs(_)
            | Self::CreateCircularBuffer(_)
            | Self::CreateSemaphore(_)
            | Self::SetCommonRuntimeArgs(_)
            | Self::UpdateCommonRuntimeArgs(_)
            | Self::CreateBufferView(_)
            | Self::UpdateCircularBufferTotalSize(_)
            | Self::UpdateCircularBufferPageSize(_)
            | Self::UpdateDynamicCircularBufferAddress(_)
            | Self::UpdateDynamicCircularBufferAddressAndTotalSize(_)
            | Self::EventSynchronize(_)
            | Self::EventQuery(_)
            | Self::ReleaseTrace(_)
            | Self::CollectTrace(_)
            | Self::LoadTrace(_) => None,
        }
    }
}

macro_rules! command_kinds {
    ($($kind:ident $name:literal),* $(,)?) => {
        /// A command without its arguments: its name wherever one is written.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum CommandKind {
            $(#[doc = concat!("`", $name, "`.")] $kind,)*
        }

        impl CommandKind {
            /// Every kind, in the order of its number in the capture format.
            pub const ALL: &'static [Self] = &[$(Self::$kind),*];

            /// Its name in snake_case.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$kind => $name),* }
            }
        }

        impl Command {
            /// Which call it is.
            pub const fn kind(&self) -> CommandKind {
                match self { $(Self::$kind(_) => CommandKind::$kind),* }
            }
        }
    };
}

command_kinds! {
    CreateBuffer "create_buffer",
    DeallocateBuffer "deallocate_buffer",
    CreateProgram "create_program",
    CreateKernel "create_kernel",
    SetRuntimeArgs "set_runtime_args",
    CreateCircularBuffer "create_circular_buffer",
    CreateSemaphore "create_semaphore",
    EnqueueWriteBuffer "enqueue_write_buffer",
    EnqueueReadBuffer "enqueue_read_buffer",
    EnqueueProgram "enqueue_program",
    Finish "finish",
    SetCommonRuntimeArgs "set_common_runtime_args",
    UpdateCommonRuntimeArgs "update_common_runtime_args",
    CreateBufferView "create_buffer_view",
    UpdateCircularBufferTotalSize "update_circular_buffer_total_size",
    UpdateCircularBufferPageSize "update_circular_buffer_page_size",
    UpdateDynamicCircularBufferAddress "update_dynamic_circular_buffer_address",
    UpdateDynamicCircularBufferAddressAndTotalSize
        "update_dynamic_circular_buffer_address_and_total_size",
    EnqueueRecordEvent "enqueue_record_event",
    EnqueueWaitForEvent "enqueue_wait_for_event",
    EventSynchronize "event_synchronize",
    EventQuery "event_query",
    BeginTraceCapture "begin_trace_capture",
    EndTraceCapture "end_trace_capture",
    ReplayTrace "replay_trace",
    ReleaseTrace "release_trace",
    CollectTrace "collect_trace",
    LoadTrace "load_trace",
}
