//! Several questions of a search in parallel.

use std::panic::resume_unwind;

/// Processes all items in parallel, each on its own thread; returns the results in the order of the items.
pub(super) fn at_once<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    match items {
        [one] => vec![work(one)],
        several => std::thread::scope(|scope| {
            let work = &work;
            let threads: Vec<_> =
                several.iter().map(|item| scope.spawn(move || work(item))).collect();
            let joined = threads.into_iter().map(|thread| thread.join());
            joined.map(|result| result.unwrap_or_else(|panic| resume_unwind(panic))).collect()
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_items() {
        for count in 0..5 {
            let items: Vec<u64> = (0..count).collect();
            let slow_first = |item: &u64| {
                std::thread::sleep(std::time::Duration::from_millis(count - item));
                item * 2
            };
            let doubled: Vec<u64> = items.iter().map(|item| item * 2).collect();
            assert_eq!(at_once(&items, slow_first), doubled);
        }
    }
}
