//! Reports of a run: the closing table, JSON, JUnit, HTML.
//!
//! A [`RunReport`] holds the results of a run, and each form is made from it: [`table()`], [`Document`] (JSON),
//! [`junit()`], [`html()`] (the page's text is made by `hallmark_report`). CONTRIBUTING.md says how to add a form.

mod alike_failures;
pub mod annotations;
mod document;
pub mod failure_groups;
mod html;
mod junit;
pub mod merge;
#[cfg(test)]
mod samples;
mod slowest;
pub mod style;
mod table;

use std::collections::BTreeMap;
use std::time::Duration;

use hallmark_chip::Architecture;
use hallmark_execution::executor::Dispatch;
use hallmark_execution::interrupt::Signal;
use hallmark_suite::checks::Check;
use hallmark_suite::name::TestName;

pub use self::alike_failures::AlikeFailures;
pub use self::document::{Document, DocumentError};
pub use self::html::html;
pub use self::junit::junit;
pub use self::slowest::slowest;
pub use self::table::table;
use crate::TestResult;
use crate::baseline::BaselineIdentity;
use crate::commit::Commit;
use crate::seeds::Seeds;
use crate::shard::Shard;
use crate::verdict::{ExitCode, Verdict};

/// The result of a run, complete or stopped.
#[derive(Clone, Debug)]
pub struct RunReport {
    /// The commit of the suites, if known.
    pub commit: Option<Commit>,
    /// The selected tests.
    pub selected: SelectedTests,
    /// The shards that a merged report lacks, in words.
    pub missing_shards: Vec<String>,
    /// Results in the listing order of tests.
    pub results: Vec<TestResult>,
    /// The results of a test's runs before it was repeated.
    pub earlier_runs: BTreeMap<TestName, Vec<TestResult>>,
    /// The device of each architecture, without a path.
    pub devices: Vec<(Architecture, String)>,
    /// The replaying device, if it was another one.
    pub replay_devices: Vec<(Architecture, String)>,
    /// The dispatch mode of each architecture.
    pub dispatch: Vec<(Architecture, Dispatch)>,
    /// Architectures whose devices have a grid other than that of the goldens.
    pub without_goldens: Vec<Architecture>,
    /// Wall-clock time of each architecture's tests.
    pub elapsed: Vec<(Architecture, Duration)>,
    /// The baseline whose failures let the run succeed, if it had one.
    pub baseline: Option<BaselineIdentity>,
    /// The schedule seeds under which each test ran.
    pub seeds: Seeds,
    /// Golden files without a test; only known if everything was selected.
    pub unused_goldens: Vec<String>,
    /// Why the run was stopped, and the tests that it left out; `None` for a complete run.
    pub early_end: Option<EarlyEnd>,
}

/// The selected tests; a run executes all of them, or a shard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SelectedTests {
    /// The selected architectures, ascending.
    pub architectures: Vec<Architecture>,
    /// The number of tests in all shards together.
    pub tests: usize,
    /// The executed shard; `None` for all.
    pub shard: Option<Shard>,
}

/// The end of a run that was stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EarlyEnd {
    /// The reason.
    pub reason: StopReason,
    /// The selected tests that were not begun, in listing order.
    pub did_not_run: Vec<TestName>,
}

/// Why a run was stopped before all of its tests had run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// A signal requested it.
    Signal(Signal),
    /// A test did not pass, and the run was to stop at the first failure.
    FirstFailure,
}

impl StopReason {
    /// The name in JSON and JUnit.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Signal(signal) => signal.name(),
            Self::FirstFailure => "fail_fast",
        }
    }

    /// The reason with this name.
    pub fn named(name: &str) -> Option<Self> {
        let signals = Signal::ALL.map(Self::Signal);
        signals.into_iter().chain([Self::FirstFailure]).find(|reason| reason.name() == name)
    }

    /// The beginning of the closing line of a stopped run.
    const fn words(self) -> &'static str {
        match self {
            Self::Signal(Signal::Interrupt) => "^C stopped",
            Self::Signal(Signal::Terminate) => "SIGTERM stopped",
            Self::Signal(Signal::HangUp) => "SIGHUP stopped",
            Self::Signal(Signal::Quit) => "SIGQUIT stopped",
            Self::FirstFailure => "--fail-fast stopped",
        }
    }
}

/// The first word of a failure's report.
pub fn label(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Mismatch => "FAIL".to_owned(),
        Verdict::NotBuilt => "NOT BUILT".to_owned(),
        Verdict::Missing => "NO GOLDEN".to_owned(),
        Verdict::UnexpectedPass => "UNEXPECTED PASS".to_owned(),
        Verdict::KnownDeviation { .. } => "KNOWN DEVIATION".to_owned(),
        Verdict::KnownFailure { .. } => "KNOWN FAILURE".to_owned(),
        Verdict::InternalError => "INTERNAL ERROR".to_owned(),
        other => other.name().to_uppercase(),
    }
}

/// A failure as text for people.
pub fn failure(result: &TestResult) -> String {
    let mut text = format!("{} {}", label(&result.verdict), result.name);
    for line in result.report() {
        text.push_str("\n  ");
        text.push_str(&line);
    }
    text
}

impl RunReport {
    /// The exit code of a process that reports this run.
    pub fn exit_code(&self) -> ExitCode {
        let mut codes: Vec<ExitCode> = self.results.iter().map(|result| result.exit_code).collect();
        if Check::GoldenUsed.finds(!self.unused_goldens.is_empty())
            || !self.missing_shards.is_empty()
        {
            codes.push(ExitCode::NOT_PASSED);
        }
        match self.early_end.as_ref().map(|end| end.reason) {
            Some(StopReason::Signal(_)) => codes.push(ExitCode::INTERRUPTED),
            Some(StopReason::FirstFailure) | None => {}
        }
        ExitCode::first(codes)
    }

    /// The selected tests that were not begun.
    fn did_not_run(&self) -> &[TestName] {
        self.early_end.as_ref().map_or(&[], |end| &end.did_not_run)
    }

    /// The devices of each architecture for people: `sim`, or `sim → ttsim` if another one replayed.
    fn device_names(&self) -> Vec<(Architecture, String)> {
        let named = |(architecture, device): &(Architecture, String)| {
            let other = self.replay_devices.iter().find(|(known, _)| known == architecture);
            let name = match other {
                Some((_, other)) => format!("{device} → {other}"),
                None => device.clone(),
            };
            (*architecture, name)
        };
        self.devices.iter().map(named).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::samples::report;
    use super::*;

    /// The code is the same if the signal came between two tests, so that none was interrupted.
    #[test]
    fn a_run_that_a_signal_stopped_has_a_code_of_its_own() {
        let stopped = |reason| {
            let mut report = report(&[Verdict::Pass]);
            let did_not_run = vec!["wormhole_b0::group::suite::other".parse().unwrap()];
            report.early_end = Some(EarlyEnd { reason, did_not_run });
            report.exit_code()
        };
        for signal in Signal::ALL {
            assert_eq!(stopped(StopReason::Signal(signal)), ExitCode::INTERRUPTED);
        }
        // The failed test determines the code instead.
        assert_eq!(stopped(StopReason::FirstFailure), ExitCode::SUCCESS);
    }
}
