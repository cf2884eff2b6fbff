//! Calls that ended with an exception, and recordings that are cut off.

use hallmark_schema::model::{Failure, Outcome};

use super::*;

fn outcomes(conversion: &Conversion) -> Vec<&Outcome> {
    conversion.capture.program.commands.iter().map(|recorded| &recorded.outcome).collect()
}

#[test]
fn an_exception_whose_meaning_is_known_is_the_failure() {
    let mut recording = copy();
    recording.entries.pop();
    recording
        .event(Event::Written { transfer: transfer(ObservedBuffer(1), 0, 64), data: vec![0; 64] });
    let text = "TT_FATAL @ /a/b.cpp:12: !tracing\ninfo:\nWrites are not supported during trace capture.\nbacktrace:\n --- x\n";
    recording.event(Event::CallThrew { thread: ThreadNumber(0), text: text.to_owned() });
    recording.event(Event::Finish { queue: 1 });
    recording.event(Event::ProcessEnded);
    let conversion = recording.convert();
    let outcomes = outcomes(&conversion);
    let [.., Outcome::Failed(Failure::WriteDuringTrace { .. }), Outcome::Done] =
        outcomes.as_slice()
    else {
        panic!("{outcomes:?}");
    };
    assert_eq!(conversion.missing, []);
}

#[test]
fn a_call_with_an_unknown_exception_is_left_out_by_name() {
    let mut recording = copy();
    recording.entries.pop();
    let before = recording.convert();
    let text = "vector::_M_range_check";
    recording.launch(1, &[0x1000, 0x2000, 64]);
    recording.event(Event::CallThrew { thread: ThreadNumber(0), text: text.to_owned() });
    recording.event(Event::ProcessEnded);
    let conversion = recording.convert();
    assert_eq!(conversion.capture.program.commands, before.capture.program.commands);
    let missing: Vec<String> = conversion.missing.iter().map(ToString::to_string).collect();
    assert_eq!(
        missing,
        [r#"a call of enqueue_program that ended with an exception ("vector::_M_range_check")"#]
    );
}

#[test]
fn an_exception_belongs_to_the_last_call_of_its_thread() {
    let mut recording = copy();
    recording.entries.pop();
    recording
        .event(Event::Written { transfer: transfer(ObservedBuffer(1), 0, 64), data: vec![0; 64] });
    let (thread, queue) = (ThreadNumber(1), 1);
    recording.entries.push(Entry { thread, event: Event::Finish { queue } });
    let text = "Writes are not supported during trace capture.".to_owned();
    recording.event(Event::CallThrew { thread: ThreadNumber(0), text });
    let conversion = recording.convert();
    let outcomes = outcomes(&conversion);
    let [.., Outcome::Failed(_), Outcome::Done] = outcomes.as_slice() else {
        panic!("{outcomes:?}");
    };
}

#[test]
fn a_call_before_those_of_another_thread_is_left_out_by_name_too() {
    let mut recording = copy();
    recording.entries.pop();
    recording.event(Event::Finish { queue: 1 });
    let transfer = transfer(ObservedBuffer(1), 0, 64);
    let (thread, data) = (ThreadNumber(1), vec![3; 64]);
    let read = Event::ReadBegun { read: 8, transfer };
    recording.entries.push(Entry { thread, event: read });
    recording.entries.push(Entry { thread, event: Event::ReadCompleted { read: 8, data } });
    let text = "vector::_M_range_check".to_owned();
    recording.event(Event::CallThrew { thread: ThreadNumber(0), text: text.clone() });
    recording.event(Event::ProcessEnded);
    let conversion = recording.convert();
    let command = CommandKind::Finish;
    assert_eq!(conversion.missing, [Missing::Exception { command, text }]);
    // The result still belongs to that read.
    let record = conversion.capture.record.as_ref().unwrap();
    let last = conversion.capture.program.commands.len() - 1;
    assert_eq!(record.reads.last().map(|read| read.command.0 as usize), Some(last));
}

#[test]
fn a_read_that_ended_with_an_exception_has_no_result() {
    let mut recording = copy();
    recording.entries.pop();
    recording.event(Event::ReadBegun { read: 9, transfer: transfer(ObservedBuffer(1), 0, 64) });
    let text = "Reads are not supported during trace capture.".to_owned();
    recording.event(Event::CallThrew { thread: ThreadNumber(0), text });
    recording.event(Event::Finish { queue: QUEUE });
    let conversion = recording.convert();
    assert_eq!(conversion.missing, []);
    let outcomes = outcomes(&conversion);
    let [.., Outcome::Failed(Failure::ReadDuringTrace { .. }), Outcome::Unfinished] =
        outcomes.as_slice()
    else {
        panic!("{outcomes:?}");
    };
}

#[test]
fn what_is_said_of_a_cut_recording_finishes_no_call() {
    let mut recording = copy();
    recording.entries.pop();
    recording.event(Event::Finish { queue: QUEUE });
    let what = "everything after the disk was full".to_owned();
    recording.event(Event::Unfollowed { what: what.clone() });
    let conversion = recording.convert();
    assert_eq!(outcomes(&conversion).last(), Some(&&Outcome::Unfinished));
    assert_eq!(conversion.missing, [Missing::Unfollowed { what }]);
}

/// Wherever a recording is cut off, its capture contains all calls begun before.
#[test]
fn every_cut_recording_gives_a_capture_of_what_was_begun() {
    let mut whole = copy();
    whole.entries.pop();
    let event = ObservedEvent { queue: 0, number: 1 };
    whole.event(Event::EventRecorded { event, host_visible: true });
    whole.event(Event::EventSynchronized { event });
    whole.launch(1, &[0x2000, 0x1000, 32]);
    whole.event(Event::ProcessEnded);
    let commands = whole.convert().capture.program.commands;
    let mut before = 0;
    for length in 2..=whole.entries.len() {
        let mut cut = whole.clone();
        cut.entries.truncate(length);
        let conversion = cut.convert();
        assert_eq!(conversion.missing, []);
        let kept = &conversion.capture.program.commands;
        assert!(kept.len() >= before, "{length}");
        before = kept.len();
        // All calls except the last equal those of the whole recording. The last is unfinished if it had begun
        // and no later event exists.
        for (at, (kept, command)) in kept.iter().zip(&commands).enumerate() {
            assert_eq!(kept.command, command.command, "{length}, {at}");
            let is_last = at + 1 == before;
            let begun = cut.entries.last().is_some_and(|last| last.event.is_begun_call());
            let expected = if is_last && begun { Outcome::Unfinished } else { Outcome::Done };
            assert_eq!(kept.outcome, expected, "{length}, {at}");
        }
    }
    assert_eq!(before, commands.len());
}
