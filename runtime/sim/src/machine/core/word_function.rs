//! What registers hold as a function of one word that a loop watches, and for which values of the word a
//! branch is taken.
//!
//! Only forms that compilers make of polling loops are followed: sums, differences, the lowest bits,
//! comparisons. Of anything else it is only known that it depends on the word.

use hallmark_chip::Awaited;

use super::decode;

/// A set of numbers of so many bits as its user says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Numbers {
    None,
    All,
    /// Counted upwards, and after the greatest comes 0. Never all.
    Range {
        first: u32,
        last: u32,
    },
}

const GREATEST_WITH_SIGN: u32 = i32::MAX as u32;
const LEAST_WITH_SIGN: u32 = i32::MIN as u32;

impl Numbers {
    const fn just(number: u32) -> Self {
        Self::Range { first: number, last: number }
    }

    /// Those less than a number, which has a sign or none.
    const fn below(number: u32, least: u32) -> Self {
        if number == least {
            Self::None
        } else {
            Self::Range { first: least, last: number.wrapping_sub(1) }
        }
    }

    /// Those greater than a number, which has a sign or none.
    const fn above(number: u32, greatest: u32) -> Self {
        if number == greatest {
            Self::None
        } else {
            Self::Range { first: number.wrapping_add(1), last: greatest }
        }
    }

    /// All other numbers of 32 bits.
    pub(crate) const fn others(self) -> Self {
        match self {
            Self::None => Self::All,
            Self::All => Self::None,
            Self::Range { first, last } => {
                Self::Range { first: last.wrapping_add(1), last: first.wrapping_sub(1) }
            }
        }
    }

    /// Those among numbers of 32 bits that are at most `greatest`, as numbers of that range.
    const fn up_to(self, greatest: u32) -> Self {
        let Self::Range { first, last } = self else { return self };
        let last_inside = if last < greatest { last } else { greatest };
        if first <= last {
            if first > greatest {
                return Self::None;
            }
            if first == 0 && last >= greatest {
                return Self::All;
            }
            return Self::Range { first, last: last_inside };
        }
        if first <= greatest {
            return self;
        }
        if last >= greatest { Self::All } else { Self::Range { first: 0, last } }
    }

    fn map(self, number: impl Fn(u32, u32) -> (u32, u32)) -> Self {
        match self {
            Self::None | Self::All => self,
            Self::Range { first, last } => {
                let (first, last) = number(first, last);
                Self::Range { first, last }
            }
        }
    }
}

/// A number or its negative, plus another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Linear {
    negative: bool,
    added: u32,
}

impl Linear {
    const IDENTITY: Self = Self { negative: false, added: 0 };

    const fn of(self, number: u32) -> u32 {
        let signed = if self.negative { number.wrapping_neg() } else { number };
        signed.wrapping_add(self.added)
    }

    const fn plus(self, added: u32) -> Self {
        Self { added: self.added.wrapping_add(added), ..self }
    }

    const fn then(self, next: Self) -> Self {
        Self { negative: self.negative != next.negative, added: next.of(self.added) }
    }

    /// The numbers for which the result is among these.
    fn before(self, results: Numbers) -> Numbers {
        let Self { negative, added } = self;
        results.map(|first, last| {
            if negative {
                (added.wrapping_sub(last), added.wrapping_sub(first))
            } else {
                (first.wrapping_sub(added), last.wrapping_sub(added))
            }
        })
    }
}

/// A linear function of the lowest bits of a linear function of the word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WordFunction {
    /// How many bits, 1 to 32.
    bits: u32,
    inner: Linear,
    outer: Linear,
}

impl WordFunction {
    /// The word itself.
    pub(crate) const WORD: Self =
        Self { bits: 32, inner: Linear::IDENTITY, outer: Linear::IDENTITY };

    const fn plus(self, added: u32) -> Self {
        Self { outer: self.outer.plus(added), ..self }
    }

    const fn subtracted_from(self, number: u32) -> Self {
        Self { outer: self.outer.then(Linear { negative: true, added: number }), ..self }
    }

    const fn greatest(bits: u32) -> u32 {
        u32::MAX >> (32 - bits)
    }

    /// Its lowest bits, 1 to 32.
    pub(crate) fn lowest(self, bits: u32) -> Option<Self> {
        if bits <= self.bits {
            let inner = self.inner.then(self.outer);
            Some(Self { bits, inner, outer: Linear::IDENTITY })
        } else {
            (bits == 32 || self.outer == Linear::IDENTITY).then_some(self)
        }
    }

    /// Which values of the word give one of these numbers. `None`: all of them.
    pub(crate) fn words_for(self, numbers: Numbers) -> Option<Awaited> {
        let greatest = Self::greatest(self.bits);
        let lowest = self.outer.before(numbers).up_to(greatest);
        match self.inner.before(lowest) {
            Numbers::All => None,
            Numbers::None => Some(Awaited::Nothing),
            Numbers::Range { first, last } => Some(Awaited::Range {
                bits: self.bits,
                first: first & greatest,
                last: last & greatest,
            }),
        }
    }
}

/// How what a register holds depends on the word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Held {
    /// In no way.
    Fixed,
    Function(WordFunction),
    /// A function, shifted left by so many bits.
    Shifted(WordFunction, u32),
    /// 1 if a function has one of these values, otherwise 0.
    Test(WordFunction, Numbers),
    /// In a way that is not followed.
    Unknown,
}

impl Held {
    fn lowest(function: WordFunction, bits: u32) -> Self {
        function.lowest(bits).map_or(Self::Unknown, Self::Function)
    }
}

/// An operand: its value now, and how it depends on the word.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operand {
    pub(crate) value: u32,
    pub(crate) held: Held,
}

/// What an instruction computes of two operands, the second being its immediate if it has one.
pub(crate) fn result(operation: u8, a: Operand, b: Operand) -> Held {
    use Held::{Fixed, Function, Shifted, Test, Unknown};
    match (operation, a.held, b.held) {
        (_, Fixed, Fixed) => Fixed,
        (decode::ADDI | decode::ADD, held, Fixed) if b.value == 0 => held,
        (decode::ADD, Fixed, held) if a.value == 0 => held,
        (decode::ADDI | decode::ADD, Function(function), Fixed) => Function(function.plus(b.value)),
        (decode::ADD, Fixed, Function(function)) => Function(function.plus(a.value)),
        (decode::SUB, Function(function), Fixed) => Function(function.plus(b.value.wrapping_neg())),
        (decode::SUB, Fixed, Function(function)) => Function(function.subtracted_from(a.value)),
        (decode::SLLI | decode::SLL, Function(function), Fixed) => Shifted(function, b.value & 31),
        (decode::SRLI | decode::SRL, Shifted(function, bits), Fixed) if b.value & 31 == bits => {
            Held::lowest(function, 32 - bits)
        }
        (decode::ANDI | decode::AND, Function(function), Fixed) if is_mask(b.value) => {
            Held::lowest(function, b.value.count_ones())
        }
        (decode::AND, Fixed, Function(function)) if is_mask(a.value) => {
            Held::lowest(function, a.value.count_ones())
        }
        // `zext.h`.
        (decode::PACK, Function(function), Fixed) if b.value == 0 => Held::lowest(function, 16),
        (decode::SLTI | decode::SLT, Function(function), Fixed) => {
            Test(function, Numbers::below(b.value, LEAST_WITH_SIGN))
        }
        (decode::SLT, Fixed, Function(function)) => {
            Test(function, Numbers::above(a.value, GREATEST_WITH_SIGN))
        }
        (decode::SLTIU | decode::SLTU, Function(function), Fixed) => {
            Test(function, Numbers::below(b.value, 0))
        }
        (decode::SLTU, Fixed, Function(function)) => {
            Test(function, Numbers::above(a.value, u32::MAX))
        }
        (decode::XORI, Test(function, numbers), Fixed) if b.value == 1 => {
            Test(function, numbers.others())
        }
        _ => Unknown,
    }
}

/// Whether a number is the greatest of so many bits.
const fn is_mask(number: u32) -> bool {
    number != 0 && number & number.wrapping_add(1) == 0
}

/// What a branch depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    /// Not on the word.
    Fixed,
    /// It is taken if the function has one of these values.
    By(WordFunction, Numbers),
    /// On the word, in a way that is not followed.
    Unknown,
}

/// What a branch depends on that compares two operands.
pub(crate) fn decision(operation: u8, a: Operand, b: Operand) -> Decision {
    let (function, number, reversed) = match (a.held, b.held) {
        (Held::Fixed, Held::Fixed) => return Decision::Fixed,
        (Held::Test(function, numbers), Held::Fixed) if b.value == 0 => {
            return match operation {
                decode::BEQ => Decision::By(function, numbers.others()),
                decode::BNE => Decision::By(function, numbers),
                _ => Decision::Unknown,
            };
        }
        (Held::Function(function), Held::Fixed) => (function, b.value, false),
        (Held::Fixed, Held::Function(function)) => (function, a.value, true),
        _ => return Decision::Unknown,
    };
    let (least, greatest) = match operation {
        decode::BLT | decode::BGE => (LEAST_WITH_SIGN, GREATEST_WITH_SIGN),
        _ => (0, u32::MAX),
    };
    let below =
        if reversed { Numbers::above(number, greatest) } else { Numbers::below(number, least) };
    match operation {
        decode::BEQ => Decision::By(function, Numbers::just(number)),
        decode::BNE => Decision::By(function, Numbers::just(number).others()),
        decode::BLT | decode::BLTU => Decision::By(function, below),
        decode::BGE | decode::BGEU => Decision::By(function, below.others()),
        _ => Decision::Unknown,
    }
}

/// Whether a branch is taken that compares two numbers.
pub(crate) const fn is_taken(operation: u8, a: u32, b: u32) -> bool {
    match operation {
        decode::BEQ => a == b,
        decode::BNE => a != b,
        decode::BLT => a.cast_signed() < b.cast_signed(),
        decode::BGE => a.cast_signed() >= b.cast_signed(),
        decode::BLTU => a < b,
        _ => a >= b,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn function(word: u32, of: WordFunction) -> u32 {
        of.outer.of(of.inner.of(word) & WordFunction::greatest(of.bits))
    }

    fn contains(numbers: Numbers, number: u32) -> bool {
        match numbers {
            Numbers::None => false,
            Numbers::All => true,
            Numbers::Range { first, last } => {
                number.wrapping_sub(first) <= last.wrapping_sub(first)
            }
        }
    }

    /// Words and constants around which comparisons change.
    const EDGES: [u32; 14] = [
        0,
        1,
        2,
        5,
        6,
        0x7FFF,
        0x8000,
        0xFFFE,
        0xFFFF,
        0x1_0000,
        0x1_0005,
        0x7FFF_FFFF,
        0x8000_0000,
        u32::MAX,
    ];

    fn functions() -> Vec<WordFunction> {
        let mut all = vec![WordFunction::WORD];
        for constant in [1, 5, 0xFFFF_FFFB] {
            let sum = WordFunction::WORD.plus(constant);
            let difference = WordFunction::WORD.subtracted_from(constant);
            all.extend([sum, difference]);
            for of in [sum, difference] {
                let low = of.lowest(16).unwrap();
                all.extend([low, low.plus(3), low.subtracted_from(4)]);
                all.push(low.subtracted_from(4).lowest(8).unwrap());
            }
        }
        all
    }

    #[test]
    fn branches_tell_apart_exactly_the_words_that_are_named() {
        let operations =
            [decode::BEQ, decode::BNE, decode::BLT, decode::BGE, decode::BLTU, decode::BGEU];
        for of in functions() {
            for constant in EDGES {
                for operation in operations {
                    for reversed in [false, true] {
                        let fixed = Operand { value: constant, held: Held::Fixed };
                        let watched = Operand { value: 0, held: Held::Function(of) };
                        let (a, b) = if reversed { (fixed, watched) } else { (watched, fixed) };
                        let Decision::By(by, taken) = decision(operation, a, b) else {
                            panic!("{operation} of {of:?} and {constant:#x}");
                        };
                        let words = by.words_for(taken);
                        let around = EDGES.iter().flat_map(|&edge| {
                            [edge.wrapping_sub(constant), edge, edge.wrapping_add(constant)]
                        });
                        for word in around {
                            let value = function(word, of);
                            let (a, b) =
                                if reversed { (constant, value) } else { (value, constant) };
                            assert_eq!(
                                words.is_none_or(|words| words.includes(word)),
                                is_taken(operation, a, b),
                                "{operation} {a:#x} {b:#x}: {word:#x} in {words:?}"
                            );
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn tests_hold_one_for_the_numbers_that_they_name() {
        let watched = Operand { value: 0, held: Held::Function(WordFunction::WORD) };
        for constant in EDGES {
            let fixed = Operand { value: constant, held: Held::Fixed };
            for (operation, with_sign) in [(decode::SLT, true), (decode::SLTU, false)] {
                for reversed in [false, true] {
                    let (a, b) = if reversed { (fixed, watched) } else { (watched, fixed) };
                    let Held::Test(_, numbers) = result(operation, a, b) else { panic!() };
                    for word in EDGES {
                        let (a, b) = if reversed { (constant, word) } else { (word, constant) };
                        let less = if with_sign { (a as i32) < b as i32 } else { a < b };
                        assert_eq!(contains(numbers, word), less, "{a:#x} {b:#x}");
                        assert_eq!(contains(numbers.others(), word), !less, "{a:#x} {b:#x}");
                    }
                }
            }
        }
    }

    #[test]
    fn what_is_not_followed_is_said_to_depend_on_the_word() {
        let watched = Operand { value: 0, held: Held::Function(WordFunction::WORD) };
        let fixed = |value| Operand { value, held: Held::Fixed };
        for (operation, by) in [
            (decode::XOR, 3),
            (decode::ANDI, 6),
            (decode::MUL, 2),
            (decode::SRLI, 3),
            (decode::OR, 1),
            (decode::PACK, 1),
            (decode::SEXT_H, 0),
        ] {
            assert_eq!(result(operation, watched, fixed(by)), Held::Unknown, "{operation}");
            assert_eq!(result(operation, fixed(1), fixed(by)), Held::Fixed, "{operation}");
        }
        let unknown = Operand { value: 0, held: Held::Unknown };
        assert_eq!(decision(decode::BEQ, unknown, fixed(0)), Decision::Unknown);
        assert_eq!(decision(decode::BEQ, watched, watched), Decision::Unknown);
        // The lowest 16 bits after a constant was added to the lowest 8 are no such function.
        let low = WordFunction::WORD.lowest(8).unwrap();
        assert_eq!(low.lowest(16), Some(low));
        assert_eq!(low.plus(1).lowest(16), None);
    }
}
