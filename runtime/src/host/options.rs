//! The options with which a device is opened, and the errors of opening it.

use std::sync::Arc;

use hallmark_chip::{Architecture, DeviceError, HarvestingError, L1BankOrder};
use hallmark_device_code::FirmwareBundle;
use hallmark_schema::model::{DispatchMode, DispatchSettings, Grid};

use crate::kernel_library::KernelLibrary;

/// The cores that a device is opened with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GridAsked {
    /// The compute grid: every Tensix tile but the row or column reserved for dispatch.
    #[default]
    All,
    /// This many columns and rows of it, from (0,0).
    Cores(Grid),
}

/// Ticks that one enqueued program may take by default.
pub const TICK_BUDGET: u64 = 200_000_000;

/// The options with which a device is opened.
pub struct DeviceOptions {
    /// The firmware of the five cores of each tile.
    pub firmware: Arc<FirmwareBundle>,
    /// The cores that host programs may use.
    pub grid: GridAsked,
    /// The library that kernels come from.
    pub kernels: Box<dyn KernelLibrary>,
    /// Ticks that one enqueued program may take before it counts as hanging.
    pub tick_budget: u64,
    /// Ticks that a tile's firmware may take to come up.
    pub boot_budget: u64,
    /// Command queues: 1 or 2.
    pub num_command_queues: u8,
    /// Bytes at the top of every DRAM bank that are set aside for traces; no trace fits into 0.
    pub trace_region_size: u64,
    /// Bytes at the top of each core's L1 that are set aside for buffers of the type L1_SMALL.
    pub l1_small_size: u64,
    /// Bytes of each core's L1 for buffers and circular buffers; 0 stands for all that the firmware leaves.
    pub worker_l1_size: u64,
    /// The dispatch mode: the host or dispatchers launch programs.
    pub dispatch: DispatchMode,
    /// Sizes and counts of dispatch on the device.
    pub dispatch_settings: DispatchSettings,
    /// Chooses orders between queues that are open; 0 takes the queue that the host waits for.
    pub schedule_seed: u64,
    /// The order of the banks of interleaved L1, if it differs from the chip's description: the order of the capture
    /// that is replayed.
    pub l1_bank_order: Option<L1BankOrder>,
}

impl DeviceOptions {
    /// The whole compute grid, one command queue, no room for traces, 200 million ticks for a program,
    /// 10 million to boot, launched by the host.
    pub fn new(firmware: Arc<FirmwareBundle>, kernels: Box<dyn KernelLibrary>) -> Self {
        Self {
            firmware,
            grid: GridAsked::All,
            kernels,
            tick_budget: TICK_BUDGET,
            boot_budget: 10_000_000,
            num_command_queues: 1,
            trace_region_size: 0,
            l1_small_size: 0,
            worker_l1_size: 0,
            dispatch: DispatchMode::Host,
            dispatch_settings: DispatchSettings::default(),
            schedule_seed: 0,
            l1_bank_order: None,
        }
    }
}

impl std::fmt::Debug for DeviceOptions {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("DeviceOptions")
            .field("firmware", &self.firmware.manifest().name)
            .field("grid", &self.grid)
            .field("tick_budget", &self.tick_budget)
            .finish_non_exhaustive()
    }
}

/// The reason for which a device could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Configuration space reads as ones: nothing is behind that slot any more.
    #[error(
        "{device} does not answer: its configuration space reads as ones, so the device has dropped off \
         the bus; reset the device (for a card: tt-smi --reset), or restart the machine"
    )]
    Absent {
        /// The device.
        device: String,
    },
    /// Configuration word 0 is no chip's.
    #[error("{device} has the PCI id {pci_id:#010x}, which belongs to no chip that Hallmark knows")]
    UnknownChip {
        /// The device.
        device: String,
        /// Configuration word 0.
        pci_id: u32,
    },
    /// Its harvesting mask is one with which no chip can run programs.
    #[error("{device} cannot be used: {reason}")]
    Harvesting {
        /// The device.
        device: String,
        /// The fault of its mask.
        reason: HarvestingError,
    },
    /// The firmware is for another chip.
    #[error(
        "firmware {firmware} is for {found}, but {device} is a {expected}; choose the device of {found} with \
         --device {found}=DEVICE, a device for {expected} with --device {expected}=DEVICE, or a bundle for {expected} with \
         --firmware"
    )]
    FirmwareArchitecture {
        /// The device.
        device: String,
        /// The bundle's name.
        firmware: String,
        /// The architecture of the bundle.
        found: String,
        /// The architecture of the device.
        expected: Architecture,
    },
    /// The firmware cannot dispatch on the device.
    #[error(
        "firmware {firmware} has no dispatcher, so programs cannot be dispatched on the device; use \
         another bundle, or dispatch by the host"
    )]
    NoDispatcher {
        /// The bundle's name.
        firmware: String,
    },
    /// The chip has fewer cores.
    #[error(
        "a grid of {}×{} cores was asked for, but {device} has {}×{} compute cores",
        asked.columns, asked.rows, available.columns, available.rows
    )]
    GridTooLarge {
        /// The device.
        device: String,
        /// The grid that was asked for.
        asked: Grid,
        /// The compute grid of the device.
        available: Grid,
    },
    /// No device has that many command queues.
    #[error("{asked} command queues were asked for; a device has 1 or 2")]
    CommandQueues {
        /// The number that was asked for.
        asked: u8,
    },
    /// A bank is not that large.
    #[error(
        "a trace region of {asked} B was asked for, but at most {available} B of a bank can be set aside"
    )]
    TraceRegion {
        /// Bytes that were asked for.
        asked: u64,
        /// Bytes that a bank can give, the lowest words apart.
        available: u64,
    },
    /// A core's L1 is too small for the region of L1_SMALL.
    #[error(
        "`l1_small_size` is {asked} B, but at most {available} B of each core's L1 can be set aside"
    )]
    L1Small {
        /// Bytes that were asked for.
        asked: u64,
        /// Bytes that a core can give.
        available: u64,
    },
    /// The firmware leaves less of L1 than was asked for.
    #[error(
        "`worker_l1_size` is {asked} B, but the firmware leaves {available} B of each core's L1"
    )]
    WorkerL1 {
        /// Bytes that were asked for.
        asked: u64,
        /// Bytes that the firmware leaves.
        available: u64,
    },
    /// The device failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// Its tables contradict each other.
    #[error(transparent)]
    Internal(#[from] crate::InternalError),
}

hallmark_chip::error_checks! {
    pub(crate) OpenError: Absent, FirmwareArchitecture, NoDispatcher, GridTooLarge, CommandQueues, TraceRegion, L1Small, WorkerL1;
    besides: UnknownChip, Harvesting, Device, Internal
}
