//! Walks the commands of a program part and keeps the state that later commands' rules depend on.
//!
//! The rules of a call stand beside its struct, in `commands`.

use std::collections::{HashMap, HashSet};

use super::objects::{Buffer, Objects};
use super::traces::Traces;
use crate::commands::{Command, Role};
use crate::error::{CaptureError, Path, Rule};
use crate::limits;
use crate::model::{
    BufferRegion, CoreRange, Failure, Grid, ObjectKind, Outcome, ProgramPart, RecordedCommand,
};

type Result = std::result::Result<(), CaptureError>;

/// Checks commands one after another.
pub(crate) struct Checker<'p> {
    pub(crate) program: &'p ProgramPart,
    pub(crate) objects: Objects,
    traces: Traces,
    pub(crate) outputs: HashSet<&'p str>,
    /// Names of collected traces, and whether the collection succeeded.
    pub(crate) collected: HashMap<&'p str, bool>,
    /// Bytes that a replay has generated or read back so far.
    data: u64,
    /// Cores counted so far.
    cores: u64,
    /// A lower bound of the program part's size so far; keeps the writer within its limits.
    weight: u64,
}

impl<'p> Checker<'p> {
    pub(super) fn new(program: &'p ProgramPart) -> Self {
        Self {
            program,
            objects: Objects::default(),
            traces: Traces::default(),
            outputs: HashSet::new(),
            collected: HashMap::new(),
            data: 0,
            cores: 0,
            weight: 0,
        }
    }

    pub(super) fn check(
        &mut self,
        index: usize,
        recorded: &'p RecordedCommand,
        path: &Path<'_>,
    ) -> Result {
        let done = match &recorded.outcome {
            Outcome::Done => true,
            Outcome::Unfinished => false,
            Outcome::Failed(failure) => {
                self.failure(index, failure, &path.field("failure"))?;
                false
            }
        };
        self.weigh(32, path)?;
        let path = path.field(recorded.command.kind().name());
        recorded.command.check_shape_at(&path)?;
        if done {
            self.queue(&recorded.command, &path)?;
            self.traces.check(&recorded.command, &path)?;
        }
        self.references(&recorded.command, done, &path)?;
        recorded.command.check(self, done, &path)?;
        if let Some(trace) = self.traces.after(recorded) {
            self.objects.release(ObjectKind::Trace, trace.0);
        }
        Ok(())
    }

    /// Checks that the objects of a call exist, and tracks those that it creates and releases.
    fn references(&mut self, command: &Command, done: bool, path: &Path<'_>) -> Result {
        let objects = &mut self.objects;
        command.visit_references(path, &mut |role, kind, id, path| match role {
            Role::Creates => objects.create(kind, id, done, path),
            Role::Uses if kind == ObjectKind::Buffer => objects.memory_used(id, done, path),
            Role::Uses => objects.used(kind, id, done, path),
            Role::Names => objects.used(kind, id, false, path),
            Role::Releases => {
                objects.used(kind, id, done, path)?;
                if done {
                    objects.release(kind, id);
                }
                Ok(())
            }
        })
    }

    /// Adds bytes to the estimated size of the program part.
    pub(crate) fn weigh(&mut self, bytes: usize, path: &Path<'_>) -> Result {
        self.weight = self.weight.saturating_add(bytes as u64);
        path.at_most("bytes of the program part", self.weight, limits::PROGRAM_BYTES)
    }

    fn failure(&self, index: usize, failure: &Failure, path: &Path<'_>) -> Result {
        match failure {
            Failure::DeviceFault { enqueue, .. }
            | Failure::Deadlock { enqueue }
            | Failure::Hang { enqueue } => {
                let at = usize::try_from(enqueue.0).unwrap_or(usize::MAX);
                let blamed = self.program.commands.get(at).map(|blamed| &blamed.command);
                // A blocking call may blame its own enqueue.
                if at > index || !matches!(blamed, Some(Command::EnqueueProgram(_))) {
                    return Err(path.error(Rule::NoSuchEnqueue { enqueue: *enqueue }));
                }
                Ok(())
            }
            Failure::QueueRace { first: command, .. }
            | Failure::QueueRace { second: command, .. }
            | Failure::CoreInUseByQueue { enqueue: command, .. }
                if usize::try_from(command.0).unwrap_or(usize::MAX) > index =>
            {
                Err(path.error(Rule::NotEarlier { command: *command }))
            }
            _ => Ok(()),
        }
    }

    fn queue(&self, command: &Command, path: &Path<'_>) -> Result {
        let queues = self.program.num_command_queues;
        match command.queue() {
            Some(queue) if queue.0 >= queues => {
                Err(path.field("queue").error(Rule::NoSuchQueue { queue: queue.0, queues }))
            }
            _ => Ok(()),
        }
    }

    /// The bytes of a region of a buffer; the whole buffer without a region.
    pub(crate) fn region(
        &self,
        region: Option<BufferRegion>,
        buffer: u32,
        done: bool,
        path: &Path<'_>,
    ) -> std::result::Result<u64, CaptureError> {
        let Buffer { size, page_size, .. } = self.objects.buffer(buffer);
        let Some(region) = region else { return Ok(size) };
        if done && !(region.lies_within(size) && region.is_paged(page_size)) {
            let BufferRegion { offset, size: length } = region;
            return Err(path.error(Rule::Region { offset, length, size, page_size }));
        }
        Ok(region.size)
    }

    /// Checks that cores lie in the program's grid, and counts them.
    pub(crate) fn cores(&mut self, cores: &[CoreRange], done: bool, path: &Path<'_>) -> Result {
        self.cores_within(cores, self.program.grid, done, path)
    }

    /// Checks that cores lie in a grid, and counts them.
    pub(crate) fn cores_within(
        &mut self,
        cores: &[CoreRange],
        grid: Grid,
        done: bool,
        path: &Path<'_>,
    ) -> Result {
        self.weigh(cores.len().saturating_mul(16), path)?;
        if done && cores.is_empty() {
            return Err(path.error(Rule::NoCores));
        }
        for (index, range) in cores.iter().enumerate().filter(|_| done) {
            if core_count(&[*range]) == 0 {
                return Err(path.index(index).error(Rule::EmptyRange));
            }
            check_inside(grid, range.end.x, range.end.y, &path.index(index))?;
        }
        self.cores = self.cores.saturating_add(core_count(cores));
        path.at_most("cores in all commands", self.cores, limits::TOTAL_CORES)
    }

    /// Adds bytes that a replay generates or reads back.
    pub(crate) fn moves(&mut self, bytes: u64, path: &Path<'_>) -> Result {
        self.data = self.data.saturating_add(bytes);
        path.at_most("bytes of data in all commands", self.data, limits::TOTAL_DATA_BYTES)
    }
}

/// Checks that a logical core lies in a grid.
pub(crate) fn check_inside(grid: Grid, x: u32, y: u32, path: &Path<'_>) -> Result {
    let Grid { columns, rows } = grid;
    if x >= columns || y >= rows {
        return Err(path.error(Rule::OutsideGrid { x, y, columns, rows }));
    }
    Ok(())
}

/// The cores of a list, counted once per range that contains them; a range that runs backwards contains none.
pub(crate) fn core_count(cores: &[CoreRange]) -> u64 {
    let side = |from: u32, to: u32| {
        u64::from(to).checked_sub(from.into()).map_or(0, |difference| difference + 1)
    };
    cores.iter().fold(0, |sum: u64, range| {
        let columns = side(range.start.x, range.end.x);
        sum.saturating_add(columns.saturating_mul(side(range.start.y, range.end.y)))
    })
}

/// Checks the limits of a list of core ranges.
pub(crate) fn check_core_count(cores: &[CoreRange], path: &Path<'_>) -> Result {
    path.at_most("core ranges", cores.len() as u64, limits::RANGES)?;
    path.at_most("cores", core_count(cores), limits::CORES)
}
