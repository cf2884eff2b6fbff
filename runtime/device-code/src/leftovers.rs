//! What a kernel has left in its image for the report of its end: its last waypoint (`api/debug/waypoint.h`) and the last
//! values that it pushed (`api/debug/ring_buffer.h`).

use std::ops::Range;

/// The name of the waypoint's word in an ELF.
pub(crate) const WAYPOINT: &str = "hallmark_waypoint";
/// The name of the ring of values in an ELF.
pub(crate) const RING_BUFFER: &str = "hallmark_ring_buffer";
/// Values of the ring.
const VALUES: usize = 32;
const WORD: u32 = 4;

/// Where a kernel's image keeps what it leaves, as offsets in the image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeftoverPlaces {
    /// The word of the last waypoint.
    pub waypoint: Option<u32>,
    /// The ring of values.
    pub ring_buffer: Option<u32>,
}

impl LeftoverPlaces {
    /// Bytes of a ring of values.
    pub const RING_BUFFER_SIZE: u32 = WORD * (1 + VALUES as u32);

    /// The places, from the memory of both objects, as far as it lies in an image of this size.
    pub(crate) fn new(
        waypoint: Option<Range<u32>>,
        ring_buffer: Option<Range<u32>>,
        size: u32,
    ) -> Self {
        let within = |memory: Option<Range<u32>>, length: u32| {
            let Range { start, end } = memory?;
            let lies = start.is_multiple_of(WORD) && end <= size;
            (lies && end.checked_sub(start) == Some(length)).then_some(start)
        };
        Self {
            waypoint: within(waypoint, WORD),
            ring_buffer: within(ring_buffer, Self::RING_BUFFER_SIZE),
        }
    }

    /// Whether a kernel leaves nothing.
    pub const fn is_empty(&self) -> bool {
        self.waypoint.is_none() && self.ring_buffer.is_none()
    }
}

/// The text of a waypoint's word; `None` if the kernel has come to no waypoint. A letter that is none is shown as `?`.
pub fn waypoint_text(word: u32) -> Option<String> {
    let bytes = word.to_le_bytes();
    let letters = bytes.iter().take_while(|byte| **byte != 0);
    let text: String =
        letters.map(|byte| if byte.is_ascii_graphic() { char::from(*byte) } else { '?' }).collect();
    (!text.is_empty()).then_some(text)
}

/// The values of a ring from its bytes, the last one first.
pub fn ring_values(bytes: &[u8]) -> Vec<u32> {
    let words: Vec<u32> =
        bytes.as_chunks::<4>().0.iter().map(|it| u32::from_le_bytes(*it)).collect();
    let Some((&pushed, values)) = words.split_first() else { return Vec::new() };
    let count = VALUES.min(usize::try_from(pushed).unwrap_or(VALUES));
    let last = |back: usize| {
        let index = pushed.wrapping_sub(back as u32).wrapping_sub(1) as usize % VALUES;
        values.get(index).copied()
    };
    (0..count).filter_map(last).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_waypoint_has_up_to_four_letters() {
        let text = |bytes: &[u8; 4]| waypoint_text(u32::from_le_bytes(*bytes));
        assert_eq!(text(b"NSW\0").as_deref(), Some("NSW"));
        assert_eq!(text(b"ABCD").as_deref(), Some("ABCD"));
        assert_eq!(text(b"\0BCD"), None);
        assert_eq!(text(b"\x1b[\xff ").as_deref(), Some("?[??"));
    }

    #[test]
    fn the_last_value_of_a_ring_comes_first() {
        let ring = |pushed: u32| {
            let values = (0..32).map(|place| 100 + place);
            let words: Vec<u32> = [pushed].into_iter().chain(values).collect();
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            assert_eq!(bytes.len(), LeftoverPlaces::RING_BUFFER_SIZE as usize);
            ring_values(&bytes)
        };
        assert_eq!(ring(0), [0; 0]);
        assert_eq!(ring(3), [102, 101, 100]);
        assert_eq!((ring(33).len(), ring(33)[0], ring(33)[1]), (32, 100, 131));
        assert_eq!(ring(u32::MAX).len(), 32);
        assert!(ring_values(&[]).is_empty() && ring_values(&[5, 0, 0, 0]).is_empty());
    }

    #[test]
    fn what_lies_outside_of_the_image_is_not_read() {
        let places = |waypoint: Range<u32>, ring: Range<u32>| {
            let places = LeftoverPlaces::new(Some(waypoint), Some(ring), 0x200);
            (places.waypoint, places.ring_buffer)
        };
        assert_eq!(places(0x1FC..0x200, 0x17C..0x200), (Some(0x1FC), Some(0x17C)));
        assert_eq!(places(0x200..0x204, 0x180..0x204), (None, None));
        assert_eq!(places(0x102..0x106, 0x100..0x180), (None, None));
        assert!(LeftoverPlaces::new(None, None, 0x200).is_empty());
    }
}
