//! Reset and release of a tile's cores.

use hallmark_chip::{Processor, ResetRegisters};

use super::{Surroundings, Tile, map};
use crate::machine::core::State;
use crate::machine::fault::Violation;

/// What the registers hold that say how cores leave reset, by their addresses in the tile.
#[derive(Debug)]
pub(super) struct Settings {
    registers: Vec<(u32, u32)>,
    reachable: bool,
}

impl Settings {
    pub(super) fn new(reset: &ResetRegisters) -> Self {
        let overrides = reset.overrides.into_iter().flatten();
        let addresses = overrides
            .flat_map(|one| [one.pc, one.enable])
            .chain(reset.keep_private_memory.map(|keep| keep.register));
        let mut registers: Vec<(u32, u32)> = Vec::with_capacity(2 * reset.overrides.len() + 1);
        for address in addresses {
            if registers.iter().all(|register| register.0 != address) {
                registers.push((address, 0));
            }
        }
        Self { registers, reachable: reset.overrides_reachable }
    }

    fn register(&mut self, address: u32) -> Option<&mut u32> {
        let mut registers = self.registers.iter_mut();
        registers.find(|register| register.0 == address).map(|register| &mut register.1)
    }

    fn value(&self, address: u32) -> u32 {
        let mut registers = self.registers.iter();
        registers.find(|register| register.0 == address).map_or(0, |register| register.1)
    }

    /// Where a core starts.
    fn pc(&self, processor: Processor, reset: &ResetRegisters) -> u32 {
        let of = processor.index();
        match reset.overrides.get(of).copied().flatten() {
            Some(one) if self.value(one.enable) & one.enable_bit != 0 => self.value(one.pc),
            _ => reset.default_pc.get(of).copied().unwrap_or(0),
        }
    }

    /// Whether a core's private RAM is zeroed as it starts.
    fn zeroes(&self, processor: Processor, reset: &ResetRegisters) -> bool {
        reset.keep_private_memory.is_some_and(|keep| {
            let bit = keep.bits.get(processor.index()).copied().unwrap_or(0);
            self.value(keep.register) & bit == 0
        })
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
        surroundings: &mut Surroundings<'_>,
    ) -> Result<(), Violation> {
        let value = value & 0x7FFF_FFFF;
        let reset = &surroundings.description.reset;
        if value & !reset.all() != 0 {
            return Err(Violation::unimplemented(format!(
                "SOFT_RESET_0 = {value:#x} resets more than the five cores"
            )));
        }
        let (mut entered, mut left) = (Vec::new(), Vec::new());
        for (core, bit) in self.cores.iter_mut().zip(reset.bits) {
            let index = core.processor.index();
            if value & bit != 0 {
                core.state = State::Reset;
                core.wait = None;
                self.running &= !(1 << index);
                self.memory.unwatch(index);
                self.launches.forget(core.processor);
                entered.push(core.processor);
            } else if core.state == State::Reset {
                let settings = &self.reset_settings;
                core.start(settings.pc(core.processor, reset));
                core.configure_cache(surroundings.description);
                if settings.zeroes(core.processor, reset) {
                    core.zero_private_memory(surroundings.now);
                }
                self.running |= 1 << index;
                left.push(core.processor);
            }
        }
        // A reset empties the instruction cache (TensixTile/SoftReset.md).
        self.memory.empty_instruction_caches(left.iter().copied());
        self.heard.forget();
        self.tell_of_resets(&entered, &left, surroundings);
        for processor in entered {
            self.discard_mailboxes(processor);
            self.coprocessor.reset(processor);
        }
        // Queues of the coprocessor may have room again.
        self.wake_pushing_cores();
        self.soft_reset = value;
        Ok(())
    }

    /// Reads a register that says how cores leave reset, if one is there that everybody reaches.
    pub(super) fn read_reset_setting(&mut self, address: u32) -> Option<u32> {
        let settings = &mut self.reset_settings;
        let reachable = settings.reachable;
        settings.register(address).filter(|_| reachable).map(|value| *value)
    }

    /// Writes such a register; `false` if none is there that this core, or whoever it is, reaches.
    pub(super) fn write_reset_setting(
        &mut self,
        address: u32,
        value: u32,
        core: Option<Processor>,
    ) -> bool {
        let settings = &mut self.reset_settings;
        let reaches = settings.reachable || super::registers::reaches_configuration(core);
        let register = settings.register(address).filter(|_| reaches);
        register.map(|register| *register = value).is_some()
    }

    pub(super) fn write_configuration(
        &mut self,
        (address, value): (u32, u32),
        reset: &ResetRegisters,
        surroundings: &mut Surroundings<'_>,
    ) -> Result<(), Violation> {
        if address != reset.invalidate_instruction_caches {
            return self.configure((address - map::CONFIGURATION) / 4, value, surroundings);
        }
        if value == 0 || value >= 32 {
            return Err(Violation::unsupported(format!(
                "RISCV_IC_INVALIDATE takes a mask of five cores, not {value:#x}"
            )));
        }
        let emptied = Processor::ALL.into_iter().filter(|core| value >> core.index() & 1 == 1);
        self.memory.empty_instruction_caches(emptied);
        Ok(())
    }
}
