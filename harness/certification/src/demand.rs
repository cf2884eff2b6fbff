//! The tests that a conformance profile demands, from the suites of a root.

use hallmark_execution::parallel;
use hallmark_suite::discover::Root;
use hallmark_suite::name::TestName;

use super::lock::{Lock, LockedSource};
use super::profile::ConformanceProfile;
use super::resolution::{self, DemandedTest, ResolutionError};

/// A profile, its lock, and the sources of its tests' calls.
#[derive(Debug)]
pub struct Demand {
    /// The profile.
    pub profile: ConformanceProfile,
    /// The lock made from the root's suites, goldens and kernels.
    pub lock: Lock,
    tests: Vec<DemandedTest>,
}

impl Demand {
    /// Resolves the demands of a profile, with `jobs` tests in parallel.
    ///
    /// # Errors
    /// A suite, golden or capture of the profile cannot be used.
    pub fn of(
        root: &Root,
        profile: ConformanceProfile,
        jobs: usize,
    ) -> Result<Self, ResolutionError> {
        let locked = profile.locked();
        let selected = profile.tests(root)?;
        let mut tests =
            parallel::each(&selected, jobs, |test| resolution::of_suite(root, &locked, test))?;
        for path in profile.captures()? {
            tests.push(resolution::of_capture(&locked, profile.folder(), &path)?);
        }
        tests.sort_by(|one, other| one.locked.test.cmp(&other.locked.test));
        let twice = tests.windows(2).find_map(|pair| match pair {
            [one, other] if one.locked.test == other.locked.test => Some(&other.locked.source),
            _ => None,
        });
        if let Some(LockedSource::Capture { path, .. }) = twice {
            return Err(ResolutionError::WorkloadTwice { path: path.clone() });
        }
        let kernels = resolution::kernels(root, &locked)?;
        let of_lock = tests.iter().map(|test| test.locked.clone()).collect();
        let lock = Lock { profile: locked, kernels, tests: of_lock };
        Ok(Self { profile, lock, tests })
    }

    /// The tests, in the order of the lock.
    pub fn tests(&self) -> &[DemandedTest] {
        &self.tests
    }

    /// The test with this name, if the lock contains it.
    pub fn test(&self, name: &TestName) -> Option<&DemandedTest> {
        let index = self.tests.binary_search_by(|test| test.locked.test.cmp(name)).ok()?;
        self.tests.get(index)
    }
}
