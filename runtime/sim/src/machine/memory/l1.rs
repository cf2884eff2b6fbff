//! L1 of a tile: its bytes, what is known of them, who wrote them and who waits for them.

use std::collections::{BTreeMap, HashMap};

use hallmark_chip::{
    ChipDescription, FaultCategory, FaultPlace, InstructionSet, LaunchMessages, Lowered,
    PhysicalCoordinate, Position, Processor, Writer,
};

use super::messages;
use super::poison::{Memory, Poison, Source, Taint};
use crate::machine::core::decode::{self, Decoded};
use crate::machine::fault::{CoreOrigin, Origin, Violation};

/// log2 of the bytes per flag that says whether anything was decoded or watched there.
const PAGE_BITS: u32 = 12;
/// log2 of the bytes of address space that the registers of a NoC interface, or of another unit, share.
const BLOCK_BITS: u32 = 16;

/// The bit of a block of registers among those that cores watch; blocks may share one.
const fn block_bit(address: u32) -> u64 {
    1 << (address >> BLOCK_BITS & 63)
}

/// The last changes of a word or a register.
#[derive(Clone, Copy, Debug, Default)]
struct Changes {
    last_writer: Option<Writer>,
    /// The value of a word after the last change.
    value: u32,
    /// The change by a core that last gave a word a smaller value, since the host wrote it: the value before, the value
    /// after, and the instruction.
    lowered: Option<(u32, u32, CoreOrigin)>,
}

/// How a word was changed.
#[derive(Clone, Copy, Debug)]
enum ChangedBy {
    /// By a store, an atomic, or a write of nothing else.
    Word(Origin),
    /// With other bytes.
    More(Origin),
}

impl ChangedBy {
    const fn origin(&self) -> &Origin {
        match self {
            Self::Word(origin) | Self::More(origin) => origin,
        }
    }
}

/// A tile's L1 with what is known about each word: its decoded instruction, and whether somebody
/// waits on it.
///
/// What is known about words is kept from the first one on: tiles that only hold data have none, and a
/// process that opens one chip after another does not pay for clearing it each time.
#[derive(Debug)]
pub(crate) struct TileMemory {
    /// L1 itself.
    pub(crate) bytes: Vec<u8>,
    /// Which of its bytes nobody wrote. What changes `bytes` changes it too.
    pub(crate) poison: Poison,
    at: PhysicalCoordinate,
    /// Per word of L1 its decoded instruction, 0 if there is none, and [`decode::WATCHED`]; empty
    /// until there is one.
    pub(crate) decoded: Vec<Decoded>,
    marked_pages: Vec<bool>,
    instruction_set: InstructionSet,
    instruction_ram: InstructionRam,
    /// Words that were written after cores had fetched them, whose instruction caches have not been
    /// emptied since: the cores as in [`decode::FETCHED`], and who wrote.
    stale: HashMap<u32, (Decoded, Writer)>,
    /// Words and registers whose changes are known, by address.
    changes: BTreeMap<u32, Changes>,
    watches: [Vec<u32>; 5],
    /// Instructions, ascending, at which launches begin or end; they are decoded anew each time.
    told: Vec<u32>,
    /// Those of them that no message tells.
    told_by_tile: Vec<u32>,
    /// Where messages of launches lie, whose kernels are told of, too.
    messages: Option<LaunchMessages>,
    /// Of each core the blocks of registers in which it watches some: see [`block_bit`].
    watched_blocks: [u64; 5],
    /// Cores, by bit, whose watched words were written since they parked.
    pub(crate) woken: u8,
}

impl TileMemory {
    pub(crate) fn new(at: PhysicalCoordinate, description: &ChipDescription) -> Self {
        let size = description.l1_size as usize;
        let (base, ram) = description.private_memory.ncrisc_instruction_ram.unwrap_or((0, 0));
        Self {
            bytes: vec![0; size],
            poison: Poison::new(size),
            at,
            decoded: Vec::new(),
            marked_pages: vec![false; (size >> PAGE_BITS) + 1],
            instruction_set: description.instruction_set,
            instruction_ram: InstructionRam::new(base, ram as usize),
            stale: HashMap::new(),
            changes: BTreeMap::new(),
            watches: Default::default(),
            told: Vec::new(),
            told_by_tile: Vec::new(),
            messages: None,
            watched_blocks: Default::default(),
            woken: 0,
        }
    }

    pub(crate) fn instruction_set(&self) -> &InstructionSet {
        &self.instruction_set
    }

    pub(crate) fn size(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn check(&self, address: u64, length: usize) -> Result<usize, Violation> {
        match address.checked_add(length as u64) {
            Some(end) if end <= self.size() => Ok(address as usize),
            _ => Err(Violation::undefined(format!(
                "{length} bytes at {address:#x} pass the end of L1 at {:#x}",
                self.size()
            ))),
        }
    }

    pub(crate) fn read(&self, address: u64, buffer: &mut [u8]) -> Result<(), Violation> {
        let start = self.check(address, buffer.len())?;
        if let Some(source) = self.bytes.get(start..start + buffer.len()) {
            buffer.copy_from_slice(source);
        }
        Ok(())
    }

    pub(crate) fn word(&self, address: u32) -> Option<u32> {
        let start = address as usize;
        let bytes = self.bytes.get(start..start + 4)?;
        bytes.first_chunk().copied().map(u32::from_le_bytes)
    }

    /// A write by the host or the NoC; a single word is also remembered by its writer.
    pub(crate) fn write(
        &mut self,
        address: u64,
        bytes: &[u8],
        origin: Origin,
    ) -> Result<(), Violation> {
        let start = self.check(address, bytes.len())?;
        let end = start + bytes.len();
        if let Some(target) = self.bytes.get_mut(start..end) {
            target.copy_from_slice(bytes);
        }
        if bytes.is_empty() {
            return Ok(());
        }
        self.poison.write(start, bytes.len());
        let by = if bytes.len() == 4 { ChangedBy::Word(origin) } else { ChangedBy::More(origin) };
        if bytes.len() == 4 && start.is_multiple_of(4) {
            // Who changes it is known from now on, cores that store to it included.
            if !self.changes.contains_key(&(start as u32)) {
                self.mark(start as u32);
            }
        }
        for page in start >> PAGE_BITS..=(end - 1) >> PAGE_BITS {
            if !self.marked_pages.get(page).copied().unwrap_or(false) {
                continue;
            }
            let from = start.max(page << PAGE_BITS) / 4;
            let to = end.min((page + 1) << PAGE_BITS).div_ceil(4);
            for word in from..to {
                if self.decoded.get(word).is_some_and(|&decoded| decoded != 0) {
                    self.note_word(word as u32 * 4, by);
                }
            }
        }
        if self.messages.is_some_and(|messages| messages.holds(address, bytes.len() as u64)) {
            self.tell();
        }
        Ok(())
    }

    fn source(&self, address: u32) -> Source {
        Source::new(Memory::L1, self.at, address.into())
    }

    /// What is unknown of a range of L1.
    pub(crate) fn taint_of(&self, start: u32, length: usize) -> Option<Taint> {
        self.poison.of(start as usize, length, self.source(start))
    }

    /// Nobody knows any more what a range holds. Nor are there instructions.
    pub(crate) fn forget(&mut self, start: usize, length: usize) {
        self.poison.forget(start, length);
        let end = start.saturating_add(length).min(self.bytes.len());
        for page in start >> PAGE_BITS..end.div_ceil(1 << PAGE_BITS) {
            if !self.marked_pages.get(page).copied().unwrap_or(false) {
                continue;
            }
            let from = start.max(page << PAGE_BITS) / 4;
            let to = end.min((page + 1) << PAGE_BITS).div_ceil(4);
            for decoded in self.decoded.get_mut(from..to).unwrap_or_default() {
                // Instruction caches go on holding what they fetched.
                *decoded &= decode::WATCHED | decode::FETCHED;
            }
        }
    }

    /// A core has stored to a word that carries a mark; which instruction that was.
    #[cold]
    pub(crate) fn note_store(
        &mut self,
        address: u32,
        processor: Processor,
        pc: u32,
        retired: u64,
    ) -> CoreOrigin {
        let instruction = self.instruction(pc, true).unwrap_or(0);
        let origin = CoreOrigin { tile: self.at, processor, pc, instruction, retired };
        self.note_word(address & !3, ChangedBy::Word(Origin::Core(origin)));
        origin
    }

    /// A word that carries a mark was written: forget its instruction, and wake who waits on it.
    #[cold]
    fn note_word(&mut self, word: u32, by: ChangedBy) {
        let Some(decoded) = self.decoded.get_mut(word as usize / 4) else { return };
        let (watched, fetched) = (*decoded & decode::WATCHED, *decoded & decode::FETCHED);
        *decoded = watched;
        if fetched != 0 {
            let writer = by.origin().writer();
            let stale = self.stale.entry(word).or_insert((0, writer));
            *stale = (stale.0 | fetched, writer);
        }
        if watched != 0 {
            self.note_change(word, by);
            self.wake(|address| address == word);
        }
    }

    /// A word has another value, or the same one again.
    fn note_change(&mut self, word: u32, by: ChangedBy) {
        let value = self.word(word).unwrap_or_default();
        let known = self.changes.entry(word).or_default();
        known.last_writer = Some(by.origin().writer());
        match by {
            // The host or a dispatcher begins anew.
            ChangedBy::Word(Origin::Host) | ChangedBy::More(_) => known.lowered = None,
            ChangedBy::Word(Origin::Core(core)) if value < known.value => {
                known.lowered = Some((known.value, value, core));
            }
            ChangedBy::Word(Origin::Core(_)) => {}
        }
        known.value = value;
    }

    /// A register whose value cores wait on was written.
    pub(crate) fn note_register(&mut self, address: u32, writer: Writer) {
        self.changes.entry(address).or_default().last_writer = Some(writer);
        self.wake(|watched| watched == address);
    }

    /// Whether a core may be parked on a register of the 64 KiB from `base` on.
    #[inline]
    pub(crate) fn may_watch_registers(&self, base: u32) -> bool {
        let watched = self.watched_blocks.iter().fold(0, |all, blocks| all | blocks);
        watched & block_bit(base) != 0
    }

    /// Wakes every core that is parked on a register of the 64 KiB from `base` on.
    pub(crate) fn wake_for_registers(&mut self, base: u32) {
        // Cores that issue requests write many, and hardly ever does another wait for one of the same block.
        if self.may_watch_registers(base) {
            self.wake(|address| address >> BLOCK_BITS == base >> BLOCK_BITS);
        }
    }

    /// Wakes every core that is parked on an address which `matches`.
    pub(crate) fn wake(&mut self, matches: impl Fn(u32) -> bool) {
        for (core, watches) in self.watches.iter().enumerate() {
            if watches.iter().any(|&address| matches(address)) {
                self.woken |= 1 << core;
            }
        }
    }

    /// From now on a core that stores to the word is noted, and observers are told.
    pub(crate) fn mark(&mut self, address: u32) {
        self.keep_marks();
        if let Some(decoded) = self.decoded.get_mut(address as usize / 4) {
            *decoded |= decode::WATCHED;
            if let Some(page) = self.marked_pages.get_mut(address as usize >> PAGE_BITS) {
                *page = true;
            }
            // So that its next change is known to lower it.
            if let Some(value) = self.word(address) {
                self.changes.entry(address).or_insert(Changes { value, ..Changes::default() });
            }
        }
    }

    fn keep_marks(&mut self) {
        if self.decoded.is_empty() {
            self.decoded = vec![0; self.bytes.len() / 4];
        }
    }

    /// Notes what a core is parked on. L1 words stay marked, so that their writers are known when
    /// somebody waits there again.
    pub(crate) fn watch(&mut self, core: usize, addresses: Vec<u32>) {
        for &address in &addresses {
            self.mark(address);
        }
        let size = self.size();
        if let Some(blocks) = self.watched_blocks.get_mut(core) {
            let registers = addresses.iter().filter(|&&address| u64::from(address) >= size);
            *blocks = registers.fold(0, |blocks, &address| blocks | block_bit(address));
        }
        if let Some(watches) = self.watches.get_mut(core) {
            *watches = addresses;
        }
    }

    pub(crate) fn unwatch(&mut self, core: usize) {
        if let Some(watches) = self.watches.get_mut(core) {
            watches.clear();
        }
        if let Some(blocks) = self.watched_blocks.get_mut(core) {
            *blocks = 0;
        }
        self.woken &= !(1 << core);
    }

    pub(crate) fn last_writer(&self, address: u32) -> Option<Writer> {
        self.changes.get(&(address & !3))?.last_writer
    }

    /// The change by a core that last gave a word a smaller value.
    pub(crate) fn lowered(&self, address: u32) -> Option<Lowered> {
        let (before, value, core) = self.changes.get(&(address & !3))?.lowered?;
        let CoreOrigin { tile, processor, pc, .. } = core;
        let by = Position { tile, processor, pc, symbol: None, frames: Vec::new() };
        Some(Lowered { before, value, by })
    }

    /// The instruction word at `pc`, as a core with or without instruction RAM sees it.
    pub(crate) fn instruction(&self, pc: u32, has_instruction_ram: bool) -> Option<u32> {
        if let Some(word) = self.word(pc) {
            return Some(word);
        }
        if has_instruction_ram { self.instruction_ram.word(pc) } else { None }
    }

    /// The decoded instruction at `pc`, decoding it if nobody has. `fetcher` is a core as in
    /// [`decode::FETCHED`]; one that is not the first to fetch a word leaves no trace.
    #[inline]
    pub(crate) fn fetch(
        &mut self,
        pc: u32,
        has_instruction_ram: bool,
        fetcher: Decoded,
    ) -> Result<Decoded, Violation> {
        match self.decoded.get((pc >> 2) as usize) {
            Some(&decoded) if decode::operation(decoded) != decode::UNDECODED => Ok(decoded),
            _ => self.fetch_slowly(pc, has_instruction_ram, fetcher),
        }
    }

    /// The same for somebody who only wants to know what is there.
    pub(crate) fn look_at(
        &mut self,
        pc: u32,
        has_instruction_ram: bool,
    ) -> Result<Decoded, Violation> {
        self.fetch(pc, has_instruction_ram, decode::LOOKED_AT)
    }

    /// Whether a launch may begin or end at an instruction.
    pub(crate) fn tells(&self, pc: u32) -> bool {
        self.told.binary_search(&pc).is_ok()
    }

    /// From now on cores tell at these instructions, ascending, and at no others. Those of instruction RAM are asked
    /// about at each fetch.
    pub(crate) fn tell_at(&mut self, pcs: &[u32]) {
        if self.told_by_tile != pcs {
            self.told_by_tile = pcs.to_vec();
            self.tell();
        }
    }

    /// From now on cores tell where kernels of these messages begin, too.
    pub(crate) fn tell_of_messages(&mut self, messages: LaunchMessages) {
        self.messages = Some(messages);
        self.tell();
    }

    fn tell(&mut self) {
        let mut pcs = self.told_by_tile.clone();
        if let Some(layout) = self.messages {
            pcs.extend(messages::entries(self, layout));
        }
        pcs.sort_unstable();
        pcs.dedup();
        if self.told == pcs {
            return;
        }
        for pc in &pcs {
            if let Some(decoded) = self.decoded.get_mut((pc >> 2) as usize) {
                *decoded &= decode::WATCHED | decode::FETCHED;
            }
        }
        self.told = pcs;
    }

    pub(super) const fn start_of_instruction_ram(&self) -> u32 {
        self.instruction_ram.base
    }

    /// The same where no instruction of L1 is decoded.
    #[cold]
    #[inline(never)]
    pub(crate) fn fetch_slowly(
        &mut self,
        pc: u32,
        has_instruction_ram: bool,
        fetcher: Decoded,
    ) -> Result<Decoded, Violation> {
        let index = (pc >> 2) as usize;
        if let Some(word) = self.word(pc) {
            let stale = self.stale.get(&(pc & !3)).map_or(0, |stale| stale.0);
            if stale & fetcher != 0 {
                return Err(self.stale_violation(pc));
            }
            if let Some(taint) = self.poison.of(pc as usize, 4, self.source(pc)) {
                return Err(unwritten(pc, &taint));
            }
            let decoded = decode::decode(word, &self.instruction_set);
            // As long as it is stale for another core, that one must not find it decoded. Who only looks
            // does not hide from the next one that nobody has fetched it.
            if stale == 0 && fetcher != decode::LOOKED_AT {
                self.keep_marks();
                if let Some(page) = self.marked_pages.get_mut(pc as usize >> PAGE_BITS) {
                    *page = true;
                }
                let kept = if self.tells(pc) { 0 } else { decoded };
                if let Some(slot) = self.decoded.get_mut(index) {
                    *slot = kept | (*slot & (decode::WATCHED | decode::FETCHED)) | fetcher;
                }
            }
            return Ok(decoded);
        }
        if has_instruction_ram {
            let offset = pc.wrapping_sub(self.instruction_ram.base);
            if let Some(&decoded) = self.instruction_ram.decoded.get((offset >> 2) as usize)
                && decode::operation(decoded) != decode::UNDECODED
            {
                return Ok(decoded);
            }
            if let Some(word) = self.instruction(pc, true) {
                // The RAM is filled from L1 alone; without a copy the place means little.
                let own = self.source(pc);
                if let Some(taint) = self.instruction_ram.poison.of(offset as usize, 4, own) {
                    return Err(unwritten(pc, &taint));
                }
                let decoded = decode::decode(word, &self.instruction_set);
                if let Some(slot) = self.instruction_ram.decoded.get_mut((offset >> 2) as usize) {
                    *slot = decoded;
                }
                return Ok(decoded);
            }
        }
        Err(Violation::undefined(format!("there is no instruction memory at {pc:#x}")))
    }

    /// The instruction caches of these cores hold nothing any more.
    pub(crate) fn empty_instruction_caches(&mut self, cores: impl Iterator<Item = Processor>) {
        if !self.stale.is_empty() {
            let emptied = cores.fold(0, |all, core| all | decode::fetched_by(core));
            self.stale.retain(|_, (cores, _)| {
                *cores &= !emptied;
                *cores != 0
            });
        }
    }

    #[cold]
    fn stale_violation(&self, pc: u32) -> Violation {
        let writer = self.stale.get(&(pc & !3)).map(|&(_, writer)| writer);
        let (who, place) = match writer {
            Some(Writer::Core { tile, processor, retired }) => {
                let place = FaultPlace {
                    processor: Some(processor),
                    retired: Some(retired),
                    ..FaultPlace::of_tile(tile)
                };
                (format!("{} of tile {tile}", processor.name()), Some(place))
            }
            _ => ("the host".to_owned(), None),
        };
        let reason = format!(
            "the instruction at {pc:#x} was written by {who} after this core had fetched the one before it, \
             which its instruction cache may still hold: after new instructions are in L1, reset the core or \
             let BRISC empty the cache (RISCV_IC_INVALIDATE), then execute them"
        );
        Violation::new(FaultCategory::UnpredictableValueUsed, reason).against(place)
    }

    /// The mover copies L1 to NCRISC's instruction RAM, from its start.
    pub(crate) fn fill_instruction_ram(
        &mut self,
        source: usize,
        length: usize,
    ) -> Result<(), Violation> {
        let ram = &mut self.instruction_ram;
        ram.make(length);
        let (Some(from), Some(to)) =
            (self.bytes.get(source..source.saturating_add(length)), ram.bytes.get_mut(..length))
        else {
            return Err(Violation::undefined(format!(
                "the mover cannot copy {length} bytes from {source:#x} into the instruction RAM"
            )));
        };
        to.copy_from_slice(from);
        ram.poison.write(0, length);
        ram.decoded.fill(0);
        if let Some(taint) = self.poison.of(source, length, self.source(source as u32)) {
            self.instruction_ram.poison.taint(0, &taint);
        }
        Ok(())
    }
}

/// NCRISC's instruction RAM, where the chip has one. As much of it is made as is filled: most tiles only hold data.
#[derive(Debug)]
struct InstructionRam {
    base: u32,
    size: usize,
    /// Up to the last word that was filled.
    bytes: Vec<u8>,
    poison: Poison,
    /// Of the same words.
    decoded: Vec<Decoded>,
}

impl InstructionRam {
    fn new(base: u32, size: usize) -> Self {
        let (bytes, poison, decoded) = (Vec::new(), Poison::default(), Vec::new());
        Self { base, size, bytes, poison, decoded }
    }

    /// Makes its first bytes, unless there are no more than it has.
    fn make(&mut self, length: usize) {
        if self.bytes.is_empty() {
            self.poison = Poison::new(self.size);
        }
        if self.bytes.len() < length && length <= self.size {
            let words = length.div_ceil(4);
            self.bytes.resize(words * 4, 0);
            self.decoded.resize(words, 0);
        }
    }

    fn word(&self, pc: u32) -> Option<u32> {
        let offset = pc.checked_sub(self.base)? as usize;
        let end = offset.checked_add(4).filter(|&end| end <= self.size)?;
        let bytes = self.bytes.get(offset..end).and_then(<[u8]>::first_chunk);
        Some(bytes.map_or(0, |&bytes| u32::from_le_bytes(bytes)))
    }
}

#[cold]
fn unwritten(pc: u32, taint: &Taint) -> Violation {
    Violation::unpredictable(format!("the instruction at {pc:#x}"), taint.first().1)
}

#[cfg(test)]
mod tests {
    use hallmark_chip::Architecture;

    use super::*;

    const AT: PhysicalCoordinate = PhysicalCoordinate { x: 1, y: 2 };
    /// `addi x1, x0, 1` and `addi x2, x0, 2`.
    const FIRST: u32 = 0x0010_0093;
    const SECOND: u32 = 0x0020_0113;

    fn memory() -> TileMemory {
        TileMemory::new(AT, ChipDescription::of(Architecture::WormholeB0))
    }

    fn write(memory: &mut TileMemory, address: u32, words: &[u32]) {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        memory.write(address.into(), &bytes, Origin::Host).unwrap();
    }

    fn decoded(memory: &TileMemory, word: u32) -> Decoded {
        decode::decode(word, memory.instruction_set())
    }

    fn core(pc: u32) -> CoreOrigin {
        CoreOrigin { tile: AT, processor: Processor::Brisc, pc, instruction: 0, retired: 9 }
    }

    #[test]
    fn instructions_are_forgotten_with_what_holds_them() {
        // First a page that is forgotten whole, then a last page that is forgotten in part.
        for (start, length, pc) in [(0x2000, 0x1000, 0x2FFC), (0x2100, 0x2020, 0x4110)] {
            let mut memory = memory();
            write(&mut memory, pc, &[FIRST, SECOND]);
            for pc in [pc, pc + 4] {
                assert!(memory.fetch(pc, false, decode::fetched_by(Processor::Brisc)).is_ok());
            }
            memory.forget(start, length);
            for (pc, is_known) in [(pc, false), (pc + 4, pc == 0x2FFC)] {
                let fetched = memory.fetch(pc, false, decode::fetched_by(Processor::Brisc));
                assert_eq!(fetched.is_ok(), is_known, "{pc:#x}");
            }
        }
    }

    #[test]
    fn a_watched_word_that_is_executed_stays_watched() {
        let mut memory = memory();
        write(&mut memory, 0x3000, &[FIRST]);
        memory.watch(3, vec![0x3000]);
        assert!(memory.fetch(0x3000, false, decode::fetched_by(Processor::Trisc1)).is_ok());
        memory.note_store(0x3000, Processor::Brisc, 0x100, 1);
        assert_eq!(memory.woken, 1 << 3);
    }

    #[test]
    fn instruction_ram_holds_what_was_copied_last() {
        let mut memory = memory();
        let base = memory.instruction_ram.base;
        let mut words = [FIRST; 64];
        // Instructions at 4 times another one's offset, and behind it.
        words[16] = SECOND;
        words[17] = SECOND;
        write(&mut memory, 0x8000, &words);
        memory.fill_instruction_ram(0x8000, 256).unwrap();
        for (offset, word) in [(64, SECOND), (68, SECOND), (16, FIRST), (64, SECOND), (4, FIRST)] {
            let fetched = memory.fetch(base + offset, true, decode::fetched_by(Processor::Ncrisc));
            assert_eq!(fetched.ok(), Some(decoded(&memory, word)), "{offset}");
        }
        write(&mut memory, 0x9000, &[SECOND; 64]);
        memory.fill_instruction_ram(0x9000, 256).unwrap();
        for offset in [4, 16] {
            let fetched = memory.fetch(base + offset, true, decode::fetched_by(Processor::Ncrisc));
            assert_eq!(fetched.ok(), Some(decoded(&memory, SECOND)), "{offset}");
        }
    }

    #[test]
    fn what_lowered_a_word_lasts_until_something_else_writes_it() {
        let lowered = |memory: &TileMemory| {
            let lowered = memory.lowered(0x2000)?;
            Some((lowered.before, lowered.value, lowered.by.pc))
        };
        let store = |memory: &mut TileMemory, value: u32, pc: u32| {
            memory.write(0x2000, &value.to_le_bytes(), Origin::Core(core(pc))).unwrap();
        };
        let mut memory = memory();
        write(&mut memory, 0x2000, &[5]);
        store(&mut memory, 3, 0x100);
        assert_eq!(lowered(&memory), Some((5, 3, 0x100)));
        // Greater values and the same one again lower nothing.
        store(&mut memory, 4, 0x104);
        store(&mut memory, 4, 0x108);
        assert_eq!(lowered(&memory), Some((5, 3, 0x100)));
        // A core's write of more than the word, by a request, begins anew as the host does, and so its value counts.
        memory.write(0x1FFC, &[0, 0, 0, 0, 9, 0, 0, 0], Origin::Core(core(0x10C))).unwrap();
        assert_eq!(lowered(&memory), None);
        store(&mut memory, 7, 0x110);
        assert_eq!(lowered(&memory), Some((9, 7, 0x110)));
        write(&mut memory, 0x2000, &[20]);
        assert_eq!(lowered(&memory), None);
        store(&mut memory, 19, 0x114);
        assert_eq!(lowered(&memory), Some((20, 19, 0x114)));
    }
}
