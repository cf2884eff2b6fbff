//! The program that an interrupted run was waiting for.

use hallmark_schema::commands::Wait;
use hallmark_schema::model::{Command, CommandIndex, Outcome, ProgramPart, QueueId};

/// The only enqueue that may still have been running after the last of some calls; `None` if there are several.
pub(super) fn awaited_enqueue(program: &ProgramPart) -> Option<CommandIndex> {
    let mut awaited: Vec<(QueueId, CommandIndex)> = Vec::new();
    for (at, made) in (0..).map(CommandIndex).zip(&program.commands) {
        match (&made.command, &made.outcome) {
            // Some runtimes wait for a program when it is enqueued.
            (Command::EnqueueProgram(call), Outcome::Unfinished) => {
                awaited = vec![(call.queue, at)];
            }
            (Command::EnqueueProgram(call), Outcome::Done | Outcome::Failed(_)) => {
                awaited.push((call.queue, at));
            }
            (command, Outcome::Done) => match command.waits_for() {
                Wait::AllQueues => awaited.clear(),
                Wait::Queue(queue) => awaited.retain(|(of, _)| *of != queue),
                // An event is not traced back to the work that it completes.
                Wait::Event(_) | Wait::Nothing => {}
            },
            (_, Outcome::Unfinished | Outcome::Failed(_)) => {}
        }
    }
    match awaited.as_slice() {
        [(_, only)] => Some(*only),
        [] | [_, ..] => None,
    }
}

#[cfg(test)]
mod tests {
    use hallmark_chip::Architecture;
    use hallmark_schema::commands::{EnqueueProgram, EnqueueReadBuffer, EventSynchronize};
    use hallmark_schema::model::{
        BufferId, EventId, Expectation, Grid, ProgramId, RecordedCommand,
    };

    use super::*;

    /// A program enqueued by command 1, followed by a blocking read.
    fn program() -> ProgramPart {
        let commands = [
            Command::EventSynchronize(EventSynchronize { event: EventId(0) }),
            Command::EnqueueProgram(EnqueueProgram {
                queue: QueueId(0),
                program: ProgramId(0),
                blocking: false,
            }),
            Command::EnqueueReadBuffer(EnqueueReadBuffer {
                queue: QueueId(0),
                buffer: BufferId(0),
                output: "out".to_owned(),
                blocking: true,
                expectation: Expectation::AsCaptured,
                region: None,
            }),
        ];
        let commands = commands.map(|command| RecordedCommand { command, outcome: Outcome::Done });
        let grid = Grid { columns: 1, rows: 1 };
        ProgramPart::new(Architecture::WormholeB0, grid, commands.to_vec())
    }

    #[test]
    fn one_program_that_nothing_waited_for_is_it() {
        let mut program = program();
        assert_eq!(awaited_enqueue(&program), None, "the read waited");
        program.commands[2].outcome = Outcome::Unfinished;
        assert_eq!(awaited_enqueue(&program), Some(CommandIndex(1)));
        program.commands[1].outcome = Outcome::Unfinished;
        program.commands.truncate(2);
        assert_eq!(awaited_enqueue(&program), Some(CommandIndex(1)));
    }

    #[test]
    fn of_two_nobody_knows_unless_one_is_waited_for_where_it_is_enqueued() {
        let mut program = program();
        program.commands.truncate(2);
        let again = program.commands[1].clone();
        program.commands.push(again);
        assert_eq!(awaited_enqueue(&program), None);
        program.commands[2].outcome = Outcome::Unfinished;
        assert_eq!(awaited_enqueue(&program), Some(CommandIndex(2)));
    }

    #[test]
    fn waiting_for_another_queue_ends_nothing_here() {
        let mut program = program();
        let Command::EnqueueReadBuffer(read) = &mut program.commands[2].command else { panic!() };
        read.queue = QueueId(1);
        assert_eq!(awaited_enqueue(&program), Some(CommandIndex(1)));
    }
}
