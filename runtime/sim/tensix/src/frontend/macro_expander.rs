//! The two templates of macros (`MOPExpander.md`), a word at a time.

use super::NOP;
use crate::bits::{bit, bits};
use crate::refusal::Refusal;

/// Words that make up a macro.
pub(crate) const MACRO_WORDS: usize = 9;

/// Words that one turn of the first template makes at most.
const TURN: usize = 5;
/// Turns of the second template's loops at most, outer and inner.
const LOOPS: [u32; 2] = [32, 64];

/// A macro that is being expanded.
#[derive(Debug)]
pub(super) enum Expansion {
    /// A turn for each bit of a mask.
    Masked(Masked),
    /// A loop in a loop.
    Nested(Nested),
}

#[derive(Debug)]
pub(super) struct Masked {
    mask: u32,
    turns: u32,
    words: [u32; MACRO_WORDS],
    /// The words of this turn that are left.
    turn: std::iter::Take<std::array::IntoIter<u32, TURN>>,
}

#[derive(Debug)]
pub(super) struct Nested {
    words: [u32; MACRO_WORDS],
    outer_left: u32,
    inner: u32,
    inner_left: u32,
    /// The next word of the inner loop is the other of two.
    other: bool,
    part: Part,
}

/// The part of the outer loop's turn from which the next word comes.
#[derive(Clone, Copy, Debug)]
enum Part {
    Start,
    Inner,
    End(usize),
}

impl Expansion {
    pub(super) fn new(
        word: u32,
        mask_high: u32,
        words: [u32; MACRO_WORDS],
    ) -> Result<Self, Refusal> {
        let (mask, count) = (bits(word, 0, 16), bits(word, 16, 7));
        let [first, second, ..] = words;
        if !bit(word, 23) {
            if count > 31 {
                let reason = format!("{} turns, and the mask has 32 bits", count + 1);
                return Err(Refusal::unsupported(word, reason));
            }
            if second > 3 {
                let reason = format!("flags {second:#x}, of which bits 0 and 1 are known");
                return Err(Refusal::unsupported(word, reason));
            }
            let turn = [0; TURN].into_iter().take(0);
            let mask = mask | mask_high << 16;
            return Ok(Self::Masked(Masked { mask, turns: count + 1, words, turn }));
        }
        if mask != 0 || count != 0 {
            return Err(Refusal::unimplemented(word, "the nested loops take no mask and no count"));
        }
        for (length, most) in [first, second].into_iter().zip(LOOPS) {
            if length == 0 || length > most {
                let reason = format!("a loop of {length} turns, which has 1 to {most}");
                return Err(Refusal::unimplemented(word, reason));
            }
        }
        let [.., alternate, _, _] = words;
        let alternates = alternate >> 24 != NOP >> 24;
        let inner = if alternates { 2 * second } else { second };
        Ok(Self::Nested(Nested {
            words,
            outer_left: first,
            inner,
            inner_left: inner,
            other: false,
            part: Part::Start,
        }))
    }

    /// The next word.
    pub(super) fn next(&mut self) -> Option<u32> {
        match self {
            Self::Masked(masked) => masked.next(),
            Self::Nested(nested) => nested.next(),
        }
    }
}

impl Masked {
    fn next(&mut self) -> Option<u32> {
        loop {
            if let Some(word) = self.turn.next() {
                return Some(word);
            }
            self.turns = self.turns.checked_sub(1)?;
            let [_, flags, b, a0, a1, a2, a3, skip_a, skip_b] = self.words;
            let (has_b, has_a123) = (bit(flags, 0), bit(flags, 1));
            let (words, count) = match (self.mask & 1 == 1, has_a123, has_b) {
                (true, _, _) => ([skip_a, skip_b, 0, 0, 0], 1 + usize::from(has_b)),
                (false, true, _) => ([a0, a1, a2, a3, b], 4 + usize::from(has_b)),
                (false, false, _) => ([a0, b, 0, 0, 0], 1 + usize::from(has_b)),
            };
            self.turn = words.into_iter().take(count);
            self.mask >>= 1;
        }
    }
}

impl Nested {
    fn next(&mut self) -> Option<u32> {
        let [_, _, start, end_0, end_1, one, alternate, last_of_all, last_of_turn] = self.words;
        let is_nop = |word: u32| word >> 24 == NOP >> 24;
        loop {
            if self.outer_left == 0 {
                return None;
            }
            match self.part {
                Part::Start => {
                    self.part = Part::Inner;
                    self.inner_left = self.inner;
                    if !is_nop(start) {
                        return Some(start);
                    }
                }
                Part::Inner => {
                    self.inner_left = self.inner_left.saturating_sub(1);
                    let word = match (self.inner_left, self.outer_left) {
                        (0, 1) => last_of_all,
                        (0, _) => last_of_turn,
                        _ if self.other => alternate,
                        _ => one,
                    };
                    self.other ^= !is_nop(alternate);
                    if self.inner_left == 0 {
                        self.part = Part::End(0);
                    }
                    return Some(word);
                }
                Part::End(0) if !is_nop(end_0) => {
                    self.part = Part::End(1);
                    return Some(end_0);
                }
                Part::End(position) => {
                    self.part = Part::Start;
                    self.outer_left = self.outer_left.saturating_sub(1);
                    if position == 1 && !is_nop(end_1) {
                        return Some(end_1);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(words: [u32; MACRO_WORDS]) -> Vec<u32> {
        let mut expansion = Expansion::new(0x0180_0000, 0, words).expect("legal");
        std::iter::from_fn(|| expansion.next()).collect()
    }

    #[test]
    fn nested_loops_replace_the_last_instructions() {
        assert_eq!(all([2, 3, 1, 8, 9, 2, NOP, 4, 3]), [1, 2, 2, 3, 8, 9, 1, 2, 2, 4, 8, 9]);
        assert_eq!(all([1, 1, NOP, NOP, 9, 2, NOP, 4, 3]), [4]);
    }

    #[test]
    fn a_turn_that_the_mask_skips_has_words_of_its_own() {
        // The second of three turns is skipped.
        let expanded = |flags| {
            let words = [0, flags, 0xB, 0xA0, 0xA1, 0xA2, 0xA3, 0x5A, 0x5B];
            let mut expansion = Expansion::new(0x0102_0002, 0, words).expect("legal");
            std::iter::from_fn(|| expansion.next()).collect::<Vec<_>>()
        };
        assert_eq!(expanded(0), [0xA0, 0x5A, 0xA0]);
        assert_eq!(expanded(1), [0xA0, 0xB, 0x5A, 0x5B, 0xA0, 0xB]);
        assert_eq!(expanded(2), [0xA0, 0xA1, 0xA2, 0xA3, 0x5A, 0xA0, 0xA1, 0xA2, 0xA3]);
        let turn = [0xA0, 0xA1, 0xA2, 0xA3, 0xB];
        assert_eq!(expanded(3), [&turn[..], &[0x5A, 0x5B], &turn[..]].concat());
    }

    #[test]
    fn two_instructions_alternate() {
        // An odd number of pairs begins each turn with the same one, because pairs are whole.
        assert_eq!(all([2, 2, NOP, NOP, NOP, 1, 2, 4, 3]), [1, 2, 1, 3, 1, 2, 1, 4]);
    }

    #[test]
    fn the_longest_macro_is_finite() {
        assert_eq!(all([32, 64, 1, 2, 3, 4, 5, 6, 7]).len(), 32 * (128 + 3));
    }
}
