//! Banks that the matrix unit gives back when an instruction ends. Until then, a `STALLWAIT` on a bank looks at the bank that
//! is given back, and not at the one that comes next (`STALLWAIT.md`, C10 and C11: `MatrixUnit.SrcABank` is looked at while the
//! wait goes on; `ELWMUL.md` changes it behind the multiplication). The same goes for `SETRWC` and `CLEARDVALID`: boards advance
//! the bank one or two cycles behind the wait (tt-metal#52256). Instructions that read a bank wait for the right one.

use crate::destination_order::Use;
use crate::units::Source;

/// A source of a thread.
#[derive(Clone, Copy, Debug, Default)]
struct Flip {
    /// The last instruction that gave a bank back. Its end is not known.
    under_way: Option<Use>,
    /// The same, when the thread last waited for the bank alone.
    waited_through: Option<Use>,
}

/// The banks that a thread gives back.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BankFlips([Flip; 2]);

impl BankFlips {
    fn of(&mut self, source: Source) -> &mut Flip {
        let [a, b] = &mut self.0;
        match source {
            Source::A => a,
            Source::B => b,
        }
    }

    /// An instruction gives a bank back.
    pub(crate) fn gives_back(&mut self, source: Source, by: Use) {
        self.of(source).under_way = Some(by);
    }

    /// The matrix unit has finished the thread's instructions up to a number.
    pub(crate) fn end(&mut self, upto: u64) {
        for flip in &mut self.0 {
            flip.under_way = flip.under_way.filter(|by| by.number > upto);
        }
    }

    /// A `STALLWAIT` on the bank is over. Gives whether it has looked at the bank that the thread uses next.
    pub(crate) fn wait(&mut self, source: Source, is_over: impl FnOnce(&Use) -> bool) -> bool {
        let flip = self.of(source);
        let under_way = flip.under_way.filter(|by| !is_over(by));
        *flip = Flip { under_way, waited_through: under_way };
        under_way.is_none()
    }

    /// The thread has waited for the bank that it uses next.
    pub(crate) fn take(&mut self, source: Source) {
        *self.of(source) = Flip::default();
    }

    /// The instruction that may have given its bank back behind the wait for a bank.
    pub(crate) fn waited_through(&mut self, source: Source) -> Option<Use> {
        self.of(source).waited_through
    }
}

#[cfg(test)]
mod tests {
    use hallmark_chip::Processor;

    use super::*;
    use crate::frontend::Origin;
    use crate::threads::Thread;
    use crate::units::{Unit, Units};

    fn flip(number: u64) -> Use {
        let origin = Origin { core: Processor::Trisc1, pc: 0x6000, retired: number };
        let (thread, units) = (Thread::Math, Units::of(Unit::Matrix));
        Use { word: 0x3000_0000, thread, number, position: number, origin, units, writes: false }
    }

    #[test]
    fn a_wait_looks_at_the_bank_before_a_flip_that_may_be_under_way() {
        let mut flips = BankFlips::default();
        assert!(flips.wait(Source::A, |_| false));
        flips.gives_back(Source::B, flip(3));
        assert!(flips.wait(Source::A, |_| false));
        assert_eq!(flips.waited_through(Source::A), None);
        for _ in 0..2 {
            assert!(!flips.wait(Source::B, |by| by.number != 3));
            assert_eq!(flips.waited_through(Source::B), Some(flip(3)));
        }
        assert!(flips.wait(Source::B, |by| by.number == 3));
        assert_eq!(flips.waited_through(Source::B), None);
        assert!(flips.wait(Source::B, |_| false));
    }

    #[test]
    fn a_flip_is_over_when_the_unit_is_done_or_the_next_bank_was_waited_for() {
        type Ends = fn(&mut BankFlips);
        let cases: [(Ends, bool); 5] = [
            (|_| {}, false),
            (|flips| flips.end(4), true),
            (|flips| flips.end(3), false),
            (|flips| flips.take(Source::A), true),
            (|flips| flips.take(Source::B), false),
        ];
        for (number, (ends, is_over)) in cases.into_iter().enumerate() {
            let mut flips = BankFlips::default();
            flips.gives_back(Source::A, flip(4));
            ends(&mut flips);
            assert_eq!(flips.wait(Source::A, |_| false), is_over, "{number}");
        }
    }
}
