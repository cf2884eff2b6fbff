//! Deliberate defects of the simulator, by which the suites are tested.

use hallmark_chip::sabotage::{Choice, ENABLED, PlantedDefect};

use crate::machine::core::decode;

hallmark_chip::planted_defects! {
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
    /// Simulator: a store to a semaphore needs no order with the increments of others.
    UnorderedIncrementsPass,
    /// Simulator: a store to a flag needs no order with the writes of others.
    UnorderedWritesOfFlagsPass,
    /// Simulator: accesses to DRAM need no order.
    DramRacesPass,
    /// Simulator: a wait orders after all increments that it finds, even if it needs fewer.
    WaitsOrderAllIncrements,
    /// Simulator: others may increment a word past the value for which a core waits.
    ExactWaitsMayBePassed,
    /// Simulator: a core may store to a word while another core waits for its value.
    AwaitedValuesMayBeWiped,
    /// Simulator: a core may store to a word while another core waits for what a request writes there.
    WrittenFlagsMayBeWiped,
    /// Simulator: a request may write to a word while another core waits for its value.
    AwaitedValuesMayBeOverwritten,
    /// Simulator: two actors may store different values to a flag without an order.
    ValuesOfTwoWritersPass,
    /// Simulator: a store of the value that a core waits for makes the simulator forget that wait.
    KeptValuesEndWaits,
    /// Simulator: a wait whose value others have passed is no more than a deadlock.
    PassedWaitsAreDeadlocks,
    /// Simulator: a semaphore may be counted by a load, an addition and a store while others increment it.
    CountingByHandPasses,
    /// Simulator: two cores of a tile may each load a flag, add to it and store it.
    CountingByTwoPasses,
    /// Simulator: a flag may get another value while a request takes its data from it.
    FlagsSetBackPass,
    /// Simulator: a word of another tile that a core reads until it is raised is no flag.
    WordsReadAgainAreData,
    /// Simulator: two writes of the same word with the same value race.
    EqualWritesRace,
    /// Simulator: a linked request keeps no path open.
    LinkedPathsNotKept,
    /// Simulator: a request may travel on a virtual channel of responses.
    RequestsTakeChannelsOfResponses,
    /// Simulator: a kernel may wait by a count that a multicast has made wrong.
    MulticastsKeepCountsRight,
    /// Simulator: a multicast whose rows alone run the wrong way reaches nobody and is no fault.
    MulticastWrapsInRows,
    /// Simulator: a multicast whose columns alone run the wrong way reaches nobody and is no fault.
    MulticastWrapsInColumns,
    /// Simulator: a multicast atomic changes the first tile of its rectangle alone.
    MulticastAtomicReachesOneTile,
    /// Simulator: a multicast atomic needs no responses.
    PostedMulticastAtomics,
    /// Simulator: the opcodes 3, 5 and 7 of atomics increment, too.
    OddAtomicsIncrement,
    /// Simulator: a NoC read begins 16 bytes too far on.
    ReadsTooFarOn,
    /// Simulator: a NoC write begins 16 bytes too far on.
    WritesTooFarOn,
    /// Simulator: an inline write writes one more.
    InlineWritesOneMore,
    /// Simulator: mailboxes hold five words.
    MailboxesHoldFive,
    /// Simulator: a byte or half-word that a core stores leaves the line of its data cache as it was.
    NarrowStoresKeepTheirLine,
    /// Simulator: a loop may poll a line of the data cache that it never empties.
    StaleLinesPolled,
    /// Simulator: the data cache holds a line more.
    DataCacheOneLineMore,
    /// Simulator: the data cache holds a line less.
    DataCacheOneLineLess,
    /// Simulator: private RAM is a word longer.
    PrivateMemoryOneWordMore,
    /// Simulator: private RAM is a word shorter.
    PrivateMemoryOneWordLess,
    /// Simulator: of what nobody wrote, `sra` and `srai` make a known sign.
    SraForgetsPoison,
    /// Simulator: `clz` of 0 is 31.
    ClzOfZeroIs31,
    /// Simulator: launches may touch memory that they were not given.
    NothingIsGranted,
    /// Simulator: an address that was computed from a buffer's argument may lie in the next buffer that a kernel was given.
    ArgumentsLeaveTheirMemory,
    /// Simulator: `pack` takes the upper half of its second operand.
    PackTakesTheUpperHalf,
    /// Simulator: a kernel may end with requests under way.
    RequestsLeftUnderWay,
    /// Simulator: any answer tells a kernel that its atomics have arrived.
    AnswersTellOfAllAtomics,
    /// Simulator: any answer tells a kernel that its writes have arrived.
    AnswersTellOfAllWrites,
    /// Simulator: a kernel may wait by the count of a transaction identifier that may have wrapped.
    TransactionsWithoutLimit,
    /// Simulator: a kernel may push more pages into a circular buffer than are free.
    PushesBeyondTheRoom,
    /// Simulator: a kernel may pop more pages of a circular buffer than there are.
    PopsBeyondTheReceived,
    /// Simulator: a pointer of a circular buffer may pass the end of its memory.
    PointersPassTheEnd,
    /// Simulator: a NoC request may pass the end of a circular buffer.
    RequestsPassTheEnd,
    /// Simulator: a pointer of a circular buffer may be used in the next memory that a launch was given.
    PointersLeaveTheirMemory,
}

/// The instructions that do something else than they should, one defect each.
pub const WRONG_INSTRUCTIONS: &[PlantedDefect] = decode::WRONG_INSTRUCTIONS;

/// What an instruction's result is to be combined with by `xor`: 0, unless its defect is switched on. The lowest
/// bits stay, so that addresses stay aligned.
#[inline]
pub(crate) fn wrong(operation: u8) -> u32 {
    static CHOICE: Choice = Choice::new();
    let index = usize::from(operation.saturating_sub(decode::FIRST_INSTRUCTION));
    if ENABLED && CHOICE.is(WRONG_INSTRUCTIONS, index) { 4 } else { 0 }
}
