//! Executors of captures in one spelling: devices with their own settings, and executables of other releases,
//! with a common contract or a refusal.
#![expect(clippy::unwrap_used, reason = "a failing helper fails its test")]

mod common;

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use common::{command, executable, repository, text};
use hallmark_schema::model::{Capture, DeviceRequirements};

const TEST: &str = "wormhole_b0::dataflow::loopback::one_core::pages=1::page_size=32::processor=riscv_0::noc=noc_0";

/// The variable with the path of an earlier release. The tests can run without one.
const OLDER: &str = "HALLMARK_TEST_OLDER_RELEASE";

fn hallmark(arguments: &[&str]) -> (Option<i32>, String) {
    let output = command(&repository()).args(arguments).output().unwrap();
    (output.status.code(), text(&output))
}

fn kept(name: &str) -> PathBuf {
    repository().join("schema/released/1.0/captures").join(name)
}

/// An executable that gives `answer` as its versions and otherwise acts as this one.
fn stand_in(folder: &Path, answer: &str) -> String {
    let this = executable();
    let this = this.display();
    let body = format!("[ \"$1\" = __hallmark_versions ] && {answer}\nexec \"{this}\" \"$@\"");
    script(folder, &body)
}

fn script(folder: &Path, body: &str) -> String {
    let path = folder.join("other release");
    std::fs::write(&path, format!("#!/bin/sh\n{body}\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    format!("hallmark:{}", path.display())
}

fn speaking(contracts: &str, major: u16, minor: u16) -> String {
    let format = format!("\"format\":{{\"major\":{major},\"minor\":{minor}}}");
    format!(
        "{{ echo '{{\"hallmark\":\"9.9.9\",\"contracts\":{contracts},{format},\"more\":1}}'; exit; }}"
    )
}

#[test]
fn another_release_replays_and_answers() {
    let folder = tempfile::tempdir().unwrap();
    let other = stand_in(folder.path(), &speaking("[1,7]", 1, 0));
    let file = kept("data_movement.lmb");
    let file = file.to_str().unwrap();
    let (code, said) = hallmark(&["replay", file, "--device", &other]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains(&format!("repeated on {other}@sim:grayskull")), "{said}");
    // The same executable on another device.
    let on = format!("{other}@sim:wormhole_b0");
    let (code, said) = hallmark(&["portability", file, "--device", &on]);
    assert_eq!(code, Some(10), "{said}");
    assert!(said.contains("on sim:wormhole_b0"), "{said}");
    // The executable refuses an invalid capture with this build's code.
    let none = folder.path().join("none.lmb");
    std::fs::write(&none, std::fs::read(file).unwrap().split_last().unwrap().1).unwrap();
    let (code, said) = hallmark(&["replay", none.to_str().unwrap(), "--device", &other]);
    assert_eq!(code, Some(4), "{said}");
}

#[test]
fn without_a_common_contract_both_sides_are_named() {
    let file = kept("fault.lmb");
    let file = file.to_str().unwrap();
    for (contracts, major, words) in [
        ("[2,3]", 1, "it speaks 2 and 3, this one 1"),
        ("[]", 1, "have no contract of jobs and reports in common"),
        ("[1]", 2, "reads captures of format 2.0, and this Hallmark"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let other = stand_in(folder.path(), &speaking(contracts, major, 0));
        let (code, said) = hallmark(&["replay", file, "--device", &other]);
        assert_eq!(code, Some(5), "{said}");
        assert!(said.contains(words) && said.contains("hallmark 9.9.9"), "{said}");
        assert_eq!(said.matches("9.9.9").count(), 1, "said once: {said}");
    }
}

#[test]
fn an_executable_that_does_not_answer_is_told_from_one_that_speaks_otherwise() {
    let file = kept("fault.lmb");
    let file = file.to_str().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let absent = format!("hallmark:{}/absent", folder.path().display());
    let (code, said) = hallmark(&["replay", file, "--device", &absent]);
    assert_eq!(code, Some(5), "{said}");
    assert!(said.contains("it cannot be started"), "{said}");
    for (body, words) in [
        // The answer of releases from before the first contract.
        ("echo \"error: unrecognized subcommand\" >&2; exit 2", "it ended with exit status: 2"),
        ("kill -KILL $$", "it ended with signal: 9"),
        ("exit 0", "its answer is none"),
        ("echo '{\"hallmark\":\"1\"}'", "its answer is none"),
        ("head -c 200000 /dev/zero", "more than"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let other = script(folder.path(), body);
        let (code, said) = hallmark(&["replay", file, "--device", &other]);
        assert_eq!(code, Some(5), "{body}: {said}");
        assert!(said.contains("does not say which versions it speaks"), "{body}: {said}");
        assert!(said.contains(words), "{body}: {said}");
    }
}

#[test]
fn tests_are_compared_with_another_release_and_captured_by_this_one() {
    let folder = tempfile::tempdir().unwrap();
    let other = stand_in(folder.path(), &speaking("[1]", 1, 0));
    let devices = format!("sim:wormhole_b0,{other},{other} dispatch=device");
    let suites = ["suites/dataflow/loopback.yaml", "suites/semaphores/semaphores.yaml"];
    let compare = ["compare", "--devices", &devices, "--filter", "wormhole_b0"];
    let (code, said) = hallmark(&[&compare, suites.as_slice()].concat());
    assert_eq!(code, Some(0), "{said}");
    let equal = said.lines().filter(|line| line.contains(" equal, 0 differ, 0 not compared"));
    assert_eq!(equal.count(), 2, "{said}");

    let (code, said) = hallmark(&["run", "--exact", TEST, "--device", &other]);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("this release captures"), "{said}");
    let dram = "wormhole_b0::buffers::regions::patch::type=dram::first=0::page_size=36";
    let (code, said) = hallmark(&["run", "--exact", dram, "--replay-device", &other]);
    assert_eq!(code, Some(0), "{said}");
    // A release of format 1.0 has other banks in L1, and would find pages at other places.
    let (code, said) = hallmark(&["run", "--exact", TEST, "--replay-device", &other]);
    assert_eq!(code, Some(5), "{said}");
    assert!(said.contains("`Record.l1_bank_order` exists since format 1.1"), "{said}");

    // An incompatible executable is reported once, before any test.
    let folder = tempfile::tempdir().unwrap();
    let liar = stand_in(folder.path(), &speaking("[2]", 1, 0));
    for arguments in [
        vec!["compare", "--devices", "sim:wormhole_b0,LIAR", "suites/dataflow"],
        vec!["run", "--arch", "wormhole_b0", "--replay-device", "LIAR", "suites/dataflow"],
    ] {
        let arguments: Vec<String> =
            arguments.into_iter().map(|it| it.replace("LIAR", &liar)).collect();
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let (code, said) = hallmark(&arguments);
        assert_eq!(code, Some(5), "{said}");
        assert_eq!(said.matches("it speaks 2, this one 1").count(), 1, "{said}");
    }
}

/// The other party of a race came with format 1.1. The copy for an older release leaves it out.
#[test]
fn an_older_release_is_given_a_copy_without_what_it_does_not_know() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("race.lmb");
    let race =
        "wormhole_b0::faults::races::flag_on_the_other_noc::way=noc_0_then_1::waiting=nothing";
    let (code, said) = hallmark(&["capture", race, "-o", file.to_str().unwrap()]);
    assert_eq!(code, Some(0), "{said}");
    let whole = Capture::from_bytes(&std::fs::read(&file).unwrap()).unwrap();
    assert!(whole.version().minor >= 1, "{}", whole.version());
    let given = folder.path().join("given.lmb");
    for (minor, copied) in [(0, true), (whole.version().minor, false)] {
        // Keeps the files beside the job.
        let answer = speaking("[1]", 1, minor);
        let keeps = format!("cp \"${{2%/*}}/given.lmb\" \"{}\" 2>/dev/null", given.display());
        let other = stand_in(folder.path(), &format!("{answer}\n{keeps}"));
        let (code, said) = hallmark(&["replay", file.to_str().unwrap(), "--device", &other]);
        assert_eq!(code, Some(0), "{said}");
        assert_eq!(given.is_file(), copied, "minor version {minor}");
        if copied {
            let copy = Capture::from_bytes(&std::fs::read(&given).unwrap()).unwrap();
            assert_eq!((copy.version().major, copy.version().minor), (1, 0));
            assert_eq!(copy.program, whole.program);
            assert_eq!(copy.blobs, whole.blobs);
            let [ours, theirs] = [&whole, &copy].map(|it| it.record.as_ref().unwrap());
            assert!(ours.faults[0].fault().against.is_some());
            assert!(theirs.faults[0].fault().against.is_none());
            let mut place = ours.faults[0].fault().place.clone();
            let frames = place.as_mut().map(|place| std::mem::take(&mut place.frames));
            assert!(frames.is_some_and(|frames| !frames.is_empty()));
            assert_eq!(place, theirs.faults[0].fault().place);
            std::fs::remove_file(&given).unwrap();
        }
    }
}

fn capture(folder: &Path, device: &str, more: &[&str]) -> Capture {
    let file = folder.join("capture.lmb");
    let arguments = ["capture", TEST, "-o", file.to_str().unwrap(), "--device", device];
    let (code, said) = hallmark(&[&arguments, more].concat());
    assert_eq!(code, Some(0), "{said}");
    Capture::from_bytes(&std::fs::read(file).unwrap()).unwrap()
}

#[test]
fn what_stands_behind_a_device_means_what_the_flags_mean() {
    let folder = tempfile::tempdir().unwrap();
    let bundle = folder.path().join("bundle of mine");
    std::fs::create_dir(&bundle).unwrap();
    let built_in = repository().join("runtime/firmware/bundles/hallmark-1/wormhole_b0");
    for entry in std::fs::read_dir(built_in).unwrap() {
        let path = entry.unwrap().path();
        let content = std::fs::read(&path).unwrap();
        let content = match std::str::from_utf8(&content) {
            Ok(text) => text.replace("\"hallmark-1\"", "\"mine\"").into_bytes(),
            Err(_) => content,
        };
        std::fs::write(bundle.join(path.file_name().unwrap()), content).unwrap();
    }
    let bundle = bundle.to_str().unwrap();
    let behind = format!("sim:wormhole_b0 firmware={bundle} dispatch=device schedule_seed=3");
    let behind = capture(folder.path(), &behind, &[]);
    let flags = ["--firmware", bundle, "--dispatch", "device", "--schedule-seed", "3"];
    let flags = capture(folder.path(), "sim:wormhole_b0", &flags);
    assert_eq!(behind, flags);
    assert_eq!(behind.record.as_ref().unwrap().firmware.name, "mine");
    // Settings behind the device take precedence; the flags give the others.
    let mixed = format!("sim firmware={bundle}");
    let mixed = capture(folder.path(), &mixed, &["--dispatch", "device", "--schedule-seed", "3"]);
    assert_eq!(mixed, flags);
    let over = "wormhole_b0=sim:wormhole_b0 dispatch=host";
    let over = capture(folder.path(), over, &["--dispatch", "device"]);
    assert_ne!(over.record.unwrap().dispatch_mode, flags.record.unwrap().dispatch_mode);
}

#[test]
fn mistakes_in_an_executor_are_told_before_anything_runs() {
    for (device, words) in [
        (
            "sim:wormhole_b0 dispatch=both",
            "`dispatch=both` is no dispatch mode: host, device or overlap",
        ),
        ("sim:wormhole_b0 firmware=/nowhere", "the folder of firmware /nowhere is not there"),
        ("sim:wormhole_b0 speed=3", "`speed` is no option of an executor"),
        ("wormhole_b0=sim:blackhole", "sim:blackhole cannot run the tests of wormhole_b0"),
    ] {
        let (code, said) = hallmark(&["run", "--exact", TEST, "--device", device]);
        assert_eq!(code, Some(2), "{device}: {said}");
        assert!(said.contains(words), "{device}: {said}");
    }
    let (code, said) =
        hallmark(&["compare", "--devices", "sim:wormhole_b0,sim:wormhole_b0 dispatch=x"]);
    assert_eq!(code, Some(2), "{said}");
}

/// The command that repeats a failure keeps the spelling of the executor.
#[test]
fn a_failure_says_its_executor_in_one_word() {
    let folder = tempfile::tempdir().unwrap();
    let suites = folder.path().join("suites/group");
    std::fs::create_dir_all(&suites).unwrap();
    let suite = "about: A suite.\ncases:\n  c:\n    about: Wrong.\n    steps:\n      \
        - create_buffer: { id: a, type: dram, size: 64, page_size: 64 }\n      \
        - enqueue_write_buffer: { buffer: a, data: { constant: uint32, bits: 1 } }\n      \
        - enqueue_read_buffer: { buffer: a, as: out }\n      - finish: {}\n    \
        expect:\n      - equal: [out, { constant: uint32, bits: 2 }]\n";
    std::fs::write(suites.join("suite.yaml"), suite).unwrap();
    let output = command(folder.path())
        .args(["run", "--arch", "wormhole_b0", "--device", "sim dispatch=device"])
        .output()
        .unwrap();
    let said = text(&output);
    let again = "hallmark run --exact wormhole_b0::group::suite::c --device 'wormhole_b0=sim dispatch=device'";
    assert!(said.contains(again), "{said}");
}

/// With a real earlier release, if the variable names one: it replays kept captures and this build's captures.
#[test]
fn a_real_earlier_release_replays_kept_and_new_captures() {
    let Some(older) = std::env::var_os(OLDER) else {
        println!("{OLDER} names no executable");
        return;
    };
    let executor = format!("hallmark:{}", Path::new(&older).display());
    for entry in std::fs::read_dir(kept("")).unwrap() {
        let file = entry.unwrap().path();
        let (code, said) = hallmark(&["replay", file.to_str().unwrap(), "--device", &executor]);
        assert_eq!(code, Some(0), "{}: {said}", file.display());
    }
    let devices = format!("sim:wormhole_b0,{executor}");
    let (code, said) = hallmark(&["compare", "--devices", &devices, "suites/light_metal"]);
    assert_eq!(code, Some(0), "{said}");
    // The release reads a capture without new fields by itself.
    let folder = tempfile::tempdir().unwrap();
    capture(folder.path(), "sim", &[]);
    let file = folder.path().join("capture.lmb");
    let output = Command::new(&older).arg("replay").arg(file).env_clear().output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
}

/// A capture records that its programs ran at the same time, and a replay asks its device for the same.
#[test]
fn a_capture_whose_programs_meet_is_replayed_where_launches_overlap() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("capture.lmb");
    let path = file.to_str().unwrap();
    let test = "wormhole_b0::queues::overlap::meet::first=0::times=1";
    let (code, said) = hallmark(&["capture", test, "-o", path]);
    assert_eq!(code, Some(0), "{said}");
    for more in [&[][..], &["--dispatch", "device"], &["--device", "sim:wormhole_b0"]] {
        let (code, said) = hallmark(&[&["replay", path], more].concat());
        assert_eq!(code, Some(0), "{said}");
    }
    // A capture of an earlier release does not record it. The user states it at replay.
    let mut capture = Capture::from_bytes(&std::fs::read(&file).unwrap()).unwrap();
    capture.record.as_mut().unwrap().asked = DeviceRequirements::default();
    std::fs::write(&file, capture.to_bytes().unwrap()).unwrap();
    for overlap in [["--dispatch", "overlap"], ["--device", "sim:wormhole_b0 dispatch=overlap"]] {
        let (code, said) = hallmark(&[&["replay", path][..], &overlap].concat());
        assert_eq!(code, Some(0), "{said}");
    }
    let (code, said) = hallmark(&["replay", path, "--dispatch", "device"]);
    assert_ne!(code, Some(0), "{said}");
    assert!(said.contains("Deadlock"), "{said}");
}
