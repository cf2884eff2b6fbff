//! A trace as an engine replays it: launches in their order.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use hallmark_chip::LogicalCore;
use hallmark_schema::model::CommandIndex;

use crate::launch::ProgramLaunch;

/// A program as it was when it was enqueued into a trace: arguments and addresses stay.
#[derive(Clone, Debug)]
pub struct TracedLaunch {
    /// The call that enqueued it into the trace.
    pub command: CommandIndex,
    /// What it launches.
    pub launch: Arc<ProgramLaunch>,
}

/// Launches that are replayed together.
#[derive(Debug)]
pub struct Trace {
    /// What the host program called it.
    pub name: String,
    /// In the order in which they were enqueued.
    pub launches: Vec<TracedLaunch>,
    /// Every core that one of the launches runs on.
    pub cores: BTreeSet<LogicalCore>,
    /// Whether an engine was asked to replay it before.
    pub(super) replayed: AtomicBool,
}

impl Trace {
    /// Launches that were recorded.
    pub fn new(name: String, launches: Vec<TracedLaunch>) -> Self {
        let tiles = launches.iter().flat_map(|traced| &traced.launch.tiles);
        let cores = tiles.map(|tile| tile.core).collect();
        Self { name, launches, cores, replayed: AtomicBool::new(false) }
    }
}
