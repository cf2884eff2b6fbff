//! A race names both of its parties everywhere: terminal, report, the capture's file, its replay.
#![expect(clippy::unwrap_used, reason = "a failing helper fails its test")]

mod common;
#[path = "common/linked_files.rs"]
mod linked_files;

use std::path::Path;

use common::{command, repository, text};
use hallmark_chip::{Fault, FaultPlace, L1BankOrder, Processor};
use hallmark_schema::model::{Capture, FaultRecord, LineTableBytes};
use linked_files::link_files;

/// Both data-movement processors of a core store to the same word. The suite does not expect the race.
const SUITE: &str = "about: A race.
kernels:
  store: { source: kernels/race_store.cpp }
cases:
  surprise:
    about: Nobody expects it.
    steps:
      - create_buffer: { id: word, type: l1, size: 64, page_size: 64 }
      - enqueue_write_buffer: { buffer: word, data: { uniform: uint32, seed: 1 } }
      - enqueue_read_buffer: { buffer: word, as: out, blocking: true }
      - create_program: { id: program }
      - create_kernel: { id: one, program: program, kernel: store, cores: [2, 3], processor: riscv_0 }
      - create_kernel: { id: other, program: program, kernel: store, cores: [2, 3], processor: riscv_1 }
      - set_runtime_args: { kernel: one, args: [{ buffer: word }, 1] }
      - set_runtime_args: { kernel: other, args: [{ buffer: word }, 2] }
      - enqueue_program: { program: program }
      - finish: {}
    expect:
      - equal: [out, word]
";

const TEST: &str = "wormhole_b0::group::races::surprise";

fn root(suite: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let suites = folder.path().join("suites");
    std::fs::create_dir_all(suites.join("group")).unwrap();
    link_files(&repository().join("suites/kernels"), &suites.join("kernels"));
    std::fs::write(suites.join("group/races.yaml"), suite).unwrap();
    folder
}

fn hallmark(folder: &Path, arguments: &[&str]) -> (i32, String) {
    let output = command(folder).args(arguments).output().unwrap();
    (output.status.code().unwrap(), text(&output))
}

/// Of the lines that name a party, its own and the other's.
fn parties(text: &str) -> (&str, &str) {
    let mut lines = text.lines().map(str::trim);
    let later = lines.find(|line| line.starts_with("tile ")).unwrap_or_default();
    (later, lines.find(|line| line.starts_with("against ")).unwrap_or_default())
}

#[test]
fn both_parties_are_named_on_the_terminal() {
    let folder = root(SUITE);
    let (code, text) =
        hallmark(folder.path(), &["run", "--arch", "wormhole_b0", "--report", "r.json"]);
    assert_eq!(code, 1, "{text}");
    let (later, earlier) = parties(&text);
    assert!(later.contains("logical (2,3), NCRISC, pc 0x"), "{text}");
    let line = "race_store.cpp:10: `*word = get_arg_val<uint32_t>(1);`";
    assert!(later.ends_with(&format!("in kernel_main of `other`, {line}")), "{text}");
    assert!(earlier.starts_with("against tile "), "{text}");
    assert!(earlier.contains("logical (2,3), BRISC, pc 0x"), "{text}");
    assert!(earlier.ends_with(&format!("in kernel_main of `one`, {line}")), "{text}");
    let report = std::fs::read_to_string(folder.path().join("r.json")).unwrap();
    assert!(report.contains(later) && report.contains(earlier), "{report}");
}

/// The capture's file has format 1.1 and names both parties; a copy for readers of 1.0 lacks only the other
/// party and the source lines.
#[test]
fn both_parties_are_in_the_file_and_its_texts() {
    let folder = root(SUITE);
    hallmark(folder.path(), &["capture", TEST, "-o", "race.lmb"]);
    let bytes = std::fs::read(folder.path().join("race.lmb")).unwrap();
    let capture = Capture::from_bytes(&bytes).unwrap();
    assert_eq!(capture.version().to_string(), "1.1");
    let [recorded] = capture.record.as_ref().unwrap().faults.as_slice() else { panic!() };
    let Fault { place: Some(later), against: Some(earlier), .. } = recorded.fault() else {
        panic!("{recorded:?}")
    };
    assert_eq!(later.processor, Some(Processor::Ncrisc));
    assert_eq!((earlier.tile, earlier.processor), (later.tile, Some(Processor::Brisc)));
    assert!(earlier.pc.is_some());
    assert_eq!(earlier.symbol.as_deref(), Some("kernel_main"));

    // Readers of 1.0 know only row-by-row banks of L1, so no copy without their order is possible.
    assert!(capture.to_bytes_for(0).unwrap_err().to_string().contains("Record.l1_bank_order"));
    let mut by_rows = capture.clone();
    by_rows.record.as_mut().unwrap().l1_bank_order = L1BankOrder::RowByRow;
    let older = Capture::from_bytes(&by_rows.to_bytes_for(0).unwrap()).unwrap();
    assert_eq!(older.version().to_string(), "1.0");
    let place = Box::new(FaultPlace { frames: Vec::new(), ..*later.clone() });
    let fault = Fault { place: Some(place), against: None, ..recorded.fault().clone() };
    let mut expected = by_rows.clone();
    let record = expected.record.as_mut().unwrap();
    record.at_end = None;
    record.checks = Vec::new();
    record.faults = vec![FaultRecord::new(recorded.command(), fault)];
    for elf in &mut record.elfs {
        assert!(!elf.lines.is_empty(), "{elf:?}");
        elf.lines = LineTableBytes::default();
    }
    assert_eq!(older, expected);

    let (code, text) = hallmark(folder.path(), &["dump", "race.lmb"]);
    assert_eq!(code, 0, "{text}");
    let line = text.lines().find(|line| line.starts_with("fault at")).unwrap();
    let (one, other) = line.split_once(", against tile").unwrap();
    assert!(one.contains("NCRISC, pc 0x") && other.contains(" BRISC, pc 0x"), "{line}");
    assert!([one, other].iter().all(|party| party.ends_with(", race_store.cpp:10")), "{line}");
    let (code, text) = hallmark(folder.path(), &["dump", "race.lmb", "--format", "jsonl"]);
    assert_eq!(code, 0, "{text}");
    let line = text.lines().find(|line| line.starts_with("{\"fault\"")).unwrap();
    let fault: serde_json::Value = serde_json::from_str(line).unwrap();
    assert_eq!(fault["fault"]["processor"], 1);
    assert_eq!(fault["fault"]["against"]["processor"], 0);

    // A file of format 1.0 has neither the other party nor source lines, and its replay does not miss them.
    std::fs::write(folder.path().join("older.lmb"), by_rows.to_bytes_for(0).unwrap()).unwrap();
    let (code, text) = hallmark(folder.path(), &["replay", "older.lmb", "--strict-derived"]);
    assert_eq!(code, 1, "nobody expected the race: {text}");
    assert!(text.contains("every outcome and every read is as captured"), "{text}");
    assert!(text.contains("against tile "), "{text}");
    assert!(text.contains("in kernel_main of `one` (race_store.cpp)"), "{text}");
}

#[test]
fn both_parties_are_named_by_a_replay() {
    let folder = root(SUITE);
    let (_, text) = hallmark(folder.path(), &["capture", TEST, "-o", "race.lmb"]);
    assert!(text.contains("against tile "), "{text}");
    let (code, text) = hallmark(folder.path(), &["replay", "race.lmb", "--strict-derived"]);
    assert_eq!(code, 1, "nobody expected the race: {text}");
    assert!(text.contains("the device stopped, as captured:"), "{text}");
    let (later, earlier) = parties(&text);
    assert!(later.contains("NCRISC") && later.contains("of `other`"), "{text}");
    assert!(earlier.contains("against tile") && earlier.contains("of `one`"), "{text}");
    assert!(
        later.contains(", race_store.cpp:10: `") && earlier.contains(", race_store.cpp:10: `"),
        "{text}"
    );
}

/// The suite as it stands: a credit behind bytes at once, and one behind bytes that have left.
#[test]
fn a_program_that_relies_on_an_order_that_no_document_promises_is_named_and_fails_if_asked() {
    let suite = std::fs::read_to_string(repository().join("suites/noc/credits.yaml")).unwrap();
    let folder = root(&suite);
    let run = |more: &[&str]| {
        let arguments = ["run", "--arch", "wormhole_b0", "--verbose"];
        hallmark(folder.path(), &[&arguments, more].concat()).1
    };
    let test = |case: &str, noc: u8| format!("wormhole_b0::group::races::{case}::noc=noc_{noc}");
    let (relaxed, strict) = (run(&[]), run(&["--strict-isa"]));
    let told = format!("not promised: {} and 1 other would differ", test("at_once", 0));
    assert!(relaxed.contains(&told) && !strict.contains("not promised"), "{relaxed}{strict}");
    for noc in [0, 1] {
        let passes = |case: &str| format!("NO GOLDEN {}\n", test(case, noc));
        assert!(relaxed.contains(&passes("at_once")), "{relaxed}");
        assert!(strict.contains(&format!("FAULT {}\n", test("at_once", noc))), "{strict}");
        for output in [&relaxed, &strict] {
            assert!(output.contains(&passes("flushed")), "{output}");
        }
    }
    assert!(strict.contains("DataRace: a NoC write of 640 bytes"), "{strict}");
}

/// The suite as it stands: a change of configuration behind the instruction that reads it.
#[test]
fn a_unit_samples_its_configuration_until_it_has_finished_if_asked() {
    let suite = repository().join("suites/faults/coprocessor.yaml");
    let folder = root(&std::fs::read_to_string(suite).unwrap());
    let test =
        |case: &str| format!("wormhole_b0::group::races::configured_in_order::configures={case}");
    let run = |more: &[&str]| {
        let arguments =
            ["run", "--arch", "wormhole_b0", "--verbose", "--filter", "configured_in_order"];
        hallmark(folder.path(), &[&arguments, more].concat()).1
    };
    let (usual, strict) = (run(&[]), run(&["--strict-tensix"]));
    let sampled = test("sampled_at_the_issue");
    assert!(usual.contains(&format!("NO GOLDEN {sampled}\n")), "{usual}");
    assert!(strict.contains(&format!("FAULT {sampled}\n")), "{strict}");
    assert!(strict.contains("DataRace: RMWCIB0 changes the size of the input"), "{strict}");
    for output in [&usual, &strict] {
        let passes = format!("NO GOLDEN {}\n", test("awaits_packers"));
        assert!(output.contains(&passes), "{output}");
    }
}

/// The suite as it stands, but for the category that it expects: a kernel that reads on both NoCs and waits on one.
#[test]
fn a_wait_on_the_other_noc_is_told_with_the_noc_that_lacks_one() {
    let suite = std::fs::read_to_string(repository().join("suites/faults/races.yaml")).unwrap();
    let suite = suite.replace("category: DataRace", "category: UndefinedBehavior");
    let folder = root(&suite);
    let arguments = ["run", "--arch", "blackhole", "--verbose", "--filter"];
    let run = |filter: &str| hallmark(folder.path(), &[&arguments[..], &[filter]].concat()).1;
    for noc in [0, 1] {
        let output = run(&format!("reads_of_noc_{noc}_not_awaited"));
        let remedy =
            format!("wait with noc_async_read_barrier on NoC {noc} between the read and any");
        assert!(output.contains(&remedy), "{output}");
    }
    // A core that has used one NoC knows which one.
    let output = run("::read_without_barrier");
    assert!(output.contains("wait with noc_async_read_barrier between the read"), "{output}");
}
