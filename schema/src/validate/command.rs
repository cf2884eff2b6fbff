use std::collections::HashSet;

use hallmark_chip::Architecture;

use super::objects::Objects;
use super::text;
use crate::error::{CaptureError, Path, Rule};
use crate::limits;
use crate::model::{
    ArgumentRelocation, CircularBufferIndex, Command, CoreArguments, CoreRange, Data, Expectation,
    Failure, Grid, ObjectKind, Outcome, Program, RecordedCommand, RelocationKind,
};

type Result = std::result::Result<(), CaptureError>;

/// Checks commands one after another.
pub(super) struct Checker<'p> {
    program: &'p Program,
    objects: Objects,
    outputs: HashSet<&'p str>,
    /// Bytes that a replay makes or reads back, so far.
    data: u64,
    /// Cores named so far.
    cores: u64,
    /// No more than the bytes of the program part so far; keeps the writer within its limits.
    weight: u64,
}

impl<'p> Checker<'p> {
    pub(super) fn new(program: &'p Program) -> Self {
        Self {
            program,
            objects: Objects::default(),
            outputs: HashSet::new(),
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
        self.command(&recorded.command, done, &path.field(recorded.command.kind().name()))
    }

    fn weigh(&mut self, bytes: usize, path: &Path<'_>) -> Result {
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
                // A call that waits for what it enqueues may blame itself.
                if at > index || !matches!(blamed, Some(Command::EnqueueProgram { .. })) {
                    return Err(path.error(Rule::NoSuchEnqueue { enqueue: *enqueue }));
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn command(&mut self, command: &'p Command, done: bool, path: &Path<'_>) -> Result {
        match command {
            Command::CreateBuffer { buffer, name, size, page_size, .. } => {
                self.objects.create(ObjectKind::Buffer, buffer.0, done, &path.field("buffer"))?;
                self.objects.buffer_of(*size);
                text::object_name(name, &path.field("name"))?;
                let paged = size.checked_rem(*page_size) == Some(0);
                if done && !(paged && page_size.is_multiple_of(4)) {
                    let rule = Rule::PageSize { size: *size, page_size: *page_size };
                    return Err(path.field("page_size").error(rule));
                }
                Ok(())
            }
            Command::DeallocateBuffer { buffer } => {
                self.objects.used(ObjectKind::Buffer, buffer.0, done, &path.field("buffer"))?;
                if done {
                    self.objects.release(ObjectKind::Buffer, buffer.0);
                }
                Ok(())
            }
            Command::CreateProgram { program, name } => {
                let place = path.field("program");
                self.objects.create(ObjectKind::Program, program.0, done, &place)?;
                text::object_name(name, &path.field("name"))
            }
            Command::CreateKernel { .. } => self.kernel(command, done, path),
            Command::SetRuntimeArgs { kernel, args } => {
                self.objects.used(ObjectKind::Kernel, kernel.0, done, &path.field("kernel"))?;
                let path = path.field("args");
                path.at_most("argument sets", args.len() as u64, limits::ARGUMENT_SETS)?;
                args.iter()
                    .enumerate()
                    .try_for_each(|(index, set)| self.arguments(set, done, &path.index(index)))
            }
            Command::CreateCircularBuffer {
                circular_buffer,
                name,
                program,
                cores,
                total_size,
                indices,
            } => {
                self.objects.create(
                    ObjectKind::CircularBuffer,
                    circular_buffer.0,
                    done,
                    &path.field("circular_buffer"),
                )?;
                text::object_name(name, &path.field("name"))?;
                self.objects.used(ObjectKind::Program, program.0, done, &path.field("program"))?;
                self.cores(cores, done, &path.field("cores"))?;
                self.indices(*total_size, indices, done, &path.field("indices"))
            }
            Command::CreateSemaphore { semaphore, name, program, cores, .. } => {
                let place = path.field("semaphore");
                self.objects.create(ObjectKind::Semaphore, semaphore.0, done, &place)?;
                text::object_name(name, &path.field("name"))?;
                self.objects.used(ObjectKind::Program, program.0, done, &path.field("program"))?;
                self.cores(cores, done, &path.field("cores"))
            }
            Command::EnqueueWriteBuffer { buffer, data, .. } => {
                self.objects.used(ObjectKind::Buffer, buffer.0, done, &path.field("buffer"))?;
                self.data(data, &path.field("data"))?;
                if done { self.fills(data, buffer.0, &path.field("data")) } else { Ok(()) }
            }
            Command::EnqueueReadBuffer { .. } => self.read(command, done, path),
            Command::EnqueueProgram { program, .. } => {
                self.objects.used(ObjectKind::Program, program.0, done, &path.field("program"))
            }
            Command::Finish { .. } => Ok(()),
        }
    }

    fn kernel(&mut self, command: &'p Command, done: bool, path: &Path<'_>) -> Result {
        let Command::CreateKernel {
            kernel,
            name,
            program,
            source,
            cores,
            compile_args,
            defines,
            ..
        } = command
        else {
            return Ok(());
        };
        self.objects.create(ObjectKind::Kernel, kernel.0, done, &path.field("kernel"))?;
        text::object_name(name, &path.field("name"))?;
        self.objects.used(ObjectKind::Program, program.0, done, &path.field("program"))?;
        let place = path.field("source");
        place.at_most("bytes of a path", source.len() as u64, limits::PATH_BYTES as u64)?;
        let sources = &self.program.sources;
        if done && sources.binary_search_by(|known| known.path.as_str().cmp(source)).is_err() {
            return Err(place.error(Rule::SourceNotListed { path: source.clone() }));
        }
        self.weigh(source.len(), &place)?;
        self.cores(cores, done, &path.field("cores"))?;
        let place = path.field("compile_args");
        let count = compile_args.len();
        place.at_most("compile-time arguments", count as u64, limits::COMPILE_ARGUMENTS)?;
        self.weigh(count.saturating_mul(4), &place)?;
        let place = path.field("defines");
        place.at_most("definitions", defines.len() as u64, limits::DEFINES)?;
        for (index, (name, value)) in defines.iter().enumerate() {
            let place = place.index(index);
            place.at_most("bytes of a name", name.len() as u64, limits::TEXT_BYTES as u64)?;
            place.at_most("bytes of a value", value.len() as u64, limits::DEFINE_BYTES as u64)?;
            self.weigh(name.len().saturating_add(value.len()), &place)?;
            if done {
                text::define(name, value, &place)?;
            }
        }
        Ok(())
    }

    fn cores(&mut self, cores: &[CoreRange], done: bool, path: &Path<'_>) -> Result {
        path.at_most("core ranges", cores.len() as u64, limits::RANGES)?;
        self.weigh(cores.len().saturating_mul(16), path)?;
        if done && cores.is_empty() {
            return Err(path.error(Rule::NoCores));
        }
        let mut total = 0_u64;
        for (index, range) in cores.iter().enumerate() {
            let side = |from: u32, to: u32| {
                u64::from(to).checked_sub(from.into()).map_or(0, |difference| difference + 1)
            };
            let columns = side(range.start.x, range.end.x);
            let area = columns.saturating_mul(side(range.start.y, range.end.y));
            total = total.saturating_add(area);
            if !done {
                continue;
            }
            if area == 0 {
                return Err(path.index(index).error(Rule::EmptyRange));
            }
            self.inside(range.end.x, range.end.y, &path.index(index))?;
        }
        path.at_most("cores", total, limits::CORES)?;
        self.cores = self.cores.saturating_add(total);
        path.at_most("cores in all commands", self.cores, limits::TOTAL_CORES)
    }

    fn inside(&self, x: u32, y: u32, path: &Path<'_>) -> Result {
        let Grid { columns, rows } = self.program.grid;
        if x >= columns || y >= rows {
            return Err(path.error(Rule::OutsideGrid { x, y, columns, rows }));
        }
        Ok(())
    }

    fn arguments(&mut self, set: &CoreArguments, done: bool, path: &Path<'_>) -> Result {
        self.cores(&set.cores, done, &path.field("cores"))?;
        let limit = if done { limits::RUNTIME_ARGUMENTS } else { limits::ARGUMENT_WORDS };
        path.field("values").at_most("argument words", set.values.len() as u64, limit)?;
        self.weigh(set.values.len().saturating_mul(4), path)?;
        let path = path.field("relocations");
        path.at_most("relocations", set.relocations.len() as u64, limits::ARGUMENT_WORDS)?;
        self.weigh(set.relocations.len().saturating_mul(16), &path)?;
        let mut before = None;
        for (at, relocation) in set.relocations.iter().enumerate() {
            let path = path.index(at);
            // The list must be well-formed whatever became of the call: the host program chose the
            // arguments, the recorder made the list.
            if let Some(rule) = misplaced(before, relocation, &set.values) {
                return Err(path.error(rule));
            }
            before = Some(relocation.index);
            self.relocation(relocation, done, &path)?;
        }
        Ok(())
    }

    fn relocation(&self, relocation: &ArgumentRelocation, done: bool, path: &Path<'_>) -> Result {
        let object = relocation.object;
        match relocation.kind {
            RelocationKind::BufferAddress => {
                self.objects.used(ObjectKind::Buffer, object, done, &path.field("object"))
            }
            RelocationKind::SemaphoreAddress => {
                self.objects.used(ObjectKind::Semaphore, object, done, &path.field("object"))
            }
            RelocationKind::CoreNocX | RelocationKind::CoreNocY => {
                if relocation.offset != 0 {
                    let rule = Rule::CoordinateOffset { offset: relocation.offset };
                    return Err(path.field("offset").error(rule));
                }
                if done {
                    self.inside(object & 0xffff, object >> 16, &path.field("object"))?;
                }
                Ok(())
            }
        }
    }

    fn indices(
        &mut self,
        total_size: u64,
        indices: &[CircularBufferIndex],
        done: bool,
        path: &Path<'_>,
    ) -> Result {
        let count = indices.len() as u64;
        path.at_most("indices", count, limits::CIRCULAR_BUFFER_INDICES)?;
        if !done {
            return Ok(());
        }
        let limit = match self.program.architecture {
            Architecture::Grayskull | Architecture::WormholeB0 => 32,
            Architecture::Blackhole => 64,
        };
        let mut before = None;
        for (at, index) in indices.iter().enumerate() {
            let path = path.index(at);
            if index.index >= limit {
                let rule = Rule::CircularBufferIndex { index: index.index, limit };
                return Err(path.field("index").error(rule));
            }
            if before.is_some_and(|before| before >= index.index) {
                return Err(path.error(Rule::NotAscending));
            }
            before = Some(index.index);
            let page_size = index.page_size.into();
            if total_size == 0 || total_size.checked_rem(page_size) != Some(0) {
                let rule = Rule::CircularBufferSize { size: total_size, page_size };
                return Err(path.field("page_size").error(rule));
            }
        }
        if indices.is_empty() { Err(path.error(Rule::NoIndex)) } else { Ok(()) }
    }

    fn data(&mut self, data: &Data, path: &Path<'_>) -> Result {
        path.field("length").at_most("bytes of data", data.length, limits::DATA_BYTES)?;
        self.moves(data.length, path)?;
        if let Some(generator) = &data.generator {
            generator
                .check(data.length)
                .map_err(|reason| path.field("generator").error(Rule::Generator { reason }))?;
        }
        Ok(())
    }

    fn moves(&mut self, bytes: u64, path: &Path<'_>) -> Result {
        self.data = self.data.saturating_add(bytes);
        path.at_most("bytes of data in all commands", self.data, limits::TOTAL_DATA_BYTES)
    }

    fn fills(&self, data: &Data, buffer: u32, path: &Path<'_>) -> Result {
        let buffer = self.objects.size(buffer);
        if data.length != buffer {
            return Err(path.error(Rule::DataLength { data: data.length, buffer }));
        }
        Ok(())
    }

    fn read(&mut self, command: &'p Command, done: bool, path: &Path<'_>) -> Result {
        let Command::EnqueueReadBuffer { buffer, output, expectation, .. } = command else {
            return Ok(());
        };
        self.objects.used(ObjectKind::Buffer, buffer.0, done, &path.field("buffer"))?;
        let place = path.field("output");
        text::name(output, &place)?;
        if !self.outputs.insert(output) {
            return Err(place.error(Rule::OutputTwice { name: output.clone() }));
        }
        if done {
            let size = self.objects.size(buffer.0);
            path.at_most("bytes of data", size, limits::DATA_BYTES)?;
            self.moves(size, path)?;
        }
        let path = path.field("expectation");
        match expectation {
            Expectation::AsCaptured | Expectation::Exact { .. } => Ok(()),
            Expectation::Reference { data, tolerance } => {
                self.data(data, &path.field("data"))?;
                if done {
                    self.fills(data, buffer.0, &path.field("data"))?;
                }
                text::reason(&tolerance.reason, &path.field("tolerance").field("reason"))
            }
            Expectation::Unchecked { reason } => text::reason(reason, &path.field("reason")),
        }
    }
}

/// What is wrong with a relocation's place among the arguments.
fn misplaced(before: Option<u32>, relocation: &ArgumentRelocation, values: &[u32]) -> Option<Rule> {
    let index = relocation.index;
    if before.is_some_and(|before| before >= index) {
        return Some(Rule::NotAscending);
    }
    match usize::try_from(index).ok().and_then(|at| values.get(at)) {
        None => Some(Rule::RelocationOutOfRange { index, values: values.len() as u64 }),
        Some(0) => None,
        Some(&value) => Some(Rule::RelocatedWordNotZero { index, value }),
    }
}
