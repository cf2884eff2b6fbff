//! Execution in which launches of two queues overlap, on every device.
//!
//! Dispatchers get all that can be handed to them, whatever the host waits for, as they get it from a host that
//! submits at each call. A device that is told what memory is for is told so of a launch's tiles while
//! nothing runs there: a launch on tiles of one that is not known to be done stays in its queue. A call waits
//! for what it asks for and no more, so that a program may wait for what another one is enqueued to do later.

use std::collections::BTreeSet;

use hallmark_chip::{Advance, DeviceError, Footprint, PhysicalCoordinate};
use hallmark_schema::model::{CommandIndex, EventId};

use super::{Beside, Due, Executed, Progress, QUEUES, QueuePosition, Queued, Until};
use crate::defects::{Defect, planted};
use crate::dispatch::FIRST_SLICE;
use crate::engine::Engine;
use crate::halt::Halt;
use crate::observer::Observer;

/// How often the host looks before it answers that there is nothing new.
const SLICES_OF_A_QUESTION: u32 = 64;

/// An event that a dispatcher has recorded or is about to record.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RecordedEvent {
    /// The index of its queue.
    pub(crate) queue: usize,
    /// The number that the queue's dispatcher gives it.
    pub(crate) number: u32,
    /// What is done once it has happened.
    pub(crate) before: Progress,
}

/// A launch, or a replay of a trace, that was handed to a dispatcher and is not known to be done.
#[derive(Debug)]
pub(crate) struct InFlight {
    command: CommandIndex,
    position: QueuePosition,
    before: Progress,
    tiles: BTreeSet<PhysicalCoordinate>,
    /// What its dispatcher shows once it is done.
    finish: u32,
    touched: Footprint,
    /// Launches that were in flight with it.
    beside: Vec<QueuePosition>,
}

impl Engine {
    /// Hands out what can be handed out, and lets the device run until a point is reached.
    pub(super) fn overlap_until(
        &mut self,
        until: Until,
        later: [Progress; QUEUES],
        observer: &mut dyn Observer,
    ) -> Result<(), Halt> {
        loop {
            while self.hand_out(later, observer)? {}
            if self.is_reached(until, later) {
                return Ok(());
            }
            self.wait_for_news(observer)?;
        }
    }

    /// Hands out what can be handed out, and lets the device run until it has something new to say, if a point is not
    /// reached. A program may take long, so that whoever asks gets an answer after a while.
    pub(super) fn overlap_one(
        &mut self,
        until: Until,
        later: [Progress; QUEUES],
        observer: &mut dyn Observer,
    ) -> Result<(), Halt> {
        while self.hand_out(later, observer)? {}
        if !self.is_reached(until, later) {
            for _ in 0..SLICES_OF_A_QUESTION {
                let advance = self.chip.advance(FIRST_SLICE)?;
                if self.look(observer)? || matches!(advance, Advance::Quiescent { .. }) {
                    break;
                }
            }
            self.retire(later);
        }
        Ok(())
    }

    /// Whether a dispatcher has said that it has recorded an event.
    pub(crate) fn is_recorded(&self, event: EventId) -> bool {
        self.recorded.get(&event).is_some_and(|RecordedEvent { queue, number, .. }| {
            let dispatcher = self.dispatchers.get(*queue);
            dispatcher.is_some_and(|dispatcher| dispatcher.has_recorded(*number))
        })
    }

    /// Whether a point is reached, and all launches that are done then are known to be.
    fn is_reached(&self, until: Until, later: [Progress; QUEUES]) -> bool {
        let (reached, done) = match until {
            Until::Happened { event, .. } => {
                let done = self.recorded.get(&event).map(|recorded| recorded.before);
                (self.is_recorded(event), done)
            }
            Until::Empty(queue) => {
                let index = usize::from(queue.0);
                let rests = self.dispatchers.get(index).is_none_or(|queue| queue.is_idle());
                (rests && self.queue.is_empty(queue), later.get(index).copied())
            }
        };
        reached
            && done.is_none_or(|done| {
                !self.in_flight.iter().any(|launch| done.covers(launch.position))
            })
    }

    /// Hands out one command, or tells the device what memory is for; false if nothing can be done before
    /// the device has gone on.
    fn hand_out(
        &mut self,
        later: [Progress; QUEUES],
        observer: &mut dyn Observer,
    ) -> Result<bool, Halt> {
        self.retire(later);
        let must_wait = self.queue.first_of_each().map(|work| {
            let tiles = work.map(|work| self.tiles_of(work)).unwrap_or_default();
            let one_by_one = planted(Defect::LaunchesDoNotOverlap) && !tiles.is_empty();
            self.in_flight.iter().any(|launch| one_by_one || !launch.tiles.is_disjoint(&tiles))
        });
        match self.queue.take_any(&mut self.schedule, must_wait) {
            None => return Ok(false),
            Some(Due::Annotation(extent, meaning)) => {
                self.announce_extent(&extent, meaning, observer)?;
            }
            Some(Due::Command(next)) => self.hand_out_command(next, later, observer)?,
        }
        Ok(true)
    }

    fn hand_out_command(
        &mut self,
        next: Queued,
        later: [Progress; QUEUES],
        observer: &mut dyn Observer,
    ) -> Result<(), Halt> {
        let Queued { command, position, before, work, .. } = next;
        self.serve(position.queue);
        let tiles = self.tiles_of(&work);
        if tiles.is_empty() {
            let touched = self.extent_of(&work);
            let now = Executed { command, position, before, touched, beside: Beside::default() };
            // As where nothing overlaps: the commands are what is reported.
            if self.races.would_race(&now) {
                self.settle(observer)?;
                self.retire(later);
                self.serve(position.queue);
            }
            self.run_work(command, before, work, observer)?;
            let floor = self.floor_of_all(later);
            self.races.executed(now, &floor);
            return Ok(());
        }
        // What was touched on its tiles before is nobody's.
        self.attribute_footprints();
        self.run_work(command, before, work, observer)?;
        let finish = self.submit_finish(observer)?;
        let mut beside = Vec::new();
        for other in &mut self.in_flight {
            other.beside.push(position);
            beside.push(other.position);
        }
        let touched = Footprint::default();
        self.in_flight.push(InFlight { command, position, before, tiles, finish, touched, beside });
        Ok(())
    }

    /// Takes note of launches that are done.
    fn retire(&mut self, later: [Progress; QUEUES]) {
        while let Some(done) = self.in_flight.iter().position(|launch| self.is_done(launch)) {
            self.attribute_footprints();
            let InFlight { command, position, before, touched, beside: launches, .. } =
                self.in_flight.remove(done);
            self.profile_retires(command);
            let mut outside_l1 = touched.clone();
            let description = self.chip.description();
            outside_l1.retain(|tile| description.logical(tile).is_none());
            let beside = Beside { launches, outside_l1 };
            let floor = self.floor_of_all(later);
            self.races.executed(Executed { command, position, before, touched, beside }, &floor);
        }
    }

    /// Launches and replays that are done, and of which no note is taken yet.
    pub(crate) fn done_in_flight(&self) -> Vec<CommandIndex> {
        let done = self.in_flight.iter().filter(|launch| self.is_done(launch));
        done.map(|launch| launch.command).collect()
    }

    fn is_done(&self, launch: &InFlight) -> bool {
        let dispatcher = self.dispatchers.get(usize::from(launch.position.queue.0));
        dispatcher.is_some_and(|dispatcher| dispatcher.has_finished(launch.finish))
    }

    /// What is done before each command that is still to be compared with others.
    fn floor_of_all(&self, later: [Progress; QUEUES]) -> Vec<Progress> {
        let mut floor = self.queue.floor(later).to_vec();
        floor.extend(self.in_flight.iter().map(|launch| launch.before));
        floor
    }

    /// Notes what launches under way have touched, by their tiles.
    fn attribute_footprints(&mut self) {
        for (issuer, mut touched) in self.chip.footprint().unwrap_or_default() {
            self.forget_dispatch_tiles(&mut touched);
            let of = self.in_flight.iter_mut().find(|launch| launch.tiles.contains(&issuer));
            if let Some(launch) = of {
                launch.touched.join(&touched);
            }
        }
    }

    /// Blames, of launches that overlap, the one on whose tiles a fault happened; for what no tile tells, the
    /// one that was enqueued first.
    pub(crate) fn blame(&mut self, halt: &Halt) {
        let tile = match halt {
            Halt::Device(DeviceError::Fault(fault)) => fault.place.as_ref().map(|place| place.tile),
            Halt::Device(_)
            | Halt::Deadlock(_)
            | Halt::Hang(_)
            | Halt::Internal(_)
            | Halt::NotObserved => None,
        };
        let there = |launch: &&InFlight| tile.is_some_and(|tile| launch.tiles.contains(&tile));
        let launches = || self.in_flight.iter();
        let blamed = launches().find(there).or_else(|| launches().min_by_key(|one| one.command));
        let queue = blamed.map(|launch| usize::from(launch.position.queue.0));
        let dispatcher = queue.and_then(|queue| self.dispatchers.get_mut(queue));
        if let Some((enqueue, replay)) = dispatcher.and_then(|queue| queue.current_enqueue()) {
            self.last_launch = Some(enqueue);
            self.replaying = replay;
        }
    }
}
