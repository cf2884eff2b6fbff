//! A package that is being made.

use std::collections::BTreeMap;
use std::io::Write;

use crate::archive::{Archive, ArchiveError, Contents, Limits, WriteError, write_archive};
use crate::entry_name::{EntryName, MANIFEST, STATEMENT};
use crate::json;
use crate::manifest::{Digests, Manifest};
use crate::statement::{Predicate, Statement};

/// Why a package cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum DraftError {
    /// No package has a file of this name, or its maker writes the file.
    #[error("`{name}` is no file that can be added to a package")]
    UnknownFile {
        /// The file.
        name: EntryName,
    },
    /// Two files with other contents have one name.
    #[error("`{name}` is in the package already, with other contents")]
    Twice {
        /// The file.
        name: EntryName,
    },
    /// The archive cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// A package to be signed cannot be read.
    #[error(transparent)]
    Read(#[from] ArchiveError),
    /// The statement has no JSON.
    #[error("the statement cannot be written: {0}")]
    Statement(#[from] serde_json::Error),
}

/// The files of a package that is being made, without manifest, statement and signatures.
#[derive(Clone, Debug, Default)]
pub struct PackageDraft {
    files: BTreeMap<EntryName, Contents>,
}

impl PackageDraft {
    /// One without files.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file. The same contents under the same name may be added again.
    ///
    /// # Errors
    /// No package has such a file, or it is there with other contents.
    pub fn add(&mut self, name: EntryName, contents: Contents) -> Result<(), DraftError> {
        if !name.is_known() || !name.is_in_manifest() {
            return Err(DraftError::UnknownFile { name });
        }
        match self.files.get(&name) {
            Some(present) if *present != contents => Err(DraftError::Twice { name }),
            _ => {
                self.files.insert(name, contents);
                Ok(())
            }
        }
    }

    /// Writes the package: its files, the manifest of them, and a statement that claims `predicate` about them.
    ///
    /// # Errors
    /// A file cannot be read, `into` takes no more bytes, or the package would be past the limits of its reader.
    pub fn write(mut self, predicate: Predicate, into: impl Write) -> Result<(), DraftError> {
        let mut digests = BTreeMap::new();
        for (name, contents) in &self.files {
            let (_, reader) = contents.open(name)?;
            let found = Digests::of_reader(reader).map_err(WriteError::Write)?;
            digests.insert(name.clone(), found);
        }
        let manifest = Manifest::of(digests);
        let statement = json::write(&Statement::about(&manifest, predicate))?;
        self.files.insert(EntryName::known(MANIFEST), Contents::Bytes(manifest.to_bytes()));
        self.files.insert(EntryName::known(STATEMENT), Contents::Bytes(statement));
        Ok(write_archive(&self.files, into)?)
    }
}

/// A package with a signature of its statement more. `name` is [`SIGNATURE`](crate::SIGNATURE) or
/// [`REVIEW_SIGNATURE`](crate::REVIEW_SIGNATURE); a signature of that name is replaced.
///
/// # Errors
/// The package is no canonical archive, or cannot be written.
pub fn with_signature(
    package: &[u8],
    name: &'static str,
    signature: Vec<u8>,
    into: impl Write,
) -> Result<(), DraftError> {
    let archive = Archive::read(package, &Limits::default())?;
    let files =
        archive.files().map(|(name, bytes)| (name.clone(), Contents::Bytes(bytes.to_vec())));
    let mut files: BTreeMap<EntryName, Contents> = files.collect();
    files.insert(EntryName::known(name), Contents::Bytes(signature));
    Ok(write_archive(&files, into)?)
}
