//! Results that no capture shows: nobody can compute or repeat them, and every answer of a verifier says so.

use std::collections::BTreeSet;

use hallmark_certification::results::{Basis, ResultLine, RunVerdict};
use hallmark_package::RESULTS;
use hallmark_pipeline::verdict::Verdict;

use crate::common::{command, text};
use crate::forgeries::{Forgery, root};

/// The genuine package, in which the processes of four of its six runs are said to have died without a trace. A waiver
/// excuses them.
fn package() -> Vec<u8> {
    let mut forgery = Forgery::begin();
    let is_of_waiver = |result: &&mut ResultLine| result.run.test.group == "dataflow";
    forgery.results(|all| {
        for result in all.iter_mut().filter(is_of_waiver) {
            result.verdict = RunVerdict(Verdict::Crash);
            result.basis = Basis::Asserted;
            (result.capture, result.replay, result.program) = (None, None, None);
            result.waiver = Some("W-1".to_owned());
        }
    });
    forgery.drop_unused();
    forgery.drop_unused_blobs();
    forgery.waiver("matches: 1\nverdict: Mismatch", "matches: 2\nverdict: Crash");
    forgery.end()
}

#[test]
fn what_no_capture_shows_is_neither_computed_nor_repeated() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("x.hallmark"), package()).unwrap();
    let said = |arguments: &[&str]| {
        let mut hallmark = command(folder.path());
        let said = hallmark.args(arguments).arg("--root").arg(root()).output().unwrap();
        assert_eq!(said.status.code(), Some(14), "{}", text(&said));
        text(&said)
    };
    let verify = ["package", "verify", "x.hallmark"];
    let bare =
        "but 4 results have no capture and rest on the submitter's word; nobody can repeat them";
    let words = said(&verify);
    let dated = "the challenge is said to be a reviewer's and dated 20";
    assert!(words.contains(dated) && words.contains("so both are the submitter's word"), "{words}");
    assert!(words.contains("Z, as the submitter dates it\n"), "{words}");
    assert!(words.contains("  4 results computed anew: 2 Pass, 2 Skipped\n"), "{words}");
    assert!(words.contains("  4 results taken from the package: 4 Crash\n"), "{words}");
    assert!(words.contains("all results but 4 were computed anew from them"), "{words}");
    assert!(words.contains(bare) && words.contains("but 2 results are as submitted"), "{words}");

    let words = said(&[verify.as_slice(), &["--replay"]].concat());
    assert!(words.contains("  4 results taken from the package: 4 Crash\n"), "{words}");
    assert!(words.contains("6 results repeated: 2 agree, 0 differ, 4 unknown"), "{words}");
    assert!(words.contains(": it has no capture and cannot be repeated"), "{words}");
    assert!(
        words.contains(bare) && words.contains("but 4 results could not be repeated"),
        "{words}"
    );

    let json = said(&[verify.as_slice(), &["--replay", "--json"]].concat());
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let numbers = &json["repetition"];
    assert_eq!((&numbers["agree"], &numbers["differ"]), (&2.into(), &0.into()), "{json}");
    assert_eq!((&numbers["unknown"], &numbers["of"]), (&4.into(), &2.into()), "{json}");
    let told = numbers["told"].as_array().unwrap();
    assert!(told.len() == 4 && told[0].as_str().unwrap().starts_with("UNKNOWN "), "{json}");
    assert_eq!(json["claimed"], serde_json::json!({ "Crash": 4 }));
    assert_eq!(json["bases"]["asserted"], 4, "{json}");
    assert_eq!(json["challenge_hash"].as_str().unwrap().len(), 64, "{json}");
    assert!(json["challenge_issued"].as_str().unwrap() <= json["made"].as_str().unwrap(), "{json}");

    let page = ["package", "report", "x.hallmark", "-o", "x.html", "--replay"];
    let words = said(&page);
    let html = std::fs::read_to_string(folder.path().join("x.html")).unwrap();
    for shown in [&words, &html] {
        assert!(shown.contains("6 results repeated: 2 agree, 0 differ, 4 unknown"), "{shown}");
        assert!(shown.contains("4 results could not be repeated"), "{shown}");
        assert!(shown.contains("UNKNOWN wormhole_b0::dataflow::loopback::one_core"), "{shown}");
    }
    // No sample contains them.
    let words = said(&[verify.as_slice(), &["--replay", "2", "--seed", "7"]].concat());
    assert!(words.contains("2 results repeated, drawn by seed 7: 2 agree"), "{words}");
    assert!(words.contains(bare), "{words}");
}

impl Forgery {
    /// Removes the blobs to which no capture refers.
    fn drop_unused_blobs(&mut self) {
        let results: Vec<ResultLine> = self.read(RESULTS);
        let named = results.iter().flat_map(|it| [it.capture, it.replay]).flatten();
        let captures: BTreeSet<_> = named.collect();
        let used: BTreeSet<String> =
            captures.into_iter().flat_map(|hash| self.blobs_of(hash)).collect();
        self.files.retain(|name, _| !name.starts_with("blobs/") || used.contains(name));
    }
}
