//! Doing something with every item on some threads.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Does `work` with each item on `jobs` threads; gives what came of them in the order of the items. The first failure stops
/// what has not begun, and so does `is_over`.
///
/// # Errors
/// That of the first item, in the items' order, with which something failed.
pub fn each_until<T: Sync, R: Send, E: Send>(
    items: &[T],
    jobs: usize,
    is_over: impl Fn() -> bool + Sync,
    work: impl Fn(&T) -> Result<R, E> + Sync,
) -> Result<Vec<R>, E> {
    let next = AtomicUsize::new(0);
    let stopped = AtomicBool::new(false);
    let done: Mutex<Vec<(usize, Result<R, E>)>> = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..jobs.min(items.len()) {
            scope.spawn(|| {
                while !is_over() && !stopped.load(Ordering::Relaxed) {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(index) else { return };
                    let result = work(item);
                    if result.is_err() {
                        stopped.store(true, Ordering::Relaxed);
                    }
                    done.lock().unwrap_or_else(PoisonError::into_inner).push((index, result));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}

/// The same for those whom nothing but a failure stops: without one there is a result of each item.
///
/// # Errors
/// As of [`each_until`].
pub fn each<T: Sync, R: Send, E: Send>(
    items: &[T],
    jobs: usize,
    work: impl Fn(&T) -> Result<R, E> + Sync,
) -> Result<Vec<R>, E> {
    each_until(items, jobs, || false, work)
}
