//! Conversions on a device: the calls of a program that transfers a tensor's content between buffers.
//!
//! The kernel is Hallmark's own (`runtime/firmware/kernels/to_layout.cpp`); this module computes its arguments.
//! The kernel moves elements without interpreting them, so it converts only layouts and memories.

use hallmark_chip::{ChipDescription, LogicalCore};
use hallmark_runtime::{TensorAccessorArgs, allocator};
use hallmark_schema::commands::{
    CreateCircularBuffer, CreateKernel, CreateProgram, EnqueueProgram, SetCommonRuntimeArgs,
    SetRuntimeArgs,
};
use hallmark_schema::model::{
    ArgumentRelocation, BufferId, CircularBufferId, CircularBufferIndex, Command, CoreArguments,
    CoreRange, DataFormat, DataMovementProcessor, KernelConfig, KernelId, NocId, ObjectKind,
    ProgramId, QueueId, RelocatedArgument, Sharding,
};
use hallmark_tensor::{Layout, TensorPages};

use crate::StitchingError;

/// A tensor's pages in a buffer.
#[derive(Clone, Copy, Debug)]
pub struct Placed<'a> {
    /// The buffer that holds the pages.
    pub buffer: BufferId,
    /// The pages.
    pub pages: &'a TensorPages,
}

/// The calls of a program that converts `source`'s pages to `destination`'s on the device's own cores, and that
/// launches the program on `queue` without waiting. Afterwards the destination's pages hold exactly the bytes
/// that [`HostTensor::to_spec`](hallmark_tensor::HostTensor::to_spec) with padding 0 and
/// [`TensorPages::to_pages`] give for the content of `source`. For a tensor without pages there are no calls.
///
/// `ids` returns the next id of a program, kernel or circular buffer. `name` is the name of all three. The
/// program runs on those cores of the chip's compute grid that have work, row by row.
///
/// # Errors
/// The shapes or types differ; a block format would change its layout; the kernel cannot count the pages.
pub fn on_device(
    source: Placed<'_>,
    destination: Placed<'_>,
    chip: &ChipDescription,
    queue: QueueId,
    name: &str,
    ids: &mut dyn FnMut(ObjectKind) -> u32,
) -> Result<Vec<Command>, StitchingError> {
    let (from, to) = (source.pages.spec(), destination.pages.spec());
    from.converts_to(to)?;
    if from.data_type() != to.data_type() {
        let (given, needed) = (from.data_type(), to.data_type());
        return Err(StitchingError::TypesOnDevice { given, needed });
    }
    if destination.pages.pages() == 0 {
        return Ok(Vec::new());
    }
    let (columns, rows) = chip.compute_grid();
    let work = Work::new(source.pages, destination.pages, chip, columns.saturating_mul(rows))?;
    let cores = cores(columns, work.shares());
    let program = ProgramId(ids(ObjectKind::Program));
    let circular_buffer = CircularBufferId(ids(ObjectKind::CircularBuffer));
    let kernel = KernelId(ids(ObjectKind::Kernel));
    let scratch = CircularBufferIndex {
        index: 0,
        page_size: work.scratch,
        data_format: DataFormat::UInt32,
        tile: None,
    };
    let accessors = [accessor(source.pages), accessor(destination.pages)];
    let mut common = Words::default();
    common.relocate(RelocatedArgument::BufferAddress { buffer: source.buffer, offset: 0 });
    common.relocate(RelocatedArgument::BufferAddress { buffer: destination.buffer, offset: 0 });
    common.values.extend(work.numbers);
    for (accessor, buffer) in accessors.iter().zip([source.buffer, destination.buffer]) {
        common.values.extend(accessor.common_numbers());
        for pair in 0..accessor.bank_pairs() {
            common.relocate(RelocatedArgument::ShardBankPair { buffer, pair });
        }
    }
    let shares = work.shares.iter().zip(cores.iter().copied().flat_map(CoreRange::cores));
    let args = shares.map(|(share, core)| CoreArguments {
        cores: vec![CoreRange { start: core, end: core }],
        values: vec![share.start, share.end],
        relocations: Vec::new(),
    });
    Ok(vec![
        Command::CreateProgram(CreateProgram { program, name: name.to_owned() }),
        Command::CreateCircularBuffer(CreateCircularBuffer {
            circular_buffer,
            name: name.to_owned(),
            program,
            cores: cores.clone(),
            total_size: work.scratch.into(),
            indices: vec![scratch],
            globally_allocated_address: None,
        }),
        Command::CreateKernel(CreateKernel {
            kernel,
            name: name.to_owned(),
            program,
            source: KERNEL.to_owned(),
            cores: cores.clone(),
            config: KernelConfig::data_movement(DataMovementProcessor::Riscv0, NocId::Noc0),
            compile_args: accessors.iter().flat_map(|it| it.compile_args()).copied().collect(),
            defines: std::collections::BTreeMap::new(),
            named_compile_args: std::collections::BTreeMap::new(),
            opt_level: None,
            bindings: None,
        }),
        Command::SetCommonRuntimeArgs(SetCommonRuntimeArgs {
            kernel,
            values: common.values,
            relocations: common.relocations,
        }),
        Command::SetRuntimeArgs(SetRuntimeArgs { kernel, args: args.collect() }),
        Command::EnqueueProgram(EnqueueProgram { queue, program, blocking: false }),
    ])
}

/// The kernel's source; every kernel library has it.
const KERNEL: &str = "hallmark/to_layout.cpp";

/// Addresses in an image are congruent to those in memory modulo this: `kAlignment` of the kernel.
const ALIGNMENT: u64 = 64;

/// The preferred scratch memory in bytes; more is taken only if the conversion needs it.
const SCRATCH: u64 = 64 << 10;

/// The largest scratch memory in bytes. The smallest L1 leaves much more than this beside its buffers.
const MOST_SCRATCH: u64 = 256 << 10;

/// The largest side in elements: the kernel adds a chunk or a band to a row or column, in 32 bits.
const LONGEST_SIDE: u64 = 1 << 31;

/// The number of columns of a chunk is a multiple of this, a tile's width.
const CHUNK: u64 = 32;

/// Rows of the largest tile, and of a band if the destination is row-major.
const BAND: u64 = 32;

/// The fewest rows of a band for a tiled source; smaller bands would read its tiles in pieces that are too
/// small.
const LEAST_BAND_OF_TILES: u64 = 4;

/// Argument words with their relocations.
#[derive(Default)]
struct Words {
    values: Vec<u32>,
    relocations: Vec<ArgumentRelocation>,
}

impl Words {
    fn relocate(&mut self, argument: RelocatedArgument) {
        let index = u32::try_from(self.values.len()).unwrap_or(u32::MAX);
        self.relocations.push(ArgumentRelocation { index, argument });
        self.values.push(0);
    }
}

/// The first cores of a grid, row by row, as the fewest ranges.
fn cores(columns: u32, count: u32) -> Vec<CoreRange> {
    let columns = columns.max(1);
    let (rows, rest) = (count / columns, count % columns);
    let range = |first: u32, height: u32, width: u32| {
        let start = LogicalCore { x: 0, y: first };
        let end = LogicalCore { x: width.checked_sub(1)?, y: (first + height).checked_sub(1)? };
        (height > 0).then_some(CoreRange { start, end })
    };
    [range(0, rows, columns), range(rows, 1, rest)].into_iter().flatten().collect()
}

/// The accessor with which the kernel finds pages. A buffer without shards is interleaved.
fn accessor(pages: &TensorPages) -> TensorAccessorArgs {
    let sharding = pages.shard_spec().and_then(|spec| {
        // The pages were made from this specification, so it is valid for them.
        Sharding::new(pages.layout(), spec, pages.pages()).ok()
    });
    TensorAccessorArgs::at_run_time(pages.buffer_type(), sharding.as_ref())
}

/// The kernel's arguments.
struct Work {
    /// The common arguments from index 2 up to those of the accessors.
    numbers: Vec<u32>,
    /// The cells of each core, or the pages that each core copies.
    shares: Vec<std::ops::Range<u32>>,
    /// Bytes of scratch memory.
    scratch: u32,
}

/// The pages as a grid in element units: `Pages` of the kernel. Fields count elements unless they are named
/// after bytes.
#[derive(Clone, Copy, Debug)]
struct Geometry {
    bytes: u64,
    stride: u64,
    height: u64,
    width: u64,
    face_height: u64,
    face_width: u64,
    across: u64,
    down: u64,
}

impl Work {
    fn new(
        source: &TensorPages,
        destination: &TensorPages,
        chip: &ChipDescription,
        cores: u32,
    ) -> Result<Self, StitchingError> {
        let item = source.spec().data_type().item_size().map(u64::from);
        let [from, to] = [source, destination].map(|pages| Geometry::new(pages, chip));
        let (from, to) = (from?, to?);
        match item {
            _ if is_copy(source, destination) => {
                let share = destination.pages().div_ceil(u64::from(cores.max(1)));
                let slot = to.bytes.min(SCRATCH).next_multiple_of(ALIGNMENT);
                let slots = (SCRATCH / slot).max(1).min(share);
                let scratch = slot.saturating_mul(slots);
                let numbers = [0, 0, 0, 0, 0, scratch];
                let units = destination.pages();
                Self::of(numbers, (from, 0), (to, 0), units, scratch + ALIGNMENT, cores)
            }
            None => {
                let spec = source.spec();
                Err(StitchingError::BlockFormatOnDevice {
                    data_type: spec.data_type(),
                    given: spec.layout(),
                    needed: destination.spec().layout(),
                })
            }
            Some(item) => Self::of_elements(source, (from, to), item, cores),
        }
    }

    /// The work if elements move within pages.
    fn of_elements(
        source: &TensorPages,
        (from, to): (Geometry, Geometry),
        item: u64,
        cores: u32,
    ) -> Result<Self, StitchingError> {
        let shape = source.spec().shape();
        let (matrices, height) = (shape.matrices(), u64::from(shape.height()));
        let width = u64::from(shape.width());
        let units =
            |band: u64| matrices.saturating_mul(height.div_ceil(band)).saturating_mul(to.across);
        let band = match to.height {
            1 if to.are_rows() => {
                let least = if from.are_rows() { 1 } else { LEAST_BAND_OF_TILES };
                let mut band = height.next_power_of_two().min(BAND);
                while band > least && units(band) < cores.into() {
                    band /= 2;
                }
                band
            }
            height => height,
        };
        let units = units(band);
        // A share has at most the columns of a core's band.
        let share = units.div_ceil(u64::from(cores.max(1))).min(to.across);
        let mut chunk = share.saturating_mul(to.width).next_multiple_of(CHUNK);
        let sizes = |chunk: u64| {
            let image = |pages: &Geometry| pages.image(band, chunk, item);
            [image(&from), image(&to)]
        };
        while chunk > CHUNK && sizes(chunk).iter().sum::<u64>() > SCRATCH {
            chunk = (chunk / 2).next_multiple_of(CHUNK);
        }
        let [source_image, destination_image] = sizes(chunk);
        // One alignment is for aligning the memory, the other for the kernel's word.
        let scratch = 2 * ALIGNMENT + source_image + destination_image;
        let numbers = [item, height, width, band, chunk, source_image];
        let slots = [from.slot(chunk, item), to.slot(chunk, item)];
        Self::of(numbers, (from, slots[0]), (to, slots[1]), units, scratch, cores)
    }

    /// The arguments for this many units of work.
    fn of(
        numbers: [u64; 6],
        (from, from_slot): (Geometry, u64),
        (to, to_slot): (Geometry, u64),
        units: u64,
        scratch: u64,
        cores: u32,
    ) -> Result<Self, StitchingError> {
        let too_large =
            || StitchingError::PagesOnDevice { pages: units, bytes: from.bytes.max(to.bytes) };
        if scratch > MOST_SCRATCH {
            return Err(too_large());
        }
        let word = |number: u64| u32::try_from(number).map_err(|_| too_large());
        let numbers = numbers.into_iter().chain(from.numbers(from_slot)).chain(to.numbers(to_slot));
        let numbers = numbers.map(word).collect::<Result<_, _>>()?;
        let units = word(units)?;
        let count = units.min(cores).max(1);
        let (each, more) = (units / count, units % count);
        let mut first = 0;
        let shares = (0..count).map(|core| {
            let share = first..first + each + u32::from(core < more);
            first = share.end;
            share
        });
        Ok(Self { numbers, shares: shares.collect(), scratch: word(scratch)? })
    }

    /// The number of cores with work.
    fn shares(&self) -> u32 {
        u32::try_from(self.shares.len()).unwrap_or(u32::MAX)
    }
}

/// Whether the pages of both tensors are equal, so that they can be copied. Row padding does not belong to the
/// tensor, and a program may have left any bytes there, so tensors with row padding are not copied.
fn is_copy(source: &TensorPages, destination: &TensorPages) -> bool {
    let is_filled_up = match destination.spec().layout() {
        Layout::RowMajor => destination.bytes() != destination.spec().bytes() as u64,
        Layout::Tile(_) => false,
    };
    source.spec().layout() == destination.spec().layout()
        && source.page_bytes() == destination.page_bytes()
        && !is_filled_up
}

impl Geometry {
    /// The geometry of a tensor's pages. For block formats only the number and size of pages matter.
    fn new(pages: &TensorPages, chip: &ChipDescription) -> Result<Self, StitchingError> {
        let (spec, bytes) = (pages.spec(), pages.page_bytes());
        let item = u64::from(spec.data_type().item_size().unwrap_or(1));
        let unable = || StitchingError::PagesOnDevice { pages: pages.pages(), bytes };
        let stride = allocator::page_stride(chip, pages.buffer_type(), bytes);
        // The pages of a buffer consist of whole words.
        let stride = stride.filter(|_| bytes.is_multiple_of(4)).ok_or_else(unable)?;
        let ((height, _), (rows, columns)) = (spec.padded(), spec.physical());
        let geometry = match spec.layout() {
            Layout::RowMajor => Self {
                bytes,
                stride,
                height: 1,
                width: bytes / item,
                face_height: 1,
                face_width: bytes / item,
                across: pages.pages() / rows.max(1),
                down: height,
            },
            Layout::Tile(tile) => Self {
                bytes,
                stride,
                height: tile.height().into(),
                width: tile.width().into(),
                face_height: tile.face_height().into(),
                face_width: tile.face_width().into(),
                across: columns / u64::from(tile.width()),
                down: height / u64::from(tile.height()),
            },
        };
        let sides = [geometry.across * geometry.width, geometry.down * geometry.height];
        let are_counted = sides.into_iter().all(|side| side <= LONGEST_SIDE)
            && u32::try_from(pages.pages()).is_ok();
        if are_counted { Ok(geometry) } else { Err(unable()) }
    }

    /// Whether a page is one row; an image then holds only the chunk's part of it.
    fn are_rows(&self) -> bool {
        self.height == 1 && self.face_width == self.width
    }

    /// Bytes of a page's slot in an image.
    fn slot(&self, chunk: u64, item: u64) -> u64 {
        let bytes = self.width.saturating_mul(self.height).saturating_mul(item);
        // The chunk's part of a row may begin anywhere between two alignment boundaries.
        let part = chunk.saturating_mul(item).saturating_add(ALIGNMENT - 1);
        let bytes = if self.are_rows() { bytes.min(part) } else { bytes };
        bytes.checked_next_multiple_of(ALIGNMENT).unwrap_or(u64::MAX)
    }

    /// Bytes of all pages that a chunk of a band touches.
    fn image(&self, band: u64, chunk: u64, item: u64) -> u64 {
        let rows = band.div_ceil(self.height);
        // A chunk that begins within a page touches one more page.
        let columns = (chunk.saturating_sub(1).div_ceil(self.width) + 1).min(self.across);
        rows.saturating_mul(columns).saturating_mul(self.slot(chunk, item))
    }

    fn numbers(self, slot: u64) -> [u64; 9] {
        let Self { bytes, stride, height, width, face_height, face_width, across, down } = self;
        [bytes, stride, height, width, face_height, face_width, across, down, slot]
    }
}
