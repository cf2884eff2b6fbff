//! Works out what a conformance profile demands; reports to the user why that fails.

use hallmark_certification::demand::Demand;
use hallmark_certification::profile::{ConformanceProfile, ProfileError};
use hallmark_certification::resolution::ResolutionError;
use hallmark_pipeline::verdict::ExitCode;
use hallmark_suite::discover::Root;

use crate::cli::Failed;

impl From<ProfileError> for Failed {
    fn from(error: ProfileError) -> Self {
        match error {
            ProfileError::Absent { .. } => Self::new(ExitCode::NOTHING_SELECTED, error),
            ProfileError::Mistakes(mistakes) => mistakes.into(),
        }
    }
}

impl From<ResolutionError> for Failed {
    fn from(error: ResolutionError) -> Self {
        let code = match error {
            ResolutionError::Mistakes(mistakes) => return mistakes.into(),
            ResolutionError::NoGolden { .. } => ExitCode::GOLDEN_ABSENT,
            ResolutionError::Golden { .. } | ResolutionError::Capture { .. } => ExitCode::CAPTURE,
            ResolutionError::WorkloadName { .. }
            | ResolutionError::WorkloadTwice { .. }
            | ResolutionError::WorkloadArchitecture { .. }
            | ResolutionError::WorkloadBinary { .. }
            | ResolutionError::File { .. } => ExitCode::SUITE,
            ResolutionError::Json(_) => ExitCode::INTERNAL,
        };
        Self::new(code, error)
    }
}

/// Works out the demand of the profile with this name. The demand has at least one test.
pub(super) fn of(root: &Root, name: &str, jobs: usize) -> Result<Demand, Failed> {
    let demand = Demand::of(root, ConformanceProfile::find(root, name)?, jobs)?;
    if demand.tests().is_empty() {
        let text = format!("the conformance profile `{name}` demands no test");
        return Err(Failed::new(ExitCode::NOTHING_SELECTED, text));
    }
    Ok(demand)
}
