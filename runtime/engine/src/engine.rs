//! The engine itself: an open chip, its queues, and what lies on its tiles.

use std::collections::BTreeMap;
use std::sync::Arc;

use hallmark_chip::{
    Capabilities, ChipDescription, DeviceError, Forgettable, LogicalCore, NocCoordinate, PciDevice,
    TileAddress,
};
use hallmark_device_code::FirmwareBundle;
use hallmark_schema::model::{CommandIndex, DispatchMode, DispatchSettings, EventId, ProgramId};

use crate::addresses::Banks;
use crate::chip_access::ChipAccess;
use crate::dispatch::{Dispatcher, LaidOut, ReplayedTrace, Tile};
use crate::observer::Observer;
use crate::profile::{AwaitedMarkers, LaunchProfile, OpenLaunch, OpenWork, QueuesProfile};
use crate::queue::{InFlight, QueueRaces, QueueSchedule, QueuedWork, RecordedEvent};
use crate::watch::WatchedByte;
use crate::work::{Work, WorkItem};

/// How an engine works, whatever it is given to do.
#[derive(Clone, Copy, Debug)]
pub struct EngineSettings {
    /// Who launches programs.
    pub dispatch: DispatchMode,
    /// Sizes and counts of dispatch on the device.
    pub dispatch_settings: DispatchSettings,
    /// Command queues: 1 or 2.
    pub num_command_queues: u8,
    /// Bytes at the top of every DRAM bank for traces.
    pub trace_region_size: u64,
    /// Ticks that one program may take before it counts as hanging.
    pub tick_budget: u64,
    /// Ticks that a tile's firmware may take to come up.
    pub boot_budget: u64,
    /// Chooses orders between queues that are open; 0 takes the queue that the host waits for.
    pub schedule_seed: u64,
}

/// An open chip, its queues, and what lies on its tiles.
pub struct Engine {
    pub(crate) chip: ChipAccess,
    pub(crate) firmware: Arc<FirmwareBundle>,
    pub(crate) banks: Arc<Banks>,
    pub(crate) settings: EngineSettings,
    pub(crate) queue: QueuedWork,
    /// Which queue goes on where that is open.
    pub(crate) schedule: QueueSchedule,
    pub(crate) races: QueueRaces,
    /// Tiles whose firmware runs.
    pub(crate) tiles: BTreeMap<LogicalCore, Tile>,
    /// The number of the last launch, modulo 2^32.
    pub(crate) launches: u32,
    /// Counts what changes where kernel binaries lie on tiles.
    pub(crate) binaries_placed: u64,
    pub(crate) laid_out: BTreeMap<ProgramId, LaidOut>,
    /// The enqueue of the program that was launched last.
    pub(crate) last_launch: Option<CommandIndex>,
    /// The replay that the chip works on, for reports.
    pub(crate) replaying: Option<ReplayedTrace>,
    /// Those that run.
    pub(crate) dispatchers: Vec<Dispatcher>,
    /// The queue whose commands are submitted.
    pub(crate) serving: usize,
    /// Events that dispatchers have recorded or are about to record.
    pub(crate) recorded: BTreeMap<EventId, RecordedEvent>,
    /// Launches that were handed to dispatchers and are not known to be done, where launches overlap.
    pub(crate) in_flight: Vec<InFlight>,
    /// Memory for data that are made to be written, kept because new memory costs more than what is written into it.
    pub(crate) made: Vec<u8>,
    /// The byte of which somebody wants to know who writes it.
    pub(crate) watched: Option<WatchedByte>,
    /// What launches took that nobody has taken yet, if somebody wants to know.
    pub(crate) profiled: Option<Vec<LaunchProfile>>,
    /// Whether the device is asked what its cores do.
    pub(crate) profiles_activity: bool,
    /// Launches of which markers are awaited, if firmware writes some and somebody wants to know.
    pub(crate) markers: Option<AwaitedMarkers>,
    /// The launch that a dispatcher was given last and that is not known to have ended.
    pub(crate) open_launch: Option<OpenLaunch>,
    /// Where launches overlap: those whose ends are not known, with what their tiles have done.
    pub(crate) open_works: Vec<OpenWork>,
    /// What dispatchers did and were given, and nobody has taken yet.
    pub(crate) queues_profile: QueuesProfile,
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Engine").field("chip", &self.chip).finish_non_exhaustive()
    }
}

impl Engine {
    /// Takes a device that is known to be the chip described, and holds every core of the grid in reset.
    ///
    /// Firmware is loaded on a tile when a program first launches there, so that a program on one
    /// core does not pay for the whole grid.
    ///
    /// # Errors
    /// The device's.
    pub fn open(
        device: Box<dyn PciDevice>,
        description: &'static ChipDescription,
        firmware: Arc<FirmwareBundle>,
        banks: Arc<Banks>,
        settings: EngineSettings,
    ) -> Result<Self, DeviceError> {
        let mut chip = ChipAccess::new(device, description);
        for bank in &banks.l1 {
            chip.write_word(bank.tile, description.reset.soft_reset, description.reset.all())?;
        }
        chip.order()?;
        Ok(Self {
            chip,
            firmware,
            banks,
            settings,
            queue: QueuedWork::default(),
            schedule: QueueSchedule::new(settings.schedule_seed),
            races: QueueRaces::default(),
            tiles: BTreeMap::new(),
            launches: 0,
            binaries_placed: 0,
            laid_out: BTreeMap::new(),
            last_launch: None,
            replaying: None,
            dispatchers: Vec::new(),
            serving: 0,
            recorded: BTreeMap::new(),
            in_flight: Vec::new(),
            made: Vec::new(),
            watched: None,
            profiled: None,
            profiles_activity: false,
            markers: None,
            open_launch: None,
            open_works: Vec::new(),
            queues_profile: QueuesProfile::default(),
        })
    }

    /// Puts every core that was started back into reset and gives the chip up.
    ///
    /// # Errors
    /// The device's, if it does not take the writes.
    pub fn close(mut self, observer: &mut dyn Observer) -> Result<(), DeviceError> {
        let reset = self.chip.description().reset;
        let mut booted: Vec<NocCoordinate> = self.tiles.values().map(|tile| tile.noc).collect();
        booted.extend(self.stop_dispatchers(observer));
        for tile in booted {
            self.chip.write_word(tile, reset.soft_reset, reset.all())?;
        }
        self.chip.order()
    }

    /// What the device can notice.
    pub fn capabilities(&self) -> Capabilities {
        self.chip.capabilities()
    }

    /// Takes work; it is done once somebody waits for it.
    pub fn take(&mut self, item: WorkItem) {
        let waits = matches!(item, WorkItem::Enqueue { work: Work::WaitForEvent(_), .. });
        if waits && self.chip.forgets(Forgettable::WaitForEvent) {
            return;
        }
        self.queue.push(item);
    }

    /// Bytes that queued launches hold, roughly.
    pub const fn queued_launches_weight(&self) -> u64 {
        self.queue.launches()
    }

    /// Whether commands wait to be executed.
    pub fn has_work(&self) -> bool {
        self.queue.has_work()
    }

    /// Whether all that was taken is done, events apart, so that nothing changes memory before more is taken.
    pub fn is_settled(&self) -> bool {
        !self.queue.has_more_than_events() && self.dispatchers.iter().all(Dispatcher::is_idle)
    }

    /// Whether an event has happened.
    pub fn has_happened(&self, event: EventId) -> bool {
        if self.overlaps() { self.is_recorded(event) } else { self.queue.has_happened(event) }
    }

    /// Event ids count from 0 again.
    pub fn forget_events(&mut self) {
        self.queue.forget_events();
        self.recorded.clear();
    }

    /// What the host reads from now on is no doing of the programs that ran.
    pub fn forget_launches(&mut self) {
        self.last_launch = None;
    }

    /// Reads L1 of a core's tile.
    ///
    /// # Errors
    /// The device's. A core outside the chip is a [`DeviceError::BadAccess`].
    pub fn read_l1(
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
