//! `hallmark package verify`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::Args;
use hallmark_certification::results::Basis;
use hallmark_certification::verify::{PackedFirmware, Rejection, Verified, totals};
use hallmark_package::{Blake3, Limits, Package, Signer, Timestamp};
use hallmark_pipeline::verdict::ExitCode;
use hallmark_report::untrusted::quoted;
use hallmark_schema::plain;
use hallmark_schema::plural::counted;
use serde::Serialize;

use super::repeating::{Numbers, Outcome, ReplayOption};
use super::verifier::VerifierOptions;
use crate::cli::options::OUTPUT;
use crate::cli::package_file::{accepted_code, read};
use crate::cli::{Failed, output};

#[derive(Clone, Debug, Args)]
pub(super) struct VerifyArguments {
    /// The package
    #[arg(value_name = "PACKAGE")]
    package: PathBuf,
    #[command(flatten)]
    verifier: VerifierOptions,
    #[command(flatten)]
    replay: ReplayOption,
    /// Print the answer as JSON
    #[arg(long, help_heading = OUTPUT)]
    json: bool,
}

/// The answer as JSON.
#[derive(Default, Serialize)]
struct Answer {
    answer: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    step: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    reservations: Vec<String>,
    /// The sample that was repeated: its size, its seed and what came of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    repeated: Option<String>,
    /// The numbers of the same sample, and the results that differ or are unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    repetition: Option<Numbers>,
    /// What the verdict rests on.
    #[serde(skip_serializing_if = "Option::is_none")]
    rests_on: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    subject: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    profile: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    edition: Option<String>,
    /// The hash of the profile's demand.
    #[serde(skip_serializing_if = "Option::is_none")]
    lock: Option<String>,
    /// The time at which the package was made, as the submitter dates it.
    #[serde(skip_serializing_if = "Option::is_none")]
    made: Option<Timestamp>,
    /// Who gave the challenge, and who dates it.
    #[serde(skip_serializing_if = "Option::is_none")]
    challenge: Option<String>,
    /// The date of the challenge.
    #[serde(skip_serializing_if = "Option::is_none")]
    challenge_issued: Option<Timestamp>,
    /// The hash of the challenge's file.
    #[serde(skip_serializing_if = "Option::is_none")]
    challenge_hash: Option<Blake3>,
    /// The hash of the subject, if it is one file or one bundle.
    #[serde(skip_serializing_if = "Option::is_none")]
    subject_hash: Option<Blake3>,
    /// The firmware of each architecture, if it is the subject.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    firmware: BTreeMap<&'static str, PackedFirmware>,
    /// The device of each architecture in words.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    devices: BTreeMap<&'static str, String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    submitter: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reviewer: Option<String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    totals: BTreeMap<String, u64>,
    /// The results of these whose verdicts are the submitter's.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    claimed: BTreeMap<String, u64>,
    /// The number of results on each basis.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    bases: BTreeMap<&'static str, u64>,
}

pub(super) fn run(arguments: &VerifyArguments) -> Result<ExitCode, Failed> {
    let VerifyArguments { package: path, verifier, replay, .. } = arguments;
    let bytes = read(path)?;
    let package = match Package::read_shared(&bytes, &Limits::default()) {
        Ok(package) => package,
        Err(error) => return Ok(rejected(arguments, &Rejection::of_container(error), None)),
    };
    let verified = verifier.with(|verifier| verifier.verify(&package))?;
    let (verified, outcome) = replay.apply(&package, verified, verifier.at(), verifier.jobs())?;
    Ok(match verified {
        Ok(verified) => accepted(arguments, &verified, outcome.as_ref()),
        Err(rejection) => rejected(arguments, &rejection, outcome.as_ref()),
    })
}

/// The lines about a repetition.
fn said_of(outcome: Option<&Outcome>) -> Vec<String> {
    let summary = outcome.map(|outcome| format!("  {}", outcome.summary()));
    let lines = outcome.into_iter().flat_map(Outcome::lines).map(|line| format!("    {line}"));
    summary.into_iter().chain(lines).collect()
}

fn accepted(
    arguments: &VerifyArguments,
    verified: &Verified,
    outcome: Option<&Outcome>,
) -> ExitCode {
    let Verified { statement, signers, results, reservations, .. } = verified;
    let signer = |it: &Signer| format!("{} ({})", it.principals.join(", "), it.fingerprint);
    let submitter = signers.submitter.as_ref().map(signer);
    let reviewer = signers.reviewer.as_ref().map(signer);
    let reservations: Vec<String> = reservations.iter().map(ToString::to_string).collect();
    let code = accepted_code(verified);
    let [computed, claimed] = verified.totals_by_origin();
    let predicate = &statement.predicate;
    if arguments.json {
        let answer =
            if reservations.is_empty() { "accepted" } else { "accepted_with_reservations" };
        say_json(&Answer {
            answer,
            reservations,
            subject: Some(predicate.subject.name.clone()),
            profile: Some(predicate.profile.name.clone()),
            edition: Some(predicate.profile.edition.clone()),
            lock: Some(predicate.profile.lock.to_string()),
            made: Some(predicate.made),
            challenge: verified.challenge_words(),
            challenge_issued: verified.challenge.map(|challenge| challenge.issued),
            challenge_hash: predicate.challenge.map(|challenge| challenge.hash),
            subject_hash: predicate.subject.hash,
            firmware: verified
                .packed_firmware()
                .into_iter()
                .map(|firmware| (firmware.architecture.name(), firmware))
                .collect(),
            devices: verified
                .device_words()
                .into_iter()
                .map(|(architecture, words)| (architecture.name(), words))
                .collect(),
            submitter,
            reviewer,
            repeated: outcome.map(Outcome::summary),
            repetition: outcome.map(Outcome::numbers),
            rests_on: Some(verified.rests_on()),
            bases: bases(verified),
            totals: totals(results),
            claimed,
            ..Answer::default()
        });
        return code;
    }
    output::say(&format!(
        "ACCEPTED {}: {} conforms to {}, edition {}",
        arguments.package.display(),
        quoted(&predicate.subject.name),
        quoted(&predicate.profile.name),
        plain(&predicate.profile.edition)
    ));
    for (counts, how) in [(&computed, "computed anew"), (&claimed, "taken from the package")] {
        let all = counts.values().sum::<u64>();
        if all > 0 {
            let counts: Vec<String> =
                counts.iter().map(|(verdict, count)| format!("{count} {verdict}")).collect();
            let results = counted(usize::try_from(all).unwrap_or(usize::MAX), "result", "results");
            output::say(&format!("  {results} {how}: {}", counts.join(", ")));
        }
    }
    said_of(outcome).iter().for_each(|line| output::say(line));
    for PackedFirmware { architecture, name, files, loaded } in verified.packed_firmware() {
        output::say(&format!("  {architecture} firmware {}", quoted(&name)));
        output::say(&format!("    files       {files}"));
        output::say(&format!("    cores load  {loaded}"));
    }
    for (architecture, device) in verified.device_words() {
        output::say(&format!("  {architecture} on {device}"));
    }
    output::say(&format!("  made {}, as the submitter dates it", predicate.made));
    if let Some(challenge) = verified.challenge_words() {
        output::say(&format!("  the challenge is {challenge}"));
    }
    for (role, signer) in [("signed", submitter), ("countersigned", reviewer)] {
        signer.iter().for_each(|signer| output::say(&format!("  {role} by {signer}")));
    }
    output::say(&format!("  {}", verified.rests_on()));
    reservations.iter().for_each(|it| output::say(&format!("  but {it}")));
    code
}

/// The number of results on each basis.
fn bases(verified: &Verified) -> BTreeMap<&'static str, u64> {
    let mut bases = BTreeMap::new();
    for result in &verified.results {
        let name = match result.basis {
            Basis::Asserted => "asserted",
            Basis::Submitted => "submitted",
            Basis::Recomputed => "recomputed",
            Basis::Replayed => "replayed",
        };
        let count: &mut u64 = bases.entry(name).or_default();
        *count = count.saturating_add(1);
    }
    bases
}

fn rejected(
    arguments: &VerifyArguments,
    rejection: &Rejection,
    outcome: Option<&Outcome>,
) -> ExitCode {
    if arguments.json {
        say_json(&Answer {
            answer: "rejected",
            step: Some(rejection.step.number()),
            file: rejection.file.clone(),
            line: rejection.line,
            reason: Some(rejection.problem.to_string()),
            repeated: outcome.map(Outcome::summary),
            repetition: outcome.map(Outcome::numbers),
            ..Answer::default()
        });
    } else {
        // A reason may hold text of the package, which could imitate a line of the output.
        let reason: Vec<String> = rejection.to_string().lines().map(plain).collect();
        let reason = reason.join("\n    ");
        output::say(&format!("REJECTED {}: {reason}", arguments.package.display()));
        said_of(outcome).iter().for_each(|line| output::say(line));
    }
    ExitCode::REJECTED
}

fn say_json(answer: &Answer) {
    // Serialization cannot fail: the answer holds only names, numbers and texts.
    output::say_json(&serde_json::to_string(answer).unwrap_or_default());
}
