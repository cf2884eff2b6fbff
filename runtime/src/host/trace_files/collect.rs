//! Traces as bytes, made of what a device knows of them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hallmark_chip::LogicalCore;
use hallmark_device_code::LAUNCH_ABI;
use hallmark_engine::InternalError;
use hallmark_engine::launch::{CircularInBuffer, ProgramLaunch, TileLaunch};
use hallmark_schema::commands::CollectTrace;
use hallmark_schema::model::{
    ArgumentRelocation, BufferId, Command, CommandIndex, CommandKind, ContentHash, Failure,
    RelocatedArgument, SemaphoreId,
};

use super::super::call::Perform;
use super::CollectedTrace;
use super::collected::{
    Collected, FORMAT, FORMAT_WITH_LINES, Header, KernelForm, Relocation, Symbol, TileForm, Words,
};
use crate::error::{ArgumentError, ArgumentProblem, CallError, HostError};
use crate::host::trace_states::{BufferSymbol, Collection, ReadyTrace, TraceProgress};
use crate::host::types::Trace as TraceHandle;
use crate::host::{Device, Host};
use crate::payload::Input;

/// Words, symbols and relocations as they are gathered.
#[derive(Default)]
struct TraceContents {
    words: Vec<u32>,
    symbols: Vec<Symbol>,
    relocations: Vec<Relocation>,
    binaries: BTreeMap<ContentHash, Arc<[u8]>>,
    lines: BTreeMap<ContentHash, Arc<[u8]>>,
}

impl TraceContents {
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

fn lengths(parts: &BTreeMap<ContentHash, Arc<[u8]>>) -> BTreeMap<ContentHash, u64> {
    parts.iter().map(|(hash, part)| (*hash, part.len() as u64)).collect()
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
        let command =
            Command::CollectTrace(CollectTrace { trace: trace.id(), collected: name.to_owned() });
        self.call(command, Input::Nothing)?;
        let collection = self.host.collected.get(name);
        let collection = collection.ok_or_else(|| InternalError::new("nothing was collected"))?;
        Ok(CollectedTrace { bytes: Arc::clone(&collection.bytes), name: Some(name.to_owned()) })
    }
}

impl Host {
    fn collection(&self, ready: &ReadyTrace) -> Result<Collection, CallError> {
        let trace = &ready.trace;
        let symbols = symbols_of(&ready.buffers);
        let mut gathered = TraceContents::default();
        let mut launches = Vec::new();
        for traced in &trace.launches {
            let tiles = traced.launch.tiles.iter();
            let forms = tiles.map(|tile| self.collect_tile(tile, &symbols, &mut gathered));
            launches.push(forms.collect::<Result<Vec<_>, _>>()?);
        }
        let manifest = self.firmware.manifest();
        let TraceContents { words, symbols: named, relocations, binaries, lines } = gathered;
        let header = Header {
            format: if lines.is_empty() { FORMAT } else { FORMAT_WITH_LINES }.to_owned(),
            architecture: self.description.architecture.name().to_owned(),
            grid: [self.grid.columns, self.grid.rows],
            harvesting: self.description.harvesting.0,
            placement_bound: self.placement_bound,
            firmware: manifest.name.clone(),
            firmware_hash: self.firmware.hash(),
            launch_abi: LAUNCH_ABI,
            name: trace.name.clone(),
            launches,
            symbols: named,
            relocations,
            words: words.len() as u32,
            binaries: lengths(&binaries),
            lines: lengths(&lines),
        };
        let bytes = Collected { header, words, binaries, lines }.to_bytes();
        let bytes = bytes.map_err(|error| ArgumentError {
            call: CommandKind::CollectTrace,
            problem: ArgumentProblem::TraceBytes { reason: error.to_string() },
        })?;
        Ok(Collection {
            bytes: bytes.into(),
            buffers: symbols.into_iter().map(|(id, symbol)| (symbol.name, id)).collect(),
            enqueues: trace.launches.iter().map(|traced| traced.command).collect(),
            weight: ready.weight,
        })
    }

    fn collect_tile(
        &self,
        tile: &TileLaunch,
        buffers: &BTreeMap<BufferId, BufferSymbol>,
        gathered: &mut TraceContents,
    ) -> Result<TileForm, InternalError> {
        let symbol = |buffer: BufferId| {
            let found = buffers.get(&buffer).cloned();
            found
                .ok_or_else(|| InternalError::new(format!("buffer {buffer} of a trace is unknown")))
        };
        let mut kernels = Vec::new();
        for kernel in &tile.kernels {
            let binaries = gathered.push(kernel.images.iter().map(|_| 0));
            for (word, (_, image)) in (binaries.first..).zip(&kernel.images) {
                let (hash, elf) = self
                    .images
                    .elf(image)
                    .ok_or_else(|| InternalError::new("a kernel of a trace has no ELF"))?;
                gathered.binaries.insert(hash, Arc::clone(elf));
                if let Some(table) = image.lines() {
                    gathered.lines.insert(hash, Arc::clone(table));
                }
                gathered.relocate(word, Symbol::KernelBinary(hash), image.entry());
            }
            let [arguments, common] = [&kernel.arguments, &kernel.common]
                .map(|words| gathered.push(words.iter().copied()));
            for (place, relocations) in [arguments, common].iter().zip(&kernel.relocations) {
                for &ArgumentRelocation { index, argument } in relocations.iter() {
                    let (stands_for, addend) = match argument {
                        RelocatedArgument::BufferAddress { buffer, offset } => {
                            (Symbol::Buffer(symbol(buffer)?), offset)
                        }
                        RelocatedArgument::ShardBankPair { buffer, pair } => {
                            (Symbol::ShardBankPair(symbol(buffer)?), pair)
                        }
                        RelocatedArgument::SemaphoreAddress { semaphore, offset } => {
                            let SemaphoreId(id) = semaphore;
                            let semaphore = self.objects.semaphores.get(id);
                            let semaphore = semaphore
                                .map_err(|failure| InternalError::new(failure.to_string()))?;
                            (Symbol::Semaphore(semaphore.number), offset)
                        }
                        RelocatedArgument::CoreNocX { x, y } => {
                            (Symbol::CoreX([x.into(), y.into()]), 0)
                        }
                        RelocatedArgument::CoreNocY { x, y } => {
                            (Symbol::CoreY([x.into(), y.into()]), 0)
                        }
                    };
                    gathered.relocate(place.first.saturating_add(index), stands_for, addend);
                }
            }
            let processors = kernel.images.iter().map(|(processor, _)| *processor as u8).collect();
            kernels.push(KernelForm { processors, binaries, arguments, common });
        }
        let slots = tile.circular_buffers.iter();
        let slots =
            slots.flat_map(|slot| [slot.address, slot.size, slot.num_pages, slot.page_size]);
        let circular_buffers = gathered.push(slots);
        let base = self.firmware.memory().unreserved_base;
        for ((index, slot), word) in
            tile.circular_buffers.iter().enumerate().zip((circular_buffers.first..).step_by(4))
        {
            let in_buffer = tile.circular_in_buffers.iter().find(|it| it.index == index);
            match in_buffer {
                Some(CircularInBuffer { buffer, offset, .. }) => {
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
        let circular_memory = gathered.push(memory.flat_map(|it| [it.address, it.size]));
        for (memory, word) in tile.circular_memory.iter().zip((circular_memory.first..).step_by(2))
        {
            gathered.relocate(word, Symbol::CircularBuffers, memory.address.wrapping_sub(base));
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
    pub(in crate::host) fn buffers_of(
        &self,
        launch: &ProgramLaunch,
    ) -> BTreeMap<BufferId, BufferSymbol> {
        let kernels = launch.tiles.iter().flat_map(|tile| &tile.kernels);
        let relocations =
            kernels.flat_map(|kernel| kernel.relocations.iter()).flat_map(|of| of.iter());
        let in_arguments = relocations.filter_map(|relocation| relocation.argument.buffer());
        let circular = launch.tiles.iter().flat_map(|tile| &tile.circular_in_buffers);
        let all = in_arguments.chain(circular.map(|it| it.buffer));
        let symbols = all.filter_map(|buffer| Some((buffer, self.buffer_symbol(buffer)?)));
        symbols.collect()
    }

    pub(super) fn buffer_symbol(&self, buffer: BufferId) -> Option<BufferSymbol> {
        let state = self.buffer(buffer).ok()?;
        let extent = &state.extent;
        Some(BufferSymbol {
            name: state.name.clone(),
            buffer_type: extent.buffer_type,
            size: extent.size(),
            page_size: extent.page_size,
            shards: extent
                .mapping
                .sharding()
                .map(|(sharding, cores)| {
                    let columns = u64::from(self.grid.columns);
                    // The banks of DRAM are the cores of one row.
                    let number = |core: &LogicalCore| {
                        u64::from(core.y).saturating_mul(columns).saturating_add(core.x.into())
                    };
                    sharding.trace_key(&cores.iter().map(number).collect::<Vec<_>>())
                })
                .unwrap_or_default(),
        })
    }
}

impl Perform for CollectTrace {
    fn perform(self, device: &mut Device, index: CommandIndex, _: Input) -> Result<(), CallError> {
        let Self { trace, collected: name } = self;
        let host = &mut device.host;
        // The name is taken whatever comes of the call.
        host.collected_names.insert(name.clone());
        let fail = |failure| HostError::new(CommandKind::CollectTrace, failure);
        let state = host.objects.traces.get(trace.0).map_err(fail)?;
        let TraceProgress::Ready(ready) = &state.progress else {
            let failure = Failure::TraceNotCaptured { trace };
            return Err(fail(failure).named(&state.name).into());
        };
        let collection = match &ready.loaded_from {
            Some(collection) => Arc::clone(collection),
            None => Arc::new(host.collection(ready)?),
        };
        host.recorder.collected(index, &collection.bytes)?;
        host.collected.insert(name, collection);
        Ok(())
    }
}

/// The buffers of some launches, each with a name of its own: several may have been given the same one.
fn symbols_of(buffers: &[BTreeMap<BufferId, BufferSymbol>]) -> BTreeMap<BufferId, BufferSymbol> {
    let mut symbols: BTreeMap<BufferId, BufferSymbol> = BTreeMap::new();
    for (id, symbol) in buffers.iter().flatten() {
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
