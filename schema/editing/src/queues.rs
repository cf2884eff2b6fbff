//! Edits that merge queues, and that make calls blocking.

use hallmark_schema::model::{Command, CommandIndex, QueueId};

use crate::draft::Draft;
use crate::lifetimes::Lifetimes;

/// Moves all work to queue 0, or changes nothing and returns `false`.
pub(crate) fn merge(draft: &mut Draft<'_>) -> bool {
    if draft.num_command_queues < 2 {
        return false;
    }
    let mut lifetimes = Lifetimes::default();
    for command in &draft.commands {
        let queue = command.recorded.command.queue();
        let is_beside = queue.is_some_and(|queue| lifetimes.captured_on(queue).is_none());
        if lifetimes.is_capturing() && is_beside {
            return false;
        }
        lifetimes.follow(&command.recorded);
    }
    for command in &mut draft.commands {
        let command = &mut command.recorded.command;
        if let Some(queue) = command.queue_mut() {
            *queue = QueueId(0);
        }
        // The event numbers of two queues become those of one.
        if let Command::EnqueueRecordEvent(call) = command {
            call.number = None;
        }
    }
    draft.num_command_queues = 1;
    true
}

/// Makes a call blocking, or changes nothing and returns `false`.
pub(crate) fn make_blocking(index: CommandIndex, draft: &mut Draft<'_>) -> bool {
    let mut lifetimes = Lifetimes::default();
    for command in &mut draft.commands {
        let recorded = &mut command.recorded;
        let is_it = command.source.position() == index;
        let queue = recorded.command.queue();
        let captures = queue.is_some_and(|queue| lifetimes.captured_on(queue).is_some());
        lifetimes.follow(recorded);
        if !is_it || captures {
            continue;
        }
        let blocking = match &mut recorded.command {
            Command::EnqueueWriteBuffer(call) => &mut call.blocking,
            Command::EnqueueReadBuffer(call) => &mut call.blocking,
            Command::EnqueueProgram(call) => &mut call.blocking,
            Command::ReplayTrace(call) => &mut call.blocking,
            _ => continue,
        };
        if !*blocking {
            *blocking = true;
            return true;
        }
    }
    false
}
