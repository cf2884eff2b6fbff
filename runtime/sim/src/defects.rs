//! Deliberate defects of the simulator, by which the suites are tested.

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
}
