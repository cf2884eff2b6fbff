//! Schema, generated code and model agree; checked without the FlatBuffers compiler.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use super::samples;
use crate::class::{FieldClass, TableSchema, UnionSchema, schema_hash};
use crate::model::{ContentHash, Origin, Record};

#[expect(unreachable_pub, reason = "the generator's module, which is public there")]
#[path = "../../../scripts/schema-gen/src/fbs.rs"]
mod fbs;

#[expect(unreachable_pub, reason = "the generator's module, which is public there")]
#[path = "../../../scripts/schema-gen/src/additions.rs"]
mod additions;

#[expect(unreachable_pub, reason = "the generator's module, which is public there")]
#[path = "../../../scripts/schema-gen/src/fields.rs"]
mod fields;

const FILES: [&str; 5] = ["common", "program", "record", "journal", "capture"];

fn read(path: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

fn parsed(folder: &str) -> fbs::Schema {
    let texts: Vec<(&str, String)> =
        FILES.iter().map(|name| (*name, read(&format!("{folder}/{name}.fbs")))).collect();
    let files = texts.iter().map(|(name, text)| (*name, text.as_str()));
    fbs::Schema::parse(files).unwrap()
}

#[test]
fn generated_code_is_what_the_schema_gave() {
    let hashes = read("src/generated/HASHES");
    let mut listed = Vec::new();
    for line in hashes.lines().skip(1) {
        let (hash, path) = line.split_once(' ').unwrap();
        assert_eq!(
            ContentHash::of(read(path).as_bytes()).to_string(),
            hash,
            "{path} was changed without its counterpart; run scripts/schema-gen/run"
        );
        listed.push(path);
    }
    const GENERATOR: &str = "../scripts/schema-gen/src";
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(GENERATOR);
    for file in std::fs::read_dir(folder).unwrap() {
        let path = format!("{GENERATOR}/{}", file.unwrap().file_name().display());
        assert!(listed.contains(&path.as_str()), "{path} is new; run scripts/schema-gen/run");
    }
    for name in ["Cargo.lock", "Cargo.toml", "only-the-compiler.cmake"] {
        assert!(listed.contains(&format!("../scripts/schema-gen/{name}").as_str()), "{name}");
    }
    let of_generator = listed.iter().filter(|path| path.starts_with("../scripts/schema-gen/"));
    // The schema and the last release of it, the generator, and its three outputs.
    assert_eq!(listed.len(), 2 * FILES.len() + of_generator.count() + 3);
    let mut hasher = blake3::Hasher::new();
    for name in FILES {
        let text = read(&format!("fbs/{name}.fbs"));
        hasher.update(format!("{name} {}\n{text}", text.len()).as_bytes());
    }
    assert_eq!(schema_hash().0, *hasher.finalize().as_bytes());
}

#[test]
fn the_compiler_and_the_library_are_one_version() {
    let hashes = read("src/generated/HASHES");
    let compiler = hashes.lines().next().unwrap().trim_start_matches("flatc version ");
    let lock = read("../Cargo.lock");
    assert!(
        lock.contains(&format!("name = \"flatbuffers\"\nversion = \"{compiler}\"")),
        "generated code calls into the library's internals: both must be {compiler}"
    );
}

#[test]
fn every_field_has_one_class_and_the_table_of_classes_has_it() {
    // The reader refuses a field without exactly one class.
    let schema = parsed("fbs");
    let mut fields = 0;
    for table in &schema.tables {
        let known = TableSchema::named(&table.name).unwrap();
        assert_eq!(known.file, table.file);
        assert_eq!(known.fields.len(), table.fields.len());
        for (field, known) in table.fields.iter().zip(known.fields) {
            assert_eq!(field.class, known.class.name(), "{}.{}", table.name, field.name);
            assert_eq!((field.name.as_str(), field.id), (known.name, known.id));
            fields += 1;
        }
    }
    assert!(fields > 100, "{fields}");
    assert_eq!(schema.tables.len(), TableSchema::all().len());
}

#[test]
fn the_program_is_stable_and_the_record_is_not() {
    for table in TableSchema::all() {
        for field in table.fields {
            let fits = match table.file {
                "program" => field.class.in_program(),
                "record" => !field.class.in_program(),
                _ => true,
            };
            assert!(fits, "{}.{} is {}", table.name, field.name, field.class);
        }
    }
    assert_eq!(FieldClass::Relocatable, {
        let table = TableSchema::named("CoreArguments").unwrap();
        table.field("relocations").unwrap().class
    });
}

/// A released schema only grows. flatc, where it is installed, checks the same in more depth.
#[test]
fn the_released_schema_is_kept() {
    let (released, current) = (parsed("released/1.0"), parsed("fbs"));
    for table in &released.tables {
        let now = current.tables.iter().find(|now| now.name == table.name).unwrap();
        let forms = |table: &fbs::Table| -> Vec<_> {
            table.fields.iter().map(|field| format!("{:?}", field.form())).collect()
        };
        assert!(forms(now).starts_with(&forms(table)), "{} lost or changed a field", table.name);
    }
    for enumeration in &released.enumerations {
        let now = current.enumerations.iter().find(|now| now.name == enumeration.name).unwrap();
        let numbers = |enumeration: &fbs::Enumeration| -> Vec<_> {
            enumeration.values.iter().map(|value| (value.name.clone(), value.number)).collect()
        };
        assert!(numbers(now).starts_with(&numbers(enumeration)), "{}", now.name);
    }
}

/// The present schema with one text of a file replaced.
fn changed(file: &str, from: &str, to: &str) -> fbs::Schema {
    let texts = FILES.map(|name| {
        let text = read(&format!("fbs/{name}.fbs"));
        if name != file {
            return (name, text);
        }
        assert!(text.contains(from), "{file}.fbs holds no {from}");
        (name, text.replacen(from, to, 1))
    });
    fbs::Schema::parse(texts.iter().map(|(name, text)| (*name, text.as_str()))).unwrap()
}

const LAST_OF_A_WAIT: &str = "  frames: [SourceFrame] (id: 6, derived, droppable: 1);\n";

fn with_field_of_a_wait(attributes: &str) -> fbs::Schema {
    let more = format!("{LAST_OF_A_WAIT}  writer: string (id: 7, derived{attributes});\n");
    changed("record", LAST_OF_A_WAIT, &more)
}

#[test]
fn what_the_released_schema_lacks_says_when_it_came() {
    let released = parsed("released/1.0");
    let check = |schema: &fbs::Schema| {
        additions::check(&released, 0, schema).map_err(|error| error.to_string())
    };
    check(&parsed("fbs")).unwrap();
    check(&with_field_of_a_wait(", droppable: 1")).unwrap();
    check(&with_field_of_a_wait(", needed: 2")).unwrap();
    let writer = |attributes| check(&with_field_of_a_wait(attributes)).unwrap_err();
    assert_eq!(
        writer(""),
        "WaitRecord.writer came after 1.0: say when, with `needed: 1` or `droppable: 1`"
    );
    let misplaced =
        "WaitRecord.writer: `since` cannot stand here; only `needed: 1` or `droppable: 1` can";
    assert_eq!(writer(", since: 1"), misplaced);
    assert!(writer(", droppable").contains("needs a minor version of 1 or more"));
    assert!(writer(", droppable: 0").contains("needs a minor version of 1 or more"));
    assert!(writer(", droppable: 1, needed: 1").contains("says twice"));

    let program = |text: &str| {
        let last = "  bottom_up: bool = null (id: 7, stable);\n";
        check(&changed("program", last, &format!("{last}{text}")))
    };
    program("  other: uint (id: 8, stable, since: 1);\n").unwrap();
    assert!(program("  other: uint (id: 8, stable);\n").unwrap_err().contains("`since: 1`"));
    let droppable = program("  other: uint (id: 8, stable, droppable: 1);\n").unwrap_err();
    assert!(droppable.contains("only `since: 1` can"), "{droppable}");

    let table = |text: &str| {
        let before = "table DeallocateBuffer {";
        check(&changed("program", before, &format!("{text}\n{before}")))
    };
    table("table Other (since: 1) { x: uint (id: 0, stable); }").unwrap();
    assert!(table("table Other { x: uint (id: 0, stable); }").unwrap_err().contains("Other came"));

    let value = |text: &str| {
        let enumeration = "  Float16 = 9,\n";
        check(&changed("program", enumeration, &format!("{enumeration}{text}\n")))
    };
    value("  Bfloat8 = 10 (since: 1),").unwrap();
    assert!(value("  Bfloat8 = 10,").unwrap_err().starts_with("DataType.Bfloat8 came after 1.0"));

    // A released item keeps its version, and a later item states a later one.
    let dated = changed(
        "record",
        "symbol: string (id: 7, derived)",
        "symbol: string (id: 7, derived, droppable: 1)",
    );
    assert_eq!(check(&dated).unwrap_err(), "FaultRecord.symbol is not as it was in 1.0");
    let classified =
        changed("record", "symbol: string (id: 7, derived)", "symbol: string (id: 7, volatile)");
    assert_eq!(check(&classified).unwrap_err(), "FaultRecord.symbol is not as it was in 1.0");
    let newer = with_field_of_a_wait(", droppable: 1");
    let error = additions::check(&parsed("fbs"), 1, &newer).unwrap_err().to_string();
    assert_eq!(error, "WaitRecord.writer came after 1.1 and says 1.1");
    additions::check(&newer, 1, &newer).unwrap();
    // A container is written anew for each reader, a journal lives as long as a run.
    let blob = |text: &str| {
        let last = "force_align: 16);\n}\n\n/// Never";
        let (before, after) = last.split_once('}').unwrap();
        check(&changed("capture", last, &format!("{before}{text}}}{after}")))
    };
    blob("  x: uint (id: 2, volatile, needed: 1);\n").unwrap();
    assert!(
        blob("  x: uint (id: 2, volatile, droppable: 1);\n").unwrap_err().contains("only `needed")
    );
    let last = "  l1_bank_order: L1BankOrder (id: 6, derived);\n";
    let journal = |text: &str| check(&changed("journal", last, &format!("{last}{text}")));
    journal("  x: uint (id: 7, derived);\n").unwrap();
    assert!(
        journal("  x: uint (id: 7, derived, needed: 1);\n")
            .unwrap_err()
            .contains("only nothing can")
    );
}

#[test]
fn the_newest_minor_version_is_worked_out_of_the_dates() {
    let rust = |schema: &fbs::Schema| fields::rust(schema, &[0; 32]).unwrap();
    let none = rust(&parsed("fbs"));
    let newest = crate::VERSION.minor;
    assert!(none.contains(&format!("pub(crate) const NEWEST_MINOR: u16 = {newest};")), "{none}");
    let dated = rust(&with_field_of_a_wait(", droppable: 7"));
    assert!(dated.contains("pub(crate) const NEWEST_MINOR: u16 = 7;"));
    let writer = dated.lines().find(|line| line.contains("name: \"writer\", type_name: \"string\", holds: Holds::Plain, vector: false, id: 7")).unwrap();
    assert!(writer.contains("Introduced::Droppable(7)"), "{writer}");
    // Exactly the tables that can hold the item state its version.
    let later: BTreeSet<&str> = dated
        .lines()
        .filter(|line| line.contains("newest: 7"))
        .filter_map(|line| line.split('"').nth(1))
        .collect();
    let holders = ["JournalEntry", "JournalEvent", "Record", "RecordUpdate", "WaitRecord"];
    assert_eq!(later, holders.into_iter().collect());

    let value = "  Float16 = 9,\n";
    let dated = changed("program", value, &format!("{value}  Bfloat8 = 10 (since: 7),\n"));
    let dated = rust(&dated);
    assert!(dated.contains("number: 10, name: \"Bfloat8\", since: 7"));
    let program = dated.lines().find(|line| line.contains("name: \"Program\", file")).unwrap();
    assert!(program.contains("since: 0, newest: 7"), "{program}");
}

/// The generator computes the positions of enums in structs; the library's own structs confirm them.
#[test]
fn structs_are_as_long_as_the_generated_ones() {
    use crate::generated::capture as fb;
    let bytes = |name: &str| {
        let found = crate::class::FORMAT.structs.iter().find(|it| it.name == name).unwrap();
        (found.bytes, found.enumerations)
    };
    assert_eq!(bytes("ContentHash"), (size_of::<fb::ContentHash>(), &[][..]));
    assert_eq!(bytes("BufferRegion"), (size_of::<fb::BufferRegion>(), &[][..]));
    assert_eq!(bytes("Tile"), (size_of::<fb::Tile>(), &[][..]));
    let (length, enumerations) = bytes("ArgumentRelocation");
    assert_eq!(length, size_of::<fb::ArgumentRelocation>());
    let [(place, offset)] = enumerations else { panic!("{enumerations:?}") };
    assert_eq!(crate::class::FORMAT.enumerations[*place].name, "RelocationKind");
    let kind = fb::RelocationKind::ShardBankPair;
    let written = fb::ArgumentRelocation::new(1, 2, 3, kind);
    assert_eq!(written.0[*offset], kind.0);
}

#[test]
fn mistakes_in_a_schema_are_told() {
    let error = |text: &str| fbs::Schema::parse([("file", text)]).unwrap_err().to_string();
    assert!(error("table T {\n  x: uint (stable);\n}").contains("T.x has no `id`"));
    assert!(error("table T { x: uint (id: 0); }").contains("T.x has not exactly one class"));
    assert!(
        error("table T { x: uint (id: 0, stable, derived); }")
            .contains("T.x has not exactly one class")
    );
    assert!(
        error("table T { x: [ubyte] (id: 0, stable, nested_flatbuffer: \"Y\"); }")
            .contains("`nested_flatbuffer` is not used here")
    );
    assert!(error("enum E : ubyte { A = 0 }").contains("`Unspecified = 0`"));
    assert!(error("enum E : ubyte { Unspecified = 0, A }").contains("expected `=`"));
    assert!(error("union U { A = 2, B = 1 }").contains("ascend"));
    assert!(error("table T {").contains("ends too early"));
    assert!(
        error("table T { x: uint (id: 0, stable, stable); }").contains("`stable` stands twice")
    );
    assert!(error("table T { x: uint (id: x, stable); }").contains("T.x has the id `x`"));
    let mistake = "\n\ntable T {\n  x: uint (id: 0, stable, until: 3);\n}";
    assert!(error(mistake).starts_with("file.fbs:4: T.x: `until` is not used here"));
}

#[test]
fn attributes_may_have_values() {
    let text = "attribute \"until\"; attribute \"uses\"; // attribute \"not_this\";\n\
        table T (until: 7) { x: uint = 5 (uses: \"a // b\", id: 2, stable, until); }\n\
        enum E : ubyte { Unspecified = 0, A = 1 (until: 8), B = 2 }";
    let schema = fbs::Schema::parse([("file", text)]).unwrap();
    let attribute = |name: &str, value: Option<&str>| fbs::Attribute {
        name: name.to_owned(),
        value: value.map(str::to_owned),
    };
    let [table] = schema.tables.as_slice() else { panic!("{schema:?}") };
    assert_eq!(table.attributes, [attribute("until", Some("7"))]);
    let [field] = table.fields.as_slice() else { panic!("{schema:?}") };
    assert_eq!(field.form(), ("x", "uint", false, 2, "stable"));
    assert_eq!(field.attributes, [attribute("uses", Some("a // b")), attribute("until", None)]);
    assert_eq!(field.attribute("uses").unwrap().value.as_deref(), Some("a // b"));
    let values = &schema.enumerations[0].values;
    assert_eq!(values[1].attributes, [attribute("until", Some("8"))]);
    assert_eq!(values[2].attributes, []);
}

/// Tables of a key and a value; the model holds them as maps.
const MAP_ENTRIES: [&str; 3] = ["Define", "NamedCompileArg", "UnpackToDest"];

/// Model and schema use the same names, so that one table of classes serves both.
#[test]
fn every_name_of_the_model_is_one_of_the_schema() {
    let mut seen = BTreeSet::new();
    for (_, capture) in samples::all() {
        for recorded in &capture.program.commands {
            let kind = recorded.command.kind();
            let value = serde_json::to_value(&recorded.command).unwrap();
            check(&format!("{kind:?}"), &value[kind.name()], &mut seen);
        }
        let tensors = serde_json::to_value(&capture.program.free_tensors).unwrap();
        for value in tensors.as_array().unwrap() {
            check("FreeTensor", value, &mut seen);
        }
        if let Some(record) = &capture.record {
            let lists = [
                ("ChipRecord", serde_json::to_value([&record.chip])),
                ("FirmwareRecord", serde_json::to_value([&record.firmware])),
                ("FaultRecord", serde_json::to_value(&record.faults)),
                ("WaitRecord", serde_json::to_value(&record.waits)),
                ("ReadResult", serde_json::to_value(&record.reads)),
                ("AssignedAddress", serde_json::to_value(&record.addresses)),
                ("KernelElf", serde_json::to_value(&record.elfs)),
                ("CollectedBytes", serde_json::to_value(&record.collected)),
                ("PrintedText", serde_json::to_value(&record.printed)),
                ("ExpectedFault", serde_json::to_value(&record.expected_faults)),
                (
                    "ExecutorRecord",
                    of_origin(record, |origin| serde_json::to_value([&origin.executor])),
                ),
                (
                    "PlacementBoundWord",
                    of_origin(record, |origin| serde_json::to_value(&origin.placement_bound_words)),
                ),
                (
                    "GeneratedBindings",
                    of_origin(record, |origin| serde_json::to_value(&origin.generated_bindings)),
                ),
            ];
            for (table, list) in lists {
                for value in list.unwrap().as_array().unwrap() {
                    check(table, value, &mut seen);
                }
            }
        }
    }
    for table in TableSchema::all().iter().filter(|table| table.file == "program") {
        let own = ["Failure", "FailureField", "RecordedCommand", "SourceFile", "Program"];
        let own: Vec<&str> = own.into_iter().chain(MAP_ENTRIES).collect();
        if !table.fields.is_empty() && !own.contains(&table.name) {
            assert!(seen.contains(table.name), "no sample holds a {}", table.name);
        }
    }
}

fn of_origin(
    record: &Record,
    list: fn(&Origin) -> serde_json::Result<Value>,
) -> serde_json::Result<Value> {
    record.origin.as_ref().map_or_else(|| serde_json::to_value([(); 0]), list)
}

fn check(table: &str, value: &Value, seen: &mut BTreeSet<String>) {
    let schema = TableSchema::named(table).unwrap_or_else(|| panic!("no table {table}"));
    seen.insert(table.to_owned());
    let Some(map) = value.as_object() else { panic!("{table} is {value}") };
    for (name, value) in map {
        let field = schema.field(name).unwrap_or_else(|| panic!("{table} has no field {name}"));
        if UnionSchema::named(field.type_name).is_some() {
            if let Some((member, value)) = value.as_object().and_then(|map| map.iter().next()) {
                let camel: String =
                    member.split('_').map(|word| word[..1].to_uppercase() + &word[1..]).collect();
                check(&camel, value, seen);
            }
        } else if TableSchema::named(field.type_name).is_some()
            && !MAP_ENTRIES.contains(&field.type_name)
        {
            let one = [value.clone()];
            for value in value.as_array().map_or(one.as_slice(), Vec::as_slice) {
                check(field.type_name, value, seen);
            }
        }
    }
}
