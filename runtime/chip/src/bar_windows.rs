//! TLB windows over raw base address registers: their allocation and their targets.

use crate::{
    BarOffset, ChipDescription, DeviceError, REGISTERS, TileAddress, WindowGroup, WindowId,
    WindowLayout, WindowTarget,
};

/// TLB windows over raw base address registers, for a device without a driver that allocates them.
///
/// This type keeps the allocation and the target of each window. It turns the calls of [`crate::PciDevice`]
/// into register writes and BAR accesses, which its owner performs. The lowest free window is always taken
/// first, so the choice is deterministic.
#[derive(Clone, Debug)]
pub struct BarWindows {
    layout: WindowLayout,
    noc_bits: u32,
    taken: Vec<Option<Taken>>,
}

#[derive(Clone, Debug)]
struct Taken {
    target: Option<WindowTarget>,
}

/// One aligned 4-byte write to a configuration register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegisterWrite {
    /// The register.
    pub offset: BarOffset,
    /// The value to write.
    pub value: u32,
}

/// The part of a base address register that an access through a window uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowAccess {
    /// Its first byte in the base address register.
    pub offset: BarOffset,
    /// Its first byte inside the tile.
    pub address: TileAddress,
    /// Whether the access reaches registers, so that it must be made in single aligned 4-byte accesses; offset
    /// and length are then multiples of 4.
    pub registers: bool,
}

impl WindowAccess {
    /// The bytes of each single access; the last may be shorter.
    pub const fn piece_length(&self) -> usize {
        if self.registers { 4 } else { usize::MAX }
    }

    /// The offsets of the single accesses, in order, without end.
    pub fn piece_offsets(&self) -> impl Iterator<Item = BarOffset> + use<> {
        let Self { offset: BarOffset { bar, offset }, .. } = *self;
        (offset..).step_by(4).map(move |offset| BarOffset { bar, offset })
    }
}

impl BarWindows {
    /// All windows are free.
    pub fn new(description: &ChipDescription) -> Self {
        let count = description.windows.groups.iter().map(|group| usize::from(group.count)).sum();
        Self {
            layout: description.windows,
            noc_bits: description.window_noc_bits,
            taken: vec![None; count],
        }
    }

    /// Allocates the lowest free window of the smallest size that holds `size` bytes.
    ///
    /// Windows that belong to the kernel driver are never handed out.
    ///
    /// # Errors
    /// [`DeviceError::NoWindow`] if every window of a sufficient size is allocated, or no window is that large.
    pub fn allocate(&mut self, size: u64) -> Result<WindowId, DeviceError> {
        let mut fitting: Vec<(u32, usize, usize)> = Vec::new();
        let mut first = 0;
        for group in self.layout.groups {
            let count = usize::from(group.count);
            if 1u64 << group.size_bits >= size {
                let usable = count.saturating_sub(usize::from(group.reserved));
                fitting.push((group.size_bits, first, usable));
            }
            first += count;
        }
        fitting.sort_unstable();
        for (_, first, usable) in fitting {
            for (place, slot) in self.taken.iter_mut().enumerate().skip(first).take(usable) {
                if slot.is_none() {
                    *slot = Some(Taken { target: None });
                    return Ok(WindowId(place as u16));
                }
            }
        }
        Err(DeviceError::NoWindow { size })
    }

    /// The size of an allocated window in bytes.
    ///
    /// # Errors
    /// [`DeviceError::UnknownWindow`] if it is not allocated.
    pub fn size(&self, window: WindowId) -> Result<u64, DeviceError> {
        self.taken(window)?;
        let (group, _) = self.group_of(window)?;
        Ok(1 << group.size_bits)
    }

    /// Sets the target of a window and returns the register writes, in order.
    ///
    /// # Errors
    /// [`DeviceError::UnknownWindow`] if the window is not allocated, [`DeviceError::Target`] if it cannot have
    /// that target.
    pub fn configure(
        &mut self,
        window: WindowId,
        target: &WindowTarget,
    ) -> Result<Vec<RegisterWrite>, DeviceError> {
        self.taken(window)?;
        let words = self.layout.encode(window, target, self.noc_bits)?;
        if let Some(Some(taken)) = self.taken.get_mut(usize::from(window.0)) {
            taken.target = Some(*target);
        }
        let registers = self.layout.registers;
        let start = registers.offset + self.layout.register_stride * u64::from(window.0);
        Ok(words
            .into_iter()
            .zip((start..).step_by(4))
            .map(|(value, offset)| RegisterWrite {
                offset: BarOffset { bar: registers.bar, offset },
                value,
            })
            .collect())
    }

    /// The target of a window, if it has been configured.
    ///
    /// # Errors
    /// [`DeviceError::UnknownWindow`] if it is not allocated.
    pub fn target(&self, window: WindowId) -> Result<Option<&WindowTarget>, DeviceError> {
        Ok(self.taken(window)?.target.as_ref())
    }

    /// The place of an access of `length` bytes at `offset` of a window.
    ///
    /// # Errors
    /// [`DeviceError::UnknownWindow`] if the window is not allocated; [`DeviceError::BadAccess`] if it was
    /// never configured, if the access passes the window's end, or if it touches registers and offset or length
    /// is no multiple of 4.
    pub fn access(
        &self,
        window: WindowId,
        offset: u64,
        length: usize,
    ) -> Result<WindowAccess, DeviceError> {
        let bad = |what| DeviceError::BadAccess { what, offset, length: length as u64 };
        let Some(target) = self.target(window)? else {
            return Err(bad("a TLB window that is not configured"));
        };
        let (group, place) = self.group_of(window)?;
        let size = 1u64 << group.size_bits;
        let end = offset
            .checked_add(length as u64)
            .filter(|&end| end <= size)
            .ok_or_else(|| bad("TLB window"))?;
        let address = target.address.0.saturating_add(offset);
        let registers =
            address < REGISTERS.end && target.address.0.saturating_add(end) > REGISTERS.start;
        if registers && !(offset.is_multiple_of(4) && end.is_multiple_of(4)) {
            return Err(bad("registers behind a TLB window"));
        }
        let base = group.base;
        Ok(WindowAccess {
            offset: BarOffset {
                bar: base.bar,
                offset: base.offset + u64::from(place) * size + offset,
            },
            address: TileAddress(address),
            registers,
        })
    }

    /// Frees a window.
    ///
    /// # Errors
    /// [`DeviceError::UnknownWindow`] if it is not allocated.
    pub fn free(&mut self, window: WindowId) -> Result<(), DeviceError> {
        match self.taken.get_mut(usize::from(window.0)) {
            Some(slot @ Some(_)) => {
                *slot = None;
                Ok(())
            }
            _ => Err(DeviceError::UnknownWindow(window)),
        }
    }

    fn taken(&self, window: WindowId) -> Result<&Taken, DeviceError> {
        self.taken
            .get(usize::from(window.0))
            .and_then(Option::as_ref)
            .ok_or(DeviceError::UnknownWindow(window))
    }

    fn group_of(&self, window: WindowId) -> Result<(&'static WindowGroup, u16), DeviceError> {
        self.layout.group_of(window).ok_or(DeviceError::UnknownWindow(window))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Architecture, Bar, Noc, NocCoordinate, WindowOrder};

    fn windows() -> BarWindows {
        BarWindows::new(ChipDescription::of(Architecture::WormholeB0))
    }

    fn target(address: u64) -> WindowTarget {
        WindowTarget {
            end: NocCoordinate { x: 18, y: 20 },
            multicast_start: None,
            noc: Noc::Noc0,
            address: TileAddress(address),
            order: WindowOrder::Strict,
        }
    }

    #[test]
    fn the_smallest_fitting_window_is_taken_and_comes_back() {
        let mut windows = windows();
        let small = windows.allocate(4).unwrap();
        assert_eq!((small, windows.size(small).unwrap()), (WindowId(0), 1 << 20));
        assert_eq!(windows.allocate((1 << 20) + 1).unwrap(), WindowId(156));
        assert_eq!(windows.allocate(1 << 24).unwrap(), WindowId(166));
        windows.free(small).unwrap();
        assert_eq!(windows.free(small), Err(DeviceError::UnknownWindow(small)));
        assert_eq!(windows.allocate(1 << 20).unwrap(), small);
        assert_eq!(
            windows.allocate((1 << 24) + 1),
            Err(DeviceError::NoWindow { size: (1 << 24) + 1 })
        );
    }

    #[test]
    fn the_drivers_window_is_never_handed_out() {
        let mut windows = windows();
        let taken = (0..).map_while(|_| windows.allocate(1 << 24).ok()).collect::<Vec<_>>();
        assert_eq!(taken.len(), 19);
        assert!(!taken.contains(&WindowId(185)));
    }

    #[test]
    fn each_window_but_the_drivers_is_handed_out_once() {
        for (architecture, counts) in [
            (Architecture::Grayskull, &[156, 10, 19][..]),
            (Architecture::WormholeB0, &[156, 10, 19]),
            (Architecture::Blackhole, &[201, 8]),
        ] {
            let chip = ChipDescription::of(architecture);
            let mut windows = BarWindows::new(chip);
            // The largest size comes first, so that each allocation takes a window of its own size.
            for (group, count) in chip.windows.groups.iter().zip(counts).rev() {
                for _ in 0..*count {
                    let window = windows.allocate(1 << group.size_bits).unwrap();
                    assert_eq!(windows.size(window), Ok(1 << group.size_bits), "{architecture}");
                }
                let size = 1 << group.size_bits;
                assert_eq!(windows.allocate(size), Err(DeviceError::NoWindow { size }));
            }
        }
    }

    #[test]
    fn every_window_is_reached_to_its_end_and_no_further() {
        for architecture in
            [Architecture::Grayskull, Architecture::WormholeB0, Architecture::Blackhole]
        {
            let chip = ChipDescription::of(architecture);
            let mut windows = BarWindows::new(chip);
            for group in chip.windows.groups {
                let size = 1_u64 << group.size_bits;
                let window = windows.allocate(size).unwrap();
                // The target is the second window-sized part of a tile, which even for the largest size lies
                // past the registers.
                windows.configure(window, &target(size)).unwrap();
                for (offset, length) in [(0, 1), (size - 1, 1), (size - 4, 4), (size - 8, 8)] {
                    let reached = windows.access(window, offset, length).unwrap();
                    assert_eq!(reached.address, TileAddress(size + offset), "{architecture}");
                }
                for (offset, length) in [(size, 1), (size - 1, 2), (size - 4, 5), (size, 4)] {
                    let beyond = windows.access(window, offset, length);
                    assert!(matches!(beyond, Err(DeviceError::BadAccess { .. })), "{architecture}");
                }
            }
        }
    }

    #[test]
    fn configuring_names_the_registers_of_that_window() {
        let mut windows = windows();
        windows.allocate(1).unwrap();
        let window = windows.allocate(1).unwrap();
        let writes = windows.configure(window, &target(0x10_0000)).unwrap();
        let at = |offset| BarOffset { bar: Bar::Bar0, offset };
        assert_eq!(
            writes,
            [
                RegisterWrite { offset: at(0x1FC0_0008), value: 1 | 18 << 16 | 20 << 22 },
                RegisterWrite { offset: at(0x1FC0_000C), value: 1 << (16 + 26 - 32) },
            ]
        );
        let access = windows.access(window, 0xF_FFFC, 4).unwrap();
        assert_eq!(access.offset, at(0x1F_FFFC));
        assert_eq!(access.address, TileAddress(0x1F_FFFC));
        assert!(!access.registers);
    }

    #[test]
    fn registers_are_reached_word_by_word_and_memory_at_once() {
        let mut windows = windows();
        let window = windows.allocate(1).unwrap();
        let mut pieces = |address, length: usize| {
            windows.configure(window, &target(address)).unwrap();
            let access = windows.access(window, 0x40, length).unwrap();
            let bytes = vec![0_u8; length];
            bytes
                .chunks(access.piece_length())
                .zip(access.piece_offsets())
                .map(|(piece, at)| (at.offset, piece.len()))
                .collect::<Vec<_>>()
        };
        assert_eq!(pieces(0xFFB0_0000, 12), [(0x40, 4), (0x44, 4), (0x48, 4)]);
        assert_eq!(pieces(0x10_0000, 12), [(0x40, 12)]);
        assert_eq!(pieces(0x10_0000, 0), []);
    }

    #[test]
    fn accesses_stay_inside_and_registers_are_words() {
        let mut windows = windows();
        let window = windows.allocate(1).unwrap();
        assert!(matches!(windows.access(window, 0, 4), Err(DeviceError::BadAccess { .. })));
        windows.configure(window, &target(0xFFB0_0000)).unwrap();
        assert!(windows.access(window, 0x1_21B0, 4).unwrap().registers);
        for (offset, length) in [(0, 3), (2, 4), ((1 << 20) - 4, 8), (u64::MAX, 1)] {
            assert!(
                matches!(
                    windows.access(window, offset, length),
                    Err(DeviceError::BadAccess { .. })
                ),
                "{offset:#x} {length}"
            );
        }
        assert!(matches!(windows.configure(window, &target(0x1000)), Err(DeviceError::Target(_))));
        assert_eq!(
            windows.access(WindowId(500), 0, 4),
            Err(DeviceError::UnknownWindow(WindowId(500)))
        );
    }
}
