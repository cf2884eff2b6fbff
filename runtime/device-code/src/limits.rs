//! Limits of external input, so that no input makes the host allocate or loop without bound.

hallmark_chip::limits! {
    /// A manifest or lock file, bytes.
    pub(crate) const TEXT_FILE: u64 = 4 << 20;
    /// One ELF, bytes.
    pub(crate) const ELF_FILE: u64 = 2 << 20;
    /// The loaded image of an ELF in L1, bytes.
    pub(crate) const LOADED_IMAGE: u32 = 256 << 10;
    /// Symbols kept of one ELF.
    pub(crate) const SYMBOLS: usize = 16_384;
    /// Bytes of a symbol's name that are kept.
    pub(crate) const SYMBOL_NAME: usize = 1_024;
    /// Bytes of all names together, as tables may overlap in a file made to waste time.
    pub(crate) const SYMBOL_NAMES: usize = 4 << 20;
    /// Program headers of one ELF.
    pub(crate) const SEGMENTS: usize = 16;
    /// Section headers of one ELF.
    pub(crate) const SECTIONS: usize = 4_096;
    /// Relocations of one ELF, over all sections.
    pub(crate) const RELOCATIONS: usize = 100_000;
    /// One encoded line table, bytes. No larger one is written.
    pub(crate) const LINE_TABLE: usize = 2 << 10;
    /// All line tables of a folder of prebuilt kernels together, bytes.
    pub(crate) const LINE_TABLES: u64 = 6 << 20;
    /// One kernel source file, bytes.
    pub(crate) const SOURCE_FILE: u64 = 1 << 20;
    /// Files in a kernel's source closure.
    pub(crate) const SOURCE_FILES: usize = 256;
    /// The kept part of a compiler's messages, bytes.
    pub(crate) const COMPILER_OUTPUT: usize = 64 << 10;
}

/// Reads a file of at most `limit` bytes. A pipe or a device is refused: reading one may never end.
pub(crate) fn read_file(path: &std::path::Path, limit: u64) -> std::io::Result<Vec<u8>> {
    use std::io::Read as _;
    if !std::fs::metadata(path)?.is_file() {
        let text = "not a file, but a folder, a pipe or a device";
        return Err(std::io::Error::new(std::io::ErrorKind::InvalidInput, text));
    }
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(std::io::Error::new(
            std::io::ErrorKind::FileTooLarge,
            format!("larger than {limit} bytes"),
        ));
    }
    Ok(bytes)
}
