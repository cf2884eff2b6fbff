//! Known deviations of TT-Metalium in a test.

use std::collections::BTreeSet;

use hallmark_suite::deviations::SightingKey;

/// Entries of the list of deviations that apply to a test.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sightings {
    /// Entries that explain a difference; and all entries of a test with an unexplained difference, because
    /// they may apply once that is fixed.
    pub needed: BTreeSet<SightingKey>,
    /// Entries that explain nothing.
    pub unused: BTreeSet<SightingKey>,
}
