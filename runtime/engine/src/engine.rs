//! The engine itself: an open chip, its queues, and the launcher that carries their commands out.

use std::sync::Arc;

use hallmark_chip::{
    Capabilities, ChipDescription, DeviceError, Forgettable, KernelRuns, LogicalCore, PciDevice,
    PhysicalCoordinate, TileAddress,
};
use hallmark_device_code::FirmwareBundle;
use hallmark_schema::model::{CommandIndex, EventId, Printed};

use crate::addresses::{Banks, BufferExtent};
use crate::chip::{self, BufferBytes, Chip};
use crate::launcher::{Goal, Launcher, launcher};
use crate::observation::{LastWrite, Observation};
use crate::observer::Observer;
use crate::order::{Progress, QUEUES};
use crate::profile::{LaunchProfile, QueuesProfile};
use crate::queue::{CommandQueues, QueueRace, Until};
use crate::settings::EngineSettings;
use crate::stop::{LastLaunch, RawStop, Stop, Stopped, TraceReplay};
use crate::tiles::{PlannedLaunch, Tiles, explained, leftovers, planned_launches};
use crate::trace::ReplayedTrace;
use crate::work::{Work, WorkItem};

/// An open chip, its queues, and the launcher that carries their commands out.
pub struct Engine {
    tiles: Tiles,
    queues: CommandQueues,
    launcher: Box<dyn Launcher>,
    observation: Observation,
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Engine").field("chip", self.tiles.chip()).finish_non_exhaustive()
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
        let chip = Chip::open(device, description, firmware, banks, settings.trace_region_size)?;
        Ok(Self {
            tiles: Tiles::new(chip, settings.boot_budget),
            queues: CommandQueues::new(&settings),
            launcher: launcher(&settings),
            observation: Observation::default(),
        })
    }

    /// Puts every core that was started back into reset and gives the chip up.
    ///
    /// # Errors
    /// The device's, if it does not take the writes.
    pub fn close(mut self, observer: &mut dyn Observer) -> Result<(), DeviceError> {
        self.launcher.close(&mut self.tiles, observer);
        self.tiles.reset()
    }

    /// The capabilities of the device.
    pub fn capabilities(&self) -> Capabilities {
        self.tiles.chip().capabilities()
    }

    /// Whether programs were right only by an order that the documents do not promise, where the device knows it:
    /// [`PciDevice::relies_on_atomics_behind_writes`](hallmark_chip::PciDevice::relies_on_atomics_behind_writes).
    pub fn relies_on_atomics_behind_writes(&self) -> bool {
        self.tiles.chip().relies_on_atomics_behind_writes()
    }

    /// The kernels that have run so far, where the device judges them:
    /// [`PciDevice::kernel_runs`](hallmark_chip::PciDevice::kernel_runs).
    pub fn kernel_runs(&self) -> KernelRuns {
        self.tiles.chip().kernel_runs()
    }

    /// Gives each piece of what kernels print to a listener, as it comes.
    pub fn listen_to_prints(&mut self, sink: Box<dyn FnMut(&Printed)>) {
        self.tiles.prints_mut().listen(sink);
    }

    /// What kernels have printed and was not taken before, in the order of its first text.
    pub fn take_printed(&mut self) -> Vec<Printed> {
        self.tiles.take_printed()
    }

    /// Takes work; it is done once a call waits for it.
    pub fn take(&mut self, item: WorkItem) {
        let waits = matches!(item, WorkItem::Enqueue { work: Work::WaitForEvent(_), .. });
        if waits && self.tiles.chip_mut().access().forgets(Forgettable::WaitForEvent) {
            return;
        }
        self.queues.push(item);
    }

    /// Executes the commands of a queue up to a point, and those of the other queue that must come before, because a
    /// synchronizing call waits for it. `later` are the commands that are done before the one that each queue is
    /// given next.
    ///
    /// # Errors
    /// The device has stopped.
    pub fn run_until(
        &mut self,
        until: Until,
        call: CommandIndex,
        later: [Progress; QUEUES],
        observer: &mut dyn Observer,
    ) -> Result<(), Box<Stopped>> {
        let Self { tiles, queues, launcher, observation } = self;
        let goal = Goal { until, later };
        let run = launcher.run_until(goal, queues, tiles, observation, observer);
        run.map_err(|stop| self.stopped(call, stop, observer))
    }

    /// Takes one step towards a point, if it is not reached, because a call asks whether it is. `later` as for
    /// [`Self::run_until`].
    ///
    /// # Errors
    /// The device has stopped.
    pub fn run_one(
        &mut self,
        until: Until,
        call: CommandIndex,
        later: [Progress; QUEUES],
        observer: &mut dyn Observer,
    ) -> Result<(), Box<Stopped>> {
        let Self { tiles, queues, launcher, observation } = self;
        let goal = Goal { until, later };
        let step = launcher.run_one(goal, queues, tiles, observation, observer);
        step.map_err(|stop| self.stopped(call, stop, observer))
    }

    /// A stop that a synchronizing call has met, with its places and the program to blame.
    fn stopped(
        &mut self,
        command: CommandIndex,
        stop: RawStop,
        observer: &mut dyn Observer,
    ) -> Box<Stopped> {
        self.queues.clear();
        let last = self.launcher.last_launch(&stop, &mut self.tiles, observer);
        let LastLaunch { enqueue, replaying } = last;
        let replaying = replaying.map(|ReplayedTrace { command, trace }| TraceReplay {
            command,
            trace: trace.name.clone(),
        });
        let (cause, error) = explained(&mut self.tiles, stop);
        let leftovers = leftovers(&mut self.tiles, &cause);
        let stop = Stop { command, enqueue, replaying, cause, leftovers };
        Box::new(Stopped { stop, error })
    }

    /// Bytes that queued launches hold, roughly.
    pub const fn queued_launches_weight(&self) -> u64 {
        self.queues.launches_weight()
    }

    /// Whether commands wait to be executed.
    pub fn has_work(&self) -> bool {
        self.queues.has_work()
    }

    /// Whether all that was taken is done, events apart, so that nothing changes memory before more is taken.
    pub fn is_settled(&self) -> bool {
        !self.queues.has_more_than_events() && self.launcher.is_idle()
    }

    /// Whether an event has happened.
    pub fn has_happened(&self, event: EventId) -> bool {
        self.launcher.has_happened(event, &self.queues)
    }

    /// A race between commands that the host knows to be done, if there is one. It is told once.
    pub fn known_race(&mut self, host: Progress) -> Option<QueueRace> {
        self.queues.known_race(host)
    }

    /// Event ids count from 0 again.
    pub fn forget_events(&mut self) {
        self.queues.forget_events();
        self.launcher.forget_events();
    }

    /// No program that ran is to blame for the bytes that the host reads from now on.
    pub fn forget_launches(&mut self) {
        self.launcher.forget_launches();
    }

    /// Where the programs that are enqueued and have not run yet will put everything on their tiles, as
    /// if no program had run before them.
    pub fn planned_launches(&self) -> Vec<PlannedLaunch> {
        planned_launches(self.tiles.chip(), self.queues.launches())
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
        let chip = self.tiles.chip_mut();
        let tile = chip.description().noc_coordinate(core).ok_or(DeviceError::BadAccess {
            what: "L1 of a core outside the chip",
            offset: address.0,
            length: buffer.len() as u64,
        })?;
        chip.access().read(tile, address, buffer)
    }

    /// Reads all of a buffer; `None` if it is larger than the host's memory.
    ///
    /// # Errors
    /// The device's.
    pub fn inspect(&mut self, extent: &BufferExtent) -> Result<Option<BufferBytes>, DeviceError> {
        chip::inspect(self.tiles.chip_mut(), extent)
    }

    /// Watches a byte of a tile's memory from now on, and no other one. False if the device cannot tell who writes.
    pub fn watch(&mut self, tile: PhysicalCoordinate, address: TileAddress) -> bool {
        self.observation.watch(self.tiles.chip_mut(), tile, address)
    }

    /// The writes to the watched byte that were not taken before, in their order.
    pub fn take_writes(&mut self) -> Vec<LastWrite> {
        self.observation.take_writes(&mut self.tiles)
    }

    /// Profiles launches from now on. False if their times cannot be told: firmware has no markers, and the device cannot
    /// tell the activity of its cores, or dispatchers may launch a program on the tiles of one that runs, so that the launch for
    /// which a core works is not known.
    pub fn profile(&mut self) -> bool {
        let chip = self.tiles.chip_mut();
        let tells_launches_apart = self.launcher.tells_launches_apart(chip);
        self.observation.profile(chip, tells_launches_apart)
    }

    /// The profiles of the launches that are known to have ended and were not taken before, in the order of their ends.
    /// `stopped` says that the device has stopped, so that launches under way do not come to their end.
    pub fn take_launches(&mut self, stopped: bool) -> Vec<LaunchProfile> {
        let rests = self.launcher.note_ends(&mut self.tiles, &mut self.observation, stopped);
        self.observation.take_launches(&mut self.tiles, rests, stopped)
    }

    /// The work of dispatchers and the moves that they were given, as far as it was not taken before.
    pub fn take_queues_profile(&mut self) -> QueuesProfile {
        self.observation.take_queues(&mut self.tiles)
    }
}
