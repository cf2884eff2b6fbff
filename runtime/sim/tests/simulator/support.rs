//! What the tests of the simulator share: a bench around the device.

use hallmark_chip::*;
use hallmark_sim::{HostMemory, SimulatedDevice, SimulatorOptions};

pub(crate) const BRISC: u32 = 0x800;
pub(crate) const NCRISC: u32 = 0x4_0000;
pub(crate) const TRISC0: u32 = 0x1000;
pub(crate) const TRISC1: u32 = 0x2000;
pub(crate) const ALL_CORES: u32 = 0x4_7800;

/// A host without memory for the chip.
pub(crate) struct NoHost;

impl HostMemory for NoHost {
    fn read(&mut self, _: u64, _: &mut [u8]) -> bool {
        false
    }

    fn write(&mut self, _: u64, _: &[u8]) -> bool {
        false
    }
}

pub(crate) struct Bench {
    pub(crate) device: SimulatedDevice,
    window: WindowId,
}

pub(crate) fn tile(x: u8, y: u8) -> NocCoordinate {
    NocCoordinate { x, y }
}

/// The physical tile of a translated Tensix coordinate.
pub(crate) fn physical(at: NocCoordinate) -> PhysicalCoordinate {
    let description = ChipDescription::of(Architecture::WormholeB0);
    let core = LogicalCore { x: u32::from(at.x) - 18, y: u32::from(at.y) - 18 };
    description.physical(core).unwrap()
}

fn racing(schedule_seed: u64) -> SimulatorOptions {
    SimulatorOptions { allow_races: true, ..SimulatorOptions::with_schedule_seed(schedule_seed) }
}

impl Bench {
    pub(crate) fn new() -> Self {
        Self::seeded(0)
    }

    pub(crate) fn seeded(seed: u64) -> Self {
        Self::with(SimulatorOptions::with_schedule_seed(seed))
    }

    /// A chip whose programs may race.
    pub(crate) fn racing(seed: u64) -> Self {
        Self::with(racing(seed))
    }

    pub(crate) fn racing_on(architecture: Architecture, seed: u64) -> Self {
        Self::on(architecture, racing(seed))
    }

    pub(crate) fn with(options: SimulatorOptions) -> Self {
        let mut bench = Self::on(Architecture::WormholeB0, options);
        bench.aim(tile(18, 18), 0);
        bench
    }

    /// Another chip. Its window points nowhere yet.
    pub(crate) fn of(architecture: Architecture, seed: u64) -> Self {
        Self::on(architecture, SimulatorOptions::with_schedule_seed(seed))
    }

    /// A chip with rows or columns fused off. Its window points nowhere yet.
    pub(crate) fn harvested(architecture: Architecture, mask: u32) -> Self {
        let harvesting = HarvestingMask(mask);
        Self::on(architecture, SimulatorOptions { harvesting, ..SimulatorOptions::default() })
    }

    fn on(architecture: Architecture, options: SimulatorOptions) -> Self {
        let mut device = SimulatedDevice::new(architecture, options).unwrap();
        let window = device.allocate_window(1 << 24).unwrap();
        Self { device, window }
    }

    fn aim(&mut self, at: NocCoordinate, address: u64) -> u64 {
        let inside = self.device.window_size(self.window).unwrap() - 1;
        let target = WindowTarget {
            end: at,
            multicast_start: None,
            noc: Noc::Noc0,
            address: TileAddress(address & !inside),
            order: WindowOrder::Strict,
        };
        self.device.configure_window(self.window, &target).unwrap();
        address & inside
    }

    pub(crate) fn try_write(
        &mut self,
        at: NocCoordinate,
        address: u64,
        bytes: &[u8],
    ) -> Result<(), DeviceError> {
        let offset = self.aim(at, address);
        self.device.window_write(self.window, offset, bytes)
    }

    pub(crate) fn try_read(
        &mut self,
        at: NocCoordinate,
        address: u64,
        length: usize,
    ) -> Result<Vec<u8>, DeviceError> {
        let offset = self.aim(at, address);
        let mut buffer = vec![0; length];
        self.device.window_read(self.window, offset, &mut buffer)?;
        Ok(buffer)
    }

    pub(crate) fn write(&mut self, at: NocCoordinate, address: u64, bytes: &[u8]) {
        self.try_write(at, address, bytes).unwrap();
    }

    pub(crate) fn read(&mut self, at: NocCoordinate, address: u64, length: usize) -> Vec<u8> {
        self.try_read(at, address, length).unwrap()
    }

    pub(crate) fn write_word(&mut self, at: NocCoordinate, address: u64, value: u32) {
        self.write(at, address, &value.to_le_bytes());
    }

    pub(crate) fn word(&mut self, at: NocCoordinate, address: u64) -> u32 {
        u32::from_le_bytes(self.read(at, address, 4).try_into().unwrap())
    }

    pub(crate) fn load(&mut self, at: NocCoordinate, address: u64, program: &[u32]) {
        let bytes: Vec<u8> = program.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.write(at, address, &bytes);
    }

    /// Zeroes the part of L1 that programs of the tests keep data in: what they wait for must have been
    /// written by somebody.
    pub(crate) fn clear(&mut self, at: NocCoordinate) {
        self.write(at, 0x2000, &[0; 0x4000]);
    }

    /// Releases these cores and holds all others.
    pub(crate) fn release(&mut self, at: NocCoordinate, cores: u32) {
        self.write_word(at, 0xFFB1_21B0, ALL_CORES & !cores);
    }

    /// Advances until nothing can happen any more.
    pub(crate) fn settle(&mut self) -> Result<Vec<Waiting>, DeviceError> {
        for _ in 0..10_000 {
            if let Advance::Quiescent(waiting) = self.device.advance(1000)? {
                return Ok(waiting);
            }
        }
        panic!("still running after 10 million ticks");
    }

    /// A read that should not work any more.
    pub(crate) fn try_fault(&mut self) -> Result<(), DeviceError> {
        self.device.window_read(self.window, 0, &mut [0; 4])
    }

    /// Runs until a fault.
    pub(crate) fn fault(&mut self) -> Fault {
        match self.settle() {
            Err(DeviceError::Fault(fault)) => *fault,
            other => panic!("no fault but {other:?}"),
        }
    }
}
