//! Why a tensor cannot be made, or its content not be brought into another.

use std::fmt;

use hallmark_runtime::{CallError, HostError};
use hallmark_tensor::{DataType, Layout};

use hallmark_schema::plural::counted;

use crate::TensorRole;

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
    /// What the tensor holds is known only once its calls are made.
    #[error(
        "what tensor `{tensor}` holds is known only once the calls are made; say what it holds"
    )]
    UnknownUntilRun {
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
    /// A tensor that the device is to convert lives on the host.
    #[error(
        "the device converts only between tensors on the device, and `{tensor}` lives on the host; convert it on the host"
    )]
    NotOnDevice {
        /// The tensor's name.
        tensor: String,
    },
    /// A binary takes and gives another number of tensors.
    #[error(
        "binary `{binary}` has {}, and {} given",
        counted(*.needed, role.name(), role.plural()),
        counted(*.given, "tensor is", "tensors are")
    )]
    OtherNumberOfTensors {
        /// The binary's name.
        binary: String,
        /// Whether its inputs or its outputs.
        role: TensorRole,
        /// How many it has.
        needed: usize,
        /// How many are given.
        given: usize,
    },
    /// A binary has no such input or output.
    #[error("binary `{binary}` has no {} {index}; it has {has}, counted from 0", role.name())]
    NoSuchBinaryTensor {
        /// The binary's name.
        binary: String,
        /// Whether an input or an output was asked for.
        role: TensorRole,
        /// Which one.
        index: usize,
        /// How many there are.
        has: usize,
    },
    /// A tensor is not what the binary needs.
    #[error(transparent)]
    OtherTensor(Box<OtherTensor>),
    /// One tensor is given for two inputs or outputs of which the binary writes one.
    #[error(
        "tensor `{tensor}` is given to binary `{binary}` twice, and the binary writes it; give it another tensor"
    )]
    GivenTwice {
        /// The binary's name.
        binary: String,
        /// The tensor.
        tensor: String,
    },
    /// The binary was not loaded here.
    #[error("there is no binary {number} here; load it first")]
    NoSuchBinary {
        /// The binary's number.
        number: u32,
    },
}

/// How a tensor differs from what a binary needs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{} {index}, `{needs}`, of binary `{binary}` needs {what} {needed}, and tensor `{tensor}` has {given}; {remedy}",
    role.name()
)]
pub struct OtherTensor {
    /// The binary's name.
    pub binary: String,
    /// Whether an input or an output needs it.
    pub role: TensorRole,
    /// Which one, counted from 0.
    pub index: usize,
    /// Its name in the binary.
    pub needs: String,
    /// The tensor that was given.
    pub tensor: String,
    /// What differs first.
    pub what: TensorProperty,
    /// What the binary needs of it.
    pub needed: String,
    /// What the tensor has.
    pub given: String,
    /// What to do.
    pub remedy: &'static str,
}

/// What a binary asks of a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TensorProperty {
    /// Its dimensions.
    Shape,
    /// The type of its elements.
    DataType,
    /// The order of its elements.
    Layout,
    /// Where it lives.
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
