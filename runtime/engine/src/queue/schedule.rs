//! The choice of the queue that goes on where the hardware leaves it open.

use hallmark_chip::Random;

/// Chooses among the queues that can go on. Every order that queues and events allow comes from some
/// seed; 0 takes the queue that the host waits for.
#[derive(Clone, Debug, Default)]
pub(super) struct QueueSchedule {
    /// None for the schedule without a seed.
    random: Option<Random>,
}

impl QueueSchedule {
    pub(super) fn new(seed: u64) -> Self {
        Self { random: (seed != 0).then(|| Random::new(seed)) }
    }

    /// One of the queues that are ready; without a seed the one that is waited for, if it is.
    pub(super) fn choose(&mut self, ready: &[usize], target: usize) -> Option<usize> {
        match (ready, &mut self.random) {
            ([], _) => None,
            ([only], _) => Some(*only),
            (several, None) => several.iter().copied().find(|queue| *queue == target),
            (several, Some(random)) => {
                let index = random.next() % several.len() as u64;
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
