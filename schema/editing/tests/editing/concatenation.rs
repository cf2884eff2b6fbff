//! Joined captures.

use hallmark_schema::model::{Capture, Command, CommandIndex, Failure, Outcome};
use hallmark_schema_editing::{ConcatenateError, Edit, Unit, apply, concatenate};

use super::captures::{FINISH, buffer, of, released};

fn released_named(name: &str) -> Capture {
    let mut all = released().into_iter();
    all.find(|(path, _)| path.file_stem().is_some_and(|stem| stem == name)).unwrap().1
}

#[test]
fn released_captures_of_one_device_make_one_and_each_comes_out_of_it_again() {
    let names = ["two_queues_with_events", "circular_buffers", "runtime_arguments"];
    let parts: Vec<Capture> = names.into_iter().map(released_named).collect();
    let refs: Vec<&Capture> = parts.iter().collect();
    let joined = concatenate(&refs).unwrap();
    joined.capture.validate().unwrap();
    assert_eq!(joined.sources.len(), joined.capture.program.commands.len());
    assert_eq!(joined.capture.missing_blobs(), []);
    assert_eq!(joined.capture.outputs_of_reads().len(), {
        parts.iter().map(|part| part.outputs_of_reads().len()).sum::<usize>()
    });
    for (number, part) in parts.iter().enumerate() {
        // Without the other captures' commands, a part equals its original, except for its names and the
        // commands that free its buffers.
        let others = joined
            .sources
            .iter()
            .enumerate()
            .filter(|(_, source)| !matches!(source, (of, Some(_)) if *of == number));
        let others: Vec<Edit> = others
            .map(|(index, _)| Edit::Remove(Unit::Command(CommandIndex(index as u32))))
            .collect();
        let alone = apply(&others, &joined.capture);
        assert_eq!(alone.capture.program.commands.len(), part.program.commands.len());
        for (now, before) in alone.capture.program.commands.iter().zip(&part.program.commands) {
            let mut before = before.clone();
            if let Some(name) = before.command.given_name_mut() {
                *name = format!("c{number}.{name}");
            }
            match &mut before.command {
                Command::EnqueueReadBuffer(call) => {
                    call.output = format!("c{number}.{}", call.output);
                }
                Command::EnqueueRecordEvent(call) if number > 0 => call.number = None,
                _ => {}
            }
            assert_eq!(*now, before);
        }
        let (record, before) =
            (alone.capture.record.as_ref().unwrap(), part.record.as_ref().unwrap());
        assert_eq!(record.elfs, before.elfs);
        assert_eq!(record.reads, before.reads);
        assert_eq!(record.l1_bank_order, before.l1_bank_order);
    }
}

#[test]
fn a_thousand_commands_are_one_capture() {
    let part = released_named("circular_buffers");
    let times = 1000_usize.div_ceil(part.program.commands.len());
    let refs: Vec<&Capture> = std::iter::repeat_n(&part, times).collect();
    let joined = concatenate(&refs).unwrap();
    assert!(joined.capture.program.commands.len() >= 1000);
    joined.capture.to_bytes().unwrap();
}

#[test]
fn what_a_capture_leaves_behind_is_freed_before_the_next_one() {
    let part = of(vec![buffer(0), buffer(1), FINISH]);
    let joined = concatenate(&[&part, &part]).unwrap();
    let kinds: Vec<&str> = joined
        .capture
        .program
        .commands
        .iter()
        .map(|recorded| recorded.command.kind().name())
        .collect();
    let freed = ["finish", "deallocate_buffer", "deallocate_buffer"];
    let part = ["create_buffer", "create_buffer", "finish"];
    assert_eq!(kinds, [part, freed, part].concat());
    assert_eq!(joined.sources[3..6], [(0, None); 3]);
    assert_eq!(joined.sources[6], (1, Some(CommandIndex(0))));
    let names: Vec<&str> = joined
        .capture
        .program
        .commands
        .iter()
        .filter_map(|recorded| recorded.command.created().map(|(_, _, name)| name))
        .collect();
    assert_eq!(names, ["c0.buffer_0", "c0.buffer_1", "c1.buffer_0", "c1.buffer_1"]);
}

#[test]
fn a_name_that_becomes_too_long_keeps_apart_from_others() {
    let named = |last: char| {
        let mut part = of(vec![buffer(0)]);
        *part.program.commands[0].command.given_name_mut().unwrap() =
            format!("{}{last}", "n".repeat(127));
        part.validate().unwrap();
        part
    };
    let (one, two) = (named('a'), named('b'));
    let joined = concatenate(&[&one, &two]).unwrap();
    let name = |at: usize| joined.capture.program.commands[at].command.created().unwrap().2;
    let (one, two) = (name(0), name(joined.sources.len() - 1));
    assert_eq!((one.len(), two.len()), (128, 128));
    assert_ne!(one[3..], two[3..]);
}

#[test]
fn what_cannot_run_on_one_device_is_refused() {
    let part = of(vec![buffer(0), FINISH]);
    let differs = |other: &Capture| match concatenate(&[&part, other]).unwrap_err() {
        ConcatenateError::Differs { capture: 1, what } => what.to_owned(),
        error => panic!("{error}"),
    };
    let mut other = part.clone();
    other.program.grid.rows = 8;
    assert_eq!(differs(&other), "grid");
    let mut other = part.clone();
    other.program.architecture = hallmark_chip::Architecture::Blackhole;
    assert_eq!(differs(&other), "architecture");
    let mut other = part.clone();
    other.program.worker_l1_size = 4096;
    assert_eq!(differs(&other), "size of L1 for buffers");
    let mut other = part.clone();
    other.program.placement_bound = true;
    assert!(differs(&other).contains("memory before it"));
    assert_eq!(concatenate(&[]).unwrap_err(), ConcatenateError::Nothing);
    let error = concatenate(&[&part, &super::changes::binary()]).unwrap_err();
    assert_eq!(error, ConcatenateError::Binary { capture: 1 });
    let mut lost = part.clone();
    lost.program.commands[1].outcome = Outcome::Failed(Failure::DeviceLost {});
    let error = concatenate(&[&lost, &part]).unwrap_err();
    assert!(error.to_string().contains("capture 0 ends in a failure of the device"), "{error}");
    concatenate(&[&part, &lost]).unwrap();
    let recorded = released_named("circular_buffers");
    let mut other = recorded.clone();
    other.record.as_mut().unwrap().firmware.name = "another".to_owned();
    let error = concatenate(&[&recorded, &other]).unwrap_err();
    assert_eq!(error, ConcatenateError::Differs { capture: 1, what: "firmware" });
    let mut other = recorded.clone();
    other.program.sources[0].hash = hallmark_schema::model::ContentHash::of(b"another");
    let error = concatenate(&[&recorded, &other]).unwrap_err();
    assert!(matches!(error, ConcatenateError::Source { .. }), "{error}");
}
