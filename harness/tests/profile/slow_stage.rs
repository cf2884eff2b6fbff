//! A pipeline of five programs with a slow one: the text, table, page and comparison, before and after the
//! repair.

use std::path::Path;

use super::common::{command, repository, text};
use super::linked_files::link_files;
use super::{cell, rows_of, ticks};

/// Five programs add 1 to four pages, one after the other; the third one handles as many pages as the test
/// gives.
fn suite() -> String {
    let mut steps = vec![
        "create_buffer: { id: b0, type: dram, size: 16384, page_size: 1024 }".to_owned(),
        "create_buffer: { id: scratch, type: l1, size: 1024, page_size: 1024 }".to_owned(),
    ];
    for stage in 0..5 {
        let (next, pages) = (stage + 1, if stage == 2 { "pages" } else { "4" });
        steps.extend([
            format!("create_buffer: {{ id: b{next}, type: dram, size: 16384, page_size: 1024 }}"),
            format!("create_program: {{ id: stage{stage} }}"),
            format!("create_kernel: {{ id: k{stage}, program: stage{stage}, kernel: add, cores: [{stage}, 0], processor: riscv_0, noc: noc_0, compile_args: [{{ accessor: b{stage} }}, {{ accessor: b{next} }}] }}"),
            format!("set_runtime_args: {{ kernel: k{stage}, args: [{{ buffer: b{stage} }}, {{ buffer: b{next} }}, {{ buffer: scratch }}, 1024, {pages}, 1] }}"),
        ]);
    }
    for buffer in [0, 2] {
        steps.push(format!(
            "enqueue_write_buffer: {{ buffer: b{buffer}, data: {{ constant: uint32, value: 1 }} }}"
        ));
    }
    steps.extend((0..5).map(|stage| format!("enqueue_program: {{ program: stage{stage} }}")));
    steps.push("enqueue_read_buffer: { buffer: b5, region: { offset: 0, size: 4096 }, as: out, blocking: true }".to_owned());
    let steps: String = steps.iter().map(|step| format!("      - {step}\n")).collect();
    format!(
        "about: A pipeline.
kernels:
  add: {{ source: kernels/add_constant.cpp }}
cases:
  five:
    about: Five programs add 1.
    matrix: {{ pages: [4, 16] }}
    steps:
{steps}    expect:
      - equal: [out, {{ constant: uint32, value: 6 }}]
"
    )
}

fn profile(root: &Path, pages: u32, more: &[&str]) -> (Option<i32>, String) {
    let test = format!("wormhole_b0::group::suite::five::pages={pages}");
    let output = command(root).args(["profile", &test]).args(more).output().unwrap();
    (output.status.code(), text(&output))
}

#[test]
fn the_slow_stage_of_five_stands_out_and_is_told_from_the_mended_one() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let suites = root.join("suites");
    std::fs::create_dir_all(suites.join("group")).unwrap();
    link_files(&repository().join("suites/kernels"), &suites.join("kernels"));
    std::fs::write(suites.join("group/suite.yaml"), suite()).unwrap();

    let (code, said) = profile(root, 16, &["-o", "slow.csv", "--html", "slow.html"]);
    assert_eq!(code, Some(0), "{said}");
    // The slowest program is the first line of the table, and the sentence concerns its kernel.
    let first = said.lines().nth(2).unwrap();
    assert!(first.contains("stage2"), "{said}");
    assert!(said.contains("`k2` on 1 core executes "), "{said}");
    let (_, rows) = rows_of(&root.join("slow.csv"));
    let taken = |row| ticks(row, "DEVICE FW DURATION");
    let slow = rows.iter().find(|row| cell(row, "OP CODE") == "stage2").unwrap();
    for row in rows.iter().filter(|row| cell(row, "OP CODE") != "stage2") {
        assert!(taken(slow) > 3 * taken(row), "{} {}", taken(slow), taken(row));
    }
    let page = std::fs::read_to_string(root.join("slow.html")).unwrap();
    let place = |words: &str| page.find(words).unwrap_or_else(|| panic!("no `{words}`"));
    assert!(place("<code>stage2</code>") < place("<code>stage0</code>"));

    let (code, said) = profile(root, 4, &["-o", "mended.csv", "--against", "slow.csv"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("quicker  `stage2`: "), "{said}");
    for stage in [0, 1, 3, 4] {
        assert!(!said.contains(&format!("er   `stage{stage}`")), "{said}");
    }
    let (code, said) = profile(root, 16, &["-o", "again.csv", "--against", "mended.csv"]);
    assert_eq!(code, Some(1), "{said}");
    assert!(
        said.contains("slower   `stage2`: ") && said.contains("1 operation takes longer"),
        "{said}"
    );
}
