//! The sought failure of a search along versions or parts: the one that a user names, or the first one that
//! occurs.

use std::sync::{Mutex, PoisonError};

use hallmark_pipeline::signature::{MatchLevel, Signature};
use hallmark_search::Answer;

use super::probe::{ProbeResult, Reference, Sought};

/// The sought failure of a search, as soon as it is known.
#[derive(Debug)]
pub struct SoughtFailure {
    signature: Mutex<Option<Signature>>,
    level: MatchLevel,
}

impl SoughtFailure {
    /// The failure with a signature; without one, the first failure that occurs.
    pub const fn new(signature: Option<Signature>, level: MatchLevel) -> Self {
        Self { signature: Mutex::new(signature), level }
    }

    /// The settings that make a prober name every failure; the comparison happens here.
    pub const fn prober_names_all(reference: Reference) -> Sought {
        let any = Signature::Hang { program: None };
        Sought { signature: Some(any), level: MatchLevel::Same, reference }
    }

    /// Its signature, if it is known.
    pub fn signature(&self) -> Option<Signature> {
        self.signature.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The answer of a probe, with the reason if it gives none: another failure than the sought one gives none.
    pub fn answer(&self, result: &ProbeResult) -> (Answer, Option<String>) {
        let hang = Signature::Hang { program: None };
        let failed = match result {
            ProbeResult::Passed => return (Answer::Passes, None),
            ProbeResult::CannotTell(reason) => {
                return (Answer::CannotTell, Some(reason.to_string()));
            }
            // The placeholder that makes the prober name all failures.
            ProbeResult::Same => &hang,
            ProbeResult::Other(signature) => signature,
        };
        let mut sought = self.signature.lock().unwrap_or_else(PoisonError::into_inner);
        let sought = sought.get_or_insert_with(|| failed.clone());
        if sought.matches(failed, self.level) {
            (Answer::Fails, None)
        } else {
            (Answer::CannotTell, Some(format!("it fails otherwise: {failed}")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn crash(signal: i32) -> Signature {
        let end = hallmark_pipeline::signature::ProcessEnd::Signal(signal);
        Signature::Crash { end, frame: None }
    }

    #[test]
    fn the_first_failure_that_shows_is_the_one_looked_for() {
        let sought = SoughtFailure::new(None, MatchLevel::Same);
        assert_eq!(sought.answer(&ProbeResult::Passed), (Answer::Passes, None));
        assert_eq!(sought.signature(), None);
        assert_eq!(sought.answer(&ProbeResult::Other(crash(11))).0, Answer::Fails);
        let (answer, reason) = sought.answer(&ProbeResult::Other(crash(6)));
        assert_eq!(answer, Answer::CannotTell);
        assert_eq!(reason.unwrap(), format!("it fails otherwise: {}", crash(6)));
        assert_eq!(sought.signature(), Some(crash(11)));
    }

    #[test]
    fn a_level_says_which_failures_are_the_one_looked_for() {
        let sought = SoughtFailure::new(Some(crash(11)), MatchLevel::Any);
        assert_eq!(sought.answer(&ProbeResult::Other(crash(6))).0, Answer::Fails);
        // The prober itself seeks a hang.
        let sought = SoughtFailure::new(Some(crash(11)), MatchLevel::Same);
        assert_eq!(sought.answer(&ProbeResult::Same).0, Answer::CannotTell);
    }
}
