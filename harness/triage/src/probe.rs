//! Probes: whether a candidate capture still fails on an executor, in a fresh process.
//!
//! A search derives candidates from a capture and probes each for the sought failure. This module executes the
//! candidates of all searches, by the ordinary replay job. The result of a probe is remembered for the same
//! candidate, executor and seed.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use hallmark_execution::devices;
use hallmark_execution::executor::{Executor, IdentityError, ProgramSettings, Release};
use hallmark_execution::whole_file;
use hallmark_execution::worker::problem::WorkerProblem;
use hallmark_execution::worker::process::Ending;
use hallmark_execution::worker::state::StateJob;
use hallmark_pipeline::captured_failure::failures;
use hallmark_pipeline::signature::{MatchLevel, Signature};
use hallmark_pipeline::signatures::{Repetition, of_calls, of_replay};
use hallmark_pipeline::verdict::Verdict;
use hallmark_pipeline::{
    Executed, Finding, Limits, ReplayOf, WorkerSettings, replay_capture, replay_noting_state,
};
use hallmark_runtime::device_code::KernelStore;
use hallmark_runtime::device_code::temporary::TemporaryFolder;
use hallmark_runtime::{DeviceSpec, FoundKernels};
use hallmark_schema::CaptureError;
use hallmark_schema::model::{Capture, ContentHash, DeviceRequirements};
use hallmark_suite::language::DeviceKind;
use serde::{Deserialize, Serialize};

use super::board::{
    Board, Canary, Card, Care, ResetCommand, ResetError, bad_goes_first, canary, canary_bytes,
};
use super::defects::{Defect, planted};

/// The result of a probe.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProbeResult {
    /// The candidate has the sought failure.
    Same,
    /// The candidate has another failure.
    Other(Signature),
    /// The candidate does not fail.
    Passed,
    /// The probe gives no answer.
    CannotTell(CannotTell),
}

/// Why a probe gives no answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum CannotTell {
    /// The device or its environment failed.
    #[error("{}", attributed(.executor, .reason))]
    Lost {
        /// The executor.
        executor: String,
        /// The reason.
        reason: String,
    },
    /// The executor cannot replay the candidate.
    #[error("{executor} refuses the capture: {reason}")]
    Refused {
        /// The executor.
        executor: String,
        /// The reason.
        reason: String,
    },
    /// The good executor fails too, so the candidate is at fault.
    #[error("the good side fails, too: {signature}")]
    GoodFails {
        /// Its failure.
        signature: Signature,
    },
    /// The candidate cannot be written as a capture.
    #[error("no capture: {reason}")]
    Unwritable {
        /// The broken rule.
        reason: String,
    },
    /// A signal requested the end.
    #[error("interrupted")]
    Interrupted,
}

/// A reason preceded by its executor, unless it begins with that.
fn attributed(executor: &str, reason: &str) -> String {
    let begins_with = reason.split_whitespace().next().unwrap_or_default();
    if !begins_with.is_empty() && executor.contains(begins_with.trim_end_matches(':')) {
        reason.to_owned()
    } else {
        format!("{executor}: {reason}")
    }
}

/// The reference for a candidate's run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reference {
    /// The outcomes and reads in the candidate itself, and its program's expectations.
    Recorded,
    /// The results of another executor for the same candidate.
    Executor(Executor),
}

/// The sought failure of a search.
#[derive(Clone, Debug)]
pub struct Sought {
    /// Its signature; without one, every failure is the sought one.
    pub signature: Option<Signature>,
    /// The level at which another failure counts as the same.
    pub level: MatchLevel,
    /// The reference.
    pub reference: Reference,
}

impl Sought {
    /// Whether a failure is the sought one.
    pub fn is(&self, signature: &Signature) -> bool {
        let is_sought = |sought: &Signature| sought.matches(signature, self.level);
        planted(Defect::SignatureIgnored) || self.signature.as_ref().is_none_or(is_sought)
    }
}

/// A probe with its results.
#[derive(Clone, Debug)]
pub struct Probed {
    /// The result.
    pub result: ProbeResult,
    /// The bad side's failure; `None` if it passed or the result was remembered.
    pub signature: Option<Signature>,
    /// Its identity in the log.
    pub key: ProbeKey,
    /// The duration; `None` if the result was remembered, or the probe was interrupted.
    pub elapsed: Option<Duration>,
    /// The recording of the good side; `None` if the result was remembered, or if the candidate itself is the
    /// reference.
    pub good: Option<Arc<Capture>>,
    /// The recording of the bad side; `None` if the result was remembered.
    pub bad: Option<Arc<Capture>>,
}

/// The identity of a probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProbeKey {
    /// The hash of the candidate's bytes.
    pub candidate: ContentHash,
    /// The identity of the executor.
    pub executor: ContentHash,
    /// The schedule seed.
    pub seed: u64,
    /// The number of the run, counted from 0: a flaky failure takes several.
    pub run: u32,
}

/// Executes probes.
#[derive(Debug)]
pub struct Prober<'s> {
    workers: &'s WorkerSettings,
    kernels: Arc<KernelStore>,
    limits: Limits,
    /// The sought failure.
    pub sought: Sought,
    folder: TemporaryFolder,
    known: Mutex<BTreeMap<ProbeKey, ProbeResult>>,
    identities: Mutex<Vec<(Executor, ContentHash)>>,
    /// The command that resets an unsound card.
    pub reset: Option<ResetCommand>,
    boards: Mutex<Vec<(DeviceSpec, Arc<Mutex<Board>>)>>,
    /// The number of pairs of runs in which both sides used one card.
    pairs: AtomicU64,
}

/// No probe can be made.
#[derive(Debug, thiserror::Error)]
pub enum ProbeError {
    /// A part of an executor's identity cannot be read.
    #[error(transparent)]
    Identity(#[from] IdentityError),
    /// The candidates' folder cannot be created, or a candidate cannot be written there.
    #[error(
        "a candidate cannot be written to the folder for temporary files: {0}; free some space there"
    )]
    Folder(#[from] std::io::Error),
}

/// A run of a candidate.
#[derive(Debug)]
pub struct Run {
    /// The worker and its results.
    pub executed: Result<Executed, Finding>,
}

impl<'s> Prober<'s> {
    /// A prober with this executable and these kernels. `limits` apply to each run.
    ///
    /// # Errors
    /// [`ProbeError::Folder`].
    pub fn new(
        workers: &'s WorkerSettings,
        kernels: Arc<KernelStore>,
        limits: Limits,
        sought: Sought,
    ) -> Result<Self, ProbeError> {
        let folder = TemporaryFolder::new()?;
        let (known, identities, boards) = (Mutex::default(), Mutex::default(), Mutex::default());
        let (reset, pairs) = (None, AtomicU64::new(0));
        Ok(Self {
            workers,
            kernels,
            limits,
            sought,
            folder,
            known,
            identities,
            reset,
            boards,
            pairs,
        })
    }

    /// The operations on each card besides the runs of the search.
    pub fn care(&self) -> Vec<(DeviceSpec, Care)> {
        let boards = self.boards.lock().unwrap_or_else(PoisonError::into_inner);
        let of_board = |(device, board): &(DeviceSpec, Arc<Mutex<Board>>)| {
            (device.clone(), board.lock().unwrap_or_else(PoisonError::into_inner).care())
        };
        boards.iter().map(of_board).collect()
    }

    /// Whether the bad side runs first now: if both sides use one card, they alternate.
    pub(super) fn bad_goes_first(&self, good: &Executor, bad: &Executor) -> bool {
        let shared = good.device == bad.device && is_a_card(bad);
        shared && bad_goes_first(self.pairs.fetch_add(1, Ordering::Relaxed))
    }

    /// Notes that a run on an executor was not correct, so that a card must prove itself sound before its next
    /// run.
    pub(super) fn distrust(&self, executor: &Executor) {
        if let Some(board) = self.board(executor) {
            board.lock().unwrap_or_else(PoisonError::into_inner).suspect();
        }
    }

    /// The card of an executor, if it uses one.
    fn board(&self, executor: &Executor) -> Option<Arc<Mutex<Board>>> {
        if !is_a_card(executor) {
            return None;
        }
        let mut boards = self.boards.lock().unwrap_or_else(PoisonError::into_inner);
        let known = boards.iter().find(|(device, _)| *device == executor.device);
        let board = known.map(|(_, board)| Arc::clone(board)).unwrap_or_else(|| {
            let board = Arc::new(Mutex::new(Board::new()));
            boards.push((executor.device.clone(), Arc::clone(&board)));
            board
        });
        Some(board)
    }

    /// Remembers the result of an earlier probe from a log. An interrupted probe has none, and is repeated.
    pub fn remember(&self, key: ProbeKey, result: ProbeResult) {
        if result == ProbeResult::CannotTell(CannotTell::Interrupted) {
            return;
        }
        self.known.lock().unwrap_or_else(PoisonError::into_inner).insert(key, result);
    }

    /// Probes whether a candidate fails on an executor under a seed.
    ///
    /// # Errors
    /// [`ProbeError`].
    pub fn probe(
        &self,
        candidate: &Capture,
        executor: &Executor,
        seed: u64,
    ) -> Result<Probed, ProbeError> {
        self.probe_run(candidate, executor, seed, 0)
    }

    /// As [`Self::probe`], for one of several runs, whose results may differ.
    ///
    /// # Errors
    /// [`ProbeError`].
    pub fn probe_run(
        &self,
        candidate: &Capture,
        executor: &Executor,
        seed: u64,
        run: u32,
    ) -> Result<Probed, ProbeError> {
        self.probe_unless_known(candidate, executor, seed, run, |key| {
            self.known.lock().unwrap_or_else(PoisonError::into_inner).get(key).cloned()
        })
    }

    /// As [`Self::probe`], in fresh processes even if the result is known.
    ///
    /// # Errors
    /// [`ProbeError`].
    pub fn probe_again(
        &self,
        candidate: &Capture,
        executor: &Executor,
        seed: u64,
    ) -> Result<Probed, ProbeError> {
        self.probe_unless_known(candidate, executor, seed, 0, |_| None)
    }

    fn probe_unless_known(
        &self,
        candidate: &Capture,
        executor: &Executor,
        seed: u64,
        run: u32,
        known: impl FnOnce(&ProbeKey) -> Option<ProbeResult>,
    ) -> Result<Probed, ProbeError> {
        let bytes = match candidate.to_bytes() {
            Ok(bytes) => bytes,
            Err(error) => return self.unwritable(executor, seed, &error),
        };
        let key = ProbeKey { run, ..self.key(ContentHash::of(&bytes), executor, seed)? };
        match known(&key) {
            Some(result) => {
                Ok(Probed { result, signature: None, key, elapsed: None, good: None, bad: None })
            }
            None => self.asked(candidate, &bytes, executor, seed, key),
        }
    }

    fn asked(
        &self,
        candidate: &Capture,
        bytes: &[u8],
        executor: &Executor,
        seed: u64,
        key: ProbeKey,
    ) -> Result<Probed, ProbeError> {
        let begin = Instant::now();
        let mut probed = self.ask(candidate, bytes, executor, seed, key)?;
        // An interrupted probe has no answer that a log could hold.
        let is_told = probed.result != ProbeResult::CannotTell(CannotTell::Interrupted);
        probed.elapsed = is_told.then(|| begin.elapsed());
        self.remember(key, probed.result.clone());
        Ok(probed)
    }

    fn ask(
        &self,
        candidate: &Capture,
        bytes: &[u8],
        executor: &Executor,
        seed: u64,
        key: ProbeKey,
    ) -> Result<Probed, ProbeError> {
        let mut probed = Probed {
            result: ProbeResult::Passed,
            signature: None,
            key,
            elapsed: None,
            good: None,
            bad: None,
        };
        let mut early = None;
        if let Reference::Executor(good) = &self.sought.reference
            && !planted(Defect::GoodSideNotAsked)
        {
            if self.bad_goes_first(good, executor) {
                early = Some(self.carry_out(candidate, bytes, executor, seed, None)?);
            }
            let good_run = self.carry_out(candidate, bytes, good, seed, None)?;
            match concluded(&good_run, good, |executed| of_calls(candidate, executed)) {
                Ok(None) => {}
                Ok(Some(signature)) => {
                    probed.result = ProbeResult::CannotTell(CannotTell::GoodFails { signature });
                    return Ok(probed);
                }
                Err(cannot_tell) => {
                    probed.result = ProbeResult::CannotTell(cannot_tell);
                    return Ok(probed);
                }
            }
            probed.good = good_run.executed.ok().and_then(|executed| executed.capture);
        }
        let bad_run = match early {
            Some(run) => run,
            None => self.carry_out(candidate, bytes, executor, seed, None)?,
        };
        let good = probed.good.clone();
        let before = good.as_deref().unwrap_or(candidate);
        probed.result = match concluded(&bad_run, executor, |executed| of_replay(before, executed))
        {
            Ok(Some(signature)) => self.of_failure(&mut probed, signature),
            Ok(None) => self.of_repeated(&mut probed, candidate, &bad_run),
            Err(cannot_tell) => ProbeResult::CannotTell(cannot_tell),
        };
        if probed.result != ProbeResult::Passed {
            self.distrust(executor);
        }
        probed.bad = bad_run.executed.ok().and_then(|executed| executed.capture);
        Ok(probed)
    }

    fn of_failure(&self, probed: &mut Probed, signature: Signature) -> ProbeResult {
        probed.signature = Some(signature.clone());
        if self.sought.is(&signature) { ProbeResult::Same } else { ProbeResult::Other(signature) }
    }

    /// The result of a run that replays its candidate: it fails where the candidate did.
    fn of_repeated(&self, probed: &mut Probed, candidate: &Capture, run: &Run) -> ProbeResult {
        let again = run.executed.as_ref().ok().and_then(|executed| executed.capture.as_deref());
        match (&self.sought.reference, again) {
            (Reference::Recorded, Some(again)) => {
                let failures = failures(candidate, again);
                let mut signatures = failures.iter().filter_map(|it| it.signature().cloned());
                let first = signatures.next();
                first.map_or(ProbeResult::Passed, |first| self.of_failure(probed, first))
            }
            (Reference::Recorded, None) | (Reference::Executor(_), _) => ProbeResult::Passed,
        }
    }

    /// Makes a candidate's calls in a fresh process, with the requested notes of memory.
    ///
    /// # Errors
    /// [`ProbeError::Folder`].
    pub fn carry_out(
        &self,
        candidate: &Capture,
        bytes: &[u8],
        executor: &Executor,
        seed: u64,
        state: Option<StateJob>,
    ) -> Result<Run, ProbeError> {
        let file = self.file(bytes)?;
        let mut executor = executor.clone();
        executor.programs.schedule_seed = seed;
        let kernels = executor.find_kernels(candidate, &self.kernels);
        let num_command_queues = candidate.program.num_command_queues;
        let replay = ReplayOf { capture: file, num_command_queues, executor, kernels };
        let (workers, limits) = (self.workers, self.limits);
        let board = self.board(&replay.executor);
        // A card executes one run at a time, so that no run follows an unnoticed failure.
        let mut board =
            board.as_ref().map(|board| board.lock().unwrap_or_else(PoisonError::into_inner));
        if let Some(board) = &mut board
            && let Some(reason) =
                board.prepare(&mut OnCard { prober: self, executor: &replay.executor })?
        {
            return Ok(Run { executed: Err(Finding::new(Verdict::Crash, reason)) });
        }
        let executed = match state {
            Some(state) => replay_noting_state(workers, replay, limits, state),
            None => replay_capture(workers, replay, limits),
        };
        if let Some(board) = &mut board {
            let is_right = executed
                .as_ref()
                .is_ok_and(|executed| matches!(of_calls(candidate, executed), Repetition::Agrees));
            if !is_right {
                board.suspect();
            }
        }
        Ok(Run { executed })
    }

    /// Writes the candidate to a file.
    fn file(&self, bytes: &[u8]) -> Result<std::path::PathBuf, std::io::Error> {
        let path = self.folder.path().join(format!("{}.lmb", ContentHash::of(bytes)));
        if !Path::is_file(&path) {
            // Several threads may write the same candidate.
            whole_file::write(&path, bytes)?;
        }
        Ok(path)
    }

    fn key(
        &self,
        candidate: ContentHash,
        executor: &Executor,
        seed: u64,
    ) -> Result<ProbeKey, ProbeError> {
        let mut identities = self.identities.lock().unwrap_or_else(PoisonError::into_inner);
        let known = identities.iter().find(|(known, _)| known == executor).map(|(_, hash)| *hash);
        let executor = match known {
            Some(hash) => hash,
            None => {
                let hash = executor.identity(&self.workers.worker.executable)?;
                identities.push((executor.clone(), hash));
                hash
            }
        };
        Ok(ProbeKey { candidate, executor, seed, run: 0 })
    }

    fn unwritable(
        &self,
        executor: &Executor,
        seed: u64,
        error: &CaptureError,
    ) -> Result<Probed, ProbeError> {
        let reason = error.to_string();
        let key = self.key(ContentHash::of(reason.as_bytes()), executor, seed)?;
        let result = ProbeResult::CannotTell(CannotTell::Unwritable { reason });
        Ok(Probed { result, signature: None, key, elapsed: None, good: None, bad: None })
    }
}

/// Whether an executor's device is a card.
fn is_a_card(executor: &Executor) -> bool {
    devices::kind(&executor.device) == DeviceKind::Pci
}

/// An executor's card between the runs of a search.
struct OnCard<'p, 's> {
    prober: &'p Prober<'s>,
    executor: &'p Executor,
}

impl Card for OnCard<'_, '_> {
    type Error = ProbeError;

    /// Uses the built-in firmware instead of the executor's own, because the card is in question.
    fn canary(&mut self) -> Result<Canary, ProbeError> {
        let Executor { device, architecture, .. } = self.executor.clone();
        let canary = match canary(architecture) {
            Ok(canary) => canary,
            Err(error) => return Ok(Canary::Fails(error.to_string())),
        };
        let replay = ReplayOf {
            capture: self.prober.file(canary_bytes(architecture))?,
            num_command_queues: canary.program.num_command_queues,
            executor: Executor {
                release: Release::This,
                device,
                architecture,
                programs: ProgramSettings::default(),
                kernels: None,
            },
            kernels: FoundKernels::new(),
        };
        let limits = Limits { asked: DeviceRequirements::default(), ..self.prober.limits };
        Ok(match replay_capture(self.prober.workers, replay, limits) {
            // The next run will be interrupted as well.
            Ok(executed) if matches!(executed.ended.ending, Ending::Interrupted) => Canary::Sound,
            Ok(executed) => match of_replay(&canary, &executed) {
                Repetition::Agrees => Canary::Sound,
                Repetition::Fails(signature) => Canary::Fails(signature.to_string()),
                Repetition::Lost { reason } => Canary::Lost(reason),
            },
            Err(finding) => Canary::Lost(finding.headline),
        })
    }

    fn can_be_reset(&self) -> bool {
        self.prober.reset.is_some()
    }

    fn reset(&mut self) -> Result<(), ResetError> {
        self.prober.reset.as_ref().map_or(Err(ResetError::NoCommand), ResetCommand::run)
    }
}

/// Why a run gives no answer about its candidate.
pub(super) fn says_nothing(executed: &Executed, executor: &Executor, reason: String) -> CannotTell {
    let executor = executor.to_string();
    match &executed.report.problem {
        Some(WorkerProblem::Refused(_)) => CannotTell::Refused { executor, reason },
        Some(_) | None => CannotTell::Lost { executor, reason },
    }
}

/// The failure of a run compared with its reference, if there is one.
fn concluded(
    run: &Run,
    executor: &Executor,
    compare: impl FnOnce(&Executed) -> Repetition,
) -> Result<Option<Signature>, CannotTell> {
    match &run.executed {
        Ok(executed) if matches!(executed.ended.ending, Ending::Interrupted) => {
            Err(CannotTell::Interrupted)
        }
        Ok(executed) => match compare(executed) {
            Repetition::Agrees => Ok(None),
            Repetition::Fails(signature) => Ok(Some(signature)),
            Repetition::Lost { reason } => Err(says_nothing(executed, executor, reason)),
        },
        Err(finding) => Err(CannotTell::Lost {
            executor: executor.to_string(),
            reason: finding.headline.clone(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_executor_is_named_once() {
        let lost = |reason: &str| {
            let (executor, reason) = ("ttsim:/lib/a.so".to_owned(), reason.to_owned());
            CannotTell::Lost { executor, reason }.to_string()
        };
        assert_eq!(lost("/lib/a.so cannot be loaded"), "/lib/a.so cannot be loaded");
        assert_eq!(lost("signal 9 ended it"), "ttsim:/lib/a.so: signal 9 ended it");
        assert_eq!(lost(""), "ttsim:/lib/a.so: ");
    }
}
