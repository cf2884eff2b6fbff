//! A profile as an HTML page: operations by duration, the activity of their processors, and the most expensive
//! lines.

use hallmark_report::{Lane, LineCost, ProfileReport, ProfiledOperation, WaitShare, ZoneCost};

use super::operation::{Ended, Operation};
use super::own_lines::{OwnLine, OwnLines};
use super::summary::{sentence, waits};
use super::zones::{CommonZone, zones};

/// The page of some operations.
pub fn page(
    operations: &[Operation<'_>],
    beside: &[String],
    subject: &str,
    device: &str,
    knows_launches: bool,
) -> ProfileReport {
    let mut slowest: Vec<(usize, &Operation<'_>)> = operations.iter().enumerate().collect();
    slowest.sort_by_key(|(place, it)| {
        let ticks = it.firmware().map_or(0, |firmware| firmware.ticks());
        (std::cmp::Reverse(ticks), *place)
    });
    let sentence = slowest.first().and_then(|(_, it)| sentence(it)).unwrap_or_default();
    let mut remarks: Vec<String> =
        beside.iter().map(|line| format!("{}.", capitalised(line))).collect();
    if !knows_launches {
        remarks.push(
            "The device does not tell what its cores do, so that no operation has a duration."
                .to_owned(),
        );
    }
    ProfileReport {
        subject: subject.to_owned(),
        device: device.to_owned(),
        sentence,
        remarks,
        operations: slowest.into_iter().map(|(place, it)| operation(place, it)).collect(),
    }
}

fn operation(place: usize, it: &Operation<'_>) -> ProfiledOperation {
    let common = waits(it).into_iter().map(|wait| WaitShare {
        place: wait.what(),
        kernel: wait.kernel,
        cores: wait.cores as u64,
        ticks: wait.ticks,
        of: wait.of,
    });
    ProfiledOperation {
        place: (place as u64).saturating_add(1),
        program: it.name.to_owned(),
        ticks: it.firmware().map(|firmware| firmware.ticks()),
        cores: it.cores().map(|cores| cores as u64),
        completed: it.ended() != Ended::No,
        lanes: lanes(it),
        waits: common.collect(),
        lines: own_lines(it).collect(),
        zones: zones(std::iter::once(it)).iter().map(zone_cost).collect(),
    }
}

/// The sentence with a capital first letter.
fn capitalised(sentence: &str) -> String {
    let mut letters = sentence.chars();
    let first = letters.next().map(|first| first.to_uppercase().collect::<String>());
    first.unwrap_or_default() + letters.as_str()
}

fn zone_cost(zone: &CommonZone<'_>) -> ZoneCost {
    ZoneCost {
        kernel: zone.kernel.clone(),
        zone: zone.described(),
        times: zone.times,
        ticks: zone.ticks,
        longest: zone.longest,
        open: zone.open,
    }
}

/// The kernels' own lines by executed instructions.
fn own_lines(operation: &Operation<'_>) -> impl Iterator<Item = LineCost> {
    let OwnLines { lines, instructions: of } = OwnLines::of(operation);
    lines.into_iter().map(move |OwnLine { place, instructions, .. }| LineCost {
        place,
        instructions,
        of,
    })
}

/// The processors that ran a kernel.
fn lanes(operation: &Operation<'_>) -> Vec<Lane> {
    let Some(begin) = operation.firmware_start() else { return Vec::new() };
    let lane = |(it, kernel): (&hallmark_runtime::ProcessorProfile, hallmark_runtime::Interval)| {
        let spans = it.waits.iter().flat_map(|wait| &wait.spans);
        let mut waits: Vec<(u64, u64)> =
            spans.map(|span| (span.from.since(begin), span.until.since(begin))).collect();
        waits.sort_unstable();
        Lane {
            tile: it.tile.to_string(),
            processor: it.processor.name().to_owned(),
            kernel: Some((kernel.from.since(begin), kernel.until.since(begin))),
            waits,
        }
    };
    operation.kernels_run().map(lane).collect()
}
