//! What a test asks of its device beyond what calls say.

use serde::{Deserialize, Serialize};

use super::DispatchMode;

/// What was asked of the device beyond what the program part says. A replay asks for the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeviceRequirements {
    /// Ticks that one enqueued program may take, if not the runtime's default. No limit is 0.
    pub budget: Option<u64>,
    /// Sizes and counts of dispatch on the device.
    pub dispatch: DispatchSettings,
}

impl DeviceRequirements {
    /// Whether nothing was asked for.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

/// Sizes and starting counts of dispatch on the device. Results do not depend on them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DispatchSettings {
    /// Bytes of a dispatcher's ring of commands: a power of two.
    pub ring_size: u32,
    /// Bytes of the host memory through which data of reads comes: a power of two.
    pub completion_size: u32,
    /// The position in ring and completion space from which bytes are counted, modulo 2^32: a multiple
    /// of 64.
    pub first_position: u32,
    /// The number from which launches, finished workers and events are counted, modulo 2^32: even.
    pub first_count: u32,
    /// Programs of two queues run at the same time also on a device that is told what memory is for, and
    /// calls wait for no more than what they ask for. Such a device otherwise gets one launch after the
    /// other. Dispatchers launch then, whatever the mode of dispatch.
    #[serde(default, skip_serializing_if = "is_false")]
    pub overlap: bool,
}

/// Left out where it is stored: readers of earlier releases do not know it.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's form")]
const fn is_false(value: &bool) -> bool {
    !*value
}

impl DispatchSettings {
    /// Who launches programs where this mode of dispatch is asked for.
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
