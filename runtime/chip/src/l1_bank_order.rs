//! The assignment of the banks of interleaved L1 buffers to cores.

use serde::{Deserialize, Serialize};

/// The numbering of the banks of L1; page `i` of an interleaved buffer lies in bank `i mod banks`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum L1BankOrder {
    /// Bank `i` belongs to core `i`, counted row by row.
    #[default]
    RowByRow,
    /// TT-Metalium's order: core `i` has the bank at index `i` of the shuffled list of all banks (tt-metal
    /// `l1_banking_allocator.cpp`). The shuffle is that of libstdc++'s `std::shuffle` with
    /// `std::default_random_engine(0)`.
    Shuffled,
}

impl L1BankOrder {
    /// The bank of each core, counted row by row. Below 2^31 cores, the shuffled order equals TT-Metalium's.
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
    /// The numbers run from 1 to the modulus less 1.
    const SPAN: u64 = Self::MODULUS - 2;

    /// The generator for seed 0. libstdc++ replaces 0 by 1, because 0 would generate only zeros.
    const SEEDED_WITH_0: Self = Self(1);

    /// libstdc++'s `std::uniform_int_distribution` for a generator whose span is no power of two: a number from
    /// 0 to `outcomes - 1`.
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

/// libstdc++'s `std::shuffle`: each entry is swapped with itself or an earlier one. While the generator's span
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

/// Both indices are in range, because a drawn index never exceeds the entry's own.
fn exchange(entries: &mut [u32], at: usize, drawn: u64) {
    if let Ok(drawn) = usize::try_from(drawn) {
        entries.swap(at, drawn);
    }
}
