//! `CollectTrace`: a trace of a device becomes bytes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hallmark_device_code::LAUNCH_ABI;
use hallmark_engine::InternalError;
use hallmark_engine::launch::{CircularInBuffer, KernelLaunch, TileLaunch};
use hallmark_schema::commands::CollectTrace;
use hallmark_schema::model::{
    ArgumentRelocation, BufferId, Command, CommandIndex, CommandKind, ContentHash, Failure,
    RelocatedArgument,
};

use super::CollectedTrace;
use super::collected::{
    Collected, FORMAT, FORMAT_WITH_LINES, FORMAT_WITH_SCRATCHPADS, Header, KernelForm, Relocation,
    Symbol, TileForm, Words,
};
use crate::error::{ArgumentError, ArgumentProblem, CallError, HostError};
use crate::host::call::Perform;
use crate::host::device::{Device, Host};
use crate::host::kernel_builds::KernelBuilds;
use crate::host::opened::Opened;
use crate::host::programs::Programs;
use crate::host::trace_states::{BufferSymbol, Collection, ReadyTrace, TraceProgress};
use crate::host::types::Trace as TraceHandle;
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
        let collection = self.host.traces.collected(name);
        let collection = collection.ok_or_else(|| InternalError::new("nothing was collected"))?;
        Ok(CollectedTrace { bytes: Arc::clone(&collection.bytes), name: Some(name.to_owned()) })
    }
}

impl Perform for CollectTrace {
    fn perform(self, device: &mut Device, index: CommandIndex, _: Input) -> Result<(), CallError> {
        let Self { trace, collected: name } = self;
        let Host { opened, programs, builds, traces, calls, .. } = &mut device.host;
        // The name is taken whatever comes of the call.
        traces.take_name(&name);
        let fail = |failure| HostError::new(CommandKind::CollectTrace, failure);
        let state = traces.get(trace).map_err(fail)?;
        let TraceProgress::Ready(ready) = &state.progress else {
            let failure = Failure::TraceNotCaptured { trace };
            return Err(fail(failure).named(&state.name).into());
        };
        let collection = match &ready.loaded_from {
            Some(collection) => Arc::clone(collection),
            None => {
                let bound = calls.is_placement_bound();
                Arc::new(collection(opened, programs, builds, bound, ready)?)
            }
        };
        calls.recorder().collected(index, &collection.bytes)?;
        traces.keep(name, collection);
        Ok(())
    }
}

fn collection(
    opened: &Opened,
    programs: &Programs,
    builds: &KernelBuilds,
    placement_bound: bool,
    ready: &ReadyTrace,
) -> Result<Collection, CallError> {
    let trace = &ready.trace;
    let symbols = symbols_of(&ready.buffers);
    let base = opened.firmware().memory().unreserved_base;
    let collected = TileCollector { programs, builds, buffers: &symbols, base };
    let mut gathered = TraceContents::default();
    let mut launches = Vec::new();
    for traced in &trace.launches {
        let tiles = traced.launch.tiles.iter();
        let forms = tiles.map(|tile| collected.tile(tile, &mut gathered));
        launches.push(forms.collect::<Result<Vec<_>, _>>()?);
    }
    let manifest = opened.firmware().manifest();
    let TraceContents { words, symbols: named, relocations, binaries, lines } = gathered;
    let header = Header {
        format: format_of(&launches, !lines.is_empty()).to_owned(),
        architecture: opened.description().architecture.name().to_owned(),
        grid: [opened.grid().columns, opened.grid().rows],
        harvesting: opened.description().harvesting.0,
        placement_bound,
        firmware: manifest.name.clone(),
        firmware_hash: opened.firmware().hash(),
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

/// The oldest format that holds a trace.
fn format_of(launches: &[Vec<TileForm>], has_lines: bool) -> &'static str {
    let mut kernels = launches.iter().flatten().flat_map(|tile| &tile.kernels);
    if kernels.any(|kernel| !kernel.scratchpads.is_empty()) {
        FORMAT_WITH_SCRATCHPADS
    } else if has_lines {
        FORMAT_WITH_LINES
    } else {
        FORMAT
    }
}

/// Gathers the launches of tiles: binaries, words and the relocations among them.
struct TileCollector<'a> {
    programs: &'a Programs,
    builds: &'a KernelBuilds,
    buffers: &'a BTreeMap<BufferId, BufferSymbol>,
    /// The first address of L1 that circular buffers may take.
    base: u32,
}

impl TileCollector<'_> {
    fn tile(
        &self,
        tile: &TileLaunch,
        gathered: &mut TraceContents,
    ) -> Result<TileForm, InternalError> {
        let kernels = tile.kernels.iter().map(|kernel| self.kernel(kernel, gathered));
        let kernels = kernels.collect::<Result<Vec<_>, _>>()?;
        let slots = tile.circular_buffers.iter();
        let slots =
            slots.flat_map(|slot| [slot.address, slot.size, slot.num_pages, slot.page_size]);
        let circular_buffers = gathered.push(slots);
        for ((index, slot), word) in
            tile.circular_buffers.iter().enumerate().zip((circular_buffers.first..).step_by(4))
        {
            let in_buffer = tile.circular_in_buffers.iter().find(|it| it.index == index);
            match in_buffer {
                Some(CircularInBuffer { buffer, offset, .. }) => {
                    gathered.relocate(word, Symbol::Buffer(self.buffer(*buffer)?), *offset);
                }
                None if slot.size > 0 => {
                    let addend = slot.address.wrapping_sub(self.base);
                    gathered.relocate(word, Symbol::CircularBuffers, addend);
                }
                None => {}
            }
        }
        let memory = tile.circular_memory.iter();
        let circular_memory = gathered.push(memory.flat_map(|it| [it.address, it.size]));
        for (memory, word) in tile.circular_memory.iter().zip((circular_memory.first..).step_by(2))
        {
            let addend = memory.address.wrapping_sub(self.base);
            gathered.relocate(word, Symbol::CircularBuffers, addend);
        }
        Ok(TileForm {
            core: [tile.core.x, tile.core.y],
            kernels,
            semaphores: tile.semaphores.clone(),
            circular_buffers,
            circular_memory,
        })
    }

    fn kernel(
        &self,
        kernel: &KernelLaunch,
        gathered: &mut TraceContents,
    ) -> Result<KernelForm, InternalError> {
        let binaries = gathered.push(kernel.images.iter().map(|_| 0));
        for (word, (_, image)) in (binaries.first..).zip(&kernel.images) {
            let (hash, elf) = self
                .builds
                .elf(image)
                .ok_or_else(|| InternalError::new("a kernel of a trace has no ELF"))?;
            gathered.binaries.insert(hash, Arc::clone(elf));
            if let Some(table) = image.lines() {
                gathered.lines.insert(hash, Arc::clone(table));
            }
            gathered.relocate(word, Symbol::KernelBinary(hash), image.entry());
        }
        let [arguments, common] =
            [&kernel.arguments, &kernel.common].map(|words| gathered.push(words.iter().copied()));
        for (place, relocations) in [arguments, common].iter().zip(&kernel.relocations) {
            for &ArgumentRelocation { index, argument } in relocations.iter() {
                let at = place.first.saturating_add(index);
                let word = gathered.words.get(at as usize).copied().unwrap_or_default();
                let (symbol, addend) = self.relocated(argument, word)?;
                gathered.relocate(at, symbol, addend);
            }
        }
        let scratchpads = kernel.scratchpads.iter();
        let scratchpads = scratchpads.map(|it| (it.argument, it.memory.size)).collect();
        let processors = kernel.images.iter().map(|(processor, _)| *processor as u8).collect();
        Ok(KernelForm { processors, binaries, arguments, common, scratchpads })
    }

    /// The symbol of an argument that is this word here, and the number that is added to the symbol's value.
    fn relocated(
        &self,
        argument: RelocatedArgument,
        word: u32,
    ) -> Result<(Symbol, u32), InternalError> {
        Ok(match argument {
            RelocatedArgument::BufferAddress { buffer, offset } => {
                (Symbol::Buffer(self.buffer(buffer)?), offset)
            }
            RelocatedArgument::ShardBankPair { buffer, pair } => {
                (Symbol::ShardBankPair(self.buffer(buffer)?), pair)
            }
            RelocatedArgument::SemaphoreAddress { semaphore, offset } => {
                let semaphore = self.programs.semaphore(semaphore);
                let semaphore =
                    semaphore.map_err(|failure| InternalError::new(failure.to_string()))?;
                (Symbol::Semaphore(semaphore.number), offset)
            }
            RelocatedArgument::ScratchpadAddress { .. } => {
                (Symbol::CircularBuffers, word.wrapping_sub(self.base))
            }
            RelocatedArgument::CoreNocX { x, y } => (Symbol::CoreX([x.into(), y.into()]), 0),
            RelocatedArgument::CoreNocY { x, y } => (Symbol::CoreY([x.into(), y.into()]), 0),
        })
    }

    fn buffer(&self, buffer: BufferId) -> Result<BufferSymbol, InternalError> {
        let found = self.buffers.get(&buffer).cloned();
        found.ok_or_else(|| InternalError::new(format!("buffer {buffer} of a trace is unknown")))
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
