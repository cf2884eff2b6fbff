//! Which rule refuses tensors before any call is made, by name.

use hallmark_tensor::Error;

use crate::{StitchingError, TensorProperty};

macro_rules! refusals {
    ($($(#[doc = $doc:literal])+ $name:ident,)+) => {
        /// Which rule refuses tensors before any call is made.
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
    /// More dimensions than a shape has.
    TooManyDimensions,
    /// More bytes than a tensor has.
    TensorTooLarge,
    /// Not one stride for each dimension.
    StridesOfAnotherShape,
    /// The data end before the last element.
    DataTooShort,
    /// The size of an item is not its type's.
    OtherItemSize,
    /// A block format in rows.
    BlockFormatInRows,
    /// No such tile.
    NoSuchTile,
    /// A number that the type cannot hold.
    NumberOutOfRange,
    /// A padding that the type cannot hold.
    PaddingOutOfRange,
    /// A conversion between shapes.
    OtherShape,
    /// An index or bytes that are not the tensor's.
    NotOfTheTensor,
    /// A shard without elements.
    EmptyShard,
    /// A shard that breaks tiles.
    ShardOfBrokenTiles,
    /// A shard of another width than the tensor's.
    ShardOfOtherWidth,
    /// A shard of another height than the tensor's.
    ShardOfOtherHeight,
    /// Rectangles of shards on several ranges of cores.
    NotOneRectangle,
    /// More rows or columns of shards than of cores.
    BlocksBeyondCores,
    /// More shards than cores.
    ShardsBeyondCores,
    /// A tensor that is not there.
    NoSuchTensor,
    /// A tensor without content.
    NoContent,
    /// A tensor on the device, asked for its content.
    TensorOnDevice,
    /// A tensor that is still being read.
    StillRead,
    /// Content that only the run will tell.
    UnknownUntilRun,
    /// Types that the device does not convert.
    TypesOnDevice,
    /// A block format whose layout the device does not convert.
    BlockFormatOnDevice,
    /// Pages that the device's kernel cannot count.
    PagesOnDevice,
    /// A tensor of the host, which the device does not convert.
    NotOnDevice,
    /// Another number of tensors than the binary has.
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
    /// A tensor that the binary writes, given for another input or output as well.
    TensorGivenTwice,
    /// A binary that was not loaded.
    NoSuchBinary,
}

impl StitchingError {
    /// The rule that refused the tensors; nothing of an error that a call of the host API gave.
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
