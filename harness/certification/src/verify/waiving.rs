//! Waivers of a package: parsed, checked for approvers' signatures, and applied to computed results.

use std::collections::BTreeMap;

use hallmark_package::{Package, SignatureError, Signer, SubjectKind, Timestamp};

use super::claims::{Firmware, may_be_one};
use super::rejection::{Rejection, RejectionReason, VerifierStep};
use crate::lock::Lock;
use crate::results::{ResultLine, RunKey};
use crate::waivers::{self, FirmwareHashes, Waiver};

/// The waivers of a package, ascending by name.
pub(super) fn waivers(package: &Package<'_>, lock: &Lock) -> Result<Vec<Waiver>, Rejection> {
    let files = || {
        package.files().filter(|(name, _)| {
            name.as_str().starts_with("waivers/") && name.as_str().ends_with(".yaml")
        })
    };
    // Checked before any is parsed, because a package may contain any number.
    let (found, admitted) = (files().count(), lock.profile.waivers.at_most);
    if u32::try_from(found).is_ok_and(|found| found > admitted) {
        let problem = RejectionReason::TooManyWaivers { found, admitted };
        Rejection::new(VerifierStep::Waivers, problem).refuse()?;
    }
    let waivers = files().map(|(name, bytes)| {
        let reject =
            |problem| Rejection::new(VerifierStep::Waivers, problem).in_file(name.as_str());
        let limit = waivers::FILE_LIMIT;
        if u64::try_from(bytes.len()).is_ok_and(|length| length > limit) {
            reject(RejectionReason::WaiverTooLarge { bytes: bytes.len(), limit }).refuse()?;
        }
        let text = std::str::from_utf8(bytes).map_err(|_| reject(RejectionReason::NoText))?;
        Waiver::of_text(name.as_str().to_owned(), text)
            .map_err(|mistakes| reject(RejectionReason::Waivers(mistakes)))
    });
    waivers.collect()
}

/// Checks that each waiver is signed by its approver, and not by the submitter.
pub(super) fn check_approvers(
    package: &Package<'_>,
    waivers: &[Waiver],
    submitter: Option<&Signer>,
    verify: impl Fn(&[u8], &[u8]) -> Result<Signer, SignatureError>,
) -> Result<(), Rejection> {
    for waiver in waivers {
        let id = || waiver.id().to_owned();
        let name = format!("waivers/{}.yaml.sig", waiver.id());
        let reject = |problem| Rejection::new(VerifierStep::Waivers, problem).in_file(&name);
        let Some(signature) = package.file(&name) else {
            reject(RejectionReason::WaiverUnsigned { id: id() }).refuse()?;
            continue;
        };
        let signer = verify(waiver.text().as_bytes(), signature)
            .map_err(|error| reject(RejectionReason::Signature(error)))?;
        if submitter.is_some_and(|submitter| may_be_one(&signer, submitter)) {
            reject(RejectionReason::WaiverBySubmitter { id: id() }).refuse()?;
        }
        let approver = &waiver.file().approved.value;
        if !signer.principals.contains(approver) {
            let (approver, signer) = (approver.clone(), signer.principals.join(", "));
            reject(RejectionReason::WaiverApprover { id: id(), approver, signer }).refuse()?;
        }
    }
    Ok(())
}

/// The hashes of firmware by which waivers are selected.
pub(super) fn hashes(subject: SubjectKind, firmware: &Firmware) -> FirmwareHashes {
    let hashes = firmware.iter().map(|(architecture, bundle)| (*architecture, bundle.hash()));
    waivers::known_firmware(subject, hashes)
}

/// Applies waivers to results, in the results' order.
pub(super) fn apply(
    waivers: &[Waiver],
    lock: &Lock,
    subject: SubjectKind,
    firmware: &Firmware,
    at: Timestamp,
    results: Vec<ResultLine>,
) -> Result<Vec<ResultLine>, Rejection> {
    let reject =
        |mistakes| Rejection::new(VerifierStep::Waivers, RejectionReason::Waivers(mistakes));
    waivers::check_all(waivers, &lock.profile, at).map_err(reject)?;
    let hashes = hashes(subject, firmware);
    let mut results: BTreeMap<RunKey, ResultLine> =
        results.into_iter().map(|result| (result.run.clone(), result)).collect();
    waivers::apply(waivers, &lock.profile, &hashes, &mut results).map_err(reject)?;
    Ok(results.into_values().collect())
}
