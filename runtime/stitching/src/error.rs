//! Errors of making tensors and of transferring content between them.

use std::fmt;

use hallmark_runtime::{CallError, HostError};
use hallmark_tensor::{DataType, Layout};

use hallmark_schema::plural::counted;

use crate::TensorRole;

/// Why a tensor cannot be made, or why content cannot be transferred to another tensor.
#[derive(Debug, thiserror::Error)]
pub enum StitchingError {
    /// Shapes, types, layouts or shards that do not match.
    #[error(transparent)]
    Tensor(#[from] hallmark_tensor::Error),
    /// The device has no room for the tensor.
    #[error("tensor `{tensor}` takes {bytes} B: {source}")]
    OutOfMemory {
        /// The tensor's name.
        tensor: String,
        /// Bytes of all its pages.
        bytes: u64,
        /// The refused call's error, with the free memory.
        source: HostError,
    },
    /// A call of the host API failed.
    #[error(transparent)]
    Call(#[from] CallError),
    /// The tensor was deallocated, or belongs to another `Stitching`.
    #[error("there is no tensor {number}; it was deallocated, or made by something else")]
    NoSuchTensor {
        /// The tensor's number.
        number: u32,
    },
    /// The tensor has never been given content.
    #[error("tensor `{tensor}` has no content; call to_layout to bring something into it first")]
    NoContent {
        /// The tensor's name.
        tensor: String,
    },
    /// The tensor is on a device, so its content is accessible only through `to_layout`.
    #[error(
        "tensor `{tensor}` lives on the device; call to_layout to bring it into a tensor on the host"
    )]
    OnDevice {
        /// The tensor's name.
        tensor: String,
    },
    /// The tensor is still being read, and its event is not among the dependencies.
    #[error(
        "tensor `{tensor}` is still being read; wait for the event that its to_layout gave, or name it among the dependencies"
    )]
    StillRead {
        /// The tensor's name.
        tensor: String,
    },
    /// The tensor's content is unknown before the run.
    #[error(
        "what tensor `{tensor}` holds is known only once the calls are made; say what it holds"
    )]
    UnknownUntilRun {
        /// The tensor's name.
        tensor: String,
    },
    /// The device moves elements without converting their type.
    #[error(
        "the device converts layouts and memories only, not {given} to {needed}; convert types on the host"
    )]
    TypesOnDevice {
        /// The type of the source.
        given: DataType,
        /// The type of the destination.
        needed: DataType,
    },
    /// Elements of block formats share exponents, so the device moves only whole tiles of them.
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
    /// Pages that exceed the number ranges or the memory of the device's kernel.
    #[error(
        "the device does not convert {pages} pages of up to {bytes} B: pages must have whole words, their number and size fit 32 bits and a matrix's sides 31, and a band of them the scratch memory; convert on the host"
    )]
    PagesOnDevice {
        /// The number of pages.
        pages: u64,
        /// Bytes of a page.
        bytes: u64,
    },
    /// A tensor on the host in a conversion by the device.
    #[error(
        "the device converts only between tensors on the device, and `{tensor}` lives on the host; convert it on the host"
    )]
    NotOnDevice {
        /// The tensor's name.
        tensor: String,
    },
    /// The number of given tensors differs from the binary's.
    #[error(
        "binary `{binary}` has {}, and {} given",
        counted(*.needed, role.name(), role.plural()),
        counted(*.given, "tensor is", "tensors are")
    )]
    OtherNumberOfTensors {
        /// The binary's name.
        binary: String,
        /// Inputs or outputs.
        role: TensorRole,
        /// The binary's number of them.
        needed: usize,
        /// The given number of them.
        given: usize,
    },
    /// The binary has no such input or output.
    #[error("binary `{binary}` has no {} {index}; it has {has}, counted from 0", role.name())]
    NoSuchBinaryTensor {
        /// The binary's name.
        binary: String,
        /// Input or output.
        role: TensorRole,
        /// The index, counted from 0.
        index: usize,
        /// The binary's number of them.
        has: usize,
    },
    /// A tensor that does not match the binary's.
    #[error(transparent)]
    OtherTensor(Box<OtherTensor>),
    /// The same tensor is given twice, and the binary writes one of the two.
    #[error(
        "tensor `{tensor}` is given to binary `{binary}` twice, and the binary writes it; give it another tensor"
    )]
    GivenTwice {
        /// The binary's name.
        binary: String,
        /// The tensor given twice.
        tensor: String,
    },
    /// No binary with this number was loaded.
    #[error("there is no binary {number} here; load it first")]
    NoSuchBinary {
        /// The binary's number.
        number: u32,
    },
}

/// A tensor that does not match a binary's input or output.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{} {index}, `{needs}`, of binary `{binary}` needs {what} {needed}, and tensor `{tensor}` has {given}; {remedy}",
    role.name()
)]
pub struct OtherTensor {
    /// The binary's name.
    pub binary: String,
    /// Input or output.
    pub role: TensorRole,
    /// The index of the input or output, counted from 0.
    pub index: usize,
    /// Its name in the binary.
    pub needs: String,
    /// The given tensor.
    pub tensor: String,
    /// The first differing property.
    pub what: TensorProperty,
    /// The value that the binary needs.
    pub needed: String,
    /// The value that the tensor has.
    pub given: String,
    /// The remedy.
    pub remedy: &'static str,
}

/// A property of a tensor that a binary requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TensorProperty {
    /// Its dimensions.
    Shape,
    /// The type of its elements.
    DataType,
    /// The order of its elements.
    Layout,
    /// Its memory.
    Memory,
}

impl fmt::Display for TensorProperty {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Shape => "the shape",
            Self::DataType => "the type",
            Self::Layout => "the layout",
            Self::Memory => "the memory",
        })
    }
}
