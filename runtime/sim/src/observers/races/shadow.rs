//! Who accessed each byte of a tile's L1 last.
//!
//! A word has one cell, in which accesses of whole words, which are nearly all, leave one number for
//! the last write and one for the reads since. Where the bytes of a word differ in more than whether
//! they were accessed, the cell points to an entry of its own. Memory that nobody accessed costs
//! nothing.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ops::Range;
use std::sync::Arc;

use hallmark_chip::Meaning;

use super::sync::SyncWord;
use super::transfers::Record;
use crate::quick_hash::QuickMap;

/// log2 of the bytes of L1 whose cells are made together: their cells are a page of the host.
const PAGE_BITS: u32 = 10;
const CELLS: usize = 1 << (PAGE_BITS - 2);
/// An access of all four bytes.
pub(super) const WORD: u32 = 0xF;
/// Bytes of a word.
pub(super) const WORD_BYTES: u32 = 4;

/// Numbers of accesses that are none, with the bytes that they are about: none.
const SYNCHRONIZES: u32 = 1 << 4;
const DIFFERS: u32 = 2 << 4;

/// A number of an access in bits 4 to 31 and, below, of which bytes it was; with its pc.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ShadowWord {
    pub(super) mark: u32,
    pub(super) pc: u32,
}

impl ShadowWord {
    pub(super) const fn new(number: u32, bytes: u32, pc: u32) -> Self {
        Self { mark: number << 4 | bytes, pc }
    }

    pub(super) const fn number(self) -> u32 {
        self.mark >> 4
    }

    pub(super) const fn bytes(self) -> u32 {
        self.mark & WORD
    }

    /// Only these bytes of it.
    const fn of(self, bytes: u32) -> Self {
        if self.mark & bytes & WORD == 0 {
            return Self { mark: 0, pc: 0 };
        }
        Self { mark: self.mark & (!WORD | bytes), pc: self.pc }
    }
}

/// What is remembered of a word or of one of its bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Cell {
    pub(super) write: ShadowWord,
    pub(super) read: ShadowWord,
}

impl Cell {
    const SYNCHRONIZING: Self = Self {
        write: ShadowWord { mark: SYNCHRONIZES, pc: 0 },
        read: ShadowWord { mark: 0, pc: 0 },
    };

    pub(super) const fn synchronizes(&self) -> bool {
        self.write.mark == SYNCHRONIZES
    }

    pub(super) const fn differs(&self) -> bool {
        self.write.mark == DIFFERS
    }

    /// Replaces the first cell and those behind it that equal it. Gives how many these are.
    pub(super) fn replace_alike(cells: &mut [Self], by: Self) -> usize {
        let Some(&first) = cells.first() else { return 0 };
        let words = |cell: &Self| [cell.write.mark, cell.write.pc, cell.read.mark, cell.read.pc];
        let of_first = words(&first);
        // Without branches, so that the compiler compares several words at once.
        let difference = |cell: &Self| {
            let both = words(cell).into_iter().zip(of_first);
            both.fold(0, |all, (word, of_first)| all | (word ^ of_first))
        };
        let differs =
            |block: &[Self; BLOCK]| block.iter().fold(0, |all, cell| all | difference(cell)) != 0;
        let mut replaced = 0;
        for block in cells.as_chunks_mut().0 {
            if differs(block) {
                break;
            }
            *block = [by; BLOCK];
            replaced += BLOCK;
        }
        let rest = cells.get_mut(replaced..).unwrap_or_default();
        for cell in rest.iter_mut().take_while(|cell| **cell == first) {
            *cell = by;
            replaced += 1;
        }
        replaced
    }

    /// Whether all that is remembered of the word is of just these bytes. Of a word that synchronizes, and of one whose bytes
    /// differ, it is not.
    pub(super) const fn is_of(&self, bytes: u32) -> bool {
        (self.write.mark == 0 || self.write.bytes() == bytes)
            && (self.read.mark == 0 || self.read.bytes() == bytes)
    }
}

/// Cells that are compared at once.
const BLOCK: usize = 8;

type Page = Box<[Cell; CELLS]>;

/// The shadow of a tile's L1.
#[derive(Debug, Default)]
pub(super) struct Shadow {
    size: usize,
    /// Empty until there is one.
    pages: Vec<Option<Page>>,
    /// Words whose bytes differ.
    bytes: QuickMap<u32, [Cell; 4]>,
    /// Words that synchronize and have been used, by their number.
    synchronizing: BTreeMap<u32, Box<SyncWord>>,
    /// Words that synchronize because the host says so, used or not.
    annotated: Vec<AnnotatedWords>,
}

/// Semaphores or a mailbox.
#[derive(Clone, Debug)]
struct AnnotatedWords {
    /// By number.
    words: Range<u32>,
    mailbox: bool,
}

/// Whether a cell holds this very access for the bytes in question.
#[inline]
const fn is_held(held: u32, mark: u32, bytes: u32) -> bool {
    (held ^ mark) & (!WORD | bytes) == 0
}

const fn bytes_of<const SIZE: usize>(start: usize) -> u32 {
    ((1u32 << SIZE) - 1) << (start & 3)
}

impl Shadow {
    pub(super) fn new(size: usize) -> Self {
        Self { size, ..Self::default() }
    }

    #[inline(always)]
    fn cell(&self, start: usize) -> Option<&Cell> {
        self.pages.get(start >> PAGE_BITS)?.as_ref()?.get(start >> 2 & (CELLS - 1))
    }

    /// Whether an aligned load of 1, 2 or 4 bytes by the access `mark` changes nothing, because it has
    /// been there already.
    #[inline(always)]
    pub(super) fn has_loaded<const SIZE: usize>(&self, start: usize, mark: u32) -> bool {
        let bytes = bytes_of::<SIZE>(start);
        self.cell(start).is_some_and(|cell| {
            is_held(cell.read.mark, mark, bytes) || is_held(cell.write.mark, mark, bytes)
        })
    }

    /// The same for a store.
    #[inline(always)]
    pub(super) fn has_stored<const SIZE: usize>(&self, start: usize, mark: u32) -> bool {
        self.cell(start).is_some_and(|cell| is_held(cell.write.mark, mark, bytes_of::<SIZE>(start)))
    }

    /// The cells of a page, made if there are none.
    pub(super) fn page(&mut self, page: usize) -> Option<&mut [Cell; CELLS]> {
        if self.pages.is_empty() {
            self.pages.resize_with(self.size.div_ceil(1 << PAGE_BITS), || None);
        }
        let page = self.pages.get_mut(page)?;
        Some(page.get_or_insert_with(|| Box::new([Cell::default(); CELLS])))
    }

    pub(super) fn cell_mut(&mut self, word: u32) -> Option<&mut Cell> {
        let start = (word as usize) << 2;
        self.page(start >> PAGE_BITS)?.get_mut(start >> 2 & (CELLS - 1))
    }

    /// The cells of the first words of a range: of those on one page.
    pub(super) fn cells_mut(&mut self, words: Range<u32>) -> &mut [Cell] {
        let (start, end) = (words.start as usize, words.end as usize);
        let (page, first) = (start / CELLS, start % CELLS);
        let last = first.saturating_add(end.saturating_sub(start)).min(CELLS);
        self.page(page).and_then(|cells| cells.get_mut(first..last)).unwrap_or_default()
    }

    /// Words of a range, as pages and the cells in them.
    pub(super) fn split(start: u64, end: u64) -> impl Iterator<Item = (usize, usize, usize)> {
        let (first, last) = (start as usize >> 2, (end as usize).div_ceil(4));
        (first / CELLS..last.div_ceil(CELLS)).map(move |page| {
            let base = page * CELLS;
            (page, first.max(base) - base, last.min(base + CELLS) - base)
        })
    }

    /// A word's bytes, each with a mark of the whole byte.
    pub(super) fn expand(&mut self, word: u32) -> [Cell; 4] {
        let Some(&mut cell) = self.cell_mut(word) else { return Default::default() };
        if cell.differs() {
            return self.bytes.get(&word).copied().unwrap_or_default();
        }
        [1, 2, 4, 8].map(|byte| Cell { write: cell.write.of(byte), read: cell.read.of(byte) })
    }

    /// Puts a word's bytes back.
    pub(super) fn compress(&mut self, word: u32, bytes: [Cell; 4]) {
        let together = |held: [ShadowWord; 4]| {
            let mut whole = ShadowWord::default();
            for one in held.into_iter().filter(|one| one.mark != 0) {
                if whole.mark != 0 && whole.number() != one.number() {
                    return None;
                }
                whole = ShadowWord { mark: whole.mark | one.mark, pc: one.pc };
            }
            Some(whole)
        };
        let cell =
            match (together(bytes.map(|byte| byte.write)), together(bytes.map(|byte| byte.read))) {
                (Some(write), Some(read)) => {
                    self.bytes.remove(&word);
                    Cell { write, read }
                }
                _ => {
                    self.bytes.insert(word, bytes);
                    Cell { write: ShadowWord { mark: DIFFERS, pc: 0 }, read: ShadowWord::default() }
                }
            };
        if let Some(slot) = self.cell_mut(word) {
            *slot = cell;
        }
    }

    /// A word that synchronizes.
    pub(super) fn synchronizing(&mut self, word: u32) -> Option<&mut SyncWord> {
        match self.synchronizing.entry(word) {
            Entry::Occupied(entry) => Some(entry.into_mut()),
            Entry::Vacant(entry) => {
                let annotated = self.annotated.iter().find(|it| it.words.contains(&word))?;
                let mut word = Box::<SyncWord>::default();
                if annotated.mailbox {
                    word.make_mailbox();
                }
                Some(entry.insert(word))
            }
        }
    }

    /// From now on a word synchronizes.
    pub(super) fn promote(&mut self, word: u32) -> Option<&mut SyncWord> {
        let cell = self.cell_mut(word)?;
        *cell = Cell::SYNCHRONIZING;
        self.bytes.remove(&word);
        Some(self.synchronizing.entry(word).or_default())
    }

    /// Nobody has accessed a range yet, and it does not synchronize.
    fn clear(&mut self, start: u32, end: u32) {
        for (page, from, to) in Self::split(start.into(), end.into()) {
            if let Some(Some(page)) = self.pages.get_mut(page)
                && let Some(cells) = page.get_mut(from..to)
            {
                cells.fill(Cell::default());
            }
        }
        let words = start >> 2..end.div_ceil(4);
        self.bytes.retain(|word, _| !words.contains(word));
        self.synchronizing.retain(|word, _| !words.contains(word));
        let overlaps = |it: &AnnotatedWords| {
            it.words.start < words.end && words.start < it.words.end && !words.is_empty()
        };
        if self.annotated.iter().any(overlaps) {
            let annotated = std::mem::take(&mut self.annotated);
            let cut = annotated.into_iter().flat_map(|AnnotatedWords { words: held, mailbox }| {
                let before = held.start..held.end.min(words.start);
                let after = held.start.max(words.end)..held.end;
                [before, after].map(|words| AnnotatedWords { words, mailbox })
            });
            self.annotated = cut.filter(|it| !it.words.is_empty()).collect();
        }
    }

    /// A range is for something else from now on: what was done to it before is over.
    pub(super) fn annotate(&mut self, start: u32, end: u32, meaning: Option<Meaning>) {
        self.clear(start, end);
        if !matches!(meaning, Some(Meaning::Semaphore | Meaning::Mailbox)) {
            return;
        }
        let words = start.div_ceil(4)..end >> 2;
        self.mark(words.clone());
        self.annotated.push(AnnotatedWords { words, mailbox: meaning == Some(Meaning::Mailbox) });
    }

    /// Says in the cells of words that they synchronize.
    fn mark(&mut self, words: Range<u32>) {
        let bytes = |word: u32| u64::from(word) << 2;
        for (page, from, to) in Self::split(bytes(words.start), bytes(words.end)) {
            if let Some(cells) = self.page(page).and_then(|page| page.get_mut(from..to)) {
                cells.fill(Cell::SYNCHRONIZING);
            }
        }
    }

    /// All that was done is over, for everybody.
    pub(super) fn forget(&mut self) {
        self.bytes.clear();
        for page in &mut self.pages {
            *page = None;
        }
        for annotated in self.annotated.clone() {
            self.mark(annotated.words);
        }
        let mut synchronizing = std::mem::take(&mut self.synchronizing);
        for (&word, synchronizing) in &mut synchronizing {
            synchronizing.forget();
            if let Some(cell) = self.cell_mut(word) {
                *cell = Cell::SYNCHRONIZING;
            }
        }
        self.synchronizing = synchronizing;
    }

    /// The requests that words which synchronize remember.
    pub(super) fn records(&self) -> impl Iterator<Item = &Arc<Record>> {
        self.synchronizing.values().flat_map(|word| word.records())
    }

    /// The numbers of accesses that are remembered, each with the number of cells beside each other that hold it: requests
    /// and loops access many words, and most pages are empty for the most part.
    pub(super) fn held(&self) -> impl Iterator<Item = (u32, usize)> {
        let marks = |cell: &Cell| u64::from(cell.write.mark) << 32 | u64::from(cell.read.mark);
        let pages = self.pages.iter().flatten().map(|page| &page[..]);
        let bytes = self.bytes.values().map(|cells| &cells[..]);
        let runs = pages
            .chain(bytes)
            .flat_map(move |cells| cells.chunk_by(move |one, next| marks(one) == marks(next)));
        runs.flat_map(|cells| {
            let of = |mark: ShadowWord| (mark.number(), cells.len());
            cells.first().map(|cell| [of(cell.write), of(cell.read)]).into_iter().flatten()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_held_by_writes_and_by_reads() {
        let mut shadow = Shadow::new(1 << 12);
        let mark = |number| ShadowWord::new(number, WORD, 0);
        // The same write in five words, of which two were read by one and three by another.
        for (word, cell) in (250..).zip(shadow.cells_mut(250..255)) {
            cell.write = mark(40);
            cell.read = mark(if word < 252 { 41 } else { 42 });
        }
        shadow.cell_mut(700).unwrap().read = mark(43);
        let mut held: BTreeMap<u32, usize> = BTreeMap::new();
        for (number, times) in shadow.held() {
            *held.entry(number).or_default() += times;
        }
        let nobody = 2 * 2 * CELLS - 11;
        assert_eq!(held, BTreeMap::from([(0, nobody), (40, 5), (41, 2), (42, 3), (43, 1)]));
    }

    #[test]
    fn cells_of_a_range_end_with_their_page() {
        let mut shadow = Shadow::new(1 << 12);
        assert_eq!(shadow.cells_mut(254..300).len(), 2);
        assert_eq!(shadow.cells_mut(256..300).len(), 44);
        assert_eq!(shadow.cells_mut(7..7).len(), 0);
        assert_eq!(shadow.cells_mut(1020..1030).len(), 4);
        assert!(shadow.cells_mut(1024..1030).is_empty());
        let mark = |word: u32| ShadowWord::new(word, WORD, 0);
        for (word, cell) in (254..).zip(shadow.cells_mut(254..256)) {
            cell.write = mark(word);
        }
        assert_eq!(
            [254, 255].map(|word| shadow.cell_mut(word).unwrap().write),
            [254, 255].map(mark)
        );
    }

    #[test]
    fn cells_are_replaced_up_to_the_first_that_differs_in_anything() {
        let cell = Cell { write: ShadowWord::new(5, WORD, 12), read: ShadowWord::new(6, WORD, 16) };
        let by = Cell { write: ShadowWord::new(7, WORD, 20), ..cell };
        assert_eq!(Cell::replace_alike(&mut [], by), 0);
        for length in [1, 7, 8, 9, 24, 29] {
            let mut cells = vec![cell; length];
            assert_eq!(Cell::replace_alike(&mut cells, by), length);
            assert_eq!(cells, vec![by; length]);
            for (at, number) in (1..length).flat_map(|at| [0, 1, 2, 3].map(|number| (at, number))) {
                let mut cells = vec![cell; length];
                let Cell { write, read } = &mut cells[at];
                *[&mut write.mark, &mut write.pc, &mut read.mark, &mut read.pc][number] ^= 1 << 31;
                let rest = cells[at..].to_vec();
                assert_eq!(Cell::replace_alike(&mut cells, by), at, "word {number} of {at}");
                assert!(cells[..at].iter().all(|cell| *cell == by) && cells[at..] == rest);
            }
        }
    }

    #[test]
    fn ranges_are_split_at_pages() {
        let all: Vec<_> = Shadow::split(0x03FF, 0x0C01).collect();
        assert_eq!(all, [(0, 255, 256), (1, 0, 256), (2, 0, 256), (3, 0, 1)]);
        assert_eq!(Shadow::split(8, 9).collect::<Vec<_>>(), [(0, 2, 3)]);
        assert_eq!(Shadow::split(8, 12).collect::<Vec<_>>(), [(0, 2, 3)]);
    }

    /// Of every number, whether the word synchronizes and whether it is a mailbox's.
    fn kinds(shadow: &mut Shadow, words: Range<u32>) -> Vec<Option<bool>> {
        words.map(|word| shadow.synchronizing(word).map(|word| word.is_mailbox())).collect()
    }

    #[test]
    fn annotated_words_synchronize_until_their_memory_is_for_something_else() {
        let mut shadow = Shadow::new(1 << 16);
        // A mailbox of six words across two pages, and a semaphore.
        shadow.annotate(0x3F8, 0x410, Some(Meaning::Mailbox));
        shadow.annotate(0x420, 0x424, Some(Meaning::Semaphore));
        let (no, mailbox, semaphore) = (None, Some(true), Some(false));
        let synchronizes = |shadow: &mut Shadow, word: u32| {
            shadow.cell_mut(word).is_some_and(|cell| cell.synchronizes())
        };
        // The words are unused in the first round, and used in the second.
        for _ in 0..2 {
            let expected = [no, mailbox, mailbox, mailbox, mailbox, mailbox, mailbox, no, no];
            assert_eq!(kinds(&mut shadow, 0xFD..0x106), expected);
            assert_eq!(kinds(&mut shadow, 0x107..0x10A), [no, semaphore, no]);
            for word in 0xFD..0x10A {
                let is_annotated = (0xFE..0x104).contains(&word) || word == 0x108;
                assert_eq!(synchronizes(&mut shadow, word), is_annotated, "{word:#x}");
            }
            shadow.forget();
        }
        // The third and fourth words are data from now on.
        shadow.annotate(0x400, 0x408, Some(Meaning::Buffer));
        let left = [mailbox, mailbox, no, no, mailbox, mailbox];
        assert_eq!(kinds(&mut shadow, 0xFE..0x104), left);
        shadow.forget();
        assert_eq!(kinds(&mut shadow, 0xFE..0x104), left);
        assert!(!synchronizes(&mut shadow, 0x100) && synchronizes(&mut shadow, 0x102));
        shadow.annotate(0x3F8, 0x410, Some(Meaning::Semaphore));
        assert_eq!(kinds(&mut shadow, 0xFE..0x104), [semaphore; 6]);
    }

    #[test]
    fn bytes_that_agree_share_a_cell() {
        let mut shadow = Shadow::new(1 << 16);
        let of = |number: u32, byte: u32| Cell {
            write: ShadowWord::new(number, byte, 4),
            read: ShadowWord::default(),
        };
        shadow.compress(5, [of(9, 1), of(9, 2), Cell::default(), of(9, 8)]);
        assert_eq!(shadow.cell_mut(5).unwrap().write, ShadowWord::new(9, 0b1011, 4));
        assert!(shadow.has_stored::<2>(20, 9 << 4 | WORD));
        assert!(!shadow.has_stored::<2>(22, 9 << 4 | WORD));
        assert!(shadow.has_stored::<1>(23, 9 << 4 | WORD));
        let different = [of(9, 1), of(7, 2), Cell::default(), of(9, 8)];
        shadow.compress(5, different);
        assert!(shadow.cell_mut(5).unwrap().differs());
        assert_eq!(shadow.expand(5), different);
        assert!(!shadow.has_stored::<1>(20, 9 << 4 | WORD));
    }
}
