//! What the recorder observes, in the order in which the command's process did it.
//!
//! Numbers are TT-Metalium's own: its enumerations are kept as it has them, its objects by the ids that it gives them.

mod observed;

pub use observed::{
    BufferAllocated, CircularBufferState, ComputeOptions, ConfiguredIndex, CoreWords,
    DataMovementOptions, DataflowBuffer, DeviceOpened, KernelArguments, KernelDescription,
    KernelOptions, KernelText, LibraryLoaded, ObservedBuffer, ObservedEvent, ObservedProgram,
    ObservedTile, ObservedTrace, ProgramDescription, ProgramEnqueued, SemaphoreDescription,
    Sharding, ThreadNumber, Transfer,
};

/// An observation. Calls are written before they are made; what a call made or returned, after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// The command has loaded TT-Metalium.
    LibraryLoaded(LibraryLoaded),
    /// A device is open.
    DeviceOpened(DeviceOpened),
    /// A device was closed.
    DeviceClosed {
        /// Which.
        device: u32,
    },
    /// A buffer has been made.
    BufferAllocated(BufferAllocated),
    /// A buffer's memory is free.
    BufferFreed {
        /// Which.
        buffer: ObservedBuffer,
    },
    /// Data is about to be written.
    Written {
        /// To what.
        transfer: Transfer,
        /// The data, in the order of the buffer's bytes.
        data: Vec<u8>,
    },
    /// A read is about to be enqueued.
    ReadBegun {
        /// Counts the reads of the recording, from 0.
        read: u32,
        /// From what.
        transfer: Transfer,
    },
    /// The bytes of a read have arrived.
    ReadCompleted {
        /// Which read.
        read: u32,
        /// What it returned.
        data: Vec<u8>,
    },
    /// What of a program stays.
    ProgramDescribed(ProgramDescription),
    /// A kernel has been built, with bindings that TT-Metalium generated for it.
    BindingsGenerated {
        /// The program.
        program: ObservedProgram,
        /// The handle of the kernel in the program.
        kernel: u32,
        /// What goes in front of the kernel's source.
        text: Vec<u8>,
    },
    /// A program is about to be enqueued.
    ProgramEnqueued(ProgramEnqueued),
    /// A program is gone.
    ProgramDestroyed {
        /// Which.
        program: ObservedProgram,
    },
    /// The host is about to wait for a queue.
    Finish {
        /// Which.
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
        /// What it waits for.
        event: ObservedEvent,
    },
    /// The host is about to wait for an event.
    EventSynchronized {
        /// What for.
        event: ObservedEvent,
    },
    /// The host asked whether an event has happened.
    EventQueried {
        /// What it asked about.
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
    /// The last call that was begun by this thread ended with an exception.
    CallThrew {
        /// The thread.
        thread: ThreadNumber,
        /// TT-Metalium's text.
        text: String,
    },
    /// What follows is not wanted in the capture: objects are still observed. The recorder has waited for the device;
    /// what buffers hold follows, unless the device has just been opened.
    CutBegun,
    /// What follows is wanted again. The recorder has waited for the device; what buffers hold follows.
    CutEnded,
    /// What a buffer held when a cut began or ended.
    ContentsReadBack {
        /// Which.
        buffer: ObservedBuffer,
        /// All its bytes.
        data: Vec<u8>,
    },
    /// The recorder could not follow something; the capture lacks it.
    Unfollowed {
        /// What, as a sentence's subject: "a global semaphore".
        what: String,
    },
    /// The process ended in its own time.
    ProcessEnded,
}

/// An event, and the thread that it happened on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The thread.
    pub thread: ThreadNumber,
    /// What happened.
    pub event: Event,
}

impl Event {
    /// The queue that it happened on.
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

    /// Whether it is a call that has begun, which may yet end with an exception.
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
