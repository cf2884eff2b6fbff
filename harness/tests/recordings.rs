//! The recordings in `suites/recordings`: captures of real programs under TT-Metalium. Each is the recorder's
//! output, replays on our runtime without a compiler, and works with every command that reads captures.
#![expect(clippy::unwrap_used, reason = "a failing helper fails its test")]

mod common;
#[path = "common/linked_files.rs"]
mod linked_files;

use std::path::{Path, PathBuf};

use common::{command, repository, text};
use hallmark_chip::Architecture;
use hallmark_schema::model::{Capture, Command, ContentHash, RelocationCheck, SharedBytes};
use linked_files::link_files;
use serde_json::Value;

/// The greatest size of a recording: the repository keeps it forever.
const MOST_BYTES: u64 = 32 << 10;

fn recordings() -> Vec<PathBuf> {
    let folder = repository().join("suites/recordings");
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|it| it == "lmb")).collect();
    files.sort();
    assert!(files.len() >= 4, "{files:?}");
    files
}

fn opened(file: &Path) -> Capture {
    Capture::open(&std::fs::read(file).unwrap().into()).unwrap()
}

/// Runs the command in a folder; returns its exit code and its output.
fn hallmark(folder: &Path, arguments: &[&str]) -> (i32, String) {
    let output = command(folder).args(arguments).output().unwrap();
    (output.status.code().unwrap(), text(&output))
}

fn shown(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn recordings_are_what_their_note_says() {
    let note = std::fs::read_to_string(repository().join("suites/recordings/README.md")).unwrap();
    for file in recordings() {
        let name = file.file_name().unwrap().to_str().unwrap();
        assert!(note.contains(&format!("`{name}`")), "the note does not tell of {name}");
        assert!(std::fs::metadata(&file).unwrap().len() <= MOST_BYTES, "{name} is too large");
        let capture = opened(&file);
        let record = capture.record.as_ref().unwrap();
        let origin = record.origin.as_ref().unwrap();
        assert_eq!(origin.executor.release, "0.81.1", "{name}");
        assert_eq!(origin.missing, Vec::<String>::new(), "{name}");
        assert_eq!(origin.relocations, RelocationCheck::Checked, "{name}");
        assert!(!capture.program.placement_bound, "{name}");
        assert_eq!(record.elfs, [], "{name}: TT-Metalium's ELFs are no part of a recording");
        assert!(!capture.program.sources.is_empty(), "{name}");
        for source in &capture.program.sources {
            let bytes = capture.blobs.get(&source.hash).unwrap();
            let text = std::str::from_utf8(bytes).unwrap();
            // The kernels are our own, from suites/kernels or from the program itself, and none is foreign.
            assert!(source.path.starts_with("kernels/"), "{name}: {}", source.path);
            assert!(!text.contains("SPDX-") && !text.contains("Tenstorrent"), "{name}: {text}");
        }
    }
}

#[test]
fn recordings_replay_on_our_runtime_without_a_compiler() {
    let root = repository();
    let kernels = root.join("suites/kernels/prebuilt");
    let folder = tempfile::tempdir().unwrap();
    for file in recordings() {
        let name = shown(&file);
        let captured = opened(&file).program.architecture;
        // The newest of the other architectures: the oldest has fewer banks than a recording may name.
        let other = Architecture::ALL.into_iter().rev().find(|it| *it != captured).unwrap();
        let other = format!("sim:{}", other.name());
        for device in [["--dispatch", "host"], ["--dispatch", "device"], ["--device", &other]] {
            let with = [device.as_slice(), &["--kernels", shown(&kernels)]].concat();
            let (code, said) =
                hallmark(folder.path(), &[["replay", name].as_slice(), &with].concat());
            let words = "every outcome and every read is as captured";
            assert!(code == 0 && said.contains(words), "{name} {device:?}: {said}");
        }
        // TT-Metalium has other buffer addresses on every chip.
        let asked = ["portability", name, "--json", "--kernels", shown(&kernels)];
        let output = command(folder.path()).args(asked).output().unwrap();
        assert_eq!(output.status.code(), Some(10), "{name}: {}", text(&output));
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(answer["verdict"], "adapted", "{name}");
        // Without any kernels, each kernel is one reason.
        let none = folder.path().join("none");
        std::fs::create_dir_all(&none).unwrap();
        let (code, said) = hallmark(folder.path(), &["replay", name, "--kernels", shown(&none)]);
        assert_eq!(code, 11, "{name}: {said}");
        assert!(said.contains("has no ELF for"), "{name}: {said}");
    }
}

/// A recording whose kernels all have another source.
fn with_sources(name: &str, text: &[u8], into: &Path) {
    let mut capture = opened(&repository().join("suites/recordings").join(name));
    let hash = ContentHash::of(text);
    capture.blobs.insert(hash, SharedBytes::from(text.to_vec()));
    capture.program.sources.iter_mut().for_each(|source| source.hash = hash);
    std::fs::write(into, capture.to_bytes().unwrap()).unwrap();
}

#[test]
fn every_kernel_of_a_recording_is_told_of() {
    let root = repository();
    let files = recordings();
    let mut asked = vec!["kernels", "from-metalium"];
    asked.extend(files.iter().map(|file| shown(file)));
    let (code, said) = hallmark(&root, &asked);
    assert_eq!(code, 0, "{said}");
    let created = |file: &PathBuf| {
        let commands = opened(file).program.commands;
        commands.iter().filter(|it| matches!(it.command, Command::CreateKernel(_))).count()
    };
    let all: usize = files.iter().map(created).sum();
    let last = format!("{all} kernels of {} captures: {all} build", files.len());
    assert_eq!(said.lines().last(), Some(last.as_str()), "{said}");
    assert_eq!(said.matches("\n  builds  ").count(), all, "{said}");
    // On every chip, as JSON.
    asked.extend(["--json", "--arch", "blackhole", "--arch", "wormhole_b0"]);
    let output = command(&root).args(&asked).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        [&answer["version"], &answer["kernels"], &answer["build"]],
        [1, 2 * all, 2 * all].map(Value::from).each_ref()
    );
    let captures = answer["captures"].as_array().unwrap();
    assert_eq!(captures.len(), 2 * files.len());
    for capture in captures {
        assert_eq!(capture["recorded_under"], "TT-Metalium 0.81.1");
        for kernel in capture["kernels"].as_array().unwrap() {
            assert_eq!([&kernel["builds"], &kernel["lacks"]], [&Value::from(true), &Value::Null]);
            assert!(kernel["sources"][0].is_string());
        }
    }
    // A capture that Hallmark made itself holds its ELFs. A file that is no capture ends the command.
    let own = "schema/released/1.0/captures/data_movement.lmb";
    let (code, said) = hallmark(&root, &["kernels", "from-metalium", own]);
    assert!(code == 0 && said.contains("recorded under Hallmark"), "{said}");
    let (code, said) = hallmark(&root, &["kernels", "from-metalium", "README.md"]);
    assert!(code == 4 && said.starts_with("error: README.md: "), "{said}");
}

#[test]
fn a_kernel_that_lacks_a_header_is_told_with_it_as_the_replay_tells() {
    let folder = tempfile::tempdir().unwrap();
    let changed = folder.path().join("changed.lmb");
    let text = b"#include \"api/dataflow/dataflow_api.h\"\n#include \"internal/own.h\"\nvoid kernel_main() {}\n";
    with_sources("dram_copy.lmb", text, &changed);
    let (code, said) = hallmark(folder.path(), &["kernels", "from-metalium", shown(&changed)]);
    assert_eq!(code, 11, "{said}");
    let lacks = ":2 includes `internal/own.h`, a header of TT-Metalium 0.81.1 that Hallmark does not have\n";
    assert_eq!(said.matches(lacks).count(), 2, "{said}");
    assert!(said.ends_with("2 kernels of 1 capture: 0 build, 2 lack a header\n"), "{said}");
    let asked = ["kernels", "from-metalium", shown(&changed), "--json"];
    let output = command(folder.path()).args(asked).output().unwrap();
    assert_eq!(output.status.code(), Some(11));
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answer["captures"][0]["kernels"][1]["lacks"]["kind"], "header");
    assert_eq!(hallmark(folder.path(), &["replay", shown(&changed)]).0, 11);
}

mod with_compiler {
    use super::*;

    #[test]
    #[ignore = "needs the cross compiler gcc-riscv64-unknown-elf; run with: cargo nextest run --run-ignored only -E 'test(with_compiler)'"]
    fn a_kernel_that_lacks_a_name_is_told_with_its_line_as_the_replay_tells() {
        let folder = tempfile::tempdir().unwrap();
        let changed = folder.path().join("changed.lmb");
        let mut text = b"void kernel_main() {\n    no_such_call();\n".to_vec();
        for number in 0..9 {
            text.extend(format!("    absent_{number}();\n").into_bytes());
        }
        text.extend(b"}\n");
        with_sources("dram_copy.lmb", &text, &changed);
        let (code, said) = hallmark(folder.path(), &["kernels", "from-metalium", shown(&changed)]);
        assert_eq!(code, 11, "{said}");
        let lacks = ":2: 'no_such_call' was not declared in this scope\n";
        assert_eq!(said.matches(lacks).count(), 2, "{said}");
        assert!(said.ends_with("2 kernels of 1 capture: 0 build, 2 lack a name\n"), "{said}");
        // A replay shows the first of the compiler's errors, and JSON all of them.
        let (code, said) = hallmark(folder.path(), &["replay", shown(&changed)]);
        assert_eq!(code, 11, "{said}");
        assert!(said.contains("'no_such_call' was not declared") && !said.contains("absent_8"));
        assert!(said.contains(" further errors, with hallmark portability --json"), "{said}");
        let asked = ["portability", shown(&changed), "--json"];
        assert!(hallmark(folder.path(), &asked).1.contains("absent_8"));
    }
}

#[test]
fn a_kernel_that_needs_the_vendors_headers_is_one_reason() {
    let folder = tempfile::tempdir().unwrap();
    // Like the kernels of ttnn, includes a header that only TT-Metalium has.
    let text = b"#include \"api/dataflow/dataflow_api.h\"\n#include \"internal/own.h\"\nvoid kernel_main() {}\n";
    let changed = folder.path().join("changed.lmb");
    with_sources("dram_copy.lmb", text, &changed);
    let needs =
        ":2 needs TT-Metalium 0.81.1's own header `internal/own.h`; replay the capture there";
    for asked in ["portability", "replay"] {
        let (code, said) = hallmark(folder.path(), &[asked, shown(&changed)]);
        assert_eq!(code, 11, "{said}");
        // The two kernels, once each.
        assert_eq!(said.lines().count(), 3, "{said}");
        assert_eq!(said.matches(needs).count(), 2, "{said}");
    }
    // Devices that cannot receive the calls do not agree.
    let devices = "sim:wormhole_b0,sim:wormhole_b0 dispatch=device";
    let (_, said) = hallmark(folder.path(), &["compare", shown(&changed), "--devices", devices]);
    assert!(said.contains("0 equal, 0 differ, 1 not compared"), "{said}");
    assert!(said.contains(needs), "{said}");
    let (code, said) = hallmark(folder.path(), &["explain", shown(&changed)]);
    assert!(code != 0 && said.contains(needs), "{said}");
}

#[test]
fn recordings_are_read_by_every_command_for_captures() {
    let root = repository();
    let folder = tempfile::tempdir().unwrap();
    let lines = folder.path().join("lines.jsonl");
    for (number, file) in recordings().iter().enumerate() {
        let name = shown(file);
        let architecture = opened(file).program.architecture;
        let (code, said) = hallmark(&root, &["dump", name]);
        let made = "made from a program under TT-Metalium 0.81.1";
        assert!(code == 0 && said.contains(made), "{name}: {said}");
        let written = ["dump", name, "--format", "jsonl", "-o", shown(&lines)];
        assert_eq!(hallmark(&root, &written), (0, String::new()), "{name}");
        let (code, said) = hallmark(&root, &["diff", name, shown(&lines)]);
        assert_eq!(code, 0, "{name}: {said}");
        let (code, said) = hallmark(&root, &["explain", name]);
        assert!(code == 0 && said.contains("Memory"), "{name}: {said}");
        let devices = format!("sim:{architecture},sim:{architecture} dispatch=device");
        let (code, said) = hallmark(&root, &["compare", name, "--devices", &devices]);
        assert!(code == 0 && said.contains("1 equal, 0 differ"), "{name}: {said}");
        // A suite: the same kernels, at their places in the repository.
        let told = folder.path().join(number.to_string());
        let (code, said) = hallmark(&root, &["dump", name, "--format", "yaml", "-o", shown(&told)]);
        assert_eq!(code, 0, "{name}: {said}");
        let prebuilt = "suites/kernels/prebuilt";
        link_files(&root.join(prebuilt), &told.join(prebuilt));
        let again = folder.path().join("again.lmb");
        let test = format!("{architecture}::dump::capture::captured");
        let captured = ["capture", &test, "--root", shown(&told), "-o", shown(&again)];
        let (code, said) = hallmark(folder.path(), &captured);
        assert_eq!(code, 0, "{name}: {said}");
        assert_eq!(opened(&again).outputs, opened(file).outputs, "{name}");
    }
}
