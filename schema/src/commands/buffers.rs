//! Calls that make, share and release buffers.

use serde::{Deserialize, Serialize};

use crate::model::{BufferId, BufferLayout, BufferRegion, BufferType, ShardSpec};

/// `CreateBuffer`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CreateBuffer {
    /// Its id.
    pub buffer: BufferId,
    /// Its name in the suite.
    pub name: String,
    /// Bytes.
    pub size: u64,
    /// Bytes per page.
    pub page_size: u64,
    /// DRAM or L1.
    pub buffer_type: BufferType,
    /// Spread over banks.
    pub layout: BufferLayout,
    /// How it is cut into shards, if it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard_spec: Option<ShardSpec>,
    /// From which end of the memory it is taken, if that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bottom_up: Option<bool>,
}

/// `DeallocateBuffer`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeallocateBuffer {
    /// Which.
    pub buffer: BufferId,
}

/// `Buffer::view`: a part of a buffer under an id of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CreateBufferView {
    /// Its id, one of the buffers' ids.
    pub buffer: BufferId,
    /// Its name in the suite.
    pub name: String,
    /// The buffer, or view, that it is a part of.
    pub parent: BufferId,
    /// Which part.
    pub region: BufferRegion,
}
