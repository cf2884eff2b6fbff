//! What the coprocessor reaches beyond itself.

use crate::destination_order::Overlap;
use crate::frontend::{Instruction, Origin};
use crate::order::Knowledge;
use crate::threads::Thread;
use crate::units::{Source, Unit};

/// What one thread hands over to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handover {
    /// The value of a semaphore, by its number.
    Semaphore(u8),
    /// A bank that an unpacker has filled.
    Filled(Source),
    /// A bank with which the matrix unit is done.
    Emptied(Source),
    /// A mutex, by its number.
    Mutex(u8),
}

/// Which bits of some bytes nothing has written, a mask for each byte. `None`: all bits are known.
pub type Unknown = Option<Vec<u8>>;

/// The tile around the coprocessor.
pub trait Surroundings: Knowledge {
    /// An instruction of the thread is about to be executed, by its number among those of the thread; what follows is its
    /// doing.
    fn executes(&mut self, origin: Origin, number: u64);

    /// Reads bytes of L1, and says which of their bits nothing has written.
    ///
    /// # Errors
    /// The bytes are not in L1, or a rule of the tile forbids the access.
    fn read(&mut self, by: Unit, address: u64, bytes: &mut [u8]) -> Result<Unknown, Self::Error>;

    /// Writes bytes of L1, of which some may be unknown.
    ///
    /// # Errors
    /// As for [`Self::read`].
    fn write(
        &mut self,
        by: Unit,
        address: u64,
        bytes: &[u8],
        unknown: Unknown,
    ) -> Result<(), Self::Error>;

    /// A thread has done what another one may wait for: what it did before is done for whoever takes.
    fn posts(&mut self, handover: Handover);

    /// A thread has waited for what another one posts.
    fn takes(&mut self, handover: Handover);

    /// The thread knows that a unit has finished another thread's instructions, or its own, up to a number: because of a wait,
    /// or because the unit writes in the next cycle.
    fn finished(&mut self, unit: Unit, thread: Thread, upto: u64, by: Option<Instruction>);

    /// An instruction of the thread uses rows of `Dst` that an earlier one has used in another unit.
    ///
    /// # Errors
    /// Nothing tells the thread that the unit has finished the earlier instruction.
    fn comes_after(&mut self, overlap: &Overlap) -> Result<(), Self::Error>;

    /// The scalar unit stores to a register of the tile.
    ///
    /// # Errors
    /// No such register is there, or it does not take the value.
    fn store_register(&mut self, address: u32, value: u32) -> Result<(), Self::Error>;
}

#[cfg(test)]
pub(crate) mod memory {
    use super::*;
    use crate::refusal::Refusal;

    /// L1 alone, for tests of the units that reach it.
    pub(crate) struct Memory {
        pub(crate) bytes: Vec<u8>,
        /// Of each byte the bits that nothing has written.
        pub(crate) unknown: Vec<u8>,
        /// The addresses and the lengths of reads.
        pub(crate) reads: Vec<(u64, usize)>,
    }

    impl Memory {
        /// Bytes that all differ from 0.
        pub(crate) fn new() -> Self {
            Self { bytes: vec![0xEE; 0x1_0000], unknown: vec![0; 0x1_0000], reads: Vec::new() }
        }
    }

    impl Knowledge for Memory {
        type Error = Refusal;
    }

    impl Surroundings for Memory {
        fn read(&mut self, _: Unit, address: u64, bytes: &mut [u8]) -> Result<Unknown, Refusal> {
            self.reads.push((address, bytes.len()));
            let range = address as usize..address as usize + bytes.len();
            bytes.copy_from_slice(&self.bytes[range.clone()]);
            Ok(Some(self.unknown[range].to_vec()))
        }

        fn write(
            &mut self,
            _: Unit,
            address: u64,
            bytes: &[u8],
            unknown: Unknown,
        ) -> Result<(), Refusal> {
            let range = address as usize..address as usize + bytes.len();
            self.bytes[range.clone()].copy_from_slice(bytes);
            self.unknown[range].copy_from_slice(&unknown.unwrap_or_else(|| vec![0; bytes.len()]));
            Ok(())
        }

        fn executes(&mut self, _: Origin, _: u64) {}

        fn comes_after(&mut self, overlap: &Overlap) -> Result<(), Refusal> {
            panic!("one instruction uses Dst: {overlap:?}")
        }

        fn posts(&mut self, _: Handover) {}

        fn takes(&mut self, _: Handover) {}

        fn finished(&mut self, _: Unit, _: Thread, _: u64, _: Option<Instruction>) {}

        fn store_register(&mut self, _: u32, _: u32) -> Result<(), Refusal> {
            unreachable!("packers and unpackers store to no register")
        }
    }
}
