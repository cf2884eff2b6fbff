//! A dispatcher as the host sees it: its ring, its pinned memory, and how far it is.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use hallmark_chip::{NocCoordinate, PhysicalCoordinate, PinnedMemory, TileAddress};
use hallmark_device_code::dispatch_abi::{
    COMPLETION_ALIGNMENT, COMPLETION_SPACE, Config, Control, DispatchTile, Status,
};
use hallmark_device_code::{BootStatus, FirmwareImage};
use hallmark_schema::model::{BufferId, CommandIndex, ContentHash, DispatchSettings};

use super::commands::{self, tile_word};
use super::loaded_traces::LoadedTraces;
use super::program_store::ProgramStore;
use super::ring::Outbox;
use crate::launch::ProgramLaunch;
use crate::queue::HostPages;
use crate::trace::Trace;

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

/// The rest of a dispatcher's L1, behind the ring: for the kernels that traces copy, and for programs.
pub(super) fn stores(settings: &DispatchSettings, l1_size: u64) -> [Range<u32>; 2] {
    let start = DispatchTile::RING.saturating_add(settings.ring_size);
    let end = u32::try_from(l1_size).unwrap_or(u32::MAX).max(start);
    let programs = end - (end - start) / PROGRAMS_SHARE;
    [start..programs, programs..end]
}

/// A stretch of device memory that a read brings in one command.
#[derive(Debug)]
pub(super) struct ReadPiece {
    pub(super) tile: PhysicalCoordinate,
    pub(super) address: u32,
    pub(super) length: u32,
    /// The pages that it holds, one after the other.
    pub(super) pages: Vec<u64>,
}

/// A read whose data has not come in full.
#[derive(Debug)]
pub(crate) struct PendingRead {
    pub(super) command: CommandIndex,
    pub(super) buffer: BufferId,
    pub(super) output: String,
    pub(super) exact: Option<ContentHash>,
    pub(super) host: HostPages,
    /// What has come, by page.
    pub(super) bytes: Vec<u8>,
    pub(super) pieces: VecDeque<ReadPiece>,
    /// Bytes of the first piece that have come.
    pub(super) arrived: Vec<u8>,
}

/// A trace that is replayed.
#[derive(Clone, Debug)]
pub(crate) struct ReplayedTrace {
    /// The call that replays it.
    pub(crate) command: CommandIndex,
    pub(crate) trace: Arc<Trace>,
}

/// What was put into the ring that launches.
#[derive(Debug)]
pub(super) enum Launches {
    One {
        enqueue: CommandIndex,
        launch: Arc<ProgramLaunch>,
    },
    /// All of a trace's, which a replay notes without looking at each.
    Trace(ReplayedTrace),
}

#[derive(Debug)]
struct Submitted {
    /// Launches up to and including the first of these, modulo 2^32, and the go of that one.
    count: u32,
    go: u32,
    launches: Launches,
}

/// The launch that a dispatcher carries out.
#[derive(Debug)]
pub(super) struct CurrentLaunch {
    /// What its tiles' mailboxes say once they are done.
    pub(super) go: u32,
    pub(super) tiles: Vec<NocCoordinate>,
}

impl Launches {
    fn number(&self) -> u32 {
        match self {
            Self::One { .. } => 1,
            Self::Trace(replayed) => replayed.trace.launches.len() as u32,
        }
    }

    fn enqueue(&self, index: u32) -> Option<CommandIndex> {
        match self {
            Self::One { enqueue, .. } => Some(*enqueue),
            Self::Trace(replayed) => Some(replayed.trace.launches.get(index as usize)?.command),
        }
    }

    fn replayed(&self) -> Option<ReplayedTrace> {
        match self {
            Self::One { .. } => None,
            Self::Trace(replayed) => Some(replayed.clone()),
        }
    }

    fn tiles(&self, index: u32) -> Option<Vec<NocCoordinate>> {
        let launch = match self {
            Self::One { launch, .. } => launch,
            Self::Trace(replayed) => &replayed.trace.launches.get(index as usize)?.launch,
        };
        Some(launch.tiles.iter().map(|tile| tile.noc).collect())
    }
}

/// The go of the launch that comes so many after one with this go: as the firmware counts, 0 is none.
const fn go_after(go: u32, launches: u32) -> u32 {
    let next = go.wrapping_add(launches.wrapping_mul(2));
    if next < go && go.is_multiple_of(2) { next.wrapping_add(2) } else { next }
}

/// How far a dispatcher says it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Progress {
    pub(super) consumed: u32,
    pub(super) produced: u32,
    pub(super) finished: u32,
    pub(super) begun: u32,
    /// The event that was recorded last.
    pub(super) event: u32,
}

impl Progress {
    pub(super) fn decode(line: &[u8; Status::SIZE as usize]) -> Self {
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

/// What goes into a ring next.
#[derive(Debug)]
pub(super) enum NextInRing<'a> {
    Commands(&'a [u8]),
    Skip(u32),
}

/// A dispatcher.
#[derive(Debug)]
pub(crate) struct Dispatcher {
    pub(super) noc: NocCoordinate,
    pub(crate) physical: PhysicalCoordinate,
    pub(super) host: PinnedMemory,
    pub(super) settings: DispatchSettings,
    queue: u32,
    /// Position up to which commands are in the ring.
    pub(super) written: u32,
    /// Commands that follow there, and are not in the ring yet.
    pub(super) outbox: Outbox,
    pub(super) progress: Progress,
    /// Position up to which data was taken out of the completion space.
    pub(super) drained: u32,
    /// Where the next byte of data will be.
    pub(super) expected: u32,
    /// The number that was asked for last, to be shown once all is done.
    pub(super) finish: u32,
    begun: u32,
    go: u32,
    event: u32,
    submitted: VecDeque<Submitted>,
    pub(super) reads: VecDeque<PendingRead>,
    pub(super) traces: LoadedTraces,
    pub(super) programs: ProgramStore,
}

impl Dispatcher {
    pub(super) fn new(
        queue: u32,
        (noc, physical): (NocCoordinate, PhysicalCoordinate),
        host: PinnedMemory,
        settings: DispatchSettings,
        l1_size: u64,
    ) -> Self {
        let first = settings.first_position;
        let [binaries, programs] = stores(&settings, l1_size);
        Self {
            noc,
            physical,
            host,
            settings,
            queue,
            written: first,
            outbox: Outbox::default(),
            progress: Progress {
                consumed: first,
                produced: first,
                finished: 0,
                begun: 0,
                event: settings.first_count,
            },
            drained: first,
            expected: first,
            finish: 0,
            begun: 0,
            go: settings.first_count | queue,
            event: settings.first_count,
            submitted: VecDeque::new(),
            reads: VecDeque::new(),
            traces: LoadedTraces::new(binaries),
            programs: ProgramStore::new(programs.start, programs.end),
        }
    }

    /// Bytes that its pinned memory needs.
    pub(super) fn host_memory(settings: &DispatchSettings) -> u64 {
        u64::from(COMPLETION_SPACE) + u64::from(settings.completion_size)
    }

    /// What the words of [`Control`] hold before it starts.
    pub(super) fn control(
        &self,
        noc: [NocCoordinate; 2],
        pcie: NocCoordinate,
        peer: Option<NocCoordinate>,
        mailbox: u32,
    ) -> Vec<u8> {
        let mut words = vec![0u32; DispatchTile::CONTROL.size() as usize / 4];
        let mut set = |offset: u32, value: u32| {
            if let Some(word) = words.get_mut(offset as usize / 4) {
                *word = value;
            }
        };
        let Self { settings, queue, .. } = self;
        let [first, second] = noc;
        let host = self.host.noc_address.0;
        set(Control::WRITTEN, settings.first_position);
        set(Control::DRAINED, settings.first_position);
        set(Control::WORKERS_DONE, settings.first_count);
        set(Control::EVENTS, settings.first_count);
        set(Control::EVENTS + 16, settings.first_count);
        for (offset, value) in [
            (Config::NOC_XY, u32::from_le_bytes([first.x, second.x, first.y, second.y])),
            (Config::QUEUE, *queue),
            (Config::RING_SIZE, settings.ring_size),
            (Config::FIRST_POSITION, settings.first_position),
            (Config::HOST_TILE, tile_word(pcie)),
            (Config::HOST_LOW, host as u32),
            (Config::HOST_HIGH, (host >> 32) as u32),
            (Config::COMPLETION_SIZE, settings.completion_size),
            (Config::PEER_TILE, peer.map_or(0, tile_word)),
            (Config::MAILBOX, mailbox),
            (Config::FIRST_DONE, settings.first_count),
            (Config::FIRST_GO, self.go),
            (Config::FIRST_COMPLETION, settings.first_position),
            (Config::FIRST_EVENT, settings.first_count),
        ] {
            set(Control::CONFIG + offset, value);
        }
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    /// The largest command that it is given.
    pub(super) fn command_limit(&self) -> usize {
        self.settings.ring_size as usize / 4
    }

    /// Bytes of the ring that may be written.
    pub(super) fn free(&self) -> u32 {
        let held = self.written.wrapping_sub(self.progress.consumed);
        self.settings.ring_size.saturating_sub(held)
    }

    /// Bytes up to the ring's end.
    pub(super) fn up_to_the_end(&self) -> u32 {
        self.settings.ring_size - (self.written & (self.settings.ring_size - 1))
    }

    /// What goes into the ring next, as far as there is room for it: commands, or one that skips so many
    /// bytes, because no command passes the ring's end.
    pub(super) fn next_in_ring(&self) -> Option<NextInRing<'_>> {
        let (free, left) = (self.free(), self.up_to_the_end());
        let commands = self.outbox.fitting(free.min(left));
        if !commands.is_empty() {
            return Some(NextInRing::Commands(commands));
        }
        let first = self.outbox.first_size()?;
        (first > left && free >= left).then_some(NextInRing::Skip(left))
    }

    /// The ring's address of the first byte that is not there yet.
    pub(super) fn ring_address(&self) -> u64 {
        u64::from(DispatchTile::RING + (self.written & (self.settings.ring_size - 1)))
    }

    /// Whether all that it was given is done, and it has said so.
    pub(crate) fn is_idle(&self) -> bool {
        self.outbox.is_empty()
            && self.progress.finished == self.finish
            && self.progress.consumed == self.written
    }

    /// Whether it has carried out a command that shows this number.
    pub(crate) const fn has_finished(&self, number: u32) -> bool {
        // Signed distance: numbers wrap.
        self.progress.finished.wrapping_sub(number) as i32 >= 0
    }

    /// Whether it has recorded the event of this number.
    pub(crate) const fn has_recorded(&self, event: u32) -> bool {
        self.progress.event.wrapping_sub(event) as i32 >= 0
    }

    /// The number of the event that is recorded next.
    pub(super) fn next_event(&mut self) -> u32 {
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
        let number = launches.number();
        let (count, go) = (self.begun.wrapping_add(1), go_after(self.go, 1));
        self.begun = self.begun.wrapping_add(number);
        self.go = go_after(self.go, number);
        if number > 0 {
            self.submitted.push_back(Submitted { count, go, launches });
        }
    }

    /// What was submitted that launches now or did last, and which of its launches that is.
    fn launching(&mut self) -> Option<(&Submitted, u32)> {
        let begun = self.progress.begun;
        // Signed distance: counts wrap.
        let has_begun = |submitted: &Submitted| begun.wrapping_sub(submitted.count) as i32 >= 0;
        while self.submitted.get(1).is_some_and(has_begun) {
            self.submitted.pop_front();
        }
        let first = self.submitted.front().filter(|first| has_begun(first))?;
        Some((first, begun.wrapping_sub(first.count)))
    }

    /// The enqueue of the launch that is carried out, or was last, and the replay that made it, if one did.
    pub(crate) fn current_enqueue(&mut self) -> Option<(CommandIndex, Option<ReplayedTrace>)> {
        let (submitted, index) = self.launching()?;
        Some((submitted.launches.enqueue(index)?, submitted.launches.replayed()))
    }

    /// The launch that is carried out, or was last.
    pub(super) fn current(&mut self) -> Option<CurrentLaunch> {
        let (submitted, index) = self.launching()?;
        let tiles = submitted.launches.tiles(index)?;
        Some(CurrentLaunch { go: go_after(submitted.go, index), tiles })
    }

    /// Where the next piece of data starts.
    pub(super) fn start_of(expected: u32, address: u32) -> u32 {
        let aligned = expected.wrapping_add(COMPLETION_ALIGNMENT - 1) & !(COMPLETION_ALIGNMENT - 1);
        aligned.wrapping_add(address & (COMPLETION_ALIGNMENT - 1))
    }
}

/// What is written to a dispatch tile before its BRISC starts: address and bytes.
pub(super) fn boot_image<'a>(
    image: &'a FirmwareImage,
    tables: &'a [u8],
    control: &'a [u8],
) -> [(TileAddress, &'a [u8]); 3] {
    let at = |address: u32| TileAddress(u64::from(address));
    [
        (at(image.load_address), &image.bytes),
        (at(DispatchTile::BANK_TABLES), tables),
        (at(DispatchTile::CONTROL.start), control),
    ]
}

/// What a word of the control block means while a dispatcher boots.
pub(super) fn boot_status() -> (TileAddress, u32) {
    let address = DispatchTile::CONTROL.start + Control::BOOT_STATUS;
    (TileAddress(u64::from(address)), BootStatus::READY_WORD)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gos_are_counted_as_the_firmware_does() {
        for first in [2, 3, u32::MAX - 1, u32::MAX - 2, u32::MAX] {
            let mut go = first;
            for launches in 0..10 {
                assert_eq!(go_after(first, launches), go);
                go = match go.wrapping_add(2) {
                    0 => 2,
                    next => next,
                };
            }
        }
    }
}
