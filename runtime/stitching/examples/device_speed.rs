//! Measures conversions on the device: ticks of the longest kernel, and bytes that pass between host and
//! device.
//!
//!     cargo run --release -p hallmark-stitching --example device_speed

#[path = "../../tests/common/counting.rs"]
#[expect(dead_code, unreachable_pub, reason = "shared with tests of the runtime")]
mod counting;

use std::error::Error;
use std::rc::Rc;
use std::sync::Arc;

use counting::Counting;
use hallmark_chip::{Architecture, ChipDescription, PciDevice};
use hallmark_runtime::device_code::{FirmwareBundle, KernelStore};
use hallmark_runtime::{
    BufferConfig, CommandQueue, Device, DeviceOptions, DeviceSettings, SuiteKernels, open_device,
};
use hallmark_schema::model::{Blobs, BufferId, BufferType, ObjectKind, QueueId};
use hallmark_stitching::{Placed, on_device};
use hallmark_tensor::{DataType, Layout, MemoryConfig, Shape, TensorPages, TensorSpec, TileShape};

/// The side of a tile in elements. A core gets [`TILES`] tiles.
const TILE: u32 = 32;
const TILES: u32 = 16;

fn main() -> Result<(), Box<dyn Error>> {
    let tiles = Layout::Tile(TileShape::FULL);
    let small = Layout::Tile(TileShape::new(16, 16)?);
    let (rows, dram, l1) = (Layout::RowMajor, BufferType::Dram, BufferType::L1);
    let conversions = [
        (DataType::Bfloat16, (rows, dram), (tiles, dram)),
        (DataType::Bfloat16, (rows, l1), (tiles, l1)),
        (DataType::Bfloat16, (tiles, dram), (rows, dram)),
        (DataType::Bfloat16, (tiles, l1), (rows, l1)),
        (DataType::Bfloat16, (tiles, dram), (small, dram)),
        (DataType::Bfloat16, (tiles, dram), (tiles, l1)),
        (DataType::Float32, (rows, dram), (tiles, dram)),
        (DataType::Float32, (tiles, dram), (rows, dram)),
    ];
    for architecture in Architecture::ALL {
        let chip = ChipDescription::of(architecture);
        // One core for the kernel, and one for dispatchers.
        let (columns, rows) = if chip.harvests_rows { (1, 2) } else { (2, 1) };
        let single = ChipDescription {
            tensix_columns: chip.tensix_columns.get(..columns).unwrap_or_default(),
            tensix_rows: chip.tensix_rows.get(..rows).unwrap_or_default(),
            ..*chip
        };
        for chip in [&single, chip] {
            let (columns, rows) = chip.compute_grid();
            let cores = columns * rows;
            say(&format!("{architecture}, {cores} cores, {TILES} tiles each"));
            for (data_type, (from, source), (to, destination)) in conversions {
                let pages = |layout, buffer_type| -> Result<TensorPages, Box<dyn Error>> {
                    let shape = Shape::new(&[cores * TILE, TILES * TILE])?;
                    let spec = TensorSpec::new(shape, data_type, layout)?;
                    Ok(TensorPages::new(spec, &MemoryConfig::interleaved(buffer_type))?)
                };
                let (given, made) = (pages(from, source)?, pages(to, destination)?);
                let (ticks, _) = launch(architecture, chip, &given, &made, false)?;
                let (_, bytes) = launch(architecture, chip, &given, &made, true)?;
                let by_host = given.bytes() + made.bytes();
                let each = ticks / u64::from(TILES);
                say(&format!(
                    "  {data_type} {from} {source} to {to} {destination}: {ticks} ticks, {each} for a tile; {bytes} B \
                     over PCIe, {by_host} by way of the host"
                ));
            }
        }
    }
    Ok(())
}

/// The largest number of ticks that a core took from the first instruction of its kernel to the last one; and,
/// if they are counted, the bytes that passed between host and device for the launch. A device that counts
/// bytes reports no ticks.
fn launch(
    architecture: Architecture,
    chip: &ChipDescription,
    from: &TensorPages,
    to: &TensorPages,
    counts_bytes: bool,
) -> Result<(u64, u64), Box<dyn Error>> {
    let firmware = Arc::new(FirmwareBundle::builtin(architecture)?);
    let cache = std::env::temp_dir().join("hallmark-device-speed");
    let kernels = Arc::new(KernelStore::builder().cache(cache).build());
    let options = DeviceOptions::new(firmware, Box::new(SuiteKernels::new("", kernels)));
    let device = open_device(&format!("sim:{architecture}").parse()?, DeviceSettings::default())?;
    let (device, traffic): (Box<dyn PciDevice>, _) = if counts_bytes {
        let (device, traffic) = Counting::new(device);
        (Box::new(device), traffic)
    } else {
        (device, Rc::default())
    };
    let mut device = Device::open(device, options)?;
    device.profile();
    let mut buffers = Vec::new();
    for pages in [from, to] {
        let (size, page_size) = (pages.bytes(), pages.page_bytes());
        let config = BufferConfig::interleaved("tensor", pages.buffer_type(), size, page_size);
        buffers.push(device.create_buffer(&config)?);
    }
    let bytes = vec![1; usize::try_from(from.bytes())?];
    if let Some(source) = buffers.first() {
        device.enqueue_write_buffer(CommandQueue::FIRST, *source, &bytes[..], true)?;
    }
    let before = traffic.get();
    let place = |buffer, pages| Placed { buffer: BufferId(buffer), pages };
    let mut first = |_: ObjectKind| 0;
    for call in on_device(place(0, from), place(1, to), chip, QueueId(0), "c", &mut first)? {
        device.make_call(call, &Blobs::default())?;
    }
    device.finish(CommandQueue::FIRST)?;
    let bytes = (traffic.get() - before).bytes;
    let launches = device.take_launches();
    let processors = launches.iter().flat_map(|launch| &launch.processors);
    let kernels = processors.filter_map(|processor| processor.kernel);
    Ok((kernels.map(|kernel| kernel.ticks()).max().unwrap_or(0), bytes))
}

#[expect(clippy::print_stdout, reason = "figures are what the example is for")]
fn say(line: &str) {
    println!("{line}");
}
