//! The effects of `--firmware`: program bytes stay, addresses move, and another launch ABI is refused.
#![expect(clippy::unwrap_used, reason = "a failing helper fails its test")]

mod common;

use std::process::Output;

use common::{command, repository, text};

fn hallmark(arguments: &[&str]) -> Output {
    command(&repository()).args(arguments).output().unwrap()
}

/// The built-in bundle with replaced texts in its manifest.
fn bundle(replacements: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let source = repository().join("runtime/firmware/bundles/hallmark-1/wormhole_b0");
    for entry in std::fs::read_dir(source).unwrap() {
        let path = entry.unwrap().path();
        std::fs::copy(&path, folder.path().join(path.file_name().unwrap())).unwrap();
    }
    let manifest = folder.path().join("manifest.json");
    let mut content = std::fs::read_to_string(&manifest).unwrap();
    for (from, to) in replacements {
        assert!(content.contains(from), "the manifest holds no {from}");
        content = content.replace(from, to);
    }
    std::fs::write(manifest, content).unwrap();
    folder
}

#[test]
fn another_memory_map_changes_addresses_and_no_program_byte() {
    // The base of circular buffers moves up by 28 KiB, and every address above it too.
    let other = bundle(&[("\"hallmark-1\"", "\"other\""), ("98304", "126976")]);
    let firmware = other.path().to_str().unwrap();
    let suites = ["suites/circular_buffers", "suites/semaphores", "suites/faults"];
    let run = ["run", "--arch", "wormhole_b0", "--firmware", firmware];
    let run = hallmark(&[&run, suites.as_slice()].concat());
    assert!(run.status.success(), "goldens still hold: {}", text(&run));

    let test = "wormhole_b0::circular_buffers::pipeline::two_inputs";
    let [before, after] = ["before.lmb", "after.lmb"].map(|name| other.path().join(name));
    let [before, after] = [before.to_str().unwrap(), after.to_str().unwrap()];
    let captured = hallmark(&["capture", test, "-o", before]);
    assert!(captured.status.success(), "{}", text(&captured));
    let captured = hallmark(&["capture", test, "-o", after, "--firmware", firmware]);
    assert!(captured.status.success(), "{}", text(&captured));
    let diff = hallmark(&["diff", before, after]);
    assert!(diff.status.success(), "derived and volatile fields may differ: {}", text(&diff));
    assert!(text(&diff).contains("in_a is at 0x18000 → 0x1f000"), "{}", text(&diff));

    // A capture of one firmware replays on the other.
    let replay = hallmark(&["replay", before, "--firmware", firmware]);
    assert!(replay.status.success(), "{}", text(&replay));
}

#[test]
fn another_launch_abi_is_refused_with_the_reason() {
    let other = bundle(&[("\"launch_abi\": 1", "\"launch_abi\": 2")]);
    let firmware = other.path().to_str().unwrap();
    let run = hallmark(&["run", "--arch", "wormhole_b0", "--firmware", firmware, "suites/noc"]);
    assert!(!run.status.success());
    assert!(text(&run).contains("the bundle has launch ABI 2"), "{}", text(&run));
}

/// The built-in bundle as files, a bundle of those ELFs under another name, and what is wrong with others.
#[test]
fn bundles_are_written_made_and_checked() {
    let home = tempfile::tempdir().unwrap();
    let firmware = |arguments: &[&str]| {
        let said = command(home.path()).arg("firmware").args(arguments).output().unwrap();
        (said.status.code().unwrap(), text(&said))
    };
    let chip = ["--arch", "blackhole"];
    let (code, said) = firmware(&[["export", "out/builtin"].as_slice(), &chip].concat());
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("out/builtin: `hallmark-1` for blackhole, launch ABI 1"), "{said}");
    assert!(said.contains("`hallmark certify` does not accept it as a subject"), "{said}");
    let committed = repository().join("runtime/firmware/bundles/hallmark-1/blackhole");
    for entry in std::fs::read_dir(committed).unwrap() {
        let path = entry.unwrap().path();
        let written = home.path().join("out/builtin").join(path.file_name().unwrap());
        let is_same = std::fs::read(&path).unwrap() == std::fs::read(written).unwrap();
        assert!(is_same || path.ends_with("manifest.json"), "{}", path.display());
    }
    let new = ["new", "out/mine", "--name", "mine 2", "--elfs", "out/builtin"];
    let (code, said) = firmware(&[new.as_slice(), &chip].concat());
    assert!(code == 0 && said.contains("out/mine: `mine 2` for blackhole"), "{said}");
    let (code, said) = firmware(&[new.as_slice(), &chip].concat());
    assert!(code == 2 && said.contains("it is not empty; name another folder"), "{said}");

    let mine = |file: &str| home.path().join("out/mine").join(file);
    std::fs::write(mine("notes.txt"), "a note").unwrap();
    let (code, said) = firmware(&["check", "out/mine"]);
    assert!(code == 0 && said.contains("no part of the bundle: notes.txt"), "{said}");
    let manifest = std::fs::read_to_string(mine("manifest.json")).unwrap();
    for (from, to, words) in [
        ("\"blackhole\"", "\"bluehole\"", "manifest.json: "),
        ("\"blackhole\"", "\"wormhole_b0\"", "data_cache"),
        ("\"launch_abi\": 1", "\"launch_abi\": 2", "the bundle has launch ABI 2"),
        ("\"brisc.elf\"", "\"absent.elf\"", "absent.elf"),
        ("{", "", "manifest.json"),
    ] {
        assert!(manifest.contains(from));
        std::fs::write(mine("manifest.json"), manifest.replacen(from, to, 1)).unwrap();
        let (code, said) = firmware(&["check", "out/mine"]);
        assert!(code == 1 && said.contains(words), "{words}: {code} {said}");
    }
    let (code, said) = firmware(&["check", "out/absent"]);
    assert!(code == 1 && said.contains("cannot read manifest.json"), "{said}");
}
