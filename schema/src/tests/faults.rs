//! Faults that our own writers never write: a malformed one in a file or a text is refused with its place.

use hallmark_chip::{Fault, FaultCategory, FaultPlace, PhysicalCoordinate, SourceFrame};

use super::{sample_source_lines, samples};
use crate::error::{CaptureError, ErrorLocation, Problem, Rule};
use crate::generated::capture as fb;
use crate::model::{
    Capture, CommandIndex, ExpectedFault, Failure, FaultRecord, LineTableBytes, Outcome, Printed,
    QueuesEnd,
};
use crate::wire::{self, Wire as _};
use crate::{diff, dump, from_jsonl, limits, to_jsonl};

/// Reads a list of one fault, which a test has changed.
fn read(fault: &fb::FaultRecordArgs<'_>, party: Option<&fb::FaultPartyArgs<'_>>) -> CaptureError {
    let mut builder = wire::Builder::new();
    let against = party.map(|party| fb::FaultParty::create(&mut builder, party));
    let args = fb::FaultRecordArgs {
        category: FaultCategory::DataRace.to_wire(),
        against,
        tile: fault.tile,
        processor: fault.processor,
        pc: fault.pc,
        ..fb::FaultRecordArgs::default()
    };
    let fault = fb::FaultRecord::create(&mut builder, &args);
    let faults = builder.create_vector(&[fault]);
    let update = fb::RecordUpdateArgs { faults: Some(faults), ..Default::default() };
    let update = fb::RecordUpdate::create(&mut builder, &update);
    builder.finish(update, None);
    let form = flatbuffers::root::<fb::RecordUpdate<'_>>(builder.finished_data()).unwrap();
    let path = crate::error::Path::root(crate::error::Part::Record);
    wire::faults(form.faults(), &path.field("faults")).unwrap_err()
}

fn place(error: &CaptureError) -> &str {
    match &error.place {
        ErrorLocation::Field { path, .. } => path,
        other => panic!("{other}"),
    }
}

#[test]
fn a_core_without_a_tile_is_refused() {
    let pc = fb::FaultRecordArgs { pc: Some(4), ..Default::default() };
    let error = read(&pc, None);
    assert_eq!((place(&error), &error.problem), ("faults[0].tile", &Problem::Missing));
    let error = read(&fb::FaultRecordArgs::default(), Some(&fb::FaultPartyArgs::default()));
    assert_eq!((place(&error), &error.problem), ("faults[0].against.tile", &Problem::Missing));
}

#[test]
fn a_processor_that_no_tile_has_is_refused() {
    let tile = fb::Tile::new(1, 2);
    for index in [5, 255] {
        let rule = Problem::Rule(Rule::Processor { index });
        let fault =
            fb::FaultRecordArgs { tile: Some(&tile), processor: Some(index), ..Default::default() };
        let error = read(&fault, None);
        assert_eq!((place(&error), &error.problem), ("faults[0].processor", &rule));
        let party =
            fb::FaultPartyArgs { tile: Some(&tile), processor: Some(index), ..Default::default() };
        let error = read(&fb::FaultRecordArgs::default(), Some(&party));
        assert_eq!((place(&error), &error.problem), ("faults[0].against.processor", &rule));
    }
}

#[test]
fn a_function_of_either_party_may_be_so_long_and_no_longer() {
    let with_symbols = |own: usize, other: usize| {
        let mut race = samples::race();
        let at = |length: usize| FaultPlace {
            symbol: Some("f".repeat(length)),
            ..FaultPlace::of_tile(PhysicalCoordinate { x: 1, y: 2 })
        };
        let fault = Fault {
            place: Some(Box::new(at(own))),
            against: Some(Box::new(at(other))),
            ..Fault::without_place(FaultCategory::DataRace, "two stores")
        };
        race.record.as_mut().unwrap().faults = vec![FaultRecord::new(CommandIndex(3), fault)];
        race.to_bytes()
    };
    let most = limits::TEXT_BYTES;
    with_symbols(most, most).unwrap();
    assert_eq!(place(&with_symbols(most + 1, 0).unwrap_err()), "faults[0].symbol");
    assert_eq!(place(&with_symbols(0, most + 1).unwrap_err()), "faults[0].against.symbol");
}

#[test]
fn source_lines_and_line_tables_have_limits() {
    let frame = |function: usize, file: usize| SourceFrame {
        function: "f".repeat(function),
        file: "k".repeat(file),
        line: u32::MAX,
    };
    let wait = |capture: &mut Capture, frames: Vec<SourceFrame>| {
        capture.record.as_mut().unwrap().waits[0].frames = frames;
    };
    type OfSize<'a> = &'a dyn Fn(&mut Capture, usize);
    let cases: [(usize, &str, OfSize<'_>); 4] = [
        (limits::TEXT_BYTES, "waits[0].frames[0].function", &|capture, size| {
            wait(capture, vec![frame(size, 1)]);
        }),
        (limits::TEXT_BYTES, "waits[0].frames[0].file", &|capture, size| {
            wait(capture, vec![frame(0, size)]);
        }),
        (limits::SOURCE_FRAMES as usize, "waits[0].frames", &|capture, size| {
            wait(capture, vec![frame(1, 1); size]);
        }),
        (limits::LINE_TABLE_BYTES as usize, "elfs[0].lines", &|capture, size| {
            let lines = LineTableBytes::from(vec![7; size].as_slice());
            capture.record.as_mut().unwrap().elfs[0].lines = lines;
        }),
    ];
    for (most, at, change) in cases {
        let with = |size: usize| {
            let mut capture = sample_source_lines::source_lines();
            change(&mut capture, size);
            let bytes = capture.to_bytes()?;
            assert_eq!(Capture::from_bytes(&bytes)?, capture);
            Ok(())
        };
        with(most).unwrap();
        let error: CaptureError = with(most + 1).unwrap_err();
        assert_eq!(place(&error), at);
    }
}

#[test]
fn line_tables_are_hexadecimal_in_json_lines() {
    let text = to_jsonl(&sample_source_lines::source_lines());
    assert_eq!(from_jsonl(&text).unwrap(), sample_source_lines::source_lines());
    let line = text.lines().find(|line| line.starts_with("{\"elf\"")).unwrap();
    assert!(line.ends_with("\"lines\":\"61206c696e65207461626c65\"}}"), "{line}");
    let odd = from_jsonl(&text.replacen("61206c", "61206", 1)).unwrap_err().to_string();
    assert!(odd.contains("expected pairs of 0–9 a–f"), "{odd}");
}

#[test]
fn json_lines_name_both_parties_and_take_nothing_unknown() {
    let text = to_jsonl(&samples::race());
    let line = text.lines().find(|line| line.starts_with("{\"fault\"")).unwrap();
    let against = "\"against\":{\"tile\":[2,3],\"processor\":1,\"pc\":23296,\"instruction\":337795,\
                   \"symbol\":\"kernel_main\"}";
    assert!(line.contains(against), "{line}");
    assert!(text.starts_with("{\"capture\":{\"format\":\"1.1\""), "{text}");
    let changed = |from: &str, to: &str| {
        assert!(text.contains(from), "{text}");
        from_jsonl(&text.replacen(from, to, 1)).unwrap_err().to_string()
    };
    let unknown = changed("\"against\":{", "\"against\":{\"retired\":3,");
    assert!(unknown.contains("unknown field `retired`"), "{unknown}");
    let processor = changed("\"processor\":1", "\"processor\":5");
    assert!(processor.contains("there is no processor 5"), "{processor}");
    let tile = changed("\"tile\":[2,3],\"processor\":0", "\"tile\":null,\"processor\":0");
    assert!(tile.contains("a fault's place needs its `tile`"), "{tile}");
}

/// A record that expects faults of these commands. Commands 0 to 2 were done, 3 is the fault, 4 is unfinished,
/// and there is no fifth.
fn expecting(commands: &[u32]) -> Result<Vec<u8>, CaptureError> {
    let mut capture = samples::expected_fault();
    let expected = commands.iter().map(|&command| ExpectedFault { command: CommandIndex(command) });
    capture.record.as_mut().unwrap().expected_faults = expected.collect();
    capture.to_bytes()
}

#[test]
fn only_what_failed_on_the_device_can_be_an_expected_fault() {
    expecting(&[3]).unwrap();
    for command in [0, 2, 4, 5, u32::MAX] {
        let error = expecting(&[command]).unwrap_err();
        let rule = Problem::Rule(Rule::NotThatFault { command: CommandIndex(command) });
        assert_eq!((place(&error), &error.problem), ("expected_faults[0]", &rule));
    }
    let error = expecting(&[3, 3]).unwrap_err();
    let rule = Problem::Rule(Rule::NotAscending);
    assert_eq!((place(&error), &error.problem), ("expected_faults[1]", &rule));
    // A refusal by the host API ends no run.
    let mut capture = samples::expected_fault();
    let refused = Failure::SizeNotPageMultiple { size: 100, page_size: 64 };
    capture.program.commands[3].outcome = Outcome::Failed(refused);
    capture.record.as_mut().unwrap().faults.clear();
    assert_eq!(place(&capture.to_bytes().unwrap_err()), "expected_faults[0]");
}

#[test]
fn printed_text_is_of_a_call_and_of_one_place_each() {
    let with = |change: &dyn Fn(&mut Vec<Printed>)| {
        let mut capture = samples::printed();
        change(&mut capture.record.as_mut().unwrap().printed);
        capture.to_bytes()
    };
    let last = |texts: &mut Vec<Printed>| texts[1].launch = Some(CommandIndex(4));
    with(&last).unwrap();
    let beyond = with(&|texts| texts[1].launch = Some(CommandIndex(5))).unwrap_err();
    let rule = Problem::Rule(Rule::NoSuchCommand { command: CommandIndex(5) });
    assert_eq!((place(&beyond), &beyond.problem), ("printed[1]", &rule));
    let again = with(&|texts| texts[1].processor = texts[0].processor).unwrap_err();
    assert_eq!(place(&again), "printed[1]");
    assert!(again.to_string().contains("an earlier text of the same launch"), "{again}");
    // Another launch of the same place has a text of its own.
    with(&|texts| {
        let another = Printed { launch: Some(CommandIndex(3)), ..texts[0].clone() };
        texts.push(another);
    })
    .unwrap();
}

#[test]
fn every_text_form_keeps_what_was_printed() {
    let capture = samples::printed();
    assert_eq!(from_jsonl(&to_jsonl(&capture)).unwrap(), capture);
    let said = dump(&capture);
    assert!(said.contains("printed by (5,3) NCRISC for command 2:\n  | x = 0.500\n"), "{said}");
    assert!(
        said.contains("printed by (5,3) BRISC for command 2, after 3 lines:\n  | line 3\n"),
        "{said}"
    );
    assert!(
        said.contains("  7 lines dropped\nprinted by (4,3) NCRISC:\n  1 line dropped\n"),
        "{said}"
    );
    assert!(!said.contains('\u{1b}'), "{said}");
    let differences = diff(&samples::fault(), &capture);
    assert!(!differences.in_program());
    let line = "printed by (5,3) BRISC for command 2 nothing \u{2192} 23 lines, ";
    assert!(differences.to_string().contains(line), "{differences}");
    // A reader of the first format gets everything else.
    let older = Capture::from_bytes(&capture.to_bytes_for(0).unwrap()).unwrap();
    assert!(older.record.unwrap().printed.is_empty());
}

#[test]
fn every_text_form_keeps_what_was_expected() {
    let capture = samples::expected_fault();
    let text = to_jsonl(&capture);
    assert!(text.contains("{\"expected_fault\":{\"command\":3}}"), "{text}");
    assert_eq!(from_jsonl(&text).unwrap(), capture);
    assert!(dump(&capture).contains("the failure of command 3 was expected"));
    let differences = diff(&samples::fault(), &capture);
    assert!(!differences.in_program());
    let line = "failure of command 3 nothing \u{2192} expected";
    assert!(differences.to_string().contains(line), "{differences}");
}

#[test]
fn a_fault_that_another_call_met_is_not_the_same() {
    let record = samples::fault().record.unwrap();
    let met_by = |call| FaultRecord::new(CommandIndex(call), record.faults[0].fault().clone());
    assert!(met_by(3).is_repeated_by(&met_by(3)));
    assert!(!met_by(3).is_repeated_by(&met_by(4)));
}

/// The sample whose queues race at their end, with another end.
fn ending(outcome: Outcome, expected: bool) -> Capture {
    let mut capture = samples::raced_at_the_end();
    capture.record.as_mut().unwrap().at_end = Some(QueuesEnd { outcome, expected });
    capture
}

#[test]
fn only_work_of_the_device_fails_at_the_end_of_complete_calls() {
    let fails = |failure| ending(Outcome::Failed(failure), true).to_bytes();
    let (first, second) = (CommandIndex(1), CommandIndex(2));
    fails(Failure::QueueRace { first, second }).unwrap();
    fails(Failure::Deadlock { enqueue: second }).unwrap();
    fails(Failure::DeviceLost {}).unwrap();
    let error = fails(Failure::QueueRace { first, second: CommandIndex(3) }).unwrap_err();
    assert_eq!(place(&error), "at_end.failure");
    let error = fails(Failure::QueueRace { first: CommandIndex(3), second }).unwrap_err();
    assert_eq!(place(&error), "at_end.failure");
    let error = fails(Failure::SizeNotPageMultiple { size: 100, page_size: 64 }).unwrap_err();
    assert_eq!(place(&error), "at_end.outcome");
    ending(Outcome::Unfinished, false).to_bytes().unwrap();
    for outcome in [Outcome::Done, Outcome::Unfinished] {
        let error = ending(outcome, true).to_bytes().unwrap_err();
        assert_eq!(place(&error), "at_end.outcome");
    }
    // A device that has stopped does nothing more, and neither does a recorder that was killed in a call.
    let mut stopped = samples::fault();
    let mut killed = samples::fault();
    stopped.program.commands.truncate(4);
    killed.program.commands.remove(3);
    for mut capture in [stopped, killed] {
        capture.record.as_mut().unwrap().at_end = Some(QueuesEnd::of(Outcome::Done));
        assert_eq!(place(&capture.to_bytes().unwrap_err()), "at_end.outcome");
    }
}

#[test]
fn every_text_form_keeps_the_end() {
    let race = Failure::QueueRace { first: CommandIndex(1), second: CommandIndex(2) };
    let capture = ending(Outcome::Failed(race), true);
    assert_eq!(from_jsonl(&to_jsonl(&capture)).unwrap(), capture);
    let text = dump(&capture);
    assert!(
        text.contains("at the end, work that no call waits for fails with QueueRace"),
        "{text}"
    );
    let differences = diff(&ending(Outcome::Done, false), &capture);
    assert!(!differences.in_program());
    assert!(differences.to_string().contains("the queues at the end"), "{differences}");
    // A reader of the first format takes the copy, which says nothing of the end.
    let copy = capture.to_bytes_for(0).unwrap();
    assert_eq!(Capture::from_bytes(&copy).unwrap().at_end(), None);
}
