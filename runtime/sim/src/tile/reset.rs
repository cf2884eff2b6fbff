use hallmark_chip::Processor;

use super::{Surroundings, Tile};
use crate::core::State;
use crate::fault::Violation;

/// Start addresses that replace the default ones, Tensix configuration words 158 to 163
/// (TensixTile/BabyRISCV/README.md, TensixTile/SoftReset.md).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Overrides {
    compute: [u32; 3],
    compute_enabled: u32,
    ncrisc: u32,
    ncrisc_enabled: u32,
}

const INVALIDATE: u32 = 157;
const COMPUTE_FIRST: u32 = 158;
const COMPUTE_ENABLED: u32 = 161;
const NCRISC: u32 = 162;
const NCRISC_ENABLED: u32 = 163;

impl Overrides {
    fn pc(&self, processor: Processor) -> Option<u32> {
        let (pc, enabled) = match processor {
            Processor::Brisc => return None,
            Processor::Ncrisc => (self.ncrisc, self.ncrisc_enabled & 1),
            Processor::Trisc0 => (self.compute[0], self.compute_enabled & 1),
            Processor::Trisc1 => (self.compute[1], self.compute_enabled >> 1 & 1),
            Processor::Trisc2 => (self.compute[2], self.compute_enabled >> 2 & 1),
        };
        (enabled == 1).then_some(pc)
    }
}

impl Tile {
    pub(super) fn soft_reset(&self) -> u32 {
        self.soft_reset
    }

    /// Holds cores in reset and releases them. Bit 31 is ignored: tt-umd sets it.
    pub(super) fn set_soft_reset(
        &mut self,
        value: u32,
        surroundings: &Surroundings<'_>,
    ) -> Result<(), Violation> {
        let value = value & 0x7FFF_FFFF;
        let reset = &surroundings.description.reset;
        let known = reset.bits.iter().fold(0, |all, bit| all | bit);
        if value & !known != 0 {
            return Err(Violation::unimplemented(format!(
                "SOFT_RESET_0 = {value:#x} resets more than the five cores"
            )));
        }
        let mut entered = Vec::new();
        for ((core, bit), default) in self.cores.iter_mut().zip(reset.bits).zip(reset.default_pc) {
            let index = core.processor.index();
            if value & bit != 0 {
                core.state = State::Reset;
                core.wait = None;
                self.running &= !(1 << index);
                self.memory.unwatch(index);
                entered.push(core.processor);
            } else if core.state == State::Reset {
                core.start(self.reset_overrides.pc(core.processor).unwrap_or(default));
                self.running |= 1 << index;
            }
        }
        for processor in entered {
            self.discard_mailboxes(processor);
        }
        self.soft_reset = value;
        Ok(())
    }

    pub(super) fn read_configuration(&self, word: u32) -> Result<u32, Violation> {
        Err(Violation::unimplemented(format!("Tensix configuration word {word} cannot be read")))
    }

    pub(super) fn write_configuration(&mut self, word: u32, value: u32) -> Result<(), Violation> {
        let overrides = &mut self.reset_overrides;
        match word {
            // The decoded instructions follow every write to L1, so there is nothing to drop.
            INVALIDATE if value != 0 && value < 32 => {}
            INVALIDATE => {
                return Err(Violation::unsupported(format!(
                    "RISCV_IC_INVALIDATE takes a mask of five cores, not {value:#x}"
                )));
            }
            COMPUTE_FIRST..COMPUTE_ENABLED => {
                let thread = (word - COMPUTE_FIRST) as usize;
                if let Some(pc) = overrides.compute.get_mut(thread) {
                    *pc = value;
                }
            }
            COMPUTE_ENABLED => overrides.compute_enabled = value,
            NCRISC => overrides.ncrisc = value,
            NCRISC_ENABLED => overrides.ncrisc_enabled = value,
            _ => {
                return Err(Violation::unimplemented(format!(
                    "Tensix configuration word {word} belongs to the coprocessor, which is not there \
                     yet"
                )));
            }
        }
        Ok(())
    }
}
