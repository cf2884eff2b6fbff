//! A core's stores to the general registers of its thread, which may arrive behind an instruction that the core pushes
//! afterwards (`ScalarUnit.md`, "RISCV access to GPRs").

use crate::bits::{bit, bits};
use crate::frontend::{Instruction, Origin};
use crate::opcodes::opcode;
use crate::order::{self, Issued, Knowledge};
use crate::scalar::REGISTERS;

/// The last store to each register of a thread, as long as nothing tells that it has arrived.
#[derive(Clone, Debug)]
pub(crate) struct RegisterOrder {
    stores: [Option<Origin>; REGISTERS],
    /// The registers with a store, by number.
    stored: u64,
    /// The stores of which waits tell that they have arrived, with their registers, if somebody wants to know the waits.
    awaited: Vec<(u32, Origin, Vec<Instruction>)>,
}

impl Default for RegisterOrder {
    fn default() -> Self {
        Self { stores: [None; REGISTERS], stored: 0, awaited: Vec::new() }
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
            self.awaited.retain(|(awaited, ..)| *awaited != number);
        }
    }

    /// The core loads a register: its stores up to the last one to that register have arrived.
    pub(crate) fn loaded(&mut self, number: u32) {
        if let Some(Some(store)) = self.stores.get(number as usize) {
            self.arrived(store.retired, None);
        }
    }

    /// The stores that the core made until it had retired so many instructions have arrived. `wait` tells so, if somebody
    /// wants to know the waits. Gives whether that is news of one of them.
    pub(crate) fn arrived(&mut self, retired: u64, wait: Option<Instruction>) -> bool {
        let before = self.stored;
        if let Some(wait) = wait {
            let earlier = self.awaited.iter_mut().filter(|(_, store, _)| store.retired <= retired);
            earlier.for_each(|(.., waits)| order::add_wait(waits, wait));
        }
        for (number, store) in (0..).zip(&mut self.stores) {
            if let Some(arrived) = store.take_if(|store| store.retired <= retired) {
                self.stored &= !(1 << number);
                self.awaited.extend(wait.map(|wait| (number, arrived, vec![wait])));
            }
        }
        self.stored != before
    }

    /// An instruction reads registers. Tells of the waits that order it and stores to them.
    #[inline]
    pub(crate) fn read<K: Knowledge>(&self, by: &Issued, knowledge: &mut K) {
        if self.awaited.is_empty() {
            return;
        }
        let read = read_by(by.word);
        for (number, store, waits) in &self.awaited {
            if read >> number & 1 == 1
                && store.core == by.origin.core
                && order::may_arrive_behind(*store, by.origin, knowledge.is_strict())
            {
                knowledge.ordered_by(*store, by, waits);
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
            (|order| _ = order.arrived(30, None), true),
            (|order| _ = order.arrived(29, None), false),
            (
                |order| {
                    order.store(63, at(31));
                    order.loaded(63);
                },
                true,
            ),
        ];
        for (number, (arrives, has_arrived)) in cases.into_iter().enumerate() {
            let mut order = order.clone();
            arrives(&mut order);
            assert_eq!(order.under_way(reads, at(32), || false).is_none(), has_arrived, "{number}");
        }
    }

    /// Notes the waits that order a store and an instruction.
    #[derive(Default)]
    struct Asks {
        is_strict: bool,
        told: Vec<(u64, Vec<u32>)>,
    }

    impl Knowledge for Asks {
        type Error = crate::refusal::Refusal;

        fn is_strict(&self) -> bool {
            self.is_strict
        }

        fn ordered_by(&mut self, store: Origin, _: &Issued, waits: &[Instruction]) {
            self.told.push((store.retired, waits.iter().map(|wait| wait.word).collect()));
        }
    }

    #[test]
    fn the_waits_are_told_behind_which_an_instruction_reads() {
        let wait = |word| Some(Instruction { word, origin: at(40) });
        let mut order = RegisterOrder::default();
        order.store(17, at(30));
        order.store(18, at(31));
        order.arrived(30, wait(1));
        order.arrived(31, wait(2));
        let told = |order: &RegisterOrder, (word, origin), is_strict| {
            let mut asks = Asks { is_strict, ..Asks::default() };
            let by = Issued { word, thread: crate::threads::Thread::Pack, number: 3, origin };
            order.read(&by, &mut asks);
            asks.told
        };
        let (of_17, of_18) = (WRCFG | 17 << 16, WRCFG | 18 << 16);
        assert_eq!(told(&order, (of_17, at(33)), false), [(30, vec![1, 2])]);
        assert_eq!(told(&order, (of_18, at(33)), false), [(31, vec![2])]);
        // The default level counts stores as arrived that are so old.
        let late = at(31 + UNDER_WAY);
        assert_eq!(told(&order, (of_17, late), false), []);
        assert_eq!(told(&order, (of_17, late), true), [(30, vec![1, 2])]);
        let other = Origin { core: Processor::Brisc, ..at(33) };
        assert_eq!(told(&order, (of_17, other), false), []);
        assert_eq!(told(&order, (WRCFG | 19 << 16, at(33)), false), []);
        order.store(17, at(34));
        assert_eq!(told(&order, (of_17, at(35)), false), []);
        order.loaded(17);
        assert_eq!(told(&order, (of_17, at(35)), false), []);
    }
}
