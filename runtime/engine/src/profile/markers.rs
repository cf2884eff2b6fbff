//! The markers that profiled firmware and kernels write, by processor.

use hallmark_chip::Tick;
use serde::{Deserialize, Serialize};

use super::Interval;

/// The markers of a processor during a launch. Moments are those of its tile's clock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProcessorMarkers {
    /// From firmware's first mark to its last one; nothing if it has not begun.
    pub firmware: Option<ZoneProfile>,
    /// From the call of the kernel to its return; nothing if it was not called, or the kernel has no markers.
    pub kernel: Option<ZoneProfile>,
    /// The kernel's own zones, in the order in which they began.
    pub zones: Vec<ZoneProfile>,
    /// The lengths of zones of which only the sum is kept.
    pub totals: Vec<ZoneTotal>,
    /// Moments that the kernel marked.
    pub events: Vec<EventProfile>,
    /// Markers that found no room.
    pub dropped: u32,
}

impl ProcessorMarkers {
    /// The last moment that was marked.
    pub fn last(&self) -> Option<Tick> {
        let zones = self.firmware.iter().chain(&self.kernel).chain(&self.zones);
        let moments = zones.flat_map(|zone| [Some(zone.from), zone.until]).flatten();
        moments.chain(self.events.iter().map(|event| event.at)).max()
    }
}

/// A zone of a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ZoneProfile {
    /// The kernel's name for it.
    pub place: MarkedPlace,
    /// When it began.
    pub from: Tick,
    /// When it ended; nothing if it did not.
    pub until: Option<Tick>,
}

impl ZoneProfile {
    /// The zone's interval; nothing if it did not end.
    pub fn interval(&self) -> Option<Interval> {
        let until = self.until.filter(|until| self.from <= *until)?;
        Some(Interval { from: self.from, until })
    }
}

/// The length of all zones of one name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ZoneTotal {
    /// The kernel's name for them.
    pub place: MarkedPlace,
    /// Their length in all.
    pub ticks: u32,
}

/// A moment that a kernel marked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EventProfile {
    /// The kernel's name for it. An event has nothing but its number.
    pub place: MarkedPlace,
    /// When.
    pub at: Tick,
    /// The data that the kernel wrote with it, if any.
    pub data: Option<u64>,
}

/// A place that markers name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MarkedPlace {
    /// The number that stands in markers.
    pub number: u16,
    /// Its name; several if they have one number; empty where the ELF has none of that number.
    pub name: String,
    /// The source file, as the compiler names it.
    pub file: String,
    /// Its line; 0 where it is not known.
    pub line: u32,
}
