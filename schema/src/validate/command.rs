use std::collections::{HashMap, HashSet};

use hallmark_chip::ChipDescription;

use super::objects::{Buffer, Objects};
use super::traces::Traces;
use super::{shape, text};
use crate::commands;
use crate::error::{CaptureError, Path, Rule};
use crate::limits;
use crate::model::{
    ArgumentRelocation, BufferRegion, BufferType, CircularBufferIndex, Command, CoreArguments,
    CoreRange, Data, Expectation, Failure, Grid, ObjectKind, Outcome, Program, RecordedCommand,
    RelocationKind, Sharding, TraceBuffer,
};

type Result = std::result::Result<(), CaptureError>;

/// Checks commands one after another.
pub(super) struct Checker<'p> {
    program: &'p Program,
    objects: Objects,
    traces: Traces,
    outputs: HashSet<&'p str>,
    /// Names of collected traces, and whether there are bytes of that name.
    collected: HashMap<&'p str, bool>,
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
        shape::shape(&recorded.command, &path)?;
        if done {
            self.queue(&recorded.command, &path)?;
            self.traces.check(&recorded.command, &path)?;
        }
        self.command(&recorded.command, done, &path)?;
        if let Some(trace) = self.traces.after(recorded) {
            self.objects.release(ObjectKind::Trace, trace.0);
        }
        Ok(())
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

    fn command(&mut self, command: &'p Command, done: bool, path: &Path<'_>) -> Result {
        match command {
            Command::CreateBuffer(_) => self.buffer(command, done, path),
            Command::CreateBufferView(commands::CreateBufferView {
                buffer,
                parent,
                region,
                ..
            }) => {
                self.objects.create(ObjectKind::Buffer, buffer.0, done, &path.field("buffer"))?;
                self.objects.memory_used(parent.0, done, &path.field("parent"))?;
                let place = path.field("region");
                let size = self.region(Some(*region), parent.0, done, &place)?;
                let Buffer { page_size, root, shards, .. } = self.objects.buffer(parent.0);
                let root = root.or(Some(parent.0));
                self.objects.buffer_of(Buffer { size, page_size, root, shards });
                Ok(())
            }
            Command::DeallocateBuffer(commands::DeallocateBuffer { buffer }) => {
                self.objects.used(ObjectKind::Buffer, buffer.0, done, &path.field("buffer"))?;
                if done {
                    self.objects.release(ObjectKind::Buffer, buffer.0);
                }
                Ok(())
            }
            Command::CreateProgram(commands::CreateProgram { program, .. }) => {
                let place = path.field("program");
                self.objects.create(ObjectKind::Program, program.0, done, &place)
            }
            Command::CreateKernel(_) => self.kernel(command, done, path),
            Command::SetRuntimeArgs(commands::SetRuntimeArgs { kernel, args }) => {
                self.objects.used(ObjectKind::Kernel, kernel.0, done, &path.field("kernel"))?;
                let path = path.field("args");
                args.iter().enumerate().try_for_each(|(index, set)| {
                    self.arguments(kernel.0, set, done, &path.index(index))
                })
            }
            Command::SetCommonRuntimeArgs(commands::SetCommonRuntimeArgs {
                kernel,
                values,
                relocations,
            }) => {
                self.objects.used(ObjectKind::Kernel, kernel.0, done, &path.field("kernel"))?;
                self.words(values, relocations, done, path)?;
                let counts = self.objects.arguments(kernel.0);
                if !done || values.is_empty() {
                    return Ok(());
                }
                if counts.common > 0 {
                    return Err(path.field("values").error(Rule::CommonArgumentsTwice));
                }
                counts.common = values.len() as u64;
                counts.within_limit(&path.field("values"))
            }
            Command::UpdateCommonRuntimeArgs(commands::UpdateCommonRuntimeArgs {
                kernel,
                first,
                values,
                relocations,
            }) => {
                self.objects.used(ObjectKind::Kernel, kernel.0, done, &path.field("kernel"))?;
                self.words(values, relocations, done, path)?;
                let common = self.objects.arguments(kernel.0).common;
                let end = u64::from(*first).saturating_add(values.len() as u64);
                if done && end > common {
                    let rule = Rule::CommonArgumentOutOfRange { end, values: common };
                    return Err(path.field("values").error(rule));
                }
                Ok(())
            }
            Command::CreateCircularBuffer(commands::CreateCircularBuffer {
                circular_buffer,
                program,
                cores,
                total_size,
                indices,
                globally_allocated_address,
                ..
            }) => {
                self.objects.create(
                    ObjectKind::CircularBuffer,
                    circular_buffer.0,
                    done,
                    &path.field("circular_buffer"),
                )?;
                self.objects.used(ObjectKind::Program, program.0, done, &path.field("program"))?;
                self.cores(cores, done, &path.field("cores"))?;
                if let Some(place) = globally_allocated_address {
                    let path = path.field("globally_allocated_address");
                    let buffer = place.buffer.0;
                    self.objects.memory_used(buffer, done, &path.field("buffer"))?;
                }
                if done {
                    let indices = indices.iter().map(|index| index.index).collect();
                    self.objects.circular_buffer_of(circular_buffer.0, *total_size, indices);
                }
                self.indices(*total_size, indices, done, &path.field("indices"))
            }
            Command::UpdateCircularBufferTotalSize(commands::UpdateCircularBufferTotalSize {
                circular_buffer,
                total_size,
            }) => {
                self.updated(circular_buffer.0, done, path)?;
                self.total_size(circular_buffer.0, *total_size, done, path)
            }
            Command::UpdateCircularBufferPageSize(commands::UpdateCircularBufferPageSize {
                circular_buffer,
                index,
                page_size,
            }) => {
                self.updated(circular_buffer.0, done, path)?;
                match self.objects.circular_buffer(circular_buffer.0) {
                    Some((size, indices)) if done => {
                        if !indices.contains(index) {
                            let rule = Rule::IndexNotConfigured { index: *index };
                            return Err(path.field("index").error(rule));
                        }
                        whole_pages(*size, (*page_size).into(), &path.field("page_size"))
                    }
                    _ => Ok(()),
                }
            }
            Command::UpdateDynamicCircularBufferAddress(
                commands::UpdateDynamicCircularBufferAddress { circular_buffer, buffer, .. },
            ) => {
                self.updated(circular_buffer.0, done, path)?;
                self.objects.memory_used(buffer.0, done, &path.field("buffer"))
            }
            Command::UpdateDynamicCircularBufferAddressAndTotalSize(
                commands::UpdateDynamicCircularBufferAddressAndTotalSize {
                    circular_buffer,
                    buffer,
                    total_size,
                },
            ) => {
                self.updated(circular_buffer.0, done, path)?;
                self.objects.memory_used(buffer.0, done, &path.field("buffer"))?;
                self.total_size(circular_buffer.0, *total_size, done, path)
            }
            Command::CreateSemaphore(commands::CreateSemaphore {
                semaphore,
                program,
                cores,
                ..
            }) => {
                let place = path.field("semaphore");
                self.objects.create(ObjectKind::Semaphore, semaphore.0, done, &place)?;
                self.objects.used(ObjectKind::Program, program.0, done, &path.field("program"))?;
                self.cores(cores, done, &path.field("cores"))
            }
            Command::EnqueueWriteBuffer(commands::EnqueueWriteBuffer {
                buffer,
                data,
                region,
                ..
            }) => {
                self.objects.memory_used(buffer.0, done, &path.field("buffer"))?;
                self.moves(data.length, &path.field("data"))?;
                let size = self.region(*region, buffer.0, done, &path.field("region"))?;
                if done { self.fills(data, size, &path.field("data")) } else { Ok(()) }
            }
            Command::EnqueueReadBuffer(_) => self.read(command, done, path),
            Command::EnqueueProgram(commands::EnqueueProgram { program, .. }) => {
                self.objects.used(ObjectKind::Program, program.0, done, &path.field("program"))
            }
            Command::EnqueueRecordEvent(commands::EnqueueRecordEvent { event, .. }) => {
                self.objects.create(ObjectKind::Event, event.0, done, &path.field("event"))
            }
            Command::EnqueueWaitForEvent(commands::EnqueueWaitForEvent { event, .. })
            | Command::EventSynchronize(commands::EventSynchronize { event })
            | Command::EventQuery(commands::EventQuery { event, .. }) => {
                self.objects.used(ObjectKind::Event, event.0, done, &path.field("event"))
            }
            Command::BeginTraceCapture(commands::BeginTraceCapture { trace, .. }) => {
                self.objects.create(ObjectKind::Trace, trace.0, done, &path.field("trace"))
            }
            Command::EndTraceCapture(commands::EndTraceCapture { trace, .. })
            | Command::ReplayTrace(commands::ReplayTrace { trace, .. })
            | Command::ReleaseTrace(commands::ReleaseTrace { trace }) => {
                self.objects.used(ObjectKind::Trace, trace.0, done, &path.field("trace"))
            }
            Command::CollectTrace(commands::CollectTrace { trace, collected }) => {
                let place = path.field("trace");
                self.objects.used(ObjectKind::Trace, trace.0, done, &place)?;
                if self.collected.insert(collected, done).is_some() {
                    let rule = Rule::CollectedTwice { name: collected.clone() };
                    return Err(path.field("collected").error(rule));
                }
                Ok(())
            }
            Command::LoadTrace(commands::LoadTrace { trace, from, buffers, .. }) => {
                let place = path.field("trace");
                self.objects.create(ObjectKind::Trace, trace.0, done, &place)?;
                if self.collected.get(from.as_str()) != Some(&true) {
                    let rule = Rule::NotCollected { name: from.clone() };
                    return Err(path.field("from").error(rule));
                }
                let path = path.field("buffers");
                self.weigh(buffers.len().saturating_mul(8), &path)?;
                for (index, TraceBuffer { recorded, buffer }) in buffers.iter().enumerate() {
                    let path = path.index(index);
                    let place = path.field("recorded");
                    self.objects.used(ObjectKind::Buffer, recorded.0, false, &place)?;
                    self.objects.memory_used(buffer.0, done, &path.field("buffer"))?;
                }
                Ok(())
            }
            Command::Finish(_) => Ok(()),
        }
    }

    fn buffer(&mut self, command: &'p Command, done: bool, path: &Path<'_>) -> Result {
        let Command::CreateBuffer(commands::CreateBuffer {
            buffer,
            size,
            page_size,
            buffer_type,
            layout,
            shard_spec,
            ..
        }) = command
        else {
            return Ok(());
        };
        self.objects.create(ObjectKind::Buffer, buffer.0, done, &path.field("buffer"))?;
        let shards = shard_spec.as_ref().map_or(0, |spec| shape::core_count(&spec.cores));
        let (size, page_size) = (*size, *page_size);
        self.objects.buffer_of(Buffer { size, page_size, root: None, shards });
        let pages = size.checked_div(page_size).unwrap_or_default();
        let paged = size.checked_rem(page_size) == Some(0);
        if done && !(paged && page_size.is_multiple_of(4)) {
            let rule = Rule::PageSize { size, page_size };
            return Err(path.field("page_size").error(rule));
        }
        let path = path.field("shard_spec");
        if done && layout.is_sharded() != shard_spec.is_some() {
            return Err(path.error(Rule::ShardSpec { reason: "the layout says otherwise" }));
        }
        let Some(spec) = shard_spec else { return Ok(()) };
        let Grid { columns, rows } = match buffer_type {
            BufferType::L1 => self.program.grid,
            BufferType::Dram => {
                let chip = ChipDescription::of(self.program.architecture);
                let banks = chip.dram_banks.len();
                Grid { columns: u32::try_from(banks).unwrap_or(u32::MAX), rows: 1 }
            }
        };
        self.cores_within(&spec.cores, Grid { columns, rows }, done, &path.field("cores"))?;
        if done && Sharding::new(*layout, spec, pages).is_err() {
            let reason = "its shards do not hold the buffer's pages";
            return Err(path.error(Rule::ShardSpec { reason }));
        }
        Ok(())
    }

    /// The bytes of a region of a buffer; all of it where there is none.
    fn region(
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

    fn kernel(&mut self, command: &'p Command, done: bool, path: &Path<'_>) -> Result {
        let Command::CreateKernel(commands::CreateKernel {
            kernel,
            program,
            source,
            cores,
            compile_args,
            defines,
            ..
        }) = command
        else {
            return Ok(());
        };
        self.objects.create(ObjectKind::Kernel, kernel.0, done, &path.field("kernel"))?;
        self.objects.used(ObjectKind::Program, program.0, done, &path.field("program"))?;
        let place = path.field("source");
        let sources = &self.program.sources;
        if done && sources.binary_search_by(|known| known.path.as_str().cmp(source)).is_err() {
            return Err(place.error(Rule::SourceNotListed { path: source.clone() }));
        }
        self.weigh(source.len(), &place)?;
        self.cores(cores, done, &path.field("cores"))?;
        let place = path.field("compile_args");
        self.weigh(compile_args.len().saturating_mul(4), &place)?;
        let place = path.field("defines");
        for (index, (name, value)) in defines.iter().enumerate() {
            let place = place.index(index);
            self.weigh(name.len().saturating_add(value.len()), &place)?;
            if done {
                text::define(name, value, &place)?;
            }
        }
        Ok(())
    }

    fn cores(&mut self, cores: &[CoreRange], done: bool, path: &Path<'_>) -> Result {
        self.cores_within(cores, self.program.grid, done, path)
    }

    fn cores_within(
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
            if shape::core_count(&[*range]) == 0 {
                return Err(path.index(index).error(Rule::EmptyRange));
            }
            inside(grid, range.end.x, range.end.y, &path.index(index))?;
        }
        self.cores = self.cores.saturating_add(shape::core_count(cores));
        path.at_most("cores in all commands", self.cores, limits::TOTAL_CORES)
    }

    fn arguments(
        &mut self,
        kernel: u32,
        set: &CoreArguments,
        done: bool,
        path: &Path<'_>,
    ) -> Result {
        self.cores(&set.cores, done, &path.field("cores"))?;
        if done {
            let counts = self.objects.arguments(kernel);
            counts.unique = counts.unique.max(set.values.len() as u64);
            counts.within_limit(&path.field("values"))?;
        }
        self.words(&set.values, &set.relocations, done, path)
    }

    fn words(
        &mut self,
        values: &[u32],
        relocations: &[ArgumentRelocation],
        done: bool,
        path: &Path<'_>,
    ) -> Result {
        self.weigh(values.len().saturating_mul(4), path)?;
        let path = path.field("relocations");
        self.weigh(relocations.len().saturating_mul(16), &path)?;
        let mut relocations = relocations.iter().enumerate();
        relocations
            .try_for_each(|(at, relocation)| self.relocation(relocation, done, &path.index(at)))
    }

    fn relocation(&self, relocation: &ArgumentRelocation, done: bool, path: &Path<'_>) -> Result {
        let object = relocation.object;
        match relocation.kind {
            RelocationKind::BufferAddress => {
                self.objects.memory_used(object, done, &path.field("object"))
            }
            RelocationKind::ShardBankPair => {
                let path = path.field("object");
                self.objects.memory_used(object, done, &path)?;
                let Buffer { shards, .. } = self.objects.buffer(object);
                if done && u64::from(relocation.offset) >= shards.div_ceil(2) {
                    let shard = u64::from(relocation.offset) * 2;
                    return Err(path.error(Rule::NoShard { shard, shards }));
                }
                Ok(())
            }
            RelocationKind::SemaphoreAddress => {
                self.objects.used(ObjectKind::Semaphore, object, done, &path.field("object"))
            }
            RelocationKind::CoreNocX | RelocationKind::CoreNocY => {
                if !done {
                    return Ok(());
                }
                let grid = self.program.grid;
                inside(grid, object & 0xffff, object >> 16, &path.field("object"))
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
        if !done {
            return Ok(());
        }
        let chip = ChipDescription::of(self.program.architecture);
        let limit = chip.circular_buffers;
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
            whole_pages(total_size, index.page_size.into(), &path.field("page_size"))?;
        }
        if indices.is_empty() { Err(path.error(Rule::NoIndex)) } else { Ok(()) }
    }

    fn updated(&self, circular_buffer: u32, done: bool, path: &Path<'_>) -> Result {
        let place = path.field("circular_buffer");
        self.objects.used(ObjectKind::CircularBuffer, circular_buffer, done, &place)
    }

    /// A new total size need not hold whole pages: a page size may follow.
    fn total_size(
        &mut self,
        circular_buffer: u32,
        size: u64,
        done: bool,
        path: &Path<'_>,
    ) -> Result {
        match self.objects.circular_buffer(circular_buffer) {
            Some((total_size, _)) if done => *total_size = size,
            _ => return Ok(()),
        }
        whole_pages(size, 1, &path.field("total_size"))
    }

    fn moves(&mut self, bytes: u64, path: &Path<'_>) -> Result {
        self.data = self.data.saturating_add(bytes);
        path.at_most("bytes of data in all commands", self.data, limits::TOTAL_DATA_BYTES)
    }

    fn fills(&self, data: &Data, buffer: u64, path: &Path<'_>) -> Result {
        if data.length != buffer {
            return Err(path.error(Rule::DataLength { data: data.length, buffer }));
        }
        Ok(())
    }

    fn read(&mut self, command: &'p Command, done: bool, path: &Path<'_>) -> Result {
        let Command::EnqueueReadBuffer(commands::EnqueueReadBuffer {
            buffer,
            output,
            expectation,
            region,
            ..
        }) = command
        else {
            return Ok(());
        };
        self.objects.memory_used(buffer.0, done, &path.field("buffer"))?;
        let place = path.field("output");
        if !self.outputs.insert(output) {
            return Err(place.error(Rule::OutputTwice { name: output.clone() }));
        }
        let size = self.region(*region, buffer.0, done, &path.field("region"))?;
        if done {
            path.at_most("bytes of data", size, limits::DATA_BYTES)?;
            self.moves(size, path)?;
        }
        if let Expectation::Reference { data, .. } = expectation {
            let path = path.field("expectation");
            let path = path.field("data");
            self.moves(data.length, &path)?;
            if done {
                self.fills(data, size, &path)?;
            }
        }
        Ok(())
    }
}

fn inside(grid: Grid, x: u32, y: u32, path: &Path<'_>) -> Result {
    let Grid { columns, rows } = grid;
    if x >= columns || y >= rows {
        return Err(path.error(Rule::OutsideGrid { x, y, columns, rows }));
    }
    Ok(())
}

fn whole_pages(size: u64, page_size: u64, path: &Path<'_>) -> Result {
    if size == 0 || size.checked_rem(page_size) != Some(0) {
        return Err(path.error(Rule::CircularBufferSize { size, page_size }));
    }
    Ok(())
}
