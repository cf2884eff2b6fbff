//! Points in time, in whole seconds of UTC.

use std::fmt;
use std::str::FromStr;
use std::time::{SystemTime, UNIX_EPOCH};

use chrono::{DateTime, NaiveDateTime};
use serde::{Deserialize, Serialize};

/// The last second of the year 9999, in seconds since 1970.
const LAST: i64 = 253_402_300_799;

/// A text or a number that is not a time in the years 1970 to 9999.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a time is written as in 2026-11-23T06:50:00Z: UTC, the years 1970 to 9999")]
pub struct TimestampError;

/// A second of UTC from 1970 to 9999; its text form is `2026-11-23T06:50:00Z`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Timestamp(i64);

impl Timestamp {
    /// The time `seconds` after the beginning of 1970, without leap seconds.
    ///
    /// # Errors
    /// The time is not in the years 1970 to 9999.
    pub fn from_unix(seconds: i64) -> Result<Self, TimestampError> {
        (0..=LAST).contains(&seconds).then_some(Self(seconds)).ok_or(TimestampError)
    }

    /// The machine's time. A clock before 1970 gives 1970.
    pub fn now() -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self(i64::try_from(since.as_secs()).unwrap_or(LAST).min(LAST))
    }

    /// Seconds since the beginning of 1970, without leap seconds.
    pub const fn unix(self) -> i64 {
        self.0
    }

    /// The time of a text in this `chrono` format, if the text is the canonical one for that time.
    pub(crate) fn in_form(text: &str, form: &str) -> Result<Self, TimestampError> {
        let time = NaiveDateTime::parse_from_str(text, form).map_err(|_| TimestampError)?.and_utc();
        let this = Self::from_unix(time.timestamp())?;
        if this.shown(form) == text { Ok(this) } else { Err(TimestampError) }
    }

    fn shown(self, form: &str) -> String {
        // Every timestamp is in the range of `chrono`'s dates.
        DateTime::from_timestamp(self.0, 0).unwrap_or_default().format(form).to_string()
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.shown("%Y-%m-%dT%H:%M:%SZ"))
    }
}

impl FromStr for Timestamp {
    type Err = TimestampError;

    fn from_str(text: &str) -> Result<Self, TimestampError> {
        Self::in_form(text, "%Y-%m-%dT%H:%M:%SZ")
    }
}

impl TryFrom<String> for Timestamp {
    type Error = TimestampError;

    fn try_from(text: String) -> Result<Self, TimestampError> {
        text.parse()
    }
}

impl From<Timestamp> for String {
    fn from(time: Timestamp) -> Self {
        time.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::Timestamp;

    #[test]
    fn a_time_has_one_spelling() {
        for time in ["1970-01-01T00:00:00Z", "2024-02-29T23:59:59Z", "9999-12-31T23:59:59Z"] {
            assert_eq!(time.parse::<Timestamp>().unwrap().to_string(), time);
        }
        for other in [
            "1969-12-31T23:59:59Z",
            "2023-02-29T00:00:00Z",
            "2026-11-23T06:50:00",
            "2026-11-23 06:50:00Z",
            "2026-11-23T06:50:00+00:00",
            "2026-11-23T6:50:00Z",
            "2026-11-23T06:50:60Z",
            " 2026-11-23T06:50:00Z",
            "+2026-11-23T06:50:00Z",
            "",
        ] {
            assert!(other.parse::<Timestamp>().is_err(), "{other}");
        }
    }

    #[test]
    fn a_time_lies_in_the_years_that_have_four_digits() {
        assert_eq!(Timestamp::from_unix(0).unwrap().to_string(), "1970-01-01T00:00:00Z");
        assert!(Timestamp::from_unix(-1).is_err());
        let last = "9999-12-31T23:59:59Z".parse::<Timestamp>().unwrap();
        assert_eq!(Timestamp::from_unix(last.unix()), Ok(last));
        assert!(Timestamp::from_unix(last.unix() + 1).is_err());
    }
}
