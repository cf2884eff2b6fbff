//! An open chip: its grid, its firmware, its objects and its queue.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hallmark_chip::{
    Architecture, Capabilities, ChipDescription, ConfigOffset, DeviceError, HarvestingError,
    HarvestingMask, LogicalCore, NocCoordinate, PciDevice, PhysicalCoordinate, Processor,
    TileAddress,
};
use hallmark_schema::limits;
use hallmark_schema::model::{
    BufferType, CommandIndex, DispatchMode, EventId, FaultRecord, Grid, ObjectKind, ProgramId,
    TraceId, WaitRecord,
};

use crate::addresses::Banks;
use crate::addresses::allocator::{BankAllocator, Direction, bank_alignment};
use crate::chip_access::ChipAccess;
use crate::defects::{Defect, planted};
use crate::device_code::FirmwareBundle;
use crate::dispatch::{DispatchSettings, Dispatcher, LaidOut, Replay, Tile};
use crate::host::{BufferState, CircularBufferState, CompletedRead, EventState, KernelState};
use crate::host::{CoreOwners, ObjectTable, ProgramState, SemaphoreState};
use crate::kernel_library::KernelLibrary;
use crate::paper_chip::PaperChip;
use crate::queue::{Order, QUEUES, QueueRaces, QueueSchedule, QueuedWork};
use crate::recorder::Recorder;
use crate::trace::{Collection, TraceState};

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
    /// Who launches programs.
    pub dispatch: DispatchMode,
    /// Sizes and counts of dispatch on the device.
    pub dispatch_settings: DispatchSettings,
    /// Chooses orders between queues that are open; 0 takes the queue that the host waits for.
    pub schedule_seed: u64,
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
            dispatch: DispatchMode::Host,
            dispatch_settings: DispatchSettings::default(),
            schedule_seed: 0,
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
        "{device} does not answer: its configuration space reads as ones, so it has dropped off the bus; \
         reset it (for a card: tt-smi --reset), or restart the machine"
    )]
    Absent {
        /// What was opened.
        device: String,
    },
    /// Configuration word 0 is no chip's.
    #[error("{device} presents PCI id {pci_id:#010x}, which is no chip that Hallmark knows")]
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
        "firmware {firmware} has no dispatcher, so programs cannot be dispatched on the device; take \
         another bundle, or dispatch by the host"
    )]
    NoDispatcher {
        /// The bundle's name.
        firmware: String,
    },
    /// The chip has fewer cores.
    #[error(
        "a grid of {}x{} was asked for, {device} has {}x{} compute cores",
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
        /// How many.
        asked: u8,
    },
    /// A bank is not that large.
    #[error(
        "a trace region of {asked} B was asked for, at most {available} B of a bank can be set aside"
    )]
    TraceRegion {
        /// Bytes.
        asked: u64,
        /// Bytes.
        available: u64,
    },
    /// The device failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// Its tables contradict each other.
    #[error(transparent)]
    Internal(#[from] crate::InternalError),
}

/// Everything that host programs made.
#[derive(Debug)]
pub(crate) struct Objects {
    pub(crate) buffers: ObjectTable<BufferState>,
    pub(crate) programs: ObjectTable<ProgramState>,
    pub(crate) kernels: ObjectTable<KernelState>,
    pub(crate) circular_buffers: ObjectTable<CircularBufferState>,
    pub(crate) semaphores: ObjectTable<SemaphoreState>,
    pub(crate) events: ObjectTable<EventState>,
    pub(crate) traces: ObjectTable<TraceState>,
}

/// Why the device is lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stop {
    /// The synchronizing call that met it.
    pub command: CommandIndex,
    /// The program launched last, by its enqueue, if any was.
    pub enqueue: Option<CommandIndex>,
    /// What happened, for people.
    pub reason: String,
    /// The fault, if it was one.
    pub fault: Option<FaultRecord>,
    /// The waiting cores of a deadlock.
    pub waits: Vec<WaitRecord>,
    /// The same as the device said it, with last writers.
    pub waiting: Vec<hallmark_chip::Waiting>,
    /// Cores that were still running when a program's budget was spent, where the device can tell.
    pub running: Vec<RunningCore>,
    /// The logical cores that had not finished then.
    pub unfinished: Vec<LogicalCore>,
}

/// A core that was still running.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunningCore {
    /// The tile on the die.
    pub tile: PhysicalCoordinate,
    /// The processor.
    pub processor: Processor,
    /// Where it stood.
    pub pc: u32,
    /// The function that the pc lies in, if its ELF has a symbol.
    pub symbol: Option<String>,
}

/// An open device. Driven by one host thread.
///
/// Ids of buffers, programs, kernels, circular buffers and semaphores count the calls that create
/// them from 0, whether those succeed or not.
pub struct Device {
    pub(crate) chip: ChipAccess,
    /// Whether there is no chip: see [`Device::on_paper`].
    pub(crate) on_paper: bool,
    pub(crate) grid: Grid,
    pub(crate) asked: GridAsked,
    pub(crate) pci_id: u32,
    pub(crate) firmware: Arc<FirmwareBundle>,
    pub(crate) library: Box<dyn KernelLibrary>,
    pub(crate) objects: Objects,
    pub(crate) dram: BankAllocator,
    pub(crate) l1: BankAllocator,
    pub(crate) banks: Arc<Banks>,
    pub(crate) tiles: BTreeMap<LogicalCore, Tile>,
    pub(crate) images: crate::host::ImageCache,
    pub(crate) launches: u32,
    /// Counts what changes where texts lie on tiles.
    pub(crate) texts_placed: u64,
    pub(crate) laid_out: BTreeMap<ProgramId, LaidOut>,
    pub(crate) queue: QueuedWork,
    pub(crate) num_command_queues: u8,
    pub(crate) trace_region_size: u64,
    /// Which queue goes on where that is open.
    pub(crate) schedule: QueueSchedule,
    pub(crate) races: QueueRaces,
    /// What is ordered between the queues.
    pub(crate) order: Order,
    /// Which queue uses which core.
    pub(crate) owners: CoreOwners,
    /// How many numbers each queue has given to events.
    pub(crate) event_numbers: [u32; QUEUES],
    /// The trace that each queue records.
    pub(crate) tracing: [Option<TraceId>; QUEUES],
    /// Which replay the device works on, and of what, for reports.
    pub(crate) replaying: Option<Replay>,
    pub(crate) reads: BTreeMap<CommandIndex, CompletedRead>,
    pub(crate) outputs: BTreeSet<String>,
    /// Traces as bytes, by the names that they were collected under.
    pub(crate) collected: BTreeMap<String, Arc<Collection>>,
    /// Those names, and those of calls that failed.
    pub(crate) collected_names: BTreeSet<String>,
    pub(crate) last_launch: Option<CommandIndex>,
    pub(crate) stop: Option<Stop>,
    pub(crate) next_command: u32,
    /// Whether an address or coordinate was handed out as a plain number.
    pub(crate) placement_bound: bool,
    pub(crate) recorder: Recorder,
    pub(crate) tick_budget: u64,
    pub(crate) boot_budget: u64,
    pub(crate) dispatch: DispatchMode,
    pub(crate) dispatch_settings: DispatchSettings,
    /// Those that run.
    pub(crate) dispatchers: Vec<Dispatcher>,
    /// The queue whose commands are submitted.
    pub(crate) serving: usize,
    /// Events by their queue and the number that its dispatcher gave them.
    pub(crate) recorded: BTreeMap<EventId, (usize, u32)>,
}

impl std::fmt::Debug for Device {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Device")
            .field("name", &self.chip.name())
            .field("grid", &self.grid)
            .field("firmware", &self.firmware.manifest().name)
            .finish_non_exhaustive()
    }
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
        return Err(OpenError::Absent { device: device.name().to_owned() });
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
    /// Firmware is loaded on a tile when a program first launches there, so that a program on one
    /// core does not pay for the whole grid.
    ///
    /// # Errors
    /// See [`OpenError`].
    pub fn open(mut device: Box<dyn PciDevice>, options: DeviceOptions) -> Result<Self, OpenError> {
        let (pci_id, description) = recognise(&mut *device)?;
        let mut opened = Self::set_up(device, pci_id, description, options)?;
        let Self { chip, banks, .. } = &mut opened;
        let all = description.reset.all();
        for bank in &banks.l1 {
            chip.write_word(bank.tile, description.reset.soft_reset, all)?;
        }
        chip.order()?;
        Ok(opened)
    }

    /// A chip of which there is nothing but its description: calls are checked and placed as on the
    /// chip itself, and whatever is enqueued counts as done once somebody waits for it.
    pub(crate) fn on_paper(
        description: &'static ChipDescription,
        options: DeviceOptions,
    ) -> Result<Self, OpenError> {
        let pci_id = description.architecture.pci_id();
        let chip = Box::new(PaperChip::new(description));
        let mut device = Self::set_up(chip, pci_id, description, options)?;
        device.on_paper = true;
        Ok(device)
    }

    /// Everything about an open device that needs no access to it.
    fn set_up(
        device: Box<dyn PciDevice>,
        pci_id: u32,
        description: &'static ChipDescription,
        options: DeviceOptions,
    ) -> Result<Self, OpenError> {
        let name = device.name().to_owned();
        let architecture = description.architecture;
        let manifest = options.firmware.manifest();
        if manifest.architecture != architecture.name() {
            return Err(OpenError::FirmwareArchitecture {
                device: name,
                firmware: manifest.name.clone(),
                found: manifest.architecture.clone(),
                expected: architecture,
            });
        }
        if options.dispatch == DispatchMode::Device && options.firmware.dispatcher().is_none() {
            return Err(OpenError::NoDispatcher { firmware: manifest.name.clone() });
        }
        let (columns, rows) = description.compute_grid();
        let available = Grid { columns, rows };
        let grid = match options.grid {
            GridAsked::All => available,
            GridAsked::Cores(asked) => asked,
        };
        if grid.columns > columns || grid.rows > rows || grid.columns == 0 || grid.rows == 0 {
            return Err(OpenError::GridTooLarge { device: name, asked: grid, available });
        }
        let num_command_queues = options.num_command_queues;
        if !(1..=limits::COMMAND_QUEUES).contains(&num_command_queues) {
            return Err(OpenError::CommandQueues { asked: num_command_queues });
        }
        let available = description.dram_bank_size.saturating_sub(DRAM_BASE);
        let available = available.min(limits::TRACE_REGION_BYTES);
        let trace_region_size = options.trace_region_size;
        if trace_region_size > available {
            return Err(OpenError::TraceRegion { asked: trace_region_size, available });
        }
        let banks = Banks::new(description, grid)?;
        let set_aside = if planted(Defect::TraceRegionNotSetAside) { 0 } else { trace_region_size };
        let dram = BankAllocator::new(
            Direction::BottomUp,
            bank_alignment(description, BufferType::Dram),
            bank_alignment(description, BufferType::Dram),
            DRAM_BASE,
            description.dram_bank_size.saturating_sub(set_aside),
        );
        let l1 = BankAllocator::new(
            Direction::TopDown,
            bank_alignment(description, BufferType::L1),
            bank_alignment(description, BufferType::Dram),
            u64::from(options.firmware.memory().unreserved_base),
            description.l1_size,
        );
        Ok(Self {
            chip: ChipAccess::new(device, description),
            on_paper: false,
            grid,
            asked: options.grid,
            pci_id,
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
            l1,
            banks: Arc::new(banks),
            tiles: BTreeMap::new(),
            images: crate::host::ImageCache::default(),
            launches: 0,
            texts_placed: 0,
            laid_out: BTreeMap::new(),
            queue: QueuedWork::default(),
            num_command_queues,
            trace_region_size,
            schedule: QueueSchedule::new(options.schedule_seed),
            races: QueueRaces::default(),
            order: Order::default(),
            owners: CoreOwners::default(),
            event_numbers: [0; QUEUES],
            tracing: [None; QUEUES],
            replaying: None,
            reads: BTreeMap::new(),
            outputs: BTreeSet::new(),
            collected: BTreeMap::new(),
            collected_names: BTreeSet::new(),
            last_launch: None,
            stop: None,
            next_command: 0,
            placement_bound: false,
            recorder: Recorder::default(),
            tick_budget: options.tick_budget,
            boot_budget: options.boot_budget,
            dispatch: options.dispatch,
            dispatch_settings: options.dispatch_settings,
            dispatchers: Vec::new(),
            serving: 0,
            recorded: BTreeMap::new(),
        })
    }

    /// Puts every core that was started back into reset and gives the device up.
    ///
    /// # Errors
    /// The device's, if it does not take the writes; a lost device is left as it is.
    pub fn close(mut self) -> Result<(), DeviceError> {
        if self.stop.is_some() {
            return Ok(());
        }
        let reset = self.chip.description().reset;
        let mut booted: Vec<NocCoordinate> = self.tiles.values().map(|tile| tile.noc).collect();
        booted.extend(self.stop_dispatchers());
        for tile in booted {
            self.chip.write_word(tile, reset.soft_reset, reset.all())?;
        }
        self.chip.order()
    }

    /// What was opened.
    pub fn name(&self) -> &str {
        self.chip.name()
    }

    /// The chip.
    pub fn description(&self) -> &'static ChipDescription {
        self.chip.description()
    }

    /// What the device can notice.
    pub fn capabilities(&self) -> Capabilities {
        self.chip.capabilities()
    }

    /// The cores that host programs may use.
    pub const fn grid(&self) -> Grid {
        self.grid
    }

    /// What the device was opened with.
    pub const fn grid_asked(&self) -> GridAsked {
        self.asked
    }

    /// Its command queues.
    pub const fn num_command_queues(&self) -> u8 {
        self.num_command_queues
    }

    /// Bytes at the top of every DRAM bank that are set aside for traces.
    pub const fn trace_region_size(&self) -> u64 {
        self.trace_region_size
    }

    /// The firmware that it runs.
    pub fn firmware(&self) -> &FirmwareBundle {
        &self.firmware
    }

    /// Why the device is lost, if it is.
    pub const fn stop(&self) -> Option<&Stop> {
        self.stop.as_ref()
    }

    /// The place of the next call among the calls, counted from 0 since the device was opened or the
    /// capture was begun.
    pub const fn next_command(&self) -> CommandIndex {
        CommandIndex(self.next_command)
    }

    /// Reads L1 of a core's tile, for reports and tests: no call of the host API, never recorded.
    ///
    /// # Errors
    /// The device's. A core outside the grid is a [`DeviceError::BadAccess`].
    pub fn inspect_l1(
        &mut self,
        core: LogicalCore,
        address: TileAddress,
        buffer: &mut [u8],
    ) -> Result<(), DeviceError> {
        let tile = self.chip.description().noc_coordinate(core).ok_or(DeviceError::BadAccess {
            what: "L1 of a core outside the chip",
            offset: address.0,
            length: buffer.len() as u64,
        })?;
        self.chip.read(tile, address, buffer)
    }
}
