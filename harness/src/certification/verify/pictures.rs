//! Pictures of a package's failures, drawn from its captures.

use std::collections::BTreeMap;
use std::sync::Mutex;

use hallmark_package::{LOCK, Package};
use hallmark_report::Picture;

use super::recomputation::{self, Recomputation};
use super::{Rejection, RejectionReason, Verifier, VerifierStep, claims};
use crate::certification::lock::Lock;
use crate::certification::results::{ResultLine, RunKey};
use crate::parallel;

impl Verifier<'_> {
    /// Pictures of the failures among a package's results that were computed anew: what is drawn is what the captures hold.
    ///
    /// # Errors
    /// The package is rejected for another reason than that tests failed.
    pub fn pictures(
        &self,
        package: &Package<'_>,
        results: &[ResultLine],
    ) -> Result<BTreeMap<RunKey, Box<[Picture]>>, Rejection> {
        let failures: Vec<&ResultLine> =
            results.iter().filter(|result| result.needs_waiver()).collect();
        if failures.is_empty() {
            return Ok(BTreeMap::new());
        }
        let reject = |problem| Rejection::new(VerifierStep::Documents, problem);
        let statement = package
            .statement(self.at)
            .map_err(|error| reject(RejectionReason::Statement(error)))?;
        let lock = Lock::read(package.file(LOCK).unwrap_or_default())
            .map_err(|error| reject(RejectionReason::Lock(error)))?;
        let environment = claims::environment(package)?;
        let firmware = claims::firmware(package, &statement, &lock)?;
        let demand = self.demand(package, &statement, &lock)?;
        let submitter = self.signers(package)?.submitter;
        let challenge = self.challenge(package, &statement, &lock, submitter.as_ref())?;
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
        parallel::each(&failures, self.jobs, |&result| {
            Ok((result.run.clone(), recomputation.pictures(result)))
        })
        .map(|pictures| pictures.into_iter().collect())
    }
}
