//! Tensors in the host's memory: a shape, a type of elements and a layout, and the bytes that TT-Metalium has for them;
//! and the pages that a tensor has on a device.
//!
//! A tensor is created from data with strides ([`HostTensor::create`]), laid out in rows or in tiles of faces
//! ([`Layout`]), and converted to other layouts and other types. The bytes are those of TT-Metalium 0.81.1; its Python
//! package is the oracle (see `README.md` beside this crate). What TT-Metalium leaves undefined is an [`Error`] here.
//! [`TensorPages`] tells which buffer of a device holds a tensor, and where each element lies in it.
//!
//! ```
//! use hallmark_tensor::{DataType, HostTensor, Layout, Shape, TileShape};
//!
//! let shape = Shape::new(&[2, 3])?;
//! let bytes: Vec<u8> = [1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0].iter().flat_map(|value| value.to_le_bytes()).collect();
//! let rows = HostTensor::create(bytes.as_slice(), &shape, &[3, 1], 4, DataType::Float32)?;
//! let shorter = rows.to_data_type(DataType::Bfloat16)?;
//! let tiles = shorter.to_layout(Layout::Tile(TileShape::FULL), 0.0)?;
//! assert_eq!(tiles.bytes().len(), 32 * 32 * 2);
//! // The second row of a tile begins 16 elements behind the first: rows of a face lie one behind the other.
//! assert_eq!(tiles.value(&[1, 0])?, 4.0);
//! assert_eq!(tiles.spec().place(&[1, 0])?.byte, 32);
//! # Ok::<(), hallmark_tensor::Error>(())
//! ```

mod block_float;
mod data_type;
mod defects;
mod error;
mod host;
mod layout;
mod memory;
mod numbers;
mod pages;
mod place;
mod shape;
mod spec;
mod tiles;

pub use data_type::DataType;
pub use defects::DEFECTS;
pub use error::Error;
pub use host::HostTensor;
pub use layout::{Layout, TileShape};
pub use memory::{MemoryConfig, ShardStrategy, TensorSharding};
pub use pages::{PagePlace, TensorPages};
pub use place::{Place, TilePlace};
pub use shape::{Shape, Strides};
pub use spec::TensorSpec;
