//! Waivers with the results that they excuse, and each mistake of a waiver.

use hallmark_chip::FaultCategory;
use hallmark_schema::model::DispatchMode;
use hallmark_suite::language::DeviceKind;

use super::*;
use crate::lock::{ChallengeRule, LockedProfile, Model, Repeats, SeedRange, WaiverRule};
use crate::results::Pass;

const WAIVER: &str = "\
waiver: W-1
tests: [group::suite::one]
matches: 1
verdict: DataRace
reason: It races.
issue: https://example.org/1
from: 2026-11-01
until: 2026-11-30
approved: reviewer@example.org
";

fn read(text: &str) -> Result<Waiver, SuiteMistakes> {
    Waiver::of_text("waivers/W-1.yaml".to_owned(), text)
}

fn with(right: &str, wrong: &str) -> Waiver {
    let text = WAIVER.replacen(right, wrong, 1);
    assert_ne!(text, WAIVER, "{right}");
    read(&text).unwrap()
}

fn profile(never_waived: &[&str]) -> LockedProfile {
    LockedProfile {
        format: LockedProfile::FORMAT,
        name: "p".to_owned(),
        edition: "1".to_owned(),
        file: ContentHash([0; 32]),
        model: Model::current(),
        subjects: Vec::new(),
        devices: Vec::new(),
        requires: Vec::new(),
        schedule_seeds: SeedRange { first: 0, last: 0 },
        repeats: Repeats { sim: 1, ttsim: 1, pci: 1 },
        challenge: ChallengeRule { required: false, valid_for_days: 14 },
        never_waived: never_waived.iter().map(|&text| text.to_owned()).collect(),
        waivers: WaiverRule { at_most: 1, longest_days: 30 },
        score: None,
    }
}

/// The outcome of a run.
type End = (Verdict, Option<Signature>);
/// The outcomes of a case's runs.
type Ends<'a> = (&'a str, &'a [End]);

fn race() -> End {
    let category = FaultCategory::DataRace;
    let signature = Signature::Fault { category, program: None, processor: None, symbol: None };
    (Verdict::Fault, Some(signature))
}

fn hang() -> End {
    (Verdict::Hang, Some(Signature::Hang { program: None }))
}

const PASS: End = (Verdict::Pass, None);

/// Results of cases, under the schedule seeds 0, 1, … in order.
fn results(ends: &[Ends<'_>]) -> BTreeMap<RunKey, ResultLine> {
    let mut results = BTreeMap::new();
    for (case, runs) in ends {
        for (schedule_seed, (verdict, signature)) in (0..).zip(*runs) {
            let run = RunKey {
                test: format!("wormhole_b0::group::suite::{case}").parse().unwrap(),
                device: DeviceKind::Sim,
                harvesting: 0,
                dispatch: DispatchMode::Host,
                schedule_seed,
                repeat: 1,
                pass: Pass::Canonical,
            };
            let mut line = ResultLine::skipped(&run, "");
            line.verdict.0 = verdict.clone();
            line.signature.clone_from(signature);
            results.insert(run, line);
        }
    }
    results
}

/// The number of waived results, or the mistake.
fn applied(waivers: &[Waiver], ends: &[Ends<'_>]) -> Result<usize, String> {
    let mut results = results(ends);
    let firmware = FirmwareHashes::from([(Architecture::WormholeB0, ContentHash([0x5c; 32]))]);
    apply(waivers, &profile(&["other"]), &firmware, &mut results)
        .map_err(|mistakes| mistakes.to_string())?;
    Ok(results.values().filter(|result| result.waiver.is_some()).count())
}

#[test]
fn a_waiver_excuses_the_failures_that_it_names_and_no_other() {
    let waiver = read(WAIVER).unwrap();
    let only = std::slice::from_ref(&waiver);
    assert_eq!(applied(only, &[("one", &[race()]), ("two", &[race()])]), Ok(1));
    // A test fails under two seeds and passes under another.
    assert_eq!(applied(only, &[("one", &[race(), PASS, race()])]), Ok(2));
    // Another failure of the same test is not excused.
    assert_eq!(applied(only, &[("one", &[race(), hang()])]), Ok(1));
    // A verdict covers every category, a category only itself.
    let faults = with("DataRace", "Fault");
    assert_eq!(applied(&[faults], &[("one", &[race()])]), Ok(1));
    let both = with("matches: 1", "matches: 2");
    let both = Waiver { tests: vec!["group".parse().unwrap()], ..both };
    assert_eq!(applied(&[both], &[("one", &[race()]), ("two", &[race()])]), Ok(2));
    for place in ["{ devices: [sim] }", "{ firmware: [5c5c5c5c] }", "{ harvesting: [0] }"] {
        let waiver = with("reason:", &format!("where: {place}\nreason:"));
        assert_eq!(applied(&[waiver], &[("one", &[race()])]), Ok(1), "{place}");
    }
}

#[test]
fn of_the_vendors_runtime_no_firmware_is_known() {
    let own = || [(Architecture::WormholeB0, ContentHash([0x5c; 32]))];
    for subject in [SubjectKind::Simulator, SubjectKind::Firmware, SubjectKind::Board] {
        assert_eq!(known_firmware(subject, own()), FirmwareHashes::from(own()));
    }
    assert_eq!(known_firmware(SubjectKind::Metalium, own()), FirmwareHashes::new());
}

#[test]
fn a_waiver_that_excuses_nothing_too_much_or_a_pass_is_a_mistake() {
    let waiver = read(WAIVER).unwrap();
    let refused = |waivers: &[Waiver], ends: &[Ends<'_>], words| {
        let said = applied(waivers, ends).unwrap_err();
        assert!(said.contains(words) && said.contains("waivers/W-1.yaml:"), "{words}\n{said}");
    };
    let only = std::slice::from_ref(&waiver);
    refused(only, &[("two", &[race()])], "waiver `W-1` excuses nothing");
    refused(only, &[("one", &[hang()])], "waiver `W-1` excuses nothing");
    // A verdict without captures rests on the submitter's word, so its signature excuses nothing.
    let (_, of_race) = race();
    for verdict in [Verdict::Unstable, Verdict::Changed, Verdict::Crash, Verdict::Unsupported] {
        refused(only, &[("one", &[(verdict, of_race.clone())])], "waiver `W-1` excuses nothing");
    }
    refused(only, &[("one", &[PASS])], "which passes");
    for place in ["{ devices: [pci] }", "{ firmware: [\"77777777\"] }", "{ harvesting: [1] }"] {
        let waiver = with("reason:", &format!("where: {place}\nreason:"));
        refused(&[waiver], &[("one", &[race()])], "excuses nothing");
    }
    let more = Waiver { tests: vec!["group".parse().unwrap()], ..waiver.clone() };
    let both: [(&str, &[_]); 2] = [("one", &[race()]), ("two", &[race()])];
    refused(std::slice::from_ref(&more), &both, "excuses 2 tests, not 1");
    let with_pass: [(&str, &[_]); 2] = [("one", &[race()]), ("two", &[PASS])];
    refused(&[more], &with_pass, "is about wormhole_b0::group::suite::two, which passes");
    let output = with("reason:", "output: out\nreason:");
    refused(&[output], &[("one", &[race()])], "excuses nothing");
    refused(&[waiver.clone(), waiver.clone()], &[("one", &[race()])], "`W-1` excuses wormhole_b0");

    let mut results = results(&[("one", &[race()])]);
    let never = profile(&["group::suite"]);
    let said = apply(only, &never, &FirmwareHashes::new(), &mut results).unwrap_err().to_string();
    assert!(
        said.contains("the profile lets nobody waive wormhole_b0::group::suite::one"),
        "{said}"
    );
}

#[test]
fn a_waiver_counts_from_its_first_day_to_the_end_of_its_last() {
    let check = |waivers: &[Waiver], at: &str| {
        check_all(waivers, &profile(&[]), at.parse().unwrap()).map_err(|it| it.to_string())
    };
    let waiver = read(WAIVER).unwrap();
    let only = std::slice::from_ref(&waiver);
    for (at, words) in [
        ("2026-10-31T23:59:59Z", Some("does not count yet")),
        ("2026-11-01T00:00:00Z", None),
        ("2026-11-30T23:59:59Z", None),
        ("2026-12-01T00:00:00Z", Some("has expired")),
    ] {
        match (check(only, at), words) {
            (Ok(()), None) => {}
            (Err(said), Some(words)) => assert!(said.contains(words), "{said}"),
            (other, _) => panic!("{at}: {other:?}"),
        }
    }
    let now = "2026-11-05T00:00:00Z";
    // Thirty days are permitted, and no more.
    let said = check(&[with("2026-11-30", "2026-12-01")], now).unwrap_err();
    assert!(said.contains("lasts longer than 30 days"), "{said}");
    let said = check(&[waiver.clone(), waiver], now).unwrap_err();
    assert!(said.contains("2 waivers given; the profile admits at most 1"), "{said}");
    assert!(said.contains("another waiver is called `W-1`"), "{said}");
}

#[test]
fn mistakes_of_a_waiver_are_told_with_their_places() {
    for (right, wrong, words) in [
        ("issue: https://example.org/1\n", "", "a waiver needs `issue`"),
        ("waiver: W-1", "waiver: W-2", "call it W-2.yaml"),
        ("matches: 1", "matches: 0", "excuses one test or more"),
        ("matches: 1", "matches: all", "expected a number"),
        ("DataRace", "DataRaces", "did you mean `DataRace`?"),
        ("[group::suite::one]", "[]", "the waiver names no test"),
        ("[group::suite::one]", "['a[b']", "is not a pattern"),
        ("2026-11-30", "2026-10-30", "ends before it begins"),
        ("2026-11-30", "2026-11-31", "is no day"),
        ("reason:", "raeson:", "did you mean `reason`?"),
        ("reason: It races.", "reason: \"\"", "expected a text"),
        ("https://example.org/1", "\"\"", "expected a text"),
        ("https://example.org/1", "later", "the issue is no link"),
        ("reviewer@example.org", "\" \"", "expected a text"),
        ("reason:", "where: { firmware: [\"\"] }\nreason:", "expected a text"),
        ("reason:", "where: { firmware: [5c5c5c5] }\nreason:", "names no firmware"),
        ("reason:", "where: { firmware: [5C5C5C5C] }\nreason:", "names no firmware"),
    ] {
        let text = WAIVER.replacen(right, wrong, 1);
        let said = read(&text).unwrap_err().to_string();
        assert!(said.contains(words) && said.contains("waivers/W-1.yaml:"), "{words}\n{said}");
    }
}
