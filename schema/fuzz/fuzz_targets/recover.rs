//! `cargo +nightly fuzz run recover`: recovery panics on no journal, and each capture that it makes is valid.
#![no_main]

use hallmark_schema::journal::recover;
use libfuzzer_sys::fuzz_target;

/// Frames the fuzzer's bytes as entries with the right lengths and checksums.
fn framed(bytes: &[u8]) -> Vec<u8> {
    let mut journal = b"HLMJ\x01\0\0\0".to_vec();
    journal.resize(32, 0);
    let hash = blake3::hash(&journal);
    journal.extend_from_slice(hash.as_bytes());
    let mut rest = bytes;
    while let Some((length, tail)) = rest.split_first_chunk::<2>() {
        let length = usize::from(u16::from_le_bytes(*length)).min(tail.len());
        let (payload, tail) = tail.split_at(length);
        let mut hasher = blake3::Hasher::new();
        hasher.update(&(journal.len() as u64).to_le_bytes());
        hasher.update(payload);
        journal.extend_from_slice(&(length as u32).to_le_bytes());
        journal.extend_from_slice(b"HLJE");
        journal.extend(hasher.finalize().as_bytes().iter().take(16));
        journal.extend_from_slice(payload);
        journal.resize(journal.len().next_multiple_of(8), 0);
        rest = tail;
    }
    journal.resize(journal.len() + 8, 0);
    journal
}

fuzz_target!(|bytes: &[u8]| {
    let _ = recover(bytes);
    if let Ok(recovered) = recover(&framed(bytes)) {
        recovered.capture.to_bytes().expect("what was recovered can be written");
    }
});
