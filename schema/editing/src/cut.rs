//! Edits that turn a capture into a probe: a prefix that reads the buffers, or waits between commands.

use hallmark_schema::model::{CommandIndex, ProgramPart, QueueId};

use crate::defects::{Defect, planted};
use crate::draft::queues_of;
use crate::edit::{Edit, InsertedExpectation};
use crate::lifetimes::{after, legal_cuts};

/// The edits that keep the first `commands` commands, wait for every queue that these use, and then read every
/// live buffer that one read can bring.
///
/// The reads are unchecked, in ascending order of the buffers. Each output is named `state.` and the buffer's
/// id in the original capture. `None` if a trace is being captured after these commands, or the capture is
/// shorter.
pub fn prefix(program: &ProgramPart, commands: u32) -> Option<Vec<Edit>> {
    legal_cuts(program).binary_search(&commands).ok()?;
    let commands = commands.saturating_sub(u32::from(planted(Defect::PrefixOneShort)));
    let mut edits = vec![Edit::Cut { commands }];
    let Some(after) = commands.checked_sub(1).map(CommandIndex) else { return Some(edits) };
    let count = usize::try_from(commands).unwrap_or(usize::MAX);
    let mut queues = queues_of(program.commands.iter().take(count));
    // A call may have been refused because its queue does not exist.
    queues.retain(|queue| queue.0 < program.num_command_queues);
    let queue = queues.first().copied().unwrap_or(QueueId(0));
    edits.extend(queues.into_iter().map(|queue| Edit::InsertFinish { after, queue }));
    let lifetimes = self::after(program, commands);
    let readable = lifetimes.live_buffers().filter(|buffer| lifetimes.can_read(*buffer, None));
    edits.extend(readable.map(|buffer| Edit::InsertRead {
        after,
        queue,
        buffer,
        region: None,
        output: format!("state.{buffer}"),
        expectation: InsertedExpectation::Unchecked,
    }));
    Some(edits)
}

/// The edits that insert a wait after each of these commands, for the command's queue, or for every queue in
/// use if it has none.
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
