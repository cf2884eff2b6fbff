//! What the tests of the simulator share: an assembler of a few lines and a bench around the device.

#![allow(dead_code, unreachable_pub, reason = "each test binary uses its own part of this")]

pub mod assembler;

use hallmark_chip::*;
use hallmark_sim::{SimulatedDevice, SimulatorOptions};

pub const BRISC: u32 = 0x800;
pub const NCRISC: u32 = 0x4_0000;
pub const TRISC0: u32 = 0x1000;
pub const TRISC1: u32 = 0x2000;
pub const TRISC2: u32 = 0x4000;
pub const ALL_CORES: u32 = 0x4_7800;

pub struct Bench {
    pub device: SimulatedDevice,
    window: WindowId,
}

pub fn tile(x: u8, y: u8) -> NocCoordinate {
    NocCoordinate { x, y }
}

/// The physical tile of a translated Tensix coordinate.
pub fn physical(at: NocCoordinate) -> PhysicalCoordinate {
    let description = ChipDescription::of(Architecture::WormholeB0).unwrap();
    let core = LogicalCore { x: u32::from(at.x) - 18, y: u32::from(at.y) - 18 };
    description.physical(core).unwrap()
}

impl Bench {
    pub fn new() -> Self {
        Self::seeded(0)
    }

    pub fn seeded(seed: u64) -> Self {
        let options = SimulatorOptions::with_schedule_seed(seed);
        let mut device = SimulatedDevice::new(Architecture::WormholeB0, options).unwrap();
        let window = device.allocate_window(1 << 24).unwrap();
        Self { device, window }
    }

    pub fn aim(&mut self, at: NocCoordinate, address: u64) -> u64 {
        let target = WindowTarget {
            end: at,
            multicast_start: None,
            noc: Noc::Noc0,
            address: TileAddress(address & !0xFF_FFFF),
            order: WindowOrder::Strict,
        };
        self.device.configure_window(self.window, &target).unwrap();
        address & 0xFF_FFFF
    }

    pub fn try_write(
        &mut self,
        at: NocCoordinate,
        address: u64,
        bytes: &[u8],
    ) -> Result<(), DeviceError> {
        let offset = self.aim(at, address);
        self.device.window_write(self.window, offset, bytes)
    }

    pub fn try_read(
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

    pub fn write(&mut self, at: NocCoordinate, address: u64, bytes: &[u8]) {
        self.try_write(at, address, bytes).unwrap();
    }

    pub fn read(&mut self, at: NocCoordinate, address: u64, length: usize) -> Vec<u8> {
        self.try_read(at, address, length).unwrap()
    }

    pub fn write_word(&mut self, at: NocCoordinate, address: u64, value: u32) {
        self.write(at, address, &value.to_le_bytes());
    }

    pub fn word(&mut self, at: NocCoordinate, address: u64) -> u32 {
        u32::from_le_bytes(self.read(at, address, 4).try_into().unwrap())
    }

    pub fn load(&mut self, at: NocCoordinate, address: u64, program: &[u32]) {
        let bytes: Vec<u8> = program.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.write(at, address, &bytes);
    }

    /// Releases these cores and holds all others.
    pub fn release(&mut self, at: NocCoordinate, cores: u32) {
        self.write_word(at, 0xFFB1_21B0, ALL_CORES & !cores);
    }

    /// Advances until nothing can happen any more.
    pub fn settle(&mut self) -> Result<Vec<Waiting>, DeviceError> {
        for _ in 0..10_000 {
            if let Advance::Quiescent(waiting) = self.device.advance(1000)? {
                return Ok(waiting);
            }
        }
        panic!("still running after 10 million ticks");
    }

    /// Runs until a fault.
    pub fn fault(&mut self) -> Fault {
        match self.settle() {
            Err(DeviceError::Fault(fault)) => *fault,
            other => panic!("no fault but {other:?}"),
        }
    }
}
