//! Hostile text through every command that prints any: no terminal obeys it, no log takes a line of it for a command,
//! and JSON still means the same.
#![expect(clippy::unwrap_used, reason = "a failing helper fails its test")]

mod common;
#[path = "common/linked_files.rs"]
mod linked_files;

use std::path::Path;
use std::process::Output;

use common::{command, repository, text};
use linked_files::link_files;

/// Clears the screen, rings, sets the window's title, turns the direction, and begins lines with commands of a workflow.
const HOSTILE: &str = "x\u{1b}[2J\u{7}\u{1b}]0;title\u{7}\u{9b}31m\u{202e}y\u{2066}\u{200b}\u{1b}[8mz\n::error::gotcha\n  ::add-mask::a\n##[error]b";
const TEST: &str = "wormhole_b0::group::suite::differs";
const PRINTS: &str = "wormhole_b0::group::suite::prints";

/// The text as YAML, and as C++ in one line.
fn quoted() -> String {
    let mut quoted = String::new();
    for letter in HOSTILE.chars() {
        match letter {
            letter if letter.is_ascii_alphanumeric() => quoted.push(letter),
            letter => quoted.push_str(&format!("\\u{:04x}", u32::from(letter))),
        }
    }
    quoted
}

fn suite() -> String {
    format!(
        "about: \"{0}\"
kernels:
  fault: {{ source: kernels/fault.cpp, defines: {{ TEXT: \"{1}\" }} }}
  broken: {{ source: kernels/broken.cpp }}
  prints: {{ source: kernels/prints_every_kind.cpp }}
cases:
  differs:
    about: \"{0}\"
    steps:
      - create_buffer: {{ id: a, type: dram, size: 64, page_size: 64 }}
      - enqueue_write_buffer: {{ buffer: a, data: {{ constant: uint32, value: 1 }} }}
      - enqueue_read_buffer: {{ buffer: a, as: out, blocking: true }}
    expect:
      - equal: [out, {{ constant: uint32, value: 2 }}]
  prints:
    about: A kernel prints hostile text.
    steps:
      - create_buffer: {{ id: dst, type: dram, size: 16, page_size: 16 }}
      - create_buffer: {{ id: scratch, type: l1, size: 16, page_size: 16 }}
      - create_program: {{ id: program }}
      - create_kernel: {{ id: k, program: program, kernel: prints, cores: [1, 2], processor: riscv_1, compile_args: [{{ accessor: dst }}] }}
      - set_runtime_args: {{ kernel: k, args: [{{ buffer: dst }}, {{ buffer: scratch }}, 1] }}
      - enqueue_write_buffer: {{ buffer: dst, data: {{ constant: uint32, value: 77 }} }}
      - enqueue_program: {{ program: program }}
      - enqueue_read_buffer: {{ buffer: dst, as: out }}
      - finish: {{}}
    expect:
      - equal: [out, [2, 77, 77, 77]]
",
        quoted(),
        quoted().replace("\\u000a", " ")
    )
}

/// What a command said on both streams, without what no terminal may get.
fn is_safe(said: &str) -> Result<(), String> {
    for letter in said.chars() {
        let is_bad = letter.is_control() && letter != '\n'
            || matches!(letter, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        if is_bad {
            return Err(format!("{letter:?} in {said:?}"));
        }
    }
    let own = ["::error file=", "::error title=", "::warning file="];
    for line in said.lines().map(str::trim_start) {
        let is_command = line.starts_with("::") && !own.iter().any(|own| line.starts_with(own));
        if is_command || line.contains("##[") {
            return Err(format!("the line {line:?}"));
        }
    }
    Ok(())
}

fn hallmark(root: &Path, arguments: &[&str]) -> Output {
    let mut command = command(root);
    command.args(arguments).env("GITHUB_ACTIONS", "true").output().unwrap()
}

#[test]
fn no_command_prints_what_a_terminal_or_a_log_obeys() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    link_files(&repository().join("suites/kernels"), &root.join("suites/kernels"));
    std::fs::create_dir_all(root.join("suites/group")).unwrap();
    std::fs::write(root.join("suites/group/suite.yaml"), suite()).unwrap();
    let mut prints_it = 0;
    let mut check = |arguments: &[&str]| {
        let output = hallmark(root, arguments);
        let said = text(&output);
        is_safe(&said).unwrap_or_else(|problem| panic!("{arguments:?}: {problem}"));
        assert!(!said.is_empty(), "{arguments:?}");
        prints_it += u32::from(said.contains("gotcha"));
        output
    };
    let hostile_name = HOSTILE.replace('/', "");
    check(&["capture", TEST, "-o", "c.lmb"]);
    for arguments in [
        ["run"].as_slice(),
        &["run", "--verbose", "--exact", TEST],
        &["run", "--exact", PRINTS],
        &["run", "--print", "--exact", PRINTS],
        &["run", &hostile_name],
        &["list"],
        &["list", "--format", "json"],
        &["explain", TEST],
        &["explain", &hostile_name],
        &["dump", "c.lmb"],
        &["dump", "c.lmb", "--format", "jsonl"],
        &["dump", &hostile_name],
        &["dump", TEST],
        &["diff", "c.lmb", TEST],
        &["diff", "c.lmb", &hostile_name],
        &["replay", "c.lmb"],
        &["replay", &hostile_name],
        &["portability", "c.lmb", "--device", "sim:wormhole_b0", "--json"],
        &["profile", TEST, "-o", "t.csv"],
        &["bless", "--dry-run"],
        &["compare", TEST, "--devices", "sim:wormhole_b0,sim:wormhole_b0 dispatch=device"],
        &["bisect", TEST, "--bad", "sim", "--json"],
        &["bisect", TEST, "--bad", &hostile_name],
        &["reduce", TEST, "--bad", "sim", "-o", "reduced"],
        &["reproduce", "c.lmb", "--bad", "sim"],
        &["extract", "c.lmb", &hostile_name, "-o", "t"],
        &["package", "show", &hostile_name],
        &["package", "verify", &hostile_name, "--json"],
        &["certify", "--profile", &hostile_name],
        &["report", "merge", &hostile_name, "-o", "m.json"],
        &["new", "suite", &hostile_name],
        &["init", &hostile_name],
        &[&hostile_name],
    ] {
        check(arguments);
    }
    // JSON says the same in escapes.
    let listed = check(&["list", "--format", "json"]);
    let listed: serde_json::Value = serde_json::from_slice(&listed.stdout).unwrap();
    assert_eq!(listed.pointer("/tests/0/about").unwrap(), HOSTILE);
    // What is kept for people is as safe as what was printed.
    let report = root.join("target/hallmark/wormhole_b0/group/suite/differs");
    let mut files = 0;
    for entry in std::fs::read_dir(report).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|ending| ending == "txt" || ending == "json") {
            is_safe(&std::fs::read_to_string(&path).unwrap()).unwrap();
            files += 1;
        }
    }
    assert!(files > 0 && prints_it >= 8, "{files} {prints_it}");
    let printed = root.join("target/hallmark/wormhole_b0/group/suite/prints/printed.txt");
    let printed = std::fs::read_to_string(printed).unwrap();
    assert!(printed.contains("gotcha"), "{printed}");
    is_safe(&printed).unwrap();
    // A file with a mistake is shown as far as it is wrong.
    std::fs::write(
        root.join("suites/group/suite.yaml"),
        format!("about: a\n\"{}\": b\n", quoted()),
    )
    .unwrap();
    for arguments in [["run"].as_slice(), &["list"], &["doctor"]] {
        let said = text(&hallmark(root, arguments));
        is_safe(&said).unwrap_or_else(|problem| panic!("{arguments:?}: {problem}"));
    }
}
