//! Deliberate defects, by which the suites are tested: each must be caught by a suite test.
//!
//! Only a build with the cargo feature `sabotage` holds any of them, and there one is switched on by
//! the environment variable [`VARIABLE`]. In every other build [`planted`] is `false` at compile time.
//! `harness/tests/sabotage/list.rs` says which test catches which defect; `harness/tests/sabotage.rs` runs
//! them. Those of the kernel API and the firmware are changes to the text that is compiled for the device:
//! `runtime/src/device_code/defects.rs` holds them.

/// The environment variable that holds the name of the defect to switch on.
pub const VARIABLE: &str = "HALLMARK_SABOTAGE";

macro_rules! defects {
    ($($(#[doc = $what:literal])+ $defect:ident,)*) => {
        /// A deliberate defect.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Defect {
            $($(#[doc = $what])+ $defect,)*
        }

        impl Defect {
            /// Every defect.
            pub const ALL: &'static [Self] = &[$(Self::$defect),*];

            /// Its name, as [`VARIABLE`] holds it.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$defect => stringify!($defect)),* }
            }

            /// What is wrong while it is switched on.
            pub const fn what(self) -> &'static str {
                match self { $(Self::$defect => concat!($($what),+)),* }
            }
        }
    };
}

defects! {
    /// The allocator does not round pages up to the alignment of a bank.
    PagesUnaligned,
    /// The allocator gives memory away that is taken.
    MemoryGivenTwice,
    /// The allocator forgets memory that was given back.
    FreedMemoryLost,
    /// The allocator does not join free neighbours.
    FreeNeighboursApart,
    /// The allocator counts whole rounds over the banks, so a last partial round has no room.
    LastRoundForgotten,
    /// Queue: what was enqueued last is done first.
    QueueReversed,
    /// Queue: host writes go to the bank after the right one.
    WritesToTheNextBank,
    /// Queue: host reads miss the last page of each run.
    ReadsMissAPage,
    /// Queue: the device is not told what memory is given out and given back.
    FreedMemoryKeepsItsMeaning,
    /// Arguments: the offset to a buffer's address is ignored.
    AddressOffsetIgnored,
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
    /// Dispatch: the last tile of a program is not launched.
    LastTileNotLaunched,
    /// Dispatch: a program is done when one of its tiles is.
    OneTileDoneIsEnough,
    /// Dispatch: semaphores get their initial value at the first launch only.
    SemaphoresResetOnce,
    /// Dispatch: a kernel runs as another one of its size that is resident.
    TextOfTheSameSizeReused,
    /// Kernel images: the last address in a text is not relocated.
    LastSiteNotRelocated,
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
    /// Recorder: what a kernel's source includes is not kept.
    RecorderForgetsIncludes,
    /// Recorder: every read returned what the first one did.
    RecorderKeepsTheFirstRead,
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
    /// Schema: the last relocation of an argument vector is not written.
    EncoderLosesARelocation,
    /// Schema: the last compile argument is not written.
    EncoderLosesACompileArgument,
    /// Schema: sizes are written with 32 bits.
    EncoderCutsSizes,
    /// Schema: initial values of semaphores are not written.
    EncoderForgetsInitialValues,
    /// Schema: a range is read as its first core.
    DecoderForgetsEndsOfRanges,
    /// Simulator: `bgeu` does not branch on equal numbers.
    BgeuStrict,
    /// Simulator: `lb` does not extend the sign.
    LbUnsigned,
    /// Simulator: `sra` shifts zeros in.
    SraLogical,
    /// Simulator: `mulhsu` takes its second operand as signed.
    MulhsuSigned,
    /// Simulator: a division by zero gives 0.
    DivisionByZeroIsZero,
    /// Simulator: an atomic increment adds 1, whatever its operand.
    AtomicAddsOne,
    /// Simulator: an atomic increment returns the new value.
    AtomicReturnsNew,
    /// Simulator: a multicast is acknowledged once, not by each receiver.
    MulticastAcknowledgedOnce,
    /// Simulator: what nobody wrote counts as written once the NoC has read it.
    ReadsLosePoison,
    /// Simulator: a multicast reaches its own source, asked for or not.
    MulticastAlwaysIncludesSource,
    /// Simulator: a multicast does not reach the last tile of its rectangle.
    MulticastDropsLastTarget,
    /// Simulator: a packet may be a byte longer than the NoC carries.
    OneByteTooManyInAPacket,
    /// Simulator: source and destination of a transfer may be aligned differently.
    AnyAlignmentOfTransfers,
    /// Simulator: requests on one channel may overtake each other.
    ChannelsUnordered,
    /// Simulator: an update of a stream's space by more than 1 counts as 1.
    StreamLosesAnUpdate,
    /// Simulator: a stream's count of acknowledged pages has 8 bits.
    StreamCountsNarrow,
    /// Simulator: a mailbox gives the last word first.
    MailboxLastInFirstOut,
    /// Simulator: any short loop without side effects is parked, even one that counts.
    BusyLoopsParked,
    /// Kernel API: waiting for pages of a circular buffer is content with one fewer.
    OnePageIsEnoughToRead,
    /// Kernel API: reserving pages of a circular buffer is content with one fewer.
    OnePageIsEnoughToWrite,
    /// Kernel API: pointers into a circular buffer run on at its end.
    PointersRunOn,
    /// Kernel API: pushing pages counts one.
    PushesCountOne,
    /// Kernel API: popping pages counts one.
    PopsCountOne,
    /// Kernel API: the address generator takes the bank after the right one.
    AddressInTheNextBank,
    /// Kernel API: the address generator counts rounds over the banks one page too early.
    AddressOnePageOff,
    /// Kernel API: the address generator takes pages in DRAM for aligned as in L1.
    AddressUnaligned,
    /// Kernel API: the accessor of a sharded buffer forgets the last, partial shard.
    AccessorForgetsPartialShards,
    /// Kernel API: the barrier for reads waits for nothing.
    ReadBarrierWaitsForNothing,
    /// Kernel API: the barrier for writes waits for nothing.
    WriteBarrierWaitsForNothing,
    /// Kernel API: the barrier for atomics waits for nothing.
    AtomicBarrierWaitsForNothing,
    /// Kernel API: nothing is waited for until writes have left.
    FlushWaitsForNothing,
    /// Kernel API: the barrier for a transaction's reads waits for nothing.
    TransactionBarrierWaitsForNothing,
    /// Kernel API: a multicast that should reach its sender does not.
    MulticastDropsItself,
    /// Kernel API: the rectangle of a multicast ends a column early.
    MulticastDropsAColumn,
    /// Kernel API: x and y of a NoC address are swapped.
    NocCoordinatesSwapped,
    /// Kernel API: waiting for a semaphore's value is content with a greater one.
    SemaphoreWaitTakesMore,
    /// Kernel API: waiting for at least a semaphore's value needs one more.
    SemaphoreWaitWantsMore,
    /// Kernel API: an increment of a semaphore adds 1, whatever is asked for.
    IncrementAddsOne,
    /// Kernel API: a semaphore is taken for the next one.
    SemaphoreOfTheNextNumber,
    /// Kernel API: runtime arguments are counted from 1.
    ArgumentsCountedFromOne,
    /// Kernel API: common runtime arguments are a core's own.
    CommonArgumentsAreOwn,
    /// Kernel API: the second packet of a long read comes from where the first one did.
    LongReadsRepeatThemselves,
    /// Kernel start: variables without a value keep what they held.
    VariablesNotZeroed,
    /// Kernel start: the last variable with a value does not get it.
    LastVariableNotSet,
    /// Kernel start: a kernel ends before its writes have arrived.
    KernelEndsBeforeItsWrites,
    /// Firmware: instruction caches keep what they held before a launch.
    OldCodeKept,
    /// Firmware: a launch begins with the page counts that the last one left.
    PageCountsKept,
    /// Firmware: BRISC does not wait for the other cores of its tile.
    DoneBeforeTheOthers,
    /// Firmware: BRISC says that it is done before its kernel runs.
    DoneBeforeTheKernel,
    /// Firmware: the other cores say that they are done before their kernels run.
    FinishedBeforeTheKernel,
    /// Firmware: the last compute thread is not started.
    LastThreadNotStarted,
    /// Events: a queue does not wait for the event that it was told to wait for.
    WaitsDoNotWait,
    /// Events: both queues count with one counter.
    EventNumbersShared,
    /// Events: a call that waits for its queue takes no number.
    WaitingTakesNoNumber,
    /// Events: the host may wait for what only the device sees.
    HiddenEventsAreSeen,
    /// Events: every event counts as expected when it is asked about.
    QueriesSayYes,
    /// Queues: an event does not count as an order between the queues.
    EventsOrderNothing,
    /// Queues: programs of both queues may run on one core at any time.
    CoresHaveNoOwner,
    /// Queues: two commands that race are not reported.
    QueueRacesUnreported,
    /// Queues: commands count as touching the byte after their last one.
    RegionsOfQueueRacesGrow,
    /// Traces: a program need not have been enqueued before.
    TracesTakeColdPrograms,
    /// Traces: what is enqueued into a trace runs at once too.
    TracedProgramsRun,
    /// Traces: a replay leaves the last program out.
    TraceForgetsItsLastProgram,
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
    /// Encoder: no event is visible to the host.
    EncoderHidesEvents,
    /// Replayer: the device is opened without a trace region.
    ReplayerForgetsTraceRegions,
    /// Dispatch: a program is launched with the arguments that it was launched with first.
    ChangedArgumentsNotSent,
    /// Dispatch: kernels count as there although other ones have taken their place.
    TextsCountAsThere,
    /// Dispatch on the device: what has changed of a program is not sent.
    KeptLaunchesNotChanged,
    /// Replayer: on another chip, arguments keep the addresses that buffers had on the capture's.
    AdaptedReplayKeepsAddresses,
    /// Assessment: that a chip has another number of circular buffers is no reason.
    AssessmentForgetsCircularBuffers,
    /// Harvesting: translated numbers name the tiles of a whole chip.
    TranslationIgnoresHarvesting,
    /// Harvesting: a device is opened as if nothing were fused off.
    HarvestingUnread,
    /// Dispatch on the device: what goes to a rectangle of tiles does not reach its last row.
    RectanglesLoseTheirLastRow,
}

/// Whether a defect is switched on.
#[cfg(feature = "sabotage")]
#[inline]
pub fn planted(defect: Defect) -> bool {
    use std::sync::OnceLock;
    static CHOSEN: OnceLock<Option<Defect>> = OnceLock::new();
    let chosen = CHOSEN.get_or_init(|| {
        let name = std::env::var(VARIABLE).ok()?;
        Defect::ALL.iter().copied().find(|defect| defect.name() == name)
    });
    *chosen == Some(defect)
}

/// Whether a defect is switched on: never, in this build.
#[cfg(not(feature = "sabotage"))]
#[inline]
pub const fn planted(defect: Defect) -> bool {
    let _ = defect;
    false
}
