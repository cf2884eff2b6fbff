//! Traces on the device: assembled once into the trace region of the DRAM banks, then carried out by one
//! command, whatever they hold.
//!
//! A trace counts on nothing that others leave on worker tiles: it brings its kernels' binaries itself, from
//! the dispatcher's store. Region and store are filled from their start; when one is full, all traces are
//! assembled anew as they are replayed.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use hallmark_chip::{LogicalCore, TileAddress};
use hallmark_device_code::dispatch_abi::{DispatchTile, TRACE_PAGE};
use hallmark_schema::model::CommandIndex;

use super::binary_store::BinaryStore;
use super::commands;
use super::dispatcher::{Dispatcher, Launches, ReplayedTrace, stores};
use super::layout::TileLayout;
use super::tile::{KernelBinary, ResidentBinaries};
use crate::InternalError;
use crate::engine::Engine;
use crate::halt::Halt;
use crate::launch::CircularMemory;
use crate::observer::Observer;
use crate::trace::Trace;

/// Pages start at multiples of this in every bank.
const PAGE_ALIGNMENT: u64 = 64;
/// The largest command of a trace.
const COMMAND_LIMIT: usize = 4096;

/// What a dispatcher has of traces.
#[derive(Debug)]
pub(super) struct LoadedTraces {
    /// Rows of pages of the region, one page in each bank, that are taken.
    rows: u64,
    store: BinaryStore,
    traces: Vec<LoadedTrace>,
}

/// A trace that lies in the region.
#[derive(Clone, Debug)]
struct LoadedTrace {
    /// Kept, so that no other has its address.
    trace: Arc<Trace>,
    /// In every bank.
    address: u32,
    pages: u32,
    tiles: Arc<BTreeMap<LogicalCore, TracedTile>>,
    /// [`Engine::binaries_placed`] after its last replay.
    binaries_placed: Option<u64>,
}

/// What a trace makes of a tile.
#[derive(Debug)]
struct TracedTile {
    /// What is resident once it is done.
    binaries: ResidentBinaries,
    /// Every binary that it brings.
    brought: Vec<KernelBinary>,
    circular_memory: Vec<CircularMemory>,
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

impl Engine {
    /// Has the dispatcher replay a trace; false if it cannot hold the trace, or if the launches must be made
    /// one by one: on a device that ends its process on a fault the journal names the launch that did it,
    /// so there the first replay of a trace is not left to the dispatcher.
    pub(crate) fn replay_by_dispatcher(
        &mut self,
        replay: CommandIndex,
        trace: &Arc<Trace>,
        observer: &mut dyn Observer,
    ) -> Result<bool, Halt> {
        let first_time = !trace.replayed.swap(true, Ordering::Relaxed);
        let named = self.chip.capabilities().fault_ends_process && !self.overlaps();
        if first_time && named {
            return Ok(false);
        }
        let Some(loaded) = self.loaded(trace, observer)? else { return Ok(false) };
        if self.wants_meanings() {
            // Nothing runs on the trace's tiles anyway where launches overlap.
            if !self.overlaps() {
                self.settle(observer)?;
                self.profile_closes(true);
            }
            let region = self.firmware.memory().kernel_config;
            for (core, traced) in loaded.tiles.iter() {
                let physical = self.chip.description().physical(*core);
                let physical = physical
                    .ok_or_else(|| InternalError::new(format!("no tile for core {core}")))?;
                let TracedTile { circular_memory, brought, .. } = traced;
                self.announce_configuration(physical, region.size(), circular_memory, brought)?;
            }
        }
        // Unless nothing else was placed since the last replay, others have to know what lies there now.
        if loaded.binaries_placed != Some(self.binaries_placed) {
            for (core, traced) in loaded.tiles.iter() {
                if let Some(tile) = self.tiles.get_mut(core) {
                    tile.binaries = traced.binaries.clone();
                }
            }
            self.binaries_placed = self.binaries_placed.wrapping_add(1);
            let binaries_placed = Some(self.binaries_placed);
            if let Some(loaded) = self.dispatcher()?.traces.find(trace) {
                loaded.binaries_placed = binaries_placed;
            }
        }
        for traced in &trace.launches {
            self.awaits_markers(traced.command, Some(replay), &traced.launch);
        }
        self.profile_opens_replay(replay, trace);
        let replayed = ReplayedTrace { command: replay, trace: Arc::clone(trace) };
        self.dispatcher()?.launches(Launches::Trace(replayed));
        if let Some(last) = trace.launches.last() {
            observer.executing(last.command)?;
        }
        self.enqueue_command(&commands::replay(loaded.address, loaded.pages), observer)?;
        Ok(true)
    }

    /// A trace as it lies in the region; `None` if there is no room for it at all.
    fn loaded(
        &mut self,
        trace: &Arc<Trace>,
        observer: &mut dyn Observer,
    ) -> Result<Option<LoadedTrace>, Halt> {
        if let Some(loaded) = self.dispatcher()?.traces.find(trace) {
            return Ok(Some(loaded.clone()));
        }
        let tiles = trace.launches.iter().flat_map(|traced| &traced.launch.tiles);
        self.boot_tiles(tiles.map(|tile| (tile.core, tile.noc)))?;
        if !self.load(trace)? {
            self.settle(observer)?;
            let l1_size = self.chip.description().l1_size;
            for dispatcher in &mut self.dispatchers {
                let [binaries, _] = stores(&dispatcher.settings, l1_size);
                dispatcher.traces = LoadedTraces::new(binaries);
            }
            self.load(trace)?;
        }
        Ok(self.dispatcher()?.traces.find(trace).cloned())
    }

    /// Assembles a trace in the region, where nothing else lies; false if there is no room.
    fn load(&mut self, trace: &Arc<Trace>) -> Result<bool, Halt> {
        let region = self.firmware.memory().kernel_config;
        let description = self.chip.description();
        let firmware = Arc::clone(&self.firmware);
        let mut tiles: BTreeMap<LogicalCore, TracedTile> = BTreeMap::new();
        let mut assembled = Vec::new();
        let store = &mut self.dispatcher()?.traces.store;
        for traced in &trace.launches {
            let mut layouts = Vec::with_capacity(traced.launch.tiles.len());
            for launch in &traced.launch.tiles {
                let tile = tiles.entry(launch.core).or_insert_with(|| TracedTile {
                    binaries: ResidentBinaries::new(region),
                    brought: Vec::new(),
                    circular_memory: Vec::new(),
                });
                let layout = TileLayout::new(&firmware, description, launch, &mut tile.binaries)?;
                tile.brought.extend(layout.binaries.iter().cloned());
                tile.circular_memory.extend(&launch.circular_memory);
                layouts.push(layout);
            }
            match commands::stored_binaries(&layouts, store)? {
                Some(commands) => assembled.extend(commands),
                None => return Ok(false),
            }
            assembled.extend(commands::launch(&layouts, COMMAND_LIMIT));
        }
        let binaries = store.take_new();
        let bytes = stream(assembled);
        let all_banks = Arc::clone(&self.banks);
        let banks = &all_banks.dram;
        let page = u64::from(TRACE_PAGE);
        let pages = bytes.len() as u64 / page;
        let rows = pages.div_ceil(banks.len().max(1) as u64);
        let start = description.dram_bank_size.saturating_sub(self.settings.trace_region_size);
        // All queues share the region.
        let rows_of = |dispatcher: &Dispatcher| dispatcher.traces.rows;
        let taken = self.dispatchers.iter().map(rows_of).max().unwrap_or_default();
        let address = start.next_multiple_of(PAGE_ALIGNMENT) + taken * page;
        let (Ok(place), Ok(count)) = (u32::try_from(address), u32::try_from(pages)) else {
            return Ok(false);
        };
        if address + rows * page > description.dram_bank_size {
            return Ok(false);
        }
        let noc = self.dispatcher()?.noc;
        for (place, binary) in binaries {
            self.chip.write(noc, TileAddress(u64::from(place)), &binary)?;
        }
        for (index, bank) in banks.iter().enumerate() {
            let own = bytes.chunks(TRACE_PAGE as usize).skip(index).step_by(banks.len());
            let own: Vec<u8> = own.flatten().copied().collect();
            self.chip.write(bank.tile, TileAddress(bank.offset + address), &own)?;
        }
        self.chip.order()?;
        let traces = &mut self.dispatcher()?.traces;
        traces.rows = taken + rows;
        traces.traces.push(LoadedTrace {
            trace: Arc::clone(trace),
            address: place,
            pages: count,
            tiles: Arc::new(tiles),
            binaries_placed: None,
        });
        Ok(true)
    }
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
