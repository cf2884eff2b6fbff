//! How an engine works, whatever it is given to do.

use hallmark_schema::model::{DispatchMode, DispatchSettings};

/// How an engine works, whatever it is given to do.
#[derive(Clone, Copy, Debug)]
pub struct EngineSettings {
    /// Who launches programs.
    pub dispatch: DispatchMode,
    /// Sizes and counts of dispatch on the device.
    pub dispatch_settings: DispatchSettings,
    /// Command queues: 1 or 2.
    pub num_command_queues: u8,
    /// Bytes at the top of every DRAM bank for traces.
    pub trace_region_size: u64,
    /// Ticks that one program may take before it counts as hanging.
    pub tick_budget: u64,
    /// Ticks that a tile's firmware may take to come up.
    pub boot_budget: u64,
    /// Chooses orders between queues that are open; 0 takes the queue that the host waits for.
    pub schedule_seed: u64,
}
