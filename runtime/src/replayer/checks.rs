//! The checks of a replay, each with its name. A build that holds deliberate defects can switch one off
//! (`hallmark_chip::sabotage`); a test in `harness/tests/liars.rs` must fail then.

mod list {
    hallmark_chip::planted_defects! {
        /// Replay: a call that ends otherwise goes unnoticed.
        ReplayedOutcome,
        /// Replay: a fault that a check finds which is newer than the capture counts as a difference.
        NewerFinding,
        /// Replay: queues that end otherwise go unnoticed.
        ReplayedEnd,
        /// Replay: a read that returns other bytes goes unnoticed.
        ReplayedRead,
        /// Replay: a read that completed only when captured goes unnoticed.
        ReplayedReadMissing,
        /// Replay: a read that completes only now goes unnoticed.
        ReplayedReadAdded,
        /// Replay: everything is near a reference.
        ReplayedReadNear,
        /// Replay: another program part goes unnoticed.
        ReplayedProgram,
        /// Replay: an object that lies elsewhere goes unnoticed.
        ReplayedAddress,
        /// Replay: a kernel that runs as another ELF goes unnoticed.
        ReplayedElf,
        /// Replay: a collected trace with other bytes goes unnoticed.
        ReplayedTrace,
        /// Replay: a fault in another place goes unnoticed.
        ReplayedFaultPlace,
        /// Replay: other cores that wait go unnoticed.
        ReplayedWaits,
        /// Replay: kernels of any launch ABI are launched.
        LaunchAbi,
        /// Replay: missing sources and ELFs are not noticed.
        BlobsPresent,
        /// Replay: a capture may take any memory.
        MemoryBudget,
    }
}

pub(super) use list::Defect as Check;
use list::planted;

/// The checks, in the order of their declaration.
pub const REPLAY_CHECKS: &[hallmark_chip::sabotage::PlantedDefect] = list::DEFECTS;

impl Check {
    /// Whether the check finds a fault, unless the check is switched off.
    pub(super) fn finds(self, is_wrong: bool) -> bool {
        is_wrong && !planted(self)
    }
}
