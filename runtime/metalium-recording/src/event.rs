//! The recorder's observations, in the order in which the command's process acted.
//!
//! Numbers are TT-Metalium's own: its enum values and the ids that it gives its objects.

mod observed;

pub use observed::{
    BufferAllocated, CircularBufferState, ComputeOptions, ConfiguredIndex, CoreWords,
    DataMovementOptions, DataflowBuffer, DeviceOpened, KernelArguments, KernelDescription,
    KernelOptions, KernelText, LibraryLoaded, ObservedBuffer, ObservedEvent, ObservedProgram,
    ObservedTile, ObservedTrace, ProgramDescription, ProgramEnqueued, Scratchpad,
    SemaphoreDescription, Sharding, ThreadNumber, Transfer,
};

/// An observation. A call is recorded before it is made; its results, after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// The command has loaded TT-Metalium.
    LibraryLoaded(LibraryLoaded),
    /// A device is open.
    DeviceOpened(DeviceOpened),
    /// A device was closed.
    DeviceClosed {
        /// The device.
        device: u32,
    },
    /// A buffer has been made.
    BufferAllocated(BufferAllocated),
    /// A buffer's memory is free.
    BufferFreed {
        /// The buffer.
        buffer: ObservedBuffer,
    },
    /// Data is about to be written.
    Written {
        /// The destination.
        transfer: Transfer,
        /// The data, in the order of the buffer's bytes.
        data: Vec<u8>,
    },
    /// A read is about to be enqueued.
    ReadBegun {
        /// The number of the read in the recording, counted from 0.
        read: u32,
        /// The source.
        transfer: Transfer,
    },
    /// The bytes of a read have arrived.
    ReadCompleted {
        /// The number of the read.
        read: u32,
        /// The bytes.
        data: Vec<u8>,
    },
    /// The description of a program: its constant properties.
    ProgramDescribed(ProgramDescription),
    /// A kernel has been built, with bindings that TT-Metalium generated for it.
    BindingsGenerated {
        /// The program.
        program: ObservedProgram,
        /// The handle of the kernel in the program.
        kernel: u32,
        /// The text that precedes the kernel's source.
        text: Vec<u8>,
    },
    /// A program is about to be enqueued.
    ProgramEnqueued(ProgramEnqueued),
    /// A program is gone.
    ProgramDestroyed {
        /// The program.
        program: ObservedProgram,
    },
    /// The host is about to wait for a queue.
    Finish {
        /// The queue.
        queue: u8,
    },
    /// An event has been recorded.
    EventRecorded {
        /// Its queue and number.
        event: ObservedEvent,
        /// Whether the host may wait for it.
        host_visible: bool,
    },
    /// A queue is about to be made to wait.
    EventWaitedFor {
        /// The queue that waits.
        queue: u8,
        /// The awaited event.
        event: ObservedEvent,
    },
    /// The host is about to wait for an event.
    EventSynchronized {
        /// The awaited event.
        event: ObservedEvent,
    },
    /// The host asked whether an event has happened.
    EventQueried {
        /// The queried event.
        event: ObservedEvent,
        /// The answer.
        has_happened: bool,
    },
    /// A trace has been begun.
    TraceBegun {
        /// The queue.
        queue: u8,
        /// Its id.
        trace: ObservedTrace,
    },
    /// A trace is about to be completed.
    TraceEnded {
        /// The queue.
        queue: u8,
        /// Its id.
        trace: ObservedTrace,
    },
    /// A trace is about to be replayed.
    TraceReplayed {
        /// The queue.
        queue: u8,
        /// Its id.
        trace: ObservedTrace,
        /// Whether the call waits.
        blocking: bool,
    },
    /// A trace's memory is about to be freed.
    TraceReleased {
        /// Its id.
        trace: ObservedTrace,
    },
    /// The call that this thread began last ended with an exception.
    CallThrew {
        /// The thread.
        thread: ThreadNumber,
        /// TT-Metalium's text.
        text: String,
    },
    /// The capture does not contain the following calls; objects are still observed. The recorder has waited
    /// for the device. The contents of buffers follow, unless the device has just been opened.
    CutBegun,
    /// The capture contains the following calls again. The recorder has waited for the device, and the contents
    /// of buffers follow.
    CutEnded,
    /// The content of a buffer at the beginning or the end of a cut.
    ContentsReadBack {
        /// The buffer.
        buffer: ObservedBuffer,
        /// All its bytes.
        data: Vec<u8>,
    },
    /// The recorder could not follow an action; the capture lacks it.
    Unfollowed {
        /// The action, as the subject of a sentence: "a global semaphore".
        what: String,
    },
    /// The process ended normally.
    ProcessEnded,
}

/// An event and its thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The thread.
    pub thread: ThreadNumber,
    /// The event.
    pub event: Event,
}

impl Event {
    /// The queue of the event.
    pub(crate) const fn queue(&self) -> Option<u8> {
        match self {
            Self::Written { transfer, .. } | Self::ReadBegun { transfer, .. } => {
                Some(transfer.queue)
            }
            Self::ProgramEnqueued(enqueued) => Some(enqueued.queue),
            Self::Finish { queue }
            | Self::EventWaitedFor { queue, .. }
            | Self::TraceBegun { queue, .. }
            | Self::TraceEnded { queue, .. }
            | Self::TraceReplayed { queue, .. } => Some(*queue),
            Self::EventRecorded { event, .. } => Some(event.queue),
            Self::LibraryLoaded(_)
            | Self::DeviceOpened(_)
            | Self::DeviceClosed { .. }
            | Self::BufferAllocated(_)
            | Self::BufferFreed { .. }
            | Self::ReadCompleted { .. }
            | Self::ProgramDescribed(_)
            | Self::BindingsGenerated { .. }
            | Self::ProgramDestroyed { .. }
            | Self::EventSynchronized { .. }
            | Self::EventQueried { .. }
            | Self::TraceReleased { .. }
            | Self::CallThrew { .. }
            | Self::CutBegun
            | Self::CutEnded
            | Self::ContentsReadBack { .. }
            | Self::Unfollowed { .. }
            | Self::ProcessEnded => None,
        }
    }

    /// Whether the event is the beginning of a call, which may still end with an exception.
    pub(crate) const fn is_begun_call(&self) -> bool {
        match self {
            Self::Written { .. }
            | Self::ReadBegun { .. }
            | Self::ProgramEnqueued(_)
            | Self::Finish { .. }
            | Self::EventWaitedFor { .. }
            | Self::EventSynchronized { .. }
            | Self::TraceEnded { .. }
            | Self::TraceReplayed { .. }
            | Self::TraceReleased { .. } => true,
            Self::LibraryLoaded(_)
            | Self::DeviceOpened(_)
            | Self::DeviceClosed { .. }
            | Self::BufferAllocated(_)
            | Self::BufferFreed { .. }
            | Self::ReadCompleted { .. }
            | Self::ProgramDescribed(_)
            | Self::BindingsGenerated { .. }
            | Self::ProgramDestroyed { .. }
            | Self::EventRecorded { .. }
            | Self::EventQueried { .. }
            | Self::TraceBegun { .. }
            | Self::CallThrew { .. }
            | Self::CutBegun
            | Self::CutEnded
            | Self::ContentsReadBack { .. }
            | Self::Unfollowed { .. }
            | Self::ProcessEnded => false,
        }
    }

    /// The queue that the call waits for.
    pub(crate) fn waits_for_queue(&self) -> Option<u8> {
        let blocks = match self {
            Self::Finish { .. } => true,
            Self::Written { transfer, .. } | Self::ReadBegun { transfer, .. } => transfer.blocking,
            Self::ProgramEnqueued(enqueued) => enqueued.blocking,
            Self::TraceReplayed { blocking, .. } => *blocking,
            Self::LibraryLoaded(_)
            | Self::DeviceOpened(_)
            | Self::DeviceClosed { .. }
            | Self::BufferAllocated(_)
            | Self::BufferFreed { .. }
            | Self::ReadCompleted { .. }
            | Self::ProgramDescribed(_)
            | Self::BindingsGenerated { .. }
            | Self::ProgramDestroyed { .. }
            | Self::EventRecorded { .. }
            | Self::EventWaitedFor { .. }
            | Self::EventSynchronized { .. }
            | Self::EventQueried { .. }
            | Self::TraceBegun { .. }
            | Self::TraceEnded { .. }
            | Self::TraceReleased { .. }
            | Self::CallThrew { .. }
            | Self::CutBegun
            | Self::CutEnded
            | Self::ContentsReadBack { .. }
            | Self::Unfollowed { .. }
            | Self::ProcessEnded => false,
        };
        self.queue().filter(|_| blocks)
    }
}
