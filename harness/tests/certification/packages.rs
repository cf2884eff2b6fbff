//! The content of a package, and refusals before a run.

use std::collections::BTreeMap;

use hallmark_certification::challenge::Challenge;
use hallmark_certification::lock::Lock;
use hallmark_certification::profile::ConformanceProfile;
use hallmark_certification::results::{Pass, ResultLine};
use hallmark_certification::store::CaptureStore;
use hallmark_package::{Limits, Package, Timestamp, json};
use hallmark_pipeline::verdict::Verdict;
use hallmark_schema::model::Capture;
use hallmark_schema::program_hash;
use hallmark_suite::discover::Root;

use crate::common::{repository, text};
use crate::roots::{PROFILE, RUNS, hallmark, profile, root};

/// The results of a package, by its bytes.
fn results(package: &Package<'_>) -> Vec<ResultLine> {
    json::read_lines(package.file(hallmark_package::RESULTS).unwrap()).unwrap()
}

/// Changes do not run a baseline. This test shows that a baseline can be read; the nightly run runs its tests.
#[test]
fn the_shipped_profiles_are_named_as_their_files() {
    let folder = repository().join("suites/conformance-profiles");
    let root = Root::at(&repository()).unwrap();
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let profile = ConformanceProfile::read(&root, &path).unwrap();
        assert_eq!(Some(profile.name()), path.file_stem().unwrap().to_str());
        names.push(profile.name().to_owned());
    }
    names.sort();
    let baselines = ["blackhole", "grayskull", "wormhole_b0"].map(|it| format!("baseline-{it}"));
    assert_eq!(names, [baselines.as_slice(), &["compute".to_owned(), "smoke".to_owned()]].concat());
}

#[test]
fn a_package_holds_each_run_of_the_lock_once_with_its_captures() {
    let root = root();
    let said = hallmark(root.path(), &["certify", "lock", "all", "-o", "all.lock"]);
    assert!(said.status.success(), "{}", text(&said));
    let locked = std::fs::read(root.path().join("all.lock")).unwrap();
    let lock = Lock::read(&locked).unwrap();
    assert_eq!(lock.tests.len(), RUNS / 2);

    let made = hallmark(root.path(), &["certify", "challenge", "-o", "c.json"]);
    assert!(made.status.success(), "{}", text(&made));
    let challenged = ["--draft", "--challenge", "c.json", "-o", "x.hallmark"];
    let said = hallmark(root.path(), &[["certify", "all"].as_slice(), &challenged].concat());
    let said_text = text(&said);
    assert_eq!(said.status.code(), Some(0), "{said_text}");
    assert!(!root.path().join("x.hallmark.run").exists(), "{said_text}");

    // The verifier's own mistake is not the package's fault.
    let verify = ["package", "verify", "x.hallmark", "--draft", "--challenge"];
    let said = hallmark(root.path(), &[verify.as_slice(), &["all.lock"]].concat());
    let said_text = text(&said);
    assert_eq!(said.status.code(), Some(2), "{said_text}");
    assert!(said_text.contains("all.lock: not a challenge"), "{said_text}");

    let bytes = std::fs::read(root.path().join("x.hallmark")).unwrap();
    let package = Package::read(&bytes, &Limits::default()).unwrap();
    assert_eq!(package.file(hallmark_package::LOCK).unwrap(), locked);
    assert_eq!(package.file(hallmark_package::PROFILE).unwrap(), PROFILE.as_bytes());
    let statement = package.statement(Timestamp::now()).unwrap().predicate;
    assert_eq!(
        statement.totals,
        BTreeMap::from([("Pass".to_owned(), 22), ("Skipped".to_owned(), 4)])
    );

    let challenge = package.file(hallmark_package::CHALLENGE).unwrap();
    let challenge = Challenge::read(challenge).unwrap();
    let kind = results(&package)[0].run.device;
    let on = BTreeMap::from([(hallmark_chip::Architecture::WormholeB0, kind)]);
    let demanded = lock.runs(&on, true).unwrap();
    let results = results(&package);
    assert!(results.iter().map(|result| &result.run).eq(demanded.keys()));
    let log = package.file(hallmark_package::RUN).unwrap();
    let mut logged = hallmark_certification::log::read(log).unwrap().results;
    logged.sort_by(|one, other| one.run.cmp(&other.run));
    assert_eq!(logged, results);

    let store = tempfile::tempdir().unwrap();
    for result in &results {
        if let Verdict::Skipped { reason } = &result.verdict.0 {
            assert_eq!(demanded[&result.run], Some(reason.as_str()));
            continue;
        }
        let test = lock.test(&result.run.test).unwrap();
        let is_canonical = result.run.pass == Pass::Canonical;
        assert_eq!(result.program == test.program, is_canonical, "{}", result.run);
        assert!(is_canonical || challenge.shift(&result.run.test) != 0);
        for hash in [result.capture, result.replay].map(Option::unwrap) {
            let file = package.capture(&hallmark_package::Blake3::from_bytes(hash.0)).unwrap();
            let capture = Capture::from_bytes(file).unwrap();
            assert!(capture.blobs.is_empty());
            assert_eq!(Some(program_hash(&capture.program).unwrap()), result.program);
            let store = CaptureStore::new(store.path().to_owned());
            assert_eq!(store.add(&capture).unwrap(), hash);
        }
    }
}

#[test]
fn a_subject_that_fails_is_packed_with_its_failures() {
    let root = root();
    let device = "wormhole_b0=misbehaving:flips_bit:wormhole_b0";
    let said = hallmark(root.path(), &["certify", "all", "--device", device, "-o", "x.hallmark"]);
    let said_text = text(&said);
    assert_eq!(said.status.code(), Some(1), "{said_text}");
    let bytes = std::fs::read(root.path().join("x.hallmark")).unwrap();
    let package = Package::read(&bytes, &Limits::default()).unwrap();
    let results = results(&package);
    let failed: Vec<_> = results.iter().filter(|it| it.verdict.0 == Verdict::Mismatch).collect();
    assert!(!failed.is_empty(), "{said_text}");
    assert!(failed.iter().all(|it| !it.lines.is_empty() && it.signature.is_some()));
    assert!(said_text.contains(&failed[0].run.to_string()), "{said_text}");
}

#[test]
fn what_cannot_be_certified_is_refused_before_anything_runs() {
    let root = root();
    let refused = |arguments: &[&str], code: i32, words: &str| {
        let said =
            hallmark(root.path(), &[&["certify"], arguments, &["-o", "x.hallmark"]].concat());
        let said_text = text(&said);
        assert_eq!(said.status.code(), Some(code), "{arguments:?}: {said_text}");
        assert!(said_text.contains(words), "{words}: {said_text}");
        assert!(!root.path().join("x.hallmark.run").exists(), "{said_text}");
    };
    refused(&["al"], 8, "did you mean `all`?");
    profile(root.path(), "typo", &PROFILE.replace("edition", "editoin"));
    refused(&["typo"], 3, "typo.yaml:2:1");
    profile(root.path(), "nothing", &PROFILE.replace("'**'", "grup"));
    refused(&["nothing"], 3, "did you mean `group`?");
    profile(root.path(), "boards", &PROFILE.replace("[simulator, firmware]", "[board]"));
    refused(&["boards"], 2, "is for board, and the subject is of kind simulator");
    let library = PROFILE.replace("[sim]", "[ttsim]").replace("'**'", "'*::*::seeded'");
    profile(root.path(), "ttsim", &library);
    refused(&["ttsim"], 2, "on a device of kind sim");
    profile(root.path(), "challenged", &format!("{PROFILE}challenge: {{ required: true }}\n"));
    refused(&["challenged"], 2, "requires a challenge");
    for device in ["sim dispatch=device", "sim schedule_seed=3", "sim:wormhole_b0:harvested=0x1"] {
        refused(&["all", "--device", device], 2, "which the conformance profile says");
    }
    let old = r#"{"challenge":"0000000000000000000000000000000000000000000000000000000000000000","issued":"2020-01-01T00:00:00Z","by":"reviewer"}"#;
    std::fs::write(root.path().join("c.json"), format!("{old}\n")).unwrap();
    refused(&["all", "--challenge", "c.json"], 2, "lets one count for 14 days");
    std::fs::write(root.path().join("c.json"), old).unwrap();
    refused(&["all", "--challenge", "c.json"], 2, "c.json: not a challenge");
    for (own, words) in [(false, "c.json has no signature"), (true, "is the submitter's own")] {
        let make: &[&str] = if own { &["--own"] } else { &[] };
        let made =
            hallmark(root.path(), &[&["certify", "challenge", "-o", "c.json"], make].concat());
        assert!(made.status.success(), "{}", text(&made));
        refused(&["challenged", "--challenge", "c.json"], 2, words);
    }
    let waivers = root.path().join("waivers");
    std::fs::create_dir(&waivers).unwrap();
    let waived = format!("{PROFILE}waivers: {{ at_most: 1, longest: 3650d }}\n");
    profile(root.path(), "waived", &waived);
    let waiver = "waiver: W-1\ntests: [group::suite::counted]\nmatches: 1\nverdict: Mismatch\nreason: It fails.\n\
                  issue: https://example.org/1\nfrom: 2026-01-01\nuntil: 2035-01-01\napproved: reviewer@example.org\n";
    std::fs::write(waivers.join("W-1.yaml"), waiver).unwrap();
    refused(&["waived", "--waivers", "waivers"], 2, "W-1.yaml has no signature");
    // A shipped profile's name takes precedence over a file in the current folder.
    std::fs::write(root.path().join("all"), "profile: other\n").unwrap();
    profile(root.path(), "boards", &PROFILE.replace("[simulator, firmware]", "[board]"));
    std::fs::write(root.path().join("boards"), PROFILE).unwrap();
    refused(&["boards"], 2, "is for board");
    refused(&["./all"], 3, "a conformance profile needs `edition`");
    std::fs::remove_file(root.path().join("goldens/wormhole_b0/group/suite/counted.lmb")).unwrap();
    refused(&["all"], 7, "wormhole_b0::group::suite::counted has no golden");
}

/// A profile's publisher states the number of planted defects that its tests find, and lists them.
#[test]
fn a_score_without_its_defects_gets_no_lock() {
    let root = root();
    profile(root.path(), "scored", &format!("{PROFILE}score: {{ at_least: 2, of: 3 }}\n"));
    let locked = |name: &str, found: Option<&str>| {
        let list = root.path().join("found.txt");
        if let Some(found) = found {
            std::fs::write(&list, found).unwrap();
        }
        let given: &[&str] = if found.is_some() { &["--found", "found.txt"] } else { &[] };
        let said =
            hallmark(root.path(), &[&["certify", "lock", name, "-o", "x.lock"], given].concat());
        let is_written = root.path().join("x.lock").exists();
        let _ = std::fs::remove_file(root.path().join("x.lock"));
        assert_eq!(is_written, said.status.success());
        (said.status.code().unwrap(), text(&said))
    };
    for (name, found, code, words) in [
        ("scored", None, 2, "find 2 of 3 planted defects; name those"),
        ("scored", Some("a\n"), 2, "names 1 planted defects"),
        ("scored", Some("a\n\nb\n"), 0, "which find 2 of 3 planted defects"),
        ("scored", Some("a\nb\nc\n"), 0, "which find 3 of 3"),
        ("scored", Some("a\nb\nc\nd\n"), 2, "names 4 planted defects"),
        ("scored", Some("a\nb\na\n"), 2, "found.txt:3 names `a` again"),
        ("all", Some("a\n"), 2, "states no `score`"),
    ] {
        let (ended, said) = locked(name, found);
        assert!(ended == code && said.contains(words), "{found:?}: {ended}: {said}");
    }
    // A vendor need not list defects.
    let said = hallmark(root.path(), &["certify", "scored"]);
    assert!(said.status.success(), "{}", text(&said));
}
