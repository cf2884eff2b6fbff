//! The results of a candidate's run, by which two sides are compared.

use std::collections::BTreeMap;
use std::sync::Arc;

use hallmark_execution::executor::Executor;
use hallmark_execution::worker::memory::BufferSnapshot;
use hallmark_execution::worker::process::Ending;
use hallmark_execution::worker::state::{StateMask, StateNote};
use hallmark_pipeline::signature::Signature;
use hallmark_pipeline::signatures::{Repetition, of_calls, without_capture};
use hallmark_pipeline::{Executed, writer_in_words};
use hallmark_runtime::LastWrite;
use hallmark_schema::model::{Capture, CommandIndex, Failure, Outcome, RecordedCommand};

use crate::probe::{CannotTell, Run, says_nothing};

/// A run of a candidate.
pub(crate) struct Observation {
    /// What was recorded, perhaps only up to where the process died.
    pub capture: Arc<Capture>,
    /// What memory held, by the call after which it was looked at.
    pub(super) notes: BTreeMap<u32, StateNote>,
    /// How the worker ended; `None` for a run from a capture.
    pub(super) executed: Option<Executed>,
}

impl Observation {
    /// The results of a worker.
    ///
    /// # Errors
    /// It says nothing about the device and its programs.
    pub(crate) fn of(run: Run, executor: &Executor) -> Result<Self, CannotTell> {
        let lost = |reason: String| CannotTell::Lost { executor: executor.to_string(), reason };
        let executed = run.executed.map_err(|finding| lost(finding.headline.clone()))?;
        if matches!(executed.ended.ending, Ending::Interrupted) {
            return Err(CannotTell::Interrupted);
        }
        let recovered = || executed.recovered.as_deref().cloned().map(Arc::new);
        let Some(capture) = executed.capture.clone().or_else(recovered) else {
            let reason = match without_capture(&executed) {
                Repetition::Lost { reason } => {
                    return Err(says_nothing(&executed, executor, reason));
                }
                Repetition::Fails(signature) => signature.to_string(),
                Repetition::Agrees => "it left no capture".to_owned(),
            };
            return Err(lost(reason));
        };
        // After a fault, every other call reports a lost device.
        let ends = capture.program.commands.iter().find_map(|made| match &made.outcome {
            Outcome::Failed(failure) if failure.ends_the_run() => Some(failure),
            Outcome::Failed(_) | Outcome::Done | Outcome::Unfinished => None,
        });
        if matches!(ends, Some(Failure::DeviceLost {})) {
            let stop = executed.report.stop.as_deref();
            let why = stop.map_or_else(String::new, |stop| format!(": {stop}"));
            return Err(lost(format!("the device was lost{why}")));
        }
        if let Ending::Signal(signal) = executed.ended.ending
            && hallmark_pipeline::signature::ProcessEnd::Signal(signal).is_from_outside()
        {
            return Err(lost(format!("signal {signal} ended it")));
        }
        let notes = executed.state().into_iter().map(|note| (note.command, note)).collect();
        Ok(Self { capture, notes, executed: Some(executed) })
    }

    /// The results in a capture.
    pub(super) fn recorded(capture: &Capture) -> Self {
        let capture = Arc::new(capture.clone());
        Self { capture, notes: BTreeMap::new(), executed: None }
    }

    /// A call and its outcome.
    pub(super) fn call(&self, at: CommandIndex) -> Option<&RecordedCommand> {
        self.capture.program.commands.get(usize::try_from(at.0).ok()?)
    }

    /// Whether the device tracks unwritten bytes.
    pub(super) fn knows_unwritten(&self) -> bool {
        let mut buffers = self.notes.values().flat_map(|note| note.buffers.values());
        buffers.any(|buffer| buffer.unwritten.is_some())
    }

    /// The unwritten bytes of this side.
    pub(super) fn masks(&self) -> Vec<StateMask> {
        let of_note = |note: &StateNote| {
            let command = note.command;
            let masks = note.buffers.iter().filter_map(|(&buffer, state)| {
                let unwritten = state.unwritten.clone().filter(|it| !it.is_empty())?;
                Some(StateMask { command, buffer, unwritten })
            });
            masks.collect::<Vec<_>>()
        };
        self.notes.values().flat_map(of_note).collect()
    }

    /// How a side that should be right fails: it met what stops a device, and the candidate does not say so.
    pub(crate) fn fails(&self, candidate: &Capture) -> Option<Signature> {
        let executed = self.executed.as_ref()?;
        if executed.capture.is_none() {
            return of_calls(candidate, executed).signature();
        }
        let is_news = self.fails_at(candidate).is_some();
        is_news.then(|| of_calls(candidate, executed).signature()).flatten()
    }

    /// The call at which a side that should be right fails.
    pub(super) fn fails_at(&self, candidate: &Capture) -> Option<CommandIndex> {
        let pairs = self.capture.program.commands.iter().zip(&candidate.program.commands);
        let mut calls = (0..).map(CommandIndex).zip(pairs);
        let first = calls.find(|(_, (is, was))| match &is.outcome {
            Outcome::Failed(failure) => failure.ends_the_run() && is.outcome != was.outcome,
            Outcome::Done | Outcome::Unfinished => false,
        });
        first.map(|(at, _)| at)
    }

    /// The writes to the byte that was watched, if that was asked for and the device can tell.
    pub(crate) fn writes(&self) -> Option<Vec<LastWrite>> {
        self.executed.as_ref()?.writes()
    }

    /// Who made a write, in the words of what was recorded.
    pub(crate) fn in_words(&self, write: &LastWrite) -> String {
        writer_in_words(&self.capture, write)
    }

    /// The bytes that a buffer held after a call, if they were kept.
    pub(crate) fn bytes(&self, command: u32, buffer: u32) -> Option<BufferSnapshot> {
        let memory = self.executed.as_ref()?.memory();
        memory.into_iter().find(|held| (held.command, held.buffer) == (command, buffer))
    }
}
