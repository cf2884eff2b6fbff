//! Edits that make a probe of a capture: a prefix that shows its state, and waits between commands.

use hallmark_schema::model::{CommandIndex, ProgramPart, QueueId};

use crate::defects::{Defect, planted};
use crate::draft::queues_of;
use crate::edit::{Edit, InsertedExpectation};
use crate::lifetimes::{after, legal_cuts};

/// The edits that keep the first commands, wait for every queue that they use, and then read every live buffer.
///
/// The reads are unchecked, in ascending order of the buffers, and their outputs are called `state.` and the buffer's
/// id before the edits. `None` if a trace is being captured after these commands, or there are not so many.
pub fn prefix(program: &ProgramPart, commands: u32) -> Option<Vec<Edit>> {
    legal_cuts(program).binary_search(&commands).ok()?;
    let commands = commands.saturating_sub(u32::from(planted(Defect::PrefixOneShort)));
    let mut edits = vec![Edit::Cut { commands }];
    let Some(after) = commands.checked_sub(1).map(CommandIndex) else { return Some(edits) };
    let count = usize::try_from(commands).unwrap_or(usize::MAX);
    let mut queues = queues_of(program.commands.iter().take(count));
    // A call may have been refused because there is no such queue.
    queues.retain(|queue| queue.0 < program.num_command_queues);
    let queue = queues.first().copied().unwrap_or(QueueId(0));
    edits.extend(queues.into_iter().map(|queue| Edit::InsertFinish { after, queue }));
    edits.extend(self::after(program, commands).live_buffers().map(|buffer| Edit::InsertRead {
        after,
        queue,
        buffer,
        region: None,
        output: format!("state.{buffer}"),
        expectation: InsertedExpectation::Unchecked,
    }));
    Some(edits)
}

/// The edits that wait for the queue of each of these commands right after it; for every queue in use where the
/// command has none.
pub fn insert_finish_after(program: &ProgramPart, commands: &[CommandIndex]) -> Vec<Edit> {
    let every = queues_of(&program.commands);
    let mut edits = Vec::new();
    for &after in commands {
        let at = usize::try_from(after.0).ok();
        let Some(recorded) = at.and_then(|at| program.commands.get(at)) else { continue };
        let queues = recorded.command.queue().map_or_else(|| every.clone(), |queue| vec![queue]);
        edits.extend(queues.into_iter().map(|queue| Edit::InsertFinish { after, queue }));
    }
    edits
}
