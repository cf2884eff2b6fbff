//! Baselines: what they say of results, what a run makes of them, and texts that are none.

use std::collections::BTreeMap;

use hallmark_chip::{FaultCategory, Processor};

use super::*;
use crate::signature::Shape;

const TEST: &str = "wormhole_b0::group::suite::case";

fn name(text: &str) -> TestName {
    text.parse().unwrap()
}

fn baseline(entries: &str) -> Baseline {
    let text = format!("known_failures:\n{entries}");
    Baseline::of_text("card.yaml".to_owned(), &text).unwrap_or_else(|error| panic!("{error}"))
}

fn differs(object: &str, shape: Shape) -> Signature {
    Signature::Differs { object: object.to_owned(), shape, bytes: None }
}

fn fault(category: FaultCategory, symbol: &str) -> Signature {
    Signature::Fault {
        category,
        program: Some("p".to_owned()),
        processor: Some(Processor::Brisc),
        symbol: Some(symbol.to_owned()),
    }
}

fn result(verdict: Verdict, signature: Option<Signature>) -> TestResult {
    let exit_code = verdict.exit_code();
    TestResult { signature, ..TestResult::new(name(TEST), verdict, exit_code, Vec::new()) }
}

fn judged(known: &Baseline, verdict: Verdict, signature: Option<Signature>) -> (Standing, Verdict) {
    let mut judged = result(verdict, signature);
    let standing = known.standing(&judged);
    known.judge(&mut judged);
    assert_eq!(judged.verdict.is_success(Mode::Ordinary), judged.exit_code == ExitCode::SUCCESS);
    // What is said of a result does not depend on whether it was judged.
    assert_eq!(known.standing(&judged), standing);
    (standing, judged.verdict)
}

const ZEROS: &str = "  - test: wormhole_b0::group::suite::case
    verdict: Mismatch
    signature: { differs: { object: out, shape: zeros, bytes: null } }
";

#[test]
fn only_the_known_failure_lets_a_run_succeed() {
    let known = baseline(&format!("{ZEROS}    reason: the board's DRAM\n"));
    let reason = "Mismatch, `out` differs: zeros instead of what was expected; the board's DRAM";
    let zeros = || Some(differs("out", Shape::Zeros));
    let (standing, verdict) = judged(&known, Verdict::Mismatch, zeros());
    assert_eq!(standing, Standing::Known);
    assert_eq!(verdict, Verdict::KnownFailure { reason: reason.to_owned() });
    for (verdict, signature) in [
        (Verdict::Mismatch, Some(differs("out", Shape::All))),
        (Verdict::Mismatch, Some(differs("other", Shape::Zeros))),
        (Verdict::Mismatch, None),
        (Verdict::Unstable, zeros()),
        (Verdict::Hang, Some(Signature::Hang { program: None })),
        (Verdict::Missing, None),
        (Verdict::InternalError, None),
    ] {
        assert_eq!(judged(&known, verdict.clone(), signature), (Standing::Changed, verdict));
    }
    let expected = || Verdict::ExpectedFailure { reason: "it is known".to_owned() };
    for verdict in [Verdict::Pass, expected(), Verdict::UnexpectedPass] {
        let judged = judged(&known, verdict, None);
        assert_eq!(judged, (Standing::Passes, Verdict::UnexpectedPass));
    }
    let skipped = || Verdict::Skipped { reason: "not here".to_owned() };
    for verdict in [skipped(), Verdict::Interrupted] {
        assert_eq!(judged(&known, verdict.clone(), None), (Standing::Unlisted, verdict));
    }
    let nothing = Baseline::default();
    let new = judged(&nothing, Verdict::Mismatch, zeros());
    assert_eq!(new, (Standing::New, Verdict::Mismatch));
    assert_eq!(judged(&nothing, Verdict::Pass, None), (Standing::Unlisted, Verdict::Pass));
}

#[test]
fn a_flake_passes_or_fails_as_known() {
    let flaky = format!("{ZEROS}    flaky: true\n");
    let all = flaky.replace("zeros", "all");
    let known = baseline(&format!("{flaky}{all}"));
    for shape in [Shape::Zeros, Shape::All] {
        let (standing, _) = judged(&known, Verdict::Mismatch, Some(differs("out", shape)));
        assert_eq!(standing, Standing::Known);
    }
    assert_eq!(judged(&known, Verdict::Pass, None), (Standing::FlakePassed, Verdict::Pass));
    let stale = Some(differs("out", Shape::Stale));
    assert_eq!(judged(&known, Verdict::Mismatch, stale).0, Standing::Changed);
    // The suite's own word on a pass counts.
    assert_eq!(judged(&known, Verdict::UnexpectedPass, None).0, Standing::New);
}

#[test]
fn a_changed_failure_names_the_known_one_with_its_place() {
    let known = baseline(ZEROS);
    let mut result = result(Verdict::Hang, Some(Signature::Hang { program: None }));
    known.judge(&mut result);
    let line = "card.yaml:2 knows another failure: Mismatch, `out` differs: zeros instead of what was expected";
    assert_eq!(result.lines, [line]);
}

#[test]
fn a_fault_may_be_told_more_exactly_and_have_another_place() {
    use FaultCategory::{DataRace, RequestsUnderWay, UndefinedBehavior, UnsupportedFunctionality};
    let entry = |verdict: &str, category: FaultCategory| {
        baseline(&format!(
            "  - test: {TEST}\n    verdict: {verdict}\n    signature: {{ fault: {{ category: {category}, program: p, \
             processor: 0, symbol: main }} }}\n"
        ))
    };
    let known = entry("Fault", DataRace);
    let of = |known: &Baseline, category| {
        judged(known, Verdict::Fault, Some(fault(category, "other"))).0
    };
    assert_eq!(of(&known, DataRace), Standing::Known);
    assert_eq!(of(&known, RequestsUnderWay), Standing::Known);
    assert_eq!(of(&known, UndefinedBehavior), Standing::Changed);
    // A less exact category is another failure.
    assert_eq!(of(&entry("Fault", RequestsUnderWay), DataRace), Standing::Changed);
    // The more exact one may have another verdict.
    let known = entry("Unsupported", UnsupportedFunctionality);
    assert_eq!(of(&known, UndefinedBehavior), Standing::Known);
    assert_eq!(of(&known, DataRace), Standing::Changed);
}

#[test]
fn an_entry_may_name_a_check_or_a_verdict_alone() {
    use FaultCategory::{DataRace, RequestsUnderWay};
    let check = baseline(&format!(
        "  - {{ test: '{TEST}', verdict: RequestsUnderWay, reason: the next program waits }}\n"
    ));
    let of = |known: &Baseline, verdict, category| {
        judged(known, verdict, Some(fault(category, "main"))).0
    };
    assert_eq!(of(&check, Verdict::Fault, RequestsUnderWay), Standing::Known);
    assert_eq!(of(&check, Verdict::Fault, DataRace), Standing::Changed);
    // A fault in the replay alone makes a test unstable, which no check finds.
    assert_eq!(of(&check, Verdict::Unstable, RequestsUnderWay), Standing::Changed);
    let any = baseline(&format!("  - {{ test: '{TEST}', verdict: Fault }}\n"));
    assert_eq!(of(&any, Verdict::Fault, DataRace), Standing::Known);
    assert_eq!(of(&any, Verdict::Hang, DataRace), Standing::Changed);
}

#[test]
fn a_text_that_is_no_baseline_is_told_with_its_place() {
    let refused = |text: &str| {
        Baseline::of_text("card.yaml".to_owned(), text).map(|_| ()).unwrap_err().to_string()
    };
    let entries = |entries: &str| refused(&format!("known_failures:\n{entries}"));
    let mistakes = [
        entries("  - { test: wormhole::a::b::c, verdict: Mismatch }\n"),
        entries(&ZEROS.replace("Mismatch", "Mismach")),
        entries(&ZEROS.replace("differs:", "diffrs:")),
        entries(&ZEROS.replace("shape: zeros", "shape: 7")),
        entries(&ZEROS.replace("verdict", "verdit")),
        entries(&format!("  - {{ test: '{TEST}', verdict: DataRace }}\n")),
        entries(&format!("{ZEROS}{ZEROS}    flaky: true\n")),
        entries(&format!("{ZEROS}    flaky: perhaps\n")),
        refused("known_failure: []\n"),
        refused("- a\n"),
        refused("known_failures: [\n"),
    ];
    insta::assert_snapshot!(mistakes.join("\n"));
}

fn renewed(before: &Baseline, results: &[TestResult]) -> Renewed {
    before.renewed(results, &BTreeMap::new())
}

fn text(baseline: &Baseline) -> String {
    baseline.text().unwrap()
}

#[test]
fn a_baseline_is_written_sorted_and_read_again() {
    let mut results = Vec::new();
    let bytes = Some(hallmark_schema::model::ContentHash::of(b"x"));
    for test in ["wormhole_b0::b::s::two", "wormhole_b0::a::s::one::n=1", "blackhole::z::s::one"] {
        let signature = Signature::Differs { object: "out".to_owned(), shape: Shape::Zeros, bytes };
        let mut failed = result(Verdict::Mismatch, Some(signature));
        failed.name = name(test);
        results.push(failed);
    }
    results[1].verdict = Verdict::Fault;
    results[1].signature = Some(fault(FaultCategory::DataRace, "main"));
    results[2].verdict = Verdict::Crash;
    results[2].signature = None;
    let made = renewed(&Baseline::default(), &results);
    assert_eq!(made.changes, Changes { added: 3, removed: 0, unknowable: 0 });
    let written = text(&made.baseline);
    insta::assert_snapshot!(written);
    let read = Baseline::of_text("card.yaml".to_owned(), &written).unwrap();
    assert_eq!(text(&read), written);
    // The order of results makes no difference, and neither does a place.
    results.reverse();
    results[1].signature = Some(fault(FaultCategory::DataRace, "other"));
    assert_eq!(text(&renewed(&Baseline::default(), &results).baseline), written);
    let again = renewed(&read, &results);
    assert_eq!((text(&again.baseline), again.changes), (written, Changes::default()));
}

#[test]
fn reasons_of_any_letters_stay() {
    for reason in [
        "plain",
        "true",
        "7",
        "~",
        "# none",
        "a: b",
        "- a",
        "it's \"so\"",
        "two\nlines\n\nand more",
        "grün 漢 \u{1f600}",
        "\u{1b}[31m\u{7f}\u{202e}",
        "ends with a colon:",
        "{ a: b }",
        "tab\there",
        &"long ".repeat(100),
    ] {
        let mut known = baseline(ZEROS);
        let entry = known.known.get_mut(&name(TEST)).unwrap().first_mut().unwrap();
        entry.reason = Some(reason.trim().to_owned());
        let written = text(&known);
        let read = Baseline::of_text("card.yaml".to_owned(), &written)
            .unwrap_or_else(|error| panic!("{reason:?}: {error}\n{written}"));
        assert_eq!(read.of(&name(TEST))[0].reason.as_deref(), Some(reason.trim()), "{written}");
        assert_eq!(text(&read), written);
    }
}

#[test]
fn a_run_renews_the_entries_of_its_tests_alone() {
    let reason = "    reason: the board's DRAM\n";
    let other = ZEROS.replace("suite::case", "suite::other");
    let known = baseline(&format!("{ZEROS}{reason}{other}"));
    let case = |verdict: Verdict, signature: Option<Signature>| {
        let renewed = renewed(&known, &[result(verdict, signature)]);
        let text = text(&renewed.baseline);
        assert!(text.contains("suite::other"), "{text}");
        (text, renewed.changes)
    };
    let zeros = || Some(differs("out", Shape::Zeros));
    let unchanged = text(&known);
    let kept = Changes::default();
    assert_eq!(case(Verdict::Mismatch, zeros()), (unchanged.clone(), kept));
    let excused = Verdict::KnownFailure { reason: String::new() };
    assert_eq!(case(excused, zeros()), (unchanged.clone(), kept));
    let skipped = Verdict::Skipped { reason: String::new() };
    assert_eq!(case(skipped, None), (unchanged.clone(), kept));
    assert_eq!(case(Verdict::Interrupted, None), (unchanged.clone(), kept));
    let unknowable = Changes { unknowable: 1, ..kept };
    assert_eq!(case(Verdict::Missing, None), (unchanged.clone(), unknowable));
    let (text, changes) = case(Verdict::Pass, None);
    assert_eq!(changes, Changes { removed: 1, ..kept });
    assert!(!text.contains("suite::case"), "{text}");
    let (text, changes) = case(Verdict::Mismatch, Some(differs("out", Shape::All)));
    assert_eq!(changes, Changes { added: 1, removed: 1, ..kept });
    assert!(text.contains("shape: all") && !text.contains("reason:"), "{text}");
}

#[test]
fn a_flake_stays_one_and_a_retry_that_ends_otherwise_makes_one() {
    let flaky = baseline(&format!("{ZEROS}    flaky: true\n    reason: now and then\n"));
    let unchanged = text(&flaky);
    let passed = || result(Verdict::Pass, None);
    let failed = |shape| result(Verdict::Mismatch, Some(differs("out", shape)));
    for run in [passed(), failed(Shape::Zeros)] {
        assert_eq!(text(&renewed(&flaky, &[run]).baseline), unchanged);
    }
    let both = text(&renewed(&flaky, &[failed(Shape::All)]).baseline);
    assert!(both.contains("now and then") && both.matches("  flaky: true").count() == 2, "{both}");
    let ran = |earlier: &[TestResult], last: TestResult| {
        let earlier = BTreeMap::from([(name(TEST), earlier.to_vec())]);
        let text = text(&Baseline::default().renewed(&[last], &earlier).baseline);
        (text.matches("test: ").count(), text.matches("  flaky: true").count())
    };
    assert_eq!(ran(&[failed(Shape::All)], failed(Shape::All)), (1, 0));
    assert_eq!(ran(&[failed(Shape::All)], passed()), (1, 1));
    assert_eq!(ran(&[failed(Shape::All), failed(Shape::Zeros)], passed()), (2, 2));
    assert_eq!(ran(&[failed(Shape::All)], failed(Shape::Zeros)), (2, 2));
}

/// Each byte of a file changed: the text is read, or refused with its place.
#[test]
fn changed_bytes_are_read_or_told_with_their_place() {
    let text = format!("known_failures:\n{ZEROS}    flaky: true\n    reason: \"two words\"\n");
    let mut read = 0;
    for place in 0..text.len() {
        for byte in [0, b'\n', b' ', b'"', b':', b'-', b'[', b'&', b'*', b'7', b'x', 0x7f, 0xff] {
            let mut changed = text.clone().into_bytes();
            changed[place] = byte;
            let changed = String::from_utf8_lossy(&changed);
            match Baseline::of_text("card.yaml".to_owned(), &changed) {
                Ok(known) => {
                    read += 1;
                    let again = known.text().unwrap();
                    let again = Baseline::of_text("again.yaml".to_owned(), &again)
                        .unwrap_or_else(|error| panic!("{changed}\n{again}\n{error}"));
                    assert_eq!(again.text().unwrap(), known.text().unwrap());
                }
                Err(mistakes) => assert!(mistakes.to_string().contains("card.yaml:"), "{mistakes}"),
            }
        }
    }
    assert!(read > 100, "{read}");
}
