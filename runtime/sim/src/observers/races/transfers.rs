//! NoC requests, and who knows how far they got.
//!
//! A request happens after everything that its issuer had done when it issued it. Others come after it
//! in two ways. Counters of the NoC interface say that all requests of a kind are done; that some of
//! them are done says nothing, because it does not say which, and responses come in any order
//! (NoC/Ordering.md). And what arrives later on the same channel comes after the writes before it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::accesses::RequestSide;
use super::clock::{Passed, Stamp, View};
use super::dram::Run;
use super::polling::Polls;
use super::units::Flights;
use crate::machine::actor::Actor;
use crate::machine::defects::{Defect, planted};
use crate::machine::fault::CoreOrigin;
use crate::machine::noc::{Channel, DepartureQueue};
use crate::observers::noc_counters::{CounterMeaning, Kind};
use crate::quick_hash::QuickMap;

/// A request.
#[derive(Debug)]
pub(crate) struct Record {
    pub(super) stamp: Stamp,
    pub(super) kind: Kind,
    pub(super) origin: CoreOrigin,
    /// Bytes that it moves.
    pub(super) length: u32,
    /// Its bytes reach memory at once.
    in_one_piece: bool,
    /// Whether its issuer reads the same again until the value is the awaited one.
    pub(super) polls: Polls,
    /// It writes an aligned word and nothing else.
    pub(super) writes_word: bool,
    /// The run of a program to which the kernel belongs that issued it.
    pub(super) run: Option<Run>,
    group: u32,
    /// Its number among those of its group.
    number: u64,
    /// Where it stands on its channel, if that keeps order.
    position: Option<ChannelPosition>,
    arrived: AtomicBool,
}

/// Where a request stands among those of its channel.
#[derive(Clone, Copy, Debug)]
struct ChannelPosition {
    way: u32,
    number: u64,
    /// Requests of two queues may leave in either order.
    queue: DepartureQueue,
}

impl Record {
    /// What it knows where its issuer's memory is concerned, which it reads or writes at any time.
    pub(super) fn view(&self) -> View<'_> {
        View { discards: self.kind.is_atomic(), ..self.stamp.view() }
    }

    /// What it knows when it arrives.
    pub(super) fn arriving(&self) -> View<'_> {
        self.stamp.view().of_arriving(self)
    }

    /// Whether it travels on a channel that keeps order.
    pub(super) fn has_position(&self) -> bool {
        self.position.is_some()
    }

    /// What it comes after when it arrives.
    fn passed(&self) -> Option<Passed> {
        let ChannelPosition { way, number, queue } = self.position?;
        Some(Passed { channel: way, before: number, queue, atomics: self.kind.is_atomic() })
    }

    /// What whoever finds it arrived at a word comes to know. Its other bytes are there too if it is one
    /// piece, which reaches memory at once.
    pub(super) fn arrival(&self) -> Stamp {
        let mut passed = self.passed();
        if let Some(passed) = &mut passed
            && self.in_one_piece
        {
            passed.before += 1;
        }
        Stamp { passed, ..self.stamp.clone() }
    }

    /// What whoever finds out that it is done comes to know of what came before it on its way.
    fn before(&self) -> Stamp {
        Stamp { passed: self.passed(), ..self.stamp.clone() }
    }

    pub(super) fn arrive(&self) {
        self.arrived.store(true, Ordering::Relaxed);
    }

    pub(super) fn has_arrived(&self) -> bool {
        self.arrived.load(Ordering::Relaxed)
    }

    /// Whether whoever comes after another request of the same stage comes after this one.
    pub(super) fn is_implied_by(&self, later: &Self) -> bool {
        let same_way = match (self.position, later.position) {
            (Some(first), Some(second)) => {
                first.way == second.way
                    && first.queue == second.queue
                    && first.number <= second.number
            }
            _ => false,
        };
        self.group == later.group
            && self.number <= later.number
            && (self.kind == Kind::Read || same_way)
    }
}

/// The requests of one core on one interface that share a kind and a transaction id.
#[derive(Debug)]
struct Group {
    actor: Actor,
    noc: usize,
    kind: Kind,
    transaction: usize,
    issued: u64,
    sent: u64,
    done: u64,
    known_sent: Points,
    known_done: Points,
    /// What reads that are done found out from words that synchronize.
    learnt: Vec<Stamp>,
    unanswered: Unanswered,
}

/// The atomics or writes of a group of which no counter has told their issuer that they are done, or that they have left.
#[derive(Debug, Default)]
struct Unanswered {
    /// The last one of each way and queue.
    last: Vec<ChannelPosition>,
    /// One of them travels on no channel that keeps order or has several targets, or there are more ways than are
    /// remembered.
    has_others: bool,
}

/// Ways that are remembered of a group's unanswered requests. Kernels write to many places and mostly wait by a counter, so
/// that few ways are enough for writes.
const fn remembered_ways(kind: Kind) -> usize {
    match kind {
        Kind::MarkedAtomic => 1 << 8,
        Kind::MarkedWrite | Kind::PostedWrite => 1 << 4,
        Kind::Read | Kind::PostedAtomic => 0,
    }
}

impl Unanswered {
    fn issue(&mut self, position: Option<ChannelPosition>, most: usize) {
        if self.has_others {
            return;
        }
        let Some(position) = position else {
            self.has_others = true;
            return;
        };
        let same = |known: &&mut ChannelPosition| {
            known.way == position.way && known.queue == position.queue
        };
        if let Some(known) = self.last.iter_mut().find(same) {
            *known = position;
        } else if self.last.len() < most {
            self.last.push(position);
        } else {
            self.has_others = true;
        }
    }
}

/// The request by whose arrival an actor comes to know of those before it on a channel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Teller {
    /// The queue in which it left.
    queue: DepartureQueue,
    is_atomic: bool,
}

/// When who came to know that the first so many are done, by actor and in time; for channels also by
/// the request that told.
#[derive(Debug, Default)]
pub(super) struct Points(Vec<PointsOf>);

#[derive(Debug)]
struct PointsOf {
    key: (Actor, Teller),
    /// How many, and the actor's count when it came to know.
    points: Vec<(u64, u32)>,
}

/// Points that are looked at one after the other from the end.
const NEAR_THE_END: usize = 8;

/// The first point beyond a number.
fn first_beyond(points: &[(u64, u32)], number: u64) -> usize {
    let beyond = points.iter().rev().take(NEAR_THE_END).take_while(|&&(upto, _)| upto > number);
    match beyond.count() {
        NEAR_THE_END => points.partition_point(|&(upto, _)| upto <= number),
        beyond => points.len() - beyond,
    }
}

impl Points {
    /// Gives whether that is news.
    fn add(&mut self, key: (Actor, Teller), upto: u64, count: u32) -> bool {
        let of_key = match self.0.iter().position(|of| of.key == key) {
            Some(index) => self.0.get_mut(index),
            None => {
                self.0.push(PointsOf { key, points: Vec::new() });
                self.0.last_mut()
            }
        };
        let Some(PointsOf { points, .. }) = of_key else { return false };
        let is_news = points.last().is_none_or(|&(last, _)| last < upto);
        if is_news {
            points.push((upto, count));
        }
        is_news
    }

    /// Whether somebody whose past is known knew that number `number` is done, because such a request told.
    fn cover(&self, number: u64, later: &View<'_>, tells: impl Fn(Teller) -> bool) -> bool {
        self.0.iter().any(|PointsOf { key: (actor, told_by), points }| {
            if !tells(*told_by) {
                return false;
            }
            // Most questions are about the last point, and an actor that knows a later moment knows an earlier one.
            match points.last() {
                Some(&(upto, count)) if upto > number && !later.knows(*actor, count) => {
                    let first = first_beyond(points, number);
                    points.get(first).is_some_and(|&(_, count)| later.knows(*actor, count))
                }
                last => last.is_some_and(|&(upto, _)| upto > number),
            }
        })
    }

    /// As [`Self::add`], where only the actor matters.
    pub(super) fn add_of(&mut self, actor: Actor, upto: u64, count: u32) -> bool {
        self.add((actor, Teller::default()), upto, count)
    }

    /// As [`Self::cover`], where it does not matter who told.
    pub(super) fn cover_by_anybody(&self, number: u64, later: &View<'_>) -> bool {
        self.cover(number, later, anybody)
    }

    /// The greatest number up to which an actor knows that all is done.
    pub(super) fn last(&self) -> Option<u64> {
        self.0.iter().filter_map(|of| of.points.last()).map(|&(upto, _)| upto).max()
    }

    /// Forgets what an actor has known longest, half of all, if that is more than `most` moments. Gives the number from
    /// which on all is remembered.
    pub(super) fn forget_beyond(&mut self, actor: Actor, most: usize) -> Option<u64> {
        let of_actor = self.0.iter_mut().find(|of| of.key.0 == actor && of.points.len() > most)?;
        of_actor.points.drain(..most / 2).next_back().map(|(upto, _)| upto)
    }

    /// Nobody will ask for smaller numbers again.
    pub(super) fn forget(&mut self, below: u64) {
        for PointsOf { points, .. } in &mut self.0 {
            points.drain(..points.partition_point(|&(upto, _)| upto <= below));
        }
        self.0.retain(|of| !of.points.is_empty());
    }
}

/// Requests of one core to one place on one virtual channel.
#[derive(Debug, Default)]
struct Way {
    issued: u64,
    /// Writes among them that nobody acknowledges.
    posted: bool,
    writes: Points,
    atomics: Points,
}

/// All requests.
#[derive(Debug, Default)]
pub(super) struct Transfers {
    groups: Vec<Group>,
    /// By tile and NoC.
    interfaces: QuickMap<(u16, usize), Vec<u32>>,
    ways: Vec<Way>,
    channels: QuickMap<Channel, u32>,
    /// An atomic that arrives says nothing of the writes before it.
    strict: bool,
    /// An order was found that only such an atomic tells.
    relied_on_atomics: AtomicBool,
    /// Instructions of the coprocessor, which go on beside the thread that issued them as requests do.
    pub(super) flights: Flights,
}

/// What is to be known of a request when it is issued.
#[derive(Debug)]
pub(crate) struct Issue {
    pub(crate) tile: u16,
    pub(crate) noc: usize,
    pub(crate) kind: Kind,
    pub(crate) transaction: usize,
    pub(crate) origin: CoreOrigin,
    pub(crate) length: u32,
    /// The channel, if what travels on it keeps its order.
    pub(crate) channel: Option<Channel>,
    /// The queue in which it leaves.
    pub(crate) queue: DepartureQueue,
    /// It has several targets, of which each is reached by itself.
    pub(crate) to_many: bool,
    /// Its bytes reach memory at once.
    pub(crate) in_one_piece: bool,
    /// Whether its issuer reads the same again until the value is the awaited one.
    pub(crate) polls: Polls,
    /// It writes an aligned word and nothing else.
    pub(crate) writes_word: bool,
    /// The run of a program to which the kernel belongs that issues it.
    pub(crate) run: Option<Run>,
}

/// Whoever tells.
const fn anybody(_: Teller) -> bool {
    true
}

impl Transfers {
    /// `strict`: the arrival of an atomic says nothing of the writes before it on its channel.
    pub(super) fn new(strict: bool) -> Self {
        Self { strict, ..Self::default() }
    }

    /// Whether an order was found that only the arrival of an atomic tells.
    pub(super) fn relies_on_atomics_behind_writes(&self) -> bool {
        self.relied_on_atomics.load(Ordering::Relaxed)
    }

    pub(super) fn issue(&mut self, stamp: Stamp, issue: &Issue) -> Arc<Record> {
        let actor = stamp.actor;
        let known = self.interfaces.entry((issue.tile, issue.noc)).or_default();
        let same = |group: &Group| {
            group.actor == actor
                && group.kind == issue.kind
                && group.transaction == issue.transaction
        };
        let found =
            known.iter().copied().find(|&index| self.groups.get(index as usize).is_some_and(same));
        let group = found.unwrap_or_else(|| {
            self.groups.push(Group {
                actor,
                noc: issue.noc,
                kind: issue.kind,
                transaction: issue.transaction,
                issued: 0,
                sent: 0,
                done: 0,
                known_sent: Points::default(),
                known_done: Points::default(),
                learnt: Vec::new(),
                unanswered: Unanswered::default(),
            });
            let index = (self.groups.len() - 1) as u32;
            known.push(index);
            index
        });
        let number = self.groups.get_mut(group as usize).map_or(0, |group| {
            group.issued += 1;
            group.issued - 1
        });
        let position = issue.channel.map(|channel| {
            let index = *self.channels.entry(channel).or_insert_with(|| {
                self.ways.push(Way::default());
                (self.ways.len() - 1) as u32
            });
            let number = self.ways.get_mut(index as usize).map_or(0, |way| {
                way.posted |= issue.kind == Kind::PostedWrite;
                way.issued += 1;
                way.issued - 1
            });
            ChannelPosition { way: index, number, queue: issue.queue }
        });
        let most = remembered_ways(issue.kind);
        if most > 0
            && let Some(group) = self.groups.get_mut(group as usize)
        {
            // One of several targets tells that a write has left, and nothing of another target's atomic.
            let tells = issue.kind.is_write() || !issue.to_many;
            group.unanswered.issue(position.filter(|_| tells), most);
        }
        let &Issue { kind, origin, length, in_one_piece, polls, writes_word, run, .. } = issue;
        let arrived = AtomicBool::new(false);
        Arc::new(Record {
            stamp,
            kind,
            origin,
            length,
            in_one_piece,
            polls,
            writes_word,
            run,
            group,
            number,
            position,
            arrived,
        })
    }

    /// Whether its issuer, as it stands, knows that a request is done.
    pub(super) fn is_known_to_be_done(&self, record: &Record, issuer: &View<'_>) -> bool {
        let group = self.groups.get(record.group as usize);
        group.is_some_and(|group| group.known_done.cover(record.number, issuer, anybody))
    }

    /// The transaction identifier that a request carries.
    pub(super) fn identifier(&self, record: &Record) -> usize {
        self.groups.get(record.group as usize).map_or(0, |group| group.transaction)
    }

    /// The NoC of a request whose issuer has used both, so that a wait has to name it.
    pub(super) fn noc_to_name(&self, record: &Record) -> Option<usize> {
        let of = self.groups.get(record.group as usize)?;
        let is_other = |group: &Group| group.actor == of.actor && group.noc != of.noc;
        self.groups.iter().any(is_other).then_some(of.noc)
    }

    /// Whether somebody comes after a request that arrived behind a write on its channel, even if that says nothing of the
    /// write.
    pub(super) fn is_followed(&self, record: &Record, later: &View<'_>) -> bool {
        record.position.is_some_and(|position| self.is_behind(record, position, later, anybody))
    }

    /// The accesses that are known to be over once this request is: a read finds what the writes before it on its
    /// channel brought (NoC/Ordering.md). It matters for posted writes alone, since others are acknowledged.
    pub(super) fn follows(&self, record: &Record) -> Option<Stamp> {
        let way = self.ways.get(record.position?.way as usize)?;
        (record.kind == Kind::Read && way.posted).then(|| record.before())
    }

    fn group(&mut self, record: &Record) -> Option<&mut Group> {
        self.groups.get_mut(record.group as usize)
    }

    pub(super) fn sent(&mut self, record: &Record) {
        if let Some(group) = self.group(record) {
            group.sent += 1;
        }
    }

    pub(super) fn done(&mut self, record: &Record, learnt: Vec<Stamp>) {
        if let Some(group) = self.group(record) {
            group.done += 1;
            group.learnt.extend(learnt);
        }
    }

    /// An actor at a count reads a counter of a NoC interface. What it comes to know beyond the
    /// requests themselves.
    pub(super) fn tell(
        &mut self,
        interface: (u16, usize),
        told: CounterMeaning,
        actor: Actor,
        count: u32,
    ) -> Vec<Stamp> {
        let mut learnt = Vec::new();
        for &index in self.interfaces.get(&interface).into_iter().flatten() {
            let Some(group) = self.groups.get_mut(index as usize) else { continue };
            if !told.holds(group.kind, group.transaction) {
                continue;
            }
            match told {
                CounterMeaning::Done(_) | CounterMeaning::TransactionDone(_)
                    if group.done == group.issued =>
                {
                    group.known_done.add((actor, Teller::default()), group.issued, count);
                    learnt.append(&mut group.learnt);
                    if actor == group.actor {
                        group.unanswered = Unanswered::default();
                    }
                }
                CounterMeaning::Sent(_) | CounterMeaning::TransactionSent(_)
                    if group.sent == group.issued =>
                {
                    group.known_sent.add((actor, Teller::default()), group.issued, count);
                    if actor == group.actor && group.kind.is_write() {
                        group.unanswered = Unanswered::default();
                    }
                }
                _ => {}
            }
        }
        learnt
    }

    /// An actor at a count learns that a request has arrived, and with it what comes before it.
    pub(super) fn passed(&mut self, passed: Passed, actor: Actor, count: u32) {
        if let Some(way) = self.ways.get_mut(passed.channel as usize) {
            let told_by = Teller { queue: passed.queue, is_atomic: passed.atomics };
            let key = (actor, told_by);
            way.writes.add(key, passed.before, count);
            if passed.atomics {
                way.atomics.add(key, passed.before, count);
            }
        }
    }

    /// Whether what a request did at a stage happened before.
    pub(super) fn ordered(&self, record: &Record, stage: RequestSide, later: &View<'_>) -> bool {
        if later.arriving.is_some_and(|arriving| std::ptr::eq(arriving, record))
            || later.discards && stage == RequestSide::Return && record.kind.is_atomic()
        {
            return true;
        }
        let Some(group) = self.groups.get(record.group as usize) else { return false };
        let has_left = || group.known_sent.cover(record.number, later, anybody);
        if group.known_done.cover(record.number, later, anybody)
            || stage == RequestSide::Source && has_left()
        {
            return true;
        }
        let Some(position) = record.position else { return false };
        if stage == RequestSide::Return || record.kind == Kind::Read {
            return false;
        }
        // What left before arrives before.
        let has_left = has_left();
        let tells = |teller: Teller| has_left || teller.queue == position.queue;
        // Of writes the documents promise that they leave before an atomic that is asked for after them, and nothing of
        // when they are in memory (NoC/Ordering.md).
        let is_free = has_left || stage == RequestSide::Source || !record.kind.is_write();
        if self.is_behind(record, position, later, |it| tells(it) && (is_free || !it.is_atomic)) {
            return true;
        }
        if self.strict || !self.is_behind(record, position, later, tells) {
            return false;
        }
        self.relied_on_atomics.store(true, Ordering::Relaxed);
        true
    }

    /// Whether somebody comes after a request that arrived behind another one on its channel.
    fn is_behind(
        &self,
        record: &Record,
        position: ChannelPosition,
        later: &View<'_>,
        tells: impl Fn(Teller) -> bool,
    ) -> bool {
        if let Some(passed) = later.arriving.and_then(Record::passed)
            && passed.channel == position.way
            && position.number < passed.before
            && tells(Teller { queue: passed.queue, is_atomic: passed.atomics })
            && (record.kind.is_write() || passed.atomics)
        {
            return true;
        }
        self.ways.get(position.way as usize).is_some_and(|way| {
            let points = if record.kind.is_write() { &way.writes } else { &way.atomics };
            points.cover(position.number, later, tells)
        })
    }

    /// Whether somebody knows that an atomic has arrived from more than what the atomic itself changed.
    pub(super) fn is_told_otherwise(&self, record: &Record, later: &View<'_>) -> bool {
        let group = self.groups.get(record.group as usize);
        let way = record
            .position
            .and_then(|position| Some((self.ways.get(position.way as usize)?, position)));
        group.is_some_and(|group| group.known_done.cover(record.number, later, anybody))
            || way.is_none_or(|(way, position)| {
                way.atomics
                    .cover(position.number + 1, later, |teller| teller.queue == position.queue)
            })
    }

    /// Whether a core knows from what it has waited for that all of its atomics or writes of a kind on an interface have
    /// arrived: other cores have found them arrived, or a request behind them on their way, and the core comes after that.
    pub(super) fn have_arrived(
        &self,
        interface: (u16, usize),
        kind: Kind,
        issuer: &View<'_>,
    ) -> bool {
        let indices = self.interfaces.get(&interface).into_iter().flatten();
        let groups = indices.filter_map(|index| self.groups.get(*index as usize));
        let mut unanswered = groups
            .filter(|group| group.actor == issuer.actor && group.kind == kind)
            .map(|group| &group.unanswered);
        let defect = match kind {
            Kind::MarkedAtomic => Defect::AnswersTellOfAllAtomics,
            Kind::MarkedWrite | Kind::PostedWrite => Defect::AnswersTellOfAllWrites,
            Kind::Read | Kind::PostedAtomic => return false,
        };
        unanswered.all(|Unanswered { last, has_others }| {
            let has_arrived = |position: &ChannelPosition| {
                self.ways.get(position.way as usize).is_some_and(|way| {
                    let tells = |teller: Teller| teller.queue == position.queue;
                    let points = if kind.is_write() { &way.writes } else { &way.atomics };
                    points.cover(position.number, issuer, tells) || planted(defect)
                })
            };
            !has_others && last.iter().all(has_arrived)
        })
    }

    /// Forgets who knew of requests that nothing remembers.
    pub(super) fn retain<'a>(&mut self, live: impl Iterator<Item = &'a Arc<Record>>) {
        let mut groups = vec![u64::MAX; self.groups.len()];
        let mut ways = vec![u64::MAX; self.ways.len()];
        let least = |numbers: &mut Vec<u64>, index: u32, number: u64| {
            if let Some(least) = numbers.get_mut(index as usize) {
                *least = number.min(*least);
            }
        };
        for record in live {
            least(&mut groups, record.group, record.number);
            if let Some(position) = record.position {
                least(&mut ways, position.way, position.number);
            }
        }
        for position in self.groups.iter().flat_map(|group| &group.unanswered.last) {
            least(&mut ways, position.way, position.number);
        }
        for (group, below) in self.groups.iter_mut().zip(groups) {
            group.known_done.forget(below);
            group.known_sent.forget(below);
        }
        for (way, below) in self.ways.iter_mut().zip(ways) {
            way.writes.forget(below);
            way.atomics.forget(below);
        }
    }

    pub(super) fn clear(&mut self) {
        let relied_on_atomics = std::mem::take(&mut self.relied_on_atomics);
        *self = Self { relied_on_atomics, ..Self::new(self.strict) };
    }
}

#[cfg(test)]
pub(super) mod tests {
    use hallmark_chip::{Noc, PhysicalCoordinate, Processor};

    use super::super::clock::Clock;
    use super::*;

    pub(crate) const SENDER: Actor = Actor::core(0, Processor::Brisc);
    pub(crate) const OTHER: Actor = Actor::core(1, Processor::Ncrisc);

    const RUN: Run = Run { program: 3, number: 1 };

    pub(crate) fn channel(to: u8) -> Channel {
        Channel {
            noc: Noc::Noc1,
            source: PhysicalCoordinate { x: 1, y: 1 },
            destination: (PhysicalCoordinate { x: to, y: 2 }, None),
            virtual_channel: 2,
        }
    }

    /// A request of a kernel of a program, at a pc.
    pub(crate) fn request(kind: Kind, channel: Option<Channel>, pc: u32) -> Issue {
        let tile = PhysicalCoordinate { x: 1, y: 1 };
        let processor = Processor::Brisc;
        Issue {
            tile: 0,
            noc: 1,
            kind,
            transaction: 0,
            origin: CoreOrigin { tile, processor, pc, instruction: 0, retired: u64::from(pc) },
            length: 4,
            channel,
            queue: DepartureQueue::Common,
            to_many: false,
            in_one_piece: true,
            polls: Polls::No,
            writes_word: true,
            run: Some(RUN),
        }
    }

    /// What an actor waits for stays known while nothing remembers the requests themselves.
    #[test]
    fn answers_to_unanswered_requests_are_kept() {
        for kind in [Kind::MarkedAtomic, Kind::MarkedWrite] {
            let mut transfers = Transfers::default();
            let mut sender = Clock::default();
            let mut other = Clock::default();
            let record =
                transfers.issue(sender.release(SENDER), &request(kind, Some(channel(4)), 0x100));
            let nothing_is_known = |transfers: &Transfers, clock: &Clock| {
                !transfers.have_arrived((0, 1), kind, &clock.view(SENDER))
            };
            assert!(nothing_is_known(&transfers, &sender));
            // Another core finds it arrived, and the sender waits for that core.
            let passed = record.arrival().passed.expect("it is on a channel");
            transfers.passed(passed, OTHER, other.finds_out());
            assert!(nothing_is_known(&transfers, &sender));
            sender.learn(SENDER, &other.release(OTHER));
            assert!(!nothing_is_known(&transfers, &sender));
            transfers.retain(std::iter::empty());
            assert!(!nothing_is_known(&transfers, &sender), "{kind:?}");
            // The next one on the same way is not known to have arrived.
            transfers.issue(sender.release(SENDER), &request(kind, Some(channel(4)), 0x104));
            assert!(nothing_is_known(&transfers, &sender));
        }
    }
}
