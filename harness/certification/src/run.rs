//! Carrying out one run of a certification, with the machinery of `hallmark run` and nothing excused.

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
use hallmark_schema::model::{Capture, DispatchMode};
use hallmark_schema::{CaptureError, program_hash};
use hallmark_suite::bound::BoundTest;
use hallmark_suite::language::DeviceKind;
use hallmark_suite::mistake::SuiteMistakes;

use super::challenge::Challenge;
use super::resolution::{DemandedTest, TestOrigin};
use super::results::{Basis, Headroom, Pass, ResultLine, RunKey, RunVerdict};
use super::store::{CaptureStore, StoreError};

/// Lines that a result keeps of a failure.
const LINES: usize = 60;
/// Characters that it keeps of each.
const COLUMNS: usize = 400;

/// Carries out runs.
#[derive(Clone, Debug)]
pub struct Runner {
    /// What workers open; dispatch, seed and harvesting are each run's own.
    settings: Settings,
    /// Where captures are kept.
    store: CaptureStore,
    /// Where failures leave their outputs.
    failures: PathBuf,
    /// What shifts the seeds of the second pass.
    challenge: Option<Challenge>,
}

/// Why a run has no result.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// A suite is wrong.
    #[error(transparent)]
    Mistakes(#[from] SuiteMistakes),
    /// A capture cannot be kept.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Hallmark contradicted itself, or the machine failed it. That says nothing about the subject.
    #[error("{run}: {}; the same command goes on", lines.join("\n"))]
    Internal {
        /// The run.
        run: Box<RunKey>,
        /// What happened.
        lines: Vec<String>,
    },
    /// A run of the second pass has no challenge.
    #[error("there is no challenge for {0}")]
    NoChallenge(Box<RunKey>),
    /// A capture breaks a rule of the format.
    #[error("the capture of {run} cannot be read again: {error}")]
    Capture {
        /// The run.
        run: Box<RunKey>,
        /// What is wrong with it.
        error: CaptureError,
    },
}

impl Runner {
    /// Carries out runs with some settings and keeps captures in a store. What failures leave goes to a folder.
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
        // A golden is of the whole chip's grid; a workload has none.
        let check = match (&demanded.origin, key.pass, key.harvesting) {
            (TestOrigin::Suite(_), Pass::Canonical, 0) => GoldenCheck::Compare,
            (
                TestOrigin::Suite(_) | TestOrigin::Capture(_),
                Pass::Canonical | Pass::Challenge,
                _,
            ) => GoldenCheck::Ignore,
        };
        let (ran, began) = perform_when_ready(&settings, &on, &key.test, &bound, &kept, check);
        // Only what was skipped took no time.
        let milliseconds = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX).max(1);
        kept.clear();
        self.result(key, &bound, &ran, milliseconds)
    }

    /// A demanded test bound for the chip that captures it, with the data of the run's pass.
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

    /// The settings under which a run is carried out.
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
            // Whatever else was chosen, such as the firmware, holds for each chip.
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
            // The profile alone says what is skipped; what a device lacks is a result of the device's.
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
        let shorten = |line: &String| line.chars().take(COLUMNS).collect::<String>();
        let lines: Vec<String> = match worst.map(|finding| &finding.verdict) {
            Some(Verdict::Skipped { reason }) => vec![reason.clone()],
            _ => ran.findings.iter().flat_map(Finding::report).collect(),
        };
        Ok(Some(ResultLine {
            run: key.clone(),
            verdict: RunVerdict(verdict),
            signature: worst.and_then(|finding| finding.signature().cloned()),
            lines: lines.iter().take(LINES).map(shorten).collect(),
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

/// What outputs used of their tolerances.
pub fn headroom(bound: &BoundTest, capture: &Capture) -> Vec<Headroom> {
    let reads = || capture.record.iter().flat_map(|record| &record.reads);
    let mut headroom = Vec::new();
    for expected in &bound.outputs {
        let (Some(tolerance), Some(bytes)) = (&expected.tolerance, &expected.bytes) else {
            continue;
        };
        let Some(read) = reads().find(|read| read.command.0 == expected.command) else { continue };
        let Some(actual) = capture.returned_bytes(read.hash) else { continue };
        let used = tolerance.used(bytes, &actual);
        // A part of more than all that can be written is out of tolerance as well.
        let millionths = (used * 1e6).ceil().clamp(0.0, f64::from(u32::MAX));
        headroom.push(Headroom { output: expected.output.clone(), used: millionths as u32 });
    }
    headroom
}
