//! Bytes that are known before a run: there already, or made by a generator when somebody looks at them.

use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use hallmark_schema::model::{ContentHash, Generator, SharedBytes};

/// Up to this length, bytes are made for their hash: whoever computes with them needs them again. More are hashed as
/// they are made and kept by nobody, because most are only written and compared by their hash.
const MADE_FOR_HASH: u64 = 64 << 10;

/// Bytes that are known before a run. A clone shares what was made and what was hashed.
#[derive(Clone)]
pub struct KnownBytes(Arc<Known>);

struct Known {
    length: u64,
    /// What makes them, of bytes that were not given.
    generator: Option<Generator>,
    bytes: OnceLock<SharedBytes>,
    hash: OnceLock<ContentHash>,
}

impl KnownBytes {
    /// The first `length` bytes of a generator, of which none is made yet.
    pub fn generated(generator: Generator, length: u64) -> Self {
        let (bytes, hash) = (OnceLock::new(), OnceLock::new());
        Self(Arc::new(Known { length, generator: Some(generator), bytes, hash }))
    }

    /// How many there are.
    pub fn length(&self) -> u64 {
        self.0.length
    }

    /// Their hash, which is computed once.
    pub fn hash(&self) -> ContentHash {
        *self.0.hash.get_or_init(|| match self.0.generator {
            Some(generator) if self.0.length > MADE_FOR_HASH && self.0.bytes.get().is_none() => {
                generator.hash(self.0.length)
            }
            Some(_) | None => ContentHash::of(self),
        })
    }
}

impl Deref for KnownBytes {
    type Target = [u8];

    /// The bytes, which are made once.
    fn deref(&self) -> &[u8] {
        self.0.bytes.get_or_init(|| {
            let made = self.0.generator.map(|generator| generator.bytes(self.0.length));
            made.unwrap_or_default().into()
        })
    }
}

impl<B: Into<SharedBytes>> From<B> for KnownBytes {
    fn from(bytes: B) -> Self {
        let bytes = bytes.into();
        let length = bytes.len() as u64;
        let (bytes, hash) = (OnceLock::from(bytes), OnceLock::new());
        Self(Arc::new(Known { length, generator: None, bytes, hash }))
    }
}

impl fmt::Debug for KnownBytes {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Known { length, generator, .. } = &*self.0;
        let mut text = formatter.debug_struct("KnownBytes");
        text.field("length", length).field("generator", generator).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use hallmark_schema::model::DataType;

    use super::*;

    #[test]
    fn bytes_are_made_once_and_only_for_who_looks_at_them() {
        let generator = Generator::Uniform { data_type: DataType::Uint32, seed: 3 };
        for length in [0, 5, MADE_FOR_HASH, MADE_FOR_HASH + 1] {
            let known = KnownBytes::generated(generator, length);
            let clone = known.clone();
            assert_eq!((known.length(), known.hash()), (length, generator.hash(length)));
            assert_eq!(clone.0.bytes.get().is_some(), length <= MADE_FOR_HASH, "{length}");
            assert_eq!(clone[..], generator.bytes(length));
            assert_eq!(known.as_ptr(), clone.as_ptr());
            let given = KnownBytes::from(generator.bytes(length));
            assert_eq!((given.length(), given.hash()), (length, known.hash()));
            assert_eq!(given[..], known[..]);
        }
    }
}
