//! Conversions that a simulated chip makes by itself, beside what the host library makes of the same tensors.

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
    Blobs, BufferId, BufferType, Command, CoreRange, Expectation, ObjectKind, QueueId, Shape2D,
    ShardOrientation,
};
use hallmark_stitching::{Placed, StitchingError, on_device};
use hallmark_tensor::{
    DataType, HostTensor, Layout, MemoryConfig, Shape, ShardStrategy, TensorPages, TensorSharding,
    TensorSpec, TileShape,
};

const FIRST: CommandQueue = CommandQueue::FIRST;
const QUEUE: QueueId = QueueId(0);

/// What the source has where no element is, and the destination everywhere, before a conversion.
const GARBAGE: u8 = 0xA5;

fn tile(height: u32, width: u32) -> Layout {
    Layout::Tile(TileShape::new(height, width).unwrap())
}

fn spec(sizes: &[u32], data_type: DataType, layout: Layout) -> TensorSpec {
    TensorSpec::new(Shape::new(sizes).unwrap(), data_type, layout).unwrap()
}

/// A device of which no suite and no suites' folder is known: the kernel is the library's own.
struct Converter {
    device: Device,
    chip: &'static ChipDescription,
    ids: BTreeMap<ObjectKind, u32>,
    buffers: u32,
}

impl Converter {
    fn open(architecture: Architecture) -> Self {
        let firmware = Arc::new(FirmwareBundle::builtin(architecture).unwrap());
        let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("kernels");
        let store = Arc::new(KernelStore::builder().cache(cache).build());
        let kernels = Box::new(SuiteKernels::new("no such folder", store));
        let spec = format!("sim:{architecture}").parse().unwrap();
        let device = open_device(&spec, DeviceSettings::default()).unwrap();
        let device = Device::open(device, DeviceOptions::new(firmware, kernels)).unwrap();
        let chip = ChipDescription::of(architecture);
        Self { device, chip, ids: BTreeMap::new(), buffers: 0 }
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
        on_device(source, destination, self.chip, QUEUE, "conversion", &mut next)
    }

    /// The bytes of the destination's pages after a conversion, and the host library's.
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

/// The same pages with garbage where something only fills up rows.
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

/// A tensor in rows of bytes that do not repeat soon.
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

/// The pages of a tensor that is cut into two or three parts down and across, where it is cut.
fn pages(spec: &TensorSpec, place: Place) -> Option<TensorPages> {
    let (height, width) = spec.physical();
    let (height, width) = (u32::try_from(height).unwrap(), u32::try_from(width).unwrap());
    let memory = match place {
        Place::Interleaved(buffer_type) => MemoryConfig::interleaved(buffer_type),
        Place::Sharded(buffer_type, strategy) => {
            let (down, across) = match spec.layout() {
                // Pages have whole words.
                Layout::RowMajor => (1, 4 / spec.data_type().item_size().unwrap()),
                Layout::Tile(tile) => (tile.height(), tile.width()),
            };
            let part = |size: u32, parts: u32, unit| size.div_ceil(parts).next_multiple_of(unit);
            let (parts, shape) = match strategy {
                ShardStrategy::Height => ((1, 3), (part(height, 3, down), width)),
                ShardStrategy::Width => ((3, 1), (height, part(width, 3, across))),
                ShardStrategy::Block => ((3, 2), (part(height, 2, down), part(width, 3, across))),
            };
            // Of DRAM, banks stand in one row.
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
    // No buffer has pages of broken words.
    pages.page_bytes().is_multiple_of(4).then_some(pages)
}

const DRAM: Place = Place::Interleaved(BufferType::Dram);
const L1: Place = Place::Interleaved(BufferType::L1);
const HEIGHT: Place = Place::Sharded(BufferType::L1, ShardStrategy::Height);
const WIDTH: Place = Place::Sharded(BufferType::L1, ShardStrategy::Width);
const BLOCK: Place = Place::Sharded(BufferType::L1, ShardStrategy::Block);
const DRAM_HEIGHT: Place = Place::Sharded(BufferType::Dram, ShardStrategy::Height);
const DRAM_WIDTH: Place = Place::Sharded(BufferType::Dram, ShardStrategy::Width);

mod with_compiler {
    use super::*;

    fn pairs(architecture: Architecture) {
        let full = Layout::Tile(TileShape::FULL);
        let rows = Layout::RowMajor;
        let homes = [
            (rows, DRAM),
            (rows, L1),
            (rows, HEIGHT),
            (rows, WIDTH),
            (rows, BLOCK),
            (rows, DRAM_HEIGHT),
            (rows, DRAM_WIDTH),
            (full, DRAM),
            (full, L1),
            (full, HEIGHT),
            (full, WIDTH),
            (full, BLOCK),
            (full, DRAM_WIDTH),
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
        let mut count = 0;
        for (from, source) in homes {
            for (to, destination) in homes {
                number += 1;
                // Shapes and types take turns; where a shape has no such pages, the next one takes its place.
                let next = (0..shapes.len()).find_map(|more| {
                    let sizes = shapes[(number + more) % shapes.len()];
                    let data_type = types[number / shapes.len() % types.len()];
                    let from = pages(&spec(sizes, data_type, from), source)?;
                    let to = pages(&spec(sizes, data_type, to), destination)?;
                    Some((sizes, data_type, from, to))
                });
                let (sizes, data_type, from_pages, to_pages) = next.unwrap();
                let tensor = tensor(sizes, data_type);
                let (made, expected) = converter.convert(&tensor, &from_pages, &to_pages);
                count += 1;
                assert!(
                    made == expected,
                    "{sizes:?} {data_type} {from} {source:?} to {to} {destination:?}: differs first at {:?}",
                    made.iter().zip(&expected).position(|(made, expected)| made != expected),
                );
            }
        }
        assert_eq!(count, homes.len() * homes.len());
        converter.device.close().unwrap();
    }

    #[test]
    #[ignore = "needs the cross compiler gcc-riscv64-unknown-elf; run with: cargo nextest run --run-ignored only -E 'test(with_compiler)'"]
    fn every_pair_of_layouts_and_memories_on_wormhole() {
        pairs(Architecture::WormholeB0);
    }
}
