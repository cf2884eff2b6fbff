//! One test from its suite to its result.

use hallmark_chip::sabotage::is_switched_off;
use hallmark_execution::devices;
use hallmark_execution::executor::{Executor, ProgramSettings};
use hallmark_execution::worker::report::Warning;
use hallmark_runtime::SimulatorSettings;
use hallmark_suite::bound::BoundTest;
use hallmark_suite::checks::Check;
use hallmark_suite::discover::SelectedTest;
use hallmark_suite::language::{Excuse, TestFailure};
use hallmark_suite::mistake::SuiteMistakes;
use hallmark_suite::read::Choice as _;

use super::failure_details::{FailureDetails, Remedy, RemedyKind};
use super::finding::Finding;
use super::known_deviation;
use super::perform::{GoldenCheck, Ran, perform_when_ready};
use super::repetition::again;
use super::settings::Settings;
use super::test_executors::TestExecutors;
use super::test_folder::TestFolder;
use super::test_result::{FailedRun, TestResult, TestRun};
use super::tile_pages;
use crate::signature::Signature;
use crate::verdict::{ExitCode, Mode, Verdict};

/// The name that switches a verdict off: its causes then go unnoticed.
const VERDICT: &str = "verdict";

/// Runs a test, unless it does not apply.
pub fn run_test(settings: &Settings, test: &SelectedTest) -> Result<TestRun, SuiteMistakes> {
    let skipped = |reason| {
        let verdict = Verdict::Skipped { reason };
        let result = TestResult::new(test.name.clone(), verdict, ExitCode::SUCCESS, Vec::new());
        TestRun { result, failure: None }
    };
    let on = settings.workers.test_executors(test.name.architecture);
    if let Some(reason) = on.skip_reason(test) {
        return Ok(skipped(reason));
    }
    let bound = on.bind(test)?;
    if let Some(reason) = excused_on_one(&on, &bound) {
        return Ok(skipped(reason));
    }
    let seed = on.capture.programs.schedule_seed;
    let kept = TestFolder::new(&settings.root, &test.name, seed);
    kept.clear();
    // Goldens are made with the unharvested chip's grid.
    let check = match on.is_harvested() {
        false => GoldenCheck::Compare,
        true => GoldenCheck::Ignore,
    };
    let (ran, start) = perform_when_ready(settings, &on, &test.name, &bound, &kept, check);
    let Ran {
        mut findings,
        capture,
        bytes,
        relies_on_atomics_behind_writes,
        kernel_runs,
        warnings,
        printed,
        ..
    } = ran;
    kept.printed(&printed);
    if let (Some(worst), Some(capture)) = (findings.first_mut(), &capture)
        && matches!(
            worst.verdict,
            Verdict::Mismatch | Verdict::Fault | Verdict::Deadlock | Verdict::Hang
        )
    {
        worst.lines.splice(0..0, tile_pages::smaller_than_tiles(capture));
    }
    let mut result = conclude(settings, &on, test, &bound, findings, &bytes, &kept);
    result.relies_on_atomics_behind_writes = relies_on_atomics_behind_writes;
    result.kernel_runs = kernel_runs;
    result.printed = printed;
    result.warnings = warnings.iter().map(Warning::sentence).collect();
    known_deviation::excuse(settings, test, &mut result)?;
    if matches!(result.verdict, Verdict::KnownDeviation { .. }) {
        kept.clear();
    }
    let mut failure = None;
    if !result.verdict.is_success(Mode::Ordinary) {
        let written_at = format!("{}:{}", test.suite().file.path(), test.line());
        result.details.written_at = Some(written_at);
        let failed = FailedRun { executors: on, bound, capture, bytes };
        failure = (result.verdict != Verdict::UnexpectedPass).then_some(failed);
    }
    result.elapsed = start.elapsed();
    Ok(TestRun { result, failure })
}

/// Why a test cannot pass between two devices: it is expected to fail on one of two device kinds, so the other
/// cannot repeat it.
fn excused_on_one(on: &TestExecutors, bound: &BoundTest) -> Option<String> {
    let other = devices::kind(&on.other_replay()?.device);
    let device = devices::kind(&on.capture.device);
    let mut expected = bound.expected_failures.iter();
    let excused = expected.find(|it| it.device == device || it.device == other)?;
    (device != other).then(|| {
        format!(
            "expected to fail on {}, one of the two devices: {}",
            excused.device.name(),
            excused.reason
        )
    })
}

/// The result of a test, without its duration.
fn conclude(
    settings: &Settings,
    on: &TestExecutors,
    test: &SelectedTest,
    bound: &BoundTest,
    mut findings: Vec<Finding>,
    bytes: &[u8],
    kept: &TestFolder,
) -> TestResult {
    let executor = &on.capture;
    let name = &test.name;
    let kind = devices::kind(&executor.device);
    let expected = bound.expected_failures.iter().find(|expected| expected.device == kind);
    findings.retain(|finding| !is_switched_off(VERDICT, finding.verdict.name()));
    let worst = if findings.is_empty() { None } else { Some(findings.remove(0)) };
    let broken_kernel = worst.as_ref().and_then(Finding::broken_kernel).cloned();
    let result = |verdict: Verdict, exit_code, lines| {
        let result = TestResult::new(name.clone(), verdict, exit_code, lines);
        TestResult { broken_kernel, ..result }
    };
    match (worst, expected) {
        (None, Some(expected)) if Check::UnexpectedPass.finds(true) => {
            let lines = vec![
                format!(
                    "it passed on {}, although its suite expects {}: {}",
                    devices::short_name(&executor.device),
                    expected.failure.name(),
                    expected.reason
                ),
                "Remove it from `expected_failure`.".to_owned(),
            ];
            result(Verdict::UnexpectedPass, Verdict::UnexpectedPass.exit_code(), lines)
        }
        (None, _) => {
            kept.clear();
            result(Verdict::Pass, ExitCode::SUCCESS, Vec::new())
        }
        (Some(finding), _) if matches!(finding.verdict, Verdict::Skipped { .. }) => {
            kept.clear();
            result(finding.verdict, ExitCode::SUCCESS, Vec::new())
        }
        (Some(finding), Some(expected))
            if !Check::ExcusedCategory.finds(!finding.is_a(expected.failure)) =>
        {
            kept.clear();
            let verdict = Verdict::ExpectedFailure { reason: expected.reason.clone() };
            result(verdict, ExitCode::SUCCESS, Vec::new())
        }
        (Some(finding), _) if excuse_of(test, &finding).is_some() => {
            kept.clear();
            let excuse = excuse_of(test, &finding);
            let text = |excuse: &Excuse| format!("{} is excused: {}", excuse.check, excuse.reason);
            let verdict = Verdict::ExpectedFailure { reason: excuse.map(text).unwrap_or_default() };
            let excused = excuse.map(|excuse| excuse.check);
            TestResult { excused, ..result(verdict, ExitCode::SUCCESS, Vec::new()) }
        }
        (Some(finding), _) => {
            let remedy = |kind, text| Remedy { kind, text };
            let replay = on.other_replay();
            let mut remedies = vec![remedy(RemedyKind::Again, again(settings, on, name))];
            if is_searchable(&finding, replay.is_some()) {
                let text = "the same command with --triage names the first bad command";
                remedies.push(remedy(RemedyKind::Triage, text.to_owned()));
            }
            if let Some(replay) = replay {
                let text = format!("captured on {executor}, replayed on {replay}");
                remedies.push(remedy(RemedyKind::Devices, text));
            }
            let circumstances = circumstances(executor, replay);
            let kept = kept.finish(&finding, name, bytes, &circumstances);
            remedies.extend(kept.map(|kept| remedy(RemedyKind::Kept, kept.to_string())));
            let pictures = finding.pictures.to_vec();
            TestResult {
                signature: finding.signature().cloned(),
                details: FailureDetails { written_at: None, pictures, remedies },
                ..result(finding.verdict.clone(), finding.exit_code(), finding.report())
            }
        }
    }
}

/// The excuse of a finding, if the test's suite excuses the check that found it.
fn excuse_of<'t>(test: &'t SelectedTest, finding: &Finding) -> Option<&'t Excuse> {
    let found = |excuse: &&Excuse| {
        !Check::ExcusedCheck.finds(!finding.is_a(TestFailure::OfCategory(excuse.check)))
    };
    test.excuses().find(found)
}

/// Whether `--triage` would find the first bad command: an output differs from the model, or two devices differ.
fn is_searchable(finding: &Finding, has_two_devices: bool) -> bool {
    let differs = matches!(finding.signature(), Some(Signature::Differs { .. }));
    differs && (finding.verdict == Verdict::Mismatch || has_two_devices)
}

/// The devices and settings of a test, for readers of its report.
fn circumstances(executor: &Executor, replay: Option<&Executor>) -> String {
    let ProgramSettings { firmware, dispatch, schedule_seed, simulator } = &executor.programs;
    let SimulatorSettings { data_cache, strict_isa, strict_tensix } = simulator;
    let firmware = match firmware {
        Some(folder) => folder.display().to_string(),
        None => "built in".to_owned(),
    };
    let replay = replay.map_or_else(String::new, |other| format!(", replayed on {other}"));
    let data_cache = if *data_cache { ", data cache on" } else { "" };
    let strict_isa = if *strict_isa { ", only orders of the ISA documentation" } else { "" };
    let strict_tensix = if *strict_tensix { ", units sample until they have finished" } else { "" };
    format!(
        "device {executor}{replay}, firmware {firmware}, {dispatch} dispatch, schedule seed {schedule_seed}{data_cache}{strict_isa}{strict_tensix}",
    )
}
