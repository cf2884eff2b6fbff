//! `LoadTrace`: bytes become a trace, with the addresses and coordinates of this device.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hallmark_chip::{LogicalCore, Processor};
use hallmark_device_code::{BuiltKernel, CircularBufferSlot, KernelImage};
use hallmark_engine::InternalError;
use hallmark_engine::launch::{
    CircularMemory, KernelLaunch, ProgramLaunch, ScratchpadLaunch, TileLaunch,
};
use hallmark_engine::trace::TracedLaunch;
use hallmark_schema::commands::LoadTrace;
use hallmark_schema::limits;
use hallmark_schema::model::{
    ArgumentRelocation, BufferId, Command, CommandIndex, CommandKind, ContentHash, Failure,
    ProgramId, TraceBuffer,
};

use super::collected::{
    Collected, Header, KernelForm, Relocation, Symbol, TileForm, TraceBytesError, Words,
};
use super::placing::{Places, Value};
use super::{CollectedTrace, LoadTraceError, UnplacedReason, UnplacedSymbol, listed};
use crate::defects::{Defect, planted};
use crate::error::{ArgumentError, ArgumentProblem, CallError, HostError};
use crate::host::call::Perform;
use crate::host::device::{Device, Host};
use crate::host::kernel_builds::KernelBuilds;
use crate::host::recordable::check_room_for;
use crate::host::trace_states::{Collection, ReadyTrace, RecordedLaunch, TraceProgress};
use crate::host::trace_table::Traces;
use crate::host::types::{Buffer, Trace as TraceHandle};
use crate::payload::Input;

impl Device {
    /// `LoadTrace`: takes a trace that [`Device::collect_trace`] gave, and places its symbols on this device. Its buffers
    /// become the given ones, or else those of the same name and shape.
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
        if let Some((from, own)) = collected_here(&self.host.traces, collected) {
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
        if self.host.calls.is_recording() {
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
        let queued = self.backend.queued_launches_weight();
        let Host { opened, buffers, programs, builds, traces, calls, .. } = &mut self.host;
        let places = Places::new(opened, buffers, programs);
        let next = calls.next_command();
        let collection = &Arc::new(collection);
        let load = Load { name, collection, buffers: &given, next, queued };
        let made = placed_trace(&load, places, builds, traces)?;
        let id = traces.reserve();
        traces.fill(id, name.to_owned(), TraceProgress::Ready(made));
        Ok(id.into())
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

    /// Replaces the trace that was collected under a name by the bytes in a capture. Bytes from another chip or
    /// firmware are not taken: the same commands made both.
    pub(crate) fn replace_collected(
        &mut self,
        name: &str,
        bytes: &Arc<[u8]>,
    ) -> Result<(), LoadTraceError> {
        let header = Collected::from_bytes(bytes)?.header;
        let Host { opened, buffers, programs, traces, .. } = &mut self.host;
        let places = Places::new(opened, buffers, programs);
        match (places.check_origin(&header), traces.collected(name)) {
            (Ok(()), Some(own)) if own.bytes != *bytes && places.is_alike(&header) => {
                let replaced = Collection {
                    bytes: Arc::clone(bytes),
                    buffers: own.buffers.clone(),
                    enqueues: own.enqueues.clone(),
                    weight: own.weight,
                };
                traces.keep(name.to_owned(), Arc::new(replaced));
                Ok(())
            }
            (Ok(()) | Err(LoadTraceError::Chip { .. } | LoadTraceError::Firmware { .. }), _) => {
                Ok(())
            }
            (Err(error), _) => Err(error),
        }
    }
}

impl Perform for LoadTrace {
    fn perform(self, device: &mut Device, _: CommandIndex, _: Input) -> Result<(), CallError> {
        let queued = device.backend.queued_launches_weight();
        let Host { opened, buffers, programs, builds, queues, traces, calls, .. } =
            &mut device.host;
        let Self { trace, name, from, buffers: given } = self;
        traces.reserve();
        queues.check_present(CommandKind::LoadTrace)?;
        let own = traces.collected(&from);
        let own =
            own.ok_or_else(|| InternalError::new("a trace that was not collected is loaded"))?;
        let own = Arc::clone(own);
        let given = own.buffers.iter().filter_map(|(name, recorded)| {
            let pair = given.iter().find(|pair| pair.recorded == *recorded)?;
            Some((name.clone(), pair.buffer))
        });
        let given: Vec<(String, BufferId)> = given.collect();
        let places = Places::new(opened, buffers, programs);
        let next = calls.next_command();
        let load = Load { name: &name, collection: &own, buffers: &given, next, queued };
        let made = placed_trace(&load, places, builds, traces);
        let made = made.map_err(|error| refused(error, &own, &name))?;
        traces.fill(trace, name, TraceProgress::Ready(made));
        Ok(())
    }
}

/// The name under which this device collected the very bytes.
fn collected_here(
    traces: &Traces,
    collected: &CollectedTrace,
) -> Option<(String, Arc<Collection>)> {
    let name = collected.name.as_ref()?;
    let own = traces.collected(name)?;
    Arc::ptr_eq(&own.bytes, &collected.bytes).then(|| (name.clone(), Arc::clone(own)))
}

/// A trace that is to be loaded.
struct Load<'a> {
    /// The name of the new trace.
    name: &'a str,
    collection: &'a Arc<Collection>,
    /// The buffers that are given for those of the trace, by their names in the bytes.
    buffers: &'a [(String, BufferId)],
    /// The next command: launches that come from elsewhere have no command of their own.
    next: CommandIndex,
    /// Bytes of the launches that have not run.
    queued: u64,
}

/// The trace that lies in bytes, with the addresses that buffers have now.
fn placed_trace(
    load: &Load<'_>,
    places: Places<'_>,
    builds: &mut KernelBuilds,
    traces: &Traces,
) -> Result<ReadyTrace, LoadTraceError> {
    let Load { name, collection, .. } = *load;
    let Collected { header, mut words, binaries, lines } =
        Collected::from_bytes(&collection.bytes)?;
    places.check_origin(&header)?;
    places.check_places(&header)?;
    let known: BTreeSet<&str> = header.symbols.iter().filter_map(Symbol::buffer).collect();
    if let Some((unknown, _)) = load.buffers.iter().find(|(name, _)| !known.contains(name.as_str()))
    {
        no_buffer(unknown).map_err(CallError::from)?;
    }
    let values = places.place_symbols(&header, load.buffers)?;
    relocate(&mut words, &header, &values, places)?;
    let images = load_binaries(builds, &binaries, &lines)?;
    let launches = placed_launches(load, &header, &words, &images, places, traces)?;
    let mut made = ReadyTrace::new(name.to_owned(), launches, places.opened().region_pages());
    made.loaded_from = Some(Arc::clone(collection));
    if !planted(Defect::LoadedTraceTakesNoRoom) {
        let fail = |failure| HostError::new(CommandKind::LoadTrace, failure).named(name);
        traces.check_region(&made).map_err(|failure| CallError::from(fail(failure)))?;
    }
    Ok(made)
}

/// Puts the values of symbols into the words that stand for them.
fn relocate(
    words: &mut [u32],
    header: &Header,
    values: &[Value],
    places: Places<'_>,
) -> Result<(), TraceBytesError> {
    for &Relocation { offset, symbol, addend } in &header.relocations {
        let place = usize::try_from(offset / 4).unwrap_or(usize::MAX);
        let word = words.get_mut(place).filter(|_| offset.is_multiple_of(4));
        let word = word.ok_or_else(|| malformed("a relocation lies outside of its words"))?;
        if *word != 0 {
            return Err(malformed("a word that is relocated is not 0"));
        }
        let addend = if planted(Defect::LoadedTraceForgetsAddends) { 0 } else { addend };
        let value = values.get(symbol as usize);
        let value = value.ok_or_else(|| malformed("a relocation names no symbol"))?;
        *word = match value {
            Value::Address(base) => base.wrapping_add(addend),
            Value::Shards(buffer) => places
                .shard_bank_pair(*buffer, addend)
                .map_err(|_| malformed("a relocation names no shard"))?,
            Value::Exact(value) => *value,
        };
    }
    Ok(())
}

/// The launches of a trace, whose words have been relocated.
fn placed_launches(
    load: &Load<'_>,
    header: &Header,
    words: &[u32],
    images: &BTreeMap<ContentHash, Arc<KernelImage>>,
    places: Places<'_>,
    traces: &Traces,
) -> Result<Vec<RecordedLaunch>, LoadTraceError> {
    let enqueues = &load.collection.enqueues;
    if !enqueues.is_empty() && enqueues.len() != header.launches.len() {
        return Err(malformed("it has other launches than the trace that was collected").into());
    }
    let fail = |failure| HostError::new(CommandKind::LoadTrace, failure).named(load.name);
    let of_binaries = BinariesOf::new(header, images);
    let mut launches = Vec::new();
    let mut weight = 0u64;
    for (index, forms) in header.launches.iter().enumerate() {
        let mut tiles = Vec::new();
        for form in forms {
            tiles.push(load_tile(form, words, &of_binaries, places)?);
        }
        let launch = ProgramLaunch::new(ProgramId(u32::MAX), tiles);
        places
            .opened()
            .check_kernel_config(&launch)
            .map_err(|(failure, detail)| CallError::from(fail(failure).detail(detail)))?;
        let command = enqueues.get(index).copied().unwrap_or(load.next);
        weight = launch.weight().saturating_add(weight);
        let traced = TracedLaunch { command, launch: Arc::new(launch) };
        launches.push(RecordedLaunch { traced, buffers: BTreeMap::new() });
        let room = check_room_for(traces, weight, load.queued);
        room.map_err(|problem| CallError::from(not_loaded(problem)))?;
    }
    Ok(launches)
}

fn load_binaries(
    builds: &mut KernelBuilds,
    binaries: &BTreeMap<ContentHash, Arc<[u8]>>,
    lines: &BTreeMap<ContentHash, Arc<[u8]>>,
) -> Result<BTreeMap<ContentHash, Arc<KernelImage>>, TraceBytesError> {
    let images = binaries.iter().map(|(hash, elf)| {
        let build = BuiltKernel { elf: Arc::clone(elf), lines: lines.get(hash).cloned() };
        let image = builds.image(*hash, &build);
        let image = image.map_err(|error| TraceBytesError::Malformed {
            what: format!("ELF {}: {error}", hash.short()),
        })?;
        Ok((*hash, image))
    });
    images.collect()
}

/// A list of words.
fn part(words: &[u32], place: Words) -> Result<&[u32], TraceBytesError> {
    let first = place.first as usize;
    let end = first.saturating_add(place.count as usize);
    words.get(first..end).ok_or_else(|| malformed("a list lies outside of its words"))
}

/// The launch of a tile.
fn load_tile(
    form: &TileForm,
    words: &[u32],
    binaries: &BinariesOf<'_>,
    places: Places<'_>,
) -> Result<TileLaunch, LoadTraceError> {
    let opened = places.opened();
    let core = LogicalCore { x: form.core[0], y: form.core[1] };
    let noc = opened.noc_coordinate(core).map_err(|_| malformed("a core lies outside its grid"))?;
    let mut tile = TileLaunch::new(core, noc);
    for kernel in &form.kernels {
        let kernel = load_kernel(kernel, words, binaries, &tile, opened.description().l1_size)?;
        tile.kernels.push(kernel);
    }
    let limit = opened.firmware().limits().semaphores;
    if form.semaphores.iter().any(|semaphore| semaphore.number >= limit) {
        return Err(malformed("a core has fewer semaphores").into());
    }
    if !planted(Defect::LoadedTraceForgetsSemaphores) {
        tile.semaphores.clone_from(&form.semaphores);
    }
    let (slots, rest) = part(words, form.circular_buffers)?.as_chunks::<4>();
    if !rest.is_empty() || slots.len() > opened.description().circular_buffers as usize {
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
    let (memory, _) = part(words, form.circular_memory)?.as_chunks::<2>();
    let scratchpads = tile.kernels.iter().map(|kernel| kernel.scratchpads.len()).sum::<usize>();
    if memory.len() > slots.len().saturating_add(scratchpads) {
        return Err(malformed("circular buffers lie in more places than there are").into());
    }
    let lowest = places.buffers().lowest_in_l1().unwrap_or(u64::MAX);
    let limit = opened.description().l1_size.min(lowest);
    for &[start, size] in memory {
        let end = u64::from(start).saturating_add(size.into());
        if end > limit {
            let reason = UnplacedReason::CircularBuffersClash { core, end, limit };
            reason.refuse().map_err(|reason| {
                let symbol = Symbol::CircularBuffers;
                LoadTraceError::Unplaced { symbols: vec![UnplacedSymbol { symbol, reason }] }
            })?;
        }
        tile.circular_memory.push(CircularMemory { address: start, size });
    }
    Ok(tile)
}

/// The launch of a kernel; `tile` has the kernels so far.
fn load_kernel(
    form: &KernelForm,
    words: &[u32],
    binaries: &BinariesOf<'_>,
    tile: &TileLaunch,
    l1_size: u64,
) -> Result<KernelLaunch, TraceBytesError> {
    let mut images = Vec::new();
    for (processor, word) in form.processors.iter().zip(form.binaries.first..) {
        let processor = Processor::ALL.get(usize::from(*processor)).copied();
        let processor = processor.ok_or_else(|| malformed("there is no such processor"))?;
        let taken = tile.images().any(|(_, other, _)| other == processor)
            || images.iter().any(|(other, _)| *other == processor);
        if taken {
            return Err(malformed("two kernels run on one processor"));
        }
        let image = binaries.at(word).ok_or_else(|| malformed("a kernel has no binary"))?;
        images.push((processor, Arc::clone(image)));
    }
    let (arguments, common) = (part(words, form.arguments)?, part(words, form.common)?);
    if arguments.len().saturating_add(common.len()) > limits::RUNTIME_ARGUMENTS as usize {
        return Err(malformed("a kernel has too many arguments"));
    }
    let none: Arc<[ArgumentRelocation]> = Arc::from([]);
    let relocations = [Arc::clone(&none), none];
    let scratchpads = form.scratchpads.iter().map(|&(argument, size)| {
        let address = common.get(argument as usize).copied();
        let address = address.ok_or_else(|| malformed("a scratchpad has no argument"))?;
        let end = u64::from(address).saturating_add(size.into());
        if end > l1_size {
            return Err(malformed("a scratchpad lies behind the end of L1"));
        }
        Ok(ScratchpadLaunch { argument, memory: CircularMemory { address, size } })
    });
    let scratchpads = scratchpads.collect::<Result<Arc<[_]>, _>>()?;
    let (arguments, common) = (arguments.into(), common.into());
    // The bytes of a trace say neither.
    let (name, noc) = (Arc::from(""), None);
    let numbers = Arc::from([]);
    Ok(KernelLaunch { name, noc, numbers, images, arguments, common, relocations, scratchpads })
}

fn malformed(what: &str) -> TraceBytesError {
    TraceBytesError::Malformed { what: what.to_owned() }
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

/// The binary that a word stands for, by the word's offset.
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
