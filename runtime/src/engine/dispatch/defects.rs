//! Deliberate defects of dispatch by the host and on the device, by which the suites are tested.

hallmark_chip::planted_defects! {
    /// Dispatch: the last tile of a program is not launched.
    LastTileNotLaunched,
    /// Dispatch: a program is done when one of its tiles is.
    OneTileDoneIsEnough,
    /// Dispatch: semaphores get their initial value at the first launch only.
    SemaphoresResetOnce,
    /// Dispatch: a kernel runs as another one of its size that is resident.
    TextOfTheSameSizeReused,
    /// Dispatch: kernels count as there although other ones have taken their place.
    TextsCountAsThere,
    /// Dispatch on the device: what has changed of a program is not sent.
    KeptLaunchesNotChanged,
    /// Dispatch on the device: what goes to a rectangle of tiles does not reach its last row.
    RectanglesLoseTheirLastRow,
}
