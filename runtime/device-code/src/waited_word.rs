//! What a word means that a core waits for, so that a deadlock can be told in the host program's terms.

use hallmark_chip::ChipDescription;

/// A word that kernels wait for. Overlay streams hold the page counts of circular buffers, a stream for
/// each index: `cb_received_register` and `cb_acknowledged_register` of the kernels' headers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitedWord {
    /// Pages pushed into the circular buffer with this index so far: `cb_wait_front` reads it.
    PagesReceived(u32),
    /// Pages popped from the circular buffer with this index so far: `cb_reserve_back` reads it.
    PagesAcknowledged(u32),
}

impl WaitedWord {
    /// The word at a tile address of a chip, if it is one of these.
    pub fn at(chip: &ChipDescription, address: u64) -> Option<Self> {
        let overlay = &chip.overlay;
        let offset = u32::try_from(address).ok()?.checked_sub(overlay.base)?;
        let index = offset.checked_div(overlay.stride).filter(|i| *i < chip.circular_buffers)?;
        let register = offset.checked_rem(overlay.stride)?;
        if register == overlay.buffer_size {
            Some(Self::PagesReceived(index))
        } else if register == overlay.buffer_start {
            Some(Self::PagesAcknowledged(index))
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use hallmark_chip::Architecture;

    use super::*;

    #[test]
    fn agrees_with_the_kernels_headers() {
        let grayskull = include_str!("../../firmware/architectures/grayskull/hallmark/chip.h");
        let wormhole = include_str!("../../firmware/architectures/wormhole_b0/hallmark/chip.h");
        let blackhole = include_str!("../../firmware/architectures/blackhole/hallmark/chip.h");
        let headers = [grayskull, wormhole, blackhole];
        for (architecture, header) in Architecture::ALL.into_iter().zip(headers) {
            let chip = ChipDescription::of(architecture);
            let (start, size) = (chip.overlay.buffer_start, chip.overlay.buffer_size);
            for (name, offset) in [("Start", start), ("Size", size)] {
                let line = format!("kOverlayRemoteDestBuf{name} = {} * 4;", offset / 4);
                assert!(header.contains(&line), "{architecture}: {line}");
            }
            let stream = |index: u64| 0xFFB4_0000 + 0x1000 * index;
            let at = |address| WaitedWord::at(chip, address);
            assert_eq!(at(stream(0) + u64::from(size)), Some(WaitedWord::PagesReceived(0)));
            assert_eq!(at(stream(5) + u64::from(start)), Some(WaitedWord::PagesAcknowledged(5)));
            for other in [0, 0xFFB4_0004, stream(64) + u64::from(size), u64::MAX] {
                assert_eq!(at(other), None);
            }
        }
    }
}
