//! Searches over commands that go on where they were stopped, and several candidates at a time.

use std::path::Path;

use super::common::repository;
use super::roots::hallmark;

const TEST: &str = "wormhole_b0::queues::again::a_word_changed";
const FORGETS: &str = "misbehaving:forgets_launch:wormhole_b0:nth=2";

fn bisect(folder: &Path, more: &[&str]) -> (i32, String) {
    hallmark(folder, &[["bisect", "c.lmb"].as_slice(), more].concat())
}

fn read(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join("out").join(name)).unwrap()
}

#[test]
fn a_search_over_commands_goes_on_and_comes_to_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let file = folder.join("c.lmb").display().to_string();
    assert_eq!(hallmark(&repository(), &["capture", TEST, "-o", &file]).0, 0);
    let late = format!("{FORGETS} dispatch=device");
    for bad in [FORGETS, &late] {
        let (code, whole) = bisect(folder, &["--bad", bad, "-o", "out", "-j1"]);
        assert_eq!(code, 0, "{whole}");
        let [log, text, json] =
            ["log.jsonl", "answer.txt", "answer.json"].map(|name| read(folder, name));
        let lines = log.lines().count();
        for kept in [1, 2, lines.div_ceil(2), lines] {
            let part: String = log.split_inclusive('\n').take(kept).collect();
            std::fs::write(folder.join("out/log.jsonl"), part + "{\"n\":").unwrap();
            for name in ["answer.txt", "answer.json", "cut.lmb"] {
                std::fs::remove_file(folder.join("out").join(name)).unwrap();
            }
            let (code, again) = bisect(folder, &["--bad", bad, "--resume", "out", "-j1"]);
            assert_eq!((code, &again), (0, &whole), "{bad} with {kept} lines");
            assert_eq!(read(folder, "answer.txt"), text);
            assert_eq!(read(folder, "answer.json"), json);
            assert_eq!(read(folder, "log.jsonl").lines().count(), lines);
            assert!(folder.join("out/cut.lmb").is_file());
        }
        let (code, replayed) = hallmark(folder, &["bisect", "--replay-log", "out"]);
        assert_eq!(code, 0, "{replayed}");
        for words in ["  search: commands\n", "\nprobe 0   commands 0 to 17 in question: ", &text] {
            assert!(replayed.contains(words.trim_end()), "no `{words}` in {replayed}");
        }
        let (code, said) =
            bisect(folder, &["--bad", bad, "--schedule-seed", "3", "--resume", "out"]);
        assert_eq!(code, 2, "{said}");
        assert!(said.contains("is the log of another search: "), "{said}");
        // Several prefixes at a time lead to the same command.
        let (code, several) = bisect(folder, &["--bad", bad, "-j3"]);
        assert_eq!((code, several.lines().next()), (0, whole.lines().next()));
        std::fs::remove_dir_all(folder.join("out")).unwrap();
    }
    let (code, said) = hallmark(folder, &["bisect", "--replay-log", "out"]);
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("the log out/log.jsonl cannot be read: "), "{said}");
    let (code, said) = hallmark(folder, &["bisect"]);
    assert_eq!(code, 2, "{said}");
}

/// Of a failure by chance, what was seen is not asked again.
#[test]
fn a_flaky_search_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let file = folder.join("c.lmb").display().to_string();
    assert_eq!(hallmark(&repository(), &["capture", TEST, "-o", &file]).0, 0);
    let counter = folder.join("runs");
    let bad = format!("{FORGETS}:chance=0.7:seed=2:counter={}", counter.display());
    let (code, whole) = bisect(folder, &["--bad", &bad, "--flaky", "-o", "out", "-j1"]);
    assert_eq!(code, 0, "{whole}");
    let log = read(folder, "log.jsonl");
    let part: String = log.split_inclusive('\n').take(12).collect();
    std::fs::write(folder.join("out/log.jsonl"), &part).unwrap();
    let (code, again) = bisect(folder, &["--bad", &bad, "--flaky", "--resume", "out", "-j1"]);
    assert_eq!((code, again.lines().next()), (0, whole.lines().next()), "{again}");
    assert!(read(folder, "log.jsonl").starts_with(&part));
}
