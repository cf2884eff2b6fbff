//! Computes the place of a buffer's page on the device, and the page at an address, from the capture.

use hallmark_chip::{ChipDescription, PhysicalCoordinate, TileAddress};
use hallmark_runtime::BankNumbers;
use hallmark_runtime::allocator::page_stride;
use hallmark_runtime::page_mapping::{PageLocation, PageMapping};
use hallmark_schema::commands;
use hallmark_schema::model::{BufferId, BufferType, Capture, Command, ObjectKind};

/// A byte of a buffer's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BufferByte {
    /// A byte of a page.
    InPage {
        /// The page, counted from the buffer's first.
        page: u64,
        /// The offset of the byte in the page.
        byte: u64,
    },
    /// Padding between a page and the next one in its bank.
    Padding {
        /// The preceding page.
        page: u64,
    },
    /// In a bank without a page at this offset: the same range is allocated in every bank.
    Share {
        /// The offset of the byte in the buffer's range of the bank.
        byte: u64,
    },
}

/// The pages of a read.
#[derive(Clone, Debug)]
pub(super) struct ReadPlace {
    /// The name of the buffer, or view, in the suite.
    pub(super) buffer: String,
    /// Bytes per page.
    pub(super) page_size: u64,
    buffer_type: BufferType,
    address: Option<u64>,
    mapping: PageMapping,
    /// The pages of the whole buffer.
    pages: u64,
    /// The first page of the read, counted from the whole buffer's first.
    first_page: u64,
    chip: &'static ChipDescription,
    numbers: BankNumbers,
}

impl ReadPlace {
    /// The pages that command `index` of a capture read.
    pub(super) fn of(capture: &Capture, index: u32) -> Option<Self> {
        let commands = &capture.program.commands;
        let recorded = commands.get(usize::try_from(index).ok()?)?;
        let Command::EnqueueReadBuffer(commands::EnqueueReadBuffer {
            buffer: read, region, ..
        }) = recorded.command
        else {
            return None;
        };
        Self::of_buffer(capture, read, region.map_or(0, |region| region.offset))
    }

    /// The pages of a buffer or view, from an offset on.
    pub(super) fn of_buffer(capture: &Capture, wanted: BufferId, mut offset: u64) -> Option<Self> {
        let commands = &capture.program.commands;
        let mut view = None;
        let mut wanted = wanted;
        // A view comes after its parent, so the search ends.
        for recorded in commands.iter().rev() {
            match &recorded.command {
                Command::CreateBufferView(commands::CreateBufferView {
                    buffer,
                    name: of,
                    parent,
                    region,
                }) if *buffer == wanted => {
                    view = view.or(Some(of));
                    wanted = *parent;
                    offset = offset.checked_add(region.offset)?;
                }
                Command::CreateBuffer(call) if call.buffer == wanted => {
                    return Self::of_call(capture, call, view.unwrap_or(&call.name), offset);
                }
                _ => {}
            }
        }
        None
    }

    /// The pages of the buffer that a call creates, from an offset on. `name` is that of the buffer, or of the view.
    pub(super) fn of_call(
        capture: &Capture,
        call: &commands::CreateBuffer,
        name: &str,
        offset: u64,
    ) -> Option<Self> {
        let commands::CreateBuffer { buffer, size, page_size, buffer_type, layout, .. } = *call;
        let chip = capture.chip();
        let (grid, order) = (capture.program.grid, capture.l1_bank_order());
        let numbers = BankNumbers::new(chip, buffer_type, grid, order);
        let pages = size.checked_div(page_size)?;
        Some(Self {
            buffer: name.to_owned(),
            page_size,
            buffer_type,
            address: capture.address_of(ObjectKind::Buffer, buffer.0),
            mapping: PageMapping::new(layout, call.shard_spec.as_ref(), pages, &numbers).ok()?,
            pages,
            first_page: offset.checked_div(page_size)?,
            chip,
            numbers,
        })
    }

    /// The kind of memory that the buffer is in.
    pub(super) fn memory(&self) -> String {
        self.buffer_type.to_string()
    }

    /// The bank of a page, and the place of the bank: `tile (0,5)`.
    pub(super) fn bank(&self, page: u64) -> Option<(u64, String)> {
        let PageLocation { bank, .. } = self.mapping.locate(self.first_page.checked_add(page)?)?;
        Some((bank, self.bank_place(bank)?))
    }

    /// The place of a bank: `tile (0,5)`, in L1 with its logical coordinate.
    fn bank_place(&self, bank: u64) -> Option<String> {
        Some(match self.buffer_type {
            BufferType::Dram => {
                let bank = self.chip.dram_banks.get(usize::try_from(bank).ok()?)?;
                format!("tile {}", bank.tile)
            }
            BufferType::L1 | BufferType::L1Small => {
                let core = self.numbers.core(bank)?;
                format!("tile {}, logical {core}", self.chip.physical(core)?)
            }
        })
    }

    /// `page 3 of dst is DRAM bank 3, tile (0,5), 0x40000840–0x4000103f`.
    pub(super) fn page(&self, page: u64) -> Option<String> {
        let PageLocation { bank, slot } =
            self.mapping.locate(self.first_page.checked_add(page)?)?;
        let stride = page_stride(self.chip, self.buffer_type, self.page_size)?;
        let start = self.address?.checked_add(slot.checked_mul(stride)?)?;
        let tile = self.bank_place(bank)?;
        let start = match self.buffer_type {
            BufferType::Dram => {
                let bank = self.chip.dram_banks.get(usize::try_from(bank).ok()?)?;
                start.checked_add(bank.offset)?
            }
            BufferType::L1 | BufferType::L1Small => start,
        };
        let end = start.checked_add(self.page_size)?.checked_sub(1)?;
        Some(format!(
            "page {page} of {} is {} bank {bank}, {tile}, {start:#x}–{end:#x}",
            self.buffer, self.buffer_type
        ))
    }

    /// The byte of the buffer at an address of a tile.
    pub(super) fn at(
        &self,
        tile: PhysicalCoordinate,
        TileAddress(address): TileAddress,
    ) -> Option<BufferByte> {
        let stride = page_stride(self.chip, self.buffer_type, self.page_size)?;
        let mut banks =
            self.banks_on(tile).into_iter().filter(|(bank, _)| self.mapping.uses(*bank));
        banks.find_map(|(bank, start)| {
            let offset = address.checked_sub(start)?.checked_sub(self.address?)?;
            let slot = offset.checked_div(stride)?;
            if slot >= self.mapping.slots(self.pages) {
                return None;
            }
            let pages = self.mapping.pages_of(bank, 0..self.pages);
            let mut pages = pages.skip_while(|(_, known)| *known < slot);
            let Some((page, _)) = pages.next().filter(|(_, known)| *known == slot) else {
                return Some(BufferByte::Share { byte: offset });
            };
            let byte = offset.checked_rem(stride)?;
            Some(if byte < self.page_size {
                BufferByte::InPage { page, byte }
            } else {
                BufferByte::Padding { page }
            })
        })
    }

    /// The memory of the buffer on a tile, as half-open ranges, one for each of the tile's banks.
    pub(super) fn spans_on(&self, tile: PhysicalCoordinate) -> Vec<(u64, u64)> {
        let stride = page_stride(self.chip, self.buffer_type, self.page_size);
        let size = stride.and_then(|stride| stride.checked_mul(self.mapping.slots(self.pages)));
        let Some((size, address)) = size.zip(self.address) else { return Vec::new() };
        let banks = self.banks_on(tile).into_iter().filter(|(bank, _)| self.mapping.uses(*bank));
        let spans = banks.map(|(_, start)| {
            let start = start.saturating_add(address);
            (start, start.saturating_add(size))
        });
        spans.collect()
    }

    /// The banks of a tile, and the first address of each.
    fn banks_on(&self, tile: PhysicalCoordinate) -> Vec<(u64, u64)> {
        match self.buffer_type {
            BufferType::Dram => {
                let ports = |place| {
                    let mut tiles = self.chip.dram_tiles.iter();
                    tiles.any(|known| known.ports.contains(&place) && known.ports.contains(&tile))
                };
                let banks = (0..).zip(self.chip.dram_banks);
                banks
                    .filter(|(_, bank)| ports(bank.place))
                    .map(|(number, bank)| (number, bank.offset))
                    .collect()
            }
            BufferType::L1 | BufferType::L1Small => {
                let bank = self.chip.logical(tile).and_then(|core| self.numbers.bank(core));
                bank.map(|bank| (bank, 0)).into_iter().collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use hallmark_schema::model::SharedBytes;

    use super::*;

    fn captured(name: &str, buffer: u32) -> ReadPlace {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../schema/released/1.0/captures");
        let bytes: SharedBytes = std::fs::read(format!("{folder}/{name}.lmb")).unwrap().into();
        ReadPlace::of_buffer(&Capture::from_bytes(&bytes).unwrap(), BufferId(buffer), 0).unwrap()
    }

    /// Tile and address of a page's first byte.
    fn first_byte(place: &ReadPlace, page: u64) -> (PhysicalCoordinate, u64) {
        let PageLocation { bank, slot } = place.mapping.locate(page).unwrap();
        let stride = page_stride(place.chip, place.buffer_type, place.page_size).unwrap();
        let address = place.address.unwrap() + slot * stride;
        match place.buffer_type {
            BufferType::Dram => {
                let bank = place.chip.dram_banks[usize::try_from(bank).unwrap()];
                (bank.place, address + bank.offset)
            }
            BufferType::L1 | BufferType::L1Small => {
                (place.chip.physical(place.numbers.core(bank).unwrap()).unwrap(), address)
            }
        }
    }

    #[test]
    fn each_byte_of_a_page_is_found_by_its_address() {
        for (name, buffer, pages) in [
            ("interleaved_l1", 0, 40),
            ("sharded_l1", 0, 16),
            ("sharded_l1", 1, 16),
            ("circular_buffers", 0, 3),
        ] {
            let place = captured(name, buffer);
            for page in 0..pages {
                let (tile, address) = first_byte(&place, page);
                for byte in [0, 1, place.page_size - 1] {
                    let found = place.at(tile, TileAddress(address + byte));
                    assert_eq!(found, Some(BufferByte::InPage { page, byte }), "{name}: {page}");
                }
                let before = place.at(tile, TileAddress(address - 1));
                assert_ne!(before, Some(BufferByte::InPage { page, byte: 0 }), "{name}: {page}");
            }
            let (tile, address) = first_byte(&place, 0);
            assert_eq!(place.at(tile, TileAddress(address + (1 << 20))), None, "{name}");
            assert_eq!(place.at(tile, TileAddress(u64::MAX)), None, "{name}");
        }
    }

    #[test]
    fn a_bank_without_a_page_has_its_share() {
        let place = captured("circular_buffers", 2);
        let (first, address) = first_byte(&place, 0);
        let core = hallmark_chip::LogicalCore { x: 3, y: 2 };
        let tile = place.chip.physical(core).unwrap();
        assert_ne!(first, tile);
        let found = |further| place.at(tile, TileAddress(address + further));
        assert_eq!(found(5), Some(BufferByte::Share { byte: 5 }));
        assert_eq!(found(511), Some(BufferByte::Share { byte: 511 }));
        assert_eq!(found(512), None);
    }

    #[test]
    fn what_lies_between_pages_is_padding() {
        let place = captured("sharded_l1", 0);
        assert_eq!(place.page_size, 36);
        let (tile, address) = first_byte(&place, 0);
        let found = place.at(tile, TileAddress(address + 36));
        assert_eq!(found, Some(BufferByte::Padding { page: 0 }));
    }

    #[test]
    fn all_ports_of_a_dram_controller_lead_to_its_banks() {
        let place = captured("circular_buffers", 0);
        let (tile, address) = first_byte(&place, 1);
        let ports = place.chip.dram_tiles.iter().map(|known| known.ports);
        let of_tile: Vec<_> = ports.filter(|ports| ports.contains(&tile)).flatten().collect();
        assert!(of_tile.len() > 1);
        for port in of_tile {
            let found = place.at(*port, TileAddress(address));
            assert_eq!(found, Some(BufferByte::InPage { page: 1, byte: 0 }));
        }
    }
}
