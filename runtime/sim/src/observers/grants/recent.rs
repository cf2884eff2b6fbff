//! The last few values of a kind.

/// Four values, of which a new one replaces the oldest.
#[derive(Clone, Debug, Default)]
pub(super) struct Recent<T> {
    values: [T; 4],
    /// The one that is replaced next.
    next: usize,
}

impl<T> Recent<T> {
    #[inline]
    pub(super) fn iter(&self) -> std::slice::Iter<'_, T> {
        self.values.iter()
    }

    /// Forgets every copy of a value.
    pub(super) fn forget(&mut self, value: &T)
    where
        T: Default + PartialEq,
    {
        self.values.iter_mut().filter(|kept| *kept == value).for_each(|kept| *kept = T::default());
    }

    pub(super) fn keep(&mut self, value: T) {
        if let Some(slot) = self.values.get_mut(self.next) {
            *slot = value;
        }
        self.next = (self.next + 1) % self.values.len();
    }
}
