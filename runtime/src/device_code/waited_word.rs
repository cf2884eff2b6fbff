//! What a word means that a core waits for, so that a deadlock can be told in the host program's terms.

/// Overlay streams hold the page counts of circular buffers, a stream for each index: `kOverlay…` of
/// `firmware/include/hallmark/registers.h`.
const OVERLAY: u64 = 0xFFB4_0000;
const STRIDE: u64 = 0x1000;
const ACKNOWLEDGED: u64 = 3 * 4;
const RECEIVED: u64 = 4 * 4;
/// The largest number of circular buffers of any architecture.
const INDICES: u64 = 64;

/// A word that kernels wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitedWord {
    /// Pages pushed into the circular buffer with this index so far: `cb_wait_front` reads it.
    PagesReceived(u32),
    /// Pages popped from the circular buffer with this index so far: `cb_reserve_back` reads it.
    PagesAcknowledged(u32),
}

impl WaitedWord {
    /// The word at a tile address, if it is one of these.
    pub fn at(address: u64) -> Option<Self> {
        let offset = address.checked_sub(OVERLAY)?;
        let index = offset.checked_div(STRIDE).filter(|index| *index < INDICES)?;
        let index = u32::try_from(index).ok()?;
        match offset.checked_rem(STRIDE)? {
            RECEIVED => Some(Self::PagesReceived(index)),
            ACKNOWLEDGED => Some(Self::PagesAcknowledged(index)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_kernels_header() {
        let header = include_str!("../../firmware/include/hallmark/registers.h");
        for line in [
            "kOverlay = 0xFFB4'0000;",
            "kOverlayStride = 0x1000;",
            "kOverlayRemoteDestBufStart = 3 * 4;",
            "kOverlayRemoteDestBufSize = 4 * 4;",
        ] {
            assert!(header.contains(line), "{line}");
        }
        assert_eq!(WaitedWord::at(0xFFB4_0010), Some(WaitedWord::PagesReceived(0)));
        assert_eq!(WaitedWord::at(0xFFB4_500C), Some(WaitedWord::PagesAcknowledged(5)));
        for other in [0, 0xFFB4_0008, 0xFFB8_0010, u64::MAX] {
            assert_eq!(WaitedWord::at(other), None);
        }
    }
}
