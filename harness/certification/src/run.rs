//! Executes one run of a certification, as `hallmark run` does, without excusing anything.

use std::borrow::Cow;
use std::path::PathBuf;

use hallmark_chip::HarvestingMask;
use hallmark_execution::executor::{Dispatch, ExecutorChoice, Executors};
use hallmark_pipeline::verdict::Verdict;
use hallmark_pipeline::{
    Finding, GoldenCheck, Ran, Settings, TestExecutors, TestFolder, perform_when_ready,
};
use hallmark_runtime::DeviceSpec;
use hallmark_runtime::devices::SimulatedChip;
use hallmark_schema::model::{Capture, CommandIndex, DispatchMode};
use hallmark_schema::{CaptureError, program_hash};
use hallmark_suite::bound::BoundTest;
use hallmark_suite::language::DeviceKind;
use hallmark_suite::mistake::SuiteMistakes;

use super::challenge::Challenge;
use super::resolution::{DemandedTest, TestOrigin};
use super::results::{Basis, Headroom, Pass, ResultLine, RunKey, RunVerdict};
use super::store::{CaptureStore, StoreError};

/// The largest number of lines of a failure in a result.
const LINES: usize = 60;
/// The largest number of characters of each.
const COLUMNS: usize = 400;

/// Executes runs.
#[derive(Clone, Debug)]
pub struct Runner {
    /// The settings of workers; each run has its own dispatch, seed and harvesting.
    settings: Settings,
    /// The store of captures.
    store: CaptureStore,
    /// The folder for the outputs of failures.
    failures: PathBuf,
    /// The challenge that shifts the seeds of the second pass.
    challenge: Option<Challenge>,
}

/// A run without a result.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// A suite is invalid.
    #[error(transparent)]
    Mistakes(#[from] SuiteMistakes),
    /// A capture cannot be stored.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A bug of Hallmark, or a failure of the machine, which says nothing about the subject.
    #[error("{run}: {}; the same command goes on", lines.join("\n"))]
    Internal {
        /// The run.
        run: Box<RunKey>,
        /// The report.
        lines: Vec<String>,
    },
    /// A run of the second pass without a challenge.
    #[error("there is no challenge for {0}")]
    NoChallenge(Box<RunKey>),
    /// A capture breaks a rule of the format.
    #[error("the capture of {run} cannot be read again: {error}")]
    Capture {
        /// The run.
        run: Box<RunKey>,
        /// The problem.
        error: CaptureError,
    },
}

impl Runner {
    /// A runner with these settings, a store for captures, and a folder for the remains of failures.
    pub const fn new(
        settings: Settings,
        store: CaptureStore,
        failures: PathBuf,
        challenge: Option<Challenge>,
    ) -> Self {
        Self { settings, store, failures, challenge }
    }

    /// Captures, judges and replays a test as a run asks for it; nothing if somebody stopped it.
    ///
    /// # Errors
    /// [`RunError`].
    pub fn carry_out(
        &self,
        demanded: &DemandedTest,
        key: &RunKey,
    ) -> Result<Option<ResultLine>, RunError> {
        let settings = self.settings_of(key);
        let on = settings.workers.test_executors(key.test.architecture);
        let bound = self.bound(&on, demanded, key)?;
        let kept = TestFolder::below(&self.failures, &key.test);
        // Goldens are made with the unharvested chip's grid; a workload has none.
        let check = match (&demanded.origin, key.pass, key.harvesting) {
            (TestOrigin::Suite(_), Pass::Canonical, 0) => GoldenCheck::Compare,
            (
                TestOrigin::Suite(_) | TestOrigin::Capture(_),
                Pass::Canonical | Pass::Challenge,
                _,
            ) => GoldenCheck::Ignore,
        };
        let (ran, began) = perform_when_ready(&settings, &on, &key.test, &bound, &kept, check);
        // Only a skipped run takes no time.
        let milliseconds = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX).max(1);
        kept.clear();
        self.result(key, &bound, &ran, milliseconds)
    }

    /// The demanded test bound for the capturing chip, with the data of the run's pass.
    fn bound<'a>(
        &self,
        on: &TestExecutors,
        demanded: &'a DemandedTest,
        key: &RunKey,
    ) -> Result<Cow<'a, BoundTest>, RunError> {
        let seed_shift = match (key.pass, &self.challenge) {
            (Pass::Canonical, _) => 0,
            (Pass::Challenge, Some(challenge)) => challenge.shift(&key.test),
            (Pass::Challenge, None) => return Err(RunError::NoChallenge(Box::new(key.clone()))),
        };
        match &demanded.origin {
            TestOrigin::Suite(test) => Ok(Cow::Owned(test.bind_shifted(on.chip, seed_shift)?)),
            TestOrigin::Capture(captured) => Ok(Cow::Borrowed(&captured.bound)),
        }
    }

    /// The settings of a run.
    fn settings_of(&self, key: &RunKey) -> Settings {
        let architecture = key.test.architecture;
        let mut settings = self.settings.clone();
        let workers = &mut settings.workers;
        workers.programs.dispatch = match key.dispatch {
            DispatchMode::Host => Dispatch::Host,
            DispatchMode::Device => Dispatch::Device,
        };
        workers.programs.schedule_seed = key.schedule_seed;
        if key.device == DeviceKind::Sim && key.harvesting != 0 {
            let harvesting = HarvestingMask(key.harvesting);
            let device = DeviceSpec::Simulator(SimulatedChip { architecture, harvesting });
            // The other choices, such as the firmware, apply to each chip.
            let choice = match workers.executors.chosen(architecture) {
                Some(chosen) => ExecutorChoice { device: Some(device), ..chosen.clone() },
                None => ExecutorChoice::from(device),
            };
            workers.executors = Executors::only(choice, architecture);
        }
        settings
    }

    fn result(
        &self,
        key: &RunKey,
        bound: &BoundTest,
        ran: &Ran,
        milliseconds: u64,
    ) -> Result<Option<ResultLine>, RunError> {
        let worst = ran.findings.first();
        let verdict = match worst.map(|finding| &finding.verdict) {
            None => Verdict::Pass,
            // Only the profile skips runs; a missing capability of a device is a result.
            Some(Verdict::Skipped { .. }) => Verdict::Unsupported,
            Some(verdict) => verdict.clone(),
        };
        if verdict == Verdict::Interrupted {
            return Ok(None);
        }
        let internal = ran.findings.iter().find(|it| it.verdict == Verdict::InternalError);
        if let Some(internal) = internal {
            let run = Box::new(key.clone());
            return Err(RunError::Internal { run, lines: internal.report() });
        }
        let recovered = Capture::open(&ran.bytes).ok();
        let captured = ran.capture.as_deref().or(recovered.as_ref());
        let keep = |capture: Option<&Capture>| capture.map(|it| self.store.add(it)).transpose();
        let capture = keep(captured)?;
        let replay = keep(ran.replay.as_deref())?;
        let program = captured.map(|capture| program_hash(&capture.program)).transpose();
        let program = program.map_err(|error| {
            let run = Box::new(key.clone());
            RunError::Capture { run, error }
        })?;
        let both = capture.is_some() && replay.is_some();
        let basis = Basis::of_run(key.device, both);
        let lines: Vec<String> = match worst.map(|finding| &finding.verdict) {
            Some(Verdict::Skipped { reason }) => vec![reason.clone()],
            _ => ran.findings.iter().flat_map(Finding::report).collect(),
        };
        Ok(Some(ResultLine {
            run: key.clone(),
            verdict: RunVerdict(verdict),
            signature: worst.and_then(|finding| finding.signature().cloned()),
            lines: reported(lines),
            basis,
            program,
            capture,
            replay,
            milliseconds,
            headroom: captured.map(|capture| headroom(bound, capture)).unwrap_or_default(),
            waiver: None,
        }))
    }
}

/// The lines of a failure as a result has them: not too many, and none too long.
pub(super) fn reported(lines: Vec<String>) -> Vec<String> {
    let shorten = |line: String| line.chars().take(COLUMNS).collect();
    lines.into_iter().take(LINES).map(shorten).collect()
}

/// The used parts of the outputs' tolerances.
pub fn headroom(bound: &BoundTest, capture: &Capture) -> Vec<Headroom> {
    let mut headroom = Vec::new();
    for expected in &bound.outputs {
        let (Some(tolerance), Some(bytes)) = (&expected.tolerance, &expected.bytes) else {
            continue;
        };
        let Some(read) = capture.read_result(CommandIndex(expected.command)) else {
            continue;
        };
        let Some(actual) = capture.returned_bytes(read.hash) else { continue };
        let used = tolerance.used(bytes, &actual);
        // A value above the largest number is out of tolerance as well.
        let millionths = (used * 1e6).ceil().clamp(0.0, f64::from(u32::MAX));
        headroom.push(Headroom { output: expected.output.clone(), used: millionths as u32 });
    }
    headroom
}
