//! The memory that a worker may take. A capture of a few bytes can ask a simulator for all of a chip's memory, so the
//! process that waits for a worker looks at what the worker has taken, and ends it above the budget.
//!
//! The budget holds for Hallmark's own simulator: other devices and releases have memory of their own kind.

use std::fmt;
use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::str::FromStr;
use std::sync::atomic::{AtomicU64, Ordering};

use hallmark_schema::{limits, stated_bytes_of_parts};

/// A number of bytes, as an option states it: a number, perhaps with a unit such as `512M` or `2GiB`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MemorySize(pub u64);

/// The units of a [`MemorySize`], each with the power of two that it stands for. The first spelling is shown.
const UNITS: [(&[&str], u32); 3] = [(&["GiB", "G"], 30), (&["MiB", "M"], 20), (&["KiB", "K"], 10)];

/// A text that is no size.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a size of memory; write a number of bytes, or one with a unit: 512MiB, 2GiB")]
pub struct NoMemorySize(String);

impl FromStr for MemorySize {
    type Err = NoMemorySize;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let of_unit = UNITS.iter().find_map(|(spellings, power)| {
            let number = spellings.iter().find_map(|unit| text.strip_suffix(unit))?;
            Some((number, *power))
        });
        let (number, power) = of_unit.unwrap_or((text, 0));
        let number: Option<u64> = number.parse().ok().filter(|number| *number > 0);
        let bytes = number.and_then(|number| number.checked_mul(1_u64.checked_shl(power)?));
        bytes.map(Self).ok_or_else(|| NoMemorySize(text.to_owned()))
    }
}

impl Default for MemorySize {
    fn default() -> Self {
        DEFAULT
    }
}

impl fmt::Display for MemorySize {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(bytes) = *self;
        let unit = UNITS.iter().find(|(_, power)| bytes > 0 && bytes.trailing_zeros() >= *power);
        match unit {
            Some((spellings, power)) => {
                let unit = spellings.first().copied().unwrap_or_default();
                write!(formatter, "{} {unit}", bytes >> power)
            }
            None => write!(formatter, "{bytes} B"),
        }
    }
}

/// The budget unless an option states another one, for a capture of few calls.
pub const DEFAULT: MemorySize = MemorySize(1 << 30);

/// Bytes that a replay takes for each byte of a capture's calls and record: for the capture, its repetition, and the bytes of both.
/// A million calls of 73 bytes took 15 bytes for each byte.
const BYTES_PER_BYTE_OF_CALLS: u64 = 16;

/// The value before a budget is set. No option gives 0.
const UNSET: u64 = 0;

static BUDGET: AtomicU64 = AtomicU64::new(UNSET);

/// Sets the budget of each worker that this process starts from now on; with `None`, each has the default.
pub fn set(budget: Option<MemorySize>) {
    BUDGET.store(budget.map_or(UNSET, |budget| budget.0), Ordering::SeqCst);
}

/// The budget of a worker, which perhaps works on the capture in a file.
pub fn of_worker(capture: Option<&Path>) -> MemorySize {
    match BUDGET.load(Ordering::SeqCst) {
        UNSET => default_for(capture.and_then(bytes_of_calls).unwrap_or(0)),
        budget => MemorySize(budget),
    }
}

/// The bytes of a capture's calls and record, as the file states them. Its blobs raise no budget: they are data, and a
/// file of a few bytes can ask for as many by generators.
fn bytes_of_calls(capture: &Path) -> Option<u64> {
    let file = File::open(capture).ok()?;
    let length = file.metadata().ok()?.len();
    let parts = stated_bytes_of_parts(|offset, bytes| file.read_exact_at(bytes, offset))?;
    Some(parts.min(length))
}

/// The default for a capture with so many bytes of calls and record.
fn default_for(bytes_of_calls: u64) -> MemorySize {
    let most = limits::PROGRAM_BYTES.saturating_add(limits::RECORD_BYTES);
    let of_calls = bytes_of_calls.min(most).saturating_mul(BYTES_PER_BYTE_OF_CALLS);
    MemorySize(DEFAULT.0.saturating_add(of_calls))
}

/// The bytes of memory that a process has taken for itself, without files that it has mapped; nothing where the system
/// does not tell.
pub(super) fn taken(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let taken = status.lines().find_map(|line| line.strip_prefix("RssAnon:"))?;
    taken.trim().strip_suffix(" kB")?.parse::<u64>().ok()?.checked_mul(1 << 10)
}

#[cfg(test)]
mod tests {
    use hallmark_schema::model::{Capture, ContentHash};

    use super::*;

    #[test]
    fn a_size_is_a_number_and_perhaps_a_unit() {
        let of = |text: &str| text.parse::<MemorySize>().map(|size| size.0);
        assert_eq!(of("1"), Ok(1));
        assert_eq!(of("512M"), Ok(512 << 20));
        assert_eq!(of("2GiB"), Ok(2 << 30));
        assert_eq!(of("64KiB"), Ok(64 << 10));
        for wrong in ["", "0", "0G", "-1", "1.5G", "G", "1 G", "1g", "17179869184G", "1T"] {
            assert_eq!(of(wrong), Err(NoMemorySize(wrong.to_owned())), "{wrong}");
        }
        let said = |size: u64| MemorySize(size).to_string();
        assert_eq!(said(1 << 30), "1 GiB");
        assert_eq!(said(1536 << 20), "1536 MiB");
        assert_eq!(said((1 << 20) + 1), "1048577 B");
    }

    #[test]
    fn a_capture_of_many_calls_has_more() {
        assert_eq!(default_for(0), DEFAULT);
        assert_eq!(default_for(73 << 20), MemorySize((1 << 30) + 16 * (73 << 20)));
        let largest = MemorySize(3 << 30);
        assert_eq!(default_for(128 << 20), largest);
        assert_eq!(default_for((128 << 20) + 1), largest);
        assert_eq!(default_for(u64::MAX), largest);
    }

    #[test]
    fn a_blob_raises_no_budget() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../schema/released/1.0/captures");
        let mut files: Vec<_> =
            std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        let file = files.first().unwrap();
        let mut capture = Capture::from_bytes(&std::fs::read(file).unwrap()).unwrap();
        let of_calls = bytes_of_calls(file).unwrap();
        assert!(of_calls > 0 && of_calls <= std::fs::metadata(file).unwrap().len());
        let content = vec![7; 8 << 20];
        capture.blobs.insert(ContentHash::of(&content), content.into());
        let place = tempfile::tempdir().unwrap();
        let larger = place.path().join("larger.lmb");
        std::fs::write(&larger, capture.to_bytes().unwrap()).unwrap();
        assert!(bytes_of_calls(&larger).unwrap() < of_calls + (1 << 10));
        // A forged length is worth no more than the file.
        let mut forged = capture.to_bytes().unwrap();
        forged[8..64].fill(0x7F);
        std::fs::write(&larger, &forged).unwrap();
        assert!(bytes_of_calls(&larger).is_none_or(|bytes| bytes <= forged.len() as u64));
        assert_eq!(bytes_of_calls(&place.path().join("none")), None);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn what_a_process_has_taken_grows_with_what_it_writes() {
        let before = taken(std::process::id()).unwrap();
        let written = vec![1_u8; 64 << 20];
        let after = taken(std::process::id()).unwrap();
        assert!(after - before >= 60 << 20, "{before} {after}");
        assert_eq!(written.iter().map(|byte| u64::from(*byte)).sum::<u64>(), 64 << 20);
        assert_eq!(taken(u32::MAX), None);
    }
}
