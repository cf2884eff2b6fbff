//! The demands of a conformance profile by the verifier's own suites.

use hallmark_suite::discover::Root;
use hallmark_suite::name::TestName;

use super::rejection::{Rejection, RejectionReason, VerifierStep};
use crate::demand::Demand;
use crate::lock::Lock;
use crate::profile::ConformanceProfile;

/// Resolves the demands of a profile. They must give the package's lock.
pub(super) fn demand(
    root: &Root,
    profile: ConformanceProfile,
    lock: &Lock,
    jobs: usize,
) -> Result<Demand, Rejection> {
    let reject = |problem| {
        Rejection::new(VerifierStep::Completeness, problem).in_file(hallmark_package::LOCK)
    };
    let demand = Demand::of(root, profile, jobs)
        .map_err(|error| reject(RejectionReason::Resolution(error)))?;
    if let Some(what) = first_difference(&demand.lock, lock) {
        reject(RejectionReason::OtherSuites { what }).refuse()?;
    }
    Ok(demand)
}

/// The first difference between two locks of one profile.
fn first_difference(here: &Lock, package: &Lock) -> Option<String> {
    if here.profile != package.profile {
        return Some("what the profile says about all tests".to_owned());
    }
    let one_only = |name: &TestName, of: &str| Some(format!("{name}, which only {of} demands"));
    for test in &package.tests {
        match here.test(&test.test) {
            None => return one_only(&test.test, "the package's lock"),
            Some(own) if own.source != test.source => {
                return Some(format!("the suite of {}", test.test));
            }
            Some(own) if own.case != test.case => {
                return Some(format!("the calls of {}", test.test));
            }
            Some(own) if own.program != test.program => {
                return Some(format!("the golden of {}", test.test));
            }
            Some(own) if own.skips != test.skips => {
                return Some(format!("where {} is skipped", test.test));
            }
            Some(own) if own != test => {
                return Some(format!("whether a challenge changes {}", test.test));
            }
            Some(_) => {}
        }
    }
    if let Some(more) = here.tests.iter().find(|own| package.test(&own.test).is_none()) {
        return one_only(&more.test, "the verifier's lock");
    }
    (here.kernels != package.kernels).then(|| "the prebuilt kernels".to_owned())
}
