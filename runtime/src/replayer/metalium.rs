//! Makes the calls of a capture through TT-Metalium, the vendor's runtime, and reports the differences.

use std::collections::BTreeMap;
use std::fmt;

use hallmark_metalium::{
    CallEnd, CompletedRead, Inexpressible, LeftOut, Metalium, MetaliumError, ReleaseDescription,
    Simulator, inexpressible, left_out, prints,
};
use hallmark_schema::model::{
    AssignedAddress, Blobs, Capture, Command, CommandIndex, ContentHash, DispatchMode,
    FirmwareRecord, Grid, Outcome, ReadResult, Record,
};

use serde::{Deserialize, Serialize};

use super::{Check, Portability, ReadComparison, ReplayMismatch, ReplayReport, compare};

/// A capture cannot be carried out by TT-Metalium, or the attempt failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MetaliumReplayError {
    /// Some of its calls cannot be made there.
    #[error("TT-Metalium cannot make {} of the capture's calls", calls.len())]
    Inexpressible {
        /// Each of them with its reason, in the order of the calls.
        calls: Vec<(CommandIndex, Inexpressible)>,
    },
    /// Its inputs are free.
    #[error("{}", super::ReplayError::Binary)]
    Binary,
    /// The capture does not say where it ran.
    #[error("the capture has no record part; replay a capture, not a golden")]
    NoRecord,
    /// TT-Metalium cannot be used here.
    #[error(transparent)]
    Metalium(#[from] MetaliumError),
}

/// The settings of a replay through TT-Metalium.
#[derive(Clone, Copy, Debug)]
pub struct MetaliumReplay<'a> {
    /// The C++ library with the C interface.
    pub interface: &'a std::path::Path,
    /// A folder for the kernels' sources.
    pub sources: &'a std::path::Path,
    /// The name of the device in the record.
    pub device: &'a str,
    /// The maker of the chip's simulator.
    pub chip: Simulator,
    /// The vendor's release, as reports name it.
    pub release: &'a str,
    /// The description of its library.
    pub description: &'static ReleaseDescription,
    /// The GNU build id of the vendor's library.
    pub build_id: &'a str,
    /// The dispatch mode: the host or dispatchers launch programs.
    pub dispatch: DispatchMode,
    /// The file that the vendor's print server writes, if it runs.
    pub prints: Option<&'a std::path::Path>,
}

/// The progress of a replay. The vendor's code may end the process or never return, so that only an observer knows
/// the progress.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum MetaliumPhase {
    /// The device is being opened.
    Opening,
    /// A call is being made.
    Calling {
        /// Its place among the calls.
        command: CommandIndex,
        /// Its name.
        call: String,
    },
    /// The work for which no call waits is being done.
    Draining,
    /// The device is being closed.
    Closing,
}

impl fmt::Display for MetaliumPhase {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Opening => formatter.write_str("TT-Metalium was opening the device."),
            Self::Calling { command, call } => {
                write!(formatter, "TT-Metalium was carrying out command {command}, {call}.")
            }
            Self::Draining => {
                formatter.write_str("TT-Metalium was doing the work for which no call waits.")
            }
            Self::Closing => formatter.write_str("TT-Metalium was closing the device."),
        }
    }
}

/// Makes the calls of a validated capture again through TT-Metalium. `observe` hears of each phase before it begins.
///
/// # Errors
/// [`MetaliumReplayError`]: the capture cannot be carried out there. What comes out otherwise is no error but stands in
/// the report.
pub fn replay_on_metalium(
    capture: &Capture,
    replay: &MetaliumReplay<'_>,
    mut observe: impl FnMut(&MetaliumPhase),
) -> Result<ReplayReport, MetaliumReplayError> {
    if capture.program.is_binary() {
        return Err(MetaliumReplayError::Binary);
    }
    let record = capture.record.as_ref().ok_or(MetaliumReplayError::NoRecord)?;
    let calls = inexpressible(capture, replay.description, replay.dispatch, replay.chip);
    if !calls.is_empty() {
        return Err(MetaliumReplayError::Inexpressible { calls });
    }
    observe(&MetaliumPhase::Opening);
    let mut metalium =
        Metalium::open(replay.interface, replay.description, capture, replay.sources)?;
    let mut made = Made::default();
    for (index, recorded) in (0..).map(CommandIndex).zip(&capture.program.commands) {
        if let Outcome::Failed(failure) = &recorded.outcome
            && let Some(reason) = left_out(&recorded.command, failure)
        {
            made.left_out.push((index, reason));
            continue;
        }
        let call = recorded.command.kind().name().to_owned();
        observe(&MetaliumPhase::Calling { command: index, call });
        let end = metalium.make_call(index, &recorded.command)?;
        made.reads.extend(metalium.take_reads());
        if !made.take(index, &recorded.command, &recorded.outcome, end) {
            break;
        }
    }
    // Upstream waits for its queues when it closes a device. A fault or a hang there is the programs', and not the closing's.
    if let Some(end) = capture.at_end()
        && made.ended_at.is_none()
        && !made.has_thrown
    {
        observe(&MetaliumPhase::Draining);
        made.take_end(&end.outcome, metalium.drain());
    }
    let (grid, addresses) = (metalium.grid(), metalium.addresses().to_vec());
    // Upstream may wait for ever when it closes a device that it has thrown an exception about.
    if !made.has_thrown {
        observe(&MetaliumPhase::Closing);
        // An error of the vendor's code while it closes says nothing about the capture.
        let _ = metalium.close();
    }
    let mut again = made.capture(capture, record, replay, grid, addresses);
    if let (Some(file), Some(record)) = (replay.prints, &mut again.record) {
        record.printed = prints::read(file, Some(&again.program));
    }
    let mut mismatches = made.mismatches;
    let returned: Vec<ReadComparison> = made
        .reads
        .iter()
        .map(|read| ReadComparison {
            command: read.command,
            hash: ContentHash::of(&read.bytes),
            near: compare::is_near(capture, read.command, &read.bytes),
        })
        .collect();
    let near = compare::reads(capture, &returned, &mut mismatches);
    if let Some(last) = made.ended_at {
        // The results of later calls are not known.
        mismatches.retain(|mismatch| mismatch.command().is_none_or(|command| command <= last));
    }
    let mut derived = compare::derived(capture, &again);
    // Upstream builds kernels of its own, and gives no addresses but those of buffers.
    derived.retain(|difference| difference.is_of_a_buffer());
    derived.extend(near);
    Ok(ReplayReport {
        capture: again,
        portability: Portability::Exact,
        mismatches,
        derived,
        unfinished: made.unfinished,
        unfinished_end: made.unfinished_end,
        newer: None,
        reads: Vec::new(),
        stop: None,
        left_out: made.left_out,
        warnings: Vec::new(),
    })
}

/// The results of the calls so far.
#[derive(Default)]
struct Made {
    reads: Vec<CompletedRead>,
    mismatches: Vec<ReplayMismatch>,
    /// Whether upstream has thrown an exception, be it an expected one.
    has_thrown: bool,
    unfinished: Option<(CommandIndex, Outcome)>,
    /// The outcome now of an end that the capture leaves unfinished.
    unfinished_end: Option<Outcome>,
    /// The last call that was made: it failed, and later calls may need the object that it makes.
    ended_at: Option<CommandIndex>,
    /// The outcome now of a call that the capture leaves unfinished.
    outcomes: BTreeMap<CommandIndex, Outcome>,
    /// Calls that were not made, and why.
    left_out: Vec<(CommandIndex, LeftOut)>,
}

impl Made {
    /// Compares the end of a call with the captured one. Gives whether to go on.
    fn take(
        &mut self,
        index: CommandIndex,
        command: &Command,
        captured: &Outcome,
        end: CallEnd,
    ) -> bool {
        let kind = command.kind();
        self.has_thrown |= matches!(end, CallEnd::Exception { .. });
        match (captured, end) {
            (Outcome::Done, CallEnd::Done) => true,
            (Outcome::Unfinished, CallEnd::Done) => {
                self.unfinished = Some((index, Outcome::Done));
                self.outcomes.insert(index, Outcome::Done);
                true
            }
            // The calls behind it need nothing of what the capture refuses. After a fault the capture has no results.
            (Outcome::Failed(failure), CallEnd::Done) => {
                if Check::ReplayedOutcome.finds(true) {
                    self.mismatches.push(ReplayMismatch::Outcome {
                        command: index,
                        kind,
                        captured: captured.clone(),
                        replayed: Outcome::Done,
                        message: None,
                    });
                }
                if failure.ends_the_run() {
                    self.ended_at = Some(index);
                }
                !failure.ends_the_run()
            }
            (Outcome::Failed(failure), CallEnd::Exception { text, refusal }) => {
                let text = match refusal {
                    None => format!("{text} (no known meaning)"),
                    Some(refusal) => match refusal.difference(failure) {
                        Some(difference) if Check::ReplayedOutcome.finds(true) => {
                            format!("{text} ({difference})")
                        }
                        Some(_) | None => return true,
                    },
                };
                let captured = captured.clone();
                let exception = ReplayMismatch::Exception { command: index, kind, captured, text };
                self.mismatches.push(exception);
                true
            }
            (Outcome::Done | Outcome::Unfinished, CallEnd::Exception { text, .. }) => {
                let captured = captured.clone();
                let exception = ReplayMismatch::Exception { command: index, kind, captured, text };
                self.mismatches.push(exception);
                self.ended_at = Some(index);
                false
            }
        }
    }

    /// Compares the end of the queues with the captured one.
    fn take_end(&mut self, captured: &Outcome, drained: Result<(), String>) {
        let replayed = Outcome::Done;
        match (captured, drained) {
            (Outcome::Done, Ok(())) => {}
            (Outcome::Unfinished, Ok(())) => self.unfinished_end = Some(replayed),
            (Outcome::Failed(_), Ok(())) => {
                if Check::ReplayedEnd.finds(true) {
                    let captured = captured.clone();
                    self.mismatches.push(ReplayMismatch::End { captured, replayed });
                }
            }
            (_, Err(text)) => {
                self.has_thrown = true;
                let captured = captured.clone();
                self.mismatches.push(ReplayMismatch::EndException { captured, text });
            }
        }
    }

    /// The replay's own capture: the same program, and where it ran.
    fn capture(
        &self,
        capture: &Capture,
        before: &Record,
        replay: &MetaliumReplay<'_>,
        grid: Grid,
        mut addresses: Vec<AssignedAddress>,
    ) -> Capture {
        let mut program = capture.program.clone();
        for (index, outcome) in &self.outcomes {
            let recorded = usize::try_from(index.0).ok();
            let recorded = recorded.and_then(|at| program.commands.get_mut(at));
            if let Some(recorded) = recorded {
                recorded.outcome = outcome.clone();
            }
        }
        if let Some(last) = self.ended_at {
            // The format's way to say that nothing is known of a call and of those behind it.
            let at = usize::try_from(last.0).unwrap_or(usize::MAX);
            program.commands.truncate(at.saturating_add(1));
            if let Some(recorded) = program.commands.last_mut() {
                recorded.outcome = Outcome::Unfinished;
            }
        }
        let mut blobs: Blobs = capture.blobs.clone();
        for elf in &before.elfs {
            blobs.remove(&elf.hash);
        }
        let mut reads: Vec<ReadResult> = Vec::new();
        for read in &self.reads {
            let hash = ContentHash::of(&read.bytes);
            blobs.entry(hash).or_insert_with(|| read.bytes.clone().into());
            let (command, buffer) = (read.command, read.buffer);
            reads.push(ReadResult { command, buffer, length: read.bytes.len() as u64, hash });
        }
        reads.sort_by_key(|read| read.command);
        addresses.sort_by_key(|assigned| (assigned.object, assigned.id));
        let mut record = Record {
            firmware: FirmwareRecord {
                name: format!("TT-Metalium {}", replay.release),
                hash: ContentHash::of(replay.build_id.as_bytes()),
                launch_abi: before.firmware.launch_abi,
            },
            dispatch_mode: replay.dispatch,
            addresses,
            printed: Vec::new(),
            elfs: Vec::new(),
            faults: Vec::new(),
            waits: Vec::new(),
            reads,
            collected: Vec::new(),
            at_end: (self.ended_at.is_none() && !self.has_thrown)
                .then(|| before.at_end.clone())
                .flatten(),
            ..before.clone()
        };
        if let (Some(end), Some(outcome)) = (&mut record.at_end, &self.unfinished_end) {
            end.outcome = outcome.clone();
        }
        if let Some(origin) = &mut record.origin {
            origin.truncate(&program.commands);
        }
        replay.device.clone_into(&mut record.chip.device);
        record.chip.grid = grid;
        let mut again = Capture { program, record: Some(record), outputs: Vec::new(), blobs };
        again.outputs = again.outputs_of_reads();
        again
    }
}
