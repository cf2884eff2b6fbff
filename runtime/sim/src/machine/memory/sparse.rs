//! Large memory of which only touched pages are held: DRAM and L1 of Ethernet tiles.

use super::pages::{PAGE, PAGE_BITS, PageNumber, Pages};
use super::poison::{Poison, Source, Taint};
use crate::machine::fault::Violation;
use crate::quick_hash::QuickMap;

/// Memory of which only what was written costs anything; the rest reads as zero.
#[derive(Debug)]
pub(crate) struct SparseMemory {
    name: &'static str,
    size: u64,
    /// By their number.
    touched: QuickMap<usize, Touched>,
    pages: Pages,
}

/// A page to which something was written.
#[derive(Debug)]
struct Touched {
    page: PageNumber,
    written: Written,
}

/// The bytes of a page that were written. All were where there is no [`Poison`].
#[derive(Debug)]
struct Written(Option<Box<Poison>>);

impl Written {
    const ALL: Self = Self(None);

    fn nothing() -> Self {
        Self(Some(Box::new(Poison::new(PAGE))))
    }

    /// Of a page that is about to be written for the first time.
    fn before(length: usize) -> Self {
        if length == PAGE { Self::ALL } else { Self::nothing() }
    }

    fn write(&mut self, offset: usize, length: usize) {
        let Some(poison) = &mut self.0 else { return };
        if length < PAGE {
            poison.write(offset, length);
            // Pages are mostly filled from their start to their end.
            if offset + length < PAGE || poison.first_gap(0, PAGE).is_some() {
                return;
            }
        }
        *self = Self::ALL;
    }

    fn of(&self, offset: usize, length: usize, own: Source) -> Option<Taint> {
        self.0.as_ref()?.of(offset, length, own)
    }

    fn taint(&mut self, offset: usize, taint: &Taint) {
        self.by_byte().taint(offset, taint);
    }

    fn forget(&mut self, offset: usize, length: usize) {
        match length {
            0 => {}
            PAGE => *self = Self::nothing(),
            _ => self.by_byte().forget(offset, length),
        }
    }

    fn by_byte(&mut self) -> &mut Poison {
        self.0.get_or_insert_with(|| {
            let mut poison = Poison::new(PAGE);
            poison.write(0, PAGE);
            Box::new(poison)
        })
    }
}

/// A range as parts of pages: the page's number, the offset in it, and how much of the range comes
/// before and lies in it.
fn parts(address: u64, length: usize) -> impl Iterator<Item = (usize, usize, usize, usize)> {
    let start = address as usize;
    let mut done = 0;
    std::iter::from_fn(move || {
        let at = start + done;
        let offset = at & (PAGE - 1);
        let part = (length - done).min(PAGE - offset);
        let before = done;
        done += part;
        (part > 0).then_some((at >> PAGE_BITS, offset, before, part))
    })
}

impl SparseMemory {
    pub(crate) fn new(name: &'static str, size: u64) -> Self {
        Self { name, size, touched: QuickMap::default(), pages: Pages::default() }
    }

    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    fn check(&self, address: u64, length: usize) -> Result<(), Violation> {
        match address.checked_add(length as u64) {
            Some(end) if end <= self.size => Ok(()),
            _ => Err(Violation::undefined(format!(
                "{length} bytes at {address:#x} pass the end of {} at {:#x}",
                self.name, self.size
            ))),
        }
    }

    pub(crate) fn read(&self, address: u64, buffer: &mut [u8]) -> Result<(), Violation> {
        self.check(address, buffer.len())?;
        for (index, offset, before, length) in parts(address, buffer.len()) {
            let Some(part) = buffer.get_mut(before..before + length) else { continue };
            let page = self.touched.get(&index).and_then(|touched| self.pages.get(touched.page));
            match page.and_then(|bytes| bytes.get(offset..offset + length)) {
                Some(source) => part.copy_from_slice(source),
                None => part.fill(0),
            }
        }
        Ok(())
    }

    pub(crate) fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), Violation> {
        self.check(address, bytes.len())?;
        for (index, offset, before, length) in parts(address, bytes.len()) {
            let part = bytes.get(before..before + length).unwrap_or_default();
            let Self { touched, pages, .. } = self;
            let wanted = (bytes.len() - before).div_ceil(PAGE);
            let touched = touched.entry(index).or_insert_with(|| Touched {
                page: pages.add(wanted),
                written: Written::before(length),
            });
            touched.written.write(offset, length);
            let page = pages.get_mut(touched.page);
            if let Some(target) = page.and_then(|bytes| bytes.get_mut(offset..offset + length)) {
                target.copy_from_slice(part);
            }
        }
        Ok(())
    }

    /// What is unknown of a range, whose first byte is `own`.
    pub(crate) fn taint_of(&self, address: u64, length: usize, own: Source) -> Option<Taint> {
        let mut taint: Option<Taint> = None;
        for (index, offset, before, part) in parts(address, length) {
            let own = own.after(before);
            let of_part = match self.touched.get(&index) {
                Some(touched) => touched.written.of(offset, part, own),
                None => Some(Taint::complete(part, own)),
            };
            let Some(of_part) = of_part else { continue };
            let whole = taint.get_or_insert_with(|| Taint {
                masks: vec![0; length],
                source: of_part.source.before(before),
            });
            if let Some(masks) = whole.masks.get_mut(before..before + part) {
                masks.copy_from_slice(&of_part.masks);
            }
        }
        taint
    }

    /// Notes that what was just written is unknown in part.
    pub(crate) fn taint(&mut self, address: u64, taint: &Taint) {
        for (index, offset, before, length) in parts(address, taint.masks.len()) {
            if let Some(part) = taint.part(before..before + length)
                && let Some(touched) = self.touched.get_mut(&index)
            {
                touched.written.taint(offset, &part);
            }
        }
    }

    /// Nobody knows any more what a range holds.
    pub(crate) fn forget(&mut self, address: u64, length: usize) {
        // Banks are given back whole, of which little was written.
        if length >> PAGE_BITS > self.touched.len() {
            let (start, end) = (address as usize, (address as usize).saturating_add(length));
            for (&index, touched) in &mut self.touched {
                let base = index << PAGE_BITS;
                let (from, to) = (start.max(base), end.min(base + PAGE));
                touched.written.forget(from.saturating_sub(base), to.saturating_sub(from));
            }
            return;
        }
        for (index, offset, _, part) in parts(address, length) {
            if let Some(touched) = self.touched.get_mut(&index) {
                touched.written.forget(offset, part);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use hallmark_chip::PhysicalCoordinate;

    use super::*;
    use crate::machine::memory::Memory;

    #[test]
    fn what_was_written_comes_back_and_the_rest_is_zero() {
        let mut memory = SparseMemory::new("DRAM", 1 << 31);
        let bytes: Vec<u8> = (0..5 * PAGE / 2).map(|byte| byte as u8).collect();
        let start = (PAGE - 100) as u64;
        memory.write(start, &bytes).unwrap();
        let mut back = vec![1; bytes.len() + 200];
        memory.read(start - 100, &mut back).unwrap();
        assert_eq!(&back[..100], &[0; 100]);
        assert_eq!(&back[100..100 + bytes.len()], &bytes);
        assert_eq!(&back[100 + bytes.len()..], &[0; 100]);
    }

    #[test]
    fn what_is_forgotten_ends_where_it_should() {
        let own = Source::new(Memory::Dram, PhysicalCoordinate { x: 0, y: 0 }, 0);
        // A few pages, and more than were ever written.
        for length in [PAGE, 1 << 30] {
            let mut memory = SparseMemory::new("DRAM", 1 << 31);
            memory.write(0, &vec![1; 3 * PAGE]).unwrap();
            memory.write(1 << 30, &[1; 200]).unwrap();
            memory.forget(100, length);
            assert_eq!(memory.taint_of(0, 100, own), None);
            assert_eq!(memory.taint_of(99, 2, own).unwrap().masks, [0, 0xFF]);
            let end = 100 + length as u64;
            assert_eq!(memory.taint_of(end - 1, 2, own).unwrap().masks, [0xFF, 0]);
            assert_eq!(memory.taint_of(end, 50, own), None);
        }
    }

    #[test]
    fn a_page_is_known_byte_by_byte_once_some_are_forgotten() {
        let own = Source::new(Memory::Dram, PhysicalCoordinate { x: 0, y: 0 }, 0);
        let parts: [&[usize]; 3] = [&[PAGE], &[PAGE / 2, PAGE / 2], &[100, 28, PAGE - 128]];
        for parts in parts {
            let mut memory = SparseMemory::new("DRAM", 1 << 31);
            let page = 3 * PAGE as u64;
            let mut at = page;
            for &length in parts {
                assert_eq!(memory.taint_of(at, 1, own).unwrap().masks, [0xFF]);
                memory.write(at, &vec![1; length]).unwrap();
                at += length as u64;
            }
            assert_eq!(memory.taint_of(page, PAGE, own), None);
            memory.forget(page + 7, 2);
            assert_eq!(memory.taint_of(page + 6, 4, own).unwrap().masks, [0, 0xFF, 0xFF, 0]);
            memory.write(page + 7, &[5]).unwrap();
            let taint = Taint::complete(1, own);
            memory.taint(page + 7, &taint);
            assert_eq!(memory.taint_of(page + 6, 4, own).unwrap().masks, [0, 0xFF, 0xFF, 0]);
            memory.write(page, &[2; PAGE]).unwrap();
            assert_eq!(memory.taint_of(page, PAGE, own), None);
        }
    }

    #[test]
    fn the_end_of_a_page_is_not_all_of_it() {
        let own = Source::new(Memory::Dram, PhysicalCoordinate { x: 0, y: 0 }, 0);
        let mut memory = SparseMemory::new("DRAM", 1 << 31);
        let (page, half) = (5 * PAGE as u64, PAGE / 2);
        memory.write(page + half as u64, &vec![1; half]).unwrap();
        assert_eq!(memory.taint_of(page + half as u64, half, own), None);
        let masks = memory.taint_of(page + half as u64 - 1, 2, own).unwrap().masks;
        assert_eq!(masks, [0xFF, 0]);
    }

    #[test]
    fn the_first_unknown_byte_may_lie_on_the_second_page() {
        let mut memory = SparseMemory::new("DRAM", 1 << 31);
        let (start, end) = (7 * PAGE as u64 - 6, 7 * PAGE as u64);
        let own = Source::new(Memory::Dram, PhysicalCoordinate { x: 3, y: 0 }, start);
        memory.write(start, &[1; 6]).unwrap();
        let expected = (6, Source { address: end, ..own });
        // First the second page is unwritten, then it holds a few written bytes.
        assert_eq!(memory.taint_of(start, 20, own).unwrap().first(), expected);
        memory.write(end + 4, &[1; 4]).unwrap();
        let taint = memory.taint_of(start, 20, own).unwrap();
        assert_eq!(taint.first(), expected);
        assert_eq!(taint.masks[6..15], [0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0xFF]);
        // And from where it was copied.
        let there = Source { address: 0x9_0000, ..own };
        memory.write(end, &[1; 4]).unwrap();
        memory.taint(end, &Taint::complete(4, there));
        assert_eq!(memory.taint_of(start, 20, own).unwrap().first(), (6, there));
    }

    #[test]
    fn a_page_can_be_forgotten_whole() {
        let own = Source::new(Memory::Dram, PhysicalCoordinate { x: 0, y: 0 }, 0);
        let mut memory = SparseMemory::new("DRAM", 1 << 31);
        memory.write(0, &vec![1; 3 * PAGE]).unwrap();
        memory.forget(PAGE as u64, PAGE);
        let first = PAGE as u64;
        assert_eq!(memory.taint_of(first, PAGE, own).unwrap().masks, [0xFF; PAGE]);
        assert_eq!(memory.taint_of(first - 1, 2, own).unwrap().masks, [0, 0xFF]);
        assert_eq!(memory.taint_of(2 * first - 1, 2, own).unwrap().masks, [0xFF, 0]);
    }

    #[test]
    fn the_end_is_the_end() {
        let mut memory = SparseMemory::new("DRAM", 1 << 31);
        memory.write((1 << 31) - 4, &[1; 4]).unwrap();
        assert!(memory.write((1 << 31) - 3, &[1; 4]).is_err());
        assert!(memory.read(u64::MAX, &mut [0; 4]).is_err());
    }
}
