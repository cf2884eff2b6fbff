//! A tensor as the pages of a buffer: their size, their cores, and the position of each element.

use std::borrow::Cow;

use hallmark_chip::LogicalCore;
use hallmark_schema::model::{
    BufferLayout, BufferType, CoreRange, Shape2D, ShardOrientation, ShardSpec, Sharding,
};

use crate::defects::{Defect, planted};
use crate::{Error, Layout, MemoryConfig, ShardStrategy, TensorSharding, TensorSpec};

/// A tensor as the pages of a buffer.
///
/// A page is a tile or a row: a row of the whole tensor, or of a shard if shards cut rows. If the length of a
/// row is no multiple of the shard's, the row is padded with zeros.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorPages {
    spec: TensorSpec,
    buffer_type: BufferType,
    layout: BufferLayout,
    shards: Option<(ShardSpec, Sharding)>,
    page_bytes: u64,
    pages: u64,
    /// Bytes of a row with its padding, for a row-major tensor.
    row_bytes: u64,
}

/// The position of an element in a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PagePlace {
    /// The page that holds the element's first byte.
    pub page: u64,
    /// The offset of that byte in the page.
    pub byte_of_page: u64,
    /// The core whose shard holds the page, and the page's index there; `None` for interleaved pages.
    pub shard: Option<(LogicalCore, u64)>,
}

impl TensorPages {
    /// Bytes of a page of an empty row-major tensor, as in TT-Metalium.
    const EMPTY_PAGE: u64 = 4;

    /// The pages of a tensor in a memory.
    ///
    /// # Errors
    /// Shards that do not match the tensor, its tiles or the cores.
    pub fn new(spec: TensorSpec, memory: &MemoryConfig) -> Result<Self, Error> {
        let (height, width) = spec.physical();
        let item = u64::from(spec.data_type().item_size().unwrap_or(1));
        let (page_bytes, shards, pages, row_width) = match (&memory.sharding, spec.layout()) {
            (None, Layout::Tile(tile)) => {
                let page = u64::from(spec.tile_bytes(tile));
                (page, None, spec.bytes() as u64 / page, width)
            }
            (None, Layout::RowMajor) => (width * item, None, height, width),
            (Some(sharding), layout) => {
                let shape = sharding.shape;
                let (page_shape, width) = match layout {
                    Layout::Tile(tile) => {
                        (Shape2D { height: tile.height(), width: tile.width() }, width)
                    }
                    Layout::RowMajor => {
                        let page = Shape2D { height: 1, width: shape.width };
                        let width = width.div_ceil(shape.width.max(1).into());
                        (page, width.checked_mul(shape.width.into()).ok_or(Error::TooLarge)?)
                    }
                };
                let shards = sharding.shards(&spec, page_shape, (height, width))?;
                let page = match layout {
                    Layout::Tile(tile) => spec.tile_bytes(tile).into(),
                    Layout::RowMajor => u64::from(shape.width) * item,
                };
                let pages = shards.0.tensor2d_shape_in_pages.volume();
                (page, Some(shards), pages, width)
            }
        };
        let is_empty_in_rows = spec.layout() == Layout::RowMajor && height * width == 0;
        let page_bytes = if is_empty_in_rows { Self::EMPTY_PAGE } else { page_bytes };
        let pages = if width == 0 { 0 } else { pages };
        let size = page_bytes.checked_mul(pages).filter(|size| *size <= TensorSpec::BYTES);
        size.ok_or(Error::TooLarge)?;
        Ok(Self {
            buffer_type: memory.buffer_type,
            layout: memory.buffer_layout(),
            shards,
            page_bytes,
            pages,
            row_bytes: row_width * item,
            spec,
        })
    }

    /// The tensor's specification, without its memory.
    pub const fn spec(&self) -> &TensorSpec {
        &self.spec
    }

    /// The memory that holds the pages.
    pub const fn buffer_type(&self) -> BufferType {
        self.buffer_type
    }

    /// The layout of the buffer.
    pub const fn layout(&self) -> BufferLayout {
        self.layout
    }

    /// The placement of the pages in words: `interleaved dram`, or the shards with their cores.
    pub fn memory(&self) -> String {
        let memory = match self.buffer_type {
            BufferType::Dram => "dram",
            BufferType::L1 => "l1",
            BufferType::L1Small => "l1_small",
        };
        let layout = match self.layout {
            BufferLayout::Interleaved => "interleaved",
            BufferLayout::HeightSharded => "height_sharded",
            BufferLayout::WidthSharded => "width_sharded",
            BufferLayout::BlockSharded => "block_sharded",
        };
        let Some((spec, _)) = &self.shards else { return format!("{layout} {memory}") };
        let Shape2D { height, width } = spec.shape;
        let cores = spec.cores.iter().map(|range| format!("{}–{}", range.start, range.end));
        let cores = cores.collect::<Vec<_>>().join(", ");
        let order = match spec.orientation {
            ShardOrientation::RowMajor => "",
            ShardOrientation::ColMajor => ", column by column",
        };
        format!("{layout} {memory}, shards of {height}x{width} on {cores}{order}")
    }

    /// Bytes of a page.
    pub const fn page_bytes(&self) -> u64 {
        self.page_bytes
    }

    /// The number of pages.
    pub const fn pages(&self) -> u64 {
        self.pages
    }

    /// Bytes of all pages.
    pub const fn bytes(&self) -> u64 {
        self.page_bytes * self.pages
    }

    /// How the buffer is cut into shards. Of a rectangle of cores, only those with a shard are included.
    pub fn shard_spec(&self) -> Option<&ShardSpec> {
        self.shards.as_ref().map(|(spec, _)| spec)
    }

    /// The position of the element with an index.
    ///
    /// # Errors
    /// The shape does not contain the element.
    pub fn place(&self, index: &[u32]) -> Result<PagePlace, Error> {
        let byte = self.spec.place(index)?.byte;
        let byte = match self.spec.layout() {
            Layout::Tile(_) => byte,
            Layout::RowMajor => {
                let row = self.spec.row_bytes().max(1);
                byte / row * self.row_bytes + byte % row
            }
        };
        let page = byte / self.page_bytes.max(1);
        let shard = self.shards.as_ref().and_then(|(spec, sharding)| {
            let place = sharding.place(page)?;
            let core = spec.cores_in_order().nth(usize::try_from(place.shard).ok()?)?;
            Some((core, place.slot))
        });
        Ok(PagePlace { page, byte_of_page: byte - page * self.page_bytes, shard })
    }

    /// The bytes of all pages, consecutively, from the tensor's bytes.
    pub fn to_pages<'a>(&self, tensor: &'a [u8]) -> Cow<'a, [u8]> {
        let (row, filled) = (self.spec.row_bytes(), self.row_bytes);
        if self.spec.layout() != Layout::RowMajor || row == filled || row == 0 {
            return Cow::Borrowed(tensor);
        }
        let (row, fill) = (row as usize, (filled - row) as usize);
        let mut pages = Vec::with_capacity(self.bytes() as usize);
        for row in tensor.chunks_exact(row) {
            pages.extend_from_slice(row);
            let fill_byte = if planted(Defect::CutRowsUnfilled) { 0x55 } else { 0 };
            pages.resize(pages.len() + fill, fill_byte);
        }
        Cow::Owned(pages)
    }

    /// The tensor's bytes from the bytes of all pages: the inverse of [`Self::to_pages`].
    pub fn from_pages<'a>(&self, pages: &'a [u8]) -> Cow<'a, [u8]> {
        let (row, filled) = (self.spec.row_bytes(), self.row_bytes);
        if self.spec.layout() != Layout::RowMajor || row == filled || row == 0 {
            return Cow::Borrowed(pages);
        }
        let rows = pages.chunks_exact(filled as usize);
        Cow::Owned(
            rows.filter_map(|filled| {
                let skipped =
                    if planted(Defect::FillNotTakenOut) { filled.len() - row as usize } else { 0 };
                filled.get(skipped..)?.get(..row as usize)
            })
            .flatten()
            .copied()
            .collect(),
        )
    }
}

impl TensorSharding {
    /// The shards of a buffer with such pages, for a tensor of `down` rows and `across` columns.
    fn shards(
        &self,
        spec: &TensorSpec,
        page_shape: Shape2D,
        (height, width): (u64, u64),
    ) -> Result<(ShardSpec, Sharding), Error> {
        let Self { strategy, cores, shape, orientation } = self;
        let (strategy, shape, orientation) = (*strategy, *shape, *orientation);
        if let Layout::Tile(tile) = spec.layout()
            && !(shape.height.is_multiple_of(tile.height())
                && shape.width.is_multiple_of(tile.width()))
        {
            return Err(Error::ShardOfBrokenTiles { shape, tile });
        }
        if shape.volume() == 0 {
            return Err(Error::EmptyShard { shape });
        }
        let side = |from: u32, to: u32| to.checked_sub(from).map_or(0, |more| u64::from(more) + 1);
        let sides = |range: &CoreRange| {
            (side(range.start.x, range.end.x), side(range.start.y, range.end.y))
        };
        let held_by = cores
            .iter()
            .map(sides)
            .fold(0_u64, |sum, (x, y)| sum.saturating_add(x.saturating_mul(y)));
        let (down, across) =
            (height.div_ceil(shape.height.into()), width.div_ceil(shape.width.into()));
        let cores = match strategy {
            ShardStrategy::Height if width != u64::from(shape.width) => {
                return Err(Error::ShardOfOtherWidth { given: shape.width, needed: width });
            }
            ShardStrategy::Width if height != u64::from(shape.height) => {
                return Err(Error::ShardOfOtherHeight { given: shape.height, needed: height });
            }
            ShardStrategy::Height | ShardStrategy::Width => cores.clone(),
            ShardStrategy::Block => {
                let [range] = cores.as_slice() else {
                    return Err(Error::NotOneRectangle { ranges: cores.len() });
                };
                // In column-major orientation, the shards of a row lie on a column of cores.
                let (x, y) = match orientation {
                    ShardOrientation::RowMajor => (across, down),
                    ShardOrientation::ColMajor => (down, across),
                };
                let (columns, rows) = sides(range);
                if x > columns || y > rows {
                    return Err(Error::BlocksBeyondCores { columns: x, rows: y, range: *range });
                }
                // The remaining cores have no shard. Without them the index of a shard determines its row and
                // column.
                let last = |start: u32, count: u64, end: u32| {
                    let one = if planted(Defect::ShardsOnOneCoreMore) { 0 } else { 1 };
                    let more = u32::try_from(count.saturating_sub(one)).unwrap_or(u32::MAX);
                    start.saturating_add(more).min(end)
                };
                let end = LogicalCore {
                    x: last(range.start.x, x, range.end.x),
                    y: last(range.start.y, y, range.end.y),
                };
                vec![CoreRange { start: range.start, end }]
            }
        };
        let in_pages = |size: u64, page: u32| {
            u32::try_from(size / u64::from(page.max(1))).map_err(|_| Error::TooLarge)
        };
        let tensor2d_shape_in_pages = Shape2D {
            height: in_pages(height, page_shape.height)?,
            width: in_pages(width, page_shape.width)?,
        };
        let spec = ShardSpec { cores, shape, orientation, page_shape, tensor2d_shape_in_pages };
        let pages = spec.tensor2d_shape_in_pages.volume();
        // Shards have whole pages and the tensor's sides, so only their number can be wrong.
        let sharding = Sharding::new(strategy.buffer_layout(), &spec, pages);
        let sharding = sharding.map_err(|_| Error::ShardsBeyondCores {
            shards: down.saturating_mul(across),
            cores: held_by,
        })?;
        Ok((spec, sharding))
    }
}
