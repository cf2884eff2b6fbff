//! A lock by which only one test at a time uses a card.
//!
//! Workers refuse a card that is in use. To make tests of one or several runs wait for each other instead, the
//! process that starts a worker holds the card's lock file while the worker runs.

use std::path::{Path, PathBuf};

use hallmark_runtime::DeviceSpec;

use super::file_lock::FileLock;
use crate::interrupt;

/// A card that this process holds until the value is dropped.
#[derive(Debug)]
pub struct CardLock {
    _lock: FileLock,
}

/// The lock file of a card on this machine.
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
    /// Waits for a device that only one process at a time can use. `None` for other devices, and once an
    /// interrupt was requested.
    ///
    /// # Errors
    /// The lock file can be neither opened nor created.
    pub fn of(device: &DeviceSpec) -> Result<Option<Self>, std::io::Error> {
        let Some(path) = path(&std::env::temp_dir(), device) else { return Ok(None) };
        let lock = FileLock::wait(&path, interrupt::requested)?;
        Ok(lock.map(|lock| Self { _lock: lock }))
    }
}

#[cfg(test)]
mod tests {
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
}
