//! A buffer as devices that check programs are told of it.

use std::ops::Range;

use hallmark_chip::{DescribedBuffer, DescribedExtent, DescribedPages, TileAddress};

use super::page_mapping::PageMapping;
use super::{Bank, Banks, BufferExtent};

/// The description of a whole buffer. `extent` is the buffer's, and not a view's.
pub fn described(banks: &Banks, extent: &BufferExtent, number: u32, name: &str) -> DescribedBuffer {
    let used = banks.of(extent.buffer_type).iter().zip(0..);
    let used = used.filter(|(_, index)| extent.mapping.uses(*index));
    DescribedBuffer {
        number,
        name: name.into(),
        pages: extent.pages.end,
        page_size: extent.page_size,
        sharded: extent.mapping.sharding().is_some(),
        address: extent.placement.address,
        extents: used.map(|(bank, index)| described_extent(extent, bank, index)).collect(),
    }
}

fn described_extent(extent: &BufferExtent, bank: &Bank, index: u64) -> DescribedExtent {
    let start = bank.offset.saturating_add(extent.placement.address);
    let distance = extent.placement.page_stride;
    let run = |slot: u64, first: u64, step: u64, count: u64| {
        let start = TileAddress(start.saturating_add(slot.saturating_mul(distance)));
        DescribedPages { start, distance, first, step, count }
    };
    let runs = match &extent.mapping {
        // A buffer may have millions of pages: they are not looked at one by one.
        PageMapping::Interleaved { banks } => {
            let count = extent.pages.end.saturating_sub(index).div_ceil((*banks).max(1));
            vec![run(0, index, *banks, count)]
        }
        PageMapping::Sharded(_) => {
            let pages = extent.mapping.pages_of(index, Range { start: 0, end: extent.pages.end });
            neighbours(pages)
                .into_iter()
                .map(|(slot, first, count)| run(slot, first, 1, count))
                .collect()
        }
    };
    DescribedExtent {
        tile: bank.physical,
        start: TileAddress(start),
        length: extent.placement.bank_size,
        runs,
    }
}

/// Pages with their places, as runs in which both count on by 1: place, number and length of each.
fn neighbours(pages: impl Iterator<Item = (u64, u64)>) -> Vec<(u64, u64, u64)> {
    let mut runs: Vec<(u64, u64, u64)> = Vec::new();
    for (page, slot) in pages {
        match runs.last_mut() {
            Some((first_slot, first, count))
                if first_slot.saturating_add(*count) == slot
                    && first.saturating_add(*count) == page =>
            {
                *count = count.saturating_add(1);
            }
            _ => runs.push((slot, page, 1)),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use hallmark_chip::{Architecture, ChipDescription, L1BankOrder};
    use hallmark_schema::model::{BufferLayout, BufferType, Grid};

    use super::*;
    use crate::addresses::Placement;

    #[test]
    fn each_page_is_found_where_the_mapping_puts_it() {
        let chip = ChipDescription::of(Architecture::WormholeB0);
        let banks = Banks::new(chip, Grid { columns: 8, rows: 8 }, L1BankOrder::Shuffled).unwrap();
        let numbers = banks.numbers(BufferType::Dram);
        let mapping = PageMapping::new(BufferLayout::Interleaved, None, 17, numbers).unwrap();
        let extent = BufferExtent {
            buffer_type: BufferType::Dram,
            page_size: 40,
            placement: Placement { address: 0x2000, page_stride: 64, bank_size: 128 },
            mapping,
            pages: 0..17,
        };
        let buffer = described(&banks, &extent, 5, "b");
        assert_eq!((buffer.number, buffer.pages, buffer.extents.len()), (5, 17, 12));
        for page in 0..17 {
            let place = extent.mapping.locate(page).unwrap();
            let bank = &banks.dram[place.bank as usize];
            let address = bank.offset + 0x2000 + place.slot * 64;
            assert_eq!(buffer.page_at(bank.physical, TileAddress(address + 63)), Some(page));
        }
        // The bank of page 11 has no other one.
        let bank = &banks.dram[11];
        assert_eq!(buffer.page_at(bank.physical, TileAddress(bank.offset + 0x2040)), None);
    }

    #[test]
    fn pages_that_count_on_are_one_run() {
        let pages = [(4, 0), (5, 1), (8, 2), (9, 3), (10, 5)];
        assert_eq!(neighbours(pages.into_iter()), [(0, 4, 2), (2, 8, 2), (5, 10, 1)]);
    }
}
