//! Dispatch on the device: what was enqueued becomes commands in a dispatcher's ring.
//!
//! Where a device wants to be told what memory is for, that is said while nothing runs: such a device gets
//! one launch after the other. So does one that ends its process on a fault, so that its journal names
//! the launch. Where launches of two queues are to overlap, it is said while nothing runs on the launch's own
//! tiles ([`crate::queue`]).

use std::collections::VecDeque;
use std::sync::Arc;

use hallmark_chip::{
    Advance, FaultMemory, LogicalCore, Meaning, Noc, NocCoordinate, Processor, TileAddress,
    Unwritten,
};
use hallmark_device_code::Mailbox;
use hallmark_device_code::dispatch_abi::{
    COMPLETION_SPACE, Control, DISPATCH_ABI, DispatchTile, Status,
};
use hallmark_schema::model::{BufferId, CommandIndex, ContentHash, DispatchMode, EventId, QueueId};

use super::commands;
use super::dispatcher::{
    Dispatcher, Launches, PendingRead, Progress, ReadPiece, boot_image, boot_status,
};
use super::{FIRST_SLICE, LONGEST_SLICE, LaunchEnd, Unfinished, usable_dispatch_settings};
use crate::InternalError;
use crate::addresses::BufferExtent;
use crate::engine::Engine;
use crate::halt::Halt;
use crate::launch::ProgramLaunch;
use crate::observer::{CompletedRead, Observer};
use crate::queue::{self, HostPages, RecordedEvent, Run, Runs};

impl Engine {
    /// Whether programs are dispatched on the device.
    pub(crate) fn dispatches_on_device(&self) -> bool {
        self.settings.dispatch == DispatchMode::Device
    }

    /// Whether the device wants to know what memory is for.
    pub(super) fn wants_meanings(&self) -> bool {
        let capabilities = self.chip.capabilities();
        capabilities.detects_uninitialised || capabilities.detects_races
    }

    /// Whether nothing may be launched while something runs.
    pub(crate) fn launches_one_by_one(&self) -> bool {
        !self.overlaps() && (self.wants_meanings() || self.chip.capabilities().fault_ends_process)
    }

    /// Whether launches overlap on every device.
    pub(crate) fn overlaps(&self) -> bool {
        self.dispatches_on_device() && self.settings.dispatch_settings.overlap
    }

    /// A buffer's memory becomes or ceases to be one.
    pub(crate) fn announce_extent(
        &mut self,
        extent: &BufferExtent,
        meaning: Meaning,
        observer: &mut dyn Observer,
    ) -> Result<(), Halt> {
        if self.dispatches_on_device() && !self.wants_meanings() {
            return Ok(());
        }
        // What becomes a buffer is nobody's before.
        if !(self.overlaps() && meaning == Meaning::Buffer) {
            self.settle(observer)?;
        }
        self.annotate_extent(extent, meaning)
    }

    pub(crate) fn submit_write(
        &mut self,
        extent: &BufferExtent,
        bytes: &[u8],
        observer: &mut dyn Observer,
    ) -> Result<(), Halt> {
        let banks = self.banks.of(extent.buffer_type).to_vec();
        let limit = self.dispatcher()?.command_limit();
        let host = HostPages::of(extent);
        let mut memory = Vec::new();
        let mut commands = Vec::new();
        for (bank, index) in banks.iter().zip(0..) {
            for Run { start, pages } in Runs::new(extent, index, bank) {
                let gathered = host.gathered(&pages, bytes, &mut memory);
                self.profile_moves_piece(bank.physical, start, gathered.len() as u64);
                commands::write(&[bank.tile], word(start)?, gathered, limit, &mut commands);
                for command in commands.drain(..) {
                    self.enqueue_command(&command, observer)?;
                }
            }
        }
        Ok(())
    }

    pub(crate) fn submit_read(
        &mut self,
        extent: &BufferExtent,
        mut read: PendingRead,
        observer: &mut dyn Observer,
    ) -> Result<(), Halt> {
        let banks = self.banks.of(extent.buffer_type).to_vec();
        let page_size = u32::try_from(extent.page_size)
            .map_err(|_| InternalError::new("a page beyond 4 GiB"))?;
        let mut commands = Vec::new();
        for (bank, index) in banks.iter().zip(0..) {
            for Run { start, pages } in Runs::new(extent, index, bank) {
                let (address, length) = (word(start)?, page_size * pages.len() as u32);
                commands.push(commands::read(bank.tile, address, length));
                self.profile_moves_piece(bank.physical, start, length.into());
                let tile = bank.physical;
                read.pieces.push_back(ReadPiece { tile, address, length, pages });
            }
        }
        // Known before the first byte can come.
        self.dispatcher()?.reads.push_back(read);
        for command in commands {
            self.enqueue_command(&command, observer)?;
        }
        // One without any page is complete.
        self.complete_reads(self.serving, observer)
    }

    pub(crate) fn submit_launch(
        &mut self,
        enqueue: CommandIndex,
        replay: Option<CommandIndex>,
        launch: &Arc<ProgramLaunch>,
        observer: &mut dyn Observer,
    ) -> Result<(), Halt> {
        if self.launches_one_by_one() {
            self.settle(observer)?;
            self.profile_closes(true);
        }
        self.launches = self.launches.wrapping_add(1);
        let layouts = self.lay_out_program(launch)?;
        let binaries_placed = self.binaries_placed;
        let dispatcher = self.dispatcher()?;
        let limit = dispatcher.command_limit();
        let mut commands = commands::binaries(&layouts, limit)?;
        match dispatcher.programs.find(launch, binaries_placed) {
            Some(place) => commands.push(commands::call(place)),
            None => {
                let words = commands::launch(&layouts, limit);
                match dispatcher.programs.keep(launch, binaries_placed, words.concat()) {
                    Some((place, changes)) => {
                        for (address, bytes) in changes {
                            let own = [dispatcher.noc];
                            commands::write(&own, address, &bytes, limit, &mut commands);
                        }
                        commands.push(commands::call(place));
                    }
                    None => commands.extend(words),
                }
            }
        }
        observer.executing(enqueue)?;
        self.profile_opens(enqueue, replay, launch);
        self.awaits_markers(enqueue, replay, launch);
        let launch = Arc::clone(launch);
        self.dispatcher()?.launches(Launches::One { enqueue, launch });
        for command in commands {
            self.enqueue_command(&command, observer)?;
        }
        let waits = self.chip.capabilities().fault_ends_process && !self.overlaps();
        if waits { self.settle(observer) } else { Ok(()) }
    }

    /// The next commands are this queue's.
    pub(crate) fn serve(&mut self, queue: QueueId) {
        self.serving = usize::from(queue.0);
    }

    /// Records an event: whatever its queue was given before is done then. The other queue's dispatcher
    /// is told.
    pub(crate) fn submit_record(
        &mut self,
        event: EventId,
        before: queue::Progress,
        observer: &mut dyn Observer,
    ) -> Result<(), Halt> {
        let queue = self.serving;
        let number = self.dispatcher()?.next_event();
        self.recorded.insert(event, RecordedEvent { queue, number, before });
        self.enqueue_command(&commands::record(number), observer)?;
        // The other one may wait for it before anything else is given to this one.
        self.ring_doorbell(observer)
    }

    /// Lets the queue wait for an event. One of its own has happened when its turn comes.
    pub(crate) fn submit_wait(
        &mut self,
        event: EventId,
        observer: &mut dyn Observer,
    ) -> Result<(), Halt> {
        match self.recorded.get(&event) {
            Some(&RecordedEvent { queue, number, .. }) if queue != self.serving => {
                self.enqueue_command(&commands::wait(number), observer)
            }
            _ => Ok(()),
        }
    }

    /// The dispatcher of the queue that is served, which is there: all boot before the first command.
    pub(super) fn dispatcher(&mut self) -> Result<&mut Dispatcher, Halt> {
        if self.dispatchers.is_empty() {
            for queue in 0..u32::from(self.settings.num_command_queues) {
                let dispatcher = self.boot_dispatcher(queue)?;
                self.dispatchers.push(dispatcher);
            }
            // To come up is no work for a queue.
            self.profile_forgets();
        }
        let dispatcher = self.dispatchers.get_mut(self.serving);
        Ok(dispatcher.ok_or_else(|| InternalError::new("there is no dispatcher"))?)
    }

    fn boot_dispatcher(&mut self, queue: u32) -> Result<Dispatcher, Halt> {
        let description = self.chip.description();
        let firmware = Arc::clone(&self.firmware);
        let image = firmware
            .dispatcher()
            .ok_or_else(|| InternalError::new("the firmware has no dispatcher"))?;
        let core = description
            .dispatch_core(queue)
            .ok_or_else(|| InternalError::new("the chip has no tile for dispatch"))?;
        let place =
            |core: LogicalCore| description.noc_coordinate(core).zip(description.physical(core));
        let (noc, physical) =
            place(core).ok_or_else(|| InternalError::new(format!("no tile for core {core}")))?;
        let settings = usable_dispatch_settings(self.settings.dispatch_settings);
        let host = self.chip.pin_host_memory(Dispatcher::host_memory(&settings))?;
        let dispatcher =
            Dispatcher::new(queue, (noc, physical), host, settings, description.l1_size);
        let on_both = Noc::ALL.map(|network| description.on_noc(network, noc));
        let mailbox = firmware.memory().mailbox.start;
        let other = (0..u32::from(self.settings.num_command_queues)).find(|other| *other != queue);
        let peer = other.and_then(|other| description.dispatch_core(other));
        let peer = peer.and_then(|core| description.noc_coordinate(core));
        let control = dispatcher.control(on_both, description.pcie_tile, peer, mailbox);
        let tables = self.encoded_bank_tables()?;
        // What a dispatcher writes to the host before anything else are zeroes.
        let ranges =
            [(DispatchTile::IMAGE, Meaning::Code), (DispatchTile::CONTROL, Meaning::Mailbox)];
        for (range, meaning) in ranges {
            let start = TileAddress(u64::from(range.start));
            self.chip.annotate(physical, start, u64::from(range.size()), meaning)?;
        }
        for (address, bytes) in boot_image(image, &tables, &control) {
            self.chip.write(noc, address, bytes)?;
        }
        self.chip.order()?;
        let reset = description.reset;
        self.chip.write_word(noc, reset.soft_reset, reset.all_but(Processor::Brisc))?;
        let (status, ready) = boot_status();
        let end = self.poll(vec![noc], status, ready, self.settings.boot_budget)?;
        if !matches!(end, LaunchEnd::Done) {
            return Err(self.boot_failure(&[(core, noc)], status).into());
        }
        let abi = TileAddress(u64::from(DispatchTile::CONTROL.start + Control::ABI));
        let abi = self.chip.read_word(noc, abi)?;
        if abi != DISPATCH_ABI {
            let what = format!("the dispatcher has dispatch ABI {abi}, not {DISPATCH_ABI}");
            return Err(self.lost(what).into());
        }
        Ok(dispatcher)
    }

    /// Has a number shown once everything before is done, and gives it.
    pub(crate) fn submit_finish(&mut self, observer: &mut dyn Observer) -> Result<u32, Halt> {
        let (number, command) = self.dispatcher()?.next_finish();
        self.enqueue_command(&command, observer)?;
        Ok(number)
    }

    /// Waits until everything that was submitted to any queue is done.
    pub(crate) fn settle(&mut self, observer: &mut dyn Observer) -> Result<(), Halt> {
        let served = self.serving;
        // One may wait for the other: all are told to go on before any is waited for.
        for queue in 0..self.dispatchers.len() {
            self.serving = queue;
            if !self.dispatcher()?.is_idle() {
                self.submit_finish(observer)?;
                self.ring_doorbell(observer)?;
            }
        }
        for queue in 0..self.dispatchers.len() {
            self.serving = queue;
            self.wait_for_dispatcher(Dispatcher::is_idle, observer)?;
        }
        self.serving = served;
        Ok(())
    }

    /// Lets the device run until the dispatcher that is served is where it should be.
    pub(super) fn wait_for_dispatcher(
        &mut self,
        there: impl Fn(&Dispatcher) -> bool,
        observer: &mut dyn Observer,
    ) -> Result<(), Halt> {
        let serving = self.serving;
        self.wait_until(|dispatchers| dispatchers.get(serving).is_none_or(&there), observer)
    }

    /// Lets the device run until a dispatcher has reported something.
    pub(crate) fn wait_for_news(&mut self, observer: &mut dyn Observer) -> Result<(), Halt> {
        let all = |dispatchers: &[Dispatcher]| -> Vec<Progress> {
            dispatchers.iter().map(|dispatcher| dispatcher.progress).collect()
        };
        let before = all(&self.dispatchers);
        self.wait_until(|dispatchers| all(dispatchers) != before, observer)
    }

    /// Lets the device run until dispatchers are where they should be. The budget is that of a program:
    /// whatever a dispatcher reports begins it anew.
    fn wait_until(
        &mut self,
        there: impl Fn(&[Dispatcher]) -> bool,
        observer: &mut dyn Observer,
    ) -> Result<(), Halt> {
        // A device that sees quiescence comes back by itself once there is nothing to wait for: until then
        // nobody need look, however much it was given to do.
        let comes_back = self.chip.capabilities().detects_deadlock;
        let longest = if comes_back { self.settings.tick_budget / 8 } else { 0 }.max(LONGEST_SLICE);
        let mut slice = if comes_back { longest } else { FIRST_SLICE };
        let mut spent = 0u64;
        loop {
            if self.look(observer)? {
                spent = 0;
            }
            if there(&self.dispatchers) {
                return Ok(());
            }
            for queue in 0..self.dispatchers.len() {
                self.fill_ring(queue)?;
            }
            let ticks = slice.min(self.settings.tick_budget.saturating_sub(spent));
            if ticks == 0 {
                let cores = self.unfinished_of_current()?;
                return Err(Halt::Hang(Unfinished { ticks: spent, cores }));
            }
            let advance = self.chip.advance(ticks)?;
            spent = spent.saturating_add(ticks);
            slice = (slice * 2).min(longest);
            if let Advance::Quiescent(waiting) = advance {
                if !self.look(observer)? && !there(&self.dispatchers) {
                    return Err(Halt::Deadlock(self.without_idle(waiting)));
                }
                // It came back before its time.
                spent = 0;
            }
        }
    }

    /// The tiles of the launch that is carried out which are not done.
    fn unfinished_of_current(&mut self) -> Result<Vec<LogicalCore>, Halt> {
        let done = TileAddress(u64::from(self.firmware.memory().mailbox.start + Mailbox::DONE));
        let mut cores = Vec::new();
        for queue in 0..self.dispatchers.len() {
            let current = self.dispatchers.get_mut(queue).and_then(Dispatcher::current);
            if let Some(current) = current {
                cores.extend(self.unfinished(&current.tiles, done, current.go)?);
            }
        }
        Ok(cores)
    }

    /// Reads how far dispatchers are and takes the data that has come. Whether anything moved.
    pub(crate) fn look(&mut self, observer: &mut dyn Observer) -> Result<bool, Halt> {
        let mut moved = false;
        for queue in 0..self.dispatchers.len() {
            let Some(dispatcher) = self.dispatchers.get_mut(queue) else { continue };
            let mut line = [0; Status::SIZE as usize];
            self.chip.pinned_read(dispatcher.host.id, 0, &mut line)?;
            let now = Progress::decode(&line);
            // Zeroes until it has said anything.
            if line.iter().all(|byte| *byte == 0) || now == dispatcher.progress {
                continue;
            }
            let launched = now.begun != dispatcher.progress.begun;
            dispatcher.progress = now;
            if launched && let Some((enqueue, replay)) = dispatcher.current_enqueue() {
                self.last_launch = Some(enqueue);
                self.replaying = replay;
            }
            self.take_data(queue, observer)?;
            moved = true;
        }
        Ok(moved)
    }

    /// Takes what a completion space holds.
    fn take_data(&mut self, queue: usize, observer: &mut dyn Observer) -> Result<(), Halt> {
        let asks = self.last_launch.is_some() && self.chip.capabilities().detects_uninitialised;
        let Self { chip, dispatchers, .. } = self;
        let Some(dispatcher) = dispatchers.get_mut(queue) else { return Ok(()) };
        let produced = dispatcher.progress.produced;
        let size = dispatcher.settings.completion_size;
        for read in &mut dispatcher.reads {
            while let Some(piece) = read.pieces.front() {
                if read.arrived.is_empty() {
                    let start = Dispatcher::start_of(dispatcher.expected, piece.address);
                    // Signed distance: positions wrap.
                    if produced.wrapping_sub(start) as i32 <= 0 {
                        break;
                    }
                    dispatcher.expected = start;
                }
                let there = produced.wrapping_sub(dispatcher.expected);
                let place = dispatcher.expected & (size - 1);
                let missing = piece.length - read.arrived.len() as u32;
                let part = there.min(missing).min(size - place);
                if part == 0 {
                    break;
                }
                let old = read.arrived.len();
                read.arrived.resize(old + part as usize, 0);
                let offset = u64::from(COMPLETION_SPACE + place);
                let memory = dispatcher.host.id;
                let target = read.arrived.get_mut(old..).unwrap_or_default();
                chip.pinned_read(memory, offset, target)?;
                if asks && let Some(found) = chip.pinned_unwritten(memory, offset, part.into())? {
                    let offset = old as u64 + found;
                    let address = TileAddress(u64::from(piece.address) + offset);
                    let memory = FaultMemory { tile: piece.tile, address, length: 1 };
                    let source = memory.to_string();
                    let (tile, length, memory) = (piece.tile, memory.length, Some(memory));
                    let found = Unwritten { tile, offset, length, source, memory };
                    return Err(Halt::Device(read.host.unwritten(&piece.pages, found).into()));
                }
                dispatcher.expected = dispatcher.expected.wrapping_add(part);
                if read.arrived.len() as u32 == piece.length {
                    read.place_pages();
                }
            }
            if !read.pieces.is_empty() {
                break;
            }
        }
        let told = std::mem::replace(&mut dispatcher.drained, dispatcher.expected);
        let (noc, drained) = (dispatcher.noc, dispatcher.drained);
        // What has come is handed out even if the device has stopped and takes no more words.
        self.complete_reads(queue, observer)?;
        if drained != told {
            let word = TileAddress(u64::from(DispatchTile::CONTROL.start + Control::DRAINED));
            self.chip.write_word(noc, word, drained)?;
        }
        Ok(())
    }

    /// Hands out reads that have come in full.
    fn complete_reads(&mut self, queue: usize, observer: &mut dyn Observer) -> Result<(), Halt> {
        while let Some(dispatcher) = self.dispatchers.get_mut(queue)
            && dispatcher.reads.front().is_some_and(|read| read.pieces.is_empty())
            && let Some(read) = dispatcher.reads.pop_front()
        {
            let PendingRead { command, buffer, output, exact, bytes, .. } = read;
            let read = CompletedRead { command, buffer, output, bytes: bytes.into() };
            observer.read_completed(read, exact)?;
        }
        Ok(())
    }

    /// Tells dispatchers to stop, and gives their tiles.
    pub(crate) fn stop_dispatchers(&mut self, observer: &mut dyn Observer) -> Vec<NocCoordinate> {
        let tiles = self.dispatchers.iter().map(|dispatcher| dispatcher.noc).collect();
        for queue in 0..self.dispatchers.len() {
            self.serving = queue;
            // Whether it stops or not, it is held in reset next.
            let told = self.enqueue_command(&commands::end(), observer);
            let _ = told.and_then(|()| self.ring_doorbell(observer));
        }
        tiles
    }
}

impl PendingRead {
    /// Nothing of it has come.
    pub(crate) fn new(
        command: CommandIndex,
        buffer: BufferId,
        output: String,
        exact: Option<ContentHash>,
        extent: &BufferExtent,
    ) -> Result<Self, InternalError> {
        let size = usize::try_from(extent.size())
            .map_err(|_| InternalError::new("a buffer beyond the address space"))?;
        Ok(Self {
            command,
            buffer,
            output,
            exact,
            host: HostPages::of(extent),
            bytes: vec![0; size],
            pieces: VecDeque::new(),
            arrived: Vec::new(),
        })
    }

    /// The first piece has come in full: its pages go where they belong.
    fn place_pages(&mut self) {
        let Some(piece) = self.pieces.pop_front() else { return };
        self.host.scatter(&piece.pages, &self.arrived, &mut self.bytes);
        self.arrived.clear();
    }
}

/// An address as commands hold it.
fn word(address: TileAddress) -> Result<u32, InternalError> {
    u32::try_from(address.0).map_err(|_| InternalError::new("a bank beyond 4 GiB of its tile"))
}
