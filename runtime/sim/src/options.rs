//! What a simulated chip is asked to be, and why it cannot be that.

use hallmark_chip::{Architecture, HarvestingError, HarvestingMask};

/// How a simulated chip behaves where the hardware leaves a choice.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SimulatorOptions {
    /// Chooses how long each core runs at a time and how long NoC transfers take, within the rules of
    /// the hardware. 0 is the schedule of fixed lengths and delays; every other number is a schedule
    /// of its own. It never decides data.
    pub schedule_seed: u64,
    /// Lets programs race instead of stopping them: for looking at what comes of it.
    pub allow_races: bool,
    /// Rows or columns of Tensix tiles that are fused off.
    pub harvesting: HarvestingMask,
    /// The data cache is on while a core runs a kernel of a launch that was described, until the kernel turns it off:
    /// firmware of the vendor can be asked for that. Firmware itself runs as it sets the cache up.
    pub data_cache: bool,
    /// Only what the documents promise orders two NoC requests. Without it, an atomic arrives behind a write of the same
    /// core, NoC and virtual channel, as TT-Metalium expects.
    pub strict_isa: bool,
    /// A unit of the Tensix coprocessor samples its configuration until it has finished an instruction, where no document
    /// says when it does, and a core's store to the coprocessor is under way until the core knows that it has arrived.
    /// Without it, such a unit counts as sampling when the instruction is issued, and a store as under way for some
    /// instructions of the core.
    pub strict_tensix: bool,
}

impl SimulatorOptions {
    /// The default options with another schedule.
    pub fn with_schedule_seed(schedule_seed: u64) -> Self {
        Self { schedule_seed, ..Self::default() }
    }
}

/// A simulated device cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SimulatorError {
    /// It is not among [`crate::ARCHITECTURES`].
    #[error("there is no simulated {architecture} yet")]
    UnknownArchitecture {
        /// The architecture asked for.
        architecture: Architecture,
    },
    /// No chip can be harvested so.
    #[error(transparent)]
    Harvesting(#[from] HarvestingError),
    /// [`SimulatorOptions::data_cache`] is asked of a chip without one.
    #[error("a {architecture} has no data cache that could be on; only a blackhole has one")]
    NoDataCache {
        /// The architecture asked for.
        architecture: Architecture,
    },
}
