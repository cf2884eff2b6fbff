//! Differences between tensors, as text: by element, tile and face.

use std::borrow::Cow;
use std::collections::BTreeSet;

use hallmark_schema::plural::{counted, grouped};
use hallmark_tensor::{HostTensor, Layout, TensorPages, TileShape};

use super::mismatch::drawn_pages;
use super::place::ReadPlace;

/// The number of shown elements of either side.
const SHOWN: usize = 4;
/// The largest number of elements compared one by one; larger tensors are compared by words.
const ELEMENTS: u64 = 1 << 21;
/// The largest number of drawn rows and columns of tiles.
const TILES: (u64, u32) = (24, 64);
/// The rows and columns of elements per sign in the picture of a tile.
const SIGN: (u32, u32) = (8, 2);

/// Two tensors with differing elements.
pub(super) struct TensorDifference<'a> {
    pages: &'a TensorPages,
    expected: (&'a [u8], HostTensor<'a>),
    actual: (&'a [u8], HostTensor<'a>),
    elements: u64,
    differing: u64,
    first: Vec<u32>,
    /// Rows of tiles (over all matrices) and columns with differing elements.
    tiles: BTreeSet<(u64, u32)>,
    /// Rows and columns of differing elements in the first of them.
    in_tile: BTreeSet<(u32, u32)>,
}

impl<'a> TensorDifference<'a> {
    /// Compares the pages of two tensors; `None` without a differing element.
    pub(super) fn of(pages: &'a TensorPages, expected: &'a [u8], actual: &'a [u8]) -> Option<Self> {
        let tensor = |bytes: &'a [u8]| {
            let bytes: Cow<'a, [u8]> = pages.from_pages(bytes);
            HostTensor::from_bytes(pages.spec().clone(), bytes).ok()
        };
        if pages.spec().shape().elements() > ELEMENTS {
            return None;
        }
        let mut difference = Self {
            pages,
            expected: (expected, tensor(expected)?),
            actual: (actual, tensor(actual)?),
            elements: pages.spec().shape().elements(),
            differing: 0,
            first: Vec::new(),
            tiles: BTreeSet::new(),
            in_tile: BTreeSet::new(),
        };
        let mut index = vec![0; pages.spec().shape().dimensions().len()];
        for _ in 0..difference.elements {
            difference.look_at(&index)?;
            next(&mut index, pages.spec().shape().dimensions());
        }
        (difference.differing > 0).then_some(difference)
    }

    fn look_at(&mut self, index: &[u32]) -> Option<()> {
        let (one, other) = (self.expected.1.value(index).ok()?, self.actual.1.value(index).ok()?);
        if one.to_bits() == other.to_bits() {
            return Some(());
        }
        self.differing = self.differing.saturating_add(1);
        if self.differing == 1 {
            self.first = index.to_vec();
        }
        let spec = self.pages.spec();
        if let (Layout::Tile(tile), Some(place)) = (spec.layout(), spec.place(index).ok()?.tile) {
            let down = spec.padded().0.checked_div(tile.height().into()).unwrap_or_default();
            let row = place.matrix.saturating_mul(down).saturating_add(place.tile_row.into());
            let is_new = self.tiles.insert((row, place.tile_column));
            // Elements are visited row by row, so the first tile is that of the first element.
            if self.first == index || (!is_new && self.is_in_first_tile(row, place.tile_column)) {
                let across = tile.faces_across().max(1);
                let row = place.face / across * tile.face_height() + place.row;
                let column = place.face % across * tile.face_width() + place.column;
                self.in_tile.insert((row, column));
            }
        }
        Some(())
    }

    fn is_in_first_tile(&self, row: u64, column: u32) -> bool {
        self.first_tile() == Some((row, column))
    }

    /// The row and column of the tile with the first differing element.
    fn first_tile(&self) -> Option<(u64, u32)> {
        let spec = self.pages.spec();
        let Layout::Tile(tile) = spec.layout() else { return None };
        let place = spec.place(&self.first).ok()?.tile?;
        let down = spec.padded().0.checked_div(tile.height().into())?;
        let row = place.matrix.checked_mul(down)?.checked_add(place.tile_row.into())?;
        Some((row, place.tile_column))
    }

    /// `back` differs from what the suite computes in 6 of 2 880 elements, first at [0, 3].
    pub(super) fn headline(&self, output: &str, against: &str) -> String {
        let count = usize::try_from(self.elements).unwrap_or(usize::MAX);
        format!(
            "Mismatch: `{output}` differs from {against} in {} of {}, first at {:?}",
            grouped(usize::try_from(self.differing).unwrap_or(usize::MAX)),
            counted(count, "element", "elements"),
            self.first
        )
    }

    /// The first elements of both, the place of the first one, and the drawn tiles.
    pub(super) fn lines(&self, read: Option<&ReadPlace>) -> Vec<String> {
        let mut lines = vec![
            format!("expected  {}", self.row_of(&self.expected.1)),
            format!("actual    {}", self.row_of(&self.actual.1)),
        ];
        lines.extend(self.place_of_first());
        let first_page = self.pages.place(&self.first).ok().map(|place| place.page);
        lines.extend(read.zip(first_page).and_then(|(read, page)| read.page(page)));
        match self.pages.spec().layout() {
            Layout::Tile(_) => {
                lines.extend(self.drawn_tiles());
                lines.extend(self.drawn_faces());
            }
            Layout::RowMajor => {
                let (expected, actual) = (self.expected.0, self.actual.0);
                lines.extend(drawn_pages(expected, actual, self.pages.page_bytes()));
            }
        }
        lines
    }

    /// The first differing element and the following ones in its row.
    fn row_of(&self, tensor: &HostTensor<'_>) -> String {
        let mut index = self.first.clone();
        let mut text = Vec::new();
        while let Ok(value) = tensor.value(&index) {
            if text.len() == SHOWN {
                text.push("…".to_owned());
                break;
            }
            text.push(value.to_string());
            let Some(last) = index.last_mut() else { break };
            *last = last.saturating_add(1);
        }
        text.join(" ")
    }

    /// Tile, face and page of the first differing element.
    fn place_of_first(&self) -> Option<String> {
        Some(format!("lies at   {}", place_of(self.pages, &self.first)?))
    }

    /// A sign for each tile, if there are not too many.
    fn drawn_tiles(&self) -> Vec<String> {
        let spec = self.pages.spec();
        let Layout::Tile(tile) = spec.layout() else { return Vec::new() };
        let (height, width) = spec.physical();
        let rows = height.checked_div(tile.height().into()).unwrap_or_default();
        let columns = width.checked_div(tile.width().into()).unwrap_or_default();
        let columns = u32::try_from(columns).unwrap_or(u32::MAX);
        if u64::from(columns).saturating_mul(rows) < 2 {
            return Vec::new();
        }
        if rows > TILES.0 || columns > TILES.1 {
            let all = u64::from(columns).saturating_mul(rows);
            return vec![format!("tiles     {} of {all} differ", self.tiles.len())];
        }
        let drawn = (0..rows).map(|row| {
            let signs = (0..columns).map(|column| sign(self.tiles.contains(&(row, column))));
            signs.collect::<String>()
        });
        titled("tiles", drawn, "(■ differs)")
    }

    /// The faces of the first differing tile.
    fn drawn_faces(&self) -> Vec<String> {
        let Layout::Tile(tile) = self.pages.spec().layout() else { return Vec::new() };
        let Some((row, column)) = self.first_tile() else { return Vec::new() };
        let (high, wide) = (SIGN.0.min(tile.face_height()), SIGN.1);
        let meaning = format!("(tile ({row}, {column}), a sign for {high}×{wide} elements)");
        titled("faces", self.face_rows(tile, high, wide), &meaning)
    }

    fn face_rows(&self, tile: TileShape, high: u32, wide: u32) -> impl Iterator<Item = String> {
        let differs = move |row: u32, column: u32| {
            (row..row.saturating_add(high)).any(|row| {
                let columns = (row, column)..(row, column.saturating_add(wide));
                self.in_tile.range(columns).next().is_some()
            })
        };
        let faces_down = tile.height().checked_div(tile.face_height()).unwrap_or(1);
        (0..faces_down).flat_map(move |face| {
            let first = face.saturating_mul(tile.face_height());
            let rows = (first..first.saturating_add(tile.face_height())).step_by(high as usize);
            rows.map(move |row| {
                let faces = (0..tile.faces_across()).map(move |face| {
                    let first = face.saturating_mul(tile.face_width());
                    let columns = first..first.saturating_add(tile.face_width());
                    let columns = columns.step_by(wide as usize);
                    columns.map(|column| sign(differs(row, column))).collect::<String>()
                });
                faces.collect::<Vec<_>>().join(" ")
            })
        })
    }
}

/// Tile, face and page of an element.
fn place_of(pages: &TensorPages, index: &[u32]) -> Option<String> {
    let page = pages.place(index).ok()?;
    let place = pages.spec().place(index).ok()?;
    let tile = place.tile.map_or_else(String::new, |tile| {
        let matrix = match pages.spec().shape().matrices() {
            0 | 1 => String::new(),
            _ => format!("matrix {}, ", tile.matrix),
        };
        let exponent = match tile.exponent {
            Some(byte) => format!(", exponent at byte {byte} of the tensor"),
            None => String::new(),
        };
        format!(
            "{matrix}tile ({}, {}), face {}, row {}, column {}{exponent}; ",
            tile.tile_row, tile.tile_column, tile.face, tile.row, tile.column
        )
    });
    let core = match page.shard {
        Some((core, slot)) => format!(" (page {slot} of the shard of core {core})"),
        None => String::new(),
    };
    Some(format!("{tile}page {}{core}, byte {}", page.page, page.byte_of_page))
}

/// The elements of a tensor that begin at given bytes of its pages, one per line: `first is [0, 3], tile (0,
/// 0), …`. Padding is left out.
pub(super) fn places<const COUNT: usize>(
    pages: &TensorPages,
    wanted: [(&str, u64); COUNT],
) -> Vec<String> {
    let shape = pages.spec().shape();
    if shape.elements() > ELEMENTS {
        return Vec::new();
    }
    let mut index = vec![0; shape.dimensions().len()];
    let mut found = vec![None; COUNT];
    for _ in 0..shape.elements() {
        let Ok(place) = pages.place(&index) else { break };
        let byte = place.page.saturating_mul(pages.page_bytes()).saturating_add(place.byte_of_page);
        for (found, (_, wanted)) in found.iter_mut().zip(&wanted) {
            if byte == *wanted {
                *found = Some(index.clone());
            }
        }
        if found.iter().all(Option::is_some) {
            break;
        }
        next(&mut index, shape.dimensions());
    }
    let told = found.into_iter().zip(wanted).filter_map(|(index, (what, _))| {
        let index = index?;
        let place = place_of(pages, &index)?;
        Some(format!("{what:<8}  is {index:?} of the tensor, {place}"))
    });
    told.collect()
}

const fn sign(differs: bool) -> char {
    if differs { '■' } else { '·' }
}

/// Lines after a title; the first line ends with the meaning of the signs.
fn titled(title: &str, lines: impl Iterator<Item = String>, meaning: &str) -> Vec<String> {
    let lines = lines.enumerate().map(|(place, line)| match place {
        0 => format!("{title:<8}  {line}  {meaning}"),
        _ => format!("{:<8}  {line}", "").trim_end().to_owned(),
    });
    lines.collect()
}

/// Advances to the next index in row-major order.
fn next(index: &mut [u32], dimensions: &[u32]) {
    for (place, size) in index.iter_mut().zip(dimensions).rev() {
        *place = place.saturating_add(1);
        if *place < *size {
            return;
        }
        *place = 0;
    }
}

#[cfg(test)]
mod tests {
    use hallmark_schema::model::BufferType;
    use hallmark_tensor::{DataType, MemoryConfig, Shape, TensorSpec};

    use super::*;

    fn pages(sizes: &[u32], data_type: DataType, layout: Layout) -> TensorPages {
        let spec = TensorSpec::new(Shape::new(sizes).unwrap(), data_type, layout).unwrap();
        TensorPages::new(spec, &MemoryConfig::interleaved(BufferType::Dram)).unwrap()
    }

    /// The report about a tensor of zeros with some changed bytes.
    fn told(pages: &TensorPages, set: &[(usize, u8)]) -> Option<String> {
        let expected = vec![0; pages.bytes() as usize];
        let mut actual = expected.clone();
        for (byte, value) in set {
            actual[*byte] = *value;
        }
        let difference = TensorDifference::of(pages, &expected, &actual)?;
        let mut text = difference.headline("out", "`in`");
        for line in difference.lines(None) {
            text.push_str(format!("\n  {line}").trim_end());
        }
        Some(text)
    }

    #[test]
    fn elements_tiles_and_faces_are_told() {
        let tiles = pages(&[2, 40, 72], DataType::Uint16, Layout::Tile(TileShape::FULL));
        // Matrix 1, tile (1, 2), face 2 is padding; face 0, row 3, column 5 is element [1, 35, 69].
        let tile = 11 * 2048;
        let set = [(tile + 2 * (3 * 16 + 5), 7), (tile + 2 * (7 * 16), 1), (4 * 2048, 9)];
        insta::assert_snapshot!(told(&tiles, &set).unwrap(), @r"
        Mismatch: `out` differs from `in` in 3 of 5760 elements, first at [0, 32, 32]
          expected  0 0 0 0 …
          actual    9 0 0 0 …
          lies at   matrix 0, tile (1, 1), face 0, row 0, column 0; page 4, byte 0
          tiles     ···  (■ differs)
                    ·■·
                    ···
                    ··■
          faces     ■······· ········  (tile (1, 1), a sign for 8×2 elements)
                    ········ ········
                    ········ ········
                    ········ ········
        ");
    }

    #[test]
    fn a_row_of_a_block_format_names_its_exponent() {
        let tile = Layout::Tile(TileShape::new(8, 16).unwrap());
        let blocks = pages(&[8, 16], DataType::Bfp8B, tile);
        // Eight exponents padded to 16 bytes; a significand alone is 0 at exponent 0.
        insta::assert_snapshot!(told(&blocks, &[(3, 128), (16 + 3 * 16 + 9, 0x40)]).unwrap(), @r"
        Mismatch: `out` differs from `in` in 1 of 128 elements, first at [3, 9]
          expected  0 0 0 0 …
          actual    2 0 0 0 …
          lies at   tile (0, 0), face 0, row 3, column 9, exponent at byte 3 of the tensor; page 0, byte 73
          faces     ····■···  (tile (0, 0), a sign for 8×2 elements)
        ");
    }

    #[test]
    fn rows_have_no_tiles_and_padding_is_no_element() {
        let rows = pages(&[3, 8], DataType::Float32, Layout::RowMajor);
        insta::assert_snapshot!(told(&rows, &[(4 * 13 + 3, 0x40)]).unwrap(), @r"
        Mismatch: `out` differs from `in` in 1 of 24 elements, first at [1, 5]
          expected  0 0 0
          actual    2 0 0
          lies at   page 1, byte 20
          pages     ·■·  (■ differs)
        ");
        let tiles = pages(&[40, 40], DataType::Uint16, Layout::Tile(TileShape::FULL));
        assert_eq!(told(&tiles, &[(3 * 2048 + 1024, 1)]), None);
        assert_eq!(told(&tiles, &[]), None);
    }
}
