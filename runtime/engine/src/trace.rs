//! A trace as an engine replays it: launches in their order.

use std::collections::BTreeSet;
use std::sync::Arc;

use hallmark_chip::LogicalCore;
use hallmark_schema::model::CommandIndex;

use crate::launch::ProgramLaunch;

/// A program as it was when it was enqueued into a trace: arguments and addresses stay.
#[derive(Clone, Debug)]
pub struct TracedLaunch {
    /// The call that enqueued it into the trace.
    pub command: CommandIndex,
    /// The program's launch.
    pub launch: Arc<ProgramLaunch>,
}

/// Launches that are replayed together.
#[derive(Debug)]
pub struct Trace {
    /// The name that the host program gave it.
    pub name: String,
    /// In the order in which they were enqueued.
    pub launches: Vec<TracedLaunch>,
    /// The cores of all launches.
    pub cores: BTreeSet<LogicalCore>,
}

impl Trace {
    /// A trace of launches that were recorded.
    pub fn new(name: String, launches: Vec<TracedLaunch>) -> Self {
        let tiles = launches.iter().flat_map(|traced| &traced.launch.tiles);
        let cores = tiles.map(|tile| tile.core).collect();
        Self { name, launches, cores }
    }
}

/// A trace that is replayed.
#[derive(Clone, Debug)]
pub(crate) struct ReplayedTrace {
    /// The call that replays it.
    pub(crate) command: CommandIndex,
    pub(crate) trace: Arc<Trace>,
}
