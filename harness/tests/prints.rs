//! What kernels print, in reports: the last lines of a failure, all of them in its folder, and those of each test with
//! `--print`.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a failing helper fails its test"
)]

mod common;
#[path = "common/linked_files.rs"]
mod linked_files;

use std::path::Path;

use common::{command, repository, text};
use linked_files::link_files;

const TEST: &str = "wormhole_b0::group::suite::one";

/// A root with one case, which runs a kernel of the suites with these arguments.
fn root(kernel: &str, arguments: &str, settings: &str, expect: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let suites = folder.path().join("suites");
    std::fs::create_dir_all(suites.join("group")).unwrap();
    link_files(&repository().join("suites/kernels"), &suites.join("kernels"));
    let suite = format!(
        "about: A suite.
kernels:
  k: {{ source: kernels/{kernel}.cpp }}
cases:
  one:
    about: A case.{settings}
    steps:
      - create_buffer: {{ id: dst, type: dram, size: 16, page_size: 16 }}
      - create_buffer: {{ id: scratch, type: l1, size: 16, page_size: 16 }}
      - create_program: {{ id: program }}
      - create_semaphore: {{ id: s, program: program, cores: [4, 2] }}
      - create_kernel: {{ id: k, program: program, kernel: k, cores: [4, 2], processor: riscv_0, compile_args: [{{ accessor: dst }}] }}
      - set_runtime_args: {{ kernel: k, args: [{{ buffer: dst }}, {{ buffer: scratch }}, {arguments}] }}
      - enqueue_write_buffer: {{ buffer: dst, data: {{ constant: uint32, value: 77 }} }}
      - enqueue_program: {{ program: program }}
      - enqueue_read_buffer: {{ buffer: dst, as: out }}
      - finish: {{}}
    expect:
      - equal: [out, [{expect}, 77, 77, 77]]
"
    );
    std::fs::write(suites.join("group/suite.yaml"), suite).unwrap();
    folder
}

fn hallmark(root: &Path, arguments: &[&str]) -> String {
    text(&command(root).args(arguments).output().unwrap())
}

fn printed_lines(said: &str) -> Vec<&str> {
    said.lines().filter_map(|line| line.trim_start().strip_prefix("| ")).collect()
}

#[test]
fn a_failure_shows_the_last_lines_and_its_folder_has_all() {
    let folder = root("prints", "40", "", "41");
    let said = hallmark(folder.path(), &["run", "--exact", TEST]);
    let place = "printed by `k` on (4,2) BRISC in program `program` (enqueued by command 7), after 22 lines:";
    assert!(said.contains(place), "{said}");
    let lines = printed_lines(&said);
    assert_eq!((lines.len(), lines[0]), (20, "line  21: 0.500, 0x15015, text"), "{said}");
    assert_eq!(lines.last(), Some(&"on NoC 0, at the end"));
    let kept = folder.path().join("target/hallmark/wormhole_b0/group/suite/one/printed.txt");
    let kept = std::fs::read_to_string(kept).unwrap();
    assert_eq!((printed_lines(&kept).len(), printed_lines(&kept)[0]), (42, "40 lines"));
    // In place of the last lines, all of them.
    let said = hallmark(folder.path(), &["run", "--print", "--exact", TEST]);
    assert_eq!(printed_lines(&said).len(), 42, "{said}");
}

#[test]
fn a_test_that_passes_shows_its_lines_on_request() {
    let folder = root("prints", "3", "", "3");
    hallmark(folder.path(), &["bless", "--yes"]);
    let said = hallmark(folder.path(), &["run", "--exact", TEST]);
    assert!(said.contains("1 pass") && printed_lines(&said).is_empty(), "{said}");
    let said = hallmark(folder.path(), &["run", "--print", "--exact", TEST]);
    assert_eq!(printed_lines(&said).len(), 5, "{said}");
    assert!(!folder.path().join("target/hallmark/wormhole_b0/group/suite/one").exists());
}

/// The kernel prints, and then counts for ever.
#[test]
fn a_worker_that_the_clock_stops_leaves_its_lines() {
    let settings = "\n    budget: 1000000000000\n    timeout: 2";
    let folder = root("waypoints", "2", settings, "5");
    let said = hallmark(folder.path(), &["run", "--exact", TEST]);
    assert!(said.contains("did not end in 2 s"), "{said}");
    assert_eq!(printed_lines(&said), ["end 2"], "{said}");
    let capture = "target/hallmark/wormhole_b0/group/suite/one/capture.lmb";
    let dumped = hallmark(folder.path(), &["dump", capture]);
    assert_eq!(printed_lines(&dumped), ["end 2"], "{dumped}");
}

#[test]
fn a_capture_keeps_the_lines_and_its_replay_shows_them() {
    let folder = root("prints", "40", "", "41");
    hallmark(folder.path(), &["run", "--exact", TEST]);
    let kept = "target/hallmark/wormhole_b0/group/suite/one";
    let capture = format!("{kept}/capture.lmb");
    let dumped = hallmark(folder.path(), &["dump", &capture]);
    let heading = "printed by (4,2) BRISC for command 7, after 22 lines:";
    assert!(dumped.contains(heading), "{dumped}");
    assert_eq!(printed_lines(&dumped).len(), 20, "{dumped}");
    let said = hallmark(folder.path(), &["replay", &capture]);
    assert!(said.contains("every read is as captured") && said.contains("FAIL"), "{said}");
    assert_eq!(printed_lines(&said).len(), 20, "{said}");
    let said = hallmark(folder.path(), &["replay", "--print", &capture]);
    let place = "printed by `k` on (4,2) BRISC in program `program` (enqueued by command 7):";
    assert!(said.contains(place), "{said}");
    assert_eq!(printed_lines(&said).len(), 42, "{said}");
    // Of a replay that succeeds they are shown on request.
    let folder = root("prints", "3", "", "3");
    hallmark(folder.path(), &["capture", TEST, "--output", "one.lmb"]);
    let said = hallmark(folder.path(), &["replay", "one.lmb"]);
    assert!(said.contains("every read is as captured"), "{said}");
    assert!(printed_lines(&said).is_empty(), "{said}");
    let said = hallmark(folder.path(), &["replay", "--print", "one.lmb"]);
    assert_eq!(printed_lines(&said).len(), 5, "{said}");
}

/// The kernel prints once, and then fails an assertion.
#[test]
fn a_replay_that_stops_shows_the_last_lines() {
    let folder = root("prints_every_kind", "2", "", "2");
    let said = hallmark(folder.path(), &["run", "--exact", TEST]);
    assert!(said.contains("KernelAssertion"), "{said}");
    let shown = printed_lines(&said);
    assert!(!shown.is_empty(), "{said}");
    let capture = "target/hallmark/wormhole_b0/group/suite/one/capture.lmb";
    let replayed = hallmark(folder.path(), &["replay", capture]);
    assert_eq!(printed_lines(&replayed), shown, "{replayed}");
}

/// An element of a tile, from its bytes as the host wrote them: faces of 16 by 16 elements one after the other, and those of
/// a block format behind an exponent for each row of a face.
fn element(tile: &[u8], format: &str, row: usize, column: usize) -> String {
    let face = row / 16 * 2 + column / 16;
    let index = face * 256 + row % 16 * 16 + column % 16;
    let half = || u16::from_le_bytes([tile[2 * index], tile[2 * index + 1]]);
    let word = || u32::from_le_bytes(*tile[4 * index..].first_chunk().unwrap());
    let block = |mantissa: u8, bits: i32| {
        let size = f32::from(mantissa & ((1 << bits) - 1));
        let scale = 2f32.powi(i32::from(tile[index / 16]) - 127 - (bits - 1));
        (if mantissa >> bits == 0 { size * scale } else { -size * scale }).to_string()
    };
    match format {
        "float16_b" => f32::from_bits(u32::from(half()) << 16).to_string(),
        "float32" => f32::from_bits(word()).to_string(),
        "bfp8_b" => block(tile[64 + index], 7),
        "bfp4_b" => block(tile[64 + index / 2] >> (index % 2 * 4) & 15, 3),
        "int32" => word().cast_signed().to_string(),
        "uint32" => word().to_string(),
        "uint16" => half().to_string(),
        "int8" => tile[index].cast_signed().to_string(),
        "uint8" => tile[index].to_string(),
        other => panic!("{other}"),
    }
}

/// Rows of elements, each a line.
fn elements(tile: &[u8], format: &str, rows: &[usize], columns: &[usize]) -> Vec<String> {
    let row = |row: usize| {
        let shown: Vec<_> = columns.iter().map(|it| element(tile, format, row, *it)).collect();
        shown.join(" ")
    };
    rows.iter().map(|it| row(*it)).collect()
}

/// What `prints_tiles.cpp` prints of tiles that all begin with the bytes of a page.
fn printed_of_tiles(page: &[u8], formats: &[&str; 5]) -> Vec<String> {
    let first = formats[0];
    let mut expected = Vec::new();
    for (index, format) in formats.iter().enumerate() {
        expected.push(format!("{index} at the front:"));
        if *format == "bfp2_b" {
            expected.push(format!(
                "Tried printing CBIndex::c_{index}: Unsupported data format (Bfp2_b)"
            ));
        } else {
            expected.extend(elements(page, format, &[0, 20], &[3, 17, 31]));
        }
    }
    let columns: Vec<usize> = (0..32).collect();
    expected.push("at the back:".to_owned());
    expected.extend(elements(page, first, &[0], &columns));
    expected.push("behind the front:".to_owned());
    let square = elements(page, first, &[0, 1, 2, 3], &columns[..4]);
    expected.extend(square);
    // Elements 14 to 17 and 46 to 49 of those of a page, which lie in its first face.
    let at = |index: usize| element(page, first, index / 16, index % 16);
    let [one, other] =
        [14, 46].map(|first| (first..first + 4).map(at).collect::<Vec<_>>().join(" "));
    expected.push(format!("as they lie: {one}{other}."));
    // Room for 64 bytes.
    expected.push("more than fits:".to_owned());
    let room = if first == "int8" { 64 } else { 32 };
    expected.extend(elements(page, first, &[0, 1, 2, 3][..room / 16], &columns[..16]));
    expected.push(format!("<TileSlice data truncated due to exceeding max count ({room})>"));
    expected
}

#[test]
fn elements_of_tiles_are_printed_in_each_format() {
    let folder = tempfile::tempdir().unwrap();
    let suites = folder.path().join("suites");
    std::fs::create_dir_all(suites.join("debug")).unwrap();
    link_files(&repository().join("suites/kernels"), &suites.join("kernels"));
    let suite = "debug/prints.yaml";
    std::fs::copy(repository().join("suites").join(suite), suites.join(suite)).unwrap();
    let run = |test: &str| {
        let test = format!("wormhole_b0::debug::prints::{test}");
        hallmark(folder.path(), &["run", "--print", "--exact", &test])
    };

    // The page that the suite writes into each tile.
    let words = (0..1024u32).map(|word| 0x40A0_3F80 + 0x1_0001 * word);
    let page: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
    let groups = [
        ("floats", ["float16_b", "float32", "bfp8_b", "bfp4_b", "bfp2_b"]),
        ("integers", ["uint16", "int32", "uint32", "uint8", "int32"]),
        ("signed", ["int8"; 5]),
    ];
    for (group, formats) in groups {
        let expected = printed_of_tiles(&page, &formats);
        for processor in ["riscv_0", "riscv_1"] {
            let said = run(&format!("tiles::processor={processor}::formats={group}"));
            let lines = printed_lines(&said);
            let (elements, mistakes) = lines.split_at(expected.len());
            assert_eq!(elements, expected, "{said}");
            assert_eq!(mistakes.len(), 2, "{said}");
            let prefix = "Tried printing CBIndex::c_0: BAD TILE INDEX (ptr=";
            assert!(mistakes.iter().all(|line| line.starts_with(prefix)), "{said}");
        }
    }

    // Words 0, 3, 6, … of a tile that PACK has filled.
    let words: Vec<u8> = (0..1024u32).flat_map(|word| (3 * word).to_le_bytes()).collect();
    let said = run("tiles_in_compute");
    let shown = |processor: &str| {
        let (_, rest) = said.split_once(&format!("on (0,0) {processor} in")).unwrap();
        let lines: Vec<&str> =
            rest.lines().skip(1).map_while(|line| line.trim_start().strip_prefix("| ")).collect();
        lines.into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(shown("TRISC2"), elements(&words, "uint32", &[0, 16], &[0, 16]), "{said}");
    assert_eq!(
        shown("TRISC1"),
        ["Warning: MATH core does not support TileSlice printing, omitting print..."]
    );
    let corner = elements(&words, "uint32", &[31], &[30, 31])[0].clone();
    let corner: Vec<String> =
        corner.split(' ').map(|it| format!("{:#x}", it.parse::<u32>().unwrap())).collect();
    let mut expected =
        vec![corner.join(" "), "cb_idx: 2 tile_idx: 0".to_owned(), "======".to_owned()];
    for row in [15, 16] {
        let elements = elements(&words, "uint32", &[row], &[15, 16]);
        expected.extend([format!("{row}: {}", elements[0]), String::new()]);
    }
    expected.push("++++++".to_owned());
    assert_eq!(shown("TRISC0"), expected, "{said}");
}
