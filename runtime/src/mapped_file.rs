//! Memory that outlives its process: a file, mapped and shared.
//!
//! Space is reserved on the file system before it is mapped, so that a full disk is an error of
//! [`MappedFile::reserve`] and never a signal at a write.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use hallmark_schema::journal::JournalBuffer;
use memmap2::{Advice, MmapMut, MmapOptions};
use rustix::fs::FallocateFlags;
use rustix::io::Errno;
use rustix::process::{Resource, getrlimit};

/// Bytes that are reserved first: most journals are shorter, and a file system in memory clears all reserved bytes.
const FIRST: usize = 32 << 10;
/// The most bytes that are reserved at a time beyond the bytes that are needed.
const STEP: usize = 64 << 20;

/// A file that grows, all zero where nothing was written.
#[derive(Debug)]
pub(crate) struct MappedFile {
    file: File,
    map: MmapMut,
}

impl MappedFile {
    /// Makes a new file. It must not exist.
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(path)?;
        let made = reserve_space(&file, 0, FIRST).and_then(|()| map(&file, FIRST));
        match made {
            Ok(map) => Ok(Self { file, map }),
            Err(error) => {
                // Nothing was written to it; the error below says more than a failing removal.
                let _ = std::fs::remove_file(path);
                Err(error)
            }
        }
    }

    /// Bytes reserved.
    pub(crate) fn capacity(&self) -> usize {
        self.map.len()
    }
}

impl JournalBuffer for MappedFile {
    type Error = io::Error;

    fn reserve(&mut self, length: usize) -> io::Result<()> {
        let before = self.map.len();
        if length <= before {
            return Ok(());
        }
        let wanted = length.max(before.saturating_add(before.min(STEP)));
        let wanted = wanted.checked_next_multiple_of(4096).ok_or(ErrorKind::FileTooLarge)?;
        reserve_space(&self.file, before, wanted)?;
        self.map = map(&self.file, wanted)?;
        Ok(())
    }

    fn write(&mut self, offset: usize, bytes: &[u8]) {
        let end = offset.checked_add(bytes.len());
        if let Some(room) = end.and_then(|end| self.map.get_mut(offset..end)) {
            room.copy_from_slice(bytes);
        }
    }
}

/// Gives the file zeroed blocks from `before` to `after`.
fn reserve_space(file: &File, before: usize, after: usize) -> io::Result<()> {
    let (start, end) = (before as u64, after as u64);
    // Beyond this limit the system would send a signal.
    if getrlimit(Resource::Fsize).current.is_some_and(|limit| end > limit) {
        return Err(io::Error::new(
            ErrorKind::FileTooLarge,
            format!("{end} B are more than this process may write to one file"),
        ));
    }
    match rustix::fs::fallocate(file, FallocateFlags::empty(), start, end - start) {
        Ok(()) => Ok(()),
        // Some file systems have no such call: there, writing zeros reserves.
        Err(Errno::OPNOTSUPP | Errno::NOSYS) => {
            let zeros = vec![0; after.saturating_sub(before).min(1 << 20)];
            let mut at = start;
            while at < end {
                let length = usize::try_from(end - at).unwrap_or(zeros.len()).min(zeros.len());
                file.write_all_at(zeros.get(..length).unwrap_or(&zeros), at)?;
                at += length as u64;
            }
            Ok(())
        }
        Err(error) => Err(error.into()),
    }
}

#[expect(unsafe_code, reason = "mapping a file is unsafe because others may change it")]
fn map(file: &File, length: usize) -> io::Result<MmapMut> {
    // SAFETY: the file was created by this process with `create_new` and is private to it until it
    // ends; its first `length` bytes are reserved and it is never truncated. The map is only written
    // through `JournalBuffer::write` and read nowhere else in this process, so that a foreign
    // change of the bytes would at worst corrupt the journal, whose reader checks every entry.
    let map = unsafe { MmapOptions::new().len(length).map_mut(file) }?;
    // Nothing is read: without this the first write to a page brings its neighbours in, cleared. A system that
    // takes no advice is only slower.
    let _ = map.advise(Advice::Random);
    Ok(map)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_grows_and_keeps_what_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let mut file = MappedFile::create(&path).unwrap();
        assert_eq!(file.capacity(), FIRST);
        file.write(5, b"first");
        file.reserve(FIRST + 1).unwrap();
        assert_eq!(file.capacity(), 2 * FIRST);
        file.write(FIRST, b"second");
        // Nothing is written beyond what was reserved.
        file.write(2 * FIRST - 1, b"no");
        let bytes = std::fs::read(&path).unwrap();
        assert_eq!(bytes.len(), 2 * FIRST);
        assert_eq!((&bytes[5..10], &bytes[FIRST..FIRST + 6]), (&b"first"[..], &b"second"[..]));
        assert_eq!(bytes.iter().filter(|byte| **byte != 0).count(), 11);
        assert_eq!(MappedFile::create(&path).unwrap_err().kind(), ErrorKind::AlreadyExists);
    }
}
