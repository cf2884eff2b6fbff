//! The table of circular buffers that each processor keeps in private memory: `cb_interface` of
//! `hallmark/kernel_state.h`.

use hallmark_chip::{CircularBufferTable, Processor};

use super::KernelImage;

/// Bytes of `LocalCBInterface`, and the offsets of its pointers.
const ENTRY: u32 = 24;
const READ_POINTER: u32 = 16;
const WRITE_POINTER: u32 = 20;
/// Compute threads count addresses in units of 16 bytes.
const COMPUTE_UNIT: u32 = 16;

impl KernelImage {
    /// Its table of circular buffers, if a symbol tells where it is.
    pub fn circular_buffer_table(&self, processor: Processor) -> Option<CircularBufferTable> {
        let range = self.circular_buffers()?;
        Some(CircularBufferTable {
            address: range.start,
            entries: range.end.saturating_sub(range.start) / ENTRY,
            stride: ENTRY,
            read_pointer: READ_POINTER,
            write_pointer: WRITE_POINTER,
            unit: match processor {
                Processor::Brisc | Processor::Ncrisc => 1,
                Processor::Trisc0 | Processor::Trisc1 | Processor::Trisc2 => COMPUTE_UNIT,
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KERNEL: &[u8] = include_bytes!("fixtures/private_memory.elf");

    #[test]
    fn agrees_with_the_kernels_header() {
        let header = include_str!("../../firmware/include/hallmark/kernel_state.h");
        let (_, rest) = header.split_once("struct LocalCBInterface {").unwrap();
        let (fields, _) = rest.split_once('}').unwrap();
        let fields: Vec<&str> = fields
            .lines()
            .filter_map(|line| line.trim().strip_prefix("uint32_t ")?.strip_suffix(';'))
            .collect();
        let offset = |name| fields.iter().position(|field| *field == name).unwrap() as u32 * 4;
        assert_eq!(fields.len() as u32 * 4, ENTRY);
        assert_eq!(offset("fifo_rd_ptr"), READ_POINTER);
        assert_eq!(offset("fifo_wr_ptr"), WRITE_POINTER);
    }

    #[test]
    fn a_kernel_has_an_entry_for_each_index() {
        let image = KernelImage::parse(KERNEL).unwrap();
        let (start, end) = image.private_memory().unwrap();
        for (processor, unit) in [(Processor::Ncrisc, 1), (Processor::Trisc2, 16)] {
            let table = image.circular_buffer_table(processor).unwrap();
            assert_eq!((table.entries, table.unit), (32, unit));
            assert!(start <= table.address && table.address + 32 * table.stride <= end);
        }
    }
}
