//! From the words that cores push to the instructions that are issued: a queue, the expansion of macros
//! (`MOPExpander.md`) and the replay buffer (`REPLAY.md`), of one thread.
//!
//! The queue holds words as they were pushed, so that its length bounds what a thread keeps: a macro of 32 turns over a
//! replay of 32 instructions stands in it as one word.

mod macro_expander;
mod replay;

use std::collections::VecDeque;

use hallmark_chip::Processor;

use crate::refusal::Refusal;

use self::macro_expander::Expansion;
pub(crate) use self::macro_expander::MACRO_WORDS;
use self::replay::Replay;

/// Words that a thread keeps before whoever pushes has to wait. The hardware's first queue holds 29 to 32.
const CAPACITY: usize = 32;

/// Which core pushed an instruction, and where that core stood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The core.
    pub core: Processor,
    /// The address of the core's instruction.
    pub pc: u32,
    /// Instructions that the core had retired.
    pub retired: u64,
}

/// Where a pushed word enters (`TensixCoprocessor/README.md`): pushes of BRISC join behind the macro expander.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entrance {
    /// Before the macro expander.
    MacroExpander,
    /// Behind it.
    Replay,
}

/// An instruction, and who pushed the word that it comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// The instruction.
    pub word: u32,
    /// Who pushed it.
    pub origin: Origin,
}

/// A word of the queue.
#[derive(Clone, Debug)]
struct Pushed {
    instruction: Instruction,
    entrance: Entrance,
    /// The macro's words at the time of the push, for a macro.
    words: Option<Box<[u32; MACRO_WORDS]>>,
}

mod opcode {
    pub(super) const MOP: u32 = 0x01;
    pub(super) const NOP: u32 = 0x02;
    pub(super) const MOP_CFG: u32 = 0x03;
    pub(super) const REPLAY: u32 = 0x04;
}

/// Nothing; the expanders drop it wherever its operands are 0.
pub(crate) const NOP: u32 = opcode::NOP << 24;

/// The frontend of a thread.
#[derive(Debug, Default)]
pub(crate) struct Frontend {
    queue: VecDeque<Pushed>,
    /// What the next macro is made of.
    macro_words: [u32; MACRO_WORDS],
    /// The upper half of the mask of the next macro.
    mask_high: u32,
    expansion: Option<(Expansion, Origin)>,
    /// Who pushed the last macro that was expanded.
    last_macro: Option<Origin>,
    /// An expansion has ended.
    has_ended_macro: bool,
    replay: Replay,
    /// The instruction that is issued next.
    head: Option<Instruction>,
    /// NOPs that were dropped before the head.
    passed_nops: u32,
}

impl Frontend {
    /// Takes a word; `false` if the queue is full.
    pub(crate) fn push(&mut self, word: u32, entrance: Entrance, origin: Origin) -> bool {
        if self.queue.len() >= CAPACITY {
            return false;
        }
        let is_macro = word >> 24 == opcode::MOP && entrance == Entrance::MacroExpander;
        let words = is_macro.then(|| Box::new(self.macro_words));
        let instruction = Instruction { word, origin };
        self.queue.push_back(Pushed { instruction, entrance, words });
        true
    }

    /// Whether the next word would find no place.
    pub(crate) fn is_full(&self) -> bool {
        self.queue.len() >= CAPACITY
    }

    /// Whether everything that was pushed has been issued.
    pub(crate) fn is_empty(&self) -> bool {
        self.queue.is_empty()
            && self.head.is_none()
            && self.expansion.is_none()
            && !self.replay.plays()
    }

    /// Whether a macro waits or is being expanded.
    pub(crate) fn has_macro(&self) -> bool {
        self.expansion.is_some() || self.queue.iter().any(|pushed| pushed.words.is_some())
    }

    /// Sets a word of the next macro. Gives the word that was there, if there is such a word.
    pub(crate) fn set_macro_word(&mut self, index: usize, value: u32) -> Option<u32> {
        self.macro_words.get_mut(index).map(|word| std::mem::replace(word, value))
    }

    /// Who pushed the macro that waits longest, is being expanded, or was expanded last.
    pub(crate) fn current_macro(&self) -> Option<Origin> {
        let waiting = self.queue.iter().find(|pushed| pushed.words.is_some());
        let expanding = self.expansion.as_ref().map(|(_, origin)| *origin);
        expanding.or(waiting.map(|pushed| pushed.instruction.origin)).or(self.last_macro)
    }

    /// Whether an expansion has ended, once. The instructions that were issued before are all that it gave.
    pub(crate) const fn take_ended_macro(&mut self) -> bool {
        std::mem::replace(&mut self.has_ended_macro, false)
    }

    /// The instruction that is to be issued next, which stays until [`Self::issued`].
    #[inline]
    pub(crate) fn head(&mut self) -> Result<Option<Instruction>, (Refusal, Origin)> {
        if self.head.is_none() {
            if let Some(instruction) = self.replay.next() {
                self.offer(instruction);
            }
            if self.head.is_none() {
                self.look_for_head()?;
            }
        }
        Ok(self.head)
    }

    fn look_for_head(&mut self) -> Result<(), (Refusal, Origin)> {
        while self.head.is_none() {
            if let Some(instruction) = self.replay.next() {
                self.offer(instruction);
                continue;
            }
            let Some(instruction) = self.expanded()? else { return Ok(()) };
            let refused = |refusal| (refusal, instruction.origin);
            if let Some(instruction) = self.replay.take(instruction).map_err(refused)? {
                self.offer(instruction);
            }
        }
        Ok(())
    }

    #[inline]
    fn offer(&mut self, instruction: Instruction) {
        self.head = (instruction.word != NOP).then_some(instruction);
        if self.head.is_none() {
            self.passed_nops = self.passed_nops.saturating_add(1);
        }
    }

    /// How many NOPs came before the head, once.
    pub(crate) const fn take_nops(&mut self) -> u32 {
        std::mem::replace(&mut self.passed_nops, 0)
    }

    /// The head has been issued.
    pub(crate) fn issued(&mut self) {
        self.head = None;
    }

    /// The next instruction behind the macro expander.
    fn expanded(&mut self) -> Result<Option<Instruction>, (Refusal, Origin)> {
        loop {
            if let Some((expansion, origin)) = &mut self.expansion {
                if let Some(word) = expansion.next() {
                    return Ok(Some(Instruction { word, origin: *origin }));
                }
                self.last_macro = Some(*origin);
                self.has_ended_macro = true;
                self.expansion = None;
            }
            let Some(pushed) = self.queue.pop_front() else { return Ok(None) };
            let Instruction { word, origin } = pushed.instruction;
            match (word >> 24, pushed.words) {
                (_, Some(words)) => {
                    let expansion = Expansion::new(word, self.mask_high, *words)
                        .map_err(|refusal| (refusal, origin))?;
                    self.expansion = Some((expansion, origin));
                }
                (opcode::MOP_CFG, None) if pushed.entrance == Entrance::MacroExpander => {
                    if word & 0xFF_0000 != 0 {
                        let refusal = Refusal::non_contractual(word, "bits 16 to 23 mean nothing");
                        return Err((refusal, origin));
                    }
                    self.mask_high = word & 0xFFFF;
                }
                _ => return Ok(Some(pushed.instruction)),
            }
        }
    }

    /// The core of this thread enters reset: what has not left the macro expander is gone (`SoftReset.md`).
    pub(crate) fn reset(&mut self) {
        self.queue.retain(|pushed| pushed.entrance == Entrance::Replay);
        self.expansion = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ORIGIN: Origin = Origin { core: Processor::Trisc1, pc: 0x6004, retired: 3 };

    fn all(frontend: &mut Frontend) -> Vec<u32> {
        let mut words = Vec::new();
        while let Ok(Some(head)) = frontend.head() {
            assert_eq!(head.origin, ORIGIN);
            words.push(head.word);
            frontend.issued();
        }
        words
    }

    fn push(frontend: &mut Frontend, word: u32) {
        assert!(frontend.push(word, Entrance::MacroExpander, ORIGIN));
    }

    fn words(frontend: &mut Frontend, words: [u32; MACRO_WORDS]) {
        for (index, word) in words.into_iter().enumerate() {
            assert!(frontend.set_macro_word(index, word).is_some());
        }
    }

    #[test]
    fn a_head_stays_until_it_is_issued() {
        let mut frontend = Frontend::default();
        push(&mut frontend, 0x3700_0001);
        push(&mut frontend, NOP);
        push(&mut frontend, 0x3700_0002);
        for _ in 0..2 {
            let head = frontend.head().expect("legal").expect("pushed");
            assert_eq!((head.word, head.origin), (0x3700_0001, ORIGIN));
        }
        assert!(!frontend.is_empty());
        assert_eq!(all(&mut frontend), [0x3700_0001, 0x3700_0002]);
        assert!(frontend.is_empty());
    }

    #[test]
    fn a_full_queue_takes_nothing() {
        let mut frontend = Frontend::default();
        for index in 0..CAPACITY as u32 {
            push(&mut frontend, 0x3700_0000 + index);
        }
        assert!(frontend.is_full());
        assert!(!frontend.push(0x3700_FFFF, Entrance::MacroExpander, ORIGIN));
        assert_eq!(all(&mut frontend).len(), CAPACITY);
    }

    #[test]
    fn a_macro_keeps_the_words_of_its_push() {
        let mut frontend = Frontend::default();
        words(&mut frontend, [2, 1, NOP, NOP, NOP, 0xA, NOP, 0xC, 0xB]);
        push(&mut frontend, 0x0180_0000);
        words(&mut frontend, [1, 1, NOP, NOP, NOP, 0xF, NOP, 0xF, 0xF]);
        assert!(frontend.has_macro());
        assert_eq!(all(&mut frontend), [0xB, 0xC]);
        assert!(!frontend.has_macro());
    }

    #[test]
    fn a_macro_masks_by_both_halves() {
        let mut frontend = Frontend::default();
        // Flag 2: the instruction comes with three others. The mask's bit 17 skips the eighteenth turn.
        words(&mut frontend, [0, 2, 0, 0x10, 0x11, 0x12, 0x13, 0x20, 0x21]);
        push(&mut frontend, 0x0300_0002);
        push(&mut frontend, 0x0111_0001);
        let mut expected = vec![0x20];
        for _ in 1..17 {
            expected.extend([0x10, 0x11, 0x12, 0x13]);
        }
        expected.push(0x20);
        assert_eq!(all(&mut frontend), expected);
    }

    #[test]
    fn a_macro_behind_the_expander_stays_a_word() {
        let mut frontend = Frontend::default();
        assert!(frontend.push(0x0180_0000, Entrance::Replay, ORIGIN));
        assert_eq!(all(&mut frontend), [0x0180_0000]);
    }

    #[test]
    fn a_replay_repeats_what_was_recorded() {
        let mut frontend = Frontend::default();
        // Records two instructions from slot 31 on, so that the second lies in slot 0.
        let record = 0x0400_0001 | 2 << 4 | 31 << 14;
        for word in [record, 0x3700_0001, 0x3700_0002] {
            push(&mut frontend, word);
        }
        assert_eq!(all(&mut frontend), []);
        push(&mut frontend, 0x0400_0000 | 2 << 4 | 31 << 14);
        assert_eq!(all(&mut frontend), [0x3700_0001, 0x3700_0002]);
        push(&mut frontend, 0x0400_0000 | 3 << 4 | 31 << 14);
        let (refusal, _) = frontend.head().expect_err("slot 1 was never recorded");
        assert!(refusal.reason.contains("slot 1"), "{refusal}");
    }

    #[test]
    fn a_count_of_0_is_64_and_behind_the_last_slot_comes_the_first() {
        let mut frontend = Frontend::default();
        let word = |number: u32| 0x3700_0000 | number;
        // Records 64 from slot 3 on: the last 32 stay. What comes behind them is not recorded.
        push(&mut frontend, 0x0400_0001 | 3 << 14);
        for number in 0..64 {
            push(&mut frontend, word(number));
            assert_eq!(all(&mut frontend), []);
        }
        push(&mut frontend, word(100));
        assert_eq!(all(&mut frontend), [word(100)]);
        for (count, repeated) in [(0, 64), (63, 63), (33, 33)] {
            push(&mut frontend, 0x0400_0000 | count << 4 | 5 << 14);
            let expected: Vec<u32> =
                (0..repeated).map(|index| word(32 + (2 + index) % 32)).collect();
            assert_eq!(all(&mut frontend), expected);
        }
        push(&mut frontend, 0x0400_0000 | 64 << 4);
        let (refusal, _) = frontend.head().expect_err("a count of 6 bits");
        assert!(refusal.reason.contains("a count of 64"), "{refusal}");
    }

    #[test]
    fn a_recording_may_execute_too() {
        let mut frontend = Frontend::default();
        for word in
            [0x0400_0003 | 2 << 4 | 5 << 14, 0x3700_0001, 0x0400_0010 | 5 << 14, 0x3700_0003]
        {
            push(&mut frontend, word);
        }
        // The second word is a REPLAY itself, which is recorded and, behind the buffer, not expanded again.
        assert_eq!(all(&mut frontend), [0x3700_0001, 0x0400_0010 | 5 << 14, 0x3700_0003]);
    }

    #[test]
    fn refusals_name_the_macro() {
        let refused = |word, macro_words| {
            let mut frontend = Frontend::default();
            words(&mut frontend, macro_words);
            push(&mut frontend, word);
            let (refusal, origin) = frontend.head().expect_err("refused");
            assert_eq!(origin, ORIGIN);
            refusal.to_string()
        };
        let ones = [1; MACRO_WORDS];
        assert!(refused(0x0180_0001, ones).starts_with("MOP 0x01800001"));
        assert!(refused(0x0120_0000, ones).contains("32"));
        assert!(refused(0x0180_0000, [33, 1, 0, 0, 0, 0, 0, 0, 0]).contains("33"));
        assert!(refused(0x0180_0000, [1, 65, 0, 0, 0, 0, 0, 0, 0]).contains("65"));
        assert!(refused(0x0100_0000, [1, 4, 0, 0, 0, 0, 0, 0, 0]).contains("0x4"));
        assert!(refused(0x0301_0000, ones).starts_with("MOP_CFG"));
        assert!(refused(0x0400_0000, ones).starts_with("REPLAY"));
        assert!(refused(0x0400_0010 | 32 << 14, ones).contains("from slot 32"));
    }

    #[test]
    fn a_reset_discards_what_is_before_the_replay() {
        let mut frontend = Frontend::default();
        words(&mut frontend, [32, 64, NOP, NOP, NOP, 0xA, NOP, 0xC, 0xB]);
        push(&mut frontend, 0x0180_0000);
        push(&mut frontend, 0x3700_0002);
        assert!(frontend.push(0x3700_0003, Entrance::Replay, ORIGIN));
        assert!(matches!(frontend.head(), Ok(Some(Instruction { word: 0xA, .. }))));
        frontend.reset();
        assert_eq!(all(&mut frontend), [0xA, 0x3700_0003]);
    }
}
