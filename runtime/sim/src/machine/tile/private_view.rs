//! Private RAM of a tile's cores as everybody else sees it, the host and the NoC included
//! (TensixTile/BabyRISCV/README.md, "Local Data RAM").

use hallmark_chip::ChipDescription;

use super::{Surroundings, Tile};
use crate::machine::fault::{Origin, Violation};
use crate::machine::memory::{Memory, Source, Taint};

/// Ticks that a core which leaves reset takes to zero its private RAM. Its own accesses wait for that,
/// those of others may fall in between.
const ZEROING: u64 = 2048;

/// A byte of a core's private RAM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PrivateByte {
    core: usize,
    offset: usize,
}

impl Tile {
    /// The byte of private RAM that everybody sees at an address, if one is there.
    pub(crate) fn private_byte(
        &self,
        address: u64,
        description: &ChipDescription,
    ) -> Option<PrivateByte> {
        let (core, offset) = description.private_memory.shared_view?.find(address)?;
        let size = self.cores.get(core)?.private_size;
        Some(PrivateByte { core, offset: (offset as usize).checked_rem(size)? })
    }

    /// Private RAM that was being zeroed is zero by now.
    pub(crate) fn finish_zeroing(&mut self) {
        for core in &mut self.cores {
            core.zeroed = None;
        }
    }

    pub(super) fn private_view(
        &self,
        address: u32,
        surroundings: &Surroundings<'_>,
    ) -> Result<Option<PrivateByte>, Violation> {
        let Some(byte) = self.private_byte(address.into(), surroundings.description) else {
            return Ok(None);
        };
        let zeroed = self.cores.get(byte.core).and_then(|core| core.zeroed);
        let from_outside = match surroundings.origin {
            Origin::Host => true,
            Origin::Core(origin) => surroundings.core.is_none() || origin.tile != self.at,
        };
        match zeroed {
            Some(start) if from_outside && surroundings.now < start.saturating_add(ZEROING) => {
                Err(Violation::undefined(format!(
                    "an access to {address:#x}, private RAM that a core which left reset less than \
                     {ZEROING} ticks ago still zeroes"
                )))
            }
            _ => Ok(Some(byte)),
        }
    }

    pub(super) fn read_private_view(&self, at: PrivateByte) -> Option<u32> {
        let core = self.cores.get(at.core)?;
        if core.private.is_empty() {
            return (at.offset + 4 <= core.private_size).then_some(0);
        }
        let bytes = core.private.get(at.offset..at.offset + 4)?;
        bytes.first_chunk().copied().map(u32::from_le_bytes)
    }

    pub(super) fn write_private_view(&mut self, at: PrivateByte, value: u32) {
        let Some(core) = self.cores.get_mut(at.core) else { return };
        core.make_private_memory();
        if let Some(bytes) = core.private.get_mut(at.offset..at.offset + 4) {
            bytes.copy_from_slice(&value.to_le_bytes());
            core.private_poison.write(at.offset, 4);
        }
    }

    /// What of some bytes of private RAM nobody wrote.
    pub(crate) fn private_taint(&self, at: PrivateByte, length: usize) -> Option<Taint> {
        let core = self.cores.get(at.core)?;
        let memory = Memory::Private(core.processor);
        let address = u64::from(core.private_base) + at.offset as u64;
        core.private_poison.of(at.offset, length, Source::new(memory, self.at, address))
    }

    /// Notes that what was just written there is unknown in part.
    pub(crate) fn taint_private(&mut self, at: PrivateByte, taint: &Taint) {
        if let Some(core) = self.cores.get_mut(at.core) {
            core.make_private_memory();
            core.private_poison.taint(at.offset, taint);
        }
    }
}
