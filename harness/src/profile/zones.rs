//! Zones of kernels for people: which took the most time, and what is missing.

use std::collections::{BTreeMap, BTreeSet};

use hallmark_runtime::{MarkedPlace, ProcessorMarkers, ProcessorProfile};
use hallmark_schema::plural::{counted, grouped};

use super::operation::Operation;
use super::summary::processor_kernel;

/// Zones that are shown.
const SHOWN: usize = 10;

/// What is known of the zones of one name in one program.
#[derive(Default)]
struct Zones {
    times: u64,
    ticks: u64,
    longest: u64,
    open: u64,
}

/// The lines about markers, if a launch has any.
pub fn lines(operations: &[Operation<'_>]) -> Vec<String> {
    let launches = || operations.iter().filter_map(|it| Some((it, it.launch?)));
    let marked = || {
        launches().flat_map(|(operation, launch)| {
            let processors = launch.processors.iter();
            processors.filter_map(move |it| Some((operation, it, it.markers.as_ref()?)))
        })
    };
    let mut zones: BTreeMap<(&str, String, &MarkedPlace), Zones> = BTreeMap::new();
    for (operation, processor, markers) in marked() {
        let kernel = || processor_kernel(operation, processor.processor, &[]);
        for zone in &markers.zones {
            let known = zones.entry((operation.name, kernel(), &zone.place)).or_default();
            let ticks = zone.interval().map(|it| it.ticks());
            known.times = known.times.saturating_add(1);
            known.ticks = known.ticks.saturating_add(ticks.unwrap_or(0));
            known.longest = known.longest.max(ticks.unwrap_or(0));
            known.open = known.open.saturating_add(u64::from(zone.until.is_none()));
        }
        for total in &markers.totals {
            let known = zones.entry((operation.name, kernel(), &total.place)).or_default();
            known.ticks = known.ticks.saturating_add(total.ticks.into());
        }
    }
    let mut lines = table(&zones);
    for ((program, kernel, place), zone) in zones.iter().filter(|(_, zone)| zone.open > 0) {
        let zones = counted(zone.open, "zone", "zones");
        lines.push(format!("{zones} {} of `{kernel}` in {program} did not end", described(place)));
    }
    lines.extend(dropped(marked()));
    let lost: u64 = launches().filter_map(|(_, it)| it.lost_markers).map(u64::from).sum();
    if lost > 0 {
        lines.push(format!(
            "the markers of {} did not arrive: their buffer in DRAM was full, or the device met a fault and answers no more",
            counted(lost, "processor", "processors")
        ));
    }
    lines
}

fn table(zones: &BTreeMap<(&str, String, &MarkedPlace), Zones>) -> Vec<String> {
    let mut shown: Vec<_> = zones.iter().collect();
    shown.sort_by_key(|(_, zone)| std::cmp::Reverse(zone.ticks));
    let Some(left) = shown.len().checked_sub(SHOWN).or((!shown.is_empty()).then_some(0)) else {
        return Vec::new();
    };
    shown.truncate(SHOWN);
    let mut lines =
        vec![format!("{:>12}  {:>8}  {:>12}  {:16}  zone", "ticks", "times", "longest", "kernel")];
    for ((_, kernel, place), zone) in shown {
        lines.push(format!(
            "{:>12}  {:>8}  {:>12}  {kernel:16}  {}",
            grouped(zone.ticks),
            if zone.times == 0 { String::new() } else { grouped(zone.times) },
            if zone.times == 0 { String::new() } else { grouped(zone.longest) },
            described(place)
        ));
    }
    if left > 0 {
        lines.push(format!("and {} more", counted(left, "zone", "zones")));
    }
    lines
}

/// A zone's name and its line.
fn described(place: &MarkedPlace) -> String {
    let file = place.file.rsplit('/').next().unwrap_or(&place.file);
    match place.name.as_str() {
        "" => format!("number {}, of which the kernel's ELF has no name", place.number),
        name => format!("`{name}` {file}:{}", place.line),
    }
}

/// What is said of markers that found no room.
fn dropped<'a>(
    marked: impl Iterator<Item = (&'a Operation<'a>, &'a ProcessorProfile, &'a ProcessorMarkers)>,
) -> Option<String> {
    let mut markers = 0u64;
    let mut kernels = BTreeSet::new();
    for (operation, processor, it) in marked.filter(|(_, _, it)| it.dropped > 0) {
        markers = markers.saturating_add(it.dropped.into());
        kernels.insert(format!("`{}`", processor_kernel(operation, processor.processor, &[])));
    }
    (markers > 0).then(|| {
        format!(
            "{} of {} found no room in the 512 words that a launch has, and are missing here",
            counted(markers, "marker", "markers"),
            kernels.into_iter().collect::<Vec<_>>().join(", ")
        )
    })
}
