//! A replay through TT-Metalium whose chip ended the process on the fault of the capture.

use hallmark_chip::Fault;
use hallmark_execution::worker::process::Ending;
use hallmark_runtime::MetaliumPhase;
use hallmark_schema::model::{Capture, CommandIndex, Failure, Outcome, QueuesEnd};

use super::executed::Executed;

/// The captured fault, if a replay through TT-Metalium met it: the same category, in a call from the one that
/// enqueued the faulty program to the one that met the fault. TT-Metalium waits at other calls than Hallmark does.
///
/// The process is gone, and with it the results of the calls before.
pub fn repeated_fault(capture: &Capture, replayed: &Executed) -> Option<Fault> {
    let Ending::Exited(_) = replayed.ended.ending else { return None };
    let fault = replayed.ended.closing_fault()?;
    let (failed, failure) = captured_failure(capture)?;
    let Failure::DeviceFault { category, enqueue } = failure else { return None };
    let is_there = match &replayed.phase {
        Some(MetaliumPhase::Calling { command, .. }) => {
            enqueue <= command && failed.is_none_or(|failed| *command <= failed)
        }
        Some(MetaliumPhase::Draining) => failed.is_none(),
        Some(MetaliumPhase::Opening | MetaliumPhase::Closing) | None => false,
    };
    (*category == fault.category && is_there).then_some(fault)
}

/// The failure that ended a captured run, with the call that met it; without a call for the work at the end.
fn captured_failure(capture: &Capture) -> Option<(Option<CommandIndex>, &Failure)> {
    let commands = (0..).map(CommandIndex).zip(&capture.program.commands);
    let of_calls = commands.filter_map(|(index, recorded)| match &recorded.outcome {
        Outcome::Failed(failure) => Some((Some(index), failure)),
        Outcome::Done | Outcome::Unfinished => None,
    });
    let at_end = capture.at_end().and_then(QueuesEnd::failure).map(|failure| (None, failure));
    of_calls.chain(at_end).find(|(_, failure)| failure.ends_the_run())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use hallmark_chip::FaultCategory;
    use hallmark_execution::worker::process::Ended;
    use hallmark_execution::worker::report::WorkerReport;
    use hallmark_runtime::device_code::temporary::TemporaryFolder;

    use super::*;

    /// A capture whose program is enqueued by command `enqueue` and whose command `failed` meets a data race.
    fn captured(enqueue: u32, failed: usize) -> Capture {
        let bytes = std::fs::read(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../schema/released/1.0/captures/trace.lmb"
        ));
        let mut capture = Capture::from_bytes(&bytes.unwrap()).unwrap();
        assert!(capture.program.commands.len() > failed + 1);
        capture.program.commands[failed].outcome = Outcome::Failed(Failure::DeviceFault {
            category: FaultCategory::DataRace,
            enqueue: CommandIndex(enqueue),
        });
        capture
    }

    /// A worker that ended with a closing line in a phase.
    fn ended(line: &str, phase: Option<MetaliumPhase>) -> Executed {
        let ended = Ended {
            process: 1,
            ending: Ending::Exited(1),
            stdout: line.to_owned(),
            stderr: String::new(),
            elapsed: Duration::ZERO,
        };
        let folder = TemporaryFolder::new().unwrap();
        let mut executed = Executed::of(ended, WorkerReport::default(), folder);
        executed.phase = phase;
        executed
    }

    #[test]
    fn a_fault_is_repeated_by_its_category_between_enqueue_and_failing_call() {
        let race = "[12] ERROR: DataRace: libttsim_clock: two stores";
        let calling = |command| {
            Some(MetaliumPhase::Calling { command: CommandIndex(command), call: "finish".into() })
        };
        for (line, phase, repeats) in [
            (race, calling(5), false),
            (race, calling(6), true),
            (race, calling(7), true),
            (race, calling(8), true),
            (race, calling(9), false),
            (race, Some(MetaliumPhase::Draining), false),
            (race, Some(MetaliumPhase::Opening), false),
            (race, Some(MetaliumPhase::Closing), false),
            (race, None, false),
            ("[12] ERROR: UndefinedBehavior: libttsim_clock: two stores", calling(7), false),
            ("two stores", calling(7), false),
        ] {
            let executed = ended(line, phase.clone());
            let fault = repeated_fault(&captured(6, 8), &executed);
            assert_eq!(fault.is_some(), repeats, "{line} {phase:?}");
        }
    }

    #[test]
    fn a_run_that_did_not_end_in_a_fault_repeats_none() {
        let mut capture = captured(6, 8);
        let line = "[12] ERROR: DataRace: libttsim_clock: two stores";
        let phase = MetaliumPhase::Calling { command: CommandIndex(8), call: "finish".into() };
        let executed = ended(line, Some(phase));
        let deadlock = Failure::Deadlock { enqueue: CommandIndex(6) };
        capture.program.commands[8].outcome = Outcome::Failed(deadlock);
        assert_eq!(repeated_fault(&capture, &executed), None);
        capture.program.commands[8].outcome = Outcome::Done;
        assert_eq!(repeated_fault(&capture, &executed), None);
    }

    #[test]
    fn a_process_that_was_killed_repeats_nothing() {
        let line = "[12] ERROR: DataRace: libttsim_clock: two stores";
        let phase = MetaliumPhase::Calling { command: CommandIndex(8), call: "finish".into() };
        let mut executed = ended(line, Some(phase));
        executed.ended.ending = Ending::Signal(9);
        assert_eq!(repeated_fault(&captured(6, 8), &executed), None);
    }
}
