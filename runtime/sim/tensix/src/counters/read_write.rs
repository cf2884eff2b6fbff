//! The counters of the matrix and vector units (`RWCs.md`), and the modifiers by which instructions move them on.

use crate::Refusal;
use crate::registers::{Destination, Source};

/// A counter and the place to which it returns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counter {
    /// Its value.
    pub value: u32,
    /// The value that a carriage return goes on from.
    pub start: u32,
}

impl Counter {
    fn set(&mut self, value: u32) {
        *self = Self { value, start: value };
    }

    fn advance(&mut self, step: Step, size: u32) {
        if step.clear {
            self.set(0);
        } else if step.carriage_return {
            self.set((self.start + step.increment) % size);
        } else {
            self.value = (self.value + step.increment) % size;
            if step.becomes_start {
                self.start = self.value;
            }
        }
    }
}

/// How a modifier changes a counter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Step {
    increment: u32,
    /// The increment is that of the start, and the counter becomes the start.
    carriage_return: bool,
    /// Counter and start become 0.
    clear: bool,
    /// The start becomes the counter.
    becomes_start: bool,
}

impl Step {
    fn of(word: u32, low: u32, bits: u32, carriage_return: u32, clear: u32) -> Self {
        Self {
            increment: word >> low & ((1 << bits) - 1),
            carriage_return: word >> carriage_return & 1 == 1,
            clear: word >> clear & 1 == 1,
            becomes_start: false,
        }
    }
}

/// The change that an instruction's `AddrMod` selects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AddressModifier {
    source_a: Step,
    source_b: Step,
    destination: Step,
    fidelity_increment: u32,
    fidelity_clear: bool,
    bias_increment: u32,
    bias_clear: bool,
}

impl AddressModifier {
    /// The modifier of three words of a thread's configuration, `ADDR_MOD_AB_SEC`, `ADDR_MOD_DST_SEC` and
    /// `ADDR_MOD_BIAS_SEC` of one number.
    #[must_use]
    pub fn from_words(ab: u32, destination: u32, bias: u32) -> Self {
        Self {
            source_a: Step::of(ab, 0, 6, 6, 7),
            source_b: Step::of(ab, 8, 6, 14, 15),
            destination: Step {
                becomes_start: destination >> 12 & 1 == 1,
                ..Step::of(destination, 0, 10, 10, 11)
            },
            fidelity_increment: destination >> 13 & 3,
            fidelity_clear: destination >> 15 & 1 == 1,
            bias_increment: bias & 15,
            bias_clear: bias >> 4 & 1 == 1,
        }
    }
}

/// A thread's counters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadWriteCounters {
    /// A row of `SrcA`.
    pub source_a: Counter,
    /// A row of `SrcB`.
    pub source_b: Counter,
    /// A row of `Dst`.
    pub destination: Counter,
    /// The fidelity phase of multiplications, 0 to 3.
    pub fidelity_phase: u32,
    /// Instructions use the second four modifiers (`ExtraAddrModBit`, Wormhole).
    pub bias: bool,
}

impl ReadWriteCounters {
    /// The modifier that an instruction's `AddrMod` selects of eight. On chips whose `AddrMod` has two bits, the counters or
    /// the configuration (`second`) select the second four.
    ///
    /// # Errors
    ///
    /// The counters select what the chip does not have.
    pub fn modifier(
        &self,
        word: u32,
        mode: u32,
        modifiers: &[AddressModifier; 8],
        second: Option<bool>,
    ) -> Result<AddressModifier, Refusal> {
        let first = match second {
            Some(second) => 4 * u32::from(self.bias || second),
            None if self.bias => {
                return Err(Refusal::unsupported(
                    word,
                    "the chip has no second modifiers (RWCs.md)",
                ));
            }
            None => 0,
        };
        Ok(modifiers.get((mode + first) as usize).copied().unwrap_or_default())
    }

    /// Applies a modifier after an instruction. The vector unit does not move the fidelity phase.
    ///
    /// # Errors
    ///
    /// The modifier has a combination that the simulator does not have.
    pub fn apply(
        &mut self,
        word: u32,
        modifier: &AddressModifier,
        moves_fidelity: bool,
    ) -> Result<(), Refusal> {
        let step = modifier.destination;
        if step.becomes_start && (step.clear || step.carriage_return) {
            let other = if step.clear { "DestClear" } else { "DestCR" };
            return Err(Refusal::unsupported(
                word,
                format!("its address modifier has both DestCToCR and {other} (RWCs.md)"),
            ));
        }
        if modifier.bias_clear {
            return Err(Refusal::unimplemented(
                word,
                "its address modifier has BiasClear, which is not implemented (RWCs.md)",
            ));
        }
        if modifier.bias_increment > 1 {
            return Err(Refusal::unsupported(
                word,
                format!("its address modifier has BiasIncr {} (RWCs.md)", modifier.bias_increment),
            ));
        }
        self.source_a.advance(modifier.source_a, Source::ROWS);
        self.source_b.advance(modifier.source_b, Source::ROWS);
        self.destination.advance(step, Destination::ROWS);
        if moves_fidelity {
            self.fidelity_phase = if modifier.fidelity_clear {
                0
            } else {
                (self.fidelity_phase + modifier.fidelity_increment) % 4
            };
        }
        self.bias ^= modifier.bias_increment == 1;
        Ok(())
    }

    /// `SETRWC` without its flips of banks. Each bit of `mask` selects a counter, bit 3 clears the fidelity phase; each bit of
    /// `relative` makes a value an increment of the start.
    ///
    /// # Errors
    ///
    /// The simulator does not have the combination.
    pub fn set(
        &mut self,
        word: u32,
        mask: u32,
        relative: u32,
        [source_a, source_b, destination]: [u32; 3],
    ) -> Result<(), Refusal> {
        if relative > 7 {
            return Err(Refusal::unsupported(word, "DstCtoCr is not supported (SETRWC.md)"));
        }
        if relative & !mask & 3 != 0 {
            return Err(Refusal::unsupported(
                word,
                "it adds to the start of a counter of SrcA or SrcB that it does not set (SETRWC.md)",
            ));
        }
        for (bit, counter, value, size) in [
            (0, &mut self.source_a, source_a, Source::ROWS),
            (1, &mut self.source_b, source_b, Source::ROWS),
            (2, &mut self.destination, destination, Destination::ROWS),
        ] {
            if mask >> bit & 1 == 1 {
                let start = if relative >> bit & 1 == 1 { counter.start } else { 0 };
                counter.set((start + value) % size);
            }
        }
        if mask & 8 != 0 {
            self.fidelity_phase = 0;
        }
        Ok(())
    }

    /// `INCRWC`. Each bit of `relative` makes an increment that of the start.
    ///
    /// # Errors
    ///
    /// The simulator does not have the combination.
    pub fn increment(
        &mut self,
        word: u32,
        relative: u32,
        [source_a, source_b, destination]: [u32; 3],
    ) -> Result<(), Refusal> {
        if relative & 3 != 0 {
            return Err(Refusal::unsupported(
                word,
                "it adds to the start of a counter of SrcA or SrcB (INCRWC.md)",
            ));
        }
        let step =
            |increment, carriage_return| Step { increment, carriage_return, ..Step::default() };
        self.source_a.advance(step(source_a, false), Source::ROWS);
        self.source_b.advance(step(source_b, false), Source::ROWS);
        self.destination.advance(step(destination, relative & 4 != 0), Destination::ROWS);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use hallmark_chip::FaultCategory;

    use super::*;

    fn counter(value: u32, start: u32) -> Counter {
        Counter { value, start }
    }

    fn counters() -> ReadWriteCounters {
        ReadWriteCounters {
            source_a: counter(60, 16),
            source_b: counter(8, 62),
            destination: counter(1020, 100),
            fidelity_phase: 3,
            bias: false,
        }
    }

    fn applied(ab: u32, destination: u32, bias: u32) -> ReadWriteCounters {
        let mut counters = counters();
        counters.apply(0, &AddressModifier::from_words(ab, destination, bias), true).unwrap();
        counters
    }

    #[test]
    fn counters_begin_anew_at_their_ends() {
        let counters = applied(8 | 5 << 8, 9 | 2 << 13, 0);
        assert_eq!(counters.source_a, counter(4, 16));
        assert_eq!(counters.source_b, counter(13, 62));
        assert_eq!(counters.destination, counter(5, 100));
        assert_eq!(counters.fidelity_phase, 1);
    }

    #[test]
    fn a_carriage_return_goes_on_from_the_start() {
        let counters = applied(8 | 1 << 6 | 5 << 8 | 1 << 14, 9 | 1 << 10, 0);
        assert_eq!(counters.source_a, counter(24, 24));
        assert_eq!(counters.source_b, counter(3, 3));
        assert_eq!(counters.destination, counter(109, 109));
    }

    #[test]
    fn clearing_goes_before_returning() {
        let counters = applied(0xC0 | 0xC000, 9 | 3 << 10 | 1 << 15 | 1 << 13, 0);
        assert_eq!(counters.source_a, counter(0, 0));
        assert_eq!(counters.source_b, counter(0, 0));
        assert_eq!(counters.destination, counter(0, 0));
        assert_eq!(counters.fidelity_phase, 0);
    }

    #[test]
    fn the_counter_becomes_the_start() {
        assert_eq!(applied(0, 9 | 1 << 12, 0).destination, counter(5, 5));
    }

    #[test]
    fn the_bias_flips() {
        let once = applied(0, 0, 1);
        assert!(once.bias);
        let mut twice = once;
        twice.apply(0, &AddressModifier::from_words(0, 0, 1), true).unwrap();
        assert!(!twice.bias);
    }

    #[test]
    fn the_vector_unit_keeps_the_phase() {
        let mut counters = counters();
        counters.apply(0, &AddressModifier::from_words(0, 1 << 15, 0), false).unwrap();
        assert_eq!(counters.fidelity_phase, 3);
    }

    #[test]
    fn combinations_are_refused_before_anything_moves() {
        for (destination, bias, category) in [
            (1 << 12 | 1 << 10, 0, FaultCategory::UnsupportedFunctionality),
            (1 << 12 | 1 << 11, 0, FaultCategory::UnsupportedFunctionality),
            (0, 1 << 4, FaultCategory::UnimplementedFunctionality),
            (0, 2, FaultCategory::UnsupportedFunctionality),
        ] {
            let mut changed = counters();
            let modifier = AddressModifier::from_words(1, destination, bias);
            let refusal = changed.apply(0x2600_0000, &modifier, true).unwrap_err();
            assert_eq!(refusal.category, category);
            assert_eq!(changed, counters());
        }
    }

    #[test]
    fn setting_is_absolute_or_from_the_start() {
        let mut set = counters();
        set.set(0, 0b1111, 0b101, [8, 4, 12]).unwrap();
        assert_eq!(set.source_a, counter(24, 24));
        assert_eq!(set.source_b, counter(4, 4));
        assert_eq!(set.destination, counter(112, 112));
        assert_eq!(set.fidelity_phase, 0);
        let mut set = counters();
        set.set(0, 0b0010, 0b110, [8, 4, 12]).unwrap();
        assert_eq!(set.source_b, counter(2, 2));
        assert_eq!(set, ReadWriteCounters { source_b: counter(2, 2), ..counters() });
        for relative in [8, 1, 2] {
            let refusal = set.set(0, 0b0100, relative, [0; 3]).unwrap_err();
            assert_eq!(refusal.category, FaultCategory::UnsupportedFunctionality);
        }
    }

    #[test]
    fn increments_go_on_from_the_counter_or_the_start() {
        let mut incremented = counters();
        incremented.increment(0, 0, [8, 4, 12]).unwrap();
        assert_eq!(incremented.source_a, counter(4, 16));
        assert_eq!(incremented.source_b, counter(12, 62));
        assert_eq!(incremented.destination, counter(8, 100));
        incremented.increment(0, 4, [0, 0, 12]).unwrap();
        assert_eq!(incremented.destination, counter(112, 112));
        assert!(incremented.increment(0, 1, [0; 3]).is_err());
        assert!(incremented.increment(0, 6, [0; 3]).is_err());
    }
}
