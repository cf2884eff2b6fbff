//! A trace as an engine replays it: launches in their order.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use hallmark_chip::LogicalCore;
use hallmark_schema::model::CommandIndex;

use super::launch::ProgramLaunch;

/// A program as it was when it was enqueued into a trace: arguments and addresses stay.
#[derive(Clone, Debug)]
pub(crate) struct TracedLaunch {
    pub(crate) command: CommandIndex,
    pub(crate) launch: Arc<ProgramLaunch>,
}

/// Launches that are replayed together.
#[derive(Debug)]
pub(crate) struct Trace {
    pub(crate) name: String,
    pub(crate) launches: Vec<TracedLaunch>,
    /// Every core that one of the launches runs on.
    pub(crate) cores: BTreeSet<LogicalCore>,
    /// Whether an engine was asked to replay it before.
    pub(super) replayed: AtomicBool,
}

impl Trace {
    pub(crate) fn new(name: String, launches: Vec<TracedLaunch>) -> Self {
        let tiles = launches.iter().flat_map(|traced| &traced.launch.tiles);
        let cores = tiles.map(|tile| tile.core).collect();
        Self { name, launches, cores, replayed: AtomicBool::new(false) }
    }
}
