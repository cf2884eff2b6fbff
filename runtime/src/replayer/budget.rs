use std::collections::BTreeMap;

use hallmark_schema::model::{BufferId, Command, CommandIndex};

use super::ReplayError;

/// Memory that a capture makes the replay take: device memory that it touches, which a simulator
/// holds in the host's, and reads whose bytes are not compared yet.
pub(super) struct Budget {
    limit: u64,
    sizes: BTreeMap<BufferId, u64>,
    /// The largest extent of live buffers that were written or read.
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
            Command::CreateBuffer { buffer, size, .. } => {
                self.sizes.insert(*buffer, *size);
            }
            Command::EnqueueWriteBuffer { buffer, .. } => self.touch(*buffer),
            Command::EnqueueReadBuffer { buffer, .. } => {
                self.touch(*buffer);
                let size = self.sizes.get(buffer).copied().unwrap_or(0);
                self.pending = self.pending.saturating_add(size);
            }
            _ => {}
        }
        let needed = self.device.saturating_add(self.pending);
        if needed > self.limit {
            return Err(ReplayError::Memory { command: index, needed, budget: self.limit });
        }
        Ok(())
    }

    /// A read's bytes were handed out.
    pub(super) const fn returned(&mut self, bytes: u64) {
        self.pending = self.pending.saturating_sub(bytes);
    }

    /// Memory once touched stays with a simulator, also when the buffer is released.
    fn touch(&mut self, buffer: BufferId) {
        let size = self.sizes.get(&buffer).copied().unwrap_or(0);
        if self.touched.insert(buffer, size).is_none() {
            self.device = self.device.saturating_add(size);
        }
    }
}
