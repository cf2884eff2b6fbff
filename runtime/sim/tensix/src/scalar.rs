//! The scalar unit (`ScalarUnit.md`) and the general registers of a thread.

use crate::bits::{bit, bits};
use crate::chips::Chip;
use crate::configuration::Configuration;
use crate::opcodes::opcode;
use crate::refusal::Refusal;
use crate::surroundings::Surroundings;
use crate::threads::Thread;

/// General registers of a thread.
pub(crate) const REGISTERS: usize = 64;

/// Where the registers begin that STOREREG reaches.
const STORES_FROM: u32 = 0xFFB0_0000;

/// The general registers of a thread.
#[derive(Clone, Debug)]
pub(crate) struct Registers([u32; REGISTERS]);

impl Default for Registers {
    fn default() -> Self {
        Self([0; REGISTERS])
    }
}

impl Registers {
    /// A register; those that do not exist are 0.
    pub(crate) fn get(&self, number: u32) -> u32 {
        self.0.get(number as usize).copied().unwrap_or(0)
    }

    /// Sets a register; `false` if it does not exist.
    pub(crate) fn set(&mut self, number: u32, value: u32) -> bool {
        self.0.get_mut(number as usize).map(|register| *register = value).is_some()
    }
}

/// Executes an instruction of the scalar unit.
pub(crate) fn execute<S: Surroundings>(
    word: u32,
    thread: Thread,
    registers: &mut Registers,
    configuration: &mut Configuration,
    chip: &Chip,
    surroundings: &mut S,
) -> Result<(), S::Error> {
    let (a, b, result) = (bits(word, 0, 6), bits(word, 6, 6), bits(word, 12, 6));
    match word >> 24 {
        opcode::SETDMAREG => {
            if bit(word, 7) {
                let reason = "signals of the packers as a source";
                return Err(Refusal::unsupported(word, reason).into());
            }
            let (register, half) = (bits(word, 1, 6), bits(word, 0, 1) * 16);
            let kept = registers.get(register) & (0xFFFF_0000 >> half);
            registers.set(register, kept | bits(word, 8, 16) << half);
        }
        opcode::REG2FLOP => {
            let Some((first, end)) = chip.reached_by_scalar_unit else {
                return Err(
                    Refusal::unsupported(word, "the chip lacks it; WRCFG does the same").into()
                );
            };
            let number = bits(word, 6, 7) + u32::from(first);
            if number >= u32::from(end) {
                let reason =
                    format!("configuration word {number} is not among those that it reaches");
                return Err(Refusal::undefined(word, reason).into());
            }
            if bits(word, 16, 6) != 0 || !matches!(bits(word, 22, 2), 1 | 2) {
                let reason = "a target, context or size other than a whole configuration word";
                return Err(Refusal::unsupported(word, reason).into());
            }
            let bank = configuration.bank_number(thread);
            let written = configuration.write(bank, number, registers.get(a));
            written.map_err(|refusal| refusal.by(word))?;
        }
        opcode::ADDDMAREG | opcode::MULDMAREG if bit(word, 23) => {
            return Err(Refusal::unimplemented(word, "a constant as the second operand").into());
        }
        opcode::ADDDMAREG => {
            let sum = registers.get(a).wrapping_add(registers.get(b));
            registers.set(result, sum);
        }
        opcode::MULDMAREG => {
            let product = (registers.get(a) & 0xFFFF) * (registers.get(b) & 0xFFFF);
            registers.set(result, product);
        }
        opcode::DMANOP => {}
        opcode::STOREREG => {
            let address = STORES_FROM | bits(word, 0, 18) << 2;
            surroundings.store_register(address, registers.get(bits(word, 18, 6)))?;
        }
        _ => return Err(Refusal::unimplemented(word, "the scalar unit lacks it").into()),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use hallmark_chip::Architecture;

    use super::*;
    use crate::frontend::Origin;
    use crate::order::Knowledge;
    use crate::surroundings::Unknown;
    use crate::units::Unit;

    /// The stores that the scalar unit made.
    #[derive(Default)]
    struct Stores(Vec<(u32, u32)>);

    impl Knowledge for Stores {
        type Error = Refusal;
    }

    impl Surroundings for Stores {
        fn executes(&mut self, _: Origin, _: u64) {}

        fn finished(
            &mut self,
            _: Unit,
            _: crate::threads::Thread,
            _: u64,
            _: Option<crate::frontend::Instruction>,
        ) {
        }

        fn comes_after(&mut self, _: &crate::Overlap) -> Result<(), Refusal> {
            unreachable!("the scalar unit uses no Dst")
        }

        fn posts(&mut self, _: crate::surroundings::Handover) {}

        fn takes(&mut self, _: crate::surroundings::Handover) {}

        fn read(&mut self, _: Unit, _: u64, _: &mut [u8]) -> Result<Unknown, Refusal> {
            unreachable!("the scalar unit reads no L1 here")
        }

        fn write(&mut self, _: Unit, _: u64, _: &[u8], _: Unknown) -> Result<(), Refusal> {
            unreachable!("the scalar unit writes no L1 here")
        }

        fn store_register(&mut self, address: u32, value: u32) -> Result<(), Refusal> {
            self.0.push((address, value));
            Ok(())
        }
    }

    struct Bench {
        registers: Registers,
        configuration: Configuration,
        stores: Stores,
    }

    impl Bench {
        fn new() -> Self {
            let chip = Chip::of(Architecture::WormholeB0);
            let configuration = Configuration::new(chip);
            Self { registers: Registers::default(), configuration, stores: Stores::default() }
        }

        fn execute(&mut self, word: u32) -> Result<(), Refusal> {
            let Self { registers, configuration, stores } = self;
            let chip = Chip::of(Architecture::WormholeB0);
            execute(word, Thread::Pack, registers, configuration, chip, stores)
        }
    }

    #[test]
    fn halves_of_registers_are_set_one_by_one() {
        let mut bench = Bench::new();
        bench.execute(0x4500_0000 | 0x1234 << 8 | 5 << 1).expect("legal");
        bench.execute(0x4500_0000 | 0xABCD << 8 | 5 << 1 | 1).expect("legal");
        assert_eq!(bench.registers.get(5), 0xABCD_1234);
        bench.execute(0x4500_0000 | 0x5678 << 8 | 5 << 1).expect("legal");
        assert_eq!(bench.registers.get(5), 0xABCD_5678);
        assert_eq!(bench.registers.get(4), 0);
    }

    #[test]
    fn registers_are_added_and_multiplied() {
        let mut bench = Bench::new();
        bench.registers.set(3, 0xFFFF_FFFF);
        bench.registers.set(4, 0x0001_0003);
        bench.execute(0x5800_0000 | 7 << 12 | 4 << 6 | 3).expect("legal");
        bench.execute(0x5A00_0000 | 8 << 12 | 4 << 6 | 3).expect("legal");
        assert_eq!(bench.registers.get(7), 0x0001_0002);
        assert_eq!(bench.registers.get(8), 3 * 0xFFFF);
        assert!(bench.execute(0x5880_0000).is_err());
    }

    #[test]
    fn a_register_goes_to_the_configuration() {
        let mut bench = Bench::new();
        bench.registers.set(9, 0x0004_0004);
        // REG2FLOP: register 9 to word 52 + 8.
        bench.execute(0x4800_0000 | 1 << 22 | 8 << 6 | 9).expect("legal");
        assert_eq!(bench.configuration.read(0, 60), Ok(0x0004_0004));
        assert!(bench.execute(0x4800_0000 | 1 << 22 | 100 << 6).is_err());
        assert!(bench.execute(0x4800_0000 | 8 << 6).is_err());
    }

    #[test]
    fn a_register_goes_to_a_register_of_the_tile() {
        let mut bench = Bench::new();
        bench.registers.set(63, 0x77);
        bench.execute(0x6700_0000 | 63 << 18 | 0x1_0003).expect("legal");
        assert_eq!(bench.stores.0, [(0xFFB4_000C, 0x77)]);
    }
}
