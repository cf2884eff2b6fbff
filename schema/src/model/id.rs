//! Identifiers: one type for each kind of object, for queues and commands, and content hashes.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident($inner:ty);)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub $inner);

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.0, formatter)
            }
        }
    )*};
}

ids! {
    /// A buffer, counted from 0 in the order of creation, failed creations included.
    BufferId(u32);
    /// A program, counted from 0.
    ProgramId(u32);
    /// A kernel, counted from 0 over all programs.
    KernelId(u32);
    /// A circular buffer, counted from 0 over all programs.
    CircularBufferId(u32);
    /// A semaphore, counted from 0 over all programs. This is not the number that a kernel passes to
    /// `get_semaphore`.
    SemaphoreId(u32);
    /// An event, counted from 0 over all queues. This is not the number that its queue gives it.
    EventId(u32);
    /// A trace, counted from 0.
    TraceId(u32);
    /// A command queue of the device, counted from 0; there are at most two.
    QueueId(u8);
    /// A command's index in a capture, counted from 0.
    CommandIndex(u32);
}

/// The BLAKE3 hash of some content.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentHash(pub [u8; 32]);

impl ContentHash {
    /// The hash of `bytes`.
    pub fn of(bytes: &[u8]) -> Self {
        Self(*blake3::hash(bytes).as_bytes())
    }

    /// The first eight hexadecimal digits: enough to tell the hashes of one report apart, and not to compare what a stranger
    /// has made, since two values with the same eight digits are found in seconds.
    pub fn short(&self) -> String {
        self.to_string().chars().take(8).collect()
    }

    /// The first sixteen hexadecimal digits, for sentences that name what is shown whole elsewhere.
    pub fn shortened(&self) -> String {
        self.to_string().chars().take(16).collect()
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "ContentHash({self})")
    }
}

/// The text is not 64 hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a content hash is 64 lower-case hexadecimal digits")]
pub struct ParseHashError;

impl FromStr for ContentHash {
    type Err = ParseHashError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        // Without a branch for each digit, because lists of thousands of hashes are read.
        let mut are_digits = true;
        let mut digit = |byte: u8| {
            let (number, letter) = (byte.wrapping_sub(b'0'), byte.wrapping_sub(b'a'));
            are_digits &= (number < 10) | (letter < 6);
            if number < 10 { number } else { letter.wrapping_add(10) }
        };
        let (pairs, rest) = text.as_bytes().as_chunks::<2>();
        if pairs.len() != 32 || !rest.is_empty() {
            return Err(ParseHashError);
        }
        let mut hash = [0; 32];
        for (byte, &[high, low]) in hash.iter_mut().zip(pairs) {
            *byte = digit(high) << 4 | digit(low);
        }
        if !are_digits {
            return Err(ParseHashError);
        }
        Ok(Self(hash))
    }
}

impl Serialize for ContentHash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for ContentHash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_digit_of_a_hash_is_read_and_nothing_else_is_one() {
        let hash = ContentHash::of(b"some content");
        let text = hash.to_string();
        assert_eq!(text.parse(), Ok(hash));
        for place in 0..64 {
            for byte in 0..=u8::MAX {
                let mut bytes = text.clone().into_bytes();
                bytes[place] = byte;
                let Ok(changed) = String::from_utf8(bytes) else { continue };
                let parsed = changed.parse::<ContentHash>();
                let is_digit = byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
                assert_eq!(parsed.map(|hash| hash.to_string()).ok(), is_digit.then_some(changed));
            }
        }
        for text in [&text[1..], &format!("{text}0"), &format!("{text}00"), ""] {
            assert_eq!(text.parse::<ContentHash>(), Err(ParseHashError));
        }
    }
}
