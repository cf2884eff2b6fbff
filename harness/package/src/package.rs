//! A package: the files of a canonical archive that match its manifest.

use std::ops::Deref;
use std::sync::Arc;

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

/// The files of every package.
const NEEDED: [&str; 7] = [MANIFEST, STATEMENT, PROFILE, LOCK, RESULTS, RUN, ENVIRONMENT];

/// Why bytes are not a package.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PackageError {
    /// The bytes are not a canonical archive.
    #[error(transparent)]
    Archive(ArchiveError),
    /// A required file is missing.
    #[error("`{name}` is not in the package")]
    Absent {
        /// The file.
        name: &'static str,
    },
    /// A file name that no package contains.
    #[error("`{name}` is no file of a package")]
    UnknownFile {
        /// The file.
        name: EntryName,
    },
    /// The manifest is invalid, or does not match a file.
    #[error(transparent)]
    Manifest(ManifestError),
    /// A capture or blob whose hash differs from its name.
    #[error("`{name}` does not hold what its name says: its hash is {found}")]
    NameOfAnother {
        /// The file.
        name: EntryName,
        /// The actual hash.
        found: Blake3,
    },
}

/// The signers of a statement whose signatures were verified.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VerifiedSigners {
    /// The submitter, if the package is signed.
    pub submitter: Option<Signer>,
    /// The reviewer, if the package is countersigned.
    pub reviewer: Option<Signer>,
}

error_checks!(PackageError: Absent, UnknownFile, NameOfAnother; besides: Archive, Manifest);

/// The bytes of an archive with several owners, so that parts of them need no copy. A clone does not copy them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArchiveBytes(Arc<Vec<u8>>);

impl From<Vec<u8>> for ArchiveBytes {
    fn from(bytes: Vec<u8>) -> Self {
        Self(Arc::new(bytes))
    }
}

impl AsRef<[u8]> for ArchiveBytes {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl Deref for ArchiveBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

/// A package whose files match its manifest. Their content is not trusted yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Package<'a> {
    archive: Archive<'a>,
    manifest: Manifest,
    owner: Option<ArchiveBytes>,
}

impl<'a> Package<'a> {
    /// Reads a package from its bytes, without copying a file.
    ///
    /// # Errors
    /// The bytes are not a canonical archive within the limits, or the files do not match the manifest.
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
        Ok(Self { archive, manifest, owner: None })
    }

    /// As [`Package::read`], for bytes with several owners: parts of the package can be kept without a copy.
    ///
    /// # Errors
    /// As of [`Self::read`].
    pub fn read_shared(bytes: &'a ArchiveBytes, limits: &Limits) -> Result<Self, PackageError> {
        let package = Self::read(bytes, limits)?;
        Ok(Self { owner: Some(bytes.clone()), ..package })
    }

    /// The bytes of the archive, if they have several owners.
    pub const fn owner(&self) -> Option<&ArchiveBytes> {
        self.owner.as_ref()
    }

    /// The content of a file.
    pub fn file(&self, name: &str) -> Option<&'a [u8]> {
        self.archive.file(name)
    }

    /// All files, sorted by name.
    pub fn files(&self) -> impl Iterator<Item = (&EntryName, &'a [u8])> {
        self.archive.files()
    }

    /// The capture with this hash.
    pub fn capture(&self, hash: &Blake3) -> Option<&'a [u8]> {
        self.file(EntryName::capture(hash).as_str())
    }

    /// The blob with this hash.
    pub fn blob(&self, hash: &Blake3) -> Option<&'a [u8]> {
        self.file(EntryName::blob(hash).as_str())
    }

    /// The sizes and hashes of the files.
    pub const fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Whether the submitter signed the package.
    pub fn is_signed(&self) -> bool {
        self.file(SIGNATURE).is_some()
    }

    /// Verifies every signature of the statement. An invalid one is an error, even if the others are valid.
    ///
    /// # Errors
    /// The first signature that does not match this statement, or whose signer may not sign in its role, with
    /// its file's name.
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

    /// The statement. It describes this package, and was made at `at` or before.
    ///
    /// # Errors
    /// The statement is of another kind, describes other files, or was made after `at`.
    pub fn statement(&self, at: Timestamp) -> Result<Statement, StatementError> {
        Statement::read(self.file(STATEMENT).unwrap_or_default(), &self.manifest, at)
    }
}
