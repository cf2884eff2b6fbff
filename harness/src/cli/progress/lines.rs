//! Progress where stderr is no terminal: every ten seconds a line with counts, so that the log of a run in CI shows that
//! the run goes on.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use hallmark_schema::plural::grouped;

/// The time between two lines, and before the first one.
const EVERY: Duration = Duration::from_secs(10);

/// How far a command has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Counts {
    done: usize,
    failed: usize,
    total: usize,
    /// What is counted: `tests`.
    unit: &'static str,
    is_over: bool,
}

impl Counts {
    fn line(&self, elapsed: Duration) -> String {
        let Self { done, failed, total, unit, is_over: _ } = self;
        let seconds = elapsed.as_secs();
        let time = match seconds / 60 {
            0 => format!("{seconds} s"),
            minutes => format!("{} min {} s", grouped(minutes), seconds % 60),
        };
        let (done, failed, total) = (grouped(*done), grouped(*failed), grouped(*total));
        format!("progress  {done} of {total} {unit}, {failed} failed, {time}")
    }
}

/// The counts, and news of their end.
struct Shared {
    counts: Mutex<Counts>,
    ended: Condvar,
}

impl Shared {
    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Writes the lines from a thread of its own, since a test may take minutes.
pub(super) struct Lines {
    shared: Arc<Shared>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Lines {
    /// Begins to count `total` things; `say` writes a line.
    pub(super) fn new(
        total: usize,
        unit: &'static str,
        say: impl Fn(&str) + Send + 'static,
    ) -> Self {
        let counts = Counts { done: 0, failed: 0, total, unit, is_over: false };
        let shared = Arc::new(Shared { counts: Mutex::new(counts), ended: Condvar::new() });
        let begin = Instant::now();
        let of_thread = Arc::clone(&shared);
        let wait = move |until: Duration| {
            let left = until.saturating_sub(begin.elapsed());
            let waited =
                of_thread.ended.wait_timeout_while(of_thread.counts(), left, |it| !it.is_over);
            let (counts, _) = waited.unwrap_or_else(PoisonError::into_inner);
            (!counts.is_over).then(|| (*counts, begin.elapsed()))
        };
        let thread = std::thread::spawn(move || say_all(wait, say));
        Self { shared, thread: Mutex::new(Some(thread)) }
    }

    pub(super) fn end(&self, passed: bool) {
        let mut counts = self.shared.counts();
        counts.done = counts.done.saturating_add(1);
        counts.failed = counts.failed.saturating_add(usize::from(!passed));
    }

    /// Counts what ended earlier.
    pub(super) fn skip(&self, number: usize) {
        self.shared.counts().done = number;
    }

    /// Ends the lines: none comes after the return.
    pub(super) fn close(&self) {
        self.shared.counts().is_over = true;
        self.shared.ended.notify_all();
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread {
            let _ = thread.join();
        }
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        self.close();
    }
}

/// Says a line each time that `wait` returns with counts. `wait` is given the time since the beginning at which to
/// return, and returns `None` at the end.
fn say_all(mut wait: impl FnMut(Duration) -> Option<(Counts, Duration)>, say: impl Fn(&str)) {
    let mut due = EVERY;
    while let Some((counts, elapsed)) = wait(due) {
        say(&counts.line(elapsed));
        // A machine that slept says one line, not all that it missed.
        while due <= elapsed {
            due = due.saturating_add(EVERY);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines of a run whose clock shows these seconds at each return, and the times at which a line was due.
    fn said(returns: &[(u64, usize, usize)]) -> (Vec<String>, Vec<u64>) {
        let (lines, mut due) = (Mutex::new(Vec::new()), Vec::new());
        let mut returns = returns.iter();
        let wait = |until: Duration| {
            due.push(until.as_secs());
            let (seconds, done, failed) = *returns.next()?;
            let counts = Counts { done, failed, total: 4791, unit: "tests", is_over: false };
            Some((counts, Duration::from_secs(seconds)))
        };
        say_all(wait, |line| lines.lock().unwrap().push(line.to_owned()));
        (lines.into_inner().unwrap(), due)
    }

    #[test]
    fn a_line_comes_every_ten_seconds() {
        assert_eq!(said(&[]), (Vec::new(), vec![10]));
        let (lines, due) = said(&[(10, 120, 0), (20, 240, 2), (75, 1500, 2), (80, 4791, 2)]);
        assert_eq!(
            lines,
            [
                "progress  120 of 4791 tests, 0 failed, 10 s",
                "progress  240 of 4791 tests, 2 failed, 20 s",
                "progress  1500 of 4791 tests, 2 failed, 1 min 15 s",
                "progress  4791 of 4791 tests, 2 failed, 1 min 20 s",
            ]
        );
        assert_eq!(due, [10, 20, 30, 80, 90]);
    }

    #[test]
    fn counts_are_kept_and_the_thread_ends_at_once() {
        let (sender, said) = std::sync::mpsc::channel();
        let lines = Lines::new(3, "runs", move |line| sender.send(line.to_owned()).unwrap());
        lines.skip(1);
        lines.end(true);
        lines.end(false);
        let counts = *lines.shared.counts();
        assert_eq!((counts.done, counts.failed), (3, 1));
        lines.close();
        // A second end is none.
        lines.close();
        assert!(lines.thread.lock().unwrap().is_none());
        // The thread has given back its sender, and no line was due.
        assert_eq!(said.try_recv(), Err(std::sync::mpsc::TryRecvError::Disconnected));
    }
}
