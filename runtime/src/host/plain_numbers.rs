//! Addresses and coordinates as plain numbers, which bind a capture to the place where it was made.

use hallmark_chip::LogicalCore;
use hallmark_schema::model::{CommandKind, Failure};

use super::device::Device;
use super::types::Buffer;
use crate::error::{CallError, HostError};

impl Device {
    /// A buffer's bank-relative address as a plain number, which marks the capture under way as
    /// placement-bound: its replay depends on the same address. Pass
    /// [`Argument::BufferAddress`](super::Argument::BufferAddress) instead wherever that is possible.
    ///
    /// # Errors
    /// [`Failure::UnknownObject`], [`Failure::ReleasedObject`].
    pub fn buffer_address_as_number(&mut self, buffer: Buffer) -> Result<u32, CallError> {
        let address = self.host.buffers.address(buffer.id()).map_err(query_error)?;
        self.host.calls.mark_placement_bound()?;
        Ok(address)
    }

    /// The coordinate by which NoC requests name a core, as plain numbers x and y, which marks the capture under way as
    /// placement-bound. Needed for compile-time arguments and defines only.
    ///
    /// # Errors
    /// [`Failure::CoreOutsideGrid`].
    pub fn core_noc_coordinate_as_number(
        &mut self,
        core: LogicalCore,
    ) -> Result<(u32, u32), CallError> {
        let noc = self.host.opened.noc_coordinate(core).map_err(query_error)?;
        self.host.calls.mark_placement_bound()?;
        Ok((u32::from(noc.x), u32::from(noc.y)))
    }
}

/// Queries are no commands; the error names the call that their results are meant for.
fn query_error(failure: Failure) -> CallError {
    HostError::new(CommandKind::SetRuntimeArgs, failure).into()
}
