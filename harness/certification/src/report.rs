//! A package as the data of an HTML report: its claims with their bases, and the verifier's conclusion.

mod waivers;

use std::collections::BTreeMap;

use hallmark_package::{Package, Signer, Statement, Timestamp, VerifiedSigners};
use hallmark_pipeline::report::failure_groups::{Likeness, failure_groups};
use hallmark_pipeline::report::label;
use hallmark_pipeline::verdict::Verdict;
use hallmark_report::untrusted::quoted;
use hallmark_report::{
    Basis as ClaimBasis, Claim, Conclusion, Count, Fact, Failure, FailureGroup, Headroom,
    ListedTest, Reason, ReasonList, Remedy, Report, Row, Tone,
};
use hallmark_schema::model::DispatchMode;
use hallmark_schema::plural::{counted, grouped};
use hallmark_suite::read::Choice as _;

use super::difference::{Difference, PackageResults};
use super::results::{Basis, ResultLine};
use super::verify::{Accounts, Rejection, Reservation, UNREJECTABLE, Verified, lines_about};

/// The content of a package's report.
pub struct PackageReport<'a> {
    /// The package's name, for people.
    pub name: &'a str,
    /// The package itself.
    pub package: &'a Package<'a>,
    /// The time of the report and of the verification.
    pub at: Timestamp,
    /// Its results: those computed by the verifier, or the claimed ones if the package is rejected.
    pub results: &'a PackageResults<'a>,
    /// The package's statement, if it is readable.
    pub statement: Option<&'a Statement>,
    /// The verifier's conclusion.
    pub verified: Result<&'a Verified, &'a Rejection>,
    /// The sample that was repeated for the verdict: its size, its seed and what came of it, and a line for each result that
    /// differs or is unknown.
    pub repetition: Vec<String>,
    /// The verifier's own accounts of failures, by their runs.
    pub accounts: Accounts,
    /// The name of the package that it is compared with, and the differences.
    pub base: Option<(&'a str, &'a Difference)>,
}

impl PackageReport<'_> {
    /// The report as the text of one HTML file.
    pub fn html(&self) -> String {
        hallmark_report::html(&self.model())
    }

    fn model(&self) -> Report {
        let results = self.results.results();
        Report {
            kind: "conformance package".to_owned(),
            subject: self.name.to_owned(),
            conclusion: self.conclusion(),
            remarks: self.remarks(),
            facts: self.facts(),
            rows: rows(results),
            claims: self.claims(),
            failures: failures(results, &self.accounts),
            waivers: self.waivers(),
            difference: self.base.map(|(name, difference)| difference.to_report(name)),
            headroom: headroom(results),
            reasons: reasons(results),
            tests: results.iter().map(|result| self.listed(result)).collect(),
        }
    }

    /// The conclusion in one sentence.
    pub fn conclusion(&self) -> Conclusion {
        let conclusion = |tone, text| Conclusion { tone, text };
        let verified = match self.verified {
            Ok(verified) => verified,
            Err(rejection) => return conclusion(Tone::Bad, self.rejected(rejection)),
        };
        let predicate = &verified.statement.predicate;
        let failed = verified.results.iter().filter(|result| is_failure(result)).count();
        let what = format!(
            "{} under {}, edition {}",
            quoted(&predicate.subject.name),
            quoted(&predicate.profile.name),
            predicate.profile.edition
        );
        match (failed, verified.reservations.is_empty()) {
            (0, true) => conclusion(Tone::Good, format!("Accepted: {what}")),
            (0, false) => conclusion(Tone::Excused, format!("Accepted with reservations: {what}")),
            (failed, _) => {
                let failed = counted(failed, "result is a failure", "results are failures");
                conclusion(Tone::Bad, format!("{failed}: {what}"))
            }
        }
    }

    /// The applied waivers; none for a rejected package.
    fn waivers(&self) -> Vec<hallmark_report::Waiver> {
        let Ok(verified) = self.verified else { return Vec::new() };
        let approvers_are_known = !verified.reservations.contains(&Reservation::SignerUnknown);
        waivers::waivers(self.package, &verified.results, self.at, approvers_are_known)
    }

    /// The short reason for the rejection, for the heading; a remark contains the full one.
    fn rejected(&self, rejection: &Rejection) -> String {
        if rejection.is_of_failure() {
            let failed = self.results.results().iter().filter(|it| is_failure(it)).count();
            let failed = counted(failed, "result is a failure", "results are failures");
            return format!("Rejected: {failed}");
        }
        let step = rejection.step;
        format!("Rejected at step {} of 11, {}", step.number(), step.name())
    }

    /// Remarks that qualify the conclusion.
    pub fn remarks(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        remarks.extend(self.verified.err().map(|rejection| sentence(&rejection.to_string())));
        match self.verified {
            Ok(verified) => {
                remarks.push(verified.rests_on());
                remarks.extend(self.repetition.iter().map(|line| sentence(line)));
                let sentence = |reservation: &Reservation| sentence(&reservation.to_string());
                remarks.extend(verified.reservations.iter().map(sentence));
            }
            Err(rejection) if rejection.is_of_failure() => remarks.push(
                "The verdict rests on captures that the submitter sent in: each result was computed anew from them and is as \
                 the package claims, and the subject fails tests."
                    .to_owned(),
            ),
            Err(_) => remarks.push(
                "Everything below is what the package claims; nobody has confirmed it.".to_owned(),
            ),
        }
        if let Some((base, difference)) = &self.base {
            remarks.push(format!("Compared with {base}: {}.", difference.summary()));
            remarks.extend(difference.demands.iter().cloned());
        }
        remarks
    }

    fn facts(&self) -> Vec<Fact> {
        let fact = |name: &str, value: String| Fact { name: name.to_owned(), value };
        let mut facts = Vec::new();
        if let Some(statement) = self.statement {
            let predicate = &statement.predicate;
            let profile = &predicate.profile;
            facts.push(fact("Subject", predicate.subject.name.clone()));
            facts.push(fact("Profile", format!("{}, edition {}", profile.name, profile.edition)));
            facts.push(fact("Lock of the profile", profile.lock.to_string()));
            facts.push(fact("Made", format!("{}, as the submitter dates it", predicate.made)));
            facts.push(fact("By Hallmark", predicate.hallmark.clone()));
        }
        if let Ok(verified) = self.verified {
            let challenge = verified.challenge_words();
            facts.push(fact("Challenge", challenge.unwrap_or_else(|| "none".to_owned())));
            if let Some(claim) = verified.statement.predicate.challenge {
                facts.push(fact("Hash of the challenge", claim.hash.to_string()));
            }
            for firmware in verified.packed_firmware() {
                let name = format!("{} firmware", firmware.architecture);
                facts.push(fact(&name, firmware.to_string()));
            }
            for (architecture, device) in verified.device_words() {
                facts.push(fact(&format!("{architecture} on"), device));
            }
            let VerifiedSigners { submitter, reviewer } = &verified.signers;
            for (role, signer) in [("Signed by", submitter), ("Countersigned by", reviewer)] {
                let names = |signer: &Signer| {
                    format!("{}, {}", signer.principals.join(", "), signer.fingerprint)
                };
                facts.extend(signer.as_ref().map(|signer| fact(role, names(signer))));
            }
        }
        facts
    }

    /// The claims with their bases, for the first page of every report.
    fn claims(&self) -> Vec<Claim> {
        let claim = |basis, text: &str, doubt: &str| Claim {
            basis,
            text: text.to_owned(),
            doubt: doubt.to_owned(),
        };
        let verified = match self.verified {
            Ok(verified) => verified,
            Err(rejection) if rejection.is_of_failure() => {
                let text = "The failures follow from the captures, the conformance profile and the models.";
                let doubt = "That the subject gave these captures is the submitter's word.";
                return vec![claim(ClaimBasis::Recomputed, text, doubt)];
            }
            Err(_) => {
                let text = "Everything that this report shows.";
                let doubt = "The package was rejected; its claims are worth nothing.";
                return vec![claim(ClaimBasis::Asserted, text, doubt)];
            }
        };
        let mut claims = Vec::new();
        let of = |basis| verified.results.iter().filter(move |result| result.basis == basis);
        let [replayed, recomputed, submitted, asserted] =
            [Basis::Replayed, Basis::Recomputed, Basis::Submitted, Basis::Asserted]
                .map(|basis| of(basis).count());
        if verified.signers.submitter.is_some() {
            let text = "These bytes are what the key's holder submitted.";
            claims.push(claim(ClaimBasis::Signed, text, "Whoever holds the key can sign others."));
        }
        let text =
            "Every verdict follows from the captures, the conformance profile and the models.";
        claims.push(claim(ClaimBasis::Recomputed, text, "A bug of Hallmark would go unnoticed."));
        let text = "The captures' programs are those of the suites: all of them, and nothing else.";
        claims.push(claim(ClaimBasis::Recomputed, text, "A bug of Hallmark would go unnoticed."));
        if replayed > 0 {
            let text = format!(
                "The subject gives {}: this verifier ran what the package holds.",
                counted(replayed, "result", "results")
            );
            let doubt = "You can repeat them: `hallmark package verify --replay`.";
            claims.push(claim(ClaimBasis::Replayed, &text, doubt));
        }
        if submitted > 0 {
            let results = counted(submitted, "result", "results");
            let text = format!("The subject gives {results} on Hallmark's simulator.");
            let doubt = "The submitter can make the captures up. `hallmark package verify --replay` runs what the package holds, and compares.";
            claims.push(claim(ClaimBasis::Submitted, &text, doubt));
        }
        if recomputed > 0 {
            let results = counted(recomputed, "result follows", "results follow");
            let text = format!("{results} from what the package holds, without any device.");
            claims.push(claim(ClaimBasis::Recomputed, &text, ""));
        }
        if asserted > 0 {
            let results = counted(asserted, "result", "results");
            let text =
                format!("The subject gave {results} on another device than Hallmark's simulator.");
            let doubt = "The submitter can make all of this up: what can be checked without the device can be computed without it. A reviewer with such a device repeats it.";
            claims.push(claim(ClaimBasis::Asserted, &text, doubt));
        }
        if verified.results.iter().any(|result| result.waiver.is_some()) {
            let text = "What stands under a heading as the submitter's account of a failure.";
            let doubt = "The verdicts and the other words are computed from captures; these words nobody has checked.";
            claims.push(claim(ClaimBasis::Asserted, text, doubt));
        }
        let limits = UNREJECTABLE.iter();
        claims.extend(limits.map(|it| claim(ClaimBasis::Asserted, it.claim, it.doubt)));
        claims
    }

    fn listed(&self, result: &ResultLine) -> ListedTest {
        let is_confirmed = self.verified.map_or_else(Rejection::is_of_failure, |_| true);
        let basis = self.verified.map_or_else(|_| result.basis.as_claimed(), |_| result.basis);
        let basis = match (is_confirmed, basis) {
            (false, _) | (true, Basis::Asserted) => ClaimBasis::Asserted,
            (true, Basis::Recomputed) => ClaimBasis::Recomputed,
            (true, Basis::Submitted) => ClaimBasis::Submitted,
            (true, Basis::Replayed) => ClaimBasis::Replayed,
        };
        ListedTest {
            name: result.run.to_string(),
            word: word(result).to_owned(),
            tone: tone(result),
            basis: Some(basis),
            seconds: Some(seconds(result.milliseconds)),
        }
    }
}

/// A text as a sentence of its own.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string());
    format!("{}{}.", first.unwrap_or_default(), letters.as_str())
}

/// Milliseconds as seconds; a package may state any number.
fn seconds(milliseconds: u64) -> f64 {
    std::time::Duration::from_millis(milliseconds).as_secs_f64()
}

/// Whether a result is a failure without an excuse.
pub(super) const fn is_failure(result: &ResultLine) -> bool {
    result.needs_waiver() && result.waiver.is_none()
}

fn tone(result: &ResultLine) -> Tone {
    match (&result.verdict.0, result.waiver.is_some()) {
        (Verdict::Pass, _) => Tone::Good,
        (Verdict::Skipped { .. }, _) => Tone::Neutral,
        (_, true) => Tone::Excused,
        (_, false) => Tone::Bad,
    }
}

/// The word of a result's column: "waived" is a separate one, never "pass".
fn word(result: &ResultLine) -> &'static str {
    if result.waiver.is_some() { "waived" } else { result.verdict.0.column().1 }
}

/// Architecture, kind of device, mask and dispatch mode.
type RowKey<'a> = (&'a str, &'a str, u32, &'a str);

/// A row for each architecture, kind of device, mask and dispatch mode.
fn rows(results: &[ResultLine]) -> Vec<Row> {
    let mut rows: BTreeMap<RowKey<'_>, (BTreeMap<&str, Count>, u64)> = BTreeMap::new();
    for result in results {
        let run = &result.run;
        let dispatch = match run.dispatch {
            DispatchMode::Host => "host",
            DispatchMode::Device => "device",
        };
        let key = (run.test.architecture.name(), run.device.name(), run.harvesting, dispatch);
        let (counts, milliseconds) = rows.entry(key).or_default();
        *milliseconds = milliseconds.saturating_add(result.milliseconds);
        let word = word(result);
        let empty = Count { word: word.to_owned(), tone: tone(result), tests: 0 };
        let count = counts.entry(word).or_insert(empty);
        count.tests = count.tests.saturating_add(1);
    }
    let row = |((architecture, device, harvesting, dispatch), (counts, milliseconds))| {
        let counts: BTreeMap<&str, Count> = counts;
        let device: &str = device;
        Row {
            architecture: str::to_owned(architecture),
            device: match harvesting {
                0 => device.to_owned(),
                mask => format!("{device}, {mask:#x} harvested"),
            },
            dispatch: str::to_owned(dispatch),
            counts: counts.into_values().collect(),
            seconds: Some(seconds(milliseconds)),
        }
    };
    rows.into_iter().map(row).collect()
}

/// Results that are failures, waived ones included; those with the same failure together.
fn failures(results: &[ResultLine], accounts: &Accounts) -> Vec<FailureGroup> {
    let is_shown = |result: &&ResultLine| is_failure(result) || result.waiver.is_some();
    failure_groups(results.iter().filter(is_shown).map(|result| {
        let likeness = Likeness {
            verdict: &result.verdict.0,
            is_waived: result.waiver.is_some(),
            signature: result.signature.as_ref(),
            lines: &result.lines,
        };
        (likeness, failure(result, accounts))
    }))
}

fn failure(result: &ResultLine, accounts: &Accounts) -> Failure {
    let remedy =
        |name: &str, text: String, is_command| Remedy { name: name.to_owned(), text, is_command };
    let waived = result.waiver.as_ref().map(|waiver| remedy("waived by", waiver.clone(), false));
    let capture = result.capture.map(|capture| remedy("capture", capture.to_string(), false));
    let again = remedy("again", format!("hallmark run --exact {}", result.run.test), true);
    let signature = result.signature.as_ref();
    Failure {
        name: result.run.to_string(),
        label: label(&result.verdict.0),
        tone: tone(result),
        written_at: None,
        lines: lines_about(result, accounts),
        pictures: accounts.get(&result.run).map(|it| it.pictures.to_vec()).unwrap_or_default(),
        remedies: waived.into_iter().chain([again]).chain(capture).collect(),
        signature: signature.and_then(|signature| serde_json::to_string(signature).ok()),
        earlier: Vec::new(),
    }
}

/// The outputs with the largest used part of their tolerance, largest first.
fn headroom(results: &[ResultLine]) -> Vec<Headroom> {
    let mut all: Vec<(u32, Headroom)> = Vec::new();
    for result in results {
        all.extend(result.headroom.iter().map(|headroom| {
            let used = f64::from(headroom.used) / 1e6;
            let (test, output) = (result.run.to_string(), headroom.output.clone());
            (headroom.used, Headroom { test, output, used, allowed: String::new() })
        }));
    }
    all.sort_by_key(|(used, _)| std::cmp::Reverse(*used));
    all.into_iter().map(|(_, headroom)| headroom).collect()
}

/// Results that the profile skips, by reason.
fn reasons(results: &[ResultLine]) -> Vec<ReasonList> {
    let mut reasons: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for result in results {
        if let Verdict::Skipped { reason } = &result.verdict.0 {
            reasons.entry(reason).or_default().push(result.run.to_string());
        }
    }
    let count: usize = reasons.values().map(Vec::len).sum();
    let reasons: Vec<Reason> = reasons
        .into_iter()
        .map(|(reason, tests)| Reason { reason: reason.to_owned(), tests })
        .collect();
    if reasons.is_empty() {
        return Vec::new();
    }
    let title = format!("Skipped by the conformance profile: {}", grouped(count));
    vec![ReasonList { title, tone: Tone::Neutral, reasons }]
}
