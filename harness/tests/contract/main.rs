//! The contract between parent and worker: the form of version 1, and the treatment of files of other versions.
#![expect(clippy::unwrap_used, reason = "a failing helper fails its test")]

#[path = "../common/repository.rs"]
mod repository;
mod samples;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use hallmark_execution::worker::HIDDEN_ARGUMENT;
use hallmark_execution::worker::contract::{
    CONTRACT, ContractError, ContractFile, SpokenVersions, VERSIONS_ARGUMENT,
};
use hallmark_execution::worker::job::{Job, ReplayJob};
use hallmark_execution::worker::job_file::JobFile;
use hallmark_execution::worker::memory::UnwrittenRange;
use hallmark_execution::worker::mock::MockJob;
use hallmark_execution::worker::problem::WorkerProblem;
use hallmark_execution::worker::process::{Ending, WorkerProgram, WorkerStart};
use hallmark_execution::worker::report::{WorkerReport, read_report, write_report};
use hallmark_execution::worker::state::{page_digests, read as read_notes};
use hallmark_runtime::Stop;
use serde_json::{Value, json};

/// The command. nextest may unpack its archive elsewhere, so the path is known only at run time.
fn executable() -> PathBuf {
    let unpacked = std::env::var_os("NEXTEST_BIN_EXE_hallmark");
    unpacked.unwrap_or_else(|| env!("CARGO_BIN_EXE_hallmark").into()).into()
}

/// A committed file of contract version 1.
fn sample_text(name: &str) -> String {
    let folder = repository::repository().join("harness/tests/contract/version_1");
    std::fs::read_to_string(folder.join(name)).unwrap()
}

fn sample(name: &str) -> Value {
    serde_json::from_str(&sample_text(name)).unwrap()
}

/// The written form of a job.
fn written(job: Job) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let path = JobFile::create(folder.path(), job, &samples::contents(), CONTRACT).unwrap();
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// Reads a job file with this content, beside the blobs of the samples.
fn read(content: &str) -> Result<JobFile, ContractError> {
    let folder = tempfile::tempdir().unwrap();
    let path =
        JobFile::create(folder.path(), samples::replay_job(), &samples::contents(), CONTRACT)
            .unwrap();
    std::fs::write(&path, content).unwrap();
    JobFile::open(&path)
}

/// Reads a report with this content.
fn report(content: &str) -> Result<Option<WorkerReport>, ContractError> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("report.json"), content).unwrap();
    read_report(folder.path())
}

#[test]
fn jobs_of_version_1_are_written_and_read_as_committed() {
    for (name, job) in
        [("capture_job.json", samples::capture_job()), ("replay_job.json", samples::replay_job())]
    {
        // The newest format may grow and is part of no contract.
        let mut now = written(job.clone());
        now["newest_format"] = json!({ "major": 1, "minor": 0 });
        assert_eq!(now, sample(name), "{name}");
        let file = read(&sample_text(name)).unwrap();
        assert_eq!(file.job, job, "{name}");
        assert_eq!((file.newest_format.major, file.newest_format.minor), (1, 0));
        for (hash, bytes) in samples::contents() {
            assert_eq!(file.blob(hash).unwrap(), bytes);
        }
    }
}

#[test]
fn reports_of_version_1_are_written_and_read_as_committed() {
    let folder = tempfile::tempdir().unwrap();
    write_report(folder.path(), &samples::report()).unwrap();
    let written = std::fs::read(folder.path().join("report.json")).unwrap();
    assert_eq!(serde_json::from_slice::<Value>(&written).unwrap(), sample("report.json"));
    assert_eq!(report(&sample_text("report.json")).unwrap(), Some(samples::report()));
    // A worker without a report leaves no file.
    assert_eq!(read_report(tempfile::tempdir().unwrap().path()), Ok(None));
}

#[test]
fn stops_of_version_1_are_written_and_read_as_committed() {
    let stops = samples::stops();
    assert_eq!(serde_json::to_value(&stops).unwrap(), sample("stops.json"));
    let read: Vec<Stop> = serde_json::from_str(&sample_text("stops.json")).unwrap();
    assert_eq!(read, stops);
}

/// Additions of format 1.1 survive a round trip, and readers of 1.0 see no trace of them.
#[test]
fn additions_to_stops_are_told_to_those_who_know_them() {
    let mut stops = samples::stops();
    samples::add_what_came_later(&mut stops);
    let written = serde_json::to_value(&stops).unwrap();
    assert_eq!(serde_json::from_value::<Vec<Stop>>(written.clone()).unwrap(), stops);
    let text = written.to_string();
    for key in [
        r#""memory":{"address":64,"length":4"#,
        r#""frames":[{"#,
        r#""awaited":{"range":{"bits":32,"first":2,"last":2}}"#,
    ] {
        assert!(text.contains(key), "{key} in {text}");
    }
    stops.iter_mut().for_each(Stop::forget_additions);
    assert_eq!(serde_json::to_value(&stops).unwrap(), sample("stops.json"));
}

/// Requests for memory notes came later: a job without one does not show the field.
#[test]
fn jobs_that_note_state_are_written_and_read_as_committed() {
    let Job::Replay(plain) = samples::replay_job() else { panic!() };
    assert!(serde_json::to_value(&plain).unwrap().get("state").is_none());
    let noting = ReplayJob { state: Some(samples::state_job()), ..plain };
    let written = serde_json::to_value(&noting).unwrap();
    assert_eq!(written.get("state"), Some(&sample("state_job.json")));
    assert_eq!(serde_json::from_value::<ReplayJob>(written).unwrap(), noting);
}

/// The notes have a version of their own.
#[test]
fn notes_of_state_are_read_as_committed() {
    let folder = tempfile::tempdir().unwrap();
    let text = sample_text("state.jsonl");
    std::fs::write(folder.path().join("state.jsonl"), &text).unwrap();
    let notes = read_notes(folder.path());
    let held: Vec<(u32, Vec<u32>)> =
        notes.iter().map(|note| (note.command, note.buffers.keys().copied().collect())).collect();
    assert_eq!(held, [(3, vec![0]), (5, vec![0, 1])]);
    let one = notes.first().unwrap().buffers.get(&0).unwrap();
    let bytes = [1, 2, 3, 4, 0, 0, 0, 0];
    let unwritten = [UnwrittenRange { start: 6, end: 8 }];
    assert_eq!(one.pages, page_digests(&bytes, 4, &unwritten, &unwritten));
    assert_eq!((one.name.as_str(), one.size, one.page_size), ("src", 8, 4));
    assert_eq!(one.unwritten.as_deref(), Some(unwritten.as_slice()));
    let later = text.replacen("{\"state\":1}", "{\"state\":2}", 1);
    std::fs::write(folder.path().join("state.jsonl"), later).unwrap();
    assert_eq!(read_notes(folder.path()), []);
}

#[test]
fn problems_of_version_1_are_written_and_read_as_committed() {
    let problems = samples::problems();
    assert_eq!(serde_json::to_value(&problems).unwrap(), sample("problems.json"));
    let read: Vec<WorkerProblem> = serde_json::from_str(&sample_text("problems.json")).unwrap();
    assert_eq!(read, problems);
}

/// The stop of a device before any program came later.
#[test]
fn a_stop_before_any_program_is_written_and_read_by_its_name() {
    let stopped = WorkerProblem::Stopped { reason: "a fault in _start".to_owned() };
    let written = serde_json::to_value(&stopped).unwrap();
    assert_eq!(written, json!({ "Stopped": { "reason": "a fault in _start" } }));
    assert_eq!(serde_json::from_value::<WorkerProblem>(written).unwrap(), stopped);
}

/// A sample with one change.
fn changed(name: &str, change: impl FnOnce(&mut Value)) -> String {
    let mut value = sample(name);
    change(&mut value);
    value.to_string()
}

#[test]
fn files_of_another_contract_are_one_error_that_names_both_versions() {
    let spoken = vec![CONTRACT];
    let hallmark = env!("CARGO_PKG_VERSION").to_owned();
    // The error names a later version's number, whatever its other content.
    let later = |value: &mut Value| {
        value["contract"] = json!(2);
        value["something"] = json!("new");
    };
    for (file, error) in [
        (ContractFile::Job, read(&changed("replay_job.json", later)).unwrap_err()),
        (ContractFile::Report, report(&changed("report.json", later)).unwrap_err()),
    ] {
        let (spoken, hallmark) = (spoken.clone(), hallmark.clone());
        assert_eq!(error, ContractError::Version { file, found: 2, spoken, hallmark });
        let text = error.to_string();
        assert!(text.contains(&format!("the {file} has contract version 2")), "{text}");
        assert!(text.contains("speaks 1"), "{text}");
    }
    let without = |value: &mut Value| {
        value.as_object_mut().unwrap().remove("contract");
    };
    for (file, error) in [
        (ContractFile::Job, read(&changed("capture_job.json", without)).unwrap_err()),
        (ContractFile::Report, report(&changed("report.json", without)).unwrap_err()),
    ] {
        let (spoken, hallmark) = (spoken.clone(), hallmark.clone());
        assert_eq!(error, ContractError::NoVersion { file, spoken, hallmark });
    }
}

#[test]
fn a_file_with_more_or_less_than_its_contract_is_refused() {
    let unknown = |value: &mut Value| value["more"] = json!(1);
    let within = |value: &mut Value| value["job"]["Replay"]["device"]["more"] = json!(1);
    let lacking = |value: &mut Value| {
        value["job"]["Replay"].as_object_mut().unwrap().remove("capture");
    };
    let mut errors = vec![
        read(&changed("replay_job.json", unknown)).unwrap_err(),
        read(&changed("replay_job.json", within)).unwrap_err(),
        read(&changed("replay_job.json", lacking)).unwrap_err(),
        report(&changed("report.json", unknown)).unwrap_err(),
    ];
    let blobs = |value: &mut Value| {
        let blobs = value["blobs"].as_object_mut().unwrap();
        blobs.values_mut().for_each(|place| *place = json!([1_u64 << 40, 8]));
    };
    errors.push(read(&changed("replay_job.json", blobs)).unwrap_err());
    for error in errors {
        assert!(matches!(error, ContractError::Malformed { version: 1, .. }), "{error}");
    }
    for garbage in ["", "7", "{", "{\"contract\":\"1\"}", "{\"contract\":-1}"] {
        let error = read(garbage).unwrap_err();
        assert!(matches!(error, ContractError::Unreadable { .. }), "{garbage}: {error}");
    }
}

fn run(folder: &Path, job: &Path) -> Ending {
    let worker = WorkerProgram { executable: executable() };
    worker
        .run(folder, job, &BTreeMap::new(), Duration::from_secs(20), None, WorkerStart::Executed)
        .unwrap()
        .ending
}

#[test]
fn a_worker_reports_a_job_of_another_contract() {
    let folder = tempfile::tempdir().unwrap();
    let job = Job::Mock(MockJob::Succeed);
    let path = JobFile::create(folder.path(), job, &samples::contents(), CONTRACT).unwrap();
    let mut content: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    content["contract"] = json!(7);
    std::fs::write(&path, content.to_string()).unwrap();
    let Ending::Reported(report) = run(folder.path(), &path) else { panic!("no report") };
    let Some(WorkerProblem::Contract(error)) = report.problem else { panic!("{report:?}") };
    let file = ContractFile::Job;
    assert!(matches!(error, ContractError::Version { file: found, found: 7, .. } if found == file));
}

/// A worker of another release: this executable, followed by a report with another contract.
#[test]
fn a_parent_names_the_contract_of_a_report_that_it_does_not_speak() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let job = Job::Mock(MockJob::Succeed);
    let path = JobFile::create(folder.path(), job, &samples::contents(), CONTRACT).unwrap();
    let liar = folder.path().join("liar");
    let report = folder.path().join("report.json");
    let script = format!(
        "#!/bin/sh\n\"{}\" \"$@\" || exit 1\necho '{{\"contract\":9,\"report\":{{}}}}' > \"{}\"\n",
        executable().display(),
        report.display()
    );
    std::fs::write(&liar, script).unwrap();
    std::fs::set_permissions(&liar, std::fs::Permissions::from_mode(0o755)).unwrap();
    let worker = WorkerProgram { executable: liar };
    let ended = worker
        .run(
            folder.path(),
            &path,
            &BTreeMap::new(),
            Duration::from_secs(20),
            None,
            WorkerStart::Executed,
        )
        .unwrap();
    let Ending::Unreadable(error) = ended.ending else { panic!("{:?}", ended.ending) };
    assert!(matches!(error, ContractError::Version { found: 9, .. }), "{error}");
}

#[test]
fn an_executable_says_what_it_speaks() {
    let mut command = Command::new(executable());
    let output = command.arg(VERSIONS_ARGUMENT).env_clear().output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty());
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text.lines().count(), 1, "{text}");
    let spoken: SpokenVersions = serde_json::from_str(&text).unwrap();
    assert_eq!(spoken, SpokenVersions::here());
    assert_eq!(spoken.contracts, [1]);
    // A later release may add fields.
    let more = text.trim_end().replacen('{', "{\"more\":[1],", 1);
    assert_eq!(serde_json::from_str::<SpokenVersions>(&more).unwrap(), spoken);
    // The worker's argument is no command, and by itself no job.
    let bare = Command::new(executable()).arg(HIDDEN_ARGUMENT).env_clear().output().unwrap();
    assert!(!bare.status.success());
}
