//! What is there of the Tensix coprocessor before it computes: as much as firmware touches while it
//! brings a tile up. Nothing here can be observed but the semaphores and registers that are kept; whatever
//! would read the rest is refused.

use hallmark_chip::Processor;

use super::Tile;
use crate::machine::core::decode;
use crate::machine::fault::Violation;

/// General registers of each thread.
const REGISTERS: usize = 64;

/// Opcodes (`TensixCoprocessor/`, a page each).
mod opcode {
    /// Nothing.
    pub(super) const NOP: u32 = 0x02;
    /// Rows of `Dst` become undefined.
    pub(super) const ZEROACC: u32 = 0x10;
    /// Rows of `SrcA` and `SrcB` become zero.
    pub(super) const ZEROSRC: u32 = 0x11;
    /// A constant to a vector register.
    pub(super) const SFPLOADI: u32 = 0x71;
    /// Conditional execution of the vector unit, on or off.
    pub(super) const SFPENCC: u32 = 0x8A;
    /// The vector unit's constants and configuration.
    pub(super) const SFPCONFIG: u32 = 0x91;
    /// Semaphores get a value and a limit.
    pub(super) const SEMINIT: u32 = 0xA3;
    /// A thread's own configuration.
    pub(super) const SETC16: u32 = 0xB2;
}

/// The state that is kept.
#[derive(Debug, Default)]
pub(super) struct Coprocessor {
    /// Of each thread; made when first written.
    registers: [Vec<u32>; 3],
    /// Configuration words that change nothing here, by address.
    configuration: std::collections::BTreeMap<u32, u32>,
}

fn thread(core: Option<Processor>) -> Option<usize> {
    match core {
        Some(Processor::Trisc0) => Some(0),
        Some(Processor::Trisc1) => Some(1),
        Some(Processor::Trisc2) => Some(2),
        Some(Processor::Brisc | Processor::Ncrisc) | None => None,
    }
}

impl Coprocessor {
    /// A thread's general register, by its offset.
    pub(super) fn read_register(&self, core: Option<Processor>, offset: u32) -> Option<u32> {
        let registers = self.registers.get(thread(core)?)?;
        let index = (offset / 4) as usize;
        (index < REGISTERS).then(|| registers.get(index).copied().unwrap_or(0))
    }

    /// `false` if there is no such register.
    pub(super) fn write_register(
        &mut self,
        core: Option<Processor>,
        offset: u32,
        value: u32,
    ) -> bool {
        let index = (offset / 4) as usize;
        let registers = thread(core).and_then(|thread| self.registers.get_mut(thread));
        let Some(registers) = registers.filter(|_| index < REGISTERS) else { return false };
        registers.resize(REGISTERS, 0);
        if let Some(register) = registers.get_mut(index) {
            *register = value;
        }
        true
    }

    /// A configuration word that is kept.
    pub(super) fn configuration(&self, address: u32) -> u32 {
        self.configuration.get(&address).copied().unwrap_or(0)
    }

    /// Keeps a configuration word.
    pub(super) fn configure(&mut self, address: u32, value: u32) {
        self.configuration.insert(address, value);
    }
}

impl Tile {
    /// Takes an instruction that a core pushes.
    pub(super) fn push_instruction(&mut self, instruction: u32) -> Result<(), Violation> {
        let bits = |low: u32, width: u32| instruction >> low & ((1 << width) - 1);
        match instruction >> 24 {
            opcode::NOP
            | opcode::ZEROACC
            | opcode::ZEROSRC
            | opcode::SFPLOADI
            | opcode::SFPENCC
            | opcode::SFPCONFIG
            | opcode::SETC16 => Ok(()),
            opcode::SEMINIT => {
                let (value, mask) = (bits(16, 4) as u8, bits(2, 8));
                for (index, semaphore) in self.semaphores.iter_mut().enumerate() {
                    if mask >> index & 1 == 1 {
                        *semaphore = value;
                    }
                }
                self.wake_synchronization();
                Ok(())
            }
            _ => Err(decode::explain_tensix(instruction)),
        }
    }
}
