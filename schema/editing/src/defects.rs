//! Deliberate defects of the edits; tests must detect each of them ([`hallmark_chip::sabotage`]).

hallmark_chip::planted_defects! {
    /// Edits: a program is launched although its kernels' arguments were removed.
    ClosureForgetsArguments,
    /// Edits: a prefix ends a command early.
    PrefixOneShort,
}
