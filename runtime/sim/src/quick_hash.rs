//! Hash maps of small keys that no user chooses freely: quick, and the same in every run.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

pub(crate) type QuickMap<K, V> = HashMap<K, V, BuildHasherDefault<QuickHasher>>;

/// Multiplies and rotates. Keys that a kernel can choose are coordinates and numbers of a chip, of which
/// there are too few to make a map slow.
#[derive(Debug, Default)]
pub(crate) struct QuickHasher(u64);

impl QuickHasher {
    fn add(&mut self, part: u64) {
        self.0 = (self.0.rotate_left(5) ^ part).wrapping_mul(0x517C_C1B7_2722_0A95);
    }
}

impl Hasher for QuickHasher {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.add(byte.into()));
    }

    fn write_u8(&mut self, part: u8) {
        self.add(part.into());
    }

    fn write_u16(&mut self, part: u16) {
        self.add(part.into());
    }

    fn write_u32(&mut self, part: u32) {
        self.add(part.into());
    }

    fn write_u64(&mut self, part: u64) {
        self.add(part);
    }

    fn write_usize(&mut self, part: usize) {
        self.add(part as u64);
    }

    fn write_isize(&mut self, part: isize) {
        self.add(part as u64);
    }

    /// The map takes the highest bits to tell entries apart and the lowest to place them.
    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }
}
