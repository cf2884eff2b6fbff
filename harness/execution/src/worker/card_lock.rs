//! One test at a time on a card.
//!
//! Workers refuse a card that is in use. So that tests of one run, or of several, wait for each other instead,
//! whoever starts a worker holds the card's lock file meanwhile.

use std::path::{Path, PathBuf};

use hallmark_runtime::DeviceSpec;

use super::file_lock::FileLock;
use crate::interrupt;

/// A card that is this process's until the value is dropped.
#[derive(Debug)]
pub struct CardLock {
    _lock: FileLock,
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
