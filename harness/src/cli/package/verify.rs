//! `hallmark package verify`.

use std::path::PathBuf;

use clap::Args;
use hallmark_certification::verify::{Rejection, Verified, totals};
use hallmark_package::Signer;
use hallmark_pipeline::verdict::ExitCode;
use hallmark_schema::plain;
use hallmark_schema::plural::counted;
use serde::Serialize;

use super::verifier::VerifierOptions;
use crate::cli::options::OUTPUT;
use crate::cli::package_file::{accepted_code, verified_file};
use crate::cli::{Failed, output};

#[derive(Clone, Debug, Args)]
pub(super) struct VerifyArguments {
    /// The package
    #[arg(value_name = "PACKAGE")]
    package: PathBuf,
    #[command(flatten)]
    verifier: VerifierOptions,
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
    #[serde(skip_serializing_if = "Option::is_none")]
    subject: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    profile: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    edition: Option<String>,
    /// The hash of the profile's demand.
    #[serde(skip_serializing_if = "Option::is_none")]
    lock: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    submitter: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reviewer: Option<String>,
    #[serde(skip_serializing_if = "std::collections::BTreeMap::is_empty")]
    totals: std::collections::BTreeMap<String, u64>,
}

pub(super) fn run(arguments: &VerifyArguments) -> Result<ExitCode, Failed> {
    let verified =
        arguments.verifier.with(|verifier| verified_file(&arguments.package, verifier))?;
    Ok(match verified? {
        Ok(verified) => accepted(arguments, &verified),
        Err(rejection) => rejected(arguments, &rejection),
    })
}

fn accepted(arguments: &VerifyArguments, verified: &Verified) -> ExitCode {
    let Verified { statement, environment, signers, results, reservations } = verified;
    let signer = |it: &Signer| format!("{} ({})", it.principals.join(", "), it.fingerprint);
    let submitter = signers.submitter.as_ref().map(signer);
    let reviewer = signers.reviewer.as_ref().map(signer);
    let reservations: Vec<String> = reservations.iter().map(ToString::to_string).collect();
    let code = accepted_code(verified);
    let totals = totals(results);
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
            submitter,
            reviewer,
            totals,
            ..Answer::default()
        });
        return code;
    }
    let counts: Vec<String> =
        totals.iter().map(|(verdict, count)| format!("{count} {verdict}")).collect();
    output::say(&format!(
        "ACCEPTED {}: {} conforms to `{}`, edition {}",
        arguments.package.display(),
        plain(&predicate.subject.name),
        plain(&predicate.profile.name),
        plain(&predicate.profile.edition)
    ));
    output::say(&format!(
        "  {} computed anew: {}",
        counted(results.len(), "result", "results"),
        counts.join(", ")
    ));
    for (architecture, device) in &environment.devices {
        let device = plain(&device.to_string());
        output::say(&format!("  {architecture} on {device}, as the submitter says"));
    }
    for (role, signer) in [("signed", submitter), ("countersigned", reviewer)] {
        signer.iter().for_each(|signer| output::say(&format!("  {role} by {signer}")));
    }
    reservations.iter().for_each(|it| output::say(&format!("  but {it}")));
    code
}

fn rejected(arguments: &VerifyArguments, rejection: &Rejection) -> ExitCode {
    if arguments.json {
        say_json(&Answer {
            answer: "rejected",
            step: Some(rejection.step.number()),
            file: rejection.file.clone(),
            line: rejection.line,
            reason: Some(rejection.problem.to_string()),
            ..Answer::default()
        });
    } else {
        // A reason may hold text of the package, which could imitate a line of the output.
        let reason: Vec<String> = rejection.to_string().lines().map(plain).collect();
        let reason = reason.join("\n    ");
        output::say(&format!("REJECTED {}: {reason}", arguments.package.display()));
    }
    ExitCode::REJECTED
}

fn say_json(answer: &Answer) {
    // Serialization cannot fail: the answer holds only names, numbers and texts.
    output::say(&serde_json::to_string(answer).unwrap_or_default());
}
