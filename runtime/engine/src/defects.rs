//! Deliberate defects of the engine, by which the suites are tested.

hallmark_chip::planted_defects! {
    /// Dispatch: the last tile of a program is not launched.
    LastTileNotLaunched,
    /// Dispatch: a program is done when one of its tiles is.
    OneTileDoneIsEnough,
    /// Dispatch: semaphores get their initial value at the first launch only.
    SemaphoresResetOnce,
    /// Dispatch: a kernel runs as another one of its size that is resident.
    KernelBinaryOfTheSameSizeReused,
    /// Dispatch: kernels count as there although other ones have taken their place.
    KernelBinariesCountAsThere,
    /// Dispatch on the device: what has changed of a program is not sent.
    KeptLaunchesNotChanged,
    /// Dispatch on the device: what goes to a rectangle of tiles does not reach its last row.
    RectanglesLoseTheirLastRow,
    /// Queue: what was enqueued last is done first.
    QueueReversed,
    /// Queue: host writes go to the bank after the right one.
    WritesToTheNextBank,
    /// Queue: host reads miss the last page of each run.
    ReadsMissAPage,
    /// Queue: the device is not told what memory is given out and given back.
    FreedMemoryKeepsItsMeaning,
    /// Events: a queue does not wait for the event that it was told to wait for.
    WaitsDoNotWait,
    /// Queues: an event does not count as an order between the queues.
    EventsOrderNothing,
    /// Queues: two commands that race are not reported.
    QueueRacesUnreported,
    /// Queues: where launches are to overlap, the next one is handed out when all are done.
    LaunchesDoNotOverlap,
    /// Queues: commands count as touching the byte after their last one.
    RegionsOfQueueRacesGrow,
    /// Traces: a replay leaves the last program out.
    TraceForgetsItsLastProgram,
    /// Stops: an assertion that does not hold is reported as any other `ebreak`.
    AssertionsAreNotRead,
    /// The allocator counts whole rounds over the banks, so a last partial round has no room.
    LastRoundForgotten,
}
