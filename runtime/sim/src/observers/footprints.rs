//! Which memory the requests of each tile have touched, kept from the moment at which somebody asks for it.

use hallmark_chip::Footprints;

use crate::machine::fault::Origin;
use crate::machine::observer::{MemoryRange, Observer};

/// The memory that requests have touched since [`RequestFootprints::take`] was called last.
#[derive(Debug, Default)]
pub(crate) struct RequestFootprints(Option<Footprints>);

impl RequestFootprints {
    /// What requests have touched since the last call. The first call begins to look.
    pub(crate) fn take(&mut self) -> Footprints {
        self.0.replace(Footprints::new()).unwrap_or_default()
    }
}

impl Observer for RequestFootprints {
    fn accesses(&mut self, range: &MemoryRange, writes: bool, by: Origin) {
        if let (Some(footprints), Origin::Core(issuer)) = (&mut self.0, by) {
            let footprint = footprints.entry(issuer.tile).or_default();
            footprint.add(range.at, range.start, range.length, writes);
        }
    }
}
