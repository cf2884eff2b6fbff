//! A capture of a package, with the blobs that lie beside it there.

use std::collections::BTreeSet;

use hallmark_package::{Blake3, Package};
use hallmark_schema::CaptureError;
use hallmark_schema::model::{Capture, ContentHash, SharedBytes};

/// Why a package has no such capture.
#[derive(Debug, thiserror::Error)]
pub enum PackedCaptureError {
    /// It is not there.
    #[error("the package has no capture {0}")]
    Absent(Blake3),
    /// It is no capture.
    #[error("{0}")]
    Capture(CaptureError),
    /// Its bytes are not those that Hallmark writes, or it embeds what belongs beside it.
    #[error("written again, the capture has other bytes")]
    Rewritten,
    /// What it refers to is not there.
    #[error("the package has no blob {0}, to which the capture refers")]
    BlobAbsent(Blake3),
}

/// Reads a capture of a package by its hash.
///
/// # Errors
/// [`PackedCaptureError`].
pub fn packed_capture(
    package: &Package<'_>,
    hash: ContentHash,
) -> Result<Capture, PackedCaptureError> {
    packed_capture_unless(package, hash, |error| error, Err)
}

/// The same for whoever has errors of its own, and decides whether one that leaves a capture to look at counts.
///
/// # Errors
/// What `error` makes of a [`PackedCaptureError`], and what `refuse` gives.
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
    // What a generator makes is in no file.
    for hash in read {
        if let Some(bytes) = blob(&hash) {
            capture.blobs.insert(hash, SharedBytes::from(bytes));
        }
    }
    Ok(capture)
}
