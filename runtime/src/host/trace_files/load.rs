//! Traces out of bytes, with the addresses and coordinates that things have on a device.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hallmark_chip::{HarvestingMask, LogicalCore, Processor};
use hallmark_device_code::{BuiltKernel, CircularBufferSlot, KernelImage, LAUNCH_ABI};
use hallmark_engine::InternalError;
use hallmark_engine::launch::{CircularMemory, KernelLaunch, ProgramLaunch, TileLaunch};
use hallmark_engine::trace::TracedLaunch;
use hallmark_schema::commands::LoadTrace;
use hallmark_schema::limits;
use hallmark_schema::model::{
    ArgumentRelocation, BufferId, Command, CommandIndex, CommandKind, ContentHash, Failure, Grid,
    ProgramId, TraceBuffer, TraceId,
};

use super::super::call::Perform;
use super::collected::{Collected, Header, Relocation, Symbol, TileForm, TraceBytesError, Words};
use super::{CollectedTrace, LoadTraceError, UnplacedReason, UnplacedSymbol, listed};
use crate::defects::{Defect, planted};
use crate::error::{ArgumentError, ArgumentProblem, CallError, HostError};
use crate::host::trace_states::{
    BufferSymbol, Collection, ReadyTrace, RecordedLaunch, TraceProgress, TraceState,
};
use crate::host::types::{Buffer, Trace as TraceHandle};
use crate::host::{Device, Host};
use crate::payload::Input;

impl Device {
    /// `LoadTrace`: takes a trace that [`Device::collect_trace`] gave. What its words stand for is placed
    /// here: buffers are those given, or else those of the same name and shape.
    ///
    /// A capture records it where the bytes were collected in the capture, and refuses others.
    ///
    /// # Errors
    /// See [`LoadTraceError`]; every symbol that cannot be placed is named.
    pub fn load_trace(
        &mut self,
        name: &str,
        collected: &CollectedTrace,
        buffers: &[(&str, Buffer)],
    ) -> Result<TraceHandle, LoadTraceError> {
        if let Some((from, own)) = self.host.collected_here(collected) {
            let mut pairs = Vec::new();
            for (name, buffer) in buffers {
                match own.buffers.get(*name) {
                    Some(&recorded) => pairs.push(TraceBuffer { recorded, buffer: buffer.id() }),
                    None => no_buffer(name).map_err(CallError::from)?,
                }
            }
            pairs.sort_by_key(|pair| pair.recorded);
            return Ok(self.load_collected_trace(name, &from, pairs)?);
        }
        if self.host.recorder.is_active() {
            LoadTraceError::Capturing.refuse()?;
        }
        let collection = Collection {
            bytes: Arc::clone(&collected.bytes),
            buffers: BTreeMap::new(),
            enqueues: Vec::new(),
            weight: 0,
        };
        let given: Vec<(String, BufferId)> =
            buffers.iter().map(|(name, buffer)| ((*name).to_owned(), buffer.id())).collect();
        let queued = self.queued_launches_weight();
        let made = self.host.placed_trace(name, &Arc::new(collection), &given, queued)?;
        let id = self.host.objects.traces.reserve();
        let progress = TraceProgress::Ready(made);
        self.host.objects.traces.fill(id, TraceState { name: name.to_owned(), progress });
        Ok(TraceId(id).into())
    }

    /// [`Device::load_trace`] of what this device collected under a name, in the form that captures have.
    ///
    /// # Errors
    /// [`Failure::TraceBuffersUnplaced`], [`Failure::TraceCircularBuffersClash`],
    /// [`Failure::TraceRegionTooSmall`], [`Failure::DeviceLost`].
    pub fn load_collected_trace(
        &mut self,
        name: &str,
        from: &str,
        buffers: Vec<TraceBuffer>,
    ) -> Result<TraceHandle, CallError> {
        let trace = self.next_trace();
        let (name, from) = (name.to_owned(), from.to_owned());
        let command = Command::LoadTrace(LoadTrace { trace: trace.id(), name, from, buffers });
        self.call(command, Input::Nothing)?;
        Ok(trace)
    }

    /// Puts other bytes in the place of what was collected under a name, as a capture holds them. They
    /// stay as they are where the others come from another chip or firmware: the same commands made both.
    pub(crate) fn replace_collected(
        &mut self,
        name: &str,
        bytes: &Arc<[u8]>,
    ) -> Result<(), LoadTraceError> {
        let header = Collected::from_bytes(bytes)?.header;
        match (self.host.check_origin(&header), self.host.collected.get(name)) {
            (Ok(()), Some(own)) if own.bytes != *bytes && self.host.is_alike(&header) => {
                let replaced = Collection {
                    bytes: Arc::clone(bytes),
                    buffers: own.buffers.clone(),
                    enqueues: own.enqueues.clone(),
                    weight: own.weight,
                };
                self.host.collected.insert(name.to_owned(), Arc::new(replaced));
                Ok(())
            }
            (Ok(()) | Err(LoadTraceError::Chip { .. } | LoadTraceError::Firmware { .. }), _) => {
                Ok(())
            }
            (Err(error), _) => Err(error),
        }
    }
}

impl Host {
    /// The name under which this device collected the very bytes.
    fn collected_here(&self, collected: &CollectedTrace) -> Option<(String, Arc<Collection>)> {
        let name = collected.name.as_ref()?;
        let own = self.collected.get(name)?;
        Arc::ptr_eq(&own.bytes, &collected.bytes).then(|| (name.clone(), Arc::clone(own)))
    }

    /// The trace that lies in bytes, with the addresses that buffers have now.
    fn placed_trace(
        &mut self,
        name: &str,
        collection: &Arc<Collection>,
        buffers: &[(String, BufferId)],
        queued: u64,
    ) -> Result<ReadyTrace, LoadTraceError> {
        let Collected { header, mut words, binaries, lines } =
            Collected::from_bytes(&collection.bytes)?;
        self.check_origin(&header)?;
        self.check_places(&header)?;
        let known: BTreeSet<&str> = header.symbols.iter().filter_map(Symbol::buffer).collect();
        if let Some((unknown, _)) = buffers.iter().find(|(name, _)| !known.contains(name.as_str()))
        {
            no_buffer(unknown).map_err(CallError::from)?;
        }
        let values = self.place_symbols(&header, buffers)?;
        let malformed = |what: &str| TraceBytesError::Malformed { what: what.to_owned() };
        for &Relocation { offset, symbol, addend } in &header.relocations {
            let place = usize::try_from(offset / 4).unwrap_or(usize::MAX);
            let word = words.get_mut(place).filter(|_| offset.is_multiple_of(4));
            let word = word.ok_or_else(|| malformed("a relocation lies outside of its words"))?;
            if *word != 0 {
                return Err(malformed("a word that is relocated is not 0").into());
            }
            let addend = if planted(Defect::LoadedTraceForgetsAddends) { 0 } else { addend };
            let value = values.get(symbol as usize);
            let value = value.ok_or_else(|| malformed("a relocation names no symbol"))?;
            *word = match value {
                Value::Address(base) => base.wrapping_add(addend),
                Value::Shards(buffer) => self
                    .shard_bank_pair(*buffer, addend)
                    .map_err(|_| malformed("a relocation names no shard"))?,
                Value::Exact(value) => *value,
            };
        }
        let images = self.load_binaries(&binaries, &lines)?;
        let elsewhere = collection.enqueues.is_empty();
        if !elsewhere && collection.enqueues.len() != header.launches.len() {
            return Err(malformed("it has other launches than the trace that was collected").into());
        }
        let fail = |failure| HostError::new(CommandKind::LoadTrace, failure).named(name);
        let of_binaries = BinariesOf::new(&header, &images);
        let mut launches = Vec::new();
        let mut weight = 0u64;
        for (index, forms) in header.launches.iter().enumerate() {
            let mut tiles = Vec::new();
            for form in forms {
                tiles.push(self.load_tile(form, &words, &of_binaries)?);
            }
            let launch = ProgramLaunch::new(ProgramId(u32::MAX), tiles);
            self.check_kernel_config(&launch)
                .map_err(|(failure, detail)| CallError::from(fail(failure).detail(detail)))?;
            let enqueue = collection.enqueues.get(index).copied();
            let command = enqueue.unwrap_or(CommandIndex(self.next_command));
            weight = launch.weight().saturating_add(weight);
            let launch = Arc::new(launch);
            let traced = TracedLaunch { command, launch };
            launches.push(RecordedLaunch { traced, buffers: BTreeMap::new() });
            let room = self.check_room_for(weight, queued);
            room.map_err(|problem| CallError::from(not_loaded(problem)))?;
        }
        let mut made = ReadyTrace::new(name.to_owned(), launches, self.region_pages());
        made.loaded_from = Some(Arc::clone(collection));
        if !planted(Defect::LoadedTraceTakesNoRoom) {
            self.check_trace_region(&made).map_err(|failure| CallError::from(fail(failure)))?;
        }
        Ok(made)
    }

    /// Whether the trace comes from a chip with the same cores at the same places.
    fn is_alike(&self, header: &Header) -> bool {
        header.grid == [self.grid.columns, self.grid.rows]
            && header.harvesting == self.description.harvesting.0
    }

    /// The cores of a trace are here, wherever they stand, and nothing but relocations says where.
    fn check_places(&self, header: &Header) -> Result<(), LoadTraceError> {
        let forms = header.launches.iter().flatten();
        let cores = forms.map(|form| LogicalCore { x: form.core[0], y: form.core[1] });
        let missing: BTreeSet<LogicalCore> =
            cores.filter(|core| self.noc_coordinate(*core).is_err()).collect();
        if !missing.is_empty() {
            let cores = missing.into_iter().collect();
            LoadTraceError::Cores { cores, grid: self.grid }.refuse()?;
        }
        if header.placement_bound && !self.is_alike(header) {
            let [columns, rows] = header.grid;
            LoadTraceError::PlacementBound {
                collected: HarvestingMask(header.harvesting),
                grid: Grid { columns, rows },
                here: self.description.harvesting,
                here_grid: self.grid,
            }
            .refuse()?;
        }
        Ok(())
    }

    fn check_origin(&self, header: &Header) -> Result<(), LoadTraceError> {
        let here = self.description.architecture.name();
        if header.architecture != here {
            let collected = header.architecture.clone();
            LoadTraceError::Chip { collected, here: here.to_owned() }.refuse()?;
        }
        let told = |name: &str, hash: ContentHash, abi: u32| {
            format!("{name} ({}…, launch ABI {abi})", hash.short())
        };
        let firmware = (header.firmware_hash, header.launch_abi);
        if firmware != (self.firmware.hash(), LAUNCH_ABI) {
            let collected = told(&header.firmware, header.firmware_hash, header.launch_abi);
            let name = &self.firmware.manifest().name;
            let here = told(name, self.firmware.hash(), LAUNCH_ABI);
            LoadTraceError::Firmware { collected, here }.refuse()?;
        }
        Ok(())
    }

    /// What every symbol is here.
    fn place_symbols(
        &self,
        header: &Header,
        buffers: &[(String, BufferId)],
    ) -> Result<Vec<Value>, LoadTraceError> {
        let mut named = BTreeMap::new();
        for (id, state) in self.objects.buffers.live() {
            let buffer = Some(BufferId(id));
            named
                .entry(state.name.as_str())
                .and_modify(|several| *several = None)
                .or_insert(buffer);
        }
        let given = buffers.iter().map(|(name, buffer)| (name.as_str(), *buffer)).collect();
        let candidates = Candidates { given, named };
        let mut values = Vec::new();
        let mut unplaced = Vec::new();
        for symbol in &header.symbols {
            match self.place_symbol(symbol, header, &candidates) {
                Ok(value) => values.push(value),
                Err(reason) => {
                    let symbol = symbol.clone();
                    unplaced.push(UnplacedSymbol { symbol, reason });
                }
            }
        }
        if !unplaced.is_empty() {
            LoadTraceError::Unplaced { symbols: unplaced }.refuse()?;
        }
        Ok(values)
    }

    fn place_symbol(
        &self,
        symbol: &Symbol,
        header: &Header,
        candidates: &Candidates<'_>,
    ) -> Result<Value, UnplacedReason> {
        let coordinate = |[x, y]: [u32; 2]| {
            self.noc_coordinate(LogicalCore { x, y }).map_err(UnplacedReason::Failed)
        };
        match symbol {
            Symbol::Buffer(wanted) => {
                let buffer = self.find_buffer(wanted, candidates)?;
                Ok(Value::Address(self.buffer_address(buffer)?))
            }
            Symbol::ShardBankPair(wanted) => {
                self.find_buffer(wanted, candidates).map(Value::Shards)
            }
            Symbol::Semaphore(number) => {
                let limit = self.firmware.limits().semaphores;
                if *number >= limit {
                    UnplacedReason::TooManySemaphores { limit }.refuse()?;
                }
                Ok(Value::Address(self.semaphore_l1_address(*number)))
            }
            Symbol::CoreX(core) => coordinate(*core).map(|at| Value::Exact(at.x.into())),
            Symbol::CoreY(core) => coordinate(*core).map(|at| Value::Exact(at.y.into())),
            // The launch puts it where there is room.
            Symbol::KernelBinary(hash) if header.binaries.contains_key(hash) => Ok(Value::Exact(0)),
            Symbol::KernelBinary(_) => UnplacedReason::NoElf.refuse().map(|()| Value::Exact(0)),
            Symbol::CircularBuffers => Ok(Value::Address(self.firmware.memory().unreserved_base)),
        }
    }

    /// The buffer that is given for a name, or the only one of that name, if its shape is the same.
    fn find_buffer(
        &self,
        wanted: &BufferSymbol,
        candidates: &Candidates<'_>,
    ) -> Result<BufferId, UnplacedReason> {
        let found = candidates.find(&wanted.name)?;
        let here = self.buffer_symbol(found).ok_or(UnplacedReason::Released)?;
        let renamed = BufferSymbol { name: wanted.name.clone(), ..here };
        if renamed != *wanted && !planted(Defect::LoadedTraceTakesAnyShape) {
            let wanted = Box::new(wanted.clone());
            UnplacedReason::OtherShape { here: Box::new(renamed), wanted }.refuse()?;
        }
        Ok(found)
    }

    fn load_binaries(
        &mut self,
        binaries: &BTreeMap<ContentHash, Arc<[u8]>>,
        lines: &BTreeMap<ContentHash, Arc<[u8]>>,
    ) -> Result<BTreeMap<ContentHash, Arc<KernelImage>>, TraceBytesError> {
        let images = binaries.iter().map(|(hash, elf)| {
            let build = BuiltKernel { elf: Arc::clone(elf), lines: lines.get(hash).cloned() };
            let image = self.images.image(*hash, &build);
            let image = image.map_err(|error| TraceBytesError::Malformed {
                what: format!("ELF {}: {error}", hash.short()),
            })?;
            Ok((*hash, image))
        });
        images.collect()
    }

    fn load_tile(
        &self,
        form: &TileForm,
        words: &[u32],
        binaries: &BinariesOf<'_>,
    ) -> Result<TileLaunch, LoadTraceError> {
        let malformed = |what: &str| TraceBytesError::Malformed { what: what.to_owned() };
        let of = |place: Words| {
            let first = place.first as usize;
            let end = first.saturating_add(place.count as usize);
            words.get(first..end).ok_or_else(|| malformed("a list lies outside of its words"))
        };
        let core = LogicalCore { x: form.core[0], y: form.core[1] };
        let noc =
            self.noc_coordinate(core).map_err(|_| malformed("a core lies outside its grid"))?;
        let mut tile = TileLaunch::new(core, noc);
        let none: Arc<[ArgumentRelocation]> = Arc::from([]);
        for kernel in &form.kernels {
            let mut images = Vec::new();
            for (processor, word) in kernel.processors.iter().zip(kernel.binaries.first..) {
                let processor = Processor::ALL.get(usize::from(*processor)).copied();
                let processor = processor.ok_or_else(|| malformed("there is no such processor"))?;
                let taken = tile.images().any(|(_, other, _)| other == processor)
                    || images.iter().any(|(other, _)| *other == processor);
                if taken {
                    return Err(malformed("two kernels run on one processor").into());
                }
                let image = binaries.at(word).ok_or_else(|| malformed("a kernel has no binary"))?;
                images.push((processor, Arc::clone(image)));
            }
            let (arguments, common) = (of(kernel.arguments)?, of(kernel.common)?);
            if arguments.len().saturating_add(common.len()) > limits::RUNTIME_ARGUMENTS as usize {
                return Err(malformed("a kernel has too many arguments").into());
            }
            tile.kernels.push(KernelLaunch {
                images,
                arguments: arguments.into(),
                common: common.into(),
                relocations: [Arc::clone(&none), Arc::clone(&none)],
            });
        }
        let limit = self.firmware.limits().semaphores;
        if form.semaphores.iter().any(|semaphore| semaphore.number >= limit) {
            return Err(malformed("a core has fewer semaphores").into());
        }
        if !planted(Defect::LoadedTraceForgetsSemaphores) {
            tile.semaphores.clone_from(&form.semaphores);
        }
        let (slots, rest) = of(form.circular_buffers)?.as_chunks::<4>();
        if !rest.is_empty() || slots.len() > self.description.circular_buffers as usize {
            return Err(malformed("a core has fewer circular buffers").into());
        }
        tile.circular_buffers = slots
            .iter()
            .map(|&[address, size, num_pages, page_size]| CircularBufferSlot {
                address,
                size,
                num_pages,
                page_size,
            })
            .collect();
        let (memory, _) = of(form.circular_memory)?.as_chunks::<2>();
        if memory.len() > slots.len() {
            return Err(malformed("circular buffers lie in more places than there are").into());
        }
        let lowest = self.lowest_l1_buffer().unwrap_or(u64::MAX);
        let limit = self.description.l1_size.min(lowest);
        for &[start, size] in memory {
            if u64::from(start).saturating_add(size.into()) > limit {
                let end = u64::from(start).saturating_add(size.into());
                UnplacedReason::CircularBuffersClash { core, end, limit }.refuse().map_err(
                    |reason| {
                        let symbol = Symbol::CircularBuffers;
                        let symbols = vec![UnplacedSymbol { symbol, reason }];
                        LoadTraceError::Unplaced { symbols }
                    },
                )?;
            }
            tile.circular_memory.push(CircularMemory { address: start, size });
        }
        Ok(tile)
    }
}

impl Perform for LoadTrace {
    fn perform(self, device: &mut Device, _: CommandIndex, _: Input) -> Result<(), CallError> {
        let Self { trace, name, from, buffers } = self;
        let queued = device.queued_launches_weight();
        let host = &mut device.host;
        host.objects.traces.reserve();
        host.check_present(CommandKind::LoadTrace)?;
        let own = host.collected.get(&from);
        let own =
            own.ok_or_else(|| InternalError::new("a trace that was not collected is loaded"))?;
        let own = Arc::clone(own);
        let given = own.buffers.iter().filter_map(|(name, recorded)| {
            let pair = buffers.iter().find(|pair| pair.recorded == *recorded)?;
            Some((name.clone(), pair.buffer))
        });
        let given: Vec<(String, BufferId)> = given.collect();
        let made = host.placed_trace(&name, &own, &given, queued);
        let made = made.map_err(|error| refused(error, &own, &name))?;
        let progress = TraceProgress::Ready(made);
        host.objects.traces.fill(trace.0, TraceState { name, progress });
        Ok(())
    }
}

fn not_loaded(problem: ArgumentProblem) -> ArgumentError {
    ArgumentError { call: CommandKind::LoadTrace, problem }
}

fn no_buffer(name: &str) -> Result<(), ArgumentError> {
    ArgumentProblem::BufferNameNotInTrace { name: name.to_owned() }.refuse().map_err(not_loaded)
}

fn bytes_refused(reason: String) -> CallError {
    not_loaded(ArgumentProblem::TraceBytes { reason }).into()
}

/// The failure of a call that loads what this device collected.
fn refused(error: LoadTraceError, own: &Collection, name: &str) -> CallError {
    let symbols = match error {
        LoadTraceError::Call(error) => return error,
        LoadTraceError::Unplaced { symbols } => symbols,
        other => return bytes_refused(other.to_string()),
    };
    let names: BTreeSet<&str> = symbols.iter().filter_map(|it| it.symbol.buffer()).collect();
    let first = names.iter().filter_map(|name| own.buffers.get(*name)).min();
    let core = symbols.iter().find_map(|it| it.reason.core());
    let failure = match (first, core) {
        (Some(&buffer), _) => {
            Failure::TraceBuffersUnplaced { buffer, unplaced: names.len() as u32 }
        }
        (None, Some(core)) => Failure::TraceCircularBuffersClash { core },
        (None, None) => return bytes_refused(listed(&symbols)),
    };
    HostError::new(CommandKind::LoadTrace, failure).named(name).detail(listed(&symbols)).into()
}

/// What a symbol is on a device.
enum Value {
    /// An address, to which the addend comes.
    Address(u32),
    /// The banks of a buffer's shards, of which the addend says the pair.
    Shards(BufferId),
    /// This, whatever the addend.
    Exact(u32),
}

/// Which binary each word stands for, by the word's offset.
struct BinariesOf<'a>(BTreeMap<u64, &'a Arc<KernelImage>>);

impl<'a> BinariesOf<'a> {
    fn new(header: &Header, images: &'a BTreeMap<ContentHash, Arc<KernelImage>>) -> Self {
        let relocations = header.relocations.iter().filter_map(|relocation| {
            match header.symbols.get(relocation.symbol as usize)? {
                Symbol::KernelBinary(hash) => Some((relocation.offset, images.get(hash)?)),
                _ => None,
            }
        });
        Self(relocations.collect())
    }

    fn at(&self, word: u32) -> Option<&Arc<KernelImage>> {
        self.0.get(&(u64::from(word) * 4)).copied()
    }
}

/// The buffers that a trace may take, by name.
struct Candidates<'a> {
    given: BTreeMap<&'a str, BufferId>,
    /// The live ones; none where several have the name.
    named: BTreeMap<&'a str, Option<BufferId>>,
}

impl Candidates<'_> {
    fn find(&self, name: &str) -> Result<BufferId, UnplacedReason> {
        let given = self.given.get(name);
        if let Some(buffer) = given.filter(|_| !planted(Defect::LoadedTraceIgnoresGivenBuffers)) {
            return Ok(*buffer);
        }
        match self.named.get(name) {
            None => Err(UnplacedReason::NoBuffer),
            Some(None) => Err(UnplacedReason::SeveralBuffers),
            Some(Some(buffer)) => Ok(*buffer),
        }
    }
}
