//! The registers of a tile's NoC interfaces, as far as a core's execution loop reaches them by itself.

use hallmark_chip::NocRegisters;

use super::{Heard, Niu};
use crate::machine::memory::TileMemory;

/// A core's way to its tile's NoC interfaces.
///
/// Most loads of registers poll a counter that has not changed, and most stores make up a request. Both go on in the
/// execution loop; everything else leaves it.
pub(crate) struct Ports<'a> {
    /// The core, by its number on the tile.
    pub(crate) core: usize,
    pub(crate) nius: &'a mut [Niu; 2],
    pub(crate) heard: &'a Heard,
    pub(crate) registers: &'static NocRegisters,
}

impl Ports<'_> {
    /// Loads a word that tells the core nothing new.
    #[inline]
    pub(crate) fn load(&self, pc: u32, address: u32) -> Option<u32> {
        self.heard.again(self.core, (pc, address))
    }

    /// Stores to a register of a command buffer that keeps whatever is written, unless a core waits for a register. `false`:
    /// nothing is done.
    #[inline]
    pub(crate) fn store(&mut self, memory: &TileMemory, address: u32, value: u32) -> bool {
        let registers = self.registers;
        for (base, niu) in registers.base.into_iter().zip(&mut *self.nius) {
            let offset = address.wrapping_sub(base);
            let number = offset.checked_div(registers.command_buffer_stride).unwrap_or(u32::MAX);
            let Some(initiator) = niu.initiators.get_mut(number as usize) else { continue };
            let field = offset.wrapping_sub(number.wrapping_mul(registers.command_buffer_stride));
            let keeps = niu.holds_anything.checked_shr(field / 4).unwrap_or(0) & 1 != 0;
            if !keeps || memory.may_watch_registers(base) {
                return false;
            }
            initiator.set(field, value);
            return true;
        }
        false
    }
}
