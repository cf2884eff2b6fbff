//! A test under several schedule seeds.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::time::Instant;

use super::{Settings, TestResult, run_test};
use crate::suite::discover::SelectedTest;
use crate::suite::mistake::SuiteMistakes;
use crate::verdict::Mode;

/// More seeds than this in one run are a mistake.
const MOST: u64 = 100_000;

/// Schedule seeds from a first to a last one, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seeds {
    first: u64,
    last: u64,
}

/// The text names no seeds.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no range of seeds: `1..50` is the fifty seeds from 1 to 50")]
pub struct SeedsError(String);

impl Seeds {
    /// A range of one seed alone.
    pub const fn one(seed: u64) -> Self {
        Self { first: seed, last: seed }
    }

    /// So many, from 0 on; at least one.
    pub const fn first(count: u64) -> Self {
        Self { first: 0, last: count.saturating_sub(1) }
    }

    /// The seeds, ascending.
    pub const fn iter(self) -> RangeInclusive<u64> {
        self.first..=self.last
    }

    /// How many seeds there are, at least 1.
    pub const fn count(self) -> u64 {
        self.last - self.first + 1
    }
}

impl FromStr for Seeds {
    type Err = SeedsError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = || SeedsError(text.to_owned());
        let (first, last) = text.split_once("..").ok_or_else(wrong)?;
        let first: u64 = first.parse().map_err(|_| wrong())?;
        let last: u64 = last.parse().map_err(|_| wrong())?;
        match last.checked_sub(first) {
            Some(more) if more < MOST => Ok(Self { first, last }),
            _ => Err(wrong()),
        }
    }
}

impl fmt::Display for Seeds {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}..{}", self.first, self.last)
    }
}

/// Runs a test under one seed after the other, up to the first under which it does not pass. A test
/// that does not apply is skipped once.
///
/// # Errors
/// The suite is wrong.
pub fn run_test_under(
    settings: &Settings,
    test: &SelectedTest,
    seeds: Seeds,
) -> Result<TestResult, SuiteMistakes> {
    let start = Instant::now();
    let mut settings = settings.clone();
    let mut result = None;
    for seed in seeds.iter() {
        settings.workers.programs.schedule_seed = seed;
        let mut now = run_test(&settings, test)?;
        now.elapsed = start.elapsed();
        let passed = now.verdict.is_success(Mode::Ordinary);
        if !passed && seeds.count() > 1 {
            let before = seed.saturating_sub(seeds.first);
            let line =
                format!("schedule seed {seed}, after {before} of {} that passed", seeds.count());
            now.lines.push(line);
        }
        let skipped = matches!(now.verdict, crate::verdict::Verdict::Skipped { .. });
        let last = result.insert(now);
        if !passed || skipped || crate::interrupt::requested() {
            return Ok(last.clone());
        }
    }
    match result {
        Some(result) => Ok(result),
        // There is at least one seed.
        None => run_test(&settings, test),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_seeds() {
        let seeds: Seeds = "1..50".parse().unwrap();
        assert_eq!(
            (seeds.count(), seeds.iter().last(), seeds.to_string()),
            (50, Some(50), "1..50".to_owned())
        );
        assert_eq!("7..7".parse::<Seeds>().unwrap(), Seeds::one(7));
        let end = u64::MAX;
        assert_eq!(format!("{end}..{end}").parse::<Seeds>().unwrap().iter().count(), 1);
        for wrong in ["", "5", "5..1", "a..b", "0..18446744073709551615", "1...3", "-1..2"] {
            assert!(wrong.parse::<Seeds>().is_err(), "{wrong}");
        }
    }
}
