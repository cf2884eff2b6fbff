//! An open device: the parts of the host, and the backend that its work is handed on to.

use hallmark_chip::{
    Capabilities, ChipDescription, DeviceError, KernelRuns, LogicalCore, PhysicalCoordinate,
    TileAddress,
};
use hallmark_device_code::FirmwareBundle;
use hallmark_engine::{
    BufferBytes, Engine, LastWrite, LaunchProfile, PlannedLaunch, QueuesProfile, Stop,
};
use hallmark_schema::model::{
    BufferId, CommandIndex, CommandKind, Grid, ObjectKind, Printed, QueueId,
};

use super::backend::{Backend, ReadsOfWork, Recording};
use super::call_log::CallLog;
use super::kernel_builds::KernelBuilds;
use super::live_buffers::Buffers;
use super::opened::Opened;
use super::options::GridAsked;
use super::programs::Programs;
use super::queues::Queues;
use super::reads::Reads;
use super::trace_table::Traces;
use super::types::ByteLocation;
use super::waiting::wait_for_queue;
use crate::error::{CallError, CallWarning};
use crate::kernel_library::KernelLibrary;
use crate::recorder::CaptureError;

/// An open device. Driven by one host thread.
///
/// Ids of buffers, programs, kernels, circular buffers and semaphores count the calls that create
/// them from 0, whether those succeed or not.
pub struct Device {
    pub(super) host: Host,
    pub(super) backend: Backend,
}

/// Everything that is known of an open device without asking it. Each part owns its fields; the rules of a call
/// are functions over the parts that the call touches.
pub(super) struct Host {
    pub(super) opened: Opened,
    pub(super) buffers: Buffers,
    pub(super) programs: Programs,
    pub(super) builds: KernelBuilds,
    pub(super) queues: Queues,
    pub(super) traces: Traces,
    pub(super) reads: Reads,
    pub(super) calls: CallLog,
}

impl Host {
    pub(super) fn new(opened: Opened, library: Box<dyn KernelLibrary>) -> Self {
        Self {
            buffers: Buffers::new(&opened),
            programs: Programs::new(),
            builds: KernelBuilds::new(library),
            queues: Queues::new(opened.num_command_queues()),
            traces: Traces::new(opened.trace_region_size()),
            reads: Reads::default(),
            calls: CallLog::default(),
            opened,
        }
    }

    /// The id that the next creation of a kind takes: as many were given out, failed creations included.
    pub(super) fn next_id(&self, kind: ObjectKind) -> u32 {
        match kind {
            ObjectKind::Buffer => self.buffers.next(),
            ObjectKind::Program => self.programs.next_program(),
            ObjectKind::Kernel => self.programs.next_kernel(),
            ObjectKind::CircularBuffer => self.programs.next_circular_buffer(),
            ObjectKind::Semaphore => self.programs.next_semaphore(),
            ObjectKind::Event => self.queues.next_event(),
            ObjectKind::Trace => self.traces.next(),
        }
    }
}

impl std::fmt::Debug for Device {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Device")
            .field("name", &self.host.opened.name())
            .field("grid", &self.host.opened.grid())
            .field("firmware", &self.host.opened.firmware().manifest().name)
            .finish_non_exhaustive()
    }
}

/// A buffer with memory of its own, and so no view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiveBuffer {
    /// Its id, by which calls name it.
    pub buffer: BufferId,
    /// The name that the host program gave it.
    pub name: String,
    /// Its size in bytes.
    pub size: u64,
    /// The size of a page in bytes.
    pub page_size: u64,
}

impl Device {
    /// Puts every core that was started back into reset and gives the device up.
    ///
    /// # Errors
    /// The device's, if it does not take the writes; a lost device is left as it is.
    pub fn close(mut self) -> Result<(), DeviceError> {
        match self.backend {
            Backend::Engine(engine) if self.host.queues.stop().is_none() => {
                let Host { calls, reads, .. } = &mut self.host;
                engine.close(&mut Recording::new(calls.recorder(), reads, ReadsOfWork::Returned))
            }
            Backend::Engine(_) | Backend::Model(_) => Ok(()),
        }
    }

    /// The device that was opened, as users write it.
    pub fn name(&self) -> &str {
        self.host.opened.name()
    }

    /// The chip.
    pub const fn description(&self) -> &'static ChipDescription {
        self.host.opened.description()
    }

    /// The faults and waits that the device can notice.
    pub fn capabilities(&self) -> Capabilities {
        self.backend.engine().map_or_else(Capabilities::default, Engine::capabilities)
    }

    /// Whether programs were right so far only because an atomic arrived behind a write of the same core, NoC and virtual
    /// channel, which the chip's documents do not promise. `false` if the device does not know.
    pub fn relies_on_atomics_behind_writes(&self) -> bool {
        self.backend.engine().is_some_and(Engine::relies_on_atomics_behind_writes)
    }

    /// The kernels that have run so far, by what the device judged them by. All 0 if the device judges none.
    pub fn kernel_runs(&self) -> KernelRuns {
        self.backend.engine().map_or_else(KernelRuns::default, Engine::kernel_runs)
    }

    /// Gives each piece of what kernels print to a listener, as it comes, beside [`Self::take_printed`].
    pub fn listen_to_prints(&mut self, sink: impl FnMut(&Printed) + 'static) {
        if let Some(engine) = self.backend.engine_mut() {
            engine.listen_to_prints(Box::new(sink));
        }
    }

    /// What kernels have printed and was not taken before: `DPRINT` of `api/debug/dprint.h`. A capture takes it at its
    /// beginning, to drop it, and at its end, for the record.
    pub fn take_printed(&mut self) -> Vec<Printed> {
        self.backend.engine_mut().map_or_else(Vec::new, Engine::take_printed)
    }

    /// The cores that host programs may use.
    pub const fn grid(&self) -> Grid {
        self.host.opened.grid()
    }

    /// The grid with which the device was opened.
    pub const fn grid_asked(&self) -> GridAsked {
        self.host.opened.grid_asked()
    }

    /// Its command queues.
    pub const fn num_command_queues(&self) -> u8 {
        self.host.opened.num_command_queues()
    }

    /// Bytes at the top of every DRAM bank that are set aside for traces.
    pub const fn trace_region_size(&self) -> u64 {
        self.host.opened.trace_region_size()
    }

    /// The firmware that it runs.
    pub fn firmware(&self) -> &FirmwareBundle {
        self.host.opened.firmware()
    }

    /// The stop by which the device was lost, if it was.
    pub const fn stop(&self) -> Option<&Stop> {
        self.host.queues.stop()
    }

    /// The place of the next call among the calls, counted from 0 since the device was opened or the
    /// capture was begun.
    pub const fn next_command(&self) -> CommandIndex {
        self.host.calls.next_command()
    }

    /// Reads L1 of a core's tile, for reports and tests: no call of the host API, never recorded.
    ///
    /// # Errors
    /// The device's. A core outside the chip is a [`DeviceError::BadAccess`].
    pub fn inspect_l1(
        &mut self,
        core: LogicalCore,
        address: TileAddress,
        buffer: &mut [u8],
    ) -> Result<(), DeviceError> {
        match &mut self.backend {
            Backend::Engine(engine) => engine.read_l1(core, address, buffer),
            Backend::Model(_) => Err(self.has_no("L1")),
        }
    }

    /// The memory of tiles that the enqueued programs will use which have not run yet, as if no program had
    /// run before them.
    pub fn planned_launches(&self) -> Vec<PlannedLaunch> {
        self.backend.engine().map(Engine::planned_launches).unwrap_or_default()
    }

    /// The buffers that are allocated, without views.
    pub fn live_buffers(&self) -> Vec<LiveBuffer> {
        let live = self.host.buffers.live().filter(|(_, state)| state.root.is_none());
        let live = live.map(|(id, state)| LiveBuffer {
            buffer: id,
            name: state.name.clone(),
            size: state.extent.size(),
            page_size: state.extent.page_size,
        });
        live.collect()
    }

    /// Whether all enqueued work is done, events apart, so that memory does not change before the next call.
    pub fn is_settled(&self) -> bool {
        self.backend.engine().is_none_or(Engine::is_settled)
    }

    /// Reads all of a buffer, for comparisons; `None` if it is not allocated, or larger than the host's
    /// memory. No call of the host API, never recorded.
    ///
    /// # Errors
    /// The device's.
    pub fn inspect_buffer(&mut self, buffer: BufferId) -> Result<Option<BufferBytes>, DeviceError> {
        let Ok(state) = self.host.buffers.get_alone(buffer) else { return Ok(None) };
        match &mut self.backend {
            Backend::Engine(engine) => engine.inspect(&state.extent),
            Backend::Model(_) => Err(self.has_no("memory")),
        }
    }

    /// Watches the writes to one byte of a buffer from now on, and to no other byte. False if the device cannot
    /// watch, or the buffer has no such byte. No call of the host API, never recorded.
    pub fn watch_byte(&mut self, buffer: BufferId, byte: u64) -> bool {
        let Ok(state) = self.host.buffers.get_alone(buffer) else { return false };
        let location = self.host.opened.location(&state.extent, byte);
        match (&mut self.backend, location) {
            (Backend::Engine(engine), Some(ByteLocation { tile, address, .. })) => {
                engine.watch(tile, TileAddress(address))
            }
            (Backend::Engine(_) | Backend::Model(_), _) => false,
        }
    }

    /// Watches the writes to one byte of a tile's memory from now on, and to no other byte. False if the device
    /// cannot watch.
    pub fn watch_memory(&mut self, tile: PhysicalCoordinate, address: TileAddress) -> bool {
        match &mut self.backend {
            Backend::Engine(engine) => engine.watch(tile, address),
            Backend::Model(_) => false,
        }
    }

    /// Profiles launches from now on. False if their time cannot be measured: firmware has no markers, and the device
    /// does not report the activity of its cores. Programs that a dispatcher launches with a trace are measured by
    /// markers alone. No call of the host API, never recorded.
    pub fn profile(&mut self) -> bool {
        match &mut self.backend {
            Backend::Engine(engine) => engine.profile(),
            Backend::Model(_) => false,
        }
    }

    /// The activity of dispatchers since the last call of this function.
    pub fn take_queues_profile(&mut self) -> QueuesProfile {
        match &mut self.backend {
            Backend::Engine(engine) => engine.take_queues_profile(),
            Backend::Model(_) => QueuesProfile::default(),
        }
    }

    /// The profiles of the launches since the last call of this function, in the order of their ends.
    pub fn take_launches(&mut self) -> Vec<LaunchProfile> {
        match &mut self.backend {
            Backend::Engine(engine) => engine.take_launches(self.host.queues.stop().is_some()),
            Backend::Model(_) => Vec::new(),
        }
    }

    /// The writes to the watched byte since the last call of this function, in their order.
    pub fn take_writes(&mut self) -> Vec<LastWrite> {
        match &mut self.backend {
            Backend::Engine(engine) => engine.take_writes(),
            Backend::Model(_) => Vec::new(),
        }
    }

    /// What calls since the last call of this function may have done wrong, in their order.
    pub fn take_warnings(&mut self) -> Vec<CallWarning> {
        self.host.calls.take_warnings()
    }

    /// The error of asking a modelled chip for something that only a chip has.
    fn has_no(&self, what: &'static str) -> DeviceError {
        DeviceError::NotAvailable { device: self.name().to_owned(), what }
    }

    /// Hands the work of the calls so far on.
    pub(super) fn hand_on(&mut self) {
        self.backend.take_work(&mut self.host.queues);
    }

    /// Has all work done that was enqueued on a queue.
    pub(super) fn wait_for_queue(
        &mut self,
        queue: QueueId,
        index: CommandIndex,
        call: CommandKind,
    ) -> Result<(), CallError> {
        let Host { queues, reads, calls, .. } = &mut self.host;
        wait_for_queue(&mut self.backend, queues, reads, calls, queue, index, call)
    }

    /// Waits for the queue of a blocking call.
    pub(super) fn wait_if(
        &mut self,
        blocking: bool,
        queue: QueueId,
        index: CommandIndex,
        call: CommandKind,
    ) -> Result<(), CallError> {
        if blocking { self.wait_for_queue(queue, index, call) } else { Ok(()) }
    }

    /// Loses a modelled chip as a capture says that its device was lost, unless it is lost already.
    pub(crate) fn lose_as_captured(&mut self, stop: impl FnOnce() -> Stop) {
        if self.host.queues.stop().is_none() {
            self.host.queues.lose(stop());
        }
    }

    /// Marks the capture under way as bound to its place, as the replayed capture is.
    pub(crate) fn mark_capture_placement_bound(&mut self) -> Result<(), CaptureError> {
        self.host.calls.recorder().placement_bound()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use hallmark_chip::{Architecture, ChipDescription};
    use hallmark_schema::model::{BufferType, Expectation};

    use super::*;
    use crate::{BufferConfig, CommandQueue, DeviceOptions, NoKernels};

    #[test]
    fn calls_on_a_modelled_chip_are_checked_and_placed_and_nothing_is_done() {
        let firmware = FirmwareBundle::builtin(Architecture::WormholeB0).unwrap();
        let options = DeviceOptions::new(Arc::new(firmware), Box::new(NoKernels));
        let chip = ChipDescription::of(Architecture::WormholeB0);
        let mut device = Device::modelled(chip, options).unwrap();
        let config = BufferConfig::interleaved("b", BufferType::Dram, 64, 32);
        let buffer = device.create_buffer(&config).unwrap();
        let queue = CommandQueue::FIRST;
        assert!(device.locate(buffer, 0).unwrap().is_some());
        assert!(device.enqueue_write_buffer(queue, buffer, &[1; 63][..], true).is_err());
        device.enqueue_write_buffer(queue, buffer, &[1; 64][..], true).unwrap();
        let read = device.enqueue_read_buffer(queue, buffer, "out", Expectation::AsCaptured, true);
        assert_eq!(device.take_read(read.unwrap()), None);
        assert!(device.is_settled());
        let asked = device.inspect_buffer(buffer.id());
        assert!(matches!(asked, Err(DeviceError::NotAvailable { .. })), "{asked:?}");
        device.close().unwrap();
    }
}
