//! What the machine tells of, and what it means for the order of accesses.

use std::sync::Arc;

use hallmark_chip::{LaunchDescription, Meaning, PhysicalCoordinate, Tick};
use hallmark_tensix::Thread;

use super::accesses::{Access, RequestSide};
use super::clock::{Clock, Stamp, place};
use super::dram::{Run, Touch};
use super::polling::{Polls, carries, outlives, polls};
use super::report::{Conflict, Party, Where};
use super::shadow::WORD_BYTES;
use super::sync::{Change, Load, SyncRule};
use super::transfers::{Issue, Record};
use super::units::Flight;
use super::waits::{Later, Pair, code_place};
use super::{Alike, History, Order, Races, Shadow, TileAccesses, Toucher, Watched, learn};
use crate::machine::actor::{Actor, Unit};
use crate::machine::core::decode;
use crate::machine::defects::{Defect, planted};
use crate::machine::fault::{Origin, Violation};
use crate::machine::noc::{Operation, Transfer};
use crate::machine::observer::{
    BufferMemory, CodePlace, CoreAt, DramScene, MemoryRange, Observer, Reached, Scene,
    SyncRegister, UnitAccess, UnitOf,
};
use crate::machine::tile::mailbox_number;
use crate::observers::noc_counters::{CounterMeaning, Kind};

/// Bytes that reach L1 at once if they are aligned.
pub(super) const PIECE: u64 = 16;

/// Whether the bytes of a request reach their target at once.
fn is_one_piece(request: &Transfer) -> bool {
    let last = u64::from(request.operation.length()).saturating_sub(1);
    request.address / PIECE == request.address.saturating_add(last) / PIECE
}

/// What a request carries on its way.
#[derive(Clone, Debug)]
pub(super) struct Ticket {
    record: Arc<Record>,
    /// What a read found out from words that synchronize.
    learnt: Vec<Stamp>,
}

/// The instruction of a unit that accessed L1 last.
#[derive(Clone, Debug)]
pub(super) struct Begun {
    flight: Arc<Flight>,
    /// The number of its accesses.
    access: u32,
}

impl Begun {
    fn is_of(&self, unit: UnitOf, number: u64) -> bool {
        self.flight.is(unit, number)
    }
}

/// Who writes a register.
#[derive(Clone, Copy, Debug)]
enum Writes<'a> {
    Actor(Actor),
    Request(&'a Ticket),
}

/// What is written.
#[derive(Clone, Copy)]
enum Written {
    /// A word with this value, and nothing else.
    Word(u32),
    Anything,
}

impl Written {
    /// What a request writes at its target.
    fn by(request: &Transfer) -> Option<Self> {
        match request.operation {
            Operation::Read { .. } => None,
            Operation::InlineWrite { value } => Some(Self::Word(value)),
            Operation::Write { .. } if request.address.is_multiple_of(4) => {
                let word = <[u8; 4]>::try_from(request.data.as_slice());
                Some(word.map_or(Self::Anything, |word| Self::Word(u32::from_le_bytes(word))))
            }
            Operation::Write { .. } | Operation::Atomic { .. } => Some(Self::Anything),
        }
    }
}

/// The whole word at an address that a request writes which reaches a target from `start` on.
fn written_word(request: &Transfer, start: u64, address: u32) -> Option<u32> {
    let offset = u64::from(address).checked_sub(start)?;
    match request.operation {
        Operation::InlineWrite { value } => (offset == 0).then_some(value),
        Operation::Write { .. } => {
            let bytes = request.data.get(usize::try_from(offset).ok()?..)?;
            bytes.first_chunk().copied().map(u32::from_le_bytes)
        }
        Operation::Read { .. } | Operation::Atomic { .. } => None,
    }
}

/// Who accesses a range.
#[derive(Clone, Copy)]
enum By<'a> {
    Host,
    Request(&'a Arc<Record>, RequestSide),
    /// An instruction of a unit, and the number of its accesses.
    Flight(&'a Arc<Flight>, u32),
}

impl By<'_> {
    fn party(self) -> Party {
        match self {
            Self::Host => Party::Host,
            Self::Request(record, stage) => Party::Request(Arc::clone(record), stage),
            Self::Flight(flight, _) => Party::Flight(Arc::clone(flight)),
        }
    }

    /// The step for which waits are noted; nothing if it is the host's.
    fn step(self) -> Option<Later> {
        match self {
            Self::Host => None,
            Self::Request(record, _) => {
                Some(Later::Request(record.origin.tile, code_place(record.origin, None)))
            }
            Self::Flight(flight, _) => {
                Some(Later::Here(code_place(flight.origin, Some(flight.unit.unit))))
            }
        }
    }
}

impl Order {
    /// A core issues a request: it comes after what the core did so far.
    fn issue(&mut self, issue: &Issue, actor: Actor) -> Option<Ticket> {
        let stamp = self.release(actor)?;
        let record = self.history.transfers.issue(stamp, issue);
        Some(Ticket { record, learnt: Vec::new() })
    }

    /// An access to a range of a tile's L1; the words in it that synchronize.
    fn touch(
        &mut self,
        shadow: &mut Shadow,
        by: By<'_>,
        (start, length): (u64, u64),
        writes: bool,
    ) -> Result<Vec<u32>, Conflict> {
        let host = self.number(Actor::Host);
        let Self { clocks, history, .. } = self;
        let step = if history.waits.is_some() { by.step() } else { None };
        let (view, number, pc) = match by {
            // A host's access has no pc; its length is what a word's is told by.
            By::Host => {
                let Some(clock) = clocks.first() else { return Ok(Vec::new()) };
                (clock.view(Actor::Host), host, length as u32)
            }
            By::Request(record, stage) => {
                let access = Access::Transfer(Arc::clone(record), stage);
                let number = history.accesses.add(access);
                let arrives = stage == RequestSide::Target;
                (if arrives { record.arriving() } else { record.view() }, number, 0)
            }
            By::Flight(flight, number) => (flight.view(), number, 0),
        };
        let mut toucher = Toucher {
            view,
            number,
            pc,
            writes,
            seen_write: 0,
            seen_read: 0,
            synchronizing: Vec::new(),
            step,
        };
        history.touch(shadow, start, length, &mut toucher)?;
        Ok(toucher.synchronizing)
    }

    /// A register of a tile that synchronizes is stored to by an actor or a request.
    fn store_register(&mut self, tile: u16, address: u32, by: Writes<'_>) {
        let stamp = match by {
            Writes::Actor(actor) => self.release(actor),
            Writes::Request(ticket) => Some(ticket.record.arrival()),
        };
        if let Some(stamp) = stamp {
            self.registers.entry((tile, address)).or_default().add(stamp, None);
        }
    }

    /// An actor loads a register that synchronizes.
    fn load_register(&mut self, tile: u16, address: u32, actor: Actor) {
        let Self { registers, clocks, history, .. } = self;
        if let Some(word) = registers.get_mut(&(tile, address)) {
            learn(clocks, &mut history.transfers, actor, word.load(actor));
        }
    }

    /// One actor comes after what another did.
    fn follow(&mut self, later: Actor, earlier: Actor) {
        let places = [later, earlier].map(place);
        if let Ok([of_later, of_earlier]) = self.clocks.get_disjoint_mut(places) {
            of_later.follow(later, earlier, of_earlier);
        }
    }

    /// A word goes into a mailbox between cores.
    fn send(&mut self, tile: u16, from: usize, to: usize, actor: Actor) {
        if let Some(stamp) = self.release(actor) {
            self.mailboxes.entry((tile, from, to)).or_default().push_back(stamp);
        }
    }

    /// A word comes out of one.
    fn receive(&mut self, tile: u16, from: usize, to: usize, actor: Actor) {
        let stamp = self.mailboxes.get_mut(&(tile, from, to)).and_then(|words| words.pop_front());
        if let Some(stamp) = stamp {
            self.learn(actor, &[stamp]);
        }
    }

    /// A core enters reset; what it sent and nobody received is gone.
    fn discard_mailboxes(&mut self, tile: u16, from: usize) {
        self.mailboxes.retain(|&(of, sender, _), _| of != tile || sender != from);
    }

    /// A core reads a counter of a NoC interface, by its number.
    fn read_counter(&mut self, interface: (u16, usize), index: usize, actor: Actor) {
        let Some(told) = CounterMeaning::of(index) else { return };
        let Some(clock) = self.clocks.get_mut(place(actor)) else { return };
        let learnt = self.history.transfers.tell(interface, told, actor, clock.finds_out());
        self.learn(actor, &learnt);
    }

    /// The host looks at memory of its own, which the chip may have written.
    fn host_looks(&mut self) {
        let mut word = std::mem::take(&mut self.host_memory);
        self.acquire(Actor::Host, &mut word);
        self.host_memory = word;
    }
}

/// Where a conflict is.
fn place_of<'a>(order: &Order, scene: &Scene<'a>, address: u32) -> Where<'a> {
    let tile = scene.tile.at;
    let meaning = order.meanings.get(tile, address.into());
    Where { coordinates: scene.coordinates, memory: "L1", tile, meaning }
}

/// Whether an access of one of a tile's cores polls.
fn core_polls(scene: &mut Scene<'_>, actor: Actor, pc: u32, is_there: bool) -> bool {
    let Actor::Unit { tile, unit: Unit::Core(processor) } = actor else { return false };
    if tile != scene.tile.number {
        return false;
    }
    let Some(core) = scene.tile.cores.get(processor.index()) else { return false };
    let returns_to = is_there.then(|| core.register(1));
    let has_instruction_ram = core.has_instruction_ram;
    polls(&mut scene.tile.memory, pc, has_instruction_ram, returns_to)
}

/// Whether a conflict is about a word that is a flag by its use.
fn is_flag(scene: &mut Scene<'_>, conflict: &Conflict, later: &Party, later_length: u64) -> bool {
    let by_core = |party: &Party| match *party {
        Party::Core { actor, pc } => Some((actor, pc)),
        Party::Host | Party::Request(..) | Party::Flight(_) => None,
    };
    let read_polls = |party: &Party| matches!(party, Party::Request(record, RequestSide::Target) if record.polls == Polls::Yes);
    let word_of_host = |party: &Party, length: u64| matches!(party, Party::Host) && length == 4;
    let later_polls = !conflict.later_writes
        && by_core(later).is_some_and(|(actor, pc)| core_polls(scene, actor, pc, true));
    let earlier_polls = !conflict.earlier_wrote
        && by_core(&conflict.earlier)
            .is_some_and(|(actor, pc)| core_polls(scene, actor, pc, false));
    later_polls
        || earlier_polls
        || read_polls(later)
        || read_polls(&conflict.earlier)
        || word_of_host(later, later_length)
        || word_of_host(&conflict.earlier, conflict.earlier_length.into())
}

/// Whether what a core is about to load may be used after the loop to which the load belongs.
fn value_outlives(scene: &mut Scene<'_>, core: CoreAt) -> bool {
    let Some(loading) = scene.tile.cores.get(core.processor.index()) else { return true };
    let (pc, has_instruction_ram) = (loading.pc, loading.has_instruction_ram);
    let returns_to = Some(loading.register(1));
    outlives(&mut scene.tile.memory, pc, has_instruction_ram, returns_to)
}

/// The whole word that a core is about to store.
fn stored_word(scene: &mut Scene<'_>, core: CoreAt) -> Option<u32> {
    let storing = scene.tile.cores.get(core.processor.index())?;
    let decoded = scene.tile.memory.look_at(storing.pc, storing.has_instruction_ram).ok()?;
    (decode::operation(decoded) == decode::SW).then(|| storing.register(decode::source_2(decoded)))
}

/// Whether a core is about to store a whole word with the value that the word has.
fn keeps_its_value(scene: &mut Scene<'_>, core: CoreAt, address: u32) -> bool {
    stored_word(scene, core).is_some_and(|word| scene.tile.memory.word(address) == Some(word))
}

/// Whether the store that a core is about to make to a word breaks a rule only as far as one sees without its code and
/// its value.
fn is_right(scene: &mut Scene<'_>, core: CoreAt, rule: SyncRule, address: u32) -> bool {
    let Some(storing) = scene.tile.cores.get(core.processor.index()) else { return true };
    let (pc, has_instruction_ram) = (storing.pc, storing.has_instruction_ram);
    let memory = &mut scene.tile.memory;
    match rule {
        SyncRule::Unordered | SyncRule::Overshoots { .. } | SyncRule::MayBeWiped { .. } => false,
        SyncRule::Replaces | SyncRule::Looks | SyncRule::LooksThroughCache => true,
        SyncRule::CountedByHand { found_at, last_at } => {
            !carries(memory, last_at, pc, has_instruction_ram)
                || [found_at, last_at]
                    .into_iter()
                    .any(|pc| core_polls(scene, core.actor(), pc, false))
        }
        // Nobody sees the difference.
        SyncRule::OtherValue | SyncRule::SetBack => keeps_its_value(scene, core, address),
        SyncRule::Wiped { awaited, .. } => {
            stored_word(scene, core).is_some_and(|word| awaited.includes(word))
        }
    }
}

impl Order {
    /// A conflict of a core's load or store: either the word is a flag, or there is a race.
    fn settle(
        &mut self,
        shadow: &mut Shadow,
        core: CoreAt,
        scene: &mut Scene<'_>,
        conflict: &Conflict,
    ) -> Result<(), Violation> {
        let pc = scene.tile.cores.get(core.processor.index()).map_or(0, |core| core.pc);
        let later = Party::Core { actor: core.actor(), pc };
        let is_overlooked = !conflict.is_with_a_unit(&later)
            && self.overlooked_until(scene.tile.at, conflict.address).is_some();
        if let Some(poll) = &conflict.cached_poll {
            return Err(conflict.stale_read(poll, &place_of(self, scene, conflict.address)));
        }
        if conflict.rule == Some(SyncRule::LooksThroughCache) {
            self.cached_polls.look(core, pc, scene);
            return Ok(());
        }
        if conflict.is_between_writes()
            && keeps_its_value(scene, core, conflict.address)
            && self.write_alike(
                shadow,
                conflict.address >> 2,
                Alike::Core { actor: core.actor(), pc },
            )
        {
            self.settled = Some((core.actor(), pc, conflict.address));
            return Ok(());
        }
        if conflict.rule == Some(SyncRule::Looks) {
            let awaited = scene.tile.awaited_by_load(core.processor, conflict.address);
            let value = scene.tile.memory.word(conflict.address).unwrap_or_default();
            if let Some(word) = shadow.synchronizing(conflict.address >> 2)
                && let Some(clock) = self.clocks.get(place(core.actor()))
            {
                let load = Load { view: clock.view(core.actor()), pc, awaited, value };
                let transfers = &self.history.transfers;
                let broken = word.has_passed(&load).or_else(|| word.may_be_wiped(transfers, &load));
                if let Some((rule, earlier)) = broken.filter(|_| !is_overlooked) {
                    let conflict = Conflict::of_passed_wait(rule, conflict.address, earlier);
                    let place = place_of(self, scene, conflict.address);
                    return Err(conflict.sync_violation(rule, &later, &place));
                }
                let is_stale = word.is_unchanged_for(core.actor());
                let learnt = word.learn_for(&load, || value_outlives(scene, core)).to_vec();
                self.learn(core.actor(), &learnt);
                if !is_stale && let Some(clock) = self.clocks.get_mut(place(core.actor())) {
                    clock.found_a_change();
                }
            }
            self.settled = Some((core.actor(), pc, conflict.address));
            return Ok(());
        }
        if conflict.rule == Some(SyncRule::Replaces) {
            let value = scene.tile.memory.word(conflict.address).unwrap_or_default();
            if let Some(word) = shadow.synchronizing(conflict.address >> 2) {
                word.has_value(Some(value));
            }
            return Ok(());
        }
        if let Some(rule) = conflict.rule {
            if is_overlooked || is_right(scene, core, rule, conflict.address) {
                if let Some(word) = shadow.synchronizing(conflict.address >> 2) {
                    word.excuse(rule, core.actor());
                }
                return Ok(());
            }
            let place = place_of(self, scene, conflict.address);
            return Err(conflict.sync_violation(rule, &later, &place));
        }
        if is_overlooked || is_flag(scene, conflict, &later, 0) {
            self.promote(shadow, conflict.address);
            return Ok(());
        }
        Err(conflict.violation(self, &later, &place_of(self, scene, conflict.address)))
    }

    /// The host or a request accesses a range of a tile's L1. Words of it that synchronize.
    fn touch_tile(
        &mut self,
        shadow: &mut Shadow,
        scene: &mut Scene<'_>,
        by: By<'_>,
        (start, length): (u64, u64),
        writes: Option<Written>,
    ) -> Result<Vec<u32>, Violation> {
        loop {
            let conflict = match self.touch(shadow, by, (start, length), writes.is_some()) {
                Ok(synchronizing) => return Ok(synchronizing),
                Err(conflict) => conflict,
            };
            if let By::Request(record, RequestSide::Target) = by
                && let Some(Written::Word(value)) = writes
                && conflict.is_between_writes()
                && scene.tile.memory.word(conflict.address) == Some(value)
                && self.write_alike(shadow, conflict.address >> 2, Alike::Request(record))
            {
                return Ok(Vec::new());
            }
            let later = by.party();
            if is_flag(scene, &conflict, &later, length) {
                self.promote(shadow, conflict.address);
                continue;
            }
            let end = self.overlooked_until(scene.tile.at, conflict.address);
            let Some(end) = end.filter(|_| !conflict.is_with_a_unit(&later)) else {
                let place = place_of(self, scene, conflict.address);
                return Err(conflict.violation(self, &later, &place));
            };
            // Long transfers, of which each word would be a flag: what was done before is over instead.
            let end = start.saturating_add(length).min(end);
            shadow.annotate(conflict.address & !3, end as u32, None);
        }
    }

    /// A request that a core issues will read or write the tile's own memory, at any time from now on.
    fn lend(
        &mut self,
        tile: &mut TileAccesses,
        scene: &mut Scene<'_>,
        record: &Arc<Record>,
        request: &Transfer,
    ) -> Result<(), Violation> {
        let (stage, length, writes) = match request.operation {
            Operation::Read { length } => (RequestSide::Return, length, true),
            Operation::Write { length } => (RequestSide::Source, length, false),
            Operation::Atomic { .. } if record.kind == Kind::MarkedAtomic => {
                (RequestSide::Return, 4, true)
            }
            Operation::Atomic { .. } | Operation::InlineWrite { .. } => return Ok(()),
        };
        let range = (request.local.into(), length.into());
        let words = self.touch_tile(
            &mut tile.shadow,
            scene,
            By::Request(record, stage),
            range,
            writes.then_some(Written::Anything),
        )?;
        if stage == RequestSide::Source {
            for word in words {
                if let Some(word) = tile.shadow.synchronizing(word) {
                    word.lend(record);
                }
            }
        }
        if stage == RequestSide::Source && self.is_watching() {
            self.check_landed(tile, scene, record, (request.local, length))?;
        }
        Ok(())
    }

    /// The bytes that a core's request takes from L1 must have come there: a store takes another way.
    fn check_landed(
        &self,
        tile: &TileAccesses,
        scene: &Scene<'_>,
        record: &Arc<Record>,
        (local, length): (u32, u32),
    ) -> Result<(), Violation> {
        let issuer = record.origin.processor;
        let stores = tile.stores.get(issuer.index());
        let Some(stored) = stores.and_then(|stores| stores.pending(local, length)) else {
            return Ok(());
        };
        if self.overlooked_until(scene.tile.at, stored.address()).is_some() {
            return Ok(());
        }
        let conflict = Conflict::pending(stored, Actor::core(scene.tile.number, issuer));
        let place = place_of(self, scene, stored.address());
        let later = Party::Request(Arc::clone(record), RequestSide::Source);
        Err(conflict.pending_violation(&later, &place))
    }

    /// A request reads or writes a range at one of its targets. `ticket` learns what a read finds out from words that
    /// synchronize.
    fn request_touches(
        &mut self,
        shadow: &mut Shadow,
        scene: &mut Scene<'_>,
        ticket: &mut Ticket,
        request: &Transfer,
        (start, length): (u64, u64),
    ) -> Result<(), Violation> {
        let operation = request.operation;
        let Ticket { record, learnt } = ticket;
        if matches!(operation, Operation::Atomic { .. }) {
            self.promote(shadow, start as u32);
        }
        let by = By::Request(record, RequestSide::Target);
        let writes = Written::by(request);
        let words = self.touch_tile(shadow, scene, by, (start, length), writes)?;
        for number in words {
            let Some(word) = shadow.synchronizing(number) else { continue };
            let transfers = &self.history.transfers;
            let (arriving, address) = (record.arriving(), number << 2);
            let broken = match (operation, writes) {
                (Operation::Read { .. }, _) => None,
                (Operation::Atomic { .. }, _) => word.add_breaks(transfers, &arriving),
                (_, Some(Written::Word(value))) => {
                    let broken = word.write_breaks(transfers, &arriving);
                    let is_kept = scene.tile.memory.word(address) == Some(value);
                    if is_kept && matches!(broken, Some((SyncRule::OtherValue, _))) {
                        word.keeps_value();
                    }
                    broken.filter(|(rule, _)| *rule == SyncRule::Unordered || !is_kept)
                }
                (_, Some(Written::Anything) | None) => word
                    .store_breaks(transfers, &arriving)
                    .filter(|(rule, _)| *rule == SyncRule::Unordered),
            };
            let broken = match written_word(request, start, address) {
                Some(value) if broken.is_none() => word.write_wipes(value, &arriving),
                _ => broken,
            };
            if let Some((rule, earlier)) = broken
                && self.is_watching()
                && self.overlooked_until(scene.tile.at, address).is_none()
            {
                let conflict = Conflict::of_rule(rule, address, earlier);
                let later = Party::Request(Arc::clone(record), RequestSide::Target);
                let place = place_of(self, scene, address);
                return Err(conflict.sync_violation(rule, &later, &place));
            }
            if !matches!(operation, Operation::Read { .. })
                && let Some(poll) = word.hides_from(&arriving, false)
            {
                let change = Party::Request(Arc::clone(record), RequestSide::Target);
                let conflict = Conflict::of_cached_poll(poll.clone(), address, change);
                return Err(conflict.stale_read(poll, &place_of(self, scene, address)));
            }
            let increment = match operation {
                Operation::Atomic { increment } => increment,
                _ => 0,
            };
            let change = Some(Change::Request { record: Arc::clone(record), increment });
            let word_end = u64::from(address) + u64::from(WORD_BYTES);
            let is_whole = start <= address.into() && start.saturating_add(length) >= word_end;
            match operation {
                Operation::Read { .. } => learnt.extend(word.stamps().cloned()),
                Operation::Atomic { .. } => word.add(record.arrival(), change),
                _ if is_whole => {
                    word.has_value(scene.tile.memory.word(address));
                    word.store(record.arrival(), change);
                }
                _ => word.store_part(record.arrival(), change),
            }
        }
        Ok(())
    }

    /// A request reads or writes DRAM. `ticket` learns what a read finds out from flags.
    fn request_touches_dram(
        &mut self,
        ticket: &mut Ticket,
        request: &Transfer,
        scene: &DramScene<'_>,
    ) -> Result<(), Violation> {
        if self.history.watched != Watched::Everything || planted(Defect::DramRacesPass) {
            return Ok(());
        }
        let &DramScene { coordinates, at, channel, memory, range: (start, length) } = scene;
        let inline;
        let writes = match request.operation {
            Operation::Read { .. } => None,
            Operation::Write { .. } => Some(request.data.as_slice()),
            Operation::InlineWrite { value } => {
                inline = value.to_le_bytes();
                Some(inline.as_slice())
            }
            Operation::Atomic { .. } => return Ok(()),
        };
        let Ticket { record, learnt } = ticket;
        let range = (start, start.saturating_add(length));
        let touch = Touch { record, range, writes, polls: record.polls, memory };
        let History { dram, transfers, .. } = &mut self.history;
        let found = match dram.touch(transfers, channel, &touch) {
            Ok(told) => {
                learnt.extend(told);
                return Ok(());
            }
            Err(found) => found,
        };
        let conflict = Conflict::in_dram(found, writes.is_some());
        let later = Party::Request(Arc::clone(record), RequestSide::Target);
        let meaning = self.meanings.get(at, conflict.address.into());
        let place = Where { coordinates, memory: "DRAM", tile: at, meaning };
        Err(conflict.violation(self, &later, &place))
    }
}

impl TileAccesses {
    #[cold]
    pub(super) fn boxed(l1_size: usize) -> Box<Self> {
        Box::new(Self { shadow: Shadow::new(l1_size), stores: Default::default() })
    }
}

impl Races {
    /// The order, and what is remembered of a tile.
    fn order_and_tile(&mut self, tile: u16) -> Option<(&mut Order, &mut TileAccesses)> {
        let Self { order, tiles, l1_size, .. } = self;
        Some((order, Self::tile_mut(tiles, tile, *l1_size)?))
    }

    /// Whether a core knows from what it has waited for that all of its atomics or writes of a kind on a NoC have arrived.
    pub(crate) fn have_arrived(&self, core: CoreAt, noc: u8, kind: Kind) -> bool {
        let Order { clocks, history, .. } = &self.order;
        let actor = core.actor();
        let interface = (core.tile, usize::from(noc));
        clocks.get(place(actor)).is_some_and(|clock| {
            history.transfers.have_arrived(interface, kind, &clock.view(actor))
        })
    }

    /// The load or store that ended the session.
    pub(crate) fn resolve(&mut self, core: CoreAt, scene: &mut Scene<'_>) -> Result<(), Violation> {
        let Some(conflict) = self.conflict.take() else { return Ok(()) };
        let Some((order, tile)) = self.order_and_tile(core.tile) else { return Ok(()) };
        order.settle(&mut tile.shadow, core, scene, &conflict)
    }

    /// The core's next loads and stores are looked at as if it had made none.
    pub(crate) fn ask_again(&mut self, core: CoreAt) {
        let actor = Actor::core(core.tile, core.processor);
        if let Some(clock) = self.order.clocks.get_mut(place(actor)) {
            clock.begin_mark();
        }
    }
}

impl Observer for Races {
    fn chip_is_idle(&mut self) {
        self.flight = None;
        let shadows = self.tiles.iter_mut().flatten().map(|tile| &mut tile.shadow);
        self.order.forget(shadows);
    }

    fn turn_begins(&mut self) {
        if self.order.is_full() {
            self.flight = None;
            self.order.collect(self.tiles.iter().flatten().map(|tile| &tile.shadow));
        }
    }

    fn annotated(
        &mut self,
        at: PhysicalCoordinate,
        (start, end): (u64, u64),
        meaning: Meaning,
        memory: Option<BufferMemory>,
    ) {
        self.order.meanings.set(at, start, end, meaning);
        if meaning == Meaning::Code {
            self.order.asked_reads.clear();
            self.order.cached_polls.forget_code();
        }
        let Some(BufferMemory::L1(index)) = memory else { return };
        let in_l1 = |address: u64| address.min(self.l1_size as u64) as u32;
        let range = in_l1(start)..in_l1(end);
        let synchronizes = matches!(meaning, Meaning::Semaphore | Meaning::Mailbox);
        let is_fresh = matches!(self.tiles.get(usize::from(index)), Some(None));
        if is_fresh && !synchronizes {
            return;
        }
        if let Some((_, tile)) = self.order_and_tile(index) {
            tile.shadow.annotate(range.start, range.end, Some(meaning));
        }
    }

    fn host_accesses(
        &mut self,
        scene: &mut Scene<'_>,
        range: (u64, u64),
        writes: bool,
    ) -> Result<(), Violation> {
        let Some((order, tile)) = self.order_and_tile(scene.tile.number) else { return Ok(()) };
        let shadow = &mut tile.shadow;
        let words = order.touch_tile(
            shadow,
            scene,
            By::Host,
            range,
            writes.then_some(Written::Anything),
        )?;
        if words.is_empty() {
            return Ok(());
        }
        let stamp = if writes { order.release(Actor::Host) } else { None };
        for word in words {
            let Some(word) = shadow.synchronizing(word) else { continue };
            match &stamp {
                Some(stamp) => word.store(stamp.clone(), None),
                None => order.acquire(Actor::Host, word),
            }
        }
        Ok(())
    }

    #[inline]
    fn wrote(&mut self, range: &MemoryRange, by: Origin) {
        if let (Origin::Host, BufferMemory::Dram(channel)) = (by, range.memory) {
            let end = range.start.saturating_add(range.length);
            self.order.history.dram.host_writes(channel, (range.start, end));
        }
    }

    /// The order tells which requests have arrived when a kernel ends, whether races are found or not.
    fn launch_described(
        &mut self,
        _: u16,
        _: PhysicalCoordinate,
        _: u32,
        _: &[Arc<LaunchDescription>],
    ) {
        self.order.follow_order();
    }

    fn follows_threads(&self) -> bool {
        self.order.follows_order()
    }

    fn launch_begins(&mut self, core: CoreAt, launch: &Arc<LaunchDescription>, now: Tick) {
        self.order.cached_polls.begin(core, launch, now);
        self.order.meanings.launched.begin(core, launch);
        let place = place(core.actor());
        let number = self.order.begun.entry((place, launch.program)).or_default();
        *number += 1;
        let run = Run { program: launch.program, number: *number };
        self.order.runs.insert(place, run);
    }

    fn unknown_launch_begins(&mut self, core: CoreAt) {
        self.order.cached_polls.end(core);
        self.order.meanings.launched.begin_unknown(core);
        self.order.runs.remove(&place(core.actor()));
    }

    fn launch_ends(
        &mut self,
        core: CoreAt,
        _: &Arc<LaunchDescription>,
        _: Tick,
    ) -> Result<(), Violation> {
        self.order.cached_polls.end(core);
        self.order.meanings.launched.end(core);
        self.order.runs.remove(&place(core.actor()));
        Ok(())
    }

    fn host_reads_own_memory(&mut self) {
        self.order.host_looks();
    }

    fn core_changes_atomically(&mut self, core: CoreAt, address: u32) {
        if let Some((order, tile)) = self.order_and_tile(core.tile) {
            order.atomic(&mut tile.shadow, core.actor(), address);
        }
    }

    fn core_parks(&mut self, scene: &mut Scene<'_>, addresses: &[u32]) {
        let size = scene.tile.memory.size();
        let Some((order, tile)) = self.order_and_tile(scene.tile.number) else { return };
        for &address in addresses {
            if u64::from(address) < size {
                order.promote(&mut tile.shadow, address);
            }
        }
    }

    /// Who holds a core comes after all that the core did, and what it sent and nobody received is gone.
    fn core_held(&mut self, core: CoreAt, by: Option<Actor>) {
        self.order.cached_polls.end(core);
        self.order.meanings.launched.end(core);
        let Some(by) = by else { return };
        self.order.follow(by, core.actor());
        if let Ok(from) = mailbox_number(Some(core.processor)) {
            self.order.discard_mailboxes(core.tile, from);
        }
    }

    /// A core that leaves reset comes after what was done before.
    fn core_released(&mut self, core: CoreAt, by: Option<Actor>) {
        if let Some(Some(tile)) = self.tiles.get_mut(usize::from(core.tile))
            && let Some(stores) = tile.stores.get_mut(core.processor.index())
        {
            *stores = Default::default();
        }
        if let Some(by) = by {
            self.order.follow(core.actor(), by);
        }
    }

    fn register_loaded(&mut self, by: Actor, tile: u16, register: SyncRegister) {
        match register {
            SyncRegister::Word(address) => self.order.load_register(tile, address, by),
            SyncRegister::Counter { noc, counter } => {
                self.order.read_counter((tile, noc.into()), counter.into(), by);
            }
            SyncRegister::Mailbox { from, to } => {
                self.order.receive(tile, from.into(), to.into(), by);
            }
        }
    }

    fn register_stored(&mut self, by: Actor, tile: u16, register: SyncRegister) {
        match register {
            SyncRegister::Word(address) => {
                self.order.store_register(tile, address, Writes::Actor(by));
            }
            SyncRegister::Mailbox { from, to } => {
                self.order.send(tile, from.into(), to.into(), by);
            }
            SyncRegister::Counter { .. } => {}
        }
    }

    fn comes_after(&mut self, later: Actor, earlier: Actor) {
        self.order.follow(later, earlier);
    }

    fn unit_accesses(
        &mut self,
        access: &UnitAccess,
        scene: &mut Scene<'_>,
        range: (u64, u64),
    ) -> Result<(), Violation> {
        let Self { order, tiles, l1_size, flight, .. } = self;
        if !order.is_watching() {
            return Ok(());
        }
        let &UnitAccess { unit, number, origin, writes } = access;
        let Some(tile) = Self::tile_mut(tiles, unit.tile, *l1_size) else { return Ok(()) };
        let begun = flight.take_if(|begun| begun.is_of(unit, number));
        let begun = begun.or_else(|| {
            let core = Actor::core(unit.tile, origin.processor);
            let pushed_at = order.clocks.get(place(core)).map_or(0, Clock::own);
            let stamp = order.release(Actor::thread(unit.tile, unit.thread))?;
            let History { accesses, transfers, .. } = &mut order.history;
            let flight = transfers.flights.begin(stamp, (unit, number), origin, pushed_at);
            let flight = Arc::new(flight);
            Some(Begun { access: accesses.add(Access::Flight(Arc::clone(&flight))), flight })
        });
        let Some(begun) = begun else { return Ok(()) };
        let by = By::Flight(&begun.flight, begun.access);
        let writes = writes.then_some(Written::Anything);
        order.touch_tile(&mut tile.shadow, scene, by, range, writes)?;
        *flight = Some(begun);
        Ok(())
    }

    fn unit_finished(&mut self, by: Actor, unit: UnitOf, upto: u64, wait: Option<CodePlace>) {
        if !self.order.is_watching() {
            return;
        }
        let Order { clocks, history, .. } = &mut self.order;
        if let (Some(log), Some(clock)) = (&mut history.waits, clocks.get_mut(place(by))) {
            log.heard(unit, upto, (by, clock.finds_out()), wait);
        }
        if let Some(clock) = clocks.get_mut(place(by))
            && history.transfers.flights.finished(unit, upto, by, clock.own())
        {
            clock.finds_out();
        }
    }

    fn knows_end(&self, actor: Actor, unit: UnitOf, number: u64) -> bool {
        let Order { clocks, history, .. } = &self.order;
        !self.order.is_watching()
            || clocks.get(place(actor)).is_some_and(|clock| {
                history.transfers.flights.is_over(unit, number, &clock.view(actor))
            })
    }

    fn waited(&mut self, tile: u16, at: CodePlace, tells_of_stores: bool) {
        let is_watching = self.order.is_watching();
        if let Some(log) = self.order.history.waits.as_mut().filter(|_| is_watching) {
            log.waited(tile, at, tells_of_stores);
        }
    }

    fn asks_for_waits(&self) -> bool {
        self.order.history.waits.is_some()
    }

    fn unit_ordered(
        &mut self,
        actor: Actor,
        unit: (UnitOf, u64),
        (earlier, later): (CodePlace, CodePlace),
    ) {
        let Order { clocks, history, .. } = &mut self.order;
        if let (Some(log), Some(clock)) = (&mut history.waits, clocks.get(place(actor))) {
            log.ordered(unit, (earlier, Later::Here(later)), &clock.view(actor));
        }
    }

    fn ordered_by(
        &mut self,
        tile: u16,
        (earlier, later): (CodePlace, CodePlace),
        waits: &[CodePlace],
    ) {
        if let Some(log) = &mut self.order.history.waits {
            let pair = Pair { tile, earlier, later: Later::Here(later) };
            log.note(pair, waits.iter().copied().collect());
        }
    }

    fn thread_issued(&mut self, by: Actor, tile: u16, thread: Thread, upto: u64) {
        if !self.order.is_watching() {
            return;
        }
        let Order { clocks, history, .. } = &mut self.order;
        if let Some(clock) = clocks.get_mut(place(by))
            && history.transfers.flights.issued((tile, thread), upto, by, clock.own())
        {
            clock.finds_out();
        }
    }

    fn knows_issue(&self, actor: Actor, of: (u16, Thread), number: u64) -> bool {
        let Order { clocks, history, .. } = &self.order;
        !self.order.is_watching()
            || clocks.get(place(actor)).is_some_and(|clock| {
                history.transfers.flights.is_issued(of, number, &clock.view(actor))
            })
    }

    fn moment(&mut self, actor: Actor) -> u32 {
        self.order.clocks.get_mut(place(actor)).map_or(0, Clock::finds_out)
    }

    fn knows_moment(&self, actor: Actor, other: Actor, moment: u32) -> bool {
        let clock = self.order.clocks.get(place(actor));
        !self.order.is_watching()
            || clock.is_some_and(|clock| clock.view(actor).knows(other, moment))
    }

    fn watches_order(&self) -> bool {
        self.order.is_watching()
    }

    fn is_strict_on_sampling(&self) -> bool {
        self.order.is_strict_on_sampling
    }

    fn request_issued(
        &mut self,
        request: &Transfer,
        scene: &mut Scene<'_>,
    ) -> Result<(), Violation> {
        let Some(issuer) = request.issuer else { return Ok(()) };
        let number = scene.tile.number;
        let Some((order, tile)) = self.order_and_tile(number) else { return Ok(()) };
        let issue = Issue {
            tile: number,
            noc: request.noc.index(),
            kind: Kind::of(request.operation, request.marked),
            transaction: request.transaction,
            origin: request.origin,
            length: request.operation.length(),
            channel: request.ordered_on,
            queue: request.queue,
            to_many: request.targets.tiles().len() > 1,
            run: order.runs.get(&place(issuer)).copied(),
            in_one_piece: is_one_piece(request),
            polls: match order.follows_order() {
                true => order.asked_reads.polls(scene, request),
                false => Polls::No,
            },
            writes_word: matches!(
                request.operation,
                Operation::InlineWrite { .. } | Operation::Write { length: 4 }
            ) && request.address.is_multiple_of(4),
        };
        let Some(ticket) = order.issue(&issue, issuer) else { return Ok(()) };
        order.lend(tile, scene, &ticket.record, request)?;
        let index = request.number as usize;
        if self.tickets.len() <= index {
            self.tickets.resize_with(index + 1, || None);
        }
        if let Some(slot) = self.tickets.get_mut(index) {
            *slot = Some(ticket);
        }
        Ok(())
    }

    fn request_departs(&mut self, request: &Transfer) {
        if let Some(Some(ticket)) = self.tickets.get(request.number as usize) {
            self.order.history.transfers.sent(&ticket.record);
        }
    }

    fn request_reaches(
        &mut self,
        request: &Transfer,
        reached: &mut Reached<'_>,
    ) -> Result<(), Violation> {
        let Self { order, tiles, l1_size, tickets, .. } = self;
        let slot = tickets.get_mut(request.number as usize);
        let Some(ticket) = slot.and_then(Option::as_mut) else { return Ok(()) };
        ticket.record.arrive();
        let reads = matches!(request.operation, Operation::Read { .. });
        match reached {
            Reached::L1(scene, range) => {
                let Some(tile) = Self::tile_mut(tiles, scene.tile.number, *l1_size) else {
                    return Ok(());
                };
                let shadow = &mut tile.shadow;
                return order.request_touches(shadow, scene, ticket, request, *range);
            }
            Reached::Registers(tile, registers) => {
                for register in registers.iter().flatten() {
                    let SyncRegister::Word(address) = *register else { continue };
                    if !reads {
                        order.store_register(*tile, address, Writes::Request(ticket));
                    } else if let Some(word) = order.registers.get(&(*tile, address)) {
                        ticket.learnt.extend(word.stamps().cloned());
                    }
                }
            }
            Reached::Dram(scene) => return order.request_touches_dram(ticket, request, scene),
            Reached::HostMemory if !reads => order.host_memory.add(ticket.record.arrival(), None),
            Reached::HostMemory | Reached::Other => {}
        }
        Ok(())
    }

    fn request_responds(&mut self, request: &Transfer) {
        if let Some(Some(ticket)) = self.tickets.get_mut(request.number as usize) {
            let mut learnt = std::mem::take(&mut ticket.learnt);
            let transfers = &mut self.order.history.transfers;
            learnt.extend(transfers.follows(&ticket.record));
            transfers.done(&ticket.record, learnt);
        }
    }

    fn request_ended(&mut self, request: &Transfer, _: Tick) {
        if let Some(slot) = self.tickets.get_mut(request.number as usize) {
            *slot = None;
        }
    }
}
