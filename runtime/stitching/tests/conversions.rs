//! Tensors on a simulated Wormhole: the results, waits and refusals of conversions.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests")]

use std::sync::Arc;

use hallmark_chip::{Architecture, LogicalCore};
use hallmark_runtime::device_code::FirmwareBundle;
use hallmark_runtime::{
    CallError, CaptureOptions, CommandQueue, Device, DeviceOptions, DeviceSettings, NoKernels,
    ReplayOptions, open_device, replay,
};
use hallmark_schema::model::{BufferType, CoreRange, Failure, Shape2D, ShardOrientation};
use hallmark_stitching::{Order, Stitching, StitchingError, Tensor};
use hallmark_tensor::{
    DataType, HostTensor, Layout, MemoryConfig, Shape, ShardStrategy, TensorSharding, TensorSpec,
    TileShape,
};

const FIRST: CommandQueue = CommandQueue::FIRST;
const SECOND: CommandQueue = CommandQueue::SECOND;
const TILES: Layout = Layout::Tile(TileShape::FULL);

fn firmware() -> Arc<FirmwareBundle> {
    Arc::new(FirmwareBundle::builtin(Architecture::WormholeB0).unwrap())
}

fn open<'a>() -> Stitching<'a, Device> {
    let mut options = DeviceOptions::new(firmware(), Box::new(NoKernels));
    options.num_command_queues = 2;
    let spec = "sim:wormhole_b0".parse().unwrap();
    let device = open_device(&spec, DeviceSettings::default()).unwrap();
    Stitching::new(Device::open(device, options).unwrap())
}

fn shape(sizes: &[u32]) -> Shape {
    Shape::new(sizes).unwrap()
}

fn spec(sizes: &[u32], data_type: DataType, layout: Layout) -> TensorSpec {
    TensorSpec::new(shape(sizes), data_type, layout).unwrap()
}

const fn dram() -> MemoryConfig {
    MemoryConfig::interleaved(BufferType::Dram)
}

fn sharded(
    strategy: ShardStrategy,
    (height, width): (u32, u32),
    (columns, rows): (u32, u32),
) -> MemoryConfig {
    let (start, end) = (LogicalCore { x: 1, y: 1 }, LogicalCore { x: columns, y: rows });
    let sharding = TensorSharding {
        strategy,
        cores: vec![CoreRange { start, end }],
        shape: Shape2D { height, width },
        orientation: ShardOrientation::RowMajor,
    };
    MemoryConfig { buffer_type: BufferType::L1, sharding: Some(sharding) }
}

/// A tensor of the numbers from 0 on, which every type can hold.
fn numbers(stitching: &mut Stitching<'_, Device>, sizes: &[u32]) -> Tensor {
    let shape = shape(sizes);
    let count = u32::try_from(shape.elements()).unwrap();
    let data: Vec<u8> = (0..count).flat_map(|number| (number % 100).to_le_bytes()).collect();
    let mut strides = vec![1; sizes.len()];
    for at in (1..sizes.len()).rev() {
        strides[at - 1] = strides[at] * sizes[at];
    }
    stitching.create_tensor("numbers", data, &shape, &strides, 4, DataType::Uint32).unwrap()
}

/// Each tensor on the device takes its content from the previous one. Read back to the host, each equals the
/// host's own conversion.
#[test]
fn types_layouts_and_places_follow_each_other() {
    const SIZES: [u32; 3] = [2, 40, 72];
    let places = [
        (DataType::Bfloat16, Layout::RowMajor, dram()),
        (DataType::Bfp8B, TILES, MemoryConfig::interleaved(BufferType::L1)),
        (DataType::Float32, TILES, sharded(ShardStrategy::Height, (64, 96), (2, 2))),
        (DataType::Uint16, Layout::RowMajor, sharded(ShardStrategy::Width, (80, 20), (4, 1))),
        (DataType::Int32, Layout::RowMajor, sharded(ShardStrategy::Height, (9, 72), (3, 3))),
        (DataType::Bfp4B, Layout::Tile(TileShape::new(8, 16).unwrap()), dram()),
        (DataType::Uint8, Layout::RowMajor, sharded(ShardStrategy::Block, (24, 48), (2, 5))),
        (DataType::Bfp8B, TILES, sharded(ShardStrategy::Block, (64, 32), (3, 3))),
        (DataType::Uint32, TILES, sharded(ShardStrategy::Width, (128, 64), (2, 1))),
        (DataType::Uint8, Layout::RowMajor, MemoryConfig::interleaved(BufferType::L1)),
    ];
    let mut stitching = open();
    let first = numbers(&mut stitching, &SIZES);
    let mut expected: HostTensor<'static> = stitching.content(first).unwrap().clone().into_owned();
    let (mut last, mut event) = (first, None);
    let mut read_back = Vec::new();
    for (number, (data_type, layout, memory)) in places.into_iter().enumerate() {
        let spec = spec(&SIZES, data_type, layout);
        expected = expected.to_spec(&spec, 0.0).unwrap().into_owned();
        let next = stitching.allocate_device(&format!("t{number}"), spec, &memory).unwrap();
        let back = stitching.allocate_host("back", expected.spec().clone());
        // The queues alternate, so that each conversion must name the previous one.
        let queue = if number % 2 == 0 { FIRST } else { SECOND };
        let written =
            stitching.to_layout(next, last, Order::on(queue).after(event.as_slice())).unwrap();
        let read = stitching.to_layout(back, next, Order::on(SECOND).after(&[written])).unwrap();
        read_back.push((back, read, expected.clone()));
        (last, event) = (next, Some(written));
    }
    for (number, (back, read, expected)) in read_back.into_iter().enumerate() {
        stitching.wait(read).unwrap();
        assert_eq!(stitching.content(back).unwrap(), &expected, "{number}");
    }
    stitching.into_calls().close().unwrap();
}

#[test]
fn tensors_without_elements_and_with_one_go_both_ways() {
    let mut stitching = open();
    for sizes in [&[0, 32][..], &[1], &[], &[3, 0]] {
        let there = numbers(&mut stitching, sizes);
        for layout in [Layout::RowMajor, TILES] {
            let spec = spec(sizes, DataType::Uint32, layout);
            let tensor = stitching.allocate_device("t", spec.clone(), &dram()).unwrap();
            let back = stitching.allocate_host("back", spec);
            let written = stitching.to_layout(tensor, there, Order::on(FIRST)).unwrap();
            let read =
                stitching.to_layout(back, tensor, Order::on(FIRST).after(&[written])).unwrap();
            stitching.wait(read).unwrap();
            let bytes = stitching.content(back).unwrap().bytes().to_vec();
            let expected = stitching.content(there).unwrap().to_layout(layout, 0.0).unwrap();
            assert_eq!(bytes, expected.bytes(), "{sizes:?} {layout}");
        }
    }
}

#[test]
fn what_was_converted_is_captured_and_replayed() {
    let mut stitching = open();
    stitching.calls().begin_capture(&CaptureOptions::default()).unwrap();
    let source = numbers(&mut stitching, &[40, 40]);
    let tiles = spec(&[40, 40], DataType::Bfloat16, TILES);
    let one = stitching.allocate_device("one", tiles.clone(), &dram()).unwrap();
    let memory = MemoryConfig::interleaved(BufferType::L1);
    let other = stitching.allocate_device("other", tiles.clone(), &memory).unwrap();
    let back = stitching.allocate_host("back", tiles);
    let written = stitching.to_layout(one, source, Order::on(FIRST)).unwrap();
    let moved = stitching.to_layout(other, one, Order::on(SECOND).after(&[written])).unwrap();
    let read = stitching.to_layout(back, other, Order::on(FIRST).after(&[moved])).unwrap();
    stitching.wait(read).unwrap();
    let capture = stitching.calls().end_capture().unwrap();
    stitching.into_calls().close().unwrap();
    assert_eq!(capture.program.commands.len(), 2 + 2 + 4 + 3 + 1);
    let device = open_device(&"sim:wormhole_b0".parse().unwrap(), DeviceSettings::default());
    assert!(replay(&capture, device.unwrap(), &ReplayOptions::new(firmware())).unwrap().agrees());
}

/// Without its dependency, a conversion on the other queue may begin before the one whose result it needs.
#[test]
fn a_forgotten_dependency_is_a_race() {
    for is_forgotten in [false, true] {
        let mut stitching = open();
        let source = numbers(&mut stitching, &[64, 64]);
        let tiles = spec(&[64, 64], DataType::Uint32, TILES);
        let tensor = stitching.allocate_device("t", tiles.clone(), &dram()).unwrap();
        let back = stitching.allocate_host("back", tiles);
        let written = stitching.to_layout(tensor, source, Order::on(FIRST)).unwrap();
        let dependencies = if is_forgotten { vec![] } else { vec![written] };
        let read =
            stitching.to_layout(back, tensor, Order::on(SECOND).after(&dependencies)).unwrap();
        let waited = stitching.wait(read).and_then(|()| stitching.wait(written));
        if !is_forgotten {
            waited.unwrap();
            continue;
        }
        let error = waited.unwrap_err();
        let StitchingError::Call(CallError::Host(host)) = &error else { panic!("{error}") };
        assert!(matches!(host.failure, Failure::QueueRace { .. }), "{error}");
        let text = error.to_string();
        assert!(text.contains("an event recorded on queue 0 after command 1"), "{text}");
    }
}

fn told<T: std::fmt::Debug>(result: Result<T, StitchingError>) -> String {
    result.unwrap_err().to_string()
}

#[test]
fn errors_name_the_tensor_and_what_to_do() {
    let mut stitching = open();
    let source = numbers(&mut stitching, &[64, 64]);
    let rows = spec(&[64, 64], DataType::Uint32, Layout::RowMajor);
    let tensor = stitching.allocate_device("there", rows.clone(), &dram()).unwrap();
    let back = stitching.allocate_host("back", rows.clone());
    let without = "tensor `there` has no content; call to_layout to bring something into it first";
    assert_eq!(told(stitching.to_layout(back, tensor, Order::on(FIRST))), without);
    let without = "tensor `back` has no content; call to_layout to bring something into it first";
    assert_eq!(told(stitching.content(back)), without);
    let written = stitching.to_layout(tensor, source, Order::on(FIRST)).unwrap();
    assert_eq!(
        told(stitching.content(tensor)),
        "tensor `there` lives on the device; call to_layout to bring it into a tensor on the host"
    );
    let still = "tensor `back` is still being read; wait for the event that its to_layout gave, or name it among the \
                 dependencies";
    let read = stitching.to_layout(back, tensor, Order::on(FIRST).after(&[written])).unwrap();
    assert_eq!(told(stitching.to_layout(tensor, back, Order::on(FIRST))), still);
    assert_eq!(told(stitching.to_layout(back, tensor, Order::on(FIRST).after(&[written]))), still);
    assert_eq!(told(stitching.content(back)), still);
    stitching.to_layout(tensor, back, Order::on(FIRST).after(&[read])).unwrap();
    let other = stitching.allocate_host("other", spec(&[64, 63], DataType::Uint32, TILES));
    assert_eq!(
        told(stitching.to_layout(other, tensor, Order::on(FIRST).after(&[written]))),
        "a tensor of shape [64, 64] does not become one of shape [64, 63]; give both one shape"
    );
    stitching.deallocate(tensor).unwrap();
    assert_eq!(
        told(stitching.to_layout(back, tensor, Order::on(FIRST))),
        "there is no tensor 1; it was deallocated, or made by something else"
    );
    let odd = spec(&[3, 5], DataType::Bfloat16, Layout::RowMajor);
    let error = stitching.allocate_device("odd", odd, &dram()).unwrap_err();
    assert!(error.to_string().starts_with("create_buffer of `odd`: "), "{error}");
}

/// The largest tensor that fits into a memory, and one more page.
#[test]
fn no_memory_left_is_an_error_with_what_is_free() {
    let mut stitching = open();
    let l1 = MemoryConfig::interleaved(BufferType::L1);
    let row = |rows| spec(&[rows, 64 * 1024], DataType::Uint32, Layout::RowMajor);
    // Pages of 256 KiB: five of them in each of Wormhole's 64 to 72 banks.
    let mut rows = 0;
    let error = loop {
        match stitching.allocate_device("large", row(rows + 1), &l1) {
            Ok(tensor) => stitching.deallocate(tensor).unwrap(),
            Err(error) => break error,
        }
        rows += 1;
    };
    assert!(rows > 64 * 4 && rows % 5 == 0, "{rows}");
    let StitchingError::OutOfMemory { tensor, bytes, .. } = &error else { panic!("{error}") };
    assert_eq!((tensor.as_str(), *bytes), ("large", u64::from(rows + 1) * 256 * 1024));
    let text = error.to_string();
    assert!(text.contains("not enough space to allocate"), "{text}");
    assert!(text.contains("the largest free block of a bank has"), "{text}");
    // After a deallocation there is room again.
    let tensor = stitching.allocate_device("large", row(rows), &l1).unwrap();
    assert!(stitching.allocate_device("second", row(rows), &l1).is_err());
    stitching.deallocate(tensor).unwrap();
    stitching.allocate_device("second", row(rows), &l1).unwrap();
}
