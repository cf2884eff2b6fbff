//! Commands one after the other, for all launchers.

use hallmark_chip::Footprint;

use super::Goal;
use super::commands::{buffer_footprint, forget_dispatch_tiles, tiles_of};
use crate::observation::Observation;
use crate::observer::Observer;
use crate::order::Progress;
use crate::queue::{Beside, CommandQueues, Due, Executed, QueuedCommand};
use crate::stop::RawStop;
use crate::tiles::Tiles;
use crate::work::{Annotation, Work};

/// A launcher that carries out single commands.
pub(super) trait CarryOut {
    /// Carries a command out. It may go on after this has returned.
    ///
    /// # Errors
    /// The device stops.
    fn carry_out(
        &mut self,
        command: QueuedCommand,
        tiles: &mut Tiles,
        observation: &mut Observation,
        observer: &mut dyn Observer,
    ) -> Result<(), RawStop>;

    /// A buffer's memory becomes or ceases to be one.
    ///
    /// # Errors
    /// The device stops.
    fn announce(
        &mut self,
        annotation: &Annotation,
        tiles: &mut Tiles,
        observer: &mut dyn Observer,
    ) -> Result<(), RawStop>;

    /// Waits until everything that was carried out has ended.
    ///
    /// # Errors
    /// The device stops.
    fn settle(&mut self, tiles: &mut Tiles, observer: &mut dyn Observer) -> Result<(), RawStop>;

    /// Takes note of launches that have ended.
    fn retire(
        &mut self,
        goal: Goal,
        queues: &mut CommandQueues,
        tiles: &mut Tiles,
        observation: &mut Observation,
    );

    /// The commands that are done before each launch under way.
    fn before_launches_under_way(&self) -> impl Iterator<Item = Progress>;
}

/// Carries a command out; an event that it records has happened for the queues.
pub(super) fn carry_out(
    launcher: &mut impl CarryOut,
    command: QueuedCommand,
    queues: &mut CommandQueues,
    tiles: &mut Tiles,
    observation: &mut Observation,
    observer: &mut dyn Observer,
) -> Result<(), RawStop> {
    let recorded = match command.work {
        Work::RecordEvent(event) => Some(event),
        Work::Write { .. }
        | Work::Read { .. }
        | Work::Launch(_)
        | Work::WaitForEvent(_)
        | Work::Replay(_) => None,
    };
    launcher.carry_out(command, tiles, observation, observer)?;
    if let Some(event) = recorded {
        queues.happens(event);
    }
    Ok(())
}

/// Carries out a command whose memory is known from its buffer alone, and looks for its races.
pub(super) fn carry_out_known(
    launcher: &mut impl CarryOut,
    command: QueuedCommand,
    goal: Goal,
    queues: &mut CommandQueues,
    tiles: &mut Tiles,
    observation: &mut Observation,
    observer: &mut dyn Observer,
) -> Result<(), RawStop> {
    let touched = buffer_footprint(tiles.chip().banks(), &command.work);
    let now = executed(&command, touched);
    // The device would stop two dispatchers that race for the same bytes. Reported is the race of the commands, with
    // both of them done.
    if queues.would_race(&now) {
        launcher.settle(tiles, observer)?;
        launcher.retire(goal, queues, tiles, observation);
    }
    carry_out(launcher, command, queues, tiles, observation, observer)?;
    queues.executed(now, goal.later, launcher.before_launches_under_way());
    Ok(())
}

fn executed(command: &QueuedCommand, touched: Footprint) -> Executed {
    let &QueuedCommand { command, position, before, .. } = command;
    Executed { command, position, before, touched, beside: Beside::default() }
}

/// Carries out the commands before a point, one after the other.
pub(super) fn run_until(
    launcher: &mut impl CarryOut,
    goal: Goal,
    queues: &mut CommandQueues,
    tiles: &mut Tiles,
    observation: &mut Observation,
    observer: &mut dyn Observer,
) -> Result<(), RawStop> {
    while step(launcher, goal, queues, tiles, observation, observer)? {}
    launcher.settle(tiles, observer)
}

/// Carries out one command that comes before a point, if it is not reached.
pub(super) fn run_one(
    launcher: &mut impl CarryOut,
    goal: Goal,
    queues: &mut CommandQueues,
    tiles: &mut Tiles,
    observation: &mut Observation,
    observer: &mut dyn Observer,
) -> Result<(), RawStop> {
    step(launcher, goal, queues, tiles, observation, observer)?;
    launcher.settle(tiles, observer)
}

/// Takes one step towards a point; false if it is reached.
fn step(
    launcher: &mut impl CarryOut,
    goal: Goal,
    queues: &mut CommandQueues,
    tiles: &mut Tiles,
    observation: &mut Observation,
    observer: &mut dyn Observer,
) -> Result<bool, RawStop> {
    match queues.take_next(goal.until)? {
        None => return Ok(false),
        Some(Due::Annotation(annotation)) => {
            launcher.announce(&annotation, tiles, observer)?;
        }
        Some(Due::Command(next)) => {
            step_over(launcher, next, goal, queues, tiles, observation, observer)?;
        }
    }
    Ok(true)
}

/// Carries out the next command and notes the memory that it touches.
fn step_over(
    launcher: &mut impl CarryOut,
    next: QueuedCommand,
    goal: Goal,
    queues: &mut CommandQueues,
    tiles: &mut Tiles,
    observation: &mut Observation,
    observer: &mut dyn Observer,
) -> Result<(), RawStop> {
    if !queues.may_race() {
        return carry_out(launcher, next, queues, tiles, observation, observer);
    }
    let description = tiles.chip().description();
    let own = tiles_of(description, &next.work);
    // The footprint up to now is dropped: it is no launch's.
    if own.is_empty() || tiles.chip_mut().access().footprint().is_none() {
        return carry_out_known(launcher, next, goal, queues, tiles, observation, observer);
    }
    let mut now = executed(&next, Footprint::default());
    carry_out(launcher, next, queues, tiles, observation, observer)?;
    launcher.settle(tiles, observer)?;
    for (issuer, by_device) in tiles.chip_mut().access().footprint().unwrap_or_default() {
        if own.contains(&issuer) {
            now.touched.join(&by_device);
        }
    }
    forget_dispatch_tiles(description, &mut now.touched);
    queues.executed(now, goal.later, launcher.before_launches_under_way());
    Ok(())
}
