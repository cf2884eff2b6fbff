//! Which queue goes on where the hardware leaves it open.

/// Chooses among the queues that can go on. Every order that queues and events allow comes from some
/// seed; 0 takes the queue that the host waits for.
#[derive(Clone, Debug, Default)]
pub(crate) struct QueueSchedule {
    seed: u64,
    state: u64,
}

impl QueueSchedule {
    pub(crate) const fn new(seed: u64) -> Self {
        Self { seed, state: seed }
    }

    /// SplitMix64 (Steele, Lea, Flood 2014).
    const fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut value = self.state;
        value = (value ^ (value >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        value = (value ^ (value >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        value ^ (value >> 31)
    }

    /// One of the queues that are ready; without a seed the one that is waited for, if it is.
    pub(super) fn choose(&mut self, ready: &[usize], target: usize) -> Option<usize> {
        match ready {
            [] => None,
            [only] => Some(*only),
            _ if self.seed == 0 => ready.iter().copied().find(|queue| *queue == target),
            several => {
                let index = self.next() % several.len() as u64;
                several.get(usize::try_from(index).unwrap_or_default()).copied()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_reach_every_order_of_two_queues() {
        let orders: std::collections::BTreeSet<Vec<Option<usize>>> = (1..200)
            .map(|seed| {
                let mut schedule = QueueSchedule::new(seed);
                (0..4).map(|_| schedule.choose(&[0, 1], 0)).collect()
            })
            .collect();
        assert_eq!(orders.len(), 16);
        let mut first = QueueSchedule::new(0);
        assert!((0..9).all(|_| first.choose(&[0, 1], 1) == Some(1)));
        assert_eq!(first.choose(&[0], 1), Some(0));
        assert_eq!(first.choose(&[], 1), None);
    }
}
