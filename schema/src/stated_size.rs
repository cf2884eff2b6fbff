//! What the first bytes of a file tell of its size, before anybody reads the rest of it.

use std::io;

use crate::generated::capture as fb;
use crate::{journal, limits};

/// The most bytes of a file that begins with `beginning`: a journal or a text may be longer than a capture or a golden.
/// Eight bytes are enough to tell.
pub fn most_bytes_of_file(beginning: &[u8]) -> u64 {
    if beginning.starts_with(b"{") || beginning.starts_with(&journal::MAGIC) {
        limits::JOURNAL_BYTES
    } else {
        limits::CAPTURE_BYTES
    }
}

/// The bytes that a capture states for its program part and its record part; its blobs do not count. Nothing is checked
/// but that the numbers can be read: who opens the capture finds what is wrong with it. `None`, if the file is no
/// capture.
///
/// `read` fills its buffer with the file's bytes from an offset on.
pub fn stated_bytes_of_parts(
    mut read: impl FnMut(u64, &mut [u8]) -> io::Result<()>,
) -> Option<u64> {
    let mut bytes = [0; 8];
    read(0, &mut bytes).ok()?;
    let (root, identifier) = bytes.split_first_chunk::<4>()?;
    if identifier != fb::CAPTURE_IDENTIFIER.as_bytes() {
        return None;
    }
    let table = u64::from(u32::from_le_bytes(*root));
    // The table says how far before it, or behind it, the list of its fields lies.
    let fields = table.checked_add_signed(-i64::from(number(&mut read, table)?.cast_signed()))?;
    let length_of_fields = short(&mut read, fields)?;
    let mut of_part = |field: u16| {
        if field >= length_of_fields {
            return Some(0);
        }
        let offset = u64::from(short(&mut read, fields.checked_add(u64::from(field))?)?);
        if offset == 0 {
            return Some(0);
        }
        let field = table.checked_add(offset)?;
        let part = field.checked_add(u64::from(number(&mut read, field)?))?;
        number(&mut read, part).map(u64::from)
    };
    let program = of_part(fb::Capture::VT_PROGRAM)?;
    let record = of_part(fb::Capture::VT_RECORD)?;
    program.checked_add(record)
}

fn number(read: &mut impl FnMut(u64, &mut [u8]) -> io::Result<()>, offset: u64) -> Option<u32> {
    let mut bytes = [0; 4];
    read(offset, &mut bytes).ok()?;
    Some(u32::from_le_bytes(bytes))
}

fn short(read: &mut impl FnMut(u64, &mut [u8]) -> io::Result<()>, offset: u64) -> Option<u16> {
    let mut bytes = [0; 2];
    read(offset, &mut bytes).ok()?;
    Some(u16::from_le_bytes(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Blobs, Capture, ContentHash};
    use crate::{program_bytes, wire};

    fn stated(file: &[u8]) -> Option<u64> {
        stated_bytes_of_parts(|offset, bytes| {
            let start = usize::try_from(offset).map_err(io::Error::other)?;
            let end = start.checked_add(bytes.len()).ok_or(io::ErrorKind::UnexpectedEof)?;
            let part = file.get(start..end).ok_or(io::ErrorKind::UnexpectedEof)?;
            bytes.copy_from_slice(part);
            Ok(())
        })
    }

    fn committed() -> Vec<u8> {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/released/1.0/captures");
        let mut files: Vec<_> =
            std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        std::fs::read(files.first().unwrap()).unwrap()
    }

    /// Blobs are added, and neither part changes.
    #[test]
    fn the_parts_count_and_blobs_do_not() {
        let file = committed();
        let mut capture = Capture::from_bytes(&file).unwrap();
        let of_program = program_bytes(&capture.program).unwrap().len();
        let of_record = capture.record.as_ref().map_or(0, |it| wire::encode_record(it).len());
        let expected = Some((of_program + of_record) as u64);
        let content = vec![7; 1 << 20];
        for blobs in [Blobs::new(), Blobs::from([(ContentHash::of(&content), content.into())])] {
            capture.blobs = blobs;
            let bytes = capture.to_bytes().unwrap();
            assert_eq!(stated(&bytes), expected);
        }
        capture.record = None;
        assert_eq!(stated(&capture.to_bytes().unwrap()), Some(of_program as u64));
    }

    #[test]
    fn a_damaged_beginning_states_nothing_or_some_number() {
        let file = committed();
        assert_eq!(stated(b"{\"capture\": 1}"), None);
        assert_eq!(stated(&[]), None);
        for length in 0..file.len().min(64) {
            let _ = stated(&file[..length]);
        }
        for byte in 0..8 {
            for value in [0, 0x7F, 0x80, 0xFF] {
                let mut damaged = file.clone();
                damaged[byte] = value;
                let _ = stated(&damaged);
            }
        }
    }

    #[test]
    fn a_journal_and_a_text_may_be_longer_than_a_capture() {
        assert_eq!(most_bytes_of_file(b"{\"capture\""), limits::JOURNAL_BYTES);
        assert_eq!(most_bytes_of_file(b"HLMJ\x01\0\0\0"), limits::JOURNAL_BYTES);
        assert_eq!(
            most_bytes_of_file(committed().first_chunk::<8>().unwrap()),
            limits::CAPTURE_BYTES
        );
        assert_eq!(most_bytes_of_file(&[0; 8]), limits::CAPTURE_BYTES);
        assert_eq!(most_bytes_of_file(&[]), limits::CAPTURE_BYTES);
    }
}
