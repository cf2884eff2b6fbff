//! Commands that dispatchers carry out, for both launchers with dispatchers.

use std::sync::Arc;

use hallmark_chip::Forgettable;
use hallmark_schema::model::CommandIndex;

use super::LaunchCall;
use super::payloads::Payloads;
use crate::addresses::{BufferExtent, runs};
use crate::dispatch::{
    Dispatchers, LoadedTrace, PendingRead, WhenFull, loaded_trace, place_binaries_of_trace,
    submit_replay,
};
use crate::launch::ProgramLaunch;
use crate::observation::{Observation, OpenLaunch};
use crate::observer::Observer;
use crate::queue::QueuedCommand;
use crate::settings::EngineSettings;
use crate::stop::RawStop;
use crate::tiles::{Tiles, lay_out_program};
use crate::trace::{ReplayedTrace, Trace};
use crate::work::{Payload, Work};

/// Dispatchers, and the data of writes for them.
#[derive(Debug)]
pub(super) struct Dispatching {
    dispatchers: Dispatchers,
    payloads: Payloads,
}

/// A launcher that has dispatchers carry commands out.
pub(super) trait WithDispatchers {
    fn dispatching(&mut self) -> &mut Dispatching;

    /// Gives the dispatcher that is served a launch.
    ///
    /// # Errors
    /// The device stops, or the observer could not note the launch.
    fn launch(
        &mut self,
        call: LaunchCall,
        launch: &Arc<ProgramLaunch>,
        tiles: &mut Tiles,
        observation: &mut Observation,
        observer: &mut dyn Observer,
    ) -> Result<(), RawStop>;

    /// Has the dispatcher that is served replay a trace, or gives it the launches one by one.
    ///
    /// # Errors
    /// The device stops, or the observer could not note a launch.
    fn replay(
        &mut self,
        replay: CommandIndex,
        trace: &Arc<Trace>,
        tiles: &mut Tiles,
        observation: &mut Observation,
        observer: &mut dyn Observer,
    ) -> Result<(), RawStop>;
}

/// Gives the dispatcher of a command's queue the command.
///
/// # Errors
/// The device stops, or the observer could not note the command.
pub(super) fn carry_out(
    launcher: &mut impl WithDispatchers,
    QueuedCommand { command, position, before, work, .. }: QueuedCommand,
    tiles: &mut Tiles,
    observation: &mut Observation,
    observer: &mut dyn Observer,
) -> Result<(), RawStop> {
    let queue = position.queue;
    let dispatching = launcher.dispatching();
    dispatching.dispatchers.serve(queue);
    match work {
        Work::Launch(launch) => {
            let call = LaunchCall { enqueue: command, replay: None };
            launcher.launch(call, &launch, tiles, observation, observer)
        }
        Work::Replay(trace) => launcher.replay(command, &trace, tiles, observation, observer),
        Work::Write { extent, payload } => {
            observation.begin_move(command, queue, true);
            dispatching.write(&extent, payload, tiles, observation, observer)
        }
        Work::Read { extent, buffer, name, output, exact } => {
            observation.begin_move(command, queue, false);
            let read = PendingRead::new(command, (buffer, name), output, exact, &extent)?;
            dispatching.read(&extent, read, tiles, observation, observer)
        }
        Work::RecordEvent(event) => {
            dispatching.boot(tiles, observation)?;
            dispatching.dispatchers.record(tiles, event, before, observer)
        }
        // It is taken only once the event has happened, or a dispatcher is about to record it.
        Work::WaitForEvent(event) => dispatching.dispatchers.wait(tiles, event, observer),
    }
}

impl Dispatching {
    pub(super) fn new(settings: &EngineSettings, when_full: WhenFull) -> Self {
        let dispatchers = Dispatchers::new(settings, when_full);
        Self { dispatchers, payloads: Payloads::default() }
    }

    pub(super) const fn dispatchers(&self) -> &Dispatchers {
        &self.dispatchers
    }

    pub(super) const fn dispatchers_mut(&mut self) -> &mut Dispatchers {
        &mut self.dispatchers
    }

    /// Brings dispatchers up before their first command.
    fn boot(&mut self, tiles: &mut Tiles, observation: &Observation) -> Result<(), RawStop> {
        if self.dispatchers.boot(tiles)? {
            observation.forget_activity(tiles.chip_mut());
        }
        Ok(())
    }

    fn write(
        &mut self,
        extent: &BufferExtent,
        payload: Payload,
        tiles: &mut Tiles,
        observation: &mut Observation,
        observer: &mut dyn Observer,
    ) -> Result<(), RawStop> {
        self.boot(tiles, observation)?;
        let Self { dispatchers, payloads } = self;
        payloads.write(extent, payload, |part, bytes| {
            note_pieces(observation, tiles, part);
            dispatchers.write(tiles, part, bytes, observer)
        })
    }

    fn read(
        &mut self,
        extent: &BufferExtent,
        read: PendingRead,
        tiles: &mut Tiles,
        observation: &mut Observation,
        observer: &mut dyn Observer,
    ) -> Result<(), RawStop> {
        note_pieces(observation, tiles, extent);
        self.boot(tiles, observation)?;
        self.dispatchers.read(tiles, extent, read, observer)
    }

    /// Gives a dispatcher a launch, after `open` has the observation note its begin.
    ///
    /// # Errors
    /// The device stops, or the observer could not note the launch.
    pub(super) fn launch(
        &mut self,
        LaunchCall { enqueue, replay }: LaunchCall,
        launch: &Arc<ProgramLaunch>,
        tiles: &mut Tiles,
        observation: &mut Observation,
        observer: &mut dyn Observer,
        open: impl FnOnce(&mut Observation, &mut Tiles, OpenLaunch),
    ) -> Result<(), RawStop> {
        let layouts = lay_out_program(tiles, launch)?;
        self.boot(tiles, observation)?;
        let placed = tiles.binaries_placed();
        let commands = self.dispatchers.launch_commands(launch, &layouts, placed)?;
        observer.executing(enqueue)?;
        self.prints_belong_to(enqueue, tiles);
        let dispatcher = self.dispatchers.served_tile().map(|tile| tile.physical);
        let program = launch.program;
        open(observation, tiles, OpenLaunch { command: enqueue, replay, program, dispatcher });
        observation.expect_markers(enqueue, replay, launch);
        self.dispatchers.launch(tiles, enqueue, launch, &commands, observer)
    }

    /// Has the dispatcher replay a trace that it has loaded.
    ///
    /// # Errors
    /// The device stops, or the observer could not note the replay.
    pub(super) fn replay(
        &mut self,
        loaded: &LoadedTrace,
        replayed: ReplayedTrace,
        tiles: &mut Tiles,
        observation: &mut Observation,
        observer: &mut dyn Observer,
    ) -> Result<(), RawStop> {
        let trace = Arc::clone(&replayed.trace);
        place_binaries_of_trace(&mut self.dispatchers, tiles, loaded)?;
        for traced in &trace.launches {
            observation.expect_markers(traced.command, Some(replayed.command), &traced.launch);
        }
        if let Some(first) = trace.launches.first() {
            self.prints_belong_to(first.command, tiles);
        }
        submit_replay(&mut self.dispatchers, tiles, loaded, replayed, observer)?;
        // The launches are counted; the dispatcher carries them out.
        for _ in &trace.launches {
            tiles.chip_mut().access().forgets(Forgettable::Launch);
        }
        Ok(())
    }

    /// What is printed from now on belongs to a launch that is about to be handed out, if nothing else is under way.
    /// Otherwise dispatchers tell when the launch begins.
    fn prints_belong_to(&self, enqueue: CommandIndex, tiles: &mut Tiles) {
        if self.dispatchers.is_idle() {
            tiles.prints_mut().belong_to(Some(enqueue));
        }
    }

    /// A trace as its dispatcher has it; nothing if there is no room for it.
    ///
    /// # Errors
    /// The device stops.
    pub(super) fn loaded(
        &mut self,
        trace: &Arc<Trace>,
        tiles: &mut Tiles,
        observation: &Observation,
        observer: &mut dyn Observer,
    ) -> Result<Option<LoadedTrace>, RawStop> {
        self.boot(tiles, observation)?;
        loaded_trace(&mut self.dispatchers, tiles, trace, observer)
    }
}

/// Notes the memory that the move of an extent touches.
fn note_pieces(observation: &mut Observation, tiles: &Tiles, extent: &BufferExtent) {
    observation.move_pieces(runs(tiles.chip().banks(), extent), extent.page_size);
}
