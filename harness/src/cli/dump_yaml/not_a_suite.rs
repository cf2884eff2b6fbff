//! Captures that no suite can express.

use hallmark_schema::model::{CommandKind, ContentHash};

/// Why a capture cannot be expressed as a suite.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum NotASuite {
    /// The grid is not that of a whole chip.
    #[error(
        "its grid is not that of a whole chip, which suites are made for; dump it as JSON lines instead"
    )]
    HarvestedGrid,
    /// The capture depends on the places of its objects, and a suite's program does not.
    #[error(
        "it turned an address or a coordinate into a plain number, which depends on the places of its \
         objects; dump it as JSON lines instead"
    )]
    PlacementBound,
    /// The capture has tensors that its caller gives; a suite has no such test.
    #[error("it is a binary, whose inputs are free; dump it as JSON lines instead")]
    Binary,
    /// A call has no outcome, and a suite expects an outcome of every call.
    #[error("its last command, {}, never came to an end; dump it as JSON lines instead", .0.name())]
    Unfinished(CommandKind),
    /// Two objects have the same name, and a suite identifies objects by name.
    #[error("two of its objects are called `{0}`; dump it as JSON lines instead")]
    SameName(String),
    /// The capture uses an event after recording another with its name. In a suite the name means the last such
    /// event.
    #[error(
        "it uses event `{0}` after recording another of that name; dump it as JSON lines instead"
    )]
    EarlierEvent(String),
    /// No command created the object of a command.
    #[error("a command uses object {0}, which nothing creates; capture the program again")]
    UnknownObject(u32),
    /// Suites have no step for the call.
    #[error("no suite has a step for {}; dump it as JSON lines instead", .0.name())]
    NoStep(CommandKind),
    /// The suite's parser would read the define's value as another value.
    #[error("no suite can define {0:?}; dump it as JSON lines instead")]
    Define(String),
    /// The call has several argument vectors, one of which is for more than one core.
    #[error("argument vectors and cores are not in pairs; dump it as JSON lines instead")]
    ArgumentsUnpaired,
    /// The capture has only the hash of data that the host wrote or expects.
    #[error("data {} is not embedded in it; dump a capture that embeds its data", .0.short())]
    DataAbsent(ContentHash),
    /// A read has no expected data, which a suite needs.
    #[error("it expects nothing of a read that returned nothing; dump it as JSON lines instead")]
    NothingExpected,
}
