//! The PCIe tile's address translation units: where requests of the chip land in host memory.

use hallmark_chip::AddressTranslationLayout;

use crate::machine::fault::Violation;

/// Regions in each direction.
const REGIONS: usize = 16;
/// Words of a region's registers.
const WORDS: usize = 9;
/// Bit 31 of the second control register.
const ENABLED: u32 = 1 << 31;

/// The registers of one region, in the order of their offsets.
#[derive(Clone, Copy, Debug, Default)]
struct Region {
    words: [u32; WORDS],
}

impl Region {
    fn pair(&self, low: usize, high: usize) -> u64 {
        let word = |index| self.words.get(index).copied().map_or(0, u64::from);
        word(high) << 32 | word(low)
    }

    fn is_enabled(&self) -> bool {
        let [_, control, ..] = self.words;
        control & ENABLED != 0
    }

    /// The address on the other side, if the region is enabled and holds this one.
    fn translate(&self, address: u64, layout: AddressTranslationLayout) -> Option<u64> {
        let base = self.pair(2, 3);
        let limit = self.pair(4, if layout.upper_limit { 8 } else { 3 });
        let inside = self.is_enabled() && (base..=limit).contains(&address);
        inside.then(|| self.pair(5, 6).wrapping_add(address - base))
    }
}

/// Both units. Only the outbound one changes where anything lands: the inbound one shows the top of BAR0
/// in BAR4 where a chip does that, and is taken to be set up so.
#[derive(Debug)]
pub(crate) struct AddressTranslation {
    layout: Option<AddressTranslationLayout>,
    outbound: [Region; REGIONS],
    inbound: [Region; REGIONS],
}

impl AddressTranslation {
    pub(crate) fn new(layout: Option<AddressTranslationLayout>) -> Self {
        Self {
            layout,
            outbound: [Region::default(); REGIONS],
            inbound: [Region::default(); REGIONS],
        }
    }

    /// Where an address of the chip's host window lands in host memory: addresses outside the regions
    /// stay as they are (PCIExpressTile/README.md, "Outbound iATU").
    pub(crate) fn outbound(&self, address: u64) -> u64 {
        let Some(layout) = self.layout else { return address };
        let translated = self.outbound.iter().find_map(|region| region.translate(address, layout));
        translated.unwrap_or(address)
    }

    /// The register at an offset of BAR2.
    pub(crate) fn register(&mut self, offset: u64) -> Result<&mut u32, Violation> {
        let missing = || Violation::unimplemented(format!("BAR2 at {offset:#x}"));
        let layout = self.layout.ok_or_else(missing)?;
        let inside = offset.checked_sub(layout.start).ok_or_else(missing)?;
        // Outbound and inbound registers of a region follow each other.
        let slot = usize::try_from(inside / layout.stride).map_err(|_| missing())?;
        let word = (inside % layout.stride / 4) as usize;
        let unit = if slot.is_multiple_of(2) { &mut self.outbound } else { &mut self.inbound };
        let region = unit.get_mut(slot / 2).ok_or_else(missing)?;
        region.words.get_mut(word).ok_or_else(missing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn units(upper_limit: bool) -> AddressTranslation {
        let layout = AddressTranslationLayout { start: 0x1200, stride: 0x100, upper_limit };
        AddressTranslation::new(Some(layout))
    }

    fn set(units: &mut AddressTranslation, region: u64, words: [u32; 7]) {
        for (word, at) in words.into_iter().zip((0x1200 + region * 0x200..).step_by(4)) {
            *units.register(at).unwrap() = word;
        }
    }

    #[test]
    fn an_enabled_region_moves_its_addresses_and_no_others() {
        let mut units = units(false);
        assert_eq!(units.outbound(0x5000), 0x5000);
        set(&mut units, 5, [0, ENABLED, 0x4000, 0, 0x5FFF, 0x100, 2]);
        assert_eq!(units.outbound(0x3FFF), 0x3FFF);
        assert_eq!(units.outbound(0x4000), 0x2_0000_0100);
        assert_eq!(units.outbound(0x5FFF), 0x2_0000_20FF);
        assert_eq!(units.outbound(0x6000), 0x6000);
        set(&mut units, 5, [0, 0, 0x4000, 0, 0x5FFF, 0x100, 2]);
        assert_eq!(units.outbound(0x4000), 0x4000);
    }

    #[test]
    fn a_limit_has_a_word_of_its_own_for_its_upper_half_where_the_chip_has_one() {
        let mut units = units(true);
        set(&mut units, 0, [0, ENABLED, 0, 1, 0xFFFF, 0, 0]);
        assert_eq!(units.outbound(1 << 32), 1 << 32);
        *units.register(0x1200 + 0x20).unwrap() = 1;
        assert_eq!(units.outbound(1 << 32), 0);
    }

    #[test]
    fn registers_that_are_not_there_are_said_to_be_missing() {
        let mut units = units(true);
        for offset in [0, 0x11FC, 0x1224, 0x3200, u64::MAX] {
            assert!(units.register(offset).is_err(), "{offset:#x}");
        }
        assert!(AddressTranslation::new(None).register(0x1200).is_err());
    }
}
