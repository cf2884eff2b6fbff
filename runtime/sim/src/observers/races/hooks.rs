//! Where the simulator tells of accesses: cores, requests, the host, registers.

use std::sync::Arc;

use hallmark_chip::{Meaning, PhysicalCoordinate};

use super::accesses::{Access, RequestSide};
use super::clock::{Actor, Stamp};
use super::report::{Conflict, Party, Where};
use super::transfers::{CounterMeaning, Issue, Kind, Record};
use super::{Races, Toucher};
use crate::machine::Machine;
use crate::machine::coordinates::{Coordinates, TileKind};
use crate::machine::fault::Violation;
use crate::machine::noc::{Operation, Transfer, counter};
use crate::machine::observer::Observer;
use crate::machine::tile::Tile;

/// Bytes that reach L1 at once if they are aligned.
const PIECE: u64 = 16;

/// What a request carries on its way.
#[derive(Clone, Debug)]
pub(crate) struct Ticket {
    record: Arc<Record>,
    /// What a read found out from words that synchronize.
    learnt: Vec<Stamp>,
}

/// Who writes a register.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Writes<'a> {
    Actor(Actor),
    Request(&'a Ticket),
}

/// Who accesses a range.
#[derive(Clone, Copy)]
enum By<'a> {
    Host,
    Request(&'a Arc<Record>, RequestSide),
}

impl Races {
    /// A core issues a request: it comes after what the core did so far.
    pub(crate) fn issue(&mut self, issue: &Issue, actor: Actor) -> Option<Ticket> {
        let stamp = self.release(actor)?;
        let record = self.history.transfers.issue(stamp, issue);
        Some(Ticket { record, learnt: Vec::new() })
    }

    /// An access to a range of a tile's L1; the words in it that synchronize.
    fn touch(
        &mut self,
        tile: &mut Tile,
        by: By<'_>,
        (start, length): (u64, u64),
        writes: bool,
    ) -> Result<Vec<u32>, Conflict> {
        let host = self.number(Actor::HOST);
        let Self { clocks, history, .. } = self;
        let (view, number, pc) = match by {
            // A host's access has no pc; its length is what a word's is told by.
            By::Host => {
                let Some(clock) = clocks.first() else { return Ok(Vec::new()) };
                (clock.view(Actor::HOST), host, length as u32)
            }
            By::Request(record, stage) => {
                let access = Access::Transfer(Arc::clone(record), stage);
                let number = history.accesses.add(access);
                let arrives = stage == RequestSide::Target;
                (if arrives { record.arriving() } else { record.view() }, number, 0)
            }
        };
        let mut toucher = Toucher {
            view,
            number,
            pc,
            writes,
            seen_write: 0,
            seen_read: 0,
            synchronizing: Vec::new(),
        };
        history.touch(&mut tile.memory.shadow, start, length, &mut toucher)?;
        Ok(toucher.synchronizing)
    }

    /// A register of a tile that synchronizes is stored to by an actor or a request.
    pub(crate) fn store_register(&mut self, tile: u16, address: u32, by: Writes<'_>) {
        let stamp = match by {
            Writes::Actor(actor) => self.release(actor),
            Writes::Request(ticket) => Some(ticket.record.arrival(true)),
        };
        if let Some(stamp) = stamp {
            self.registers.entry((tile, address)).or_default().add(stamp);
        }
    }

    /// An actor loads a register that synchronizes.
    pub(crate) fn load_register(&mut self, tile: u16, address: u32, actor: Actor) {
        if let Some(mut word) = self.registers.remove(&(tile, address)) {
            self.acquire(actor, &mut word);
            self.registers.insert((tile, address), word);
        }
    }

    /// One actor comes after what another did.
    pub(crate) fn follow(&mut self, later: Actor, earlier: Actor) {
        if later != earlier
            && let Some(stamp) = self.release(earlier)
        {
            self.learn(later, &[stamp]);
        }
    }

    /// A word goes into a mailbox between cores.
    pub(crate) fn send(&mut self, tile: u16, from: usize, to: usize, actor: Actor) {
        if let Some(stamp) = self.release(actor) {
            self.mailboxes.entry((tile, from, to)).or_default().push_back(stamp);
        }
    }

    /// A word comes out of one.
    pub(crate) fn receive(&mut self, tile: u16, from: usize, to: usize, actor: Actor) {
        let stamp = self.mailboxes.get_mut(&(tile, from, to)).and_then(|words| words.pop_front());
        if let Some(stamp) = stamp {
            self.learn(actor, &[stamp]);
        }
    }

    /// A core enters reset; what it sent and nobody received is gone.
    pub(crate) fn discard_mailboxes(&mut self, tile: u16, from: usize) {
        self.mailboxes.retain(|&(of, sender, _), _| of != tile || sender != from);
    }

    /// A core reads a counter of a NoC interface, by its number.
    pub(crate) fn read_counter(&mut self, interface: (u16, usize), index: usize, actor: Actor) {
        let told = match index {
            counter::ATOMIC_RESPONSES => CounterMeaning::Done(Kind::MarkedAtomic),
            counter::WRITE_ACKNOWLEDGEMENTS => CounterMeaning::Done(Kind::MarkedWrite),
            counter::READ_RESPONSES | counter::READ_WORDS => CounterMeaning::Done(Kind::Read),
            counter::MARKED_WRITES_SENT | counter::MARKED_WRITE_WORDS_SENT => {
                CounterMeaning::Sent(Kind::MarkedWrite)
            }
            counter::POSTED_WRITES_SENT | counter::POSTED_WRITE_WORDS_SENT => {
                CounterMeaning::Sent(Kind::PostedWrite)
            }
            counter::OUTSTANDING..counter::OUTGOING => {
                CounterMeaning::TransactionDone(index - counter::OUTSTANDING)
            }
            counter::OUTGOING..counter::COUNT => {
                CounterMeaning::TransactionSent(index - counter::OUTGOING)
            }
            _ => return,
        };
        let Some(clock) = self.clocks.get(actor.index()) else { return };
        let learnt = self.history.transfers.tell(interface, told, actor, clock.own());
        self.learn(actor, &learnt);
    }

    /// A request's data leaves.
    pub(crate) fn departs(&mut self, transfer: &Transfer) {
        if let Some(ticket) = &transfer.ticket {
            self.history.transfers.sent(&ticket.record);
        }
    }

    /// A request's response has arrived.
    pub(crate) fn responds(&mut self, transfer: &mut Transfer) {
        if let Some(ticket) = &mut transfer.ticket {
            let mut learnt = std::mem::take(&mut ticket.learnt);
            learnt.extend(self.history.transfers.follows(&ticket.record));
            self.history.transfers.done(&ticket.record, learnt);
        }
    }

    /// The host looks at memory of its own, which the chip may have written.
    pub(crate) fn host_looks(&mut self) {
        let mut word = std::mem::take(&mut self.host_memory);
        self.acquire(Actor::HOST, &mut word);
        self.host_memory = word;
    }
}

impl Transfer {
    /// Keeps what a read found out until its issuer knows that it is done.
    pub(crate) fn learns(&mut self, learnt: Vec<Stamp>) {
        if let Some(ticket) = &mut self.ticket {
            ticket.learnt.extend(learnt);
        }
    }
}

impl Kind {
    pub(crate) const fn of(operation: Operation, marked: bool) -> Self {
        match (operation, marked) {
            (Operation::Read { .. }, _) => Self::Read,
            (Operation::Write { .. } | Operation::InlineWrite { .. }, true) => Self::MarkedWrite,
            (Operation::Write { .. } | Operation::InlineWrite { .. }, false) => Self::PostedWrite,
            (Operation::Atomic { .. }, true) => Self::MarkedAtomic,
            (Operation::Atomic { .. }, false) => Self::PostedAtomic,
        }
    }
}

impl Tile {
    fn place_of<'a>(&self, address: u32, races: &Races, coordinates: &'a Coordinates) -> Where<'a> {
        let meaning = races.meanings.get(self.at, address.into());
        Where { coordinates, memory: "L1", tile: self.at, meaning }
    }

    /// Whether an access of this tile's cores polls.
    fn polls(&mut self, actor: Actor, pc: u32, is_there: bool) -> bool {
        let Some((tile, index)) = actor.tile_and_core() else { return false };
        let Some(core) = self.cores.get(index).filter(|_| tile == self.number) else {
            return false;
        };
        let returns_to = is_there.then(|| core.register(1));
        let has_instruction_ram = core.has_instruction_ram;
        self.memory.polls(pc, has_instruction_ram, returns_to)
    }

    /// Whether a conflict is about a word that is a flag by its use.
    fn is_flag(&mut self, conflict: &Conflict, later: &Party, later_length: u64) -> bool {
        let by_core = |party: &Party| match *party {
            Party::Core { actor, pc } => Some((actor, pc)),
            Party::Host | Party::Request(..) => None,
        };
        let word_of_host = |party: &Party, length: u64| matches!(party, Party::Host) && length == 4;
        let later_polls = !conflict.later_writes
            && by_core(later).is_some_and(|(actor, pc)| self.polls(actor, pc, true));
        let earlier_polls = !conflict.earlier_wrote
            && by_core(&conflict.earlier).is_some_and(|(actor, pc)| self.polls(actor, pc, false));
        later_polls
            || earlier_polls
            || word_of_host(later, later_length)
            || word_of_host(&conflict.earlier, conflict.earlier_length.into())
    }

    /// A conflict of one of this tile's cores: either the word is a flag, and the access is made again,
    /// or there is a race.
    pub(crate) fn settle_conflict(
        &mut self,
        index: usize,
        conflict: &Conflict,
        races: &mut Races,
        coordinates: &Coordinates,
    ) -> Result<(), Violation> {
        let actor = Actor::core(self.number, index);
        let pc = self.cores.get(index).map_or(0, |core| core.pc);
        let later = Party::Core { actor, pc };
        let is_overlooked = races.overlooked_until(self.at, conflict.address).is_some();
        if is_overlooked || self.is_flag(conflict, &later, 0) {
            races.promote(&mut self.memory.shadow, conflict.address);
            return Ok(());
        }
        Err(conflict.violation(races, &later, &self.place_of(conflict.address, races, coordinates)))
    }

    /// Somebody else than a core of this tile accesses a range of its L1.
    fn touch(
        &mut self,
        races: &mut Races,
        by: By<'_>,
        (start, length): (u64, u64),
        writes: bool,
        coordinates: &Coordinates,
    ) -> Result<Vec<u32>, Violation> {
        loop {
            let conflict = match races.touch(self, by, (start, length), writes) {
                Ok(synchronizing) => return Ok(synchronizing),
                Err(conflict) => conflict,
            };
            let later = match by {
                By::Host => Party::Host,
                By::Request(record, stage) => Party::Request(Arc::clone(record), stage),
            };
            if self.is_flag(&conflict, &later, length) {
                races.promote(&mut self.memory.shadow, conflict.address);
                continue;
            }
            let Some(end) = races.overlooked_until(self.at, conflict.address) else {
                let place = self.place_of(conflict.address, races, coordinates);
                return Err(conflict.violation(races, &later, &place));
            };
            // Long transfers, of which each word would be a flag: what was done before is over instead.
            let end = start.saturating_add(length).min(end);
            self.memory.shadow.annotate(conflict.address & !3, end as u32, false);
        }
    }

    /// A request that a core issues will read or write the tile's own memory, at any time from now on.
    pub(crate) fn lend(
        &mut self,
        races: &mut Races,
        ticket: Option<&Ticket>,
        operation: Operation,
        local: u32,
        coordinates: &Coordinates,
    ) -> Result<(), Violation> {
        let Some(ticket) = ticket else { return Ok(()) };
        let (stage, length, writes) = match operation {
            Operation::Read { length } => (RequestSide::Return, length, true),
            Operation::Write { length } => (RequestSide::Source, length, false),
            Operation::Atomic { .. } if ticket.record.kind == Kind::MarkedAtomic => {
                (RequestSide::Return, 4, true)
            }
            Operation::Atomic { .. } | Operation::InlineWrite { .. } => return Ok(()),
        };
        let range = (local.into(), length.into());
        self.touch(races, By::Request(&ticket.record, stage), range, writes, coordinates)?;
        if stage == RequestSide::Source && races.is_watching() {
            self.check_landed(races, ticket, (local, length), coordinates)?;
        }
        Ok(())
    }

    /// The bytes that a core's request takes from L1 must have come there: a store takes another way.
    fn check_landed(
        &self,
        races: &Races,
        ticket: &Ticket,
        (local, length): (u32, u32),
        coordinates: &Coordinates,
    ) -> Result<(), Violation> {
        let issuer = ticket.record.origin.processor;
        let core = self.cores.get(issuer.index());
        let Some(stored) = core.and_then(|core| core.stores.pending(local, length)) else {
            return Ok(());
        };
        if races.overlooked_until(self.at, stored.address()).is_some() {
            return Ok(());
        }
        let conflict = Conflict::pending(stored, Actor::core(self.number, issuer.index()));
        let place = self.place_of(stored.address(), races, coordinates);
        let later = Party::Request(Arc::clone(&ticket.record), RequestSide::Source);
        Err(conflict.pending_violation(&later, &place))
    }

    /// The words that a parked core waits for synchronize.
    pub(crate) fn promote(&mut self, races: &mut Races, addresses: impl Iterator<Item = u32>) {
        for address in addresses {
            if u64::from(address) < self.memory.size() {
                races.promote(&mut self.memory.shadow, address);
            }
        }
    }
}

impl<O: Observer> Machine<O> {
    /// The host accesses a range of the chip's memory through a window. While nothing runs and nothing
    /// is in flight it comes after everything, and everything comes after it.
    pub(crate) fn host_touches(
        &mut self,
        at: PhysicalCoordinate,
        (address, length): (u64, usize),
        writes: bool,
    ) -> Result<(), Violation> {
        if self.is_idle() {
            self.forget_order();
            return Ok(());
        }
        let TileKind::Tensix(index) = self.coordinates.kind(at) else { return Ok(()) };
        let Self { tiles, races, coordinates, description, .. } = self;
        let Some(tile) = tiles.get_mut(usize::from(index)).and_then(Option::as_mut) else {
            return Ok(());
        };
        if address >= description.l1_size {
            if !writes {
                races.load_register(index, address as u32, Actor::HOST);
                return Ok(());
            }
            for register in Tile::synchronized_by(address, description).into_iter().flatten() {
                races.store_register(index, register, Writes::Actor(Actor::HOST));
            }
            return Ok(());
        }
        let range = (address, length as u64);
        let words = tile.touch(races, By::Host, range, writes, coordinates)?;
        if words.is_empty() {
            return Ok(());
        }
        let stamp = if writes { races.release(Actor::HOST) } else { None };
        for word in words {
            let Some(word) = tile.memory.shadow.synchronizing(word) else { continue };
            match &stamp {
                Some(stamp) => word.store(stamp.clone()),
                None => races.acquire(Actor::HOST, word),
            }
        }
        Ok(())
    }

    /// A request reads or writes a range at one of its targets. What a read finds out from words that
    /// synchronize.
    pub(crate) fn request_touches(
        &mut self,
        transfer: &Transfer,
        at: PhysicalCoordinate,
        (address, length): (u64, usize),
    ) -> Result<Vec<Stamp>, Violation> {
        let Self { tiles, races, coordinates, description, seed, .. } = self;
        let mut learnt = Vec::new();
        let Some(ticket) = &transfer.ticket else { return Ok(learnt) };
        ticket.record.arrive();
        let reads = matches!(transfer.operation, Operation::Read { .. });
        let index = match coordinates.kind(at) {
            TileKind::Tensix(index) => index,
            TileKind::Pcie if !reads => {
                races.host_memory.add(ticket.record.arrival(true));
                return Ok(learnt);
            }
            _ => return Ok(learnt),
        };
        let Some(slot) = tiles.get_mut(usize::from(index)) else { return Ok(learnt) };
        let tile =
            slot.get_or_insert_with(|| Box::new(Tile::new(description, coordinates, at, *seed)));
        if address >= description.l1_size {
            if reads {
                if let Some(word) = races.registers.get(&(index, address as u32)) {
                    learnt.extend_from_slice(word.stamps());
                }
                return Ok(learnt);
            }
            for register in Tile::synchronized_by(address, description).into_iter().flatten() {
                races.store_register(index, register, Writes::Request(ticket));
            }
            return Ok(learnt);
        }
        if matches!(transfer.operation, Operation::Atomic { .. }) {
            races.promote(&mut tile.memory.shadow, address as u32);
        }
        let range = (address, length as u64);
        let by = By::Request(&ticket.record, RequestSide::Target);
        let words = tile.touch(races, by, range, !reads, coordinates)?;
        let in_one_piece = address / PIECE == (address + length as u64).saturating_sub(1) / PIECE;
        for word in words {
            let Some(word) = tile.memory.shadow.synchronizing(word) else { continue };
            match transfer.operation {
                Operation::Read { .. } => learnt.extend_from_slice(word.stamps()),
                Operation::Atomic { .. } => word.add(ticket.record.arrival(in_one_piece)),
                _ => word.store(ticket.record.arrival(in_one_piece)),
            }
        }
        Ok(learnt)
    }

    /// Takes note of what a range of a tile's memory is for.
    pub(crate) fn annotate_order(
        &mut self,
        at: PhysicalCoordinate,
        start: u64,
        length: u64,
        meaning: Meaning,
    ) {
        self.races.meanings.set(at, start, start.saturating_add(length), meaning);
        let TileKind::Tensix(index) = self.coordinates.kind(at) else { return };
        let end = start.saturating_add(length).min(self.description.l1_size);
        let synchronizes = matches!(meaning, Meaning::Semaphore | Meaning::Mailbox);
        // Nobody has accessed a tile that nobody needed yet.
        if start >= end || !synchronizes && matches!(self.tiles.get(usize::from(index)), Some(None))
        {
            return;
        }
        if let Some(tile) = self.tile(index) {
            tile.memory.shadow.annotate(start as u32, end as u32, synchronizes);
        }
    }

    /// Nothing runs and nothing is in flight.
    fn is_idle(&self) -> bool {
        self.schedule.is_idle() && self.network.next_time().is_none()
    }

    /// What comes next comes after all that was done.
    pub(crate) fn forget_order(&mut self) {
        let shadows = self.tiles.iter_mut().flatten().map(|tile| &mut tile.memory.shadow);
        self.races.forget(shadows);
    }

    /// Keeps what is remembered of accesses in bounds.
    pub(crate) fn collect_accesses(&mut self) {
        if self.races.is_full() {
            self.races.collect(self.tiles.iter().flatten().map(|tile| &tile.memory.shadow));
        }
    }
}
