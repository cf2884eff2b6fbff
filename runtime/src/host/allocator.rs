//! The addresses of buffers: deterministic and computable on the host, because one free list serves every
//! bank of a kind (tt-metal: `BankManager`).

use std::collections::BTreeMap;

use hallmark_chip::ChipDescription;
use hallmark_engine::addresses::Placement;
use hallmark_schema::model::BufferType;

use crate::defects::{Defect, planted};

/// The alignment of the addresses and pages of buffers.
pub const fn bank_alignment(chip: &ChipDescription, buffer_type: BufferType) -> u64 {
    // Widening only: `From` is not yet usable in a `const fn`.
    match buffer_type {
        BufferType::Dram => chip.dram_alignment as u64,
        BufferType::L1 | BufferType::L1Small => chip.l1_alignment as u64,
    }
}

/// Bytes from one page of a bank to the next, if that is a number at all.
pub const fn page_stride(
    chip: &ChipDescription,
    buffer_type: BufferType,
    page_size: u64,
) -> Option<u64> {
    page_size.checked_next_multiple_of(bank_alignment(chip, buffer_type))
}

/// From which end free space is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// The lowest fitting address: DRAM.
    BottomUp,
    /// The highest fitting address: L1, whose lower end belongs to circular buffers.
    TopDown,
}

/// Free space of banks that are all divided alike. Addresses are bank-relative bytes.
#[derive(Clone, Debug)]
pub struct BankAllocator {
    direction: Direction,
    /// Of pages.
    alignment: u64,
    /// Of buffers: a power of two that pages are aligned to or a multiple of it.
    block: u64,
    start: u64,
    end: u64,
    /// Free ranges by start; the value is the end. Never empty, never touching.
    free: BTreeMap<u64, u64>,
    /// Allocated ranges by start; the value is the length in each bank.
    taken: BTreeMap<u64, u64>,
}

/// No free range holds the request, or it is beyond 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not enough space")]
pub struct NoSpace {
    /// Bytes that each bank would have to give, if that is a number at all.
    pub bank_size: Option<u64>,
    /// The largest free range of a bank, bytes.
    pub largest_free: u64,
}

impl BankAllocator {
    /// Banks that give the bytes from `start` to `end`. Pages are aligned to `alignment`, and buffers to
    /// `block`, both powers of two: a buffer of L1 starts where DRAM could start one too, so that its
    /// first page and DRAM's are congruent for the NoC (tt-metal: `BankManager::init_allocators`).
    pub fn new(direction: Direction, alignment: u64, block: u64, start: u64, end: u64) -> Self {
        let alignment = alignment.max(1);
        let block = block.max(alignment);
        let start = start.next_multiple_of(block);
        let end = end - end % block;
        let mut free = BTreeMap::new();
        if start < end {
            free.insert(start, end);
        }
        Self {
            direction,
            alignment,
            block,
            start,
            end: end.max(start),
            free,
            taken: BTreeMap::new(),
        }
    }

    /// Places a buffer; no bank holds more than `slots` of its pages of `page_size` bytes.
    ///
    /// Takes the first range that fits, from the end that the caller's direction names, or else the direction of the
    /// memory. A request for no bytes succeeds and takes none.
    pub fn allocate(
        &mut self,
        slots: u64,
        page_size: u64,
        direction: Option<Direction>,
    ) -> Result<Placement, NoSpace> {
        let direction = direction.unwrap_or(self.direction);
        let stride = if planted(Defect::PagesUnaligned) {
            Some(page_size)
        } else {
            page_size.checked_next_multiple_of(self.alignment)
        };
        let bank_size = stride
            .and_then(|stride| stride.checked_mul(slots))
            .and_then(|size| size.checked_next_multiple_of(self.block));
        let largest_free = self.largest_free();
        let no_space = NoSpace { bank_size, largest_free };
        let (Some(page_stride), Some(bank_size)) = (stride, bank_size) else {
            return Err(no_space);
        };
        if bank_size == 0 {
            let address = match direction {
                Direction::BottomUp => self.start,
                Direction::TopDown => self.end,
            };
            return Ok(Placement { address, page_stride, bank_size });
        }
        let fits =
            |(&start, &end): (&u64, &u64)| (end - start >= bank_size).then_some((start, end));
        let found = match direction {
            Direction::BottomUp => self.free.iter().find_map(fits),
            Direction::TopDown => self.free.iter().rev().find_map(fits),
        };
        let (start, end) = found.ok_or(no_space)?;
        if planted(Defect::MemoryGivenTwice) {
            let address = if direction == Direction::BottomUp { start } else { end - bank_size };
            return Ok(Placement { address, page_stride, bank_size });
        }
        self.free.remove(&start);
        let address = match direction {
            Direction::BottomUp => {
                if start + bank_size < end {
                    self.free.insert(start + bank_size, end);
                }
                start
            }
            Direction::TopDown => {
                if start < end - bank_size {
                    self.free.insert(start, end - bank_size);
                }
                end - bank_size
            }
        };
        self.taken.insert(address, bank_size);
        Ok(Placement { address, page_stride, bank_size })
    }

    /// Gives a placement back and joins it with its free neighbours. False if it was not allocated.
    pub fn free(&mut self, placement: &Placement) -> bool {
        if placement.bank_size == 0 {
            return true;
        }
        if self.taken.get(&placement.address) != Some(&placement.bank_size) {
            return false;
        }
        self.taken.remove(&placement.address);
        if planted(Defect::FreedMemoryLost) {
            return true;
        }
        let mut start = placement.address;
        let mut end = placement.address + placement.bank_size;
        if planted(Defect::FreeNeighboursApart) {
            self.free.insert(start, end);
            return true;
        }
        if let Some(after) = self.free.remove(&end) {
            end = after;
        }
        if let Some((&before, &before_end)) = self.free.range(..start).next_back()
            && before_end == start
        {
            self.free.remove(&before);
            start = before;
        }
        self.free.insert(start, end);
        true
    }

    /// The lowest allocated address.
    pub fn lowest_taken(&self) -> Option<u64> {
        self.taken.keys().next().copied()
    }

    /// The largest free range of a bank, bytes.
    pub fn largest_free(&self) -> u64 {
        self.free.iter().map(|(start, end)| end - start).max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The same rules over one flag per byte.
    struct Naive {
        start: u64,
        taken: Vec<bool>,
    }

    impl Naive {
        fn allocate(&mut self, size: u64, direction: Direction) -> Option<u64> {
            let size = usize::try_from(size).unwrap();
            let fits = |&at: &usize| !self.taken[at..at + size].contains(&true);
            let last = self.taken.len().checked_sub(size)?;
            // First fit takes the nearest range that is large enough, and inside it the near end.
            let at = match direction {
                Direction::BottomUp => (0..=last).find(fits),
                Direction::TopDown => (0..=last).rev().find(fits),
            }?;
            self.taken[at..at + size].fill(true);
            Some(self.start + at as u64)
        }

        fn free(&mut self, address: u64, size: u64) {
            let at = usize::try_from(address - self.start).unwrap();
            self.taken[at..at + usize::try_from(size).unwrap()].fill(false);
        }
    }

    proptest! {
        #[test]
        fn agrees_with_a_byte_map(
            top_down in any::<bool>(),
            block in prop::sample::select(vec![16_u64, 32, 64]),
            steps in proptest::collection::vec((any::<bool>(), 0u64..20, 1u64..70, any::<Option<bool>>(), any::<prop::sample::Index>()), 1..80),
        ) {
            let towards = |top_down| if top_down { Direction::TopDown } else { Direction::BottomUp };
            let direction = towards(top_down);
            let mut allocator = BankAllocator::new(direction, 16, block, 60, 1090);
            let mut naive = Naive { start: 64, taken: vec![false; 1024] };
            let mut live: Vec<Placement> = Vec::new();
            for (release, slots, page_size, asked, which) in steps {
                if release && !live.is_empty() {
                    let placement = live.swap_remove(which.index(live.len()));
                    prop_assert!(allocator.free(&placement));
                    prop_assert!(placement.bank_size == 0 || !allocator.free(&placement));
                    naive.free(placement.address, placement.bank_size);
                } else {
                    let stride = page_size.next_multiple_of(16);
                    let size = (stride * slots).next_multiple_of(block);
                    let asked = asked.map(towards);
                    let actual = allocator.allocate(slots, page_size, asked).ok();
                    if size == 0 {
                        prop_assert!(actual.is_some());
                        continue;
                    }
                    let expected = naive.allocate(size, asked.unwrap_or(direction));
                    prop_assert_eq!(actual.map(|placement| placement.address), expected);
                    live.extend(actual);
                }
                prop_assert_eq!(
                    allocator.lowest_taken(),
                    live.iter().filter(|placement| placement.bank_size > 0).map(|placement| placement.address).min()
                );
            }
        }
    }

    #[test]
    fn impossible_sizes_are_refused() {
        let mut allocator = BankAllocator::new(Direction::BottomUp, 32, 32, 64, 1 << 30);
        assert_eq!(
            allocator.allocate(u64::MAX, u64::MAX, None),
            Err(NoSpace { bank_size: None, largest_free: (1 << 30) - 64 })
        );
        assert!(allocator.allocate(u64::MAX / 2, 1 << 20, None).is_err());
        assert_eq!(allocator.allocate(2, 100, None).map(|placement| placement.bank_size), Ok(256));
    }
}
