//! The verifier: every verdict of a package is computed anew from captures, suites and models, and compared with what the
//! package claims.
//!
//! No device, no network, and nothing of the package is believed but its bytes. Suites, goldens and kernels are the
//! verifier's own, and must make the lock that the package holds. A signature says who submitted the package; whether a
//! device really gave the results of `captures/` no verifier without the device can tell.

mod claims;
mod demand;
mod limits;
mod pictures;
mod program;
mod recomputation;
mod record;
mod rejection;
mod waiving;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

use hallmark_package::{
    Blake3, CHALLENGE, LOCK, PROFILE, Package, RESULTS, REVIEW_SIGNATURE, RUN, Revoked, STATEMENT,
    Signer, Signers, Statement, SubjectKind, Timestamp, VerifiedSigners, json,
};
use hallmark_suite::discover::Root;

pub use self::limits::{UNREJECTABLE, Unrejectable};
pub use self::pictures::Pictures;
pub use self::rejection::{Rejection, RejectionReason, VerifierStep};

use self::claims::Challenged;
use self::recomputation::{Computed, Recomputation};
use super::demand::Demand;
use super::environment::Environment;
use super::lock::Lock;
use super::profile::ConformanceProfile;
use super::results::{Basis, ResultLine};
use super::waivers::FirmwareHashes;

/// What a verifier is given beside the package.
#[derive(Debug)]
pub struct Verifier<'a> {
    /// The verifier's own suites, goldens and kernels.
    pub root: &'a Root,
    /// Who may sign; without it no signature is verified, and the package is accepted with that reservation at best.
    pub signers: Option<&'a Signers>,
    /// Keys that may sign no longer.
    pub revoked: &'a Revoked,
    /// The verifier's own copy of the profile, beside which its captures lie. Without it that is the one of the same name
    /// beside the suites.
    pub profile: Option<&'a ConformanceProfile>,
    /// A lock that the verifier trusts. Without it the profile must be the verifier's own.
    pub lock: Option<&'a [u8]>,
    /// The bytes of the challenge that the verifier gave. Without them any counts.
    pub challenge: Option<&'a [u8]>,
    /// The time of verification.
    pub at: Timestamp,
    /// Whether a draft is accepted, which needs neither a signature nor a challenge.
    pub accepts_drafts: bool,
    /// Whether a package of one shard is accepted: of part of the runs, made to be merged.
    pub accepts_shards: bool,
    /// How many results are computed at a time.
    pub jobs: usize,
}

/// Why an accepted package is not accepted without more ado.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reservation {
    /// Failures were waived.
    Waived {
        /// How many results.
        results: usize,
    },
    /// Results rest on nothing but the submitter's word.
    Asserted {
        /// How many results.
        results: usize,
    },
    /// Nobody said who may sign.
    SignerUnknown,
    /// It is a draft.
    Draft,
}

impl std::fmt::Display for Reservation {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        use hallmark_schema::plural::counted;
        match self {
            Self::Waived { results } => {
                write!(formatter, "{} waived", counted(*results, "failure is", "failures are"))
            }
            Self::Asserted { results } => write!(
                formatter,
                "{} on the submitter's word; whoever has the device can repeat them with `hallmark package replay`",
                counted(*results, "result rests", "results rest")
            ),
            Self::SignerUnknown => formatter
                .write_str("no signature was verified; name the keys that may sign with --signers"),
            Self::Draft => formatter.write_str("the package is a draft"),
        }
    }
}

/// A package that is accepted.
#[derive(Clone, Debug)]
pub struct Verified {
    /// What the statement says, all of which was compared with what was computed.
    pub statement: Statement,
    /// Where it ran, as the submitter says.
    pub environment: Environment,
    /// Whose signatures were verified.
    pub signers: VerifiedSigners,
    /// The results, each as it was computed.
    pub results: Vec<ResultLine>,
    /// Why it is not accepted without more ado; empty for a package that is.
    pub reservations: BTreeSet<Reservation>,
}

/// How many results there are of each verdict, by its name.
pub fn totals<'a>(results: impl IntoIterator<Item = &'a ResultLine>) -> BTreeMap<String, u64> {
    let mut totals = BTreeMap::new();
    for result in results {
        let count: &mut u64 = totals.entry(result.verdict.0.name().to_owned()).or_default();
        *count = count.saturating_add(1);
    }
    totals
}

/// The hashes of the firmware of a package, by which waivers are told apart.
///
/// # Errors
/// The firmware is not what the package claims.
pub fn firmware_hashes(
    package: &Package<'_>,
    statement: &Statement,
    lock: &Lock,
) -> Result<FirmwareHashes, Rejection> {
    let firmware = claims::firmware(package, statement, lock)?;
    Ok(waiving::hashes(statement.predicate.subject.kind, &firmware))
}

impl Verifier<'_> {
    /// Verifies a package that was read, which was the first step.
    ///
    /// # Errors
    /// The first reason for which it is rejected.
    pub fn verify(&self, package: &Package<'_>) -> Result<Verified, Rejection> {
        self.verify_and(package, |_, _| {})
    }

    /// The same, and does something with results that are confirmed: whatever else is wrong, captures say what is claimed.
    fn verify_and(
        &self,
        package: &Package<'_>,
        confirmed: impl FnOnce(&Recomputation<'_>, &[ResultLine]),
    ) -> Result<Verified, Rejection> {
        let signers = self.signers(package)?;
        let reject = |step, problem, file| Rejection::new(step, problem).in_file(file);
        let statement = package.statement(self.at).map_err(|error| {
            reject(VerifierStep::Documents, RejectionReason::Statement(error), STATEMENT)
        })?;
        if statement.predicate.draft && !self.accepts_drafts {
            reject(VerifierStep::Documents, RejectionReason::Draft, STATEMENT).refuse()?;
        }
        // Whoever accepts drafts excuses drafts alone from a signature.
        if self.signers.is_some() && signers.submitter.is_none() && !statement.predicate.draft {
            Rejection::new(VerifierStep::Signatures, RejectionReason::Unsigned).refuse()?;
        }
        let lock_bytes = package.file(LOCK).unwrap_or_default();
        let lock = Lock::read(lock_bytes)
            .map_err(|error| reject(VerifierStep::Documents, RejectionReason::Lock(error), LOCK))?;
        let results: Vec<ResultLine> = json::read_lines(package.file(RESULTS).unwrap_or_default())
            .map_err(|error| Rejection::of_json(VerifierStep::Documents, error).in_file(RESULTS))?;
        let environment = claims::environment(package)?;
        let firmware = claims::firmware(package, &statement, &lock)?;
        let demand = self.demand(package, &statement, &lock)?;
        let submitter = signers.submitter.as_ref();
        let challenge = self.challenge(package, &statement, &lock, submitter)?;
        let logs = claims::logs(package.file(RUN).unwrap_or_default())?;
        let shard = claims::shard(&logs)?;
        if let (false, Some(shard)) = (self.accepts_shards, shard) {
            reject(VerifierStep::Completeness, RejectionReason::OneShard { shard }, RUN)
                .refuse()?;
        }
        claims::completeness(&lock, &results, challenge.is_some(), shard)?;
        claims::devices(&statement, &results)?;
        claims::subject(&statement, &environment, &firmware, &results)?;
        claims::log(&logs, &results, lock_bytes, package.file(CHALLENGE))?;
        claims::no_unused_file(package, &results)?;
        let recomputation = Recomputation {
            package,
            root: self.root,
            kernels: recomputation::prebuilt_kernels(self.root),
            demand: &demand,
            firmware: &firmware,
            challenge: challenge.as_ref(),
            subject: statement.predicate.subject.kind,
            model: &lock.profile.model,
            environment: &environment,
            blobs: Mutex::default(),
        };
        let computed = recomputation.all(&results, self.jobs)?;
        let mut results = results;
        let claimed = results.clone();
        for (result, computed) in results.iter_mut().zip(computed) {
            let Computed { verdict, signature, program, headroom, basis } = computed;
            result.verdict.0 = verdict;
            result.signature = signature;
            result.program = program;
            result.headroom = headroom;
            result.basis = basis;
        }
        let kind = statement.predicate.subject.kind;
        let results = self.waive(package, &lock, kind, &firmware, submitter, results)?;
        let compared = claims::compare(&claimed, &results, &statement);
        if compared.as_ref().err().is_none_or(Rejection::is_of_failure) {
            confirmed(&recomputation, &results);
        }
        compared?;
        // What failed on it has been said first.
        claims::stand_ins(&environment)?;
        let waived = results.iter().filter(|result| result.waiver.is_some()).count();
        let asserted = results.iter().filter(|result| result.basis == Basis::Asserted).count();
        let reservations = [
            (waived > 0, Reservation::Waived { results: waived }),
            (asserted > 0, Reservation::Asserted { results: asserted }),
            (self.signers.is_none(), Reservation::SignerUnknown),
            (statement.predicate.draft, Reservation::Draft),
        ];
        let reservations =
            reservations.into_iter().filter(|(applies, _)| *applies).map(|(_, it)| it).collect();
        Ok(Verified { statement, environment, signers, results, reservations })
    }

    fn signers(&self, package: &Package<'_>) -> Result<VerifiedSigners, Rejection> {
        let Some(signers) = self.signers else { return Ok(VerifiedSigners::default()) };
        if !package.is_signed() && !self.accepts_drafts {
            Rejection::new(VerifierStep::Signatures, RejectionReason::Unsigned).refuse()?;
        }
        let verified = package.verify_signatures(signers, self.revoked, self.at);
        let verified = verified.map_err(|(file, error)| {
            Rejection::new(VerifierStep::Signatures, RejectionReason::Signature(error))
                .in_file(file)
        })?;
        if let (Some(submitter), Some(reviewer)) = (&verified.submitter, &verified.reviewer)
            && claims::may_be_one(submitter, reviewer)
        {
            Rejection::new(VerifierStep::Signatures, RejectionReason::ReviewBySubmitter)
                .in_file(REVIEW_SIGNATURE)
                .refuse()?;
        }
        Ok(verified)
    }

    /// What the profile demands, by the verifier's suites. The lock that they make must be the package's.
    fn demand(
        &self,
        package: &Package<'_>,
        statement: &Statement,
        lock: &Lock,
    ) -> Result<Demand, Rejection> {
        let reject =
            |problem, file| Rejection::new(VerifierStep::Completeness, problem).in_file(file);
        let bytes = package.file(LOCK).unwrap_or_default();
        claims::profile(statement, lock, package.file(PROFILE).unwrap_or_default(), bytes)?;
        let known = match self.profile {
            Some(own) => Ok(own.clone()),
            None => ConformanceProfile::beside_suites(self.root, &lock.profile.name),
        };
        let text = package.file(PROFILE).map(std::str::from_utf8);
        let Some(Ok(text)) = text else { return Err(reject(RejectionReason::NoText, PROFILE)) };
        let is_known = known.as_ref().is_ok_and(|known| known.text() == text);
        match self.lock {
            Some(given) if given != bytes => {
                let (found, given) = (Blake3::of(bytes), Blake3::of(given));
                reject(RejectionReason::OtherLock { found, given }, LOCK).refuse()?;
            }
            None if !is_known => {
                let name = lock.profile.name.clone();
                reject(RejectionReason::UnknownProfile { name }, PROFILE).refuse()?;
            }
            Some(_) | None => {}
        }
        // The captures that a profile demands lie beside it.
        let folder = known.map(|known| known.folder().to_owned()).unwrap_or_default();
        let profile = ConformanceProfile::of_text(PROFILE.to_owned(), text, folder)
            .map_err(|mistakes| reject(RejectionReason::Profile(mistakes), PROFILE))?;
        demand::demand(self.root, profile, lock, self.jobs)
    }

    fn challenge(
        &self,
        package: &Package<'_>,
        statement: &Statement,
        lock: &Lock,
        submitter: Option<&Signer>,
    ) -> Result<Option<Challenged>, Rejection> {
        if self.challenge.is_some() && package.file(CHALLENGE) != self.challenge {
            let what = "its second pass was not made under the challenge that was given";
            Rejection::new(VerifierStep::Subject, RejectionReason::ChallengeClaim { what })
                .in_file(CHALLENGE)
                .refuse()?;
        }
        let knows_signers = self.signers.is_some();
        claims::challenge(package, statement, lock, knows_signers, |bytes, signature, namespace| {
            let Some(signers) = self.signers else { return Ok(()) };
            let signer = signers.verify(bytes, signature, namespace, self.at, self.revoked)?;
            claims::differs(&signer, submitter)
        })
    }

    fn waive(
        &self,
        package: &Package<'_>,
        lock: &Lock,
        subject: SubjectKind,
        firmware: &claims::Firmware,
        submitter: Option<&Signer>,
        results: Vec<ResultLine>,
    ) -> Result<Vec<ResultLine>, Rejection> {
        let waivers = waiving::waivers(package, lock)?;
        if let Some(signers) = self.signers {
            let verify = |bytes: &[u8], signature: &[u8]| {
                let namespace = hallmark_package::Namespace::Waiver;
                signers.verify(bytes, signature, namespace, self.at, self.revoked)
            };
            waiving::check_approvers(package, &waivers, submitter, verify)?;
        }
        waiving::apply(&waivers, lock, subject, firmware, self.at, results)
    }
}
