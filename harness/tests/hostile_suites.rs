//! Suites of a stranger: a run of their tests brings no file of the machine into captures, reports or messages, and a
//! machine that fails is not the suite's mistake.
#![expect(clippy::unwrap_used, reason = "a failing helper fails its test")]

mod common;

use std::path::Path;

use common::{command, repository, text};

/// What a file outside of the suites holds.
const SECRET: &str = "secret-of-the-runner";
const TEST: &str = "wormhole_b0::group::suite::case";

/// A case whose data, kernel and fragment come from files.
const SUITE: &str = "about: Files.
import: [fragments/shared.yaml]
kernels:
  own: { source: kernels/own.cpp }
cases:
  case:
    about: Bytes of a file come back.
    steps:
      - use: { fragment: buffer }
      - enqueue_write_buffer: { buffer: a, data: { file: data.bin } }
      - create_program: { id: program }
      - create_kernel: { id: kernel, program: program, kernel: own, cores: [0, 0], processor: riscv_0 }
      - enqueue_program: { program: program }
      - enqueue_read_buffer: { buffer: a, as: out, blocking: true }
    expect:
      - equal: [out, a]
";
const FRAGMENTS: &str = "about: Buffers.
fragments:
  buffer:
    about: A buffer.
    steps:
      - create_buffer: { id: a, type: dram, size: 64, page_size: 64 }
";

fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

/// A root with the suite and its files.
fn root() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    write(root, "suites/group/suite.yaml", SUITE);
    write(root, "suites/fragments/shared.yaml", FRAGMENTS);
    let kernel = std::fs::read_to_string(repository().join("suites/kernels/blank.cpp")).unwrap();
    write(root, "suites/kernels/own.cpp", &format!("#include \"own.h\"\n{kernel}"));
    write(root, "suites/kernels/own.h", "");
    write(root, "suites/data.bin", &"x".repeat(64));
    write(root, "secret", &format!("{SECRET}\n").repeat(3));
    folder
}

fn hallmark(root: &Path, arguments: &[&str]) -> (i32, String) {
    let output = command(root).args(arguments).output().unwrap();
    (output.status.code().unwrap(), text(&output))
}

#[test]
fn a_link_in_the_suites_is_refused_by_name_and_read_by_nothing() {
    for link in [
        "suites/group/suite.yaml",
        "suites/fragments/shared.yaml",
        "suites/kernels/own.cpp",
        "suites/kernels/own.h",
        "suites/data.bin",
        "suites/unused",
    ] {
        let folder = root();
        let root = folder.path();
        let _ = std::fs::remove_file(root.join(link));
        std::os::unix::fs::symlink(root.join("secret"), root.join(link)).unwrap();
        for arguments in [
            ["run", "--report", "report.json"].as_slice(),
            &["run", "--exact", TEST],
            &["capture", TEST, "-o", "capture.lmb"],
            &["explain", TEST],
            &["list"],
            &["dump", TEST],
        ] {
            let (code, said) = hallmark(root, arguments);
            assert!(!said.contains(SECRET), "{link} {arguments:?}: {said}");
            // A whole run looks through all files, and one test at its own.
            let is_seen = arguments == ["list"] || arguments.contains(&"--report");
            let path = link.strip_prefix("suites/").unwrap();
            let names = said.contains(path) && said.contains("is a symbolic link");
            assert!(names || !is_seen, "{link} {arguments:?}: {said}");
            // `explain` reads no kernel, `dump` shows a call that failed, and no test uses every file.
            let of_kernel = link.contains("kernels");
            let uses_it =
                !of_kernel || !["explain", "dump"].iter().any(|it| arguments == [*it, TEST]);
            let is_used = uses_it && !link.ends_with("unused");
            assert!(code != 0 || !is_used, "{link} {arguments:?}: {said}");
            assert!(code == 3 || !is_seen, "{link} {arguments:?}: {code} {said}");
        }
    }
}

mod with_compiler {
    use super::*;

    /// A build without a folder to build in says nothing about the kernel.
    #[test]
    #[ignore = "needs the cross compiler gcc-riscv64-unknown-elf; run with: cargo nextest run --run-ignored only -E 'test(with_compiler)'"]
    fn a_machine_that_cannot_build_is_not_the_kernels_mistake() {
        let folder = root();
        let mut command = command(folder.path());
        let output = command.args(["run", "--exact", TEST]).env("TMPDIR", "/nonexistent");
        let output = output.output().unwrap();
        let said = text(&output);
        assert_eq!(output.status.code(), Some(9), "{said}");
        assert!(said.contains("INTERNAL ERROR") && !said.contains("does not compile"), "{said}");
    }
}

/// Tests are listed before their suites are checked, and of such matrices none may be listed.
#[test]
fn a_matrix_without_tests_to_list_is_a_mistake_all_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let case = |matrix: &str| {
        format!(
            "about: x\ncases:\n  c:\n    about: x\n    matrix: {matrix}\n    steps:\n      - finish: {{}}\n"
        )
    };
    let values = |count: usize| (0..count).map(|it| format!("{it}, ")).collect::<String>();
    let large = format!("{{ a: [{}], b: [{}], exclude: [{{ a: 0 }}] }}", values(1000), values(101));
    let refused = |matrix: &str, arguments: &[&str], words: &str| {
        write(folder.path(), "suites/group/suite.yaml", &case(matrix));
        let output = command(folder.path()).args(arguments).output().unwrap();
        let said = text(&output);
        assert!(output.status.code() == Some(3) && said.contains(words), "{arguments:?}: {said}");
    };
    for arguments in [["run"].as_slice(), &["run", "--filter", "a=999"], &["list"]] {
        refused(&large, arguments, "this matrix has 101000 combinations");
    }
    refused("{ a: [1], exclude: [{ a: 1 }] }", &["run"], "every combination is excluded");
}
