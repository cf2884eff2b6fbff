//! Deliberate defects of the searches; their tests must detect each of them ([`hallmark_chip::sabotage`]).

hallmark_chip::planted_defects! {
    /// Probes: every failure is the one sought.
    SignatureIgnored,
    /// Probes: nobody asks the good side.
    GoodSideNotAsked,
    /// Log: a probe in the middle is not written down.
    LogLosesAProbe,
    /// Bisection: memory that nothing wrote is compared as well.
    UnwrittenMemoryCompared,
    /// Bisection: a read counts as complete when it is enqueued.
    ReadsCompleteAtOnce,
    /// Bisection: the queue that has to be first is finished before the others.
    FirstQueueFinishedFirst,
    /// Bisection: a fault is the fault of the program that meets it.
    FaultsSufferFromNobody,
    /// Cores: programs run on those that take no part.
    CoresTakeOtherParts,
    /// Cores: what no core writes holds what it held.
    BuffersOfCoresNotCleared,
    /// Seeds: each is the same one.
    SeedNotChanged,
    /// Cards: whatever happened, a card is trusted.
    CardsAlwaysTrusted,
    /// Reduction: what a candidate reads need not have been written.
    UnwrittenBytesRead,
}
