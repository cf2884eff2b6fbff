//! The subject of `bisect`, `compare`, `diff`, `dump` and `explain`: a capture in a file, or a test by its
//! name.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use hallmark_execution::executor::{Executors, ProgramSettings};
use hallmark_execution::interrupt;
use hallmark_execution::worker::process::WorkerProgram;
use hallmark_pipeline::verdict::ExitCode;
use hallmark_pipeline::{Notices, Settings, TestExecutors, WorkerSettings, execute};
use hallmark_schema::model::Capture;
use hallmark_suite::bound::BoundTest;
use hallmark_suite::discover::Root;
use hallmark_suite::name::{TestName, TestNameError, with_whole_architecture};

use super::capture_file::read;
use super::options::{Devices, RootOption};
use super::select::one_test;
use super::{Failed, output};

/// A capture or a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Subject {
    /// A file that holds a capture.
    Capture(PathBuf),
    /// A test of a suite.
    Test(TestName),
}

impl FromStr for Subject {
    type Err = TestNameError;

    /// An existing file is a capture, whatever its name; names of tests hold `::`, and paths seldom do.
    fn from_str(text: &str) -> Result<Self, TestNameError> {
        if !text.contains("::") || Path::new(text).is_file() {
            return Ok(Self::Capture(text.into()));
        }
        with_whole_architecture(text).parse().map(Self::Test)
    }
}

impl std::fmt::Display for Subject {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Capture(file) => file.display().fmt(formatter),
            Self::Test(name) => name.fmt(formatter),
        }
    }
}

impl Subject {
    /// The capture: read from its file, or made now by running the test on the device that the environment
    /// names.
    pub(super) fn capture(&self, root: &RootOption) -> Result<Capture, Failed> {
        match self {
            Self::Capture(file) => read(file),
            Self::Test(name) => {
                let settings = Devices::default().settings(root.find()?, &[name.architecture])?;
                capture_now(&settings, name)
            }
        }
    }
}

/// Runs a test and gives its capture.
pub(super) fn capture_now(settings: &Settings, name: &TestName) -> Result<Capture, Failed> {
    let test = one_test(&settings.root, name)?;
    let on = settings.workers.test_executors(name.architecture);
    if let Some(reason) = on.skip_reason(&test) {
        let text = format!("{name} is skipped: {reason}");
        return Err(Failed::new(ExitCode::NOTHING_SELECTED, text));
    }
    let bound = on.bind(&test)?;
    capture_of(settings, &on, name, &bound)
}

/// Runs a bound test and gives its capture.
pub(super) fn capture_of(
    settings: &Settings,
    on: &TestExecutors,
    name: &TestName,
    bound: &BoundTest,
) -> Result<Capture, Failed> {
    let executed =
        execute::capture(settings, on, bound).map_err(|finding| Failed::of_finding(&finding))?;
    let recovered = || executed.recovered.as_deref().cloned().map(Arc::new);
    let capture = executed.capture.clone().or_else(recovered);
    let capture = capture.map(Arc::unwrap_or_clone);
    capture.ok_or_else(|| {
        if let Some(signal) = interrupt::signal() {
            let text = format!("{} came before {name} was captured", signal.name());
            return Failed::new(ExitCode::INTERRUPTED, text);
        }
        let problem = executed.report.problem.as_ref().map(ToString::to_string);
        let problem = problem.or_else(|| executed.problem.clone()).unwrap_or_default();
        Failed::new(ExitCode::NOT_PASSED, format!("{name} left no capture: {problem}"))
    })
}

/// Settings for captures alone, which need no folder of suites.
pub(super) fn settings_of_captures(programs: ProgramSettings) -> Result<Settings, Failed> {
    let folder = std::env::current_dir()
        .map_err(|error| Failed::new(ExitCode::USAGE, format!("no current folder: {error}")))?;
    let root = Root::above(&folder).unwrap_or_else(|_| Root::without_suites(&folder));
    let worker = WorkerProgram::current()
        .map_err(|error| Failed::new(ExitCode::INTERNAL, format!("no executable: {error}")))?;
    let (executors, replay_executors) = (Executors::default(), Executors::default());
    Ok(Settings {
        kernels: Settings::kernel_store(&root),
        root,
        workers: WorkerSettings {
            executors,
            replay_executors,
            programs,
            worker,
            least_timeout: Duration::ZERO,
            notices: Notices::to(output::note),
        },
        strict_derived: false,
        deviations: Arc::default(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_there_is_a_capture_whatever_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let odd = folder.path().join("wormhole_b0::a::b::c");
        std::fs::write(&odd, "x").unwrap();
        let odd = odd.to_str().unwrap();
        assert_eq!(odd.parse(), Ok(Subject::Capture(odd.into())));
        assert_eq!("absent.lmb".parse(), Ok(Subject::Capture("absent.lmb".into())));
        let name = "wormhole_b0::a::b::c";
        assert_eq!(name.parse(), Ok(Subject::Test(name.parse().unwrap())));
        let wrong = "wormhole_b0::a".parse::<Subject>().unwrap_err().to_string();
        assert!(wrong.contains("is not a test name"), "{wrong}");
    }
}
