//! Names of the rules that refuse tensors before any call is made.

use hallmark_tensor::Error;

use crate::{StitchingError, TensorProperty};

macro_rules! refusals {
    ($($(#[doc = $doc:literal])+ $name:ident,)+) => {
        /// A rule that refuses tensors before any call is made.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum RefusalKind {
            $($(#[doc = $doc])+ $name,)+
        }

        impl RefusalKind {
            /// Every rule with its name.
            pub const NAMES: &'static [(&'static str, Self)] =
                &[$((stringify!($name), Self::$name)),+];

            /// The rule's name.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$name => stringify!($name),)+
                }
            }
        }
    };
}

refusals! {
    /// The shape exceeds the largest number of dimensions.
    TooManyDimensions,
    /// The tensor exceeds the largest size.
    TensorTooLarge,
    /// The numbers of strides and dimensions differ.
    StridesOfAnotherShape,
    /// The data end before the last element.
    DataTooShort,
    /// The item size is not that of the type.
    OtherItemSize,
    /// A block format in row-major layout.
    BlockFormatInRows,
    /// The tile shape does not exist.
    NoSuchTile,
    /// A number out of range of the type.
    NumberOutOfRange,
    /// A padding value out of range of the type.
    PaddingOutOfRange,
    /// A conversion between different shapes.
    OtherShape,
    /// An index or bytes outside the tensor.
    NotOfTheTensor,
    /// A shard without elements.
    EmptyShard,
    /// A shard that does not consist of whole tiles.
    ShardOfBrokenTiles,
    /// The shard's width is not the tensor's.
    ShardOfOtherWidth,
    /// The shard's height is not the tensor's.
    ShardOfOtherHeight,
    /// Rectangles of shards on several ranges of cores.
    NotOneRectangle,
    /// More rows or columns of shards than of cores.
    BlocksBeyondCores,
    /// More shards than cores.
    ShardsBeyondCores,
    /// The tensor does not exist.
    NoSuchTensor,
    /// A tensor without content.
    NoContent,
    /// The content of a tensor on the device was requested.
    TensorOnDevice,
    /// A tensor that is still being read.
    StillRead,
    /// Content that is unknown before the run.
    UnknownUntilRun,
    /// A type conversion by the device.
    TypesOnDevice,
    /// A layout conversion of a block format by the device.
    BlockFormatOnDevice,
    /// Pages that the device's kernel cannot count.
    PagesOnDevice,
    /// A tensor on the host in a conversion by the device.
    NotOnDevice,
    /// The number of tensors differs from the binary's.
    OtherNumberOfTensors,
    /// An input or output that the binary does not have.
    NoSuchBinaryTensor,
    /// A binary's tensor of another shape.
    OtherTensorShape,
    /// A binary's tensor of another type.
    OtherTensorType,
    /// A binary's tensor in another layout.
    OtherTensorLayout,
    /// A binary's tensor in another memory.
    OtherTensorMemory,
    /// A tensor that the binary writes is also given for another input or output.
    TensorGivenTwice,
    /// A binary that was not loaded.
    NoSuchBinary,
}

impl StitchingError {
    /// The rule that refused the tensors; `None` for an error of a host API call.
    pub fn refusal(&self) -> Option<RefusalKind> {
        Some(match self {
            Self::Tensor(error) => match error {
                Error::TooManyDimensions { .. } => RefusalKind::TooManyDimensions,
                Error::TooLarge => RefusalKind::TensorTooLarge,
                Error::StridesOfAnotherShape { .. } => RefusalKind::StridesOfAnotherShape,
                Error::DataTooShort { .. } => RefusalKind::DataTooShort,
                Error::ItemSize { .. } => RefusalKind::OtherItemSize,
                Error::BlockFormatInRows { .. } => RefusalKind::BlockFormatInRows,
                Error::NoSuchTile { .. } => RefusalKind::NoSuchTile,
                Error::OutOfRange { .. } => RefusalKind::NumberOutOfRange,
                Error::Padding { .. } => RefusalKind::PaddingOutOfRange,
                Error::OtherShape { .. } => RefusalKind::OtherShape,
                Error::NoSuchElement { .. } | Error::OtherSize { .. } => {
                    RefusalKind::NotOfTheTensor
                }
                Error::EmptyShard { .. } => RefusalKind::EmptyShard,
                Error::ShardOfBrokenTiles { .. } => RefusalKind::ShardOfBrokenTiles,
                Error::ShardOfOtherWidth { .. } => RefusalKind::ShardOfOtherWidth,
                Error::ShardOfOtherHeight { .. } => RefusalKind::ShardOfOtherHeight,
                Error::NotOneRectangle { .. } => RefusalKind::NotOneRectangle,
                Error::BlocksBeyondCores { .. } => RefusalKind::BlocksBeyondCores,
                Error::ShardsBeyondCores { .. } => RefusalKind::ShardsBeyondCores,
            },
            Self::NoSuchTensor { .. } => RefusalKind::NoSuchTensor,
            Self::NoContent { .. } => RefusalKind::NoContent,
            Self::OnDevice { .. } => RefusalKind::TensorOnDevice,
            Self::StillRead { .. } => RefusalKind::StillRead,
            Self::UnknownUntilRun { .. } => RefusalKind::UnknownUntilRun,
            Self::TypesOnDevice { .. } => RefusalKind::TypesOnDevice,
            Self::BlockFormatOnDevice { .. } => RefusalKind::BlockFormatOnDevice,
            Self::PagesOnDevice { .. } => RefusalKind::PagesOnDevice,
            Self::NotOnDevice { .. } => RefusalKind::NotOnDevice,
            Self::OtherNumberOfTensors { .. } => RefusalKind::OtherNumberOfTensors,
            Self::NoSuchBinaryTensor { .. } => RefusalKind::NoSuchBinaryTensor,
            Self::OtherTensor(differs) => match differs.what {
                TensorProperty::Shape => RefusalKind::OtherTensorShape,
                TensorProperty::DataType => RefusalKind::OtherTensorType,
                TensorProperty::Layout => RefusalKind::OtherTensorLayout,
                TensorProperty::Memory => RefusalKind::OtherTensorMemory,
            },
            Self::GivenTwice { .. } => RefusalKind::TensorGivenTwice,
            Self::NoSuchBinary { .. } => RefusalKind::NoSuchBinary,
            Self::OutOfMemory { .. } | Self::Call(_) => return None,
        })
    }
}
