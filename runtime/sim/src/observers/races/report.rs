//! A race in words: both accesses, the bytes, what they are for, and the remedy.

use std::fmt::Write as _;
use std::sync::Arc;

use hallmark_chip::{
    FaultCategory, FaultMemory, FaultPlace, Meaning, PhysicalCoordinate, Processor, TileAddress,
};
use hallmark_tensix::Thread;

use super::accesses::{Access, RequestSide};
use super::clock::place;
use super::dram;
use super::stores::L1Store;
use super::sync::{CachedPoll, SyncRule};
use super::transfers::{Record, Transfers};
use super::units::Flight;
use super::{History, Order, Toucher, Unordered};
use crate::machine::actor::{Actor, Unit};
use crate::machine::coordinates::Coordinates;
use crate::machine::defects::{Defect, planted};
use crate::machine::fault::{Origin, Violation};
use crate::observers::kernel_name::kernel_name;
use crate::observers::noc_counters::Kind;

/// Who made an access, and how.
#[derive(Clone, Debug)]
pub(crate) enum Party {
    Host,
    /// A core's load or store.
    Core {
        actor: Actor,
        pc: u32,
    },
    Request(Arc<Record>, RequestSide),
    /// An instruction of an unpacker or a packer.
    Flight(Arc<Flight>),
}

impl Party {
    /// The actor whose doing it is.
    fn actor(&self) -> Actor {
        match self {
            Self::Host => Actor::Host,
            Self::Core { actor, .. } => *actor,
            Self::Request(record, _) => record.stamp.actor,
            Self::Flight(flight) => flight.core(),
        }
    }

    /// The word for a value that it gives to memory.
    const fn change(&self) -> &'static str {
        match self {
            Self::Request(..) => "write",
            Self::Host | Self::Core { .. } | Self::Flight(_) => "store",
        }
    }

    fn request(&self) -> Option<(&Record, RequestSide)> {
        match self {
            Self::Request(record, stage) => Some((record, *stage)),
            Self::Host | Self::Core { .. } | Self::Flight(_) => None,
        }
    }
}

/// An access and an earlier one without an order between them.
#[derive(Clone, Debug)]
pub(crate) struct Conflict {
    /// The first byte, and how many of its word.
    pub(crate) address: u32,
    length: u32,
    pub(crate) earlier: Party,
    /// The count at which a core made the earlier access, if it is known.
    earlier_count: Option<u32>,
    /// Bytes of an earlier access by the host.
    pub(super) earlier_length: u32,
    pub(crate) earlier_wrote: bool,
    pub(crate) later_writes: bool,
    /// The rule of words that synchronize; `None`: two accesses to one byte must be ordered.
    pub(super) rule: Option<SyncRule>,
    /// The look through a data cache that need not find the change, which is `earlier`.
    pub(super) cached_poll: Option<Box<CachedPoll>>,
}

/// Where a conflict is.
pub(crate) struct Where<'a> {
    pub(crate) coordinates: &'a Coordinates,
    pub(crate) memory: &'static str,
    pub(crate) tile: PhysicalCoordinate,
    pub(crate) meaning: Option<Meaning>,
}

impl History {
    pub(super) fn conflict(
        &self,
        word: u32,
        bytes: u32,
        found: Unordered,
        toucher: &Toucher<'_>,
    ) -> Conflict {
        let Unordered { earlier: (number, pc), wrote } = found;
        let (earlier, earlier_count) = match self.accesses.get(number) {
            &Access::Actor(actor, count) if actor != Actor::Host => {
                (Party::Core { actor, pc }, Some(count))
            }
            Access::Transfer(record, stage) => (Party::Request(Arc::clone(record), *stage), None),
            Access::Flight(flight) => (Party::Flight(Arc::clone(flight)), None),
            _ => (Party::Host, None),
        };
        Conflict {
            address: (word << 2) + bytes.trailing_zeros(),
            length: bytes.count_ones(),
            earlier,
            earlier_count,
            earlier_length: pc,
            earlier_wrote: wrote,
            later_writes: toucher.writes,
            rule: None,
            cached_poll: None,
        }
    }
}

impl Conflict {
    /// A store that a request of the same core overtakes.
    pub(super) fn pending(stored: &L1Store, actor: Actor) -> Self {
        Self {
            address: stored.address(),
            length: 4,
            earlier: Party::Core { actor, pc: stored.pc },
            earlier_count: None,
            earlier_length: 4,
            earlier_wrote: true,
            later_writes: false,
            rule: None,
            cached_poll: None,
        }
    }

    /// Two requests to DRAM.
    pub(super) fn in_dram(found: dram::Unordered, later_writes: bool) -> Self {
        let dram::Unordered { earlier, wrote, range: (start, end) } = found;
        let length = u32::try_from(end.saturating_sub(start)).unwrap_or(u32::MAX);
        Self {
            address: u32::try_from(start).unwrap_or(u32::MAX),
            length,
            earlier: Party::Request(earlier, RequestSide::Target),
            earlier_count: None,
            earlier_length: length,
            earlier_wrote: wrote,
            later_writes,
            rule: None,
            cached_poll: None,
        }
    }

    /// Whether a unit of the coprocessor makes one of the two accesses, and no host the other. Units access the data of kernels
    /// alone, with any firmware.
    pub(super) const fn is_with_a_unit(&self, later: &Party) -> bool {
        matches!(
            (&self.earlier, later),
            (Party::Flight(_), Party::Flight(_) | Party::Core { .. } | Party::Request(..))
                | (Party::Core { .. } | Party::Request(..), Party::Flight(_))
        )
    }

    /// Whether both write, and all of a word.
    pub(super) fn is_between_writes(&self) -> bool {
        self.rule.is_none()
            && self.earlier_wrote
            && self.later_writes
            && self.length == 4
            && !planted(Defect::EqualWritesRace)
    }

    /// A change of a word that breaks a rule of words that synchronize.
    pub(super) fn of_rule(rule: SyncRule, address: u32, earlier: Party) -> Self {
        Self {
            address,
            length: 4,
            earlier,
            earlier_count: None,
            earlier_length: 4,
            earlier_wrote: !matches!(
                rule,
                SyncRule::SetBack | SyncRule::Overshoots { .. } | SyncRule::Wiped { .. }
            ),
            later_writes: true,
            rule: Some(rule),
            cached_poll: None,
        }
    }

    /// A look at a word that has passed the value which the look waits for, and the increment by which it did.
    pub(super) fn of_passed_wait(rule: SyncRule, address: u32, increment: Party) -> Self {
        Self { earlier_wrote: true, later_writes: false, ..Self::of_rule(rule, address, increment) }
    }

    /// A look through a data cache at a word, and a change that it need not find.
    pub(super) fn of_cached_poll(poll: CachedPoll, address: u32, change: Party) -> Self {
        Self {
            address,
            length: 4,
            earlier: change,
            earlier_count: None,
            earlier_length: 4,
            earlier_wrote: true,
            later_writes: false,
            rule: None,
            cached_poll: Some(Box::new(poll)),
        }
    }

    /// The fault of a loop that polls a line of the data cache.
    pub(super) fn stale_read(&self, poll: &CachedPoll, place: &Where<'_>) -> Violation {
        let CachedPoll { actor, pc, launch, .. } = poll;
        let Actor::Unit { unit: Unit::Core(processor), .. } = *actor else {
            return Violation::new(FaultCategory::StaleCacheRead, "the host polls");
        };
        let kernel = kernel_name(launch, processor);
        let at = Party::Core { actor: *actor, pc: *pc };
        let reason = format!("{kernel}: {}", self.describe(&at, place));
        let remedy = "the loop polls the word in the data cache, which does not see what others write until the line is \
                      dropped: call invalidate_l1_cache() in the loop, before each look, or wait with noc_semaphore_wait or \
                      noc_semaphore_wait_min";
        let violation =
            Violation::new(FaultCategory::StaleCacheRead, format!("{reason}; {remedy}"));
        let violation = match Self::place_of_party(&at, place) {
            Some(at) => violation.broken_at(at),
            None => violation,
        };
        violation.against(self.earlier_place(place)).about(Some(self.memory(place)))
    }

    /// The fault of a change that breaks a rule of words that synchronize.
    pub(super) fn sync_violation(
        &self,
        rule: SyncRule,
        later: &Party,
        place: &Where<'_>,
    ) -> Violation {
        let reason = self.describe(later, place);
        let why = match rule {
            SyncRule::Replaces
            | SyncRule::Looks
            | SyncRule::LooksThroughCache
            | SyncRule::Unordered => {
                "nothing orders the two, and where the increment comes first, the store wipes it: store to the word only \
                 when no increment can be under way (who increments waits until it is told), or never store and wait \
                 for a count that grows (noc_semaphore_wait_min)"
                    .to_owned()
            }
            SyncRule::OtherValue => {
                "nothing orders the two, and where the write comes first, the store wipes it: store to the word before \
                 the core that writes it is told to go on (noc_semaphore_set before noc_semaphore_inc), or after the \
                 wait for its value"
                    .to_owned()
            }
            SyncRule::CountedByHand { last_at, .. }
                if matches!(self.earlier, Party::Core { .. }) =>
            {
                format!(
                    "nothing orders the two, and the stored value follows from the load at pc {last_at:#x}, which waits for \
                     nothing, so that one of the two changes may be lost: change the word with noc_semaphore_inc, or give \
                     each core a word of its own"
                )
            }
            SyncRule::CountedByHand { last_at, .. } => format!(
                "the stored value follows from the load at pc {last_at:#x}, which waits for nothing, so that an increment \
                 between the two is lost: change the word with noc_semaphore_inc"
            ),
            SyncRule::Overshoots { value } => format!(
                "the load waits for exactly {value}, and nothing orders the increment after the end of that wait: where \
                 the increment comes first, the word passes {value} unseen, and the wait never ends: wait for at least \
                 {value} (noc_semaphore_wait_min), or increment only when the core that waits has told that it has seen \
                 {value}"
            ),
            SyncRule::Wiped { awaited, .. } => {
                let change = later.change();
                format!(
                    "the load waits for {awaited}, and nothing orders the {change} after the end of that wait: if the \
                     {change} comes first, that core waits for the next such value, or forever: {change} only when that \
                     core has told that it has seen the value, or give each core that waits a word of its own"
                )
            }
            SyncRule::MayBeWiped { awaited, giver, given_at } => {
                let change = self.earlier.change();
                format!(
                    "the load waits for {awaited}, and nothing orders that {change} before the one at pc {given_at:#x} of \
                     {}, which gave the word this value: if the {change} comes second, it wipes the value, and the core \
                     waits for the next one, or forever: make this {change} first, and only then let the other core give \
                     the value, or give each of the two a word of its own",
                    Self::actor_name(giver, place)
                )
            }
            SyncRule::SetBack => {
                let waits = match self.earlier.request().map(|(record, _)| record.kind) {
                    Some(Kind::PostedWrite) => "noc_async_posted_writes_flushed",
                    _ => "noc_async_writes_flushed or noc_async_write_barrier",
                };
                format!(
                    "the request may still take the new value: wait with {waits} before the word is stored to again"
                )
            }
        };
        Violation::new(FaultCategory::UnorderedSynchronization, format!("{reason}; {why}"))
            .against(self.earlier_place(place))
            .about(Some(self.memory(place)))
    }

    /// The fault of such a request.
    pub(super) fn pending_violation(&self, later: &Party, place: &Where<'_>) -> Violation {
        let reason = self.describe(later, place);
        Violation::new(
            FaultCategory::DataRace,
            format!(
                "{reason}; the store may reach L1 after the request: load the word back and use it before \
                 the request is made, as noc_semaphore_set does"
            ),
        )
        .against(self.earlier_place(place))
        .about(Some(self.memory(place)))
    }

    fn actor_name(actor: Actor, place: &Where<'_>) -> String {
        let (tile, name) = match actor {
            Actor::Host => return "the host".to_owned(),
            Actor::Unit { tile, unit: Unit::Core(processor) } => (tile, processor.name()),
            Actor::Unit { tile, unit: Unit::Thread(thread) } => {
                (tile, core_of_thread(thread).name())
            }
        };
        match place.coordinates.tensix().get(usize::from(tile)) {
            Some(at) => format!("{name} of tile {at}"),
            None => name.to_owned(),
        }
    }

    /// The fault: `later` is the access that found the conflict.
    pub(crate) fn violation(&self, races: &Order, later: &Party, place: &Where<'_>) -> Violation {
        let reason = self.describe(later, place);
        let remedy = self.remedy(races, later, place.meaning);
        Violation::new(
            FaultCategory::DataRace,
            format!("{reason}; nothing orders the two: {remedy}"),
        )
        .against(self.earlier_place(place))
        .about(Some(self.memory(place)))
    }

    /// Where the earlier access was made or asked for; the host's at the tile that it reached for.
    fn earlier_place(&self, place: &Where<'_>) -> Option<FaultPlace> {
        Self::place_of_party(&self.earlier, place)
    }

    fn place_of_party(party: &Party, place: &Where<'_>) -> Option<FaultPlace> {
        match party {
            Party::Host => Some(Origin::Host.place(place.tile)),
            Party::Core { actor, pc } => {
                let (tile, processor) = match *actor {
                    Actor::Host | Actor::Unit { unit: Unit::Thread(_), .. } => return None,
                    Actor::Unit { tile, unit: Unit::Core(processor) } => (tile, processor),
                };
                Some(FaultPlace {
                    processor: Some(processor),
                    pc: Some(*pc),
                    ..FaultPlace::of_tile(*place.coordinates.tensix().get(usize::from(tile))?)
                })
            }
            Party::Request(record, _) => Some(record.origin.place()),
            Party::Flight(flight) => Some(flight.origin.place()),
        }
    }

    /// The bytes that both accesses touch.
    fn memory(&self, place: &Where<'_>) -> FaultMemory {
        FaultMemory {
            tile: place.tile,
            address: TileAddress(self.address.into()),
            length: self.length.into(),
        }
    }

    fn describe(&self, later: &Party, place: &Where<'_>) -> String {
        let Where { memory, .. } = place;
        let same = later.actor() == self.earlier.actor();
        let mut text = match later {
            Party::Host if self.later_writes => "the host writes ".to_owned(),
            Party::Host => "the host reads ".to_owned(),
            Party::Core { actor, .. } => {
                let name = Self::actor_name(*actor, place);
                format!("{name} {}", if self.later_writes { "stores to " } else { "loads " })
            }
            Party::Request(record, stage) => {
                let name = Self::actor_name(record.stamp.actor, place);
                format!("{} of {name} {} ", request(record), does(record, *stage))
            }
            Party::Flight(flight) => {
                let name = Self::actor_name(flight.core(), place);
                let does = if self.later_writes { "writes" } else { "reads" };
                format!("{}, for an instruction of {name}, {does} ", flight.unit.unit)
            }
        };
        let bytes = self.memory(place);
        let _ = write!(text, "{memory} {bytes}{}, ", place.meaning.map_or("", within));
        let whose = if same {
            "the same core".to_owned()
        } else {
            Self::actor_name(self.earlier.actor(), place)
        };
        let _ = match &self.earlier {
            Party::Host if self.earlier_wrote => write!(text, "which the host wrote"),
            Party::Host => write!(text, "which the host read"),
            Party::Core { pc, .. } if self.earlier_wrote => {
                write!(text, "to which {whose} stored at pc {pc:#x}")
            }
            Party::Core { pc, .. } => write!(text, "which {whose} loaded at pc {pc:#x}"),
            Party::Request(record, stage) => write!(
                text,
                "which {} that {whose} issued at pc {:#x} {}",
                request(record),
                record.origin.pc,
                does(record, *stage)
            ),
            Party::Flight(flight) => write!(
                text,
                "which {} {} for an instruction that {whose} pushed at pc {:#x}",
                flight.unit.unit,
                if self.earlier_wrote { "writes" } else { "reads" },
                flight.origin.pc,
            ),
        };
        text
    }

    /// What to do so that there is an order.
    fn remedy(&self, races: &Order, later: &Party, meaning: Option<Meaning>) -> String {
        if let Some(remedy) = self.unit_still_works(races, later, meaning) {
            return remedy;
        }
        let request = self.earlier.request().or(later.request());
        if later.actor() == self.earlier.actor() {
            return request.map_or_else(String::new, |(record, stage)| {
                own(record, stage, &races.history.transfers)
            });
        }
        if matches!(later, Party::Host) || matches!(self.earlier, Party::Host) {
            return "the host leaves memory alone that a program uses, until the program has finished"
                .to_owned();
        }
        if let Some((record, other)) = self.signalled_too_early(races, later) {
            let on_noc = on_noc(record, &races.history.transfers);
            if !races.has_heard_an_atomic_behind(other, record) {
                let waits = match record.kind {
                    Kind::PostedWrite => {
                        "nobody acknowledges a posted write: its issuer uses an acknowledged one and \
                         waits with"
                    }
                    Kind::Read | Kind::MarkedWrite | Kind::MarkedAtomic | Kind::PostedAtomic => {
                        "its issuer waits with"
                    }
                };
                return format!(
                    "{waits} noc_async_write_barrier{on_noc} before it signals, or signals on the same NoC and \
                     virtual channel after the data, and the other side waits for that signal"
                );
            }
            let waits = match record.kind {
                Kind::PostedWrite => "noc_async_posted_writes_flushed",
                Kind::Read | Kind::MarkedWrite | Kind::MarkedAtomic | Kind::PostedAtomic => {
                    "noc_async_write_barrier or noc_async_writes_flushed"
                }
            };
            return format!(
                "its issuer waits with {waits}{on_noc} before it signals, and the other side waits for that signal; the \
                 documents do not promise that an atomic finds the writes before it in memory (NoC/Ordering.md)"
            );
        }
        let is_circular =
            meaning == Some(Meaning::CircularBuffer) && are_neighbours(&self.earlier, later);
        if let Some(remedy) = self.signalled_while_under_way(races, later, is_circular) {
            return remedy;
        }
        if is_circular {
            return self.circular_buffer_remedy(later);
        }
        if self.earlier_wrote && self.later_writes {
            return "let one of them write, or let the second wait for a semaphore that the first \
                    increments when it is done"
                .to_owned();
        }
        let (first, second) =
            if self.earlier_wrote { ("writer", "reader") } else { ("reader", "writer") };
        let (waits, signals) = if are_neighbours(&self.earlier, later) {
            ("noc_semaphore_wait, cb_wait_front", "noc_semaphore_inc, cb_push_back")
        } else {
            ("noc_semaphore_wait", "noc_semaphore_inc")
        };
        let mut remedy = format!(
            "hand the bytes over: the {second} waits ({waits}) until the {first} signals that it is done ({signals})"
        );
        let now = races.clocks.get(place(later.actor())).map(super::Clock::own);
        let parties = (&self.earlier, later);
        let stale = stale_look(races, parties, self.earlier_count)
            .map(|pc| (pc, first, second))
            .or_else(|| {
                let pc = stale_look(races, (later, &self.earlier), now)?;
                Some((pc, second, first))
            });
        if let Some((pc, who, other)) = stale {
            let _ = write!(
                remedy,
                "; the {who}'s load at pc {pc:#x} found its word as the {who} had seen it last, so that it waited for \
                 nothing new: set the word back (noc_semaphore_set) before the {other} is told to go on, or wait for a value \
                 that the {other} alone gives it"
            );
        }
        remedy
    }

    /// The write of which the other actor heard before it was done, if that is why there is no order.
    fn signalled_too_early<'a>(
        &'a self,
        races: &Order,
        later: &'a Party,
    ) -> Option<(&'a Record, Actor)> {
        match (&self.earlier, later) {
            (Party::Request(record, RequestSide::Target), _) if record.kind.is_write() => {
                let other = later.actor();
                (!races.has_waited_for(record) || races.has_heard_since(other, record))
                    .then_some((&**record, other))
            }
            // Whoever came first has heard of the issuer since, but not of the data.
            (reader, Party::Request(record, RequestSide::Target)) if record.kind.is_write() => {
                let other = reader.actor();
                races.has_heard_since(other, record).then_some((&**record, other))
            }
            _ => None,
        }
    }

    /// The remedy where the other party has heard of the issuer of a request since, and only the end of the request at the
    /// issuer's own tile is not ordered.
    fn signalled_while_under_way(
        &self,
        races: &Order,
        later: &Party,
        is_circular: bool,
    ) -> Option<String> {
        let parties = [(&self.earlier, later), (later, &self.earlier)];
        let (record, stage) = parties.into_iter().find_map(|(party, other)| {
            let (record, stage) = party.request()?;
            let at_own_tile = matches!(stage, RequestSide::Source | RequestSide::Return);
            let is_under_way = at_own_tile
                && other.actor() != Actor::Host
                && races.has_heard_since(other.actor(), record);
            is_under_way.then_some((record, stage))
        })?;
        let Wait { call, .. } = wait_for(record, stage, &races.history.transfers)?;
        let (issuer, signal) = match (is_circular, stage) {
            (true, RequestSide::Return) => ("the producer", "cb_push_back"),
            (true, _) => ("the consumer", "cb_pop_front"),
            (false, _) => ("its issuer", "it signals"),
        };
        let end = match stage {
            RequestSide::Source => "has left",
            RequestSide::Target | RequestSide::Return => "is done",
        };
        Some(format!(
            "{issuer} waits with {call} until the {} {end}, before {signal}",
            request(record).trim_start_matches("a ")
        ))
    }

    /// The remedy where the later party has heard of the thread of an unpacker or a packer since, and not of the end of its
    /// instruction.
    fn unit_still_works(
        &self,
        races: &Order,
        later: &Party,
        meaning: Option<Meaning>,
    ) -> Option<String> {
        let Party::Flight(flight) = &self.earlier else { return None };
        let (thread, core) = (flight.stamp.actor, flight.core());
        let is_own = later.actor() == core;
        let heard = races.has_heard_of(later.actor(), thread, flight.stamp.own)
            || races.has_heard_of(later.actor(), core, flight.pushed_at);
        if !is_own && !heard {
            return None;
        }
        if let Some(clock) = races.clocks.get(place(thread))
            && races.history.transfers.flights.ordered(flight, &clock.view(thread))
        {
            let whose = core_of_thread(flight.unit.thread).name();
            return Some(format!(
                "the thread of {whose} has waited for {}, and {whose}, which goes on beside its thread, has not: let an \
                 instruction of the thread signal behind that wait (SEMPOST, STOREREG), or let {whose} wait for its thread \
                 (tensix_sync) first",
                flight.unit.unit
            ));
        }
        let is_circular =
            meaning == Some(Meaning::CircularBuffer) && are_neighbours(&self.earlier, later);
        let condition = flight.unit.unit.stall_condition();
        let signal = if self.earlier_wrote { "cb_push_back" } else { "cb_pop_front" };
        let before = match (is_own, is_circular) {
            (true, _) => "the bytes are used again",
            (false, true) => signal,
            (false, false) => "the thread signals that it is done",
        };
        Some(format!(
            "{} works on after its instruction was issued: wait with STALLWAIT ({condition}) before {before}, with a block \
             mask that holds back the next instruction",
            flight.unit.unit
        ))
    }

    fn circular_buffer_remedy(&self, later: &Party) -> String {
        let (writer, reader) =
            if self.earlier_wrote { (&self.earlier, later) } else { (later, &self.earlier) };
        let remedy = match (self.earlier_wrote, self.later_writes) {
            (true, true) => match (issuer_of(writer), issuer_of(reader)) {
                (Some(one), Some(other))
                    if one != other
                        && !is_compute_but(one, PACK)
                        && !is_compute_but(other, PACK) =>
                {
                    return format!(
                        "{} and {} both fill this circular buffer, which has one producer, because each producer counts its pages \
                         by itself: let one of them fill it, or give each a circular buffer of its own",
                        other.name(),
                        one.name()
                    );
                }
                _ => {
                    "a circular buffer has one producer, which fills only what cb_reserve_back gave it"
                }
            },
            (true, false) => match (core_of(writer), core_of(reader)) {
                (_, Some(reader)) if is_compute_but(reader, UNPACK) => {
                    return format!(
                        "of a compute kernel only {} waits in cb_wait_front, and {} reads the page: let {0} read it, or \
                         hand it on to {1} (hallmark::acquire_operand)",
                        UNPACK.name(),
                        reader.name()
                    );
                }
                (Some(writer), _) if is_compute_but(writer, PACK) => {
                    return format!(
                        "of a compute kernel only {} acts in cb_push_back, and {} fills the page: let {0} fill it, or tell \
                         {0} that it is full (hallmark::release_result)",
                        PACK.name(),
                        writer.name()
                    );
                }
                _ => {
                    "the consumer waits with cb_wait_front before it reads a page, and the producer pushes it with \
                     cb_push_back after the last write"
                }
            },
            (false, _) => match (core_of(reader), core_of(writer)) {
                (Some(reader), _) if is_compute_but(reader, UNPACK) => {
                    return format!(
                        "of a compute kernel only {} gives the page back in cb_pop_front, and {} still reads it: let {0} \
                         read it, or pop when {1} is done with it (hallmark::release_operand)",
                        UNPACK.name(),
                        reader.name()
                    );
                }
                (_, Some(writer)) if is_compute_but(writer, PACK) => {
                    return format!(
                        "of a compute kernel only {} waits in cb_reserve_back, and {} fills the page: let {0} fill it, or \
                         hand it on to {1} (hallmark::acquire_result)",
                        PACK.name(),
                        writer.name()
                    );
                }
                _ => {
                    "the producer waits with cb_reserve_back before it fills a page, and the consumer gives it back with \
                     cb_pop_front after the last read"
                }
            },
        };
        remedy.to_owned()
    }
}

/// The pc of a wait before a party's access that found its word as the other party had left it before. `core_count`: the
/// count at which a core made the access itself, if it is known.
fn stale_look(
    races: &Order,
    (party, other): (&Party, &Party),
    core_count: Option<u32>,
) -> Option<u32> {
    let count = match party {
        Party::Host => return None,
        Party::Core { .. } => core_count?,
        Party::Request(record, _) => record.stamp.own,
        Party::Flight(flight) => flight.pushed_at,
    };
    races.clocks.get(place(party.actor()))?.stale_look_before(count, other.actor())
}

/// The thread of a compute kernel that waits for pages and gives them back.
const UNPACK: Processor = Processor::Trisc0;
/// The thread of a compute kernel that reserves pages and pushes them.
const PACK: Processor = Processor::Trisc2;

fn is_compute_but(core: Processor, of_the_api: Processor) -> bool {
    core != of_the_api && matches!(core, Processor::Trisc0 | Processor::Trisc1 | Processor::Trisc2)
}

/// The core to which a thread of the coprocessor belongs.
const fn core_of_thread(thread: Thread) -> Processor {
    match thread {
        Thread::Unpack => UNPACK,
        Thread::Math => Processor::Trisc1,
        Thread::Pack => PACK,
    }
}

/// The core whose load or store it is.
fn core_of(party: &Party) -> Option<Processor> {
    match party {
        Party::Core { actor: Actor::Unit { unit: Unit::Core(processor), .. }, .. } => {
            Some(*processor)
        }
        Party::Core { actor: Actor::Host | Actor::Unit { unit: Unit::Thread(_), .. }, .. }
        | Party::Host
        | Party::Request(..)
        | Party::Flight(_) => None,
    }
}

/// The core that made an access, by itself, by a request or by an instruction of its thread.
fn issuer_of(party: &Party) -> Option<Processor> {
    match party.actor() {
        Actor::Unit { unit: Unit::Core(processor), .. } => Some(processor),
        Actor::Unit { unit: Unit::Thread(thread), .. } => Some(core_of_thread(thread)),
        Actor::Host => None,
    }
}

impl Order {
    /// Whether an actor has learnt of something that a request's issuer did after it.
    fn has_heard_since(&self, actor: Actor, record: &Record) -> bool {
        self.has_heard_of(actor, record.stamp.actor, record.stamp.own)
    }

    /// Whether an actor has learnt of something that another one did after a count.
    fn has_heard_of(&self, actor: Actor, other: Actor, count: u32) -> bool {
        let clock = self.clocks.get(place(actor));
        clock.is_some_and(|clock| clock.view(actor).knows(other, count.saturating_add(1)))
    }

    /// Whether an actor has heard of an atomic that arrived behind a write on its channel.
    fn has_heard_an_atomic_behind(&self, actor: Actor, record: &Record) -> bool {
        let clock = self.clocks.get(place(actor));
        clock.is_some_and(|clock| self.history.transfers.is_followed(record, &clock.view(actor)))
    }

    /// Whether a request's issuer knows by now that it is done.
    fn has_waited_for(&self, record: &Record) -> bool {
        let issuer = record.stamp.actor;
        self.clocks.get(place(issuer)).is_some_and(|clock| {
            self.history.transfers.is_known_to_be_done(record, &clock.view(issuer))
        })
    }
}

/// Whether both parties are cores of one tile, or requests of such.
fn are_neighbours(one: &Party, other: &Party) -> bool {
    let tile = |party: &Party| match party.actor() {
        Actor::Host => None,
        Actor::Unit { tile, .. } => Some(tile),
    };
    tile(one) == tile(other)
}

/// A call that waits for a request.
struct Wait {
    call: String,
    /// It names the request's transaction identifier.
    by_identifier: bool,
}

/// The NoC of a wait for a request, where it has to be named: waits are of the kernel's own NoC unless they name one.
fn on_noc(record: &Record, transfers: &Transfers) -> String {
    let noc = transfers.noc_to_name(record);
    noc.map_or_else(String::new, |noc| format!(" on NoC {noc}"))
}

/// The call that waits until the data of a request have left their source, or until the request is done.
fn wait_for(record: &Record, stage: RequestSide, transfers: &Transfers) -> Option<Wait> {
    let is_done = stage != RequestSide::Source;
    let on_noc = on_noc(record, transfers);
    // 0: the request carries no transaction identifier of the kernel's choice.
    let identifier = transfers.identifier(record);
    if identifier != 0
        && let Some(call) = record.kind.wait_by_identifier(is_done)
    {
        return Some(Wait { call: format!("{call}({identifier}){on_noc}"), by_identifier: true });
    }
    let call = match (record.kind, is_done) {
        (Kind::Read, _) => "noc_async_read_barrier",
        (Kind::MarkedWrite, false) => "noc_async_writes_flushed or noc_async_write_barrier",
        (Kind::MarkedWrite, true) => "noc_async_write_barrier",
        (Kind::PostedWrite, false) => "noc_async_posted_writes_flushed",
        (Kind::MarkedAtomic, _) => "noc_async_atomic_barrier",
        (Kind::PostedWrite, true) | (Kind::PostedAtomic, _) => return None,
    };
    Some(Wait { call: format!("{call}{on_noc}"), by_identifier: false })
}

/// "a NoC read of 64 bytes".
fn request(record: &Record) -> String {
    let length = record.length;
    match record.kind {
        Kind::Read => format!("a NoC read of {length} bytes"),
        Kind::MarkedWrite => format!("a NoC write of {length} bytes"),
        Kind::PostedWrite => format!("a posted NoC write of {length} bytes"),
        Kind::MarkedAtomic | Kind::PostedAtomic => "a NoC atomic".to_owned(),
    }
}

fn does(record: &Record, stage: RequestSide) -> &'static str {
    match (record.kind, stage) {
        (Kind::Read, RequestSide::Target) => "reads",
        (_, RequestSide::Source) => "takes its data from",
        (Kind::Read, RequestSide::Return) => "brings its data to",
        (_, RequestSide::Return) => "brings the old value to",
        (Kind::MarkedAtomic | Kind::PostedAtomic, RequestSide::Target) => "increments",
        (Kind::MarkedWrite | Kind::PostedWrite, RequestSide::Target) => "writes",
    }
}

fn within(meaning: Meaning) -> &'static str {
    match meaning {
        // Whoever knows the names says which: see `Fault::memory`.
        Meaning::Buffer | Meaning::CircularBuffer => "",
        Meaning::Freed => ", which nobody owns",
        Meaning::Semaphore => ", among the semaphores",
        Meaning::Mailbox => ", in the mailbox",
        Meaning::Code => ", among instructions and constants",
    }
}

/// What a core has to do about a request of its own.
fn own(record: &Record, stage: RequestSide, transfers: &Transfers) -> String {
    let Some(Wait { call, by_identifier }) = wait_for(record, stage, transfers) else {
        return match record.kind {
            Kind::PostedAtomic => {
                "nobody acknowledges a posted atomic: use an acknowledged one and noc_async_atomic_barrier"
            }
            Kind::Read | Kind::MarkedWrite | Kind::PostedWrite | Kind::MarkedAtomic => {
                "nobody acknowledges a posted write: use an acknowledged one and noc_async_write_barrier"
            }
        }
        .to_owned();
    };
    let whose = if by_identifier {
        let identifier = transfers.identifier(record);
        format!("{} carries transaction identifier {identifier}: ", request(record))
    } else {
        String::new()
    };
    let short = match record.kind {
        Kind::Read => "read",
        Kind::MarkedWrite | Kind::PostedWrite => "write",
        Kind::MarkedAtomic | Kind::PostedAtomic => "atomic",
    };
    match stage {
        RequestSide::Source => {
            format!("{whose}wait with {call} before the source is written again")
        }
        RequestSide::Target | RequestSide::Return => {
            format!("{whose}wait with {call} between the {short} and any other use of these bytes")
        }
    }
}
