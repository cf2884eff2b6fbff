//! The launcher with dispatchers that run launches of two queues at the same time, on every device.
//!
//! Dispatchers get all that can be handed to them, whatever the host waits for, as they get it from a host that
//! submits at each call. A device that wants to know the meaning of memory is told of a launch's tiles while
//! nothing runs there: a launch on tiles of one that is not known to be done stays in its queue. A call waits
//! for no more than it asks for, so that a program may wait for another one that is enqueued later.

use std::collections::BTreeSet;
use std::sync::Arc;

use hallmark_chip::{Advance, DeviceError, Footprint, Forgettable, Meaning, PhysicalCoordinate};
use hallmark_schema::model::{CommandIndex, EventId};

use super::commands::{forget_dispatch_tiles, launches_of, tiles_of};
use super::dispatching::{self, Dispatching, WithDispatchers};
use super::steps::{self, CarryOut};
use super::{Goal, LaunchCall, Launcher};
use crate::chip::{self, Chip};
use crate::defects::{Defect, planted};
use crate::dispatch::{WhenFull, announce_trace};
use crate::launch::ProgramLaunch;
use crate::observation::Observation;
use crate::observer::Observer;
use crate::order::{Progress, QueuePosition};
use crate::queue::{Beside, CommandQueues, Due, Executed, QueuedCommand, Until};
use crate::settings::EngineSettings;
use crate::stop::{LastLaunch, RawStop};
use crate::tiles::{Advanced, FIRST_SLICE, Tiles};
use crate::trace::{ReplayedTrace, Trace, TracedLaunch};
use crate::work::Annotation;

/// How often the host looks before it answers that there is nothing new.
const SLICES_OF_A_QUESTION: u32 = 64;

/// See the module.
#[derive(Debug)]
pub(super) struct Overlapping {
    dispatching: Dispatching,
    /// Launches that were handed to dispatchers and are not known to be done.
    in_flight: Vec<InFlight>,
}

/// A launch, or a replay of a trace, that was handed to a dispatcher and is not known to be done.
#[derive(Debug)]
struct InFlight {
    command: CommandIndex,
    position: QueuePosition,
    before: Progress,
    tiles: BTreeSet<PhysicalCoordinate>,
    /// The number that its dispatcher shows once it is done.
    finish: u32,
    touched: Footprint,
    /// Launches that were in flight with it.
    beside: Vec<QueuePosition>,
}

impl InFlight {
    /// The index of its queue.
    fn queue(&self) -> usize {
        usize::from(self.position.queue.0)
    }
}

impl Overlapping {
    pub(super) fn new(settings: &EngineSettings) -> Self {
        let dispatching = Dispatching::new(settings, WhenFull::Keep);
        Self { dispatching, in_flight: Vec::new() }
    }

    /// Whether a point is reached, and all launches that are done then are known to be.
    fn is_reached(&self, Goal { until, later }: Goal, queues: &CommandQueues) -> bool {
        let dispatchers = self.dispatching.dispatchers();
        let (reached, done) = match until {
            Until::Happened { event, .. } => {
                (dispatchers.has_recorded(event), dispatchers.done_at(event))
            }
            Until::Empty(queue) => {
                let index = usize::from(queue.0);
                let rests = dispatchers.is_queue_idle(index);
                (rests && queues.is_empty(queue), later.get(index).copied())
            }
        };
        reached
            && done.is_none_or(|done| {
                !self.in_flight.iter().any(|launch| done.covers(launch.position))
            })
    }

    /// Hands out one command, or tells the device the meaning of memory; false if nothing can be done before
    /// the device has gone on.
    fn hand_out(
        &mut self,
        goal: Goal,
        queues: &mut CommandQueues,
        tiles: &mut Tiles,
        observation: &mut Observation,
        observer: &mut dyn Observer,
    ) -> Result<bool, RawStop> {
        self.retire(goal, queues, tiles, observation);
        let description = tiles.chip().description();
        let must_wait = queues.first_of_each().map(|work| {
            let own = work.map(|work| tiles_of(description, work)).unwrap_or_default();
            let one_by_one = planted(Defect::LaunchesDoNotOverlap) && !own.is_empty();
            self.in_flight.iter().any(|launch| one_by_one || !launch.tiles.is_disjoint(&own))
        });
        match queues.take_any(must_wait) {
            None => return Ok(false),
            Some(Due::Annotation(annotation)) => {
                self.announce(&annotation, tiles, observer)?;
            }
            Some(Due::Command(next)) => {
                let own = tiles_of(description, &next.work);
                if own.is_empty() {
                    steps::carry_out_known(self, next, goal, queues, tiles, observation, observer)?;
                } else {
                    self.hand_out_launch(next, own, tiles, observation, observer)?;
                }
            }
        }
        Ok(true)
    }

    /// Hands out a launch, or a replay of a trace, on these tiles.
    fn hand_out_launch(
        &mut self,
        next: QueuedCommand,
        own: BTreeSet<PhysicalCoordinate>,
        tiles: &mut Tiles,
        observation: &mut Observation,
        observer: &mut dyn Observer,
    ) -> Result<(), RawStop> {
        let QueuedCommand { command, position, before, .. } = next;
        // The footprint of its tiles up to now is no launch's.
        self.attribute_footprints(tiles.chip_mut());
        self.carry_out(next, tiles, observation, observer)?;
        let finish = self.dispatching.dispatchers_mut().finish(tiles, observer)?;
        let mut beside = Vec::new();
        for other in &mut self.in_flight {
            other.beside.push(position);
            beside.push(other.position);
        }
        let touched = Footprint::default();
        let launch = InFlight { command, position, before, tiles: own, finish, touched, beside };
        self.in_flight.push(launch);
        Ok(())
    }

    fn is_done(&self, launch: &InFlight) -> bool {
        self.dispatching.dispatchers().has_finished(launch.queue(), launch.finish)
    }

    /// Notes the footprints of launches under way, by their tiles.
    fn attribute_footprints(&mut self, chip: &mut Chip) {
        let description = chip.description();
        for (issuer, mut touched) in chip.access().footprint().unwrap_or_default() {
            forget_dispatch_tiles(description, &mut touched);
            let of = self.in_flight.iter_mut().find(|launch| launch.tiles.contains(&issuer));
            if let Some(launch) = of {
                launch.touched.join(&touched);
            }
        }
    }

    /// The queue of the launch that a stop names: of launches that overlap, the one on whose tiles a fault happened;
    /// if no tile tells, the one that was enqueued first.
    fn blamed(&self, stop: &RawStop) -> Option<usize> {
        let tile = match stop {
            RawStop::Device(DeviceError::Fault(fault)) => {
                fault.place.as_ref().map(|place| place.tile)
            }
            RawStop::Device(_)
            | RawStop::Deadlock(_)
            | RawStop::Hang(_)
            | RawStop::Internal(_)
            | RawStop::NotObserved => None,
        };
        let there = |launch: &&InFlight| tile.is_some_and(|tile| launch.tiles.contains(&tile));
        let launches = || self.in_flight.iter();
        let blamed = launches().find(there).or_else(|| launches().min_by_key(|one| one.command));
        blamed.map(InFlight::queue)
    }

    /// Has the dispatcher replay a trace; false if it cannot hold the trace. Nothing runs on the trace's tiles.
    fn replay_by_dispatcher(
        &mut self,
        replayed: ReplayedTrace,
        tiles: &mut Tiles,
        observation: &mut Observation,
        observer: &mut dyn Observer,
    ) -> Result<bool, RawStop> {
        let trace = Arc::clone(&replayed.trace);
        let loaded = self.dispatching.loaded(&trace, tiles, observation, observer)?;
        let Some(loaded) = loaded else { return Ok(false) };
        if tiles.chip().wants_meanings() {
            announce_trace(tiles.chip_mut(), &loaded)?;
        }
        observation.open_replay(tiles, replayed.command, &trace);
        self.dispatching.replay(&loaded, replayed, tiles, observation, observer)?;
        Ok(true)
    }
}

impl WithDispatchers for Overlapping {
    fn dispatching(&mut self) -> &mut Dispatching {
        &mut self.dispatching
    }

    fn launch(
        &mut self,
        call: LaunchCall,
        launch: &Arc<ProgramLaunch>,
        tiles: &mut Tiles,
        observation: &mut Observation,
        observer: &mut dyn Observer,
    ) -> Result<(), RawStop> {
        if tiles.chip_mut().access().forgets(Forgettable::Launch) {
            return Ok(());
        }
        self.dispatching.launch(
            call,
            launch,
            tiles,
            observation,
            observer,
            |observation, tiles, open| observation.open_beside(tiles, open, launch),
        )
    }

    fn replay(
        &mut self,
        replay: CommandIndex,
        trace: &Arc<Trace>,
        tiles: &mut Tiles,
        observation: &mut Observation,
        observer: &mut dyn Observer,
    ) -> Result<(), RawStop> {
        let replaying = || ReplayedTrace { command: replay, trace: Arc::clone(trace) };
        self.dispatching.dispatchers_mut().last_launch().replaying = Some(replaying());
        if self.replay_by_dispatcher(replaying(), tiles, observation, observer)? {
            return Ok(());
        }
        for (before, TracedLaunch { command, launch }) in launches_of(trace).enumerate() {
            // They may share tiles.
            if before > 0 {
                self.settle(tiles, observer)?;
                observation.retire(tiles, replay);
            }
            // A dispatcher that is asked how far it is tells of single launches, and of no replay.
            self.dispatching.dispatchers_mut().last_launch().replaying = Some(replaying());
            let call = LaunchCall { enqueue: *command, replay: Some(replay) };
            self.launch(call, launch, tiles, observation, observer)?;
        }
        self.dispatching.dispatchers_mut().last_launch().replaying = None;
        Ok(())
    }
}

impl CarryOut for Overlapping {
    fn carry_out(
        &mut self,
        command: QueuedCommand,
        tiles: &mut Tiles,
        observation: &mut Observation,
        observer: &mut dyn Observer,
    ) -> Result<(), RawStop> {
        dispatching::carry_out(self, command, tiles, observation, observer)
    }

    fn announce(
        &mut self,
        annotation: &Annotation,
        tiles: &mut Tiles,
        observer: &mut dyn Observer,
    ) -> Result<(), RawStop> {
        if !tiles.chip().wants_meanings() {
            return Ok(());
        }
        // Memory that becomes a buffer is in no command's use before.
        if annotation.meaning != Meaning::Buffer {
            self.settle(tiles, observer)?;
        }
        Ok(chip::annotate(tiles.chip_mut(), annotation)?)
    }

    fn settle(&mut self, tiles: &mut Tiles, observer: &mut dyn Observer) -> Result<(), RawStop> {
        self.dispatching.dispatchers_mut().settle(tiles, observer)
    }

    fn retire(
        &mut self,
        goal: Goal,
        queues: &mut CommandQueues,
        tiles: &mut Tiles,
        observation: &mut Observation,
    ) {
        while let Some(done) = self.in_flight.iter().position(|launch| self.is_done(launch)) {
            self.attribute_footprints(tiles.chip_mut());
            let InFlight { command, position, before, touched, beside: launches, .. } =
                self.in_flight.remove(done);
            observation.retire(tiles, command);
            let mut outside_l1 = touched.clone();
            let description = tiles.chip().description();
            outside_l1.retain(|tile| description.logical(tile).is_none());
            let beside = Beside { launches, outside_l1 };
            let now = Executed { command, position, before, touched, beside };
            queues.executed(now, goal.later, self.before_launches_under_way());
        }
    }

    fn before_launches_under_way(&self) -> impl Iterator<Item = Progress> {
        self.in_flight.iter().map(|launch| launch.before)
    }
}

impl Launcher for Overlapping {
    /// Hands out as many commands as possible, and lets the device run until the point is reached.
    fn run_until(
        &mut self,
        goal: Goal,
        queues: &mut CommandQueues,
        tiles: &mut Tiles,
        observation: &mut Observation,
        observer: &mut dyn Observer,
    ) -> Result<(), RawStop> {
        loop {
            while self.hand_out(goal, queues, tiles, observation, observer)? {}
            if self.is_reached(goal, queues) {
                return Ok(());
            }
            self.dispatching.dispatchers_mut().wait_for_news(tiles, observer)?;
        }
    }

    /// Hands out as many commands as possible, and lets the device run until a dispatcher reports something, if the point is
    /// not reached. A program may take long, so that the call gets its answer after a while.
    fn run_one(
        &mut self,
        goal: Goal,
        queues: &mut CommandQueues,
        tiles: &mut Tiles,
        observation: &mut Observation,
        observer: &mut dyn Observer,
    ) -> Result<(), RawStop> {
        while self.hand_out(goal, queues, tiles, observation, observer)? {}
        if !self.is_reached(goal, queues) {
            for _ in 0..SLICES_OF_A_QUESTION {
                let dispatchers = self.dispatching.dispatchers_mut();
                let Advanced { advance, has_news, .. } =
                    tiles.advance(FIRST_SLICE, |tiles| dispatchers.look(tiles, observer))?;
                if has_news
                    || dispatchers.look(tiles, observer)?
                    || matches!(advance, Advance::Quiescent { .. })
                {
                    break;
                }
            }
            self.retire(goal, queues, tiles, observation);
        }
        Ok(())
    }

    fn has_happened(&self, event: EventId, _: &CommandQueues) -> bool {
        self.dispatching.dispatchers().has_recorded(event)
    }

    fn is_idle(&self) -> bool {
        self.dispatching.dispatchers().is_idle()
    }

    fn tells_launches_apart(&self, _: &Chip) -> bool {
        true
    }

    fn note_ends(&self, tiles: &mut Tiles, observation: &mut Observation, stopped: bool) -> bool {
        for launch in self.in_flight.iter().filter(|launch| self.is_done(launch)) {
            observation.retire(tiles, launch.command);
        }
        if stopped {
            observation.abandon(tiles);
        }
        observation.order_by_ends();
        stopped || self.is_idle()
    }

    fn last_launch(
        &mut self,
        stop: &RawStop,
        tiles: &mut Tiles,
        observer: &mut dyn Observer,
    ) -> LastLaunch {
        let blamed = self.blamed(stop);
        let dispatchers = self.dispatching.dispatchers_mut();
        // The device may not answer any more: only its dispatchers' last reports are known.
        let _ = dispatchers.look(tiles, observer);
        if let Some(queue) = blamed {
            dispatchers.blame(queue);
        }
        dispatchers.last_launch().clone()
    }

    fn forget_launches(&mut self) {
        self.dispatching.dispatchers_mut().last_launch().enqueue = None;
    }

    fn forget_events(&mut self) {
        self.dispatching.dispatchers_mut().forget_events();
    }

    fn close(&mut self, tiles: &mut Tiles, observer: &mut dyn Observer) {
        self.dispatching.dispatchers_mut().stop(tiles, observer);
    }
}
