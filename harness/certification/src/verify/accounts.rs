//! Pictures of a package's failures, drawn from its captures.

use std::collections::BTreeMap;

use hallmark_execution::parallel;
use hallmark_package::Package;
use hallmark_report::Picture;

use super::{Rejection, Verified, Verifier};
use crate::results::{ResultLine, RunKey};

/// Pictures of failures, by their runs.
pub type Pictures = BTreeMap<RunKey, Box<[Picture]>>;

impl Verifier<'_> {
    /// Verifies a package as [`Verifier::verify`] does, and draws its failures from the captures. For a package
    /// that is rejected for other reasons than failed tests, there are no pictures.
    pub fn verify_drawing(&self, package: &Package<'_>) -> (Result<Verified, Rejection>, Pictures) {
        let mut pictures = Pictures::new();
        let verified = self.verify_and(package, |recomputation, results| {
            let failures: Vec<&ResultLine> =
                results.iter().filter(|result| result.needs_waiver()).collect();
            let draw = |result: &&ResultLine| {
                Ok::<_, Rejection>((result.run.clone(), recomputation.pictures(result)))
            };
            // A failure without pictures is still a failure.
            let drawn = parallel::each(&failures, self.jobs, draw).unwrap_or_default();
            pictures = drawn.into_iter().collect();
        });
        if verified.as_ref().err().is_some_and(|rejection| !rejection.is_of_failure()) {
            pictures.clear();
        }
        (verified, pictures)
    }
}
