//! The launcher with dispatchers that carry out the commands of a queue while the host gives them more, as far as the
//! device allows.
//!
//! A device that wants to know the meaning of memory is told while nothing runs: such a device gets
//! one launch after the other. So does one that ends its process on a fault, so that its journal names
//! the launch.

use std::sync::{Arc, Weak};

use hallmark_chip::Forgettable;
use hallmark_schema::model::{CommandIndex, EventId};

use super::commands::launches_of;
use super::dispatching::{self, Dispatching, WithDispatchers};
use super::steps::{self, CarryOut};
use super::{Goal, LaunchCall, Launcher};
use crate::chip::{self, Chip};
use crate::dispatch::{WhenFull, announce_trace};
use crate::launch::ProgramLaunch;
use crate::observation::Observation;
use crate::observer::Observer;
use crate::order::Progress;
use crate::queue::{CommandQueues, QueuedCommand};
use crate::settings::EngineSettings;
use crate::stop::{LastLaunch, RawStop};
use crate::tiles::Tiles;
use crate::trace::{ReplayedTrace, Trace, TracedLaunch};
use crate::work::Annotation;

/// See the module.
#[derive(Debug)]
pub(super) struct InTurn {
    dispatching: Dispatching,
    /// The traces that were replayed, on a device that ends its process on a fault.
    replayed: ReplayedTraces,
}

/// Traces that were replayed. A trace's memory is kept, so that no other trace has its address.
#[derive(Debug, Default)]
struct ReplayedTraces(Vec<Weak<Trace>>);

impl ReplayedTraces {
    /// Notes a replay; true if it is the trace's first one.
    fn is_first(&mut self, trace: &Arc<Trace>) -> bool {
        let known = self.0.iter().any(|known| Weak::as_ptr(known) == Arc::as_ptr(trace));
        if !known {
            self.0.retain(|known| known.strong_count() > 0);
            self.0.push(Arc::downgrade(trace));
        }
        !known
    }
}

/// Whether nothing may be launched while something runs.
fn launches_one_by_one(chip: &Chip) -> bool {
    chip.wants_meanings() || chip.capabilities().fault_ends_process
}

impl InTurn {
    pub(super) fn new(settings: &EngineSettings) -> Self {
        let dispatching = Dispatching::new(settings, WhenFull::Wait);
        Self { dispatching, replayed: ReplayedTraces::default() }
    }

    /// Has the dispatcher replay a trace; false if it cannot hold the trace, or if the launches must be made
    /// one by one: on a device that ends its process on a fault the journal names the launch at fault,
    /// so there the first replay of a trace is not left to the dispatcher.
    fn replay_by_dispatcher(
        &mut self,
        replayed: ReplayedTrace,
        tiles: &mut Tiles,
        observation: &mut Observation,
        observer: &mut dyn Observer,
    ) -> Result<bool, RawStop> {
        let trace = Arc::clone(&replayed.trace);
        let named = tiles.chip().capabilities().fault_ends_process;
        if named && self.replayed.is_first(&trace) {
            return Ok(false);
        }
        let loaded = self.dispatching.loaded(&trace, tiles, observation, observer)?;
        let Some(loaded) = loaded else { return Ok(false) };
        if tiles.chip().wants_meanings() {
            self.settle(tiles, observer)?;
            observation.close(tiles, true);
            announce_trace(tiles.chip_mut(), &loaded)?;
        }
        self.dispatching.replay(&loaded, replayed, tiles, observation, observer)?;
        Ok(true)
    }
}

impl WithDispatchers for InTurn {
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
        if launches_one_by_one(tiles.chip()) {
            self.settle(tiles, observer)?;
            observation.close(tiles, true);
        }
        self.dispatching.launch(call, launch, tiles, observation, observer, Observation::open)?;
        if tiles.chip().capabilities().fault_ends_process {
            self.settle(tiles, observer)?;
        }
        Ok(())
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
            if launches_one_by_one(tiles.chip()) {
                self.settle(tiles, observer)?;
                self.dispatching.dispatchers_mut().last_launch().replaying = None;
            }
            return Ok(());
        }
        for TracedLaunch { command, launch } in launches_of(trace) {
            // A dispatcher that is asked how far it is tells of single launches, and of no replay.
            self.dispatching.dispatchers_mut().last_launch().replaying = Some(replaying());
            let call = LaunchCall { enqueue: *command, replay: Some(replay) };
            self.launch(call, launch, tiles, observation, observer)?;
        }
        self.dispatching.dispatchers_mut().last_launch().replaying = None;
        Ok(())
    }
}

impl CarryOut for InTurn {
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
        self.settle(tiles, observer)?;
        Ok(chip::annotate(tiles.chip_mut(), annotation)?)
    }

    fn settle(&mut self, tiles: &mut Tiles, observer: &mut dyn Observer) -> Result<(), RawStop> {
        self.dispatching.dispatchers_mut().settle(tiles, observer)
    }

    fn retire(&mut self, _: Goal, _: &mut CommandQueues, _: &mut Tiles, _: &mut Observation) {}

    fn before_launches_under_way(&self) -> impl Iterator<Item = Progress> {
        std::iter::empty()
    }
}

impl Launcher for InTurn {
    fn run_until(
        &mut self,
        goal: Goal,
        queues: &mut CommandQueues,
        tiles: &mut Tiles,
        observation: &mut Observation,
        observer: &mut dyn Observer,
    ) -> Result<(), RawStop> {
        steps::run_until(self, goal, queues, tiles, observation, observer)
    }

    fn run_one(
        &mut self,
        goal: Goal,
        queues: &mut CommandQueues,
        tiles: &mut Tiles,
        observation: &mut Observation,
        observer: &mut dyn Observer,
    ) -> Result<(), RawStop> {
        steps::run_one(self, goal, queues, tiles, observation, observer)
    }

    fn has_happened(&self, event: EventId, queues: &CommandQueues) -> bool {
        queues.has_happened(event)
    }

    fn is_idle(&self) -> bool {
        self.dispatching.dispatchers().is_idle()
    }

    fn tells_launches_apart(&self, chip: &Chip) -> bool {
        launches_one_by_one(chip)
    }

    fn note_ends(&self, tiles: &mut Tiles, observation: &mut Observation, stopped: bool) -> bool {
        let rests = stopped || self.is_idle();
        if rests {
            observation.close(tiles, !stopped);
        }
        rests
    }

    fn last_launch(
        &mut self,
        _: &RawStop,
        tiles: &mut Tiles,
        observer: &mut dyn Observer,
    ) -> LastLaunch {
        let dispatchers = self.dispatching.dispatchers_mut();
        // The device may not answer any more: only its dispatchers' last reports are known.
        let _ = dispatchers.look(tiles, observer);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_is_replayed_for_the_first_time_once() {
        let trace = || Arc::new(Trace::new("t".to_owned(), Vec::new()));
        let mut replayed = ReplayedTraces::default();
        let (one, other) = (trace(), trace());
        assert!(replayed.is_first(&one) && replayed.is_first(&other));
        assert!(!replayed.is_first(&one) && !replayed.is_first(&other));
        drop(other);
        assert!(replayed.is_first(&trace()));
        assert_eq!(replayed.0.len(), 2);
        assert!(!replayed.is_first(&one));
    }
}
