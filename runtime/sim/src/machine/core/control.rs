//! A core's control and status registers (BlackholeA0, TensixTile/BabyRISCV/CSRs.md).

use hallmark_chip::Processor;

use crate::machine::fault::Violation;

mod number {
    pub(super) const CFG0: u32 = 0x7C0;
    pub(super) const PMACFG0: u32 = 0x7C1;
    pub(super) const PMACFG1: u32 = 0x7C2;
    /// `cfg1`, `hwa_mask`, `hwa_cfg`, `vgsrc`: software can use them for any purpose.
    pub(super) const SCRATCH: std::ops::RangeInclusive<u32> = 0x7C3..=0x7C6;
    /// `tt_cfg_sstatus0` to 7: the same on BRISC and NCRISC.
    pub(super) const STATUS: std::ops::RangeInclusive<u32> = 0xBC2..=0xBC9;
    pub(super) const MSTATUS: u32 = 0x300;
    pub(super) const MISA: u32 = 0x301;
    pub(super) const MHARTID: u32 = 0xF14;
    pub(super) const CYCLE: [u32; 2] = [0xB00, 0xC00];
    pub(super) const CYCLE_HIGH: [u32; 2] = [0xB80, 0xC80];
    pub(super) const RETIRED: [u32; 2] = [0xB02, 0xC02];
    pub(super) const RETIRED_HIGH: [u32; 2] = [0xB82, 0xC82];
    /// Performance counters, floating point, vectors, interrupts and the state of the coprocessor.
    pub(super) const OTHERS: [u32; 19] = [
        0x003, 0x008, 0x009, 0x00A, 0x320, 0x323, 0x324, 0xB03, 0xB04, 0xB83, 0xB84, 0xBC0, 0xBC1,
        0xBCA, 0xC20, 0xC21, 0xC22, 0x001, 0x002,
    ];
}

/// `StMergeTimer` of `cfg0`, the only field that is not 0 after reset.
const CFG0_AT_RESET: u32 = 16 << 13;

#[derive(Clone, Debug)]
pub(crate) struct ControlRegisters {
    configuration: u32,
    strong_order: [u32; 2],
    scratch: [u32; 4],
    status: [u32; 8],
    /// Added to the clock and to the number of retired instructions.
    cycle_offset: u64,
    retired_offset: u64,
}

impl Default for ControlRegisters {
    fn default() -> Self {
        Self {
            configuration: CFG0_AT_RESET,
            strong_order: [0; 2],
            scratch: [0; 4],
            status: [0; 8],
            cycle_offset: 0,
            retired_offset: 0,
        }
    }
}

/// What counters count.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counts {
    pub(crate) now: u64,
    pub(crate) retired: u64,
}

fn with_low(value: u64, low: u32) -> u64 {
    value & !u64::from(u32::MAX) | u64::from(low)
}

fn with_high(value: u64, high: u32) -> u64 {
    value & u64::from(u32::MAX) | u64::from(high) << 32
}

impl ControlRegisters {
    /// Whether every load and store behaves as if a `fence` came before it, which empties the data
    /// cache.
    pub(crate) fn fences_every_access(&self) -> bool {
        self.strong_order.iter().any(|register| register & 1 == 1)
    }

    fn cycle(&self, counts: Counts) -> u64 {
        counts.now.wrapping_add(self.cycle_offset)
    }

    fn retired(&self, counts: Counts) -> u64 {
        counts.retired.wrapping_add(self.retired_offset)
    }

    /// The register that only holds what was written to it.
    fn plain(&mut self, number: u32, processor: Processor) -> Option<&mut u32> {
        let moves_data = matches!(processor, Processor::Brisc | Processor::Ncrisc);
        match number {
            number::CFG0 => Some(&mut self.configuration),
            number::PMACFG0 => self.strong_order.first_mut(),
            number::PMACFG1 => self.strong_order.last_mut(),
            _ if number::SCRATCH.contains(&number) => {
                self.scratch.get_mut((number - number::SCRATCH.start()) as usize)
            }
            _ if moves_data && number::STATUS.contains(&number) => {
                self.status.get_mut((number - number::STATUS.start()) as usize)
            }
            _ => None,
        }
    }

    pub(crate) fn read(
        &mut self,
        number: u32,
        processor: Processor,
        counts: Counts,
    ) -> Result<u32, Violation> {
        if let Some(&mut value) = self.plain(number, processor) {
            return Ok(value);
        }
        match number {
            number::MSTATUS => Ok(0x8000_6600),
            number::MISA => Ok(0x4020_1123),
            number::MHARTID => Ok(0),
            _ if number::CYCLE.contains(&number) => Ok(self.cycle(counts) as u32),
            _ if number::CYCLE_HIGH.contains(&number) => Ok((self.cycle(counts) >> 32) as u32),
            _ if number::RETIRED.contains(&number) => Ok(self.retired(counts) as u32),
            _ if number::RETIRED_HIGH.contains(&number) => Ok((self.retired(counts) >> 32) as u32),
            _ => Err(refuse(number)),
        }
    }

    pub(crate) fn write(
        &mut self,
        number: u32,
        value: u32,
        processor: Processor,
        counts: Counts,
    ) -> Result<(), Violation> {
        if let Some(register) = self.plain(number, processor) {
            *register = value;
            return Ok(());
        }
        let (cycle, retired) = (self.cycle(counts), self.retired(counts));
        let from = |new: u64, counted: u64| new.wrapping_sub(counted);
        match number {
            number::MSTATUS | number::MISA | number::MHARTID => {
                return Err(Violation::undefined(format!(
                    "control register {number:#x} is only read"
                )));
            }
            _ if number::CYCLE.contains(&number) => {
                self.cycle_offset = from(with_low(cycle, value), counts.now);
            }
            _ if number::CYCLE_HIGH.contains(&number) => {
                self.cycle_offset = from(with_high(cycle, value), counts.now);
            }
            _ if number::RETIRED.contains(&number) => {
                self.retired_offset = from(with_low(retired, value), counts.retired);
            }
            _ if number::RETIRED_HIGH.contains(&number) => {
                self.retired_offset = from(with_high(retired, value), counts.retired);
            }
            _ => return Err(refuse(number)),
        }
        Ok(())
    }

    /// Sets or clears bits of `cfg0`.
    pub(crate) fn switch(&mut self, bits: u32, set: bool) {
        self.configuration =
            if set { self.configuration | bits } else { self.configuration & !bits };
    }

    /// The bits of `cfg0`.
    pub(crate) fn configuration(&self) -> u32 {
        self.configuration
    }
}

fn refuse(number: u32) -> Violation {
    let exists = number::OTHERS.contains(&number) || number::STATUS.contains(&number);
    if exists {
        Violation::unsupported(format!(
            "control register {number:#x} is of the coprocessor, of floating point or vectors, or of \
             performance counters or interrupts, none of which is there yet"
        ))
    } else {
        Violation::undefined(format!("there is no control register {number:#x}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: Counts = Counts { now: 0x1_0000_0005, retired: 7 };

    #[test]
    fn counters_go_on_from_what_was_written() {
        let mut registers = ControlRegisters::default();
        let read = |registers: &mut ControlRegisters, number, counts| {
            registers.read(number, Processor::Trisc0, counts).unwrap()
        };
        assert_eq!((read(&mut registers, 0xB00, AT), read(&mut registers, 0xC80, AT)), (5, 1));
        registers.write(0xC00, u32::MAX, Processor::Trisc0, AT).unwrap();
        registers.write(0xB80, 8, Processor::Trisc0, AT).unwrap();
        registers.write(0xB02, 100, Processor::Trisc0, AT).unwrap();
        let later = Counts { now: AT.now + 2, retired: AT.retired + 3 };
        assert_eq!(
            (read(&mut registers, 0xC00, later), read(&mut registers, 0xC80, later)),
            (1, 9)
        );
        assert_eq!(
            (read(&mut registers, 0xC02, later), read(&mut registers, 0xC82, later)),
            (103, 0)
        );
    }

    #[test]
    fn registers_hold_what_was_written_where_they_are() {
        let mut registers = ControlRegisters::default();
        assert_eq!(registers.read(0x7C0, Processor::Brisc, AT).unwrap(), 0x2_0000);
        for number in (0x7C0..=0x7C6).chain(0xBC2..=0xBC9) {
            registers.write(number, number, Processor::Ncrisc, AT).unwrap();
        }
        for number in (0x7C0..=0x7C6).chain(0xBC2..=0xBC9) {
            assert_eq!(registers.read(number, Processor::Ncrisc, AT).unwrap(), number);
        }
        assert!(registers.fences_every_access());
        assert!(registers.read(0xBC2, Processor::Trisc1, AT).is_err());
        assert!(registers.write(0x301, 0, Processor::Brisc, AT).is_err());
        assert!(registers.read(0x7C7, Processor::Brisc, AT).is_err());
    }
}
