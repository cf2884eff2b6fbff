//! The checks by which a capture is refused, as the errors that they give: each has a test that tells it a lie. In a
//! build with the feature `sabotage` one of them can be switched off, and what it refuses is accepted.
//!
//! What leaves no value that could be accepted has no name here: a malformed buffer, a value that is missing or that
//! no enum has, a line of text that cannot be read. Limits have tests of their own, at each and past it.

use hallmark_chip::sabotage::is_switched_off;

use crate::error::{CaptureError, Problem, Rule};

macro_rules! kinds {
    ($errors:ident: $($kind:ident),+ $(,)?) => {
        impl $errors {
            /// The names of its kinds, in the order of their declaration.
            pub const KINDS: &'static [&'static str] = &[$(stringify!($kind)),+];

            /// The name of its kind.
            pub const fn kind(&self) -> &'static str {
                match self { $(Self::$kind { .. } => stringify!($kind)),+ }
            }
        }
    };
}

kinds! { Rule: Harvesting, IdOutOfOrder, Undefined, NotUsable, NotAscending, PageSize, ShardSpec, NoShard, Region, CircularBufferSize, NoIndex, CircularBufferIndex, NoCores, EmptyRange, OutsideGrid, EmptyGrid, Name, Path, NoReason, Define, NamedCompileArg, DefaultOptLevel, TileShape, NoL1SmallRegion, NotThatWord, SourceNotListed, RelocationOutOfRange, RelocatedWordNotZero, CoordinateOffset, IndexNotConfigured, CommonArgumentsTwice, CommonArgumentOutOfRange, DataLength, Generator, NotFinite, Tolerance, OutputTwice, CollectedTwice, NotCollected, NotThatCollect, NotThatFault, OutputUnknown, UnfinishedNotLast, NoSuchEnqueue, NoSuchQueue, CommandQueues, Tracing, NotEarlier, NoSuchCommand, NotThatRead, ReadWithoutResult, Contradiction, BlobHash, Processor, InputAfterOutput, TensorTwice, NoTensorBuffer, SharedTensorBuffer, FreeBufferUsed, TensorBeyondBuffer, NoAddress }

/// Checks of a whole file, by the kinds of the problems that they find.
pub const FILE_CHECKS: &[&str] = &[
    "Corrupt",
    "NotACapture",
    "NewerVersion",
    "OlderVersion",
    "StampTooLow",
    "UnknownField",
    "NotCanonical",
];

impl Rule {
    /// Whether the rule need not be kept.
    pub(crate) fn is_switched_off(&self) -> bool {
        is_switched_off("Rule", self.kind())
    }
}

impl Problem {
    fn is_switched_off(&self) -> bool {
        let kind = match self {
            Self::Rule(rule) => return rule.is_switched_off(),
            Self::Corrupt { .. } => "Corrupt",
            Self::NotACapture { .. } => "NotACapture",
            Self::NewerVersion { .. } => "NewerVersion",
            Self::OlderVersion { .. } => "OlderVersion",
            Self::StampTooLow { .. } => "StampTooLow",
            Self::UnknownField { .. } => "UnknownField",
            Self::NotCanonical => "NotCanonical",
            Self::TooShort { .. }
            | Self::Limit { .. }
            | Self::NoTrailer
            | Self::NotInOlderFormat { .. }
            | Self::Malformed { .. }
            | Self::UnknownValue { .. }
            | Self::Missing
            | Self::Unexpected { .. }
            | Self::Text(_) => return false,
        };
        is_switched_off("Problem", kind)
    }
}

impl CaptureError {
    /// Refuses the capture, unless the check that finds this is switched off.
    pub(crate) fn refuse(self) -> Result<(), Self> {
        if self.problem.is_switched_off() { Ok(()) } else { Err(self) }
    }
}
