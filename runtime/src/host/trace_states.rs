//! The state of a trace, and its size in the region that every DRAM bank sets aside.

use std::collections::BTreeMap;
use std::sync::Arc;

use hallmark_engine::launch::TileLaunch;
use hallmark_engine::trace::{Trace, TracedLaunch};
use hallmark_schema::model::{BufferId, BufferType, CommandIndex};
use serde::{Deserialize, Serialize};

/// A trace that a host program made.
#[derive(Debug)]
pub(crate) struct TraceState {
    pub(crate) name: String,
    pub(crate) progress: TraceProgress,
}

/// The progress of a trace.
#[derive(Debug)]
pub(crate) enum TraceProgress {
    /// Its queue still records it.
    Recording {
        launches: Vec<RecordedLaunch>,
        /// Bytes that they hold in the host's memory, roughly.
        weight: u64,
    },
    /// It lies in the trace region.
    Ready(ReadyTrace),
}

/// A launch of a trace, and the buffers that it names.
#[derive(Debug)]
pub(crate) struct RecordedLaunch {
    pub(crate) traced: TracedLaunch,
    /// The buffers whose addresses stand in the launch, as they were when it was recorded.
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
    /// Its shards and the bank of each; empty for an interleaved buffer.
    pub(crate) shards: String,
}

/// A complete trace.
#[derive(Debug)]
pub(crate) struct ReadyTrace {
    /// The launches that a replay runs.
    pub(crate) trace: Arc<Trace>,
    /// For each launch, the buffers whose addresses stand in it, as they were when it was recorded.
    pub(crate) buffers: Vec<BTreeMap<BufferId, BufferSymbol>>,
    /// Bytes of the trace region, whole pages.
    pub(crate) size: u64,
    /// Bytes that its launches hold in the host's memory, roughly: every enqueue asks for it.
    pub(crate) weight: u64,
    /// The bytes that it was loaded from, if it was.
    pub(crate) loaded_from: Option<Arc<Collection>>,
}

/// A trace as bytes, with facts that only its own device knows.
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

impl ReadyTrace {
    pub(crate) fn new(name: String, launches: Vec<RecordedLaunch>, region: RegionPages) -> Self {
        let (launches, buffers): (Vec<_>, Vec<_>) =
            launches.into_iter().map(|recorded| (recorded.traced, recorded.buffers)).unzip();
        let size = region.padded(commands_size(&launches));
        let weights = launches.iter().map(|traced| traced.launch.weight());
        let weight = weights.fold(0, u64::saturating_add);
        let trace = Arc::new(Trace::new(name, launches));
        Self { trace, buffers, size, weight, loaded_from: None }
    }
}

// The room that a trace takes is part of the program: it decides whether a capture of it fails. So it
// follows from the calls alone, and neither from the firmware nor from how kernels were compiled:
// these lie outside the region, as program binaries do upstream, and a launch only refers to them.

/// Bytes of a launch, of each of its tiles, and of the end of a trace.
const LAUNCH: u64 = 64;
const TILE: u64 = 64;
const END: u64 = 16;
/// Bytes of a semaphore, an index of a circular buffer, a reference to a kernel binary; arguments are padded to it.
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
