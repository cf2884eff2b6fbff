//! Hashes of files; their text form is 64 lower-case hexadecimal digits.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use sha2::Digest as _;

/// A text that is not a hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a hash is written as 64 hexadecimal digits, a to f in lower case")]
pub struct HashError;

/// The bytes of 64 lower-case hexadecimal digits.
fn from_digits(text: &str) -> Result<[u8; 32], HashError> {
    let value = |digit: u8| match digit {
        b'0'..=b'9' => Ok(digit.wrapping_sub(b'0')),
        b'a'..=b'f' => Ok(digit.wrapping_sub(b'a').wrapping_add(10)),
        _ => Err(HashError),
    };
    let (pairs, []) = text.as_bytes().as_chunks::<2>() else { return Err(HashError) };
    let bytes: Vec<u8> = pairs
        .iter()
        .map(|[high, low]| Ok(value(*high)? << 4 | value(*low)?))
        .collect::<Result<_, HashError>>()?;
    bytes.try_into().map_err(|_| HashError)
}

macro_rules! hash {
    ($(#[doc = $what:literal])+ $hash:ident) => {
        $(#[doc = $what])+
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $hash([u8; 32]);

        impl $hash {
            /// A hash from its 32 bytes.
            pub const fn from_bytes(bytes: [u8; 32]) -> Self {
                Self(bytes)
            }

            /// The 32 bytes of the hash.
            pub const fn bytes(self) -> [u8; 32] {
                self.0
            }
        }

        impl fmt::Display for $hash {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.iter().try_for_each(|byte| write!(formatter, "{byte:02x}"))
            }
        }

        impl fmt::Debug for $hash {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(formatter, "{}({self})", stringify!($hash))
            }
        }

        impl FromStr for $hash {
            type Err = HashError;

            fn from_str(text: &str) -> Result<Self, HashError> {
                from_digits(text).map(Self)
            }
        }

        impl TryFrom<String> for $hash {
            type Error = HashError;

            fn try_from(text: String) -> Result<Self, HashError> {
                text.parse()
            }
        }

        impl From<$hash> for String {
            fn from(hash: $hash) -> Self {
                hash.to_string()
            }
        }
    };
}

hash! {
    /// A BLAKE3 hash, the name of captures and blobs.
    Blake3
}

hash! {
    /// A SHA-256 hash, for other readers of in-toto statements.
    Sha256
}

impl Blake3 {
    /// The hash of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(*blake3::hash(bytes).as_bytes())
    }
}

impl Sha256 {
    /// The hash of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(sha2::Sha256::digest(bytes).into())
    }
}
