//! ELFs of firmware and kernels: parsed as untrusted input, and placed anywhere in L1.
//!
//! A kernel is linked with its code and constants at 0 and its variables at a fixed place in private
//! RAM. Moving the code changes three kinds of places: the halves of absolute addresses in
//! instructions, and whole addresses in constants and initial values. `--emit-relocs` keeps them.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use hallmark_chip::{Processor, REGISTERS, SourceFrame};
use object::elf;
use object::endian::LittleEndian;
use object::read::elf::{
    FileHeader as _, ProgramHeader as _, Rela as _, SectionHeader as _, Sym as _,
};

use super::assertions::{self, Assertion};
use super::defects::{Defect, planted};
use super::leftovers::{self, LeftoverPlaces};
use super::printed_message::{self, PrintBlock};
use super::printed_texts::{self, PrintedTexts};
use super::profiler_abi::ZONES_SECTION;
use super::profiler_markers::{ZoneName, zone_names};
use super::{LineTable, limits};

type Header = elf::FileHeader32<LittleEndian>;
const LE: LittleEndian = LittleEndian;

/// The table of circular buffers as symbols name it.
const CIRCULAR_BUFFERS: &str = "cb_interface";

/// An ELF that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KernelElfError {
    /// The file is larger than any kernel.
    #[error("the file has {size} bytes; at most {} bytes are read", limits::ELF_FILE)]
    FileTooLarge {
        /// Bytes of the file.
        size: usize,
    },
    /// The file is no ELF, or is damaged.
    #[error("the file is not a readable 32-bit little-endian ELF: {0}")]
    Malformed(String),
    /// The ELF is for another machine.
    #[error(
        "the file is not an executable for RV32IM without compressed instructions and floating point: {what} is {found:#x}"
    )]
    WrongMachine {
        /// The header field.
        what: &'static str,
        /// The field's value.
        found: u32,
    },
    /// The segments do not form one image.
    #[error("segment at {address:#x} with {size:#x} bytes {reason}")]
    Segment {
        /// The segment's address.
        address: u32,
        /// The segment's size in memory, bytes.
        size: u32,
        /// The problem of the segment.
        reason: &'static str,
    },
    /// Nothing to load.
    #[error("the file has no segment to load")]
    Empty,
    /// The entry point lies outside the image.
    #[error("the entry point {entry:#x} is not an instruction of the image of {size:#x} bytes")]
    Entry {
        /// The entry point.
        entry: u32,
        /// Bytes of the image.
        size: u32,
    },
    /// A relocation that cannot be applied when the kernel moves.
    #[error("relocation of type {kind} at {address:#x} {reason}")]
    Relocation {
        /// The relocation type of the RISC-V psABI.
        kind: u32,
        /// The address that it would adjust.
        address: u32,
        /// Why it cannot be applied.
        reason: &'static str,
    },
    /// A count above its limit.
    #[error("the file has more than {most} {what}")]
    TooMany {
        /// The counted items, in the plural.
        what: &'static str,
        /// The limit.
        most: usize,
    },
    /// An invalid address for the image.
    #[error(
        "the image of {size:#x} bytes cannot be placed at {base:#x}: the address must be a multiple of {alignment}, and the image must end below 2^32"
    )]
    Placement {
        /// The requested address.
        base: u32,
        /// Bytes of the image.
        size: u32,
        /// The required alignment, bytes.
        alignment: u32,
    },
}

/// Names of code addresses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SymbolTable {
    /// Sorted by address: address, size, name.
    symbols: Vec<(u32, u32, String)>,
}

impl SymbolTable {
    /// The function that contains an address, and the offset in it. Addresses are those of the ELF: for a
    /// kernel, subtract the address of its image first.
    pub fn symbol_at(&self, address: u32) -> Option<(&str, u32)> {
        let after = self.symbols.partition_point(|(start, _, _)| *start <= address);
        let (start, size, name) = self.symbols.get(after.checked_sub(1)?)?;
        let offset = address.checked_sub(*start)?;
        // Labels in assembly have no size and extend to the next label.
        (*size == 0 || offset < *size).then_some((name.as_str(), offset))
    }

    /// The address of a name.
    pub fn address_of(&self, name: &str) -> Option<u32> {
        self.symbols.iter().find(|(_, _, other)| other == name).map(|(address, _, _)| *address)
    }

    /// The addresses of a function's instructions, by its name.
    pub(super) fn function(&self, name: &str) -> Option<Range<u32>> {
        let (address, size, _) = self.symbols.iter().find(|(_, _, other)| other == name)?;
        Self::instructions(*address, *size)
    }

    /// The addresses of the instructions of the function that begins at an address.
    pub(super) fn function_from(&self, start: u32) -> Option<Range<u32>> {
        let mut symbols = self.symbols.iter().filter(|(address, _, _)| *address == start);
        symbols.find_map(|(address, size, _)| Self::instructions(*address, *size))
    }

    fn instructions(address: u32, size: u32) -> Option<Range<u32>> {
        let end = address.checked_add(size)?;
        (size > 0 && address.is_multiple_of(4)).then_some(address..end)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SiteKind {
    /// A 32-bit word.
    Word,
    /// The upper 20 bits in `lui`, rounded for the signed lower half.
    High20,
    /// The lower 12 bits of a load or `addi`.
    Low12Load,
    /// The lower 12 bits of a store.
    Low12Store,
}

/// A word or instruction field that holds an address of the image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Site {
    offset: usize,
    kind: SiteKind,
    /// The address that it holds for an image at 0.
    target: u32,
}

impl Site {
    fn encode(&self, word: u32, address: u32) -> u32 {
        match self.kind {
            SiteKind::Word => address,
            SiteKind::High20 => word & 0xFFF | address.wrapping_add(0x800) & 0xFFFF_F000,
            SiteKind::Low12Load => word & 0x000F_FFFF | address << 20,
            SiteKind::Low12Store => {
                word & 0x01FF_F07F | (address & 0x1F) << 7 | (address >> 5 & 0x7F) << 25
            }
        }
    }
}

/// A kernel image that can be placed anywhere in L1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelImage {
    bytes: Vec<u8>,
    entry: u32,
    alignment: u32,
    sites: Vec<Site>,
    symbols: SymbolTable,
    private: Option<(u32, u32)>,
    lines: Option<Arc<[u8]>>,
    zones: Vec<ZoneName>,
    assertions: Arc<[Assertion]>,
    prints: Arc<PrintedTexts>,
    print_block: Option<u32>,
    leftovers: LeftoverPlaces,
    after_main: Option<Arc<[Range<u32>]>>,
    circular_buffers: Option<Range<u32>>,
}

impl KernelImage {
    /// Reads a kernel ELF.
    pub fn parse(bytes: &[u8]) -> Result<Self, KernelElfError> {
        let elf = Elf::parse(bytes)?;
        let image = elf.image(0)?;
        let size = image.len() as u32;
        let entry = elf.header.e_entry.get(LE);
        if entry >= size || !entry.is_multiple_of(4) {
            return Err(KernelElfError::Entry { entry, size });
        }
        let sites = elf.sites(&image)?;
        let assertions = elf.assertions(&image);
        let alignment = elf.moved.iter().map(|segment| segment.alignment).max().unwrap_or(1);
        let mut parsed = Self {
            symbols: elf.symbols()?,
            zones: elf.zones(),
            assertions: assertions.into(),
            prints: Arc::new(elf.prints()),
            print_block: elf.print_block(size),
            leftovers: LeftoverPlaces::new(
                elf.object(leftovers::WAYPOINT),
                elf.object(leftovers::RING_BUFFER),
                size,
            ),
            private: elf.private_range()?,
            alignment: alignment.clamp(16, 4096),
            bytes: image,
            entry,
            sites,
            lines: None,
            after_main: None,
            circular_buffers: elf.object(CIRCULAR_BUFFERS),
        };
        parsed.after_main = parsed.after_main_by_symbols().map(Arc::from);
        Ok(parsed)
    }

    /// Attaches an encoded line table, which is decoded on the first lookup.
    #[must_use]
    pub fn with_lines(self, lines: Option<Arc<[u8]>>) -> Self {
        let mut with_lines = Self { lines, ..self };
        if with_lines.after_main.is_none() {
            with_lines.after_main = with_lines.after_main_by_lines().map(Arc::from);
        }
        with_lines
    }

    /// The encoded line table, if it has one.
    pub const fn lines(&self) -> Option<&Arc<[u8]>> {
        self.lines.as_ref()
    }

    /// The addresses of the instructions that run after `kernel_main` has returned, relative to the image. `None` if
    /// neither symbols nor a line table tell.
    pub fn after_kernel_main(&self) -> Option<&[Range<u32>]> {
        self.after_main.as_deref()
    }

    /// The private memory of its table of circular buffers: `cb_interface` of `hallmark/kernel_state.h`.
    pub fn circular_buffers(&self) -> Option<Range<u32>> {
        self.circular_buffers.clone()
    }

    /// Bytes of the image.
    pub const fn size(&self) -> u32 {
        self.bytes.len() as u32
    }

    /// The required alignment of the image, at least 16 bytes.
    pub const fn alignment(&self) -> u32 {
        self.alignment
    }

    /// The entry point, relative to the image.
    pub const fn entry(&self) -> u32 {
        self.entry
    }

    /// The private RAM of its variables, end not included, if it has any.
    pub const fn private_memory(&self) -> Option<(u32, u32)> {
        self.private
    }

    /// The names of its profile markers; empty for a build without markers.
    pub fn zones(&self) -> &[ZoneName] {
        &self.zones
    }

    /// The assertion that does not hold if a core reaches `pc` in an image at `base`.
    pub fn assertion_at(&self, base: u32, pc: u32) -> Option<&Assertion> {
        let offset = pc.checked_sub(base)?;
        self.assertions.iter().find(|assertion| assertion.offset == offset)
    }

    /// Where the image keeps what the kernel leaves for the report of its end.
    pub const fn leftovers(&self) -> LeftoverPlaces {
        self.leftovers
    }

    /// The offset in the image of the block through which the kernel prints, if it prints: [`PrintBlock`].
    pub const fn print_block(&self) -> Option<u32> {
        self.print_block
    }

    /// The processor for which a kernel that prints was built.
    pub fn print_processor(&self) -> Processor {
        let word =
            self.print_block.and_then(|at| self.word(at.checked_add(PrintBlock::PROCESSOR)?));
        let known = word.and_then(|word| Processor::ALL.get(usize::try_from(word).ok()?));
        known.copied().unwrap_or(Processor::Brisc)
    }

    /// The text of messages that the kernel has printed.
    pub fn printed(&self, words: &[u32]) -> String {
        printed_message::text_of(words, &self.prints)
    }

    /// Names of its addresses, relative to the image.
    pub const fn symbols(&self) -> &SymbolTable {
        &self.symbols
    }

    /// The word at an offset of the image.
    pub(super) fn word(&self, offset: u32) -> Option<u32> {
        word_of(&self.bytes, offset)
    }

    /// The same image without symbols.
    #[cfg(test)]
    pub(super) fn without_symbols(self) -> Self {
        Self { symbols: SymbolTable::default(), after_main: None, ..self }
    }

    /// The function that contains `pc` in an image at `base`, and the offset in it.
    pub fn symbol_at(&self, base: u32, pc: u32) -> Option<(&str, u32)> {
        let offset = pc.checked_sub(base)?;
        (offset < self.size()).then(|| self.symbols.symbol_at(offset)).flatten()
    }

    /// The source lines of `pc` in an image at `base`, the outermost function first. Empty if the line table is
    /// missing, cannot be read or has no entry; [`Self::symbol_at`] still returns the function.
    pub fn frames_at(&self, base: u32, pc: u32) -> Vec<SourceFrame> {
        let offset = pc.checked_sub(base).filter(|offset| *offset < self.size());
        let table = self.line_table();
        offset.zip(table).map(|(offset, table)| table.frames_at(offset)).unwrap_or_default()
    }

    /// The decoded line table, for many lookups; `None` if it is missing or cannot be read.
    pub fn line_table(&self) -> Option<LineTable> {
        self.lines.as_ref().and_then(|lines| LineTable::decode(lines).ok())
    }

    /// The image relocated to `base`.
    pub fn relocate(&self, base: u32) -> Result<Vec<u8>, KernelElfError> {
        let (size, alignment) = (self.size(), self.alignment);
        if !base.is_multiple_of(alignment) || base.checked_add(size).is_none() {
            return Err(KernelElfError::Placement { base, size, alignment });
        }
        let mut bytes = self.bytes.clone();
        let kept = self.sites.len().saturating_sub(planted(Defect::LastSiteNotRelocated).into());
        for site in self.sites.iter().take(kept) {
            let Some(word) = word_mut(&mut bytes, site.offset) else { continue };
            *word = site
                .encode(u32::from_le_bytes(*word), site.target.wrapping_add(base))
                .to_le_bytes();
        }
        Ok(bytes)
    }
}

/// A firmware ELF, which has a fixed address.
pub(crate) struct LoadedElf {
    pub(crate) load_address: u32,
    pub(crate) entry: u32,
    pub(crate) bytes: Vec<u8>,
    pub(crate) symbols: SymbolTable,
    pub(crate) zones: Vec<ZoneName>,
}

impl LoadedElf {
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, KernelElfError> {
        let elf = Elf::parse(bytes)?;
        let load_address =
            elf.loaded().map(|segment| segment.load).min().ok_or(KernelElfError::Empty)?;
        Ok(Self {
            load_address,
            entry: elf.header.e_entry.get(LE),
            bytes: elf.image(load_address)?,
            symbols: elf.symbols()?,
            zones: elf.zones(),
        })
    }
}

fn word_of(image: &[u8], offset: u32) -> Option<u32> {
    image.get(offset as usize..)?.first_chunk().map(|bytes| u32::from_le_bytes(*bytes))
}

fn word_mut(bytes: &mut [u8], offset: usize) -> Option<&mut [u8; 4]> {
    bytes.get_mut(offset..)?.first_chunk_mut::<4>()
}

#[derive(Clone, Copy)]
struct Segment<'data> {
    /// The segment's run address.
    address: u32,
    /// The address at which the host writes it.
    load: u32,
    memory_size: u32,
    alignment: u32,
    data: &'data [u8],
}

impl Segment<'_> {
    fn holds(&self, address: u32) -> bool {
        address
            .checked_sub(self.address)
            .is_some_and(|offset| offset < self.memory_size.max(self.data.len() as u32))
    }
}

struct Elf<'data> {
    header: &'data Header,
    sections: object::read::elf::SectionTable<'data, Header>,
    symbols: object::read::elf::SymbolTable<'data, Header>,
    bytes: &'data [u8],
    /// Code and constants, which the host may move: their run and load addresses are equal.
    moved: Vec<Segment<'data>>,
    /// Private RAM: loaded after the code and copied by start-up code, or only reserved.
    fixed: Vec<Segment<'data>>,
}

fn too_many(what: &'static str, count: usize, most: usize) -> Result<(), KernelElfError> {
    if count > most { Err(KernelElfError::TooMany { what, most }) } else { Ok(()) }
}

fn malformed(error: object::read::Error) -> KernelElfError {
    KernelElfError::Malformed(error.to_string())
}

impl<'data> Elf<'data> {
    fn parse(bytes: &'data [u8]) -> Result<Self, KernelElfError> {
        if bytes.len() as u64 > limits::ELF_FILE {
            return Err(KernelElfError::FileTooLarge { size: bytes.len() });
        }
        let header = Header::parse(bytes).map_err(malformed)?;
        header.endian().map_err(malformed)?;
        let wrong = |what, found| Err(KernelElfError::WrongMachine { what, found });
        let (machine, kind, flags) = (header.e_machine(LE), header.e_type(LE), header.e_flags(LE));
        if machine != elf::EM_RISCV {
            return wrong("e_machine", u32::from(machine.0));
        }
        if kind != elf::ET_EXEC {
            return wrong("e_type", u32::from(kind.0));
        }
        if flags.0 != 0 {
            return wrong("e_flags", flags.0);
        }
        let mut parsed = Self {
            header,
            sections: header.sections(LE, bytes).map_err(malformed)?,
            symbols: object::read::elf::SymbolTable::default(),
            bytes,
            moved: Vec::new(),
            fixed: Vec::new(),
        };
        too_many("sections", parsed.sections.len(), limits::SECTIONS)?;
        parsed.symbols = parsed.sections.symbols(LE, bytes, elf::SHT_SYMTAB).map_err(malformed)?;
        let segments = header.program_headers(LE, bytes).map_err(malformed)?;
        too_many("segments", segments.len(), limits::SEGMENTS)?;
        for segment in segments {
            if segment.p_type(LE) == elf::PT_LOAD {
                parsed.add_segment(segment)?;
            }
        }
        Ok(parsed)
    }

    fn add_segment(
        &mut self,
        header: &elf::ProgramHeader32<LittleEndian>,
    ) -> Result<(), KernelElfError> {
        let (address, load) = (header.p_vaddr.get(LE), header.p_paddr.get(LE));
        let memory_size = header.p_memsz.get(LE);
        let error = |reason| KernelElfError::Segment { address, size: memory_size, reason };
        let data = header.data(LE, self.bytes).map_err(|()| error("lies outside the file"))?;
        if memory_size == 0 {
            return Ok(());
        }
        if data.len() as u64 > u64::from(memory_size) {
            return Err(error("has more bytes in the file than in memory"));
        }
        if memory_size > limits::LOADED_IMAGE || load.checked_add(memory_size).is_none() {
            return Err(error("is too large"));
        }
        if address.checked_add(memory_size).is_none() {
            return Err(error("passes the end of the address space"));
        }
        let alignment = header.p_align.get(LE);
        if data.is_empty() && u64::from(address) < REGISTERS.start {
            return Err(error("reserves memory outside private RAM"));
        }
        let segment = Segment { address, load, memory_size, alignment, data };
        if data.is_empty() || address != load { &mut self.fixed } else { &mut self.moved }
            .push(segment);
        Ok(())
    }

    fn loaded(&self) -> impl Iterator<Item = &Segment<'data>> {
        self.moved.iter().chain(&self.fixed).filter(|segment| !segment.data.is_empty())
    }

    /// Every segment at its load address, relative to `start`.
    fn image(&self, start: u32) -> Result<Vec<u8>, KernelElfError> {
        let mut segments: Vec<_> = self.loaded().collect();
        segments.sort_by_key(|segment| segment.load);
        let mut image = Vec::new();
        for segment in segments {
            let error = |reason| KernelElfError::Segment {
                address: segment.load,
                size: segment.memory_size,
                reason,
            };
            let offset = segment
                .load
                .checked_sub(start)
                .filter(|offset| *offset <= limits::LOADED_IMAGE)
                .ok_or_else(|| error("lies too far from the others"))?
                as usize;
            if offset < image.len() {
                return Err(error("overlaps another"));
            }
            image.resize(offset, 0);
            image.extend_from_slice(segment.data);
        }
        if image.is_empty() {
            return Err(KernelElfError::Empty);
        }
        if image.len() as u64 > u64::from(limits::LOADED_IMAGE) {
            return Err(KernelElfError::Segment {
                address: start,
                size: limits::LOADED_IMAGE,
                reason: "is too large together with the others",
            });
        }
        image.resize(image.len().next_multiple_of(4), 0);
        Ok(image)
    }

    fn private_range(&self) -> Result<Option<(u32, u32)>, KernelElfError> {
        let ends = self.fixed.iter().map(|segment| segment.address + segment.memory_size);
        let start = self.fixed.iter().map(|segment| segment.address).min();
        Ok(start.zip(ends.max()))
    }

    fn is_moved(&self, address: u32) -> bool {
        self.moved.iter().any(|segment| segment.holds(address))
    }

    /// The offset in the image of the word at an address of the linked program.
    fn offset_of(&self, address: u32) -> Option<usize> {
        let segment = self.loaded().find(|segment| segment.holds(address))?;
        let inside = address.checked_sub(segment.address)?;
        (inside as usize + 4 <= segment.data.len()).then(|| segment.load as usize + inside as usize)
    }

    fn sites(&self, image: &[u8]) -> Result<Vec<Site>, KernelElfError> {
        let mut sites = Vec::new();
        // How many of a word's terms move with the image. A difference of two such terms does not.
        let mut differences: BTreeMap<u32, i64> = BTreeMap::new();
        let mut total = 0usize;
        for section in self.sections.iter() {
            let Some((relocations, _)) = section.rela(LE, self.bytes).map_err(malformed)? else {
                continue;
            };
            let target = self.sections.section(section.info_link(LE)).map_err(malformed)?;
            if target.sh_flags(LE).0 & elf::SHF_ALLOC.0 == 0 {
                continue;
            }
            total = total.saturating_add(relocations.len());
            too_many("relocations", total, limits::RELOCATIONS)?;
            for relocation in relocations {
                let address = relocation.r_offset.get(LE);
                let kind = relocation.r_type(LE).0;
                let error = |reason| KernelElfError::Relocation { kind, address, reason };
                let (value, target_moves) = self.target(relocation).map_err(error)?;
                let kind = match elf::RelocationType(kind) {
                    elf::R_RISCV_NONE | elf::R_RISCV_RELAX | elf::R_RISCV_ALIGN => continue,
                    elf::R_RISCV_32 => SiteKind::Word,
                    elf::R_RISCV_HI20 => SiteKind::High20,
                    elf::R_RISCV_LO12_I => SiteKind::Low12Load,
                    elf::R_RISCV_LO12_S => SiteKind::Low12Store,
                    elf::R_RISCV_PCREL_LO12_I | elf::R_RISCV_PCREL_LO12_S => continue,
                    // Of the tables of jumps in the compiler's own library.
                    elf::R_RISCV_ADD32 | elf::R_RISCV_SUB32 => {
                        let sign = if kind == elf::R_RISCV_ADD32.0 { 1 } else { -1 };
                        let moving = differences.entry(address).or_default();
                        *moving = moving.saturating_add(if target_moves { sign } else { 0 });
                        continue;
                    }
                    elf::R_RISCV_BRANCH
                    | elf::R_RISCV_JAL
                    | elf::R_RISCV_CALL
                    | elf::R_RISCV_CALL_PLT
                    | elf::R_RISCV_PCREL_HI20 => {
                        if target_moves != self.is_moved(address) {
                            return Err(error("is relative to the pc but leaves the image"));
                        }
                        continue;
                    }
                    _ => return Err(error("is of an unknown kind")),
                };
                if !target_moves {
                    continue;
                }
                let offset =
                    self.offset_of(address).ok_or_else(|| error("lies outside the image"))?;
                let site = Site { offset, kind, target: value };
                let word = image
                    .get(offset..)
                    .and_then(|rest| rest.first_chunk::<4>())
                    .map(|bytes| u32::from_le_bytes(*bytes))
                    .ok_or_else(|| error("lies outside the image"))?;
                if site.encode(word, value) != word {
                    return Err(error("does not hold the address of its symbol"));
                }
                sites.push(site);
            }
        }
        match differences.into_iter().find(|(_, moves)| *moves != 0) {
            Some((address, _)) => Err(KernelElfError::Relocation {
                kind: elf::R_RISCV_ADD32.0,
                address,
                reason: "is half of a difference",
            }),
            None => Ok(sites),
        }
    }

    /// The target address of a relocation, and whether the target moves with the image.
    fn target(&self, relocation: &elf::Rela32<LittleEndian>) -> Result<(u32, bool), &'static str> {
        let addend = relocation.r_addend.get(LE) as u32;
        let Some(index) = relocation.symbol(LE, false) else { return Ok((addend, false)) };
        let symbol = self.symbols.symbol(index).map_err(|_| "names a symbol that is not there")?;
        let value = symbol.st_value(LE);
        let section = symbol.st_shndx.get(LE);
        let special = section == elf::SHN_ABS || section == elf::SHN_UNDEF;
        // A symbol at the very end of a section lies in no segment, so its section decides.
        let moves = if special {
            false
        } else {
            let section = self
                .sections
                .section(object::SectionIndex(section.0.into()))
                .map_err(|_| "names a symbol of a section that is not there")?;
            let start = section.sh_addr.get(LE);
            self.moved.iter().any(|segment| {
                start.checked_sub(segment.address).is_some_and(|at| at <= segment.memory_size)
            })
        };
        Ok((value.wrapping_add(addend), moves))
    }

    /// The memory of a variable, by its name.
    fn object(&self, name: &str) -> Option<Range<u32>> {
        let mut objects = self.symbols.iter().filter(|symbol| symbol.st_type() == elf::STT_OBJECT);
        let is_named = |symbol: &&elf::Sym32<LittleEndian>| {
            symbol.name(LE, self.symbols.strings()).is_ok_and(|found| found == name.as_bytes())
        };
        let symbol = objects.find(is_named)?;
        let start = symbol.st_value(LE);
        Some(start..start.checked_add(symbol.st_size(LE))?)
    }

    /// The names of markers. Unreadable entries are skipped, because the kernel runs without them.
    fn zones(&self) -> Vec<ZoneName> {
        self.section(ZONES_SECTION).map(zone_names).unwrap_or_default()
    }

    /// The kernel's assertions. Unreadable entries are skipped, because the kernel runs without them.
    fn assertions(&self, image: &[u8]) -> Vec<Assertion> {
        let table = self.section(assertions::SECTION).unwrap_or_default();
        assertions::assertions(table, |offset| word_of(image, offset))
    }

    /// The formats and texts that the kernel prints.
    fn prints(&self) -> PrintedTexts {
        PrintedTexts::of_table(self.section(printed_texts::SECTION).unwrap_or_default())
    }

    /// The offset of the block through which the kernel prints, in an image of this size.
    fn print_block(&self, size: u32) -> Option<u32> {
        let Range { start, end } = self.object(PrintBlock::NAME)?;
        let lies = start.is_multiple_of(4) && end <= size;
        (lies && end.checked_sub(start) == Some(PrintBlock::SIZE)).then_some(start)
    }

    /// The content of a section, by its name.
    fn section(&self, name: &str) -> Option<&'data [u8]> {
        let (_, section) = self.sections.section_by_name(LE, name.as_bytes())?;
        section.data(LE, self.bytes).ok()
    }

    fn symbols(&self) -> Result<SymbolTable, KernelElfError> {
        let mut symbols = Vec::new();
        let mut names = 0usize;
        for symbol in self.symbols.iter() {
            let kind = symbol.st_type();
            if kind != elf::STT_FUNC && kind != elf::STT_NOTYPE {
                continue;
            }
            let section = symbol.st_shndx.get(LE);
            if section == elf::SHN_ABS || section == elf::SHN_UNDEF {
                continue;
            }
            let name = symbol.name(LE, self.symbols.strings()).map_err(malformed)?;
            names = names.saturating_add(name.len());
            too_many("bytes of names", names, limits::SYMBOL_NAMES)?;
            // `$x` and `.L` names mark ranges for tools, not functions.
            if name.is_empty() || name.starts_with(b"$") || name.starts_with(b".L") {
                continue;
            }
            too_many("symbols", symbols.len() + 1, limits::SYMBOLS)?;
            let name = name.get(..limits::SYMBOL_NAME).unwrap_or(name);
            symbols.push((
                symbol.st_value(LE),
                symbol.st_size(LE),
                plain_name(&String::from_utf8_lossy(name)).to_owned(),
            ));
        }
        symbols.sort();
        Ok(SymbolTable { symbols })
    }
}

/// `kernel_main` for `_Z11kernel_mainv`; other mangled names stay unchanged.
fn plain_name(name: &str) -> &str {
    let Some(rest) = name.strip_prefix("_Z").map(|rest| rest.strip_prefix('L').unwrap_or(rest))
    else {
        return name;
    };
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (length, rest) = rest.split_at(digits);
    length.parse().ok().and_then(|length: usize| rest.get(..length)).unwrap_or(name)
}

#[cfg(test)]
#[path = "kernel_elf_tests.rs"]
mod tests;
