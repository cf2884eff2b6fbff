//! What a device that checks programs could judge runs of kernels by: [`KernelRuns`].

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

/// Runs of kernels on cores that have ended, in launches that were described, by the rule that gave them memory and by what
/// is known of their ends. A run counts under the widest rule that it needed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct KernelRuns {
    /// The launch's description gave all memory that the kernel accessed.
    pub by_description: u64,
    /// A plain number of the kernel gave a buffer.
    pub by_numbers: u64,
    /// A word in the L1 of the kernel's core gave a buffer.
    pub by_words: u64,
    /// The description does not say which memory is the runtime's: accesses had to stay within allocations.
    pub by_bounds: u64,
    /// Of these runs, the ones whose kernels may have left NoC requests under way: neither a symbol nor a line table says
    /// where `kernel_main` returns.
    pub of_unknown_end: u64,
}

impl KernelRuns {
    /// Whether no kernel has ended.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl AddAssign for KernelRuns {
    fn add_assign(&mut self, other: Self) {
        let Self { by_description, by_numbers, by_words, by_bounds, of_unknown_end } = self;
        let sums = [
            (by_description, other.by_description),
            (by_numbers, other.by_numbers),
            (by_words, other.by_words),
            (by_bounds, other.by_bounds),
            (of_unknown_end, other.of_unknown_end),
        ];
        for (sum, more) in sums {
            *sum = sum.saturating_add(more);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_count_is_a_sum_of_its_own() {
        let mut sum = KernelRuns {
            by_description: 1,
            by_numbers: 2,
            by_words: 3,
            by_bounds: 4,
            of_unknown_end: u64::MAX,
        };
        sum += KernelRuns {
            by_description: 10,
            by_numbers: 20,
            by_words: 30,
            by_bounds: 40,
            of_unknown_end: 50,
        };
        let expected = KernelRuns {
            by_description: 11,
            by_numbers: 22,
            by_words: 33,
            by_bounds: 44,
            of_unknown_end: u64::MAX,
        };
        assert_eq!(sum, expected);
        assert!(KernelRuns::default().is_empty() && !sum.is_empty());
    }
}
