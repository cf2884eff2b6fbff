//! A capture of a package, with its blobs.

use std::collections::BTreeSet;

use hallmark_package::{Blake3, Package};
use hallmark_schema::CaptureError;
use hallmark_schema::model::{Capture, ContentHash, SharedBytes};

/// Why a package does not contain a capture.
#[derive(Debug, thiserror::Error)]
pub enum PackedCaptureError {
    /// The capture is missing.
    #[error("the package has no capture {0}")]
    Absent(Blake3),
    /// The file is not a capture.
    #[error("{0}")]
    Capture(CaptureError),
    /// Its bytes are not canonical, or it embeds blobs that belong beside it.
    #[error("written again, the capture has other bytes")]
    Rewritten,
    /// A blob that the capture refers to is missing.
    #[error("the package has no blob {0}, to which the capture refers")]
    BlobAbsent(Blake3),
}

/// Reads a capture of a package by its hash. The bytes of collected traces stay out: a replay would load them, and nothing
/// shows that the program's own commands make them.
///
/// # Errors
/// [`PackedCaptureError`].
pub fn packed_capture(
    package: &Package<'_>,
    hash: ContentHash,
) -> Result<Capture, PackedCaptureError> {
    packed_capture_unless(package, hash, |error| error, Err)
}

/// As [`packed_capture`], for callers with their own error type, who decide whether an error with a readable
/// capture counts.
///
/// # Errors
/// The error that `error` makes from a [`PackedCaptureError`], or that `refuse` returns.
pub fn packed_capture_unless<E>(
    package: &Package<'_>,
    hash: ContentHash,
    error: impl Fn(PackedCaptureError) -> E,
    refuse: impl Fn(PackedCaptureError) -> Result<(), E>,
) -> Result<Capture, E> {
    let name = Blake3::from_bytes(hash.0);
    let bytes = package.capture(&name).ok_or_else(|| error(PackedCaptureError::Absent(name)))?;
    let mut capture = Capture::open(&SharedBytes::from(bytes))
        .map_err(|problem| error(PackedCaptureError::Capture(problem)))?;
    let is_same = capture.to_bytes().is_ok_and(|again| again == bytes);
    if !is_same || !capture.blobs.is_empty() {
        refuse(PackedCaptureError::Rewritten)?;
    }
    let record = capture.record.iter();
    let read: BTreeSet<ContentHash> =
        record.flat_map(|record| &record.reads).map(|read| read.hash).collect();
    let blob = |hash: &ContentHash| package.blob(&Blake3::from_bytes(hash.0));
    for hash in capture.missing_blobs() {
        match blob(&hash) {
            Some(bytes) => drop(capture.blobs.insert(hash, SharedBytes::from(bytes))),
            None => refuse(PackedCaptureError::BlobAbsent(Blake3::from_bytes(hash.0)))?,
        }
    }
    // Generated data are in no file.
    for hash in read {
        if let Some(bytes) = blob(&hash) {
            capture.blobs.insert(hash, SharedBytes::from(bytes));
        }
    }
    Ok(capture)
}
