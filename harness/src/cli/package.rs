//! `hallmark package`: what is done with packages of certifications.

mod diff;
mod export;
mod merge;
mod replay;
mod report;
mod sign;
mod verifier;
mod verify;

use std::path::Path;

use clap::{Args, Subcommand};
use hallmark_package::{Limits, Package};
use hallmark_schema::plain;
use hallmark_schema::plural::counted;

use self::diff::DiffArguments;
use self::export::ExportArguments;
use self::merge::MergeArguments;
use self::replay::ReplayArguments;
use self::report::ReportArguments;
use self::sign::SignArguments;
use self::verify::VerifyArguments;
use super::{Failed, output};
use crate::certification::difference::PackageResults;
use crate::certification::results::ResultLine;
use crate::certification::verify::{Rejection, Reservation, Verified, Verifier};
use crate::verdict::ExitCode;
use crate::whole_file;

#[derive(Clone, Debug, Args)]
pub(super) struct PackageArguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Clone, Debug, Subcommand)]
enum Action {
    /// Compute every verdict of a package anew, and compare
    ///
    /// No device and no network are used. Suites, goldens and kernels are those of this root, and must make the lock that
    /// the package holds. What no verifier without the device can tell is whether the device gave these results:
    /// `hallmark package replay` repeats them.
    #[command(
        after_help = "Exit codes: 0 accepted, 13 rejected, 14 accepted with waivers, with results that are only asserted, or without a verified signature."
    )]
    Verify(VerifyArguments),
    /// Repeat a package's results on a device
    ///
    /// Each capture is replayed in a fresh process, and has to come out as the package has it. That alone shows that a
    /// device gives these results. A sample says how sure one can be of all of them.
    #[command(
        after_help = "Exit codes: 0 all came out as in the package, 12 of some nothing can be told, 13 a result came out otherwise."
    )]
    Replay(ReplayArguments),
    /// Compare the results of two packages
    ///
    /// What broke comes first, then what fails otherwise, is newly excused or skipped, or takes longer. Both packages are
    /// taken at their word; `hallmark package verify` computes what they claim.
    #[command(after_help = "Exit codes: 0 nothing regressed, 1 something did.")]
    Diff(DiffArguments),
    /// Write an HTML page about a package
    ///
    /// The page says what is claimed on what basis, and shows failures, skips and differences to another package. The
    /// package is verified first, and the page says what came of it.
    #[command(
        after_help = "Exit codes: 0 accepted, 13 rejected, 14 accepted with waivers, with results that are only asserted, or without a verified signature."
    )]
    Report(ReportArguments),
    /// Write the results in a form that other tools read
    ///
    /// The package is verified first. Of a rejected one nothing is written, unless all that is wrong is that the subject fails
    /// tests. As `test-result`, tests that are waived or that passed on the submitter's word alone are warnings, and tests
    /// that the profile skips are not named.
    #[command(
        after_help = "Exit codes: 0 accepted, 13 rejected, 14 accepted with waivers, with results that are only asserted, or without a verified signature."
    )]
    Export(ExportArguments),
    /// Make one package of those of all shards
    ///
    /// `hallmark certify --shard 1/8` carries out an eighth of the runs, on any machine. The packages must be of the same
    /// lock, challenge, subject, firmware and devices. The merged package is verified; whoever merges signs it.
    #[command(
        after_help = "Exit codes: 0 written and verified, 2 the packages do not belong together, 13 what they make is rejected."
    )]
    Merge(MergeArguments),
    /// Sign a package's statement with an OpenSSH key
    ///
    /// The key may be in an agent or on a security key.
    Sign(SignArguments),
}

pub(super) fn run(arguments: &PackageArguments) -> Result<ExitCode, Failed> {
    match &arguments.action {
        Action::Verify(arguments) => verify::run(arguments),
        Action::Replay(arguments) => replay::run(arguments),
        Action::Diff(arguments) => diff::run(arguments),
        Action::Report(arguments) => report::run(arguments),
        Action::Export(arguments) => export::run(arguments),
        Action::Merge(arguments) => merge::run(arguments),
        Action::Sign(arguments) => sign::run(arguments),
    }
}

/// Reads and verifies a package.
pub(super) fn verified_file(
    path: &Path,
    verifier: &Verifier<'_>,
) -> Result<Result<Verified, Rejection>, Failed> {
    let bytes = read(path)?;
    let package = Package::read(&bytes, &Limits::default()).map_err(Rejection::of_container);
    Ok(package.and_then(|package| verifier.verify(&package)))
}

/// Verifies a package that was just written, from its file, as its reviewers do; gives what its acceptance ends with.
pub(super) fn verify_written(
    path: &Path,
    verifier: &Verifier<'_>,
) -> Result<Result<ExitCode, Rejection>, Failed> {
    Ok(verified_file(path, verifier)?.map(|verified| {
        let is_bare = |result: &&ResultLine| result.capture.is_none() && result.needs_waiver();
        let bare = verified.results.iter().filter(is_bare).count();
        let bare = match bare {
            0 => String::new(),
            bare => format!(", but for {} without a capture", counted(bare, "one", "ones")),
        };
        output::say(&format!("verified: each result follows from its captures{bare}"));
        // Nobody has signed yet, and whoever makes a draft knows it.
        let expected = [Reservation::SignerUnknown, Reservation::Draft];
        let others = verified.reservations.iter().filter(|it| !expected.contains(it));
        let others: Vec<&Reservation> = others.collect();
        others.iter().for_each(|reservation| output::say(&format!("  but {reservation}")));
        if others.is_empty() { ExitCode::SUCCESS } else { ExitCode::RESERVED }
    }))
}

/// A package that was just written, and that no verifier accepts.
pub(super) fn rejected(path: &Path, rejection: &Rejection) -> Failed {
    Failed::new(ExitCode::REJECTED, format!("{} is rejected: {rejection}", path.display()))
}

/// The bytes of a package, if it is a file and not larger than packages are.
fn read(path: &Path) -> Result<Vec<u8>, Failed> {
    whole_file::read(path, Limits::default().archive_bytes)
        .map_err(|error| unreadable(path, &error))
}

/// A package that was read from a file.
fn opened<'a>(path: &Path, bytes: &'a [u8]) -> Result<Package<'a>, Failed> {
    Package::read(bytes, &Limits::default()).map_err(|error| unusable(path, &error))
}

/// What a package claims.
fn results<'a>(path: &Path, package: &'a Package<'a>) -> Result<PackageResults<'a>, Failed> {
    PackageResults::of(package).map_err(|error| unusable(path, &error))
}

/// What the verification of a package that is accepted ends with.
fn accepted_code(verified: &Verified) -> ExitCode {
    if verified.reservations.is_empty() { ExitCode::SUCCESS } else { ExitCode::RESERVED }
}

/// A file that is no package, or none whose results can be compared.
fn unusable(path: &Path, error: &dyn std::fmt::Display) -> Failed {
    Failed::new(ExitCode::REJECTED, format!("{}: {}", path.display(), plain(&error.to_string())))
}

/// A file that the command line names and that cannot be read.
fn unreadable(path: &Path, error: &std::io::Error) -> Failed {
    Failed::new(ExitCode::USAGE, format!("{} cannot be read: {error}", path.display()))
}
