//! TLB windows: their number, their addresses and the layout of their registers.

use crate::{BarOffset, Noc, NocCoordinate, TileAddress};

/// A TLB window's index, counted over all groups in the order of the configuration registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WindowId(pub u16);

/// The ordering of writes through a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WindowOrder {
    /// Two writes are not ordered unless the static virtual channel is set.
    Default = 0,
    /// AXI order: data arrives before a later go signal.
    Strict = 1,
    /// A write is not even ordered before a later read.
    Posted = 2,
}

/// The target of a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowTarget {
    /// The tile, or the end of the rectangle of a multicast.
    pub end: NocCoordinate,
    /// The start of the rectangle; `Some` makes every write a multicast.
    pub multicast_start: Option<NocCoordinate>,
    /// The network used.
    pub noc: Noc,
    /// The tile address of the window's first byte; a multiple of the window's size.
    pub address: TileAddress,
    /// Ordering of writes.
    pub order: WindowOrder,
}

/// A target that a window cannot have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WindowTargetError {
    /// The address is no multiple of the window's size.
    #[error("address {address} is not a multiple of the window's {size:#x} bytes")]
    Misaligned {
        /// The requested address.
        address: TileAddress,
        /// The window's size in bytes.
        size: u64,
    },
    /// The address does not fit into the configuration register.
    #[error("address {address} does not fit into the window's configuration register")]
    AddressTooLarge {
        /// The requested address.
        address: TileAddress,
    },
    /// The window index is past the last one.
    #[error("the chip has no TLB window {0}")]
    NoSuchWindow(u16),
}

/// Consecutive windows of one size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowGroup {
    /// The number of windows in the group.
    pub count: u16,
    /// log2 of a window's size in bytes.
    pub size_bits: u32,
    /// The offset of the first window.
    pub base: BarOffset,
    /// Bits of the configuration register below the coordinates: the address divided by the size.
    pub address_bits: u32,
    /// The number of windows at the end of the group that belong to the kernel driver.
    pub reserved: u16,
}

/// The layout of a chip's TLB windows and of their configuration registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowLayout {
    /// The groups, in the order of the configuration registers.
    pub groups: &'static [WindowGroup],
    /// The first configuration register.
    pub registers: BarOffset,
    /// Bytes of configuration per window, a multiple of 4.
    pub register_stride: u64,
}

impl WindowLayout {
    /// The group of a window and its index in the group.
    pub fn group_of(&self, window: WindowId) -> Option<(&'static WindowGroup, u16)> {
        let mut index = window.0;
        for group in self.groups {
            match index.checked_sub(group.count) {
                None => return Some((group, index)),
                Some(rest) => index = rest,
            }
        }
        None
    }

    /// Packs a target into configuration words, lowest first, `register_stride / 4` of them.
    ///
    /// Layout, from the lowest bit: address / size, x_end : 6, y_end : 6, x_start : 6, y_start : 6, noc,
    /// multicast, order : 2 (tt-isa-documentation, WormholeB0/PCIExpressTile/TLBs.md; tt-umd's `tlb_data`). The
    /// description's `window_noc_bits`, passed as `noc_bits`, is the width of the `noc` field: 2 on Blackhole,
    /// otherwise 1.
    pub fn encode(
        &self,
        window: WindowId,
        target: &WindowTarget,
        noc_bits: u32,
    ) -> Result<Vec<u32>, WindowTargetError> {
        let (group, _) = self.group_of(window).ok_or(WindowTargetError::NoSuchWindow(window.0))?;
        let size = 1u64 << group.size_bits;
        if !target.address.0.is_multiple_of(size) {
            return Err(WindowTargetError::Misaligned { address: target.address, size });
        }
        let page = target.address.0 >> group.size_bits;
        if group.address_bits < 64 && page >> group.address_bits != 0 {
            return Err(WindowTargetError::AddressTooLarge { address: target.address });
        }
        let start = target.multicast_start.unwrap_or(NocCoordinate { x: 0, y: 0 });
        let mut bits = u128::from(page);
        let mut shift = group.address_bits;
        let mut push = |value: u128, width: u32| {
            bits |= value << shift;
            shift += width;
        };
        push(u128::from(target.end.x & 0x3F), 6);
        push(u128::from(target.end.y & 0x3F), 6);
        push(u128::from(start.x & 0x3F), 6);
        push(u128::from(start.y & 0x3F), 6);
        push(target.noc.index() as u128, noc_bits);
        push(u128::from(target.multicast_start.is_some()), 1);
        push(target.order as u128, 2);
        Ok((0..self.register_stride / 4).map(|word| (bits >> (32 * word)) as u32).collect())
    }

    /// Decodes a target from configuration words: the inverse of [`WindowLayout::encode`].
    pub fn decode(&self, window: WindowId, words: &[u32], noc_bits: u32) -> Option<WindowTarget> {
        let (group, _) = self.group_of(window)?;
        let bits = words.iter().rev().fold(0u128, |bits, &word| (bits << 32) | u128::from(word));
        let mut shift = 0;
        let mut take = |width: u32| {
            let value = (bits >> shift) & ((1u128 << width) - 1);
            shift += width;
            value as u64
        };
        let page = take(group.address_bits);
        let end = NocCoordinate { x: take(6) as u8, y: take(6) as u8 };
        let start = NocCoordinate { x: take(6) as u8, y: take(6) as u8 };
        let noc = if take(noc_bits) == 0 { Noc::Noc0 } else { Noc::Noc1 };
        let multicast = take(1) == 1;
        let order = match take(2) {
            0 => WindowOrder::Default,
            1 => WindowOrder::Strict,
            _ => WindowOrder::Posted,
        };
        Some(WindowTarget {
            end,
            multicast_start: multicast.then_some(start),
            noc,
            address: TileAddress(page.checked_shl(group.size_bits)?),
            order,
        })
    }
}
