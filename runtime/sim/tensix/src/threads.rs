//! The three threads of instructions, and what there is one of for each.

/// A thread of instructions. Each belongs to a compute core of the tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Thread {
    /// The thread of TRISC0, which unpacks.
    Unpack,
    /// The thread of TRISC1, which computes.
    Math,
    /// The thread of TRISC2, which packs.
    Pack,
}

impl Thread {
    /// Every thread, by its number.
    pub const ALL: [Self; 3] = [Self::Unpack, Self::Math, Self::Pack];

    /// Its number.
    #[inline]
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }
}

/// One of each thread.
#[derive(Clone, Debug, Default)]
pub(crate) struct PerThread<T>([T; 3]);

impl<T> PerThread<T> {
    pub(crate) fn new(make: impl Fn() -> T) -> Self {
        Self([make(), make(), make()])
    }

    pub(crate) const fn of(&self, thread: Thread) -> &T {
        let [unpack, math, pack] = &self.0;
        match thread {
            Thread::Unpack => unpack,
            Thread::Math => math,
            Thread::Pack => pack,
        }
    }

    pub(crate) const fn of_mut(&mut self, thread: Thread) -> &mut T {
        let [unpack, math, pack] = &mut self.0;
        match thread {
            Thread::Unpack => unpack,
            Thread::Math => math,
            Thread::Pack => pack,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_thread_has_its_own() {
        let mut values = PerThread::new(|| 7);
        *values.of_mut(Thread::Math) = 8;
        *values.of_mut(Thread::Pack) = 9;
        assert_eq!(Thread::ALL.map(|thread| *values.of(thread)), [7, 8, 9]);
        assert_eq!(Thread::ALL.map(Thread::index), [0, 1, 2]);
    }
}
