//! A package that was read: the files of a canonical archive, each as its manifest describes it.

use hallmark_chip::error_checks;

use crate::archive::{Archive, ArchiveError, Limits};
use crate::entry_name::{
    ENVIRONMENT, EntryName, LOCK, MANIFEST, PROFILE, RESULTS, REVIEW_SIGNATURE, RUN, SIGNATURE,
    STATEMENT,
};
use crate::hash::Blake3;
use crate::manifest::{Manifest, ManifestError};
use crate::namespace::Namespace;
use crate::signature::{SignatureError, Signer};
use crate::signers::{Revoked, Signers};
use crate::statement::{Statement, StatementError};
use crate::timestamp::Timestamp;

/// Files that every package has.
const NEEDED: [&str; 7] = [MANIFEST, STATEMENT, PROFILE, LOCK, RESULTS, RUN, ENVIRONMENT];

/// Why bytes are no package.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PackageError {
    /// They are no canonical archive.
    #[error(transparent)]
    Archive(ArchiveError),
    /// A file is not there that every package has.
    #[error("`{name}` is not in the package")]
    Absent {
        /// The file.
        name: &'static str,
    },
    /// No package has a file of this name.
    #[error("`{name}` is no file of a package")]
    UnknownFile {
        /// The file.
        name: EntryName,
    },
    /// The manifest is wrong, or a file is not the one that it describes.
    #[error(transparent)]
    Manifest(ManifestError),
    /// A capture or a blob has another hash than its name says.
    #[error("`{name}` does not hold what its name says: its hash is {found}")]
    NameOfAnother {
        /// The file.
        name: EntryName,
        /// The hash of what it holds.
        found: Blake3,
    },
}

/// Whose signatures of a statement were verified.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VerifiedSigners {
    /// Who submitted the package, if it is signed.
    pub submitter: Option<Signer>,
    /// Who reviewed the package, if it is countersigned.
    pub reviewer: Option<Signer>,
}

error_checks!(PackageError: Absent, UnknownFile, NameOfAnother; besides: Archive, Manifest);

/// A package whose files are those of its manifest. Nothing that they say has been believed yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Package<'a> {
    archive: Archive<'a>,
    manifest: Manifest,
}

impl<'a> Package<'a> {
    /// Reads a package from its bytes, without copying a file.
    ///
    /// # Errors
    /// The bytes are no canonical archive within the limits, or its files are not those that its manifest describes.
    pub fn read(bytes: &'a [u8], limits: &Limits) -> Result<Self, PackageError> {
        let archive = Archive::read(bytes, limits).map_err(PackageError::Archive)?;
        for name in NEEDED {
            if archive.file(name).is_none() {
                PackageError::Absent { name }.refuse()?;
            }
        }
        if let Some((name, _)) = archive.files().find(|(name, _)| !name.is_known()) {
            PackageError::UnknownFile { name: name.clone() }.refuse()?;
        }
        let manifest = archive.file(MANIFEST).unwrap_or_default();
        let manifest = Manifest::read(manifest).map_err(PackageError::Manifest)?;
        manifest.compare(&archive).map_err(PackageError::Manifest)?;
        for (name, _) in archive.files() {
            let (Some(Ok(stated)), Some(digests)) = (name.stated_hash(), manifest.digests(name))
            else {
                continue;
            };
            if stated != digests.blake3 {
                let found = digests.blake3;
                PackageError::NameOfAnother { name: name.clone(), found }.refuse()?;
            }
        }
        Ok(Self { archive, manifest })
    }

    /// What a file holds.
    pub fn file(&self, name: &str) -> Option<&'a [u8]> {
        self.archive.file(name)
    }

    /// All files in the order of their names.
    pub fn files(&self) -> impl Iterator<Item = (&EntryName, &'a [u8])> {
        self.archive.files()
    }

    /// The capture whose bytes have this hash.
    pub fn capture(&self, hash: &Blake3) -> Option<&'a [u8]> {
        self.file(EntryName::capture(hash).as_str())
    }

    /// The blob that has this hash.
    pub fn blob(&self, hash: &Blake3) -> Option<&'a [u8]> {
        self.file(EntryName::blob(hash).as_str())
    }

    /// Sizes and hashes of the files.
    pub const fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Whether the submitter signed the package.
    pub fn is_signed(&self) -> bool {
        self.file(SIGNATURE).is_some()
    }

    /// Verifies every signature of the statement. One that is wrong is an error, whatever the others
    /// are.
    ///
    /// # Errors
    /// The first signature that is not one of this statement by somebody who may sign in its role, with its file's name.
    pub fn verify_signatures(
        &self,
        signers: &Signers,
        revoked: &Revoked,
        at: Timestamp,
    ) -> Result<VerifiedSigners, (&'static str, SignatureError)> {
        let statement = self.file(STATEMENT).unwrap_or_default();
        let verified = |name, role| {
            let signature = self.file(name);
            let verify = |signature| signers.verify(statement, signature, role, at, revoked);
            signature.map(verify).transpose().map_err(|error| (name, error))
        };
        Ok(VerifiedSigners {
            submitter: verified(SIGNATURE, Namespace::Package)?,
            reviewer: verified(REVIEW_SIGNATURE, Namespace::Review)?,
        })
    }

    /// What the statement says. It is about this package, and was made at `at` or before.
    ///
    /// # Errors
    /// It is no statement of this kind, not about these files, or from after `at`.
    pub fn statement(&self, at: Timestamp) -> Result<Statement, StatementError> {
        Statement::read(self.file(STATEMENT).unwrap_or_default(), &self.manifest, at)
    }
}
