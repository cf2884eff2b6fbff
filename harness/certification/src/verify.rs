//! The verifier: recomputes every verdict of a package from captures, suites and models, and compares it with
//! the claim.
//!
//! It needs no device and no network, and trusts only the package's bytes. Suites, goldens and kernels are the
//! verifier's own, and must give the lock in the package. A signature identifies the submitter. Only a repetition
//! ([`crate::repetition`]) shows that the subject gives the results of `captures/`.

mod accounts;
mod claims;
mod demand;
mod limits;
mod packed_subject;
mod program;
mod recomputation;
mod record;
mod rejection;
mod repeated;
mod waiving;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use hallmark_chip::Architecture;
use hallmark_package::{
    Blake3, CHALLENGE, LOCK, PROFILE, Package, RESULTS, REVIEW_SIGNATURE, RUN, Revoked, STATEMENT,
    Signer, Signers, Statement, SubjectKind, Timestamp, VerifiedSigners, json,
};
use hallmark_runtime::device_code::FirmwareBundle;
use hallmark_suite::discover::Root;

pub use self::accounts::{Account, Accounts, lines_about};
pub use self::limits::{UNREJECTABLE, Unrejectable};
pub use self::packed_subject::{PackedSubject, firmware_hashes};
pub use self::rejection::{Rejection, RejectionReason, VerifierStep};
pub use self::repeated::PackedFirmware;

use self::recomputation::{Computed, Recomputation};
use super::challenge::Challenge;
use super::demand::Demand;
use super::environment::{Environment, FILES_NOT_COMPARED};
use super::lock::Lock;
use super::log::ReadLog;
use super::profile::ConformanceProfile;
use super::results::{ResultLine, RunKey};

/// The inputs of a verifier besides the package.
#[derive(Debug)]
pub struct Verifier<'a> {
    /// The verifier's own suites, goldens and kernels.
    pub root: &'a Root,
    /// The allowed signers. Without them no signature is verified, and the package is accepted with that
    /// reservation at best.
    pub signers: Option<&'a Signers>,
    /// Revoked keys.
    pub revoked: &'a Revoked,
    /// The verifier's own copy of the profile; its captures lie beside it. `None` for the profile of the same
    /// name beside the suites.
    pub profile: Option<&'a ConformanceProfile>,
    /// A trusted lock. Without it the profile must be the verifier's own.
    pub lock: Option<&'a [u8]>,
    /// The bytes of the challenge that the verifier issued. `None` accepts any challenge.
    pub challenge: Option<&'a [u8]>,
    /// The time of verification.
    pub at: Timestamp,
    /// Whether a draft is accepted, which needs neither a signature nor a challenge.
    pub accepts_drafts: bool,
    /// Whether the package of a single shard is accepted, which contains only a part of the runs.
    pub accepts_shards: bool,
    /// The number of results computed in parallel.
    pub jobs: usize,
    /// Hears how far the computation of results has come.
    pub listener: Option<&'a dyn Listener>,
}

/// Hears how far a verification has come, which computes the results of a large package for minutes.
pub trait Listener: std::fmt::Debug + Sync {
    /// So many results will be computed.
    fn begin(&self, results: usize);
    /// A result was computed; `is_right` says whether its captures allow one.
    fn end(&self, run: &RunKey, is_right: bool);
    /// No other result follows.
    fn close(&self);
}

/// A reservation about an accepted package.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reservation {
    /// Failures were waived.
    Waived {
        /// The number of results.
        results: usize,
    },
    /// Results of runs without a capture. They can be neither computed nor repeated.
    WithoutCapture {
        /// The number of results.
        results: usize,
    },
    /// Results that this verifier tried to repeat in vain.
    Unrepeated {
        /// The number of results.
        results: usize,
    },
    /// Results that were repeated on a TT-Metalium that the package names by its build alone.
    FilesNotCompared {
        /// The number of results.
        results: usize,
    },
    /// Results of a device that Hallmark does not bring, which nobody has repeated.
    Asserted {
        /// The number of results.
        results: usize,
    },
    /// Results of Hallmark's simulator, which nobody has repeated.
    Submitted {
        /// The number of results.
        results: usize,
    },
    /// Runs that failed were run anew, as the log says.
    RunAgain {
        /// The number of runs.
        runs: usize,
    },
    /// Logs of earlier releases, which do not name the subject of their runs.
    SubjectNotLogged {
        /// The number of logs.
        logs: usize,
    },
    /// No allowed signers were given.
    SignerUnknown,
    /// The package is a draft.
    Draft,
}

impl std::fmt::Display for Reservation {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        use hallmark_schema::plural::counted;
        match self {
            Self::Waived { results } => {
                write!(formatter, "{} waived", counted(*results, "failure is", "failures are"))
            }
            Self::WithoutCapture { results } => write!(
                formatter,
                "{} no capture and {} on the submitter's word; nobody can repeat {}",
                counted(*results, "result has", "results have"),
                if *results == 1 { "rests" } else { "rest" },
                if *results == 1 { "it" } else { "them" }
            ),
            Self::Unrepeated { results } => {
                write!(
                    formatter,
                    "{} could not be repeated",
                    counted(*results, "result", "results")
                )
            }
            Self::FilesNotCompared { results } => write!(
                formatter,
                "{} repeated on an installation of TT-Metalium: {FILES_NOT_COMPARED}",
                counted(*results, "result was", "results were")
            ),
            Self::Asserted { results } => write!(
                formatter,
                "{} on the submitter's word; an owner of the device can repeat {} with `hallmark package verify --replay --device`",
                counted(*results, "result rests", "results rest"),
                if *results == 1 { "it" } else { "them" }
            ),
            Self::Submitted { results } => write!(
                formatter,
                "{} as submitted, and nobody has repeated {}; `hallmark package verify --replay` does",
                counted(*results, "result is", "results are"),
                if *results == 1 { "it" } else { "them" }
            ),
            Self::RunAgain { runs } => write!(
                formatter,
                "the log says that {} and {} run anew",
                counted(*runs, "run failed", "runs failed"),
                if *runs == 1 { "was" } else { "were" }
            ),
            Self::SubjectNotLogged { logs } => write!(
                formatter,
                "{} not name the subject of the runs, as those of earlier releases do not",
                counted(*logs, "log does", "logs do")
            ),
            Self::SignerUnknown => formatter
                .write_str("no signature was verified; name the keys that may sign with --signers"),
            Self::Draft => formatter.write_str("the package is a draft"),
        }
    }
}

/// An accepted package.
#[derive(Clone, Debug)]
pub struct Verified {
    /// The statement, all of which was compared with the computed results.
    pub statement: Statement,
    /// The environment of the run, as asserted by the submitter.
    pub environment: Environment,
    /// The verified signers.
    pub signers: VerifiedSigners,
    /// The challenge of the second pass, if there was one.
    pub challenge: Option<Challenge>,
    /// The firmware of each architecture, if firmware is the subject.
    pub firmware: BTreeMap<Architecture, Arc<FirmwareBundle>>,
    /// The computed results.
    pub results: Vec<ResultLine>,
    /// The reservations; empty for an unreserved acceptance.
    pub reservations: BTreeSet<Reservation>,
    /// The number of results that a repetition could not repeat.
    pub unrepeated: usize,
    /// The runs whose verdicts are the submitter's: no capture contains the end of their processes.
    pub at_their_word: BTreeSet<RunKey>,
}

/// The number of results of each verdict, by name.
pub fn totals<'a>(results: impl IntoIterator<Item = &'a ResultLine>) -> BTreeMap<String, u64> {
    let mut totals = BTreeMap::new();
    for result in results {
        let count: &mut u64 = totals.entry(result.verdict.0.name().to_owned()).or_default();
        *count = count.saturating_add(1);
    }
    totals
}

impl Verifier<'_> {
    /// Verifies a package whose container was already verified.
    ///
    /// # Errors
    /// The first reason for the rejection.
    pub fn verify(&self, package: &Package<'_>) -> Result<Verified, Rejection> {
        self.verify_and(package, |_, _| {})
    }

    /// As [`Self::verify`], with a callback for confirmed results: their captures support the claims, even if
    /// other parts are wrong.
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
        // Accepting drafts excuses only drafts from a signature.
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
        let parts = claims::parts(&statement, &environment, &firmware);
        claims::log(&logs, &results, lock_bytes, &parts, package.file(CHALLENGE))?;
        if let Some(challenge) = &challenge {
            claims::challenge_date(challenge, &statement, &logs)?;
        }
        claims::no_unused_file(package, &results)?;
        claims::no_lone_signature(package)?;
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
        let computed = recomputation.all(&results, self.jobs, self.listener)?;
        let mut results = results;
        let claimed = results.clone();
        let mut at_their_word = BTreeSet::new();
        for (result, computed) in results.iter_mut().zip(computed) {
            let Computed { verdict, signature, program, headroom, basis, is_claimed } = computed;
            if is_claimed {
                at_their_word.insert(result.run.clone());
            }
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
        // Failures on such devices were reported before.
        claims::stand_ins(&environment)?;
        let waived = results.iter().filter(|result| result.waiver.is_some()).count();
        let again = logs.iter().fold(0_usize, |sum, log| sum.saturating_add(log.again.len()));
        let is_unnamed = |log: &&ReadLog| {
            log.identity.as_ref().is_some_and(|identity| identity.subjects.is_empty())
        };
        let unnamed = logs.iter().filter(is_unnamed).count();
        let reservations = [
            (unnamed > 0, Reservation::SubjectNotLogged { logs: unnamed }),
            (waived > 0, Reservation::Waived { results: waived }),
            (again > 0, Reservation::RunAgain { runs: again }),
            (self.signers.is_none(), Reservation::SignerUnknown),
            (statement.predicate.draft, Reservation::Draft),
        ];
        let reservations = reservations.into_iter().filter(|(applies, _)| *applies);
        let reservations =
            reservations.map(|(_, it)| it).chain(repeated::reservations(&results)).collect();
        let firmware =
            if kind == SubjectKind::Firmware { firmware } else { claims::Firmware::new() };
        let unrepeated = 0;
        Ok(Verified {
            challenge,
            statement,
            environment,
            signers,
            firmware,
            results,
            reservations,
            unrepeated,
            at_their_word,
        })
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

    /// The demands of the profile by the verifier's suites. They must give the package's lock.
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
        // The captures of a profile lie beside it.
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
    ) -> Result<Option<Challenge>, Rejection> {
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
