//! The bytes are TT-Metalium's: `upstream.txt` holds the hashes that the ttnn wheel 0.81.1 gave, written by
//! `scripts/tensor-bytes/run`.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use hallmark_tensor::{DataType, HostTensor, Layout, Shape, TensorSpec, TileShape};
use sha2::{Digest, Sha256};

/// What a tensor of the table is made of, as the script makes it.
struct Made {
    data_type: DataType,
    target: DataType,
    shape: Shape,
    layout: Layout,
    padding: f64,
}

/// 32 mixed bits for each element's number.
fn mixed(element: u32) -> u32 {
    let mut x = element.wrapping_mul(2_654_435_761).wrapping_add(12_345);
    x ^= x >> 16;
    x = x.wrapping_mul(0x7feb_352d);
    x ^= x >> 15;
    x = x.wrapping_mul(0x846c_a68b);
    x ^ x >> 16
}

fn is_integer(data_type: DataType) -> bool {
    matches!(data_type, DataType::Uint32 | DataType::Int32 | DataType::Uint16 | DataType::Uint8)
}

/// A single of the script's data.
fn single(x: u32, target: DataType) -> f32 {
    let limit = match target {
        DataType::Uint8 => 200,
        DataType::Uint16 => 60_000,
        _ => 1_000_000,
    };
    if is_integer(target) {
        let value = (x % (4 * limit)) as f32 / 4.0;
        return if target == DataType::Int32 { -value } else { value };
    }
    let bits = if x.is_multiple_of(13) {
        x & 0x8000_0000
    } else {
        x & 0x807f_ffff | (115 + (x >> 8) % 25) << 23
    };
    f32::from_bits(bits)
}

impl Made {
    fn rows(&self) -> HostTensor<'static> {
        let count = self.shape.elements() as u32;
        // Block formats are made of singles.
        let data_type = match self.data_type {
            DataType::Bfp8B | DataType::Bfp4B => DataType::Float32,
            other => other,
        };
        let size = data_type.item_size().unwrap();
        let bytes: Vec<u8> = (0..count)
            .flat_map(|element| {
                let x = mixed(element);
                let bits = match data_type {
                    DataType::Float32 => single(x, self.target).to_bits(),
                    DataType::Bfloat16 => single(x, self.target).to_bits() >> 16,
                    _ => x,
                };
                bits.to_le_bytes().into_iter().take(size as usize)
            })
            .collect();
        let mut stride = 1;
        let mut strides: Vec<u32> = Vec::new();
        for size in self.shape.dimensions().iter().rev() {
            strides.insert(0, stride);
            stride *= size;
        }
        HostTensor::create(bytes, &self.shape, &strides, size, data_type).unwrap()
    }

    fn tensor(&self) -> HostTensor<'static> {
        let laid_out = self.rows().to_layout(self.layout, self.padding).unwrap().into_bytes();
        let made = self.rows();
        let spec =
            TensorSpec::new(self.shape.clone(), made.spec().data_type(), self.layout).unwrap();
        let laid_out = HostTensor::from_bytes(spec, laid_out).unwrap();
        let bytes = laid_out.to_data_type(self.data_type).unwrap().into_bytes();
        let spec = TensorSpec::new(self.shape.clone(), self.data_type, self.layout).unwrap();
        HostTensor::from_bytes(spec, bytes).unwrap()
    }
}

fn data_type(name: &str) -> DataType {
    DataType::ALL.into_iter().find(|data_type| data_type.name() == name).unwrap()
}

fn shape(name: &str) -> Shape {
    match name {
        "scalar" => Shape::new(&[]).unwrap(),
        name => {
            let sizes: Vec<u32> = name.split('x').map(|size| size.parse().unwrap()).collect();
            Shape::new(&sizes).unwrap()
        }
    }
}

fn layout(name: &str) -> Layout {
    match name.split_once('x') {
        None => Layout::RowMajor,
        Some((height, width)) => {
            Layout::Tile(TileShape::new(height.parse().unwrap(), width.parse().unwrap()).unwrap())
        }
    }
}

/// The first 16 digits of the hash.
fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn tensors_and_conversions_have_the_bytes_of_tt_metalium() {
    let table = include_str!("upstream.txt");
    let mut different = Vec::new();
    for line in table.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let (bytes, expected) = match words[..] {
            ["create", of, named, laid_out, padding, expected] => {
                let made = Made {
                    data_type: data_type(of),
                    target: data_type(of),
                    shape: shape(named),
                    layout: layout(laid_out),
                    padding: padding.parse().unwrap(),
                };
                (made.tensor().into_bytes(), expected)
            }
            ["convert", from, to, named, laid_out, expected] => {
                let made = Made {
                    data_type: data_type(from),
                    target: data_type(to),
                    shape: shape(named),
                    layout: layout(laid_out),
                    padding: 0.0,
                };
                (made.tensor().to_data_type(data_type(to)).unwrap().into_bytes(), expected)
            }
            ["layout", of, named, from, to, expected] => {
                let padding = if from == "row_major" { 0.0 } else { 7.0 };
                let of = data_type(of);
                let made = Made {
                    data_type: of,
                    target: of,
                    shape: shape(named),
                    layout: layout(from),
                    padding,
                };
                (made.tensor().to_layout(layout(to), 0.0).unwrap().into_bytes(), expected)
            }
            _ => panic!("not a line of the table: {line}"),
        };
        if digest(&bytes) != expected {
            different.push(line);
        }
    }
    assert!(
        different.is_empty(),
        "{} of {} tensors have other bytes:\n{}",
        different.len(),
        table.lines().count(),
        different.join("\n")
    );
    assert!(table.lines().count() > 2000);
}
