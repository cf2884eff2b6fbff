//! A package under construction.

use std::collections::BTreeMap;
use std::io::Write;

use crate::archive::{Archive, ArchiveError, Contents, Limits, WriteError, write_archive};
use crate::entry_name::{EntryName, MANIFEST, STATEMENT};
use crate::json;
use crate::manifest::{Digests, Manifest};
use crate::statement::{Predicate, Statement};

/// A package that cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum DraftError {
    /// A name that no package has, or that is reserved for generated files.
    #[error("`{name}` is no file that can be added to a package")]
    UnknownFile {
        /// The file.
        name: EntryName,
    },
    /// Two files with the same name and different contents.
    #[error("`{name}` is in the package already, with other contents")]
    Twice {
        /// The file.
        name: EntryName,
    },
    /// The archive cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The package to sign cannot be read.
    #[error(transparent)]
    Read(#[from] ArchiveError),
    /// The statement cannot be serialized.
    #[error("the statement cannot be written: {0}")]
    Statement(#[from] serde_json::Error),
}

/// The files of a package under construction, without manifest, statement and signatures.
#[derive(Clone, Debug, Default)]
pub struct PackageDraft<'a> {
    files: BTreeMap<EntryName, Contents<'a>>,
}

impl<'a> PackageDraft<'a> {
    /// An empty draft.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file. The same content may be added again under the same name.
    ///
    /// # Errors
    /// No package has a file of this name, or the draft has it with other content.
    pub fn add(&mut self, name: EntryName, contents: Contents<'a>) -> Result<(), DraftError> {
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

    /// Writes the package: its files, their manifest, and a statement with `predicate` as its claim about them.
    ///
    /// # Errors
    /// A file cannot be read, `into` fails, or the package would exceed the readers' limits.
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

/// The package with a signature of its statement added. `name` is [`SIGNATURE`](crate::SIGNATURE) or
/// [`REVIEW_SIGNATURE`](crate::REVIEW_SIGNATURE); an existing signature of that name is replaced.
///
/// # Errors
/// The package is not canonical, or cannot be written.
pub fn with_signature(
    package: &[u8],
    name: &'static str,
    signature: Vec<u8>,
    into: impl Write,
) -> Result<(), DraftError> {
    let archive = Archive::read(package, &Limits::default())?;
    let files = archive.files().map(|(name, bytes)| (name.clone(), Contents::Borrowed(bytes)));
    let mut files: BTreeMap<EntryName, Contents<'_>> = files.collect();
    files.insert(EntryName::known(name), Contents::Bytes(signature));
    Ok(write_archive(&files, into)?)
}
