//! Elements of a tile that a kernel prints (`api/debug/dprint_tile.h`), in TT-Metalium's words: read as untrusted input.

use super::printed_format::Value;
use super::printed_message::block_float;

/// Words of a message before the elements.
const HEADER_WORDS: usize = 4;

/// A slice of a tile.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PrintedTile {
    /// Rows of the tile: first, end, step.
    rows: [u8; 3],
    columns: [u8; 3],
    ends_rows: bool,
    elements: Vec<Value>,
    /// Shown in the place of the elements.
    error: Option<String>,
}

impl PrintedTile {
    /// The slice in these words, as the kernel sends it: the address, six bytes of the range, the circular buffer, the data
    /// format, the number of elements, whether rows end lines, the result, a byte without a meaning; then the elements.
    pub(crate) fn read(words: &[u32]) -> Option<Self> {
        let (header, data) = words.split_at_checked(HEADER_WORDS)?;
        let address = *header.first()?;
        let bytes: Vec<u8> = header.iter().flat_map(|word| word.to_le_bytes()).collect();
        let [h0, h1, hs, w0, w1, ws, buffer, format, count, ends_rows, result, _] =
            *bytes.get(4..)?.first_chunk::<12>()?;
        let name = format!("Tried printing CBIndex::c_{buffer}");
        let error = match result {
            2 => None,
            3 => Some(format!(
                "{name}: BAD TILE INDEX (ptr={address}, which is no tile between the pointer and the end of the ring)\n"
            )),
            4 => Some(format!("{name}: BAD TILE POINTER (ptr={address}, count={count})\n")),
            5 => Some(format!("{name}: Unsupported data format ({})\n", format_name(format))),
            6 => Some(
                "Warning: MATH core does not support TileSlice printing, omitting print...\n"
                    .to_owned(),
            ),
            _ => Some(format!(
                "Warning: TileSlice printing failed with unknown return code {result}, omitting print...\n"
            )),
        };
        let bytes: Vec<u8> = data.iter().flat_map(|word| word.to_le_bytes()).collect();
        let mut elements = elements(format, &bytes);
        elements.truncate(usize::from(count));
        let (rows, columns) = ([h0, h1, hs], [w0, w1, ws]);
        Some(Self { rows, columns, ends_rows: ends_rows != 0, elements, error })
    }

    /// The text, with each element as `show` has it.
    pub(crate) fn text(&self, show: impl Fn(&Value) -> String) -> String {
        if let Some(error) = &self.error {
            return error.clone();
        }
        let mut text = String::new();
        let mut elements = self.elements.iter();
        for _ in places(self.rows) {
            let mut columns = places(self.columns).peekable();
            while columns.next().is_some() {
                let Some(element) = elements.next() else {
                    let count = self.elements.len();
                    text.push_str(&format!(
                        "<TileSlice data truncated due to exceeding max count ({count})>\n"
                    ));
                    return text;
                };
                text.push_str(&show(element));
                if columns.peek().is_some() {
                    text.push(' ');
                }
            }
            if self.ends_rows {
                text.push('\n');
            }
        }
        text
    }
}

/// The places of a range. A step of 0 counts as 1.
fn places([first, end, step]: [u8; 3]) -> impl Iterator<Item = u8> {
    (first..end).step_by(usize::from(step.max(1)))
}

/// The elements of a data format by TT-Metalium's number; none of one that kernels do not print.
fn elements(format: u8, bytes: &[u8]) -> Vec<Value> {
    let words = || bytes.as_chunks::<4>().0.iter().map(|it| u32::from_le_bytes(*it));
    let halves = || bytes.as_chunks::<2>().0.iter().map(|it| u16::from_le_bytes(*it));
    match format {
        0 => words().map(|word| Value::Float(f32::from_bits(word))).collect(),
        5 => halves().map(|half| Value::Float(f32::from_bits(u32::from(half) << 16))).collect(),
        6 => halves().map(|half| Value::Float(block_float(half.into(), 7))).collect(),
        7 => halves().map(|half| Value::Float(block_float(half.into(), 3))).collect(),
        8 => words().map(|word| Value::Integer(word.cast_signed().into())).collect(),
        9 => halves().map(|half| Value::Integer(half.into())).collect(),
        14 => bytes.iter().map(|byte| Value::Integer(byte.cast_signed().into())).collect(),
        24 => words().map(|word| Value::Integer(word.into())).collect(),
        30 => bytes.iter().map(|byte| Value::Integer((*byte).into())).collect(),
        _ => Vec::new(),
    }
}

/// TT-Metalium's name of a data format, by its number.
fn format_name(format: u8) -> String {
    let name = match format {
        0 => "Float32",
        1 => "Float16",
        2 => "Bfp8",
        3 => "Bfp4",
        4 => "Tf32",
        5 => "Float16_b",
        6 => "Bfp8_b",
        7 => "Bfp4_b",
        8 => "Int32",
        9 => "UInt16",
        10 => "Lf8",
        11 => "Bfp2",
        14 => "Int8",
        15 => "Bfp2_b",
        24 => "UInt32",
        30 => "UInt8",
        0xFF => "Invalid",
        number => return number.to_string(),
    };
    name.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The words of a slice `[h0:h1:hs, w0:w1:ws]` of circular buffer 3.
    fn words(range: [u8; 6], [format, count, ends_rows, result]: [u8; 4], data: &[u8]) -> Vec<u32> {
        let [h0, h1, hs, w0, w1, ws] = range;
        let mut bytes = 0x1C400u32.to_le_bytes().to_vec();
        bytes.extend([h0, h1, hs, w0, w1, ws, 3, format, count, ends_rows, result, 0]);
        bytes.extend(data);
        bytes.as_chunks::<4>().0.iter().map(|it| u32::from_le_bytes(*it)).collect()
    }

    fn shown(words: &[u32]) -> String {
        let show = |value: &Value| match value {
            Value::Float(value) => value.to_string(),
            Value::Integer(value) => value.to_string(),
            other => panic!("{other:?}"),
        };
        PrintedTile::read(words).unwrap().text(show)
    }

    const SQUARE: [u8; 6] = [0, 2, 1, 4, 8, 2];

    #[test]
    fn elements_lie_in_rows() {
        let floats: Vec<u8> =
            [1.5f32, -2.0, 0.25, 8.0].iter().flat_map(|value| value.to_le_bytes()).collect();
        assert_eq!(shown(&words(SQUARE, [0, 4, 1, 2], &floats)), "1.5 -2\n0.25 8\n");
        assert_eq!(shown(&words(SQUARE, [0, 4, 0, 2], &floats)), "1.5 -20.25 8");
        let truncated = "1.5 -2\n0.25 <TileSlice data truncated due to exceeding max count (3)>\n";
        assert_eq!(shown(&words(SQUARE, [0, 3, 1, 2], &floats)), truncated);
        // Fewer elements in the message than it says.
        assert_eq!(shown(&words(SQUARE, [0, 9, 1, 2], &floats[..12])), truncated);
        assert_eq!(shown(&words([0, 2, 1, 4, 4, 1], [0, 0, 1, 2], &[])), "\n\n");
        assert_eq!(shown(&words([3, 2, 1, 0, 4, 1], [0, 0, 1, 2], &[])), "");
    }

    #[test]
    fn elements_have_their_data_format() {
        let data = [0x80, 0x40, 0x7F, 0xFF, 0x00, 0x3F, 0x7E, 0x05];
        for (format, text) in
            [(9, "16512 65407\n16128 1406\n"), (14, "-128 64\n127 -1\n"), (30, "128 64\n127 255\n")]
        {
            assert_eq!(shown(&words(SQUARE, [format, 4, 1, 2], &data)), text, "{format}");
        }
        let halves = [0x80, 0x40, 0x20, 0xC1, 0x00, 0x3F, 0x00, 0x80];
        assert_eq!(shown(&words(SQUARE, [5, 4, 1, 2], &halves)), "4 -10\n0.5 -0\n");
        let row = [0, 1, 1, 0, 2, 1];
        let all = [0xFF, 0xFF, 0xFF, 0xFF, 1, 0, 0, 0];
        assert_eq!(shown(&words(row, [8, 2, 1, 2], &all)), "-1 1\n");
        assert_eq!(shown(&words(row, [24, 2, 1, 2], &all)), "4294967295 1\n");
        // An exponent and a sign with its mantissa: 2 * 64/64, -(127/64), 2^-126 * 1/64 and 2^-1 * 5/64.
        let blocks = [128, 0x40, 127, 0xFF, 1, 1, 126, 5];
        assert_eq!(
            shown(&words(SQUARE, [6, 4, 1, 2], &blocks)),
            format!("2 -1.984375\n{} 0.0390625\n", 2f32.powi(-126) / 64.0)
        );
        // Three bits of mantissa: 2 * 4/4, -(7/4), 0 and 2^-1 * 5/4.
        let blocks = [128, 0x4, 127, 0xF, 1, 0, 126, 5];
        assert_eq!(shown(&words(SQUARE, [7, 4, 1, 2], &blocks)), "2 -1.75\n0 0.625\n");
    }

    #[test]
    fn errors_have_their_words() {
        for (format, result, text) in [
            (
                0,
                3,
                "Tried printing CBIndex::c_3: BAD TILE INDEX (ptr=115712, which is no tile between",
            ),
            (0, 4, "Tried printing CBIndex::c_3: BAD TILE POINTER (ptr=115712, count=4)\n"),
            (15, 5, "Tried printing CBIndex::c_3: Unsupported data format (Bfp2_b)\n"),
            (77, 5, "Tried printing CBIndex::c_3: Unsupported data format (77)\n"),
            (0, 6, "Warning: MATH core does not support TileSlice printing, omitting print...\n"),
            (0, 99, "Warning: TileSlice printing failed with unknown return code 99, omitting"),
        ] {
            let shown = shown(&words(SQUARE, [format, 4, 1, result], &[0; 16]));
            assert!(shown.starts_with(text) && shown.ends_with('\n'), "{shown}");
        }
        // A format that no kernel prints, and a message that ends in the header.
        let shown = shown(&words(SQUARE, [1, 4, 1, 2], &[0; 16]));
        assert_eq!(shown, "<TileSlice data truncated due to exceeding max count (0)>\n");
        assert_eq!(PrintedTile::read(&[0, 0, 0]), None);
    }

    #[test]
    fn a_step_of_0_and_the_largest_ranges_end() {
        let read = shown(&words([0, 255, 0, 0, 255, 0], [30, 255, 1, 2], &[7; 252]));
        assert_eq!(read.matches('7').count(), 252);
        assert!(read.ends_with("max count (252)>\n"), "{read}");
        let rows = shown(&words([0, 255, 0, 9, 9, 0], [30, 255, 1, 2], &[7; 252]));
        assert_eq!(rows, "\n".repeat(255));
    }
}
