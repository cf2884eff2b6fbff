//! Which core has which of the banks that pages of interleaved L1 buffers go round.

use serde::{Deserialize, Serialize};

/// How the banks of L1 are numbered; page `i` of an interleaved buffer lies in bank `i mod banks`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum L1BankOrder {
    /// Bank `i` belongs to the core with the number `i`, counted row by row.
    #[default]
    RowByRow,
    /// TT-Metalium's: the core with the number `i` has the bank that stands at place `i` of the numbers of all banks,
    /// shuffled (tt-metal `l1_banking_allocator.cpp`). The order is the one that libstdc++'s `std::shuffle` makes with
    /// `std::default_random_engine(0)`.
    Shuffled,
}

impl L1BankOrder {
    /// The bank of each of so many cores, counted row by row. Below 2^31 cores, a shuffled order is TT-Metalium's.
    pub fn banks_of_cores(self, cores: u32) -> Vec<u32> {
        let mut banks: Vec<u32> = (0..cores).collect();
        match self {
            Self::RowByRow => {}
            Self::Shuffled => shuffle(&mut banks),
        }
        banks
    }
}

/// `std::minstd_rand0`, which is libstdc++'s `std::default_random_engine`.
struct MinimalStandard(u64);

impl MinimalStandard {
    const MULTIPLIER: u64 = 16_807;
    const MODULUS: u64 = 2_147_483_647;
    /// The numbers are 1 to the modulus less 1.
    const SPAN: u64 = Self::MODULUS - 2;

    /// With the seed 0, in the place of which libstdc++ takes 1: 0 would give nothing but zeros.
    const SEEDED_WITH_0: Self = Self(1);

    /// `std::uniform_int_distribution` of libstdc++ for a generator whose span is no power of two: one of `outcomes`
    /// numbers from 0.
    const fn below(&mut self, outcomes: u64) -> u64 {
        let scale = match Self::SPAN / outcomes {
            0 => 1,
            scale => scale,
        };
        loop {
            self.0 = self.0 * Self::MULTIPLIER % Self::MODULUS;
            let drawn = (self.0 - 1) / scale;
            if drawn < outcomes {
                return drawn;
            }
        }
    }
}

/// libstdc++'s `std::shuffle`: each entry changes places with itself or one before it, and while the generator's span
/// allows it, one number decides for two entries.
fn shuffle(entries: &mut [u32]) {
    let mut random = MinimalStandard::SEEDED_WITH_0;
    let count = entries.len();
    let wide = count as u64;
    if count == 0 {
        return;
    }
    if MinimalStandard::SPAN / wide < wide {
        for at in 1..count {
            let to = random.below(at as u64 + 1);
            exchange(entries, at, to);
        }
        return;
    }
    let mut next = 1;
    if count.is_multiple_of(2) {
        let to = random.below(2);
        exchange(entries, next, to);
        next += 1;
    }
    for at in (next..count).step_by(2) {
        let (first, second) = (at as u64 + 1, at as u64 + 2);
        let drawn = random.below(first * second);
        exchange(entries, at, drawn / second);
        exchange(entries, at + 1, drawn % second);
    }
}

/// Both places lie within, because none drawn is greater than the entry's own.
fn exchange(entries: &mut [u32], at: usize, drawn: u64) {
    if let Ok(drawn) = usize::try_from(drawn) {
        entries.swap(at, drawn);
    }
}
