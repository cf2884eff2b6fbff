//! What a worker says about replaying a capture on a device.

use serde::{Deserialize, Serialize};

/// Whether a capture can be replayed on a device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PortabilityReport {
    /// The device, as it names itself.
    pub device: String,
    /// Whether everything lies where it lay, some things lie elsewhere, or it cannot be done.
    pub verdict: PortabilityVerdict,
    /// What would lie elsewhere.
    pub moved: Vec<PortabilityLine>,
    /// Why it cannot be done.
    pub reasons: Vec<PortabilityLine>,
}

/// Whether a capture can be replayed on a device, in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PortabilityVerdict {
    /// Everything lies where it lay.
    Exact,
    /// Some things lie elsewhere.
    Adapted,
    /// The capture cannot be replayed on the device.
    Refused,
}

/// Something that lies elsewhere, or a reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PortabilityLine {
    /// What kind of thing or reason.
    pub kind: String,
    /// The call that a reason is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<u32>,
    /// The same as a sentence.
    pub text: String,
}
