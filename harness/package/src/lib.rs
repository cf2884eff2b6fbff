//! The package of a certification: its bytes, its statement and its signatures.
//!
//! A package is a canonical ustar archive. [`Package::read`] refuses an archive that has other bytes when it is written
//! again, and a file that the archive's `MANIFEST` does not describe. `statement.json` is an in-toto statement about
//! the manifest, and signatures are SSHSIG over the statement's bytes. JSON is read strictly.
//!
//! This crate opens no capture. Whether a package's claims are true, the harness decides
//! (`harness/certification/src/`).

mod archive;
mod draft;
mod entry_name;
mod hash;
pub mod json;
mod manifest;
mod namespace;
mod package;
mod signature;
mod signers;
mod signing;
mod statement;
#[cfg(test)]
mod tests;
mod timestamp;

pub use self::archive::{
    Archive, ArchiveError, ArchiveProblem, Contents, Limits, WriteError, write_archive,
};
pub use self::draft::{DraftError, PackageDraft, with_signature};
pub use self::entry_name::{
    CHALLENGE, CHALLENGE_SIGNATURE, ENVIRONMENT, EntryName, EntryNameError, LOCK, MANIFEST,
    PROFILE, RESULTS, REVIEW_SIGNATURE, RUN, SIGNATURE, STATEMENT,
};
pub use self::hash::{Blake3, HashError, Sha256};
pub use self::manifest::{Digests, Manifest, ManifestError, ManifestProblem};
pub use self::namespace::Namespace;
pub use self::package::{ArchiveBytes, Package, PackageError, VerifiedSigners};
pub use self::signature::{SignatureError, Signer};
pub use self::signers::{Revoked, Signers, SignersError, SignersProblem};
pub use self::signing::{SigningError, sign};
pub use self::statement::{
    ChallengeClaim, ChallengeKind, PREDICATE_TYPE, Predicate, ProfileClaim, STATEMENT_TYPE,
    Statement, StatementError, Subject, SubjectClaim, SubjectDigest, SubjectKind,
};
pub use self::timestamp::{Timestamp, TimestampError};
