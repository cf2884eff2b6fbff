//! Deliberate defects of chip descriptions, by which the suites are tested.

crate::planted_defects! {
    /// Harvesting: translated numbers name the tiles of a whole chip.
    TranslationIgnoresHarvesting,
}
