//! Measures the host's conversions of tensors, compared with a plain copy of as many bytes.
//!
//!     cargo run --release -p hallmark-tensor --example conversions

use std::hint::black_box;
use std::time::Instant;

use hallmark_tensor::{DataType, Error, HostTensor, Layout, Shape, TileShape};

const SIDE: u32 = 4096;
const RUNS: u32 = 9;

fn main() -> Result<(), Error> {
    let shape = Shape::new(&[SIDE, SIDE])?;
    let tiles = Layout::Tile(TileShape::FULL);
    for data_type in [DataType::Bfloat16, DataType::Float32, DataType::Uint8] {
        let size = data_type.item_size().unwrap_or(1);
        let data = vec![1_u8; SIDE as usize * SIDE as usize * size as usize];
        let rows = HostTensor::create(data.as_slice(), &shape, &[SIDE, 1], size, data_type)?;
        let tiled = rows.to_layout(tiles, 0.0)?;
        let copy = measure(data.len(), || black_box(black_box(&data).clone()).len());
        let tilize =
            measure(data.len(), || rows.to_layout(tiles, 0.0).map_or(0, |made| made.bytes().len()));
        let untilize = measure(data.len(), || {
            tiled.to_layout(Layout::RowMajor, 0.0).map_or(0, |made| made.bytes().len())
        });
        show(&format!("{data_type}: copy"), copy, copy);
        show(&format!("{data_type}: rows to tiles"), tilize, copy);
        show(&format!("{data_type}: tiles to rows"), untilize, copy);
        for target in [DataType::Float32, DataType::Bfloat16, DataType::Bfp8B] {
            if target != data_type {
                let speed = measure(data.len(), || {
                    tiled.to_data_type(target).map_or(0, |made| made.bytes().len())
                });
                show(&format!("{data_type}: to {target}"), speed, copy);
            }
        }
    }
    Ok(())
}

/// Gigabytes per second, the median of several runs.
fn measure(bytes: usize, work: impl Fn() -> usize) -> f64 {
    let mut seconds: Vec<f64> = (0..RUNS)
        .map(|_| {
            let start = Instant::now();
            black_box(work());
            start.elapsed().as_secs_f64()
        })
        .collect();
    seconds.sort_by(f64::total_cmp);
    bytes as f64 / seconds.get(seconds.len() / 2).copied().unwrap_or(f64::NAN) / 1e9
}

#[expect(clippy::print_stdout, reason = "figures are what the example is for")]
fn show(name: &str, speed: f64, copy: f64) {
    println!("{name:30} {speed:6.2} GB/s  {:5.2} of a copy", speed / copy);
}
