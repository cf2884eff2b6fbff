//! Writes the archive file by file.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::PathBuf;

use tar::{Builder, EntryType, Header};

use super::{BLOCK, Limits};
use crate::entry_name::EntryName;

/// The content of a file of a package, or its source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Contents<'a> {
    /// These bytes.
    Bytes(Vec<u8>),
    /// These bytes of another package, which are not copied.
    Borrowed(&'a [u8]),
    /// The content of a file on disk, which must not change until the package is written.
    File(PathBuf),
}

/// An archive that could not be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// A file of the package cannot be read.
    #[error("`{name}` cannot be read from {}: {error}", path.display())]
    Read {
        /// Its name in the package.
        name: EntryName,
        /// Its path.
        path: PathBuf,
        /// The error of the operating system.
        error: io::Error,
    },
    /// A file changed while the package was written.
    #[error("`{name}` changed while the package was written; write the package again")]
    Changed {
        /// Its name in the package.
        name: EntryName,
    },
    /// The archive would exceed the readers' limits.
    #[error("{what} is {value}, and a package has at most {limit}")]
    Limit {
        /// The exceeded quantity, as the beginning of a sentence.
        what: String,
        /// Its value.
        value: u64,
        /// The limit.
        limit: u64,
    },
    /// The archive cannot be written.
    #[error("the package cannot be written: {0}")]
    Write(#[from] io::Error),
}

impl Contents<'_> {
    /// The size of the content, and a reader of it.
    pub(crate) fn open(&self, name: &EntryName) -> Result<(u64, Box<dyn Read + '_>), WriteError> {
        let size = |bytes: &[u8]| u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        match self {
            Self::Bytes(bytes) => Ok((size(bytes), Box::new(bytes.as_slice()))),
            Self::Borrowed(bytes) => Ok((size(bytes), Box::new(*bytes))),
            Self::File(path) => {
                let read = || {
                    let file = File::open(path)?;
                    Ok((file.metadata()?.len(), file))
                };
                let (size, file) = read().map_err(|error| WriteError::Read {
                    name: name.clone(),
                    path: path.clone(),
                    error,
                })?;
                Ok((size, Box::new(file)))
            }
        }
    }
}

/// The header of a file.
pub(super) fn header(name: &EntryName, size: u64) -> [u8; BLOCK] {
    let mut header = Header::new_ustar();
    header.set_entry_type(EntryType::Regular);
    header.set_mode(0o644);
    header.set_uid(0);
    header.set_gid(0);
    header.set_mtime(0);
    header.set_size(size);
    let field = header.as_mut_bytes().iter_mut();
    // A name never exceeds its field, which is the first.
    field.zip(name.as_str().bytes()).for_each(|(to, byte)| *to = byte);
    header.set_cksum();
    *header.as_bytes()
}

/// Writes the canonical archive of these files, as [`Archive::read`](super::Archive::read) accepts it.
///
/// # Errors
/// A file cannot be read, or changes; `into` fails; the default [`Limits`] are exceeded.
pub fn write_archive(
    entries: &BTreeMap<EntryName, Contents<'_>>,
    into: impl Write,
) -> Result<(), WriteError> {
    let limits = Limits::default();
    let limit = |what: &str, value: u64, limit: u64| {
        let what = what.to_owned();
        if value > limit { Err(WriteError::Limit { what, value, limit }) } else { Ok(()) }
    };
    let count = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
    limit("the number of files", count(entries.len()), count(limits.entries))?;
    let mut archive = Builder::new(into);
    let mut total = count(BLOCK.saturating_mul(2));
    for (name, contents) in entries {
        let (size, contents) = contents.open(name)?;
        limit(&format!("the size of `{name}`"), size, limits.entry_bytes)?;
        let blocks = size.div_ceil(count(BLOCK)).saturating_add(1);
        total = total.saturating_add(blocks.saturating_mul(count(BLOCK)));
        limit("the size of the package", total, limits.archive_bytes)?;
        let mut counted = Counted { contents: contents.take(size.saturating_add(1)), size: 0 };
        let mut block = Header::new_ustar();
        block.as_mut_bytes().copy_from_slice(&header(name, size));
        archive.append(&block, &mut counted)?;
        if counted.size != size {
            return Err(WriteError::Changed { name: name.clone() });
        }
    }
    archive.into_inner()?.flush()?;
    Ok(())
}

/// A reader that counts its bytes.
struct Counted<R> {
    contents: R,
    size: u64,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.contents.read(buffer)?;
        self.size = self.size.saturating_add(u64::try_from(read).unwrap_or(u64::MAX));
        Ok(read)
    }
}
