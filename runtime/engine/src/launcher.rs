//! The launcher: carries commands out and launches programs. An engine has one, chosen when the engine is made:
//!
//! | launcher | programs are launched by | other commands meanwhile |
//! |---|---|---|
//! | [`HostDriven`] | the host, which writes, launches and polls | none |
//! | [`InTurn`] | dispatchers | those that the device allows |
//! | [`Overlapping`] | dispatchers | programs on other tiles too, on every device |

mod commands;
mod dispatching;
mod host_driven;
mod in_turn;
mod overlapping;
mod payloads;
mod steps;

use hallmark_schema::model::{CommandIndex, DispatchMode, EventId};

use self::host_driven::HostDriven;
use self::in_turn::InTurn;
use self::overlapping::Overlapping;
use crate::chip::Chip;
use crate::observation::Observation;
use crate::observer::Observer;
use crate::order::{Progress, QUEUES};
use crate::queue::{CommandQueues, Until};
use crate::settings::EngineSettings;
use crate::stop::{LastLaunch, RawStop};
use crate::tiles::Tiles;

/// The point to which a call has work done.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Goal {
    pub(crate) until: Until,
    /// The commands that are done before the one that each queue is given next.
    pub(crate) later: [Progress; QUEUES],
}

/// Carries commands out and launches programs.
pub(crate) trait Launcher: std::fmt::Debug {
    /// Carries out the commands of a queue up to a point, and those of the other queue that must come before.
    ///
    /// # Errors
    /// The device stops.
    fn run_until(
        &mut self,
        goal: Goal,
        queues: &mut CommandQueues,
        tiles: &mut Tiles,
        observation: &mut Observation,
        observer: &mut dyn Observer,
    ) -> Result<(), RawStop>;

    /// Takes one step towards a point, if it is not reached.
    ///
    /// # Errors
    /// The device stops.
    fn run_one(
        &mut self,
        goal: Goal,
        queues: &mut CommandQueues,
        tiles: &mut Tiles,
        observation: &mut Observation,
        observer: &mut dyn Observer,
    ) -> Result<(), RawStop>;

    /// Whether an event has happened.
    fn has_happened(&self, event: EventId, queues: &CommandQueues) -> bool;

    /// Whether all that was carried out has ended.
    fn is_idle(&self) -> bool;

    /// Whether each core is known to work for one launch at a time.
    fn tells_launches_apart(&self, chip: &Chip) -> bool;

    /// Has the observation note the launches that are known to have ended; true if nothing runs. `stopped` says that
    /// the device has stopped, so that launches under way do not end.
    fn note_ends(&self, tiles: &mut Tiles, observation: &mut Observation, stopped: bool) -> bool;

    /// The launch that a stop names. Reads of which all data has come are handed out.
    fn last_launch(
        &mut self,
        stop: &RawStop,
        tiles: &mut Tiles,
        observer: &mut dyn Observer,
    ) -> LastLaunch;

    /// No program that ran is to blame for the bytes that the host reads from now on.
    fn forget_launches(&mut self);

    /// Event ids count from 0 again.
    fn forget_events(&mut self);

    /// Stops dispatchers, before their tiles are held in reset.
    fn close(&mut self, tiles: &mut Tiles, observer: &mut dyn Observer);
}

/// The kinds of launchers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    HostDriven,
    InTurn,
    Overlapping,
}

impl Kind {
    /// The one choice of a launcher.
    const fn of(settings: &EngineSettings) -> Self {
        match (settings.dispatch, settings.dispatch_settings.overlap) {
            (DispatchMode::Host, _) => Self::HostDriven,
            (DispatchMode::Device, false) => Self::InTurn,
            (DispatchMode::Device, true) => Self::Overlapping,
        }
    }
}

/// The launcher of an engine with these settings.
pub(crate) fn launcher(settings: &EngineSettings) -> Box<dyn Launcher> {
    match Kind::of(settings) {
        Kind::HostDriven => Box::new(HostDriven::new(settings)),
        Kind::InTurn => Box::new(InTurn::new(settings)),
        Kind::Overlapping => Box::new(Overlapping::new(settings)),
    }
}

/// A launch that is carried out.
#[derive(Clone, Copy, Debug)]
struct LaunchCall {
    /// The enqueue of the program.
    enqueue: CommandIndex,
    /// The replay of a trace that makes the launch, if one does.
    replay: Option<CommandIndex>,
}

#[cfg(test)]
mod tests {
    use hallmark_schema::model::DispatchSettings;

    use super::*;

    #[test]
    fn settings_choose_the_launcher() {
        let kind = |dispatch, overlap| {
            Kind::of(&EngineSettings {
                dispatch,
                dispatch_settings: DispatchSettings { overlap, ..DispatchSettings::default() },
                num_command_queues: 2,
                trace_region_size: 0,
                tick_budget: 1,
                boot_budget: 1,
                schedule_seed: 0,
            })
        };
        assert_eq!(kind(DispatchMode::Host, false), Kind::HostDriven);
        // The host does not launch a program beside another one, whatever dispatchers would do.
        assert_eq!(kind(DispatchMode::Host, true), Kind::HostDriven);
        assert_eq!(kind(DispatchMode::Device, false), Kind::InTurn);
        assert_eq!(kind(DispatchMode::Device, true), Kind::Overlapping);
    }
}
