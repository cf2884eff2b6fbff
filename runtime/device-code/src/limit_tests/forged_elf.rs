//! ELFs that no linker makes, with the requested number of segments, sections, symbols or relocations.

/// The content of a RISC-V executable. By default it is one segment of one instruction.
pub(super) struct ForgedElf {
    /// Address and size of each loaded segment.
    pub(super) segments: Vec<(u32, u32)>,
    /// The number of additional program headers of type null.
    pub(super) empty_segments: usize,
    /// The number of additional section headers of type null.
    pub(super) empty_sections: usize,
    /// The length of each function's name.
    pub(super) symbols: Vec<usize>,
    /// The number of relocations in each of two sections; they change nothing.
    pub(super) relocations: [usize; 2],
}

impl Default for ForgedElf {
    fn default() -> Self {
        Self {
            segments: vec![(0, 4)],
            empty_segments: 0,
            empty_sections: 0,
            symbols: Vec::new(),
            relocations: [0, 0],
        }
    }
}

const HEADER: usize = 52;
const PROGRAM_HEADER: usize = 32;
const RELOCATION: usize = 12;
const SYMBOL: usize = 16;

fn words(values: &[u32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

fn halves(values: &[u16]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

/// The header of a section: kind, flags, file offset and size, linked sections, bytes of an entry.
fn section(
    kind: u32,
    flags: u32,
    offset: usize,
    length: usize,
    link: u32,
    info: u32,
    entry: usize,
) -> Vec<u8> {
    words(&[0, kind, flags, 0, offset as u32, length as u32, link, info, 1, entry as u32])
}

impl ForgedElf {
    /// The number of its section headers.
    pub(super) fn sections(&self) -> usize {
        // Null, code, symbols, names and two of relocations.
        6 + self.empty_sections
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let program_headers = self.segments.len() + self.empty_segments;
        let mut content = Vec::new();
        let start = HEADER + program_headers * PROGRAM_HEADER;
        let place = |content: &mut Vec<u8>, bytes: Vec<u8>| {
            let at = start + content.len();
            content.extend(bytes);
            at
        };
        let largest = self.segments.iter().map(|(_, bytes)| *bytes as usize).max().unwrap_or(0);
        let code = place(&mut content, vec![0x13; largest]);
        // All names end at the end of the longest one.
        let longest = self.symbols.iter().copied().max().unwrap_or(0);
        let names = [&[0][..], &vec![b'f'; longest], &[0]].concat();
        let names_length = names.len();
        let names = place(&mut content, names);
        let mut symbols = vec![0; SYMBOL];
        for length in &self.symbols {
            symbols.extend(words(&[(1 + longest - length) as u32, 0, 4]));
            // A global function of section 1.
            symbols.extend([0x12, 0]);
            symbols.extend(halves(&[1]));
        }
        let symbols_length = symbols.len();
        let symbols = place(&mut content, symbols);
        let relocations = self
            .relocations
            .map(|count| (place(&mut content, vec![0; count * RELOCATION]), count * RELOCATION));
        let sections = start + content.len();

        let mut bytes = vec![0x7F, b'E', b'L', b'F', 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        bytes.extend(halves(&[2, 243]));
        bytes.extend(words(&[1, 0, HEADER as u32, sections as u32, 0]));
        let (segment_count, section_count) = (program_headers as u16, self.sections() as u16);
        bytes.extend(halves(&[HEADER as u16, 32, segment_count, 40, section_count, 3]));
        for (address, length) in &self.segments {
            bytes.extend(words(&[1, code as u32, *address, *address, *length, *length, 5, 4]));
        }
        bytes.resize(bytes.len() + self.empty_segments * PROGRAM_HEADER, 0);
        bytes.extend(content);
        const ALLOCATED: u32 = 2;
        bytes.extend(section(0, 0, 0, 0, 0, 0, 0));
        bytes.extend(section(1, ALLOCATED, code, largest, 0, 0, 0));
        bytes.extend(section(2, 0, symbols, symbols_length, 3, 1, SYMBOL));
        bytes.extend(section(3, 0, names, names_length, 0, 0, 0));
        for (offset, length) in relocations {
            bytes.extend(section(4, 0, offset, length, 2, 1, RELOCATION));
        }
        bytes.resize(bytes.len() + self.empty_sections * 40, 0);
        bytes
    }
}
