//! Deliberate defects of stitching; the suites must detect each of them.

hallmark_chip::planted_defects! {
    /// Stitching: nothing waits for dependencies.
    DependenciesForgotten,
    /// Stitching: a conversion writes into the buffer of its source.
    ConversionsInPlace,
    /// Stitching: programs of a binary are always enqueued on the first queue.
    SubmissionsOnTheFirstQueue,
    /// Stitching: a later submission keeps the arguments of the first.
    ArgumentsOfTheFirstSubmission,
    /// Stitching: the constants of a binary are not written.
    ConstantsNotWritten,
    /// Stitching: of two outputs, each gets the buffer of the other.
    OutputsSwapped,
    /// Stitching: of several programs of a binary, the last one is not enqueued.
    LastProgramNotEnqueued,
    /// Stitching: an event is recorded on the other queue than the work.
    EventsOnTheOtherQueue,
}
