//! What queues are given: writes, reads and programs with their arguments as they are then.

use std::collections::BTreeMap;
use std::sync::Arc;

use hallmark_chip::LogicalCore;
use hallmark_engine::CompletedRead;
use hallmark_engine::addresses::BufferExtent;
use hallmark_engine::launch::{KernelLaunch, ProgramLaunch, SemaphoreLaunch, TileLaunch};
use hallmark_engine::work::{Work, WorkItem};
use hallmark_schema::commands::{Command, EnqueueProgram, EnqueueReadBuffer, EnqueueWriteBuffer};
use hallmark_schema::limits;
use hallmark_schema::model::{
    ArgumentRelocation, BufferId, BufferRegion, CommandIndex, CommandKind, ContentHash,
    CoreArguments, Data, Expectation, Failure, ProgramId, QueueId,
};

use super::buffers::part_of;
use super::call::Perform;
use super::states::{Assembled, BufferState, CircularBufferLayout};
use super::types::{Buffer, CommandQueue, Program, Read, WriteData};
use super::{Device, Host};
use crate::InternalError;
use crate::defects::{Defect, planted};
use crate::error::{CallError, HostError};
use crate::payload::{Input, Payload};

/// What a write or read touches.
#[derive(Clone, Copy)]
pub(super) struct WholeOrPart {
    pub(super) buffer: BufferId,
    /// All of it if `None`.
    pub(super) region: Option<BufferRegion>,
}

/// A core's own arguments, and what of them stands for something else.
type OwnWords = (Arc<[u32]>, Arc<[ArgumentRelocation]>);

impl Host {
    pub(super) fn check_queue(&self, queue: QueueId) -> Result<(), Failure> {
        let (index, limit) = (u32::from(queue.0), u32::from(self.num_command_queues));
        if index >= limit {
            return Err(Failure::UnknownQueue { index, limit });
        }
        Ok(())
    }

    pub(super) fn check_present(&self, call: CommandKind) -> Result<(), HostError> {
        match &self.stop {
            None => Ok(()),
            Some(stop) => Err(HostError::new(call, Failure::DeviceLost {})
                .detail(format!("command {}: {stop}", stop.command))),
        }
    }

    /// Gives a queue a command.
    pub(super) fn enqueue(&mut self, queue: QueueId, command: CommandIndex, work: Work) {
        let (position, before) = self.order.enqueued(queue);
        self.work.push(WorkItem::Enqueue { command, position, before, work });
    }

    /// What a program's launch needs: what the last one had, unless something it depends on has changed.
    fn assembled(
        &mut self,
        program: ProgramId,
        layout: &CircularBufferLayout,
    ) -> Result<Arc<ProgramLaunch>, HostError> {
        let fail = |failure| HostError::new(CommandKind::EnqueueProgram, failure);
        let released = self.objects.buffers.released();
        let state = self.objects.programs.get(program.0).map_err(fail)?;
        let known = state.assembled.as_ref().filter(|known| known.released == released);
        if let Some(Assembled { launch, .. }) = known {
            return Ok(Arc::clone(launch));
        }
        let launch = Arc::new(self.assemble(program, layout).map_err(fail)?);
        self.check_kernel_config(&launch)
            .map_err(|(failure, detail)| fail(failure).detail(detail))?;
        let state = self.objects.programs.get_mut(program.0).map_err(fail)?;
        state.assembled = Some(Assembled { launch: Arc::clone(&launch), released });
        Ok(launch)
    }

    /// Something changes that launches of a program depend on.
    pub(super) fn assemble_anew(&mut self, program: ProgramId) {
        if let Ok(state) = self.objects.programs.get_mut(program.0)
            && !planted(Defect::ChangedArgumentsNotSent)
        {
            state.assembled = None;
        }
    }

    /// Everything that a launch needs, with addresses filled in: later calls do not change it.
    fn assemble(
        &self,
        program: ProgramId,
        layout: &CircularBufferLayout,
    ) -> Result<ProgramLaunch, Failure> {
        let state = self.objects.programs.get(program.0)?;
        let mut tiles: BTreeMap<LogicalCore, TileLaunch> = BTreeMap::new();
        for &id in &state.kernels {
            let kernel = self.objects.kernels.get(id.0)?;
            let common = &kernel.common_arguments;
            let common_relocations: Arc<[ArgumentRelocation]> = common.relocations.clone().into();
            let common: Arc<[u32]> =
                self.resolve_arguments(program, &common.values, &common.relocations)?.into();
            let none: Arc<[ArgumentRelocation]> = Arc::from([]);
            // One vector is often shared by all cores.
            let mut last: Option<(*const CoreArguments, OwnWords)> = None;
            for &core in &kernel.cores {
                let of_core = if planted(Defect::ArgumentsOfTheFirstCore) {
                    kernel.arguments.values().next()
                } else {
                    kernel.arguments.get(&core)
                };
                let (arguments, relocations): OwnWords = match of_core {
                    None => (Arc::from([]), Arc::clone(&none)),
                    Some(entry) => match &last {
                        Some((same, words)) if *same == Arc::as_ptr(entry) => words.clone(),
                        _ => {
                            let CoreArguments { values, relocations, .. } = &**entry;
                            let resolved = self.resolve_arguments(program, values, relocations)?;
                            let words: OwnWords = (resolved.into(), relocations.clone().into());
                            last = Some((Arc::as_ptr(entry), words.clone()));
                            words
                        }
                    },
                };
                let tile = match tiles.entry(core) {
                    std::collections::btree_map::Entry::Occupied(tile) => tile.into_mut(),
                    std::collections::btree_map::Entry::Vacant(place) => {
                        place.insert(TileLaunch::new(core, self.noc_coordinate(core)?))
                    }
                };
                let (images, common) = (kernel.images.clone(), Arc::clone(&common));
                let relocations = [relocations, Arc::clone(&common_relocations)];
                tile.kernels.push(KernelLaunch { images, arguments, common, relocations });
            }
        }
        for &id in &state.semaphores {
            let semaphore = self.objects.semaphores.get(id.0)?;
            for core in &semaphore.cores {
                if let Some(tile) = tiles.get_mut(core) {
                    let (number, initial_value) = (semaphore.number, semaphore.initial_value);
                    tile.semaphores.push(SemaphoreLaunch { number, initial_value });
                }
            }
        }
        self.assemble_circular_buffers(state, layout, &mut tiles)?;
        Ok(ProgramLaunch::new(program, tiles.into_values().collect()))
    }

    pub(super) fn check_kernel_config(
        &self,
        launch: &ProgramLaunch,
    ) -> Result<(), (Failure, String)> {
        let region = self.firmware.memory().kernel_config;
        let limit = region.size();
        for tile in &launch.tiles {
            let needed = tile.needed(self.firmware.limits().semaphores);
            if needed > u64::from(limit) {
                let (program, core) = (launch.program, tile.core);
                let failure = Failure::KernelConfigTooLarge { program, core };
                let text: Vec<String> = tile
                    .images()
                    .map(|(_, processor, image)| format!("{processor} {} B", image.size()))
                    .collect();
                let text = text.join(", ");
                let detail = format!("{needed} B of {limit} B, of which kernels: {text}");
                return Err((failure, detail));
            }
        }
        Ok(())
    }

    /// Where a semaphore lies in L1: the same for all programs, at the start of the region that
    /// firmware leaves to launches.
    pub(super) fn semaphore_l1_address(&self, number: u32) -> u32 {
        let stride = crate::device_code::SEMAPHORE_STRIDE;
        self.firmware.memory().kernel_config.start.wrapping_add(number.wrapping_mul(stride))
    }
}

impl Device {
    /// `EnqueueWriteBuffer`: fills a buffer. The data is copied at the call.
    ///
    /// # Errors
    /// [`Failure::UnknownQueue`], [`Failure::UnknownObject`], [`Failure::ReleasedObject`],
    /// [`Failure::DataLengthMismatch`], [`Failure::DeviceLost`]; a blocking call also what
    /// [`Device::finish`] meets.
    pub fn enqueue_write_buffer<'a>(
        &mut self,
        queue: CommandQueue,
        buffer: Buffer,
        data: impl Into<WriteData<'a>>,
        blocking: bool,
    ) -> Result<(), CallError> {
        self.enqueue_write(queue, buffer, data.into(), None, blocking)
    }

    /// `EnqueueWriteSubBuffer`: fills a region of a buffer. The data is copied at the call.
    ///
    /// # Errors
    /// As [`Device::enqueue_write_buffer`], and [`Failure::RegionNotPageMultiple`],
    /// [`Failure::RegionOutsideBuffer`].
    pub fn enqueue_write_sub_buffer<'a>(
        &mut self,
        queue: CommandQueue,
        buffer: Buffer,
        data: impl Into<WriteData<'a>>,
        region: BufferRegion,
        blocking: bool,
    ) -> Result<(), CallError> {
        self.enqueue_write(queue, buffer, data.into(), Some(region), blocking)
    }

    fn enqueue_write(
        &mut self,
        queue: CommandQueue,
        buffer: Buffer,
        data: WriteData<'_>,
        region: Option<BufferRegion>,
        blocking: bool,
    ) -> Result<(), CallError> {
        let (data, payload) = match data {
            WriteData::Bytes(bytes) => {
                let data = Data {
                    length: bytes.len() as u64,
                    hash: ContentHash::of(bytes),
                    generator: None,
                };
                (data, Payload::Bytes(bytes.into()))
            }
            WriteData::Generated { generator, length } => {
                let fits = length <= limits::DATA_BYTES && generator.check(length).is_ok();
                // What does not fit is refused before it is made.
                let hash = if fits { generator.hash(length) } else { ContentHash([0; 32]) };
                let data = Data { length, hash, generator: Some(generator) };
                (data, Payload::Generated { generator, length })
            }
        };
        let (queue, buffer) = (queue.id(), buffer.id());
        let command = Command::EnqueueWriteBuffer(EnqueueWriteBuffer {
            queue,
            buffer,
            data,
            blocking,
            region,
        });
        self.call(command, Input::Data(payload))
    }

    /// `EnqueueReadBuffer`: reads a whole buffer. [`Device::take_read`] hands out what came back once
    /// the call, if blocking, or a later synchronizing call has returned.
    ///
    /// `output` names what comes back, each name once; `expectation` says what a replay checks it
    /// against.
    ///
    /// # Errors
    /// [`Failure::UnknownQueue`], [`Failure::UnknownObject`], [`Failure::ReleasedObject`],
    /// [`Failure::DeviceLost`]; a blocking call also what
    /// [`Device::finish`] meets.
    pub fn enqueue_read_buffer(
        &mut self,
        queue: CommandQueue,
        buffer: Buffer,
        output: &str,
        expectation: Expectation,
        blocking: bool,
    ) -> Result<Read, CallError> {
        self.enqueue_read(queue, buffer, output, expectation, None, blocking)
    }

    /// `EnqueueReadSubBuffer`: reads a region of a buffer.
    ///
    /// # Errors
    /// As [`Device::enqueue_read_buffer`], and [`Failure::RegionNotPageMultiple`],
    /// [`Failure::RegionOutsideBuffer`].
    pub fn enqueue_read_sub_buffer(
        &mut self,
        queue: CommandQueue,
        buffer: Buffer,
        output: &str,
        expectation: Expectation,
        region: BufferRegion,
        blocking: bool,
    ) -> Result<Read, CallError> {
        self.enqueue_read(queue, buffer, output, expectation, Some(region), blocking)
    }

    fn enqueue_read(
        &mut self,
        queue: CommandQueue,
        buffer: Buffer,
        output: &str,
        expectation: Expectation,
        region: Option<BufferRegion>,
        blocking: bool,
    ) -> Result<Read, CallError> {
        let read = Read { command: self.next_command() };
        let command = Command::EnqueueReadBuffer(EnqueueReadBuffer {
            queue: queue.id(),
            buffer: buffer.id(),
            output: output.to_owned(),
            blocking,
            expectation,
            region,
        });
        self.call(command, Input::Nothing)?;
        Ok(read)
    }

    /// What a read returned, once; `None` if it has not completed or was taken.
    pub fn take_read(&mut self, read: Read) -> Option<CompletedRead> {
        self.host.reads.remove(&read.command())
    }

    /// Every read that completed and was not taken, in the order of the calls.
    pub fn take_reads(&mut self) -> Vec<CompletedRead> {
        std::mem::take(&mut self.host.reads).into_values().collect()
    }

    /// `EnqueueProgram`: launches a program with its arguments as they are now.
    ///
    /// # Errors
    /// [`Failure::UnknownQueue`], [`Failure::UnknownObject`], [`Failure::EmptyProgram`],
    /// [`Failure::CircularBuffersBeyondL1`], [`Failure::CircularBuffersClash`],
    /// [`Failure::CircularBufferSizeNotPageMultiple`] after an update,
    /// [`Failure::ReleasedObject`] for an argument, [`Failure::KernelConfigTooLarge`],
    /// [`Failure::DeviceLost`]; a blocking call also what [`Device::finish`] meets.
    pub fn enqueue_program(
        &mut self,
        queue: CommandQueue,
        program: Program,
        blocking: bool,
    ) -> Result<(), CallError> {
        let command = Command::EnqueueProgram(EnqueueProgram {
            queue: queue.id(),
            program: program.id(),
            blocking,
        });
        self.call(command, Input::Nothing)
    }
}

impl Perform for EnqueueWriteBuffer {
    fn perform(
        self,
        device: &mut Device,
        index: CommandIndex,
        input: Input,
    ) -> Result<(), CallError> {
        let Input::Data(payload) = input else {
            return Err(InternalError::new("a write without data").into());
        };
        let Self { queue, buffer, data, blocking, region } = self;
        let target = WholeOrPart { buffer, region };
        let host = &mut device.host;
        let call = CommandKind::EnqueueWriteBuffer;
        let fail = |failure| HostError::new(call, failure);
        host.check_queue(queue).map_err(fail)?;
        let state = host.buffer(target.buffer).map_err(fail)?;
        let extent = part(state, target).map_err(|failure| fail(failure).named(&state.name))?;
        let (expected, actual) = (extent.size(), data.length);
        if actual != expected {
            let failure = Failure::DataLengthMismatch { buffer: target.buffer, expected, actual };
            return Err(fail(failure).named(&state.name).into());
        }
        let during = Failure::WriteDuringTrace { queue };
        if !planted(Defect::TraceTakesWrites) {
            let named = |failure| fail(failure).named(&state.name);
            host.check_no_capture(queue, during).map_err(named)?;
        }
        host.check_present(call)?;
        host.enqueue(queue, index, Work::Write { extent, payload });
        device.wait_if(blocking, queue, index, CommandKind::EnqueueWriteBuffer)
    }
}

impl Perform for EnqueueReadBuffer {
    fn perform(self, device: &mut Device, index: CommandIndex, _: Input) -> Result<(), CallError> {
        let Self { queue, buffer, output, blocking, expectation, region } = self;
        let source = WholeOrPart { buffer, region };
        let host = &mut device.host;
        // The name is taken whatever comes of the call.
        host.outputs.insert(output.clone());
        let call = CommandKind::EnqueueReadBuffer;
        let fail = |failure| HostError::new(call, failure);
        host.check_queue(queue).map_err(fail)?;
        let state = host.buffer(source.buffer).map_err(fail)?;
        let extent = part(state, source).map_err(|failure| fail(failure).named(&state.name))?;
        let during = Failure::ReadDuringTrace { queue };
        host.check_no_capture(queue, during).map_err(|failure| fail(failure).named(&state.name))?;
        host.check_present(call)?;
        let exact = match expectation {
            Expectation::Exact { hash } => Some(hash),
            Expectation::AsCaptured
            | Expectation::Reference { .. }
            | Expectation::Unchecked { .. } => None,
        };
        host.enqueue(queue, index, Work::Read { extent, buffer, output, exact });
        device.wait_if(blocking, queue, index, CommandKind::EnqueueReadBuffer)
    }
}

impl Perform for EnqueueProgram {
    fn perform(self, device: &mut Device, index: CommandIndex, _: Input) -> Result<(), CallError> {
        let Self { queue, program, blocking } = self;
        let host = &mut device.host;
        let call = CommandKind::EnqueueProgram;
        let fail = |failure| HostError::new(call, failure);
        host.check_queue(queue).map_err(fail)?;
        let state = host.objects.programs.get(program.0).map_err(fail)?;
        let name = state.name.clone();
        if state.kernels.is_empty() {
            return Err(fail(Failure::EmptyProgram { program }).named(&name).into());
        }
        let tracing = host.tracing(queue);
        if tracing.is_some() {
            let warm = state.warm || planted(Defect::TracesTakeColdPrograms);
            let refusal = match (blocking, warm) {
                (true, _) => Some(Failure::BlockingDuringTrace { queue }),
                (false, false) => Some(Failure::ProgramNotWarm { program }),
                (false, true) => None,
            };
            if let Some(failure) = refusal {
                return Err(fail(failure).named(&name).into());
            }
        }
        let layout = host.lay_out_circular_buffers(program, &name)?;
        let launch = host.assembled(program, &layout).map_err(|error| error.named(&name))?;
        if let Some(trace) = tracing {
            host.check_present(call)?;
            host.trace_launch(trace, index, Arc::clone(&launch))?;
            if !planted(Defect::TracedProgramsRun) {
                return Ok(());
            }
        }
        let cores = || launch.tiles.iter().map(|tile| tile.core);
        host.check_cores(queue, cores()).map_err(|failure| fail(failure).named(&name))?;
        host.check_present(call)?;
        host.objects.programs.get_mut(program.0).map_err(fail)?.warm = true;
        host.occupy_cores(queue, index, cores());
        host.enqueue(queue, index, Work::Launch(launch));
        device.wait_if(blocking, queue, index, CommandKind::EnqueueProgram)
    }
}

/// What of a buffer's memory a write or read touches.
fn part(state: &BufferState, of: WholeOrPart) -> Result<BufferExtent, Failure> {
    match of.region {
        Some(region) => part_of(&state.extent, of.buffer, region),
        None => Ok(state.extent.clone()),
    }
}
