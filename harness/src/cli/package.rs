//! `hallmark package`: commands on packages of certifications.

mod diff;
mod export;
mod merge;
mod repeating;
mod replay;
mod report;
mod sign;
mod verifier;
mod verify;

use clap::{Args, Subcommand};
use hallmark_pipeline::verdict::ExitCode;

use self::diff::DiffArguments;
use self::export::ExportArguments;
use self::merge::MergeArguments;
use self::replay::ReplayArguments;
use self::report::ReportArguments;
use self::sign::SignArguments;
use self::verify::VerifyArguments;
use super::Failed;

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
    /// the package holds. Whether the subject gives these results, only a repetition shows: --replay runs what the
    /// package holds, and compares.
    #[command(
        after_help = "Exit codes: 0 accepted, 13 rejected, 14 accepted with a reservation: results that nobody repeated, waivers, or no verified signature."
    )]
    Verify(VerifyArguments),
    /// Repeat a package's results on its subject
    ///
    /// Each capture is replayed in a fresh process, with the firmware, the kernels and the settings that the package
    /// holds. Only that shows that the subject gives these results. A sample says how sure one can be of all of them. The package
    /// is not verified; `hallmark package verify --replay` repeats its results and verifies it.
    #[command(
        after_help = "Exit codes: 0 every result agrees, though a verifier may reject the package, 2 --device is not the package's subject, 12 some could not be repeated, 13 a result differs."
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
        after_help = "Exit codes: 0 accepted, 13 rejected, 14 accepted with a reservation: results that nobody repeated, waivers, or no verified signature."
    )]
    Report(ReportArguments),
    /// Write the results in a form that other tools read
    ///
    /// The package is verified first. Of a rejected one nothing is written, unless all that is wrong is that the subject fails
    /// tests. As `test-result`, tests that are waived or that nobody has repeated are warnings, and tests that the profile
    /// skips are not named.
    #[command(
        after_help = "Exit codes: 0 accepted, 13 rejected, 14 accepted with a reservation: results that nobody repeated, waivers, or no verified signature."
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
