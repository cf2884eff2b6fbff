//! Faults of device programs: a single form from the simulator to a report.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{PhysicalCoordinate, Processor, SourceFrame, TileAddress};

/// The kind of rule that a device program broke. The categories are those of Tenstorrent's simulator, whose
/// closing line names one of them, and from [`FaultCategory::DataRace`] on our own, for rules that it does not check.
///
/// Its text form is its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "&'static str", try_from = "String")]
pub enum FaultCategory {
    /// The hardware documentation leaves the result undefined.
    UndefinedBehavior,
    /// The program may work on this chip, but no document guarantees it.
    NonContractualBehavior,
    /// A never-written value influenced a decision.
    UnpredictableValueUsed,
    /// The simulator will never support this.
    UnsupportedFunctionality,
    /// The simulator does not support this yet.
    UnimplementedFunctionality,
    /// The simulator's authors have not tested this.
    UntestedFunctionality,
    /// The documentation does not specify the behaviour.
    MissingSpecification,
    /// The host system failed under the simulator.
    SystemError,
    /// The simulator was started or set up wrongly.
    ConfigurationError,
    /// The simulator contradicted itself.
    AssertionFailure,
    /// Two unordered accesses to the same byte.
    DataRace,
    /// A launch touches memory that it was not given.
    MemoryNotGranted,
    /// A kernel breaks a rule of circular buffers.
    CircularBufferMisuse,
    /// A kernel ends with NoC requests under way.
    RequestsUnderWay,
    /// A store to a word that synchronizes is not ordered with another actor's increment or wait.
    UnorderedSynchronization,
    /// A kernel reads a runtime argument that it was not given.
    ArgumentOutOfRange,
    /// A request follows a linked multicast before its path is closed.
    LinkedMulticast,
    /// More requests of one transaction identifier are under way than its counter holds.
    TransactionOverflow,
    /// A core polls a word in its data cache, which another actor writes in memory.
    StaleCacheRead,
    /// An assertion of a kernel does not hold. A device reports its `ebreak` as [`Self::UnsupportedFunctionality`]; the
    /// engine finds the assertion in the kernel's ELF.
    KernelAssertion,
}

impl FaultCategory {
    /// Every category, in the order of its number in the capture format.
    pub const ALL: [Self; 20] = [
        Self::UndefinedBehavior,
        Self::NonContractualBehavior,
        Self::UnpredictableValueUsed,
        Self::UnsupportedFunctionality,
        Self::UnimplementedFunctionality,
        Self::UntestedFunctionality,
        Self::MissingSpecification,
        Self::SystemError,
        Self::ConfigurationError,
        Self::AssertionFailure,
        Self::DataRace,
        Self::MemoryNotGranted,
        Self::CircularBufferMisuse,
        Self::RequestsUnderWay,
        Self::UnorderedSynchronization,
        Self::ArgumentOutOfRange,
        Self::LinkedMulticast,
        Self::TransactionOverflow,
        Self::StaleCacheRead,
        Self::KernelAssertion,
    ];

    /// The name in a simulator's closing line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::UndefinedBehavior => "UndefinedBehavior",
            Self::NonContractualBehavior => "NonContractualBehavior",
            Self::UnpredictableValueUsed => "UnpredictableValueUsed",
            Self::UnsupportedFunctionality => "UnsupportedFunctionality",
            Self::UnimplementedFunctionality => "UnimplementedFunctionality",
            Self::UntestedFunctionality => "UntestedFunctionality",
            Self::MissingSpecification => "MissingSpecification",
            Self::SystemError => "SystemError",
            Self::ConfigurationError => "ConfigurationError",
            Self::AssertionFailure => "AssertionFailure",
            Self::DataRace => "DataRace",
            Self::MemoryNotGranted => "MemoryNotGranted",
            Self::CircularBufferMisuse => "CircularBufferMisuse",
            Self::RequestsUnderWay => "RequestsUnderWay",
            Self::UnorderedSynchronization => "UnorderedSynchronization",
            Self::ArgumentOutOfRange => "ArgumentOutOfRange",
            Self::LinkedMulticast => "LinkedMulticast",
            Self::TransactionOverflow => "TransactionOverflow",
            Self::StaleCacheRead => "StaleCacheRead",
            Self::KernelAssertion => "KernelAssertion",
        }
    }

    /// Whether the category is that of a rule which the host API or the kernel API sets, and which hardware does not
    /// enforce. Only a device with [`Capabilities::detects_misuse`](crate::Capabilities::detects_misuse) reports it.
    pub const fn is_misuse(self) -> bool {
        match self {
            Self::MemoryNotGranted
            | Self::CircularBufferMisuse
            | Self::RequestsUnderWay
            | Self::UnorderedSynchronization
            | Self::ArgumentOutOfRange
            | Self::LinkedMulticast
            | Self::TransactionOverflow
            | Self::StaleCacheRead => true,
            Self::UndefinedBehavior
            | Self::NonContractualBehavior
            | Self::UnpredictableValueUsed
            | Self::UnsupportedFunctionality
            | Self::UnimplementedFunctionality
            | Self::UntestedFunctionality
            | Self::MissingSpecification
            | Self::SystemError
            | Self::ConfigurationError
            | Self::AssertionFailure
            | Self::DataRace
            | Self::KernelAssertion => false,
        }
    }

    /// Whether this category, which an older release did not know, says more exactly what that release reported as
    /// another one.
    pub const fn is_more_exact_than(self, older: Self) -> bool {
        use FaultCategory::{
            DataRace, NonContractualBehavior, UndefinedBehavior, UnimplementedFunctionality,
            UnpredictableValueUsed, UnsupportedFunctionality,
        };
        match self {
            Self::MemoryNotGranted => matches!(
                older,
                UndefinedBehavior
                    | NonContractualBehavior
                    | UnpredictableValueUsed
                    | UnsupportedFunctionality
                    | UnimplementedFunctionality
                    | DataRace
            ),
            Self::CircularBufferMisuse => matches!(
                older,
                UndefinedBehavior | NonContractualBehavior | UnpredictableValueUsed | DataRace
            ),
            Self::ArgumentOutOfRange => {
                matches!(older, UndefinedBehavior | NonContractualBehavior | UnpredictableValueUsed)
            }
            Self::RequestsUnderWay | Self::StaleCacheRead => {
                matches!(older, UnpredictableValueUsed | DataRace)
            }
            Self::UnorderedSynchronization => matches!(older, DataRace),
            Self::LinkedMulticast | Self::TransactionOverflow => {
                matches!(older, UndefinedBehavior | NonContractualBehavior)
            }
            // A request of a kernel that no chip carries out.
            Self::UndefinedBehavior => matches!(older, UnsupportedFunctionality),
            // The `ebreak` of an assertion, whose table an older release does not read.
            Self::KernelAssertion => matches!(older, UnsupportedFunctionality),
            Self::NonContractualBehavior
            | Self::UnpredictableValueUsed
            | Self::UnsupportedFunctionality
            | Self::UnimplementedFunctionality
            | Self::UntestedFunctionality
            | Self::MissingSpecification
            | Self::SystemError
            | Self::ConfigurationError
            | Self::AssertionFailure
            | Self::DataRace => false,
        }
    }

    /// The category with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|category| category.name() == name)
    }
}

impl From<FaultCategory> for &'static str {
    fn from(category: FaultCategory) -> Self {
        category.name()
    }
}

/// The text is not the name of a category.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown fault category `{name}`")]
pub struct UnknownFaultCategory {
    /// The text.
    pub name: String,
}

impl TryFrom<String> for FaultCategory {
    type Error = UnknownFaultCategory;

    fn try_from(name: String) -> Result<Self, Self::Error> {
        Self::from_name(&name).ok_or(UnknownFaultCategory { name })
    }
}

impl fmt::Display for FaultCategory {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}

/// The position of a party to a fault.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FaultPlace {
    /// The tile on the die.
    pub tile: PhysicalCoordinate,
    /// The core at fault; `None` for the host or a NoC response.
    pub processor: Option<Processor>,
    /// Its program counter, a tile address.
    pub pc: Option<u32>,
    /// The instruction word at the pc.
    pub instruction: Option<u32>,
    /// The number of instructions that the core had retired.
    pub retired: Option<u64>,
    /// The function that contains the pc. `None` from a device; the runtime adds it from the ELF.
    pub symbol: Option<String>,
    /// The source lines of the pc, the outermost function first. Empty from a device; the runtime adds them
    /// from the kernel's line table.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub frames: Vec<SourceFrame>,
}

impl FaultPlace {
    /// A tile without a core at fault.
    pub const fn of_tile(tile: PhysicalCoordinate) -> Self {
        Self {
            tile,
            processor: None,
            pc: None,
            instruction: None,
            retired: None,
            symbol: None,
            frames: Vec::new(),
        }
    }
}

/// The bytes of a tile's memory that a fault concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FaultMemory {
    /// The tile on the die.
    pub tile: PhysicalCoordinate,
    /// The first byte.
    pub address: TileAddress,
    /// The number of bytes, at least 1.
    pub length: u64,
}

/// `0x16dc00–0x16dc03 of tile (7,8)`.
impl fmt::Display for FaultMemory {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { tile, address: TileAddress(first), length } = self;
        write!(formatter, "{first:#x}")?;
        if *length > 1 {
            let last = first.saturating_add(length.saturating_sub(1));
            write!(formatter, "–{last:#x}")?;
        }
        write!(formatter, " of tile {tile}")
    }
}

/// A rule that a device program broke, as a value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[error("{category}: {reason}")]
pub struct Fault {
    /// The kind of rule.
    pub category: FaultCategory,
    /// What happened and why it is wrong, in one sentence without a full stop.
    pub reason: String,
    /// The position of the party at fault, as far as the device knows.
    pub place: Option<Box<FaultPlace>>,
    /// The position of the other party, if there is one: the earlier access of a race, or the writer of
    /// instructions that a core had already fetched. Without a processor it was the host.
    pub against: Option<Box<FaultPlace>>,
    /// The memory that the fault concerns, if any. The runtime adds the names of the objects in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<Box<FaultMemory>>,
}

impl Fault {
    /// A fault without a known place.
    pub fn without_place(category: FaultCategory, reason: impl Into<String>) -> Self {
        Self { category, reason: reason.into(), place: None, against: None, memory: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misuse_may_be_what_an_older_release_called_by_a_broader_name() {
        for newer in FaultCategory::ALL {
            let older = FaultCategory::ALL.into_iter().filter(|it| newer.is_more_exact_than(*it));
            let older: Vec<FaultCategory> = older.collect();
            let other = [FaultCategory::UndefinedBehavior, FaultCategory::KernelAssertion];
            let is_exact = newer.is_misuse() || other.contains(&newer);
            assert_eq!(!older.is_empty(), is_exact, "{newer}");
            assert!(!older.iter().any(|it| it.is_misuse()), "{newer}: {older:?}");
        }
    }
}
