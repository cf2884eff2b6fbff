//! Traces on the device: assembled once into the trace region of the DRAM banks, then carried out by one
//! command, whatever they hold.
//!
//! A trace relies on nothing that other programs leave on worker tiles: it brings its kernels' binaries itself, from
//! the dispatcher's store. Region and store are filled from their start; when one is full, all traces are
//! assembled anew as they are replayed.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use hallmark_chip::{DeviceError, LaunchDescription, LogicalCore, TileAddress};
use hallmark_device_code::dispatch_abi::{DispatchTile, TRACE_PAGE};

use super::binary_store::BinaryStore;
use super::commands;
use super::dispatchers::Dispatchers;
use super::submitted::Launches;
use crate::InternalError;
use crate::addresses::Bank;
use crate::chip::Chip;
use crate::launch::CircularMemory;
use crate::observer::Observer;
use crate::stop::RawStop;
use crate::tiles::{
    KernelBinary, ResidentBinaries, TileLayout, Tiles, announce_configuration, boot_tiles,
    describe_launches, description,
};
use crate::trace::{ReplayedTrace, Trace};

/// Pages start at multiples of this in every bank.
const PAGE_ALIGNMENT: u64 = 64;
/// The largest command of a trace.
const COMMAND_LIMIT: usize = 4096;

/// The traces of a dispatcher.
#[derive(Debug)]
pub(super) struct LoadedTraces {
    /// Rows of pages of the region, one page in each bank, that are taken.
    rows: u64,
    store: BinaryStore,
    traces: Vec<LoadedTrace>,
}

/// A trace that lies in the region.
#[derive(Clone, Debug)]
pub(crate) struct LoadedTrace {
    /// Kept, so that no other has its address.
    trace: Arc<Trace>,
    /// In every bank.
    address: u32,
    pages: u32,
    tiles: Arc<BTreeMap<LogicalCore, TracedTile>>,
    /// [`Tiles::binaries_placed`] after its last replay.
    binaries_placed: Option<u64>,
}

/// A tile as a trace leaves it.
#[derive(Debug)]
struct TracedTile {
    /// The resident binaries once the trace is done.
    binaries: ResidentBinaries,
    /// Every binary that the trace brings.
    brought: Vec<KernelBinary>,
    circular_memory: Vec<CircularMemory>,
    /// Where the launch blocks of all its launches lie.
    block: u32,
    /// Its launches in their order, for a device that checks programs.
    descriptions: Vec<Arc<LaunchDescription>>,
}

impl LoadedTraces {
    pub(super) fn new(binaries: Range<u32>) -> Self {
        let store = BinaryStore::new(binaries.start, binaries.end);
        Self { rows: 0, store, traces: Vec::new() }
    }

    fn find(&mut self, trace: &Arc<Trace>) -> Option<&mut LoadedTrace> {
        self.traces.iter_mut().find(|loaded| Arc::ptr_eq(&loaded.trace, trace))
    }
}

/// Commands as they lie in a trace: none passes the end of the dispatcher's buffer.
fn stream(commands: impl IntoIterator<Item = Vec<u8>>) -> Vec<u8> {
    let buffer = DispatchTile::TRACE.size() as usize;
    let mut bytes: Vec<u8> = Vec::new();
    let skip_to = |bytes: &mut Vec<u8>, end: usize| {
        let left = end - bytes.len();
        if left > 0 {
            bytes.extend(commands::skip(left as u32));
            bytes.resize(end, 0);
        }
    };
    for command in commands {
        if bytes.len() % buffer + command.len() > buffer {
            let end = bytes.len().next_multiple_of(buffer);
            skip_to(&mut bytes, end);
        }
        bytes.extend(command);
    }
    let end = bytes.len().next_multiple_of(TRACE_PAGE as usize);
    skip_to(&mut bytes, end);
    bytes
}

/// A trace as its dispatcher carries it out.
struct Assembled {
    /// Whole pages.
    stream: Vec<u8>,
    tiles: BTreeMap<LogicalCore, TracedTile>,
}

/// Assembles a trace whose binaries are taken from a store; `None` if the store is full.
fn assemble(
    chip: &Chip,
    trace: &Trace,
    store: &mut BinaryStore,
) -> Result<Option<Assembled>, InternalError> {
    let region = chip.firmware().memory().kernel_config;
    let mut tiles: BTreeMap<LogicalCore, TracedTile> = BTreeMap::new();
    let mut assembled = Vec::new();
    for traced in &trace.launches {
        let mut layouts = Vec::with_capacity(traced.launch.tiles.len());
        for launch in &traced.launch.tiles {
            let tile = tiles.entry(launch.core).or_insert_with(|| TracedTile {
                binaries: ResidentBinaries::new(region),
                brought: Vec::new(),
                circular_memory: Vec::new(),
                block: 0,
                descriptions: Vec::new(),
            });
            let binaries = &mut tile.binaries;
            let layout = TileLayout::new(chip.firmware(), chip.description(), launch, binaries)?;
            tile.brought.extend(layout.binaries.iter().cloned());
            tile.circular_memory.extend(&launch.circular_memory);
            tile.block = layout.block;
            if chip.wants_meanings() {
                tile.descriptions.push(description(chip, &traced.launch, launch, &layout));
            }
            layouts.push(layout);
        }
        match commands::stored_binaries(&layouts, store)? {
            Some(commands) => assembled.extend(commands),
            None => return Ok(None),
        }
        assembled.extend(commands::launch(&layouts, COMMAND_LIMIT));
    }
    Ok(Some(Assembled { stream: stream(assembled), tiles }))
}

/// Pages in the region, in rows of one page in each bank.
struct PagePlace {
    address: u32,
    pages: u32,
    rows: u64,
}

impl PagePlace {
    /// The place of a stream behind the rows that are taken; `None` if there is no room.
    fn new(chip: &Chip, banks: &[Bank], stream: &[u8], taken: u64) -> Option<Self> {
        let page = u64::from(TRACE_PAGE);
        let pages = stream.len() as u64 / page;
        let rows = pages.div_ceil(banks.len().max(1) as u64);
        let address = chip.start_of_traces().next_multiple_of(PAGE_ALIGNMENT) + taken * page;
        let fits = address + rows * page <= chip.description().dram_bank_size;
        let (address, pages) = (u32::try_from(address).ok()?, u32::try_from(pages).ok()?);
        fits.then_some(Self { address, pages, rows })
    }

    /// Writes a stream to its pages.
    fn write(&self, chip: &mut Chip, banks: &[Bank], stream: &[u8]) -> Result<(), DeviceError> {
        for (index, bank) in banks.iter().enumerate() {
            let own = stream.chunks(TRACE_PAGE as usize).skip(index).step_by(banks.len());
            let own: Vec<u8> = own.flatten().copied().collect();
            let address = TileAddress(bank.offset + u64::from(self.address));
            chip.access().write(bank.tile, address, &own)?;
        }
        Ok(())
    }
}

/// A trace as it lies in the region for the dispatcher that is served; `None` if there is no room for it at all.
///
/// # Errors
/// The device's, or that firmware does not come up on a tile of the trace.
pub(crate) fn loaded_trace(
    dispatchers: &mut Dispatchers,
    tiles: &mut Tiles,
    trace: &Arc<Trace>,
    observer: &mut dyn Observer,
) -> Result<Option<LoadedTrace>, RawStop> {
    if let Some(loaded) = dispatchers.served()?.traces_mut().find(trace) {
        return Ok(Some(loaded.clone()));
    }
    let launched = trace.launches.iter().flat_map(|traced| &traced.launch.tiles);
    boot_tiles(tiles, launched.map(|tile| (tile.core, tile.noc)))?;
    if !load(dispatchers, tiles.chip_mut(), trace)? {
        dispatchers.settle(tiles, observer)?;
        dispatchers.forget_traces();
        load(dispatchers, tiles.chip_mut(), trace)?;
    }
    Ok(dispatchers.served()?.traces_mut().find(trace).cloned())
}

/// Assembles a trace in the region, behind the traces of all queues; false if there is no room.
fn load(
    dispatchers: &mut Dispatchers,
    chip: &mut Chip,
    trace: &Arc<Trace>,
) -> Result<bool, RawStop> {
    // All queues share the region.
    let rows = dispatchers.all().iter().map(|dispatcher| dispatcher.traces().rows);
    let taken = rows.max().unwrap_or_default();
    let dispatcher = dispatchers.served()?;
    let noc = dispatcher.tile().noc;
    let traces = dispatcher.traces_mut();
    let Some(Assembled { stream, tiles }) = assemble(chip, trace, &mut traces.store)? else {
        return Ok(false);
    };
    let binaries = traces.store.take_new();
    let banks = Arc::clone(chip.banks());
    let banks = &banks.dram;
    let Some(place) = PagePlace::new(chip, banks, &stream, taken) else { return Ok(false) };
    for (address, binary) in binaries {
        chip.access().write(noc, TileAddress(u64::from(address)), &binary)?;
    }
    place.write(chip, banks, &stream)?;
    chip.access().order()?;
    traces.rows = taken + place.rows;
    traces.traces.push(LoadedTrace {
        trace: Arc::clone(trace),
        address: place.address,
        pages: place.pages,
        tiles: Arc::new(tiles),
        binaries_placed: None,
    });
    Ok(true)
}

/// Tells the device the meanings that a trace gives the memory of its tiles, and describes its launches.
///
/// # Errors
/// The device's.
pub(crate) fn announce_trace(chip: &mut Chip, loaded: &LoadedTrace) -> Result<(), RawStop> {
    let region = chip.firmware().memory().kernel_config.size();
    for (core, traced) in loaded.tiles.iter() {
        let physical = chip.description().physical(*core);
        let physical =
            physical.ok_or_else(|| InternalError::new(format!("no tile for core {core}")))?;
        let TracedTile { circular_memory, brought, block, descriptions, .. } = traced;
        announce_configuration(chip, physical, region, circular_memory, brought)?;
        describe_launches(chip, physical, *block, descriptions)?;
    }
    Ok(())
}

/// The binaries of a trace that is about to be replayed take the place of those on its tiles. Unless no other binary
/// was placed since the last replay, all layouts must know of it.
///
/// # Errors
/// No dispatcher is served.
pub(crate) fn place_binaries_of_trace(
    dispatchers: &mut Dispatchers,
    tiles: &mut Tiles,
    loaded: &LoadedTrace,
) -> Result<(), RawStop> {
    if loaded.binaries_placed == Some(tiles.binaries_placed()) {
        return Ok(());
    }
    let of_tiles = loaded.tiles.iter().map(|(core, traced)| (core, &traced.binaries));
    let binaries_placed = Some(tiles.replace_binaries(of_tiles));
    if let Some(loaded) = dispatchers.served()?.traces_mut().find(&loaded.trace) {
        loaded.binaries_placed = binaries_placed;
    }
    Ok(())
}

/// Submits the replay of a trace that lies in the region.
///
/// # Errors
/// The device stops while the host waits for room, or the observer could not note the replay.
pub(crate) fn submit_replay(
    dispatchers: &mut Dispatchers,
    tiles: &mut Tiles,
    loaded: &LoadedTrace,
    replayed: ReplayedTrace,
    observer: &mut dyn Observer,
) -> Result<(), RawStop> {
    dispatchers.served()?.launches(Launches::Trace(replayed));
    if let Some(last) = loaded.trace.launches.last() {
        observer.executing(last.command)?;
    }
    dispatchers.submit(tiles, &commands::replay(loaded.address, loaded.pages), observer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_command_of_a_trace_passes_the_end_of_the_buffer() {
        let buffer = DispatchTile::TRACE.size() as usize;
        for size in [16, 48, 1008, 4096] {
            let bytes = stream((0..buffer * 2 / size + 3).map(|_| {
                let mut command = commands::skip(size as u32);
                command.resize(size, 0);
                command
            }));
            assert!(bytes.len().is_multiple_of(TRACE_PAGE as usize));
            let mut at = 0;
            while at < bytes.len() {
                let word: [u8; 4] = bytes[at + 4..at + 8].try_into().unwrap();
                let length = u32::from_le_bytes(word) as usize;
                assert!(length >= 16 && at / buffer == (at + length - 1) / buffer);
                at += length;
            }
            assert_eq!(at, bytes.len());
        }
    }
}
