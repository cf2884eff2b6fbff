//! The journal: what a recorder writes while a program runs, so that whoever survives can make a
//! capture of it.
//!
//! *Header*, 64 bytes: `HLMJ`, the format's major and minor version (2 bytes each), the bytes that
//! the writer had room for when it began (8), 16 zero bytes, then the BLAKE3 hash of these 32.
//!
//! *Entries*, each at a multiple of 8: a commit word of 8 bytes, which is the payload's length (4)
//! and the mark `HLJE`; the first 16 bytes of the BLAKE3 hash of the entry's offset (8, little-endian)
//! and its payload; the payload, a FlatBuffer with root `JournalEntry`; zeros up to the next
//! multiple of 8. Everything is little-endian.
//!
//! A journal says the newest format that its writer knew, because what it will hold is not known when it
//! begins. The framing belongs to the format: one that changes takes a new version. A journal lives as long
//! as a run, so a reader takes those of its own major version that are no newer than itself, and refuses all
//! others with one error.
//!
//! The commit word is written last and is 0 before, and so is everything behind the last entry.
//! Whatever the moment at which a writer is killed, what is committed is whole, and the entry that
//! it was writing is either there or not.

mod recover;
pub(crate) mod weight;
mod writer;

pub use recover::{CompleteError, JournalError, Recovered, recover};
pub use writer::{AppendError, JournalBegin, JournalBuffer, JournalWriter, RecordUpdate};

const MAGIC: [u8; 4] = *b"HLMJ";
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
