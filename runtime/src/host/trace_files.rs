//! Traces as bytes: taken from one device, loaded on another one, in another process.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hallmark_chip::sabotage::{Defect, planted};
use hallmark_chip::{HarvestingMask, LogicalCore, Processor};
use hallmark_schema::limits;
use hallmark_schema::model::{
    ArgumentRelocation, BufferId, Command, CommandIndex, CommandKind, ContentHash, Failure, Grid,
    ProgramId, RelocationKind, SemaphoreId, TraceBuffer, TraceId,
};

use super::call::Input;
use super::create::same_id;
use super::types::{Buffer, Trace as TraceHandle, unpack_core};
use crate::Device;
use crate::device_code::{CircularBufferSlot, KernelImage, LAUNCH_ABI};
use crate::dispatch::{KernelLaunch, ProgramLaunch, TileLaunch};
use crate::error::{ArgumentError, CallError, HostError, InternalError};
use crate::trace::collected::{
    Collected, FORMAT, Header, KernelForm, Relocation, Symbol, TileForm, TraceBytesError, Words,
};
use crate::trace::{BufferSymbol, Collection, Stage, Trace, TraceState, TracedLaunch};

/// A collected trace cannot be loaded on a device.
#[derive(Debug, thiserror::Error)]
pub enum LoadTraceError {
    /// The bytes are no trace that this build reads.
    #[error(transparent)]
    Bytes(#[from] TraceBytesError),
    /// It was collected on another architecture.
    #[error("the trace was collected on {collected}, the device is {here}; collect it there")]
    Chip {
        /// The trace's.
        collected: String,
        /// The device's.
        here: String,
    },
    /// It runs on cores that the device does not have.
    #[error(
        "the trace runs on {}, which are not among the {}x{} of this device; collect it there, on fewer",
        cores_listed(cores), grid.columns, grid.rows
    )]
    Cores {
        /// Every one of them.
        cores: Vec<LogicalCore>,
        /// The device's.
        grid: Grid,
    },
    /// The host program turned an address or a coordinate into a number, which no relocation mends, and
    /// the tiles of the device have other coordinates.
    #[error(
        "addresses or coordinates were taken as numbers where the trace was collected, on a chip with \
         harvesting mask {collected} and a grid of {}x{} cores; here mask and grid are {here} and {}x{}: collect it here",
        grid.columns, grid.rows, here_grid.columns, here_grid.rows
    )]
    PlacementBound {
        /// The harvesting mask where it was collected.
        collected: HarvestingMask,
        /// The grid there.
        grid: Grid,
        /// The device's mask.
        here: HarvestingMask,
        /// The device's grid.
        here_grid: Grid,
    },
    /// It was collected with other firmware, whose places differ.
    #[error(
        "the trace was collected with firmware {collected}, the device runs {here}; collect it again"
    )]
    Firmware {
        /// The trace's.
        collected: String,
        /// The device's.
        here: String,
    },
    /// It names what the device does not have.
    #[error("{} cannot be placed: {}", if symbols.len() == 1 { "a symbol" } else { "some symbols" }, listed(symbols))]
    Unplaced {
        /// Every one of them, with the reason.
        symbols: Vec<UnplacedSymbol>,
    },
    /// A capture could not replay what its commands have not made.
    #[error(
        "a capture is under way, and these bytes were not collected in it, so no command of it says what \
         they hold; collect the trace within the capture, or load it when none is under way"
    )]
    Capturing,
    /// The call was refused: the trace region does not hold the trace, the device is lost, or, of bytes
    /// that this device collected, a symbol cannot be placed.
    #[error(transparent)]
    Call(#[from] CallError),
}

/// What a trace names and the device does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnplacedSymbol {
    symbol: Symbol,
    reason: String,
    /// Where circular buffers find no room.
    core: Option<LogicalCore>,
}

impl std::fmt::Display for UnplacedSymbol {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} ({})", self.symbol, self.reason)
    }
}

fn cores_listed(cores: &[LogicalCore]) -> String {
    let texts: Vec<String> = cores.iter().map(|core| format!("core {core}")).collect();
    texts.join(", ")
}

fn listed(symbols: &[UnplacedSymbol]) -> String {
    let texts: Vec<String> = symbols.iter().map(ToString::to_string).collect();
    texts.join("; ")
}

/// A trace as bytes, which any process can load on a device of the kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CollectedTrace {
    bytes: Arc<[u8]>,
    /// What the device that collected it calls it.
    name: Option<String>,
}

impl CollectedTrace {
    /// Bytes that were kept; loading verifies them.
    pub fn from_bytes(bytes: impl Into<Arc<[u8]>>) -> Self {
        Self { bytes: bytes.into(), name: None }
    }

    /// The bytes, to be kept.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// What the bytes say of themselves.
    ///
    /// # Errors
    /// They are no trace that this build reads.
    pub fn description(&self) -> Result<TraceDescription, TraceBytesError> {
        let Header {
            name,
            architecture,
            grid: [columns, rows],
            firmware,
            firmware_hash,
            launch_abi,
            launches,
            symbols,
            ..
        } = Collected::from_bytes(&self.bytes)?.header;
        Ok(TraceDescription {
            name,
            architecture,
            grid: Grid { columns, rows },
            firmware,
            firmware_hash,
            launch_abi,
            launches: launches.len(),
            symbols: symbols.iter().map(ToString::to_string).collect(),
        })
    }
}

/// What a trace is that lies in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceDescription {
    /// Its name where it was made.
    pub name: String,
    /// The architecture that it was made on.
    pub architecture: String,
    /// The cores of the device.
    pub grid: Grid,
    /// The firmware's name.
    pub firmware: String,
    /// The firmware's hash.
    pub firmware_hash: ContentHash,
    /// What kernels and firmware agree on.
    pub launch_abi: u32,
    /// Programs that a replay launches.
    pub launches: usize,
    /// What is placed when it is loaded.
    pub symbols: Vec<String>,
}

/// Words, symbols and relocations as they are gathered.
#[derive(Default)]
struct Gathered {
    words: Vec<u32>,
    symbols: Vec<Symbol>,
    relocations: Vec<Relocation>,
    texts: BTreeMap<ContentHash, Arc<[u8]>>,
}

impl Gathered {
    fn push(&mut self, words: impl IntoIterator<Item = u32>) -> Words {
        let first = self.words.len();
        self.words.extend(words);
        Words { first: first as u32, count: (self.words.len() - first) as u32 }
    }

    /// A word of the image stands for a symbol.
    fn relocate(&mut self, word: u32, symbol: Symbol, addend: u32) {
        let known = self.symbols.iter().position(|known| *known == symbol);
        let place = known.unwrap_or_else(|| {
            self.symbols.push(symbol);
            self.symbols.len().saturating_sub(1)
        });
        if let Some(word) = self.words.get_mut(word as usize) {
            *word = 0;
        }
        let offset = u64::from(word) * 4;
        self.relocations.push(Relocation { offset, symbol: place as u32, addend });
    }
}

impl Device {
    /// `CollectTrace`: a trace as bytes that [`Device::load_trace`] takes, on this or another device of
    /// the kind. They do not depend on where buffers lie. Captures know them by the name.
    ///
    /// # Errors
    /// [`Failure::UnknownObject`], [`Failure::ReleasedObject`], [`Failure::TraceNotCaptured`].
    pub fn collect_trace(
        &mut self,
        trace: TraceHandle,
        name: &str,
    ) -> Result<CollectedTrace, CallError> {
        let command = Command::CollectTrace { trace: trace.id(), collected: name.to_owned() };
        self.call(command, Input::Nothing)?;
        let collection = self.collected.get(name);
        let collection = collection.ok_or_else(|| InternalError::new("nothing was collected"))?;
        Ok(CollectedTrace { bytes: Arc::clone(&collection.bytes), name: Some(name.to_owned()) })
    }

    pub(super) fn perform_collect_trace(
        &mut self,
        index: CommandIndex,
        trace: TraceId,
        name: String,
    ) -> Result<(), CallError> {
        let fail = |failure| HostError::new(CommandKind::CollectTrace, failure);
        let state = self.objects.traces.get(trace.0).map_err(fail)?;
        let Stage::Ready(ready) = &state.stage else {
            let failure = Failure::TraceNotCaptured { trace };
            return Err(fail(failure).named(&state.name).into());
        };
        let collection = match &ready.loaded_from {
            Some(collection) => Arc::clone(collection),
            None => Arc::new(self.collection(ready)?),
        };
        self.recorder.collected(index, &collection.bytes)?;
        self.collected.insert(name, collection);
        Ok(())
    }

    fn collection(&self, trace: &Trace) -> Result<Collection, CallError> {
        let symbols = symbols_of(&trace.launches);
        let mut gathered = Gathered::default();
        let mut launches = Vec::new();
        for traced in &trace.launches {
            let tiles = traced.launch.tiles.iter();
            let forms = tiles.map(|tile| self.collect_tile(tile, &symbols, &mut gathered));
            launches.push(forms.collect::<Result<Vec<_>, _>>()?);
        }
        let manifest = self.firmware.manifest();
        let Gathered { words, symbols: named, relocations, texts } = gathered;
        let header = Header {
            format: FORMAT.to_owned(),
            architecture: self.chip.description().architecture.name().to_owned(),
            grid: [self.grid.columns, self.grid.rows],
            harvesting: self.chip.description().harvesting.0,
            placement_bound: self.placement_bound,
            firmware: manifest.name.clone(),
            firmware_hash: self.firmware.hash(),
            launch_abi: LAUNCH_ABI,
            name: trace.name.clone(),
            launches,
            symbols: named,
            relocations,
            words: words.len() as u32,
            texts: texts.iter().map(|(hash, elf)| (*hash, elf.len() as u64)).collect(),
        };
        let bytes = Collected { header, words, texts }.to_bytes();
        let bytes = bytes.map_err(|error| ArgumentError {
            call: CommandKind::CollectTrace,
            what: error.to_string(),
        })?;
        Ok(Collection {
            bytes: bytes.into(),
            buffers: symbols.into_iter().map(|(id, symbol)| (symbol.name, id)).collect(),
            enqueues: trace.launches.iter().map(|traced| traced.command).collect(),
            weight: trace.weight(),
        })
    }

    fn collect_tile(
        &self,
        tile: &TileLaunch,
        buffers: &BTreeMap<BufferId, BufferSymbol>,
        gathered: &mut Gathered,
    ) -> Result<TileForm, InternalError> {
        let symbol = |buffer: BufferId| {
            let found = buffers.get(&buffer).cloned();
            found
                .ok_or_else(|| InternalError::new(format!("buffer {buffer} of a trace is unknown")))
        };
        let mut kernels = Vec::new();
        for kernel in &tile.kernels {
            let texts = gathered.push(kernel.images.iter().map(|_| 0));
            for (word, (_, image)) in (texts.first..).zip(&kernel.images) {
                let (hash, elf) = self
                    .images
                    .elf(image)
                    .ok_or_else(|| InternalError::new("a kernel of a trace has no ELF"))?;
                gathered.texts.insert(hash, Arc::clone(elf));
                gathered.relocate(word, Symbol::Text(hash), image.entry());
            }
            let [arguments, common] = [&kernel.arguments, &kernel.common]
                .map(|words| gathered.push(words.iter().copied()));
            for (place, relocations) in [arguments, common].iter().zip(&kernel.relocations) {
                for &ArgumentRelocation { index, kind, object, offset } in relocations.iter() {
                    let (stands_for, addend) = match kind {
                        RelocationKind::BufferAddress => {
                            (Symbol::Buffer(symbol(BufferId(object))?), offset)
                        }
                        RelocationKind::ShardBankPair => {
                            (Symbol::ShardBankPair(symbol(BufferId(object))?), offset)
                        }
                        RelocationKind::SemaphoreAddress => {
                            let SemaphoreId(id) = SemaphoreId(object);
                            let semaphore = self.objects.semaphores.get(id);
                            let semaphore = semaphore
                                .map_err(|failure| InternalError::new(failure.to_string()))?;
                            (Symbol::Semaphore(semaphore.number), offset)
                        }
                        RelocationKind::CoreNocX | RelocationKind::CoreNocY => {
                            let LogicalCore { x, y } = unpack_core(object);
                            let is_x = kind == RelocationKind::CoreNocX;
                            (if is_x { Symbol::CoreX([x, y]) } else { Symbol::CoreY([x, y]) }, 0)
                        }
                    };
                    gathered.relocate(place.first.saturating_add(index), stands_for, addend);
                }
            }
            let processors = kernel.images.iter().map(|(processor, _)| *processor as u8).collect();
            kernels.push(KernelForm { processors, texts, arguments, common });
        }
        let slots = tile.circular_buffers.iter();
        let slots =
            slots.flat_map(|slot| [slot.address, slot.size, slot.num_pages, slot.page_size]);
        let circular_buffers = gathered.push(slots);
        let base = self.firmware.memory().unreserved_base;
        for ((index, slot), word) in
            tile.circular_buffers.iter().enumerate().zip((circular_buffers.first..).step_by(4))
        {
            let in_buffer = tile.circular_in_buffers.iter().find(|(place, ..)| *place == index);
            match in_buffer {
                Some((_, buffer, offset)) => {
                    gathered.relocate(word, Symbol::Buffer(symbol(*buffer)?), *offset);
                }
                None if slot.size > 0 => {
                    let addend = slot.address.wrapping_sub(base);
                    gathered.relocate(word, Symbol::CircularBuffers, addend);
                }
                None => {}
            }
        }
        let memory = tile.circular_memory.iter();
        let circular_memory = gathered.push(memory.flat_map(|(start, size)| [*start, *size]));
        for ((start, _), word) in
            tile.circular_memory.iter().zip((circular_memory.first..).step_by(2))
        {
            gathered.relocate(word, Symbol::CircularBuffers, start.wrapping_sub(base));
        }
        Ok(TileForm {
            core: [tile.core.x, tile.core.y],
            kernels,
            semaphores: tile.semaphores.clone(),
            circular_buffers,
            circular_memory,
        })
    }

    /// The buffers whose addresses stand in a launch, as they are now.
    pub(super) fn buffers_of(&self, launch: &ProgramLaunch) -> BTreeMap<BufferId, BufferSymbol> {
        let kernels = launch.tiles.iter().flat_map(|tile| &tile.kernels);
        let relocations =
            kernels.flat_map(|kernel| kernel.relocations.iter()).flat_map(|of| of.iter());
        let in_arguments = relocations.filter_map(|relocation| match relocation.kind {
            RelocationKind::BufferAddress | RelocationKind::ShardBankPair => {
                Some(BufferId(relocation.object))
            }
            RelocationKind::SemaphoreAddress
            | RelocationKind::CoreNocX
            | RelocationKind::CoreNocY => None,
        });
        let circular = launch.tiles.iter().flat_map(|tile| &tile.circular_in_buffers);
        let all = in_arguments.chain(circular.map(|(_, buffer, _)| *buffer));
        let symbols = all.filter_map(|buffer| Some((buffer, self.buffer_symbol(buffer)?)));
        symbols.collect()
    }

    fn buffer_symbol(&self, buffer: BufferId) -> Option<BufferSymbol> {
        let state = self.buffer(buffer).ok()?;
        let extent = &state.extent;
        Some(BufferSymbol {
            name: state.name.clone(),
            buffer_type: extent.buffer_type,
            size: extent.size(),
            page_size: extent.page_size,
            shards: extent.mapping.sharding().map(|it| format!("{it:?}")).unwrap_or_default(),
        })
    }

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
        if let Some((from, own)) = self.collected_here(collected) {
            let pairs = buffers.iter().map(|(name, buffer)| {
                let recorded = own.buffers.get(*name).copied().ok_or_else(|| no_buffer(name))?;
                Ok(TraceBuffer { recorded, buffer: buffer.id() })
            });
            let mut pairs =
                pairs.collect::<Result<Vec<_>, ArgumentError>>().map_err(CallError::from)?;
            pairs.sort_by_key(|pair| pair.recorded);
            return Ok(self.load_collected_trace(name, &from, pairs)?);
        }
        if self.recorder.is_active() {
            return Err(LoadTraceError::Capturing);
        }
        let collection = Collection {
            bytes: Arc::clone(&collected.bytes),
            buffers: BTreeMap::new(),
            enqueues: Vec::new(),
            weight: 0,
        };
        let given: Vec<(String, BufferId)> =
            buffers.iter().map(|(name, buffer)| ((*name).to_owned(), buffer.id())).collect();
        let made = self.placed_trace(name, &Arc::new(collection), &given)?;
        let id = self.objects.traces.reserve();
        let stage = Stage::Ready(Arc::new(made));
        self.objects.traces.fill(id, TraceState { name: name.to_owned(), stage });
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
        let command = Command::LoadTrace { trace: trace.id(), name, from, buffers };
        self.call(command, Input::Nothing)?;
        Ok(trace)
    }

    /// The name under which this device collected the very bytes.
    fn collected_here(&self, collected: &CollectedTrace) -> Option<(String, Arc<Collection>)> {
        let name = collected.name.as_ref()?;
        let own = self.collected.get(name)?;
        Arc::ptr_eq(&own.bytes, &collected.bytes).then(|| (name.clone(), Arc::clone(own)))
    }

    /// Puts other bytes in the place of what was collected under a name, as a capture holds them. They
    /// stay as they are where the others come from another chip or firmware: the same commands made both.
    pub(crate) fn replace_collected(
        &mut self,
        name: &str,
        bytes: &Arc<[u8]>,
    ) -> Result<(), LoadTraceError> {
        let header = Collected::from_bytes(bytes)?.header;
        match (self.check_origin(&header), self.collected.get(name)) {
            (Ok(()), Some(own)) if own.bytes != *bytes && self.is_alike(&header) => {
                let replaced = Collection {
                    bytes: Arc::clone(bytes),
                    buffers: own.buffers.clone(),
                    enqueues: own.enqueues.clone(),
                    weight: own.weight,
                };
                self.collected.insert(name.to_owned(), Arc::new(replaced));
                Ok(())
            }
            (Ok(()) | Err(LoadTraceError::Chip { .. } | LoadTraceError::Firmware { .. }), _) => {
                Ok(())
            }
            (Err(error), _) => Err(error),
        }
    }

    pub(super) fn perform_load_trace(
        &mut self,
        trace: TraceId,
        name: String,
        from: &str,
        buffers: &[TraceBuffer],
    ) -> Result<(), CallError> {
        same_id(trace.0, self.objects.traces.reserve())?;
        self.check_present(CommandKind::LoadTrace)?;
        let own = self.collected.get(from);
        let own =
            own.ok_or_else(|| InternalError::new("a trace that was not collected is loaded"))?;
        let own = Arc::clone(own);
        let given = own.buffers.iter().filter_map(|(name, recorded)| {
            let pair = buffers.iter().find(|pair| pair.recorded == *recorded)?;
            Some((name.clone(), pair.buffer))
        });
        let given: Vec<(String, BufferId)> = given.collect();
        let made = self.placed_trace(&name, &own, &given);
        let made = made.map_err(|error| refused(error, &own, &name))?;
        let stage = Stage::Ready(Arc::new(made));
        self.objects.traces.fill(trace.0, TraceState { name, stage });
        Ok(())
    }

    /// The trace that lies in bytes, with the addresses that buffers have now.
    fn placed_trace(
        &mut self,
        name: &str,
        collection: &Arc<Collection>,
        buffers: &[(String, BufferId)],
    ) -> Result<Trace, LoadTraceError> {
        let Collected { header, mut words, texts } = Collected::from_bytes(&collection.bytes)?;
        self.check_origin(&header)?;
        self.check_places(&header)?;
        let known: BTreeSet<&str> = header.symbols.iter().filter_map(Symbol::buffer).collect();
        if let Some((unknown, _)) = buffers.iter().find(|(name, _)| !known.contains(name.as_str()))
        {
            return Err(CallError::from(no_buffer(unknown)).into());
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
        let images = self.load_texts(&texts)?;
        let elsewhere = collection.enqueues.is_empty();
        if !elsewhere && collection.enqueues.len() != header.launches.len() {
            return Err(malformed("it has other launches than the trace that was collected").into());
        }
        let fail = |failure| HostError::new(CommandKind::LoadTrace, failure).named(name);
        let of_texts = TextsOf::new(&header, &images);
        let mut launches = Vec::new();
        let mut weight = 0u64;
        for (index, forms) in header.launches.iter().enumerate() {
            let mut tiles = Vec::new();
            for form in forms {
                tiles.push(self.load_tile(form, &words, &of_texts)?);
            }
            let launch = ProgramLaunch::new(ProgramId(u32::MAX), tiles);
            self.check_kernel_config(&launch)
                .map_err(|(failure, detail)| CallError::from(fail(failure).detail(detail)))?;
            let enqueue = collection.enqueues.get(index).copied();
            let command = enqueue.unwrap_or_else(|| self.next_command());
            weight = launch.weight().saturating_add(weight);
            let launch = Arc::new(launch);
            launches.push(TracedLaunch { command, launch, buffers: BTreeMap::new() });
            let room = self.check_room_for(weight);
            room.map_err(|what| {
                CallError::from(ArgumentError { call: CommandKind::LoadTrace, what })
            })?;
        }
        let mut made = Trace::new(name.to_owned(), launches, self.region_pages());
        made.loaded_from = Some(Arc::clone(collection));
        if !planted(Defect::LoadedTraceTakesNoRoom) {
            self.check_trace_region(&made).map_err(|failure| CallError::from(fail(failure)))?;
        }
        Ok(made)
    }

    /// Whether the trace comes from a chip with the same cores at the same places.
    fn is_alike(&self, header: &Header) -> bool {
        header.grid == [self.grid.columns, self.grid.rows]
            && header.harvesting == self.chip.description().harvesting.0
    }

    /// The cores of a trace are here, wherever they stand, and nothing but relocations says where.
    fn check_places(&self, header: &Header) -> Result<(), LoadTraceError> {
        let forms = header.launches.iter().flatten();
        let cores = forms.map(|form| LogicalCore { x: form.core[0], y: form.core[1] });
        let missing: BTreeSet<LogicalCore> =
            cores.filter(|core| self.noc_coordinate(*core).is_err()).collect();
        if !missing.is_empty() {
            let cores = missing.into_iter().collect();
            return Err(LoadTraceError::Cores { cores, grid: self.grid });
        }
        if header.placement_bound && !self.is_alike(header) {
            let [columns, rows] = header.grid;
            return Err(LoadTraceError::PlacementBound {
                collected: HarvestingMask(header.harvesting),
                grid: Grid { columns, rows },
                here: self.chip.description().harvesting,
                here_grid: self.grid,
            });
        }
        Ok(())
    }

    fn check_origin(&self, header: &Header) -> Result<(), LoadTraceError> {
        let here = self.chip.description().architecture.name();
        if header.architecture != here {
            let collected = header.architecture.clone();
            return Err(LoadTraceError::Chip { collected, here: here.to_owned() });
        }
        let told = |name: &str, hash: ContentHash, abi: u32| {
            format!("{name} ({}…, launch ABI {abi})", hash.short())
        };
        let firmware = (header.firmware_hash, header.launch_abi);
        if firmware != (self.firmware.hash(), LAUNCH_ABI) {
            let collected = told(&header.firmware, header.firmware_hash, header.launch_abi);
            let name = &self.firmware.manifest().name;
            let here = told(name, self.firmware.hash(), LAUNCH_ABI);
            return Err(LoadTraceError::Firmware { collected, here });
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
                    unplaced.push(UnplacedSymbol { symbol, reason, core: None });
                }
            }
        }
        if unplaced.is_empty() {
            Ok(values)
        } else {
            Err(LoadTraceError::Unplaced { symbols: unplaced })
        }
    }

    fn place_symbol(
        &self,
        symbol: &Symbol,
        header: &Header,
        candidates: &Candidates<'_>,
    ) -> Result<Value, String> {
        let coordinate = |[x, y]: [u32; 2]| {
            let found = self.noc_coordinate(LogicalCore { x, y });
            found.map_err(|failure| failure.to_string())
        };
        match symbol {
            Symbol::Buffer(wanted) => {
                let buffer = self.find_buffer(wanted, candidates)?;
                let address = self.buffer_address(buffer);
                address.map(Value::Address).map_err(|failure| failure.to_string())
            }
            Symbol::ShardBankPair(wanted) => {
                self.find_buffer(wanted, candidates).map(Value::Shards)
            }
            Symbol::Semaphore(number) => {
                let limit = self.firmware.limits().semaphores;
                if *number >= limit {
                    return Err(format!("a core has {limit}"));
                }
                Ok(Value::Address(self.semaphore_l1_address(*number)))
            }
            Symbol::CoreX(core) => coordinate(*core).map(|at| Value::Exact(at.x.into())),
            Symbol::CoreY(core) => coordinate(*core).map(|at| Value::Exact(at.y.into())),
            // The launch puts it where there is room.
            Symbol::Text(hash) if header.texts.contains_key(hash) => Ok(Value::Exact(0)),
            Symbol::Text(_) => Err("the trace does not hold its ELF".to_owned()),
            Symbol::CircularBuffers => Ok(Value::Address(self.firmware.memory().unreserved_base)),
        }
    }

    /// The buffer that is given for a name, or the only one of that name, if its shape is the same.
    fn find_buffer(
        &self,
        wanted: &BufferSymbol,
        candidates: &Candidates<'_>,
    ) -> Result<BufferId, String> {
        let found = candidates.find(&wanted.name)?;
        let here = self.buffer_symbol(found).ok_or("it was released")?;
        let renamed = BufferSymbol { name: wanted.name.clone(), ..here };
        if renamed != *wanted && !planted(Defect::LoadedTraceTakesAnyShape) {
            return Err(format!(
                "it has {} B in pages of {} B, and the trace wants {} B in pages of {} B, in {} and cut \
                 alike",
                renamed.size, renamed.page_size, wanted.size, wanted.page_size, wanted.buffer_type
            ));
        }
        Ok(found)
    }

    fn load_texts(
        &mut self,
        texts: &BTreeMap<ContentHash, Arc<[u8]>>,
    ) -> Result<BTreeMap<ContentHash, Arc<KernelImage>>, TraceBytesError> {
        let images = texts.iter().map(|(hash, elf)| {
            let image = self.images.image(*hash, elf);
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
        texts: &TextsOf<'_>,
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
            for (processor, word) in kernel.processors.iter().zip(kernel.texts.first..) {
                let processor = Processor::ALL.get(usize::from(*processor)).copied();
                let processor = processor.ok_or_else(|| malformed("there is no such processor"))?;
                let taken = tile.images().any(|(_, other, _)| other == processor)
                    || images.iter().any(|(other, _)| *other == processor);
                if taken {
                    return Err(malformed("two kernels run on one processor").into());
                }
                let image = texts.at(word).ok_or_else(|| malformed("a kernel has no text"))?;
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
        if form.semaphores.iter().any(|(number, _)| *number >= limit) {
            return Err(malformed("a core has fewer semaphores").into());
        }
        if !planted(Defect::LoadedTraceForgetsSemaphores) {
            tile.semaphores.clone_from(&form.semaphores);
        }
        let (slots, rest) = of(form.circular_buffers)?.as_chunks::<4>();
        if !rest.is_empty() || slots.len() > self.chip.description().circular_buffers as usize {
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
        let lowest = self.l1.lowest_taken().unwrap_or(u64::MAX);
        let limit = self.chip.description().l1_size.min(lowest);
        for &[start, size] in memory {
            if u64::from(start).saturating_add(size.into()) > limit {
                let end = u64::from(start).saturating_add(size.into());
                let reason =
                    format!("on core {core} they end at {end:#x}, and L1 is free up to {limit:#x}");
                let symbol = Symbol::CircularBuffers;
                let symbols = vec![UnplacedSymbol { symbol, reason, core: Some(core) }];
                return Err(LoadTraceError::Unplaced { symbols });
            }
            tile.circular_memory.push((start, size));
        }
        Ok(tile)
    }
}

fn no_buffer(name: &str) -> ArgumentError {
    let what = format!("buffer `{name}` does not stand in the trace; leave it out");
    ArgumentError { call: CommandKind::LoadTrace, what }
}

/// The failure of a call that loads what this device collected.
fn refused(error: LoadTraceError, own: &Collection, name: &str) -> CallError {
    let symbols = match error {
        LoadTraceError::Call(error) => return error,
        LoadTraceError::Unplaced { symbols } => symbols,
        other => {
            return ArgumentError { call: CommandKind::LoadTrace, what: other.to_string() }.into();
        }
    };
    let names: BTreeSet<&str> = symbols.iter().filter_map(|it| it.symbol.buffer()).collect();
    let first = names.iter().filter_map(|name| own.buffers.get(*name)).min();
    let core = symbols.iter().find_map(|it| it.core);
    let failure = match (first, core) {
        (Some(&buffer), _) => {
            Failure::TraceBuffersUnplaced { buffer, unplaced: names.len() as u32 }
        }
        (None, Some(core)) => Failure::TraceCircularBuffersClash { core },
        (None, None) => {
            return ArgumentError { call: CommandKind::LoadTrace, what: listed(&symbols) }.into();
        }
    };
    HostError::new(CommandKind::LoadTrace, failure).named(name).detail(listed(&symbols)).into()
}

/// The buffers of some launches, each with a name of its own: several may have been given the same one.
fn symbols_of(launches: &[TracedLaunch]) -> BTreeMap<BufferId, BufferSymbol> {
    let mut symbols: BTreeMap<BufferId, BufferSymbol> = BTreeMap::new();
    for (id, symbol) in launches.iter().flat_map(|traced| &traced.buffers) {
        symbols.entry(*id).or_insert_with(|| symbol.clone());
    }
    let mut taken = BTreeSet::new();
    for symbol in symbols.values_mut() {
        let given = symbol.name.clone();
        let mut number = 2;
        while !taken.insert(symbol.name.clone()) {
            symbol.name = format!("{given} ({number})");
            number += 1;
        }
    }
    symbols
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

/// Which text each word stands for, by the word's offset.
struct TextsOf<'a>(BTreeMap<u64, &'a Arc<KernelImage>>);

impl<'a> TextsOf<'a> {
    fn new(header: &Header, images: &'a BTreeMap<ContentHash, Arc<KernelImage>>) -> Self {
        let relocations = header.relocations.iter().filter_map(|relocation| {
            match header.symbols.get(relocation.symbol as usize)? {
                Symbol::Text(hash) => Some((relocation.offset, images.get(hash)?)),
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
    fn find(&self, name: &str) -> Result<BufferId, String> {
        let given = self.given.get(name);
        if let Some(buffer) = given.filter(|_| !planted(Defect::LoadedTraceIgnoresGivenBuffers)) {
            return Ok(*buffer);
        }
        match self.named.get(name) {
            None => Err("there is no buffer of that name".to_owned()),
            Some(None) => Err("several buffers have that name; say which".to_owned()),
            Some(Some(buffer)) => Ok(*buffer),
        }
    }
}
