//! The end of the queues as a call: a cut of a capture says nothing of its end, so that a search for a failure there needs a
//! call that meets it.

use std::borrow::Cow;
use std::collections::BTreeSet;

use hallmark_schema::commands::{Finish, Synchronize, Wait};
use hallmark_schema::model::{
    Capture, Command, CommandIndex, ExpectedFault, FaultRecord, Outcome, QueueId, QueuesEnd,
    RecordedCommand,
};

/// The capture with a call at its end that waits for all work for which no call waits, and with nothing said of its end. A
/// failure of the end is the outcome of that call. The capture itself if no such work is known and the end has no failure,
/// or if its queues were not drained.
pub fn with_end_as_call(capture: &Capture) -> Cow<'_, Capture> {
    let Some(end) = capture.at_end() else { return Cow::Borrowed(capture) };
    let Work { waiting, tracing, has_reads } = work(capture);
    if waiting.is_empty() && end.failure().is_none() {
        return Cow::Borrowed(capture);
    }
    let QueuesEnd { outcome, expected } = end.clone();
    let program = &capture.program;
    let queues = (0..program.num_command_queues).map(QueueId);
    let queues: Vec<QueueId> = queues.filter(|queue| !tracing.contains(queue)).collect();
    let command = match queues.as_slice() {
        [] => return Cow::Borrowed(capture),
        [queue] => Command::Finish(Finish { queue: *queue }),
        _ => Synchronize {}.into(),
    };
    // The bytes of reads that no call waited for are not known.
    let outcome = if outcome == Outcome::Done && has_reads { Outcome::Unfinished } else { outcome };
    let at = CommandIndex(u32::try_from(program.commands.len()).unwrap_or(u32::MAX));
    let mut ended = capture.clone();
    ended.program.commands.push(RecordedCommand { command, outcome });
    if let Some(record) = &mut ended.record {
        record.at_end = None;
        let faults = record.faults.iter();
        record.faults = faults.map(|fault| FaultRecord::new(at, fault.fault().clone())).collect();
        if expected {
            record.expected_faults.push(ExpectedFault { command: at });
        }
    }
    Cow::Owned(ended)
}

/// Work for which no call waits.
struct Work {
    /// The queues that have such work.
    waiting: BTreeSet<QueueId>,
    /// The queues whose trace is still being captured.
    tracing: BTreeSet<QueueId>,
    /// Whether reads are among it.
    has_reads: bool,
}

fn work(capture: &Capture) -> Work {
    let mut work = Work { waiting: BTreeSet::new(), tracing: BTreeSet::new(), has_reads: false };
    let mut reads: BTreeSet<QueueId> = BTreeSet::new();
    for RecordedCommand { command, outcome } in &capture.program.commands {
        if *outcome != Outcome::Done {
            continue;
        }
        match command {
            Command::BeginTraceCapture(call) => {
                work.tracing.insert(call.queue);
                continue;
            }
            Command::EndTraceCapture(call) => {
                work.tracing.remove(&call.queue);
                continue;
            }
            _ => {}
        }
        if let Some(queue) = command.queue()
            && !work.tracing.contains(&queue)
        {
            work.waiting.insert(queue);
            if matches!(command, Command::EnqueueReadBuffer(_)) {
                reads.insert(queue);
            }
        }
        match command.waits_for() {
            Wait::Nothing | Wait::Event(_) => {}
            Wait::Queue(queue) => {
                work.waiting.remove(&queue);
                reads.remove(&queue);
            }
            Wait::AllQueues => {
                work.waiting.clear();
                reads.clear();
            }
        }
    }
    work.has_reads = !reads.is_empty();
    work
}
