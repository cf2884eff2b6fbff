//! The traces of a device, those that queues record and those in the trace region, and traces as bytes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hallmark_chip::{DescribedBuffer, DescribedExtent};
use hallmark_engine::trace::TracedLaunch;
use hallmark_schema::model::{BufferId, Failure, ObjectKind, TraceId};

use super::objects::ObjectTable;
use super::trace_states::{
    BufferSymbol, Collection, ReadyTrace, RecordedLaunch, TraceProgress, TraceState,
};
use crate::InternalError;
use crate::defects::{Defect, planted};

/// Traces by id, and traces as bytes by the names that they were collected under.
#[derive(Debug)]
pub(super) struct Traces {
    table: ObjectTable<TraceState>,
    /// Bytes of each DRAM bank that are set aside for traces.
    region_size: u64,
    collected: BTreeMap<String, Arc<Collection>>,
    /// The names of collected traces, and those of calls that failed.
    collected_names: BTreeSet<String>,
}

impl Traces {
    pub(super) const fn new(region_size: u64) -> Self {
        Self {
            table: ObjectTable::new(ObjectKind::Trace),
            region_size,
            collected: BTreeMap::new(),
            collected_names: BTreeSet::new(),
        }
    }

    /// The id that the next trace takes.
    pub(super) fn next(&self) -> u32 {
        self.table.next()
    }

    /// Takes the next id; [`Traces::fill`] makes it usable.
    pub(super) fn reserve(&mut self) -> TraceId {
        TraceId(self.table.reserve())
    }

    pub(super) fn fill(&mut self, trace: TraceId, name: String, progress: TraceProgress) {
        self.table.fill(trace.0, TraceState { name, progress });
    }

    pub(super) fn get(&self, trace: TraceId) -> Result<&TraceState, Failure> {
        self.table.get(trace.0)
    }

    pub(super) fn release(&mut self, trace: TraceId) -> Result<TraceState, Failure> {
        self.table.release(trace.0)
    }

    /// Adds a launch to a trace that a queue records; `buffers` are those whose addresses stand in the launch.
    pub(super) fn record(
        &mut self,
        trace: TraceId,
        traced: TracedLaunch,
        buffers: BTreeMap<BufferId, BufferSymbol>,
    ) -> Result<(), InternalError> {
        let not_recorded = || InternalError::new(format!("trace {trace} is not recorded"));
        let state = self.table.get_mut(trace.0).map_err(|_| not_recorded())?;
        let TraceProgress::Recording { launches, weight } = &mut state.progress else {
            return Err(not_recorded());
        };
        *weight = weight.saturating_add(traced.launch.weight());
        launches.push(RecordedLaunch { traced, buffers });
        Ok(())
    }

    /// Refuses a trace that does not fit into the trace region beside those that live.
    pub(super) fn check_region(&self, made: &ReadyTrace) -> Result<(), Failure> {
        let ready = self.table.live().filter_map(|(_, state)| match &state.progress {
            TraceProgress::Ready(trace) => Some(trace.size),
            TraceProgress::Recording { .. } => None,
        });
        let live: u64 = ready.sum();
        let live = if planted(Defect::TraceRoomForOne) { 0 } else { live };
        let (size, limit) = (made.size.saturating_add(live), self.region_size);
        if size > limit { Err(Failure::TraceRegionTooSmall { size, limit }) } else { Ok(()) }
    }

    /// The live trace whose launches were given memory that a new buffer takes: its name, and the name of the buffer that
    /// was there.
    pub(super) fn given_memory_of(&self, new: &DescribedBuffer) -> Option<(&str, &str)> {
        let overlaps = |given: &DescribedBuffer| {
            given.extents.iter().any(|old| {
                let new = new.extents.iter().filter(|new| new.tile == old.tile);
                let mut new = new.map(DescribedExtent::range);
                new.any(|new| new.start < old.range().end && old.range().start < new.end)
            })
        };
        self.table.live().find_map(|(_, TraceState { name, progress })| {
            let launches: Vec<&TracedLaunch> = match progress {
                TraceProgress::Recording { launches, .. } => {
                    launches.iter().map(|recorded| &recorded.traced).collect()
                }
                TraceProgress::Ready(ready) => ready.trace.launches.iter().collect(),
            };
            let mut given = launches.into_iter().flat_map(|traced| traced.launch.buffers.values());
            let found = given.find(|given| overlaps(given))?;
            Some((name.as_str(), &*found.name))
        })
    }

    /// Bytes that traces hold in the host's memory, roughly.
    pub(super) fn weight(&self) -> u64 {
        self.table.live().fold(0, |sum, (_, state)| {
            sum.saturating_add(match &state.progress {
                TraceProgress::Ready(trace) => trace.weight,
                TraceProgress::Recording { weight, .. } => *weight,
            })
        })
    }

    /// The trace that was collected under a name.
    pub(super) fn collected(&self, name: &str) -> Option<&Arc<Collection>> {
        self.collected.get(name)
    }

    /// Bytes of all collected traces.
    pub(super) fn collected_bytes(&self) -> u64 {
        let held = self.collected.values().map(|it| it.bytes.len() as u64);
        held.fold(0, u64::saturating_add)
    }

    /// Whether a call has collected a trace under a name, or has failed to.
    pub(super) fn is_name_taken(&self, name: &str) -> bool {
        self.collected_names.contains(name)
    }

    /// Takes the name of a collected trace, whatever the call comes to.
    pub(super) fn take_name(&mut self, name: &str) {
        self.collected_names.insert(name.to_owned());
    }

    /// Keeps a collected trace, in the place of an earlier one of the name.
    pub(super) fn keep(&mut self, name: String, collection: Arc<Collection>) {
        self.collected.insert(name, collection);
    }

    /// Forgets traces: ids count from 0 again.
    pub(super) fn clear(&mut self) {
        self.table.clear();
    }

    /// Forgets collected traces and their names.
    pub(super) fn clear_collected(&mut self) {
        self.collected.clear();
        self.collected_names.clear();
    }
}
