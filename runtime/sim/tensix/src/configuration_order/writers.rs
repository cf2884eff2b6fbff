//! Who wrote which bits of a configuration word. A write of a whole word also writes the bits that belong to another thread,
//! with what its own thread takes for their value (`RMWCIB.md`, `WRCFG.md`).

use std::collections::BTreeMap;

use crate::configuration::Change;
use crate::order::{Doing, Moment, Party};

/// Writes of a word that are remembered, at most.
const REMEMBERED: usize = 8;

/// A write.
#[derive(Clone, Copy, Debug)]
struct Entry {
    by: Doing,
    moment: Moment,
    written: u32,
    changed: u32,
}

/// The last writes of each word.
#[derive(Debug, Default)]
pub(super) struct Writers(BTreeMap<(Option<usize>, u16), Vec<Entry>>);

impl Writers {
    /// A word is written. Gives an earlier write by somebody else that is not known, and the bits that one of the two changes
    /// and the other writes.
    pub(super) fn write(
        &mut self,
        by: Doing,
        (change, moment): (&Change, Moment),
        mut knows: impl FnMut(Party, Moment) -> bool,
    ) -> Option<(Doing, u32)> {
        let Change { bank, word, bits: changed, written } = *change;
        let entries = self.0.entry((bank, word)).or_default();
        let found = entries.iter().find_map(|earlier| {
            let common = written & earlier.changed | changed & earlier.written;
            let is_other = earlier.by.party() != by.party();
            let lacks = is_other && common != 0 && !knows(earlier.by.party(), earlier.moment);
            lacks.then_some((earlier.by, common))
        });
        entries.retain(|earlier| {
            earlier.by.party() != by.party()
                || earlier.written & !written != 0
                || earlier.changed & !changed != 0
        });
        if entries.len() >= REMEMBERED {
            entries.remove(0);
        }
        entries.push(Entry { by, moment, written, changed });
        found
    }
}

#[cfg(test)]
mod tests {
    use hallmark_chip::Processor;

    use super::*;
    use crate::frontend::Origin;
    use crate::order::Issued;
    use crate::threads::Thread;

    fn by(thread: Thread, number: u64) -> Doing {
        let origin = Origin { core: Processor::Trisc1, pc: 0x6000, retired: number };
        Doing::Instruction(Issued { word: 0xB000_0000, thread, number, origin })
    }

    const fn change(bits: u32, written: u32) -> Change {
        Change { bank: Some(0), word: 2, bits, written }
    }

    const WHOLE: u32 = u32::MAX;

    /// Writes of MATH and then of PACK. Gives the common bits if PACK does not know of MATH.
    fn common(math: Change, pack: Change) -> Option<u32> {
        let mut writers = Writers::default();
        assert_eq!(writers.write(by(Thread::Math, 3), (&math, Moment(5)), |_, _| false), None);
        let found = writers.write(by(Thread::Pack, 4), (&pack, Moment(6)), |party, moment| {
            assert_eq!((party, moment), (Party::Thread(Thread::Math), Moment(5)));
            false
        });
        found.map(|(earlier, bits)| {
            assert_eq!(earlier, by(Thread::Math, 3));
            bits
        })
    }

    #[test]
    fn two_writes_of_a_bit_need_an_order_if_one_changes_it() {
        for (math, pack, bits) in [
            (change(1, 1), change(4, WHOLE), Some(1)),
            (change(4, WHOLE), change(1, 1), Some(1)),
            (change(1, 1), change(1, 1), Some(1)),
            (change(1, 1), change(0, 1), Some(1)),
            (change(0, 1), change(0, WHOLE), None),
            // Each its own bits.
            (change(1, 1), change(4, 0x3C), None),
            // Another bank, another word.
            (change(1, 1), Change { bank: Some(1), ..change(4, WHOLE) }, None),
            (change(1, 1), Change { bank: None, ..change(4, WHOLE) }, None),
            (change(1, 1), Change { word: 3, ..change(4, WHOLE) }, None),
        ] {
            assert_eq!(common(math, pack), bits, "{math:?} {pack:?}");
        }
    }

    #[test]
    fn a_write_that_is_known_and_an_own_one_are_in_order() {
        let mut writers = Writers::default();
        let mut write = |thread, number, moment, known: &[u32]| {
            let knows = |_, Moment(moment)| known.contains(&moment);
            writers.write(by(thread, number), (&change(1, WHOLE), Moment(moment)), knows)
        };
        assert_eq!(write(Thread::Math, 3, 5, &[]), None);
        assert_eq!(write(Thread::Math, 4, 6, &[]), None);
        assert_eq!(write(Thread::Pack, 2, 7, &[6]), None);
        // MATH knows of no write of PACK.
        assert_eq!(write(Thread::Math, 5, 8, &[]), Some((by(Thread::Pack, 2), 1)));
    }

    #[test]
    fn only_a_write_of_all_its_bits_replaces_an_own_one() {
        for (second, found) in [(change(1, WHOLE), None), (change(0, WHOLE), Some(1))] {
            let mut writers = Writers::default();
            let mut write = |thread, number, change: Change, known: u32| {
                let knows = |_, Moment(moment)| moment == known;
                writers.write(by(thread, number), (&change, Moment(number as u32)), knows)
            };
            assert_eq!(write(Thread::Math, 3, change(1, 1), 0), None);
            assert_eq!(write(Thread::Math, 4, second, 0), None);
            // PACK knows of the second write alone, which is more than a clock can say.
            let told = write(Thread::Pack, 5, change(1, 1), 4);
            assert_eq!(told.map(|(_, bits)| bits), found);
        }
    }

    #[test]
    fn the_oldest_of_many_writes_is_forgotten() {
        for (others, found) in [(REMEMBERED - 1, true), (REMEMBERED, false)] {
            let mut writers = Writers::default();
            let none = |_, _| false;
            writers.write(by(Thread::Math, 1), (&change(1, 1), Moment(1)), none);
            for number in 0..others as u64 {
                let own = change(0, 2 << number);
                writers.write(by(Thread::Math, 2 + number), (&own, Moment(2)), none);
            }
            let pack = by(Thread::Pack, 99);
            let told = writers.write(pack, (&change(1, 1), Moment(3)), none);
            assert_eq!(told.is_some(), found, "{others}");
        }
    }
}
