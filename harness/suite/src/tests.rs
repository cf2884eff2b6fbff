//! The texts that a person sees who makes a mistake, and what a correct suite becomes.

use std::path::Path;

use hallmark_chip::Architecture;
use hallmark_schema::commands;
use hallmark_schema::model::{Command, Expectation};

use super::discover::{LoadedSuite, ResolveError, Root, SuiteFile, known_architectures};
use super::mistake::SuiteMistakes;

mod cases_alone;
mod matrices;
mod values;

fn root_with(text: &str) -> (tempfile::TempDir, Root) {
    let folder = tempfile::tempdir().unwrap();
    let group = folder.path().join("suites/group");
    std::fs::create_dir_all(&group).unwrap();
    std::fs::write(group.join("suite.yaml"), text).unwrap();
    std::fs::create_dir(folder.path().join("suites/kernels")).unwrap();
    for kernel in ["dram_loopback", "echo", "mine"] {
        std::fs::write(folder.path().join(format!("suites/kernels/{kernel}.cpp")), "").unwrap();
    }
    let root = Root::at(folder.path()).unwrap();
    (folder, root)
}

fn file() -> SuiteFile {
    SuiteFile { group: "group".to_owned(), suite: "suite".to_owned() }
}

fn load(text: &str) -> Result<LoadedSuite, SuiteMistakes> {
    let (_folder, root) = root_with(text);
    let suite = root.load(&file())?;
    suite.check(&known_architectures())?;
    Ok(suite)
}

fn mistakes(text: &str) -> String {
    load(text).map_or_else(|mistakes| mistakes.to_string(), |_| "no mistake".to_owned())
}

const LOOPBACK: &str = include_str!("testdata/loopback.yaml");

fn bound(text: &str, test: &str) -> super::bound::BoundTest {
    let (_folder, root) = root_with(text);
    root.test(&test.parse().unwrap())
        .unwrap()
        .bind()
        .unwrap_or_else(|mistakes| panic!("{mistakes}"))
}

#[test]
fn the_example_has_the_tests_that_it_says() {
    let suite = load(LOOPBACK).unwrap_or_else(|mistakes| panic!("{mistakes}"));
    let names: Vec<String> =
        suite.tests(&[Architecture::WormholeB0]).iter().map(|test| test.name.to_string()).collect();
    insta::assert_snapshot!(names.join("\n"));
}

#[test]
fn a_test_binds_itself_from_its_name() {
    let bound = bound(
        LOOPBACK,
        "wormhole_b0::group::suite::one_core::pages=7::page_size=2048::processor=riscv_1",
    );
    let json = serde_json::to_string_pretty(&bound.case).unwrap();
    let again: super::bound::BoundCase = serde_json::from_str(&json).unwrap();
    assert_eq!(again, bound.case);
    assert_eq!(bound.outputs.len(), 1);
    assert_eq!(bound.outputs[0].bytes.as_ref().unwrap().len(), 7 * 2048);
    let Command::CreateBuffer(commands::CreateBuffer { size, page_size, .. }) =
        bound.case.steps[0].command
    else {
        panic!("{json}");
    };
    assert_eq!((size, page_size), (7 * 2048, 2048));
}

#[test]
fn names_that_lead_nowhere_say_what_there_is() {
    let (_folder, root) = root_with(LOOPBACK);
    let explain = |name: &str| match root.test(&name.parse().unwrap()) {
        Err(error @ ResolveError::NoSuchTest { .. }) => error.to_string(),
        other => panic!("{other:?}"),
    };
    let texts = [
        explain("wormhole_b0::group::suite::one_cor::pages=7::page_size=2048::processor=riscv_1"),
        explain("wormhole_b0::group::suite::one_core::pages=7"),
        explain("wormhole_b0::group::suite::one_core::pages=8::page_size=2048::processor=riscv_1"),
        explain("wormhole_b0::group::suite::one_core::pages=64::page_size=32::processor=riscv_1"),
        explain("wormhole_b0::group::other::one_core"),
        explain("wormhole_b0::group::suite::page_size_must_divide::x=1"),
    ];
    insta::assert_snapshot!(texts.join("\n"));
}

/// One typing mistake is one mistake, though the key that it means is required.
#[test]
fn a_misspelt_key_is_not_missing_as_well() {
    let with = |wrong: &str| {
        let text = LOOPBACK.replacen(", page_size: page_size", wrong, 1);
        assert_ne!(text, LOOPBACK);
        mistakes(&text)
    };
    let said = with(", page_sze: page_size");
    assert!(said.contains("unknown key `page_sze` in `create_buffer`"), "{said}");
    assert!(said.contains("did you mean `page_size`?"), "{said}");
    assert_eq!(said.matches("error: ").count(), 1, "{said}");
    // An unknown key that resembles none is one mistake, and the missing key is another.
    let said = with(", colour: 7");
    assert!(said.contains("unknown key `colour`") && said.contains("needs `page_size`"), "{said}");
    assert_eq!(said.matches("error: ").count(), 2, "{said}");
}

#[test]
fn two_mistakes_are_both_shown() {
    let text =
        LOOPBACK.replacen("- create_buffer: { id: dst", "- create_bufer: { id: dst", 1).replace(
            "{ buffer: src }, { buffer: dst }, pages",
            "{ buffer: scr }, { buffer: dst }, pages",
        );
    insta::assert_snapshot!(mistakes(&text));
}

#[test]
fn wrong_objects_are_found_with_what_is_defined() {
    let text = LOOPBACK
        .replace(
            "{ buffer: src }, { buffer: dst }, pages",
            "{ buffer: scr }, { buffer: dst }, pages",
        )
        .replace("kernel: copy\n", "kernel: cpy\n")
        .replace(
            "pages * page_size, page_size: page_size",
            "pages * page_sze, page_size: page_size",
        )
        .replace("processor: =processor", "processor: =proc")
        .replace("equal: [out, src]", "equal: [out, dst]");
    insta::assert_snapshot!(mistakes(&text));
}

/// A definition may be empty, as in `#define FAST`; a name of a kernel's source may not.
#[test]
fn a_definition_may_be_empty() {
    let with = |value: &str| {
        LOOPBACK.replace(
            "          kernel: copy\n",
            &format!("          kernel: copy\n          defines: {{ FAST: {value} }}\n"),
        )
    };
    assert_ne!(with("\"\""), LOOPBACK);
    for value in ["\"\"", "\"  \"", "1"] {
        assert_eq!(mistakes(&with(value)), "no mistake", "{value}");
    }
    let said = mistakes(&with("[]"));
    assert!(said.contains("expected a text, found a list"), "{said}");
    let said = mistakes(&LOOPBACK.replace("kernels/dram_loopback.cpp", "\"\""));
    assert!(said.contains("expected a text, found an empty one"), "{said}");
}

fn case(steps: &str) -> String {
    format!("about: A test.\ncases:\n  one:\n    about: One.\n    steps:\n{steps}")
}

#[test]
fn mistakes_of_every_kind() {
    let base = "      - create_buffer: { id: a, type: dram, size: 64, page_size: 32 }\n";
    let texts: Vec<String> = [
        case("      - create_buffer: { id: a, type: dramm, size: 64, page_size: 32, colour: red }\n"),
        case("      - create_buffer: { id: a, type: dram, size: 64 / 0, page_size: [32] }\n"),
        case(&format!("{base}      - enqueue_read_buffer: {{ buffer: a, as: out }}\n")),
        case(&format!("{base}      - finish: {{}}\n")),
        case(&format!("{base}        expect_error: {{ code: SizeNotPageMultipl, size: 1 }}\n")),
        case(&format!("{base}        expect_error: {{ code: SizeNotPageMultiple, size: 1 }}\n")),
        case(&format!("{base}        expect_error: {{ code: OutOfMemory, buffer_type: l2, size: 64, banks: 12 }}\n")),
        case(&format!("{base}{base}        expect_error: {{ code: EmptyCoreRange }}\n")),
        case(&format!("{base}      - finish: {{}}\n        expect_fault: {{ category: DataRace }}\n")),
        case(&format!("{base}      - enqueue_write_buffer: {{ buffer: a, data: {{ unifrm: uint32, seed: 7 }} }}\n")),
        case(&format!("{base}      - enqueue_read_buffer: {{ buffer: a, as: out }}\n      - finish: {{}}\n    expect:\n      - equal: [out, {{ words: [1, 2] }}]\n")),
        case(&format!("{base}      - enqueue_read_buffer: {{ buffer: a, as: out }}\n      - finish: {{}}\n    expect:\n      - equal: [out, a]\n")),
        case(&format!("{base}      - create_kernel: {{ id: k, program: p, kernel: x, cores: [0], processor: riscv_0 }}\n")),
        "about: x\ncases: {}\n".to_owned(),
        "about: x\ncases:\n  a b: { about: x, steps: [] }\n".to_owned(),
        "about: x\ncases:\n  a: { about: x, steps: [], matrix: { p: [1, 1], q: [], exclude: [{ r: 1 }] } }\n".to_owned(),
        "about: x\nabout: y\ncases: {}\n".to_owned(),
        "about: [x\n".to_owned(),
        "a: &x [1]\nb: *x\n".to_owned(),
        "- a\n".to_owned(),
        String::new(),
    ]
    .iter()
    .map(|text| mistakes(text))
    .collect();
    insta::assert_snapshot!(texts.join("\n────\n"));
}

/// What is not YAML is pointed at where it has to be edited, and not where the parser gives up.
#[test]
fn syntax_errors_point_at_their_own_line() {
    let texts: Vec<String> = [
        LOOPBACK.replace("size: 100, page_size: 64 }\n", "size: 100, page_size: 64\n"),
        LOOPBACK.replace(
            "compile_args: [{ accessor: src }, { accessor: dst }]",
            "compile_args: [{ accessor: src }, { accessor: dst }",
        ),
        LOOPBACK.replace(
            "- enqueue_program: { program: loop }",
            "- enqueue_program: { program: loop }}",
        ),
        LOOPBACK.replace("pages: [1, 7, 64]", "pages: [1, 7, 64}"),
        LOOPBACK.replace("page_size: [32, 2048]", "\tpage_size: [32, 2048]"),
        LOOPBACK.replace("      - finish: {}", "     - finish: {}"),
        LOOPBACK.replace("          noc: noc_0", "         noc: noc_0"),
        LOOPBACK.replace("          noc: noc_0", "          noc noc_0"),
        LOOPBACK.replace("about: Every page", "about: Well: every page"),
        LOOPBACK.replace("about: Every page", "about: \"Every page"),
        LOOPBACK.replace("program: loop }", "program: loop, program: loop }"),
        LOOPBACK.replace("about: Every page", "about: @every page"),
        format!("{LOOPBACK}---\nabout: x\n"),
    ]
    .iter()
    .map(|text| {
        assert_ne!(text, LOOPBACK);
        mistakes(text)
    })
    .collect();
    insta::assert_snapshot!(texts.join("\n────\n"));
}

/// A call without fields, and one that is missing.
#[test]
fn a_forgotten_finish_is_suggested() {
    let with = |finish: &str| {
        mistakes(&case(&format!(
            "      - create_buffer: {{ id: a, type: dram, size: 64, page_size: 64 }}
      - enqueue_write_buffer: {{ buffer: a, data: {{ uniform: uint32, seed: 7 }} }}
      - enqueue_read_buffer: {{ buffer: a, as: out }}
{finish}    expect:
      - equal: [out, a]
"
        )))
    };
    assert_eq!(with("      - finish: {}\n"), "no mistake");
    assert_eq!(with("      - synchronize: {}\n"), "no mistake");
    let texts = [
        with(""),
        with("      - finish\n"),
        with("      - finish:\n"),
        with("      - finsh\n"),
        with("      - create_program\n"),
        with("      - wait for it\n"),
    ];
    insta::assert_snapshot!(texts.join("\n────\n"));
}

/// What depends on a mistake is no further mistake.
#[test]
fn one_wrong_name_is_one_mistake() {
    let variables = LOOPBACK
        .replace("    steps:\n      - create_buffer: { id: src", "    variables: { total: pags * page_size }\n    steps:\n      - create_buffer: { id: src")
        .replace("size: pages * page_size,", "size: total,");
    let texts: Vec<String> = [
        variables,
        LOOPBACK.replace("size: pages * page_size,", "size: pages * pagesize,"),
        LOOPBACK.replace("{ id: src, type", "{ id: sorce, type"),
        LOOPBACK.replace("kernel: copy\n", "kernel: cpy\n"),
        LOOPBACK.replace("processor: =processor", "processor: =proc"),
        LOOPBACK.replace("seed: 7", "seed: sed"),
        LOOPBACK.replace("create_program: { id: loop }", "create_program: { id: =loop }"),
        LOOPBACK.replace("source: kernels/dram_loopback.cpp", "source: kernels/dram_lopback.cpp"),
    ]
    .iter()
    .map(|text| {
        assert_ne!(text, LOOPBACK);
        let text = mistakes(text);
        assert!(text.ends_with("1 mistake in 1 file; nothing runs until it is fixed"), "{text}");
        text
    })
    .collect();
    insta::assert_snapshot!(texts.join("\n────\n"));
}

#[test]
fn yaml_bombs_are_refused_quickly() {
    // Processor time, which other processes do not lengthen.
    let processor_time =
        || rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime).tv_sec;
    let start = processor_time();
    let mut laughs = "a: &a [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for (from, to) in ('a'..'k').zip('b'..='k') {
        laughs.push_str(&format!(
            "{to}: &{to} [*{from}, *{from}, *{from}, *{from}, *{from}, *{from}]\n"
        ));
    }
    for bomb in [
        laughs,
        "[".repeat(100_000),
        format!("a: {}", "{b: ".repeat(10_000)),
        format!("about: {}", "x".repeat(5 << 20)),
        "- a\n".repeat(900_000),
        "--- a\n".repeat(1000),
    ] {
        let text = mistakes(&bomb);
        assert!(text.ends_with("1 mistake in 1 file; nothing runs until it is fixed"), "{text}");
        assert!(text.len() < 1000, "{text}");
    }
    assert!(processor_time() - start < 20);
}

/// A listing of tests comes before the check of their suites.
#[test]
fn a_matrix_with_too_many_tests_is_a_mistake_before_they_are_listed() {
    let suite = |last: usize| {
        let values = |count: usize| (0..count).map(|it| format!("{it}, ")).collect::<String>();
        let matrix = format!("{{ a: [{}], b: [{}] }}", values(1000), values(last));
        let text = case("      - finish: {}\n")
            .replace("    steps:", &format!("    matrix: {matrix}\n    steps:"));
        root_with(&text).1.load(&file()).unwrap()
    };
    let listed = |suite: &LoadedSuite| suite.tests(&[Architecture::WormholeB0]).len();
    assert_eq!(listed(&suite(100)), 100_000);
    let too_many = suite(101);
    assert!((1..100).contains(&listed(&too_many)));
    let mistakes = too_many.check(&[Architecture::WormholeB0]).unwrap_err().to_string();
    assert!(mistakes.contains("this matrix has 101000 combinations"), "{mistakes}");
}

#[test]
fn computed_expectations() {
    let text = case(
        "      - create_buffer: { id: a, type: dram, size: 32, page_size: 32 }
      - create_buffer: { id: b, type: l1, size: 32, page_size: 16 }
      - enqueue_write_buffer: { buffer: a, data: { words: [1, 2, 3, 4, 5, 6, 7, 8] } }
      - enqueue_write_buffer: { buffer: b, data: { words: [10, 20, 30, 40, 50, 60, 70, 0xFFFFFFFF] } }
      - enqueue_read_buffer: { buffer: a, as: sum }
      - enqueue_read_buffer: { buffer: a, as: halves }
      - enqueue_read_buffer: { buffer: a, as: indices }
      - enqueue_read_buffer: { buffer: a, as: totals }
      - finish: {}
    expect:
      - equal: [sum, { map: uint32, of: [a, b], value: a + b }]
      - equal: [halves, { concatenate: [{ slice: b, offset: 16, length: 16 }, { slice: a, offset: 0, length: 16 }] }]
      - equal: [indices, { map: uint32, value: index * index + dram_banks, count: 8 }]
      - equal: [totals, { repeat: { reduce: a, type: uint32, with: sum, group: 4 }, times: 4 }]
",
    );
    let bound = bound(&text, "wormhole_b0::group::suite::one");
    let words = |place: usize| -> Vec<u32> {
        let bytes = bound.outputs[place].bytes.as_ref().unwrap();
        bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
    };
    assert_eq!(words(0), [11, 22, 33, 44, 55, 66, 77, 7]);
    assert_eq!(words(1), [50, 60, 70, u32::MAX, 1, 2, 3, 4]);
    assert_eq!(words(2), [12, 13, 16, 21, 28, 37, 48, 61]);
    assert_eq!(words(3), [10, 26, 10, 26, 10, 26, 10, 26]);
}

#[test]
fn elements_in_another_order_and_computed_floats() {
    let text = case(
        "      - create_buffer: { id: a, type: dram, size: 32, page_size: 32 }
      - create_buffer: { id: b, type: l1, size: 32, page_size: 16 }
      - create_buffer: { id: c, type: l1, size: 8, page_size: 8 }
      - enqueue_write_buffer: { buffer: a, data: { sequence: uint32, start: 10 } }
      - enqueue_write_buffer: { buffer: b, data: { constant: float32, value: 0.1 } }
      - enqueue_write_buffer: { buffer: b, data: { words: [0x3f800000, 0x40000000, 0xc0400000, 0x7f800000, 0, 0x3f000000, 0x3e800000, 0x3e000000] }, as: f }
      - enqueue_write_buffer: { buffer: c, data: { words: [7, 0] }, as: places }
      - enqueue_read_buffer: { buffer: a, as: transposed }
      - enqueue_read_buffer: { buffer: c, as: picked }
      - enqueue_read_buffer: { buffer: b, as: fused }
      - enqueue_read_buffer: { buffer: c, as: sums }
      - enqueue_read_buffer: { buffer: c, as: largest }
      - enqueue_read_buffer: { buffer: b, as: odd }
      - finish: {}
    expect:
      - equal: [transposed, { permute: a, type: uint32, from: index % 2 * 4 + index / 2 }]
      - equal: [picked, { gather: a, type: uint32, at: places }]
      - equal: [fused, { map: float32, of: [f], value: f * 0.5 + 1 / 4 }]
      - equal: [sums, { reduce: f, type: float32, with: sum, group: 4 }]
      - equal: [largest, { reduce: { slice: f, offset: 16, length: 16 }, type: float32, with: max, group: 2 }]
      - equal: [odd, { permute: { words: [0x00020001, 0x00040003] }, type: uint16, from: 3 - index / 4, count: 16 }]
",
    );
    let bound = bound(&text, "wormhole_b0::group::suite::one");
    let words = |place: usize| -> Vec<u32> {
        let bytes = bound.outputs[place].bytes.as_ref().unwrap();
        bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
    };
    let floats = |place: usize| words(place).into_iter().map(f32::from_bits).collect::<Vec<f32>>();
    assert_eq!(words(0), [10, 14, 11, 15, 12, 16, 13, 17]);
    assert_eq!(words(1), [17, 10]);
    assert_eq!(floats(2), [0.75, 1.25, -1.25, f32::INFINITY, 0.25, 0.5, 0.375, 0.3125]);
    assert_eq!(floats(3), [f32::INFINITY, 0.875]);
    assert_eq!(floats(4), [0.5, 0.25]);
    let [fours, threes] = [0x0004_0004, 0x0003_0003];
    assert_eq!(words(5), [fours, fours, threes, threes, 0x20002, 0x20002, 0x10001, 0x10001]);
}

#[test]
fn computed_values_have_names_and_an_order() {
    let text = case(
        "      - create_buffer: { id: a, type: dram, size: 24, page_size: 24 }
      - create_buffer: { id: b, type: l1, size: 24, page_size: 24 }
      - create_buffer: { id: c, type: l1, size: 16, page_size: 16 }
      - enqueue_write_buffer: { buffer: a, data: { sequence: int32, start: 1 } }
      - enqueue_write_buffer: { buffer: b, data: { words: [10, 20, -30, 40, 50, 0x80000000] } }
      - enqueue_write_buffer: { buffer: c, data: { words: [0x3f800000, 0xff800000, 0xc0400000, 0x80000000] }, as: f }
      - enqueue_read_buffer: { buffer: c, as: product }
      - enqueue_read_buffer: { buffer: b, as: signed }
      - enqueue_read_buffer: { buffer: b, as: unsigned }
      - enqueue_read_buffer: { buffer: c, as: floats }
      - finish: {}
    expect:
      # The product of a, 2 x 3, and b, 3 x 2
      - equal:
          - product
          - reduce:
              map: int32
              with:
                x: { permute: a, type: int32, from: index / 6 * 3 + index % 3, count: 12 }
                y: { permute: b, type: int32, from: index % 3 * 2 + index / 3 % 2, count: 12 }
              value: x * y
            type: int32
            with: sum
            group: 3
      - equal: [signed, { sort: b, type: int32 }]
      - equal: [unsigned, { sort: b, type: uint32 }]
      - equal: [floats, { sort: f, type: float32 }]
",
    );
    let bound = bound(&text, "wormhole_b0::group::suite::one");
    let words = |place: usize| -> Vec<u32> {
        let bytes = bound.outputs[place].bytes.as_ref().unwrap();
        bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
    };
    // 1*10 - 2*30 + 3*50, 20 + 80 + 3 * 2^31, 4*10 - 5*30 + 6*50, 80 + 200 + 6 * 2^31
    assert_eq!(words(0), [100, 0x8000_0064, 190, 280]);
    let least = (-30_i32).cast_unsigned();
    assert_eq!(words(1), [0x8000_0000, least, 10, 20, 40, 50]);
    assert_eq!(words(2), [10, 20, 40, 50, 0x8000_0000, least]);
    assert_eq!(words(3), [0xff80_0000, 0xc040_0000, 0x8000_0000, 0x3f80_0000]);
}

#[test]
fn a_tolerance_stands_beside_its_reference() {
    let text = case(
        "      - create_buffer: { id: a, type: dram, size: 32, page_size: 32 }
      - enqueue_write_buffer: { buffer: a, data: { normal: float16, seed: 1 } }
      - enqueue_read_buffer: { buffer: a, as: out }
      - enqueue_read_buffer: { buffer: a, as: made }
      - finish: {}
    expect:
      - near: [out, a]
        type: float16
        ulp: 2
        relative: 1e-3
        absolute: 1 / 1024
        reason: rounding
      - near: [made, { map: float16, of: [a], value: a * a }]
        type: float16
        absolute: 3
        reason: rounding
",
    );
    let bound = bound(&text, "wormhole_b0::group::suite::one");
    let expectations: Vec<(bool, String)> = bound
        .case
        .steps
        .iter()
        .filter_map(|step| match &step.command {
            Command::EnqueueReadBuffer(commands::EnqueueReadBuffer {
                expectation: Expectation::Reference { data, tolerance },
                ..
            }) => Some((data.generator.is_some(), tolerance.limits())),
            _ => None,
        })
        .collect();
    let limits = "2 units in the last place or 0.0009765625 or 0.001×|reference|";
    assert_eq!(expectations, [(true, limits.to_owned()), (false, "3".to_owned())]);
    // What no generator makes travels with the test.
    assert_eq!(bound.blobs.len(), 1);
}

#[test]
fn mistakes_in_computed_values() {
    let expecting = |expect: &str| {
        mistakes(&case(&format!(
            "      - create_buffer: {{ id: a, type: dram, size: 32, page_size: 32 }}
      - enqueue_write_buffer: {{ buffer: a, data: {{ uniform: uint32, seed: 1 }} }}
      - enqueue_read_buffer: {{ buffer: a, as: out }}
      - finish: {{}}
    expect:
      - {expect}
"
        )))
    };
    let texts = [
        expecting("equal: [out, { permute: a, type: uint32, from: index + 1 }]"),
        expecting("equal: [out, { permute: a, type: uint32, form: index }]"),
        expecting("equal: [out, { gather: a, type: uint32, at: b }]"),
        expecting("equal: [out, { gathr: a, type: uint32, at: a }]"),
        expecting("equal: [out, { sort: { slice: a, offset: 0, length: 7 }, type: uint32 }]"),
        expecting("equal: [out, { map: uint32, of: [a], with: { a: a }, value: a }]"),
        expecting("equal: [out, { map: uint32, with: { index: a }, value: index }]"),
        expecting("equal: [out, { map: float32, of: [a], value: a and 1 }]"),
        expecting("equal: [out, { map: uint32, of: [a], value: a * 0.5 }]"),
        expecting("equal: [out, { reduce: a, type: float32, with: xor }]"),
        expecting("equal: [out, { uniform: int8, seed: 1, min: -200, max: 0 }]"),
        expecting("equal: [out, { uniform: float32, seed: 1, max: 1.5 }]"),
        expecting("equal: [out, { normal: float32, seed: 1, deviation: -0.5 }]"),
        expecting("equal: [out, { constant: float16, value: 1e6 }]"),
        expecting("near: [out, a]"),
        expecting("{ near: [out, a], type: float32, reason: x }"),
        expecting("{ near: [out, a], type: float32, relative: -0.1, reason: x }"),
        expecting("{ near: [out, a], type: float32, pcc: 0, reason: x }"),
        expecting("{ near: [out, a], type: float32, pcc: 1.01, reason: x }"),
        expecting("{ near: [out], type: float32, ulps: 1, reason: x }"),
        expecting(&format!(
            "{{ near: [out, {{ hash: {} }}], type: float32, ulp: 1, reason: x }}",
            "0ab1".repeat(16)
        )),
        expecting("nearly: [out, a]"),
        case("      - create_buffer: { id: a, type: dram, size: 0.5, page_size: 32 }\n"),
    ]
    .map(|text| if text.starts_with("about") { mistakes(&text) } else { text });
    insta::assert_snapshot!(texts.join("\n────\n"));
}

#[test]
fn files_in_wrong_places_are_mistakes() {
    let (folder, root) = root_with(&case(""));
    std::fs::write(folder.path().join("suites/stray.yaml"), "x").unwrap();
    let text = root.suite_files().unwrap_err().to_string();
    assert!(text.contains("`suites/stray.yaml` is in the wrong place"), "{text}");
    assert!(Root::above(Path::new("/nonexistent/x")).is_err());
}

#[test]
fn a_file_that_looks_like_a_suite_is_not_left_out_in_silence() {
    for (name, problem) in [
        ("group/other.yml", Some("has an ending that no suite has")),
        ("group/other.YAML", Some("has an ending that no suite has")),
        ("other.yml", Some("has an ending that no suite has")),
        ("group/link.yaml", Some("is a symbolic link")),
        ("linked", Some("is a symbolic link")),
        ("fragments/linked.yaml", Some("is a symbolic link")),
        ("conformance-profiles/linked.yaml", Some("is a symbolic link")),
        ("kernels/linked.h", Some("is a symbolic link")),
        ("fragments/other.yml", None),
        ("group/notes.txt", None),
        ("group/.#suite.yaml", None),
        ("kernels/.#copy.cpp", None),
        ("group/yml", None),
        ("group/dangling.yaml", Some("is a symbolic link")),
        ("more_kernels", Some("is a symbolic link")),
    ] {
        let (folder, root) = root_with(&case(""));
        let elsewhere = tempfile::tempdir().unwrap();
        let suite = elsewhere.path().join("a.yaml");
        std::fs::write(&suite, "x").unwrap();
        let path = folder.path().join("suites").join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let link = std::os::unix::fs::symlink::<&Path, &Path>;
        match name {
            "group/link.yaml"
            | "fragments/linked.yaml"
            | "conformance-profiles/linked.yaml"
            | "kernels/linked.h" => link(&suite, &path).unwrap(),
            "linked" => link(elsewhere.path(), &path).unwrap(),
            "group/dangling.yaml" | "group/.#suite.yaml" | "kernels/.#copy.cpp" => {
                link(&elsewhere.path().join("nothing"), &path).unwrap()
            }
            "more_kernels" => {
                std::fs::remove_file(&suite).unwrap();
                link(elsewhere.path(), &path).unwrap();
            }
            _ => std::fs::write(&path, "x").unwrap(),
        }
        match (root.suite_files(), problem) {
            (Ok(files), None) => assert_eq!(files, [file()], "{name}"),
            (Err(mistakes), Some(problem)) => {
                let text = mistakes.to_string();
                assert!(text.contains(&format!("`suites/{name}` {problem}")), "{text}");
            }
            (other, _) => panic!("{name}: {other:?}"),
        }
    }
}

const ROUNDS: &str = "about: Rounds.
cases:
  rounds:
    about: Names of a round.
    steps:
      - create_buffer: { id: kept, type: dram, size: 64, page_size: 64 }
      - repeat:
          times: 3
          steps:
            - create_buffer: { id: b, type: dram, size: 64 * (round + 1), page_size: 64 }
            - enqueue_write_buffer: { buffer: b, data: { uniform: uint32, seed: round } }
            - enqueue_write_buffer: { buffer: kept, data: { uniform: uint32, seed: 10 + round } }
            - enqueue_read_buffer: { buffer: b, as: out }
            - deallocate_buffer: { buffer: b }
      - enqueue_read_buffer: { buffer: kept, as: last }
      - finish: {}
    expect:
      - equal: [out_0, b_0]
      - equal: [out_1, b_1]
      - equal: [out_2, b_2]
      - equal: [last, kept]
";

#[test]
fn a_round_names_what_it_makes() {
    let bound = bound(ROUNDS, "wormhole_b0::group::suite::rounds");
    assert_eq!(bound.case.steps.len(), 1 + 3 * 5 + 2);
    let made: Vec<(u32, &str, u64)> = bound
        .case
        .steps
        .iter()
        .filter_map(|step| match &step.command {
            Command::CreateBuffer(commands::CreateBuffer { buffer, name, size, .. }) => {
                Some((buffer.0, name.as_str(), *size))
            }
            _ => None,
        })
        .collect();
    assert_eq!(made, [(0, "kept", 64), (1, "b_0", 64), (2, "b_1", 128), (3, "b_2", 192)]);
    let gone: Vec<u32> = bound
        .case
        .steps
        .iter()
        .filter_map(|step| match step.command {
            Command::DeallocateBuffer(commands::DeallocateBuffer { buffer }) => Some(buffer.0),
            _ => None,
        })
        .collect();
    assert_eq!(gone, [1, 2, 3]);
    let lengths: Vec<usize> =
        bound.outputs.iter().map(|output| output.bytes.as_ref().unwrap().len()).collect();
    assert_eq!(lengths, [64, 128, 192, 64]);
}

#[test]
fn rounds_that_cannot_be() {
    let many = mistakes(&ROUNDS.replace("times: 3", "times: 1000000"));
    assert!(many.contains("1000000 rounds make too many steps"), "{many}");
    let negative = mistakes(&ROUNDS.replace("times: 3", "times: 0 - 1"));
    assert!(negative.contains("out of range"), "{negative}");
    let taken = mistakes(&ROUNDS.replace(
        "    steps:\n      - create",
        "    variables: { round: 1 }\n    steps:\n      - create",
    ));
    assert!(taken.contains("`round` is a parameter or variable"), "{taken}");
    let outside = mistakes(&ROUNDS.replace("equal: [last, kept]", "equal: [last, b]"));
    assert!(outside.contains("`b`"), "{outside}");
    let nested = mistakes(&ROUNDS.replace(
        "            - deallocate_buffer: { buffer: b }",
        "            - repeat: { times: 2, steps: [ finish: {} ] }",
    ));
    assert!(nested.contains("cannot contain a `repeat`"), "{nested}");
    let wrong = mistakes(&ROUNDS.replace("seed: round", "seed: rund"));
    assert!(wrong.contains("1 mistake in 1 file"), "{wrong}");
}

/// An integer division would make a sequence of 0.
#[test]
fn a_sequence_has_no_fractions() {
    let with = |data: &str| {
        mistakes(&format!(
            "about: A sequence.
cases:
  sequence:
    about: It is written and read.
    steps:
      - create_buffer: {{ id: a, type: dram, size: 64, page_size: 64 }}
      - enqueue_write_buffer: {{ buffer: a, data: {data} }}
      - enqueue_read_buffer: {{ buffer: a, as: out }}
      - finish: {{}}
    expect:
      - equal: [out, a]
"
        ))
    };
    for whole in ["start: 4 / 2, step: 3", "start: 2.0"] {
        assert_eq!(with(&format!("{{ sequence: float32, {whole} }}")), "no mistake", "{whole}");
    }
    // Whole numbers are divided as such.
    assert_eq!(with("{ sequence: int32, start: 7 / 2 }"), "no mistake");
    for (fraction, value) in
        [("step: 1 / 4", "0.25"), ("start: 0.5", "0.5"), ("start: 7 / 2", "3.5")]
    {
        let text = with(&format!("{{ sequence: bfloat16, {fraction} }}"));
        let words = format!("{value} is not a whole number, and a sequence has no fractions");
        assert!(text.contains(&words) && text.contains("`uniform` with `min` and `max`"), "{text}");
    }
    let text = with("{ sequence: float16_b }");
    assert!(text.contains("a data type calls it `bfloat16`"), "{text}");
}

#[test]
fn budgets_have_limits() {
    let text =
        ROUNDS.replace("    steps:\n      - create", "    budget: 10\n    steps:\n      - create");
    let text = mistakes(&text);
    assert!(text.contains("this budget is out of range"), "{text}");
    assert!(text.contains("1000 to 1000000000000 ticks"), "{text}");
}

/// Bytes are loaded under the name of a step that collects them.
#[test]
fn traces_are_loaded_from_what_was_collected() {
    let with = |load: &str| {
        mistakes(&format!(
            "about: Traces.
cases:
  traces:
    about: One is collected, another one cannot be.
    device: {{ trace_region_size: 1024 }}
    steps:
      - begin_trace_capture: {{ id: t }}
      - collect_trace: {{ trace: t, as: early }}
        expect_error: {{ code: TraceNotCaptured, trace: t }}
      - end_trace_capture: {{ trace: t }}
      - collect_trace: {{ trace: t, as: bytes }}
      - load_trace: {load}
"
        ))
    };
    assert_eq!(with("{ id: again, from: bytes }"), "no mistake");
    let text = with("{ id: again, from: byte }");
    assert!(text.contains("collected trace `byte` is not defined here"), "{text}");
    assert!(text.contains("defined so far: `early`, `bytes`"), "{text}");
    let text = with("{ id: again, from: early }");
    assert!(text.contains("trace `early` is never collected"), "{text}");
    let text = with("{ id: t, from: bytes }");
    assert!(text.contains("trace `t` is already defined in this case"), "{text}");
    let text = with("{ id: again, from: bytes, buffers: { a: b } }");
    assert!(text.contains("buffer `a` is not defined here"), "{text}");
    assert!(text.contains("buffer `b` is not defined here"), "{text}");
}

/// What a case sets of dispatch reaches the workers, and stands in no call.
#[test]
fn dispatch_is_set_beside_the_program() {
    let with = |device: &str| {
        LOOPBACK
            .replace("    steps:\n      - create", &format!("{device}    steps:\n      - create"))
    };
    let test = "wormhole_b0::group::suite::one_core::pages=7::page_size=2048::processor=riscv_1";
    let plain = bound(LOOPBACK, test);
    let asked = "    device: { dispatch: { ring_size: 2 * 4096, first_count: 0xFFFFFFFE } }\n";
    let set = bound(&with(asked), test);
    assert_eq!(
        (set.asked.dispatch.ring_size, set.asked.dispatch.first_count),
        (8192, u32::MAX - 1)
    );
    assert_eq!(set.asked.dispatch.completion_size, plain.asked.dispatch.completion_size);
    assert!(
        set.case.steps.iter().map(|step| &step.command).eq(plain
            .case
            .steps
            .iter()
            .map(|step| &step.command))
    );
    for wrong in ["ring_size: 5000", "completion_size: 64", "first_position: 8", "first_count: 3"] {
        let text = mistakes(&with(&format!("    device: {{ dispatch: {{ {wrong} }} }}\n")));
        assert!(text.contains("no dispatcher can use these numbers"), "{text}");
        assert!(text.contains("nearest are a ring of"), "{text}");
    }
}

#[test]
fn mistakes_of_all_points_are_shown_once_each() {
    let text = mistakes(
        "about: Points.
cases:
  points:
    about: Two points are wrong in one way, one in another.
    matrix: { size: [1, 2, 3, 4] }
    steps:
      - create_buffer: { id: a, type: dram, size: 64 / (size - 2), page_size: 100 - 30 * size }
        expect_error: { code: PageSizeInvalid, page_size: 1, alignment: 4 }
",
    );
    insta::assert_snapshot!(text);
}

#[test]
fn a_mistake_on_one_architecture_says_on_which() {
    let text = mistakes(
        "about: Points.
cases:
  points:
    about: Wrong on Blackhole, whose pages are aligned to 64 bytes.
    steps:
      - create_buffer: { id: a, type: dram, size: 64 / (64 - dram_alignment), page_size: 2 }
",
    );
    assert!(text.contains("(on blackhole)"), "{text}");
}

/// The numbers of the three architectures as their documents give them, not as the tables do.
#[test]
fn built_in_numbers_are_the_architecture_s() {
    let words = "grid_columns, grid_rows, dram_banks, dram_bank_size / 1024, dram_alignment, l1_banks, \
                 l1_size, l1_alignment, circular_buffers, largest_noc_packet, own, 2 * own";
    let text = format!(
        "about: Numbers.
cases:
  numbers:
    about: All of them.
    variables: {{ own: {{ grayskull: 1, wormhole_b0: 9 + 9, blackhole: grid_rows }} }}
    steps:
      - create_buffer: {{ id: a, type: dram, size: 48, page_size: 48 }}
      - enqueue_write_buffer: {{ buffer: a, data: {{ words: [{words}] }} }}
      - enqueue_read_buffer: {{ buffer: a, as: out }}
      - finish: {{}}
    expect:
      - equal: [out, a]
"
    );
    let expected: [(&str, [u32; 12]); 3] = [
        ("grayskull", [12, 9, 8, 1 << 20, 32, 108, 1 << 20, 16, 32, 8192, 1, 2]),
        ("wormhole_b0", [8, 9, 12, 1 << 20, 32, 72, 1464 << 10, 16, 32, 8192, 18, 36]),
        ("blackhole", [13, 10, 8, 4_177_920, 64, 130, 1536 << 10, 16, 64, 16384, 10, 20]),
    ];
    for (architecture, expected) in expected {
        let bound = bound(&text, &format!("{architecture}::group::suite::numbers"));
        let bytes: Vec<u8> = expected.iter().flat_map(|word| word.to_le_bytes()).collect();
        assert_eq!(bound.outputs[0].bytes.as_deref(), Some(bytes.as_slice()), "{architecture}");
    }
}

#[test]
fn variables_by_architecture_that_cannot_be() {
    let with = |variable: &str| {
        let text = case(
            "      - create_buffer: { id: a, type: dram, size: 5 + 4 * own, page_size: 4 }
        expect_error: { code: SizeNotPageMultiple, size: 5 + 4 * own, page_size: 4 }\n",
        );
        text.replace("    steps:", &format!("    variables: {{ own: {variable} }}\n    steps:"))
    };
    assert_eq!(mistakes(&with("{ grayskull: 1, wormhole_b0: 2, blackhole: 3 }")), "no mistake");
    let unknown = mistakes(&with("{ grayskul: 1, wormhole_b0: 2, blackhole: 3 }"));
    assert!(unknown.contains("unknown architecture `grayskul`"), "{unknown}");
    assert!(unknown.contains("did you mean `grayskull`"), "{unknown}");
    let missing = mistakes(&with("{ grayskull: 1, blackhole: 3 }"));
    assert!(missing.contains("`own` has no value for wormhole_b0"), "{missing}");
    let taken = mistakes(&with("1").replace("own", "l1_banks"));
    let elsewhere = with("{ grayskull: 1, blackhole: 3 }").replace(
        "    steps:",
        "    when: { architectures: [grayskull, blackhole], reason: Not here. }\n    steps:",
    );
    assert_eq!(mistakes(&elsewhere), "no mistake");
    assert!(taken.contains("`l1_banks` is already a parameter or a built-in number"), "{taken}");
}

const FRAGMENTS: &str = "about: Shared.
kernels:
  echo: { source: kernels/echo.cpp }
fragments:
  write_and_read:
    about: A buffer, written and read.
    numbers: [pages, seed]
    names: [place]
    steps:
      - create_buffer: { id: b, type: =place, size: pages * 64, page_size: 64 }
      - enqueue_write_buffer: { buffer: b, data: { uniform: uint32, seed: seed } }
      - enqueue_read_buffer: { buffer: b, as: out }
  read_again:
    about: Something that the case made, read.
    names: [buffer]
    steps:
      - repeat:
          times: dram_banks - dram_banks + 2
          steps:
            - enqueue_read_buffer: { buffer: buffer, as: again }
  run_kernel:
    about: A kernel of this file, and one that is given.
    names: [kernel, where]
    steps:
      - create_program: { id: p }
      - create_kernel: { id: own, program: p, kernel: echo, cores: [0, 0], processor: =where }
      - create_kernel: { id: given, program: p, kernel: kernel, cores: [1, 0], processor: =where }
";

const USER: &str = "about: A user.
import: [fragments/shared.yaml]
kernels:
  mine: { source: kernels/mine.cpp }
cases:
  user:
    about: Uses fragments.
    matrix:
      shape: [{ label: small, pages: 1, buffer_type: l1 }, { label: large, pages: 9, buffer_type: dram }]
      processor: [riscv_0]
    steps:
      - use: { fragment: write_and_read, as: first, with: { pages: pages * 2, seed: 7, place: =buffer_type } }
      - use: { fragment: write_and_read, with: { pages: 1, seed: 8, place: dram } }
      - use: { fragment: read_again, as: more, with: { buffer: first_b } }
      - use: { fragment: run_kernel, with: { kernel: mine, where: =processor } }
      - finish: {}
    expect:
      - equal: [first_out, first_b]
      - equal: [out, b]
      - equal: [more_again_0, first_b]
      - equal: [more_again_1, first_b]
";

fn root_with_fragments(suite: &str, fragments: &str) -> (tempfile::TempDir, Root) {
    let (folder, root) = root_with(suite);
    std::fs::create_dir_all(folder.path().join("suites/fragments")).unwrap();
    std::fs::write(folder.path().join("suites/fragments/shared.yaml"), fragments).unwrap();
    (folder, root)
}

#[test]
fn fragments_are_steps_of_the_case_that_uses_them() {
    let (_folder, root) = root_with_fragments(USER, FRAGMENTS);
    let suite = root.load(&file()).unwrap_or_else(|mistakes| panic!("{mistakes}"));
    suite.check(&known_architectures()).unwrap_or_else(|mistakes| panic!("{mistakes}"));
    assert_eq!(root.suite_files().unwrap(), [file()], "a file of fragments is no suite");
    let name = "wormhole_b0::group::suite::user::shape=large::processor=riscv_0";
    let names: Vec<String> =
        suite.tests(&[Architecture::WormholeB0]).iter().map(|test| test.name.to_string()).collect();
    assert_eq!(names[1], name);
    let bound = root.test(&name.parse().unwrap()).unwrap().bind().unwrap();
    let steps = &bound.case.steps;
    let names: Vec<&str> = steps
        .iter()
        .filter_map(|step| match &step.command {
            Command::CreateBuffer(commands::CreateBuffer { name, .. })
            | Command::CreateKernel(commands::CreateKernel { name, .. }) => Some(name.as_str()),
            Command::EnqueueReadBuffer(commands::EnqueueReadBuffer { output, .. }) => Some(output),
            _ => None,
        })
        .collect();
    let wanted =
        ["first_b", "first_out", "b", "out", "more_again_0", "more_again_1", "own", "given"];
    assert_eq!(names, wanted);
    let Command::CreateBuffer(commands::CreateBuffer { size, buffer_type, .. }) = &steps[0].command
    else {
        panic!()
    };
    assert_eq!((*size, buffer_type.to_string()), (18 * 64, "DRAM".to_owned()));
    assert_eq!(steps[0].written_at(), "line 10 of suites/fragments/shared.yaml");
    assert_eq!(steps.last().unwrap().written_at(), "line 16 of the suite");
    let sources: Vec<&str> = steps
        .iter()
        .filter_map(|step| match &step.command {
            Command::CreateKernel(commands::CreateKernel { source, .. }) => Some(source.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(sources, ["kernels/echo.cpp", "kernels/mine.cpp"]);
}

#[test]
fn mistakes_with_fragments_point_into_the_right_file() {
    let texts: Vec<String> = [
        (USER.replace("seed: 7, ", ""), FRAGMENTS.to_owned()),
        (USER.replace("fragment: read_again", "fragment: read_agian"), FRAGMENTS.to_owned()),
        (USER.replace("place: dram", "place: dram, plaice: x"), FRAGMENTS.to_owned()),
        (USER.replace("pages: pages * 2", "pages: 0 - pages"), FRAGMENTS.to_owned()),
        (USER.replace("buffer: first_b }", "buffer: frst_b }"), FRAGMENTS.to_owned()),
        (USER.replace("place: dram", "place: 7"), FRAGMENTS.to_owned()),
        (USER.replace("[fragments/shared.yaml]", "[shared.yaml]"), FRAGMENTS.to_owned()),
        (USER.replace("[fragments/shared.yaml]", "[fragments/other.yaml]"), FRAGMENTS.to_owned()),
        (USER.replace("import: [fragments/shared.yaml]\n", ""), FRAGMENTS.to_owned()),
        (
            USER.replace("use: { fragment: read_again, as", "use: { fragmnt: read_again, as"),
            FRAGMENTS.to_owned(),
        ),
        (
            LOOPBACK.replace("kernels:\n", "import: [fragments/shared.yaml]\nkernels:\n"),
            FRAGMENTS.to_owned(),
        ),
        (USER.to_owned(), FRAGMENTS.replace("size: pages * 64", "size: pages * bytes")),
        (USER.to_owned(), FRAGMENTS.replace("enqueue_write_buffer", "enqueue_wrte_buffer")),
        (USER.to_owned(), FRAGMENTS.replace("buffer: buffer, as", "buffer: first_b, as")),
        (USER.to_owned(), FRAGMENTS.replace("kernel: echo", "kernel: kernel")),
        (
            USER.to_owned(),
            FRAGMENTS.replace("numbers: [pages, seed]", "numbers: [pages, seed, place]"),
        ),
        (USER.to_owned(), FRAGMENTS.replace("fragments:\n", "import: [x]\nfragments:\n")),
        (USER.to_owned(), "about: [\n".to_owned()),
        (
            USER.to_owned(),
            FRAGMENTS.replace(
                "      - create_program: { id: p }",
                "      - use: { fragment: run_kernel }\n      - create_program: { id: p }",
            ),
        ),
    ]
    .iter()
    .map(|(suite, fragments)| {
        let (_folder, root) = root_with_fragments(suite, fragments);
        let checked = root.load(&file()).and_then(|suite| suite.check(&known_architectures()));
        checked.map_or_else(|mistakes| mistakes.to_string(), |()| "no mistake".to_owned())
    })
    .collect();
    insta::assert_snapshot!(texts.join("\n────\n"));
}

#[test]
fn fragments_stay_bounded() {
    let (_folder, root) = root_with_fragments(
        &USER.replace("      - finish: {}", "      - repeat: { times: 119000, steps: [ use: { fragment: read_again, as: x, with: { buffer: b } } ] }\n      - finish: {}"),
        FRAGMENTS,
    );
    let suite = root.load(&file()).unwrap_or_else(|mistakes| panic!("{mistakes}"));
    let text = suite.check(&[Architecture::WormholeB0]).unwrap_err().to_string();
    assert!(text.contains("too many steps"), "{text}");
    let bomb = format!("about: {}", "{b: ".repeat(10_000));
    let (_folder, root) = root_with_fragments(USER, &bomb);
    let text = root.load(&file()).unwrap_err().to_string();
    assert!(text.contains("suites/fragments/shared.yaml"), "{text}");
    assert!(text.len() < 2000, "{text}");
}

#[test]
fn mistakes_in_matrices() {
    let with = |matrix: &str| {
        let steps = "      - create_buffer: { id: odd, type: dram, size: 100, page_size: 64 }
        expect_error: { code: SizeNotPageMultiple, size: 100, page_size: 64 }\n";
        let text = case(steps);
        let matrix = format!("    matrix: {{ {matrix} }}\n    steps:");
        mistakes(&text.replace("    steps:", &matrix))
    };
    let texts = [
        with("size: [{ size: 64 }]"),
        with("size: [{ label: four pages, size: 64 }]"),
        with("size: [{ label: small }]"),
        with("size: [{ label: small, size: 64 }, { label: small, size: 32 }]"),
        with("size: [{ label: small, size: 64 }, 32, { label: odd, size: 3, pages: 2 }]"),
        with("size: [{ label: small, size: 64, 2x: 1 }]"),
        with("pages: [1, 2], size: [{ label: small, pages: 64 }]"),
        with("size: [{ label: small, size: 64 }, 32], exclude: [{ size: 64 }]"),
        with("size: [{ label: small, size: 64 }, 32], exclude: [{ size: small }]"),
        with(
            &('a'..='f')
                .map(|name| format!("{name}: [1, 2, 3, 4, 5, 6, 7, 8]"))
                .collect::<Vec<_>>()
                .join(", "),
        ),
    ];
    insta::assert_snapshot!(texts.join("\n────\n"));
}

/// A suite with a binary, and a case of tensors with these steps.
fn tensors(steps: &str, expect: &str) -> String {
    format!(
        "about: t\nkernels: {{ k: {{ source: kernels/echo.cpp }} }}\nbinaries:\n  add:\n    inputs: [{{ id: x, shape: [4, 32], \
         dtype: uint32, memory: dram }}]\n    outputs: [{{ id: y, shape: [4, 32], dtype: uint32, memory: dram }}]\n    \
         steps:\n      - create_program: {{ id: p }}\n      - create_kernel: {{ id: k, program: p, kernel: k, cores: [0, 0], \
         processor: riscv_0 }}\n      - enqueue_program: {{ program: p }}\ncases:\n  c:\n    about: t\n    steps:\n\
         {steps}    expect:\n{expect}"
    )
}

#[test]
fn mistakes_with_tensors_say_what_to_do() {
    const SOURCE: &str = "      - create_tensor: { id: a, shape: [4, 32], dtype: uint32, data: { uniform: uint32, seed: 1 } }\n";
    const BACK: &str =
        "      - allocate_tensor: { id: back, shape: [4, 32], dtype: uint32, memory: host }\n";
    const INPUT: &str = "      - allocate_input_tensor: { id: in, binary: add, index: 0 }\n      - to_layout: { dst: in, src: a }\n";
    const SUBMIT: &str = "      - submit: { binary: add, inputs: [in], outputs: [out] }\n";
    const READ: &str = "      - to_layout: { dst: back, src: in }\n      - finish: {}\n";
    const EQUAL: &str = "      - equal: [back, a]\n";
    let with = |steps: &[&str], expect: &str| mistakes(&tensors(&steps.concat(), expect));
    let good = with(&[SOURCE, BACK, INPUT, SUBMIT, READ], EQUAL);
    assert_eq!(good, "no mistake");
    let texts = [
        // A name of a tensor, of a binary, of a step.
        with(&[SOURCE, BACK, INPUT, SUBMIT, "      - to_layout: { dst: bock, src: in }\n"], EQUAL),
        with(
            &[
                SOURCE,
                BACK,
                INPUT,
                "      - submit: { binary: ad, inputs: [in], outputs: [out] }\n",
            ],
            EQUAL,
        ),
        with(&["      - create_tensr: { id: a }\n"], EQUAL),
        // Two tensors of a name; a step's name of what is a buffer already.
        with(&[SOURCE, BACK, BACK, INPUT, SUBMIT, READ], EQUAL),
        with(
            &[
                "      - create_buffer: { id: in, type: dram, size: 64, page_size: 64 }\n",
                SOURCE,
                BACK,
                INPUT,
                SUBMIT,
                READ,
            ],
            EQUAL,
        ),
        // Nobody knows what a binary gives; more values than outputs; too few elements.
        with(
            &[
                SOURCE,
                BACK,
                INPUT,
                SUBMIT,
                "      - allocate_tensor: { id: next, shape: [4, 32], dtype: uint32, memory: l1 }\n      - to_layout: { dst: next, src: out }\n",
                READ,
            ],
            EQUAL,
        ),
        with(
            &[
                SOURCE,
                BACK,
                INPUT,
                "      - submit: { binary: add, inputs: [in], outputs: [out], gives: [a, a] }\n",
                READ,
            ],
            EQUAL,
        ),
        with(
            &[SOURCE, BACK, INPUT, SUBMIT, READ],
            "      - equal: [back, { slice: a, offset: 0, length: 64 }]\n",
        ),
        // What a refusal is expected of, and is none; another refusal; an error of which call.
        with(
            &[
                SOURCE,
                BACK,
                INPUT,
                SUBMIT,
                READ,
                "      - to_layout: { dst: in, src: a }\n        expect_error: { code: OtherShape }\n",
            ],
            EQUAL,
        ),
        with(
            &[
                SOURCE,
                BACK,
                INPUT,
                "      - submit: { binary: add, inputs: [], outputs: [out] }\n        expect_error: { code: NoContent }\n",
            ],
            EQUAL,
        ),
        with(
            &[
                SOURCE,
                BACK,
                INPUT,
                SUBMIT,
                "      - to_layout: { dst: back, src: in }\n        expect_error: { code: UnknownObject, object: buffer, id: in }\n",
            ],
            EQUAL,
        ),
        with(
            &[
                SOURCE,
                BACK,
                INPUT,
                SUBMIT,
                READ,
                "      - to_layout: { dst: in, src: a }\n        expect_error: { code: OtherShap }\n",
            ],
            EQUAL,
        ),
        // Without shards; elements of another type than the device has; read twice.
        with(
            &[
                "      - allocate_tensor: { id: s, shape: [4, 32], dtype: uint32, memory: l1, memory_layout: height_sharded }\n",
            ],
            EQUAL,
        ),
        with(
            &[SOURCE, BACK, INPUT, SUBMIT, READ],
            "      - { near: [back, a], type: float32, ulp: 1, reason: none }\n",
        ),
        with(&[SOURCE, BACK, INPUT, SUBMIT, READ, READ], EQUAL),
        // One output too many, of a new name; padding without content; a tensor that takes too much of the host.
        with(
            &[
                SOURCE,
                BACK,
                INPUT,
                "      - submit: { binary: add, inputs: [in], outputs: [out, more] }\n",
                READ,
            ],
            EQUAL,
        ),
        with(
            &[
                SOURCE,
                BACK,
                INPUT,
                "      - submit: { binary: add, inputs: [in], outputs: [out], padding: 1 }\n",
                READ,
            ],
            EQUAL,
        ),
        with(
            &[
                "      - create_tensor: { id: large, shape: [1048576, 65536], stride: [0, 0], dtype: uint32, data: { words: [1] } }\n",
            ],
            EQUAL,
        ),
        // What fills up tiles would count among the elements.
        with(
            &[
                SOURCE,
                BACK,
                "      - allocate_tensor: { id: in, shape: [4, 32], dtype: uint32, layout: tile, memory: dram }\n",
                "      - to_layout: { dst: in, src: a }\n      - allocate_input_tensor: { id: x, binary: add, index: 0 }\n",
                READ,
            ],
            "      - { near: [back, a], type: uint32, pcc: 0.9, reason: none }\n",
        ),
        // What a program or a view has written is not known any more.
        with(
            &[
                SOURCE,
                BACK,
                INPUT,
                "      - create_program: { id: p }\n      - create_kernel: { id: k, program: p, kernel: k, cores: [0, 0], processor: riscv_0 }\n      - enqueue_program: { program: p }\n      - allocate_tensor: { id: next, shape: [4, 32], dtype: uint32, memory: l1 }\n      - to_layout: { dst: next, src: in }\n",
                READ,
            ],
            EQUAL,
        ),
        with(
            &[
                SOURCE,
                BACK,
                INPUT,
                "      - create_buffer_view: { id: part, of: in, offset: 0, size: 128 }\n      - enqueue_write_buffer: { buffer: part, data: { uniform: uint32, seed: 2 } }\n      - allocate_tensor: { id: next, shape: [4, 32], dtype: uint32, memory: l1 }\n      - to_layout: { dst: next, src: in }\n",
                READ,
            ],
            EQUAL,
        ),
    ];
    insta::assert_snapshot!(texts.join("\n────\n"));
}

#[test]
fn what_is_no_binary_is_a_mistake_of_its_first_use() {
    let text = tensors(
        "      - allocate_input_tensor: { id: in, binary: add, index: 0 }\n",
        "      - equal: [out, in]\n",
    );
    let with = |from: &str, to: &str| {
        let changed = text.replace(from, to);
        assert_ne!(changed, text);
        mistakes(&changed)
    };
    let enqueue = "      - enqueue_program: { program: p }\n";
    let texts = [
        with(enqueue, "      - finish: {}\n"),
        with(enqueue, ""),
        with(enqueue, "      - enqueue_program: { program: p, blocking: true }\n"),
        with(
            enqueue,
            "      - create_tensor: { id: t, shape: [1], dtype: uint32, data: { words: [1] } }\n",
        ),
        with("memory: dram }]\n    outputs", "memory: host }]\n    outputs"),
        with(
            "dtype: uint32, memory: dram }]\n    outputs",
            "dtype: bfp8_b, memory: dram }]\n    outputs",
        ),
        with("binary: add, index", "binary: sub, index"),
    ];
    insta::assert_snapshot!(texts.join("\n────\n"));
}

/// What an expectation states of a tensor becomes its bytes as the device has them.
#[test]
fn elements_of_tensors_are_stated_row_by_row() {
    let text = "about: t\ncases:\n  c:\n    about: t\n    steps:\n      - create_tensor: { id: a, shape: [2, 2], dtype: \
                uint16, data: { map: uint16, count: 4, value: index + 1 } }\n      - allocate_tensor: { id: tile, shape: \
                [2, 2], dtype: uint32, layout: tile, tile: [2, 16], memory: dram }\n      - allocate_tensor: { id: back, \
                shape: [2, 2], dtype: uint16, memory: host }\n      - to_layout: { dst: tile, src: a }\n      - to_layout: \
                { dst: back, src: tile }\n      - finish: {}\n    expect:\n      - equal: [back, VALUE]\n";
    let expected = |value: &str| {
        let bound = bound(&text.replace("VALUE", value), "wormhole_b0::group::suite::c");
        bound.outputs[0].bytes.as_ref().unwrap().to_vec()
    };
    let words = |words: [u32; 4]| {
        let [one, two, three, four] = words;
        let mut tile = vec![0_u32; 32];
        (tile[0], tile[1], tile[16], tile[17]) = (one, two, three, four);
        tile.into_iter().flat_map(u32::to_le_bytes).collect::<Vec<u8>>()
    };
    for value in ["a", "tile", "{ map: uint16, of: [a], value: a }"] {
        assert_eq!(expected(value), words([1, 2, 3, 4]), "{value}");
    }
    let other = "{ map: uint16, count: 4, value: 9 - index }";
    assert_eq!(expected(other), words([9, 8, 7, 6]));
}

/// A step that is refused makes no call, even where an earlier tensor would have to be waited for.
#[test]
fn refused_steps_make_no_calls() {
    let steps = "      - create_tensor: { id: a, shape: [4, 32], dtype: uint32, data: { uniform: uint32, seed: 1 } }\n      \
                 - allocate_input_tensor: { id: in, binary: add, index: 0 }\n      \
                 - allocate_tensor: { id: back, shape: [4, 32], dtype: uint32, memory: host }\n      \
                 - submit: { binary: add, inputs: [in], outputs: [out] }\n        expect_error: { code: NoContent }\n      \
                 - to_layout: { dst: in, src: a }\n      \
                 - to_layout: { dst: back, src: in, event: read }\n      \
                 - to_layout: { dst: in, src: back, dependencies: [read], by: device }\n        \
                 expect_error: { code: NotOnDevice }\n      \
                 - to_layout: { dst: in, src: back }\n        expect_error: { code: StillRead }\n      \
                 - allocate_tensor: { id: last, shape: [4, 32], dtype: uint32, memory: dram }\n      - finish: {}\n";
    let bound =
        bound(&tensors(steps, "      - equal: [back, a]\n"), "wormhole_b0::group::suite::c");
    let names: Vec<&str> = bound.case.steps.iter().map(|step| step.command.kind().name()).collect();
    assert_eq!(
        names,
        [
            "create_buffer",
            "enqueue_write_buffer",
            "enqueue_record_event",
            "enqueue_read_buffer",
            "enqueue_record_event",
            "create_buffer",
            "finish",
        ]
    );
}

/// A name of the case means the same behind the first use of a binary that has it, too; and an event that a round records
/// again is the event of that name.
#[test]
fn names_of_binaries_and_events_of_rounds() {
    let steps = "      - create_tensor: { id: a, shape: [4, 32], dtype: uint32, data: { uniform: uint32, seed: 1 } }\n      \
                 - create_tensor: { id: own, shape: [4, 32], dtype: uint32, data: { uniform: uint32, seed: 2 } }\n      \
                 - allocate_input_tensor: { id: in, binary: add, index: 0 }\n      \
                 - allocate_tensor: { id: back, shape: [4, 32], dtype: uint32, memory: host }\n      \
                 - to_layout: { dst: in, src: own, event: done }\n      \
                 - repeat:\n          times: 2\n          steps:\n            \
                 - to_layout: { dst: in, src: own, dependencies: [done], event: done }\n      \
                 - to_layout: { dst: back, src: in, dependencies: [done] }\n      - finish: {}\n";
    let text = tensors(steps, "      - equal: [back, own]\n").replace(
        "    steps:\n      - create_program: { id: p }\n",
        "    steps:\n      - create_buffer: { id: own, type: dram, size: 512, page_size: 128 }\n      - \
         enqueue_write_buffer: { buffer: own, data: { constant: uint32, value: 7 } }\n      - create_program: { id: p }\n",
    );
    let bound = bound(&text, "wormhole_b0::group::suite::c");
    let uniform = hallmark_schema::model::Generator::Uniform {
        data_type: hallmark_schema::model::DataType::Uint32,
        seed: 2,
    };
    assert_eq!(bound.outputs[0].bytes.as_ref().unwrap()[..], uniform.bytes(512));
    let waited: Vec<u32> = bound
        .case
        .steps
        .iter()
        .filter_map(|step| match &step.command {
            Command::EnqueueWaitForEvent(call) => Some(call.event.0),
            _ => None,
        })
        .collect();
    assert_eq!(waited, [0, 1, 2]);
}

/// A kernel that asks for tiles is told those of the circular buffers on its cores, whichever step comes first; other
/// kernels are built as if there were no tiles.
#[test]
fn kernels_that_ask_for_tiles_are_told_those_of_their_circular_buffers() {
    let text = "about: Tiles.\nkernels:\n  asks: { source: kernels/mine.cpp }\n  \
                plain: { source: kernels/echo.cpp }\n  tiles: { source: kernels/tiles.cpp }\n  printing: { source: kernels/printing.cpp }\ncases:\n  c:\n    about: Tiles.\n    steps:\n      \
                - create_program: { id: p }\n      \
                - create_program: { id: other }\n      \
                - create_circular_buffer: { id: foreign, program: other, cores: [0, 0], total_size: 64, indices: [{ index: 3, page_size: 64 }] }\n      \
                - create_kernel: { id: a, program: p, kernel: asks, cores: [0, 0], processor: riscv_0 }\n      \
                - create_kernel: { id: stated, program: p, kernel: asks, cores: [0, 0], processor: riscv_1, defines: { HALLMARK_TILES: \"{1,2,3,4,5}\" } }\n      \
                - create_kernel: { id: compute, program: p, kernel: asks, cores: [0, 0], compute: {} }\n      \
                - create_kernel: { id: coprocessor, program: p, kernel: tiles, cores: [0, 0], compute: {} }\n      \
                - create_kernel: { id: printing, program: p, kernel: printing, cores: [1, 1], compute: {} }\n      \
                - create_kernel: { id: without, program: p, kernel: plain, cores: [0, 1], processor: riscv_0 }\n      \
                - create_kernel: { id: far, program: p, kernel: asks, cores: [4, 4], processor: riscv_0 }\n      \
                - create_circular_buffer: { id: five, program: p, cores: [[0, 0], [1, 1]], total_size: 64, indices: [{ index: 5, page_size: 64, data_format: float16_b }] }\n      \
                - create_circular_buffer: { id: seven, program: p, cores: [0, 0], total_size: 64, indices: [{ index: 7, page_size: 64, data_format: bfp8_b, tile: { shape: [16, 32] } }] }\n      \
                - create_circular_buffer: { id: refused, program: p, cores: [0, 0], total_size: 64, indices: [{ index: 9, page_size: 48 }] }\n        \
                expect_error: { code: CircularBufferSizeNotPageMultiple, index: 9, size: 64, page_size: 48 }\n";
    let (folder, root) = root_with(text);
    let kernels = folder.path().join("suites/kernels");
    // A header of the kernel's own asks for it.
    std::fs::write(kernels.join("asking.h"), "inline int size() { return get_tile_size(5); }\n")
        .unwrap();
    std::fs::write(kernels.join("mine.cpp"), "#include \"asking.h\"\n").unwrap();
    let computes = "void kernel_main() { compute_kernel_hw_startup(5, 7); }\n";
    std::fs::write(kernels.join("tiles.cpp"), computes).unwrap();
    std::fs::write(kernels.join("echo.cpp"), "uint32_t get_tile_address(uint32_t);\n").unwrap();
    std::fs::write(kernels.join("printing.cpp"), "void f() { TSLICE(5, 0); }\n").unwrap();
    let test = root.test(&"wormhole_b0::group::suite::c".parse().unwrap()).unwrap();
    let bound = test.bind().unwrap_or_else(|mistakes| panic!("{mistakes}"));
    let defines = bound.case.steps.iter().filter_map(|step| match &step.command {
        Command::CreateKernel(call) => {
            Some((call.name.as_str(), call.defines.get("HALLMARK_TILES").map(String::as_str)))
        }
        _ => None,
    });
    assert_eq!(
        defines.collect::<Vec<_>>(),
        [
            ("a", Some("{5,5,2048,32,32},{7,6,544,16,32}")),
            ("stated", Some("{1,2,3,4,5}")),
            ("compute", None),
            ("coprocessor", Some("{5,5,2048,32,32},{7,6,544,16,32}")),
            ("printing", Some("{5,5,2048,32,32}")),
            ("without", None),
            ("far", None),
        ]
    );
}
