//! The common part of two releases: the contract of jobs and reports, and the format of captures.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::worker::contract::{FormatVersion, SpokenVersions, listed};
use crate::worker::process::{NoAnswer, WorkerProgram};

/// The common part of this release and another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agreement {
    /// The newest contract of jobs that both support.
    pub contract: u32,
    /// The newest capture format that the other one reads.
    pub format: FormatVersion,
    /// Whether replays of the other one write readable notes of state.
    pub notes_state: bool,
    /// Whether replays of the other one write readable notes of writers.
    pub notes_writers: bool,
}

/// Another release's executable that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReleaseError {
    /// The executable does not report its versions.
    #[error(
        "{} does not say which versions it speaks ({reason}): it is no Hallmark, or one from before contract version 1",
        executable.display()
    )]
    Silent {
        /// The path.
        executable: PathBuf,
        /// Its behaviour instead.
        reason: NoAnswer,
    },
    /// The releases have no contract in common.
    #[error(
        "{} (hallmark {}) and this Hallmark ({}) have no contract of jobs and reports in common: it speaks {}, this one {}; use a release in between",
        executable.display(), theirs.hallmark, ours.hallmark, listed(&theirs.contracts), listed(&ours.contracts)
    )]
    NoContract {
        /// The path.
        executable: PathBuf,
        /// Its versions.
        theirs: Box<SpokenVersions>,
        /// This release's versions.
        ours: Box<SpokenVersions>,
    },
    /// The executable reads captures of another major version.
    #[error(
        "{} (hallmark {}) reads captures of format {}, and this Hallmark ({}) writes format {}; use a release of the same major version",
        executable.display(), theirs.hallmark, theirs.format, ours.hallmark, ours.format
    )]
    OtherFormat {
        /// The path.
        executable: PathBuf,
        /// Its versions.
        theirs: Box<SpokenVersions>,
        /// This release's versions.
        ours: Box<SpokenVersions>,
    },
}

/// Asks an executable once for its versions, and determines the common part.
///
/// # Errors
/// The releases have no common part, or the executable does not answer.
pub fn agree(executable: &Path) -> Result<Agreement, ReleaseError> {
    static KNOWN: Mutex<BTreeMap<PathBuf, Result<Agreement, ReleaseError>>> =
        Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    known.entry(executable.to_owned()).or_insert_with(|| ask(executable)).clone()
}

fn ask(executable: &Path) -> Result<Agreement, ReleaseError> {
    let program = WorkerProgram { executable: executable.to_owned() };
    let theirs = program
        .versions()
        .map_err(|reason| ReleaseError::Silent { executable: executable.to_owned(), reason })?;
    in_common(executable, SpokenVersions::here(), theirs)
}

fn in_common(
    executable: &Path,
    ours: SpokenVersions,
    theirs: SpokenVersions,
) -> Result<Agreement, ReleaseError> {
    let executable = executable.to_owned();
    let (ours, theirs) = (Box::new(ours), Box::new(theirs));
    if ours.format.major != theirs.format.major {
        return Err(ReleaseError::OtherFormat { executable, theirs, ours });
    }
    let both = ours.contracts.iter().filter(|contract| theirs.contracts.contains(contract));
    match both.max() {
        Some(&contract) => {
            let notes_state = theirs.state == ours.state;
            let notes_writers = theirs.writes == ours.writes;
            Ok(Agreement { contract, format: theirs.format, notes_state, notes_writers })
        }
        None => Err(ReleaseError::NoContract { executable, theirs, ours }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn speaking(contracts: &[u32], major: u16, minor: u16) -> SpokenVersions {
        SpokenVersions {
            hallmark: format!("0.{minor}.0"),
            contracts: contracts.to_vec(),
            format: FormatVersion { major, minor },
            state: u32::from(minor),
            writes: u32::from(minor),
        }
    }

    #[test]
    fn the_newest_contract_that_both_speak_is_taken() {
        let agree = |ours: &[u32], theirs: &[u32]| {
            in_common(Path::new("/old"), speaking(ours, 1, 4), speaking(theirs, 1, 2))
        };
        let agreed = |contract| Agreement {
            contract,
            format: FormatVersion { major: 1, minor: 2 },
            notes_state: false,
            notes_writers: false,
        };
        assert_eq!(agree(&[1], &[1]), Ok(agreed(1)));
        assert_eq!(agree(&[1, 2, 3], &[1, 2]), Ok(agreed(2)));
        assert_eq!(agree(&[2, 3], &[4, 2, 5]), Ok(agreed(2)));
        let error = agree(&[3, 4], &[1, 2]).unwrap_err().to_string();
        assert!(error.contains("it speaks 1 and 2, this one 3 and 4"), "{error}");
        assert!(agree(&[1], &[]).is_err());
        let same = in_common(Path::new("/old"), speaking(&[1], 1, 4), speaking(&[1], 1, 4));
        assert!(same.is_ok_and(|agreed| agreed.notes_state && agreed.notes_writers));
    }

    #[test]
    fn another_major_format_is_refused_with_both() {
        let error = in_common(Path::new("/old"), speaking(&[1], 2, 0), speaking(&[1], 1, 7));
        let error = error.unwrap_err().to_string();
        assert!(error.contains("format 1.7") && error.contains("format 2.0"), "{error}");
    }
}
