//! The requirements of a test on its device, beyond those that its calls state.

use serde::{Deserialize, Serialize};

use super::DispatchMode;

/// Requirements on the device beyond those of the program part. A replay makes the same ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeviceRequirements {
    /// The budget of one enqueued program in ticks, if not the runtime's default; 0 means no limit.
    pub budget: Option<u64>,
    /// Sizes and counts of dispatch on the device.
    pub dispatch: DispatchSettings,
}

impl DeviceRequirements {
    /// Whether there are no requirements.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

/// Sizes and initial counts of dispatch on the device. Results do not depend on them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DispatchSettings {
    /// Bytes of a dispatcher's ring of commands: a power of two.
    pub ring_size: u32,
    /// Bytes of the host memory that receives the data of reads: a power of two.
    pub completion_size: u32,
    /// The initial position in the ring and in the completion memory, modulo 2^32: a multiple of 64.
    pub first_position: u32,
    /// The initial count of launches, finished workers and events, modulo 2^32: even.
    pub first_count: u32,
    /// Whether programs of two queues run at the same time even on a device that is told the use of its memory,
    /// and whether calls wait only for the work that they name. Without it, such a device gets one launch after
    /// the other. With it, dispatchers launch programs in either dispatch mode.
    #[serde(default, skip_serializing_if = "is_false")]
    pub overlap: bool,
}

/// Whether the flag is left out when it is stored: readers of earlier releases do not know it.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's form")]
const fn is_false(value: &bool) -> bool {
    !*value
}

impl DispatchSettings {
    /// The dispatch mode that launches programs if `asked` is the requested one.
    #[must_use]
    pub const fn launched_by(&self, asked: DispatchMode) -> DispatchMode {
        if self.overlap { DispatchMode::Device } else { asked }
    }
}

impl Default for DispatchSettings {
    fn default() -> Self {
        Self {
            ring_size: 0x4_0000,
            completion_size: 0x10_0000,
            first_position: 0,
            first_count: 0,
            overlap: false,
        }
    }
}
