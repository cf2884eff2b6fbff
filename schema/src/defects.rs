//! Deliberate defects of encoder and decoder. The suites must detect each of them.

hallmark_chip::planted_defects! {
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
    /// Encoder: no event is visible to the host.
    EncoderHidesEvents,
}
