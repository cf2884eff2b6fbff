//! Buffers with content from a program that the capture lacks: a replay cannot reproduce it.

use std::collections::BTreeSet;

use hallmark_schema::model::BufferId;

use super::buffers::Buffers;
use super::live_buffers::LiveBuffer;
use crate::event::ProgramEnqueued;

/// The buffers of the capture with unknown content.
#[derive(Debug, Default)]
pub(super) struct Gaps {
    unknown: BTreeSet<BufferId>,
}

/// The words of a launch; some of them are addresses.
pub(super) fn words_of(launch: &ProgramEnqueued) -> BTreeSet<u32> {
    let arguments = launch.arguments.iter().flat_map(|kernel| {
        kernel.common.iter().chain(kernel.cores.iter().flat_map(|core| &core.words))
    });
    let placed = launch.circular_buffers.iter().filter_map(|state| state.given_address.as_ref());
    arguments.chain(placed).copied().collect()
}

/// The buffers that a launch may read or write: those whose memory contains an address among its words.
pub(super) fn named(launch: &ProgramEnqueued, buffers: &Buffers) -> BTreeSet<BufferId> {
    let words = words_of(launch);
    let named = words.iter().flat_map(|word| buffers.live().around((*word).into()));
    named.filter_map(|live| live.place.map(|(id, _)| id)).collect()
}

impl Gaps {
    /// Notes a missing launch: its possible outputs become unknown.
    pub(super) fn missing_launch(&mut self, launch: &ProgramEnqueued, buffers: &Buffers) {
        self.unknown.extend(named(launch, buffers));
    }

    /// Notes a launch: if one of its buffers is unknown, all become unknown.
    pub(super) fn launch(&mut self, launch: &ProgramEnqueued, buffers: &Buffers) {
        if self.unknown.is_empty() {
            return;
        }
        let named = named(launch, buffers);
        if !self.unknown.is_disjoint(&named) {
            self.unknown.extend(named);
        }
    }

    /// Notes that a whole buffer was written.
    pub(super) fn written(&mut self, buffer: BufferId) {
        self.unknown.remove(&buffer);
    }

    /// Whether the content of a buffer is unknown.
    pub(super) fn is_unknown(&self, buffer: &LiveBuffer) -> bool {
        buffer.place.is_some_and(|(id, _)| self.unknown.contains(&id))
    }
}
