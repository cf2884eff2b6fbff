//! The identity of a compared test besides the executors, as a hash, so that a stored result can be matched
//! with the test.

use hallmark_execution::executor::Executor;
use hallmark_execution::worker::job::CaptureJob;
use hallmark_schema::model::ContentHash;
use hallmark_suite::bound::BoundTest;
use hallmark_suite::deviations::{Known, SightingKey};
use hallmark_suite::discover::SelectedTest;
use hallmark_suite::mistake::SuiteMistakes;
use serde::Serialize;

use super::{
    Applicable, CompareOptions, Compared, Runner, applicable, known_of_capture, known_of_test,
    runners,
};
use crate::captured_test::CapturedTest;
use crate::execute;
use crate::settings::Settings;

/// The inputs that determine a comparison.
#[derive(Serialize)]
struct Parts<'a> {
    /// Why devices are skipped.
    skipped: &'a [Option<String>],
    /// The calls and the kernels, or why there are none.
    job: Result<CaptureJob, Vec<String>>,
    /// For each read, its output, its reference, and the required closeness.
    outputs: Vec<(&'a str, &'a str, u32, Option<ContentHash>, String)>,
    /// The known deviations of each device.
    known: Vec<Vec<SightingKey>>,
}

/// The identity of a test.
///
/// # Errors
/// The suite is invalid.
pub fn identity(
    settings: &[Settings],
    test: &SelectedTest,
    options: CompareOptions<'_>,
) -> Result<ContentHash, SuiteMistakes> {
    let runners = runners(settings, test.name.architecture);
    let (bound, skipped) = match applicable(&runners, test)? {
        Applicable::Nowhere(others) => return Ok(nowhere(&others)),
        Applicable::Somewhere { bound, skipped } => (bound, skipped),
    };
    let known = known_of(&runners, |on| known_of_test(options.deviations, test, on));
    Ok(hash(&runners, &bound, &skipped, known))
}

/// The identity of a capture's calls.
pub fn capture_identity(
    settings: &[Settings],
    captured: &CapturedTest,
    options: CompareOptions<'_>,
) -> ContentHash {
    let runners = runners(settings, captured.capture.program.architecture);
    let known = known_of(&runners, |on| known_of_capture(options.deviations, captured, on));
    hash(&runners, &captured.bound, &[], known)
}

fn nowhere(others: &[Compared]) -> ContentHash {
    ContentHash::of(&serde_json::to_vec(others).unwrap_or_default())
}

/// The known deviations of each device in the list.
fn known_of<'a>(
    runners: &[Runner<'_>],
    known: impl Fn(&Executor) -> Option<Vec<Known<'a>>>,
) -> Vec<Vec<SightingKey>> {
    let executors = runners.iter().map(|runner| &runner.executors.capture);
    let keys = |known: Vec<Known<'a>>| known.iter().map(Known::key).collect();
    executors.map(|executor| known(executor).map(keys).unwrap_or_default()).collect()
}

fn hash(
    runners: &[Runner<'_>],
    bound: &BoundTest,
    skipped: &[Option<String>],
    known: Vec<Vec<SightingKey>>,
) -> ContentHash {
    let job = runners.first().map(|first| {
        let job = execute::capture_job(first.settings, &first.executors, bound);
        job.map(|(job, _)| job).map_err(|finding| finding.report())
    });
    let outputs = bound.outputs.iter().map(|output| {
        let near = format!("{:?}", output.tolerance);
        (output.output.as_str(), output.against.as_str(), output.command, output.hash, near)
    });
    let parts = Parts {
        skipped,
        job: job.unwrap_or_else(|| Err(Vec::new())),
        outputs: outputs.collect(),
        known,
    };
    ContentHash::of(&serde_json::to_vec(&parts).unwrap_or_default())
}
