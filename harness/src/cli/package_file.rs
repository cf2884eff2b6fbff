//! Packages as files: reads, opens and verifies them, and explains refusals to users.

use std::path::Path;

use hallmark_certification::difference::PackageResults;
use hallmark_certification::verify::{Rejection, Reservation, Verified, Verifier};
use hallmark_execution::whole_file;
use hallmark_package::{Archive, ArchiveBytes, Limits, Package};
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
    let package = Package::read_shared(&bytes, &Limits::default()).map_err(Rejection::of_container);
    Ok(package.and_then(|package| verifier.verify(&package)))
}

/// Reads a new package from its file and verifies it as reviewers do; gives the exit code of its acceptance.
pub(super) fn verify_written(
    path: &Path,
    verifier: &Verifier<'_>,
) -> Result<Result<ExitCode, Rejection>, Failed> {
    Ok(verified_file(path, verifier)?.map(|verified| {
        let bare = match verified.at_their_word.len() {
            0 => String::new(),
            bare => format!(", but for {} whose process ended", counted(bare, "one", "ones")),
        };
        output::say(&format!("verified: each result follows from its captures{bare}"));
        // The package has no signature yet, its author knows a draft, and others repeat the runs.
        let is_expected = |it: &&Reservation| {
            matches!(
                it,
                Reservation::SignerUnknown | Reservation::Draft | Reservation::Submitted { .. }
            )
        };
        let others = verified.reservations.iter().filter(|it| !is_expected(it));
        let others: Vec<&Reservation> = others.collect();
        others.iter().for_each(|reservation| output::say(&format!("  but {reservation}")));
        if others.is_empty() { ExitCode::SUCCESS } else { ExitCode::RESERVED }
    }))
}

/// The error for a new package that the verifier rejects.
pub(super) fn rejected(path: &Path, rejection: &Rejection) -> Failed {
    Failed::new(ExitCode::REJECTED, format!("{} is rejected: {rejection}", path.display()))
}

/// The bytes of a package, if the path is a file and not larger than packages are; of a file that begins like none only
/// the beginning, for which every reader of packages refuses it.
pub(super) fn read(path: &Path) -> Result<ArchiveBytes, Failed> {
    let read = || {
        let beginning = whole_file::read_beginning(path, Archive::BEGINNING)?;
        if Archive::may_begin(&beginning) {
            whole_file::read(path, Limits::default().archive_bytes)
        } else {
            Ok(beginning)
        }
    };
    read().map(ArchiveBytes::from).map_err(|error| unreadable(path, &error))
}

/// Opens a package that was read from a file.
pub(super) fn opened<'a>(path: &Path, bytes: &'a ArchiveBytes) -> Result<Package<'a>, Failed> {
    Package::read_shared(bytes, &Limits::default()).map_err(|error| unusable(path, &error))
}

/// The results that a package claims.
pub(super) fn results<'a>(
    path: &Path,
    package: &'a Package<'a>,
) -> Result<PackageResults<'a>, Failed> {
    PackageResults::of(package).map_err(|error| unusable(path, &error))
}

/// The exit code for an accepted package.
pub(super) fn accepted_code(verified: &Verified) -> ExitCode {
    if verified.reservations.is_empty() { ExitCode::SUCCESS } else { ExitCode::RESERVED }
}

/// The error for a file that is not a package, or for a package whose results cannot be compared.
pub(super) fn unusable(path: &Path, error: &dyn std::fmt::Display) -> Failed {
    Failed::new(ExitCode::REJECTED, format!("{}: {}", path.display(), plain(&error.to_string())))
}

/// The error for a file that the command line names and that cannot be read.
pub(super) fn unreadable(path: &Path, error: &std::io::Error) -> Failed {
    Failed::new(ExitCode::USAGE, format!("{} cannot be read: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_file_that_is_no_package_only_the_beginning_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.hallmark");
        // A file with holes takes no space on the disk.
        std::fs::File::create(&path).unwrap().set_len(1 << 40).unwrap();
        let bytes = read(&path).map_err(|failed| failed.text).unwrap();
        assert_eq!(bytes.len(), 512);
        assert!(Package::read(&bytes, &Limits::default()).is_err());
        let header = [&[0; 257], b"ustar\x0000".as_slice(), &[0; 300]].concat();
        std::fs::write(&path, &header).unwrap();
        assert_eq!(*read(&path).map_err(|failed| failed.text).unwrap(), *header);
    }
}
