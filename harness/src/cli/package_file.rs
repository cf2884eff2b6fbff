//! Packages as files: read, opened and verified, with what a refusal says to users.

use std::path::Path;

use hallmark_certification::difference::PackageResults;
use hallmark_certification::results::ResultLine;
use hallmark_certification::verify::{Rejection, Reservation, Verified, Verifier};
use hallmark_execution::whole_file;
use hallmark_package::{Limits, Package};
use hallmark_pipeline::verdict::ExitCode;
use hallmark_schema::plain;
use hallmark_schema::plural::counted;

use super::{Failed, output};

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
pub(super) fn read(path: &Path) -> Result<Vec<u8>, Failed> {
    whole_file::read(path, Limits::default().archive_bytes)
        .map_err(|error| unreadable(path, &error))
}

/// A package that was read from a file.
pub(super) fn opened<'a>(path: &Path, bytes: &'a [u8]) -> Result<Package<'a>, Failed> {
    Package::read(bytes, &Limits::default()).map_err(|error| unusable(path, &error))
}

/// What a package claims.
pub(super) fn results<'a>(
    path: &Path,
    package: &'a Package<'a>,
) -> Result<PackageResults<'a>, Failed> {
    PackageResults::of(package).map_err(|error| unusable(path, &error))
}

/// What the verification of a package that is accepted ends with.
pub(super) fn accepted_code(verified: &Verified) -> ExitCode {
    if verified.reservations.is_empty() { ExitCode::SUCCESS } else { ExitCode::RESERVED }
}

/// A file that is no package, or none whose results can be compared.
pub(super) fn unusable(path: &Path, error: &dyn std::fmt::Display) -> Failed {
    Failed::new(ExitCode::REJECTED, format!("{}: {}", path.display(), plain(&error.to_string())))
}

/// A file that the command line names and that cannot be read.
pub(super) fn unreadable(path: &Path, error: &std::io::Error) -> Failed {
    Failed::new(ExitCode::USAGE, format!("{} cannot be read: {error}", path.display()))
}
