//! The markers of firmware and kernels as the table for TT-Metalium's tools: `profile_log_device.csv`, with the
//! columns that `tools/tracy/process_device_log.py` of TT-Metalium 0.81 parses.

use std::num::NonZeroU64;

use hallmark_chip::{ChipDescription, Processor, Tick};
use hallmark_runtime::{MarkedPlace, ProcessorProfile, ZoneProfile};

use super::operation::Operation;

const COLUMNS: [&str; 15] = [
    "PCIe slot",
    "core_x",
    "core_y",
    "RISC processor type",
    "timer_id",
    "time[cycles since reset]",
    "data",
    "run host ID",
    "trace id",
    "trace id counter",
    "zone name",
    "type",
    "source line",
    "source file",
    "meta data",
];

/// Ticks per microsecond by default: a tick counts as a nanosecond.
const MEGAHERTZ: u64 = 1000;

/// One line of the table.
struct Row<'a> {
    at: Tick,
    kind: &'static str,
    place: &'a MarkedPlace,
    data: Option<u64>,
}

/// The file: a line about the chip, one with the columns' names, and one for each marker. `clock` is the number
/// of ticks per second, if the user states it.
///
/// # Errors
/// The writer's error.
pub fn write(
    operations: &[Operation<'_>],
    chip: &ChipDescription,
    clock: Option<NonZeroU64>,
) -> Result<Vec<u8>, csv::Error> {
    let megahertz = clock.map_or(MEGAHERTZ, |clock| clock.get() / 1_000_000);
    let (columns, rows) = chip.compute_grid();
    let about = format!(
        "ARCH: {}, CHIP_FREQ[MHz]: {megahertz}, Max Compute Cores: {}\n",
        chip.architecture,
        columns.saturating_mul(rows)
    );
    let mut writer = csv::Writer::from_writer(about.into_bytes());
    writer.write_record(COLUMNS)?;
    for (number, operation) in (1..).zip(operations) {
        let processors = operation.launch.iter().flat_map(|launch| &launch.processors);
        for processor in processors {
            for row in rows_of(processor) {
                writer.write_record(cells(number, operation, processor, &row))?;
            }
        }
    }
    writer.into_inner().map_err(|error| error.into_error().into())
}

/// The markers of a processor, in chronological order.
fn rows_of(processor: &ProcessorProfile) -> Vec<Row<'_>> {
    let Some(markers) = &processor.markers else { return Vec::new() };
    let mut rows = Vec::new();
    let zones = markers.firmware.iter().chain(&markers.kernel).chain(&markers.zones);
    for ZoneProfile { place, from, until } in zones {
        rows.push(Row { at: *from, kind: "ZONE_START", place, data: None });
        let end = until.map(|at| Row { at, kind: "ZONE_END", place, data: None });
        rows.extend(end);
    }
    for event in &markers.events {
        let kind = if event.data.is_some() { "TS_DATA" } else { "TS_EVENT" };
        rows.push(Row { at: event.at, kind, place: &event.place, data: event.data });
    }
    rows.sort_by_key(|row| row.at);
    // A sum has no time: it is listed at the end of its kernel.
    let last = rows.last().map_or(Tick(0), |row| row.at);
    rows.extend(markers.totals.iter().map(|total| {
        let data = Some(total.ticks.into());
        Row { at: last, kind: "ZONE_TOTAL", place: &total.place, data }
    }));
    rows
}

fn cells(
    number: u64,
    operation: &Operation<'_>,
    processor: &ProcessorProfile,
    row: &Row<'_>,
) -> [String; 15] {
    let replay = |part: fn((u32, u32)) -> u32| {
        let replay = operation.replay.map(|(trace, session)| (trace.0, session));
        replay.map(|replay| part(replay).to_string()).unwrap_or_default()
    };
    let Row { at, kind, place, data } = row;
    [
        "0".to_owned(),
        processor.tile.x.to_string(),
        processor.tile.y.to_string(),
        processor_name(processor.processor).to_owned(),
        place.number.to_string(),
        at.0.to_string(),
        data.unwrap_or(0).to_string(),
        number.to_string(),
        replay(|(trace, _)| trace),
        replay(|(_, session)| session),
        place.name.clone(),
        (*kind).to_owned(),
        place.line.to_string(),
        place.file.clone(),
        String::new(),
    ]
}

/// The processor's name in TT-Metalium's tools.
const fn processor_name(processor: Processor) -> &'static str {
    match processor {
        Processor::Brisc => "BRISC",
        Processor::Ncrisc => "NCRISC",
        Processor::Trisc0 => "TRISC_0",
        Processor::Trisc1 => "TRISC_1",
        Processor::Trisc2 => "TRISC_2",
    }
}
