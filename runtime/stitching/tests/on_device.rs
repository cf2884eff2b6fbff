//! Compares conversions on a simulated chip with those of the host library.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests")]

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use hallmark_chip::{Architecture, ChipDescription, LogicalCore};
use hallmark_runtime::device_code::{FirmwareBundle, KernelStore};
use hallmark_runtime::{
    Buffer, BufferConfig, CommandQueue, Device, DeviceOptions, DeviceSettings, SuiteKernels,
    open_device,
};
use hallmark_schema::model::{
    Blobs, BufferId, BufferType, Command, CoreRange, DispatchMode, Expectation, ObjectKind,
    QueueId, Shape2D, ShardOrientation,
};
use hallmark_stitching::{Placed, StitchingError, on_device};
use hallmark_tensor::{
    DataType, HostTensor, Layout, MemoryConfig, Shape, ShardStrategy, TensorPages, TensorSharding,
    TensorSpec, TileShape,
};

const FIRST: CommandQueue = CommandQueue::FIRST;
const QUEUE: QueueId = QueueId(0);

/// The byte in the source's padding, and everywhere in the destination, before a conversion.
const GARBAGE: u8 = 0xA5;

fn tile(height: u32, width: u32) -> Layout {
    Layout::Tile(TileShape::new(height, width).unwrap())
}

fn spec(sizes: &[u32], data_type: DataType, layout: Layout) -> TensorSpec {
    TensorSpec::new(Shape::new(sizes).unwrap(), data_type, layout).unwrap()
}

/// A device without suites: the kernel is the library's own.
struct Converter {
    device: Device,
    /// The chip as the planner sees it.
    chip: ChipDescription,
    ids: BTreeMap<ObjectKind, u32>,
    buffers: u32,
}

impl Converter {
    fn open(architecture: Architecture) -> Self {
        Self::dispatching(architecture, DispatchMode::Host)
    }

    fn dispatching(architecture: Architecture, dispatch: DispatchMode) -> Self {
        let firmware = Arc::new(FirmwareBundle::builtin(architecture).unwrap());
        let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("kernels");
        let store = Arc::new(KernelStore::builder().cache(cache).build());
        let kernels = Box::new(SuiteKernels::new("no such folder", store));
        let spec = format!("sim:{architecture}").parse().unwrap();
        let device = open_device(&spec, DeviceSettings::default()).unwrap();
        let mut options = DeviceOptions::new(firmware, kernels);
        options.dispatch = dispatch;
        let device = Device::open(device, options).unwrap();
        let chip = ChipDescription { ..*ChipDescription::of(architecture) };
        Self { device, chip, ids: BTreeMap::new(), buffers: 0 }
    }

    /// Reduces the grid for later conversions to this many cores.
    fn with_cores(&mut self, count: usize) {
        let chip = ChipDescription::of(self.chip.architecture);
        let (columns, rows) = if chip.harvests_rows { (count, 2) } else { (count + 1, 1) };
        self.chip = ChipDescription {
            tensix_columns: &chip.tensix_columns[..columns],
            tensix_rows: &chip.tensix_rows[..rows],
            ..*chip
        };
        let count = u32::try_from(count).unwrap();
        assert_eq!(self.chip.compute_grid(), (count, 1));
    }

    fn buffer(&mut self, pages: &TensorPages) -> (Buffer, BufferId) {
        let config = BufferConfig {
            name: "tensor",
            size: pages.bytes(),
            page_size: pages.page_bytes(),
            buffer_type: pages.buffer_type(),
            layout: pages.layout(),
            shard_spec: pages.shard_spec(),
            bottom_up: None,
        };
        let buffer = self.device.create_buffer(&config).unwrap();
        self.buffers += 1;
        (buffer, BufferId(self.buffers - 1))
    }

    fn write(&mut self, buffer: Buffer, bytes: &[u8]) {
        self.device.enqueue_write_buffer(FIRST, buffer, bytes, false).unwrap();
    }

    fn read(&mut self, buffer: Buffer) -> Vec<u8> {
        let name = format!("read_{}", self.buffers);
        let read =
            self.device.enqueue_read_buffer(FIRST, buffer, &name, Expectation::AsCaptured, true);
        let read = read.unwrap_or_else(|error| panic!("{error}"));
        self.device.take_read(read).unwrap().bytes.to_vec()
    }

    fn plan(
        &mut self,
        (source, from): (BufferId, &TensorPages),
        (destination, to): (BufferId, &TensorPages),
    ) -> Result<Vec<Command>, StitchingError> {
        let ids = &mut self.ids;
        let mut next = |kind| {
            let next = ids.entry(kind).or_default();
            *next += 1;
            *next - 1
        };
        let source = Placed { buffer: source, pages: from };
        let destination = Placed { buffer: destination, pages: to };
        on_device(source, destination, &self.chip, QUEUE, "conversion", &mut next)
    }

    /// The bytes of the destination's pages after a conversion, and those of the host library.
    fn convert(
        &mut self,
        tensor: &HostTensor<'_>,
        from: &TensorPages,
        to: &TensorPages,
    ) -> (Vec<u8>, Vec<u8>) {
        let given = tensor.to_layout(from.spec().layout(), 7.0).unwrap();
        let (source, source_id) = self.buffer(from);
        let (destination, destination_id) = self.buffer(to);
        let pages = with_garbage(from, &from.to_pages(given.bytes()));
        self.write(source, &pages);
        self.write(destination, &vec![GARBAGE; usize::try_from(to.bytes()).unwrap()]);
        for command in self.plan((source_id, from), (destination_id, to)).unwrap() {
            self.device.make_call(command, &Blobs::default()).unwrap();
        }
        let made = self.read(destination);
        let expected = given.to_spec(to.spec(), 0.0).unwrap();
        let expected = to.to_pages(expected.bytes()).to_vec();
        self.device.deallocate_buffer(source).unwrap();
        self.device.deallocate_buffer(destination).unwrap();
        (made, expected)
    }
}

/// The same pages with garbage in the row padding.
fn with_garbage(pages: &TensorPages, bytes: &[u8]) -> Vec<u8> {
    let (rows, _) = pages.spec().physical();
    let row = usize::try_from(pages.spec().bytes() as u64 / rows.max(1)).unwrap();
    let filled = usize::try_from(pages.bytes() / rows.max(1)).unwrap();
    let mut bytes = bytes.to_vec();
    if pages.spec().layout() == Layout::RowMajor && filled > row {
        bytes.chunks_exact_mut(filled).for_each(|filled| filled[row..].fill(GARBAGE));
    }
    bytes
}

/// A row-major tensor of bytes with a long period.
fn tensor(sizes: &[u32], data_type: DataType) -> HostTensor<'static> {
    let scalar = data_type.item_size().map_or(DataType::Float32, |_| data_type);
    let rows = spec(sizes, scalar, Layout::RowMajor);
    let bytes: Vec<u8> = (0..rows.bytes() as u32)
        .map(|number| (number.wrapping_mul(0x9E37_79B1) >> 24) as u8 & 0x3F)
        .collect();
    let tensor = HostTensor::from_bytes(rows, bytes).unwrap();
    if scalar == data_type {
        return tensor;
    }
    let tiles = spec(sizes, data_type, Layout::Tile(TileShape::FULL));
    tensor.to_spec(&tiles, 0.0).unwrap().into_owned()
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Place {
    Interleaved(BufferType),
    Sharded(BufferType, ShardStrategy),
}

/// The pages of a tensor, cut into two or three parts in each direction that the sharding cuts.
fn pages(spec: &TensorSpec, place: Place) -> Option<TensorPages> {
    let (height, width) = spec.physical();
    let (height, width) = (u32::try_from(height).unwrap(), u32::try_from(width).unwrap());
    let memory = match place {
        Place::Interleaved(buffer_type) => MemoryConfig::interleaved(buffer_type),
        Place::Sharded(buffer_type, strategy) => {
            let (down, across) = match spec.layout() {
                // Pages consist of whole words.
                Layout::RowMajor => (1, 4 / spec.data_type().item_size().unwrap()),
                Layout::Tile(tile) => (tile.height(), tile.width()),
            };
            let part = |size: u32, parts: u32, unit| size.div_ceil(parts).next_multiple_of(unit);
            let (parts, shape) = match strategy {
                ShardStrategy::Height => ((1, 3), (part(height, 3, down), width)),
                ShardStrategy::Width => ((3, 1), (height, part(width, 3, across))),
                ShardStrategy::Block => ((3, 2), (part(height, 2, down), part(width, 3, across))),
            };
            // The banks of DRAM form one row.
            let (x, y) = match buffer_type {
                BufferType::Dram => (0, 0),
                BufferType::L1 | BufferType::L1Small => (2, 1),
            };
            let (start, end) = ((x, y), (x + parts.0 - 1, y + parts.1 - 1));
            let (start, end) = match (buffer_type, strategy) {
                (BufferType::Dram, ShardStrategy::Height) => ((0, 0), (2, 0)),
                _ => (start, end),
            };
            let core = |(x, y)| LogicalCore { x, y };
            let sharding = TensorSharding {
                strategy,
                cores: vec![CoreRange { start: core(start), end: core(end) }],
                shape: Shape2D { height: shape.0, width: shape.1 },
                orientation: ShardOrientation::RowMajor,
            };
            MemoryConfig { buffer_type, sharding: Some(sharding) }
        }
    };
    let pages = TensorPages::new(spec.clone(), &memory).unwrap();
    // The pages of a buffer consist of whole words.
    pages.page_bytes().is_multiple_of(4).then_some(pages)
}

const DRAM: Place = Place::Interleaved(BufferType::Dram);
const L1: Place = Place::Interleaved(BufferType::L1);
const HEIGHT: Place = Place::Sharded(BufferType::L1, ShardStrategy::Height);
const WIDTH: Place = Place::Sharded(BufferType::L1, ShardStrategy::Width);
const BLOCK: Place = Place::Sharded(BufferType::L1, ShardStrategy::Block);
const DRAM_HEIGHT: Place = Place::Sharded(BufferType::Dram, ShardStrategy::Height);
const DRAM_WIDTH: Place = Place::Sharded(BufferType::Dram, ShardStrategy::Width);

/// The pages of two tensors of one shape and type, if a buffer can hold both.
fn both(
    sizes: &[u32],
    data_type: DataType,
    (from, source): (Layout, Place),
    (to, destination): (Layout, Place),
) -> Option<(TensorPages, TensorPages)> {
    let from = pages(&spec(sizes, data_type, from), source)?;
    Some((from, pages(&spec(sizes, data_type, to), destination)?))
}

/// The calls of a conversion on Wormhole, between buffers 3 and 8, with ids from 20 on.
fn planned(from: &TensorPages, to: &TensorPages) -> Result<Vec<Command>, StitchingError> {
    let chip = ChipDescription::of(Architecture::WormholeB0);
    let (source, destination) = (BufferId(3), BufferId(8));
    let mut id = 19;
    let mut next = |_| {
        id += 1;
        id
    };
    let (source, destination) =
        (Placed { buffer: source, pages: from }, Placed { buffer: destination, pages: to });
    on_device(source, destination, chip, QueueId(1), "conversion", &mut next)
}

fn refused(from: &TensorSpec, to: &TensorSpec) -> String {
    planned(&pages(from, DRAM).unwrap(), &pages(to, L1).unwrap()).unwrap_err().to_string()
}

const ROWS: Layout = Layout::RowMajor;
const FULL: Layout = Layout::Tile(TileShape::FULL);

#[test]
fn what_the_device_does_not_convert_is_refused_with_what_to_do() {
    let sizes = [40, 40];
    assert_eq!(
        refused(&spec(&sizes, DataType::Bfloat16, ROWS), &spec(&sizes, DataType::Uint16, FULL)),
        "the device converts layouts and memories only, not bfloat16 to uint16; convert types on the host"
    );
    let small = spec(&sizes, DataType::Bfp8B, tile(16, 32));
    assert_eq!(
        refused(&spec(&sizes, DataType::Bfp8B, FULL), &small),
        "the device moves bfp8_b from memory to memory only, not from tile 32x32 to tile 16x32; convert its layout on \
         the host"
    );
    assert_eq!(
        refused(&spec(&sizes, DataType::Uint8, ROWS), &spec(&[40, 41], DataType::Uint8, FULL)),
        "a tensor of shape [40, 40] does not become one of shape [40, 41]; give both one shape"
    );
}

/// No such buffer exists, but the request is still refused cleanly.
#[test]
fn pages_that_the_kernel_cannot_count_are_refused() {
    let interleaved = |sizes: &[u32], layout| {
        let memory = MemoryConfig::interleaved(BufferType::Dram);
        TensorPages::new(spec(sizes, DataType::Uint8, layout), &memory).unwrap()
    };
    let told = |from: (&[u32], Layout), to| {
        planned(&interleaved(from.0, from.1), &interleaved(from.0, to))
    };
    assert_eq!(
        told((&[40, 39], ROWS), FULL).unwrap_err().to_string(),
        "the device does not convert 40 pages of up to 39 B: pages must have whole words, their number and size fit 32 bits \
         and a matrix's sides 31, and a band of them the scratch memory; convert on the host"
    );
    let is_refused = |result: Result<_, _>| match result {
        Ok::<Vec<Command>, _>(_) => false,
        Err(StitchingError::PagesOnDevice { .. }) => true,
        Err(error) => panic!("{error}"),
    };
    // As many pages as 32 bits can count, and one more.
    let (most, more) = ([u32::MAX, 1, 4], [1 << 16, 1 << 16, 4]);
    for (from, to) in [(ROWS, tile(1, 16)), (tile(1, 16), ROWS), (ROWS, ROWS)] {
        assert!(!is_refused(told((&most, from), to)));
        assert!(is_refused(told((&more, from), to)));
    }
    // The longest side, and one with one more tile.
    for (from, to) in [(ROWS, FULL), (FULL, ROWS)] {
        assert!(!is_refused(told((&[1, 1 << 31], from), to)));
        assert!(is_refused(told((&[1, (1 << 31) + 4], from), to)));
    }
}

#[test]
fn a_tensor_without_elements_takes_no_call() {
    for sizes in [&[0, 32][..], &[3, 0], &[0], &[2, 0, 7]] {
        for (from, to) in [(ROWS, FULL), (FULL, ROWS), (ROWS, ROWS), (FULL, FULL)] {
            let (from, to) = both(sizes, DataType::Uint32, (from, DRAM), (to, L1)).unwrap();
            assert_eq!(planned(&from, &to).unwrap(), []);
        }
    }
}

/// The cores of a conversion, with the work of each.
fn shares(calls: &[Command]) -> Vec<(LogicalCore, u32, u32)> {
    let [
        Command::CreateProgram(program),
        Command::CreateCircularBuffer(circular_buffer),
        Command::CreateKernel(kernel),
        Command::SetCommonRuntimeArgs(common),
        Command::SetRuntimeArgs(arguments),
        Command::EnqueueProgram(enqueue),
    ] = calls
    else {
        panic!("{calls:?}");
    };
    assert_eq!(program.program.0, 20);
    assert_eq!((circular_buffer.circular_buffer.0, circular_buffer.program.0), (21, 20));
    assert_eq!((kernel.kernel.0, kernel.program.0), (22, 20));
    assert_eq!((common.kernel.0, arguments.kernel.0), (22, 22));
    assert_eq!((enqueue.program.0, enqueue.queue, enqueue.blocking), (20, QueueId(1), false));
    assert_eq!(kernel.cores, circular_buffer.cores);
    let shares: Vec<_> = arguments
        .args
        .iter()
        .map(|one| (one.cores[0].start, one.values[0], one.values[1]))
        .collect();
    let cores: Vec<_> = kernel.cores.iter().flat_map(|range| range.cores()).collect();
    assert_eq!(cores, shares.iter().map(|share| share.0).collect::<Vec<_>>());
    shares
}

#[test]
fn work_goes_to_all_cores_evenly_or_to_as_many_as_there_are_tiles() {
    let on_wormhole = 72;
    for (tiles, cores) in
        [(1, 1), (7, 7), (8, 8), (13, 13), (71, 71), (72, 72), (73, 72), (500, 72)]
    {
        let (from, to) =
            both(&[32, 32 * tiles], DataType::Bfloat16, (ROWS, DRAM), (FULL, DRAM)).unwrap();
        let shares = shares(&planned(&from, &to).unwrap());
        assert_eq!(shares.len(), cores.min(on_wormhole), "{tiles}");
        let mut next = 0;
        for (at, (core, first, end)) in shares.iter().enumerate() {
            assert_eq!((core.x as usize, core.y as usize), (at % 8, at / 8));
            assert_eq!(*first, next);
            let count = end - first;
            assert!(count == tiles / cores as u32 || count == tiles.div_ceil(cores as u32));
            next = *end;
        }
        assert_eq!(next, tiles);
    }
}

/// Shapes, sizes and shards are run-time arguments: only memories and sharding are compiled in.
#[test]
fn all_tensors_in_memories_of_a_kind_share_a_build() {
    let mut builds = std::collections::BTreeSet::new();
    let mut pairs = 0;
    let places = [DRAM, L1, HEIGHT, WIDTH, BLOCK, DRAM_HEIGHT, DRAM_WIDTH];
    for sizes in [&[64, 64][..], &[2, 40, 72], &[3, 100]] {
        for data_type in [DataType::Bfloat16, DataType::Float32, DataType::Uint8] {
            for layouts in [(ROWS, FULL), (FULL, ROWS), (FULL, tile(8, 16)), (ROWS, ROWS)] {
                for source in places {
                    for destination in places {
                        let pair = ((layouts.0, source), (layouts.1, destination));
                        let Some((from, to)) = both(sizes, data_type, pair.0, pair.1) else {
                            continue;
                        };
                        pairs += 1;
                        let calls = planned(&from, &to).unwrap();
                        let Command::CreateKernel(kernel) = &calls[2] else { panic!() };
                        assert!(kernel.defines.is_empty() && kernel.named_compile_args.is_empty());
                        builds.insert((kernel.source.clone(), kernel.compile_args.clone()));
                    }
                }
            }
        }
    }
    assert!(pairs > 1000, "{pairs}");
    assert_eq!(builds.len(), 4 * 4);
}

mod with_compiler {
    use hallmark_runtime::{CaptureOptions, ReplayOptions, replay};

    use super::*;

    fn check(
        converter: &mut Converter,
        sizes: &[u32],
        data_type: DataType,
        (from, to): (&TensorPages, &TensorPages),
    ) {
        let tensor = tensor(sizes, data_type);
        let (made, expected) = converter.convert(&tensor, from, to);
        assert!(
            made == expected,
            "{} {sizes:?} {data_type}: {} {:?} {:?} to {} {:?} {:?}: differs first at {:?}",
            converter.chip.architecture,
            from.spec().layout(),
            from.buffer_type(),
            from.layout(),
            to.spec().layout(),
            to.buffer_type(),
            to.layout(),
            made.iter().zip(&expected).position(|(made, expected)| made != expected),
        );
    }

    /// Converts between every pair of memories; shapes and types alternate.
    fn pairs(architecture: Architecture) {
        let homes = [
            (ROWS, DRAM),
            (ROWS, L1),
            (ROWS, HEIGHT),
            (ROWS, WIDTH),
            (ROWS, BLOCK),
            (ROWS, DRAM_HEIGHT),
            (ROWS, DRAM_WIDTH),
            (FULL, DRAM),
            (FULL, L1),
            (FULL, HEIGHT),
            (FULL, WIDTH),
            (FULL, BLOCK),
            (FULL, DRAM_WIDTH),
            (tile(16, 32), DRAM),
            (tile(32, 16), BLOCK),
            (tile(1, 32), L1),
            (tile(4, 16), DRAM_HEIGHT),
            (tile(1, 16), WIDTH),
        ];
        let shapes: [&[u32]; 7] =
            [&[64, 64], &[2, 40, 72], &[1, 1], &[33, 100], &[3, 5, 260], &[2, 2, 17, 36], &[70]];
        let types = [DataType::Bfloat16, DataType::Float32, DataType::Uint8];
        let mut converter = Converter::open(architecture);
        let mut number = 0;
        for source in homes {
            for destination in homes {
                number += 1;
                // If a shape has no such pages, the next shape is used.
                let next = (0..shapes.len()).find_map(|more| {
                    let sizes = shapes[(number + more) % shapes.len()];
                    let data_type = types[number / shapes.len() % types.len()];
                    both(sizes, data_type, source, destination)
                        .map(|pages| (sizes, data_type, pages))
                });
                let (sizes, data_type, (from, to)) = next.unwrap();
                check(&mut converter, sizes, data_type, (&from, &to));
            }
        }
        assert_eq!(number, 324);
        converter.device.close().unwrap();
    }

    #[test]
    #[ignore = "needs the cross compiler gcc-riscv64-unknown-elf; run with: cargo nextest run --run-ignored only -E 'test(with_compiler)'"]
    fn every_pair_of_homes_on_wormhole() {
        pairs(Architecture::WormholeB0);
    }

    #[test]
    #[ignore = "needs the cross compiler gcc-riscv64-unknown-elf; run with: cargo nextest run --run-ignored only -E 'test(with_compiler)'"]
    fn every_pair_of_homes_on_blackhole() {
        pairs(Architecture::Blackhole);
    }

    #[test]
    #[ignore = "needs the cross compiler gcc-riscv64-unknown-elf; run with: cargo nextest run --run-ignored only -E 'test(with_compiler)'"]
    fn every_pair_of_homes_on_grayskull() {
        pairs(Architecture::Grayskull);
    }

    /// Every tile to and from rows and every other tile, in DRAM; to and from rows on each chip, because
    /// alignments differ.
    #[test]
    #[ignore = "needs the cross compiler gcc-riscv64-unknown-elf; run with: cargo nextest run --run-ignored only -E 'test(with_compiler)'"]
    fn every_tile_becomes_rows_and_every_other_tile() {
        let types = [DataType::Uint16, DataType::Uint8, DataType::Int32];
        for architecture in Architecture::ALL {
            let mut converter = Converter::open(architecture);
            for (at, from) in TileShape::ALL.into_iter().enumerate() {
                let (from, data_type) = (Layout::Tile(from), types[at % types.len()]);
                let sizes = &[2, 37, 52];
                for (from, to) in [(from, ROWS), (ROWS, from)] {
                    let (from, to) = both(sizes, data_type, (from, DRAM), (to, DRAM)).unwrap();
                    check(&mut converter, sizes, data_type, (&from, &to));
                }
                for (other, to) in TileShape::ALL.into_iter().enumerate() {
                    let data_type = types[(at + other) % types.len()];
                    if architecture == Architecture::Blackhole {
                        let to = (Layout::Tile(to), DRAM);
                        let (from, to) = both(sizes, data_type, (from, DRAM), to).unwrap();
                        check(&mut converter, sizes, data_type, (&from, &to));
                    }
                }
            }
            converter.device.close().unwrap();
        }
    }

    /// Rows longer than a chunk, and larger than the scratch memory.
    #[test]
    #[ignore = "needs the cross compiler gcc-riscv64-unknown-elf; run with: cargo nextest run --run-ignored only -E 'test(with_compiler)'"]
    fn long_rows() {
        for architecture in [Architecture::WormholeB0, Architecture::Blackhole] {
            let mut converter = Converter::open(architecture);
            for (sizes, data_type) in
                [(&[1, 40_000][..], DataType::Float32), (&[2, 20_004], DataType::Uint8)]
            {
                for (from, to) in [
                    ((ROWS, DRAM), (FULL, L1)),
                    ((FULL, DRAM), (ROWS, DRAM)),
                    ((ROWS, L1), (ROWS, DRAM)),
                    ((ROWS, WIDTH), (ROWS, DRAM)),
                    ((ROWS, DRAM), (ROWS, BLOCK)),
                    ((FULL, L1), (tile(4, 16), DRAM)),
                ] {
                    let (from, to) = both(sizes, data_type, from, to).unwrap();
                    check(&mut converter, sizes, data_type, (&from, &to));
                }
            }
            converter.device.close().unwrap();
        }
    }

    /// A core has parts of several bands and matrices, with arbitrary beginnings and ends.
    #[test]
    #[ignore = "needs the cross compiler gcc-riscv64-unknown-elf; run with: cargo nextest run --run-ignored only -E 'test(with_compiler)'"]
    fn few_cores_have_much_to_do() {
        for architecture in [Architecture::WormholeB0, Architecture::Blackhole] {
            let mut converter = Converter::open(architecture);
            for (cores, sizes, data_type) in [
                (1, &[5, 3000][..], DataType::Float32),
                (2, &[300, 200], DataType::Bfloat16),
                (3, &[100, 33, 4], DataType::Bfloat16),
                (3, &[3, 2, 35, 160], DataType::Uint8),
            ] {
                converter.with_cores(cores);
                for (from, to) in [
                    ((ROWS, DRAM), (FULL, L1)),
                    ((ROWS, WIDTH), (tile(16, 32), DRAM)),
                    ((FULL, DRAM), (ROWS, DRAM)),
                    ((FULL, BLOCK), (ROWS, WIDTH)),
                    ((ROWS, WIDTH), (ROWS, BLOCK)),
                    ((FULL, L1), (tile(4, 16), DRAM)),
                    ((FULL, BLOCK), (FULL, DRAM)),
                    ((ROWS, DRAM), (ROWS, HEIGHT)),
                ] {
                    let (from, to) = both(sizes, data_type, from, to).unwrap();
                    check(&mut converter, sizes, data_type, (&from, &to));
                }
            }
            converter.device.close().unwrap();
        }
    }

    /// Rows that shards cut into pages of one or two words, to and from tiles and other shardings.
    #[test]
    #[ignore = "needs the cross compiler gcc-riscv64-unknown-elf; run with: cargo nextest run --run-ignored only -E 'test(with_compiler)'"]
    fn the_smallest_pages() {
        let cut = |sizes: &[u32], data_type, width, cores| {
            let rows = spec(sizes, data_type, ROWS);
            let height = u32::try_from(rows.physical().0).unwrap();
            let (start, end) = (LogicalCore { x: 0, y: 2 }, LogicalCore { x: 6, y: cores });
            let sharding = TensorSharding {
                strategy: ShardStrategy::Width,
                cores: vec![CoreRange { start, end }],
                shape: Shape2D { height, width },
                orientation: ShardOrientation::ColMajor,
            };
            let memory = MemoryConfig { buffer_type: BufferType::L1, sharding: Some(sharding) };
            TensorPages::new(rows, &memory).unwrap()
        };
        for architecture in [Architecture::WormholeB0, Architecture::Blackhole] {
            let mut converter = Converter::open(architecture);
            let sizes: &[u32] = &[3, 35];
            for (data_type, narrow, wide) in
                [(DataType::Float32, 1, 5), (DataType::Bfloat16, 2, 6), (DataType::Uint8, 4, 12)]
            {
                let (narrow, wide) =
                    (cut(sizes, data_type, narrow, 6), cut(sizes, data_type, wide, 6));
                let tiles = pages(&spec(sizes, data_type, FULL), DRAM).unwrap();
                for (from, to) in [
                    (&narrow, &wide),
                    (&wide, &narrow),
                    (&narrow, &tiles),
                    (&tiles, &narrow),
                    (&wide, &tiles),
                    (&tiles, &wide),
                    (&narrow, &narrow),
                ] {
                    check(&mut converter, sizes, data_type, (from, to));
                }
            }
            converter.device.close().unwrap();
        }
    }

    #[test]
    #[ignore = "needs the cross compiler gcc-riscv64-unknown-elf; run with: cargo nextest run --run-ignored only -E 'test(with_compiler)'"]
    fn block_formats_go_from_memory_to_memory() {
        let places = [DRAM, L1, HEIGHT, WIDTH, BLOCK, DRAM_HEIGHT];
        let mut converter = Converter::open(Architecture::Blackhole);
        for data_type in [DataType::Bfp8B, DataType::Bfp4B] {
            for (at, source) in places.into_iter().enumerate() {
                let destination = places[(at + 1) % places.len()];
                let sizes = &[2, 70, 100];
                let (from, to) =
                    both(sizes, data_type, (FULL, source), (FULL, destination)).unwrap();
                check(&mut converter, sizes, data_type, (&from, &to));
            }
        }
        converter.device.close().unwrap();
    }

    #[test]
    #[ignore = "needs the cross compiler gcc-riscv64-unknown-elf; run with: cargo nextest run --run-ignored only -E 'test(with_compiler)'"]
    fn a_conversion_is_captured_and_replayed_and_dispatched_by_the_device() {
        for dispatch in [DispatchMode::Host, DispatchMode::Device] {
            let mut converter = Converter::dispatching(Architecture::WormholeB0, dispatch);
            converter.device.begin_capture(&CaptureOptions::default()).unwrap();
            let sizes = &[2, 40, 72];
            for (from, to) in [((ROWS, BLOCK), (FULL, DRAM)), ((FULL, WIDTH), (ROWS, L1))] {
                let (from, to) = both(sizes, DataType::Bfloat16, from, to).unwrap();
                check(&mut converter, sizes, DataType::Bfloat16, (&from, &to));
            }
            let capture = converter.device.end_capture().unwrap();
            converter.device.close().unwrap();
            let spec = "sim:wormhole_b0".parse().unwrap();
            let device = open_device(&spec, DeviceSettings::default()).unwrap();
            let firmware = FirmwareBundle::builtin(Architecture::WormholeB0).unwrap();
            let options = ReplayOptions::new(Arc::new(firmware));
            assert!(replay(&capture, device, &options).unwrap().agrees());
        }
    }
}
