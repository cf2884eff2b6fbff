//! An open device: a host, and the engine that its work is handed on to.

use hallmark_chip::{
    Capabilities, ChipDescription, DeviceError, LogicalCore, PhysicalCoordinate, TileAddress,
};
use hallmark_device_code::FirmwareBundle;
use hallmark_engine::queue::ModelledQueues;
use hallmark_engine::{
    BufferBytes, Engine, LastWrite, LaunchProfile, PlannedLaunch, QueuesProfile, Stop,
};
use hallmark_schema::model::{BufferId, CommandIndex, Grid};

use super::hand_on::Recording;
use super::{ByteLocation, GridAsked, Host};

/// An open device. Driven by one host thread.
///
/// Ids of buffers, programs, kernels, circular buffers and semaphores count the calls that create
/// them from 0, whether those succeed or not.
pub struct Device {
    pub(crate) host: Host,
    pub(super) backend: Backend,
}

/// What the work of a host is handed on to.
pub(super) enum Backend {
    /// A chip does the work.
    Engine(Box<Engine>),
    /// Nobody does the work: the chip is only modelled.
    Model(ModelledQueues),
}

impl std::fmt::Debug for Device {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Device")
            .field("name", &self.host.name)
            .field("grid", &self.host.grid)
            .field("firmware", &self.host.firmware.manifest().name)
            .finish_non_exhaustive()
    }
}

/// A buffer that has memory of its own: no view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiveBuffer {
    /// Its id, by which calls name it.
    pub buffer: BufferId,
    /// What the host program called it.
    pub name: String,
    /// How many bytes it has.
    pub size: u64,
    /// How many bytes each of its pages has.
    pub page_size: u64,
}

impl Device {
    /// Puts every core that was started back into reset and gives the device up.
    ///
    /// # Errors
    /// The device's, if it does not take the writes; a lost device is left as it is.
    pub fn close(mut self) -> Result<(), DeviceError> {
        match self.backend {
            Backend::Engine(engine) if self.host.stop.is_none() => {
                engine.close(&mut Recording::new(&mut self.host.recorder, &mut self.host.reads))
            }
            Backend::Engine(_) | Backend::Model(_) => Ok(()),
        }
    }

    /// What does the work of the device, unless its chip is only modelled.
    fn engine(&self) -> Option<&Engine> {
        match &self.backend {
            Backend::Engine(engine) => Some(engine),
            Backend::Model(_) => None,
        }
    }

    /// What was opened.
    pub fn name(&self) -> &str {
        &self.host.name
    }

    /// The chip.
    pub const fn description(&self) -> &'static ChipDescription {
        self.host.description
    }

    /// What the device can notice.
    pub fn capabilities(&self) -> Capabilities {
        self.engine().map_or_else(Capabilities::default, Engine::capabilities)
    }

    /// The cores that host programs may use.
    pub const fn grid(&self) -> Grid {
        self.host.grid
    }

    /// What the device was opened with.
    pub const fn grid_asked(&self) -> GridAsked {
        self.host.asked
    }

    /// Its command queues.
    pub const fn num_command_queues(&self) -> u8 {
        self.host.num_command_queues
    }

    /// Bytes at the top of every DRAM bank that are set aside for traces.
    pub const fn trace_region_size(&self) -> u64 {
        self.host.trace_region_size
    }

    /// The firmware that it runs.
    pub fn firmware(&self) -> &FirmwareBundle {
        &self.host.firmware
    }

    /// Why the device is lost, if it is.
    pub const fn stop(&self) -> Option<&Stop> {
        self.host.stop.as_ref()
    }

    /// The place of the next call among the calls, counted from 0 since the device was opened or the
    /// capture was begun.
    pub const fn next_command(&self) -> CommandIndex {
        CommandIndex(self.host.next_command)
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
            Backend::Model(_) => Err(self.host.has_no("L1")),
        }
    }

    /// Where the programs that are enqueued and have not run yet will put everything on their tiles, as
    /// if no program had run before them.
    pub fn planned_launches(&self) -> Vec<PlannedLaunch> {
        self.engine().map(Engine::planned_launches).unwrap_or_default()
    }

    /// The buffers that are allocated, without views.
    pub fn live_buffers(&self) -> Vec<LiveBuffer> {
        let live = self.host.objects.buffers.live().filter(|(_, state)| state.root.is_none());
        let live = live.map(|(id, state)| LiveBuffer {
            buffer: BufferId(id),
            name: state.name.clone(),
            size: state.extent.size(),
            page_size: state.extent.page_size,
        });
        live.collect()
    }

    /// Whether all that was enqueued is done, events apart, so that nothing changes memory before the next call.
    pub fn is_settled(&self) -> bool {
        self.engine().is_none_or(Engine::is_settled)
    }

    /// Reads all of a buffer, for comparisons; `None` if it is not allocated, or larger than the host's
    /// memory. No call of the host API, never recorded.
    ///
    /// # Errors
    /// The device's.
    pub fn inspect_buffer(&mut self, buffer: BufferId) -> Result<Option<BufferBytes>, DeviceError> {
        let Ok(state) = self.host.objects.buffers.get(buffer.0) else { return Ok(None) };
        match &mut self.backend {
            Backend::Engine(engine) => engine.inspect(&state.extent),
            Backend::Model(_) => Err(self.host.has_no("memory")),
        }
    }

    /// Watches who writes a byte of a buffer from now on, and no other byte. False if the device cannot tell, or the
    /// buffer has no such byte. No call of the host API, never recorded.
    pub fn watch_byte(&mut self, buffer: BufferId, byte: u64) -> bool {
        let Ok(state) = self.host.objects.buffers.get(buffer.0) else { return false };
        let location = self.host.location(&state.extent, byte);
        match (&mut self.backend, location) {
            (Backend::Engine(engine), Some(ByteLocation { tile, address, .. })) => {
                engine.watch(tile, TileAddress(address))
            }
            (Backend::Engine(_) | Backend::Model(_), _) => false,
        }
    }

    /// Watches who writes a byte of a tile's memory from now on, and no other byte. False if the device cannot tell.
    pub fn watch_memory(&mut self, tile: PhysicalCoordinate, address: TileAddress) -> bool {
        match &mut self.backend {
            Backend::Engine(engine) => engine.watch(tile, address),
            Backend::Model(_) => false,
        }
    }

    /// Profiles launches from now on. False if nobody tells what they take: firmware has no markers, and the device cannot
    /// tell what its cores do. Of programs that a dispatcher launches with a trace, markers alone tell. No call of the host API, never recorded.
    pub fn profile(&mut self) -> bool {
        match &mut self.backend {
            Backend::Engine(engine) => engine.profile(),
            Backend::Model(_) => false,
        }
    }

    /// What dispatchers did and were given that was not taken before.
    pub fn take_queues_profile(&mut self) -> QueuesProfile {
        match &mut self.backend {
            Backend::Engine(engine) => engine.take_queues_profile(),
            Backend::Model(_) => QueuesProfile::default(),
        }
    }

    /// What the launches took that were not taken before, in the order of their ends.
    pub fn take_launches(&mut self) -> Vec<LaunchProfile> {
        match &mut self.backend {
            Backend::Engine(engine) => engine.take_launches(self.host.stop.is_some()),
            Backend::Model(_) => Vec::new(),
        }
    }

    /// The writes to the byte that is watched, those that were not taken before, in their order.
    pub fn take_writes(&mut self) -> Vec<LastWrite> {
        match &mut self.backend {
            Backend::Engine(engine) => engine.take_writes(),
            Backend::Model(_) => Vec::new(),
        }
    }
}

impl Host {
    /// What is asked of the chip itself, and there is none.
    fn has_no(&self, what: &'static str) -> DeviceError {
        DeviceError::NotAvailable { device: self.name.clone(), what }
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
