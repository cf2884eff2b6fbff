//! What a trace holds, what it is as bytes, and what room it takes in the region that every DRAM bank sets aside.

pub(crate) mod collected;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use hallmark_chip::LogicalCore;
use hallmark_schema::model::{BufferId, BufferType, CommandIndex};
use serde::{Deserialize, Serialize};

use crate::dispatch::{ProgramLaunch, TileLaunch};

/// A trace that a host program made.
#[derive(Debug)]
pub(crate) struct TraceState {
    pub(crate) name: String,
    pub(crate) stage: Stage,
}

/// How far a trace has come.
#[derive(Debug)]
pub(crate) enum Stage {
    /// Its queue still records it.
    Recording {
        launches: Vec<TracedLaunch>,
        /// Bytes that they hold in the host's memory, roughly.
        weight: u64,
    },
    /// It lies in the trace region.
    Ready(Arc<Trace>),
}

/// A program as it was when it was enqueued into a trace: arguments and addresses stay.
#[derive(Debug)]
pub(crate) struct TracedLaunch {
    pub(crate) command: CommandIndex,
    pub(crate) launch: Arc<ProgramLaunch>,
    /// The buffers whose addresses stand in it, as they were then.
    pub(crate) buffers: BTreeMap<BufferId, BufferSymbol>,
}

/// A buffer as a trace that is taken elsewhere asks for it: kernels are compiled for its shape.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BufferSymbol {
    pub(crate) name: String,
    pub(crate) buffer_type: BufferType,
    pub(crate) size: u64,
    pub(crate) page_size: u64,
    /// How it is cut into shards, and the bank of each; nothing for an interleaved one.
    pub(crate) shards: String,
}

/// A complete trace.
#[derive(Debug)]
pub(crate) struct Trace {
    pub(crate) name: String,
    pub(crate) launches: Vec<TracedLaunch>,
    /// Every core that one of the launches runs on.
    pub(crate) cores: BTreeSet<LogicalCore>,
    /// Bytes of the trace region, whole pages.
    pub(crate) size: u64,
    /// See [`Trace::weight`]: every enqueue asks for it.
    weight: u64,
    /// Whether a device was asked to replay it before.
    pub(crate) replayed: AtomicBool,
    /// The bytes that it was loaded from, if it was.
    pub(crate) loaded_from: Option<Arc<Collection>>,
}

/// A trace as bytes, with what its own device knows beyond them.
#[derive(Debug)]
pub(crate) struct Collection {
    pub(crate) bytes: Arc<[u8]>,
    /// The buffers that it was made with, by their names in the bytes; none where they come from
    /// elsewhere.
    pub(crate) buffers: BTreeMap<String, BufferId>,
    /// The enqueue of each launch; none where the bytes come from elsewhere.
    pub(crate) enqueues: Vec<CommandIndex>,
    /// Bytes that its launches hold in the host's memory, roughly.
    pub(crate) weight: u64,
}

impl Trace {
    pub(crate) fn new(name: String, launches: Vec<TracedLaunch>, region: RegionPages) -> Self {
        let size = region.padded(commands_size(&launches));
        let tiles = launches.iter().flat_map(|traced| &traced.launch.tiles);
        let cores = tiles.map(|tile| tile.core).collect();
        let weight = weight_of(&launches);
        Self {
            name,
            launches,
            cores,
            size,
            weight,
            replayed: AtomicBool::new(false),
            loaded_from: None,
        }
    }

    /// Bytes that its launches hold in the host's memory, roughly.
    pub(crate) const fn weight(&self) -> u64 {
        self.weight
    }
}

/// Bytes that launches hold in the host's memory, roughly.
fn weight_of(launches: &[TracedLaunch]) -> u64 {
    launches.iter().map(|traced| traced.launch.weight()).fold(0, u64::saturating_add)
}

// The room that a trace takes is part of the program: it decides whether a capture of it fails. So it
// follows from the calls alone, and neither from the firmware nor from how kernels were compiled: texts
// lie outside the region, as program binaries do upstream, and a launch only refers to them.

/// Bytes of a launch, of each of its tiles, and of what ends a trace.
const LAUNCH: u64 = 64;
const TILE: u64 = 64;
const END: u64 = 16;
/// Bytes of a semaphore, an index of a circular buffer, a reference to a text; arguments are padded to it.
const ENTRY: u64 = 16;

/// Bytes of the commands of a trace.
fn commands_size(launches: &[TracedLaunch]) -> u64 {
    let sizes = launches.iter().map(|traced| {
        let tiles = traced.launch.tiles.iter().map(tile_size);
        tiles.fold(LAUNCH, u64::saturating_add)
    });
    sizes.fold(END, u64::saturating_add)
}

fn tile_size(tile: &TileLaunch) -> u64 {
    let arguments = tile.kernels.iter().flat_map(|kernel| [&kernel.arguments, &kernel.common]);
    let arguments: u64 =
        arguments.map(|words| (words.len() as u64 * 4).next_multiple_of(ENTRY)).sum();
    let buffers = tile.circular_buffers.iter().filter(|slot| slot.size > 0).count();
    let entries = tile.images().count() + tile.semaphores.len() + buffers;
    TILE + arguments + entries as u64 * ENTRY
}

/// Pages by which the trace region is given out, interleaved over the banks of DRAM.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RegionPages {
    pub(crate) banks: u64,
    pub(crate) alignment: u64,
}

impl RegionPages {
    /// The smallest and the largest page (tt-metal: `kExecBufPageMin`, `kExecBufPageMax`).
    const PAGE: (u64, u64) = (1024, 4096);

    /// As tt-metal's `compute_interleaved_trace_buf_page_size`: a page for each bank, within limits.
    fn padded(self, size: u64) -> u64 {
        let (least, most) = Self::PAGE;
        let page = size.div_ceil(self.banks.max(1)).clamp(least, most);
        size.next_multiple_of(page.next_multiple_of(self.alignment.max(1)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traces_take_whole_pages_of_one_page_a_bank() {
        let region = RegionPages { banks: 12, alignment: 32 };
        assert_eq!(region.padded(1), 1024);
        assert_eq!(region.padded(12 * 1024), 12 * 1024);
        // 1025 bytes for each bank, rounded up to the alignment.
        assert_eq!(region.padded(12 * 1024 + 1), 12 * 1056);
        assert_eq!(region.padded(12 * 4096 + 1), 13 * 4096);
    }
}
