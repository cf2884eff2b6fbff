//! A dispatcher as the host sees it: its ring, its completion space, and how far it says it is.

use std::ops::Range;

use hallmark_chip::{
    DeviceError, FaultMemory, Noc, NocCoordinate, PinnedMemory, PinnedMemoryId, TileAddress,
    Unwritten,
};
use hallmark_device_code::dispatch_abi::{
    self, COMPLETION_ALIGNMENT, COMPLETION_SPACE, Config, Control, Status,
};
use hallmark_schema::model::DispatchSettings;

use super::commands;
use super::completion::{Completion, PendingRead};
use super::loaded_traces::LoadedTraces;
use super::program_store::ProgramStore;
use super::ring::Ring;
use super::submitted::{CurrentLaunch, Launches, SubmittedLaunches};
use crate::InternalError;
use crate::addresses::Bank;
use crate::chip::tile_word;
use crate::chip_access::ChipAccess;
use crate::observer::{NotObserved, Observer};
use crate::stop::{LastLaunch, RawStop};
use crate::tiles::{DispatchTile, Tiles, boot_dispatch_tile};

/// Of the memory behind the ring, which part is for programs.
const PROGRAMS_SHARE: u32 = 3;

/// The sizes that a dispatcher's tile has room for.
const RING_SIZES: Range<u32> = 0x1000..0x8_0001;
const COMPLETION_SIZES: Range<u32> = 0x1000..0x1000_0001;

/// The nearest settings that a dispatcher can use.
#[must_use]
pub fn usable_dispatch_settings(settings: DispatchSettings) -> DispatchSettings {
    let within = |size: u32, range: Range<u32>| {
        let size = size.clamp(range.start, range.end - 1);
        1 << size.ilog2()
    };
    DispatchSettings {
        ring_size: within(settings.ring_size, RING_SIZES),
        completion_size: within(settings.completion_size, COMPLETION_SIZES),
        first_position: settings.first_position & !(COMPLETION_ALIGNMENT - 1),
        first_count: settings.first_count & !1,
        overlap: settings.overlap,
    }
}

/// The rest of a dispatcher's L1, behind the ring.
#[derive(Clone, Debug)]
struct Stores {
    /// For the kernels that traces copy.
    binaries: Range<u32>,
    programs: Range<u32>,
}

impl Stores {
    fn new(settings: &DispatchSettings, l1_size: u64) -> Self {
        let start = dispatch_abi::DispatchTile::RING.saturating_add(settings.ring_size);
        let end = u32::try_from(l1_size).unwrap_or(u32::MAX).max(start);
        let programs = end - (end - start) / PROGRAMS_SHARE;
        Self { binaries: start..programs, programs: programs..end }
    }
}

/// How far a dispatcher says it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Progress {
    consumed: u32,
    produced: u32,
    finished: u32,
    begun: u32,
    /// The event that was recorded last.
    event: u32,
}

impl Progress {
    fn decode(line: &[u8; Status::SIZE as usize]) -> Self {
        let word = |offset: u32| {
            let bytes = line.get(offset as usize..).and_then(|rest| rest.first_chunk());
            bytes.copied().map_or(0, u32::from_le_bytes)
        };
        Self {
            consumed: word(Status::CONSUMED),
            produced: word(Status::PRODUCED),
            finished: word(Status::FINISHED),
            begun: word(Status::BEGUN),
            event: word(Status::EVENT),
        }
    }
}

/// A change of a dispatcher's progress.
pub(super) struct News {
    /// The launch that has begun since, as a stop names it.
    pub(super) launched: Option<LastLaunch>,
}

/// A dispatcher.
#[derive(Debug)]
pub(super) struct Dispatcher {
    tile: DispatchTile,
    host: PinnedMemoryId,
    ring: Ring,
    completion: Completion,
    progress: Progress,
    /// The number that was asked for last, to be shown once all is done.
    finish: u32,
    /// The number of the last event.
    event: u32,
    launches: SubmittedLaunches,
    stores: Stores,
    traces: LoadedTraces,
    programs: ProgramStore,
}

impl Dispatcher {
    /// Brings the dispatcher of a queue up on its tile. There are so many queues.
    pub(super) fn boot(
        tiles: &mut Tiles,
        queue: u32,
        queues: u32,
        settings: &DispatchSettings,
    ) -> Result<Self, RawStop> {
        let description = tiles.chip().description();
        let core = description
            .dispatch_core(queue)
            .ok_or_else(|| InternalError::new("the chip has no tile for dispatch"))?;
        let place = description.noc_coordinate(core).zip(description.physical(core));
        let (noc, physical) =
            place.ok_or_else(|| InternalError::new(format!("no tile for core {core}")))?;
        let tile = DispatchTile { noc, physical };
        let size = u64::from(COMPLETION_SPACE) + u64::from(settings.completion_size);
        let host = tiles.chip_mut().access().pin_host_memory(size)?;
        let first_go = settings.first_count | queue;
        let other = (0..queues).find(|other| *other != queue);
        let peer = other.and_then(|other| description.dispatch_core(other));
        let control = control_block(
            settings,
            &ControlPlace {
                queue,
                first_go,
                noc: Noc::ALL.map(|network| description.on_noc(network, noc)),
                pcie: description.pcie_tile,
                peer: peer.and_then(|core| description.noc_coordinate(core)),
                mailbox: tiles.chip().firmware().memory().mailbox.start,
                host: &host,
            },
        );
        boot_dispatch_tile(tiles, core, tile, &control)?;
        let first = settings.first_position;
        let stores = Stores::new(settings, description.l1_size);
        let progress = Progress {
            consumed: first,
            produced: first,
            finished: 0,
            begun: 0,
            event: settings.first_count,
        };
        Ok(Self {
            tile,
            host: host.id,
            ring: Ring::new(settings.ring_size, first),
            completion: Completion::new(settings.completion_size, first),
            progress,
            finish: 0,
            event: settings.first_count,
            launches: SubmittedLaunches::new(first_go),
            traces: LoadedTraces::new(stores.binaries.clone()),
            programs: ProgramStore::new(stores.programs.start, stores.programs.end),
            stores,
        })
    }

    pub(super) const fn tile(&self) -> DispatchTile {
        self.tile
    }

    pub(super) const fn progress(&self) -> Progress {
        self.progress
    }

    pub(super) const fn ring(&self) -> &Ring {
        &self.ring
    }

    pub(super) const fn ring_mut(&mut self) -> &mut Ring {
        &mut self.ring
    }

    pub(super) const fn traces(&self) -> &LoadedTraces {
        &self.traces
    }

    pub(super) const fn traces_mut(&mut self) -> &mut LoadedTraces {
        &mut self.traces
    }

    pub(super) const fn programs(&mut self) -> &mut ProgramStore {
        &mut self.programs
    }

    /// Forgets every trace, so that region and store are filled from their start.
    pub(super) fn forget_traces(&mut self) {
        self.traces = LoadedTraces::new(self.stores.binaries.clone());
    }

    /// Whether it has carried out and reported all that it was given.
    pub(super) fn is_idle(&self) -> bool {
        self.ring.is_done() && self.progress.finished == self.finish
    }

    /// Whether it has carried out a command that shows this number.
    pub(super) const fn has_finished(&self, number: u32) -> bool {
        // Signed distance: numbers wrap.
        self.progress.finished.wrapping_sub(number) as i32 >= 0
    }

    /// Whether it has recorded the event of this number.
    pub(super) const fn has_recorded(&self, event: u32) -> bool {
        self.progress.event.wrapping_sub(event) as i32 >= 0
    }

    /// The number of the event that is recorded next.
    pub(super) const fn next_event(&mut self) -> u32 {
        self.event = self.event.wrapping_add(1);
        self.event
    }

    /// A number to be shown once everything is done, and the command that has it shown.
    pub(super) fn next_finish(&mut self) -> (u32, Vec<u8>) {
        self.finish = self.finish.wrapping_add(1);
        (self.finish, commands::finish(self.finish))
    }

    /// Notes launches that follow in the ring.
    pub(super) fn launches(&mut self, launches: Launches) {
        self.launches.push(launches);
    }

    /// The launch that it carries out, or carried out last, as a stop names it.
    pub(super) fn last_launch(&mut self) -> Option<LastLaunch> {
        self.launches.last(self.progress.begun)
    }

    /// The launch that it carries out, or carried out last, and its tiles.
    pub(super) fn current(&mut self) -> Option<CurrentLaunch> {
        self.launches.current(self.progress.begun)
    }

    /// The data of a read comes next.
    pub(super) fn expect(&mut self, read: PendingRead) {
        self.completion.expect(read);
    }

    /// Fills the ring as far as there is room, and tells the dispatcher.
    pub(super) fn fill_ring(&mut self, tiles: &mut Tiles) -> Result<(), RawStop> {
        let access = tiles.chip_mut().access();
        let noc = self.tile.noc;
        let written = self.ring.fill(|offset, bytes| {
            let address = u64::from(dispatch_abi::DispatchTile::RING + offset);
            access.write(noc, TileAddress(address), bytes)
        })?;
        if let Some(written) = written {
            access.order()?;
            access.write_word(noc, control_word(Control::WRITTEN), written)?;
        }
        Ok(())
    }

    /// Reads its status line; nothing if nothing has changed.
    pub(super) fn look(&mut self, tiles: &mut Tiles) -> Result<Option<News>, RawStop> {
        let mut line = [0; Status::SIZE as usize];
        tiles.chip_mut().access().pinned_read(self.host, 0, &mut line)?;
        let now = Progress::decode(&line);
        // Zeroes until it has said anything.
        if line.iter().all(|byte| *byte == 0) || now == self.progress {
            return Ok(None);
        }
        let has_launched = now.begun != self.progress.begun;
        self.progress = now;
        self.ring.consume(now.consumed);
        let launched = if has_launched { self.last_launch() } else { None };
        Ok(Some(News { launched }))
    }

    /// Takes the data that the completion space holds. With `refuses_unwritten`, a byte that nothing has written is a
    /// fault where the device knows of it.
    pub(super) fn take_data(
        &mut self,
        tiles: &mut Tiles,
        refuses_unwritten: bool,
        observer: &mut dyn Observer,
    ) -> Result<(), RawStop> {
        let asks = refuses_unwritten && tiles.chip().capabilities().detects_uninitialised;
        let (access, host) = (tiles.chip_mut().access(), self.host);
        let told = self.completion.take(self.progress.produced, &mut |offset, bytes, from| {
            access.pinned_read(host, offset, bytes)?;
            if !asks {
                return Ok(None);
            }
            let pinned = (host, offset, bytes.len() as u64);
            first_unwritten(access, pinned, from)
        })?;
        // Data that has come is handed out even if the device has stopped and takes no more words.
        self.hand_out_reads(observer)?;
        if let Some(drained) = told {
            access.write_word(self.tile.noc, control_word(Control::DRAINED), drained)?;
        }
        Ok(())
    }

    /// Hands out the reads that have come in full.
    pub(super) fn hand_out_reads(
        &mut self,
        observer: &mut dyn Observer,
    ) -> Result<(), NotObserved> {
        while let Some((read, exact)) = self.completion.next_completed() {
            observer.read_completed(read, exact)?;
        }
        Ok(())
    }
}

/// The first byte of a range of pinned memory, given by its offset and length, that nothing has written, where the device
/// knows. The range was copied from this address of the bank's tile.
fn first_unwritten(
    access: &mut ChipAccess,
    (pinned, offset, length): (PinnedMemoryId, u64, u64),
    (bank, TileAddress(from)): (&Bank, TileAddress),
) -> Result<Option<Unwritten>, DeviceError> {
    let Some(offset) = access.pinned_unwritten(pinned, offset, length)? else { return Ok(None) };
    let (tile, address) = (bank.physical, TileAddress(from.saturating_add(offset)));
    // The tile may hold other bytes by now.
    let found = access.unwritten(bank.tile, address, 1)?.unwrap_or_else(|| {
        let memory = FaultMemory { tile, address, length: 1 };
        let source = memory.to_string();
        Unwritten { tile, offset, length: 1, source, memory: Some(memory), carrier: None }
    });
    Ok(Some(Unwritten { offset, ..found }))
}

fn control_word(offset: u32) -> TileAddress {
    TileAddress(u64::from(dispatch_abi::DispatchTile::CONTROL.start + offset))
}

/// The place of a dispatcher and of its surroundings.
struct ControlPlace<'a> {
    queue: u32,
    /// The first go follows this one.
    first_go: u32,
    /// Its own tile on both networks.
    noc: [NocCoordinate; 2],
    pcie: NocCoordinate,
    /// The tile of the other queue's dispatcher.
    peer: Option<NocCoordinate>,
    /// Where the mailboxes of workers lie.
    mailbox: u32,
    host: &'a PinnedMemory,
}

/// The words of [`Control`] before a dispatcher starts.
fn control_block(settings: &DispatchSettings, place: &ControlPlace<'_>) -> Vec<u8> {
    let mut words = vec![0u32; dispatch_abi::DispatchTile::CONTROL.size() as usize / 4];
    let [first, second] = place.noc;
    let host = place.host.noc_address.0;
    for (offset, value) in [
        (Control::WRITTEN, settings.first_position),
        (Control::DRAINED, settings.first_position),
        (Control::WORKERS_DONE, settings.first_count),
        (Control::EVENTS, settings.first_count),
        (Control::EVENTS + 16, settings.first_count),
        (
            Control::CONFIG + Config::NOC_XY,
            u32::from_le_bytes([first.x, second.x, first.y, second.y]),
        ),
        (Control::CONFIG + Config::QUEUE, place.queue),
        (Control::CONFIG + Config::RING_SIZE, settings.ring_size),
        (Control::CONFIG + Config::FIRST_POSITION, settings.first_position),
        (Control::CONFIG + Config::HOST_TILE, tile_word(place.pcie)),
        (Control::CONFIG + Config::HOST_LOW, host as u32),
        (Control::CONFIG + Config::HOST_HIGH, (host >> 32) as u32),
        (Control::CONFIG + Config::COMPLETION_SIZE, settings.completion_size),
        (Control::CONFIG + Config::PEER_TILE, place.peer.map_or(0, tile_word)),
        (Control::CONFIG + Config::MAILBOX, place.mailbox),
        (Control::CONFIG + Config::FIRST_DONE, settings.first_count),
        (Control::CONFIG + Config::FIRST_GO, place.first_go),
        (Control::CONFIG + Config::FIRST_COMPLETION, settings.first_position),
        (Control::CONFIG + Config::FIRST_EVENT, settings.first_count),
    ] {
        if let Some(word) = words.get_mut(offset as usize / 4) {
            *word = value;
        }
    }
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(ring_size: u32, first_position: u32) -> DispatchSettings {
        DispatchSettings { ring_size, first_position, ..DispatchSettings::default() }
    }

    #[test]
    fn settings_become_the_nearest_usable_ones() {
        for (asked, usable) in [
            (0, 0x1000),
            (0x1000, 0x1000),
            (0x1FFF, 0x1000),
            (0x2000, 0x2000),
            (0x8_0000, 0x8_0000),
            (u32::MAX, 0x8_0000),
        ] {
            assert_eq!(
                usable_dispatch_settings(settings(asked, 0)).ring_size,
                usable,
                "{asked:#x}"
            );
        }
        let position = usable_dispatch_settings(settings(0x1000, u32::MAX)).first_position;
        assert_eq!(position, u32::MAX - (COMPLETION_ALIGNMENT - 1));
    }

    #[test]
    fn the_memory_behind_the_ring_is_shared_out() {
        let ring = dispatch_abi::DispatchTile::RING;
        let stores = Stores::new(&settings(0x1000, 0), u64::from(ring) + 0x1000 + 900);
        let start = ring + 0x1000;
        assert_eq!(stores.binaries, start..start + 600);
        assert_eq!(stores.programs, start + 600..start + 900);
        // A tile whose L1 ends within the ring has no room for either.
        let none = Stores::new(&settings(0x1000, 0), u64::from(ring));
        assert!(none.binaries.is_empty() && none.programs.is_empty());
    }
}
