//! Recomputes each result: judges the content of its captures by the verifier's suites, as `hallmark run` does.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use hallmark_chip::{Architecture, ChipDescription, HarvestingMask};
use hallmark_execution::parallel;
use hallmark_execution::worker::kernels;
use hallmark_execution::worker::report::WorkerReport;
use hallmark_package::{Blake3, EntryName, Package, RESULTS, SubjectKind};
use hallmark_pipeline::BOTH_TIMES;
use hallmark_pipeline::finding::Finding;
use hallmark_pipeline::judge::{self, Side};
use hallmark_pipeline::signature::Signature;
use hallmark_pipeline::verdict::Verdict;
use hallmark_runtime::device_code::{FirmwareBundle, KernelStore};
use hallmark_runtime::{KernelLibrary, SuiteKernels, captured_kernels, find_kernels};
use hallmark_schema::model::{Capture, ContentHash, Grid, Outcome};
use hallmark_schema::program_hash;
use hallmark_suite::bound::{BoundTest, KernelOrigin};
use hallmark_suite::discover::Root;

use super::Listener;
use super::accounts::Account;
use super::claims::Firmware;
use super::program::{self, Kernels};
use super::record::{self, Place};
use super::rejection::{Rejection, RejectionReason, VerifierStep};
use crate::challenge::Challenge;
use crate::demand::Demand;
use crate::environment::{DeviceEnvironment, Environment};
use crate::lock::Model;
use crate::packed_capture::{PackedCaptureError, packed_capture_unless};
use crate::resolution::{DemandedTest, TestOrigin};
use crate::results::{Basis, Headroom, Pass, ResultLine, RunKey};
use crate::run::{headroom, reported};

/// The verifier's computation of a result.
pub(super) struct Computed {
    pub(super) verdict: Verdict,
    pub(super) signature: Option<Signature>,
    pub(super) program: Option<ContentHash>,
    pub(super) headroom: Vec<Headroom>,
    pub(super) basis: Basis,
    /// Whether the verdict is the submitter's.
    pub(super) is_claimed: bool,
}

/// The inputs of the computation of all results.
pub(super) struct Recomputation<'a> {
    pub(super) package: &'a Package<'a>,
    pub(super) root: &'a Root,
    pub(super) kernels: Arc<KernelStore>,
    pub(super) demand: &'a Demand,
    pub(super) firmware: &'a Firmware,
    pub(super) challenge: Option<&'a Challenge>,
    pub(super) subject: SubjectKind,
    pub(super) model: &'a Model,
    pub(super) environment: &'a Environment,
    /// The blobs that the captures read so far refer to.
    pub(super) blobs: Mutex<BTreeSet<ContentHash>>,
}

/// The verifier's kernels: nothing is compiled.
pub(super) fn prebuilt_kernels(root: &Root) -> Arc<KernelStore> {
    let prebuilt = root.suites().join("kernels/prebuilt");
    Arc::new(KernelStore::builder().prebuilt(prebuilt).only_prebuilt().build())
}

/// A run with everything that its captures are compared with.
struct Expected<'a> {
    run: &'a RunKey,
    test: &'a DemandedTest,
    bound: Cow<'a, BoundTest>,
    chip: &'static ChipDescription,
    kernels: Kernels,
    firmware: &'a Arc<FirmwareBundle>,
    device: &'a DeviceEnvironment,
}

impl<'a> Recomputation<'a> {
    /// Computes all results.
    pub(super) fn all(
        &self,
        results: &[ResultLine],
        jobs: usize,
        listener: Option<&dyn Listener>,
    ) -> Result<Vec<Computed>, Rejection> {
        let lines: Vec<(usize, &ResultLine)> = (1..).zip(results).collect();
        let compute = |(number, result): &(usize, &'_ ResultLine)| {
            let computed = self.result(result);
            if let Some(listener) = listener {
                listener.end(&result.run, computed.is_ok());
            }
            computed.map_err(|rejection| rejection.in_file(RESULTS).at_line(*number))
        };
        if let Some(listener) = listener {
            listener.begin(results.len());
        }
        let computed = parallel::each(&lines, jobs, compute);
        if let Some(listener) = listener {
            listener.close();
        }
        let computed = computed?;
        self.no_unused_blob()?;
        Ok(computed)
    }

    /// Checks that every blob belongs to a capture; all captures must have been read before.
    fn no_unused_blob(&self) -> Result<(), Rejection> {
        let blobs = self.blobs.lock().unwrap_or_else(PoisonError::into_inner);
        let used: BTreeSet<EntryName> =
            blobs.iter().map(|hash| EntryName::blob(&Blake3::from_bytes(hash.0))).collect();
        let unused = self
            .package
            .files()
            .find(|(name, _)| name.as_str().starts_with("blobs/") && !used.contains(name));
        match unused {
            Some((name, _)) => Rejection::new(VerifierStep::Captures, RejectionReason::UnusedFile)
                .in_file(name.as_str())
                .refuse(),
            None => Ok(()),
        }
    }

    fn result(&self, result: &'a ResultLine) -> Result<Computed, Rejection> {
        let run = &result.run;
        let claimed = &result.verdict.0;
        let basis = |both| Basis::of_run(run.device, both);
        if let Verdict::Skipped { .. } = claimed {
            if result.capture.is_some() || result.replay.is_some() || !result.lines.is_empty() {
                let problem = RejectionReason::SkippedWithRun { run: Box::new(run.clone()) };
                Rejection::new(VerifierStep::Captures, problem).refuse()?;
            }
            // The skip was already compared with the lock.
            return Ok(Computed {
                verdict: claimed.clone(),
                signature: None,
                program: None,
                headroom: Vec::new(),
                basis: Basis::Recomputed,
                is_claimed: false,
            });
        }
        let absent = |what| {
            let problem = RejectionReason::NoCapture { run: Box::new(run.clone()), what };
            Rejection::new(VerifierStep::Captures, problem)
        };
        if result.capture.is_none() && !self.may_lack_captures(claimed) {
            absent("capture").refuse()?;
        }
        let asserted = || Computed {
            verdict: claimed.clone(),
            signature: result.signature.clone(),
            program: result.program,
            headroom: result.headroom.clone(),
            basis: Basis::Asserted,
            is_claimed: true,
        };
        if *claimed == Verdict::Pass && result.replay.is_none() {
            absent("capture of a replay").refuse()?;
        }
        let Some(captured) = result.capture else {
            if result.replay.is_some() {
                absent("capture").refuse()?;
            }
            return Ok(asserted());
        };
        let expected = self.expected(run)?;
        let capture = self.capture(run, captured)?;
        let breaks_off = breaks_off(&capture, &expected.bound);
        self.check(&capture, &expected, Side::Capture, breaks_off && *claimed != Verdict::Pass)?;
        if breaks_off && ResultLine::can_come_of_a_process(claimed) {
            if let Some(replayed) = result.replay {
                self.capture(run, replayed)?;
            }
            // No capture contains the way in which its process ended.
            return Ok(asserted());
        }
        let mut finding = judged(&capture, &expected.bound);
        if finding.is_none()
            && result.replay.is_none()
            && ResultLine::can_come_of_a_process(claimed)
        {
            // No capture contains the reason for a missing replay.
            return Ok(asserted());
        }
        if let Some(replayed) = result.replay {
            let replay = self.capture(run, replayed)?;
            self.check(&replay, &expected, Side::Replay, breaks_off)?;
            let differences = judge::differences_of_runs(&capture.program, &capture, &replay).lines;
            if finding.is_none()
                && let Some(first) = differences.first()
            {
                if *claimed == Verdict::Pass {
                    let problem = RejectionReason::ReplayDiffers {
                        run: Box::new(run.clone()),
                        what: first.clone(),
                    };
                    Rejection::new(VerifierStep::Replays, problem).refuse()?;
                } else {
                    finding = Some((Verdict::Unstable, result.signature.clone()));
                }
            }
        }
        // No capture contains the text of an exception, or a call whose outcome differs from the modelled
        // chip's.
        if self.subject == SubjectKind::Metalium
            && *claimed == Verdict::Mismatch
            && finding.as_ref().is_none_or(|(verdict, _)| verdict == claimed)
        {
            finding = Some((Verdict::Mismatch, result.signature.clone()));
        }
        let hash = program_hash(&capture.program).map_err(|error| {
            Rejection::new(
                VerifierStep::Captures,
                RejectionReason::Capture { run: Box::new(run.clone()), error },
            )
        })?;
        let golden = expected.test.locked.program.filter(|_| has_golden(&expected));
        if finding.is_none() && golden.is_some_and(|golden| golden != hash) {
            finding = Some((Verdict::Changed, result.signature.clone()));
        }
        let (verdict, signature) = finding.unwrap_or((Verdict::Pass, None));
        Ok(Computed {
            verdict,
            signature,
            program: Some(hash),
            headroom: headroom(&expected.bound, &capture),
            basis: basis(result.replay.is_some()),
            is_claimed: false,
        })
    }

    /// Whether a run may have no captures, only the end of its process. TT-Metalium keeps no journal, so a
    /// fault that ends its process leaves no capture.
    fn may_lack_captures(&self, verdict: &Verdict) -> bool {
        let is_of_metalium = self.subject == SubjectKind::Metalium;
        ResultLine::can_come_of_a_process(verdict)
            || (is_of_metalium && matches!(verdict, Verdict::Fault | Verdict::Deadlock))
    }

    /// What the captures of a failure tell about it; nothing if they do not contain it.
    pub(super) fn account(&self, result: &'a ResultLine) -> Account {
        let told = |hash| {
            let capture = self.capture(&result.run, hash).ok()?;
            let finding = found(&capture, &self.expected(&result.run).ok()?.bound)?;
            // Another verdict is that of the end of a process.
            if finding.verdict != result.verdict.0 {
                return None;
            }
            let mut lines = finding.report();
            let replay = result.replay.and_then(|hash| self.capture(&result.run, hash).ok());
            let agrees = |replay| {
                judge::differences_of_runs(&capture.program, &capture, replay).lines.is_empty()
            };
            if finding.is_of_device() && replay.as_ref().is_some_and(agrees) {
                lines.push(format!("  {BOTH_TIMES}"));
            }
            Some(Account { lines: reported(lines), pictures: finding.pictures })
        };
        result.capture.and_then(told).unwrap_or_default()
    }

    fn expected(&self, run: &'a RunKey) -> Result<Expected<'a>, Rejection> {
        let uncomputable = |message: String| {
            let problem = RejectionReason::Uncomputable { test: run.test.clone(), message };
            Rejection::new(VerifierStep::Captures, problem)
        };
        let architecture = run.test.architecture;
        let test = self.demand.test(&run.test);
        let test = test.ok_or_else(|| uncomputable("the profile has no such test".to_owned()))?;
        let chip = ChipDescription::harvested(architecture, HarvestingMask(run.harvesting))
            .map_err(|error| uncomputable(error.to_string()))?;
        let shift = match (run.pass, self.challenge) {
            (Pass::Canonical, _) => 0,
            (Pass::Challenge, Some(challenge)) => challenge.shift(&run.test),
            (Pass::Challenge, None) => {
                return Err(uncomputable("there is no challenge".to_owned()));
            }
        };
        let bound = match &test.origin {
            TestOrigin::Suite(suite) => Cow::Owned(
                suite
                    .bind_shifted(chip, shift)
                    .map_err(|mistakes| uncomputable(mistakes.to_string()))?,
            ),
            TestOrigin::Capture(captured) => Cow::Borrowed(&captured.bound),
        };
        let kernels = self.kernels_of(&bound, architecture).map_err(uncomputable)?;
        let firmware = self.firmware.get(&architecture);
        let firmware =
            firmware.ok_or_else(|| uncomputable("there is no firmware for it".to_owned()))?;
        let device = self.environment.devices.get(&architecture);
        let device = device.ok_or_else(|| uncomputable("nothing says where it ran".to_owned()))?;
        Ok(Expected { run, test, bound, chip, kernels, firmware, device })
    }

    /// The kernels of a test.
    fn kernels_of(&self, bound: &BoundTest, architecture: Architecture) -> Result<Kernels, String> {
        let mut library: Box<dyn KernelLibrary> = match &bound.kernels {
            KernelOrigin::Suites => {
                Box::new(SuiteKernels::new(self.root.suites(), Arc::clone(&self.kernels)))
            }
            // The vendor's runtime builds a workload's kernels, and they are not compared.
            KernelOrigin::Capture(_) if self.subject == SubjectKind::Metalium => {
                return Ok(Kernels::new());
            }
            KernelOrigin::Capture(capture) => {
                let found = find_kernels(capture, architecture, &self.kernels);
                Box::new(captured_kernels(capture, &found))
            }
        };
        let mut contents = bound.blobs.clone();
        kernels::collect(&bound.case, architecture, &mut *library, &mut contents)
            .map_err(|error| error.to_string())
    }

    /// A capture of the package, with its blobs.
    fn capture(&self, run: &RunKey, hash: ContentHash) -> Result<Capture, Rejection> {
        let rejection = |error| {
            let run = Box::new(run.clone());
            let problem = match error {
                PackedCaptureError::Absent(hash) => RejectionReason::CaptureAbsent { run, hash },
                PackedCaptureError::Capture(error) => RejectionReason::Capture { run, error },
                PackedCaptureError::Rewritten => RejectionReason::Rewritten { run },
                PackedCaptureError::BlobAbsent(hash) => RejectionReason::BlobAbsent { run, hash },
            };
            Rejection::new(VerifierStep::Captures, problem)
        };
        let capture = packed_capture_unless(self.package, hash, rejection, |error| {
            rejection(error).refuse()
        })?;
        let collected = capture.record.iter().flat_map(|record| &record.collected);
        let named = capture.blobs.keys().copied().chain(collected.map(|trace| trace.hash));
        self.blobs.lock().unwrap_or_else(PoisonError::into_inner).extend(named);
        Ok(capture)
    }

    /// Checks the conditions for a capture of a run, whatever the outcome.
    fn check(
        &self,
        capture: &Capture,
        expected: &Expected<'_>,
        side: Side,
        may_end_early: bool,
    ) -> Result<(), Rejection> {
        let Expected { run, test: _, bound, chip, kernels, firmware, device } = expected;
        let of_run = || Box::new((*run).clone());
        let reject = |step, problem| Rejection::new(step, problem).refuse();
        let program = program::difference(&capture.program, bound, chip, may_end_early);
        let program = program.or_else(|| match &bound.kernels {
            KernelOrigin::Suites => program::source_difference(&capture.program, kernels),
            KernelOrigin::Capture(own) => (capture.program.sources != own.program.sources)
                .then(|| "the list of sources".to_owned()),
        });
        if let Some(what) = program {
            reject(VerifierStep::Captures, RejectionReason::OtherProgram { run: of_run(), what })?;
        }
        let Some(record) = &capture.record else {
            let problem = RejectionReason::NoRecord { run: of_run() };
            return Err(Rejection::new(VerifierStep::Records, problem));
        };
        let is_of_metalium = self.subject == SubjectKind::Metalium;
        let asked = bound.asked;
        let dispatch = asked.dispatch.launched_by(run.dispatch);
        let place = Place { run, chip, firmware, model: self.model, dispatch, asked, device };
        let what = if is_of_metalium {
            record::difference_on_metalium(record, &place)
        } else {
            record::difference(capture, record, &place)
                .or_else(|| record::end_difference(capture, bound, may_end_early))
                .or_else(|| record::expected_fault_difference(capture, record, bound, side))
        };
        if let Some(what) = what {
            reject(VerifierStep::Records, RejectionReason::OtherRecord { run: of_run(), what })?;
        }
        if is_of_metalium {
            return Ok(());
        }
        if let Some(what) = program::elf_difference(capture, kernels) {
            reject(VerifierStep::Records, RejectionReason::OtherKernels { run: of_run(), what })?;
        }
        if let Some(what) = record::address_difference(capture, run, chip, firmware, bound) {
            reject(VerifierStep::Records, RejectionReason::OtherAddresses { run: of_run(), what })?;
        }
        Ok(())
    }
}

/// Whether the lock contains the program part of a run: that of an unharvested chip, or of the chip of a
/// workload's capture, with the suites' own data.
fn has_golden(expected: &Expected<'_>) -> bool {
    let RunKey { harvesting, pass, .. } = expected.run;
    match &expected.test.origin {
        TestOrigin::Suite(_) => *harvesting == 0 && *pass == Pass::Canonical,
        TestOrigin::Capture(captured) => {
            let (columns, rows) = expected.chip.compute_grid();
            captured.capture.program.grid == Grid { columns, rows }
        }
    }
}

/// The finding of `hallmark run`'s judges for a capture, without its worker's statements.
fn found(capture: &Capture, bound: &BoundTest) -> Option<Finding> {
    let stop = record::stop_with_waits(capture);
    let report = WorkerReport { stop: stop.map(Box::new), ..WorkerReport::default() };
    judge::outcomes(capture, bound, &report)
        .or_else(|| judge::end(capture, bound, &report))
        .or_else(|| judge::outputs(capture, bound, None))
}

/// The finding as a verdict.
fn judged(capture: &Capture, bound: &BoundTest) -> Option<(Verdict, Option<Signature>)> {
    let finding = found(capture, bound)?;
    let signature = finding.signature().cloned();
    Some((finding.verdict, signature))
}

/// Whether a run ended before its test did: before a call ended, or while the work was done for which no call waits.
fn breaks_off(capture: &Capture, bound: &BoundTest) -> bool {
    let commands = &capture.program.commands;
    commands.len() < bound.case.steps.len()
        || commands.last().is_some_and(|last| last.outcome == Outcome::Unfinished)
        || capture.at_end().is_some_and(|end| end.outcome == Outcome::Unfinished)
}
