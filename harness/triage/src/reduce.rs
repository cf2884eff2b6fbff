//! Reduces a capture to a minimum that still fails in the same way.
//!
//! A reduction is a list of edits, and any subset of them gives a capture ([`hallmark_schema_editing`]). First
//! everything after the failure is cut off, then all unrelated commands are removed at once, then commands are
//! removed group by group and one by one ([`hallmark_search::Reduction`]). Queues, cores, sizes, numbers and
//! data are simplified, and commands are tried again. Only the executors decide: a candidate is accepted if it
//! has the sought failure and is smaller.

mod asked;
mod cost;
mod failing;
mod running;
mod share;
mod simplify;
mod slice;
#[cfg(test)]
mod tests;
mod validity;
mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;

use hallmark_execution::executor::Executor;
use hallmark_pipeline::signature::Signature;
use hallmark_schema::commands::Command;
use hallmark_schema::model::{Capture, CommandIndex, ProgramPart};
use hallmark_schema::plural::counted;
use hallmark_schema_editing::{CommandSource, Edit, Edited, apply};
use hallmark_search::Answer;

use self::asked::Asked;
pub use self::asked::Runs;
pub use self::asked::until;
pub use self::cost::Cost;
use self::running::Running;
pub use self::running::names_of;
pub use self::validity::reads_what_was_written;
use self::validity::unwritten_read;
pub use self::words::lines;
use super::probe::{CannotTell, ProbeError, ProbeResult, Probed, Prober, Reference};

/// A reduction.
pub struct Reducing<'a> {
    /// Probes candidates for the sought failure.
    pub prober: &'a Prober<'a>,
    /// The failing executor.
    pub bad: &'a Executor,
    /// The failing capture.
    pub capture: &'a Capture,
    /// The schedule seed of the first run of every candidate.
    pub seed: u64,
    /// The number of runs of a candidate.
    pub runs: Runs,
    /// Names of objects and outputs that must stay.
    pub keep: &'a BTreeSet<String>,
    /// The time at which the reduction ends with its present result.
    pub deadline: Option<Instant>,
    /// The number of parallel probes, at least 1.
    pub jobs: usize,
    /// Whether sizes, numbers and data may change.
    pub values: bool,
    /// Whether names and sources are removed at the end.
    pub share: bool,
}

/// Receives the progress of a reduction.
pub trait Observer {
    /// Called after a probe. A break ends the reduction with its present result.
    fn probed(&mut self, edits: &[Edit], probed: &Probed) -> ControlFlow<()>;

    /// Called for a new smallest candidate. `recorded` is its recording.
    fn accepted(&mut self, cost: &Cost, recorded: Option<&Capture>);

    /// Called for a candidate with a failure that has not occurred before.
    fn met(&mut self, signature: &Signature, candidate: &Capture);
}

/// The result of a reduction.
#[derive(Clone, Debug)]
pub struct Reduced {
    /// The edits that turn the capture into the result.
    pub edits: Vec<Edit>,
    /// The result of the edits.
    pub edited: Edited,
    /// The failing executor, with the schedule seed under which it fails, and with dispatch by the host if it
    /// fails that way too.
    pub bad: Executor,
    /// The recording of the result, on the good side if there is one.
    pub recorded: Capture,
    /// The signature of the failure, if its names differ from those of the sought failure.
    pub signature: Option<Signature>,
    /// The cost before.
    pub before: Cost,
    /// The cost after.
    pub after: Cost,
    /// The number of probes.
    pub probes: u64,
    /// The first command of the capture that reads unwritten bytes, if there is one. The result may read
    /// unwritten bytes too, in which two devices may differ without being wrong.
    pub unwritten: Option<CommandIndex>,
    /// The answer without each remaining command, by its index; `None` if the reduction stopped before that
    /// step.
    pub proof: Option<BTreeMap<CommandIndex, Answer>>,
}

/// A reduction without a result.
#[derive(Debug, thiserror::Error)]
pub enum ReduceError {
    /// No probe can be made.
    #[error(transparent)]
    Probe(#[from] ProbeError),
    /// The failure is not there.
    #[error("the failure is not there: {}{}", instead(.result), never(*.tried))]
    NotThere {
        /// What came of the last run.
        result: Box<ProbeResult>,
        /// How often it was run.
        tried: Tried,
    },
    /// The smallest candidate does not fail when it is run again.
    #[error("the smallest capture failed{}: {}{}", not_again(*.tried), instead(.result), advice(*.tried))]
    Unstable {
        /// What came of the last run.
        result: Box<ProbeResult>,
        /// How often it was run again.
        tried: Tried,
    },
    /// Without names and sources it fails otherwise.
    #[error(
        "without names and sources the smallest capture does not fail in the same way; reduce it without --share"
    )]
    NotShared,
    /// A signal requested the end before any result.
    #[error("interrupted")]
    Interrupted,
}

/// How often a failure was waited for that did not show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tried {
    /// In one run: the failure is taken to show every time.
    Once,
    /// Under so many schedule seeds, in one run each.
    Seeds(u64),
    /// In so many runs under one schedule seed.
    Runs(u64),
}

/// The end of a sentence on a failure that never showed.
fn never(tried: Tried) -> String {
    match tried {
        Tried::Once => "; use --flaky if it comes and goes".to_owned(),
        Tried::Seeds(1) => ", under the only schedule seed that was tried".to_owned(),
        Tried::Seeds(seeds) => format!(", under each of {seeds} schedule seeds"),
        Tried::Runs(runs) => format!("; it showed in none of {}", counted(runs, "run", "runs")),
    }
}

/// How often the smallest capture was run again.
fn not_again(tried: Tried) -> String {
    match tried {
        Tried::Once => " once, and not again".to_owned(),
        Tried::Seeds(_) => " once, and not again under the same schedule seed".to_owned(),
        Tried::Runs(runs) => format!(", and then in none of {}", counted(runs, "run", "runs")),
    }
}

/// What helps where the smallest capture does not fail again.
const fn advice(tried: Tried) -> &'static str {
    match tried {
        Tried::Once => "; use --flaky, or an executor that always fails",
        Tried::Seeds(_) => "; use an executor that always does the same under one schedule seed",
        Tried::Runs(_) => "; a candidate that seldom fails was taken by mistake: reduce again",
    }
}

/// What a capture does instead of failing as it should.
fn instead(result: &ProbeResult) -> String {
    match result {
        ProbeResult::Same => "it is the same".to_owned(),
        ProbeResult::Other(signature) => format!("the bad side fails otherwise: {signature}"),
        ProbeResult::Passed => "the bad side does what the good side does".to_owned(),
        ProbeResult::CannotTell(reason) => reason.to_string(),
    }
}

/// The smallest candidate so far.
#[derive(Clone, Debug)]
struct Best {
    edits: Vec<Edit>,
    edited: Edited,
    cost: Cost,
    /// The schedule seed of its failure.
    seed: u64,
    good: Option<Arc<Capture>>,
    bad: Option<Arc<Capture>>,
}

impl Reducing<'_> {
    /// Runs the reduction.
    ///
    /// # Errors
    /// [`ReduceError`]: no candidate is known to fail.
    pub fn run(&self, observer: &mut dyn Observer) -> Result<Reduced, ReduceError> {
        let edits = match self.prober.sought.reference {
            Reference::Executor(_) => vec![Edit::ExpectAsCaptured],
            Reference::Recorded => Vec::new(),
        };
        let edited = apply(&edits, self.capture);
        let cost = Cost::of(&edited.capture);
        let asked = self.asked(&edited.capture, self.bad, self.seed)?;
        for probed in &asked.probed {
            let _ = observer.probed(&edits, probed);
        }
        let Asked { seed, decisive: mut probed, .. } = asked;
        let is_to_be_shown = match &probed.result {
            // What the failure is seen at stands in no log.
            ProbeResult::Same => probed.elapsed.is_none(),
            ProbeResult::CannotTell(CannotTell::Interrupted) => false,
            // It showed when it was counted how often it does: a test that rules it out met a row of passes.
            ProbeResult::Other(_) | ProbeResult::Passed | ProbeResult::CannotTell(_) => {
                matches!(self.runs, Runs::Test(_))
            }
        };
        if is_to_be_shown {
            probed = self.shown_again(&edited.capture, self.bad, seed)?;
        }
        match probed.result {
            ProbeResult::Same => {}
            ProbeResult::CannotTell(CannotTell::Interrupted) => {
                return Err(ReduceError::Interrupted);
            }
            other => {
                let result = Box::new(other);
                return Err(ReduceError::NotThere { result, tried: self.runs.tried() });
            }
        }
        let best = Best { edits, edited, cost, seed, good: probed.good, bad: probed.bad };
        let unwritten = unwritten_read(&self.capture.program);
        let mut search = Running {
            reducing: self,
            bad: self.bad.clone(),
            observer,
            best,
            probes: 1,
            is_stopped: false,
            met: BTreeSet::new(),
            may_read_anything: unwritten.is_some(),
        };
        let proof = search.reduce()?;
        let Running { mut best, mut probes, mut bad, .. } = search;
        let mut signature = None;
        let shared = if self.share { self.shared(&best, &bad, &mut probes)? } else { None };
        let recorded = match shared {
            Some((nameless, renamed, recorded)) => {
                best = nameless;
                signature = Some(renamed);
                recorded
            }
            None if self.share => return Err(ReduceError::NotShared),
            None => self.recorded(&best, &bad)?,
        };
        bad.programs.schedule_seed = best.seed;
        Ok(Reduced {
            edits: best.edits,
            edited: best.edited,
            bad,
            recorded,
            signature,
            before: cost,
            after: best.cost,
            probes,
            unwritten,
            proof,
        })
    }

    /// Runs the smallest candidate once more, even if its result is known, and returns the recording.
    fn recorded(&self, best: &Best, bad: &Executor) -> Result<Capture, ReduceError> {
        let again = self.shown_again(&best.edited.capture, bad, best.seed)?;
        match again.result {
            ProbeResult::Same => {}
            ProbeResult::CannotTell(CannotTell::Interrupted) => {
                let before = best.good.as_deref().or(best.bad.as_deref());
                return before.cloned().ok_or(ReduceError::Interrupted);
            }
            other => {
                let (result, tried) = (Box::new(other), self.runs.tried_again());
                return Err(ReduceError::Unstable { result, tried });
            }
        }
        let recorded = again.good.or(again.bad);
        Ok(recorded.map_or_else(|| best.edited.capture.clone(), Arc::unwrap_or_clone))
    }

    /// The smallest candidate without names and sources, and without data if the failure stays; with its
    /// failure and its recording.
    fn shared(
        &self,
        best: &Best,
        bad: &Executor,
        probes: &mut u64,
    ) -> Result<Option<(Best, Signature, Capture)>, ReduceError> {
        let sought = self.prober.sought.signature.as_ref();
        for edits in share::edits(&best.edits, &best.edited) {
            let edited = apply(&edits, self.capture);
            let before = &best.edited.capture;
            let is_same = |probed: &Probed| {
                probed.signature.as_ref().is_some_and(|found| {
                    sought.is_none_or(|sought| {
                        share::renamed(sought, before, &edited.capture, &edits)
                            .matches(found, self.prober.sought.level)
                    })
                })
            };
            let run = || {
                *probes = probes.saturating_add(1);
                self.prober.probe_again(&edited.capture, bad, best.seed)
            };
            let probed = until(self.runs.patience(), run, is_same)?;
            let is_same = is_same(&probed);
            let recorded = probed.good.or(probed.bad);
            if let (true, Some(found), Some(recorded)) = (is_same, probed.signature, recorded) {
                let cost = Cost::of(&edited.capture);
                let seed = best.seed;
                let nameless = Best { edits, edited, cost, seed, good: None, bad: None };
                return Ok(Some((nameless, found, Arc::unwrap_or_clone(recorded))));
            }
        }
        Ok(None)
    }

    /// Whether another executor is the standard of correctness, and not the capture itself.
    const fn is_differential(&self) -> bool {
        match self.prober.sought.reference {
            Reference::Executor(_) => true,
            Reference::Recorded => false,
        }
    }
}

/// A command of a program.
fn command(program: &ProgramPart, index: CommandIndex) -> Option<&Command> {
    let place = usize::try_from(index.0).ok()?;
    program.commands.get(place).map(|recorded| &recorded.command)
}

/// The index in the capture of a candidate's command.
fn original(edited: &Edited, at: CommandIndex) -> Option<CommandIndex> {
    match edited.sources.get(usize::try_from(at.0).ok()?)? {
        CommandSource::Command(index) => Some(*index),
        CommandSource::Unrolled { replay, .. } => Some(*replay),
        CommandSource::Inserted { after } => Some(*after),
    }
}
