//! One test from its suite to its verdict: capture, expectations, bytes, golden, replay in a fresh
//! process, comparison.

mod awaited_enqueue;
pub(crate) mod buffer_places;
pub mod captured_failure;
pub mod captured_test;
pub mod compare;
mod core_groups;
mod device_kernels;
mod differing_reads;
pub mod execute;
mod failure_details;
pub mod finding;
pub mod judge;
mod known_deviation;
pub mod markers;
mod memory_names;
mod mismatch;
mod notices;
mod open_buffers;
mod pictures;
mod place;
pub mod probe;
pub mod profiled;
pub mod seeds;
pub mod signatures;
pub(crate) mod source_lines;
pub mod stopped;
mod stopped_program;
mod tensor_difference;
mod test_folder;
mod tolerance;
pub(crate) mod waits;
mod writer;

use std::sync::Arc;
use std::time::{Duration, Instant};

use hallmark_chip::sabotage::is_switched_off;
use hallmark_chip::{Architecture, ChipDescription};
use hallmark_runtime::device_code::KernelStore;
use hallmark_schema::class::FieldClass;
use hallmark_schema::model::{Capture, SharedBytes};
use hallmark_schema::{CaptureError, Golden, program_bytes};

pub use self::execute::{
    Executed, Limits, ReplayOf, assess_capture, replay_capture, replay_noting_state,
    replay_profiling, start,
};
pub use self::failure_details::{FailureDetails, Remedy, RemedyKind};
pub use self::finding::Finding;
use self::judge::Side;
pub use self::known_deviation::Sightings;
pub(crate) use self::mismatch::buffer_difference;
pub use self::notices::Notices;
pub(crate) use self::open_buffers::open_buffers;
pub use self::test_folder::TestFolder;
pub(crate) use self::writer::{enqueues_on, writer_in_words};
use crate::applicability;
use crate::checks::Check;
use crate::devices;
use crate::executor::{Dispatch, Executor, ExecutorChoice, Executors, ProgramSettings};
use crate::golden::{self, GoldenDifference, StoredGolden};
use crate::suite::bound::BoundTest;
use crate::suite::deviations::Deviations;
use crate::suite::discover::{Root, SelectedTest};
use crate::suite::mistake::SuiteMistakes;
use crate::suite::name::TestName;
use crate::suite::read::Choice as _;
use crate::triage::first_bad::{FailedTest, FirstBadLine};
use crate::triage::signature::Signature;
use crate::verdict::{ExitCode, Mode, Verdict};
use crate::worker::kernels::BrokenKernel;
use crate::worker::process::WorkerProgram;

/// What all tests of a run share.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The folder with the suites and the goldens.
    pub root: Root,
    /// What workers are and what they open.
    pub workers: WorkerSettings,
    /// Whether a derived difference fails a test.
    pub strict_derived: bool,
    /// Where kernels come from.
    pub kernels: Arc<KernelStore>,
    /// What TT-Metalium is known to do otherwise; empty where nothing runs through it.
    pub deviations: Arc<Deviations>,
    /// How long the first bad command of a failed test is looked for, if it is.
    pub triage: Option<Duration>,
}

/// What workers are and what they open.
#[derive(Clone, Debug)]
pub struct WorkerSettings {
    /// Who captures, by architecture.
    pub executors: Executors,
    /// Who replays, where it is another.
    pub replay_executors: Executors,
    /// How programs run on executors that do not say it themselves.
    pub programs: ProgramSettings,
    /// The executable that this release's workers are.
    pub worker: WorkerProgram,
    /// Who hears of what takes long beside the tests.
    pub notices: Notices,
}

impl WorkerSettings {
    /// Who captures tests of an architecture.
    pub fn executor(&self, architecture: Architecture) -> Executor {
        self.executors.of(architecture, &self.programs)
    }

    /// Who replays captures of an architecture.
    pub fn replay_executor(&self, architecture: Architecture) -> Executor {
        let chosen = self.replay_executors.chosen(architecture);
        let other = chosen.map(|choice| choice.executor(architecture, &self.programs));
        other.unwrap_or_else(|| self.executor(architecture))
    }

    /// The same, if it is another than who captures.
    pub fn other_replay_executor(&self, architecture: Architecture) -> Option<Executor> {
        let other = self.replay_executor(architecture);
        (other != self.executor(architecture)).then_some(other)
    }

    /// The chip that captures tests of an architecture, as far as that is known before it is opened.
    pub fn chip(&self, architecture: Architecture) -> &'static ChipDescription {
        self.executor(architecture).chip()
    }

    /// A test bound for the chip that captures it.
    ///
    /// # Errors
    /// Its suite is wrong.
    pub fn bind(&self, test: &SelectedTest) -> Result<BoundTest, SuiteMistakes> {
        test.bind_on(self.chip(test.name.architecture))
    }

    /// The flags that make programs run so again, each after a space.
    pub fn program_flags(&self) -> String {
        let mut flags = String::new();
        let ProgramSettings { firmware, dispatch, schedule_seed } = &self.programs;
        if let Some(firmware) = firmware {
            flags.push_str(&format!(" --firmware {}", firmware.display()));
        }
        if *dispatch != Dispatch::Host {
            flags.push_str(&format!(" --dispatch {dispatch}"));
        }
        if *schedule_seed != 0 {
            flags.push_str(&format!(" --schedule-seed {schedule_seed}"));
        }
        flags
    }

    /// Whether rows or columns are fused off of the chip that captures.
    pub fn is_harvested(&self, architecture: Architecture) -> bool {
        !self.executor(architecture).device.harvesting().is_none()
    }

    /// Why a test does not apply to the device that captures, or to the one that replays.
    pub fn skip_reason(&self, test: &SelectedTest) -> Option<String> {
        let architecture = test.name.architecture;
        let device = self.executor(architecture).device;
        applicability::skip_reason(&device, architecture, test).or_else(|| {
            // Whether it fits another chip is the replay's to say.
            let other = self.other_replay_executor(architecture)?;
            applicability::unmet_condition(&other.device, test)
        })
    }
}

impl Settings {
    /// Kernels prebuilt below the root's suites, or built and kept below its `target`.
    pub fn kernel_store(root: &Root) -> Arc<KernelStore> {
        let builder = KernelStore::builder()
            .prebuilt(root.suites().join("kernels/prebuilt"))
            .cache(root.folder().join("target/hallmark-kernels"));
        Arc::new(builder.build())
    }
}

/// What came of a test.
#[derive(Clone, Debug)]
pub struct TestResult {
    /// The name that selects it.
    pub name: TestName,
    /// What came of it, after known failures were excused.
    pub verdict: Verdict,
    /// The exit code that it asks for.
    pub exit_code: ExitCode,
    /// What happened, a line each; empty for a pass.
    pub lines: Vec<String>,
    /// Wall-clock time.
    pub elapsed: Duration,
    /// The kernel that does not compile, if that is all that came of it: it is told once for all tests.
    pub broken_kernel: Option<BrokenKernel>,
    /// Entries of the list of deviations that apply to it.
    pub sightings: Sightings,
    /// What the failure is, if it did not pass and that says something about the device and its programs.
    pub signature: Option<Signature>,
    /// Its first bad command, if it did not pass and that was looked for.
    pub first_bad: Option<FirstBadLine>,
    /// What else is known of it, if it did not pass.
    pub details: FailureDetails,
}

impl TestResult {
    /// What to do about it, a line each.
    pub fn remedies(&self) -> Vec<String> {
        let first_bad = self.first_bad.iter().flat_map(FirstBadLine::lines);
        first_bad.chain(self.details.remedies.iter().map(Remedy::line)).collect()
    }

    /// What happened and what to do, a line each; empty for a pass.
    pub fn report(&self) -> Vec<String> {
        self.lines.iter().cloned().chain(self.remedies()).collect()
    }
}

/// A test that ran, with what blessing needs.
#[derive(Clone, Debug)]
pub struct Ran {
    /// What was wrong, worst first; none for a pass.
    pub findings: Vec<Finding>,
    /// The capture, if there is a whole one.
    pub capture: Option<Arc<Capture>>,
    /// The bytes of the capture, or of what a journal held; may be empty.
    pub bytes: SharedBytes,
    /// What the replay in a fresh process recorded, if it came to a whole capture.
    pub replay: Option<Arc<Capture>>,
    /// Whether the golden holds only a hash.
    pub digest_golden: bool,
}

impl Ran {
    /// A test that came to no capture.
    fn without_capture(finding: Finding, digest_golden: bool) -> Self {
        let bytes = Vec::new().into();
        Self { findings: vec![finding], capture: None, bytes, replay: None, digest_golden }
    }
}

/// Whether the golden is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GoldenCheck {
    /// A run: the golden must be there and equal.
    Compare,
    /// Blessing, where whatever comes out becomes the golden if all else is well; and a chip with
    /// another grid than goldens are of.
    Ignore,
}

/// Runs a test, unless it does not apply.
pub fn run_test(settings: &Settings, test: &SelectedTest) -> Result<TestResult, SuiteMistakes> {
    let skipped = |reason| TestResult {
        name: test.name.clone(),
        verdict: Verdict::Skipped { reason },
        exit_code: ExitCode::SUCCESS,
        lines: Vec::new(),
        elapsed: Duration::ZERO,
        broken_kernel: None,
        sightings: Sightings::default(),
        signature: None,
        first_bad: None,
        details: FailureDetails::default(),
    };
    if let Some(reason) = settings.workers.skip_reason(test) {
        return Ok(skipped(reason));
    }
    let bound = settings.workers.bind(test)?;
    if let Some(reason) = excused_on_one(settings, test, &bound) {
        return Ok(skipped(reason));
    }
    let seed = settings.workers.executor(test.name.architecture).programs.schedule_seed;
    let kept = TestFolder::new(&settings.root, &test.name, seed);
    kept.clear();
    // A golden is of the whole chip's grid.
    let check = match settings.workers.is_harvested(test.name.architecture) {
        false => GoldenCheck::Compare,
        true => GoldenCheck::Ignore,
    };
    let (ran, start) = perform_when_ready(settings, &test.name, &bound, &kept, check);
    let mut result = conclude(settings, test, &bound, ran, &kept, start.elapsed());
    known_deviation::excuse(settings, test, &mut result)?;
    if matches!(result.verdict, Verdict::KnownDeviation { .. }) {
        kept.clear();
    }
    if !result.verdict.is_success(Mode::Ordinary) {
        let written_at = format!("{}:{}", test.suite().file.path(), test.line());
        result.details.written_at = Some(written_at);
    }
    result.elapsed = start.elapsed();
    Ok(result)
}

/// Why a test cannot pass from one device to another: it is expected to fail on one of two kinds, so the
/// other cannot repeat it.
fn excused_on_one(settings: &Settings, test: &SelectedTest, bound: &BoundTest) -> Option<String> {
    let architecture = test.name.architecture;
    let other = devices::kind(&settings.workers.other_replay_executor(architecture)?.device);
    let device = devices::kind(&settings.workers.executor(architecture).device);
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

/// Why a replay on another chip need not repeat a test: it does not apply there, or its suite gives that one other
/// numbers. A capture does not tell a fact of its chip from any other number, so only the suite knows.
fn states_its_chip(settings: &Settings, name: &TestName, bound: &BoundTest) -> Option<String> {
    let architecture = name.architecture;
    let replaying = settings.workers.other_replay_executor(architecture)?;
    let (device, other, chip) = (&replaying.device, replaying.architecture, replaying.chip());
    if chip == settings.workers.chip(architecture) {
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

/// The name under which a verdict is switched off: what leads to it goes unnoticed.
const VERDICT: &str = "verdict";

/// A bound test's own run.
#[derive(Debug)]
pub struct JudgedCapture {
    /// What the worker left.
    pub executed: Executed,
    /// What is not as the suite expects; nothing looked at a golden or a replay.
    pub findings: Vec<Finding>,
}

/// Captures a bound test and compares outcomes and outputs with what its suite expects. Outputs that are not near enough
/// are kept in a folder, if there is one.
///
/// # Errors
/// What keeps it from running.
pub fn captured_and_judged(
    settings: &Settings,
    architecture: Architecture,
    bound: &BoundTest,
    kept: Option<&TestFolder>,
) -> Result<JudgedCapture, Finding> {
    let executed = execute::capture(settings, architecture, bound)?;
    let mut findings: Vec<Finding> = Vec::new();
    findings.extend(judge::ending(&executed, bound.timeout, Side::Capture));
    if let (Some(capture), true) = (executed.capture.as_deref(), findings.is_empty()) {
        findings.extend(judge::outcomes(capture, bound, &executed.report));
        if findings.is_empty() {
            findings.extend(judge::outputs(capture, bound, kept));
        }
    }
    Ok(JudgedCapture { executed, findings })
}

/// Makes what the executors of a bound test need, captures, judges and replays it; gives when it began. What is made once
/// is not of the test's time.
pub fn perform_when_ready(
    settings: &Settings,
    name: &TestName,
    bound: &BoundTest,
    kept: &TestFolder,
    check: GoldenCheck,
) -> (Ran, Instant) {
    let ready = execute::make_ready(settings, name.architecture, bound);
    let start = Instant::now();
    let ran = match ready {
        Ok(()) => perform(settings, name, bound, kept, check),
        Err(finding) => Ran::without_capture(finding, bound.digest_golden),
    };
    (ran, start)
}

/// Captures, judges and replays a bound test.
pub fn perform(
    settings: &Settings,
    name: &TestName,
    bound: &BoundTest,
    kept: &TestFolder,
    check: GoldenCheck,
) -> Ran {
    let digest_golden = bound.digest_golden;
    let JudgedCapture { executed, mut findings } =
        match captured_and_judged(settings, name.architecture, bound, Some(kept)) {
            Ok(judged) => judged,
            Err(finding) => return Ran::without_capture(finding, digest_golden),
        };
    let Some(capture) = executed.capture.clone() else {
        let recovered = executed.recovered.as_ref().and_then(|capture| capture.to_bytes().ok());
        let bytes = recovered.unwrap_or_default().into();
        return Ran { findings, capture: None, bytes, replay: None, digest_golden };
    };
    if let Some(finding) = rewritten(&capture, &executed.bytes) {
        findings.push(finding);
    }
    let mut replay_capture = None;
    // A hang is not worth a second one.
    let hangs = findings
        .iter()
        .any(|finding| matches!(finding.verdict, Verdict::Hang | Verdict::Interrupted));
    if !hangs {
        let before = findings.len();
        match execute::replay(settings, name, bound, &executed) {
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
                    match states_its_chip(settings, name, bound) {
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
            let who = match settings.workers.other_replay_executor(name.architecture) {
                None => "the device did it both times",
                Some(_) => "both devices did it",
            };
            first.lines.push(format!("The capturing run and the replay agree, so {who}."));
        }
    }
    let refused = |finding: &Finding| matches!(finding.verdict, Verdict::Skipped { .. });
    if findings.iter().all(refused) && check == GoldenCheck::Compare {
        let replay = if findings.is_empty() { Replay::Agreed } else { Replay::DidNotApply };
        // What the golden says comes before a replay that does not apply.
        findings.splice(0..0, compare_with_golden(settings, name, &capture, replay, kept));
    }
    let bytes = executed.bytes.clone();
    Ran { findings, capture: Some(capture), bytes, replay: replay_capture, digest_golden }
}

/// What is wrong with the bytes that a capture was read from: they must come out the same when it is written again.
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

/// What came of the replay before the golden is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Replay {
    /// It repeated what was captured.
    Agreed,
    /// The capture cannot be replayed on the other chip.
    DidNotApply,
}

impl Replay {
    /// What both runs showed, as the second half of a sentence.
    const fn words(self) -> &'static str {
        match self {
            Self::Agreed => "capture and replay agree",
            Self::DidNotApply => "no replay applies",
        }
    }
}

fn compare_with_golden(
    settings: &Settings,
    name: &TestName,
    capture: &Capture,
    replay: Replay,
    kept: &TestFolder,
) -> Option<Finding> {
    let bless = format!("If this is intended: hallmark bless {name}");
    let changed =
        |what: &str| Finding::new(Verdict::Changed, format!("{what}; {}", replay.words()));
    match golden::read(&settings.root, name) {
        StoredGolden::Absent if !Check::GoldenPresent.finds(true) => None,
        StoredGolden::Absent => Some(
            Finding::new(Verdict::Missing, format!("there is no golden {}", name.golden_path()))
                .line(format!(
                    "The expectations hold, and {}. To accept: hallmark bless {name}",
                    replay.words()
                )),
        ),
        StoredGolden::Unreadable(_) if !Check::GoldenReadable.finds(true) => None,
        StoredGolden::Unreadable(problem) => Some(
            changed(&format!("{} cannot be used: {problem}", name.golden_path()))
                .line("Restore it from version control, or bless the test again.")
                .exit(ExitCode::CAPTURE),
        ),
        StoredGolden::Present(golden) => match golden::compare(&golden, capture) {
            Ok(None) => None,
            Ok(Some(GoldenDifference::Program(before))) => {
                kept.differences(&judge::all_program_differences(&before, &capture.program));
                let what = golden::what_changed(&before, &capture.program);
                Some(
                    changed(&what)
                        .signed(signatures::of_programs(&before, &capture.program))
                        .lines(judge::program_differences(&before, &capture.program))
                        .line(bless),
                )
            }
            Ok(Some(GoldenDifference::Digest { golden, capture })) => Some(
                changed(&format!("the program part has the hash {capture}, its golden {golden}"))
                    .signed(Some(Signature::unstable(FieldClass::Stable, "program part")))
                    .line(bless),
            ),
            Ok(Some(GoldenDifference::Outputs(lines))) => {
                let outputs = Golden::of(capture, true).map(|now| now.outputs);
                let signature =
                    outputs.ok().and_then(|now| signatures::of_outputs(&golden.outputs, &now));
                let finding = changed("the outputs differ from their golden").signed(signature);
                Some(finding.lines(lines).line(bless))
            }
            Err(error) => Some(Finding::new(Verdict::InternalError, error.to_string())),
        },
    }
}

/// A capture of which no golden can be written.
#[derive(Debug, thiserror::Error)]
#[error("{0}; a case with a large program part says `golden: {{ digest: reason }}`")]
pub struct GoldenError(#[source] CaptureError);

/// The golden that a capture makes, as a file.
///
/// # Errors
/// The program part breaks a rule of the format, or is larger than a golden may be.
pub fn golden_bytes(capture: &Capture, digest: bool) -> Result<Vec<u8>, GoldenError> {
    Golden::of(capture, digest).and_then(|golden| golden.to_bytes()).map_err(GoldenError)
}

/// Bytes of a capture's program part.
pub fn program_size(capture: &Capture) -> usize {
    program_bytes(&capture.program).map_or(0, |bytes| bytes.len())
}

fn conclude(
    settings: &Settings,
    test: &SelectedTest,
    bound: &BoundTest,
    ran: Ran,
    kept: &TestFolder,
    elapsed: Duration,
) -> TestResult {
    let name = test.name.clone();
    let executor = settings.workers.executor(name.architecture);
    let kind = devices::kind(&executor.device);
    let expected = bound.expected_failures.iter().find(|expected| expected.device == kind);
    let mut findings = ran.findings;
    findings.retain(|finding| !is_switched_off(VERDICT, finding.verdict.name()));
    let worst = if findings.is_empty() { None } else { Some(findings.remove(0)) };
    let broken_kernel = worst.as_ref().and_then(Finding::broken_kernel).cloned();
    let result = |verdict: Verdict, exit_code, lines| TestResult {
        name: name.clone(),
        verdict,
        exit_code,
        lines,
        elapsed,
        broken_kernel: broken_kernel.clone(),
        sightings: Sightings::default(),
        signature: None,
        first_bad: None,
        details: FailureDetails::default(),
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
        (Some(finding), _) => {
            let first_bad = settings.triage.map(|budget| {
                let recovered = || Capture::open(&ran.bytes).ok().map(Arc::new);
                let capture = ran.capture.clone().or_else(recovered);
                let failed = FailedTest {
                    settings,
                    name: &name,
                    bound,
                    verdict: &finding.verdict,
                    signature: finding.signature(),
                    capture: capture.as_deref(),
                };
                failed.first_bad(budget)
            });
            let remedy = |kind, text| Remedy { kind, text };
            let mut remedies = vec![remedy(RemedyKind::Again, again(settings, &name))];
            let replay = settings.workers.other_replay_executor(name.architecture);
            if let Some(replay) = &replay {
                let text = format!("captured on {executor}, replayed on {replay}");
                remedies.push(remedy(RemedyKind::Devices, text));
            }
            let circumstances = circumstances(&executor, replay.as_ref());
            let kept = kept.finish(&finding, &name, &ran.bytes, &circumstances);
            remedies.extend(kept.map(|kept| remedy(RemedyKind::Kept, kept.to_string())));
            let pictures = finding.pictures.to_vec();
            TestResult {
                signature: finding.signature().cloned(),
                first_bad,
                details: FailureDetails { written_at: None, pictures, remedies },
                ..result(finding.verdict.clone(), finding.exit_code(), finding.report())
            }
        }
    }
}

/// What a test ran on, for whoever reads its report later.
fn circumstances(executor: &Executor, replay: Option<&Executor>) -> String {
    let ProgramSettings { firmware, dispatch, schedule_seed } = &executor.programs;
    let firmware = match firmware {
        Some(folder) => folder.display().to_string(),
        None => "built in".to_owned(),
    };
    let replay = replay.map_or_else(String::new, |other| format!(", replayed on {other}"));
    format!(
        "device {executor}{replay}, firmware {firmware}, {dispatch} dispatch, schedule seed {schedule_seed}",
    )
}

/// A text as one word of a command.
pub(crate) fn quoted(text: &str) -> String {
    if text.contains(char::is_whitespace) { format!("'{text}'") } else { text.to_owned() }
}

/// The command that repeats a test.
fn again(settings: &Settings, name: &TestName) -> String {
    let mut command = format!("hallmark run --exact {name}");
    let WorkerSettings { executors, replay_executors, programs, .. } = &settings.workers;
    let flag = |flag: &str, choice: Option<&ExecutorChoice>, unless: Executor| match choice {
        Some(choice) if choice.executor(name.architecture, programs) != unless => {
            format!(" {flag} {}", quoted(&format!("{}={choice}", name.architecture)))
        }
        Some(_) | None => String::new(),
    };
    let simulator = ExecutorChoice::simulator().executor(name.architecture, programs);
    let executor = settings.workers.executor(name.architecture);
    command.push_str(&flag("--device", executors.chosen(name.architecture), simulator));
    let replay = replay_executors.chosen(name.architecture);
    command.push_str(&flag("--replay-device", replay, executor));
    command.push_str(&settings.workers.program_flags());
    command
}
