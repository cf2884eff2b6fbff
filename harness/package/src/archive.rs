//! The archive of a package: ustar in its single canonical form.
//!
//! Files are sorted by name. Each has the mode 0644, no owner, no time, no link and no extension, and two
//! blocks of zeros end the archive. [`Archive::read`] rebuilds each header and refuses an archive with a
//! different one.

mod write;

use std::collections::BTreeMap;
use std::fmt;

use hallmark_chip::error_checks;

pub use self::write::{Contents, WriteError, write_archive};

use self::write::header;
use crate::entry_name::{EntryName, EntryNameError};

/// The unit of an archive, in bytes.
const BLOCK: usize = 512;

/// The place of ustar's name and version in a header, and both.
const MAGIC_AT: std::ops::Range<usize> = 257..265;
const MAGIC: &[u8] = b"ustar\x0000";

/// Limits of an archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The largest archive, bytes.
    pub archive_bytes: u64,
    /// The largest number of files.
    pub entries: usize,
    /// The largest file, bytes.
    pub entry_bytes: u64,
}

impl Default for Limits {
    /// 1 GiB, which is what a worker may take of memory, too; 200,000 files of at most 256 MiB: five times the size of a
    /// package of the largest profile.
    fn default() -> Self {
        Self { archive_bytes: 1 << 30, entries: 200_000, entry_bytes: 256 << 20 }
    }
}

/// A problem of an archive.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArchiveProblem {
    /// The archive exceeds the reader's limit.
    #[error("the archive has {bytes} bytes, and at most {limit} are read")]
    TooLarge {
        /// Its size.
        bytes: u64,
        /// The limit.
        limit: u64,
    },
    /// The number of files exceeds the reader's limit.
    #[error("the archive has more than {limit} files")]
    TooManyEntries {
        /// The limit.
        limit: usize,
    },
    /// A file exceeds the reader's limit.
    #[error("the file claims {bytes} bytes, and at most {limit} are read")]
    EntryTooLarge {
        /// The size in its header.
        bytes: u64,
        /// The limit.
        limit: u64,
    },
    /// The bytes end before the end of the archive.
    #[error("the archive ends too early; transfer it again")]
    Truncated,
    /// Bytes follow the end of the archive.
    #[error("bytes follow the archive's end")]
    Trailing,
    /// A header without ustar's magic.
    #[error("this is no header of a ustar archive")]
    NotUstar,
    /// A header's checksum is wrong.
    #[error("the header's sum is wrong; transfer the archive again")]
    HeaderSum,
    /// An entry is a link, a folder, a device or a pipe.
    #[error("the entry is {what}, and a package holds only files")]
    NotAFile {
        /// The kind of entry.
        what: &'static str,
    },
    /// An entry belongs to an extension of ustar: pax or GNU.
    #[error("the entry is an extension of kind {kind:?}, and a package has none")]
    Extension {
        /// The type flag in its header.
        kind: char,
    },
    /// A name uses the prefix field.
    #[error("the name stands in two fields of its header, and a package's names fit in one")]
    Prefix,
    /// A name breaks a rule.
    #[error(transparent)]
    Name(EntryNameError),
    /// A name is no valid text, or bytes follow its end.
    #[error("the name is no text that fills its field with zeros")]
    NameBytes,
    /// The mode is not 0644.
    #[error("the file's mode is not 0644")]
    Mode,
    /// The header states an owner or a group.
    #[error("the file has an owner or a group")]
    Owner,
    /// The header states a time.
    #[error("the file has a time")]
    Time,
    /// The size is not eleven octal digits and a zero byte.
    #[error("the file's size is not written in eleven octal digits")]
    Size,
    /// The header differs in another way from the canonical one.
    #[error("the header is not the one that is written for this file")]
    NotCanonical,
    /// The padding of a file's last block is not zero.
    #[error("the file's last block is not filled with zeros")]
    Padding,
    /// A duplicate name.
    #[error("the file stands twice in the archive")]
    Duplicate,
    /// A name out of order.
    #[error("the file comes after `{before}`, and files stand in the order of their names")]
    Unsorted {
        /// The preceding name, which should follow.
        before: EntryName,
    },
    /// Two names differ only in case.
    #[error("the name differs from `{other}` only in capital letters")]
    SameButForCase {
        /// The other name.
        other: EntryName,
    },
    /// The same name is that of a file and of a folder.
    #[error("`{other}` is a file, and cannot be a folder as well")]
    FileAndFolder {
        /// The file.
        other: EntryName,
    },
}

error_checks!(ArchiveProblem: TooLarge, TooManyEntries, EntryTooLarge, Trailing, NotUstar, HeaderSum, NotAFile, Extension, Prefix, NameBytes, Mode, Owner, Time, NotCanonical, Padding, Duplicate, Unsorted, SameButForCase, FileAndFolder; besides: Truncated, Name, Size);

/// A problem of an archive, and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArchiveError {
    /// The offset of the header, or of the end, with the problem.
    pub offset: u64,
    /// The name in the header, as far as it is readable.
    pub entry: Option<String>,
    /// The problem.
    pub problem: ArchiveProblem,
}

impl fmt::Display for ArchiveError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { offset, entry, problem } = self;
        match entry {
            Some(entry) => write!(formatter, "`{entry}` at byte {offset}: {problem}"),
            None => write!(formatter, "byte {offset}: {problem}"),
        }
    }
}

impl std::error::Error for ArchiveError {}

/// The files of a canonical archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Archive<'a> {
    entries: BTreeMap<EntryName, &'a [u8]>,
}

impl<'a> Archive<'a> {
    /// The bytes of a file from which [`Self::may_begin`] tells whether it may be an archive.
    pub const BEGINNING: u64 = 512;

    /// Whether a file that begins like this may be an archive with a file in it. The rest of any other need not be read.
    pub fn may_begin(beginning: &[u8]) -> bool {
        beginning.get(MAGIC_AT) == Some(MAGIC)
    }

    /// Reads an archive from its bytes, without copying a file.
    ///
    /// # Errors
    /// The first deviation from the canonical archive of the same files, or an exceeded limit.
    pub fn read(bytes: &'a [u8], limits: &Limits) -> Result<Self, ArchiveError> {
        let mut reader = Reader { bytes, at: 0, limits, names: Names::default() };
        let size = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        if size > limits.archive_bytes {
            reader.refuse(ArchiveProblem::TooLarge { bytes: size, limit: limits.archive_bytes })?;
        }
        let mut entries = BTreeMap::new();
        while let Some((name, contents)) = reader.entry()? {
            if entries.len() == limits.entries {
                reader.refuse(ArchiveProblem::TooManyEntries { limit: limits.entries })?;
            }
            entries.insert(name, contents);
        }
        Ok(Self { entries })
    }

    /// The content of the file with this name.
    pub fn file(&self, name: &str) -> Option<&'a [u8]> {
        // No archive contains an invalid name.
        self.entries.get(&EntryName::new(name).ok()?).copied()
    }

    /// The files in the order of their names.
    pub fn files(&self) -> impl Iterator<Item = (&EntryName, &'a [u8])> {
        self.entries.iter().map(|(name, contents)| (name, *contents))
    }
}

/// The names read so far, for checks of the next one.
#[derive(Default)]
struct Names {
    last: Option<EntryName>,
    /// Each name and each folder of a name in lower case, with the file that introduced it.
    small: BTreeMap<String, Seen>,
}

struct Seen {
    /// The spelling in the archive.
    spelling: String,
    of: EntryName,
    is_file: bool,
}

impl Names {
    fn add(&mut self, name: &EntryName) -> Result<(), ArchiveProblem> {
        if let Some(last) = self.last.as_ref() {
            if last == name {
                ArchiveProblem::Duplicate.refuse()?;
            }
            if last > name {
                ArchiveProblem::Unsorted { before: last.clone() }.refuse()?;
            }
        }
        let ends = name.as_str().match_indices('/').map(|(at, _)| (at, false));
        for (end, is_file) in ends.chain([(name.as_str().len(), true)]) {
            let spelling = name.as_str().get(..end).unwrap_or_default();
            let seen = self.small.entry(spelling.to_ascii_lowercase()).or_insert_with(|| Seen {
                spelling: spelling.to_owned(),
                of: name.clone(),
                is_file,
            });
            if seen.spelling != spelling {
                ArchiveProblem::SameButForCase { other: seen.of.clone() }.refuse()?;
            }
            if seen.is_file != is_file {
                let file = if is_file { name } else { &seen.of };
                ArchiveProblem::FileAndFolder { other: file.clone() }.refuse()?;
            }
        }
        self.last = Some(name.clone());
        Ok(())
    }
}

/// The position in an archive, and the limits.
struct Reader<'a, 'l> {
    bytes: &'a [u8],
    at: usize,
    limits: &'l Limits,
    names: Names,
}

impl<'a> Reader<'a, '_> {
    /// Returns the problem of the current header as an error, unless its check is switched off.
    fn refuse(&self, problem: ArchiveProblem) -> Result<(), ArchiveError> {
        problem.refuse().map_err(|problem| self.error(problem))
    }

    fn error(&self, problem: ArchiveProblem) -> ArchiveError {
        let block = self.bytes.get(self.at..).unwrap_or_default();
        let name = block.get(..100).unwrap_or(block);
        let name = name.split(|byte| *byte == 0).next().unwrap_or_default();
        let shown = name.escape_ascii().to_string();
        let entry = (!shown.is_empty()).then_some(shown);
        ArchiveError { offset: u64::try_from(self.at).unwrap_or(u64::MAX), entry, problem }
    }

    /// The next file; `None` at the end of the archive.
    fn entry(&mut self) -> Result<Option<(EntryName, &'a [u8])>, ArchiveError> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let Some((block, rest)) = rest.split_first_chunk::<BLOCK>() else {
            return Err(self.error(ArchiveProblem::Truncated));
        };
        if block.iter().all(|byte| *byte == 0) {
            return match rest.split_first_chunk::<BLOCK>() {
                None => Err(self.error(ArchiveProblem::Truncated)),
                Some((second, after)) => {
                    if !after.is_empty() || second.iter().any(|byte| *byte != 0) {
                        self.refuse(ArchiveProblem::Trailing)?;
                    }
                    Ok(None)
                }
            };
        }
        self.check_kind(block)?;
        let name = self.name(block)?;
        self.check_fields(block)?;
        let size = octal(block.get(124..136).unwrap_or_default())
            .ok_or_else(|| self.error(ArchiveProblem::Size))?;
        if size > self.limits.entry_bytes {
            let limit = self.limits.entry_bytes;
            self.refuse(ArchiveProblem::EntryTooLarge { bytes: size, limit })?;
        }
        if header(&name, size) != *block {
            self.refuse(ArchiveProblem::NotCanonical)?;
        }
        let truncated = || self.error(ArchiveProblem::Truncated);
        let size = usize::try_from(size).map_err(|_| truncated())?;
        let (contents, rest) = rest.split_at_checked(size).ok_or_else(truncated)?;
        let fill = size.next_multiple_of(BLOCK).checked_sub(size).ok_or_else(truncated)?;
        let filling = rest.get(..fill).ok_or_else(truncated)?;
        if filling.iter().any(|byte| *byte != 0) {
            self.refuse(ArchiveProblem::Padding)?;
        }
        self.names.add(&name).map_err(|problem| self.error(problem))?;
        // The slices above were in range, so this does not saturate.
        self.at = self.at.saturating_add(BLOCK).saturating_add(size).saturating_add(fill);
        Ok(Some((name, contents)))
    }

    fn check_kind(&self, block: &[u8; BLOCK]) -> Result<(), ArchiveError> {
        if !Archive::may_begin(block) {
            self.refuse(ArchiveProblem::NotUstar)?;
        }
        // For the checksum, its own field counts as spaces.
        let sum: u32 = block
            .iter()
            .enumerate()
            .map(|(at, byte)| u32::from(if (148..156).contains(&at) { b' ' } else { *byte }))
            .sum();
        let stated = block.get(148..156).unwrap_or_default();
        if octal(stated) != Some(u64::from(sum)) {
            self.refuse(ArchiveProblem::HeaderSum)?;
        }
        let not_a_file = |what| self.refuse(ArchiveProblem::NotAFile { what });
        match block.get(156) {
            Some(b'0') | None => Ok(()),
            Some(b'1') => not_a_file("a hard link"),
            Some(b'2') => not_a_file("a symbolic link"),
            Some(b'3' | b'4') => not_a_file("a device"),
            Some(b'5') => not_a_file("a folder"),
            Some(b'6') => not_a_file("a pipe"),
            Some(kind) => self.refuse(ArchiveProblem::Extension { kind: char::from(*kind) }),
        }
    }

    fn name(&self, block: &[u8; BLOCK]) -> Result<EntryName, ArchiveError> {
        if block.get(345..500).is_none_or(|prefix| prefix.iter().any(|byte| *byte != 0)) {
            self.refuse(ArchiveProblem::Prefix)?;
        }
        let field = block.get(..100).unwrap_or_default();
        let end = field.iter().position(|byte| *byte == 0).unwrap_or(field.len());
        let (name, rest) = field.split_at_checked(end).unwrap_or((field, &[]));
        if rest.iter().any(|byte| *byte != 0) {
            self.refuse(ArchiveProblem::NameBytes)?;
        }
        let name = std::str::from_utf8(name).map_err(|_| self.error(ArchiveProblem::NameBytes))?;
        EntryName::new(name).map_err(|problem| self.error(ArchiveProblem::Name(problem)))
    }

    fn check_fields(&self, block: &[u8; BLOCK]) -> Result<(), ArchiveError> {
        let is_zero =
            |field: Option<&[u8]>| field.is_some_and(|field| field.iter().all(|byte| *byte == 0));
        if block.get(100..108) != Some(b"0000644\0") {
            self.refuse(ArchiveProblem::Mode)?;
        }
        let numbers = block.get(108..124) == Some(b"0000000\x000000000\0");
        if !numbers || !is_zero(block.get(265..329)) {
            self.refuse(ArchiveProblem::Owner)?;
        }
        if block.get(136..148) != Some(b"00000000000\0") {
            self.refuse(ArchiveProblem::Time)?;
        }
        Ok(())
    }
}

/// The number of the octal digits that fill a field up to its final zero byte.
fn octal(field: &[u8]) -> Option<u64> {
    let (0, digits) = field.split_last()? else { return None };
    digits.iter().try_fold(0_u64, |number, digit| {
        let digit = digit.checked_sub(b'0').filter(|digit| *digit < 8)?;
        number.checked_mul(8)?.checked_add(u64::from(digit))
    })
}
