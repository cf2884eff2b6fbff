//! Instructions of a core that need more than its registers and memories: atomics on L1, and control
//! and status registers.

use super::run::Slice;
use super::{Tile, map};
use crate::machine::core::control::Counts;
use crate::machine::core::taint::{Operand, atomic};
use crate::machine::core::{Core, State, decode};
use crate::machine::defects::wrong;
use crate::machine::fault::{Origin, Violation};
use crate::machine::memory::Taint;
use crate::machine::observer::{BufferMemory, InstructionObserver, MemoryRange};

impl Tile {
    /// Executes an atomic or an access to a control register; its instruction is not retired yet.
    pub(super) fn system<O: InstructionObserver>(
        &mut self,
        index: usize,
        left: u32,
        slice: &mut Slice<'_, O>,
    ) -> Result<bool, Violation> {
        let Some(core) = self.cores.get(index) else { return Ok(false) };
        let decoded = self.memory.look_at(core.pc, core.has_instruction_ram)?;
        match decode::operation(decoded) {
            decode::AMOSWAP..=decode::AMOMAXU => self.atomic(index, decoded, slice)?,
            decode::ILLEGAL => {
                let instruction = decode::immediate(decoded).rotate_right(2);
                let Some(mut surroundings) = self.surroundings(index, left, slice) else {
                    return Ok(false);
                };
                if !self.push_by_instruction(instruction, &mut surroundings)? {
                    self.wait(index, State::Blocked, vec![map::PUSH]);
                    return Ok(false);
                }
            }
            _ => self.control_register(index, decoded, left, slice)?,
        }
        if let Some(core) = self.cores.get_mut(index) {
            core.pc = core.pc.wrapping_add(4);
        }
        Ok(true)
    }

    /// The address was checked to be known; what nobody wrote may be computed with.
    fn atomic<O: InstructionObserver>(
        &mut self,
        index: usize,
        decoded: decode::Decoded,
        slice: &mut Slice<'_, O>,
    ) -> Result<(), Violation> {
        let by = self.origin(index).map(Origin::Core);
        let Some(core) = self.cores.get_mut(index) else { return Ok(()) };
        let operation = decode::operation(decoded);
        let address = core.register(decode::source_1(decoded));
        if !address.is_multiple_of(4) {
            return Err(Violation::undefined(format!(
                "the atomic on {address:#x}, which is not aligned to 4"
            )));
        }
        let Some(held) = self.memory.word(address) else {
            return Err(Violation::undefined(format!(
                "the atomic on {address:#x}, which is not in L1"
            )));
        };
        let processor = core.processor;
        slice.observers.core_changes_atomically(self.core_at(processor), address);
        let Some(core) = self.cores.get_mut(index) else { return Ok(()) };
        let source = decode::source_2(decoded);
        let taint = self.memory.taint_of(address, 4);
        let old = Operand { value: held, unknown: taint.as_ref().map_or(0, Taint::word) };
        let operand = Operand { value: core.register(source), unknown: core.unknown.bits(source) };
        let (new, unknown) = atomic(operation, old, operand);
        let new = new ^ wrong(operation);
        let origin = taint.as_ref().map(|taint| taint.first().1);
        let from = core.unknown.source(source).or(origin);
        core.cache.flush();
        if let Some(by) = by {
            self.memory.write(address.into(), &new.to_le_bytes(), by)?;
            let memory = BufferMemory::L1(self.number);
            let range = MemoryRange { memory, at: self.at, start: address.into(), length: 4 };
            slice.observers.wrote(&range, by);
        }
        if let Some(from) = from.filter(|_| unknown != 0) {
            let masks = unknown.to_le_bytes().to_vec();
            self.memory.poison.taint(address as usize, &Taint::starting(masks, from));
        }
        let Some(core) = self.cores.get_mut(index) else { return Ok(()) };
        set(core, decode::destination(decoded), held);
        core.unknown.set(decode::destination(decoded), old.unknown, origin);
        Ok(())
    }

    fn control_register<O: InstructionObserver>(
        &mut self,
        index: usize,
        decoded: decode::Decoded,
        left: u32,
        slice: &mut Slice<'_, O>,
    ) -> Result<(), Violation> {
        let Some(core) = self.cores.get_mut(index) else { return Ok(()) };
        let (operation, number) = (decode::operation(decoded), decode::immediate(decoded));
        let field = decode::source_1(decoded);
        let value = match operation {
            decode::CSRRW..=decode::CSRRC => core.register(field),
            _ => field as u32,
        };
        let counts = Counts {
            now: slice.start + u64::from(slice.length.saturating_sub(left)),
            retired: core.retired,
        };
        let destination = decode::destination(decoded);
        let always_writes = matches!(operation, decode::CSRRW | decode::CSRRWI);
        // `csrrw` to x0 does not read; the others do not write what x0 or 0 would not change.
        let old = if always_writes && destination == decode::SINK as usize {
            0
        } else {
            core.control.read(number, core.processor, counts)?
        };
        let new = match operation {
            decode::CSRRS | decode::CSRRSI => old | value,
            decode::CSRRC | decode::CSRRCI => old & !value,
            _ => value,
        };
        if always_writes || field != 0 {
            let new = new ^ wrong(operation);
            core.control.write(number, new, core.processor, counts)?;
            core.configure_cache(slice.description);
        }
        set(core, destination, old);
        core.unknown.set(destination, 0, None);
        Ok(())
    }
}

fn set(core: &mut Core, register: usize, value: u32) {
    if let Some(slot) = core.registers.get_mut(register) {
        *slot = value;
    }
}
