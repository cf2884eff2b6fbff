//! Which suite test catches which defect.

use hallmark_chip::sabotage::Defect;

/// The test that must not pass while a defect is switched on.
pub(crate) const fn caught_by(defect: Defect) -> &'static str {
    match defect {
        Defect::PagesUnaligned => "wormhole_b0::faults::uninitialised::padding_is_copied",
        Defect::MemoryGivenTwice => "wormhole_b0::buffers::round_trip::neighbours::type=dram",
        Defect::FreedMemoryLost => "wormhole_b0::buffers::lifetime::out_of_scope",
        Defect::FreeNeighboursApart => "wormhole_b0::buffers::lifetime::overlapping_scopes",
        Defect::LastRoundForgotten => "wormhole_b0::buffers::round_trip::neighbours::type=dram",
    }
}
