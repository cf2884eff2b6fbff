//! Known deviations of TT-Metalium, as a test meets them.

use std::collections::BTreeSet;

use hallmark_suite::deviations::SightingKey;

/// Entries of the list of deviations that apply to a test.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sightings {
    /// Those that explain a difference, and all of a test with an unexplained one: they may hold once that is mended.
    pub needed: BTreeSet<SightingKey>,
    /// Those that explain nothing.
    pub unused: BTreeSet<SightingKey>,
}
