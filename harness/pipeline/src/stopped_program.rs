//! The program of a stopped device, in the words of its capture: the kernels on its cores, and the names of its
//! objects.

use std::collections::BTreeSet;

use hallmark_chip::{LogicalCore, PhysicalCoordinate, Processor, SourceFrame};
use hallmark_schema::commands;
use hallmark_schema::model::{
    Capture, CircularBufferId, Command, CommandIndex, CoreRange, ObjectKind, Outcome, ProgramId,
};

use super::source_lines;

/// An enqueued program.
pub(super) struct StoppedProgram<'a> {
    pub(super) capture: &'a Capture,
    pub(super) enqueue: CommandIndex,
    created: Option<(ProgramId, &'a str)>,
}

/// A circular buffer in its state when its program is enqueued.
pub(super) struct ProgramCircularBuffer<'a> {
    id: CircularBufferId,
    pub(super) name: &'a str,
    /// Its address on each of its cores. The record contains the initial address, so the address is unknown
    /// after the program has changed the size or place of any circular buffer.
    pub(super) address: Option<u64>,
    /// Bytes on each core.
    pub(super) total_size: u64,
    /// Its indices, each with the bytes of a page.
    pub(super) indices: Vec<(u32, u32)>,
}

/// The circular buffer whose size or place a call changes.
const fn changed_by(command: &Command) -> Option<CircularBufferId> {
    match command {
        Command::UpdateCircularBufferTotalSize(call) => Some(call.circular_buffer),
        Command::UpdateCircularBufferPageSize(call) => Some(call.circular_buffer),
        Command::UpdateDynamicCircularBufferAddress(call) => Some(call.circular_buffer),
        Command::UpdateDynamicCircularBufferAddressAndTotalSize(call) => Some(call.circular_buffer),
        _ => None,
    }
}

impl<'a> ProgramCircularBuffer<'a> {
    fn new(call: &'a commands::CreateCircularBuffer, address: Option<u64>) -> Self {
        Self {
            id: call.circular_buffer,
            name: &call.name,
            address,
            total_size: call.total_size,
            indices: call.indices.iter().map(|index| (index.index, index.page_size)).collect(),
        }
    }

    /// Applies the size that a call sets.
    fn change(&mut self, command: &Command) {
        match command {
            Command::UpdateCircularBufferTotalSize(call) => self.total_size = call.total_size,
            Command::UpdateDynamicCircularBufferAddressAndTotalSize(call) => {
                self.total_size = call.total_size;
            }
            Command::UpdateCircularBufferPageSize(call) => {
                let mut indices = self.indices.iter_mut();
                if let Some(known) = indices.find(|known| known.0 == call.index) {
                    known.1 = call.page_size;
                }
            }
            _ => {}
        }
    }

    /// The number of pages of an index that fit.
    pub(super) fn pages(&self, wanted: u32) -> Option<u64> {
        let (_, page_size) = self.indices.iter().find(|(index, _)| *index == wanted)?;
        self.total_size.checked_div((*page_size).into())
    }
}

/// A semaphore of a program.
pub(super) struct ProgramSemaphore<'a> {
    pub(super) name: &'a str,
    pub(super) initial_value: u32,
}

fn holds(cores: &[CoreRange], core: LogicalCore) -> bool {
    cores.iter().any(|range| range.contains(core))
}

impl<'a> StoppedProgram<'a> {
    /// The program of an enqueue.
    pub(super) fn new(capture: &'a Capture, enqueue: CommandIndex) -> Self {
        Self { capture, enqueue, created: created_by(capture, enqueue) }
    }

    /// "program `loop` (enqueued by command 6)".
    pub(super) fn title(&self) -> String {
        let enqueue = self.enqueue;
        let program = match self.created {
            Some((_, name)) => format!("program `{name}` (enqueued by command {enqueue})"),
            None => format!("the program enqueued by command {enqueue}"),
        };
        match self.trace() {
            Some(trace) => format!("{program} in trace `{trace}`"),
            None => program,
        }
    }

    /// The trace that contains the enqueue.
    fn trace(&self) -> Option<&'a str> {
        let place = usize::try_from(self.enqueue.0).ok()?;
        let commands = &self.capture.program.commands;
        let queue = commands.get(place)?.command.queue()?;
        let before = commands.iter().take(place).rev().filter(|made| made.outcome == Outcome::Done);
        for recorded in before {
            match &recorded.command {
                Command::BeginTraceCapture(commands::BeginTraceCapture {
                    queue: of, name, ..
                }) if *of == queue => {
                    return Some(name);
                }
                Command::EndTraceCapture(commands::EndTraceCapture { queue: of, .. })
                    if *of == queue =>
                {
                    return None;
                }
                _ => {}
            }
        }
        None
    }

    /// The calls that were carried out: a refused one made nothing that could be on a core.
    fn done(&self) -> impl Iterator<Item = &'a Command> + use<'a> {
        let commands = self.capture.program.commands.iter();
        commands.filter(|made| made.outcome == Outcome::Done).map(|made| &made.command)
    }

    pub(super) fn logical(&self, tile: PhysicalCoordinate) -> Option<LogicalCore> {
        self.capture.chip().logical(tile)
    }

    /// A core's name for people: its logical coordinate if it has one.
    pub(super) fn core_name(&self, tile: PhysicalCoordinate) -> String {
        self.logical(tile).map_or_else(|| format!("tile {tile}"), |core| core.to_string())
    }

    /// The same of a tile.
    pub(super) fn kernel_on(
        &self,
        tile: PhysicalCoordinate,
        processor: Processor,
    ) -> Option<(&'a str, &'a str)> {
        self.kernel_on_core(self.logical(tile)?, processor)
    }

    /// Name and source of the program's kernel on a processor of a core.
    pub(super) fn kernel_on_core(
        &self,
        core: LogicalCore,
        processor: Processor,
    ) -> Option<(&'a str, &'a str)> {
        let (wanted, _) = self.created?;
        self.done().find_map(|command| match command {
            Command::CreateKernel(commands::CreateKernel {
                name,
                program,
                source,
                cores,
                config,
                ..
            }) if *program == wanted
                && holds(cores, core)
                && config.processors().contains(&processor) =>
            {
                let file = source.rsplit('/').next().unwrap_or(source);
                Some((name.as_str(), file))
            }
            _ => None,
        })
    }

    /// " in kernel_main of `copy`, dram_loopback.cpp:14: `noc_async_read_barrier();`", as far as known; without
    /// a line " in kernel_main of `copy` (dram_loopback.cpp)".
    pub(super) fn function(
        &self,
        tile: PhysicalCoordinate,
        processor: Processor,
        symbol: Option<&str>,
        frames: &[SourceFrame],
    ) -> String {
        let symbol = symbol.map(|symbol| format!(" in {symbol}")).unwrap_or_default();
        let line = source_lines::outermost(self.capture, frames);
        let kernel = self.kernel_on(tile, processor).map(|(name, file)| {
            let name =
                if symbol.is_empty() { format!(" in `{name}`") } else { format!(" of `{name}`") };
            if line.is_some() { name } else { format!("{name} ({file})") }
        });
        let line = line.map(|line| format!(", {line}"));
        format!("{symbol}{}{}", kernel.unwrap_or_default(), line.unwrap_or_default())
    }

    /// The name given by the host program.
    pub(super) fn own_name(&self) -> Option<String> {
        self.created.map(|(_, name)| name.to_owned())
    }

    /// "program `loop`".
    pub(super) fn name(&self) -> Option<String> {
        self.created.map(|(_, name)| format!("program `{name}`"))
    }

    /// The circular buffer with an index on a core.
    pub(super) fn circular_buffer(
        &self,
        tile: PhysicalCoordinate,
        wanted: u32,
    ) -> Option<ProgramCircularBuffer<'a>> {
        let has = |buffer: &ProgramCircularBuffer<'_>| buffer.pages(wanted).is_some();
        self.circular_buffers(tile).into_iter().find(has)
    }

    /// The circular buffers on a core.
    pub(super) fn circular_buffers(
        &self,
        tile: PhysicalCoordinate,
    ) -> Vec<ProgramCircularBuffer<'a>> {
        let (Some((owner, _)), Some(core)) = (self.created, self.logical(tile)) else {
            return Vec::new();
        };
        let mut all: Vec<ProgramCircularBuffer<'a>> = Vec::new();
        let mut of_program: BTreeSet<CircularBufferId> = BTreeSet::new();
        let mut is_changed = false;
        let before = usize::try_from(self.enqueue.0).unwrap_or(usize::MAX);
        let made = self.capture.program.commands.iter().take(before);
        for recorded in made.filter(|made| made.outcome == Outcome::Done) {
            if let Command::CreateCircularBuffer(call) = &recorded.command
                && call.program == owner
            {
                of_program.insert(call.circular_buffer);
                if holds(&call.cores, core) {
                    let address = self.address(ObjectKind::CircularBuffer, call.circular_buffer.0);
                    all.push(ProgramCircularBuffer::new(call, address));
                }
            }
            if let Some(changed) = changed_by(&recorded.command) {
                is_changed |= of_program.contains(&changed);
                if let Some(buffer) = all.iter_mut().find(|buffer| buffer.id == changed) {
                    buffer.change(&recorded.command);
                }
            }
        }
        if is_changed {
            all.iter_mut().for_each(|buffer| buffer.address = None);
        }
        all
    }

    /// The address of an object in the record.
    fn address(&self, object: ObjectKind, id: u32) -> Option<u64> {
        let addresses = &self.capture.record.as_ref()?.addresses;
        let known = addresses.iter().find(|known| known.object == object && known.id == id);
        known.map(|known| known.address)
    }

    /// The semaphore at an address of a core.
    pub(super) fn semaphore(
        &self,
        tile: PhysicalCoordinate,
        address: u64,
    ) -> Option<ProgramSemaphore<'a>> {
        let (owner, _) = self.created?;
        let core = self.logical(tile)?;
        self.done().find_map(|command| match command {
            Command::CreateSemaphore(commands::CreateSemaphore {
                semaphore,
                name,
                program,
                cores,
                initial_value,
            }) if *program == owner && holds(cores, core) => {
                let there = self.address(ObjectKind::Semaphore, semaphore.0);
                let semaphore = ProgramSemaphore { name, initial_value: *initial_value };
                (there == Some(address)).then_some(semaphore)
            }
            _ => None,
        })
    }
}

/// The program of an enqueue, with its name.
fn created_by(capture: &Capture, enqueue: CommandIndex) -> Option<(ProgramId, &str)> {
    let commands = &capture.program.commands;
    let recorded = commands.get(usize::try_from(enqueue.0).ok()?)?;
    let Command::EnqueueProgram(commands::EnqueueProgram { program: wanted, .. }) =
        recorded.command
    else {
        return None;
    };
    commands.iter().find_map(|recorded| match &recorded.command {
        Command::CreateProgram(commands::CreateProgram { program, name }) if *program == wanted => {
            Some((wanted, name.as_str()))
        }
        _ => None,
    })
}
