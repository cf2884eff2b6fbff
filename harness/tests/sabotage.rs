//! The suites' own test: a build that holds deliberate defects, each of which a suite test must catch.
//!
//! `cargo nextest run -p hallmark --features sabotage --test sabotage`; `--no-capture` shows the list.
//! Defects of the device code need the cross compiler; without it they are listed as not planted.
#![expect(clippy::unwrap_used, reason = "a failing helper fails its test")]

mod common;
#[path = "sabotage/instructions.rs"]
mod instructions;
#[path = "sabotage/list.rs"]
mod list;
#[path = "sabotage/needles.rs"]
mod needles;
#[path = "sabotage/replays.rs"]
mod replays;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use common::{command, repository, text};
use hallmark_chip::Architecture;
use hallmark_chip::sabotage::{PlantedDefect, VARIABLE};
use hallmark_runtime::device_code::{Compiler, DevicePatch, build_firmware};
use instructions::INSTRUCTIONS;
use list::{CATCHES, Catch, Way};
use replays::REPLAYS;

/// The defects of all crates.
fn planted() -> Vec<PlantedDefect> {
    let runtime = hallmark_runtime::DEFECTS.concat();
    let sim = [hallmark_sim::DEFECTS, hallmark_sim::WRONG_INSTRUCTIONS].concat();
    let tensors = [hallmark_tensor::DEFECTS, hallmark_stitching::DEFECTS].concat();
    [hallmark_chip::DEFECTS, &sim, hallmark_schema::DEFECTS, &runtime, &tensors].concat()
}

/// The tests that catch them.
fn catches() -> Vec<Catch> {
    [CATCHES, INSTRUCTIONS].concat()
}

/// Exit code and everything that was said of tests by name, with the repository's suites and goldens
/// in a root that keeps what fails.
fn run(tests: &[&str], defect: Option<&Catch>) -> (i32, String) {
    let root = tempfile::tempdir().unwrap();
    for folder in ["suites", "goldens"] {
        let ours = repository().join(folder);
        std::os::unix::fs::symlink(ours, root.path().join(folder)).unwrap();
    }
    let mut command = command(root.path());
    command.arg("run").args(tests);
    if let Some(catch) = defect {
        command.env(VARIABLE, catch.defect);
        match catch.way {
            Way::On { device } => _ = command.args(["--device", device]),
            Way::DispatchedOnDevice => _ = command.args(["--dispatch", "device"]),
            Way::Plain | Way::MovedTo { .. } => {}
        }
        if let Some(patch) = DevicePatch::of(catch.defect).filter(|patch| patch.is_firmware()) {
            let firmware = root.path().join("firmware");
            build_with(patch, architecture_of(catch.test), &firmware);
            command.arg("--firmware").arg(firmware);
        }
    }
    let output = command.output().unwrap();
    (output.status.code().unwrap(), text(&output))
}

/// The same of a replay of a test's capture on another chip; the capture itself is made without a defect.
fn moved(test: &str, chip: &str, defect: Option<&str>) -> (i32, String) {
    let root = repository();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("capture.lmb");
    let captured = command(&root).args(["capture", test, "-o"]).arg(&file).output().unwrap();
    assert!(captured.status.success(), "{}", text(&captured));
    let mut replay = command(&root);
    replay.args(["replay", "--device", chip]).arg(&file);
    if let Some(defect) = defect {
        replay.env(VARIABLE, defect);
    }
    let output = replay.output().unwrap();
    (output.status.code().unwrap(), text(&output))
}

fn architecture_of(test: &str) -> Architecture {
    test.split("::").next().unwrap().parse().unwrap()
}

/// Builds a firmware bundle with a defect.
fn build_with(patch: &DevicePatch, architecture: Architecture, bundle: &Path) {
    let ours = repository().join("runtime/firmware");
    let sources = tempfile::tempdir().unwrap();
    for entry in walkdir::WalkDir::new(&ours).into_iter().map(Result::unwrap) {
        let place = sources.path().join(entry.path().strip_prefix(&ours).unwrap());
        if entry.file_type().is_dir() {
            std::fs::create_dir_all(place).unwrap();
        } else {
            std::fs::copy(entry.path(), place).unwrap();
        }
    }
    let file = sources.path().join(patch.file);
    let changed = patch.applied(&std::fs::read_to_string(&file).unwrap()).unwrap();
    std::fs::write(file, changed).unwrap();
    build_firmware(&Compiler::find().unwrap(), architecture, sources.path(), bundle).unwrap();
}

#[test]
fn the_list_names_a_test_for_each_defect_of_each_crate() {
    let planted: Vec<&str> = planted().iter().map(|defect| defect.name).collect();
    let listed: Vec<&str> = catches().iter().map(|catch| catch.defect).collect();
    for names in [&planted, &listed] {
        let distinct: BTreeSet<&str> = names.iter().copied().collect();
        assert_eq!(distinct.len(), names.len(), "a name stands twice in {names:?}");
    }
    let [planted, listed] = [planted, listed].map(BTreeSet::from_iter);
    assert_eq!(planted, listed);
}

/// What nobody has thought about would be missing from the searches.
#[test]
fn of_each_defect_it_is_said_whether_a_replay_shows_it() {
    let planted = planted();
    let mut said: Vec<&str> = REPLAYS.iter().flat_map(|(_, defects)| *defects).copied().collect();
    said.sort_unstable();
    let mut planted: Vec<&str> = planted.iter().map(|defect| defect.name).collect();
    planted.sort_unstable();
    assert_eq!(said, planted);
}

#[test]
fn without_a_defect_the_tests_of_the_list_pass() {
    let tests: BTreeSet<&str> = catches().iter().map(|catch| catch.test).collect();
    let tests: Vec<&str> = tests.into_iter().collect();
    let (code, text) = run(&tests, None);
    assert_eq!(code, 0, "{text}");
}

/// What came of a run with a defect.
enum Ending {
    Caught(String),
    Missed(String),
    NoCompiler,
}

fn with(catch: &Catch, compiler: bool) -> Ending {
    let test = catch.test;
    if DevicePatch::of(catch.defect).is_some() && !compiler {
        return Ending::NoCompiler;
    }
    if let Way::MovedTo { device } = catch.way {
        let (sound, said) = moved(test, device, None);
        assert!(matches!(sound, 0 | 11), "{said}");
        let (code, text) = moved(test, device, Some(catch.defect));
        let verdict = text.split_whitespace().next().unwrap_or_default().to_owned();
        let caught = code == 1 && code != sound;
        return if caught { Ending::Caught(verdict) } else { Ending::Missed(text) };
    }
    let (code, text) = run(&[test], Some(catch));
    // 2, 7 and 8 say that nothing was tested, 3 that the suite is wrong.
    let caught = !matches!(code, 0 | 2 | 3 | 7 | 8)
        && text.contains(test)
        && !text.contains("does not build");
    let verdict = text.split_whitespace().next().unwrap_or_default().to_owned();
    if caught { Ending::Caught(verdict) } else { Ending::Missed(text) }
}

#[test]
fn every_defect_is_caught_by_the_test_that_the_list_names() {
    let compiler = Compiler::find().is_some();
    let catches = catches();
    let next = AtomicUsize::new(0);
    let endings = Mutex::new(BTreeMap::new());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(catch) = catches.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let ending = with(catch, compiler);
                    endings.lock().unwrap().insert(catch.defect, ending);
                }
            });
        }
    });
    let endings = endings.into_inner().unwrap();
    let mut missed = Vec::new();
    let mut caught = 0;
    for PlantedDefect { name, what } in planted() {
        let test = catches.iter().find(|catch| catch.defect == name).unwrap().test;
        match &endings[name] {
            Ending::Caught(verdict) => {
                println!("{name:<34} {verdict:<12} {test}");
                caught += 1;
            }
            Ending::Missed(text) => {
                println!("{name:<34} MISSED       {test}");
                missed.push(format!("{name} ({what}) by {test}: {text}"));
            }
            Ending::NoCompiler => println!("{name:<34} not planted: {}", Compiler::INSTALL),
        }
    }
    println!("{caught} of {} caught", endings.len());
    assert!(missed.is_empty(), "not caught:\n{}", missed.join("\n"));
}
