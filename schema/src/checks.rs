//! The checks that refuse a capture, named by the errors that they return. For each check, a test presents a
//! capture that breaks it. In a build with the feature `sabotage` one check can be switched off, and its
//! violations are then accepted.
//!
//! A check has no name here if its violation leaves no value to accept: a malformed buffer, a missing value, a
//! number outside an enum, an unreadable line of text. Limits have tests of their own, at each limit and one
//! past it.

use hallmark_chip::sabotage::is_switched_off;

use crate::error::{CaptureError, Problem, Rule};

macro_rules! kinds {
    ($errors:ident: $($kind:ident),+ $(,)?) => {
        impl $errors {
            /// The names of the error's kinds, in the order of their declaration.
            pub const KINDS: &'static [&'static str] = &[$(stringify!($kind)),+];

            /// The name of the error's kind.
            pub const fn kind(&self) -> &'static str {
                match self { $(Self::$kind { .. } => stringify!($kind)),+ }
            }
        }
    };
}

kinds! { Rule: Harvesting, IdOutOfOrder, Undefined, NotUsable, NotAscending, PageSize, ShardSpec, NoShard, Region, CircularBufferSize, NoIndex, CircularBufferIndex, NoCores, EmptyRange, OutsideGrid, EmptyGrid, Name, Path, NoReason, Define, NamedCompileArg, DefaultOptLevel, TileShape, KernelBinding, NoL1SmallRegion, NotThatWord, SourceNotListed, RelocationOutOfRange, RelocatedWordNotZero, CoordinateOffset, IndexNotConfigured, CommonArgumentsTwice, CommonArgumentOutOfRange, DataLength, Generator, NotFinite, Tolerance, OutputTwice, CollectedTwice, NotCollected, NotThatCollect, NotThatFault, OutputUnknown, UnfinishedNotLast, NoSuchEnqueue, NoSuchQueue, CommandQueues, Tracing, NotEarlier, NoSuchCommand, NotThatRead, ReadWithoutResult, Contradiction, BlobHash, Processor, InputAfterOutput, TensorTwice, NoTensorBuffer, SharedTensorBuffer, FreeBufferUsed, TensorBeyondBuffer, NoAddress }

/// The checks of a whole file, named by the problems that they report.
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
    /// Whether the check of this rule is switched off.
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
    /// Returns the problem as an error, unless its check is switched off.
    pub(crate) fn refuse(self) -> Result<(), Self> {
        if self.problem.is_switched_off() { Ok(()) } else { Err(self) }
    }
}
