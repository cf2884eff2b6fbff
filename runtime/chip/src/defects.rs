//! Deliberate defects of chip descriptions; the suites must detect each of them.

crate::planted_defects! {
    /// Harvesting: translated coordinates name the tiles of an unharvested chip.
    TranslationIgnoresHarvesting,
}
