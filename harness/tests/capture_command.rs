//! `hallmark capture -- COMMAND`: refusals before the command runs, each with one sentence and no file.
#![expect(clippy::unwrap_used, reason = "a failing helper fails its test")]

mod common;

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use common::{command, repository, text};

/// A folder with programs and a file of an earlier capture.
fn scene() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let program = |name: &str, content: &[u8], mode| {
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    program("runs", b"#!/bin/sh\necho it ran >ran\n", 0o755);
    program("data", b"data", 0o644);
    program("out.lmb", b"an earlier capture", 0o644);
    // The header of a 64-bit program for x86 without an interpreter for its libraries.
    let mut fixed = b"\x7fELF\x02\x01\x01".to_vec();
    fixed.resize(16, 0);
    fixed.extend([2, 0, 62, 0, 1, 0, 0, 0]);
    fixed.resize(32, 0);
    fixed.push(64);
    fixed.resize(52, 0);
    fixed.extend([64, 0, 56, 0, 1, 0, 64, 0, 0, 0, 0, 0]);
    fixed.push(1);
    fixed.resize(64 + 56, 0);
    program("fixed", &fixed, 0o755);
    folder
}

/// The error text without the folder's name. Nothing runs, and the earlier file stays.
fn refused(folder: &Path, arguments: &[&str]) -> (i32, String) {
    let mut hallmark = command(folder);
    for name in ["PYTHONPATH", "LD_LIBRARY_PATH", "GITHUB_ACTIONS"] {
        hallmark.env_remove(name);
    }
    let before = std::fs::read_dir(folder).unwrap().count();
    let output = hallmark.arg("capture").args(arguments).output().unwrap();
    assert_eq!(std::fs::read_dir(folder).unwrap().count(), before, "{arguments:?}");
    assert_eq!(std::fs::read(folder.join("out.lmb")).unwrap(), b"an earlier capture");
    assert!(!folder.join("ran").exists(), "{arguments:?}");
    let said = text(&output).replace(folder.to_str().unwrap(), "…");
    (output.status.code().unwrap(), said.trim_end().to_owned())
}

#[test]
fn a_command_that_cannot_be_captured_is_one_sentence_and_does_not_run() {
    let folder = scene();
    let says = |arguments: &[&str], code: i32, words: &str| {
        let (found, said) = refused(folder.path(), &[&["-o", "out.lmb"], arguments].concat());
        assert_eq!((found, said.lines().count()), (code, 1), "{said}");
        assert!(said.contains(words), "{said}");
    };
    says(&["--", "./missing"], 2, "there is no program ./missing");
    says(&["--", "a-program-that-nobody-has"], 2, "name one that is on PATH, or give its path");
    says(&["--", "./data"], 2, "./data cannot be executed");
    says(&["--", "./fixed", "1"], 2, "./fixed is statically linked");
    says(&["--", "./runs"], 2, "name the folder of the ttnn wheel by --device metalium:SITE");
    says(&["--device", "sim", "--", "./runs"], 2, "`sim` is not what a command is captured with");
    let with_chip = ["--device", "metalium:/site@ttsim:/lib.so", "--", "./runs"];
    says(&with_chip, 2, "the command chooses its chip by itself");
    let twice = ["--device", "metalium:/a", "--device", "metalium:/b", "--", "./runs"];
    says(&twice, 2, "a command is captured with one --device");
    says(&["--device", "metalium:/nowhere", "--", "./runs"], 5, "/nowhere is not a folder");
    let device = format!("metalium:{}", repository().display());
    says(&["--device", &device, "--", "./runs"], 5, "holds no ttnn/build/lib/libtt_metal.so");
}

#[test]
fn a_selection_that_can_hold_nothing_is_refused() {
    let folder = scene();
    let says = |arguments: &[&str], words: &str| {
        let command = ["-o", "out.lmb", "--", "./runs"];
        let (found, said) = refused(folder.path(), &[arguments, &command].concat());
        assert_eq!(found, 2, "{said}");
        assert!(said.contains(words), "{said}");
    };
    says(&["--only", "add", "--skip", "3"], "'--only <OPERATION>' cannot be used with");
    says(&["--from", "4", "--until", "3"], "--from 4 --until 3 is empty");
    says(&["--from", "4", "--only", "3"], "--only 3 is outside of the range");
    says(&["--only", "ttnn.add"], "a name of letters, digits and underscores");
    for option in [&["--only", "add"][..], &["--until", "3"], &["--no-data"]] {
        let of_test = [&["a::b::c", "-o", "out.lmb"], option].concat();
        let (found, said) = refused(folder.path(), &of_test);
        assert_eq!(found, 2);
        assert!(said.contains("cannot be used with"), "{said}");
    }
}

#[test]
fn a_test_and_a_command_are_two_captures() {
    let folder = scene();
    let (code, said) = refused(folder.path(), &["a::b::c", "-o", "out.lmb", "--", "./runs"]);
    assert_eq!(code, 2);
    assert!(said.contains("cannot be used with"), "{said}");
    let (code, said) = refused(folder.path(), &["-o", "out.lmb"]);
    assert_eq!(code, 2);
    assert!(said.contains("hallmark capture TEST -o FILE"), "{said}");
    assert!(said.contains("-- COMMAND"), "{said}");
    let (code, said) = refused(folder.path(), &["-o", ".", "--", "./runs"]);
    assert_eq!(code, 2);
    assert!(said.contains(". is a folder; name a file"), "{said}");
}

#[test]
fn options_of_tests_are_refused_beside_a_command_with_what_to_do() {
    let folder = scene();
    let device = format!("metalium:{}", repository().display());
    let says = |arguments: &[&str], words: &str| {
        let command = ["--device", &device, "--", "./runs"];
        let (code, said) =
            refused(folder.path(), &[&["-o", "out.lmb"], arguments, &command].concat());
        assert_eq!((code, said.lines().count()), (2, 1), "{said}");
        assert!(said.contains(words), "{said}");
    };
    says(&["--dispatch", "device"], "set TT_METAL_SLOW_DISPATCH_MODE=1 to have the host dispatch");
    // The refusal also covers the default value.
    says(&["--dispatch", "host"], "leave --dispatch out");
    says(&["--firmware", "."], "a command runs on TT-Metalium's own firmware");
    says(&["--replay-device", "sim"], "`hallmark replay FILE --device EXECUTOR`");
    says(&["--schedule-seed", "0"], "`hallmark replay FILE --schedule-seed NUMBER`");
    says(&["--root", "."], "--root is for tests");
    // The variables are the user's settings for tests and do not concern this command.
    let mut hallmark = command(folder.path());
    hallmark.env("HALLMARK_DISPATCH", "device").env("HALLMARK_ROOT", ".");
    let output = hallmark.args(["capture", "-o", "out.lmb", "--device", &device, "--", "./runs"]);
    let said = text(&output.output().unwrap());
    assert!(said.contains("holds no ttnn/build/lib/libtt_metal.so"), "{said}");
}

#[test]
fn a_recording_that_was_left_is_converted_instead_of_a_command() {
    let folder = scene();
    let says = |arguments: &[&str], code: i32, words: &str| {
        let (found, said) = refused(folder.path(), &[&["-o", "out.lmb"], arguments].concat());
        assert_eq!(found, code, "{said}");
        assert!(said.contains(words), "{said}");
    };
    says(&["--recording", "nowhere"], 4, "nowhere holds no recording");
    says(&["--recording", "."], 4, "name a folder .hallmark-recording-… that `hallmark capture`");
    says(&["--recording", ".", "--", "./runs"], 2, "cannot be used with");
    says(&["--recording", ".", "a::b::c"], 2, "cannot be used with");
    says(&["--recording", ".", "--check-relocations"], 2, "cannot be used with");
    std::fs::write(folder.path().join("1.journal"), "no recording").unwrap();
    says(&["--recording", "."], 4, "1.journal: the file is no recording of TT-Metalium");
}
