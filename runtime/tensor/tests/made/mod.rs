//! The tensors in the tables of `scripts/tensor-bytes`: made from the same data, and described by a line's
//! words.

use hallmark_tensor::{DataType, HostTensor, Layout, Shape, TensorSpec, TileShape};
use sha2::{Digest, Sha256};

/// The data of a tensor of the table, as the script makes them.
pub(crate) struct Made {
    pub(crate) data_type: DataType,
    pub(crate) target: DataType,
    pub(crate) shape: Shape,
    pub(crate) layout: Layout,
    pub(crate) padding: f64,
}

/// 32 mixed bits of an element's index.
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
        // Block formats are made from singles.
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

    pub(crate) fn tensor(&self) -> HostTensor<'static> {
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

pub(crate) fn data_type(name: &str) -> DataType {
    DataType::ALL.into_iter().find(|data_type| data_type.name() == name).unwrap()
}

pub(crate) fn shape(name: &str) -> Shape {
    match name {
        "scalar" => Shape::new(&[]).unwrap(),
        name => {
            let sizes: Vec<u32> = name.split('x').map(|size| size.parse().unwrap()).collect();
            Shape::new(&sizes).unwrap()
        }
    }
}

pub(crate) fn layout(name: &str) -> Layout {
    match name.split_once('x') {
        None => Layout::RowMajor,
        Some((height, width)) => {
            Layout::Tile(TileShape::new(height.parse().unwrap(), width.parse().unwrap()).unwrap())
        }
    }
}

/// The first 16 digits of the hash.
pub(crate) fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}
