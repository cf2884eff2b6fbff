//! Hostile text through every command that prints any: no terminal obeys it, no log takes a line of it for a command,
//! and JSON still means the same.
#![expect(clippy::unwrap_used, reason = "a failing helper fails its test")]

mod common;
#[path = "common/firmware_builds.rs"]
#[expect(dead_code, reason = "other tests take more kinds of builds")]
mod firmware_builds;
#[path = "common/linked_files.rs"]
mod linked_files;

use std::path::Path;
use std::process::Output;

use common::{command, repository, text};
use firmware_builds::{Build, builds};
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

/// The colours and weights of letters that Hallmark's own output has with `--color always`.
fn without_colours(said: &str) -> String {
    let mut kept = String::new();
    let mut parts = said.split("\u{1b}[");
    kept.push_str(parts.next().unwrap());
    for part in parts {
        let own = ["0", "1", "2", "4", "31", "32", "33", "34", "35", "36", "39"];
        match part.split_once('m') {
            Some((codes, rest)) if codes.split(';').all(|code| own.contains(&code)) => {
                kept.push_str(rest)
            }
            _ => kept.push_str(&format!("\u{1b}[{part}")),
        }
    }
    kept
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

/// The output of a command, which is safe without colours and with them.
fn said(root: &Path, arguments: &[&str]) -> Output {
    let coloured = hallmark(root, &[arguments, &["--color", "always"]].concat());
    is_safe(&without_colours(&text(&coloured)))
        .unwrap_or_else(|problem| panic!("{arguments:?} --color always: {problem}"));
    let output = hallmark(root, arguments);
    let said = text(&output);
    is_safe(&said).unwrap_or_else(|problem| panic!("{arguments:?}: {problem}"));
    assert!(!said.is_empty(), "{arguments:?}");
    output
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
        let output = said(root, arguments);
        prints_it += u32::from(text(&output).contains("gotcha"));
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

const PASSES: &str = "wormhole_b0::group::suite::passes";
const PROFILE: &str = "suites/conformance-profiles/shown.yaml";

/// A test that passes, and one that does not compile, with hostile text in what people read of them.
fn passing_suite() -> String {
    format!(
        "about: \"{0}\"
cases:
  passes:
    about: \"{0}\"
    steps:
      - create_buffer: {{ id: a, type: dram, size: 64, page_size: 64 }}
      - enqueue_write_buffer: {{ buffer: a, data: {{ constant: uint32, value: 1 }} }}
      - enqueue_read_buffer: {{ buffer: a, as: out, blocking: true }}
    expect:
      - equal: [out, a]
",
        quoted()
    )
}

fn profile(kind: &str, rest: &str) -> String {
    format!(
        "profile: shown
edition: \"{0}\"
about: \"{0}\"
subjects: [simulator, firmware]
devices:
  - {{ architecture: wormhole_b0, kinds: [{kind}], dispatch: [host] }}
tests:
  suites: ['**']
waivers: {{ at_most: 1, longest: 30d }}
{rest}",
        quoted()
    )
}

/// Files that somebody else wrote and an option names: what is right in them is quoted as well as what is wrong.
#[test]
fn no_file_that_an_option_names_is_obeyed() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let write = |path: &str, text: &str| {
        let path = root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    let code = |output: &Output| output.status.code().unwrap();
    write("suites/group/suite.yaml", &passing_suite());
    write(PROFILE, &profile("sim", ""));
    // Firmware with a hostile name, whose tests pass.
    let build = builds(&[Build::Sound]);
    let fw = build.path().join("1.1").display().to_string();
    let fw = fw.as_str();
    let manifest = build.path().join("1.1/manifest.json");
    let text_of = std::fs::read_to_string(&manifest).unwrap();
    let mut named: serde_json::Value = serde_json::from_str(&text_of).unwrap();
    let name = HOSTILE.chars().filter(|letter| *letter != '\0').collect::<String>();
    *named.pointer_mut("/name").unwrap() = name.into();
    std::fs::write(&manifest, serde_json::to_string_pretty(&named).unwrap()).unwrap();
    let quotes = |arguments: &[&str], quotes: bool| {
        let output = said(root, arguments);
        let all = text(&output);
        assert!(all.contains("gotcha") || !quotes, "{arguments:?}: {all}");
        output
    };
    quotes(&["firmware", "check", fw], true);
    let doctor = quotes(&["doctor", "--firmware", fw], true);
    // The name stays in its line of the table.
    let doctor = text(&doctor);
    let line = doctor.lines().find(|line| line.contains("gotcha")).unwrap();
    assert!(line.contains("[2J") && line.contains("##"), "{doctor}");
    quotes(&["doctor", "--firmware", fw, "--json"], true);
    quotes(&["capture", PASSES, "--firmware", fw, "-o", "c.lmb"], false);
    quotes(&["dump", "c.lmb"], true);
    quotes(&["replay", "c.lmb", "--firmware", fw], false);
    quotes(&["run", "--arch", "wormhole_b0", "--firmware", fw], false);
    // Goldens to review, one by one.
    let review = |colour: &str| {
        let mut command = command(root);
        command.args(["bless", "--arch", "wormhole_b0", "--review", "--color", colour]);
        let mut child = command
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), b"?\ns\n").unwrap();
        text(&child.wait_with_output().unwrap())
    };
    is_safe(&without_colours(&review("always"))).unwrap();
    is_safe(&review("never")).unwrap();
    assert_eq!(code(&said(root, &["bless", "--arch", "wormhole_b0", "--yes"])), 0);
    // A package of that firmware, and every command that reads it.
    let certify = ["certify", "shown", "--firmware", fw, "-o", "x.hallmark", "--draft"];
    quotes(&certify, true);
    assert!(root.join("x.hallmark").is_file());
    for arguments in [
        ["package", "verify", "x.hallmark", "--draft"].as_slice(),
        &["package", "verify", "x.hallmark", "--draft", "--json"],
        &["package", "verify", "x.hallmark"],
        &["package", "replay", "x.hallmark"],
        &["package", "diff", "x.hallmark", "x.hallmark"],
        &["package", "report", "x.hallmark", "--draft", "-o", "x.html"],
        &["package", "export", "x.hallmark", "--draft", "--as", "test-result"],
        &["package", "merge", "x.hallmark", "x.hallmark", "-o", "y.hallmark"],
    ] {
        quotes(arguments, false);
    }
    quotes(&["package", "verify", "x.hallmark", "--draft"], true);
    // Waivers, a baseline, a report, a challenge and lists, right and wrong.
    let wrong = format!("\"{}\": b\n", quoted());
    let waiver = format!(
        "waiver: W-1\ntests: [group::suite::passes]\nmatches: 1\nverdict: DataRace\nreason: \"{0}\"\nissue: \"{0}\"\n\
         from: 2026-11-01\nuntil: 2026-11-30\napproved: \"{0}\"\n",
        quoted()
    );
    for waiver in [waiver.as_str(), &wrong] {
        write("waivers/W-1.yaml", waiver);
        quotes(&[certify.as_slice(), &["--waivers", "waivers"]].concat(), waiver == wrong);
    }
    let bad = "misbehaving:flips_bit:wormhole_b0";
    let with = |option| ["run", "--arch", "wormhole_b0", "--device", bad, option, "known.yaml"];
    quotes(&with("--write-baseline"), false);
    let written = std::fs::read_to_string(root.join("known.yaml")).unwrap();
    let reason = format!("  verdict: Mismatch\n  reason: \"{}\"\n", quoted());
    let known = written.replace("  verdict: Mismatch\n", &reason);
    assert_ne!(known, written);
    for known in [&known, &wrong] {
        write("known.yaml", known);
        quotes(&[with("--baseline").as_slice(), &["--verbose"]].concat(), known == &wrong);
        quotes(&["run", "--arch", "wormhole_b0", "--baseline", "known.yaml"], known == &wrong);
    }
    for file in ["list", "challenge.json", "report.json", "signers"] {
        write(file, &format!("{HOSTILE}\n"));
    }
    write("lined.json", &format!("{{\"{}\": 1}}", quoted()));
    for arguments in [
        ["report", "merge", "report.json", "report.json", "-o", "m.json"].as_slice(),
        &["report", "merge", "lined.json", "lined.json", "-o", "m.json"],
        &["package", "verify", "x.hallmark", "--draft", "--signers", "signers"],
        &["package", "verify", "x.hallmark", "--draft", "--lock", "list"],
        &["package", "verify", "x.hallmark", "--draft", "--challenge", "lined.json"],
        &["certify", "shown", "-o", "z.hallmark", "--challenge", "lined.json"],
        &["profile", PASSES, "--baseline", "list"],
        &["bisect", PASSES, "--over", "firmware", "--firmware-list", "list", "--bad", "sim"],
        &["compare", PASSES, "--devices", "sim:wormhole_b0,sim:wormhole_b0", "--results", "list"],
        &["kernels", "check"],
        &["kernels", "build"],
        &["kernels", "from-metalium", "c.lmb"],
    ] {
        quotes(arguments, false);
    }
    // Profiles with mistakes; what is wrong is quoted.
    let scored = profile("sim", "score: { at_least: 1, of: 2 }\n");
    write(PROFILE, &scored);
    quotes(&["certify", "lock", "shown", "--found", "list", "-o", "lock.json"], false);
    for profile in [profile("sim", &wrong), profile(&format!("\"{}\"", quoted()), "")] {
        write(PROFILE, &profile);
        for arguments in [
            ["certify", "shown", "--draft", "-o", "z.hallmark"].as_slice(),
            &["certify", "lock", "shown", "-o", "lock.json"],
            &["package", "verify", "x.hallmark", "--draft", "--profile", PROFILE],
        ] {
            quotes(arguments, true);
        }
    }
    let broken = text_of.replace("\"format\"", &format!("\"{}\"", quoted()));
    std::fs::write(&manifest, broken).unwrap();
    quotes(&["firmware", "check", fw], false);
    quotes(&["doctor", "--firmware", fw], false);
}

mod with_compiler {
    use super::*;

    /// The compiler quotes the kernel.
    #[test]
    #[ignore = "needs the cross compiler gcc-riscv64-unknown-elf; run with: cargo nextest run --run-ignored only -E 'test(with_compiler)'"]
    fn no_message_of_the_compiler_is_obeyed() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        std::fs::create_dir_all(root.join("suites/kernels")).unwrap();
        std::fs::create_dir_all(root.join("suites/group")).unwrap();
        let hostile = HOSTILE.replace('\n', " ");
        let kernel =
            format!("#error \"{hostile}\"\nvoid kernel_main() {{ gotcha \"{hostile}\"; }}\n");
        std::fs::write(root.join("suites/kernels/broken.cpp"), kernel).unwrap();
        let suite = "about: a
kernels:
  broken: { source: kernels/broken.cpp }
cases:
  case:
    about: a
    steps:
      - create_program: { id: program }
      - create_kernel: { id: k, program: program, kernel: broken, cores: [0, 0], processor: riscv_0 }
      - enqueue_program: { program: program }
      - create_buffer: { id: a, type: dram, size: 64, page_size: 64 }
      - enqueue_write_buffer: { buffer: a, data: { constant: uint32, value: 1 } }
      - enqueue_read_buffer: { buffer: a, as: out, blocking: true }
    expect:
      - equal: [out, a]
";
        std::fs::write(root.join("suites/group/suite.yaml"), suite).unwrap();
        for arguments in [["kernels", "build"].as_slice(), &["kernels", "check"], &["run"]] {
            let output = said(root, arguments);
            let is_check = arguments.contains(&"check");
            let all = text(&output);
            assert!(all.contains("gotcha") || is_check, "{arguments:?}: {all}");
        }
    }
}
