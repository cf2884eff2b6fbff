//! A reviewer's challenge: 32 bytes that were unknown when the subject was made. They shift the seed of every
//! generator in a second pass over the tests, so that no result of that pass can have been prepared in advance.

use hallmark_package::{ChallengeKind, Timestamp, json};
use hallmark_schema::model::ContentHash;
use serde::{Deserialize, Serialize};

use hallmark_suite::name::TestName;

/// Seconds of a day.
const DAY: i64 = 86_400;

/// `challenge.json`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Challenge {
    /// The 32 bytes.
    pub challenge: ContentHash,
    /// The time of issue.
    pub issued: Timestamp,
    /// The issuer.
    pub by: ChallengeKind,
}

/// A challenge that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ChallengeError {
    /// The text is not the JSON of a challenge.
    #[error("not a challenge: {0}; `hallmark certify challenge` writes challenges")]
    Json(#[from] json::JsonError),
    /// The challenge is dated in the future.
    #[error("the challenge is of {issued}, which is after now, {at}; look at the clocks")]
    FromTheFuture {
        /// The time of issue.
        issued: Timestamp,
        /// The present time.
        at: Timestamp,
    },
    /// The challenge has expired.
    #[error(
        "the challenge is of {issued}, and the profile lets one count for {days} days; ask for another one"
    )]
    Expired {
        /// The time of issue.
        issued: Timestamp,
        /// The days of its validity.
        days: u32,
    },
}

impl Challenge {
    /// Reads a file.
    ///
    /// # Errors
    /// [`ChallengeError::Json`].
    pub fn read(bytes: &[u8]) -> Result<Self, ChallengeError> {
        Ok(json::read(bytes)?)
    }

    /// The bytes of the file.
    ///
    /// # Errors
    /// A challenge never causes one.
    pub fn to_bytes(&self) -> Result<Vec<u8>, serde_json::Error> {
        json::write(self)
    }

    /// Checks that the challenge is valid at a time.
    ///
    /// # Errors
    /// The challenge is from the future, or more than `days` days old.
    pub fn check(&self, at: Timestamp, days: u32) -> Result<(), ChallengeError> {
        let age = at.unix().saturating_sub(self.issued.unix());
        if age < 0 {
            return Err(ChallengeError::FromTheFuture { issued: self.issued, at });
        }
        if age > i64::from(days).saturating_mul(DAY) {
            return Err(ChallengeError::Expired { issued: self.issued, days });
        }
        Ok(())
    }

    /// The number that each seed of a test is XORed with. Equal seeds stay equal, because a suite may state the
    /// same data in two places. The giver decides, too: nobody can call a reviewer's challenge one's own afterwards.
    pub fn shift(&self, test: &TestName) -> u64 {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&self.challenge.0);
        match self.by {
            ChallengeKind::Reviewer => {}
            ChallengeKind::Own => drop(hasher.update(b"own ")),
        }
        hasher.update(test.to_string().as_bytes());
        let mut seed = [0; 8];
        hasher.finalize_xof().fill(&mut seed);
        u64::from_le_bytes(seed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn challenge(byte: u8, issued: &str) -> Challenge {
        let challenge = ContentHash([byte; 32]);
        Challenge { challenge, issued: issued.parse().unwrap(), by: ChallengeKind::Reviewer }
    }

    #[test]
    fn a_challenge_counts_from_its_date_for_some_days() {
        let given = challenge(1, "2026-11-01T12:00:00Z");
        let at = |time: &str| given.check(time.parse().unwrap(), 14);
        assert!(at("2026-11-01T12:00:00Z").is_ok());
        assert!(at("2026-11-15T12:00:00Z").is_ok());
        let error = at("2026-11-15T12:00:01Z").unwrap_err();
        assert!(matches!(error, ChallengeError::Expired { days: 14, .. }), "{error}");
        let error = at("2026-11-01T11:59:59Z").unwrap_err();
        assert!(matches!(error, ChallengeError::FromTheFuture { .. }), "{error}");
    }

    #[test]
    fn a_challenge_is_read_as_it_was_written() {
        let given = challenge(0xab, "2026-11-01T12:00:00Z");
        let bytes = given.to_bytes().unwrap();
        assert_eq!(Challenge::read(&bytes).unwrap(), given);
        let text = String::from_utf8(bytes).unwrap();
        for (right, wrong) in [
            ("\"by\"", "\"more\":1,\"by\""),
            ("\"by\"", "\"by\":\"own\",\"by\""),
            ("reviewer", "somebody"),
            ("abab", "ab"),
        ] {
            let wrong = text.replacen(right, wrong, 1);
            assert!(Challenge::read(wrong.as_bytes()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn each_test_and_each_challenge_shifts_by_its_own_number() {
        let name = |text: &str| text.parse::<TestName>().unwrap();
        let (one, two) = (name("wormhole_b0::a::b::c"), name("blackhole::a::b::c"));
        let (here, other) =
            (challenge(1, "2026-11-01T12:00:00Z"), challenge(2, "2026-11-01T12:00:00Z"));
        assert_eq!(here.shift(&one), here.shift(&one));
        assert_ne!(here.shift(&one), here.shift(&two));
        assert_ne!(here.shift(&one), other.shift(&one));
        let own = Challenge { by: ChallengeKind::Own, ..here };
        assert_ne!(here.shift(&one), own.shift(&one));
    }
}
