//! The memory that a worker has taken itself. Before it gives memory back, it looks whether it is over its budget: a run that is
//! over between two looks of its parent would otherwise pass or not by chance.

use std::sync::OnceLock;
use std::time::Duration;

use hallmark_runtime::{Device, ReplayObserver};
use hallmark_schema::model::CommandIndex;

use super::memory_budget::{MemorySize, taken};

static BUDGET: OnceLock<MemorySize> = OnceLock::new();

/// States the budget of this worker.
pub(super) fn set_budget(budget: MemorySize) {
    let _ = BUDGET.set(budget);
}

/// Waits for the end by the parent, if the worker is over its budget.
pub(super) fn wait_if_over() {
    let Some(MemorySize(budget)) = BUDGET.get() else { return };
    while taken(std::process::id()).is_some_and(|taken| taken > *budget) {
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Looks at the worker's memory at the end of a replay, and at nothing else.
pub(super) struct MemoryAtEnd;

impl ReplayObserver for MemoryAtEnd {
    fn before(&mut self, _: &mut Device, _: CommandIndex) {}
    fn after(&mut self, _: &mut Device, _: CommandIndex) {}
    fn at_end(&mut self) {
        wait_if_over();
    }
}
