//! The dispatchers of all queues: each boots before the first command, and all are waited for together.

use std::collections::BTreeMap;
use std::sync::Arc;

use hallmark_chip::{Advance, LogicalCore, TileAddress};
use hallmark_device_code::Mailbox;
use hallmark_schema::model::{CommandIndex, DispatchSettings, EventId, QueueId};

use super::commands;
use super::completion::{PendingRead, ReadPiece};
use super::dispatcher::{Dispatcher, Progress, usable_dispatch_settings};
use super::submitted::Launches;
use crate::InternalError;
use crate::addresses::{BufferExtent, HostPages, Run, runs};
use crate::launch::ProgramLaunch;
use crate::observer::Observer;
use crate::order;
use crate::settings::EngineSettings;
use crate::stop::{LastLaunch, RawStop, Unfinished};
use crate::tiles::{
    Advanced, DispatchTile, FIRST_SLICE, LONGEST_SLICE, TileLayout, Tiles, unfinished, without_idle,
};

/// The host's reaction to a full ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WhenFull {
    /// It waits for room.
    Wait,
    /// It keeps the commands: the program that the dispatcher waits for may need a command that the other dispatcher is
    /// given next.
    Keep,
}

/// An event that a dispatcher has recorded or is about to record.
#[derive(Clone, Copy, Debug)]
struct RecordedEvent {
    /// The index of its queue.
    queue: usize,
    /// The number that the queue's dispatcher gives it.
    number: u32,
    /// The commands that are done once it has happened.
    before: order::Progress,
}

/// The dispatchers of all queues.
#[derive(Debug)]
pub(crate) struct Dispatchers {
    settings: DispatchSettings,
    queues: u32,
    /// Ticks that a program may take.
    tick_budget: u64,
    when_full: WhenFull,
    /// By queue; none before the first command.
    running: Vec<Dispatcher>,
    /// The queue whose commands are submitted.
    serving: usize,
    recorded: BTreeMap<EventId, RecordedEvent>,
    last_launch: LastLaunch,
}

impl Dispatchers {
    /// Dispatchers that boot before their first command.
    pub(crate) fn new(settings: &EngineSettings, when_full: WhenFull) -> Self {
        Self {
            settings: usable_dispatch_settings(settings.dispatch_settings),
            queues: u32::from(settings.num_command_queues),
            tick_budget: settings.tick_budget,
            when_full,
            running: Vec::new(),
            serving: 0,
            recorded: BTreeMap::new(),
            last_launch: LastLaunch::default(),
        }
    }

    /// Brings all dispatchers up, if none runs yet; false if they ran already.
    ///
    /// # Errors
    /// They do not come up.
    pub(crate) fn boot(&mut self, tiles: &mut Tiles) -> Result<bool, RawStop> {
        if !self.running.is_empty() {
            return Ok(false);
        }
        for queue in 0..self.queues {
            self.running.push(Dispatcher::boot(tiles, queue, self.queues, &self.settings)?);
        }
        Ok(true)
    }

    /// The commands that follow are this queue's.
    pub(crate) fn serve(&mut self, queue: QueueId) {
        self.serving = usize::from(queue.0);
    }

    /// The tile of the dispatcher that is served, if it runs.
    pub(crate) fn served_tile(&self) -> Option<DispatchTile> {
        self.running.get(self.serving).map(Dispatcher::tile)
    }

    /// The launch that a stop names now.
    pub(crate) const fn last_launch(&mut self) -> &mut LastLaunch {
        &mut self.last_launch
    }

    /// Takes the launch that a queue's dispatcher carries out for the one that a stop names.
    pub(crate) fn blame(&mut self, queue: usize) {
        let last = self.running.get_mut(queue).and_then(Dispatcher::last_launch);
        if let Some(last) = last {
            self.last_launch = last;
        }
    }

    /// Whether every dispatcher has carried out and reported all that it was given.
    pub(crate) fn is_idle(&self) -> bool {
        self.running.iter().all(Dispatcher::is_idle)
    }

    /// Whether a queue's dispatcher has; true if it does not run.
    pub(crate) fn is_queue_idle(&self, queue: usize) -> bool {
        self.running.get(queue).is_none_or(Dispatcher::is_idle)
    }

    /// Whether a queue's dispatcher has carried out the command that shows this number.
    pub(crate) fn has_finished(&self, queue: usize, number: u32) -> bool {
        self.running.get(queue).is_some_and(|dispatcher| dispatcher.has_finished(number))
    }

    /// Whether a dispatcher has said that it has recorded an event.
    pub(crate) fn has_recorded(&self, event: EventId) -> bool {
        self.recorded.get(&event).is_some_and(|RecordedEvent { queue, number, .. }| {
            self.running.get(*queue).is_some_and(|dispatcher| dispatcher.has_recorded(*number))
        })
    }

    /// The commands that are done once an event has happened; nothing if no dispatcher was told to record it.
    pub(crate) fn done_at(&self, event: EventId) -> Option<order::Progress> {
        self.recorded.get(&event).map(|recorded| recorded.before)
    }

    /// Event ids count from 0 again.
    pub(crate) fn forget_events(&mut self) {
        self.recorded.clear();
    }

    /// The dispatcher that is served, which runs: all boot before the first command.
    pub(super) fn served(&mut self) -> Result<&mut Dispatcher, InternalError> {
        let dispatcher = self.running.get_mut(self.serving);
        dispatcher.ok_or_else(|| InternalError::new("there is no dispatcher"))
    }

    pub(super) fn all(&self) -> &[Dispatcher] {
        &self.running
    }

    /// No dispatcher has a trace any more.
    pub(super) fn forget_traces(&mut self) {
        self.running.iter_mut().for_each(Dispatcher::forget_traces);
    }

    /// Submits a command to the queue that is served. It goes into the ring when enough waits, or at the next
    /// [`Self::flush`].
    ///
    /// # Errors
    /// The device stops while the host waits for room.
    pub(super) fn submit(
        &mut self,
        tiles: &mut Tiles,
        command: &[u8],
        observer: &mut dyn Observer,
    ) -> Result<(), RawStop> {
        let ring = self.served()?.ring_mut();
        ring.push(command);
        if ring.is_due() { self.flush(tiles, observer) } else { Ok(()) }
    }

    /// Puts the waiting commands of the queue that is served into its ring, and tells the dispatcher.
    fn flush(&mut self, tiles: &mut Tiles, observer: &mut dyn Observer) -> Result<(), RawStop> {
        self.served()?.fill_ring(tiles)?;
        match self.when_full {
            WhenFull::Keep => {}
            WhenFull::Wait => {
                while self.served()?.ring().has_waiting() {
                    let has_room = |dispatcher: &Dispatcher| dispatcher.ring().has_room();
                    self.wait_for(tiles, self.serving, has_room, observer)?;
                    self.served()?.fill_ring(tiles)?;
                }
            }
        }
        Ok(())
    }

    /// Submits the write of an extent. `bytes` are the host's.
    ///
    /// # Errors
    /// The device stops while the host waits for room.
    pub(crate) fn write(
        &mut self,
        tiles: &mut Tiles,
        extent: &BufferExtent,
        bytes: &[u8],
        observer: &mut dyn Observer,
    ) -> Result<(), RawStop> {
        let banks = Arc::clone(tiles.chip().banks());
        let limit = self.served()?.ring().command_limit();
        let host = HostPages::of(extent);
        let mut memory = Vec::new();
        let mut commands = Vec::new();
        for (bank, Run { start, pages }) in runs(&banks, extent) {
            let gathered = host.gathered(&pages, bytes, &mut memory);
            commands::write(&[bank.tile], word(start)?, gathered, limit, &mut commands);
            for command in commands.drain(..) {
                self.submit(tiles, &command, observer)?;
            }
        }
        Ok(())
    }

    /// Submits the read of an extent.
    ///
    /// # Errors
    /// The device stops while the host waits for room, or the observer could not note the read.
    pub(crate) fn read(
        &mut self,
        tiles: &mut Tiles,
        extent: &BufferExtent,
        mut read: PendingRead,
        observer: &mut dyn Observer,
    ) -> Result<(), RawStop> {
        let banks = Arc::clone(tiles.chip().banks());
        let page_size = u32::try_from(extent.page_size)
            .map_err(|_| InternalError::new("a page beyond 4 GiB"))?;
        let mut commands = Vec::new();
        for (bank, Run { start, pages }) in runs(&banks, extent) {
            let (address, length) = (word(start)?, page_size * pages.len() as u32);
            commands.push(commands::read(bank.tile, address, length));
            read.expect(ReadPiece { bank: *bank, address, length, pages });
        }
        // Known before the first byte can come.
        self.served()?.expect(read);
        for command in commands {
            self.submit(tiles, &command, observer)?;
        }
        // A read without any page is complete.
        Ok(self.served()?.hand_out_reads(observer)?)
    }

    /// The commands of a launch. Of a program that the dispatcher keeps, they are its changes and a call.
    ///
    /// # Errors
    /// A kernel cannot be relocated.
    pub(crate) fn launch_commands(
        &mut self,
        launch: &Arc<ProgramLaunch>,
        layouts: &[TileLayout],
        binaries_placed: u64,
    ) -> Result<Vec<Vec<u8>>, InternalError> {
        let dispatcher = self.served()?;
        let limit = dispatcher.ring().command_limit();
        let own = [dispatcher.tile().noc];
        let programs = dispatcher.programs();
        let mut commands = commands::binaries(layouts, limit)?;
        if let Some(place) = programs.find(launch, binaries_placed) {
            commands.push(commands::call(place));
            return Ok(commands);
        }
        let words = commands::launch(layouts, limit);
        match programs.keep(launch, binaries_placed, words.concat()) {
            Some((place, changes)) => {
                for (address, bytes) in changes {
                    commands::write(&own, address, &bytes, limit, &mut commands);
                }
                commands.push(commands::call(place));
            }
            None => commands.extend(words),
        }
        Ok(commands)
    }

    /// Submits a launch with its commands.
    ///
    /// # Errors
    /// The device stops while the host waits for room.
    pub(crate) fn launch(
        &mut self,
        tiles: &mut Tiles,
        enqueue: CommandIndex,
        launch: &Arc<ProgramLaunch>,
        commands: &[Vec<u8>],
        observer: &mut dyn Observer,
    ) -> Result<(), RawStop> {
        let launch = Arc::clone(launch);
        self.served()?.launches(Launches::One { enqueue, launch });
        for command in commands {
            self.submit(tiles, command, observer)?;
        }
        Ok(())
    }

    /// Records an event: the commands that its queue was given before are done then. The other queue's dispatcher
    /// is told.
    ///
    /// # Errors
    /// The device stops while the host waits for room.
    pub(crate) fn record(
        &mut self,
        tiles: &mut Tiles,
        event: EventId,
        before: order::Progress,
        observer: &mut dyn Observer,
    ) -> Result<(), RawStop> {
        let queue = self.serving;
        let number = self.served()?.next_event();
        self.recorded.insert(event, RecordedEvent { queue, number, before });
        self.submit(tiles, &commands::record(number), observer)?;
        // The other one may wait for it before anything else is given to this one.
        self.flush(tiles, observer)
    }

    /// Lets the queue that is served wait for an event. One of its own has happened when its turn comes.
    ///
    /// # Errors
    /// The device stops while the host waits for room.
    pub(crate) fn wait(
        &mut self,
        tiles: &mut Tiles,
        event: EventId,
        observer: &mut dyn Observer,
    ) -> Result<(), RawStop> {
        match self.recorded.get(&event) {
            Some(&RecordedEvent { queue, number, .. }) if queue != self.serving => {
                self.submit(tiles, &commands::wait(number), observer)
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Has a number shown once everything before is done, and gives it.
    ///
    /// # Errors
    /// The device stops while the host waits for room.
    pub(crate) fn finish(
        &mut self,
        tiles: &mut Tiles,
        observer: &mut dyn Observer,
    ) -> Result<u32, RawStop> {
        let (number, command) = self.served()?.next_finish();
        self.submit(tiles, &command, observer)?;
        Ok(number)
    }

    /// Waits until everything that was submitted to any queue is done.
    ///
    /// # Errors
    /// The device stops.
    pub(crate) fn settle(
        &mut self,
        tiles: &mut Tiles,
        observer: &mut dyn Observer,
    ) -> Result<(), RawStop> {
        let served = self.serving;
        // One may wait for the other: all are told to go on before any is waited for.
        for queue in 0..self.running.len() {
            self.serving = queue;
            if !self.served()?.is_idle() {
                self.finish(tiles, observer)?;
                self.flush(tiles, observer)?;
            }
        }
        for queue in 0..self.running.len() {
            self.wait_for(tiles, queue, Dispatcher::is_idle, observer)?;
        }
        self.serving = served;
        Ok(())
    }

    /// Tells all dispatchers to stop. They are held in reset next, whether they do or not.
    pub(crate) fn stop(&mut self, tiles: &mut Tiles, observer: &mut dyn Observer) {
        for queue in 0..self.running.len() {
            self.serving = queue;
            let told = self.submit(tiles, &commands::end(), observer);
            let _ = told.and_then(|()| self.flush(tiles, observer));
        }
    }

    /// Lets the device run until a queue's dispatcher is where it should be.
    fn wait_for(
        &mut self,
        tiles: &mut Tiles,
        queue: usize,
        there: impl Fn(&Dispatcher) -> bool,
        observer: &mut dyn Observer,
    ) -> Result<(), RawStop> {
        self.wait_until(tiles, |running| running.get(queue).is_none_or(&there), observer)
    }

    /// Lets the device run until a dispatcher has reported something.
    ///
    /// # Errors
    /// The device stops.
    pub(crate) fn wait_for_news(
        &mut self,
        tiles: &mut Tiles,
        observer: &mut dyn Observer,
    ) -> Result<(), RawStop> {
        let all = |running: &[Dispatcher]| -> Vec<Progress> {
            running.iter().map(Dispatcher::progress).collect()
        };
        let before = all(&self.running);
        self.wait_until(tiles, |running| all(running) != before, observer)
    }

    /// Lets the device run until dispatchers are where they should be. The budget is that of a program; each report of a
    /// dispatcher begins it anew.
    fn wait_until(
        &mut self,
        tiles: &mut Tiles,
        there: impl Fn(&[Dispatcher]) -> bool,
        observer: &mut dyn Observer,
    ) -> Result<(), RawStop> {
        // A device that sees quiescence comes back by itself once there is nothing to wait for: until then
        // the host need not look, however much work the device was given.
        let comes_back = tiles.chip().capabilities().detects_deadlock;
        let longest = if comes_back { self.tick_budget / 8 } else { 0 }.max(LONGEST_SLICE);
        let mut slice = if comes_back { longest } else { FIRST_SLICE };
        let mut spent = 0u64;
        loop {
            if self.look(tiles, observer)? {
                spent = 0;
            }
            if there(&self.running) {
                return Ok(());
            }
            for dispatcher in &mut self.running {
                dispatcher.fill_ring(tiles)?;
            }
            let ticks = slice.min(self.tick_budget.saturating_sub(spent));
            if ticks == 0 {
                let cores = self.unfinished(tiles)?;
                return Err(RawStop::Hang(Unfinished { ticks: spent, cores }));
            }
            let Advanced { advance, ticks, has_news } =
                tiles.advance(ticks, |tiles| self.look(tiles, observer))?;
            spent = if has_news { 0 } else { spent.saturating_add(ticks) };
            slice = (slice * 2).min(longest);
            if let Advance::Quiescent(waiting) = advance {
                if !has_news && !self.look(tiles, observer)? && !there(&self.running) {
                    return Err(RawStop::Deadlock(without_idle(tiles, waiting)));
                }
                // It came back before its time.
                spent = 0;
            }
        }
    }

    /// The cores of the launches under way that are not done.
    fn unfinished(&mut self, tiles: &mut Tiles) -> Result<Vec<LogicalCore>, RawStop> {
        let mailbox = tiles.chip().firmware().memory().mailbox.start;
        let done = TileAddress(u64::from(mailbox + Mailbox::DONE));
        let mut cores = Vec::new();
        for dispatcher in &mut self.running {
            if let Some(current) = dispatcher.current() {
                cores.extend(unfinished(tiles, &current.tiles, done, current.go)?);
            }
        }
        Ok(cores)
    }

    /// Reads how far dispatchers are and takes the data that has come. Whether anything moved.
    ///
    /// # Errors
    /// The device's, or the observer could not note a read.
    pub(crate) fn look(
        &mut self,
        tiles: &mut Tiles,
        observer: &mut dyn Observer,
    ) -> Result<bool, RawStop> {
        let mut moved = false;
        for dispatcher in &mut self.running {
            let Some(news) = dispatcher.look(tiles)? else { continue };
            if let Some(last) = news.launched {
                tiles.prints_mut().belong_to(last.enqueue);
                self.last_launch = last;
            }
            // A stop names the program launched last, so that before the first one no program is to blame.
            dispatcher.take_data(tiles, self.last_launch.enqueue.is_some(), observer)?;
            moved = true;
        }
        Ok(moved)
    }
}

/// An address as commands hold it.
fn word(address: TileAddress) -> Result<u32, InternalError> {
    u32::try_from(address.0).map_err(|_| InternalError::new("a bank beyond 4 GiB of its tile"))
}
