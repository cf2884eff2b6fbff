//! How a sharded buffer is cut into shards, and the shard and slot of each page.

use hallmark_chip::LogicalCore;
use serde::{Deserialize, Serialize};

use super::{BufferLayout, CoreRange};

/// The order in which the cores of a range get shards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ShardOrientation {
    /// Row by row.
    RowMajor,
    /// Column by column.
    ColMajor,
}

/// The height and the width of a rectangle, in elements or in pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shape2D {
    /// The number of rows.
    pub height: u32,
    /// The number of columns.
    pub width: u32,
}

impl Shape2D {
    /// Rows times columns.
    pub const fn volume(self) -> u64 {
        // The product of two 32-bit numbers fits into 64 bits; `From` is not yet usable in a `const fn`.
        self.height as u64 * self.width as u64
    }
}

/// A range of bytes of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BufferRegion {
    /// The first byte, counted from the buffer's first.
    pub offset: u64,
    /// The number of bytes.
    pub size: u64,
}

impl BufferRegion {
    /// The whole of a buffer of `size` bytes.
    pub const fn whole(size: u64) -> Self {
        Self { offset: 0, size }
    }

    /// Whether it ends within `size` bytes.
    pub fn lies_within(self, size: u64) -> bool {
        self.offset.checked_add(self.size).is_some_and(|end| end <= size)
    }

    /// Whether it starts and ends on page boundaries.
    pub const fn is_paged(self, page_size: u64) -> bool {
        page_size != 0
            && self.offset.is_multiple_of(page_size)
            && self.size.is_multiple_of(page_size)
    }
}

/// `ShardSpecBuffer`: how the pages of a sharded buffer are cut into shards, one for each core.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShardSpec {
    /// The cores that hold the shards: of the compute grid for L1, of the row of banks for DRAM. No core occurs
    /// twice.
    pub cores: Vec<CoreRange>,
    /// Elements of a shard.
    pub shape: Shape2D,
    /// The order in which the cores get shards.
    pub orientation: ShardOrientation,
    /// Elements of a page.
    pub page_shape: Shape2D,
    /// The tensor's height and width in pages, as two dimensions.
    pub tensor2d_shape_in_pages: Shape2D,
}

impl ShardSpec {
    /// The cores in the order in which they get shards: range after range.
    pub fn cores_in_order(&self) -> impl Iterator<Item = LogicalCore> + '_ {
        let orientation = self.orientation;
        self.cores.iter().flat_map(move |range| {
            let (start, end) = (range.start, range.end);
            let (outer, inner) = match orientation {
                ShardOrientation::RowMajor => (start.y..=end.y, start.x..=end.x),
                ShardOrientation::ColMajor => (start.x..=end.x, start.y..=end.y),
            };
            outer.flat_map(move |outer| {
                inner.clone().map(move |inner| match orientation {
                    ShardOrientation::RowMajor => LogicalCore { x: inner, y: outer },
                    ShardOrientation::ColMajor => LogicalCore { x: outer, y: inner },
                })
            })
        })
    }
}

/// Why a shard specification does not fit a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShardingProblem {
    /// A side of the shard is no positive multiple of the page's.
    Shape {
        /// The shard's side, in elements.
        size: u32,
        /// The page's side, in elements.
        page_size: u32,
    },
    /// The numbers of pages of tensor and buffer differ.
    Tensor {
        /// The number of the tensor's pages.
        actual: u64,
    },
    /// The shards hold fewer pages than the buffer has.
    TooSmall {
        /// The number of pages that the shards hold.
        actual: u64,
    },
}

/// The mapping of pages to shards (tt-metal: `generate_buffer_page_mapping`).
///
/// The pages of a height-sharded buffer fill one shard after the other. In other layouts, shard and page are
/// rectangles of the tensor; the part of a shard beyond the tensor's right or lower edge is padding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sharding {
    layout: BufferLayout,
    tensor: Shape2D,
    shard: Shape2D,
    shards: u64,
}

/// The place of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShardPlace {
    /// The index of the shard, in the order of the cores.
    pub shard: u64,
    /// The index of the page in its shard, padding included.
    pub slot: u64,
}

impl Sharding {
    /// The mapping of a specification for a buffer of `pages` pages, all of which must have a place.
    ///
    /// # Errors
    /// Why the specification does not fit the buffer.
    pub fn new(
        layout: BufferLayout,
        spec: &ShardSpec,
        pages: u64,
    ) -> Result<Self, ShardingProblem> {
        let in_pages = |size: u32, page_size: u32| match size.checked_div(page_size) {
            Some(count) if count > 0 && size.is_multiple_of(page_size) => Ok(count),
            _ => Err(ShardingProblem::Shape { size, page_size }),
        };
        let shard = Shape2D {
            height: in_pages(spec.shape.height, spec.page_shape.height)?,
            width: in_pages(spec.shape.width, spec.page_shape.width)?,
        };
        let side = |from: u32, to: u32| to.checked_sub(from).map_or(0, |more| u64::from(more) + 1);
        let shards = spec.cores.iter().fold(0_u64, |sum, range| {
            let columns = side(range.start.x, range.end.x);
            sum.saturating_add(columns.saturating_mul(side(range.start.y, range.end.y)))
        });
        let sharding = Self { layout, tensor: spec.tensor2d_shape_in_pages, shard, shards };
        let actual = sharding.tensor.volume();
        if actual != pages {
            return Err(ShardingProblem::Tensor { actual });
        }
        let actual = sharding.held();
        if actual != pages {
            return Err(ShardingProblem::TooSmall { actual });
        }
        Ok(sharding)
    }

    /// A text that is equal for two buffers if they are cut in the same way into shards on the same cores,
    /// which are counted row by row over the grid. A collected trace identifies the sharding of its buffers by
    /// this text. Traces of format 1.0 hold it, so its spelling must not change.
    pub fn trace_key(&self, cores: &[u64]) -> String {
        let layout = match self.layout {
            BufferLayout::Interleaved => "Interleaved",
            BufferLayout::HeightSharded => "HeightSharded",
            BufferLayout::WidthSharded => "WidthSharded",
            BufferLayout::BlockSharded => "BlockSharded",
        };
        let shape = |shape: Shape2D| {
            format!("Shape2D {{ height: {}, width: {} }}", shape.height, shape.width)
        };
        let (tensor, shard, shards) = (shape(self.tensor), shape(self.shard), self.shards);
        let cores: Vec<String> = cores.iter().map(u64::to_string).collect();
        format!(
            "(Sharding {{ layout: {layout}, tensor: {tensor}, shard: {shard}, shards: {shards} }}, [{}])",
            cores.join(", ")
        )
    }

    fn is_sequential(&self) -> bool {
        self.layout == BufferLayout::HeightSharded
    }

    /// The number of the tensor's pages that have a place.
    fn held(&self) -> u64 {
        let pages = self.tensor.volume();
        let (height, width) = (u64::from(self.tensor.height), u64::from(self.tensor.width));
        let (rows, columns) = (u64::from(self.shard.height), u64::from(self.shard.width));
        if self.is_sequential() {
            let full = (pages / self.slots()).min(self.shards);
            let rest = if full < self.shards { pages % self.slots() } else { 0 };
            // A shard holds whole rows only, so the rest of a broken row would be lost.
            return full * self.slots() + (rest - rest % columns);
        }
        if pages == 0 {
            return 0;
        }
        let across = width.div_ceil(columns);
        let complete = (self.shards / across).saturating_mul(rows).min(height);
        let further = (self.shards % across).saturating_mul(columns).min(width);
        complete * width + rows.min(height - complete) * further
    }

    /// Pages of a shard, padding included.
    pub const fn slots(&self) -> u64 {
        self.shard.volume()
    }

    /// The number of shards, one for each core.
    pub const fn shards(&self) -> u64 {
        self.shards
    }

    /// The sides of tensor and shard in pages, as `TensorAccessor` takes them.
    pub fn accessor_shapes(&self) -> (Vec<u32>, Vec<u32>) {
        if self.is_sequential() {
            // The sides count pages of device memory, so both fit into 32 bits.
            let flat = |shape: Shape2D| vec![u32::try_from(shape.volume()).unwrap_or(u32::MAX)];
            return (flat(self.tensor), flat(self.shard));
        }
        let both = |shape: Shape2D| vec![shape.height, shape.width];
        (both(self.tensor), both(self.shard))
    }

    /// The place of a page; `None` beyond the buffer's last page.
    pub fn place(&self, page: u64) -> Option<ShardPlace> {
        if page >= self.tensor.volume() {
            return None;
        }
        if self.is_sequential() {
            return Some(ShardPlace { shard: page / self.slots(), slot: page % self.slots() });
        }
        let width = u64::from(self.tensor.width);
        let (rows, columns) = (u64::from(self.shard.height), u64::from(self.shard.width));
        let (row, column) = (page / width, page % width);
        Some(ShardPlace {
            shard: row / rows * width.div_ceil(columns) + column / columns,
            slot: row % rows * columns + column % columns,
        })
    }

    /// The pages of a shard that lie in the range `pages`, ascending, each with its slot.
    pub fn pages_of(
        &self,
        shard: u64,
        pages: std::ops::Range<u64>,
    ) -> Box<dyn Iterator<Item = (u64, u64)>> {
        let end = pages.end.min(self.tensor.volume());
        if self.is_sequential() {
            let first = shard.saturating_mul(self.slots());
            let last = first.saturating_add(self.slots()).min(end);
            return Box::new((first.max(pages.start)..last).map(move |page| (page, page - first)));
        }
        let width = u64::from(self.tensor.width);
        if width == 0 {
            return Box::new(std::iter::empty());
        }
        let (rows, columns) = (u64::from(self.shard.height), u64::from(self.shard.width));
        let across = width.div_ceil(columns);
        let (top, left) = ((shard / across).saturating_mul(rows), shard % across * columns);
        let right = left.saturating_add(columns).min(width);
        // Only rows that contain requested pages are walked.
        let first_row = top.max(pages.start / width);
        let last_row = top.saturating_add(rows).min(end.div_ceil(width));
        Box::new((first_row..last_row).flat_map(move |row| {
            let start = row * width;
            let from = (start + left).max(pages.start);
            let to = (start + right).min(end);
            (from..to).map(move |page| (page, (row - top) * columns + (page - start - left)))
        }))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn spec(cores: u32, shard: (u32, u32), page: (u32, u32), tensor: (u32, u32)) -> ShardSpec {
        let shape = |(height, width)| Shape2D { height, width };
        ShardSpec {
            cores: vec![CoreRange {
                start: LogicalCore { x: 0, y: 0 },
                end: LogicalCore { x: cores - 1, y: 0 },
            }],
            shape: shape(shard),
            orientation: ShardOrientation::RowMajor,
            page_shape: shape(page),
            tensor2d_shape_in_pages: shape(tensor),
        }
    }

    #[test]
    fn the_key_of_collected_traces_is_spelled_as_ever() {
        let spec = spec(3, (4, 16), (1, 16), (8, 1));
        let sharding = Sharding::new(BufferLayout::HeightSharded, &spec, 8).unwrap();
        assert_eq!(
            sharding.trace_key(&[0, 1, 12]),
            "(Sharding { layout: HeightSharded, tensor: Shape2D { height: 8, width: 1 }, \
             shard: Shape2D { height: 4, width: 1 }, shards: 3 }, [0, 1, 12])"
        );
    }

    /// Every shard as a grid of pages or padding, filled as on paper: the tensor's rows are dealt out shard by
    /// shard.
    fn on_paper(
        layout: BufferLayout,
        cores: usize,
        (rows, columns): (usize, usize),
        (height, width): (usize, usize),
    ) -> Vec<Vec<Option<u64>>> {
        let mut shards = vec![vec![None; rows * columns]; cores];
        let mut next = 0;
        if layout == BufferLayout::HeightSharded {
            for page in 0..height * width {
                if let Some(slot) = shards.iter_mut().flatten().nth(page) {
                    *slot = Some(page as u64);
                }
            }
            return shards;
        }
        for top in (0..height).step_by(rows) {
            for left in (0..width).step_by(columns) {
                let Some(shard) = shards.get_mut(next) else { return shards };
                next += 1;
                for row in top..height.min(top + rows) {
                    for column in left..width.min(left + columns) {
                        shard[(row - top) * columns + column - left] =
                            Some((row * width + column) as u64);
                    }
                }
            }
        }
        shards
    }

    proptest! {
        #[test]
        fn agrees_with_paper(
            layout in prop::sample::select(vec![
                BufferLayout::HeightSharded, BufferLayout::WidthSharded, BufferLayout::BlockSharded,
            ]),
            cores in 1_u32..7,
            shard in (1_u32..5, 1_u32..5),
            tensor in (0_u32..9, 0_u32..9),
            page in (1_u32..4, 1_u32..4),
            cut in (0_u64..90, 0_u64..90),
        ) {
            let tensor = if layout == BufferLayout::HeightSharded { (tensor.0, shard.1) } else { tensor };
            let spec = spec(cores, (shard.0 * page.0, shard.1 * page.1), page, tensor);
            let pages = u64::from(tensor.0) * u64::from(tensor.1);
            let size = |(height, width): (u32, u32)| (height as usize, width as usize);
            let paper = on_paper(layout, cores as usize, size(shard), size(tensor));
            let held = paper.iter().flatten().flatten().count() as u64;
            match Sharding::new(layout, &spec, pages) {
                Err(problem) => {
                    prop_assert!(held < pages);
                    prop_assert_eq!(problem, ShardingProblem::TooSmall { actual: held });
                }
                Ok(sharding) => {
                    prop_assert_eq!(held, pages);
                    for (at, slots) in paper.iter().enumerate() {
                        let range = cut.0.min(cut.1)..cut.0.max(cut.1);
                        let expected: Vec<(u64, u64)> = slots
                            .iter()
                            .zip(0..)
                            .filter_map(|(page, slot)| Some(((*page)?, slot)))
                            .collect();
                        for (page, slot) in &expected {
                            let place = ShardPlace { shard: at as u64, slot: *slot };
                            prop_assert_eq!(sharding.place(*page), Some(place));
                        }
                        let within: Vec<_> =
                            expected.into_iter().filter(|(page, _)| range.contains(page)).collect();
                        let found: Vec<_> = sharding.pages_of(at as u64, range).collect();
                        prop_assert_eq!(found, within);
                    }
                    prop_assert_eq!(sharding.place(pages), None);
                }
            }
        }
    }

    #[test]
    fn what_no_shard_can_hold_is_told() {
        let height = BufferLayout::HeightSharded;
        let new = |spec: &ShardSpec, pages| Sharding::new(height, spec, pages).map(|_| ());
        let shape = |size, page_size| Err(ShardingProblem::Shape { size, page_size });
        assert_eq!(new(&spec(2, (64, 32), (32, 32), (4, 1)), 4), Ok(()));
        assert_eq!(new(&spec(2, (65, 32), (32, 32), (4, 1)), 4), shape(65, 32));
        assert_eq!(new(&spec(2, (64, 0), (32, 32), (4, 1)), 4), shape(0, 32));
        assert_eq!(new(&spec(2, (64, 32), (0, 32), (4, 1)), 4), shape(64, 0));
        let tensor = Err(ShardingProblem::Tensor { actual: 4 });
        assert_eq!(new(&spec(2, (64, 32), (32, 32), (4, 1)), 5), tensor);
        // The last row of the second shard is broken: its single page would be lost.
        let lost = Err(ShardingProblem::TooSmall { actual: 6 });
        assert_eq!(new(&spec(2, (2, 2), (1, 1), (7, 1)), 7), lost);
        let huge = spec(u32::MAX, (u32::MAX, u32::MAX), (1, 1), (u32::MAX, u32::MAX));
        assert!(new(&huge, u64::from(u32::MAX) * u64::from(u32::MAX)).is_ok());
    }

    #[test]
    fn cores_follow_the_orientation_range_by_range() {
        let at = |x, y| LogicalCore { x, y };
        let mut spec = spec(1, (1, 1), (1, 1), (1, 1));
        spec.cores = vec![
            CoreRange { start: at(1, 0), end: at(2, 1) },
            CoreRange { start: at(0, 0), end: at(0, 1) },
        ];
        let order: Vec<_> = spec.cores_in_order().collect();
        assert_eq!(order, [at(1, 0), at(2, 0), at(1, 1), at(2, 1), at(0, 0), at(0, 1)]);
        spec.orientation = ShardOrientation::ColMajor;
        let order: Vec<_> = spec.cores_in_order().collect();
        assert_eq!(order, [at(1, 0), at(1, 1), at(2, 0), at(2, 1), at(0, 0), at(0, 1)]);
    }
}
