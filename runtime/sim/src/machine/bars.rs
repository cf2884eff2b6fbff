//! The PCIe function as the host sees it: configuration space and base address registers.

use hallmark_chip::{
    Bar, BarOffset, ChipDescription, HostNocInterface, TileAddress, WindowId, WindowTarget,
};

use crate::machine::fault::Violation;

/// Where an access lands.
#[derive(Debug)]
pub(crate) enum Landing {
    /// Behind a window.
    Window { target: WindowTarget, address: TileAddress },
    /// The configuration word of a window, by its number.
    Register(usize),
    /// A register of a tile's NoC interface.
    NocInterface { interface: HostNocInterface, offset: u32 },
    /// A register of the address translation units, by its offset in BAR2.
    Translation(u64),
    /// The ARC tile, by the address that a NoC request would have.
    Arc(TileAddress),
}

/// The flags of a window that may be set, from the multicast bit up: multicast, ordering, and beyond
/// the linked bit the static virtual channel (tt-isa-documentation, WormholeB0/PCIExpressTile/TLBs.md).
const FLAGS: u64 = 0b1_0111;

#[derive(Debug)]
pub(crate) struct Bars {
    description: &'static ChipDescription,
    words: Vec<u32>,
}

impl Bars {
    pub(crate) fn new(description: &'static ChipDescription) -> Self {
        let windows: u64 =
            description.windows.groups.iter().map(|group| u64::from(group.count)).sum();
        let words = windows * (description.windows.register_stride / 4);
        Self { description, words: vec![0; words as usize] }
    }

    /// Configuration space: identification, command, class, then the base address registers of a
    /// 64-bit function, where a machine without other devices would put them.
    pub(crate) fn configuration(&self, offset: u16) -> Result<u32, Violation> {
        match offset {
            0x00 => Ok(self.description.pci_id),
            0x08 => Ok(0x1200_0001),
            0x10 => Ok(0x4),
            0x14 => Ok(0x1),
            0x18 => Ok(0x2000_0004),
            0x1C => Ok(0x1),
            0x20 => Ok(0x4),
            0x24 => Ok(0x8),
            0x3C => Ok(0xFF),
            0x04 | 0x0C | 0x28..=0x38 if offset.is_multiple_of(4) => Ok(0),
            _ if !offset.is_multiple_of(4) => {
                Err(Violation::undefined(format!("configuration offset {offset:#x} is misaligned")))
            }
            _ => Err(Violation::unimplemented(format!("configuration offset {offset:#x}"))),
        }
    }

    pub(crate) fn land(&self, at: BarOffset, length: usize) -> Result<Landing, Violation> {
        let mut at = at;
        let [bar0, bar2, bar4] = self.description.bar_sizes;
        let size = match at.bar {
            Bar::Bar0 => bar0,
            Bar::Bar2 => bar2,
            Bar::Bar4 => bar4,
        };
        let within = at.offset.checked_add(length as u64).is_some_and(|end| end <= size);
        if length == 0 || !within {
            return Err(Violation::undefined(format!(
                "{length} bytes at {:#x} are not inside {}",
                at.offset, at.bar
            )));
        }
        if at.bar == Bar::Bar4 && self.description.bar4_shows_bar0 {
            at = BarOffset { bar: Bar::Bar0, offset: bar0.saturating_sub(size) + at.offset };
        }
        if let Some(landing) = self.own_register(at) {
            if length != 4 || !at.offset.is_multiple_of(4) {
                return Err(Violation::unsupported(format!(
                    "{length} bytes at {:#x} of {}: its registers are words",
                    at.offset, at.bar
                )));
            }
            return Ok(landing);
        }
        if let Some(address) = self.arc(at) {
            return Ok(Landing::Arc(address));
        }
        let BarOffset { bar: first_bar, offset: registers } = self.description.windows.registers;
        if let Some(offset) = at.offset.checked_sub(registers).filter(|_| at.bar == first_bar) {
            let word = (offset / 4) as usize;
            if word >= self.words.len() {
                return Err(Violation::unimplemented(format!("BAR0 at {:#x}", at.offset)));
            }
            let pairs = self.description.windows.register_stride == 8;
            if !offset.is_multiple_of(4)
                || !(length == 4 || pairs && length == 8 && offset.is_multiple_of(8))
            {
                return Err(Violation::unsupported(format!(
                    "{length} bytes at {:#x} of the window registers",
                    at.offset
                )));
            }
            return Ok(Landing::Register(word));
        }
        let mut first = 0;
        for group in self.description.windows.groups {
            let bits = group.size_bits;
            let span = u64::from(group.count) << bits;
            if at.bar == group.base.bar
                && let Some(offset) = at.offset.checked_sub(group.base.offset)
                && offset < span
            {
                let window = WindowId(first + (offset >> bits) as u16);
                let inside = offset & ((1 << bits) - 1);
                if inside + length as u64 > 1 << bits {
                    return Err(Violation::unsupported(format!(
                        "{length} bytes at {inside:#x} pass the end of window {}",
                        window.0
                    )));
                }
                let target = self.target(window, group.address_bits)?;
                let address = TileAddress(target.address.0 | inside);
                return Ok(Landing::Window { target, address });
            }
            first += group.count;
        }
        Err(Violation::unimplemented(format!("{} at {:#x}", at.bar, at.offset)))
    }

    /// A register that the host reaches without a window, but for those of the windows themselves.
    fn own_register(&self, at: BarOffset) -> Option<Landing> {
        match at.bar {
            Bar::Bar0 => self.description.host_noc_interfaces.iter().find_map(|&interface| {
                let offset = at.offset.checked_sub(interface.start)?;
                let offset = u32::try_from(offset).ok().filter(|&offset| offset < 0x1000)?;
                Some(Landing::NocInterface { interface, offset })
            }),
            Bar::Bar2 => Some(Landing::Translation(at.offset)),
            Bar::Bar4 => None,
        }
    }

    /// The address in the ARC tile that the host reaches without a window.
    fn arc(&self, at: BarOffset) -> Option<TileAddress> {
        let arc = self.description.arc.as_ref().filter(|_| at.bar == Bar::Bar0)?;
        arc.host_views.iter().find_map(|view| {
            let offset = at.offset.checked_sub(view.start).filter(|offset| *offset < view.size)?;
            Some(TileAddress(arc.crossbar.0 + u64::from(view.address) + offset))
        })
    }

    fn target(&self, window: WindowId, address_bits: u32) -> Result<WindowTarget, Violation> {
        let layout = &self.description.windows;
        let noc_bits = self.description.window_noc_bits;
        let stride = (layout.register_stride / 4) as usize;
        let start = usize::from(window.0) * stride;
        let words = self.words.get(start..start + stride).unwrap_or_default();
        let bits = words.iter().rev().fold(0u128, |bits, &word| bits << 32 | u128::from(word));
        let flags = (bits >> (address_bits + 24 + noc_bits)) as u64;
        if flags >> 1 & 3 == 3 {
            return Err(Violation::undefined(format!("window {} has ordering 3", window.0)));
        }
        if flags & !FLAGS != 0 {
            return Err(Violation::unimplemented(format!(
                "window {} is linked, or has bits set that mean nothing",
                window.0
            )));
        }
        layout
            .decode(window, words, noc_bits)
            .ok_or_else(|| Violation::undefined(format!("window {} cannot be decoded", window.0)))
    }

    pub(crate) fn read_register(&self, word: usize, buffer: &mut [u8]) {
        for (bytes, value) in buffer.chunks_exact_mut(4).zip(self.words.iter().skip(word)) {
            bytes.copy_from_slice(&value.to_le_bytes());
        }
    }

    pub(crate) fn write_register(&mut self, word: usize, bytes: &[u8]) {
        for (bytes, value) in bytes.chunks_exact(4).zip(self.words.iter_mut().skip(word)) {
            *value = bytes.first_chunk().copied().map_or(0, u32::from_le_bytes);
        }
    }
}
