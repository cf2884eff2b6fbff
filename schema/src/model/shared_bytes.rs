//! Bytes with several owners and without copies: the blobs of a capture are parts of the file that was read.

use std::fmt;
use std::ops::{Deref, Range};
use std::sync::Arc;

/// Bytes with several owners: a whole allocation, or a part of a file that was read. A clone does not copy the
/// bytes.
#[derive(Clone)]
pub struct SharedBytes {
    whole: Arc<dyn AsRef<[u8]> + Send + Sync>,
    range: Range<usize>,
}

impl SharedBytes {
    /// The bytes of `owner`, which is kept alive.
    pub fn of(owner: impl AsRef<[u8]> + Send + Sync + 'static) -> Self {
        let range = 0..owner.as_ref().len();
        Self { whole: Arc::new(owner), range }
    }

    /// The part that `inner` covers, if it was borrowed from these bytes; otherwise a copy.
    #[must_use]
    pub fn part(&self, inner: &[u8]) -> Self {
        let start = inner.as_ptr().addr().wrapping_sub(self.as_ptr().addr());
        let is_inside = start.checked_add(inner.len()).is_some_and(|end| end <= self.len());
        if !is_inside {
            return inner.to_vec().into();
        }
        let start = self.range.start.saturating_add(start);
        Self { whole: Arc::clone(&self.whole), range: start..start.saturating_add(inner.len()) }
    }
}

impl Deref for SharedBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // The owner must return the same bytes each time; a hash check detects one that does not.
        (*self.whole).as_ref().get(self.range.clone()).unwrap_or_default()
    }
}

impl AsRef<[u8]> for SharedBytes {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl From<Vec<u8>> for SharedBytes {
    fn from(bytes: Vec<u8>) -> Self {
        Self::of(bytes)
    }
}

impl From<&[u8]> for SharedBytes {
    fn from(bytes: &[u8]) -> Self {
        Self::of(bytes.to_vec())
    }
}

impl From<Arc<[u8]>> for SharedBytes {
    fn from(bytes: Arc<[u8]>) -> Self {
        Self::of(bytes)
    }
}

impl From<&Arc<[u8]>> for SharedBytes {
    fn from(bytes: &Arc<[u8]>) -> Self {
        Self::of(Arc::clone(bytes))
    }
}

impl From<&SharedBytes> for Arc<[u8]> {
    fn from(bytes: &SharedBytes) -> Self {
        Self::from(&**bytes)
    }
}

impl PartialEq for SharedBytes {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for SharedBytes {}

impl fmt::Debug for SharedBytes {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, formatter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_no_copy_and_what_lies_elsewhere_is_one() {
        let file = SharedBytes::from(b"0123456789".to_vec());
        let part = file.part(file.get(3..7).unwrap());
        assert_eq!((&*part, part.as_ptr()), (&b"3456"[..], file[3..].as_ptr()));
        let inner = part.part(part.get(1..3).unwrap());
        assert_eq!((&*inner, inner.as_ptr()), (&b"45"[..], file[4..].as_ptr()));
        // Beyond the part, but inside the file.
        let outside = part.part(file.get(6..9).unwrap());
        assert_eq!(&*outside, b"678");
        assert_ne!(outside.as_ptr(), file[6..].as_ptr());
        assert_eq!(&*file.part(b"other"), b"other");
        assert!(file.part(&[]).is_empty());
    }
}
