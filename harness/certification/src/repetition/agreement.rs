//! Whether a repetition agrees with the result that a package claims.
//!
//! A repetition can end for a reason of its own machine: too little memory or time, a signal from outside, a bug of
//! Hallmark. Such an end says nothing about the subject.
//!
//! No capture holds the end of a process. Where a package says that a process hung or died, a repetition agrees only if its
//! process ends in the same way. Any other end leaves the result on the submitter's word. It disproves nothing, because a
//! slow or full machine of the submitter can end a process, too; and it proves nothing, so the result is not replayed.

use std::time::Duration;

use hallmark_execution::worker::problem::WorkerProblem;
use hallmark_execution::worker::process::Ending;
use hallmark_pipeline::finding::Finding;
use hallmark_pipeline::signature::ProcessEnd;
use hallmark_pipeline::verdict::Verdict;
use hallmark_schema::model::{Capture, Outcome, QueuesEnd};

use crate::replay::Repeated;
use crate::results::ResultLine;

/// Whether the verdict of a result comes of the end of a process, which its capture does not hold.
pub(super) fn is_of_process(claimed: &ResultLine, capture: &Capture) -> bool {
    let verdict = &claimed.verdict.0;
    let of_calls = capture.program.commands.iter().filter_map(|it| match &it.outcome {
        Outcome::Failed(failure) => Some(failure),
        Outcome::Done | Outcome::Unfinished => None,
    });
    let mut failures = of_calls.chain(capture.at_end().and_then(QueuesEnd::failure));
    ResultLine::can_come_of_a_process(verdict)
        && !failures.any(|failure| Verdict::of_failure(failure) == *verdict)
}

/// The outcome of a repetition with this end and with this difference from the capture.
pub(super) fn agreement(
    claimed: &ResultLine,
    capture: &Capture,
    ending: &Ending,
    finding: Option<Finding>,
    timeout: Duration,
) -> Repeated {
    let is_of_process = is_of_process(claimed, capture);
    let verdict = &claimed.verdict.0;
    let Some(finding) = finding else {
        return if is_of_process {
            let name = verdict.name();
            Repeated::Unknown(format!(
                "the package says {name}, and the repetition ended without it"
            ))
        } else {
            Repeated::Same
        };
    };
    let stops = stops_before_any_program(ending);
    let stops_again = stops && *verdict == Verdict::Crash && claimed.signature.is_none();
    if is_of_process && (stops_again || ends_so_again(claimed, ending, &finding, timeout)) {
        return Repeated::Same;
    }
    let is_of_machine = match ending {
        Ending::Unreadable(_)
        | Ending::TimedOut
        | Ending::OverBudget { .. }
        | Ending::Interrupted => true,
        Ending::Signal(signal) => ProcessEnd::Signal(*signal).is_from_outside(),
        Ending::Reported(_) | Ending::Exited(_) => finding.verdict == Verdict::InternalError,
    };
    let is_other_end = match ending {
        Ending::Reported(report) => report.problem.is_some() && !stops,
        _ => true,
    };
    let first = finding.lines.first().map(|line| format!(": {line}")).unwrap_or_default();
    let what = format!("{}{first}", finding.headline);
    if is_of_machine || (is_of_process && is_other_end) {
        Repeated::Unknown(what)
    } else {
        Repeated::Differs(what)
    }
}

/// Whether the firmware stopped the device before any program ran. Nothing but the subject has run.
fn stops_before_any_program(ending: &Ending) -> bool {
    let Ending::Reported(report) = ending else { return false };
    matches!(report.problem, Some(WorkerProblem::Stopped { .. }))
}

/// Whether a process ended as the package says that one ended. The signature tells the program that a hang waited for,
/// and the signal or code of a crash. It is absent where the machine ended the process.
fn ends_so_again(
    claimed: &ResultLine,
    ending: &Ending,
    finding: &Finding,
    timeout: Duration,
) -> bool {
    let is_end = match ending {
        // A repetition that had less time than the claimed run shows nothing.
        Ending::TimedOut => timeout >= Duration::from_millis(claimed.milliseconds),
        Ending::Exited(_) | Ending::Signal(_) => finding.verdict == Verdict::Crash,
        _ => false,
    };
    is_end
        && finding.verdict == claimed.verdict.0
        && finding.signature().is_some()
        && finding.signature() == claimed.signature.as_ref()
}

#[cfg(test)]
mod tests {
    use hallmark_execution::worker::contract::{ContractError, ContractFile};
    use hallmark_execution::worker::memory_budget::MemorySize;
    use hallmark_execution::worker::report::WorkerReport;
    use hallmark_pipeline::signature::Signature;
    use hallmark_schema::model::{CommandIndex, Failure};

    use super::*;

    const TIMEOUT: Duration = Duration::from_secs(5);

    fn capture() -> Capture {
        let path =
            concat!(env!("CARGO_MANIFEST_DIR"), "/../../schema/released/1.0/captures/trace.lmb");
        Capture::from_bytes(&std::fs::read(path).unwrap()).unwrap()
    }

    fn claimed(verdict: &str, signature: Option<Signature>) -> ResultLine {
        let value = serde_json::json!({
            "run": {
                "test": "wormhole_b0::group::suite::case", "device": "sim", "harvesting": 0,
                "dispatch": "host", "schedule_seed": 0, "repeat": 1, "pass": "canonical",
            },
            "verdict": { "name": verdict }, "basis": "asserted", "milliseconds": 5000,
        });
        ResultLine { signature, ..serde_json::from_value(value).unwrap() }
    }

    fn hang(program: &str) -> Signature {
        Signature::Hang { program: Some(program.to_owned()) }
    }

    fn crash(signal: i32) -> Signature {
        Signature::Crash { end: ProcessEnd::Signal(signal), frame: None }
    }

    fn reported(problem: Option<WorkerProblem>) -> Ending {
        Ending::Reported(Box::new(WorkerReport { problem, ..WorkerReport::default() }))
    }

    fn of(
        claim: &ResultLine,
        ending: &Ending,
        verdict: Verdict,
        signature: Option<Signature>,
    ) -> Repeated {
        let finding = Finding::new(verdict, "it ended").signed(signature);
        agreement(claim, &capture(), ending, Some(finding), TIMEOUT)
    }

    fn unknown() -> Repeated {
        Repeated::Unknown("it ended".to_owned())
    }

    fn differs() -> Repeated {
        Repeated::Differs("it ended".to_owned())
    }

    #[test]
    fn trouble_of_the_own_machine_disproves_no_result() {
        let budget = Ending::OverBudget { budget: MemorySize(1 << 20) };
        let unreadable = Ending::Unreadable(ContractError::Unreadable {
            file: ContractFile::Report,
            reason: "cut".to_owned(),
        });
        let internal = reported(Some(WorkerProblem::Internal { reason: "a bug".to_owned() }));
        for claim in ["Pass", "Mismatch", "Fault"].map(|verdict| claimed(verdict, None)) {
            for (ending, verdict) in [
                (&Ending::TimedOut, Verdict::Hang),
                (&budget, Verdict::InternalError),
                (&unreadable, Verdict::Crash),
                (&internal, Verdict::InternalError),
                (&Ending::Exited(101), Verdict::InternalError),
                (&Ending::Signal(9), Verdict::Crash),
                (&Ending::Interrupted, Verdict::Interrupted),
            ] {
                assert_eq!(of(&claim, ending, verdict, None), unknown(), "{ending:?}");
            }
            // These come of the subject.
            for (ending, verdict) in [
                (&reported(None), Verdict::Unstable),
                (&Ending::Signal(11), Verdict::Crash),
                (&Ending::Exited(1), Verdict::Fault),
            ] {
                assert_eq!(of(&claim, ending, verdict, None), differs(), "{ending:?}");
            }
            let same = agreement(&claim, &capture(), &reported(None), None, TIMEOUT);
            assert_eq!(same, Repeated::Same);
        }
    }

    #[test]
    fn the_claimed_end_of_a_process_is_repeated_by_the_same_end_alone() {
        let hung = claimed("Hang", Some(hang("a")));
        let died = claimed("Crash", Some(crash(11)));
        let of_hang = |program: &str| Some(hang(program));
        assert_eq!(of(&hung, &Ending::TimedOut, Verdict::Hang, of_hang("a")), Repeated::Same);
        assert_eq!(of(&hung, &Ending::TimedOut, Verdict::Hang, of_hang("b")), unknown());
        assert_eq!(of(&hung, &Ending::Signal(11), Verdict::Crash, Some(crash(11))), unknown());
        let signal =
            |number| of(&died, &Ending::Signal(number), Verdict::Crash, Some(crash(number)));
        assert_eq!(signal(11), Repeated::Same);
        assert_eq!(signal(8), unknown());
        assert_eq!(of(&died, &Ending::TimedOut, Verdict::Hang, of_hang("a")), unknown());
        // Without a signature the machine ended the process.
        let killed = claimed("Crash", None);
        assert_eq!(of(&killed, &Ending::Signal(9), Verdict::Crash, None), unknown());
        let internal = claimed("InternalError", None);
        assert_eq!(of(&internal, &Ending::Exited(101), Verdict::InternalError, None), unknown());
        for claim in [&hung, &died, &internal] {
            let clean = agreement(claim, &capture(), &reported(None), None, TIMEOUT);
            assert!(matches!(clean, Repeated::Unknown(_)), "{clean:?}");
            // What the capture does hold must agree.
            assert_eq!(of(claim, &reported(None), Verdict::Unstable, None), differs());
        }
    }

    /// No capture holds that either, and nothing but the subject has run.
    #[test]
    fn a_stop_before_any_program_repeats_a_crash_alone() {
        let ending = reported(Some(WorkerProblem::Stopped { reason: "a fault".to_owned() }));
        let stopped = |claim: &ResultLine| of(claim, &ending, Verdict::Crash, None);
        assert_eq!(stopped(&claimed("Crash", None)), Repeated::Same);
        assert_eq!(stopped(&claimed("Crash", Some(crash(11)))), differs());
        for verdict in ["Pass", "Mismatch", "Hang", "InternalError"] {
            assert_eq!(stopped(&claimed(verdict, None)), differs(), "{verdict}");
        }
    }

    #[test]
    fn a_hang_in_less_time_than_the_claimed_run_had_shows_nothing() {
        let at = |milliseconds| {
            let claim = ResultLine { milliseconds, ..claimed("Hang", Some(hang("a"))) };
            of(&claim, &Ending::TimedOut, Verdict::Hang, Some(hang("a")))
        };
        assert_eq!(at(5000), Repeated::Same);
        assert_eq!(at(5001), unknown());
    }

    /// A budget of ticks that is used up is a failure in the capture, and the replay repeats it.
    #[test]
    fn a_hang_that_the_capture_holds_is_no_end_of_a_process() {
        let mut capture = capture();
        let claim = claimed("Hang", None);
        assert!(is_of_process(&claim, &capture));
        let failure = Failure::Hang { enqueue: CommandIndex(0) };
        capture.program.commands[0].outcome = Outcome::Failed(failure);
        assert!(!is_of_process(&claim, &capture));
        assert!(is_of_process(&claimed("Crash", None), &capture));
        assert!(!is_of_process(&claimed("Pass", None), &capture));
        assert_eq!(agreement(&claim, &capture, &reported(None), None, TIMEOUT), Repeated::Same);
    }
}
