//! The budget of a search: `--budget 500`, `--budget 10m`.

use std::str::FromStr;
use std::time::{Duration, Instant};

/// The longest budget in seconds: a week.
const MOST_SECONDS: u64 = 7 * 24 * 3600;

/// The budget of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Budget {
    /// A number of runs of a flaky failure.
    Runs(u64),
    /// A time after which no new run begins.
    Time(Duration),
}

/// The text is not a budget.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is neither a number of runs nor a time up to a week; write `500`, or `90s`, `10m`, `2h`"
)]
pub(super) struct NoBudget(String);

impl FromStr for Budget {
    type Err = NoBudget;

    fn from_str(text: &str) -> Result<Self, NoBudget> {
        let wrong = || NoBudget(text.to_owned());
        let units = [("s", 1), ("m", 60), ("h", 3600)];
        let time = units.iter().find_map(|(unit, each)| Some((text.strip_suffix(unit)?, *each)));
        let (number, each) = time.unwrap_or((text, 0));
        // `parse` accepts a leading `+`.
        let is_number = number.bytes().all(|byte| byte.is_ascii_digit());
        let number: u64 =
            number.parse().ok().filter(|number| is_number && *number > 0).ok_or_else(wrong)?;
        if each == 0 {
            return Ok(Self::Runs(number));
        }
        let seconds = number.checked_mul(each).filter(|seconds| *seconds <= MOST_SECONDS);
        seconds.map(|seconds| Self::Time(Duration::from_secs(seconds))).ok_or_else(wrong)
    }
}

impl Budget {
    /// The largest number of runs; unlimited where the budget is a time.
    pub(super) const fn runs(self) -> u64 {
        match self {
            Self::Runs(runs) => runs,
            Self::Time(_) => u64::MAX,
        }
    }

    /// The time after which no new run begins, if the search begins now.
    pub(super) fn deadline(self) -> Option<Instant> {
        match self {
            Self::Runs(_) => None,
            Self::Time(time) => Instant::now().checked_add(time),
        }
    }

    /// The budget as an input of a search's log. A resumed search may have another time budget: it asks the
    /// same questions.
    pub(super) fn input(budget: Option<Self>) -> String {
        match budget {
            None => "none".to_owned(),
            Some(Self::Runs(runs)) => runs.to_string(),
            Some(Self::Time(_)) => "a time".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_is_a_number_of_runs_or_a_time() {
        let time = |seconds| Budget::Time(Duration::from_secs(seconds));
        for (text, budget) in [
            ("1", Budget::Runs(1)),
            ("500", Budget::Runs(500)),
            ("90s", time(90)),
            ("10m", time(600)),
            ("168h", time(MOST_SECONDS)),
        ] {
            assert_eq!(text.parse(), Ok(budget), "{text}");
        }
        for text in [
            "",
            "0",
            "0s",
            "-1",
            "+1",
            "s",
            "1.5h",
            "169h",
            "604801s",
            "10 m",
            "99999999999999999999",
        ] {
            assert_eq!(text.parse::<Budget>(), Err(NoBudget(text.to_owned())), "{text}");
        }
    }
}
