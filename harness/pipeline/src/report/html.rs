//! A run's results as the data of an HTML report.

use std::collections::BTreeMap;

use hallmark_chip::Architecture;
use hallmark_report::{
    Basis, Claim, Conclusion, Count, Fact, Failure, FailureGroup, ListedTest, Reason, ReasonList,
    Remedy, Report, Row, Tone,
};
use hallmark_schema::plural::{counted, grouped};

use super::failure_groups::{Likeness, failure_groups};
use super::{EarlyEnd, RunReport, StopReason, label};
use crate::verdict::{Mode, Verdict};
use crate::{RemedyKind, TestResult};

/// The report as the text of one HTML file.
pub fn html(report: &RunReport) -> String {
    hallmark_report::html(&model(report))
}

/// The data of the page.
fn model(report: &RunReport) -> Report {
    let devices = report.device_names();
    let subject: Vec<String> = devices
        .iter()
        .map(|(architecture, device)| format!("{architecture} on {device}"))
        .collect();
    Report {
        kind: "run".to_owned(),
        subject: subject.join(", "),
        conclusion: conclusion(report),
        remarks: remarks(report),
        facts: facts(report),
        rows: devices
            .iter()
            .map(|(architecture, device)| row(report, *architecture, device))
            .collect(),
        claims: claims(report),
        failures: failures(report),
        waivers: Vec::new(),
        difference: None,
        headroom: Vec::new(),
        reasons: reasons(report),
        tests: report.results.iter().map(listed).collect(),
    }
}

/// The tone of a verdict.
const fn tone(verdict: &Verdict) -> Tone {
    match verdict {
        Verdict::Pass => Tone::Good,
        Verdict::Skipped { .. } => Tone::Neutral,
        Verdict::ExpectedFailure { .. }
        | Verdict::KnownDeviation { .. }
        | Verdict::KnownFailure { .. } => Tone::Excused,
        Verdict::Mismatch
        | Verdict::Refused
        | Verdict::NotBuilt
        | Verdict::Unstable
        | Verdict::Changed
        | Verdict::Fault
        | Verdict::Deadlock
        | Verdict::Hang
        | Verdict::Crash
        | Verdict::Missing
        | Verdict::Unsupported
        | Verdict::UnexpectedPass
        | Verdict::Interrupted
        | Verdict::InternalError => Tone::Bad,
    }
}

fn conclusion(report: &RunReport) -> Conclusion {
    let all = report.results.len();
    let passed = report.results.iter().filter(|it| it.verdict == Verdict::Pass).count();
    let failed =
        report.results.iter().filter(|result| !result.verdict.is_success(Mode::Ordinary)).count();
    let is_whole = report.early_end.is_none() && report.missing_shards.is_empty();
    let (tone, text) = match (failed, passed) {
        (0, 0) => (Tone::Excused, "No test passed".to_owned()),
        (0, _) if passed == all => {
            (Tone::Good, format!("{} passed", counted(all, "test", "tests")))
        }
        (0, _) => {
            let text = format!(
                "{} of {} passed, none failed",
                grouped(passed),
                counted(all, "test", "tests")
            );
            (Tone::Good, text)
        }
        (failed, _) => {
            let text =
                format!("{} of {} did not pass", grouped(failed), counted(all, "test", "tests"));
            (Tone::Bad, text)
        }
    };
    let tone = if tone == Tone::Good && !is_whole { Tone::Excused } else { tone };
    Conclusion { tone, text }
}

/// Remarks about missing results.
fn remarks(report: &RunReport) -> Vec<String> {
    let stopped = report.early_end.as_ref().map(|EarlyEnd { reason, did_not_run }| {
        let why = match reason {
            StopReason::Signal(signal) => format!("A signal ({}) stopped the run", signal.name()),
            StopReason::FirstFailure => "The run was stopped at its first failure".to_owned(),
        };
        format!("{why}: {} did not run.", counted(did_not_run.len(), "test", "tests"))
    });
    let shards = report.missing_shards.iter();
    let shards = shards.map(|shard| format!("Nobody reported the tests of {shard}."));
    let goldens = report.unused_goldens.first().map(|first| {
        let count = report.unused_goldens.len();
        let belong = counted(count, "golden belongs", "goldens belong");
        format!(
            "{belong} to no test, such as {first}; `hallmark bless` removes what no test needs."
        )
    });
    stopped.into_iter().chain(shards).chain(goldens).collect()
}

fn facts(report: &RunReport) -> Vec<Fact> {
    let fact = |name: &str, value: String| Fact { name: name.to_owned(), value };
    let mut facts = vec![fact("Hallmark", env!("CARGO_PKG_VERSION").to_owned())];
    facts.extend(report.commit.as_ref().map(|commit| fact("Commit", commit.to_string())));
    let selected = counted(report.selected.tests, "test", "tests");
    facts.push(match report.selected.shard {
        Some(shard) => fact("Selected", format!("shard {shard} of {selected}")),
        None => fact("Selected", selected),
    });
    let baseline = report.baseline.as_ref();
    facts.extend(baseline.map(|baseline| fact("Baseline", baseline.to_string())));
    if report.seeds.count() > 1 {
        let count = grouped(report.seeds.count());
        facts.push(fact("Schedule seeds", format!("{}, {count} for each test", report.seeds)));
    }
    facts
}

fn row(report: &RunReport, architecture: Architecture, device: &str) -> Row {
    let mut counts: BTreeMap<usize, Count> = BTreeMap::new();
    for result in report.results.iter().filter(|it| it.name.architecture == architecture) {
        let (place, word, _) = result.verdict.column();
        let empty = Count { word: word.to_owned(), tone: tone(&result.verdict), tests: 0 };
        let count = counts.entry(place).or_insert(empty);
        count.tests = count.tests.saturating_add(1);
    }
    let elapsed = report.elapsed.iter().find(|(known, _)| *known == architecture);
    let dispatch = report.dispatch.iter().find(|(known, _)| *known == architecture);
    Row {
        architecture: architecture.to_string(),
        device: device.to_owned(),
        dispatch: dispatch.map(|(_, dispatch)| dispatch.name().to_owned()).unwrap_or_default(),
        counts: counts.into_values().collect(),
        seconds: elapsed.map(|(_, elapsed)| elapsed.as_secs_f64()),
    }
}

/// The claims that passed tests support; empty if none passed.
fn claims(report: &RunReport) -> Vec<Claim> {
    if !report.results.iter().any(|result| result.verdict == Verdict::Pass) {
        return Vec::new();
    }
    let claim = |basis, text: &str, doubt: &str| Claim {
        basis,
        text: text.to_owned(),
        doubt: doubt.to_owned(),
    };
    let elsewhere = if report.replay_devices.is_empty() { "" } else { ", on another device" };
    let replayed = format!(
        "Each test that passed was captured and replayed in a fresh process{elsewhere}; both did and returned the same."
    );
    let without: Vec<&str> =
        report.without_goldens.iter().map(|architecture| architecture.name()).collect();
    let goldens = match without.as_slice() {
        [] => "The bytes of its capture equal its golden.".to_owned(),
        names => format!(
            "The bytes of its capture equal its golden, but on {}, where the chip has another grid than goldens are of.",
            names.join(", ")
        ),
    };
    vec![
        claim(Basis::Replayed, &replayed, "`hallmark run --exact TEST` runs one of them again."),
        claim(
            Basis::Recomputed,
            "What it read equals what its suite computes on the host, within the tolerances that the suite states.",
            "A mistake in the suite's model would go unnoticed.",
        ),
        claim(Basis::Recomputed, &goldens, "Goldens are in version control; a run writes none."),
        claim(
            Basis::Asserted,
            "All this happened on the devices named here, at this commit.",
            "This file has no signature.",
        ),
    ]
}

/// The failed tests, grouped by failure, in the order of the first of each.
fn failures(report: &RunReport) -> Vec<FailureGroup> {
    let failed = report.results.iter().filter(|it| !it.verdict.is_success(Mode::Ordinary));
    failure_groups(failed.map(|result| (Likeness::of(result), failure(report, result))))
}

fn failure(report: &RunReport, result: &TestResult) -> Failure {
    let details = &result.details;
    let said = |name: &str, text: &String| Remedy {
        name: name.to_owned(),
        text: text.clone(),
        is_command: false,
    };
    let first_bad = result.first_bad.iter().flat_map(|line| {
        let written = line.written.iter().map(|text| said("written", text));
        std::iter::once(said("first bad", &line.text)).chain(written)
    });
    let remedies = result.open_remedies().map(|remedy| Remedy {
        name: remedy.kind.name().to_owned(),
        text: remedy.text.clone(),
        is_command: match remedy.kind {
            RemedyKind::Again => true,
            RemedyKind::Triage | RemedyKind::Devices | RemedyKind::Kept => false,
        },
    });
    let earlier = report.earlier_runs.get(&result.name).into_iter().flatten();
    let earlier = earlier.map(|run| {
        let gist = run.lines.first().map_or("", String::as_str);
        format!("An earlier run of it ended so: {} {gist}", label(&run.verdict))
    });
    let signature = result.signature.as_ref();
    Failure {
        name: result.name.to_string(),
        label: label(&result.verdict),
        tone: tone(&result.verdict),
        written_at: details.written_at.clone(),
        lines: result.lines.clone(),
        pictures: details.pictures.clone(),
        remedies: first_bad.chain(remedies).collect(),
        signature: signature.and_then(|signature| serde_json::to_string(signature).ok()),
        earlier: earlier.collect(),
    }
}

/// Tests of one verdict, by reason.
struct Listed<'a> {
    tone: Tone,
    title: &'static str,
    reasons: BTreeMap<&'a str, Vec<String>>,
}

/// Tests that are listed with a reason.
fn reasons(report: &RunReport) -> Vec<ReasonList> {
    let mut lists: BTreeMap<usize, Listed<'_>> = BTreeMap::new();
    for result in &report.results {
        let title = match &result.verdict {
            Verdict::Skipped { .. } => "Skipped",
            Verdict::ExpectedFailure { .. } => "Failed as expected",
            Verdict::KnownDeviation { .. } => "Deviated as is known",
            Verdict::KnownFailure { .. } => "Known failures",
            Verdict::Pass
            | Verdict::Mismatch
            | Verdict::Refused
            | Verdict::NotBuilt
            | Verdict::Unstable
            | Verdict::Changed
            | Verdict::Fault
            | Verdict::Deadlock
            | Verdict::Hang
            | Verdict::Crash
            | Verdict::Missing
            | Verdict::Unsupported
            | Verdict::UnexpectedPass
            | Verdict::Interrupted
            | Verdict::InternalError => continue,
        };
        let (place, ..) = result.verdict.column();
        let reason = result.verdict.reason().unwrap_or_default();
        let (tone, reasons) = (tone(&result.verdict), BTreeMap::new());
        let list = lists.entry(place).or_insert(Listed { tone, title, reasons });
        list.reasons.entry(reason).or_default().push(result.name.to_string());
    }
    let list = |tone, title: &str, reasons: Vec<Reason>| ReasonList {
        title: title.to_owned(),
        tone,
        reasons,
    };
    let reason = |(reason, tests): (&str, Vec<String>)| Reason { reason: reason.to_owned(), tests };
    let mut lists: Vec<ReasonList> = lists
        .into_values()
        .map(|Listed { tone, title, reasons }| {
            list(tone, title, reasons.into_iter().map(reason).collect())
        })
        .collect();
    if !report.earlier_runs.is_empty() {
        let again = report.earlier_runs.iter().map(|(name, earlier)| {
            let last = report.results.iter().find(|result| result.name == *name);
            let ends: Vec<&str> = earlier.iter().chain(last).map(|it| it.verdict.name()).collect();
            Reason { reason: ends.join(", then "), tests: vec![name.to_string()] }
        });
        lists.push(list(Tone::Excused, "Run again", again.collect()));
    }
    if let Some(EarlyEnd { did_not_run, .. }) = &report.early_end
        && !did_not_run.is_empty()
    {
        let tests = did_not_run.iter().map(ToString::to_string).collect();
        let reason = "The run was stopped before".to_owned();
        lists.push(list(Tone::Neutral, "Did not run", vec![Reason { reason, tests }]));
    }
    lists
}

fn listed(result: &TestResult) -> ListedTest {
    let (_, word, _) = result.verdict.column();
    ListedTest {
        name: result.name.to_string(),
        word: word.to_owned(),
        tone: tone(&result.verdict),
        basis: None,
        seconds: Some(result.elapsed.as_secs_f64()),
    }
}

#[cfg(test)]
mod tests {
    use hallmark_execution::interrupt::Signal;

    use super::*;
    use crate::report::samples;
    use crate::signature::Signature;

    fn skipped() -> Verdict {
        Verdict::Skipped { reason: "not <here>".to_owned() }
    }

    #[test]
    fn the_conclusion_says_no_more_than_the_tests_showed() {
        let of = |verdicts: &[Verdict]| {
            let conclusion = conclusion(&samples::report(verdicts));
            (conclusion.tone, conclusion.text)
        };
        let (pass, fault) = (Verdict::Pass, Verdict::Fault);
        assert_eq!(of(std::slice::from_ref(&pass)), (Tone::Good, "1 test passed".to_owned()));
        let some = "1 of 2 tests passed, none failed".to_owned();
        assert_eq!(of(&[pass.clone(), skipped()]), (Tone::Good, some));
        assert_eq!(of(&[skipped()]), (Tone::Excused, "No test passed".to_owned()));
        assert_eq!(of(&[pass.clone(), fault]), (Tone::Bad, "1 of 2 tests did not pass".to_owned()));
        // A run with missing tests is not green.
        let mut report = samples::report(&[pass]);
        report.missing_shards.push("shard 2/3 of blackhole".to_owned());
        assert_eq!(conclusion(&report).tone, Tone::Excused);
        assert_eq!(remarks(&report), ["Nobody reported the tests of shard 2/3 of blackhole."]);
        // If no test passed, there are no claims.
        assert!(claims(&samples::report(&[skipped()])).is_empty());
        assert!(!claims(&report).is_empty());
    }

    #[test]
    fn tests_that_failed_alike_are_together() {
        let mut report = samples::report(&[
            Verdict::Hang,
            Verdict::Hang,
            Verdict::Hang,
            Verdict::Missing,
            Verdict::Missing,
        ]);
        let hang = |program: &str| Some(Signature::Hang { program: Some(program.to_owned()) });
        for (result, program) in report.results.iter_mut().zip(["one", "two", "one"]) {
            result.signature = hang(program);
        }
        report.results[3].lines = vec!["there is no golden a".to_owned()];
        let sizes: Vec<usize> = failures(&report).iter().map(|it| it.failures.len()).collect();
        assert_eq!(sizes, [2, 1, 2]);
    }

    #[test]
    fn everything_that_did_not_pass_or_run_is_on_the_page() {
        let expected = Verdict::ExpectedFailure { reason: "it is known".to_owned() };
        let mut report = samples::report(&[Verdict::Pass, skipped(), expected, Verdict::Mismatch]);
        report.results[3].lines = vec!["Mismatch: `out` differs".to_owned()];
        let did_not_run = vec!["wormhole_b0::group::suite::other".parse().unwrap()];
        let reason = StopReason::Signal(Signal::Interrupt);
        report.early_end = Some(EarlyEnd { reason, did_not_run });
        let page = html(&report);
        for text in [
            "1 of 4 tests did not pass",
            "not &lt;here&gt;",
            "it is known",
            "Mismatch: <code>out</code> differs",
            "suite::<wbr>other",
            "A signal (SIGINT) stopped the run: 1 test did not run.",
        ] {
            assert!(page.contains(text), "{text}");
        }
    }
}
