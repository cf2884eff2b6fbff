//! Calls that make circular buffers and change them between launches.

use serde::{Deserialize, Serialize};

use crate::model::{
    BufferId, CircularBufferId, CircularBufferIndex, CoreRange, GloballyAllocatedAddress, ProgramId,
};

/// `CreateCircularBuffer`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CreateCircularBuffer {
    /// Its id.
    pub circular_buffer: CircularBufferId,
    /// Its name in the suite.
    pub name: String,
    /// The program that it joins.
    pub program: ProgramId,
    /// On which cores.
    pub cores: Vec<CoreRange>,
    /// Bytes on each core.
    pub total_size: u64,
    /// The indices that share the memory, ascending.
    pub indices: Vec<CircularBufferIndex>,
    /// Where it lies, if the program does not place it: upstream's dynamic circular buffer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub globally_allocated_address: Option<GloballyAllocatedAddress>,
}

/// `UpdateCircularBufferTotalSize`: another size from the next launch on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UpdateCircularBufferTotalSize {
    /// Which.
    pub circular_buffer: CircularBufferId,
    /// Bytes on each core.
    pub total_size: u64,
}

/// `UpdateCircularBufferPageSize`: another page size of an index from the next launch on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UpdateCircularBufferPageSize {
    /// Which.
    pub circular_buffer: CircularBufferId,
    /// Which of its indices.
    pub index: u32,
    /// Bytes per page.
    pub page_size: u32,
}

/// `UpdateDynamicCircularBufferAddress`: the memory of another buffer from the next launch on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UpdateDynamicCircularBufferAddress {
    /// Which.
    pub circular_buffer: CircularBufferId,
    /// The buffer, in L1.
    pub buffer: BufferId,
    /// Bytes from its address on.
    pub address_offset: u32,
}

/// `UpdateDynamicCircularBufferAddressAndTotalSize`: another buffer and size; the offset stays.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UpdateDynamicCircularBufferAddressAndTotalSize {
    /// Which.
    pub circular_buffer: CircularBufferId,
    /// The buffer, in L1.
    pub buffer: BufferId,
    /// Bytes on each core.
    pub total_size: u64,
}
