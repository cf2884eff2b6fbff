//! Suites of a stranger: a run of their tests brings no file of the machine into captures, reports or messages, and a
//! machine that fails is not the suite's mistake.
#![expect(clippy::unwrap_used, reason = "a failing helper fails its test")]

mod common;

use std::path::Path;

use common::{command, repository, text};

/// What a file outside of the suites holds.
const SECRET: &str = "secret-of-the-runner";
const TEST: &str = "wormhole_b0::group::suite::case";

/// A profile without its name.
const PROFILE_OF_ALL: &str = "edition: '1'
about: All tests.
subjects: [simulator]
devices:
  - { architecture: wormhole_b0, kinds: [sim], dispatch: [host] }
tests:
  suites: ['**']
";

/// A case that needs no compiler.
const PLAIN: &str = "about: A buffer.
cases:
  case:
    about: Bytes come back.
    steps:
      - create_buffer: { id: a, type: dram, size: 64, page_size: 64 }
      - enqueue_write_buffer: { buffer: a, data: { constant: uint32, value: 1 } }
      - enqueue_read_buffer: { buffer: a, as: out, blocking: true }
    expect:
      - equal: [out, a]
";

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

/// A profile, a waiver, a baseline and other files that an option names lie in the root, and are read whole: errors
/// quote their lines.
#[test]
fn a_link_in_the_root_is_read_by_no_option() {
    const PROFILE: &str = "suites/conformance-profiles/first.yaml";
    const LOCK: &str = "suites/kernels/prebuilt/wormhole_b0.lock";
    let by_link =
        std::env::temp_dir().join(format!("hallmark-root-by-link-{}", std::process::id()));
    for (link, arguments, code) in [
        (PROFILE, ["certify", "first"].to_vec(), 3),
        (PROFILE, ["certify", PROFILE].to_vec(), 3),
        (PROFILE, ["certify", "lock", "first", "-o", "lock.json"].to_vec(), 3),
        ("known.yaml", ["run", "--exact", TEST, "--baseline", "known.yaml"].to_vec(), 2),
        ("known.yaml", ["run", "--exact", TEST, "--baseline", "suites/../known.yaml"].to_vec(), 2),
        ("known.yaml", ["run", "--exact", TEST, "--write-baseline", "known.yaml"].to_vec(), 2),
        (LOCK, ["run", "--exact", TEST].to_vec(), 1),
        ("suites/kernels/prebuilt", ["run"].to_vec(), 3),
    ] {
        let folder = root();
        let root = folder.path();
        let path = root.join(link);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        // The secret is the content of a file, and of the file that is looked for in a folder.
        let outside = tempfile::tempdir().unwrap();
        let target = match link {
            "suites/kernels/prebuilt" => outside.path().to_owned(),
            _ => root.join("secret"),
        };
        write(outside.path(), "wormhole_b0.lock", &format!("{SECRET}\n").repeat(3));
        std::os::unix::fs::symlink(&target, &path).unwrap();
        let (refused, said) = hallmark(root, &arguments);
        assert!(!said.contains(SECRET), "{link} {arguments:?}: {said}");
        assert!(said.contains("is a symbolic link"), "{link} {arguments:?}: {said}");
        assert_eq!(refused, code, "{link} {arguments:?}: {said}");
        // The root may be named by a link, which is the user's.
        std::os::unix::fs::symlink(root, &by_link).unwrap();
        let by_root = [arguments.as_slice(), &["--root", by_link.to_str().unwrap()]].concat();
        let (_, said) = hallmark(root, &by_root);
        std::fs::remove_file(&by_link).unwrap();
        assert!(said.contains("is a symbolic link"), "{link} {by_root:?}: {said}");
    }
}

/// What a certification is given and what a verifier trusts may lie beside a stranger's suites.
#[test]
fn a_link_in_the_root_is_read_by_no_certification_and_no_verifier() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    write(root, "suites/group/suite.yaml", PLAIN);
    let profile = format!("profile: shown\n{PROFILE_OF_ALL}");
    write(root, "suites/conformance-profiles/shown.yaml", &profile);
    let scored = format!("profile: scored\n{PROFILE_OF_ALL}score: {{ at_least: 1, of: 2 }}\n");
    write(root, "suites/conformance-profiles/scored.yaml", &scored);
    write(root, "secret", &format!("{SECRET}\n").repeat(3));
    let (code, said) = hallmark(root, &["bless", "--arch", "wormhole_b0", "--yes"]);
    assert_eq!(code, 0, "{said}");
    let (_, said) = hallmark(root, &["certify", "shown", "--draft", "-o", "x.hallmark"]);
    assert!(root.join("x.hallmark").is_file(), "{said}");
    std::os::unix::fs::symlink(root.join("secret"), root.join("link")).unwrap();
    let verify = ["package", "verify", "x.hallmark", "--draft"];
    assert_eq!(hallmark(root, &verify).0, 14);
    std::fs::create_dir(root.join("waivers")).unwrap();
    std::os::unix::fs::symlink(root.join("secret"), root.join("waivers/w.yaml")).unwrap();
    std::os::unix::fs::symlink(root.join("waivers"), root.join("elsewhere")).unwrap();
    let certify = ["certify", "shown", "--draft", "-o", "y.hallmark"];
    let lock = ["certify", "lock", "scored", "-o", "lock.json"];
    let merge = ["package", "merge", "x.hallmark", "x.hallmark", "-o", "y.hallmark"];
    for (command, option, link, code) in [
        (verify.as_slice(), "--profile", "link", 3),
        (&verify, "--signers", "link", 2),
        (&verify, "--revoked", "link", 2),
        (&verify, "--lock", "link", 2),
        (&verify, "--challenge", "link", 2),
        (&merge, "--profile", "link", 3),
        (&certify, "--waivers", "waivers", 3),
        (&certify, "--waivers", "elsewhere", 3),
        (&certify, "--challenge", "link", 2),
        (&lock, "--found", "link", 2),
    ] {
        let (refused, said) = hallmark(root, &[command, &[option, link]].concat());
        assert!(!said.contains(SECRET), "{command:?} {option}: {said}");
        assert!(said.contains("is a symbolic link"), "{command:?} {option}: {said}");
        assert_eq!(refused, code, "{command:?} {option}: {said}");
    }
}

/// What lies outside of the root is the user's own.
#[test]
fn a_link_outside_of_the_root_is_followed() {
    let folder = root();
    let outside = tempfile::tempdir().unwrap();
    write(outside.path(), "real.yaml", "no: baseline\n");
    let link = outside.path().join("known.yaml");
    std::os::unix::fs::symlink(outside.path().join("real.yaml"), &link).unwrap();
    let (code, said) =
        hallmark(folder.path(), &["run", "--exact", TEST, "--baseline", link.to_str().unwrap()]);
    assert!(code == 2 && said.contains("no: baseline"), "{code} {said}");
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
