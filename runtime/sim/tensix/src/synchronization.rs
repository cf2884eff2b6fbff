//! Semaphores and mutexes (`SyncUnit.md`), and the conditions on which instructions wait.

use std::fmt;

use crate::bits::bits;
use crate::refusal::Refusal;
use crate::threads::Thread;
use crate::units::Source;

/// The largest value of a semaphore.
const LARGEST: u8 = 15;

/// A semaphore.
#[derive(Clone, Copy, Debug, Default)]
struct Semaphore {
    value: u8,
    most: u8,
}

/// The semaphores of a tile, which cores change too.
#[derive(Clone, Debug, Default)]
pub(crate) struct Semaphores([Semaphore; 8]);

/// Why a core cannot change a semaphore: it is at its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AtItsEnd(pub u8);

impl Semaphores {
    /// The value of a semaphore.
    pub(crate) fn value(&self, number: usize) -> Option<u8> {
        self.0.get(number).map(|semaphore| semaphore.value)
    }

    /// A core adds 1 to a semaphore (`BabyRISCV/PCBufs.md`), whose maximum does not matter to it.
    ///
    /// # Errors
    /// The semaphore is at 15.
    pub(crate) fn post(&mut self, number: usize) -> Result<(), AtItsEnd> {
        match self.0.get_mut(number) {
            Some(Semaphore { value: LARGEST, .. }) => Err(AtItsEnd(LARGEST)),
            Some(semaphore) => {
                semaphore.value += 1;
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// A core takes 1 from a semaphore.
    ///
    /// # Errors
    /// The semaphore is at 0.
    pub(crate) fn get(&mut self, number: usize) -> Result<(), AtItsEnd> {
        match self.0.get_mut(number) {
            Some(Semaphore { value: 0, .. }) => Err(AtItsEnd(0)),
            Some(semaphore) => {
                semaphore.value -= 1;
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// SEMINIT.
    pub(crate) fn initialize(&mut self, word: u32) -> Result<(), Refusal> {
        let (value, most) = (bits(word, 16, 4) as u8, bits(word, 20, 4) as u8);
        if value > most {
            let reason = format!("the value {value} is above the maximum {most}");
            return Err(Refusal::non_contractual(word, reason));
        }
        let mask = bits(word, 2, 8);
        for (number, semaphore) in self.0.iter_mut().enumerate() {
            if mask >> number & 1 == 1 {
                *semaphore = Semaphore { value, most };
            }
        }
        Ok(())
    }

    /// The one semaphore that an instruction names.
    fn named(&self, word: u32) -> Result<(usize, Semaphore), Refusal> {
        let mask = bits(word, 2, 8);
        let number = mask.trailing_zeros() as usize;
        match self.0.get(number) {
            Some(semaphore) if mask.is_power_of_two() => Ok((number, *semaphore)),
            _ => Err(Refusal::unsupported(
                word,
                format!("it names the semaphores {mask:#010b}, not exactly one"),
            )),
        }
    }

    /// SEMPOST. The hardware ignores the maximum and counts to 15; a post above the maximum is refused, as in Tenstorrent's
    /// simulator.
    pub(crate) fn post_by(&mut self, word: u32) -> Result<(), Refusal> {
        let (number, Semaphore { value, most }) = self.named(word)?;
        if value >= most {
            let reason = format!("semaphore {number} is at {value} and its maximum is {most}");
            return Err(Refusal::non_contractual(word, reason));
        }
        self.set(number, value + 1);
        Ok(())
    }

    /// SEMGET. The hardware does nothing at 0.
    pub(crate) fn get_by(&mut self, word: u32) -> Result<(), Refusal> {
        let (number, Semaphore { value, .. }) = self.named(word)?;
        let Some(value) = value.checked_sub(1) else {
            return Err(Refusal::non_contractual(word, format!("semaphore {number} is at 0")));
        };
        self.set(number, value);
        Ok(())
    }

    fn set(&mut self, number: usize, value: u8) {
        if let Some(semaphore) = self.0.get_mut(number) {
            semaphore.value = value;
        }
    }

    /// SEMWAIT: what it still waits for.
    pub(crate) fn wait(&self, word: u32) -> Result<Option<Wait>, Refusal> {
        let condition = bits(word, 0, 2);
        let (number, Semaphore { value, most }) = self.named(word)?;
        match condition {
            1 => Ok((value == 0).then_some(Wait::SemaphoreNotZero(number as u8))),
            2 if value < most => Ok(None),
            2 => Ok(Some(Wait::SemaphoreBelow(number as u8, most))),
            0 => Err(Refusal::undefined(word, "it waits for nothing")),
            _ => Err(Refusal::unsupported(word, "it waits for two conditions")),
        }
    }
}

/// The mutexes of a tile.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mutexes([Option<Thread>; 8]);

impl Mutexes {
    fn named(&mut self, word: u32, mutexes: u32) -> Result<(u32, &mut Option<Thread>), Refusal> {
        let number = bits(word, 0, 16);
        let exists = number < mutexes && number != 1;
        match self.0.get_mut(number as usize) {
            Some(holder) if exists => Ok((number, holder)),
            _ => Err(Refusal::undefined(word, format!("there is no mutex {number} (ATGETM.md)"))),
        }
    }

    /// ATGETM: what it still waits for. A second acquisition by the holder is refused, as in Tenstorrent's simulator.
    pub(crate) fn acquire(
        &mut self,
        word: u32,
        thread: Thread,
        mutexes: u32,
    ) -> Result<Option<Wait>, Refusal> {
        let (number, holder) = self.named(word, mutexes)?;
        match holder {
            Some(holder) if *holder == thread => {
                let reason = format!("the thread holds mutex {number} already");
                Err(Refusal::non_contractual(word, reason))
            }
            Some(holder) => Ok(Some(Wait::Mutex(number as u8, *holder))),
            None => {
                *holder = Some(thread);
                Ok(None)
            }
        }
    }

    /// ATRELM. A release by another thread is refused, as in Tenstorrent's simulator.
    pub(crate) fn release(
        &mut self,
        word: u32,
        thread: Thread,
        mutexes: u32,
    ) -> Result<(), Refusal> {
        let (number, holder) = self.named(word, mutexes)?;
        if *holder != Some(thread) {
            let reason = format!("the thread does not hold mutex {number}");
            return Err(Refusal::non_contractual(word, reason));
        }
        *holder = None;
        Ok(())
    }
}

/// What an instruction waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// The semaphore is not 0.
    SemaphoreNotZero(u8),
    /// The semaphore is below its maximum.
    SemaphoreBelow(u8, u8),
    /// Another thread gives the mutex back.
    Mutex(u8, Thread),
    /// The unpacker has filled the bank.
    SourceFull(Source),
    /// The matrix unit is done with the bank.
    SourceEmpty(Source),
}

impl fmt::Display for Wait {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SemaphoreNotZero(number) => {
                write!(f, "until coprocessor semaphore {number} is not 0")
            }
            Self::SemaphoreBelow(number, most) => {
                write!(f, "until coprocessor semaphore {number} is below its maximum {most}")
            }
            Self::Mutex(number, holder) => {
                write!(f, "until thread {} gives back mutex {number}", holder.index())
            }
            Self::SourceFull(source) => write!(f, "until an unpacker has filled {source}"),
            Self::SourceEmpty(source) => {
                write!(f, "until the matrix unit is done with a bank of {source}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn initialized() -> Semaphores {
        let mut semaphores = Semaphores::default();
        // Semaphore 3 begins at 1 of 2.
        semaphores.initialize(0xA300_0000 | 2 << 20 | 1 << 16 | 8 << 2).expect("legal");
        semaphores
    }

    const THIRD: u32 = 8 << 2;

    #[test]
    fn posts_and_gets_stay_within_the_limits() {
        let mut semaphores = initialized();
        semaphores.post_by(0xA400_0000 | THIRD).expect("1 of 2");
        let refused = semaphores.post_by(0xA400_0000 | THIRD).expect_err("2 of 2");
        assert!(refused.reason.contains("semaphore 3 is at 2"), "{refused}");
        for _ in 0..2 {
            semaphores.get_by(0xA500_0000 | THIRD).expect("above 0");
        }
        assert!(semaphores.get_by(0xA500_0000 | THIRD).is_err());
        assert_eq!(semaphores.value(3), Some(0));
        assert_eq!(semaphores.value(2), Some(0));
    }

    #[test]
    fn a_later_maximum_holds_instead_of_an_earlier_one() {
        let mut semaphores = initialized();
        semaphores.initialize(0xA300_0000 | 1 << 20 | 8 << 2).expect("legal");
        assert_eq!(semaphores.value(3), Some(0));
        semaphores.post_by(0xA400_0000 | THIRD).expect("0 of 1");
        assert!(semaphores.post_by(0xA400_0000 | THIRD).is_err());
        assert_eq!(semaphores.wait(0xA600_0002 | THIRD), Ok(Some(Wait::SemaphoreBelow(3, 1))));
    }

    #[test]
    fn a_core_posts_to_15() {
        let mut semaphores = initialized();
        for _ in 1..15 {
            semaphores.post(3).expect("below 15");
        }
        assert_eq!(semaphores.post(3), Err(AtItsEnd(15)));
        assert_eq!(semaphores.get(4), Err(AtItsEnd(0)));
    }

    #[test]
    fn a_wait_says_what_it_waits_for() {
        let mut semaphores = initialized();
        assert_eq!(semaphores.wait(0xA600_0001 | THIRD), Ok(None));
        assert_eq!(semaphores.wait(0xA600_0002 | THIRD), Ok(None));
        semaphores.post(3).expect("1 of 15");
        assert_eq!(semaphores.wait(0xA600_0002 | THIRD), Ok(Some(Wait::SemaphoreBelow(3, 2))));
        let zero = semaphores.wait(0xA600_0001 | 16 << 2);
        assert_eq!(zero, Ok(Some(Wait::SemaphoreNotZero(4))));
        for word in [0xA600_0000 | THIRD, 0xA600_0003 | THIRD, 0xA600_0001, 0xA600_0001 | 24 << 2] {
            assert!(semaphores.wait(word).is_err(), "{word:#x}");
        }
    }

    #[test]
    fn a_value_is_not_above_its_maximum() {
        let mut semaphores = Semaphores::default();
        assert!(semaphores.initialize(0xA300_0000 | 1 << 20 | 2 << 16 | 8 << 2).is_err());
    }

    #[test]
    fn one_thread_holds_a_mutex() {
        let mut mutexes = Mutexes::default();
        assert_eq!(mutexes.acquire(0xA000_0003, Thread::Pack, 8), Ok(None));
        let waits = mutexes.acquire(0xA000_0003, Thread::Math, 8);
        assert_eq!(waits, Ok(Some(Wait::Mutex(3, Thread::Pack))));
        assert!(mutexes.acquire(0xA000_0003, Thread::Pack, 8).is_err());
        assert!(mutexes.release(0xA100_0003, Thread::Math, 8).is_err());
        mutexes.release(0xA100_0003, Thread::Pack, 8).expect("held");
        assert_eq!(mutexes.acquire(0xA000_0003, Thread::Math, 8), Ok(None));
    }

    #[test]
    fn some_mutexes_do_not_exist() {
        let mut mutexes = Mutexes::default();
        for number in [1, 5, 8, 0xFFFF] {
            assert!(mutexes.acquire(0xA000_0000 | number, Thread::Math, 5).is_err(), "{number}");
        }
    }
}
