//! Execution of what queues hold, command by command.

use std::collections::BTreeSet;
use std::sync::Arc;

use hallmark_chip::{Footprint, Forgettable, PhysicalCoordinate};
use hallmark_schema::model::CommandIndex;

use super::{Beside, Due, Executed, Progress, QUEUES, QueueRace, Queued, Until};
use crate::InternalError;
use crate::addresses::BufferExtent;
use crate::defects::{Defect, planted};
use crate::dispatch::{LaunchEnd, PendingRead, ReplayedTrace};
use crate::engine::Engine;
use crate::halt::{Halt, Lost};
use crate::launch::ProgramLaunch;
use crate::observer::{CompletedRead, Observer};
use crate::profile::OpenLaunch;
use crate::trace::TracedLaunch;
use crate::work::{Payload, Work};

/// Bytes of data that are made before they are written, as far as pages allow: new memory costs more than what is
/// written into it.
const MADE_AT_ONCE: u64 = 1 << 20;
/// Bytes of memory for data that are kept from one write to the next.
const MADE_KEPT: usize = 4 << 20;

impl Engine {
    /// Executes what a queue holds up to a point, and of the other one what must come before, because a
    /// synchronizing call waits for it. `later` is what is done before the command that each queue is
    /// given next.
    ///
    /// # Errors
    /// The device is lost.
    pub fn run_until(
        &mut self,
        until: Until,
        call: CommandIndex,
        later: [Progress; QUEUES],
        observer: &mut dyn Observer,
    ) -> Result<(), Box<Lost>> {
        let mut run = || {
            if self.overlaps() {
                return self.overlap_until(until, later, observer);
            }
            while self.step_towards(until, later, observer)? {}
            self.settle(observer)
        };
        run().map_err(|halt| self.lose(call, halt, observer))
    }

    /// Takes one step towards a point, if it is not reached, because a call asks whether it is. `later` is
    /// what is done before the command that each queue is given next.
    ///
    /// # Errors
    /// The device is lost.
    pub fn run_one(
        &mut self,
        until: Until,
        call: CommandIndex,
        later: [Progress; QUEUES],
        observer: &mut dyn Observer,
    ) -> Result<(), Box<Lost>> {
        let mut step = || {
            if self.overlaps() {
                return self.overlap_one(until, later, observer);
            }
            self.step_towards(until, later, observer)?;
            self.settle(observer)
        };
        step().map_err(|halt| self.lose(call, halt, observer))
    }

    /// Takes one step towards a point; false if it is reached.
    fn step_towards(
        &mut self,
        until: Until,
        later: [Progress; QUEUES],
        observer: &mut dyn Observer,
    ) -> Result<bool, Halt> {
        match self.queue.take_next(until, &mut self.schedule)? {
            None => return Ok(false),
            Some(Due::Annotation(extent, meaning)) => {
                self.announce_extent(&extent, meaning, observer)?;
            }
            Some(Due::Command(next)) => self.run_next(next, later, observer)?,
        }
        Ok(true)
    }

    /// Executes a command and notes what it touches.
    fn run_next(
        &mut self,
        next: Queued,
        later: [Progress; QUEUES],
        observer: &mut dyn Observer,
    ) -> Result<(), Halt> {
        let Queued { command, position, before, work, .. } = next;
        self.serve(position.queue);
        if self.settings.num_command_queues == 1 {
            return self.run_work(command, before, work, observer);
        }
        let mut touched = self.extent_of(&work);
        let tiles = self.tiles_of(&work);
        let mut work = Some(work);
        // What was touched before is nobody's.
        if !tiles.is_empty() && self.chip.footprint().is_some() {
            if let Some(work) = work.take() {
                self.run_work(command, before, work, observer)?;
                self.settle(observer)?;
            }
            for (issuer, by_device) in self.chip.footprint().unwrap_or_default() {
                if tiles.contains(&issuer) {
                    touched.join(&by_device);
                }
            }
            self.forget_dispatch_tiles(&mut touched);
        }
        let now = Executed { command, position, before, touched, beside: Beside::default() };
        if let Some(work) = work {
            // Two dispatchers that raced for the same bytes would only be stopped by the device: what
            // is reported is the race of the commands, with both of them done.
            if self.races.would_race(&now) {
                self.settle(observer)?;
            }
            self.run_work(command, before, work, observer)?;
        }
        let floor = self.queue.floor(later);
        self.races.executed(now, &floor);
        Ok(())
    }

    /// What a write or a read touches; of other commands the device tells it.
    pub(super) fn extent_of(&self, work: &Work) -> Footprint {
        match work {
            Work::Write { extent, .. } => self.extent_footprint(extent, true),
            Work::Read { extent, .. } => self.extent_footprint(extent, false),
            Work::Launch(_) | Work::Replay(_) | Work::RecordEvent(_) | Work::WaitForEvent(_) => {
                Footprint::default()
            }
        }
    }

    /// The tiles of dispatchers are no memory of programs.
    pub(super) fn forget_dispatch_tiles(&self, touched: &mut Footprint) {
        let description = self.chip.description();
        let (columns, rows) = description.compute_grid();
        touched.retain(|tile| {
            let core = description.logical(tile);
            core.is_none_or(|core| core.x < columns && core.y < rows)
        });
    }

    /// The tiles on which a command runs programs.
    pub(super) fn tiles_of(&self, work: &Work) -> BTreeSet<PhysicalCoordinate> {
        let description = self.chip.description();
        let physical = |core| description.physical(core);
        match work {
            Work::Launch(launch) => {
                launch.tiles.iter().filter_map(|tile| physical(tile.core)).collect()
            }
            Work::Replay(trace) => trace.cores.iter().filter_map(|core| physical(*core)).collect(),
            Work::Write { .. }
            | Work::Read { .. }
            | Work::RecordEvent(_)
            | Work::WaitForEvent(_) => BTreeSet::new(),
        }
    }

    /// A race between commands that the host knows to be done, if there is one. It is told once.
    pub fn known_race(&mut self, host: Progress) -> Option<QueueRace> {
        self.races.known(host)
    }

    pub(super) fn run_work(
        &mut self,
        enqueue: CommandIndex,
        before: Progress,
        work: Work,
        observer: &mut dyn Observer,
    ) -> Result<(), Halt> {
        self.profile_moves(enqueue, &work);
        match work {
            Work::Write { extent, payload } => {
                let written = match payload {
                    Payload::Bytes(bytes) => self.write(&extent, &bytes, observer),
                    Payload::Generated { generator, length } => {
                        let mut made = std::mem::take(&mut self.made);
                        let mut generated = generator.reader(length);
                        let mut parts = extent.parts(MADE_AT_ONCE);
                        let written = parts.try_for_each(|part| {
                            generated.next_in(part.size(), &mut made);
                            self.write(&part, &made, observer)
                        });
                        if made.capacity() <= MADE_KEPT {
                            self.made = made;
                        }
                        written
                    }
                };
                if !self.dispatches_on_device() {
                    self.note_writer(Some(enqueue), None);
                }
                written
            }
            Work::Read { extent, buffer, output, exact } if self.dispatches_on_device() => {
                let read = PendingRead::new(enqueue, buffer, output, exact, &extent)?;
                self.submit_read(&extent, read, observer)
            }
            Work::Read { extent, buffer, output, exact } => {
                let length = usize::try_from(extent.size())
                    .map_err(|_| InternalError::new("a buffer beyond the address space"))?;
                let mut bytes = vec![0; length];
                self.read_extent(&extent, &mut bytes)?;
                let read = CompletedRead { command: enqueue, buffer, output, bytes: bytes.into() };
                Ok(observer.read_completed(read, exact)?)
            }
            Work::Launch(launch) => self.run_launch(enqueue, None, &launch, observer),
            Work::RecordEvent(event) => {
                if self.dispatches_on_device() {
                    self.submit_record(event, before, observer)?;
                }
                self.queue.happens(event);
                Ok(())
            }
            // It is taken only once the event has happened, or a dispatcher is about to record it.
            Work::WaitForEvent(event) if self.dispatches_on_device() => {
                self.submit_wait(event, observer)
            }
            Work::WaitForEvent(_) => Ok(()),
            Work::Replay(trace) => {
                let trace_of = Arc::clone(&trace);
                self.replaying = Some(ReplayedTrace { command: enqueue, trace: trace_of });
                if self.dispatches_on_device()
                    && self.replay_by_dispatcher(enqueue, &trace, observer)?
                {
                    // They are counted; the dispatcher has carried them out.
                    for _ in &trace.launches {
                        self.chip.forgets(Forgettable::Launch);
                    }
                    if self.launches_one_by_one() {
                        self.settle(observer)?;
                        self.replaying = None;
                    }
                    return Ok(());
                }
                let forgotten = usize::from(planted(Defect::TraceForgetsItsLastProgram));
                let kept = trace.launches.len().saturating_sub(forgotten);
                let launches = trace.launches.iter().take(kept);
                for (before, TracedLaunch { command, launch, .. }) in launches.enumerate() {
                    // They may share tiles.
                    if before > 0 && self.overlaps() {
                        self.settle(observer)?;
                        self.profile_retires(enqueue);
                    }
                    // A dispatcher that is asked how far it is tells of single launches, and of no replay.
                    let trace = Arc::clone(&trace);
                    self.replaying = Some(ReplayedTrace { command: enqueue, trace });
                    self.run_launch(*command, Some(enqueue), launch, observer)?;
                }
                self.replaying = None;
                Ok(())
            }
        }
    }

    fn write(
        &mut self,
        extent: &BufferExtent,
        bytes: &[u8],
        observer: &mut dyn Observer,
    ) -> Result<(), Halt> {
        if self.dispatches_on_device() {
            self.submit_write(extent, bytes, observer)
        } else {
            self.write_extent(extent, bytes).map_err(Halt::from)
        }
    }

    fn run_launch(
        &mut self,
        enqueue: CommandIndex,
        replay: Option<CommandIndex>,
        launch: &Arc<ProgramLaunch>,
        observer: &mut dyn Observer,
    ) -> Result<(), Halt> {
        if self.chip.forgets(Forgettable::Launch) {
            return Ok(());
        }
        if self.dispatches_on_device() {
            return self.submit_launch(enqueue, replay, launch, observer);
        }
        observer.executing(enqueue)?;
        self.last_launch = Some(enqueue);
        self.awaits_markers(enqueue, replay, launch);
        let end = self.launch(launch);
        let completed = matches!(end, Ok(LaunchEnd::Done));
        let program = launch.program;
        let ended = OpenLaunch { command: enqueue, replay, program, dispatcher: None };
        self.profile_ends(ended, completed);
        self.note_writer(replay.or(Some(enqueue)), Some(enqueue));
        match end? {
            LaunchEnd::Done => Ok(()),
            LaunchEnd::Deadlock(waiting) => Err(Halt::Deadlock(waiting)),
            LaunchEnd::Hang(unfinished) => Err(Halt::Hang(unfinished)),
        }
    }
}
