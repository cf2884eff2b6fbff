//! Zones of kernels as text: those with the longest durations, and missing ones.

use std::collections::{BTreeMap, BTreeSet};

use hallmark_runtime::{MarkedPlace, ProcessorMarkers, ProcessorProfile};
use hallmark_schema::plural::{counted, grouped};

use super::operation::Operation;

/// The largest number of shown zones.
const SHOWN: usize = 10;

/// The zones with the same name in a kernel of a program, summed over all cores.
#[derive(Clone, Debug)]
pub(super) struct CommonZone<'a> {
    pub(super) program: &'a str,
    pub(super) kernel: String,
    place: &'a MarkedPlace,
    pub(super) times: u64,
    pub(super) ticks: u64,
    pub(super) longest: u64,
    pub(super) open: u64,
}

impl CommonZone<'_> {
    /// The zone's name and line, with code in backticks.
    pub(super) fn described(&self) -> String {
        let place = self.place;
        let file = place.file.rsplit('/').next().unwrap_or(&place.file);
        match place.name.as_str() {
            "" => format!("number {}, of which the kernel's ELF has no name", place.number),
            name => format!("`{name}` {file}:{}", place.line),
        }
    }
}

/// The markers of some operations' processors.
fn marked<'o, 'a: 'o>(
    operations: impl Iterator<Item = &'o Operation<'a>>,
) -> impl Iterator<Item = (&'o Operation<'a>, &'o ProcessorProfile, &'o ProcessorMarkers)> {
    operations.flat_map(|operation| {
        let processors = operation.launch.into_iter().flat_map(|launch| &launch.processors);
        processors.filter_map(move |it| Some((operation, it, it.markers.as_ref()?)))
    })
}

/// The zones of some operations, summed by kernel and program, the longest first.
pub(super) fn zones<'o, 'a: 'o>(
    operations: impl Iterator<Item = &'o Operation<'a>>,
) -> Vec<CommonZone<'o>> {
    let mut zones: BTreeMap<(&str, String, &MarkedPlace), CommonZone<'_>> = BTreeMap::new();
    for (operation, processor, markers) in marked(operations) {
        let kernel = operation.kernel_name(processor);
        let mut known = |place: &'o MarkedPlace, times, ticks: u64, open| {
            let key = (operation.name, kernel.clone(), place);
            let zone = zones.entry(key).or_insert_with(|| CommonZone {
                program: operation.name,
                kernel: kernel.clone(),
                place,
                times: 0,
                ticks: 0,
                longest: 0,
                open: 0,
            });
            zone.times = zone.times.saturating_add(times);
            zone.ticks = zone.ticks.saturating_add(ticks);
            zone.longest = zone.longest.max(ticks);
            zone.open = zone.open.saturating_add(open);
        };
        for zone in &markers.zones {
            let ticks = zone.interval().map_or(0, |it| it.ticks());
            known(&zone.place, 1, ticks, zone.until.is_none().into());
        }
        for total in &markers.totals {
            known(&total.place, 0, total.ticks.into(), 0);
        }
    }
    let mut zones: Vec<CommonZone<'_>> = zones.into_values().collect();
    zones.sort_by_key(|zone| std::cmp::Reverse(zone.ticks));
    zones
}

/// The lines about markers, if a launch has any.
pub fn lines(operations: &[Operation<'_>]) -> Vec<String> {
    let zones = zones(operations.iter());
    let mut lines = table(&zones);
    for zone in zones.iter().filter(|zone| zone.open > 0) {
        let number = counted(zone.open, "zone", "zones");
        let CommonZone { kernel, program, .. } = zone;
        lines.push(format!("{number} {} of `{kernel}` in {program} did not end", zone.described()));
    }
    lines.extend(dropped(marked(operations.iter())));
    for (completed, why) in [
        (true, "their buffer in DRAM was full"),
        (false, "the device met a fault and answers no more"),
    ] {
        let launches = operations.iter().filter_map(|it| it.launch);
        let launches = launches.filter(|launch| launch.completed == completed);
        let lost: u64 = launches.filter_map(|it| it.lost_markers).map(u64::from).sum();
        if lost > 0 {
            let processors = counted(lost, "processor", "processors");
            lines.push(format!("the markers of {processors} did not arrive: {why}"));
        }
    }
    lines
}

fn table(zones: &[CommonZone<'_>]) -> Vec<String> {
    if zones.is_empty() {
        return Vec::new();
    }
    let shown = zones.get(..SHOWN).unwrap_or(zones);
    let mut lines =
        vec![format!("{:>12}  {:>8}  {:>12}  {:16}  zone", "ticks", "times", "longest", "kernel")];
    for zone in shown {
        // If only the sum of zones was marked, the number is unknown.
        let known = |number| if zone.times == 0 { String::new() } else { grouped(number) };
        lines.push(format!(
            "{:>12}  {:>8}  {:>12}  {:16}  {}",
            grouped(zone.ticks),
            known(zone.times),
            known(zone.longest),
            zone.kernel,
            zone.described()
        ));
    }
    let left = zones.len().saturating_sub(shown.len());
    if left > 0 {
        lines.push(format!("and {} more", counted(left, "zone", "zones")));
    }
    lines
}

/// The note about markers that did not fit.
fn dropped<'o, 'a: 'o>(
    marked: impl Iterator<Item = (&'o Operation<'a>, &'o ProcessorProfile, &'o ProcessorMarkers)>,
) -> Option<String> {
    let mut markers = 0u64;
    let mut kernels = BTreeSet::new();
    for (operation, processor, it) in marked.filter(|(_, _, it)| it.dropped > 0) {
        markers = markers.saturating_add(it.dropped.into());
        kernels.insert(format!("`{}`", operation.kernel_name(processor)));
    }
    (markers > 0).then(|| {
        format!(
            "{} of {} found no room in the 512 words that a launch has, and are missing here",
            counted(markers, "marker", "markers"),
            kernels.into_iter().collect::<Vec<_>>().join(", ")
        )
    })
}
