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
    let shared = |bytes: &[u8]| match package.owner() {
        Some(owner) => SharedBytes::of(owner.clone()).part(bytes),
        None => bytes.into(),
    };
    let mut capture = Capture::open(&shared(bytes))
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
            Some(bytes) => drop(capture.blobs.insert(hash, shared(bytes))),
            None => refuse(PackedCaptureError::BlobAbsent(Blake3::from_bytes(hash.0)))?,
        }
    }
    // Generated data are in no file.
    for hash in read {
        if let Some(bytes) = blob(&hash) {
            capture.blobs.insert(hash, shared(bytes));
        }
    }
    Ok(capture)
}

#[cfg(test)]
mod tests {
    use hallmark_package::{
        ArchiveBytes, CHALLENGE, Contents, ENVIRONMENT, EntryName, LOCK, Limits, PROFILE,
        PackageDraft, Predicate, RESULTS, RUN,
    };
    use hallmark_schema::model::Blobs;

    use super::*;

    /// A package holds up to a gigabyte, and a verifier reads its captures several at a time.
    #[test]
    fn the_blobs_of_a_capture_are_parts_of_its_archive() {
        let file =
            concat!(env!("CARGO_MANIFEST_DIR"), "/../../schema/released/1.0/captures/trace.lmb");
        let whole = Capture::from_bytes(&std::fs::read(file).unwrap()).unwrap();
        assert!(!whole.blobs.is_empty());
        let alone = Capture { blobs: Blobs::new(), ..whole.clone() }.to_bytes().unwrap();
        let hash = ContentHash::of(&alone);
        let mut draft = PackageDraft::new();
        let mut add = |name: EntryName, bytes: &[u8]| {
            draft.add(name, Contents::Bytes(bytes.to_vec())).unwrap();
        };
        for name in [PROFILE, LOCK, RESULTS, RUN, ENVIRONMENT, CHALLENGE] {
            add(EntryName::new(name).unwrap(), b"a file");
        }
        add(EntryName::capture(&Blake3::from_bytes(hash.0)), &alone);
        for (hash, bytes) in &whole.blobs {
            add(EntryName::blob(&Blake3::from_bytes(hash.0)), bytes);
        }
        let predicate: Predicate = serde_json::from_value(serde_json::json!({
            "name": "x", "hallmark": "0.1.0", "made": "2026-11-23T06:50:00Z", "draft": true, "totals": {},
            "challenge": null, "profile": { "name": "p", "edition": "1", "lock": "ab".repeat(32) },
            "subject": { "kind": "simulator", "name": "s", "hash": null },
        }))
        .unwrap();
        let mut bytes = Vec::new();
        draft.write(predicate, &mut bytes).unwrap();
        let bytes = ArchiveBytes::from(bytes);
        let archive = bytes.as_ptr_range();
        let is_part = |package: &Package<'_>| {
            let capture = packed_capture(package, hash).unwrap();
            // Those of collected traces stay out.
            let is_known = |(hash, bytes)| whole.blobs.get(hash) == Some(bytes);
            assert!(!capture.blobs.is_empty() && capture.blobs.iter().all(is_known));
            capture.blobs.values().all(|blob| archive.contains(&blob.as_ptr()))
        };
        let shared = Package::read_shared(&bytes, &Limits::default()).unwrap();
        assert!(is_part(&shared));
        assert!(!is_part(&Package::read(&bytes, &Limits::default()).unwrap()));
    }
}
