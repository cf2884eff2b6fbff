//! Which version broke it: firmware, releases of Hallmark, simulators' libraries, captures and executors as axes of
//! `hallmark bisect --over versions`.
#![expect(clippy::unwrap_used, reason = "a failing helper fails its test")]

mod common;
#[path = "common/firmware_builds.rs"]
mod firmware_builds;
#[path = "common/simulator_library.rs"]
mod simulator_library;

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use common::{command, executable, repository, text};
use firmware_builds::{Build, builds};
use simulator_library::simulator_library;

/// Names an executable of an earlier release for the tests that can do without one.
const OLDER: &str = "HALLMARK_TEST_OLDER_RELEASE";

/// Captures a copy of a page by a kernel on one of the two processors that move data.
fn capture(folder: &Path, processor: &str) -> String {
    let test = format!(
        "wormhole_b0::dataflow::loopback::one_core::pages=1::page_size=32::processor={processor}::noc=noc_0"
    );
    let file = folder.join(format!("{processor}.lmb")).to_str().unwrap().to_owned();
    let captured = command(&repository()).args(["capture", &test, "-o", &file]).output().unwrap();
    assert!(captured.status.success(), "{}", text(&captured));
    file
}

/// Searches in a folder, so that versions are named by short paths.
fn search(folder: &Path, subject: &str, more: &[&str]) -> (i32, String) {
    let mut bisect = command(folder);
    bisect.args(["bisect", subject, "--over", "versions"]).args(more);
    let output = bisect.output().unwrap();
    (output.status.code().unwrap(), text(&output))
}

fn has_all(text: &str, words: &[&str]) {
    for words in words {
        assert!(text.contains(words), "no `{words}` in {text}");
    }
}

#[test]
fn the_first_bad_build_of_firmware_is_found_whatever_cannot_be_told() {
    use Build::{Broken, OtherAbi, Sound, Unchanged};
    let bad = Broken("brisc.elf");
    let folder = builds(&[
        Sound, Sound, Unchanged, Sound, OtherAbi, Sound, Sound, bad, bad, bad, Unchanged, bad,
    ]);
    let file = capture(folder.path(), "riscv_0");
    let (code, said) = search(folder.path(), &file, &["--axis", "firmware=1.*"]);
    assert_eq!(code, 0, "{said}");
    has_all(
        &said,
        &[
            "FIRST BAD ",
            " with firmware 1.8\n",
            "  last good firmware 1.7\n",
            "1.5   cannot be told: the bundle has launch ABI 2",
            "1.8   1 of 1 failed, again 1 of 1",
            "1.7   0 of 1 failed, again 0 of 1",
        ],
    );
    assert!(!said.contains("1.11"), "it is the same as 1.10: {said}");
    // Two ends, four halves at most, and both neighbours again.
    let runs = said.split("  runs      ").nth(1).unwrap().trim();
    assert!(runs.parse::<u32>().unwrap() <= 8, "{said}");
    // What cannot be told beside the answer belongs to it.
    let beside = "firmware=1.1,1.2,1.4,1.5,1.8,1.9";
    let (code, said) = search(folder.path(), &file, &["--axis", beside]);
    assert_eq!(code, 0, "{said}");
    has_all(&said, &[" with firmware one of 1.5, 1.8\n", "  last good firmware 1.4\n"]);
    // The other way round it is what mended it.
    let mended = "firmware=1.10,1.9,1.8,1.7,1.6,1.1,builtin";
    let (code, said) = search(folder.path(), &file, &["--axis", mended, "--json"]);
    assert_eq!(code, 0, "{said}");
    let said: serde_json::Value = serde_json::from_str(&said).unwrap();
    assert_eq!((&said["effect"], &said["conclusion"]), (&"mends".into(), &"found".into()));
    let culprit = &said["culprits"][0][0];
    assert_eq!((&culprit["axis"], &culprit["last"]), (&"firmware".into(), &"1.8".into()));
    assert_eq!(culprit["first_one_of"], serde_json::json!(["1.7"]));
    // No difference is no answer.
    let (code, said) = search(folder.path(), &file, &["--axis", "firmware=1.1,1.2,1.4"]);
    assert_eq!(code, 12, "{said}");
    has_all(&said, &["INCONCLUSIVE", "passes with the first version and with the last one"]);
}

#[test]
fn a_defect_that_needs_two_axes_is_told_from_one_that_needs_one() {
    use Build::{Broken, Sound};
    let bad = Broken("ncrisc.elf");
    let folder = builds(&[Sound, Sound, bad, bad]);
    let [first, second] = ["riscv_0", "riscv_1"].map(|processor| capture(folder.path(), processor));
    let captures = format!("capture={first},{second}");
    // The other firmware fails only what runs on that core.
    let axes = ["--axis", "firmware=1.*", "--axis", &captures];
    let alone = [["bisect", "--over", "versions"].as_slice(), &axes].concat();
    let output = command(folder.path()).args(alone).output().unwrap();
    let (code, said) = (output.status.code().unwrap(), text(&output));
    assert_eq!(code, 0, "{said}");
    let words =
        format!("with firmware 1.3 together with capture {second}, which does nothing alone");
    has_all(&said, &[&words, "  last good firmware 1.2\n", "  last good capture "]);
    let beside = [["bisect", &first, "--over", "versions"].as_slice(), &axes].concat();
    let refused = command(folder.path()).args(beside).output().unwrap();
    assert_eq!(refused.status.code(), Some(2));
    has_all(&text(&refused), &["stands beside --axis capture=…, which names all captures"]);
    // With the other capture at both ends the firmware does it alone.
    let executors = "executor=sim,sim dispatch=device";
    let axes = ["--axis", "firmware=1.*", "--axis", executors];
    let (code, said) = search(folder.path(), &second, &axes);
    assert_eq!(code, 0, "{said}");
    has_all(
        &said,
        &["with firmware 1.3\n", "  beside    executor makes no difference between its ends\n"],
    );
}

/// An executable that speaks the contract of this one, and whose workers have another firmware.
fn release(folder: &Path, name: &str, contract: u32, firmware: &Path) -> PathBuf {
    let path = folder.join(name);
    let versions = format!(
        "{{\"hallmark\":\"{name}\",\"contracts\":[{contract}],\"format\":{{\"major\":1,\"minor\":99}}}}"
    );
    let script = format!(
        "#!/bin/sh
[ \"$1\" = __hallmark_versions ] && {{ echo '{versions}'; exit; }}
for file in \"$@\"; do
  case \"$file\" in *job.json) sed -i 's#\"firmware\":null#\"firmware\":\"{}\"#' \"$file\";; esac
done
exec \"{}\" \"$@\"
",
        firmware.display(),
        executable().display()
    );
    std::fs::write(&path, script).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path
}

#[test]
fn releases_of_hallmark_are_an_axis() {
    use Build::{Broken, Sound};
    let folder = builds(&[Sound, Broken("brisc.elf")]);
    let file = capture(folder.path(), "riscv_0");
    let [sound, broken] = ["1.1", "1.2"].map(|build| folder.path().join(build));
    release(folder.path(), "0.1", 1, &broken);
    release(folder.path(), "0.2", 1, &broken);
    release(folder.path(), "0.3", 99, &sound);
    release(folder.path(), "0.4", 1, &sound);
    let axis = "hallmark=0.1,0.2,0.3,0.4,this";
    let (code, said) = search(folder.path(), &file, &["--axis", axis]);
    assert_eq!(code, 0, "{said}");
    has_all(
        &said,
        &[
            "FIRST GOOD ",
            " with hallmark one of 0.3, 0.4\n",
            "  last bad  hallmark 0.2\n",
            "0.3   cannot be told: ",
            "it speaks 99, this one",
        ],
    );
}

/// The same with an executable of an earlier release, which must do what this one does.
#[test]
fn an_older_release_makes_no_difference() {
    let Some(older) = std::env::var_os(OLDER) else {
        println!("{OLDER} names no executable");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let file = capture(folder.path(), "riscv_0");
    let axis = format!("hallmark={},this", Path::new(&older).display());
    let (code, said) = search(folder.path(), &file, &["--axis", &axis]);
    assert_eq!(code, 12, "{said}");
    has_all(&said, &["passes with the first version and with the last one"]);
}

#[test]
fn libraries_and_executors_are_axes() {
    let folder = tempfile::tempdir().unwrap();
    let file = capture(folder.path(), "riscv_0");
    // Bytes behind the end of a library change nothing of what it does.
    let library = std::fs::read(simulator_library()).unwrap();
    for version in 1..=3_u8 {
        let bytes = [library.as_slice(), &[version]].concat();
        std::fs::write(folder.path().join(format!("libttsim-1.{version}.so")), bytes).unwrap();
    }
    let (code, said) = search(folder.path(), &file, &["--axis", "ttsim=libttsim-1.*.so"]);
    assert_eq!(code, 12, "{said}");
    has_all(&said, &["passes with the first version and with the last one (axis ttsim)"]);
    // Where nothing can be told because no version can replay the capture, that is what is said.
    let deadlock = "wormhole_b0::faults::deadlock::semaphore_never_set";
    let refused = folder.path().join("refused.lmb").display().to_string();
    let captured = ["capture", deadlock, "-o", &refused];
    assert!(command(&repository()).args(captured).output().unwrap().status.success());
    let (code, said) = search(folder.path(), &refused, &["--axis", "ttsim=libttsim-1.*.so"]);
    assert_eq!(code, 11, "{said}");
    has_all(
        &said,
        &["INCONCLUSIVE ", " refuses the capture: ", "  next      hallmark portability"],
    );
    // A library that is none cannot be told, wherever it stands.
    std::fs::write(folder.path().join("libttsim-1.4.so"), "none").unwrap();
    let axis = "executor=sim,ttsim:libttsim-1.1.so,ttsim:libttsim-1.4.so,misbehaving:flips_bit:wormhole_b0";
    let (code, said) = search(folder.path(), &file, &["--axis", axis]);
    assert_eq!(code, 0, "{said}");
    has_all(
        &said,
        &[
            " with executor one of ttsim:libttsim-1.4.so, misbehaving:flips_bit:wormhole_b0\n",
            "  last good executor ttsim:libttsim-1.1.so\n",
            "could not tell: ",
            "  sure      all runs of a version were alike",
        ],
    );
}

#[test]
fn another_failure_than_the_one_looked_for_says_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let file = capture(folder.path(), "riscv_0");
    let flips = "misbehaving:flips_bit:wormhole_b0";
    let forgets = "misbehaving:forgets_launch:wormhole_b0";
    let axis = format!("executor=sim,sim dispatch=device,{flips},{forgets}");
    let (code, said) = search(folder.path(), &file, &["--axis", &axis]);
    assert_eq!(code, 0, "{said}");
    has_all(
        &said,
        &[&format!("with executor one of {flips}, {forgets}\n"), "it fails otherwise: "],
    );
    let replay = ["replay", &file, "--device", flips, "--signature", "flipped.json"];
    let replayed = command(folder.path()).args(replay).output().unwrap();
    assert_eq!(replayed.status.code(), Some(1), "{}", text(&replayed));
    let (code, said) =
        search(folder.path(), &file, &["--axis", &axis, "--signature", "flipped.json"]);
    assert_eq!(code, 0, "{said}");
    has_all(
        &said,
        &[&format!("with executor {flips}\n"), "  last good executor sim dispatch=device\n"],
    );
    std::fs::write(folder.path().join("flipped.json"), "{}").unwrap();
    let (code, said) =
        search(folder.path(), &file, &["--axis", &axis, "--signature", "flipped.json"]);
    assert_eq!(code, 2, "{said}");
    has_all(&said, &["flipped.json: not a signature"]);
}

#[test]
fn a_failure_that_depends_on_the_schedule_seed_is_searched_under_one_that_shows_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = capture(folder.path(), "riscv_0");
    let seldom = "misbehaving:drops_writes:wormhole_b0:chance=0.2:seed=5";
    let sound = "misbehaving:drops_writes:wormhole_b0:chance=0:seed=5";
    let axis = format!("executor=sim,{sound},sim dispatch=device,{seldom}");
    let (code, said) = search(folder.path(), &file, &["--axis", &axis, "--flaky"]);
    assert_eq!(code, 0, "{said}");
    has_all(
        &said,
        &[&format!(" with executor {seldom}\n"), "  seed      ", " alike, under schedule seed "],
    );
    // Under some seeds only one of two fails that fail equally often.
    let as_often = "misbehaving:drops_writes:wormhole_b0:chance=0.2:seed=6";
    let axis = format!("executor={seldom},{as_often}");
    let (code, said) = search(folder.path(), &file, &["--axis", &axis, "--flaky"]);
    assert_eq!(code, 12, "{said}");
    has_all(&said, &["fails about equally often with the first versions and with the last ones"]);
    let (code, said) =
        search(folder.path(), &file, &["--axis", &format!("executor=sim,{sound}"), "--flaky"]);
    assert_eq!(code, 12, "{said}");
}

#[test]
fn a_search_that_was_stopped_goes_on_and_comes_to_the_same() {
    use Build::{Broken, Sound};
    let bad = Broken("brisc.elf");
    let folder = builds(&[Sound, Sound, Sound, bad, bad]);
    let file = capture(folder.path(), "riscv_0");
    let axis = ["--axis", "firmware=1.*"];
    let (code, whole) = search(folder.path(), &file, &[&axis, ["-o", "found"].as_slice()].concat());
    assert_eq!(code, 0, "{whole}");
    let log = folder.path().join("found/log.jsonl");
    let lines = std::fs::read_to_string(&log).unwrap();
    let answer = std::fs::read_to_string(folder.path().join("found/answer.txt")).unwrap();
    let without_runs = |text: &str| text.split("  runs ").next().unwrap().to_owned();
    for kept in [1, 3, lines.lines().count()] {
        let mut part: String = lines.split_inclusive('\n').take(kept).collect();
        part.push_str("{\"n\":");
        std::fs::write(&log, part).unwrap();
        let resume = [&axis, ["--resume", "found"].as_slice()].concat();
        let (code, said) = search(folder.path(), &file, &resume);
        assert_eq!((code, without_runs(&said)), (0, without_runs(&answer)));
        assert_eq!(std::fs::read_to_string(&log).unwrap().lines().count(), lines.lines().count());
    }
    let again = search(folder.path(), &file, &[&axis, ["-o", "found"].as_slice()].concat());
    assert_eq!(again.0, 2, "{}", again.1);
    has_all(&again.1, &["there is a search in ", "`--resume` goes on with it"]);
    let others = ["--axis", "firmware=1.1,1.5", "--resume", "found"];
    let (code, said) = search(folder.path(), &file, &others);
    assert_eq!(code, 2, "{said}");
    has_all(&said, &["is the log of another search: the axis firmware is "]);
    for (options, what) in [
        (["--timeout", "59"], "timeout is `59` and was `60`"),
        (["--schedule-seed", "7"], "schedule seed is `7` and was `0`"),
        (["--dispatch", "device"], "dispatch is `device` and was `host`"),
    ] {
        let resume = [&axis, options.as_slice(), &["--resume", "found"]].concat();
        let (code, said) = search(folder.path(), &file, &resume);
        assert_eq!(code, 2, "{said}");
        has_all(&said, &[what]);
    }
}

#[test]
fn a_search_does_not_go_on_beside_another_build_of_the_good_side() {
    use Build::{Broken, Sound};
    let folder = builds(&[Sound, Broken("brisc.elf")]);
    let file = capture(folder.path(), "riscv_0");
    release(folder.path(), "good", 1, &folder.path().join("1.1"));
    let good = format!("hallmark:{}", folder.path().join("good").display());
    let options = ["--axis", "firmware=1.*", "--good", &good];
    let (code, said) =
        search(folder.path(), &file, &[&options, ["-o", "found"].as_slice()].concat());
    assert_eq!(code, 0, "{said}");
    let resume = [&options, ["--resume", "found"].as_slice()].concat();
    let (code, said) = search(folder.path(), &file, &resume);
    assert_eq!(code, 0, "{said}");
    release(folder.path(), "good", 1, &folder.path().join("1.2"));
    let (code, said) = search(folder.path(), &file, &resume);
    assert_eq!(code, 2, "{said}");
    has_all(&said, &["is the log of another search: the build of the good side is "]);
}

#[test]
fn what_cannot_be_searched_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = capture(folder.path(), "riscv_0");
    for (options, expected_code, words) in [
        (["--confidence", "0.9"].as_slice(), 2, "--over versions takes an axis"),
        (&["--axis", "firmware=nowhere"], 2, "there is no such folder"),
        (&["--axis", "board=1"], 2, "`board=1` is no axis of versions"),
        (&["--axis", "executor=sim,sim", "--confidence", "1"], 2, "`1` is no confidence"),
        (&["--axis", "executor=sim,sim"], 2, "the axis executor has one version"),
        (
            &["--axis", "executor=sim,sim dispatch=device", "--bad", "sim"],
            2,
            "--bad names the executor that versions are parts of",
        ),
        (
            &["--axis", "executor=sim,sim dispatch=device", "--axis", "kernels=builtin", "--flaky"],
            2,
            "--flaky takes one --axis",
        ),
    ] {
        let (code, said) = search(folder.path(), &file, options);
        assert_eq!(code, expected_code, "{said}");
        has_all(&said, &[words]);
    }
    let axis = ["bisect", &file, "--bad", "sim", "--axis", "executor=sim,sim dispatch=device"];
    let output = command(folder.path()).args(axis).output().unwrap();
    has_all(&text(&output), &["--axis", "--over versions"]);
    assert_eq!(output.status.code(), Some(2));
}
