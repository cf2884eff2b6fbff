//! A file that one process at a time locks. The system releases the lock however its holder ends.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::Error;
use std::path::Path;
use std::time::Duration;

/// The time between two attempts to take a lock.
const PAUSE: Duration = Duration::from_millis(20);

/// A file that its holder locks until the value is dropped.
#[derive(Debug)]
pub struct FileLock {
    _file: File,
}

impl FileLock {
    /// Waits for the lock of a file, which is created if it is missing; `None` once `stop` returns `true`.
    ///
    /// # Errors
    /// The file can be neither opened nor created.
    pub fn wait(path: &Path, stop: impl Fn() -> bool) -> Result<Option<Self>, Error> {
        // Another user's file can be locked, though not written to.
        let made =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
        let file = made.or_else(|_| File::open(path))?;
        while !stop() {
            match file.try_lock() {
                Ok(()) => return Ok(Some(Self { _file: file })),
                Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
                Err(TryLockError::Error(error)) => return Err(error),
            }
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn only_one_at_a_time_holds_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let (inside, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let held = FileLock::wait(&path, || false).unwrap().unwrap();
                    let now = inside.fetch_add(1, Ordering::SeqCst) + 1;
                    most.fetch_max(now, Ordering::SeqCst);
                    std::thread::yield_now();
                    inside.fetch_sub(1, Ordering::SeqCst);
                    drop(held);
                });
            }
        });
        assert_eq!(most.into_inner(), 1);
        let _held = FileLock::wait(&path, || false).unwrap().unwrap();
        let waited = FileLock::wait(&path, || true).unwrap();
        assert!(waited.is_none(), "who is to stop waits no longer");
    }
}
