//! Deliberate defects of allocator, host API, recorder and replayer, by which the suites are tested.

hallmark_chip::planted_defects! {
    /// The allocator does not round pages up to the alignment of a bank.
    PagesUnaligned,
    /// The allocator gives memory away that is taken.
    MemoryGivenTwice,
    /// The allocator forgets memory that was given back.
    FreedMemoryLost,
    /// The allocator does not join free neighbours.
    FreeNeighboursApart,
    /// Arguments: the offset to a buffer's address is ignored.
    AddressOffsetIgnored,
    /// Arguments: of an even number of shards, there is a pair past the last.
    ShardPairPastTheLast,
    /// Arguments: a semaphore's address is that of the next one.
    AddressOfTheNextSemaphore,
    /// Arguments: x and y of a core are swapped.
    CoordinatesSwapped,
    /// Arguments: the first two are swapped.
    ArgumentsSwapped,
    /// Arguments: one more than the limit is taken.
    OneArgumentTooMany,
    /// Arguments: their number may change.
    ArgumentCountMayChange,
    /// Arguments: every core gets those of the first.
    ArgumentsOfTheFirstCore,
    /// Circular buffers: placed at the alignment of L1 instead of DRAM's.
    CircularBuffersPacked,
    /// Circular buffers: may lie over L1 buffers.
    ClashIgnored,
    /// Circular buffers: have one page more than fits.
    OnePageTooMany,
    /// Circular buffers: an index may stand twice in one.
    IndexTwiceInABuffer,
    /// Circular buffers: an index may be taken twice on a core.
    IndexTwiceOnACore,
    /// Semaphores: all of a program have the same number.
    SemaphoresShareANumber,
    /// Recorder: arguments that stand for objects are written as plain numbers.
    RecorderLosesRelocations,
    /// Recorder: all cores get the first core's arguments.
    RecorderSharesArguments,
    /// Recorder: blocking calls are written as calls that do not block.
    RecorderForgetsBlocking,
    /// Recorder: definitions of kernels are forgotten.
    RecorderForgetsDefines,
    /// Recorder: failed calls are written as done.
    RecorderForgetsFailures,
    /// Recorder: the includes of a kernel's source are not kept.
    RecorderForgetsIncludes,
    /// Recorder: every read is recorded with the bytes of the first one.
    RecorderKeepsTheFirstRead,
    /// Recorder: the end of the queues is not noted.
    RecorderForgetsTheEnd,
    /// Replayer: data that the capture holds is written as zeros.
    ReplayerWritesZeros,
    /// Replayer: buffers are not given back.
    ReplayerForgetsDeallocations,
    /// Replayer: failed calls are not made.
    ReplayerForgetsFailedCalls,
    /// Replayer: only the first core of a range gets arguments.
    ReplayerSetsOneCore,
    /// Replayer: semaphores begin at 0.
    ReplayerForgetsInitialValues,
    /// Events: both queues count with one counter.
    EventNumbersShared,
    /// Events: a call that waits for its queue takes no number.
    WaitingTakesNoNumber,
    /// Events: the host may wait for what only the device sees.
    HiddenEventsAreSeen,
    /// Events: every event counts as expected when it is asked about.
    QueriesSayYes,
    /// Events: a query's yes does not order the event before the commands that the host enqueues later.
    QueriesOrderNothing,
    /// Events: a query's answer is yes before the event has happened.
    QueriesAnswerEarly,
    /// Queues: programs of both queues may run on one core at any time.
    CoresHaveNoOwner,
    /// Traces: a program need not have been enqueued before.
    TracesTakeColdPrograms,
    /// Traces: programs that are enqueued into a trace run at once too.
    TracedProgramsRun,
    /// Traces: only the trace itself counts against the region, not those that live.
    TraceRoomForOne,
    /// Traces: a released trace keeps its room.
    TraceRoomKept,
    /// Traces: buffers may lie in the trace region.
    TraceRegionNotSetAside,
    /// Traces: a write to a queue that records a trace is done at once.
    TraceTakesWrites,
    /// Traces: what comes to a buffer's address is lost when a trace is loaded.
    LoadedTraceForgetsAddends,
    /// Traces: a loaded trace keeps to the buffers that have the names, whatever it is given.
    LoadedTraceIgnoresGivenBuffers,
    /// Traces: a loaded trace takes buffers of any size and place.
    LoadedTraceTakesAnyShape,
    /// Traces: semaphores of a loaded trace keep what they held.
    LoadedTraceForgetsSemaphores,
    /// Traces: loaded traces do not count against the region.
    LoadedTraceTakesNoRoom,
    /// Replayer: a trace is loaded without the buffers that it is given.
    ReplayerForgetsTraceBuffers,
    /// Replayer: everything is enqueued on the first queue.
    ReplayerForgetsQueues,
    /// Replayer: the device is opened without a trace region.
    ReplayerForgetsTraceRegions,
    /// Dispatch: a program is launched with the arguments that it was launched with first.
    ChangedArgumentsNotSent,
    /// Replayer: on another chip, arguments keep the addresses that buffers had on the capture's.
    AdaptedReplayKeepsAddresses,
    /// Assessment: that a chip has another number of circular buffers is no reason.
    AssessmentForgetsCircularBuffers,
    /// Harvesting: a device is opened as if nothing were fused off.
    HarvestingUnread,
}
