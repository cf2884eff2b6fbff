//! The configuration of the coprocessor's units (`BackendConfiguration.md`). There are two banks of words; each thread
//! uses one of them and has words of its own. The chip's table lists the words and fields that exist.

use hallmark_chip::FaultCategory;

use crate::bits::Field;
use crate::chips::{Absent, Chip};
use crate::refusal::Refusal;
use crate::threads::{PerThread, Thread};

/// Changes of an instruction or a store, at most.
const MOST_CHANGES: usize = 4;
/// Words that SETC16 reaches.
const THREAD_WORDS: usize = 256;

/// The words that a thread sees: those of its bank, and those that both banks share.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View<'a> {
    bank: &'a [u32],
    shared: &'a [u32],
    shared_from: u16,
}

impl View<'_> {
    /// A word.
    pub(crate) fn word(&self, number: u16) -> u32 {
        let words = if number >= self.shared_from { self.shared } else { self.bank };
        words.get(usize::from(number)).copied().unwrap_or(0)
    }

    /// A field.
    pub(crate) fn get(&self, field: Field) -> u32 {
        field.of(self.word(field.word))
    }

    /// Whether a field of one bit is set.
    pub(crate) fn is_set(&self, field: Field) -> bool {
        self.get(field) != 0
    }

    /// The first of these features that is asked for.
    pub(crate) fn asked_for(&self, absent: &[Absent]) -> Option<&'static str> {
        absent.iter().find(|one| self.get(one.field) != 0).map(|one| one.feature)
    }
}

/// A write of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Change {
    /// The bank; `None` if both banks share the word.
    pub(crate) bank: Option<usize>,
    /// The number of the word.
    pub(crate) word: u16,
    /// The bits that differ from before.
    pub(crate) bits: u32,
    /// The bits that were written.
    pub(crate) written: u32,
}

/// All configuration.
#[derive(Debug)]
pub(crate) struct Configuration {
    chip: &'static Chip,
    banks: [Vec<u32>; 2],
    threads: PerThread<Vec<u16>>,
    /// Counts the changes.
    version: u64,
    /// Words that were written since they were taken.
    changes: Vec<Change>,
    /// What random numbers start from, unless they have started.
    random_seed: Option<u32>,
}

impl Configuration {
    pub(crate) fn new(chip: &'static Chip) -> Self {
        let bank = || vec![0; chip.bank_words.into()];
        Self {
            chip,
            banks: [bank(), bank()],
            threads: PerThread::new(|| vec![0; THREAD_WORDS]),
            version: 0,
            changes: Vec::new(),
            random_seed: None,
        }
    }

    /// The words that were written since the last call.
    pub(crate) fn take_changes(&mut self) -> Vec<Change> {
        std::mem::take(&mut self.changes)
    }

    /// Nobody asks for the words that were written.
    pub(crate) fn forget_changes(&mut self) {
        self.changes.clear();
    }

    /// Whether words were written since they were taken.
    pub(crate) const fn has_changes(&self) -> bool {
        !self.changes.is_empty()
    }

    /// Another number after each change.
    pub(crate) const fn version(&self) -> u64 {
        self.version
    }

    /// What a thread sees.
    pub(crate) fn view(&self, thread: Thread) -> View<'_> {
        let [first, second] = &self.banks;
        let bank = if self.bank_number(thread) == 0 { first } else { second };
        View { bank, shared: first, shared_from: self.chip.shared_from }
    }

    /// A field of a thread's own words.
    pub(crate) fn of_thread(&self, thread: Thread, field: Field) -> u32 {
        field.of(u32::from(self.thread_word(thread, field.word)))
    }

    /// A word of a thread's own.
    pub(crate) fn thread_word(&self, thread: Thread, number: u16) -> u16 {
        self.threads.of(thread).get(usize::from(number)).copied().unwrap_or(0)
    }

    /// The number of the bank that a thread uses.
    pub(crate) fn bank_number(&self, thread: Thread) -> usize {
        self.of_thread(thread, self.chip.thread.state_id) as usize
    }

    /// Reads a word of a bank.
    pub(crate) fn read(&self, bank: usize, number: u32) -> Result<u32, Refusal> {
        let (bank, number, _) = self.find(bank, number, "read")?;
        Ok(self.banks.get(bank).and_then(|bank| bank.get(number)).copied().unwrap_or(0))
    }

    /// Writes a word of a bank.
    pub(crate) fn write(&mut self, bank: usize, number: u32, value: u32) -> Result<(), Refusal> {
        self.write_bits(bank, number, (value, u32::MAX))
    }

    /// Writes some bits of a word of a bank. `value` is the whole word.
    pub(crate) fn write_bits(
        &mut self,
        bank: usize,
        number: u32,
        (value, written): (u32, u32),
    ) -> Result<(), Refusal> {
        let (bank, number, mask) = self.find(bank, number, "written")?;
        let value = value & mask;
        let absent =
            self.chip.absent.iter().find(|absent| {
                usize::from(absent.field.word) == number && absent.field.of(value) != 0
            });
        if let Some(absent) = absent {
            return Err(Refusal::new(
                FaultCategory::UnsupportedFunctionality,
                format!(
                    "configuration word {number} = {value:#x} asks for {}, which is not simulated",
                    absent.feature
                ),
            ));
        }
        if let Some(word) = self.banks.get_mut(bank).and_then(|bank| bank.get_mut(number)) {
            let bits = std::mem::replace(word, value) ^ value;
            if self.changes.len() < MOST_CHANGES {
                let bank = (number < self.chip.shared_from.into()).then_some(bank);
                let written = written & mask;
                self.changes.push(Change { bank, word: number as u16, bits, written });
            }
        }
        if number == usize::from(self.chip.random_seed) {
            self.random_seed = Some(value);
        }
        self.version += 1;
        Ok(())
    }

    /// Sets a field in bank 0.
    #[cfg(test)]
    pub(crate) fn set(&mut self, field: Field, value: u32) {
        let word = field.set(self.read(0, field.word.into()).expect("a word"), value);
        self.write(0, field.word.into(), word).expect("a value that is simulated");
    }

    /// What random numbers start from, once after each write.
    pub(crate) const fn take_random_seed(&mut self) -> Option<u32> {
        self.random_seed.take()
    }

    /// Where a word lies, and which of its bits exist.
    fn find(&self, bank: usize, number: u32, done: &str) -> Result<(usize, usize, u32), Refusal> {
        let chip = self.chip;
        if number >= u32::from(chip.bank_words) {
            return Err(Refusal::new(
                FaultCategory::UndefinedBehavior,
                format!(
                    "configuration word {number} does not exist; a bank has {}",
                    chip.bank_words
                ),
            ));
        }
        let number = number as u16;
        let Ok(index) = chip.words.binary_search_by_key(&number, |word| word.number) else {
            return Err(Refusal::new(
                FaultCategory::UnimplementedFunctionality,
                format!(
                    "configuration word {number} cannot be {done}: nothing that it configures is simulated"
                ),
            ));
        };
        let mask = chip.words.get(index).map_or(0, |word| word.mask);
        let bank = if number >= chip.shared_from { 0 } else { bank };
        Ok((bank, number.into(), mask))
    }

    /// SETC16: writes a word of a thread's own.
    pub(crate) fn set_thread_word(
        &mut self,
        thread: Thread,
        number: u8,
        value: u16,
    ) -> Result<(), Refusal> {
        if self.chip.thread_words.binary_search(&number).is_err() {
            return Err(Refusal::new(
                FaultCategory::UnimplementedFunctionality,
                format!(
                    "word {number} of a thread cannot be written: nothing that it configures is simulated"
                ),
            ));
        }
        self.version += 1;
        if let Some(word) = self.threads.of_mut(thread).get_mut(usize::from(number)) {
            *word = value;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use hallmark_chip::Architecture;

    use super::*;

    fn configuration() -> Configuration {
        Configuration::new(Chip::of(Architecture::WormholeB0))
    }

    #[test]
    fn a_word_keeps_the_bits_that_exist() {
        let mut configuration = configuration();
        configuration.write(0, 14, 0xFFFF_FFF6).expect("exists");
        assert_eq!(configuration.read(0, 14).expect("exists"), 6);
        assert_eq!(configuration.read(1, 14).expect("exists"), 0);
    }

    #[test]
    fn a_thread_uses_the_bank_that_it_names() {
        let mut configuration = configuration();
        let field = Field::new(64, 0, 32);
        configuration.write(0, 64, 0x111).expect("exists");
        configuration.write(1, 64, 0x222).expect("exists");
        configuration.set_thread_word(Thread::Math, 0, 1).expect("exists");
        assert_eq!(configuration.view(Thread::Unpack).get(field), 0x111);
        assert_eq!(configuration.view(Thread::Math).get(field), 0x222);
        assert_eq!(configuration.bank_number(Thread::Math), 1);
    }

    #[test]
    fn shared_words_are_those_of_both_banks() {
        let mut configuration = configuration();
        configuration.write(1, 153, 0x40).expect("exists");
        assert_eq!(configuration.read(0, 153).expect("exists"), 0x40);
        for thread in Thread::ALL {
            assert_eq!(configuration.view(thread).get(Field::new(153, 4, 4)), 4);
        }
    }

    #[test]
    fn refusals_name_the_word_and_the_feature() {
        let mut configuration = configuration();
        let refused = configuration.write(0, 1, 2).expect_err("stochastic");
        assert_eq!(refused.category, FaultCategory::UnsupportedFunctionality);
        assert!(refused.reason.contains("stochastic rounding"), "{refused}");
        assert_eq!(configuration.read(0, 1).expect("exists"), 0);
        let refused = configuration.write(0, 12, 0).expect_err("not simulated");
        assert!(refused.reason.contains("word 12"), "{refused}");
        let refused = configuration.read(0, 188).expect_err("no such word");
        assert_eq!(refused.category, FaultCategory::UndefinedBehavior);
        assert!(configuration.set_thread_word(Thread::Pack, 4, 1).is_err());
    }

    #[test]
    fn words_that_were_written_are_taken_with_their_banks_and_bits() {
        let mut configuration = configuration();
        for (bank, number, value) in [(0, 64, 0x111), (1, 65, 0x30), (1, 65, 0x30)] {
            configuration.write(bank, number, value).expect("exists");
        }
        configuration.write_bits(1, 65, (0x31, 3)).expect("exists");
        assert!(configuration.has_changes());
        let changes = [
            (Some(0), 64, 0x111, u32::MAX),
            (Some(1), 65, 0x30, u32::MAX),
            (Some(1), 65, 0, u32::MAX),
            (Some(1), 65, 1, 3),
        ];
        assert_eq!(
            configuration.take_changes(),
            changes.map(|(bank, word, bits, written)| Change { bank, word, bits, written })
        );
        assert!(!configuration.has_changes() && configuration.take_changes().is_empty());
        configuration.write(1, 152, 2).expect("exists");
        let shared = Change { bank: None, word: 152, bits: 2, written: 0x3_FFFF };
        assert_eq!(configuration.take_changes(), [shared]);
    }
}
