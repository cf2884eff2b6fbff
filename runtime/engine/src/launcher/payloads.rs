//! The data of writes.

use crate::addresses::BufferExtent;
use crate::stop::RawStop;
use crate::work::Payload;

/// Bytes of data that are generated before they are written, as far as pages allow: new memory costs more than writing
/// into it.
const MADE_AT_ONCE: u64 = 1 << 20;
/// Bytes of memory for data that are kept from one write to the next.
const MADE_KEPT: usize = 4 << 20;

/// Memory for generated data, kept from one write to the next.
#[derive(Debug, Default)]
pub(super) struct Payloads(Vec<u8>);

impl Payloads {
    /// Has the bytes of an extent written, generated ones part by part.
    ///
    /// # Errors
    /// Those of `write`.
    pub(super) fn write(
        &mut self,
        extent: &BufferExtent,
        payload: Payload,
        mut write: impl FnMut(&BufferExtent, &[u8]) -> Result<(), RawStop>,
    ) -> Result<(), RawStop> {
        match payload {
            Payload::Bytes(bytes) => write(extent, &bytes),
            Payload::Generated { generator, length } => {
                let mut made = std::mem::take(&mut self.0);
                let mut generated = generator.reader(length);
                let mut parts = extent.parts(MADE_AT_ONCE);
                let written = parts.try_for_each(|part| {
                    generated.next_in(part.size(), &mut made);
                    write(&part, &made)
                });
                if made.capacity() <= MADE_KEPT {
                    self.0 = made;
                }
                written
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use hallmark_schema::model::{BufferType, DataType, Generator};

    use super::*;
    use crate::addresses::Placement;
    use crate::addresses::page_mapping::PageMapping;

    #[test]
    fn generated_bytes_come_in_parts_of_whole_pages() {
        let page_size = MADE_AT_ONCE / 2 - 4;
        let extent = BufferExtent {
            buffer_type: BufferType::Dram,
            page_size,
            placement: Placement { address: 0, page_stride: page_size, bank_size: 0 },
            mapping: PageMapping::Interleaved { banks: 3 },
            pages: 2..7,
        };
        let length = extent.size();
        let data_type = DataType::Uint32;
        let generator = Generator::Sequence { data_type, start: 3, step: 7 };
        let mut whole = Vec::new();
        generator.reader(length).next_in(length, &mut whole);
        let mut payloads = Payloads::default();
        let (mut pages, mut written) = (Vec::new(), Vec::new());
        let payload = Payload::Generated { generator, length };
        let result = payloads.write(&extent, payload, |part, bytes| {
            pages.push(part.pages.clone());
            written.extend_from_slice(bytes);
            Ok(())
        });
        assert!(result.is_ok());
        assert_eq!(pages, [2..4, 4..6, 6..7]);
        assert_eq!(written, whole);
        assert!(!payloads.0.is_empty());
    }
}
