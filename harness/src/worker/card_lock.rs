//! One test at a time on a card.
//!
//! Workers refuse a card that is in use. So that tests of one run, or of several, wait for each other instead,
//! whoever starts a worker holds the card's lock file meanwhile. The system gives it back however its holder
//! ends.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};
use std::time::Duration;

use hallmark_runtime::DeviceSpec;

use crate::interrupt;

/// How often a lock that is held is tried again.
const PAUSE: Duration = Duration::from_millis(20);

/// A card that is this process's until the value is dropped.
#[derive(Debug)]
pub struct CardLock {
    _lock: File,
}

/// The file by which processes of this machine know who has a card.
fn path(folder: &Path, device: &DeviceSpec) -> Option<PathBuf> {
    match device {
        DeviceSpec::Pci(number) => Some(folder.join(format!("hallmark-pci-{number}.lock"))),
        DeviceSpec::Simulator(_)
        | DeviceSpec::Ttsim(_)
        | DeviceSpec::SimulatedCard(_)
        | DeviceSpec::Misbehaving(_) => None,
    }
}

impl CardLock {
    /// Waits for a device that only one process at a time can have; nothing for others, and nothing once
    /// somebody has asked to stop.
    ///
    /// # Errors
    /// The lock file can neither be opened nor made.
    pub fn of(device: &DeviceSpec) -> Result<Option<Self>, std::io::Error> {
        match path(&std::env::temp_dir(), device) {
            Some(path) => wait(&path, interrupt::requested),
            None => Ok(None),
        }
    }
}

fn wait(path: &Path, stop: impl Fn() -> bool) -> Result<Option<CardLock>, std::io::Error> {
    // Another user's file can be locked, though not written.
    let made = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
    let file = made.or_else(|_| File::open(path))?;
    while !stop() {
        match file.try_lock() {
            Ok(()) => return Ok(Some(CardLock { _lock: file })),
            Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn cards_have_a_lock_each_and_simulators_none() {
        let folder = Path::new("/tmp");
        let of = |text: &str| path(folder, &text.parse().unwrap());
        assert_ne!(of("pci:0"), of("pci:1"));
        assert!(of("pci:0").is_some());
        for device in ["sim:blackhole", "ttsim:a.so", "pci:sim:blackhole"] {
            assert_eq!(of(device), None);
        }
    }

    #[test]
    fn only_one_at_a_time_has_a_card() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let (inside, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let held = wait(&path, || false).unwrap().unwrap();
                    let now = inside.fetch_add(1, Ordering::SeqCst) + 1;
                    most.fetch_max(now, Ordering::SeqCst);
                    std::thread::yield_now();
                    inside.fetch_sub(1, Ordering::SeqCst);
                    drop(held);
                });
            }
        });
        assert_eq!(most.into_inner(), 1);
        let _held = wait(&path, || false).unwrap().unwrap();
        assert!(wait(&path, || true).unwrap().is_none(), "who is to stop waits no longer");
    }
}
