//! Instructions that work on what nobody wrote: they may carry it, but it may decide nothing.

use hallmark_chip::ChipDescription;

use super::{Slice, Tile};
use crate::machine::core::cache::CachedBytes;
use crate::machine::core::execute::{Exit, execute_one};
use crate::machine::core::taint::{Operand, decides, result};
use crate::machine::core::{Core, decode};
use crate::machine::fault::Violation;
use crate::machine::memory::{Memory, Source, Taint};
use crate::machine::observer::{CoreAt, InstructionObserver};

/// The calling convention's names, which disassemblies show.
const NAMES: [&str; 32] = [
    "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0", "a1", "a2", "a3", "a4",
    "a5", "a6", "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4",
    "t5", "t6",
];

fn name(register: usize) -> &'static str {
    NAMES.get(register).copied().unwrap_or_default()
}

/// What an instruction does with what nobody wrote, apart from computing with the bits that happen to
/// be there.
enum Carried {
    Nowhere,
    /// Into a register.
    Register(usize, u32, Option<Source>),
    /// Into L1 or private RAM, or out of it: what is stored there.
    Memory {
        offset: usize,
        private: bool,
        size: usize,
        taint: Option<Taint>,
    },
}

/// Where a load or store of the core goes.
enum Reached {
    L1(usize),
    Private(usize),
    Register,
}

impl Tile {
    /// Executes the next instruction, which works on what nobody wrote. [`Exit::Budget`]: it is retired.
    pub(super) fn carry<O: InstructionObserver>(
        &mut self,
        index: usize,
        left: &mut u32,
        slice: &mut Slice<'_, O>,
    ) -> Exit {
        let carried = match self.carried(index, slice.description) {
            Ok(carried) => carried,
            Err(violation) => return Exit::Violation(violation),
        };
        let (number, size) = (self.number, self.memory.size());
        let Some(core) = self.cores.get_mut(index) else { return Exit::Budget };
        let at = CoreAt { tile: number, at: self.at, processor: core.processor };
        let next = core
            .follows_pointers()
            .then(|| self.memory.look_at(core.pc, core.has_instruction_ram).ok())
            .flatten();
        let argument = next.and_then(|next| core.loaded_argument(next));
        let pointers = next.and_then(|next| core.before(next));
        if let Some((base, bytes)) = pointers.as_ref().and_then(Core::stores_through)
            && u64::from(bytes.0) < size
        {
            let scene = self.scene(slice.coordinates);
            if let Err(violation) = slice.observers.core_stores_through(&scene, at, base, bytes) {
                return Exit::Violation(violation);
            }
        }
        let Some(core) = self.cores.get_mut(index) else { return Exit::Budget };
        let exit = execute_one(core, &mut self.memory, at, slice.observers);
        if !matches!(exit, Exit::Budget) {
            return exit;
        }
        *left = left.saturating_sub(1);
        match carried {
            Carried::Nowhere => {}
            Carried::Register(register, bits, source) => core.unknown.set(register, bits, source),
            Carried::Memory { offset, private, size, taint } => {
                let poison =
                    if private { &mut core.private_poison } else { &mut self.memory.poison };
                poison.write(offset, size);
                if let Some(taint) = taint {
                    poison.taint(offset, &taint);
                }
            }
        }
        if let (Some(pointers), Some(core)) = (pointers, self.cores.get_mut(index)) {
            core.after(pointers);
        }
        if let (Some(loaded), Some(core)) = (argument, self.cores.get_mut(index)) {
            core.follow_argument(loaded);
            slice.observers.ask_again(at, loaded.address);
        }
        Exit::Budget
    }

    /// What of the word that a core's next instruction stores nobody wrote.
    pub(super) fn stored_taint(&mut self, index: usize) -> Option<Taint> {
        let core = self.cores.get(index)?;
        let decoded = self.memory.look_at(core.pc, core.has_instruction_ram).ok()?;
        let register = decode::source_2(decoded);
        let source = core.unknown.source(register)?;
        Some(Taint::starting(core.unknown.bits(register).to_le_bytes().to_vec(), source))
    }

    fn carried(
        &mut self,
        index: usize,
        description: &ChipDescription,
    ) -> Result<Carried, Violation> {
        let Some(core) = self.cores.get(index) else { return Ok(Carried::Nowhere) };
        let decoded = self.memory.look_at(core.pc, core.has_instruction_ram)?;
        let operation = decode::operation(decoded);
        let (first, second) = (decode::source_1(decoded), decode::source_2(decoded));
        let destination = decode::destination(decoded);
        let operand = |register: usize| Operand {
            value: core.register(register),
            unknown: core.unknown.bits(register),
        };
        let (a, b) = (operand(first), operand(second));
        let source = |register: usize| core.unknown.source(register);
        let address = a.value.wrapping_add(decode::immediate(decoded));
        let unpredictable = |what: String, register: usize| match source(register) {
            Some(source) => Err(Violation::unpredictable(what, source)),
            None => Ok(Carried::Nowhere),
        };
        let size = match operation {
            decode::LB | decode::LBU | decode::SB => 1,
            decode::LH | decode::LHU | decode::SH => 2,
            _ => 4,
        };
        Ok(match operation {
            decode::BEQ..=decode::BGEU => {
                if !decides(operation, a, b, first == second) {
                    return Ok(Carried::Nowhere);
                }
                let guilty = if a.unknown != 0 { first } else { second };
                return unpredictable(
                    format!("the branch on {} and {}", name(first), name(second)),
                    guilty,
                );
            }
            decode::JALR if a.unknown != 0 => {
                return unpredictable(format!("the jump to {}", name(first)), first);
            }
            decode::CSRRW..=decode::CSRRC if a.unknown != 0 => {
                return unpredictable(
                    format!("{}, written to a control register,", name(first)),
                    first,
                );
            }
            decode::AMOSWAP..=decode::AMOMAXU if a.unknown != 0 => {
                return unpredictable(format!("the address {} of an atomic", name(first)), first);
            }
            decode::LB..=decode::LHU if a.unknown != 0 => {
                return unpredictable(format!("the address {} of a load", name(first)), first);
            }
            decode::SB..=decode::SW if a.unknown != 0 => {
                return unpredictable(format!("the address {} of a store", name(first)), first);
            }
            decode::LB..=decode::LHU => {
                let taint = match self.reach(core, address, size) {
                    Reached::L1(start) => match core.cache.taint_of(start, size) {
                        CachedBytes::Known => None,
                        CachedBytes::Unknown(taint) => Some(taint),
                        CachedBytes::Absent => self.memory.taint_of(address, size),
                    },
                    Reached::Private(offset) => {
                        core.private_poison.of(offset, size, self.private_source(core, address))
                    }
                    Reached::Register => None,
                };
                let Some(taint) = taint else {
                    return Ok(Carried::Register(destination, 0, None));
                };
                let bits = taint.word();
                let bits = match operation {
                    decode::LB => bits as i8 as i32 as u32,
                    decode::LH => bits as i16 as i32 as u32,
                    _ => bits,
                };
                Carried::Register(destination, bits, Some(taint.first().1))
            }
            decode::SB..=decode::SW => {
                let masks = b.unknown.to_le_bytes();
                let masks = masks.get(..size).unwrap_or_default();
                let unknown = masks.iter().any(|&mask| mask != 0);
                let (offset, private) = match self.reach(core, address, size) {
                    Reached::L1(offset) => (offset, false),
                    Reached::Private(offset) => (offset, true),
                    Reached::Register
                        if unknown && self.private_byte(address.into(), description).is_none() =>
                    {
                        return unpredictable(
                            format!("{}, stored to register {address:#x},", name(second)),
                            second,
                        );
                    }
                    Reached::Register => return Ok(Carried::Nowhere),
                };
                // The register knows one byte's source; that of its first unknown one will do.
                let taint = source(second)
                    .filter(|_| unknown)
                    .map(|source| Taint::starting(masks.to_vec(), source));
                Carried::Memory { offset, private, size, taint }
            }
            decode::FIRST_OF_ONE..=decode::LAST_OF_ONE => {
                let immediate = Operand::known(decode::immediate(decoded));
                let bits = result(operation, a, immediate, false);
                Carried::Register(destination, bits, source(first))
            }
            decode::FIRST_OF_TWO..=decode::LAST_OF_TWO => {
                let bits = result(operation, a, b, first == second);
                Carried::Register(destination, bits, source(first).or(source(second)))
            }
            decode::LUI..=decode::JALR => Carried::Register(destination, 0, None),
            _ => Carried::Nowhere,
        })
    }

    fn private_source(&self, core: &Core, address: u32) -> Source {
        Source::new(Memory::Private(core.processor), self.at, address.into())
    }

    fn reach(&self, core: &Core, address: u32, size: usize) -> Reached {
        let start = address as usize;
        if self.memory.bytes.get(start..start.saturating_add(size)).is_some() {
            return Reached::L1(start);
        }
        let offset = address.wrapping_sub(core.private_base) as usize;
        match core.private.get(offset..offset.saturating_add(size)) {
            Some(_) => Reached::Private(offset),
            None => Reached::Register,
        }
    }
}
