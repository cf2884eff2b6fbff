//! Makes the package of a complete run.

use std::collections::BTreeMap;
use std::path::Path;

use hallmark_certification::assembly::{Assembly, SignedFile};
use hallmark_certification::environment::Environment;
use hallmark_certification::results::{ResultLine, RunKey};
use hallmark_certification::store::CaptureStore;
use hallmark_certification::verify::{RejectionReason, Verifier, totals};
use hallmark_package::{
    Blake3, ChallengeClaim, Predicate, ProfileClaim, Revoked, SubjectClaim, Timestamp,
};
use hallmark_pipeline::verdict::ExitCode;
use hallmark_schema::model::ContentHash;

use super::certification::Certification;
use super::failures::internal;
use crate::cli::Failed;
use crate::cli::package_file::{rejected, verify_written};
use crate::cli::signature_beside::read_signature;
use crate::cli::verifier_progress::VerifierProgress;

/// The hash of a file in the type that packages use.
const fn blake3(hash: ContentHash) -> Blake3 {
    Blake3::from_bytes(hash.0)
}

impl Certification<'_> {
    /// Writes the package.
    pub(super) fn write_package(
        &self,
        results: &BTreeMap<RunKey, ResultLine>,
        store: &CaptureStore,
        log: &Path,
    ) -> Result<(), Failed> {
        let lock = &self.demand.lock;
        let workers = &self.settings.workers;
        let architectures = lock.architectures();
        let root = self.settings.root.folder();
        let environment = Environment::of(workers, root, architectures.iter().copied())?;
        let firmware = architectures.iter().filter_map(|&architecture| {
            Some((architecture, workers.executor(architecture).programs.firmware?))
        });
        let mut waivers = BTreeMap::new();
        for waiver in &self.waivers {
            let signature = read_signature(waiver.path())?;
            let bytes = waiver.text().as_bytes().to_vec();
            waivers.insert(waiver.id().to_owned(), SignedFile { bytes, signature });
        }
        let assembly = Assembly {
            profile: self.demand.profile.text(),
            lock,
            results,
            log,
            store,
            environment: &environment,
            firmware: firmware.collect(),
            waivers,
            challenge: self.challenge.as_ref().map(|given| given.file.clone()),
        };
        Ok(assembly.write(self.predicate(results)?, self.package)?)
    }

    /// Reads the written package from its file and verifies it as reviewers do; gives the exit code of its
    /// acceptance.
    pub(super) fn verify_package(&self) -> Result<ExitCode, Failed> {
        let lock = self.demand.lock.to_bytes().map_err(|error| internal(&error))?;
        let computed = VerifierProgress::default();
        let verifier = Verifier {
            root: &self.settings.root,
            // The package has no signature yet.
            signers: None,
            revoked: &Revoked::default(),
            profile: Some(&self.demand.profile),
            lock: Some(&lock),
            challenge: None,
            at: Timestamp::now(),
            accepts_drafts: self.is_draft,
            accepts_shards: self.shard.is_some(),
            jobs: self.jobs,
            listener: Some(&computed),
        };
        match verify_written(self.package, &verifier)? {
            Ok(code) => Ok(code),
            // The summary lists the runs that did not pass, and its exit code ends the command.
            Err(rejection) if matches!(*rejection.problem, RejectionReason::NotPassed { .. }) => {
                Ok(ExitCode::SUCCESS)
            }
            Err(rejection) => Err(rejected(self.package, &rejection)),
        }
    }

    /// The claim of the package.
    fn predicate(&self, results: &BTreeMap<RunKey, ResultLine>) -> Result<Predicate, Failed> {
        let lock = &self.demand.lock;
        let hash = lock.hash().map_err(|error| internal(&error))?;
        let name = self.package.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Predicate {
            name,
            profile: ProfileClaim {
                name: lock.profile.name.clone(),
                edition: lock.profile.edition.clone(),
                lock: blake3(hash),
            },
            hallmark: env!("CARGO_PKG_VERSION").to_owned(),
            subject: SubjectClaim {
                kind: self.subject.kind,
                name: self.subject.name.clone(),
                hash: self.subject.hash.map(blake3),
            },
            made: Timestamp::now(),
            draft: self.is_draft,
            challenge: self.challenge.as_ref().map(|given| ChallengeClaim {
                kind: given.challenge.by,
                hash: Blake3::of(&given.file.bytes),
            }),
            totals: totals(results.values()),
        })
    }
}
