//! Files that are not what they should be: one clear error each through the command, the right exit code,
//! in bounded time.

use std::path::Path;
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

use hallmark_schema::model::{Capture, ContentHash};
use hallmark_schema::{VERSION, Version};

use crate::common::{capture_of, code, command, in_parallel, text, with_trailer};
use crate::corrupt_captures::{LOOPBACK, firmware, replay_within_budgets};

/// Far more than a refusal takes on a busy machine: what is not bounded never ends.
const BOUND: Duration = Duration::from_secs(120);

fn bounded(folder: &Path, arguments: &[&str]) -> Output {
    let begin = Instant::now();
    let output = command(folder).args(arguments).stdin(Stdio::null()).output().unwrap();
    assert!(begin.elapsed() < BOUND, "{arguments:?} took {:?}", begin.elapsed());
    output
}

/// One error, on one line, of a file that is named.
fn expect_one_error(output: &Output, file: &str, says: &str) {
    let error = String::from_utf8_lossy(&output.stderr);
    let all = text(output);
    assert_eq!(code(output), Some(4), "{all}");
    assert_eq!(output.stdout, b"", "{all}");
    assert_eq!(error.matches("error: ").count(), 1, "{all}");
    assert_eq!(error.trim_end().lines().count(), 1, "{all}");
    assert!(error.starts_with(&format!("error: {file}: ")) && error.contains(says), "{all}");
    assert!(!error.contains("panicked"), "{all}");
}

/// A file of this version of the format that holds nothing else: a newer format may hold anything.
fn of_version(major: u16, minor: u16) -> Vec<u8> {
    let mut file = Vec::new();
    // The root table is at 16; its fields' table, at 8, has two sizes and the offsets of two fields.
    file.extend_from_slice(&16_u32.to_le_bytes());
    file.extend_from_slice(b"HLMK");
    for half in [8_u16, 8, 4, 6] {
        file.extend_from_slice(&half.to_le_bytes());
    }
    file.extend_from_slice(&8_u32.to_le_bytes());
    file.extend_from_slice(&major.to_le_bytes());
    file.extend_from_slice(&minor.to_le_bytes());
    file.extend_from_slice(b"HLMKBLK3");
    file.extend_from_slice(&[0; 32]);
    with_trailer(file)
}

#[test]
fn files_that_are_no_captures() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let whole = capture_of(LOOPBACK.test);
    std::fs::write(at("whole.lmb"), &whole).unwrap();

    std::fs::write(at("empty"), "").unwrap();
    std::fs::write(at("truncated"), &whole[..whole.len() / 2]).unwrap();
    std::fs::write(at("truncated_a_little"), &whole[..whole.len() - 1]).unwrap();
    std::fs::write(at("text"), "about: a suite\n".repeat(100)).unwrap();
    std::fs::write(at("json"), "{\"no\": \"capture\"}\n").unwrap();
    std::fs::write(at("deep_json"), "{\"a\":".repeat(100_000)).unwrap();
    std::fs::write(at("zeros"), vec![0; 1 << 20]).unwrap();
    let mut flipped = whole.clone();
    flipped[100] ^= 1;
    std::fs::write(at("flipped"), flipped).unwrap();
    let mut other = whole.clone();
    other[4..8].copy_from_slice(b"LMBI");
    std::fs::write(at("identifier"), with_trailer(other)).unwrap();
    let Version { major, minor } = VERSION;
    let newer_major = format!("format {}.0", major + 1);
    let newer_minor = format!("format {major}.{}", minor + 1);
    std::fs::write(at("newer_major"), of_version(major + 1, 0)).unwrap();
    std::fs::write(at("newer_minor"), of_version(major, minor + 1)).unwrap();
    std::fs::write(at("older"), of_version(major - 1, 0)).unwrap();
    std::fs::write(at("only_a_version"), of_version(major, minor)).unwrap();
    std::fs::create_dir(at("folder")).unwrap();
    // As large as one likes, and nothing on the disk.
    std::fs::File::create(at("endless")).unwrap().set_len(1 << 40).unwrap();
    // Smaller than a journal may be, and larger than a capture: refused before the rest of it is read.
    for (file, beginning) in [("sparse", &b""[..]), ("sparse_capture", &whole)] {
        std::fs::write(at(file), beginning).unwrap();
        let file = std::fs::File::options().write(true).open(at(file)).unwrap();
        file.set_len(2 << 30).unwrap();
    }
    std::os::unix::fs::symlink("/dev/zero", at("zero")).unwrap();
    std::os::unix::fs::symlink("absent", at("dangling")).unwrap();
    let pipe = rustix::fs::mknodat(
        rustix::fs::CWD,
        at("pipe"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
        0,
    );
    pipe.unwrap();

    let cases = [
        ("empty", "the file has only 0 B"),
        ("truncated", "the file has no trailer"),
        ("truncated_a_little", "the file has no trailer"),
        ("text", "the file has no trailer"),
        ("json", "line 1"),
        ("deep_json", "line 1"),
        ("zeros", "the file has no trailer"),
        ("flipped", "the file was changed after it was written"),
        ("identifier", "its identifier is \"LMBI\""),
        ("newer_major", newer_major.as_str()),
        ("newer_minor", newer_minor.as_str()),
        ("older", "does not read"),
        ("only_a_version", "container, program: the value is missing"),
        ("folder", "it is no file"),
        ("endless", "it has more than"),
        ("sparse", "it has more than 1073741824 B"),
        ("sparse_capture", "it has more than 1073741824 B"),
        ("zero", "it is no file"),
        ("dangling", "No such file"),
        ("absent", "No such file"),
        ("pipe", "it is no file"),
    ];
    for (file, says) in cases {
        for arguments in [
            &["dump", file][..],
            &["replay", file],
            &["diff", file, "whole.lmb"],
            &["diff", "whole.lmb", file],
        ] {
            expect_one_error(&bounded(folder.path(), arguments), file, says);
        }
    }
    for version in [&newer_major, &newer_minor] {
        let file = if version == &newer_major { "newer_major" } else { "newer_minor" };
        let all = text(&bounded(folder.path(), &["dump", file]));
        assert!(all.contains(&format!("use a Hallmark of {version} or later")), "{all}");
    }
    // The errors lie in the files: the same commands take the whole one.
    assert_eq!(code(&bounded(folder.path(), &["dump", "whole.lmb"])), Some(0));
    assert_eq!(code(&bounded(folder.path(), &["replay", "whole.lmb"])), Some(0));
    assert_eq!(code(&bounded(folder.path(), &["diff", "whole.lmb", "whole.lmb"])), Some(0));
}

#[test]
fn every_form_of_a_capture_is_replayed() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("a.lmb"), capture_of(LOOPBACK.test)).unwrap();
    let dumped = bounded(folder.path(), &["dump", "a.lmb", "--format", "jsonl", "-o", "a.jsonl"]);
    assert_eq!(code(&dumped), Some(0), "{}", text(&dumped));
    let replayed = bounded(folder.path(), &["replay", "a.jsonl"]);
    assert_eq!(code(&replayed), Some(0), "{}", text(&replayed));
}

fn run_suite(yaml: &[u8]) -> Output {
    let folder = tempfile::tempdir().unwrap();
    let suites = folder.path().join("suites/group");
    std::fs::create_dir_all(&suites).unwrap();
    std::fs::write(suites.join("hostile.yaml"), yaml).unwrap();
    let output = bounded(folder.path(), &["run"]);
    assert!(!folder.path().join("goldens").exists());
    output
}

#[test]
fn suites_that_are_bombs() {
    let mut laughs = "about: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..12 {
        let before = format!("*a{}, ", level - 1).repeat(9);
        laughs += &format!("a{level}: &a{level} [{before}*a{}]\n", level - 1);
    }
    let case = |steps: &str| format!("about: x\ncases:\n  c:\n    about: x\n    steps: {steps}\n");
    let deep_block: String =
        (0..5000).map(|depth| format!("{}a:\n", " ".repeat(depth))).collect::<String>();
    let bombs: Vec<(&str, Vec<u8>)> = vec![
        ("aliases", laughs.into_bytes()),
        ("flow depth", case(&"[".repeat(200_000)).into_bytes()),
        ("closed flow depth", case(&format!("{}{}", "[".repeat(5000), "]".repeat(5000))).into()),
        ("maps in flow", case(&"{a: ".repeat(100_000)).into_bytes()),
        ("block depth", deep_block.into_bytes()),
        ("sequences in a line", case(&"- ".repeat(100_000)).into_bytes()),
        ("nodes", case(&format!("[{}]", "1, ".repeat(1_000_000))).into_bytes()),
        ("size", [&b"about: "[..], &vec![b'x'; 64 << 20]].concat()),
        ("documents", "---\nabout: x\n".repeat(100_000).into_bytes()),
        ("tags", case(&"!!str ".repeat(100_000)).into_bytes()),
        ("zeros", vec![0; 1 << 20]),
        ("no text", (0..=255_u8).cycle().take(1 << 16).collect()),
        ("a deep expression", case(&format!(
            "\n      - create_buffer: {{ id: a, type: dram, size: {}1{}, page_size: 64 }}",
            "(".repeat(100_000),
            ")".repeat(100_000)
        )).into_bytes()),
        ("a long expression", case(&format!(
            "\n      - create_buffer: {{ id: a, type: dram, size: {}1, page_size: 64 }}",
            "1 + ".repeat(100_000)
        )).into_bytes()),
        ("an overflow", case(
            "\n      - create_buffer: { id: a, type: dram, size: 4611686018427387904 * 64, page_size: 64 }",
        ).into_bytes()),
        ("a matrix", format!(
            "about: x\ncases:\n  c:\n    about: x\n    matrix: {{{}}}\n    steps: []\n",
            (0..20).map(|name| format!("k{name}: [1, 2, 3, 4, 5, 6, 7, 8, 9], ")).collect::<String>()
        ).into_bytes()),
    ];
    for (name, bomb) in &bombs {
        let output = run_suite(bomb);
        let all = text(&output);
        let all = all.chars().take(2000).collect::<String>();
        assert_eq!(code(&output), Some(3), "{name}: {all}");
        assert!(all.contains("error: "), "{name}: {all}");
        assert!(all.contains("nothing runs"), "{name}: {all}");
        assert!(!all.contains("panicked"), "{name}: {all}");
        let length = output.stdout.len() + output.stderr.len();
        assert!(length < 64 << 10, "{name}: a mistake of {length} B");
    }
    println!("{} bombs, each refused with a mistake", bombs.len());
}

#[test]
fn a_suite_cannot_ask_for_data_without_bound() {
    let steps = "
      - create_buffer: { id: a, type: dram, size: 4611686018427387904, page_size: 4096 }
      - enqueue_write_buffer: { buffer: a, data: { constant: uint32, value: 0 } }
      - enqueue_read_buffer: { buffer: a, as: out }
      - finish: {}
    expect:
      - equal: [out, a]";
    let yaml = format!("about: x\ncases:\n  c:\n    about: x\n    steps: {steps}\n");
    let output = run_suite(yaml.as_bytes());
    let all = text(&output);
    assert_eq!(code(&output), Some(3), "{all}");
    assert!(all.contains("nothing runs") && !all.contains("panicked"), "{all}");
}

/// The capture with its first ELF replaced everywhere.
fn with_elf(capture: &Capture, elf: &[u8]) -> Capture {
    let mut changed = capture.clone();
    let record = changed.record.as_mut().unwrap();
    let before = record.elfs[0].hash;
    let hash = ContentHash::of(elf);
    for known in &mut record.elfs {
        if known.hash == before {
            known.hash = hash;
        }
    }
    changed.blobs.remove(&before);
    changed.blobs.insert(hash, elf.into());
    changed
}

#[test]
fn hostile_elfs_end_in_a_verdict() {
    hostile_elfs(9);
}

#[test]
#[ignore = "two minutes; scripts/nightly runs it"]
fn all_hostile_elfs_end_in_a_verdict() {
    hostile_elfs(1);
}

/// Replays a capture with changed ELFs: one of every `sparse` changes.
fn hostile_elfs(sparse: usize) {
    let firmware = firmware();
    let capture = LOOPBACK.capture();
    let hash = capture.record.as_ref().unwrap().elfs[0].hash;
    let elf = capture.blobs[&hash].to_vec();
    assert_eq!(&elf[..4], b"\x7fELF");
    assert!(replay_within_budgets(&with_elf(&capture, &elf), &firmware).unwrap().agrees());

    let mut hostile: Vec<Vec<u8>> = vec![Vec::new(), vec![0; 4096], b"\x7fELF".to_vec()];
    for length in (0..elf.len()).step_by(16 * sparse) {
        hostile.push(elf[..length].to_vec());
    }
    // Each word set to what offsets, sizes and counts fear most; then a bit of every other byte.
    const FEARED: [u32; 3] = [0, 0x7fff_ffff, u32::MAX];
    for (number, at) in (0..elf.len().saturating_sub(4)).step_by(4).enumerate() {
        for value in FEARED.iter().skip(number % sparse).step_by(sparse) {
            let mut changed = elf.clone();
            changed[at..at + 4].copy_from_slice(&value.to_le_bytes());
            hostile.push(changed);
        }
    }
    for at in (0..elf.len()).step_by(2 * sparse) {
        let mut changed = elf.clone();
        changed[at] ^= 1 << (at / (2 * sparse) % 8);
        hostile.push(changed);
    }
    let verdicts = in_parallel(hostile.len(), |index| {
        let begin = Instant::now();
        let changed = with_elf(&capture, &hostile[index]);
        // It is a capture as good as any: nothing about an ELF is a rule of the format.
        let changed = Capture::from_bytes(&changed.to_bytes().unwrap()).unwrap();
        let verdict = match replay_within_budgets(&changed, &firmware) {
            Ok(report) if report.agrees() => 0,
            Ok(_) => 1,
            Err(hallmark_runtime::ReplayError::Internal { error, .. }) => panic!("{error}"),
            Err(hallmark_runtime::ReplayError::Stopped(error)) => panic!("{error}"),
            Err(error) => {
                assert!(!error.to_string().is_empty());
                2
            }
        };
        assert!(begin.elapsed() < BOUND, "{:?}", begin.elapsed());
        verdict
    });
    let count = |wanted| verdicts.iter().filter(|verdict| **verdict == wanted).count();
    let (agreed, differed, refused) = (count(0), count(1), count(2));
    println!(
        "{} ELFs: {agreed} ran as before, {differed} otherwise, {refused} were refused",
        hostile.len()
    );
    assert!(agreed > 0 && differed > 0);

    // Through the command, in a process of its own.
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("zeros.lmb"),
        with_elf(&capture, &[0; 4096]).to_bytes().unwrap(),
    )
    .unwrap();
    let replay = bounded(folder.path(), &["replay", "zeros.lmb"]);
    let all = text(&replay);
    assert_eq!(code(&replay), Some(1), "{all}");
    assert!(all.contains("ELF") && !all.contains("panicked"), "{all}");
}

#[test]
fn a_missing_golden_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let suites = folder.path().join("suites/group");
    std::fs::create_dir_all(&suites).unwrap();
    let suite = "about: x\ncases:\n  c:\n    about: x\n    steps:\n      - create_buffer: { id: a, type: dram, size: 100, page_size: 64 }\n        expect_error: { code: SizeNotPageMultiple, size: 100, page_size: 64 }\n";
    std::fs::write(suites.join("one.yaml"), suite).unwrap();
    let run = bounded(folder.path(), &["run"]);
    let all = text(&run);
    assert_eq!(code(&run), Some(7), "{all}");
    let line = "NO GOLDEN 2 tests of suites/group/one.yaml; to accept: hallmark bless suites/group/one.yaml";
    assert!(all.contains(line), "{all}");
    assert!(!folder.path().join("goldens").exists(), "a run writes no golden");
}
