//! The launcher in which the host writes, launches and polls itself: every command has ended when the next one begins.

use std::sync::Arc;

use hallmark_chip::{Forgettable, NocCoordinate, TileAddress};
use hallmark_device_code::Mailbox;
use hallmark_schema::model::EventId;

use super::commands::launches_of;
use super::payloads::Payloads;
use super::steps::{self, CarryOut};
use super::{Goal, LaunchCall, Launcher};
use crate::InternalError;
use crate::chip::{self, Chip};
use crate::defects::{Defect, planted};
use crate::launch::ProgramLaunch;
use crate::observation::{Observation, OpenLaunch};
use crate::observer::{CompletedRead, Observer};
use crate::order::Progress;
use crate::queue::{CommandQueues, QueuedCommand};
use crate::settings::EngineSettings;
use crate::stop::{LastLaunch, RawStop};
use crate::tiles::{SemaphoreWord, TileLayout, Tiles, lay_out_program, wait_for_word};
use crate::trace::{ReplayedTrace, TracedLaunch};
use crate::work::{Annotation, Work};

/// See the module.
#[derive(Debug)]
pub(super) struct HostDriven {
    /// Ticks that a program may take.
    tick_budget: u64,
    payloads: Payloads,
    /// The number of the last launch, modulo 2^32.
    launches: u32,
    last_launch: LastLaunch,
}

impl HostDriven {
    pub(super) fn new(settings: &EngineSettings) -> Self {
        Self {
            tick_budget: settings.tick_budget,
            payloads: Payloads::default(),
            launches: 0,
            last_launch: LastLaunch::default(),
        }
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
        let LaunchCall { enqueue, replay } = call;
        observer.executing(enqueue)?;
        self.last_launch.enqueue = Some(enqueue);
        tiles.prints_mut().belong_to(Some(enqueue));
        observation.expect_markers(enqueue, replay, launch);
        let end = self.run(launch, tiles, observation);
        let program = launch.program;
        let ended = OpenLaunch { command: enqueue, replay, program, dispatcher: None };
        observation.end(tiles, ended, end.is_ok());
        observation.note_writer(tiles, replay.or(Some(enqueue)), Some(enqueue));
        end
    }

    /// Runs a program to its end.
    fn run(
        &mut self,
        launch: &Arc<ProgramLaunch>,
        tiles: &mut Tiles,
        observation: &mut Observation,
    ) -> Result<(), RawStop> {
        self.launches = match self.launches.wrapping_add(1) {
            // The go word is never 0.
            0 => 1,
            number => number,
        };
        let number = self.launches;
        for layout in lay_out_program(tiles, launch)?.iter() {
            prepare(tiles.chip_mut(), layout, number)?;
        }
        tiles.chip_mut().access().order()?;
        // Booting a tile for the first time is no part of the program.
        observation.begin(tiles);
        let mailbox = tiles.chip().firmware().memory().mailbox.start;
        let access = tiles.chip_mut().access();
        let go = TileAddress(u64::from(mailbox + Mailbox::GO));
        let mut launched: Vec<NocCoordinate> = Vec::with_capacity(launch.tiles.len());
        for tile in &launch.tiles {
            if !access.forgets(Forgettable::LaunchOn(tile.core)) {
                launched.push(tile.noc);
            }
        }
        let dropped = usize::from(planted(Defect::LastTileNotLaunched));
        for &tile in launched.iter().take(launched.len().saturating_sub(dropped)) {
            access.write_word(tile, go, number)?;
        }
        let done = TileAddress(u64::from(mailbox + Mailbox::DONE));
        let awaited = if planted(Defect::OneTileDoneIsEnough) { 1 } else { launched.len() };
        let waiting: Vec<NocCoordinate> = launched.into_iter().take(awaited).collect();
        wait_for_word(tiles, waiting, done, number, self.tick_budget)
    }
}

/// Writes the binaries, semaphores and words of a tile for the launch of this number, all but the go.
fn prepare(chip: &mut Chip, layout: &TileLayout, number: u32) -> Result<(), RawStop> {
    let noc = layout.noc;
    let mailbox = chip.firmware().memory().mailbox.start;
    let access = chip.access();
    for binary in &layout.binaries {
        let base = TileAddress(u64::from(binary.base()));
        access.write(noc, base, &binary.bytes(layout.core)?)?;
    }
    let reset = number == 1 || !planted(Defect::SemaphoresResetOnce);
    for &SemaphoreWord { address, value } in layout.semaphores.iter().filter(|_| reset) {
        access.write(noc, TileAddress(u64::from(address)), &value.to_le_bytes())?;
    }
    access.write(noc, TileAddress(u64::from(layout.block)), &layout.words)?;
    let launch_word = TileAddress(u64::from(mailbox + Mailbox::LAUNCH_BLOCK));
    access.write_word(noc, launch_word, layout.block)?;
    Ok(())
}

impl CarryOut for HostDriven {
    fn carry_out(
        &mut self,
        QueuedCommand { command, work, .. }: QueuedCommand,
        tiles: &mut Tiles,
        observation: &mut Observation,
        observer: &mut dyn Observer,
    ) -> Result<(), RawStop> {
        match work {
            Work::Write { extent, payload } => {
                let written = self.payloads.write(&extent, payload, |part, bytes| {
                    Ok(chip::write(tiles.chip_mut(), part, bytes)?)
                });
                observation.note_writer(tiles, Some(command), None);
                written
            }
            Work::Read { extent, buffer, name, output, exact } => {
                let length = usize::try_from(extent.size())
                    .map_err(|_| InternalError::new("a buffer beyond the address space"))?;
                let mut bytes = vec![0; length];
                // A capture blames the program that ran last, so that before the first one no program is to blame, and
                // the host reads the bytes that the chip happens to hold.
                let refuses_unwritten = self.last_launch.enqueue.is_some();
                let refused = refuses_unwritten.then_some(&*name);
                chip::read(tiles.chip_mut(), &extent, &mut bytes, refused)?;
                let read = CompletedRead { command, buffer, output, bytes: bytes.into() };
                Ok(observer.read_completed(read, exact)?)
            }
            Work::Launch(launch) => {
                let call = LaunchCall { enqueue: command, replay: None };
                self.launch(call, &launch, tiles, observation, observer)
            }
            // A wait is taken only once its event has happened.
            Work::RecordEvent(_) | Work::WaitForEvent(_) => Ok(()),
            Work::Replay(trace) => {
                self.last_launch.replaying =
                    Some(ReplayedTrace { command, trace: Arc::clone(&trace) });
                for TracedLaunch { command: enqueue, launch } in launches_of(&trace) {
                    let call = LaunchCall { enqueue: *enqueue, replay: Some(command) };
                    self.launch(call, launch, tiles, observation, observer)?;
                }
                self.last_launch.replaying = None;
                Ok(())
            }
        }
    }

    fn announce(
        &mut self,
        annotation: &Annotation,
        tiles: &mut Tiles,
        _: &mut dyn Observer,
    ) -> Result<(), RawStop> {
        Ok(chip::annotate(tiles.chip_mut(), annotation)?)
    }

    fn settle(&mut self, _: &mut Tiles, _: &mut dyn Observer) -> Result<(), RawStop> {
        Ok(())
    }

    fn retire(&mut self, _: Goal, _: &mut CommandQueues, _: &mut Tiles, _: &mut Observation) {}

    fn before_launches_under_way(&self) -> impl Iterator<Item = Progress> {
        std::iter::empty()
    }
}

impl Launcher for HostDriven {
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
        true
    }

    fn tells_launches_apart(&self, _: &Chip) -> bool {
        true
    }

    /// Each end was noted when it came.
    fn note_ends(&self, _: &mut Tiles, _: &mut Observation, _: bool) -> bool {
        true
    }

    fn last_launch(&mut self, _: &RawStop, _: &mut Tiles, _: &mut dyn Observer) -> LastLaunch {
        self.last_launch.clone()
    }

    fn forget_launches(&mut self) {
        self.last_launch.enqueue = None;
    }

    fn forget_events(&mut self) {}

    fn close(&mut self, _: &mut Tiles, _: &mut dyn Observer) {}
}
