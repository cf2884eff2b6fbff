//! Names of a package's files, and the set of files of a package.

use std::fmt;

use hallmark_chip::error_checks;

use crate::hash::Blake3;

/// The in-toto statement, the signed file.
pub const STATEMENT: &str = "statement.json";
/// The submitter's signature of the statement.
pub const SIGNATURE: &str = "statement.json.sig";
/// A reviewer's signature of the statement.
pub const REVIEW_SIGNATURE: &str = "statement.json.sig.reviewer";
/// Sizes and hashes of all files except itself, the statement and the statement's signatures.
pub const MANIFEST: &str = "MANIFEST";
/// The conformance profile.
pub const PROFILE: &str = "profile.yaml";
/// The tests of the conformance profile, one per line.
pub const LOCK: &str = "profile.lock";
/// One line for each test that ran, sorted by test.
pub const RESULTS: &str = "results.jsonl";
/// The run's log, in chronological order.
pub const RUN: &str = "run.jsonl";
/// The environment of the run. All of it is asserted.
pub const ENVIRONMENT: &str = "environment.json";
/// A reviewer's challenge.
pub const CHALLENGE: &str = "challenge.json";
/// The reviewer's signature of the challenge.
pub const CHALLENGE_SIGNATURE: &str = "challenge.json.sig";

/// The longest name in bytes: the size of a ustar header's name field, without the prefix field.
pub(crate) const LONGEST: usize = 100;
/// The largest number of components of a name.
const DEEPEST: usize = 8;

/// An invalid name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EntryNameError {
    /// The name is empty.
    #[error("the name is empty")]
    Empty,
    /// The name does not fit into a header.
    #[error("the name has {bytes} bytes, and a name has at most {LONGEST}")]
    TooLong {
        /// Its length in bytes.
        bytes: usize,
    },
    /// The name begins with a slash.
    #[error("the name is an absolute path")]
    Absolute,
    /// A component is `.` or `..`.
    #[error("the name holds `.` or `..`")]
    Relative,
    /// Two adjacent slashes, or a trailing slash.
    #[error("the name has an empty component")]
    EmptyComponent,
    /// A component begins with a dot, like a hidden file, or with a dash, like an option.
    #[error("a component of the name begins with `.` or `-`")]
    FirstCharacter,
    /// A character other than letters, digits, `.`, `_`, `-` and `/`.
    #[error("the name holds {character:?}; a name has letters, digits, `.`, `_` and `-`")]
    Character {
        /// The first such character.
        character: char,
    },
    /// The name has too many components.
    #[error("the name has {components} components, and a name has at most {DEEPEST}")]
    TooDeep {
        /// The number of components.
        components: usize,
    },
}

error_checks!(EntryNameError: TooLong, Absolute, Relative, EmptyComponent, FirstCharacter, Character, TooDeep; besides: Empty);

/// The name of a file of a package: a relative path with the same meaning on every system.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntryName(String);

impl EntryName {
    /// A valid name.
    ///
    /// # Errors
    /// The first rule that the name breaks.
    pub fn new(name: &str) -> Result<Self, EntryNameError> {
        if name.is_empty() {
            return Err(EntryNameError::Empty);
        }
        if name.len() > LONGEST {
            EntryNameError::TooLong { bytes: name.len() }.refuse()?;
        }
        if name.starts_with('/') {
            EntryNameError::Absolute.refuse()?;
        }
        let allowed = |character: char| {
            character.is_ascii_alphanumeric() || matches!(character, '.' | '_' | '-' | '/')
        };
        if let Some(character) = name.chars().find(|character| !allowed(*character)) {
            EntryNameError::Character { character }.refuse()?;
        }
        for component in name.split('/') {
            match component {
                "" => EntryNameError::EmptyComponent.refuse()?,
                "." | ".." => EntryNameError::Relative.refuse()?,
                other if other.starts_with(['.', '-']) => {
                    EntryNameError::FirstCharacter.refuse()?
                }
                _ => {}
            }
        }
        let components = name.split('/').count();
        if components > DEEPEST {
            EntryNameError::TooDeep { components }.refuse()?;
        }
        Ok(Self(name.to_owned()))
    }

    /// A name from this file's constants.
    pub(crate) fn known(name: &'static str) -> Self {
        Self(name.to_owned())
    }

    /// The name of the capture whose bytes have this hash.
    pub fn capture(hash: &Blake3) -> Self {
        Self(below("captures", hash, ".lmb"))
    }

    /// The name of the blob with this hash.
    pub fn blob(hash: &Blake3) -> Self {
        Self(below("blobs", hash, ""))
    }

    /// The name of a file of a firmware bundle.
    ///
    /// # Errors
    /// The architecture or the file name is not a valid component.
    pub fn firmware(architecture: &str, file: &str) -> Result<Self, EntryNameError> {
        Self::new(&format!("firmware/{architecture}/{file}"))
    }

    /// The name of a waiver. The approver's signature has the same name with `.sig` appended.
    ///
    /// # Errors
    /// The waiver's id is not a valid component.
    pub fn waiver(id: &str) -> Result<Self, EntryNameError> {
        Self::new(&format!("waivers/{id}.yaml"))
    }

    /// The name as a path with slashes.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The hash in the name of a capture or blob.
    pub(crate) fn stated_hash(&self) -> Option<Result<Blake3, UnknownName>> {
        let hash = |rest: &str, ending| {
            let (folder, file) = rest.split_once('/').ok_or(UnknownName)?;
            let digits = file.strip_suffix(ending).ok_or(UnknownName)?;
            if digits.get(..2) == Some(folder) {
                digits.parse().map_err(|_| UnknownName)
            } else {
                Err(UnknownName)
            }
        };
        if let Some(rest) = self.0.strip_prefix("captures/") {
            return Some(hash(rest, ".lmb"));
        }
        self.0.strip_prefix("blobs/").map(|rest| hash(rest, ""))
    }

    /// Whether a package may contain a file of this name.
    pub(crate) fn is_known(&self) -> bool {
        const ALONE: [&str; 11] = [
            STATEMENT,
            SIGNATURE,
            REVIEW_SIGNATURE,
            MANIFEST,
            PROFILE,
            LOCK,
            RESULTS,
            RUN,
            ENVIRONMENT,
            CHALLENGE,
            CHALLENGE_SIGNATURE,
        ];
        if let Some(stated) = self.stated_hash() {
            return stated.is_ok();
        }
        let parts: Vec<&str> = self.0.split('/').collect();
        match parts.as_slice() {
            [file] => ALONE.contains(file),
            ["waivers", file] => file.ends_with(".yaml") || file.ends_with(".yaml.sig"),
            ["firmware", _, _] => true,
            _ => false,
        }
    }

    /// Whether the manifest describes this file.
    pub fn is_in_manifest(&self) -> bool {
        ![STATEMENT, SIGNATURE, REVIEW_SIGNATURE, MANIFEST].contains(&self.0.as_str())
    }
}

/// A name below `captures/` or `blobs/` without a hash.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UnknownName;

fn below(folder: &str, hash: &Blake3, ending: &str) -> String {
    let digits = hash.to_string();
    format!("{folder}/{}/{digits}{ending}", digits.get(..2).unwrap_or_default())
}

impl fmt::Display for EntryName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}
