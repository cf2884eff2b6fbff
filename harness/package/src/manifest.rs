//! `MANIFEST`: the sizes and hashes of a package's files, one per line, sorted by name.
//!
//! A line is `<blake3> <sha256> <size> <name>`. The manifest describes every file except itself, the statement
//! and the statement's signatures. The statement contains the manifest's hash, so that a signature covers every
//! file.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Read, Write as _};

use hallmark_chip::error_checks;
use sha2::Digest as _;

use crate::archive::Archive;
use crate::entry_name::{EntryName, LONGEST, MANIFEST};
use crate::hash::{Blake3, Sha256};

/// The digests of a file's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digests {
    /// The BLAKE3 hash.
    pub blake3: Blake3,
    /// The SHA-256 hash.
    pub sha256: Sha256,
    /// The number of bytes.
    pub size: u64,
}

impl Digests {
    /// The digests of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        let size = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        Self { blake3: Blake3::of(bytes), sha256: Sha256::of(bytes), size }
    }

    /// The digests of a reader's remaining bytes.
    pub(crate) fn of_reader(mut reader: impl Read) -> io::Result<Self> {
        let (mut blake3, mut sha256, mut size) =
            (blake3::Hasher::new(), sha2::Sha256::new(), 0_u64);
        let mut buffer = vec![0; 1 << 16];
        loop {
            let read = match reader.read(&mut buffer) {
                Ok(0) => break,
                Ok(read) => read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            let bytes = buffer.get(..read).unwrap_or_default();
            blake3.update(bytes);
            sha256.update(bytes);
            size = size.saturating_add(u64::try_from(read).unwrap_or(u64::MAX));
        }
        Ok(Self {
            blake3: Blake3::from_bytes(*blake3.finalize().as_bytes()),
            sha256: Sha256::from_bytes(sha256.finalize().into()),
            size,
        })
    }
}

/// A problem of a manifest, or of a file that it describes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ManifestProblem {
    /// A line is not `<blake3> <sha256> <size> <name>`.
    #[error(
        "the line is not a BLAKE3 hash, a SHA-256 hash, a size and a name with one space between them"
    )]
    Malformed,
    /// A name out of order, or a duplicate.
    #[error("`{name}` does not come after the name of the line before")]
    Unsorted {
        /// The second of the two names.
        name: EntryName,
    },
    /// A line for a file that manifests do not describe.
    #[error("`{name}` is no file that a manifest describes")]
    NotDescribed {
        /// The file.
        name: EntryName,
    },
    /// A described file is missing.
    #[error("`{name}` is not in the package")]
    Absent {
        /// The file.
        name: EntryName,
    },
    /// A file without a line.
    #[error("`{name}` is in the package, and no line describes it")]
    Unlisted {
        /// The file.
        name: EntryName,
    },
    /// A file's size differs from its line.
    #[error("`{name}` has {found} bytes, and {stated} are stated")]
    Size {
        /// The file.
        name: EntryName,
        /// The actual size.
        found: u64,
        /// The size in the line.
        stated: u64,
    },
    /// A file's BLAKE3 hash differs from its line.
    #[error("`{name}` has the BLAKE3 hash {found}, which is not the one in the manifest")]
    Blake3 {
        /// The file.
        name: EntryName,
        /// The actual hash.
        found: Blake3,
    },
    /// A file's SHA-256 hash differs from its line.
    #[error("`{name}` has the SHA-256 hash {found}, which is not the one in the manifest")]
    Sha256 {
        /// The file.
        name: EntryName,
        /// The actual hash.
        found: Sha256,
    },
}

error_checks!(ManifestProblem: Unsorted, NotDescribed, Absent, Unlisted, Size, Blake3, Sha256; besides: Malformed);

/// A problem of a manifest, and its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManifestError {
    /// The line, counted from 1; `None` for a file without a line.
    pub line: Option<usize>,
    /// The problem.
    pub problem: ManifestProblem,
}

impl fmt::Display for ManifestError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(formatter, "{MANIFEST}, line {line}: {}", self.problem),
            None => write!(formatter, "{MANIFEST}: {}", self.problem),
        }
    }
}

impl std::error::Error for ManifestError {}

/// The digests of a package's files, by name.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Manifest {
    files: BTreeMap<EntryName, Digests>,
}

impl Manifest {
    /// The manifest of files with known digests.
    pub(crate) const fn of(files: BTreeMap<EntryName, Digests>) -> Self {
        Self { files }
    }

    /// Reads a manifest.
    ///
    /// # Errors
    /// The first line that is not the canonical line of its file.
    pub fn read(bytes: &[u8]) -> Result<Self, ManifestError> {
        let mut files: BTreeMap<EntryName, Digests> = BTreeMap::new();
        let mut last: Option<EntryName> = None;
        for (index, line) in bytes.split_inclusive(|byte| *byte == b'\n').enumerate() {
            let line_number = Some(index.saturating_add(1));
            let error = |problem| ManifestError { line: line_number, problem };
            let (name, digests) = described(line).ok_or(error(ManifestProblem::Malformed))?;
            if last.as_ref().is_some_and(|last| *last >= name) {
                ManifestProblem::Unsorted { name: name.clone() }.refuse().map_err(error)?;
            }
            if !name.is_in_manifest() {
                ManifestProblem::NotDescribed { name: name.clone() }.refuse().map_err(error)?;
            }
            last = Some(name.clone());
            files.insert(name, digests);
        }
        Ok(Self { files })
    }

    /// The text of the manifest.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.files.iter().flat_map(|(name, digests)| line(name, digests)).collect()
    }

    /// The digests of each file, in the order of the names.
    pub fn files(&self) -> impl Iterator<Item = (&EntryName, &Digests)> {
        self.files.iter()
    }

    /// The digests of the file with this name.
    pub fn digests(&self, name: &EntryName) -> Option<&Digests> {
        self.files.get(name)
    }

    /// Compares the manifest with the files of its package.
    ///
    /// # Errors
    /// The first file that is missing on one side, or that differs.
    pub(crate) fn compare(&self, archive: &Archive<'_>) -> Result<(), ManifestError> {
        for (index, (name, stated)) in self.files.iter().enumerate() {
            let line = Some(index.saturating_add(1));
            let refuse = |problem: ManifestProblem| {
                problem.refuse().map_err(|problem| ManifestError { line, problem })
            };
            let name = name.clone();
            let Some(bytes) = archive.file(name.as_str()) else {
                refuse(ManifestProblem::Absent { name })?;
                continue;
            };
            let found = Digests::of(bytes);
            if found.size != stated.size {
                let (found, stated) = (found.size, stated.size);
                refuse(ManifestProblem::Size { name: name.clone(), found, stated })?;
            }
            if found.blake3 != stated.blake3 {
                refuse(ManifestProblem::Blake3 { name: name.clone(), found: found.blake3 })?;
            }
            if found.sha256 != stated.sha256 {
                refuse(ManifestProblem::Sha256 { name, found: found.sha256 })?;
            }
        }
        for (name, _) in archive.files() {
            if name.is_in_manifest() && !self.files.contains_key(name) {
                ManifestProblem::Unlisted { name: name.clone() }
                    .refuse()
                    .map_err(|problem| ManifestError { line: None, problem })?;
            }
        }
        Ok(())
    }
}

fn line(name: &EntryName, digests: &Digests) -> Vec<u8> {
    let Digests { blake3, sha256, size } = digests;
    let mut line = Vec::new();
    // Writing to a `Vec` cannot fail.
    _ = writeln!(line, "{blake3} {sha256} {size} {name}");
    line
}

/// The content of a line, if the line is canonical.
fn described(bytes: &[u8]) -> Option<(EntryName, Digests)> {
    // Two hashes of 64 digits, a size of at most 20, and the longest name; a hostile line may be as long as a
    // file.
    if bytes.len() > 2 * 64 + 20 + LONGEST + 4 {
        return None;
    }
    let text = std::str::from_utf8(bytes).ok()?.strip_suffix('\n')?;
    let mut parts = text.splitn(4, ' ');
    let (blake3, sha256) = (parts.next()?, parts.next()?);
    let (size, name) = (parts.next()?, parts.next()?);
    let digests = Digests {
        blake3: blake3.parse().ok()?,
        sha256: sha256.parse().ok()?,
        size: size.parse().ok()?,
    };
    let name = EntryName::new(name).ok()?;
    (line(&name, &digests) == bytes).then_some((name, digests))
}
