//! The journal: a recorder writes it while a program runs, so that a surviving process can make a capture from
//! it.
//!
//! *Header*, 64 bytes: `HLMJ`, the format's major and minor version (2 bytes each), the buffer's initial
//! capacity in bytes (8), 16 zero bytes, then the BLAKE3 hash of these 32.
//!
//! *Entries*, each at a multiple of 8: a commit word of 8 bytes, which is the payload's length (4)
//! and the mark `HLJE`; the first 16 bytes of the BLAKE3 hash of the entry's offset (8, little-endian)
//! and its payload; the payload, a FlatBuffer with root `JournalEntry`; zeros up to the next
//! multiple of 8. Everything is little-endian.
//!
//! A journal states the newest format that its writer knew, because its later content is unknown when it
//! begins. The framing belongs to the format: a change of the framing takes a new version. A journal lives as
//! long as a run, so a reader accepts journals of its own major version that are no newer than itself, and
//! refuses all others with one error.
//!
//! The commit word of an entry is written last. Until then it is 0, as is everything after the last entry. So a
//! writer can be killed at any moment: every committed entry is complete, and the entry that it was writing is
//! either present or absent.

mod recover;
pub(crate) mod weight;
mod writer;

pub use recover::{CompleteError, JournalError, Recovered, recover};
pub use writer::{AppendError, JournalBegin, JournalBuffer, JournalWriter, RecordUpdate};

pub(crate) const MAGIC: [u8; 4] = *b"HLMJ";
const MARK: [u8; 4] = *b"HLJE";
const HEADER_BYTES: usize = 64;
/// Commit word and checksum.
const ENTRY_HEADER_BYTES: usize = 24;

fn checksum(offset: u64, payload: &[u8]) -> [u8; 16] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&offset.to_le_bytes());
    hasher.update(payload);
    let mut checksum = [0; 16];
    for (to, from) in checksum.iter_mut().zip(hasher.finalize().as_bytes()) {
        *to = *from;
    }
    checksum
}
