//! What a capture may hold that no suite can say, so that it cannot be told as one.

use hallmark_schema::model::{CommandKind, ContentHash};

/// Why a capture cannot be told as a suite.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum NotASuite {
    /// Suites are made for whole chips.
    #[error(
        "its grid is not that of a whole chip, which suites are made for; dump it as JSON lines instead"
    )]
    HarvestedGrid,
    /// A suite's program is the same wherever its objects lie.
    #[error(
        "it turned an address or a coordinate into a plain number, which depends on the places of its \
         objects; dump it as JSON lines instead"
    )]
    PlacementBound,
    /// A suite has no test whose tensors are given by somebody else.
    #[error("it is a binary, whose inputs are free; dump it as JSON lines instead")]
    Binary,
    /// A suite expects an outcome of every call, so it cannot hold a call that has none.
    #[error("its last command, {}, never came to an end; dump it as JSON lines instead", .0.name())]
    Unfinished(CommandKind),
    /// In a suite a name is all that tells objects apart.
    #[error("two of its objects are called `{0}`; dump it as JSON lines instead")]
    SameName(String),
    /// In a suite an event's name means the last event of that name.
    #[error(
        "it uses event `{0}` after recording another of that name; dump it as JSON lines instead"
    )]
    EarlierEvent(String),
    /// The object of a command was created by no other.
    #[error("a command uses object {0}, which nothing creates; capture the program again")]
    UnknownObject(u32),
    /// A call of which suites know no step.
    #[error("no suite has a step for {}; dump it as JSON lines instead", .0.name())]
    NoStep(CommandKind),
    /// The value of a define would be read back as another one.
    #[error("no suite can define {0:?}; dump it as JSON lines instead")]
    Define(String),
    /// Several argument vectors, of which one is for more than one core.
    #[error("argument vectors and cores are not in pairs; dump it as JSON lines instead")]
    ArgumentsUnpaired,
    /// What the host wrote, or expects, is known by its hash only.
    #[error("data {} is not embedded in it; dump a capture that embeds its data", .0.short())]
    DataAbsent(ContentHash),
    /// A suite says of each read what it must return, and the capture does not know.
    #[error("it expects nothing of a read that returned nothing; dump it as JSON lines instead")]
    NothingExpected,
}
