//! Reports of a run: the closing table, JSON, JUnit.

mod broken_kernels;
mod junit;
mod table;

use serde_json::json;

pub use self::broken_kernels::BrokenKernels;
pub use self::junit::junit;
pub use self::table::table;
use crate::interrupt::Signal;
use crate::pipeline::TestResult;
use crate::pipeline::seeds::Seeds;
use crate::suite::name::TestName;
use crate::verdict::Verdict;

/// What came of a run, whether it came to its end or was stopped.
#[derive(Clone, Debug)]
pub struct RunReport {
    /// Results in the order in which tests are listed.
    pub results: Vec<TestResult>,
    /// The device of each architecture, without a path.
    pub devices: Vec<(hallmark_chip::Architecture, String)>,
    /// The device that replayed, where it was another.
    pub replay_devices: Vec<(hallmark_chip::Architecture, String)>,
    /// Architectures whose devices have another grid than the one that goldens are of.
    pub without_goldens: Vec<hallmark_chip::Architecture>,
    /// Wall-clock time of each architecture's tests.
    pub elapsed: Vec<(hallmark_chip::Architecture, std::time::Duration)>,
    /// The schedule seeds under which each test ran.
    pub seeds: Seeds,
    /// Golden files that belong to no test; only known where everything was selected.
    pub unused_goldens: Vec<String>,
    /// Why the run was stopped, and what it left out; nothing where it came to its end.
    pub early_end: Option<EarlyEnd>,
}

/// The end of a run that was stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EarlyEnd {
    /// Why it was stopped.
    pub reason: StopReason,
    /// The tests that were selected and not begun, in the order in which tests are listed.
    pub did_not_run: Vec<TestName>,
}

/// Why a run was stopped before all of its tests had run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// A signal asked for it.
    Signal(Signal),
}

impl StopReason {
    /// Its name in JSON and JUnit.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Signal(signal) => signal.name(),
        }
    }

    /// The words that the closing line of a stopped run begins with.
    const fn words(self) -> &'static str {
        match self {
            Self::Signal(Signal::Interrupt) => "^C stopped",
            Self::Signal(Signal::Terminate) => "SIGTERM stopped",
        }
    }
}

/// The word that begins a failure's report.
pub fn label(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Mismatch => "FAIL".to_owned(),
        Verdict::UnexpectedPass => "UNEXPECTED PASS".to_owned(),
        Verdict::InternalError => "INTERNAL ERROR".to_owned(),
        other => other.name().to_uppercase(),
    }
}

/// A failure as people read it.
pub fn failure(result: &TestResult) -> String {
    let mut text = format!("{} {}", label(&result.verdict), result.name);
    for line in &result.lines {
        text.push_str("\n  ");
        text.push_str(line);
    }
    text
}

impl RunReport {
    /// The tests that were selected and not begun.
    fn did_not_run(&self) -> &[TestName] {
        self.early_end.as_ref().map_or(&[], |end| &end.did_not_run)
    }

    /// The devices of each architecture for people: `sim`, or `sim → ttsim` where another one replayed.
    fn device_names(&self) -> Vec<(hallmark_chip::Architecture, String)> {
        let named = |(architecture, device): &(hallmark_chip::Architecture, String)| {
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

/// The report in JSON.
pub fn json(report: &RunReport) -> String {
    let tests: Vec<_> = report
        .results
        .iter()
        .map(|result| {
            let reason = match &result.verdict {
                Verdict::Skipped { reason } | Verdict::ExpectedFailure { reason } => Some(reason),
                _ => None,
            };
            json!({
                "name": result.name.to_string(),
                "verdict": result.verdict.name(),
                "exit_code": result.exit_code.number(),
                "seconds": result.elapsed.as_secs_f64(),
                "reason": reason,
                "report": result.lines,
            })
        })
        .collect();
    let by_architecture = |devices: &[(hallmark_chip::Architecture, String)]| {
        let pairs = devices.iter();
        pairs
            .map(|(architecture, device)| (architecture.name().to_owned(), json!(device)))
            .collect::<serde_json::Map<String, serde_json::Value>>()
    };
    let document = json!({
        "version": 1,
        "hallmark": env!("CARGO_PKG_VERSION"),
        "devices": by_architecture(&report.devices),
        "replay_devices": by_architecture(&report.replay_devices),
        "schedule_seeds": report.seeds.to_string(),
        "tests": tests,
        "stopped_by": report.early_end.as_ref().map(|end| end.reason.name()),
        "did_not_run": report.did_not_run().iter().map(TestName::to_string).collect::<Vec<_>>(),
        "unused_goldens": report.unused_goldens,
    });
    let mut text = serde_json::to_string_pretty(&document).unwrap_or_default();
    text.push('\n');
    text
}
