//! A part of the tests, for machines that share them.

use std::fmt;
use std::str::FromStr;

use hallmark_schema::plural::counted;
use serde::{Deserialize, Serialize};

/// Shard `number` of `total`, counted from 1. Its text form is `2/5`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Shard {
    number: usize,
    total: usize,
}

/// Why a text is not a shard.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ShardError {
    /// It has another form.
    #[error("`{0}` is not a shard; write NUMBER/TOTAL: 2/5 is the second of five")]
    Form(String),
    /// The total is 0.
    #[error(
        "there are no shards if there are 0 of them; write NUMBER/TOTAL: 2/5 is the second of five"
    )]
    NoShards,
    /// There is no shard of this number.
    #[error("shard must be 1–{total} of {total}, not {number}")]
    Number {
        /// The number that was asked for.
        number: usize,
        /// How many shards there are.
        total: usize,
    },
}

/// More shards than tests.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("shard {shard} of {} is empty; use at most {tests} shards", counted(*tests, "test", "tests"))]
pub struct EmptyShard {
    shard: Shard,
    tests: usize,
}

impl Shard {
    /// The only shard of one.
    pub const WHOLE: Self = Self { number: 1, total: 1 };

    /// Which of the shards it is, from 1 on.
    pub const fn number(self) -> usize {
        self.number
    }

    /// How many shards there are, at least 1.
    pub const fn total(self) -> usize {
        self.total
    }

    /// The shards beside which it stands, and itself, in their order.
    pub fn all(self) -> impl Iterator<Item = Self> {
        (1..=self.total).map(move |number| Self { number, ..self })
    }

    /// How many of so many items it has.
    pub fn size(self, items: usize) -> usize {
        items.saturating_sub(self.number.saturating_sub(1)).div_ceil(self.total.max(1))
    }

    /// The items of this shard, of which there must be one.
    ///
    /// # Errors
    /// There are fewer items than shards, and none is left for this one.
    pub fn some_of<T>(self, items: Vec<T>) -> Result<Vec<T>, EmptyShard> {
        let tests = items.len();
        let part = self.of(items);
        if part.is_empty() { Err(EmptyShard { shard: self, tests }) } else { Ok(part) }
    }

    /// The items of this shard: every `total`-th. The shards of a list are disjoint, and together are
    /// the list.
    pub fn of<T>(self, items: Vec<T>) -> Vec<T> {
        let first = self.number.saturating_sub(1);
        items.into_iter().skip(first).step_by(self.total.max(1)).collect()
    }
}

impl FromStr for Shard {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let form = || ShardError::Form(text.to_owned());
        let (number, total) = text.split_once('/').ok_or_else(form)?;
        let number: usize = number.parse().map_err(|_| form())?;
        match total.parse().map_err(|_| form())? {
            0 => Err(ShardError::NoShards),
            total if number == 0 || number > total => Err(ShardError::Number { number, total }),
            total => Ok(Self { number, total }),
        }
    }
}

impl TryFrom<String> for Shard {
    type Error = ShardError;

    fn try_from(text: String) -> Result<Self, ShardError> {
        text.parse()
    }
}

impl From<Shard> for String {
    fn from(shard: Shard) -> Self {
        shard.to_string()
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.number, self.total)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_are_disjoint_and_together_are_everything() {
        let items: Vec<u32> = (0..23).collect();
        for total in 1..=30 {
            let mut all = Vec::new();
            for number in 1..=total {
                let shard: Shard = format!("{number}/{total}").parse().unwrap();
                let part = shard.of(items.clone());
                assert!(part.len().abs_diff(items.len() / total) <= 1, "{shard}");
                assert_eq!(part.len(), shard.size(items.len()), "{shard}");
                all.extend(part);
            }
            all.sort_unstable();
            assert_eq!(all, items);
        }
    }

    #[test]
    fn a_text_that_is_not_a_shard_says_why() {
        for (wrong, words) in [
            ("", "write NUMBER/TOTAL"),
            ("1", "`1` is not a shard"),
            ("a/b", "`a/b` is not a shard"),
            ("-1/2", "`-1/2` is not a shard"),
            ("1/2/3", "`1/2/3` is not a shard"),
            ("0/5", "shard must be 1–5 of 5, not 0"),
            ("6/5", "shard must be 1–5 of 5, not 6"),
            ("1/0", "there are no shards if there are 0 of them"),
        ] {
            let error = wrong.parse::<Shard>().unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
        assert_eq!("5/5".parse::<Shard>().unwrap().to_string(), "5/5");
    }

    #[test]
    fn an_empty_shard_says_how_many_there_may_be() {
        let last: Shard = "3/3".parse().unwrap();
        assert_eq!(last.some_of(vec![1, 2, 3]), Ok(vec![3]));
        let error = last.some_of(vec![1, 2]).unwrap_err().to_string();
        assert_eq!(error, "shard 3/3 of 2 tests is empty; use at most 2 shards");
    }
}
