//! Does work on several threads until it is done or a user interrupts it.

use hallmark_execution::interrupt;
use hallmark_execution::parallel;

use super::Failed;

/// The number of processors.
pub(super) fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Calls `work` with each item on `jobs` threads; gives the results in the order of the items. An interrupt or
/// the first failure stops items that have not begun.
pub(super) fn each<T: Sync, R: Send>(
    items: &[T],
    jobs: usize,
    work: impl Fn(&T) -> Result<R, Failed> + Sync,
) -> Result<Vec<R>, Failed> {
    each_until(items, jobs, interrupt::requested, work)
}

/// The same, with a further condition that stops items that have not begun.
pub(super) fn each_until<T: Sync, R: Send>(
    items: &[T],
    jobs: usize,
    is_over: impl Fn() -> bool + Sync,
    work: impl Fn(&T) -> Result<R, Failed> + Sync,
) -> Result<Vec<R>, Failed> {
    parallel::each_until(items, jobs, is_over, work)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use hallmark_pipeline::verdict::ExitCode;

    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_items() {
        let items: Vec<u64> = (0..200).collect();
        let squares = each(&items, 7, |item| Ok(item * item)).unwrap();
        assert_eq!(squares, items.iter().map(|item| item * item).collect::<Vec<_>>());
        assert_eq!(each(&[], 3, |(): &()| Ok(())).unwrap(), []);
    }

    #[test]
    fn nothing_begins_once_it_is_over() {
        let items: Vec<u64> = (0..1000).collect();
        let begun = AtomicUsize::new(0);
        let is_over = || begun.load(Ordering::Relaxed) >= 3;
        let results = each_until(&items, 1, is_over, |item| {
            begun.fetch_add(1, Ordering::Relaxed);
            Ok(*item)
        });
        assert_eq!(results.unwrap(), [0, 1, 2]);
    }

    #[test]
    fn a_failure_stops_what_has_not_begun() {
        let items: Vec<u64> = (0..1000).collect();
        // One thread, so that the count does not depend on the order of threads.
        let begun = AtomicUsize::new(0);
        let work = |item: &u64| {
            begun.fetch_add(1, Ordering::Relaxed);
            if *item == 3 { Err(Failed::new(ExitCode::SUITE, "three")) } else { Ok(()) }
        };
        assert_eq!(each(&items, 1, work).unwrap_err().text, "three");
        assert_eq!(begun.load(Ordering::Relaxed), 4);
        assert_eq!(each(&items, 2, work).unwrap_err().text, "three");
    }
}
