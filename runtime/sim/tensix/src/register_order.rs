//! A core's stores to the general registers of its thread, which may arrive behind an instruction that the core pushes
//! afterwards (`ScalarUnit.md`, "RISCV access to GPRs").

use crate::bits::{bit, bits};
use crate::frontend::Origin;
use crate::opcodes::opcode;
use crate::order;
use crate::scalar::REGISTERS;

/// The last store to each register of a thread, as long as nothing tells that it has arrived.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RegisterOrder {
    stores: [Option<Origin>; REGISTERS],
    /// The registers with a store, by number.
    stored: u64,
}

impl Default for RegisterOrder {
    fn default() -> Self {
        Self { stores: [None; REGISTERS], stored: 0 }
    }
}

/// The registers that an instruction reads, by number.
pub(crate) const fn read_by(word: u32) -> u64 {
    let (a, b) = (bits(word, 0, 6), bits(word, 6, 6));
    match word >> 24 {
        opcode::WRCFG if bit(word, 15) => 0xF << (bits(word, 16, 6) & !3),
        opcode::WRCFG => 1 << bits(word, 16, 6),
        opcode::REG2FLOP => 1 << a,
        opcode::STOREREG => 1 << bits(word, 18, 6),
        opcode::ADDDMAREG | opcode::MULDMAREG => 1 << a | 1 << b,
        _ => 0,
    }
}

impl RegisterOrder {
    /// The thread's core stores to a register.
    pub(crate) fn store(&mut self, number: u32, by: Origin) {
        if let Some(store) = self.stores.get_mut(number as usize) {
            *store = Some(by);
            self.stored |= 1 << number;
        }
    }

    /// The core loads a register: its stores up to the last one to that register have arrived.
    pub(crate) fn loaded(&mut self, number: u32) {
        if let Some(Some(store)) = self.stores.get(number as usize) {
            self.arrived(store.retired);
        }
    }

    /// The stores that the core made until it had retired so many instructions have arrived.
    pub(crate) fn arrived(&mut self, retired: u64) {
        for (number, store) in self.stores.iter_mut().enumerate() {
            if store.is_some_and(|store| store.retired <= retired) {
                *store = None;
                self.stored &= !(1 << number);
            }
        }
    }

    /// A store that an instruction reads, and that may arrive behind it: its register, and the core's place.
    #[inline]
    pub(crate) fn under_way(
        &self,
        word: u32,
        origin: Origin,
        is_strict: impl Fn() -> bool,
    ) -> Option<(u32, Origin)> {
        let read = self.stored & read_by(word);
        if read == 0 {
            return None;
        }
        (0..REGISTERS).filter(|number| read >> number & 1 == 1).find_map(|number| {
            let store = (*self.stores.get(number)?)?;
            let may_be =
                store.core == origin.core && order::may_arrive_behind(store, origin, is_strict());
            may_be.then_some((number as u32, store))
        })
    }
}

#[cfg(test)]
mod tests {
    use hallmark_chip::Processor;

    use super::*;
    use crate::order::UNDER_WAY;

    fn at(retired: u64) -> Origin {
        Origin { core: Processor::Trisc2, pc: 0x6000, retired }
    }

    const WRCFG: u32 = 0xB000_0000;

    #[test]
    fn instructions_read_the_registers_that_they_name() {
        for (word, read) in [
            (WRCFG | 17 << 16, 1 << 17),
            (WRCFG | 1 << 15 | 20 << 16, 0xF << 20),
            (0x4800_0000 | 21 << 6 | 5, 1 << 5),
            (0x6700_0000 | 63 << 18, 1 << 63),
            (0x5800_0000 | 7 << 12 | 9 << 6 | 8, 1 << 8 | 1 << 9),
            (0x5A00_0000 | 7 << 12 | 3 << 6 | 2, 1 << 2 | 1 << 3),
            (0x4500_0000 | 4 << 1, 0),
            (0xB100_0000 | 17 << 16, 0),
        ] {
            assert_eq!(read_by(word), read, "{word:#x}");
        }
    }

    #[test]
    fn a_store_is_under_way_until_it_has_arrived() {
        let reads = WRCFG | 17 << 16;
        let mut order = RegisterOrder::default();
        order.store(17, at(30));
        let other = Origin { core: Processor::Brisc, ..at(31) };
        for (word, origin, is_strict, found) in [
            (reads, at(31), false, true),
            (reads, at(30 + UNDER_WAY), false, true),
            (reads, at(31 + UNDER_WAY), false, false),
            (reads, at(31 + UNDER_WAY), true, true),
            // The instruction was pushed before the store.
            (reads, at(29), false, true),
            (WRCFG | 18 << 16, at(31), false, false),
            (reads, other, false, false),
        ] {
            let under_way = order.under_way(word, origin, || is_strict);
            assert_eq!(
                under_way,
                found.then_some((17, at(30))),
                "{word:#x} {origin:?} {is_strict}"
            );
        }
        type Arrives = fn(&mut RegisterOrder);
        let cases: [(Arrives, bool); 5] = [
            (|order| order.loaded(17), true),
            (|order| order.loaded(16), false),
            (|order| order.arrived(30), true),
            (|order| order.arrived(29), false),
            (
                |order| {
                    order.store(63, at(31));
                    order.loaded(63);
                },
                true,
            ),
        ];
        for (number, (arrives, has_arrived)) in cases.into_iter().enumerate() {
            let mut order = order;
            arrives(&mut order);
            assert_eq!(order.under_way(reads, at(32), || false).is_none(), has_arrived, "{number}");
        }
    }
}
