//! A seeded sample of all pairs of types, layouts and memories on each simulated chip, for the nightly run.
//!
//! `HALLMARK_TEST_SAMPLES` is the number of pairs per chip, `HALLMARK_TEST_SEED` selects them.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

use std::path::Path;
use std::sync::Arc;

use hallmark_chip::{Architecture, LogicalCore};
use hallmark_runtime::device_code::{FirmwareBundle, KernelStore};
use hallmark_runtime::{
    CommandQueue, Device, DeviceOptions, DeviceSettings, SuiteKernels, open_device,
};
use hallmark_schema::model::{BufferType, CoreRange, Shape2D, ShardOrientation};
use hallmark_stitching::{Converter, Order, Stitching};
use hallmark_tensor::{
    DataType, HostTensor, Layout, MemoryConfig, Shape, ShardStrategy, TensorSharding, TensorSpec,
    TileShape,
};

/// SplitMix64 (Steele, Lea and Flood, 2014): the same numbers on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    fn below(&mut self, end: u32) -> u32 {
        (self.next() % u64::from(end)) as u32
    }

    fn one_of<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len() as u32) as usize]
    }

    fn layout(&mut self, data_type: DataType) -> Layout {
        let is_block = data_type.item_size().is_none();
        if !is_block && self.below(3) == 0 {
            return Layout::RowMajor;
        }
        Layout::Tile(self.one_of(&TileShape::ALL))
    }

    /// A memory that fits the tensor: pages of whole words, shards of whole tiles, a core for each shard.
    fn memory(&mut self, spec: &TensorSpec) -> MemoryConfig {
        let buffer_type = self.one_of(&[BufferType::Dram, BufferType::L1]);
        let strategy = match self.below(4) {
            0 => return MemoryConfig::interleaved(buffer_type),
            1 => ShardStrategy::Height,
            2 => ShardStrategy::Width,
            _ => ShardStrategy::Block,
        };
        let (height, width) = spec.physical();
        let (height, width) = (height as u32, width as u32);
        let (high, wide) = match spec.layout() {
            Layout::Tile(tile) => (tile.height(), tile.width()),
            Layout::RowMajor => (1, 4),
        };
        let mut part = |side: u32, unit: u32| {
            let parts = 1 + self.below(4);
            side.div_ceil(parts).next_multiple_of(unit).max(unit)
        };
        let (rows, columns) = match strategy {
            ShardStrategy::Height => (part(height, high), width),
            ShardStrategy::Width => (height, part(width, wide)),
            ShardStrategy::Block => (part(height, high), part(width, wide)),
        };
        let (down, across) = (height.div_ceil(rows), width.div_ceil(columns));
        // The grid of DRAM is one row of banks, so rectangles need L1.
        let is_block = strategy == ShardStrategy::Block;
        let buffer_type = if is_block { BufferType::L1 } else { buffer_type };
        let (x, y) = if is_block { (across, down) } else { (down.max(across), 1) };
        let (start, end) = (LogicalCore { x: 0, y: 0 }, LogicalCore { x: x - 1, y: y - 1 });
        let sharding = TensorSharding {
            strategy,
            cores: vec![CoreRange { start, end }],
            shape: Shape2D { height: rows, width: columns },
            orientation: ShardOrientation::RowMajor,
        };
        MemoryConfig { buffer_type, sharding: Some(sharding) }
    }
}

fn open<'a>(architecture: Architecture) -> Stitching<'a, Device> {
    let firmware = Arc::new(FirmwareBundle::builtin(architecture).unwrap());
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("kernels");
    let store = Arc::new(KernelStore::builder().cache(cache).build());
    let kernels = Box::new(SuiteKernels::new("no such folder", store));
    let spec = format!("sim:{architecture}").parse().unwrap();
    let device = open_device(&spec, DeviceSettings::default()).unwrap();
    Stitching::new(Device::open(device, DeviceOptions::new(firmware, kernels)).unwrap())
}

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).map_or(default, |text| text.parse().unwrap())
}

/// A tensor is transferred to one memory, from there to another, and back; the host library gives the expected
/// content.
#[test]
#[ignore = "nightly; builds kernels, for which it needs the cross compiler"]
fn a_sample_of_pairs_is_as_the_host_library_has_them() {
    let samples = number("HALLMARK_TEST_SAMPLES", 300);
    let seed = number("HALLMARK_TEST_SEED", 1);
    let mut by_device = 0;
    for architecture in [Architecture::Grayskull, Architecture::WormholeB0, Architecture::Blackhole]
    {
        let mut random = Random(seed);
        for sample in 0..samples {
            // A separate device leaves no buffers to later pairs.
            let mut stitching = open(architecture);
            let sizes = [1 + random.below(3), 1 + random.below(50), 4 + 4 * random.below(20)];
            let shape = Shape::new(&sizes).unwrap();
            let types = [random.one_of(&DataType::ALL), random.one_of(&DataType::ALL)];
            let same = random.below(2) == 0;
            let types = if same { [types[0]; 2] } else { types };
            let specs = types.map(|data_type| {
                TensorSpec::new(shape.clone(), data_type, random.layout(data_type)).unwrap()
            });
            let memories = [random.memory(&specs[0]), random.memory(&specs[1])];
            let what =
                format!("{architecture}, seed {seed}, sample {sample}: {specs:?} {memories:?}");
            let is_moved = types[0].item_size().is_some() || specs[0].layout() == specs[1].layout();
            let converter = match types[0] == types[1] && is_moved && random.below(4) > 0 {
                true => Converter::Device,
                false => Converter::Host,
            };
            by_device += u64::from(converter == Converter::Device);
            let count = shape.elements() as u32;
            let data: Vec<u8> = (0..count).flat_map(|_| random.below(120).to_le_bytes()).collect();
            let stride = shape.contiguous_stride();
            let given =
                HostTensor::create(data.clone(), &shape, &stride, 4, DataType::Uint32).unwrap();
            let first = given.to_spec(&specs[0], 0.0).unwrap();
            let expected = first.to_spec(&specs[1], 0.0).unwrap();

            let source =
                stitching.create_tensor("source", data, &shape, &stride, 4, DataType::Uint32);
            let source = source.unwrap();
            let [one, other] = [0, 1].map(|it| {
                let name = ["one", "other"][it];
                let tensor = stitching.allocate_device(name, specs[it].clone(), &memories[it]);
                tensor.unwrap_or_else(|error| panic!("{what}: {error}"))
            });
            let back = stitching.allocate_host("back", specs[1].clone());
            let order = Order::on(CommandQueue::FIRST);
            stitching.to_layout(one, source, order).unwrap();
            let moved = stitching.to_layout(other, one, order.by(converter));
            moved.unwrap_or_else(|error| panic!("{what}: {error}"));
            let read = stitching.to_layout(back, other, order).unwrap();
            stitching.wait(read).unwrap_or_else(|error| panic!("{what}: {error}"));
            let came = stitching.content(back).unwrap();
            assert!(came.bytes() == expected.bytes(), "{what}, by {converter:?}");
            stitching.into_calls().close().unwrap();
        }
    }
    assert!(samples < 50 || by_device > samples / 2, "{by_device} conversions by the device");
}
