//! A value that several threads of a search share.

use std::sync::{Mutex, PoisonError};

/// A small value behind a lock.
#[derive(Debug, Default)]
pub(super) struct Shared<T>(Mutex<T>);

impl<T: Copy> Shared<T> {
    pub(super) const fn new(value: T) -> Self {
        Self(Mutex::new(value))
    }

    pub(super) fn get(&self) -> T {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn set(&self, value: T) {
        self.update(|_| value);
    }

    /// Replaces the value atomically by the function's result.
    pub(super) fn update(&self, change: impl FnOnce(T) -> T) {
        let mut value = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *value = change(*value);
    }
}
