//! Names of a package's files, and which files a package has.

use std::fmt;

use hallmark_chip::error_checks;

use crate::hash::Blake3;

/// The in-toto statement, which is what is signed.
pub const STATEMENT: &str = "statement.json";
/// The submitter's signature of the statement.
pub const SIGNATURE: &str = "statement.json.sig";
/// A reviewer's signature of the statement.
pub const REVIEW_SIGNATURE: &str = "statement.json.sig.reviewer";
/// Sizes and hashes of all files but itself, the statement and the statement's signatures.
pub const MANIFEST: &str = "MANIFEST";
/// The conformance profile.
pub const PROFILE: &str = "profile.yaml";
/// The tests of the conformance profile, one a line.
pub const LOCK: &str = "profile.lock";
/// One line for each test that ran, in the order of the tests.
pub const RESULTS: &str = "results.jsonl";
/// The run's log, in the order of time.
pub const RUN: &str = "run.jsonl";
/// Where it ran. All of it is asserted.
pub const ENVIRONMENT: &str = "environment.json";
/// A reviewer's challenge.
pub const CHALLENGE: &str = "challenge.json";
/// The reviewer's signature of the challenge.
pub const CHALLENGE_SIGNATURE: &str = "challenge.json.sig";

/// The most bytes of a name: what a header of ustar holds without its field for a prefix.
pub(crate) const LONGEST: usize = 100;
/// The most components of a name.
const DEEPEST: usize = 8;

/// Why a name is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EntryNameError {
    /// It has no character.
    #[error("the name is empty")]
    Empty,
    /// It is longer than a header holds.
    #[error("the name has {bytes} bytes, and a name has at most {LONGEST}")]
    TooLong {
        /// How many bytes it has.
        bytes: usize,
    },
    /// It begins with a slash.
    #[error("the name is an absolute path")]
    Absolute,
    /// A component is `.` or `..`.
    #[error("the name holds `.` or `..`")]
    Relative,
    /// Two slashes stand side by side, or it ends with one.
    #[error("the name has an empty component")]
    EmptyComponent,
    /// A component begins with a dot, as a hidden file does, or with a dash, as an option does.
    #[error("a component of the name begins with `.` or `-`")]
    FirstCharacter,
    /// It holds something besides letters, digits, `.`, `_`, `-` and `/`.
    #[error("the name holds {character:?}; a name has letters, digits, `.`, `_` and `-`")]
    Character {
        /// The first such character.
        character: char,
    },
    /// It has too many components.
    #[error("the name has {components} components, and a name has at most {DEEPEST}")]
    TooDeep {
        /// How many it has.
        components: usize,
    },
}

error_checks!(EntryNameError: TooLong, Absolute, Relative, EmptyComponent, FirstCharacter, Character, TooDeep; besides: Empty);

/// The name of a file of a package: a path that means the same on every system and leads nowhere else.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntryName(String);

impl EntryName {
    /// A name that keeps the rules.
    ///
    /// # Errors
    /// The first rule that it breaks.
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

    /// One of the names of this file's constants.
    pub(crate) fn known(name: &'static str) -> Self {
        Self(name.to_owned())
    }

    /// Where a capture with this hash of its bytes lies.
    pub fn capture(hash: &Blake3) -> Self {
        Self(below("captures", hash, ".lmb"))
    }

    /// Where a blob with this hash lies.
    pub fn blob(hash: &Blake3) -> Self {
        Self(below("blobs", hash, ""))
    }

    /// Where a file of a firmware bundle lies.
    ///
    /// # Errors
    /// The architecture or the file is no component of a name.
    pub fn firmware(architecture: &str, file: &str) -> Result<Self, EntryNameError> {
        Self::new(&format!("firmware/{architecture}/{file}"))
    }

    /// Where a waiver lies; the approver's signature lies beside it, with `.sig` at the end.
    ///
    /// # Errors
    /// The waiver's id is no component of a name.
    pub fn waiver(id: &str) -> Result<Self, EntryNameError> {
        Self::new(&format!("waivers/{id}.yaml"))
    }

    /// The name as a path with slashes.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The hash that a name of a capture or of a blob states.
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

    /// Whether a package may have a file of this name.
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

/// A name below `captures/` or `blobs/` that states no hash.
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
