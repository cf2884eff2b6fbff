//! A worker's report about the portability of a capture to a device.

use serde::{Deserialize, Serialize};

/// Whether a capture can be replayed on a device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PortabilityReport {
    /// The device, as it names itself.
    pub device: String,
    /// Whether all objects keep their places, some move, or the replay is impossible.
    pub verdict: PortabilityVerdict,
    /// The objects that would move.
    pub moved: Vec<PortabilityLine>,
    /// The reasons why the replay is impossible.
    pub reasons: Vec<PortabilityLine>,
}

/// The portability of a capture to a device, in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PortabilityVerdict {
    /// All objects keep their places.
    Exact,
    /// Some objects move.
    Adapted,
    /// The capture cannot be replayed on the device.
    Refused,
}

/// An object that moves, or a reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PortabilityLine {
    /// The kind of object or reason.
    pub kind: String,
    /// The call that a reason concerns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<u32>,
    /// The line as a sentence.
    pub text: String,
}
