//! Findings on order in the Tensix coprocessor: their texts for the public reports that
//! `suites/faults/coprocessor_reports.yaml` rebuilds, and the table of all findings.
#![expect(clippy::unwrap_used, reason = "a failing helper fails its test")]

mod common;
#[path = "common/linked_files.rs"]
mod linked_files;

use common::{command, repository, text};
use linked_files::link_files;

/// The suite, with another category where it expects a race: each race is then a surprise, which is shown.
fn run(filter: &str, more: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let suites = folder.path().join("suites");
    std::fs::create_dir_all(suites.join("group")).unwrap();
    link_files(&repository().join("suites/kernels"), &suites.join("kernels"));
    let suite = repository().join("suites/faults/coprocessor_reports.yaml");
    let suite = std::fs::read_to_string(suite).unwrap();
    let suite = suite.replace("category: DataRace", "category: UndefinedBehavior");
    std::fs::write(suites.join("group/reports.yaml"), suite).unwrap();
    let mut run = command(folder.path());
    run.args(["run", "--arch", "wormhole_b0", "--arch", "blackhole", "--verbose"]);
    text(&run.args(["--filter", filter]).args(more).output().unwrap())
}

/// The reason and the two parties in the output of a test.
fn fault<'a>(output: &'a str, test: &str) -> [&'a str; 3] {
    let start =
        output.find(&format!("FAULT {test}\n")).unwrap_or_else(|| panic!("{test}\n{output}"));
    let lines = output.get(start..).unwrap().lines().skip(1);
    let lines: Vec<_> = lines.take_while(|line| line.starts_with("  ")).collect();
    let at = |start: &str| lines.iter().position(|line| line.trim_start().starts_with(start));
    let (later, earlier) = (at("tile ").unwrap(), at("against tile ").unwrap());
    let of = |from: usize, to: usize| {
        let first = lines.get(from).unwrap().as_ptr() as usize - output.as_ptr() as usize;
        let last = lines.get(to - 1).unwrap();
        let end = last.as_ptr() as usize - output.as_ptr() as usize + last.len();
        output.get(first..end).unwrap()
    };
    let end = at("in program ").unwrap();
    [of(0, later), of(later, earlier), of(earlier, end)]
}

/// A case without the order: the later instruction and the earlier one, each with its core and its line in the kernel, and
/// what the reason names besides them.
struct Case {
    name: &'static str,
    later: (&'static str, &'static str, &'static str),
    earlier: (&'static str, &'static str, &'static str),
    named: &'static [&'static str],
}

const CASES: &[Case] = &[
    Case {
        name: "llk_97_unordered",
        later: ("PACR", "TRISC2", "order_packer_address.cpp:28: `push_pack();`"),
        earlier: ("WRCFG", "TRISC2", "order_packer_address.cpp:24: `push(wrcfg(kOutputAddress));`"),
        named: &["the address in L1", "put a NOP in between", "WRCFG.md"],
    },
    Case {
        name: "llk_602_unordered",
        later: (
            "the store",
            "TRISC0",
            "order_unpacker_base.cpp:33: `configure(kInputAddress[0], next);`",
        ),
        earlier: ("UNPACR", "TRISC0", "order_unpacker_base.cpp:19: `push_unpack(0, line);`"),
        named: &["the base address in L1 of unpacker 0", "SEMPOST", "BackendConfiguration.md"],
    },
    Case {
        name: "metal_53412_unordered",
        later: (
            "MOVD2A",
            "TRISC1",
            "order_moves_ungated.cpp:32: `push(movd2a(kNextTile + row, row));`",
        ),
        earlier: ("UNPACR_NOP", "TRISC0", "order_moves_ungated.cpp:16: `push_empty_bank(0);`"),
        named: &["a bank of SrcA", "STALLWAIT (p_stall::SRCA_VLD,", "MOVD2A.md"],
    },
    Case {
        name: "metal_55106_unordered",
        later: ("MOVD2B", "TRISC1", "order_bank_before_its_flip.cpp:40: `push(movd2b("),
        earlier: (
            "UNPACR_NOP",
            "TRISC0",
            "order_bank_before_its_flip.cpp:19: `push_empty_bank(1);`",
        ),
        named: &["a bank of SrcB", "ELWSUB", "p_stall::MATH | p_stall::SRCB_VLD", "STALLWAIT.md"],
    },
    Case {
        name: "metal_56073_unordered",
        later: ("ZEROACC", "TRISC2", "order_section_cleared.cpp:24: `push(zeroacc_half(0));`"),
        earlier: ("PACR", "TRISC2", "order_section_cleared.cpp:20: `push_pack();`"),
        named: &["Dst in rows 0 to 63", "STALLWAIT (p_stall::PACK)", "STALLWAIT.md"],
    },
    Case {
        name: "metal_54483_unordered",
        later: ("SETRWC", "TRISC1", "order_bank_given_back.cpp:41: `push(setrwc(3));`"),
        earlier: ("UNPACR_NOP", "TRISC0", "order_bank_given_back.cpp:22: `push_empty_bank(0);`"),
        named: &["a bank of SrcA", "STALLWAIT (p_stall::SRCA_VLD,", "SETRWC.md"],
    },
];

#[test]
fn both_instructions_the_missing_order_and_the_page_are_named() {
    let output = run("unordered", &[]);
    for chip in ["wormhole_b0", "blackhole"] {
        for Case { name, later, earlier, named } in CASES {
            let [reason, at, against] = fault(&output, &format!("{chip}::group::reports::{name}"));
            for named in named.iter().chain([&later.0, &earlier.0]) {
                assert!(reason.contains(named), "{name}: {named}\n{reason}");
            }
            for ((_, core, line), party) in [(later, at), (earlier, against)] {
                let core = format!("logical (3,1), {core}, pc 0x");
                assert!(party.contains(&core) && party.contains(line), "{name}: {line}\n{party}");
            }
        }
    }
}

/// Which of the two comes first depends on the schedule.
#[test]
fn a_word_that_two_threads_write_names_the_write_and_the_instruction_that_reads() {
    let output = run("llk_1658_unordered", &[]);
    for chip in ["wormhole_b0", "blackhole"] {
        let test = format!("{chip}::group::reports::llk_1658_unordered::first=behind_a_tile");
        let [reason, at, against] = fault(&output, &test);
        for named in
            ["WRCFG", "MOVA2D", "the mode for denormals of the matrix unit (configuration word 2)"]
        {
            assert!(reason.contains(named), "{named}\n{reason}");
        }
        let parties = format!("{at}\n{against}");
        for named in
            ["TRISC2, pc 0x", "order_shared_word.cpp:30: `push(wrcfg(kModes));`", "TRISC1, pc 0x"]
        {
            assert!(parties.contains(named), "{named}\n{parties}");
        }
    }
}

/// Nothing has read the word yet.
#[test]
fn two_unordered_writes_of_a_word_name_both() {
    let output = run("llk_1658_unordered", &[]);
    for chip in ["wormhole_b0", "blackhole"] {
        let test = format!("{chip}::group::reports::llk_1658_unordered::first=before_all_tiles");
        let [reason, at, against] = fault(&output, &test);
        for named in [
            "the WRCFG that TRISC2 pushed",
            "the RMWCIB0 that TRISC1 pushed",
            "the bits 0x1 of configuration word 2, the mode for denormals,",
            "RMWCIB.md",
        ] {
            assert!(reason.contains(named), "{named}\n{reason}");
        }
        let parties = format!("{at}\n{against}");
        for named in ["order_shared_word.cpp:30", "order_shared_word.cpp:17", "TRISC1", "TRISC2"] {
            assert!(parties.contains(named), "{named}\n{parties}");
        }
    }
}

#[test]
fn a_page_that_is_pushed_too_soon_names_the_packer_and_the_unpacker() {
    let output = run("metal_9364_unordered", &[]);
    for chip in ["wormhole_b0", "blackhole"] {
        let test = format!("{chip}::group::reports::metal_9364_unordered");
        let [reason, at, against] = fault(&output, &test);
        for named in [
            "unpacker 0, for an instruction of TRISC0",
            "packer 0 writes for an instruction that TRISC2",
            "circular buffer 24 `own`",
        ] {
            assert!(reason.contains(named), "{named}\n{reason}");
        }
        assert!(at.contains("order_in_place.cpp:22: `push_unpack("), "{at}");
        assert!(against.contains("order_in_place.cpp:40: `push_pack();`"), "{against}");
    }
}

/// Boards pack to the next address; the pages allow two readings.
#[test]
fn an_address_in_l1_that_changes_while_its_packer_works_is_named_if_asked() {
    let (usual, strict) = (run("waits=", &[]), run("waits=", &["--strict-tensix"]));
    assert!(!usual.contains("FAULT "), "{usual}");
    for (test, writer, file) in [
        (
            "wormhole_b0::group::reports::llk_97::waits=scalar_unit",
            "WRCFG",
            "order_packer_address.cpp",
        ),
        (
            "blackhole::group::reports::llk_97::waits=scalar_unit",
            "WRCFG",
            "order_packer_address.cpp",
        ),
        (
            "wormhole_b0::group::reports::metal_44077::waits=nothing",
            "REG2FLOP",
            "order_packer_flop.cpp",
        ),
    ] {
        let [reason, at, against] = fault(&strict, test);
        for named in [
            &format!("{writer} changes the address in L1 of packer 0"),
            "the PACR that TRISC2 pushed at pc 0x",
            "PACR.md",
            "p_stall::PACK) in between",
        ] {
            assert!(reason.contains(named), "{named}\n{reason}");
        }
        for party in [at, against] {
            assert!(party.contains("TRISC2, pc 0x") && party.contains(file), "{party}");
        }
    }
    assert_eq!(strict.matches("FAULT ").count(), 3, "{strict}");
}

/// The variants of an enumeration in a source file.
fn variants(file: &str, name: &str) -> Vec<String> {
    let source = std::fs::read_to_string(repository().join(file)).unwrap();
    let (_, rest) = source.split_once(&format!("pub enum {name} {{\n")).unwrap();
    let (body, _) = rest.split_once("\n}\n").unwrap();
    let lines = body.lines().filter_map(|line| line.strip_prefix("    "));
    let named = lines.filter(|line| line.starts_with(|first: char| first.is_ascii_uppercase()));
    let end = |line: &str| line.find(|one: char| !one.is_alphanumeric()).unwrap_or(line.len());
    named.map(|line| format!("{name}::{}", &line[..end(line)])).collect()
}

#[test]
fn the_table_of_findings_has_each_hazard_and_tests_that_exist() {
    let page = repository().join("runtime/sim/src/observers/races.rs");
    let page = std::fs::read_to_string(page).unwrap();
    let (_, table) = page.split_once("//! ## Findings\n").unwrap();
    let rows = table.lines().take_while(|line| line.starts_with("//!"));
    let rows = rows.filter_map(|line| line.strip_prefix("//! | ")?.strip_suffix(" |"));
    let rows: Vec<Vec<_>> = rows.skip(1).map(|row| row.split(" | ").collect()).collect();
    let mut list = command(&repository());
    let tests = text(
        &list.args(["list", "--arch", "wormhole_b0", "--arch", "blackhole"]).output().unwrap(),
    );
    let exists = |name: &str| {
        ["wormhole_b0", "blackhole"]
            .iter()
            .any(|chip| tests.lines().any(|test| test == format!("{chip}::{name}")))
    };
    for row in &rows {
        let [_, page, with, without] = row.as_slice() else { panic!("{row:?}") };
        assert!(page.ends_with(".md`"), "{row:?}");
        for test in [with, without] {
            assert!(exists(test.trim_matches('`')), "{test}");
        }
        assert_ne!(with, without);
    }
    let hazards = [
        variants("runtime/sim/tensix/src/order.rs", "Lack"),
        variants("runtime/sim/tensix/src/destination_order.rs", "Hazard"),
    ];
    assert_eq!(hazards.each_ref().map(Vec::len), [6, 6]);
    for hazard in hazards.iter().flatten() {
        let has_row = |row: &Vec<&str>| row.first().unwrap().starts_with(&format!("`{hazard}`: "));
        assert!(rows.iter().any(has_row), "{hazard} has no row");
    }
}
