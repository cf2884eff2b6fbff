//! Commands that work for a while show how far they have come: a bar on a terminal, and lines where there is none.

use std::path::Path;
use std::process::Command;

use crate::common::{command, executable, text};

/// Three tests that need no compiler.
const SUITE: &str = "about: A buffer.
cases:
  case:
    about: Bytes come back.
    matrix: { pages: [1, 2, 3] }
    steps:
      - create_buffer: { id: a, type: dram, size: 64 * pages, page_size: 64 }
      - enqueue_write_buffer: { buffer: a, data: { constant: uint32, value: 1 } }
      - enqueue_read_buffer: { buffer: a, as: out, blocking: true }
    expect:
      - equal: [out, a]
";
const PROFILE: &str = "profile: three
edition: '1'
about: Three tests.
subjects: [simulator]
devices:
  - { architecture: wormhole_b0, kinds: [sim], dispatch: [host] }
tests:
  suites: ['**']
";

fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

fn done(root: &Path, arguments: &[&str]) -> String {
    let output = command(root).args(arguments).output().unwrap();
    let said = text(&output);
    assert!(matches!(output.status.code(), Some(0 | 14)), "{arguments:?}: {said}");
    said
}

/// What a command writes to a terminal of 200 columns, with the letters that move the cursor.
fn on_a_terminal(root: &Path, arguments: &str) -> String {
    let line = format!("stty rows 30 cols 200 && exec '{}' {arguments}", executable().display());
    let mut script = Command::new("script");
    script.args(["--quiet", "--return", "--command", &line, "/dev/null"]).current_dir(root);
    script.env("TERM", "xterm").env("XDG_CONFIG_HOME", root.join("none"));
    let output = script.stdin(std::process::Stdio::null()).output();
    let output = output.unwrap_or_else(|error| panic!("`script` of util-linux: {error}"));
    text(&output)
}

/// The bar counts all three and is removed before the last lines.
fn check_bar(said: &str, command: &str) {
    let last = said.rfind("3/3").unwrap_or_else(|| panic!("{command}: no bar: {said:?}"));
    let rest = said.get(last..).unwrap();
    assert!(said.contains('■'), "{command}: {said:?}");
    assert!(rest.contains("\r\u{1b}[2K"), "{command}: the bar stays: {rest:?}");
}

#[test]
fn a_terminal_shows_a_bar() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    write(root, "suites/group/suite.yaml", SUITE);
    write(root, "suites/conformance-profiles/three.yaml", PROFILE);
    let of = |arguments: &str| check_bar(&on_a_terminal(root, arguments), arguments);
    of("run --arch wormhole_b0");
    of("bless --arch wormhole_b0 --dry-run");
    of("bless --arch wormhole_b0 --yes");
    of("compare --devices sim:wormhole_b0,sim:wormhole_b0");
    done(root, &["certify", "three", "--draft", "-o", "x.hallmark"]);
    of("package verify x.hallmark --draft");
    of("package report x.hallmark --draft -o x.html");
    of("package export x.hallmark --draft --as test-result -o x.json");
    of("package replay x.hallmark");
    // Where there is none, ten seconds have not passed.
    let said = done(root, &["bless", "--arch", "wormhole_b0", "--dry-run"]);
    assert!(!said.contains('■') && !said.contains("progress  "), "{said}");
}

mod with_compiler {
    use super::*;

    /// The files of seven kernels: an ELF and a line table of each, and the lock.
    #[test]
    #[ignore = "needs the cross compiler gcc-riscv64-unknown-elf; run with: cargo nextest run --run-ignored only -E 'test(with_compiler)'"]
    fn builds_of_kernels_show_a_bar_and_not_every_file() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let suite = "about: Kernels.
kernels:
  own: { source: kernels/own.cpp }
cases:
  case:
    about: Nothing is read.
    matrix: { number: [1, 2, 3, 4, 5, 6, 7] }
    steps:
      - create_buffer: { id: a, type: dram, size: 64, page_size: 64 }
      - create_program: { id: program }
      - create_kernel: { id: k, program: program, kernel: own, cores: [0, 0], processor: riscv_0, compile_args: [number] }
      - enqueue_program: { program: program }
      - enqueue_write_buffer: { buffer: a, data: { constant: uint32, value: 1 } }
      - enqueue_read_buffer: { buffer: a, as: out, blocking: true }
    expect:
      - equal: [out, a]
";
        write(root, "suites/group/suite.yaml", suite);
        let kernel = "#include \"api/dataflow/dataflow_api.h\"\nvolatile unsigned x;\nvoid kernel_main() { x = get_compile_time_arg_val(0); }\n";
        write(root, "suites/kernels/own.cpp", kernel);
        let build = "kernels build --arch wormhole_b0";
        let said = on_a_terminal(root, build);
        let said = said.replace("7/7", "3/3");
        check_bar(&said, build);
        assert_eq!(said.matches("changed suites/").count(), 10, "{said}");
        assert!(said.contains("changed 5 others (--verbose names all)"), "{said}");
        assert!(said.contains("7 kernel builds, 15 files changed"), "{said}");
        let check = "kernels check --arch wormhole_b0";
        check_bar(&on_a_terminal(root, check).replace("7/7", "3/3"), check);
        std::fs::remove_dir_all(root.join("suites/kernels/prebuilt/wormhole_b0")).unwrap();
        let output = command(root).args(check.split(' ')).arg("--verbose").output().unwrap();
        let said = text(&output);
        assert_eq!(said.matches("differs: suites/").count(), 14, "{said}");
        assert!(!said.contains("others"), "{said}");
    }
}
