//! The program that a device worked on when it stopped, in the words of its capture: which kernel runs
//! where, and how its objects are called.

use hallmark_chip::{LogicalCore, PhysicalCoordinate, Processor, SourceFrame};
use hallmark_schema::commands;
use hallmark_schema::model::{
    Capture, Command, CommandIndex, CoreRange, ObjectKind, Outcome, ProgramId,
};

use super::source_lines;

/// A program that was enqueued.
pub(super) struct StoppedProgram<'a> {
    pub(super) capture: &'a Capture,
    enqueue: CommandIndex,
    created: Option<(ProgramId, &'a str)>,
}

/// A circular buffer as its program has it.
pub(super) struct ProgramCircularBuffer<'a> {
    pub(super) name: &'a str,
    /// The pages that it has room for.
    pub(super) pages: u64,
}

/// A semaphore as its program has it.
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

    /// The trace that the enqueue is a part of.
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

    pub(super) fn logical(&self, tile: PhysicalCoordinate) -> Option<LogicalCore> {
        self.capture.chip().logical(tile)
    }

    /// A core as people know it: logical where it is one.
    pub(super) fn core_name(&self, tile: PhysicalCoordinate) -> String {
        self.logical(tile).map_or_else(|| format!("tile {tile}"), |core| core.to_string())
    }

    /// Name and source of the kernel that the program runs on a processor of a core.
    pub(super) fn kernel_on(
        &self,
        tile: PhysicalCoordinate,
        processor: Processor,
    ) -> Option<(&'a str, &'a str)> {
        let (wanted, _) = self.created?;
        let core = self.logical(tile)?;
        self.capture.program.commands.iter().find_map(|recorded| match &recorded.command {
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

    /// " in kernel_main of `copy`, dram_loopback.cpp:14: `noc_async_read_barrier();`", as far as it is known; without a
    /// line " in kernel_main of `copy` (dram_loopback.cpp)".
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

    /// The circular buffer with an index on a core.
    pub(super) fn circular_buffer(
        &self,
        tile: PhysicalCoordinate,
        wanted: u32,
    ) -> Option<ProgramCircularBuffer<'a>> {
        let (owner, _) = self.created?;
        let core = self.logical(tile)?;
        self.capture.program.commands.iter().find_map(|recorded| match &recorded.command {
            Command::CreateCircularBuffer(commands::CreateCircularBuffer {
                name,
                program,
                cores,
                total_size,
                indices,
                ..
            }) if *program == owner && holds(cores, core) => {
                let index = indices.iter().find(|index| index.index == wanted)?;
                let pages = total_size.checked_div(index.page_size.into())?;
                Some(ProgramCircularBuffer { name, pages })
            }
            _ => None,
        })
    }

    /// The semaphore at an address of a core.
    pub(super) fn semaphore(
        &self,
        tile: PhysicalCoordinate,
        address: u64,
    ) -> Option<ProgramSemaphore<'a>> {
        let (owner, _) = self.created?;
        let core = self.logical(tile)?;
        let addresses = &self.capture.record.as_ref()?.addresses;
        self.capture.program.commands.iter().find_map(|recorded| match &recorded.command {
            Command::CreateSemaphore(commands::CreateSemaphore {
                semaphore,
                name,
                program,
                cores,
                initial_value,
            }) if *program == owner && holds(cores, core) => {
                let lies_there = addresses.iter().any(|assigned| {
                    assigned.object == ObjectKind::Semaphore
                        && assigned.id == semaphore.0
                        && assigned.address == address
                });
                let semaphore = ProgramSemaphore { name, initial_value: *initial_value };
                lies_there.then_some(semaphore)
            }
            _ => None,
        })
    }
}

/// The program that an enqueue started, with its name.
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
