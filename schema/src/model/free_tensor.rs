//! The inputs and outputs of a binary: a program that is submitted with its tensors.

use serde::{Deserialize, Serialize};

use super::{BufferId, DataFormat, Shape2D};

/// The role of a free tensor in the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TensorRole {
    /// The program reads it.
    Input,
    /// The program writes it.
    Output,
}

impl TensorRole {
    /// `input` or `output`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Input => "input",
            Self::Output => "output",
        }
    }

    /// `inputs` or `outputs`.
    pub const fn plural(self) -> &'static str {
        match self {
            Self::Input => "inputs",
            Self::Output => "outputs",
        }
    }
}

/// An input or output of a binary. Its buffer determines the tensor's memory and sharding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FreeTensor {
    /// The role of the tensor in the program.
    pub role: TensorRole,
    /// Its name, unique among the tensors of that role.
    pub name: String,
    /// The buffer that stands for it in the program's calls.
    pub buffer: BufferId,
    /// Elements in each dimension, the outermost first. An empty shape means one element.
    pub shape: Vec<u32>,
    /// How its elements are encoded.
    pub data_format: DataFormat,
    /// Elements of a tile; `None` for a row-major tensor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tile: Option<Shape2D>,
}

impl FreeTensor {
    /// The number of its elements, without padding; saturates at `u64::MAX`.
    pub fn elements(&self) -> u64 {
        if self.shape.contains(&0) {
            return 0;
        }
        self.shape.iter().fold(1_u64, |all, size| all.saturating_mul((*size).into()))
    }

    /// The fewest bytes that the tensor takes: its elements and the padding of its tiles, without shared
    /// exponents and the padding of shards.
    pub fn least_bytes(&self) -> u64 {
        let (outer, inner) = self.shape.split_at(self.shape.len().saturating_sub(2));
        let (height, width) = match inner {
            [height, width] => (*height, *width),
            [width] => (1, *width),
            _ => (1, 1),
        };
        let padded = |size: u32, tile: u32| {
            u64::from(size).div_ceil(u64::from(tile.max(1))) * u64::from(tile.max(1))
        };
        let tile = self.tile.unwrap_or(Shape2D { height: 1, width: 1 });
        let matrix = [padded(height, tile.height), padded(width, tile.width)];
        let sizes = outer.iter().map(|size| u64::from(*size)).chain(matrix);
        let sizes: Vec<u64> = sizes.collect();
        if sizes.contains(&0) {
            return 0;
        }
        let bits = u64::from(self.data_format.bits());
        // The division comes first, so that no size within range overflows.
        let elements = sizes.into_iter().fold(1_u64, u64::saturating_mul);
        (elements / 8).saturating_mul(bits).saturating_add((elements % 8 * bits).div_ceil(8))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(shape: &[u32], data_format: DataFormat, tile: Option<(u32, u32)>) -> u64 {
        let tensor = FreeTensor {
            role: TensorRole::Input,
            name: "t".to_owned(),
            buffer: BufferId(0),
            shape: shape.to_vec(),
            data_format,
            tile: tile.map(|(height, width)| Shape2D { height, width }),
        };
        tensor.least_bytes()
    }

    #[test]
    fn a_tensor_takes_its_elements_and_what_fills_up_tiles() {
        assert_eq!(bytes(&[], DataFormat::Float32, None), 4);
        assert_eq!(bytes(&[3], DataFormat::Float16B, None), 6);
        assert_eq!(bytes(&[5], DataFormat::Bfp4B, None), 3);
        assert_eq!(bytes(&[2, 3, 5], DataFormat::UInt8, None), 30);
        assert_eq!(bytes(&[2, 3, 5], DataFormat::UInt8, Some((32, 32))), 2 * 1024);
        assert_eq!(bytes(&[33, 16], DataFormat::UInt16, Some((32, 16))), 64 * 16 * 2);
        assert_eq!(bytes(&[4], DataFormat::UInt32, Some((16, 32))), 16 * 32 * 4);
        assert_eq!(bytes(&[u32::MAX, 0, u32::MAX, u32::MAX], DataFormat::UInt32, None), 0);
        assert_eq!(bytes(&[u32::MAX; 8], DataFormat::UInt32, Some((32, 32))), u64::MAX);
        assert_eq!(bytes(&[1 << 31, 1 << 31], DataFormat::Bfp4B, None), 1 << 61);
    }
}
