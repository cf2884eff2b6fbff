//! The parts of a reduction that need no probe.

use std::convert::Infallible;
use std::path::Path;

use hallmark_pipeline::signature::{Shape, Signature};
use hallmark_schema::commands::{self, Command};
use hallmark_schema::model::{
    BufferId, BufferRegion, Capture, CommandIndex, ContentHash, ObjectKind, Outcome, QueueId,
    RecordedCommand,
};
use hallmark_schema_editing::{CommandSource, Edit, Fill, Unit, apply, concatenate};
use hallmark_search::statistics::SequentialTest;

use super::simplify::{Simplification, with};
use super::slice::{SeenAt, slice};
use super::{Cost, ReduceError, Runs, reads_what_was_written, share, until};
use crate::probe::{CannotTell, ProbeKey, ProbeResult, Probed};

fn released(name: &str) -> Capture {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schema/released/1.0/captures");
    Capture::from_bytes(&std::fs::read(folder.join(format!("{name}.lmb"))).unwrap()).unwrap()
}

#[test]
fn a_slice_has_what_is_connected_with_a_buffer_and_nothing_else() {
    let parts = ["runtime_arguments", "circular_buffers", "two_queues_with_events"].map(released);
    let joined = concatenate(&parts.iter().collect::<Vec<_>>()).unwrap();
    let program = &joined.capture.program;
    for (number, seen) in [(0, "c0."), (1, "c1."), (2, "c2.")] {
        let made = |kind| {
            let mut made = program.commands.iter().filter_map(|it| it.command.created());
            let found = made.find(|(of, _, name)| *of == kind && name.starts_with(seen));
            found.map(|(_, id, _)| id).unwrap()
        };
        let of_program = slice(program, SeenAt::Program(made(ObjectKind::Program)));
        for index in &of_program {
            let (of, _) = joined.sources[index.0 as usize];
            let command = &program.commands[index.0 as usize].command;
            let about_nothing = command.subject().is_none_or(|(kind, _)| {
                !matches!(kind, ObjectKind::Buffer | ObjectKind::Program | ObjectKind::Kernel)
            });
            assert!(of == number || about_nothing, "{seen}: {command:?}");
        }
        let launches = |index: &&CommandIndex| {
            let command = &program.commands[index.0 as usize].command;
            matches!(command, Command::EnqueueProgram(_))
        };
        assert!(of_program.iter().find(launches).is_some(), "{seen}");
    }
}

#[test]
fn whatever_goes_makes_a_capture_cheaper() {
    let capture = released("circular_buffers");
    let cost = Cost::of(&capture);
    let count = u32::try_from(capture.program.commands.len()).unwrap();
    for index in (0..count).map(CommandIndex) {
        let edited = apply(&[Edit::Remove(Unit::Command(index))], &capture);
        assert!(Cost::of(&edited.capture) < cost, "{index}");
    }
    for simplification in [Simplification::Sizes, Simplification::Numbers, Simplification::Data] {
        let whole = apply(&[], &capture);
        let mut cheaper = 0;
        for proposal in simplification.proposals(&whole) {
            let edited = apply(&proposal, &capture);
            edited.capture.validate().unwrap();
            if edited.skipped.is_empty() {
                cheaper += usize::from(Cost::of(&edited.capture) < cost);
            }
        }
        assert!(cheaper > 0, "{simplification:?} proposes nothing that helps");
    }
}

#[test]
fn an_edit_takes_the_place_of_one_that_says_the_same_thing() {
    let argument =
        |index, value| Edit::SetArgument { command: CommandIndex(3), set: 0, index, value };
    let fill = |fill| Edit::FillData { command: CommandIndex(5), fill };
    let before = [argument(0, 8), argument(1, 8), fill(Fill::Sequence), Edit::MergeQueues];
    let after = with(&before, &[argument(0, 4), fill(Fill::Ones)]);
    assert_eq!(after, [argument(1, 8), Edit::MergeQueues, argument(0, 4), fill(Fill::Ones)]);
}

/// The capture without some of its commands, valid or not.
fn without(capture: &Capture, is_gone: impl Fn(&Command) -> bool) -> Capture {
    let indexed = (0..).map(CommandIndex).zip(&capture.program.commands);
    let gone = indexed.filter(|(_, recorded)| is_gone(&recorded.command));
    let edits: Vec<Edit> = gone.map(|(index, _)| Edit::Remove(Unit::Command(index))).collect();
    apply(&edits, capture).capture
}

#[test]
fn a_read_of_what_nobody_wrote_is_noticed() {
    let capture = released("circular_buffers");
    assert!(reads_what_was_written(&capture.program));
    let is_launch = |command: &Command| matches!(command, Command::EnqueueProgram(_));
    assert!(!reads_what_was_written(&without(&capture, is_launch).program));

    // The second half of a buffer of which only the first half was written.
    let queue = QueueId(0);
    let Some(Command::CreateBuffer(mut buffer)) = capture
        .program
        .commands
        .iter()
        .map(|made| made.command.clone())
        .find(|command| matches!(command, Command::CreateBuffer(_)))
    else {
        panic!("no buffer")
    };
    buffer.size = buffer.page_size * 2;
    let half = |number| BufferRegion { offset: buffer.page_size * number, size: buffer.page_size };
    let write = |region| {
        let data = hallmark_schema::model::Data::blob(&[]);
        let buffer = BufferId(0);
        let call = commands::EnqueueWriteBuffer { queue, buffer, data, blocking: true, region };
        Command::EnqueueWriteBuffer(call)
    };
    let read = |region| {
        Command::EnqueueReadBuffer(commands::EnqueueReadBuffer {
            queue,
            buffer: BufferId(0),
            output: "out".to_owned(),
            blocking: true,
            expectation: hallmark_schema::model::Expectation::AsCaptured,
            region,
        })
    };
    let is_right = |calls: &[Command]| {
        let mut program = capture.program.clone();
        let made = std::iter::once(Command::CreateBuffer(buffer.clone())).chain(calls.to_vec());
        let done = |command| RecordedCommand { command, outcome: Outcome::Done };
        program.commands = made.map(done).collect();
        reads_what_was_written(&program)
    };
    let (first, second) = (Some(half(0)), Some(half(1)));
    assert!(is_right(&[write(first), read(first)]));
    assert!(!is_right(&[write(first), read(second)]));
    assert!(!is_right(&[write(first), read(None)]));
    assert!(is_right(&[write(second), write(first), read(None)]));
    assert!(!is_right(&[read(first), write(first)]));
}

#[test]
fn a_failure_is_told_by_the_names_that_are_left() {
    let capture = released("circular_buffers");
    let edits = share::edits(&[], &apply(&[], &capture)).swap_remove(0);
    let shared = apply(&edits, &capture);
    assert!(shared.sources.iter().all(|source| matches!(source, CommandSource::Command(_))));
    let mut buffers = capture.program.commands.iter().filter_map(|made| made.command.created());
    let (_, id, name) = buffers.rfind(|(kind, ..)| *kind == ObjectKind::Buffer).unwrap();
    let differs = |object: &str| Signature::Differs {
        object: object.to_owned(),
        shape: Shape::Zeros,
        bytes: None,
    };
    let renamed = share::renamed(&differs(name), &capture, &shared.capture, &[]);
    assert_eq!(renamed, differs(&format!("buffer_{id}")));
    let unknown = share::renamed(&differs("output"), &capture, &shared.capture, &[]);
    assert_eq!(unknown, differs("output"));
}

/// A run that came to this.
fn probed(result: ProbeResult) -> Probed {
    let none = ContentHash::of(&[]);
    let key = ProbeKey { candidate: none, executor: none, seed: 0, run: 0 };
    Probed { result, signature: None, key, elapsed: None, good: None, bad: None }
}

#[test]
fn a_failure_is_waited_for_as_long_as_it_has_patience() {
    let shown_in = |number: u32, patience| {
        let mut runs = 0;
        let run = || {
            runs += 1;
            let fails = runs == number;
            Ok::<_, Infallible>(probed(if fails { ProbeResult::Same } else { ProbeResult::Passed }))
        };
        let Ok(last) = until(patience, run, |probed| probed.result == ProbeResult::Same);
        (last.result == ProbeResult::Same, runs)
    };
    assert_eq!(shown_in(1, 1), (true, 1));
    assert_eq!(shown_in(2, 1), (false, 1));
    assert_eq!(shown_in(44, 44), (true, 44));
    assert_eq!(shown_in(45, 44), (false, 44));
    let mut runs = 0;
    let interrupted = || {
        runs += 1;
        Ok::<_, Infallible>(probed(ProbeResult::CannotTell(CannotTell::Interrupted)))
    };
    let Ok(_) = until(44, interrupted, |_| false);
    assert_eq!(runs, 1);
}

#[test]
fn who_gave_flaky_is_not_told_to_give_it() {
    let test = Runs::Test(SequentialTest::of_candidate(0.4, 0.05));
    for (runs, unstable, not_there) in [
        (
            Runs::Once,
            "the smallest capture failed once, and not again: the bad side does what the good side does; use --flaky, or \
             an executor that always fails",
            "the failure is not there: the bad side does what the good side does; use --flaky if it comes and goes",
        ),
        (
            Runs::Seeds(16),
            "the smallest capture failed once, and not again under the same schedule seed: the bad side does what the good \
             side does; use an executor that always does the same under one schedule seed",
            "the failure is not there: the bad side does what the good side does, under each of 16 schedule seeds",
        ),
        (
            test,
            "the smallest capture failed, and then in none of 44 runs: the bad side does what the good side does; a \
             candidate that seldom fails was taken by mistake: reduce again",
            "the failure is not there: the bad side does what the good side does; it showed in none of 44 runs",
        ),
    ] {
        let result = || Box::new(ProbeResult::Passed);
        let error = ReduceError::Unstable { result: result(), tried: runs.tried_again() };
        assert_eq!(error.to_string(), unstable);
        let error = ReduceError::NotThere { result: result(), tried: runs.tried() };
        assert_eq!(error.to_string(), not_there);
    }
}
