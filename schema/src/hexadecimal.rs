//! Bytes as pairs of hexadecimal digits.

use std::fmt::Write as _;

/// The expectation that [`decode`] has of a text, for error messages.
pub(crate) const EXPECTED: &str = "expected pairs of 0–9 a–f";

/// Two lowercase digits for each byte.
pub(crate) fn encode(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len().saturating_mul(2)), |mut text, byte| {
        // Formatting into a `String` cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// The bytes of a text; `None` if it is not pairs of lowercase digits.
pub(crate) fn decode(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    };
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    if !rest.is_empty() {
        return None;
    }
    pairs.iter().map(|&[high, low]| Some(digit(high)? << 4 | digit(low)?)).collect()
}
