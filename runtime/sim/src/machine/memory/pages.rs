//! The host's memory behind [`super::SparseMemory`], which holds touched pages only.

use memmap2::{Advice, MmapMut};

/// log2 of the bytes of a page: a page of the host.
pub(super) const PAGE_BITS: u32 = 12;
pub(super) const PAGE: usize = 1 << PAGE_BITS;

/// Pages that are allocated together at most: 8 MiB.
const MOST: usize = 2048;
/// From this many pages on, a slab is a mapping for which huge pages are asked: 2 MiB, as long as such a page is.
const MAPPED: usize = 512;

/// Pages, handed out in order.
///
/// A program writes either a few bytes to a bank of DRAM or many beside each other. Each slab has as many pages as all
/// before it together, so that a few bytes cost a page, and many cost few allocations, and the kernel clears them in huge
/// pages.
#[derive(Debug, Default)]
pub(super) struct Pages {
    slabs: Vec<Slab>,
    /// Pages of all slabs.
    held: usize,
    /// Pages of the last slab that are handed out.
    used: usize,
}

#[derive(Debug)]
enum Slab {
    Allocated(Box<[u8]>),
    Mapped(MmapMut),
}

/// Where a page lies.
#[derive(Clone, Copy, Debug)]
pub(super) struct PageNumber {
    slab: u32,
    page: u32,
}

impl Slab {
    fn new(pages: usize) -> Self {
        let length = pages << PAGE_BITS;
        if pages >= MAPPED
            && let Ok(map) = MmapMut::map_anon(length)
        {
            // A kernel without huge pages has small ones.
            let _ = map.advise(Advice::HugePage);
            return Self::Mapped(map);
        }
        Self::Allocated(vec![0; length].into_boxed_slice())
    }

    fn bytes(&self) -> &[u8] {
        match self {
            Self::Allocated(bytes) => bytes,
            Self::Mapped(map) => map,
        }
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        match self {
            Self::Allocated(bytes) => bytes,
            Self::Mapped(map) => map,
        }
    }
}

impl Pages {
    /// A page of zeros; `wanted` pages are about to be asked for, this one among them.
    pub(super) fn add(&mut self, wanted: usize) -> PageNumber {
        let in_last = self.slabs.last().map_or(0, |slab| slab.bytes().len() >> PAGE_BITS);
        if self.used == in_last {
            let pages = self.held.max(wanted).clamp(1, MOST);
            self.slabs.push(Slab::new(pages));
            self.held += pages;
            self.used = 0;
        }
        let page = PageNumber { slab: (self.slabs.len() - 1) as u32, page: self.used as u32 };
        self.used += 1;
        page
    }

    pub(super) fn get(&self, PageNumber { slab, page }: PageNumber) -> Option<&[u8]> {
        let start = (page as usize) << PAGE_BITS;
        self.slabs.get(slab as usize)?.bytes().get(start..start + PAGE)
    }

    pub(super) fn get_mut(&mut self, PageNumber { slab, page }: PageNumber) -> Option<&mut [u8]> {
        let start = (page as usize) << PAGE_BITS;
        self.slabs.get_mut(slab as usize)?.bytes_mut().get_mut(start..start + PAGE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_page_is_another_and_zero_at_first() {
        let mut pages = Pages::default();
        // Enough pages for slabs of both kinds, the first hundred asked for one by one.
        let numbers: Vec<_> =
            (0..3 * MOST).map(|at| pages.add(if at < 100 { 1 } else { MOST })).collect();
        for (at, &number) in numbers.iter().enumerate() {
            let page = pages.get_mut(number).unwrap();
            assert!(page.iter().all(|byte| *byte == 0), "page {at}");
            page.fill((at % 251) as u8 + 1);
        }
        for (at, &number) in numbers.iter().enumerate() {
            let value = (at % 251) as u8 + 1;
            assert!(pages.get(number).unwrap().iter().all(|byte| *byte == value), "page {at}");
        }
        let mapped = pages.slabs.iter().filter(|slab| matches!(slab, Slab::Mapped(_))).count();
        assert!(mapped > 0 && mapped < pages.slabs.len());
    }

    #[test]
    fn one_page_holds_no_second_one() {
        let mut pages = Pages::default();
        pages.add(1);
        assert_eq!(pages.held, 1);
        pages.add(1);
        assert_eq!(pages.held, 2);
    }
}
