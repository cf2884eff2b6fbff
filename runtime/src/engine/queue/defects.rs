//! Deliberate defects of the queues, by which the suites are tested.

hallmark_chip::planted_defects! {
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
    /// Queues: commands count as touching the byte after their last one.
    RegionsOfQueueRacesGrow,
    /// Traces: a replay leaves the last program out.
    TraceForgetsItsLastProgram,
}
