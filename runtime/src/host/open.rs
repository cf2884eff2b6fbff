//! How a device is opened, and why it cannot be.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hallmark_chip::{
    Architecture, ChipDescription, ConfigOffset, DeviceError, HarvestingError, HarvestingMask,
    L1BankOrder, PciDevice,
};
use hallmark_device_code::FirmwareBundle;
use hallmark_engine::addresses::Banks;
use hallmark_engine::queue::{ModelledQueues, Order, QUEUES};
use hallmark_engine::start_of_markers;
use hallmark_engine::{Engine, EngineSettings};
use hallmark_schema::limits;
use hallmark_schema::model::{
    BufferType, DeviceRequirements, DispatchMode, DispatchSettings, Grid, ObjectKind,
};

use super::allocator::{BankAllocator, Direction, bank_alignment};
use super::device::Backend;
use super::{Device, Host, ObjectTable, Objects};
use crate::defects::{Defect, planted};
use crate::kernel_library::KernelLibrary;
use crate::recorder::Recorder;

/// The first address of a DRAM bank that buffers may use: upstream keeps a barrier word at 0, padded
/// to the largest alignment of any chip.
pub(crate) const DRAM_BASE: u64 = 64;

/// The cores that a device is opened with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GridAsked {
    /// The compute grid: every Tensix tile but the row or column reserved for dispatch.
    #[default]
    All,
    /// This many columns and rows of it, from (0,0).
    Cores(Grid),
}

/// Ticks that one enqueued program may take unless somebody says otherwise.
pub const TICK_BUDGET: u64 = 200_000_000;

/// How a device is opened.
pub struct DeviceOptions {
    /// What runs on the five cores of each tile.
    pub firmware: Arc<FirmwareBundle>,
    /// The cores that host programs may use.
    pub grid: GridAsked,
    /// Where kernels come from.
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
    /// Who launches programs.
    pub dispatch: DispatchMode,
    /// Sizes and counts of dispatch on the device.
    pub dispatch_settings: DispatchSettings,
    /// Chooses orders between queues that are open; 0 takes the queue that the host waits for.
    pub schedule_seed: u64,
    /// Which core has which bank of interleaved L1, if not as the chip's description says: the order of the capture that
    /// is replayed.
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

/// Why a device could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Configuration space reads as ones: nothing is behind that slot any more.
    #[error(
        "{device} does not answer: its configuration space reads as ones, so the device has dropped off \
         the bus; reset the device (for a card: tt-smi --reset), or restart the machine"
    )]
    Absent {
        /// What was opened.
        device: String,
    },
    /// Configuration word 0 is no chip's.
    #[error("{device} has the PCI id {pci_id:#010x}, which belongs to no chip that Hallmark knows")]
    UnknownChip {
        /// What was opened.
        device: String,
        /// Configuration word 0.
        pci_id: u32,
    },
    /// It says that it is harvested as no chip is that programs can run on.
    #[error("{device} cannot be used: {reason}")]
    Harvesting {
        /// What was opened.
        device: String,
        /// What is wrong with its mask.
        reason: HarvestingError,
    },
    /// The firmware is for another chip.
    #[error(
        "firmware {firmware} is for {found}, but {device} is a {expected}; choose the device of {found} with \
         --device {found}=DEVICE, or a bundle for {expected} with --firmware"
    )]
    FirmwareArchitecture {
        /// What was opened.
        device: String,
        /// The bundle's name.
        firmware: String,
        /// What the bundle is for.
        found: String,
        /// What the device is.
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
        /// What was opened.
        device: String,
        /// What was asked for.
        asked: Grid,
        /// What there is.
        available: Grid,
    },
    /// No device has that many command queues.
    #[error("{asked} command queues were asked for; a device has 1 or 2")]
    CommandQueues {
        /// How many were asked for.
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
    OpenError: Absent, FirmwareArchitecture, NoDispatcher, GridTooLarge, CommandQueues, TraceRegion, L1Small, WorkerL1;
    besides: UnknownChip, Harvesting, Device, Internal
}

/// Which chip a device is, and configuration word 0, by which it is recognised.
///
/// # Errors
/// [`OpenError::Absent`], [`OpenError::UnknownChip`], or the device's.
pub(crate) fn recognise(
    device: &mut dyn PciDevice,
) -> Result<(u32, &'static ChipDescription), OpenError> {
    let pci_id = device.config_read(ConfigOffset(0))?;
    if pci_id == u32::MAX {
        OpenError::Absent { device: device.name().to_owned() }.refuse()?;
    }
    let architecture = Architecture::from_pci_id(pci_id)
        .ok_or_else(|| OpenError::UnknownChip { device: device.name().to_owned(), pci_id })?;
    let harvesting = if planted(Defect::HarvestingUnread) {
        HarvestingMask::NONE
    } else {
        device.harvesting()?
    };
    let description = ChipDescription::harvested(architecture, harvesting)
        .map_err(|reason| OpenError::Harvesting { device: device.name().to_owned(), reason })?;
    Ok((pci_id, description))
}

impl Device {
    /// Opens a chip: recognises it by its PCI id and holds every core of the grid in reset.
    ///
    /// # Errors
    /// See [`OpenError`].
    pub fn open(
        mut device: Box<dyn PciDevice>,
        mut options: DeviceOptions,
    ) -> Result<Self, OpenError> {
        if options.dispatch_settings.overlap {
            options.dispatch = DispatchMode::Device;
        }
        let (pci_id, description) = recognise(&mut *device)?;
        let settings = EngineSettings {
            dispatch: options.dispatch,
            dispatch_settings: options.dispatch_settings,
            num_command_queues: options.num_command_queues,
            trace_region_size: options.trace_region_size,
            tick_budget: options.tick_budget,
            boot_budget: options.boot_budget,
            schedule_seed: options.schedule_seed,
        };
        let host = Host::new(device.name().to_owned(), pci_id, description, options)?;
        let (firmware, banks) = (Arc::clone(&host.firmware), Arc::clone(&host.banks));
        let engine = Engine::open(device, description, firmware, banks, settings)?;
        Ok(Self { host, backend: Backend::Engine(Box::new(engine)) })
    }

    /// A chip of which there is nothing but its description: calls are checked, placed and recorded as on the
    /// chip itself, and nobody does the work that they become. A read brings nothing.
    ///
    /// # Errors
    /// As [`Device::open`], as far as no device is needed to tell.
    pub fn modelled(
        description: &'static ChipDescription,
        options: DeviceOptions,
    ) -> Result<Self, OpenError> {
        let architecture = description.architecture;
        let name = format!("model:{architecture}");
        let queues = ModelledQueues::new(options.schedule_seed);
        let host = Host::new(name, architecture.pci_id(), description, options)?;
        Ok(Self { host, backend: Backend::Model(queues) })
    }
}

impl Host {
    /// Everything about an open device that needs no access to it.
    fn new(
        name: String,
        pci_id: u32,
        description: &'static ChipDescription,
        options: DeviceOptions,
    ) -> Result<Self, OpenError> {
        let architecture = description.architecture;
        let manifest = options.firmware.manifest();
        if manifest.architecture != architecture.name() {
            OpenError::FirmwareArchitecture {
                device: name.clone(),
                firmware: manifest.name.clone(),
                found: manifest.architecture.clone(),
                expected: architecture,
            }
            .refuse()?;
        }
        if options.dispatch == DispatchMode::Device && options.firmware.dispatcher().is_none() {
            OpenError::NoDispatcher { firmware: manifest.name.clone() }.refuse()?;
        }
        let (columns, rows) = description.compute_grid();
        let available = Grid { columns, rows };
        let grid = match options.grid {
            GridAsked::All => available,
            GridAsked::Cores(asked) => asked,
        };
        if grid.columns > columns || grid.rows > rows || grid.columns == 0 || grid.rows == 0 {
            OpenError::GridTooLarge { device: name.clone(), asked: grid, available }.refuse()?;
        }
        let num_command_queues = options.num_command_queues;
        if !(1..=limits::COMMAND_QUEUES).contains(&num_command_queues) {
            OpenError::CommandQueues { asked: num_command_queues }.refuse()?;
        }
        let available = description.dram_bank_size.saturating_sub(DRAM_BASE);
        let available = available.min(limits::TRACE_REGION_BYTES);
        let trace_region_size = options.trace_region_size;
        if trace_region_size > available {
            OpenError::TraceRegion { asked: trace_region_size, available }.refuse()?;
        }
        let l1_bank_order = options.l1_bank_order.unwrap_or(description.l1_bank_order);
        let banks = Banks::new(description, grid, l1_bank_order)?;
        let set_aside = if planted(Defect::TraceRegionNotSetAside) { 0 } else { trace_region_size };
        let dram = BankAllocator::new(
            Direction::BottomUp,
            bank_alignment(description, BufferType::Dram),
            bank_alignment(description, BufferType::Dram),
            DRAM_BASE,
            description.dram_bank_size.saturating_sub(set_aside),
        );
        let regions = L1Regions::of(description, &options)?;
        let allocator = |start, end| {
            let (alignment, block) = (BufferType::L1, BufferType::Dram);
            BankAllocator::new(
                Direction::TopDown,
                bank_alignment(description, alignment),
                bank_alignment(description, block),
                start,
                end,
            )
        };
        Ok(Self {
            name,
            description,
            grid,
            asked: options.grid,
            pci_id,
            dispatch: options.dispatch,
            requirements: DeviceRequirements {
                budget: (options.tick_budget != TICK_BUDGET).then_some(options.tick_budget),
                dispatch: options.dispatch_settings,
            },
            markers_start: start_of_markers(
                &options.firmware,
                &banks,
                description,
                trace_region_size,
            ),
            firmware: options.firmware,
            library: options.kernels,
            objects: Objects {
                buffers: ObjectTable::new(ObjectKind::Buffer),
                programs: ObjectTable::new(ObjectKind::Program),
                kernels: ObjectTable::new(ObjectKind::Kernel),
                circular_buffers: ObjectTable::new(ObjectKind::CircularBuffer),
                semaphores: ObjectTable::new(ObjectKind::Semaphore),
                events: ObjectTable::new(ObjectKind::Event),
                traces: ObjectTable::new(ObjectKind::Trace),
            },
            dram,
            l1: allocator(regions.base, regions.small),
            l1_small: allocator(regions.small, description.l1_size),
            l1_base: regions.base,
            banks: Arc::new(banks),
            l1_bank_order,
            images: super::ImageCache::default(),
            num_command_queues,
            trace_region_size,
            l1_small_size: options.l1_small_size,
            worker_l1_size: options.worker_l1_size,
            order: Order::default(),
            owners: super::CoreOwners::default(),
            event_numbers: [0; QUEUES],
            tracing: [None; QUEUES],
            reads: BTreeMap::new(),
            outputs: BTreeSet::new(),
            collected: BTreeMap::new(),
            collected_names: BTreeSet::new(),
            work: Vec::new(),
            stop: None,
            next_command: 0,
            placement_bound: false,
            recorder: Recorder::default(),
        })
    }
}

/// How L1 is divided: circular buffers and buffers from `base` on, buffers of the type L1_SMALL from `small` on.
struct L1Regions {
    base: u64,
    small: u64,
}

impl L1Regions {
    fn of(description: &ChipDescription, options: &DeviceOptions) -> Result<Self, OpenError> {
        let unreserved = u64::from(options.firmware.memory().unreserved_base);
        let block = bank_alignment(description, BufferType::Dram);
        let available = description.l1_size.saturating_sub(unreserved);
        let asked = options.worker_l1_size;
        if asked > available {
            OpenError::WorkerL1 { asked, available }.refuse()?;
        }
        let base = match asked {
            0 => unreserved,
            asked => {
                let base = description.l1_size.saturating_sub(asked).max(unreserved);
                base.checked_next_multiple_of(block).unwrap_or(base)
            }
        };
        let asked = options.l1_small_size;
        let available = description.l1_size.saturating_sub(base);
        if asked > available {
            OpenError::L1Small { asked, available }.refuse()?;
        }
        Ok(Self { base, small: description.l1_size.saturating_sub(asked).max(base) })
    }
}
