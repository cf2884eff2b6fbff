//! Bounds on the memory that a capture makes a replay hold.

use std::collections::BTreeMap;

use hallmark_schema::commands;
use hallmark_schema::model::{BufferId, BufferRegion, Command, CommandIndex};

use super::ReplayError;
use super::checks::Check;

/// Memory that a capture makes the replay take: device memory that it touches, which a simulator
/// holds in the host's, and reads whose bytes are not compared yet.
pub(super) struct Budget {
    limit: u64,
    sizes: BTreeMap<BufferId, u64>,
    /// Bytes of each buffer that were written or read, at most.
    touched: BTreeMap<BufferId, u64>,
    device: u64,
    pending: u64,
}

impl Budget {
    pub(super) const fn new(limit: u64) -> Self {
        Self { limit, sizes: BTreeMap::new(), touched: BTreeMap::new(), device: 0, pending: 0 }
    }

    pub(super) fn charge(
        &mut self,
        index: CommandIndex,
        command: &Command,
    ) -> Result<(), ReplayError> {
        match command {
            Command::CreateBuffer(commands::CreateBuffer { buffer, size, .. }) => {
                self.sizes.insert(*buffer, *size);
            }
            Command::CreateBufferView(commands::CreateBufferView { buffer, region, .. }) => {
                self.sizes.insert(*buffer, region.size);
            }
            Command::EnqueueWriteBuffer(commands::EnqueueWriteBuffer {
                buffer, region, ..
            }) => {
                self.touch(*buffer, *region);
            }
            Command::EnqueueReadBuffer(commands::EnqueueReadBuffer { buffer, region, .. }) => {
                let size = self.touch(*buffer, *region);
                self.pending = self.pending.saturating_add(size);
            }
            _ => {}
        }
        let needed = self.device.saturating_add(self.pending);
        if Check::MemoryBudget.finds(needed > self.limit) {
            return Err(ReplayError::Memory { command: index, needed, budget: self.limit });
        }
        Ok(())
    }

    /// A read's bytes were handed out.
    pub(super) const fn returned(&mut self, bytes: u64) {
        self.pending = self.pending.saturating_sub(bytes);
    }

    /// Memory once touched stays with a simulator, also when the buffer is released. Gives the bytes
    /// that one access touches; many accesses of one buffer or view touch no more than all of it.
    fn touch(&mut self, buffer: BufferId, region: Option<BufferRegion>) -> u64 {
        let whole = self.sizes.get(&buffer).copied().unwrap_or(0);
        let size = region.map_or(whole, |region| region.size.min(whole));
        let touched = self.touched.entry(buffer).or_insert(0);
        let before = *touched;
        *touched = before.saturating_add(size).min(whole);
        self.device = self.device.saturating_add(touched.saturating_sub(before));
        size
    }
}
