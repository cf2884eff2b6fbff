//! A certification resumes after a kill or a full disk, and no run repeats.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use hallmark_certification::log::LogEvent;
use hallmark_certification::results::ResultLine;
use hallmark_package::{Limits, MANIFEST, Package, RESULTS, RUN, STATEMENT, json};

use crate::common::{executable, text};
use crate::forgeries::{Forgery, failed_before};
use crate::roots::{RUNS, hallmark, root};

/// The content of a package without times: each file by its name, with results of duration zero.
fn without_times(path: &Path) -> BTreeMap<String, Vec<u8>> {
    let bytes = std::fs::read(path).unwrap();
    let package = Package::read(&bytes, &Limits::default()).unwrap();
    let mut files: BTreeMap<String, Vec<u8>> =
        package.files().map(|(name, bytes)| (name.as_str().to_owned(), bytes.to_vec())).collect();
    for name in [RUN, MANIFEST, STATEMENT] {
        assert!(files.remove(name).is_some(), "{name}");
    }
    let mut results: Vec<ResultLine> = json::read_lines(&files[RESULTS]).unwrap();
    results.iter_mut().for_each(|result| result.milliseconds = 0);
    files.insert(RESULTS.to_owned(), json::write_lines(&results).unwrap());
    files
}

/// The complete lines of a log that may be growing.
fn lines(log: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(log).unwrap_or_default();
    let whole = text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
    whole.map(str::to_owned).collect()
}

#[test]
fn a_killed_certification_goes_on_to_the_same_package() {
    let root = root();
    let whole = hallmark(root.path(), &["certify", "all", "-o", "whole.hallmark"]);
    assert!(whole.status.success(), "{}", text(&whole));
    let expected = without_times(&root.path().join("whole.hallmark"));

    let log = root.path().join("x.hallmark.run/run.jsonl");
    let mut before = Vec::new();
    let mut kills = 0;
    // Kills each process once it has added `more` lines.
    for more in [1, 2, 3] {
        let mut process = crate::common::command(root.path());
        process.args(["certify", "all", "-j", "1", "-o", "x.hallmark"]);
        let mut process = process.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let start = Instant::now();
        while lines(&log).len() < before.len() + more
            && start.elapsed() < Duration::from_secs(60)
            && process.try_wait().unwrap().is_none()
        {
            std::thread::sleep(Duration::from_millis(1));
        }
        process.kill().unwrap();
        process.wait().unwrap();
        if !log.exists() {
            // The process ended before the kill.
            break;
        }
        kills += 1;
        let now = lines(&log);
        assert!(now.starts_with(&before), "what was done stays");
        before = now;
    }
    assert!(kills > 0);
    let last = hallmark(root.path(), &["certify", "all", "-o", "x.hallmark"]);
    assert!(last.status.success(), "{}", text(&last));
    assert_eq!(without_times(&root.path().join("x.hallmark")), expected);
    // The log refuses a run with two results, and begins with the work of the killed processes.
    let bytes = std::fs::read(root.path().join("x.hallmark")).unwrap();
    let package = Package::read(&bytes, &Limits::default()).unwrap();
    let log = package.file(RUN).unwrap();
    assert!(log.starts_with(before.concat().as_bytes()));
    assert_eq!(hallmark_certification::log::read(log).unwrap().results.len(), RUNS);
}

/// Whatever came of a certification that ended, its folder is gone: another build begins anew, and so does the same.
#[test]
fn a_certification_that_ended_with_failures_is_finished() {
    let root = root();
    let root = root.path();
    let certify = |device: &str, more: &[&str]| {
        let certify = ["certify", "all", "-o", "night.hallmark", "--device", device];
        let said = hallmark(root, &[certify.as_slice(), more].concat());
        assert!(!root.join("night.hallmark.run").exists(), "{}", text(&said));
        (said.status.code().unwrap(), text(&said))
    };
    let log = || {
        let bytes = std::fs::read(root.join("night.hallmark")).unwrap();
        let package = Package::read(&bytes, &Limits::default()).unwrap();
        hallmark_certification::log::read(package.file(RUN).unwrap()).unwrap()
    };
    let broken = "wormhole_b0=misbehaving:flips_bit:wormhole_b0";
    for _ in 0..2 {
        let (code, said) = certify(broken, &[]);
        assert_eq!(code, 1, "{said}");
        assert!(said.contains("16 runs") && !said.contains("ended before"), "{said}");
        assert!(log().again.is_empty());
    }
    // Only the failures run anew, and the log tells.
    for _ in 0..2 {
        let (code, said) = certify(broken, &["--again-failed"]);
        assert_eq!(code, 1, "{said}");
        assert!(said.contains("6 failures are run anew, and the log says so"), "{said}");
        assert!(said.contains("10 ended before"), "{said}");
        let read = log();
        assert_eq!((read.results.len(), read.again.len()), (RUNS, 6));
    }
    // A process that is killed after it has written the package leaves its folder, and the next one begins anew.
    let package = root.join("night.hallmark");
    let leave_folder = || {
        let bytes = std::fs::read(&package).unwrap();
        for (name, bytes) in Package::read(&bytes, &Limits::default()).unwrap().files() {
            let path = root.join("night.hallmark.run").join(name.as_str());
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, bytes).unwrap();
        }
    };
    for (device, expected) in [(broken, 1), ("sim", 0), (broken, 1)] {
        leave_folder();
        let (code, said) = certify(device, &[]);
        assert_eq!(code, expected, "{said}");
        assert!(said.contains("16 runs") && !said.contains("ended before"), "{said}");
        assert!(log().again.is_empty());
    }
    // Another process may be about to remove its folder.
    leave_folder();
    let held = std::fs::File::open(root.join("night.hallmark.run/run.jsonl")).unwrap();
    held.lock().unwrap();
    let said = hallmark(root, &["certify", "all", "-o", "night.hallmark"]);
    assert_eq!(said.status.code(), Some(2), "{}", text(&said));
    assert!(text(&said).contains("another process goes on with the run"), "{}", text(&said));
    drop(held);
    // A stopped run serves as well as a package.
    leave_folder();
    std::fs::remove_file(&package).unwrap();
    let (code, said) = certify(broken, &["--again-failed"]);
    assert!(code == 1 && said.contains("6 failures are run anew"), "{said}");
    let (code, said) = certify("sim", &["--again-failed"]);
    assert_eq!(code, 2, "{said}");
    assert!(
        said.contains("night.hallmark is of another profile, challenge, shard or subject"),
        "{said}"
    );
    let (code, said) = certify("sim", &[]);
    assert_eq!(code, 0, "{said}");
    let (code, said) = certify("sim", &["--again-failed"]);
    assert!(code == 2 && said.contains("night.hallmark has no failure"), "{said}");
    std::fs::remove_file(root.join("night.hallmark")).unwrap();
    let (code, said) = certify("sim", &["--again-failed"]);
    assert!(
        code == 2 && said.contains("night.hallmark does not exist, and no stopped run"),
        "{said}"
    );
}

/// A run that failed and was run anew may pass; the verifier says that it failed.
#[test]
fn what_ran_anew_is_a_reservation() {
    let mut forgery = Forgery::begin();
    forgery.events(|events| {
        let (failed, runs) = failed_before(&events[1]);
        let LogEvent::Ended { at, .. } = failed else { return };
        events.splice(1..1, [failed, LogEvent::Again { at, runs }]);
    });
    let folder = tempfile::tempdir().unwrap();
    let package = folder.path().join("x.hallmark");
    std::fs::write(&package, forgery.end()).unwrap();
    let mut verify = crate::common::command(crate::forgeries::root());
    let said = verify.args(["package", "verify", "--draft"]).arg(&package).output().unwrap();
    assert_eq!(said.status.code(), Some(14), "{}", text(&said));
    assert!(
        text(&said).contains("but the log says that 1 run failed and was run anew"),
        "{}",
        text(&said)
    );
}

#[test]
fn a_run_of_something_else_is_not_gone_on_with() {
    let root = root();
    let folder = root.path().join("x.hallmark.run");
    std::fs::create_dir(&folder).unwrap();
    let other = "{\"before\":\"0000000000000000000000000000000000000000000000000000000000000000\",\"event\":{\"begin\":\
                 {\"lock\":\"0000000000000000000000000000000000000000000000000000000000000000\",\"executors\":{}}}}\n";
    std::fs::write(folder.join("run.jsonl"), other).unwrap();
    let said = hallmark(root.path(), &["certify", "all", "-o", "x.hallmark"]);
    assert_eq!(said.status.code(), Some(2), "{}", text(&said));
    assert!(
        text(&said).contains("a run of another profile, challenge, shard or subject"),
        "{}",
        text(&said)
    );
    assert_eq!(std::fs::read_to_string(folder.join("run.jsonl")).unwrap(), other);
}

/// The output of a certification with files of at most `blocks` blocks of 512 B. It ends in one machine error.
fn certified_within(blocks: u32, root: &Path) -> String {
    let limited = Command::new("sh")
        .args(["-c", &format!("ulimit -f {blocks}; exec \"$0\" certify all -j 1 -o x.hallmark")])
        .arg(executable())
        .current_dir(root)
        .output()
        .unwrap();
    let said = text(&limited);
    assert_eq!(limited.status.code(), Some(9), "{said}");
    assert_eq!(said.matches("error:").count(), 1, "{said}");
    said
}

#[test]
fn a_full_disk_is_one_error_and_nothing_is_lost() {
    let root = root();
    // Each file of the run fits; the package does not.
    let said = certified_within(64, root.path());
    assert!(said.contains("x.hallmark cannot be written: file too large"), "{said}");
    assert!(said.contains("once there is room, the same command goes on"), "{said}");
    let left = std::fs::read_dir(root.path()).unwrap().map(|entry| entry.unwrap().file_name());
    let mut left: Vec<_> = left.collect();
    left.sort();
    assert_eq!(left, ["goldens", "suites", "x.hallmark.run"]);
    let before = lines(&root.path().join("x.hallmark.run/run.jsonl"));
    assert_eq!(before.len(), RUNS + 1, "{said}");
    let again = hallmark(root.path(), &["certify", "all", "-o", "x.hallmark"]);
    assert!(again.status.success(), "{}", text(&again));
    let bytes = std::fs::read(root.path().join("x.hallmark")).unwrap();
    let package = Package::read(&bytes, &Limits::default()).unwrap();
    let log = String::from_utf8(package.file(RUN).unwrap().to_vec()).unwrap();
    assert_eq!(log, before.concat(), "nothing ran again");
}

#[test]
fn what_the_machine_fails_at_is_no_result_of_the_subject() {
    let root = root();
    // A worker cannot begin with so few blocks.
    let said = certified_within(5, root.path());
    assert!(said.contains("the capture cannot begin"), "{said}");
    let log = std::fs::read_to_string(root.path().join("x.hallmark.run/run.jsonl")).unwrap();
    assert!(!log.contains("InternalError"), "{log}");
    let again = hallmark(root.path(), &["certify", "all", "-o", "x.hallmark"]);
    assert!(again.status.success(), "{}", text(&again));
}
