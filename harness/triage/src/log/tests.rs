//! Logs that are cut off, changed, foreign or in use.

use hallmark_schema::model::ContentHash;

use super::*;
use crate::probe::CannotTell;

fn inputs() -> Inputs {
    Inputs::default().with("capture", "5c0e").with("bad executor", "sim:blackhole")
}

fn key(number: u64) -> ProbeKey {
    let hash = |text: &str| ContentHash::of(text.as_bytes());
    ProbeKey { candidate: hash("candidate"), executor: hash("executor"), seed: number, run: 0 }
}

fn results() -> [ProbeResult; 3] {
    let lost = CannotTell::Lost { executor: "pci:0".into(), reason: "it is \"gone\"\n".into() };
    [ProbeResult::Same, ProbeResult::CannotTell(lost), ProbeResult::Passed]
}

/// A log with three probes, and its expected content.
fn written(path: &Path) -> Vec<Line<String>> {
    let mut log = Log::create(path, &inputs()).unwrap();
    let mut lines = Vec::new();
    for (n, result) in (0..).zip(results()) {
        let about = format!("prefix {n}\u{2028}");
        log.append(about.clone(), key(n), result.clone(), Duration::from_millis(15)).unwrap();
        lines.push(Line { n, about, key: key(n), result, ms: 15 });
    }
    assert_eq!((log.probes(), log.path()), (3, path));
    lines
}

fn resume(path: &Path, inputs: &Inputs) -> Result<Vec<Line<String>>, String> {
    Log::resume(path, inputs).map(|(_, lines)| lines).map_err(|error| error.to_string())
}

#[test]
fn a_log_cut_at_any_byte_resumes_with_its_whole_lines() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.jsonl");
    let lines = written(&path);
    let bytes = std::fs::read(&path).unwrap();
    let first = bytes.iter().position(|byte| *byte == b'\n').unwrap() + 1;
    for length in first..=bytes.len() {
        std::fs::write(&path, &bytes[..length]).unwrap();
        let whole = bytes[..length].iter().filter(|byte| **byte == b'\n').count() - 1;
        let (mut log, read) = Log::<String>::resume(&path, &inputs()).unwrap();
        assert_eq!(read, lines[..whole], "{length} bytes");
        for line in &lines[whole..] {
            let elapsed = Duration::from_millis(line.ms);
            log.append(line.about.clone(), line.key, line.result.clone(), elapsed).unwrap();
        }
        assert_eq!(std::fs::read(&path).unwrap(), bytes, "as if it had never stopped");
    }
    for length in 0..first {
        std::fs::write(&path, &bytes[..length]).unwrap();
        let error = resume(&path, &inputs()).unwrap_err();
        assert!(error.contains("its first line has no end"), "{error}");
    }
}

#[test]
fn a_log_of_other_inputs_is_refused_with_what_differs() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.jsonl");
    written(&path);
    let others = [
        (inputs().with("capture", "77aa"), "the capture is `77aa` and was `5c0e`"),
        (inputs().with("budget", "500 runs"), "the budget is `500 runs` and was none"),
        (
            Inputs::default().with("capture", "5c0e"),
            "the bad executor is none and was `sim:blackhole`",
        ),
    ];
    for (others, words) in others {
        let error = resume(&path, &others).unwrap_err();
        assert!(error.contains(words), "{error}");
    }
    assert_eq!(resume(&path, &inputs()).unwrap().len(), 3, "nothing was changed");
}

#[test]
fn what_no_search_wrote_is_refused_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.jsonl");
    written(&path);
    let text = std::fs::read_to_string(&path).unwrap();
    let altered = [
        (text.replacen("\"triage_log\":1", "\"triage_log\":2", 1), "is a log of version 2"),
        (text.replacen("triage_log", "other_log", 1), "is no log of a search"),
        (text.replacen("\"inputs\"", "\"outputs\"", 1), "is no log of a search"),
        (text.replacen("\"n\":1", "\"n\":7", 1), "line 3: it is probe 7, and probe 1 is next"),
        (text.replacen("\"n\":1", "\"m\":1", 1), "line 3: unknown field `m`"),
        (text.replacen("\"passed\"", "\"perhaps\"", 1), "line 4: unknown variant `perhaps`"),
        (text.replacen("\"ms\":15", "\"ms\":-1", 1), "line 2: invalid value"),
        (format!("{text}\n"), "line 5: EOF"),
        (String::new(), "its first line has no end"),
        ("hello\n".into(), "is no log of a search"),
    ];
    for (altered, words) in altered {
        std::fs::write(&path, &altered).unwrap();
        let error = resume(&path, &inputs()).unwrap_err();
        assert!(error.contains(words), "{error}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), altered, "it is left as it was");
    }
    std::fs::write(&path, [b"\xff\xfe\n".as_slice(), text.as_bytes()].concat()).unwrap();
    assert!(resume(&path, &inputs()).unwrap_err().contains("is no log of a search"));
    std::fs::write(&path, [text.as_bytes(), b"\xff\xfe\n"].concat()).unwrap();
    assert!(resume(&path, &inputs()).unwrap_err().contains("line 5: "));
}

#[test]
fn a_log_is_not_begun_twice_nor_written_by_two() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.jsonl");
    let missing = resume(&path, &inputs()).unwrap_err();
    assert!(missing.contains("cannot be read"), "{missing}");
    let log = Log::<String>::create(&path, &inputs()).unwrap();
    let again = Log::<String>::create(&path, &inputs()).unwrap_err().to_string();
    assert!(again.contains("`--resume` goes on with it"), "{again}");
    let second = resume(&path, &inputs()).unwrap_err();
    assert!(second.contains("another search writes to"), "{second}");
    drop(log);
    assert_eq!(resume(&path, &inputs()), Ok(Vec::new()));
    let no_file = resume(folder.path(), &inputs()).unwrap_err();
    assert!(no_file.contains("it is no file"), "{no_file}");
}

#[test]
fn a_line_at_the_limit_is_written_and_one_past_it_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.jsonl");
    let mut log = Log::create(&path, &inputs()).unwrap();
    let empty = Line { n: 0, about: String::new(), key: key(0), result: ProbeResult::Same, ms: 0 };
    let room = LINE_LIMIT - line(&path, &empty).unwrap().len();
    let mut append =
        |length: usize| log.append("x".repeat(length), key(0), ProbeResult::Same, Duration::ZERO);
    let error = append(room + 1).unwrap_err().to_string();
    assert!(error.contains("would have more than"), "{error}");
    append(room).unwrap();
    let contents = read::<String, ProbeResult>(&path).unwrap();
    assert_eq!((contents.lines.len(), contents.inputs), (1, inputs()));
}
