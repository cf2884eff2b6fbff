//! Captures, judges and replays a bound test.

use std::sync::Arc;
use std::time::Instant;

use hallmark_chip::KernelRuns;
use hallmark_execution::worker::report::Warning;
use hallmark_schema::model::{Capture, SharedBytes};
use hallmark_suite::bound::BoundTest;
use hallmark_suite::checks::Check;
use hallmark_suite::name::TestName;

use super::execute;
use super::executed::Executed;
use super::finding::Finding;
use super::golden_check::{Replay, compare_with_golden};
use super::judge::{self, Side};
use super::printed::PrintedLines;
use super::settings::Settings;
use super::test_executors::TestExecutors;
use super::test_folder::TestFolder;
use crate::verdict::Verdict;

/// The sentence under a failure of the device that the replay repeats.
pub const BOTH_TIMES: &str =
    "The capturing run and the replay agree, so the device did it both times.";
/// The same where another device replays.
const BOTH_DEVICES: &str = "The capturing run and the replay agree, so both devices did it.";

/// The results of a test, including those needed for blessing.
#[derive(Clone, Debug)]
pub struct Ran {
    /// The findings, the worst first; empty for a pass.
    pub findings: Vec<Finding>,
    /// The capture, if it is complete.
    pub capture: Option<Arc<Capture>>,
    /// The bytes of the capture, or of the journal's content; may be empty.
    pub bytes: SharedBytes,
    /// The recording of the replay in a fresh process, if it is complete.
    pub replay: Option<Arc<Capture>>,
    /// Whether the golden holds only a hash.
    pub digest_golden: bool,
    /// Whether the captured programs were right only by an order that the chip's documents do not promise.
    pub relies_on_atomics_behind_writes: bool,
    /// The kernels that have run, by what the device judged them by.
    pub kernel_runs: KernelRuns,
    /// Calls of the capturing run that may be mistakes.
    pub warnings: Vec<Warning>,
    /// What the kernels of the capturing run have printed.
    pub printed: Vec<PrintedLines>,
}

impl Ran {
    /// The results of a test without a capture.
    fn without_capture(finding: Finding, digest_golden: bool) -> Self {
        Self {
            findings: vec![finding],
            capture: None,
            bytes: Vec::new().into(),
            replay: None,
            digest_golden,
            relies_on_atomics_behind_writes: false,
            kernel_runs: KernelRuns::default(),
            warnings: Vec::new(),
            printed: Vec::new(),
        }
    }
}

/// Whether the golden is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GoldenCheck {
    /// A run: the golden must exist and be equal.
    Compare,
    /// Blessing, where the result becomes the golden if everything else is fine; or a chip whose grid differs
    /// from that of the goldens.
    Ignore,
}

/// The capturing run of a bound test.
#[derive(Debug)]
pub struct JudgedCapture {
    /// The remains of the worker.
    pub executed: Executed,
    /// The deviations from the suite's expectations, before golden check and replay.
    pub findings: Vec<Finding>,
}

/// Captures a bound test and compares outcomes and outputs with its suite's expectations. Outputs outside their
/// tolerance are kept in a folder, if there is one.
///
/// # Errors
/// Why it cannot run.
pub fn captured_and_judged(
    settings: &Settings,
    on: &TestExecutors,
    bound: &BoundTest,
    kept: Option<&TestFolder>,
) -> Result<JudgedCapture, Finding> {
    let executed = execute::capture(settings, on, bound)?;
    let mut findings: Vec<Finding> = Vec::new();
    findings.extend(judge::ending(&executed, bound.timeout, Side::Capture));
    if let (Some(capture), true) = (executed.capture.as_deref(), findings.is_empty()) {
        findings.extend(judge::outcomes(capture, bound, &executed.report));
        if findings.is_empty() {
            findings.extend(judge::end(capture, bound, &executed.report));
        }
        if findings.is_empty() {
            findings.extend(judge::outputs(capture, bound, kept));
        }
    }
    Ok(JudgedCapture { executed, findings })
}

/// Prepares the executors of a bound test, then captures, judges and replays it; returns the time at which the
/// test began. The one-time preparation does not count as the test's time.
pub fn perform_when_ready(
    settings: &Settings,
    on: &TestExecutors,
    name: &TestName,
    bound: &BoundTest,
    kept: &TestFolder,
    check: GoldenCheck,
) -> (Ran, Instant) {
    let ready = execute::make_ready(settings, on, bound);
    let start = Instant::now();
    let ran = match ready {
        Ok(()) => perform(settings, on, name, bound, kept, check),
        Err(finding) => Ran::without_capture(finding, bound.digest_golden),
    };
    (ran, start)
}

/// Captures, judges and replays a bound test.
pub fn perform(
    settings: &Settings,
    on: &TestExecutors,
    name: &TestName,
    bound: &BoundTest,
    kept: &TestFolder,
    check: GoldenCheck,
) -> Ran {
    let digest_golden = bound.digest_golden;
    let JudgedCapture { executed, mut findings } =
        match captured_and_judged(settings, on, bound, Some(kept)) {
            Ok(judged) => judged,
            Err(finding) => return Ran::without_capture(finding, digest_golden),
        };
    let warnings = executed.report.warnings.clone();
    let printed = executed.printed_lines();
    let relies_on_atomics_behind_writes = executed.report.relies_on_atomics_behind_writes;
    let kernel_runs = executed.report.kernel_runs;
    let Some(capture) = executed.capture.clone() else {
        let recovered = executed.recovered.as_ref().and_then(|capture| capture.to_bytes().ok());
        let bytes = recovered.unwrap_or_default().into();
        return Ran {
            findings,
            capture: None,
            bytes,
            replay: None,
            digest_golden,
            relies_on_atomics_behind_writes,
            kernel_runs,
            warnings,
            printed,
        };
    };
    if let Some(finding) = rewritten(&capture, &executed.bytes) {
        findings.push(finding);
    }
    let mut replay_capture = None;
    // After a hang, the replay would only hang again.
    let hangs = findings
        .iter()
        .any(|finding| matches!(finding.verdict, Verdict::Hang | Verdict::Interrupted));
    if !hangs {
        let before = findings.len();
        match execute::replay(settings, on, name, bound, &executed) {
            Ok(replayed) => {
                replay_capture.clone_from(&replayed.capture);
                let finding = judge::replayed_file(
                    &capture,
                    &replayed,
                    bound.timeout,
                    settings.strict_derived,
                );
                findings.extend(finding.map(|finding| {
                    if finding.verdict != Verdict::Unstable {
                        return finding;
                    }
                    match states_its_chip(settings, on, name, bound) {
                        Some(reason) => Finding::new(Verdict::Skipped { reason }, finding.headline),
                        None => finding,
                    }
                }));
            }
            Err(finding) => findings.push(finding),
        }
        if before > 0
            && findings.len() == before
            && let Some(first) = findings.first_mut()
            && first.is_of_device()
        {
            first.lines.push(match on.other_replay() {
                None => BOTH_TIMES.to_owned(),
                Some(_) => BOTH_DEVICES.to_owned(),
            });
        }
    }
    let refused = |finding: &Finding| matches!(finding.verdict, Verdict::Skipped { .. });
    if findings.iter().all(refused) && check == GoldenCheck::Compare {
        let replay = if findings.is_empty() { Replay::Agreed } else { Replay::DidNotApply };
        // The findings of the golden check precede those of an inapplicable replay.
        findings.splice(0..0, compare_with_golden(settings, name, &capture, replay, kept));
    }
    let bytes = executed.bytes.clone();
    Ran {
        findings,
        capture: Some(capture),
        bytes,
        replay: replay_capture,
        digest_golden,
        relies_on_atomics_behind_writes,
        kernel_runs,
        warnings,
        printed,
    }
}

/// Why a replay on another chip need not repeat a test: the test does not apply there, or its suite gives it
/// other numbers on that chip. A capture does not distinguish a property of its chip from any other number, so
/// only the suite shows this.
fn states_its_chip(
    settings: &Settings,
    on: &TestExecutors,
    name: &TestName,
    bound: &BoundTest,
) -> Option<String> {
    let replaying = on.other_replay()?;
    let (device, other, chip) = (&replaying.device, replaying.architecture, replaying.chip());
    if chip == on.chip {
        return None;
    }
    let name = TestName { architecture: other, ..name.clone() };
    let Ok(there) = settings.root.test(&name) else {
        return Some(format!(
            "its suite has no such test for {device}, on which it does not come out the same"
        ));
    };
    if let Some(conditions) = there.conditions()
        && !conditions.admits(other)
    {
        return Some(format!("not for {device}, which replays: {}", conditions.reason));
    }
    let there = there.bind_on(chip).ok()?;
    let mut steps = bound.case.steps.iter().zip(&there.case.steps);
    let differs =
        steps.find(|(here, there)| here.command != there.command || here.failure != there.failure);
    let what = match differs {
        Some((here, _)) => format!("{} ({})", here.command.kind().name(), here.written_at()),
        None if bound.case.steps.len() != there.case.steps.len() => {
            "the number of its calls".to_owned()
        }
        None => return None,
    };
    Some(format!("its suite gives {device}, which replays, other numbers, first in {what}"))
}

/// The finding for a capture whose bytes differ when it is written again.
pub fn rewritten(capture: &Capture, bytes: &[u8]) -> Option<Finding> {
    match capture.to_bytes() {
        Ok(again) if !Check::Rewritten.finds(again != bytes) => None,
        Ok(_) => Some(Finding::new(
            Verdict::InternalError,
            "the capture, read and written again, has other bytes",
        )),
        Err(error) => Some(Finding::new(
            Verdict::InternalError,
            format!("the capture cannot be written again: {error}"),
        )),
    }
}
