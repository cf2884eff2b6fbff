//! Tests of the walk: current captures under a format that dates some of their content later.

use hallmark_chip::{Fault, PhysicalCoordinate, Processor, TileAddress};

use super::*;
use crate::class::{
    EnumerationSchema, FORMAT, FieldSchema, LaterValue, StructSchema, TableSchema, UnionSchema,
};
use crate::model::{Capture, Command, FaultRecord, LineTableBytes, Record, WaitRecord};
use crate::tests::{sample_source_lines, samples};
use crate::wire::{self, Wire as _};

/// The format with changed dates.
#[derive(Clone)]
struct Dated {
    tables: Vec<TableSchema>,
    enumerations: Vec<EnumerationSchema>,
}

impl Dated {
    fn new() -> Self {
        Self { tables: FORMAT.tables.to_vec(), enumerations: FORMAT.enumerations.to_vec() }
    }

    fn field(mut self, table: &str, field: &str, introduced: Introduced) -> Self {
        let table = self.tables.iter_mut().find(|one| one.name == table).unwrap();
        let mut fields: Vec<FieldSchema> = table.fields.to_vec();
        fields.iter_mut().find(|one| one.name == field).unwrap().introduced = introduced;
        table.fields = fields.leak();
        self
    }

    fn table(mut self, table: &str, since: u16) -> Self {
        self.tables.iter_mut().find(|one| one.name == table).unwrap().since = since;
        self
    }

    fn value(mut self, enumeration: &str, number: u16, name: &'static str, since: u16) -> Self {
        let found = self.enumerations.iter_mut().find(|one| one.name == enumeration).unwrap();
        found.later = vec![LaterValue { number, name, since }].leak();
        self
    }

    /// Computes `newest` as the generator does, in the simplest way: it visits everything, whichever items are
    /// dated.
    fn format(mut self) -> FormatSchema {
        self.tables.iter_mut().for_each(|table| table.newest = 1);
        let mut unions: Vec<UnionSchema> = FORMAT.unions.to_vec();
        unions.iter_mut().for_each(|union| union.newest = 1);
        let structs: Vec<StructSchema> = FORMAT.structs.to_vec();
        FormatSchema {
            tables: self.tables.leak(),
            unions: unions.leak(),
            enumerations: self.enumerations.leak(),
            structs: structs.leak(),
        }
    }
}

fn version(minor: u16) -> Version {
    Version { minor, ..crate::VERSION }
}

fn place(part: Part, path: &str) -> ErrorLocation {
    ErrorLocation::Field { part, path: path.to_owned() }
}

/// The fault with another symbol.
fn named(fault: &FaultRecord, symbol: Option<&str>) -> FaultRecord {
    let mut changed = fault.fault().clone();
    if let Some(place) = &mut changed.place {
        place.symbol = symbol.map(str::to_owned);
    }
    FaultRecord::new(fault.command(), changed)
}

/// A record in which two of three faults and one of two waits have a symbol.
fn record() -> Record {
    let mut record = samples::fault().record.unwrap();
    let fault: FaultRecord = record.faults[0].clone();
    record.faults = ["kernel_main", "f"].map(|symbol| named(&fault, Some(symbol))).to_vec();
    record.faults.push(named(&fault, None));
    let wait = |symbol: Option<&str>| WaitRecord {
        tile: PhysicalCoordinate { x: 1, y: 2 },
        processor: Processor::Trisc1,
        pc: 4,
        address: TileAddress(5),
        value: 6,
        symbol: symbol.map(str::to_owned),
        frames: Vec::new(),
    };
    record.waits = vec![wait(None), wait(Some("w"))];
    record
}

/// The same record without the symbols of its faults.
fn without_symbols(record: &Record) -> Record {
    let faults = record.faults.iter().map(|fault| named(fault, None)).collect();
    Record { faults, ..record.clone() }
}

fn reduced(format: &FormatSchema, record: &Record, minor: u16) -> Result<ForMinor, CaptureError> {
    for_minor(format, Part::Record, wire::encode_record(record), minor)
}

#[test]
fn captures_without_later_content_say_the_first_minor_version() {
    let later = [
        "race",
        "expected_fault",
        "raced_at_the_end",
        "with_checks",
        "printed",
        "source_lines",
        "shuffled_banks",
        "another_runtime",
        "later_failures",
        "synchronized",
        "correlated",
        "binary",
    ];
    for (name, capture) in samples::all().into_iter().filter(|(name, _)| !later.contains(name)) {
        assert_eq!(capture.version(), version(0), "{name}");
        assert_eq!(capture.to_bytes().unwrap(), capture.to_bytes_for(0).unwrap(), "{name}");
        // A minor version of 0 is not written, and no other field states one.
        let file = capture.to_bytes().unwrap();
        assert_eq!(Capture::from_bytes(&file).unwrap(), capture, "{name}");
    }
}

/// A copy cannot leave out a call: it is refused, and the error names the call.
#[test]
fn a_call_that_came_later_is_needed() {
    let (_, capture) =
        samples::all().into_iter().find(|(name, _)| *name == "synchronized").unwrap();
    assert_eq!(capture.version(), version(1));
    let text = capture.to_bytes_for(0).unwrap_err().to_string();
    assert!(text.contains("Synchronize") || text.contains("synchronize"), "{text}");
}

/// The other party of a race came with 1.1: a copy for 1.0 lacks it and nothing else.
#[test]
fn a_race_says_the_second_minor_version_and_loses_only_its_other_party() {
    let race = samples::race();
    assert_eq!(race.version(), version(1));
    let file = race.to_bytes().unwrap();
    assert_eq!(Capture::from_bytes(&file).unwrap(), race);
    let older = Capture::from_bytes(&race.to_bytes_for(0).unwrap()).unwrap();
    assert_eq!(older.version(), version(0));
    let mut expected = race;
    for recorded in &mut expected.record.as_mut().unwrap().faults {
        let fault = Fault { against: None, ..recorded.fault().clone() };
        *recorded = FaultRecord::new(recorded.command(), fault);
    }
    assert_eq!(older, expected);
}

/// Expected faults also came with 1.1: a copy for 1.0 expects none.
#[test]
fn an_expected_fault_says_the_second_minor_version_and_is_dropped() {
    let expected = samples::expected_fault();
    assert_eq!(expected.version(), version(1));
    let file = expected.to_bytes().unwrap();
    assert_eq!(Capture::from_bytes(&file).unwrap(), expected);
    let older = Capture::from_bytes(&expected.to_bytes_for(0).unwrap()).unwrap();
    assert_eq!((older.version(), older), (version(0), samples::fault()));
}

/// Source lines and line tables also came with 1.1: a copy for 1.0 lacks them and is a race without another
/// party.
#[test]
fn source_lines_are_left_out_for_readers_of_the_first_minor_version() {
    let capture = sample_source_lines::source_lines();
    assert_eq!(capture.version(), version(1));
    assert_eq!(Capture::from_bytes(&capture.to_bytes().unwrap()).unwrap(), capture);
    let older = Capture::from_bytes(&capture.to_bytes_for(0).unwrap()).unwrap();
    assert_eq!(older.version(), version(0));
    let mut expected = capture;
    let record = expected.record.as_mut().unwrap();
    record.elfs[0].lines = LineTableBytes::default();
    record.waits[0].frames.clear();
    let mut fault = Fault { against: None, ..record.faults[0].fault().clone() };
    fault.place.as_mut().unwrap().frames.clear();
    record.faults[0] = FaultRecord::new(record.faults[0].command(), fault);
    assert_eq!(older, expected);
}

#[test]
fn what_came_latest_decides_and_is_named() {
    let record = record();
    let bytes = wire::encode_record(&record);
    let droppable = Dated::new().field("FaultRecord", "symbol", Introduced::Droppable(1));
    let found = lowest(&droppable.format(), Part::Record, &bytes);
    let cause = (place(Part::Record, "faults[0].symbol"), "FaultRecord.symbol".to_owned());
    assert_eq!(found, Latest { minor: 1, cause: Some(cause) });

    let both = Dated::new()
        .field("FaultRecord", "symbol", Introduced::Droppable(1))
        .field("WaitRecord", "symbol", Introduced::Needed(4))
        .field("WaitRecord", "value", Introduced::Needed(3));
    let found = lowest(&both.clone().format(), Part::Record, &bytes);
    let cause = (place(Part::Record, "waits[1].symbol"), "WaitRecord.symbol".to_owned());
    assert_eq!(found, Latest { minor: 4, cause: Some(cause) });

    // An absent field needs no version.
    let mut without = without_symbols(&record);
    without.waits.clear();
    let bytes = wire::encode_record(&without);
    assert_eq!(lowest(&both.format(), Part::Record, &bytes), Latest { minor: 0, cause: None });
}

#[test]
fn a_copy_for_an_older_reader_lacks_what_is_droppable_and_nothing_else() {
    let whole = record();
    let format = Dated::new().field("FaultRecord", "symbol", Introduced::Droppable(2)).format();
    let ForMinor::AsItIs(same) = reduced(&format, &whole, 2).unwrap() else { panic!() };
    assert_eq!(wire::record(&same).unwrap(), whole);
    let ForMinor::Reduced(copy) = reduced(&format, &whole, 1).unwrap() else { panic!() };
    let expected = without_symbols(&whole);
    // Waits share a field index with other tables, and keep their symbols.
    assert_eq!(wire::record(&copy).unwrap(), expected);
    assert_eq!(lowest(&format, Part::Record, &copy), Latest { minor: 0, cause: None });
    // No table has a slot for the field, which an older reader would refuse.
    let root = follow(&copy, 0).unwrap();
    let faults = follow(&copy, Slots::of(&copy, root).unwrap().value(&copy, 7).unwrap()).unwrap();
    for index in 0..3 {
        let fault = follow(&copy, faults + 4 + 4 * index).unwrap();
        let (_, slots) = field_index(&copy, fault).unwrap();
        assert!(slots <= 7, "fault {index} has {slots} fields");
    }
    // Written again, the copy equals the output of a writer of that version.
    let again = wire::encode_record(&wire::record(&copy).unwrap());
    assert_eq!(again, wire::encode_record(&expected));
}

#[test]
fn lists_are_droppable_with_all_that_they_hold() {
    let whole = record();
    let format = Dated::new()
        .field("Record", "faults", Introduced::Droppable(1))
        .field("Record", "waits", Introduced::Droppable(1))
        .value("FaultCategory", whole.faults[0].fault().category.to_wire().0.into(), "Theirs", 2)
        .format();
    let ForMinor::Reduced(copy) = reduced(&format, &whole, 0).unwrap() else { panic!() };
    let expected = Record { faults: Vec::new(), waits: Vec::new(), ..whole.clone() };
    assert_eq!(wire::record(&copy).unwrap(), expected);
    // The list's fields must be known as well as the list.
    let error = reduced(&format, &whole, 1).unwrap_err();
    assert_eq!(error.place, place(Part::Record, "faults[0].category"));
    let what = "FaultCategory.Theirs".to_owned();
    let problem = Problem::NotInOlderFormat { what, since: version(2), wanted: version(1) };
    assert_eq!(error.problem, problem);
}

#[test]
fn a_needed_field_of_the_record_is_refused_by_name() {
    let format = Dated::new().field("WaitRecord", "symbol", Introduced::Needed(1)).format();
    let error = reduced(&format, &record(), 0).unwrap_err();
    assert_eq!(
        error.to_string(),
        "record, waits[1].symbol: `WaitRecord.symbol` exists since format 1.1, and a copy in format 1.0 cannot \
         leave it out; use a reader of format 1.1 or later"
    );
    assert!(reduced(&format, &record(), 1).is_ok());
}

#[test]
fn a_command_of_a_later_version_is_refused_by_name() {
    let capture = samples::pipeline();
    let format = Dated::new().table("CreateSemaphore", 1).format();
    let index = capture
        .program
        .commands
        .iter()
        .position(|it| matches!(it.command, Command::CreateSemaphore { .. }))
        .unwrap();
    let bytes = wire::encode_program(&capture.program);
    let error = for_minor(&format, Part::Program, bytes, 0).unwrap_err();
    assert_eq!(error.place, place(Part::Program, &format!("commands[{index}].command")));
    let what = "CreateSemaphore".to_owned();
    let problem = Problem::NotInOlderFormat { what, since: version(1), wanted: version(0) };
    assert_eq!(error.problem, problem);
    let other = wire::encode_program(&samples::data().program);
    assert!(for_minor(&format, Part::Program, other, 0).is_ok());
}

#[test]
fn values_of_enums_are_seen_wherever_they_lie() {
    let program = |capture: &Capture| wire::encode_program(&capture.program);
    let pipeline = program(&samples::pipeline());
    // Enums in a byte of a table, in two bytes of a table, and in a struct of a list.
    for (enumeration, number, bytes) in [
        ("BufferType", 1, &pipeline),
        ("FailureCode", 27, &program(&samples::fault())),
        ("RelocationKind", 2, &pipeline),
    ] {
        let format = Dated::new().value(enumeration, number, "Later", 3).format();
        let found = lowest(&format, Part::Program, bytes);
        assert_eq!(found.minor, 3, "{enumeration}");
        assert_eq!(found.cause.unwrap().1, format!("{enumeration}.Later"));
        let unused = Dated::new().value(enumeration, 250, "Unused", 3).format();
        assert_eq!(lowest(&unused, Part::Program, bytes).minor, 0, "{enumeration}");
    }
}

#[test]
fn a_file_that_says_less_than_it_holds_is_refused() {
    let format = Dated::new().field("FaultRecord", "symbol", Introduced::Droppable(1)).format();
    let bytes = wire::encode_record(&record());
    let error = check_stamp_by(&format, version(0), Part::Record, &bytes).unwrap_err();
    assert_eq!(
        error.to_string(),
        "record, faults[0].symbol: `FaultRecord.symbol` exists since format 1.1, but the file says format 1.0; \
         the program that wrote the file is at fault"
    );
    for enough in [1, 2] {
        check_stamp_by(&format, version(enough), Part::Record, &bytes).unwrap();
    }
}

/// The walk normally gets verified bytes; over any other bytes, it ends.
#[test]
fn a_walk_over_damaged_bytes_ends() {
    let format = Dated::new()
        .field("FaultRecord", "symbol", Introduced::Droppable(1))
        .value("FaultCategory", 1, "Later", 1)
        .format();
    let bytes = wire::encode_record(&record());
    for at in 0..bytes.len() {
        for bit in [0, 3, 7] {
            let mut changed = bytes.clone();
            changed[at] ^= 1 << bit;
            let _ = lowest(&format, Part::Record, &changed);
            let _ = for_minor(&format, Part::Record, changed, 0);
        }
        let _ = lowest(&format, Part::Record, &bytes[..at]);
    }
}
