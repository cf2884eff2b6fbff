//! The waits of a replay for units of the Tensix coprocessor, by source line.

use hallmark_chip::WaitReport;
use hallmark_execution::worker::profile::ProfileNotes;
use hallmark_pipeline::source_lines::outermost_and_innermost;
use hallmark_schema::model::Capture;

/// The waits of a profiled replay, of all launches and all tiles.
#[must_use]
pub fn report(notes: &ProfileNotes, capture: &Capture) -> WaitReport {
    let mut report = WaitReport::default();
    let launches = notes.calls.iter().flat_map(|call| &call.launches);
    let processors = launches.flat_map(|launch| &launch.processors);
    for wait in processors.flat_map(|processor| &processor.unit_waits) {
        report.add(wait, |step| outermost_and_innermost(capture, &step.frames));
    }
    report
}
