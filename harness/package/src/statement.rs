//! `statement.json`: the signed in-toto statement about a package's manifest.
//!
//! The form is [in-toto Statement v1](https://github.com/in-toto/attestation/blob/main/spec/v1/statement.md).
//! Its subjects are the manifest, the lock of the conformance profile and the firmware's files; its predicate
//! is the submitter's claim.

use std::collections::{BTreeMap, BTreeSet};

use hallmark_chip::error_checks;
use serde::{Deserialize, Serialize};

use crate::entry_name::{LOCK, MANIFEST};
use crate::hash::{Blake3, Sha256};
use crate::json::{self, JsonError};
use crate::manifest::{Digests, Manifest};
use crate::timestamp::Timestamp;

/// The type of an in-toto statement of version 1.
pub const STATEMENT_TYPE: &str = "https://in-toto.io/Statement/v1";

/// The type of a predicate of the form [`Predicate`]. A predicate with other fields has another type. A UUID is
/// a globally unique name without a domain (RFC 9562); the part after `#` is the version.
pub const PREDICATE_TYPE: &str =
    "urn:uuid:6f2c7a6e-0d3b-4d0e-9c51-8e5a4b7f19d2#hallmark-package-v1";

/// Why a statement is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StatementError {
    /// The text is not the JSON of a statement.
    #[error(transparent)]
    Json(JsonError),
    /// The statement is not an in-toto statement of version 1.
    #[error("the statement is of the type {found:?}, and not {STATEMENT_TYPE:?}")]
    StatementType {
        /// Its type.
        found: String,
    },
    /// The predicate is not a certification result, or has another version.
    #[error(
        "the predicate is of the type {found:?}, and this reader knows {PREDICATE_TYPE:?}; another release of Hallmark may know the type"
    )]
    PredicateType {
        /// Its type.
        found: String,
    },
    /// The statement has no subject.
    #[error("the statement has no subject")]
    NoSubject,
    /// A duplicate subject.
    #[error("the subject `{name}` stands twice")]
    SubjectTwice {
        /// The subject.
        name: String,
    },
    /// A file that is missing among the subjects.
    #[error("`{name}` is in the package, and no subject of the statement")]
    SubjectAbsent {
        /// The file.
        name: String,
    },
    /// A subject that is not among the files that a statement covers.
    #[error("the subject `{name}` is not the manifest, the lock or a file of the firmware")]
    SubjectUnknown {
        /// The subject.
        name: String,
    },
    /// A subject whose hash differs from the file's.
    #[error("the subject `{name}` has other hashes than the package's file")]
    SubjectHash {
        /// The subject.
        name: String,
    },
    /// The subjects are out of order.
    #[error("the subjects are not in the order of their names")]
    SubjectOrder,
    /// The package was made after the time of verification.
    #[error("the package was made at {made}, which is after the time of verification, {at}")]
    FromTheFuture {
        /// The time at which it was made.
        made: Timestamp,
        /// The time of verification.
        at: Timestamp,
    },
}

error_checks!(pub(crate) StatementError: StatementType, PredicateType, NoSubject, SubjectTwice, SubjectAbsent, SubjectUnknown, SubjectHash, SubjectOrder, FromTheFuture; besides: Json);

/// The hashes of a subject, with in-toto's names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SubjectDigest {
    /// The BLAKE3 hash.
    pub blake3: Blake3,
    /// The SHA-256 hash.
    pub sha256: Sha256,
}

/// A file that the statement covers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Subject {
    /// Its name in the package.
    pub name: String,
    /// Its hashes.
    pub digest: SubjectDigest,
}

/// The conformance profile that the package claims to fulfil.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProfileClaim {
    /// Its name.
    pub name: String,
    /// Its edition.
    pub edition: String,
    /// The hash of its lock.
    pub lock: Blake3,
}

/// The kind of the tested subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SubjectKind {
    /// A simulator, or its library.
    Simulator,
    /// A release of TT-Metalium.
    Metalium,
    /// A bundle of firmware.
    Firmware,
    /// A board with its own firmware.
    Board,
}

impl SubjectKind {
    /// Its name in statements, conformance profiles and messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Simulator => "simulator",
            Self::Metalium => "metalium",
            Self::Firmware => "firmware",
            Self::Board => "board",
        }
    }
}

/// The tested subject, as the submitter names it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SubjectClaim {
    /// The kind of subject.
    pub kind: SubjectKind,
    /// Its name, with its version.
    pub name: String,
    /// The hash of its file, if it is a file.
    pub hash: Option<Blake3>,
}

/// The origin of the challenge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ChallengeKind {
    /// A reviewer.
    Reviewer,
    /// The submitter; such a challenge proves only diligence.
    Own,
}

/// The challenge of the second run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChallengeClaim {
    /// The origin of the challenge.
    pub kind: ChallengeKind,
    /// The hash of `challenge.json`.
    pub hash: Blake3,
}

/// The submitter's claim.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Predicate {
    /// The package's name.
    pub name: String,
    /// The conformance profile.
    pub profile: ProfileClaim,
    /// The release of Hallmark that made the package.
    pub hallmark: String,
    /// The tested subject.
    pub subject: SubjectClaim,
    /// The time at which the package was made.
    pub made: Timestamp,
    /// Whether the run left out parts that only a certification needs.
    pub draft: bool,
    /// The challenge, if there was a second run.
    pub challenge: Option<ChallengeClaim>,
    /// The number of results of each verdict.
    pub totals: BTreeMap<String, u64>,
}

/// An in-toto statement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Statement {
    /// [`STATEMENT_TYPE`].
    #[serde(rename = "_type")]
    pub statement_type: String,
    /// The covered files, sorted by name.
    pub subject: Vec<Subject>,
    /// [`PREDICATE_TYPE`].
    #[serde(rename = "predicateType")]
    pub predicate_type: String,
    /// The claim.
    pub predicate: Predicate,
}

impl Statement {
    /// The statement about a package with this manifest.
    pub(crate) fn about(manifest: &Manifest, predicate: Predicate) -> Self {
        Self {
            statement_type: STATEMENT_TYPE.to_owned(),
            subject: subjects(manifest),
            predicate_type: PREDICATE_TYPE.to_owned(),
            predicate,
        }
    }

    /// Reads a statement and compares its subjects with the package's manifest.
    ///
    /// # Errors
    /// The statement is of another kind, covers another package, or was made after `at`.
    pub(crate) fn read(
        bytes: &[u8],
        manifest: &Manifest,
        at: Timestamp,
    ) -> Result<Self, StatementError> {
        let this: Self = json::read(bytes).map_err(StatementError::Json)?;
        if this.statement_type != STATEMENT_TYPE {
            StatementError::StatementType { found: this.statement_type.clone() }.refuse()?;
        }
        if this.predicate_type != PREDICATE_TYPE {
            StatementError::PredicateType { found: this.predicate_type.clone() }.refuse()?;
        }
        this.compare_subjects(manifest)?;
        let made = this.predicate.made;
        if made > at {
            StatementError::FromTheFuture { made, at }.refuse()?;
        }
        Ok(this)
    }

    fn compare_subjects(&self, manifest: &Manifest) -> Result<(), StatementError> {
        if self.subject.is_empty() {
            StatementError::NoSubject.refuse()?;
        }
        let expected = subjects(manifest);
        let mut seen = BTreeSet::new();
        for Subject { name, digest } in &self.subject {
            if !seen.insert(name.as_str()) {
                StatementError::SubjectTwice { name: name.clone() }.refuse()?;
            }
            match expected.iter().find(|subject| subject.name == *name) {
                None => StatementError::SubjectUnknown { name: name.clone() }.refuse()?,
                Some(subject) if subject.digest != *digest => {
                    StatementError::SubjectHash { name: name.clone() }.refuse()?;
                }
                Some(_) => {}
            }
        }
        if let Some(absent) = expected.iter().find(|subject| !seen.contains(subject.name.as_str()))
        {
            StatementError::SubjectAbsent { name: absent.name.clone() }.refuse()?;
        }
        if !self.subject.is_sorted_by(|one, next| one.name <= next.name) {
            StatementError::SubjectOrder.refuse()?;
        }
        Ok(())
    }
}

/// The files that a statement about this manifest covers.
fn subjects(manifest: &Manifest) -> Vec<Subject> {
    let subject = |name: &str, digests: &Digests| {
        let digest = SubjectDigest { blake3: digests.blake3, sha256: digests.sha256 };
        Subject { name: name.to_owned(), digest }
    };
    let of_manifest = subject(MANIFEST, &Digests::of(&manifest.to_bytes()));
    let files = manifest.files().filter(|(name, _)| {
        let name = name.as_str();
        name == LOCK || name.starts_with("firmware/")
    });
    let files = files.map(|(name, digests)| subject(name.as_str(), digests));
    // Capital letters sort before small ones.
    std::iter::once(of_manifest).chain(files).collect()
}
