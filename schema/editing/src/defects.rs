//! Deliberate defects of the edits, by which tests are tested ([`hallmark_chip::sabotage`]).

hallmark_chip::planted_defects! {
    /// Edits: a program is launched although the arguments of its kernels are gone.
    ClosureForgetsArguments,
    /// Edits: a prefix ends a command early.
    PrefixOneShort,
}
