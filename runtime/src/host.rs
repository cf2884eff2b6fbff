//! The host API: objects, the rules of each call, the addresses of what it makes, and the work that it
//! becomes. All of that is [`Host`] and needs no device.
//!
//! A [`Device`] is a host and the engine that its work is handed on to.

pub mod allocator;
mod argument_vectors;
mod arguments;
mod buffers;
mod call;
mod capture;
mod circular_buffer_layout;
mod circular_buffers;
mod common_arguments;
mod core_owners;
mod create;
mod device;
mod enqueue;
mod events;
mod hand_on;
mod objects;
mod open;
mod plain_numbers;
mod recordable;
mod refusals;
mod states;
mod tensor_accessor;
#[cfg(test)]
mod tests;
mod trace_files;
mod trace_states;
mod traces;
mod types;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hallmark_chip::{ChipDescription, L1BankOrder};
use hallmark_device_code::FirmwareBundle;
use hallmark_engine::addresses::Banks;
use hallmark_engine::queue::{Order, QUEUES};
use hallmark_engine::work::WorkItem;
use hallmark_engine::{CompletedRead, Stop};
use hallmark_schema::model::{
    CommandIndex, DeviceRequirements, DispatchMode, Grid, ObjectKind, TraceId,
};

pub use self::argument_vectors::Argument;
pub use self::buffers::ByteLocation;
pub use self::call::CallData;
pub use self::capture::CaptureGuard;
use self::core_owners::CoreOwners;
pub use self::device::{Device, LiveBuffer};
use self::events::EventState;
use self::objects::ObjectTable;
pub(crate) use self::open::recognise;
pub use self::open::{DeviceOptions, GridAsked, OpenError, TICK_BUDGET};
pub use self::refusals::refusals_of;
pub use self::states::semaphore_number;
use self::states::{
    BufferState, CircularBufferState, ImageCache, KernelState, ProgramState, SemaphoreState,
};
pub use self::tensor_accessor::TensorAccessorArgs;
pub use self::trace_files::{
    CollectedTrace, LoadTraceError, TraceBytesError, TraceDescription, UnplacedSymbol,
};
use self::trace_states::{Collection, TraceState};
pub use self::types::{
    Buffer, BufferConfig, CircularBuffer, CircularBufferConfig, CommandQueue, Event, Kernel,
    KernelDescription, Program, Read, Semaphore, SemaphoreConfig, Trace, WriteData,
};
use crate::host::allocator::BankAllocator;
use crate::kernel_library::KernelLibrary;
use crate::recorder::Recorder;

/// What is known of an open device without asking it, and the rules by which calls become work.
pub(crate) struct Host {
    name: String,
    description: &'static ChipDescription,
    /// The cores that host programs may use.
    grid: Grid,
    asked: GridAsked,
    pci_id: u32,
    firmware: Arc<FirmwareBundle>,
    library: Box<dyn KernelLibrary>,
    /// Who launches programs: a record says it, and no rule depends on it.
    dispatch: DispatchMode,
    /// What was asked of the device beyond what calls say: a record says it.
    requirements: DeviceRequirements,
    num_command_queues: u8,
    trace_region_size: u64,
    l1_small_size: u64,
    worker_l1_size: u64,
    /// Where markers begin in each DRAM bank, if firmware writes some.
    markers_start: Option<u64>,
    pub(crate) objects: Objects,
    dram: BankAllocator,
    l1: BankAllocator,
    /// The region at the top of each L1.
    l1_small: BankAllocator,
    /// Where circular buffers begin in each L1.
    l1_base: u64,
    banks: Arc<Banks>,
    l1_bank_order: L1BankOrder,
    images: ImageCache,
    /// What is ordered between the queues.
    order: Order,
    /// Which queue uses which core.
    owners: CoreOwners,
    /// How many numbers each queue has given to events.
    event_numbers: [u32; QUEUES],
    /// The trace that each queue records.
    tracing: [Option<TraceId>; QUEUES],
    reads: BTreeMap<CommandIndex, CompletedRead>,
    outputs: BTreeSet<String>,
    /// Traces as bytes, by the names that they were collected under.
    collected: BTreeMap<String, Arc<Collection>>,
    /// Those names, and those of calls that failed.
    collected_names: BTreeSet<String>,
    /// What calls have become, and has not been handed on yet.
    work: Vec<WorkItem>,
    pub(crate) stop: Option<Stop>,
    next_command: u32,
    /// Whether an address or coordinate was handed out as a plain number.
    placement_bound: bool,
    pub(crate) recorder: Recorder,
}

/// Everything that host programs made.
#[derive(Debug)]
pub(crate) struct Objects {
    buffers: ObjectTable<BufferState>,
    programs: ObjectTable<ProgramState>,
    kernels: ObjectTable<KernelState>,
    circular_buffers: ObjectTable<CircularBufferState>,
    semaphores: ObjectTable<SemaphoreState>,
    events: ObjectTable<EventState>,
    traces: ObjectTable<TraceState>,
}

impl Objects {
    /// The id that the next creation of a kind takes: as many were given out, failed creations included.
    pub(crate) fn next(&self, kind: ObjectKind) -> u32 {
        match kind {
            ObjectKind::Buffer => self.buffers.next(),
            ObjectKind::Program => self.programs.next(),
            ObjectKind::Kernel => self.kernels.next(),
            ObjectKind::CircularBuffer => self.circular_buffers.next(),
            ObjectKind::Semaphore => self.semaphores.next(),
            ObjectKind::Event => self.events.next(),
            ObjectKind::Trace => self.traces.next(),
        }
    }
}
