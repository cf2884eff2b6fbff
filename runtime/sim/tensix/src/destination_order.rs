//! Who used which part of `Dst` last. The threads share `Dst`, and an instruction uses it until its unit has finished. A
//! thread knows that from a `STALLWAIT` of its own, and from semaphores that other threads signal behind one (`SEMPOST.md`,
//! `SEMGET.md`).

mod loads;

use std::ops::Range;

use crate::frontend::Origin;
use crate::order::Issued;
use crate::registers::Touched;
use crate::threads::Thread;
use crate::units::{Source, Unit, Units};

use self::loads::MatrixWrites;

const PARTS: usize = Touched::PARTS as usize;

/// An instruction that uses `Dst`, or a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Use {
    /// The instruction.
    pub word: u32,
    /// The thread to which it belongs.
    pub thread: Thread,
    /// Its number among those of the thread.
    pub number: u64,
    /// Its place among those of the thread and the NOPs that no unit executes.
    pub position: u64,
    /// Who pushed it.
    pub origin: Origin,
    /// The units that execute it.
    pub units: Units,
    /// It writes rows.
    pub writes: bool,
}

impl Use {
    /// The instruction.
    #[must_use]
    pub const fn issued(&self) -> Issued {
        let Self { word, thread, number, origin, .. } = *self;
        Issued { word, thread, number, origin }
    }

    /// Whether it comes before a later one of the same thread without a wait, as far as documents tell: the units that
    /// compute are done within a few instructions (`SFPLOAD.md`, "Instruction scheduling"), and packers and unpackers are
    /// not.
    pub(crate) fn is_soon_over(&self) -> bool {
        self.units.without(Units::of(Unit::Matrix).and(Units::of(Unit::Vector))).is_empty()
    }
}

/// Why two uses of the same rows need an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hazard {
    /// Different units use rows of `Dst`.
    Dst,
    /// A load is too close behind a write of `Dst`: so many instructions of the thread stand between the two.
    Load {
        /// How many.
        between: u64,
    },
    /// An unpacker and the matrix unit write a bank of a source.
    Bank(Source),
    /// As [`Self::Bank`], behind a wait for the bank that may have looked at the one that an instruction gave back.
    BankBeforeFlip {
        /// The source.
        source: Source,
        /// That instruction.
        flip: u32,
        /// Who pushed it.
        origin: Origin,
    },
    /// A bank of a source is given to the matrix unit, from which it came.
    Gift(Source),
    /// A bank of a source is given back to the unpacker, from which it came.
    Return(Source),
}

/// Two uses of the same rows by different units, at least one of which writes them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overlap {
    /// The earlier one.
    pub earlier: Use,
    /// A unit of the earlier use. The later use must wait until this unit has finished.
    pub unit: Unit,
    /// The later one.
    pub later: Use,
    /// The rows that both may use; those of `Dst` have 16 bits.
    pub rows: Range<u32>,
    /// Why they need an order.
    pub hazard: Hazard,
}

/// The last uses of a part.
#[derive(Clone, Copy, Debug, Default)]
struct Part {
    writer: Option<Use>,
    /// By thread, since the writer.
    readers: [Option<Use>; Thread::ALL.len()],
    /// By thread, whether it is known to come after the writer.
    after_writer: [bool; Thread::ALL.len()],
}

impl Part {
    /// Replaces the last write if the same thread writes with the same units again and no thread has read the part since.
    /// Gives whether it did.
    fn is_written_again(&mut self, by: &Use) -> bool {
        let (Some(writer), [None, None, None]) = (&mut self.writer, &self.readers) else {
            return false;
        };
        let again = writer.thread == by.thread && writer.units == by.units;
        if again {
            *writer = Use { writes: true, ..*by };
            self.after_writer = [false; Thread::ALL.len()];
        }
        again
    }
}

/// The last uses of all parts.
#[derive(Debug, Default)]
pub(crate) struct DestinationOrder {
    parts: [Part; PARTS],
    matrix_writes: MatrixWrites,
}

impl DestinationOrder {
    /// An instruction has used parts of `Dst`. Tells of each earlier use that it must come after.
    pub(crate) fn use_parts<E>(
        &mut self,
        by: Use,
        touched: Touched,
        mut comes_after: impl FnMut(&Overlap) -> Result<(), E>,
    ) -> Result<(), E> {
        self.matrix_writes.check_load(&by, touched, &mut comes_after)?;
        self.matrix_writes.note(by, touched);
        let thread = by.thread.index();
        let mut left = touched.read | touched.written;
        while left != 0 {
            let number = left.trailing_zeros();
            left &= left - 1;
            let Some(part) = self.parts.get_mut(number as usize) else { break };
            let writes = touched.written >> number & 1 == 1;
            if writes && part.is_written_again(&by) {
                continue;
            }
            let later = Use { writes, ..by };
            let rows = number * Touched::ROWS..(number + 1) * Touched::ROWS;
            let mut check = |earlier: &Use| {
                let others = earlier.units.without(later.units);
                if others.is_empty() || earlier.thread == later.thread && earlier.is_soon_over() {
                    return Ok(());
                }
                others.iter().try_for_each(|unit| {
                    let rows = rows.clone();
                    comes_after(&Overlap {
                        earlier: *earlier,
                        unit,
                        later,
                        rows,
                        hazard: Hazard::Dst,
                    })
                })
            };
            let Part { writer, readers, after_writer } = part;
            let is_after = after_writer.get_mut(thread);
            if let (Some(writer), Some(is_after)) = (writer.as_ref(), is_after)
                && !*is_after
            {
                check(writer)?;
                *is_after = true;
            }
            if writes {
                readers.iter().flatten().try_for_each(&mut check)?;
                *part = Part { writer: Some(later), ..Part::default() };
            } else if let Some(reader) = readers.get_mut(thread) {
                *reader = Some(later);
            }
        }
        Ok(())
    }

    /// Whatever comes next comes after all uses.
    pub(crate) fn forget(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use hallmark_chip::Processor;

    use super::*;

    fn by(thread: Thread, number: u64, units: Units) -> Use {
        let origin = Origin { core: Processor::Trisc1, pc: 0x6000, retired: number };
        let position = number;
        Use { word: 0x2600_0000, thread, number, position, origin, units, writes: false }
    }

    /// Uses parts. Gives the number, the unit and the first row of each earlier use that must be over.
    fn told(
        order: &mut DestinationOrder,
        by: Use,
        [read, written]: [u16; 2],
    ) -> Vec<(u64, Unit, u32)> {
        let mut told = Vec::new();
        let touched = Touched { read, written, ..Touched::default() };
        let all = order.use_parts(by, touched, |overlap| {
            told.push((overlap.earlier.number, overlap.unit, overlap.rows.start));
            Ok::<(), ()>(())
        });
        assert_eq!(all, Ok(()));
        told
    }

    const MATRIX: Units = Units::of(Unit::Matrix);
    const VECTOR: Units = Units::of(Unit::Vector);

    #[test]
    fn a_reader_is_told_of_the_last_writer_once() {
        let mut order = DestinationOrder::default();
        for number in [3, 4] {
            assert!(told(&mut order, by(Thread::Math, number, MATRIX), [0, 0b110]).is_empty());
        }
        let packers = Units::packers(0b0001);
        let first = told(&mut order, by(Thread::Pack, 7, packers), [0b100, 0]);
        assert_eq!(first, [(4, Unit::Matrix, 128)]);
        assert!(told(&mut order, by(Thread::Pack, 8, packers), [0b100, 0]).is_empty());
        assert!(told(&mut order, by(Thread::Pack, 9, packers), [0b1000, 0]).is_empty());
        // Two reads need no order. The vector unit is the next to write the second part.
        assert!(told(&mut order, by(Thread::Math, 5, VECTOR), [0b100, 0]).is_empty());
        assert!(told(&mut order, by(Thread::Math, 6, VECTOR), [0, 0b010]).is_empty());
        let again = told(&mut order, by(Thread::Pack, 10, packers), [0b110, 0]);
        assert_eq!(again, [(6, Unit::Vector, 64)]);
    }

    #[test]
    fn a_writer_is_told_of_every_reading_unit_and_of_the_writer_before() {
        let mut order = DestinationOrder::default();
        assert!(
            told(&mut order, by(Thread::Unpack, 2, Units::of(Unit::Unpacker(0))), [0, 1])
                .is_empty()
        );
        let packed = told(&mut order, by(Thread::Pack, 5, Units::packers(0b0101)), [1, 0]);
        assert_eq!(packed, [(2, Unit::Unpacker(0), 0)]);
        let written = told(&mut order, by(Thread::Math, 9, MATRIX), [0, 1]);
        let earlier = [(2, Unit::Unpacker(0), 0), (5, Unit::Packer(0), 0), (5, Unit::Packer(2), 0)];
        assert_eq!(written, earlier);
    }

    #[test]
    fn packers_read_on_while_their_thread_goes_on() {
        let mut order = DestinationOrder::default();
        let packers = Units::packers(0b1001);
        assert!(told(&mut order, by(Thread::Pack, 3, packers), [1, 0]).is_empty());
        assert!(told(&mut order, by(Thread::Pack, 4, packers), [1, 0]).is_empty());
        let cleared = told(&mut order, by(Thread::Pack, 5, MATRIX), [0, 1]);
        assert_eq!(cleared, [(4, Unit::Packer(0), 0), (4, Unit::Packer(3), 0)]);
        assert!(told(&mut order, by(Thread::Pack, 6, packers), [1, 0]).is_empty());
    }

    #[test]
    fn the_units_that_compute_are_in_order_within_a_thread() {
        let mut order = DestinationOrder::default();
        assert!(told(&mut order, by(Thread::Math, 3, MATRIX), [0, 1]).is_empty());
        assert!(told(&mut order, by(Thread::Math, 4, VECTOR), [1, 0]).is_empty());
        // ZEROACC of the thread that packs: the matrix unit executes it behind, and the vector unit may still read.
        let cleared = told(&mut order, by(Thread::Pack, 6, MATRIX), [0, 1]);
        assert_eq!(cleared, [(4, Unit::Vector, 0)]);
        order.forget();
        assert!(told(&mut order, by(Thread::Math, 8, VECTOR), [1, 1]).is_empty());
    }
}
