//! Tests of the checks: for each check that refuses a package, a test fails while the check is switched off.
//!
//! `cargo nextest run -p hallmark-package --features sabotage -E 'test(liars)'` switches them off, one by one.

use hallmark_chip::sabotage::liars::{Liar, liar, unmatched};

use crate::json::JsonProblem;
use crate::{
    ArchiveProblem, EntryNameError, ManifestProblem, PackageError, SignatureError, SignersProblem,
    StatementError,
};

const CONTAINERS: &str = "tests::containers::forged_containers_are_refused";
const NAMES: &str = "tests::containers::names_mean_the_same_everywhere";
const LIMITS: &str = "tests::containers::limits_hold_at_them_and_one_past";
const SIGNATURES: &str = "tests::signatures::forged_signatures_are_refused";
const STATEMENTS: &str = "tests::statements::forged_statements_are_refused";

const LIARS: &[Liar] = &[
    liar("EntryNameError::TooLong", NAMES),
    liar("EntryNameError::Absolute", NAMES),
    liar("EntryNameError::Relative", NAMES),
    liar("EntryNameError::EmptyComponent", NAMES),
    liar("EntryNameError::FirstCharacter", NAMES),
    liar("EntryNameError::Character", NAMES),
    liar("EntryNameError::TooDeep", NAMES),
    liar("ArchiveProblem::TooLarge", LIMITS),
    liar("ArchiveProblem::TooManyEntries", LIMITS),
    liar("ArchiveProblem::EntryTooLarge", LIMITS),
    liar("ArchiveProblem::Trailing", CONTAINERS),
    liar("ArchiveProblem::NotUstar", CONTAINERS),
    liar("ArchiveProblem::HeaderSum", CONTAINERS),
    liar("ArchiveProblem::NotAFile", CONTAINERS),
    liar("ArchiveProblem::Extension", CONTAINERS),
    liar("ArchiveProblem::Prefix", CONTAINERS),
    liar("ArchiveProblem::NameBytes", CONTAINERS),
    liar("ArchiveProblem::Mode", CONTAINERS),
    liar("ArchiveProblem::Owner", CONTAINERS),
    liar("ArchiveProblem::Time", CONTAINERS),
    liar("ArchiveProblem::NotCanonical", CONTAINERS),
    liar("ArchiveProblem::Padding", CONTAINERS),
    liar("ArchiveProblem::Duplicate", CONTAINERS),
    liar("ArchiveProblem::Unsorted", CONTAINERS),
    liar("ArchiveProblem::SameButForCase", CONTAINERS),
    liar("ArchiveProblem::FileAndFolder", CONTAINERS),
    liar("PackageError::Absent", CONTAINERS),
    liar("PackageError::UnknownFile", CONTAINERS),
    liar("PackageError::NameOfAnother", CONTAINERS),
    liar("ManifestProblem::Unsorted", CONTAINERS),
    liar("ManifestProblem::NotDescribed", CONTAINERS),
    liar("ManifestProblem::Absent", CONTAINERS),
    liar("ManifestProblem::Unlisted", CONTAINERS),
    liar("ManifestProblem::Size", CONTAINERS),
    liar("ManifestProblem::Blake3", CONTAINERS),
    liar("ManifestProblem::Sha256", CONTAINERS),
    liar("SignatureError::TextBefore", SIGNATURES),
    liar("SignatureError::Version", SIGNATURES),
    liar("SignatureError::Reserved", SIGNATURES),
    liar("SignatureError::KeyKind", SIGNATURES),
    liar("SignatureError::NotCanonical", SIGNATURES),
    liar("SignatureError::Namespace", SIGNATURES),
    liar("SignatureError::Revoked", SIGNATURES),
    liar("SignatureError::UnknownKey", SIGNATURES),
    liar("SignatureError::Role", SIGNATURES),
    liar("SignatureError::NotYetValid", SIGNATURES),
    liar("SignatureError::Expired", SIGNATURES),
    liar("SignatureError::OtherBytes", SIGNATURES),
    liar("SignersProblem::Pattern", SIGNATURES),
    liar("SignersProblem::Certificate", SIGNATURES),
    liar("SignersProblem::OptionTwice", SIGNATURES),
    liar("SignersProblem::NoNamespaces", SIGNATURES),
    liar("SignersProblem::UnknownOption", SIGNATURES),
    liar("SignersProblem::NeverValid", SIGNATURES),
    liar("SignersProblem::KeyKind", SIGNATURES),
    liar("StatementError::StatementType", STATEMENTS),
    liar("StatementError::PredicateType", STATEMENTS),
    liar("StatementError::NoSubject", STATEMENTS),
    liar("StatementError::SubjectTwice", STATEMENTS),
    liar("StatementError::SubjectAbsent", STATEMENTS),
    liar("StatementError::SubjectUnknown", STATEMENTS),
    liar("StatementError::SubjectHash", STATEMENTS),
    liar("StatementError::SubjectOrder", STATEMENTS),
    liar("StatementError::FromTheFuture", STATEMENTS),
    liar("JsonProblem::DuplicateKey", STATEMENTS),
    liar("JsonProblem::NotCanonical", STATEMENTS),
    liar("JsonProblem::NoLineEnd", "tests::statements::lines_are_documents_and_errors_name_them"),
];

#[test]
fn every_check_has_a_liar() {
    let checks = [
        EntryNameError::CHECKS,
        ArchiveProblem::CHECKS,
        PackageError::CHECKS,
        ManifestProblem::CHECKS,
        SignatureError::CHECKS,
        SignersProblem::CHECKS,
        StatementError::CHECKS,
        JsonProblem::CHECKS,
    ];
    let checks: Vec<String> = checks.concat().into_iter().map(str::to_owned).collect();
    println!("{} checks, {} liars", checks.len(), LIARS.len());
    assert_eq!(unmatched(&checks, LIARS), Vec::<String>::new());
}

#[test]
#[cfg(feature = "sabotage")]
fn a_test_fails_without_its_check() {
    use hallmark_chip::sabotage::liars::{fails_without, idle};
    assert_eq!(idle(LIARS, fails_without).unwrap(), Vec::new(), "their tests pass without");
}
