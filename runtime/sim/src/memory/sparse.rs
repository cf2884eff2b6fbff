use crate::fault::Violation;

/// log2 of the bytes that are allocated together.
const CHUNK_BITS: u32 = 21;
const CHUNK: usize = 1 << CHUNK_BITS;

/// Memory of which only what was written costs anything; the rest reads as zero.
#[derive(Debug)]
pub(crate) struct SparseMemory {
    name: &'static str,
    size: u64,
    chunks: Vec<Option<Box<[u8]>>>,
}

impl SparseMemory {
    pub(crate) fn new(name: &'static str, size: u64) -> Self {
        Self { name, size, chunks: Vec::new() }
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
        let mut address = address as usize;
        let mut rest = buffer;
        while !rest.is_empty() {
            let offset = address & (CHUNK - 1);
            let length = rest.len().min(CHUNK - offset);
            let (part, tail) = rest.split_at_mut(length);
            match self.chunks.get(address >> CHUNK_BITS).and_then(Option::as_ref) {
                Some(chunk) => {
                    if let Some(source) = chunk.get(offset..offset + length) {
                        part.copy_from_slice(source);
                    }
                }
                None => part.fill(0),
            }
            rest = tail;
            address += length;
        }
        Ok(())
    }

    pub(crate) fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), Violation> {
        self.check(address, bytes.len())?;
        let mut address = address as usize;
        let mut rest = bytes;
        while !rest.is_empty() {
            let offset = address & (CHUNK - 1);
            let length = rest.len().min(CHUNK - offset);
            let (part, tail) = rest.split_at(length);
            let index = address >> CHUNK_BITS;
            if self.chunks.len() <= index {
                self.chunks.resize_with(index + 1, || None);
            }
            if let Some(slot) = self.chunks.get_mut(index) {
                if length == CHUNK && slot.is_none() {
                    *slot = Some(part.into());
                } else {
                    let chunk = slot.get_or_insert_with(|| vec![0; CHUNK].into_boxed_slice());
                    if let Some(target) = chunk.get_mut(offset..offset + length) {
                        target.copy_from_slice(part);
                    }
                }
            }
            rest = tail;
            address += length;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_comes_back_and_the_rest_is_zero() {
        let mut memory = SparseMemory::new("DRAM", 1 << 31);
        let bytes: Vec<u8> = (0..5 * CHUNK / 2).map(|byte| byte as u8).collect();
        let start = (CHUNK - 100) as u64;
        memory.write(start, &bytes).unwrap();
        let mut back = vec![1; bytes.len() + 200];
        memory.read(start - 100, &mut back).unwrap();
        assert_eq!(&back[..100], &[0; 100]);
        assert_eq!(&back[100..100 + bytes.len()], &bytes);
        assert_eq!(&back[100 + bytes.len()..], &[0; 100]);
    }

    #[test]
    fn the_end_is_the_end() {
        let mut memory = SparseMemory::new("DRAM", 1 << 31);
        memory.write((1 << 31) - 4, &[1; 4]).unwrap();
        assert!(memory.write((1 << 31) - 3, &[1; 4]).is_err());
        assert!(memory.read(u64::MAX, &mut [0; 4]).is_err());
    }
}
