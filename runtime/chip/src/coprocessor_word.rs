//! What instructions of the Tensix coprocessor wait for, as words of the tile.

use std::fmt;

/// Where cores read the first semaphore of the coprocessor (`BabyRISCV/PCBufs.md`).
const SEMAPHORES: u64 = 0xFFE8_0020;
/// `CoprocessorDoneCheck` and `MOPExpanderDoneCheck` (`BabyRISCV/TTSync.md`).
const DONE: u64 = 0xFFE8_0004;
const MACROS_DONE: u64 = 0xFFE8_0008;
/// Where cores push instructions; those of each thread of BRISC's are this far apart (`BabyRISCV/PushTensixInstruction.md`).
const PUSH: u64 = 0xFFE4_0000;
const PUSH_STRIDE: u64 = 0x1_0000;

/// State of the Tensix coprocessor for which its instructions wait, and cores wait where they can read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CoprocessorWord {
    /// The value of a semaphore, by its number.
    Semaphore(u8),
    /// Whether an unpacker has filled the matrix unit's bank of `SrcA`.
    SourceAFilled,
    /// The same of `SrcB`.
    SourceBFilled,
    /// Whether the matrix unit has given back the unpacker's bank of `SrcA`.
    SourceAEmptied,
    /// The same of `SrcB`.
    SourceBEmptied,
    /// The thread that holds a mutex, by the mutex's number.
    Mutex(u8),
    /// Whether the thread of the core that looks has executed its instructions.
    InstructionsDone,
    /// Whether that thread has expanded its macros.
    MacrosDone,
    /// Whether a queue takes an instruction, by the number of its range: that of a compute core's own thread is 0, BRISC has
    /// one for each thread.
    Queue(u8),
}

impl CoprocessorWord {
    /// The tile address that stands for it. Cores read semaphores there; what no core can read has addresses behind them, at
    /// which there is no register.
    ///
    /// ```
    /// use hallmark_chip::CoprocessorWord;
    ///
    /// assert_eq!(CoprocessorWord::Semaphore(2).address(), 0xFFE8_0028);
    /// ```
    #[must_use]
    pub fn address(self) -> u64 {
        let number = match self {
            Self::Semaphore(number) => number,
            Self::SourceAFilled => 8,
            Self::SourceBFilled => 9,
            Self::SourceAEmptied => 10,
            Self::SourceBEmptied => 11,
            Self::Mutex(number) => number.saturating_add(12),
            Self::InstructionsDone => return DONE,
            Self::MacrosDone => return MACROS_DONE,
            Self::Queue(number) => return PUSH + PUSH_STRIDE * u64::from(number),
        };
        SEMAPHORES + 4 * u64::from(number)
    }

    /// The state for which a tile address stands.
    ///
    /// ```
    /// use hallmark_chip::CoprocessorWord;
    ///
    /// assert_eq!(CoprocessorWord::at(0xFFE8_0028), Some(CoprocessorWord::Semaphore(2)));
    /// assert_eq!(CoprocessorWord::at(0x28), None);
    /// ```
    #[must_use]
    pub fn at(address: u64) -> Option<Self> {
        match address {
            DONE => return Some(Self::InstructionsDone),
            MACROS_DONE => return Some(Self::MacrosDone),
            _ => {}
        }
        if let Some(offset) = address.checked_sub(PUSH)
            && let number @ 0..3 = offset / PUSH_STRIDE
            && offset.is_multiple_of(PUSH_STRIDE)
        {
            return Some(Self::Queue(number as u8));
        }
        let offset = address.checked_sub(SEMAPHORES).filter(|offset| offset.is_multiple_of(4))?;
        match u8::try_from(offset / 4).ok()? {
            number @ 0..8 => Some(Self::Semaphore(number)),
            8 => Some(Self::SourceAFilled),
            9 => Some(Self::SourceBFilled),
            10 => Some(Self::SourceAEmptied),
            11 => Some(Self::SourceBEmptied),
            number @ 12..20 => Some(Self::Mutex(number - 12)),
            20.. => None,
        }
    }
}

impl fmt::Display for CoprocessorWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Semaphore(number) => write!(f, "semaphore {number} of the coprocessor"),
            Self::SourceAFilled => f.write_str("a filled bank of SrcA"),
            Self::SourceBFilled => f.write_str("a filled bank of SrcB"),
            Self::SourceAEmptied => f.write_str("an empty bank of SrcA"),
            Self::SourceBEmptied => f.write_str("an empty bank of SrcB"),
            Self::Mutex(number) => write!(f, "mutex {number} of the coprocessor"),
            Self::InstructionsDone => f.write_str("the end of the instructions of the coprocessor"),
            Self::MacrosDone => f.write_str("the end of the macros of the coprocessor"),
            Self::Queue(_) => f.write_str("room in a queue of the coprocessor"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_has_an_address_of_its_own() {
        let others = [
            CoprocessorWord::SourceAFilled,
            CoprocessorWord::SourceBFilled,
            CoprocessorWord::SourceAEmptied,
            CoprocessorWord::SourceBEmptied,
            CoprocessorWord::InstructionsDone,
            CoprocessorWord::MacrosDone,
            CoprocessorWord::Queue(0),
            CoprocessorWord::Queue(1),
            CoprocessorWord::Queue(2),
        ];
        let numbered = (0..8).flat_map(|number| {
            [CoprocessorWord::Semaphore(number), CoprocessorWord::Mutex(number)]
        });
        let mut addresses = Vec::new();
        for word in numbered.chain(others) {
            assert_eq!(CoprocessorWord::at(word.address()), Some(word));
            addresses.push(word.address());
        }
        addresses.sort_unstable();
        assert_eq!(addresses.first(), Some(&0xFFE4_0000));
        assert_eq!(addresses.len(), 25);
        addresses.dedup();
        assert_eq!(addresses.len(), 25);
        for other in [
            0xFFE4_0004,
            0xFFE7_0000,
            0xFFE8_0000,
            0xFFE8_001C,
            0xFFE8_0022,
            0xFFE8_0070,
            0,
            u64::MAX,
        ] {
            assert_eq!(CoprocessorWord::at(other), None, "{other:#x}");
        }
    }
}
