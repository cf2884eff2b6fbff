//! Why a tensor cannot be made, or its content not be brought into another.

use hallmark_runtime::{CallError, HostError};
use hallmark_tensor::{DataType, Layout};

/// Why a tensor cannot be made, or its content not be brought into another.
#[derive(Debug, thiserror::Error)]
pub enum StitchingError {
    /// Shapes, types, layouts or shards that do not fit.
    #[error(transparent)]
    Tensor(#[from] hallmark_tensor::Error),
    /// The device has no room for the tensor.
    #[error("tensor `{tensor}` takes {bytes} B: {source}")]
    OutOfMemory {
        /// The tensor's name.
        tensor: String,
        /// Bytes of all its pages.
        bytes: u64,
        /// The call that was refused, with what is free.
        source: HostError,
    },
    /// A call of the host API failed.
    #[error(transparent)]
    Call(#[from] CallError),
    /// The tensor was deallocated, or is one of others'.
    #[error("there is no tensor {number}; it was deallocated, or made by something else")]
    NoSuchTensor {
        /// The tensor's number.
        number: u32,
    },
    /// Nothing was ever brought into the tensor.
    #[error("tensor `{tensor}` has no content; call to_layout to bring something into it first")]
    NoContent {
        /// The tensor's name.
        tensor: String,
    },
    /// The tensor lives on a device, where only `to_layout` gets at its content.
    #[error(
        "tensor `{tensor}` lives on the device; call to_layout to bring it into a tensor on the host"
    )]
    OnDevice {
        /// The tensor's name.
        tensor: String,
    },
    /// The tensor is still being read, and nothing said to wait for that.
    #[error(
        "tensor `{tensor}` is still being read; wait for the event that its to_layout gave, or name it among the dependencies"
    )]
    StillRead {
        /// The tensor's name.
        tensor: String,
    },
    /// The device moves elements without looking at them.
    #[error(
        "the device converts layouts and memories only, not {given} to {needed}; convert types on the host"
    )]
    TypesOnDevice {
        /// The type of the source's elements.
        given: DataType,
        /// The type of the destination's.
        needed: DataType,
    },
    /// Elements of block formats share exponents, and the device moves only whole tiles of them.
    #[error(
        "the device moves {data_type} from memory to memory only, not from {given} to {needed}; convert its layout on the host"
    )]
    BlockFormatOnDevice {
        /// The block format.
        data_type: DataType,
        /// The source's layout.
        given: Layout,
        /// The destination's layout.
        needed: Layout,
    },
    /// Pages that the device's kernel cannot count, or of which it cannot hold enough at a time.
    #[error(
        "the device does not convert {pages} pages of up to {bytes} B: pages must have whole words, their number and size fit 32 bits and a matrix's sides 31, and a band of them the scratch memory; convert on the host"
    )]
    PagesOnDevice {
        /// How many pages there are.
        pages: u64,
        /// Bytes of a page.
        bytes: u64,
    },
}
