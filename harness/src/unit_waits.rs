//! The waits of a replay for units of the Tensix coprocessor, by source line.

use hallmark_chip::{ReportedPair, ReportedStep, WaitCounts, WaitReport};
use hallmark_execution::worker::profile::ProfileNotes;
use hallmark_pipeline::source_lines::outermost_and_innermost;
use hallmark_runtime::{OrderedPairProfile, StepProfile, UnitWaitProfile};
use hallmark_schema::model::Capture;

/// The waits of a profiled replay, of all launches and all tiles.
#[must_use]
pub fn report(notes: &ProfileNotes, capture: &Capture) -> WaitReport {
    let mut report = WaitReport::default();
    let step = |StepProfile { processor, pc, frames, name }: &StepProfile| {
        let place = outermost_and_innermost(capture, frames);
        let place = place.unwrap_or_else(|| format!("pc {pc:#x}"));
        ReportedStep::new(*processor, *pc, place, name)
    };
    let launches = notes.calls.iter().flat_map(|call| &call.launches);
    let processors = launches.flat_map(|launch| &launch.processors);
    for wait in processors.flat_map(|processor| &processor.unit_waits) {
        let UnitWaitProfile { step: at, times, is_judged, telling, pairs } = wait;
        let counts = WaitCounts { times: *times, telling: *telling, is_judged: *is_judged };
        let pairs = pairs.iter().map(|OrderedPairProfile { earlier, later, times, others }| {
            let others = others.iter().map(step).collect();
            ReportedPair { earlier: step(earlier), later: step(later), times: *times, others }
        });
        report.add(step(at), counts, pairs);
    }
    report
}
