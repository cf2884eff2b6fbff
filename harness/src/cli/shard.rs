//! A part of the tests, for machines that share them.

use std::fmt;
use std::str::FromStr;

/// Shard `number` of `total`, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shard {
    number: usize,
    total: usize,
}

impl Shard {
    /// The items of this shard: every `total`-th. The shards of a list are disjoint, and together are
    /// the list.
    pub(super) fn of<T>(self, items: Vec<T>) -> Vec<T> {
        let first = self.number.saturating_sub(1);
        items.into_iter().skip(first).step_by(self.total.max(1)).collect()
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = || format!("`{text}` is no shard: `2/5` is the second of five");
        let (number, total) = text.split_once('/').ok_or_else(wrong)?;
        let (number, total) =
            (number.parse().map_err(|_| wrong())?, total.parse().map_err(|_| wrong())?);
        if number == 0 || number > total { Err(wrong()) } else { Ok(Self { number, total }) }
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
                all.extend(part);
            }
            all.sort_unstable();
            assert_eq!(all, items);
        }
    }

    #[test]
    fn what_is_no_shard() {
        for wrong in ["", "1", "0/2", "3/2", "a/b", "1/0", "-1/2", "1/2/3"] {
            assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
        }
    }
}
